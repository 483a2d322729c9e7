"""NumPy over buffers: the kernels that run on the CPU. Arrays in, arrays out, never a Tensor.

NumPy warns when a division meets zero or a sum overflows; PyTorch does not. `quiet` runs a ufunc with those warnings
off for this call alone, without touching the settings of the program around it: it enters a `contextvars.Context`
in which they were switched off once (16 ns, where ``numpy.errstate`` takes 1000).
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.dtypes import bfloat16, dtype, float16, float32
from tensorkit.kernels.cpu import loops, rows_compiled
from tensorkit.kernels.cpu.scan_compiled import converted, half_arithmetic
from tensorkit.kernels.cpu.strided_2d import APART, Plane
from tensorkit.kernels.cpu.ufuncs import Ufunc
from tensorkit.kernels.jit import rowwise
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.jit.threads import is_silent, silent, spread
from tensorkit.kernels.sizes import CUT_ALONG, LARGE, LOOPS, PIECE, ROUNDED_ONCE, ROWS_BY_LOOP, UFUNC_LOOPS

Array = numpy.ndarray[Any, Any]


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.run = silent().run


_here = _PerThread()
# One context for all, the quickest way: it refuses (RuntimeError) when another thread is inside. The caller then asks
# `quiet` for the very same, so that no answer depends on what other threads do.
quiet_here = silent().run


def quiet(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function with floating point warnings off, from any thread."""
    try:
        return _here.run(function, *args, **kwargs)
    except RuntimeError:
        if not is_silent.get():
            raise
        # A finalizer, or what answers a signal, in the middle of another call.
        return function(*args, **kwargs)


def is_half(kind: dtype) -> bool:
    """Whether a dtype's arithmetic is done in float32 and rounded on the way out, as PyTorch does it."""
    return kind is float16 or kind is bfloat16


def cast(array: Array, kind: dtype) -> Array:
    """The array with elements of another dtype: itself when it has them already."""
    own, held = array.dtype, kind.numpy
    if own is held or own == held:
        return array
    if own.char in _REAL and held.char in _REAL and array.size < LARGE:
        try:
            return quiet_here(array.astype, held)
        except RuntimeError:  # another thread is inside
            return quiet(array.astype, held)  # type: ignore[no-any-return]
    if array.dtype.kind == "c" and kind.numpy.kind != "c" and kind.category != 0:
        array = array.real
    array = _towards(array, kind.numpy)
    if array.size < LARGE:
        return quiet(_as, array, kind.numpy)  # type: ignore[no-any-return]
    out = numpy.empty_like(array, kind.numpy, subok=False)
    pointwise(_converted, (array,), out)
    return out


#: The dtypes between which NumPy converts as PyTorch does, and as fast: all real ones except the 16-bit floats.
_REAL = frozenset("?bBhHiIlLqQfd")


def _towards(array: Array, kind: Any) -> Array:
    """PyTorch converts to float16 through float32, so a number is rounded twice."""
    if kind == numpy.float16 and array.dtype == numpy.float64:
        return quiet(array.astype, numpy.float32)  # type: ignore[no-any-return]
    return array


def _as(array: Array, kind: Any) -> Array:
    if kind.itemsize + array.itemsize == 6:  # 16 and 32 bits
        out = numpy.empty_like(array, kind, subok=False)
        if converted(array, out):
            return out
    return array.astype(kind, copy=False)


def copy(dst: Array, src: Array) -> None:
    """Write `src`, broadcast and converted, into `dst`; overlapping memory is read before it is written."""
    if src.dtype.kind == "c" and dst.dtype.kind not in "cb":
        src = src.real
    src = _towards(src, dst.dtype)
    if dst.size >= LARGE and apart(dst, src):
        pointwise(_converted, (src,), dst)
    else:
        quiet(numpy.copyto, dst, src, casting="unsafe")


# -- many elements ------------------------------------------------------------------------------------------------

# A function of several steps does this many bytes at a time: its intermediate results stay in the cache, and each
# step is long enough that another thread is not kept from Python's lock, which every step needs before and after.
_BLOCK = 1 << 19


def _converted(a: Array) -> Array:
    return a


