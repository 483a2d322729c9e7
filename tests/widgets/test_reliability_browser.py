"""What goes wrong in a real session: many widgets, one that comes back, an interrupt."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

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
# Cells out of sight are taken away by the notebook: here all are counted.
WHOLE = """() => {
    const book = window.jupyterapp.shell.currentWidget.content;
    book.notebookConfig = { ...book.notebookConfig, windowingMode: "none" };
}"""
FOLLOWED = """(wanted) => [...document.querySelectorAll('[data-tk-widget="stride-explorer"] .tk-cell')]
    .filter((cell) => cell.textContent.includes("7.")).length === wanted"""
INTERRUPT = (
    "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt().then(() => true)"
)
# Asked without waiting for the answer: the kernel is at it when the next thing happens.
BEGIN = """(code) => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code, store_history: false });
    window.begun = "";
    window.over = false;
    future.onIOPub = ({ header, content }) => {
        if (header.msg_type === "stream") window.begun += content.text;
        if (header.msg_type === "error") window.begun += content.ename;
    };
    future.done.then(() => { window.over = true; });
}"""


@pytest.fixture(scope="module")
def asked() -> list[str]:
    """The addresses that the page asked for."""
    return []


@pytest.fixture(scope="module")
def book(desk: Any, asked: list[str]) -> Any:
    one = desk.open("reliability", CELLS, [1, 2, 4])
    one.page.on("request", lambda request: asked.append(request.url))
    yield one
    assert one.faults == []
    one.page.close()


def test_fifty_widgets_in_one_notebook(book: Any) -> None:
    book.page.evaluate(WHOLE)
    # The two of the cells before, and these: all live at one time (on a busy machine one may call the kernel slow).
    live = """many => document.querySelectorAll('.jp-Notebook [data-tk-widget][data-kernel="live"]').length === many"""
    book.page.wait_for_function(live, arg=MANY + 2)
    book.root(8).locator('[data-role="step"]').first.click()
    book.shows(8, step="1")
    assert book.ask("many[40].at, sum(one.at for one in many[:40:2])") == "1 0"
    book.ask("a.fill_(7) is a")
    book.page.wait_for_function(FOLLOWED, arg=3 * MANY // 2)
    assert book.ask("[one.close() for one in many] and a.copy_(tk.arange(3.0).view(3, 1)) is a") == "True"


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
        "w._sheet = slowly\ntry:\n    w.step(-1)\nfinally:\n    w._sheet = real"
    )
    book.page.evaluate(BEGIN, slow)
    book.page.wait_for_function("() => window.begun.includes('drawing')")
    book.page.evaluate(INTERRUPT)
    book.page.wait_for_function("() => window.over")
    assert "KeyboardInterrupt" in book.page.evaluate("() => window.begun")
    book.ask("w.goto(0) is w")
    book.shows(2, step="0", kernel="live")
    book.part(2, "step").click()
    book.shows(2, step="1", kernel="live")


def test_no_request_leaves_the_machine(asked: list[str], desk: Any) -> None:
    hosts = {
        urlsplit(url).hostname for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")
    }
    assert hosts <= {"127.0.0.1"}
    assert not desk.served.attempts.exists()
