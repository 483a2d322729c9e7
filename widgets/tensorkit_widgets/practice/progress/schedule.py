"""When a misconception should be asked about again: the longer it has been answered right, the later.

Each answer is an event with the misconceptions that its question would have recognised. A wrong answer makes the one
behind it due at once; each right one after that puts it off, by the days of `DAYS`.

>>> from datetime import UTC, datetime, timedelta
>>> monday = datetime(2026, 11, 23, 9, tzinfo=UTC)
>>> def answered(days, correct, sure=None):
...     at = (monday + timedelta(days=days)).isoformat()
...     said = "" if correct else "a slice aliases its base"
...     return {"at": at, "said": "A", "correct": correct, "misconception": said,
...             "about": ("a slice aliases its base",), **({} if sure is None else {"sure": sure})}
>>> state = {"history": (answered(0, False, sure=True), answered(0, True), answered(2, True))}
>>> [one] = schedule({"predict 02.alias": state})
>>> one.name, one.right, (one.due - monday).days
('a slice aliases its base', 2, 5)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tensorkit_widgets.practice.session_log import events

DAYS = (1, 3, 7, 21, 60)
"""After so many right answers in a row, how many days until it is asked again."""


@dataclass(frozen=True)
class Due:
    """A misconception, and when it is due.

    `right` is how many right answers in a row there have been since the last wrong one, `sure` whether the last wrong
    one was given as sure, `met` whether there was a wrong one at all.
    """

    name: str
    due: datetime
    right: int
    sure: bool
    met: bool


def about(state: Mapping[str, Any], event: Mapping[str, Any]) -> tuple[str, ...]:
    """The misconceptions that an answer's question would have recognised; of an old record, those of its whole card."""
    found = event.get("about", state.get("knows", ()))
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, (tuple, list)) else ()


def schedule(states: Mapping[str, Mapping[str, Any]]) -> list[Due]:
    """All misconceptions that the answers so far have to do with, the most urgent first."""
    past: dict[str, list[tuple[datetime, bool, bool]]] = {}
    for state in states.values():
        for event in events(state):
            at, wrong = _time(event["at"]), event["misconception"]
            if at is None:
                continue
            for name in (wrong,) if wrong else about(state, event) if event["correct"] else ():
                past.setdefault(name, []).append((at, not wrong, event.get("sure") is True))
    found = (_due(name, sorted(answers)) for name, answers in past.items())
    return sorted(found, key=lambda one: (one.right > 0, not one.sure, one.due, one.name))


def _due(name: str, answers: Iterable[tuple[datetime, bool, bool]]) -> Due:
    due, right, sure, met = datetime.min.replace(tzinfo=UTC), 0, False, False
    for at, correct, was_sure in answers:
        if correct:
            right += 1
            due = at + timedelta(days=DAYS[min(right, len(DAYS)) - 1])
        else:
            due, right, sure, met = at, 0, was_sure, True
    return Due(name, due, right, sure and right == 0, met)


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:  # a file that was edited by hand
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
