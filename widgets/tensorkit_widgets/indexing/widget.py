"""`IndexExplorer`: what an index chooses, whether it is a view or a copy and why, and where a write goes.

>>> import numpy
>>> t = numpy.arange(12.0).reshape(3, 4)
>>> IndexExplorer(t, "1:, ::2").status, IndexExplorer(t, "1:, [0, 2]").status
('view', 'copy')
>>> IndexExplorer(t, "t[[0, 1]][0] = 5").run().text().splitlines()[-1]
't stays as it was: t[[0, 1]] made a copy, [0] = 5 wrote into that copy, which is not kept.'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

from tensorkit_widgets.diagnosis.way_out import WayOut, way_out
from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.indexing.model import (
    Item,
    as_items,
    as_list,
    as_slice,
    beyond,
    boolean,
    chosen_by,
    is_basic,
    take,
)
from tensorkit_widgets.indexing.parse import Pick, parse_pick
from tensorkit_widgets.indexing.scene import Gather, compose_indexing, key_of
from tensorkit_widgets.indexing.words import blamed, item_words, why_words, write_words
from tensorkit_widgets.indexing.writes import Written, twin_of, write_into
from tensorkit_widgets.snapshot.adapter import (
    Link,
    Snapshot,
    describe,
    library_of,
    link_of,
    look,
    same_buffer,
)
from tensorkit_widgets.snapshot.expression import Mask, NotAllowed, show_index
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import short, whole_number
from tensorkit_widgets.snapshot.window import STRIP_SLOTS, Window, strip_runs
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

MOST_MASK = 10_000


@dataclass(frozen=True)
class _State(State):
    pick: Pick = field(default_factory=lambda: Pick(((),)))
    pressed: frozenset[Ints] = frozenset()


@dataclass(frozen=True)
class _Found:
    """What the engine makes of the present index."""

    result: Any
    error: str = ""
    view: bool = False
    second: Any = None
    beyond: str = ""


class IndexExplorer(Board):
    """What an index chooses from a tensor.

    Args:
        t: a tensor of tensorkit, NumPy or PyTorch. It is not copied, and a picture never writes into it.
        index: what stands between the brackets, ``"1:, [0, 2]"``, or the whole expression, ``"t[1:, [0, 2]]"``,
            which may have a second pair of brackets and a write: ``"t[[0, 1]][0] = 5"``, ``"t[1] += 1"``,
            ``"t[1].add_(1)"``. Masks are comparisons with a number, ``"t > 3"``, combined with ``&``, ``|`` and ``~``.
        name: what the tensor is called in the expression; by default its name where the widget is made, else ``"t"``.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        NotAllowed: for an index outside the grammar. What the engine refuses is shown, not raised.
    """

    kind = "index-explorer"
    live = ("_tensor",)

    def __init__(self, t: Any, index: str = ":", *, name: str | None = None, **unknown: Any) -> None:
        if unknown:
            raise TypeError(
                f"IndexExplorer has no option {', '.join(sorted(unknown))}: it takes t, index and name"
            )
        library_of(t)
        line = " ".join(called(t, "t", name).split())
        self._tensor, self._name = t, line if len(line) <= 24 else line[:23] + "…"
        self._painting = False
        self._answered: _Found | None = None
        self._begin(_State(pick=self._parsed(index, name is None)))

    # ---- what Python sees

    @property
    def code(self) -> str:
        """The expression that the picture shows."""
        with self._guard:
            return self._code()

    @property
    def status(self) -> str:
        """``view``, ``copy``, ``write`` for a plain ``t[…] = x``, ``refused``, or ``unknown`` where the tensor is too
        large for a picture to follow the index."""
        with self._guard:
            return self._status(self._found())

    @property
    def size(self) -> Ints | None:
        """The size of what the first brackets give; None when the engine refuses, or the picture does not follow."""
        with self._guard:
            found = self._found()
            return None if found.result is None or found.error else describe(found.result).size

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

    def _parsed(self, text: str, guessed: bool) -> Pick:
        """The index; one that calls the tensor ``t`` is understood where its name was not given."""
        try:
            return parse_pick(text, self._word())
        except NotAllowed:
            if not guessed or self._word() == "t":
                raise
            pick = parse_pick(text, "t")
            self._name = "t"
            return pick

    # ---- the engine's answers

    def _word(self) -> str:
        """What the tensor is called where it has to be a name."""
        return self._name if self._name.isidentifier() else "t"

    def _code(self, brackets: int = 2, write: bool = True) -> str:
        pick = self._state.pick
        inside = "".join(f"[{show_index(index)}]" for index in pick.indices[:brackets])
        return f"{self._word()}{inside}{pick.tail if write else ''}"

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
        first, *more = state.pick.indices
        if why := beyond(self._tensor, first):
            return _Found(None, beyond=why)
        result, error = take(self._tensor, first, state.pressed)
        if error:
            return _Found(None, error)
        view = same_buffer(describe(self._tensor), describe(result))
        if not more:
            return _Found(result, view=view)
        if why := beyond(result, more[0]):
            return _Found(None, beyond=why)
        second, error = take(result, more[0], state.pressed, self._tensor)
        return _Found(result, error, view, second)

    def _status(self, found: _Found) -> str:
        if found.error:
            return "refused"
        if found.beyond:
            return "unknown"
        return "write" if self._state.pick.straight else "view" if found.view else "copy"

    def _steps(self) -> int:
        pick, found = self._state.pick, self._found()
        if found.error or found.beyond:
            return 0
        return 2 if pick.straight else 1 + len(pick.indices) + bool(pick.verb)

    # ---- the picture

    def _sheet(self, at: int) -> Sheet:
        state, meta = self._state, describe(self._tensor)
        found = self._found()
        items = self._items()
        parts = tuple(item_words(item, meta.size) for item in items)
        link = link_of(meta)
        if found.error or found.beyond:
            return self._refused(found, parts, link)
        size = describe(found.result).size
        window = _window(size)
        origin = chosen_by(self._tensor, state.pick.indices[0], found.result, window, state.pressed)
        second = self._second(found, window)
        writes = bool(state.pick.verb) and at == self._steps()
        written, base_now, result_now, outcome = self._written(found, origin, second, writes)
        arrived = at >= 2 and not state.pick.straight
        points = [slot_of(i, meta.stride, meta.offset) for i in list(origin.values())[:24]]
        part = self._shown_part(origin)
        slots = self._slots(base_now, part)
        base = look(base_now, part, strip_runs(meta.slots, points or [meta.offset], slots))
        result = _look_at(result_now, window, min(16, slots))
        links = (link, link_of(describe(found.result)))
        words = self._words(found, items, at, writes, outcome)
        return compose_indexing(
            Gather(
                self._name, self._code(), parts, base, result, found.view, outcome.refusal, origin, at >= 1, arrived,
                frozenset(second) if at >= 3 else frozenset(), written, words, words[-1], links,
                "refused" if outcome.refusal else self._status(found), page=self._width,
                way=self._way(outcome.refusal),
            )
        )  # fmt: skip

    def _refused(self, found: _Found, parts: tuple[tuple[str, str, str], ...], link: Link) -> Sheet:
        """The tensor as it is, and what the engine says; or why the picture does not follow."""
        meta, error = describe(self._tensor), found.error
        part = _window(meta.size)
        slots = self._slots(self._tensor, part)
        base = look(self._tensor, part, strip_runs(meta.slots, [meta.offset], slots))
        at, more = blamed(error, self._items(), meta.size) if error else (None, "")
        where = "" if at is None else f", at {parts[at][0]}"
        words: tuple[str, ...] = (f"The engine refuses this index{where}{more}:",)
        if found.beyond:
            words = (
                f"The engine takes this index. This picture does not follow it: {found.beyond}.",
                f"Slice the tensor first, as in IndexExplorer({self._name}[:8], …).",
            )
        return compose_indexing(
            Gather(
                self._name, self._code(), parts, base, None, False, error, {}, False, False, frozenset(), frozenset(),
                words, words[-1], (link, None), self._status(found), at, self._width, way=self._way(error),
            )
        )  # fmt: skip

    def _way(self, error: str) -> WayOut | None:
        """What a refusal means, and what to write."""
        if not error:
            return None
        op = "__setitem__" if self._state.pick.verb == "=" else "__getitem__"
        items = self._items()
        at, _ = blamed(error, items, describe(self._tensor).size)
        if (
            at is not None and items[at].dims
        ):  # the message counts dimensions as they are fetched, lists first
            error = re.sub(r"(dimension|axis) \d+ with", rf"\1 {items[at].dims[0]} with", error)
        return way_out(op, error, [(self._name, self._tensor)], code=self._code())

    def _offers(self) -> Sequence[tuple[str, str]]:
        """Of an index that is too large, the last one there is; of too many, those that there are dimensions for."""
        if not self._found().error:
            return ()
        index, size = self._state.pick.indices[0], describe(self._tensor).size
        parts = index if isinstance(index, tuple) else (index,)
        if sum(part is not None and part is not Ellipsis for part in parts) > len(size) > 0:
            kept = [k for k, part in enumerate(parts) if part is not None and part is not Ellipsis][
                : len(size)
            ]
            fitting: tuple[Any, ...] = tuple(parts[k] for k in kept)
        else:
            items = self._items()
            fitting = tuple(
                _within(item.value, size[item.dims[0]])
                if item.dims and item.dims[0] < len(size)
                else item.value
                for item in items
                if not item.implied
            )
        only = fitting[0] if len(fitting) == 1 else fitting
        pick = replace(self._state.pick, indices=(only, *self._state.pick.indices[1:]))
        if take(self._tensor, only, self._state.pressed)[1] or beyond(self._tensor, only):
            return ()
        code = f"{self._word()}{''.join(f'[{show_index(i)}]' for i in pick.indices)}{pick.tail}"
        return [(code, code)]

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
    ) -> tuple[frozenset[tuple[str, Ints]], Any, Any, Written]:
        """What a write reaches, and both tensors afterwards: the engine writes into a twin, never into the tensor."""
        nothing = frozenset[tuple[str, Ints]](), self._tensor, found.result
        if not writes:
            return *nothing, Written()
        pick = self._state.pick
        try:
            twin = twin_of(self._tensor)
        except ValueError as error:
            return *nothing, Written(first=str(error), arrives=False, stays=False)
        done = write_into(twin, pick, self._state.pressed)
        if done.refusal:
            return *nothing, done
        cells = list(second) if len(pick.indices) == 2 else list(origin)
        reached = {("r", cell) for cell in cells} if done.stays and done.first is not None else set()
        if done.arrives:
            reached |= {("t", origin[cell]) for cell in cells if cell in origin}
        return frozenset(reached), twin, found.result if done.first is None else done.first, done

    def _words(
        self, found: _Found, items: Sequence[Item], at: int, writes: bool, outcome: Written
    ) -> tuple[str, ...]:
        pick = self._state.pick
        count = prod(describe(found.result).size)
        if outcome.refusal:
            return ("The engine refuses this write:",)
        if isinstance(outcome.first, str):
            return (f"The engine takes this write. This picture does not carry it out: {outcome.first}.",)
        if at == 0:
            return (
                f"Between the brackets is one entry for each dimension. What does {self._code(1, False)} choose?",
            )
        if at == 1:
            many = f"{count:,} number{'s' * (count != 1)} chosen"
            return (f"{many}, from where the parts of the index meet.",) if count else ("Nothing is chosen.",)
        if writes:
            return (self._write_words(outcome),)
        out = list(why_words(items, found.view, library_of(self._tensor), is_basic(pick.indices[0])))
        if at >= 3 and len(pick.indices) == 2:
            out = [
                *out[:1],
                f"The second brackets [{show_index(pick.indices[1])}] choose in the result, not in {self._name}.",
            ]
        return tuple(out)

    def _write_words(self, done: Written) -> str:
        """Where the write has gone."""
        pick = self._state.pick
        if pick.straight:
            return write_words(self._name, self._code(1, False), pick.tail, "straight")
        if len(pick.indices) == 1 and not pick.verb.startswith("."):
            return write_words(self._name, self._code(1, False), pick.tail, "back")
        brackets = len(pick.indices) if pick.verb.startswith(".") else 1
        fetched = self._code(brackets, False)
        return write_words(
            self._name, fetched, self._code()[len(fetched) :], "view" if done.arrives else "copy"
        )

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
        if kind in ("index", "offer") and isinstance(value, str):
            if value.strip() != self._code():
                self._choose(parse_pick(value, self._word()))
        elif kind.startswith("swap-") and (dim := whole_number(kind[5:])) is not None:
            self._swap(dim)
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
        self._choose(replace(self._state.pick, indices=(index, *self._state.pick.indices[1:])))

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
        size = "" if found.result is None or found.error else ",".join(map(str, describe(found.result).size))
        return {"code": self._code(), "size": size, "layout": self._status(found)}


def _within(value: Any, size: int) -> Any:
    """An index, or a list of them, brought into a dimension of this size."""
    if isinstance(value, list) and not boolean(value):
        return [_within(v, size) for v in value]
    return max(-size, min(value, size - 1)) if type(value) is int and size else value


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
