"""Programs as people write them: one that names no device, on the CPU and on an emulated device."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "notebooks" / "scripts" / "device_agnostic.py"


@pytest.mark.parametrize(
    ("asked", "emulated", "device"),
    [((), "", "cpu"), ((), "emulated", "cuda"), (("--disable-cuda",), "emulated", "cpu")],
)
def test_a_program_runs_on_whichever_device_there_is(
    asked: tuple[str, ...], emulated: str, device: str
) -> None:
    environment = {**os.environ, "TENSORKIT_CUDA": emulated}
    told = subprocess.run(
        [sys.executable, str(SCRIPT), *asked], capture_output=True, text=True, check=True, env=environment
    ).stdout
    found = re.fullmatch(r"on (\w+): y = ([\d.]+) \* x - ([\d.]+)\n", told)
    assert found, told
    assert found[1] == device
    assert float(found[2]) == pytest.approx(3, abs=0.1)
    assert float(found[3]) == pytest.approx(1, abs=0.1)
