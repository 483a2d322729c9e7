"""ShardMap under a learner's hands."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit.distributed.tensor import Partial, Shard\n"
    "from tensorkit_widgets import ShardMap\nfrom tests.widgets.shard_map import maps",
    "t = maps.squares()\nw = ShardMap(t)\nw",
    "v = ShardMap((7, 5), [Shard(0)], mesh=(4,), name='<img src=x onerror=hacked=1>')\nv",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("shard_map", CELLS, [1, 2], height=1800, width=1440) as one:
        yield one


def classes(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).get_attribute("class"))


def fill(book: Any, key: str) -> str:
    return str(book.tile(1, key).locator("> rect").evaluate("box => getComputedStyle(box).fill"))


def picture(book: Any, number: int) -> str:
    return str(book.root(number).locator(".tk-picture").inner_text())


def test_a_placement_is_chosen_stepped_through_and_moved(book: Any) -> None:
    book.part(1, "place").select_option("Shard(1)")
    book.shows(1, wanted="[Shard(1)]", bytes="192", steps="1", step="0")
    book.part(1, "step").click()
    book.shows(1, step="1", doing="all_to_all")
    assert "12 messages, 192 bytes from rank to rank" in picture(book, 1)
    assert book.ask("t.device_mesh.cluster.sent") == "[]"
    book.part(1, "move").click()
    book.shows(1, placed="[Shard(1)]", step="0", bytes="0")
    assert (
        book.ask("sum(n for *_, n in t.device_mesh.cluster.sent), w.tensor.placements")
        == "192 (Shard(dim=1),)"
    )


def test_pressing_a_message_lights_where_it_comes_from_and_goes(book: Any) -> None:
    book.do("w.to(Shard(1)).step()")
    book.shows(1, step="1")
    book.tile(1, "message:1,2").hover()
    book.shows(1, focus="message:1,2")
    assert "tk-kin" in classes(book, 1, "before:1:2")
    assert "tk-kin" in classes(book, 1, "after:2:1")
    assert "tk-kin" not in classes(book, 1, "before:1:1")
    assert fill(book, "before:1:2") == fill(book, "after:2:1") != fill(book, "before:1:1")
    book.tile(1, "message:1,2").click()
    book.shows(1, message="1,2")
    assert "Rank 1 → rank 2, rows 2–3, columns 4–5: 16 bytes." in picture(book, 1)


def test_a_rank_is_pressed_before_the_answer_is_shown(book: Any) -> None:
    book.root(1).get_by_role("button", name="whose data wins?").click()
    book.shows(1, asked="winner", status="asked", guess="")
    assert book.root(1).locator('[data-table="held"]').count() == 0
    book.tile(1, "guess:3").click()
    book.shows(1, guess="3")
    assert "Rank 3 holds the element, but its number came from rank 0." in picture(book, 1)
    book.root(1).get_by_role("button", name="who holds it?").click()
    book.shows(1, asked="owner", guess="")
    book.part(1, "give-up").click()
    book.shows(1, guess="-1")
    assert book.ask("w.answer") == "None"


def test_a_closed_cluster_is_said_when_it_is_looked_at_again(book: Any) -> None:
    book.do("w.to(Shard(1))")
    book.shows(1, wanted="[Shard(1)]")
    book.do("t.device_mesh.cluster.closed = True")
    book.part(1, "look").click()
    book.shows(1, status="closed")
    assert "The cluster is closed" in picture(book, 1)
    assert book.part(1, "move").is_disabled()


def test_by_keyboard_alone(book: Any) -> None:
    book.do("w.to(Shard(1))")
    book.shows(1, wanted="[Shard(1)]")
    book.tab_to(1, '[data-role="step"]')
    book.keyboard.press("End")
    book.shows(1, step="1")
    book.tab_to(1, '.tk-table[data-table="messages"] .tk-tile')
    book.keyboard.press("ArrowDown")
    book.keyboard.press("ArrowRight")
    book.keyboard.press("ArrowRight")
    book.shows(1, focus="message:0,1")
    book.keyboard.press("Enter")
    book.shows(1, message="0,1")


def test_names_stay_text(book: Any) -> None:
    book.do("v.ask()")
    book.shows(2, asked="owner")
    assert "onerror" in picture(book, 2)
    assert book.root(2).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


def test_it_fits_one_screen(book: Any) -> None:
    for program in ("w.to(Shard(1))", "w.step()", "w.ask('winner')"):
        book.do(program)
        book.settled(book.root(1))
        assert book.root(1).bounding_box()["height"] <= 640


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    for program in ("w.to(Shard(1))", "w.step()", "w.ask('winner')"):
        book.do(program)
        book.settled(book.root(1))
        assert book.axe(".tk-board") == [], program


@pytest.mark.parametrize("number", [1, 2])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
