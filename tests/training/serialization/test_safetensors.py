"""Files of the safetensors format: the same bytes, tensors and errors as the package gives with PyTorch."""

from __future__ import annotations

import functools
import importlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError

import tensorkit as tk
from tensorkit.serialization import safetensors as ours
from tests.training.serialization.same import described

KINDS = (
    *("float64", "float32", "float16", "bfloat16", "bool", "complex64"),
    *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
)


@pytest.fixture(scope="module")
def theirs(torch: Any) -> Any:
    return importlib.import_module("safetensors.torch")


def tensors(lib: Any) -> dict[str, Any]:
    made = {kind: lib.ones(2, 3).to(getattr(lib, kind)) for kind in KINDS if not kind.startswith("uint")}
    made |= {kind: lib.tensor([1, 2], dtype=getattr(lib, kind)) for kind in KINDS if kind.startswith("uint")}
    halves = lib.arange(4.0)
    return made | {
        "scalar": lib.tensor(3.0),
        "empty": lib.empty(0, 3),
        "first": halves[:2],
        "last": halves[2:],
    }


@pytest.mark.parity
def test_both_ways(torch: Any, theirs: Any, tmp_path: Path) -> None:
    metadata = {"format": "pt", "größe": "ü"}
    data = ours.save(tensors(tk), {"format": "pt"})
    assert data == theirs.save(tensors(torch), {"format": "pt"})
    assert by_name(ours.load(data)) == by_name(theirs.load(data))
    ours.save_file(tensors(tk), tmp_path / "a.safetensors", metadata)
    theirs.save_file(tensors(torch), tmp_path / "b.safetensors", metadata)
    wanted = by_name(theirs.load_file(tmp_path / "a.safetensors"))
    for name in "ab":
        path = tmp_path / f"{name}.safetensors"
        assert ours.safe_open(path, "pt").metadata() == metadata
        assert by_name(ours.load_file(path)) == wanted
        assert by_name(ours.load_file(str(path), backend="pread")) == wanted
        assert by_name(tk.load(path)) == wanted
    with tk.cuda.emulate():
        assert {str(t.device) for t in tk.load(path, tk.device("cuda")).values()} == {"cuda:0"}


def by_name(loaded: dict[str, Any]) -> Any:
    """In the order of their names: the package gives them in any."""
    return described(dict(sorted(loaded.items())))


def refusals(lib: Any, module: Any, safe_open: Any, folder: Path) -> Iterator[Callable[[], Any]]:
    """Calls that are refused, or worth a look."""
    x, path = lib.arange(6.0), folder / "a.safetensors"
    yield lambda: module.save([1])
    yield lambda: module.save({"a": 1})
    yield lambda: module.save({1: x})
    yield lambda: module.save({"a": x.view(2, 3).t()})
    yield lambda: module.save({"a": lib.ones(2, dtype=lib.complex128)})
    yield lambda: module.save({"a": x}, metadata={"a": 1})
    yield lambda: module.load(b"abc")
    yield lambda: module.load(b"\xff" * 30)
    yield lambda: module.load_file(folder / "no such file")
    yield lambda: safe_open(path, "zzz")
    yield lambda: safe_open(path, "pt", backend="foo")
    yield lambda: safe_open(path, "pt", device="foo")
    yield lambda: safe_open(path, "pt").get_tensor("none")
    yield lambda: safe_open(path, "pt").get_slice("none")
    yield lambda: closed(safe_open(path, "pt")).get_tensor("a")
    for name in ("keys", "offset_keys", "metadata"):
        yield functools.partial(getattr(safe_open(path, "pt"), name))
    for index in (..., None, 5, (slice(None), slice(None, None, 2)), -1, slice(0, 9), (0, 0, 0), slice(1, 0)):
        yield functools.partial(lambda given: safe_open(path, "pt").get_slice("a")[given], index)
    yield lambda: safe_open(path, "pt").get_slice("a").get_shape()
    yield lambda: safe_open(path, "torch").get_slice("a").get_dtype()
    yield lambda: module.load_file(path, "meta")


