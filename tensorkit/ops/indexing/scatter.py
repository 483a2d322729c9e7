"""Writing along one dimension with an index for every element: `scatter`, `scatter_add`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.ops.indexing import on_device
from tensorkit.ops.indexing.gather import check_within, size_or_one, window
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.out_and_inplace import INTEGERS, bring_back, check_memory, element, host_of, paired
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor, fresh


def check_scatter(input: Tensor, axis: int, index: Tensor, src: Tensor | None) -> None:
    if index.numel() and index._dtype not in INTEGERS:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if src is not None and src._dtype is not input._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.numel():
        return
    own, have = size_or_one(input._lay().size), size_or_one(index._lay().size)
    if len(own) != len(have):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    wrong = any(n > own[d] for d, n in enumerate(have) if d != axis)
    text = f"Expected index {list(index._lay().size)} to be no larger than self {list(input._lay().size)} apart from "
    text += f"dimension {axis}"
    if src is not None:
        given = src._lay().size
        for d, n in enumerate(have if not wrong else ()):
            wrong = wrong or n > (given[normalise_dim(d, len(given))] if given else 1)
            if wrong:
                break
        if len(size_or_one(given)) != len(own):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        text += f" and to be no larger size than src {list(given)}"
    if wrong:
        raise RuntimeError(text)


_COMBINE: dict[str, Any] = {
    "add": numpy.add,
    "sum": numpy.add,
    "mean": numpy.add,
    "multiply": numpy.multiply,
    "prod": numpy.multiply,
    "amax": numpy.maximum,
    "amin": numpy.minimum,
}


def _grid(index: Array, axis: int) -> tuple[Any, ...]:
    """The key that reads an element for every index."""
    shape = index.shape
    places = [
        numpy.arange(n).reshape([-1 if e == d else 1 for e in range(len(shape))]) for d, n in enumerate(shape)
    ]
    return tuple(index if d == axis else place for d, place in enumerate(places))


def combine_at(target: Array, index: Array, axis: int, values: Array, combine: Any) -> None:
    """Write values where the indices point, or combine them with what is there, one after the other."""
    if combine is None:
        numpy.put_along_axis(window(target, index, axis), index, values, axis)
    elif combine is numpy.add and parallel.scatter_added(target, index, axis, values):
        pass
    elif target.flags.c_contiguous and target.ndim > 1:
        # NumPy walks a flat array several times faster.
        flat = numpy.ravel_multi_index(numpy.broadcast_arrays(*_grid(index, axis)), target.shape).reshape(-1)
        many = numpy.broadcast_to(values, index.shape).reshape(-1)
        _one_by_one(target.reshape(-1), (flat,), many, combine)
    else:
        _one_by_one(target, _grid(index, axis), values, combine)


def _one_by_one(target: Array, key: tuple[Any, ...], values: Array, combine: Any) -> None:
    chooses = combine in (numpy.maximum, numpy.minimum) and target.dtype.kind not in "biu"
    before = target.copy() if chooses else target
    kernels.quiet(combine.at, target, key, values)
    if chooses:
        _keep_first_zeros(target, before, key, values)


def _keep_first_zeros(target: Array, before: Array, key: tuple[Any, ...], values: Array) -> None:
    """Keep the first of zeros of either sign, where NumPy's maximum and minimum keep the last."""
    meet = (target[key] == 0) & (values == 0)
    if meet.any():
        # The last to be written stays. Copies, because NumPy walks arrays that all run backwards from their end.
        *places, zeros = (numpy.broadcast_to(a, meet.shape)[meet][::-1].copy() for a in (*key, values))
        target[tuple(places)] = zeros
    stays = (target == 0) & (before == 0)
    target[stays] = before[stays]


def scattered(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Any,
    reduce: str | None,
    kernel: str,
    include_self: bool = True,
    lacks: tuple[dtype, ...] = LIMITED,
) -> None:
    """All of the scatter family; `source` is a tensor, or a number for every place."""
    axis = normalise_dim(dim, input.dim())
    check_scatter(input, axis, index, source if isinstance(source, Tensor) else None)
    check_memory(input, index, source)
    if not index.numel():
        return
    if not include_self and input._dtype in LIMITED:
        raise missing_kernel("scatter_reduce_exclude_input_init", input._dtype.label)
    if input._dtype in lacks:
        raise missing_kernel(kernel, input._dtype.label)
    number = None if isinstance(source, Tensor) else element(source, input._dtype)
    if META in (input._device, index._device):
        return
    if is_on_device(input):
        _scattered_on_device(input, axis, index, source, reduce, include_self)
        return
    places = numpy.atleast_1d(host_array(index)).astype(numpy.int64, copy=False)
    host = host_of(input)
    target = host._nd().reshape(1) if not input.dim() else host._nd()
    check_within(places, axis, target.shape[axis])
    if number is None:
        given = numpy.atleast_1d(host_array(source))
        values = given[tuple(slice(n) for n in places.shape)]
    else:
        values = number
    if not include_self and reduce is not None:
        first = _neutral(reduce, input._dtype)
        numpy.put_along_axis(window(target, places, axis), places, first, axis)
    if reduce is not None and kernels.is_half(input._dtype):  # rounded once, at the end
        wide, many = (kernels.cast(array, dtypes.float32) for array in (target, values))
        combine_at(wide, places, axis, many, _COMBINE[reduce])
        target[...] = kernels.cast(wide, input._dtype)
    else:
        combine_at(target, places, axis, values, None if reduce is None else _COMBINE[reduce])
    if reduce == "mean":
        _divide(target, places, axis, include_self, input._dtype)
    if not host._nd().shape and not numpy.shares_memory(host._nd(), target):
        host._nd()[...] = target[0]
    bring_back(input, host)


