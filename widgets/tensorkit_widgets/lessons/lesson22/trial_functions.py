"""Functions that must pass, and functions that must fail, in the exercises of lesson 22."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorkit as tk

Function = Callable[..., Any]


# -- milliseconds(work) -----------------------------------------------------------------------------------------------


def by_events(work: Function) -> Any:
    start, end = tk.cuda.Event(enable_timing=True), tk.cuda.Event(enable_timing=True)
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def by_events_after_a_first_call(work: Function) -> Any:
    work()
    tk.cuda.synchronize()
    return by_events(work)


def by_events_and_the_whole_device(work: Function) -> Any:
    start, end = (tk.cuda.Event(enable_timing=True) for _ in range(2))
    tk.cuda.current_stream().record_event(start)
    work()
    tk.cuda.current_stream().record_event(end)
    tk.cuda.synchronize()
    return start.elapsed_time(end)


def by_stopwatch(work: Function) -> Any:
    tk.cuda.synchronize()
    start = time.perf_counter()
    work()
    tk.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


def by_stopwatch_alone(work: Function) -> Any:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def by_stopwatch_too_late(work: Function) -> Any:
    """Waits before it begins, and no more."""
    tk.cuda.synchronize()
    return by_stopwatch_alone(work)


def by_stopwatch_too_early(work: Function) -> Any:
    """Begins while the device is still at earlier work."""
    start = time.perf_counter()
    work()
    tk.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


def by_events_without_waiting(work: Function) -> Any:
    start, end = tk.cuda.Event(enable_timing=True), tk.cuda.Event(enable_timing=True)
    start.record()
    work()
    end.record()
    return start.elapsed_time(end)


def by_events_behind(work: Function) -> Any:
    work()
    start, end = tk.cuda.Event(enable_timing=True), tk.cuda.Event(enable_timing=True)
    start.record()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


# -- tripled(x, side) -------------------------------------------------------------------------------------------------


def side_by_events(x: Any, side: Any) -> Any:
    ready = tk.cuda.current_stream().record_event()
    side.wait_event(ready)
    with tk.cuda.stream(side):
        y = x * 3
        done = side.record_event()
    tk.cuda.current_stream().wait_event(done)
    return y


def side_by_streams(x: Any, side: Any) -> Any:
    here = tk.cuda.current_stream()
    side.wait_stream(here)
    with tk.cuda.stream(side):
        y = x * 3
    here.wait_stream(side)
    y.record_stream(here)
    return y


def side_by_an_event_alone(x: Any, side: Any) -> Any:
    ready, done = tk.cuda.Event(), tk.cuda.Event()
    ready.record()
    with side:
        ready.wait()
        y = x + x + x
        done.record(side)
    done.wait()
    return y


def side_without_waits(x: Any, side: Any) -> Any:
    with tk.cuda.stream(side):
        y = x * 3
    return y


def side_without_the_first(x: Any, side: Any) -> Any:
    y = side_without_waits(x, side)
    tk.cuda.current_stream().wait_stream(side)
    return y


def side_without_the_second(x: Any, side: Any) -> Any:
    side.wait_stream(tk.cuda.current_stream())
    return side_without_waits(x, side)


def side_waits_for_itself(x: Any, side: Any) -> Any:
    """The event is recorded on the side stream, and not on the one that writes `x`."""
    side.wait_event(side.record_event())
    return side_without_the_first(x, side)


def side_with_a_halt(x: Any, side: Any) -> Any:
    tk.cuda.synchronize()
    y = side_without_waits(x, side)
    side.synchronize()
    return y


def side_halted_behind(x: Any, side: Any) -> Any:
    """The side stream waits for `x`, and the program for the side stream."""
    y = side_without_the_second(x, side)
    side.synchronize()
    return y


def side_not_used(x: Any, side: Any) -> Any:
    return x * 3


# -- energy(batches) --------------------------------------------------------------------------------------------------


def energy_on_the_device(batches: Any) -> Any:
    total = tk.zeros((), device="cuda")
    for batch in batches:
        total += (batch * batch).sum()
    return total.item()


def energy_of_a_stack(batches: Any) -> Any:
    return float(tk.stack([(batch * batch).sum() for batch in batches]).sum())


def energy_from_zero(batches: Any) -> Any:
    return sum((batch**2).sum() for batch in batches).item()


def energy_by_item(batches: Any) -> Any:
    total = 0.0
    for batch in batches:
        total += (batch * batch).sum().item()
    return total


def energy_at_home(batches: Any) -> Any:
    """Fetches each batch, and squares it on the CPU."""
    return sum((batch.cpu() ** 2).sum() for batch in batches).item()


def energy_of_a_list(batches: Any) -> Any:
    return sum(tk.stack([(batch * batch).sum() for batch in batches]).tolist())


def energy_twice(batches: Any) -> Any:
    total = energy_on_the_device(batches)
    return total if total == energy_on_the_device(batches) else None


def energy_left_there(batches: Any) -> Any:
    return sum((batch * batch).sum() for batch in batches)


def energy_of_the_last(batches: Any) -> Any:
    return (batches[-1] ** 2).sum().item()


# -- negatives(strips, copying, working) ------------------------------------------------------------------------------


def negatives_by_events(strips: Any, copying: Any, working: Any) -> Any:
    made = []
    for strip in strips:
        with tk.cuda.stream(copying):
            there = strip.to("cuda", non_blocking=True)
            arrived = copying.record_event()
        working.wait_event(arrived)
        with tk.cuda.stream(working):
            made.append(255 - there)
        there.record_stream(working)
    return made


def negatives_by_streams(strips: Any, copying: Any, working: Any) -> Any:
    made = []
    for strip in strips:
        with copying:
            there = strip.cuda(non_blocking=True)
        working.wait_stream(copying)
        with working:
            made.append(there.neg().add_(255))
    return made


def negatives_in_two_loops(strips: Any, copying: Any, working: Any) -> Any:
    with tk.cuda.stream(copying):
        there = [tk.empty(s.shape, dtype=s.dtype, device="cuda").copy_(s, non_blocking=True) for s in strips]
    with tk.cuda.stream(working):
        working.wait_stream(copying)
        return [255 - one for one in there]


def negatives_that_race(strips: Any, copying: Any, working: Any) -> Any:
    with tk.cuda.stream(copying):
        there = [strip.to("cuda", non_blocking=True) for strip in strips]
    with tk.cuda.stream(working):
        return [255 - one for one in there]


def negatives_that_wait(strips: Any, copying: Any, working: Any) -> Any:
    made = []
    for strip in strips:
        with tk.cuda.stream(copying):
            there = strip.to("cuda")
        with tk.cuda.stream(working):
            made.append(255 - there)
    return made


def negatives_that_halt(strips: Any, copying: Any, working: Any) -> Any:
    with tk.cuda.stream(copying):
        there = [strip.to("cuda", non_blocking=True) for strip in strips]
    copying.synchronize()
    with tk.cuda.stream(working):
        return [255 - one for one in there]


def negatives_on_one_stream(strips: Any, copying: Any, working: Any) -> Any:
    with tk.cuda.stream(copying):
        return [255 - strip.to("cuda", non_blocking=True) for strip in strips]


def negatives_at_home(strips: Any, copying: Any, working: Any) -> Any:
    """Computed on the CPU, and then copied."""
    with tk.cuda.stream(copying):
        return [(255 - strip).pin_memory().to("cuda", non_blocking=True) for strip in strips]


# -- fetched(x) -------------------------------------------------------------------------------------------------------


def fetched_after_the_stream(x: Any) -> Any:
    here = tk.empty(x.shape, dtype=x.dtype, pin_memory=True)
    here.copy_(x, non_blocking=True)
    tk.cuda.current_stream().synchronize()
    return here.tolist()


def fetched_after_an_event(x: Any) -> Any:
    here = tk.empty(x.shape, dtype=x.dtype, pin_memory=True)
    here.copy_(x, non_blocking=True)
    arrived = tk.cuda.Event()
    arrived.record()
    arrived.synchronize()
    return here.tolist()


def fetched_blocking(x: Any) -> Any:
    return x.cpu().tolist()


def fetched_too_early(x: Any) -> Any:
    here = tk.zeros(x.shape, dtype=x.dtype, pin_memory=True)
    here.copy_(x, non_blocking=True)
    return here.tolist()


def fetched_after_a_wait_before(x: Any) -> Any:
    tk.cuda.synchronize()
    return fetched_too_early(x)


def fetched_after_a_stream_waited(x: Any) -> Any:
    """Lets the stream wait for its own event; the program reads on."""
    here = tk.zeros(x.shape, dtype=x.dtype, pin_memory=True)
    here.copy_(x, non_blocking=True)
    tk.cuda.current_stream().wait_event(tk.cuda.current_stream().record_event())
    return here.tolist()


def fetched_as_a_tensor(x: Any) -> Any:
    here = x.to("cpu", non_blocking=True)
    tk.cuda.synchronize()
    return here