def closed(file: Any) -> Any:
    with file:
        return file


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return described(call())
    except Exception as error:
        return type(error).__name__, str(error).replace("torch.", "tensorkit.")


@pytest.mark.parity
def test_calls_and_refusals(torch: Any, theirs: Any, tmp_path: Path) -> None:
    theirs.save_file(
        {"a": torch.arange(6.0).view(2, 3), "b": torch.ones(1)}, tmp_path / "a.safetensors", {"x": "y"}
    )
    package = importlib.import_module("safetensors")
    both = zip(
        refusals(tk, ours, ours.safe_open, tmp_path),
        refusals(torch, theirs, package.safe_open, tmp_path),
        strict=True,
    )
    for place, (one, other) in enumerate(both):
        wanted = outcome(other)
        assert outcome(one) == wanted, place


def test_tensors_that_share_memory_are_refused() -> None:
    x = tk.ones(4)
    with pytest.raises(RuntimeError, match=r"Some tensors share memory, .*\[\{'a', 'b'\}\]|\[\{'b', 'a'\}\]"):
        ours.save({"a": x, "b": x})
    with pytest.raises(
        RuntimeError, match="A potential way to correctly save your model is to use `save_model`"
    ):
        ours.save({"a": x[:3], "b": x[2:]})
    assert set(ours.load(ours.save({"a": x[:2], "b": x[2:]}))) == {"a", "b"}


class _Model:
    """What has a state: two of its tensors are one."""

    def __init__(self) -> None:
        self.tied, self.other = tk.arange(4.0), tk.zeros(2)
        self.loaded: dict[str, Any] = {}

    def state_dict(self) -> dict[str, Any]:
        return OrderedDict(decoder=self.tied, encoder=self.tied, other=self.other, part=self.tied[1:])

    def load_state_dict(self, state: dict[str, Any], strict: bool) -> tuple[list[str], list[str]]:
        self.loaded = state
        own = self.state_dict()
        return [name for name in own if name not in state], [name for name in state if name not in own]


def test_models_whose_parameters_are_tied(tmp_path: Path) -> None:
    path, model = tmp_path / "a.safetensors", _Model()
    ours.save_model(model, str(path), {"epoch": "3"})
    with ours.safe_open(path, "pt") as file:
        assert file.metadata() == {"epoch": "3", "encoder": "decoder", "part": "decoder"}
    assert ours.load_model(model, path) == ([], [])
    assert sorted(model.loaded) == ["decoder", "other"]
    ours.save_file({"decoder": tk.ones(4), "more": tk.ones(1)}, path)
    with pytest.raises(
        RuntimeError, match=r'Missing key\(s\) in state_dict: "other"\n    Unexpected key\(s\) .*"more"'
    ):
        ours.load_model(model, path)
    assert ours.load_model(model, path, strict=False) == (["other"], ["more"])


def test_a_file_is_mapped_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    ours.save_file({"a": tk.zeros(3), "b": tk.ones(1, dtype=tk.float64)}, path)
    loaded = ours.load_file(path)
    loaded["a"][0] = 7
    assert loaded["a"].tolist() == [7, 0, 0]
    assert ours.load_file(path)["a"].tolist() == [0, 0, 0]
    ours.save_file({"a": tk.ones(3)}, path)
    assert loaded["a"].tolist() == [7, 0, 0]


def test_a_dtype_that_the_engine_lacks() -> None:
    header = json.dumps({"x": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}).encode().ljust(64)
    with pytest.raises(NotImplementedError, match="tensorkit has no dtype for `x`, which is F8_E4M3"):
        ours.load(len(header).to_bytes(8, "little") + header + b"ab")


def test_damaged_files(tmp_path: Path) -> None:
    whole, path = ours.save({"a": tk.zeros(3)}, {"x": "y"}), tmp_path / "a.safetensors"
    for place in range(len(whole)):
        path.write_bytes(whole[:place])
        with pytest.raises((SafetensorError, ValueError, OSError)):
            ours.load_file(path)
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            ours.load_file(path)
        except (SafetensorError, NotImplementedError):
            continue
