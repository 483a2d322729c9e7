"""Layers that normalise each channel of each example by itself.

Source: https://docs.pytorch.org/docs/stable/nn.html#normalization-layers
"""

from __future__ import annotations

from typing import Any

from tensorkit.errors import warn
from tensorkit.nn import functional as F
from tensorkit.nn.layers.batch_norm import LazyNormBase, _NormBase
from tensorkit.tensor import Tensor

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


def __dir__() -> list[str]:
    return __all__


class _InstanceNorm(_NormBase):
    """`InstanceNorm1d` and its kin: they differ in the sizes that they take."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        raise NotImplementedError

    def _check_input_dim(self, input: Tensor) -> None:
        alone = self._get_no_batch_dim()
        if input.dim() not in (alone, alone + 1):
            raise ValueError(f"expected {alone}D or {alone + 1}D input (got {input.dim()}D input)")

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Before version 1 there were running statistics always: they are refused where none are wanted."""
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            keys = [key for key in ("running_mean", "running_var") if prefix + key in state_dict]
            if keys:
                error_msgs.append(
                    _too_old(" and ".join(f'"{prefix}{key}"' for key in keys), type(self).__name__)
                )
                for key in keys:
                    state_dict.pop(prefix + key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size, with a batch or without."""
        self._check_input_dim(input)
        place = input.dim() - self._get_no_batch_dim()
        if (found := input.size(place)) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={place} to match num_features"
                    f" ({self.num_features}), but got: {found}."
                )
            warn(
                f"input's size at dim={place} does not match num_features. "
                "You can silence this warning by not passing in num_features, "
                "which is not used because affine=False"
            )
        if not place:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


def _too_old(names: str, klass: str) -> str:
    return (
        f"Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If state_dict is a "
        f"checkpoint saved before 0.4.0, this may be expected because {klass} does not track running stats by default "
        "since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
        f"track_running_stats=True in {klass} to enable them. See the documentation of {klass} for details."
    )


class InstanceNorm1d(_InstanceNorm):
    """Gives each channel of each example mean 0 and variance 1: (n, channels, length) or (channels, length).

    Args:
        num_features: the number of channels. eps: is added to the variance.
        momentum: how far the running statistics move with each batch.
        affine: whether there are a weight and a bias. bias: or a weight alone.
        track_running_stats: whether there are running statistics, which are used in evaluation.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> tk.nn.InstanceNorm1d(1)(tk.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    def _get_no_batch_dim(self) -> int:
        return 2


class InstanceNorm2d(_InstanceNorm):
    """Gives each channel of each example mean 0 and variance 1: (n, channels, height, width), or without n.

    Args:
        num_features: the number of channels; the other arguments are those of `InstanceNorm1d`.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> tk.nn.InstanceNorm2d(3)(tk.randn(2, 3, 4, 4)).shape
    tensorkit.Size([2, 3, 4, 4])
    """

    def _get_no_batch_dim(self) -> int:
        return 3


class InstanceNorm3d(_InstanceNorm):
    """Gives each channel of each example mean 0 and variance 1: (n, channels, depth, height, width), or without n.

    Args:
        num_features: the number of channels; the other arguments are those of `InstanceNorm1d`.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> tk.nn.InstanceNorm3d(3)(tk.randn(2, 3, 2, 2, 2)).shape
    tensorkit.Size([2, 3, 2, 2, 2])
    """

    def _get_no_batch_dim(self) -> int:
        return 4


class LazyInstanceNorm1d(LazyNormBase, _InstanceNorm):
    """An `InstanceNorm1d` that takes the number of channels from its first input.

    >>> tk.nn.LazyInstanceNorm1d()(tk.randn(2, 3, 4)).shape
    tensorkit.Size([2, 3, 4])
    """

    cls_to_become = InstanceNorm1d
    _get_no_batch_dim = InstanceNorm1d._get_no_batch_dim


class LazyInstanceNorm2d(LazyNormBase, _InstanceNorm):
    """An `InstanceNorm2d` that takes the number of channels from its first input.

    >>> tk.nn.LazyInstanceNorm2d()(tk.randn(2, 3, 4, 4)).shape
    tensorkit.Size([2, 3, 4, 4])
    """

    cls_to_become = InstanceNorm2d
    _get_no_batch_dim = InstanceNorm2d._get_no_batch_dim


class LazyInstanceNorm3d(LazyNormBase, _InstanceNorm):
    """An `InstanceNorm3d` that takes the number of channels from its first input.

    >>> tk.nn.LazyInstanceNorm3d()(tk.randn(2, 3, 2, 2, 2)).shape
    tensorkit.Size([2, 3, 2, 2, 2])
    """

    cls_to_become = InstanceNorm3d
    _get_no_batch_dim = InstanceNorm3d._get_no_batch_dim
