"""The memory map's ear in the notebook: every cell, one registration, a panel that opens once and closes wholly."""

from __future__ import annotations

import sys
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
import tensorkit_widgets
from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.memory import magic as memory_magic
from tensorkit_widgets.namespace.cell_hook import MemoryHook, hook, moment_of
from tensorkit_widgets.namespace.find_tensors import scan
from tensorkit_widgets.namespace.model import Difference, MemorySnapshot
from tensorkit_widgets.widget import cell_hook
from tests.support.garbage import collect


class Ear:
    """A listener that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[MemorySnapshot, Difference]] = []

    def __call__(self, snapshot: MemorySnapshot, change: Difference) -> None:
        self.told.append((snapshot, change))

    @property
    def moments(self) -> list[tuple[int | None, str, str]]:
        return [(s.moment.cell, s.moment.code, s.moment.error) for s, _ in self.told]


def run(shell: InteractiveShell, code: str) -> None:
    shell.run_cell(code, store_history=True)


def callbacks(shell: InteractiveShell) -> list[Any]:
    found: list[Any] = [c for c in shell.events.callbacks["post_run_cell"] if c is cell_hook._after_cell]
    return found


def test_every_cell_also_one_that_failed(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    ear = Ear()
    stop = hook.subscribe(ear)
    run(shell, "t = tk.zeros(4)")
    run(shell, "# first\nt[1] = 5\n1 / 0")
    run(shell, "t[")
    run(shell, "t[2] = 1\nt\n")
    shell.run_cell("t[0] = 9", silent=True)
    run(shell, "pass")
    stop()
    assert ear.moments == [
        (None, "", ""),
        (1, "t = tk.zeros(4)", ""),
        (2, "1 / 0", "ZeroDivisionError"),
        (3, "t[", "SyntaxError"),
        (4, "t", ""),
        (5, "pass", ""),
    ]
    words = [[c.words for c in change.changes] for _, change in ear.told]
    assert words[1:4] == [["made: 16 bytes"], ["changed in place: slot 1"], ["unchanged"]]
    assert words[5] == ["changed in place: slot 0"]
    [t] = ear.told[4][0].storages
    assert [way.text for way in t.holders[0].ways] == ["t", "Out[4]"]
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_only_the_learners_names(shell: InteractiveShell) -> None:
    run(shell, "t = tk.ones(2)\nexit = tk.ones(3)")
    run(shell, "t")
    ear = Ear()
    hook.subscribe(ear)
    found = [[way.text for way in h.ways] for s in ear.told[0][0].storages for h in s.holders]
    assert sorted(found) == [["exit"], ["t", "Out[2]"]]
    assert scan({}).found == []


def test_one_registration_and_none_after_the_last(shell: InteractiveShell) -> None:
    stops = [hook.subscribe(Ear()) for _ in range(3)]
    widget = StrideExplorer(tk.zeros(2))
    assert len(callbacks(shell)) == 1
    for stop in stops:
        stop()
        stop()
    assert not hook.on
    assert hook.last is None
    assert len(callbacks(shell)) == 1, "the explorer is there"
    widget.close()
    assert callbacks(shell) == []


def test_it_outlives_the_cell_that_opened_it(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = {"metadata": {"cellId": "one"}, "header": {"msg_id": "1"}}
    monkeypatch.setattr(shell, "get_parent", lambda: request, raising=False)
    stop = hook.subscribe(Ear())
    request["header"]["msg_id"] = "2"
    widget = StrideExplorer(tk.zeros(2))
    assert hook.on
    widget.close()
    stop()


def test_a_write_from_a_picture_is_a_moment_between_cells(shell: InteractiveShell) -> None:
    run(shell, "t = tk.zeros(3)")
    ear = Ear()
    stop = hook.subscribe(ear)
    widget = StrideExplorer(shell.user_ns["t"])
    widget._handle_custom_msg({"kind": "edit", "key": "t:1", "value": "7"}, [])
    snapshot, change = ear.told[-1]
    assert (snapshot.moment.cell, change.changes[0].slots) == (None, (1,))
    widget.close()
    stop()


def test_a_failing_listener_harms_nobody(shell: InteractiveShell) -> None:
    def broken(_snapshot: MemorySnapshot, _change: Difference) -> None:
        raise RuntimeError("no picture")

    ear = Ear()
    stops = [hook.subscribe(broken), hook.subscribe(ear)]
    run(shell, "t = tk.ones(1)")
    assert len(ear.told) == 2
    assert hook.fault == "the memory map could not be drawn: no picture"
    for stop in stops:
        stop()


def test_a_failing_look_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any) -> Any:
        raise RuntimeError("gone")

    source = MemoryHook(lambda: ({}, {}))
    ear = Ear()
    stop = source.subscribe(ear)
    monkeypatch.setattr(source._watch, "look", broken)
    assert not source.refresh()
    assert source.fault == "the memory could not be looked at: gone"
    assert len(ear.told) == 1
    monkeypatch.undo()
    source.refresh()
    assert (source.fault, len(ear.told)) == ("", 2)
    stop()


def test_a_listener_that_writes_does_not_go_round_in_circles() -> None:
    names = {"t": tk.zeros(2)}
    source = MemoryHook(lambda: (names, {}))
    turns: list[int] = []

    def told(snapshot: MemorySnapshot, _change: Difference) -> None:
        turns.append(snapshot.moment.count)
        source.refresh()

    stop = source.subscribe(told)
    source.refresh()
    assert turns == [1, 2, 3] or turns == [1, 2]
    stop()


def test_the_hook_keeps_nothing_alive(shell: InteractiveShell) -> None:
    stop = hook.subscribe(Ear())
    run(shell, "t = tk.ones(5)")
    held = weakref.ref(shell.user_ns["t"])
    run(shell, "del t")
    collect()
    assert held() is None
    stop()


def test_a_moment_quotes_the_line_that_does_something() -> None:
    def quoted(code: str) -> str:
        return moment_of(SimpleNamespace(info=SimpleNamespace(raw_cell=code))).code

    assert quoted("x = 1\nx += 2   # so\nprint(x)\nassert x\n# done") == "x += 2   # so"
    assert quoted("print(1)\nprint(2)") == "print(2)"


@pytest.mark.parametrize("code", [None, 7, "", "  \n ", "a\n" * 5000, "x" * 5000 + "\u202e"])
def test_moments(code: Any) -> None:
    said = moment_of(SimpleNamespace(info=SimpleNamespace(raw_cell=code), execution_count=3))
    assert said.cell == 3
    assert said.code.isprintable()
    assert len(said.code) <= 80
    assert moment_of(SimpleNamespace()).cell is None


# ---- the magic


class Panel:
    """Stands in for sidecar's."""

    made: list[Panel] = []  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        self.options, self.closed, self.shown, self.model_id = options, False, 0, "a1"
        Panel.made.append(self)

    def __enter__(self) -> Panel:
        self.shown += 1
        return self

    def __exit__(self, *_problem: object) -> None:
        return None

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> type[Panel]:
    Panel.made = []
    monkeypatch.setattr(memory_magic, "_make", [])  # the map as text
    monkeypatch.setitem(sys.modules, "sidecar", SimpleNamespace(Sidecar=Panel))
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    return Panel


