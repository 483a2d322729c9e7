"""What a kernel may hold: Numba is asked, line by line, and what it refuses is refused on an emulated device too."""

from __future__ import annotations

import collections
import linecache
import math
import operator
import os
import re
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import numba
import numpy
import pytest
from numba.core.sigutils import normalize_signature

import tensorkit as tk
from tensorkit.kernels.cuda import traced
from tensorkit.kernels.cuda.compile import _as_if_on
from tensorkit.kernels.cuda.traced.names.refusals import _BUILTINS, _NO_MATH
from tensorkit.kernels.cuda.traced.whole_arrays import UFUNCS

cuda: Any = import_module("numba.cuda")
_numbers = count()

Pair = collections.namedtuple("Pair", "x y")


class Sizes:
    TILE = 4


def helper(a: Any) -> Any:
    return a + 1


@cuda.jit(device=True)  # type: ignore[untyped-decorator]
def doubled(a: Any) -> Any:
    return 2 * a


@cuda.jit(device=True)  # type: ignore[untyped-decorator]
def noted(a: Any) -> None:
    a[0] = 1


@cuda.jit(device=True)  # type: ignore[untyped-decorator]
def listed(a: Any) -> Any:
    return [a, a]


@cuda.jit(device=True)  # type: ignore[untyped-decorator]
def first_of(size: int) -> Any:
    part = cuda.shared.array(size, numba.float32)
    return part[0]


AROUND: dict[str, Any] = {
    "cuda": cuda, "numba": numba, "np": numpy, "math": math, "operator": operator, "os": os, "float32":
    numba.float32, "Pair": Pair, "Sizes": Sizes, "helper": helper, "doubled": doubled, "listed": listed,
    "noted": noted, "first_of": first_of, "TILE": 4, "HALF": 0.5, "SIZES": (4, 2), "WIDE": numpy.int64(4),
    "LIST": [1, 2], "DICT": {1: 2}, "TABLE": numpy.arange(3.0), "NOTHING": None, "WORD": "abc", "tensor":
    tk.ones(2), "__name__": __name__,
}  # fmt: skip

TAKEN = """
for j in (0, 1): o[j] = x[j]
for j in [0, 1]: o[j] = x[j]
if n in (1, 2): o[0] = 1
if n in [1, n]: o[0] = 1
[a, b] = (1, 2)
print("a", n, x[0])
word = "abc"; o[0] = len(word)
return
return None
return noted(o)
f = lambda a: a + 1; o[0] = f(x[0])
if n < 0: raise ValueError("negative")
assert n > 0, "not positive"
a: int = 3; o[0] = a
for i, v in enumerate(x): o[i] = v
for a, b in zip(x, o): o[0] = a
for v in range(n, 0, -1): o[v] = v
o[0] = x[0] if 0 <= n < 3 else 1.0
o[0] = min(x[0], x[1], 2) + max((1, 2)) + sum((1, 2)) + abs(x[0]) + round(x[0]) + pow(n, 2) + divmod(n, 3)[0]
o[0] = int(x[0]) + float(n) + bool(n) + complex(1, 2).real
o[0] = isinstance(n, int)
o[0] = len(x) + x.size + x.ndim + x.shape[0] + x.itemsize + x.nbytes + x.strides[0]
o[1:3] = 2.0
o[...] = 1.0
o[0] = x[1:3][0] + x.T[0] + x[-1]
if NOTHING is None: o[0] = HALF + WIDE + SIZES[1] + len(WORD)
o[0] = TABLE[n]
o[0] = Pair(1, 2).x
o[0] = operator.add(n, 2)
o[0] = doubled(n) + doubled(*(1,))
o[0] = np.float32(n) + np.int32(3) + np.uint8(n) + np.pi
o[0] = np.sin(x[0]) + np.maximum(x[0], o[0]) + np.isnan(x[0])
o[0] = math.floor(x[0]) + math.exp2(2.0) + math.erf(1.0) + math.pi + math.ldexp(*math.frexp(x[0]))
o[0] = cuda.laneid + cuda.warpsize + numba.int8(3) + cuda.float32(n)
i, j = cuda.grid(2); o[i] = j
d = 1; o[0] = cuda.grid(d) + cuda.gridsize(1)
part = cuda.shared.array(32, float32); part[0] = 1
part = cuda.shared.array(TILE, np.float32); part[0] = 1
part = cuda.shared.array((TILE, 2), numba.float32); part[0, 0] = 1
part = cuda.shared.array(SIZES, float32); part[0, 0] = 1
part = cuda.shared.array(SIZES[0], float32); part[0] = 1
part = cuda.shared.array(2**5 + 1, "float32"); part[0] = 1
part = cuda.shared.array(x.ndim, x.dtype); part[0] = 1
m = 8; part = cuda.shared.array(m, float32); part[0] = 1
m = (TILE, 2); part = cuda.shared.array(m, float32); part[0, 0] = 1
part = cuda.local.array(shape=TILE, dtype=float32); part[0] = 1
part = cuda.shared.array(12288, float32); part[0] = 1
o[0] = first_of(4)
"""

