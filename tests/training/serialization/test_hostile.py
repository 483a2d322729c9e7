"""Files that are damaged or made to do harm: a clear error each; nothing runs, hangs or fills the memory."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import struct
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

import tensorkit as tk
from tensorkit.serialization.archive import ArchiveWriter
from tests.torch_oracle import exhaust, fuzz_seconds
from tests.training.serialization.same import described, loaded, saved

#: What may be raised: never a MemoryError, a SystemError, or a signal.
CLEAR = (
    RuntimeError,
    pickle.UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    AssertionError,
    AttributeError,
)
CONTENT = {"w": tk.arange(6.0).view(2, 3), "names": ["a", "b"], "n": 2**40, "set": {1}}
PICKLED = zipfile.ZipFile(io.BytesIO(saved(tk, CONTENT))).read("archive/data.pkl")
DATA = tk.arange(6.0).numpy().tobytes()


def archive(pickled: bytes, records: dict[str, bytes] | None = None) -> bytes:
    """An archive, right in itself, with any pickle."""
    file = io.BytesIO()
    writer = ArchiveWriter(file)
    for name, data in {
        "data.pkl": pickled,
        "byteorder": b"little",
        "data/0": DATA,
        **(records or {}),
    }.items():
        writer.record(name, data)
    writer.close()
    return file.getvalue()


def zipped(records: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made, warnings.catch_warnings(action="ignore"):
        for name, data in records:
            made.writestr(name, data)
    return file.getvalue()


def refused(data: bytes, **options: Any) -> Exception:
    """The error that loading raises: one of those that say what is wrong."""
    with pytest.raises(CLEAR) as caught:
        loaded(tk, data, **options)
    assert str(caught.value)
    return caught.value


def harmless(data: bytes) -> Any:
    """What is loaded, or None after a clear error."""
    with contextlib.suppress(*CLEAR):
        return loaded(tk, data)
    return None


# -- damage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("new", [True, False], ids=["archive", "legacy"])
def test_a_file_that_is_cut_off(new: bool) -> None:
    whole = saved(tk, CONTENT, _use_new_zipfile_serialization=new)
    for end in {0, 1, 2, 3, 4, 5, len(whole) - 1, *range(0, len(whole), 13)}:
        refused(whole[:end])


def test_a_bit_that_is_flipped() -> None:
    whole = saved(tk, CONTENT)
    for place in range(0, len(whole), 3):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        found = harmless(bytes(flipped))
        assert found is None or described(found) == described(CONTENT), place  # a bit that fills a gap


@pytest.mark.parametrize("new", [True, False], ids=["archive", "legacy"])
def test_a_bit_of_the_pickle_that_is_flipped_with_a_right_checksum(new: bool) -> None:
    old = saved(tk, CONTENT, _use_new_zipfile_serialization=False)
    for place in range(len(PICKLED if new else old)):
        flipped = bytearray(PICKLED if new else old)
        flipped[place] ^= 1 << place % 8
        harmless(archive(bytes(flipped)) if new else bytes(flipped))


# -- pickles ------------------------------------------------------------------------------------------------------


def name(full: str) -> bytes:
    module, _, rest = full.rpartition(".")
    return f"c{module}\n{rest}\n".encode()


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def number(value: int) -> bytes:
    data = pickle.encode_long(value)
    return b"\x8a" + bytes([len(data)]) + data


def call(function: str, *args: bytes) -> bytes:
    return name(function) + b"(" + b"".join(args) + b"tR"


def numbers(*values: int) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


def storage(
    kind: str = "torch.FloatStorage", key: bytes | None = None, count: int = 6, where: str = "cpu"
) -> bytes:
    return b"(" + text("storage") + name(kind) + (key or text("0")) + text(where) + number(count) + b"tQ"


HOOKS = call("collections.OrderedDict")


def tensor(offset: int, size: tuple[int, ...], stride: tuple[int, ...], held: bytes | None = None) -> bytes:
    parts = (held or storage(), number(offset), numbers(*size), numbers(*stride), b"\x89", HOOKS)
    return call("torch._utils._rebuild_tensor_v2", *parts)


def nested(depth: int) -> bytes:
    """A tuple of 2 to the `depth` parts, in a few bytes."""
    return b")" + b"".join(b"q\0h\0\x86" for _ in range(depth))


HUGE = 2**45
V3 = "torch._utils._rebuild_tensor_v3"
PROGRAMS: dict[str, bytes] = {
    "a function of the system": call("os.system", text("echo")),
    "a function of the system that the user trusts": call("posix.system", text("echo")),
    "a module that is there": call("evil_module.run"),
    "a module of Python": name("code.interact"),
    "an attribute of what is admitted": name("torch.Size.__subclasses__"),
    "eval": call("builtins.eval", text("1")),
    "getattr": call("builtins.getattr", name("torch.Size"), text("mro")),
    "a name of PyTorch's that is not admitted": name("torch.hub.load"),
    "a name of tensorkit's": call("tensorkit.lab.ending.command"),
    "a name that is no text": b"c\xff\n\xff\n",
    "a call of what is no function": name("torch.float32") + b")R",
    "a call of a class of storages": call("torch.storage.UntypedStorage", number(5)),
    "a call of a class of tensors": call("torch.Tensor", number(5)),
    "a call of a number": b"K\1)R",
    "a call of a long tuple": nested(60) + b")R",
    "an object of a class": name("torch.Tensor") + b")\x81",
    "an object of an exception": name("builtins.SystemExit") + b")\x81",
    "a state of what has none": call("torch.Size", b")") + b"}b",
    "a state of a dictionary": b"}}b",
    "a state that is a number": HOOKS + b"K\1b",
    "bytes without end": call("builtins.bytearray", number(HUGE)),
    "a decoder": call("_codecs.encode", text("a"), text("zip")),
    "an encoding that is a long tuple": call("_codecs.encode", text("a"), nested(60)),
    "a buffer of its own": b"\x96" + struct.pack("<Q", HUGE),
    "text without end": b"X" + struct.pack("<I", 2**32 - 1) + b"a",
    "bytes of eight digits": b"\x8e" + struct.pack("<Q", HUGE) + b"a",
    "a frame without end": b"\x95" + struct.pack("<Q", HUGE),
    "a list of what is none": b"}K\1a",
    "an item of a buffer": call("builtins.bytearray") + b"K\1a",
    "an item of a list": b"]K\1K\1s",
    "an item of a tuple": b")(K\1K\1u",
    "a key without a value": b"}(K\1u",
    "a key that cannot be one": b"}]K\1s",
    "a key of 2 to the 60 parts": b"}" + nested(60) + b"K\1s",
    "members of a set of 2 to the 60 parts": call("builtins.set", b"]" + nested(60) + b"a"),
    "keys of 2 to the 60 parts": call("collections.OrderedDict", b"](" + nested(60) + b"K\1ta"),
    "counts of 2 to the 60 parts": call("collections.Counter", b"]" + nested(60) + b"a"),
    "a key whose hash is chosen": b"}" + number(2**61 - 1) + b"K\1s",
    "nothing on the stack": b"R",
    "no mark": b"t",
    "an empty stack at the end": b"",
    "a place that nothing was put at": b"h\7",
    "an extension": b"\x82\1",
    "text of Python 2 as a name": b"Pos\n",
    "a persistent id of another kind": b"(" + text("module") + name("torch.Tensor") + b"tQ",
    "a persistent id that is text": text("0") + b"Q",
    "a persistent id that is a number": b"K\1Q",
    "a persistent id that is empty": b")Q",
    "a storage of another file": storage(key=text("../../etc/passwd")),
    "a storage that is not there": storage(key=text("7")),
    "a storage with a key that is a number": storage(key=b"K\0"),
    "a storage with a key that is a long tuple": storage(key=nested(60)),
    "a storage of too many elements": storage(count=7),
    "a storage of too few elements": storage(count=5),
    "a storage without end": storage(count=HUGE),
    "a storage of a negative size": storage(count=-6),
    "a storage of a dtype": storage(kind="torch.float32"),
    "a storage on no device": storage(where="nowhere"),
    "a storage on a device that is not there": storage(where="cuda:0"),
    "a tensor that reaches past its storage": tensor(0, (7,), (1,)),
    "a tensor that begins past its storage": tensor(6, (1,), (1,)),
    "a tensor that begins before its storage": tensor(-1, (1,), (1,)),
    "a tensor of a negative size": tensor(0, (-1,), (1,)),
    "a tensor of a negative stride": tensor(5, (2,), (-1,)),
    "a tensor of a huge stride": tensor(0, (2,), (2**62,)),
    "a tensor whose reach overflows": tensor(0, (2**40, 2**40), (2**30, 2**30)),
    "a tensor with too many strides": tensor(0, (2,), (1, 1)),
    "a tensor on no storage": tensor(0, (1,), (1,), held=b"K\1"),
    "a tensor with sizes that are text": call(
        "torch._utils._rebuild_tensor_v2", storage(), b"K\0", text("12"), text("12"), b"\x89", HOOKS
    ),
    "a tensor of a dtype that is a number": call(
        V3, storage(), b"K\0", numbers(1), numbers(1), b"\x89", HOOKS, b"K\1"
    ),
    "a wider dtype over a storage": call(
        V3, storage(), b"K\0", numbers(6), numbers(1), b"\x89", HOOKS, name("torch.float64")
    ),
    "conjugates of real numbers": call(
        "torch._utils._rebuild_tensor_v2",
        *(storage(), b"K\0", numbers(1), numbers(1), b"\x89", HOOKS, b"}" + text("conj") + b"\x88s"),
    ),
    "a gradient of integers": call(
        *(V3, storage(), b"K\0", numbers(1), numbers(1), b"\x88", HOOKS, name("torch.int32")),
    ),
    "a subclass that is none": call(
        *("torch._tensor._rebuild_from_type_v2", name("torch._utils._rebuild_tensor"), name("torch.Size")),
        *(b"(" + storage() + b"K\0" + numbers(1) + numbers(1) + b"t", b"N"),
    ),
    "a subclass made by another function": call(
        "torch._tensor._rebuild_from_type_v2",
        name("builtins.bytearray"),
        name("torch.Tensor"),
        numbers(5),
        b"N",
    ),
    "a parameter of a number": call("torch._utils._rebuild_parameter", b"K\1", b"\x88", HOOKS),
    "a tensor of no memory": call(
        "torch._utils._rebuild_meta_tensor_no_storage",
        name("torch.float32"),
        numbers(-5),
        numbers(1),
        b"\x89",
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_pickle_that_does_harm(program: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_module.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    with tk.serialization.safe_globals([os.system]):
        refused(archive(b"\x80\2" + program + b"."))
        refused(b"\x80\2" + program + b".")  # as a file of the older format, which begins with a number
    assert [name for name in set(sys.modules) - before if not name.startswith("tensorkit.")] == []


@pytest.mark.parametrize("attribute", ["_bits", "_layout", "_lay", "__class__"])
def test_the_attributes_that_the_engine_keeps_are_not_a_files(attribute: str) -> None:
    parts = b"(" + storage() + b"K\0" + numbers(6) + numbers(1) + b"t"
    maker, kind = name("torch._utils._rebuild_tensor"), name("torch.Tensor")
    state = b"}(" + text("label") + b"K\2" + text(attribute) + b"K\1u"
    program = call("torch._tensor._rebuild_from_type_v2", maker, kind, parts, state)
    assert f"{attribute} of a tensor is the engine's own" in str(refused(archive(b"\x80\2" + program + b".")))


def test_lists_that_hold_themselves_and_deep_ones_are_loaded() -> None:
    own = loaded(tk, archive(b"\x80\2]q\0h\0a."))
    assert own[0] is own
    deep = loaded(tk, archive(b"\x80\2" + b"]" * 100_000 + b"a" * 99_999 + b"."))
    for _ in range(99_999):
        [deep] = deep
    assert deep == []
    sparse = loaded(
        tk, archive(b"\x80\2K\7r\xff\xff\xff\xff0".replace(b"0", b"") + b"j\xff\xff\xff\xff\x86.")
    )
    assert sparse == (7, 7)


# -- archives -----------------------------------------------------------------------------------------------------

GOOD = [("a/data.pkl", b"\x80\2K\7."), ("a/byteorder", b"little"), ("a/version", b"3\n")]
ARCHIVES: dict[str, Callable[[], bytes]] = {
    "compressed": lambda: zipped([("a/data.pkl", b"\x80\2" + b"]" * 10**6)], zipfile.ZIP_DEFLATED),
    "a name that is there twice": lambda: zipped([*GOOD, GOOD[0]]),
    "no pickle": lambda: zipped(GOOD[1:]),
    "no folder": lambda: zipped([("data.pkl", b"\x80\2K\7.")]),
    "no record": lambda: zipped([]),
    "a version of the future": lambda: zipped([*GOOD[:2], ("a/version", b"11\n")]),
    "a version that is no number": lambda: zipped([*GOOD[:2], ("a/version", b"x" * 9)]),
    "an unknown byte order": lambda: zipped([GOOD[0], ("a/byteorder", b"middle")]),
    "a TorchScript": lambda: zipped([*GOOD, ("a/constants.pkl", b"")]),
    "records that overlap": lambda: _overlapping(),
    "a directory of nonsense": lambda: zipped(GOOD).replace(b"PK\1\2", b"PK\1\3"),
    "a header of nonsense": lambda: b"PK\3\4" + zipped(GOOD)[4:].replace(b"PK\3\4", b"PK\3\5"),
    "a first header of nonsense": lambda: (
        zipped(GOOD).replace(b"a/data.pkl", b"b/data.pkl", 1)[:20] + zipped(GOOD)[9:]
    ),
    "an archive of 2 to the 60 bytes": lambda: zipped(GOOD).replace(struct.pack("<I", 6), b"\xff" * 4),
}


def _overlapping() -> bytes:
    """A thousand entries of the directory for the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, data in GOOD:
            made.writestr(name, data)
        made.writestr("a/data/0", bytes(1000))
        entry = made.getinfo("a/data/0")
        for number in range(1, 1000):
            twin = zipfile.ZipInfo(f"a/data/{number}")
            for field in ("CRC", "compress_size", "file_size", "header_offset"):
                setattr(twin, field, getattr(entry, field))
            made.filelist.append(twin)
    return file.getvalue()


