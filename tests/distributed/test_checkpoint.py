"""Checkpoints: each rank writes and reads its own shards; a save that fails and a damaged file are survived."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed import checkpoint, cluster
from tensorkit.distributed.checkpoint import loading, saving
from tensorkit.distributed.checkpoint.index import INDEX
from tensorkit.distributed.tensor import (
    DTensor,
    Placement,
    Replicate,
    Shard,
    distribute_tensor,
    init_device_mesh,
    zeros,
)
from tensorkit.serialization import safetensors
from tests.distributed.inline import mesh

SIZES = ((7, 5), (1, 3), (0, 3), (), (4,))


def placements(ndim: int, mesh_ndim: int) -> list[tuple[Placement, ...]]:
    return list(product((Replicate(), *map(Shard, range(ndim))), repeat=mesh_ndim))


def blank(like: Any, on: Any, placed: Any) -> DTensor:
    """Of a size and dtype, without the elements."""
    return distribute_tensor(tk.full(like.shape, 1).to(like.dtype), on, placed)


def text(folder: Path) -> str:
    return (folder / INDEX).read_text(encoding="utf-8")


def shard_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.safetensors"))


def test_any_placement_is_loaded_into_any_other(tmp_path: Path) -> None:
    tk.manual_seed(0)
    meshes = [mesh(*shape) for shape in ((1,), (3,), (2, 2))]
    full = {size: tk.randn(size) for size in SIZES}
    for saved_on in meshes:
        for size, t in full.items():
            for placed in placements(len(size), saved_on.ndim):
                checkpoint.save({"t": distribute_tensor(t, saved_on, placed)}, checkpoint_id=tmp_path)
                for on in meshes:
                    targets = [blank(t, on, p) for p in placements(len(size), on.ndim)]
                    for target in targets:
                        before = target.placements
                        checkpoint.load({"t": target}, checkpoint_id=tmp_path)
                        assert target.placements == before
                        assert tk.equal(target.full_tensor(), t)
                plain = tk.full(size, 7.0)
                checkpoint.load({"t": plain}, checkpoint_id=tmp_path)
                assert tk.equal(plain, t)


def test_every_dtype_of_the_format(tmp_path: Path) -> None:
    on = mesh(3)
    full = {str(of): tk.tensor([[0, 1], [2, 3], [4, 5], [1, 0]]).to(of) for of in safetensors.DTYPES.values()}
    assert len(full) == 14
    checkpoint.save(
        {n: distribute_tensor(t, on, [Shard(0)]) for n, t in full.items()}, checkpoint_id=tmp_path
    )
    targets = {name: blank(t, on, [Shard(1)]) for name, t in full.items()}
    checkpoint.load(targets, checkpoint_id=tmp_path)
    for name, t in full.items():
        assert targets[name].dtype is t.dtype
        assert tk.equal(targets[name].full_tensor(), t)
    with pytest.raises(
        ValueError, match=r"'t' is of tensorkit.complex128, which files of safetensors do not have"
    ):
        checkpoint.save({"t": tk.ones(1, dtype=tk.complex128)}, checkpoint_id=tmp_path)
    checkpoint.load(targets, checkpoint_id=tmp_path)  # what was there is there still


def test_a_state_of_many_kinds(tmp_path: Path) -> None:
    """Views, one tensor by two names, sums still to be added, tensors of this process, dictionaries within."""
    on = mesh(4)
    a = tk.arange(35.0).view(7, 5)
    sharded, parameter = distribute_tensor(a, on, [Shard(0)]), tk.ones(3, requires_grad=True)
    state = {
        "model": {
            "w": sharded,
            "tied": sharded,
            "turned": sharded.t(),
            "sum": sharded.sum(0),
            "all": sharded.sum(),
        },
        "here": {
            "p": parameter,
            "turned": a.t(),
            "one": tk.ones(1).expand(6),
            "conj": (a * 1j).to(tk.complex64).conj(),
        },
        "state": {0: tk.tensor(5)},
    }
    assert state["model"]["sum"].placements[0].is_partial()  # type: ignore[index]
    checkpoint.save(state, checkpoint_id=tmp_path)
    names = list(json.loads(text(tmp_path))["weight_map"])
    assert names[:2] + names[-1:] == ["model.w", "model.tied", "state.0"]

    p = tk.zeros(3, requires_grad=True)
    others = {
        "model": {
            **{name: zeros(7, 5, device_mesh=on, placements=[Shard(1)]) for name in ("w", "tied")},
            "turned": zeros(5, 7, device_mesh=on, placements=[Shard(0)]),
            "sum": zeros(5, device_mesh=on),
            "all": zeros((), device_mesh=on),
        },
        "here": {
            "p": p,
            "turned": tk.zeros(5, 7),
            "one": zeros(6, device_mesh=on),
            "conj": tk.zeros(7, 5, dtype=tk.complex64),
        },
        "state": {0: tk.tensor(0)},
    }
    checkpoint.load(others, checkpoint_id=tmp_path)
    expected = {
        "model": {"w": a, "tied": a, "turned": a.t(), "sum": a.sum(0), "all": a.sum()},
        "here": {"p": tk.ones(3), "turned": a.t(), "one": tk.ones(6), "conj": (a * -1j).to(tk.complex64)},
        "state": {0: tk.tensor(5)},
    }
    for group, members in expected.items():
        for name, t in members.items():
            found: Any = others[group][name]  # type: ignore[index]
            assert tk.equal(found.full_tensor() if isinstance(found, DTensor) else found, t)
    assert p.requires_grad
    assert p.is_leaf


def test_each_shard_is_written_once_and_any_reader_of_the_format_reads_it(tmp_path: Path) -> None:
    on: Any = mesh(4)
    t, r = distribute_tensor(tk.arange(14.0).view(7, 2), on, [Shard(0)]), distribute_tensor(tk.ones(2), on)
    on.cluster.sent.clear()
    checkpoint.save({"t": t, "r": r}, checkpoint_id=tmp_path)
    assert on.cluster.sent == []  # from worker to disk, past this process and all others
    files = shard_files(tmp_path)
    assert [sorted(safetensors.load_file(one)) for one in files] == [["r", "t"], ["t"], ["t"], ["t"]]
    assert [safetensors.load_file(one)["t"].flatten().tolist() for one in files[2:]] == [
        [8, 9, 10, 11],
        [12, 13],
    ]
    index = json.loads(text(tmp_path))
    assert index["metadata"] == {"version": 1, "total_size": 16 * 4}
    described = index["weight_map"]["t"]
    assert (described["size"], described["dtype"]) == ([7, 2], "float32")
    assert [*described["shards"].values()] == ["0:2, 0:2", "2:4, 0:2", "4:6, 0:2", "6:7, 0:2"]
    assert [tmp_path / one for one in described["shards"]] == files


def test_a_rank_reads_what_it_needs_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    t = tk.arange(64.0).view(8, 8)
    checkpoint.save({"t": distribute_tensor(t, mesh(4), [Shard(0)])}, checkpoint_id=tmp_path)
    elements: list[int] = []
    original = loading._read_slice

    def read_slice(*args: Any) -> tk.Tensor:
        found = original(*args)
        elements.append(found.numel())
        return found

    monkeypatch.setattr(loading, "_read_slice", read_slice)
    for placed, expected in ((Shard(0), [16] * 4), (Shard(1), [4] * 16), (Replicate(), [16] * 16)):
        elements.clear()
        on: Any = mesh(4)
        target = blank(t, on, [placed])
        checkpoint.load({"t": target}, checkpoint_id=tmp_path)
        assert elements == expected
        assert on.cluster.sent == []
        assert tk.equal(target.full_tensor(), t)


def test_what_was_noted_before_a_load_is_of_the_old_elements(tmp_path: Path) -> None:
    on = mesh(2)
    checkpoint.save({"t": tk.zeros(4)}, checkpoint_id=tmp_path)
    t = distribute_tensor(tk.ones(4), on, [Shard(0)])
    chain = (t + 1) * t
    checkpoint.load({"t": t}, checkpoint_id=tmp_path)
    assert chain.full_tensor().tolist() == [2, 2, 2, 2]
    assert (t + 1).full_tensor().tolist() == [1, 1, 1, 1]


class Stop(BaseException):
    """As an interrupt, or the end of this process."""


def test_a_save_that_is_interrupted_leaves_the_checkpoint_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, on = tmp_path / "new" / "folder", mesh(4)
    old, new = (distribute_tensor(tk.full((8,), value), on, [Shard(0)]) for value in (1.0, 2.0))

    def interrupted(at: Any, name: str, times: int) -> None:
        original, count = getattr(at, name), iter(range(times))

        def once(*args: Any) -> Any:
            if next(count, None) is None:
                raise Stop
            return original(*args)

        with monkeypatch.context() as patch:
            patch.setattr(at, name, once)
            with pytest.raises(Stop):
                checkpoint.save({"t": new}, checkpoint_id=folder)

    interrupted(saving, "write", 2)
    assert list(folder.iterdir()) == []  # none before, none now
    with pytest.raises(FileNotFoundError, match="There is no checkpoint"):
        checkpoint.load({"t": new}, checkpoint_id=folder)
    checkpoint.save({"t": old}, checkpoint_id=folder)
    before = text(folder), shard_files(folder)
    for at, name, times in (
        (saving, "write", 0),
        (saving, "write", 3),
        (saving, "write_index", 0),
        (os, "replace", 4),
    ):
        interrupted(at, name, times)
        assert (text(folder), shard_files(folder)) == before
    target = blank(old, on, [Shard(0)])
    checkpoint.load({"t": target}, checkpoint_id=folder)
    assert target.full_tensor().tolist() == [1] * 8


def test_what_a_killed_save_left_is_removed_by_the_next_and_nothing_else(tmp_path: Path) -> None:
    for name in ("0123456789abcdef/x.part", "mine/notes.txt", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    for value in (1.0, 2.0):
        checkpoint.save({"t": tk.full((2,), value)}, checkpoint_id=tmp_path)
    assert len(shard_files(tmp_path)) == 1
    assert len(list(tmp_path.iterdir())) == 4  # the index, its folder, and what is not ours
    assert (tmp_path / "mine" / "notes.txt").exists()


def test_a_state_that_does_not_fit_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    on = mesh(2)
    checkpoint.save({"a": tk.ones(4), "b": tk.ones(4)}, checkpoint_id=tmp_path)
    a = zeros(4, device_mesh=on, placements=[Shard(0)])
    for other, kind, words in (
        (
            zeros(5, device_mesh=on),
            ValueError,
            r"Size mismatch between saved tensorkit.Size\(\[4\]\) and current: .*5",
        ),
        (
            tk.zeros(4, dtype=tk.float64),
            ValueError,
            r"Dtype mismatch between saved tensorkit.float32 and current: .*64",
        ),
        (
            zeros(3, 4, device_mesh=on, placements=[Shard(0)]).sum(0),
            RuntimeError,
            r"'b' has the placements \(Partial",
        ),
        (3, TypeError, "'b' is of type int: keep a number as"),
    ):
        with pytest.raises(kind, match=words):
            checkpoint.load({"a": a, "b": other}, checkpoint_id=tmp_path)
        assert a.full_tensor().tolist() == [0] * 4
    with pytest.raises(RuntimeError, match=r"Missing key in checkpoint state_dict: c\."):
        checkpoint.load({"c": a}, checkpoint_id=tmp_path)
    for state, kind, words in (
        ({"a": {"b": a}, "a.b": a}, ValueError, "duplicated flatten key a.b"),
        ({"a": {"b": None}}, TypeError, r"'a\.b' is of type NoneType"),
        ([a], TypeError, "A state is a dictionary of tensors by their names, and got list"),
    ):
        with pytest.raises(kind, match=words):
            checkpoint.save(state, checkpoint_id=tmp_path)  # type: ignore[arg-type]


def test_damage_is_named_and_changes_nothing(tmp_path: Path) -> None:
    on = mesh(2)
    t = distribute_tensor(tk.ones(4, 4), on, [Shard(0)])
    checkpoint.save({"t": t}, checkpoint_id=tmp_path)
    file, index = shard_files(tmp_path)[1], text(tmp_path)
    whole, target = file.read_bytes(), zeros(4, 4, device_mesh=on, placements=[Shard(0)])

    def refused(kind: Any, words: str) -> None:
        for one in (target, tk.zeros(4, 4)):
            with pytest.raises(kind, match=words):
                checkpoint.load({"t": one}, checkpoint_id=tmp_path)
        assert target.full_tensor().sum() == 0

    for damaged in (
        whole[:-1],
        whole[:20],
        b"",
        b"\xff" * 100,
        whole.replace(b"F32", b"I32"),
        whole.replace(b'"t"', b'"u"'),
    ):
        file.write_bytes(damaged)
        refused(ValueError, rf"The file '.*{file.name}' is damaged \(.+\): load another checkpoint")
    file.unlink()
    refused(FileNotFoundError, f"A file of the checkpoint is missing: .*{file.name}")
    file.write_bytes(whole)
    for changed in (
        "", "{}", "[]", index[:-9],
        *(index.replace(old, new) for old, new in (("2:4, ", "2:3, "), ("2:4, ", ""), ("2:4", "-2:0"), ("0:4", "0:x"))),
        index.replace("float32", "float31"), index.replace("shard-00001", "../shard-00001"),
    ):  # fmt: skip
        (tmp_path / INDEX).write_text(changed, encoding="utf-8")
        refused(ValueError, rf"The index '.*{INDEX}' is damaged \(.+\): load another checkpoint")
    (tmp_path / INDEX).write_text(index.replace('"version": 1', '"version": 2'), encoding="utf-8")
    refused(ValueError, "has version 2, and this tensorkit reads version 1")
    (tmp_path / INDEX).write_text(index, encoding="utf-8")
    checkpoint.load({"t": target}, checkpoint_id=tmp_path)
    assert target.full_tensor().sum() == 16


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """As a user who may not write everywhere: a test as root would see no refusal."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="rights are another system's")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    t = distribute_tensor(tk.ones(2), mesh(2), [Shard(0)])
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="file"):
        checkpoint.save({"t": t}, checkpoint_id=tmp_path / "file")
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o500)
    with without_rights(), pytest.raises(PermissionError):
        checkpoint.save({"t": t}, checkpoint_id=folder)


