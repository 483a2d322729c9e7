"""MemoryMap's ear in the notebook: after every cell, also one that failed, the next snapshot for all subscribers.

>>> import numpy
>>> names = {"a": numpy.zeros(3)}
>>> hook = MemoryHook(lambda: (names, {}))
>>> stop = hook.subscribe(lambda snapshot, change: print(snapshot.moment.count, [c.words for c in change.changes]))
1 []
>>> names["a"][1] = 5
>>> hook.refresh()
2 ['changed in place: slot 1']
True
>>> stop()
>>> hook.on
False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorkit.process import forks
from tensorkit_widgets.namespace.find_tensors import clean
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot, Moment
from tensorkit_widgets.namespace.watch import MemoryWatch
from tensorkit_widgets.widget import cell_hook

OnSnapshot = Callable[[MemorySnapshot, Difference], object]
Names = Mapping[str, Any]


def notebook() -> tuple[Names, Names]:
    """The notebook's namespace, and what the notebook itself had put into it; empty outside IPython."""
    shell = cell_hook._shell()
    return getattr(shell, "user_ns", None) or {}, getattr(shell, "user_ns_hidden", None) or {}


_LOOKING = ("print(", "assert ", "#")


def moment_of(result: Any) -> Moment:
    """The moment after a cell, from what IPython says of it; a moment between cells for None.

    Its code is the cell's last line that does more than to print, where there is one.

    >>> moment_of(None)
    Moment(count=0, cell=None, code='', error='')
    """
    info = getattr(result, "info", None)
    code = getattr(info, "raw_cell", None)
    cell = getattr(result, "execution_count", None)
    error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
    lines = [line.strip() for line in code.splitlines() if line.strip()] if type(code) is str else []
    doing = [line for line in lines if not line.startswith(_LOOKING)] or lines
    return Moment(
        0,
        cell if type(cell) is int else None,
        clean(doing[-1]) if doing else "",
        "" if error is None else clean(type(error).__name__),
    )


class MemoryHook:
    """Looks after every cell while somebody listens. One registration with IPython, through `live`, however many do.

    Args:
        names: what gives the namespace and the hidden names; the notebook's own if not given.
    """

    def __init__(self, names: Callable[[], tuple[Names, Names]] = notebook) -> None:
        self._names = names
        self._guard = forks.rlock()
        self._watch = MemoryWatch()
        self._listeners: list[OnSnapshot] = []
        self._busy = False
        self.last: tuple[MemorySnapshot, Difference] | None = None
        """The last snapshot and its difference from the one before; None while nobody listens."""
        self.fault = ""
        """Why the last look, or a listener, failed; an empty text if it did not."""

    @property
    def on(self) -> bool:
        """Whether it looks after every cell."""
        return bool(self._listeners)

    def subscribe(self, on_snapshot: OnSnapshot) -> Callable[[], None]:
        """Call ``on_snapshot(snapshot, difference)`` now with the present state, and after every cell from now on.

        Returns what ends this; the hook in IPython goes with the last listener.
        """
        with self._guard:
            if not self._listeners:
                self._watch = MemoryWatch()
                self.last = None
                cell_hook.register(self, of_cell=False)
            self._listeners.append(on_snapshot)
            if self.last is None:
                self._look(None)
            if self.last is not None:
                self._tell(on_snapshot, *self.last)

        def stop() -> None:
            self._leave(on_snapshot)

        return stop

    def _leave(self, on_snapshot: OnSnapshot) -> None:
        with self._guard:
            if on_snapshot in self._listeners:
                self._listeners.remove(on_snapshot)
            if not self._listeners:
                self.close()

    def close(self) -> None:
        """Stop listening, and let go of everything."""
        with self._guard:
            self._listeners.clear()
            cell_hook.unregister(self)
            self._watch = MemoryWatch()
            self.last = None

    def number_of(self, thing: Any) -> int | None:
        """The number that a live storage, or tensor, has in the snapshots."""
        return self._watch.number_of(thing)

    def refresh(self) -> bool:
        """Look again and tell every listener; whether anything happened. Never raises."""
        with self._guard:
            if self._busy or not self._listeners:
                return False
            self._busy = True
            try:
                if not self._look(cell_hook.finished()) or self.last is None:
                    return False
                for listener in list(self._listeners):
                    self._tell(listener, *self.last)
                return not self.last[1].quiet
            finally:
                self._busy = False

    def _look(self, result: Any) -> bool:
        try:
            self.last = self._watch.look(*self._names(), moment_of(result))
            self.fault = ""
        except Exception as error:  # a look that fails is the map's own matter, never the cell's
            self.fault = f"the memory could not be looked at: {clean(str(error), 200)}"
            return False
        return True

    def _tell(self, listener: OnSnapshot, snapshot: MemorySnapshot, change: Difference) -> None:
        try:
            listener(snapshot, change)
        except Exception as error:
            self.fault = f"the memory map could not be drawn: {clean(str(error), 200)}"


hook = MemoryHook()
"""The notebook's own."""
