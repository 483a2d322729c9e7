"""The three Fourier transforms that all others are made of, with their derivatives.

    fft_c2c   complex to complex, over several dimensions
    fft_r2c   real to complex: half of the result says all, the other half is its mirror image
    fft_c2r   the way back from such a half

NumPy's pocketfft makes them on the CPU. On a device each dimension is a product with the matrix of the transform.

Source: J. W. Cooley and J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series" (1965).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.kit import Plan, Result, Rule, Tensor, op
from tensorkit.tensor import Array

Norm = Literal["backward", "ortho", "forward"]

PLAIN, BY_ROOT, BY_N = range(3)
"""How sums are scaled: not at all, by the root of their length, or by their length."""

_REAL = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
_COMPLEX = {real: both for both, real in _REAL.items()}


def real_of(kind: Any) -> Any:
    """The dtype of the parts of complex numbers."""
    return _REAL[kind]


# -- where results lie ------------------------------------------------------------------------------------------------


def _laid(steps: Sequence[int], dims: Sequence[int], size: Sequence[int]) -> tuple[int, ...]:
    """Strides as PyTorch's library leaves them: transformed dimensions inside, the others as they lay, outside."""
    outside = [dim for dim in range(len(size)) if dim not in dims]
    order = [*sorted(outside, key=lambda dim: -steps[dim]), *dims]
    strides, step = [0] * len(size), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= size[dim]
    return tuple(strides)


def _ordered(input: Tensor, dims: Sequence[int]) -> list[int]:
    return sorted(dims, key=lambda dim: -input.stride()[dim])


def _check_batch(input: Tensor) -> None:
    if input._device != META and not input.numel():
        raise RuntimeError("MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration parameters")


# -- on the CPU -------------------------------------------------------------------------------------------------------

_FORWARD: dict[int, Norm] = {PLAIN: "backward", BY_ROOT: "ortho", BY_N: "forward"}
_BACKWARD: dict[int, Norm] = {PLAIN: "forward", BY_ROOT: "ortho", BY_N: "backward"}


def _c2c_cpu(out: Array, x: Array, dims: Any, scale: int, forward: bool) -> None:
    function, norms = (numpy.fft.fftn, _FORWARD) if forward else (numpy.fft.ifftn, _BACKWARD)
    out[...] = function(x, axes=dims, norm=norms[scale])


def _r2c_cpu(out: Array, x: Array, dims: Any, scale: int, half: bool) -> None:
    out[...] = (numpy.fft.rfftn if half else numpy.fft.fftn)(x, axes=dims, norm=_FORWARD[scale])


def _c2r_cpu(out: Array, x: Array, dims: Any, scale: int) -> None:
    *others, last = dims
    x = numpy.fft.ifftn(x, axes=others, norm=_BACKWARD[scale]) if others else x
    out[...] = numpy.fft.irfft(x, out.shape[last], axis=last, norm=_BACKWARD[scale])


# -- on a device ------------------------------------------------------------------------------------------------------


def _matrix(n: int, sign: int, like: Any) -> Any:
    """exp(sign 2 pi i j k / n) for all j and k."""
    places = arange(n, device=like.device)
    turns = (places.view(-1, 1) * places % n).to(dtypes.float64) * (sign * 2 * math.pi / n)
    return turns.cos().to(like.dtype) + 1j * turns.sin().to(like.dtype)


def _products(x: Any, dims: Any, scale: int, sign: int) -> Any:
    for dim in dims:
        moved = x.transpose(dim, -1)
        x = (moved @ _matrix(x.size(dim), sign, x)).transpose(dim, -1)
    count = math.prod(x.size(dim) for dim in dims)
    return x if scale == PLAIN else x / (count if scale == BY_N else math.sqrt(count))


def _c2c_cuda(out: Tensor, x: Tensor, dims: Any, scale: int, forward: bool) -> None:
    out.copy_(_products(x, dims, scale, -1 if forward else 1))


def _r2c_cuda(out: Tensor, x: Tensor, dims: Any, scale: int, half: bool) -> None:
    last = dims[-1]
    out.copy_(_products(x.to(out.dtype), dims, scale, -1).narrow(last, 0, out.size(last)))


