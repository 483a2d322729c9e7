"""A kernel that dies on stage: one key, and the same scene and step are there again."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BroadcastExplorer, GraphView, StrideExplorer\nruns = 1",
    "a, b = tk.arange(3.0).view(3, 1), tk.arange(4.0) * 10\nfrom IPython.display import display\n"
    "display(BroadcastExplorer(b, b))\nw = BroadcastExplorer(a, b)\n"
    "w.scenes = [('sizes', {'step': 1}), ('result', {'run': True})]\ndisplay(w)",
    "s = StrideExplorer(tk.arange(12.0).view(3, 4))\ns",
]
KILL = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    kernel.requestExecute({ code: "import os\\nos._exit(1)" });
}"""
DOWN = "() => document.querySelectorAll('.jp-Dialog').length"


def wrong(fault: str) -> bool:
    """JupyterLab says so itself when a kernel dies under it."""
    return "Canceled future for kernel_info_request" not in fault


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("revive", CELLS, [1, 2], wrong=wrong) as one:
        one.spoiled = True  # each test kills its kernel, and the next gets one of its own
        one.everything()
        yield one


def staged(book: Any, **state: object) -> Any:
    """The picture on the stage, once it carries these ``data-*`` attributes."""
    marks = "".join(f'[data-{name}="{value}"]' for name, value in state.items())
    found = book.page.locator(f"dialog.tk-stage [data-tk-widget]{marks}")
    found.wait_for()
    return found


def test_the_same_scene_and_step_come_back(book: Any) -> None:
    """The second picture of its cell, in its second scene, one step back from where the scene ends."""
    keys, second = (
        book.keyboard,
        book.page.locator('[data-windowed-list-index="1"] [data-tk-widget]').nth(1),
    )
    second.wait_for()
    second.locator('[data-role="present"]').focus()
    keys.press("p")
    staged(book)
    staged(book, fitted="true")
    for key, state in (("n", {"scene": "sizes"}), ("n", {"scene": "result"}), ("ArrowLeft", {"step": 2})):
        keys.press(key)
        staged(book, **state)
    keys.press("+")
    size = staged(book, fitted="false").get_attribute("data-stage")
    before = book.ask("os.getpid() if 'os' in globals() else __import__('os').getpid()")
    book.page.evaluate(KILL)
    old = staged(book, kernel="gone", scene="result", step=2)
    assert old.locator('[data-role="revive"]').is_visible()
    assert "Press K" in old.locator('[data-role="kernel"]').inner_text()
    old.evaluate("root => { window.oldPicture = root; }")
    keys.press("k")
    new = staged(book, kernel="live", scene="result", step=2)
    assert book.page.locator("dialog.tk-stage").count() == 1
    assert new.evaluate("root => root !== window.oldPicture")
    assert new.get_attribute("data-stage") == size
    assert book.ask("os.getpid()") != before
    assert book.ask("w.at, w._script.at") == "2 1"
    keys.press("ArrowRight")
    staged(book, step=3)
    assert not new.locator('[data-role="revive"]').is_visible()
    keys.press("Escape")
    assert book.page.locator("dialog.tk-stage").count() == 0
    assert book.page.evaluate(DOWN) == 0, "JupyterLab's own words of the death are not left behind"


def test_an_expression_comes_back_and_a_mouse_will_do(book: Any) -> None:
    book.part(2, "present").focus()
    book.keyboard.press("p")
    staged(book, kernel="live")
    book.ask("setattr(s, 'expression', '[1:].t()')")
    staged(book, expression="[1:].t()")
    book.page.evaluate(KILL)
    staged(book, kernel="gone").locator('[data-role="revive"]').click()
    staged(book, kernel="live", expression="[1:].t()")
    assert book.ask("s.code") == "t[1:].t()"
    book.keyboard.press("Escape")


def test_a_lesson_that_fails_on_the_way_gives_the_notebook_back(book: Any) -> None:
    """No picture takes the stage over: the notebook shows the error, nothing waits for ever."""
    book.part(2, "present").focus()
    book.keyboard.press("p")
    staged(book, kernel="live")
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.cells.get(0).sharedModel.setSource('1 / 0')"
    )
    book.page.evaluate(KILL)
    staged(book, kernel="gone")
    book.keyboard.press("k")
    book.page.locator("dialog.tk-stage").wait_for(state="detached")
    assert "ZeroDivisionError" in book.page.locator('[data-windowed-list-index="0"]').inner_text()
    assert book.page.evaluate("() => sessionStorage.getItem('tensorkit-revive')") is None
