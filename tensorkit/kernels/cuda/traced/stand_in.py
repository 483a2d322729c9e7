"""The `cuda` that a traced kernel finds: Numba's names, answered by the notes and by the crew that hands out turns."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.arithmetic import KINDS, as_kind
from tensorkit.kernels.cuda.traced.memory import TracedArray, Watch, array_of, contiguous, unset_cells
from tensorkit.kernels.cuda.traced.names.numba_names import Namespace, known_as, of_numba, unknown
from tensorkit.kernels.cuda.traced.notes import WARP, Dims, Memory, View
from tensorkit.kernels.cuda.traced.words import coordinates

ALL_LANES = 0xFFFFFFFF

SYNCHRONISING = frozenset({
    "syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", "syncwarp", "shfl_sync", "shfl_up_sync",
    "shfl_down_sync", "shfl_xor_sync", "ballot_sync", "all_sync", "any_sync", "eq_sync", "match_any_sync",
    "match_all_sync", "activemask",
})  # fmt: skip
"""The names for which the threads of a block have to live at the same time."""


@known_as("Dim3")
class _Where:
    """``threadIdx`` or ``blockIdx``, which change with the thread that is running, ``blockDim`` or ``gridDim``."""

    def __init__(self, places: list[Dims], number: Callable[[], int] = lambda: 0) -> None:
        self._places, self._number = places, number

    x = property(lambda self: self._places[self._number()][0])
    y = property(lambda self: self._places[self._number()][1])
    z = property(lambda self: self._places[self._number()][2])


@known_as("cuda")
class TracedCuda:
    """Numba's ``cuda``, as far as kernels use it.

    Args:
        watch: where the arrays report to, and with them what is asked here.
        shared_bytes: how much memory an array of size 0 in ``cuda.shared`` gets, as the launch says.
    """

    warpsize = WARP

    def __init__(self, watch: Watch, shared_bytes: int = 0) -> None:
        notes = watch.notes
        self._watch, self._notes, self._dynamic = watch, notes, shared_bytes
        self._shared: dict[Any, TracedArray] = {}
        self._names: dict[Any, str] = {}
        self.blockDim, self.gridDim = _Where([notes.block]), _Where([notes.grid])
        self._places = [coordinates(t, notes.block) for t in range(notes.threads)]
        self._homes = [coordinates(b, notes.grid) for b in range(notes.blocks)]
        self.threadIdx = _Where(self._places, lambda: notes.thread)
        self.blockIdx = _Where(self._homes, lambda: notes.now)
        self.shared = Namespace("cuda.shared", array=self._shared_array)
        self.local = Namespace("cuda.local", array=self._local_array)
        self.const = Namespace("cuda.const", array_like=self._constant)
        self.atomic = _Atomic()
        self.exchange: Callable[[Any], Any] = lambda value: of_numba(value, self, self.exchange)

    def __getattr__(self, name: str) -> Any:
        theirs = sys.modules.get("numba.cuda")
        found = self.exchange(getattr(theirs, name, None))
        if found is None:
            raise AttributeError(unknown(f"cuda.{name}"))
        return found

    def begin_block(self) -> None:
        """Another block: its shared memory is another one."""
        self._shared = {}

    # ---- who am I

    def grid(self, ndim: int) -> Any:
        notes = self._notes
        at, block, size = self._places[notes.thread], self._homes[notes.now], notes.block
        if ndim == 1:
            return block[0] * size[0] + at[0]
        return tuple(block[d] * size[d] + at[d] for d in range(ndim))

    def gridsize(self, ndim: int) -> Any:
        every = tuple(g * b for g, b in zip(self._notes.grid, self._notes.block, strict=True))
        return every[0] if ndim == 1 else every[:ndim]

    @property
    def laneid(self) -> int:
        return self._notes.thread % WARP

    def lanemask_lt(self) -> int:
        return (1 << self.laneid) - 1

    def activemask(self) -> int:
        crew = self._watch.crew
        return 1 << self.laneid if crew is None else int(crew.active(*self._watch.here()))

    # ---- memory

    def _shared_array(self, shape: Any, dtype: Any, **_more: Any) -> TracedArray:
        """What all threads of a block get that ask at the same place of the kernel: the same memory."""
        site = self._watch.here()[1] or len(self._shared)
        if site not in self._shared:
            size = (shape,) if isinstance(shape, int) else tuple(shape)
            kind = _dtype(dtype)
            name = self._names.setdefault(site, self._free(self._watch.variable("shared")))
            if 0 in size:
                size = (self._dynamic // kind.itemsize,)
            memory = Memory("shared", unset_cells(math.prod(size), kind))
            self._shared[site] = self._named(name, View(memory, size, contiguous(size), 0))
        return self._shared[site]

    def _local_array(self, shape: Any, dtype: Any, **_more: Any) -> TracedArray:
        size = (shape,) if isinstance(shape, int) else tuple(shape)
        memory = Memory("local", unset_cells(math.prod(size), _dtype(dtype)))
        view = View(memory, size, contiguous(size), 0)
        return array_of(self._watch.variable("local"), view, self._watch)

    def _constant(self, array: Any) -> Any:
        if isinstance(array, TracedArray):
            return array
        cells = numpy.ascontiguousarray(array)
        view = View(Memory("global", cells.reshape(-1), keep=True), cells.shape, contiguous(cells.shape), 0)
        return self._named(self._watch.variable("constant"), view)

    def _free(self, name: str) -> str:
        """The name, or one with a number behind it where another array has it already."""
        taken, number = {*self._notes.views, *self._names.values()}, 2
        if name not in taken:
            return name
        while f"{name}{number}" in taken:
            number += 1
        return f"{name}{number}"

    def _named(self, name: str, view: View) -> TracedArray:
        self._notes.views[name] = view
        return array_of(name, view, self._watch)

    # ---- barriers and fences

    def _meet(self, value: Any = None, answer: Any = None) -> Any:
        line, site = self._watch.here()
        notes, crew = self._notes, self._watch.crew
        if crew is not None:
            return crew.meet(line, site, value, answer)
        notes.phases[notes.thread] += 1
        return None

    def syncthreads(self) -> None:
        self._meet()

    def syncthreads_count(self, predicate: Any) -> Any:
        return self._meet(bool(predicate), lambda values, _: sum(values.values()))

    def syncthreads_and(self, predicate: Any) -> Any:
        return self._meet(bool(predicate), lambda values, _: int(all(values.values())))

    def syncthreads_or(self, predicate: Any) -> Any:
        return self._meet(bool(predicate), lambda values, _: int(any(values.values())))

    def threadfence(self) -> None:
        self._notes.fences.append((len(self._notes.accesses), self._notes.now))

    threadfence_system = threadfence_block = threadfence

    def nanosleep(self, nanoseconds: int) -> None:
        """Nothing to wait for: the others have their turn in any case."""

    # ---- what the lanes of a warp do together

    def _lanes(self, name: str, mask: int, value: Any, answer: Any) -> Any:
        crew = self._watch.crew
        if crew is None:
            return answer({self.laneid: value}, self.laneid) if answer else None
        line, site = self._watch.here()
        return crew.meet_warp(name, line, site, int(mask), value, answer)

    def syncwarp(self, mask: int = ALL_LANES) -> None:
        self._lanes("syncwarp", mask, None, None)

    def shfl_sync(self, mask: int, value: Any, source: int) -> Any:
        return self._lanes("shfl_sync", mask, value, lambda v, lane: v.get(int(source) % WARP, value))

    def shfl_up_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self._lanes("shfl_up_sync", mask, value, lambda v, lane: v.get(lane - int(delta), value))

    def shfl_down_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self._lanes("shfl_down_sync", mask, value, lambda v, lane: v.get(lane + int(delta), value))

    def shfl_xor_sync(self, mask: int, value: Any, lane_mask: int) -> Any:
        return self._lanes("shfl_xor_sync", mask, value, lambda v, lane: v.get(lane ^ int(lane_mask), value))

    def ballot_sync(self, mask: int, predicate: Any) -> Any:
        return self._lanes(
            "ballot_sync",
            mask,
            bool(predicate),
            lambda v, _: sum(1 << lane for lane, yes in v.items() if yes),
        )

    def all_sync(self, mask: int, predicate: Any) -> Any:
        return self._lanes("all_sync", mask, bool(predicate), lambda v, _: all(v.values()))

    def any_sync(self, mask: int, predicate: Any) -> Any:
        return self._lanes("any_sync", mask, bool(predicate), lambda v, _: any(v.values()))

    def eq_sync(self, mask: int, predicate: Any) -> Any:
        return self._lanes("eq_sync", mask, bool(predicate), lambda v, _: len(set(v.values())) == 1)

    def match_any_sync(self, mask: int, value: Any) -> Any:
        return self._lanes(
            "match_any_sync",
            mask,
            value,
            lambda v, _: sum(1 << lane for lane, one in v.items() if one == value),
        )

    def match_all_sync(self, mask: int, value: Any) -> Any:
        def answer(values: dict[int, Any], _: int) -> Any:
            same = all(one == value for one in values.values())
            return (sum(1 << lane for lane in values) if same else 0), same

        return self._lanes("match_all_sync", mask, value, answer)

    # ---- arithmetic

    @staticmethod
    def selp(condition: Any, a: Any, b: Any) -> Any:
        return a if condition else b

    @staticmethod
    def fma(a: Any, b: Any, c: Any) -> Any:
        return a * b + c

    @staticmethod
    def cbrt(x: Any) -> Any:
        return numpy.cbrt(x)

    @staticmethod
    def popc(x: Any) -> int:
        return _bits(x)[0].count("1")

    @staticmethod
    def clz(x: Any) -> int:
        bits, width = _bits(x)
        return width - len(bits.lstrip("0"))

    @staticmethod
    def ffs(x: Any) -> int:
        bits, width = _bits(x)
        return width - bits.rfind("1") if "1" in bits else 0

    @staticmethod
    def brev(x: Any) -> Any:
        bits, _ = _bits(x)
        kind = numpy.dtype(type(x)) if isinstance(x, numpy.integer) else numpy.dtype("int64")
        return numpy.uint64(int(bits[::-1], 2)).astype(f"u{kind.itemsize}").astype(kind)


def _bits(x: Any) -> tuple[str, int]:
    """The bits of an integer, the highest first, and how many there are: 64 for one of Python's."""
    width = 8 * x.dtype.itemsize if isinstance(x, numpy.integer) else 64
    return f"{int(x) & ((1 << width) - 1):0{width}b}", width


