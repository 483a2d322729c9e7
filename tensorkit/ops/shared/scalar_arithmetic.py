"""Arithmetic with a number as PyTorch's formulas of derivatives do it: the node has no edge for the number.

``x * 2`` in Python multiplies by a tensor that holds the 2, and its node has an edge for it, to nowhere; PyTorch's own
formulas call the form for numbers. The values are the same: these are for graphs of derivatives, and for nothing else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.recording import differentiable
from tensorkit.tensor import Tensor


def _by_number(name: str, body: Callable[[Any, Any], Any], formula: Callable[[Any, Any], Any]) -> Any:
    def applied(input: Tensor, other: Any) -> Any:
        return body(input, other)

    rule = Rule(f"{name.capitalize()}Backward1", input=formula)
    recorded = differentiable(applied, rule, name, "pointwise")
    return lambda input, other: recorded(input, other) if state.grad else body(input, other)


def _conjugated(number: Any) -> Any:
    return number.conjugate() if isinstance(number, complex) else number


#: ``input + other``
plus: Any = _by_number("add", operator.add, lambda g, c: g)
#: ``input - other``
minus: Any = _by_number("sub", operator.sub, lambda g, c: g)
#: ``input * other``
times: Any = _by_number("mul", operator.mul, lambda g, c: times(g, _conjugated(c.other)))
#: ``input / other``
over: Any = _by_number("div", operator.truediv, lambda g, c: over(g, _conjugated(c.other)))


def scaled(input: Any, factor: Any) -> Any:
    """A product with a tensor, or with a number."""
    return input * factor if isinstance(factor, Tensor) else times(input, factor)


def less_from(number: Any, input: Any) -> Any:
    """``number - input``, of which PyTorch makes a tensor first."""
    return input.new_full((), number) - input
