"""The ten questions before and after the course: the same ideas in new clothes, and no result before it."""

from __future__ import annotations

from tensorkit_widgets import Quiz, progress
from tensorkit_widgets.practice.catalogue import find_quiz
from tensorkit_widgets.practice.progress import review
from tests.widgets.practice_helpers import blank_memory

__all__ = ["blank_memory"]  # a fixture


def test_both_ask_about_the_same_ten_misconceptions_with_other_words() -> None:
    before, after = find_quiz("00.before").questions, find_quiz("00.after").questions
    assert [asked.name for asked in before] == [asked.name for asked in after]
    about = [[{slip.misconception for slip in asked.slips} for asked in sheet] for sheet in (before, after)]
    assert about[0] == about[1]
    assert len(set().union(*about[0])) == len(before) == 10
    assert not {asked.ask for asked in before} & {asked.ask for asked in after}


def test_before_the_course_the_answers_are_kept_and_no_result_is_shown(blank_memory: None) -> None:
    quiz = Quiz("00.before")
    quiz.answers = [24, "All of the numbers, once", None, (6, 6)]
    for shown in (quiz.html, quiz.text()):
        assert "3 of 10 answered" in shown
        assert "Your answer is kept." in shown
        for told in ("right", "A slice has no numbers", "There is only one set", "Show the answer"):
            assert told not in shown
    assert quiz.score == (1, 10)
    assert "Ten questions" not in repr(progress())
    quiz = Quiz("00.after")
    quiz.answer(1, 6)
    assert "Ten questions before the course" in repr(progress())
    assert "A slice has no numbers of its own." in quiz.text()


def test_neither_is_dealt_in_a_review() -> None:
    dealt = {name for name, _ in review._questions("99")}
    assert not {name for name in dealt if name.startswith(("00.before", "00.after"))}
    assert any(name.startswith("02.layouts.") for name in dealt)
