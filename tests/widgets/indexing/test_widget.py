"""IndexExplorer: the engine's own choice, whatever stands between the brackets, and where a write goes."""

from __future__ import annotations

import itertools
import warnings
from math import prod
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.indexing.model import as_items, as_list, as_slice, chosen_by, is_basic
from tensorkit_widgets.indexing.parse import parse_pick
from tensorkit_widgets.indexing.widget import IndexExplorer
from tensorkit_widgets.snapshot.expression import NotAllowed, show_index
from tensorkit_widgets.snapshot.window import Window
from tests.torch_oracle import require_torch

INDICES = [
    "1:", "1:, ::2", "..., -1", "None, 1", "-1", "2, 3", ":, None, 1:3", "[0, 2]", "1:, [0, 2, 2]", "[0, 1], [1, 2]",
    "[2, 0], :", "t > 3", "(t > 3) & ~(t == 5)", "t[:, 0] > 3", "[True, False, True]", "t[1] != 6, 1:", "True",
    "[[0, 1], [1, 2]]", "[]", "0:0", "...", "1, ..., [0, 0]", ":, t[0] >= 2", "None, [1], None", "t[0, 0] == 0",
]  # fmt: skip


def tiles(w: IndexExplorer) -> dict[str, Any]:
    return {tile.key: tile for table in w._sheet(w.at).tables for tile in table.tiles}


def send(w: IndexExplorer, kind: str, value: Any = None, key: str | None = None) -> IndexExplorer:
    w._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return w


def test_a_strip_with_a_copy_below_it_does_not_cover_the_tensor() -> None:
    """In a frame of a screen of 900 pixels the two strips took nearly half, and the tensor was behind them."""
    drawn = IndexExplorer(tk.arange(12.0).view(3, 4), "[0, 1], [1, 2]").run().frame["svg"]
    assert 'data-most="0.4"' in drawn


def complaint(w: IndexExplorer) -> str:
    return str(w.frame["facts"]["complaint"])


def having(w: IndexExplorer, kind: str, table: str) -> set[str]:
    return {key for key, tile in tiles(w).items() if kind in tile.kinds and key.startswith(table)}


@pytest.mark.parametrize("text", INDICES)
@pytest.mark.parametrize("library", ["tensorkit", "numpy", pytest.param("torch", marks=pytest.mark.parity)])
def test_every_choice_is_the_engines(text: str, library: str) -> None:
    home: Any = {"tensorkit": tk, "numpy": numpy}.get(library) or require_torch()
    t = home.arange(12.0).reshape(3, 4)
    w = IndexExplorer(t, text).goto(2)
    try:
        warnings.simplefilter("ignore")  # lists of lists are on their way to another meaning, PyTorch says
        real = numpy.asarray(eval(f"t[{text}]", {"t": t}))
    except Exception as error:
        assert w.status == "refused"
        assert w.error == f"{type(error).__name__}: {error}"  # noqa: PT017
        return
    assert w.error == ""
    assert w.size == real.shape
    index = parse_pick(text).indices[0]
    found = w._found().result
    origin = chosen_by(t, index, found, Window((0,) * real.ndim, real.shape))
    base = numpy.asarray(t)
    assert len(origin) == real.size
    assert all(base[place] == real[cell] for cell, place in origin.items())
    shared = numpy.shares_memory(base, numpy.asarray(found)) if real.size else None
    if shared is not None:
        assert w.status == ("view" if shared else "copy")


def test_chosen_cells_and_result_are_linked() -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), "1:, [0, 2, 2]").goto(2)
    assert having(w, "lit", "t:") == {"t:1,0", "t:1,2", "t:2,0", "t:2,2"}
    assert tiles(w)["t:1,2"].kin == ("r:0,1", "r:0,2")
    assert tiles(w)["r:1,2"].kin == ("t:2,2",)
    assert "×2" in tiles(w)["t:1,2"].tag
    assert "chosen 2 times" in tiles(w)["t:1,2"].label
    ends = [wire.ends for wire in w._sheet(2).wires]
    assert ends == [
        ("s:4", "c:0"),
        ("s:6", "c:1"),
        ("s:6", "c:2"),
        ("s:8", "c:3"),
        ("s:10", "c:4"),
        ("s:10", "c:5"),
    ]
    assert tiles(w)["s:4"].link != tiles(w)["c:0"].link
    assert not having(w.goto(0), "lit", "t:")
    assert "r:0,0" not in tiles(w.goto(1))


def test_a_view_has_one_storage() -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), "1:, ::2").goto(2)
    assert w.status == "view"
    assert tiles(w)["r:1,1"].slot == tiles(w)["t:2,2"].slot == 10
    assert tiles(w)["r:1,1"].link == tiles(w)["t:2,2"].link == tiles(w)["s:10"].link
    assert "c:0" not in tiles(w)
    assert w._sheet(2).wires == ()


