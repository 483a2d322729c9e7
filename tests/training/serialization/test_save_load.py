"""`save` and `load` by themselves: paths and files, whole files or none, what is trusted, settings."""

from __future__ import annotations

import io
import os
import pickle
import sys
import threading
import types
import warnings
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.serialization.archive import ArchiveReader, ArchiveWriter, archive_name
from tests.training.serialization.same import Tagged, described, loaded, saved

STATE = OrderedDict(weight=tk.arange(6.0).view(2, 3), bias=tk.zeros(2, dtype=tk.bfloat16))


@pytest.mark.parametrize("name", ["a.pt", "no ending", "two.dots.pt", "größe.pt"])
@pytest.mark.parametrize("kind", [str, Path])
def test_a_path(tmp_path: Path, name: str, kind: type) -> None:
    path = kind(tmp_path / name)
    tk.save(STATE, path)
    assert described(tk.load(path)) == described(STATE)
    assert described(tk.load(path, mmap=True)) == described(STATE)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    folder = zipfile.ZipFile(path).namelist()[0].partition("/")[0]
    assert folder == {"a.pt": "a", "two.dots.pt": "two.dots", "größe.pt": "archive"}.get(name, name)


def test_a_folder_inside_an_archive_has_a_name() -> None:
    assert archive_name("/x/y.z/model.pt") == "model"
    assert archive_name(r"C:\models\a.b.pt") == "a.b"
    with pytest.raises(RuntimeError, match=r"invalid file name: /x/\.hidden"):
        archive_name("/x/.hidden")


def test_an_error_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pt"
    tk.save(STATE, path)
    before = path.read_bytes()
    with pytest.raises((pickle.PicklingError, AttributeError)):
        tk.save([tk.ones(2), lambda: 0], path)

    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ArchiveWriter, "close", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tk.save(tk.ones(2), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["a.pt"]


def test_a_device_is_written_to_and_not_replaced() -> None:
    tk.save(STATE, os.devnull)
    assert not Path(os.devnull).is_file()


class _OneWay:
    """A file that can only be written to."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.flushed = False

    def write(self, data: Any) -> None:
        self.pieces.append(bytes(data))

    def flush(self) -> None:
        self.flushed = True


@pytest.mark.parametrize("new", [True, False])
def test_a_file_that_can_only_be_written_to(new: bool) -> None:
    file: Any = _OneWay()
    tk.save(STATE, file, _use_new_zipfile_serialization=new)
    assert file.flushed
    assert described(loaded(tk, b"".join(file.pieces))) == described(STATE)


class _Plain:
    """A file that is read piece by piece, and cannot read into memory."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)
        self.tell, self.seek = self._file.tell, self._file.seek

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, 7) if size > 1000 else size)


def test_a_file_that_gives_less_than_it_is_asked_for() -> None:
    file: Any = _Plain(saved(tk, tk.arange(1000.0)))
    assert tk.load(file).tolist() == list(range(1000))


def test_a_file_that_cannot_be_sought() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as end:
        tk.save(1, end)
    with os.fdopen(reading, "rb") as begin, pytest.raises(OSError, match="seek"):
        tk.load(begin)


