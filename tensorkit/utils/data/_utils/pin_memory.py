"""A batch in pinned memory, from which copies to a device can go on while the program does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorkit.utils.data._utils.containers import mapping_like, sequence_like

__all__ = ["pin_memory"]


def __dir__() -> list[str]:
    return __all__


def pin_memory(data: Any, device: Any = None) -> Any:
    """Copy the tensors of a batch, wherever they are in it, into pinned memory.

    Args:
        data: tensors and other objects with a method ``pin_memory``, or containers of them. All else is left as it is.
        device: no longer used.

    Raises:
        RuntimeError: where there is no device.

    >>> with tk.cuda.emulate():
    ...     pin_memory({"x": [tk.ones(2)], "name": "a"})["x"][0].is_pinned()
    True

    Source: https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    """
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, str | bytes):
        return data
    if isinstance(data, Mapping):
        return mapping_like(data, {key: pin_memory(member) for key, member in data.items()})
    if isinstance(data, tuple):
        members = (pin_memory(member) for member in data)
        return type(data)(*members) if hasattr(data, "_fields") else type(data)(members)
    if isinstance(data, Sequence):
        return sequence_like(data, [pin_memory(member) for member in data])
    return data
