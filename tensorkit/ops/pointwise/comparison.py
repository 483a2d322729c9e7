"""Comparing element by element: `eq`, `lt` and their kin, `maximum`, `minimum`; and `equal` of whole tensors.

Source: https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.promotion import check_devices
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.kernels.scalars import questions
from tensorkit.kernels.sizes import TINY
from tensorkit.ops.pointwise.arithmetic import COMPLEX, by_number
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.scalar_arithmetic import over
from tensorkit.ops.shared.to import to_dtype
from tensorkit.tensor import Number, Tensor


def _no_complex(name: str) -> Any:
    def check(*operands: Any) -> None:
        if any(isinstance(o, Tensor) and o._dtype.is_complex for o in operands):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def _shared(g: Any, a: Any, b: Any, loses: Any) -> Any:
    """The loser gets no gradient, each of two equals gets half; with nan there is no loser, so both get all."""
    return where(a.eq(b), over(g, 2), g).masked_fill_(loses, 0)


@binary(
    numpy.maximum,
    scalars.MAXIMUM,
    kernel="maximum_cpu",
    check=_no_complex("maximum"),
    inplace=False,
    derivative=Rule(
        "MaximumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.lt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.lt(c.input)),
    ),
)
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two tensors, element by element; nan wins.

    >>> tk.maximum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([3, 5])
    """
    return input if input >= other or input != input else other


@binary(
    numpy.minimum,
    scalars.MINIMUM,
    kernel="minimum_cpu",
    check=_no_complex("minimum"),
    inplace=False,
    derivative=Rule(
        "MinimumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.gt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.gt(c.input)),
    ),
)
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two tensors, element by element; nan wins.

    >>> tk.minimum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([1, 2])
    """
    return input if input <= other or input != input else other


# -- comparison ---------------------------------------------------------------------------------------------------


def _compared(name: str, *, ordered: bool = True) -> Any:
    """What all comparisons declare alike. Written into a tensor of floats, their zeros and ones have no slope."""
    flat = Rule(
        by_number(f"{name.capitalize()}Backward", 1, 0),
        input=lambda g, c: g.new_zeros(g.size()),
        other=lambda g, c: g.new_zeros(g.size()),
    )
    return {
        "result": "bool",
        "kernel": f"{name}_cpu",
        "lacks": (*LIMITED, *COMPLEX) if ordered else (),
        "overloaded": True,
        "out_recording": "silent",
        "inplace_derivative": flat,
        "operators": (f"__{name}__",),
    }


@binary(numpy.equal, questions.EQUAL, **_compared("eq", ordered=False))
def eq(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the two are equal, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) == 2
    tensor([False,  True, False])
    """
    return input == other


@binary(numpy.not_equal, questions.NOT_EQUAL, aliases=("not_equal",), **_compared("ne", ordered=False))
def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the two differ, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) != 2
    tensor([ True, False,  True])
    """
    return input != other


@binary(numpy.less, questions.LESS, aliases=("less",), **_compared("lt"))
def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the first is smaller, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) < 2
    tensor([ True, False, False])
    """
    return input < other


@binary(numpy.less_equal, questions.LESS_EQUAL, aliases=("less_equal",), **_compared("le"))
def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the first is at most the second, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) <= 2
    tensor([ True,  True, False])
    """
    return input <= other


@binary(numpy.greater, questions.GREATER, aliases=("greater",), **_compared("gt"))
def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the first is larger, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) > 2
    tensor([False, False,  True])
    """
    return input > other


@binary(numpy.greater_equal, questions.GREATER_EQUAL, aliases=("greater_equal",), **_compared("ge"))
def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the first is at least the second, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) >= 2
    tensor([False,  True,  True])
    """
    return input >= other


@op(kind="reduce")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and equal elements.

    >>> m = tk.tensor([[3, 1, 2], [4, 1, 7]])
    >>> tk.equal(m.t(), m.transpose(0, 1))
    True
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"equal(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type_name(other)}")
    x, y = input._array, other._array
    if x is not None and y is not None and input._dtype is other._dtype and x.size <= TINY:
        return x.shape == y.shape and bool(x.tolist() == y.tolist())
    check_devices((input, other))
    if input._lay().size != other._lay().size:
        return False
    kind = dtypes.promote_types(input._dtype, other._dtype)
    a, b = to_dtype(input, kind), to_dtype(other, kind)
    if is_on_device(a):
        return bool((a == b).all())
    return bool(numpy.array_equal(a._nd(), b._nd()))
