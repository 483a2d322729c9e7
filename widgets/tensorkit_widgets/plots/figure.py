"""The figure that the plots are drawn on: it saves text as text, the same bytes every time, and says what it shows.

matplotlib is needed to import this module; `style.axes_for` does when a plot asks for a figure.
"""

from __future__ import annotations

from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib import rc_context, rcParams
from matplotlib.figure import Figure

from tensorkit_widgets.widget.saved_file import saved

_SAVED: Any = {"svg.fonttype": "none", "svg.hashsalt": "tensorkit", "pdf.fonttype": 42}
_DATES = {"svg": "Date", "pdf": "CreationDate"}
_WORDS = {"svg": "Description", "pdf": "Subject", "png": "Description"}
"""What each format calls the longer text beside the title."""


class KitFigure(Figure):
    """A figure of `tensorkit_widgets.plots`.

    Its label (``figure.get_label()``) is a title, and ``figure.alt`` a sentence for those who do not see the picture.
    Files carry both: SVG and PNG as Title and Description, PDF as Title and Subject. What ``savefig(metadata=…)`` says
    goes first.

    >>> figure = KitFigure()
    >>> figure.set_label("two bars")
    >>> figure.about("svg")
    {'Date': None, 'Title': 'two bars'}
    """

    alt: str = ""

    def about(self, written: str) -> dict[str, Any]:
        """What a file of a format carries beside the picture: no date, so that the same figure is the same bytes."""
        dated = {_DATES[written]: None} if written in _DATES else {}
        words = {"Title": self.get_label(), _WORDS[written]: self.alt} if written in _WORDS else {}
        return {**dated, **{name: text for name, text in words.items() if text}}

    def savefig(self, fname: Any, **options: Any) -> None:
        """`matplotlib.figure.Figure.savefig`, with text as text, no date, and the words that go with the picture."""
        written = options.get("format") or str(fname).rpartition(".")[2].lower()
        if not options.get("format") and not isinstance(fname, str) and not hasattr(fname, "__fspath__"):
            written = rcParams["savefig.format"]
        if about := self.about(written):
            options["metadata"] = {**about, **(options.get("metadata") or {})}
        with rc_context(_SAVED), ExitStack() as whole:
            if isinstance(fname, str | PathLike) and Path(fname).suffix:
                fname = whole.enter_context(saved(Path(fname)))
            super().savefig(fname, **options)
