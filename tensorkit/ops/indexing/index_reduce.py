"""What is left of slices that meet: `index_reduce`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.indexing.index_select import check_slices, rows_along
from tensorkit.ops.indexing.scatter import combine_at, scattered
from tensorkit.ops.indexing.scatter_reduce import reduced_by_input, reduced_by_src
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.out_and_inplace import bring_back, check_memory, paired, real_alone
from tensorkit.ops.shared.to import host_array
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor

#: What combines a slice with the one that is there.
_UFUNCS: dict[str, Any] = {
    "prod": numpy.multiply,
    "mean": numpy.add,
    "amax": numpy.maximum,
    "amin": numpy.minimum,
}
_ODD = (*LIMITED, dtypes.bool, dtypes.complex64, dtypes.complex128)


# -- how gradients pass back --------------------------------------------------------------------------------------


def _each(c: Any) -> Any:
    """The same call as a `scatter_reduce`, with an index for every element."""
    if c.input.is_complex():  # written in place; a copy was refused before it was made
        raise RuntimeError(
            "index_reduce does not support automatic differentiation for outputs with complex dtype."
        )
    size = c.source_face.size
    axis = normalise_dim(int(c.dim), len(c.input_face.size))
    index = c.index.reshape([-1 if d == axis else 1 for d in range(len(size))]).expand(size)
    return SimpleNamespace(
        input=c.input,
        input_face=c.input_face,
        src=c.source,
        src_face=c.source_face,
        out=c.out,
        dim=c.dim,
        index=index.long(),
        reduce=c.reduce,
        include_self=c.include_self,
    )


_TWICE = (
    "index_reduce(): Double backward is unsupported for source when >1 zeros in source are scattered to the same "
    "position in self"
)


_real = real_alone("index_reduce")


def _can_differ(call: dict[str, Any]) -> bool:
    return call.get("out") is not None or _real(call)


# -- the operation ------------------------------------------------------------------------------------------------


def _check_kernel(kind: dtype, reduce: str, ndim: int, include_self: bool) -> None:
    """PyTorch takes slices of several dimensions by its arithmetic, single elements by a loop of its own."""
    if not include_self and kind in _ODD:
        raise missing_kernel("index_reduce_func_exclude_input_init", kind.label)
    if ndim < 2 and kind in _ODD:
        raise missing_kernel("index_func_", kind.label)
    if reduce in ("amax", "amin") and kind in (*LIMITED, dtypes.complex64, dtypes.complex128):
        raise missing_kernel("maximum_cpu" if reduce == "amax" else "minimum_cpu", kind.label)
    if reduce == "mean" and kind in LIMITED:
        raise missing_kernel("add_stub", kind.label)


def _begin(reduce: str, kind: dtype) -> Any:
    """What nothing is reduced to."""
    if reduce in ("prod", "mean"):
        return 1 if reduce == "prod" else 0
    if kind.category == 2:
        return -numpy.inf if reduce == "amax" else numpy.inf
    info = numpy.iinfo(kind.numpy)
    return info.min if reduce == "amax" else info.max


def _combined(rows: Array, places: Array, given: Array, reduce: str, kind: dtype) -> None:
    """Each slice into its row, one after the other, rounded each time."""
    ufunc = _UFUNCS[reduce]
    if reduce in ("amax", "amin"):
        places = places.reshape(-1, *[1] * (given.ndim - 1))
        combine_at(rows, numpy.broadcast_to(places, given.shape), 0, given, ufunc)
    elif kernels.is_half(kind):
        for place, part in zip(places.tolist(), given, strict=True):
            rows[place] = kernels.quiet(ufunc, rows[place], part)
    else:
        kernels.quiet(ufunc.at, rows, places, given)


def _shared_out(rows: Array, places: Array, include_self: bool, kind: dtype) -> None:
    """From sums to means: of integers, rounded down."""
    if kind is dtypes.bool:
        raise missing_kernel("div_floor_cpu", kind.label)
    counts = numpy.bincount(places, minlength=len(rows)) + include_self
    # A count is a number of the dtype itself, and may not be one that it holds.
    shown = kernels.cast(numpy.maximum(counts, 1), kind).reshape(-1, *[1] * (rows.ndim - 1))
    divide: Any = numpy.floor_divide if kind.category == 1 else numpy.divide
    rows[...] = kernels.quiet(divide, rows, shown)


@paired(
    strict=True,
    derivative=Rule(
        "IndexReduceBackward0",
        applies=_can_differ,
        input=lambda g, c: reduced_by_input(g, _each(c)),
        source=lambda g, c: reduced_by_src(g, _each(c), _TWICE),
    ),
    rounded=1,  # PyTorch's two loops divide complex numbers in two ways
)
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> None:
    """A copy in which each slice along one dimension is the product, mean, largest or smallest of those sent there.

    Args:
        index: where each slice of `source` goes; int64 or int32, with one dimension or none, none negative.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what the slice held before counts too.

    Raises:
        IndexError: for an index out of range. RuntimeError: for another dtype, size, or an unknown `reduce`.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # PyTorch says that it may still change
    ...     tk.ones(3).index_reduce(0, tk.tensor([0, 2, 0]), tk.tensor([2.0, 3.0, 4.0]), "prod")
    tensor([8., 1., 3.])
    """
    if reduce not in _UFUNCS:
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    axis, kind = normalise_dim(dim, input.dim()), input._dtype
    check_slices("index_reduce_", input, axis, index, source)
    check_memory(input, index, source)
    warn("index_reduce() is in beta and the API may change at any time.")
    if META in (input._device, index._device):
        return
    _check_kernel(kind, reduce, input.dim(), include_self)
    if is_on_device(input):
        _reduced_on_device(input, axis, index, source, reduce, include_self)
        return
    places = host_array(index).reshape(-1)
    host, rows = rows_along(input, axis)
    if places.size and (places.min() < 0 or places.max() >= len(rows)):
        raise IndexError("index out of range in self")
    given = host_array(source)
    given = numpy.moveaxis(given, axis, 0) if given.ndim else given.reshape(1)
    if not include_self:
        rows[places] = _begin(reduce, kind)
    _combined(rows, places, given, reduce, kind)
    if reduce == "mean" and places.size:
        _shared_out(rows, places, include_self, kind)
    bring_back(input, host)


def _reduced_on_device(
    input: Any, axis: int, index: Any, source: Any, reduce: str, include_self: bool
) -> None:
    """The same with an index for every element: whether one is out of range the kernel notes."""
    if not input.dim():
        input, source = input.view(1), source.reshape(1)
    size = source.size()
    each = index.reshape([-1 if d == axis else 1 for d in range(len(size))]).expand(size).to(dtypes.int64)
    lacks = (dtypes.bool,) if reduce == "mean" else ()
    scattered(input, axis, each, source, reduce, "div_floor_cuda", include_self, lacks)
