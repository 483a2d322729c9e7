"""The Bessel functions of both kinds: plain, modified, scaled by an exponential, and a spherical one; and Airy's."""

# The decorated bodies compute one element, although their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu.special import bessel, bessel_i0
from tensorkit.kernels.scalars.bessel import I0, I0E
from tensorkit.ops.special.erf_gamma import about, float_block, of_scipy
from tensorkit.tensor import Array, Tensor


def _apart(x: Any) -> tuple[Any, Any]:
    """Where a number is so far from 0 that its reciprocal says something, and the numbers with the others lifted."""
    least = float(ml_dtypes.finfo(x._dtype.numpy).eps)  # type: ignore[no-untyped-call]
    away = x.abs().gt(least)
    return away, x.where(away, least)


def _i1_back(g: Any, c: Any) -> Any:
    away, x = _apart(c.input)
    return g * (x.i0() - c.out * x.reciprocal()).where(away, 0.5)


def _i1e_back(g: Any, c: Any) -> Any:
    away, x = _apart(c.input)
    return g * (i0e(x) - c.out * (x.sgn() + x.reciprocal())).where(away, 0.5)


def _i0_back(g: Any, c: Any) -> Any:
    return g * i1(c.input)


def _i0e_back(g: Any, c: Any) -> Any:
    return g * (i1e(c.input) - c.input.sgn() * c.out)


def _single(function: Any, name: str) -> Any:
    """PyTorch's own steps in single precision; SciPy's function, whose steps are the same, in double."""
    double = of_scipy(name)
    return lambda a: function(a) if a.dtype == numpy.float32 else double(a)


