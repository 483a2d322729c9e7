"""Tensors built from others: diagonals, blocks, grids, products, combinations; and what counts sizes and indices.

Source: sizes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.registry import offers, sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.errors import warn
from tensorkit.ops.creation.tril_triu import exact_out
from tensorkit.ops.joining.cat_stack import as_tensors, stack
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.to import to_device
from tensorkit.ops.shared.type_names import backend_name
from tensorkit.ops.views.slicing import diagonal_backward
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Size, Tensor, fresh

__all__ = [
    "block_diag",
    "broadcast_shapes",
    "cartesian_prod",
    "combinations",
    "diag",
    "diag_embed",
    "diagflat",
    "meshgrid",
    "unravel_index",
    "vander",
]


def _whole(value: Any, name: str, argument: str, position: int) -> int:
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}"
        )
    return int(value.__index__())


def _zeros(size: tuple[int, ...], like: Tensor) -> Tensor:
    out = empty_strided(size, contiguous_stride(size), like._dtype, like._device)
    write_number(out, 0)
    return out


# -- diagonals ----------------------------------------------------------------------------------------------------


def _embedded(input: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    lay = input._lay()
    ndim = len(lay.size) + 1
    first, second = normalise_dim(dim1, ndim), normalise_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = lay.size[-1] + abs(offset)
    size = list(lay.size[:-1])
    for dim in sorted((first, second)):
        size.insert(dim, length)
    out = _zeros(tuple(size), input)
    copy_into(out._view(out._lay().diagonal(offset, first, second)), input)
    return _alone(out)


def _alone(out: Tensor) -> Tensor:
    """Another view was made while it was filled: nobody else has it."""
    out._counter = None
    return out


@op(
    samples=(
        sample("tk.diag_embed(a)", a=(3,)),
        sample("tk.diag_embed(a, 1)", a=(2, 3)),
        sample("a.diag_embed(offset=-1, dim1=0, dim2=2)", a=(2, 3)),
        sample("a.diag_embed(0, -1, 0)", a=(2,)),
        sample("a.diag_embed(0, 0, 0)", a=(2,)),
        sample("a.diag_embed(0, 0, 5)", a=(2,)),
        sample("a.diag_embed(1.5)", a=(2,)),
    ),
    kind="copy",
    derivative=Rule("DiagEmbedBackward0", input=lambda g, c: g.diagonal(c.offset, c.dim1, c.dim2)),
)
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices whose diagonals are the vectors along the last dimension; zeros elsewhere.

    Args:
        offset: which diagonal: 0 the main one, positive ones above it.
        dim1, dim2: the two dimensions of the result that make the matrices.

    >>> import tensorkit as tk
    >>> tk.diag_embed(tk.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diag_embed.html
    """
    which = _whole(offset, "diag_embed", "offset", 2)
    return _embedded(
        input, which, _whole(dim1, "diag_embed", "dim1", 3), _whole(dim2, "diag_embed", "dim2", 4)
    )


def _diag_name(arguments: dict[str, Any]) -> str:
    return "DiagonalBackward0_copy" if arguments["input"].dim() == 2 else "DiagEmbedBackward0"


def _can_diag(arguments: dict[str, Any]) -> bool:
    return arguments["input"].dim() in (1, 2)


def _diag_back(g: Any, face: Any, diagonal: int) -> Any:
    if len(face.size) == 1:
        return g.diagonal(diagonal)
    return diagonal_backward(g, face.size, diagonal, 0, 1)


