"""Orthogonal polynomials of any degree, as ``special`` has them: Chebyshev's, Hermite's, Laguerre's and Legendre's."""

from __future__ import annotations

from collections.abc import Callable

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.kernels.cpu.special import orthogonal_polynomials as kernels
from tensorkit.tensor import Array, Number, Tensor

_FORMS = tuple(
    f"({x} x, {n} n, *, Tensor out = None)"
    for x, n in (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"))
)
_ABOUT = """{sentence}

    It is computed from the polynomials of the two degrees below{angles}, in the numbers' own precision, and has no
    derivative, as in PyTorch.

    Args:
        x, n: where, and the degree, whose fraction is dropped; below degree 0 it is 0. Tensors of sizes that broadcast
            together, or a tensor and a number.

    Raises:
        NotImplementedError: for complex and 16-bit tensors.

    >>> tk.special.{name}(tk.tensor([-0.5, 2.0]), 3)
    tensor([{answer}])
    """
_ANGLES = " (between the ends and of a higher degree, from angles)"


def _polynomial(
    name: str, function: Callable[[Array, Array], Array], sentence: str, answer: str
) -> Callable[..., Tensor]:
    """One of them, with all that it is."""
    lacks = (dtypes.float16, dtypes.bfloat16, dtypes.complex64, dtypes.complex128)
    block = Pointwise(f"special_{name}", function, None, result="float", kernel=f"{name}_cpu", lacks=lacks)

    def body(x: Tensor | Number, n: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        if not isinstance(x, Tensor) and not isinstance(n, Tensor):
            raise TypeError  # the caller says it in PyTorch's words
        return apply(block, (x, n), out=out)

    body.__name__ = body.__qualname__ = block.name
    body.__doc__ = _ABOUT.format(
        name=name, sentence=sentence, answer=answer, angles=_ANGLES if "chebyshev" in name else ""
    )
    registered = op(
        kind="pointwise",
        namespace="special",
        name=name,
        rounded=20,
        strict=True,
        out_recording="silent",
        out_overlap="before resizing",
    )
    return registered(takes(*_FORMS)(body))


def _chebyshev(kind: str, which: str, answer: str) -> Callable[..., Tensor]:
    sentence = f"Chebyshev's polynomial of the {which} kind, of every element."
    return _polynomial(f"chebyshev_polynomial_{kind}", kernels.chebyshev(kind, False), sentence, answer)


def _shifted(kind: str, which: str, answer: str) -> Callable[..., Tensor]:
    sentence = (
        f"Chebyshev's polynomial of the {which} kind, shifted from -1 ... 1 to 0 ... 1, of every element."
    )
    return _polynomial(
        f"shifted_chebyshev_polynomial_{kind}", kernels.chebyshev(kind, True), sentence, answer
    )


chebyshev_polynomial_t = _chebyshev("t", "first", " 1., 26.")
chebyshev_polynomial_u = _chebyshev("u", "second", " 1., 56.")
chebyshev_polynomial_v = _chebyshev("v", "third", " 1., 41.")
chebyshev_polynomial_w = _chebyshev("w", "fourth", " 1., 71.")
shifted_chebyshev_polynomial_t = _shifted("t", "first", "-26.,  99.")
shifted_chebyshev_polynomial_u = _shifted("u", "second", "-56., 204.")
shifted_chebyshev_polynomial_v = _shifted("v", "third", "-71., 169.")
shifted_chebyshev_polynomial_w = _shifted("w", "fourth", "-41., 239.")
hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h",
    kernels.hermite_h,
    "The physicists' Hermite polynomial, of every element; nan beyond degree 128 (of float64, 512).",
    " 5., 40.",
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he",
    kernels.hermite_he,
    "The probabilists' Hermite polynomial, of every element; nan beyond degree 128 (of float64, 512).",
    "1.3750, 2.0000",
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    kernels.laguerre_l,
    "Laguerre's polynomial, of every element.",
    " 2.8958, -0.3333",
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p",
    kernels.legendre_p,
    "Legendre's polynomial, of every element.",
    " 0.4375, 17.0000",
)
