"""Loops that NumPy has no fast form of, compiled by Numba: on a thread of its own, while NumPy still answers.

`Loop` is one such loop. Asked whether it is `ready`, it says no until the machine code is there, which a thread loads
from the disk: from the folder that Numba's own rules choose (``NUMBA_CACHE_DIR``, beside this file, or the user's
cache). What is not there yet, a process of its own compiles (see ``kernels/worker.py``). `Swift` is a pointwise
function of two faces: a loop, and a function of arrays for as long as there is no loop, or for what it does not take.

The variable ``TENSORKIT_COMPILED`` says ``0`` to do without them, ``force`` to wait for each when it is first wanted
(and to treat every tensor as if it were large): so the tests go both ways.

Sources of the constants: the rational approximation of the error function that the Eigen library uses for single
precision, evaluated here in double; the exponential function of single precision of S. L. Moshier's Cephes Mathematical
Library (1984-2000), ``expf``.
"""

from __future__ import annotations

import atexit
import contextlib
import dis
import functools
import importlib
import math
import os
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from types import FunctionType
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from tensorkit.kernels import box_muller

__all__ = [
    "Loop",
    "Swift",
    "across",
    "add_product",
    "add_scaled",
    "as_row",
    "at_once",
    "backwards",
    "choose",
    "clip",
    "column_sums",
    "count",
    "cube",
    "erf",
    "error_function",
    "gather_first",
    "gather_last",
    "in_row_major",
    "in_rows",
    "index_add",
    "longer",
    "loop",
    "mix",
    "nan_to_num",
    "narrower",
    "normal",
    "normal_of_words",
    "paused",
    "power",
    "relu",
    "row_products",
    "row_sums",
    "rowwise",
    "rsqrt",
    "running_product",
    "running_sum",
    "same_place",
    "products_down",
    "scatter_add_first",
    "scatter_add_last",
    "shorter",
    "sigmoid",
    "sign",
    "step",
    "sums_down",
    "triangle",
    "turned",
    "units",
    "wait",
    "wider",
    "within",
]

Array = numpy.ndarray[Any, Any]
_MODE = os.environ.get("TENSORKIT_COMPILED", "1")


# -- the compiler -------------------------------------------------------------------------------------------------


_REST = 3.0  # seconds without work after which the process that compiles is ended


class _Compiler:
    """A thread that sees to one loop after the other: the first that is wanted, first."""

    def __init__(self) -> None:
        self._wanted: SimpleQueue[Loop] = SimpleQueue()
        self._started = False
        self._lock = threading.Lock()
        self._worker: Any = None

    @property
    def worker(self) -> Any:
        """The process, as ``kernels/worker.py`` has it: loaded when there is something to compile, which takes 3 ms."""
        if self._worker is None:
            self._worker = importlib.import_module("tensorkit.kernels.worker").Worker()
        return self._worker

    def forget(self) -> None:
        """The process, if there is one, ends by itself."""
        if self._worker is not None:
            self._worker.forget()

    def send(self, loop: Loop) -> None:
        self._wanted.put(loop)
        with self._lock:
            if not self._started:
                self._started = True
                atexit.register(self.forget)
                threading.Thread(target=self._work, name="tensorkit-compiler", daemon=True).start()

    def _work(self) -> None:
        busy = False
        while True:
            try:
                wanted = self._wanted.get(timeout=_REST if busy else None)
            except Empty:
                self.worker.rest()
                busy = False
            else:
                if not wanted.load() and wanted.storable():
                    busy = True
                    if self.worker.compile(wanted.body.__module__, wanted.body.__name__):
                        wanted.load()


_compiler = _Compiler()
_one_at_a_time = threading.Lock()


def _after_fork() -> None:
    """The thread is gone, and whoever held the lock with it."""
    global _compiler, _one_at_a_time
    _compiler.forget()
    _compiler, _one_at_a_time = _Compiler(), threading.Lock()
    for one in _loops:
        one.asked = _MODE == "0" or one.ready is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

_loops: list[Loop] = []
_OFTEN = 50


