"""Numbers beside tensors: as a dtype holds them."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.shared.fill import write_number
from tensorkit.tensor import Tensor

BOOL: dtype = dtypes.bool
COMPLEX = (dtypes.complex64, dtypes.complex128)
WHOLE = tuple(kind for kind in dtypes.ALL if kind.category < 2)
LARGEST = 2.0**63
"""Up to here a number is held by float32 and float64, and an integer by 64 bits."""


def is_plain(number: Any) -> bool:
    """Whether it is a number of Python's, and no larger than `LARGEST`."""
    return number.__class__ in (float, int) and -LARGEST <= number <= LARGEST


def number_as_held(value: Any, kind: dtype) -> Any:
    """A number as the dtype holds it; beside 16-bit numbers in float32.

    Raises:
        RuntimeError: when the dtype cannot hold it.
    """
    one = empty_strided((), (), dtypes.float32 if kernels.is_half(kind) else kind, CPU)
    write_number(one, value)
    return one._nd()[()]


def as_number(bound: Any) -> Any:
    """A tensor without dimensions counts as its number, beside a number."""
    return bound.item() if isinstance(bound, Tensor) and not bound.dim() and not wants_grad(bound) else bound
