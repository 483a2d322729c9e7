"""The body that ``??`` shows of a pointwise operation is true: element by element it gives what the operation gives."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, registry

POINTWISE = [
    op
    for op in registry.values()
    if "block" in op.extra and isinstance(inspect.unwrap(op.function), FunctionType)  # no row of a factory
]
_PLAIN = ((0.25, 0.5), (0.75, 0.5), (0.5, 0.25), (0.0, 0.75), (0.5, 0.5))
#: Operands for what takes no floating point numbers, or other ones.
_DRAWN: dict[str, tuple[tuple[Any, ...], ...]] = {
    "acosh": ((1.0,), (1.5,), (2.25,)),
    "gcd": ((12, 18), (7, 0), (-4, 6)),
    "lcm": ((12, 18), (7, 3), (-4, 6)),
    "special_zeta": ((2.5, 0.5), (3.0, 1.25)),
}
_SIGNED = ((-0.25, 0.5), (-1.5, -0.5), (2.75, -1.5))
#: Of these the body holds for numbers above 0, or from 0 on, only.
_POSITIVE = ("acosh", "igamma", "log", "lgamma", "digamma", "reciprocal", "sqrt", "zeta")


def _body(op: Op) -> Callable[..., Any]:
    function: Any = op.function
    return inspect.unwrap(function)


def _operands(op: Op) -> tuple[tuple[Any, ...], ...]:
    count = 2 if op.extra["second"] else 1
    drawn = ((12, 1), (-3, 2), (10, 0)) if op.name.startswith("bitwise_") else _DRAWN.get(op.name)
    if drawn is None:
        drawn = _PLAIN if any(word in op.name for word in (*_POSITIVE, "pow", "entr")) else _PLAIN + _SIGNED
    return tuple(operands[:count] for operands in drawn)


def _defined(body: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """What the body gives of Python's numbers; it may call a function of arrays."""
    with numpy.errstate(all="ignore"):
        try:
            return complex(body(*operands))
        except (AttributeError, TypeError):
            return complex(body(*(numpy.array([one]) for one in operands))[0])
        except (ArithmeticError, ValueError):
            return None  # Python refuses: a division by 0


def test_nearly_all_have_a_body() -> None:
    assert len(POINTWISE) > 90


@pytest.mark.parametrize("op", POINTWISE, ids=lambda op: op.name)
def test_a_body_says_what_the_operation_does(op: Op) -> None:
    body, seen = _body(op), 0
    assert "/ops/" in body.__code__.co_filename
    for operands in _operands(op):
        told = _defined(body, operands)
        if told is None or not math.isfinite(told.real):
            continue
        kind = tk.int64 if isinstance(operands[0], int) else tk.float64
        given = complex(op.function(*(tk.tensor([one], dtype=kind) for one in operands)).item())  # type: ignore[misc]
        assert told == pytest.approx(given, rel=1e-6, abs=1e-12), operands
        seen += 1
    assert seen > 1
