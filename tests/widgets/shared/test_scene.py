"""One scene, drawn as SVG and written as text: readable goldens, the same bytes every time, nothing unescaped."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.render.palette import DARK, LIGHT
from tensorkit_widgets.render.sheet import render_sheet
from tensorkit_widgets.snapshot.geometry import slot_of
from tensorkit_widgets.snapshot.number_text import full, short
from tensorkit_widgets.stride_explorer.scene import StrideSheet
from tests.widgets.scene_examples import FIXTURES, GOLDEN, PICTURES, explorer, fixtures, told, unlinked

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", PICTURES)
def test_text_twins_are_the_committed_ones(name: str) -> None:
    text = explorer(name).text() + "\n"
    assert text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_the_committed_svg() -> None:
    drawn = explorer("transposed_slice").svg()
    assert drawn == (GOLDEN / "transposed_slice.svg").read_text(encoding="utf-8")


def test_the_fixtures_of_the_javascript_tests_are_fresh() -> None:
    again = "run `python -m tests.widgets.scene_examples` and look at what changed"
    assert (FIXTURES / "scenes.json").read_text(encoding="utf-8") == fixtures(), again


def drawn(made: StrideExplorer, live: bool) -> str:
    """What is shown; live, but for the number of the storage, which hangs on an address."""
    return unlinked(render_sheet(made._compose(), live=True)) if live else made.svg()


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("name", PICTURES)
def test_the_same_state_is_the_same_bytes(name: str, live: bool) -> None:
    first, again = (drawn(explorer(name), live) for _ in range(2))
    assert first == again
    tree = ElementTree.fromstring(first)
    assert tree.tag == f"{SVG}svg"
    assert not any(part.get("id") for part in tree.iter())
    assert not re.search(r"0x[0-9a-f]{6,}|url\(|<script|href", first)


@pytest.mark.parametrize("name", PICTURES)
def test_text_and_picture_hold_the_same_numbers(name: str) -> None:
    made = explorer(name)
    tree = ElementTree.fromstring(made.svg())
    cells = [part for part in tree.iter() if part.get("data-key", "").startswith("t:")]
    drawn = [next(t.text for t in cell.iter(f"{SVG}text")) for cell in cells]
    written = [tile.text for tile in made._sheet_now().tensor.tiles]
    assert drawn == written
    twin = made.text()
    assert all(text in twin for text in written)


def test_light_and_dark() -> None:
    made = explorer("base")
    both, light, dark = (made.svg(theme) for theme in (None, "light", "dark"))
    assert "prefers-color-scheme:dark" in both
    assert "prefers-color-scheme" not in light + dark
    assert LIGHT["ink"] in light
    assert f"--tk-ink:{DARK['ink']}" in dark
    with pytest.raises(ValueError, match="theme"):
        made.svg("sepia")


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read(colours: dict[str, str]) -> None:
    pairs = [("ink", g) for g in ("paper", "panel", "cell")] + [
        ("muted", g) for g in ("paper", "panel", "cell")
    ]
    pairs += [
        ("grey-ink", "grey"),
        ("light-ink", "light"),
        ("view", "panel"),
        ("copy", "panel"),
        ("alarm", "paper"),
    ]
    pairs += [("ink", "alarm-cell"), ("muted", "alarm-cell")]
    pairs += [(f"dim{d}", ground) for d in range(8) for ground in ("paper", "panel")]
    for ink, ground in pairs:
        assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert _contrast(colours["control"], colours["paper"]) >= 3
    assert _contrast(colours["focus"], colours["paper"]) >= 3


def scene_of(tensor: Any, expression: str = "", name: str = "t") -> StrideSheet:
    return StrideExplorer(tensor, name=name).attempt(expression)._compose()


def test_names_that_are_html_are_only_words() -> None:
    name = "<img src=x onerror=alert(1)>\"'&"
    drawn = render_sheet(scene_of(tk.ones(2), name=name), live=True)
    assert "<img" not in drawn
    words = "".join(ElementTree.fromstring(drawn).itertext())
    assert name in words


def test_slots_read_more_than_once_carry_a_badge() -> None:
    drawn, base = explorer("expanded").svg(), explorer("base").svg()
    assert drawn.count("×3") == 4
    assert drawn.count("tk-is-grey") - base.count("tk-is-grey") == 8


def test_the_refused_view_is_hatched_where_it_breaks() -> None:
    scene = explorer("refused_view")._sheet_now()
    assert [axis.bad for axis in scene.tensor.axes] == [True, True]
    assert [tile.index for tile in scene.tensor.tiles if "seam" in tile.kinds] == [(0, 2), (1, 0)]
    assert [tile.slot for tile in scene.storage.tiles if "seam" in tile.kinds] == [1, 8]
    [bad] = [arc for arc in scene.arcs if arc.bad]
    assert bad.label == "−7, not +4"
    assert "cannot merge" in explorer("refused_view").text()


def test_the_stride_of_a_size_one_dimension_is_grey() -> None:
    made = explorer("size_one")
    assert [axis.unused for axis in made._sheet_now().tensor.axes] == [True, False]
    assert "never used" in made.text()


def test_a_large_storage_shows_the_whole_road() -> None:
    scene = explorer("window")._sheet_now()
    slots = scene.storage
    assert len(slots.tiles) <= 24
    assert {0 + 7000, 7001, 8001} <= {tile.slot for tile in slots.tiles}
    assert sum(gap.stop - gap.start for gap in slots.gaps) + len(slots.tiles) == 1_000_000
    assert [arc.label for arc in scene.arcs if arc.strong] == ["+1", "+1000"]


@pytest.mark.parametrize("room", [285, 440, 520, 560, 700, 850, 960])
@pytest.mark.parametrize("name", PICTURES)
def test_nothing_leaves_the_page(name: str, room: int) -> None:
    made = told(explorer(name), "room", value=room)
    scene = made._compose()
    assert scene.width == {285: 320, 440: 400, 520: 480, 560: 560, 700: 680, 850: 800, 960: 960}[room]
    assert made._sheet_now().width == 960
    parts = [*scene.storage.tiles, *scene.tensor.tiles, *scene.cards]
    assert all(p.x >= 0 and p.x + p.width <= scene.width + 0.1 for p in parts)
    assert all(p.y >= 0 and p.y + p.height <= scene.height for p in parts)
    meta, focus = scene.snapshot.meta, scene.focus
    lit = slot_of(focus, meta.stride, meta.offset) if focus is not None else None
    assert lit is None or lit in {tile.slot for tile in scene.storage.tiles}


def test_the_dom_stays_small() -> None:
    scene = scene_of(tk.arange(2 * 64 * 64 * 64).view(2, 64, 64, 64))
    assert len(list(ElementTree.fromstring(render_sheet(scene, live=True)).iter())) < 2500
    assert len(scene.tensor.tiles) + len(scene.storage.tiles) <= 1000


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (4.0, "float32", "4."), (-0.0, "float32", "-0."), (0.5, "float32", "0.5"), (1 / 3, "float32", "0.3333"),
        (123456.7, "float32", "1.23e5"), (1e-5, "float32", "1e-5"), (float("nan"), "float32", "nan"),
        (float("-inf"), "float32", "-inf"), (7, "int64", "7"), (10**12, "int64", "1e12"), (True, "bool", "True"),
        (1 - 2j, "complex64", "1.-2.j"), (12.345, "float64", "12.35"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: complex, dtype: str, text: str) -> None:
    assert short(value, dtype) == text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_in_full_read_back_the_same(dtype: str) -> None:
    kind = getattr(numpy, dtype)
    for value in numpy.random.default_rng(0).normal(size=200) * 10.0 ** numpy.arange(-10, 10).repeat(10):
        exact = kind(value).item()
        assert kind(float(full(exact, dtype))) == kind(value)


@pytest.mark.parametrize("width", [560.0, 680.0, 960.0])
@pytest.mark.parametrize("offset", range(11))
def test_what_grey_means_stays_clear_of_the_offsets_label(offset: int, width: float) -> None:
    made = StrideExplorer(tk.arange(12.0).as_strided((1, 2), (1, 1), offset))
    scene = told(made, "room", value=width)._compose()
    (legend,) = [note for note in scene.notes if note.text.startswith("grey:")]
    assert scene.pointer is not None
    at, written = scene.pointer.x, scene.pointer.y + 13
    assert legend.y < scene.height
    left, right = (legend.x, legend.x + 280) if legend.anchor == "start" else (legend.x - 280, legend.x)
    label = (at - 8, at + 84) if at + 90 < width else (at - 84, at + 8)
    assert legend.y >= written + 15 or right < label[0] or left > label[1]


NUMBERS = {
    "halves": lambda: tk.arange(24.0).view(4, 6) * 1.5 - 7,
    "long": lambda: (tk.arange(24.0).view(4, 6) + 1000) * -1.2345678,
    "three dimensions": lambda: tk.arange(24.0).view(2, 3, 4),
}


def on_a_page(tensor: Any, expression: str, room: float, focus: str = "") -> StrideSheet:
    made = told(StrideExplorer(tensor).attempt(expression), "room", value=room)
    return told(made, "look", key=f"t:{focus}")._compose() if focus else made._compose()


def lines_of(scene: StrideSheet) -> int:
    return len({part.y for part in (*scene.storage.tiles, *scene.storage.gaps)})


@pytest.mark.parametrize("expression", ["", "[1:, ::2]"])
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("room", [320, 400, 480, 560, 680])
def test_what_a_narrow_page_shows_can_be_read(room: int, name: str, expression: str) -> None:
    scene = on_a_page(NUMBERS[name](), expression, room)
    assert scene.width == room
    assert scene.formula is not None
    assert scene.formula.font >= 12
    slots, lines = scene.storage.tiles, lines_of(scene)
    assert min(tile.font for tile in slots) >= 11
    assert min(tile.font for tile in scene.tensor.tiles) >= 11
    for tile in slots:
        assert len(tile.text) * MONO * tile.font <= tile.width - 4, tile.text
    if name != "long":
        assert [tile.slot for tile in slots] == list(range(24)), "no slot is left out"
    assert lines > 1
    if len(slots) == 24 and room > 320:
        (memory,) = [note.after for note in scene.notes if note.text == "the storage"]
        assert memory.endswith(f"one row, in {lines} lines")
    for one, other in pairwise(slots):
        assert other.y > one.y + one.height + 80 or round(other.x - one.x - one.width, 1) in (0, 46)


def test_a_hop_from_line_to_line_leaves_the_page_and_comes_back() -> None:
    scene = on_a_page(tk.arange(24.0).view(4, 6), "", 400)
    assert (lines_of(scene), {tile.width for tile in scene.storage.tiles}) == (3, {43.0})
    moved = on_a_page(tk.arange(24.0).view(4, 6), "", 400, focus="3,5")
    arcs = [arc for arc in moved.arcs if arc.strong]
    lines = sorted({tile.y for tile in scene.storage.tiles})
    within, off, on = ([arc for arc in arcs if arc.part == part] for part in ("", "out", "in"))
    assert [(arc.label, lines.index(arc.y)) for arc in within] == [("+6", 0), ("5·1", 2)]
    assert [(arc.label, arc.x2, lines.index(arc.y)) for arc in off] == [("", 386.0, 0), ("", 386.0, 1)]
    assert [(arc.label, arc.x1, lines.index(arc.y)) for arc in on] == [("+6", 14.0, 1), ("+6", 14.0, 2)]
    assert {arc.dim for arc in (*off, *on)} == {0}
    out, back = on_a_page(numpy.arange(24.0)[::-1], "", 400, focus="9").arcs
    assert (out.part, out.x2, back.part, back.x1, back.label) == ("out", 14.0, "in", 386.0, "9·(−1)")
    assert out.y > back.y, "backwards, so upwards"


def test_a_page_that_is_saved_or_printed_has_one_row() -> None:
    made = told(StrideExplorer(tk.arange(24.0).view(4, 6)), "room", value=400)
    assert lines_of(made._sheet_now()) == 1
    assert len(made._sheet_now().storage.tiles) == 24
