"""What autograd keeps, packed: hooks that are called with each saved tensor, and again when it is needed.

A node that was just recorded is shown to `pack` while some hooks are set: what it saved gives way to what the hook
made of it. Each thread has hooks of its own, and of nested ones the innermost are called.

>>> x = tk.tensor([1.0, 2.0], requires_grad=True)
>>> with tk.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), tk.tensor):
...     y = x.exp()
>>> y.sum().backward()
>>> x.grad
tensor([2.7183, 7.3891])

Source: PyTorch 2.13's ``SavedVariable`` (https://docs.pytorch.org/docs/stable/notes/autograd.html).
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, cast

from tensorkit.autograd import anomaly_mode
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.history import edge_of, grad_fn_of, requires_grad
from tensorkit.autograd.node import RESULTS, AccumulateGrad, Edge, Node, meta_of
from tensorkit.autograd.saved import FREED, Saved, SavedResult, plain_alias
from tensorkit.device import CPU
from tensorkit.elementwise.output import empty_strided
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

Hooks = tuple[Callable[[Tensor], Any], Callable[[Any], Any]]

_WRITTEN = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
_TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)
_TOO_LATE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
    "the graph a second time or if you need to access saved variables after calling backward."
)


class _Here(threading.local):
    """This thread's hooks, the innermost last, and what to say where there may be none."""

    hooks: tuple[Hooks, ...] = ()
    refusal: str | None = None


_here = _Here()


class Packed(Saved):
    """What a pack hook made of a saved tensor, and the tensor's place in the graph."""

    __slots__ = ("edge", "made_by", "output_nr", "unpack_hook", "value", "wants")

    def __init__(
        self, tensor: Tensor, hooks: Hooks, *, own: bool = False, shown: Tensor | None = None
    ) -> None:
        """Pack a tensor.

        Args:
            own: whether it is a result of the node that saves it, which must not keep itself alive.
            shown: what the hook is called with, if not the tensor.

        Raises:
            RuntimeError: when the hook wrote to the tensor.
        """
        node = grad_fn_of(tensor)
        self.made, self.tensor, self.version = False, None, tensor._version
        self.wants = requires_grad(tensor)
        self.made_by = weakref.ref(node) if own and node is not None else None
        self.output_nr = 0 if node is None else tensor._autograd.output_nr
        self.edge: Edge | None = None if self.made_by is not None else edge_of(tensor)
        pack_hook, unpack_hook = hooks
        self.unpack_hook: Callable[[Any], Any] | None = unpack_hook
        before, state.grad = state.grad, False
        try:
            self.value = pack_hook(tensor if shown is None else shown)
        finally:
            state.grad = before
        if tensor._version != self.version:
            raise RuntimeError(_WRITTEN)

    def free(self) -> None:
        self.value = self.unpack_hook = self.edge = None

    def unpack(self, node: Node) -> Tensor:
        """What the unpack hook gives, at the place in the graph of what was packed.

        Raises:
            RuntimeError: when the graph was freed. TypeError: when the hook gives no tensor.
        """
        if self.unpack_hook is None:
            raise RuntimeError(FREED)
        tensor = self.unpack_hook(self.value)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        if not self.wants and not requires_grad(tensor):
            return tensor
        again = plain_alias(tensor)
        meta = meta_of(again)
        edge: Edge | None = (
            (self.made_by() or node, self.output_nr) if self.made_by is not None else self.edge
        )
        if edge is None or isinstance(edge[0], AccumulateGrad):
            meta.leaf = self.wants
            meta.accumulator = None if edge is None else weakref.ref(cast(AccumulateGrad, edge[0]))
        else:
            meta.node, meta.output_nr = edge
        return again


class SavedTensor:
    """Where a node keeps one tensor, as ``grad_fn._raw_saved_...`` gives it."""

    def __init__(self, node: Any, name: str) -> None:
        self._node, self._name = node, name

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Pack the tensor now, and unpack it whenever it is needed.

        Raises:
            RuntimeError: when it was freed, or is packed already, and when the hook writes to it.
        """
        node, kept = self._node, self._node.saved[self._name]
        if isinstance(kept, Packed) and not node.freed:
            raise RuntimeError(_TWICE)
        if node.freed:
            raise RuntimeError(_TOO_LATE)
        tensor = kept.unpack(node)
        # Its own tensor could be changed by the hook behind the graph's back; PyTorch shows one cut from the graph.
        own = isinstance(kept, SavedResult)
        node.saved[self._name] = Packed(tensor, (pack_hook, unpack_hook), own=own, shown=tensor.detach())
        node.packed = True


# -- a node that was just recorded --------------------------------------------------------------------------------


def packed(tensor: Tensor, *, own: bool = False) -> Saved | None:
    """A tensor to be saved, packed by this thread's hooks; None where there are none."""
    return Packed(tensor, _here.hooks[-1], own=own) if _here.hooks else None


