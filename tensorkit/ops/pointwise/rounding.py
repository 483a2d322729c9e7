"""Whole numbers and what is left of them: rounding up, down, to the nearest and towards zero."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import builtins
from dataclasses import replace
from functools import partial
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import empty_strided, prepare_out
from tensorkit.elementwise.run import run_zip
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise, elementwise_compiled, strided_2d
from tensorkit.kernels.scalars import elementary as scalars
from tensorkit.ops.shared.int_args import counted
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.tensor import Array, Tensor

_BOOL = (dtypes.bool,)
_COMPLEX = (dtypes.complex64, dtypes.complex128)
_INTEGERS = tuple(kind for kind in dtypes.ALL if kind.category < 2)


def _zeros(g: Any, c: Any) -> Any:
    """A step changes nowhere but where it jumps."""
    return g.new_zeros(g.size())


def _no_complex(name: str) -> Any:
    def check(input: Tensor) -> None:
        if input._dtype.is_complex:
            raise NotImplementedError(f"{name} is not supported for complex inputs")

    return check


def _step(name: str, ufunc: Any, scalar: Any) -> Pointwise:
    """A rounding of numbers with a point; integers are copied."""

    def rounded(a: Array) -> Array:
        return a.copy() if a.dtype.kind in "iu" else ufunc(a)

    rounded.real = ufunc  # type: ignore[attr-defined]
    strided_2d.APART[rounded] = strided_2d.APART[ufunc]
    elementwise.shortcut(rounded, lambda inputs, out: (ufunc, inputs) if out.dtype.kind == "f" else None)
    return Pointwise(
        name, rounded, scalar, kernel=f"{name}_vml_cpu", lacks=_BOOL, check=_no_complex(name), exact_out=True
    )


@unary(_step("ceil", numpy.ceil, scalars.CEIL), derivative=Rule("CeilBackward0", input=_zeros))
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest whole number that is not below, of every element.

    >>> tk.ceil(tk.tensor([-1.5, 1.5]))
    tensor([-1.,  2.])
    """
    return numpy.ceil(input)


@unary(_step("floor", numpy.floor, scalars.FLOOR), derivative=Rule("FloorBackward0", input=_zeros))
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest whole number that is not above, of every element.

    >>> tk.floor(tk.tensor([-1.5, 1.5]))
    tensor([-2.,  1.])
    """
    return numpy.floor(input)


@unary(
    _step("trunc", numpy.trunc, scalars.TRUNC),
    aliases=("fix",),
    derivative=Rule("TruncBackward0", input=_zeros),
)
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every element without its fraction: rounded towards zero.

    >>> tk.trunc(tk.tensor([-1.5, 1.5]))
    tensor([-1.,  1.])
    """
    return numpy.trunc(input)


@elementwise.looped(f=elementwise_compiled.fraction, d=elementwise_compiled.fraction)
def _frac(a: Array) -> Array:
    return numpy.subtract(a, numpy.trunc(a))


