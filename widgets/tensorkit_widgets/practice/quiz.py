"""`Quiz`: several questions on one card, each judged by itself, each wrong answer met by its misconception.

>>> quiz = Quiz("Warm-up",
...     ask("Which one moves numbers?", ["`t.t()`", "`t.clone()`"], answer="`t.clone()`",
...         misconceptions={"`t.t()`": ("transpose moves no data", "It swaps two strides.")}),
...     ask("What is `(2 + 1) * 4`?", answer=12))
>>> quiz.answer(1, "`t.t()`").misconception, quiz.answer(2, 12).correct
('transpose moves no data', True)
>>> quiz.answers, quiz.score
(['`t.t()`', 12], (1, 2))

A question that a teacher writes into a notebook shows its answer in its source; `seal` makes one that
does not (and `sealed_answers` says what that can hide).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tensorkit_widgets.practice.answers import judge, kind_of, refusal, truth, understood
from tensorkit_widgets.practice.card import Card, button
from tensorkit_widgets.practice.catalogue import Question, QuizSheet, find_quiz, full_name, is_name
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.facts import Slip, Verdict
from tensorkit_widgets.practice.markup import escape, plain, shown
from tensorkit_widgets.practice.option_order import OptionOrder, in_order
from tensorkit_widgets.practice.quiz_html import part, part_text
from tensorkit_widgets.practice.sealed_answers import Resorted, SealedText, seal_answer
from tensorkit_widgets.practice.session_log import learner

_KEPT = "Your answer is kept."

Misconceptions = Mapping[Any, str | tuple[str, str]]


class Quiz(Card):
    """Several questions, answered one by one, in any order, as often as one likes.

    `Quiz("06.dtypes")`, or `Quiz("dtypes")` where one lesson alone has that name, is one of the lessons':
    the notebook names it, and no answer stands there. `Quiz(title, ask(…), ask(…))` is one of your own.

    The options of each question are shuffled, for each learner in another way and for one learner always alike; `ask`
    says which keep their places.

    The learner answers in the widget, or in Python, counting from 1: `quiz.answer(1, "B")`. `quiz.answers` are the
    answers so far, `quiz.verdicts` what was found, `quiz.score` how many of how many are right. All of it is kept by
    name; `quiz.again()` starts again.

    Raises `LookupError` for an unknown name.
    """

    kind = "quiz"
    label = "Quiz"

    def __init__(self, name: str, *questions: Question) -> None:
        named = name if questions else full_name(name, "QUIZZES")
        if questions:
            self._sheet = QuizSheet(name, name, questions)
        elif is_name(named):
            self._sheet = find_quiz(named)
        else:
            raise TypeError("a quiz of your own needs questions: Quiz(title, ask(…), ask(…))")
        for question in self._sheet.questions:
            _check_question(question)
        ordered = tuple(_in_order(question, named) for question in self._sheet.questions)
        self._sheet = replace(self._sheet, questions=ordered)
        slips = (slip.misconception for question in self._sheet.questions for slip in question.slips)
        super().__init__(named, self._fresh_state(), slips)

    def _fresh_state(self) -> dict[str, Any]:
        blank = (None,) * len(self._sheet.questions)
        return {"said": blank, "verdicts": blank, "right": blank, "shown": (False,) * len(blank), "note": ""}

    def _settle(self) -> None:
        count = len(self._sheet.questions)
        if any(len(self._state[name]) != count for name in ("said", "verdicts", "right", "shown")):
            raise ValueError("these are answers to another quiz")
        said = tuple(
            understood(asked, value) if value is not None else None
            for asked, value in zip(self._sheet.questions, self._state["said"], strict=True)
        )
        # A sealed answer takes a while to judge; what was found when it was given stands.
        found = tuple(
            None
            if value is None
            else old
            if asked.sealed and isinstance(old, Verdict)
            else judge(asked, value)
            for asked, value, old in zip(self._sheet.questions, said, self._state["verdicts"], strict=True)
        )
        self._state.update(
            said=said, verdicts=found, right=tuple(None if v is None else v.correct for v in found)
        )

    @property
    def title(self) -> str:
        """The quiz's title."""
        return self._sheet.title

    @property
    def answers(self) -> list[object]:
        """The answers so far, None where there is none yet."""
        return list(self._state["said"])

    @answers.setter
    def answers(self, values: Sequence[object]) -> None:
        for number, value in enumerate(values, start=1):
            if value is not None:
                self.answer(number, value)

    @property
    def verdicts(self) -> list[Verdict | None]:
        """What was found of each answer, None where there is none yet."""
        return list(self._state["verdicts"])

    @property
    def score(self) -> tuple[int, int]:
        """How many are right, of how many."""
        return sum(right is True for right in self._state["right"]), len(self._sheet.questions)

    def answer(self, number: int, value: object) -> Verdict:
        """Answer a question, counted from 1, and have it judged."""
        asked = self._sheet.questions[self._index(number)]
        said = understood(asked, value)
        if said is None:
            verdict = Verdict(None, refusal(asked, value))
        else:
            verdict = judge(asked, said)
        with self._guard:
            self._state["note"] = ""
            if verdict.correct is None:
                self._state["note"] = (number, verdict.says)
                self._draw(f"Question {number}: {verdict.says}")
                return verdict
            for name, entry in (("said", said), ("verdicts", verdict), ("right", verdict.correct)):
                self._set_at(name, number, entry)
            lesson = self._name if is_name(self._name) else ""
            name = f"{lesson}.{asked.name}" if lesson else asked.name
            self._remember(f"{number}: {_told(said)}", verdict, about=_about(asked), asked=name)
            found = _KEPT if self._silent else f"{verdict.title}. {verdict.says}"
            self._draw(f"Question {number}. {found} {self._tally()}")
        return verdict

    def reveal(self, number: int) -> str:
        """Show the right answer of a question, counted from 1; a sealed one does not know it."""
        asked = self._sheet.questions[self._index(number)]
        answer = truth(asked)
        if not answer:
            return "This answer is sealed: it can be checked, but not shown."
        with self._guard:
            self._set_at("shown", number, True)
            self._draw(f"Question {number}. It is {answer}. {asked.why}")
        return plain(f"It is {answer}. {asked.why}".strip())

    def _index(self, number: int) -> int:
        if not 1 <= number <= len(self._sheet.questions):
            raise IndexError(f"there are the questions 1 to {len(self._sheet.questions)}")
        return number - 1

    def _set_at(self, name: str, number: int, value: object) -> None:
        row = list(self._state[name])
        row[number - 1] = value
        self._state[name] = tuple(row)

    @property
    def _silent(self) -> bool:
        """Whether the results are kept, and not shown."""
        return self._sheet.test == "before"

    def _mood(self) -> str:
        right, of = self.score
        if self._silent:
            return "open"
        if right == of:
            return "right"
        return "wrong" if any(found is False for found in self._state["right"]) else "open"

    def _tally(self) -> str:
        right, of = self.score
        begun = sum(said is not None for said in self._state["said"])
        if self._silent and begun:
            return f"{begun} of {of} answered"
        return f"{right} of {of} right" if begun else ""

    def _note_of(self, number: int) -> str:
        note = self._state["note"]
        return str(note[1]) if isinstance(note, tuple) and note[0] == number else ""

    def _eyebrow(self) -> str:
        return "Quiz · from memory" if self._sheet.recall else "Quiz"

    def _parts(self) -> Iterable[tuple[int, Question, object, Verdict | None, bool, str]]:
        state = self._state
        for i, asked in enumerate(self._sheet.questions):
            note = self._note_of(i + 1)
            if self._silent:
                kept = _KEPT if state["said"][i] is not None else ""
                yield i + 1, asked, state["said"][i], None, False, note or kept
                continue
            yield i + 1, asked, state["said"][i], state["verdicts"][i], state["shown"][i] is True, note

    def _body(self, *, live: bool) -> str:
        drawn = [
            f'<p class="tk-eyebrow"><strong>{self._eyebrow()}</strong> <span>{escape(plain(self.title))}</span></p>'
        ]
        drawn += [part(*one, live=live) for one in self._parts()]
        tally = f'<span class="tk-tally">{self._tally()}</span>' if self._tally() else ""
        again = button("again", "Ask me again", quiet=True) if live and tally else ""
        drawn.append(f'<div class="tk-row tk-foot">{again}{tally}</div>' if tally else "")
        return "".join(drawn)

    def _twin(self) -> str:
        lines = [f"{self._eyebrow()}: {plain(self.title)}"]
        for one in self._parts():
            lines += part_text(*one)
        return "\n".join([*lines, *([self._tally()] if self._tally() else [])])

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        acts: dict[str, Callable[[str], object]] = {"again": lambda _: self.again()}
        for number in range(1, len(self._sheet.questions) + 1):
            acts[f"answer-{number}"] = lambda value, number=number: self.answer(number, value)  # type: ignore[misc]
            acts[f"reveal-{number}"] = lambda _, number=number: self.reveal(number)  # type: ignore[misc]
        return acts


