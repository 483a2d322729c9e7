"""One board of each kind, for the tests that hold for all of them, and as frames for the JavaScript tests.

`python -m tests.widgets.board_examples` writes the golden texts and the fixtures again; look at the
difference before committing.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import tensorkit as tk
import tensorkit_widgets as tkw
from tensorkit_widgets.widget.board import Board
from tensorkit_widgets.widget.saved_page import numbered
from tests.widgets import kernels
from tests.widgets.generator_stream import programs as streams
from tests.widgets.playing_examples import PLAYING
from tests.widgets.playing_examples import texts as texts_of
from tests.widgets.shard_map import maps
from tests.widgets.timeline import programs
from tests.widgets.training import programs as loops

GOLDEN = Path(__file__).parent / "golden" / "boards"
FIXTURES = Path(__file__).resolve().parents[2] / "widgets" / "tests-js" / "fixtures" / "boards.json"

HALF = 0.5


def _names() -> dict[str, Any]:
    """A tensor with its views, and a small slice of something large."""
    t = tk.arange(12.0).view(3, 4)
    return {"t": t, "row": t[1], "columns": t[:, ::2], "batch": [t.clone()], "thumb": tk.zeros(100_000)[:4]}


def _traced() -> tkw.Trace:
    x = tk.arange(6.0).view(2, 3)
    with tkw.trace() as found:
        (x.t() @ x)[0, 1:].mul_(2)
    return found


def _devices() -> tkw.DeviceMap:
    """There and back, number by number, from device to device; and over a border without being asked."""
    with tk.cuda.emulate(devices=2):
        names: dict[str, Any] = {"t": tk.arange(12.0).view(3, 4), "shape": tk.empty(2, 3, device="meta")}
        shown = tkw.DeviceMap(names)
        names["g"] = names["t"].to("cuda")
        names["row"] = names["g"][1]
        shown.look()
        names["total"] = sum(x.item() for x in names["row"])
        shown.look()
        names["g"] = names["g"] + 1
        names["far"] = names["g"].to("cuda:1")
        names["back"] = names["far"].cpu()
        shown.look()
        with contextlib.suppress(RuntimeError):
            names["far"].add(names["g"])
        return shown.look()


def _alone() -> tkw.DeviceMap:
    names: dict[str, Any] = {"t": tk.arange(3.0)}
    shown = tkw.DeviceMap(names)
    names["u"] = names["t"].clone()
    return shown.look()


_LAPLACE = [[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]

BOARDS: dict[str, Callable[[], Board]] = {
    **PLAYING,
    "conv": lambda: tkw.ConvExplorer(tk.arange(25.0).view(5, 5), tk.tensor(_LAPLACE), im2col=True),
    "conv_padded": lambda: tkw.ConvExplorer(
        tk.arange(72.0).view(2, 6, 6), tk.ones(2, 2, 3, 3), stride=2, padding=1
    ),
    "conv_refused": lambda: tkw.ConvExplorer(tk.ones(2, 2), tk.ones(3, 3)),
    "boxed": lambda: tkw.BoxedMemory([1.5, HALF, 3.25, HALF]),
    "boxed_nested": lambda: tkw.BoxedMemory([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5], [7.5, 8.5]]),
    "generator_stream": streams.the_same_four,
    "generator_stream_blocks": streams.blocks,
    "generator_stream_two": streams.two_generators,
    "image": lambda: tkw.ImageView(tk.arange(72, dtype=tk.uint8).view(4, 6, 3)),
    "image_planes": lambda: tkw.ImageView(tk.arange(72, dtype=tk.uint8).view(3, 4, 6)),
    "devices": _devices,
    "devices_none": _alone,
    "explain": lambda: tkw.explain(
        "y = x.t().reshape(-1)\nx.add_(1)\nz = x[1:, ::2] + y[:2]\nz.sum()", {"x": tk.arange(12).view(3, 4)}
    ),
    "explain_error": lambda: tkw.explain("x.t().view(-1)", {"x": tk.arange(6).view(2, 3)}).goto(0),
    "kernel": lambda: tkw.KernelTracer(
        kernels.add, 2, 4, numpy.arange(6.0), numpy.arange(6.0) * 10, numpy.zeros(6)
    ),
    "kernel_wrong": lambda: tkw.KernelTracer(
        kernels.add_all, 1, 4, numpy.arange(3, dtype=numpy.float32), numpy.zeros(1, dtype=numpy.float32)
    ),
    "kernel_shared": lambda: tkw.KernelTracer(kernels.reverse, 1, 8, numpy.arange(8, dtype=numpy.float32)),
    "kernel_tile": lambda: tkw.KernelTracer(
        kernels.transpose, (2, 1), (4, 4), numpy.arange(32).reshape(4, 8), numpy.zeros((8, 4), numpy.int64)
    ),
    "kernel_barrier": lambda: tkw.KernelTracer(kernels.half_wait, 1, 4, numpy.zeros(4)),
    "memory": lambda: tkw.MemoryMap(_names()),
    "memory_alone": lambda: tkw.MemoryMap(_names()).show("row"),
    "memory_many": lambda: tkw.MemoryMap({f"t{k}": tk.zeros(k + 1) for k in range(9)}, order="size"),
    "sharded": maps.rows_to_columns,
    "sharded_copies": maps.copies,
    "sharded_parts": maps.parts_of_a_sum,
    "sharded_uneven": maps.uneven,
    "sharded_asks": maps.asks,
    "timeline": programs.product,
    "timeline_early": programs.early_read,
    "timeline_error": programs.late_error,
    "timeline_streams": programs.two_streams,
    "timeline_launches": lambda: programs.launches(2),
    "trace": _traced,
    "training": loops.line,
    "training_pictures": loops.stripes,
    "training_nan": loops.too_fast,
    "training_empty": loops.nothing,
}
"""Small, and the same every time: neither times nor addresses nor unseeded numbers."""


def texts(name: str) -> str:
    """The text twins of all steps of a board."""
    return texts_of(BOARDS[name]())


def frame_of(name: str) -> dict[str, Any]:
    made = BOARDS[name]()
    try:
        frame = json.loads(json.dumps(made.run().frame))
        return {**frame, "revision": 1, "svg": numbered(frame["svg"])}
    finally:
        made.close()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for board in BOARDS:
        (GOLDEN / f"{board}.txt").write_text(texts(board), encoding="utf-8")
    FIXTURES.write_text(json.dumps(frame_of("broadcast"), indent=1) + "\n", encoding="utf-8")
