"""One function, run under tensorkit and under PyTorch: what it returns, raises and warns of must agree."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorkit
from tests.support.warnings import recorded

Program = Callable[[Any], Any]


@dataclass(frozen=True)
class Twin:
    """What a program did under one of the libraries."""

    value: Any
    error: BaseException | None
    warned: tuple[tuple[str, str], ...]


def _text(text: str) -> str:
    """Text in our names, without what differs from run to run and without PyTorch's notes about its own sources."""
    text = re.sub(r"\btorch\b", "tensorkit", text)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return re.sub(r" \(Triggered internally at [^)]*\)", "", text)


def _sentence(text: str) -> str:
    """The first sentence."""
    return re.split(r"(?<=[.!])\s|\n", _text(text).strip())[0].strip()


def _graph(node: Any, depth: int = 6) -> Any:
    """The names of a node and of those behind it."""
    if node is None or not depth:
        return None
    return (
        node.name().split("::")[-1],
        tuple((_graph(behind, depth - 1), nr) for behind, nr in node.next_functions),
    )


def described(value: Any) -> Any:
    """Plain data that says all there is to compare: a tensor's numbers, size, dtype and place in the graph."""
    if hasattr(value, "requires_grad_"):
        return {
            "numbers": value.tolist(),
            "size": tuple(value.size()),
            "dtype": str(value.dtype).split(".")[1],
            "wants": value.requires_grad,
            "leaf": value.is_leaf,
            "version": value._version,
            "output": value.output_nr,
            "graph": _graph(value.grad_fn),
        }
    if hasattr(value, "next_functions"):
        return _graph(value)
    if isinstance(value, dict):
        return {key: described(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__ == "tuple", *map(described, value)]
    return _text(value) if isinstance(value, str) else value


def run(program: Program, library: Any) -> Twin:
    """Run a program on a library."""
    value: Any = None
    error: BaseException | None = None
    with recorded() as caught:
        try:
            value = described(program(library))
        except Exception as problem:
            error = problem
    return Twin(value, error, tuple((w.category.__name__, _sentence(str(w.message))) for w in caught))


def _where(ours: Any, theirs: Any, place: str = "") -> str | None:
    """Where two descriptions differ; numbers may, by a few units in the last place."""
    keys: Any = None
    if isinstance(theirs, dict) and isinstance(ours, dict) and ours.keys() == theirs.keys():
        keys = list(theirs)
    elif isinstance(theirs, (tuple, list)) and isinstance(ours, (tuple, list)) and len(ours) == len(theirs):
        keys = range(len(theirs))
    if keys is not None:
        return next(filter(None, (_where(ours[k], theirs[k], f"{place}.{k}") for k in keys)), None)
    if isinstance(theirs, complex) and isinstance(ours, complex):
        return _where([ours.real, ours.imag], [theirs.real, theirs.imag], place)
    if isinstance(theirs, float) and isinstance(ours, float):
        same = (
            ours == theirs or (ours != ours and theirs != theirs) or math.isclose(ours, theirs, rel_tol=2e-6)
        )
    else:
        same = type(ours) is type(theirs) and bool(ours == theirs)
    return None if same else f"{place or 'value'}: {ours!r} against {theirs!r}"


def differing(program: Program, torch: Any) -> str | None:
    """None when both libraries did the same; else in which respect they differ.

    An error must be of PyTorch's class, or a subclass of it, and begin with PyTorch's first sentence.
    """
    ours, theirs = run(program, tensorkit), run(program, torch)
    if (ours.error is None) != (theirs.error is None):
        return f"tensorkit {ours.error or ours.value!r}, PyTorch {theirs.error or theirs.value!r}"
    if ours.error is not None and theirs.error is not None:
        if type(theirs.error).__name__ not in [kind.__name__ for kind in type(ours.error).__mro__]:
            return f"class {type(ours.error)} against {type(theirs.error)}"
        if not _text(str(ours.error)).startswith(_sentence(str(theirs.error))):
            return f"sentence {ours.error} against {theirs.error}"
    elif (place := _where(ours.value, theirs.value)) is not None:
        return place
    if ours.warned != theirs.warned:
        return f"warnings {ours.warned} against {theirs.warned}"
    return None
