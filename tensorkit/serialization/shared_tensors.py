"""Which tensors of a state share memory: a file of safetensors holds each byte once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tensorkit.tensor import Tensor


def sharing(tensors: dict[str, Tensor]) -> list[set[str]]:
    """The names of tensors in groups, each of which shares memory; most have one member."""
    groups: dict[Any, list[str]] = defaultdict(list)
    for name, tensor in tensors.items():
        storage = tensor.untyped_storage()
        if tensor.device.type != "meta" and storage.nbytes():
            groups[tensor.device, storage.data_ptr(), storage.nbytes()].append(name)
    return [part for names in groups.values() for part in _overlapping(tensors, names)]


def _overlapping(tensors: dict[str, Tensor], names: list[str]) -> Iterable[set[str]]:
    """Tensors of one storage, in groups that overlap."""
    found: list[set[str]] = []
    end = -1
    for start, stop, name in sorted((*_stretch(tensors[name]), name) for name in names):
        if start < end:
            found[-1].add(name)
        else:
            found.append({name})
        end = stop
    return found


def _stretch(tensor: Tensor) -> tuple[int, int]:
    """The addresses of a tensor's first byte and of the one after its last."""
    item, base, lay = tensor.element_size(), tensor.untyped_storage().data_ptr(), tensor._lay()
    start = base + lay.offset * item
    return start, base + lay.reach() * item if tensor.numel() else start


def redundant(state: dict[str, Tensor], preferred: Iterable[str] = ()) -> dict[str, list[str]]:
    """The name of the tensor that covers all of a shared memory, and the names of the others."""
    found = {}
    for names in sharing(state):
        whole = {name for name in names if _is_whole(state[name])}
        if not whole:
            raise RuntimeError(
                "Error while trying to find names to remove to save state dict, but found no suitable name to keep for "
                f"saving amongst: {names}. None is covering the entire storage.Refusing to save/load the model since "
                "you could be storing much more memory than needed. Please refer to "
                "https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue."
            )
        kept = min(whole & set(preferred) or whole)
        if len(names) > 1:
            found[kept] = sorted(names - {kept})
    return found


def _is_whole(tensor: Tensor) -> bool:
    storage = tensor.untyped_storage()
    return tensor.data_ptr() == storage.data_ptr() and tensor.nbytes == storage.nbytes()
