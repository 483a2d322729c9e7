"""`tensorkit present`: what the room sees, what the speaker sees, and what the speaker's own Jupyter never notices."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tensorkit import cli
from tensorkit.lab import present, server
from tensorkit.lab.cues import cues
from tensorkit.lab.errors import LabError
from tensorkit.lab.rehearsal import Rehearsal
from tests.browser.beginning import run_all, until
from tests.browser.desk import Desk, desk_at
from tests.lab.test_browser import PATIENCE_MS
from tests.lab.test_serving import TOKEN, Served, running

SCENES = [
    {"name": "sizes", "step": 1, "notes": "count from the right"},
    {"name": "all", "run": True, "notes": "<img src=x onerror='window.hacked = 1'>"},
]
IMPORTS = """import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer, StrideExplorer
s = StrideExplorer(tk.arange(12).view(3, 4), name="x")
s.scenes = [("turned", {"expression": ".t()"}), ("refused", {"attempt": ".t().view(12)"})]
s"""
HELLO = "# A *talk*\n<!-- notes: Say hello.\nBreathe. -->"
END = {"notes": "Thank them.", "minutes": 1}
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": HELLO, "metadata": {"tensorkit": {"minutes": 2, "cut": "the hello"}}},
    {"cell_type": "code", "source": IMPORTS, "metadata": {}},
    {
        "cell_type": "code",
        "source": "w = BroadcastExplorer(tk.ones(3, 1), tk.ones(4))\nw",
        "metadata": {"tensorkit": {"notes": ["Ask first:\n", "what size?"], "scenes": SCENES}},
    },
    {"cell_type": "markdown", "source": "## The end", "metadata": {"tensorkit": END}},
]  # fmt: skip
STATE = """() => {
    const { shell } = window.jupyterapp;
    const bar = document.getElementById("jp-main-statusbar");
    const folded = shell.leftCollapsed && shell.rightCollapsed;
    return [shell.presentationMode, shell.mode, folded, shell.isSideTabBarVisible("left"), bar.checkVisibility()];
}"""
GO = "(number) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = number; }"
SIZE = """() => parseFloat(getComputedStyle(document.querySelector(".jp-Notebook .cm-content")).fontSize)"""


def book() -> dict[str, Any]:
    """A talk of four cells."""
    cells = [{**cell, "id": f"c{number}"} for number, cell in enumerate(CELLS)]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


# ---- without a server


def test_notes_come_from_metadata_scenes_and_comments() -> None:
    found = cues(book())
    assert [(cue.id, cue.heading, cue.first) for cue in found] == [
        ("c0", "A talk", "A talk"),
        ("c1", "A talk", "import tensorkit as tk"),
        ("c2", "A talk", "w = BroadcastExplorer(tk.ones(3, 1), tk.ones(4))"),
        ("c3", "The end", "The end"),
    ]
    assert [cue.notes for cue in found] == [
        "Say hello.\nBreathe.",
        "",
        "Ask first:\nwhat size?",
        "Thank them.",
    ]
    assert found[2].scenes == (("sizes", "count from the right"), ("all", SCENES[1]["notes"]))


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"tensorkit": 3},
        {"tensorkit": {"notes": 3, "scenes": "x"}},
        {"tensorkit": {"scenes": [3, {"name": 4}]}},
        3,
    ],
)
def test_metadata_of_another_kind_are_no_notes(metadata: Any) -> None:
    [cue] = cues({"cells": [{"cell_type": "code", "source": ["a\n", "b"], "metadata": metadata}]})
    assert (cue.first, cue.notes, cue.scenes) == ("a", "", ())


@pytest.mark.parametrize("cells", [None, 3, "ab", [3], [None]])
def test_cells_of_another_kind_have_nothing_to_say(cells: Any) -> None:
    assert [(cue.first, cue.notes) for cue in cues({"cells": cells})] == (
        [("", "")] if isinstance(cells, list) else []
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("presented") / "mine"


ALL = [path.stem for path in sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))]


@pytest.mark.parametrize("lesson", ALL)
def test_every_lesson_can_be_presented(
    lesson: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command from its words to its end; what the cells do is asked of each lesson elsewhere."""
    rehearsed: list[Path] = []
    monkeypatch.setattr(cli, "rehearse", lambda path, _: rehearsed.append(path) or Rehearsal())
    monkeypatch.setattr("sys.argv", ["tensorkit", "present", lesson, str(folder), "--rehearse-only"])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    said = capsys.readouterr()
    assert (rehearsed, said.err) == ([folder / f"{lesson}.ipynb"], "")
    minutes = "min, " in said.out and "of them spoken, at 130 words a minute." in said.out
    assert said.out.splitlines()[-1].startswith("Nothing need be run before people come in")
    none = "None of its cells gives minutes: the speaker's notes show the time since the start" in said.out
    timed = '"minutes":' in (folder / f"{lesson}.ipynb").read_text(encoding="utf-8")
    assert (minutes, none) == (timed, not timed)


