"""A board that is kept stays as it was, while the one that it was kept from goes on."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import DeviceMap, MemoryMap


@pytest.mark.parametrize("board", [DeviceMap, MemoryMap])
def test_what_is_kept_stays_as_it_is(board: Any) -> None:
    with tk.cuda.emulate():
        names = {"t": tk.arange(3.0)}
        live = board(names)
        names["g"] = names["t"].to("cuda")
        kept = live.look().keep()
        seen = kept.text()
        assert seen == live.text()
        names["g"].mul_(2)
        live.look()
        assert kept.text() == seen != live.text()
        assert isinstance(kept, board)
        live.close()
        assert kept.text() == seen
        kept.close()
