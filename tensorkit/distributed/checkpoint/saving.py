"""`save`: each rank writes its shards, all at the same time, and then the index is replaced."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tensorkit.distributed.checkpoint.index import SHARDS, Saved, flat, write_index
from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.layout import Box
from tensorkit.serialization import safetensors
from tensorkit.serialization.shared_tensors import sharing
from tensorkit.tensor import Tensor


def save(state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str]) -> None:
    """Write a state, shard by shard: each rank writes what it has. It replaces a checkpoint that was there.

    Args:
        state_dict: sharded tensors and tensors of this process by their names, also in dictionaries within it, whose
            names are joined by dots.
        checkpoint_id: the folder, which all workers must see.

    Raises:
        TypeError: for a value that is not a tensor. ValueError: for a dtype that safetensors does not have, and two
            tensors of one name. OSError: where the folder cannot be written to.

    Source: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_saver.save
    """
    folder = Path(os.path.abspath(checkpoint_id))
    tensors = {name: _savable(name, one) for name, one in flat(state_dict).items()}
    writers = _writers(tensors)
    shards = folder / secrets.token_hex(8)
    shards.mkdir(parents=True)
    try:
        files = [f"{shards.name}/shard-{k:05}-of-{len(writers):05}.safetensors" for k in range(len(writers))]
        _all_written([str(folder / file) for file in files], writers)
        write_index(folder, {name: _saved(name, one, files, writers) for name, one in tensors.items()})
    except BaseException:
        shutil.rmtree(shards, ignore_errors=True)
        raise
    for old in folder.iterdir():  # of the checkpoint before, and of saves that were killed
        if old != shards and SHARDS.fullmatch(old.name):
            shutil.rmtree(old, ignore_errors=True)


def _savable(name: str, one: DTensor | Tensor) -> DTensor | Tensor:
    """A tensor with no parts that are still to be added up."""
    if one.dtype not in safetensors.DTYPES.values():
        raise ValueError(f"{name!r} is of {one.dtype}, which files of safetensors do not have: convert it.")
    return one._added() if isinstance(one, DTensor) else one.detach()


class Writer(NamedTuple):
    """What one file gets: boxes of tensors that a rank of a cluster has, or this process where there is no cluster."""

    cluster: Any
    rank: int
    boxes: dict[str, Box]
    parts: list[Any]


def _writers(tensors: dict[str, DTensor | Tensor]) -> list[Writer]:
    """Which rank writes what: the first rank, where several have the same part. Empty ones are not written."""
    found: dict[tuple[Any, int], Writer] = {}
    for name, one in tensors.items():
        if isinstance(one, DTensor):
            cluster, parts, owners = one.device_mesh.cluster, one._futures(), one._layout.owners()
        else:
            whole = tuple((0, n) for n in one.shape)
            cluster, parts, owners = None, [one], {whole: 0} if one.numel() else {}
        for box, rank in owners.items():
            writer = found.setdefault((cluster, rank), Writer(cluster, rank, {}, []))
            writer.boxes[name] = box
            writer.parts.append(parts[rank])
    return list(found.values())


def _all_written(files: Sequence[str], writers: Sequence[Writer]) -> None:
    """Wait until each rank has written its file; this process writes its own meanwhile."""
    begun: dict[Any, list[Any]] = {}
    for file, (cluster, rank, boxes, parts) in zip(files, writers, strict=True):
        if cluster is not None:
            begun.setdefault(cluster, []).append(cluster.submit(rank, write, file, list(boxes), *parts))
    for file, (cluster, _, boxes, parts) in zip(files, writers, strict=True):
        if cluster is None:
            write(file, list(boxes), *parts)
    for cluster, tasks in begun.items():
        cluster.wait(tasks)


def _saved(name: str, one: DTensor | Tensor, files: Sequence[str], writers: Sequence[Writer]) -> Saved:
    boxes = {file: writer.boxes.get(name) for file, writer in zip(files, writers, strict=True)}
    return Saved(tuple(one.shape), one.dtype, {file: box for file, box in boxes.items() if box is not None})


# -- what workers do ----------------------------------------------------------------------------------------------


def write(file: str, names: Sequence[str], *parts: Tensor) -> None:
    """Write shards into a file. It is there once it is whole."""
    folder = os.path.dirname(file)
    if not os.path.isdir(folder):
        raise FileNotFoundError(unseen(folder))
    tensors = {name: part.contiguous() for name, part in zip(names, parts, strict=True)}
    for several in sharing(tensors):  # safetensors writes no memory twice
        for name in sorted(several)[1:]:
            tensors[name] = tensors[name].clone()
    safetensors.save_file(tensors, file, {"format": "pt"})


def unseen(path: str) -> str:
    """What a worker says that does not see what the program sees."""
    return (
        f"The worker on {socket.gethostname()} does not see {path!r}, which the program does: keep checkpoints on a "
        "file system that all workers share."
    )
