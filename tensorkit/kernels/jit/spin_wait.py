"""Waiting awake: a thread that is about to be needed looks at a number again and again instead of falling asleep.

A sleeping thread takes 30 to 50 µs to wake, as long as half of a million elements takes to add. So a thread that waits
for a piece of work, or for the end of one, watches a `Signal` for a while first, without Python's lock.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import loop, step

_LOOKS = 20_000  # of a measurement: about 10 µs
_IN_A_ROW = 1000  # looks, before others may run: half a microsecond


def _as_it_is_now(number):  # type: ignore[no-untyped-def]
    """What another thread may have written since."""
    return number[0]


@step(_as_it_is_now)
def _read_again(numba: Any) -> Any:
    """`_as_it_is_now` as a load that no compiler may leave out."""
    from numba.extending import intrinsic

    def load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.load_atomic(held.data, "acquire", 8)

    def look(typing: Any, number: Any) -> Any:
        return numba.int64(number), load

    return intrinsic(look)


def _let_others_run():  # type: ignore[no-untyped-def]
    """The thread that is waited for may have been put on this very processor."""


@step(_let_others_run)
def _yielding(numba: Any) -> Any:
    """`_let_others_run` as the system's own call; None where it has none of that name."""
    from llvmlite import binding, ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    if binding.address_of_symbol("sched_yield") is None:
        return None

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), ())
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), ())
        return context.get_dummy_value()

    return intrinsic(lambda typing: (numba.types.void(), call))


@loop("b1(i8[::1],i8,i8,i8)")
def watch(number, seen, most, late):  # type: ignore[no-untyped-def]
    for _ in range(0, most, _IN_A_ROW):
        for _ in range(_IN_A_ROW):
            if _as_it_is_now(number) != seen:
                for _ in range(late):
                    _as_it_is_now(number)
                return True
        _let_others_run()
    return False


class Signal:
    """A number that goes up when it is sent, and that other threads watch.

    >>> signal = Signal()
    >>> seen = signal.count
    >>> signal.send()
    >>> signal.count == seen
    False
    """

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number = numpy.zeros(1, numpy.int64)

    @property
    def count(self) -> int:
        """How often it was sent."""
        return int(self._number[0])

    def send(self) -> None:
        """Let the threads that watch go on."""
        self._number[0] += 1

    def wait(self, since: int, seconds: float, late: float) -> bool:
        """Whether it is sent, or was `since`, within some millionths of a second; Python's lock is free meanwhile.

        Args:
            late: seconds from sending to the answer: the sender needs Python's lock that long.
        """
        compiled = watch.compiled()
        if compiled is None:
            return False
        pace = _pace(compiled)
        return bool(compiled(self._number, since, int(seconds * pace), int(late * pace)))


@functools.cache
def _pace(compiled: Callable[..., Any]) -> float:
    """How many looks make a second."""
    silent, times = numpy.zeros(1, numpy.int64), []
    for _ in range(5):
        start = time.perf_counter()
        compiled(silent, 0, _LOOKS, 0)
        times.append(time.perf_counter() - start)
    return _LOOKS / min(times)
