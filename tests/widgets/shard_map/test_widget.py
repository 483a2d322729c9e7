"""ShardMap: what it says is what the ranks hold, and what it predicts is what is sent."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from tensorkit_widgets import ShardMap
from tensorkit_widgets.drawing.sheet import Tile
from tensorkit_widgets.shard_map import model
from tensorkit_widgets.shard_map.words import box_words
from tests.distributed.inline import Inline, Part, mesh
from tests.widgets.shard_map import maps

PLACED = (Replicate(), Shard(0), Shard(1))
WAYS = [
    (shape, before, after)
    for shape in ((4,), (2, 2))
    for before in product(PLACED, repeat=len(shape))
    for after in product(PLACED, repeat=len(shape))
]


def tiles(board: ShardMap, table: str) -> dict[str, Tile]:
    (found,) = (one for one in board._sheet_now().tables if one.key == table)
    return {tile.key: tile for tile in found.tiles}


def press(board: ShardMap, kind: str, **more: Any) -> None:
    board._heard(None, {"kind": kind, **more}, [])


# ---- who holds what


@pytest.mark.parametrize("placements", list(product(PLACED, repeat=2)))
@pytest.mark.parametrize("size", [(7, 5), (8, 8), (1, 3)])
def test_each_line_says_what_a_rank_holds(size: tuple[int, int], placements: tuple[Any, Any]) -> None:
    full = tk.arange(float(size[0] * size[1])).view(*size)
    t = distribute_tensor(full, mesh(2, 2), placements)
    w = ShardMap(t, name="t")
    for rank in range(4):
        part, said = t.to_local(rank), tiles(w, "ranks")[f"has:{rank}"].text
        assert said.endswith(f"{part.numel() * 4} bytes")
        box = w._of.layout.box(rank)
        assert said.startswith(box_words(size, box))
        assert tk.equal(full[tuple(slice(*one) for one in box)], part)
    drawn = {tile.label.split()[1] for tile in tiles(w, "held").values()}
    assert drawn == {str(rank) for rank in range(4) if t.to_local(rank).numel()}


def test_blocks_are_as_large_as_their_share_and_have_the_number_of_their_rank() -> None:
    w = ShardMap((7, 5), [Shard(0)], mesh=(2,))
    first, second = tiles(w, "held").values()
    assert (first.text, second.text) == ("0", "1")
    assert first.dim != second.dim
    assert first.height > second.height
    assert first.y + first.height == pytest.approx(second.y)


def test_copies_lie_on_one_another_each_with_its_number() -> None:
    w = ShardMap((6, 4), [Replicate()], mesh=(3,))
    found = list(tiles(w, "held").values())
    assert [tile.text or tile.tag for tile in found] == ["0", "1", "2"]
    assert len({(tile.x, tile.y) for tile in found}) == 3
    assert "Each element is on 3 ranks: 288 bytes for a tensor of 96 bytes." in w.text()


def test_parts_of_a_sum_are_joined_by_its_sign_and_copies_of_a_part_are_not() -> None:
    rows: Any = distribute_tensor(tk.ones(6, 6), mesh(4), [Shard(0)])
    t = rows.sum(0)
    w = ShardMap(t, name="s")
    assert [tile.text or tile.tag for tile in tiles(w, "held").values()] == ["0", "+ 1", "+ 2", "+ 3"]
    assert "the tensor is the sum of these parts" in w.text()
    two = ShardMap((4, 4), [Partial("max"), Replicate()], mesh=(2, 2))
    assert [tile.text or tile.tag for tile in tiles(two, "held").values()] == ["0", "1", "max 2", "3"]


@pytest.mark.parametrize(
    ("size", "placements", "shape", "words"),
    [
        ((5, 6), [Shard(0)], (4,), ["cut unevenly: 5 elements are 2, 2, 1", "Rank 3 has an empty part"]),
        ((3,), [Shard(0)], (8,), ["Ranks 3, 4, 5, 6, 7 have an empty part"]),
        ((0, 4), [Shard(0)], (2,), ["It has no elements: its size is (0, 4)"]),
        ((40, 2), [Shard(0)], (20,), ["Ranks 8 to 19 are not drawn"]),
        ((4, 4, 4), [Shard(0), Shard(1), Shard(2)], (2, 2, 2), ["Dimension 2 is cut too"]),
        ((), [Replicate()], (2,), ["the number, 4 bytes"]),
    ],
)
def test_what_is_particular_is_said(
    size: tuple[int, ...], placements: list[Any], shape: tuple[int, ...], words: list[str]
) -> None:
    text = ShardMap(size, placements, mesh=shape).text()
    assert all(one in text for one in words), text


def test_a_plan_begins_no_cluster_and_imports_nothing_of_dask() -> None:
    program = """