class Loop:
    """One loop over arrays, and its machine code once there is some.

    Args:
        body: the loop, in the Python that Numba knows.
        signatures: the types of its arguments, in Numba's words.
        reordered: whether sums may be taken in any order, and so in many lanes.

    Attributes:
        asked: whether the compiler was told.
        ready: the compiled function, or None.
    """

    def __init__(
        self, body: Callable[..., Any], signatures: tuple[str, ...], reordered: bool = False
    ) -> None:
        self.body, self.signatures, self.reordered = body, signatures, reordered
        self.asked = _MODE == "0"
        self.ready: Any = None
        self._patience = _OFTEN
        _loops.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return self.body(*arguments)

    def compiled(self) -> Any:
        """The compiled function; None while there is none, or where Numba is not installed."""
        if self.ready is None and (not self.asked or _MODE == "force"):
            self.asked = True
            if _MODE == "force":
                self.compile()
            else:
                _compiler.send(self)
        return self.ready

    def often(self) -> Any:
        """`compiled` for few elements: the compiler is told only when the loop is wanted again and again."""
        if self.ready is None and not self.asked and _MODE != "force" and self._patience:
            self._patience -= 1
            return None
        return self.compiled()

    def compile(self) -> None:
        """Compile now and here, or load what an earlier process compiled."""
        try:
            import numba
        except ImportError:  # NumPy answers for good
            return
        with _one_at_a_time:
            if self.ready is not None:
                return
            try:
                self.ready = self._made(numba, cache=self._storable(numba))
            except numba.core.errors.NumbaError:  # NumPy answers for good, and the tests see why
                if _MODE == "force":
                    raise

    def load(self) -> bool:
        """Whether the machine code lay in the cache, or nobody can compile it: nothing is compiled here."""
        try:
            import numba
        except ImportError:
            return True
        with _one_at_a_time:
            try:
                if self.ready is None and self._storable(numba):
                    self.ready = self._made(numba, cache=True, pipeline_class=_loader(numba))
            except (_NotInCacheError, OSError):
                return False
        return self.ready is not None

    def store(self) -> bool:
        """Compile it for others: whether it is in the cache now."""
        self.compile()
        return self.ready is not None

    def storable(self) -> bool:
        """Whether there is a folder where the machine code may be kept."""
        import numba

        return self._storable(numba)

    def _storable(self, numba: Any) -> bool:
        try:
            numba.njit(cache=True)(self.body)
        except RuntimeError:  # Numba found no folder that may be written to
            return False
        return True

    def _made(self, numba: Any, **options: Any) -> Any:
        options |= {"nogil": True, "error_model": "numpy"}
        if self.reordered:
            options["fastmath"] = {"reassoc", "nsz"}
        return numba.njit(list(self.signatures), **options)(self._bound(numba))

    def _bound(self, numba: Any) -> Any:
        """The body, in whose eyes the functions that it uses are compiled too."""
        return _bound(self.body, numba)


class _NotInCacheError(Exception):
    """There is no machine code of a loop on the disk."""


@functools.cache
def _loader(numba: Any) -> type:
    """What Numba is to compile with where it must not: it gives up before it has begun."""

    def absent(self: Any, function: Any) -> Any:
        raise _NotInCacheError

    return type("Loader", (numba.core.compiler.CompilerBase,), {"compile_extra": absent})


def _bound(function: Any, numba: Any) -> Any:
    """A function in whose eyes those that it uses are compiled too."""
    read = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    known = {name: function.__globals__.get(name) for name in read}
    used = {name: one for name, one in known.items() if isinstance(one, FunctionType)}
    if not used:
        return function
    inner = {name: _inner(one, numba) for name, one in used.items()}
    return FunctionType(function.__code__, {**function.__globals__, **inner}, function.__name__)


def _inner(function: Any, numba: Any) -> Any:
    """A function as loops use it: a step of the processor's own, or compiled where it is called."""
    step = _STEPS[function](numba) if function in _STEPS else None
    return step or numba.njit(error_model="numpy", inline="always")(_bound(function, numba))


def wait() -> None:
    """Compile everything now, which takes a minute or two: for measurements."""
    if _MODE != "0":
        for one in _loops:
            one.compile()


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Compile each loop when it is asked for, and wait for it: for tests of what the compiled way does."""
    global _MODE
    before = _MODE
    _MODE = "0" if before == "0" else "force"
    try:
        yield
    finally:
        _MODE = before


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Load and compile nothing in the meantime; what is asked for waits: for tests that count blocks of memory."""
    with contextlib.suppress(ImportError):
        importlib.import_module("numba")
    with _one_at_a_time:
        yield


