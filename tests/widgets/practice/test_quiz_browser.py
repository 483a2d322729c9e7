"""`Quiz` and `Parsons` in JupyterLab: mouse, keyboard alone, dragging, light and dark; and answers over a restart."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import ask, notebook_of, restart, run_all, theme, until
from tests.browser.desk import Desk, desk_at
from tests.browser.places import placed
from tests.lab.test_serving import PATIENCE, running
from tests.widgets.practice.test_browser import card

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import Parsons, Predict, Quiz, forget, progress",
    'quiz = Quiz("02.layouts")\nquiz',
    'flat = Parsons("03.transpose_in_parts")\nflat',
    'deep = Parsons("02.column_sums")\ndeep',
    'p = Predict("02.slice_stride")\np',
    "hostile = Parsons('<img src=x onerror=\"window.hacked = 1\">', \"x = '<script>window.hacked = 1</script>'\", "
    "result='x', check=lambda x: '<b onclick=1>no</b>')\nhostile",
]
SUMS = [
    "def column_sums(storage, size, stride):",
    "sums = []",
    "for j in range(size[1]):",
    "total = 0",
    "for i in range(size[0]):",
    "total += storage[i * stride[0] + j * stride[1]]",
    "sums.append(total)",
    "return sums",
]
DEPTHS = (0, 1, 1, 2, 2, 3, 2, 1)
FOCUS = (
    "() => document.activeElement.closest('[data-line]')?.dataset.line ?? document.activeElement.dataset.key"
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, root: Path, chromium: str) -> Iterator[Desk]:
    """A server whose kernels keep the answers, as a learner has it: those of the other tests keep nothing."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENSORKIT_PROGRESS", "1")
        with (
            running(home, root, "LabApp.expose_app_in_browser=True") as served,
            desk_at(served, chromium) as one,
        ):
            yield one


@pytest.fixture
def page(desk: Desk) -> Iterator[Any]:
    """The notebook, run; nothing has been answered, and no answers are kept."""
    with desk.begun("quiz", CELLS, [1, 2, 3, 4, 5], width=1100, height=4200) as book:
        assert not kept(desk).exists()
        yield book.page


def kept(desk: Desk) -> Path:
    """The file of the answers."""
    path: Path = desk.served.folder / ".tensorkit" / "progress.json"
    return path


def part(page: Any, number: int) -> Any:
    """A question of the quiz."""
    return card(page, 1).locator(f'[data-part="{number}"]')


def state(page: Any, number: int, wanted: str, cell: int = 1) -> None:
    """Wait until a question, or with 0 the card, is in this state."""
    inside = f'[data-part="{number}"]' if number else ".tk-card"
    page.locator(
        f'[data-windowed-list-index="{cell}"] .tk-practice {inside}[data-state="{wanted}"]'
    ).wait_for()


def number_of(page: Any, puzzle: str, text: str) -> str:
    """The number of a line, asked in Python."""
    return ask(page, f"[n for n, line in {puzzle}.lines.items() if line == {text!r}][0]")


def by_number(page: Any, cell: int, number: str) -> Any:
    return card(page, cell).locator(f'.tk-line[data-line="{number}"]')


def python_has(page: Any, expression: str, wanted: str) -> None:
    """What the browser did has reached Python: the card says so by its drawing, so ask until it has."""
    end = time.monotonic() + PATIENCE
    while (got := ask(page, expression)) != wanted and time.monotonic() < end:
        pass
    assert got == wanted


# ------------------------------------------------------------------ the quiz


