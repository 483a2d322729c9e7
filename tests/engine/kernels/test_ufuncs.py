"""The functions that Numba compiles to NumPy ufuncs: the same numbers wherever and however the elements lie."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tensorkit.kernels.cpu import ufuncs
from tensorkit.kernels.jit import compiler

Array = np.ndarray[Any, Any]
TOLERANCE = {"f": 4e-7, "d": 1e-15, "l": 0.0}

#: Each with the same in NumPy's own functions, and its operands beside the first.
KNOWN: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x.astype("d"))), ()),
    "erf": (np.vectorize(math.erf, otypes=["d"]), ()),
    "rsqrt": (lambda x: 1 / np.sqrt(x), ()),
    "sign": (lambda x: np.where(x > 0, 1, np.where(x < 0, -1, 0)), ()),
    "relu": (lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)), ()),
    "clip": (np.clip, (-0.5, 0.75)),
    "nan_to_num": (lambda x, *n: np.nan_to_num(x, nan=n[0], posinf=n[1], neginf=n[2]), (0.5, 7.0, -8.0)),
    "choose": (lambda m, a, b: np.where(m, a, b), ("b", "c")),
    "add_scaled": (lambda a, b, f: a + b * f, ("b", 0.5)),
    "mix": (lambda a, b, w: a + w * (b - a), ("b", 0.7)),
    "add_product": (lambda a, b, c, f: a + f * b * c, ("b", "c", -2.0)),
}
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "one row": lambda x: x.reshape(-1),
    "row-major": lambda x: x,
    "transposed": lambda x: x.T,
    "rows apart": lambda x: x[::2],
    "columns apart": lambda x: x[:, ::3],
    "backwards": lambda x: x[::-1, ::-1],
    "repeated": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "nothing": lambda x: x[:0],
    "a number": lambda x: x[3, 4],
    "in two pieces of memory": lambda x: np.frombuffer(b"-" + x.tobytes(), x.dtype, x.size, 1),
}


def _drawn(number: int, kind: str) -> Array:
    made = np.random.default_rng(number).standard_normal((12, 18)) * 3
    made[0, :6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30
    with np.errstate(invalid="ignore"):
        return made.astype(kind)


def _operands(name: str, kind: str, lay: Callable[[Array], Array]) -> list[Any]:
    numbers = {"b": 2, "c": 3}
    rest = [
        lay(_drawn(numbers[o], kind)) if isinstance(o, str) else np.array(o, kind) for o in KNOWN[name][1]
    ]
    first = _drawn(1, kind)
    return [lay(first > 0 if getattr(ufuncs, name).masked else first), *rest]


def _found(name: str) -> Any:
    with compiler.at_once():
        return getattr(ufuncs, name).compiled()


def test_every_one_of_them_is_known_here() -> None:
    assert set(KNOWN) == {n for n, one in vars(ufuncs).items() if isinstance(one, ufuncs.Ufunc)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", KNOWN)
def test_each_is_what_numpy_makes_of_it(name: str, layout: str) -> None:
    run = _found(name)
    assert type(run) is np.ufunc
    for kind in getattr(ufuncs, name).signatures:
        operands = _operands(name, kind, LAYOUTS[layout])
        with np.errstate(all="ignore"):
            found, expected = run(*operands), KNOWN[name][0](*operands)
        assert found.dtype.char == kind
        close = TOLERANCE[kind]
        np.testing.assert_allclose(found, expected, rtol=close, atol=4 * close, equal_nan=True)


@pytest.mark.parametrize("name", [name for name, (_, rest) in KNOWN.items() if "b" in rest])
def test_each_operand_may_lie_in_its_own_way(name: str) -> None:
    run = _found(name)
    # In one dimension: of several, NumPy lays aside what would make short rows.
    steps = (slice(None, 40), slice(None, 80, 2), slice(40, 0, -1), slice(None, 120, 3))
    for kind in "fd":
        for turn in range(4):
            made = _operands(name, kind, lambda x: np.abs(x[1:].reshape(-1)))
            lying = [o[steps[(turn + place) % 4]] if o.ndim else o for place, o in enumerate(made)]
            found, expected = run(*lying), KNOWN[name][0](*lying)
            np.testing.assert_allclose(found, expected, rtol=TOLERANCE[kind], atol=4 * TOLERANCE[kind])
    numbers = [o if o.ndim else np.full(198, o) for o in made]  # a number for each element
    np.testing.assert_allclose(run(*numbers), KNOWN[name][0](*made), rtol=1e-15, atol=4e-15)


@pytest.mark.parametrize("name", KNOWN)
def test_a_result_may_take_the_place_of_an_operand(name: str) -> None:
    run = _found(name)
    for kind in getattr(ufuncs, name).signatures:
        operands = _operands(name, kind, LAYOUTS["row-major"])
        taken = operands[getattr(ufuncs, name).masked]
        with np.errstate(all="ignore"):
            expected = run(*operands)
            run(*operands, out=taken)
        np.testing.assert_array_equal(taken, expected)


def test_numbers_may_differ_from_element_to_element() -> None:
    low, high = _drawn(4, "f") - 2, _drawn(5, "f") + 2
    low[0], high[0] = 0, 1
    x = _drawn(1, "f")
    with np.errstate(all="ignore"):
        found, expected = _found("clip")(x, low, high), np.minimum(np.maximum(x, low), high)
    np.testing.assert_array_equal(found, expected)


def test_several_threads_use_one_at_once() -> None:
    run, x = _found("sigmoid"), _drawn(2, "f")[1:]
    expected = run(x)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: run(x), range(200)):
            np.testing.assert_array_equal(found, expected)
