"""Schedules made of others: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from tensorkit.optim.lr_scheduler.plateau import ReduceLROnPlateau
from tensorkit.optim.lr_scheduler.scheduler import LRScheduler, set_option, values
from tensorkit.optim.optimizer import Optimizer


class _ComposedLR(LRScheduler):
    """A schedule whose state is that of others."""

    _schedulers: Sequence[LRScheduler]

    def _check(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        own = type(self).__name__
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{own} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{own} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {number} in the given schedulers sequence."
                )
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{own} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers, and the state dicts of its parts."""
        state = super().state_dict()
        parts = state.pop("_schedulers")
        return state | {"_schedulers": [part.state_dict() for part in parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the schedule was that `state_dict` was taken of."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for part, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            part.load_state_dict(state)


class SequentialLR(_ComposedLR):
    """One schedule after the other: each begins at its milestone, with its own epoch 0.

    Args:
        optimizer: whose groups have the learning rates.
        schedulers: the schedules, in order.
        milestones: the epochs at which the second one and so on begin.
        last_epoch: how far training had come before; -1 for the beginning.

    Raises:
        ValueError: for other numbers of milestones, or schedules of several optimizers.

    >>> from tensorkit.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.25), ExponentialLR(optimizer, gamma=0.5)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> for _ in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.25]
    [0.25]
    [1.0]
    [0.5]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:  # all parts have taken their first steps: undo them
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = self._schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back one step of each part, and of their parts."""
        whole = self if sched is None else sched
        if hasattr(whole, "_schedulers"):
            for part in whole._schedulers:
                self.recursive_undo(part)
        elif hasattr(whole, "last_epoch"):
            whole.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Set the learning rates for the next epoch, by the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        part = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            part._update_lr(0)
        else:
            part.step()
        self._last_lr = part.get_last_lr()


class ChainedScheduler(_ComposedLR):
    """Several schedules at once: each changes the rates that the one before has left.

    Args:
        schedulers: the schedules, in order.
        optimizer: theirs.

    Raises:
        ValueError: for no schedules, or schedules of several optimizers.

    >>> from tensorkit.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = tk.optim.SGD([tk.zeros(2, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.5, total_iters=2), ExponentialLR(optimizer, gamma=0.5)]
    >>> scheduler = ChainedScheduler(parts)
    >>> for _ in range(3):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.5]
    [0.25]
    [0.25]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ChainedScheduler.html
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values(schedulers[-1].optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Let each schedule set the learning rates for its next epoch."""
        for part in self._schedulers:
            part.step()
        self._last_lr = values(self._schedulers[-1].optimizer, "lr")