@op(
    strict=True,
    samples=(
        sample("tk.diag(a)", a=(3,)),
        sample("tk.diag(a)", a=(3, 4)),
        sample("tk.diag(a, 1)", a=(3,)),
        sample("a.diag(-1)", a=(3, 3)),
        sample("a.diag(diagonal=5)", a=(3, 3)),
        sample("tk.diag(tk.tensor([1.0, 2.0]), out=tk.empty(0))"),
        sample("tk.diag(tk.tensor([[1, 2], [3, 4]]), 1, out=tk.zeros(1))"),
        sample("a.diag()", a=()),
        sample("a.diag()", a=(2, 2, 2)),
    ),
    kind="copy",
    derivative=Rule(
        _diag_name, applies=_can_diag, input=lambda g, c: _diag_back(g, c.input_face, c.diagonal)
    ),
)
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Of a vector the matrix with it on a diagonal; of a matrix a copy of its diagonal.

    Raises:
        RuntimeError: for a number, or more than two dimensions.

    >>> import tensorkit as tk
    >>> tk.diag(tk.tensor([1, 2])), tk.diag(tk.tensor([[1, 2], [3, 4]]), 1)
    (tensor([[1, 0],
            [0, 2]]), tensor([2]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diag.html
    """
    which = _whole(diagonal, "diag", "diagonal", 2)
    ndim = input.dim()
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        made = _embedded(input, which, 0, 1)
    else:
        part = input._view(input._lay().diagonal(which))
        made = empty_strided(part._lay().size, (1,), input._dtype, input._device)
        copy_into(made, part)
    if out is None:
        return made
    target = exact_out(out, made._lay().size, input._dtype, "diag")
    copy_into(target, made)
    target._bump()
    return target


@op(
    samples=(
        sample("tk.diagflat(a)", a=(3,)),
        sample("tk.diagflat(a, 1)", a=(2, 2)),
        sample("a.diagflat(offset=-1)", a=(2,)),
        sample("a.diagflat()", a=()),
        sample("a.diagflat('x')", a=(2,)),
    ),
    kind="copy",
)
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with all elements of a tensor, in a row, on a diagonal.

    >>> import tensorkit as tk
    >>> tk.diagflat(tk.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.diagflat.html
    """
    row: Any = input.contiguous()
    return diag_embed(row.view(-1), _whole(offset, "diagflat", "offset", 2))


# -- blocks -------------------------------------------------------------------------------------------------------


def _corners(tensors: Sequence[Tensor]) -> list[tuple[int, int, int, int]]:
    """Of each block its first row, first column, height and width."""
    row = column = 0
    found = []
    for tensor in tensors:
        size = tensor._lay().size
        height, width = (1, 1) if not size else (1, size[0]) if len(size) == 1 else size
        found.append((row, column, height, width))
        row, column = row + height, column + width
    return found


def _block(g: Any, c: Any, place: int) -> Any:
    row, column, height, width = c.corners[place]
    return g[row : row + height, column : column + width].reshape(c.sizes[place])


@functools.cache
def _block_rule(count: int) -> Rule:
    formulas: dict[str, Any] = {f"t{i}": lambda g, c, i=i: _block(g, c, i) for i in range(count)}
    return Rule("BlockDiagBackward0", **formulas)


def _blocks(tensors: Sequence[Tensor], corners: Sequence[tuple[int, int, int, int]]) -> Tensor:
    kind = result_dtype(*tensors)
    size = (sum(c[2] for c in corners), sum(c[3] for c in corners))
    out = empty_strided(size, contiguous_stride(size), kind, tensors[0]._device)
    write_number(out, 0)
    for tensor, (row, column, height, width) in zip(tensors, corners, strict=True):
        place = out._lay().narrow(0, row, height).narrow(1, column, width)
        copy_into(out._view(place), tensor)
    return _alone(out)


def _check_blocks(tensors: Sequence[Tensor]) -> None:
    for place, tensor in enumerate(tensors):
        if tensor._device != tensors[0]._device:
            raise RuntimeError(
                "Input tensors must all be on the same device. Input 0 is on device "
                f"{tensors[0]._device} and input {place} is on device {tensor._device}."
            )
        if tensor.dim() > 2:
            raise RuntimeError(
                "tensorkit.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {place} has {tensor.dim()} dimensions"
            )


@op(
    samples=(
        sample("tk.block_diag(a, b)", a=(2, 3), b=(3,)),
        sample("tk.block_diag(a, b, a)", a=(), b=(2, 2)),
        sample("tk.block_diag(a)", a=(2, 2)),
        sample("tk.block_diag(tk.ones(0), tk.ones(2, 2))"),
        sample("tk.block_diag(a)", a=(2, 2, 2)),
        sample("tk.block_diag(a, 1)", a=(2,)),
        sample("tk.block_diag()"),
    ),
    kind="copy",
    methods=(),
)
def block_diag(*tensors: Tensor) -> Tensor:
    """The matrix with tensors along its diagonal, each a block; zeros elsewhere. A vector is one row.

    >>> import tensorkit as tk
    >>> tk.block_diag(tk.tensor([[1, 2]]), tk.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.block_diag.html
    """
    given = as_tensors(tensors, "block_diag")
    if not given:
        return empty_strided((1, 0), (1, 1), dtypes.get_default_dtype(), CPU)
    _check_blocks(given)
    corners = _corners(given)
    if not any(map(wants_grad, given)):
        return _blocks(given, corners)
    arguments = {f"t{i}": tensor for i, tensor in enumerate(given)}
    rest = {"corners": corners, "sizes": [tensor._lay().size for tensor in given]}
    rule = _block_rule(len(given))
    return recorded_call(rule, "block_diag", arguments | rest, lambda: _blocks(given, corners), "copy")  # type: ignore[no-any-return]


# -- grids --------------------------------------------------------------------------------------------------------


def _check_grid(tensors: Sequence[Tensor]) -> None:
    for tensor in tensors:
        if tensor._dtype is not tensors[0]._dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if tensor._device != tensors[0]._device:
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    for tensor in tensors:
        if tensor.dim() > 1:
            raise RuntimeError(
                f"tensorkit.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {_as_listed(tensor)}"
            )


_LINE = 80  # characters, after which columns are printed apart


def _as_listed(tensor: Any) -> str:
    """The first and the last line of a tensor as PyTorch's C++ prints it."""
    last = f"[ {backend_name(tensor)}{{{','.join(map(str, tensor.size()))}}} ]"
    return f"{_first_line(tensor)}\n{last}" if tensor.numel() else last


def _first_line(tensor: Any) -> str:
    if tensor.dim() > 2:
        return f"({'1,' * (tensor.dim() - 2)}.,.) = "
    table = (tensor.real if tensor.is_complex() else tensor).double()
    known = [abs(value) for value in table.flatten().tolist() if math.isfinite(value)]
    digits = [math.floor(math.log10(value)) + 1 if value else 1 for value in known] or [1]
    most, width, form = max(digits), 11, ".4e"
    if all(value == int(value) for value in known):
        if most <= 9:
            width, form = most + 1, ".6g"
    elif most - min(digits) <= 4:
        if most < 0 or most > 5:
            return f"{10.0 ** (most - 1):.15g} *"
        width, form = max(most, 1) + 6, ".4f"
    row = table[0].tolist()
    fit = _LINE // (width + 1)
    head = f"Columns 1 to {fit} " if fit < len(row) else ""
    return head + " ".join(f"{value:{width}{form}}" for value in row[:fit]).removeprefix(" " * bool(head))


def _grids(tensors: Sequence[Any], crossed: bool) -> tuple[Tensor, ...]:
    lengths = [tensor.numel() for tensor in tensors]
    order = list(range(len(tensors)))
    if crossed and len(tensors) > 1:
        order[:2] = [1, 0]
    size = [lengths[place] for place in order]
    grids = []
    for dim, tensor in zip(order, tensors, strict=True):
        shape = [1] * len(tensors)
        shape[dim] = -1 if tensor.numel() else 0
        grids.append(tensor.view(shape).expand(size))
    return tuple(grids)


@op(
    samples=(
        sample("tk.meshgrid(a, b, indexing='ij')", a=(2,), b=(3,)),
        sample("tk.meshgrid(a, b, indexing='xy')", a=(2,), b=(3,)),
        sample("tk.meshgrid([a, b, a], indexing='xy')", a=(2,), b=(3,)),
        sample("tk.meshgrid(a, b)", a=(2,), b=()),
        sample("tk.meshgrid(a, indexing='xy')", a=(2,)),
        sample("tk.meshgrid(a, indexing='yx')", a=(2,)),
        sample("tk.meshgrid(a, 1, indexing='ij')", a=(2,)),
        sample("tk.meshgrid(indexing='ij')"),
    ),
    methods=(),
)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: for each vector a tensor of the grid's size, without copying.

    Args:
        tensors: vectors, side by side or as one sequence.
        indexing: ``"ij"``: one dimension for each vector, in order; ``"xy"``: the first two swapped, as for pictures.

    >>> import tensorkit as tk
    >>> x, y = tk.meshgrid(tk.arange(2), tk.arange(3), indexing="ij")
    >>> x, y.stride()
    (tensor([[0, 0, 0],
            [1, 1, 1]]), (0, 1))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.meshgrid.html
    """
    listed = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    given = as_tensors(tuple(tensors[0]) if listed else tensors, "meshgrid")
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(indexing)}")
    if indexing is None:
        warn("tensorkit.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    _check_grid(given)
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'tensorkit.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    return _grids(given, indexing == "xy")


def _check_vector(tensor: Tensor) -> None:
    if tensor.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._lay().size)}")


@op(
    samples=(
        sample("tk.cartesian_prod(a, b)", a=(2,), b=(3,)),
        sample("tk.cartesian_prod(a, a, a)", a=(2,)),
        sample("tk.cartesian_prod(a)", a=(2,)),
        sample("tk.cartesian_prod(a, b)", a=(2, 2), b=(3,)),
        sample("tk.cartesian_prod(a, 1)", a=(2,)),
        sample("tk.cartesian_prod()"),
    ),
    kind="copy",
    methods=(),
)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of one element of each vector, as rows; of one vector the vector itself.

    >>> import tensorkit as tk
    >>> tk.cartesian_prod(tk.tensor([1, 2]), tk.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cartesian_prod.html
    """
    given = as_tensors(tensors, "cartesian_prod")
    for tensor in given:
        _check_vector(tensor)
    if len(given) == 1:
        return given[0]
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    _check_grid(given)
    grids: Any = _grids(given, crossed=False)
    return stack([grid.flatten() for grid in grids], 1)


def _chosen(count: int, r: int, again: bool) -> Array:
    """Where, on the grid of all choices of `r`, each index is larger than the one before, or (`again`) as large."""
    steps = [numpy.arange(count).reshape([-1 if d == place else 1 for d in range(r)]) for place in range(r)]
    mask = numpy.ones((count,) * r, bool)
    for lower, upper in itertools.pairwise(steps):
        mask &= lower <= upper if again else lower < upper
    return mask


_MOST_DIMS = 64  # of an array of NumPy's


@op(
    strict=True,
    samples=(
        sample("tk.combinations(a)", a=(4,)),
        sample("tk.combinations(a, 3)", a=(4,)),
        sample("tk.combinations(a, r=2, with_replacement=True)", a=(3,)),
        sample("tk.combinations(a, 1)", a=(3,)),
        sample("tk.combinations(a, 0)", a=(3,)),
        sample("tk.combinations(a, -1)", a=(3,)),
        sample("tk.combinations(a)", a=(2, 2)),
    ),
    kind="copy",
    methods=(),
)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every combination of `r` elements of a vector, as rows, in the order of the vector.

    >>> import tensorkit as tk
    >>> tk.combinations(tk.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.combinations.html
    """
    count = _whole(r, "combinations", "r", 2)
    _check_vector(input)
    if count < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {count}")
    if count == 0:
        return empty_strided((0,), (1,), input._dtype, input._device)
    if count >= 2**60:
        raise RuntimeError("cannot create std::vector larger than max_size()")
    if count > max(input.numel(), _MOST_DIMS):  # more than there are to choose from, or than a grid can have
        if with_replacement and input.numel() > 1:
            raise RuntimeError("numel: integer multiplication overflow")
        if not with_replacement:
            return empty_strided((0, count), (count, 1), input._dtype, input._device)
    mask = to_device(fresh(_chosen(input.numel(), count, bool(with_replacement)), dtypes.bool), input._device)
    grids: Any = _grids([input] * count, crossed=False)
    if not mask.any() and not wants_grad(input):
        return stack([grid.reshape(-1).narrow(0, 0, 0) for grid in grids], 1)
    return stack([grid.masked_select(mask) for grid in grids], 1)


@op(
    strict=True,
    samples=(
        sample("tk.vander(tk.tensor([1, 2, 3]))"),
        sample("tk.vander(tk.tensor([1.5, -2.0]), 3)"),
        sample("tk.vander(tk.tensor([1, 2], dtype=tk.int8), N=4, increasing=True)"),
        sample("tk.vander(tk.tensor([1j, 2]), 0)"),
        sample("tk.vander(tk.tensor([1]), -1)"),
        sample("tk.vander(tk.ones(2, 2))"),
    ),
    kind="copy",
    methods=(),
    rounded=1,
)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, one row each: from the highest down to 0, or the other way round.

    Args:
        N: how many powers; by default as many as there are elements.

    >>> import tensorkit as tk
    >>> tk.vander(tk.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.vander.html
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.numel() if N is None else _whole(N, "vander", "N", 2)
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    vector: Any = x
    kind = dtypes.promote_types(x._dtype, dtypes.int64) if x._dtype.category < 2 else x._dtype
    powers: Any = vector.new_empty((x.numel(), count), dtype=kind)
    if count > 0:
        powers[:, 0] = 1
    if count > 1:
        powers[:, 1:] = vector.unsqueeze(-1)
        powers[:, 1:] = powers[:, 1:].clone().cumprod(1)
    return powers if increasing else powers.flip(1)  # type: ignore[no-any-return]


# -- sizes and indices --------------------------------------------------------------------------------------------


def _as_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)):
        raise RuntimeError(
            f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}"
        )
    for length in shape:
        if length < 0:
            raise ValueError("Attempting to broadcast a dimension with negative length!")
    return tuple(shape)


@offers
def broadcast_shapes(*shapes: Any) -> Size:
    """The size that tensors of these sizes broadcast to.

    Raises:
        RuntimeError: when they do not.

    >>> import tensorkit as tk
    >>> tk.broadcast_shapes((3, 1), (4,))
    tensorkit.Size([3, 4])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.broadcast_shapes.html
    """
    given = [_as_shape(shape) for shape in shapes if shape is not None]
    result = [1] * max((len(shape) for shape in given), default=0)
    for place, shape in enumerate(given):
        for back in range(-1, -1 - len(shape), -1):
            length = shape[back]
            if length == 1 or length == result[back]:
                continue
            if result[back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {length} at {back}! Mismatching argument at index "
                    f"{place} had {shape}; but expected shape should be broadcastable to {result}"
                )
            result[back] = length
    return Size(result)


def _unravelled_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int):
        return (shape,)
    if isinstance(shape, Tensor) or not isinstance(shape, Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for length in shape:
        if not isinstance(length, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(length)}")
    return tuple([int(length) for length in shape])


@op(
    samples=(
        sample("tk.unravel_index(tk.tensor([1, 5]), (2, 3))"),
        sample("tk.unravel_index(tk.tensor([[1, 5], [2, -1]]), [2, 3])"),
        sample("tk.unravel_index(tk.tensor(5), 6)"),
        sample("tk.unravel_index(a, (2, 3))", a=(2, 2)),
        sample("tk.unravel_index(tk.tensor(5), (2, -3))"),
        sample("tk.unravel_index(tk.tensor(5), (2, 'a'))"),
    ),
    kind="copy",
    methods=(),
)
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """For indices into a tensor's elements in one row, their indices along each dimension of its size.

    >>> import tensorkit as tk
    >>> tk.unravel_index(tk.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unravel_index.html
    """
    if indices.is_complex() or indices.is_floating_point() or indices._dtype is dtypes.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype}")
    size = _unravelled_shape(shape)
    if any(length < 0 for length in size):
        raise ValueError(f"'shape' cannot have negative values, but got {size}")
    if 0 in size:
        raise RuntimeError("ZeroDivisionError")
    coefficients, step = [], 1
    for length in reversed(size):
        coefficients.append(step)
        step *= length
    flat: Any = indices
    steps = to_device(fresh(numpy.array(coefficients[::-1], numpy.int64), dtypes.int64), flat._device)
    lengths = to_device(fresh(numpy.array(size, numpy.int64), dtypes.int64), flat._device)
    return (flat.unsqueeze(-1).floor_divide(steps) % lengths).unbind(-1)  # type: ignore[no-any-return]
