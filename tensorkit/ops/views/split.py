"""A tensor cut into several along a dimension: each piece is a view."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import ONE_OF_SEVERAL, state
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.signatures import Inner, type_name
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.shared.int_args import counted, in_64_bits
from tensorkit.ops.views.slicing import narrow
from tensorkit.strides import split as split_strides
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor, on_storage


def joined_pieces(
    gs: Sequence[Any], size: tuple[int, ...], cut: Callable[[Layout], Sequence[Layout]], dim: int
) -> Tensor:
    """The gradients of all pieces side by side; zeros for a piece that has none.

    Args:
        cut: how the whole was cut. dim: along which dimension.
    """
    some = next(g for g in gs if g is not None)
    sizes = [piece.size for piece in cut(contiguous(size))]
    parts = [some.new_zeros(own) if g is None else g for g, own in zip(gs, sizes, strict=True)]
    return cat(parts, dim)


def stacked_pieces(gs: Sequence[Any], dim: int) -> Tensor:
    """`joined_pieces` of pieces that have lost the dimension."""
    some = next(g for g in gs if g is not None)
    return stack([some.new_zeros(some.size()) if g is None else g for g in gs], dim)


def unsplit(gs: Sequence[Any], size: tuple[int, ...], c: Any) -> Tensor:
    """The gradient of what was cut into pieces of `split_size`."""
    length = _number_of_positions(c.split_size)
    return joined_pieces(gs, size, lambda lay: split_strides.split(lay, length, c.dim), c.dim)


def _unlisted(gs: Sequence[Any], c: Any) -> Tensor:
    return joined_pieces(
        gs, c.input_face.size, lambda lay: split_strides.split_with_sizes(lay, c.split_sizes, c.dim), c.dim
    )


def _split_name(arguments: dict[str, Any]) -> str:
    listed = isinstance(arguments["split_size"], (tuple, list))
    return "SplitWithSizesBackward0" if listed else "SplitBackward0"


def _chunk_name(arguments: dict[str, Any]) -> str:
    size, dim = arguments["input"].size(), arguments["dim"]
    empty = -len(size) <= dim < len(size) and size[dim] == 0
    return "SplitWithSizesBackward0" if empty else "SplitBackward0"


def _can_chunk(arguments: dict[str, Any]) -> bool:
    """PyTorch refuses these before it asks for histories; the rest is a split to it."""
    if not arguments["input"].dim() or arguments["chunks"] <= 0:
        split_strides.chunk(arguments["input"]._lay(), arguments["chunks"], arguments["dim"])
    return True


def _several(input: Tensor, pieces: Sequence[Layout]) -> tuple[Tensor, ...]:
    """The views of one call that gives several: none of them can be written to once gradients are wanted."""
    parts = tuple([input._view(piece) for piece in pieces])
    if state.grad:
        for part in parts:
            part._origin = ONE_OF_SEVERAL
    return parts


def _number_of_positions(given: Any) -> Any:
    """What `split` takes a tensor for: the number that it holds, if it holds one."""
    if not isinstance(given, Tensor):
        return given
    try:
        return int(given)
    except ValueError:
        return given


def _split_method(self: Any, split_size: Any, dim: Any = 0) -> Inner:
    split_size = _number_of_positions(split_size)
    return "split" if isinstance(split_size, int) else "split_with_sizes", (self, split_size, dim), {}


def _split_function(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Inner | None:
    if not isinstance(tensor, Tensor):
        return None
    return _split_method(tensor, split_size_or_sections, dim)


@op(derivative=Rule(_split_name, tensor=lambda gs, c: unsplit(gs, c.tensor_face.size, c)))
@takes(
    "(Tensor input, int split_size, int dim = 0)",
    "(Tensor input, tuple of ints split_size, int dim = 0)",
    python=_split_function,
    python_method=_split_method,
)
def split(tensor: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of `split_size` positions along a dimension (the last may be smaller), or of the sizes listed.

    >>> [len(piece) for piece in tk.arange(5).split(2)]
    [2, 2, 1]
    """
    if isinstance(split_size, bool):
        raise TypeError  # the caller says it in PyTorch's words
    if not isinstance(tensor, Tensor):
        return tensor.split(split_size, dim)  # as PyTorch calls what it is given
    split_size = in_64_bits(_number_of_positions(split_size))
    if not isinstance(split_size, (int, tuple, list)):
        raise TypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, "
            f"not {type_name(split_size)}"
        )
    return _several(tensor, split_strides.split(tensor._lay(), split_size, dim))


