"""Views: another layout on the same storage. No number is ever copied here, but by `reshape` where it must.

Each block asks `layout` for new integers and puts a tensor on the same storage. Semantics, sentences and the rule
of view or copy are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/tensor_view.html).
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit import strides as layouts
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.mode import ONE_OF_SEVERAL, state
from tensorkit.autograd.views import scatter_strided
from tensorkit.dispatch import (
    by_layout,
    differentiable,
    op,
    recorded_call,
    registry,
    sample,
    traced_method,
    view_method,
    wants_grad,
)
from tensorkit.dtypes import dtype
from tensorkit.elementwise import empty_strided
from tensorkit.errors import warn
from tensorkit.formats import strided
from tensorkit.ops.convert import contiguous, copy_into
from tensorkit.strides import Layout
from tensorkit.tensor import Tensor, attach, on_storage

__all__ = [
    "adjoint",
    "alias",
    "as_ints",
    "as_strided",
    "backend_name",
    "broadcast_tensors",
    "broadcast_to",
    "chunk",
    "detach",
    "diagonal",
    "dsplit",
    "expand",
    "expand_as",
    "flatten",
    "hsplit",
    "imag",
    "movedim",
    "narrow",
    "narrow_copy",
    "permute",
    "positive",
    "ravel",
    "real",
    "reshape",
    "reshape_as",
    "row_major",
    "select",
    "split",
    "split_with_sizes",
    "squeeze",
    "t",
    "tensor_split",
    "transpose",
    "type_name",
    "unbind",
    "unflatten",
    "unfold",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsafe_view",
    "unsqueeze",
    "view",
    "view_as",
    "view_as_complex",
    "view_as_real",
    "vsplit",
]

Dims = int | Sequence[int]


def row_major(input: Tensor) -> Tensor:
    """A copy whose elements lie in row-major order."""
    size = input._lay().size
    out = empty_strided(size, layouts.contiguous_stride(size), input._dtype, input._device)
    copy_into(out, input)
    return out


def as_ints(values: Any, name: str, argument: str = "size", position: int = 1) -> tuple[int, ...]:
    """A size or list of dimensions, given as one sequence or as several integers.

    Raises:
        TypeError: for anything that is no integer, in PyTorch's words.
    """
    listed = len(values) == 1 and isinstance(values[0], (tuple, list))
    if listed:
        values = values[0]
    for value in values:
        if type(value) is not int:
            break
    else:
        return tuple(values)
    result = []
    for place, value in enumerate(values):
        if type(value) is not int:
            value = _as_int(value, name, argument, place, 0 if listed else len(values), position)
        result.append(value)
    return tuple(result)


def _listed_ints(given: Any, name: str, argument: str, position: int) -> tuple[int, ...]:
    """Like `as_ints`, of one sequence: a lone integer is taken by some methods, and by no function.

    Raises:
        TypeError: for a lone integer or anything else that is no sequence of integers, in PyTorch's words.
    """
    if not isinstance(given, (tuple, list)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, "
            f"not {type(given).__name__}"
        )
    return as_ints((given,), name, argument, position)


def _as_int(value: Any, name: str, argument: str, place: int, count: int, position: int) -> int:
    """One of `count` integers written one by one, or of a sequence (`count` 0)."""
    if place or not isinstance(value, bool):
        try:
            return int(value.__index__())
        except (AttributeError, TypeError):
            pass  # neither an integer nor something that can stand for one: refused below
    kind = type(value).__name__
    if place == 0 and count > 1:  # only integers may be written one by one
        raise TypeError(f"{name}() takes 1 positional argument but {count} were given")
    if place == 0:  # PyTorch looks at the first alone before it takes them all
        found = f"not {kind}" if count else f"but found element of type {kind} at pos 0"
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, {found}"
        )
    raise TypeError(
        f"{name}(): argument '{argument}' failed to unpack the object at pos {place + 1} with error "
        f'"type must be tuple of ints,but got {kind}"'
    )


# -- how gradients pass back --------------------------------------------------------------------------------------


def _into(g: Any, face: Any, pick: Callable[[Any], Any]) -> Tensor:
    """Zeros of the input's size, with the gradient where the view lay."""
    zeros = g.new_zeros(face.size)
    pick(zeros).copy_(g)
    return zeros  # type: ignore[no-any-return]


def _pieces(gs: Sequence[Any], face: Any, cut: Callable[[Any], Sequence[Any]]) -> Tensor:
    """The gradients of all pieces, each where its piece lay; zeros for a piece that has none."""
    some = next(g for g in gs if g is not None)
    zeros = some.new_zeros(face.size)
    for piece, g in zip(cut(zeros), gs, strict=True):
        if g is not None:
            # Not through `piece`: of several views made at once, none may be written to while gradients are recorded.
            lay = piece._lay()
            zeros.as_strided(lay.size, lay.stride, lay.offset).copy_(g)
    return zeros  # type: ignore[no-any-return]


def _inverse(dims: Any, ndim: int) -> list[int]:
    """The order that undoes a permutation."""
    places = [d % ndim for d in dims]
    return sorted(range(ndim), key=places.__getitem__)


def _strided(g: Any, face: Any, size: Any, stride: Any, offset: int | None) -> Tensor:
    base = Layout(face.size, face.stride, face.offset)
    return scatter_strided(
        g, base, Layout(tuple(size), tuple(stride), face.offset if offset is None else offset)
    )


def _unfolded(g: Any, face: Any, dimension: int, size: int, step: int) -> Tensor:
    base = layouts.contiguous(face.size)
    return scatter_strided(g, base, base.unfold(dimension, size, step))


def _complex_again(g: Any) -> Tensor:
    return view_as_complex(g.contiguous())


def _squeeze_name(arguments: dict[str, Any]) -> str:
    dim = arguments["dim"]
    return f"SqueezeBackward{0 if dim is None else 1 if isinstance(dim, int) else 2}"


def _split_name(arguments: dict[str, Any]) -> str:
    return "SplitBackward0" if isinstance(arguments["split_size"], int) else "SplitWithSizesBackward0"


