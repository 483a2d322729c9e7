"""The arrays that a traced kernel is handed: each access is checked, noted and only then carried out."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import prod
from operator import index as index_of
from types import CodeType, FrameType
from typing import Any

import numpy

from tensorkit.kernels.cuda.faults import Fault
from tensorkit.kernels.cuda.traced.names.numba_names import known_as
from tensorkit.kernels.cuda.traced.notes import Notes, Stray, View
from tensorkit.kernels.cuda.traced.threads import Crew
from tensorkit.kernels.cuda.traced.whole_arrays import WholeArray
from tensorkit.kernels.cuda.traced.words import strayed

Array = numpy.ndarray[Any, Any]
Site = tuple[int, ...]
_OURS = os.path.dirname(__file__)
ILLEGAL = "an illegal memory access was encountered"


class Watch:
    """Where a kernel's arrays report to: the notes, and the crew that hands out turns.

    Args:
        notes: what is written down.
        code: the kernel's own code, whose lines are named; set before it runs.
        crew: the threads of the block that is running; None where each runs to its end.
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.code: CodeType | None = None
        self.crew: Crew | None = None
        self._begins: dict[int, tuple[CodeType, dict[int, int]]] = {}

    def here(self) -> tuple[int, Site]:
        """The line of the kernel that is running, and where exactly: its instruction, and those of what it calls."""
        frame: FrameType | None = sys._getframe(1)
        site: list[int] = []
        while frame is not None:
            code = frame.f_code
            if not code.co_filename.startswith(_OURS):
                site.append(self._begin(code, frame.f_lasti))
            if code is self.code:
                return frame.f_lineno, tuple(reversed(site))
            frame = frame.f_back
        return 0, ()

    def _begin(self, code: CodeType, at: int) -> int:
        """Where the instruction begins that `at` lies in: Python may name the end of it as well."""
        known = self._begins.get(id(code))
        if known is None:
            places = [step.offset for step in dis.get_instructions(code)]
            ends = [*places[1:], len(code.co_code)]
            table = {k: a for a, b in zip(places, ends, strict=True) for k in range(a, b, 2)}
            known = self._begins[id(code)] = code, table
        return known[1].get(at, at)

    def variable(self, otherwise: str) -> str:
        """What the kernel calls that for which it has called the caller of this."""
        frame = sys._getframe(2)
        return _stored_as(frame.f_code, self._begin(frame.f_code, frame.f_lasti)) or otherwise

    def turn(self, kind: str, array: str) -> int:
        """Wait for this thread's turn to touch memory: the line from which it does."""
        if self.code is None or self.notes.silent:
            return 0
        line, site = self.here()
        if self.crew is not None and self.notes.stepping:
            self.crew.pause(kind, array, line, site)
        return line


@cache
def _stored_as(code: CodeType, after: int) -> str:
    """The variable that gets the result of the call at `after`, if it is kept in one at once."""
    following = next((step for step in dis.get_instructions(code) if step.offset > after), None)
    stores = following is not None and following.opname.startswith(("STORE_FAST", "STORE_DEREF"))
    name = following.argval if following is not None and stores else ""
    if isinstance(
        name, tuple
    ):  # since Python 3.13 one instruction may keep two values, the topmost one first
        name = name[0]
    return name if isinstance(name, str) else ""


