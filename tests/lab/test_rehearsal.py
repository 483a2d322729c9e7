"""The rehearsal finds what would fail before an audience, and touches nothing of the presenter's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.errors import LabError
from tensorkit.lab.rehearsal import Performance, Rehearsal, rehearse

UNDRAWN = """
import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer
class Broken(BroadcastExplorer):
    def _sheet(self, at):
        raise ValueError("no ink")
"""


def notebook(path: Path, *cells: str | tuple[str, str]) -> Path:
    """A notebook of code cells; a pair is (source, tag)."""
    made: list[dict[str, Any]] = []
    for number, cell in enumerate(cells):
        source, tags = (cell, []) if isinstance(cell, str) else (cell[0], [cell[1]])
        made.append({
            "cell_type": "code", "id": f"c{number}", "metadata": {"tags": tags}, "execution_count": None,
            "outputs": [], "source": source,
        })  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_what_fails_is_told_cell_by_cell_and_the_lesson_goes_on(tmp_path: Path) -> None:
    lesson = notebook(
        tmp_path / "a.ipynb",
        "\n\nimport time; time.sleep(0.2)",
        "1 / 0",
        "",
        ("1 / 0", "raises-exception"),
        ("1 + 0", "raises-exception"),
        "open('trace', 'w').close(); import os; print(os.path.exists('a.ipynb'))",
    )
    before, said = lesson.read_bytes(), []
    done = rehearse(lesson, said.append)
    assert said == done.cells
    assert [(cell.number, cell.problems) for cell in done.cells] == [
        (1, ()),
        (2, ("ZeroDivisionError: division by zero",)),
        (4, ()),
        (5, ("it was meant to fail, and did not",)),
        (6, ()),
    ]
    assert done.cells[0].line == "import time; time.sleep(0.2)"
    assert done.cells[0].seconds >= 0.2
    assert not done.good
    assert done.summary().startswith("2 of 5 code cells did not go as it should")
    assert lesson.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.ipynb"]


def test_a_picture_that_cannot_be_drawn_is_told_wherever_it_is_shown(tmp_path: Path) -> None:
    shown = "w = Broken(tk.ones(2), tk.ones(2))\nw"
    done = rehearse(
        notebook(
            tmp_path / "a.ipynb",
            UNDRAWN,
            shown,
            "w",
            "good = BroadcastExplorer(tk.ones(2), tk.ones(2))\ngood",
        )
    )
    assert [cell.problems for cell in done.cells] == [
        (), ("the picture could not be drawn: no ink",), ("the picture could not be drawn: no ink",), (),
    ]  # fmt: skip


def test_a_picture_that_breaks_later_is_told_where_it_broke(tmp_path: Path) -> None:
    breaks = "def no(at):\n    raise ValueError('no ink')\nw._sheet = no"
    done = rehearse(
        notebook(tmp_path / "a.ipynb", UNDRAWN, "w = BroadcastExplorer(tk.ones(2), tk.ones(2))\nw", breaks)
    )
    assert [cell.problems for cell in done.cells] == [(), (), ("the picture could not be drawn: no ink",)]


def test_what_a_room_would_wait_for_is_to_be_run_before(tmp_path: Path) -> None:
    lesson = notebook(tmp_path / "a.ipynb", "1", "import time; time.sleep(2.1)", "2")
    assert (
        rehearse(lesson)
        .beforehand()
        .startswith("Run the cells up to 2 before people come in, or talk while they run: cell 2 takes 2.")
    )
    quick, long = Performance(3, "x", 1.9), Performance(7, "y", 8.13)
    scenes = Performance(7, "scenes of y", 9.0, scenes=3)
    assert Rehearsal([quick, scenes]).beforehand().startswith("Nothing need be run before people come in")
    assert Rehearsal([Performance(5, "z", 2.26), quick, long, scenes]).beforehand() == (
        "Run the cells up to 7 before people come in, or talk while they run: cell 5 takes 2.3 s, cell 7 takes 8.1 s."
    )


SHOWN = """
import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer, StrideExplorer
StrideExplorer(tk.arange(12).view(3, 4), name="x")
"""


def with_scenes(path: Path, scenes: Any) -> Path:
    """A notebook of one picture, with scenes in its cell's metadata."""
    lesson = notebook(path, SHOWN)
    text = json.loads(lesson.read_text())
    text["cells"][0]["metadata"]["tensorkit"] = {"scenes": scenes}
    lesson.write_text(json.dumps(text))
    return lesson


