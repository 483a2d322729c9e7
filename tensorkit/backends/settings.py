"""Attributes of the modules here that look at what is written to them: ``backends.cudnn.enabled = 1`` is refused.

>>> from tensorkit import backends
>>> backends.cudnn.enabled = 1
Traceback (most recent call last):
RuntimeError: set_enabled_cudnn expects a bool, but got int
"""

from __future__ import annotations

from typing import Any

from tensorkit.backends.matmul_precision import look, put


def need_bool(value: Any, name: str) -> None:
    """Refuse anything but a bool, in the words of the function that would set it in PyTorch."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{name} expects a bool, but got {type(value).__name__}")


class Switch:
    """On or off: kept, and without effect.

    Args:
        start: what it is at first.
        name: what PyTorch calls the function that sets it.
    """

    def __init__(self, start: bool, name: str) -> None:
        self.value, self.name = start, name

    def __get__(self, owner: Any, kind: Any = None) -> bool:
        return self.value

    def __set__(self, owner: Any, value: bool) -> None:
        need_bool(value, self.name)
        self.value = value


class Precision:
    """``fp32_precision`` of one operation of a backend, such as ``backends.cudnn.conv``.

    >>> from tensorkit import backends
    >>> backends.cudnn.conv.fp32_precision
    'tf32'
    """

    __slots__ = ("_backend", "_operation")
    _backend: str
    _operation: str

    def __init__(self, backend: str, operation: str) -> None:
        object.__setattr__(self, "_backend", backend)
        object.__setattr__(self, "_operation", operation)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "fp32_precision":
            raise AttributeError("Unknown attribute " + name)
        put(self._backend, self._operation, value)

    def __getattr__(self, name: str) -> str:
        if name != "fp32_precision":
            raise AttributeError("Unknown attribute " + name)
        return look(self._backend, self._operation)
