"""The talk is given from its first cell to its last, as a speaker gives it: by keys, with the notes in a second window.

Every scene is played, and the notes follow; a "what if?" is tried on a picture and taken back. `TENSORKIT_SHOTS=FOLDER`
keeps what the room and the speaker see.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.cues import Cue, cues, sections
from tests.browser.beginning import NOTEBOOK, run_all, until
from tests.browser.desk import Desk, desk_at
from tests.lab.test_browser import PATIENCE_MS
from tests.lab.test_present import GO, addresses
from tests.lab.test_serving import Served, running

pytestmark = pytest.mark.browser

WINDOW = (1920, 1080)
TOP = f"() => {NOTEBOOK}.content.activeCell.node.getBoundingClientRect().top"
AT = f"(number) => {NOTEBOOK}.content.activeCellIndex === number"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    with running(home, root, words=("present", "webinar"), options=("--no-rehearsal",)) as one:
        yield one


@pytest.fixture
def desk(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        one.address = addresses(served)[0]
        yield one


def shot(page: Any, name: str) -> None:
    if folder := os.environ.get("TENSORKIT_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def asked(room: Any, number: int) -> None:
    """Show what a poll asks about, by the presenter's key."""
    card = room.locator(f'.jp-Notebook [data-windowed-list-index="{number}"] .tk-card')
    card.focus()
    room.keyboard.press("r")
    room.locator(
        f'.jp-Notebook [data-windowed-list-index="{number}"] .tk-card[data-revealed="true"]'
    ).wait_for()
    room.keyboard.press("Escape")


def staged(room: Any, notes: Any, cue: Cue) -> None:
    """The picture of the current cell on the stage: each of its scenes, a step aside from the last one, and back."""
    room.keyboard.press("p")
    stage = room.locator("dialog.tk-stage")
    stage.wait_for()
    for number, (scene, said) in enumerate(cue.scenes):
        room.keyboard.press("PageDown" if number % 2 else "n")
        notes.locator(f'body[data-cell="{cue.cell}"][data-scene="{scene}"][data-away="false"]').wait_for()
        assert said.splitlines()[0] in notes.locator("#scenes [aria-current]").inner_text()
        shot(room, f"{cue.cell:02}-{number}-{scene.replace(' ', '_')}")
    if cue.scenes and stage.locator('[data-tk-widget="stride-explorer"]').count():
        shown = stage.locator('[data-role="picture"]').inner_text()
        stage.locator('[data-tk-widget] input[data-role="expression"]').fill(".unsqueeze(0)")
        room.keyboard.press("Enter")
        notes.locator('body[data-away="true"]').wait_for()
        stage.locator('[data-role="return"]').click()
        notes.locator('body[data-away="false"]').wait_for()
        assert stage.locator('[data-role="picture"]').inner_text() == shown
    room.keyboard.press("Escape")
    notes.locator(f'body[data-cell="{cue.cell}"][data-scene=""]').wait_for()
    stage.wait_for(state="detached")


def test_the_talk_is_given_from_the_first_cell_to_the_last(desk: Desk, root: Path) -> None:
    text = json.loads((root / "notebooks" / "webinar.ipynb").read_text(encoding="utf-8"))
    found = cues(text)
    begins = [section.first for section in sections(found)]
    with desk.written("webinar", text, *WINDOW) as book:
        room, notes = book.page, book.page.context.new_page()
        notes.set_default_timeout(PATIENCE_MS)
        notes.set_viewport_size({"width": 1280, "height": 720})
        notes.on("pageerror", lambda error: book.faults.append(str(error)))
        until(room, "() => document.body.dataset.tensorkitPresent === 'ready'")
        middle = found[begins[1]].cell
        room.evaluate(GO, middle)
        room.evaluate(f"() => {NOTEBOOK}.content.activeCell.node.scrollIntoView()")
        before = room.evaluate(TOP)
        run_all(room)
        until(room, AT, arg=middle)
        until(room, f"(before) => Math.abs(({TOP})() - before) < 2", arg=before)
        notes.goto(addresses(desk.served)[1])
        notes.locator('body[data-heard="true"][data-clock="waiting"]').wait_for()
        room.evaluate(f"() => {NOTEBOOK}.content.scrollToItem(0)")
        room.locator('.jp-Notebook [data-windowed-list-index="0"] h1').click()
        notes.locator('body[data-cell="0"]').wait_for()
        notes.keyboard.press(" ")
        for cue in found:
            if cue.cell:
                room.keyboard.press("ArrowDown")
            until(room, AT, arg=cue.cell)
            section = sum(first <= cue.cell for first in begins) - 1
            notes.locator(f'body[data-cell="{cue.cell}"][data-section="{section}"]').wait_for()
            if cue.cell in begins:
                shot(room, f"{cue.cell:02}-room")
                shot(notes, f"{cue.cell:02}-notes")
            if cue.first.startswith("Predict("):
                asked(room, cue.cell)
            elif cue.scenes or "▸ P." in cue.notes:
                staged(room, notes, cue)
        assert notes.locator('body[data-clock="running"]').count() == 1
        notes.close()
