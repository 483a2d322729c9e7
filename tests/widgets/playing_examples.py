"""The boards of `board_examples` that a page in a browser can show too: nothing else of the kit is imported here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit as tk
import tensorkit_widgets as tkw

PLAYING: dict[str, Callable[[], Any]] = {
    "bits": lambda: tkw.BitView(0.1),
    "bits_of_an_element": lambda: tkw.BitView(tk.tensor([[1, -60], [3, 4]], dtype=tk.int8), index=(0, 1)),
    "bits_cast": lambda: tkw.BitView(tk.tensor(0.1), name="t").cast("bfloat16"),
    "broadcast": lambda: tkw.BroadcastExplorer(tk.arange(3.0).view(3, 1), tk.arange(4.0) * 10),
    "broadcast_refused": lambda: tkw.BroadcastExplorer(tk.ones(2, 3), tk.ones(2, 4)),
    "index_copy": lambda: tkw.IndexExplorer(tk.arange(12.0).view(3, 4), "1:, [0, 2, 2]"),
    "index_lost_write": lambda: tkw.IndexExplorer(tk.arange(12.0).view(3, 4), "t[[0, 1]][0] = 5"),
    "index_refused": lambda: tkw.IndexExplorer(tk.arange(12.0).view(3, 4), ":, [0, 4]"),
    "matmul": lambda: tkw.MatmulExplorer(tk.arange(6.0).view(2, 3), tk.arange(12.0).view(3, 4)),
    "matmul_tiles": lambda: tkw.MatmulExplorer(
        tk.arange(16.0).view(4, 4), tk.arange(16.0).view(4, 4), tile=2
    ),
    "matmul_refused": lambda: tkw.MatmulExplorer(tk.ones(2, 3), tk.ones(2, 4)),
    "reduction": lambda: tkw.ReductionExplorer(tk.arange(12.0).view(3, 4), "sum", 1),
    "reduction_keepdim": lambda: tkw.ReductionExplorer(tk.arange(24.0).view(2, 3, 4), "mean", (1, 2), True),
    "reduction_refused": lambda: tkw.ReductionExplorer(tk.arange(6).view(2, 3), "mean", 0),
}


def texts(made: Any) -> str:
    """The text twins of all steps of a board, which is closed then."""
    try:
        return "\n\n".join(f"--- {k}\n{made.goto(k).text()}" for k in range(made.steps + 1)) + "\n"
    finally:
        made.close()


def texts_by_name(name: str) -> str:
    """The text twins of a board of `PLAYING`."""
    return texts(PLAYING[name]())