def test_a_worker_that_does_not_see_the_folder(tmp_path: Path) -> None:
    shared = "keep checkpoints on a file system that all workers share"
    with pytest.raises(FileNotFoundError, match=shared):
        saving.write(str(tmp_path / "elsewhere" / "shard.safetensors"), ["t"], tk.ones(1))
    with pytest.raises(FileNotFoundError, match=shared):
        loading.read(str(tmp_path), "t", tk.float32, ((0, 1),), {"elsewhere/t.safetensors": ((0, 1),)})


def test_a_part_that_is_read_again_after_another_save(tmp_path: Path) -> None:
    """As by the successor of a worker that died."""
    checkpoint.save({"t": tk.ones(1)}, checkpoint_id=tmp_path)
    file = shard_files(tmp_path)[0].relative_to(tmp_path).as_posix()
    assert loading.read(str(tmp_path), "t", tk.float32, ((0, 1),), {file: ((0, 1),)}).item() == 1
    checkpoint.save({"t": tk.ones(1)}, checkpoint_id=tmp_path)
    with pytest.raises(FileNotFoundError, match="is gone, since another save has replaced that checkpoint"):
        loading.read(str(tmp_path), "t", tk.float32, ((0, 1),), {file: ((0, 1),)})


def test_on_workers(tmp_path: Path) -> None:
    """Of two workers into one, and back; the worker's own sentence comes here where a file is damaged."""
    a = tk.arange(35.0).view(7, 5)
    cluster.start(2)
    try:
        on = init_device_mesh("cpu", (2,))
        t = distribute_tensor(a, on, [Shard(0)])
        checkpoint.save({"t": t, "sum": t.sum(0), "here": a}, checkpoint_id=tmp_path)
        assert len(shard_files(tmp_path)) == 3
        for target in (
            zeros(7, 5, device_mesh=on, placements=[Shard(1)]),
            zeros(7, 5, device_mesh=init_device_mesh("cpu", (1,))),
        ):
            total = zeros(5, device_mesh=on, placements=[Shard(0)])
            checkpoint.load({"t": target, "sum": total}, checkpoint_id=tmp_path)
            assert tk.equal(target.full_tensor(), a)
            assert tk.equal(total.full_tensor(), a.sum(0))
        shard_files(tmp_path)[0].write_bytes(b"")
        with pytest.raises(ValueError, match="is damaged"):
            checkpoint.load({"t": t}, checkpoint_id=tmp_path)
        assert tk.equal(t.full_tensor(), a)
    finally:
        cluster.shutdown()