_ON_DEVICE = {
    None: "set",
    "add": "add",
    "sum": "add",
    "mean": "add",
    "multiply": "multiply",
    "prod": "multiply",
}


def _scattered_on_device(
    input: Tensor, axis: int, index: Tensor, source: Any, reduce: str | None, include_self: bool
) -> None:
    """The same by kernels, on a CUDA device."""
    if not isinstance(source, Tensor):
        source = to_device(fresh(element(source, input._dtype), input._dtype), input._device)
    if not include_self and reduce is not None:
        first = fresh(element(_neutral(reduce, input._dtype), input._dtype), input._dtype)
        on_device.scattered(input, axis, index, to_device(first, input._device), "set")
    if reduce == "mean":
        wide = (
            input if input._dtype.category == 1 else input.cdouble() if input.is_complex() else input.double()
        )
        many = input.new_full(input._lay().size, int(include_self), dtype=dtypes.int64)
        on_device.scattered(many, axis, index, many.new_ones(()), "add")
        total = wide.clone()
        on_device.scattered(total, axis, index, source.to(total._dtype), "add")
        mode = "floor" if input._dtype.category == 1 else None
        copy_into(input, total.div(many.clamp(min=1), rounding_mode=mode))
        return
    on_device.scattered(input, axis, index, source, _ON_DEVICE.get(reduce) or str(reduce))


def _neutral(reduce: str, kind: dtype) -> Any:
    """What leaves every number as it is."""
    if reduce in ("amax", "amin"):
        low = reduce == "amax"
        if kind.category == 0:
            return not low
        if kind.category == 1:
            info = numpy.iinfo(kind.numpy)
            return info.min if low else info.max
        return -numpy.inf if low else numpy.inf
    return 1 if reduce == "prod" else 0


def _divide(target: Array, index: Array, axis: int, include_self: bool, kind: dtype) -> None:
    """Sums into means; those of whole numbers are rounded down."""
    count = numpy.zeros(target.shape, numpy.int64)
    kernels.quiet(numpy.add.at, count, _grid(index, axis), 1)
    count = numpy.maximum(count + include_self, 1)
    _quotient(target, count, kind)


def _quotient(target: Array, count: Array, kind: dtype) -> None:
    if kind.category == 1:
        target[...] = kernels.quiet(numpy.floor_divide, target, count.astype(target.dtype))
    else:
        wide = dtypes.float32 if kernels.is_half(kind) else kind
        sums = kernels.cast(target, wide)
        target[...] = kernels.cast(kernels.quiet(numpy.divide, sums, count.astype(sums.dtype)), kind)


_REDUCE_OLD = "reduce argument must be either add or multiply."


def _scatter_name(arguments: dict[str, Any]) -> str:
    if arguments.get("reduce") is not None:
        return "NotImplemented"
    return "ScatterBackward0" if isinstance(arguments.get("src"), Tensor) else "ScatterBackward1"


def _refuse(g: Any, c: Any) -> None:
    if c.reduce is not None:
        raise RuntimeError("derivative for aten::scatter is not implemented")


def _unscattered(g: Any, c: Any) -> Any:
    _refuse(g, c)
    return g.scatter(c.dim, c.index, 0)


def _collected(g: Any, c: Any) -> Any:
    _refuse(g, c)
    return g.gather(c.dim, c.index)


_SCATTER_FORMS = (
    "int dim, Tensor index, Tensor src",
    "int dim, Tensor index, Tensor src, *, str reduce",
    "int dim, Tensor index, Number value",
    "int dim, Tensor index, Number value, *, str reduce",
)


@paired(derivative=Rule(_scatter_name, input=_unscattered, src=_collected), out_overlap="before resizing")
@takes(
    "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)",
)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> None:
    """A copy with the elements of `src`, or one number, at the places that `index` names along one dimension.

    ``out[index[i, j], j] = src[i, j]`` for ``dim=0``; of two values for one place the last stays.

    Args:
        src: a tensor of the same dtype, no smaller than `index`; or a number.
        reduce: ``"add"`` or ``"multiply"``: combine with what is there.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size.

    >>> tk.zeros(2, 3).scatter(1, tk.tensor([[0], [2]]), 1)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    given = src if value is None else plain_number(value)
    if value is not None and (src is not None or isinstance(given, Tensor)):
        raise TypeError  # the caller says it in PyTorch's words
    if not isinstance(given, (Tensor, *NUMBERS)) or not isinstance(index, Tensor):
        raise unmatched("scatter", [dim, index, *([] if given is None else [given])], {}, _SCATTER_FORMS)
    if isinstance(given, Tensor) and isinstance(reduce, str):
        warn(
            "The reduce argument of tensorkit.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use tensorkit.scatter_reduce instead for more reduction options."
        )
    if reduce is not None and reduce not in ("add", "multiply"):
        axis = normalise_dim(dim, input.dim())
        check_scatter(input, axis, index, given if isinstance(given, Tensor) else None)
        raise RuntimeError(_REDUCE_OLD)
    kernel = "scatter_gather_tensor_cpu" if isinstance(given, Tensor) else "scatter_gather_scalar_cpu"
    scattered(input, dim, index, given, reduce, kernel)


@paired(
    derivative=Rule("ScatterAddBackward0", input=lambda g, c: g, src=lambda g, c: g.gather(c.dim, c.index)),
    out_overlap="before resizing",
)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """A copy with the elements of `src` added at the places that `index` names along one dimension.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size.

    >>> tk.zeros(3).scatter_add(0, tk.tensor([0, 2, 0]), tk.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    if not isinstance(src, Tensor):
        raise TypeError
    scattered(input, dim, index, src, "add", "scatter_gather_tensor_cpu")
