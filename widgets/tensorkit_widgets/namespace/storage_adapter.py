"""What a tensor stands on, read quickly and without running anything of the learner's: for MemoryMap.

`adapter.describe` reads one tensor with care; a memory map looks at a hundred after every cell. Everything here goes
through the methods of the libraries' own classes, so a subclass that overrides ``size`` or ``shape`` is not asked.

>>> import numpy
>>> a = numpy.arange(12.0)
>>> view = a.reshape(3, 4)[1:, ::2].T
>>> g, roots = ground(view)
>>> g.size, g.stride, g.offset, g.nbytes, roots[0] is a
((2, 2), (2, 4), 4, 96, True)
>>> ground(view, g)[0] is g
True
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy

from tensorkit import tracing
from tensorkit_widgets.snapshot.geometry import Ints

Array = numpy.ndarray[Any, Any]

lineage: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
"""A class and its bases, whatever its metaclass says."""

_shape, _strides, _dtype, _base, _interface = (
    numpy.ndarray.__dict__[name].__get__
    for name in ("shape", "strides", "dtype", "base", "__array_interface__")
)
_BETWEEN = type(
    numpy.lib.stride_tricks.as_strided(numpy.zeros(1)).base
)  # what `as_strided` puts under its array
_LARGE = 2**20  # bytes; smaller memory is not worth asking whether a file lies behind it


@dataclass(slots=True)
class Ground:
    """The metadata of a tensor and of the memory below it, at one moment. It holds no tensor.

    Attributes:
        start: the address of the storage's first byte; 0 where there are no bytes to read.
        version: how often it was written to, by its library's count; None where nobody counts.
        mapped: whether the bytes lie in a file, so that looking at them may have to fetch them.
        code: the dtype of the numbers as NumPy knows it; None where they are no numbers.
        face: what was read to know all this; as long as it is the same, so is the rest, but the version.
    """

    library: str
    kind: str
    dtype: str
    itemsize: int
    device: str
    size: Ints
    stride: Ints
    offset: int
    start: int
    nbytes: int
    version: int | None
    mapped: bool
    code: numpy.dtype[Any] | None
    face: tuple[Any, ...]

    def written(self, version: int | None) -> Ground:
        """The same after it was written to; its ``face`` is the same object."""
        return Ground(
            self.library, self.kind, self.dtype, self.itemsize, self.device, self.size, self.stride, self.offset,
            self.start, self.nbytes, version, self.mapped, self.code, self.face,
        )  # fmt: skip


class Reader:
    """The methods of a library's own tensor class, however a subclass overrides them."""

    _NAMES = (
        "size", "stride", "storage_offset", "untyped_storage", "element_size", "dtype", "device", "layout",
        "_version", "requires_grad", "is_leaf", "retains_grad", "grad_fn", "grad", "as_strided", "detach",
    )  # fmt: skip

    def __init__(self, tensor: type) -> None:
        for name in self._NAMES:
            setattr(self, name, _static(tensor, name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the tensor class has no {name}")


def _static(owner: type, name: str) -> Any:
    for base in lineage(owner):
        found = base.__dict__.get(name)
        if found is not None:
            return found if callable(found) else found.__get__
    return lambda _tensor: None


_reader_of = lru_cache(maxsize=8)(Reader)  # by the class: a library that is imported again has another


def reader_for(library: str) -> Reader:
    """The reader of a library's tensor class, made once; the library has been imported."""
    return _reader_of(_class_of(library))


def _class_of(library: str) -> Any:
    return getattr(sys.modules.get(library), "Tensor", None)


def tensor_library(kind: type) -> str:
    """The library that a class of tensors belongs to, or an empty text; no instance is asked.

    >>> import numpy
    >>> tensor_library(numpy.ndarray), tensor_library(list)
    ('numpy', '')
    """
    # Compared by identity: a metaclass may refuse to be asked whether it is equal.
    line = {id(base) for base in lineage(kind)}
    if id(numpy.ndarray) in line:
        return "numpy"
    return next((name for name in ("tensorkit", "torch") if id(_class_of(name)) in line), "")


@contextmanager
def undisturbed() -> Iterator[None]:
    """A context in which nobody is told that tensors are looked at: no listener, no subclass of PyTorch's, no mode."""
    quiet = getattr(getattr(sys.modules.get("torch"), "_C", None), "DisableTorchFunction", nullcontext)
    with tracing.silence(), quiet():
        yield


# ---- reading the metadata

Roots = tuple[Any, ...]


def ground(tensor: Any, known: Ground | None = None, library: str = "") -> tuple[Ground, Roots]:
    """What a tensor stands on, and the live objects that the memory belongs to: its storage, the array that owns it.

    The roots keep the memory where it is, so they must not outlive the look.

    Args:
        known: what was read of the same tensor before; comes back if nothing has changed, and then with one root only.
        library: its library, where it is known.

    Raises:
        TypeError: for what has no stride of whole elements, with a sentence.
        Whatever the library raises for a tensor without memory.
    """
    library = library or tensor_library(type(tensor))
    if library == "numpy":
        return _of_array(tensor, known)
    if not library:
        raise TypeError(f"{type(tensor).__name__} is no tensor")
    return _of_tensor(tensor, library, reader_for(library), known)


_texts: dict[Any, str] = {}


def _text(thing: Any) -> str:
    found = _texts.get(thing)
    if found is None:
        found = _texts[thing] = str(thing).rpartition(".")[2]
    return found


def _of_tensor(tensor: Any, library: str, read: Any, known: Ground | None) -> tuple[Ground, Roots]:
    layout = read.layout(tensor)
    if layout is not None and _text(layout) != "strided":
        raise TypeError(f"a tensor of layout {_text(layout)} has no stride")
    storage, device, dtype = read.untyped_storage(tensor), read.device(tensor), read.dtype(tensor)
    size, stride, offset = read.size(tensor), read.stride(tensor), read.storage_offset(tensor)
    nbytes = storage.nbytes()
    try:
        version = read._version(tensor)
    except RuntimeError:  # inference tensors do not count
        version = None
    start = 0 if not nbytes or _text(device) == "meta" else storage.data_ptr()
    face = (size, stride, offset, nbytes, start, dtype, device)
    if known is not None and known.face == face:
        return (known if known.version == version else known.written(version)), (storage,)
    roots: Roots = (storage,)
    if library == "tensorkit" and _text(device) == "cpu":
        # The array below a storage may be NumPy's own, and outlives a storage that is resized.
        roots = (storage, _owner(storage.read(0, 0))[0])
    mapped = library == "torch" and nbytes >= _LARGE and getattr(storage, "filename", None) is not None
    name = _text(dtype)
    return Ground(
        library, type(tensor).__name__, name, read.element_size(tensor), _text(device), tuple(size), tuple(stride),
        offset, start, nbytes, version, mapped, numbers_of(name), face,
    ), roots  # fmt: skip


def _owner(array: Array) -> tuple[Any, Array]:
    """Whom the memory of an array belongs to, and the outermost array over it: mostly the same."""
    owner = array
    while True:
        base = _base(owner)
        kind = type(base)
        if base is None:
            return owner, owner
        if kind is numpy.ndarray or tensor_library(kind) == "numpy":
            owner = base
        elif kind is _BETWEEN:
            owner = base.base
        elif tensor_library(kind):
            read: Any = reader_for(tensor_library(kind))
            return read.untyped_storage(base), owner
        else:
            return owner, owner


def _of_array(array: Array, known: Ground | None) -> tuple[Ground, Roots]:
    dtype, size, steps, address = _dtype(array), _shape(array), _strides(array), _address(array)
    root, owner = _owner(array)
    if owner is array and root is owner:
        start, nbytes = _bounds(size, steps, dtype.itemsize, address)
    elif root is owner:
        start, nbytes = _bounds(_shape(owner), _strides(owner), _dtype(owner).itemsize, _address(owner))
    else:  # a tensor's memory, seen as an array
        start, nbytes = root.data_ptr(), root.nbytes()
    face = (size, steps, dtype, address, start, nbytes)
    if known is not None and known.face == face:
        return known, (root,)
    item, ahead = dtype.itemsize, 0 if 0 in size else address - start
    if not item or ahead % item or any(s % item for s in steps):
        raise TypeError(f"an array of dtype {dtype.name} whose strides are not whole elements")
    mapped = nbytes >= _LARGE and type(_base(owner)).__name__ == "mmap"
    return Ground(
        "numpy", type(array).__name__, dtype.name, item, "cpu", size, tuple([s // item for s in steps]),
        ahead // item, start if nbytes else 0, nbytes, None, mapped, dtype if _is_number(dtype) else None, face,
    ), (root,)  # fmt: skip


def _address(array: Array) -> int:
    return int(_interface(array)["data"][0])


def _bounds(size: Ints, steps: Ints, item: int, address: int) -> tuple[int, int]:
    """The address of the lowest byte of an array, and how many bytes it spans."""
    low = high = 0
    for n, step in zip(size, steps, strict=True):
        if n == 0:
            return address, 0
        if step < 0:
            low += (n - 1) * step
        else:
            high += (n - 1) * step
    return address + low, high - low + item


# ---- numbers


@lru_cache(maxsize=64)
def numbers_of(dtype: str) -> numpy.dtype[Any] | None:
    """The NumPy dtype that reads the numbers of a dtype of this name; None where there is none.

    >>> numbers_of("bfloat16"), numbers_of("complex32")
    (dtype(bfloat16), None)
    """
    try:
        found = numpy.dtype(getattr(ml_dtypes, dtype, dtype))
    except TypeError:
        return None
    return found if _is_number(found) else None


def _is_number(dtype: numpy.dtype[Any]) -> bool:
    return dtype.kind in "biufc" or (dtype.fields is None and dtype.name.startswith(("bfloat", "float8")))


# ---- reading the content


class _Span:
    """Bytes of memory by address. An array over it holds nothing alive."""

    def __init__(self, start: int, count: int) -> None:
        self.__array_interface__ = {"data": (start, True), "shape": (count,), "typestr": "|u1", "version": 3}


def span(start: int, slots: int, item: int) -> Array:
    """Memory as slots of ``item`` bytes. It may be touched only while something keeps the memory there."""
    return numpy.asarray(_Span(start, slots * item)).view(f"V{item}")


def unmoved(roots: Iterable[Any], start: int, nbytes: int) -> bool:
    """Whether PyTorch's storages still lie within this memory: another thread may have made one smaller."""
    return all(
        start <= root.data_ptr() and root.data_ptr() + root.nbytes() <= start + nbytes
        for root in roots
        if _is_torchs(root) and root.nbytes()
    )


def may_move(roots: Iterable[Any]) -> bool:
    """Whether memory may be made smaller while it is read: PyTorch's storages let another thread do so."""
    return any(_is_torchs(root) for root in roots)


def is_pinned(root: Any) -> bool:
    """Whether memory is a storage of tensorkit's that is locked for transfers. PyTorch would start CUDA to tell."""
    return type(root).__module__.startswith("tensorkit.") and bool(root.is_pinned())


def _is_torchs(root: Any) -> bool:
    return type(root).__module__ == "torch.storage"


def fetch(tensor: Any, one: Ground, roots: Roots, slots: Array) -> bytes:
    """A copy of some slots in another memory; PyTorch gathers them there, tensorkit copies each run."""
    if one.library == "torch":
        torch, read = sys.modules["torch"], reader_for("torch")
        flat = read.as_strided(read.detach(tensor), (one.nbytes // one.itemsize,), (1,), 0)
        picked = flat[torch.from_numpy(slots).to(flat.device)].cpu()
        return bytes(picked.view(torch.uint8).numpy().tobytes())
    edges = numpy.flatnonzero(numpy.diff(slots) != 1) + 1
    runs = zip([0, *edges.tolist()], [*edges.tolist(), slots.size], strict=True)
    spans = ((int(slots[a]) * one.itemsize, (int(slots[b - 1]) + 1) * one.itemsize) for a, b in runs)
    return b"".join(roots[0].read(low, high).tobytes() for low, high in spans)


# ---- what a graph keeps


def leaf_of(node: Any) -> Any:
    """The leaf whose gradient a node of an autograd graph adds up; None for an operation."""
    return getattr(node, "variable", None) if node.name().endswith("AccumulateGrad") else None


def saved_by(node: Any) -> Iterator[Any]:
    """The tensors that an operation of an autograd graph saved, as they are: none is unpacked, so no hook runs.

    What tensorkit keeps without having made a tensor of it comes as an array.
    """
    saved = getattr(node, "saved", None)
    if isinstance(saved, dict):
        for one in saved.values():
            yield one.tensor if one.tensor is not None else getattr(one, "array", None)
        return
    kind: Any = type(node)
    names = _raw_names(kind)
    for name in names:
        for one in _several(getattr(node, name, None)):
            if getattr(one, "unpack_hook", None) is None:
                yield getattr(one, "data", None)
    if not names:
        yield from _of_function(node)


def _of_function(node: Any) -> tuple[Any, ...]:
    """What a learner's own `Function` saved, in tensorkit; nothing once it is freed."""
    try:
        return tuple(getattr(node, "saved_tensors", ()))
    except RuntimeError:
        return ()


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple | list) else (value,)


@lru_cache(maxsize=512)
def _raw_names(kind: type) -> tuple[str, ...]:
    return tuple(name for name in dir(kind) if name.startswith("_raw_saved_"))
