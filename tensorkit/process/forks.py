"""Locks that the child of a fork finds free, and what else begins again there.

A fork copies the memory, and of all threads only the one that asked for it. A lock that another thread held at that
moment would stay locked in the child for ever. So each lock that outlives a call is made here, and all of them are
unlocked at one place. What else a child must begin again is said by `after_fork`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Begin = TypeVar("Begin", bound=Callable[[], Any])

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_begun_anew: list[Callable[[], Any]] = []


def lock() -> threading.Lock:
    """A `threading.Lock`. It is free in the child of a fork: run no code of others while it is held.

    >>> with lock() as held:
    ...     held
    True
    """
    made = threading.Lock()
    _locks.add(made)
    return made


def rlock() -> Any:
    """A `threading.RLock`. In the child of a fork it is free, unless the thread that forked holds it itself."""
    made = threading.RLock()
    _locks.add(made)
    return made


def condition() -> threading.Condition:
    """A `threading.Condition`, with an `rlock`. In the child of a fork no thread waits for it."""
    made = threading.Condition()
    _locks.add(made)
    return made


def after_fork(begin: Begin) -> Begin:
    """Decorate a function that the child of each fork calls, once all locks are free."""
    _begun_anew.append(begin)
    return begin


def _in_the_child() -> None:
    for one in tuple(_locks):
        # What this thread holds itself, it will let go of.
        if not (hasattr(one, "_is_owned") and one._is_owned()):
            one._at_fork_reinit()
    for begin in _begun_anew:
        begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_the_child)
