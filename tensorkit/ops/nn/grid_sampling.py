"""Images read at places between their elements, which a grid names; and grids that turn, move and scale images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from operator import add
from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.ops.creation.ranges import linspace
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.kit import BUT_FLOATS, Rule, Tensor, op
from tensorkit.ops.shared.int_args import listed_ints

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)

# One element that counts for a place, in one dimension: which, how much of it, and how that changes with the place.
Tap = tuple[Any, Any, Any]


def _in_elements(x: Any, size: int, corners: bool) -> tuple[Any, float]:
    """Coordinates from -1 to 1 as numbers of elements, and how many elements a unit of them is."""
    if corners:
        return (x + 1) / 2 * (size - 1), (size - 1) / 2
    return ((x + 1) * size - 1) / 2, size / 2


def _reflected(t: Any, size: int, corners: bool) -> tuple[Any, Any]:
    """A coordinate that mirrors at both ends keep inside, and whether it goes there and back: 1 or -1."""
    low, span = (0.0, size - 1.0) if corners else (-0.5, float(size))
    if not span:
        return t * 0, t * 0
    past = t - low
    away = past.abs()
    flips = (away / span).floor()
    rest = away - flips * span
    even = flips % 2 == 0
    sign = (past < 0).to(t.dtype) * -2 + 1
    return rest.where(even, span - rest) + low, sign * (even.to(t.dtype) * 2 - 1)


def _kept_inside(t: Any, size: int, padding: int, corners: bool) -> tuple[Any, Any]:
    """A coordinate inside of the image, as the padding has it, and how it follows the one that was given."""
    slope: Any = 1
    if padding == REFLECTION:
        t, slope = _reflected(t, size, corners)
    if padding == ZEROS:
        return t, slope
    inside = ((t > 0) & (t < size - 1)).to(t.dtype)
    return t.clamp(0, size - 1), inside * slope


def _cubic_share(x: Any, a: float = -0.75) -> tuple[Any, Any]:
    """The share of an element `x` away, less than 1 or between 1 and 2, and its slope."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a
    return near[0].where(x <= 1, far[0]), near[1].where(x <= 1, far[1])


def _taps(x: Any, size: int, mode: int, padding: int, corners: bool) -> list[Tap]:
    t, unit = _in_elements(x, size, corners)
    if mode == BICUBIC:
        first = t.floor()
        found = []
        for k in range(-1, 3):
            away = t - first - k
            share, slope = _cubic_share(away.abs())
            place, _ = _kept_inside(first + k, size, padding, corners)
            found.append((place, share, slope * (-1 if k > 0 else 1) * unit))
        return found
    t, slope = _kept_inside(t, size, padding, corners)
    if mode == NEAREST:
        return [(t.round(), t.new_ones(t.shape), t.new_zeros(t.shape))]
    first = t.floor()
    share = t - first
    return [(first, 1 - share, -unit * slope + share * 0), (first + 1, share, unit * slope + share * 0)]


def _elements(input: Any, grid: Any, mode: int, padding: int, corners: bool) -> Any:
    """For each choice of an element in all dimensions: its place (n, 1, points), whether it is one, and its taps."""
    sizes = input.shape[2:]
    points = grid.reshape(grid.shape[0], prod(grid.shape[1:-1]), len(sizes))
    each = [
        _taps(points[..., len(sizes) - 1 - d], size, mode, padding, corners) for d, size in enumerate(sizes)
    ]
    for taps in product(*each):
        inside: Any = None
        place: Any = 0
        for (where, _, _), size in zip(taps, sizes, strict=True):
            within = (where >= 0) & (where <= size - 1)
            inside = within if inside is None else inside & within
            place = place * size + where.where(within, 0).to(dtypes.int64)
        yield place.unsqueeze(1), inside.unsqueeze(1), taps


def _share(taps: Sequence[Tap], but: int = -1) -> Any:
    """The product of the shares; of one dimension the slope."""
    found: Any = 1
    for d, (_, share, slope) in enumerate(reversed(taps)):
        found = found * (slope if len(taps) - 1 - d == but else share)
    return found.unsqueeze(1)


def _flat(tensor: Any) -> Any:
    return tensor.reshape(*tensor.shape[:2], prod(tensor.shape[2:]))


def _back(grad: Any, c: Any, to_grid: bool) -> Any:
    how = c.interpolation_mode, c.padding_mode, c.align_corners
    return _gradient(grad, c.input, c.grid, *how, to_grid)


def _gradient(grad: Any, input: Any, grid: Any, mode: int, padding: int, corners: bool, to_grid: bool) -> Any:
    """The gradient of the image, or of the grid."""
    g, flat, dims = _flat(grad), _flat(input), input.ndim - 2
    size = (*input.shape[:2], g.shape[2])
    image: Any = flat.new_zeros(flat.shape)
    moves: list[Any] = [grid.new_zeros((grid.shape[0], g.shape[2])) for _ in range(dims)]
    for place, inside, taps in _elements(input, grid, mode, padding, corners):
        if to_grid:
            moved = inside & (mode != NEAREST)  # from one element to the next nothing changes
            seen = (g * flat.gather(2, place.expand(size)).where(moved, 0)).sum(1)
            for d in range(dims):
                moves[d] = moves[d] + seen * _share(taps, d).squeeze(1)
        else:
            image = image.scatter_add(2, place.expand(size), (g * _share(taps)).where(inside, 0))
    if to_grid:
        return stack(moves[::-1], -1).reshape(grid.shape)
    return image.view(input.shape)


