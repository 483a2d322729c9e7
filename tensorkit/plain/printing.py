"""A tensor as text: nested brackets, all numbers as wide as the widest.

>>> plain.tensor([[1.0, 2.5], [10.0, 4.0]])
tensor([[ 1.0000,  2.5000],
        [10.0000,  4.0000]])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorkit.plain.tensors import OF_NUMBER, Tensor, offered


def _writer(numbers: list[Any]) -> Callable[[Any], str]:
    """How each number is written: floating point numbers with four decimals, unless all are whole."""
    if not any(isinstance(number, float) for number in numbers):
        return str
    finite = [abs(number) for number in numbers if math.isfinite(number)]
    sizes = [number for number in finite if number]
    whole = all(number == int(number) for number in finite)
    largest, smallest = max(sizes, default=1.0), min(sizes, default=1.0)
    if largest / smallest > 1000 or largest > 1e8 or (smallest < 1e-4 and not whole):
        return lambda number: f"{number:.4e}"
    return lambda number: f"{number:.0f}." if whole and math.isfinite(number) else f"{number:.4f}"


@offered("__repr__", function=False)
def text(input: Tensor) -> str:
    numbers = list(input.values())
    write = _writer(numbers)
    floats = input.dtype.is_floating_point
    counted = [number for number in numbers if number and math.isfinite(number)] if floats else numbers
    width = max((len(write(number)) for number in counted), default=0) if input.dim() else 0
    more = "" if input.dtype in OF_NUMBER.values() and numbers else f", dtype={input.dtype}"
    if not numbers:
        usual = input.dtype.name == "float32"
        more = (f", size={tuple(input.shape)}" if input.dim() != 1 else "") + ("" if usual else more)
    if input.node is not None:
        more += f", grad_fn={input.node}"
    elif input.requires_grad:
        more += ", requires_grad=True"
    return f"tensor({_nested(input.tolist() if numbers else [], lambda number: write(number).rjust(width), 7)}{more})"


def _nested(part: Any, write: Callable[[Any], str], indent: int) -> str:
    if not isinstance(part, list):
        return write(part)
    if not part or not isinstance(part[0], list):
        return "[" + ", ".join(write(number) for number in part) + "]"
    gap = ",\n" + "\n" * (_depth(part) - 2) + " " * (indent + 1)
    return "[" + gap.join(_nested(one, write, indent + 1) for one in part) + "]"


def _depth(part: Any) -> int:
    return 1 + _depth(part[0]) if isinstance(part, list) and part else int(isinstance(part, list))
