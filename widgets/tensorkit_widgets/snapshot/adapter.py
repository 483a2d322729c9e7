"""The only reader of live tensors: one frozen, windowed snapshot of a tensor of tensorkit, NumPy or PyTorch.

Everything else in this package works on the snapshot.  A snapshot holds the numbers of the visible window only, so a
storage of any size opens as fast as a small one.  Reading is safe while another thread works on the same tensor: the
metadata are read until two readings agree, every range is checked against the storage *before* memory is touched,
and what cannot be read any more (a storage freed or shrunk under the tensor) becomes `Snapshot.fault`, a sentence.

>>> import numpy
>>> meta = describe(numpy.arange(12.0).reshape(3, 4)[1:, ::2].T)
>>> meta.size, meta.stride, meta.offset, meta.slots
((2, 2), (2, 4), 4, 12)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast
from zlib import crc32

from tensorkit import tracing
from tensorkit.process import forks
from tensorkit.strides.layout import Layout
from tensorkit_widgets.snapshot import arrays
from tensorkit_widgets.snapshot.geometry import Ints, extent
from tensorkit_widgets.snapshot.window import Window

Number = bool | int | float | complex

PLAIN = "tensorkit.plain"
LIBRARIES = (PLAIN, "tensorkit", "torch")
"""Modules that have a ``Tensor``; in a browser the first two have the same one."""

_APART = 1 << 48
"""How far apart the lists of plain tensors are taken to lie: they have no bytes, and so no address of their own."""

_lock = forks.rlock()


@dataclass(frozen=True, slots=True)
class Buffer:
    """Which memory a tensor stands on. Compared, never drawn: a picture holds no address."""

    device: str
    start: int
    nbytes: int


class Link(NamedTuple):
    """What links the slots of a picture with those of others: the `storage_number`, and the bytes of one slot."""

    storage: int
    item: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the numbers of a tensor lie: in which storage, and in which slots of it."""

    link: Link
    size: Ints
    stride: Ints
    offset: int


@dataclass(frozen=True, slots=True)
class Meta:
    """All that is known of a tensor without reading a number; ``slots`` counts the storage in its own elements.

    ``turned`` says what its elements are of what is stored: conjugates, negatives, or just that (an empty text).
    """

    library: str
    dtype: str
    itemsize: int
    device: str
    size: Ints
    stride: Ints
    offset: int
    slots: int
    nbytes: int
    buffer: Buffer
    fault: str = ""
    turned: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring slots of the storage, from ``start``, with their numbers."""

    start: int
    values: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The visible part of a tensor at one moment: ``grid`` in row-major order over ``window``, ``strip`` as runs."""

    meta: Meta
    window: Window
    grid: tuple[Number, ...]
    strip: tuple[Run, ...]

    @property
    def fault(self) -> str:
        """Why the numbers cannot be read, or an empty text."""
        return self.meta.fault


def library_of(tensor: Any) -> str:
    """The module whose tensor it is, of `LIBRARIES`, or ``"numpy"``; TypeError with a sentence for anything else."""
    if arrays.is_array(tensor):
        return "numpy"
    for name in LIBRARIES:
        module = sys.modules.get(name)
        if module is not None and isinstance(tensor, getattr(module, "Tensor", ())):
            return name
    raise TypeError(
        f"cannot draw {type(tensor).__name__}: give a tensorkit.Tensor, a numpy.ndarray or a torch.Tensor"
    )


def describe(tensor: Any) -> Meta:
    """The metadata of a live tensor, consistent even while another thread changes it."""
    read = {"numpy": _describe_array, PLAIN: _describe_plain}.get(library_of(tensor), _describe_tensor)
    meta = read(tensor)
    for _ in range(4):
        again = read(tensor)
        if again == meta:
            break
        meta = again
    return replace(meta, fault=_fault(meta)) if not meta.fault else meta


def _fault(meta: Meta) -> str:
    low, high = extent(meta.size, meta.stride, meta.offset)
    if low == high or (low >= 0 and high * meta.itemsize <= meta.nbytes):
        return ""
    need = high * meta.itemsize
    what = "freed" if meta.nbytes == 0 else "resized"
    return f"the storage was {what} under this tensor: it holds {meta.nbytes} bytes now, and the tensor needs {need}"


