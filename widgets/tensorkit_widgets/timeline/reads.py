"""Who reads pinned memory into which a copy was queued: found while a timeline records, and by nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit import Tensor, tracing

_UNREAD = ("_like", "type", "requires_grad_")
"""How the names of operations end that take a tensor and look at none of its elements."""


@dataclass(frozen=True, slots=True)
class Read(tracing.QueueEvent):
    """The CPU read pinned memory into which a copy had been queued: it waits for nothing.

    Attributes:
        mark: the `number` of the copy.
        late: whether the copy had still not come when the read was over: what was read are the old bytes.
        waited: whether the program had waited for that device since it queued the copy.
    """

    late: bool = False
    waited: bool = False


def read_by(op: tracing.OpEvent, asked: int, now: int, earlier: Sequence[tracing.QueueEvent]) -> Read | None:
    """What an operation on the CPU read of a queued copy's memory; None where it read nothing of it."""
    if op.name.endswith(_UNREAD) or not any(event.done for event in earlier):
        return None
    with tracing.silence():
        for tensor in _tensors((*op.args, *op.kwargs.values())):
            if tensor.is_cpu and tensor.numel() and not _same_memory(tensor, op.output):
                found = _read(op.name, _extent(tensor), asked, now, earlier)
                if found is not None:
                    return found
    return None


def read_of(event: tracing.QueueEvent, earlier: Sequence[tracing.QueueEvent]) -> Read | None:
    """The same for a tensor that was printed, of which the engine told."""
    return _read(event.name, event.host, event.asked, event.returned, earlier)


def heard_error(call: tracing.CallEvent | None, name: str, asked: int, now: int) -> tracing.QueueEvent:
    """An operation that raised the error of work that a device was given earlier."""
    given = () if call is None else _tensors((*call.args, *call.kwargs.values()))
    device = next((str(tensor.device) for tensor in given if tensor.is_cuda), "cuda:0")
    return tracing.QueueEvent("error", name, device, 0, tracing.numbered(), asked, now, failed=True)


def _read(
    name: str, host: tuple[int, int], asked: int, now: int, earlier: Sequence[tracing.QueueEvent]
) -> Read | None:
    for place in range(len(earlier) - 1, -1, -1):
        copy = earlier[place]
        if copy.done is None or copy.failed or not (host[0] < copy.host[1] and copy.host[0] < host[1]):
            continue
        done = True
        with contextlib.suppress(Exception):  # a device that failed since: nothing is known of its work
            done = copy.done()
        since = earlier[place + 1 :]
        waited = copy.waits or any(event.waits and event.device == copy.device for event in since)
        return Read(
            "read",
            name,
            "cpu",
            None,
            tracing.numbered(),
            asked,
            now,
            mark=copy.number,
            late=not done,
            waited=waited,
        )
    return None


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from (part for part in value if isinstance(part, Tensor))


def _extent(tensor: Tensor) -> tuple[int, int]:
    start = tensor.data_ptr()
    reach = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    return start, start + (reach + 1) * tensor.element_size()


def _same_memory(tensor: Tensor, output: Any) -> bool:
    """Whether an operation gave the same memory back, and so read nothing: a view, an array, a write in place."""
    parts = output if isinstance(output, list | tuple) else (output,)
    for part in parts:
        if isinstance(part, Tensor) and part.is_cpu:
            if part.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr():
                return True
        elif isinstance(part, numpy.ndarray):
            start = part.__array_interface__["data"][0]
            if _extent(tensor)[0] <= start < _extent(tensor)[1]:
                return True
    return output is None  # a write into some of its elements
