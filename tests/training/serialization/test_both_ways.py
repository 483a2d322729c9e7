"""What PyTorch saves is loaded here, and what is saved here PyTorch loads; the files are the same bytes."""

from __future__ import annotations

import collections
import copy
import fractions
import importlib
import inspect
import io
import mmap
import os
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tests.training.serialization.same import OBJECTS, build, described, loaded, saved

pytestmark = pytest.mark.parity
ID_DIGITS = 20  # of the archive's last record, which follow from the order of a hash table in C++


@pytest.mark.parametrize("text", OBJECTS)
def test_an_object_goes_both_ways(torch: Any, text: str) -> None:
    theirs, ours = build(text, torch), build(text, tk)
    from_torch, from_us = saved(torch, theirs), saved(tk, ours)
    wanted = described(loaded(torch, from_torch))
    assert described(loaded(tk, from_torch)) == wanted
    assert described(loaded(torch, from_us)) == wanted
    assert described(loaded(tk, from_us)) == wanted
    assert described(loaded(tk, from_torch, weights_only=False)) == wanted
    assert described(loaded(torch, from_us, weights_only=False)) == wanted


@pytest.mark.parametrize("protocol", [2, 3])
def test_the_files_are_the_same_bytes(torch: Any, protocol: int) -> None:
    for text in OBJECTS:
        if "{1, 2" in text or "uint8), t.untyped" in text:  # a set is written in the order of its table
            continue
        theirs = saved(torch, build(text, torch), pickle_protocol=protocol)
        ours = saved(tk, build(text, tk), pickle_protocol=protocol)
        assert without_id(ours) == without_id(theirs), text


def without_id(archive: bytes) -> bytes:
    """An archive without the first digits of its id, and the checksum of the id, which is there twice."""
    entry = zipfile.ZipFile(io.BytesIO(archive)).infolist()[-1]
    start = archive.rindex(b"PK\7\x08", 0, archive.rindex(b"PK\6\6")) - entry.file_size
    return (archive[:start] + archive[start + ID_DIGITS :]).replace(entry.CRC.to_bytes(4, "little"), b"")


def test_the_older_format_goes_both_ways(torch: Any) -> None:
    for text in OBJECTS:
        theirs, ours = build(text, torch), build(text, tk)
        old = {"_use_new_zipfile_serialization": False}
        wanted = described(loaded(tk, saved(torch, theirs)))
        assert described(loaded(tk, saved(torch, theirs, **old))) == wanted, text
        assert described(loaded(tk, saved(tk, ours, **old))) == wanted, text
        assert described(loaded(tk, saved(torch, theirs, **old), weights_only=False)) == wanted, text
        if (
            "uint16" not in text and "untyped_storage" not in text
        ):  # PyTorch cannot load its own file of these
            assert described(loaded(torch, saved(tk, ours, **old))) == wanted, text


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
def test_all_protocols_are_read(torch: Any, protocol: int) -> None:
    """PyTorch itself reads weights only from protocol 2, and warns of the others."""
    content = {"a": torch.arange(3.0), "b": [True, 2**40, "text"], "c": b"bytes" if protocol > 1 else 1.5}
    data = saved(torch, content, pickle_protocol=protocol)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = loaded(tk, data)
    assert described(result) == described(content)
    assert [str(one.message)[:41] for one in found] == (
        [f"Detected pickle protocol {protocol} in the checkpo"] if protocol > 2 else []
    )
    mine = saved(tk, {"a": tk.arange(3.0)}, pickle_protocol=protocol)
    assert described(loaded(torch, mine, weights_only=False)) == described({"a": torch.arange(3.0)})


def test_the_state_of_a_model_and_of_its_optimiser(torch: Any) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.BatchNorm1d(3))
    moments = {"step": torch.tensor(1.0), "exp_avg": torch.ones(3, 5), "exp_avg_sq": torch.ones(3, 5)}
    options = {"lr": 1e-3, "betas": (0.9, 0.999), "foreach": None, "maximize": False, "params": [0]}
    optimizer = {"state": {0: moments}, "param_groups": [options]}  # what AdamW has after a step
    state = {"model": model.state_dict(), "optimizer": optimizer, "epoch": 3}
    ours = loaded(tk, saved(torch, state))
    assert described(ours) == described(state)
    back = loaded(torch, saved(tk, ours))
    assert described(back) == described(state)
    model.load_state_dict(back["model"])


