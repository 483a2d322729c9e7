"""What the distributions share: parameters as tensors of one size, and probabilities as logits and back.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any, Generic, TypeVar

from tensorkit.autograd.grad_mode import enable_grad
from tensorkit.device import device
from tensorkit.dtypes import dtype, get_default_dtype
from tensorkit.finfo import finfo
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.ops.views.expand_squeeze import broadcast_tensors
from tensorkit.tensor import Tensor

R = TypeVar("R", covariant=True)

euler_constant = 0.57721566490153286060


def is_number(*values: Any) -> bool:
    """Whether all are numbers of Python's, so that a distribution of them is a single one, not a batch."""
    return all(isinstance(value, (int, float, bool)) for value in values)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors of one size; numbers take dtype and device of the first tensor among the values.

    >>> tk.distributions.utils.broadcast_all(tk.tensor([1.0, 2.0]), 3)
    (tensor([1., 2.]), tensor([3., 3.]))
    """
    if not all(isinstance(value, Tensor) or is_number(value) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, tensorkit.Tensor or objects implementing "
            "__torch_function__."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    kind = {"dtype": get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    made = [value if isinstance(value, Tensor) else tensor(value, **kind) for value in values]
    return tuple(broadcast_tensors(*made))


def standard_normal(shape: Sequence[int], kind: dtype, where: device) -> Tensor:
    """Numbers of mean 0 and standard deviation 1."""
    return empty(shape, dtype=kind, device=where).normal_()


def sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from log odds (`is_binary`), or from unnormalised log probabilities along the last dimension."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities that are neither 0 nor 1: at least the dtype's eps away from both.

    >>> tk.distributions.utils.clamp_probs(tk.tensor([0.0, 0.5, 1.0]))
    tensor([1.1921e-07, 5.0000e-01, 1.0000e+00])
    """
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log odds (`is_binary`), or the logarithms of probabilities."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


class lazy_property(Generic[R]):
    """A property that is computed on first use, and an ordinary attribute from then on."""

    def __init__(self, wrapped: Callable[[Any], R]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> R:
        if instance is None:
            return self  # type: ignore[return-value]
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of the lower triangle, row by row: the inverse of `vec_to_tril_matrix`."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _lower(n, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices whose elements come row by row from vectors."""
    # The positive root of n**2 + (1 + 2 diag) n - |diag| (diag + 1) - 2 length = 0.
    length, odd = vec.shape[-1], 1 + 2 * diag
    n = (-odd + (odd**2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    mat = vec.new_zeros((*vec.shape[:-1], round(n), round(n)))
    mat[..., _lower(round(n), diag, vec.device)] = vec
    return mat


def _lower(n: int, diag: int, where: device) -> Tensor:
    places = arange(n, device=where)
    return places < places.view(-1, 1) + (diag + 1)
