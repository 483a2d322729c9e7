"""`RecordPlan`: what recording a call comes to, worked out once for all calls like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.autograd.history import accumulator_in, accumulator_of
from tensorkit.autograd.node import RESULTS, Edge, face_of, meta_of
from tensorkit.autograd.rule import Geometry, Rule, RuleNode
from tensorkit.autograd.saved import Saved
from tensorkit.tensor import Tensor

#: A call's arguments by the name of the parameter, defaults included.
Arguments = Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]


class RecordPlan:
    """The class of a call's node, which operands have an edge, and what is kept of them.

    A call is noted: the few values that differ between two calls of one plan. It is written out (`settle`)
    when the node's edges or saved tensors are first read, which for most nodes is the backward pass.

    Args:
        names: the parameters that the positional arguments of such a call fill.
        arguments_of: a call's arguments by the name of the parameter, defaults included.
        args, kwargs: those of the first such call. No keyword's value is a tensor.
    """

    __slots__ = (
        "_kept",
        "_plain",
        "_unread",
        "arguments_of",
        "cls",
        "count",
        "fits",
        "kept_by_all",
        "names",
        "places",
        "rest",
        "rule",
        "tensors",
    )

    def __init__(
        self,
        rule: Rule,
        names: tuple[str, ...],
        arguments_of: Arguments,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        given = arguments_of(args, kwargs)
        self.rule, self.names, self.arguments_of, self.count = rule, names, arguments_of, len(args)
        self.cls = rule.node_class(given)
        tensors = [place for place, value in enumerate(args) if isinstance(value, Tensor)]
        #: The places of the arguments that are not tensors.
        self.rest = [place for place in range(len(args)) if place not in tensors]
        #: Whether a note has all that such a call asks for: otherwise `record` has to be called.
        self.fits = not tensors or (tensors[-1] < len(names) and "out" not in [names[n] for n in tensors])
        self.tensors = [names[place] for place in tensors if place < len(names)]
        #: For each edge, the place of its tensor among the arguments; -1 for a number.
        self.places = [names.index(n) if n in self.tensors else -1 for n in self.cls.order]
        self._unread = frozenset[str]() if rule.unread is None else rule.unread(given)
        #: The arguments of a call with nothing but tensors.
        self._plain: dict[str, Any] | None = None
        self._kept: dict[tuple[bool, ...], tuple[Any, Any, frozenset[str]]] = {}
        self.kept_by_all = self.kept((True,) * len(self.places))

    def kept(self, mask: tuple[bool, ...]) -> tuple[Any, Any, frozenset[str]]:
        """By which edges lead somewhere: the places of the tensors to save, of those to measure, and the results."""
        found = self._kept.get(mask)
        if found is None:
            saves = [self.rule.saves[n] for n, wanted in zip(self.cls.order, mask, strict=True) if wanted]
            wanted = frozenset[str]().union(*saves) - self._unread
            found = self._kept[mask] = (
                [self.names.index(n) for n in self.tensors if n in wanted],
                [self.names.index(n) for n in self.tensors if n + "_face" in wanted],
                wanted.intersection(RESULTS),
            )
        return found

    def settle(self, node: RuleNode, note: Any) -> None:
        """Write out the note of a call."""
        _, edges, size, kind, kept, faces, results, rest, kwargs, number = note
        node.sequence = number
        node.edges = tuple([_edge(edge, number) for edge in edges])
        node.faces = [face_of(size, kind)]
        if self._plain is None or rest or kwargs:
            args: list[Any] = [None] * self.count
            for place, value in zip(self.rest, rest, strict=True):
                args[place] = value
            node.arguments = self.arguments_of(tuple(args), kwargs)
            for name in self.tensors:
                del node.arguments[name]
            if not rest and not kwargs:
                self._plain = node.arguments.copy()
        else:
            node.arguments = self._plain.copy()
        node.saved = {} if results is None else results
        for place, tensor, version, made in kept:
            node.saved[self.names[place]] = saved = _new(Saved)
            saved.tensor, saved.version, saved.made = tensor, version, made
        for place, lies in faces:
            node.arguments[self.names[place] + "_face"] = Geometry(*lies)


_new: Any = object.__new__


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
