"""Optimizers that change one parameter after the other: what the formulas of all of them have around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import enable_grad, set_grad_enabled
from tensorkit.dtypes import dtype, float32, float64, get_default_dtype
from tensorkit.ops.complex.real_imag import view_as_real
from tensorkit.ops.creation.full import full, zeros_like
from tensorkit.optim.optimizer import Optimizer
from tensorkit.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]

_CAPTURABLE = ["cuda", "xpu", "hpu", "privateuseone", "xla"]
_FUSED = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


class SingleTensorOptimizer(Optimizer):
    """An optimizer whose `step` takes one parameter after the other; a subclass has the formula, `_update`.

    The option `foreach` asks PyTorch to compute with lists of tensors, and `fused` with one loop for a whole step: for
    speed, with the same result. Here both mean the one way that there is.
    """

    #: Options that state dicts of earlier years lack.
    _added_later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    #: Entries of the state that hold one number: tensors without dimensions, and Python numbers in earlier years.
    _numbers: ClassVar[tuple[str, ...]] = ("step",)
    #: What has to be on a GPU with ``capturable=True``.
    _captured = "params and state_steps"
    #: Whether PyTorch lets autograd record the steps with ``foreach=True``.
    _lists_recorded = False
    #: For which values of `foreach` PyTorch's list of such devices goes without XLA.
    _without_xla: ClassVar[tuple[bool | None, ...]] = (True,)

    def _new_state(self, param: Tensor, group: Group) -> State:
        """What is kept for a parameter from step to step, before the first one."""
        raise NotImplementedError

    def _update(self, param: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """Change one parameter, in place, and its state."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change each parameter that has a gradient.

        Args:
            closure: computes the loss again, with its gradients, and returns it.
        """
        with set_grad_enabled(self.defaults["differentiable"]):
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                ready = [
                    (param, param.grad, self._state_of(param, group))
                    for param in group["params"]
                    if param.grad is not None
                ]
                if ready and group["differentiable"] and group["foreach"] and not self._lists_recorded:
                    raise AssertionError("_foreach ops don't support autograd")
                for param, grad, state in ready:
                    if group.get("capturable"):
                        self._check_capturable(param, state, group)
                    self._update(param, -grad if group["maximize"] else grad, state, group)
        return loss

    def _state_of(self, param: Tensor, group: Group) -> State:
        state: State = self.state[param]
        if not state:
            if group.get("fused"):
                check_fused(param)
            state.update(self._new_state(param, group))
        return state

    def _check_capturable(self, param: Tensor, state: State, group: Group) -> None:
        devices = _CAPTURABLE[: -1 if group["foreach"] in self._without_xla else None]
        kinds = {param.device.type, *(state[name].device.type for name in self._numbers)}
        if len(kinds) > 1 or not kinds.issubset(devices):
            raise AssertionError(
                f"If capturable=True, {self._captured} must be on supported devices: {devices}."
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self._added_later.items():
                group.setdefault(name, value)
            for param in group["params"]:
                own = self.state.get(param) or {}
                for name in self._numbers:
                    if name in own and not isinstance(own[name], Tensor):
                        own[name] = number_state(float(own[name]), param, group)


def number_state(value: float, param: Tensor, group: Group) -> Tensor:
    """A number of the state, as a tensor: on the CPU, where it is read, or with `capturable` on the GPU."""
    kind: dtype = float32 if group.get("fused") or get_default_dtype() is not float64 else float64
    beside = group.get("capturable") or group.get("fused")
    return full((), value, dtype=kind, device=param.device if beside else "cpu")


def zeros_state(param: Tensor) -> Tensor:
    """Zeros of a parameter's size, dtype and strides."""
    return zeros_like(param)


def real_views(param: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    """A parameter and its companions; where they are complex, as pairs of real numbers, which are optimized alike."""
    return tuple(view_as_real(one) for one in (param, *others)) if param.is_complex() else (param, *others)


def scalar(value: Any) -> Any:
    """An option that may be a tensor of one element, without dimensions then."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def with_weight_decay(grad: Tensor, param: Tensor, weight_decay: Any) -> Tensor:
    """The gradient of the loss plus ``weight_decay / 2`` times the sum of the squares of the parameter."""
    if isinstance(weight_decay, Tensor) and weight_decay.requires_grad:
        return grad.addcmul_(param.clone(), weight_decay)
    return grad.add(param, alpha=weight_decay)


# -- options that are refused -------------------------------------------------------------------------------------


def check_lr(lr: Any) -> None:
    """Refuse a learning rate that is a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_not_negative(**options: Any) -> None:
    """Refuse the first option that is below 0."""
    for name, value in options.items():
        if not value >= 0.0:  # nan too
            what = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
            raise ValueError(f"Invalid {what}: {value}")


def check_betas(betas: Any) -> None:
    """Refuse shares of the past that are not below 1."""
    for number, beta in enumerate(betas[:2]):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {number}: {beta}")


def check_fused(param: Tensor) -> None:
    """Refuse `fused` for anything but real floating-point parameters."""
    if param.device.type not in _FUSED or not param.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of "
            f"supported devices: {_FUSED} but {param.dtype} and {param.device.type}"
        )


def check_one_way(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Refuse `fused` together with what it excludes."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