def test_every_scene_is_played_as_the_presenters_keys_play_it(tmp_path: Path) -> None:
    scenes = [{"name": "turned", "expression": ".t()"}, {"name": "refused", "attempt": ".t().view(-1)"}]
    done = rehearse(with_scenes(tmp_path / "a.ipynb", scenes))
    assert [(cell.number, cell.scenes, cell.problems) for cell in done.cells] == [(1, 0, ()), (1, 2, ())]
    assert done.summary().startswith("All went well: 1 code cell and 2 scenes in ")


def test_a_scene_that_cannot_be_played_is_told(tmp_path: Path) -> None:
    scenes = [
        {"name": "first", "step": 0},
        {"name": "gone", "expression": "[7]"},
        {"name": "no", "reset": "x"},
    ]
    _, cell = rehearse(with_scenes(tmp_path / "a.ipynb", scenes)).cells
    assert cell.scenes == 3
    assert cell.problems[0].startswith("the scene “gone” could not be played: index 7 is out of bounds")
    assert cell.problems[1].startswith("the scene “no” could not be played")


def test_a_scene_that_a_later_cell_spoils_is_told_at_the_end(tmp_path: Path) -> None:
    """Who runs the whole lesson before the talk finds its scenes as the last cell has left them."""
    lesson = with_scenes(tmp_path / "a.ipynb", [{"name": "row", "expression": "[2]"}])
    text = json.loads(lesson.read_text())
    text["cells"][0]["source"] = SHOWN.replace(
        "StrideExplorer(tk.arange(12).view(3, 4)", "x = tk.arange(12).view(3, 4)\nStrideExplorer(x"
    )
    text["cells"].append({**text["cells"][0], "id": "c1", "metadata": {}, "source": "x.resize_(2, 4)"})
    lesson.write_text(json.dumps(text))
    done = rehearse(lesson)
    assert [cell.problems for cell in done.cells[:2]] == [(), ()]
    assert done.cells[2].number == 1
    assert done.cells[2].problems[0].startswith("the scene “row” could not be played")
    assert "1 of 2 code cells did not go as it should" in done.summary()


def test_scenes_that_no_picture_has_are_told(tmp_path: Path) -> None:
    _, cell = rehearse(with_scenes(tmp_path / "a.ipynb", [{"name": "x", "code": "1"}])).cells
    assert cell.problems == ("it has scenes, and they are of no picture that it shows",)


def test_a_kernel_that_dies_ends_the_rehearsal(tmp_path: Path) -> None:
    done = rehearse(notebook(tmp_path / "a.ipynb", "x = 1", "import os; os._exit(1)", "x"))
    assert [cell.number for cell in done.cells] == [1, 2]
    assert done.cells[1].problems == ("the kernel died; the cells after it were not rehearsed",)


def test_what_is_no_notebook_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("{")
    with pytest.raises(LabError, match=r"a\.ipynb is no notebook that can be read"):
        rehearse(tmp_path / "a.ipynb")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("kernelspec", 3, r"metadata\.kernelspec: 3 is not of type 'object'"),
        ("source", 3, r"cells\.0\.source: 3 is not valid"),
        ("brackets", "[" * 100_000, "it is nested too deeply"),
    ],
)
def test_where_a_notebook_is_damaged_is_told(tmp_path: Path, place: str, value: Any, said: str) -> None:
    lesson = notebook(tmp_path / "a.ipynb", "1")
    text = json.loads(lesson.read_text())
    if place == "kernelspec":
        text["metadata"][place] = value
    elif place == "source":
        text["cells"][0][place] = value
    lesson.write_text(value if place == "brackets" else json.dumps(text))
    with pytest.raises(LabError, match=rf"a\.ipynb is no notebook that can be read \(.*({said})"):
        rehearse(lesson)


def test_a_kernel_that_is_not_there_is_told(tmp_path: Path) -> None:
    lesson = notebook(tmp_path / "a.ipynb", "1")
    lesson.write_text(lesson.read_text().replace('"python3"', '"nosuch"'))
    with pytest.raises(LabError, match=r"^a\.ipynb asks for the kernel 'nosuch', .*Change Kernel"):
        rehearse(lesson)


def test_why_a_kernel_did_not_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lesson = notebook(tmp_path / "a.ipynb", "1")
    (tmp_path / "ipykernel_launcher.py").write_text("import nosuchmodule")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        LabError, match=r"The kernel for a\.ipynb did not start: .*No module named 'nosuchmodule'"
    ):
        rehearse(lesson)
    assert "Traceback" not in capfd.readouterr().err


def test_a_committed_lesson_goes_well(root: Path) -> None:
    done = rehearse(root / "notebooks" / "00_setup_check.ipynb")
    assert [cell for cell in done.cells if cell.problems] == []
    assert isinstance(done.cells[0], Performance)
