"""What workers do with the parts that they have. Each function is sent to them by its name.

A chain of operations is one task: a program, whose steps name an operation and what it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorkit.dispatch.registry import registry
from tensorkit.distributed.tensor.layout import Box
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.pointwise.comparison import maximum, minimum
from tensorkit.tensor import Tensor


class Given(NamedTuple):
    """In a program: the tensor with this number that the task is given."""

    number: int


class Made(NamedTuple):
    """In a program: what the step with this number made."""

    number: int


class Step(NamedTuple):
    """An operation by its name, and its arguments, in which `Given` and `Made` stand for tensors."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def within(value: Any, change: Any) -> Any:
    """A value with each part of its lists and tuples changed."""
    if isinstance(value, (Given, Made)):
        return change(value)
    if isinstance(value, (list, tuple)):
        parts = [within(one, change) for one in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {key: within(one, change) for key, one in value.items()}
    return change(value)


def operate(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the method of tensors of this name, or else the function; of several results, ``"max#1"`` is the second."""
    name, _, number = name.partition("#")
    # The method `where` has its arguments in another order.
    method = name != "where" and args and isinstance(args[0], Tensor) and hasattr(Tensor, name)
    function: Any = getattr(Tensor, name) if method else registry[name].function
    found = function(*args, **kwargs)
    return found[int(number)] if number else found


def compute(program: Sequence[Step], *given: Tensor) -> Tensor:
    """Carry out a program; what its last step makes."""
    made: list[Any] = []

    def real(value: Any) -> Any:
        if isinstance(value, Given):
            return given[value.number]
        return made[value.number] if isinstance(value, Made) else value

    for step in program:
        made.append(operate(step.name, within(step.args, real), within(step.kwargs, real)))
    return made[-1]  # type: ignore[no-any-return]


def source(tensor: Tensor) -> Tensor:
    """A tensor that came with the task: so that it can be had again when its worker dies."""
    return tensor


def cut(tensor: Tensor, box: Box) -> Tensor:
    """A piece of a part, in memory of its own."""
    return tensor[tuple(slice(begin, end) for begin, end in box)].clone()


_FOLDED: dict[str, Any] = {
    "sum": lambda a, b: a + b,
    "avg": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "max": maximum,
    "min": minimum,
}


def assemble(
    size: tuple[int, ...], dtype: Any, reduce_op: str | None, boxes: Sequence[Box], *pieces: Tensor
) -> Tensor:
    """A part, of the pieces that came, by where they belong; those that belong in one place are folded into one.

    Args:
        size: of the part. reduce_op: how pieces of one place become one, in the order of their ranks.
        boxes: where the pieces belong in it.
    """
    by_place: dict[Box, list[Tensor]] = {}
    for box, piece in zip(boxes, pieces, strict=True):
        by_place.setdefault(box, []).append(piece)
    made = empty(size, dtype=dtype)
    for box, several in by_place.items():
        total = several[0]
        for one in several[1:]:
            total = _FOLDED[reduce_op or "sum"](total, one)
        made[tuple(slice(begin, end) for begin, end in box)] = (
            total / len(several) if reduce_op == "avg" else total
        )
    return made


def shown(tensor: Tensor) -> str:
    """A part as text."""
    return f"{tensor}"  # of one without dimensions its number, as PyTorch writes it
