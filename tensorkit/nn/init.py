"""How parameters begin: filled with constants, or drawn at random so that signals neither fade nor grow.

All functions fill the tensor that they are given, without recording it, and return it.

>>> tk.nn.init.eye_(tk.empty(2, 3))
tensor([[1., 0., 0.],
        [0., 1., 0.]])

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.errors import warn
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.eye import eye as identity
from tensorkit.ops.linalg.qr import linalg_qr
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.random.randperm import randperm
from tensorkit.random.generator import Generator
from tensorkit.tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]


def __dir__() -> list[str]:
    return __all__


# -- constants ------------------------------------------------------------------------------------------------------


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number.

    >>> constant_(tk.empty(2), 0.5)
    tensor([0.5000, 0.5000])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.constant_
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones.

    >>> ones_(tk.empty(2))
    tensor([1., 1.])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.ones_
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros.

    >>> zeros_(tk.empty(2))
    tensor([0., 0.])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.zeros_
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on its diagonal, and zeros: a linear layer with it passes its input on.

    Raises:
        ValueError: for a tensor that is not a matrix.

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.eye_
    """
    _expect_matrix(tensor)
    with no_grad():
        return tensor.copy_(identity(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes its input on: one at the middle of a channel's own kernel.

    Args:
        tensor: of 3, 4 or 5 dimensions: (channels out, channels in, the kernel's lengths).
        groups: into how many groups the convolution divides its channels.

    Raises:
        ValueError: for another number of dimensions, or channels that the groups do not divide.

    >>> dirac_(tk.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.dirac_
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    channels, inputs, *lengths = tensor.size()
    if channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    each = channels // groups
    middle = [length // 2 for length in lengths]
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, inputs)):
                tensor[group * each + channel, channel, *middle] = 1
    return tensor


# -- random numbers -------------------------------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers that are equally likely from `a` to `b`.

    >>> bool((uniform_(tk.empty(3, 5), 2, 3) >= 2).all())
    True

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.uniform_
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with normally distributed numbers.

    >>> normal_(tk.empty(3, 5)).shape
    tensorkit.Size([3, 5])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.normal_
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normally distributed numbers from `a` to `b`: those outside are drawn again.

    Args:
        mean, std: of the distribution as it would be without bounds.
        a, b: the bounds.

    >>> bool(trunc_normal_(tk.empty(1000)).abs().max() <= 2)
    True

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.trunc_normal_
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect."
        )
    with no_grad():
        # How likely a normally distributed number is between the bounds says which of two ways needs fewer draws.
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            _redraw_outside(tensor, mean, std, a, b, generator)
        else:
            _thin_out(tensor, mean, std, a, b, generator)
    return tensor


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_outside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Normally distributed numbers; those outside the bounds again, until all are inside."""
    low, high = (tensor.new_tensor(bound, device="cpu").item() for bound in (a, b))  # as the dtype has them
    result = tensor.normal_(mean, std, generator=generator)
    while (outside := (result < low) | (result > high)).any():
        result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
    if result is not tensor:
        tensor.copy_(result)


def _thin_out(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Uniform numbers, each kept as often as the normal distribution has it; the others again, until all are kept."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2  # the greatest logarithm of the density

    def refused(candidates: Tensor) -> Tensor:
        """Which are not kept; the candidates themselves are written over."""
        candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return chances.uniform_(generator=generator).log_().gt(candidates)

    candidates, chances = empty_like(tensor), empty_like(tensor)
    result = tensor.uniform_(a, b, generator=generator)
    pending = refused(candidates.copy_(tensor))
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        result = where(pending, candidates, result)
        pending = where(pending, refused(candidates), pending)
    if result is not tensor:
        tensor.copy_(result)


# -- scaled to the size of a layer ----------------------------------------------------------------------------------

_GAINS = {"sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_GAINS |= dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d"), 1)
_GAINS |= dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), 1)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much the numbers before a nonlinearity are to be larger, so that those after it keep their size.

    Args:
        nonlinearity: its name in ``nn.functional``.
        param: the slope of "leaky_relu" below zero, 0.01 by default.

    Raises:
        ValueError: for another name, or a slope that is not a number.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.calculate_gain
    """
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers each output of a layer with this weight is computed of, and how many each input goes into."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *lengths = tensor.shape
    field = math.prod(lengths)
    return inputs * field, outputs * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a weight so that signals keep their size forwards and backwards (Glorot): with uniform numbers.

    Args:
        tensor: of 2 or more dimensions: (outputs, inputs, a kernel's lengths).
        gain: a factor, such as `calculate_gain` computes.

    Raises:
        ValueError: for a tensor of fewer dimensions.

    >>> bool(xavier_uniform_(tk.empty(3, 5)).abs().max() <= (6 / 8) ** 0.5)
    True

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_uniform_
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a weight as `xavier_uniform_` does, with normally distributed numbers.

    >>> xavier_normal_(tk.empty(3, 5)).shape
    tensorkit.Size([3, 5])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_normal_
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    """The standard deviation that keeps signals their size; None where there is nothing to fill."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a weight so that signals keep their size through rectifiers (He): with uniform numbers.

    Args:
        tensor: of 2 or more dimensions: (outputs, inputs, a kernel's lengths).
        a: the slope of "leaky_relu" below zero.
        mode: "fan_in" for signals on their way forward, "fan_out" for gradients on theirs back.
        nonlinearity: what follows: its name in ``nn.functional``.

    Raises:
        ValueError: for a tensor of fewer dimensions, another mode or nonlinearity.

    >>> bool(kaiming_uniform_(tk.empty(3, 5)).abs().max() <= (6 / 5) ** 0.5)
    True

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_uniform_
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a weight as `kaiming_uniform_` does, with normally distributed numbers.

    >>> kaiming_normal_(tk.empty(3, 5), nonlinearity="relu").shape
    tensorkit.Size([3, 5])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_normal_
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


# -- matrices -------------------------------------------------------------------------------------------------------


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a matrix whose rows, or columns, are orthogonal to one another and of length `gain`.

    Args:
        tensor: of 2 or more dimensions; all but the first count as one.

    Raises:
        ValueError: for a tensor of fewer dimensions.

    >>> w = orthogonal_(tk.empty(2, 4))
    >>> tk.allclose(w @ w.t(), tk.eye(2), atol=1e-6)
    True

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.orthogonal_
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    q, r = linalg_qr(drawn.t_() if rows < columns else drawn)
    q *= r.diag().sign()  # which makes each such matrix equally likely (Mezzadri, math-ph/0609050)
    if rows < columns:
        q.t_()
    with no_grad():
        tensor.view_as(q).copy_(q)
        return tensor.mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normally distributed numbers, and a part of each column with zeros.

    Args:
        sparsity: which part of a column is zero, from 0 to 1.
        std: the standard deviation of the rest.

    Raises:
        ValueError: for a tensor that is not a matrix.

    >>> (sparse_(tk.empty(10, 3), sparsity=0.2) == 0).sum(0)
    tensor([2, 2, 2])

    Source: https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.sparse_
    """
    _expect_matrix(tensor)
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


def _expect_matrix(tensor: Tensor) -> None:
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")


# -- names of earlier years -----------------------------------------------------------------------------------------


def _earlier(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function under its name of the years before names of in-place functions ended in an underscore."""
    today = function.__name__
    name = today[:-1]

    @functools.wraps(function)
    def filled(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{today}`.", FutureWarning)
        return function(*args, **kwargs)

    filled.__name__ = filled.__qualname__ = name
    filled.__doc__ = f"The name of earlier years for `{today}`."
    return filled


uniform = _earlier(uniform_)
normal = _earlier(normal_)
constant = _earlier(constant_)
eye = _earlier(eye_)
dirac = _earlier(dirac_)
xavier_uniform = _earlier(xavier_uniform_)
xavier_normal = _earlier(xavier_normal_)
kaiming_uniform = _earlier(kaiming_uniform_)
kaiming_normal = _earlier(kaiming_normal_)
orthogonal = _earlier(orthogonal_)
sparse = _earlier(sparse_)