def test_the_talk_is_found_by_number_by_name_and_in_the_speakers_own_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text("{}")
    assert present.find_talk("mine", tmp_path) == tmp_path / "mine.ipynb"
    assert present.find_talk("mine.ipynb", tmp_path) == tmp_path / "mine.ipynb"
    assert present.find_talk("02", tmp_path).name == "02_storage_and_strides.ipynb"
    with pytest.raises(LabError, match="There is no lesson called 'x'"):
        present.find_talk("x", tmp_path)
    (tmp_path / "02_storage_and_strides.ipynb").mkdir()
    with pytest.raises(LabError, match=r"strides\.ipynb is a folder; move it away"):
        present.find_talk("02", tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "02_storage_and_strides.ipynb").symlink_to(tmp_path / "mine.ipynb")
    with pytest.raises(LabError, match="name its folder as DIR"):
        present.find_talk("02", tmp_path / "in")
    with pytest.raises(LabError, match="name its folder as DIR"):
        present.find_talk("../mine", tmp_path / "in")


def test_a_room_has_a_token_of_its_own_or_the_one_that_is_given(tmp_path: Path) -> None:
    one, two = (present.stage(tmp_path / "a b.ipynb", tmp_path, port=1, browser=False) for _ in range(2))
    assert one.lesson != two.lesson
    assert f"--IdentityProvider.token={one.lesson.split('token=')[1]}" in one.line
    assert "--LabApp.default_url=/doc/tree/a%20b.ipynb" in one.line
    given = present.stage(
        tmp_path / "a.ipynb", tmp_path, port=1, browser=False, settings=["IdentityProvider.token=mine"]
    )
    assert given.notes.endswith("token=mine")
    assert [part for part in given.line if ".token=" in part] == ["--IdentityProvider.token=mine"]


def test_a_rehearsal_comes_first_and_its_failure_is_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = tmp_path / "kit"
    kit.mkdir()
    text = book()
    text["cells"][1]["source"] = "1 / 0"
    (kit / "00_talk.ipynb").write_text(json.dumps(text))
    monkeypatch.setattr("tensorkit.lab.lessons.lesson_source", lambda: kit)
    lines: list[list[str]] = []
    monkeypatch.setattr(server, "serve", lambda line, *folders: lines.append(list(line)))
    words = ["tensorkit", "present", "0", str(tmp_path / "mine")]
    monkeypatch.setattr("sys.argv", [*words, "--rehearse-only"])
    with pytest.raises(SystemExit, match="1"):
        cli.main()
    said = capsys.readouterr().out
    assert "ZeroDivisionError: division by zero" in said
    assert "NameError: name 'BroadcastExplorer' is not defined" in said
    assert "2 of 2 code cells did not go as it should" in said
    assert lines == []
    monkeypatch.setattr("sys.argv", [*words, "--no-rehearsal", "--no-browser"])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    said = capsys.readouterr().out
    assert "Rehearsing" not in said
    assert "Speaker's notes: http://127.0.0.1:" in said
    assert len(lines) == 1


# ---- in a browser


def presented(home: Path, root: Path) -> AbstractContextManager[Served]:
    """The talk of four cells, served for a room."""
    folder = home / "my lessons"
    folder.mkdir()
    (folder / "talk.ipynb").write_text(json.dumps(book()))
    return running(home, root, words=("present", "talk"), options=("--no-rehearsal",))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    with presented(tmp_path_factory.mktemp("home"), root) as one:
        yield one


def addresses(served: Served) -> list[str]:
    """Those that `tensorkit present` has printed: the room's, and the speaker's. A server's own lines begin with [."""
    lines = served.log.read_text().splitlines()
    return [line.split(": ", 1)[1].strip() for line in lines if "token=" in line and line[0] != "["]