def _about(asked: Question) -> tuple[str, ...]:
    """The misconceptions that a question recognises."""
    return tuple(dict.fromkeys(slip.misconception for slip in asked.slips if slip.misconception))


def _told(said: object) -> str:
    """An answer as the record of answers has it."""
    chosen = isinstance(said, tuple) and all(isinstance(item, str) for item in said)
    return ", ".join(said) if chosen and isinstance(said, tuple) else str(said)


def _in_order(asked: Question, quiz: str) -> Question:
    """The question with its options in this learner's order: all that speaks of letters speaks of these."""
    options = in_order(asked.options, f"{quiz}: {asked.name}", learner(), asked.order)
    # A seal knows the options in the order in which they were sealed.
    sealed = Resorted(asked.sealed, asked.options) if asked.sealed is not None else None
    answer = asked.answer
    if isinstance(answer, tuple) and options:
        answer = tuple(option for option in options if option in answer)
    return replace(asked, options=options, answer=answer, sealed=sealed)


def _check_question(asked: Question) -> None:
    right = asked.answer if isinstance(asked.answer, tuple) else (asked.answer,)
    if asked.options and asked.sealed is None and not set(right) <= set(asked.options):
        raise ValueError(f"the answer {shown(asked.answer)} is not one of the options")


def ask(
    question: str,
    options: Sequence[str] = (),
    *,
    answer: object = None,
    why: str = "",
    misconceptions: Misconceptions | None = None,
    tolerance: float = 0.0,
    also: Sequence[object] = (),
    check: Checker | None = None,
    base: Any = None,
    solution: str = "",
    sealed: str = "",
    order: OptionOrder = "free",
) -> Question:
    """A question for a `Quiz` of your own.

    With `options`, `answer` is one of them, or a list of several; without, a whole number, a row of them, a float
    (within `tolerance`), or a word (`also` are further right ones). `misconceptions` maps a wrong answer, or an
    option that is wrongly ticked or missed, to what to say of it, or to `(name, what to say)`.
    With a `check` from `tensorkit_widgets.practice.checking.checks` and a tensor `base`, the answer is a line of code
    on `t`, such as `t[1:].t()`.
    `sealed` is what `seal` printed, in place of `answer`, `why` and `misconceptions`. With `order="given"` the options
    stay as they are, with `order="last"` the last one does ("none of them").

    Raises `ValueError` when the answer is not among the options, and `BadSeal` when `sealed` is damaged.
    """
    if sum((answer is not None, check is not None, bool(sealed))) != 1:
        raise TypeError("a question needs one of answer=, check= and sealed=")
    asked = Question(
        question,
        question,
        tuple(answer) if isinstance(answer, (list, tuple, set, frozenset)) else answer,
        why,
        tuple(options),
        tuple(_slip(given, says) for given, says in (misconceptions or {}).items()),
        tolerance=tolerance,
        also=tuple(also),
        check=check,
        base=None if base is None else lambda _: base,
        solution=solution,
        sealed=SealedText(sealed) if sealed else None,
        order=order,
    )
    _check_question(asked)
    return asked


