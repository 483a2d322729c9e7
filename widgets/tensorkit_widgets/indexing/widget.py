"""`IndexExplorer`: what an index chooses, whether it is a view or a copy and why, and where a write goes.

>>> import numpy
>>> t = numpy.arange(12.0).reshape(3, 4)
>>> IndexExplorer(t, "1:, ::2").status, IndexExplorer(t, "1:, [0, 2]").status
('view', 'copy')
>>> IndexExplorer(t, "t[[0, 1]][0] = 5").run().text().splitlines()[-1]
't stays as it was: t[[0, 1]] made a copy, [0] = 5 wrote into that copy, and nobody keeps it.'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.indexing.model import (
    Item,
    as_items,
    as_list,
    as_slice,
    boolean,
    chosen_by,
    is_basic,
    take,
    twin_of,
    write_into,
)
from tensorkit_widgets.indexing.parse import Pick, parse_pick
from tensorkit_widgets.indexing.scene import Gather, compose_indexing, key_of
from tensorkit_widgets.indexing.words import blamed, item_words, why_words, write_words
from tensorkit_widgets.snapshot.adapter import (
    Link,
    Snapshot,
    describe,
    library_of,
    link_of,
    look,
    same_buffer,
)
from tensorkit_widgets.snapshot.expression import Mask, NotAllowed, show, show_index
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.snapshot.window import STRIP_SLOTS, Window, strip_runs
from tensorkit_widgets.widget.board import Board, Control, State

__all__ = ["IndexExplorer"]

MOST_MASK = 10_000


@dataclass(frozen=True)
class _State(State):
    pick: Pick = field(default_factory=lambda: Pick(((),)))
    pressed: frozenset[Ints] = frozenset()


@dataclass(frozen=True)
class _Found:
    """What the engine makes of the present index."""

    result: Any
    error: str
    view: bool
    second: Any = None


class IndexExplorer(Board):
    """What an index chooses from a tensor.

    Args:
        t: a tensor of tensorkit, NumPy or PyTorch. It is not copied, and a picture never writes into it.
        index: what stands between the brackets, ``"1:, [0, 2]"``, or the whole expression, ``"t[1:, [0, 2]]"``,
            which may have a second pair of brackets and a number that is written: ``"t[[0, 1]][0] = 5"``.
            Masks are comparisons with a number, ``"t > 3"``, combined with ``&``, ``|`` and ``~``.
        name: what the tensor is called in the expression.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        NotAllowed: for an index outside the grammar. What the engine refuses is shown, not raised.
    """

    kind = "index-explorer"

    def __init__(self, t: Any, index: str = ":", *, name: str = "t", **unknown: Any) -> None:
        if unknown:
            raise TypeError(
                f"IndexExplorer has no option {', '.join(sorted(unknown))}: it takes t, index and name"
            )
        library_of(t)
        line = " ".join(str(name).split())
        self._tensor, self._name = t, line if len(line) <= 24 else line[:23] + "…"
        self._painting = False
        self._answered: _Found | None = None
        self._begin(_State(pick=parse_pick(index, self._word())))

    # ---- what Python sees

    @property
    def code(self) -> str:
        """The expression that the picture shows."""
        with self._guard:
            return self._code()

    @property
    def status(self) -> str:
        """``view``, ``copy`` or ``refused``."""
        with self._guard:
            return self._status(self._found())

    @property
    def size(self) -> Ints | None:
        """The size of what the first brackets give; None when the engine refuses."""
        with self._guard:
            found = self._found()
            return None if found.error else describe(found.result).size

    @property
    def error(self) -> str:
        """The engine's own refusal, or an empty text."""
        with self._guard:
            return self._found().error

    @property
    def mask(self) -> tuple[Ints, ...]:
        """The cells that were pressed, in reading order."""
        with self._guard:
            return tuple(sorted(self._state.pressed))

    # ---- the engine's answers

    def _word(self) -> str:
        """What the tensor is called where it has to be a name."""
        return self._name if self._name.isidentifier() else "t"

    def _code(self, brackets: int = 2, write: bool = True) -> str:
        pick = self._state.pick
        inside = "".join(f"[{show_index(index)}]" for index in pick.indices[:brackets])
        value = "" if pick.value is None or not write else f" = {show(pick.value)}"
        return f"{self._word()}{inside}{value}"

    def _found(self) -> _Found:
        if self._answered is not None:
            return self._answered
        found = self._asked()
        self._answered = found if self._painting else None
        return found

    def _paint(self, serial: Any = None, only_if_changed: bool = False) -> bool:
        """The engine is asked once for a picture, its controls and its facts."""
        self._painting = True
        try:
            return super()._paint(serial, only_if_changed)
        finally:
            self._painting, self._answered = False, None

    def _asked(self) -> _Found:
        state = self._state
        result, error = take(self._tensor, state.pick.indices[0], state.pressed)
        if error:
            return _Found(None, error, False)
        view = same_buffer(describe(self._tensor), describe(result))
        if len(state.pick.indices) == 1:
            return _Found(result, "", view)
        second, error = take(result, state.pick.indices[1], state.pressed, self._tensor)
        return _Found(result, error, view, second)

    def _status(self, found: _Found) -> str:
        return "refused" if found.error else "view" if found.view else "copy"

    def _steps(self) -> int:
        pick = self._state.pick
        if self._found().error:
            return 0
        return 1 + len(pick.indices) + (pick.value is not None)

    # ---- the picture

    def _sheet(self, at: int) -> Sheet:
        state, meta = self._state, describe(self._tensor)
        found = self._found()
        items = self._items()
        parts = tuple(item_words(item, meta.size) for item in items)
        link = link_of(meta)
        if found.error:
            return self._refused(found.error, parts, link)
        size = describe(found.result).size
        window = _window(size)
        origin = chosen_by(self._tensor, state.pick.indices[0], found.result, window, state.pressed)
        second = self._second(found, window)
        writes = state.pick.value is not None and at == self._steps()
        written, base_now, result_now, refusal = self._written(found, origin, second, writes)
        arrived = at >= 2 and not (writes and len(state.pick.indices) == 1)
        points = [slot_of(i, meta.stride, meta.offset) for i in list(origin.values())[:24]]
        part = self._shown_part(origin)
        slots = self._slots(base_now, part)
        base = look(base_now, part, strip_runs(meta.slots, points or [meta.offset], slots))
        result = _look_at(result_now, window, min(16, slots))
        links = (link, link_of(describe(found.result)))
        words = self._words(found, items, at, writes, refusal)
        return compose_indexing(
            Gather(
                self._name, self._code(), parts, base, result, found.view, refusal, origin, at >= 1, arrived,
                frozenset(second) if at >= 3 else frozenset(), written, words, words[-1], links,
                "refused" if refusal else self._status(found), page=self._width,
            )
        )  # fmt: skip

    def _refused(self, error: str, parts: tuple[tuple[str, str, str], ...], link: Link) -> Sheet:
        """The tensor as it is, and what the engine says."""
        meta = describe(self._tensor)
        part = _window(meta.size)
        slots = self._slots(self._tensor, part)
        base = look(self._tensor, part, strip_runs(meta.slots, [meta.offset], slots))
        at, more = blamed(error, self._items(), meta.size)
        where = "" if at is None else f", at {parts[at][0]}"
        words = (f"The engine refuses this index{where}{more}:",)
        return compose_indexing(
            Gather(
                self._name, self._code(), parts, base, None, False, error, {}, False, False, frozenset(), frozenset(),
                words, words[-1], (link, None), "refused", at, self._width,
            )
        )  # fmt: skip

    def _slots(self, tensor: Any, part: Window) -> int:
        """How many slots of its storage can be read beside one another."""
        if self._width == PAGE:
            return STRIP_SLOTS
        seen = look(tensor, part, ())
        longest = max((len(short(value, seen.meta.dtype)) for value in seen.grid), default=1)
        return max(4, int((self._width - 56 - 2 * 46) / max(28.0, longest * 6.0 + 8)))

    def _shown_part(self, origin: Mapping[Ints, Ints]) -> Window:
        """The part of the tensor that is drawn: its beginning, or where the first chosen element is."""
        return _window(describe(self._tensor).size, next(iter(origin.values()), None))

    def _origin(self) -> dict[Ints, Ints]:
        """Element of the result → element of the tensor; empty when the engine refuses."""
        state, found = self._state, self._found()
        if found.result is None:
            return {}
        window = _window(describe(found.result).size)
        return chosen_by(self._tensor, state.pick.indices[0], found.result, window, state.pressed)

    def _items(self) -> list[Item]:
        return as_items(self._state.pick.indices[0], len(describe(self._tensor).size))

    def _second(self, found: _Found, window: Window) -> list[Ints]:
        """The elements of the result that the second brackets choose."""
        if found.second is None:
            return []
        inner = chosen_by(
            found.result, self._state.pick.indices[1], found.second, _window(describe(found.second).size),
            self._state.pressed, self._tensor,
        )  # fmt: skip
        return list(inner.values())

    def _written(
        self, found: _Found, origin: Mapping[Ints, Ints], second: Sequence[Ints], writes: bool
    ) -> tuple[frozenset[tuple[str, Ints]], Any, Any, str]:
        """What a write reaches, and both tensors afterwards: the engine writes into a twin, never into the tensor."""
        if not writes:
            return frozenset(), self._tensor, found.result, ""
        pick = self._state.pick
        try:
            twin = twin_of(self._tensor)
        except ValueError as error:
            return frozenset(), self._tensor, found.result, str(error)
        middle, refusal = write_into(twin, pick.indices, pick.value, self._state.pressed)
        if refusal:
            return frozenset(), self._tensor, found.result, refusal
        if len(pick.indices) == 1:
            return frozenset(("t", place) for place in origin.values()), twin, found.result, ""
        reached = {("r", cell) for cell in second}
        if found.view:
            reached |= {("t", origin[cell]) for cell in second if cell in origin}
        return frozenset(reached), twin, middle, ""

    def _words(
        self, found: _Found, items: Sequence[Item], at: int, writes: bool, refusal: str
    ) -> tuple[str, ...]:
        pick = self._state.pick
        count = prod(describe(found.result).size)
        if refusal:
            return ("The engine refuses this write:",)
        if at == 0:
            return (
                f"Between the brackets stands one thing for each dimension. What does {self._code(1, False)} choose?",
            )
        if at == 1:
            many = f"{count:,} number{'s' * (count != 1)} chosen"
            return (f"{many}, from where the parts of the index meet.",) if count else ("Nothing is chosen.",)
        out = list(why_words(items, found.view, library_of(self._tensor), is_basic(pick.indices[0])))
        if at >= 3 and len(pick.indices) == 2 and not writes:
            out = [
                *out[:1],
                f"The second brackets [{show_index(pick.indices[1])}] choose in the result, not in {self._name}.",
            ]
        if writes:
            out = [
                write_words(
                    self._name, self._code(1, False), self._code(2, True), len(pick.indices), found.view
                )
            ]
        return tuple(out)

    # ---- what a learner does

    def _controls(self) -> Sequence[Control]:
        out = [
            Control(
                "index",
                "text",
                "expression",
                self._code(),
                title="an index, such as t[1:, [0, 2]]",
                wide=True,
            )
        ]
        for item in self._swappable():
            d = item.dims[0]
            other = "a list" if isinstance(item.value, slice) else "a slice"
            out.append(Control(f"swap-{d}", "button", f"dim {d} as {other}", group="swap"))
        return out

    def _swappable(self) -> list[Item]:
        items = self._items()
        if any(isinstance(i.value, Mask | bool) or boolean(i.value) for i in items):
            return []
        return [i for i in items if len(i.dims) == 1 and (isinstance(i.value, slice) or _whole_list(i.value))]

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key = message.get("value"), message.get("key")
        if kind == "index" and isinstance(value, str):
            if value.strip() != self._code():
                self._choose(parse_pick(value, self._word()))
        elif kind.startswith("swap-") and kind[5:].isdigit():
            self._swap(int(kind[5:]))
        elif kind == "pick" and isinstance(key, str):
            self._press(key)

    def _choose(self, pick: Pick, **values: Any) -> None:
        """Another index: shown at once as far as it was shown before."""
        at = max(self._state.at, 2)
        self._change(pick=pick, at=at, **values)

    def _swap(self, dim: int) -> None:
        """A slice as a list, or a list as a slice."""
        if all(item.dims != (dim,) for item in self._swappable()):
            return
        size, parts = describe(self._tensor).size, []
        for item in self._items():
            turned = item.value
            if item.dims == (dim,):
                turned = (
                    as_list(turned, size[dim]) if isinstance(turned, slice) else as_slice(turned, size[dim])
                )
            elif item.implied and item.dims[0] > dim:
                continue  # what nobody wrote need not be written now
            parts.append(turned)
        index = parts[0] if len(parts) == 1 else tuple(parts)
        self._choose(Pick((index, *self._state.pick.indices[1:]), self._state.pick.value))

    def _press(self, key: str) -> None:
        """A cell of the tensor joins the mask, or leaves it; the first one begins with what is chosen."""
        size = describe(self._tensor).size
        origin = self._origin()
        window = self._shown_part(origin)
        spans = (range(o, o + n) for o, n in zip(window.origin, window.count, strict=True))
        places = {key_of("t", index): index for index in product(*spans)}
        if key not in places:
            return
        if prod(size) > MOST_MASK:
            raise NotAllowed(f"not allowed here: a mask by hand for more than {MOST_MASK:,} elements")
        mask = Mask("mask", "mask")
        pressed = self._state.pressed
        if self._state.pick.indices[0] != mask:
            chosen = frozenset(origin.values())
            pressed = chosen if len(chosen) < prod(size) else frozenset()
        self._choose(Pick((mask,)), pressed=pressed ^ {places[key]})

    def _facts(self) -> Mapping[str, str]:
        found = self._found()
        size = "" if found.error else ",".join(map(str, describe(found.result).size))
        return {"code": self._code(), "size": size, "layout": self._status(found)}


def _whole_list(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) is int for v in value)


def _window(size: Sequence[int], focus: Ints | None = None) -> Window:
    """The part that is drawn: a row, a matrix, or a few matrices; further on where the focus is far from the start."""
    most: tuple[int, ...] = {0: (), 1: (12,), 2: (6, 6)}.get(len(size), (2, 4, 4))
    ahead = max(len(size) - 3, 0)
    count = (
        *(min(n, 1) for n in size[:ahead]),
        *(min(n, m) for n, m in zip(size[ahead:], most, strict=True)),
    )
    start = focus if focus is not None else (0,) * len(size)
    origin = (0 if i < c else min(i, n - c) for i, c, n in zip(start, count, size, strict=True))
    return Window(tuple(origin), count)


def _look_at(tensor: Any, window: Window, room: int) -> Snapshot:
    meta = describe(tensor)
    return look(tensor, window, strip_runs(meta.slots, [meta.offset], room))
