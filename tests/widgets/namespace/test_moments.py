"""A board that is kept stays as it was, while the one that it was kept from goes on."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
from tensorkit_widgets import DeviceMap, MemoryMap
from tensorkit_widgets.namespace.cell_hook import hook
from tensorkit_widgets.widget import cell_hook


@pytest.mark.parametrize("board", [DeviceMap, MemoryMap])
def test_what_is_kept_stays_as_it_is(board: Any) -> None:
    with tk.cuda.emulate():
        names = {"t": tk.arange(3.0)}
        live = board(names)
        names["g"] = names["t"].to("cuda")
        kept = live.look().keep()
        seen = kept.text()
        assert seen == live.text()
        names["g"].mul_(2)
        live.look()
        assert kept.text() == seen != live.text()
        assert isinstance(kept, board)
        live.close()
        assert kept.text() == seen
        kept.close()


class Lesson:
    """Cells of a notebook, each with an id, as JupyterLab sends them with what they run."""

    def __init__(self, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, board: str) -> None:
        self.shell: Any = shell
        self.board, self.runs = board, 0
        self.id = ""
        monkeypatch.setattr(cell_hook, "cell_of_now", lambda: (self.id, f"run {self.runs}"))
        self.shown: list[Any] = []

        def display(widget: Any, *_: Any) -> None:
            cell_hook.replace_in_cell(widget)
            self.shown.append(widget)

        monkeypatch.setattr("tensorkit_widgets.widget.picture.display_live", display)
        self.run("made", f"from tensorkit_widgets import {board}\nt = tk.arange(6.0)")
        self.run("first", f"m = {board}()\nm")

    def run(self, cell: str, code: str) -> Any:
        """Run a cell; the board that it showed last."""
        self.id, self.runs = cell, self.runs + 1
        self.shell.run_cell(code, store_history=True)
        self.id = ""
        return self.shown[-1] if self.shown else None

    @property
    def m(self) -> Any:
        return self.shell.user_ns["m"]


@pytest.fixture(params=["DeviceMap", "MemoryMap"])
def lesson(
    request: Any, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    made = Lesson(shell, monkeypatch, request.param)
    yield made
    for board in [made.m, *made.shown]:
        board.close()
    assert not hook.on
    assert not cell_hook._alive
    capsys.readouterr()


def follow(board: Any, yes: bool = True) -> None:
    board._heard(board, {"kind": "follow", "value": yes}, [])


def offered(board: Any) -> list[bool]:
    return [one["value"] for one in board.frame["facts"]["controls"] if one["role"] == "follow"]


def test_a_board_in_a_cell_keeps_the_moment_of_its_cell(lesson: Lesson) -> None:
    seen, svg = lesson.m.text(), lesson.m.svg()
    assert offered(lesson.m) == [False]
    for k in range(45):  # more than one can step back to
        lesson.run(f"later {k}", f"t[{k % 6}] = {k + 100}")
    assert (lesson.m.text(), lesson.m.frame["text"]) == (seen, seen)
    assert lesson.m.svg().count("<text") == svg.count("<text")
    kept = lesson.run("kept", "kept = m.keep()\nkept")
    assert "= 144" in kept.text()
    assert kept is not lesson.m
    assert offered(kept) == [], "what was kept never follows"


def test_on_the_stage_it_ends_with_its_own_cell_though_all_cells_have_run(lesson: Lesson) -> None:
    lesson.run("write", "t[0] = 7")
    shown = lesson.run("second", "m")
    shown.scenes = [("before", {"step": 0}), ("after", {"run": True})]
    seen = shown.text()
    for k in range(45):
        lesson.run(f"later {k}", f"t[{k % 6}] = {k + 100}")

    def after(**message: object) -> tuple[int, int, int, bool]:
        shown._heard(shown, message, [])
        script = shown.frame["facts"]["script"]
        return script["step"], script["steps"], script["scene"], script["away"]

    assert after(kind="mark") == (1, 1, -1, False)
    assert after(kind="step") == (1, 1, -1, False), "there is no further step"
    assert after(kind="scene", value=0) == (0, 1, 0, False)
    assert after(kind="scene", value=1) == (1, 1, 1, False)
    assert after(kind="back") == (0, 1, 1, True)
    assert after(kind="return") == (1, 1, 1, False)
    assert shown.text() == seen


def test_it_has_what_its_own_cell_did(lesson: Lesson) -> None:
    lesson.run("second", f"m = {lesson.board}()\nm._ipython_display_()\nu = tk.ones(2)")
    assert "u = tk.ones(2)" in lesson.m.text()
    seen = lesson.m.text()
    lesson.run("third", "u.zero_()")
    assert lesson.m.text() == seen


def test_it_follows_where_that_is_asked_of_it_and_stays_again(lesson: Lesson) -> None:
    lesson.run("later", "t[0] = 7")
    follow(lesson.m)
    assert offered(lesson.m) == [True]
    assert "t[0] = 7" in lesson.m.frame["text"]
    lesson.run("again", "t[0] = 8")
    assert "t[0] = 8" in lesson.m.frame["text"]
    follow(lesson.m, False)
    lesson.run("on", "t[0] = 9")
    assert "t[0] = 8" in lesson.m.frame["text"]


def test_shown_in_another_cell_it_is_there_as_that_cell_left_it(lesson: Lesson) -> None:
    seen = lesson.m.text()
    lesson.run("later", "t[0] = 7")
    other = lesson.run("second", "t[1] = 8\nm")
    assert other is not lesson.m
    assert "changed in place, slot 1" in other.text()
    lesson.run("on", "t[2] = 9")
    assert "changed in place, slot 1" in other.text()
    assert lesson.m.text() == seen
    follow(other)
    assert "t[2] = 9" in other.text()
    lesson.run("last", "t[3] = 10")
    assert "t[3] = 10" in other.text()
    assert lesson.m.text() == seen
    lesson.m.close()
    assert offered(other) == [], "there is nobody who looks"


def test_its_own_cell_run_again_shows_it_as_it_is_then(lesson: Lesson) -> None:
    shown = lesson.run("second", "m")
    lesson.run("later", "t[0] = 7")
    lesson.run("second", "t[1] = 8\nm")
    assert lesson.shown[-1] is not shown
    assert "changed in place, slot 1" in lesson.shown[-1].text()
    lesson.run("first", f"m = {lesson.board}()\nm")
    lesson.run("later", "t[2] = 9")
    lesson.run("first", "m")
    assert "changed in place, slot 2" in lesson.m.text()


def test_python_moves_it_and_looks_again(lesson: Lesson) -> None:
    lesson.run("later", "t[0] = 7")
    assert "t[0] = 7" in lesson.m.look().text()
    lesson.run("on", "t[0] = 8\nm.back()")
    assert lesson.run("kept", "m.goto(0).keep()").at == 0
    assert lesson.run("newest", "m.keep()").at > 1
