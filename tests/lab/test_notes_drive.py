"""The notes window moves the room's lesson on, and the server keeps where the talk has come to.

The room is played by a page that says and hears what JupyterLab would: what JupyterLab makes of it is tested in
`tests.lab.test_present`.
"""

from __future__ import annotations

import http.cookiejar
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.notes import PLACE_BYTES
from tests.browser.desk import Desk, desk_at
from tests.lab.test_browser import PATIENCE_MS
from tests.lab.test_present import CELLS, addresses, book, presented
from tests.lab.test_serving import Served

PLACE = "tensorkit/api/place?lesson=talk.ipynb"
ROOM = """() => {
    const channel = new BroadcastChannel("tensorkit-talk");
    window.heard = [];
    channel.onmessage = ({ data }) => data.from === "notes" && data.do && window.heard.push(data);
    window.say = (word) => channel.postMessage(
        { from: "lesson", path: "talk.ipynb", stage: null, blank: false, next: null, ...word });
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    with presented(tmp_path_factory.mktemp("home"), root) as one:
        yield one


# ---- the server


def test_the_place_of_each_talk_is_kept_key_by_key(served: Served) -> None:
    place = "tensorkit/api/place?lesson=kept.ipynb"
    assert served.ask(place) == {}
    assert served.ask(place, {"room": {"cell": 2}, "clock": 1}, "PUT") == {"room": {"cell": 2}, "clock": 1}
    assert served.ask(place, {"clock": 2}, "PUT") == {"room": {"cell": 2}, "clock": 2}
    assert served.ask(place, {"room": None, "never": None}, "PUT") == {"clock": 2}
    assert served.ask(place) == {"clock": 2}
    assert served.ask("tensorkit/api/place?lesson=another.ipynb") == {}


def refused(served: Served, opener: Any, body: bytes, path: str = PLACE) -> tuple[int, str]:
    """The status and the sentence that a place is refused with; what was kept is kept."""
    before = served.ask(PLACE)
    with pytest.raises(urllib.error.HTTPError) as refusal:
        opener.open(urllib.request.Request(f"{served.url}/{path}", data=body, method="PUT"), timeout=30)
    assert served.ask(PLACE) == before
    return refusal.value.code, json.loads(refusal.value.read())["message"]


@pytest.fixture
def knows_the_token(served: Served) -> Any:
    opener = urllib.request.build_opener()
    opener.addheaders = [("Authorization", "token secret")]
    return opener


@pytest.mark.parametrize("body", [b"[1]", b"3", b"null", b"{", b"", b"\xff", b"[" * 100_000])
def test_a_place_is_a_json_object(served: Served, knows_the_token: Any, body: bytes) -> None:
    assert refused(served, knows_the_token, body) == (400, "The place of a talk is told as a JSON object.")


def test_a_place_is_of_a_talk_and_has_a_largest_size(served: Served, knows_the_token: Any) -> None:
    assert refused(served, knows_the_token, b"{}", "tensorkit/api/place")[0] == 400
    half = "x" * (PLACE_BYTES // 2)
    served.ask(PLACE, {"one": half}, "PUT")
    too_much = json.dumps({"two": half}).encode()
    assert refused(served, knows_the_token, too_much) == (
        413,
        "The place of a talk may take 256 KiB; this one would take more.",
    )
    assert list(served.ask(PLACE, {"one": None, "two": half}, "PUT")) == ["two"]
    served.ask(PLACE, {"two": None}, "PUT")


def test_a_place_needs_the_token_and_a_page_of_the_servers_own(served: Served) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{served.url}/{PLACE}", timeout=30)
    assert refused(served, urllib.request.build_opener(), b"{}")[0] == 403
    jar = http.cookiejar.CookieJar()
    page = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page.open(addresses(served)[1], timeout=30).close()
    with page.open(f"{served.url}/{PLACE}", timeout=30) as answer:
        assert json.loads(answer.read()) == {}
    status, said = refused(served, page, b'{"clock": 1}')
    assert (status, "_xsrf" in said) == (403, True)
    page.addheaders = [("X-XSRFToken", next(one.value for one in jar if one.name == "_xsrf") or "")]
    request = urllib.request.Request(f"{served.url}/{PLACE}", data=b'{"clock": 1}', method="PUT")
    with page.open(request, timeout=30) as answer:
        assert json.loads(answer.read()) == {"clock": 1}


# ---- the page


@pytest.fixture(scope="module")
def desk(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        yield one


@pytest.fixture
def windows(served: Served, desk: Desk) -> Iterator[tuple[Any, Any]]:
    """A room and the speaker's notes, in one browser; the talk begins. Nothing goes wrong in the notes."""
    served.ask(PLACE, {"clock": None}, "PUT")
    context = desk.browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(str(error.error)))
    room = context.new_page()
    room.goto(addresses(served)[1].replace("/notes?", "/notes.css?"))
    room.evaluate(ROOM)
    yield room, opened(room)
    context.close()
    assert faults == []


