"""GraphView under a learner’s hands, in JupyterLab: by click and keyboard, light and dark, and as a saved page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import ask, restart, run_all, theme, until
from tests.browser.desk import CUT, Book, Desk
from tests.browser.places import placed
from tests.widgets.graph_examples import view

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import GraphView",
    "w = tk.tensor([1.0, 2.0, 3.0], requires_grad=True)\nb = tk.tensor(0.5, requires_grad=True)\n"
    "x = tk.tensor([1.0, 1.0, 2.0])\ny = w * x + b\nloss = (y * y).sum()\ng = GraphView(loss)\ng",
    "z = w\nfor _ in range(60):\n    z = z * b + x\nf = GraphView(z.sum())\nf",
    "hostile = GraphView((w * 2).sum(), names={\"<img src=x onerror='window.hacked = 1'>\": w})\nhostile",
    "many = [tk.tensor(float(k), requires_grad=True) for k in range(40)]\n"
    "wide = GraphView(tk.stack(many).sum())\nwide",
]


@pytest.fixture
def book(desk: Desk) -> Iterator[Book]:
    """The notebook, run."""
    with desk.begun("graph", CELLS, [1, 2, 3, 4], width=1500, height=4200) as one:
        yield one


@pytest.fixture
def page(book: Book) -> Any:
    return book.page


def root_of(page: Any, number: int) -> Any:
    """The live view of a cell."""
    return page.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] [data-tk-widget="graph-view"]')


def shows(page: Any, number: int, **state: object) -> None:
    """Wait until the view of a cell carries these ``data-*`` attributes."""
    marks = "".join(f'[data-{name}="{value}"]' for name, value in state.items())
    page.locator(f'[data-windowed-list-index="{number}"] [data-tk-widget="graph-view"]{marks}').wait_for()


def part(page: Any, number: int, role: str) -> Any:
    """A control of the view of a cell."""
    return root_of(page, number).locator(f'[data-role="{role}"]')


def vertex(page: Any, number: int, name: str) -> Any:
    """The first box of a name."""
    return root_of(page, number).locator(f'.tk-vertex[data-name="{name}"]').first


def test_steps_by_click_fill_the_jars_and_python_agrees(page: Any) -> None:
    shows(page, 1, status="ready", step="0", operations="4")
    part(page, 1, "step").click()
    shows(page, 1, step="1", status="rehearsing", steps="6")
    assert vertex(page, 1, "Sum").get_attribute("data-state") == "running"
    assert root_of(page, 1).locator('[data-gradient="[1., 1., 1.]"][data-flow="flows"]').count() == 1
    assert ask(page, "g.at, g.status, w.grad") == "1 rehearsing None"
    part(page, 1, "run").click()
    shows(page, 1, status="done", step="6")
    assert vertex(page, 1, "w").get_attribute("data-filled") == "rehearsed"
    assert vertex(page, 1, "w").get_attribute("data-grad") == "[3., 5., 26.]"
    assert vertex(page, 1, "Mul").get_attribute("data-kept") == "other:freed"
    assert ask(page, "g.at, g.status, w.grad") == "6 done None"
    part(page, 1, "back").click()
    shows(page, 1, step="5")
    part(page, 1, "reset").click()
    shows(page, 1, step="0", status="ready")
    assert vertex(page, 1, "w").get_attribute("data-filled") == "no"


def test_steps_by_keyboard_alone(page: Any) -> None:
    vertex(page, 1, "w").focus()
    page.keyboard.press("ArrowRight")
    shows(page, 1, step="1")
    page.keyboard.press("ArrowRight")
    shows(page, 1, step="2")
    assert page.evaluate("() => document.activeElement.dataset.name") == "w", "the focus stays on its box"
    page.keyboard.press("ArrowLeft")
    shows(page, 1, step="1")
    page.keyboard.press("End")
    shows(page, 1, step="6", status="done")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.name") == "x"
    said = part(page, 1, "said").inner_text()
    assert said.startswith("constant x, value [1., 1., 2.], no grad")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("+")
    assert root_of(page, 1).get_attribute("data-zoom") != "fit"
    page.keyboard.press("0")
    shows(page, 1, zoom="fit")
    page.keyboard.press("Home")
    shows(page, 1, step="0")


def test_the_slider_goes_to_a_step(page: Any) -> None:
    ask(page, "g.step().at")
    shows(page, 1, step="1", steps="6")
    scrub = part(page, 1, "scrub")
    scrub.evaluate("s => { s.value = 4; s.dispatchEvent(new Event('input', { bubbles: true })); }")
    shows(page, 1, step="4")
    assert ask(page, "g.at") == "4"


def test_python_steps_and_the_view_follows(page: Any) -> None:
    ask(page, "g.reset() and g.step(2).at")
    shows(page, 1, step="2")


def test_all_of_it_fits_the_stage_and_what_runs_is_in_sight(book: Book, page: Any) -> None:
    ask(page, "g.step(2).at")
    shows(page, 1, step="2")
    # Up to 150 % the wide picture, at 200 % a narrow one.
    page.set_viewport_size({"width": 1600, "height": 700})
    staged = book.stage(1, 100)
    for size in ("100", "150", "200"):
        while staged.get_attribute("data-stage") != size:
            page.keyboard.press("+")
        book.settled(staged)
        assert staged.evaluate(CUT) == 0, size
        picture = placed(staged.locator(".tk-picture"))
        sentence, running = (
            placed(staged.locator(f"svg {one}")) for one in (".tk-frame-panel", ".tk-running")
        )
        assert picture["x"] < sentence["x"], size
        assert sentence["x"] + sentence["width"] < picture["x"] + picture["width"], size
        assert picture["y"] <= running["y"], size
        assert running["y"] + running["height"] <= picture["y"] + picture["height"] <= 700, size
    page.keyboard.press("Escape")
    staged.wait_for(state="detached")


def test_the_real_backward_by_its_button(page: Any) -> None:
    part(page, 1, "backward").click()
    shows(page, 1, status="walked", step="0")
    assert ask(page, "w.grad.tolist()") == "[3.0, 5.0, 26.0]"
    assert vertex(page, 1, "w").get_attribute("data-filled") == "yes"
    assert set(vertex(page, 1, "Mul").get_attribute("data-kept").split()) == {"other:freed"}
    part(page, 1, "backward").click()
    part(page, 1, "refusal").filter(has_text="second time").wait_for()
    assert ask(page, "w.grad.tolist()") == "[3.0, 5.0, 26.0]"
    ask(page, "setattr(w, 'grad', None) or g.refresh()")
    shows(page, 1, status="walked")
    root_of(page, 1).locator('[data-name="w"][data-filled="no"]').first.wait_for()


def test_a_folded_run_unfolds_by_click_and_by_enter(page: Any) -> None:
    shows(page, 2, folded="1", unfolded="0")
    fold = root_of(page, 2).locator("[data-fold]")
    assert fold.get_attribute("data-fold") == "118", "the last Add has a name: z"
    fold.click()
    shows(page, 2, folded="0", unfolded="1")
    assert root_of(page, 2).locator(".tk-vertex").count() > 120
    part(page, 2, "fold").click()
    shows(page, 2, folded="1")
    root_of(page, 2).locator("[data-fold]").focus()
    page.keyboard.press("Enter")
    shows(page, 2, folded="0")
    part(page, 2, "run").click()
    shows(page, 2, status="done")
    part(page, 2, "reset").click()
    shows(page, 2, folded="1", step="0")


def test_the_box_that_runs_is_in_sight(page: Any) -> None:
    root_of(page, 2).locator("[data-fold]").click()
    shows(page, 2, folded="0")
    for step in range(1, 10):
        part(page, 2, "step").click()
        shows(page, 2, step=str(step))
    running = placed(root_of(page, 2).locator(".tk-running"))
    frame = placed(part(page, 2, "picture"))
    assert frame["y"] <= running["y"] <= frame["y"] + frame["height"]


def test_forty_leaves_are_one_box_that_opens(page: Any) -> None:
    shows(page, 4, folded="1", step="0")
    box = root_of(page, 4).locator("[data-fold]")
    assert box.get_attribute("data-fold") == "40"
    assert placed(box)["width"] < 300
    box.focus()
    page.keyboard.press("Enter")
    shows(page, 4, folded="0", unfolded="1")
    part(page, 4, "run").click()
    shows(page, 4, status="done")
    assert ask(page, "many[7].grad, wide.status") == "None done"
    assert root_of(page, 4).evaluate(CUT) == 0
    part(page, 4, "fold").click()
    shows(page, 4, folded="1")


def test_a_hostile_name_stays_text(page: Any) -> None:
    shows(page, 3, status="ready")
    assert "<img src=x" in vertex(page, 3, "w").or_(root_of(page, 3).locator(".tk-leaf")).first.text_content()
    assert root_of(page, 3).locator("img, script").count() == 0
    assert page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("name", ["Light", "Dark"])
def test_axe_finds_nothing(page: Any, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    theme(page, name)
    for step in ("step", "run"):
        part(page, 3, step).click()
        shows(page, 3, status="rehearsing" if step == "step" else "done")
        found = axe.Axe().run(page, context=".tk-graph-view").response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_the_live_view_stands_for_the_static_one(page: Any) -> None:
    until(page, "() => document.querySelectorAll('.tk-still').length === 4")
    assert page.locator(".tk-still:visible").count() == 0


def test_a_restarted_kernel_leaves_the_picture_and_a_run_revives_it(page: Any) -> None:
    restart(page)
    shows(page, 1, kernel="gone")
    assert root_of(page, 1).locator("svg.tk-scene").is_visible()
    run_all(page)
    shows(page, 1, kernel="live", status="ready")
    part(page, 1, "step").click()
    shows(page, 1, step="1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_page_steps_without_a_kernel(desk: Desk, tmp_path: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    made = view("affine").step(3)
    path = made.save(tmp_path / "x.html")
    made.close()
    context = desk.browser.new_context(color_scheme=scheme, offline=True, reduced_motion="reduce")
    shown = context.new_page()
    wrong: list[str] = []
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    shown.goto(path.as_uri())
    shown.locator('main[data-step="3"][data-status="rehearsing"]').wait_for()
    shown.locator('[data-role="step"]').click()
    shown.locator('.tk-root[data-step="4"]').wait_for()
    shown.locator('.tk-vertex[tabindex="0"]').focus()
    shown.keyboard.press("End")
    shown.locator('.tk-root[data-step="7"][data-status="done"]').wait_for()
    assert shown.locator('[data-name="w"]').first.get_attribute("data-filled") == "rehearsed"
    assert "The rehearsal is over" in shown.locator("p.tk-said").inner_text()
    found = axe.Axe().run(shown).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
    assert wrong == []
    context.close()
