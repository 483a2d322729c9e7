"""Pointwise operations and copies of tensors on CUDA devices: from tensors to the operands of a kernel.

A view that stands for the conjugates, or for the negatives, of what is stored is read and written turned.
"""

from __future__ import annotations

from typing import Any

from tensorkit.conj_bit import CONJ, NEG, check_negatable
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import Operand
from tensorkit.kernels.cuda.half import identity
from tensorkit.kernels.scalars.arithmetic import NEGATIVE
from tensorkit.kernels.scalars.elementary import CONJUGATE
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.kernels.scalars.questions import CONJUGATE_NEGATIVE
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

__all__ = ["copy_strided", "fill_number", "zip_elements"]

#: What stands for a number on a view with these bits: the same step leads there and back.
_TURNED: dict[int, Scalar] = {CONJ: CONJUGATE, NEG: NEGATIVE, CONJ | NEG: CONJUGATE_NEGATIVE}


def _stored(tensor: Tensor, size: tuple[int, ...]) -> Operand:
    """What is stored, bits aside."""
    layout = tensor._lay()
    if layout.size != size:
        layout = layout.expand(size)
    return Operand(tensor._store()._buffer, tensor._dtype, layout.stride, layout.offset)


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
        operand
        if not isinstance(operand, Tensor)
        else _stored(_plain(operand), size)
        if operand.is_cuda
        else operand._nd()[()].item()
        for operand in operands
    ]
    target = _like(out) if out._bits else out
    kernels.launch_zip(body, _stored(target, size), tuple(inputs), size, compute=kinds, result=result)
    if target is not out:
        copy_strided(out, target)


def copy_strided(dst: Tensor, src: Tensor) -> None:
    """Copy between two tensors of one device, of whatever layouts and dtypes; `src` is broadcast."""
    size = dst._lay().size
    if src._bits and dst._bits and src._dtype is not dst._dtype:
        src = _plain(src)
    target, source = _stored(dst, size), _stored(src, size)
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
    kernels.launch_zip(identity, _stored(out, size), (value,), size, compute=out._dtype)
