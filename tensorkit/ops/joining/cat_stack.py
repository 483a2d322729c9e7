"""Several tensors made into one: cat, stack and their kin.

The results are copies, of the dtype that all operands promote to. A derivative has one edge for each tensor of the
list, so its rule is made for as many as a call gives (`_rule_for`).

Source: dtypes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, recorder, wants_grad
from tensorkit.dispatch.registry import registry, sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable, empty_strided, refuse_shared, resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.shared.copy import copy_into
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "as_dim",
    "as_tensors",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "cat",
    "column_stack",
    "concatenate_arrays",
    "dstack",
    "hstack",
    "stack",
    "vstack",
]


# -- arguments ----------------------------------------------------------------------------------------------------


def as_tensors(value: Any, name: str) -> tuple[Tensor, ...]:
    """A tuple or list of tensors, given as the first argument.

    Raises:
        TypeError: for anything else, in PyTorch's words.
    """
    if type(value) is not tuple and not isinstance(value, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(value)}"
        )
    for place, tensor in enumerate(value):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(tensor)}")
    return tuple(value)


def as_dim(dim: Any, name: str) -> int:
    """A dimension as an int; TypeError, put into PyTorch's words by whoever called, for what is none."""
    if type(dim) is int:
        return dim
    if isinstance(dim, bool):
        raise TypeError(f"{name}(): argument 'dim' must be int, not bool")
    return int(dim.__index__())


# -- recording a list of tensors ----------------------------------------------------------------------------------


def _part(g: Any, c: Any, place: int) -> Any:
    """The gradient where the tensor at `place` was put; none of it for one that was passed over."""
    start, length = c.parts[place]
    return g.new_zeros(0) if length is None else g.narrow(c.dim, start, length)


def _layer(g: Any, c: Any, place: int) -> Any:
    return g.select(c.dim, place)


@functools.cache
def _rule_for(node: str, formula: Callable[[Any, Any, int], Any], count: int) -> Rule:
    """The rule of a call with so many tensors."""
    formulas: dict[str, Any]
    if formula is _part:
        formulas = {f"t{i}": lambda g, c, i=i: _part(g, c, i) for i in range(count)}
    else:
        formulas = {f"t{i}": lambda g, c, i=i: _layer(g, c, i) for i in range(count)}
    return Rule(node, **formulas)


def _recorded(
    name: str, rule: Rule, tensors: tuple[Tensor, ...], rest: dict[str, Any], body: Callable[[], Tensor]
) -> Tensor:
    arguments = {f"t{i}": tensor for i, tensor in enumerate(tensors)} | rest
    return recorded_call(rule, name, arguments, body, "copy")  # type: ignore[no-any-return]


# -- one after the other ------------------------------------------------------------------------------------------


def _passed_over(size: tuple[int, ...]) -> bool:
    """Old code starts from ``torch.Tensor()``: a vector without elements joins anything."""
    return len(size) == 1 and size[0] == 0


def _wrapped(dim: Any, sizes: Sequence[tuple[int, ...]]) -> int:
    dim = as_dim(dim, "cat")
    for place, size in enumerate(sizes):
        if not size:
            raise RuntimeError(f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    first = next((size for size in sizes if not _passed_over(size)), None)
    return dim if first is None else normalise_dim(dim, len(first))


def _joined_size(sizes: Sequence[tuple[int, ...]], dim: int) -> tuple[int, ...]:
    """The size of the result.

    Raises:
        RuntimeError: when two differ elsewhere than in `dim`.
    """
    first: tuple[int, ...] | None = None
    length = 0
    for place, size in enumerate(sizes):
        if _passed_over(size):
            continue
        if first is None:
            first = size
        elif len(size) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(size)}"
            )
        elif size[:dim] != first[:dim] or size[dim + 1 :] != first[dim + 1 :]:
            wrong = next(d for d in range(len(size)) if d != dim and size[d] != first[d])
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {first[wrong]} but got size "
                f"{size[wrong]} for tensor number {place} in the list."
            )
        length += size[dim]
    return (0,) if first is None else (*first[:dim], length, *first[dim + 1 :])