def _chunk_name(arguments: dict[str, Any]) -> str:
    size, dim = arguments["input"].size(), arguments["dim"]
    empty = -len(size) <= dim < len(size) and size[dim] == 0
    return "SplitWithSizesBackward0" if empty else "SplitBackward0"


def _can_chunk(arguments: dict[str, Any]) -> bool:
    """PyTorch refuses these before it asks for histories; the rest is a split to it."""
    if not arguments["input"].dim() or arguments["chunks"] <= 0:
        arguments["input"]._lay().chunk(arguments["chunks"], arguments["dim"])
    return True


def _can_narrow(arguments: dict[str, Any]) -> bool:
    """PyTorch refuses what cannot be cut before it asks for histories: this is a slice to it."""
    arguments["input"]._lay().narrow(arguments["dim"], _start(arguments["start"]), arguments["length"])
    return True


def _start(start: Any) -> int:
    """Where a narrower tensor begins: a number, or a tensor that holds one."""
    if isinstance(start, Tensor) and (start.dim() or start._dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return int(start.__index__())


def _no_dtype(arguments: dict[str, Any]) -> bool:
    """``view(dtype)`` reads other numbers: nothing differentiable."""
    size = arguments.get("size", ())
    return arguments.get("dtype") is None and not (len(size) == 1 and isinstance(size[0], dtypes.dtype))


_AS_BEFORE = Rule("ViewBackward0", applies=_no_dtype, input=lambda g, c: g.reshape(c.input_face.size))
# The walk itself adds up what was repeated.
_EXPANDED = Rule("ExpandBackward0", input=lambda g, c: g)


# -- one size for another -----------------------------------------------------------------------------------------


@op(
    samples=(
        sample("a.view(6)", a=(2, 3)),
        sample("a.view(3, -1)", a=(2, 3)),
        sample("a.view((1, 6, 1))", a=(2, 3)),
        sample("a.view(-1, 0)", a=(0, 3)),
        sample("a.view(())", a=(1,)),
        sample("a.view(7)", a=(2, 3)),
        sample("a.view(tk.int16)", a=(2, 4)),
    ),
    function=False,
    derivative=_AS_BEFORE,
)
@by_layout
def view(input: Tensor, *size: Any, dtype: dtype | None = None, **named: Any) -> Tensor:
    """The same elements, read with another size, when strides can express it; or the same bytes as another dtype.

    Args:
        size: the size wanted, with at most one -1 to be worked out; or a dtype.

    Returns:
        A view on the same storage, of the size asked for.

    Raises:
        ViewError: (a RuntimeError) when dimensions would have to merge that do not lie in line; it names them.
        RuntimeError: when the number of elements differs, or more than one -1 is given.

    >>> import tensorkit as tk
    >>> t = tk.arange(6).view(2, 3)
    >>> t.view(3, -1).stride(), t.view(3, -1).data_ptr() == t.data_ptr()
    ((2, 1), True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
    """
    if size and dtype is None and not named and type(size[0]) is not dtypes.dtype:
        return input._view(input._lay().view(_view_size(size)))
    if named:
        if size or dtype is not None or list(named) != ["size"]:
            raise TypeError  # said in PyTorch's words by whoever called
        size = (named["size"],)
    if not size and dtype is not None:
        return _view_dtype(input, dtype)
    if len(size) == 1 and isinstance(size[0], dtypes.dtype) and dtype is None:
        return _view_dtype(input, size[0])
    if dtype is not None:
        raise TypeError(
            f"view() received an invalid combination of arguments - got ({type(size[0]).__name__}, "
            "dtype=tensorkit.dtype), but expected one of:\n * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        )
    if not size:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        )
    return input._view(input._lay().view(_view_size(size)))


def _view_size(size: tuple[Any, ...]) -> tuple[int, ...]:
    try:
        return as_ints(size, "view")
    except TypeError:
        names = ", ".join(type(s).__name__ for s in size)
        raise TypeError(
            f"view() received an invalid combination of arguments - got ({names}), but expected one of:\n"
            " * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        ) from None


def _view_dtype(input: Tensor, kind: dtype) -> Tensor:
    lay, old = input._lay(), input._dtype
    if input._conjugated and old is not kind:
        raise RuntimeError(
            "tensorkit.Tensor.view is not supported for conjugate view tensors when converting to a different dtype."
        )
    out = input._view(_layout_for(lay, old, kind))
    out._dtype = kind
    out._base = None  # other bytes for autograd: PyTorch does not call it a view either
    return out


def _layout_for(lay: Layout, old: dtype, new: dtype) -> Layout:
    """The layout, counted in elements of another size, for the same bytes."""
    if old.itemsize == new.itemsize:
        return lay
    why = f"to view {old.label} as {new.label} (different element sizes), but got"
    if not lay.size:
        raise RuntimeError(f"self.dim() cannot be 0 {why[: -len(', but got')]}")
    times = new.itemsize // old.itemsize
    if times and lay.size[-1] % times:
        raise RuntimeError(f"self.size(-1) must be divisible by {times} {why} {lay.size[-1]}")
    if times and lay.offset % times:
        raise RuntimeError(f"self.storage_offset() must be divisible by {times} {why} {lay.offset}")
    if lay.stride[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {why} {lay.stride[-1]}")
    if old.itemsize > new.itemsize:
        times = old.itemsize // new.itemsize
        stride = (*[s * times for s in lay.stride[:-1]], 1)
        return Layout((*lay.size[:-1], lay.size[-1] * times), stride, lay.offset * times)
    for dim, step in enumerate(lay.stride[:-1]):
        if step % times:
            raise RuntimeError(f"self.stride({dim}) must be divisible by {times} {why} {step}")
    stride = (*[s // times for s in lay.stride[:-1]], 1)
    return Layout((*lay.size[:-1], lay.size[-1] // times), stride, lay.offset // times)


@op(
    samples=(
        sample("tk.reshape(a, (3, 2))", a=(2, 3)),
        sample("tk.reshape(a, 6)", a=(2, 3)),
        sample("a.reshape(-1)", a=(2, 3)),
        sample("a.reshape(4)", a=(2, 3)),
    ),
    methods=(),
)
@by_layout
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements with another size: a view when strides can express it, otherwise a copy.

    Args:
        shape: the size wanted, with at most one -1 to be worked out.

    >>> import tensorkit as tk
    >>> t = tk.arange(6).view(2, 3)
    >>> tk.reshape(t.t(), (6,))
    tensor([0, 3, 1, 4, 2, 5])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.reshape.html
    """
    return _reshaped(input, _listed_ints(shape, "reshape", "shape", 2))


def _reshaped(input: Tensor, size: tuple[int, ...]) -> Tensor:
    recorded = wants_grad(input)
    lay = input._lay()
    if recorded and lay.is_contiguous():
        return input.view(size)
    layout = lay.reshape(size)
    if layout is not None:
        return _reshape_alias(input, layout) if recorded else input._view(layout)
    # The copy is nobody else's: the result is a tensor of its own, no view of it.
    return unsafe_view(contiguous(input), size)  # type: ignore[no-any-return]


def _unsafe_view_body(input: Tensor, size: Sequence[int]) -> Tensor:
    """`view` of a copy that nobody else holds: a tensor of its own, no view of it."""
    return on_storage(input._store(), input._lay().view(size), input._dtype)


_reshape_alias: Callable[[Tensor, Layout], Tensor] = differentiable(
    lambda input, layout: input._view(layout),
    Rule("ReshapeAliasBackward0", input=lambda g, c: g.reshape(c.input_face.size)),
    "_reshape_alias",
    "view",
)
unsafe_view = differentiable(
    _unsafe_view_body,
    Rule("UnsafeViewBackward0", input=lambda g, c: g.reshape(c.input_face.size)),
    "_unsafe_view",
    "copy",
)


def _method_reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """The same elements with another size: a view when strides can express it, otherwise a copy."""
    if shape is not None and not sizes:
        sizes = (shape,)
    if not sizes:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    return _reshaped(input, as_ints(sizes, "reshape", "shape"))


@op(
    samples=(sample("a.view_as(b)", a=(2, 3), b=(6,)),),
    function=False,
    derivative=_AS_BEFORE,
)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view` with the size of another tensor.

    >>> import tensorkit as tk
    >>> tk.arange(6).view_as(tk.zeros(2, 3)).size()
    tensorkit.Size([2, 3])
    """
    return input._view(input._lay().view(other._lay().size))


@op(samples=(sample("a.reshape_as(b)", a=(2, 3), b=(3, 2)),), function=False)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape` with the size of another tensor.

    >>> import tensorkit as tk
    >>> tk.arange(6).reshape_as(tk.zeros(2, 3)).size()
    tensorkit.Size([2, 3])
    """
    return _reshaped(input, other._lay().size)


@op(
    samples=(
        sample("tk.flatten(a)", a=(2, 3, 4)),
        sample("a.flatten(1, -1)", a=(2, 3, 4)),
        sample("a.flatten()", a=()),
    )
)
@by_layout
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one: a view if they lie in line, else a copy.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 3, 4).flatten(1).size()
    tensorkit.Size([2, 12])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.flatten.html
    """
    lay = input._lay()
    if lay.size and layouts.normalise_dim(start_dim, len(lay.size)) == layouts.normalise_dim(
        end_dim, len(lay.size)
    ):
        return input
    return _reshaped(input, lay.flattened_size(start_dim, end_dim))


@op(samples=(sample("tk.ravel(a)", a=(2, 3)),))
@by_layout
def ravel(input: Tensor) -> Tensor:
    """All elements in one row: a view if they lie in order, else a copy.

    >>> import tensorkit as tk
    >>> tk.ravel(tk.arange(6).view(2, 3)).size()
    tensorkit.Size([6])
    """
    return contiguous(input).view(-1)


@op(
    strict=True,
    samples=(sample("a.unflatten(1, (2, -1))", a=(2, 6)), sample("a.unflatten(0, (3,))", a=(2, 6))),
    derivative=_AS_BEFORE,
)
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Split one dimension into several.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 6).unflatten(1, (3, -1)).size()
    tensorkit.Size([2, 3, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unflatten.html
    """
    return input._view(input._lay().unflatten(dim, _listed_ints(sizes, "unflatten", "sizes", 3)))


def _alias_body(input: Tensor) -> Tensor:
    return input._view(input._lay())


# The same size, strides and storage, as another tensor.
alias: Callable[[Tensor], Tensor] = differentiable(
    _alias_body, Rule("AliasBackward0", input=lambda g, c: g), "alias", "view"
)


# -- dimensions in another order ----------------------------------------------------------------------------------


@op(
    samples=(
        sample("tk.t(a)", a=(2, 3)),
        sample("a.t()", a=(3,)),
        sample("a.t()", a=(1, 2, 3)),
        sample("a.t_()", a=(2, 3)),
        sample("a.t_()", a=(1, 2, 3)),
    ),
    derivative=Rule("TBackward0", input=lambda g, c: g.t()),
)
@by_layout
def t(input: Tensor) -> Tensor:
    """Transpose a matrix by swapping its two sizes and its two strides; a vector stays as it is.

    Returns:
        A view of size ``(columns, rows)``.

    Raises:
        RuntimeError: for more than two dimensions.

    >>> import tensorkit as tk
    >>> m = tk.arange(6).view(2, 3)
    >>> m.stride(), m.t().stride()
    ((3, 1), (1, 3))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.t.html
    """
    return input._view(input._lay().t())


@op(
    samples=(
        sample("tk.transpose(a, 0, 1)", a=(2, 3, 4)),
        sample("a.transpose(-1, 0)", a=(2, 3, 4)),
        sample("a.transpose(0, 3)", a=(2, 3)),
    ),
    aliases=("swapaxes", "swapdims"),
    inplace=True,
    derivative=Rule("TransposeBackward0", input=lambda g, c: g.transpose(c.dim0, c.dim1)),
)
@by_layout
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions: their sizes and their strides. No element moves.

    >>> import tensorkit as tk
    >>> tk.zeros(1, 2, 3).transpose(0, 1).stride()
    (3, 6, 1)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.transpose.html
    """
    return input._view(input._lay().transpose(dim0, dim1))


@op(
    samples=(
        sample("tk.permute(a, (2, 0, 1))", a=(2, 3, 4)),
        sample("tk.permute(a, 0)", a=(2,)),
        sample("a.permute((0, 0))", a=(2, 3)),
    ),
    methods=(),
    derivative=Rule("PermuteBackward0", input=lambda g, c: g.permute(_inverse(c.dims, g.dim()))),
)
@by_layout
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Put the dimensions in another order. No element moves.

    >>> import tensorkit as tk
    >>> tk.permute(tk.zeros(2, 3, 4), (2, 0, 1)).size()
    tensorkit.Size([4, 2, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.permute.html
    """
    return input._view(input._lay().permute(_listed_ints(dims, "permute", "dims", 2)))


def _method_broadcast_to(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """`expand`: repeat dimensions of size 1 without copying."""
    return broadcast_to(input, as_ints(sizes if size is None else (size,), "broadcast_to"))


def _method_permute(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """Put the dimensions in another order. No element moves."""
    if dims is not None and not places:
        places = (dims,)
    if not places:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    order = as_ints(places, "permute", "dims")
    return permute(input, order) if wants_grad(input) else input._view(input._lay().permute(order))


@op(
    strict=True,
    samples=(sample("tk.movedim(a, 0, 2)", a=(2, 3, 4)), sample("a.movedim((0, 1), (1, 2))", a=(2, 3, 4))),
    aliases=("moveaxis",),
)
@by_layout
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Move dimensions to other places; the rest keep their order.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 3, 4).movedim(0, -1).size()
    tensorkit.Size([3, 4, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.movedim.html
    """
    layout = input._lay().movedim(source, destination)
    if wants_grad(input):
        ndim = input.dim()
        if not ndim:
            return alias(input)
        return permute(input, Layout(tuple(range(ndim)), (0,) * ndim).movedim(source, destination).size)
    return input._view(layout)


def _reversed(input: Tensor) -> Tensor:
    """All dimensions in reverse order; a matrix transposed."""
    lay = input._lay()
    if not lay.size:
        _warn_0d("T")
    elif len(lay.size) != 2:
        _warn_T()
    return permute(input, list(range(len(lay.size)))[::-1]) if wants_grad(input) else input._view(lay.T)


def _warn_0d(name: str) -> None:
    why = "Consider using x.conj()." if "H" in name else "This function is the identity in these cases."
    warnings.warn(f"Tensor.{name} is deprecated on 0-D tensors. {why}", UserWarning, stacklevel=4)


def _warn_T() -> None:
    warnings.warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw "
        "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
        "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        UserWarning,
        stacklevel=4,
    )


# -- dimensions of one, and repetition ----------------------------------------------------------------------------


@op(
    samples=(
        sample("tk.squeeze(a)", a=(1, 3, 1)),
        sample("a.squeeze(0)", a=(1, 3, 1)),
        sample("a.squeeze((0, -1))", a=(1, 3, 1)),
        sample("a.squeeze(1)", a=(1, 3, 1)),
        sample("a.squeeze(5)", a=(1, 3)),
    ),
    methods=(),
    derivative=Rule(_squeeze_name, input=lambda g, c: g.reshape(c.input_face.size)),
)
@by_layout
def squeeze(input: Tensor, dim: Dims | None = None) -> Tensor:
    """Drop dimensions of size 1: all of them, or those named (a named one of another size stays).

    >>> import tensorkit as tk
    >>> tk.squeeze(tk.zeros(1, 3, 1), 0).size()
    tensorkit.Size([3, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.squeeze.html
    """
    return input._view(input._lay().squeeze(dim))


def _squeezed(dims: tuple[Any, ...]) -> Any:
    """What `squeeze` was asked for: None, one dimension, or several."""
    if not dims:
        return None
    one = len(dims) == 1 and isinstance(dims[0], int)
    return dims[0] if one else as_ints(dims, "squeeze", "dim")


def _method_squeeze(input: Tensor, *places: Any, dim: Any = None) -> Tensor:
    """Drop dimensions of size 1: all of them, or those named."""
    dims = _squeezed(places if dim is None else (dim,))
    if not wants_grad(input):
        return input._view(input._lay().squeeze(dims))
    return squeeze(input) if dims is None else squeeze(input, dims)


@op(
    samples=(
        sample("tk.unsqueeze(a, 0)", a=(2, 3)),
        sample("a.unsqueeze(-1)", a=(2, 3)),
        sample("a.unsqueeze(3)", a=(2,)),
    ),
    inplace=True,
    derivative=Rule("UnsqueezeBackward0", input=lambda g, c: g.squeeze(c.dim)),
)
@by_layout
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Put a dimension of size 1 at place `dim`.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 3).unsqueeze(1).size()
    tensorkit.Size([2, 1, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unsqueeze.html
    """
    return input._view(input._lay().unsqueeze(dim))


@op(
    samples=(
        sample("a.expand(4, 3)", a=(1, 3)),
        sample("a.expand(2, -1, 4)", a=(3, 1)),
        sample("a.expand(2, 2)", a=(1, 3)),
    ),
    function=False,
    derivative=_EXPANDED,
)
@by_layout
def expand(input: Tensor, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Repeat dimensions of size 1 without copying: their stride becomes 0. -1 keeps a dimension as it is.

    >>> import tensorkit as tk
    >>> tk.zeros(3, 1).expand(-1, 4).stride()
    (1, 0)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html
    """
    if not sizes and size is None:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
    lay, wanted = input._lay(), as_ints(sizes if size is None else (size,), "expand")
    # Only the error for too few sizes says what kind of tensor it was.
    name = backend_name(input) if len(wanted) < len(lay.size) else ""
    return input._view(lay.expand(wanted, name))


def type_name(input: Tensor) -> str:
    """The legacy name of a tensor's type, such as ``tensorkit.FloatTensor``."""
    place = "" if input._device.type == "cpu" else f"{input._device.type}."
    return f"tensorkit.{place}{input._dtype.label}Tensor"


_OLD_TYPES = ("Half", "Float", "Double", "Byte", "Char", "Short", "Int", "Long")


def backend_name(input: Tensor) -> str:
    """What `expand`'s error calls a tensor: its legacy name, or for dtypes younger than those names another."""
    label = input._dtype.label
    return type_name(input) if label in _OLD_TYPES else f"{input._device.type.upper()}{label}Type"


@op(
    samples=(sample("a.expand_as(b)", a=(3, 1), b=(2, 3, 4)),),
    function=False,
    derivative=_EXPANDED,
)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand` to the size of another tensor.

    >>> import tensorkit as tk
    >>> tk.zeros(3, 1).expand_as(tk.zeros(3, 4)).size()
    tensorkit.Size([3, 4])
    """
    return input._view(input._lay().expand(other._lay().size, backend_name(input)))


@op(
    samples=(
        sample("tk.broadcast_to(a, (2, 3))", a=(3,)),
        sample("tk.broadcast_to(a, 3)", a=(3,)),
        sample("a.broadcast_to((3, 2))", a=(3,)),
    ),
    derivative=_EXPANDED,
    methods=(),
)
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand` as a function: repeat dimensions of size 1 without copying.

    >>> import tensorkit as tk
    >>> tk.broadcast_to(tk.arange(3), (2, 3)).stride()
    (0, 1)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.broadcast_to.html
    """
    return input._view(
        input._lay().expand(_listed_ints(size, "broadcast_to", "size", 2), backend_name(input))
    )


@op(samples=(sample("tk.broadcast_tensors(a, b)", a=(3, 1), b=(4,)),), methods=())
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of all tensors with one common size.

    >>> import tensorkit as tk
    >>> [t.stride() for t in tk.broadcast_tensors(tk.zeros(3, 1), tk.zeros(4))]
    [(1, 0), (0, 1)]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.broadcast_tensors.html
    """
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type(tensor).__name__}"
            )
    size = layouts.broadcast_sizes(*[tensor._lay().size for tensor in tensors])
    return tuple(
        [t if t._lay().size == size else broadcast_to(t, size) for t in tensors]  # PyTorch's very objects
    )


# -- parts --------------------------------------------------------------------------------------------------------


@op(
    strict=True,
    samples=(
        sample("tk.narrow(a, 0, 1, 2)", a=(4, 3)),
        sample("a.narrow(-1, -2, 1)", a=(4, 3)),
        sample("a.narrow(0, 3, 2)", a=(4, 3)),
    ),
    derivative=Rule(
        "SliceBackward0",
        applies=_can_narrow,
        input=lambda g, c: _into(g, c.input_face, lambda z: z.narrow(c.dim, c.start, c.length)),
    ),
)
@by_layout
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Keep `length` positions of one dimension from `start` on.

    >>> import tensorkit as tk
    >>> tk.arange(10).narrow(0, 2, 3)
    tensor([2, 3, 4])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.narrow.html
    """
    return input._view(input._lay().narrow(dim, _start(start), length))


@op(
    strict=True,
    samples=(
        sample("tk.narrow_copy(a, 0, 1, 2)", a=(4, 3)),
        sample("a.narrow_copy(-1, -2, 1)", a=(4, 3)),
        sample("a.narrow_copy(0, 3, 2)", a=(4, 3)),
    ),
    kind="copy",
    derivative=Rule(
        "NarrowCopyBackward0",
        input=lambda g, c: _into(g, c.input_face, lambda z: z.narrow(c.dim, c.start, c.length)),
    ),
)
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow`, as a copy.

    >>> import tensorkit as tk
    >>> tk.narrow_copy(tk.arange(10), 0, 2, 3)
    tensor([2, 3, 4])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.narrow_copy.html
    """
    return row_major(input._view(input._lay().narrow(dim, start.__index__(), length)))


@op(
    strict=True,
    samples=(
        sample("tk.select(a, 0, 1)", a=(2, 3)),
        sample("a.select(1, -1)", a=(2, 3)),
        sample("a.select(0, 2)", a=(2, 3)),
    ),
    derivative=Rule(
        "SelectBackward0", input=lambda g, c: _into(g, c.input_face, lambda z: z.select(c.dim, c.index))
    ),
)
@by_layout
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Fix one index: the dimension goes, the storage offset moves.

    >>> import tensorkit as tk
    >>> tk.arange(6).view(2, 3).select(1, 2)
    tensor([2, 5])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.select.html
    """
    return input._view(input._lay().select(dim, index.__index__()))


@op(
    samples=(sample("tk.diagonal(a)", a=(3, 4)), sample("a.diagonal(1, -1, 0)", a=(2, 3, 4))),
    derivative=Rule(
        "DiagonalBackward0",
        input=lambda g, c: _into(g, c.input_face, lambda z: z.diagonal(c.offset, c.dim1, c.dim2)),
    ),
)
@by_layout
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements whose indices in two dimensions run together, as a new last dimension.

    >>> import tensorkit as tk
    >>> tk.arange(9).view(3, 3).diagonal()
    tensor([0, 4, 8])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diagonal.html
    """
    return input._view(input._lay().diagonal(offset, dim1, dim2))


@op(
    samples=(sample("a.unfold(0, 3, 2)", a=(7,)), sample("a.unfold(1, 5, 1)", a=(2, 3))),
    function=False,
    derivative=Rule(
        "UnfoldBackward0", input=lambda g, c: _unfolded(g, c.input_face, c.dimension, c.size, c.step)
    ),
)
@by_layout
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` positions along a dimension, `step` apart, as a new last dimension; they may overlap.

    >>> import tensorkit as tk
    >>> tk.arange(5).unfold(0, 3, 1).stride()
    (1, 1)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
    """
    return input._view(input._lay().unfold(dimension, size, step))


@op(
    strict=True,
    samples=(
        sample("tk.as_strided(a, (2, 2), (1, 2))", a=(6,)),
        sample("a.as_strided((2, 2), (0, 1), 3)", a=(6,)),
        sample("a.as_strided((3, 3), (3, 1))", a=(6,)),
    ),
    inplace=True,
    derivative=Rule(
        "AsStridedBackward0", input=lambda g, c: _strided(g, c.input_face, c.size, c.stride, c.storage_offset)
    ),
)
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Read the storage with a size, strides and an offset of your own; all must lie inside it.

    Raises:
        RuntimeError: when a slot outside the storage would be read.

    >>> import tensorkit as tk
    >>> tk.arange(6).as_strided((2, 2), (1, 3), 1)
    tensor([[1, 4],
            [2, 5]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.as_strided.html
    """
    sizes = _listed_ints(size, "as_strided", "size", 1)
    strides = _listed_ints(stride, "as_strided", "stride", 2)
    return input._view(
        input._lay().as_strided(
            sizes, strides, storage_offset, input._store().nbytes(), input._dtype.itemsize
        )
    )


def _several(input: Tensor, pieces: Sequence[Layout]) -> tuple[Tensor, ...]:
    """The views of one call that gives several: none of them can be written to once gradients are wanted."""
    parts = tuple([input._view(piece) for piece in pieces])
    if state.grad:
        for part in parts:
            part._origin = ONE_OF_SEVERAL
    return parts


@op(
    samples=(
        sample("tk.split(a, 2)", a=(5, 2)),
        sample("a.split([1, 3], dim=-1)", a=(2, 4)),
        sample("a.split(0)", a=(5,)),
    ),
    derivative=Rule(
        _split_name, tensor=lambda gs, c: _pieces(gs, c.tensor_face, lambda z: z.split(c.split_size, c.dim))
    ),
)
def split(tensor: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of `split_size` positions along a dimension (the last may be smaller), or of the sizes listed.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).split(2)]
    [2, 2, 1]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.split.html
    """
    if isinstance(split_size, bool):
        raise TypeError  # said in PyTorch's words by whoever called
    if not isinstance(tensor, Tensor):
        return tensor.split(split_size, dim)  # as PyTorch calls what it is given
    if not isinstance(split_size, (int, tuple, list)):
        raise TypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, "
            f"not {type(split_size).__name__}"
        )
    return _several(tensor, tensor._lay().split(split_size, dim))


@op(
    samples=(
        sample("tk.split_with_sizes(a, [1, 4])", a=(5, 2)),
        sample("a.split_with_sizes([1], 0)", a=(5,)),
    ),
    derivative=Rule(
        "SplitWithSizesBackward0",
        input=lambda gs, c: _pieces(gs, c.input_face, lambda z: z.split_with_sizes(c.split_sizes, c.dim)),
    ),
)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of the sizes listed, which must add up.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).split_with_sizes([1, 4])]
    [1, 4]
    """
    return _several(input, input._lay().split_with_sizes(split_sizes, dim))


@op(
    strict=True,
    samples=(
        sample("tk.chunk(a, 3)", a=(5, 2)),
        sample("a.chunk(2, -1)", a=(2, 4)),
        sample("a.chunk(0)", a=(2,)),
    ),
    derivative=Rule(
        _chunk_name,
        applies=_can_chunk,
        input=lambda gs, c: _pieces(gs, c.input_face, lambda z: z.chunk(c.chunks, c.dim)),
    ),
)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of one length along a dimension; the last may be shorter.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).chunk(3)]
    [2, 2, 1]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.chunk.html
    """
    return _several(input, input._lay().chunk(chunks, dim))


def _apart(input: Tensor, pieces: Sequence[Layout]) -> tuple[Tensor, ...]:
    """Pieces that count as tensors of their own: writing to one is not followed to the others."""
    return tuple([on_storage(input._store(), piece, input._dtype) for piece in pieces])


@op(
    strict=True,
    samples=(sample("tk.unsafe_split(a, 2)", a=(5, 2)), sample("a.unsafe_split(3, dim=-1)", a=(2, 4))),
    kind="copy",
    derivative=Rule(
        "UnsafeSplitBackward0",
        tensor=lambda gs, c: _pieces(gs, c.tensor_face, lambda z: z.split(c.split_size, c.dim)),
    ),
)
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` without autograd's protection: the pieces are no views to it.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).unsafe_split(2)]
    [2, 2, 1]
    """
    return _apart(tensor, tensor._lay().split(split_size, dim))


@op(
    samples=(
        sample("tk.unsafe_split_with_sizes(a, [1, 4])", a=(5, 2)),
        sample("a.unsafe_split_with_sizes([1], 0)", a=(5,)),
    ),
    kind="copy",
    derivative=Rule(
        "UnsafeSplitWithSizesBackward0",
        input=lambda gs, c: _pieces(gs, c.input_face, lambda z: z.split_with_sizes(c.split_sizes, c.dim)),
    ),
)
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes` without autograd's protection.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).unsafe_split_with_sizes([1, 4])]
    [1, 4]
    """
    return _apart(input, input._lay().split_with_sizes(split_sizes, dim))


@op(
    strict=True,
    samples=(sample("tk.unsafe_chunk(a, 3)", a=(5, 2)), sample("a.unsafe_chunk(2, -1)", a=(2, 4))),
    kind="copy",
)
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` without autograd's protection.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(5).unsafe_chunk(3)]
    [2, 2, 1]
    """
    lay = input._lay()
    lay.chunk(chunks, dim)  # refuses what cannot be cut
    length = lay.size[dim]
    if not length:
        return unsafe_split_with_sizes(input, [0] * chunks, dim)
    return unsafe_split(input, -(-length // chunks), dim)


def _sections(given: Any) -> Any:
    if isinstance(given, Tensor):
        return given.tolist()
    first, *rest = given if isinstance(given, (tuple, list)) and given else (given,)
    if isinstance(first, bool) or any(not hasattr(n, "__index__") for n in rest) or first is None:
        raise TypeError  # said in PyTorch's words by whoever called
    return given


def _check_places(given: Tensor) -> None:
    """Refuse a tensor that `tensor_split` cannot cut by, as PyTorch does."""
    expected = "tensor_split expected tensor_indices_or_sections to"
    if given._dtype is not dtypes.int64:
        raise RuntimeError(f"{expected} have dtype of long, but got {given._dtype.label}")
    if given.dim() > 1:
        raise RuntimeError(
            f"{expected} be a zero-dimensional or one-dimensional tensor, but got a tensor with {given.dim()} dims"
        )


def _cut(input: Tensor, given: Any, pieces: tuple[Layout, ...], dim: int) -> tuple[Tensor, ...]:
    """The pieces as views: for autograd, one slice each."""
    if not wants_grad(input):
        return tuple([input._view(piece) for piece in pieces])
    lengths = [piece.size[dim] for piece in pieces]
    starts = (
        [0, *given]
        if not isinstance(given, int)
        else [builtins.sum(lengths[:i]) for i in range(len(lengths))]
    )
    n = input._lay().size[dim]
    clamped = [slice(start, None).indices(n)[0] for start in starts]
    return tuple([narrow(input, dim, s, length) for s, length in zip(clamped, lengths, strict=True)])


@op(samples=(sample("tk.tensor_split(a, 3)", a=(7, 2)), sample("a.tensor_split((1, 4))", a=(7,))))
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """As many pieces as asked, as even as they can be; or cut before each index listed.

    >>> import tensorkit as tk
    >>> [len(piece) for piece in tk.arange(7).tensor_split(3)]
    [3, 2, 2]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor_split.html
    """
    if isinstance(indices_or_sections, Tensor):
        _check_places(indices_or_sections)
    given, lay = _sections(indices_or_sections), input._lay()
    return _cut(input, given, lay.tensor_split(given, dim), layouts.normalise_dim(dim, len(lay.size)))


@op(
    samples=(
        sample("tk.hsplit(a, 2)", a=(3, 4)),
        sample("a.hsplit((1,))", a=(4,)),
        sample("a.hsplit(3)", a=(2, 4)),
    ),
)
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces side by side: along dimension 1, or 0 of a vector.

    >>> import tensorkit as tk
    >>> [piece.size() for piece in tk.zeros(3, 4).hsplit(2)]
    [tensorkit.Size([3, 2]), tensorkit.Size([3, 2])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, input._lay().hsplit(given), 0 if input.dim() == 1 else 1)


@op(samples=(sample("tk.vsplit(a, 2)", a=(4, 3)), sample("a.vsplit(2)", a=(4,))))
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces one above the other: along dimension 0.

    >>> import tensorkit as tk
    >>> [piece.size() for piece in tk.zeros(4, 3).vsplit(2)]
    [tensorkit.Size([2, 3]), tensorkit.Size([2, 3])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, input._lay().vsplit(given), 0)


@op(samples=(sample("tk.dsplit(a, 2)", a=(2, 3, 4)), sample("a.dsplit(2)", a=(4, 2))))
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces in depth: along dimension 2.

    >>> import tensorkit as tk
    >>> [piece.size() for piece in tk.zeros(2, 3, 4).dsplit(2)]
    [tensorkit.Size([2, 3, 2]), tensorkit.Size([2, 3, 2])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, input._lay().dsplit(given), 2)


@op(
    samples=(sample("tk.unbind(a)", a=(2, 3)), sample("a.unbind(-1)", a=(2, 3)), sample("a.unbind()", a=())),
    derivative=Rule(
        "UnbindBackward0", input=lambda gs, c: _pieces(gs, c.input_face, lambda z: z.unbind(c.dim))
    ),
)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view for each index of a dimension, which goes.

    >>> import tensorkit as tk
    >>> tk.unbind(tk.arange(4).view(2, 2))
    (tensor([0, 1]), tensor([2, 3]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unbind.html
    """
    return _several(input, input._lay().unbind(dim))


# -- the parts of complex numbers ---------------------------------------------------------------------------------


def _as_real(input: Tensor) -> Tensor:
    lay = input._lay()
    layout = Layout((*lay.size, 2), (*[2 * step for step in lay.stride], 1), 2 * lay.offset)
    out = input._view(layout)
    out._dtype = input._dtype.to_real()
    return out


@op(
    samples=(sample("tk.view_as_real(a)", a=(2, 3)),),
    methods=(),
    derivative=Rule("ViewAsRealBackward0", input=lambda g, c: _complex_again(g)),
)
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones: a new last dimension of size 2.

    >>> import tensorkit as tk
    >>> tk.view_as_real(tk.zeros(3, dtype=tk.cfloat)).size()
    tensorkit.Size([3, 2])
    """
    if not input._dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input._conjugated:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return _as_real(input)


@op(
    samples=(sample("tk.view_as_complex(a)", a=(3, 2)), sample("tk.view_as_complex(a)", a=(3,))),
    methods=(),
    derivative=Rule("ViewAsComplexBackward0", input=lambda g, c: view_as_real(g.resolve_conj())),
)
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers, in the last dimension, as complex ones.

    >>> import tensorkit as tk
    >>> tk.view_as_complex(tk.ones(3, 2)).dtype
    tensorkit.complex64
    """
    if input._dtype not in (dtypes.float32, dtypes.float64, dtypes.float16):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input._dtype.label}"
        )
    if input._dtype is dtypes.float16:
        raise RuntimeError(
            "view_as_complex: tensorkit has no complex32 to read half tensors as; call .float() first"
        )
    lay = input._lay()
    if not lay.size:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if lay.size[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if lay.stride[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    for step in lay.stride[:-1]:
        if step % 2:
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if lay.offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    out = input._view(Layout(lay.size[:-1], tuple([s // 2 for s in lay.stride[:-1]]), lay.offset // 2))
    out._dtype = input._dtype.to_complex()
    return out


@op(samples=(sample("tk.real(a)", a=(2, 3)),), methods=())
def real(input: Tensor) -> Tensor:
    """The real parts, as a view; a tensor of real numbers is its own.

    >>> import tensorkit as tk
    >>> tk.real(tk.zeros(3, dtype=tk.cfloat)).stride()
    (2,)
    """
    if input._conjugated:
        return real(input.conj())
    return view_as_real(input).select(-1, 0) if input._dtype.is_complex else input


@op(samples=(sample("tk.imag(a)", a=(2, 3)),), methods=())
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, as a view.

    Raises:
        RuntimeError: for a tensor of real numbers.

    >>> import tensorkit as tk
    >>> tk.imag(tk.zeros(3, dtype=tk.cfloat)).storage_offset()
    1
    """
    if not input._dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return -imag(input.conj()) if input._conjugated else view_as_real(input).select(-1, 1)


# -- itself -------------------------------------------------------------------------------------------------------


@op(samples=(sample("tk.positive(a)", a=(2, 3)),), methods=("positive", "__pos__"))
def positive(input: Tensor) -> Tensor:
    """The tensor itself (``+t``); refused for bool.

    >>> import tensorkit as tk
    >>> t = tk.ones(2)
    >>> +t is t
    True
    """
    if input._dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@op(samples=(sample("tk.detach(a)", a=(2, 3)),))
def detach(input: Tensor) -> Tensor:
    """A tensor on the same storage that autograd does not follow.

    >>> import tensorkit as tk
    >>> t = tk.ones(2)
    >>> t.detach().data_ptr() == t.data_ptr()
    True
    """
    out = input._view(input._lay())
    out._base = None
    return out


def _set_data(input: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if value._device.type != input._device.type:
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if value._dtype.category < 2 and wants_grad(input) and input.requires_grad:
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
    input._adopt_geometry(value._store(), value._lay())
    input._dtype, input._device = value._dtype, value._device


def _delete_data(input: Tensor) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def _data(input: Tensor) -> Tensor:
    """The same storage without autograd's knowledge: writes through it are not counted."""
    out = detach(input)
    out._counter = None
    return out


#: Kinds of devices that PyTorch knows and tensorkit does not have.
_ELSEWHERE = ("is_ipu", "is_maia", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu")


def _attach_forms() -> None:
    """The spellings whose arguments differ between function and method, and the properties."""
    from_sizes: tuple[tuple[str, Any], ...] = (
        ("reshape", _method_reshape),
        ("permute", _method_permute),
        ("broadcast_to", _method_broadcast_to),
        ("squeeze", _method_squeeze),
    )
    for name, body in from_sizes:
        attach(name, view_method(name, body, body))
    attach("squeeze_", traced_method("squeeze_", _squeeze_inplace))
    attach("t_", traced_method("t_", _t_inplace))
    attach("T", property(traced_method("numpy_T", _reversed)))
    attach("mT", property(traced_method("mT", _matrices_transposed)))
    attach("H", property(traced_method("H", _adjoint("H"))))
    attach("mH", property(traced_method("mH", _adjoint("mH"))))
    attach("real", property(real, _write_real))
    attach("imag", property(imag, _write_imag))
    attach("data", property(_data, _set_data, _delete_data))
    attach("layout", property(lambda self: strided))
    for name in ("is_sparse", "is_quantized", "is_mkldnn", "is_nested", "is_sparse_csr", *_ELSEWHERE):
        attach(name, property(lambda self: False))


def _squeeze_inplace(input: Tensor, *places: Any, dim: Any = None) -> Tensor:
    """In-place form of ``squeeze``: this tensor itself gets the new layout."""
    return _squeeze_to(input, _squeezed(places if dim is None else (dim,)))


def _new_layout(input: Tensor, layout: Layout) -> Tensor:
    input._adopt_geometry(input._store(), layout)
    input._bump()
    return input


def _squeeze_to(input: Tensor, dim: Any) -> Tensor:
    def body() -> Tensor:
        return _new_layout(input, input._lay().squeeze(dim))

    if not wants_grad(input):
        return body()
    rule = registry["squeeze"].derivative.inplace()
    return recorded_call(rule, "squeeze_", {"input": input, "dim": dim}, body, "inplace")  # type: ignore[no-any-return]


def _t_inplace(input: Tensor) -> Tensor:
    """In-place form of ``t``: this tensor itself gets the new layout."""

    def body() -> Tensor:
        if input.dim() > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input.dim()}D")
        return _new_layout(input, input._lay().t())

    if not wants_grad(input):
        return body()
    rule = registry["t"].derivative.inplace()
    return recorded_call(rule, "t_", {"input": input}, body, "inplace")  # type: ignore[no-any-return]


def _matrices_transposed(input: Tensor) -> Tensor:
    """The last two dimensions swapped; a 0-d tensor is given back itself, as in PyTorch."""
    layout = input._lay().mT
    if not layout.size:
        _warn_0d("mT")
        return input
    return transpose(input, -2, -1) if wants_grad(input) else input._view(layout)


def _adjoint(name: str) -> Any:
    """``H`` and ``mH``: the last two dimensions swapped, and complex numbers conjugated."""

    def adjoint(input: Tensor) -> Tensor:
        layout = getattr(input._lay(), name)
        if not layout.size:
            _warn_0d(name)
            return input.conj()
        turned = transpose(input, -2, -1) if wants_grad(input) else input._view(layout)
        return turned.conj() if input._dtype.is_complex else turned

    return adjoint


@op(
    samples=(
        sample("tk.adjoint(a)", a=(2, 3)),
        sample("a.adjoint()", a=(2, 2, 3)),
        sample("a.adjoint()", a=(3,)),
    )
)
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of every matrix of a batch.

    >>> import tensorkit as tk
    >>> tk.adjoint(tk.tensor([[1j, 2]])).size()
    tensorkit.Size([2, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.adjoint.html
    """
    lay = input._lay()
    if len(lay.size) == 1:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    if not lay.size:
        warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    turned: Any = transpose(input, -2, -1)
    return turned.conj() if input._dtype.is_complex else turned  # type: ignore[no-any-return]


def _write_real(input: Tensor, value: Any) -> None:
    real(input).copy_(value)


def _write_imag(input: Tensor, value: Any) -> None:
    imag(input).copy_(value)


_attach_forms()
