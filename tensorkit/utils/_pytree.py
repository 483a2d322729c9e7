"""Tuples, lists and dictionaries inside one another, as trees whose leaves are everything else.

>>> leaves, spec = tree_flatten({"a": 1, "b": [2, (3,)]})
>>> leaves, tree_unflatten([10, 20, 30], spec)
([1, 2, 3], {'a': 10, 'b': [20, (30,)]})

Source: ``torch.utils._pytree``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "TreeSpec",
    "broadcast_to_and_flatten",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_unflatten",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class TreeSpec:
    """The form of a tree: what a node is, the keys of a dictionary, and the forms of its parts; a leaf has no type."""

    type: Any
    context: Any
    children: tuple[TreeSpec, ...]

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        inner = indent + 2
        parts = f",\n{' ' * inner}".join(child.__repr__(inner) for child in self.children)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{parts}])"


_LEAF = TreeSpec(None, None, ())


def _named(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _opened(tree: Any) -> tuple[Any, list[Any]] | None:
    """The keys of a node and its parts; None for a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return list(tree), list(tree.values())
    if kind in (list, tuple) or _named(tree):
        return (kind if _named(tree) else None), list(tree)
    return None


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, in their order, and its form."""
    node = _opened(tree)
    if node is None:
        return [tree], _LEAF
    keys, parts = node
    flat = [tree_flatten(part) for part in parts]
    leaves = [leaf for several, _ in flat for leaf in several]
    return leaves, TreeSpec(type(tree), keys, tuple(spec for _, spec in flat))


def tree_unflatten(leaves: Iterable[Any], spec: TreeSpec) -> Any:
    """The tree of a form with these leaves."""
    return _built(iter(leaves), spec)


def _built(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    parts = [_built(leaves, child) for child in spec.children]
    if spec.type in (dict, OrderedDict):
        return spec.type(zip(spec.context, parts, strict=True))
    return spec.type(*parts) if spec.context else spec.type(parts)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, in their order."""
    return tree_flatten(tree)[0]


def tree_map(func: Callable[[Any], Any], tree: Any) -> Any:
    """A tree of the same form, with a function of each leaf."""
    leaves, spec = tree_flatten(tree)
    return tree_unflatten(map(func, leaves), spec)


def broadcast_to_and_flatten(tree: Any, spec: TreeSpec) -> list[Any] | None:
    """A smaller tree's leaf for each leaf of a form, below which it is; None when they do not fit.

    >>> _, spec = tree_flatten((1, [2, 3]))
    >>> broadcast_to_and_flatten((0, None), spec), broadcast_to_and_flatten((0,), spec)
    ([0, None, None], None)
    """
    node = _opened(tree)
    if node is None:
        return [tree] * _count(spec)
    if spec.type is not type(tree) or spec.context != node[0] or len(spec.children) != len(node[1]):
        return None
    found: list[Any] = []
    for part, child in zip(node[1], spec.children, strict=True):
        several = broadcast_to_and_flatten(part, child)
        if several is None:
            return None
        found += several
    return found


def _count(spec: TreeSpec) -> int:
    return 1 if spec.type is None else sum(map(_count, spec.children))
