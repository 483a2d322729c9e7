"""Special functions: the error function, the gamma function and their kin."""

# The decorated bodies compute one element, although their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise, elementwise_compiled, loops, tiny, ufuncs
from tensorkit.kernels.scalars import special as scalars
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.kernels.sizes import IN_PYTHON
from tensorkit.number_range import check_number
from tensorkit.ops.shared.copy import deliver_into
from tensorkit.ops.shared.int_args import counted
from tensorkit.ops.shared.scalar_arithmetic import less_from, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import to_device, to_dtype
from tensorkit.tensor import Array, Tensor, attach, fresh

_COMPLEX = (dtypes.complex64, dtypes.complex128)
_ABOUT = """{sentence}

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.{name}(tk.tensor([{given}]))
    tensor([{answer}])
    """


def about(name: str, sentence: str, given: str, answer: str) -> str:
    """The documentation of a function of one tensor: what it does, and what it gives for some numbers."""
    return _ABOUT.format(name=name, sentence=sentence, given=given, answer=answer)


def of_scipy(name: str) -> Any:
    """SciPy's function of that name, imported when it is first called."""

    known: list[Any] = []

    def function(a: Array) -> Array:
        if not known:
            from scipy import special

            known.append(getattr(special, name))
        return known[0](a)

    return function


def float_block(name: str, function: Any, scalar: Any, kernel: str) -> Pointwise:
    """A function of real numbers alone, which makes floating point numbers of integers."""
    return Pointwise(name, function, scalar, result="float", kernel=kernel, lacks=_COMPLEX)


# -- the error function -------------------------------------------------------------------------------------------

_STEEP = 2 / math.sqrt(math.pi)

_erf = elementwise.hundreds(ufuncs.erf)(of_scipy("erf"))
elementwise.with_loop(_erf, loops.erf, "f")