def _describe_tensor(tensor: Any) -> Meta:
    strided = str(getattr(tensor, "layout", "strided"))
    if not strided.endswith("strided"):
        raise TypeError(f"cannot draw a tensor of layout {strided}: only strided tensors have a stride")
    size, stride, offset = tuple(tensor.size()), tuple(tensor.stride()), int(tensor.storage_offset())
    storage = tensor.untyped_storage()
    nbytes, itemsize, device = int(storage.nbytes()), int(tensor.element_size()), str(tensor.device)
    dtype = str(tensor.dtype).rpartition(".")[2]
    fault = "a tensor on the meta device has a size and strides, but no numbers" if device == "meta" else ""
    start = 0 if fault or nbytes == 0 else int(storage.data_ptr())
    buffer = Buffer(device, start, nbytes)
    slots = nbytes // itemsize
    return Meta(
        library_of(tensor), dtype, itemsize, device, size, stride, offset, slots, nbytes, buffer, fault,
        _turned(tensor),
    )  # fmt: skip


def _turned(tensor: Any) -> str:
    """What the elements are of what is stored. Every picture asks: tensorkit's bits are looked at, not asked for."""
    bits = getattr(tensor, "_bits", None)
    if bits is None:
        bits = tensor.is_conj() + 2 * tensor.is_neg()
    return ("", "conjugates", "negatives", "conjugates and negatives")[bits]


def _describe_plain(tensor: Any) -> Meta:
    dtype, layout, slots = tensor.dtype, tensor.layout, len(tensor.numbers)
    itemsize = dtype.itemsize
    buffer = Buffer("cpu", id(tensor.numbers) * _APART if slots else 0, slots * itemsize)
    return Meta(
        PLAIN,
        dtype.name,
        itemsize,
        "cpu",
        layout.size,
        layout.stride,
        layout.offset,
        slots,
        buffer.nbytes,
        buffer,
    )


