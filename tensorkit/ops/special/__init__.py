"""Special functions: gamma, error, Bessel and zeta functions, orthogonal polynomials.

Their public names are `tensorkit.special`.

Source: https://docs.pytorch.org/docs/stable/special.html
"""

from __future__ import annotations
