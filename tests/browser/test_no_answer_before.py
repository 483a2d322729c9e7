"""No lesson answers a prediction before it is made: what is in sight is searched, for every card of every lesson.

First as the lesson is stored, then run. The cells that answer a card must not be on the page at all; and what stands
around the card, from the heading above it to the next one, is searched for the answer: its words, its row of numbers,
its code; in text, in pictures and in what is said of them. An answer that is a bare number or a word such as "None" is
on every page: of those the cells themselves are looked at, and nothing is searched for. After the cards are skipped,
each answer is in sight. Every third lesson a day in turn; `TENSORKIT_WALK=all` searches all of them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit_widgets.practice.catalogue import find_question
from tests.browser.beginning import NOTEBOOK, until, whole
from tests.browser.desk import Book, Desk
from tests.browser.jupyter import Lesson
from tests.lab.test_browser import PATIENCE_MS
from tests.notebooks.test_reveals import HEADING, LESSONS, after, card_of, cells_of, predictions
from tests.support import shares

pytestmark = pytest.mark.browser

SEEN = f"""() => {NOTEBOOK}.content.widgets.map(({{ node }}) => {{
    if (!node.getBoundingClientRect().height) return null;
    const decoded = (src) => {{
        if (!src.startsWith("data:image/svg+xml;base64,")) return "";
        const bytes = Uint8Array.from(atob(src.split(",")[1]), (letter) => letter.charCodeAt(0));
        const svg = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml");
        return [...svg.querySelectorAll("text, title, desc")].map((text) => text.textContent).join(" ");
    }};
    const all = (which) => [...node.querySelectorAll(which)].filter((part) => part.checkVisibility());
    const pictures = all("img").map((img) => img.alt + " " + decoded(img.src));
    const drawn = all("svg text").map((text) => text.textContent);
    const said = all("[aria-label]").map((part) => part.getAttribute("aria-label"));
    return [node.innerText, ...pictures, ...drawn, ...said].join("\\n");
}})"""
"""The text, the pictures and what is said of them, cell by cell; null for a cell that is not in sight."""

LIVE = "() => [...document.querySelectorAll('[data-card]')].map((card) => card.dataset.card)"
HELD = "() => document.querySelectorAll('.jp-Cell.tk-held').length"


def looks(answer: object) -> list[str]:
    """How an answer would stand on the page; nothing for one that is on every page."""
    if isinstance(answer, tuple):
        row = ", ".join(map(str, answer)) + ("," if len(answer) == 1 else "")
        return [f"({row})", f"[{row}]"] if len(answer) > 1 else [f"({row})"]
    if isinstance(answer, str) and len(answer.split()) >= 4:
        return [answer.replace("`", "")]
    return []


def around(cells: list[dict[str, Any]], place: int) -> list[int]:
    """The cells of a card's part of the lesson, but the card's own: from its heading to the next one."""

    def heads(number: int) -> bool:
        cell = cells[number]
        return cell["cell_type"] == "markdown" and bool(HEADING.search("".join(cell["source"])))

    start = next((number for number in range(place, -1, -1) if heads(number)), 0)
    stop = next((number for number in range(place + 1, len(cells)) if heads(number)), len(cells))
    return [number for number in range(start, stop) if not card_of(cells[number])]


def told(cells: list[dict[str, Any]], seen: list[str | None]) -> list[str]:
    """Each card whose answer is in sight, with where."""
    found = []
    for place, cell in enumerate(cells):
        name = card_of(cell)
        if not name or find_question(name).recall:
            continue
        answers = [number for number, other in enumerate(cells) if name in after(other)]
        found += [f"{name}: cell {number} is in sight" for number in answers if seen[number] is not None]
        for number in around(cells, place):
            text = " ".join((seen[number] or "").split())
            found += [
                f"{name}: cell {number} says {look}"
                for look in looks(find_question(name).answer)
                if re.search(rf"(?<![\w(\[]){re.escape(look)}", text)
            ]
    return found


def untold(cells: list[dict[str, Any]], seen: list[str | None]) -> list[str]:
    """Each card whose answer is not in sight, neither on the card nor in the cells that waited for it."""
    missing = []
    for place, cell in enumerate(cells):
        if name := card_of(cell):
            own = [place, *(number for number, other in enumerate(cells) if name in after(other))]
            text = " ".join(" ".join(seen[number] or "" for number in own).split())
            shapes = looks(find_question(name).answer)
            if shapes and not any(plain(look) in plain(text) for look in shapes):
                missing.append(f"{name}: {shapes[0]}")
    return missing


def plain(text: str) -> str:
    """Words without their emphasis."""
    return text.replace("*", "").replace("`", "")


TODAY = LESSONS if os.environ.get("TENSORKIT_WALK") == "all" else LESSONS[shares.TODAY.toordinal() % 3 :: 3]


@pytest.fixture(params=TODAY, ids=lambda path: path.stem)
def lesson(request: pytest.FixtureRequest, desk: Desk) -> Iterator[tuple[Book, Path]]:
    """A lesson as it is stored, open in JupyterLab with every cell on the page."""
    path: Path = request.param
    with desk.written(
        f"answers_{path.stem}", json.loads(path.read_text(encoding="utf-8")), 1400, 900
    ) as book:
        # A whole lesson is run with every cell on the page: beside a busy core that takes its minutes.
        book.page.set_default_timeout(5 * PATIENCE_MS)
        whole(book.page)
        yield book, path
        book.spoiled = path == TODAY[-1]  # the next file has a page of its own: this one has grown to 2 GB


def test_nothing_in_sight_answers_a_prediction_before_it_is_made(lesson: tuple[Book, Path]) -> None:
    book, path = lesson
    page, cells, names = book.page, cells_of(path), set(predictions(path))
    waiting = sum(bool(after(cell)) for cell in cells)
    until(page, f"(count) => ({HELD})() === count", arg=waiting)
    assert told(cells, page.evaluate(SEEN)) == [], "as it is stored"
    book.run_all()
    until(
        page,
        f"(names) => {{ const live = ({LIVE})(); return names.every((name) => live.includes(name)); }}",
        arg=[*names],
    )
    assert page.evaluate(HELD) == waiting
    assert told(cells, page.evaluate(SEEN)) == [], "run"
    Lesson(page).skip_predictions()
    seen = page.evaluate(SEEN)
    for number, cell in enumerate(cells):
        if after(cell):
            assert (seen[number] or "").strip(), f"cell {number} shows its answer"
    assert untold(cells, seen) == []
