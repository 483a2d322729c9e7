"""A learner runs a lesson's first cells again: the emulation that is on by then must not be taken for a GPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tensorkit as tk

LESSON = Path(__file__).resolve().parents[2] / "notebooks" / "22_async_and_streams.ipynb"


def test_busy_holds_a_stream_where_an_emulation_is_on_already() -> None:
    """On a GPU the same block multiplies large matrices; where the CPU plays one, those take minutes."""
    cells = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    setup = next(text for cell in cells if "def busy(" in (text := "".join(cell["source"])))
    names: dict[str, Any] = {"tk": tk}
    with tk.cuda.emulate():
        exec(setup, names)
        assert names["emulation"] is not None
        with names["emulation"]:
            x = tk.zeros(2, device="cuda")
            with names["busy"]():
                x.fill_(7)
                assert not tk.cuda.current_stream().query()
            assert x.tolist() == [7.0, 7.0]