@unary(
    _frac,
    scalars.FRAC,
    kernel="frac_cpu",
    lacks=(*_INTEGERS, *_COMPLEX),
    exact_out=True,
    derivative=Rule("FracBackward0", input=lambda g, c: g),
)
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The fraction of every element, with its sign: ``input - trunc(input)``.

    >>> tk.frac(tk.tensor([-1.5, 1.25]))
    tensor([-0.5000,  0.2500])
    """
    return input - numpy.trunc(input)


# -- to the nearest -----------------------------------------------------------------------------------------------


def _to_even(a: Array) -> Array:
    return a.copy() if a.dtype.kind in "iu" else numpy.rint(a)


_to_even.real = numpy.rint  # type: ignore[attr-defined]
strided_2d.APART[_to_even] = strided_2d.APART[numpy.rint]
elementwise.shortcut(_to_even, lambda inputs, out: (numpy.rint, inputs) if out.dtype.kind == "f" else None)


def _to_decimals(a: Array, decimals: int) -> Array:
    scale = a.dtype.type(
        numpy.power(10.0, float(builtins.abs(decimals)))
    )  # infinite where Python would refuse
    if decimals < 0:
        return numpy.rint(a / scale) * scale
    return numpy.rint(a * scale) / scale


nearest = Pointwise(
    "round", _to_even, scalars.ROUND, kernel="round_vml_cpu", lacks=(*_BOOL, *_COMPLEX), exact_out=True
)
_whole = replace(nearest, lacks=(*_INTEGERS, *_COMPLEX))
_decimal = replace(_whole, kernel="round_cpu")


def _to(decimals: int) -> Pointwise:
    return replace(
        _decimal,
        numpy=partial(_to_decimals, decimals=decimals),
        scalar=scalars.ROUND_TO if decimals > 0 else scalars.ROUND_DOWN_TO,
        numbers=(float(elementwise.quiet(numpy.power, 10.0, float(builtins.abs(decimals)))),),
    )


def _round_name(arguments: dict[str, Any]) -> str:
    return "RoundBackward0" if arguments["decimals"] is UNSAID else "RoundBackward1"


@op(kind="pointwise", inplace=True, derivative=Rule(_round_name, input=_zeros), out_overlap="before resizing")
@takes("(Tensor input, *, Tensor out = None)", "(Tensor input, *, int decimals, Tensor out = None)")
def round(input: Tensor, *, decimals: int = UNSAID, out: Tensor | None = None) -> Tensor:
    """Round to the nearest number with `decimals` decimals; of two that are equally near, to the even one.

    Args:
        decimals: how many digits after the point are kept; negative for zeros before it.

    Raises:
        NotImplementedError: for bool and complex tensors, and for integers with decimals.

    >>> tk.round(tk.tensor([0.5, 1.5, 2.5])), tk.round(tk.tensor([0.1234]), decimals=2)
    (tensor([0., 2., 2.]), tensor([0.1200]))
    """
    if not isinstance(input, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    block = nearest
    if decimals is UNSAID and out is None and (quick := nearest.shortcuts.new(input)) is not None:
        return quick
    if decimals is not UNSAID:
        decimals = counted(decimals)
        if not isinstance(decimals, int) or isinstance(decimals, bool):
            raise TypeError  # the caller says it in PyTorch's words
        block = _to(decimals) if decimals else _whole
    return apply(block, (input,), out=out)


# -- fraction and exponent ----------------------------------------------------------------------------------------


def _check_frexp(input: Tensor, out: Any) -> None:
    if not (out is None or isinstance(out, (tuple, list))):
        raise TypeError(f"frexp(): argument 'out' must be tuple of Tensors, not {type_name(out)}")
    if out is not None and len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    if not input._dtype.is_floating_point:
        raise RuntimeError("tensorkit.frexp() only supports floating-point dtypes")
    if out is None:
        return
    mantissa, exponent = out
    said = [cpp_name(kind) for kind in (input._dtype, mantissa._dtype, exponent._dtype)]
    if mantissa._dtype is not input._dtype:
        raise RuntimeError(f"tensorkit.frexp() expects mantissa to have dtype {said[0]} but got {said[1]}")
    if exponent._dtype is not dtypes.int32:
        raise RuntimeError(f"tensorkit.frexp() expects exponent to have int dtype but got {said[2]}")


def _frexp_back(g: Any, c: Any) -> Any:
    return None if g[0] is None else g[0] / c.indices.detach().exp2()


def _parts(input: Tensor) -> tuple[Array, Array]:
    """The fractions and the exponents; nan and infinities have exponent 0."""
    kind = dtypes.float32 if elementwise.is_half(input._dtype) else input._dtype
    mantissa, exponent = elementwise.quiet(numpy.frexp, elementwise.cast(input._nd(), kind))
    return mantissa, numpy.where(numpy.isfinite(mantissa), exponent, 0)


@op(kind="reduce", derivative=Rule("FrexpBackward0", input=_frexp_back), out_overlap="before resizing")
@takes("(Tensor input, *, tuple of Tensors out = None)")
def frexp(input: Tensor, *, out: Any = None) -> Any:
    """Every element as ``mantissa * 2 ** exponent``, with the mantissa from 0.5 on and below 1.

    Returns:
        ``return_types.frexp``: the mantissas in the dtype of `input`, the exponents as int32.

    Raises:
        RuntimeError: for integers and complex numbers.

    >>> tk.frexp(tk.tensor([6.0, -0.1]))
    tensorkit.return_types.frexp(
    mantissa=tensor([ 0.7500, -0.8000]),
    exponent=tensor([ 3, -3], dtype=tensorkit.int32))
    """
    _check_frexp(input, out)
    if out is None:
        made = [_unfilled(input, kind) for kind in (input._dtype, dtypes.int32)]
    else:
        lay = input._lay()
        # An output that has the size already tells the order of dimensions to the other.
        fitting = [target._lay() for target in out if target._lay().size == lay.size]
        stride = iterator_strides(lay.size, [*fitting, lay])
        made = [prepare_out(target, lay.size, stride, target._dtype, input._device) for target in out]
    if input._device.type == "cuda":
        for result, scalar in zip(made, (scalars.MANTISSA, scalars.EXPONENT), strict=True):
            if input.numel():
                run_zip("frexp", scalar, result, (input,), (input._dtype,), result._dtype)
    elif input._device.type != "meta":
        for result, values in zip(made, _parts(input), strict=True):
            elementwise.copy(result._nd(), values)
    if out is None:
        return return_types.frexp(made)
    for result in made:
        result._bump()
    return return_types.frexp_out(made)


def _unfilled(input: Tensor, kind: dtype) -> Tensor:
    lay = input._lay()
    return empty_strided(lay.size, like_strides(lay), kind, input._device)
