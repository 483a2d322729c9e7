"""Where a copy came from: the tensors of the call that made it, their storages, and the line that asked for it."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any
from weakref import ref

from tensorkit_widgets.device_map.model import Ends
from tensorkit_widgets.namespace.find_tensors import clean
from tensorkit_widgets.namespace.storage_adapter import is_pinned, tensor_library

_DEEPEST = 60
_OURS = ("tensorkit", "tensorkit_widgets")
_NOT_THE_LEARNERS = ("IPython", "ipykernel", "contextlib", "importlib", "runpy", "doctest")

NumberOf = Callable[[Any], int | None]


class Spot:
    """A tensor's storage, and the tensor, neither of them held. Spots are equal on the same storage, whatever it
    contains."""

    __slots__ = ("pinned", "storage", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.storage: ref[Any] = ref(
            tensor.untyped_storage()
        )  # one object for a storage, as long as one is kept
        self.tensor: ref[Any] = ref(tensor)
        self.pinned = is_pinned(tensor.untyped_storage())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spot) and other.storage is self.storage

    def __hash__(self) -> int:
        return id(self.storage)

    def numbers(self, number_of: NumberOf) -> Ends:
        """The numbers of the storage and of the tensor."""
        storage, tensor = self.storage(), self.tensor()
        return (
            None if storage is None else number_of(storage),
            None if tensor is None else number_of(tensor),
        )


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments, and in lists of them."""
    for value in values:
        if tensor_library(type(value)) == "tensorkit":
            yield value
        elif type(value) in (list, tuple):
            yield from (one for one in value if tensor_library(type(one)) == "tensorkit")


def spot_on(tensors: Iterable[Any], device: str) -> Spot | None:
    """Where the tensors are that are on a device, if that is one storage."""
    found = [tensor for tensor in tensors if str(tensor.device) == device]
    return Spot(found[0]) if len({id(tensor.untyped_storage()) for tensor in found}) == 1 else None


def place() -> tuple[bool, str]:
    """Whether a tensor is being written out, and the learner's line that asked for it."""
    frame: FrameType | None = sys._getframe(1)
    printed = False
    for _ in range(_DEEPEST):
        if frame is None:
            break
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _OURS:
            outside = module.partition(".")[0] in _NOT_THE_LEARNERS
            return printed, "" if outside else _line(frame)
        printed = printed or module == "tensorkit.printing"
        frame = frame.f_back
    return printed, ""


def _line(frame: FrameType) -> str:
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    return clean(text.partition("  #")[0].strip())
