"""Reading and writing along one dimension, at places that a tensor names: gather, scatter, index_add, take.

``gather`` and ``scatter`` have an index for every element; the ``index_`` operations have one for every slice; ``take``
and ``put`` count the elements of the whole tensor. All bounds are checked before anything is written.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit import layout as layouts
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.autograd.mode import state
from tensorkit.device import CPU, META
from tensorkit.dispatch import Sample, differentiable, missing_kernel, op, registry, sample, unmatched
from tensorkit.dtypes import dtype
from tensorkit.elementwise import NUMBERS, check_writable, empty_strided, resize_out
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels import cpu as kernels
from tensorkit.layout import Layout, normalise_dim
from tensorkit.ops.advanced import CPP_NAMES, LIMITED, refuse_shared
from tensorkit.ops.convert import copy_into, host_array, to_device, write_number
from tensorkit.ops.pointwise import where
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "gather",
    "index_select",
    "paired",
    "real_alone",
    "result_in",
    "scatter_reduce",
    "take",
    "take_along_dim",
]

_INTEGERS = (dtypes.int64, dtypes.int32)


# -- one body, three forms ----------------------------------------------------------------------------------------


def result_in(
    out: Any, kind: dtype, size: tuple[int, ...], sources: Iterable[Any], complaint: str = ""
) -> Tensor:
    """A tensor given as ``out=``, checked and resized; its dtype must be the result's.

    Raises:
        TypeError, RuntimeError: when it is no tensor, has another dtype, or shares memory with an operand.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    if out._dtype is not kind:
        raise RuntimeError(
            complaint or f"Expected out tensor to have dtype {_cpp(kind)}, but got {_cpp(out._dtype)} instead"
        )
    resize_out(out, size)
    check_writable(out)
    for source in sources:
        if isinstance(source, Tensor):
            refuse_shared(out, source)
    return out


def _cpp(kind: dtype) -> str:
    return CPP_NAMES[kind.name]


def _copy_of(input: Tensor, row_major: bool) -> Tensor:
    lay = input._lay()
    stride = layouts.contiguous_stride(lay.size) if row_major else layouts.like_strides(lay)
    out = empty_strided(lay.size, stride, input._dtype, input._device)
    copy_into(out, input)
    return out


def paired(
    *,
    samples: Iterable[Sample],
    inplace: Iterable[Sample],
    derivative: Any,
    row_major: bool = True,
    out: bool = True,
    copy: Callable[..., Tensor] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., Tensor]]:
    """Make ``name``, which writes into a copy, and ``name_``, which writes into its tensor, of one body.

    The decorated function is called ``name_``, writes into its first argument, and checks all of them before.

    Args:
        samples, inplace: calls for the tests of either form.
        row_major: whether the copy is, whatever the tensor's strides.
        out: whether the function takes ``out=``.
        copy: makes the copy from all arguments, where it is no plain one.
    """

    def register_both(body: Callable[..., None]) -> Callable[..., Tensor]:
        name = body.__name__.removesuffix("_")
        make = copy or (lambda input, *args, **kwargs: _copy_of(input, row_major))

        @functools.wraps(body)
        def changing(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            body(input, *args, **kwargs)
            input._bump()
            return input

        @functools.wraps(body)
        def copying(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            made = make(input, *args, **kwargs)
            body(made, *args, **kwargs)
            return made

        @functools.wraps(body)
        def delivering(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Tensor:
            if out is None:
                return copying(input, *args, **kwargs)
            given = (*args, *kwargs.values())
            others = given if out is input else (input, *given)
            try:
                made = copying(input, *args, **kwargs)
            except MissingKernelError:  # PyTorch has resized the output by then
                result_in(out, input._dtype, input._lay().size, others)
                raise
            result_in(out, input._dtype, made._lay().size, others)
            copy_into(out, made)
            out._bump()
            return out  # type: ignore[no-any-return]

        rest = (body.__doc__ or "").partition("\n\n")[2]
        changing.__doc__ = f"In-place form of ``{name}``: this tensor itself is written to.\n\n{rest}"
        op(samples=inplace, kind="inplace", function=False, name=f"{name}_", derivative=derivative)(changing)
        form = _with_out(delivering, body) if out else copying
        form.__name__ = name
        return op(samples=samples, kind="copy", name=name, derivative=derivative)(form)

    return register_both


def _with_out(function: Callable[..., Tensor], body: Callable[..., None]) -> Callable[..., Tensor]:
    """The function with the signature of the body, and ``out=`` besides."""
    import inspect

    signature = inspect.signature(body)
    extra = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), extra]
    )
    function.__kwdefaults__ = {"out": None}
    return function


