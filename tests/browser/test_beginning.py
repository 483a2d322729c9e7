"""Each browser test begins from nothing: what one did to its page and kernel is gone, of one that failed too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import beginning
from tests.browser.desk import Book, Desk, spoil

pytestmark = pytest.mark.browser

CELLS = [
    "import os\nimport tensorkit as tk\nfrom tensorkit_widgets import MemoryMap, Predict, StrideExplorer",
    "t = tk.arange(6.0).view(2, 3)\ns = StrideExplorer(t)\ns",
    'p = Predict("02.slice_stride")\np',
    "m = MemoryMap()\nm",
]
LEFT = "print(os.getpid(), t.tolist(), s.expression, p.answer, len(m._pages), 'mine' in globals())"
FACTS = f"""() => {{
    const cells = [...{beginning.NOTEBOOK}.content.model.cells];
    return {{
        sources: cells.map((cell) => cell.sharedModel.getSource()),
        counts: cells.map((cell) => cell.executionCount),
        views: document.querySelectorAll("[data-tk-widget]").length,
        dialogs: document.querySelectorAll("dialog").length,
        dark: document.body.dataset.jpThemeLight === "false",
        width: innerWidth,
        still: matchMedia("(prefers-reduced-motion: reduce)").matches,
        stored: sessionStorage.length,
        inside: document.activeElement.closest("[data-tk-widget], .tk-card") !== null,
    }};
}}"""


def facts(book: Book) -> dict[str, Any]:
    """What the page shows, and what the kernel holds."""
    found: dict[str, Any] = book.page.evaluate(FACTS)
    return {**found, "kernel": book.do(LEFT)}


def use(book: Book) -> None:
    """Change whatever a test may change."""
    page = book.page
    book.do("mine = 1; t.fill_(9); s.expression = '[1:]'; p.answer = (4, 1)")
    book.cell("1 / 0")
    book.shows(1, expression="[1:]")
    page.evaluate(f"() => {beginning.NOTEBOOK}.content.model.cells.get(0).sharedModel.setSource('other')")
    beginning.command(page, "notebook:insert-cell-below")
    beginning.whole(page)
    book.theme("Dark")
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate("() => sessionStorage.setItem('left', 'over')")
    book.widen(900, book.root(1))
    book.stage(3, 200)


def begun(desk: Desk) -> Any:
    return desk.begun("beginning", CELLS, [1, 2, 3])


def test_what_a_test_did_is_gone(desk: Desk) -> None:
    with begun(desk) as book:
        page, first = book.page, facts(book)
        use(book)
        assert {name for name, value in facts(book).items() if value == first[name]} <= {"counts", "views"}
    with begun(desk) as book:
        assert book.page is page, "a page takes seconds to open"
        assert facts(book) == first


def test_who_failed_leaves_neither_page_nor_kernel(desk: Desk) -> None:
    with begun(desk) as book:
        page, kernel = book.page, book.ask("os.getpid()")
        book.shows(1, kernel="live")
        assert "kernel" in spoil()
    with begun(desk) as book:
        assert book.page is not page
        assert book.ask("os.getpid()") != kernel
    assert page.is_closed()