def _dtype(kind: Any) -> Any:
    """The dtype argument of a kernel's memory: Numba's types, NumPy's and tensorkit's have the same names."""
    return numpy.dtype(kind if isinstance(kind, type) else getattr(kind, "name", kind))


def _update(array: Any, index: Any, value: Any, change: Callable[[Any, Any], Any]) -> Any:
    """An atomic update: in the array's own kind of number, whatever kind it is given."""
    value = as_kind(KINDS[array.dtype.type], value)
    return array.atomic(index, lambda old: change(old, value))


@known_as("cuda.atomic")
class _Atomic:
    """``cuda.atomic``: each gives back what was there."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(unknown(f"cuda.atomic.{name}"))

    @staticmethod
    def add(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, operator.add)

    @staticmethod
    def sub(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, operator.sub)

    @staticmethod
    def max(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, lambda old, new: new if new > old or new != new else old)

    @staticmethod
    def min(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, lambda old, new: new if new < old or new != new else old)

    @staticmethod
    def nanmax(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, lambda old, new: new if new > old or old != old else old)

    @staticmethod
    def nanmin(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, lambda old, new: new if new < old or old != old else old)

    @staticmethod
    def and_(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, operator.and_)

    @staticmethod
    def or_(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, operator.or_)

    @staticmethod
    def xor(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, operator.xor)

    @staticmethod
    def inc(array: Any, index: Any, most: Any) -> Any:
        return _update(array, index, most, lambda old, top: 0 if old >= top else old + 1)

    @staticmethod
    def dec(array: Any, index: Any, most: Any) -> Any:
        return _update(array, index, most, lambda old, top: top if old == 0 or old > top else old - 1)

    @staticmethod
    def exch(array: Any, index: Any, value: Any) -> Any:
        return _update(array, index, value, lambda old, new: new)

    @staticmethod
    def cas(array: Any, index: Any, old: Any, value: Any) -> Any:
        expected = as_kind(KINDS[array.dtype.type], old)
        return _update(array, index, value, lambda there, new: new if there == expected else there)

    @classmethod
    def compare_and_swap(cls, array: Any, old: Any, value: Any) -> Any:
        return cls.cas(array, 0, old, value)
