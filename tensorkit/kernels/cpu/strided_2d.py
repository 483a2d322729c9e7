"""Functions of matrices whose rows lie apart, compiled: for hundreds of elements, see ``kernels.jit.compiler``.

Where not everything is one row of memory, NumPy begins again for each row, which takes it longer than a short row
itself; to copy the operands into one row first takes as long again for each of them. These loops go through matrices of
any strides as they lie, broadcast too, and are called with nothing but the arrays: that takes a fifth of a microsecond.

A `Plane` is made from a function of one element; `APART` has those that do what functions of NumPy's do.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import Loop, step

Array = numpy.ndarray[Any, Any]


# -- what loops use -----------------------------------------------------------------------------------------------


def first(array):  # type: ignore[no-untyped-def]
    """The address of an array's first element; a bool is a byte there."""


@step(first)
def _first_of_array(numba: Any) -> Any:
    def first(typing: Any, array: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return context.make_array(signature.args[0])(context, builder, values[0]).data

        kind = numba.types.uint8 if array.dtype == numba.types.boolean else array.dtype
        return numba.types.CPointer(kind)(array), code

    return numba.extending.intrinsic(first)


def ahead(address, count):  # type: ignore[no-untyped-def]
    """The address that many elements further on."""


@step(ahead)
def _address_ahead(numba: Any) -> Any:
    def ahead(typing: Any, address: Any, count: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.gep(values[0], [values[1]])

        return address(address, numba.types.intp), code

    return numba.extending.intrinsic(ahead)


def stride(a, axis):  # type: ignore[no-untyped-def]
    """How many elements lie between neighbours along a dimension; none where one stands for all."""
    return 0 if a.shape[axis] == 1 else a.strides[axis] // a.itemsize


def _element(*values: Any) -> Any:
    """Stands for the function of a loop."""
    raise NotImplementedError


# -- the loops ----------------------------------------------------------------------------------------------------
# Each twice: that the elements of a row lie side by side is said explicitly, and the compiler takes many at once.


def _of_one(a, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    if a1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j])
            x, z = ahead(x, a0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1])
            x, z = ahead(x, a0), ahead(z, t)


def _of_two(a, b, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    y, b0, b1 = first(b), stride(b, 0), stride(b, 1)
    if a1 == b1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j], y[j])
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)
    elif a1 == 0 and b1 == u == 1:
        for _ in range(rows):
            v = x[0]
            for j in range(columns):
                z[j] = _element(v, y[j])
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)
    elif b1 == 0 and a1 == u == 1:
        for _ in range(rows):
            v = y[0]
            for j in range(columns):
                z[j] = _element(x[j], v)
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1], y[j * b1])
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)


def _of_three(a, b, c, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    y, b0, b1 = first(b), stride(b, 0), stride(b, 1)
    w, c0, c1 = first(c), stride(c, 0), stride(c, 1)
    if a1 == b1 == c1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j], y[j], w[j])
            x, y, w, z = ahead(x, a0), ahead(y, b0), ahead(w, c0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1], y[j * b1], w[j * c1])
            x, y, w, z = ahead(x, a0), ahead(y, b0), ahead(w, c0), ahead(z, t)


def _of_one_and_numbers(a, numbers, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    given = (numbers[0], numbers[1], numbers[2])
    if a1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j], given)
            x, z = ahead(x, a0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1], given)
            x, z = ahead(x, a0), ahead(z, t)


def _of_two_and_numbers(a, b, numbers, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    y, b0, b1 = first(b), stride(b, 0), stride(b, 1)
    given = (numbers[0], numbers[1], numbers[2])
    if a1 == b1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j], y[j], given)
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1], y[j * b1], given)
            x, y, z = ahead(x, a0), ahead(y, b0), ahead(z, t)


