"""Boards on narrow pages: what 200 % leaves of a window, in a notebook and on the stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.tensor import Partial, Replicate, Shard
from tensorkit_widgets import (
    BitView,
    BoxedMemory,
    BroadcastExplorer,
    ConvExplorer,
    ImageView,
    IndexExplorer,
    MatmulExplorer,
    ReductionExplorer,
    ShardMap,
    TrainingView,
)
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import WIDTHS
from tensorkit_widgets.drawing.sheet import PAGE, Sheet, Table
from tensorkit_widgets.widget.board import Board
from tests.widgets.board_examples import BOARDS

NARROW = [width for width in WIDTHS if width < PAGE]


def _long(*size: int) -> Any:
    """Numbers that take much room."""
    return (tk.arange(float(tk.empty(size).numel())) * -1.2345678 - 1000).view(*size)


def _apart(board: Board) -> Board:
    board._heard(None, {"kind": "apart", "value": True}, [])
    return board


def _trained() -> TrainingView:
    """A parameter under a long path, with a gradient; a loss, numbers and answers that take much room."""
    part = tk.nn.ParameterDict({"a_parameter_with_a_long_name": _long(7, 9, 8)})
    part["a_parameter_with_a_long_name"].grad = _long(7, 9, 8)
    view = TrainingView(tk.nn.ModuleDict({"an_encoder_with_many_layers": part}), name="a_model_of_some_size")
    view.record(-1234567.1)
    view.record(-1e-30, _long(7, 9), _long(7, 1), _long(7))
    return view


HARD: dict[str, Callable[[], Board]] = {
    "broadcast_large": lambda: BroadcastExplorer(
        _long(1000, 1), _long(7, 1, 200), names=("a" * 40, "b" * 40)
    ),
    "broadcast_ten": lambda: BroadcastExplorer(tk.ones(*(2,) * 10), tk.ones(2, 1)),
    "broadcast_row": lambda: BroadcastExplorer(tk.arange(5.0), tk.tensor(2.0)),
    "matmul_large": lambda: MatmulExplorer(_long(8, 9), _long(9, 8), names=("weights_of_it", "x")),
    "matmul_vector": lambda: MatmulExplorer(_long(2, 3), _long(3)),
    "matmul_tiled": lambda: MatmulExplorer(_long(5, 5), _long(5, 5), tile=3),
    "conv_large": lambda: ConvExplorer(_long(9, 9), _long(4, 4), padding=2, im2col=True).step(20),
    "bits_double": lambda: BitView(-1234567.1, dtypes=("float64", "int64", "uint8", "bool")),
    "bits_small": lambda: BitView(1e-300, dtypes=("float64", "float16")),
    "bits_cast_double": lambda: BitView(tk.tensor(-1e10 / 3, dtype=tk.float64)).cast("float32"),
    "boxed_long": lambda: BoxedMemory([1000.125 + k for k in range(20)]),
    "boxed_lists": lambda: BoxedMemory([[float(k) for k in range(7)] for _ in range(5)]),
    "boxed_ragged": lambda: BoxedMemory([[1.0, 2.0], [3.0]]),
    "boxed_nothing": lambda: BoxedMemory([]),
    "image_tall": lambda: _apart(ImageView(_long(3, 60, 20))),
    "image_grey": lambda: ImageView(_long(20, 60)),
    "image_four": lambda: ImageView(_long(4, 30, 30)),
    "reduction_large": lambda: ReductionExplorer(_long(2, 30, 40), "mean", (0, 1), True),
    "reduction_all": lambda: ReductionExplorer(_long(3, 4), "sum", None),
    "sharded_many": lambda: ShardMap(
        (1_000_000, 3, 50_000), [Shard(0), Shard(2)], mesh=(4, 8), name="weights_of_it"
    ).to(Shard(2), Replicate()),
    "sharded_ten": lambda: ShardMap((2,) * 10, [Shard(4), Shard(7), Shard(9)], mesh=(2, 2, 2)).to(
        Shard(7), Shard(4), Replicate()
    ),
    "sharded_number": lambda: ShardMap(tk.tensor(1.0), [Partial("max")], mesh=(8,)).to(Replicate()),
    "sharded_asks": lambda: ShardMap((7, 1_000_000), [Shard(1)], mesh=(8,), name="x").ask(),
    "training_long": _trained,
    "index_large": lambda: IndexExplorer(_long(5, 6, 7), "0, [0, 2, 2], 1:"),
}
OWN = (
    "bits",
    "boxed",
    "broadcast",
    "conv",
    "devices",
    "generator",
    "image",
    "index",
    "kernel",
    "matmul",
    "reduction",
    "sharded",
    "training",
)
"""MemoryMap and Trace have tests of their own."""
SHOWN = {name: make for name, make in {**BOARDS, **HARD}.items() if name.startswith(OWN)}


@pytest.fixture(params=list(SHOWN))
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    made = SHOWN[request.param]()
    yield made
    made.close()


def sheets(board: Board) -> Iterator[tuple[float, int, Sheet]]:
    """The sheet of the first, the second and the last step on every narrow page."""
    for width in NARROW:
        board._heard(None, {"kind": "room", "value": width + 9}, [])
        for k in sorted({0, min(1, board.steps), board.steps}):
            yield width, k, board._sheet(k)


def test_all_of_it_is_on_the_narrow_page(board: Board) -> None:
    for width, k, sheet in sheets(board):
        assert sheet.width <= width, k
        for tile in (tile for table in sheet.tables for tile in table.tiles):
            assert tile.x >= 0, (width, k, tile.key)
            assert tile.x + tile.width <= sheet.width - 4, (width, k, tile.key)
            assert tile.y + tile.height <= sheet.height, (width, k, tile.key)
            # A number does not fill its cell from wall to wall, but where it is as small as can be.
            spare = tile.width - len(tile.text) * MONO * tile.font
            least = min(8.0, MONO * tile.font) if tile.font > 8 and not tile.start else -1
            assert spare >= least, (width, k, tile.key, tile.text)
        for photo in sheet.photos:
            assert photo.x + photo.width <= sheet.width - 20, (width, k)
        for frame in sheet.frames:
            assert frame.x + frame.width <= sheet.width - 10, (width, k)


WIDE = {
    "title": 10.0, "heading": 8.6, "body": 7.0, "muted": 6.0, "code": 17 * MONO, "sum": 20 * MONO,
    "value": 25 * MONO, "alarm": 8.0, "big": 9.0, "good-words": 8.0, "copy-words": 8.0, "small": 6.0,
}  # fmt: skip
"""About how wide a character is, by the role of its note."""


def test_no_words_run_off_the_narrow_page(board: Board) -> None:
    for width, k, sheet in sheets(board):
        for note in (*sheet.notes, *(note for table in sheet.tables for note in table.notes)):
            long = len(note.text) * WIDE[note.role.split()[0]] + (
                len(note.after) * 7.0 + 12 if note.after else 0
            )
            left = note.x - {"start": 0.0, "middle": long / 2, "end": long}[note.anchor]
            assert left >= 0, (width, k, note.text)
            assert left + long <= sheet.width, (width, k, note.text)
            assert note.y <= sheet.height, (width, k, note.text)


def _ends(table: Table) -> tuple[float, float, float, float]:
    tiles = [tile for tile in table.tiles if "quiet" not in tile.kinds]
    return (
        min(t.x for t in tiles), min(t.y for t in tiles),
        max(t.x + t.width for t in tiles), max(t.y + t.height + (14 if t.below else 0) for t in tiles),
    )  # fmt: skip


def test_no_table_lies_on_another(board: Board) -> None:
    for width, k, sheet in sheets(board):
        drawn = [t for t in sheet.tables if any("quiet" not in tile.kinds for tile in t.tiles)]
        for one, other in combinations(drawn, 2):
            if one.key == "list" and other.key.startswith(("list:", "boxes")):
                continue  # the list stands beside its boxes, its head above them
            (a, b, c, d), (e, f, g, h) = _ends(one), _ends(other)
            assert not (a < g and e < c and b < h and f < d), (width, k, one.key, other.key)


def test_the_same_state_is_the_same_bytes_and_goes_back_to_the_wide_page(board: Board) -> None:
    wide = board.svg("light")
    for width in (*NARROW, 320.0):
        board._heard(None, {"kind": "room", "value": width}, [])
        assert board.svg("light") == board.svg("light")
    board._heard(None, {"kind": "room", "value": PAGE}, [])
    assert board.svg("light") == wide


def test_row_and_column_meet_as_long_as_their_numbers_can_be_read() -> None:
    w = MatmulExplorer(tk.arange(6.0).view(2, 3), tk.arange(12.0).view(3, 4))
    for width, meet in ((400, False), (600, True), (760, True)):
        w._heard(None, {"kind": "room", "value": width}, [])
        a, b, c = w.run()._sheet(w.at).tables
        assert (b.tiles[0].x == c.tiles[0].x and a.tiles[0].y == c.tiles[0].y) is meet, width
        assert all(tile.width >= 44 for tile in (*a.tiles, *b.tiles, *c.tiles))
    w.close()


def test_neighbours_of_a_number_stand_the_larger_one_above() -> None:
    w = BitView(0.1)
    w._heard(None, {"kind": "room", "value": 400}, [])
    tiles = {tile.key: tile for table in w._sheet(0).tables for tile in table.tiles}
    assert tiles["next:high"].y < tiles["next:this"].y < tiles["next:low"].y
    # How far they are stands beside the arrows, not over them.
    upright = r'd="M([\d.]+) [\d.]+L\1 .{,200}?<text [^>]*x="([\d.]+)"[^>]*style="text-anchor:start"'
    wires = re.findall(upright, w.svg("light"))
    assert len(wires) == 2
    assert all(float(label) >= float(line) + 10 for line, label in wires)
    w.close()


def test_the_slots_of_all_channels_of_a_pixel_stay_in_sight() -> None:
    w = ImageView(tk.arange(3 * 40 * 50).view(3, 40, 50))
    for width in WIDTHS:
        w._heard(None, {"kind": "room", "value": width}, [])
        (strip,) = (table for table in w._sheet(0).tables if table.key == "s")
        assert [tile.slot for tile in strip.tiles if "lit" in tile.kinds] == [0, 2000, 4000], width
    w.close()
