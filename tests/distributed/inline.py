"""A cluster in this process: tasks run at once, and what one rank is given of another's is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.tensor import Tensor

__all__ = ["Inline", "mesh"]


@dataclass(frozen=True, eq=False)
class Part:
    """What a rank holds."""

    rank: int
    value: Any


@dataclass(eq=False)
class Inline:
    """As `Cluster`, for tests of everything but processes."""

    size: int
    closed: bool = False
    tasks: list[str] = field(default_factory=list)
    sent: list[tuple[int, int, int]] = field(default_factory=list)
    """From which rank, to which, and how many bytes."""

    def submit(self, rank: int, function: Callable[..., Any], *args: Any) -> Part:
        assert 0 <= rank < self.size
        self.tasks.append(function.__name__)
        return Part(rank, function(*(self._come(rank, one) for one in args)))

    def _come(self, rank: int, value: Any) -> Any:
        if not isinstance(value, Part):
            return value
        several = value.value if isinstance(value.value, tuple) else (value.value,)
        for one in several:
            if value.rank != rank and isinstance(one, Tensor):
                self.sent.append((value.rank, rank, one.numel() * one.element_size()))
        return value.value

    def wait(self, parts: Sequence[Part]) -> None:
        assert all(isinstance(one, Part) for one in parts)

    def results(self, parts: Sequence[Part]) -> list[Any]:
        return [one.value for one in parts]


def mesh(*shape: int) -> DeviceMesh:
    """A mesh of ranks in this process."""
    size = 1
    for n in shape:
        size *= n
    cluster: Any = Inline(size)
    return DeviceMesh("cpu", shape, cluster=cluster)
