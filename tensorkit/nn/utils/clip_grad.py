"""Gradients that are too large, made smaller before an optimiser uses them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.errors import warn
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.linalg.norms import linalg_vector_norm
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

Tensors = Tensor | Iterable[Tensor]


def __dir__() -> list[str]:
    return __all__


def _several(tensors: Tensors) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Tensors) -> list[Any]:
    return [param.grad for param in _several(parameters) if param.grad is not None]


def _check_foreach(tensors: list[Any], foreach: bool | None) -> None:
    """``foreach=True`` asks PyTorch for its faster way, which the devices must have; here there is one way."""
    for one in tensors if foreach else ():
        if one.device.type not in ("cpu", "cuda"):
            raise RuntimeError(
                f"foreach=True was passed, but can't use the foreach API on {one.device.type} tensors"
            )


@no_grad()
def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of several tensors, as if they were one long vector.

    Args:
        tensors: one tensor or several, of any sizes.
        norm_type: the order of the norm; ``float("inf")`` or ``"inf"`` for the greatest absolute value.
        error_if_nonfinite: whether to refuse a norm that is nan or infinite.
        foreach: nothing is different by it.

    Raises:
        RuntimeError: for such a norm.

    >>> tk.nn.utils.get_total_norm([tk.tensor([3.0]), tk.tensor([[4.0]])])
    tensor(5.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.get_total_norm.html
    """
    several = _several(tensors)
    norm_type = float(norm_type)
    if not several:
        return tensor(0.0)
    _check_foreach(several, foreach)
    norms = [linalg_vector_norm(one, norm_type).to(several[0].device) for one in several]
    total: Tensor = linalg_vector_norm(stack(norms), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients of parameters so that their norm, which is known, is at most `max_norm`.

    Args:
        parameters: one tensor or several; those without a gradient are left alone.
        max_norm: the greatest norm that the gradients may have together.
        total_norm: the norm that they have, as `get_total_norm` computes it.
        foreach: nothing is different by it.

    >>> w = tk.ones(2, requires_grad=True)
    >>> w.grad = tk.tensor([3.0, 4.0])
    >>> tk.nn.utils.clip_grads_with_norm_(w, 1.0, tk.tensor(5.0))
    >>> w.grad
    tensor([0.6000, 0.8000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grads_with_norm_.html
    """
    grads = _gradients(parameters)
    if not grads:
        return
    _check_foreach(grads, foreach)
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)  # gradients never grow by it
    for grad in grads:
        grad.mul_(factor.to(grad.device))


@no_grad()
def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of parameters so that their norm, as if they were one long vector, is at most `max_norm`.

    Args:
        parameters: one tensor or several; those without a gradient are left alone.
        max_norm: the greatest norm that the gradients may have together.
        norm_type: the order of the norm; ``"inf"`` for the greatest absolute value.
        error_if_nonfinite: whether to refuse gradients whose norm is nan or infinite.
        foreach: nothing is different by it.

    Returns:
        The norm that they had, a 0-d tensor.

    Raises:
        RuntimeError: for such a norm.

    >>> w = tk.ones(2, requires_grad=True)
    >>> w.grad = tk.tensor([3.0, 4.0])
    >>> tk.nn.utils.clip_grad_norm_(w, max_norm=1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    """
    several = _several(parameters)
    if not several and isinstance(parameters, types.GeneratorType):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    total = get_total_norm(_gradients(several), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(several, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The name of earlier years for `clip_grad_norm_`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm.html
    """
    warn(
        "`tensorkit.nn.utils.clip_grad_norm` is now deprecated in favor of `tensorkit.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Bring every number of the gradients of parameters between ``-clip_value`` and ``clip_value``.

    Args:
        parameters: one tensor or several; those without a gradient are left alone.
        clip_value: the greatest absolute value.
        foreach: nothing is different by it.

    >>> w = tk.ones(2, requires_grad=True)
    >>> w.grad = tk.tensor([3.0, -0.5])
    >>> tk.nn.utils.clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([ 1.0000, -0.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html
    """
    clip_value = float(clip_value)
    grads = _gradients(parameters)
    _check_foreach(grads, foreach)
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)
