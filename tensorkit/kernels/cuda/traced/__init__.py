"""The third way to run a kernel: in plain Python, noting which thread touched which slot, and what is wrong with that.

Where to read: `notes` (what is written down), `memory` (the arrays that a kernel is handed), `threads` (whose
turn it is, from barrier to barrier), `stand_in` (the `cuda` that a kernel finds), `play` (running a kernel),
`findings` with `races` and `traffic` (what is wrong), `report` (saying it). No tensor is known here.
"""

from __future__ import annotations

from tensorkit.kernels.cuda.traced.memory import TracedPointer
from tensorkit.kernels.cuda.traced.notes import Access
from tensorkit.kernels.cuda.traced.play import play, run
from tensorkit.kernels.cuda.traced.report import KernelTrace

__all__ = ["Access", "KernelTrace", "TracedPointer", "play", "run"]
