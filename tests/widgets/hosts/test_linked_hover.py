"""One storage in four widgets: hover or the keyboard in one lights it in all, and a write through one changes all."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\n"
    "from tensorkit_widgets import BroadcastExplorer, GraphView, MemoryMap, StrideExplorer\n"
    "w = tk.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)\n"
    "plain = w.detach()\nodd = plain[1::2]\nx = tk.tensor([1.0, 1.0, 2.0, 2.0])\n"
    "loss = (w * w * x).sum()",
    "StrideExplorer(plain, name='plain')",
    "StrideExplorer(plain.view(tk.int16), name='halves')",
    "BroadcastExplorer(plain, tk.ones(2, 1), names=('plain', 'ones')).run()",
    "MemoryMap({'w': w, 'odd': odd, 'x': x})",
    "large = tk.arange(1000.0)\nStrideExplorer(large, name='large')",
    "StrideExplorer(large[900:904], name='end')",
    "g = GraphView((loss, (odd * w.sum()).sum()), names={'w': w, 'x': x, 'odd': odd})\ng",
]
STRIDE, HALVES, BROADCAST, MEMORY, LARGE, END, GRAPH = 1, 2, 3, 4, 5, 6, 7


@pytest.fixture
def book(desk: Any) -> Any:
    with desk.begun("linked", CELLS, [STRIDE, HALVES, BROADCAST, MEMORY, LARGE, END, GRAPH]) as one:
        one.everything()
        yield one


def leave(book: Any) -> None:
    """The pointer goes where no widget is."""
    book.mouse.move(2, 2)


def box(book: Any, name: str) -> Any:
    """The box of a tensor in the graph."""
    return book.root(GRAPH).locator(
        f'.tk-vertex:is([data-kind="leaf"], [data-kind="constant"])[data-name="{name}"]'
    )


def number(book: Any, name: str, slot: int) -> Any:
    """A number in the box of a tensor."""
    return box(book, name).locator(f'> text > .tk-item[data-slot="{slot}"]')


def lit(book: Any) -> dict[int, set[int]]:
    """For each widget, the slots of plain's storage that are lit in it."""
    storage = box(book, "w").get_attribute("data-storage")
    found = """(root, storage) => [...root.querySelectorAll(".tk-lit, .tk-kin")]
      .filter((part) => part.dataset.slot !== undefined && part.closest(`[data-storage="${storage}"]`))
      .map((part) => Number(part.dataset.slot))"""
    return {n: set(book.root(n).evaluate(found, storage)) for n in (STRIDE, BROADCAST, MEMORY, GRAPH)}


def everywhere(slots: set[int]) -> dict[int, set[int]]:
    return dict.fromkeys((STRIDE, BROADCAST, MEMORY, GRAPH), slots)


def test_hover_in_stride_explorer(book: Any) -> None:
    book.root(STRIDE).locator('.tk-tile[data-key="s:2"]').hover()
    assert lit(book) == everywhere({2})
    assert "tk-kin" in box(book, "w").get_attribute("class")
    assert "tk-kin" not in box(book, "odd").get_attribute("class"), "odd does not read slot 2"
    assert "tk-kin" not in box(book, "x").get_attribute("class"), "another storage"
    book.root(STRIDE).locator('.tk-tile[data-key="t:3"]').hover()
    assert lit(book) == everywhere({3})
    assert "tk-kin" in box(book, "odd").get_attribute("class")


def test_hover_in_a_view_of_another_dtype(book: Any) -> None:
    book.root(HALVES).locator('.tk-tile[data-key="s:5"]').hover()
    assert lit(book) == everywhere({2}), "the float32 that these two bytes belong to"
    book.root(BROADCAST).locator('.tk-tile[data-key^="a:"][data-slot="3"]').first.hover()
    kin = book.root(HALVES).locator('[data-table="s"] .tk-tile.tk-kin')
    assert {int(slot.get_attribute("data-slot")) for slot in kin.all()} == {6, 7}


def test_hover_over_a_slot_that_another_strip_leaves_out(book: Any) -> None:
    """The old light goes, and the gap says which slot it hides."""
    marks = book.root(LARGE).locator(".tk-lit, .tk-kin")
    book.root(END).locator('.tk-tile[data-key="t:1"]').hover()
    gap = book.root(LARGE).locator('.tk-gap-group[data-to="1000"]')
    first = gap.get_attribute("data-from")
    assert [part.get_attribute("data-from") for part in marks.all()] == [first]
    assert marks.locator(".tk-gap-count").all_text_contents() == ["slot", "901"]
    assert book.root(LARGE).get_attribute("data-element") == (
        f"slot 901 is not drawn here: it is one of slots {first} to 999, which the strip leaves out"
    )
    # Another theme may move the page under a pointer that rests on it, which then takes its light away.
    leave(book)
    for theme in ("Light", "Dark"):
        book.theme(theme)
        book.root(END).locator('.tk-tile[data-key="t:1"]').focus()
        book.root(END).locator('.tk-tile[data-key="t:2"]').focus()
        assert marks.locator(".tk-gap-count").all_text_contents() == ["slot", "902"]
        assert book.axe(f'[data-windowed-list-index="{LARGE}"] .tk-stride-explorer') == []
    # The page may have moved under the pointer meanwhile: one can only leave where one is.
    book.root(END).locator('.tk-tile[data-key="t:2"]').hover()
    leave(book)
    assert {part.get_attribute("data-slot") for part in marks.all()} == {"1"}, "its own element"


