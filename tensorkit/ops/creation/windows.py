"""Window functions: weights that fade a stretch of a signal in and out before it is taken apart into waves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import META, DeviceLike, resolve
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.full import ones
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.shared.out_and_inplace import bring_back, host_of
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.ops.shared.to import as_dtype
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, on_storage


def _window_forms(*further: str) -> tuple[str, ...]:
    """The forms of a window function: by its length alone, and with further arguments."""
    given = ("", ", bool periodic", *(f", bool periodic, {text}" for text in further))
    return tuple(f"(int window_length{text}, *, {FACTORY})" for text in given)


def _as_held(number: float, like: Tensor) -> float:
    """A number as a dtype holds it: as such PyTorch multiplies by it here, and adds it, in 16 bits too."""
    return float(numpy.asarray(number).astype(like._dtype.numpy))


def _window(
    name: str,
    length: int,
    periodic: bool,
    dtype: Any,
    device: DeviceLike,
    shape: Callable[[Tensor, int], Any],
) -> Tensor:
    """A window: of nothing, of a single 1, or of a shape.

    Args:
        periodic: whether the window is one number longer, which is left out: the first of the next window.
        shape: makes the window of the numbers from 0 up, and of how many there are.
    """
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, name)
    where, length = resolve(device), int(length)
    if kind.category < 2:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={cpp_name(kind)}, device={where}, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        return ones((length,), dtype=kind, device=where)
    count = length + periodic
    if where == META:
        # PyTorch does not compute the last number of a bell without data.
        held = length if name == "kaiser_window" else count
        whole = empty((held,), dtype=kind, device=where)
    else:
        whole = shape(arange(float(count), dtype=kind, device=where), count)
    # A longer one loses its last number, in a tensor without history.
    return on_storage(whole._store(), Layout((length,), (1,), 0), kind)


@op(strict=True, kind="create", methods=())
@takes(*_window_forms())
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """A triangle: up from 0 to 1 in straight steps, and down again.

    Args:
        window_length: how many numbers.
        periodic: whether the window is to be repeated: then the last 0 is left out, for the next window begins with it.

    Returns:
        A 1-D tensor of a floating point dtype.

    Raises:
        RuntimeError: for a negative length, and for dtypes that hold no fractions.

    >>> tk.bartlett_window(4), tk.bartlett_window(5, periodic=False)
    (tensor([0.0000, 0.5000, 1.0000, 0.5000]), tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000]))
    """

    def triangle(steps: Tensor, count: int) -> Tensor:
        steps.mul_(_as_held(2.0 / (count - 1), steps))
        rising = ((count - 1) >> 1) + 1
        steps.narrow(0, rising, count - rising).mul_(-1).add_(2)
        return steps

    return _window("bartlett_window", window_length, periodic, dtype, device, triangle)


@op(strict=True, kind="create", methods=(), rounded=1)
@takes(*_window_forms())
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """``0.42 - 0.5 cos(2πn / N) + 0.08 cos(4πn / N)``: flat at both ends.

    Args:
        window_length: how many numbers.
        periodic: whether the window is to be repeated: then N is their count, otherwise one less.

    Returns:
        A 1-D tensor of a floating point dtype.

    Raises:
        RuntimeError: for a negative length, and for dtypes that hold no fractions.

    >>> tk.blackman_window(5, periodic=False, dtype=tk.float64).abs().round(decimals=4)
    tensor([0.0000, 0.3400, 1.0000, 0.3400, 0.0000], dtype=tensorkit.float64)
    """

    def two_waves(steps: Tensor, count: int) -> Any:
        steps.mul_(_as_held(math.pi / (count - 1), steps))
        quick, slow = steps.mul(4).cos_(), steps.mul(2).cos_()
        return quick.mul_(_as_held(0.08, steps)) - slow.mul_(0.5) + _as_held(0.42, steps)

    return _window("blackman_window", window_length, periodic, dtype, device, two_waves)


def _one_wave(alpha: float, beta: float) -> Callable[[Tensor, int], Any]:
    def wave(steps: Tensor, count: int) -> Any:
        turned = steps.mul_(_as_held(math.pi * 2.0 / (count - 1), steps)).cos_()
        return turned.mul_(_as_held(-beta, steps)).add_(_as_held(alpha, steps))

    return wave


@op(strict=True, kind="create", methods=(), rounded=1)
@takes(*_window_forms("float alpha", "float alpha, float beta"))
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """``alpha - beta cos(2πn / N)``: one wave, which does not quite reach 0.

    Args:
        window_length: how many numbers.
        periodic: whether the window is to be repeated: then N is their count, otherwise one less.

    Returns:
        A 1-D tensor of a floating point dtype.

    Raises:
        RuntimeError: for a negative length, and for dtypes that hold no fractions.

    >>> tk.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    shape = _one_wave(float(alpha), float(beta))
    return _window("hamming_window", window_length, periodic, dtype, device, shape)


@op(strict=True, kind="create", methods=(), rounded=1)
@takes(*_window_forms())
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """``0.5 - 0.5 cos(2πn / N)``: one wave from 0 to 1 and back.

    Args:
        window_length: how many numbers.
        periodic: whether the window is to be repeated: then N is their count, otherwise one less.

    Returns:
        A 1-D tensor of a floating point dtype.

    Raises:
        RuntimeError: for a negative length, and for dtypes that hold no fractions.

    >>> tk.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    where = resolve(device)
    if where == META:
        kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "hann_window")
        return _sized(int(window_length), bool(periodic), kind)
    return _window("hann_window", window_length, periodic, dtype, where, _one_wave(0.5, 0.5))


def _sized(length: int, periodic: bool, kind: dtypes.dtype) -> Tensor:
    """The window without data, of which PyTorch asks less: it may be of any dtype.

    What leaves out the last number shares the memory of the longer one, unless the dtype is one in which it is not
    computed.
    """
    if length in (0, 1):
        return empty((length,), dtype=kind, device=META)
    count = length + periodic
    if count < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    held = count if kind.category > 1 and not kernels.is_half(kind) else length
    whole = empty((held,), dtype=kind, device=META)
    return on_storage(whole._store(), Layout((length,), (1,), 0), kind)


def _kaiser(steps: Tensor, count: int, beta: float) -> Tensor:
    """The shape, computed in float32 of 16-bit numbers, and rounded once."""
    from scipy import special

    host = host_of(steps)
    numbers = host._nd()
    wide = numpy.float32 if kernels.is_half(steps._dtype) else numbers.dtype.type
    half, steep = wide(numbers.dtype.type((count - 1) / 2.0)), wide(beta)

    def bell() -> Any:
        aside = (numbers.astype(wide) - half) / half
        return special.i0(steep * numpy.sqrt(1 - aside * aside)) / special.i0(steep)

    numbers[...] = kernels.quiet(bell)
    bring_back(steps, host)
    return steps


@op(strict=True, kind="create", methods=(), rounded=8)
@takes(*_window_forms("float beta"))
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """A bell made of the Bessel function `i0`; the larger `beta`, the narrower.

    Args:
        window_length: how many numbers.
        periodic: whether the window is to be repeated: then the last number is left out.

    Returns:
        A 1-D tensor of a floating point dtype.

    Raises:
        RuntimeError: for a negative length, and for dtypes that hold no fractions.

    >>> tk.kaiser_window(4, True, 2.0)
    tensor([0.4387, 0.8348, 1.0000, 0.8348])
    """

    def bell(steps: Tensor, count: int) -> Tensor:
        return _kaiser(steps, count, float(beta))

    return _window("kaiser_window", window_length, periodic, dtype, device, bell)
