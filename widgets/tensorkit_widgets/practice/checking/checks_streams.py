"""Checkers for work on a device: what a function waits for, and whether what it gives is right.

Each case is played on emulated devices of its own: an error of such a device harms no other, and its streams can be
held, or made late, so that a wait that is missing shows every time and not once in a thousand runs.

>>> def play(function, devices, number):
...     there = tk.full((2,), number, device="cuda")
...     return counted(lambda: function(there))
>>> check = device_check(play, Case("of two threes", lambda: (3.0,), (6.0, 1)), slips=[
...     Slip("`.item()` waits for the device", "once is enough.", behaves=lambda t: t[0].item() + t[1].item())])
>>> check(Answer(lambda t: t.sum().item()))
Right.
>>> check(Answer(lambda t: float(t[0]) + float(t[1])))
Not yet: once is enough.
(`.item()` waits for the device)
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict

__all__ = ["Case", "Play", "counted", "device_check", "is_held_up"]

Function = Callable[..., Any]

Play = Callable[..., object]
"""Calls a function on emulated devices, ``play(function, devices, *arguments)``, and gives what was seen of it."""

_BLOCKING = "CUDA_LAUNCH_BLOCKING"


def device_check(play: Play, *cases: Case, slips: Iterable[Slip] = ()) -> Checker:
    """Check a function by playing each case: what `play` has seen is compared with what the case should return.

    A slip's `behaves` is played in the same way.
    """
    known = tuple(slips)
    inner = function_check(*cases, slips=[_played_slip(slip, play) for slip in known])

    def check(answer: Answer) -> Verdict:
        function = answer.value
        return inner(Answer(_played(function, play), answer.base) if callable(function) else answer)

    return Checker(check, known)


def _played(function: Function, play: Play) -> Function:
    def on_devices(*arguments: object) -> object:
        with _own_devices() as devices:
            return play(function, devices, *arguments)

    return on_devices


def _played_slip(slip: Slip, play: Play) -> Slip:
    looks = dict(slip.looks)
    if "behaves" in looks:
        functions = looks["behaves"] if isinstance(looks["behaves"], tuple) else (looks["behaves"],)
        looks["behaves"] = tuple(_played(function, play) for function in functions)
    return Slip(slip.misconception, slip.says, **looks)


@contextmanager
def _own_devices() -> Iterator[Any]:
    """Fresh emulated devices whose calls come back at once, whatever was set before."""
    blocking = os.environ.pop(_BLOCKING, None)
    try:
        with tensorkit.cuda.emulate() as devices:
            mode = tensorkit.cuda.get_sync_debug_mode()
            tensorkit.cuda.set_sync_debug_mode(0)
            try:
                yield devices
            finally:
                tensorkit.cuda.set_sync_debug_mode(mode)
    finally:
        if blocking is not None:
            os.environ[_BLOCKING] = blocking


def is_held_up(call: Callable[[], object]) -> bool:
    """Whether a call makes the program wait for a stream that is held; it is not called to its end if it does.

    >>> with tk.cuda.emulate() as devices, devices.hold():
    ...     t = tk.ones(2, device="cuda")
    ...     is_held_up(lambda: t + 1), is_held_up(t.tolist)
    (False, True)
    """
    try:
        call()
    except RuntimeError as error:
        if "this thread holds the stream" not in str(error):
            raise
        return True
    return False


def counted(call: Callable[[], object]) -> tuple[object, int]:
    """What a call gives, and how often it makes the program wait without having said so: `item`, a copy to the host.

    >>> with tk.cuda.emulate():
    ...     counted(lambda: [tk.ones(2, device="cuda").sum().item() for _ in range(3)])
    ([2.0, 2.0, 2.0], 3)
    """
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        tensorkit.cuda.set_sync_debug_mode("warn")
        try:
            value = call()
        finally:
            tensorkit.cuda.set_sync_debug_mode("default")
    return value, sum("synchronizing CUDA operation" in str(one.message) for one in heard)
