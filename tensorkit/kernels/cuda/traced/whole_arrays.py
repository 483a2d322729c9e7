"""What a kernel may do with a whole array: hand it to one of Numba's ufuncs with a place for the result, no more."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

from numpy.lib.mixins import NDArrayOperatorsMixin

UFUNCS = frozenset({
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_and", "bitwise_or",
    "bitwise_xor", "conjugate", "cos", "cosh", "deg2rad", "degrees", "divide", "equal", "fmax", "fmin",
    "greater", "greater_equal", "hypot", "invert", "isnan", "left_shift", "less", "less_equal", "log", "log10",
    "log2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "not_equal",
    "rad2deg", "radians", "right_shift", "sin", "sinh", "tan", "tanh",
})  # fmt: skip
"""The ufuncs of NumPy that Numba compiles for a GPU."""


class WholeArray(NDArrayOperatorsMixin):
    """An array in a kernel, as far as it is used as a whole."""

    __slots__ = ()
    __hash__ = object.__hash__
    _name: str

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **named: Any) -> Any:
        """``numpy.sin(x, out)``: element by element, as a loop would do it."""
        out, *more = named.pop("out", None) or (None,)
        fits = method == "__call__" and ufunc.__name__ in UFUNCS and not named and not more
        if out is None or not fits or not isinstance(out, WholeArray):
            raise TypeError(
                f"a kernel cannot compute with all of {self._called()} at once (numpy.{ufunc.__name__}): "
                "write a loop, or let each thread have an element"
            )
        for index in product(*map(range, out.shape)):
            numbers = (_element(one, index) for one in given)
            out[index] = ufunc(*numbers)
        return out

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise TypeError(
            f"numpy.{function.__name__} of {self._called()} is not known to the emulated device: write a loop over "
            "its elements"
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{self._called()}.{name} is not known to the emulated device: write a loop over the elements"
        )

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self._called()} is an array, neither true nor false: ask for its size, or an element"
        )

    def _called(self) -> str:
        return str(object.__getattribute__(self, "_name"))


def _element(given: Any, index: tuple[int, ...]) -> Any:
    """The element that meets one of the result's, an array of fewer dimensions or of size 1 being stretched."""
    if not isinstance(given, WholeArray):
        return given
    shape, array = given.shape, cast("Any", given)
    return array[
        tuple(i if n > 1 else 0 for i, n in zip(index[len(index) - len(shape) :], shape, strict=True))
    ]
