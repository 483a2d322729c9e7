"""The normal distribution's area and its inverse, exact in the tails too, and what entropies are made of."""

# The decorated bodies compute one element, although their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import resize_out
from tensorkit.elementwise.promotion import check_castable
from tensorkit.elementwise.unary import unary

# What is called here as a method.
from tensorkit.kernels.scalars.elementary import XLOG1PY
from tensorkit.kernels.scalars.special import ENTR
from tensorkit.ops.pointwise import arithmetic  # noqa: F401
from tensorkit.ops.shared import copy  # noqa: F401
from tensorkit.ops.shared.scalar_arithmetic import minus, over, plus, scaled, times
from tensorkit.ops.special.erf_gamma import float_block, of_scipy
from tensorkit.tensor import Array, Number, Tensor

_COMPLEX = (dtypes.complex64, dtypes.complex128)
_HALF = (dtypes.float16, dtypes.bfloat16)
_ROOT_OF_TWO_PI = math.sqrt(2 * math.pi)


def _whole_precision(name: str) -> Pointwise:
    """A function of SciPy's for which PyTorch has no loop over 16-bit numbers."""
    return Pointwise(
        f"special_{name}",
        of_scipy(name),
        None,
        result="float",
        kernel=f"{name}_cpu",
        lacks=(*_COMPLEX, *_HALF),
    )


# -- entropies ----------------------------------------------------------------------------------------------------


def _entropy(a: Array) -> Any:
    if a.dtype.itemsize > 2:
        return _scipy_entropy(a)
    elsewhere = numpy.where(a == 0, numpy.zeros((), a.dtype), numpy.where(a < 0, _BELOW.astype(a.dtype), a))
    return numpy.where(a > 0, -a * numpy.log(a), elsewhere)  # sixteen bits are rounded twice


_scipy_entropy = of_scipy("entr")
_BELOW = numpy.array(-math.inf)


@unary(
    replace(float_block("special_entr", _entropy, ENTR, "entr_cpu"), exact_half=True),
    namespace="special",
    derivative=Rule("SpecialEntrBackward0", input=lambda g, c: g * -plus(c.input.log(), 1)),
    rounded=1,
)
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input * log(input)`` of every element, 0 at 0, and -inf below: what an entropy adds up.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.entr(tk.tensor([0.5, 0.0, -1.0]))
    tensor([0.3466, 0.0000,   -inf])
    """
    return 0 if input == 0 else -input * numpy.log(input)


def _xlog1py(a: Array, b: Array) -> Array:
    return numpy.where((a == 0) & ~numpy.isnan(b), numpy.zeros((), a.dtype), a * numpy.log1p(b))


def _xlog1py_name(call: dict[str, Any]) -> str:
    if not isinstance(call["input"], Tensor):
        return "SpecialXlog1PyBackward1"
    return "SpecialXlog1PyBackward0" if isinstance(call["other"], Tensor) else "SpecialXlog1PyBackward2"


def _xlog1py_input(g: Any, c: Any) -> Any:
    steep = xlog1py(g, c.other)
    if isinstance(c.other, Tensor):
        return steep.masked_fill(c.input.eq(0) * c.other.le(-1), 0)
    return steep if c.other > -1 else steep.masked_fill(c.input.eq(0), 0)


@binary(
    _xlog1py,
    XLOG1PY,
    result="float",
    kernel="xlog1py_cpu",
    lacks=_COMPLEX,
    overloaded=True,
    exact_half=True,
    namespace="special",
    rounded=1,
    derivative=Rule(
        _xlog1py_name, input=_xlog1py_input, other=lambda g, c: scaled(g, c.input) / plus(c.other, 1)
    ),
    mixed=True,
)
def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input * log1p(other)``, and 0 where `input` is 0 whatever the other is.

    Args:
        input, other: tensors of sizes that broadcast together, or a tensor and a number.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.xlog1py(tk.tensor([0.0, 2.0]), tk.tensor([-1.0, 1.0]))
    tensor([0.0000, 1.3863])
    """
    return 0 if input == 0 else input * numpy.log1p(other)


# -- the normal distribution --------------------------------------------------------------------------------------


@op(kind="copy", namespace="special", rounded=2, out_recording="in place")
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The share of the standard normal distribution that lies below every element: from 0 to 1.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.ndtr(tk.tensor([-1.96, 0.0, 1.96]))
    tensor([0.0250, 0.5000, 0.9750])
    """
    if not isinstance(input, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    area: Tensor = times(plus(times(input, math.sqrt(0.5)).erf(), 1), 0.5)
    if out is None:
        return area
    check_castable(area._dtype, out._dtype)
    resize_out(out, area._lay().size)
    return out.copy_(area)  # recorded, as in PyTorch


@unary(
    _whole_precision("ndtri"),
    namespace="special",
    derivative=Rule(
        "SpecialNdtriBackward0", input=lambda g, c: times(g, _ROOT_OF_TWO_PI) * over(c.out.square(), 2).exp()
    ),
    rounded=5,
)
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number below which that share of the standard normal distribution lies: the inverse of `ndtr`.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.ndtri(tk.tensor([0.5, 0.975, 1.0]))
    tensor([0.0000, 1.9600,    inf])
    """
    return of_scipy("ndtri")(input)


@unary(
    _whole_precision("log_ndtr"),
    namespace="special",
    derivative=Rule(
        "SpecialLogNdtrBackward0",
        input=lambda g, c: over(g, _ROOT_OF_TWO_PI) * (c.out + over(c.input.pow(2), 2)).neg().exp(),
    ),
    rounded=2,
)
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `ndtr`, exact far below 0 too, where the share itself underflows to 0.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.log_ndtr(tk.tensor([0.0, -40.0]))
    tensor([-6.9315e-01, -8.0461e+02])
    """
    return of_scipy("log_ndtr")(input)


@unary(
    _whole_precision("erfcx"),
    namespace="special",
    derivative=Rule(
        "SpecialErfcxBackward0",
        input=lambda g, c: minus(times(c.input, 2) * c.out, 2 / math.sqrt(math.pi)) * g,
    ),
    rounded=2,
)
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input ** 2) * erfc(input)`` of every element, which is there where `erfc` is 0 for the dtype.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.special.erfcx(tk.tensor([0.0, 10.0]))
    tensor([1.0000, 0.0561])
    """
    return of_scipy("erfcx")(input)