#: What is for PyTorch's own needs: sources of modules, temporary folders, other devices, the classes of long ago.
LEFT_OUT = {
    *("SourceChangeWarning", "mkdtemp", "check_module_version_greater_or_equal", "validate_hpu_device"),
    *("normalize_storage_type", "storage_to_tensor_type"),
}


def test_the_names_and_signatures(torch: Any) -> None:
    ours, theirs = tk.serialization, torch.serialization
    assert set(theirs.__all__) - set(ours.__all__) == LEFT_OUT
    assert set(ours.__all__) <= set(theirs.__all__)
    for name in ours.__all__:
        if inspect.isfunction(getattr(theirs, name)):
            one, other = (inspect.signature(getattr(lib, name)).parameters.values() for lib in (ours, theirs))
            assert [(p.name, p.kind, p.default) for p in one] == [
                (p.name, p.kind, p.default) for p in other
            ], name
    assert (tk.save, tk.load) == (ours.save, ours.load)


# -- parameters and subclasses ------------------------------------------------------------------------------------


def test_parameters(torch: Any) -> None:
    plain, tagged = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2), requires_grad=False)
    tagged.label = "weight"
    data = saved(torch, [plain, tagged, plain])
    ours = loaded(tk, data)
    assert [type(one) for one in ours] == [tk.nn.Parameter] * 3
    assert ours[0] is ours[2]
    assert [one.requires_grad for one in ours] == [True, False, True]
    assert ours[1].label == "weight"
    assert without_id(saved(tk, ours)) == without_id(data)
    back = loaded(torch, saved(tk, ours))
    assert [type(one) for one in back] == [torch.nn.Parameter] * 3
    assert without_id(saved(tk, tk.nn.Parameter)) == without_id(saved(torch, torch.nn.Parameter))
    assert loaded(tk, saved(torch, torch.nn.Parameter)) is tk.nn.Parameter


class Named(tk.Tensor):
    """A user's subclass."""


def test_a_subclass_takes_a_word_of_the_user(torch: Any) -> None:
    made = tk.ones(2)
    made.__class__ = Named
    made.tag = "x"  # type: ignore[attr-defined]
    data = saved(tk, made)
    with pytest.raises(Exception, match=f"GLOBAL {__name__}.Named was not an allowed global"):
        loaded(tk, data)
    with tk.serialization.safe_globals([Named]):
        back = loaded(tk, data)
    assert (type(back), back.tag, back.tolist()) == (Named, "x", [1.0, 1.0])
    assert type(loaded(tk, data, weights_only=False)) is Named


# -- NumPy's ------------------------------------------------------------------------------------------------------


def test_what_numpy_makes_takes_a_word_of_the_user(torch: Any) -> None:
    content = {"array": np.arange(6.0).reshape(2, 3)[:, ::2], "number": np.float32(1.5)}
    made = importlib.import_module("numpy._core.multiarray")
    trusted = [made._reconstruct, made.scalar, np.ndarray, np.dtype]
    trusted += [np.dtypes.Float64DType, np.dtypes.Float32DType]
    assert saved(tk, content)[: 1 << 9] == saved(torch, content)[: 1 << 9]
    for lib in (tk, torch):
        with pytest.raises(Exception, match=r"GLOBAL numpy\._core\.multiarray\._reconstruct was not"):
            loaded(lib, saved(torch, content))
        with lib.serialization.safe_globals(trusted):
            back = loaded(lib, saved(tk, content))
        assert back["array"].tolist() == [[0, 2], [3, 5]]
        assert back["number"] == np.float32(1.5)


# -- devices ------------------------------------------------------------------------------------------------------


def moved(data: bytes, location: str) -> bytes:
    """A file that says it was saved on another device: PyTorch's CPU build cannot write one."""
    entries = zipfile.ZipFile(io.BytesIO(data))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in entries.namelist():
            content = entries.read(name)
            if name.endswith("data.pkl"):
                content = content.replace(
                    b"X\3\0\0\0cpu", b"X" + len(location).to_bytes(4, "little") + location.encode()
                )
            archive.writestr(name, content)
    return file.getvalue()


LOCATIONS = [
    None,
    "cpu",
    "meta",
    "cuda",
    "cuda:0",
    "cuda:7",
    "foo",
    {"cuda:1": "cpu"},
    {"cuda:1": "meta"},
    {"x": "y"},
]


def outcome(load: Callable[[], Any]) -> Any:
    try:
        return described(load())
    except Exception as error:
        return type(error).__name__, str(error).replace("torch.", "tensorkit.")


