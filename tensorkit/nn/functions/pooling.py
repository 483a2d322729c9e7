"""Pooling: the functions that give the places of the largest too, and those that are made of others."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type, misc"

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

from tensorkit.nn.functions.sizes import one_each
from tensorkit.ops.kit import Dims
from tensorkit.ops.nn import adaptive_pooling as _adaptive
from tensorkit.ops.nn import pooling as _pooling
from tensorkit.ops.nn.adaptive_pooling import adaptive_avg_pool1d
from tensorkit.ops.nn.pooling import avg_pool1d, avg_pool2d, avg_pool3d
from tensorkit.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


def max_pool1d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """See `tensorkit.max_pool1d`; with `return_indices` the places in the rows too."""
    run = _pooling.max_pool1d_with_indices if return_indices else _pooling.max_pool1d
    return run(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """See `tensorkit.max_pool2d`; with `return_indices` the places in the images too."""
    run = _pooling.max_pool2d_with_indices if return_indices else _pooling.max_pool2d
    return run(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """See `tensorkit.max_pool3d`; with `return_indices` the places in the volumes too."""
    run = _pooling.max_pool3d_with_indices if return_indices else _pooling.max_pool3d
    return run(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool1d` with the places, whatever `return_indices` is."""
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool2d` with the places, whatever `return_indices` is."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool3d` with the places, whatever `return_indices` is."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# -- to a given size ------------------------------------------------------------------------------------------------


def _given_size(input: Tensor, output_size: Any) -> Any:
    """The size of the result, where None stands for the input's."""
    if isinstance(output_size, int):
        return output_size
    if input.dim() <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    own = input.shape[input.dim() - len(output_size) :]
    return [n if wanted is None else wanted for wanted, n in zip(output_size, own, strict=True)]


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """See `tensorkit.ops.nn.adaptive_pooling.adaptive_avg_pool2d`; None stands for a size of the input."""
    return _adaptive.adaptive_avg_pool2d(input, _given_size(input, output_size))


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """See `tensorkit.ops.nn.adaptive_pooling.adaptive_avg_pool3d`; None stands for a size of the input."""
    return _adaptive.adaptive_avg_pool3d(input, _given_size(input, output_size))


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The values of `tensorkit.adaptive_max_pool1d`; with `return_indices` the places too."""
    found = _adaptive.adaptive_max_pool1d(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of windows of about the same size; with `return_indices` the places in the images too."""
    found = _adaptive.adaptive_max_pool2d(input, _given_size(input, output_size))
    return found if return_indices else found[0]


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of windows of about the same size; with `return_indices` the places in the volumes too."""
    found = _adaptive.adaptive_max_pool3d(input, _given_size(input, output_size))
    return found if return_indices else found[0]


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool1d` with the places, whatever `return_indices` is."""
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` with the places, whatever `return_indices` is."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool3d` with the places, whatever `return_indices` is."""
    return adaptive_max_pool3d(input, output_size, True)


# -- back in its place ----------------------------------------------------------------------------------------------


def _unpooled_size(
    input: Tensor, dims: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Any:
    """The size that was pooled: of those that come to the input's, the given one or the smallest."""
    kernel, pads = one_each(kernel_size, dims), one_each(padding, dims)
    steps = kernel if stride is None else one_each(stride, dims)
    usual = [(input.size()[d - dims] - 1) * steps[d] + kernel[d] - 2 * pads[d] for d in range(len(kernel))]
    if output_size is None:
        return usual
    if len(output_size) == len(kernel) + 2:
        output_size = output_size[2:]
    if len(output_size) != len(kernel):
        raise ValueError(
            f"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} elements, but it has a "
            f"length of '{len(output_size)}'"
        )
    for d, (size, step) in enumerate(zip(usual, steps, strict=False)):
        if not size - step < output_size[d] < size + step:
            raise ValueError(
                f'invalid output_size "{output_size}" (dim {d} must be between {size - step} and {size + step})'
            )
    return output_size


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, and each element where `max_pool1d` found it."""
    size = _unpooled_size(input, 1, kernel_size, stride, padding, output_size)
    made = _adaptive.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1])
    return made.squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, and each element where `max_pool2d` found it."""
    size = _unpooled_size(input, 2, kernel_size, stride, padding, output_size)
    return _adaptive.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Zeros, and each element where `max_pool3d` found it."""
    size = _unpooled_size(input, 3, kernel_size, stride, padding, output_size)
    return _adaptive.max_unpool3d(input, indices, size)


# -- the norm -------------------------------------------------------------------------------------------------------


def _norms(input: Any, dims: int, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> Any:
    """The norm of each window: the root of the sum of powers."""
    count = prod(one_each(kernel_size, dims)) if dims > 1 else kernel_size
    if norm_type in (inf, -inf):
        pool = (max_pool1d, max_pool2d, max_pool3d)[dims - 1]
        sign = 1 if norm_type > 0 else -1
        found = pool(input.abs() if sign > 0 else -input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        return found if sign > 0 else -found
    averaged = (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]
    steps = (stride,) if stride is not None else ()
    out: Any = averaged(input.pow(norm_type), kernel_size, *steps, padding=0, ceil_mode=ceil_mode)
    return (out.sign() * out.abs().relu()).mul(count).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: int, stride: Dims | None = None, ceil_mode: bool = False
) -> Any:
    """The root of the sum of each window's powers.

    >>> lp_pool1d(tk.tensor([[3.0, 4.0, 0.0, 2.0]]), 2, 2)
    tensor([[5., 2.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool1d.html
    """
    return _norms(input, 1, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Dims, stride: Dims | None = None, ceil_mode: bool = False
) -> Any:
    """`lp_pool1d` of images.

    >>> lp_pool2d(tk.tensor([[[3.0, 0.0], [4.0, 0.0]]]), 2, 2)
    tensor([[[5.]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html
    """
    return _norms(input, 2, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Dims, stride: Dims | None = None, ceil_mode: bool = False
) -> Any:
    """`lp_pool1d` of volumes.

    >>> lp_pool3d(tk.ones(1, 2, 2, 1), 2, (2, 2, 1))
    tensor([[[[2.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool3d.html
    """
    return _norms(input, 3, norm_type, kernel_size, stride, ceil_mode)
