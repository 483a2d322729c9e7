"""Reading and writing along one dimension with an index for every slice: index_select, index_add, index_copy ....

All bounds are checked before anything is written.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided, refuse_shared
from tensorkit.elementwise.promotion import one_device
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.indexing import on_device
from tensorkit.ops.indexing.advanced_index import add_rows, take_rows
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.out_and_inplace import (
    INTEGERS,
    as_vector,
    bring_back,
    check_memory,
    delivered,
    element,
    host_of,
    paired,
    result_in,
    written,
)
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

# -- an index for every slice -------------------------------------------------------------------------------------


@op(
    kind="copy",
    derivative=Rule(
        "IndexSelectBackward0",
        input=lambda g, c: g.new_zeros(c.input_face.size).index_add_(c.dim, c.index, g),
    ),
    out_overlap="before resizing",
)
@shortened("index_select")
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices that a vector of indices names along one dimension, as a copy.

    Args:
        index: int64 or int32, with one dimension or none; no index is negative.

    Raises:
        IndexError: for an index out of range. RuntimeError: for another dtype.

    >>> tk.index_select(tk.arange(6).view(3, 2), 0, tk.tensor([2, 0]))
    tensor([[4, 5],
            [0, 1]])
    """
    axis = normalise_dim(dim, input.dim())
    count = index.numel()
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input.dim() and count != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {count} value(s)")
    if index._dtype not in INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = list(input._lay().size)
    if size:
        size[axis] = count
    if out is not None:
        complaint = "index_select(): self and result must have the same scalar type"
        out = result_in(out, input._dtype, tuple(size), (input, index), complaint)
    made = _selected(input, axis, index, tuple(size))
    return written(made, out)


def _selected(input: Tensor, axis: int, index: Tensor, size: tuple[int, ...]) -> Tensor:
    one_device(input, index)
    if META in (input._device, index._device) or not index.numel():
        return empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    if input._dtype in LIMITED and input.dim() < 2:
        raise missing_kernel("index_select", input._dtype.label)
    if is_on_device(input) and (input.numel() or input.dim() < 2):
        return on_device.selected(input, axis, index, size)
    places = host_array(index).reshape(-1)
    n = input._lay().size[axis] if input.dim() else 1
    bad = places[(places < 0) | (places >= n)] if places.min() < 0 or places.max() >= n else places[:0]
    if input.dim() > 1 and not input.numel() and not n:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if bad.size and (axis == 1 or (input.dim() > 1 and not input.numel())):
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad[0]} axis_dim={n}")
    if input.dim() > 1 and not input.numel():
        return empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    if input._dtype in LIMITED and input.dim() < 2:
        raise missing_kernel("index_select", input._dtype.label)
    if bad.size:
        raise IndexError("index out of range in self")
    array = host_array(input)
    taken = take_rows(array, places, axis) if array.ndim else array.copy()
    if tracing.active:
        tracing.copied(taken.nbytes)
    return delivered(taken, input)


def check_slices(name: str, input: Tensor, axis: int, index: Tensor, source: Tensor) -> None:
    """Refuse an index or a source that does not fit, in PyTorch's order."""
    own, given = input._lay().size, source._lay().size
    if index.dim() > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.dim()} with type: "
            f"{index._dtype.label} and size: {list(index._lay().size)}"
        )
    if index._dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {index._dtype.label}")
    if source._dtype is not input._dtype:
        raise RuntimeError(
            f"{name}(): self ({input._dtype.label}) and source ({source._dtype.label}) must have the same scalar type"
        )
    if axis and axis >= len(given):
        raise RuntimeError(
            f"{name}(): Indexing dim {axis} is out of bounds of the source tensor with dim {len(given)}"
        )
    if index.numel() != (given[axis] if given else 1):
        if not given:
            raise IndexError(f"Dimension specified as {axis} but tensor has no dimensions")
        raise RuntimeError(
            f"{name}(): Number of indices ({index.numel()}) should be equal to source.size(dim): ({given[axis]}), for "
            f"dim: {axis}"
        )
    both = bool(own) and bool(given)
    if _without(own, axis, both) != _without(given, axis, both):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(own)} source.shape = {list(given)}"
        )


def _without(size: tuple[int, ...], axis: int, drop: bool = True) -> tuple[int, ...]:
    return size[:axis] + size[axis + 1 :] if drop else size


def _check_rows(index: Array, axis: int, n: int, scattered: bool) -> None:
    """Refuse an index of a slice out of range; PyTorch words it in two ways, as it scatters slices or adds them."""
    if index.size and (index.min() < 0 or index.max() >= n):
        value = index[(index < 0) | (index >= n)][0]
        if scattered:
            raise RuntimeError(f"index {value} is out of bounds for dimension {axis} with size {n}")
        raise IndexError("index out of range in self")