import sys
from tensorkit.distributed.tensor import Shard
from tensorkit_widgets import ShardMap
ShardMap((7, 5), [Shard(0)], mesh=(2,)).to(Shard(1)).move().ask()
print(sorted({"dask", "distributed"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[]\n", done.stderr


def test_what_is_no_tensor_or_does_not_fit_is_refused_with_a_sentence() -> None:
    t = maps.squares()
    refused: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: ShardMap((2, 2)), TypeError, "has to know the mesh"),
        (lambda: ShardMap(t, mesh=(4,)), TypeError, "leave mesh and placements out"),
        (lambda: ShardMap("t", mesh=(4,)), TypeError, "cannot draw str"),
        (lambda: ShardMap((2, 2), mesh=(0,)), ValueError, "how many ranks"),
        (lambda: ShardMap((2, 2), mesh=(257,)), ValueError, "up to 256 ranks"),
        (lambda: ShardMap((2, 2), [Shard(0)], mesh=(2, 2)), ValueError, "same length"),
        (lambda: ShardMap((2, 2), [Shard(2)], mesh=(2,)), IndexError, "out of range"),
        (lambda: ShardMap(t).to(Shard(0), Shard(1)), ValueError, "the mesh has 1 dimensions"),
        (lambda: ShardMap(t).ask("me"), ValueError, "one of the kinds"),
        (lambda: ShardMap(t).ask(index=(8, 0)), IndexError, "has no element"),
        (lambda: ShardMap((0, 4), mesh=(2,)).ask(), ValueError, "without elements"),
    ]
    for wrong, error, words in refused:
        with pytest.raises(error, match=words):
            wrong()


# ---- what is sent


@pytest.mark.parametrize(("shape", "before", "after"), WAYS)
def test_what_is_predicted_is_what_is_sent(shape: tuple[int, ...], before: Any, after: Any) -> None:
    full = tk.arange(35.0).view(7, 5)
    t = distribute_tensor(full, mesh(*shape), before)
    w = ShardMap(t, name="t").to(*after)
    predicted = w.predicted
    said: dict[tuple[int, int], int] = {}
    for step in w._plan():
        for source, target, nbytes in step.messages(4):
            said[source, target] = said.get((source, target), 0) + nbytes
    cluster: Any = t.device_mesh.cluster
    assert cluster.sent == [], "nothing has moved yet"
    w.move()
    sent: dict[tuple[int, int], int] = {}
    for source, target, nbytes in cluster.sent:
        sent[source, target] = sent.get((source, target), 0) + nbytes
    assert sent == said
    assert predicted == sum(sent.values())
    assert w.tensor is not None
    assert w.tensor.placements == after
    assert tk.equal(w.tensor.full_tensor(), full)
    assert t.placements == before, "the tensor that was given stays as it is"


def test_every_message_is_a_tile_with_its_bytes_and_lights_its_blocks() -> None:
    w = maps.rows_to_columns().run()
    found = tiles(w, "messages")
    assert found["message:1,2"].text == "16"
    assert found["message:1,1"].text == "stays"
    assert found["message:1,2"].label == "rank 1 → rank 2, rows 2–3, columns 4–5: 16 bytes"
    before, after = found["message:1,2"].kin
    one, other = tiles(w, "before")[before], tiles(w, "after")[after]
    assert (one.text, other.text) == ("1", "2")
    assert "12 messages, 192 bytes from rank to rank; 4 pieces stay, 64 bytes in all." in w.text()
    press(w, "message", key="message:1,2")
    assert [key for key, tile in tiles(w, "before").items() if "changed" in tile.kinds] == [before]
    assert [key for key, tile in tiles(w, "after").items() if "changed" in tile.kinds] == [after]
    assert "Rank 1 → rank 2, rows 2–3, columns 4–5: 16 bytes." in w.text()
    press(w, "message", key="message:1,2")
    assert not any("changed" in tile.kinds for tile in tiles(w, "before").values())


def test_four_megabytes_from_rows_to_columns_are_three_on_the_way() -> None:
    w = ShardMap(tk.ones(1000, 1000), [Shard(0)], mesh=(4,), name="t")
    assert w.to(Shard(1)).predicted == 3_000_000
    assert w.to(Replicate()).predicted == 12_000_000
    assert w.to(Shard(0)).predicted == 0
    assert w.steps == 0


def test_placements_are_chosen_and_moved_by_controls() -> None:
    t = maps.squares()
    w = ShardMap(t, name="t")
    place, move, *_ = w._controls()
    assert place.options == tuple((one, one) for one in ("Shard(0)", "Shard(1)", "Replicate()"))
    assert not move.enabled
    press(w, "place", name="0", value="Replicate()")
    assert (w.steps, w.predicted) == (1, 768)
    press(w, "undo")
    assert w.steps == 0
    press(w, "place", name="0", value="Shard(1)")
    press(w, "step")
    assert w._facts()["doing"] == "all_to_all"
    press(w, "move")
    assert w._facts()["placed"] == "[Shard(1)]"
    assert (
        w._shown()["said"] == "Moved to [Shard(1)]: 12 messages, 192 bytes from rank to rank, as predicted."
    )
    assert not w._shown()["undo"], "what has moved is not undone"
    assert w.at == w.steps == 0


def test_a_partial_tensor_can_stay_so_and_nothing_else_becomes_one() -> None:
    w = ShardMap((4, 4), [Partial()], mesh=(2,))
    assert [value for value, _ in w._controls()[0].options] == [
        "Partial()",
        "Shard(0)",
        "Shard(1)",
        "Replicate()",
    ]
    w.to(Shard(0)).move()
    assert [value for value, _ in w._controls()[0].options] == ["Shard(0)", "Shard(1)", "Replicate()"]


# ---- the cluster


@dataclass(eq=False)
class Watched(Inline):
    """A cluster that says where its ranks are."""

    held: Any = field(default_factory=dict)

    def holders(self) -> dict[int, str]:
        """As `Cluster` says it."""
        found: dict[int, str] = self.held() if callable(self.held) else self.held
        return found


@dataclass(frozen=True, eq=False)
class Later(Part):
    """What a rank is to hold."""

    status: str = "pending"


def watched(held: Any = None) -> tuple[DTensor, Watched]:
    cluster = Watched(2, held={0: "tcp://10.0.0.1:1", 1: "tcp://10.0.0.1:2"} if held is None else held)
    over: Any = cluster
    return distribute_tensor(tk.ones(4, 4), DeviceMesh("cpu", (2,), cluster=over), [Shard(0)]), cluster


def test_a_rank_without_a_worker_is_seen_and_its_successor() -> None:
    t, cluster = watched()
    w = ShardMap(t, name="t")
    assert "rank 1: worker 10.0.0.1:2" in w.text()
    cluster.held = {0: "tcp://10.0.0.1:1"}
    w.look()
    assert "Rank 1: its worker is gone, and its part is computed again" in w.text()
    assert "waits" in tiles(w, "held")["held:1:0"].kinds
    assert w._facts()["workers"] == "gone"
    cluster.held = {0: "tcp://10.0.0.1:1", 1: "tcp://10.0.0.1:3"}
    parts: Any = t._parts
    parts[1] = Later(1, None)
    w.refresh()  # as after every cell
    assert "rank 1: worker 10.0.0.1:3: its part is being computed" in w.text()
    parts[1] = Later(1, None, "finished")
    press(w, "look")
    assert "rank 1: worker 10.0.0.1:3, a new one" in w.text()
    assert "its part was computed again by the new one" in w.text()
    moved = ShardMap(t, name="t").to(Replicate())
    assert "worker 10.0.0.1:3\n" in moved.text() + "\n", "it was there when this picture was made"
    parts[1] = Later(1, None, "error")
    press(w, "look")
    assert "rank 1: worker 10.0.0.1:3: its part is lost" in w.text()


def test_looking_computes_nothing_that_is_only_noted() -> None:
    t, cluster = watched()
    ones: Any = t
    later = ones * 2 + 1
    before = list(cluster.tasks)
    w = ShardMap(later, name="later")
    assert "its part is not computed yet" in w.text()
    assert cluster.tasks == before


def test_a_cluster_that_does_not_answer_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "LOOK_S", 0.05)
    answer = threading.Event()
    t, cluster = watched(lambda: {answer.wait(60): ""})
    asked = threading.active_count()
    w = ShardMap(t, name="t")
    assert "did not say within 0.05 seconds" in w.text()
    w.refresh()
    assert threading.active_count() == asked + 1, "it is not asked again after every cell"
    answer.set()
    cluster.held = {0: "tcp://10.0.0.1:1", 1: "tcp://10.0.0.1:2"}
    press(w, "look")
    assert "did not say" not in w.text()


