"""Normalising lessons: nothing of the run stays, nothing that teaches goes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.normalise import execute, faults, main, normalise, normalised_text

VIEW = "application/vnd.jupyter.widget-view+json"


def code(source: str, *outputs: dict[str, Any], count: int | None = 5, **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": "aa",
        "source": source,
        "metadata": metadata,
        "execution_count": count,
        "outputs": list(outputs),
    }


def book(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def display(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "metadata": {}, "data": data}


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def test_widget_views_go_and_the_picture_and_text_stay() -> None:
    views = {VIEW: {"model_id": "x"}, "text/plain": "StrideExplorer(...)"}
    picture = {"text/html": '<img alt="a">', "text/plain": "the twin"}
    lone = {VIEW: {"model_id": "y"}}
    cell = code("w", display(**views), display(**picture), display(**lone))
    done = normalise(book(cell, widgets={"state": {}}))
    assert "widgets" not in done["metadata"]
    assert [output["data"] for output in done["cells"][0]["outputs"]] == [
        {"text/plain": "StrideExplorer(...)"},
        picture,
    ]


def test_counts_become_consecutive_and_a_cell_that_never_ran_keeps_none() -> None:
    result = display(**{"text/plain": "2"}) | {"output_type": "execute_result", "execution_count": 9}
    never = code("never", count=None)
    done = normalise(book(code("1", count=4), code("1 + 1", result, count=9), never, code("3", count=11)))
    assert [cell["execution_count"] for cell in done["cells"]] == [1, 2, None, 3]
    assert done["cells"][1]["outputs"][0]["execution_count"] == 2


def test_ids_follow_the_text_and_survive_a_cell_put_before_them() -> None:
    few = normalise(book(code("a"), code("b"), code("b")))
    more = normalise(book(code("new"), code("a"), code("b"), code("b")))
    ids = [cell["id"] for cell in few["cells"]]
    assert len(set(ids)) == 3
    assert [cell["id"] for cell in more["cells"]][1:] == ids


def test_only_teaching_metadata_stays() -> None:
    done = normalise(
        book(
            code("a", tags=["raises-exception"], scrolled=True, execution={"iopub": 1}, jupyter={}),
            language_info={"name": "python", "version": "3.11.7"},
            kernelspec={"name": "mine", "display_name": "mine", "language": "python"},
        )
    )
    assert done["cells"][0]["metadata"] == {"tags": ["raises-exception"]}
    assert done["metadata"]["language_info"] == {"name": "python"}
    assert done["metadata"]["kernelspec"]["name"] == "python3"


def test_pieces_of_a_stream_are_joined_but_not_two_streams() -> None:
    pieces = [stream("1\n"), stream("2\n"), stream("oh", "stderr"), stream("3\n")]
    done = normalise(book(code("p", *pieces)))
    assert [(output["name"], output["text"]) for output in done["cells"][0]["outputs"]] == [
        ("stdout", "1\n2\n"),
        ("stderr", "oh"),
        ("stdout", "3\n"),
    ]


def test_a_traceback_keeps_the_learners_frame_and_the_message() -> None:
    frames = [
        "----",
        "RuntimeError   Traceback (most recent call last)",
        "\x1b[36mCell\x1b[39m \x1b[32mIn[17]\x1b[39m, line 1\n----> 1 x.view(7)",
        "\x1b[36mFile \x1b[39m\x1b[32m/home/me/tensorkit/ops/views/view_reshape.py:3\x1b[39m, in view(...)",
        "RuntimeError: no",
    ]
    error = {"output_type": "error", "ename": "RuntimeError", "evalue": "no", "traceback": frames}
    [output] = normalise(book(code("x.view(7)", error, count=17)))["cells"][0]["outputs"]
    assert output["traceback"] == [*frames[:2], frames[2].replace("17", "1"), frames[4]]


def test_the_argument_is_left_alone_and_twice_is_the_same_as_once() -> None:
    notebook = book(code("a\nb", stream("1\n2"), display(**{"text/plain": ["x\n", "y"]})), widgets={})
    before = copy.deepcopy(notebook)
    text = normalised_text(notebook)
    assert notebook == before
    assert normalised_text(json.loads(text)) == text


def found(*cells: dict[str, Any]) -> list[str]:
    return faults(normalised_text(book(*cells)))


def test_a_good_lesson_has_no_faults() -> None:
    error = {"output_type": "error", "ename": "E", "evalue": "e", "traceback": []}
    assert found(code("1", stream("1")), code("f", error, tags=["raises-exception"])) == []


def test_faults_are_told() -> None:
    error = {"output_type": "error", "ename": "ValueError", "evalue": "e", "traceback": []}
    assert found(code("1", count=None)) == ["cell 1 was never executed"]
    assert found(code("1"), code("f", error)) == ["cell 2 failed with ValueError"]
    assert found(code("  ", count=None)) == ["cell 1 is empty"]
    assert found(code("p", stream("in /home/me/x.py"))) == [
        "cell 1 prints a path of the machine it ran on: /home/me/x.py"
    ]
    assert faults(json.dumps(book(code("1")))) == ["it is not normalised: run `make lessons`"]


def test_execute_check_and_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole command: an unexecuted notebook is refused, executed twice it gives the same bytes."""
    path = tmp_path / "lesson.ipynb"
    cells = [code("import pathlib\nprint(pathlib.Path.cwd().name)", count=None), code("1 / 0", count=None)]
    cells[1]["metadata"]["tags"] = ["raises-exception"]
    path.write_text(json.dumps(book(*cells)))
    before = path.read_bytes()
    assert main(["--check", str(path)]) == 1
    assert path.read_bytes() == before
    assert "cell 1 was never executed" in capsys.readouterr().err

    assert main(["--execute", str(path)]) == 0
    first = path.read_bytes()
    assert json.loads(first)["cells"][0]["outputs"][0]["text"] == [f"{tmp_path.name}\n"]
    assert json.loads(first)["cells"][1]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert main(["--execute", str(path)]) == 0
    assert path.read_bytes() == first
    assert main(["--check", str(path)]) == 0


