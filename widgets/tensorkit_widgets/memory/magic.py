"""``%memory_map``: one panel beside the notebook, however often it is run; ``%memory_map off`` closes it.

The browser closes what an earlier kernel had opened: of that no kernel knows any more.

`show_with` decides what fills the panel: a function that makes a widget (with a ``close``) from the hook. Until one
is given it is the map as text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import ipywidgets
import traitlets

from tensorkit_widgets.namespace.cell_hook import MemoryHook, hook
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot
from tensorkit_widgets.namespace.sentences import summary
from tensorkit_widgets.render.esm import link

NO_SIDECAR = "The side panel needs the package sidecar (pip install sidecar); the map is shown here instead."
USAGE = "%memory_map opens the memory map beside the notebook; %memory_map off closes it."

MakePanel = Callable[[MemoryHook], Any]
_make: list[MakePanel] = []
_open: list[tuple[Any, Any]] = []  # (the widget, the side panel around it or None)
_told: list[_OnePanel] = []


class _OnePanel(anywidget.AnyWidget):
    """Tells the browser which side panel is the map's. It is never displayed."""

    _esm = link("side_panel.js")
    panel = traitlets.Unicode().tag(sync=True)


def _tell(panel: str) -> None:
    """Say which panel is open, or that none is: any other is closed."""
    if not _told or _told[0].comm is None:
        _told[:] = [_OnePanel(panel=panel)]
    else:
        _told[0].panel = panel


class _Text(ipywidgets.Textarea):
    """The map as text, until it is closed."""

    def __init__(self, source: MemoryHook) -> None:
        super().__init__(disabled=True, rows=24, layout=ipywidgets.Layout(width="100%"))
        self._stop = source.subscribe(self._told)

    def _told(self, snapshot: MemorySnapshot, change: Difference) -> None:
        self.value = summary(snapshot, change)

    def close(self) -> None:
        self._stop()
        super().close()


def text_panel(source: MemoryHook) -> Any:
    """The map as text, in a widget that follows the notebook until it is closed."""
    return _Text(source)


def show_with(make: MakePanel) -> None:
    """From now on the panel shows what ``make(hook)`` returns."""
    _make[:] = [make]


def open_panel() -> str:
    """Show the map, in the side panel if there is one; a sentence if it had to be shown in the notebook.

    Shown again, the same map gets a new panel in the place of its old one, which the learner may have closed.
    """
    from IPython.display import display

    widget, old = _open.pop() if _open else ((_make[0] if _make else text_panel)(hook), None)
    if old is not None:
        old.close()
    try:
        from sidecar import Sidecar
    except ImportError:
        _open.append((widget, None))
        print(NO_SIDECAR)
        display(widget)
        return NO_SIDECAR
    panel = Sidecar(title="memory map", anchor="split-right")
    _open.append((widget, panel))
    with panel:
        display(widget)
    _tell(panel.model_id)
    return ""


def close_panel() -> None:
    """Close the map and its panel; the hook after every cell goes with it."""
    while _open:
        for part in _open.pop():
            if part is not None:
                part.close()
    if _told:
        _tell("")


def memory_map(line: str = "") -> None:
    """Open the memory map (`%memory_map`), or close it (`%memory_map off`)."""
    word = line.strip().lower()
    if word in ("", "on"):
        open_panel()
    elif word == "off":
        close_panel()
        _tell("")  # a panel that an earlier kernel had opened goes too
    else:
        print(USAGE)


def register(shell: Any) -> None:
    """Teach a shell the magic; doing it again changes nothing."""
    shell.register_magic_function(memory_map, "line", "memory_map")


def remove(shell: Any) -> None:
    """Close the panel and take the magic away."""
    close_panel()
    shell.magics_manager.magics["line"].pop("memory_map", None)