def loop(*signatures: str, reordered: bool = False) -> Callable[[Callable[..., Any]], Loop]:
    """Decorate the body of a `Loop`.

    >>> @loop("i8(i8)")
    ... def double(n):
    ...     return 2 * n
    >>> double(4)
    8
    """
    return lambda body: Loop(body, signatures, reordered)


# -- what loops use -----------------------------------------------------------------------------------------------

_F = numpy.float32
_LOG2E, _LN2_HIGH, _LN2_LOW = _F(1.4426950408889634), _F(0.693359375), _F(-2.12194440e-4)
_LOWEST, _HIGHEST = _F(-104.0), _F(89.0)  # beyond, powers of e are 0 and infinity
_E0, _E1, _E2 = _F(1.9875691500e-4), _F(1.3981999507e-3), _F(8.3334519073e-3)
_E3, _E4, _E5 = _F(4.1665795894e-2), _F(1.6666665459e-1), _F(5.0000001201e-1)
_ONE = _F(1)


def power(x):  # type: ignore[no-untyped-def]
    """e to the power x in single precision, in steps that a processor takes for many numbers at once."""
    x = _LOWEST if x < _LOWEST else x
    x = _HIGHEST if x > _HIGHEST else x
    whole = numpy.rint(x * _LOG2E)
    r = _fused(whole, -_LN2_LOW, _fused(whole, -_LN2_HIGH, x))
    p = _fused(_fused(_fused(_fused(_fused(_E0, r, _E1), r, _E2), r, _E3), r, _E4), r, _E5)
    p = _fused(p, r * r, r) + _ONE
    n = numpy.int32(whole)
    half = n >> numpy.int32(
        1
    )  # in two steps, so that neither overflows, and the smallest numbers come out too
    first = numpy.int32((half + numpy.int32(127)) << numpy.int32(23)).view(numpy.float32)
    second = numpy.int32((n - half + numpy.int32(127)) << numpy.int32(23)).view(numpy.float32)
    return p * first * second


def wider(bits):  # type: ignore[no-untyped-def]
    """A float16 number, given by its bits, in single precision."""
    bits = _I(bits)
    number = numpy.float32(_I((bits & _I(0x7FFF)) << _I(13)).view(numpy.float32) * _SCALE)
    size = number.view(numpy.int32)
    # Infinity and nan: the largest exponent; a nan is made quiet.
    endless = _I(0x7F800000) | _I((bits & _I(0x3FF)) << _I(13))
    endless = endless | (_I(0x400000) if (bits & _I(0x3FF)) != 0 else _I(0))
    size = endless if (bits & _I(0x7C00)) == _I(0x7C00) else size
    return _I(size | _I((bits & _I(0x8000)) << _I(16))).view(numpy.float32)


def narrower(number):  # type: ignore[no-untyped-def]
    """The bits of the float16 number next to one of single precision."""
    bits = numpy.float32(number).view(numpy.int32)
    size = bits & _I(0x7FFFFFFF)
    number = numpy.int32(size).view(numpy.float32)
    # Small ones are rounded by an addition after which the last bit counts steps of 2**-24.
    small = numpy.float32(number + numpy.float32(0.5)).view(numpy.int32) - _I(0x3F000000)
    odd = (size >> _I(13)) & _I(1)
    usual = (size - _I(0x38000000) + _I(0xFFF) + odd) >> _I(13)
    found = small if size < _I(0x38800000) else usual
    found = _I(0x7C00) if size >= _I(0x477FF000) else found
    lost = _I(0x7E00) | ((size >> _I(13)) & _I(0x3FF))
    found = lost if size > _I(0x7F800000) else found
    return numpy.uint16(found | ((bits >> _I(16)) & _I(0x8000)))


def longer(bits):  # type: ignore[no-untyped-def]
    """A bfloat16 number, given by its bits, in single precision."""
    return _I(_I(bits) << _I(16)).view(numpy.float32)