def _channels_last(lay: Layout) -> bool:
    """Whether strides say that the second dimension, of images or volumes, runs fastest: PyTorch keeps that."""
    size, stride = lay.size, lay.stride
    if len(size) not in (4, 5) or stride[1] == 0:
        return False
    least = 0
    for d in (1, *range(len(size) - 1, 1, -1), 0):
        if size[d] == 0 or stride[d] < least or (d == 0 and least == stride[1]):
            return False
        least = stride[d] * max(size[d], 1)
    return True


def _joined_stride(tensors: Sequence[Tensor], size: tuple[int, ...]) -> tuple[int, ...]:
    if len(size) not in (4, 5) or not all(_channels_last(t._lay()) for t in tensors):
        return contiguous_stride(size)
    moved = contiguous_stride((size[0], *size[2:], size[1]))
    return (moved[0], moved[-1], *moved[1:-1])


def _check_out(out: Any, kind: dtype, name: str) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    if not dtypes.can_cast(kind, out._dtype):
        raise TypeError(
            f"tensorkit.cat(): input types can't be cast to the desired output type {out._dtype.label}"
        )


def _check_memory(out: Tensor, tensors: Sequence[Tensor]) -> None:
    """Refuse an `out` that shares memory with an operand, or is one: its elements would be lost half way."""
    check_writable(out)
    for tensor in tensors:
        refuse_shared(out, tensor)


def concatenate_arrays(arrays: Sequence[Array], dim: int, out: Array) -> None:
    """Write arrays, converted, one after the other into `out`: the kernel."""
    if out.size < kernels.MANY or len(arrays) >= _FEW:
        kernels.quiet(numpy.concatenate, arrays, dim, out, casting="unsafe")
        return
    start, before = 0, (slice(None),) * dim
    for array in arrays:
        end = start + array.shape[dim]
        kernels.copy(out[(*before, slice(start, end))], array)
        start = end


def _write_parts(tensors: Sequence[Tensor], dim: int, out: Tensor) -> None:
    parts = [t for t in tensors if not _passed_over(t._lay().size)]
    if out._device.type == "cpu":
        if parts:
            concatenate_arrays([t._nd() for t in parts], dim, out._nd())
            if tracing.active:
                tracing.copied(out.nbytes)
        return
    start, whole = 0, out._lay()
    for part in parts:
        length = part._lay().size[dim]
        copy_into(out._view(whole.narrow(dim, start, length)), part)
        start += length


def _parts(sizes: Sequence[tuple[int, ...]], dim: int) -> list[tuple[int, int | None]]:
    """Where each tensor lies in the result: its start and its length, None where it was passed over."""
    found: list[tuple[int, int | None]] = []
    start = 0
    for size in sizes:
        found.append((start, None if _passed_over(size) else size[dim]))
        start += 0 if _passed_over(size) else size[dim]
    return found