def test_a_cluster_that_fails_is_said_to() -> None:
    def gone() -> None:
        raise OSError("the scheduler is gone")

    t, _ = watched(gone)
    w = ShardMap(t, name="t")
    assert "does not say how its workers are: the scheduler is gone." in w.text()
    assert w.to(Shard(1)).predicted == 32


def test_a_closed_cluster_is_said_and_the_picture_stays() -> None:
    t, cluster = watched()
    w = ShardMap(t, name="t").to(Shard(1))
    cluster.closed = True
    w.look()
    assert "The cluster is closed" in w.text()
    assert not next(one for one in w._controls() if one.role == "move").enabled
    assert w.run().frame["svg"]
    assert "The cluster is closed" in ShardMap(t, name="t").text()


def test_a_move_that_is_refused_is_an_alert_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    t, cluster = watched()
    w = ShardMap(t, name="t").to(Shard(1))

    def refused(*_: Any) -> None:
        raise RuntimeError("a part was lost")

    monkeypatch.setattr(cluster, "submit", refused)
    press(w, "move")
    assert "a part was lost" in w._shown()["complaint"]
    assert w.tensor is t
    with pytest.raises(RuntimeError, match="a part was lost"):
        w.move()


def test_a_move_that_takes_long_goes_on_and_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    t, cluster = watched()
    arrived = threading.Event()
    monkeypatch.setattr("tensorkit_widgets.shard_map.widget.MOVE_S", 0.05)
    monkeypatch.setattr(cluster, "wait", lambda parts: arrived.wait(60))
    w = ShardMap(t, name="t").to(Shard(1))
    press(w, "move")
    assert w._shown()["said"] == "It is still moving to [Shard(1)]: press Look again."
    assert w._facts()["placed"] == "[Shard(1)]"
    arrived.set()


