"""`Quiz`: answers of every kind, diagnoses, sealed answers, messages from a browser, and what is drawn."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.answers import judge, understood
from tensorkit_widgets.practice.catalogue import find_quiz
from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip, Verdict
from tensorkit_widgets.practice.option_order import in_order
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.quiz import Quiz, ask, seal
from tensorkit_widgets.practice.sealed_answers import BadSeal, SealedText
from tests.widgets.practice_helpers import HOSTILE, blank_memory, send, tags

__all__ = ["blank_memory"]  # a fixture

SEVERAL = ("`t()`", "`clone()`", "`contiguous()`", "`view()`")


def own_quiz() -> Quiz:
    return Quiz(
        "Warm-up",
        ask("Which one moves numbers?", ["`t()`", "`clone()`"], answer="`clone()`", why="It copies.",
            misconceptions={"`t()`": ("transpose moves no data", "It swaps two strides.")}, order="given"),
        ask("Which can copy?", SEVERAL, answer=["`clone()`", "`contiguous()`"],
            order="given",
            misconceptions={"`view()`": ("permute vs view", "It never copies."), "`contiguous()`": "It may."}),
        ask("Which stride has `t.t()`?", answer=(1, 5),
            misconceptions={(5, 1): ("permute vs view", "That was before.")}),
        ask("How much is a third?", answer=1 / 3, tolerance=0.01),
        ask("Where does it live?", answer="cpu", also=["main memory"]),
        ask("Write the second row.", check=tensor_check(size=(3,), offset=3, stride=(1,), shares=True,
            slips=[Slip("counting from zero", "That is the first row.", offset=0, shares=True)]),
            base=tk.arange(6).view(2, 3), solution="t[1]"),
    )  # fmt: skip


# ------------------------------------------------------------------ the order of the options


def shown(quiz: Quiz) -> dict[str, str]:
    """The options of the first question, by the letters that stand before them on the live card."""
    rows = re.findall(
        r'value="([A-Z])"[^>]*><span class="tk-letter" aria-hidden="true">([A-Z])</span><span>(.*?)</span>',
        quiz.html.split('data-part="2"')[0],
    )
    assert all(value == letter for value, letter, _ in rows)
    return {letter: option for letter, _, option in rows}


def looked_at_by(learner: str, *questions: Any) -> Quiz:
    session_log.MEMORY.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tensorkit_widgets.practice.quiz.learner", lambda: learner)
        return Quiz("A quiz", *questions)


FIVE = ("one slot", "two slots", "three slots", "four slots", "none of them")
ONE = ask(
    "How many slots?", FIVE, answer=FIVE[2], misconceptions={FIVE[3]: ("counting from zero", "One on.")}
)
MANY = ask("Which?", FIVE, answer=[FIVE[0], FIVE[2]], misconceptions={FIVE[4]: "There are some."})


@pytest.mark.parametrize("question", [ONE, MANY], ids=["one", "several"])
def test_each_learner_has_an_order_of_their_own_and_keeps_it(question: Any) -> None:
    orders = {
        learner: tuple(shown(looked_at_by(learner, question)).values()) for learner in map(str, range(30))
    }
    assert len(set(orders.values())) > 20
    for learner, order in orders.items():
        assert sorted(order) == sorted(FIVE)
        assert tuple(shown(looked_at_by(learner, question)).values()) == order
    for k in range(30):
        assert list(shown(looked_at_by(f"{k}", replace(question, order="last"))).values())[-1] == FIVE[4]
        assert tuple(shown(looked_at_by(f"{k}", replace(question, order="given"))).values()) == FIVE


@pytest.mark.parametrize("learner", ["", "one", "another", "a third"])
def test_the_letters_of_what_is_said_are_those_that_are_shown(learner: str) -> None:
    quiz = looked_at_by(learner, MANY, ONE)
    letters = {option: letter for letter, option in shown(quiz).items()}
    assert (
        quiz.answer(1, f"{letters[FIVE[0]]} {letters[FIVE[4]]}").says
        == f"**{letters[FIVE[4]]}**: There are some."
    )
    quiz.reveal(1)
    both = " and ".join(sorted(letters[option] for option in (FIVE[0], FIVE[2])))
    assert f"It is {both}." in quiz.text()
    assert quiz.answer(1, f"{letters[FIVE[2]]}, {letters[FIVE[0]]}")
    assert set(quiz.answers[0]) == {FIVE[0], FIVE[2]}  # type: ignore[call-overload]
    lines = [line.split(maxsplit=1) for line in quiz.text().splitlines() if line.startswith("  ")][:5]
    assert dict(lines) == shown(quiz), "the text twin has the same letters"
    for letter, option in shown(quiz).items():
        assert f"<strong>{letter}</strong> {option}" in quiz.static_html()


def test_where_nothing_is_kept_the_order_is_that_of_the_stored_page() -> None:
    session_log.use(ProgressFile(None))
    quiz = Quiz("02.layouts")
    asked = find_quiz("02.layouts").questions[0]
    wanted = in_order(asked.options, f"02.layouts: {asked.name}", "")
    assert [f"`{re.sub('<.*?>', '', option)}`" for option in shown(quiz).values()] == list(wanted)


def test_a_sealed_question_knows_its_options_in_any_order() -> None:
    several = _unsealed(repr(seal("Which?", FIVE, answer=[FIVE[0], FIVE[2]], why="Two of them.")))
    one = _unsealed(repr(seal("How many?", FIVE, answer=FIVE[2], why="Three.")))
    for learner in ("", "one", "another"):
        quiz = looked_at_by(learner, several, one)
        assert quiz.answer(1, [FIVE[2], FIVE[0]]) == Verdict(True, "Two of them.")
        assert quiz.answer(2, FIVE[2]) == Verdict(True, "Three.")


# ------------------------------------------------------------------ answers


def test_every_kind_of_answer_is_judged() -> None:
    quiz = own_quiz()
    assert quiz.score == (0, 6)
    assert quiz.answers == [None] * 6
    quiz.answers = ["B", "C B", "(1, 5)", "0.33", "CPU", "t[1]"]
    assert quiz.score == (6, 6)
    assert quiz.answers == ["`clone()`", ("`clone()`", "`contiguous()`"), (1, 5), 0.33, "CPU", "t[1]"]
    assert quiz.text().endswith("6 of 6 right")


@pytest.mark.parametrize(
    ("number", "spellings"),
    [
        (1, ["B", "b", 2, "`clone()`"]),
        (2, ["B C", "c,b", [3, 2], {"`clone()`", "`contiguous()`"}]),
        (3, ["1 5", [1, 5], (1, 5), "torch.Size([1, 5])"]),
        (4, ["0.333", ".3333", 0.34, 1 / 3]),
        (5, ["cpu", "C.P.U", "Main memory", "main-memory"][:3]),
        (6, ["t[1]", "[1]", "t[-1]", "t.select(0, 1)", "t.t()[:, 1]", "t.narrow(0, 1, 1).squeeze()"]),
    ],
)
def test_a_right_answer_may_be_written_in_many_ways(number: int, spellings: list[object]) -> None:
    for spelling in spellings:
        quiz = own_quiz()
        assert quiz.answer(number, spelling).correct is True, spelling
        quiz.again()


@pytest.mark.parametrize(
    ("number", "wrong", "misconception", "says"),
    [
        (1, "A", "transpose moves no data", "It swaps two strides."),
        (2, "B C D", "permute vs view", "**D**: It never copies."),
        (2, "B", "", "**C**: It may."),
        (2, "A B C", "", "1 of your choices does not belong."),
        (2, "A", "", "**C**: It may."),
        (3, "(5, 1)", "permute vs view", "That was before."),
        (3, "(9, 9)", "", "`(9, 9)` is not it."),
        (4, "0.35", "", "`0.35` is not it."),
        (5, "cuda", "", "`cuda` is not it."),
        (6, "t[0]", "counting from zero", "That is the first row."),
        (6, "t[1].clone()", "a copy is not a view", "the numbers lie in a storage of their own"),
        (6, "t[7]", "", "that stops with IndexError"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_told_what_is_behind_it(
    number: int, wrong: str, misconception: str, says: str
) -> None:
    verdict = own_quiz().answer(number, wrong)
    assert verdict.correct is False
    assert verdict.misconception == misconception
    assert verdict.says.startswith(says)


@pytest.mark.parametrize(
    ("number", "nonsense"),
    [(1, "E"), (1, None), (2, "A E"), (2, []), (3, "one"), (4, "nan"), (4, True), (5, ""), (6, ""), (6, 3)],
)
def test_what_is_no_answer_is_said_and_not_judged(number: int, nonsense: object) -> None:
    quiz = own_quiz()
    verdict = quiz.answer(number, nonsense)
    assert verdict.correct is None
    between = "first: " if nonsense == "" else " is not "
    assert between in verdict.says
    assert quiz.answers == [None] * 6
    assert verdict.says.split(between)[1].rstrip(".") in quiz.text()


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('touch /tmp/hacked')",
        "t.__class__",
        "t[().__class__]",
        "(lambda: 1)()",
        "t.fill_(0)",
        "t[1]; import os",
        "t.view(" + "9" * 400 + ")",
        "t" + "[0]" * 40,
    ],
)
def test_code_from_a_browser_is_never_evaluated(code: str) -> None:
    quiz = own_quiz()
    send(quiz, "answer-6", code)
    assert quiz.verdicts[5] is None
    assert "not allowed here" in quiz.text()


def test_a_quiz_whose_cell_was_edited_meets_the_one_from_before() -> None:
    """Both are on the page, of one name, with other questions: each goes on by itself."""
    numbers = [ask(f"What is {n} + 1?", answer=n + 1) for n in range(3)]
    first = Quiz("Sums", *numbers[:2])
    first.answer(2, 2)
    longer, shorter = Quiz("Sums", *numbers), Quiz("Sums", numbers[0])
    assert longer.answer(3, 3).correct
    assert shorter.answer(1, 1).correct
    assert first.answer(1, 1).correct
    assert [quiz.score for quiz in (first, longer, shorter)] == [(2, 2), (1, 3), (1, 1)]
    again = Quiz("Sums", *numbers[:2])
    assert again.score == (2, 2)
    again.again()
    assert first.answers == [None, None]


def test_a_question_has_a_number() -> None:
    quiz = own_quiz()
    for number in (0, 7, -1):
        with pytest.raises(IndexError, match="1 to 6"):
            quiz.answer(number, "A")


def test_the_answer_is_shown_when_it_is_asked_for_and_does_not_count() -> None:
    quiz = own_quiz()
    quiz.answer(1, "A")
    assert "Show the answer" in quiz.html
    assert quiz.html.count("data-truth") == 0
    send(quiz, "reveal-1")
    assert "It is B. It copies." in quiz.text()
    assert 'data-truth="right"' in quiz.html
    assert quiz.score == (0, 6)
    quiz.again()
    assert "It is B" not in quiz.text()


def test_no_answer_is_on_the_page_before_it_was_given() -> None:
    quiz = Quiz("02.layouts")
    for page in (quiz.html, quiz.static_html(), quiz.text()):
        for given_away in ("clone has its own", "t[:, 3]", "data-truth", "It swaps"):
            assert given_away not in page


# ------------------------------------------------------------------ messages and drawing


def test_the_browser_answers_question_by_question() -> None:
    quiz = own_quiz()
    send(quiz, "answer-2", "A D")
    assert quiz.answers[1] == ("`t()`", "`view()`")
    assert quiz.announced.startswith("Question 2. Not yet.")
    send(quiz, "answer-2", "B C")
    assert quiz.verdicts[1] == Verdict(True, "")
    send(quiz, "again")
    assert quiz.answers == [None] * 6


@pytest.mark.parametrize(
    "do", ["answer-0", "answer-7", "answer-", "answer-1x", "reveal-99", "score", "__init__"]
)
def test_messages_that_are_none_of_ours_change_nothing(do: str) -> None:
    quiz = own_quiz()
    before = quiz.html
    send(quiz, do, "A")
    send(quiz, "answer-1", ["A"])
    assert quiz.html == before
    send(quiz, "answer-1", "A" * 10_000)
    assert "an answer has at most 500 characters" in quiz.html
    assert quiz.answers == [None] * 6


def test_everything_that_was_typed_is_escaped(tmp_path: Path) -> None:
    quiz = Quiz(
        HOSTILE,
        ask(HOSTILE, [HOSTILE, "b"], answer="b"),
        ask(HOSTILE, answer="yes", misconceptions={HOSTILE: HOSTILE}),
    )
    quiz.answer(1, "A")
    quiz.answer(2, HOSTILE)
    pages = [quiz.html, quiz.static_html(), quiz.svg(), quiz.save(tmp_path / "q.html").read_text()]
    for page in pages:
        assert "script" not in tags(page)
        assert "b" not in tags(page)
        assert "&lt;script&gt;" in page


@given(st.text(max_size=200))
def test_no_text_upsets_a_quiz(text: str) -> None:
    for asked in find_quiz("02.layouts").questions:
        said = understood(asked, text)
        assert said is None or isinstance(judge(asked, said), Verdict)


@pytest.mark.parametrize("state", ["blank", "wrong", "right"])
def test_the_static_card_has_nothing_to_press(state: str) -> None:
    quiz = own_quiz()
    if state != "blank":
        quiz.answers = ["A"] * 2 if state == "wrong" else ["B", "B C"]
    assert not {"button", "input", "script", "fieldset"} & set(tags(quiz.static_html()))
    assert {"button", "input", "fieldset"} <= set(tags(quiz.html))
    assert quiz.html.count("<fieldset>") == quiz.html.count("<legend")


def test_a_card_is_saved_as_page_picture_and_text(tmp_path: Path) -> None:
    quiz = own_quiz()
    quiz.answer(1, "A")
    page = quiz.save(tmp_path / "quiz.html").read_text()
    assert "default-src 'none'" in page
    assert not {"script", "button", "input"} & set(tags(page.partition("<body>")[2].partition("</body>")[0]))
    assert "It swaps two strides." in page
    assert quiz.save(tmp_path / "quiz.txt").read_text() == quiz.text() + "\n"
    svg = quiz.save(tmp_path / "quiz.svg").read_text()
    assert svg == own_quiz().svg()
    assert set(tags(svg)) == {"svg", "style", "rect", "text", "tspan"}
    with pytest.raises(ValueError, match=r"\.svg, \.txt or \.html"):
        quiz.save(tmp_path / "quiz.pdf")


def test_the_same_state_draws_the_same_bytes() -> None:
    one, other = own_quiz(), own_quiz()
    one.answer(2, "A B")
    assert (one.html, one.text(), one.static_html()) == (other.html, other.text(), other.static_html())


def test_a_name_alone_finds_the_quiz_of_a_lesson() -> None:
    assert Quiz("dtypes").name == "06.dtypes"
    assert Quiz("dtypes").title == Quiz("06.dtypes").title
    with pytest.raises(LookupError, match=r"in several lessons; choose one of 01\.retrieval, 02\.retrieval"):
        Quiz("retrieval")
    with pytest.raises(TypeError, match="needs questions"):
        Quiz("no_such_quiz")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ask("Q", ["a", "b"], answer="c"),
        lambda: ask("Q", ["a", "b"], answer=["a", "c"]),
        lambda: ask("Q", ["a"]),
        lambda: ask("Q", answer=1, sealed="x"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        wrong()


# ------------------------------------------------------------------ sealed answers


def _unsealed(source: str) -> Any:
    """What a teacher pastes: the source is run, as a notebook would."""
    return eval(source, {"ask": ask})


@pytest.mark.parametrize(
    ("given", "right", "wrong", "misconception"),
    [
        (
            {
                "options": ["`t()`", "`clone()`"],
                "answer": "`clone()`",
                "misconceptions": {"`t()`": ("transpose moves no data", "SECRET It swaps.")},
            },
            "B",
            "A",
            "transpose moves no data",
        ),
        (
            {
                "options": SEVERAL,
                "answer": ["`clone()`", "`contiguous()`"],
                "misconceptions": {"`view()`": ("permute vs view", "SECRET never.")},
            },
            "B C",
            "B C D",
            "permute vs view",
        ),
        (
            {"answer": (1, 5), "misconceptions": {(5, 1): ("permute vs view", "SECRET before.")}},
            "[1, 5]",
            "(5, 1)",
            "permute vs view",
        ),
        (
            {"answer": 40, "misconceptions": {10: ("bytes per element", "SECRET bytes.")}},
            "40",
            "10",
            "bytes per element",
        ),
        (
            {"answer": "cpu", "misconceptions": {"cuda": ("tensors start on the CPU", "SECRET told.")}},
            "C.P.U",
            "CUDA!",
            "tensors start on the CPU",
        ),
    ],
)
def test_a_sealed_question_judges_and_does_not_tell(
    given: Any, right: str, wrong: str, misconception: str
) -> None:
    source = repr(seal("Which?", why="SECRET because", **given))
    inside = "".join(base64.b64decode(_unsealed(source).sealed.text).decode())
    for text in (source, inside):
        assert "SECRET" not in text
        assert "misconception" not in text
        assert misconception not in text
    quiz = Quiz("Sealed", replace(_unsealed(source), order="given"))
    assert quiz.answer(1, wrong).misconception == misconception
    assert "SECRET" in quiz.verdicts[0].says  # type: ignore[union-attr]
    assert "Show the answer" not in quiz.html
    assert "sealed" in quiz.reveal(1)
    assert quiz.answer(1, right) == Verdict(True, "SECRET because")
    assert quiz.score == (1, 1)


def test_what_was_not_foreseen_is_just_wrong() -> None:
    quiz = Quiz("Sealed", _unsealed(repr(seal("How many?", answer=40))))
    assert quiz.answer(1, 41) == Verdict(False, "that is not it.")
    several = Quiz("Sealed too", _unsealed(repr(seal("Which?", SEVERAL, answer=SEVERAL[:2]))))
    assert several.answer(1, "A") == Verdict(False, "some of your choices are not as they should be.")


def test_the_envelopes_do_not_tell_themselves_apart() -> None:
    reasons = {"why": "a very long reason " * 9, "misconceptions": {1: "x", 2: ("permute vs view", "y")}}
    packed = json.loads(base64.b64decode(_unsealed(repr(seal("Q", answer=3, **reasons))).sealed.text))
    assert len({len(envelope) for envelope in packed["envelopes"]}) == 1
    assert packed["envelopes"] == sorted(packed["envelopes"], key=base64.b64decode)
    assert repr(seal("Q", answer=3)) != repr(seal("Q", answer=3)), "each has its own salt"


def _packed(whole: object) -> str:
    return base64.b64encode(json.dumps(whole).encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AAAA",
        "not base64!",
        _packed([]),
        _packed({}),
        _packed({"kind": "one", "salt": "", "rounds": 10**9, "envelopes": []}),
        _packed({"kind": "code", "salt": "", "rounds": 1, "envelopes": []}),
    ],
)
def test_a_damaged_seal_is_said(text: str) -> None:
    with pytest.raises(BadSeal, match="make it again"):
        SealedText(text)


def test_a_sealed_float_is_refused() -> None:
    with pytest.raises(ValueError, match="can be sealed"):
        seal("How much?", answer=0.3)


def test_the_answers_of_a_lesson_stand_in_the_package_alone(root: Path) -> None:
    """What a notebook has to name is the key; a fresh kernel knows the rest."""
    code = "from tensorkit_widgets import Quiz; q = Quiz('02.layouts'); q.answer(2, 8); print(q.score)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "(1, 4)"
