"""Pointwise functions as compiled loops over rows.

`CompiledFunction` is a pointwise function of two faces: a loop, and a function of arrays for as long as there is no
loop, or for what it does not take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from tensorkit.kernels.jit.compiler import Loop, loop
from tensorkit.kernels.sizes import COPIED_BY_TILES, LAID_OUT_NUMBER

Array = numpy.ndarray[Any, Any]
_FLOATS = ("f4", "f8")


def rowwise(
    inputs: int, kinds: tuple[str, ...] = _FLOATS, extra: str = ""
) -> Callable[[Callable[..., Any]], Loop]:
    """A loop over rows whose elements lie side by side: each array flat, with the step from row to row."""
    return loop(*(f"void({'{0}[::1],i8,' * (inputs + 1)}i8,i8{extra})".format(kind) for kind in kinds))


class CompiledFunction:
    """A pointwise function: a compiled loop, or a function of arrays.

    Args:
        loop: of the form of `rowwise`.
        function: of arrays and the `extra` numbers; what answers where the loop cannot.
        kinds: the dtypes of the result that the loop takes.
        extra: numbers that both are given after the arrays.
        columns: whether the loop knows columns, whose numbers are each for a whole row.
    """

    __slots__ = ("columns", "extra", "function", "kinds", "loop")

    def __init__(
        self,
        loop: Loop,
        function: Any,
        kinds: str = "fd",
        extra: tuple[Any, ...] = (),
        columns: bool = False,
    ) -> None:
        self.loop, self.function, self.kinds, self.extra = loop, function, kinds, extra
        self.columns = columns

    def __call__(self, *inputs: Any) -> Any:
        return self.function(*inputs, *self.extra)

    def _takes(self, inputs: Any, out: Array) -> bool:
        """Whether the loop was compiled for such arrays: all of one dtype, except a mask."""
        kind = out.dtype
        return kind.char in self.kinds and all(
            not isinstance(a, numpy.ndarray)
            or a.dtype == kind
            or (
                a.dtype.kind == "b" and self.loop.signatures[0].startswith("void(b1[")
            )  # a loop that reads a mask
            for a in inputs
        )

    def over_rows(self, inputs: Any, out: Array) -> Callable[[int, int], None] | None:
        """What does a piece of one row of memory, as each input is that shares none with it; None for `into`."""
        if out.ndim != 1 or not out.flags.carray or not self._takes(inputs, out):
            return None
        for array in inputs:
            if not isinstance(array, numpy.ndarray) or array.shape != out.shape or not array.flags.carray:
                return None
            if numpy.may_share_memory(array, out):
                return None
        fast = self.loop.compiled()
        if fast is None:
            return None

        def piece(first: int, last: int) -> None:
            arguments: list[Any] = []
            for array in (*inputs, out):
                arguments += (array[first:last], last - first)
            fast(*arguments, 1, last - first, *self.extra)

        return piece

    def into(self, inputs: Any, out: Array) -> None:
        """``out[...] = self(*inputs)`` without a temporary as large."""
        fast = self.loop.compiled() if self._takes(inputs, out) else None
        if fast is None:
            numpy.copyto(out, self(*inputs), casting="unsafe")
            return
        target = out if out.flags.behaved and in_rows(out) else numpy.empty(out.shape, out.dtype)
        flat = target.flags.c_contiguous and all(
            isinstance(a, numpy.ndarray) and a.shape == out.shape and a.flags.c_contiguous for a in inputs
        )
        shape = (1, out.size) if flat or out.ndim < 2 else (out.size // out.shape[-1], out.shape[-1])
        own = [] if self.columns else [n for n, a in enumerate(inputs) if same_place(a, target)]
        if (
            out.ndim == 1
            and out.size > LAID_OUT_NUMBER
            and not own
            and not all(numpy.ndim(a) for a in inputs)
        ):
            # A number is a row that is met again and again: a short one.
            whole = out.size - out.size % LAID_OUT_NUMBER
            if whole < out.size:
                for part in (slice(None, whole), slice(whole, None)):
                    self.into([a[part] if numpy.ndim(a) else a for a in inputs], out[part])
                return
            shape = (out.size // LAID_OUT_NUMBER, LAID_OUT_NUMBER)
        arguments: list[Any] = []
        for array in (*inputs, target):
            # In steps, a number is needed for one step at a time.
            wide = shape if not own or numpy.ndim(array) else (shape[0], min(shape[1], _ASIDE))
            arguments += _flat(array, out, wide, self.columns)
        if own:
            self._in_steps(fast, arguments, shape, own)
        else:
            fast(*arguments, *shape, *self.extra)
        if target is not out:
            numpy.copyto(out, target)

    def _in_steps(self, fast: Any, arguments: list[Any], shape: tuple[int, int], own: list[int]) -> None:
        """In place: what is read where it is written would be taken one by one, so it is laid aside before."""
        rows, columns = shape
        *given, target, step = arguments
        aside = numpy.empty(min(rows * columns, _ASIDE), target.dtype)
        high = max(1, aside.size // columns)  # rows at a time
        wide = columns if high > 1 else aside.size
        for i in range(0, rows, high):
            some = min(high, rows - i)
            for j in range(0, columns, wide):
                many = min(wide, columns - j)
                start = i * step + j
                kept = aside[: some * many]
                kept.reshape(some, many)[...] = _rows_of(target, start, step, some, many)
                parts: list[Any] = []
                for n, (array, apart) in enumerate(zip(given[::2], given[1::2], strict=True)):
                    ahead = i * apart + (j if apart or array.size > wide else 0)
                    parts += (kept, many) if n in own else (array[ahead:], apart)
                fast(*parts, target[start:], step, some, many, *self.extra)


#: The number of elements that a processor's cache holds.
_ASIDE = 1 << 15


def _rows_of(flat: Array, start: int, step: int, rows: int, columns: int) -> Array:
    if rows == 1:
        return flat[start : start + columns].reshape(1, columns)
    return as_strided(flat[start:], (rows, columns), (step * flat.itemsize, flat.itemsize))


def same_place(one: Any, two: Array) -> bool:
    """Whether an array begins where another does; most share no memory at all, which is found sooner."""
    return (
        isinstance(one, numpy.ndarray)
        and numpy.may_share_memory(one, two)
        and one.ctypes.data == two.ctypes.data
    )


def in_rows(array: Array) -> bool:
    """Whether the elements of a row lie side by side, and the rows at equal steps."""
    if array.flags.c_contiguous:
        return True
    return (
        array.ndim == 2
        and array.strides[1] == array.itemsize
        and array.strides[0] % array.itemsize == 0
        and (array.strides[0] > 0)
    )


_WIDTHS = {size: numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def turned(source: Array, out: Array) -> bool:
    """Write a matrix whose columns are dense into one whose rows are, and that lies elsewhere; False for others."""
    if (
        not isinstance(source, numpy.ndarray)
        or source.ndim != 2
        or source.size < COPIED_BY_TILES
        or source.dtype != out.dtype
        or source.itemsize > 8
    ):
        return False
    if in_rows(source) or not (in_rows(source.T) and in_rows(out)) or source.shape != out.shape:
        return False
    if not (source.flags.behaved and out.flags.behaved):
        return False
    fast = across.compiled()
    if fast is None:
        return False
    bits = _WIDTHS[source.itemsize]
    # Where the elements are not dense in two ways, NumPy would not see them as others.
    (flat, step), (target, apart) = as_row(source.T.view(bits)), as_row(out.view(bits))
    fast(flat, step, target, apart, *out.shape)
    return True


def in_row_major(array: Array) -> Array:
    """A row-major copy."""
    made = numpy.empty(array.shape, array.dtype)
    if not turned(array, made):
        numpy.copyto(made, array)
    return made


def _flat(array: Any, out: Array, shape: tuple[int, int], columns: bool) -> tuple[Array, int]:
    """An array as one row of memory, and the step from row to row: -1 for a column, where the loop knows those."""
    if columns and isinstance(array, numpy.ndarray) and out.ndim == 2 and array.shape == (out.shape[0], 1):
        return _writable(numpy.ascontiguousarray(array).reshape(-1)), -1
    if isinstance(array, numpy.ndarray) and array.ndim == 2 and array.shape == (1, out.shape[-1]):
        return _writable(numpy.ascontiguousarray(array).reshape(-1)), 0
    if not isinstance(array, numpy.ndarray) or array.shape != out.shape:
        if not numpy.ndim(array):  # one number: as a row that is met again and again
            kind = array.dtype if isinstance(array, numpy.ndarray) else out.dtype
            return numpy.full(shape[1], array, kind), 0
        array = numpy.ascontiguousarray(numpy.broadcast_to(array, out.shape))
    elif not in_rows(array):
        array = in_row_major(array)
    if array.flags.c_contiguous:
        return _writable(array.reshape(-1)), shape[1]
    return as_row(array)


def _writable(array: Array) -> Array:
    """Numba's types tell what is only read from what may be written to: the loops were compiled for the latter."""
    return array if array.flags.behaved else array.copy()


def as_row(array: Array) -> tuple[Array, int]:
    """The memory of a matrix whose rows are dense, as one row, and the step from row to row."""
    array = _writable(array)
    step = array.strides[0] // array.itemsize
    return as_strided(array, ((array.shape[0] - 1) * step + array.shape[1],), (array.itemsize,)), step


@rowwise(1, kinds=("u1", "u2", "u4", "u8"))
def across(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    # Eight columns of the result, which is what a processor gathers in one step, of as many rows that what was read
    # for one row is there still for the next.
    whole = columns - columns % 8
    for first in range(0, rows, 128):
        last = min(rows, first + 128)
        for j in range(0, whole, 8):
            for i in range(first, last):
                x, y = a[j * sa + i :], out[i * so + j : i * so + j + 8]
                for k in range(8):
                    y[k] = x[k * sa]
        for j in range(whole, columns):
            for i in range(first, last):
                out[i * so + j] = a[j * sa + i]