def _cat(
    tensors: tuple[Tensor, ...],
    dim: int,
    sizes: Sequence[tuple[int, ...]],
    out: Any,
    name: str,
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    kind = tensors[0]._dtype
    if any(t._dtype is not kind for t in tensors):
        kind = functools.reduce(dtypes.promote_types, [t._dtype for t in tensors])
    if out is not None:
        _check_out(out, kind, name)
    size = _joined_size(sizes, dim)
    where = check_devices(tensors)
    if stride is None:
        stride = _joined_stride(tensors, size)
    if out is None:
        out = empty_strided(size, stride, kind, where)
    else:
        resize_out(out, size, stride)
        _check_memory(out, tensors)
        out._bump()
    if where != META:
        _write_parts(tensors, dim, out)
    return out  # type: ignore[no-any-return]


_SOME = 4096  # elements; of more, the long way copies on several threads


def _quick_arrays(tensors: Any, anyhow: bool = False) -> tuple[list[Array], bool] | None:
    """The arrays of plain row-major CPU tensors of one dtype, and if one wants a gradient; None for any others.

    Args:
        anyhow: whether they may lie otherwise, where no gradient is wanted.
    """
    if (type(tensors) is not tuple and type(tensors) is not list) or tracing.active:
        return None  # the long way counts the bytes that it copies
    found = []
    kind, wants, solid = None, False, True
    for tensor in tensors:
        if type(tensor) is not Tensor:
            return None
        array, base = tensor._array, tensor._base
        if array is None or not tensor._solid:
            if not anyhow or tensor._device is not CPU or tensor._bits:
                return None
            array, solid = tensor._nd(), False
            if array.size > _SOME:
                return None
        if base is not None and base._dtype.is_complex:
            return None
        wants = wants or wants_grad(tensor)
        if kind is None:
            kind = tensor._dtype
        elif tensor._dtype is not kind:
            return None
        found.append(array)
    if not found or not 0 < found[0].ndim < 4 or (wants and not solid):
        return None
    return found, wants


@functools.cache
def _recorder(name: str, count: int) -> Callable[..., Tensor]:
    """What joins and records so many plain tensors, given one by one, then the dimension and their lengths."""
    formula, join = (_part, _joined) if name == "cat" else (_layer, _layered)
    names = (*[f"t{i}" for i in range(count)], "dim", "lengths")

    def body(*args: Any) -> Tensor:
        return join([tensor._array for tensor in args[:count]], args[count], args[0]._dtype)

    def arguments_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        arguments = dict(zip(names, args, strict=True))
        lengths = arguments.pop("lengths")
        if lengths is not None:
            ends = itertools.accumulate(lengths)
            arguments["parts"] = [(end - length, length) for end, length in zip(ends, lengths, strict=True)]
        return arguments | {"out": None}

    rule = _rule_for(f"{name.capitalize()}Backward0", formula, count)
    return recorder(rule, body, name, names=names, arguments_of=arguments_of)


_FEW = 8  # arrays, which are written one by one sooner than NumPy joins them


def _joined(arrays: Sequence[Array], dim: int, kind: dtype) -> Tensor:
    made = numpy.concatenate(arrays, dim)
    return fresh(made if made.flags.c_contiguous else made.copy(), kind)


def _layered(arrays: Sequence[Array], dim: int, kind: dtype) -> Tensor:
    size = arrays[0].shape
    if not dim and len(arrays) < _FEW:
        made = numpy.empty((len(arrays), *size), kind.numpy)
        for place, array in enumerate(arrays):
            made[place] = array
        return fresh(made, kind)
    wider = (*size[:dim], 1, *size[dim:])
    return fresh(numpy.concatenate([array.reshape(wider) for array in arrays], dim), kind)


def _quickly(tensors: Sequence[Tensor], arrays: Sequence[Array], dim: int, wants: bool) -> Tensor | None:
    """Tensors joined as NumPy does it; None where it refuses, which is then looked into."""
    try:
        if not wants:
            return _joined(arrays, dim, tensors[0]._dtype)
        along = dim if dim >= 0 else dim + arrays[0].ndim
        if along < 0:  # which NumPy would count from the end once more
            return None
        lengths = tuple([array.shape[along] for array in arrays])
        # Of no elements, one may be passed over.
        return None if 0 in lengths else _recorder("cat", len(arrays))(*tensors, along, lengths)
    except (IndexError, ValueError):
        return None


_concatenate: Any = numpy.concatenate


def _cat_at_once(tensors: Any = None, dim: Any = 0, *more: Any) -> Tensor | None:
    """Plain row-major CPU tensors of one dtype joined, of which none wants a gradient; None for any others."""
    if more or dim.__class__ is not int or (tensors.__class__ is not tuple and tensors.__class__ is not list):
        return None
    arrays: list[Any] = []
    kind = None
    for tensor in tensors:
        if tensor.__class__ is not Tensor or wants_grad(tensor):
            return None
        array, base = tensor._array, tensor._base
        if array is None and tensor._device is CPU and not tensor._bits:
            array = tensor._nd()
        if array is None or not tensor._solid:
            return None
        if base is not None and base._dtype.is_complex:
            return None
        if kind is None:
            kind = tensor._dtype
        elif tensor._dtype is not kind:
            return None
        arrays.append(array)
    if kind is None or not 0 < arrays[0].ndim < 4:
        return None
    try:
        made = _concatenate(arrays, dim) if dim else _concatenate(arrays)
    except (IndexError, ValueError):
        return None  # looked into on the long way
    return fresh(made if made.flags.c_contiguous else made.copy(), kind)


@op(
    samples=(
        sample("tk.cat((a, b))", a=(2, 3), b=(1, 3)),
        sample("tk.cat([a, b, a], 1)", a=(2, 3), b=(2, 1)),
        sample("tk.cat([a, b], dim=-1)", a=(2, 2, 2), b=(2, 2, 1)),
        sample("tk.concat((a,), dim=0)", a=(2, 3)),
        sample("tk.concatenate((a, b))", a=(3,), b=(0,)),
        sample("tk.cat((b, a, b), 1)", a=(2, 3), b=(0,)),
        sample("tk.cat([a, b])", a=(2, 3), b=(2, 4)),
        sample("tk.cat([a, b])", a=(2, 3), b=(3,)),
        sample("tk.cat([a, b], 2)", a=(2, 3), b=(2, 3)),
        sample("tk.cat([a, b])", a=(2,), b=()),
        sample("tk.cat((a, b), out=a.new_empty(0))", a=(2,), b=(3,)),
        sample("tk.cat((a, a), 1, out=b)", a=(2, 2), b=(3,)),
        sample("tk.cat((a, 1))", a=(2,)),
        sample("tk.cat(a)", a=(2,)),
        sample("tk.cat([])"),
    ),
    kind="copy",
    aliases=("concat", "concatenate"),
    methods=(),
    first=_cat_at_once,
)
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Put tensors one after the other along a dimension; their other sizes must be the same.

    Args:
        tensors: a tuple or list. A vector without elements is passed over, whatever the size of the others.
        dim: the dimension along which they follow one another.
        out: a tensor to write into.

    Returns:
        A new tensor of the dtype that all promote to.

    Raises:
        RuntimeError: when sizes differ elsewhere than in `dim`, or one has no dimension. ValueError: for no tensor.

    >>> import tensorkit as tk
    >>> tk.cat([tk.zeros(1, 2), tk.ones(2, 2)])
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    """
    if out is None and type(dim) is int and (found := _quick_arrays(tensors, True)) is not None:
        quick = _quickly(tensors, found[0], dim, found[1])
        if quick is not None:
            return quick
    given = as_tensors(tensors, "cat")
    if not given:
        raise ValueError("tensorkit.cat(): expected a non-empty list of Tensors")
    sizes = [t._lay().size for t in given]
    along = _wrapped(dim, sizes)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return _cat(given, along, sizes, out, "cat")
    rest = {"dim": along, "parts": _parts_or_none(sizes, along), "out": out}
    rule = _rule_for("CatBackward0", _part, len(given))
    return _recorded("cat", rule, given, rest, lambda: _cat(given, along, sizes, out, "cat"))


def _parts_or_none(sizes: Sequence[tuple[int, ...]], dim: int) -> Any:
    """`_parts`; nothing where the sizes do not fit, which is said when the operation runs."""
    return _parts(sizes, dim) if all(_passed_over(s) or len(s) > dim for s in sizes) else None


# -- one beside the other, in a new dimension ---------------------------------------------------------------------


def _stack(tensors: tuple[Tensor, ...], dim: int, out: Any) -> Tensor:
    size = tensors[0]._lay().size
    if isinstance(out, Tensor) and dim < len(size):
        resize_out(out, (*size[:dim], len(tensors), *size[dim:]))
    pieces = tuple([t._view(t._lay().unsqueeze(dim)) for t in tensors])
    stride = _layered_stride(tensors, dim, size) if dim < len(size) else None
    return _cat(pieces, dim, [(*size[:dim], 1, *size[dim:])] * len(pieces), out, "stack", stride)


def _layered_stride(tensors: Sequence[Tensor], dim: int, size: tuple[int, ...]) -> tuple[int, ...]:
    """PyTorch joins tensors along a dimension that they have, and splits it then."""
    whole = (*size[:dim], len(tensors) * size[dim], *size[dim + 1 :])
    joined = Layout(whole, _joined_stride(tensors, whole), 0)
    return joined.view((*size[:dim], len(tensors), *size[dim:])).stride


def _check_stackable(tensors: Sequence[Tensor]) -> None:
    first = tensors[0]._lay().size
    for place, tensor in enumerate(tensors):
        if tensor._lay().size != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._lay().size)} at entry {place}"
            )


@op(
    samples=(
        sample("tk.stack((a, b))", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b, a], 1)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b], dim=-1)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, a])", a=()),
        sample("tk.stack([a, b], 3)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b])", a=(2, 3), b=(3,)),
        sample("tk.stack((a, b), out=a.new_empty(0))", a=(2,), b=(2,)),
        sample("tk.stack((a, a), out=b)", a=(2,), b=(2, 2)),
        sample("tk.stack((a, None))", a=(2,)),
        sample("tk.stack([])"),
    ),
    kind="copy",
    methods=(),
)
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Put tensors of one size beside one another, along a new dimension at place `dim`.

    Raises:
        RuntimeError: when two sizes differ, or there is no tensor.

    >>> import tensorkit as tk
    >>> tk.stack([tk.tensor([1, 2]), tk.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.stack.html
    """
    if out is None and type(dim) is int and (found := _quick_arrays(tensors)) is not None:
        arrays, wants = found
        size = arrays[0].shape
        if 0 <= dim <= len(size) and all(array.shape == size for array in arrays):
            if wants:
                return _recorder("stack", len(arrays))(*tensors, dim, None)
            return _layered(arrays, dim, tensors[0]._dtype)
    given = as_tensors(tensors, "stack")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    along = normalise_dim(as_dim(dim, "stack"), given[0].dim() + 1)
    _check_stackable(given)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return _stack(given, along, out)
    rest = {"dim": along, "out": out}
    rule = _rule_for("StackBackward0", _layer, len(given))
    return _recorded("stack", rule, given, rest, lambda: _stack(given, along, out))


# -- at least so many dimensions ----------------------------------------------------------------------------------


def _one_or_several(
    tensors: tuple[Any, ...], each: Callable[[Tensor], Tensor], name: str
) -> Tensor | tuple[Tensor, ...]:
    """`each` of one tensor; or of all, given side by side or as one sequence."""
    if len(tensors) == 1:
        only = tensors[0]
        if isinstance(only, Tensor):
            return each(only)
        if not isinstance(only, (tuple, list)):
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got ({type_name(only)}), but expected one "
                "of:\n * (Tensor input)\n * (tuple of Tensors tensors)\n"
            )
        tensors = tuple(only)
    return tuple([each(tensor) for tensor in as_tensors(tensors, name)])


