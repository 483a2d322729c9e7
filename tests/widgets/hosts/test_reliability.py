"""What goes wrong in a real session: many widgets, one that comes back, an interrupt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.beginning import until

pytestmark = pytest.mark.browser

MANY = 50
CELLS = [
    "import time\nimport tensorkit as tk\n"
    "from IPython.display import display\nfrom tensorkit_widgets import BroadcastExplorer, StrideExplorer",
    "a, b = tk.arange(3.0).view(3, 1), tk.arange(4.0) * 10\nw = BroadcastExplorer(a, b)\nw",
    "w",
    "many = []",
    *[
        "for k in range(10): many.append((BroadcastExplorer(a, b), StrideExplorer(a))[k % 2]); display(many[-1])"
    ]
    * 5,
]
FOLLOWED = """(wanted) => [...document.querySelectorAll('[data-tk-widget="stride-explorer"] [data-table="t"] .tk-tile')]
    .filter((cell) => cell.textContent.includes("7.")).length === wanted"""
INTERRUPT = (
    "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt().then(() => true)"
)
FEW = CELLS[:3]


@pytest.fixture
def many(desk: Any) -> Any:
    with desk.begun("many", CELLS, [1, 2, 4]) as one:
        yield one


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("reliability", FEW, [1, 2]) as one:
        yield one


def test_fifty_widgets_in_one_notebook(many: Any) -> None:
    book = many
    beginning.whole(book.page)
    # The two of the cells before, and these: all live at one time (on a busy machine one may call the kernel slow).
    live = """many => document.querySelectorAll('.jp-Notebook [data-tk-widget][data-kernel="live"]').length === many"""
    until(book.page, live, arg=MANY + 2)
    book.root(8).locator('[data-role="step"]').first.click()
    book.shows(8, step="1")
    assert book.ask("many[40].at, sum(one.at for one in many[:40:2])") == "1 0"
    book.ask("a.fill_(7) is a")
    until(book.page, FOLLOWED, arg=3 * MANY // 2)


def test_a_widget_displayed_twice_moves_as_one_and_again_after_it_was_closed(book: Any) -> None:
    book.part(2, "step").click()
    book.shows(1, step="1")
    book.shows(2, step="1")
    book.ask("w.close()")
    book.page.evaluate(
        "() => { const book = window.jupyterapp.shell.currentWidget.content; book.deselectAll();"
        " book.activeCellIndex = 2; window.jupyterapp.commands.execute('notebook:run-cell'); }"
    )
    book.shows(2, step="1", kernel="live")
    book.part(2, "step").click()
    book.shows(2, step="2")
    assert book.ask("w.at") == "2"


def test_a_kernel_interrupted_in_the_middle_of_a_draw(book: Any) -> None:
    slow = (
        "real = w._sheet\n"
        "def slowly(at):\n    print('drawing', flush=True)\n    time.sleep(60)\n    return real(at)\n"
        "w._sheet = slowly\ntry:\n    w.step(1)\nfinally:\n    w._sheet = real"
    )
    book.start(slow)
    book.heard("drawing")
    book.page.evaluate(INTERRUPT)
    assert "KeyboardInterrupt" in book.finish()
    book.ask("w.goto(0) is w")
    book.shows(2, step="0", kernel="live")
    book.part(2, "step").click()
    book.shows(2, step="1", kernel="live")
