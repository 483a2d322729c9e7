"""Kernels whose numbers used to be those of NumPy, and not Numba's: each with what Numba makes of it."""

from __future__ import annotations

import dis
import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.kernels.cuda import code_cache
from tensorkit.kernels.cuda.traced import proxies
from tests.cuda.arithmetic.lines import defined
from tests.cuda.learners import cuda

Run = Callable[..., Any]
TABLE: tuple[tuple[str, list[Any], str, str, list[Any]], ...] = (
    ("(a[i] + a[i + 1]) // 2", [200, 100], "uint8", "int64", [150]),
    ("(a[i] + a[i + 1] + a[i + 2]) // 3", [200, 200, 200], "uint8", "int64", [200]),
    ("a[i] * a[i]", [100000], "int32", "int64", [10000000000]),
    ("a[i] << 4", [200], "uint8", "int64", [3200]),
    ("a[i] * 10 // 256", [200], "uint8", "int64", [7]),
    ("(a[i] * 16) >> 8", [200], "uint8", "int64", [12]),
    ("a[i] + 2**40", [1], "int32", "int64", [2**40 + 1]),
    ("a[i] * 300", [100], "int8", "int64", [30000]),
    ("(a[i] > 0) + (a[i] > 100)", [2**31 - 1], "int32", "int64", [2]),
    ("5 / i", [0], "int32", "float64", [math.inf]),
    ("5 // i + 5 % i", [0], "int32", "int64", [0]),
    ("-a[i]", [3], "uint8", "int64", [253]),
    ("~a[i]", [3], "int8", "int64", [-4]),
    ("a[i] / 2", [16777217], "int32", "float64", [8388608.5]),
    ("a[i] == 0.1", [0.1], "float32", "int64", [0]),
    ("a[i] if i < 0 else 0.1", [0.1], "float32", "float64", [0.1]),
    ("math.sqrt(a[i])", [2], "uint8", "float64", [math.sqrt(2)]),
    ("numpy.uint8(a[i])", [300], "int32", "int64", [44]),
)
BODIES: tuple[tuple[str, list[Any], str, str, float], ...] = (
    (
        "s = 0\nfor k in range(100000 // 50):\n    s += a[0]",
        [0.1],
        "float32",
        "float64",
        float(numpy.float32(0.1)) * 2000,
    ),
    ("s = 0.0\nfor k in range(3):\n    s += a[k]", [1e8, 1, -1e8], "float32", "float64", 1.0),
    ("s = 1\nfor k in range(70):\n    s *= 2", [0], "int32", "int64", 0),
    ("s = 1\nfor k in range(1, 26):\n    s *= k", [0], "int32", "int64", 7034535277573963776),
    ("s, b = 0, 1\nfor k in range(100):\n    s, b = b, s + b", [0], "int32", "int64", 3736710778780434371),
    (
        "s = a[0]\nif s < 0:\n    s = 0.0\ns = s * s",
        [0.1],
        "float32",
        "float64",
        float(numpy.float32(0.1)) ** 2,
    ),
    ("s = a[0]\ns += 100", [200], "uint8", "int64", 300),
)


@pytest.fixture(params=["launch", "trace"])
def run(request: pytest.FixtureRequest) -> Run:
    """Both ways to run a kernel."""
    if request.param == "trace":
        return tk.cuda.trace

    def launch(*given: Any) -> None:
        with tk.cuda.emulate():
            tk.cuda.launch(*given)

    return launch


