"""What the pictures of a sharded tensor have in common: all that they know, their measures, and their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit.distributed.tensor.redistribute import Transfer
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.shard_map.model import Question, Sharded, Workers
from tensorkit_widgets.shard_map.scene_blocks import drawn_dims
from tensorkit_widgets.shard_map.words import written
from tensorkit_widgets.snapshot.number_text import size_text

LEFT, TOP, CHIP = 28.0, 34.0, 34.0
WIDE = 760.0
"""A narrower page has its parts under one another."""
STYLES = ("shard_map.css",)


@dataclass(frozen=True, slots=True)
class Page:
    """All that the picture knows: the steps to the placements that were chosen, and the one that is shown (0: none).

    ``chosen`` is a message, from rank to rank.
    """

    of: Sharded
    steps: tuple[Transfer, ...]
    at: int
    workers: Workers
    question: Question | None = None
    guess: int | None = None
    chosen: tuple[int, int] | None = None
    page: float = PAGE

    @property
    def room(self) -> float:
        """The width between the margins."""
        return self.page - 2 * LEFT

    @property
    def wide(self) -> bool:
        """Whether its parts are side by side."""
        return self.page >= WIDE

    @property
    def absent(self) -> frozenset[int]:
        """The ranks without a worker."""
        return frozenset(rank for rank, how in enumerate(self.workers.how) if how == "gone")


def title_of(of: Sharded) -> str:
    """What is drawn, in a line."""
    mesh = " × ".join(map(str, of.layout.mesh))
    return f"{of.name}, size {size_text(of.layout.size)}, {of.dtype}, {written(of.layout.placements)} on {mesh} ranks"


def sentences(
    page: Page, x: float, y: float, words: Sequence[str], role: str = "body"
) -> tuple[list[Note], float]:
    """Words in lines of the page's width, and where they end."""
    font, high = (20.0, 25.0) if role == "title" else (16.0 if role != "body" else 15.0, 21.0)
    lines = [line for one in words for line in wrap(one, page.room - (x - LEFT), font)]
    return list(paragraph(x, y, lines, role, high)), y + high * len(lines)


def shortened(words: str, room: float) -> str:
    most = int(room / 7.2)
    return words if len(words) <= most else words[: most - 1].rstrip(" ,.:") + "…"


def left_out(page: Page) -> list[str]:
    left = len(page.of.layout.ranks) - len(page.of.drawn)
    behind = {p.dim for p in page.of.layout.placements if hasattr(p, "dim")} - set(
        drawn_dims([page.of.layout])
    )
    out = [f"Ranks {len(page.of.drawn)} to {len(page.of.layout.ranks) - 1} are not drawn."] if left else []
    if behind:
        out.append(f"Dimension {min(behind)} is cut too: blocks that lie on one another differ in it.")
    return out


def kinds_of(page: Page, rank: int) -> tuple[str, ...]:
    return ("waits",) if rank in page.absent else ("on",)
