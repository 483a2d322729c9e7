"""What belongs to each element of a Fourier transform, and the order of them: `fftfreq`, `rfftfreq` and the shifts.

Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit import dtypes
from tensorkit.device import DeviceLike
from tensorkit.dispatch.op import op as creating
from tensorkit.dtypes import dtype as DType
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.kit import Dims, Tensor, op
from tensorkit.ops.rearranging.roll import roll
from tensorkit.ops.shared.copy import deliver_into


def _scaled(places: Tensor, n: int, d: float, out: Tensor | None) -> Tensor:
    """Counted in units of 1 / (n d)."""
    length = n * d
    made = places * (1.0 / length if length else math.copysign(math.inf, length))
    return made if out is None else deliver_into(made, out)


def _kind(name: str, dtype: DType | None, out: Tensor | None) -> DType:
    kind = dtype or (out.dtype if out is not None else dtypes.get_default_dtype())
    if kind.category < 2:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    return kind


@creating(strict=True, namespace="fft", kind="create", methods=())
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    device: DeviceLike = None,
) -> Tensor:
    """The frequency of each element of ``fft.fft``: 0, the positive ones, then the negative ones.

    Args:
        n: how many elements. d: the time between two elements of the signal.
        out: a tensor to write into. dtype: of floating point numbers. device: where the result is.

    >>> tk.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    kind = _kind("fftfreq", dtype, out)
    if n < 0:
        empty(n)  # which says so
    given = {"dtype": kind, "device": device if out is None else out.device}
    negative = n // 2
    return _scaled(cat((arange(n - negative, **given), arange(-negative, 0, **given))), n, d, out)


@creating(strict=True, namespace="fft", kind="create", methods=())
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    device: DeviceLike = None,
) -> Tensor:
    """The frequency of each element of ``fft.rfft``.

    Args:
        n: how many elements the signal has. d: the time between two of them.
        out: a tensor to write into. dtype: of floating point numbers. device: where the result is.

    >>> tk.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    kind = _kind("rfftfreq", dtype, out)
    places = arange(n // 2 + 1, dtype=kind, device=device if out is None else out.device)
    return _scaled(places, n, d, out)


def _shifted(input: Tensor, dim: Dims | None, back: int) -> Any:
    dims = range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = list(dims)
    return roll(input, [(input.size(one) + back) // 2 for one in dims], dims)


@op(namespace="fft")
def fftshift(input: Tensor, dim: Dims | None = None) -> Any:
    """Frequencies from the lowest to the highest, 0 in the middle: what ``fft.fft`` gives has the negative ones last.

    Args:
        input: in the order of `fftfreq`. dim: along which dimensions; all if not given.

    >>> tk.fft.fftshift(tk.tensor([0.0, 0.25, -0.5, -0.25]))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _shifted(input, dim, 0)


@op(namespace="fft")
def ifftshift(input: Tensor, dim: Dims | None = None) -> Any:
    """The inverse of `fftshift`.

    Args:
        input: from the lowest frequency to the highest. dim: along which dimensions; all if not given.

    >>> tk.fft.ifftshift(tk.tensor([-0.5, -0.25, 0.0, 0.25]))
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _shifted(input, dim, 1)