def opened(room: Any) -> Any:
    """A window with the notes, ready."""
    notes = room.context.new_page()
    notes.goto(room.url.replace("/notes.css?", "/notes?"))
    notes.locator('body[data-state="ready"]').wait_for()
    return notes


def say(room: Any, cell: int, **more: Any) -> None:
    room.evaluate("(word) => window.say(word)", {"cell": cell, "id": f"c{cell}", **more})


def shown(page: Any, /, **parts: str) -> None:
    from playwright.sync_api import expect

    for name, text in parts.items():
        expect(page.locator(f"#{name.replace('_', '-')}")).to_have_text(text)


@pytest.mark.browser
def test_the_notes_drive_the_room(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    say(room, 0, next={"text": "Runs the cell", "notes": "Wait for it."})
    notes.locator('body[data-heard="true"][data-cell="0"]').wait_for()
    shown(notes, next="Runs the cell", next_notes="Wait for it.", said="following the lesson")
    for key in ("PageDown", "ArrowRight", "PageUp", "ArrowLeft", "b", "B", "."):
        notes.keyboard.press(key)
    for button in ("forward", "back", "blank"):
        notes.locator(f"#{button}").click()
    notes.locator("#jump").click()
    assert notes.locator("#sections button").all_inner_texts() == [
        "A talk   (2 min)",
        "The end   (1 min)",
    ]
    notes.locator("#sections button", has_text="The end").click()
    notes.locator("#sections").wait_for(state="hidden")
    acts = ["next", "next", "back", "back", "blank", "blank", "blank", "next", "back", "blank"]
    room.wait_for_function("() => window.heard.length >= 11")
    drive = {"from": "notes", "path": "talk.ipynb"}
    assert room.evaluate("() => window.heard") == [
        *({**drive, "do": act} for act in acts),
        {**drive, "do": "goto", "id": "c3"},
    ]
    assert notes.locator('body[data-cell="0"][data-following="true"]').count() == 1, "the room has not moved"
    shown(notes, room="The lesson’s window does not answer. Is it open?")
    say(room, 3, blank=True)
    shown(
        notes, now="The end", room="The room sees a blank screen: B shows the lesson again.", next="The end."
    )
    assert notes.locator("#blank").get_attribute("aria-pressed") == "true"
    say(room, 3)
    notes.locator("#room").wait_for(state="hidden")


@pytest.mark.browser
def test_axe_finds_nothing_in_a_list_of_sections_and_a_blank_screen(windows: tuple[Any, Any]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    room, notes = windows
    say(room, 0, blank=True)
    notes.locator('body[data-blank="true"]').wait_for()
    notes.locator("#jump").click()
    for theme in ("light", "dark"):
        notes.emulate_media(color_scheme=theme)
        found = axe.Axe().run(notes).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == [], theme
    heights = (
        "() => [...document.querySelectorAll('button')].map((one) => one.getBoundingClientRect().height)"
    )
    assert min(height for height in notes.evaluate(heights) if height) >= 36


@pytest.mark.browser
def test_to_look_ahead_leaves_the_room_where_it_is(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    say(room, 0)
    notes.locator('body[data-heard="true"]').wait_for()
    notes.keyboard.press("ArrowDown")
    notes.keyboard.press("ArrowDown")
    notes.locator('body[data-cell="3"][data-following="false"]').wait_for()
    notes.locator("#up").click()
    say(room, 1, next={"text": "Runs the cell", "notes": ""})
    shown(notes, notes="Ask first:what size?", next="The end", said="the room is at cell 2: F goes there")
    assert room.evaluate("() => window.heard") == []
    notes.keyboard.press("f")
    notes.locator('body[data-cell="1"][data-following="true"]').wait_for()
    notes.locator("#down").click()
    notes.locator('body[data-cell="2"]').wait_for()
    notes.keyboard.press("PageDown")
    notes.locator('body[data-cell="1"][data-following="true"]').wait_for()
    assert [heard["do"] for heard in room.evaluate("() => window.heard")] == ["next"]


@pytest.mark.browser
def test_where_no_lesson_is_heard_the_notes_are_leafed_through(windows: tuple[Any, Any]) -> None:
    room, notes = windows
    for key, cell in (("PageDown", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("PageUp", 0), ("ArrowDown", 2)):
        notes.keyboard.press(key)
        notes.locator(f'body[data-cell="{cell}"][data-heard="false"]').wait_for()
    notes.keyboard.press("b")
    notes.locator("#jump").click()
    notes.locator("#sections button", has_text="The end").click()
    notes.locator('body[data-cell="3"][data-section="1"]').wait_for()
    assert notes.locator("#blank").is_disabled()
    assert room.evaluate("() => window.heard") == []


@pytest.mark.browser
def test_the_windows_of_a_talk_have_one_clock(windows: tuple[Any, Any], desk: Desk) -> None:
    room, notes = windows
    other = opened(room)
    say(room, 0)
    for window in (notes, other):
        window.locator('body[data-heard="true"][data-clock="waiting"]').wait_for()
    # A click leaves the space bar to the clock.
    notes.locator("#forward").click()
    notes.keyboard.press(" ")
    other.locator('body[data-clock="running"]').wait_for()
    say(room, 3)
    for window in (notes, other, opened(room)):
        window.locator('body[data-section="1"][data-clock="running"]').wait_for()
    other.locator("#run").click()
    for window in (notes, opened(room)):
        window.locator('body[data-section="1"][data-clock="paused"]').wait_for()
    left = notes.locator("#talk-left").inner_text()
    elsewhere = desk.browser.new_context().new_page()
    elsewhere.goto(notes.url)
    elsewhere.locator('body[data-section="1"][data-clock="paused"]').wait_for()
    shown(elsewhere, talk_left=left)
    notes.locator("#again").click()
    other.locator('body[data-clock="waiting"]').wait_for()
    shown(opened(room), talk_left="3:00")
    elsewhere.context.close()


@pytest.mark.browser
def test_a_cell_that_is_new_has_no_notes_yet(windows: tuple[Any, Any], served: Served) -> None:
    room, notes = windows
    room.context.set_offline(True)  # without the server the page knows what it had read
    say(room, 3, id="new")
    notes.locator('body[data-new="true"][data-cell="2"]').wait_for()
    room.context.set_offline(False)
    shown(notes, now="A talk", notes="This cell is new: it has no notes yet.", first="", next="The end")
    notes.keyboard.press("ArrowUp")
    notes.locator('body[data-new="false"][data-cell="0"]').wait_for()
    say(room, 3, id="new")
    notes.keyboard.press("f")
    notes.locator('body[data-new="true"]').wait_for()
    edited = book()
    edited["cells"].insert(
        3, {**CELLS[3], "id": "new", "source": "## Just now", "metadata": {"tensorkit": {"notes": "Hear!"}}}
    )
    (served.folder / "talk.ipynb").write_text(json.dumps(edited))
    say(room, 3, id="new")
    notes.locator('body[data-new="false"][data-cell="3"]').wait_for()
    shown(notes, now="Just now", notes="Hear!")
    # Notebooks from before cells had ids: there the number has to do.
    old = {**book(), "nbformat_minor": 4}
    for cell in old["cells"]:
        del cell["id"]
    (served.folder / "talk.ipynb").write_text(json.dumps(old))
    say(room, 2, id="the page's own")
    notes.locator('body[data-new="false"][data-cell="2"]').wait_for()
    (served.folder / "talk.ipynb").write_text(json.dumps(book()))