def test_a_chained_write_is_lost_and_the_tensor_is_never_touched() -> None:
    t = tk.arange(12.0).view(3, 4)
    w = IndexExplorer(t, "t[[0, 1]][0] = 5").run()
    assert (w.steps, w.status) == (4, "copy")
    assert having(w, "changed", "t:") == having(w, "changed", "s:") == set()
    assert having(w, "changed", "r:") == {"r:0,0", "r:0,1", "r:0,2", "r:0,3"}
    assert tiles(w)["r:0,0"].full == "5."
    assert tiles(w)["t:0,1"].full == "1."
    assert "t stays as it was" in w.text()
    view = IndexExplorer(t, "t[:2][0] = 5").run()
    assert having(view, "changed", "t:") == {"t:0,0", "t:0,1", "t:0,2", "t:0,3"}
    assert tiles(view)["t:0,3"].full == "5."
    assert "arrives in t" in view.text()
    straight = IndexExplorer(t, "t[[0, 1], 0] = 5").run()
    assert having(straight, "changed", "t:") == {"t:0,0", "t:1,0"}
    assert "nothing is fetched" in straight.text()
    assert t.tolist() == tk.arange(12.0).view(3, 4).tolist()
    real = t.clone()
    real[[0, 1]][0] = 5
    assert tk.equal(real, t)
    real[:2][0] = 5
    assert real[0].tolist() == [5.0] * 4


def test_refused_writes_are_the_engines_own() -> None:
    w = IndexExplorer(tk.ones(1).expand(3), "t[:] = 5").run()
    assert "The engine refuses this write" in w.text()
    assert "refers to a single memory location" in w.text()


def test_second_brackets_choose_in_the_result() -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), "t[1:][:, 0]").run()
    assert w.steps == 3
    assert having(w, "lit", "r:") == {"r:0,0", "r:1,0"}
    assert IndexExplorer(tk.arange(3), "t[1:][5]").status == "refused"


@pytest.mark.parametrize(
    ("text", "error", "dim"),
    [
        ("5", "IndexError: index 5 is out of bounds for dimension 0 with size 3", "dim 0"),
        (":, [0, 4]", "IndexError: index 4 is out of bounds for dimension 0 with size 4", "dim 1"),
        ("[True, False]", "IndexError: The shape of the mask [2] at index 0", "dim 0"),
        ("[0, 1], [1, 2, 3]", "IndexError: shape mismatch", ""),
        ("0, 0, 0", "IndexError: too many indices for tensor of dimension 2", ""),
        ("::-1", "ValueError: step must be greater than zero", ""),
        ("1.5", "IndexError: only integers, slices", ""),
    ],
)
def test_refusals_name_the_dimension(text: str, error: str, dim: str) -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), text)
    assert w.status == "refused"
    assert w.error.startswith(error)
    assert w.error in w.text()
    bad = [tile.label for tile in tiles(w).values() if "bad" in tile.kinds]
    assert [label.partition(":")[0] for label in bad] == ([dim] if dim else [])
    assert ("counts the dimensions as it fetches them" in w.text()) == ("[0, 4]" in text), (
        "PyTorch says dimension 0"
    )
    assert tiles(w)["t:2,3"].full == "11."


def test_pressing_cells_makes_a_mask() -> None:
    t = tk.arange(6.0).view(2, 3)
    w = IndexExplorer(t, "0")
    send(w, "pick", key="t:1,1")
    assert w.code == "t[mask]"
    assert w.mask == ((0, 0), (0, 1), (0, 2), (1, 1))
    send(w, "pick", key="t:0,0")
    assert w.size == (3,)
    assert [tiles(w)[f"r:{k}"].full for k in range(3)] == ["1.", "2.", "4."]
    send(w, "index", "t[~mask]")
    assert w.size == (3,)
    send(w, "pick", key="t:7,7")
    assert w.code == "t[~mask]"
    w.undo().undo()
    assert w.mask == ((0, 0), (0, 1), (0, 2), (1, 1))


def test_slices_and_lists_change_places() -> None:
    t = tk.arange(12.0).view(3, 4)
    w = IndexExplorer(t, "1:, ::2")
    send(w, "swap-1")
    assert (w.code, w.status) == ("t[1:, [0, 2]]", "copy")
    send(w, "swap-0")
    assert (w.code, w.size) == ("t[[1, 2], [0, 2]]", (2,))
    assert "pairs, not a block" in w.text()
    send(send(w, "swap-0"), "swap-1")
    assert (w.code, w.status) == ("t[1:, ::2]", "view")
    send(w, "index", "[0, 2, 1]")
    send(w, "swap-0")
    assert "cannot be written as a slice" in complaint(w)
    assert w.code == "t[[0, 2, 1]]"
    long = send(IndexExplorer(tk.zeros(1000), ":"), "swap-0")
    assert "too long to write down" in complaint(long)


