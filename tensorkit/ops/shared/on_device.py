"""Tensors on a CUDA device as its kernels take them, and what the operations of all folders ask of these kernels.

An operation that has checked its arguments asks `is_on_device`, and hands over `operand`. Pointwise operations use
what is registered at the end. A view that stands for the conjugates, or for the negatives, of what is stored is read
and written turned.
"""

from __future__ import annotations

from typing import Any

from tensorkit.conj_bit import CONJ, NEG, check_negatable
from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.run import register_zip
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.scalars.arithmetic import NEGATIVE
from tensorkit.kernels.scalars.elementary import CONJUGATE
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.kernels.scalars.questions import CONJUGATE_NEGATIVE
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor, on_storage


def is_on_device(input: Tensor) -> bool:
    """Whether the tensor's memory is that of a CUDA device."""
    return input._device.type == "cuda"


def operand(tensor: Tensor, size: tuple[int, ...] | None = None) -> Operand:
    """A tensor as kernels take it, broadcast to a size if one is given; of a view with bits, what is stored."""
    layout = tensor._lay()
    if size is not None and layout.size != size:
        layout = layout.expand(size)
    return Operand(tensor._checked_store()._buffer, tensor._dtype, layout.stride, layout.offset)


def as_size(made: Tensor, size: tuple[int, ...]) -> Tensor:
    """A new row-major tensor with another size, not a view."""
    return on_storage(made._store(), Layout(size, contiguous_stride(size)), made._dtype)


def counted(first: Any, last: Any, step: Any, length: int, kind: dtype, where: device) -> Tensor:
    """``first + i * step``; in the second half ``last - (length - 1 - i) * step``, so that both ends are exact.

    Args:
        last: the last number, or None to count from the first one alone.
    """
    made = empty_strided((length,), (1,), kind, where)
    kernels.indexing.count_up(operand(made), length, first, last, step)
    return made


def turned_around(input: Tensor, axes: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """The elements in reverse order along `axes`, read with negative strides, in a tensor of these strides."""
    lay = input._lay()
    made = empty_strided(lay.size, stride, input._dtype, input._device)
    if lay.numel:
        steps = tuple(-step if d in axes else step for d, step in enumerate(lay.stride))
        last = lay.offset + sum((lay.size[d] - 1) * lay.stride[d] for d in axes)
        source = Operand(input._checked_store()._buffer, input._dtype, steps, last)
        kernels.copy(operand(made), source, lay.size)
    return made


def kept_triangle(input: Tensor, diagonal: int, target: Tensor, *, lower: bool) -> None:
    """Copy one side of a diagonal into `target`, and zeros on the other."""
    kernels.indexing.triangle(operand(target), operand(input), input._lay().size, diagonal, lower)


# -- pointwise operations and copies --------------------------------------------------------------------------------

#: What stands for a number on a view with these bits: the same step leads there and back.
_TURNED: dict[int, Scalar] = {CONJ: CONJUGATE, NEG: NEGATIVE, CONJ | NEG: CONJUGATE_NEGATIVE}


def _plain(tensor: Tensor) -> Tensor:
    """The tensor itself, or a copy of a view with bits that has none."""
    if not tensor._bits:
        return tensor
    made = _like(tensor)
    copy_strided(made, tensor)
    return made


def _like(tensor: Tensor, kind: dtype | None = None) -> Tensor:
    size = tensor._lay().size
    return empty_strided(size, contiguous_stride(size), kind or tensor._dtype, tensor._device)


def zip_elements(
    body: Any, out: Tensor, operands: tuple[Any, ...], kinds: tuple[dtype, ...], result: dtype
) -> None:
    """Run a scalar body over tensors and numbers; a 0-d CPU tensor counts as a number.

    Args:
        kinds: for each operand the dtype that it is converted to first.
        result: the dtype that results are rounded to.
    """
    size = out._lay().size
    inputs = [
        one
        if not isinstance(one, Tensor)
        else operand(_plain(one), size)
        if one.is_cuda
        else one._nd()[()].item()
        for one in operands
    ]
    target = _like(out) if out._bits else out
    kernels.launch_zip(body, operand(target, size), tuple(inputs), size, compute=kinds, result=result)
    if target is not out:
        copy_strided(out, target)


def plan_elements(
    body: Any, out: Tensor, operands: tuple[Any, ...], kinds: tuple[dtype, ...], result: dtype
) -> kernels.LaunchPlan | None:
    """What `zip_elements` would do, for others that lie in the same way; None where it is worked out each time."""
    size = out._lay().size
    tensors = [one for one in operands if isinstance(one, Tensor)]
    if out._bits or any(not one.is_cuda or one._bits for one in tensors):
        return None
    inputs = tuple(operand(one, size) if isinstance(one, Tensor) else one for one in operands)
    return kernels.plan_zip(body, operand(out, size), inputs, size, kinds, result)


def copy_strided(dst: Tensor, src: Tensor) -> None:
    """Copy between two tensors of one device, of whatever layouts and dtypes; `src` is broadcast."""
    size = dst._lay().size
    if src._bits and dst._bits and src._dtype is not dst._dtype:
        src = _plain(src)
    target, source = operand(dst, size), operand(src, size)
    bits = src._bits ^ dst._bits
    if not bits:
        kernels.copy(target, source, size)
        return
    for one in (src, dst):
        check_negatable(one._bits, one._dtype)
    # Turned as what has the bits: a real number written to a view of conjugates gets an imaginary part, -0.
    kind = src._dtype if src._bits else dst._dtype
    kernels.launch_zip(_TURNED[bits], target, (source,), size, compute=kind, result=kind)


def fill_number(out: Tensor, value: Any) -> None:
    """Write one number, of the tensor's own dtype, into every slot."""
    size = out._lay().size
    kernels.launch_zip(kernels.half.identity, operand(out, size), (value,), size, compute=out._dtype)


# Late: `elementwise.run` is below, and knows no tensor on a device.
register_zip("cuda", zip_elements, plan_elements)
