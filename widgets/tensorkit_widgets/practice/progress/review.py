"""`review()`: a few questions from what you have done so far, mixed, each when its time has come."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.catalogue import is_name, lesson_numbers
from tensorkit_widgets.practice.facts import Note
from tensorkit_widgets.practice.kinds import Question
from tensorkit_widgets.practice.progress.schedule import Due, schedule
from tensorkit_widgets.practice.quiz import Quiz
from tensorkit_widgets.practice.session_log import events


class Review(Quiz):
    """The questions of one day: a quiz that remembers which questions it was dealt. `review()` makes it."""

    kind = "review"
    label = "Review"

    def _fresh_state(self) -> dict[str, Any]:
        return {**super()._fresh_state(), "dealt": tuple(asked.name for asked in self._sheet.questions)}

    def _settle(self) -> None:
        super()._settle()
        self._state["dealt"] = self._fresh["dealt"]

    def _eyebrow(self) -> str:
        return "Review · from memory"


def review(count: int = 5) -> Review | Note:
    """A card with up to `count` questions about misconceptions that are due, from several lessons.

    What you got wrong comes back first, what you were sure of before all; what you got right comes back after a day,
    then three, then a week. Running the cell again on the same day shows the same card until it is answered; after
    that the next one. Questions come only from lessons that you have begun.

    Raises:
        ValueError: when `count` is less than 1.
    """
    if count < 1:
        raise ValueError(f"a review has at least 1 question, not {count}")
    states, now = session_log.everything(), datetime.now(UTC)
    title, dealt = _todays(states, now)
    known = dict(_questions(_furthest(states)))
    if dealt:
        return Review(title, *(replace(known[name], name=name) for name in dealt if name in known))
    chosen = _deal([one for one in schedule(states) if one.due <= now], known, states, count)
    if chosen:
        return Review(title, *chosen)
    later = [one.due for one in schedule(states) if one.due > now]
    if later:
        wait = min(later) - now
        when = "tomorrow" if wait.days == 0 else f"in {wait.days + 1} days"
        return Note(f"Nothing to review now. The next question is due {when}.")
    return Note("Nothing to review yet: answer some predictions in a lesson first.")


def due_now(states: Mapping[str, Mapping[str, Any]] | None = None) -> int:
    """How many misconceptions are due for review."""
    now = datetime.now(UTC)
    return sum(one.due <= now for one in schedule(session_log.everything() if states is None else states))


def _todays(states: Mapping[str, Mapping[str, Any]], now: datetime) -> tuple[str, tuple[str, ...]]:
    """The title of today's review, and its questions if it was dealt already and is not answered yet."""
    day = f"{now.day} {now:%B %Y}"
    for number in range(1, 100):
        title = f"Review of {day}" + (f", number {number}" if number > 1 else "")
        state = states.get(f"review {title}")
        if state is None:
            break
        right, dealt = state.get("right", ()), state.get("dealt", ())
        if not isinstance(right, tuple) or not isinstance(dealt, tuple):
            continue
        if None in right:
            return title, tuple(name for name in dealt if isinstance(name, str))
    return title, ()


def _furthest(states: Mapping[str, Mapping[str, Any]]) -> str:
    """The number of the last lesson in which something was answered."""
    names = (key.partition(" ")[2] for key, state in states.items() if events(state))
    return max((name[:2] for name in names if is_name(name)), default="")


def _questions(last: str) -> Iterator[tuple[str, Question]]:
    """What may be asked, by name: questions of the lessons up to this one that need no picture and no device."""
    for number in lesson_numbers():
        if number > last:
            continue
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
        for asked in lesson.QUESTIONS:
            yield f"{number}.{asked.name}", asked
        for sheet in getattr(lesson, "QUIZZES", ()):
            for asked in () if sheet.test else sheet.questions:
                yield f"{number}.{sheet.name}.{asked.name}", asked


def _deal(
    due: Sequence[Due], known: Mapping[str, Question], states: Mapping[str, Mapping[str, Any]], count: int
) -> list[Question]:
    """One question for each misconception that is due: one that was not asked yet before one that was."""
    asked_before = _asked_before(states)
    chosen: dict[str, Question] = {}
    for one in due:
        fitting = [
            name
            for name, asked in known.items()
            if name not in chosen
            and not asked.pick
            and any(slip.misconception == one.name for slip in asked.slips)
        ]
        # Of those not asked lately the one from the latest lesson: it is the furthest from where it was taught.
        fitting.sort(key=lambda name: (asked_before.get(name, ""), -int(name[:2]), name))
        if fitting:
            chosen[fitting[0]] = replace(known[fitting[0]], name=fitting[0])
        if len(chosen) == count:
            break
    return [chosen[name] for name in _mixed(list(chosen))]


def _asked_before(states: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """When each question was answered last."""
    last: dict[str, str] = {}
    for key, state in states.items():
        for event in events(state):
            name = event.get("asked")
            name = name if isinstance(name, str) and name else key.partition(" ")[2]
            last[name] = max(last.get(name, ""), event["at"])
    return last


def _mixed(names: list[str]) -> list[str]:
    """The same names, neighbours from different lessons as far as that goes."""
    mixed: list[str] = []
    while names:
        other = next((name for name in names if not mixed or name[:2] != mixed[-1][:2]), names[0])
        names.remove(other)
        mixed.append(other)
    return mixed
