"""TrainingView under a learner's hands, while a loop runs and afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.beginning import until

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import TrainingView",
    "from tests.widgets.training.programs import Small, cross_entropy, step\n"
    "labels, images = tk.arange(12) % 3, tk.zeros(12, 1, 6, 6)\n"
    "for k in range(12):\n    images[k, 0, 2 * (k % 3)] = 1 - k / 20\n"
    "net = Small(36, 6, 3)\n"
    "w = TrainingView(net)\nw",
    "def turn(rate=0.5):\n"
    "    scores = net(images)\n"
    "    loss = cross_entropy(scores, labels)\n"
    "    step(net, loss, rate)\n"
    "    w.record(loss, images, scores, labels)",
]
POINTS = 'root => root.querySelector(".tk-wires path").getAttribute("d").split("L").length'
"""Through how many points the curve of the losses goes."""
INTERRUPT = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("training", CELLS, [1], width=1600) as one:
        yield one


def test_the_curve_grows_while_the_loop_runs(book: Any) -> None:
    book.do("turn()\nturn()")
    book.shows(1, recorded="2", steps="1", status="ok", layer="hidden")
    root = book.root(1)
    began = root.evaluate(POINTS)
    book.start("print('begun', flush=True)\nwhile True:\n    turn()")
    book.heard("begun")
    for _ in range(2):
        until(
            book.bare, f"([root, count]) => ({POINTS})(root) > count + 3", [root.element_handle(), began + 3]
        )
        began = root.evaluate(POINTS)
    book.page.evaluate(INTERRUPT)
    assert "KeyboardInterrupt" in book.finish()
    book.part(1, "back").click()
    book.shows(1, step=book.ask("len(w.losses) - 2"))


def test_a_step_is_reached_by_keys_and_by_a_press_on_the_curve(book: Any) -> None:
    book.do("for _ in range(8):\n    turn()")
    book.shows(1, step="7", steps="7")
    book.part(1, "back").focus()
    book.keyboard.press("ArrowLeft")
    book.shows(1, step="6")
    book.keyboard.press("Home")
    book.shows(1, step="0")
    room = book.tile(1, "curve").bounding_box()
    book.mouse.click(room["x"] + room["width"] * 4.5 / 8, room["y"] + room["height"] / 2)
    book.shows(1, step="4")
    book.keyboard.press("ArrowRight")
    book.keyboard.press("Enter")
    book.shows(1, step="5")
    book.tile(1, "layer:2").click()
    book.shows(1, layer="out", step="5")
    assert float(book.tile(1, "w:0,1").get_attribute("data-full")) != 0
    book.do("turn()")
    book.shows(1, step="5", recorded="9")


def test_a_loop_that_breaks_leaves_the_view_alive(book: Any) -> None:
    assert "ZeroDivisionError" in book.do("for k in (2, 1, 0):\n    turn(3000 / k)")
    book.shows(1, recorded="2", kernel="live")
    book.do("for _ in range(3):\n    turn(3000.0)")
    book.shows(1, recorded="5", step="4", kernel="live")
    assert book.root(1).get_attribute("data-title") == "net, step 5 of 5, loss nan"
    assert book.tile(1, "gradient:0").text_content() == "nan"
    book.part(1, "back").focus()
    book.keyboard.press("Home")
    book.shows(1, step="0")
    assert "nan" not in book.root(1).get_attribute("data-title")
