"""How gradients pass back through an operation: one formula for each operand, and the node that applies them."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.grad_mode import state as recording
from tensorkit.autograd.node import Edge, Formula, Node
from tensorkit.autograd.saved import FREED, Saved, Unpacked
from tensorkit.autograd.saved_tensors_hooks import SavedTensor
from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.errors import unallocated, within_memory
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor


class Rule:
    """How gradients pass back through an operation: one formula for each differentiable input.

    A formula takes the gradient of the result and the `RuleNode`, of which it reads what it needs: ``c.other`` is the
    tensor that was passed as `other`, ``c.out`` the result, ``c.dim`` another argument, ``c.input_face`` the
    size, stride, dtype and device of `input`. What a formula mentions is what is saved, and only if its input
    wants a gradient.

    Args:
        name: PyTorch's name of the node, or a function of the call's arguments that gives it.
        numbers_count: whether a number beside a tensor has an edge of its own (to nowhere), as PyTorch's graphs show.
        applies: says from a call's arguments whether the rule holds for it at all.
        unread: of a call's arguments, what the formulas mention but will not read: it is not saved.
        converts: whether it is of a write into any dtype, which is not recorded where integers are written to.
        carries: how many of several results can carry gradients; by default all floating point ones.
        together: one formula for the inputs `of` it, instead of many: it takes a third argument, the names of
            those whose gradients are wanted, and gives these by their names.
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
        carries: int | None = None,
        together: Callable[[Any, Any, set[str]], dict[str, Any]] | None = None,
        of: tuple[str, ...] = (),
        **formulas: Formula,
    ) -> None:
        self.name = name
        self.carries = carries
        self.together = together
        self.numbers_count = numbers_count
        self.converts = converts
        self.applies = applies
        self.unread = unread
        if together is not None:
            formulas = {key: _part(together, key) for key in of}
        self.formulas = formulas
        self.geometry: bool = (
            False  # whether it is of an operation that gives its tensor another layout, and no values
        )
        self.saves = {key: frozenset(_mentioned(together or formula)) for key, formula in formulas.items()}
        self._classes: dict[tuple[str, tuple[str, ...]], type[RuleNode]] = {}

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
            **self.formulas,  # type: ignore[arg-type]
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
                "__module__": "builtins",  # as PyTorch's, which are made in C++
                "rule": self,
                "order": order,
                "alone": alone,
                "mentions": {},
            }
            found = self._classes[name, order] = type(name, (RuleNode,), body)
        return found


def _part(together: Any, name: str) -> Formula:
    return lambda g, c: together(g, c, {name})[name]


def not_implemented(
    name: str, *operands: str, applies: Callable[[dict[str, Any]], bool] | None = None
) -> Rule:
    """The rule of an operation that may be recorded, but not differentiated; its operands are two if none is named."""

    def refuse(g: Any, c: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    formulas: dict[str, Any] = dict.fromkeys(operands or ("input", "other"), refuse)
    return Rule("NotImplemented", applies=applies, **formulas)


class Geometry:
    """Size, stride, offset, dtype and device of an input, for formulas that need no values."""

    __slots__ = ("device", "dtype", "offset", "size", "stride")

    def __init__(self, lay: Layout, kind: dtype, where: device) -> None:
        self.size, self.stride, self.offset = lay.size, lay.stride, lay.offset
        self.dtype, self.device = kind, where


def _mentioned(formula: Any, seen: frozenset[Any] = frozenset()) -> set[str]:
    """The attributes that a formula's code names, including those of functions that it passes its node to."""
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
    until more has to be remembered of it (`meta_of`). And what `recorder` knows of a call it only notes (`note`);
    edges, faces and saved values are written out when first needed, which for most nodes is in the backward pass.
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
    alone: Formula | None  # the formula of the only edge, if there is just one
    mentions: dict[tuple[bool, ...], frozenset[str]]  # by the edges in use: what their formulas read
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
                return SavedTensor(self, plain)
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def _unpacked(self, unpack: Callable[[Node], Tensor]) -> Tensor:
        if self.packed:
            return unpack(self)
        try:
            return unpack(self)
        except RuntimeError as error:
            refused = error
        self.check_saved()  # out of the `except`: one refusal, one traceback
        raise refused

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
        try:
            return [None if grad is None or self.edges[0] is None else formula(grad, self)]
        except MemoryError as error:
            raise unallocated(error) or error from None

    @within_memory
    def partly(self, grads: list[Tensor | None], edges: Sequence[Edge | None]) -> list[Tensor | None]:
        """`apply`, but only what goes along the given edges is computed."""
        if self.packed:
            return self._unpacked_once(grads, edges)
        if len(self.order) > 1 and not any(self.edges) and self.rule.shared(self.order):
            # PyTorch keeps these tensors, and looks at them, even where no gradient is needed.
            if self.freed:
                raise RuntimeError(FREED)
            self.check_saved()
        grad: Any = grads[0]
        if self.several:
            grad = None if all(g is None for g in grads) else grads
        if grad is None:
            return [None] * len(edges)
        formulas, together = self.rule.formulas, self.rule.together
        if together is not None:
            wanted = {name for edge, name in zip(edges, self.order, strict=True) if edge is not None}
            found = together(grad, self, wanted)
            return [found.get(name) for name in self.order]
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


_SETTLED = frozenset(("edges", "faces", "sequence", "arguments", "saved"))


def _plain_name(pytorchs: str) -> str:
    return {"self": "input", "result": "out"}.get(pytorchs, pytorchs)