def test_a_cell_that_fails_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="ZeroDivisionError"):
        execute(book(code("1 / 0", count=None)), tmp_path)


def test_a_lesson_that_cannot_be_executed_or_read_stays_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lesson.ipynb"
    number = code("1")
    number["source"] = 3
    del number["id"]
    for flag, text, said in (
        (
            "--execute",
            json.dumps(book(code("1 / 0", count=None))),
            "cell of it failed (ZeroDivisionError: division",
        ),
        (
            "--execute",
            json.dumps(book(number)),
            "no notebook that can be read (cells.0.source: 3 is not valid",
        ),
        ("--check", "[" * 100_000, "no notebook that can be read (it is nested too deeply)"),
        ("--check", "[]", "no notebook that can be read (it has not the form of a notebook)"),
        (
            "--check",
            '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}',
            "an old format",
        ),
    ):
        path.write_text(text)
        assert main([flag, str(path)]) == 1
        [line] = capsys.readouterr().err.splitlines()
        assert said in line
        assert path.read_text() == text
    path.unlink()
    assert main([str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"Cannot read {path} (no such file or directory)")


def test_a_full_disk_leaves_the_lesson_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps(book(code("1"))))
    before = path.read_text()
    write = Path.write_text

    def full(self: Path, text: str, *given: Any, **named: Any) -> int:
        write(self, text[:9], *given, **named)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert main([str(path)]) == 1
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("lesson.ipynb", before)]


def test_a_traceback_keeps_no_word_on_frames_left_out() -> None:
    from tensorkit.lab import normalise as module

    frames = ["Cell In[3], line 1", "    \x1b[31m[... skipping hidden 2 frame]\x1b[39m\n", "RuntimeError: no"]
    assert module._traceback(frames, 3) == ["Cell In[3], line 1", "RuntimeError: no"]
