"""Special functions: what PyTorch offers as ``torch.special``, much of it under SciPy's names.

>>> tk.special.expit(tk.tensor([-1.0, 0.0, 1.0]))
tensor([0.2689, 0.5000, 0.7311])
"""

from __future__ import annotations

from tensorkit.dispatch.call import respelled as _respelled
from tensorkit.ops.pointwise import exp_log as _unary
from tensorkit.ops.pointwise import logaddexp as _logaddexp
from tensorkit.ops.pointwise import trigonometric as _angles
from tensorkit.ops.special import bessel as _bessel
from tensorkit.ops.special import erf_gamma as _special
from tensorkit.ops.special import igamma_zeta as _incomplete
from tensorkit.ops.special.aliases import special_log_softmax as log_softmax
from tensorkit.ops.special.aliases import special_logsumexp as logsumexp
from tensorkit.ops.special.aliases import special_round as round
from tensorkit.ops.special.aliases import special_softmax as softmax
from tensorkit.ops.special.bessel import (
    airy_ai,
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    i0e,
    i1,
    i1e,
    modified_bessel_i0,
    modified_bessel_i1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from tensorkit.ops.special.igamma_zeta import zeta
from tensorkit.ops.special.normal_distribution import entr, erfcx, log_ndtr, ndtr, ndtri, xlog1py
from tensorkit.ops.special.orthogonal_polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)

# Other spellings of operations, which the errors of wrong calls use, in PyTorch's words.
digamma = _respelled(_special.digamma, "digamma", "special_digamma")
erf = _respelled(_special.erf, "erf", "special_erf")
erfc = _respelled(_special.erfc, "erfc", "special_erfc")
erfinv = _respelled(_special.erfinv, "erfinv", "special_erfinv")
exp2 = _respelled(_unary.exp2, "exp2", "special_exp2")
expit = _respelled(_unary.sigmoid, "sigmoid", "special_expit")
expm1 = _respelled(_unary.expm1, "expm1", "special_expm1")
gammainc = _respelled(_incomplete.igamma, "igamma", "special_gammainc")
gammaincc = _respelled(_incomplete.igammac, "igammac", "special_gammaincc")
gammaln = _respelled(_special.lgamma, "lgamma", "special_gammaln")
i0 = _respelled(_bessel.i0, "i0", "special_i0")
log1p = _respelled(_unary.log1p, "log1p", "special_log1p")
logit = _respelled(_special.logit, "logit", "special_logit")
multigammaln = _respelled(_special.mvlgamma, "mvlgamma", "special_multigammaln")
polygamma = _respelled(_special.polygamma, "polygamma", "special_polygamma")
psi = _respelled(_special.digamma, "digamma", "special_psi")
sinc = _respelled(_angles.sinc, "sinc", "special_sinc")
xlogy = _respelled(_logaddexp.xlogy, "xlogy", "special_xlogy")

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]


def __dir__() -> list[str]:
    return __all__
