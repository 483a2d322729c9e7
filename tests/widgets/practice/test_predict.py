"""The order of a prediction's options, how sure its answer is, and answers given in a picture."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

import tensorkit as tk
from tensorkit_widgets.drawing.strip import strip_table
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.answers import judge
from tensorkit_widgets.practice.catalogue import find_question, lesson_numbers, practised
from tensorkit_widgets.practice.option_order import in_order
from tensorkit_widgets.practice.picture import Picture
from tensorkit_widgets.practice.predict import Predict
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.progress_report import progress
from tests.widgets.practice.test_lessons import QUESTIONS
from tests.widgets.practice_helpers import blank_memory, send

__all__ = ["blank_memory"]  # a fixture

CHOICES = {name: asked for name, asked in QUESTIONS.items() if asked.options}


@pytest.fixture
def kept(tmp_path: Path) -> ProgressFile:
    """A file for the answers of this test."""
    file = ProgressFile(tmp_path / "progress.json")
    session_log.use(file)
    return file


def place(name: str, learner: str) -> tuple[int, int]:
    """How many options a question has, and the place of the right one."""
    asked = CHOICES[name]
    shown = in_order(asked.options, name, learner, asked.order)
    assert sorted(shown) == sorted(asked.options)
    return len(shown), shown.index(str(asked.answer))


# ------------------------------------------------------------------ the order


@pytest.mark.parametrize("learner", ["", "one learner", "another", "a third"])
def test_the_right_option_is_in_no_place_more_often_than_chance_allows(learner: str) -> None:
    """With three options, each place is right about as often: within three standard deviations."""
    found = Counter(place(name, learner) for name in CHOICES)
    three = {at: found[3, at] for at in range(3)}
    count = sum(three.values())
    spread = 3 * math.sqrt(count * (1 / 3) * (2 / 3))
    assert count > 40
    assert all(abs(times - count / 3) <= spread for times in three.values()), three


def test_over_many_learners_each_place_is_right_equally_often() -> None:
    free = [name for name, asked in CHOICES.items() if asked.order == "free" and len(asked.options) == 3]
    found = Counter(place(name, f"learner {k}")[1] for name in free for k in range(200))
    total = len(free) * 200
    assert all(abs(found[at] / total - 1 / 3) < 0.02 for at in range(3)), found


def test_the_order_is_the_learners_own_and_stays(kept: ProgressFile) -> None:
    first = Predict("05.which_view")
    again = Predict("05.which_view")
    assert first.text() == again.text()
    first.answer = "`t.view(3, 8)`"
    name = json.loads((kept.path or Path()).read_text())["learner"]
    assert len(name) == 16
    session_log.use(ProgressFile(kept.path))
    session_log.MEMORY.clear()
    assert session_log.learner() == name
    assert Predict("05.which_view").text().splitlines()[1:4] == first.text().splitlines()[1:4]
    orders = {in_order(("slot", "step", "size"), "q", f"{k}") for k in range(60)}
    assert len(orders) == 6, "another learner may see any other order"


def test_without_a_file_the_order_is_that_of_the_stored_page() -> None:
    session_log.use(ProgressFile(None))
    assert session_log.learner() == ""
    asked = find_question("05.which_view")
    shown = in_order(asked.options, "05.which_view", "")
    lines = Predict("05.which_view").text().splitlines()[1:4]
    assert [line.split()[0] for line in lines] == ["A", "B", "C"]
    assert [line.split(maxsplit=1)[1] for line in lines] == [option.strip("`") for option in shown]


def test_the_letters_are_those_that_are_shown() -> None:
    card = Predict("05.which_view")
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in card.text().splitlines()[1:4]}
    for name, option in lines.items():
        card.answer = name
        assert card.answer == f"`{option}`"
        wrong = "" if card.verdict else f"You said {name}."
        assert wrong in card.text()
        card.again()


def test_an_order_that_means_something_is_kept() -> None:
    sizes = ["12", "A few hundred", "About 4,000,000"]
    card = Predict("How many bytes?", sizes, answer="12", order="given")
    assert [line[5:] for line in card.text().splitlines()[1:4]] == sizes
    for k in range(20):
        assert in_order(("a", "b", "none"), "q", f"{k}", "last")[2] == "none"


@pytest.mark.parametrize(
    ("name", "said", "reason"),
    [
        ("04.minus_one", "(2, 2)", "You gave 2 numbers; the answer has 3."),
        ("05.windows", "12 13 14", "The picture has no 12."),
        ("01.row_first", "10", "That is off by one"),
        ("02.which_slot", "20", "There are 20 slots, numbered from 0 to 19."),
    ],
)
def test_a_near_miss_gets_its_reason(name: str, said: str, reason: str) -> None:
    assert reason in Predict(name).commit(said).says


# ------------------------------------------------------------------ how sure


def test_a_question_from_memory_is_followed_by_nothing_to_read() -> None:
    assert "follows" not in Predict("00.know_bits").commit(9, sure=True).says
    assert "You were sure" not in Predict("00.know_bits").commit(9, sure=True).says


def test_a_confident_error_gets_the_fullest_reply() -> None:
    card = Predict("04.squeeze_batch")
    wrong = (1, 28, 28)
    timid, bold = card.commit(wrong, sure=False), card.commit(wrong, sure=True)
    assert timid.misconception == bold.misconception == "squeeze eats the batch dimension"
    assert bold.says.startswith(timid.says)
    assert "You were sure" in bold.says
    assert bold.says.endswith(
        "It comes back in the exercise **Drop the channel, keep the batch** of lesson 04."
    )
    assert "You were sure" in card.text()
    assert "You were sure" in card.html


def test_what_a_learner_has_behind_them_is_not_announced() -> None:
    for name, asked in QUESTIONS.items():
        for slip in asked.slips:
            where = practised(slip.misconception, name[:2])
            assert not where or where.rsplit(" ", 1)[1] >= name[:2]


def test_sure_errors_of_several_cards_are_told_in_several_ways() -> None:
    asked = [name for name, question in QUESTIONS.items() if not question.recall][:30]
    assert len({Predict(name)._second_look("") for name in asked}) >= 3


def test_a_right_answer_is_told_alike_however_sure_it_was() -> None:
    card = Predict("02.slice_stride")
    assert card.commit((4, 2), sure=True).says == card.commit((4, 2), sure=False).says
    assert card.sure is False


def test_how_sure_an_answer_was_is_kept_for_a_review(kept: ProgressFile) -> None:
    card = Predict("02.slice_stride")
    send(card, "sure", "(4, 1)")
    send(card, "again")
    assert card.sure is None
    send(card, "unsure", "(4, 1)")
    send(card, "again")
    send(card, "answer", "(4, 1)")
    record = json.loads((kept.path or Path()).read_text())["cards"]["predict 02.slice_stride"]
    assert [event.get("sure") for event in record["history"]] == [True, False, None]
    card.commit((4, 1), sure=True)
    assert "not as predicted, and you were sure" in str(progress())


@pytest.mark.parametrize("sure", ["yes", 1, [True]])
def test_a_mark_that_was_edited_by_hand_is_no_mark(kept: ProgressFile, sure: object) -> None:
    kept.write({"predict 02.slice_stride": {"answer": [4, 1], "sure": sure}})
    card = Predict("02.slice_stride")
    assert card.answer == (4, 1)
    assert card.sure is None


def test_what_is_no_answer_commits_to_nothing() -> None:
    card = Predict("02.slice_stride")
    assert card.commit("soon", sure=True).correct is None
    assert not card.revealed
    assert 'data-revealed="false"' in card.html


# ------------------------------------------------------------------ in the picture

PICTURED = [name for name, asked in QUESTIONS.items() if asked.picture is not None]


def test_every_lesson_from_01_on_has_two() -> None:
    found = [name[:2] for name in PICTURED]
    assert min(found.count(number) for number in lesson_numbers() if number != "00") >= 2


@pytest.mark.parametrize("name", PICTURED)
def test_what_can_be_chosen_in_the_picture_is_the_answer(name: str) -> None:
    """The tiles of the right answer are on the page, and nothing marks them before the commit."""
    asked = QUESTIONS[name]
    card = Predict(name)
    picture = Picture(asked.picture(tk) if asked.picture else None, asked.pick)
    assert f'data-pick="{asked.pick}"' in card.html
    assert "tk-is-good" not in card.html + card.static_html()
    if asked.pick == "cells":
        assert isinstance(asked.answer, tuple)
        wanted = set(map(float, asked.answer))
        shown = [float(part.split('"')[0]) for part in picture.svg().split('data-full="')[1:]]
        assert [number for number in shown if number in wanted] == list(asked.answer), "in reading order"
        assert len(shown) == len(set(shown)), "each number names one element"
    if asked.pick == "slot":
        assert f'data-key="s:{asked.answer}"' in card.html
    card.answer = asked.answer
    assert "data-pick" not in card.html
    assert card.html.count("tk-is-good") == (0 if asked.pick == "step" else len(_row(asked.answer)))
    assert judge(asked, asked.answer).correct


def _row(answer: object) -> tuple[object, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def test_elements_may_be_typed_in_any_order() -> None:
    card = Predict("Which are odd?", answer=(9, 5), picture=tk.tensor([9.0, 2.0, 5.0]), pick="cells")
    assert card.commit("5, 9").correct
    assert card.answer == (9, 5)


def test_a_row_that_no_slip_knows_gets_a_reason() -> None:
    card = Predict("Which elements?", answer=(1, 2), picture=tk.arange(4.0), pick="cells")
    assert "You gave 1 number; the answer has 2." in card.commit("1").says
    assert "All but number 2 of the row are right." in card.commit("1, 3").says


def test_a_wrong_slot_is_marked_beside_the_right_one() -> None:
    card = Predict("Which slot?", answer=1, picture=tk.arange(6.0), pick="slot")
    card.answer = 4
    assert card.html.count("tk-is-bad") == 1
    assert card.html.count("tk-is-good") == 1


def test_a_picture_that_cannot_be_chosen_in_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 64 slots; this storage has 100"):
        Predict("Which?", answer=1, picture=tk.arange(100.0), pick="slot")
    with pytest.raises(ValueError, match="pick must be one of slot, step, cells"):
        Predict("Which?", answer=1, picture=tk.arange(6.0))


def test_the_static_card_has_the_picture_as_an_image() -> None:
    still = Predict("Which slot?", answer=1, picture=tk.arange(6.0), pick="slot").static_html()
    assert 'alt="The storage, to choose in."' in still
    assert "data:image/svg+xml;base64," in still


def test_the_numbers_below_crowded_slots_do_not_touch() -> None:
    for slots, told in ((24, 24), (49, 10)):
        table = strip_table("s", Picture(tk.arange(slots), "slot")._seen, 8, 8, 604)
        assert sum(tile.below != "" for row in table.rows for tile in row) == told
