"""`pow`, element by element.

Source: https://docs.pytorch.org/docs/stable/generated/torch.pow.html
"""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import loops, strided_2d
from tensorkit.kernels.cpu.pow import complex_power, half_power
from tensorkit.kernels.jit import rowwise
from tensorkit.kernels.scalars.arithmetic import POWER, POWER_BY_NUMBER
from tensorkit.kernels.sizes import ROUNDED_ONCE
from tensorkit.number_range import check_number
from tensorkit.ops.pointwise.arithmetic import BOOL, conjugated, integers
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.tensor import Array, Number, Tensor


def _cube(base: Any) -> Any:
    result = numpy.multiply(base, base)
    return numpy.multiply(result, base)


_HALVES = (dtypes.float16.numpy, dtypes.bfloat16.numpy)


def _known_power(base: Any, exponent: Any) -> bool:
    """Whether PyTorch copies the base or writes ones: the exponent is the number 0 or 1, or the base is 1."""
    if isinstance(base, Tensor):
        return not isinstance(exponent, Tensor) and exponent in (0, 1)
    return base is not True and base == 1


def _power(base: Array, exponent: Array) -> Any:
    if base.dtype.kind == "b":
        return base | ~exponent
    if base.dtype.kind == "c":
        return complex_power(base, exponent)
    if base.dtype in _HALVES:
        return half_power(base, exponent)
    if exponent.ndim == 0 and exponent in (2, 3):
        return numpy.square(base) if exponent == 2 else _cube(base)
    if not integers(base):
        if exponent.ndim == 0 and exponent == -0.5:
            return numpy.divide(1, numpy.sqrt(base), dtype=base.dtype)  # of -0.0 and -inf it is not the power
        few = base.dtype.char == "f" and max(base.size, exponent.size) <= ROUNDED_ONCE
        return numpy.power(base, exponent, dtype="d").astype("f") if few else numpy.power(base, exponent)
    negative = exponent < 0
    if not negative.any():
        return numpy.power(base, exponent)
    # C has no fractions of integers: only 1 and -1 have integer reciprocals, all else becomes 0.
    whole = numpy.power(base, numpy.where(negative, 0, exponent).astype(base.dtype))
    odd = numpy.where(exponent % 2 == 0, 1, -1)
    reciprocal = numpy.where(base == 1, 1, numpy.where(base == -1, odd, 0))
    return numpy.where(negative, reciprocal, whole).astype(base.dtype)


def _check_power(*operands: Any) -> None:
    base, exponent = operands
    whole = isinstance(base, Tensor) and base._dtype.category < 2
    if whole and isinstance(exponent, int) and exponent < 0 and result_dtype(*operands).category < 2:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if isinstance(base, Tensor) and isinstance(exponent, (int, float)):
        kind = result_dtype(*operands)
        if kind is not dtypes.float32:  # whose exponent PyTorch keeps as a double
            check_number(exponent, kind, narrow=True)


_NUMBERS = (bool, int, float, complex)


def _pow_name(arguments: dict[str, Any]) -> str:
    if not isinstance(arguments["exponent"], Tensor):
        return "PowBackward0"
    return "PowBackward1" if isinstance(arguments["input"], Tensor) else "PowBackward2"


def _pow_base(g: Any, c: Any) -> Any:
    base, exponent = c.input, c.exponent
    if not isinstance(exponent, Tensor):
        if exponent == 0:
            return base.new_zeros(g.size())
        return g * conjugated(times(base.pow(exponent - 1), exponent))
    _ = (
        c.out
    )  # PyTorch keeps the power for the exponent's sake, and asks whether it is unwritten for the base's too
    steep = g * conjugated(exponent * base.pow(exponent - 1))
    return where(exponent.eq(0), 0, steep)


def _log(number: Any, out: Any) -> Any:
    """The logarithm of a number that is not 0, as a factor of the power that it was raised to."""
    if isinstance(number, complex) or out.is_complex():
        return cmath.log(number)
    return math.log(number) if number > 0 else math.nan


def _pow_exponent(g: Any, c: Any) -> Any:
    base = c.input
    if not isinstance(base, Tensor):
        if base != 0:
            return g * conjugated(times(c.out, _log(base, c.out)))
        base = c.exponent.new_full((), base)
    real = c.exponent.real if c.exponent.is_complex() else c.exponent
    flat = base.eq(0) * real.ge(0)
    if c.exponent.is_complex():
        flat = flat * c.exponent.imag.eq(0)
    return g * where(flat, 0, conjugated(c.out * base.to(c.out.dtype).log()))


_CUBE = rowwise.CompiledFunction(loops.cube, _cube)


def _as_product(inputs: Any, out: Array) -> Any:
    base, exponent = inputs
    if numpy.ndim(exponent) or exponent not in (2, 3) or out.dtype.kind == "c" or out.dtype in _HALVES:
        return None
    return (numpy.square if exponent == 2 else _CUBE), (base,)


kernels.shortcut(_power, _as_product)


_power.apart = {2: strided_2d.APART[numpy.square]}.get  # type: ignore[attr-defined]


@binary(
    _power,
    POWER,
    by_number=POWER_BY_NUMBER,
    kernel="pow",
    lacks=(*LIMITED, BOOL),
    spared=_known_power,
    check=_check_power,
    overloaded=True,
    numbers_apart=True,
    exact_half=True,
    operators=("__pow__", "__rpow__", "__ipow__"),
    derivative=Rule(
        _pow_name,
        unread=lambda given: frozenset(("out",) if isinstance(given.get("exponent"), _NUMBERS) else ()),
        input=_pow_base,
        exponent=_pow_exponent,
    ),
    rounded=1,
    mixed=True,
)
def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power, element by element.

    Raises:
        RuntimeError: for integers with a negative integer exponent.

    >>> 2 ** tk.arange(4)
    tensor([1, 2, 4, 8])
    """
    return input**exponent
