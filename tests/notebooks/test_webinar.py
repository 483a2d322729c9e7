"""The talk can be given: its minutes are 45, its words fit into them, and each poll comes before its reveal."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.cues import Cue, Section, cues, sections, spoken

TALK = Path(__file__).resolve().parents[2] / "notebooks" / "webinar.ipynb"
CELLS: list[dict[str, Any]] = json.loads(TALK.read_text(encoding="utf-8"))["cells"]
CUES = cues({"cells": CELLS})
SECTIONS = sections(CUES)
MINUTES = [6, 8, 5, 7, 6, 6, 4, 3]

WIDGET = "application/vnd.jupyter.widget-view+json"

POLL = 0.75
"""Minutes that a poll takes beside its words: reading, hands, the reveal."""
SCENE = 0.1
"""Minutes that a scene takes beside its words: a key, and a look."""

each_section = pytest.mark.parametrize("number", range(len(SECTIONS)), ids=[one.title for one in SECTIONS])


def part(number: int) -> list[Cue]:
    """The cues of a section."""
    ends = [one.first for one in SECTIONS[1:]] + [len(CUES)]
    return CUES[SECTIONS[number].first : ends[number]]


def needed(section: Section, cues: list[Cue]) -> float:
    """The minutes that a section takes: its words, its polls, its scenes."""
    polls, scenes = (
        sum(cue.first.startswith("Predict(") for cue in cues),
        sum(len(cue.scenes) for cue in cues),
    )
    return section.speaking + POLL * polls + SCENE * scenes


def test_it_takes_forty_five_minutes_and_begins_with_the_first_cell() -> None:
    assert [one.minutes for one in SECTIONS] == MINUTES
    assert sum(MINUTES) == 45
    assert SECTIONS[0].first == 0


@each_section
def test_what_is_said_and_asked_fits_into_the_minutes_and_fills_them(number: int) -> None:
    takes, minutes = needed(SECTIONS[number], part(number)), SECTIONS[number].minutes
    assert takes <= minutes
    # The questions at the end are the room's time.
    assert number == len(SECTIONS) - 1 or takes >= 0.5 * minutes


@each_section
def test_a_section_says_what_to_leave_out(number: int) -> None:
    assert number == len(SECTIONS) - 1 or any(cue.cut for cue in part(number))


@each_section
def test_a_section_asks_before_it_shows(number: int) -> None:
    """A poll in each section but the last; what answers it waits for it, and is folded away where nothing can wait."""
    if number == len(SECTIONS) - 1:
        return
    first = SECTIONS[number].first
    polls = [first + k for k, cue in enumerate(part(number)) if cue.first.startswith("Predict(")]
    assert polls
    for poll in polls:
        answer = CELLS[poll + 1]["metadata"]
        assert "outputs_hidden" in answer.get("jupyter", {}), CUES[poll].first
        assert answer["tensorkit"]["after"] == CUES[poll].first.split('"')[1]


@pytest.mark.parametrize("cue", CUES, ids=[f"{cue.cell}: {cue.first[:40]}" for cue in CUES])
def test_a_picture_has_notes_and_each_of_its_scenes_has(cue: Cue) -> None:
    quiet = cue.first.startswith(("import ", "from tensorkit_widgets", "values ="))
    assert quiet or spoken(cue.notes) or cue.scenes or cue.kind == "markdown"
    assert all(spoken(notes) for _, notes in cue.scenes)


def test_what_a_folded_cell_shows_of_itself_is_no_answer() -> None:
    for cell in CELLS:
        if cell["metadata"].get("jupyter", {}).get("outputs_hidden"):
            output = cell["outputs"][0]
            assert output["output_type"] == "stream"
            line = "".join(output["text"]).split("\n")[0]
            assert f'print("{line}"' in "".join(cell["source"])


def test_no_cell_changes_what_an_earlier_picture_shows(tmp_path: Path) -> None:
    """All cells run before the room comes in: a picture that follows a later cell would answer that cell's poll."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.read(TALK, as_version=4)
    drawn: dict[str, tuple[int, str]] = {}

    def keep(cell: Any, cell_index: int, **_: Any) -> None:
        for output in cell.get("outputs", ()):
            model = output.get("data", {}).get(WIDGET, {}).get("model_id")
            if svg := client.widget_state.get(model, {}).get("frame", {}).get("svg"):
                drawn[model] = cell_index, svg

    where = {"metadata": {"path": str(tmp_path)}}
    client = nbclient.NotebookClient(book, on_cell_executed=keep, allow_errors=True, resources=where)
    client.execute(env={**os.environ, "TENSORKIT_PROGRESS": "0"})
    assert len(drawn) == 10
    changed = [
        cell for model, (cell, svg) in drawn.items() if client.widget_state[model]["frame"]["svg"] != svg
    ]
    assert [CUES[cell].first for cell in changed] == []


def test_it_opens_with_a_network_that_is_never_wrong_and_resolves_it_later() -> None:
    """An error of 10 in the first minute; the poll of the fifth section says why, and nothing before it."""
    said = [
        "".join("".join(out.get("text", "")) for out in cell.get("outputs", ()) if "text" in out)
        for cell in CELLS
    ]
    opening = next(number for number, text in enumerate(said) if text)
    assert said[opening].endswith("mean squared error: 10.0\n")
    assert opening < SECTIONS[1].first
    poll = next(number for number, cue in enumerate(CUES) if cue.first == 'Predict("10.column_row")')
    shown = json.dumps(CELLS[:poll], ensure_ascii=False)
    assert "(4, 4)" not in shown
    assert "our by four" not in shown


def test_the_path_of_three_hours_leads_to_lessons_that_are_there() -> None:
    lessons = re.findall(r"(?m)^\| `(\d\d_\w+)` \|", "".join(CELLS[-1]["source"]))
    assert len(lessons) == 9
    assert lessons == sorted(lessons)
    assert [name for name in lessons if not TALK.with_name(f"{name}.ipynb").exists()] == []
