"""Answers as people write them: in numbers, rows, sums, dtypes, or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorkit
from tensorkit_widgets.practice.answers import example, judge, refusal, understood
from tensorkit_widgets.practice.checking.checks import choice_check, layout_check, number_check, tuple_check
from tensorkit_widgets.practice.checking.typed import layout_parts, number_in, numbers_in, word_in, worked_out
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.facts import Answer, Slip
from tensorkit_widgets.practice.kinds import Question
from tensorkit_widgets.practice.predict import Predict
from tensorkit_widgets.practice.quiz import Quiz, ask
from tests.torch_oracle import require_torch
from tests.widgets.practice_helpers import blank_memory, send

__all__ = ["blank_memory"]  # a fixture


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5.0", 5), ("5.", 5), (" 5 ", 5), ("+5", 5), ("(5)", 5), ("2.5", 2.5), ("-7", -7), ("−7", -7), ("- 7", -7),
        ("4_000_000", 4_000_000), ("4,000,000", 4_000_000), ("4000000.0", 4_000_000), ("1000*1000*4", 4_000_000),
        ("4e6", 4_000_000), ("2**2 * (1 + 1/4)", 5), ("-128 + 64 + 8", -56), ("9 // 2", 4), ("9 % 4", 1),
        ("tk.zeros(1000,1000).nbytes", 4_000_000), ("tk.zeros(1000, 1000).untyped_storage().nbytes()", 4_000_000),
        ("torch.ones(3, 4).numel() * tk.ones(1).element_size()", 48), ("tk.float16.itemsize", 2),
        ("tk.zeros(2, 3, dtype=tk.float64).nbytes", 48), ("tk.zeros(2, 3).stride(0)", 3), ("tk.zeros(2, 3).ndim", 2),
    ],
)  # fmt: skip
def test_one_number_however_it_is_written(text: str, number: float) -> None:
    assert number_in(text) == number
    assert type(number_in(text)) is type(number)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("2, 3", (2, 3)), ("2 3", (2, 3)), ("( 2 ,3 )", (2, 3)), ("[2;3]", (2, 3)), ("(2, 3,)", (2, 3)),
        ("torch.Size([2, 3])", (2, 3)), ("2.0, 3", (2, 3)), ("(2.5, 3)", (2.5, 3)), ("()", ()), ("torch.Size([])", ()),
        ("2*1, 6/2", (2, 3)), ("tk.zeros(2, 3).shape", (2, 3)), ("tk.zeros(3, 4).t().stride()", (1, 4)),
        ("tk.zeros(4, 6)[:, ::2].stride()", (6, 2)), ("(1_000, 2)", (1000, 2)), ("−1, 2", (-1, 2)),
        ("[[1, 5], [2, 6]]", (1, 5, 2, 6)),
    ],
)  # fmt: skip
def test_a_row_however_it_is_written(text: str, row: tuple[float, ...]) -> None:
    assert numbers_in(text) == row


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "four", "9**9**9", "(3, 4)*9**9**9", "2**2**2**2**2**2", "1/0", "10**400", "x.y",
        "__import__('os')", "tk.manual_seed(0)", "tk.zeros(2).add_(1)", "tk.load('x')",
        "tk.zeros(2).__class__", "open('x')", "x", "t.nbytes",
        "tk.zeros(2, device='cpu').nbytes", "lambda: 0", "tk.zeros(10**30).nbytes", "(" * 300, "1 if 1 else 2", "'5'",
        "tk.cuda.synchronize()", "tk.zeros", "nan", "inf", "1j", "[]*9", "tk.float16.to_numpy()", "\0",
    ],
)  # fmt: skip
def test_what_is_no_number_is_none_and_does_nothing(text: str) -> None:
    before = tensorkit.get_rng_state().tolist()
    assert number_in(text) is None
    assert tensorkit.get_rng_state().tolist() == before


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = numbers_in(text)
    assert found is None or all(type(n) in (int, float) for n in found)
    word_in(text)
    layout_parts(text)
    worked_out(text)


def test_a_question_to_a_huge_tensor_takes_no_memory() -> None:
    assert number_in("tk.zeros(1_000_000, 1_000_000).nbytes") == 4 * 10**12


@pytest.mark.parametrize("library", ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def test_a_dtype_is_known_in_any_spelling(library: str) -> None:
    module: Any = tensorkit if library == "tensorkit" else require_torch()
    check = choice_check("float16", slips=[Slip("default dtype", "that is the default.", given="float32")])
    for right in (
        "float16",
        "half",
        "tk.float16",
        "torch.half",
        "`float16`",
        " Half ",
        module.half,
        module.float16,
    ):
        assert check(Answer(right)).correct is True, right
    for wrong in ("float", "tk.float32", module.float, "torch.float32"):
        assert check(Answer(wrong)).misconception == "default dtype", wrong
    assert check(Answer(3)).correct is None


def test_a_word_that_is_also_a_dtypes_other_name_is_left_alone() -> None:
    assert Predict("Big or small?", answer="long").answer is None
    p = Predict("Short or long?", answer="long")
    p.answer = "long"
    assert p.verdict
    dtype = Predict("Which dtype?", answer="float16")
    for said in ("half", tensorkit.half, "tk.float16"):
        dtype.answer = said
        assert dtype.verdict, said
    choice = Predict("Which dtype?", ["`int64`", "`float32`"], answer="`int64`")
    for said in ("int64", "tk.long", tensorkit.long, "A", "a)"):
        choice.answer = said
        assert choice.verdict, said


# ------------------------------------------------------------------ verdicts


@pytest.mark.parametrize(
    ("said", "correct"), [("5.0", True), ("2.5", False), ("5,000", False), ("five", None)]
)
def test_a_number_is_judged_by_its_value(said: str, correct: bool | None) -> None:
    assert number_check(5)(Answer(said)).correct is correct


def test_a_fraction_is_a_wrong_answer_and_no_fault_of_form() -> None:
    p = Predict("How many?", answer=5)
    p.answer = "2.5"
    assert p.verdict is not None
    assert p.verdict.says == "You said `2.5`; it is `5`."
    quiz = Quiz("Sizes", ask("How many?", answer=5), ask("Which size?", answer=(2, 3)))
    assert quiz.answer(1, "2.5").correct is False
    assert quiz.answer(1, "5.0")
    assert quiz.answer(2, "2.5, 3").correct is False
    assert quiz.answer(2, "2.0 , 3")


def test_what_was_typed_is_repeated_as_it_was_typed() -> None:
    quiz = Quiz("Sizes", ask("Which size?", answer=(2, 3)), ask("How many?", answer=5))
    quiz.answer(1, "(3, 4)*9**9**9")
    assert "<code>(3, 4)*9**9**9</code> is not a row of whole numbers" in quiz.html
    assert "(3, 4)*9**9**9 is not a row" in quiz.text()
    p = Predict("Which size?", answer=(2, 3))
    p.answer = "(3, 4)*9**9**9"
    assert "<code>(3, 4)*9**9**9</code> is not a row" in p.html
    p.answer = "(3, 4)*9**9**9" * 9
    assert "<code>(3, 4)*9**9**9(3, 4)*9**9**9(3, 4)*9**9…</code>" in p.html
    said = tuple_check(2, 3)(Answer("(3, 4)*9**9**9"))
    assert said.says == "`(3, 4)*9**9**9` is not a row of whole numbers, such as (2, 3)."


# ------------------------------------------------------------------ nothing at all


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
def test_an_empty_answer_is_not_judged(blank: str) -> None:
    row = Predict("Which size has `tk.tensor(3)`?", answer=())
    row.answer = blank
    assert not row.revealed
    assert "Type your answer first: a row of whole numbers" in row.text()
    row.answer = "()"
    assert row.verdict
    choice = Predict("Which?", ["`a`", "`b`", "`c`"], answer="`b`")
    choice.answer = blank
    assert not choice.revealed
    assert "Choose one of the options, A to C." in choice.text()
    assert "''" not in choice.text()


def test_an_empty_answer_on_a_picture_is_asked_for_there() -> None:
    p = Predict("Which slot?", answer=2, picture=tensorkit.arange(4), pick="slot")
    p.answer = ""
    assert "Press your answer in the picture, or type it: one whole number" in p.text()


@pytest.mark.parametrize("answer", [(2, 3), (4, 1), (5,)])
def test_the_example_of_a_row_is_never_the_answer(answer: tuple[int, ...]) -> None:
    asked = Question("q", "Which size?", answer)
    for said in (example(asked), refusal(asked, "")):
        assert str(answer) not in said


def test_an_empty_answer_in_a_quiz_is_not_judged() -> None:
    quiz = Quiz("Sizes", ask("Which size?", answer=()), ask("Which?", ["a", "b"], answer=["a", "b"]))
    assert quiz.answer(1, "").correct is None
    assert quiz.answer(2, "").says == "Choose some of the options, A to B."
    assert quiz.answers == [None, None]
    assert quiz.answer(1, "()")


def test_an_empty_box_is_told_what_to_do_without_dots() -> None:
    ex = Exercise("02.find_the_slot")
    send(ex, "check", "   ")
    assert "Type your answer into the box first." in ex.html
    assert "..." not in ex.check().says
    assert "into the box" in ex.check().says
    cell = Exercise("02.the_diagonal")
    assert cell.check().says == "nothing to judge yet. Give your answer in the brackets of `check(…)`."
    assert "in place of the `...`" in cell.check(...).says
    assert (ex.attempts, cell.attempts) == (0, 0)


# ------------------------------------------------------------------ layouts


@pytest.mark.parametrize(
    "row", [(1, 3), [12, 4, 1], "(1, 3)", "1, 3", "(12, 4, 1)", "", 7, None, "(2, 3)", ((2, 3),)]
)
def test_one_row_of_numbers_is_no_layout(row: object) -> None:
    verdict = layout_check(size=(2, 3), stride=(2, 4), offset=1)(Answer(row))
    assert verdict.correct is None
    assert verdict.says == "give size, stride and offset, for example `((2, 3), (3, 1), 0)`."


def test_a_layout_of_no_dimensions_may_be_written() -> None:
    assert layout_check(size=(), stride=(), offset=1)(Answer("(), (), 1"))
    assert layout_check(size=(2,), stride=(3,), offset=1)(Answer("[2] [3] 1"))


def test_a_typed_row_of_another_length_is_counted() -> None:
    question = Question("q", "Which size?", (2, 3))
    assert understood(question, "2") == (2,)
    assert judge(question, (2,)).correct is False