def _c2r_cuda(out: Tensor, x: Tensor, dims: Any, scale: int) -> None:
    """The missing half of the last dimension is the mirror image of the one that is there, conjugated."""
    *others, last = dims
    n = out.size(last)
    x = _products(x, others, PLAIN, 1).transpose(last, -1)
    full = x.new_zeros((*x.shape[:-1], n))
    full[..., : x.size(-1)] = x
    mirrored = (n - 1) // 2
    full[..., n - mirrored :] = x[..., 1 : mirrored + 1].flip(-1).conj()
    ends = [0, n // 2] if n % 2 == 0 else [0]  # are real: their imaginary parts are not looked at
    full[..., ends] = full[..., ends].real.to(full.dtype)
    result = _products(full, [full.dim() - 1], PLAIN, 1).real.transpose(last, -1)
    count = n * math.prod(out.size(dim) for dim in others)
    out.copy_(result if scale == PLAIN else result / (count if scale == BY_N else math.sqrt(count)))


# -- the operations ---------------------------------------------------------------------------------------------------


@op(
    {"cpu": _c2c_cpu, "cuda": _c2c_cuda},
    derivative=Rule("FftC2CBackward0", input=lambda g, c: fft_c2c(g, c.dims, c.scale, not c.forward)),
)
def _fft_c2c(input: Tensor, dims: Sequence[int], scale: int, forward: bool) -> Plan:
    size = tuple(input.size())
    dims = _ordered(input, dims)
    if dims:
        _check_batch(input)
        stride = _laid(input.stride(), dims, size)
    else:  # a copy
        stride = tuple(empty_like(input, device="meta").stride())
    result = Result(size, input.dtype, stride)
    return Plan((result,), (input,), {"dims": dims, "scale": scale, "forward": forward})


def _r2c_back(g: Any, c: Any) -> Any:
    """The half that was left out gets no gradient."""
    last, length = c.dims[-1], c.input_face.size[c.dims[-1]]
    if c.half and g.size(last) < length:
        size = (*g.shape[:last], length - g.size(last), *g.shape[last + 1 :])
        g = cat((g, g.new_zeros(size)), last)
    return fft_c2c(g, c.dims, c.scale, False).real


@op({"cpu": _r2c_cpu, "cuda": _r2c_cuda}, derivative=Rule("FftR2CBackward0", input=_r2c_back))
def _fft_r2c(input: Tensor, dims: Sequence[int], scale: int, half: bool) -> Plan:
    _check_batch(input)
    *others, last = dims
    size = list(input.size())
    if half:
        size[last] = size[last] // 2 + 1
    dims = [*_ordered(input, others), last]
    result = Result(tuple(size), _COMPLEX[input.dtype], _laid(input.stride(), dims, size))
    return Plan((result,), (input,), {"dims": dims, "scale": scale, "half": half})


def _c2r_back(g: Any, c: Any) -> Any:
    """What the other half mirrors counts twice."""
    last = c.dims[-1]
    made = fft_r2c(g, c.dims, c.scale, True)
    doubled = g.size(last) - made.size(last)
    if doubled > 0:
        factor = made.new_ones(made.size(last), dtype=g.dtype)
        factor[1 : doubled + 1] = 2
        made = made * factor.view((-1,) + (1,) * (made.dim() - 1 - last))
    return made


@op({"cpu": _c2r_cpu, "cuda": _c2r_cuda}, derivative=Rule("FftC2RBackward0", input=_c2r_back))
def _fft_c2r(input: Tensor, dims: Sequence[int], scale: int, length: int) -> Plan:
    _check_batch(input)
    *others, last = dims
    size = list(input.size())
    size[last] = length
    steps = tuple(input.stride())
    if others:  # they are transformed first
        steps = _laid(steps, _ordered(input, others), input.size())
    result = Result(tuple(size), _REAL[input.dtype], _laid(steps, [last], size))
    return Plan((result,), (input,), {"dims": list(dims), "scale": scale})


fft_c2c: Any = _fft_c2c
fft_r2c: Any = _fft_r2c
fft_c2r: Any = _fft_c2r
