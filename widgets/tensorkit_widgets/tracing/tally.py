"""What became of the calls that a recording does not keep: counted, so that its sums are those of all calls.

>>> Tally({"view": 2}, 0, 0) + Tally({"view": 1, "made": 3}, 8, 24)
Tally(kinds={'view': 3, 'made': 3}, moved=8, made=24)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.snapshot.adapter import describe, same_buffer
from tensorkit_widgets.snapshot.frozen_tensor import tensors_in, version_of
from tensorkit_widgets.tracing.view_or_copy import COPIERS, plain_name


@dataclass(frozen=True, slots=True)
class Tally:
    """How many calls of each kind there were, the bytes that the copier moved, and those newly made."""

    kinds: Mapping[str, int] = field(default_factory=dict)
    moved: int = 0
    made: int = 0

    def __add__(self, other: Tally) -> Tally:
        kinds = dict(self.kinds)
        for kind, count in other.kinds.items():
            kinds[kind] = kinds.get(kind, 0) + count
        return Tally(kinds, self.moved + other.moved, self.made + other.made)

    @property
    def calls(self) -> int:
        """All calls that were counted."""
        return sum(self.kinds.values())


def tally_of(
    op: str, tensors: Sequence[Any], versions: Sequence[int | None], output: Any, moved: int, by_name: bool
) -> Tally:
    """One call, counted without a look at its numbers.

    Args:
        tensors: what went in, with the ``versions`` that they had before.
        by_name: whether the operation says by its name that it writes.
    """
    found = tensors_in((output,))
    name, homes = plain_name(op), [describe(tensor) for tensor in tensors]
    written = any(
        then is not None and version_of(tensor) != then
        for tensor, then in zip(tensors, versions, strict=True)
    )
    if written or (by_name and any(output is tensor for tensor in tensors)):
        kind = "in place"
    elif not found:
        kind = "value"
    elif name == "grad" or any(output is tensor for tensor in tensors):
        kind = "same"
    elif any(same_buffer(describe(found[0]), home) and home.nbytes for home in homes):
        kind = "view"
    else:
        kind = "copy" if homes and name in COPIERS else "made"
    fresh = {describe(tensor).buffer for tensor in found} if kind in ("copy", "made") else set()
    return Tally({kind: 1}, moved, sum(buffer.nbytes for buffer in fresh))
