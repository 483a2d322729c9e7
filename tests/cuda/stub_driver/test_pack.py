"""Kernels packed without a driver, and loaded from the pack where nothing can compile."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit.kernels.cuda import code_cache, pack
from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.lab import cubins
from tests.cuda.learners import add_grid
from tests.cuda.test_stub_driver import driver, part, told

__all__ = ["driver"]  # a fixture

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)


@pytest.fixture(scope="module")
def kernels() -> list[Kernel]:
    """A map, a reduction and a copy."""
    found = {kernel.name: kernel for kernel in cubins.collect(["exp", "sum", "contiguous"], ["float32"])}
    copy = next(name for name in found if name.startswith("identity"))
    return [found[name] for name in ("exp_float32_float32_contiguous", "sum_float32_float32_1d", copy)]


@pytest.fixture
def packed(kernels: list[Kernel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A pack of three kernels for sm_80, the only one there is."""
    path = tmp_path / "packs" / "cubins.zip"
    assert cubins.build(path, kernels, [(8, 0)]) == 3
    monkeypatch.setenv("TENSORKIT_CUBINS", str(path))
    pack._opened.cache_clear()
    yield path
    pack._opened.cache_clear()


def refuse(*arguments: Any) -> Any:
    raise AssertionError("this would compile")


def test_three_kernels_load_from_a_pack_without_a_compiler(
    packed: Path, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_cache, "load", refuse)
    monkeypatch.setattr(compiler, "_link", refuse)
    for kernel in kernels:
        for capability in ((8, 0), (8, 6), (8, 9)):  # what was made for 8.0 runs on all of 8
            machine = compiler.cubin.__wrapped__(kernel, capability)
            assert machine[:4] == b"\x7fELF"
            assert f".text.{kernel.name}".encode() in machine
        with pytest.raises(AssertionError):
            compiler.cubin.__wrapped__(kernel, (9, 0))


def test_the_same_kernels_give_the_same_bytes(packed: Path, kernels: list[Kernel]) -> None:
    again = packed.with_name("again.zip")
    cubins.build(again, reversed(kernels), [(8, 0)])
    assert again.read_bytes() == packed.read_bytes()


def test_a_key_is_the_same_in_another_process(kernels: list[Kernel]) -> None:
    code = (
        "from tensorkit.lab import cubins\nfrom tensorkit.kernels.cuda import pack\n"
        "print({k.name: pack.key(k) for k in cubins.collect(['exp'], ['float32'])})"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        assert eval(done.stdout)[kernels[0].name] == pack.key(kernels[0])


def test_no_two_kernels_have_one_key_and_learners_have_none() -> None:
    found = cubins.collect(["add", "sub", "softmax", "cumsum", "gather", "where"], ["float32", "int32"])
    keys = [pack.key(kernel) for kernel in found]
    assert None not in keys
    assert len(set(keys)) == len(found) > 20
    assert pack.key(Kernel("own", add_grid, {}, ())) is None


def test_a_pack_of_other_sources_is_not_used_and_said_to_be_stale(
    packed: Path, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pack.find(kernels[0], (8, 0)) is not None
    assert "other sources" not in pack.missing("add", (8, 0))
    with zipfile.ZipFile(packed) as file:
        assert json.loads(file.read("about.json")) == {"sources": pack.sources()}
    monkeypatch.setattr(pack, "sources", lambda: "others")
    pack._opened.cache_clear()
    assert pack.find(kernels[0], (8, 0)) is None
    sentence = pack.missing("add", (8, 0))
    assert f"sm_80 (made of other sources: {packed})" in sentence
    assert "python -m tensorkit.lab.cubins" in sentence


def test_what_spills_is_not_packed(
    kernels: list[Kernel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [cubins.spilled(kernel, (8, 0)) for kernel in kernels] == [0, 0, 0]
    monkeypatch.setattr(cubins, "spilled", lambda kernel, capability: 8)
    with pytest.raises(RuntimeError, match="spills 8 bytes on sm_80"):
        cubins.build(tmp_path / "none.zip", kernels, [(8, 0)])
    assert not (tmp_path / "none.zip").exists()


def test_a_gpu_without_a_compiler_runs_from_the_pack_the_command_made(
    driver: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cubins.zip"
    assert cubins.main([str(path), "--arch", "90", "--dtype", "float32", "--only", "add"]) == 0
    assert "pieces of machine code" in capsys.readouterr().out
    code = """
from importlib import metadata
from tensorkit.kernels.cuda import compile as compiler
def absent(name):
    raise metadata.PackageNotFoundError(name)
compiler.version = absent
a = tk.ones(6).cuda()
mark("launch")
b = a + a
mark("end")
try:
    a.exp()
except RuntimeError as error:
    print(error)
"""
    printed, log = told(driver, tmp_path, code, TENSORKIT_CUBINS=str(path), TENSORKIT_CACHE_DIR="")
    assert part(log, "launch")[0] == "cuLibraryLoadData ELF"
    assert printed[0].startswith(
        "The kernel exp_float32_float32_contiguous is in no pack of machine code for sm_90"
    )
