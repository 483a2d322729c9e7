"""Programs on emulated devices, as a notebook has them, and the timelines of them."""

from __future__ import annotations

import tensorkit as tk
from tensorkit_widgets import Timeline, timeline

__all__ = ["launches", "product", "two_streams"]


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
