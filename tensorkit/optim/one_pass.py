"""A step in one pass over memory, for real numbers on the CPU that lie in rows; the bits are those of the formulas.

Each function says whether it has done the step: where one has not, the formulas do.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.autograd.grad_mode import is_grad_enabled
from tensorkit.kernels.cpu import optim_compiled
from tensorkit.kernels.cpu.parallel import found
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import PIECE
from tensorkit.tensor import Tensor

__all__ = ["adagrad", "adam", "rmsprop", "sgd"]


def _run(loop: Loop, tensors: tuple[Tensor, ...], numbers: tuple[Any, ...], written: int) -> bool:
    """Give a loop the memory of tensors that lie alike, of which it writes the first and the last."""
    if tracing.active or is_grad_enabled() or any(isinstance(number, Tensor) for number in numbers):
        return False
    if not all(tensor.is_cpu for tensor in tensors):
        return False
    arrays = [tensor._nd() for tensor in tensors]
    first = arrays[0]
    if first.dtype.char not in "fd" or not first.size or not first.flags.writeable:
        return False
    for array in arrays:
        if array.dtype != first.dtype or array.shape != first.shape or not array.flags.c_contiguous:
            return False
    run = loop.ready or found(loop, first.size)
    if run is None or any(numpy.may_share_memory(first, array) for array in arrays[1:]):
        return False
    rows = [array.reshape(-1) for array in arrays]
    spread(lambda i, j: run(*(row[i:j] for row in rows), *numbers), first.size, PIECE)
    for tensor in (tensors[0], *tensors[len(tensors) - written + 1 :]):
        tensor._bump()
    return True


def sgd(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `SGD`: without momentum, or with a buffer from the steps before."""
    lr, decay, kept = group["lr"], group["weight_decay"], group["momentum"]
    if kept == 0:
        numbers: tuple[Any, ...] = (lr, decay)
        return _run(optim_compiled.descent, (param, grad), numbers, 1)
    share = 1 - group["dampening"]
    numbers = (lr, decay, kept, share, group["nesterov"])
    return _run(optim_compiled.momentum, (param, grad, state["momentum_buffer"]), numbers, 2)


def adam(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `Adam`, where the largest mean of squares is not wanted; it has been counted already."""
    lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
    if any(isinstance(one, Tensor) for one in (lr, beta1, beta2, decay)):
        return False
    step = state["step"].item()
    decoupled = group["decoupled_weight_decay"]
    shrink, decay = (1 - lr * decay, 0) if decoupled else (1, decay)
    rate, root = lr / (1 - beta1**step), (1 - beta2**step) ** 0.5
    numbers = (shrink, decay, beta1, beta2, rate, root, group["eps"])
    return _run(optim_compiled.adam, (param, grad, state["exp_avg"], state["exp_avg_sq"]), numbers, 3)


def rmsprop(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `RMSprop`, without momentum and not centered."""
    alpha = group["alpha"]
    numbers = (group["lr"], group["weight_decay"], alpha, 1 - alpha, group["eps"])
    return _run(optim_compiled.by_root, (param, grad, state["square_avg"]), numbers, 2)


def adagrad(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any], lr: float) -> bool:
    """A step of `Adagrad`, with the learning rate of this step: that of `RMSprop`, where all squares stay."""
    numbers = (lr, group["weight_decay"], 1.0, 1.0, group["eps"])
    return _run(optim_compiled.by_root, (param, grad, state["sum"]), numbers, 2)
