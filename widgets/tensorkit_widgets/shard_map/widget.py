"""`ShardMap`: which rank holds which block of a sharded tensor, and the messages of a redistribution before they move.

>>> from tensorkit.distributed.tensor import Shard
>>> w = ShardMap((7, 5), [Shard(0)], mesh=(2,))
>>> print(w.text().splitlines()[3])
  0  rows 0–3, columns 0–4, 80 bytes
>>> w.to(Shard(1)).predicted
68
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.layout import Layout
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.distributed.tensor.redistribute import Transfer, transfers
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.shard_map.model import (
    ALIVE,
    MOST_RANKS,
    Question,
    Workers,
    bounded,
    is_closed,
    looked_at,
    planned,
    sharded,
)
from tensorkit_widgets.shard_map.scene import compose_shards
from tensorkit_widgets.shard_map.scene_page import Page
from tensorkit_widgets.shard_map.words import QUESTIONS, placed, price_words, written
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called
from tensorkit_widgets.widget.picture import css

MOVE_S = 10.0
"""How long the picture waits until what was moved has arrived; it goes on arriving after that."""
MOST_DIMS = 8
"""Dimensions that are offered to be cut."""


@dataclass(frozen=True)
class _State(State):
    wanted: tuple[Placement, ...] | None = None
    question: Question | None = None
    guess: int | None = None
    chosen: tuple[int, int] | None = None


@functools.lru_cache(maxsize=32)
def _steps_to(layout: Layout, wanted: tuple[Placement, ...]) -> tuple[Transfer, ...]:
    return tuple(transfers(layout, wanted))


class ShardMap(Board):
    """Who holds what of a sharded tensor; a redistribution step by step, each message with its bytes before it moves.

    Args:
        t: a DTensor; or a tensor of one machine or a size, to see how it would lie: then nothing is computed, and no
            cluster is begun.
        placements: of a tensor that is no DTensor, one for each dimension of ``mesh``; by default it is whole on each.
        mesh: of a tensor that is no DTensor, how many ranks there are along each dimension, as (4,) or (2, 2).
        name: what it is called; by default its name where the widget is made, else ``"t"``.

    Raises:
        TypeError: for something that is no tensor, or an unknown keyword.
        ValueError, IndexError: for placements that do not fit, and more than 256 ranks.
    """

    kind = "shard-map"
    live = ("_tensor",)
    styles = ("sheet.css", "board.css", "shard_map.css")
    _css = css(*styles)

    def __init__(
        self,
        t: Any,
        placements: Sequence[Placement] | None = None,
        *,
        mesh: Sequence[int] | None = None,
        name: str | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(
                f"ShardMap has no option {', '.join(sorted(unknown))}: it takes a tensor, placements, mesh and name"
            )
        word = called(t, "t", name)
        self._tensor: DTensor | None = t if isinstance(t, DTensor) else None
        if isinstance(t, DTensor):
            if placements is not None or mesh is not None:
                raise TypeError("a DTensor has its mesh and its placements: leave mesh and placements out")
            self._of = sharded(t, word)
        elif mesh is None:
            raise TypeError(
                f"ShardMap takes a DTensor; of a {type(t).__name__} it has to know the mesh: mesh=(4,)"
            )
        else:
            self._of = planned(t, mesh, placements, word)
        if len(self._of.layout.ranks) > MOST_RANKS:
            raise ValueError(
                f"ShardMap draws meshes of up to {MOST_RANKS} ranks, not {len(self._of.layout.ranks)}"
            )
        self._workers = Workers()
        self._homes: tuple[str, ...] = ()
        self._asked = 0
        self._ask_cluster()
        self._begin(_State())

    # ---- what Python sees

    @property
    def tensor(self) -> DTensor | None:
        """The DTensor that is drawn: after a move the one that `redistribute` gave; None for a plan."""
        return self._tensor

    @property
    def predicted(self) -> int:
        """The bytes that go from rank to rank on the way to the placements that are chosen."""
        with self._guard:
            return sum(step.bytes(self._of.itemsize) for step in self._plan())

    @property
    def answer(self) -> int | None:
        """The rank that was pressed for a question; None before that, or where it was given up."""
        guess = self._state.guess
        return None if guess is None or guess < 0 else int(guess)

    def to(self, *placements: Placement) -> ShardMap:
        """Choose placements, one for each dimension of the mesh, and see the steps to them; nothing moves.

        Raises:
            ValueError: for another number of placements.
        """
        with self._guard:
            if len(placements) != len(self._of.layout.mesh):
                raise ValueError(
                    f"the mesh has {len(self._of.layout.mesh)} dimensions, and {len(placements)} placements came"
                )
            self._change(wanted=placements, at=0, chosen=None, question=None)
            self._paint()
        return self

    def move(self) -> ShardMap:
        """Redistribute the tensor to the placements that are chosen; `tensor` is the new one.

        Raises:
            RuntimeError: when the cluster is closed, or a part is lost.
        """
        with self._guard:
            self._move()
            self._paint()
        return self

    def look(self) -> ShardMap:
        """Ask the cluster again how its workers are; a few seconds at the most."""
        with self._guard:
            self._ask_cluster()
            self._paint()
        return self

    def ask(self, kind: str = "owner", index: Sequence[int] | None = None) -> ShardMap:
        """Ask which rank holds an element ("owner"), or whose data is in it ("winner"); the answer is hidden.

        Args:
            index: the element; by default one at the end of a block.

        Raises:
            ValueError: for another kind, or a tensor without elements. IndexError: for an element that is not there.
        """
        with self._guard:
            self._put(kind, index)
            self._paint()
        return self

    # ---- the cluster

    def _ask_cluster(self) -> None:
        if self._tensor is not None:
            self._workers = looked_at(self._tensor, self._homes)
            self._homes = self._homes or self._workers.where

    def refresh(self) -> bool:
        """After every cell: look at the workers too, if the cluster answered the last time."""
        with self._guard:
            if not self._closed and self._workers.answered:
                self._ask_cluster()
        return super().refresh()

    def _move(self) -> None:
        steps = self._plan()
        if not steps:
            return
        after = steps[-1].after
        said = f"Moved to {written(after.placements)}: {price_words(steps, self._of.itemsize)}, as predicted."
        if self._tensor is None:
            self._of = replace(self._of, layout=after)
            said = f"Planned from here: {written(after.placements)}. No cluster has this tensor, so nothing was sent."
        else:
            moved = self._tensor.redistribute(placements=after.placements)
            try:
                bounded(moved.wait, MOVE_S)
            except TimeoutError:
                said = f"It is still moving to {written(after.placements)}: press Look again."
            self._tensor, self._of, self._homes = moved, sharded(moved, self._of.name), ()
            self._ask_cluster()
        self._change(wanted=None, at=0, chosen=None, question=None, guess=None)
        self._past, self._said = [], said  # undo does not bring it back

    # ---- the board

    def _plan(self) -> tuple[Transfer, ...]:
        wanted = self._state.wanted
        if wanted is None or self._open():
            return ()
        return _steps_to(self._of.layout, wanted)

    def _open(self) -> bool:
        """Whether a question waits for its answer."""
        return self._state.question is not None and self._state.guess is None

    def _steps(self) -> int:
        return len(self._plan())

    def _sheet(self, at: int) -> Sheet:
        state = self._state
        page = Page(
            self._of, self._plan(), at, self._workers, state.question, state.guess, state.chosen, self._width
        )
        return compose_shards(page)

    def _controls(self) -> Sequence[Control]:
        if self._open():
            return [Control("give-up", "button", "give up", title="show the answer without a prediction")]
        wanted = self._state.wanted or self._of.layout.placements
        out = []
        for dim, (now, chosen) in enumerate(zip(self._of.layout.placements, wanted, strict=True)):
            label = "place it" if len(wanted) == 1 else f"mesh dimension {dim}"
            options = tuple((placed(one), placed(one)) for one in self._offered(now))
            out.append(
                Control(
                    "place", "choice", label, placed(chosen), options, dim=None, name=str(dim), group="place"
                )
            )
        can = bool(self._plan()) and (self._tensor is None or not is_closed(self._tensor))
        out.append(Control("move", "button", "Move", enabled=can, title="carry it out", group="place"))
        if self._tensor is not None:
            out.append(
                Control(
                    "look", "button", "Look again", title="ask the cluster how its workers are", group="place"
                )
            )
        if self._of.nbytes:
            out += [
                Control("ask", "button", words, name=kind, group="place") for kind, words in QUESTIONS.items()
            ]
        return out

    def _offered(self, now: Placement) -> list[Placement]:
        offered: list[Placement] = [Shard(dim) for dim in range(min(len(self._of.layout.size), MOST_DIMS))]
        kept = [now] if isinstance(now, Partial) or now not in (*offered, Replicate()) else []
        return [*kept, *offered, Replicate()]

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, name, key = message.get("value"), message.get("name"), message.get("key")
        if kind == "place" and isinstance(name, str) and (dim := whole_number(name)) is not None:
            self._place(dim, value)
        elif kind == "move":
            self._move()
        elif kind == "look":
            self._ask_cluster()
        elif kind == "ask" and isinstance(name, str) and name in QUESTIONS:
            self._put(name, None)
        elif kind == "give-up" and self._open():
            self._change(guess=-1)
        elif kind == "guess" and isinstance(key, str) and self._open():
            rank = whole_number(key.partition(":")[2])
            if key.startswith("guess:") and rank in self._of.drawn:
                self._change(guess=rank)
        elif kind == "message" and isinstance(key, str) and key.startswith("message:"):
            pair = tuple(whole_number(part) for part in key[8:].split(","))
            if len(pair) == 2 and all(rank in self._of.drawn for rank in pair):
                self._change(chosen=None if pair == self._state.chosen else pair)

    def _place(self, dim: int, value: Any) -> None:
        now = self._of.layout.placements
        if dim >= len(now):
            return
        chosen = next((one for one in self._offered(now[dim]) if placed(one) == value), None)
        if chosen is not None and not self._open():
            wanted = [*(self._state.wanted or now)]
            wanted[dim] = chosen
            self._change(wanted=tuple(wanted), at=0, chosen=None, question=None, guess=None)

    def _put(self, kind: str, index: Sequence[int] | None) -> None:
        size, layout = self._of.layout.size, self._of.layout
        if kind not in QUESTIONS:
            raise ValueError(f"a question is of one of the kinds {', '.join(QUESTIONS)}, not {kind!r}")
        if not self._of.nbytes:
            raise ValueError("a tensor without elements has no owner to ask for")
        if index is None:
            some = [rank for rank in self._of.drawn if self._of.bytes(rank)]
            rank = some[-1] if kind == "winner" else some[(len(some) // 2 + self._asked) % len(some)]
            index = [b - 1 for _, b in layout.box(rank)]
            self._asked += 1
        if len(index) != len(size) or not all(0 <= i < n for i, n in zip(index, size, strict=True)):
            raise IndexError(f"size {tuple(size)} has no element {list(index)}")
        right = (0,) if kind == "winner" else tuple(self._of.holders(tuple(index)))
        self._change(question=Question(kind, tuple(index), right), guess=None, at=0, chosen=None)

    def _facts(self) -> Mapping[str, str]:
        steps, at, state = self._plan(), self.at, self._state
        return {
            "ranks": str(len(self._of.layout.ranks)), "placed": written(self._of.layout.placements),
            "wanted": written(state.wanted) if state.wanted else "", "bytes": str(self.predicted),
            "doing": steps[at - 1].name if at else "", "asked": state.question.kind if state.question else "",
            "guess": "" if state.guess is None else str(state.guess),
            "message": "{},{}".format(*state.chosen) if state.chosen else "",
            "workers": ",".join(how for how in self._workers.how if how != ALIVE),
        }  # fmt: skip
