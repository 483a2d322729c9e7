"""The page stays where the learner is: each card of a lesson by the keyboard alone, from its first cell to its last.

First by arrows, as the lesson is stored: none leads to a cell that is out of sight, and the page never goes back. Then
by Shift+Enter, which runs every cell: each card is in sight when it comes, the keyboard is in it, and after Skip the
same key leads to the first cell that answers it. Two lessons a day in turn, each in one of JupyterLab's ways of keeping
cells off the page, always the same; `TENSORKIT_WALK=all` walks all of them, and `-s` prints where each card was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.beginning import NOTEBOOK, until
from tests.browser.desk import Desk
from tests.notebooks.test_reveals import LESSONS, after, card_of, cells_of
from tests.support import shares
from tests.widgets.practice.test_reveal_cursor import ENTERED, WINDOWS, go, windowed

pytestmark = pytest.mark.browser

ALL = [*LESSONS, LESSONS[0].with_name("webinar.ipynb")]
TODAY = shares.TODAY.toordinal()
SHORT_OF = 2
"""By how many pixels a page may seem to have gone back: a place is no whole number of them."""
STANDS = f"""(number) => {{
    const {{ widgets, outerNode }} = {NOTEBOOK}.content, {{ node }} = widgets[number], top = outerNode.scrollTop;
    return [top, node.isConnected ? node.getBoundingClientRect().top + top : null]; }}"""
"""Where the page is, and how much lies above a cell: a picture there may shrink when it is told of a later one."""
RESTS = f"""async () => {{
    const {{ outerNode }} = {NOTEBOOK}.content;
    for (let last = -1, same = 0; same < 3; last = outerNode.scrollTop) {{
        await new Promise(requestAnimationFrame);
        same = outerNode.scrollTop === last ? same + 1 : 0;
    }}
}}"""
FRAME = "() => new Promise((next) => requestAnimationFrame(() => next()))"
PLACE = f"""() => {{
    const {{ activeCell, activeCellIndex, outerNode }} = {NOTEBOOK}.content;
    const [cell, room] = [activeCell.node, outerNode].map((part) => part.getBoundingClientRect());
    const card = activeCell.node.querySelector(".tk-practice .tk-card")?.getBoundingClientRect();
    const from = (box) => box && [box.top - room.top, box.bottom - room.top].map(Math.round);
    const [top, height] = [outerNode.scrollTop, Math.round(room.height)];
    return {{ at: activeCellIndex, top, room: height, cell: from(cell), card: from(card) }};
}}"""
AT = f"(number) => {NOTEBOOK}.content.activeCellIndex === number"
REACHED = f"() => ({PLACE})().cell[1] > 0"
HELD = f"(number) => {NOTEBOOK}.content.widgets[number].node.matches('.tk-held')"
DRAWN = f"(number) => {NOTEBOOK}.content.widgets[number].node.querySelector('.tk-practice .tk-card') !== null"
OVER = f"""(number) => {{ const {{ model }} = {NOTEBOOK}.content.widgets[number];
    return model.type !== "code" || model.executionState === "idle"; }}"""
SKIP = f"(number) => {NOTEBOOK}.content.widgets[number].node.querySelector('.tk-practice [data-do=skip]').focus()"
SKIPPED = f"""(number) => {NOTEBOOK}.content.widgets[number].node
    .querySelector('.tk-practice .tk-card[data-revealed="true"]') !== null"""


def today() -> list[tuple[Path, str]]:
    """The lessons that are walked, each with the way in which cells are kept off its page."""
    turns = [(path, WINDOWS[(number + 2) % len(WINDOWS)]) for number, path in enumerate(ALL)]
    if os.environ.get("TENSORKIT_WALK") == "all":
        return turns
    return [turns[(2 * TODAY + number) % len(turns)] for number in range(2)]


def place(page: Any) -> dict[str, Any]:
    """Where the cursor and the page are, once the page rests."""
    page.evaluate(RESTS)
    found: dict[str, Any] = page.evaluate(PLACE)
    return found


@pytest.fixture(params=today(), ids=lambda turn: f"{turn[0].stem}-{turn[1]}")
def lesson(request: pytest.FixtureRequest, desk: Desk) -> Iterator[tuple[Any, Path]]:
    """A lesson as it is stored, in a window as many have it."""
    path, how = request.param
    text = json.loads(path.read_text(encoding="utf-8"))
    with desk.written(f"walk_{path.stem}", text, 1440, 900) as book:
        windowed(book.page, how)
        yield book.page, path
        book.spoiled = True  # the next one has a page of its own: a lesson is large


def test_the_page_stays_where_the_learner_is(lesson: tuple[Any, Path]) -> None:
    page, path = lesson
    by_arrows(page, [bool(after(cell)) for cell in cells_of(path)])
    by_running(page, path)


def by_arrows(page: Any, waits: list[bool]) -> None:
    """Down through the cells that are in sight, and up again."""
    until(page, HELD, arg=waits.index(True))
    go(page, 0)
    way = [number for number, held in enumerate(waits) if not held]
    top = 0
    for number in way[1:]:
        page.keyboard.press("ArrowDown")
        until(page, AT, arg=number)
        page.evaluate(FRAME)
        found = page.evaluate(PLACE)
        assert found["top"] >= top - SHORT_OF, f"cell {number}: back from {top}"
        assert found["cell"][0] < found["room"], f"cell {number} is below the window"
        assert found["cell"][1] > 0, f"cell {number} is above the window"
        top = found["top"]
    for number in way[-2::-1]:
        page.keyboard.press("ArrowUp")
        until(page, AT, arg=number)


def by_running(page: Any, path: Path) -> None:
    """Shift+Enter from the first cell to the last; each card is skipped by keys."""
    cells, told = cells_of(path), []
    go(page, 0)
    for number, cell in enumerate(cells[:-1]):
        before = page.evaluate(STANDS, number)
        page.keyboard.press("Shift+Enter")
        if card_of(cell):
            until(page, DRAWN, arg=number)
            found = place(page)
            told.append(
                f"{number:4} {card_of(cell):28} {before[0]:7.0f} → {found['top']:7.0f}   {found['card']}"
            )
            in_sight(page, number, found)
            goes_on(page, number, before, SHORT_OF)
            page.evaluate(SKIP, number)
            page.keyboard.press("Enter")
            until(page, SKIPPED, arg=number)
            before = page.evaluate(STANDS, number)
            page.keyboard.press("Shift+Enter")
            until(page, OVER, arg=number)
        elif "raises-exception" in cell["metadata"].get("tags", ()):
            until(page, OVER, arg=number)  # what is asked of the kernel behind an error is not run
        found = page.evaluate(PLACE)
        assert found["at"] == number + 1
        # Where there is no card, JupyterLab may put the next cell in the middle of the window.
        goes_on(page, number, before, SHORT_OF if card_of(cell) else found["room"] / 2)
        # An output that comes later may push the next cell down; it is never above what is in sight, once JupyterLab
        # has put right what it guessed of the height of cells that it had not drawn.
        until(page, REACHED)
    print(
        f"\n{path.stem}: cell, card, scrollTop before → with it, the card's place in the window",
        *told,
        sep="\n",
    )


def goes_on(page: Any, number: int, before: list[float], most: float) -> None:
    """The page has not gone back, but by as much as what lies above the cell has shrunk."""
    top, above = page.evaluate(STANDS, number)
    shrunk = 0 if above is None else max(0, before[1] - above)
    assert top >= before[0] - shrunk - most, f"cell {number}: back from {before} to {[top, above]}"


def in_sight(page: Any, number: int, found: dict[str, Any]) -> None:
    """The card has come: it is seen, and what is typed is its answer."""
    above, below = found["card"]
    assert found["at"] == number
    assert above >= 0, f"cell {number}: {found}"
    assert below <= found["room"], f"cell {number}: {found}"
    assert page.evaluate(ENTERED, number), f"cell {number}: the keyboard is elsewhere"