def test_several_options_are_ticked_and_judged(page: Any) -> None:
    one = part(page, 1)

    def box(option: str) -> Any:
        return one.locator(".tk-option", has_text=option).get_by_role("checkbox")

    box("t.t()").check()
    box("t.view(-1)").check()
    one.get_by_role("button", name="Check").click()
    state(page, 1, "wrong")
    said = one.locator(".tk-verdict").inner_text()
    assert "a slice starts further on in the same storage" in said
    assert "a slice aliases its base" in said
    assert ask(page, "sorted(quiz.answers[0])") == "['`t.t()`', '`t.view(-1)`']"
    assert page.evaluate(FOCUS) == "answer-1", "the focus stays"
    box("t[1:]").check()
    box("t.clone()").check()
    one.get_by_role("button", name="Check again").click()
    one.locator(".tk-verdict", has_text="a clone has a storage of its own").wait_for()
    box("t.clone()").uncheck()
    one.get_by_role("button", name="Check again").click()
    state(page, 1, "right")
    assert one.locator('[data-truth="right"]').count() == 3


def test_a_number_and_a_row_by_keyboard_alone(page: Any) -> None:
    part(page, 2).locator("input").focus()
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    state(page, 2, "wrong")
    assert "offsets count slots" in part(page, 2).inner_text()
    assert part(page, 2).locator("input").input_value() == "6"
    page.keyboard.press("Control+A")
    page.keyboard.type("8")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    state(page, 2, "right")
    said = page.locator('[data-windowed-list-index="1"] [role="status"]')
    said.filter(has_text=re.compile(r"^Question 2\. Right\..* 1 of 4 right$")).wait_for(state="attached")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS) == "entry-3", "Tab goes on to the next question"
    page.keyboard.type("8, 1")
    page.keyboard.press("Enter")
    state(page, 3, "right")


def test_a_line_of_code_is_judged_by_what_it_does(page: Any) -> None:
    ask(
        page,
        "[quiz.answer(n + 1, one) for n, one in enumerate([['`t.t()`', '`t[1:]`', '`t.view(-1)`'], 8, (8, 1)])]",
    )
    state(page, 3, "right")
    box = part(page, 4).locator("input")
    for code, wanted, says in (
        ("t[:, 2]", "wrong", "counting from zero"),
        ("t[:, 3].clone()", "wrong", "a copy is not a view"),
        ("t.t()[-1]", "right", "four slots apart"),
    ):
        box.fill(code)
        page.keyboard.press("Enter")
        part(page, 4).locator(".tk-verdict", has_text=says).wait_for()
        state(page, 4, wanted)
    state(page, 0, "right")
    assert "4 of 4 right" in card(page, 1).inner_text()
    assert ask(page, "quiz.score") == "(4, 4)"


def test_code_outside_the_grammar_is_refused(page: Any) -> None:
    part(page, 4).locator("input").fill("__import__('os').system('true')")
    page.keyboard.press("Enter")
    part(page, 4).locator(".tk-note", has_text="not allowed here").wait_for()
    assert ask(page, "quiz.answers[3]") == "None"


def test_the_answer_is_shown_when_asked_for(page: Any) -> None:
    part(page, 3).locator("input").fill("(4, 1)")
    page.keyboard.press("Enter")
    state(page, 3, "wrong")
    part(page, 3).get_by_role("button", name="Show the answer").click()
    part(page, 3).locator(".tk-earlier", has_text="It is (8, 1).").wait_for()
    assert part(page, 3).locator("input").count() == 0
    assert ask(page, "quiz.score") == "(0, 4)"


def test_python_answers_and_the_card_follows(page: Any) -> None:
    ask(page, "quiz.answer(2, 8)")
    state(page, 2, "right")


# ------------------------------------------------------------------ the puzzle


