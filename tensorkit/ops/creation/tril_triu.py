"""The triangles of a matrix: tril and triu, and the indices of their elements.

Source: dtypes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.device import META, DeviceLike, resolve
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import empty_strided, resize_out
from tensorkit.kernels.cpu import parallel
from tensorkit.kernels.sizes import SMALL, TINY
from tensorkit.ops.shared.int_args import counted
from tensorkit.ops.shared.on_device import kept_triangle
from tensorkit.ops.shared.to import as_dtype, to_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

# -- the triangles of a tensor ------------------------------------------------------------------------------------


@functools.lru_cache(64)
def masked_part(rows: int, columns: int, diagonal: int, lower: bool) -> Array:
    """Which elements of a matrix lie outside a triangle; small masks are remembered."""
    across = numpy.arange(columns) - numpy.arange(rows)[:, None]
    return across > diagonal if lower else across < diagonal


def keep_triangle(array: Array, diagonal: int, out: Array, *, lower: bool) -> None:
    """Write a triangle of each matrix into `out`, and zeros elsewhere: the kernel. `out` may be the array itself."""
    rows, columns = array.shape[-2:]
    if array.ndim > 2 or rows <= TINY:
        if array is not out:
            numpy.copyto(out, array)
        masked = masked_part if rows * columns <= SMALL else masked_part.__wrapped__
        numpy.copyto(out, out.dtype.type(0), where=masked(rows, columns, diagonal, lower))
        return
    if parallel.triangle(array, diagonal, out, lower):
        return
    for row in range(rows):  # whole pieces of rows at a time: where there are many, twice as fast as a mask
        edge = min(max(row + diagonal + lower, 0), columns)
        kept, gone = (slice(0, edge), slice(edge, None)) if lower else (slice(edge, None), slice(0, edge))
        if array is not out:
            out[row, kept] = array[row, kept]
        out[row, gone] = 0


def exact_out(out: Any, size: tuple[int, ...], kind: dtype, name: str) -> Tensor:
    """Check that an ``out=`` tensor has the result's dtype, and resize it.

    Raises:
        TypeError, RuntimeError: in PyTorch's words.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )
    resize_out(out, size)
    return out


def _checked(input: Tensor, diagonal: Any, name: str) -> int:
    if isinstance(diagonal, (bool, float)) or not hasattr(diagonal, "__index__"):
        raise TypeError(f"{name}(): argument 'diagonal' must be int, not {type_name(diagonal)}")
    if input.dim() < 2:
        raise RuntimeError(f"{name.rstrip('_')}: input tensor must have at least 2 dimensions")
    return int(diagonal.__index__())


def _write_triangle(input: Tensor, diagonal: int, target: Tensor, name: str) -> None:
    if not input.numel() or input._device == META:
        return
    if input._dtype in LIMITED:
        raise missing_kernel(name, input._dtype.label)
    lower = name == "tril"
    if input._device.type == "cpu":
        array = input._nd()
        keep_triangle(array, diagonal, array if target is input else target._nd(), lower=lower)
    else:
        kept_triangle(resolved(input), diagonal, target, lower=lower)


def _triangle(input: Tensor, diagonal: Any, out: Tensor | None, name: str) -> Tensor:
    edge, size = _checked(input, diagonal, name), input._lay().size
    if out is None:
        target = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    else:
        target = exact_out(out, size, input._dtype, name)
    _write_triangle(input, edge, target, name)
    if out is not None:
        out._bump()
    return target


def _in_place(input: Tensor, diagonal: Any, name: str) -> Tensor:
    edge = _checked(input, diagonal, name)
    _write_triangle(input, edge, input, name.rstrip("_"))
    input._bump()
    return input


@op(
    strict=True,
    kind="copy",
    derivative=Rule("TrilBackward0", input=lambda g, c: g.tril(c.diagonal)),
    out_overlap="allowed",
)
@shortened("tril")
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of a matrix, or of each matrix of a batch; zeros elsewhere.

    Args:
        diagonal: up to which diagonal elements are kept: 0 is the main one, 1 the one above it.

    Raises:
        RuntimeError: for fewer than two dimensions.

    >>> tk.tril(tk.ones(2, 3), 1)
    tensor([[1., 1., 0.],
            [1., 1., 1.]])
    """
    return _triangle(input, diagonal, out, "tril")


@op(
    strict=True,
    kind="inplace",
    function=False,
    derivative=Rule("TrilBackward0", input=lambda g, c: g.tril(c.diagonal)),
)
def tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    """In-place form of `tril`: only the lower triangle of this tensor is left.

    >>> tk.ones(2, 2).tril_()
    tensor([[1., 0.],
            [1., 1.]])
    """
    return _in_place(input, diagonal, "tril_")


@op(
    strict=True,
    kind="copy",
    derivative=Rule("TriuBackward0", input=lambda g, c: g.triu(c.diagonal)),
    out_overlap="allowed",
)
@shortened("triu")
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of a matrix, or of each matrix of a batch; zeros elsewhere.

    Args:
        diagonal: from which diagonal on elements are kept: 0 is the main one, 1 the one above it.

    Raises:
        RuntimeError: for fewer than two dimensions.

    >>> tk.triu(tk.ones(2, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    return _triangle(input, diagonal, out, "triu")


@op(
    strict=True,
    kind="inplace",
    function=False,
    derivative=Rule("TriuBackward0", input=lambda g, c: g.triu(c.diagonal)),
)
def triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    """In-place form of `triu`: only the upper triangle of this tensor is left.

    >>> tk.ones(2, 2).triu_()
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _in_place(input, diagonal, "triu_")


# -- where their elements are -------------------------------------------------------------------------------------


def _indices(name: str, lengths: tuple[Any, Any, Any], lower: bool, kind: Any, where: DeviceLike) -> Tensor:
    for place, (label, given) in enumerate(zip(("row", "col", "offset"), lengths, strict=True)):
        if isinstance(given, (bool, float)) or not hasattr(given, "__index__"):
            raise TypeError(
                f"{name}(): argument '{label}' (position {place + 1}) must be int, not {type_name(given)}"
            )
    row, col, offset = map(counted, lengths)
    for label, length in (("row", row), ("col", col)):
        if length < 0:
            raise RuntimeError(f"{label} must be non-negative, got{length}")
    chosen = dtypes.int64 if kind is None else as_dtype(kind, name)
    if resolve(where) != META and chosen not in (dtypes.int32, dtypes.int64):
        raise missing_kernel(name, chosen.label)
    across = numpy.arange(col) - numpy.arange(row)[:, None]
    found = numpy.nonzero(across <= offset if lower else across >= offset)
    return to_device(fresh(numpy.stack(found).astype(chosen.numpy), chosen), resolve(where))


@op(strict=True, kind="create", methods=())
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The row and column indices of the elements on and below a diagonal, row by row.

    Returns:
        A tensor of size (2, count): rows first, then columns.

    >>> tk.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _indices("tril_indices", (row, col, offset), True, dtype, device)


@op(strict=True, kind="create", methods=())
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The row and column indices of the elements on and above a diagonal, row by row.

    >>> tk.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return _indices("triu_indices", (row, col, offset), False, dtype, device)