@pytest.mark.parametrize("location", LOCATIONS, ids=repr)
def test_where_storages_go(torch: Any, location: Any) -> None:
    for data in (saved(torch, torch.ones(2)), moved(saved(torch, torch.ones(2)), "cuda:1")):
        wanted = outcome(lambda: loaded(torch, data, location))  # noqa: B023
        assert outcome(lambda: loaded(tk, data, location)) == wanted  # noqa: B023
    if isinstance(location, str) and location != "foo":
        data = saved(torch, torch.ones(2))
        given = outcome(lambda: loaded(torch, data, torch.device(location)))
        assert outcome(lambda: loaded(tk, data, tk.device(location))) == given


@pytest.mark.parametrize("given", ["storage", "None", "storage.clone()", "5"])
def test_a_function_says_where_storages_go(torch: Any, given: str) -> None:
    def result(lib: Any) -> Any:
        seen: list[Any] = []

        def place(storage: Any, location: str) -> Any:
            seen.append((type(storage).__name__, location, storage.nbytes()))
            return eval(given, {"storage": storage})

        return outcome(lambda: loaded(lib, saved(lib, [t := lib.ones(2), t[1:]]), place)), seen

    assert result(tk) == result(torch)


def test_a_device_that_is_emulated(torch: Any) -> None:
    with tk.cuda.emulate(devices=2):
        data = saved(tk, [t := tk.arange(3.0, device="cuda:1"), t[1:]])
        back = loaded(tk, data)
        assert str(back[0].device) == "cuda:1"
        assert back[0].data_ptr() + 4 == back[1].data_ptr()
        assert loaded(tk, data, {"cuda:1": "cuda:0"})[0].device == tk.device("cuda:0")
        assert loaded(tk, data, lambda storage, location: storage.cuda(0))[0].device == tk.device("cuda:0")
        with pytest.raises(
            RuntimeError, match=r"CUDA device 5 but tensorkit\.cuda\.device_count\(\) is 2\. Please"
        ):
            loaded(tk, data, "cuda:5")
    assert loaded(torch, data, "cpu")[0].tolist() == [0, 1, 2]
    assert outcome(lambda: loaded(tk, data)) == outcome(lambda: loaded(torch, data))


# -- mapped into memory -------------------------------------------------------------------------------------------


def test_a_file_is_mapped(torch: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"a": torch.arange(1000.0), "b": torch.ones(3, dtype=torch.bfloat16)}, path)
    before = path.read_bytes()
    state = tk.load(path, mmap=True)
    state["a"][0] = 7
    assert state["a"][:2].tolist() == [7, 1]
    assert path.read_bytes() == before
    with pytest.raises(RuntimeError, match="not resizable"):
        state["a"].resize_(5000)
    with tk.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        tk.load(path, mmap=True)["a"][0] = 7
    assert torch.load(path)["a"][0] == 7


# -- what is refused ----------------------------------------------------------------------------------------------


def anything(lib: Any) -> Iterator[Any]:
    """Calls that are refused."""
    good = saved(lib, {"a": lib.arange(3.0)})
    old = saved(lib, {"a": lib.arange(3.0)}, _use_new_zipfile_serialization=False)
    yield lambda: loaded(lib, good, mmap=True)
    yield lambda: loaded(lib, old, mmap=True)
    yield lambda: loaded(lib, good, pickle_module=copy, weights_only=True)
    yield lambda: loaded(lib, good[:-1])
    yield lambda: loaded(lib, good[:500])
    yield lambda: lib.load(5)
    yield lambda: lib.load(None)
    yield lambda: lib.load("/no/such/file")
    yield lambda: lib.load("/")
    yield lambda: lib.load("x.safetensors", {"cpu": "cpu"})
    yield lambda: lib.load("x.safetensors", lambda storage, location: storage)
    yield lambda: lib.save(1, 5)
    yield lambda: lib.save(1, "/no/such/folder/file")
    yield lambda: lib.save(1, "/")
    yield lambda: lib.save(1, "")
    yield lambda: saved(lib, [t := lib.ones(2), t.view(lib.int32)])
    yield lambda: saved(lib, lib.TypedStorage([1], dtype=lib.uint16))
    yield lambda: loaded(lib, saved(lib, frozenset([1])))
    yield lambda: loaded(lib, saved(lib, iter([1])))
    yield lambda: loaded(lib, saved(lib, copy.deepcopy))
    yield lambda: loaded(lib, saved(lib, os.getpid))
    yield lambda: lib.serialization.set_default_mmap_options(5)
    yield lambda: lib.serialization.set_default_load_endianness(5)
    yield lambda: lib.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(old))
    yield lambda: lib.serialization.validate_cuda_device("cuda:0")
    yield lambda: lib.serialization.default_restore_location(lib.ones(1).untyped_storage(), "x")
    yield lambda: trusting(lib, [(1, 2, 3)])
    yield lambda: trusting(lib, [(1, 2)])
    yield lambda: trusting(lib, [[]])


