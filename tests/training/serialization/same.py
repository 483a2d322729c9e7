"""Objects that are built in both libraries by the same words, and whether two are the same."""

from __future__ import annotations

import collections
import io
import warnings
from collections import Counter, OrderedDict
from typing import Any

import numpy as np

#: Everything that goes both ways, weights only: text that makes it of the library ``lib``.
OBJECTS = """
lib.arange(12.).view(3, 4)
lib.arange(12.).view(3, 4).t()
lib.arange(12.).view(3, 4)[1:, ::2]
lib.arange(3.).expand(4, 3)
lib.tensor(5)
lib.empty(0, 3)
[lib.empty(0), lib.empty(0, dtype=lib.int64)]
lib.ones(2, requires_grad=True)
(lib.ones(2, requires_grad=True) * 2).detach()
[lib.ones(2).to(kind) for kind in (lib.float16, lib.bfloat16, lib.float32, lib.float64, lib.bool)]
[lib.ones(2).to(kind) for kind in (lib.uint8, lib.int8, lib.int16, lib.int32, lib.int64)]
[lib.tensor([1, 2], dtype=kind) for kind in (lib.uint16, lib.uint32, lib.uint64)]
[lib.tensor([1 + 2j, 3]).to(kind) for kind in (lib.complex64, lib.complex128)]
lib.tensor([1 + 2j, 3]).conj()
lib.tensor([1 + 2j, 3]).conj().imag
lib.ones(2, 3, device="meta", dtype=lib.int16).t()
[t := lib.arange(6.), t[2:], t.view(2, 3), t]
{"a": [t := lib.arange(6), t], "b": t[::2]}
lib.arange(3).untyped_storage()
[t := lib.arange(3, dtype=lib.uint8), t.untyped_storage(), t.untyped_storage()]
[lib.float32, lib.bfloat16, lib.uint64, lib.bool, lib.float32]
[lib.Size([1, 2]), lib.Size([]), lib.device("cpu"), lib.device("cuda", 1), lib.device("meta"), lib.strided]
[None, True, False, 0, -1, 255, 256, 65536, -70000, 2**40, 2**70, -2**100, 1.5, float("inf"), 1j]
["", "text", "日本", "a\\nb", b"bytes", bytearray(b"bytes"), bytearray()]
[(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [[1], [2]], {}, {1: 2, "a": (3,)}, {(1, 2): 3}]
[set(), {1, 2, "a"}, Counter("aabc"), OrderedDict(a=1, b=[2])]
list(range(2500))
dict.fromkeys(range(2500))
OrderedDict([("layer.weight", lib.ones(2, 3)), ("layer.bias", lib.zeros(2))])
with_metadata(OrderedDict(weight=lib.ones(2)), OrderedDict({"": {"version": 1}, "layer": {"version": 2}}))
(lambda x: [x, x])([1, 2])
with_attribute(lib.ones(2), label="weight", extra=[1, lib.zeros(1)])
""".strip().splitlines()


def build(text: str, lib: Any) -> Any:
    """What a text makes of a library."""
    names = {
        "lib": lib,
        "with_metadata": with_metadata,
        "with_attribute": with_attribute,
        "OrderedDict": OrderedDict,
        "Counter": Counter,
    }
    return eval(text, names)


def with_metadata(state: Any, metadata: Any) -> Any:
    state._metadata = metadata
    return state


def with_attribute(tensor: Any, **attributes: Any) -> Any:
    vars(tensor).update(attributes)
    return tensor


class Tagged:
    """A class of the user's own, which is saved by its name."""

    def __init__(self, tag: str) -> None:
        self.tag = tag

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tagged) and self.tag == other.tag

    __hash__ = None  # type: ignore[assignment]


def saved(lib: Any, obj: Any, **options: Any) -> bytes:
    """The bytes of a file that a library writes."""
    file = io.BytesIO()
    lib.save(obj, file, **options)
    return file.getvalue()


def loaded(lib: Any, data: bytes, *args: Any, **options: Any) -> Any:
    """What a library reads from the bytes of a file."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "TypedStorage is deprecated")
        return lib.load(io.BytesIO(data), *args, **options)


def bytes_of(tensor: Any) -> bytes:
    """The elements of a tensor of either library, as they are in memory."""
    if tensor.device.type == "meta":
        return b""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    if str(plain.dtype).endswith("bfloat16"):
        plain = plain.float()
    return np.asarray(plain.numpy()).tobytes()


def described(obj: Any) -> Any:
    """All that is to be equal of an object of either library, as plain Python values; sharing of storages included."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "TypedStorage is deprecated")
        return _described(obj, {})


def _described(obj: Any, storages: dict[Any, int]) -> Any:
    kind = type(obj).__name__
    if hasattr(obj, "storage_offset"):
        storage = obj.untyped_storage()
        meta = obj.device.type == "meta"
        place = (
            None if meta or not storage.nbytes() else storages.setdefault(storage.data_ptr(), len(storages))
        )
        return (
            *(
                kind,
                place,
                0 if meta else storage.nbytes(),
                str(obj.dtype).rpartition(".")[2],
                tuple(obj.shape),
            ),
            *(
                obj.stride(),
                obj.storage_offset(),
                str(obj.device),
                obj.requires_grad,
                obj.is_conj(),
                obj.is_neg(),
            ),
            *(
                bytes_of(obj),
                {name: _described(v, storages) for name, v in vars(obj).items() if name != "_bits"},
            ),
        )
    if hasattr(obj, "untyped"):
        place = storages.setdefault(obj.untyped().data_ptr(), len(storages))
        return kind, place, obj.nbytes(), obj.tolist()
    if isinstance(obj, dict):
        items = [(_described(k, storages), _described(v, storages)) for k, v in obj.items()]
        return kind, items, _described(getattr(obj, "_metadata", None), storages)
    if isinstance(obj, list | tuple):
        return kind, [_described(one, storages) for one in obj]
    if isinstance(obj, collections.abc.Set):
        return kind, sorted(map(repr, obj))
    return kind, repr(obj).replace("tensorkit.", "torch.")