def test_objects_one_after_the_other() -> None:
    file = io.BytesIO()
    for number in range(3):
        tk.save(tk.tensor(number), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [tk.load(file).item() for _ in range(3)] == [0, 1, 2]
    file = io.BytesIO(b"before")
    file.seek(6)
    tk.save(tk.tensor(7), file)
    file.seek(6)
    assert tk.load(file).item() == 7


@pytest.mark.skipif(sys.platform == "win32", reason="a gap in a file takes room there")
def test_large_places_and_sizes_take_64_bits(tmp_path: Path) -> None:
    """A file of 13 GB, nearly all of it a gap that takes no room."""

    class Sparse(ArchiveWriter):
        def gap(self, name: str, size: int) -> None:
            self._begin(name, size)
            self._place += size
            self._file.seek(size, os.SEEK_CUR)
            self._finish(name, size, 0)

    path = tmp_path / "large"
    with open(path, "wb") as file:
        writer = Sparse(file)
        writer.gap("data/0", 2**32 + 5)
        writer.gap("data/1", 2**33)
        writer.record("data.pkl", b"\x80\2N.")
        writer.close()
    with open(path, "rb") as made:
        reader = ArchiveReader(made)
        for name, wanted in (("data/0", 2**32 + 5), ("data/1", 2**33)):
            start, size = reader.place(name)
            assert (start % 64, size) == (0, wanted)
        assert reader.read("data.pkl") == b"\x80\2N."
        made.seek(0)
        assert b"archive/data/0\1\0\x10\0" + (2**32 + 5).to_bytes(8, "little") + bytes(
            8
        ) + b"FB" in made.read(100)
        made.seek(0)
        assert tk.load(made) is None
    with zipfile.ZipFile(path) as archive:
        assert archive.read("archive/data.pkl") == b"\x80\2N."


# -- what is trusted ----------------------------------------------------------------------------------------------


def test_an_object_of_a_users_class() -> None:
    data = saved(tk, {"tagged": Tagged("a"), "w": tk.ones(2)})
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL tests\.\S+\.Tagged was not an allowed global"):
        loaded(tk, data)
    assert loaded(tk, data, weights_only=False)["tagged"] == Tagged("a")
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL copyreg\._reconstructor|Tagged"):
        loaded(tk, saved(tk, Tagged("a"), pickle_protocol=1))
    with tk.serialization.safe_globals([Tagged]):
        assert loaded(tk, data)["tagged"] == Tagged("a")
        assert tk.serialization.get_safe_globals() == [Tagged]
    assert tk.serialization.get_safe_globals() == []
    with tk.serialization.safe_globals([(Tagged, "old.place.Tagged")]):
        moved = saved(tk, Tagged("a")).replace(b"c" + Tagged.__module__.encode(), b"cold.place")
        assert moved  # its checksum is another: a name in a file is not changed so simply


def test_an_error_of_a_users_function_is_the_users() -> None:
    def place(storage: Any, location: str) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        loaded(tk, saved(tk, STATE), place)


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("new", [True, False])
def test_every_protocol(protocol: int, new: bool) -> None:
    data = saved(tk, STATE, pickle_protocol=protocol, _use_new_zipfile_serialization=new)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Detected pickle protocol")
        assert described(loaded(tk, data)) == described(STATE)
    assert described(loaded(tk, data, weights_only=False)) == described(STATE)


def test_a_module_whose_pickler_is_not_pythons() -> None:
    """Such as cloudpickle: its names are ours, so that it takes the same module to load the file."""
    module = types.SimpleNamespace(
        Pickler=pickle.Pickler, Unpickler=pickle.Unpickler, dumps=pickle.dumps, __name__="own"
    )
    for new in (True, False):
        data = saved(tk, STATE, pickle_module=module, _use_new_zipfile_serialization=new)
        assert described(loaded(tk, data, pickle_module=module)) == described(STATE)


@pytest.mark.parametrize(
    ("name", "asked", "given"),
    [
        ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", False, True),
        ("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", None, False),
        ("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", True, True),
    ],
)
def test_the_environment(monkeypatch: pytest.MonkeyPatch, name: str, asked: bool | None, given: bool) -> None:
    monkeypatch.setenv(name, "1")
    data = saved(tk, Tagged("a"))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        if given:
            with pytest.raises(pickle.UnpicklingError):
                loaded(tk, data, weights_only=asked)
        else:
            assert loaded(tk, data, weights_only=asked) == Tagged("a")
    assert len(found) == (not given)


def test_both_wishes_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "yes")
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "y")
    with pytest.raises(RuntimeError, match="Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD`"):
        loaded(tk, saved(tk, 1))


def test_hooks_are_not_saved() -> None:
    t = tk.ones(2, requires_grad=True)
    t.register_hook(print)
    with pytest.warns(
        UserWarning, match="backward hook <built-in function print> on tensor will not be serialized"
    ):
        data = saved(tk, t)
    assert loaded(tk, data).requires_grad


# -- settings -----------------------------------------------------------------------------------------------------


def test_a_device_of_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorkit.serialization import locations

    monkeypatch.setattr(locations, "_packages", list(locations._packages))
    tk.serialization.register_package(
        5,
        lambda storage: "disk" if storage.device.type == "cpu" else None,
        lambda storage, location: storage.clone() if location == "disk" else None,
    )
    data = saved(tk, tk.ones(2))
    assert b"disk" in data
    assert loaded(tk, data).tolist() == [1, 1]
    assert tk.serialization.location_tag(tk.ones(1, device="meta").untyped_storage()) == "meta"
    assert tk.serialization.default_restore_location(tk.ones(1).untyped_storage(), "disk").nbytes() == 4


def test_a_thread_that_skips_data_is_alone() -> None:
    data, found = saved(tk, tk.ones(2)), []
    with tk.serialization.skip_data():
        thread = threading.Thread(target=lambda: found.append(loaded(tk, data).tolist()))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True with _use_new_zipfile"):
            saved(tk, tk.ones(2), _use_new_zipfile_serialization=False)
        assert loaded(tk, data).shape == (2,)
        gap = saved(tk, tk.ones(2))
    assert found == [[1, 1]]
    assert loaded(tk, gap).tolist() == [0, 0]


def test_mapped_bytes_are_turned_in_memory_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with open(path, "wb") as file:
        tk.save(tk.tensor([1, 2], dtype=tk.int32), file, _disable_byteorder_record=True)
    before = path.read_bytes()
    order = {"little": "BIG", "big": "LITTLE"}[sys.byteorder]
    tk.serialization.set_default_load_endianness(tk.serialization.LoadEndianness[order])
    try:
        assert tk.load(path, mmap=True).tolist() == [1 << 24, 2 << 24]
    finally:
        tk.serialization.set_default_load_endianness(None)
    assert path.read_bytes() == before


def test_a_record_at_an_odd_place_is_copied(tmp_path: Path) -> None:
    whole = saved(tk, tk.arange(4.0))
    entries = zipfile.ZipFile(io.BytesIO(whole))
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        for name in entries.namelist():
            archive.writestr(name, entries.read(name))
    back = tk.load(tmp_path / "a.pt", mmap=True)
    assert back.tolist() == [0, 1, 2, 3]
    assert back.data_ptr() % 4 == 0


def test_pickles_of_python_are_the_engines_own() -> None:
    """`save` reads what Python's own pickles are made of, and leaves them as they are."""
    t = tk.arange(4.0)[1:]
    assert pickle.loads(pickle.dumps(t)).tolist() == [1, 2, 3]
    assert b"torch._utils" not in pickle.dumps(t)