def seal(
    question: str,
    options: Sequence[str] = (),
    *,
    answer: object,
    why: str = "",
    misconceptions: Misconceptions | None = None,
) -> Source:
    """A question whose answer cannot be read: shows the `ask(…)` to paste into the notebook.

    Run it in a cell of its own, paste what it shows into the quiz, and delete the cell.
    `sealed_answers` says what this hides (a glance at the source) and what not (a computer that tries all answers).
    """
    open_one = ask(question, options, answer=answer, why=why, misconceptions=misconceptions)
    slips = {slip.looks["given"]: (slip.misconception, slip.says) for slip in open_one.slips}
    kind = kind_of(open_one)
    text = seal_answer(kind, open_one.answer, (why,), slips, open_one.options).text
    folded = "\n".join(f"    {line!r}" for line in textwrap.wrap(text, 96))
    given = f", {list(options)!r}" if options else ""
    return Source(f"ask(\n    {question!r}{given},\n    sealed=\n{folded},\n)")


class Source(str):
    """Text that shows itself as it is, to be copied."""

    def __repr__(self) -> str:
        return str(self)


def _slip(given: Any, says: str | tuple[str, str]) -> Slip:
    name, sentence = ("", says) if isinstance(says, str) else says
    return Slip(name, sentence, given=tuple(given) if isinstance(given, list) else given)
