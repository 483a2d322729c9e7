"""Machine code on disk: found again by another process, and never taken for another kernel's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
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
print(len(compiler._compiled))
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


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of this test for compiled kernels, of which nothing was said yet."""
    monkeypatch.setenv("TENSORKIT_CACHE_DIR", str(tmp_path))
    code_cache.folder.cache_clear()
    code_cache._say.cache_clear()
    yield tmp_path
    code_cache.folder.cache_clear()
    code_cache._say.cache_clear()


def kept_and_found() -> list[bytes | None]:
    """What is found of what was kept, twice."""
    found = []
    for _ in range(2):
        code_cache.store("name", b"code")
        found.append(code_cache.load("name"))
    return found


def test_a_disk_that_refuses_is_nobody_s_trouble(cache_dir: Path) -> None:
    (cache_dir / "kernels").write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="compiled kernels are not kept") as said:
        assert kept_and_found() == [None, None]
    assert len({str(one.message) for one in said}) == len(said), "said once"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="nobody owns a folder here")
def test_what_others_may_have_written_is_not_run(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_cache.store("name", b"code")
    assert code_cache.load("name") == b"code"
    where = cache_dir / "kernels"
    assert stat.S_IMODE(where.stat().st_mode) == 0o700, "whatever the umask"
    for mode in (0o770, 0o707):
        where.chmod(mode)
        code_cache._say.cache_clear()
        with pytest.warns(UserWarning, match="nobody else can write"):
            found = code_cache.load("name")
        assert found is None
        code_cache.store("other", b"code")
    where.chmod(0o700)
    assert code_cache.load("name") == b"code"
    assert code_cache.load("other") is None
    code_cache._say.cache_clear()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.warns(UserWarning, match="not a folder of yours"):
        found = code_cache.load("name")
    assert found is None
    monkeypatch.undo()
    where.rename(cache_dir / "elsewhere")
    where.symlink_to(cache_dir / "elsewhere")
    code_cache._say.cache_clear()
    with pytest.warns(UserWarning, match="not a folder of yours"):
        found = code_cache.load("name")
    assert found is None


@pytest.mark.usefixtures("cache_dir")
@pytest.mark.parametrize("asked", ["~nosuchuser/cache", None])
def test_without_a_home_nothing_is_kept(asked: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    for name in ("TENSORKIT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if asked:
        monkeypatch.setenv("TENSORKIT_CACHE_DIR", asked)
    code_cache.folder.cache_clear()
    with pytest.warns(UserWarning, match="not kept: Could not determine home directory$") as said:
        assert kept_and_found() == [None, None]
    assert len(said) == 1


def test_the_emulator_works_without_a_place_for_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENSORKIT_CACHE_DIR", "~nosuchuser/cache")
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert found.stdout.split()[:2] == ["30.0", "True"]
    assert found.stderr.count("compiled kernels are not kept") == 1
