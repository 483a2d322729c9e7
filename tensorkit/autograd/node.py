"""The graph that recording builds: nodes, the edges between them, and what a node keeps of its operation.

A node stands for one operation that was recorded. It points *back*, along `next_functions`, to the nodes that made its
operation's inputs; a leaf is stood for by `AccumulateGrad`, which adds to its ``.grad``. What a derivative needs is
kept in `Saved` values: each remembers the version of its tensor, so that a later in-place write is noticed.

>>> import tensorkit as tk
>>> x = tk.ones(2, requires_grad=True)
>>> y = (x * x).sum()
>>> y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
('SumBackward0', 'MulBackward0')

Source: structure and names follow PyTorch 2.13's ``torch.autograd.graph``.
"""

from __future__ import annotations

import itertools
import re
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tensorkit.autograd.grad_mode import state as recording
from tensorkit.device import CPU, device
from tensorkit.dtypes import dtype
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, fresh

__all__ = [
    "not_implemented",
    "AccumulateGrad",
    "FREED",
    "Edge",
    "Era",
    "Face",
    "Geometry",
    "LooseFace",
    "Meta",
    "Node",
    "OWN",
    "PairPlan",
    "RESULTS",
    "RemovableHandle",
    "Rule",
    "RuleNode",
    "Saved",
    "SavedResult",
    "SeveralPlan",
    "SinglePlan",
    "accumulator_of",
    "differentiable",
    "meta_of",
    "move_hooks",
    "edge_of",
    "face_of",
    "grad_fn_of",
    "leaf_face",
    "made_by_none",
    "plain_alias",
    "register_raw",
    "register_regrow",
    "requires_grad",
    "saved_result",
    "sequence",
    "set_history",
]

Edge = tuple["Node", int]
Formula = Callable[[Any, Any], Any]
sequence = itertools.count()
#: What formulas call the results of an operation that has several.
RESULTS = ("out", "indices", "third", "fourth")
_LAST = float("inf")  # leaves go first in the walk back: nothing waits behind them


OWN = "own"


