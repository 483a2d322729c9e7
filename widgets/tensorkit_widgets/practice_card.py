"""The card that `Predict` and `Exercise` share: one drawing in HTML and in text, and what is done to it.

Python draws the card; the browser shows *that* HTML and sends back what was clicked. The live view and the
static one therefore never disagree, and everything that anyone typed is escaped in one place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import anywidget
import traitlets

from tensorkit_widgets import live
from tensorkit_widgets.esm import link, static
from tensorkit_widgets.practice import MISCONCEPTIONS, Verdict
from tensorkit_widgets.practice_text import LONGEST_TEXT, escape, markup, plain

__all__ = ["MEMORY", "Card", "button", "entry_box", "verdict_part"]

MEMORY: dict[str, dict[str, Any]] = {}
"""What the learner did, by the card's name: it outlives the widget, so a cell may be run again."""


def button(do: str, label: str, *, quiet: bool = False) -> str:
    """A button that sends `do` to Python."""
    look = ' class="tk-quiet"' if quiet else ""
    return (
        f'<button type="button" data-do="{escape(do)}" data-key="{escape(do)}"{look}>{escape(label)}</button>'
    )


def entry_box(label: str, placeholder: str) -> str:
    """A one-line box; Enter does what the first button of the card does."""
    return (
        f'<input type="text" data-key="entry" aria-label="{escape(label)}"'
        f' placeholder="{escape(placeholder)}" maxlength="{LONGEST_TEXT}"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false">'
    )


def verdict_part(verdict: Verdict, title: str = "") -> str:
    """A verdict as the card shows it: a word, a sentence, and the misconception by its name."""
    state = {True: "right", False: "wrong", None: "open"}[verdict.correct]
    mark = {True: "✓", False: "✗", None: "…"}[verdict.correct]
    name = verdict.misconception
    sentence = f": {MISCONCEPTIONS[name]}" if name in MISCONCEPTIONS else ""
    named = f'<p class="tk-named"><em>{escape(name)}</em>{escape(sentence)}</p>' if name else ""
    return (
        f'<div class="tk-verdict" data-state="{state}"><p class="tk-title">'
        f'<span aria-hidden="true">{mark}</span> {escape(title or verdict.title)}</p>'
        f"{markup(verdict.says) if verdict.says else ''}{named}</div>"
    )


class Card(anywidget.AnyWidget):
    """A question with its state in Python. Subclasses draw it, in HTML and in text, and act for it."""

    _esm = link("practice.js")
    _css = static("practice.css")
    html = traitlets.Unicode().tag(sync=True)
    announced = traitlets.Unicode().tag(sync=True)
    heard = traitlets.Int().tag(sync=True)

    kind: ClassVar[str] = "card"
    label: ClassVar[str] = "Question"

    def __init__(self, name: str, fresh: Mapping[str, Any]) -> None:
        self._guard = threading.RLock()
        self._name = name
        self._fresh = dict(fresh)
        self._state = MEMORY.setdefault(f"{self.kind} {name}", dict(fresh))
        super().__init__()
        self.on_msg(self._heard)
        self._draw()

    @property
    def name(self) -> str:
        """The name by which the lessons and `progress()` know it."""
        return self._name

    def again(self) -> None:
        """Forget what was answered, and ask once more."""
        with self._guard:
            self._state.clear()
            self._state.update(self._fresh)
            self._draw("Asked again.")

    def text(self) -> str:
        """The text twin: all that the card shows, and its state."""
        return self._twin()

    def static_html(self) -> str:
        """The card for a place without a kernel: nothing in it to press."""
        look = "border-left: 4px solid #0069a6; padding-left: 16px"
        return f'<div class="tk-still" style="{look}">{self._body(live=False)}</div>'

    def __repr__(self) -> str:
        return self._twin()

    def _ipython_display_(self, **_options: Any) -> None:
        """The live view, then the static card as an output of its own, for a reader without a kernel."""
        from IPython.display import display

        if self.comm is None:  # an earlier run of the cell was closed, but somebody still holds its card
            self.__dict__.pop("_repr_mimebundle_", None)
            self.open()
        live.replace_in_cell(self)
        bundle = self._repr_mimebundle_()
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        # The view alone: its words are in the second output, so a saved notebook shows them once.
        view = {kind: value for kind, value in data.items() if kind != "text/plain"}
        display(view, metadata=metadata, raw=True)
        display({"text/html": self.static_html(), "text/plain": self.text()}, raw=True)

    def _draw(self, announced: str = "") -> None:
        self.html = (
            f'<div class="tk-card" role="group" data-kind="{self.kind}" data-state="{self._mood()}"'
            f' aria-label="{escape(self.label)}">{self._body(live=True)}</div>'
        )
        self.announced = plain(announced)

    def _heard(self, _widget: object, content: object, _buffers: object) -> None:
        """A message from the browser: `{"do": …, "value": …}`; anything else is no message of ours."""
        if not isinstance(content, dict) or not isinstance(content.get("do"), str):
            return
        act = self._acts().get(content["do"])
        value = content.get("value", "")
        if act and isinstance(value, str) and len(value) <= LONGEST_TEXT:
            act(value)
        with self._guard:
            self.heard += 1  # the browser waits for this: a card whose kernel is gone must say so

    def _mood(self) -> str:
        raise NotImplementedError

    def _body(self, *, live: bool) -> str:
        raise NotImplementedError

    def _twin(self) -> str:
        raise NotImplementedError

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        raise NotImplementedError
