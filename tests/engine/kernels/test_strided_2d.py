"""The compiled loops over matrices whose rows lie apart: NumPy's numbers, wherever and however the elements lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.cpu import strided_2d
from tensorkit.kernels.jit import compiler
from tests.engine.kernels.test_medium_sizes import LAYOUTS as OF_TENSORS
from tests.engine.kernels.test_medium_sizes import agree

Array = np.ndarray[Any, Any]

#: Those that are not known by a function of NumPy's, with the same in its own functions, and their numbers.
OTHERS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "relu": (lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)), ()),
    "sign": (lambda x: np.where(x > 0, 1, np.where(x < 0, -1, 0)), ()),
    "rsqrt": (lambda x: 1 / np.sqrt(x), ()),
    "clip": (np.clip, (-0.5, 0.75)),
    "add_scaled": (lambda a, b, f: a + b * f, (0.5,)),
    "nan_to_num": (lambda x, *n: np.nan_to_num(x, nan=n[0], posinf=n[1], neginf=n[2]), (0.5, 7.0, -8.0)),
    "mix": (lambda a, b, w, far: a + w * (b - a), (0.25, 0.0)),
    "add_product": (lambda a, b, c, f: a + f * b * c, (-2.0,)),
    "choose": (np.where, ()),
}
#: Of which NumPy gives a zero another sign, here or on another machine.
UNSIGNED = ("maximum", "minimum", "relu", "sign", "add_scaled", "mix", "add_product")
KNOWN = {
    ufunc.__name__: (loop, ufunc, ()) for ufunc, loop in strided_2d.APART.items() if type(ufunc) is np.ufunc
}
ALL = KNOWN | {name: (getattr(strided_2d, name), *told) for name, told in OTHERS.items()}
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "row-major": lambda x: x,
    "transposed": lambda x: x.T,
    "rows apart": lambda x: x[::2, 1:],
    "columns apart": lambda x: x[:, ::3],
    "backwards": lambda x: x[::-1, ::-1],
    "repeated": lambda x: np.lib.stride_tricks.as_strided(x, x.shape, (x.strides[0], 0)),
    "one row": lambda x: x[3:4],
    "one column": lambda x: x[:, 4:5],
    "nothing": lambda x: x[:0],
}


def _drawn(number: int, kind: str) -> Array:
    made = np.random.default_rng(number).standard_normal((12, 18)) * 3
    made[0, :6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30
    with np.errstate(invalid="ignore"):
        return made.astype(kind)


def _operands(loop: strided_2d.Plane, kind: str, *lay: Callable[[Array], Array]) -> list[Array]:
    made = [lay[n % len(lay)](_drawn(n + 1, kind)) for n in range(loop.inputs)]
    return [made[0] > 0, *made[1:]] if loop.masked else made


def _agrees(name: str, kind: str, operands: list[Array]) -> None:
    loop, function, numbers = ALL[name]
    with compiler.at_once(), np.errstate(all="ignore"):
        expected = np.asarray(function(*operands, *(np.array(n, kind) for n in numbers)))
        out = np.full(expected.shape, 7, loop.result or kind)
        held = [loop.held(*numbers)[kind]] if loop.numbered else []
        assert loop.into(out, *operands, *held)
    close = {"f": 4e-7, "d": 1e-15, "l": 0}[kind] if out.dtype.char == kind else 0
    np.testing.assert_allclose(out, expected, rtol=close, atol=4 * close, equal_nan=True)
    if name not in UNSIGNED:
        zeros = (out == 0) & (expected == 0)
        np.testing.assert_array_equal(np.signbit(out[zeros]), np.signbit(expected[zeros]))


def test_every_loop_is_known_here() -> None:
    made = {id(one) for one in vars(strided_2d).values() if isinstance(one, strided_2d.Plane)}
    assert made == {id(loop) for loop, *_ in ALL.values()}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ALL)
def test_each_is_what_numpy_makes_of_it(name: str, layout: str) -> None:
    for kind in ALL[name][0].signatures:
        _agrees(name, kind, _operands(ALL[name][0], kind, LAYOUTS[layout]))


@pytest.mark.parametrize("name", [name for name, (loop, *_) in ALL.items() if loop.inputs > 1])
def test_operands_lie_each_in_its_own_way_and_broadcast(name: str) -> None:
    ways = [
        (lambda x: x[:, :1], lambda x: x[:1]),
        (lambda x: x[:1], lambda x: x[:, :1]),
        (lambda x: x[:, :1], lambda x: x),
        (lambda x: x[:1, :1], lambda x: x[::-1]),
        (lambda x: x[:9, :9], lambda x: x[:9, :9].T),
        (lambda x: x[::3, ::2], lambda x: x[:4, 9:]),
    ]
    for kind in ALL[name][0].signatures:
        for lay in ways:
            _agrees(name, kind, _operands(ALL[name][0], kind, *lay))


@pytest.mark.parametrize("name", [name for name, (loop, *_) in ALL.items() if not loop.result])
def test_a_result_may_take_the_place_of_an_operand(name: str) -> None:
    loop, _, numbers = ALL[name]
    for kind in loop.signatures:
        operands = _operands(loop, kind, LAYOUTS["rows apart"])
        held = [loop.held(*numbers)[kind]] if loop.numbered else []
        taken = operands[loop.masked]
        with compiler.at_once():
            apart = np.empty_like(taken)
            assert loop.into(apart, *operands, *held)
            assert loop.into(taken, *operands, *held)
        np.testing.assert_array_equal(taken, apart)


def test_memory_that_is_only_read_is_left_to_numpy() -> None:
    x = _drawn(1, "f")[::2]
    x.flags.writeable = False
    with compiler.at_once():
        assert not strided_2d.relu.into(np.empty_like(x), x)
        t = tensorkit.from_numpy(_drawn(1, "f"))[::2]
        t._nd().flags.writeable = False
        np.testing.assert_array_equal(t.relu().numpy(), np.where(x < 0, np.float32(0), x))


CALLS = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a < b",
    "a > b",
    "a == b",
    "tk.maximum(a, b)",
    "tk.minimum(a, b)",
    "a.add_(b)",
    "a.div_(b)",
    "tk.add(a, b, out=tk.zeros(30, 20))",
    "tk.lt(a, b, out=tk.zeros(30, 20, dtype=tk.bool))",
    "tk.add(a, b, alpha=0.5)",
    "tk.sub(a, b, alpha=2)",
    "tk.addcmul(a, b, a, value=0.5)",
    "tk.addcmul(a, b, b)",
    "a.addcmul(b, a)",
    "tk.lerp(a, b, 0.3)",
    "tk.lerp(a, b, 0.8)",
    "tk.where(a > 0, a, b)",
    "tk.where(a > b, a, 0.5)",
    "a ** 2",
    "a.double() ** 2.0",
    "a ** 3",
    "tk.where((a > 0)[:, :1], a[:1], b)",
    "a.clamp(-0.5, 0.5)",
    "a.clamp(0.5, -0.5)",
    "a.clamp(max=1)",
    "a.nan_to_num()",
    "(a / 0).nan_to_num()",
    "a.t().nan_to_num()",
    "(a[3] / 0).nan_to_num()",
    "(a.double() / 0).nan_to_num()",
    "a[:, ::3].double().nan_to_num()",
    "a.expand(2, 30, 20).nan_to_num()",
    "a.flip(0)",
    "a.flip(-1)",
    "a.t().flip(0)",
    "a.expand(2, 30, 20).flip(1)",
    "-a",
    "a.abs()",
    "a.floor()",
    "a.ceil()",
    "a.trunc()",
    "a.round()",
    "a.sqrt()",
    "a.square()",
    "a.isnan()",
    "a.relu()",
    "a.sign()",
    "a.abs().rsqrt()",
    "a[:, :1] + b[:1]",
    "a[:1] * b[:, :1]",
    "a[:, :1] - b",
    "a[:1, :1] + b[:, :1]",
    "a[:7] + b[:6]",
    "(9 * a).long()[:, :1] * (9 * b).long()[:1]",
    "(9 * a).long()[::2, 1:] + (9 * b).long()[::2, 1:]",
    "a.double()[::2, 1:] < b.double()[::2, 1:]",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_tensors_of_rows_apart_are_pytorchs(call: str) -> None:
    with compiler.at_once():
        for layout in (
            "rows apart",
            "every second",
            "row-major",
            "columns of a transposed one",
            "transposed",
        ):
            assert layout in OF_TENSORS
            for special in (False, True):
                if not (special and "long" in call):
                    agree(call, layout, layout, special)
