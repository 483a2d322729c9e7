"""A lesson is presented from its first cell to its last with the forward key alone, whatever happens in the room.

At each step something that the room sees has changed, the active cell or its picture is in sight, no answer was shown
before its question, and the speaker's notes are at that step. On the way the kernel is killed, the page loaded again
and the server gone for a while: each time the talk goes on from the same place.

A second test does what the directions of the notes say, each key of them, to the letter.

The talk `webinar` and one lesson a day in turn; `TENSORKIT_WALK=all` presents all of them, and `pytest -s` prints the
table: steps, those that could not be seen, cells that were left out, and the smallest type on the stage.
`TENSORKIT_SHOTS=FOLDER` keeps what the room sees at each step.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tensorkit.lab.cues import Cue, cues
from tests.browser.beginning import until
from tests.lab.test_browser import FLAGS, PATIENCE_MS
from tests.lab.test_present import READY
from tests.lab.test_serving import TOKEN, Served, running
from tests.support import shares
from tests.support.playwright_driver import driver

pytestmark = pytest.mark.browser

ROOM = {"width": 1280, "height": 720}
AWAY_S = 20
MOST = 250
LEGIBLE = 16
"""The smallest label on the stage, in CSS pixels."""
BOOKS = [path.stem for path in sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))]
LESSONS = [name for name in BOOKS if name[:2].isdigit()]
EVERY = os.environ.get("TENSORKIT_WALK") == "all"
TODAY = ["webinar", *(LESSONS if EVERY else [LESSONS[shares.TODAY.toordinal() % len(LESSONS)]])]

CARDS = """(within, revealed) => [...within.querySelectorAll(`.tk-card[data-card][data-revealed="${revealed}"]`)]"""
LOOK = f"""() => {{
    const {{ content }} = window.jupyterapp.shell.currentWidget;
    const cell = content.activeCell, at = cell.node.getBoundingClientRect();
    const page = content.outerNode.getBoundingClientRect();
    const stage = document.querySelector("dialog.tk-stage[open] > .tk-root");
    const svg = stage?.querySelector(".tk-picture svg"), box = svg?.getBoundingClientRect();
    const drawn = (text) => text.textContent.trim() && text.checkVisibility({{ opacityProperty: true }});
    const scale = ({{ a, b }}) => Math.hypot(a, b); // of a label on its side too
    const size = (text) => parseFloat(getComputedStyle(text).fontSize) * scale(text.getScreenCTM());
    const sizes = svg ? [...svg.querySelectorAll("text")].filter(drawn).map(size) : [];
    const hidden = (one) => ["tk-held", "tk-setup"].some((name) => one.node.classList.contains(name));
    const cards = {CARDS}, names = (found) => found.map((card) => card.dataset.card);
    return {{
        cell: content.activeCellIndex,
        scene: stage ? stage.dataset.scene : null,
        visible: stage ? !svg || (box.top < innerHeight && box.bottom > 0 && box.height > 40)
            : Math.min(at.bottom, page.bottom) - Math.max(at.top, page.top) >= Math.min(at.height, 60) - 1,
        shown: names(cards(document, true)),
        asks: names(cards(cell.node, false).filter((card) => card.dataset.kind === "predict")),
        smallest: sizes.length ? Math.min(...sizes) : null,
        last: content.widgets.findLastIndex((one) => !hidden(one)),
        inSight: content.widgets.flatMap((one, k) => hidden(one) ? [] : [k]),
    }};
}}"""
PLACE = f"""() => {{
    const stage = document.querySelector("dialog.tk-stage[open] > .tk-root");
    const {{ scene, step, expression, stage: size }} = stage?.dataset ?? {{}};
    const refused = stage?.querySelector('[data-role="refusal"]:not([hidden])')?.innerText;
    const cell = window.jupyterapp.shell.currentWidget.content.activeCellIndex;
    const shown = ({CARDS})(document, true).map((card) => card.dataset.card);
    return {{ cell, scene, step, expression, size, refused, shown, dark: stage?.hasAttribute("data-tk-dark") }};
}}"""
AT = "(cell) => window.jupyterapp.shell.currentWidget.content.activeCellIndex === cell"
CHANGED = """([name, before]) =>
    document.querySelector("dialog.tk-stage > .tk-root").dataset[name] !== before"""
SAVED = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
KILL = """() => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    kernel.requestExecute({ code: "import os\\nos._exit(1)" });
}"""
LOST = (
    f"() => !({READY})() || document.querySelector('.jp-Dialog, dialog.tk-stage [data-kernel=gone]') !== null"
)
CONNECTED = """() => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session ?? {};
    return kernel?.connectionStatus === "connected" && kernel.status === "idle";
}"""

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
DIRECTION = re.compile(
    r"(?P<P>\bP\b)|(?P<N>\bN\b)(?:[^.;:]*? through (?P<scenes>\w+) scenes?)?|(?P<R>\bR\b(?! brings back)|\b[Rr]eveal\b)"
    r"|\b[Tt]ype (?P<type>(?:[.\[]|-?\d|t\[)[^;]*?)(?= on | and |, then |;|\.?$)"
    r"|right arrow, (?P<steps>\w+) (?:steps|times)|(?P<back>\bPageUp\b)"
)
"""What a direction tells a speaker to press or to type; the rest is said to people, or done with the mouse."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    with running(home, root, words=("present", "webinar"), options=("--no-rehearsal",)) as one:
        yield one


