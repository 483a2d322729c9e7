"""Which tensors of a call are drawn, and how much of each is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.snapshot.adapter import Snapshot
from tensorkit_widgets.snapshot.frozen_tensor import Seen
from tensorkit_widgets.snapshot.geometry import Ints, all_indices
from tensorkit_widgets.snapshot.window import Window
from tensorkit_widgets.tracing.recorder import TraceStep

MOST_IN, MOST_OUT = 2, 2


@dataclass(frozen=True, slots=True)
class Block:
    """One tensor in the picture.

    Attributes:
        key: what its tiles' names begin with.
        title, role: what it is called, and what it is to the call: in, before, now, out.
        bad: dimensions that failed; ``strides`` says that it is their strides that do not fit.
        changed: elements that were written.
    """

    key: str
    title: str
    role: str
    seen: Seen
    bad: Ints = ()
    strides: bool = False
    changed: frozenset[Ints] = frozenset()

    @property
    def after(self) -> bool:
        """Whether it is drawn on the right of the arrow."""
        return self.role in ("out", "now")


def key_of(block: str, index: Sequence[int]) -> str:
    """The name of an element's tile."""
    return f"{block}:{','.join(map(str, index))}"


def blocks_of(step: TraceStep) -> tuple[list[Block], list[Block]]:
    """What went in and what came out; of a write, before and after. More than a picture holds are left out."""
    written = {write.operand for write in step.writes}
    failed = step.failure.diagnosis if step.failure is not None else None
    culprits = () if failed is None else failed.culprits
    strides = failed is not None and failed.name == "view-strides"
    before = [
        Block(
            f"in{k}", seen.name or "a tensor", "before" if k in written else "in", seen,
            tuple(c.dim for c in culprits if c.operand == k), strides,
        )
        for k, seen in enumerate(step.inputs)
    ]  # fmt: skip
    before = _chosen(before, written, {c.operand for c in culprits})
    after = [
        Block(
            f"out{k}", write.before.name or "the tensor", "now", write.after, changed=frozenset(write.changed)
        )
        for k, write in enumerate(step.writes)
    ]
    if not after:
        after = [Block(f"out{k}", "", "out", seen) for k, seen in enumerate(step.outputs)]
    return before, after[:MOST_OUT]


def _chosen(blocks: list[Block], written: set[int], culprits: set[int]) -> list[Block]:
    """Those that matter most, in their order."""
    first = sorted(range(len(blocks)), key=lambda k: (k not in culprits, k not in written, k))[
        : max(MOST_IN, len(culprits))
    ]
    return [blocks[k] for k in sorted(first)]


def cropped(snapshot: Snapshot, columns: int, rows: int = 6, point: Ints | None = None) -> Snapshot:
    """A smaller window, ``columns`` by ``rows``, of three dimensions two matrices; it holds ``point``."""
    window, dims = snapshot.window, len(snapshot.window.count)
    if not snapshot.grid:
        return snapshot
    most = [*[1] * max(dims - 3, 0), *[2, min(rows, 4), columns][3 - min(dims, 3) :]]
    if dims == 2:
        most[0] = rows
    count = tuple(min(n, m) for n, m in zip(window.count, most, strict=True))
    start = [0] * dims
    if point is not None and window.holds(point):
        start = [
            min(max(0, p - o - c + 1), n - c)
            for p, o, c, n in zip(point, window.origin, count, window.count, strict=True)
        ]
    kept = []
    for inner in all_indices(count):
        at = 0
        for i, s, n in zip(inner, start, window.count, strict=True):
            at = at * n + i + s
        kept.append(snapshot.grid[at])
    origin = tuple(o + s for o, s in zip(window.origin, start, strict=True))
    return Snapshot(snapshot.meta, Window(origin, count), tuple(kept), snapshot.strip)
