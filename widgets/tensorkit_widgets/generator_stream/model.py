"""The stream of a generator, asked of the engine: where a state stands in it, and which numbers come there.

A state is looked up by walking a generator of our own from the seed until its state is the same: no formula of the
engine's is written down here a second time.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import tensorkit as tk
from tensorkit import tracing

MOST_BLOCKS = 1000
"""Times that a walker renews its 624 words before a state is called far from its seed: over half a million draws."""

_WORDS = 624
_KEY = slice(24, 24 + 8 * _WORDS)
_BLOCK = 16


@dataclass(frozen=True, slots=True)
class Marks:
    """What a generator's state holds that matters here: its seed, the next word, the words, a number left over."""

    seed: int
    next: int
    words: bytes
    spare: bool
    fresh: bool


def marks_of(generator: Any) -> Marks:
    """The marks of a CPU generator, from the record that `get_state` gives.

    >>> marks = marks_of(tk.Generator().manual_seed(7))
    >>> marks.seed, marks.fresh
    (7, True)
    """
    with tracing.silence():
        record = generator.get_state().numpy().tobytes()
    (seed, left), (position,) = struct.unpack_from("<Qi", record), struct.unpack_from("<Q", record, 16)
    (spare,) = struct.unpack_from("<i", record, _KEY.stop + 24)
    fresh = left == 1 and position == 0
    return Marks(seed, _WORDS if left == 1 else position, record[_KEY], bool(spare), fresh)


class Stream:
    """The draws of one seed, from the first; or from a state that no walk from its seed finds.

    Args:
        generator: whose draws these are, now at ``marks`` or past them.
        marks: a state of it, which the stream holds; by default that in which it is.

    >>> g = tk.Generator().manual_seed(7)
    >>> stream = Stream(g)
    >>> _ = tk.rand(700, generator=g)
    >>> stream.place(marks_of(g)), stream.numbers(0, 2)
    (700, ('0.5349', '0.1988'))
    """

    def __init__(self, generator: Any, marks: Marks | None = None) -> None:
        marks = marks or marks_of(generator)
        self.seed, self.far = marks.seed, False
        self._start = tk.Generator().manual_seed(marks.seed)
        self._begin()
        if self.place(marks) is None:
            self.far, self._start = True, generator.clone_state()
            self._begin()

    def _begin(self) -> None:
        self._walker = self._start.clone_state()
        first = marks_of(self._walker)
        self._seen: dict[bytes, int] = {} if first.fresh else {first.words: -first.next}
        self._walked, self._left = 0, _WORDS - first.next

    def place(self, marks: Marks) -> int | None:
        """How many draws before this state; None where a walk does not come to it."""
        if marks.seed != self.seed:
            return None
        if marks.fresh:
            return None if self.far else 0
        while marks.words not in self._seen and len(self._seen) <= MOST_BLOCKS:
            self._take(self._left + 1)  # the first of the next words
            self._left = _WORDS - 1
            self._seen[marks_of(self._walker).words] = self._walked - 1
        before = self._seen.get(marks.words)
        return None if before is None or before + marks.next < 0 else before + marks.next

    def _take(self, count: int) -> None:
        with tracing.silence():
            tk.rand(count, generator=self._walker)
        self._walked += count

    def numbers(self, first: int, count: int, places: int = 4) -> tuple[str, ...]:
        """The draws from ``first`` on, each as `rand` writes it."""
        with tracing.silence():
            reader = self._start.clone_state()
            if first:
                tk.rand(first, generator=reader)
            return tuple(f"{number:.{places}f}" for number in tk.rand(count, generator=reader).tolist())


@dataclass(frozen=True, slots=True)
class Taken:
    """One step: a call that drew, or a generator that was put back.

    Attributes:
        kind: ``draw``, ``seed`` or ``back`` (to another state).
        line, call: as it is written, and the call alone.
        row, lane: whose stream, and how often it has been put back before.
        first, stop: the draws that it took; of a generator put back, from where and to where.
        made: how many numbers came of it, ``shown`` the first few of them.
        parts: how many draws the pieces took in which the call works; empty where it works number by number.
        spare: whether a number was left over from the call before, and whether one is left now.
    """

    number: int
    kind: str
    line: str
    call: str
    row: int
    lane: int
    first: int
    stop: int
    made: int = 0
    shown: str = ""
    parts: tuple[int, ...] = ()
    spare: tuple[bool, bool] = (False, False)

    @property
    def draws(self) -> int:
        """How many draws it took."""
        return self.stop - self.first if self.kind == "draw" else 0


@dataclass
class Reading:
    """A stream that is read: one row of the picture."""

    name: str
    stream: Stream
    at: int
    lane: int = 0
    marks: Marks | None = field(default=None, repr=False)


def parts_of(name: str, made: int, draws: int) -> tuple[int, ...]:
    """The pieces in which normal numbers are made: pairs of a few, blocks of 16 and more, the last 16 twice if need be.

    >>> parts_of("randn", 6, 12), parts_of("randn", 16, 16), parts_of("randn", 17, 33), parts_of("rand", 6, 6)
    ((4, 4, 4), (16,), (16, 1, 16), ())
    """
    if not name.startswith(("randn", "normal")):
        return ()
    blocks = [_BLOCK] * (made // _BLOCK) + ([made % _BLOCK, _BLOCK] if made % _BLOCK else [])
    for wide in (1, 2):
        if made >= _BLOCK and sum(blocks) * wide == draws:
            return tuple(wide * count for count in blocks)
    return (4,) * (draws // 4) if draws % 4 == 0 and made < _BLOCK else ()
