from pathlib import Path
from typing import Any
import pytest
from tests.widgets.hosts.test_states import *  # noqa: F403
from tests.widgets.hosts.test_states import BUSY, CELLS, EXPLORER, INDEX, BOARD, REDUCTION, SHOWN, INTERRUPT
from tests.widgets.hosts.test_kernel_restart import KILL, wrong

pytestmark = pytest.mark.browser
OUT = Path("/tmp/nd_shots")
OUT.mkdir(exist_ok=True)
for _n in [n for n in list(globals()) if n.startswith("test_")]:
    del globals()[_n]


def test_zz_shots(desk: Any) -> None:
    with desk.begun("shots", CELLS, SHOWN, wrong=wrong, width=1440, height=3600) as book:
        book.spoiled = True
        page = book.page
        for theme in ("Light", "Dark"):
            book.theme(theme)
            for number in (EXPLORER, REDUCTION):
                cell = book.tile(number, "t:1,1")
                cell.click()
                page.keyboard.type("4abc")
                page.keyboard.press("Enter")
                book.root(number).locator('[data-role="editor-words"]').wait_for()
                book.shot(number, OUT / f"wrong-{number}-{theme}.png")
                page.keyboard.press("Escape")
            book.tile(INDEX, "t:0,1").click()
            book.shows(INDEX, code="t[mask]")
            book.tile(INDEX, "t:0,2").hover()
            book.shows(INDEX, focus="t:0,2")
            book.shot(INDEX, OUT / f"mask-{theme}.png")
            book.part(INDEX, "reset").click()
            book.start(BUSY)
            book.heard("busy")
            book.part(BOARD, "step").click()
            book.shows(BOARD, waiting="true")
            book.shot(BOARD, OUT / f"busy-{theme}.png")
            book.shows(BOARD, kernel="slow")
            book.shot(BOARD, OUT / f"slow-{theme}.png")
            page.evaluate(INTERRUPT)
            book.finish()
            book.shows(BOARD, kernel="live")
        book.page.evaluate(KILL)
        for number in SHOWN:
            book.shows(number, kernel="gone")
        page.locator(".jp-Dialog .jp-mod-accept").click()
        for theme in ("Light", "Dark"):
            book.theme(theme)
            for number in (BOARD, EXPLORER):
                book.shot(number, OUT / f"gone-{number}-{theme}.png")
            print(theme, book.axe(".tk-board"))
        # the next day
        book.save()
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('.tk-still').length >= 4")
        for theme in ("Light", "Dark"):
            book.theme(theme)
            page.screenshot(path=str(OUT / f"next-day-{theme}.png"))