def shorter(number):  # type: ignore[no-untyped-def]
    """The bits of the bfloat16 number next to one of single precision."""
    bits = numpy.float32(number).view(numpy.int32)
    high = _I(bits >> _I(16))
    found = _I(_I(bits + _I(0x7FFF)) + _I(high & _I(1))) >> _I(16)
    lost = _I(high & _I(0x8000)) | _I(0x7FC0)
    return numpy.uint16((lost if number != number else found) & _I(0xFFFF))


def _step_of_the_processor(wide: bool) -> Callable[[Any], Any]:
    """How to make `wider` or `narrower` one step of the processor; where it has none, that gives None."""

    def made(numba: Any) -> Any:
        from llvmlite import binding, ir
        from numba.extending import intrinsic

        if not binding.get_host_cpu_features().get("f16c"):
            return None

        def widening(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

        def narrowing(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(builder.fptrunc(args[0], ir.HalfType()), ir.IntType(16))

        def step(typing: Any, number: Any) -> Any:
            if wide:
                return numba.float32(numba.uint16), widening
            return numba.uint16(numba.float32), narrowing

        return intrinsic(step)

    return made


_I = numpy.int32
_SCALE = _F(2.0**112)  # from the exponents of float16, read as float32's, to what they mean
#: What a processor may have a step of its own for; else the functions are compiled.
_STEPS: dict[Any, Callable[[Any], Any]] = {
    wider: _step_of_the_processor(True),
    narrower: _step_of_the_processor(False),
}


def step(function: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Say what loops are to use in place of a function, made with Numba; where that gives None, they compile it."""

    def known(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _STEPS[function] = make
        return make

    return known


def _logarithm(x):  # type: ignore[no-untyped-def]
    """The logarithm of a positive number, bit for bit as in ``kernels/box_muller.py``."""
    bits = numpy.float32(x).view(numpy.int32)
    mantissa = numpy.int32((bits & numpy.int32(0x7FFFFF)) | numpy.int32(0x3F000000)).view(numpy.float32)
    small = mantissa < _ROOT_HALF
    power = _F((bits >> numpy.int32(23)) - numpy.int32(126) - (numpy.int32(1) if small else numpy.int32(0)))
    x = (mantissa - _ONE) + (mantissa if small else _ZERO)
    square = x * x
    y = _fused(_L0, x, _L1)
    y = _fused(y, x, _L2)
    y = _fused(y, x, _L3)
    y = _fused(y, x, _L4)
    y = _fused(y, x, _L5)
    y = _fused(y, x, _L6)
    y = _fused(y, x, _L7)
    y = _fused(y, x, _L8)
    y = _fused(y * x, square, power * _LN2[1]) - square * _HALF
    return (x + y) + power * _LN2[0]


def _fused(a, b, c):  # type: ignore[no-untyped-def]
    """``a * b + c`` with one rounding."""
    return numpy.float32(numpy.float64(a) * numpy.float64(b) + numpy.float64(c))


@step(_fused)
def _fused_by_the_processor(numba: Any) -> Any:
    """`_fused` as the one step that most processors have for it; None where it would be a call of the C library."""
    from llvmlite import binding
    from numba.extending import intrinsic

    arm = binding.get_process_triple().startswith(("aarch64", "arm64"))
    if not arm and not binding.get_host_cpu_features().get("fma"):
        return None

    def fused(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    def whole(typing: Any, a: Any, b: Any, c: Any) -> Any:
        return numba.float32(numba.float32, numba.float32, numba.float32), fused

    return intrinsic(whole)


_ZERO, _HALF, _ROOT_HALF, _UNIT = _F(0), _F(0.5), _F(math.sqrt(0.5)), _F(2.0**-24)
_LN2, _TURN = box_muller.LN2, _F(2 * math.pi)
_L0, _L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8 = box_muller.LOG
_S0, _S1, _S2 = box_muller.SINE
_C0, _C1, _C2 = box_muller.COSINE
_QUARTER_PI, _QUARTERS = box_muller.QUARTER_PI, _F(4 / math.pi)

# -- element by element -------------------------------------------------------------------------------------------

_FLOATS = ("f4", "f8")


def rowwise(
    inputs: int, kinds: tuple[str, ...] = _FLOATS, extra: str = ""
) -> Callable[[Callable[..., Any]], Loop]:
    """A loop over rows whose elements lie side by side: each array flat, with the step from row to row."""
    return loop(*(f"void({'{0}[::1],i8,' * (inputs + 1)}i8,i8{extra})".format(kind) for kind in kinds))


_NUMBERS = 1 << 14


class Swift:
    """A pointwise function: a compiled loop, or a function of arrays.

    Args:
        loop: of the form of `rowwise`.
        function: of arrays and the `extra` numbers; what answers where the loop cannot.
        kinds: the dtypes of the result that the loop takes.
        extra: numbers that both are given after the arrays.
        columns: whether the loop knows columns, whose numbers are each for a whole row.

    Attributes:
        held: what answers for hundreds of elements, if the function has it as its attribute.
    """

    __slots__ = ("columns", "extra", "function", "held", "kinds", "loop")

    def __init__(
        self,
        loop: Loop,
        function: Any,
        kinds: str = "fd",
        extra: tuple[Any, ...] = (),
        columns: bool = False,
    ) -> None:
        self.loop, self.function, self.kinds, self.extra = loop, function, kinds, extra
        self.columns, self.held = columns, getattr(function, "held", None)

    def __call__(self, *inputs: Any) -> Any:
        return self.function(*inputs, *self.extra)

    def _takes(self, inputs: Any, out: Array) -> bool:
        """Whether the loop was compiled for such arrays: all of one dtype, but for a mask."""
        kind = out.dtype
        return kind.char in self.kinds and all(
            not isinstance(a, numpy.ndarray)
            or a.dtype == kind
            or (self.loop is choose and a.dtype.kind == "b")
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
        if out.ndim == 1 and out.size > _NUMBERS and not own and not all(numpy.ndim(a) for a in inputs):
            # A number is a row that is met again and again: a short one.
            whole = out.size - out.size % _NUMBERS
            if whole < out.size:
                for part in (slice(None, whole), slice(whole, None)):
                    self.into([a[part] if numpy.ndim(a) else a for a in inputs], out[part])
                return
            shape = (out.size // _NUMBERS, _NUMBERS)
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


#: So many elements lie in the fast memory of a processor.
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


#: NumPy is as soon done with fewer elements.
_SOME_ACROSS = 1 if _MODE == "force" else 1 << 14
_WIDTHS = {size: numpy.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def turned(source: Array, out: Array) -> bool:
    """Write a matrix whose columns are dense into one whose rows are, and that lies elsewhere; False for others."""
    if (
        not isinstance(source, numpy.ndarray)
        or source.ndim != 2
        or source.size < _SOME_ACROSS
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


@rowwise(1)
def rsqrt(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    one = out.dtype.type(1)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = one / numpy.sqrt(x[j])


_P = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_Q = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


def error_function(number):  # type: ignore[no-untyped-def]
    """The error function, for single precision."""
    v: Any = numpy.float64(number)
    v = 4.0 if v > 4.0 else v
    v = -4.0 if v < -4.0 else v
    s = v * v
    p = _P[0]
    p = p * s + _P[1]
    p = p * s + _P[2]
    p = p * s + _P[3]
    p = p * s + _P[4]
    p = p * s + _P[5]
    p = p * s + _P[6]
    q = _Q[0]
    q = q * s + _Q[1]
    q = q * s + _Q[2]
    q = q * s + _Q[3]
    q = q * s + _Q[4]
    return numpy.float32(v * p / q)


@rowwise(1, ("f4",))
def erf(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = error_function(x[j])


@rowwise(1)
def sign(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = (v > 0) - (v < 0)


@rowwise(1)
def relu(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    zero = out.dtype.type(0)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = zero if v < zero else v


@rowwise(1)
def cube(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            y[j] = v * v * v


@rowwise(1, extra=",f8,f8")
def clip(a, sa, out, so, rows, columns, low, high):  # type: ignore[no-untyped-def]
    least, most = out.dtype.type(low), out.dtype.type(high)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            v = least if v < least else v
            y[j] = most if v > most else v


@rowwise(2, extra=",f8")
def mix(a, sa, b, sb, out, so, rows, columns, weight):  # type: ignore[no-untyped-def]
    w, rest = out.dtype.type(weight), out.dtype.type(1) - out.dtype.type(weight)
    near = abs(w) < out.dtype.type(0.5)
    for i in range(rows):
        x, y, z = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        if near:
            for j in range(columns):
                z[j] = x[j] + w * (y[j] - x[j])
        else:
            for j in range(columns):
                z[j] = y[j] - (y[j] - x[j]) * rest


@rowwise(3, extra=",f8")
def add_product(a, sa, b, sb, c, sc, out, so, rows, columns, factor):  # type: ignore[no-untyped-def]
    f = out.dtype.type(factor)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns]
        z, w = c[i * sc : i * sc + columns], out[i * so : i * so + columns]
        for j in range(columns):
            w[j] = x[j] + f * y[j] * z[j]


@rowwise(1, extra=",f8,f8,f8")
def nan_to_num(a, sa, out, so, rows, columns, nan, highest, lowest):  # type: ignore[no-untyped-def]
    kind = out.dtype.type
    lost, high, low, above = kind(nan), kind(highest), kind(lowest), kind(numpy.inf)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            v = x[j]
            found = high if v == above else v
            found = low if v == -above else found
            y[j] = lost if v != v else found


@rowwise(2, extra=",f8")
def add_scaled(a, sa, b, sb, out, so, rows, columns, alpha):  # type: ignore[no-untyped-def]
    factor = out.dtype.type(alpha)
    for i in range(rows):
        x, y, z = a[i * sa : i * sa + columns], b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        for j in range(columns):
            z[j] = x[j] + y[j] * factor


@loop(*(f"void(b1[::1],i8,u{n}[::1],i8,u{n}[::1],i8,u{n}[::1],i8,i8,i8)" for n in (1, 2, 4, 8)))
def choose(m, sm, a, sa, b, sb, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        w, x = m[i * sm : i * sm + columns], a[i * sa : i * sa + columns]
        y, z = b[i * sb : i * sb + columns], out[i * so : i * so + columns]
        for j in range(columns):
            one, two = x[j], y[j]
            z[j] = one if w[j] else two


@rowwise(1, ("f4",))
def sigmoid(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = _ONE / (_ONE + power(-x[j]))


# -- along rows ---------------------------------------------------------------------------------------------------


def _units(words, numbers):  # type: ignore[no-untyped-def]
    # Signed, because processors turn signed integers into floating point in one step.
    for k in range(len(numbers)):
        numbers[k] = numpy.float32(numpy.int32(words[k] & numpy.uint32(0xFFFFFF))) * _UNIT


@loop("void(u4[::1],f4[::1])", "void(u8[::1],f4[::1])")
def units(words, numbers):  # type: ignore[no-untyped-def]
    _units(words, numbers)


def _normal(numbers):  # type: ignore[no-untyped-def]
    # Of each 16 numbers the first 8 give radii, the others angles: laid side by side, they are taken many at once.
    us, vs = numpy.empty(1024, numpy.float32), numpy.empty(1024, numpy.float32)
    for first in range(0, len(numbers), 2048):
        many = min(2048, len(numbers) - first) // 2
        for k in range(0, many, 8):
            start = first + 2 * k
            for lane in range(8):
                us[k + lane], vs[k + lane] = numbers[start + lane], numbers[start + 8 + lane]
        for k in range(many):
            radius = numpy.sqrt(numpy.float32(-2) * _logarithm(_ONE - us[k]))
            x = _TURN * vs[k]
            octant = numpy.int32(numpy.int32(numpy.int32(x * _QUARTERS) + numpy.int32(1)) & numpy.int32(-2))
            steps = numpy.float32(octant)
            x = (x - steps * _QUARTER_PI[0]) - steps * _QUARTER_PI[1]
            x = _fused(steps, -_QUARTER_PI[2], x)
            square = x * x
            cosine = _fused(_fused(_C0, square, _C1), square, _C2) * square
            cosine = _fused(cosine, square, square * -_HALF) + _ONE
            sine = _fused(_fused(_S0, square, _S1), square, _S2) * square
            sine = _fused(sine, x, x)
            swapped = (octant & numpy.int32(2)) != 0
            radius = -radius if (octant & numpy.int32(4)) != 0 else radius
            us[k] = radius * (-sine if swapped else cosine)
            vs[k] = radius * (cosine if swapped else sine)
        for k in range(0, many, 8):
            start = first + 2 * k
            for lane in range(8):
                numbers[start + lane], numbers[start + 8 + lane] = us[k + lane], vs[k + lane]


@loop("void(f4[::1])")
def normal(numbers):  # type: ignore[no-untyped-def]
    _normal(numbers)


@loop("void(u8[::1],f4[::1])")
def normal_of_words(words, numbers):  # type: ignore[no-untyped-def]
    count = len(numbers)
    whole = count // 16 * 16
    _units(words, numbers)
    _normal(numbers[:whole])
    if whole < count:
        _units(words[count:], numbers[count - 16 :])
        _normal(numbers[count - 16 :])


@loop("void(f4[::1],i8,i8,f8[::1],b1)", reordered=True)
def row_sums(a, step, columns, out, squared):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        x = a[i * step : i * step + columns]
        total: Any = 0.0
        for j in range(0, columns, 4096):
            part, some = x[j : j + 4096], numpy.float32(0)
            if squared:
                for k in range(part.size):
                    some += part[k] * part[k]
            else:
                for k in range(part.size):
                    some += part[k]
            total += some
        out[i] = total


@loop("void(f4[::1],i8,f4[::1])", "void(f8[::1],i8,f8[::1])")
def row_products(a, columns, out):  # type: ignore[no-untyped-def]
    lanes = 64
    part = numpy.empty(lanes, a.dtype)
    whole = columns - columns % lanes
    for i in range(out.size):
        x = a[i * columns : (i + 1) * columns]
        part[:] = 1
        for j in range(0, whole, lanes):
            some = x[j : j + lanes]
            for k in range(lanes):
                part[k] *= some[k]
        # Half by half, so that what is large meets what is small.
        half = lanes // 2
        while half:
            for k in range(half):
                part[k] *= part[k + half]
            half //= 2
        for j in range(whole, columns):
            part[0] *= x[j]
        out[i] = part[0]


@loop("void(f4[::1],i8,i8,i8,f8[::1])")
def column_sums(a, step, rows, columns, out):  # type: ignore[no-untyped-def]
    part = numpy.empty(columns, numpy.float32)
    out[:] = 0
    for first in range(0, rows, 32):
        part[:] = 0
        last = min(rows, first + 32)
        whole = last - (last - first) % 4
        for i in range(first, whole, 4):  # four rows for each look at the sums so far
            p, q = a[i * step : i * step + columns], a[(i + 1) * step : (i + 1) * step + columns]
            r, s = a[(i + 2) * step : (i + 2) * step + columns], a[(i + 3) * step : (i + 3) * step + columns]
            for j in range(columns):
                part[j] += (p[j] + q[j]) + (r[j] + s[j])
        for i in range(whole, last):
            x = a[i * step : i * step + columns]
            for j in range(columns):
                part[j] += x[j]
        for j in range(columns):
            out[j] += part[j]


# -- scans --------------------------------------------------------------------------------------------------------


@loop("void(f4[:,:],f4[:,:])", "void(f8[:,:],f8[:,:])")
def running_sum(a, out):  # type: ignore[no-untyped-def]
    # Each sum waits for the one before: four rows at a time, so that there is something to do meanwhile.
    rows, columns = a.shape
    whole = rows - rows % 4
    for i in range(0, whole, 4):
        p, q, r, s = 0.0, 0.0, 0.0, 0.0
        for j in range(columns):
            p += a[i, j]
            q += a[i + 1, j]
            r += a[i + 2, j]
            s += a[i + 3, j]
            out[i, j], out[i + 1, j], out[i + 2, j], out[i + 3, j] = p, q, r, s
    for i in range(whole, rows):
        total = 0.0
        for j in range(columns):
            total += a[i, j]
            out[i, j] = total


@loop("void(f4[:,:],f4[:,:])", "void(f8[:,:],f8[:,:])")
def running_product(a, out):  # type: ignore[no-untyped-def]
    rows, columns = a.shape
    whole = rows - rows % 4
    for i in range(0, whole, 4):
        p, q, r, s = 1.0, 1.0, 1.0, 1.0
        for j in range(columns):
            p *= a[i, j]
            q *= a[i + 1, j]
            r *= a[i + 2, j]
            s *= a[i + 3, j]
            out[i, j], out[i + 1, j], out[i + 2, j], out[i + 3, j] = p, q, r, s
    for i in range(whole, rows):
        total = 1.0
        for j in range(columns):
            total *= a[i, j]
            out[i, j] = total


@rowwise(1)
def sums_down(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    so_far = numpy.zeros(columns, numpy.float64)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            so_far[j] += x[j]
            y[j] = so_far[j]


@rowwise(1)
def products_down(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    so_far = numpy.ones(columns, numpy.float64)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            so_far[j] *= x[j]
            y[j] = so_far[j]


@loop(*(f"void({k}[:,:],{k}[:,:],i8,b1)" for k in ("u1", "u2", "u4", "u8")))
def triangle(a, out, diagonal, lower):  # type: ignore[no-untyped-def]
    rows, columns = a.shape
    for i in range(rows):
        edge = min(max(i + diagonal + lower, 0), columns)
        if lower:
            for j in range(edge):
                out[i, j] = a[i, j]
            for j in range(edge, columns):
                out[i, j] = 0
        else:
            for j in range(edge):
                out[i, j] = 0
            for j in range(edge, columns):
                out[i, j] = a[i, j]


@rowwise(1, kinds=("u1", "u2", "u4", "u8"))
def backwards(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    last = numpy.uint64(columns - 1)
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        for j in range(columns):
            y[j] = x[last - numpy.uint64(j)]


@rowwise(1, kinds=("u1", "u2", "u4", "u8"))
def across(a, sa, out, so, rows, columns):  # type: ignore[no-untyped-def]
    # Eight columns of the result, which is what a processor gathers in one step, of so many rows that what was read
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


# -- an index for every element -----------------------------------------------------------------------------------
# `gather` sees by the way whether all are within bounds. What writes trusts its indices: they are looked at before.

_ANY = ("u1", "u2", "u4", "u8")
_ADDED = ("f4", "f8", "i8")


@loop("b1(i8[::1],i8)")
def within(places, many):  # type: ignore[no-untyped-def]
    beyond: Any = 0
    for i in range(places.size):
        beyond += numpy.uint64(places[i]) >= numpy.uint64(many)
    return beyond == 0


@loop(*(f"b1({k}[:,:],i8[:,:],{k}[:,:])" for k in (*_ANY, *_FLOATS)))
def gather_last(a, index, out):  # type: ignore[no-untyped-def]
    many = numpy.uint64(a.shape[1])
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            place = numpy.uint64(index[i, j])
            if place >= many:
                return False
            out[i, j] = a[i, place]
    return True


@loop(*(f"b1({k}[:,:],i8[:,:],{k}[:,:])" for k in (*_ANY, *_FLOATS)))
def gather_first(a, index, out):  # type: ignore[no-untyped-def]
    many = numpy.uint64(a.shape[0])
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            place = numpy.uint64(index[i, j])
            if place >= many:
                return False
            out[i, j] = a[place, j]
    return True


@loop(*(f"void({k}[:,:],i8[:,:],{k}[:,:])" for k in _ADDED))
def scatter_add_last(out, index, values):  # type: ignore[no-untyped-def]
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            out[i, numpy.uint64(index[i, j])] += values[i, j]


@loop(*(f"void({k}[:,:],i8[:,:],{k}[:,:])" for k in _ADDED))
def scatter_add_first(out, index, values):  # type: ignore[no-untyped-def]
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            out[numpy.uint64(index[i, j]), j] += values[i, j]


@loop("void(i8[:],i8[::1])")
def count(places, out):  # type: ignore[no-untyped-def]
    for i in range(len(places)):
        out[numpy.uint64(places[i])] += 1


@loop(*(f"void({k}[::1],i8,i8[::1],{k}[::1],i8,i8,i8)" for k in _ADDED))
def index_add(out, so, index, values, sv, first, last):  # type: ignore[no-untyped-def]
    for i in range(len(index)):
        place = index[i]
        y, x = out[place * so + first : place * so + last], values[i * sv + first : i * sv + last]
        for j in range(last - first):
            y[j] += x[j]