def test_hover_in_broadcast_explorer(book: Any) -> None:
    book.root(BROADCAST).locator('.tk-tile[data-key^="a:"][data-slot="1"]').first.hover()
    assert lit(book) == everywhere({1})
    assert "tk-kin" in number(book, "w", 1).get_attribute("class")
    assert "tk-kin" in number(book, "odd", 1).get_attribute("class")


def test_hover_in_memory_map(book: Any) -> None:
    storage = box(book, "w").get_attribute("data-storage")
    book.root(MEMORY).locator(f'.tk-tile[data-storage="{storage}"][data-slot="0"]').hover()
    assert lit(book) == everywhere({0})


def test_hover_over_a_number_of_the_graph(book: Any) -> None:
    number(book, "odd", 3).hover()
    assert lit(book) == everywhere({3})
    assert "tk-lit" in number(book, "odd", 3).get_attribute("class")
    assert "tk-kin" in number(book, "w", 3).get_attribute("class")
    assert book.root(GRAPH).locator(".tk-item-ground.tk-lit").count() == 1
    leave(book)
    marks = lit(book)
    assert (marks[BROADCAST], marks[MEMORY], marks[GRAPH]) == (set(), set(), set())
    own = book.root(STRIDE).get_attribute("data-focus-slot")
    assert marks[STRIDE] == {int(own)}, "its own element, which is always explained"


def test_hover_over_a_tensor_of_the_graph_lights_all_that_it_reads(book: Any) -> None:
    box(book, "odd").locator(".tk-vertex-name").hover()
    marks = lit(book)
    assert marks[BROADCAST] == marks[MEMORY] == marks[GRAPH] == {1, 3}
    assert marks[STRIDE] >= {1, 3}
    leave(book)
    assert lit(book)[MEMORY] == set()
    saved = book.root(GRAPH).locator('.tk-held-line:has-text("= w")').first
    saved.hover()
    assert "tk-kin" in box(book, "w").get_attribute("class"), "a saved tensor and its leaf"
    assert lit(book)[MEMORY] == {0, 1, 2, 3}
    leave(book)


def test_the_keyboard_lights_the_tensor_of_its_box(book: Any) -> None:
    book.part(GRAPH, "present").focus()
    book.tab_to(GRAPH, ".tk-vertex")
    for _ in range(20):  # the loss, at the bottom, is first
        if book.page.evaluate("() => document.activeElement.dataset.name") == "odd":
            break
        book.keyboard.press("ArrowUp")
    else:
        raise AssertionError("odd is not reached")
    assert lit(book)[MEMORY] == {1, 3}
    book.keyboard.press("Shift+Tab")
    assert lit(book)[MEMORY] == set()


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_axe_finds_nothing_while_the_graph_is_lit(book: Any, theme: str) -> None:
    book.theme(theme)
    number(book, "w", 1).hover()
    assert book.axe(".tk-graph-view") == []
    box(book, "w").locator(".tk-vertex-name").hover()
    assert book.axe(".tk-graph-view") == []
    leave(book)


def test_a_write_through_one_changes_all(book: Any) -> None:
    book.root(MEMORY).get_by_role(
        "button", name="Follow the notebook"
    ).click()  # else it keeps its cell's moment
    cell = book.root(STRIDE).locator('.tk-tile[data-key="t:1"]')
    cell.dblclick()
    book.keyboard.type("9")
    book.keyboard.press("Enter")
    book.root(GRAPH).locator('.tk-leaf .tk-item[data-slot="1"]:text-is("9.")').wait_for()
    storage = box(book, "w").get_attribute("data-storage")
    for n in (BROADCAST, MEMORY):
        book.root(n).locator(
            f'.tk-tile[data-storage="{storage}"][data-slot="1"][data-full="9."]'
        ).first.wait_for()
    assert "[1., 9., 3., 4.]" in book.root(GRAPH).locator(".tk-leaf").first.text_content()
    assert "needs v0" in book.root(GRAPH).text_content(), "what w's operation saved was written to"
