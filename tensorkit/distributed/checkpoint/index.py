"""The index of a checkpoint: which elements of each tensor are in which file. It is read with care, as any file is."""

from __future__ import annotations

import errno
import json
import re
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.layout import Box, count
from tensorkit.dtypes import dtype
from tensorkit.process.whole_file import beside
from tensorkit.serialization.safetensors import DTYPES
from tensorkit.tensor import Tensor

INDEX = "sharded.safetensors.index.json"
VERSION = 1
SHARDS = re.compile("[0-9a-f]{16}")
"""What folders of shards are called."""
SHARD = re.compile(SHARDS.pattern + r"/shard-\d+-of-\d+\.safetensors")

_BY_NAME = {of.name: of for of in DTYPES.values()}


class Saved(NamedTuple):
    """A tensor of a checkpoint: by file the box of its elements that is in it."""

    size: tuple[int, ...]
    dtype: dtype
    shards: dict[str, Box]


def flat(state: dict[str, Any], prefix: str = "") -> dict[str, DTensor | Tensor]:
    """The tensors of a state by their names; in a dictionary within it they have both names, joined by a dot.

    >>> flat({"model": {"bias": tk.ones(1)}})
    {'model.bias': tensor([1.])}
    """
    if not isinstance(state, dict):
        raise TypeError(f"A state is a dictionary of tensors by their names, and got {type(state).__name__}.")
    found: dict[str, DTensor | Tensor] = {}
    for key, value in state.items():
        name = f"{prefix}{key}"
        if not isinstance(value, dict | DTensor | Tensor):
            raise TypeError(
                f"A checkpoint keeps tensors, and {name!r} is of type {type(value).__name__}: keep a number as "
                "tensorkit.tensor(number), and other things in a file of their own."
            )
        inner = flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
        if twice := found.keys() & inner.keys():
            raise ValueError(f"duplicated flatten key {min(twice)}")
        found |= inner
    return found


def within(box: Box, held: Box) -> tuple[slice, ...]:
    """A box of elements as slices of the box that holds it."""
    return tuple(slice(a - begin, b - begin) for (a, b), (begin, _) in zip(box, held, strict=True))


def write_index(folder: Path, saved: dict[str, Saved]) -> None:
    """Replace the index of a folder, in one step."""
    total = sum(prod(one.size) * one.dtype.itemsize for one in saved.values())
    weights = {
        name: {"size": size, "dtype": of.name, "shards": {file: _text(box) for file, box in shards.items()}}
        for name, (size, of, shards) in saved.items()
    }
    index = {"metadata": {"version": VERSION, "total_size": total}, "weight_map": weights}
    with beside(folder / INDEX) as path:
        path.write_text(json.dumps(index, indent=2), encoding="utf-8")


def read_index(folder: Path) -> dict[str, Saved]:
    """What a checkpoint says that it holds.

    Raises:
        FileNotFoundError: where there is none. ValueError: where it is damaged, or of another version.
    """
    path = folder / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        version = index["metadata"]["version"]
        if version == VERSION:
            return {name: _saved(described) for name, described in index["weight_map"].items()}
    except FileNotFoundError:
        raise FileNotFoundError(
            errno.ENOENT, f"There is no checkpoint, as it has no {INDEX}", str(folder)
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"The index {str(path)!r} is damaged ({error!r}): load another checkpoint."
        ) from None
    raise ValueError(
        f"The index {str(path)!r} has version {version}, and this tensorkit reads version {VERSION}."
    )


def _saved(described: dict[str, Any]) -> Saved:
    size = tuple(map(int, described["size"]))
    shards = {file: _box(text) for file, text in described["shards"].items()}
    for file, box in shards.items():
        if not SHARD.fullmatch(file):
            raise ValueError(f"{file} is not a file of shards")
        if len(box) != len(size) or not all(0 <= a < b <= n for (a, b), n in zip(box, size, strict=True)):
            raise ValueError(f"{file} is said to have [{_text(box)}] of size {list(size)}")
    if sum(map(count, shards.values())) != prod(size):
        raise ValueError(f"its shards are not all of a tensor of size {list(size)}")
    return Saved(size, _BY_NAME[described["dtype"]], shards)


def _text(box: Box) -> str:
    return ", ".join(f"{begin}:{end}" for begin, end in box)


def _box(text: str) -> Box:
    edges = [part.split(":") for part in text.split(",") if text]
    return tuple((int(begin), int(end)) for begin, end in edges)