def made(body: str, *, source: bool) -> Any:
    """A kernel with this body, whose source is known or not."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"def kernel(a, out):\n    i = cuda.grid(1)\n{lines}"
    if source:
        kernel = defined(text, "kernel")
        kernel.__globals__["cuda"] = cuda
        return kernel
    scope = {"cuda": cuda, "math": math, "numpy": numpy}
    exec(text, scope)
    return scope["kernel"]


@pytest.mark.parametrize("source", [True, False], ids=["source", "no source"])
@pytest.mark.parametrize(("line", "a", "kind", "into", "wanted"), TABLE, ids=[row[0] for row in TABLE])
def test_a_line(
    run: Run, line: str, a: list[Any], kind: str, into: str, wanted: list[Any], source: bool
) -> None:
    if not source and " if " in line:
        pytest.skip("which kind the other way has is read from the source")
    out = numpy.zeros(1, into)
    run(made(f"out[i] = {line}", source=source), 1, 1, numpy.array(a, kind), out)
    assert out.tolist() == wanted


@pytest.mark.parametrize(("body", "a", "kind", "into", "wanted"), BODIES)
def test_a_variable(run: Run, body: str, a: list[Any], kind: str, into: str, wanted: float) -> None:
    out = numpy.zeros(1, into)
    run(made(f"{body}\nout[i] = s", source=True), 1, 1, numpy.array(a, kind), out)
    assert out[0] == pytest.approx(wanted, rel=1e-12)


def test_a_function_of_several_kinds_has_one_for_each(run: Run) -> None:
    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def clipped(x: Any) -> Any:
        if x < 0:
            return 0.0
        return x

    def kernel(small: Any, whole: Any, out: Any) -> None:
        i = cuda.grid(1)
        out[0, i] = clipped(small[i]) * small[i]
        out[1, i] = clipped(whole[i]) / 2

    out = numpy.zeros((2, 2))
    run(kernel, 1, 2, numpy.array([0.1, -1], numpy.float32), numpy.array([3, -4]), out)
    assert out.tolist() == [[float(numpy.float32(0.1)) ** 2, 0], [1.5, 0]]


def test_an_index_and_its_array_are_looked_at_once(run: Run) -> None:
    def kernel(a: Any, asked: Any) -> None:
        a[cuda.atomic.add(asked, 0, 1)] += 5
        a[1 if 0 <= asked[0] < 2 else 0] *= 2

    a, asked = numpy.array([1, 1], numpy.uint8), numpy.zeros(1, numpy.int32)
    run(kernel, 1, 1, a, asked)
    assert (a.tolist(), asked.tolist()) == ([6, 2], [1])


def test_an_atomic_update_is_one_of_the_arrays_kind(run: Run) -> None:
    def kernel(x: Any) -> None:
        cuda.atomic.add(x, 0, 2**32 + 5)

    x = numpy.array([2**31 - 1], numpy.int32)
    run(kernel, 1, 1, x)
    assert x.tolist() == [-(2**31) + 4]


def test_a_narrow_number_is_a_right_index(run: Run) -> None:
    def kernel(a: Any, where: Any, out: Any) -> None:
        out[0] = a[where[0]]

    out = numpy.zeros(1)
    run(kernel, 1, 1, numpy.arange(600.0)[::2], numpy.array([200], numpy.uint8), out)
    assert out[0] == 400


def test_a_number_that_a_later_python_loads_in_a_new_way_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no source is known of is typed instruction by instruction; one that nobody knows may hold a number."""
    scope: dict[str, Any] = {}
    exec("def kernel(o):\n    o[0] = 7", scope)
    steps = list(dis.get_instructions(scope["kernel"]))
    steps.append(steps[0]._replace(opname="LOAD_BRAND_NEW"))
    monkeypatch.setattr(proxies.dis, "get_instructions", lambda code: steps)
    with pytest.raises(RuntimeError, match="write the kernel in a file"):
        proxies.wrapped(scope["kernel"])


def test_a_name_that_a_later_python_looks_up_in_a_new_way_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel's fingerprint depends on all that it may name."""
    scope: dict[str, Any] = {}
    exec("def kernel(o):\n    o.size[0] = half", scope)
    code = scope["kernel"].__code__
    assert code_cache.names_in(code) == {"half"}
    steps = [
        one._replace(opname=one.opname.replace("LOAD_GLOBAL", "LOAD_BRAND_NEW"))
        for one in dis.get_instructions(code)
    ]
    monkeypatch.setattr(code_cache, "get_instructions", lambda code: steps)
    assert code_cache.names_in(code) == {"half"}
    monkeypatch.setattr(code_cache, "get_instructions", lambda code: [])
    assert code_cache.names_in(code) == {"half", "size"}