@pytest.fixture(scope="module")
def desk(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        one.address = addresses(served)[0]
        yield one


@pytest.fixture
def windows(desk: Desk) -> Iterator[tuple[Any, Any]]:
    """The room's window and the speaker's, of one browser; nothing goes wrong in either, nothing leaves the machine."""
    with desk.written("talk", book(), 1400, 900) as one:
        room, notes = one.page, one.page.context.new_page()
        notes.set_default_timeout(PATIENCE_MS)
        notes.on("pageerror", lambda error: one.faults.append(str(error)))
        notes.on("request", lambda request: one.asked.append(request.url))
        until(room, "() => document.body.dataset.tensorkitPresent === 'ready'")
        desk.served.ask("tensorkit/api/place?lesson=talk.ipynb", {"clock": None}, "PUT")
        notes.goto(addresses(desk.served)[1])
        notes.locator('body[data-heard="true"]').wait_for()
        yield room, notes
        notes.close()


@pytest.mark.browser
def test_the_room_sees_one_document_large_and_nothing_beside_it(windows: tuple[Any, Any]) -> None:
    room, _ = windows
    # A side bar that JupyterLab fills late is folded when it comes.
    until(room, f"() => ({STATE})()[3] === false")
    assert room.evaluate(STATE) == [True, "single-document", True, False, False]
    assert room.evaluate(SIZE) >= 20


def on_stage(room: Any, widget: str) -> Any:
    """Put a picture on the stage, by key; the stage."""
    picture = room.locator(f'[data-tk-widget="{widget}"]')
    picture.wait_for()
    picture.locator('[data-role="present"]').focus()
    room.keyboard.press("p")
    stage = room.locator("dialog.tk-stage")
    stage.wait_for()
    return stage


@pytest.mark.browser
def test_the_notes_follow_the_lesson_and_the_stage(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    room.evaluate(GO, 0)
    notes.locator('body[data-cell="0"]').wait_for()
    assert notes.locator("#notes").inner_text() == "Say hello.\nBreathe."
    notes.locator("#next", has_text="import tensorkit as tk").wait_for()
    run_all(room)
    assert notes.locator('body[data-cell="0"]').count() == 1, "the room stays where it is"
    room.evaluate(GO, 2)
    notes.locator('body[data-cell="2"]').wait_for()
    assert notes.locator("#notes").inner_text() == "Ask first:\nwhat size?"
    stage = on_stage(room, "broadcast-explorer")
    room.keyboard.press("n")
    notes.locator('body[data-scene="sizes"]').wait_for()
    # Its whole page would fill the window's width at 140 %; the little that is drawn is larger.
    assert int(stage.locator("[data-tk-widget]").get_attribute("data-stage")) >= 180
    assert notes.locator("#scenes [aria-current]").inner_text() == "sizes\ncount from the right"
    assert notes.locator("#next").inner_text() == "Scene: all"
    assert notes.locator("#next-notes").inner_text() == SCENES[1]["notes"], "and it stays text"
    assert "step 1 of 3" in notes.locator("#first").inner_text()
    room.keyboard.press("n")
    notes.locator('body[data-scene="all"]').wait_for()
    assert notes.locator("#next").inner_text() == "Leaves the stage, and goes on."
    assert notes.locator("#next-notes").inner_text() == END["notes"]
    assert not notes.locator("#kernel").is_visible()
    room.evaluate("() => { window.jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    notes.locator("#kernel", has_text="Press K in the lesson’s window").wait_for()
    room.keyboard.press("k")
    notes.locator("#kernel").wait_for(state="hidden")
    notes.locator('body[data-scene="all"]').wait_for()
    room.keyboard.press("Escape")
    notes.locator('body[data-scene=""]').wait_for()
    assert notes.evaluate("() => window.hacked === undefined && document.images.length === 0")


@pytest.mark.browser
def test_a_picture_without_steps_has_scenes_a_mark_and_a_way_back(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    run_all(room)
    # Off the stage it is as tall as it needs: before a room it is not scrolled in a frame of its own.
    frame = room.locator('[data-tk-widget="stride-explorer"] .tk-picture')
    until(
        room,
        "frame => frame.scrollHeight === frame.clientHeight && !frame.querySelector('.tk-floating')",
        arg=frame.element_handle(),
    )
    stage = on_stage(room, "stride-explorer")
    refused = stage.locator('[data-role="refusal"]', has_text="view size is not compatible")
    room.keyboard.press("ArrowRight")
    notes.locator('body[data-scene="turned"]').wait_for()
    assert "step" not in notes.locator("#first").inner_text(), "of steps that there are none"
    room.keyboard.press("PageDown")
    notes.locator('body[data-scene="refused"][data-away="false"]').wait_for()
    refused.wait_for()
    typed = stage.locator('input[data-role="expression"]')
    typed.fill(".t().reshape(12)")
    typed.press("Enter")
    notes.locator('body[data-scene="refused"][data-away="true"]').wait_for()
    assert "R returns" in notes.locator("#first").inner_text()
    refused.wait_for(state="hidden")
    stage.locator('[data-role="return"]').focus()
    room.keyboard.press("r")
    refused.wait_for()
    notes.locator('body[data-scene="refused"][data-away="false"]').wait_for()
    room.keyboard.press("ArrowRight")
    notes.locator('body[data-scene=""][data-cell="2"]').wait_for()
    stage.wait_for(state="detached")


NOTEBOOK = """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
    .map(({ cell_type, id, source, metadata }) => JSON.stringify([cell_type, id, source, metadata]))"""


@pytest.mark.browser
def test_no_key_of_a_talk_changes_the_notebook(windows: tuple[Any, Any]) -> None:
    """Among the cells R would make raw text of a picture's cell, M Markdown, B a new cell; 0 0 restarts the kernel."""
    room, _ = windows
    run_all(room)
    kernel = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
    for number in range(len(CELLS)):
        room.evaluate(GO, number)
        before = room.evaluate(NOTEBOOK)
        room.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCell.node.focus()")
        for key in (*"rmnlhszt+-=.00", "b", "R", "M", "B", "Escape", "k"):
            room.keyboard.press(key)
            assert room.evaluate(NOTEBOOK) == before, (number, key)
        assert room.locator(".jp-Dialog, dialog.tk-stage").count() == 0
        assert room.evaluate(kernel) != "restarting"


CONTRAST = """input => {
    const light = (colour) => {
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => Number(part) / 255);
        const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const both = [getComputedStyle(input, "::placeholder").color, getComputedStyle(input).backgroundColor].map(light);
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""


WHERE = """() => [window.jupyterapp.shell.currentWidget.content.activeCellIndex,
    document.querySelector("dialog.tk-stage[open] > .tk-root")?.dataset.scene ?? null]"""
READY = """() => document.body.dataset.tensorkitTalk === "ready"
    && !document.querySelector("dialog.tk-stage [aria-busy], dialog.tk-stage [data-room='']")"""
"""The talk is where a key led it, and what is on the stage is drawn."""


def places(room: Any, key: str) -> list[list[Any]]:
    """Where a key leads, press by press, until it leads no further."""
    found = [room.evaluate(WHERE)]
    while found[-3:] != 3 * found[-1:] or len(found) < 3:
        room.keyboard.press(key)
        room.wait_for_timeout(400)  # the kernel answers
        until(room, READY)
        found.append(room.evaluate(WHERE))
    return [place for k, place in enumerate(found) if place != (found[k - 1] if k else None)]


@pytest.mark.browser
def test_page_up_goes_the_way_back(windows: tuple[Any, Any]) -> None:
    room, _ = windows
    room.evaluate(GO, 0)
    there = places(room, "PageDown")
    assert there[-1] == [3, None]
    assert [scene for _, scene in there if scene] == ["turned", "refused", "sizes", "all"]
    # No scene has been played when a picture comes onto the stage: that is no place to go back to.
    assert places(room, "PageUp") == [place for place in there[::-1] if place[1] != ""]


@pytest.mark.browser
def test_what_stands_in_an_empty_box_can_be_read_on_the_stage_light_and_dark(
    windows: tuple[Any, Any],
) -> None:
    room, _ = windows
    run_all(room)
    typed = on_stage(room, "stride-explorer").locator('input[data-role="expression"]')
    assert typed.get_attribute("placeholder")
    for theme in ("dark", "light"):
        room.keyboard.press("l")
        room.locator(f"dialog.tk-stage.tk-stage-{theme}").wait_for()
        assert typed.evaluate(CONTRAST) >= 4.5, theme
    room.keyboard.press("Escape")


# The page still looks at it every second; it goes on when the page is loaded again.
CLOCK = """() => {
    let now = Number(sessionStorage.getItem("now") ?? 1e12);
    Date.now = () => now;
    window.pass = (milliseconds) => { sessionStorage.setItem("now", now += milliseconds); };
}"""


@pytest.mark.browser
def test_the_minutes_of_each_section_are_counted_down(windows: tuple[Any, Any]) -> None:
    """With a clock that only this test moves."""
    from playwright.sync_api import expect

    room, notes = windows
    notes.add_init_script(f"({CLOCK})()")
    notes.reload()
    notes.locator('body[data-heard="true"][data-clock="waiting"]').wait_for()
    room.evaluate(GO, 0)
    notes.locator('body[data-section="0"]').wait_for()

    def shown(**parts: str) -> None:
        for name, text in parts.items():
            expect(notes.locator(f"#{name.replace('_', '-')}")).to_have_text(text)

    shown(
        section_left="2:00", section="2 min: A talk", talk_left="3:00", talk="3 min", behind="", run="Start"
    )
    shown(cut="Short of time: the hello")
    notes.keyboard.press(" ")
    notes.locator('body[data-clock="running"]').wait_for()
    notes.evaluate("() => window.pass(50_000)")
    shown(section_left="1:10", talk_left="2:10", behind="on time", run="Pause")
    room.evaluate(GO, 3)
    notes.locator('body[data-section="1"]').wait_for()
    shown(section_left="1:00", section="1 min: The end", talk_left="2:10", behind="1:10 ahead")
    notes.keyboard.press(" ")
    notes.evaluate("() => window.pass(600_000)")
    shown(section_left="1:00", talk_left="2:10", run="Go on")
    notes.locator("#run").click()
    notes.evaluate("() => window.pass(150_000)")
    shown(section_left="−1:30", talk_left="−0:20", behind="0:20 behind")
    assert notes.locator("#section-left.over").count() == notes.locator("#talk-left.over").count() == 1
    notes.reload()
    notes.locator('body[data-section="1"][data-clock="running"]').wait_for()
    shown(talk_left="−0:20")
    notes.locator("#again").click()
    shown(section_left="1:00", talk_left="3:00")


@pytest.mark.browser
def test_the_notes_are_leafed_through_and_follow_again(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    room.evaluate(GO, 2)
    notes.locator('body[data-cell="2"]').wait_for()
    notes.keyboard.press("ArrowDown")
    notes.locator('body[data-cell="3"][data-following="false"]').wait_for()
    notes.keyboard.press("ArrowUp")
    notes.keyboard.press("ArrowUp")
    notes.locator('body[data-cell="0"]').wait_for()
    room.evaluate(GO, 3)
    notes.keyboard.press("f")
    notes.locator('body[data-cell="3"][data-following="true"]').wait_for()
    assert notes.locator("#next").inner_text() == "The end."
    assert notes.locator("#clock").inner_text().count(":") == 1


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_notes(windows: tuple[Any, Any], theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    notes = windows[1]
    notes.emulate_media(color_scheme=theme)
    found = axe.Axe().run(notes).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


@pytest.mark.browser
def test_the_notes_need_the_token(served: Served) -> None:
    for path in ("tensorkit/api/talk?lesson=talk.ipynb", "api/contents/talk.ipynb"):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{served.url}/{path}", timeout=30)
    with urllib.request.urlopen(f"{served.url}/tensorkit/notes?lesson=talk.ipynb", timeout=30) as answer:
        assert urlsplit(answer.url).path == "/login"
    assert (
        served.ask(f"tensorkit/api/talk?lesson=talk.ipynb&token={TOKEN}")["cues"][3]["notes"] == "Thank them."
    )
    for outside in ("../log", "nowhere.ipynb"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[04]"):
            served.ask(f"tensorkit/api/talk?lesson={outside}")


@pytest.mark.browser
def test_the_notes_of_a_damaged_notebook_say_so(windows: tuple[Any, Any], served: Served) -> None:
    (served.folder / "damaged.ipynb").write_text("{")
    notes = windows[1]
    for name, said in (
        ("damaged", "no notebook that can be read."),
        ("nowhere", "There is no lesson called nowhere"),
    ):
        notes.goto(notes.url.replace("lesson=talk.ipynb", f"lesson={name}.ipynb"))
        notes.locator('body[data-state="missing"]').wait_for()
        assert said in notes.locator("#notes").inner_text()
        notes.go_back()


@pytest.mark.browser
def test_the_speakers_own_jupyter_is_untouched(served: Served, windows: tuple[Any, Any]) -> None:
    left = [path.relative_to(served.home).as_posix() for path in served.home.rglob("*") if path.is_file()]
    assert not [path for path in left if path.endswith(("-settings", "overrides.json", "page_config.json"))]
    assert not (served.home / ".jupyter" / "lab" / "workspaces").exists()
    assert windows[0].evaluate("() => true")