# ---- a question


def test_nothing_of_the_answer_is_shown_before_a_rank_is_pressed() -> None:
    w = ShardMap((7, 5), [Shard(0)], mesh=(4,), name="t").to(Shard(1)).ask(index=(6, 0))
    for shown in (w.text(), w.svg(), w.alt(), w.frame["svg"]):
        assert "rows" not in shown
        assert "bytes" not in shown
    assert w.steps == 0
    assert {table.key for table in w._sheet_now().tables} == {"asked", "guesses"}
    assert [one.role for one in w._controls()] == ["give-up"]
    press(w, "place", name="0", value="Replicate()")
    assert w.answer is None
    press(w, "guess", key="guess:3")
    assert w.answer == 3
    assert "As you predicted: rank 3 holds t[6, 0], with row 6, columns 0–4." in w.text()
    assert "changed" in tiles(w, "held")["held:3:0"].kinds


def test_a_wrong_owner_is_told_which_rank_it_is() -> None:
    w = ShardMap((7, 5), [Shard(0)], mesh=(2,), name="t").ask(index=(3, 0))
    press(w, "guess", key="guess:1")
    assert "Not rank 1: rank 0 holds t[3, 0], with rows 0–3, columns 0–4." in w.text()
    press(w, "ask", name="owner")
    assert w.answer is None
    press(w, "give-up")
    assert w.answer is None
    assert "rank 1 holds t[6, 4], with rows 4–6" in w.text()


def test_of_copies_each_holder_is_right() -> None:
    w = ShardMap((4, 4), [Replicate(), Shard(1)], mesh=(2, 2), name="t").ask(index=(0, 3))
    press(w, "guess", key="guess:3")
    assert "As you predicted: 2 ranks hold it, 1 and 3." in w.text()


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (0, "As you predicted: rank 0's data wins."),
        (1, "Not rank 1: rank 0's data wins."),
        (3, "Rank 3 holds the element, but its number came from rank 0."),
    ],
)
def test_rank_0s_data_wins_whose_ever_the_row_is(guess: int, words: str) -> None:
    w = ShardMap(maps.squares(), name="t").ask("winner")
    assert "Whose number is in t[7, 7] afterwards?" in w.text()
    press(w, "guess", key=f"guess:{guess}")
    assert words in w.text()


def test_the_same_question_is_not_asked_twice_in_a_row() -> None:
    w = ShardMap((7, 5), [Shard(0)], mesh=(2,), name="t")
    asked = []
    for _ in range(3):
        press(w, "ask", name="owner")
        asked.append(w._state.question.index)
        press(w, "give-up")
    assert asked == [(6, 4), (3, 4), (6, 4)]