class Talk:
    """A lesson before a room, with the speaker's notes, and what has been seen of it."""

    def __init__(self, served: Served, chromium: str, name: str) -> None:
        self.served = served
        browser = driver().chromium.launch(executable_path=chromium, args=FLAGS)
        self.context = browser.new_context(viewport=ROOM, reduced_motion="reduce")
        self.room, self.notes = self.context.new_page(), self.context.new_page()
        self.faults: list[str] = []
        self.close = browser.close
        for page in (self.room, self.notes):
            page.set_default_timeout(2 * PATIENCE_MS)
            page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.path = f"{name}.ipynb"
        # The server remembers where a talk has come to: each begins at its first cell.
        served.ask(f"tensorkit/api/place?lesson={quote(self.path)}", {"room": None, "clock": None}, "PUT")
        self.room.goto(f"{served.url}/doc/tree/{quote(self.path)}?token={TOKEN}")
        self.ready()
        self.notes.goto(f"{served.url}/tensorkit/notes?lesson={quote(self.path)}&token={TOKEN}")
        self.notes.locator('body[data-heard="true"]').wait_for()
        self.room.bring_to_front()

    def ready(self) -> None:
        until(self.room, READY)

    def press(self, key: str = "PageDown") -> tuple[dict[str, Any], str]:
        """Press a key and wait; what the room sees then, and the picture of it."""
        self.room.keyboard.press(key)
        time.sleep(0.05)
        self.ready()
        return self.look()

    def look(self) -> tuple[dict[str, Any], str]:
        """What the room sees, once it has come to rest."""
        before = ""
        for _ in range(40):
            picture = hashlib.sha1(self.room.screenshot()).hexdigest()
            if picture == before:
                break
            before = picture
        return self.room.evaluate(LOOK), before

    def noted(self, seen: dict[str, Any]) -> None:
        """The notes are at this step."""
        until(
            self.notes,
            "([cell, scene]) => document.body.dataset.cell === cell && document.body.dataset.scene === scene",
            arg=[str(seen["cell"]), seen["scene"] or ""],
        )

    def goto(self, cue: Cue) -> None:
        """To a cell, as the notes lead there."""
        self.notes.evaluate(
            "(word) => new BroadcastChannel('tensorkit-talk').postMessage({ from: 'notes', do: 'goto', ...word })",
            {"path": self.path, "id": cue.id},
        )
        until(self.room, AT, arg=cue.cell)
        self.ready()

    # ---- what happens in the room

    def kernel_dies(self) -> None:
        self.room.evaluate(KILL)
        until(self.room, LOST)
        self.room.keyboard.press("k")
        time.sleep(0.5)
        until(
            self.room, "() => document.querySelector('[data-kernel=gone], [data-kernel=starting]') === null"
        )
        until(self.room, CONNECTED)

    def page_is_loaded_again(self) -> None:
        until(self.room, SAVED)
        self.room.reload()

    def server_is_away(self) -> None:
        assert self.served.process is not None
        self.served.process.send_signal(signal.SIGSTOP)
        time.sleep(AWAY_S)
        self.served.process.send_signal(signal.SIGCONT)
        until(self.room, CONNECTED)