@pytest.mark.filterwarnings("ignore:'tensorkit.load' received")
@pytest.mark.parametrize("made", ARCHIVES.values(), ids=ARCHIVES.keys())
def test_an_archive_that_does_harm(made: Callable[[], bytes], tmp_path: Path) -> None:
    data = made()
    refused(data)
    (tmp_path / "a.pt").write_bytes(data)
    with pytest.raises(CLEAR):
        tk.load(tmp_path / "a.pt", mmap=True)


def test_a_compressed_record_is_called_so() -> None:
    small = zipped([("a/data.pkl", b"\x80\2K\7.")], zipfile.ZIP_DEFLATED)
    assert "the record a/data.pkl is compressed: PyTorch compresses none" in str(refused(small))


def test_names_of_records_are_never_paths(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(DATA)
    evil = storage(key=text(f"../..{tmp_path}/secret"))
    assert "file not found" in str(refused(archive(b"\x80\2" + evil + b".")))
    odd = archive(b"\x80\2" + tensor(0, (6,), (1,), storage(key=text("../x"))) + b".", {"data/../x": DATA})
    assert loaded(tk, odd).tolist() == [0, 1, 2, 3, 4, 5]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]


def test_the_older_format_of_lies() -> None:
    whole = saved(tk, tk.arange(6.0), _use_new_zipfile_serialization=False)
    for lie in (b"K\7", b"K\5", number(HUGE), number(-6)):
        refused(whole.replace(b"K\6Nt", lie + b"Nt"))
    said = str(refused(whole.replace(b"K\6Nt", number(HUGE) + b"Nt")))
    assert said == "the file has a storage that is larger than the file"
    refused(whole.replace(struct.pack("<q", 6), struct.pack("<q", HUGE)))
    refused(whole.replace(b"\x8a\nl\xfc", b"\x8a\nl\xfd"))
    assert "Cannot use ``weights_only=True`` with files saved in the legacy .tar" in str(refused(_tar()))
    refused(_tar(), weights_only=False)