def _of_three_and_numbers(a, b, c, numbers, out):  # type: ignore[no-untyped-def]
    rows, columns, z, t, u = out.shape[0], out.shape[1], first(out), stride(out, 0), stride(out, 1)
    x, a0, a1 = first(a), stride(a, 0), stride(a, 1)
    y, b0, b1 = first(b), stride(b, 0), stride(b, 1)
    w, c0, c1 = first(c), stride(c, 0), stride(c, 1)
    given = (numbers[0], numbers[1], numbers[2])
    if a1 == b1 == c1 == u == 1:
        for _ in range(rows):
            for j in range(columns):
                z[j] = _element(x[j], y[j], w[j], given)
            x, y, w, z = ahead(x, a0), ahead(y, b0), ahead(w, c0), ahead(z, t)
    else:
        for _ in range(rows):
            for j in range(columns):
                z[j * u] = _element(x[j * a1], y[j * b1], w[j * c1], given)
            x, y, w, z = ahead(x, a0), ahead(y, b0), ahead(w, c0), ahead(z, t)


_BODIES = {
    (1, False): _of_one,
    (2, False): _of_two,
    (3, False): _of_three,
    (1, True): _of_one_and_numbers,
    (2, True): _of_two_and_numbers,
    (3, True): _of_three_and_numbers,
}


# -- the mechanism ------------------------------------------------------------------------------------------------


class Plane(Loop):
    """A compiled loop over matrices of one dtype, made from a function of one element.

    Args:
        element: of an element of each matrix, and of the numbers if the last parameter is called so.
        kinds: the dtypes that it is compiled for, by their characters.
        result: the dtype of the result where it is another.
        masked: whether the first matrix is of bools instead.
    """

    def __init__(
        self, element: Callable[..., Any], kinds: str, result: str = "", masked: bool = False
    ) -> None:
        names = element.__code__.co_varnames[: element.__code__.co_argcount]
        self.numbered, self.masked, self.result = names[-1] == "numbers", masked, result
        self.inputs = len(names) - self.numbered
        body = _BODIES[self.inputs, self.numbered]
        # To Numba's cache it is a function of the element's name, in the element's place: each has its own entry.
        code = body.__code__.replace(
            co_filename=element.__code__.co_filename,
            co_firstlineno=element.__code__.co_firstlineno,
            co_name=element.__name__,
            co_qualname=element.__qualname__,
        )
        function = FunctionType(code, {**element.__globals__, "_element": element}, element.__name__)
        super().__init__(function, tuple(kinds))

    def _made(self, numba: Any, **options: Any) -> Any:
        def of(kind: str) -> Any:
            return numba.from_dtype(numpy.dtype(kind))

        types = []
        for kind in self.signatures:
            operands = [of("?" if self.masked and not place else kind)[:, :] for place in range(self.inputs)]
            numbers = [of(kind)[::1]] * self.numbered
            types.append(numba.void(*operands, *numbers, of(self.result or kind)[:, :]))
        return numba.njit(types, error_model="numpy", **options)(self._bound(numba))

    def into(self, out: Array, *operands: Any) -> bool:
        """Whether the result was written, into an operand or memory that none of them has.

        Args:
            out: a matrix.
            operands: matrices that broadcast to it, of one dtype that the loop is compiled for; and the numbers.
        """
        run = self.ready or self.often()
        if run is None:
            return False
        try:
            run(*operands, out)
        except TypeError:  # memory that is only read: to Numba that is another type
            return False
        return True

    def held(self, *numbers: float) -> dict[str, Array]:
        """Up to three numbers as `into` is given them, by the characters of the dtypes."""
        return {kind: numpy.array((*numbers, 0, 0)[:3], kind) for kind in self.signatures}


def plane(kinds: str = "fd", result: str = "", masked: bool = False) -> Callable[[Callable[..., Any]], Plane]:
    """Decorate a function of one element.

    >>> @plane()
    ... def twice(x):
    ...     return x + x
    >>> twice.inputs
    1
    """
    return lambda element: Plane(element, kinds, result, masked)


# -- functions ----------------------------------------------------------------------------------------------------

_ONE, _ENDLESS = numpy.float32(1), numpy.float32(numpy.inf)


