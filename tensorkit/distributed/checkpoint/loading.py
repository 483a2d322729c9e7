"""`load`: each rank reads the slices of files that make up its part, however it was placed when it was saved."""

from __future__ import annotations

import errno
import importlib
import os
from pathlib import Path
from typing import Any

from tensorkit.autograd import no_grad
from tensorkit.distributed.checkpoint.index import INDEX, Saved, flat, read_index, within
from tensorkit.distributed.checkpoint.saving import unseen
from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.layout import Box, common
from tensorkit.distributed.tensor.placement_types import Partial
from tensorkit.dtypes import dtype
from tensorkit.ops.creation.empty import empty
from tensorkit.serialization import safetensors
from tensorkit.size import Size
from tensorkit.tensor import Tensor


def load(state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str]) -> None:
    """Fill the tensors of a state, in place, with those of a checkpoint. Each rank reads the slices that it needs.

    They may be placed otherwise than they were saved, on another mesh. None is changed unless all can be read. A worker
    that dies later reads its slices again: after another save into the same folder they are gone, and it says so.

    Args:
        state_dict: as it was saved, or a part of it.
        checkpoint_id: the folder, which all workers must see.

    Raises:
        FileNotFoundError: where there is no checkpoint, or one of its files is missing. ValueError: where a size or a
            dtype differs, and where the index or a file is damaged. RuntimeError: for a name that the checkpoint does
            not have, and a tensor that is `Partial`.

    Source: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_loader.load
    """
    folder = Path(os.path.abspath(checkpoint_id))
    saved, targets = read_index(folder), flat(state_dict)
    for name, target in targets.items():
        _fits(name, target, saved)
    for file in sorted({file for name in targets for file in saved[name].shards}):
        if not (folder / file).exists():
            raise FileNotFoundError(errno.ENOENT, "A file of the checkpoint is missing", str(folder / file))
    found = {name: _begun(str(folder), name, one, saved[name]) for name, one in targets.items()}
    for name, target in targets.items():
        if isinstance(target, DTensor):
            target.device_mesh.cluster.wait(found[name])
    with no_grad():
        for name, target in targets.items():
            if isinstance(target, DTensor):
                target._parts = found[name]
            else:
                target.copy_(found[name])


def _fits(name: str, target: DTensor | Tensor, saved: dict[str, Saved]) -> None:
    """Refuse a tensor that the checkpoint cannot fill."""
    if name not in saved:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
    size, of, _ = saved[name]
    if tuple(target.shape) != size:
        raise ValueError(f"Size mismatch between saved {Size(size)} and current: {target.shape} for {name}")
    if target.dtype != of:
        raise ValueError(f"Dtype mismatch between saved {of} and current: {target.dtype} for {name}")
    if isinstance(target, DTensor) and any(isinstance(one, Partial) for one in target.placements):
        raise RuntimeError(
            f"{name!r} has the placements {target.placements}, and Partial is only made by operations: redistribute it."
        )


def _begun(folder: str, name: str, target: DTensor | Tensor, saved: Saved) -> Any:
    """On each rank a task that reads its part; what a tensor of this process is to have is read now."""
    if not isinstance(target, DTensor):
        return read(folder, name, saved.dtype, tuple((0, n) for n in saved.size), saved.shards)
    layout, parts = target._layout, []
    for rank in layout.ranks:
        box = layout.box(rank)
        needed = {file: held for file, held in saved.shards.items() if common(held, box) is not None}
        parts.append(target.device_mesh.cluster.submit(rank, read, folder, name, saved.dtype, box, needed))
    return parts


# -- what workers do ----------------------------------------------------------------------------------------------


def read(folder: str, name: str, of: dtype, box: Box, shards: dict[str, Box]) -> Tensor:
    """Read a box of elements of a tensor, from the files that have some of them."""
    made = empty([end - begin for begin, end in box], dtype=of)
    for file, held in shards.items():
        piece = common(held, box)
        if piece is not None:
            made[within(piece, box)] = _read_slice(os.path.join(folder, file), name, of, held, piece)
    return made


def _read_slice(path: str, name: str, of: dtype, held: Box, piece: Box) -> Tensor:
    """Read some elements of the box that a file holds, and none of the others."""
    damaged = importlib.import_module("safetensors").SafetensorError
    try:
        with safetensors.safe_open(path, "pt") as file:
            whole = file.get_slice(name)
            size = [end - begin for begin, end in held]
            if (whole.get_shape(), safetensors.DTYPES[whole.get_dtype()]) != (size, of):
                raise ValueError(f"{name!r} has another size or dtype than the index says")
            return whole[within(piece, held)]
    except FileNotFoundError:
        raise FileNotFoundError(_gone(path)) from None
    except (damaged, ValueError) as error:
        raise ValueError(f"The file {path!r} is damaged ({error}): load another checkpoint.") from None


def _gone(path: str) -> str:
    """Why a worker does not find a file that was there when the checkpoint was loaded."""
    if not (Path(path).parent.parent / INDEX).exists():
        return unseen(path)
    return (
        f"A part of this tensor was lost, and cannot be read again: {path!r} is gone, since another save has replaced "
        "that checkpoint. Load the new one."
    )
