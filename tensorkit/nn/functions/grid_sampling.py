"""Images read at the places of a grid."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit.errors import warn
from tensorkit.ops.nn.grid_sampling import affine_grid_generator, grid_sampler
from tensorkit.ops.nn.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from tensorkit.tensor import Tensor

__all__ = ["affine_grid", "channel_shuffle", "grid_sample", "pixel_shuffle", "pixel_unshuffle"]

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _told(align_corners: bool | None) -> bool:
    """Whether corners are aligned; a warning where that was left open, as it was otherwise once."""
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. "
            "See the documentation of grid_sample for details."
        )
    return bool(align_corners)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """What images have at the places of a grid: (n, channels, h, w) and (n, a, b, 2) give (n, channels, a, b).

    Args:
        grid: x, y (and z, for volumes) of each place, from -1 at one end to 1 at the other.
        mode: "bilinear", "nearest" or "bicubic". padding_mode: outside "zeros", "border" or "reflection".
        align_corners: whether -1 and 1 are the middles of the elements at the ends, and not their edges.

    >>> grid_sample(tk.tensor([[[[1.0, 3.0]]]]), tk.zeros(1, 1, 1, 2), align_corners=False)
    tensor([[[[2.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
    """
    if mode not in _MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    corners = _told(align_corners)
    return grid_sampler(input, grid, _MODES.index(mode), _PADDINGS.index(padding_mode), corners)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid that matrices make of images' places: (n, 2, 3) gives (n, h, w, 2), and (n, 3, 4) gives (n, d, h, w, 3).

    Args:
        size: of the images: (n, channels, h, w), or of volumes.
        align_corners: as for `grid_sample`.

    >>> affine_grid(tk.eye(2, 3)[None], (1, 1, 2, 2), align_corners=True)
    tensor([[[[-1., -1.],
              [ 1., -1.]],
    <BLANKLINE>
             [[-1.,  1.],
              [ 1.,  1.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html
    """
    corners = _told(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    dims = len(size) - 2
    if theta.dim() != 3 or theta.shape[-2] != dims or theta.shape[-1] != dims + 1:
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if corners and min(size[-dims:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, corners)
