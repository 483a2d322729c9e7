"""The picture of the memory map: true to the engine, bounded, steady, and gone when it is closed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from statistics import median
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
from tensorkit_widgets import MemoryMap, StrideExplorer
from tensorkit_widgets.drawing.sheet import Sheet, Tile
from tensorkit_widgets.memory import magic
from tensorkit_widgets.memory.scene import FIRST, MOST
from tensorkit_widgets.namespace.cell_hook import MemoryHook, hook
from tensorkit_widgets.namespace.moments import MOMENTS
from tensorkit_widgets.snapshot.adapter import describe, link_of
from tensorkit_widgets.widget import cell_hook
from tests.support.garbage import collect
from tests.widgets.conftest import weight
from tests.widgets.namespace.test_model import libraries


@pytest.fixture(params=libraries())
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)


@pytest.fixture
def made() -> Iterator[list[MemoryMap]]:
    out: list[MemoryMap] = []
    yield out
    for one in out:
        one.close()


class Notebook:
    """A namespace with a map of it, and cells that are counted."""

    def __init__(self, made: list[MemoryMap], **names: Any) -> None:
        self.names: dict[str, Any] = {"tk": tk, "numpy": numpy, **names}
        self.map = MemoryMap(self.names)
        self.count = 0
        made.append(self.map)

    def cell(self, code: str, error: Exception | None = None) -> MemoryMap:
        self.count += 1
        exec(code, self.names)
        info = SimpleNamespace(raw_cell=code)
        cell_hook._finished.append(
            SimpleNamespace(info=info, execution_count=self.count, error_in_exec=error)
        )
        try:
            return self.map.look()
        finally:
            cell_hook._finished.clear()


def sheet(shown: MemoryMap) -> Sheet:
    return shown._sheet(shown.at)


def tiles(shown: MemoryMap) -> dict[str, Tile]:
    return {tile.key: tile for table in sheet(shown).tables for tile in table.tiles}


def said(shown: MemoryMap) -> str:
    """Everything that is written beside the tiles."""
    return "\n".join(note.text + note.after for note in sheet(shown).notes)


# ---- what is drawn


def test_a_storage_with_its_holders(made: list[MemoryMap], lib: Any) -> None:
    t = lib.arange(12.0).view(3, 4)
    book = Notebook(made, t=t, row=t[1], c=t[:, ::2], a=t.numpy())
    found = tiles(book.map)
    slots = {tile.slot: tile for tile in found.values() if tile.slot is not None}
    assert [slots[k].full for k in range(12)] == [f"{k}." for k in range(12)]
    assert {tile.link for tile in slots.values()} == {link_of(describe(t))}
    names = {tile.text: key for key, tile in found.items() if key.startswith("h")}
    assert set(names) == {"t", "row", "c", "a"}

    def reached(name: str) -> set[int]:
        number = names[name].partition(":")[2]
        bars = [tile for key, tile in found.items() if re.match(rf"b\d+:{number}:", key)]
        return {int(key.partition(":")[2]) for bar in bars for key in bar.kin}

    assert reached("t") == reached("a") == set(range(12))
    assert reached("row") == {4, 5, 6, 7}
    assert reached("c") == {0, 2, 4, 6, 8, 10}
    assert "size (3, 2), stride (4, 2), offset 0" in said(book.map)
    assert "size (3, 4), stride (4, 1), offset 0, a NumPy array" in said(book.map).replace("\n", " ")


def test_slots_are_linked_with_other_pictures(made: list[MemoryMap], lib: Any) -> None:
    t = lib.arange(6.0)
    book = Notebook(made, t=t)
    explorer = StrideExplorer(t)
    linked = {tile.link for tile in tiles(book.map).values() if tile.link is not None}
    assert linked == {link_of(describe(explorer.result))}
    explorer.close()
    array = numpy.arange(5.0)[1:]
    book = Notebook(made, array=array)
    linked = {tile.link for tile in tiles(book.map).values() if tile.link is not None}
    assert linked == {link_of(describe(array))}


def test_a_change_in_place_flashes_and_says_who_sees_it(made: list[MemoryMap], lib: Any) -> None:
    t = lib.arange(12.0).view(3, 4)
    book = Notebook(made, t=t, row=t[1], last=t[2])
    book.cell("row.add_(10)")
    flashing = [tile.slot for tile in tiles(book.map).values() if "changed" in tile.kinds]
    assert flashing == [4, 5, 6, 7]
    words = said(book.map)
    assert "after cell [1]" in words
    assert "row.add_(10)" in words
    assert "t, row and last: changed in place, slots 4–7" in words
    assert "t and row see the change; last does not" in words
    assert sheet(book.map).said.startswith("after cell [1]: t, row and last: changed in place")
    book.cell("pass")
    assert not [tile for tile in tiles(book.map).values() if "changed" in tile.kinds]
    assert "Nothing was made, changed in place, rebound or freed." in said(book.map)


def test_two_names_of_one_tensor_are_one_line(made: list[MemoryMap]) -> None:
    book = Notebook(made, x=tk.ones(3))
    book.cell("y = x\nx += 1")
    assert order(book.map) == ["x, y"]
    assert "x and y: changed in place, slots 0–2" in said(book.map)
    assert "y: one more name for the tensor x" in said(book.map)
    book.names["_oh"] = {3: book.names["x"]}
    book.cell("pass")
    assert "also Out[3]" in said(book.map)


def test_made_rebound_freed(made: list[MemoryMap]) -> None:
    book = Notebook(made, x=tk.ones(3))
    book.names["keep"] = [book.names["x"]]
    book.cell("x = x + 1")
    words = said(book.map)
    assert "x: new, 12 bytes" in words
    assert "x: names another tensor now, on another storage" in words
    assert "x stood here before this cell" in words
    book.cell("x = x * 2")
    words = said(book.map)
    assert "freed: 12 bytes; x stood there" in words
    assert "float32 storage, freed: 12 bytes" in words
    assert [frame.kind for frame in sheet(book.map).frames].count("hole") == 1
    assert book.map.change.of("freed")[0].words == "freed: 12 bytes"
    book.cell("y = x[1:]")
    assert "y: on the storage of x, so nothing was copied" in said(book.map)
    book.cell("y = x.view(3, 1)")
    assert "y: names another tensor now, on the same storage" in said(book.map)
    book.cell("del y")
    assert "y: gone, and its storage stays for x" in said(book.map)


def test_a_failing_cell_is_said_and_what_it_did_is_there(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.zeros(4))
    book.cell("t[1] = 5", ZeroDivisionError("x"))
    assert "The cell ended with ZeroDivisionError. What it had done before that stays." in said(book.map)
    assert book.map._facts()["error"] == "ZeroDivisionError"
    assert book.map._facts()["changed"] == "1"


def test_a_small_slice_of_a_large_storage(made: list[MemoryMap], lib: Any) -> None:
    book = Notebook(made, thumb=lib.zeros(1_000_000)[10:14])
    words = said(book.map)
    assert "this 4-element slice keeps 4 MB alive" in words
    assert "thumb = thumb.clone() would free it" in words
    [outline] = [frame for frame in sheet(book.map).frames if frame.kind == "hole"]
    [part] = [frame for frame in sheet(book.map).frames if frame.kind == "part"]
    assert part.width == 3.0
    assert part.width < outline.width / 100
    assert "this 4-element slice keeps 4 MB alive" in book.map.text()


def test_a_storage_that_is_named_no_more(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.zeros(3))
    held = book.names["t"]
    book.cell("del t")
    assert "still holds it" in said(book.map)
    assert book.map._facts()["lost"] == "1"
    assert held.shape == (3,)


def hostile() -> dict[str, Any]:
    name = '<img src=x onerror="alert(1)">&\u202e'
    return {
        name: tk.ones(2), "x" * 300: tk.ones(3), "nan": tk.tensor([float("nan"), float("inf"), -0.0]),
        "empty": tk.empty(0, 3), "scalar": tk.tensor(2.5), "deep": tk.ones(*[1] * 10),
        "huge": tk.ones(1).expand(10**6, 10**6), "flags": tk.tensor([True, False]), "ints": tk.arange(5),
        "complex": tk.tensor([1 + 2j, -1.5e-9 + 1e30j] * 9), "half": tk.tensor([0.1, 2.0], dtype=tk.bfloat16),
        "meta": tk.empty(3, 4, device="meta"), "back": numpy.arange(9.0)[::-2],
        "bytes": tk.arange(4.0).view(tk.uint8), "texts": numpy.array(["a", "b"]),
    }  # fmt: skip


@pytest.mark.parametrize("width", [400.0, 480.0, 960.0])
@pytest.mark.parametrize("name", [None, "complex", "deep", "nan", "empty", "meta", "globals()"])
def test_everything_stays_on_the_page(made: list[MemoryMap], name: str | None, width: float) -> None:
    shown = MemoryMap(hostile())
    made.append(shown)
    shown._heard(None, {"kind": "room", "value": width}, [])
    shown._heard(None, {"kind": "more"}, [])
    if name is not None:
        assert shown.snapshot is not None
        ways = [way.text for s in shown.snapshot.storages for h in s.holders for way in h.ways]
        shown.show(next(text for text in ways if text == name or text.startswith(f"{name}['xx")))
    assert sheet(shown).width == width
    boxes = []
    for tile in tiles(shown).values():
        assert tile.x >= 0
        assert tile.x + tile.width <= width + 0.5, tile.key
        assert tile.y + tile.height <= sheet(shown).height
        boxes.append((tile.x, tile.y, tile.x + tile.width, tile.y + tile.height, tile.key))
    for k, (x1, y1, x2, y2, key) in enumerate(boxes):
        for a1, b1, a2, b2, other in boxes[k + 1 :]:
            assert x2 <= a1 + 0.1 or a2 <= x1 + 0.1 or y2 <= b1 + 0.1 or b2 <= y1 + 0.1, (key, other)
    for note in sheet(shown).notes:
        assert 0 <= note.x <= width
        assert note.x + len(note.text) * 4.6 <= width or note.anchor == "end", note.text
    for frame in sheet(shown).frames:
        assert frame.x + frame.width <= width
    svg = shown.svg()
    ElementTree.fromstring(svg)
    assert "<img" not in svg


@pytest.mark.parametrize(("count", "rows"), [(12, 1), (24, 2), (1000, 1)])
def test_a_strip_takes_one_row_or_two(made: list[MemoryMap], count: int, rows: int) -> None:
    shown = MemoryMap({"t": tk.arange(float(count))})
    made.append(shown)
    shown._heard(None, {"kind": "room", "value": 480}, [])
    places = {tile.y for tile in tiles(shown).values() if tile.slot is not None}
    assert len(places) == rows


# ---- many, sorted, filtered, alone


def test_many_are_folded_and_unfolded(made: list[MemoryMap]) -> None:
    book = Notebook(made)
    for k in range(103):
        book.names[f"v{k}"] = tk.zeros(k + 1)
    book.cell("pass")
    tile = tiles(book.map)["more:cpu"]
    assert (tile.text, tile.action) == ("97 more storages, 21.3 kB", "more")
    assert len(sheet(book.map).tables) == FIRST + 1
    assert book.map._facts()["drawn"] == str(FIRST)
    for _ in range(6):
        book.map._heard(None, {"kind": "more", "key": "more:cpu"}, [])
    assert book.map._facts()["drawn"] == str(MOST)
    assert tiles(book.map)["more:cpu"].action == "", "the picture is bounded"
    book.map._heard(None, {"kind": "fewer"}, [])
    assert book.map._facts()["drawn"] == str(FIRST)


def order(shown: MemoryMap) -> list[str]:
    return [tile.text for key, tile in tiles(shown).items() if key.startswith("h")]


def test_orders(made: list[MemoryMap]) -> None:
    book = Notebook(made, a=tk.zeros(3), b=tk.zeros(30), c=tk.zeros(2))
    book.cell("d = tk.zeros(4)\nc[0] = 1")
    for kind, names in (
        ("changed", "cdab"), ("oldest", "abcd"), ("newest", "dcba"), ("size", "bdac"),
    ):  # fmt: skip
        book.map._heard(None, {"kind": "order", "value": kind}, [])
        assert "".join(order(book.map)) == names, kind
    book.map.undo()
    assert "".join(order(book.map)) == "dcba"


def test_a_filter_by_name(made: list[MemoryMap]) -> None:
    book = Notebook(made, weight=tk.zeros(3), bias=tk.zeros(3), box={"Weights": tk.zeros(2)})
    book.map._heard(None, {"kind": "filter", "value": " WEIGHT "}, [])
    assert order(book.map) == ["weight", "box['Weights']"]
    assert "2 of 3 storages have a name with “WEIGHT” in it." in said(book.map)
    book.map._heard(None, {"kind": "filter", "value": "(.*"}, [])
    assert order(book.map) == []
    assert book.map._facts()["drawn"] == "0"
    book.map._heard(None, {"kind": "filter", "value": "y" * 10_000}, [])
    assert len(book.map._state.filter) == 80


def test_one_storage_alone_and_back(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.arange(30.0), u=tk.zeros(2))
    key = next(key for key, tile in tiles(book.map).items() if tile.text == "t")
    assert tiles(book.map)[key].action == "only"
    book.map._heard(None, {"kind": "only", "key": key}, [])
    assert order(book.map) == ["t"]
    assert [control.role for control in book.map._controls()] == ["all"]
    alone = [tile for tile in tiles(book.map).values() if tile.slot is not None]
    book.map._heard(None, {"kind": "all"}, [])
    assert order(book.map) == ["t", "u"]
    together = [tile for tile in tiles(book.map).values() if tile.key in {one.key for one in alone}]
    assert alone[0].font > together[0].font
    book.map.show("u")
    book.cell("del u")
    assert order(book.map) == ["t"], "what is gone cannot stand alone"
    with pytest.raises(KeyError, match="'nowhere' is on no storage"):
        book.map.show("nowhere")
    for key in ("h", "h1", "h99999999999:1", "s1:2", "hx:1", "h-1:2"):
        book.map._heard(None, {"kind": "only", "key": key}, [])
        assert book.map.frame["svg"]


# ---- moments


def test_back_to_earlier_moments(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.zeros(4))
    for k in range(3):
        book.cell(f"t[{k}] = {k + 1}")
    assert (book.map.at, book.map.steps) == (3, 3)
    book.map.goto(1)
    assert book.map._facts()["cell"] == "1"
    assert [tile.full for tile in tiles(book.map).values() if tile.full] == ["1.", "0.", "0.", "0."]
    assert not [tile for tile in tiles(book.map).values() if tile.link], "the past is linked with nothing"
    book.map.checkpoint("one")
    book.cell("t[3] = 4")
    assert (book.map.at, book.map.steps) == (4, 4), "a cell brings the map to now"
    book.map.reset("one")
    assert book.map._facts()["cell"] == "1"
    book.map.reset()
    assert book.map.at == 4


def test_the_past_is_bounded(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.zeros(1))
    book.map.checkpoint("first")
    for _ in range(MOMENTS + 5):
        book.cell("t += 1")
    assert book.map.steps == MOMENTS - 1
    book.map.reset("first")
    assert book.map.at == book.map.steps, "that moment is gone: the newest is shown"
    assert book.map.goto(0)._facts()["cell"] == "6"


def test_a_quiet_look_between_cells_is_no_moment(made: list[MemoryMap]) -> None:
    book = Notebook(made, t=tk.zeros(1))
    book.map.look().look()
    assert book.map.steps == 0
    book.names["t"][0] = 3
    book.map.look()
    assert book.map.steps == 1
    assert "between two cells" in said(book.map)


def test_a_cell_that_shows_the_map_leaves_it_as_it_was(
    made: list[MemoryMap], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("IPython.display.display", lambda *_things, **_options: None)
    book = Notebook(made, t=tk.zeros(2))
    book.cell("t[1] = 3")
    book.names["shown"] = book.map
    book.cell("shown._ipython_display_()")
    assert (book.map.steps, book.map._facts()["cell"]) == (1, "1")
    book.cell("pass")
    assert book.map._facts()["cell"] == "3"
    book.cell("shown._ipython_display_()\nt[0] = 1")
    assert book.map._facts()["cell"] == "4"


def test_a_moment_that_is_kept_stays(made: list[MemoryMap], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("IPython.display.display", lambda *_things, **_options: None)
    book = Notebook(made, t=tk.zeros(2), u=tk.zeros(3), memory=None)
    book.names["memory"] = book.map
    book.cell("t[1] = 3")
    book.cell("kept = memory.keep('t')")
    kept: MemoryMap = book.names["kept"]
    made.append(kept)
    assert (book.map.steps, kept.steps, kept.at) == (1, 1, 1), "the cell that keeps is no moment"
    before = kept.text()
    assert order(kept) == ["t"]
    book.cell("t[0] = 5")
    assert kept.text() == before
    assert kept.look().text() == before
    assert book.map.steps == 2
    assert not [tile for tile in tiles(kept).values() if tile.link], "what is kept is linked with nothing"
    assert kept.back().at == 0
    kept.close()
    kept._ipython_display_()
    assert kept.steps == 1
    with pytest.raises(KeyError):
        book.map.keep("nowhere")


def test_nothing_of_a_tensor_is_kept(made: list[MemoryMap]) -> None:
    import weakref

    book = Notebook(made, t=tk.zeros(1000))
    held = weakref.ref(book.names["t"].untyped_storage())
    book.cell("del t")
    collect()
    assert held() is None
    assert "freed: 4 kB" in said(book.map)


# ---- options


def test_options(made: list[MemoryMap]) -> None:
    with pytest.raises(TypeError, match="namespace must be a mapping"):
        MemoryMap([tk.zeros(1)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="order must be one of"):
        MemoryMap({}, order="colour")
    with pytest.raises(TypeError, match="no option colour"):
        MemoryMap({}, colour="red")
    shown = MemoryMap({"a": tk.zeros(1), "b": tk.zeros(2)}, order="size", filter="a")
    made.append(shown)
    assert order(shown) == ["a"]
    assert shown.alt().startswith("MemoryMap, when the map was opened. 2 storages")


def test_a_look_that_failed_leaves_a_page(made: list[MemoryMap], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any) -> Any:
        raise RuntimeError("gone")

    monkeypatch.setattr(MemoryHook, "_look", lambda *_args: False)
    shown = MemoryMap({"a": tk.zeros(1)})
    made.append(shown)
    assert "Nothing has been looked at yet." in shown.text()
    with pytest.raises(RuntimeError, match="nothing has been looked at"):
        _ = shown.change


# ---- in a shell


def run(shell: InteractiveShell, code: str) -> None:
    shell.run_cell(code, store_history=True)


def test_it_follows_the_cells_of_a_notebook(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "from tensorkit_widgets import MemoryMap\nm = MemoryMap()")
    shown: MemoryMap = shell.user_ns["m"]
    run(shell, "t = tk.arange(6.0)")
    assert (shown._facts()["made"], shown._facts()["cell"]) == ("1", "2")
    run(shell, "t[2] = 9\n1 / 0")
    assert (shown._facts()["changed"], shown._facts()["error"]) == ("1", "ZeroDivisionError")
    run(shell, "t = t + 1")
    assert (shown._facts()["freed"], shown._facts()["rebound"]) == ("1", "1")
    explorer = StrideExplorer(shell.user_ns["t"])
    explorer._handle_custom_msg({"kind": "edit", "key": "t:1", "value": "77"}, [])
    assert [tile.full for tile in tiles(shown).values() if "changed" in tile.kinds] == ["77."]
    explorer.close()
    shown.close()
    assert not hook.on
    assert not cell_hook._alive
    run(shell, "t[0] = 3")
    assert shown._facts()["cell"] == ""
    shown._reopen()
    assert shown.steps == 0
    assert hook.on
    shown.close()
    capsys.readouterr()


def test_the_panel_shows_the_map_and_outlives_its_cell(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setitem(__import__("sys").modules, "sidecar", None)
    monkeypatch.setattr("IPython.display.display", lambda *things, **_options: shown.extend(things))
    request = {"metadata": {"cellId": "one"}, "header": {"msg_id": "1"}}
    monkeypatch.setattr(shell, "get_parent", lambda: request, raising=False)
    run(shell, "%load_ext tensorkit_widgets\n%memory_map")
    [(widget, _)] = magic._open
    assert isinstance(widget, MemoryMap)
    widget._ipython_display_()
    request["header"]["msg_id"] = "2"
    other = StrideExplorer(tk.zeros(2))
    assert not widget._closed, "another run of the cell that opened it does not close it"
    other.close()
    run(shell, "%memory_map off")
    assert widget._closed
    assert not hook.on


def test_a_hundred_tensors_are_drawn_in_time(made: list[MemoryMap]) -> None:
    book = Notebook(made)
    for k in range(100):
        book.names[f"t{k}"] = tk.arange(12.0)
    book.cell("pass")
    times = []
    for k in range(20):
        began = time.thread_time()
        book.cell(f"for k in range(10): globals()[f't{{k}}'][{k % 12}] = {k}")
        times.append(time.thread_time() - began)
    assert median(times) < 0.25, "a benchmark measures it; this finds a hang"
    assert len(book.map.frame["svg"]) < 120_000


def test_ten_thousand_cells_do_not_grow(shell: InteractiveShell) -> None:
    """A real shell's hooks, with a map that draws after each cell."""
    shown = MemoryMap()
    names = shell.user_ns
    info = SimpleNamespace(raw_cell="x = x + 1")

    def cells(count: int, begin: int) -> None:
        for k in range(begin, begin + count):
            names["x"] = tk.zeros(3) + k
            names["y"] = names["x"][1:]
            names["x"][0] = -1.0
            cell_hook._after_cell(SimpleNamespace(info=info, execution_count=k, error_in_exec=None))

    shown._paint = lambda *_args, **_options: True  # type: ignore[method-assign]  # drawing has its own count below
    cells(500, 0)
    before = weight()
    cells(9_000, 500)
    del shown._paint
    cells(1_000, 9_500)
    blocks, resident = (now - then for now, then in zip(weight(), before, strict=True))
    assert shown._facts()["cell"] == "10499"
    assert blocks < 20_000
    assert resident < 5_000_000
    shown.close()
