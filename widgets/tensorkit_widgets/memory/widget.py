"""MemoryMap: the tensors of a notebook on the memory that they share, after every cell.

>>> import numpy
>>> names = {"a": numpy.zeros(6)}
>>> names["tail"] = names["a"][3:]
>>> shown = MemoryMap(names)
>>> names["tail"][0] = 7.0
>>> shown.look().change.changes[0].words
'changed in place: slot 3'
>>> shown.close()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.memory import magic
from tensorkit_widgets.memory.scene import FIRST, MOST, ORDERS, Sight, chosen, compose_memory, drawn
from tensorkit_widgets.namespace.cell_hook import MemoryHook, hook
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Storage
from tensorkit_widgets.namespace.moments import MomentBoard, MomentState
from tensorkit_widgets.namespace.words import MemoryPage, happened, moment_words, totals
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Control

MORE = 12
LONGEST_FILTER = 80


@dataclass(frozen=True)
class _State(MomentState):
    order: str = "changed"
    filter: str = ""
    most: int = FIRST
    only: int = 0


class MemoryMap(MomentBoard[MemoryPage]):
    """All tensors that a notebook reaches, grouped by the storage that they share, and what the last cell did to them.

    It looks after every cell, also after one that failed, until it is closed. Each cell is a step: going back shows the
    memory as it was. Shown in a cell, it stays as that cell left it; *Follow the notebook* shows each later cell there
    too. Nothing of a tensor is kept but the numbers that are drawn.

    Args:
        namespace: names and values to look at; the notebook's own if not given.
        order: ``"changed"``, ``"oldest"``, ``"newest"`` or ``"size"``: which storages come first.
        filter: show only storages that have a name with this text in it.

    Raises:
        TypeError: for a namespace that is no mapping, or an unknown keyword.
        ValueError: for another order.
    """

    kind = "memory-map"
    widths: ClassVar[tuple[float, ...]] = (400.0, 440.0, 480.0, 600.0, 760.0, 960.0)

    def __init__(
        self,
        namespace: Mapping[str, Any] | None = None,
        *,
        order: str = "changed",
        filter: str = "",
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(
                f"MemoryMap has no option {', '.join(sorted(unknown))}: it takes namespace, order and filter"
            )
        if namespace is not None and not isinstance(namespace, Mapping):
            raise TypeError(f"namespace must be a mapping of names to values, not {type(namespace).__name__}")
        if order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
        source = hook if namespace is None else MemoryHook(lambda: (namespace, {}))
        self._open_with(source, _State(order=order, filter=str(filter)[:LONGEST_FILTER]))

    def _made_page(
        self, snapshot: MemorySnapshot, change: Difference, gone: tuple[Storage, ...]
    ) -> MemoryPage:
        return MemoryPage(snapshot, change, gone)

    # ---- what Python sees

    def keep(self, name: str | None = None) -> Self:
        """The newest moment, with those before it, as a map of its own that stays as it is while cells run.

        After `step`, `back` or `goto` it is the moment to which they went. With a name only the storage that it stands
        on, large.

        Raises:
            KeyError: for a name that is on no storage at this moment.
        """
        with self._guard:
            pages, at = self._spoken_of()
            return self._kept_at(only=0 if name is None else self._number(name, pages[at] if pages else None))

    def show(self, name: str | None = None) -> Self:
        """Show only the storage that a name stands on, large; all storages again without a name.

        Raises:
            KeyError: for a name that is on no storage at this moment.
        """
        with self._guard:
            if not (self._follows or self._moved or self._source is None):
                self._catch_up()
            self._change(only=0 if name is None else self._number(name, self._page_at(self.at)))
            self._paint()
        return self

    def _number(self, name: str, page: MemoryPage | None) -> int:
        for storage in page.snapshot.storages if page is not None else ():
            if any(way.text == name for holder in storage.holders for way in holder.ways):
                return storage.number
        raise KeyError(f"{name!r} is on no storage at this moment")

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            page = self._page_at(self.at)
            if page is None:
                return "MemoryMap: nothing has been looked at yet."
            said = [words for _, words in happened(page)]
            return f"MemoryMap, {'. '.join([moment_words(page), totals(page.snapshot), *said])}."

    # ---- the board

    def _sight(self, at: int) -> Sight:
        state = self._state
        return Sight(state.order, state.filter, state.most, state.only, self._width, self._linked(at))

    def _sheet(self, at: int) -> Sheet:
        return compose_memory(self._page_at(at), self._sight(at))

    def _controls(self) -> Sequence[Control]:
        state, page = self._state, self._page_at(self.at)
        count = len(page.snapshot.storages) if page is not None else 0
        out = self._in_bar()
        if self._alone():
            return [*out, Control("all", "button", "All storages", title="back to all storages")]
        if count > 1 or state.filter:
            out.append(Control("order", "choice", "order", state.order, tuple(ORDERS.items())))
            out.append(
                Control("filter", "text", "name", state.filter, title="only storages with a name like this")
            )
        if state.most > FIRST and count > FIRST:
            out.append(Control("fewer", "button", "Fewer", title=f"only the first {FIRST}"))
        return out

    def _alone(self) -> bool:
        page = self._page_at(self.at)
        return page is not None and any(s.number == self._state.only for s in page.snapshot.storages)

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key = message.get("value"), message.get("key")
        if kind == "order" and isinstance(value, str) and value in ORDERS:
            self._change(order=value)
        elif kind == "filter" and isinstance(value, str):
            text = value.strip()[:LONGEST_FILTER]
            if text != self._state.filter:  # Enter, and leaving the field, both send it
                self._change(filter=text)
        elif kind == "more":
            self._change(most=min(MOST, self._state.most + MORE))
        elif kind == "fewer":
            self._change(most=FIRST)
        elif kind == "all":
            self._change(only=0)
        elif kind == "only" and isinstance(key, str):
            number = whole_number(key.partition(":")[0].removeprefix("h"))
            if number is not None:
                self._change(only=number)

    def _facts(self) -> Mapping[str, str]:
        page = self._page_at(self.at)
        if page is None:
            return {}
        snapshot, change = page.snapshot, page.change
        counts = {fate: str(len(change.of(fate))) for fate in ("made", "changed", "freed", "lost")}
        shown = chosen(page, self._sight(self.at))
        names = sorted(w.text for s in shown for h in s.holders for w in h.ways if w.kind == "name")
        return {
            "cell": "" if snapshot.moment.cell is None else str(snapshot.moment.cell), "error": snapshot.moment.error,
            "storages": str(len(snapshot.storages)), "drawn": str(len(drawn(page, self._sight(self.at))[0])),
            "names": " ".join(names)[:400],
            "owned": str(snapshot.owned()), "viewed": str(snapshot.viewed()), "rebound": str(len(change.rebound)),
            "order": self._state.order, "filter": self._state.filter, "only": str(self._state.only or ""), **counts,
        }  # fmt: skip

    # ---- the side panel

    @classmethod
    def _beside(cls, source: MemoryHook) -> MemoryMap:
        """A map for the side panel: it outlives the cell that opened it."""
        made = cls.__new__(cls)
        made._open_with(source, _State())
        made._lasting = True
        cell_hook.cells.pop(made, None)
        return made


magic.show_with(MemoryMap._beside)