@pytest.fixture(params=TODAY)
def talk(request: pytest.FixtureRequest, served: Served, chromium: str) -> Iterator[Talk]:
    one = Talk(served, chromium, request.param)
    yield one
    one.close()
    served.end_kernels()


def test_the_forward_key_carries_a_talk_to_its_end(talk: Talk, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["talk"]
    chance = random.Random(f"{shares.TODAY} {name}")
    events: list[Callable[[], None]] = [talk.kernel_dies, talk.page_is_loaded_again, talk.server_is_away]
    happens = dict(zip(sorted(chance.sample(range(8, 45), 3)), chance.sample(events, 3), strict=True))
    (seen, picture), visited, played = talk.look(), set[int](), set[tuple[int, str]]()
    notebook = json.loads((talk.served.folder / talk.path).read_text(encoding="utf-8"))
    scenes = {(cue.cell, scene) for cue in cues(notebook) for scene, _ in cue.scenes}
    unseen, smallest, steps = list[str](), list[float](), 0
    for steps in range(MOST):
        visited.add(seen["cell"])
        if event := happens.get(steps):
            before = talk.room.evaluate(PLACE)
            event()
            talk.ready()
            now, picture = talk.look()
            assert talk.room.evaluate(PLACE) == before, f"step {steps}: {event.__name__}"
            seen = now
        now, new = talk.press()
        where = f"step {steps + 1}, cell {now['cell']}, scene {now['scene']}"
        if now["cell"] == seen["cell"] == seen["last"] and new == picture:
            break
        assert now["visible"], f"{where} is not in sight"
        assert now["cell"] >= seen["cell"], f"{where}: back from cell {seen['cell']}"
        assert set(now["shown"]) - set(seen["shown"]) <= set(seen["asks"]), (
            f"{where}: shown before it was asked"
        )
        talk.noted(now)
        if folder := os.environ.get("TENSORKIT_SHOTS"):
            talk.room.screenshot(path=str(Path(folder) / f"{steps + 1:03}.png"))
        if new == picture:
            unseen.append(where)
        if now["scene"]:
            played.add((now["cell"], now["scene"]))
        if now["smallest"]:
            smallest.append(now["smallest"])
        seen, picture = now, new
    missed = sorted(set(seen["inSight"]) - visited)
    least = f"{min(smallest):.1f} px" if smallest else "—"
    print(f"\n{name:32} {steps:4} steps  {len(unseen):2} unseen  {len(missed):2} left out  {least:>8}")
    assert (unseen, missed, played ^ scenes) == ([], [], set())
    assert min(smallest, default=LEGIBLE) >= LEGIBLE - 0.05
    assert talk.faults == []
    assert seen["cell"] == seen["last"]


def test_a_kernel_that_dies_at_an_answer_leaves_it_in_sight(served: Served, chromium: str) -> None:
    """At the question that is answered, and at the cell that answers it, which is run again too."""
    talk = Talk(served, chromium, "webinar")
    notebook = json.loads((served.folder / talk.path).read_text(encoding="utf-8"))
    question = next(cue for cue in cues(notebook) if cue.first == 'Predict("02.slice_stride")')
    talk.goto(question)
    talk.press()
    for cell in (question.cell, question.cell + 1):
        before = talk.room.evaluate(PLACE)
        assert (before["cell"], before["shown"]) == (cell, ["02.slice_stride"])
        talk.kernel_dies()
        talk.ready()
        assert talk.room.evaluate(PLACE) == before
        assert talk.press()[0]["cell"] == cell + 1
    assert talk.faults == []
    talk.close()
    served.end_kernels()


def test_a_kernel_that_dies_behind_the_stage_leaves_the_talk_at_its_picture(
    served: Served, chromium: str
) -> None:
    """On a slow computer the question is asked again when the picture of its answer is back already."""
    talk = Talk(served, chromium, "webinar")
    notebook = json.loads((served.folder / talk.path).read_text(encoding="utf-8"))
    after = 1 + next(cue.cell for cue in cues(notebook) if 'Predict("01.getsizeof")' in cue.first)
    picture = next(cue for cue in cues(notebook) if cue.cell >= after and cue.scenes)
    talk.goto(picture)
    talk.press()
    talk.context.new_cdp_session(talk.room).send("Emulation.setCPUThrottlingRate", {"rate": 8})
    before = talk.room.evaluate(PLACE)
    assert (before["cell"], before["scene"] is None) == (picture.cell, False)
    talk.kernel_dies()
    talk.ready()
    talk.look()
    assert talk.room.evaluate(PLACE) == before
    talk.close()
    served.end_kernels()


def told(cue: Cue) -> Iterator[tuple[str, str, int]]:
    """What a cell's directions tell one to do, in order: the kind, what is typed, and how often."""
    lines = [line.strip() for line in cue.notes.splitlines()]
    for line in lines:
        for found in DIRECTION.finditer(line) if line.startswith("▸") else ():
            kind = found.lastgroup if found.lastgroup != "scenes" else "N"
            many = found["scenes"] or found["steps"]
            yield str(kind), (found["type"] or "").rstrip("."), NUMBERS[many] if many else 1


class Follower:
    """Does what the directions say, and looks whether it happens."""

    def __init__(self, talk: Talk, cue: Cue) -> None:
        self.talk, self.room, self.cue = talk, talk.room, cue
        talk.goto(cue)
        self.card = self.room.locator(
            f'[data-windowed-list-index="{cue.cell}"] .tk-card[data-kind="predict"]'
        )
        self.stage = self.room.locator("dialog.tk-stage[open] > .tk-root")

    def on_stage(self, **state: object) -> None:
        self.room.locator(
            "dialog.tk-stage[open] > .tk-root"
            + "".join(f'[data-{name}="{value}"]' for name, value in state.items())
        ).wait_for()

    def changes(self, name: str, before: str | None) -> None:
        """Wait until what the picture on the stage carries is another."""
        until(self.room, CHANGED, arg=[name, before])

    def do(self, kind: str, text: str, many: int) -> None:
        """One direction."""
        press = self.room.keyboard.press
        staged = self.stage.count() == 1
        if kind == "P":
            press("p")
            self.on_stage()
        elif kind == "N":
            names = [name for name, _ in self.cue.scenes]
            scene = self.stage.get_attribute("data-scene")
            first = names.index(scene) + 1 if scene else 0
            for name in names[first : first + many]:
                press("n")
                self.on_stage(scene=name)
            assert first + many <= len(names), "so many scenes are there"
        elif kind == "R" and not staged:
            assert self.card.count() == 1, "a question to answer"
            press("r")
            self.room.locator(
                f'[data-windowed-list-index="{self.cue.cell}"] .tk-card[data-revealed="true"]'
            ).wait_for()
        elif kind == "R":
            press("r")
            self.room.locator("dialog.tk-stage[open] > .tk-root:not([data-away])").wait_for()
        elif kind == "type":
            before = self.stage.get_attribute("data-revision")
            self.stage.locator("input[type=text]:visible").first.fill(text)
            press("Enter")
            self.changes("revision", before)
        elif kind == "steps":
            for _ in range(many):
                at = self.stage.get_attribute("data-step")
                press("ArrowRight")
                self.changes("step", at)
        elif kind == "back":
            press("PageUp")
        self.talk.ready()


def test_the_directions_of_the_notes_work_as_they_are_written(talk: Talk) -> None:
    notebook = json.loads((talk.served.folder / talk.path).read_text(encoding="utf-8"))
    for cue in cues(notebook)[1:]:
        if not (directions := list(told(cue))):
            continue
        one = Follower(talk, cue)
        for kind, text, many in directions:
            try:
                one.do(kind, text, many)
            except Exception as error:
                raise AssertionError(
                    f"cell {cue.cell}: {cue.notes.splitlines()[0]!r}: {kind} {text}"
                ) from error
        if one.stage.count():
            talk.room.keyboard.press("Escape")
            one.stage.wait_for(state="detached")
    assert talk.faults == []
