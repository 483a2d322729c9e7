"""What the linear algebra blocks share: the checks, results that lie column by column, ``out=``.

PyTorch's matrices come from LAPACK, and so their strides say "column by column"; so do ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from tensorkit import return_types
from tensorkit.device import CPU, META, device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import can_cast, dtype, float32, float64
from tensorkit.elementwise.output import resize_out
from tensorkit.errors import LinAlgError, MissingKernelError
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.shared.copy import copy_into
from tensorkit.storage import allocate
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh, on_storage

_CPP = {
    "float32": "float",
    "float64": "double",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "bool": "bool",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


# -- checks, in PyTorch's words -----------------------------------------------------------------------------------


def check_tensor(name: str, argument: str, position: int, value: Any) -> None:
    """Refuse anything but a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}"
        )


def check_matrix(A: Tensor, name: str, argument: str = "A") -> None:
    """Refuse a tensor with fewer than two dimensions."""
    if len(A._lay().size) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(A: Tensor, name: str, argument: str = "A") -> None:
    """Refuse anything but a batch of square matrices."""
    check_matrix(A, name, argument)
    m, n = A._lay().size[-2:]
    if m != n:
        prefix = f"{name}: " if name else ""
        raise RuntimeError(
            f"{prefix}{argument} must be batches of square matrices, but they are {m} by {n} matrices"
        )


def check_floating(A: Tensor, name: str, *, low: bool = True) -> None:
    """Refuse integers and bools, and unless `low` 16-bit numbers."""
    if A._dtype.category < 2:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {A._dtype.label}"
        )
    if not low and kernels.is_half(A._dtype):
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {A._dtype.label}")


def kernel_dtypes(A: Tensor, kernel: str) -> None:
    """Refuse what LAPACK has no routine for, where PyTorch looks for its kernel: not for empty matrices."""
    if A.numel() and (A._dtype.category < 2 or kernels.is_half(A._dtype)):
        raise missing_kernel(kernel, A._dtype.label)


def check_info(info: Array, sentence: Callable[[int], str], name: str) -> None:
    """Raise for the first matrix of a batch that LAPACK could not deal with.

    Args:
        sentence: what to say, given LAPACK's number.
    """
    wrong = numpy.flatnonzero(info)
    if not wrong.size:
        return
    where = f"(Batch element {wrong[0]}): " if info.ndim else ""
    raise LinAlgError(f"{name}: {where}{sentence(int(info.reshape(-1)[wrong[0]]))}")


# -- in and out ---------------------------------------------------------------------------------------------------


def is_meta(*tensors: Tensor) -> bool:
    """Whether only sizes and dtypes are needed."""
    return any(t._device == META for t in tensors)


def host(A: Tensor, name: str) -> Array:
    """The elements of a CPU tensor."""
    if A._device != CPU:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{A._device.type.upper()}' backend. "
            "Move the tensor first: t.cpu() returns a copy on the CPU."
        )
    return A._nd()


def column_stride(size: Sequence[int]) -> tuple[int, ...]:
    """The strides of matrices that lie one after another, each column by column."""
    stride = contiguous_stride(tuple(size))
    return stride if len(size) < 2 else (*stride[:-2], 1, max(1, size[-2]))


def in_columns(array: Array, kind: dtype) -> Tensor:
    """A batch of matrices as a tensor that lies column by column; the array itself if it does already."""
    turned = array.swapaxes(-1, -2)
    held = fresh(turned if turned.flags.c_contiguous else numpy.ascontiguousarray(turned), kind)
    return on_storage(held._store(), Layout(array.shape, column_stride(array.shape), 0), kind)


def as_tensor(array: Any, kind: dtype) -> Tensor:
    """An array as a row-major tensor."""
    held = kernels.cast(numpy.asarray(array), kind)
    return fresh(held if held.flags.c_contiguous else numpy.ascontiguousarray(held).reshape(held.shape), kind)


