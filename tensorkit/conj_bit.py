"""The two bits of a view: that it stands for the conjugates, or for the negatives, of what is stored.

``x.conj()`` computes nothing: it is a view of the same storage with `CONJ` set, and ``x.conj().imag`` one with `NEG`.
A reader of such a view turns what is stored, a writer stores what is turned.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_neg.html
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.dtypes import LIMITED, dtype
from tensorkit.errors import MissingKernelError

CONJ, NEG = 1, 2


def turned(values: Any, bits: int) -> Any:
    """What stands for these numbers on a view with these bits: the same step leads there and back.

    Args:
        values: a NumPy array or number, of which a new one is made; the bits are `CONJ` and `NEG`, added up.
    """
    if bits & CONJ:
        values = numpy.conjugate(values)
    if bits & NEG:
        values = numpy.negative(values)
    return values


def resolved(value: Any) -> Any:
    """A row-major copy of a view with bits, as PyTorch hands to operations that know of none; else the value itself."""
    return value.clone() if getattr(value, "_bits", 0) else value


def check_negatable(bits: int, kind: dtype) -> None:
    """Refuse to read a view of negatives of a dtype that PyTorch negates no numbers of.

    Raises:
        MissingKernelError: for bool and the wide unsigned integers.
    """
    if bits & NEG and (kind in LIMITED or kind.category == 0):
        raise MissingKernelError(f"\"neg_cpu\" not implemented for '{kind.label}'")
