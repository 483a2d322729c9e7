"""Tensors that a node keeps for its backward pass, with the version that they must still have."""

from __future__ import annotations

from typing import Any

from tensorkit.autograd import anomaly_mode
from tensorkit.autograd.history import differentiable, grad_fn_of, set_history
from tensorkit.autograd.node import Meta, Node
from tensorkit.tensor import Tensor, fresh


class Saved:
    """A tensor kept for the backward pass, and the version that it had."""

    __slots__ = ("made", "tensor", "version")

    def __init__(self, tensor: Tensor) -> None:
        counter = tensor._counter
        meta: Meta | None = tensor._autograd
        self.made = meta is not None and meta.node is not None
        self.tensor: Tensor | None = tensor
        self.version = 0 if counter is None else counter[0]

    def free(self) -> None:
        """Let go of the tensor."""
        self.tensor = None

    def plain(self, node: Node) -> Tensor:
        """`unpack` for a formula that is not recorded itself: no history is needed."""
        return self.unpack(node)

    def unpack(self, node: Node) -> Tensor:
        """The tensor, if it was not freed and not written to since."""
        tensor = self.tensor
        if tensor is None:
            raise RuntimeError(FREED)
        counter = tensor._counter
        if self.made and tensor._autograd.node is None:
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            )
        if counter is not None and counter[0] != self.version:
            raise RuntimeError(self._modified(tensor, node))
        return tensor

    def _modified(self, tensor: Tensor, node: Node) -> str:
        made_by, output_nr = self._origin(tensor, node)
        where = "" if made_by is None else f", which is output {output_nr} of {made_by.short_name()},"
        place = "" if tensor._device.type == "cpu" else f"{tensor._device.type}."
        hint = _BACKTRACE if anomaly_mode.on else _HINT
        return (
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[tensorkit.{place}{tensor._dtype.label}Tensor {list(tensor._lay().size)}]{where} is at version "
            f"{tensor._version}; expected version {self.version} instead. Hint: {hint}"
        )

    def _origin(self, tensor: Tensor, node: Node) -> tuple[Node | None, int]:
        made_by = grad_fn_of(tensor)
        return made_by, 0 if made_by is None else tensor._autograd.output_nr


class SavedResult(Saved):
    """An operation's own result, kept without its history: the node would otherwise keep itself alive."""

    __slots__ = ("output_nr",)

    def __init__(self, tensor: Tensor, output_nr: int = 0) -> None:
        super().__init__(plain_alias(tensor))
        self.output_nr = output_nr

    def plain(self, node: Node) -> Tensor:
        return Saved.unpack(self, node)

    def unpack(self, node: Node) -> Tensor:
        again = plain_alias(self.plain(node))
        if differentiable(again._dtype):  # not the places of what was found
            set_history(again, node, self.output_nr)
        return again

    def _origin(self, tensor: Tensor, node: Node) -> tuple[Node | None, int]:
        return node, self.output_nr


class _SavedFresh(SavedResult):
    """A `SavedResult` that has not been unpacked yet: elements and a version, no tensor so far."""

    __slots__ = ("array", "counter", "kind")

    def __init__(self, tensor: Tensor, output_nr: int) -> None:
        counter = tensor._counter
        if counter is None:
            counter = tensor._counter = [0]
        self.made, self.tensor, self.output_nr = False, None, output_nr
        self.array: Any = tensor._array
        self.kind, self.counter, self.version = tensor._dtype, counter, counter[0]

    def plain(self, node: Node) -> Tensor:
        if self.array is not None and self.tensor is None:
            self.tensor = fresh(self.array, self.kind)
            self.tensor._counter = self.counter
        return Saved.unpack(self, node)

    def free(self) -> None:
        self.array = self.tensor = None


class Unpacked(Saved):
    """What hooks of the user's made for one pass: whatever they write to, they have their reasons."""

    __slots__ = ()

    def unpack(self, node: Node) -> Tensor:
        assert self.tensor is not None
        return self.tensor


def saved_result(tensor: Tensor, output_nr: int = 0) -> SavedResult:
    """An operation's own result, to be kept by the node of that operation."""
    untouched = tensor._array is not None and tensor._storage is None and tensor._base is None
    return (_SavedFresh if untouched and tensor._solid else SavedResult)(tensor, output_nr)


_HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "tensorkit.autograd.set_detect_anomaly(True, check_nan=False)."
)

_BACKTRACE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def plain_alias(tensor: Tensor) -> Tensor:
    alias = tensor._view(tensor._lay())
    alias._base = None
    return alias
