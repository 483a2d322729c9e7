"""BitView under a learner's hands: pressed, swept over, typed into, stepped, and seen in other pictures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.places import placed

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import BitView, StrideExplorer",
    "w = BitView(0.1)\nw",
    "t = tk.tensor([[1.0, 2.0], [3.0, 4.0]])\nv = BitView(t, index=(0, 1), name='<img src=x onerror=hacked=1>')\nv",
    "StrideExplorer(t, name='t')",
    "n = BitView(300, dtypes=['int8', 'uint8'])\nn",
]


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("bits", CELLS, [1, 2, 3, 4], width=1600) as one:
        yield one


def middle(book: Any, number: int, key: str) -> tuple[float, float]:
    box = placed(book.tile(number, key))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def shown(book: Any, number: int, key: str) -> str:
    return str(book.tile(number, key).locator(".tk-number").text_content())


def test_a_pressed_bit_is_flipped(book: Any) -> None:
    book.tile(1, "float32:31").click()
    book.shows(1, dtype="float32", value="-0.1", explained="float32")
    assert book.ask("w.value") == "-0.10000000149011612"
    assert shown(book, 1, "bfloat16:15") == "1", "the casts follow"
    book.part(1, "undo").click()
    book.shows(1, dtype="float64", value="0.1")


def test_a_sweep_flips_each_bit_once(book: Any) -> None:
    book.part(4, "value").fill("0")
    book.part(4, "value").press("Enter")
    book.shows(4, value="0")
    mouse = book.mouse
    mouse.move(*middle(book, 4, "uint8:7"))
    mouse.down()
    for place, value in ((6, "192"), (5, "224"), (4, "240")):
        mouse.move(*middle(book, 4, f"uint8:{place}"), steps=3)
        book.shows(4, value=value)
    mouse.up()
    assert book.ask("n.dtype, n.value, n.bits('int8')") == "uint8 240 11110000"
    book.part(4, "undo").click()
    book.shows(4, value="224")
    # A press after a sweep is a press.
    book.tile(4, "uint8:0").click()
    book.shows(4, value="225")
    book.tile(4, "uint8:0").click()
    book.shows(4, value="224")


def test_a_flip_is_written_and_seen_by_another_picture(book: Any) -> None:
    book.tile(2, "float32:31").click()
    book.shows(2, value="-2.")
    assert book.ask("t[0, 1].item()") == "-2.0"
    cell = '[data-windowed-list-index="3"] [data-tk-widget] .tk-tile[data-key="t:0,1"][data-full="-2."]'
    book.page.locator(cell).wait_for()
    book.part(2, "undo").click()
    book.shows(2, value="2.")
    assert book.ask("t[0, 1].item()") == "2.0"


def test_hover_says_what_a_bit_counts_and_lights_its_slot(book: Any) -> None:
    book.tile(2, "float32:23").hover()
    book.shows(2, focus="float32:23")
    assert book.part(2, "said").inner_text() == "float32, exponent bit that counts 1: 0"
    book.root(3).locator('.tk-tile.tk-lit[data-key="s:1"]').wait_for()


def test_hover_lights_the_bits_that_mean_the_same_elsewhere(book: Any) -> None:
    book.tile(1, "float32:22").hover()
    for key in ("float16:9", "bfloat16:6"):
        assert "tk-kin" in book.tile(1, key).get_attribute("class"), "all of them count a half"
    assert "tk-kin" not in book.tile(1, "bfloat16:5").get_attribute("class")


def test_another_element_by_its_index(book: Any) -> None:
    book.part(2, "index-0").fill("1")
    book.part(2, "index-0").press("Tab")
    book.shows(2, value="4.", index="1,1")
    book.part(2, "undo").click()
    book.shows(2, index="0,1")


def test_a_cast_row_cannot_be_pressed(book: Any) -> None:
    assert book.tile(2, "float16:3").get_attribute("data-action") is None
    book.tile(2, "float16:3").click()
    book.shows(2, value="2.")


def test_a_number_is_typed_and_nonsense_refused(book: Any) -> None:
    book.part(1, "value").fill("70000")
    book.part(1, "value").press("Enter")
    book.shows(1, dtype="int64", value="70000")
    assert "too large: inf" in book.root(1).locator(".tk-picture").inner_text()
    book.part(1, "value").fill("__import__('os')")
    book.part(1, "value").press("Enter")
    book.root(1).get_by_text("is no number: give one such as").wait_for()
    book.shows(1, value="70000")
    book.part(1, "value").fill("0.1")
    book.part(1, "value").press("Enter")
    book.shows(1, dtype="float64", value="0.1")


def test_rows_are_chosen_and_explained(book: Any) -> None:
    book.part(1, "show-float64").click()
    book.shows(
        1,
        shown="float64,float32,float16,bfloat16",
        explained="float64",
    )
    book.part(1, "explain").select_option("bfloat16")
    book.shows(1, explained="bfloat16")
    assert "What these bits of bfloat16 mean" in book.root(1).locator(".tk-picture").inner_text()
    book.part(1, "show-float64").click()
    book.shows(1, shown="float32,float16,bfloat16")


def test_a_neighbour_is_pressed(book: Any) -> None:
    book.part(1, "explain").select_option("bfloat16")
    book.tile(1, "next:high").click()
    book.shows(1, dtype="bfloat16", value="0.1006")
    book.part(1, "undo").click()
    book.shows(1, dtype="float64")


def test_a_cast_step_by_step(book: Any) -> None:
    book.part(2, "cast").select_option("int8")
    book.shows(2, target="int8", step="0", steps="3", status="cast")
    assert shown(book, 2, "int8:1") == ""
    for k in (1, 2, 3):
        book.part(2, "step").click()
        book.shows(2, step=str(k))
    assert shown(book, 2, "int8:1") == "1"
    book.part(2, "cast").select_option("float16")
    book.part(2, "run").click()
    book.shows(2, target="float16", step="3")
    book.tile(2, "float32:22").hover()
    assert "tk-kin" in book.tile(2, "float16:9").get_attribute("class"), "the place that this bit goes to"
    book.part(2, "cast").select_option("")
    book.shows(2, steps="0")


def test_by_keyboard_alone(book: Any) -> None:
    book.part(1, "value").focus()
    book.tab_to(1, '.tk-table[data-table="bits-float32"] .tk-tile')
    keys = book.keyboard
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    book.shows(1, focus="float32:29")
    keys.press("Enter")
    book.shows(1, dtype="float32", bits="00011101110011001100110011001101")
    book.shows(1, focus="float32:29")
    keys.press(" ")
    book.shows(1, bits="00111101110011001100110011001101")
    keys.press("PageDown")
    keys.press("End")
    book.shows(1, focus="float16:0")
    book.part(1, "undo").focus()
    keys.press("Enter")
    keys.press("Enter")
    book.shows(1, dtype="float64")


def test_a_name_stays_text(book: Any) -> None:
    assert book.root(2).locator("img, script").count() == 0
    assert book.page.evaluate("() => window.hacked === undefined")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    assert book.axe(".tk-board") == []


@pytest.mark.parametrize("number", [1, 2, 4])
def test_at_200_percent_nothing_is_cut(book: Any, number: int) -> None:
    assert book.cut_at_200_percent(number) == {}