REFUSED = """
a = [1.0, 2.0]; o[0] = a[n]
a = []; a.append(1.0)
a = [x[j] for j in range(3)]; o[0] = a[0]
a = [0] * 3; a[0] = 1
o[0] = sum(x[j] for j in range(3))
d = {1: 2}; o[0] = d[1]
d = dict(); d[1] = 2.0
d = {j: j for j in range(3)}; o[0] = d[0]
s = {1, 2}; o[0] = len(s)
if n in {1, 2}: o[0] = 1
class A: pass
s = f"{n}"
print(f"{n}")
print("a %d" % n)
print("a", n, sep="")
with n: o[0] = 1
return 5
return x[0]
yield 1
import math as m; o[0] = m.pi
from math import pi; o[0] = pi
global count; count = 2
a = 2; del a
a, *b = (1, 2, 3); o[0] = a
if (m := n + 1) > 2: o[0] = m
o[0] = sorted((1, 2))[0]
o[0] = any((True, False))
for v in map(abs, (1, 2)): o[0] = v
for v in reversed(range(n)): o[0] = v
o[0] = list((1, 2))[0]
s = str(n)
o[0] = hash(n)
o[0] = nosuch
o[0] = LIST[1]
o[0] = DICT[1]
TABLE[n] = 1
o[0] = Sizes.TILE
o[0] = os.getpid()
o[0] = helper(n)
o[0] = listed(n)[0]
doubled[1, 1](n)
o[0] = tensor[0]
o[0] = math.factorial(n)
o[0] = math.gcd(n, 6)
o[0] = np.zeros(3)[0]
o[0] = np.array([1.0, 2.0]).sum()
o[0] = np.arange(3)[0]
o[0] = np.sqrt(x[0])
o[0] = np.abs(x[0])
o[0] = np.random.rand()
c = x + o; o[0] = c[0]
o[1:3] += 1.0
o[0] = np.sin(x)[0]
o[0] = (x @ o)
o[0] = x.copy()[0]
o[0] = x[x > 0][0]
if x: o[0] = 1
if x == o: o[0] = 1
o[0] = float(x)
o[0] = math.sqrt(x)
o[0, 0] = 1.0
o[0] = x
o[0] = (1, 2)
o[0] = "a"
o[0] = None
o[0] = noted(o)
o[x[0]] = 1.0
o[n / 2] = 1.0
o[cuda.threadIdx] = 1
o[cuda.threadIdx.w] = 1
o[0] = cuda.blockDim + 1
o[0] = cuda.grid()
o[0] = cuda.grid(4)[0]
o[0] = cuda.grid(n)[0]
part = cuda.shared.array(n, float32); part[0] = 1
part = cuda.shared.array(cuda.blockDim.x, float32); part[0] = 1
part = cuda.shared.array(2 * TILE, float32); part[0] = 1
part = cuda.shared.array((TILE, TILE + 1), float32); part[0, 0] = 1
part = cuda.shared.array(len(x), float32); part[0] = 1
part = cuda.shared.array(x.shape, float32); part[0] = 1
part = cuda.shared.array(WIDE, float32); part[0] = 1
part = cuda.shared.array(HALF, float32); part[0] = 1
part = cuda.shared.array([2, 3], float32); part[0, 0] = 1
m = TILE * 2; part = cuda.shared.array(m, float32); part[0] = 1
part = cuda.shared.array(4); part[0] = 1
part = cuda.shared.zeros(4, float32); part[0] = 1
part = cuda.local.array(n, float32); part[0] = 1
cuda.atomic.mul(o, 0, 2.0)
cuda.atomic.add(o, 2.0)
cuda.syncthreads(1)
cuda.synchronize()
y = cuda.to_device(x)
"""