def test_typing_an_expression() -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), "0")
    send(w, "index", "t[:, 1]")
    assert (w.size, w.at) == ((3,), 2)
    send(w, "index", "__import__('os').system('ls')")
    assert "not allowed here" in complaint(w)
    assert w.code == "t[:, 1]"
    send(w, "index", "t[9]")
    assert w.status == "refused"
    w.undo()
    assert w.status == "view"


@pytest.mark.parametrize(
    "text",
    [
        "", "x > 3", "t > t", "f(3)", "t[0][1][2]", "t[0] = [1]", "t.x", "1 < t < 3", "t['a']", "t[0]; t[1]",
        "t[0] **= 2", "t[0].add_(1, 2)", "t[0].zero_(1)",
        "t[0].add_(t)", "t[0].sin()", "t.add_(1)", "t[0].add_(alpha=1)",
        "t", "lambda: 0", "t[x]", "[i for i in t]", "t[0] = x", "0] = 5, x[1", "t @ t > 3", "(" * 60 + "t" + ")" * 60,
        "~" * 500 + "mask", "[" * 400, "x" * 5000, "t[\x00]", "t[0] = t", "not t", "t[(yield)]", "t[__name__]",
    ],
)  # fmt: skip
def test_nothing_else_is_read(text: str) -> None:
    with pytest.raises(NotAllowed, match=r"^not allowed here: "):
        parse_pick(text)


def test_what_is_read_is_written_the_same() -> None:
    for text in INDICES:
        assert parse_pick(f"t[{text}]").indices == parse_pick(text).indices or text in ("[0, 2]",)
        assert show_index(parse_pick(text).indices[0]) == text
    assert parse_pick("x[x > 0] = -1.5", "x").value == -1.5
    assert show_index(parse_pick("  t [ 0 ]").indices[0]) == "0"
    with pytest.raises(NotAllowed):
        parse_pick(3)  # type: ignore[arg-type]


def test_the_parts_of_an_index() -> None:
    assert [item.dims for item in as_items((None, slice(None), ...), 3)] == [(), (0,), (1,), (2,)]
    assert as_slice([3], 4) == slice(3, None)
    assert as_slice([0, -1], 5) == slice(None, None, 4)
    assert as_list(slice(None, None, 3), 10) == [0, 3, 6, 9]
    for size in (1, 4, 7):
        for start in range(size):
            for step in (1, 2, 3):
                places = list(range(start, size, step))
                assert list(range(size))[as_slice(places, size)] == places
    assert is_basic((0, ..., None))
    assert not is_basic([0])


def test_special_tensors() -> None:
    nan = IndexExplorer(tk.tensor([float("nan"), float("inf"), -0.0]), "t != 0").goto(2)
    assert nan.size == (2,)
    assert IndexExplorer(tk.zeros(0, 3), "[]").goto(2).frame["svg"]
    alone = IndexExplorer(tk.tensor(3.0), "...").goto(2)
    assert (alone.size, alone.status) == ((), "view")
    assert IndexExplorer(tk.tensor(3.0), "None").goto(2).size == (1,)
    many = IndexExplorer(tk.zeros((2,) * 10), "..., 0").goto(2)
    assert many.size == (2,) * 9
    assert many.frame["svg"]
    for dtype in ("bool", "int8", "bfloat16", "complex64"):
        t = tk.ones(2, 3, dtype=getattr(tk, dtype))
        assert IndexExplorer(t, "[1, 0], 1:").goto(2).size == (2, 2)
    meta = IndexExplorer(tk.empty(3, 4, device="meta"), "1:").goto(2)
    assert meta.size == (2, 4)
    assert meta.frame["svg"]
    grown = tk.ones(3, requires_grad=True)
    assert IndexExplorer(grown, "t[[0]][0] = 5").run().frame["svg"]


def test_a_large_tensor_opens_at_once_and_is_never_copied() -> None:
    t = tk.zeros(1).expand(1000, 1_000_000)
    w = IndexExplorer(t, "500:, 7").goto(2)
    assert (w.size, w.status) == ((500,), "view")
    assert "t:500,7" in tiles(w), "the picture goes to where something is chosen"
    assert IndexExplorer(t, "[0, 1]").size == (2, 1_000_000)
    copies = IndexExplorer(t, [*range(30)].__repr__())
    assert (copies.status, copies.error, copies.size) == ("unknown", "", None)
    assert (
        "The engine takes this index. This picture does not follow it: it would copy 30,000,000"
        in copies.text()
    )
    masked = IndexExplorer(t, "t > 3")
    assert (masked.status, masked.error) == ("unknown", "")
    assert "it would ask the mask about 1,000,000,000 numbers" in masked.text()
    send(w, "pick", key="t:500,7")
    assert "a mask by hand" in complaint(w)
    assert prod(t.size()) == 10**9


