"""What the map says of a cell is what the cell did: a new size is no write, and a name is what the learner wrote."""

from __future__ import annotations

import pytest

import tensorkit as tk
from tensorkit_widgets import MemoryMap
from tensorkit_widgets.namespace.find_tensors import scan


@pytest.mark.parametrize(("code", "size"), [("unsqueeze_", (1, 3)), ("t_", (4, 3)), ("squeeze_", (3,))])
def test_a_new_size_in_place_writes_no_number(code: str, size: tuple[int, ...]) -> None:
    first = {
        "unsqueeze_": tk.arange(3.0),
        "t_": tk.arange(12.0).view(3, 4),
        "squeeze_": tk.arange(3.0).view(1, 3),
    }
    names = {"us": first[code]}
    shown = MemoryMap(names)
    getattr(names["us"], code)(*([0] if code == "unsqueeze_" else []))
    text = shown.look().text()
    assert tuple(names["us"].size()) == size
    assert "no number was written" in text
    assert "in place" not in text
    shown.close()


def test_a_write_beside_a_new_size_is_told() -> None:
    names = {"us": tk.arange(3.0)}
    shown = MemoryMap(names)
    names["us"].unsqueeze_(0).add_(1)
    text = shown.look().text()
    assert "us: changed in place, slots 0–2" in text
    assert "us: size (1, 3), stride (3, 1), offset 0 now" in text
    names["us"].squeeze_(0).add_(0)
    assert "its version counter went up; the numbers are as they were" in shown.look().text()
    shown.close()


def test_what_the_learner_wrote_comes_before_an_output() -> None:
    t, grown = tk.ones(2), tk.ones(2, requires_grad=True)
    grown.sum().backward()
    found = scan({"_oh": {96: t, 97: grown.grad}, "L": [t], "w": grown}).found
    said = {id(one.tensor): [way.text for way in one.ways][:2] for one in found}
    assert said[id(t)] == ["L[0]", "Out[96]"]
    assert said[id(grown.grad)] == ["w.grad", "Out[97]"]
    shown = MemoryMap({"_oh": {96: t}, "L": [t]})
    assert "L[0] (also Out[96]): size (2,)" in shown.text()
    shown.close()


def test_of_many_storages_those_are_drawn_that_the_cell_had_to_do_with() -> None:
    names = {f"t{k}": tk.zeros(k + 1) for k in range(200)}
    shown = MemoryMap(names)
    for change, drawn in (
        (lambda: names.update(y=names["t150"][1:]), ["t150", "y"]),
        (lambda: names["t77"].add_(1), ["t77"]),
        (lambda: names.update(t3=names["t9"]), ["t3", "t9"]),
    ):
        change()
        shown.look()
        told = {
            tile.text for table in shown._sheet(shown.at).tables for tile in table.tiles if tile.key[0] == "h"
        }
        assert told <= {*drawn, ", ".join(drawn)}, told
        assert shown.frame["facts"]["data"]["drawn"] == "1"
    shown._heard(None, {"kind": "more"}, [])
    assert shown.frame["facts"]["data"]["drawn"] == "18"
    shown.close()


def test_a_write_out_of_sight_is_not_drawn_as_if_it_were_in_sight() -> None:
    names = {"big": tk.zeros(20_000)}
    shown = MemoryMap(names)
    names["big"][12_345] = 7
    shown.look()
    sheet = shown._sheet(shown.at)
    assert not any("changed" in tile.kinds for table in sheet.tables for tile in table.tiles)
    assert any("No slot in sight has changed" in note.text for note in sheet.notes)
    names["big"][3] = 7
    shown.look()
    sheet = shown._sheet(shown.at)
    assert any("changed" in tile.kinds for table in sheet.tables for tile in table.tiles)
    assert not any("No slot in sight" in note.text for note in sheet.notes)
    shown.close()


def test_bars_have_no_colour_of_a_dimension() -> None:
    t = tk.arange(12.0).view(3, 4)
    shown = MemoryMap({"t": t, "row": t[1], "column": t[:, 1]})
    bars = [tile for table in shown._sheet(0).tables for tile in table.tiles if "bar" in tile.kinds]
    assert len(bars) >= 3
    assert {tile.dim for tile in bars} == {None}
    shown.close()
