"""DeviceMap under a learner's hands: cells run, and the map follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.beginning import until

pytestmark = pytest.mark.browser

CELLS = [
    "import tensorkit as tk\nfrom tensorkit_widgets import DeviceMap\n"
    "from tensorkit_widgets.widget import cell_hook as live\nfrom tensorkit_widgets.namespace.cell_hook import hook",
    "tk.cuda.emulate(devices=2)\nt = tk.arange(12.0).view(3, 4)",
    "m = DeviceMap()\nm",
]


@pytest.fixture
def kept(desk: Any) -> Any:
    """The notebook as it is after its cells were run: the map shows its cell."""
    with desk.begun("device_map", CELLS, [2], height=1200, width=1440) as one:
        yield one


@pytest.fixture
def book(kept: Any) -> Any:
    """The map follows each cell that runs."""
    follow = kept.part(2, "follow")
    if follow.get_attribute("aria-pressed") == "false":
        follow.click()
    kept.root(2).locator('[data-role="follow"][aria-pressed="true"]').wait_for()
    return kept


def test_it_stays_as_its_cell_left_it_until_it_is_to_follow(kept: Any) -> None:
    before = kept.root(2).get_attribute("data-cell")
    number = kept.cell("g = t.to('cuda')")
    assert kept.ask("m.keep().record.moved[0].nbytes") == "48"
    assert kept.root(2).get_attribute("data-cell") == before
    assert kept.root(2).get_attribute("data-copies") == "0"
    kept.part(2, "follow").click()
    kept.shows(2, cell=number, copies=1)


def drawn(book: Any) -> str:
    return str(book.root(2).locator(".tk-picture").inner_text())


def tile(book: Any, text: str) -> Any:
    return book.root(2).locator(".tk-tile", has=book.page.locator(f'text="{text}"')).first


def test_a_cell_that_carries_a_tensor_over(book: Any) -> None:
    number = book.cell("g = t.to('cuda')")
    book.shows(2, cell=number, arrows=1, copies=1, moved=48, devices="cpu cuda:0")
    assert book.tile(2, "move:0").locator(".tk-number").text_content() == "48 bytes"
    assert "t stays where it is, and g is a copy" in book.part(2, "said").inner_text()
    assert "simulated: 10 µs" in drawn(book)
    number = book.cell("h = g + 1")
    book.shows(2, cell=number, arrows=0, copies=0, kernels=1)
    assert "nothing was carried" in drawn(book)


def test_pointing_at_a_transfer_lights_both_tensors_and_its_arrow(book: Any) -> None:
    number = book.cell("g = t.to('cuda')")
    book.shows(2, cell=number, arrows=1)
    book.tile(2, "move:0").hover()
    book.shows(2, focus="move:0")
    for name in ("t", "g"):
        assert "tk-kin" in str(tile(book, name).get_attribute("class"))
    assert book.root(2).locator(".tk-link.tk-lit").count() == 2
    assert "48 bytes from cpu to cuda:0 by .to()" in book.part(2, "said").inner_text()
    tile(book, "g").hover()
    book.root(2).locator(".tk-link.tk-lit").first.wait_for()


def test_a_loop_of_items_and_a_refusal(book: Any) -> None:
    book.cell("g = t.cuda()")
    number = book.cell("total = 0\nfor x in g.view(-1):\n    total += x.item()")
    book.shows(2, cell=number, arrows=1, copies=12, moved=48)
    assert book.tile(2, "move:0").locator(".tk-number").text_content() == "12 × 4 bytes"
    number = book.cell("far = t.cuda(1)\ng + far")
    book.shows(2, cell=number, refused=1, error="DeviceMismatchError", status="wrong")
    assert "g is on cuda:0 and far is on cuda:1" in drawn(book)
    book.tile(2, "refused:0").hover()
    book.shows(2, focus="refused:0")
    assert "tk-kin" in str(tile(book, "far").get_attribute("class"))


def test_back_to_earlier_cells(book: Any) -> None:
    number = book.cell("g = t.cuda()")
    book.shows(2, cell=number, copies=1)
    steps = int(book.root(2).get_attribute("data-steps"))
    later = book.cell("g = g.cpu()\nb = g.cuda(1)")
    book.shows(2, cell=later, copies=2)
    book.part(2, "back").click()
    book.shows(2, step=steps, cell=number, copies=1)
    book.part(2, "run").click()
    book.shows(2, cell=later, copies=2)


def test_by_keyboard_alone(book: Any) -> None:
    keys = book.keyboard
    number = book.cell("g = t.cuda()\nrow = g[1]")
    later = book.cell("n = row.tolist()\nfar = g.to('cuda:1')")
    book.shows(2, cell=later, arrows=2)
    book.root(2).locator(".tk-table .tk-tile[tabindex='0']").first.focus()
    book.tab_to(2, '.tk-table[data-table="m:cuda:0"] .tk-tile')
    keys.press("ArrowDown")
    assert "view of g" in book.part(2, "said").inner_text()
    book.tab_to(2, '.tk-table[data-table="transfers"] .tk-tile')
    keys.press("ArrowDown")
    assert str(book.root(2).get_attribute("data-focus")).startswith("move:")
    book.tab_to(2, '[data-role="back"]', 60)
    keys.press("ArrowLeft")
    book.shows(2, cell=number, arrows=1)
    keys.press("End")
    book.shows(2, cell=later, arrows=2)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing(book: Any, theme: str) -> None:
    book.theme(theme)
    book.cell("g = t.cuda()\nm0 = tk.empty(2, device='meta')\np = t.pin_memory()")
    number = book.cell("b = g.cpu()\ng = g + 1\nb + g")
    book.shows(2, cell=number, refused=1, copies=1)
    assert book.axe(".tk-device-map") == []


def test_at_200_percent_nothing_is_cut(book: Any) -> None:
    number = book.cell("g = t.cuda()\nfar = g.to('cuda:1')")
    book.shows(2, cell=number, copies=2)
    assert book.cut_at_200_percent(2) == {}


def test_closed_it_listens_no_more(book: Any) -> None:
    book.cell("g = t.cuda()")
    book.ask("m.close()")
    assert book.ask("hook.on, tk.tracing.active, len(live._alive), len(live._hooked)") == "False False 0 0"
    until(book.page, "() => document.querySelectorAll('.tk-device-map').length === 0")
