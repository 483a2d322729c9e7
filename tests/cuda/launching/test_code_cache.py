"""Machine code on disk: found again by another process, and never taken for another kernel's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorkit.kernels.cuda import code_cache

PROGRAM = """
import os, sys, time
import tensorkit as tk
with tk.cuda.emulate():
    t = tk.arange(6.0, device="cuda")
    print((t + t).sum().item(), t.softmax(0).sum().item() > 0.99)
from tensorkit.kernels.cuda import compile as compiler
print(compiler._compiled)
"""


def test_what_one_process_compiled_another_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENSORKIT_CACHE_DIR", str(tmp_path))
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert said[0][:2] == said[1][:2] == ["30.0", "True"]
    assert int(said[0][2]) > 2
    assert int(said[1][2]) == 0
    assert any((tmp_path / "kernels").iterdir())


def test_a_fingerprint_follows_what_code_is_made_of() -> None:
    def times(factor: Any) -> Any:
        return lambda x: x * factor

    assert code_cache.fingerprint(times(2)) == code_cache.fingerprint(times(2))
    assert code_cache.fingerprint(times(2)) != code_cache.fingerprint(times(3))
    assert code_cache.fingerprint(lambda x: x + 1) != code_cache.fingerprint(lambda x: x - 1)
    assert code_cache.fingerprint(object()) is None


def test_a_disk_that_refuses_is_nobody_s_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernels").write_text("a file where the folder should be")
    monkeypatch.setenv("TENSORKIT_CACHE_DIR", str(tmp_path))
    code_cache.folder.cache_clear()
    try:
        code_cache.store("name", b"code")
        assert code_cache.load("name") is None
    finally:
        code_cache.folder.cache_clear()