def _with_1(tensor: Any) -> Tensor:
    return tensor if tensor._lay().size else tensor.reshape(1)  # type: ignore[no-any-return]


def _with_2(tensor: Any) -> Tensor:
    ndim = len(tensor._lay().size)
    if ndim == 1:
        return tensor.unsqueeze(0)  # type: ignore[no-any-return]
    return tensor if ndim else tensor.reshape(1, 1)  # type: ignore[no-any-return]


def _with_3(tensor: Any) -> Tensor:
    ndim = len(tensor._lay().size)
    if ndim == 0:
        return tensor.reshape(1, 1, 1)  # type: ignore[no-any-return]
    if ndim == 1:
        return tensor.unsqueeze(0).unsqueeze(-1)  # type: ignore[no-any-return]
    return tensor.unsqueeze(-1) if ndim == 2 else tensor  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.atleast_1d(a)", a=()),
        sample("tk.atleast_1d(a)", a=(2,)),
        sample("tk.atleast_1d(a, b)", a=(), b=(2, 3)),
        sample("tk.atleast_1d((a, b))", a=(), b=(2,)),
        sample("tk.atleast_1d(1)"),
        sample("tk.atleast_1d()"),
    ),
    methods=(),
)
def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension: a number becomes a vector of one, anything else stays itself.

    Returns:
        One tensor for one tensor; a tuple for several, or for a sequence of them.

    >>> import tensorkit as tk
    >>> tk.atleast_1d(tk.tensor(2))
    tensor([2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_1d.html
    """
    return _one_or_several(tensors, _with_1, "atleast_1d")


@op(
    samples=(
        sample("tk.atleast_2d(a)", a=()),
        sample("tk.atleast_2d(a)", a=(2,)),
        sample("tk.atleast_2d(a, b)", a=(3,), b=(2, 3)),
        sample("tk.atleast_2d([a, b])", a=(), b=(2, 1, 2)),
        sample("tk.atleast_2d('a')"),
    ),
    methods=(),
)
def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions: a vector becomes a row.

    >>> import tensorkit as tk
    >>> tk.atleast_2d(tk.tensor([1, 2]))
    tensor([[1, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_2d.html
    """
    return _one_or_several(tensors, _with_2, "atleast_2d")


@op(
    samples=(
        sample("tk.atleast_3d(a)", a=()),
        sample("tk.atleast_3d(a)", a=(2,)),
        sample("tk.atleast_3d(a)", a=(2, 3)),
        sample("tk.atleast_3d(a, b)", a=(3,), b=(2, 3, 2)),
        sample("tk.atleast_3d(3)"),
    ),
    methods=(),
)
def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions: a vector lies along the middle one, a matrix along the first two.

    >>> import tensorkit as tk
    >>> tk.atleast_3d(tk.zeros(4)).size(), tk.atleast_3d(tk.zeros(2, 3)).size()
    (tensorkit.Size([1, 4, 1]), tensorkit.Size([2, 3, 1]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_3d.html
    """
    return _one_or_several(tensors, _with_3, "atleast_3d")


# -- rows, columns, layers ----------------------------------------------------------------------------------------


def _some(tensors: Any, name: str) -> tuple[Tensor, ...]:
    given = as_tensors(tensors, name)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given


@op(
    samples=(
        sample("tk.hstack((a, b))", a=(2, 3), b=(2, 1)),
        sample("tk.hstack([a, b])", a=(2,), b=()),
        sample("tk.hstack((a, a), out=a.new_empty(0))", a=()),
        sample("tk.hstack([a, b])", a=(2,), b=(2, 2)),
        sample("tk.hstack((a, 2))", a=()),
        sample("tk.hstack([])"),
    ),
    kind="copy",
    methods=(),
)
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors side by side: along dimension 1, vectors along their only one.

    >>> import tensorkit as tk
    >>> tk.hstack((tk.zeros(2, 1), tk.ones(2, 2)))
    tensor([[0., 1., 1.],
            [0., 1., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hstack.html
    """
    given = tuple([_with_1(tensor) for tensor in _some(tensors, "hstack")])
    return cat(given, 0 if given[0].dim() == 1 else 1, out=out)


@op(
    samples=(
        sample("tk.vstack((a, b))", a=(2, 3), b=(3,)),
        sample("tk.row_stack([a, b])", a=(2,), b=(2,)),
        sample("tk.vstack((a, a), out=a.new_empty(0))", a=()),
        sample("tk.vstack([a, b])", a=(2,), b=(3,)),
        sample("tk.vstack(a)", a=(2,)),
        sample("tk.vstack(())"),
    ),
    kind="copy",
    aliases=("row_stack",),
    methods=(),
)
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors one above the other: along dimension 0; a vector is one row.

    >>> import tensorkit as tk
    >>> tk.vstack((tk.zeros(2), tk.ones(2, 2)))
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.vstack.html
    """
    return cat(tuple([_with_2(tensor) for tensor in _some(tensors, "vstack")]), 0, out=out)


@op(
    samples=(
        sample("tk.dstack((a, b))", a=(2, 3), b=(2, 3, 2)),
        sample("tk.dstack([a, b])", a=(2,), b=(2,)),
        sample("tk.dstack((a, a), out=a.new_empty(0))", a=()),
        sample("tk.dstack([a, b])", a=(2, 3), b=(3,)),
        sample("tk.dstack([])"),
    ),
    kind="copy",
    methods=(),
)
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors one behind the other: along dimension 2.

    >>> import tensorkit as tk
    >>> tk.dstack((tk.zeros(2), tk.ones(2)))
    tensor([[[0., 1.],
             [0., 1.]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dstack.html
    """
    return cat(tuple([_with_3(tensor) for tensor in _some(tensors, "dstack")]), 2, out=out)


def _as_column(tensor: Any) -> Tensor:
    return tensor.reshape(tensor.numel(), 1) if tensor.dim() < 2 else tensor  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.column_stack((a, b))", a=(2, 3), b=(2,)),
        sample("tk.column_stack([a, b, a])", a=(2,), b=(2,)),
        sample("tk.column_stack((a, a), out=a.new_empty(0))", a=()),
        sample("tk.column_stack([a, b])", a=(2,), b=(3,)),
        sample("tk.column_stack([])"),
    ),
    kind="copy",
    methods=(),
)
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors side by side; a vector is one column.

    >>> import tensorkit as tk
    >>> tk.column_stack((tk.tensor([1, 2]), tk.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.column_stack.html
    """
    given = tuple([_as_column(tensor) for tensor in _some(tensors, "column_stack")])
    return cat(given, 1, out=out)


def _note_derivatives() -> None:
    """The registry shows the rules of two operands: those of more are alike."""
    registry["cat"].derivative = _rule_for("CatBackward0", _part, 2)
    registry["stack"].derivative = _rule_for("StackBackward0", _layer, 2)


_note_derivatives()