def real_alone(name: str) -> Callable[[dict[str, Any]], bool]:
    """PyTorch has these operations' derivatives for real numbers alone; a call that is wrong besides fails for that."""

    def applies(call: dict[str, Any]) -> bool:
        wanted = any(isinstance(value, Tensor) and requires_grad(value) for value in call.values())
        if call["input"]._dtype.is_complex and state.grad and wanted:
            plain = {k: v.detach() if isinstance(v, Tensor) else v for k, v in call.items() if v is not None}
            function = registry[name].function
            assert function is not None
            function(**plain)
            raise RuntimeError(
                f"{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


def _host(input: Tensor) -> Tensor:
    """The tensor itself on the CPU, a copy from elsewhere, which `_return` brings back."""
    return input if input._device == CPU else to_device(input, CPU)


def _return(input: Tensor, host: Tensor) -> None:
    if host is not input:
        copy_into(input, host)


def _delivered(array: Array, input: Tensor) -> Tensor:
    return to_device(fresh(numpy.ascontiguousarray(array).reshape(array.shape), input._dtype), input._device)


def _check_memory(input: Tensor, *sources: Any) -> None:
    check_writable(input)
    for source in sources:
        if isinstance(source, Tensor):
            refuse_shared(input, source)


def _one(value: Any, kind: dtype) -> Array:
    """A number as an element of a dtype, which must be able to hold it."""
    one = empty_strided((), (), kind, CPU)
    write_number(one, value)
    return one._nd()


# -- an index for every element -----------------------------------------------------------------------------------


def _wide(size: tuple[int, ...]) -> tuple[int, ...]:
    return size or (1,)


def _check_gather(input: Tensor, axis: int, index: Tensor) -> None:
    if index._dtype not in _INTEGERS:
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
    if index.size and (index.min() < 0 or index.max() >= n):
        others = index.size // index.shape[axis]
        inner = axis == index.ndim - 1 or others < index.shape[axis]
        walked = numpy.moveaxis(index, axis, -1 if inner else 0).reshape(-1)
        value = walked[(walked < 0) | (walked >= n)][0]
        raise RuntimeError(f"index {value} is out of bounds for dimension {axis} with size {n}")


def _window(array: Array, index: Array, axis: int) -> Array:
    """The part of an array that an index, smaller in some of the other dimensions, speaks of."""
    cut = tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(index.shape))
    return array[cut]


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
        index=lambda g, c: None,
    ),
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
    axis = normalise_dim(dim, input.dim())
    size = index._lay().size
    if out is not None:
        out = result_in(out, input._dtype, size, (input, index))
    if index.numel():
        _check_gather(input, axis, index)
        if input._dtype in LIMITED:
            raise missing_kernel("scatter_gather_tensor_cpu", input._dtype.label)
    if META in (input._device, index._device) or not index.numel():
        made = empty_strided(size, layouts.contiguous_stride(size), input._dtype, input._device)
    else:
        made = _delivered(_gathered(host_array(input), host_array(index), axis), input)
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


def _gathered(array: Array, index: Array, axis: int) -> Array:
    whole, wide = numpy.atleast_1d(array), numpy.atleast_1d(index)
    _check_within(wide, axis, whole.shape[axis])
    if wide.ndim == 1:
        return numpy.take(whole, wide).reshape(index.shape)
    return numpy.take_along_axis(_window(whole, wide, axis), wide, axis)


def _check_scatter(input: Tensor, axis: int, index: Tensor, src: Tensor | None) -> None:
    if index.numel() and index._dtype not in _INTEGERS:
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


