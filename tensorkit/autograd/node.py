"""The graph that recording builds: nodes, the edges between them, and what a node keeps of its operation.

A node stands for one operation that was recorded. It points *back*, along `next_functions`, to the nodes that made its
operation's inputs; a leaf is stood for by `AccumulateGrad`, which adds to its ``.grad``. What a derivative needs is
kept in `Saved` values: each remembers the version of its tensor, so that a later in-place write is noticed.

>>> x = tk.ones(2, requires_grad=True)
>>> y = (x * x).sum()
>>> y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
('SumBackward0', 'MulBackward0')

Source: structure and names follow PyTorch 2.13's ``torch.autograd.graph``.
"""

from __future__ import annotations

import itertools
import re
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Self

from tensorkit.device import CPU, device
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor

Edge = tuple["Node", int]
Formula = Callable[[Any, Any], Any]
sequence = itertools.count()


#: What formulas call the results of an operation that has several.
RESULTS = ("out", "indices", "third", "fourth")
_LAST = float("inf")  # leaves go first in the backward pass: nothing waits behind them
OWN = "own"


class Meta:
    """What autograd remembers of a tensor.

    Attributes:
        leaf: whether the tensor is a leaf that requires grad.
        grad: the gradient collected so far.
        node, output_nr: which operation made it, as which of its outputs.
        hooks: called with the gradient on its way to this tensor.
        retains: collect the gradient although this is not a leaf.
        eras: of a leaf that got another size or dtype since it was recorded, what it was before.
    """

    # Defaults on the class: most tensors of a graph need a node and nothing else, and are made by the thousand.
    leaf = False
    grad: Tensor | None = None
    node: Node | None = None
    output_nr = 0
    inference = False
    retains = False
    accumulator: weakref.ref[AccumulateGrad] | None = None
    hooks: OrderedDict[int, Callable[..., Any]] | None = None
    after: OrderedDict[int, Callable[..., Any]] | None = None
    #: The dtype of a leaf's gradient: OWN for the leaf's own, None for any.
    grad_dtype: dtype | str | None = OWN
    eras: list[Era] | None = None

    def outlive(self, tensor: Tensor, size: tuple[int, ...], apart: bool) -> None:
        """A leaf is about to get another size or dtype: what was recorded by now knows it as it is.

        Args:
            apart: whether its accumulator is left to the past, as PyTorch does; otherwise that stays, as it is.
        """
        if apart:
            for era in self.eras or ():
                era.accumulator, era.over = era.accumulator or self.accumulator, True
        elif size == tensor._lay().size or (self.accumulator is not None and self.accumulator() is not None):
            return
        era = Era(next(sequence), leaf_face(tensor, self.grad_dtype))
        if apart:
            era.accumulator, era.over, self.accumulator = self.accumulator, True, None
        self.eras = [*(self.eras or ()), era]


class Era:
    """What a leaf was until `end`; once it is `over`, for good, with an accumulator of its own."""

    __slots__ = ("accumulator", "end", "face", "over")

    def __init__(self, end: int, face: Face) -> None:
        self.end, self.face, self.over = end, face, False
        self.accumulator: weakref.ref[AccumulateGrad] | None = None


def meta_of(tensor: Tensor) -> Meta:
    """The tensor's `Meta`, to be written to: made now if it has none, or if its node stands in for it."""
    held: Meta | Node | None = tensor._autograd
    if type(held) is Meta:
        return held
    meta = tensor._autograd = Meta()
    if isinstance(held, Node):
        meta.node = held
    return meta


class Face:
    """What the walk checks a gradient against: the size, dtype and device of the value that it belongs to."""

    __slots__ = ("device", "dtype", "size")
    loose = False  # whether a gradient of another dtype fits too

    def __init__(self, tensor: Tensor) -> None:
        layout, array = tensor._layout, tensor._array
        # A fresh result need not write its layout down for this: its array knows the size.
        self.size: tuple[int, ...] = (
            array.shape if layout is None and array is not None else tensor._lay().size
        )
        self.dtype: dtype = tensor._dtype
        self.device: device = tensor._device


class LooseFace(Face):
    """The face of a leaf that takes gradients of any dtype."""

    __slots__ = ()
    loose = True


def leaf_face(variable: Tensor, kind: dtype | str | None) -> Face:
    """The face of a leaf that wants its gradient in the dtype `kind` (see `Meta`)."""
    if kind is None:
        return LooseFace(variable)
    face = Face(variable)
    if isinstance(kind, dtype):
        face.dtype = kind
    return face


