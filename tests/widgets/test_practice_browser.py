"""`Predict` and `Exercise` under a learner's hands: mouse, keyboard, light and dark, with and without a kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.test_browser import FLAGS, PATIENCE_MS, READY
from tests.lab.test_serving import TOKEN, Served

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import Exercise, Predict",
    'p = Predict("02.write_storage")\np',
    'q = Predict("02.slice_stride")\nq',
    'ex = Exercise("02.find_the_slot")\nex',
    't = tk.arange(12.0).view(3, 4)\nby_hand = Exercise("02.transpose_by_hand")\nby_hand.check(t.view(4, 3), base=t)',
    "by_hand",
    'h = Predict("<img src=x onerror=\'window.hacked = 1\'>?", answer="<script>window.hacked = 1</script>")\nh',
]
RUN_ALL = "() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }"
ASK = """async (code) => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({code, silent: false, store_history: false});
    let text = '';
    future.onIOPub = (m) => { if (m.header.msg_type === 'stream') text += m.content.text; };
    await future.done;
    return text.trim();
}"""
RESTART = (
    "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart().then(() => true)"
)
THEME = (
    "(name) => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name}).then(() => true)"
)


def _notebook(cells: list[str], outputs: list[dict[str, Any]] | None = None) -> str:
    code = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": outputs or [],
            "source": source,
        }
        for number, source in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": code, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture(scope="module")
def served(lab_server: Served) -> Served:
    (lab_server.folder / "practice.ipynb").write_text(_notebook(CELLS))
    return lab_server


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield one
        one.close()


@pytest.fixture(scope="module")
def page(served: Served, browser: Any) -> Iterator[Any]:
    """The practice notebook, run once; the tests below go on from one another's cards, each from its own."""
    faults: list[str] = []
    one = browser.new_page(viewport={"width": 1100, "height": 2600})
    one.set_default_timeout(PATIENCE_MS)
    one.on("pageerror", lambda error: faults.append(str(error)))
    one.goto(f"{served.url}/lab/tree/practice.ipynb?token={TOKEN}&reset")
    one.wait_for_function(READY)
    one.evaluate(RUN_ALL)
    for number in (1, 2, 3, 5, 6):
        card(one, number).wait_for()
    yield one
    assert faults == []
    one.close()


def card(page: Any, number: int) -> Any:
    """The card of a cell."""
    return page.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] .tk-card')


def ask(page: Any, expression: str) -> str:
    """What Python says of an expression, in the notebook's own kernel."""
    return str(page.evaluate(ASK, f"print({expression})"))


def test_a_click_commits_a_prediction_and_python_has_it(page: Any) -> None:
    one = card(page, 1)
    one.get_by_label("keeps its own numbers").click()
    assert one.get_attribute("data-state") == "open"
    one.get_by_role("button", name="That is my prediction").click()
    page.locator('[data-windowed-list-index="1"] .tk-card[data-state="wrong"]').wait_for()
    assert one.locator('[data-truth="yes"]').inner_text().startswith("B")
    assert "There is no second set of numbers" in one.locator(".tk-verdict").inner_text()
    assert ask(page, "p.answer") == "Nothing: `t` keeps its own numbers"
    one.get_by_role("button", name="Ask me again").click()
    page.locator('[data-windowed-list-index="1"] .tk-card[data-state="open"]').wait_for()
    assert ask(page, "p.answer") == "None"


def test_the_keyboard_alone_answers(page: Any) -> None:
    one = card(page, 2)
    one.locator("input").focus()
    page.keyboard.type("(4, 1)")
    page.keyboard.press("Enter")
    page.locator('[data-windowed-list-index="2"] .tk-card[data-state="wrong"]').wait_for()
    assert "a step multiplies the stride" in one.inner_text()
    assert ask(page, "q.answer") == "(4, 1)"
    said = page.locator('[data-windowed-list-index="2"] [role="status"]').text_content()
    assert said.startswith("Not what happens. You said (4, 1); it is (4, 2).")
    inside = "() => document.activeElement.closest('.tk-practice') !== null"
    assert page.evaluate(inside), "the focus stays in the card"


