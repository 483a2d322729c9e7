"""`Predict` and `Exercise`: state, text twins, messages from a browser, and everything a learner may type."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit_widgets.practice import facts as practice
from tensorkit_widgets.practice.checking.checks import (
    Checker,
    choice_check,
    layout_check,
    number_check,
    tensor_check,
    tuple_check,
)
from tensorkit_widgets.practice.checking.typed import numbers_in
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.facts import Answer, Facts, Slip, Verdict, read, slots
from tensorkit_widgets.practice.markup import markup, plain, shown, told
from tensorkit_widgets.practice.predict import Predict
from tensorkit_widgets.practice.progress_report import progress
from tests.widgets.practice_helpers import HOSTILE, blank_memory, send, tags

__all__ = ["blank_memory"]  # a fixture

KNOWN_TAGS = {"p", "code", "em", "pre", "strong"}


def stride_question(**more: Any) -> Predict:
    return Predict(
        "What is the stride of `t.t()`?",
        answer=(1, 5),
        why="The strides swap.",
        misconceptions={(5, 1): ("permute vs view", "That is before."), (2, 5): "That is the size."},
        **more,
    )


def choice_question() -> Predict:
    return Predict(
        "Which?",
        ["`view`", "`t`", "both"],
        answer="`t`",
        misconceptions={"both": "Only one does."},
        order="given",
    )


# ------------------------------------------------------------------ text


@given(st.text(max_size=300))
def test_markup_lets_no_tag_through_but_its_own(text: str) -> None:
    assert set(tags(markup(text))) <= KNOWN_TAGS
    plain(text)


@pytest.mark.parametrize(
    ("text", "html", "words"),
    [
        ("a tensor of *size* 3", "a tensor of <em>size</em> 3", "a tensor of size 3"),
        ("row 0 *of the copy*.", "row 0 <em>of the copy</em>.", "row 0 of the copy."),
        ("*the `size` of it*", "<em>the <code>size</code> of it</em>", "the size of it"),
        ("**no** *yes*", "<strong>no</strong> <em>yes</em>", "no yes"),
        ("2 * 3 * 4", "2 * 3 * 4", "2 * 3 * 4"),
        ("2*3*4 and a*b*c", "2*3*4 and a*b*c", "2*3*4 and a*b*c"),
        ("`a *b* c`", "<code>a *b* c</code>", "a *b* c"),
        ("f(*args, **more) or f(*a, *b)", "f(*args, **more) or f(*a, *b)", "f(*args, **more) or f(*a, *b)"),
        ("*<b>*", "<em>&lt;b&gt;</em>", "<b>"),
    ],
)
def test_stars_are_emphasis_where_a_word_begins_and_one_ends(text: str, html: str, words: str) -> None:
    assert markup(text) == f"<p>{html}</p>"
    assert plain(text) == words


def test_stars_in_a_block_of_code_stay() -> None:
    assert markup("    f(x) *or* g") == "<pre><code>f(x) *or* g</code></pre>"
    assert plain("So:\n\n    print(*a*)\n\nand *that*") == "So:\n\n    print(*a*)\n\nand that"


@given(st.text(max_size=300))
def test_numbers_in_any_text_never_raises(text: str) -> None:
    assert numbers_in(text) is None or all(type(n) in (int, float) for n in numbers_in(text) or ())


@given(st.lists(st.integers(-999, 999), max_size=6))
def test_numbers_are_read_from_every_way_of_writing_them(numbers: list[int]) -> None:
    row = tuple(numbers)
    text = ", ".join(map(str, row))
    assert numbers_in(row) == numbers_in(numbers) == numbers_in(f"({text})") == numbers_in(f"[{text}]") == row
    assert numbers_in(f"torch.Size([{text}])") == numbers_in(f"tensorkit.Size([{text}])") == row


def test_shown_and_told_survive_whatever_they_get() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise ValueError("no")

    class LoudError(Exception):
        def __str__(self) -> str:
            raise ValueError("no")

    assert shown(Loud()) == "a Loud"
    assert told(LoudError()) == "LoudError"
    assert len(shown("x" * 10**7)) == 60


# ------------------------------------------------------------------ checks


def test_the_stride_of_a_size_one_dimension_is_free() -> None:
    check = tensor_check(size=(1, 3), stride=(7, 1), shares=True)
    base = tk.arange(3.0)
    assert check(Answer(base.as_strided((1, 3), (999, 1)), base))


def test_a_wrong_slot_is_told_by_element_and_slot() -> None:
    base = tk.arange(12.0).view(3, 4)
    verdict = tensor_check(size=(4, 3), stride=(1, 4), shares=True)(Answer(base.view(4, 3), base))
    assert verdict.says == "element [0, 1] reads slot 1 of the storage; it should read slot 4."


def test_values_dtype_and_size_are_told_in_turn() -> None:
    check = tensor_check(size=(2,), dtype="int64", values=(1, 2))
    assert check(Answer(tk.tensor([1, 2])))
    assert "size is (3,)" in check(Answer(tk.tensor([1, 2, 3]))).says
    assert "dtype is float32" in check(Answer(tk.tensor([1.0, 2.0]))).says
    assert "element [1] is 3; it should be 2" in check(Answer(tk.tensor([1, 3]))).says


def test_a_copy_is_asked_for_and_a_view_is_refused() -> None:
    base = tk.arange(4.0)
    check = tensor_check(size=(4,), values=lambda facts: facts.values, shares=False)
    assert check(Answer(base.clone(), base))
    assert check(Answer(base[:], base)).misconception == "a slice aliases its base"


def test_a_check_of_sharing_asks_for_the_base() -> None:
    verdict = tensor_check(size=(4,), shares=True)(Answer(tk.arange(4.0)))
    assert verdict.correct is None
    assert "base=t" in verdict.says


def test_a_layout_is_judged_by_its_slots() -> None:
    check = layout_check(size=(2, 3), stride=(2, 4), offset=1)
    for right in (((2, 3), (2, 4), 1), "(2, 3), (2, 4), 1", "size (2,3) stride (2,4) offset 1"):
        assert check(Answer(right)), right
    for wrong in (
        ((2, 3), (2, 4)),
        "(2, 3)",
        ((2, 3), (2,), 1),
        ((10**9, 10**9), (0, 0), 0),
        ((-1, 3), (1, 1), 0),
    ):
        assert not check(Answer(wrong)), wrong
    assert check(Answer(((3, 2), (2, 4), 1))).says == "the tensor that is meant has another size than (3, 2)."
    assert "(2, 3) and (2,) are no layout" in check(Answer(((2, 3), (2,), 1))).says


@given(
    st.lists(st.integers(0, 3), max_size=3).flatmap(
        lambda size: st.tuples(
            st.just(tuple(size)), st.tuples(*[st.integers(0, 5)] * len(size)), st.integers(0, 5)
        )
    )
)
def test_slots_are_the_formula(layout: tuple[tuple[int, ...], tuple[int, ...], int]) -> None:
    size, stride, offset = layout
    memory = tk.arange(64)
    assert list(slots(size, stride, offset)) == list(read(memory.as_strided(size, stride, offset)).values)


def test_numbers_rows_and_words() -> None:
    assert number_check(9)(Answer(tk.tensor(9)))
    assert number_check(9)(Answer(9.0))
    assert number_check(9)(Answer(True)).correct is None
    assert number_check(9)(Answer("nine")).correct is None
    assert tuple_check(2, 3)(Answer(tk.zeros(2, 3).size()))
    assert tuple_check(2, 3)(Answer((7,))).says == "you gave 1 number; the answer has 2."
    assert tuple_check(2, 3)(Answer("3, 2")).says == "the right numbers, in another order."
    assert tuple_check(2, 3)(Answer("-2, 3")).says == "no number of the right answer is negative."
    assert "off by one" in number_check(9)(Answer("10")).says
    assert choice_check("c a b")(Answer("C, A; b"))
    assert choice_check("c a b")(Answer("cab"))


def test_a_huge_tensor_is_not_walked_through() -> None:
    wide = tk.zeros(1).expand(10**9)
    assert "too many" in tensor_check(size=(10**9,), values=())(Answer(wide)).says


def test_a_tensor_that_raises_on_access_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def sulk(tensor: object) -> None:
        raise RuntimeError("not today")

    monkeypatch.setattr(practice, "describe", sulk)
    verdict = tensor_check(size=(1,))(Answer(tk.zeros(1)))
    assert verdict == Verdict(False, "this tensor cannot be read (RuntimeError: not today).")


# ------------------------------------------------------------------ verdicts


def test_verdicts_say_what_they_are() -> None:
    assert repr(Verdict(True)) == "Right."
    assert (
        repr(Verdict(False, "the size.", "a size is not a stride"))
        == "Not yet: the size.\n(a size is not a stride)"
    )
    assert "&lt;script&gt;" in Verdict(False, HOSTILE)._repr_html_()


def test_the_first_slip_that_fits_speaks() -> None:
    slips = [
        Slip("permute vs view", "one", given=1),
        Slip("permute vs view", "two", when=lambda a, m, b: True),
    ]
    assert number_check(9, slips)(Answer(1)).says == "one"
    assert number_check(9, slips)(Answer(2)).says == "two"
    assert not Slip("permute vs view", "x", size=(1,)).fits(Answer(1))
    assert Slip("permute vs view", "x", size=(1,), offset=2).fits(Answer(1), Facts((1,), (1,), 2))


# ------------------------------------------------------------------ Predict


def test_a_prediction_is_compared_and_explained() -> None:
    p = stride_question()
    assert not p.revealed
    assert p.verdict is None
    assert "(1, 5)" not in p.html
    p.answer = (5, 1)
    assert p.verdict == Verdict(
        False, "You said `(5, 1)`. That is before. It is `(1, 5)`. The strides swap.", "permute vs view"
    )
    p.answer = "(1, 5)"
    assert p.verdict
    assert p.answer == (1, 5)
    assert "As you predicted" in p.html


def test_unrecognised_wrong_answers_still_get_the_reason() -> None:
    p = stride_question()
    p.answer = [9, 9]
    assert p.verdict == Verdict(False, "You said `(9, 9)`; it is `(1, 5)`. The strides swap.")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ((1,), "You gave 1 number; the answer has 2."),
        ((1, 6), "All but number 2 of the row are right."),
        ((-1, -5), "No number of the right answer is negative."),
    ],
)
def test_a_near_miss_of_a_prediction_is_told_before_the_truth(said: tuple[int, ...], reason: str) -> None:
    p = stride_question()
    p.answer = said
    assert p.verdict == Verdict(False, f"You said `{said}`. {reason} It is `(1, 5)`. The strides swap.")


@pytest.mark.parametrize("spelling", ["C", " c ", 3, "both"])
def test_an_option_may_be_given_by_letter_number_or_text(spelling: object) -> None:
    p = choice_question()
    p.answer = spelling
    assert p.answer == "both"
    assert p.verdict == Verdict(False, "You said **C**. Only one does.")


@pytest.mark.parametrize("nonsense", ["D", 0, 4, True, None, 2.5, object(), ["A"], "x" * 10_000])
def test_what_is_no_option_is_said_and_changes_nothing(nonsense: object) -> None:
    p = choice_question()
    p.answer = nonsense
    assert not p.revealed
    assert "is not one of the options, A to C" in p.text()


def test_skipping_shows_the_answer_without_judging() -> None:
    p = stride_question()
    p.skip()
    assert p.revealed
    assert p.verdict is not None
    assert p.verdict.correct is None
    assert "It is (1, 5). The strides swap." in p.text()
    p.again()
    assert not p.revealed


def test_words_and_numbers_may_be_asked_for() -> None:
    word = Predict("Which device?", answer="cpu")
    word.answer = " CPU. "
    assert word.verdict
    number = Predict("How many bytes?", answer=40)
    number.answer = "40"
    assert number.verdict
    number.answer = "4 0"
    assert "is not one whole number, such as 7." in number.text()
    seven = Predict("How many elements?", answer=7)
    seven.answer = (1, 2)
    assert "(1, 2) is not one whole number, such as 8." in seven.text()


def test_running_the_cell_again_keeps_the_prediction() -> None:
    first = stride_question()
    first.answer = (5, 1)
    again = stride_question()
    assert again.answer == (5, 1)
    assert again.html == first.html
    assert Predict("Another question?", answer=1).answer is None


def test_the_same_state_draws_the_same_bytes() -> None:
    a, b = choice_question(), choice_question()
    assert (a.html, a.text(), a.static_html()) == (b.html, b.text(), b.static_html())
    assert "0x" not in a.text() + a.html


def test_an_answer_that_is_no_option_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="not one of the options"):
        Predict("Which?", ["a", "b"], answer="c")
    with pytest.raises(TypeError):
        Predict("Which?", ["a"], answer="a", colour="red")  # type: ignore[call-arg]


def test_the_browser_may_answer_skip_and_ask_again() -> None:
    p = choice_question()
    send(p, "answer", "B")
    assert p.verdict
    assert p.announced.startswith("As you predicted")
    send(p, "again")
    assert not p.revealed
    send(p, "answer", "A")
    assert p.announced == "Not what happens. You said A."
    send(p, "skip")
    assert p.revealed
    assert p.announced == "Skipped. It is B."


@pytest.mark.parametrize("do", ["close", "__class__", "", None, 3, ["answer"], "ANSWER"])
def test_messages_that_are_none_of_ours_are_ignored(do: object) -> None:
    p = choice_question()
    before = p.html
    send(p, do, "B")
    send(p, "answer", {"not": "text"})
    p._handle_custom_msg("answer", [])
    assert p.html == before
    send(p, "answer", "B" * 10_000)
    assert "an answer has at most 500 characters" in p.html
    assert p.answer is None
    assert p.heard >= 2, "the browser still gets its answer"


def test_everything_that_was_typed_is_escaped() -> None:
    p = Predict(HOSTILE, answer="yes", why=HOSTILE, misconceptions={HOSTILE: HOSTILE})
    p.answer = HOSTILE
    for html in (p.html, p.static_html()):
        assert "script" not in tags(html)
        assert "b" not in tags(html)
        assert "&lt;script&gt;" in html


# ------------------------------------------------------------------ Exercise


def transpose() -> tuple[Exercise, Any]:
    return Exercise("03.transpose_by_hand"), tk.arange(12.0).view(3, 4)


def test_an_exercise_counts_attempts_until_it_is_solved() -> None:
    ex, t = transpose()
    assert (ex.solved, ex.attempts) == (False, 0)
    assert not ex.check(t.view(4, 3), base=t)
    assert ex.check(t.t(), base=t)
    assert (ex.solved, ex.attempts) == (True, 2)
    ex.check(t, base=t)
    assert (ex.solved, ex.attempts) == (True, 2)
    assert "Solved in 2 attempts" in ex.text()


def test_a_blank_answer_is_no_attempt() -> None:
    ex, t = transpose()
    assert ex.check().correct is None
    assert ex.check(..., base=t).correct is None
    assert ex.check(t.t()).correct is None
    assert ex.attempts == 0


def test_hints_come_one_by_one_and_the_solution_when_asked_for() -> None:
    ex, _ = transpose()
    assert "Hint 1" in ex.html
    assert "as_strided((4, 3)" not in ex.html
    said = [ex.hint() for _ in range(4)]
    assert [hint[:11] for hint in said] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert "as_strided((4, 3)" not in ex.html
    assert "as_strided((4, 3), (1, 4))" in repr(ex.solution())
    assert "as_strided((4, 3), (1, 4))" in ex.html
    ex.again()
    assert "as_strided((4, 3)" not in ex.html


def test_running_the_cell_again_keeps_the_exercise() -> None:
    ex, t = transpose()
    ex.check(t.t(), base=t)
    again, _ = transpose()
    assert again.solved
    assert again.html == ex.html
    assert re.search(r"Transpose by hand +solved in 1 attempt", progress())


def test_an_answer_may_be_typed_where_there_is_a_box() -> None:
    ex = Exercise("02.find_the_slot")
    send(ex, "check", "7")
    assert ex.attempts == 1
    assert "a size is not a stride" in ex.html
    send(ex, "check", "   ")
    assert ex.attempts == 1
    send(ex, "check", "9")
    assert ex.solved
    boxless, _ = transpose()
    send(boxless, "check", "9")
    assert boxless.attempts == 0
    send(boxless, "hint")
    send(boxless, "solution")
    assert "A solution:" in boxless.text()


@pytest.mark.parametrize(
    ("found", "correct"), [(True, True), (False, False), ("", True), ("too small.", False)]
)
def test_an_exercise_of_your_own(found: bool | str, correct: bool) -> None:
    ex = Exercise("Is it big?", check=lambda value: found, hints=["Look."], entry="3")
    assert ex.check(3).correct is correct
    assert ex.hint() == "Hint 1 of 1: Look."
    assert "no written solution" in ex.solution()


def test_a_checker_may_be_given_as_it_is() -> None:
    ex = Exercise("Which slot?", check=number_check(3))
    assert ex.check("3")
    assert "no hints" in ex.hint()
    with pytest.raises(TypeError, match="check="):
        Exercise("Which slot?")


def test_a_check_that_fails_becomes_a_sentence() -> None:
    def broken(value: object) -> bool:
        raise ZeroDivisionError("<b>oops</b>")

    verdict = Exercise("Q", check=broken).check(1)
    assert verdict == Verdict(False, "your answer could not be looked at (ZeroDivisionError: <b>oops</b>).")
    assert "<b>" not in verdict._repr_html_()
    with pytest.raises(KeyboardInterrupt):
        Checker(lambda answer: (_ for _ in ()).throw(KeyboardInterrupt()))(Answer(1))


def test_threads_may_answer_at_once() -> None:
    ex = Exercise("Q", check=lambda value: False)
    threads = [threading.Thread(target=lambda: [ex.check(1) for _ in range(50)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ex.attempts == 400


# ------------------------------------------------------------------ display


@pytest.mark.parametrize("make", [choice_question, stride_question, lambda: Exercise("02.which_strides")])
def test_the_static_card_has_nothing_to_press(make: Any) -> None:
    card = make()
    seen = tags(card.static_html())
    assert not {"button", "input", "script", "style"} & set(seen)
    assert {"button"} <= set(tags(card.html))


@pytest.mark.parametrize("make", [choice_question, stride_question, lambda: Exercise("02.which_strides")])
def test_live_controls_have_names(make: Any) -> None:
    html = make().html
    assert html.count('<input type="text"') == html.count('aria-label="Your')
    assert html.count("<fieldset>") == html.count("<legend")
    assert 'aria-label="' in html[:200]


def test_a_closed_card_opens_again_when_it_is_displayed(capsys: pytest.CaptureFixture[str]) -> None:
    p = choice_question()
    p.answer = "B"
    p.close()
    assert p.comm is None
    p._ipython_display_()
    assert p.comm is not None
    assert "As you predicted" in p.html
    p.answer = "A"
    assert "Not what happens" in p.html
