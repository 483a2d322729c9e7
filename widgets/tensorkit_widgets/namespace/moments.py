"""A board whose steps are the cells of a notebook: after each of them the namespace's memory is looked at again.

A board that is displayed in a cell goes on looking, but its picture keeps that cell's moment until the learner presses
*Follow the notebook*: what a later cell does has no place under an earlier one. Displayed in another cell too, it is
shown there by a board of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from tensorkit_widgets.namespace.cell_hook import MemoryHook
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Storage
from tensorkit_widgets.namespace.words import MemoryPage
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board, Control, State

MOMENTS = 40
"""Moments that one can step back to."""

Page = TypeVar("Page", bound=MemoryPage)


def _nothing() -> None:
    """What ends a board that listens to nobody."""


@dataclass(frozen=True)
class MomentState(State):
    """``moment`` is the number of the look that is shown: ``at`` moves when the oldest moments are forgotten."""

    moment: int = 0


class MomentBoard(Board, Generic[Page]):
    """It looks after every cell, also after one that failed, until it is closed. Each cell is a step.

    Subclasses give `_made_page`, call `_open_with` last in ``__init__``, and draw `_page_at`. ``_seen`` are the moments
    that it has looked at, ``_pages`` those that its picture has: the same while it follows the notebook.
    """

    moments = "moment"
    live = ("_source",)

    #: Ends the subscription. A board whose arguments were refused has none, and is closed all the same.
    _end: Callable[[], None] = staticmethod(_nothing)

    # ---- what a subclass gives

    def _made_page(self, snapshot: MemorySnapshot, change: Difference, gone: tuple[Storage, ...]) -> Page:
        """One moment: what was seen, what had happened, and the storages that no name reaches any more."""
        raise NotImplementedError

    def _quiet(self, change: Difference) -> bool:
        """Whether nothing happened that this board draws."""
        return change.quiet

    # ---- what a subclass calls

    def _open_with(
        self,
        source: MemoryHook | None,
        state: MomentState,
        pages: Sequence[Page] = (),
        leader: Self | None = None,
    ) -> None:
        """Begin: with a source it looks itself, with a leader it has what that one sees, with neither it only shows."""
        self._source, self._leader = source, leader
        self._pages = self._seen = list(pages)
        self._followers: weakref.WeakSet[Self] = weakref.WeakSet()
        self._follows = source is not None or leader is not None
        self._begun = self._lasting = self._displayed = False
        self._in_cell = self._held = self._moved = False
        self._end = source.subscribe(self._told) if source is not None else _nothing
        at = state.at if source is None else self._steps()
        self._begin(replace(state, at=at, moment=self._count(at)))
        self._begun = True

    def _page_at(self, at: int) -> Page | None:
        return self._pages[max(0, min(at, len(self._pages) - 1))] if self._pages else None

    # ---- what Python sees

    @property
    def snapshot(self) -> MemorySnapshot | None:
        """The memory at the moment that is shown; None before the first look."""
        page = self._page_at(self.at)
        return None if page is None else page.snapshot

    @property
    def change(self) -> Difference:
        """What had happened at the moment that is shown.

        Raises:
            RuntimeError: before the first look.
        """
        page = self._page_at(self.at)
        if page is None:
            fault = self._source.fault if self._source is not None else ""
            raise RuntimeError(fault or "nothing has been looked at yet")
        return page.change

    def look(self) -> Self:
        """Look again now, between two cells, and show what is there."""
        if self._source is not None:
            self._source.refresh()
        with self._guard:
            if not self._follows and self._source is not None and self._catch_up():
                self._paint()
        return self

    def keep(self) -> Self:
        """The newest moment, with those before it, as a board of its own that stays as it is while cells run.

        After `step`, `back` or `goto` it is the moment to which they went.
        """
        return self._kept_at()

    def _kept_at(self, **changes: Any) -> Self:
        """A board of the moments so far that looks no more."""
        with self._guard:
            self._displayed = True  # the cell that does this does nothing else: it is no moment
            pages, at = self._spoken_of()
            state = replace(self._state, at=at, **changes)
        made = type(self).__new__(type(self))
        made._open_with(None, state, pages)
        return made

    def step(self, count: int = 1) -> Self:
        self._moved = True
        return super().step(count)

    def reset(self, name: str | None = None) -> Self:
        self._moved = True
        return super().reset(name)

    # ---- moments

    def _told(self, snapshot: MemorySnapshot, change: Difference) -> None:
        """The hook has looked: another moment, for this board and for those that it leads."""
        with self._guard if self._begun else nullcontext():
            passing = snapshot.moment.cell is None or (self._displayed and not snapshot.moment.error)
            self._displayed = False
            seen = self._seen
            quiet = self._begun and passing and self._quiet(change) and snapshot.lost == self._lost()
            if not quiet:  # a look between cells, or a cell that only shows the board, leaves it as it was
                page = self._made_page(snapshot, change, self._gone(change))
                seen = [*seen[-(MOMENTS - 1) :], page]
            ended = cell_hook.finished() is not None
            boards: list[Self] = [self, *self._followers]
            for board in boards:
                board._arrived(seen, ended)

    def _arrived(self, seen: list[Page], ended: bool) -> None:
        """What was seen so far. A board that follows shows the newest; at the end of its own cell it stays there."""
        with self._guard if self._begun else nullcontext():
            changed = seen is not self._seen and (self._follows or (self._begun and self._is_now(self.at)))
            self._moved = self._moved and not ended and seen is self._seen
            linked = self._linked(self.at) if self._begun else frozenset()
            self._seen = seen
            changed = changed or (self._begun and linked != self._linked(self.at))
            if self._follows and seen is not self._pages:
                self._catch_up()
            if ended and self._in_cell:
                self._in_cell, self._follows, self._held, changed = False, False, True, True
            if changed and self._begun and not self._closed:
                self._paint()

    def _catch_up(self) -> bool:
        """To the newest moment; whether there is one."""
        self._pages = self._seen
        if self._begun and not self._closed:
            self._said = self._complaint = ""
            self._go(self._steps())
            first: Any = self._first
            self._first = replace(first, at=self._state.at, moment=self._state.moment)
        return bool(self._pages)

    def _spoken_of(self) -> tuple[list[Page], int]:
        """What Python means by the moment: the newest, or where it has gone to since; and those before it."""
        if self._follows or self._moved:
            return self._pages, self.at
        return self._seen, max(0, len(self._seen) - 1)

    def _is_now(self, at: int) -> bool:
        """Whether a step is the newest moment of a board that looks."""
        looks = self._source is not None or self._leader is not None
        return looks and bool(self._seen) and self._page_at(at) is self._seen[-1]

    def _linked(self, at: int) -> frozenset[int]:
        """The storages of a step that are still there: all of the newest moment, some of the one that a cell keeps."""
        page = self._page_at(at)
        kept = self._held and at == self._steps() and (self._source is not None or self._leader is not None)
        if page is None or not (self._is_now(at) or (kept and self._seen)):
            return frozenset()
        there = {storage.number for storage in self._seen[-1].snapshot.storages}
        return frozenset(one.number for one in page.snapshot.storages if one.number in there)

    def _lost(self) -> tuple[Storage, ...]:
        return self._seen[-1].snapshot.lost if self._seen else ()

    def _gone(self, change: Difference) -> tuple[Storage, ...]:
        """The storages that nothing names any more, as the last moment had them."""
        before = self._seen[-1].snapshot if self._seen else None
        numbers = [one.storage for one in change.changes if one.fate in ("freed", "lost")]
        found = [before.storage(number) for number in numbers] if before is not None else []
        return tuple(replace(storage, runs=(), evidence=None) for storage in found if storage is not None)

    def _count(self, at: int) -> int:
        page = self._page_at(at)
        return page.snapshot.moment.count if page is not None else 0

    def _steps(self) -> int:
        return max(0, len(self._pages) - 1)

    def _go(self, at: int) -> None:
        super()._go(at)
        self._state = replace(self._state, moment=self._count(self._state.at))

    def _return(self, moment: Any) -> None:
        """To a checkpoint's moment, however many have gone since; without one, to the newest as it was at first."""
        super()._return(moment)
        counts = [page.snapshot.moment.count for page in self._pages]
        self._go(
            self._steps() if moment is None or moment.moment not in counts else counts.index(moment.moment)
        )

    def _undo(self) -> None:
        """What was chosen is taken back; the moment that is shown stays."""
        at = self._state.at
        super()._undo()
        self._go(at)

    # ---- life

    def refresh(self) -> bool:
        """Nothing to do: the hook, which looks once for all boards, tells when there is something to draw."""
        return False

    def close(self) -> None:
        """Take the board down; the hook after every cell goes with the last one."""
        self._end()
        self._end = _nothing
        super().close()
        for board in tuple(self.__dict__.get("_followers", ())):
            board._left()

    def _reopen(self) -> None:
        super()._reopen()
        if self._source is not None:
            self._pages = self._seen = []  # who looks again counts the storages again
            self._follows, self._held = True, False
            self._end = self._source.subscribe(self._told)

    def _left(self) -> None:
        """The board that this one follows is closed: it stays as it is."""
        with self._guard:
            self._leader, self._follows, self._in_cell = None, False, False
            if not self._closed:
                self._paint()

    # ---- in a cell

    def _ipython_display_(self, **options: Any) -> None:
        with self._guard:
            board = self._another() if self._is_elsewhere() else self
            if board is self and not (self._follows or self._moved or self._source is None or self._closed):
                self._follows = self._catch_up()  # its cell was run again
                self._paint()
        Board._ipython_display_(board, **options)
        self._displayed = True
        board._in_cell = board._follows and not board._lasting
        if board._lasting:
            cell_hook.cells.pop(board, None)

    def _is_elsewhere(self) -> bool:
        """Whether another cell than the one that runs shows this board, which keeps that cell's moment."""
        origin = cell_hook.cells.get(self)
        cell, _ = cell_hook.cell_of_now()
        if self._lasting or self._closed or self._source is None or origin is None or not cell:
            return False
        return bool(origin.shown - {cell})

    def _another(self) -> Self:
        """A board for another cell, of what this one sees."""
        made = type(self).__new__(type(self))
        pages, at = self._spoken_of()
        made._open_with(None, replace(self._state, at=at), pages, self)
        made._seen = self._seen
        self._followers.add(made)
        return made

    def _in_bar(self) -> list[Control]:
        """What lets a board of a cell follow the cells that come after it."""
        if not self._held or (self._source is None and self._leader is None):
            return []
        title = (
            "now it shows each cell that runs; press to stay here"
            if self._follows
            else "now it stays as this cell left it; press to see what each cell does"
        )
        return [Control("follow", "toggle", "Follow the notebook", self._follows, title=title, group="bar")]

    def _controls(self) -> Sequence[Control]:
        return self._in_bar()

    def _act(self, kind: str, message: Mapping[str, Any]) -> None:
        if kind == "follow":
            self._follows = bool(message.get("value")) and bool(self._in_bar())
            if self._follows:
                self._catch_up()
        else:
            super()._act(kind, message)