class TracedPointer:
    """A pointer into an array: it counts from `start`, may count backwards, and never leaves the array."""

    __slots__ = ("array", "name", "start", "traced")

    def __init__(self, name: str, array: Array, start: int, traced: Notes | None = None) -> None:
        self.name, self.array, self.start, self.traced = name, array, start, traced

    def _slot(self, kind: str, index: Any) -> int:
        slot = self.start + int(index)
        if not 0 <= slot < len(self.array):
            raise RuntimeError(
                f"CUDA error: {ILLEGAL}\n"
                f"a thread asked to {kind} slot {slot} of {self.name}, which has {len(self.array)}"
            )
        if self.traced is not None:
            self.traced.note(kind, self.name, slot, None)
        return slot

    def __getitem__(self, index: Any) -> Any:
        return self.array[self._slot("read", index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        _store(self.array, self._slot("write", index), value)


@known_as("array")
class TracedArray(WholeArray):
    """What a kernel knows of an array: sizes, indices, rows. Reading and writing are noted.

    An index outside the array is noted and the access left out, or is an error where the notes are `strict`. As in
    compiled kernels, a negative index counts from the end; that is noted too.
    """

    __slots__ = ("_name", "_view", "_watch")

    def __init__(self, name: str, view: View, watch: Watch) -> None:
        self._name, self._view, self._watch = name, view, watch

    # ---- what a kernel may ask

    @property
    def shape(self) -> tuple[int, ...]:
        return self._view.shape

    @property
    def ndim(self) -> int:
        return len(self._view.shape)

    @property
    def size(self) -> int:
        return prod(self._view.shape)

    @property
    def dtype(self) -> Any:
        return self._view.memory.cells.dtype

    @property
    def itemsize(self) -> int:
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(step * self.itemsize for step in self._view.strides)

    @property
    def T(self) -> TracedArray:
        view = self._view
        turned = view._replace(shape=view.shape[::-1], strides=view.strides[::-1])
        return type(self)(self._name, turned, self._watch)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array of no dimensions")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        place = self._place(index)
        if isinstance(place, View):
            return type(self)(self._name, place, self._watch)
        return self._reach("read", place, lambda old: old)

    def __setitem__(self, index: Any, value: Any) -> None:
        place = self._place(index)
        if not isinstance(place, View):
            self._reach("write", place, lambda old: value)
            return
        part = type(self)(self._name, place, self._watch)
        for inner in product(*map(range, place.shape)):
            part[inner] = value[inner] if isinstance(value, TracedArray) else value

    def atomic(self, index: Any, change: Callable[[Any], Any]) -> Any:
        """Replace a number by what `change` makes of it, in one go: the number that was there."""
        place = self._place(index)
        if isinstance(place, View):
            raise TypeError(f"an atomic operation needs one element of {self._name}, not a part of it")
        return self._reach("atomic", place, change)

    # ---- how it is done

    def _place(self, index: Any) -> View | tuple[int, ...]:
        """The indices of one element, or the part of the array that an index with slices names."""
        given = index if isinstance(index, tuple) else (index,)
        if Ellipsis in given:
            at = given.index(Ellipsis)
            filled = (slice(None),) * (self.ndim - len(given) + 1)
            given = (*given[:at], *filled, *given[at + 1 :])
        if len(given) > self.ndim:
            raise IndexError(f"{self._name} has {self.ndim} dimensions, and was indexed with {len(given)}")
        whole = len(given) == self.ndim and not any(isinstance(part, slice) for part in given)
        if whole:
            return tuple(self._whole(part) for part in given)
        memory, shape, strides, start = self._view
        sizes, steps = [], []
        for part, n, step in zip(
            (*given, *[slice(None)] * (self.ndim - len(given))), shape, strides, strict=True
        ):
            if isinstance(part, slice):
                low, high, by = part.indices(n)
                start += low * step if low < n or n else 0
                sizes.append(len(range(low, high, by)))
                steps.append(step * by)
            else:
                part = self._whole(part)
                start += (part + n if part < 0 else part) * step
        return View(memory, tuple(sizes), tuple(steps), start)

    def _whole(self, part: Any) -> int:
        """One index as a number."""
        try:
            return index_of(part)
        except TypeError:
            raise TypeError(
                f"{self._name} was indexed with {part!r}, and an index is an integer or a slice"
            ) from None

    def _reach(self, kind: str, index: tuple[int, ...], change: Callable[[Any], Any]) -> Any:
        """Touch one slot: what it held."""
        view, watch = self._view, self._watch
        memory, notes = view.memory, watch.notes
        slot, wrapped, outside = view.start, False, False
        for i, n, step in zip(index, view.shape, view.strides, strict=True):
            outside = outside or not -n <= i < n
            wrapped = wrapped or i < 0
            slot += (i + n if -n <= i < 0 else i) * step
        line = 0 if memory.space == "local" else watch.turn(kind, self._name)
        outside = outside or not 0 <= slot < len(memory.cells)
        if outside or wrapped:
            line = line or watch.here()[0]
            stray = Stray(
                kind,
                self._name,
                index,
                view.shape,
                slot,
                notes.now,
                notes.thread,
                line,
                len(notes.steps),
                not outside,
            )
            if outside and notes.strict:
                raise Fault(ILLEGAL, strayed(notes, stray))
            notes.strays.append(stray)
            if outside:
                return unset_cells(1, memory.cells.dtype)[0]
        return self._touch(kind, slot, line, change)

    def _touch(self, kind: str, slot: int, line: int, change: Callable[[Any], Any]) -> Any:
        memory, notes = self._view.memory, self._watch.notes
        old = memory.cells[slot]
        if kind != "read":
            _store(memory.cells, slot, change(old))
            memory.dirty = True
        if memory.space != "local":
            notes.note(kind, self._name, slot, memory.cells[slot], line)
        if memory.written is not None:
            if kind != "write" and not memory.written[slot]:
                self._unset(kind, slot, line)
            memory.written[slot] = memory.written[slot] or kind != "read"
        return old

    def _unset(self, kind: str, slot: int, line: int) -> None:
        notes = self._watch.notes
        if not notes.silent:
            line = line or self._watch.here()[0]
            index, shape = (slot,), (len(self._view.memory.cells),)
            step = len(notes.steps)
            notes.unset.append(
                Stray(kind, self._name, index, shape, slot, notes.now, notes.thread, line, step, False)
            )


@known_as("array")
class SilentArray(TracedArray):
    """The array of a launch without notes: elements inside it are accessed directly."""

    __slots__ = ("_cells", "_start", "_strides", "shape", "size")

    def __init__(self, name: str, view: View, watch: Watch) -> None:
        super().__init__(name, view, watch)
        self._cells, self._start, self._strides = view.memory.cells, view.start, view.strides
        self.shape: tuple[int, ...] = view.shape
        self.size: int = prod(view.shape)

    def _slot(self, index: Any) -> int:
        """The slot of an element inside the array; -1 for every other index."""
        try:
            if len(self.shape) == 1:
                i = index_of(index)
                return self._start + i * self._strides[0] if 0 <= i < self.shape[0] else -1
            i, j = map(index_of, index)
            rows, columns = self.shape
            if 0 <= i < rows and 0 <= j < columns:
                down, along = self._strides
                return self._start + i * down + j * along
        except (TypeError, ValueError):  # slices, rows, other numbers of dimensions
            pass
        return -1

    def __getitem__(self, index: Any) -> Any:
        slot = self._slot(index)
        try:
            return super().__getitem__(index) if slot < 0 else self._cells[slot]
        except IndexError:  # a slot that is not an integer
            return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        slot = self._slot(index)
        if slot < 0:
            super().__setitem__(index, value)
        else:
            _store(self._cells, slot, value)
            self._view.memory.dirty = True


def array_of(name: str, view: View, watch: Watch) -> TracedArray:
    """What a kernel is handed for an array."""
    return (SilentArray if watch.notes.silent else TracedArray)(name, view, watch)


def _store(cells: Array, slot: int, value: Any) -> None:
    """Put a number into a slot as a machine does: what is too large is cut off."""
    if value is None:
        raise TypeError("None is no number that an array can hold: does a function here return nothing?")
    try:
        cells[slot] = value
    except (OverflowError, ValueError):
        if not cells.flags.writeable:
            raise
        cells[slot] = numpy.asarray(value).astype(cells.dtype)


def unset_cells(count: int, dtype: Any) -> Array:
    """Memory that has not been written yet: nan for floating point numbers, -1 for integers with a sign.

    >>> unset_cells(2, numpy.dtype("float32")), unset_cells(1, numpy.dtype("int8"))
    (array([nan, nan], dtype=float32), array([-1], dtype=int8))
    """
    cells: Array = numpy.full(count * dtype.itemsize, 0xFF, numpy.uint8).view(dtype)
    return cells


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array whose rows lie behind one another.

    >>> contiguous((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))
