"""Programs on emulated devices, as a notebook has them, and the timelines of them."""

from __future__ import annotations

import contextlib

import tensorkit as tk
from tensorkit import tracing
from tensorkit_widgets import Timeline, timeline

__all__ = ["early_read", "launches", "late_error", "product", "two_streams"]


def product(size: int = 1000) -> Timeline:
    """A copy from pinned memory, a product, and the wait for it."""
    with tk.cuda.emulate():
        x = tk.ones(size, size).pin_memory()
        with timeline() as line:
            a = x.to("cuda", non_blocking=True)
            a @ a
            tk.cuda.synchronize()
    return line


def two_streams() -> Timeline:
    """A product on one stream beside a copy on another, and what needs both."""
    with tk.cuda.emulate():
        p, q = tk.ones(1000, 1000).pin_memory(), tk.ones(1000, 1000).pin_memory()
        side = tk.cuda.Stream()
        with timeline() as line:
            a = p.to("cuda", non_blocking=True)
            b = a @ a
            with tk.cuda.stream(side):
                c = q.to("cuda", non_blocking=True)
                d = c.relu()
            tk.cuda.current_stream().wait_stream(side)
            b + d
            tk.cuda.synchronize()
    return line


def launches(count: int = 4, size: int = 100) -> Timeline:
    """Small work: the launches take longer than the kernels."""
    with tk.cuda.emulate():
        x = tk.ones(size, device="cuda")
        with timeline() as line:
            for _ in range(count):
                x = x + 1
            x.sum().item()
    return line


def early_read(*, held: bool = True, wait: bool = False) -> Timeline:
    """What a copy brings into pinned memory is read as soon as it was queued, or after a wait."""
    with tk.cuda.emulate() as device:
        a, x = tk.ones(1000, 1000, device="cuda"), tk.full((3,), 5.0, device="cuda")
        here = tk.zeros(3, pin_memory=True)
        tk.cuda.synchronize()
        with timeline() as line, device.hold() if held else contextlib.nullcontext():
            a @ a
            here.copy_(x, non_blocking=True)
            if not held:
                device_done()
            if wait:
                tk.cuda.synchronize()
            here.sum().item()
    return line


def device_done() -> None:
    """Let the device come to the end, and have no timeline hear of it."""
    with tracing.silence():
        tk.cuda.synchronize()


def late_error() -> Timeline:
    """An index that is out of bounds, and the line that hears of it."""
    with tk.cuda.emulate():
        x, index = tk.arange(5.0, device="cuda"), tk.tensor([1, 99], device="cuda")
        with timeline() as line:
            y = x[index]
            with contextlib.suppress(tk.cuda.AcceleratorError):
                print(y * 2)
    return line