def test_many_dimensions_stay_on_the_page() -> None:
    w = IndexExplorer(tk.arange(3), "t[" + ", ".join(["None"] * 20) + ", [0, 2, 2]]").run()
    assert w.size == (*[1] * 20, 3)
    sheet = w._sheet(w.at)
    assert all(0 <= tile.x <= tile.x + tile.width <= sheet.width + 1 for tile in tiles(w).values())
    items = [tile for key, tile in tiles(w).items() if key.startswith("item:")]
    assert all(a.x + a.width <= b.x for a, b in itertools.pairwise(items))


def test_numpy_in_its_own_way() -> None:
    a = numpy.arange(6).reshape(2, 3)
    assert IndexExplorer(a, "::-1").status == "view"
    lone = IndexExplorer(a, "1, 2").goto(2)
    assert lone.status == "copy"
    assert "lone number" in lone.text()


def test_names_and_options() -> None:
    x = tk.arange(3)
    assert IndexExplorer(x, "x[x > 0]", name="x").code == "x[x > 0]"
    w = IndexExplorer(x, "t[0]", name="<script>alert(1)</script>")
    assert "<script>" not in w.svg()
    with pytest.raises(NotAllowed):
        IndexExplorer(x, "y[0]", name="x")
    with pytest.raises(TypeError, match="cannot draw list"):
        IndexExplorer([1])


# ---- writes


WRITES = ["t[t > 3] = 0", "t[1] = 7", "t[1].add_(1)", "t[[0, 1]].mul_(2)", "t[[1, 0]] += 1", "t[1:] -= 2",
          "t[1][[0]].zero_()",
          "t[0][1:].fill_(9)", "t[[0, 1]][0] = 5", "t[1][1] = 5", "t[0].neg_()", "t[t > 3][0] = 1"]  # fmt: skip


@pytest.mark.parametrize("text", WRITES)
@pytest.mark.parametrize("turned", [False, True])
def test_a_write_does_what_the_engine_does(text: str, turned: bool) -> None:
    t = tk.arange(20.0).view(5, 4)[1:4]
    t = t.t() if turned else t
    before = t.tolist()
    w = IndexExplorer(t, text, name="t").run()
    real = t.clone()
    exec(text, {"t": real})
    drawn = {key: tile.full for key, tile in tiles(w).items() if key.startswith("t:")}
    values = {f"t:{i},{j}": real[i, j].item() for i in range(real.size(0)) for j in range(real.size(1))}
    assert drawn == {key: f"{value:g}." for key, value in values.items()}
    assert t.tolist() == before, "a picture writes into a twin"
    changed = {key for key in values if having(w, "changed", key)}
    assert changed >= {k for k, v in values.items() if v != t[tuple(map(int, k[2:].split(",")))].item()}


def test_a_plain_write_fetches_nothing() -> None:
    w = IndexExplorer(tk.arange(12.0).view(3, 4), "t[t > 3] = 0")
    assert (w.status, w.steps) == ("write", 2)
    for at in range(3):
        sheet = w.goto(at)._sheet(at)
        assert not sheet.wires
        assert {table.key for table in sheet.tables} == {"items", "t", "s"}
        assert "copy" not in w.text()
    assert "nothing is fetched" in w.text()


def test_an_array_that_runs_backwards_keeps_its_slots_when_it_is_written() -> None:
    a = numpy.arange(12.0).reshape(3, 4)[::-1]
    w = IndexExplorer(a, "t[0] = 5", name="t").run()
    slots = {tile.below: tile.full for key, tile in tiles(w).items() if key.startswith("s:")}
    assert [slots[str(k)] for k in range(12)] == [*(f"{k}." for k in range(8)), *["5."] * 4]


def test_a_refusal_offers_what_works() -> None:
    t = tk.arange(12.0).view(3, 4)
    for text, offered in (
        ("t[0, 9]", "t[0, 3]"),
        ("t[0, 0, 0]", "t[0, 0]"),
        ("t[[0, 7]] = 1", "t[[0, 2]] = 1"),
    ):
        w = IndexExplorer(t, text)
        assert w.status == "refused"
        assert w.frame["facts"]["offers"] == [[offered, offered]]
        assert "what to do next" in w.svg()
        send(w, "offer", offered)
        assert (w.code, w.error) == (offered, "")
