"""The product of two arrays, and what every product asks of its operands.

The numbers are NumPy's BLAS's. It takes transposed matrices as they lie; only other strides are written out first.
16-bit floats are multiplied in float32 and rounded once; integers are exact and wrap around (`_whole_product`).
A tensor that is both an operand and ``out=`` is read before it is written; PyTorch's BLAS has it the other way round,
and what it finds is zeros or chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import requires_grad
from tensorkit.autograd.out_arguments import not_recorded
from tensorkit.device import META, device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided, resize_out
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.sizes import SMALL
from tensorkit.ops.matrix_products.on_device import multiplied_there
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "BLAS",
    "LACKS",
    "SMALL",
    "by_blas",
    "check_kernel",
    "check_out",
    "check_tensors",
    "copied_out",
    "deliver_product",
    "multiplied",
    "prepare",
    "product",
    "refuse_recording",
    "wide_product",
]

#: What no product takes.
LACKS = (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)
BLAS = frozenset((dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128))


# -- arrays -------------------------------------------------------------------------------------------------------


def product(a: Array, b: Array, kind: dtype) -> Array:
    """``a @ b`` as NumPy broadcasts it, for arrays of one dtype; row-major."""
    return kernels.cast(wide_product(a, b, kind), kind)


def multiplied(a: Tensor, b: Tensor, kind: dtype) -> Array | Tensor:
    """`product` of two tensors: an array, or on a CUDA device a tensor that a kernel of the kit's own made."""
    return multiplied_there(a, b) if is_on_device(a) else product(a._nd(), b._nd(), kind)


def wide_product(a: Array, b: Array, kind: dtype) -> Array:
    """`product`, not yet rounded to 16 bits."""
    if kernels.is_half(kind):
        a, b = kernels.cast(a, dtypes.float32), kernels.cast(b, dtypes.float32)
        return kernels.quiet(numpy.matmul, _for_blas(a), _for_blas(b))  # type: ignore[no-any-return]
    if kind.category < 2:
        return _whole_product(a, b)
    return by_blas(a, b)


def by_blas(a: Array, b: Array) -> Array:
    """The product by NumPy's BLAS; of a column and a row it is what they give element by element, -0.0 included."""
    if a.ndim == b.ndim == 2 and a.shape[1] == 1 and len(a) > 1 and b.shape[1] > 1 and a.dtype.kind == "f":
        return kernels.quiet(numpy.multiply, a, b, order="C")  # type: ignore[no-any-return]
    return kernels.quiet(numpy.matmul, _for_blas(a), _for_blas(b))  # type: ignore[no-any-return]


def _for_blas(array: Array) -> Array:
    """The array itself if BLAS can read its matrices in place, row by row or column by column; else a copy."""
    item, strides = array.itemsize, array.strides
    if array.ndim < 2:
        return array if not strides or strides[-1] >= item else numpy.ascontiguousarray(array)
    rows, columns = array.shape[-2:]
    down, along = strides[-2:]
    if (along == item and down >= columns * item) or (down == item and along >= rows * item):
        return array
    return numpy.ascontiguousarray(array)


_EXACT = 53  # bits of a float64


def _whole_product(a: Array, b: Array) -> Array:
    """A product of integers, wrapped around as in C, by float64 BLAS: NumPy's own is many times slower.

    Numbers too large for one exact product are cut into pieces of few bits, whose products are exact.
    """
    length, kind = a.shape[-1], a.dtype
    if not a.size or not b.size or b.ndim == 1 or a.size * b.shape[-1] <= SMALL:
        small: Array = kernels.quiet(numpy.matmul, a, b)
        return small
    room = _EXACT - (length - 1).bit_length()
    bits_a, bits_b = _bits(a), _bits(b)
    if bits_a + bits_b <= room:
        exact = numpy.matmul(_for_blas(a.astype(numpy.float64)), _for_blas(b.astype(numpy.float64)))
        whole: Array = exact.astype(numpy.int64).astype(kind)
        return whole
    width = room // 2
    total: Any = 0
    right = _pieces(b, bits_b, width)
    for i, one in enumerate(_pieces(a, bits_a, width)):
        for j, other in enumerate(right):
            shift = (i + j) * width
            if shift < 64:
                total = total + (numpy.matmul(one, other).astype(numpy.int64) << shift)
    return total.astype(kind)  # type: ignore[no-any-return]


def _bits(array: Array) -> int:
    """How many bits the largest magnitude takes."""
    return max(int(array.max()), -int(array.min())).bit_length()


def _pieces(array: Array, bits: int, width: int) -> list[Array]:
    """The numbers in pieces of `width` bits, least significant first: all but the last without a sign."""
    rest, pieces = array.astype(numpy.int64), []
    for _ in range((bits - 1) // width):
        pieces.append((rest & ((1 << width) - 1)).astype(numpy.float64))
        rest = rest >> width
    return [*pieces, rest.astype(numpy.float64)]


# -- what every product asks of its operands ----------------------------------------------------------------------


def check_tensors(name: str, **operands: Any) -> None:
    """Refuse anything but a tensor, in PyTorch's words.

    Raises:
        TypeError: naming the first argument that is something else.
    """
    for position, (argument, value) in enumerate(operands.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}"
            )


def check_kernel(kernel: str, kind: dtype, count: int = 1) -> None:
    """Refuse a dtype that no product takes, if there is anything to multiply."""
    if count and kind in LACKS:
        raise missing_kernel(kernel, kind.label)


def prepare(out: Any, size: tuple[int, ...], kind: dtype) -> None:
    """Check a tensor given as ``out=``, which must have the result's dtype, and resize it."""
    check_out(out, kind)
    resize_out(out, size)


def check_out(out: Any, kind: dtype) -> None:
    """Refuse an ``out=`` that is not a tensor, or of another dtype than the result."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )


def deliver_product(
    name: str,
    body: Callable[[], Array | Tensor],
    size: tuple[int, ...],
    kind: dtype,
    where: device,
    out: Tensor | None,
) -> Tensor:
    """What `body` computes, as a new row-major tensor, or in an `out` that has its size.

    On the meta device nothing is computed.
    """
    if where == META:
        made = empty_strided(size, contiguous_stride(size), kind, META)
    else:
        found = body()
        made = found if isinstance(found, Tensor) else fresh(numpy.asarray(found), kind)
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


def refuse_recording(name: str, *operands: Tensor) -> None:
    """PyTorch's error for an ``out=`` where an argument requires grad."""
    if any(map(requires_grad, operands)):
        raise not_recorded(name)


def copied_out(result: Tensor, out: Tensor) -> Tensor:
    resize_out(out, result._lay().size)
    return out.copy_(result)
