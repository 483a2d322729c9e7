"""Saved tensors that may be written to: what the backward pass needs is copied before the write.

Source: names and behaviour are PyTorch 2.13's ``torch.autograd.graph.allow_mutation_on_saved_tensors``.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

from tensorkit import tracing
from tensorkit.autograd.saved_tensors_hooks import saved_tensors_hooks
from tensorkit.tensor import Tensor

_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)
_enabled = False


class _Handle:
    """What stands for a saved tensor."""


class _AllowMutationOnSavedContext:
    """The tensors that were saved in the block, and the copies of those that were written to since."""

    def __init__(self) -> None:
        self.original: weakref.WeakKeyDictionary[_Handle, Any] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[_Handle, Any] = weakref.WeakKeyDictionary()
        #: By its depth, the memory that an operation which runs at this moment writes to.
        self._writes: dict[int, list[Any]] = {}

    def pack(self, tensor: Tensor) -> _Handle:
        """Keep a tensor; one of the same version is kept once."""
        for handle, kept in self.original.items():
            if kept is tensor:  # what was written to since is among the copies
                return handle
        handle, own = _Handle(), tensor._store()
        if any(storage is own for storages in self._writes.values() for storage in storages):
            self._copy(handle, tensor)  # an operand of the operation that is about to write to it
        else:
            self.original[handle] = tensor
        return handle

    def _copy(self, handle: _Handle, tensor: Any) -> None:
        self.cloned[handle] = tensor.detach().clone()

    def unpack(self, handle: _Handle) -> Any:
        """The tensor as it was."""
        found = self.cloned.get(handle) if handle in self.cloned else self.original.get(handle)
        if not _enabled or found is None:
            raise AssertionError(_OUTSIDE)
        return found

    def note(self, event: tracing.Event) -> None:
        """An operation is about to run: if it writes to memory that a saved tensor lies in, copy that tensor."""
        if isinstance(event, (tracing.OpEvent, tracing.FailEvent)):
            self._writes.pop(event.depth, None)
        if not isinstance(event, tracing.CallEvent):
            return
        out = event.kwargs.get("out")
        written = list(out) if isinstance(out, (tuple, list)) else [out]
        if event.args and (event.name == "__setitem__" or event.name.endswith("_")):
            written.append(event.args[0])
        storages = [target._store() for target in written if isinstance(target, Tensor)]
        for storage in storages:
            self._copy_what_lies_in(storage)
        if storages:
            self._writes[event.depth] = storages

    def _copy_what_lies_in(self, storage: Any) -> None:
        for handle, kept in list(self.original.items()):
            if kept._store() is storage:
                self._copy(handle, kept)
                del self.original[handle]

    def clear(self) -> None:
        """Let go of all of them."""
        self.original.clear()
        self.cloned.clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Within the block, a tensor that was saved for the backward pass may be written to: it is copied before.

    The backward pass has to run in the block, too.

    Raises:
        RuntimeError: within another such block. AssertionError: in a backward pass outside.

    >>> with tk.autograd.graph.allow_mutation_on_saved_tensors() as context:
    ...     a = tk.ones(2, requires_grad=True)
    ...     b = a.clone()
    ...     loss = (b * b).sum()
    ...     b = b.mul_(10)
    ...     loss.backward()
    >>> a.grad
    tensor([2., 2.])

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.allow_mutation_on_saved_tensors
    """
    global _enabled  # one block for all threads, as in PyTorch
    context = _AllowMutationOnSavedContext()
    hooks = saved_tensors_hooks(context.pack, context.unpack)
    with hooks, tracing.listen(context.note, calls=True):
        try:
            if _enabled:
                raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
            _enabled = True
            yield context
        finally:
            context.clear()
            _enabled = False