def _check(input: Tensor, grid: Tensor, mode: int) -> None:
    told = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if not input.ndim or not grid.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but got {told}")
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    for d in range(2, input.ndim):
        if not input.shape[d]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {d} being empty"
            )
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        dims = input.ndim if input.ndim in (4, 5) else "4D or 5"
        raise RuntimeError(
            f"grid_sampler(): expected {dims}D input and grid with same number of dimensions, but got {told}"
        )
    if input.ndim == 5 and mode == BICUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype in BUT_FLOATS and (input.numel() or input.ndim == 5):
        name = "grid_sampler_2d_cpu_kernel_impl" if input.ndim == 4 else "grid_sampler3d_cpu"
        raise missing_kernel(name, input.dtype.label)
    if grid.dtype is not input.dtype and input.numel():
        raise RuntimeError(f"expected scalar type {input.dtype.label} but found {grid.dtype.label}")


@op(
    rounded=8,
    derivative=Rule(
        lambda call: f"GridSampler{call['input'].ndim - 2}DBackward0",
        input=lambda g, c: _back(g, c, False),
        grid=lambda g, c: _back(g, c, True),
    ),
)
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """What images have at the places of a grid: (n, channels, h, w) and (n, a, b, 2) give (n, channels, a, b).

    Args:
        input: images, or volumes (n, channels, d, h, w), whose grid is (n, a, b, c, 3).
        grid: x, y (and z) of each place, from -1 at one end to 1 at the other.
        interpolation_mode: 0 bilinear, 1 nearest, 2 bicubic. padding_mode: outside 0 zeros, 1 the border, 2 a mirror.
        align_corners: whether -1 and 1 are the middles of the elements at the ends, and not their edges.

    >>> tk.grid_sampler(tk.tensor([[[[1.0, 3.0]]]]), tk.zeros(1, 1, 1, 2), 0, 0, False)
    tensor([[[[2.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
    """
    _check(input, grid, interpolation_mode)
    wide, where = (one.to(dtypes.float32) if one.dtype.itemsize == 2 else one for one in (input, grid))
    flat: Any = _flat(wide)
    made: Any = flat.new_zeros((*input.shape[:2], *grid.shape[1:-1]))
    rows: Any = made.view(*input.shape[:2], prod(grid.shape[1:-1]))
    parts = (
        flat.gather(2, place.expand(rows.shape)).where(inside, 0) * _share(taps)
        for place, inside, taps in _elements(wide, where, interpolation_mode, padding_mode, align_corners)
    )
    if made.numel():
        rows.copy_(reduce(add, parts))
    return made.to(input.dtype)  # type: ignore[no-any-return]


# -- grids ----------------------------------------------------------------------------------------------------------


def _base(like: Any, size: Sequence[int], corners: bool) -> Any:
    """The places of a grid that changes nothing, with a 1 after their coordinates: (places, dimensions + 1)."""
    inner = size[2:]
    parts = []
    for d, n in enumerate(inner):
        line: Any = linspace(-1, 1, n, dtype=like.dtype, device=like.device) if n > 1 else like.new_zeros(n)
        line = line if corners else (line * (n - 1) / n).to(like.dtype)
        parts.append(line.view([-1 if axis == d else 1 for axis in range(len(inner))]).expand(inner))
    return stack([*parts[::-1], like.new_ones(inner)], -1).view(-1, len(inner) + 1)


def _real(call: dict[str, Any]) -> bool:
    if call["theta"].is_complex() and call["theta"].requires_grad:
        raise RuntimeError(
            "affine_grid_generator does not support automatic differentiation for outputs with complex dtype."
        )
    return True


def _affine_back(g: Any, c: Any) -> Any:
    base = _base(g, c.size, c.align_corners)
    points = g.reshape(g.shape[0], -1, len(c.size) - 2)
    return points.transpose(1, 2) @ base


@op(rounded=4, derivative=Rule("AffineGridGeneratorBackward0", applies=_real, theta=_affine_back))
def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The grid that matrices make of images' places: (n, 2, 3) gives (n, h, w, 2), and (n, 3, 4) gives (n, d, h, w, 3).

    Args:
        size: of the images: (n, channels, h, w), or of volumes.
        align_corners: whether -1 and 1 are the middles of the elements at the ends, and not their edges.

    >>> tk.affine_grid_generator(tk.eye(2, 3)[None], (1, 1, 1, 2), False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html
    """
    size = listed_ints(size, "affine_grid_generator", "size", 2)
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    base: Any = _base(theta, size, align_corners)
    made = base.expand(size[0], *base.shape).bmm(theta.transpose(1, 2))
    return made.view(size[0], *size[2:], len(size) - 2).clone()  # type: ignore[no-any-return]