def face_of(size: tuple[int, ...], kind: dtype) -> Face:
    """The face of a tensor on the CPU that is no longer there."""
    face: Face = object.__new__(Face)
    face.size, face.dtype, face.device = size, kind, CPU
    return face


class RemovableHandle:
    """What registering a hook returns: `remove` takes the hook away again; so does leaving a ``with`` block.

    Args:
        hooks_dict: the table of hooks; the caller puts the hook there under `id`.
        extra_dict: other tables, or a list of them, that may have something under `id` too.
    """

    __module__ = "tensorkit.utils.hooks"  # where PyTorch has it
    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        more = extra_dict if isinstance(extra_dict, list) else [extra_dict] * isinstance(extra_dict, dict)
        self._tables = [weakref.ref(table) for table in (hooks_dict, *more)]

    def remove(self) -> None:
        """Forget the hook."""
        for table in self._tables:
            (table() or {}).pop(self.id, None)

    def __getstate__(self) -> Any:
        first, *more = (table() for table in self._tables)
        return first, self.id, tuple(more)

    def __setstate__(self, state: Any) -> None:
        first, self.id, *more = state
        tables = (first, *(more[0] if more else ()))
        self._tables = [weakref.ref(OrderedDict() if table is None else table) for table in tables]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.remove()


def hang(
    table: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], *, prepend: bool = False
) -> RemovableHandle:
    """Put a hook into a table, behind those that are there or before them; returns what takes it away."""
    handle = RemovableHandle(table)
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


class Node:
    """One recorded operation. Its subclasses carry PyTorch's names."""

    __module__ = "tensorkit.autograd.graph"  # where PyTorch has it
    __slots__ = ("__dict__", "__weakref__", "edges", "faces", "sequence")

    # Defaults on the class: few nodes ever need these.
    pre_hooks: OrderedDict[int, Callable[..., Any]] | None = None
    post_hooks: OrderedDict[int, Callable[..., Any]] | None = None
    # Hooks of the tensors that this node made, by output; they outlive the tensor objects.
    tensor_hooks: dict[int, list[OrderedDict[int, Callable[..., Any]]]] | None = None
    # The collectors of `retain_grad`, by output: called after the hooks, and moved on when the tensor is written to.
    retains: dict[int, Callable[[Tensor], None]] | None = None
    trace: str | None = None
    # Which modules returned this node's result, the inner one first; each with the number at which its call began.
    calls: tuple[tuple[weakref.ref[Any], int], ...] = ()
    choosy = (
        False  # whether it gives nothing where this walk does not go (a `RuleNode` does not even compute it)
    )

    edges: tuple[Edge | None, ...]
    faces: list[Face | None]
    sequence: float

    def begin(self) -> None:
        """What `__init__` would do: a class without one is made in half the time."""
        self.edges = ()
        self.faces = []
        self.sequence = next(sequence)

    def name(self) -> str:
        """PyTorch's name of the node, such as ``'MulBackward0'``."""
        return type(self).__name__

    def short_name(self) -> str:
        """The operation's name, as PyTorch's errors give it: ``'Mul'``."""
        short, found = re.subn(r"Backward0?(\d*)$", r"\1", self.name())
        return short if found else f"tensorkit::autograd::{short}"

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that made this operation's inputs, each with the number of its output; None for no gradient."""
        return tuple([(None, 0) if edge is None else edge for edge in self.edges])

    def needs(self, i: int) -> bool:
        """Whether the gradient of input `i` is needed."""
        return self.edges[i] is not None

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """From the gradients of the outputs to those of the inputs, one for each edge."""
        raise RuntimeError(f"{self.name()} has no derivative")

    def release(self) -> None:
        """Let go of the saved tensors."""

    def __call__(self, *grads: Tensor | None) -> Any:
        results = self.apply(list(grads))
        return results[0] if len(results) == 1 else tuple(results)

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this node computed; it may return other grad_inputs."""
        if self.post_hooks is None:
            self.post_hooks = OrderedDict()
        return hang(self.post_hooks, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node computes; it may return other grad_outputs."""
        if self.pre_hooks is None:
            self.pre_hooks = OrderedDict()
        return hang(self.pre_hooks, fn)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary of the user's own."""
        notes: dict[str, Any] = self.__dict__.setdefault("_metadata", {})
        return notes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """Stands for a leaf: adds the gradient that arrives to the leaf's ``.grad``."""

    __module__ = "builtins"  # as PyTorch's, which are made in C++
    __slots__ = ("variable",)

    def name(self) -> str:
        """PyTorch gives this one's name with its place."""
        return "tensorkit::autograd::AccumulateGrad"

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.variable = variable
        self.sequence = _LAST
        self.faces = [Face(variable)]