def trusting(lib: Any, names: Any) -> Any:
    with lib.serialization.safe_globals(names):
        return loaded(lib, saved(lib, frozenset([1])))


def test_refusals_have_pytorchs_words(torch: Any) -> None:
    with warnings.catch_warnings(action="ignore"):
        for place, (ours, theirs) in enumerate(zip(anything(tk), anything(torch), strict=True)):
            wanted, found = outcome(theirs), outcome(ours)
            assert len(wanted) == 2, place
            assert found == wanted, place


@pytest.mark.parametrize("content", ["Fraction", "deque", "getpid", "tensor"])
def test_what_is_unsafe_in_a_file(torch: Any, content: str) -> None:
    made = {
        "Fraction": fractions.Fraction(1, 2),
        "deque": [collections.deque([1]), slice(1)],
        "getpid": os.getpid,
    }
    data = saved(torch, made.get(content, torch.ones(2)))
    found = [
        sorted(lib.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))) for lib in (tk, torch)
    ]
    assert found[0] == found[1]


def test_what_the_engine_lacks_is_named(torch: Any) -> None:
    for content, lacking in (
        (torch.zeros(2, dtype=torch.float8_e4m3fn), "torch.float8_e4m3fn"),
        (torch.eye(2).to_sparse(), "torch._utils._rebuild_sparse_tensor"),
        (torch.complex32, "torch.complex32"),
    ):
        with pytest.raises(
            NotImplementedError, match=f"the file needs {lacking}, which tensorkit does not have"
        ):
            loaded(tk, saved(torch, content))


def test_names_of_pytorch_mean_ours_where_anything_is_loaded(torch: Any) -> None:
    data = saved(torch, [torch.ones(2), torch.memory_format, torch.autograd.grad_mode.no_grad])
    made = loaded(tk, data, weights_only=False)
    assert made[1:] == [tk.memory_format, tk.no_grad]
    with pytest.raises(
        AttributeError, match=r"the file needs torch\.distributed\.\S+, which tensorkit does not have"
    ):
        loaded(tk, saved(torch, torch.distributed.algorithms.join.Join), weights_only=False)


@pytest.mark.parametrize("order", ["little", "big"])
def test_the_byte_order(torch: Any, order: str) -> None:
    data = saved(torch, torch.tensor([1, 258], dtype=torch.int16))
    entries = zipfile.ZipFile(io.BytesIO(data))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in entries.namelist():
            archive.writestr(name, order if name.endswith("byteorder") else entries.read(name))
    assert loaded(tk, file.getvalue()).tolist() == loaded(torch, file.getvalue()).tolist()
    silent = io.BytesIO()
    torch.save(torch.tensor([1, 258], dtype=torch.int16), silent, _disable_byteorder_record=True)
    for lib in (tk, torch):
        big = lib.serialization.LoadEndianness[order.upper()]
        lib.serialization.set_default_load_endianness(big)
    try:
        assert loaded(tk, silent.getvalue()).tolist() == loaded(torch, silent.getvalue()).tolist()
    finally:
        for lib in (tk, torch):
            lib.serialization.set_default_load_endianness(None)


def test_without_checksums_and_without_data(torch: Any) -> None:
    for lib in (tk, torch):
        lib.serialization.set_crc32_options(False)
    try:
        ours, theirs = (saved(lib, lib.arange(3.0)) for lib in (tk, torch))
    finally:
        for lib in (tk, torch):
            lib.serialization.set_crc32_options(True)
    assert len(ours) == len(theirs)
    assert ours[:900] == theirs[:900]
    assert loaded(tk, theirs).tolist() == [0, 1, 2]
    files = []
    for lib in (tk, torch):
        with lib.serialization.skip_data():
            files.append(saved(lib, [lib.arange(3.0), lib.empty(0)]))
    assert without_id(files[0]) == without_id(files[1])
    assert loaded(torch, files[0])[0].tolist() == [0, 0, 0]
    with tk.serialization.skip_data():
        assert loaded(tk, saved(torch, torch.ones(2))).shape == (2,)
