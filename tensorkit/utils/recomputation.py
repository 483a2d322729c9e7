"""Computing again what the backward pass needs: the tensors that a graph left places for, and their random numbers."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorkit.amp.autocast_mode import autocast
from tensorkit.autograd import enable_grad, no_grad
from tensorkit.autograd.engine import current_walk
from tensorkit.autograd.saved import Saved
from tensorkit.autograd.saved_tensors_hooks import saved_tensors_hooks
from tensorkit.dispatch.autocasting import state
from tensorkit.random import default_generator, fork_rng
from tensorkit.random.generator import default_of
from tensorkit.tensor import Tensor

__all__ = ["CHECKS", "CheckpointError", "RandomState", "SavedAgain"]


def __dir__() -> list[str]:
    return __all__


class CheckpointError(RuntimeError):
    """The second computation saved other tensors than the first."""

    __module__ = "tensorkit.utils.checkpoint"


class RandomState:
    """What the first computation ran in, for the second: random numbers of the CPU and of the arguments' devices, and
    regions of `autocast`.
    """

    def __init__(self, preserve: bool, args: Iterable[Any]) -> None:
        devices = {one.device for one in args if isinstance(one, Tensor)} if preserve else set()
        generators = {default_of(device) for device in devices if device.type == "cuda"}
        self._preserve = preserve
        self._regions = [(kind, state.dtypes[kind], enabled) for kind, enabled in state.enabled.items()]
        self._cached = state.cached
        self._states = (
            [(one, one.get_state()) for one in (default_generator, *generators)] if preserve else []
        )

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """In the block the random numbers are those of then; after it they go on as before."""
        with fork_rng(enabled=self._preserve), contextlib.ExitStack() as regions:
            for region in self._regions:
                regions.enter_context(autocast(*region, cache_enabled=self._cached))
            for generator, before in self._states:
                generator.set_state(before)
            yield


class _Holder:
    """In the graph's place for one tensor: for each backward pass the tensor, then None once it was used."""

    def __init__(self) -> None:
        self.values: weakref.WeakKeyDictionary[Any, Tensor | None] = weakref.WeakKeyDictionary()


class _Round:
    """A look at a saved tensor outside of a backward pass."""


class _Stop(Exception):
    """All that is needed was computed."""


class SavedAgain(saved_tensors_hooks):
    """One checkpoint's tensors: while the first computation runs, places are left for them in the graph.

    Args:
        compute_again: the function, called with the arguments.
        args: kept for it.
        early_stop: whether the second computation ends when it has all tensors.
        describe: what of a tensor must be the same both times.
    """

    def __init__(
        self,
        compute_again: Callable[..., Any],
        args: Any,
        early_stop: bool,
        describe: Callable[[Tensor], Any],
    ) -> None:
        super().__init__(self._leave_a_place, self._fill)
        self._compute_again = compute_again
        self._args = [Saved(one) if isinstance(one, Tensor) else one for one in args]
        self._early_stop = early_stop
        self._describe = describe
        self._places: list[weakref.ref[_Holder]] = []
        self._described: list[Any] = []
        self._counts: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._ignore_count = False
        self.completed = False

    def _leave_a_place(self, tensor: Tensor) -> _Holder:
        holder = _Holder()
        self._places.append(weakref.ref(holder))
        with no_grad():
            self._described.append(self._describe(tensor))
        return holder

    def _fill(self, holder: _Holder) -> Tensor:
        walk = current_walk() or _Round()
        if walk not in self._counts:
            self._run_again(walk)
            self._check(walk)
        if (tensor := holder.values[walk]) is None:
            raise CheckpointError(
                "tensorkit.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure "
                "to do so only once. Otherwise please open an issue with details on your use case."
            )
        holder.values[walk] = None
        return tensor

    def _run_again(self, walk: Any) -> None:
        self._counts[walk] = 0
        args = [one.unpack(None) if isinstance(one, Saved) else one for one in self._args]  # type: ignore[arg-type]
        with (
            contextlib.suppress(_Stop),
            saved_tensors_hooks(lambda tensor: self._found(tensor, walk), lambda tensor: tensor),
            enable_grad(),
        ):
            self._compute_again(*args)

    def _found(self, tensor: Tensor, walk: Any) -> Tensor:
        tensor = tensor.detach() if tensor.requires_grad else tensor
        place = self._counts[walk]
        self._counts[walk] += 1
        if place >= len(self._places):
            if self.completed:
                raise CheckpointError(
                    "tensorkit.utils.checkpoint: trying to save more tensors during "
                    "recomputation than during the original forward pass.\n"
                )
            self._ignore_count = True  # a backward pass within the first computation, which goes on after it
            return tensor
        if (holder := self._places[place]()) is not None:
            holder.values[walk] = tensor
        if self._early_stop and self._counts[walk] == len(self._places):
            raise _Stop
        return tensor

    def _check(self, walk: Any) -> None:
        """Compare the tensors with those of the first computation, as far as the graph still wants them."""
        if self._ignore_count:
            return
        if self._counts[walk] != len(self._places):
            raise CheckpointError(
                "tensorkit.utils.checkpoint: A different number of tensors was saved "
                "during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self._places)}\n"
                f"Number of tensors saved during recomputation: {self._counts[walk]}.\n"
            )
        differing = ""
        for index, (place, before) in enumerate(zip(self._places, self._described, strict=True)):
            holder = place()
            if holder is not None and before != (now := self._describe(holder.values[walk])):  # type: ignore[arg-type]
                differing += (
                    f"tensor at position {index}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
                )
        if differing:
            raise CheckpointError(
                "tensorkit.utils.checkpoint: Recomputed values for the following tensors "
                f"have different metadata than during the forward pass.\n{differing}.\n"
            )


#: What `determinism_check` compares of each tensor.
CHECKS: dict[str, Callable[[Tensor], Any]] = {
    "default": lambda tensor: {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device},
    "none": lambda tensor: None,
}
