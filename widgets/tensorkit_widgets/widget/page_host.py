"""Widgets on a page whose Python runs in the browser: what they show goes to the page as messages, in JSON.

    {"kind": "open", "model": "w1", "script": "board.js", "css": "…", "state": {"frame": …}}
    {"kind": "state", "model": "w1", "state": {"frame": …}}
    {"kind": "close", "model": "w1"}

A widget is opened when it is first displayed, and what is sent is what its traits with the tag ``sync`` hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar, Protocol

import traitlets

VIEW = "application/vnd.jupyter.widget-view+json"


class Page(Protocol):
    """What runs the cells of a page, with the part of IPython's shell that pictures need."""

    events: Any
    """Where a function is registered that is called after every cell."""

    def get_parent(self) -> dict[str, Any]:
        """Header and metadata of the message that runs the present cell, as Jupyter has them."""

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to the page."""

    def display(self, data: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        """Show a MIME bundle under the cell that runs."""


_pages: list[Page] = []
_numbers = count(1)
shown: dict[str, PageWidget] = {}
"""The widgets that the page shows, by the names that it has for them; they stay until they are closed."""


def connect(page: Page) -> None:
    """From now on widgets are shown by this page."""
    _pages[:] = [page]


def shell() -> Any:
    """The page, in the place of IPython's shell; None while there is none."""
    return _pages[0] if _pages else None


def display(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Show a MIME bundle under the cell that runs."""
    if _pages:
        _pages[0].display(data, metadata or {})


def _post(message: Mapping[str, Any]) -> None:
    if _pages:
        _pages[0].post(message)


class PageWidget(traitlets.HasTraits):
    """A widget that runs a file of ``static/``."""

    _script_file: ClassVar[str]
    """The name of that file."""

    _css: ClassVar[str]

    comm: str | None = None
    """The name by which the page knows the widget; None while it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open()

    def open(self) -> None:
        """Be there to be shown, under another name than before."""
        self.comm = f"w{next(_numbers)}"

    def close(self) -> None:
        """Take the widget down."""
        name, self.comm = self.comm, None
        if name is not None and shown.pop(name, None) is not None:
            _post({"kind": "close", "model": name})

    @property
    def model_id(self) -> str:
        """The name by which a page finds the widget. What asks for it shows the widget: then it stays until closed."""
        name = str(self.comm)
        if name not in shown:
            shown[name] = self
            about = {"script": self._script_file, "css": self._css, "state": self._sent()}
            _post({"kind": "open", "model": name, **about})
        return name

    def _sent(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.trait_names(sync=True)}

    def notify_change(self, change: Any) -> None:
        """The page learns of it, if it shows the widget."""
        super().notify_change(change)
        if self.comm in shown and self.trait_metadata(change["name"], "sync"):
            _post({"kind": "state", "model": self.comm, "state": {change["name"]: change["new"]}})

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": self.model_id}}

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """A message from the browser."""
        raise NotImplementedError