ONLY_A_GPU = """
cuda.cg.this_grid().sync()
v = cuda.float32x2(1.0, 2.0); o[0] = v.x
o[0] = cuda.fp16.hadd(np.float16(1), np.float16(2))
o[0] = cuda.ldca(x, 0)
o[0] = np.sum(x)
o[0] = x.sum()
o[0] = x.reshape((2, 2))[0, 0]
"""
"""What Numba takes and an emulated device does not play."""

BLOCKS = {
    "try": "try:\n        o[0] = x[n]\n    except Exception:\n        o[0] = 0",
    "try finally": "try:\n        o[0] = x[n]\n    finally:\n        o[0] = 0",
    "return in a branch": "if n > 1:\n        return o[0]\n    o[0] = 1",
    "a size set twice": "m = 8\n    if n > 3:\n        m = 16\n    a = cuda.shared.array(m, float32)\n    a[0] = 1",
}


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def made(body: str, **around: Any) -> Any:
    """A kernel with a source, as a notebook's cell makes it."""
    place = f"<cell {next(_numbers)}>"
    text = f"def k(x, o, n):\n    {body}\n"
    linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place
    names = AROUND | around
    exec(compile(text, place, "exec"), names)
    return names["k"]


def of_numba(kernel: Any) -> Exception | None:
    """Why Numba does not compile it for a GPU; None if it does."""
    signature, _ = normalize_signature("void(float32[::1], float32[::1], int64)")
    try:
        with _as_if_on((7, 5)):
            cuda.compile(kernel, signature, device=False, abi="numba", cc=(7, 5))
    except Exception as error:
        return error
    return None


def of_ours(kernel: Any) -> Exception | None:
    x, o = numpy.ones(4, numpy.float32), numpy.ones(4, numpy.float32)
    try:
        tk.cuda.trace(kernel, 1, 1, x, o, 2)
    except (TypeError, NameError, AttributeError, RuntimeError, IndexError, ValueError) as error:
        return error
    return None


def inner_names() -> set[str]:
    """What the classes of `traced` are called in the source."""
    found: set[str] = set()
    for module in Path(traced.__path__[0]).rglob("*.py"):
        found |= set(re.findall(r"^class (\w+)", module.read_text(encoding="utf-8"), re.MULTILINE))
    return found


INNER = re.compile("|".join(rf"\b{name}\b" for name in [*inner_names(), "tensorkit", r"_\w+_array"]))


@pytest.mark.parametrize("body", lines(TAKEN))
def test_what_numba_takes_is_taken(body: str) -> None:
    kernel = made(body)
    assert of_numba(kernel) is None
    assert of_ours(kernel) is None


@pytest.mark.parametrize("body", [*lines(REFUSED), *BLOCKS.values()])
def test_what_numba_refuses_is_refused_in_words_of_the_learners(body: str) -> None:
    kernel = made(body)
    assert of_numba(kernel) is not None
    refused = of_ours(kernel)
    assert refused is not None
    assert not INNER.search(str(refused)), str(refused)


@pytest.mark.parametrize("body", lines(ONLY_A_GPU))
def test_what_is_not_played_is_said(body: str) -> None:
    kernel = made(body)
    assert of_numba(kernel) is None
    refused = str(of_ours(kernel))
    assert re.search("is not known to the emulated device|the emulated device does not know", refused)
    assert not INNER.search(refused), refused


