"""Layers that normalise each channel over the examples of a batch, and keep its statistics for later.

Source: https://docs.pytorch.org/docs/stable/nn.html#normalization-layers
"""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.nn import functional as F
from tensorkit.nn import init
from tensorkit.nn.lazy import LazyModuleMixin
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.full import ones, zeros
from tensorkit.tensor import Tensor

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyNormBase",
]


def __dir__() -> list[str]:
    return __all__


class _NormBase(Module):
    """What layers with statistics of channels have in common: weight, bias, running statistics and their count."""

    _version = 2
    __constants__ = [  # noqa: RUF012 - the form that PyTorch's scripts read
        "track_running_stats",
        "momentum",
        "eps",
        "num_features",
        "affine",
    ]
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            new = Parameter(empty(num_features, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, new)
        track = track_running_stats
        self.register_buffer(
            "running_mean", zeros(num_features, device=device, dtype=dtype) if track else None
        )
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if track else None)
        count = zeros((), dtype=dtypes.int64, device=device) if track else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Means of 0, variances of 1, and no batch seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weights of 1, biases of 0, and the statistics as at first."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The arguments."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *others: Any) -> None:
        """Before version 2 there was no count of batches: it is added."""
        version, key = local_metadata.get("version", None), prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            known = count is not None and count.device.type != "meta"
            state_dict[key] = count if known else zeros((), dtype=dtypes.int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class _BatchNorm(_NormBase):
    """`BatchNorm1d` and its kin: they differ in the sizes that they take."""

    def forward(self, input: Tensor) -> Tensor:
        """A tensor of the input's size; in training the running statistics move towards those of the batch."""
        self._check_input_dim(input)
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches
                share = 1.0 / float(self.num_batches_tracked)
        # Statistics that are not kept are not used in training either; without any, the batch's own are used.
        kept = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if kept else None,
            self.running_var if kept else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            share,
            self.eps,
        )


class LazyNormBase(LazyModuleMixin, _NormBase):
    """A layer that learns from its first input how many channels there are."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device=device, dtype=dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = zeros((), dtype=dtypes.int64, device=device)

    def reset_parameters(self) -> None:
        """As others do, once the size is known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of channels from an input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for one in (self.weight, self.bias) if self.affine else ():
            if one is not None:
                one.materialize((self.num_features,))
        for one in (self.running_mean, self.running_var) if self.track_running_stats else ():
            one.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """Gives each channel mean 0 and variance 1 over a batch: (n, channels) or (n, channels, length).

    Args:
        num_features: the number of channels. eps: is added to the variance.
        momentum: how far the running statistics move with each batch; None for their mean over all batches.
        affine: whether there are a weight and a bias. bias: or a weight alone.
        track_running_stats: whether there are running statistics, which are used in evaluation.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> layer = tk.nn.BatchNorm1d(1)
    >>> layer(tk.tensor([[1.0], [3.0]])).detach().flatten(), layer.running_mean
    (tensor([-1.0000,  1.0000]), tensor([0.2000]))
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Gives each channel mean 0 and variance 1 over a batch: (n, channels, height, width).

    Args:
        num_features: the number of channels; the other arguments are those of `BatchNorm1d`.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> tk.nn.BatchNorm2d(3)(tk.randn(2, 3, 4, 4)).shape
    tensorkit.Size([2, 3, 4, 4])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """Gives each channel mean 0 and variance 1 over a batch: (n, channels, depth, height, width).

    Args:
        num_features: the number of channels; the other arguments are those of `BatchNorm1d`.

    Raises:
        ValueError: for an input of another number of dimensions.

    >>> tk.nn.BatchNorm3d(3)(tk.randn(2, 3, 2, 2, 2)).shape
    tensorkit.Size([2, 3, 2, 2, 2])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class LazyBatchNorm1d(LazyNormBase, _BatchNorm):
    """A `BatchNorm1d` that takes the number of channels from its first input.

    >>> layer = tk.nn.LazyBatchNorm1d()
    >>> _ = layer(tk.randn(4, 3))
    >>> layer
    BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(LazyNormBase, _BatchNorm):
    """A `BatchNorm2d` that takes the number of channels from its first input.

    >>> tk.nn.LazyBatchNorm2d()(tk.randn(4, 3, 2, 2)).shape
    tensorkit.Size([4, 3, 2, 2])
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(LazyNormBase, _BatchNorm):
    """A `BatchNorm3d` that takes the number of channels from its first input.

    >>> tk.nn.LazyBatchNorm3d()(tk.randn(4, 3, 1, 2, 2)).shape
    tensorkit.Size([4, 3, 1, 2, 2])
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim
