"""What holds for every board: deterministic, labelled, undoable, deaf to nonsense, and closed without a trace."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorkit as tk
from tensorkit_widgets import (
    BitView,
    BroadcastExplorer,
    ImageView,
    IndexExplorer,
    MatmulExplorer,
    MemoryMap,
    ReductionExplorer,
)
from tensorkit_widgets.snapshot.adapter import describe, link_of
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board
from tests.widgets.board_examples import BOARDS, FIXTURES, GOLDEN, frame_of, texts

ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@pytest.fixture(params=list(BOARDS))
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    made = BOARDS[request.param]()
    yield made
    made.close()


def steps(made: Board) -> Iterator[Any]:
    """The sheet of every step."""
    for k in range(made.steps + 1):
        yield made._sheet(k)


@pytest.mark.parametrize("name", list(BOARDS))
def test_the_text_of_every_step_is_the_golden_one(name: str) -> None:
    assert texts(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_no_golden_text_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(BOARDS)


def test_the_same_state_is_the_same_bytes(board: Board) -> None:
    for k in range(board.steps + 1):
        board.goto(k)
        for theme in (None, "light", "dark"):
            first = board.svg(theme)
            assert first == board.svg(theme)
            ElementTree.fromstring(first)
            assert not ADDRESS.search(first)
            assert "data-storage" not in first, "the number of a storage hangs on its address"
            assert "data-item" not in first
    assert not ADDRESS.search(board.text())


def links(made: Board) -> list[tuple[str, str]]:
    """The storage and the bytes of a slot, as the tiles on the page tell them."""
    found = ElementTree.fromstring(made.frame["svg"]).iter()
    return [(e.get("data-storage", ""), e.get("data-item", "")) for e in found if e.get("data-storage")]


def test_a_linked_tile_tells_the_bytes_of_its_slot(board: Board) -> None:
    tiles = [tile for table in board._sheet(board.at).tables for tile in table.tiles]
    told = [tile.link for tile in tiles if tile.link is not None]
    assert links(board) == [(str(link.storage), str(link.item)) for link in told]
    assert all((tile.slot is None) == (tile.link is None) for tile in tiles)


@pytest.mark.parametrize(
    "shown",
    [
        lambda t: BitView(t, index=(0, 1)),
        lambda t: BroadcastExplorer(t, tk.ones(2, 1)).run(),
        lambda t: ImageView(t),
        lambda t: IndexExplorer(t, "1:"),
        lambda t: MatmulExplorer(t, t.t()),
        lambda t: MemoryMap({"t": t}),
        lambda t: ReductionExplorer(t, "sum", dim=0),
    ],
)
def test_a_slot_has_the_bytes_of_the_tensors_own_dtype(shown: Callable[[Any], Board]) -> None:
    wide = tk.arange(4.0).view(2, 2)
    storage = str(link_of(describe(wide)).storage)
    for t, item in ((wide, "4"), (wide.view(tk.uint8), "1")):
        with closing(shown(t)) as made:
            assert {own for number, own in links(made) if number == storage} == {item}


def test_every_step_can_be_read_and_pointed_at(board: Board) -> None:
    for sheet in steps(board):
        tiles = [tile for table in sheet.tables for tile in table.tiles]
        keys = [tile.key for tile in tiles]
        assert len(keys) == len(set(keys)), "every tile has a name of its own"
        assert all(" " not in key for key in keys)
        assert all(tile.label for tile in tiles)
        assert all(table.label for table in sheet.tables)
        assert sheet.title
        assert sheet.words or not sheet.tables, "a picture says something"


def test_everything_is_on_the_page(board: Board) -> None:
    for k, sheet in enumerate(steps(board)):
        for table in sheet.tables:
            for tile in table.tiles:
                assert tile.x >= 0, (k, tile.key)
                assert tile.x + tile.width <= sheet.width + 1, (k, tile.key)
                assert tile.y + tile.height <= sheet.height + 1, (k, tile.key)
        for note in sheet.notes:
            assert 0 <= note.x <= sheet.width, (k, note.text)
            assert 0 <= note.y <= sheet.height + 1, (k, note.text)


def test_steps_go_on_and_back_and_to_a_checkpoint(board: Board) -> None:
    first = board.steps if board.moments == "moment" else 0  # of moments the newest is shown first
    assert board.at == first
    assert board.goto(0).back().at == 0
    assert board.run().at == board.steps
    assert board.step().at == board.steps
    board.checkpoint("there")
    assert board.reset().at == first
    assert board.reset("there").at == board.steps
    with pytest.raises(KeyError, match="no checkpoint is called 'elsewhere'"):
        board.reset("elsewhere")


def test_nonsense_from_a_browser_changes_nothing(board: Board) -> None:
    roles = [control.role for control in board._controls()]
    actions = {tile.action for sheet in steps(board) for table in sheet.tables for tile in table.tiles}
    board.reset()
    values = [None, -1, 10**12, True, 3.5, "", "x" * 5000, "__import__('os')", [], {}, "<script>"]
    for kind in [*roles, *actions, "goto", "reset", "step ", "edit", "__class__", ""]:
        for value in values:
            board._heard(None, {"kind": kind, "value": value, "key": value, "serial": value}, [])
            assert board.frame["svg"], (kind, value, board.frame["reason"])
    for message in (None, 3, "step", [], {}, {"kind": 3}):
        board._heard(None, message, [])
    json.dumps(board.frame)


def test_no_neighbour_covers_the_frame_of_a_tile(board: Board) -> None:
    framed = {"good", "bad", "made", "changed", "seam"}
    for at in range(min(board.steps, 12) + 1):
        board.goto(at)
        tiles = [tile for table in board._sheet_now().tables for tile in table.tiles]
        wanted = [f"tk-rim tk-rim-{kind}" for tile in tiles for kind in tile.kinds if kind in framed]
        groups = [g for g in ElementTree.fromstring(board.svg()).iter() if g.get("class") == "tk-tabled"]
        drawn = [[part.get("class", "") for part in g] for g in groups]
        assert sorted(c for part in drawn for c in part if c.startswith("tk-rim")) == sorted(wanted)
        for part in drawn:
            rims = [k for k, c in enumerate(part) if c.startswith("tk-rim")]
            assert all(k > part.index("tk-table") for k in rims), "drawn after the tiles"


def test_a_saved_page_stands_alone(board: Board, tmp_path: Path) -> None:
    page = board.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("<template") == 3 * (board.steps + 1), "every step, for three widths"
    assert not re.search(r"""(?:src|href)=["']https?:""", page)
    assert board.save(tmp_path / "x.txt").read_text(encoding="utf-8") == board.text() + "\n"
    ElementTree.fromstring(board.save(tmp_path / "x.svg").read_text(encoding="utf-8"))


def test_it_is_laid_out_for_the_room_that_is_named(board: Board) -> None:
    before, narrowest = board.svg(), min(board.widths)
    assert f'viewBox="0 0 {narrowest:g} ' in board.svg(width=narrowest)
    assert board.svg(width=max(board.widths)) == before == board.svg()


def test_the_static_picture_and_its_words(board: Board) -> None:
    still = board._still()
    assert still["text/plain"] == board.text()
    assert "data:image/svg+xml;base64," in still["text/html"]
    assert board.alt()


def test_closing_leaves_nothing_behind(board: Board) -> None:
    assert board in cell_hook._alive
    board.close()
    assert board not in cell_hook._alive
    assert board.refresh() is False


@pytest.mark.parametrize("name", list(BOARDS))
def test_an_unknown_option_is_refused(name: str) -> None:
    made = BOARDS[name]()
    made.close()
    with pytest.raises(TypeError):
        type(made)(colour="red")


def test_the_fixture_of_the_browser_tests_is_of_today() -> None:
    kept, now = json.loads(FIXTURES.read_text(encoding="utf-8")), frame_of("broadcast")
    assert kept["svg"] == now["svg"]
    assert kept["facts"] == now["facts"]


@pytest.mark.parametrize("name", [name for name in BOARDS if not name.startswith(("boxed", "memory"))])
def test_pages_of_equal_boards_are_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Whatever memory the tensors lie in; measured bytes and addresses of a list's boxes are another matter."""
    held = [tk.zeros(1000) for _ in range(3)]  # so that the second board's tensors lie elsewhere
    one, other = BOARDS[name](), BOARDS[name]()
    pages = [made.save(tmp_path / f"{k}.html").read_bytes() for k, made in enumerate((one, other))]
    one.close()
    other.close()
    assert len(held) == 3
    assert pages[0] == pages[1]
