"""Dropout in a new tensor or in place, of elements or of channels: what a size has to be is said here."""

from __future__ import annotations

from tensorkit.errors import warn
from tensorkit.ops.nn import dropout as _ops
from tensorkit.tensor import Tensor


def _check_chance(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element times ``1 / (1 - p)``, or 0 with the probability `p`: (...) gives (...).

    Args:
        training: otherwise the input is returned as it is. inplace: whether the input is written into.

    Raises:
        ValueError: for a `p` that is not between 0 and 1.

    >>> _ = tk.manual_seed(0)
    >>> tk.nn.functional.dropout(tk.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
    """
    _check_chance(p)
    return (_ops.dropout_ if inplace else _ops.dropout)(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`dropout` that keeps mean 0 and variance 1, for networks with `selu`: see the operation of that name."""
    _check_chance(p)
    return (_ops.alpha_dropout_ if inplace else _ops.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels: see the operation of that name."""
    _check_chance(p)
    return (_ops.feature_alpha_dropout_ if inplace else _ops.feature_alpha_dropout)(input, p, training)


def _features(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    return (_ops.feature_dropout_ if inplace else _ops.feature_dropout)(input, p, training)


def _of_one(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout of channels for an input without a batch."""
    if inplace:
        return _features(input.unsqueeze_(0), p, training, inplace).squeeze_(0)
    return _features(input.unsqueeze(0), p, training, inplace).squeeze(0)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: (n, channels, length) or (channels, length), and the same comes back.

    >>> tk.nn.functional.dropout1d(tk.ones(1, 2), p=1)
    tensor([[0., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html
    """
    _check_chance(p)
    if (ndim := input.dim()) not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    return (_features if ndim == 3 else _of_one)(input, p, training, inplace)


def _warn_of_size(name: str, ndim: int, spatial: int, sizes: str) -> None:
    warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated "
        "and will result in an error in a future release. To retain the behavior "
        f"and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, "
        f"a channel dimension, and an optional batch dimension (i.e. {sizes} inputs)."
    )


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: (n, channels, height, width), and the same comes back.

    >>> tk.nn.functional.dropout2d(tk.ones(1, 1, 1, 2), p=1)
    tensor([[[[0., 0.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout2d.html
    """
    _check_chance(p)
    if (ndim := input.dim()) not in (3, 4):
        _warn_of_size("dropout2d", ndim, 2, "3D or 4D")
    if ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
            "1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C "
            "is the channel dim. This behavior will change in a future release to interpret the "
            "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return _features(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels: (n, channels, depth, height, width) or without n, and the same comes back.

    >>> tk.nn.functional.dropout3d(tk.ones(1, 1, 1, 2), p=1)
    tensor([[[[0., 0.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout3d.html
    """
    _check_chance(p)
    if (ndim := input.dim()) not in (4, 5):
        _warn_of_size("dropout3d", ndim, 3, "4D or 5D")
    return (_features if ndim == 5 else _of_one)(input, p, training, inplace)
