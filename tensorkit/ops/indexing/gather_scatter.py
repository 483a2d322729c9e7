"""Reading and writing along one dimension with an index for every element: gather, scatter and its kin.

All bounds are checked before anything is written.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable, wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.plan import brief
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import gather_compiled, parallel, tiny
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction.arguments import axis_of_small, small
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.out_and_inplace import (
    INTEGERS,
    bring_back,
    check_memory,
    delivered,
    element,
    host_of,
    paired,
    real_alone,
    result_in,
)
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import host_array
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "combine_at",
    "gather",
    "reduced_by_input",
    "reduced_by_src",
    "scatter",
    "scatter_add",
    "scatter_reduce",
]


# -- an index for every element -----------------------------------------------------------------------------------


def _wide(size: tuple[int, ...]) -> tuple[int, ...]:
    return size or (1,)


def _check_gather(input: Tensor, axis: int, index: Tensor) -> None:
    if index._dtype not in INTEGERS:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    own, have = _wide(input._lay().size), _wide(index._lay().size)
    if len(own) != len(have):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, n in enumerate(have):
        if d != axis and n > own[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._lay().size)} to be no larger than "
                f"self {list(input._lay().size)} apart from dimension {axis}"
            )


def _check_within(index: Array, axis: int, n: int) -> None:
    """Refuse an index out of range, the one that PyTorch meets first; here none counts from the end."""
    if not parallel.within(index, n):
        others = index.size // index.shape[axis]
        inner = axis == index.ndim - 1 or others < index.shape[axis]
        walked = numpy.moveaxis(index, axis, -1 if inner else 0).reshape(-1)
        value = walked[(walked < 0) | (walked >= n)][0]
        raise RuntimeError(f"index {value} is out of bounds for dimension {axis} with size {n}")


def _window(array: Array, index: Array, axis: int) -> Array:
    """The part of an array that an index, smaller in some of the other dimensions, speaks of."""
    cut = tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(index.shape))
    return array[cut]


def _gather_at_once(input: Any = None, dim: Any = None, index: Any = None, *more: Any) -> Tensor | None:
    if more or input.__class__ is not Tensor or index.__class__ is not Tensor or wants_grad(input):
        return None
    return _few_gathered(input, dim, index)


@op(
    samples=(
        sample("tk.gather(a, 0, tk.tensor([[0, 1, 2], [2, 1, 0]]))", a=(3, 4)),
        sample("a.gather(1, tk.tensor([[0, 3, 3], [2, 1, 0]]))", a=(3, 4)),
        sample("a.gather(-1, tk.tensor([[1], [0]], dtype=tk.int32))", a=(2, 3)),
        sample("a.gather(0, tk.tensor(0))", a=(3,)),
        sample("a.gather(0, tk.tensor([0, 0]))", a=()),
        sample("a.gather(0, tk.tensor([0, 3]))", a=(3,)),
        sample("a.gather(0, tk.tensor([0, 1]))", a=(3, 4)),
        sample("a.gather(0, tk.tensor([[0, 0, 0, 0, 0]]))", a=(3, 4)),
        sample("a.gather(0, b)", a=(3,), b=(2,)),
        sample("a.gather(1, tk.zeros(3, 0, dtype=tk.int64))", a=(3, 4)),
        sample("a.gather(2, tk.tensor([0]))", a=(3,)),
        sample("a.gather(0, [0])", a=(3,)),
        sample("tk.gather(a, 0, tk.tensor([2, 0]), out=tk.empty(5, dtype=a.dtype))", a=(3,)),
        sample("tk.gather(a, 0, tk.tensor([2, 0]), out=tk.zeros(2, dtype=tk.float64))", a=(3,)),
    ),
    kind="copy",
    derivative=Rule(
        "GatherBackward0",
        input=lambda g, c: g.new_zeros(c.input_face.size).scatter_add_(c.dim, c.index, g),
    ),
    first=_gather_at_once,
)
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None
) -> Tensor:
    """The elements that `index` names along one dimension: ``out[i, j] = input[index[i, j], j]`` for ``dim=0``.

    Args:
        index: int64 or int32, with as many dimensions; no larger than `input` in the others. None is negative.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size.

    >>> import tensorkit as tk
    >>> tk.gather(tk.tensor([[1, 2], [3, 4]]), 1, tk.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.gather.html
    """
    if out is None and not sparse_grad and (found := _few_gathered(input, dim, index)) is not None:
        return found
    axis = normalise_dim(dim, input.dim())
    size = index._lay().size
    if out is not None:
        out = result_in(out, input._dtype, size, (input, index))
    if index.numel():
        _check_gather(input, axis, index)
        if input._dtype in LIMITED:
            raise missing_kernel("scatter_gather_tensor_cpu", input._dtype.label)
    if META in (input._device, index._device) or not index.numel():
        made = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    else:
        made = delivered(_gathered(host_array(input), host_array(index), axis), input)
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


_FEW = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
_INT64 = _FEW[3:]


def _as_matrices(dim: Any, *arrays: Array) -> tuple[Any, ...] | None:
    """A plain dimension from the front, and matrices: of vectors, those of one row. None for anything else."""
    ndim = arrays[0].ndim
    if dim.__class__ is not int or not -ndim <= dim < ndim or ndim > 2:
        return None
    for array in arrays:
        if array.ndim != ndim:
            return None
    return (dim % 2, *arrays) if ndim == 2 else (1, *[array[None] for array in arrays])


def _few_gathered(input: Tensor, dim: Any, index: Tensor) -> Tensor | None:
    """`gather` from a vector or matrix of few elements; None for the way that others take."""
    some = _some_gathered(input, dim, index)
    if some is not None:
        return some
    array, places = small(input, _FEW, True), small(index, _INT64, True)
    if array is None or places is None:
        return None
    if array.size == places.size == 1 and array.ndim == places.ndim:
        known = axis_of_small(array, dim) is not None and places.item() == 0
        return fresh(array.copy(), input._dtype) if known else None
    laid = _as_matrices(dim, array, places)
    if laid is None:
        return None
    axis, rows, wanted = laid
    if wanted.shape[1 - axis] > rows.shape[1 - axis]:
        return None
    try:
        return fresh(tiny.gathered(rows, wanted, axis).reshape(places.shape), input._dtype)
    except IndexError:
        return None  # refused in PyTorch's words


def _some_gathered(input: Tensor, dim: Any, index: Tensor) -> Tensor | None:
    """The same from some hundreds of elements, however they lie, by a compiled loop."""
    places = brief(index, _INT64)
    if places is None or places.size <= tiny.FEW or tracing.active or (array := brief(input, _FEW)) is None:
        return None
    if array.ndim == places.ndim == 2 and dim.__class__ is int and -2 <= dim < 2:
        axis, rows, wanted = dim % 2, array, places  # `_as_matrices`, written out
    elif (laid := _as_matrices(dim, array, places)) is not None:
        axis, rows, wanted = laid
    else:
        return None
    if wanted.shape[1 - axis] > rows.shape[1 - axis]:
        return None  # refused in PyTorch's words
    found = gather_compiled.gather(rows, wanted, axis)
    if found is None:
        return None
    return fresh(found if places.ndim == 2 else found.reshape(places.shape), input._dtype)


_ADDED = (dtypes.float32, dtypes.float64, dtypes.int64)


def _some_added(input: Any, dim: Any = None, index: Any = None, src: Any = None, *rest: Any) -> Tensor | None:
    """`scatter_add` of few elements, or of some hundreds by a compiled loop; None for the way that others take."""
    if rest or not (input.__class__ is index.__class__ is src.__class__ is Tensor):
        return None
    array, places, values = brief(input, _ADDED), brief(index, _INT64), brief(src, _ADDED)
    if array is None or places is None or values is None or input._dtype is not src._dtype:
        return None
    if places.size == 1 and array.size == values.size == 1 and array.ndim == places.ndim == values.ndim:
        if axis_of_small(array, dim) is None or places.item() != 0:
            return None  # refused in PyTorch's words
        try:
            return fresh(kernels.quiet_here(numpy.add, array, values), input._dtype)
        except RuntimeError:
            return None  # another thread is inside
    made = array.copy()
    laid = _as_matrices(dim, made, places, values)
    if laid is None:
        return None
    axis, target, wanted, given = laid
    rows, columns = wanted.shape
    if wanted.shape[1 - axis] > target.shape[1 - axis] or rows > given.shape[0] or columns > given.shape[1]:
        return None
    if given.shape != wanted.shape:
        given = given[:rows, :columns]
    if places.size >= parallel.SOME:
        return fresh(made, input._dtype) if gather_compiled.add_at(target, wanted, axis, given) else None
    if not tiny.within(places, target.shape[axis]):
        return None  # refused in PyTorch's words
    width = target.shape[1]
    if axis:
        flat = [r * width + place for r, line in enumerate(wanted.tolist()) for place in line]
    else:
        flat = [c + width * place for line in wanted.tolist() for c, place in enumerate(line)]
    try:
        tiny.add_at(made, flat, given)
    except ValueError:
        return None  # a sum of integers that wraps around
    return fresh(made, input._dtype)


def _gathered(array: Array, index: Array, axis: int) -> Array:
    whole, wide = numpy.atleast_1d(array), numpy.atleast_1d(index)
    short = parallel.gathered(whole, wide, axis)
    if short is not None:
        return short
    _check_within(wide, axis, whole.shape[axis])
    if wide.ndim == 1:
        return numpy.take(whole, wide).reshape(index.shape)
    return numpy.take_along_axis(_window(whole, wide, axis), wide, axis)


def _check_scatter(input: Tensor, axis: int, index: Tensor, src: Tensor | None) -> None:
    if index.numel() and index._dtype not in INTEGERS:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if src is not None and src._dtype is not input._dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.numel():
        return
    own, have = _wide(input._lay().size), _wide(index._lay().size)
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
        if len(_wide(given)) != len(own):
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
        numpy.put_along_axis(_window(target, index, axis), index, values, axis)
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
    """Of zeros of either sign the first one stays, where NumPy's largest and smallest are the last one."""
    meet = (target[key] == 0) & (values == 0)
    if meet.any():
        # The last to be written stays. Copies, because NumPy walks arrays that all run backwards from their end.
        *places, zeros = (numpy.broadcast_to(a, meet.shape)[meet][::-1].copy() for a in (*key, values))
        target[tuple(places)] = zeros
    stays = (target == 0) & (before == 0)
    target[stays] = before[stays]


def _scattered(
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
    _check_scatter(input, axis, index, source if isinstance(source, Tensor) else None)
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
    places = numpy.atleast_1d(host_array(index)).astype(numpy.int64, copy=False)
    host = host_of(input)
    target = host._nd().reshape(1) if not input.dim() else host._nd()
    _check_within(places, axis, target.shape[axis])
    if number is None:
        given = numpy.atleast_1d(host_array(source))
        values = given[tuple(slice(n) for n in places.shape)]
    else:
        values = number
    if not include_self and reduce is not None:
        first = _neutral(reduce, input._dtype)
        numpy.put_along_axis(_window(target, places, axis), places, first, axis)
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


@paired(
    samples=(
        sample("tk.scatter(a, 0, tk.tensor([[0, 1, 2], [2, 1, 0]]), 2)", a=(3, 4)),
        sample("a.scatter(1, tk.tensor([[0, 3], [2, 1]]), b)", a=(3, 4), b=(2, 2)),
        sample("a.scatter(0, tk.tensor([2, 0]), b)", a=(3,), b=(2,)),
        sample("a.scatter(0, tk.tensor([1, 0]), value=1.5)", a=(2,)),
        sample("a.scatter(0, tk.tensor([0, 0, 1]), b, reduce='add')", a=(2,), b=(3,)),
        sample("a.scatter(0, tk.tensor([0, 0, 1]), 2, reduce='multiply')", a=(2,)),
        sample("a.scatter(0, tk.tensor([0]), 2, reduce='max')", a=(2,)),
        sample("a.scatter(0, tk.tensor([0, 7]), b)", a=(2,), b=(3,)),
        sample("a.scatter(0, tk.tensor([[0]]), b)", a=(2,), b=(3,)),
        sample("a.scatter(0, tk.tensor([0]), 'x')", a=(2,)),
        sample("a.scatter(0, tk.tensor([0]))", a=(2,)),
        sample("tk.scatter(a, 0, tk.tensor([0]), 1, out=tk.empty(0, dtype=a.dtype))", a=(2,)),
    ),
    inplace=(
        sample("a.scatter_(0, tk.tensor([[0, 1, 2], [2, 1, 0]]), 2)", a=(3, 4)),
        sample("a.scatter_(0, tk.tensor([1, 0]), b)", a=(2,), b=(2,)),
        sample("a.scatter_(0, tk.tensor([0, 2]), b)", a=(2,), b=(2,)),
        sample("a.scatter_(0, tk.tensor([0]), a)", a=(2,)),
    ),
    derivative=Rule(_scatter_name, input=_unscattered, src=_collected),
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

    >>> import tensorkit as tk
    >>> tk.zeros(2, 3).scatter(1, tk.tensor([[0], [2]]), 1)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
    """
    given = src if value is None else plain_number(value)
    if value is not None and (src is not None or isinstance(given, Tensor)):
        raise TypeError  # said in PyTorch's words by whoever was called
    if not isinstance(given, (Tensor, *NUMBERS)) or not isinstance(index, Tensor):
        raise unmatched("scatter", [dim, index, *([] if given is None else [given])], {}, _SCATTER_FORMS)
    if isinstance(given, Tensor) and isinstance(reduce, str):
        warn(
            "The reduce argument of tensorkit.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use tensorkit.scatter_reduce instead for more reduction options."
        )
    if reduce is not None and reduce not in ("add", "multiply"):
        axis = normalise_dim(dim, input.dim())
        _check_scatter(input, axis, index, given if isinstance(given, Tensor) else None)
        raise RuntimeError(_REDUCE_OLD)
    kernel = "scatter_gather_tensor_cpu" if isinstance(given, Tensor) else "scatter_gather_scalar_cpu"
    _scattered(input, dim, index, given, reduce, kernel)


@paired(
    samples=(
        sample("tk.scatter_add(a, 0, tk.tensor([[0, 1, 2], [0, 1, 0]]), b)", a=(3, 4), b=(2, 3)),
        sample("a.scatter_add(-1, tk.tensor([[0, 3], [2, 2]]), b)", a=(3, 4), b=(2, 2)),
        sample("a.scatter_add(0, tk.tensor([0, 0]), b)", a=(), b=(2,)),
        sample("a.scatter_add(0, tk.tensor([0, 5]), b)", a=(3,), b=(2,)),
        sample("a.scatter_add(0, tk.tensor([0, 1]), 1)", a=(3,)),
        sample("tk.scatter_add(a, 0, tk.tensor([0, 1]), b, out=tk.empty(3, dtype=a.dtype))", a=(3,), b=(2,)),
    ),
    inplace=(
        sample("a.scatter_add_(0, tk.tensor([[0, 1, 2], [0, 1, 0]]), b)", a=(3, 4), b=(2, 3)),
        sample("a.scatter_add_(0, tk.tensor([0, 5]), b)", a=(3,), b=(2,)),
    ),
    derivative=Rule("ScatterAddBackward0", input=lambda g, c: g, src=lambda g, c: g.gather(c.dim, c.index)),
    quickly=_some_added,
)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """A copy with the elements of `src` added at the places that `index` names along one dimension.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size.

    >>> import tensorkit as tk
    >>> tk.zeros(3).scatter_add(0, tk.tensor([0, 2, 0]), tk.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html
    """
    if not isinstance(src, Tensor):
        raise TypeError
    _scattered(input, dim, index, src, "add", "scatter_gather_tensor_cpu")


# -- scatter_reduce -----------------------------------------------------------------------------------------------


def _counts(like: Any, c: Any) -> Any:
    start = like.new_ones(like.size()) if c.include_self else like.new_zeros(like.size())
    counts = start.scatter_add(c.dim, c.index, like.new_ones(c.src_face.size))
    return counts.masked_fill(counts.eq(0), 1)


def _shares(g: Any, c: Any) -> Any:
    """Of a maximum that several hold: how much each of them gets."""
    own = c.input.eq(c.out).to(g.dtype)
    others = c.src.eq(c.out.gather(c.dim, c.index)).to(g.dtype)
    return g / own.scatter_add(c.dim, c.index, others)


def _product_by_input(g: Any, c: Any) -> Any:
    filled = c.input.masked_fill(c.input.eq(0), 1)
    products = filled.scatter_reduce(c.dim, c.index, c.src, "prod", include_self=c.include_self)
    return g * products / filled


_TWICE = (
    "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same position "
    "in self"
)


def _refuse_twice(g: Any, c: Any) -> Any:
    raise RuntimeError(c.said)


def _same(input: Tensor, said: str) -> Tensor:
    return input._view(input._lay())


_once = differentiable(_same, Rule("DelayedError", input=_refuse_twice), "delayed_error", "view")


def _product_by_src(g: Any, c: Any, said: str) -> Any:
    zero = c.src.eq(0)
    zeros = g.new_zeros(g.size()).scatter_add(c.dim, c.index, zero.to(g.dtype)).gather(c.dim, c.index)
    single = zero.logical_and(zeros.eq(1))
    without = c.src.masked_fill(single, 1)
    others = c.input.scatter_reduce(c.dim, c.index, without, "prod", include_self=c.include_self)
    plain = (g * c.out).gather(c.dim, c.index) / c.src.masked_fill(zero, 1)
    chosen = (g * others).gather(c.dim, c.index)
    out = where(single, chosen, plain)
    return _once(out, said) if zeros.gt(1).any().item() else out


def reduced_by_input(g: Any, c: Any) -> Any:
    """The gradient of what was there before: of `input` and `src`, sent to `index` along `dim`, `reduce` gave `out`."""
    if c.reduce == "sum":
        out = g
    elif c.reduce == "mean":
        out = g / _counts(g, c)
    elif c.reduce == "prod":
        out = _product_by_input(g, c)
    else:
        out = c.input.eq(c.out).to(g.dtype) * _shares(g, c)
    return out if c.include_self else out.scatter(c.dim, c.index, 0)


def reduced_by_src(g: Any, c: Any, said: str = _TWICE) -> Any:
    """The gradient of what was sent; `said` refuses to differentiate products of several zeros again."""
    if c.reduce == "sum":
        return g.gather(c.dim, c.index)
    if c.reduce == "mean":
        return g.gather(c.dim, c.index) / _counts(g, c).gather(c.dim, c.index)
    if c.reduce == "prod":
        return _product_by_src(g, c, said)
    held = c.src.eq(c.out.gather(c.dim, c.index)).to(g.dtype)
    return held * _shares(g, c).gather(c.dim, c.index)


_LACK_ORDER = (*LIMITED, dtypes.complex64, dtypes.complex128)


@paired(
    strict=True,
    samples=(
        sample("tk.scatter_reduce(a, 0, tk.tensor([0, 1, 0]), b, 'sum')", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([[0, 1], [0, 0]]), b, 'prod')", a=(3, 4), b=(2, 2)),
        sample("a.scatter_reduce(1, tk.tensor([[0, 0], [2, 0]]), b, 'mean')", a=(3, 4), b=(2, 2)),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'mean', include_self=False)", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'amax')", a=(3,), b=(3,)),
        sample(
            "a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, reduce='amin', include_self=False)", a=(3,), b=(3,)
        ),
        sample(
            "a.scatter_reduce(1, tk.tensor([[0, 0, 1, 1], [2, 2, 2, 0]]), b * 0, 'amin')", a=(3, 4), b=(2, 4)
        ),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'prod', include_self=False)", a=(3,), b=(3,)),
        sample("(a * 0).scatter_reduce(0, tk.tensor([[0, 1], [0, 0]]), b * 0, 'amax')", a=(3, 4), b=(2, 2)),
        sample(
            "a.scatter_reduce(0, tk.tensor([1, 1, 1]), b * 0, 'amin', include_self=False)", a=(3,), b=(3,)
        ),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'median')", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([0, 9]), b, 'sum')", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([0]), b)", a=(3,), b=(3,)),
    ),
    inplace=(
        sample("a.scatter_reduce_(0, tk.tensor([0, 1, 0]), b, 'sum')", a=(3,), b=(3,)),
        sample("a.scatter_reduce_(0, tk.tensor([0, 1, 0]), b, 'amax', include_self=False)", a=(3,), b=(3,)),
    ),
    derivative=Rule(
        "ScatterReduceBackward0",
        applies=real_alone("scatter_reduce"),
        input=reduced_by_input,
        src=reduced_by_src,
    ),
)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> None:
    """A copy in which each place holds the sum, product, mean, largest or smallest of what `src` sends there.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what the place held before counts too.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size; for an unknown `reduce`.

    >>> import tensorkit as tk
    >>> tk.zeros(2).scatter_reduce(0, tk.tensor([0, 1, 0]), tk.tensor([1.0, 2.0, 5.0]), "amax")
    tensor([5., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
    """
    if not isinstance(src, Tensor):
        raise TypeError
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        _check_scatter(input, normalise_dim(dim, input.dim()), index, src)
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    kernel = "scatter_gather_tensor_cpu"
    if reduce in ("mean", "amax", "amin"):
        kernel += f"_reduce_{reduce}"
    lacks: tuple[dtype, ...] = _LACK_ORDER if reduce in ("amax", "amin") else LIMITED
    if reduce == "mean":
        lacks = (*LIMITED, dtypes.bool)
    _scattered(input, dim, index, src, reduce, kernel, include_self, lacks)
