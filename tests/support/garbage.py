"""Garbage that is certainly collected: for tests that ask whether something is kept alive."""

from __future__ import annotations

import gc
import reprlib
import threading
import time
from types import ModuleType
from typing import Any

_PATIENCE_S = 60.0
_DEPTH, _MOST = 4, 30


def collect() -> None:
    """`gc.collect`, and it has happened: Python's own does nothing at all while another thread collects.

    That other thread may be the one that loads compiled loops, which lets go of Python's lock while it frees LLVM's
    objects: for some tenths of a second then, nothing dies here.

    Raises:
        TimeoutError: if another thread collected all the time.
    """
    here, ran = threading.get_ident(), False

    def noted(phase: str, told: dict[str, Any]) -> None:
        nonlocal ran
        ran |= phase == "stop" and told["generation"] == 2 and threading.get_ident() == here

    until = time.monotonic() + _PATIENCE_S
    gc.callbacks.append(noted)
    try:
        gc.collect()
        while not ran:
            if time.monotonic() > until:
                raise TimeoutError(f"another thread collected garbage for {_PATIENCE_S:g} s")
            time.sleep(0.005)
            gc.collect()
    finally:
        gc.callbacks.remove(noted)


def holders(thing: object) -> str:
    """Who holds something, and who holds those, up to the modules: for the message of a test that found it alive."""
    told, level, seen = [], [thing], {id(thing)}
    for depth in range(_DEPTH):
        mine = [*seen, id(level)]
        level = [one for one in gc.get_referrers(*level) if id(one) not in mine and not _is_space(one)]
        seen |= {id(level), *map(id, level)}
        told += [f"{'  ' * depth}{type(one).__name__}: {reprlib.repr(one)}" for one in level]
    return "\n".join(told[:_MOST])


def _is_space(one: object) -> bool:
    """Whether it is a module or its variables: where the search ends, and half the process begins."""
    return isinstance(one, ModuleType) or (isinstance(one, dict) and "__spec__" in one)
