"""The way out of a refusal: what an error of the library means for these tensors, and what to write in its place.

One service for every picture: `explain`, the explorers and the alerts under a picture say the same of the same error.

>>> import numpy
>>> a, b = numpy.ones((3, 4)), numpy.ones(3)
>>> error = "ValueError: operands could not be broadcast together with shapes (3,4) (3,)"
>>> found = way_out("add", error, [("a", a), ("b", b)])
>>> found.why
'sizes are compared from the right: a (3, 4) and b (3,) meet in 4 and 3, the first from the right, and neither is 1'
>>> found.then
('to line b up with dimension 0, give it 1 dimension of size 1 on the right: b[:, None]',)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.diagnosis.case import Case, Pairs
from tensorkit_widgets.diagnosis.diagnose import diagnose
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot, describe
from tensorkit_widgets.snapshot.frozen_tensor import Seen
from tensorkit_widgets.snapshot.window import Window


@dataclass(frozen=True, slots=True)
class WayOut:
    """Of a refusal: the reason, a clause; what to do, the likeliest first; code for the first of these.

    ``names`` are the learner's own words in the clauses: they keep their spelling at the beginning of a sentence.
    """

    why: str
    then: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def advice(self) -> list[tuple[str, str]]:
        """Each piece of advice with the code that follows it, or an empty text."""
        return [(line, self.codes[k] if k < len(self.codes) else "") for k, line in enumerate(self.then)]


def way_out(
    op: str,
    error: str | BaseException,
    operands: Sequence[tuple[str, Any]] = (),
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    code: str = "",
    pairs: Pairs = (),
) -> WayOut | None:
    """What a refusal means; None for one that is not known.

    Args:
        op: what was called, such as ``"matmul"``.
        error: the error, or ``"RuntimeError: its words"``.
        operands: the tensors that went in, with what the learner calls them.
        args, kwargs: what was given beside them.
        code: the call as it is written: rewritten where that is all it takes.
        pairs: dimensions that cannot merge, as the library names them.
    """
    kind, message = _told(error)
    seen = tuple(_seen(name, describe(tensor)) for name, tensor in operands)
    found = diagnose(Case(op, message, kind, seen, tuple(args), dict(kwargs or {}), code, pairs))
    if found is None:
        return None
    names = (op, op.rstrip("_"), *(name for name, _ in operands))
    return WayOut(found.why, found.then, rewritten(found.name, code), names)


def _told(error: str | BaseException) -> tuple[str, str]:
    if isinstance(error, BaseException):
        return type(error).__name__, str(error)
    kind, _, message = error.partition(": ")
    return (kind, message) if kind.isidentifier() else ("", error)


def _seen(name: str, meta: Meta) -> Seen:
    """A tensor of which nothing but its metadata is asked."""
    nothing = (0,) * len(meta.size)
    return Seen(name, "", None, False, True, Snapshot(meta, Window(nothing, nothing), (), ()))


# ---- code

_REWRITES: dict[str, tuple[tuple[str, str], ...]] = {
    "view-strides": ((".view(", ".reshape("), (".view(", ".contiguous().view(")),
    "integer-mean": ((".mean(", ".float().mean("),),
    "numpy-grad": ((".numpy(", ".detach().numpy("),),
    "item-several": ((".item(", ".tolist("),),
}
"""Diagnosis → a piece of the call, and what to write in its place: the last one in the piece that raised."""


def rewritten(name: str, code: str) -> tuple[str, ...]:
    """A call that raised, written so that it does what was meant.

    >>> rewritten("view-strides", "x.t().view(-1)")
    ('x.t().reshape(-1)', 'x.t().contiguous().view(-1)')
    """
    if len(code) > 60:
        return ()
    pairs = [(old, new) for old, new in _REWRITES.get(name, ()) if old in code]
    return tuple(new.join(code.rsplit(old, 1)) for old, new in pairs)


def in_words(error: BaseException) -> str:
    """An error's own words, and behind them what they mean and what to do: for an alert.

    >>> in_words(RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."))[-31:]
    'with no_grad(): the tensor -= …'
    """
    words = str(error) or type(error).__name__
    found = way_out("", error)
    if found is None:
        return words
    first = f" To do: {found.then[0]}" if found.then else ""
    return f"{words.rstrip()}{'' if words.rstrip().endswith('.') else '.'} That is: {found.why}.{first}"