def test_the_names_that_numba_compiles() -> None:
    """Those of Python, of ``math`` and of NumPy's ufuncs, as this version of Numba has them."""
    types = import_module("numba.cuda.descriptor").cuda_target.typing_context
    types.refresh()

    def typed(value: Any) -> bool:
        try:
            types.resolve_value_type(value)
        except Exception:
            return False
        return True

    builtins = vars(import_module("builtins"))
    assert [name for name in _BUILTINS if not typed(builtins[name])] == []
    functions = {name for name, value in vars(math).items() if callable(value) and not name.startswith("_")}
    assert {name for name in functions if not typed(vars(math)[name])} == _NO_MATH & functions
    assert {ufunc.__name__ for ufunc in import_module("numba.cuda.ufuncs").ufunc_db()} == UFUNCS


def test_the_line_is_named_also_of_a_function_that_is_called() -> None:
    with pytest.raises(
        TypeError, match=r"^line 2 of k, \{1: 2\}: Numba compiles no dictionary; an array or a tuple"
    ):
        tk.cuda.trace(made("d = {1: 2}"), 1, 1, numpy.ones(4), numpy.ones(4), 2)
    line = listed.py_func.__code__.co_firstlineno + 2
    with pytest.raises(TypeError, match=rf"^line {line} of listed, \[a, a\]: Numba compiles no list"):
        tk.cuda.trace(made("o[0] = listed(n)[0]"), 1, 1, numpy.ones(4), numpy.ones(4), 2)


def test_a_refusal_comes_at_the_launch_not_later() -> None:
    with tk.cuda.emulate(), pytest.raises(TypeError, match="Numba compiles no try"):
        tk.cuda.launch(made(BLOCKS["try"]), 1, 1, tk.ones(2, device="cuda"), tk.ones(2, device="cuda"), 1)


def test_a_function_whose_source_is_not_known_runs() -> None:
    names = dict(AROUND)
    exec("def k(x, o, n):\n    d = {1: 2}\n    o[0] = d[1]", names)
    assert of_ours(names["k"]) is None


def test_a_value_that_a_call_gives_back_is_refused() -> None:
    assert "a kernel returns nothing" in str(of_ours(made("return doubled(n)")))


# ---- too much


@pytest.mark.parametrize("body", [
    "a = cuda.shared.array(12289, float32); a[0] = 1",
    "a = cuda.shared.array(8192, float32); b = cuda.shared.array((64, 128), float32); a[0] = b[0, 0]",
    "a = cuda.shared.array(8193, float32); a[0] = first_of(4); b = cuda.shared.array(4096, float32); b[0] = 1",
])  # fmt: skip
def test_too_much_shared_memory(body: str) -> None:
    refused = of_ours(made(body))
    assert isinstance(refused, RuntimeError)
    assert re.search(r"line 2 of k, .* bytes of shared memory; a block has 49,152$", str(refused))


def test_too_much_shared_memory_with_what_the_launch_says() -> None:
    kernel = made("a = cuda.shared.array(8192, float32); a[0] = 1")
    given = numpy.ones(4), numpy.ones(4), 2
    tk.cuda.trace(kernel, 1, 1, *given, sharedmem=16384)
    for many in (16385, 10**6):
        with pytest.raises(
            RuntimeError, match=rf"invalid argument\n{many + 32768:,} bytes of shared memory; a"
        ):
            tk.cuda.trace(kernel, 1, 1, *given, sharedmem=many)


@pytest.mark.parametrize("grid", [(1, 70000), (1, 1, 65536), 2**31])
def test_a_grid_that_is_too_large(grid: Any) -> None:
    with pytest.raises(
        RuntimeError,
        match=r"invalid configuration argument\na grid has at most 2147483647 x 65535",
    ):
        tk.cuda.trace(made("o[0] = 1"), grid, 1, numpy.ones(4), numpy.ones(4), 2)


@pytest.mark.parametrize("given", [[1.0, 2.0], {1: 2}, {1}])
def test_arguments_that_no_kernel_takes(given: Any) -> None:
    with pytest.raises(TypeError, match=rf"n is a {type(given).__name__}, which no kernel takes"):
        tk.cuda.trace(made("o[0] = 1"), 1, 1, numpy.ones(4), numpy.ones(4), given)