class Meta:
    """What autograd remembers of a tensor.

    Attributes:
        leaf: whether the tensor, made by nobody, asked for its gradient.
        grad: the gradient collected so far.
        node, output_nr: which operation made it, as which of its outputs.
        hooks: called with the gradient on its way to this tensor.
        retains: collect the gradient although this is no leaf.
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
    #: In which dtype a leaf wants its gradient: OWN for that of its values, None for whichever arrives.
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
    held: Meta | RuleNode | None = tensor._autograd
    if type(held) is Meta:
        return held
    meta = tensor._autograd = Meta()
    if isinstance(held, RuleNode):
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


class Saved:
    """A tensor kept for the backward pass, and the version that it had."""

    __slots__ = ("made", "tensor", "version")
    detecting: ClassVar[Callable[[], bool]] = staticmethod(lambda: False)  # told by `autograd.anomaly_mode`

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
        """`unpack` for a formula that is not recorded itself: no history is asked for."""
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
        hint = _BACKTRACE if Saved.detecting() else _HINT
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
    """A `SavedResult` of a tensor that nobody has looked into yet: its elements and its version, no tensor so far."""

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


class _Unpacked(Saved):
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


class RemovableHandle:
    """What registering a hook returns: `remove` takes the hook away again; so does leaving a ``with`` block."""

    _ids = itertools.count()

    def __init__(self, hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self.id = next(self._ids)
        hooks[self.id] = hook
        self._table = hooks

    def remove(self) -> None:
        """Forget the hook."""
        self._table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *problem: object) -> None:
        self.remove()


class Node:
    """One recorded operation. Its subclasses carry PyTorch's names."""

    __slots__ = ("__dict__", "__weakref__", "edges", "faces", "sequence")

    # Defaults on the class: few nodes ever need these.
    pre_hooks: OrderedDict[int, Callable[..., Any]] | None = None
    post_hooks: OrderedDict[int, Callable[..., Any]] | None = None
    # Hooks of the tensors that this node made, by output; they outlive the tensor objects.
    tensor_hooks: dict[int, list[OrderedDict[int, Callable[..., Any]]]] | None = None
    # The collectors of `retain_grad`, by output: called after the hooks, and moved on when the tensor is written to.
    retains: dict[int, Callable[[Tensor], None]] | None = None
    trace: str | None = None
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
        """Whether anybody waits for the gradient of input `i`."""
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
        return RemovableHandle(self.post_hooks, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node computes; it may return other grad_outputs."""
        if self.pre_hooks is None:
            self.pre_hooks = OrderedDict()
        return RemovableHandle(self.pre_hooks, fn)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary of the user's own."""
        notes: dict[str, Any] = self.__dict__.setdefault("_metadata", {})
        return notes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """Stands for a leaf: adds the gradient that arrives to the leaf's ``.grad``."""

    __slots__ = ("variable",)

    def name(self) -> str:
        """PyTorch gives this one's name with its place."""
        return "tensorkit::autograd::AccumulateGrad"

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.variable = variable
        self.sequence = _LAST
        self.faces = [Face(variable)]


class Rule:
    """How gradients pass back through an operation: one formula for each differentiable input.

    A formula takes the gradient of the result and the `RuleNode`, of which it reads what it needs: ``c.other`` is the
    tensor that was passed as `other`, ``c.out`` the result, ``c.dim`` another argument, ``c.input_face`` the
    size, stride, dtype and device of `input`. What a formula mentions is what is saved, and only if its input
    wants a gradient.

    Args:
        name: PyTorch's name of the node, or a function of the call's arguments that gives it.
        numbers_count: whether a number beside a tensor has an edge of its own (to nowhere), as PyTorch's graphs show.
        applies: says of a call's arguments whether the rule holds for it at all.
        unread: of a call's arguments, what the formulas mention but will not read: it is not saved.
        converts: whether it is of a write into any dtype, which is not recorded where integers are written to.
        formulas: by the name of the parameter. Without any, a write in place is neither recorded nor refused: it is
            made of other operations, or PyTorch does not look at it.
    """

    def __init__(
        self,
        name: str | Callable[[dict[str, Any]], str],
        *,
        numbers_count: bool = False,
        applies: Callable[[dict[str, Any]], bool] | None = None,
        unread: Callable[[dict[str, Any]], frozenset[str]] | None = None,
        converts: bool = False,
        **formulas: Formula,
    ) -> None:
        self.name = name
        self.numbers_count = numbers_count
        self.converts = converts
        self.applies = applies
        self.unread = unread
        self.formulas = formulas
        self.geometry: bool = (
            False  # whether it is of an operation that gives its tensor another layout, and no values
        )
        self.saves = {key: frozenset(_mentioned(formula)) for key, formula in formulas.items()}
        self._classes: dict[tuple[str, tuple[str, ...]], type[RuleNode]] = {}
        self._pairs: dict[bool, PairPlan] = {}

    def inplace(self) -> Rule:
        """The rule of the form that changes its tensor's own layout: another node name, as in PyTorch."""

        def name(arguments: dict[str, Any]) -> str:
            plain = self.name if isinstance(self.name, str) else self.name(arguments)
            stem, number = plain[:-1], int(plain[-1])
            return f"{stem}{number + (3 if stem == 'SqueezeBackward' else 1)}"

        rule = Rule(
            name,
            numbers_count=self.numbers_count,
            applies=self.applies,
            unread=self.unread,
            converts=self.converts,
            **self.formulas,
        )
        rule.geometry = True
        return rule

    def shared(self, order: tuple[str, ...]) -> bool:
        """Whether some operand is needed for the derivative by the other too, or by both."""
        mentions = [name for saves in self.saves.values() for name in saves]
        return any(mentions.count(name) > 1 for name in order)

    def order(self, arguments: dict[str, Any]) -> tuple[str, ...]:
        """The parameters that get an edge in this call: the tensors, and numbers where they count."""
        numbers = self.numbers_count and isinstance(next(iter(arguments.values())), Tensor)
        return tuple([n for n in self.formulas if numbers or isinstance(arguments.get(n), Tensor)])

    def node_class(self, arguments: dict[str, Any]) -> type[RuleNode]:
        """The subclass of `RuleNode` that carries the name and the edges' parameters of this call."""
        name = self.name if isinstance(self.name, str) else self.name(arguments)
        return self.named_class(name, self.order(arguments))

    def named_class(self, name: str, order: tuple[str, ...]) -> type[RuleNode]:
        """`node_class`, by the name of the node and the parameters that have edges."""
        found = self._classes.get((name, order))
        if found is None:
            alone = staticmethod(self.formulas[order[0]]) if len(order) == 1 else None
            body = {
                "__slots__": (),
                "__module__": __name__,
                "rule": self,
                "order": order,
                "alone": alone,
                "mentions": {},
            }
            found = self._classes[name, order] = type(name, (RuleNode,), body)
        return found

    def pair(self, arguments: dict[str, Any]) -> PairPlan:
        """What recording an operation of two operands comes to, worked out once for tensors and once for numbers."""
        tensors = isinstance(list(arguments.values())[1], Tensor)
        plan = self._pairs.get(tensors)
        if plan is None:
            plan = self._pairs[tensors] = PairPlan(self, arguments)
        return plan


def not_implemented(
    name: str, *operands: str, applies: Callable[[dict[str, Any]], bool] | None = None
) -> Rule:
    """The rule of an operation that may be recorded, but not differentiated; its operands are two if none is named."""

    def refuse(g: Any, c: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    formulas: dict[str, Any] = dict.fromkeys(operands or ("input", "other"), refuse)
    return Rule("NotImplemented", applies=applies, **formulas)


class PairPlan:
    """Of an operation of two operands: the node's class, and what each operand's derivative saves."""

    __slots__ = ("cls", "first", "keeps", "keeps_result", "out", "second", "second_name", "tensors", "wide")

    def __init__(self, rule: Rule, arguments: dict[str, Any]) -> None:
        a, b = list(arguments)[:2]
        self.second_name = b
        self.tensors = isinstance(arguments[b], Tensor)
        self.cls = rule.node_class(arguments)
        self.wide = len(self.cls.order) == 2  # whether the second operand has an edge
        unread = frozenset[str]() if rule.unread is None else rule.unread(arguments)
        uses = [rule.saves.get(name, frozenset()) - unread for name in (a, b)]
        # For each operand: does the derivative by the first, and the one by the second, read it?
        self.first = (a in uses[0], a in uses[1])
        self.second = (b in uses[0], b in uses[1])
        self.out = ("out" in uses[0], "out" in uses[1])
        self.keeps_result = True in self.out
        # By which operands want a gradient (none, the first, the second, both): is the first kept, and the second?
        self.keeps = [
            (
                (by_first and self.first[0]) or (by_second and self.first[1]),
                self.tensors and ((by_first and self.second[0]) or (by_second and self.second[1])),
            )
            for by_second in (False, True)
            for by_first in (False, True)
        ]

    def settle(self, node: RuleNode, note: Any) -> None:
        """Write out the note of a call."""
        _, first, second, size, kind, other, other_version, input, version, node.sequence = note
        number = node.sequence
        node.edges = (_edge(first, number), _edge(second, number)) if self.wide else (_edge(first, number),)
        node.faces = [face_of(size, kind)]
        node.arguments = {"alpha": 1} if self.tensors else {"alpha": 1, self.second_name: other}
        node.saved = {}
        if input is not None:
            node.saved["input"] = _saved(input, version, first)
        if self.tensors and other is not None:
            node.saved[self.second_name] = _saved(other, other_version, second)


class SinglePlan:
    """Of an operation of which one operand can want a gradient: what a call notes, and how a note is written out."""

    __slots__ = ("arguments_of", "classes", "name", "parameter", "plain", "reads", "rule", "whole_face")

    def __init__(
        self, rule: Rule, arguments_of: Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]
    ) -> None:
        [self.parameter] = rule.formulas
        self.rule, self.arguments_of, self.name = rule, arguments_of, rule.name
        self.reads = rule.saves[self.parameter]
        self.whole_face = f"{self.parameter}_face"
        self.classes: dict[str, type[RuleNode]] = {}
        #: The arguments of a call with nothing but the operand.
        self.plain: dict[str, Any] | None = None

    @staticmethod
    def fits(rule: Rule) -> bool:
        """Whether the rule asks for nothing that a note does not have."""
        return len(rule.formulas) == 1 and not rule.numbers_count

    def node_class(self, arguments: Any) -> type[RuleNode]:
        """The class of node for a call, by its arguments."""
        name = self.name if isinstance(self.name, str) else self.name(arguments)
        found = self.classes.get(name)
        if found is None:
            found = self.classes[name] = self.rule.named_class(name, (self.parameter,))
        return found

    def settle(self, node: RuleNode, note: Any) -> None:
        """Write out the note of a call."""
        _, edge, size, kind, lies, input, version, results, args, kwargs, node.sequence = note
        node.edges = (_edge(edge, node.sequence),)
        node.faces = [face_of(size, kind)]
        if args or kwargs or self.plain is None:
            node.arguments = self.arguments_of((None, *args), kwargs)
            del node.arguments[self.parameter]
            if not args and not kwargs:
                self.plain = node.arguments.copy()
        else:
            node.arguments = self.plain.copy()
        node.saved = {} if results is None else results
        if lies is not None:
            node.arguments[self.whole_face] = Geometry(*lies)
        if input is not None:
            node.saved[self.parameter] = _saved(input, version, edge)


class SeveralPlan:
    """Of an operation of several operands: what a call notes, by which of its arguments are tensors.

    Args:
        names: the parameters that the positional arguments of such a call fill.
        tensors: for each of them whether the argument is a tensor.
        arguments_of: a call's arguments by the name of the parameter, defaults included.
    """

    __slots__ = (
        "_kept",
        "arguments_of",
        "cls",
        "count",
        "kept_by_all",
        "names",
        "places",
        "rest",
        "rule",
        "tensors",
        "writes",
    )

    def __init__(
        self,
        rule: Rule,
        names: tuple[str, ...],
        args: tuple[Any, ...],
        arguments_of: Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]],
    ) -> None:
        self.rule, self.arguments_of, self.names, self.count = rule, arguments_of, names, len(args)
        self.tensors = [n for n, value in zip(names, args, strict=False) if isinstance(value, Tensor)]
        self.cls = rule.node_class(dict(zip(names, args, strict=False)))
        #: The places of the arguments that are no tensors.
        self.rest = [place for place, value in enumerate(args) if not isinstance(value, Tensor)]
        #: For each edge, the place of its tensor among the arguments; -1 for a number.
        self.places = [names.index(n) if n in self.tensors else -1 for n in self.cls.order]
        self.writes = "out" in self.tensors
        self._kept: dict[tuple[bool, ...], tuple[Any, Any, frozenset[str]]] = {}
        self.kept_by_all = self.kept((True,) * len(self.places))

    @staticmethod
    def fits(rule: Rule) -> bool:
        """Whether the rule asks for nothing that a note does not have."""
        return isinstance(rule.name, str) and rule.applies is None and rule.unread is None

    def kept(self, mask: tuple[bool, ...]) -> tuple[Any, Any, frozenset[str]]:
        """By which edges lead somewhere: the places of the tensors to save, of those to measure, and the results."""
        found = self._kept.get(mask)
        if found is None:
            saves = [self.rule.saves[n] for n, wanted in zip(self.cls.order, mask, strict=True) if wanted]
            wanted = frozenset[str]().union(*saves)
            found = self._kept[mask] = (
                [self.names.index(n) for n in self.tensors if n in wanted],
                [self.names.index(n) for n in self.tensors if n + "_face" in wanted],
                wanted.intersection(RESULTS),
            )
        return found

    def settle(self, node: RuleNode, note: Any) -> None:
        """Write out the note of a call."""
        _, edges, size, kind, kept, faces, results, rest, node.sequence = note
        args: list[Any] = [None] * self.count
        for place, value in zip(self.rest, rest, strict=True):
            args[place] = value
        node.edges = tuple([_edge(edge, node.sequence) for edge in edges])
        node.faces = [face_of(size, kind)]
        node.arguments = self.arguments_of(tuple(args), {})
        for name in self.tensors:
            del node.arguments[name]
        node.saved = {} if results is None else results
        for place, tensor, version, made in kept:
            node.saved[self.names[place]] = saved = _saved(tensor, version, None)
            saved.made = made
        for place, lies in faces:
            node.arguments[self.names[place] + "_face"] = Geometry(*lies)


