"""Intel's MKL, with which some builds of NumPy multiply matrices.

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.mkl
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["is_available"]


def __dir__() -> list[str]:
    return __all__


def is_available() -> bool:
    """Whether NumPy, which multiplies the matrices here, was built with MKL.

    >>> is_available() in (True, False)
    True
    """
    built: Any = numpy.show_config(mode="dicts")
    return "mkl" in str(built.get("Build Dependencies", {}).get("blas", {}).get("name", "")).lower()