def test_one_panel_however_often_it_is_run(shell: InteractiveShell, panel: type[Panel]) -> None:
    run(shell, "%load_ext tensorkit_widgets")
    for _ in range(3):
        run(shell, "%memory_map")
    run(shell, "%load_ext tensorkit_widgets\n%memory_map on")
    one = panel.made[-1]
    assert [made.closed for made in panel.made] == [True, True, True, False], (
        "each takes the place of the last"
    )
    assert len(memory_magic._open) == 1
    assert len(hook._listeners) == 1
    assert one.options == {"title": "memory map", "anchor": "split-right"}
    assert one.shown == 1
    assert hook.on
    run(shell, "t = tk.ones(3)")
    assert "t: Tensor (3,)" in memory_magic._open[0][0].value
    run(shell, "%memory_map off")
    assert one.closed
    assert not hook.on
    assert callbacks(shell) == []
    run(shell, "%memory_map off")
    run(shell, "%memory_map")
    assert [made.closed for made in panel.made] == [True] * 4 + [False]


def test_without_sidecar_it_is_inline_with_a_sentence(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[Any] = []
    monkeypatch.setitem(sys.modules, "sidecar", None)
    monkeypatch.setattr("IPython.display.display", lambda *things, **_options: shown.extend(things))
    run(shell, "%load_ext tensorkit_widgets\n%memory_map")
    assert memory_magic.NO_SIDECAR in capsys.readouterr().out
    assert len(shown) == 1
    assert hook.on


def test_a_wrong_word_is_answered(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, "%load_ext tensorkit_widgets\n%memory_map sideways")
    assert memory_magic.USAGE in capsys.readouterr().out
    assert not hook.on


def test_unloading_takes_all_away(shell: InteractiveShell, panel: type[Panel]) -> None:
    run(shell, "%load_ext tensorkit_widgets\n%memory_map")
    run(shell, "%unload_ext tensorkit_widgets")
    assert panel.made[0].closed
    assert callbacks(shell) == []
    assert "memory_map" not in shell.magics_manager.magics["line"]
    tensorkit_widgets.load_ipython_extension(shell)
    assert "memory_map" in shell.magics_manager.magics["line"]


def test_another_widget_in_the_panel(shell: InteractiveShell, panel: type[Panel]) -> None:
    closed: list[bool] = []
    memory_magic.show_with(lambda source: SimpleNamespace(close=lambda: closed.append(source is hook)))
    run(shell, "%load_ext tensorkit_widgets\n%memory_map\n%memory_map off")
    assert closed == [True]
