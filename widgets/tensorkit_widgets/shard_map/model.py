"""What a picture knows of a sharded tensor: how it lies, what its cluster says of the workers, a question about it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor.dtensor import DTensor, checked
from tensorkit.distributed.tensor.layout import Layout, Move
from tensorkit.distributed.tensor.placement_types import Placement
from tensorkit_widgets.snapshot.adapter import describe
from tensorkit_widgets.snapshot.geometry import Ints

MOST = 8
"""Ranks that are drawn: as many as there are colours."""
MOST_RANKS = 256
"""Every rank may send every other one a piece: more of them would be too many to count at each stroke."""
LOOK_S = 2.0
"""How long the picture waits for what the cluster says of its workers."""
ALIVE = "alive"


@dataclass(frozen=True, slots=True)
class Sharded:
    """A tensor over ranks: its name, how it lies, and what an element is. ``live`` where a cluster has it."""

    name: str
    layout: Layout
    dtype: str
    itemsize: int
    live: bool

    @property
    def drawn(self) -> range:
        """The ranks that are drawn."""
        return self.layout.ranks[:MOST]

    def bytes(self, rank: int) -> int:
        """How many bytes a rank holds."""
        return prod(self.layout.local_size(rank)) * self.itemsize

    @property
    def nbytes(self) -> int:
        """How many bytes the tensor has."""
        return prod(self.layout.size) * self.itemsize

    def holders(self, index: Ints) -> list[int]:
        """The ranks that hold an element, or a part of it."""
        boxes = ((rank, self.layout.box(rank)) for rank in self.layout.ranks)
        return [rank for rank, box in boxes if all(a <= i < b for i, (a, b) in zip(index, box, strict=True))]


def sharded(t: DTensor, name: str) -> Sharded:
    """A DTensor, as it lies."""
    layout = Layout(tuple(t.shape), t.device_mesh.shape, t.placements)
    return Sharded(name, layout, str(t.dtype).rpartition(".")[2], t.dtype.itemsize, True)


@dataclass(frozen=True)
class _NoCluster:
    """So many ranks that are only thought of."""

    size: int


def planned(t: Any, mesh: Sequence[int], placements: Sequence[Placement] | None, name: str) -> Sharded:
    """A tensor of one machine, or a size, as it would lie on a mesh. No cluster is begun.

    Raises:
        TypeError: for something that has no size. ValueError, IndexError: for placements that do not fit.
    """
    size, dtype, itemsize = _described(t)
    shape = tuple(mesh)
    if not shape or not all(isinstance(n, int) and n > 0 for n in shape):
        raise ValueError(
            f"mesh is how many ranks each of its dimensions has, as (4,) or (2, 2), not {mesh!r}"
        )
    nowhere: Any = _NoCluster(prod(shape))
    wanted = checked(placements, DeviceMesh("cpu", shape, cluster=nowhere), len(size))
    return Sharded(name, Layout(size, shape, wanted), dtype, itemsize, False)


def _described(t: Any) -> tuple[Ints, str, int]:
    if isinstance(t, Sequence) and all(isinstance(n, int) and n >= 0 for n in t):
        return tuple(t), "float32", 4
    meta = describe(t)
    return meta.size, meta.dtype, meta.itemsize


# ---- the cluster


@dataclass(frozen=True, slots=True)
class Workers:
    """What a cluster said of its workers: for each drawn rank where it is, and how it is; ``note`` is of all of them.

    How a rank is: `ALIVE`, "new" (another worker is in its place), "gone", or "computing", "noted" and "lost" of what
    it is to hold.
    """

    where: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    note: str = ""
    answered: bool = True


def bounded(call: Callable[[], Any], seconds: float) -> Any:
    """What a call gives; TimeoutError when that takes longer, and it is left to end by itself."""
    found: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    # A daemon: a cluster that never answers does not keep the program from ending.
    thread = threading.Thread(target=run, name="tensorkit ShardMap", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not found:
        raise TimeoutError
    return found[0]


def is_closed(t: DTensor) -> bool:
    """Whether the cluster of a tensor is closed, as far as can be said without asking it."""
    cluster = t.device_mesh.cluster
    status = getattr(getattr(cluster, "client", None), "status", "running")
    return cluster.closed or status not in ("running", "connecting")


def looked_at(t: DTensor, first: Sequence[str]) -> Workers:
    """Ask the cluster how its workers are, and wait a little for the answer.

    Args:
        first: where the ranks were when they were looked at for the first time; empty for the first time.
    """
    if is_closed(t):
        return Workers(
            note="The cluster is closed: this is how the tensor lay. Nothing can be moved any more."
        )
    ask = getattr(t.device_mesh.cluster, "holders", None)
    if ask is None:
        return Workers()
    try:
        held: dict[int, str] = bounded(ask, LOOK_S)
    except TimeoutError:
        note = f"The cluster did not say within {LOOK_S:g} seconds how its workers are. Press Look again."
        return Workers(note=note, answered=False)
    except Exception as error:
        return Workers(note=f"The cluster does not say how its workers are: {error}.", answered=False)
    ranks = range(min(t.device_mesh.size(), MOST))
    # What is only noted must not begin by being looked at.
    parts = t._parts if isinstance(t._parts, list) else None
    where = tuple(held.get(rank, "") for rank in ranks)
    how = (
        _how(where[rank], first[rank] if first else "", None if parts is None else parts[rank])
        for rank in ranks
    )
    return Workers(where, tuple(how))


def _how(where: str, first: str, part: Any) -> str:
    if not where:
        return "gone"
    status = "noted" if part is None else getattr(part, "status", "finished")
    if status in ("pending", "lost"):  # Dask computes again what was lost with its worker
        return "computing"
    if status in ("error", "cancelled"):
        return "lost"
    if status == "noted":
        return "noted"
    return "new" if first and where != first else ALIVE


# ---- a question


@dataclass(frozen=True, slots=True)
class Question:
    """Which rank holds an element, or whose data a tensor is made of ("winner"); ``right`` are the right ranks."""

    kind: str
    index: Ints
    right: tuple[int, ...]


def moved(move: Move) -> bool:
    """Whether a piece goes to another rank."""
    return move.source != move.target
