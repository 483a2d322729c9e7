"""Special functions: gamma, error, Bessel and zeta functions, orthogonal polynomials.

Their public names are `tensorkit.special`.

Source: https://docs.pytorch.org/docs/stable/special.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "erf_gamma")
