"""A board whose steps are the cells of a notebook: after each of them the namespace's memory is looked at again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from tensorkit_widgets.namespace.cell_hook import MemoryHook
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Storage
from tensorkit_widgets.namespace.words import MemoryPage
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board, State

__all__ = ["MOMENTS", "MomentBoard", "MomentState"]

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

    Subclasses give `_made_page`, call `_open_with` last in ``__init__``, and draw `_page_at`.
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

    def _open_with(self, source: MemoryHook | None, state: MomentState, pages: Sequence[Page] = ()) -> None:
        self._source = source
        self._pages = list(pages)
        self._begun = self._lasting = self._displayed = False
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
        """Look again now, between two cells."""
        if self._source is not None:
            self._source.refresh()
        return self

    def keep(self) -> Self:
        """The moment that is shown, with those before it, as a board of its own that stays as it is while cells run."""
        return self._kept_at(self._state)

    def _kept_at(self, state: Any) -> Self:
        """A board of the moments so far, in this state, that looks no more."""
        with self._guard:
            self._displayed = True  # the cell that does this does nothing else: it is no moment
            pages = list(self._pages)
        made = type(self).__new__(type(self))
        made._open_with(None, state, pages)
        return made

    # ---- moments

    def _told(self, snapshot: MemorySnapshot, change: Difference) -> None:
        """The hook has looked: another moment, which is the one that is shown from now on."""
        with self._guard if self._begun else nullcontext():
            passing = snapshot.moment.cell is None or (self._displayed and not snapshot.moment.error)
            self._displayed = False
            if self._begun and passing and self._quiet(change) and snapshot.lost == self._lost():
                return  # a look between cells, or a cell that only shows the board, leaves it as it was
            page = self._made_page(snapshot, change, self._gone(change))
            self._pages = [*self._pages[-(MOMENTS - 1) :], page]
            if self._begun and not self._closed:
                self._said = self._complaint = ""
                self._go(self._steps())
                first: Any = self._first
                self._first = replace(first, at=self._state.at, moment=self._state.moment)
                self._paint()

    def _lost(self) -> tuple[Storage, ...]:
        return self._pages[-1].snapshot.lost if self._pages else ()

    def _gone(self, change: Difference) -> tuple[Storage, ...]:
        """The storages that nothing names any more, as the last moment had them."""
        before = self._pages[-1].snapshot if self._pages else None
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

    def _reopen(self) -> None:
        super()._reopen()
        if self._source is not None:
            self._pages = []  # who looks again counts the storages again
            self._end = self._source.subscribe(self._told)

    def _ipython_display_(self, **options: Any) -> None:
        super()._ipython_display_(**options)
        self._displayed = True
        if self._lasting:
            cell_hook.cells.pop(self, None)