def _combine(target: Array, index: Array, axis: int, values: Array, combine: Any) -> None:
    """Write values where the indices point, or combine them with what is there, one after the other."""
    if combine is None:
        numpy.put_along_axis(_window(target, index, axis), index, values, axis)
    elif target.flags.c_contiguous and target.ndim > 1:
        # NumPy walks a flat array several times faster.
        flat = numpy.ravel_multi_index(numpy.broadcast_arrays(*_grid(index, axis)), target.shape).reshape(-1)
        kernels.quiet(
            combine.at, target.reshape(-1), flat, numpy.broadcast_to(values, index.shape).reshape(-1)
        )
    else:
        kernels.quiet(combine.at, target, _grid(index, axis), values)


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
    _check_memory(input, index, source)
    if not index.numel():
        return
    if not include_self and input._dtype in LIMITED:
        raise missing_kernel("scatter_reduce_exclude_input_init", input._dtype.label)
    if input._dtype in lacks:
        raise missing_kernel(kernel, input._dtype.label)
    number = None if isinstance(source, Tensor) else _one(source, input._dtype)
    if META in (input._device, index._device):
        return
    places = numpy.atleast_1d(host_array(index)).astype(numpy.int64, copy=False)
    host = _host(input)
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
    _combine(target, places, axis, values, None if reduce is None else _COMBINE[reduce])
    if reduce == "mean":
        _divide(target, places, axis, include_self, input._dtype)
    if not host._nd().shape and not numpy.shares_memory(host._nd(), target):
        host._nd()[...] = target[0]
    _return(input, host)


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
def scatter_(
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
    given = src if value is None else value
    if not isinstance(given, (Tensor, *NUMBERS)) or not isinstance(index, Tensor):
        raise unmatched("scatter", [dim, index, *([] if given is None else [given])], {}, _SCATTER_FORMS)
    if reduce is not None and reduce not in ("add", "multiply"):
        axis = normalise_dim(dim, input.dim())
        _check_scatter(input, axis, index, given if isinstance(given, Tensor) else None)
        raise RuntimeError(_REDUCE_OLD)
    if isinstance(given, Tensor) and reduce is not None:
        warn(
            "The reduce argument of tensorkit.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use tensorkit.scatter_reduce instead for more reduction options."
        )
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
)
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
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


def _refuse_twice(g: Any, c: Any) -> Any:
    raise RuntimeError(
        "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
        "position in self"
    )


def _same(input: Tensor) -> Tensor:
    return input._view(input._lay())


_once = differentiable(_same, Rule("DelayedError", input=_refuse_twice), "delayed_error", "view")


def _product_by_src(g: Any, c: Any) -> Any:
    zero = c.src.eq(0)
    zeros = g.new_zeros(g.size()).scatter_add(c.dim, c.index, zero.to(g.dtype)).gather(c.dim, c.index)
    single = zero.logical_and(zeros.eq(1))
    without = c.src.masked_fill(single, 1)
    others = c.input.scatter_reduce(c.dim, c.index, without, "prod", include_self=c.include_self)
    plain = (g * c.out).gather(c.dim, c.index) / c.src.masked_fill(zero, 1)
    chosen = (g * others).gather(c.dim, c.index)
    out = where(single, chosen, plain)
    return _once(out) if zeros.gt(1).any().item() else out


def _reduced_by_input(g: Any, c: Any) -> Any:
    if c.reduce == "sum":
        out = g
    elif c.reduce == "mean":
        out = g / _counts(g, c)
    elif c.reduce == "prod":
        out = _product_by_input(g, c)
    else:
        out = c.input.eq(c.out).to(g.dtype) * _shares(g, c)
    return out if c.include_self else out.scatter(c.dim, c.index, 0)


def _reduced_by_src(g: Any, c: Any) -> Any:
    if c.reduce == "sum":
        return g.gather(c.dim, c.index)
    if c.reduce == "mean":
        return g.gather(c.dim, c.index) / _counts(g, c).gather(c.dim, c.index)
    if c.reduce == "prod":
        return _product_by_src(g, c)
    held = c.src.eq(c.out.gather(c.dim, c.index)).to(g.dtype)
    return held * _shares(g, c).gather(c.dim, c.index)


_LACK_ORDER = (*LIMITED, dtypes.complex64, dtypes.complex128)


