"""Functions that NumPy lacks, compiled by Numba and made NumPy ufuncs: for hundreds of elements, however they lie.

A compiled loop that is called from Python needs two microseconds before it begins, a ufunc a third of one. So these
take over where a `Loop` is worth compiling and a thousand elements are done in less time than its call.

Each body is what NumPy calls: the addresses of the operands and of the result, how many elements, and the bytes from
each to the next. A body tells the compiler explicitly where elements are contiguous and where a number has
stride 0, so that it vectorises the loop.

Source: https://numpy.org/doc/stable/reference/c-api/ufunc.html (PyUFunc_FromFuncAndData)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cpu.loop_steps import power
from tensorkit.kernels.cpu.loops import error_function
from tensorkit.kernels.jit.compiler import Loop, step
from tensorkit.kernels.sizes import UFUNC_LOOPS


class Ufunc(Loop):
    """A NumPy ufunc for some dtypes of single and double precision, or None until it is compiled.

    Args:
        body: of the addresses, the number of elements in an array of one, the steps in bytes, and nothing.
        inputs: how many operands it has.
        kinds: the dtypes that it is compiled for: operands and result have the same.
        masked: whether the first operand is of bools instead.
    """

    def __init__(self, body: Callable[..., Any], inputs: int, kinds: str, masked: bool = False) -> None:
        super().__init__(body, tuple(kinds))
        self.inputs, self.masked = inputs, masked
        self._kept: Any = None

    def of(self, array: Any) -> Any:
        """The ufunc, if there is one and the array is large enough to be worth it; else None."""
        if array.size < UFUNC_LOOPS or array.dtype.char not in self.signatures:
            return None
        return self.ready or self.often()

    def _made(self, numba: Any, **options: Any) -> Any:
        types = numba.types
        counts = types.CPointer(types.intp)
        loops = []
        for kind in self.signatures:
            operands = types.CPointer(types.CPointer(numba.from_dtype(numpy.dtype(kind))))
            signature = types.void(operands, counts, counts, types.voidptr)
            loops.append(numba.cfunc(signature, error_model="numpy", **options)(self._bound(numba)))
        try:
            made, kept = _as_ufunc(self.body.__name__, loops, self.signatures, self.inputs, self.masked)
        except (AttributeError, ValueError):
            return None  # a Python or NumPy without this interface: NumPy's functions answer for good
        self._kept = (loops, kept)  # NumPy holds their addresses alone
        return made


def _as_ufunc(
    name: str, loops: list[Any], kinds: tuple[str, ...], inputs: int, masked: bool
) -> tuple[Any, Any]:
    """A ufunc of compiled loops, and what must live as long as it."""
    interface = numpy._core._multiarray_umath._UFUNC_API  # type: ignore[attr-defined]
    point = ctypes.pythonapi.PyCapsule_GetPointer
    point.restype, point.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(point(interface, None), ctypes.POINTER(ctypes.c_void_p))
    whole, text = ctypes.c_int, ctypes.c_char_p
    addresses = [ctypes.c_void_p, ctypes.c_void_p, text]
    function = ctypes.PYFUNCTYPE(ctypes.py_object, *addresses, *[whole] * 4, text, text, whole)(table[1])
    places = (ctypes.c_void_p * len(loops))(*(loop.address for loop in loops))
    nothing = (ctypes.c_void_p * len(loops))()
    types = [["?"] * masked + [kind] * (inputs + 1 - masked) for kind in kinds]
    numbers = bytes(numpy.dtype(one).num for loop in types for one in loop)
    label = name.encode()
    made = function(
        ctypes.addressof(places), ctypes.addressof(nothing), numbers, len(loops), inputs, 1, -1, label, b"", 0
    )
    return made, (places, nothing, numbers, label)


def _ufunc(inputs: int, kinds: str = "fd", masked: bool = False) -> Callable[[Callable[..., Any]], Ufunc]:
    return lambda body: Ufunc(body, inputs, kinds, masked)


def _width(address):  # type: ignore[no-untyped-def]
    """How many bytes an element takes that lies at an address."""


@step(_width)
def _width_of_type(numba: Any) -> Any:
    @numba.njit(inline="always")
    def width(address):  # type: ignore[no-untyped-def]
        return numba.carray(address, (1,)).itemsize

    return width


def _bytes_at(address):  # type: ignore[no-untyped-def]
    """The same address, as one of bytes."""


@step(_bytes_at)
def _address_of_bytes(numba: Any) -> Any:
    def cast(typing: Any, address: Any) -> Any:
        bytes_there = numba.types.CPointer(numba.types.uint8)

        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.bitcast(values[0], context.get_value_type(bytes_there))

        return bytes_there(address), code

    return numba.extending.intrinsic(cast)


# -- of one operand -----------------------------------------------------------------------------------------------

_ONE, _ENDLESS = numpy.float32(1), numpy.float32(numpy.inf)


@_ufunc(1, "f")
def sigmoid(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, y, n = at[0], at[1], count[0]
    s, t = steps[0] // _width(x), steps[1] // _width(y)
    if s == t == 1:
        for i in range(n):
            y[i] = _ONE / (_ONE + power(-x[i]))
    else:
        for i in range(n):
            y[i * t] = _ONE / (_ONE + power(-x[i * s]))


@_ufunc(1, "f")
def erf(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, y, n = at[0], at[1], count[0]
    s, t = steps[0] // _width(x), steps[1] // _width(y)
    if s == t == 1:
        for i in range(n):
            y[i] = error_function(x[i])
    else:
        for i in range(n):
            y[i * t] = error_function(x[i * s])


@_ufunc(1)
def rsqrt(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, y, n = at[0], at[1], count[0]
    s, t = steps[0] // _width(x), steps[1] // _width(y)
    if s == t == 1:
        for i in range(n):
            y[i] = _ONE / numpy.sqrt(x[i])
    else:
        for i in range(n):
            y[i * t] = _ONE / numpy.sqrt(x[i * s])


@_ufunc(1)
def sign(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, y, n = at[0], at[1], count[0]
    s, t = steps[0] // _width(x), steps[1] // _width(y)
    if s == t == 1:
        for i in range(n):
            y[i] = (x[i] > 0) - (x[i] < 0)
    else:
        for i in range(n):
            y[i * t] = (x[i * s] > 0) - (x[i * s] < 0)


@_ufunc(1)
def relu(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, y, n = at[0], at[1], count[0]
    s, t = steps[0] // _width(x), steps[1] // _width(y)
    if s == t == 1:
        for i in range(n):
            y[i] = 0 if x[i] < 0 else x[i]
    else:
        for i in range(n):
            y[i * t] = 0 if x[i * s] < 0 else x[i * s]


# -- of several ---------------------------------------------------------------------------------------------------


@_ufunc(3, "fdl", masked=True)
def choose(at, count, steps, _):  # type: ignore[no-untyped-def]
    m, a, b, y, n = _bytes_at(at[0]), at[1], at[2], at[3], count[0]
    w, sm = _width(y), steps[0]
    sa, sb, t = steps[1] // w, steps[2] // w, steps[3] // w
    if sm == sa == sb == t == 1:
        for i in range(n):
            y[i] = a[i] if m[i] else b[i]
    else:
        for i in range(n):
            y[i * t] = a[i * sa] if m[i * sm] else b[i * sb]


@_ufunc(3)
def clip(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, low, high, y, n = at[0], at[1], at[2], at[3], count[0]
    w = _width(x)
    s, sl, sh, t = steps[0] // w, steps[1] // w, steps[2] // w, steps[3] // w
    if s == t == 1 and sl == sh == 0:
        least, most = low[0], high[0]
        for i in range(n):
            v = x[i]
            v = least if v < least else v
            y[i] = most if v > most else v
    else:
        for i in range(n):
            v = x[i * s]
            v = low[i * sl] if v < low[i * sl] else v
            y[i * t] = high[i * sh] if v > high[i * sh] else v


@_ufunc(4)
def nan_to_num(at, count, steps, _):  # type: ignore[no-untyped-def]
    x, nan, high, low, y, n = at[0], at[1], at[2], at[3], at[4], count[0]
    w = _width(x)
    s, sn, sh, sl, t = steps[0] // w, steps[1] // w, steps[2] // w, steps[3] // w, steps[4] // w
    if s == t == 1 and sn == sh == sl == 0:
        none, most, least = nan[0], high[0], low[0]
        for i in range(n):
            v = x[i]
            v = most if v == _ENDLESS else v
            v = least if v == -_ENDLESS else v
            y[i] = none if x[i] != x[i] else v
    else:
        for i in range(n):
            v = x[i * s]
            v = high[i * sh] if v == _ENDLESS else v
            v = low[i * sl] if v == -_ENDLESS else v
            y[i * t] = nan[i * sn] if x[i * s] != x[i * s] else v


@_ufunc(3)
def add_scaled(at, count, steps, _):  # type: ignore[no-untyped-def]
    a, b, factor, y, n = at[0], at[1], at[2], at[3], count[0]
    w = _width(a)
    sa, sb, sf, t = steps[0] // w, steps[1] // w, steps[2] // w, steps[3] // w
    if sa == sb == t == 1 and sf == 0:
        f = factor[0]
        for i in range(n):
            y[i] = a[i] + b[i] * f
    else:
        for i in range(n):
            y[i * t] = a[i * sa] + b[i * sb] * factor[i * sf]


@_ufunc(3)
def mix(at, count, steps, _):  # type: ignore[no-untyped-def]
    a, b, weight, y, n = at[0], at[1], at[2], at[3], count[0]
    w = _width(a)
    sa, sb, sw, t = steps[0] // w, steps[1] // w, steps[2] // w, steps[3] // w
    if sa == sb == t == 1 and sw == 0:
        share = weight[0]
        if abs(share) < 0.5:
            for i in range(n):
                y[i] = a[i] + share * (b[i] - a[i])
        else:
            rest = _ONE - share
            for i in range(n):
                y[i] = b[i] - (b[i] - a[i]) * rest
    else:
        for i in range(n):
            share, u, v = weight[i * sw], a[i * sa], b[i * sb]
            y[i * t] = u + share * (v - u) if abs(share) < 0.5 else v - (v - u) * (_ONE - share)


@_ufunc(4)
def add_product(at, count, steps, _):  # type: ignore[no-untyped-def]
    a, b, c, factor, y, n = at[0], at[1], at[2], at[3], at[4], count[0]
    w = _width(a)
    sa, sb, sc, sf, t = steps[0] // w, steps[1] // w, steps[2] // w, steps[3] // w, steps[4] // w
    if sa == sb == sc == t == 1 and sf == 0:
        f = factor[0]
        for i in range(n):
            y[i] = a[i] + f * b[i] * c[i]
    else:
        for i in range(n):
            y[i * t] = a[i * sa] + factor[i * sf] * b[i * sb] * c[i * sc]
