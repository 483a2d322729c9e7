"""Shortcuts of special functions: numbers that NumPy computes sooner than a plan of them is found."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.dispatch.shortcut import shortcut
from tensorkit.elementwise.plan import few_elements
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import IN_PYTHON
from tensorkit.ops.special.erf_gamma import logit_of
from tensorkit.tensor import Tensor, fresh


@shortcut("logit", buys="p.logit(0.1)", of_values=True)
def logit_of_few(input: Any = None, eps: Any = None, *more: Any, **others: Any) -> Tensor | None:
    if more or others or not (eps is None or (eps.__class__ is float and 0 <= eps <= 1)):
        return None
    array = few_elements(input, IN_PYTHON)
    return None if array is None else fresh(numpy.asarray(quiet(logit_of, array, eps)), input._dtype)