@unary(
    float_block("i0", _single(bessel_i0.i0, "i0"), I0, "i0_vml_cpu"),
    derivative=Rule("I0Backward0", input=_i0_back),
    rounded=2,
)
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0, of every element.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.i0(tk.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """
    return numpy.i0(input)


@unary(
    float_block("special_i0e", _single(bessel_i0.i0e, "i0e"), I0E, "i0e_cpu"),
    namespace="special",
    derivative=Rule("SpecialI0EBackward0", input=_i0e_back),
    rounded=2,
)
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i0(input) * exp(-abs(input))`` of every element, which is finite where `i0` is too large.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.i0e(tk.tensor([0.0, 100.0]))
    tensor([1.0000, 0.0399])
    """
    return numpy.exp(-abs(input)) * numpy.i0(input)


@unary(
    float_block("special_i1", of_scipy("i1"), None, "i1_cpu"),
    namespace="special",
    derivative=Rule("SpecialI1Backward0", input=_i1_back),
    rounded=2,
)
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1, of every element: the derivative of `i0`.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.i1(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """
    return of_scipy("i1")(input)


@unary(
    float_block("special_i1e", of_scipy("i1e"), None, "i1e_cpu"),
    namespace="special",
    derivative=Rule("SpecialI1EBackward0", input=_i1e_back),
    rounded=2,
)
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i1(input) * exp(-abs(input))`` of every element, which is finite where `i1` is too large.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.i1e(tk.tensor([0.0, 100.0]))
    tensor([0.0000, 0.0397])
    """
    return of_scipy("i1e")(input)


# -- under the names of mathematicians, which PyTorch does not differentiate ----------------------------------------

_LACKS = (dtypes.float16, dtypes.bfloat16, dtypes.complex64, dtypes.complex128)


def _named(name: str, function: Any, sentence: str, given: str, answer: str) -> Any:
    """A function that is there in float32 and float64 alone, and has no derivative."""

    def body(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        return function(input)

    body.__name__, body.__doc__ = name, about(f"special.{name}", sentence, given, answer)
    return unary(_block(name, function), namespace="special", rounded=5)(body)


def _of_x(name: str, function: Any, sentence: str, given: str, answer: str) -> Any:
    """The same, where PyTorch calls the tensor `x`."""
    block = _block(name, function)

    def body(x: Tensor, *, out: Tensor | None = None) -> Tensor:
        return apply(block, (x,), out=out)

    body.__name__ = body.__qualname__ = block.name
    body.__doc__ = about(f"special.{name}", sentence, given, answer)
    made = op(
        kind="pointwise",
        namespace="special",
        name=name,
        rounded=5,
        strict=True,
        out_recording="silent",
        out_overlap="before resizing",
    )
    return made(body)


def _block(name: str, function: Any) -> Pointwise:
    return Pointwise(f"special_{name}", function, None, result="float", kernel=f"{name}_cpu", lacks=_LACKS)


def _spherical(x: Array) -> Array:
    """``sin(x) / x``, by its first terms near 0; at infinity 0."""
    near = numpy.abs(x) < 0.5
    square = numpy.where(near, x * x, 0)
    total, term = numpy.ones_like(x), numpy.ones_like(x)
    for k in range(2, 14, 2):
        term = term * -square / (k * (k + 1))
        total = total + term
    return numpy.where(near, total, numpy.where(numpy.isinf(x), 0, numpy.sin(x) / x)).astype(x.dtype)


airy_ai = _of_x(
    "airy_ai",
    bessel.airy_ai,
    "The Airy function of every element: a wave below 0, falling to 0 above.",
    "0.0, 1.0",
    "0.3550, 0.1353",
)
bessel_j0 = _named(
    "bessel_j0",
    bessel.bessel_j0,
    "The Bessel function of the first kind and order 0, of every element: a wave that dies away on both sides of 0.",
    "0.0, 1.0",
    "1.0000, 0.7652",
)
bessel_j1 = _named(
    "bessel_j1",
    bessel.bessel_j1,
    "The Bessel function of the first kind and order 1, of every element: a wave that dies away on both sides of 0.",
    "0.0, 1.0",
    "0.0000, 0.4401",
)
bessel_y0 = _named(
    "bessel_y0",
    bessel.bessel_y0,
    "The Bessel function of the second kind and order 0, of every element: -inf at 0, nan below.",
    "0.0, 1.0",
    "  -inf, 0.0883",
)
bessel_y1 = _named(
    "bessel_y1",
    bessel.bessel_y1,
    "The Bessel function of the second kind and order 1, of every element: -inf at 0, nan below.",
    "0.0, 1.0",
    "   -inf, -0.7812",
)
modified_bessel_i0 = _named(
    "modified_bessel_i0",
    of_scipy("i0"),
    "The modified Bessel function of the first kind and order 0, of every element; `i0` has a derivative besides.",
    "0.0, 1.0",
    "1.0000, 1.2661",
)
modified_bessel_i1 = _named(
    "modified_bessel_i1",
    of_scipy("i1"),
    "The modified Bessel function of the first kind and order 1, of every element; `i1` has a derivative besides.",
    "0.0, 1.0",
    "0.0000, 0.5652",
)
modified_bessel_k0 = _named(
    "modified_bessel_k0",
    of_scipy("k0"),
    "The modified Bessel function of the second kind and order 0, of every element: inf at 0, nan below.",
    "0.0, 1.0",
    "   inf, 0.4210",
)
modified_bessel_k1 = _named(
    "modified_bessel_k1",
    of_scipy("k1"),
    "The modified Bessel function of the second kind and order 1, of every element: inf at 0, nan below.",
    "0.0, 1.0",
    "   inf, 0.6019",
)
scaled_modified_bessel_k0 = _of_x(
    "scaled_modified_bessel_k0",
    of_scipy("k0e"),
    "``modified_bessel_k0(x) * exp(x)`` of every element, which is not 0 where that is too small.",
    "1.0, 100.0",
    "1.1445, 0.1252",
)
scaled_modified_bessel_k1 = _of_x(
    "scaled_modified_bessel_k1",
    of_scipy("k1e"),
    "``modified_bessel_k1(x) * exp(x)`` of every element, which is not 0 where that is too small.",
    "1.0, 100.0",
    "1.6362, 0.1258",
)
spherical_bessel_j0 = _of_x(
    "spherical_bessel_j0",
    _spherical,
    "The spherical Bessel function of the first kind and order 0, ``sin(x) / x``, of every element: 1 at 0.",
    "0.0, 1.0",
    "1.0000, 0.8415",
)