def _describe_array(array: Any) -> Meta:
    itemsize, dtype = array.dtype.itemsize, array.dtype.name
    if not arrays.has_slots(array):
        raise TypeError(
            f"cannot draw an array of dtype {dtype}: only numbers and booleans have slots of their own"
        )
    low, nbytes = arrays.bounds(arrays.owner_of(array))
    address = array.__array_interface__["data"][0]
    if any(s % itemsize for s in array.strides) or (address - low) % itemsize:
        raise TypeError("cannot draw this array: its strides are not whole elements")
    stride = tuple(s // itemsize for s in array.strides)
    offset = (address - low) // itemsize if array.size else 0
    buffer = Buffer("cpu", low if nbytes else 0, nbytes)
    slots = nbytes // itemsize
    return Meta("numpy", dtype, itemsize, "cpu", tuple(array.shape), stride, offset, slots, nbytes, buffer)


def same_buffer(a: Meta, b: Meta) -> bool:
    """Whether two tensors stand on overlapping memory: what a *view* is, across libraries too."""
    first, second = a.buffer, b.buffer
    if first.nbytes == 0 or second.nbytes == 0:
        return first.nbytes == second.nbytes
    home = {first.device, second.device}
    overlap = first.start < second.start + second.nbytes and second.start < first.start + first.nbytes
    return len(home) == 1 and overlap


def storage_number(buffer: Buffer) -> int:
    """A number for a storage, the same for every widget on it, so that hovering links them in the browser."""
    return crc32(f"{buffer.device} {buffer.start}".encode())


def link_of(meta: Meta) -> Link:
    """What links a picture of this tensor with the others of its storage.

    >>> import numpy
    >>> thirds = numpy.zeros(3)
    >>> whole, bytewise = link_of(describe(thirds)), link_of(describe(thirds.view(numpy.uint8)))
    >>> whole.storage == bytewise.storage, whole.item, bytewise.item
    (True, 8, 1)
    """
    return Link(storage_number(meta.buffer), meta.itemsize)


def look(tensor: Any, window: Window, runs: Sequence[tuple[int, int]], known: Meta | None = None) -> Snapshot:
    """A frozen snapshot: metadata, the numbers of ``window`` and of the storage's ``runs``.

    A fault never raises: it is said in the snapshot. ``known`` are metadata that were just read: they are not read a
    second time, but for an array, whose memory is read by its address.
    """
    # To look is no operation: a trace of the engine does not have it.
    with _lock, tracing.silence():
        meta = known if known is not None and known.library != "numpy" else describe(tensor)
        if len(window.origin) != len(meta.size):
            raise ValueError("the window was made for a tensor of another size")
        if meta.fault:
            return Snapshot(meta, window, (), ())
        try:
            return _read(tensor, meta, window, runs)
        except (RuntimeError, ValueError, IndexError) as error:
            again = describe(tensor)
            fault = again.fault or f"the tensor changed while it was read: {error}"
            return Snapshot(replace(again, fault=fault), window, (), ())


def _read(tensor: Any, meta: Meta, window: Window, runs: Sequence[tuple[int, int]]) -> Snapshot:
    take = {"numpy": _take_array, PLAIN: _take_plain}.get(meta.library, _take_tensor)
    start = meta.offset + sum(o * s for o, s in zip(window.origin, meta.stride, strict=True))
    grid = take(tensor, meta, window.count, meta.stride, start) if 0 not in window.count else ()
    strip = []
    stored = _as_stored(tensor) if meta.turned else tensor
    for low, high in runs:
        low, high = max(0, low), min(high, meta.slots)
        if low < high:
            strip.append(Run(low, take(stored, meta, (high - low,), (1,), low)))
    return Snapshot(meta, window, grid, tuple(strip))


def _as_stored(tensor: Any) -> Any:
    """Of a view that stands for conjugates or negatives, one that shows the very numbers in the storage."""
    with quietly(library_of(tensor)):
        plain = tensor.detach()
        plain = plain.conj() if plain.is_conj() else plain
        return plain._neg_view() if plain.is_neg() else plain


def _flat(nested: Any) -> tuple[Number, ...]:
    items = nested if isinstance(nested, list) else [nested]
    while items and isinstance(items[0], list):
        items = [inner for item in items for inner in item]
    return tuple(items)


def _take_tensor(tensor: Any, meta: Meta, size: Ints, stride: Ints, offset: int) -> tuple[Number, ...]:
    part = tensor.detach().as_strided(size, stride, offset)
    if meta.device != "cpu":
        part = part.contiguous().cpu()
    return _flat(part.tolist())


def _take_plain(tensor: Any, _meta: Meta, size: Ints, stride: Ints, offset: int) -> tuple[Number, ...]:
    return tuple([tensor.numbers[slot] for slot in Layout(size, stride, offset).slots()])


def _take_array(array: Any, meta: Meta, size: Ints, stride: Ints, offset: int) -> tuple[Number, ...]:
    return _flat(arrays.numbers(array, meta.buffer.start, size, stride, offset))


def twin(tensor: Any, meta: Meta) -> Any:
    """A tensor of the same layout on a copy of the whole storage."""
    if meta.library == "numpy":
        flat = arrays.slots_from(tensor, meta.buffer.start, meta.slots).copy()
        return arrays.strided(flat, meta.size, meta.stride, meta.offset)
    if meta.library == PLAIN:
        return type(tensor)(list(tensor.numbers), tensor.layout, tensor.dtype)
    with quietly(meta.library):
        copied = tensor.detach().as_strided((meta.slots,), (1,), 0).clone()
        return copied.as_strided(meta.size, meta.stride, meta.offset)


def quietly(library: str) -> AbstractContextManager[Any]:
    """What a picture computes for itself is neither recorded for derivatives nor warned about."""
    if library == "numpy":
        return cast("AbstractContextManager[Any]", sys.modules["numpy"].errstate(all="ignore"))
    return cast("AbstractContextManager[Any]", sys.modules[library].no_grad())


@dataclass(frozen=True, slots=True)
class Written:
    """A number that was written by hand: the element before it, and after."""

    tensor: Any
    place: Ints
    before: Any
    after: Any

    def take_back(self) -> None:
        """The element is what it was before, to the bit."""
        _put(self.tensor, self.place, self.before)

    def exchange(self, *, back: bool) -> bool:
        """The element as it was before, or as it was written, if it still is the other one; whether it was."""
        there, wanted = (self.after, self.before) if back else (self.before, self.after)
        with _lock:
            try:
                if describe(self.tensor).fault or not _alike(_element(self.tensor, self.place), there):
                    return False
                _put(self.tensor, self.place, wanted)
            except Exception:  # it was resized or freed since, or may not be written to any more
                return False
        return True


def write(tensor: Any, index: Sequence[int], value: Number) -> Written:
    """``tensor[index] = value`` through the tensor's own library, so that its own rules and errors apply."""
    place = tuple(index)
    with _lock:
        meta = describe(tensor)
        if meta.fault:
            raise RuntimeError(meta.fault)
        before = _element(tensor, place)
        _put(tensor, place, value)
        return Written(tensor, place, before, _element(tensor, place))


def _element(tensor: Any, place: Ints) -> Any:
    """A copy of one element, in its own dtype."""
    library = library_of(tensor)
    with quietly(library):
        return arrays.as_tensor(tensor[place]) if library == "numpy" else tensor.detach()[place].clone()


def _alike(one: Any, other: Any) -> bool:
    a, b = one.item(), other.item()
    return bool(a == b or (a != a and b != b))  # nan is what nan was


def _put(tensor: Any, place: Ints, value: Any) -> None:
    if library_of(tensor) == "torch":
        # An edit by hand is no operation to differentiate.
        with sys.modules["torch"].no_grad():
            tensor[place] = value
    else:
        tensor[place] = value