class Geometry:
    """Size, stride, offset, dtype and device of an input, for formulas that need no values."""

    __slots__ = ("device", "dtype", "offset", "size", "stride")

    def __init__(self, lay: Layout, kind: dtype, where: device) -> None:
        self.size, self.stride, self.offset = lay.size, lay.stride, lay.offset
        self.dtype, self.device = kind, where


def _mentioned(formula: Any, seen: frozenset[Any] = frozenset()) -> set[str]:
    """The attributes that a formula's code names, those of the functions that it hands its node to included."""
    if formula in seen:
        return set()
    code = formula.__code__
    names = set(code.co_names)
    for inner in code.co_consts:
        names.update(getattr(inner, "co_names", ()))
    for name in tuple(names):
        helper = formula.__globals__.get(name)
        if (
            isinstance(helper, types.FunctionType)
            and "c" in helper.__code__.co_varnames[: helper.__code__.co_argcount]
        ):
            names |= _mentioned(helper, seen | {formula})
    return names


class RuleNode(Node):
    """A node whose derivative is a `Rule`: keeps the arguments and, of the tensors, what the formulas mention.

    Two things keep recording as cheap as PyTorch's. A node stands in for the `Meta` of the one tensor that it made,
    until more has to be remembered of it (`meta_of`). And what `pair_recorder` knows of a call it only notes (`note`);
    edges, faces and saved values are written out when somebody first asks, which for most nodes is the walk back.
    """

    __slots__ = ("arguments", "note", "saved")
    # What a reader of `Meta` finds in a node that stands in for it.
    leaf = False
    grad = None
    output_nr = 0
    inference = False
    accumulator = None
    hooks = None
    after = None
    node = property(lambda self: self)
    rule: Rule
    order: tuple[str, ...]  # the parameter of each edge
    alone: Formula | None  # the formula of the one edge that there is, if there is one
    mentions: dict[
        tuple[bool, ...], frozenset[str]
    ]  # by which edges lead somewhere, what their formulas read
    freed = False
    packed = False  # whether hooks of the user's pack what this node saves
    several = False  # whether the operation returned a tuple

    arguments: dict[str, Any]
    saved: dict[str, Saved]
    note: Any

    @classmethod
    def made(cls, arguments: dict[str, Any]) -> RuleNode:
        """A node that is written out at once."""
        node = cls()
        node.begin()
        node.arguments = arguments
        node.saved = {}
        return node

    def settle(self) -> None:
        """Write out what was only noted."""
        note, self.note = self.note, None
        note[0].settle(self, note)

    def __getattr__(self, name: str) -> Any:
        """What a formula reads: a saved tensor, an argument, the size of a tensor argument."""
        if name in _SETTLED:
            self.settle()
            return object.__getattribute__(self, name)
        saved = self.saved.get(name)
        if saved is not None:
            return self._unpacked(saved.unpack if self.packed or recording.grad else saved.plain)
        if name in self.arguments:
            if self.freed and self.rule.numbers_count and name in self.order:
                raise RuntimeError(FREED)  # PyTorch keeps such a number as a tensor
            return self.arguments[name]
        if name.startswith("_saved_"):
            plain = _plain_name(name.removeprefix("_saved_"))
            return self._unpacked(self.saved[plain].unpack) if plain in self.saved else getattr(self, plain)
        if name.startswith("_raw_saved_"):
            plain = _plain_name(name.removeprefix("_raw_saved_"))
            if plain in self.saved:
                return _raw(self, plain)
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def _unpacked(self, unpack: Callable[[Node], Tensor]) -> Tensor:
        if self.packed:
            return unpack(self)
        try:
            return unpack(self)
        except RuntimeError:
            self.check_saved()
            raise

    def check_saved(self) -> None:
        """Refuse to go on when a saved tensor cannot be used: the first one by PyTorch's names of them."""
        if self.packed:
            return  # a look would be one call of the user's hook too many
        if self.freed and self.rule.numbers_count:
            mentioned = frozenset[str]().union(*self.rule.saves.values())
            if any(name in self.arguments and name in mentioned for name in self.order):
                raise RuntimeError(FREED)
        for name in self.saved_names():
            self.saved[name].plain(self)

    def saved_names(self) -> list[str]:
        """The names of the saved tensors, in the order in which PyTorch unpacks them."""
        return sorted(self.saved, key=lambda n: (n in ("out", "indices"), "self" if n == "input" else n))

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        formula = self.alone
        if formula is None or self.packed or self.several:
            return self.partly(grads, self.edges)
        grad = grads[0]  # `partly`, in short
        return [None if grad is None or self.edges[0] is None else formula(grad, self)]

    def partly(self, grads: list[Tensor | None], edges: Sequence[Edge | None]) -> list[Tensor | None]:
        """`apply`, but only what goes along the given edges is computed."""
        if self.packed:
            return self._unpacked_once(grads, edges)
        if len(self.order) > 1 and not any(self.edges) and self.rule.shared(self.order):
            # PyTorch keeps these tensors, and looks at them, even where nobody waits for a gradient.
            if self.freed:
                raise RuntimeError(FREED)
            self.check_saved()
        grad: Any = grads[0]
        if self.several:
            grad = None if all(g is None for g in grads) else grads
        if grad is None:
            return [None] * len(edges)
        formulas = self.rule.formulas
        return [
            None if edge is None else formulas[name](grad, self)
            for edge, name in zip(edges, self.order, strict=True)
        ]

    def _unpacked_once(self, grads: list[Tensor | None], edges: Sequence[Edge | None]) -> list[Tensor | None]:
        """`partly` where hooks unpack what was saved: once each, however often the formulas read it."""
        kept = self.saved
        self.saved = {name: _Unpacked(kept[name].unpack(self)) for name in self.saved_names()}
        self.packed = False
        try:
            return self.partly(grads, edges)
        finally:
            self.saved, self.packed = kept, True

    def release(self) -> None:
        self.freed = True
        for saved in self.saved.values():
            saved.free()


