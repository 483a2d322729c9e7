"""Signatures that are worked out when they are first read: `inspect` is slow, and there are many operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class Later(inspect.Signature):
    """A signature that finds its parameters when they are first read.

    >>> import inspect
    >>> def double(t, *, out=None): ...
    >>> double.__signature__ = later(lambda: inspect.Signature())
    >>> inspect.signature(double)
    <Later ()>
    """

    __slots__ = ("_make",)
    _make: Callable[[], inspect.Signature]

    def __getattr__(self, name: str) -> Any:
        """Only what is not there yet comes here: the parameters, or the type of the result."""
        if name == "_make" or name not in inspect.Signature.__slots__:
            raise AttributeError(name)
        whole = self._make()
        self.__init__(tuple(whole.parameters.values()), return_annotation=whole.return_annotation)  # type: ignore[misc]
        return getattr(self, name)


def later(make: Callable[[], inspect.Signature]) -> Any:
    """The signature that `make` will return."""
    made = object.__new__(Later)
    made._make = make
    return made
