"""`Predict`: say what will happen before it does, then compare.

>>> p = Predict("What is the stride of `t.t()`?", answer=(1, 5), why="`t` has the stride (5, 1).",
...             misconceptions={(5, 1): ("permute vs view", "A transpose swaps the strides.")})
>>> p
Predict first: What is the stride of t.t()?
>>> p.answer = (5, 1)
>>> p
Predict first: What is the stride of t.t()?
Not what happens. You said (5, 1). A transpose swaps the strides. It is (1, 5). t has the stride (5, 1).
(permute vs view)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import tensorkit
from tensorkit_widgets.practice.answers import example, letter, refusal, understood, words
from tensorkit_widgets.practice.card import Card, button, earlier_part, entry_box, verdict_part
from tensorkit_widgets.practice.catalogue import Question, find_question, is_name, practised
from tensorkit_widgets.practice.checking.near_misses import near_miss
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, same
from tensorkit_widgets.practice.kinds import Pick
from tensorkit_widgets.practice.markup import escape, markup, plain, shown
from tensorkit_widgets.practice.option_order import OptionOrder, in_order
from tensorkit_widgets.practice.picture import PICTURE_CSS, Picture
from tensorkit_widgets.practice.session_log import learner
from tensorkit_widgets.render.esm import static

_BREAK = '<span class="tk-break"></span>'
Misconceptions = Mapping[Any, str | tuple[str, str]]


class Predict(Card):
    """A question to answer before the cell that answers it is run. It may be skipped; it is never graded.

    `Predict("03.size_one")` is a question of the lessons. `Predict(question, options, answer=…)` is one of
    your own: with `options`, a choice; with a whole number, a row of them or a word for `answer`, a box to
    type in. `misconceptions` maps a wrong answer to what to say of it, or to `(name, what to say)`. The options
    are shuffled, for each learner in another way; with `order="given"` they stay as they are, with `order="last"`
    the last one does.

    With a `picture`, a small tensor, the answer can be given in its drawing. `pick="slot"`: press a slot of its
    storage, the answer is the slot's number. `pick="step"`: press two slots, the answer is the way from the one to
    the other. `pick="cells"`: press elements, the answer is the row of their numbers.

    The learner answers in the widget, or in Python: `p.answer = (1, 4)`, `p.answer = "B"`, `p.skip()`, and with how
    sure they are `p.commit("B", sure=True)`. The answer is kept by name (or by the question's text), so running the
    cell again does not lose it; `p.again()` does.

    >>> y = tk.arange(12).view(3, 4).t()
    >>> p = Predict("Which slot does `y[1, 0]` read?", answer=1, picture=y, pick="slot")
    >>> p.commit(4, sure=False).correct
    False

    Raises `LookupError` for an unknown name, and `ValueError` when `answer` is not one of the `options`, and for a
    picture that is too large to choose in.
    """

    kind = "predict"
    label = "Prediction"
    _css = static("practice.css") + PICTURE_CSS

    def __init__(
        self,
        question: str,
        options: Sequence[str] = (),
        *,
        answer: object = None,
        why: str = "",
        misconceptions: Misconceptions | None = None,
        order: OptionOrder = "free",
        picture: object = None,
        pick: Pick = "",
    ) -> None:
        if is_name(question):
            asked = find_question(question)
            picture = asked.picture(tensorkit) if asked.picture else None
        else:
            slips = tuple(_slip(given, says) for given, says in (misconceptions or {}).items())
            truth = tuple(answer) if isinstance(answer, (list, tuple)) else answer
            asked = Question(question, question, truth, why, tuple(options), slips, order=order, pick=pick)
        if asked.options and asked.answer not in asked.options:
            raise ValueError(f"the answer {shown(asked.answer)} is not one of the options")
        self._asked = replace(asked, options=in_order(asked.options, question, learner(), asked.order))
        self._picture = None if picture is None else Picture(picture, asked.pick)
        fresh = {"answer": None, "skipped": False, "note": "", "sure": None}
        super().__init__(question, fresh, (slip.misconception for slip in asked.slips))

    def _settle(self) -> None:
        self._state["answer"] = understood(self._asked, self._state["answer"])
        self._state["sure"] = self._state["sure"] if isinstance(self._state["sure"], bool) else None

    @property
    def answer(self) -> object:
        """The learner's prediction, None while there is none."""
        return self._state["answer"]

    @answer.setter
    def answer(self, value: object) -> None:
        self.commit(value)

    @property
    def sure(self) -> bool | None:
        """Whether the learner was sure of the answer; None where that was not said."""
        sure: bool | None = self._state["sure"]
        return sure

    def commit(self, value: object, *, sure: bool | None = None) -> Verdict:
        """Say what will happen, and how sure you are of it; the answer is shown at once.

        What cannot be read as an answer is no commitment: then the verdict is *Not checked*, with the reason.
        """
        with self._guard:
            said = understood(self._asked, value)
            if said is None:
                self._state["note"] = refusal(self._asked, value)
                self._draw(self._state["note"])
                return Verdict(None, self._state["note"])
            if self._picture is not None and self._asked.pick == "cells":
                said = self._picture.in_order(said)
            self._state.update(answer=said, skipped=False, note="", sure=sure)
            verdict = self.verdict
            assert verdict is not None  # an answer reveals
            self._remember(str(said) if self._asked.options else f"`{said}`", verdict, sure)
            self._draw(f"{self._headline()}. {verdict.says}")
            return verdict

    @property
    def revealed(self) -> bool:
        """Is the answer on show, because it was predicted or skipped?"""
        return self.answer is not None or bool(self._state["skipped"])

    @property
    def verdict(self) -> Verdict | None:
        """How the prediction compares with what happens; None before it was made or skipped."""
        if not self.revealed:
            return None
        truth, why = words(self._asked, self._asked.answer), self._asked.why
        if self.answer is None:
            return Verdict(None, f"It is {truth}. {why}".strip())
        if same(self.answer, self._asked.answer):
            return Verdict(True, why or f"It is {truth}.")
        slip: Slip | Verdict | None = next(
            (s for s in self._asked.slips if s.fits(Answer(self.answer))), None
        )
        if slip is None and not self._asked.options:
            slip = self._near_miss()
        name = "" if slip is None else slip.misconception
        reason = "" if slip is None else _sentence(slip.says)
        said, it_is = f"You said {words(self._asked, self.answer)}", f"It is {truth}."
        if self._asked.options:
            it_is = ""
        elif not reason:
            said, it_is = f"{said}; it is {truth}", ""
        more = self._second_look(name) if self.sure else ""
        says = " ".join(part for part in (f"{said}.", reason, it_is, why, more) if part)
        return Verdict(False, says, name)

    def _near_miss(self) -> Verdict | None:
        """The reason why an answer is wrong that no slip of the question knows, if it can be told."""
        picture, answer = self._picture, self.answer
        if picture is not None and self._asked.pick == "cells" and (odd := picture.strangers(answer)):
            return Verdict(False, f"the picture has no {odd[0]}.")
        slots = picture.slots if picture is not None and self._asked.pick == "slot" else 0
        return near_miss(self._asked.answer, answer, slots)

    def _second_look(self, misconception: str) -> str:
        """What is worth saying to somebody who was sure of a wrong answer: such an error comes back by itself."""
        again = practised(misconception, self.name[:2] if is_name(self.name) else "00")
        where = f"It comes back in {again}." if again else ""
        advice = (
            "" if self._asked.recall else in_order(_SURE, self.name, "", "free")[0]
        )  # there, nothing follows
        return f"{advice} {where}".strip()

    def skip(self) -> None:
        """Look at the answer without a prediction."""
        with self._guard:
            self._state.update(answer=None, skipped=True, note="", sure=None)
            verdict = self.verdict
            self._draw(f"Skipped. {verdict.says if verdict is not None else ''}")

    def _headline(self) -> str:
        if self.answer is None:
            return "Skipped"
        right = same(self.answer, self._asked.answer)
        if self._asked.recall:
            return "Right" if right else "Not so"
        return "As you predicted" if right else "Not what happens"

    def _eyebrow(self) -> str:
        return "From memory" if self._asked.recall else "Predict first"

    def _marks(self) -> str:
        # JupyterLab's extension shows the cells that answer this question as soon as it is revealed.
        return f' data-card="{escape(self.name)}" data-revealed="{str(self.revealed).lower()}"'

    def _mood(self) -> str:
        verdict = self.verdict
        return (
            "open" if verdict is None else {True: "right", False: "wrong", None: "skipped"}[verdict.correct]
        )

    def _body(self, *, live: bool) -> str:
        parts = [
            '<p class="tk-eyebrow"><strong>' + self._eyebrow() + "</strong></p>",
            markup(self._asked.ask),
        ]
        verdict = self.verdict
        parts.append(self._choices(live) if self._asked.options else "")
        if self._picture is not None:
            told = (self.answer, self._asked.answer)
            parts.append(self._picture.part(*told, live=live, revealed=self.revealed))
        if live and verdict is None:
            parts.append(self._ways_on())
        if verdict is not None:
            parts.append(verdict_part(verdict, self._headline()))
            parts.append(earlier_part(self._before()) if self.answer is not None else "")
        if self._state["note"]:
            parts.append(f'<p class="tk-note">{markup(self._state["note"])[3:-4]}</p>')
        if live and verdict is not None:
            parts.append(f'<div class="tk-row">{button("again", "Ask me again", quiet=True)}</div>')
        return "".join(parts)

    def _ways_on(self) -> str:
        """The box to type in, and the buttons: a commitment says how sure it is. Enter commits without saying so."""
        what = "answer" if self._asked.recall else "prediction"
        box = "" if self._asked.options else entry_box(f"Your {what}", example(self._asked)) + _BREAK
        row = (
            f'{box}<span class="tk-lead">That is my {what}:</span>{button("sure", "I am sure")}'
            f"{button('unsure', 'I am not sure')}{button('skip', 'Skip', quiet=True)}"
        )
        return f'<div class="tk-row" data-enter="answer">{row}</div>'

    def _choices(self, live: bool) -> str:
        if not live:
            lines = (
                f"<strong>{letter(i)}</strong> {markup(o)[3:-4]}" for i, o in enumerate(self._asked.options)
            )
            return f"<p>{'<br>'.join(lines)}</p>"
        off = " disabled" if self.revealed else ""
        rows = "".join(
            f'<label class="tk-option"{self._truth_mark(option)}>'
            f'<input type="radio" name="choice" value="{letter(i)}" data-key="option-{i}"'
            f"{' checked' if option == self.answer else ''}{off}>"
            f'<span class="tk-letter" aria-hidden="true">{letter(i)}</span>'
            f"<span>{markup(option)[3:-4]}</span></label>"
            for i, option in enumerate(self._asked.options)
        )
        return f'<fieldset><legend class="tk-unseen">Your prediction</legend>{rows}</fieldset>'

    def _truth_mark(self, option: str) -> str:
        if not self.revealed:
            return ""
        return ' data-truth="yes"' if option == self._asked.answer else ' data-truth="no"'

    def _twin(self) -> str:
        lines = [f"{self._eyebrow()}: {plain(self._asked.ask)}"]
        lines += [f"  {letter(i)}  {plain(option)}" for i, option in enumerate(self._asked.options)]
        verdict = self.verdict
        if verdict is not None:
            lines.append(f"{self._headline()}. {plain(verdict.says)}")
            lines += [f"({verdict.misconception})"] if verdict.misconception else []
            lines += [plain(self._before())] if self.answer is not None and self._before() else []
        if self._state["note"]:
            lines.append(plain(self._state["note"]))
        return "\n".join(lines)

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        return {
            "answer": self.commit,
            "sure": lambda value: self.commit(value, sure=True),
            "unsure": lambda value: self.commit(value, sure=False),
            "skip": lambda _: self.skip(),
            "again": lambda _: self.again(),
        }


_SURE = (
    "You were sure, so go through what follows step by step.",
    "You were sure of it. What follows shows where the two ways part: look for that place.",
    "You were sure, and many people are. Find the first step below that surprises you.",
    "You were sure: say to yourself, in one sentence, what you had thought before you read on.",
    "Since you were sure, change something in the next cell, and run it again.",
)
"""What is worth saying to somebody who was sure of a wrong answer; each card has one of them."""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _slip(given: Any, says: str | tuple[str, str]) -> Slip:
    name, sentence = ("", says) if isinstance(says, str) else says
    return Slip(name, sentence, given=tuple(given) if isinstance(given, list) else given)