_new: Any = object.__new__
_SETTLED = frozenset(("edges", "faces", "sequence", "arguments", "saved"))


def _plain_name(pytorchs: str) -> str:
    return {"self": "input", "result": "out"}.get(pytorchs, pytorchs)


_raw: Callable[[RuleNode, str], Any] = lambda node, name: None  # noqa: E731 - replaced by `autograd.saved_tensors_hooks`


def register_raw(kind: Callable[[RuleNode, str], Any]) -> None:
    """Told by ``autograd.saved_tensors_hooks`` what stands for the place where a node keeps a tensor."""
    global _raw
    _raw = kind


def _edge(noted: Any, number: float) -> Edge | None:
    """An edge from its note: a node alone where it made one tensor, a leaf for its accumulator.

    Args:
        number: the `sequence` of the node whose edge it is: tells what a leaf was then.
    """
    if noted is None or type(noted) is tuple:
        return noted
    if not isinstance(noted, Tensor):
        return noted, 0
    meta = meta_of(noted)
    eras = meta.eras
    if eras is not None and number < eras[-1].end:
        return _accumulator_in(noted, meta, next(era for era in eras if number < era.end)), 0
    return accumulator_of(noted, meta), 0


def _saved(tensor: Tensor, version: int, noted: Any) -> Saved:
    saved: Saved = _new(Saved)
    saved.tensor, saved.version = tensor, version
    made_by = noted[0] if type(noted) is tuple else noted
    saved.made = isinstance(made_by, Node) and type(made_by) is not AccumulateGrad
    return saved