def _tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as made:
        made.addfile(tarfile.TarInfo("storages"))
    return file.getvalue()


# -- at random ----------------------------------------------------------------------------------------------------

_PIECES = [
    *(bytes([code]) for code in b"()]}.NRb\x81ase\x90u\x85\x86\x87t\x88\x89QqhKI0210\x93\x94\x8f\x91"),
    *(
        b"q\0",
        b"h\0",
        b"K\1",
        b"K\0",
        b"J\xff\xff\xff\xff",
        text("storage"),
        text("cpu"),
        text("0"),
        text("conj"),
    ),
    *(
        number(2**40),
        number(-1),
        b"G\x7f\xf8" + bytes(6),
        HOOKS,
        storage(),
        numbers(6),
        numbers(2, 3),
        nested(50),
    ),
    *(
        name(full)
        for full in ("torch.FloatStorage", "torch.float32", "torch.Size", "torch.device", "torch.Tensor")
    ),
    *(name(f"torch._utils._rebuild_{kind}") for kind in ("tensor", "tensor_v2", "tensor_v3", "parameter")),
    *(name(f"collections.{kind}") for kind in ("OrderedDict", "Counter")),
    *(name(f"builtins.{kind}") for kind in ("set", "bytearray", "complex")),
    *(name("torch._tensor._rebuild_from_type_v2"), tensor(0, (6,), (1,)), PICKLED[2:-1], PICKLED[2:60]),
]


@pytest.mark.fuzz
@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_anything_that_is_put_together() -> None:
    examples = 100 if fuzz_seconds() else 40

    @hypothesis.settings(max_examples=examples, database=None)
    @hypothesis.given(st.lists(st.sampled_from(_PIECES) | st.binary(max_size=3), max_size=30))
    def put_together(pieces: list[bytes]) -> None:
        harmless(archive(b"\x80\2" + b"".join(pieces) + b"."))

    @hypothesis.settings(max_examples=examples, database=None)
    @hypothesis.given(
        st.lists(st.tuples(st.integers(0, 2**16), st.binary(max_size=4)), min_size=1, max_size=4)
    )
    def patched(patches: list[tuple[int, bytes]]) -> None:
        for whole in (saved(tk, CONTENT), saved(tk, CONTENT, _use_new_zipfile_serialization=False)):
            data = bytearray(whole)
            for place, patch in patches:
                start = place % len(data)
                data[start : start + len(patch)] = patch
            harmless(bytes(data))

    def both() -> None:
        put_together()
        patched()

    exhaust(both, "files")