def rows_along(input: Tensor, axis: int) -> tuple[Tensor, Array]:
    """The tensor on the CPU, and its array with one dimension in front."""
    host = host_of(input)
    array = host._nd()
    return host, numpy.moveaxis(array, axis, 0) if array.ndim else as_vector(array)


def _slices_of(g: Any, c: Any) -> Any:
    """The gradient of what was written slice by slice."""
    if len(c.source_face.size):
        return g.index_select(c.dim, c.index).expand(c.source_face.size)
    return g.index_select(c.dim, c.index.reshape(-1)).reshape(())


@paired(
    derivative=Rule(
        "IndexAddBackward0",
        input=lambda g, c: g,
        source=lambda g, c: _slices_of(g, c) if c.alpha == 1 else times(_slices_of(g, c), c.alpha),
    ),
)
@takes("(Tensor input, int dim, Tensor index, Tensor source, *, Number alpha = 1, Tensor out = None)")
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> None:
    """A copy with the slices of `source`, times `alpha`, added to those that `index` names along one dimension.

    Raises:
        IndexError, RuntimeError: for an index out of range. RuntimeError: for another dtype or size.

    >>> tk.zeros(3).index_add(0, tk.tensor([0, 2, 0]), tk.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    if not isinstance(source, Tensor):
        raise TypeError
    alpha = plain_number(alpha)
    if not isinstance(alpha, NUMBERS):
        raise TypeError(f"index_add(): argument 'alpha' must be Number, not {type_name(alpha)}")
    axis = normalise_dim(dim, input.dim())
    check_slices("index_add_", input, axis, index, source)
    check_memory(input, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    if input.dim() > 1 and not (source.numel() and input.numel()):
        return
    if input._dtype in LIMITED:
        matrices = "scatter_gather_tensor_cpu" if alpha == 1 else "add_stub"
        raise missing_kernel(matrices if input.dim() > 1 else "index_add_", input._dtype.label)
    if is_on_device(input):
        added = source if alpha == 1 else (source * alpha).to(input._dtype)
        on_device.scattered_rows(input, axis, index, added, "add")
        return
    places = host_array(index).reshape(-1)
    host, rows = rows_along(input, axis)
    _check_rows(places, axis, rows.shape[0], input.dim() > 1 and alpha == 1)
    given = host_array(source)
    moved = numpy.moveaxis(given, axis, 0) if given.ndim else given.reshape(1)
    if alpha != 1 or (input._dtype.is_complex and input.dim() < 2):
        moved = kernels.quiet(numpy.multiply, moved, element(alpha, input._dtype))
    add_rows(rows, places, moved)
    bring_back(input, host)


def _check_restride(input: Tensor, axis: int, count: int) -> None:
    """Refuse what PyTorch refuses of a tensor without elements: it lays a row for each index over the storage."""
    lay = input._lay()
    if lay.numel or not lay.size:
        return
    size, stride = list(lay.size), list(lay.stride)
    size[axis], stride[axis] = count, 0
    item, held = input._dtype.itemsize, input._store().nbytes()
    needed = Layout(tuple(size), tuple(stride), lay.offset).reach() * item
    if needed > held:
        raise RuntimeError(
            f"setStorage: sizes {size}, strides {stride}, storage offset {lay.offset}, and itemsize {item} requiring a "
            f"storage size of {needed} are out of bounds for storage of size {held}"
        )


def _check_copy(input: Tensor, axis: int, index: Tensor, source: Tensor) -> None:
    own, given, count = input._lay().size, source._lay().size, index.numel()
    start = "index_copy_(): "
    if index.dim() > 1:
        raise IndexError(f"{start}Index should have dimension 1 or 0 (got {index.dim()})")
    if not given and count != 1:
        raise IndexError(f"{start}When source is scalar, index should have one element (got {count})")
    if len(given) != len(own) and given and own:
        raise IndexError(
            f"{start}When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(given)}), destination dimensionality ({len(own)})"
        )
    check_memory(input, index, source)
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"{start}Expected a long tensor for index, but got {index._dtype.label}")
    if source._dtype is not input._dtype:
        raise RuntimeError(
            f"{start}self and source expected to have the same dtype, but got (self) {input._dtype.label} and (source) "
            f"{source._dtype.label}"
        )
    slices = _without(own, axis), _without(given, axis)
    if slices[0] != slices[1]:
        texts = [" ".join(map(str, size)) for size in slices]
        raise RuntimeError(
            f"{start}Source/destination tensor must have same slice shapes. Destination slice shape: {texts[0]} at "
            f"dimension {axis} and source slice shape: {texts[1]} at dimension 0."
        )
    if given and count != given[axis]:
        raise IndexError(
            f"{start}Number of indices ({count}) should be equal to source.size(dim) ({given[axis]})"
        )


@paired(
    derivative=Rule(
        "IndexCopyBackward0", input=lambda g, c: g.index_fill(c.dim, c.index, 0), source=_slices_of
    )
)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """A copy with the slices of `source` in place of those that `index` names along one dimension.

    Args:
        index: int64, with one dimension or none; no index is negative.

    Raises:
        IndexError: for an index out of range. IndexError, RuntimeError: for another dtype or size.

    >>> tk.zeros(3).index_copy(0, tk.tensor([2, 0]), tk.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    axis = normalise_dim(dim, input.dim())
    _check_copy(input, axis, index, source)
    one_device(input, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    _check_restride(input, axis, index.numel())
    if input._dtype in LIMITED:
        raise missing_kernel("index_copy_cpu", input._dtype.label)
    if not source.numel():
        return
    if is_on_device(input):
        on_device.scattered_rows(input, axis, index, source, "set")
        return
    places = host_array(index).reshape(-1)
    host, rows = rows_along(input, axis)
    n = rows.shape[0]
    if places.min() < 0 or places.max() >= n:
        value = places[(places < 0) | (places >= n)][0]
        raise IndexError(f"index_copy_(): index {value} is out of bounds for dimension {axis} with size {n}")
    given = host_array(source)
    rows[places] = numpy.moveaxis(given, axis, 0) if given.ndim else given
    bring_back(input, host)


def _fill_name(arguments: dict[str, Any]) -> str:
    return "IndexFillBackward1" if isinstance(arguments["value"], Tensor) else "IndexFillBackward0"


def _filled(g: Any, c: Any) -> Any:
    """The gradient of one number written into slices: their sum, each counted once."""
    if is_on_device(g):
        return g.index_select(c.dim, c.index.unique()).sum()
    once = numpy.unique(host_array(c.index))
    return g.index_select(c.dim, fresh(once, dtypes.int64)).sum()


_FILL_FORMS = ("int dim, Tensor index, Tensor value", "int dim, Tensor index, Number value")


@paired(
    derivative=Rule(_fill_name, input=lambda g, c: g.index_fill(c.dim, c.index, 0), value=_filled),
    row_major=False,
    out=False,
)
@takes(
    "(Tensor input, int dim, Tensor index, Tensor value)",
    "(Tensor input, int dim, Tensor index, Number value)",
)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> None:
    """A copy with one number in all slices that `index` names along one dimension.

    Args:
        index: int64, with one dimension or none; negative indices count from the end.
        value: a number or a 0-d tensor.

    Raises:
        IndexError: for an index out of range. RuntimeError: when the dtype cannot hold the number.

    >>> tk.zeros(2, 2).index_fill(1, tk.tensor([-1]), 7)
    tensor([[0., 7.],
            [0., 7.]])
    """
    if not isinstance(value, (Tensor, *NUMBERS)) or not isinstance(index, Tensor):
        raise unmatched("index_fill", [dim, index, value], {}, _FILL_FORMS)
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.dim()} dimension(s)."
            )
        value = host_array(value).item()
    if index._dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    refuse_shared(input, index)
    if input._lay().has_internal_overlap() == "yes":
        warn(
            "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
        )
    if isinstance(value, complex) and not input._dtype.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    axis = normalise_dim(dim, input.dim())
    if index.dim() > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    one_device(input, index)
    if META in (input._device, index._device):
        return
    _check_restride(input, axis, index.numel())
    if input._dtype in LIMITED:
        raise missing_kernel("index_fill_cpu", input._dtype.label)
    number = element(value, input._dtype)
    size = input._lay().size
    if not index.numel() or 0 in (*size[:axis], *size[axis + 1 :]):
        return
    if is_on_device(input):
        one = to_device(fresh(number, input._dtype), input._device)
        on_device.filled_rows(input, axis, index, one)
        return
    places = host_array(index).reshape(-1)
    n = size[axis] if size else 1
    if places.min() < -n or places.max() >= n:
        bad = places[(places < -n) | (places >= n)][0]
        raise IndexError(f"index {bad} is out of bounds for dimension {axis} with size {n}")
    host, rows = rows_along(input, axis)
    rows[places] = number
    bring_back(input, host)