def apart(out: Array, *inputs: Any) -> bool:
    """Whether no input lies in the memory of `out`, unless each of its elements lies where the result's will."""
    return not any(
        isinstance(array, numpy.ndarray)
        and numpy.may_share_memory(out, array)
        and not (array.ctypes.data == out.ctypes.data and array.strides == out.strides)
        for array in inputs
    )


def mapped(function: Any, inputs: tuple[Any, ...], kind: numpy.dtype[Any]) -> Array:
    """``function(*inputs)`` of arrays and numbers, element by element, as a new row-major array; piece by piece.

    Raises:
        ValueError: when the shapes do not broadcast.
    """
    shapes = [array.shape for array in inputs if isinstance(array, numpy.ndarray)]
    shape = shapes[0] if len(set(shapes)) == 1 else numpy.broadcast_shapes(*shapes)
    out = numpy.empty(shape, kind)
    if out.size < LARGE:
        quiet(_step, function, inputs, out)
    else:
        pointwise(function, inputs, out)
    return out


_with_loops: dict[Any, CompiledFunction] = {}
_shortcuts: dict[Any, Callable[[Any, Array], Any]] = {}


def shortcut(function: Any, find: Callable[[Any, Array], Any]) -> None:
    """Say that a function of arrays is sometimes one ufunc: `find` is given the inputs and the array for the result.

    It returns the ufunc and what to give it, or None.
    """
    _shortcuts[function] = find


_SINGLE, _DOUBLE = numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)
_LARGEST = float(numpy.finfo(numpy.float32).max)


