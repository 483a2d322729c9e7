"""What ties the pictures to the notebook: which explorers are alive, and IPython's hook after every cell.

One registration with IPython, however many widgets there are; it is taken back when the last one is closed. A widget
that was made by an earlier run of the same cell is closed when the cell runs again, so re-running a cell leaks nothing.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any, Protocol

from tensorkit.process import forks
from tensorkit_widgets.widget import host


class Alive(Protocol):
    """A widget that can look at its tensor again."""

    def refresh(self) -> bool:
        """Repaint if something has changed; whether it had."""

    def close(self) -> None:
        """Free everything."""


@dataclass
class Origin:
    """The cell and the execution that made a widget, and the cells that show it."""

    cell: str
    run: str
    shown: set[str] = field(default_factory=set)


_guard = forks.rlock()
_alive: weakref.WeakSet[Any] = weakref.WeakSet()
_hooked: list[Any] = []
_finished: list[Any] = []
cells: weakref.WeakKeyDictionary[Any, Origin] = weakref.WeakKeyDictionary()
"""Where each widget was made and is shown."""


def _shell() -> Any:
    return host.shell()


def register(widget: Alive, *, of_cell: bool = True) -> None:
    """Repaint this widget after every cell from now on; one that is not `of_cell` lives on when its cell runs again."""
    if of_cell:
        born(widget)
        _close_earlier(widget)
    with _guard:
        _alive.add(widget)
        shell = _shell()
        if shell is not None and not _hooked:
            shell.events.register("post_run_cell", _after_cell)
            _hooked.append(shell)


def unregister(widget: Alive) -> None:
    """Forget this widget; the hook goes with the last one."""
    with _guard:
        _alive.discard(widget)
        cells.pop(widget, None)
        if not _alive and _hooked:
            shell = _hooked.pop()
            try:
                shell.events.unregister("post_run_cell", _after_cell)
            except ValueError:
                return  # somebody reset the shell's hooks: nothing is left to take back


def _after_cell(result: Any = None) -> None:
    _finished.append(result)
    try:
        repaint()
    finally:
        _finished.clear()


def finished() -> Any:
    """What IPython says of the cell that has just ended, while the widgets look again after it; None at other times."""
    return _finished[-1] if _finished else None


def repaint(skip: Alive | None = None) -> int:
    """Let every living widget look again; how many had changed. A widget's failure is its own, never the cell's."""
    with _guard:
        widgets = [widget for widget in _alive if widget is not skip]
    changed = 0
    for widget in widgets:
        changed += bool(widget.refresh())
    return changed


def _request() -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and metadata of the message that runs the present cell; empty where the host does not say."""
    shell = _shell()
    parent = getattr(shell, "parent_header", None) or {}
    if hasattr(shell, "get_parent"):
        parent = shell.get_parent() or {}
    parts = [parent.get(name) if isinstance(parent, dict) else None for name in ("header", "metadata")]
    header, meta = (part if isinstance(part, dict) else {} for part in parts)
    return header, meta


def cell_settings() -> dict[str, Any]:
    """What the running cell's metadata say under ``tensorkit``: JupyterLab sends them with the cell."""
    settings = _request()[1].get("tensorkit")
    return settings if isinstance(settings, dict) else {}


def cell_of_now() -> tuple[str, str]:
    """(cell id, execution id) of the running cell, empty texts where the host does not say."""
    header, meta = _request()
    return str(meta.get("cellId", "")), str(header.get("msg_id", ""))


def born(widget: Alive) -> None:
    """Note which cell made this widget."""
    cell, run = cell_of_now()
    with _guard:
        cells.setdefault(widget, Origin(cell, run))


def _close_earlier(widget: Alive) -> None:
    """Close what earlier runs of this cell made, unless another cell shows it.

    A closed explorer opens again when it is displayed, so one that is still held somewhere is not lost.
    """
    cell, run = cell_of_now()
    with _guard:
        old = [w for w, o in cells.items() if cell and o.cell == cell and o.run != run and o.shown <= {cell}]
    for other in old:
        if other is not widget:
            other.close()


def replace_in_cell(widget: Alive) -> None:
    """The running cell shows this widget, in the place of those that its earlier runs had made."""
    born(widget)
    cell, _ = cell_of_now()
    if cell:
        with _guard:
            cells[widget].shown.add(cell)
        _close_earlier(widget)