def blank(size: Sequence[int], kind: dtype, where: device = META, *, columns: bool = False) -> Tensor:
    """An uninitialised tensor: the result on the meta device, and the parts that were not requested."""
    shape = tuple(size)
    layout = Layout(shape, column_stride(shape) if columns else contiguous_stride(shape), 0)
    return on_storage(allocate(layout.reach() * kind.itemsize, where), layout, kind)


def _check_kept(result: Tensor, out: Any) -> Tensor:
    """Refuse an ``out=`` that is not a tensor of the result's dtype."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not result._dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {_CPP[result._dtype.name]}, but got {_CPP[out._dtype.name]} instead"
        )
    return out


def into(result: Tensor, out: Any) -> Tensor:
    """A result written into a tensor given as ``out=``, of the very dtype; resized, it lies as the result does."""
    target = _check_kept(result, out)
    resize_out(target, result._lay().size, result._lay().stride)
    copy_into(target, result)
    target._bump()
    return target


def unless_filled(result: Tensor, out: Any) -> Tensor:
    """A result by columns for what is given as ``out=``: where that has elements, it is resized row by row."""
    filled = isinstance(out, Tensor) and out.numel()
    return result.contiguous() if filled else result


def check_cast(kind: dtype, held: dtype, name: str, part: str = "result") -> None:
    """Refuse a tensor given as ``out=`` whose dtype is of a lower category than the result's."""
    if not can_cast(kind, held):
        raise RuntimeError(
            f"{name}: Expected {part} to be safely castable from {kind.label} dtype, but got {part} with "
            f"dtype {held.label}"
        )


def converted(result: Tensor, out: Any, name: str, part: str = "result") -> Tensor:
    """A result written into a tensor given as ``out=``, of a dtype that can hold it.

    One of the very dtype lies as the result does where it is resized; another lies row by row.

    Raises:
        RuntimeError: where the dtype is of a lower category.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    check_cast(result._dtype, out._dtype, name, part)
    if out._dtype is result._dtype:
        return into(result, out)
    resize_out(out, result._lay().size)
    copy_into(out, result)
    out._bump()
    return out


def only(result: Tensor, out: Any) -> Tensor:
    """A result, or the tensor given as ``out=`` with the result in it."""
    return result if out is None else into(result, out)


def named(name: str, parts: Iterable[Tensor], out: Any = None, *, castable: str = "") -> Any:
    """Several results as the type that prints their names.

    Args:
        castable: the function's name in a refusal, where tensors of other dtypes that can hold the results are taken.
    """
    if out is None:
        return getattr(return_types, name)(parts)
    found = tuple(parts)
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    kind = getattr(return_types, f"{name}_out")
    if castable:
        labels = kind._fields
        for part, target, label in zip(found, out, labels, strict=True):  # before any of them is written
            if isinstance(target, Tensor):
                check_cast(part._dtype, target._dtype, castable, label)
        written = [converted(*each[:2], castable, each[2]) for each in zip(found, out, labels, strict=True)]
    else:
        for part, target in zip(found, out, strict=True):
            _check_kept(part, target)
        written = [into(part, target) for part, target in zip(found, out, strict=True)]
    return kind(written)


# -- for derivatives ----------------------------------------------------------------------------------------------


def adjoint(A: Any) -> Any:
    """The matrix conjugated and transposed."""
    return A.transpose(-2, -1).conj() if A.is_complex() else A.transpose(-2, -1)


def identity(like: Any, rows: int, columns: int | None = None) -> Any:
    """Ones on the diagonal and zeros elsewhere, of a tensor's dtype and on its device."""
    return eye(rows, rows if columns is None else columns, dtype=like.dtype, device=like.device)


def unrecorded_part(gs: Any, place: int) -> Any:
    """The gradient of one result of several, or None."""
    return gs[place] if isinstance(gs, (list, tuple)) else gs if place == 0 else None


def epsilon(kind: dtype) -> float:
    """The distance from 1 to the next number."""
    real = kind.to_real()
    return float(numpy.finfo(real.numpy if real in (float32, float64) else numpy.float32).eps)
