"""Where a write goes: it is carried out by the library itself, on a twin of the tensor and never on the tensor."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.indexing.model import MOST_COPIED, Pressed, real_index
from tensorkit_widgets.indexing.parse import Pick
from tensorkit_widgets.snapshot.adapter import describe, library_of, quietly, same_buffer, twin

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
}  # fmt: skip


def twin_of(tensor: Any) -> Any:
    """A tensor of the same layout on a copy of the storage: what a picture may write into.

    Raises:
        ValueError: for a storage that is too large for it.
    """
    meta = describe(tensor)
    if meta.slots > MOST_COPIED:
        raise ValueError(f"a picture makes no copy of {meta.slots:,} slots to write into")
    return twin(tensor, meta)


class Written:
    """A write that was carried out on a twin.

    Attributes:
        first: what the first brackets gave of the twin, as it is after the write; None for a plain ``t[…] = x``.
        arrives: whether the write has reached the twin itself.
        stays: whether it has reached what the first brackets gave.
        refusal: the library's own, or an empty text.
    """

    def __init__(
        self, first: Any = None, arrives: bool = True, stays: bool = True, refusal: str = ""
    ) -> None:
        self.first, self.arrives, self.stays, self.refusal = first, arrives, stays, refusal


def write_into(twin: Any, pick: Pick, pressed: Pressed = frozenset()) -> Written:
    """Carry a write out on a twin, step by step as Python does."""
    try:
        with quietly(library_of(twin)):
            return _write(twin, pick, pressed)
    except Exception as error:
        return Written(refusal=f"{type(error).__name__}: {error}")


def _write(twin: Any, pick: Pick, pressed: Pressed) -> Written:
    fetched = [twin]
    inner = [real_index(index, twin, pressed) for index in pick.indices]
    for index in inner if pick.verb.startswith(".") else inner[:-1]:
        fetched.append(fetched[-1][index])
    shares = [same_buffer(describe(twin), describe(part)) for part in fetched]
    if pick.verb == "=":
        fetched[-1][inner[-1]] = pick.value
    elif pick.verb in _SIGNS:
        # What Python does of `x[i] += 1`: it fetches, computes in place, and puts the result back.
        part = _SIGNS[pick.verb](fetched[-1][inner[-1]], pick.value)
        fetched[-1][inner[-1]] = part
        if len(fetched) == 1:
            return Written(part)
    else:
        method = getattr(fetched[-1], pick.verb[1:])
        method() if pick.value is None else method(pick.value)
    if len(fetched) == 1:
        return Written()
    own = len(fetched) < 3 or same_buffer(describe(fetched[1]), describe(fetched[-1]))
    return Written(fetched[1], all(shares), own)