@op(derivative=Rule("SplitWithSizesBackward0", input=lambda gs, c: _unlisted(gs, c)))
@takes("(Tensor input, tuple of ints split_sizes, int dim = 0)")
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of the sizes listed, which must add up.

    >>> [len(piece) for piece in tk.arange(5).split_with_sizes([1, 4])]
    [1, 4]
    """
    return _several(input, split_strides.split_with_sizes(input._lay(), split_sizes, dim))


@op(
    strict=True,
    derivative=Rule(
        _chunk_name,
        applies=_can_chunk,
        input=lambda gs, c: joined_pieces(
            gs, c.input_face.size, lambda lay: split_strides.chunk(lay, counted(c.chunks), c.dim), c.dim
        ),
    ),
)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of one length along a dimension; the last may be shorter.

    >>> [len(piece) for piece in tk.arange(5).chunk(3)]
    [2, 2, 1]
    """
    return _several(input, split_strides.chunk(input._lay(), counted(chunks), dim))


def _apart(input: Tensor, cut: Callable[[Layout], Sequence[Layout]]) -> tuple[Tensor, ...]:
    """Pieces that count as tensors of their own: writing to one is not followed to the others."""
    input = resolved(input)
    return tuple([on_storage(input._store(), piece, input._dtype) for piece in cut(input._lay())])


@op(
    strict=True,
    kind="copy",
    derivative=Rule("UnsafeSplitBackward0", tensor=lambda gs, c: unsplit(gs, c.tensor_face.size, c)),
)
@takes("(Tensor input, int split_size, int dim = 0)")
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` without autograd's protection: the pieces do not count as views.

    >>> [len(piece) for piece in tk.arange(5).unsafe_split(2)]
    [2, 2, 1]
    """
    return _apart(tensor, lambda lay: split_strides.split(lay, counted(split_size), dim))


@op(kind="copy", derivative=Rule("UnsafeSplitWithSizesBackward0", input=lambda gs, c: _unlisted(gs, c)))
@takes("(Tensor input, tuple of ints split_sizes, int dim = 0)")
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes` without autograd's protection.

    >>> [len(piece) for piece in tk.arange(5).unsafe_split_with_sizes([1, 4])]
    [1, 4]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unsafe_split.html
    """
    return _apart(input, lambda lay: split_strides.split_with_sizes(lay, split_sizes, dim))


@op(strict=True, kind="copy")
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` without autograd's protection.

    >>> [len(piece) for piece in tk.arange(5).unsafe_chunk(3)]
    [2, 2, 1]
    """
    lay, chunks = input._lay(), counted(chunks)
    split_strides.chunk(lay, chunks, dim)  # refuses what cannot be cut
    length = lay.size[dim]
    if not length:
        return unsafe_split_with_sizes(input, [0] * chunks, dim)
    return unsafe_split(input, -(-length // chunks), dim)


def _sections(given: Any) -> Any:
    if isinstance(given, Tensor):
        return given.tolist()
    first, *rest = given if isinstance(given, (tuple, list)) and given else (given,)
    if isinstance(first, bool) or any(not hasattr(n, "__index__") for n in rest) or first is None:
        raise TypeError  # the caller says it in PyTorch's words
    return in_64_bits(counted(given))


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


@op()
@takes(
    "(Tensor input, tuple of ints indices, int dim = 0)",
    "(Tensor input, Tensor tensor_indices_or_sections, int dim = 0)",
    "(Tensor input, int sections, int dim = 0)",
)
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """As many pieces as asked, as even as they can be; or cut before each index listed.

    >>> [len(piece) for piece in tk.arange(7).tensor_split(3)]
    [3, 2, 2]
    """
    if isinstance(indices_or_sections, Tensor):
        _check_places(indices_or_sections)
    given, lay = _sections(indices_or_sections), input._lay()
    return _cut(input, given, split_strides.tensor_split(lay, given, dim), normalise_dim(dim, len(lay.size)))


@op()
@takes("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)")
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces side by side: along dimension 1, or 0 of a vector.

    >>> [piece.size() for piece in tk.zeros(3, 4).hsplit(2)]
    [tensorkit.Size([3, 2]), tensorkit.Size([3, 2])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, split_strides.hsplit(input._lay(), given), 0 if input.dim() == 1 else 1)


@op()
@takes("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)")
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces one above the other: along dimension 0.

    >>> [piece.size() for piece in tk.zeros(4, 3).vsplit(2)]
    [tensorkit.Size([2, 3]), tensorkit.Size([2, 3])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, split_strides.vsplit(input._lay(), given), 0)


@op()
@takes("(Tensor input, int sections)", "(Tensor input, tuple of ints indices)")
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces in depth: along dimension 2.

    >>> [piece.size() for piece in tk.zeros(2, 3, 4).dsplit(2)]
    [tensorkit.Size([2, 3, 2]), tensorkit.Size([2, 3, 2])]
    """
    given = _sections(indices_or_sections)
    return _cut(input, given, split_strides.dsplit(input._lay(), given), 2)


@op(derivative=Rule("UnbindBackward0", input=lambda gs, c: stacked_pieces(gs, c.dim)))
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view for each index of a dimension, which goes.

    >>> tk.unbind(tk.arange(4).view(2, 2))
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _several(input, split_strides.unbind(input._lay(), dim))