@paired(
    samples=(
        sample("tk.scatter_reduce(a, 0, tk.tensor([0, 1, 0]), b, 'sum')", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([[0, 1], [0, 0]]), b, 'prod')", a=(3, 4), b=(2, 2)),
        sample("a.scatter_reduce(1, tk.tensor([[0, 0], [2, 0]]), b, 'mean')", a=(3, 4), b=(2, 2)),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'mean', include_self=False)", a=(3,), b=(3,)),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'amax')", a=(3,), b=(3,)),
        sample(
            "a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, reduce='amin', include_self=False)", a=(3,), b=(3,)
        ),
        sample("a.scatter_reduce(0, tk.tensor([0, 1, 0]), b, 'prod', include_self=False)", a=(3,), b=(3,)),
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
        input=_reduced_by_input,
        src=_reduced_by_src,
    ),
)
def scatter_reduce_(
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


scatter_reduce = scatter_reduce_


# -- an index for every slice -------------------------------------------------------------------------------------


@op(
    samples=(
        sample("tk.index_select(a, 0, tk.tensor([0, 2, 0]))", a=(3, 4)),
        sample("a.index_select(-1, tk.tensor([1], dtype=tk.int32))", a=(3, 4)),
        sample("a.index_select(0, tk.tensor(1))", a=(3,)),
        sample("a.index_select(0, tk.tensor([0]))", a=()),
        sample("a.index_select(0, tk.tensor([0, 0]))", a=()),
        sample("a.index_select(0, tk.tensor([5]))", a=(3, 4)),
        sample("a.index_select(0, tk.tensor([[0]]))", a=(3, 4)),
        sample("a.index_select(0, b)", a=(3,), b=(2,)),
        sample("a.index_select(2, tk.tensor([0]))", a=(3, 4)),
        sample("a.index_select(1, tk.zeros(0, dtype=tk.int64))", a=(3, 4)),
        sample("tk.index_select(a, 0, tk.tensor([0, 1]), out=tk.empty(7, dtype=a.dtype))", a=(3,)),
        sample("tk.index_select(a, 0, tk.tensor([0, 1]), out=tk.zeros(2, dtype=tk.float64))", a=(3,)),
    ),
    kind="copy",
    derivative=Rule(
        "IndexSelectBackward0",
        input=lambda g, c: g.new_zeros(c.input_face.size).index_add_(c.dim, c.index, g),
    ),
)
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices that a vector of indices names along one dimension, as a copy.

    Args:
        index: int64 or int32, with one dimension or none; no index is negative.

    Raises:
        IndexError: for an index out of range. RuntimeError: for another dtype.

    >>> import tensorkit as tk
    >>> tk.index_select(tk.arange(6).view(3, 2), 0, tk.tensor([2, 0]))
    tensor([[4, 5],
            [0, 1]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.index_select.html
    """
    axis = normalise_dim(dim, input.dim())
    count = index.numel()
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input.dim() and count != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {count} value(s)")
    if index._dtype not in _INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = list(input._lay().size)
    if size:
        size[axis] = count
    if out is not None:
        complaint = "index_select(): self and result must have the same scalar type"
        out = result_in(out, input._dtype, tuple(size), (input, index), complaint)
    made = _selected(input, axis, index, tuple(size))
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


def _selected(input: Tensor, axis: int, index: Tensor, size: tuple[int, ...]) -> Tensor:
    if META in (input._device, index._device) or not index.numel():
        return empty_strided(size, layouts.contiguous_stride(size), input._dtype, input._device)
    places = host_array(index).reshape(-1)
    n = input._lay().size[axis] if input.dim() else 1
    bad = places[(places < 0) | (places >= n)] if places.min() < 0 or places.max() >= n else places[:0]
    if input.dim() > 1 and not input.numel() and not n:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if bad.size and (axis == 1 or (input.dim() > 1 and not input.numel())):
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad[0]} axis_dim={n}")
    if input.dim() > 1 and not input.numel():
        return empty_strided(size, layouts.contiguous_stride(size), input._dtype, input._device)
    if input._dtype in LIMITED and input.dim() < 2:
        raise missing_kernel("index_select", input._dtype.label)
    if bad.size:
        raise IndexError("index out of range in self")
    array = host_array(input)
    return _delivered(numpy.take(array, places, axis=axis) if array.ndim else array.copy(), input)


def _check_slices(name: str, input: Tensor, axis: int, index: Tensor, source: Tensor) -> None:
    own, given = input._lay().size, source._lay().size
    if index.dim() > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.dim()} with type: "
            f"{index._dtype.label} and size: {list(index._lay().size)}"
        )
    if index._dtype not in _INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {index._dtype.label}")
    if source._dtype is not input._dtype:
        raise RuntimeError(
            f"{name}(): self ({input._dtype.label}) and source ({source._dtype.label}) must have the same scalar type"
        )
    if axis and axis >= len(given):
        raise RuntimeError(
            f"{name}(): Indexing dim {axis} is out of bounds of the source tensor with shape {list(given)}"
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


def _rows(input: Tensor, axis: int) -> tuple[Tensor, Array]:
    """The tensor on the CPU, and its array with one dimension in front."""
    host = _host(input)
    array = host._nd()
    return host, numpy.moveaxis(array, axis, 0) if array.ndim else _vector(array)


def _vector(array: Array) -> Array:
    """A 0-d array as a vector over the same memory."""
    return numpy.lib.stride_tricks.as_strided(array, (1,), (array.dtype.itemsize,))


def _slices_of(g: Any, c: Any) -> Any:
    """The gradient of what was written slice by slice."""
    if len(c.source_face.size):
        return g.index_select(c.dim, c.index).expand(c.source_face.size)
    return g.index_select(c.dim, c.index.reshape(-1)).reshape(())


@paired(
    samples=(
        sample("tk.index_add(a, 0, tk.tensor([0, 2, 0]), b)", a=(3, 4), b=(3, 4)),
        sample("a.index_add(-1, tk.tensor([1, 0], dtype=tk.int32), b, alpha=2)", a=(3, 4), b=(3, 2)),
        sample("a.index_add(0, tk.tensor([1, 0]), b)", a=(3,), b=(2,)),
        sample("a.index_add(0, tk.tensor(0), b)", a=(), b=()),
        sample("a.index_add(0, tk.tensor([0, 5]), b)", a=(3, 4), b=(2, 4)),
        sample("a.index_add(0, tk.tensor([0]), b)", a=(3, 4), b=(2, 4)),
        sample("a.index_add(0, tk.tensor([0, 1]), b)", a=(3, 4), b=(2, 3)),
        sample("a.index_add(0, tk.tensor([[0]]), b)", a=(3,), b=(1,)),
        sample("a.index_add(0, tk.tensor([0]), 1)", a=(3,)),
    ),
    inplace=(
        sample("a.index_add_(0, tk.tensor([0, 2, 0]), b)", a=(3, 4), b=(3, 4)),
        sample("a.index_add_(0, tk.tensor([0, 7]), b)", a=(3,), b=(2,)),
        sample("a.index_add_(0, tk.tensor([0, 1]), a)", a=(2,)),
    ),
    derivative=Rule(
        "IndexAddBackward0",
        input=lambda g, c: g,
        source=lambda g, c: _slices_of(g, c) if c.alpha == 1 else _slices_of(g, c) * c.alpha,
    ),
)
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> None:
    """A copy with the slices of `source`, times `alpha`, added to those that `index` names along one dimension.

    Raises:
        IndexError, RuntimeError: for an index out of range. RuntimeError: for another dtype or size.

    >>> import tensorkit as tk
    >>> tk.zeros(3).index_add(0, tk.tensor([0, 2, 0]), tk.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
    """
    if not isinstance(source, Tensor):
        raise TypeError
    axis = normalise_dim(dim, input.dim())
    _check_slices("index_add_", input, axis, index, source)
    _check_memory(input, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    if input.dim() > 1 and not source.numel():
        return
    if input._dtype in LIMITED:
        matrices = "scatter_gather_tensor_cpu" if alpha == 1 else "add_stub"
        raise missing_kernel(matrices if input.dim() > 1 else "index_add_", input._dtype.label)
    places = host_array(index).reshape(-1)
    host, rows = _rows(input, axis)
    _check_rows(places, axis, rows.shape[0], input.dim() > 1 and alpha == 1)
    given = host_array(source)
    moved = numpy.moveaxis(given, axis, 0) if given.ndim else given.reshape(1)
    if alpha != 1 or (input._dtype.is_complex and input.dim() < 2):
        moved = kernels.quiet(numpy.multiply, moved, _one(alpha, input._dtype))
    kernels.quiet(numpy.add.at, rows, places, moved)
    _return(input, host)


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
    _check_memory(input, index, source)
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
    samples=(
        sample("tk.index_copy(a, 0, tk.tensor([0, 2]), b)", a=(3, 4), b=(2, 4)),
        sample("a.index_copy(-1, tk.tensor([3, 0]), b)", a=(3, 4), b=(3, 2)),
        sample("a.index_copy(0, tk.tensor(1), b)", a=(3,), b=()),
        sample("a.index_copy(0, tk.tensor([0, 5]), b)", a=(3, 4), b=(2, 4)),
        sample("a.index_copy(0, tk.tensor([0, 1]), b)", a=(3, 4), b=(2, 3)),
        sample("a.index_copy(0, tk.tensor([0, 1]), b)", a=(3, 4), b=(4,)),
        sample("a.index_copy(0, tk.tensor([0, 1]), b)", a=(3,), b=(3,)),
        sample("a.index_copy(0, tk.tensor([0, 1], dtype=tk.int32), b)", a=(3,), b=(2,)),
    ),
    inplace=(
        sample("a.index_copy_(0, tk.tensor([0, 2]), b)", a=(3, 4), b=(2, 4)),
        sample("a.index_copy_(0, tk.tensor([0, -1]), b)", a=(3,), b=(2,)),
    ),
    derivative=Rule(
        "IndexCopyBackward0", input=lambda g, c: g.index_fill(c.dim, c.index, 0), source=_slices_of
    ),
)
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """A copy with the slices of `source` in place of those that `index` names along one dimension.

    Args:
        index: int64, with one dimension or none; no index is negative.

    Raises:
        IndexError: for an index out of range. IndexError, RuntimeError: for another dtype or size.

    >>> import tensorkit as tk
    >>> tk.zeros(3).index_copy(0, tk.tensor([2, 0]), tk.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html
    """
    axis = normalise_dim(dim, input.dim())
    _check_copy(input, axis, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    _check_restride(input, axis, index.numel())
    if input._dtype in LIMITED:
        raise missing_kernel("index_copy_cpu", input._dtype.label)
    if not source.numel():
        return
    places = host_array(index).reshape(-1)
    host, rows = _rows(input, axis)
    n = rows.shape[0]
    if places.min() < 0 or places.max() >= n:
        value = places[(places < 0) | (places >= n)][0]
        raise IndexError(f"index_copy_(): index {value} is out of bounds for dimension {axis} with size {n}")
    given = host_array(source)
    rows[places] = numpy.moveaxis(given, axis, 0) if given.ndim else given
    _return(input, host)


def _fill_name(arguments: dict[str, Any]) -> str:
    return "IndexFillBackward1" if isinstance(arguments["value"], Tensor) else "IndexFillBackward0"


def _filled(g: Any, c: Any) -> Any:
    """The gradient of one number written into slices: their sum, each counted once."""
    once = numpy.unique(host_array(c.index))
    return g.index_select(c.dim, fresh(once, dtypes.int64)).sum()


_FILL_FORMS = ("int dim, Tensor index, Tensor value", "int dim, Tensor index, Number value")


@paired(
    samples=(
        sample("tk.index_fill(a, 0, tk.tensor([0, 2]), 2)", a=(3, 4)),
        sample("a.index_fill(-1, tk.tensor([3, 0]), b)", a=(3, 4), b=()),
        sample("a.index_fill(1, tk.tensor([-1, 0]), 2)", a=(3, 4)),
        sample("a.index_fill(0, tk.tensor(1), 1.5)", a=(3,)),
        sample("a.index_fill(0, tk.tensor([0]), 1)", a=()),
        sample("a.index_fill(0, tk.tensor([0, 5]), 1)", a=(3, 4)),
        sample("a.index_fill(0, tk.tensor([0]), b)", a=(3,), b=(1,)),
        sample("a.index_fill(0, tk.tensor([0], dtype=tk.int32), 1)", a=(3,)),
        sample("a.index_fill(0, tk.tensor([[0]]), 1)", a=(3,)),
        sample("a.index_fill(0, tk.tensor([0]), 1j)", a=(3,)),
        sample("a.index_fill(0, tk.tensor([0]), 'x')", a=(3,)),
        sample("a.index_fill(0, tk.zeros(0, dtype=tk.int64), 1)", a=(3,)),
    ),
    inplace=(
        sample("a.index_fill_(0, tk.tensor([0, 2]), 2)", a=(3, 4)),
        sample("a.index_fill_(0, tk.tensor([0, 0]), b)", a=(3,), b=()),
        sample("a.index_fill_(0, tk.tensor([0, 4]), 2)", a=(3, 4)),
    ),
    derivative=Rule(_fill_name, input=lambda g, c: g.index_fill(c.dim, c.index, 0), value=_filled),
    row_major=False,
    out=False,
)
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> None:
    """A copy with one number in all slices that `index` names along one dimension.

    Args:
        index: int64, with one dimension or none; negative indices count from the end.
        value: a number or a 0-d tensor.

    Raises:
        IndexError: for an index out of range. RuntimeError: when the dtype cannot hold the number.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 2).index_fill(1, tk.tensor([-1]), 7)
    tensor([[0., 7.],
            [0., 7.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html
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
    if META in (input._device, index._device):
        return
    _check_restride(input, axis, index.numel())
    if input._dtype in LIMITED:
        raise missing_kernel("index_fill_cpu", input._dtype.label)
    number = _one(value, input._dtype)
    if not index.numel() or not input.numel():
        return
    places = host_array(index).reshape(-1)
    host, rows = _rows(input, axis)
    n = rows.shape[0]
    if places.min() < -n or places.max() >= n:
        bad = places[(places < -n) | (places >= n)][0]
        raise IndexError(f"index {bad} is out of bounds for dimension {axis} with size {n}")
    rows[places] = number
    _return(input, host)


# -- places counted over the whole tensor -------------------------------------------------------------------------


def _check_flat(places: Array, n: int) -> None:
    if places.size and (places.min() < -n or places.max() >= n):
        bad = places[(places < -n) | (places >= n)][0]
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.")


@op(
    samples=(
        sample("tk.take(a, tk.tensor([0, 5, -1]))", a=(3, 4)),
        sample("a.take(tk.tensor([[0, 2], [1, 1]]).t())", a=(3,)),
        sample("a.take(tk.tensor(0))", a=()),
        sample("a.take(tk.tensor([12]))", a=(3, 4)),
        sample("a.take(tk.tensor([0], dtype=tk.int32))", a=(3,)),
        sample("a.take(tk.zeros(0, dtype=tk.int64))", a=(3,)),
        sample("a.take([0])", a=(3,)),
        sample("tk.take(a, tk.tensor([0, 1]), out=tk.empty(5, dtype=a.dtype))", a=(3,)),
        sample("tk.take(a, tk.tensor([0, 1]), out=tk.zeros(2, dtype=tk.float64))", a=(3,)),
    ),
    kind="copy",
    derivative=Rule(
        "TakeBackward0",
        input=lambda g, c: g.new_zeros(c.input_face.size).put_(c.index, g, accumulate=True),
    ),
)
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at the given places, counted in row-major order over the whole tensor; of the size of `index`.

    Raises:
        IndexError: for an index out of range; negative ones count from the end. RuntimeError: unless it is int64.

    >>> import tensorkit as tk
    >>> tk.take(tk.tensor([[4, 3], [2, 1]]), tk.tensor([0, -1]))
    tensor([4, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.take.html
    """
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index._dtype.label}")
    size = index._lay().size
    if out is not None:
        named = out._dtype.label if isinstance(out, Tensor) else ""
        complaint = (
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.label} and out.dtype = {named}"
        )
        if isinstance(out, Tensor) and out._dtype is not input._dtype:
            raise RuntimeError(complaint)
    if not input.numel() and index.numel():
        raise IndexError("take(): tried to take from an empty tensor")
    if out is not None:
        out = result_in(out, input._dtype, size, (index, input))
    if META in (input._device, index._device) or not index.numel():
        made = empty_strided(size, layouts.contiguous_stride(size), input._dtype, input._device)
    else:
        if input._dtype in LIMITED:
            raise missing_kernel("take_cpu", input._dtype.label)
        places = host_array(index)
        _check_flat(places, input.numel())
        made = _delivered(numpy.take(host_array(input), places), input)
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


@paired(
    samples=(
        sample("tk.put(a, tk.tensor([0, 5, -1]), b)", a=(3, 4), b=(3,)),
        sample("a.put(tk.tensor([[0, 1], [1, 0]]), b, accumulate=True)", a=(3,), b=(2, 2)),
        sample("a.put(tk.tensor([0, 5]), b)", a=(3,), b=(2,)),
        sample("a.put(tk.tensor([0]), b)", a=(3,), b=(2,)),
        sample("a.put(tk.tensor([0, 1], dtype=tk.int32), b)", a=(3,), b=(2,)),
        sample("a.put(tk.tensor([0, 1]), 1)", a=(3,)),
    ),
    inplace=(
        sample("a.put_(tk.tensor([0, 5, -1]), b)", a=(3, 4), b=(3,)),
        sample("a.put_(tk.tensor([0, 0]), b, True)", a=(3,), b=(2,)),
        sample("a.put_(tk.tensor([0, 7]), b)", a=(3,), b=(2,)),
    ),
    derivative=Rule(
        "PutBackward0",
        input=lambda g, c: g if c.accumulate else g.put(c.index, g.new_zeros(c.source_face.size)),
        source=lambda g, c: g.take(c.index).reshape(c.source_face.size),
    ),
    row_major=False,
    out=False,
)
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> None:
    """A copy with the elements of `source` at the given places, counted in row-major order over the whole tensor.

    Args:
        accumulate: whether to add to what is there.

    Raises:
        IndexError: for an index out of range, or when there are not as many values. RuntimeError: for another dtype.

    >>> import tensorkit as tk
    >>> tk.put(tk.zeros(2, 2), tk.tensor([1, -1]), tk.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [0., 6.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.put_.html
    """
    if not isinstance(source, Tensor):
        raise TypeError
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index._dtype.label}")
    if input._dtype is not source._dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.label} and source.dtype = {source._dtype.label}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    if not input.numel() and index.numel():
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    _check_memory(input, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    if input._dtype in LIMITED:
        raise missing_kernel("take_put_cpu", input._dtype.label)
    places = host_array(index).reshape(-1)
    _check_flat(places, input.numel())
    host = _host(input)
    array = host._nd()
    values = host_array(source).reshape(-1)
    key: tuple[Array, ...] = (places,)
    if not array.ndim:
        array = _vector(array)
    elif array.ndim > 1:
        key = numpy.unravel_index(places % array.size, array.shape)
    if accumulate:
        kernels.quiet(numpy.add.at, array, key, values)
    else:
        array[key] = values
    _return(input, host)


@op(
    samples=(
        sample("tk.take_along_dim(a, tk.tensor([[0, 2], [1, 1], [3, 0]]), 1)", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([[0], [2]]), dim=0)", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([[-1, 5]]), 1)", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([[0, 5], [2, 1]]))", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([0]), 0)", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([[0, 1]]), 0)", a=(3, 4)),
        sample("a.take_along_dim(tk.tensor([0], dtype=tk.int32), 0)", a=(3,)),
        sample("tk.take_along_dim(a, tk.tensor([1]), 0, out=tk.empty(0, dtype=a.dtype))", a=(3,)),
    ),
    kind="copy",
)
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The elements at the places that `indices`, broadcast against `input`, names along one dimension.

    Fits the results of ``argmax`` and ``argsort``. Without `dim` both are taken as vectors.

    Raises:
        RuntimeError: unless the indices are int64 and have as many dimensions.

    >>> import tensorkit as tk
    >>> t = tk.tensor([[10, 30, 20], [60, 40, 50]])
    >>> tk.take_along_dim(t, tk.tensor([[1], [0]]), dim=1)
    tensor([[30],
            [60]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.take_along_dim.html
    """
    start = "tensorkit.take_along_dim(): "
    flat: Any = input
    places: Any = indices
    if dim is not None and input.dim() != indices.dim():
        raise RuntimeError(
            f"{start}input and indices should have the same number of dimensions, but got {input.dim()} dimensions for "
            f"input, and {indices.dim()} dimensions for indices"
        )
    if indices._dtype is not dtypes.int64:
        raise RuntimeError(f"{start}dtype of indices should be Long but got {indices._dtype.label}")
    if dim is None:
        return gather(flat.view(-1), 0, places.view(-1), out=out)
    axis = normalise_dim(dim, input.dim())
    own, have = list(input._lay().size), list(indices._lay().size)
    if own:
        own[axis], have[axis] = have[axis], own[axis]
    wide = layouts.broadcast_sizes(tuple(own), indices._lay().size)
    whole = layouts.broadcast_sizes(tuple(have), input._lay().size)
    # PyTorch takes the indices here as often around as they go, where `gather` refuses them.
    around = places.remainder(whole[axis] if whole else 1)
    return gather(flat.expand(whole), axis, around.expand(wide), out=out)
