"""Every committed lesson was executed and is normalised; nbval would skip a cell that never ran."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tensorkit_widgets
from tensorkit.lab.normalise import faults
from tensorkit_widgets import puzzles

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_there_are_lessons() -> None:
    assert {"00_setup_check.ipynb", "02_storage_and_strides.ipynb"} <= {path.name for path in LESSONS}


def test_the_gallery_shows_every_widget_and_the_lessons_are_numbered() -> None:
    """The gallery is their documentation: a new public name has its section there, or a reason to have none here."""
    assert [path.stem for path in LESSONS if not re.match(r"\d\d_", path.stem)] == [
        "gallery",
        "index",
        "puzzles",
        "webinar",
    ]
    cells = json.loads((NOTEBOOKS / "gallery.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    words = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    elsewhere = {"SetupReport": "lesson 00 is about it"}
    elsewhere |= {"Timeline": "`timeline` gives it", "Trace": "`trace` gives it"}
    elsewhere |= dict.fromkeys(
        ("load_ipython_extension", "unload_ipython_extension"), "the notebook calls it"
    )
    told = {"forget", "progress", "review"}
    assert [name for name in told if f"`{name}()`" not in words] == []
    names = set(tensorkit_widgets.__all__) - set(elsewhere) - told
    assert [name for name in sorted(names) if f"{name}(" not in code] == []


def test_the_puzzles_use_all_that_is_made_for_them() -> None:
    """What `tensorkit_widgets.puzzles` offers has its notebook, which the gallery names."""
    text = (NOTEBOOKS / "puzzles.ipynb").read_text(encoding="utf-8")
    assert [name for name in puzzles.__all__ if f"{name}(" not in text] == []
    assert "[puzzles](puzzles.ipynb)" in (NOTEBOOKS / "gallery.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_lesson_is_executed_and_normalised(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


BEFORE_DEVICES = [path for path in LESSONS if not re.match(r"2\d_", path.stem)]


@pytest.mark.parametrize("path", BEFORE_DEVICES, ids=lambda path: path.stem)
def test_few_cells_are_the_kits_alone(path: Path) -> None:
    """A learner swaps the import for PyTorch; at most one code cell in ten may not go along.

    From lesson 20 on the subject is what the kit alone can show without a GPU.
    """
    cells = [
        cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"
    ]
    own = [cell for cell in cells if "tensorkit-only" in cell["metadata"].get("tags", [])]
    assert len(own) <= len(cells) / 10


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_cells_that_fail_say_so_and_others_do_not(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        failed = any(output["output_type"] == "error" for output in cell.get("outputs", []))
        assert failed == ("raises-exception" in cell["metadata"].get("tags", []))
