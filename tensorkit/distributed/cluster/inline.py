"""Ranks in this process: tasks run at once, and what one rank is given of another's is written down.

Sharded tensors compute on it as on workers. Nothing is started, and nothing runs at the same time: it counts.

>>> from tensorkit.distributed.device_mesh import DeviceMesh
>>> from tensorkit.distributed.tensor import Shard, ones
>>> ranks = Inline(4)
>>> t = ones(8, 4, device_mesh=DeviceMesh("cpu", (4,), cluster=ranks), placements=[Shard(0)])
>>> _ = t.redistribute(placements=[Shard(1)])
>>> ranks.bytes_sent, ranks.bytes_brought
(96, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit.tensor import Tensor


@dataclass(frozen=True, eq=False)
class Part:
    """What a rank holds."""

    rank: int
    value: Any


@dataclass(eq=False)
class Inline:
    """What `Cluster` is for sharded tensors.

    Attributes:
        size: how many ranks there are. closed: whether it is to be taken for closed.
        tasks: the names of the functions that ranks have called, in their order.
        sent: of each tensor that a rank was given of another one: from which, to which, and how many bytes.
        bytes_brought: how many bytes came here from the ranks.
    """

    size: int
    closed: bool = False
    tasks: list[str] = field(default_factory=list)
    sent: list[tuple[int, int, int]] = field(default_factory=list)
    bytes_brought: int = 0

    @property
    def bytes_sent(self) -> int:
        """How many bytes went from rank to rank."""
        return sum(nbytes for *_, nbytes in self.sent)

    def submit(self, rank: int, function: Callable[..., Any], *args: Any) -> Part:
        """Let a rank call a function; what it needs of another rank is written down."""
        if not 0 <= rank < self.size:
            raise ValueError(f"There are ranks from 0 to {self.size - 1}, and no rank {rank}.")
        self.tasks.append(function.__name__)
        return Part(rank, function(*(self._given(rank, one) for one in args)))

    def _given(self, rank: int, value: Any) -> Any:
        if not isinstance(value, Part):
            return value
        if value.rank != rank:
            self.sent += [(value.rank, rank, _bytes(one)) for one in _tensors(value.value)]
        return value.value

    def wait(self, parts: Sequence[Part]) -> None:
        """All are computed already."""

    def results(self, parts: Sequence[Part]) -> list[Any]:
        """What the tasks gave, brought here."""
        self.bytes_brought += sum(_bytes(tensor) for one in parts for tensor in _tensors(one.value))
        return [one.value for one in parts]


def _tensors(value: Any) -> list[Tensor]:
    return [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Tensor)]


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()
