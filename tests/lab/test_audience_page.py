"""A presenter and a phone in one room: the phone follows the stage, and what it answers is counted on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.export import write
from tensorkit.lab.server import free_port
from tests.browser.beginning import until
from tests.browser.desk import Desk, desk_at
from tests.lab.test_browser import PATIENCE_MS
from tests.lab.test_present import GO, READY, addresses
from tests.lab.test_serving import Served, running
from tests.support import node_packages
from tests.support.ports import first_port

PICTURE = """import tensorkit as tk
from tensorkit_widgets import Predict, Quiz, StrideExplorer
from tensorkit_widgets.practice.quiz import ask
s = StrideExplorer(tk.arange(12).view(3, 4), name="x")
s.scenes = [("as it is", {}), ("turned", {"expression": ".t()"})]
s"""
QUESTION = """Predict("What does `x.t()` **move** in the storage?\\n\\n    x.t().storage()",
    ["`all` <b>of</b> it", "one row", "nothing"], answer="nothing", order="given", why="Only strides change.")"""
QUIZ = """Quiz("Warm-up", ask("Which moves numbers?", ["`t.t()`", "`t.clone()`"], answer="`t.clone()`"),
    ask("What is `2 + 1`?", answer=3))"""
PHONE = {"width": 390, "height": 844}
RUNTIME = node_packages.FOLDER / "node_modules" / "pyodide"
MINE = "() => JSON.parse(localStorage.getItem(`tensorkit-room ${location.pathname}`)).phone"


def book() -> dict[str, Any]:
    sources = ["# A talk <i>for phones</i>", PICTURE, QUESTION, QUIZ]
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": f"c{k}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for k, source in enumerate(sources)
    ]  # fmt: skip
    cells[0] = {"cell_type": "markdown", "id": "c0", "source": sources[0], "metadata": {}}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    folder = home / "my lessons"
    folder.mkdir()
    (folder / "talk.ipynb").write_text(json.dumps(book()), encoding="utf-8")
    node_packages.install()
    write.export_lesson(
        "talk", folder, lambda name: import_module(f"tensorkit_widgets.{name}"), runtime=RUNTIME
    )
    options = ("--no-rehearsal", "--audience-address", f"127.0.0.1:{free_port(first_port() + 5)}")
    with running(home, root, words=("present", "talk"), options=options) as one:
        yield one


def phone_address(served: Served) -> str:
    [line] = [line for line in served.log.read_text().splitlines() if line.startswith("For phones:")]
    return line.split(": ", 1)[1].strip()


@pytest.fixture(scope="module")
def desk(served: Served, chromium: str) -> Iterator[Desk]:
    with desk_at(served, chromium) as one:
        one.address = addresses(served)[0]
        yield one


@pytest.fixture
def windows(desk: Desk) -> Iterator[tuple[Any, Any]]:
    """The room's window and a phone; nothing goes wrong in either, and the phone asks the audience's server alone."""
    address = phone_address(desk.served)
    with desk.written("talk", book(), 1400, 900) as one:
        room = one.page
        until(room, READY)
        context = desk.browser.new_context(
            viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2
        )
        context.set_default_timeout(PATIENCE_MS)
        phone, wrong, asked = context.new_page(), [], []
        phone.on("pageerror", lambda error: wrong.append(str(error)))
        phone.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        phone.on("request", lambda request: asked.append(request.url))
        phone.goto(address)
        phone.locator('body[data-state="ready"]').wait_for()
        yield room, phone
        assert wrong == []
        assert [url for url in asked if not url.startswith((address, "data:"))] == []
        assert context.cookies() == []
        context.close()


def violations(page: Any, within: str = "html") -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page, context=within).response["violations"]
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in found]


def at(room: Any, cell: int) -> None:
    """Come to a cell, which is run, with all that it needs; the talk may have come back to the stage."""
    if room.locator("dialog.tk-stage").is_visible():
        room.keyboard.press("Escape")
        room.locator("dialog.tk-stage").wait_for(state="detached")
    room.evaluate(GO, cell)
    room.keyboard.press("PageDown")
    until(room, READY)


def forward(room: Any) -> None:
    """One press of the clicker."""
    room.keyboard.press("PageDown")
    until(room, READY)


@pytest.mark.browser
def test_a_phone_follows_the_stage_and_looks_back(windows: tuple[Any, Any], tmp_path: Path) -> None:
    from playwright.sync_api import expect

    room, phone = windows
    expect(phone.locator("#lesson")).to_have_text("A talk <i>for phones</i>")
    expect(phone.locator("#waiting")).to_be_visible()
    at(room, 1)
    forward(room)
    room.locator("dialog.tk-stage").wait_for()
    forward(room)
    expect(phone.locator("#title")).to_have_text("as it is")
    expect(phone.locator("#where")).to_have_text("On the stage now")
    first = phone.locator("#text").text_content()
    assert "stride (4, 1)" in first
    drawn = (
        "image => image.complete && image.naturalWidth > 300 && image.getBoundingClientRect().width <= 374"
    )
    assert phone.locator("#picture").evaluate(drawn)
    forward(room)
    expect(phone.locator("#title")).to_have_text("turned")
    assert "stride (1, 4)" in phone.locator("#text").text_content()
    assert phone.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (
        "it never scrolls sideways"
    )
    for theme in ("light", "dark"):
        phone.emulate_media(color_scheme=theme)
        assert violations(phone) == []
        phone.screenshot(path=str(tmp_path / f"phone_{theme}.png"), full_page=True)
    phone.locator("#earlier").tap()
    expect(phone.locator("#title")).to_have_text("as it is")
    assert phone.locator("#text").text_content() == first
    phone.locator("#now").tap()
    expect(phone.locator("#title")).to_have_text("turned")
    plays_the_scene(room, phone)
    room.keyboard.press("q")
    card = room.locator(".tk-audience-address")
    expect(card.locator("strong")).to_have_text(phone.url.removeprefix("http://").removesuffix("/"))
    box = card.locator("img").bounding_box()
    assert box["width"] == box["height"] > 450, "the back row can scan it"
    room.screenshot(path=str(tmp_path / "stage_address.png"))
    assert violations(room, ".tk-audience-address") == []
    room.keyboard.press("Escape")
    card.wait_for(state="detached")
    assert room.locator("dialog.tk-stage").is_visible(), "and the stage is where it was"
    room.keyboard.press("Escape")
    expect(phone.locator("#where")).to_have_text("The picture that was on the stage last")


def plays_the_scene(room: Any, phone: Any) -> None:
    """The lesson in another tab of the phone: it begins where the stage is, and goes its own way."""
    from playwright.sync_api import expect

    expect(phone.locator("#play-link")).to_have_attribute("href", "play/index.html?scene=1&step=0#c1")
    with phone.context.expect_page() as opened:
        phone.locator("#play-link").tap()
    own = opened.value
    picture = own.locator('#c1 [data-tk-widget="stride-explorer"]')
    expect(picture).to_have_attribute("data-stride", "1,4")
    assert picture.locator('[data-role="twin"]').text_content() == phone.locator("#text").text_content()
    picture.locator('[data-role="expression"]').fill("[1:, ::2]")
    picture.locator('[data-role="expression"]').press("Enter")
    expect(picture).to_have_attribute("data-stride", "4,2")
    expect(room.locator("dialog.tk-stage [data-stride]")).to_have_attribute("data-stride", "1,4")
    own.close()


@pytest.mark.browser
def test_answers_are_counted_and_hidden_until_the_presenter_opens_them(
    windows: tuple[Any, Any], tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    room, phone = windows
    at(room, 2)
    question = phone.locator(".question")
    expect(question.locator("legend")).to_have_text("What does x.t() move in the storage?\nx.t().storage()")
    expect(question.locator(".words")).to_have_text(["all <b>of</b> it", "one row", "nothing"])
    assert question.locator("code").all_inner_texts() == ["x.t()", "x.t().storage()", "all"]
    question.locator("label").nth(0).tap()
    chip = room.locator(".tk-audience-chip")
    expect(chip).to_have_text("1 answer · V")
    question.locator("label").nth(1).tap()
    expect(question.locator(".told")).to_contain_text("Your answer is B.")
    assert phone.locator(".count").all_inner_texts() == ["", "", ""]
    for theme in ("light", "dark"):
        phone.emulate_media(color_scheme=theme)
        assert violations(phone) == []
        phone.screenshot(path=str(tmp_path / f"phone_question_{theme}.png"), full_page=True)
    expect(chip).to_have_text("1 answer · V")
    room.keyboard.press("v")
    bars = room.locator(".tk-audience-answers")
    expect(bars.locator("h2")).to_have_text("What does x.t() move in the storage?\nx.t().storage()")
    expect(bars.locator(".tk-count")).to_have_text(["0", "1", "0"])
    expect(phone.locator(".count")).to_have_text(["0", "1", "0"])
    question.locator("label").nth(2).tap()
    expect(bars.locator(".tk-count")).to_have_text(["0", "0", "1"])
    size = "part => parseFloat(getComputedStyle(part).fontSize)"
    assert [bars.locator(part).first.evaluate(size) > 28 for part in ("li", "li code", "h2")] == 3 * [True], (
        "large"
    )
    room.screenshot(path=str(tmp_path / "stage_bars.png"))
    forward(room)  # shows the answer
    expect(bars.locator(".tk-count")).to_have_text(["0", "0", "✓ 1"])
    expect(question.locator(".told")).to_have_text("The question is closed. Your answer was C.")
    assert question.locator("input:enabled").count() == 0
    room.screenshot(path=str(tmp_path / "stage_bars_right.png"))
    phone.screenshot(path=str(tmp_path / "phone_closed.png"), full_page=True)
    assert violations(room, ".tk-audience-answers") == []
    phone.reload()
    expect(question.locator("label.chosen .letter")).to_have_text("C")
    assert len(phone.evaluate(MINE)) == 32
    at(room, 3)
    bars.wait_for(state="detached")
    expect(question.locator("legend")).to_have_text("Which moves numbers?")
    assert phone.locator(".question").count() == 1, "a number cannot be chosen"
