"""The card that `Predict` and `Exercise` share: one drawing in HTML and in text, and what is done to it.

Python draws the card; the browser shows *that* HTML and sends back what was clicked. The live view and the
static one therefore never disagree, and everything that anyone typed is escaped in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import traitlets

from tensorkit.process import forks
from tensorkit_widgets.diagnosis.way_out import in_words
from tensorkit_widgets.practice.facts import MISCONCEPTIONS, Verdict
from tensorkit_widgets.practice.markup import LONGEST_TEXT, escape, markup, plain
from tensorkit_widgets.practice.session_log import CARDS, MEMORY, events, keep, note, recall
from tensorkit_widgets.practice.static_card import card_page, card_svg
from tensorkit_widgets.render.esm import static
from tensorkit_widgets.render.marks import drawable
from tensorkit_widgets.widget.host import Hosted
from tensorkit_widgets.widget.live_view import display_live
from tensorkit_widgets.widget.saved_file import save_as

__all__ = ["MEMORY", "Card", "button", "earlier_part", "entry_box", "verdict_part"]

_GUARD = forks.rlock()  # one for all cards: two of them may show one state


def button(do: str, label: str, *, quiet: bool = False) -> str:
    """A button that sends `do` to Python."""
    look = ' class="tk-quiet"' if quiet else ""
    return (
        f'<button type="button" data-do="{escape(do)}" data-key="{escape(do)}"{look}>{escape(label)}</button>'
    )


def entry_box(label: str, placeholder: str, key: str = "entry", value: str = "") -> str:
    """A one-line box; Enter does what the first button of its part does."""
    return (
        f'<input type="text" data-key="{escape(key)}" aria-label="{escape(label)}" value="{escape(value)}"'
        f' placeholder="{escape(placeholder)}" maxlength="{LONGEST_TEXT}"'
        ' autocomplete="off" autocapitalize="off" spellcheck="false">'
    )


def verdict_part(verdict: Verdict, title: str = "") -> str:
    """A verdict as the card shows it: a word, a sentence, and the misconception by its name."""
    state = {True: "right", False: "wrong", None: "open"}[verdict.correct]
    mark = {True: "✓", False: "✗", None: "…"}[verdict.correct]
    name = verdict.misconception
    sentence = f": {MISCONCEPTIONS[name]}" if name in MISCONCEPTIONS else ""
    named = f'<p class="tk-named"><em>{escape(plain(name))}</em>{markup(sentence)[3:-4]}</p>' if name else ""
    return (
        f'<div class="tk-verdict" data-state="{state}"><p class="tk-title">'
        f'<span aria-hidden="true">{mark}</span> {escape(title or verdict.title)}</p>'
        f"{markup(verdict.says) if verdict.says else ''}{named}</div>"
    )


def earlier_part(said: str) -> str:
    """What the learner had said before, under a verdict."""
    return f'<div class="tk-earlier">{markup(said)}</div>' if said else ""


class Card(Hosted):
    """A question with its state in Python. Subclasses draw it, in HTML and in text, and act for it."""

    _script_file = "practice.js"
    _css = static("practice.css")
    html = traitlets.Unicode().tag(sync=True)
    announced = traitlets.Unicode().tag(sync=True)
    heard = traitlets.Int().tag(sync=True)

    recorded = True
    """Is what happens here kept, and shown by `progress()`?"""

    kind: ClassVar[str] = "card"
    label: ClassVar[str] = "Question"

    def __init__(self, name: str, fresh: Mapping[str, Any], knows: Iterable[str] = ()) -> None:
        self._guard = _GUARD
        self._name = name
        self._fresh = {**fresh, "history": ()}
        self.knows = tuple(dict.fromkeys(name for name in knows if name))
        super().__init__()
        CARDS.add(self)
        self._begin("")

    def _begin(self, announced: str) -> None:
        """Draw the state that is kept for this question."""
        self._state = recall(self.key, self._fresh) if self.recorded else dict(self._fresh)
        try:
            self._settle()
            self._paint(announced)
        except Exception:
            # The file may have been edited by hand, and the question may have changed since: ask again.
            # The state is left to who has it: the card from before its cell was edited may still be on the page.
            self._state = dict(self._fresh)
            self._paint(announced)

    def _settle(self) -> None:
        """Make a state that comes from a file one that this question can have; subclasses know how."""

    @property
    def name(self) -> str:
        """The name by which the lessons and `progress()` know it."""
        return self._name

    @property
    def key(self) -> str:
        """Kind and name: what its state is kept under."""
        return f"{self.kind} {self._name}"

    def again(self) -> None:
        """Ask once more, from the start. What was answered before stays in the record of `progress()`."""
        with self._guard:
            before = self._state["history"]
            self._state.clear()
            self._state.update({**self._fresh, "history": before})
            self._draw("Asked again.")

    def forget_state(self) -> None:
        """Begin again because everything was forgotten; called by `forget()`."""
        with self._guard:
            self._begin("Forgotten.")

    def save(self, path: str | Path) -> Path:
        """Write the card as it is now to ``x.html`` (a page of its own), ``x.svg`` or ``x.txt``.

        Raises:
            ValueError: when the name ends in something else.
        """
        writers: dict[str, Callable[[], str]] = {
            ".svg": self.svg,
            ".txt": lambda: self.text() + "\n",
            ".html": lambda: card_page(self.label, self._mood(), self._body(live=False)),
        }
        return save_as(path, writers)

    def svg(self, theme: str | None = None) -> str:
        """The card as a picture; ``theme`` is "light", "dark", or None for what the reader prefers."""
        return card_svg(self.text(), self._mood(), theme)

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
        if self.comm is None:  # an earlier run of the cell was closed, but somebody still holds its card
            self.__dict__.pop("_repr_mimebundle_", None)
            self.open()
        still = {"text/html": drawable(self.static_html()), "text/plain": drawable(self.text())}
        display_live(self, still, "Run this cell to answer.")

    def _draw(self, announced: str = "", *, soon: bool = False) -> None:
        """Something has changed: keep it (or soon), and draw it wherever it shows."""
        if self.recorded:
            keep(self.key, self._state, self.knows, soon=soon)
        for other in list(CARDS):
            # One of the same name that keeps another kind of state asks something else, as before its cell was edited.
            alike = other.key == self.key and other._fresh == self._fresh and other.recorded is self.recorded
            if other is not self and alike and other.comm is not None:
                other._state = self._state
                other._paint(announced)
        self._paint(announced)

    def _remember(
        self,
        said: str,
        verdict: Verdict,
        sure: bool | None = None,
        about: tuple[str, ...] | None = None,
        asked: str = "",
    ) -> None:
        """Add an answer to the card's history: of one question of several, which, and what it recognises."""
        note(self._state, said, verdict, sure, self.knows if about is None else about, asked)

    def _before(self) -> str:
        """What was said before the answer that stands, when that was something else; '' when there was nothing."""
        past = events(self._state)
        if len(past) < 2 or past[-2]["correct"] or past[-2]["said"] == past[-1]["said"]:
            return ""
        name = past[-2]["misconception"]
        behind = f" Behind it: {name}." if name else ""
        return f"Before, you had said: {past[-2]['said']}.{behind}"

    def _paint(self, announced: str, trouble: str = "") -> None:
        said = f'<p class="tk-note">{escape(trouble)}</p>' if trouble else ""
        self.html = drawable(
            f'<div class="tk-card" role="group" data-kind="{self.kind}" data-state="{self._mood()}"{self._marks()}'
            f' aria-label="{escape(self.label)}">{self._body(live=True)}{said}</div>'
        )
        self.announced = drawable(plain(announced))

    def _heard(self, _widget: object, content: object, _buffers: object) -> None:
        """A message from the browser: `{"do": …, "value": …}`; anything else is no message of ours."""
        if not isinstance(content, dict) or not isinstance(content.get("do"), str):
            return
        act = self._acts().get(content["do"])
        value = content.get("value", "")
        if act and isinstance(value, str):
            self._tried(act, value)
        with self._guard:
            self.heard += 1  # the browser waits for this: a card whose kernel is gone must say so

    def _tried(self, act: Callable[[str], object], value: str) -> None:
        """Do what the browser asks for: an error is said on the card, which stays as it was."""
        before = dict(self._state)
        try:
            if len(value) > LONGEST_TEXT:
                raise ValueError(
                    f"an answer has at most {LONGEST_TEXT} characters, and this one has {len(value):,}"
                )
            act(value)
        except Exception as error:
            with self._guard:
                self._state.clear()
                self._state.update(before)
                words = f"That was not possible: {in_words(error)}"
                self._paint(words, words)

    def _marks(self) -> str:
        """Further attributes of the live card: what the page has to know of it."""
        return ""

    def _mood(self) -> str:
        raise NotImplementedError

    def _body(self, *, live: bool) -> str:
        raise NotImplementedError

    def _twin(self) -> str:
        raise NotImplementedError

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        raise NotImplementedError