def rounded_once(ufunc: Any, one: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of single precision that is rounded from double precision where there are few elements.

    NumPy's own loops are off by one in the last digit for up to four numbers of ten; PyTorch's libraries are not, and
    what they print is compared digit by digit.

    Args:
        one: the same of one of Python's numbers, which has it in half the time.
    """

    def function(a: Array) -> Any:
        if a.dtype is _SINGLE:
            if a.size == 1:
                try:
                    value = one(a.item())
                except (ValueError, OverflowError):
                    value = math.inf
                if -_LARGEST < value < _LARGEST:
                    return numpy.array(value, _SINGLE, ndmin=a.ndim)
            if a.size <= ROUNDED_ONCE:
                return ufunc(a, dtype=_DOUBLE).astype(_SINGLE)
        return ufunc(a)

    shortcut(function, lambda inputs, out: (ufunc, inputs) if inputs[0].dtype == out.dtype else None)
    return functools.update_wrapper(function, ufunc, assigned=("__name__",), updated=())


def with_loop(function: Any, loop: Loop, kinds: str = "fd") -> None:
    """Say that a compiled loop does what a function of arrays does, faster for many elements of some dtypes."""
    for kind in kinds:
        _with_loops[function, kind] = CompiledFunction(loop, function, kind)


def looped(**loops: Loop) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of arrays that compiled loops do faster, by the characters of their dtypes.

    The loops are taken for many elements as `with_loop` says, and for hundreds by the function itself.
    """

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        def of_one(a: Any) -> Any:
            found = _at_once(of_one, (a,))
            return function(a) if found is None else found

        def of_two(a: Any, b: Any) -> Any:
            found = _at_once(of_two, (a, b))
            return function(a, b) if found is None else found

        # As many parameters as the function: `elementwise` asks how many there are.
        either = (of_one, of_two)[function.__code__.co_argcount - 1]
        for kind, loop in loops.items():
            with_loop(either, loop, kind)
        return functools.update_wrapper(either, function)

    return made


def hundreds(
    ufunc: Ufunc, plane: Plane | None = None
) -> Callable[[Callable[[Array], Any]], Callable[[Array], Any]]:
    """Decorate a function of one array that a compiled ufunc does sooner for hundreds of elements.

    Args:
        plane: what does it sooner where these are rows that lie apart.
    """

    def made(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
        def of_one(a: Any) -> Any:
            # `Ufunc.of`, inlined: the call would take a tenth of the time.
            if a.size < UFUNC_LOOPS or a.dtype.char not in kinds:
                return function(a)
            run = ufunc.ready or ufunc.often()
            return function(a) if run is None else run(a)

        kinds = ufunc.signatures

        if plane is not None:
            APART[of_one] = plane
        return functools.update_wrapper(of_one, function)

    return made


def _at_once(function: Any, inputs: Any) -> Array | None:
    """``function(*inputs)`` by its compiled loop, for hundreds of elements that lie in a row each, beside numbers.

    None where there is no such loop, or it was not wanted often enough to be compiled.
    """
    first = inputs[0]
    if not isinstance(first, numpy.ndarray) or not first.ndim:
        first = inputs[-1]
        if not isinstance(first, numpy.ndarray):
            return None
    count, kind = first.size, first.dtype
    fast = _with_loops.get((function, kind.char)) if count >= LOOPS else None
    if fast is None:
        return None
    arguments: list[Any] = []
    for array in inputs:
        if not isinstance(array, (numpy.ndarray, numpy.generic)) or array.dtype != kind:
            return None
        if not array.ndim:
            arguments += (numpy.full(count, array, kind), count)
        elif array.shape == first.shape and array.flags.carray:
            arguments += (array.reshape(-1), count)
        else:
            return None
    run = fast.loop.often()
    if run is None:
        return None
    out = numpy.empty(first.shape, kind)
    run(*arguments, out.reshape(-1), count, 1, count)
    return out


def _misreads(ufunc: Any, inputs: Any, out: Array) -> bool:
    """Whether NumPy's loop would read the wrong elements.

    `numpy.negative` takes the neighbours of the first element for the next ones where elements are 4 (of 32 bits) or 8
    (of 64 bits) apart and the results are apart as well: seen in NumPy 2.4.6 with every instruction set. A new array
    for the result lies close, and is right.
    """
    return ufunc is numpy.negative and not (out.flags.forc and out.strides == inputs[0].strides)


def _step(function: Any, inputs: Any, out: Array) -> None:
    if function.__class__ is numpy.ufunc and not _misreads(function, inputs, out):
        function(*inputs, out=out)
    elif function.__class__ is CompiledFunction:
        function.into(inputs, out)
    else:
        values = function(*inputs)
        if not (converted(values, out) or rowwise.turned(values, out)):
            numpy.copyto(out, values, casting="unsafe")


def pointwise(function: Any, inputs: tuple[Any, ...], out: Array) -> None:
    """``out[...] = function(*inputs)``, element by element, on several threads.

    Args:
        function: a ufunc, or a function of several of them, for which no element depends on another.
        inputs: arrays that broadcast to `out`, and numbers; where they share its memory, at the same addresses.
    """
    if out.size < 2:
        quiet(_step, function, inputs, out)
        return
    function = _with_loops.get((function, out.dtype.char), function)
    if function in _shortcuts:
        function, inputs = _shortcuts[function](inputs, out) or (function, inputs)
    if out.size < LARGE and function.__class__ is numpy.ufunc and _alike(inputs, out):
        quiet(_step, function, inputs, out)
        return
    given, out = _in_order(inputs, out)
    if function.__class__ is CompiledFunction and (run := function.over_rows(given, out)) is not None:
        spread(run, out.size, PIECE)
        return
    axis = _axis_to_cut(out.shape)
    width = out.size // out.shape[axis]
    before = (slice(None),) * axis
    cut = [a if not _varies(a) or a.shape[axis] == 1 else None for a in given]

    def piece(first: int, last: int) -> None:
        where = (*before, slice(first, last))
        parts = [a[where] if kept is None else kept for a, kept in zip(given, cut, strict=True)]
        quiet(_step, function, parts, out[where])

    function = _by_rows(function, given, out)
    one_step = function.__class__ in (numpy.ufunc, CompiledFunction) or function is _converted
    most = 0 if one_step else max(1, _BLOCK // (width * max(4, out.itemsize)))
    if function.__class__ is CompiledFunction and not all(rowwise.in_rows(a) for a in given if _varies(a)):
        most = max(1, 2 * PIECE // width)  # a piece is laid out in rows first: a copy of it
    grain = max(1, PIECE // width)
    spread(piece, out.shape[axis], min(grain, most) if most else grain, most)


_CHOICE = CompiledFunction(loops.choose, numpy.where, kinds="BHIL")


def choose(mask: Array, first: Array, second: Array, out: Array) -> None:
    """Write `first` where the mask says so, `second` elsewhere: elements of one dtype, of up to 64 bits."""
    bits = numpy.dtype(f"u{out.itemsize}")
    pointwise(_CHOICE, (mask, first.view(bits), second.view(bits)), out.view(bits))


def _of_rows(loop: Loop, ufunc: Any, which: int) -> CompiledFunction:
    return CompiledFunction(
        loop, lambda *inputs: ufunc(*inputs[:-1]), extra=(which,), columns=loop.body is _TWO
    )


_TWO = rows_compiled.two_by_row.body
#: What takes long in NumPy where not everything is one row of memory.
_ROWS: dict[Any, CompiledFunction] = {
    ufunc: _of_rows(loop, ufunc, which)
    for loop, known in (
        (rows_compiled.two_by_row, rows_compiled.TWO),
        (rows_compiled.one_by_row, rows_compiled.ONE),
    )
    for which, ufunc in enumerate(known)
}
#: The same where the result takes the place of the first operand.
_ROWS_IN_PLACE: dict[Any, CompiledFunction] = {
    ufunc: _of_rows(rows_compiled.two_by_row, ufunc, which + rows_compiled.IN_PLACE)
    for which, ufunc in enumerate(rows_compiled.TWO)
}


def _by_rows(function: Any, inputs: list[Any], out: Array) -> Any:
    """The loop for arrays of one floating point dtype that are not all one row of memory, or the function itself."""
    if out.ndim != 2 or out.dtype.char not in "fd" or out.shape[1] < ROWS_BY_LOOP or function not in _ROWS:
        return function
    if not all(a.dtype == out.dtype if isinstance(a, numpy.ndarray) else type(a) is float for a in inputs):
        return function
    inside = [rowwise.same_place(a, out) for a in inputs]
    # What does not lie in rows is copied for the loop, the result too: then the operand is another.
    if not any(inside) or not rowwise.in_rows(out):
        return _ROWS[function]
    return _ROWS_IN_PLACE.get(function, function) if inside[0] else function


def _alike(inputs: Any, out: Array) -> bool:
    """Whether all arrays lie row by row and have one shape, so that a ufunc goes through them as through one row."""
    shape = out.shape
    return out.flags.c_contiguous and all(
        a.shape == shape and a.flags.c_contiguous for a in inputs if a.__class__ is numpy.ndarray
    )


def _varies(array: Any) -> bool:
    return isinstance(array, numpy.ndarray) and array.ndim > 0


def _in_order(inputs: tuple[Any, ...], out: Array) -> tuple[list[Any], Array]:
    """Everything with its dimensions in the order of the result's memory: as one row, if it lies so."""
    ndim = out.ndim
    if ndim == 1:
        return list(inputs), out
    same = [
        array[(None,) * (ndim - array.ndim)] if _varies(array) and array.ndim < ndim else array
        for array in inputs
    ]
    if not out.flags.c_contiguous:
        order = sorted(range(ndim), key=lambda d: -abs(out.strides[d]))
        out = out.transpose(order)
        same = [array.transpose(order) if _varies(array) else array for array in same]
    if out.flags.c_contiguous and all(
        array.flags.c_contiguous and array.shape == out.shape for array in same if _varies(array)
    ):
        return [array.reshape(-1) if _varies(array) else array for array in same], out.reshape(-1)
    return same, out


def _axis_to_cut(shape: tuple[int, ...]) -> int:
    """The first dimension that is long enough to be cut, or else the longest."""
    for axis, n in enumerate(shape):
        if n >= CUT_ALONG:
            return axis
    return max(range(len(shape)), key=lambda d: shape[d])


_ROW = 1024


def total(array: Array) -> Any:
    """The sum of all elements of a row-major array: row by row, then of the rows.

    For float32 this takes a third of the time of ``numpy.sum``, and is as exact: einsum adds a row in many lanes,
    and NumPy adds the rows pairwise.
    """
    flat = array.reshape(-1)
    whole = flat.size - flat.size % _ROW
    rows = quiet(numpy.einsum, "ij->i", flat[:whole].reshape(-1, _ROW))
    return quiet(numpy.add, quiet(numpy.add.reduce, rows), quiet(numpy.add.reduce, flat[whole:]))


def zip_into(ufunc: Any, inputs: tuple[Array, ...], out: Array, compute: dtype) -> None:
    """``out[...] = ufunc(*inputs)`` with every input first converted to `compute`, for any strides."""
    kind = float32 if is_half(compute) else compute
    if kind is not compute and apart(out, *inputs) and half_arithmetic(ufunc, inputs, out):
        return
    # 16-bit results must be rounded before they are widened.
    direct = not is_half(compute) or out.dtype.kind == "b"
    if out.size >= LARGE and (direct or out.dtype == compute.numpy) and _by_pieces(ufunc, inputs, out, kind):
        return
    operands = [cast(array, kind) for array in inputs]
    if direct and _writes(ufunc, kind, out.dtype) and not _misreads(ufunc, operands, out):
        quiet(ufunc, *operands, out=out)
    else:
        result = quiet(ufunc, *operands)
        if is_half(compute) and result.dtype == float32.numpy:
            result = cast(result, compute)  # rounded once to 16 bits, also on the way into a wider output
        quiet(numpy.copyto, out, result, casting="unsafe")


def add_scaled(inputs: tuple[Array, ...], alpha: float, out: Array, kind: dtype) -> bool:
    """``out[...] = a + alpha * b`` for many floating point elements of one dtype; False where it is for others."""
    if out.size < LARGE or kind.category != 2 or is_half(kind) or not apart(out, *inputs):
        return False
    if out.dtype != kind.numpy or any(array.dtype != kind.numpy for array in inputs):
        return False
    held = kind.numpy.type(alpha)
    pointwise(
        CompiledFunction(loops.add_scaled, lambda a, b, _: a + b * held, extra=(float(held),)), inputs, out
    )
    return True


def in_its_dtype(function: Any, inputs: tuple[Array, ...], out: Array, kind: dtype) -> None:
    """``out[...] = function(*inputs)`` with every step in `kind` itself, also where that has 16 bits."""
    held = tuple(cast(array, kind) for array in inputs)
    if out.size >= LARGE and out.dtype == kind.numpy and apart(out, *held):
        pointwise(function, held, out)
    else:
        copy(out, quiet(function, *held))


def _by_pieces(ufunc: Any, inputs: tuple[Array, ...], out: Array, kind: dtype) -> bool:
    """`zip_into` for many elements, without a temporary as large as they; False where it needs one."""
    if kind.category < 2 and ufunc.__class__ is not numpy.ufunc:
        return False  # integers may be refused: then nothing must be written
    if not apart(out, *inputs):
        return False
    if any(array.dtype != kind.numpy for array in inputs):
        inputs = tuple(array if array.ndim else cast(array, kind) for array in inputs)
        pointwise(functools.partial(_in_kind, ufunc, kind.numpy), inputs, out)
    else:
        pieces_into(ufunc, inputs, out, kind)
    return True


def pieces_into(function: Any, inputs: Any, out: Array, kind: dtype) -> None:
    """``out[...] = function(*inputs)`` for many elements: all of dtype `kind`, in no memory of the result's."""
    if function.__class__ is numpy.ufunc and not _writes(function, kind, out.dtype):
        function = functools.partial(_in_kind, function, kind.numpy)
    pointwise(function, inputs, out)


def _in_kind(ufunc: Any, kind: Any, *inputs: Array) -> Any:
    parts = [a.real if a.dtype.kind == "c" and kind.kind in "fiu" else a for a in inputs]
    return ufunc(*(_as(part, kind) for part in parts))


@functools.cache
def _writes(ufunc: Any, kind: dtype, held: numpy.dtype[Any]) -> bool:
    """Whether the ufunc's own loop gives just the elements that the output holds, so no temporary is needed."""
    if ufunc.__class__ is not numpy.ufunc:
        return False
    try:
        loop = ufunc.resolve_dtypes((kind.numpy,) * ufunc.nin + (None,) * ufunc.nout)
    except TypeError:
        return False
    return bool(loop[-1] == held) and all(piece == kind.numpy for piece in loop[: ufunc.nin])