@plane("fdl")
def _added(x, y):  # type: ignore[no-untyped-def]
    return x + y


@plane("fdl")
def _subtracted(x, y):  # type: ignore[no-untyped-def]
    return x - y


@plane("fdl")
def _multiplied(x, y):  # type: ignore[no-untyped-def]
    return x * y


@plane()
def _divided(x, y):  # type: ignore[no-untyped-def]
    return x / y


@plane()
def _larger(x, y):  # type: ignore[no-untyped-def]
    return x if x >= y or x != x else y


@plane()
def _smaller(x, y):  # type: ignore[no-untyped-def]
    return x if x <= y or x != x else y


@plane("fdl", "?")
def _is_less(x, y):  # type: ignore[no-untyped-def]
    return x < y


@plane("fdl", "?")
def _is_greater(x, y):  # type: ignore[no-untyped-def]
    return x > y


@plane("fdl", "?")
def _is_equal(x, y):  # type: ignore[no-untyped-def]
    return x == y


@plane()
def _negative(x):  # type: ignore[no-untyped-def]
    return -x


@plane()
def _size(x):  # type: ignore[no-untyped-def]
    return abs(x)


@plane()
def _floor(x):  # type: ignore[no-untyped-def]
    return numpy.floor(x)


@plane()
def _ceil(x):  # type: ignore[no-untyped-def]
    return numpy.ceil(x)


@plane()
def _whole(x):  # type: ignore[no-untyped-def]
    return numpy.trunc(x)


@plane()
def _rounded(x):  # type: ignore[no-untyped-def]
    return numpy.rint(x)


@plane()
def _root(x):  # type: ignore[no-untyped-def]
    return numpy.sqrt(x)


@plane()
def _square(x):  # type: ignore[no-untyped-def]
    return x * x


@plane("fd", "?")
def _is_nan(x):  # type: ignore[no-untyped-def]
    return x != x


@plane()
def relu(x):  # type: ignore[no-untyped-def]
    return 0 if x < 0 else x


@plane()
def sign(x):  # type: ignore[no-untyped-def]
    return (x > 0) - (x < 0)


@plane()
def rsqrt(x):  # type: ignore[no-untyped-def]
    return _ONE / numpy.sqrt(x)


@plane()
def clip(x, numbers):  # type: ignore[no-untyped-def]
    v = numbers[0] if x < numbers[0] else x
    return numbers[1] if v > numbers[1] else v


@plane()
def add_scaled(x, y, numbers):  # type: ignore[no-untyped-def]
    return x + y * numbers[0]


@plane()
def mix(x, y, numbers):  # type: ignore[no-untyped-def]
    # The weight, or what is left of it where that is nearer to 0; then 0, or 1 to say so.
    return y - (y - x) * numbers[0] if numbers[1] else x + numbers[0] * (y - x)


@plane()
def add_product(x, y, w, numbers):  # type: ignore[no-untyped-def]
    return x + numbers[0] * y * w


@plane()
def nan_to_num(x, numbers):  # type: ignore[no-untyped-def]
    v = numbers[1] if x == _ENDLESS else x
    v = numbers[2] if v == -_ENDLESS else v
    return numbers[0] if x != x else v


@plane("fdl", masked=True)
def choose(x, y, w):  # type: ignore[no-untyped-def]
    return y if x else w


#: Those that do what functions of NumPy's do.
APART: dict[Any, Plane] = {
    numpy.add: _added,
    numpy.subtract: _subtracted,
    numpy.multiply: _multiplied,
    numpy.divide: _divided,
    numpy.maximum: _larger,
    numpy.minimum: _smaller,
    numpy.less: _is_less,
    numpy.greater: _is_greater,
    numpy.equal: _is_equal,
    numpy.negative: _negative,
    numpy.absolute: _size,
    numpy.floor: _floor,
    numpy.ceil: _ceil,
    numpy.trunc: _whole,
    numpy.rint: _rounded,
    numpy.sqrt: _root,
    numpy.square: _square,
    numpy.isnan: _is_nan,
}
