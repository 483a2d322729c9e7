"""How gradients pass back through an operation: one formula for each operand, and the node that applies them."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.grad_mode import state as recording
from tensorkit.autograd.history import accumulator_in, accumulator_of
from tensorkit.autograd.node import RESULTS, AccumulateGrad, Edge, Formula, Node, face_of, meta_of
from tensorkit.autograd.saved import FREED, Saved, Unpacked
from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor

__all__ = [
    "Geometry",
    "PairPlan",
    "Rule",
    "RuleNode",
    "SeveralPlan",
    "SinglePlan",
    "not_implemented",
    "register_raw",
]


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
        self.saved = {name: Unpacked(kept[name].unpack(self)) for name in self.saved_names()}
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
        return accumulator_in(noted, meta, next(era for era in eras if number < era.end)), 0
    return accumulator_of(noted, meta), 0


def _saved(tensor: Tensor, version: int, noted: Any) -> Saved:
    saved: Saved = _new(Saved)
    saved.tensor, saved.version = tensor, version
    made_by = noted[0] if type(noted) is tuple else noted
    saved.made = isinstance(made_by, Node) and type(made_by) is not AccumulateGrad
    return saved