@unary(
    float_block("erf", _erf, scalars.ERF, "erf_vml_cpu"),
    derivative=Rule("ErfBackward0", input=lambda g, c: times((-c.input.pow(2)).exp(), _STEEP) * g),
    rounded=1,
)
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function of every element: from -1 to 1, 0 at 0.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.erf(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """
    return math.erf(input)


@unary(
    float_block(
        "erfc",
        elementwise.looped(f=elementwise_compiled.rest_of_error)(of_scipy("erfc")),
        scalars.ERFC,
        "erfc_vml_cpu",
    ),
    derivative=Rule("ErfcBackward0", input=lambda g, c: times((-c.input.pow(2)).exp(), -_STEEP) * g),
    rounded=2,
)
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(input)``, exact where erf is near 1 too.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.erfc(tk.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """
    return math.erfc(input)


_of_scipy = of_scipy("erfinv")


def _erfinv(a: Array) -> Array:
    return numpy.copysign(_of_scipy(a), a)  # SciPy's loses the sign of -0.0


@unary(
    float_block("erfinv", _erfinv, scalars.ERFINV, "erfinv_vml_cpu"),
    derivative=Rule(
        "ErfinvBackward0", input=lambda g, c: times(c.input.erfinv().pow(2).exp(), math.sqrt(math.pi) / 2) * g
    ),
    rounded=2,
)
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose error function every element is; nan beyond -1 and 1.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.erfinv(tk.tensor([0.5, 1.0]))
    tensor([0.4769,    inf])
    """
    return of_scipy("erfinv")(input)


# -- the gamma function -------------------------------------------------------------------------------------------


def _lgamma(a: Array) -> Array:
    from scipy import special

    return numpy.where(a == -numpy.inf, numpy.inf, special.gammaln(a)).astype(a.dtype, copy=False)


@unary(
    float_block("lgamma", _lgamma, scalars.LGAMMA, "lgamma_vml_cpu"),
    derivative=Rule("LgammaBackward0", input=lambda g, c: g * c.input.digamma()),
    rounded=2,
)
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function; at ``n + 1`` it is log(n!).

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.lgamma(tk.tensor([4.0, 1.0]))
    tensor([1.7918, 0.0000])
    """
    return math.lgamma(input)


@unary(
    float_block("digamma", of_scipy("psi"), scalars.DIGAMMA, "digamma"),
    derivative=Rule("DigammaBackward0", input=lambda g, c: g * c.input.polygamma(1)),
    rounded=2,
)
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `lgamma`, of every element.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.digamma(tk.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """
    return of_scipy("psi")(input)


def _trigamma(a: Array) -> Array:
    """PyTorch's: the reflection below 1/2, six steps up, then the first terms of the asymptotic series."""
    low = a < 0.5
    x = numpy.where(low, 1 - a, a)
    total = numpy.zeros_like(x)
    for _ in range(6):
        total += 1 / (x * x)
        x = x + 1
    r = 1 / (x * x)
    total += (1 + 1 / (2 * x) + r * (1 / 6 - r * (1 / 30 - r * (1 / 42)))) / x
    turn = numpy.sin(numpy.pi * a)
    return numpy.where(low, numpy.pi * numpy.pi / (turn * turn) - total, total).astype(a.dtype)


def _factorial(n: int) -> float:
    """With the sign that it has in the n-th derivative."""
    return (1 if n % 2 else -1) * math.exp(math.lgamma(n + 1))


def _polygamma(a: Array, n: int) -> Array:
    from scipy import special

    if n == 0:
        return special.psi(a)
    if n == 1:
        return _trigamma(a)
    scale = a.dtype.type(_factorial(n))
    # PyTorch's series ends in no number where every term is 0.
    return numpy.where(a == numpy.inf, a.dtype.type(numpy.nan), scale * special.zeta(a.dtype.type(n + 1), a))


_POLYGAMMA = float_block("polygamma", _polygamma, None, "polygamma")


def _polygamma_kernel(n: int) -> str:
    return {0: "digamma", 1: "trigamma"}.get(n, "polygamma")


def _polygamma_of(n: int, input: Tensor, out: Tensor | None) -> Tensor:
    if isinstance(n, Tensor) and n.dim():
        raise TypeError("polygamma(): argument 'n' (position 1) must be int, not Tensor")
    n = counted(n)
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError  # the caller says it in PyTorch's words
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    scalar = {0: scalars.DIGAMMA, 1: scalars.TRIGAMMA}.get(n, scalars.POLYGAMMA)
    numbers = () if scalar is not scalars.POLYGAMMA or input._device.type == "cpu" else (n, _factorial(n))
    block = replace(
        _POLYGAMMA,
        numpy=partial(_polygamma, n=n),
        scalar=scalar,
        numbers=numbers,
        kernel=_polygamma_kernel(n),
    )
    return apply(block, (input,), out=out)


def _polygamma_back(g: Any, c: Any) -> Any:
    return g * c.input.polygamma(int(c.n) + 1)


@op(
    strict=True,
    kind="pointwise",
    methods=(),
    # An order given as a tensor has no derivative, but must not hide the operand that has one.
    derivative=Rule("PolygammaBackward0", n=lambda g, c: None, input=_polygamma_back),
    rounded=5,
    out_overlap="before resizing",
)
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`, of every element.

    Raises:
        RuntimeError: for a negative `n`. NotImplementedError: for complex tensors.

    >>> tk.polygamma(1, tk.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    return _polygamma_of(n, input, out)


def _polygamma_method(input: Tensor, n: int) -> Tensor:
    """The n-th derivative of ``digamma``: the function takes the tensor last, the method first."""
    return polygamma(n, input)


def _polygamma_inplace(input: Tensor, n: int) -> Tensor:
    """In-place form of ``polygamma``: the result is written into this tensor."""
    return _polygamma_of(n, input, IN_PLACE)


attach("polygamma", traced_method("polygamma", _polygamma_method))
_rewritten = Rule("PolygammaBackward1", input=_polygamma_back)
attach(
    "polygamma_",
    traced_method("polygamma_", differentiable(_polygamma_inplace, _rewritten, "polygamma_", "inplace")),
)

# -- of several numbers -------------------------------------------------------------------------------------------


def _check_mvlgamma(input: Tensor, p: int) -> None:
    if input._dtype is dtypes.bool:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input._dtype.is_complex:
        raise missing_kernel("arange_cpu", input._dtype.label)


def _spread(input: Any, p: int) -> Any:
    """The p numbers, each half a step below the next, that one element stands for: along a new last dimension."""
    kind = input._dtype if input._dtype.category > 1 else dtypes.get_default_dtype()
    steps = to_dtype(fresh(numpy.arange(1 - p, 1) / 2, dtypes.float64), kind)
    return input.unsqueeze(-1) + to_device(steps, input._device)


def _mvlgamma_into(input: Tensor, result: Tensor, out: Tensor) -> Tensor:
    if not dtypes.can_cast(result._dtype, out._dtype):
        raise RuntimeError(
            f"mvlgamma: result type {input._dtype.label} can't be cast to the desired output type "
            f"{result._dtype.label}"
        )
    check_writable(out)
    return deliver_into(result, out)


@op(
    strict=True,
    kind="pointwise",
    inplace=True,
    aliases=(),
    derivative=Rule("MvlgammaBackward0", input=lambda g, c: g * _spread(c.input, c.p).digamma().sum(-1)),
    rounded=3,
)
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`, of every element.

    Raises:
        RuntimeError: for bool tensors, and when `p` is not positive.

    >>> tk.mvlgamma(tk.tensor([3.0, 4.0]), 2)
    tensor([1.5502, 3.5651])
    """
    p = counted(p)
    if not isinstance(p, int) or isinstance(p, bool):
        raise TypeError  # the caller says it in PyTorch's words
    _check_mvlgamma(input, p)
    result = _spread(input, p).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
    if out is IN_PLACE:
        return _mvlgamma_into(input, result, input)
    return result if out is None else _mvlgamma_into(input, result, out)


# -- the inverse of the logistic function ---------------------------------------------------------------------------

#: NumPy takes longer to make an array of a number than to subtract.
_ONES: dict[str, Any] = {char: numpy.ones((), char) for char in "fd"}


@lru_cache(64)
def _ends(eps: float, kind: Any) -> tuple[Any, Any]:
    low = kind.type(eps)
    return low, kind.type(1) - low


def logit_of(a: Array, eps: float | None) -> Array:
    x = a
    if eps is not None and eps >= 0:
        low, high = _ends(eps, a.dtype)
        if a.size <= IN_PYTHON and a.dtype.char in "fd" and low <= high:
            x = tiny.clip(a, low.item(), high.item())
        else:
            x = numpy.where(a < low, low, numpy.where(a > high, high, a))
    return numpy.log(x / (_ONES.get(a.dtype.char, 1) - x))


def _logit_back(g: Any, c: Any) -> Any:
    """Beyond the ends, the slope is 0 where they are cut off at `eps`, and no number otherwise."""
    cut = c.eps is not None and c.eps >= 0
    low, high = (c.eps, 1 - c.eps) if cut else (0, 1)
    inside = c.input.ge(low) * c.input.le(high)
    return (g / (c.input * less_from(1, c.input))).where(inside, 0.0 if cut else math.nan)


def _checked_eps(eps: Any, input: Tensor) -> float:
    eps = plain_number(eps)
    if not isinstance(eps, (int, float)):
        raise TypeError  # the caller says it in PyTorch's words
    check_number(eps, input._dtype if input._dtype.category == 2 else dtypes.get_default_dtype(), narrow=True)
    return float(eps)


_LOGIT = replace(float_block("logit", logit_of, None, "logit_cpu"), exact_half=True)


@op(
    kind="pointwise",
    inplace=True,
    derivative=Rule("LogitBackward0", input=_logit_back),
    rounded=2,
    out_overlap="before resizing",
)
@shortened("logit")
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))`` of every element: the inverse of `sigmoid`.

    Args:
        eps: elements are first moved into the range from `eps` to ``1 - eps``; without it, those beyond 0 and 1
            give nan.

    Raises:
        NotImplementedError: for complex tensors.

    >>> tk.logit(tk.tensor([0.5, 1.0])), tk.logit(tk.tensor([0.5, 1.0]), eps=0.25)
    (tensor([0., inf]), tensor([0.0000, 1.0986]))
    """
    if not isinstance(input, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    if eps is not None and not (eps.__class__ is float and 0 <= eps <= 1):
        eps = _checked_eps(eps, input)
    scalar: Scalar = scalars.LOGIT
    numbers: tuple[float, ...] = ()
    if eps is not None and eps >= 0:
        kind = input._dtype if input._dtype.category == 2 else dtypes.get_default_dtype()
        scalar, numbers = scalars.LOGIT_WITHIN, tuple(float(end) for end in _ends(eps, kind.numpy))
    body = partial(logit_of, eps=eps)
    return apply(_LOGIT, (input,), out=out, by=body, scalar=scalar, numbers=numbers)
