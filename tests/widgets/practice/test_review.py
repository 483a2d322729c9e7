"""`review()` deals what is due; the schedule puts off what is right; the course at a glance."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tensorkit_widgets import Predict, progress, review
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.facts import Note
from tensorkit_widgets.practice.progress import review as reviews
from tensorkit_widgets.practice.progress.at_a_glance import SIGNS, lesson_rows, rows_svg, rows_text
from tensorkit_widgets.practice.progress.review import Review, due_now
from tensorkit_widgets.practice.progress.schedule import DAYS, schedule
from tensorkit_widgets.practice.progress_file import ProgressFile
from tests.widgets.practice_helpers import blank_memory

__all__ = ["blank_memory"]  # a fixture

ALIAS, SQUEEZE = "a slice aliases its base", "squeeze eats the batch dimension"
START = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def file(blank_memory: None, tmp_path: Path) -> Path:
    path = tmp_path / ".tensorkit" / "progress.json"
    session_log.use(ProgressFile(path))
    return path


def event(day: float, name: str = "", *, right: bool = True, sure: bool | None = None) -> dict[str, Any]:
    return {
        "at": (START + timedelta(days=day)).isoformat(),
        "said": "A",
        "correct": right,
        "misconception": "" if right else name,
        "about": (name,),
        **({} if sure is None else {"sure": sure}),
    }


def err() -> None:
    """Three wrong predictions, one of them sure."""
    Predict("04.squeeze_batch").commit((1, 28, 28), sure=False)
    Predict("02.alias").commit("Nothing: `u` is a new tensor", sure=True)
    Predict("05.which_view").commit("A", sure=False)


# ------------------------------------------------------------------ the schedule


def test_each_right_answer_puts_it_off_for_longer() -> None:
    past = [event(0, ALIAS, right=False)]
    for right in range(len(DAYS) + 2):
        [one] = schedule({"predict 02.alias": {"history": tuple(past)}})
        wait = 0 if not right else DAYS[min(right, len(DAYS)) - 1]
        assert (one.due - START).days == right * 10 + wait
        assert one.right == right
        past.append(event((right + 1) * 10, ALIAS))


def test_a_wrong_answer_makes_it_due_at_once() -> None:
    past = (event(0, ALIAS), event(1, ALIAS), event(5, ALIAS, right=False))
    [one] = schedule({"predict 02.alias": {"history": past}})
    assert (one.due - START).days == 5
    assert one.right == 0
    assert one.met


def test_sure_errors_come_first_and_dissolved_ones_last() -> None:
    states: dict[str, Any] = {
        "predict 1": {"history": (event(3, "calm", right=False),)},
        "predict 2": {"history": (event(4, "sure", right=False, sure=True),)},
        "predict 3": {"history": (event(0, "gone", right=False), event(1, "gone"))},
    }
    assert [one.name for one in schedule(states)] == ["sure", "calm", "gone"]


def test_a_record_without_what_it_is_about_counts_for_its_whole_card() -> None:
    old = {key: value for key, value in event(0, ALIAS).items() if key != "about"}
    [one] = schedule({"quiz 02.layouts": {"history": (old,), "knows": (ALIAS,)}})
    assert one.name == ALIAS
    assert schedule({"quiz 02.layouts": {"history": ({**old, "at": "soon"},), "knows": (ALIAS,)}}) == []


# ------------------------------------------------------------------ the review


@pytest.mark.usefixtures("file")
def test_nothing_to_review_before_anything_was_answered() -> None:
    assert isinstance(review(), Note)
    assert "Nothing to review yet" in str(review())
    assert due_now() == 0
    with pytest.raises(ValueError, match="at least 1 question, not 0"):
        review(0)


@pytest.mark.usefixtures("file")
def test_what_was_wrong_is_dealt_in_other_clothes_and_mixed() -> None:
    err()
    card = review()
    assert isinstance(card, Review)
    dealt = [asked.name for asked in card._sheet.questions]
    assert len(dealt) == len(set(dealt)) == due_now()
    names = [slip.misconception for asked in card._sheet.questions for slip in asked.slips]
    assert {ALIAS, SQUEEZE} <= set(names)
    assert "02.alias" not in dealt, "another question about it is there, and comes first"
    assert all(a[:2] != b[:2] for a, b in itertools.pairwise(dealt))
    assert all(name[:2] <= "05" for name in dealt), "only lessons that were begun"


@pytest.mark.usefixtures("file")
def test_the_same_card_until_it_is_answered_and_then_no_more_today() -> None:
    err()
    first = review()
    again = review()
    assert isinstance(first, Review)
    assert isinstance(again, Review)
    assert again.text() == first.text()
    for number, asked in enumerate(first._sheet.questions, start=1):
        assert first.answer(number, asked.answer if asked.check is None else asked.solution).correct
    after = review()
    assert isinstance(after, Note)
    assert "The next question is due tomorrow" in str(after)
    assert due_now() == 0


@pytest.mark.usefixtures("file")
def test_a_wrong_answer_in_a_review_is_dealt_again_in_the_next_one() -> None:
    Predict("02.alias").commit("Nothing: `u` is a new tensor")
    card = review(1)
    assert isinstance(card, Review)
    [asked] = card._sheet.questions
    wrong = next(slip.looks["given"] for slip in asked.slips if slip.misconception == ALIAS)
    assert card.answer(1, wrong).correct is False
    following = review(1)
    assert isinstance(following, Review)
    assert following.title == f"{card.title}, number 2"


def test_a_review_is_there_after_a_restart(file: Path) -> None:
    err()
    before = review().text()  # type: ignore[union-attr]
    session_log.use(None)
    session_log.MEMORY.clear()
    session_log.use(ProgressFile(file))
    after = review()
    assert isinstance(after, Review)
    assert after.text() == before


def test_what_may_be_asked_needs_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(reviews._questions("99"))
    names = {slip.misconception for asked in known.values() for slip in asked.slips}
    due = [
        one for name in sorted(names) for one in schedule({"x": {"history": (event(0, name, right=False),)}})
    ]
    dealt = reviews._deal(due, known, {}, 1000)
    assert len(dealt) > 60
    assert not any(asked.pick for asked in dealt)


# ------------------------------------------------------------------ the course at a glance


@pytest.mark.usefixtures("file")
def test_progress_draws_each_card_as_far_as_it_is_right() -> None:
    err()
    Predict("02.alias").commit("`t[1, 0]` becomes `99.` as well")
    Predict("02.slice_stride").commit((4, 2))
    rows = {row.number: row for row in lesson_rows(session_log.everything())}
    states = [state for _, state in rows["02"].cards]
    assert (states.count("right"), states.count("later"), states.count("wrong")) == (1, 1, 0)
    assert [state for _, state in rows["04"].cards if state] == ["wrong"]
    assert (rows["02"].right, rows["04"].right, rows["03"].begun) == (2, 0, False)
    line = next(line for line in rows_text(list(rows.values())).split("\n") if line.startswith("    02"))
    assert line.count(SIGNS["right"]) == line.count(SIGNS["later"]) == 1
    assert line.endswith(f"2 of {len(states)}")
    svg = ElementTree.fromstring(rows_svg(list(rows.values())))
    assert "02: 2 of" in svg.attrib["aria-label"]
    titles = [part.text or "" for part in svg.iter("title")]
    assert sum(len(row.cards) for row in rows.values()) + len(SIGNS) == len(titles)
    assert "<svg" in progress()._repr_html_()


@pytest.mark.usefixtures("file")
def test_no_card_is_marked_wrong_and_called_right() -> None:
    card = Predict("02.slice_stride")
    for answer in ((4, 2), (4, 1)):
        card.commit(answer)
        card.again()
    page = re.sub(r"<svg.*?</svg>", "", progress()._repr_html_())
    row = next(row for row in page.split("<tr>") if "✗" in row)
    assert "as predicted" not in row
    assert "right\u00a0at\u00a0first,\u00a0not\u00a0since" in row