def pack_inputs(node: Any) -> None:
    """Show the operands that a node saved to this thread's hooks, in PyTorch's order."""
    if not _here.hooks:
        return
    hooks = _here.hooks[-1]
    for name in node.saved_names():
        kept = node.saved[name]
        if name not in RESULTS and kept.tensor is not None:
            node.saved[name] = Packed(kept.tensor, hooks)
    for value in node.arguments.values():
        kept_many = getattr(value, "saved", None)  # the tensors of an index
        if isinstance(kept_many, list):
            value.saved = [one if one is None else Packed(one.tensor, hooks) for one in kept_many]
    node.packed = True


def pack(node: Any, out: Any) -> None:
    """Show all that a node saved to this thread's hooks, if it has any; of the node's results, `out` itself."""
    if not _here.hooks:
        return
    hooks = _here.hooks[-1]
    if not node.packed:
        pack_inputs(node)
    results = out if isinstance(out, tuple) else (out,)
    for name, result in zip(RESULTS, results, strict=False):
        if name in node.saved and isinstance(result, Tensor):
            node.saved[name] = Packed(result, hooks, own=True)


# -- what people call ---------------------------------------------------------------------------------------------


class saved_tensors_hooks:
    """Within the block, every tensor that an operation saves for the backward pass is packed, and later unpacked.

    ``pack_hook(tensor)`` gives what is kept instead, ``unpack_hook(packed)`` a tensor of the same values. The
    innermost of nested blocks applies. A pack hook must not write to its tensor.

    >>> x = tk.ones(2, requires_grad=True)
    >>> with tk.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
    ...     y = x.exp()
    >>> y.grad_fn._saved_result
    tensor([2.7188, 2.7188], grad_fn=<ExpBackward0>)

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {self.pack_hook!r}, {self.unpack_hook!r}"
            )
        if _here.refusal is not None:
            raise RuntimeError(_here.refusal)
        _here.hooks = (*_here.hooks, (self.pack_hook, self.unpack_hook))
        anomaly_mode.expect(1)

    def __exit__(self, *problem: object) -> None:
        _here.hooks = _here.hooks[:-1]
        anomaly_mode.expect(-1)


class save_on_cpu(saved_tensors_hooks):
    """Within the block, what is saved for the backward pass lies in the CPU's memory until it is needed.

    Args:
        pin_memory: keep a copy of what lies on the CPU already, too; no memory is pinned here.
        device_type: for which kind of device memory would be pinned.

    >>> x = tk.ones(2, requires_grad=True)
    >>> with tk.autograd.graph.save_on_cpu():
    ...     y = x.exp()
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183])

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.save_on_cpu
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack_to_cpu(tensor: Any) -> tuple[Any, Any]:
            if not pin_memory:
                return tensor.device, tensor.cpu()
            size = tensor.size()
            kept: Any = empty_strided(size, contiguous_stride(size), tensor.dtype, CPU)
            return tensor.device, kept.copy_(tensor)

        def unpack_from_cpu(packed: tuple[Any, Any]) -> Any:
            place, tensor = packed
            return tensor.to(place, non_blocking=pin_memory)

        super().__init__(pack_to_cpu, unpack_from_cpu)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within the block, to set hooks for saved tensors is an error that says `error_message`.

    Raises:
        RuntimeError: when hooks are set where it begins.

    >>> with tk.autograd.graph.disable_saved_tensors_hooks("not in here"):
    ...     with tk.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: not in here

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.disable_saved_tensors_hooks
    """
    before = _here.refusal
    try:
        if not isinstance(error_message, str):
            raise TypeError(
                "_saved_tensors_hooks_disable(): incompatible function arguments. The following argument types are "
                "supported:\n    1. (error_message: str, fail_if_non_empty: bool = True) -> None\n\n"
                f"Invoked with: {error_message!r}"
            )
        if _here.hooks:
            raise RuntimeError(error_message)
        _here.refusal = error_message
        yield
    finally:
        _here.refusal = before
