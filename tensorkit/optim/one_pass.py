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
    """A step of `Adam`; it has been counted already."""
    lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
    if any(isinstance(one, Tensor) for one in (lr, beta1, beta2, decay)):
        return False
    step = state["step"].item()
    decoupled = group["decoupled_weight_decay"]
    shrink, decay = (1 - lr * decay, 0) if decoupled else (1, decay)
    rate, root = lr / (1 - beta1**step), (1 - beta2**step) ** 0.5
    largest = group["amsgrad"]
    most = state["max_exp_avg_sq" if largest else "exp_avg_sq"]  # which is not read where it is not wanted
    numbers = (shrink, decay, beta1, beta2, rate, root, group["eps"], largest)
    return _run(optim_compiled.adam, (param, grad, state["exp_avg"], state["exp_avg_sq"], most), numbers, 4)


def adamax(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `Adamax`; it has been counted already."""
    beta1, beta2 = group["betas"]
    rate = group["lr"] / (1 - beta1 ** state["step"].item())
    numbers = (rate, group["weight_decay"], beta1, beta2, group["eps"])
    return _run(optim_compiled.adamax, (param, grad, state["exp_avg"], state["exp_inf"]), numbers, 3)


def nadam(
    param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any], past: Any, ahead: Any
) -> bool:
    """A step of `NAdam`, with the rates of the gradient and of the mean; it has been counted already."""
    (beta1, beta2), decay = group["betas"], group["weight_decay"]
    shrink, decay = (1 - group["lr"] * decay, 0) if group["decoupled_weight_decay"] else (1, decay)
    correction = 1 - beta2 ** state["step"].item()
    numbers = (shrink, decay, beta1, beta2, past, ahead, correction, group["eps"])
    return _run(optim_compiled.nadam, (param, grad, state["exp_avg"], state["exp_avg_sq"]), numbers, 3)


def adadelta(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `Adadelta`."""
    rho = group["rho"]
    numbers = (group["lr"], group["weight_decay"], rho, 1 - rho, group["eps"])
    return _run(optim_compiled.adadelta, (param, grad, state["square_avg"], state["acc_delta"]), numbers, 3)


def asgd(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any], eta: float) -> bool:
    """A step of `ASGD`, with the rate of this step."""
    numbers = (1 - group["lambd"] * eta, group["weight_decay"], eta, state["mu"].item())
    return _run(optim_compiled.averaged, (param, grad, state["ax"]), numbers, 2)


def rmsprop(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> bool:
    """A step of `RMSprop`, not centered."""
    alpha, kept = group["alpha"], group["momentum"]
    numbers = (group["lr"], group["weight_decay"], alpha, 1 - alpha, group["eps"])
    if not kept > 0:
        return _run(optim_compiled.by_root, (param, grad, state["square_avg"]), numbers, 2)
    tensors = param, grad, state["square_avg"], state["momentum_buffer"]
    return _run(optim_compiled.by_root_with_momentum, tensors, (*numbers, kept), 3)


def adagrad(param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any], lr: float) -> bool:
    """A step of `Adagrad`, with the learning rate of this step: that of `RMSprop`, where all squares stay."""
    numbers = (lr, group["weight_decay"], 1.0, 1.0, group["eps"])
    return _run(optim_compiled.by_root, (param, grad, state["sum"]), numbers, 2)
