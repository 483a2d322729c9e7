"""`Pointwise`: what a pointwise operation is, in one block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from tensorkit.dispatch.registry import Fields
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.tensor import Tensor

NUMBERS = (bool, int, float, complex, numpy.number, numpy.bool_)


class BlockFields(Fields, total=False):
    """What `unary` and `binary` take for the block of an operation: see the attributes of `Pointwise`."""

    result: str
    kernel: str
    lacks: tuple[dtype, ...]
    spared: Callable[..., bool]
    check: Callable[..., None] | None
    overloaded: bool
    numbers_apart: bool
    exact_out: bool | str
    like_first: str
    inplace_check: Callable[[Tensor], None] | None
    exact_half: bool
    exact_divisor: bool
    may_share: bool
    number_out: bool
    by_number: Scalar | None
    refuses_zero: bool


def block_of(name: str, function: Any, scalar: Any, fields: Any, alpha: bool = False) -> Pointwise:
    """The block that a decorator describes: its own fields are taken out of `fields`, which keeps those of `Fields`.

    Args:
        function: the function over arrays; or the block itself, where several operations share how it is made.
    """
    own = {
        key: fields.pop(key)
        for key in tuple(fields)
        if key in BlockFields.__annotations__ and key not in Fields.__annotations__
    }
    return (
        function if isinstance(function, Pointwise) else Pointwise(name, function, scalar, alpha=alpha, **own)
    )


class Shortcuts:
    """Faster ways for common operands, which `tensorkit.shortcuts` fills in. Without, every call goes through `apply`.

    Attributes:
        new: the result of these operands in a new tensor. changing: the same, written into the first operand.
        into: the same, written into the tensor that comes last. turned: the result where a number comes first.
            Each returns None where `apply` has to run.
    """

    __slots__ = ("changing", "into", "new", "turned")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Know no operands any longer."""
        self.new: Callable[..., Tensor | None] = unknown
        self.changing: Callable[..., Any] = unknown
        self.into: Callable[..., Any] = unknown
        self.turned: Callable[..., Tensor | None] = unknown


def unknown(*operands: Any) -> None:
    """The shortcut that knows no operands."""


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """What an elementwise operation is made of.

    Attributes:
        name: PyTorch's name.
        numpy: the NumPy function over whole arrays.
        scalar: the same on single elements: the CUDA kernels are compiled from it.
        by_number: the same where the second operand is a number, if that is computed in another way.
        numbers: what `scalar` is given after the operands: numbers that this call is known to have.
        refuses_zero: whether integers must not be divided by the number 0.
        result: "same" (the promoted dtype), "float" (integers become the default float), "bool", "real" (complex
            numbers give their real type), "real float" (both of these), or "chosen" (the operands after the first,
            which is a mask).
        kernel: the name that PyTorch's "not implemented for" error carries.
        lacks: dtypes that PyTorch's kernel does not take.
        spared: whether operands of such a dtype need no kernel, because it is known what the result is.
        check: refuses operands with PyTorch's sentence, before anything is allocated.
        alpha: whether ``alpha=`` multiplies the second operand.
        overloaded: whether PyTorch has separate forms for tensors and numbers, which colours one error's text.
        numbers_apart: whether PyTorch's loop runs over the tensor alone where the other operand is a number: after a
            number the result is row-major, before one it lies as that of a function of one tensor.
        inplace_check: refuses an in-place call with PyTorch's sentence.
        like_first: "always" or for "whole" numbers the result has the strides that ``empty_like`` would give it.
        exact_out: whether ``out=`` must have exactly the result's dtype; or the sentence that refuses another.
        exact_half: whether the NumPy function takes 16-bit floats as they are, instead of in float32.
        exact_divisor: whether a number or a 0-d tensor that comes second keeps its float32 precision beside 16-bit
            tensors: all others are rounded to 16 bits first.
        may_share: whether elements of what it is written into may share memory: done twice it is as done once.
        number_out: whether it takes ``out=`` where a number comes first.
    """

    name: str
    numpy: Any
    scalar: Scalar | Callable[..., Any] | None
    result: str = "same"
    kernel: str = ""
    lacks: tuple[dtype, ...] = LIMITED
    spared: Callable[..., bool] = lambda *operands: False
    check: Callable[..., None] | None = None
    alpha: bool = False
    overloaded: bool = False
    numbers_apart: bool = False
    exact_out: bool | str = False
    like_first: str = ""
    inplace_check: Callable[[Tensor], None] | None = None
    exact_half: bool = False
    exact_divisor: bool = False
    may_share: bool = False
    number_out: bool = True
    by_number: Scalar | None = None
    numbers: tuple[Any, ...] = ()
    refuses_zero: bool = False
    shortcuts: Shortcuts = field(init=False, repr=False, default_factory=Shortcuts)
    #: What does the same of real floating point numbers.
    real: Any = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "real", getattr(self.numpy, "real", self.numpy))
        if self.scalar is not None and not isinstance(self.scalar, Scalar):
            self.scalar.__name__ = (
                self.name
            )  # the kernels compiled from it, and their events, carry this name
