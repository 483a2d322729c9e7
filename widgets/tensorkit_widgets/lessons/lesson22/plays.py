"""What the exercises of lesson 22 see of a learner's function: each plays it on emulated devices.

Streams that are held and devices that are late make a missing wait show every time. PyTorch's streams cannot be held,
so these exercises are about the kit's devices, whatever the learner's own library.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks_streams import counted, is_held_up
from tensorkit_widgets.practice.facts import is_tensor, read

Function = Callable[..., Any]

_LONG = 200_000
"""Elements of the work that is timed: enough for a time that an error in its unit is not lost in."""

_different = count(1)
"""Numbers that no memory holds from an earlier call: what is read too early must not be right by luck."""


# -- milliseconds(work) -----------------------------------------------------------------------------------------------


def timed(function: Function, devices: Any) -> object:
    """(begins at the right moment, waits before it answers, a plain number, milliseconds) of a function that times."""
    calls: list[bool] = []
    began: list[bool] = []
    first, last = (tk.cuda.Event(enable_timing=True) for _ in range(2))

    def work() -> None:
        calls.append(tk.cuda.current_stream().query())
        first.record()
        tk.ones(_LONG, device="cuda").add_(1)
        last.record()

    def after_an_event() -> None:
        began.append(not tk.cuda.current_stream().query())
        work()

    with devices.late():  # nothing is done before it is waited for
        begin = time.perf_counter()
        got = function(after_an_event)
        if got is Ellipsis:
            return got
        waited = tk.cuda.current_stream().query()
        tk.cuda.synchronize()
        whole = 1000 * (time.perf_counter() - begin)
        number = type(got) in (int, float)
        plausible = number and bool(began) and 0.9 * first.elapsed_time(last) <= got <= whole
        event_first = bool(began) and began[-1]
        tk.ones(4, device="cuda").add_(1)  # earlier work, which is not to be timed
        calls.clear()
        function(work)
        earlier_is_done = bool(calls) and calls[-1]
        tk.cuda.synchronize()
    begins = event_first or earlier_is_done
    # What it timed says something only of a function that begins and ends where it should.
    return begins, waited, number, bool(plausible) or not (begins and waited)


def timed_tells(seen: Any) -> str:
    """What is wrong with what `timed` saw."""
    begins, waits, number, plausible = seen
    if not waits:
        return "your function answered before the device had done the work. Which line waits for it?"
    if not begins:
        return (
            "the time begins at the wrong moment: record an event before `work()` is called, or wait for all "
            "earlier work first."
        )
    if not number:
        return "the answer should be one number, the milliseconds."
    if not plausible:
        return (
            "that is not how many milliseconds the work took. Is `work()` between your two marks, the earlier one "
            "first, and is the number in milliseconds?"
        )
    return "look again."


# -- tripled(x, side) -------------------------------------------------------------------------------------------------


def beside(function: Function, devices: Any) -> object:
    """(the program waits, the side stream waits for `x`, works on the side, the current stream waits for it)."""
    side, current = tk.cuda.Stream(), tk.cuda.current_stream()
    made: list[Any] = []
    x = tk.zeros(4, device="cuda")
    with devices.hold():  # the current stream is busy, and has not written `x` yet
        x.fill_(5)
        waits = is_held_up(lambda: made.append(function(x, side)))
    if made and made[0] is Ellipsis:
        return made[0]
    if waits:
        return True, True, True, True
    tk.cuda.synchronize()
    numbers = read(made[0].cpu()).values if is_tensor(made[0]) else None
    with devices.hold(side):
        waits = is_held_up(lambda: function(x, side))
        there, followed = not side.query(), not current.query()
    tk.cuda.synchronize()
    return waits, numbers == (15.0,) * 4, there, followed


def beside_tells(seen: Any) -> str:
    """What is wrong with what `beside` saw."""
    waits, fresh, there, followed = seen
    if waits:
        return "your function makes the whole program wait. Only the two streams need to wait for each other."
    if not there:
        return "the side stream was given nothing: the product has to be computed inside `with tk.cuda.stream(side):`."
    if not fresh:
        return "the side stream read `x` before it was written: the result is not 3 times the new number, 5."
    return (
        "look again."
        if followed
        else "the current stream would read the result before the side stream has made it."
    )


# -- energy(batches) --------------------------------------------------------------------------------------------------


def waits_of(function: Function, _devices: Any, count: int) -> object:
    """(what it gives, how often the program waits) for so many batches."""
    batches = [tk.full((3,), float(k + 1), device="cuda") for k in range(count)]
    value, waits = counted(lambda: function(batches))
    if value is Ellipsis:
        return value
    if is_tensor(value):
        return "tensor", waits
    return (value if type(value) in (int, float) else "nothing of use"), waits


def waits_tells(seen: Any) -> str:
    """What is wrong with what `waits_of` saw."""
    value, waits = seen
    if value == "tensor":
        return "the answer is still a tensor on the device. Take the number out of it, once."
    if value == "nothing of use":
        return "it should give a Python number."
    if waits != 1:
        return f"the program waited {waits} times for the device; once is enough."
    return f"that is the wrong number: your function gave {value}."


# -- negatives(strips, copying, working) ------------------------------------------------------------------------------


def in_turn(function: Function, devices: Any, strips: Any) -> object:
    """(the program waits, copies are on the one stream, work on the other, which waits for them, the numbers)."""
    copying, working = tk.cuda.Stream(), tk.cuda.Stream()
    pinned = [tk.tensor(strip, dtype=tk.uint8).pin_memory() for strip in strips]
    made: list[Any] = []

    def call() -> None:
        made.append(function(pinned, copying, working))

    with devices.hold(copying):  # which is still at earlier work
        with tk.cuda.stream(copying):
            tk.ones(1, device="cuda")
        waits = is_held_up(call)
    if made and made[0] is Ellipsis:
        return made[0]
    if waits:
        return True, True, True, True, None
    tk.cuda.synchronize()
    with devices.hold(copying):
        call()
        copies, follows = not copying.query(), not working.query()
    tk.cuda.synchronize()
    with devices.hold(working):
        waits = is_held_up(call)
        works, copies = not working.query(), copies and copying.query()
    tk.cuda.synchronize()
    # What a stream makes of a copy that it did not wait for may be anything.
    return waits, copies, works, follows, _numbers(made[0]) if follows else None


def _numbers(made: Any) -> object:
    if not isinstance(made, (list, tuple)):
        return None
    return tuple(tuple(read(one.cpu()).values) if is_tensor(one) else None for one in made)


def in_turn_tells(seen: Any) -> str:
    """What is wrong with what `in_turn` saw."""
    waits, copies, works, follows, _ = seen
    if waits:
        return "your function makes the program wait: no copy and no negative of the next strip can begin meanwhile."
    if not copies:
        return "the copies are not on the stream `copying`."
    if not works:
        return "the negatives are not computed on the stream `working`."
    if not follows:
        return (
            "`working` does not wait for the copy: it would make a negative of bytes that are not there yet."
        )
    return "it should give a list with the negative of each strip, 255 minus each number, on the device."


# -- fetched(x) -------------------------------------------------------------------------------------------------------


def fetching(function: Function, devices: Any) -> object:
    """Whether the list that comes back from a device that works as late as it may is the right one."""
    x, number = tk.zeros(3, device="cuda"), float(next(_different))
    tk.cuda.synchronize()
    with devices.late():
        x.fill_(number)
        got = function(x)
    if got is Ellipsis:
        return got
    if is_tensor(got):
        return "a tensor"
    return tuple(got) == (number,) * 3 if isinstance(got, (list, tuple)) else "nothing of use"


def fetched_tells(seen: Any) -> str:
    """What is wrong with what `fetching` saw."""
    if seen == "a tensor":
        return "it should give a list of numbers, as it did before."
    if seen == "nothing of use":
        return "it should give the list of numbers."
    return "the list was read before the copy had arrived: those are not the numbers of `x`."
