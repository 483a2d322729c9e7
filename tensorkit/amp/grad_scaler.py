"""`GradScaler`: a loss is scaled up, so that its gradients are not lost in 16 bits, and they are scaled back.

The factor follows what happens: it grows after many steps without infinite gradients, and shrinks after one with them,
which is not taken.

Source: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from tensorkit import cuda
from tensorkit.autograd import no_grad
from tensorkit.dtypes import float16, float32, int32
from tensorkit.errors import warn
from tensorkit.ops.creation.full import full
from tensorkit.optim import Optimizer
from tensorkit.tensor import Tensor


class OptState(Enum):
    """How far an optimizer is within a step."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _new_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales a loss, and the gradients back before an optimizer takes its step.

    Args:
        device: ``"cuda"``, where it is disabled with a warning if there is no CUDA, or ``"cpu"``.
        init_scale: the factor at first.
        growth_factor: what it is multiplied by after `growth_interval` steps without an infinite gradient.
        backoff_factor: what it is multiplied by after a step with one.
        growth_interval: how many steps.
        enabled: whether anything is scaled at all; otherwise `step` calls the optimizer's, and nothing else happens.

    Raises:
        AssertionError: when the factors would let the scale shrink or grow in the wrong case.

    >>> weight = tk.ones(1, requires_grad=True)
    >>> optimizer, scaler = tk.optim.SGD([weight], lr=0.5), GradScaler("cpu")
    >>> scaler.scale(weight.sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> weight, scaler.get_scale()
    (tensor([0.5000], requires_grad=True), 65536.0)

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not cuda.is_available():
            warn("tensorkit.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Tensor | None = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_new_state)

    def _scale_and_tracker(self, funcname: str) -> tuple[Any, Any]:
        fix = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(f"Attempted {funcname} but {name} is None.  {fix}")
        return self._scale, self._growth_tracker

    def _begun_on(self, device: Any) -> Any:
        """The scale, as a tensor that is made where the first output is."""
        if self._scale is None:
            self._scale = full((), self._init_scale, dtype=float32, device=device)
            self._growth_tracker = full((), self._init_growth_tracker, dtype=int32, device=device)
        return self._scale.to(device=device)

    def scale(self, outputs: Any) -> Any:
        """Multiply a tensor by the scale, or each of several.

        Raises:
            ValueError: for anything else.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._begun_on(outputs.device)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads(self, optimizer: Optimizer, inverse: Any) -> dict[Any, Any]:
        """Multiply all gradients by the inverse of the scale, and tell for each device whether one is not finite."""
        found: dict[Any, Any] = {}
        for group in optimizer.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if grad.dtype == float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                infinite = (~grad.isfinite()).any().to(float32)
                found[grad.device] = infinite.maximum(found.get(grad.device, infinite))
                grad.mul_(inverse.to(grad.device))
        return found

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer by the scale, before they are clipped or looked at.

        Raises:
            RuntimeError: when they were already, since the last `update`.
            AssertionError: when nothing was scaled before.
        """
        if not self._enabled:
            return
        scale, _ = self._scale_and_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        with no_grad():
            inverse = scale.double().reciprocal().float()
            state["found_inf_per_device"] = self._unscale_grads(optimizer, inverse)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Let an optimizer take its step, unless one of its gradients is infinite or nan.

        Raises:
            RuntimeError: for a second step since the last `update`, and for a closure.
            AssertionError: when nothing was scaled before, or the optimizer has no gradients.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._scale_and_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found = state["found_inf_per_device"]
        if not found:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        taken = None
        if not sum(one.item() for one in found.values()):
            taken = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return taken

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Let the scale grow or shrink by what the steps found; or set it.

        Raises:
            AssertionError: when no step was taken, or `new_scale` is not one number on the scaler's device.
        """
        if not self._enabled:
            return
        scale, tracker = self._scale_and_tracker("update")
        with no_grad():
            if new_scale is not None:
                self._set(scale, new_scale)
            else:
                self._follow(scale, tracker)
        self._per_optimizer_states = defaultdict(_new_state)

    def _set(self, scale: Any, new: Any) -> None:
        if isinstance(new, float):
            scale.fill_(new)
            return
        if new.device.type != self._device or new.numel() != 1 or new.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element tensorkit.cuda.FloatTensor or "
                "tensorkit.FloatTensor with requires_grad=False."
            )
        scale.copy_(new)

    def _follow(self, scale: Any, tracker: Any) -> None:
        states = self._per_optimizer_states.values()
        found = [one.item() for state in states for one in state["found_inf_per_device"].values()]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        if any(found):
            scale.mul_(self._backoff_factor)
            tracker.zero_()
        elif tracker.item() + 1 == self._growth_interval:
            grown = scale * self._growth_factor
            if grown.isfinite():
                scale.copy_(grown)
            tracker.zero_()
        else:
            tracker.add_(1)

    def get_scale(self) -> float:
        """The scale now; 1.0 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set it."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set it."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set it."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale and what it follows, to be saved; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave.

        Raises:
            RuntimeError: when it is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        for made, value in (
            (self._scale, self._init_scale),
            (self._growth_tracker, self._init_growth_tracker),
        ):
            if made is not None:
                made.fill_(value)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