def test_the_radio_buttons_move_by_arrow_keys(page: Any) -> None:
    one = card(page, 1)
    one.locator("input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert one.locator("input:checked").get_attribute("value") == "B"
    page.keyboard.press("Enter")
    page.locator('[data-windowed-list-index="1"] .tk-card[data-state="right"]').wait_for()
    assert ask(page, "bool(p.verdict)") == "True"


def test_python_answers_and_the_card_follows(page: Any) -> None:
    ask(page, "q.again()")
    page.locator('[data-windowed-list-index="2"] .tk-card[data-state="open"]').wait_for()
    ask(page, "setattr(q, 'answer', (4, 2))")
    page.locator('[data-windowed-list-index="2"] .tk-card[data-state="right"]').wait_for()


def test_an_exercise_is_typed_hinted_and_solved(page: Any) -> None:
    one = card(page, 3)
    one.locator("input").fill("7")
    one.get_by_role("button", name="Check").click()
    page.locator('[data-windowed-list-index="3"] .tk-card[data-state="wrong"]').wait_for()
    assert one.locator("input").input_value() == "7", "what was typed stays"
    for number in (1, 2, 3):
        one.get_by_role("button", name=f"Hint {number} of 3").click()
        one.locator(".tk-hints li").nth(number - 1).wait_for()
    assert one.get_by_role("button", name="Hint").count() == 0
    assert "0 + 2*4" not in one.inner_html()
    one.get_by_role("button", name="Show a solution").click()
    one.locator("pre", has_text="0 + 2*4 + 1*1").wait_for()
    one.locator("input").fill("9")
    page.keyboard.press("Enter")
    page.locator('[data-windowed-list-index="3"] .tk-card[data-state="right"]').wait_for()
    assert ask(page, "ex.solved, ex.attempts") == "True 2"


def test_a_check_in_a_cell_shows_in_the_card(page: Any) -> None:
    one = card(page, 5)
    assert one.get_attribute("data-state") == "wrong"
    assert "permute vs view" in one.inner_text()
    assert "1 attempt so far" in one.inner_text()


def test_hostile_text_stays_text(page: Any) -> None:
    one = card(page, 6)
    assert "<img src=x" in one.inner_text()
    one.locator("input").fill("<b onclick='window.hacked = 1'>x</b>")
    page.keyboard.press("Enter")
    one.locator(".tk-verdict").wait_for()
    assert one.locator("img, script, b").count() == 0
    assert page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_the_cards_have_no_accessibility_fault(page: Any, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.evaluate(THEME, theme)
    dark = str("Dark" in theme).lower()
    page.wait_for_function(f"() => (document.body.dataset.jpThemeLight === 'false') === {dark}")
    found = axe.Axe().run(page, context=".tk-practice")
    assert found.violations_count == 0, found.generate_report()


def test_the_live_card_stands_for_the_static_one(page: Any) -> None:
    page.wait_for_function("() => document.querySelectorAll('.tk-still').length === 5")
    assert page.locator(".tk-still:visible").count() == 0


def test_running_the_cell_again_keeps_what_was_done(page: Any) -> None:
    before = card(page, 3).inner_text()
    page.evaluate(RUN_ALL)
    page.locator('[data-windowed-list-index="3"] .tk-card[data-state="right"]').wait_for()
    assert card(page, 3).inner_text() == before


def test_a_card_whose_kernel_was_restarted_says_so(page: Any) -> None:
    page.evaluate(RESTART)
    page.wait_for_function(READY)
    card(page, 3).get_by_role("button", name="Check").click()
    page.locator(".tk-silence", has_text="run this cell again").wait_for()
    page.evaluate(RUN_ALL)
    page.locator('[data-windowed-list-index="3"] .tk-card[data-state="open"]').wait_for()
    card(page, 3).locator("input").fill("9")
    card(page, 3).get_by_role("button", name="Check").click()
    page.locator('[data-windowed-list-index="3"] .tk-card[data-state="right"]').wait_for()
    assert page.locator(".tk-silence").count() == 0


def test_a_lesson_that_was_not_run_shows_its_cards(served: Served, browser: Any, root: Path) -> None:
    (served.folder / "practice_unrun.ipynb").write_bytes(
        (root / "notebooks/02_storage_offset_stride.ipynb").read_bytes()
    )
    faults: list[str] = []
    page = browser.new_page(viewport={"width": 1100, "height": 3000})
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{served.url}/lab/tree/practice_unrun.ipynb?token={TOKEN}&reset")
    page.wait_for_function(READY)
    page.locator(".tk-still").first.wait_for()
    assert "From memory" in page.locator(".tk-still").first.inner_text()
    assert page.locator(".jp-OutputArea-output:has-text('Error displaying widget')").count() == 0
    folded = page.locator(".jp-OutputPlaceholder")
    folded.first.wait_for()
    assert folded.count() > 0, "what follows a prediction is folded away until it is run"
    page.evaluate(RUN_ALL)
    page.wait_for_function("() => document.querySelectorAll('.jp-OutputPlaceholder').length === 0")
    assert faults == []
    page.close()