def test_a_puzzle_is_solved_by_keyboard_alone(page: Any) -> None:
    """Tab to the board, arrows to a line, Space, arrows, Space: and never the mouse."""
    card(page, 3).locator('.tk-line[tabindex="0"]').focus()
    for depth, text in zip(DEPTHS, SUMS, strict=True):
        wanted = number_of(page, "deep", text)
        page.keyboard.press("End")
        while page.evaluate(FOCUS) != wanted:
            page.keyboard.press("ArrowUp")
        page.keyboard.press("Space")
        page.locator(
            f'[data-windowed-list-index="3"] [data-line="{wanted}"][aria-selected="true"]'
        ).wait_for()
        while by_number(page, 3, wanted).locator("xpath=..").get_attribute("data-zone") != "program":
            page.keyboard.press("ArrowUp")
        while int(by_number(page, 3, wanted).get_attribute("data-indent")) > depth:
            page.keyboard.press("ArrowLeft")
        while int(by_number(page, 3, wanted).get_attribute("data-indent")) < depth:
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        said = page.locator('[data-windowed-list-index="3"] [role="status"]').text_content()
        assert said.startswith(f"{text}: put down, place ")
    python_has(page, "deep.code == deep._puzzle.program.strip()", "True")
    for _ in range(60):
        if page.evaluate(FOCUS) == "check":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    state(page, 0, "right", cell=3)
    assert ask(page, "deep.solved, deep.attempts, deep.indents") == "True 1 (0, 1, 1, 2, 2, 3, 2, 1)"


def put(page: Any, puzzle: str, cell: int, lines: Sequence[str], depths: Sequence[int]) -> None:
    """Python puts these lines into the program of a puzzle, each so far in."""
    placed = [(int(number_of(page, puzzle, line)), depth) for line, depth in zip(lines, depths, strict=True)]
    ask(page, f"setattr({puzzle}, 'order', {placed})")
    order = " ".join(f"{number}:{depth}" for number, depth in placed)
    page.locator(f'[data-windowed-list-index="{cell}"] .tk-lines[data-order="{order}"]').wait_for()


def test_a_wrong_order_is_run_and_diagnosed(page: Any) -> None:
    put(page, "deep", 3, SUMS, DEPTHS)
    wanted = number_of(page, "deep", "return sums")
    by_number(page, 3, wanted).focus()
    page.keyboard.press("ArrowRight")
    python_has(page, "deep.indents[-1]", "2")
    card(page, 3).get_by_role("button", name="Run and check").click()
    state(page, 0, "wrong", cell=3)
    assert "inside a loop it ends it in the first round" in card(page, 3).inner_text()
    assert page.locator(".tk-silence").count() == 0


def test_lines_are_dragged_in_and_sideways(page: Any) -> None:
    size, view = (
        number_of(page, "flat", text) for text in ("size = (t.size(1), t.size(0))", "u = t.view(size)")
    )
    zone = card(page, 2).locator('[data-zone="program"]')
    for count, number in enumerate((view, size), start=1):
        by_number(page, 2, number).scroll_into_view_if_needed()
        box, into = placed(by_number(page, 2, number)), placed(zone)
        page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(into["x"] + 80, into["y"] + 30, steps=6)
        page.mouse.move(into["x"] + 60, into["y"] + 4, steps=3)
        page.mouse.up()
        python_has(page, "len(flat.order)", str(count))
    python_has(page, "flat.order", f"({size}, {view})")
    card(page, 2).get_by_role("button", name="Run and check").click()
    state(page, 0, "wrong", cell=2)
    assert "permute vs view" in card(page, 2).inner_text()


def test_a_click_and_the_buttons_do_what_dragging_does(page: Any) -> None:
    put(page, "flat", 2, ["size = (t.size(1), t.size(0))", "u = t.view(size)"], (0, 0))
    view = number_of(page, "flat", "u = t.view(size)")
    by_number(page, 2, view).click()
    card(page, 2).get_by_role("button", name="Take the line into the program, or out of it").click()
    by_number(page, 2, number_of(page, "flat", "u = t.as_strided(size, stride)")).click()
    stride = number_of(page, "flat", "stride = (t.stride(1), t.stride(0))")
    by_number(page, 2, stride).click()
    card(page, 2).get_by_role("button", name="Move the line up").click()
    python_has(page, "len(flat.order), flat.order[1]", f"3 {stride}")
    card(page, 2).get_by_role("button", name="Run and check").click()
    state(page, 0, "right", cell=2)
    assert ask(page, "flat.solved") == "True"


