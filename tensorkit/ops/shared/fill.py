"""One number written into every element."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import turned
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_writable, empty_strided
from tensorkit.elementwise.promotion import as_number_array
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import check_number, check_range, holds
from tensorkit.ops.shared.copy import copy_into, warn_complex_to_real
from tensorkit.ops.shared.on_device import fill_number
from tensorkit.ops.shared.to import to_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.tensor import Tensor


def _fill_name(arguments: dict[str, Any]) -> str:
    return "FillBackward3" if isinstance(arguments["value"], Tensor) else "FillBackward2"


def write_number(input: Tensor, value: Any, *, narrow: bool = False) -> None:
    """Write one number into every element.

    Args:
        narrow: as in `check_number`.

    Raises:
        RuntimeError: when the dtype cannot hold it.
    """
    if holds(input._dtype, value) and input._device is CPU:
        array = input._array
        if array is None:
            if not input.numel():
                return
            array = input._nd()
        if not input._bits:
            array.fill(value)
            return
    value = value.item() if isinstance(value, numpy.generic) else value
    check_range(value)
    if isinstance(value, int) and value >= 2**63 and input._dtype.category >= 2:
        value = float(value)
    check_number(value, input._dtype, narrow=narrow)
    if input._device == CPU:
        if input.numel():
            number = as_number_array(value, input._dtype)[()]
            stored = turned(number, input._bits)
            kernels.quiet(input._nd(physical=True).fill, stored)
        return
    if input._device != META and input.numel():
        stored = turned(as_number_array(value, input._dtype), input._bits)
        fill_number(input, numpy.asarray(stored)[()].item())


@op(
    kind="inplace",
    function=False,
    derivative=Rule(_fill_name, input=lambda g, c: g.new_zeros(g.size()), value=lambda g, c: g.sum()),
    handles_conj=True,
)
@takes("(Tensor input, Tensor value)", "(Tensor input, Number value)")
def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to a number, or to the one element of a 0-d tensor.

    Raises:
        RuntimeError: when the dtype cannot hold the number, or the tensor has dimensions.

    >>> tk.zeros(3).fill_(7)
    tensor([7., 7., 7.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.fill_.html
    """
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions."
            )
        check_writable(input)
        warn_complex_to_real(input, value)
        one = to_device(value, input._device)
        copy_into(input, one._view(Layout(input._lay().size, (0,) * input.dim(), one._lay().offset)))
        input._bump()
        return input
    if value.__class__ is not float and not isinstance(value, NUMBERS):
        raise TypeError(
            f"fill_() received an invalid combination of arguments - got ({type_name(value)}), but expected one "
            "of:\n * (Tensor value)\n * (Number value)\n"
        )
    write_number(input, value, narrow=input.numel() != 1)
    input._bump()
    return input


@op(
    kind="copy",
    methods=(),
    derivative=Rule(
        lambda call: f"FillBackward{int(isinstance(call['value'], Tensor))}",
        input=lambda g, c: g.new_zeros(g.size()),
        value=lambda g, c: g.sum(),
    ),
)
@takes("(Tensor input, Tensor value)", "(Tensor input, Number value)")
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of the size and dtype of another, with one number everywhere.

    Raises:
        RuntimeError: when the dtype cannot hold the number, or `value` is a tensor with dimensions.

    >>> tk.fill(tk.zeros(2), 7)
    tensor([7., 7.])
    """
    if not isinstance(value, (Tensor, *NUMBERS)):
        raise unmatched(
            "fill", (input, value), {}, ("Tensor input, Tensor value", "Tensor input, Number value")
        )
    lay = input._lay()
    if not isinstance(value, Tensor):
        check_number(value, input._dtype, narrow=input.numel() != 1)
    out = empty_strided(lay.size, like_strides(lay), input._dtype, input._device)
    fill_(out, value.detach() if isinstance(value, Tensor) else value)
    out._counter = None  # not returned yet: this write does not count
    return out


@op(
    kind="inplace",
    function=False,
    derivative=Rule("ZeroBackward0", input=lambda g, c: g.new_zeros(g.size())),
    handles_conj=True,
)
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero.

    >>> tk.ones(2).zero_()
    tensor([0., 0.])
    """
    array = input._array
    if array is None:
        write_number(input, 0)
    else:
        array.fill(0)
    input._bump()
    return input
