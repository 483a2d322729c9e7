"""The answers of one or many learners as a table for their teacher."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tensorkit_widgets import Predict, Quiz
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.progress.export import COLUMNS
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.progress_report import main
from tests.widgets.practice_helpers import blank_memory, restarted

__all__ = ["blank_memory"]  # a fixture


@pytest.fixture
def folders(blank_memory: None, tmp_path: Path) -> list[Path]:
    """The folders of two learners: one made a prediction, the other began the test before the course."""
    places = [tmp_path / "ann", tmp_path / "bob"]
    for number, place in enumerate(places):
        restarted()
        session_log.use(ProgressFile(place / ".tensorkit" / "progress.json"))
        if number == 0:
            Predict("02.slice_stride").answer = (4, 2)
        else:
            quiz = Quiz("00.before")
            quiz.answers = [24, None, None, (6, 6), None, None, None, None, None, None]
    session_log.flush()
    return places


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_each_answer_is_a_row(
    folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "class.csv"
    assert main([*map(str, folders), "--csv", str(table)]) == 0
    assert capsys.readouterr().out == f"{table}: 3 answer(s) of 2 learner(s).\n"
    found = read(table)
    assert tuple(found[0]) == COLUMNS
    names = [json.loads((place / ".tensorkit" / "progress.json").read_text())["learner"] for place in folders]
    assert [row["learner"] for row in found] == [names[0], names[1], names[1]]
    assert [(row["lesson"], row["card"], row["kind"]) for row in found] == [
        ("02", "02.slice_stride", "predict"),
        ("00", "00.before.slice", "quiz"),
        ("00", "00.before.column_and_row", "quiz"),
    ]
    assert [(row["answer"], row["right"], row["misconception"]) for row in found[1:]] == [
        ("1: 24", "no", "a slice aliases its base"),
        ("4: (6, 6)", "yes", ""),
    ]
    assert all(row["time"].startswith("20") for row in found)


def test_what_a_spreadsheet_would_run_is_text(folders: list[Path], tmp_path: Path) -> None:
    kept = folders[0] / ".tensorkit" / "progress.json"
    record = json.loads(kept.read_text())
    event = {"at": "2026-11-27", "correct": False, "misconception": "", "sure": True}
    said = ['=HYPERLINK("x")', "-7", "-x", '"two\nlines", \ud800']
    record["cards"] = {"predict My own": {"history": [*({**event, "said": one} for one in said), 3]}}
    kept.write_text(json.dumps(record))
    main([str(folders[0]), "--csv", str(tmp_path / "a.csv")])
    found = read(tmp_path / "a.csv")
    assert [row["answer"] for row in found] == ["'" + said[0], "-7", "'-x", '"two\nlines", \\ud800']
    assert {(row["lesson"], row["card"], row["sure"]) for row in found} == {("", "My own", "yes")}


def test_a_folder_without_answers_is_named_and_nothing_is_written(
    folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "class.csv"
    table.write_text("as it was")
    assert main([str(folders[0]), str(tmp_path / "empty"), "--csv", str(table)]) == 1
    assert f"There are no answers in {tmp_path / 'empty'}." in capsys.readouterr().err
    assert table.read_text() == "as it was"


def test_several_folders_are_for_a_table_only(folders: list[Path]) -> None:
    assert main([*map(str, folders)]) == main([*map(str, folders), "--forget"]) == 2
    assert main([str(folders[0]), "--forget", "--csv", "a.csv"]) == 2
