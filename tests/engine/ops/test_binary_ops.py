"""Two operands: what else may stand beside a tensor, the forms that used to be, and results that lie in an operand."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit.tracing import OpEvent, record
from tests.parity.compare import Operand, compare
from tests.torch_oracle import require_torch

OPERANDS = {
    "a": Operand((2,), "float32", seed=1),
    "i": Operand((2,), "int64", seed=3),
    "b": Operand((2,), "bool", seed=2),
    "u": Operand((2,), "uint8", seed=2),
}

NUMPY = """
np.float64(2) * i; i * np.float32(2); i + np.int8(1); np.float64(2) - a; np.int64(3) // i; np.float64(2) ** a
np.int64(7) % i; i & np.int64(3); np.int64(3) & i; i << np.int64(1); i + np.bool_(True); i == np.int64(5)
i == np.array([1, 2]); i == np.array([1, 2, 3]); i == np.array(['x', 'y']); i.__eq__(np.array([1, 2])[::-1])
i != np.array([1, 2]); i < np.array([1, 2]); np.array([1, 2]) < i; np.array([1, 2]) + i; np.array([1, 2]) & i
tk.add(i, np.array([1, 2])); tk.add(i, np.int64(3)); tk.eq(i, np.array([1, 2])); i.add(np.array(3))
a.add_(np.float64(3)); i.add_(np.float64(3)); tk.maximum(a, np.array([1, 2])); tk.pow(np.float64(2), a)
"""

FOREIGN = """
a + None; a + 'x'; a + [1, 2]; [1, 2] + a; (1,) + a; a * [2]; a == None; a != None; a == 'x'; a == [1, 2]; None == a
a < None; a < [1]; a >= 'x'; i & 'x'; 'x' & i; i << 'x'; i // None; i % 'x'; i ** 'x'; 'x' % i; 'x' ** i; 'x' // i
pow(i, 2, 3); divmod(i, 2); i.__and__([1]); i.__rand__(i); i.__rlshift__('x'); a.__iadd__('x'); a.__rpow__('x')
a.__ipow__('x'); a.__imod__('x'); a.__ifloordiv__('x'); a.__rtruediv__('x'); a.__eq__('x'); i.__iand__('x')
"""

FORMS = """
tk.add(1, 2); tk.sub(1, 2); tk.mul(2, 3.0); tk.div(1, 2); tk.floor_divide(7, 2); tk.pow(2, 3); tk.remainder(7, 8)
tk.add(a, 2, i); tk.sub(a, 2, i); a.add(2, i); a.add_(2, i); a.sub_(2, i); tk.add(a, 2, i, out=tk.empty(0))
tk.add(x1=a, x2=i); tk.add(a, other=2, alpha=3); tk.add(i, i, alpha=2.5); tk.add(a, a, alpha='x'); tk.mul(a, a, a)
a.mul(a, out=a); a.pow(2, out=a); a.eq(a, out=b); a.fmod(2, out=a); tk.eq(1, a); tk.ne(a); tk.gt(a, i, i); a.lt()
tk.lt(input=a, other=i); tk.lt(a, 2, out=b); tk.lt(a, 2, out=tk.empty(0)); a.eq_(i); a.not_equal_(2); a.less_(2)
a.less_equal_(1); a.greater_(0); a.greater_equal_(0); i.eq_(2.5); tk.not_equal(a, 2); tk.less_equal(a, i)
a.__div__(2); a.__rdiv__(2); a.__idiv__(2); i.__idiv__(2); a.__rsub__(2); 1 << i; 256 >> i; i >> 1.5; i.__irshift__(1)
b.__ior__(i); i.__ior__(b); i.__iand__(1.5); a.__ilshift__(1); tk.clamp_(a, 0, 1); tk.gcd_(i, i); tk.xlogy_(a, a)
tk.where(b); tk.where(b, a, i); a.where(b, i); tk.where(b, a); tk.where(); a.where(); tk.is_nonzero(2)
"""

POWERS = """
tk.pow(2, a); tk.pow(2.5, i); tk.pow(i, 2.5); tk.pow(i, -1); a.pow(i); i.pow(a); i.pow(i); i.pow(-i); u.pow(-1)
u.pow(2); b.pow(2); b.pow(b); tk.pow(True, i); tk.pow(2, b); a.pow(True); a ** -1; a ** 0.5; a ** 3; i ** 0; 2 ** i
i.__ipow__(2.5); i.__ipow__(-1); a.__ipow__(2); a.pow_(i); i.pow_(a); tk.pow(i, 1j); tk.pow(a, 1j)
"""


def _calls(text: str) -> list[str]:
    return [call.strip() for line in text.strip().splitlines() for call in line.split(";")]


@pytest.mark.parity
@pytest.mark.parametrize("call", [*_calls(NUMPY), *_calls(FOREIGN), *_calls(FORMS), *_calls(POWERS)])
def test_an_operand_of_another_kind_is_treated_as_in_pytorch(call: str) -> None:
    torch = require_torch()
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        found = compare(torch, call.replace("np.", "__import__('numpy')."), OPERANDS, tolerance=1)
    finally:
        torch.set_warn_always(before)
    assert found is None, found.text


@pytest.mark.parametrize("place", ["condition", "input", "other"])
def test_a_choice_may_be_written_into_an_operand(place: str) -> None:
    given: dict[str, Any] = {
        "condition": tk.tensor([True, False, True]),
        "input": tk.tensor([False, False, False]),
        "other": tk.tensor([True, True, False]),
    }
    expected = tk.where(**given).tolist()
    assert tk.where(**given, out=given[place]) is given[place]
    assert given[place].tolist() == expected == [False, True, False]


def test_a_choice_lets_no_nan_of_the_other_side_through() -> None:
    x = tk.tensor([0.0, 4.0], requires_grad=True)
    chosen: Any = tk.where(x > 0, x.sqrt(), 1.0)
    chosen.sum().backward()
    assert chosen.tolist() == [1.0, 2.0]
    (again,) = tk.autograd.grad(tk.where(x > 0, x * x, 0).sum(), x)
    assert again.tolist() == [0.0, 8.0]


def test_all_spellings_are_told_to_listeners_once() -> None:
    a, i = tk.tensor([1.5, -2.0]), tk.tensor([5, 6])
    with record() as events:
        _ = i & 3, 1 << i, tk.where(a > 0, a, 0), a.clamp(0, 1), tk.lerp(a, a, 0.5)
    told = [event.name for event in events if isinstance(event, OpEvent) and event.depth == 0]
    assert told == ["bitwise_and", "bitwise_left_shift", "gt", "where", "clamp", "lerp"]


ROWS = {"a": Operand((2, 3), "float32", "expanded"), "b": Operand((2, 3), "float16", "transposed")}


@pytest.mark.parity
@pytest.mark.parametrize(
    "call", ["tk.ldexp(a, b)", "tk.ldexp(a, b.float())", "tk.ldexp(a.double(), b)", "tk.ldexp(b, a)"]
)
def test_a_power_of_two_lies_in_memory_as_pytorchs(call: str) -> None:
    difference = compare(require_torch(), call, ROWS)
    assert difference is None, difference.text if difference else ""


@pytest.mark.parity
@pytest.mark.parametrize("kind", ["uint8", "int16"])
@pytest.mark.parametrize("layout", ["expanded", "transposed", "plain"])
def test_members_are_looked_for_in_a_copy_where_the_dtypes_differ(kind: str, layout: str) -> None:
    operands = {"a": Operand((2, 3), "int16", "expanded"), "b": Operand((2, 3), kind, layout)}
    difference = compare(require_torch(), "tk.isin(a, b, invert=True)", operands)
    assert difference is None, difference.text if difference else ""


@pytest.mark.parametrize(("own", "other"), [((), (1,)), ((1,), (1, 1)), ((3,), (1, 3)), ((1, 3), (2, 3))])
def test_what_is_written_in_place_keeps_its_dimensions(own: tuple[int, ...], other: tuple[int, ...]) -> None:
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        tk.ones(own).sub_(tk.ones(other))