def test_python_orders_and_the_board_follows(page: Any) -> None:
    ask(page, "setattr(flat, 'order', [1])")
    page.locator('[data-windowed-list-index="2"] .tk-lines[data-order="1:0"]').wait_for()


def test_hostile_lines_stay_text(page: Any) -> None:
    one = card(page, 5)
    by_number(page, 5, "1").click()
    one.get_by_role("button", name="Run and check").click()
    one.locator(".tk-verdict", has_text="<b onclick=1>no</b>").wait_for()
    assert one.locator("img, script, b").count() == 0
    assert page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("name", ["Light", "Dark"])
def test_the_cards_have_no_accessibility_fault(page: Any, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    theme(page, name)
    ask(page, "quiz.answer(2, 8)")
    state(page, 2, "right")
    put(page, "deep", 3, SUMS, DEPTHS)
    by_number(page, 3, number_of(page, "deep", "return sums")).focus()
    page.keyboard.press("Space")
    found = axe.Axe().run(page, context=".tk-practice")
    assert found.violations_count == 0, found.generate_report()


# ------------------------------------------------------------------ over a restart


def answered(page: Any) -> None:
    """Something has been done to each card."""
    ask(page, "quiz.answer(2, 8)")
    state(page, 2, "right")
    ask(page, "setattr(p, 'answer', (4, 1))")
    state(page, 0, "wrong", cell=4)
    put(page, "flat", 2, ["size = (t.size(1), t.size(0))"], (0,))
    put(page, "deep", 3, SUMS, DEPTHS)
    card(page, 3).get_by_role("button", name="Run and check").click()
    state(page, 0, "right", cell=3)


def test_answers_are_there_after_a_restart_of_the_kernel(page: Any, desk: Desk) -> None:
    answered(page)
    before = [card(page, number).inner_text() for number in (1, 2, 3, 4)]
    restart(page)
    run_all(page)
    state(page, 0, "wrong", cell=4)
    for number, text in zip((1, 2, 3, 4), before, strict=True):
        until(
            page,
            "([number, text]) => document.querySelector(`[data-windowed-list-index='${number}'] .tk-card`)"
            "?.innerText === text",
            arg=[number, text],
        )
    assert ask(page, "quiz.score, deep.attempts, p.answer") == "(1, 4) 1 (4, 1)"
    told = json.loads(kept(desk).read_text())
    assert told["cards"]["predict 02.slice_stride"]["answer"] == [4, 1]
    assert "a step multiplies the stride" in ask(page, "progress()")


def test_a_prediction_is_compared_with_the_one_before(page: Any) -> None:
    ask(page, "setattr(p, 'answer', (4, 1))")
    state(page, 0, "wrong", cell=4)
    card(page, 4).get_by_role("button", name="Ask me again").click()
    state(page, 0, "open", cell=4)
    card(page, 4).locator("input").fill("(4, 2)")
    page.keyboard.press("Enter")
    state(page, 0, "right", cell=4)
    assert (
        "Before, you had said: (4, 1). Behind it: a step multiplies the stride." in card(page, 4).inner_text()
    )


def test_forgetting_asks_anew_and_deletes_the_file(page: Any, desk: Desk) -> None:
    answered(page)
    assert kept(desk).exists()
    assert "is deleted" in ask(page, "forget()")
    for number in (1, 2, 3, 4):
        state(page, 0, "open", cell=number)
    assert not kept(desk).exists()


def test_without_a_kernel_the_cards_are_their_text(desk: Desk) -> None:
    still = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"text/html": '<div class="tk-still">Quiz</div>', "text/plain": "Quiz"},
    }
    with desk.written("unrun", notebook_of(['Quiz("02.layouts")'], [still]), 1100, 1400) as book:
        book.page.locator(".tk-still").wait_for()
        wrong = book.page.locator(".jp-OutputArea-output:has-text('Error displaying widget')")
        assert wrong.count() == 0
