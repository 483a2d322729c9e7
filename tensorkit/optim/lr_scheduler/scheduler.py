"""The base class of schedules: it counts epochs, and sets the learning rates that a subclass computes.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html
"""

from __future__ import annotations

import contextlib
import functools
import types
import weakref
from collections.abc import Iterator
from typing import Any

from tensorkit.errors import warn
from tensorkit.optim.optimizer import Optimizer
from tensorkit.optim.single_tensor import scalar
from tensorkit.tensor import Tensor

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """Sets the learning rate of each group when `step` is called, to what `get_lr` of a subclass computes.

    Args:
        optimizer: whose groups have the learning rates.
        last_epoch: how far training had come before, -1 for the beginning: else the groups have an ``"initial_lr"``.

    Raises:
        TypeError: for anything but an optimizer. KeyError: when a group lacks its ``"initial_lr"``.

    >>> class Halves(tk.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr / 2**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> scheduler = Halves(optimizer)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    _step_count: int
    _last_lr: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
                    "a fresh training run (not recommended)"
                )
        self.base_lrs = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes of the schedule except the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the schedule was that `state_dict` was taken of."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates of the groups, as the last `step` left them."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The next learning rates of the groups, from `last_epoch` and the present ones: a subclass computes them."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Set the learning rates for the next epoch; in training, `step` of the optimizer comes first.

        Args:
            epoch: go to this one; deprecated.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_SEE}"
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure "
                    "to do this will result in PyTorch skipping the first value of the learning rate schedule. "
                    f"{_SEE}"
                )
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_DEPRECATION_WARNING)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with inside_step(self):
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = self._get_closed_form_lr() if hasattr(self, "_get_closed_form_lr") else self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = values(self.optimizer, "lr")


class _LRScheduler(LRScheduler):
    """The base class under the name that it had until PyTorch 2.0."""


def _note_steps(optimizer: Optimizer) -> None:
    """Have the optimizer remember that its `step` was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step, reference = optimizer.step.__func__, weakref.ref(optimizer)  # type: ignore[attr-defined]

    @functools.wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        own: Any = reference()
        own._opt_called = True
        return step(own, *args, **kwargs)

    wrapper._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = wrapper  # type: ignore[method-assign]


@contextlib.contextmanager
def inside_step(scheduler: LRScheduler) -> Iterator[None]:
    """Where `get_lr` may be called without a warning."""
    scheduler._get_lr_called_within_step = True
    try:
        yield
    finally:
        scheduler._get_lr_called_within_step = False


def warn_outside_step(scheduler: LRScheduler) -> None:
    """Warn of a call of `get_lr` by a user, who would see the next rates, or wrong ones."""
    if not scheduler._get_lr_called_within_step:
        warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")


# -- options of groups --------------------------------------------------------------------------------------------


def check_optimizer(optimizer: Any) -> None:
    """Refuse anything but an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def values(optimizer: Optimizer, option: str) -> list[Any]:
    """An option of each group; of tensors, copies."""
    return [_copied(group[option]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], option: str, value: Any) -> None:
    """Set an option of a group: into the tensor, where it is one."""
    if isinstance(group[option], Tensor):
        group[option].fill_(scalar(value))
    else:
        group[option] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """An argument that is one value for all groups, or a list of one for each."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * count
    elif len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {count}."
        )
    return [_copied(one) for one in value]


def dict_of_function(function: Any) -> Any:
    """What a state dict keeps of a callable: nothing of a function, the attributes of an object."""
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()