# -- from a tensor to its place in the graph ----------------------------------------------------------------------

_regrow: Callable[[Tensor], None] = lambda tensor: None  # noqa: E731 - replaced by `autograd.inplace_views`


def register_regrow(function: Callable[[Tensor], None]) -> None:
    """Told by ``autograd.inplace_views`` how a view finds its place after its family was written to."""
    global _regrow
    _regrow = function


def grad_fn_of(tensor: Tensor) -> Node | None:
    """The node that made a tensor; None for a leaf."""
    base = tensor._base
    if base is not None and (base._autograd is not None or tensor._autograd is not None):
        _regrow(tensor)
    meta: Meta | None = tensor._autograd
    return None if meta is None else meta.node


def made_by_none(tensor: Tensor) -> bool:
    """Whether no history is noted; that of a view whose family was written to since is not asked for."""
    meta: Meta | None = tensor._autograd
    return meta is None or meta.node is None


def requires_grad(tensor: Tensor) -> bool:
    """Whether gradients flow to or through a tensor."""
    meta: Meta | None = tensor._autograd
    if meta is not None and (meta.leaf or meta.node is not None):
        return True
    base = (
        tensor._base
    )  # a view wants what its base wants, whenever it was made; not of one of inference mode
    if base is None or base._autograd is None or base._autograd.inference:
        return False
    return requires_grad(base)


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a gradient for this tensor goes: to its node, or to the accumulator of a leaf; None if nowhere."""
    meta: Meta | None = tensor._autograd
    if tensor._base is None:
        if meta is None:
            return None
        node = meta.node
    else:
        node = grad_fn_of(tensor)
        meta = tensor._autograd
    if node is not None:
        return node, tensor._autograd.output_nr
    # A view whose base was asked for its gradient later has no place of its own in the graph.
    return (accumulator_of(tensor, meta), 0) if meta is not None and meta.leaf else None


def accumulator_of(tensor: Tensor, meta: Meta) -> AccumulateGrad:
    """The one accumulator of a leaf; it lives as long as a graph or a user holds it."""
    node = None if meta.accumulator is None else meta.accumulator()
    if node is None:
        node = AccumulateGrad(tensor)
        if meta.grad_dtype is not OWN:
            node.faces = [leaf_face(tensor, meta.grad_dtype)]
        meta.accumulator = weakref.ref(node)
    return node


def _accumulator_in(tensor: Tensor, meta: Meta, era: Era) -> AccumulateGrad:
    """The accumulator for what was recorded of a leaf before it got another size or dtype."""
    held = era.accumulator if era.over else meta.accumulator
    node = None if held is None else held()
    if node is None:
        node = AccumulateGrad(tensor)
        node.faces = [era.face]
        if era.over:
            era.accumulator = weakref.ref(node)
        else:
            meta.accumulator = weakref.ref(node)
    return node


def differentiable(kind: dtype) -> bool:
    """Whether tensors of this dtype can carry gradients."""
    return kind.category >= 2


def move_hooks(meta: Meta, old: Node | None, new: Node) -> None:
    """A tensor was written to: hooks stay with the history that they were given to, `retain_grad` goes along."""
    meta.hooks = None
    collect = None if old is None or old.retains is None else old.retains.pop(meta.output_nr, None)
    if collect is not None:
        new.retains = {0: collect}
        new.tensor_hooks = {} if new.tensor_hooks is None else new.tensor_hooks


def set_history(tensor: Tensor, node: Node, output_nr: int, *, written: bool = True) -> None:
    """Note that a node made this tensor; or, unless `written`, gave it another layout, which moves no hooks."""
    meta = meta_of(tensor)
    old, meta.node = meta.node, node
    if written and (old is not None or meta.hooks is not None):
        move_hooks(meta, old, node)
    meta.output_nr = output_nr
    meta.leaf = False
    if tensor._base is not None:
        tensor._born = tensor._version  # of this version the node tells the truth; see `views.regrow`
    while len(node.faces) <= output_nr:
        node.faces.append(None)
    node.faces[output_nr] = Face(tensor)
