"""What a call of a Fourier transform asks for, and which of the three kernels it comes down to.

Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.ops.fft.kernels import BY_N, BY_ROOT, PLAIN, fft_c2c, fft_c2r, fft_r2c
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.matrix_products.product import refuse_recording
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor

# -- what a call asks for ---------------------------------------------------------------------------------------------


def _promoted(input: Tensor, both: bool = False) -> Any:
    """Whole numbers as the default dtype; `both` for complex numbers."""
    kind = input.dtype
    if kind.is_complex:
        return input
    if not kind.is_floating_point:
        kind = dtypes.get_default_dtype()
    if kind not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"Unsupported dtype {kind.label}")
    if both:
        kind = dtypes.complex64 if kind is dtypes.float32 else dtypes.complex128
    return input.to(kind)


def _scale(norm: str | None, forward: bool) -> int:
    if norm == "ortho":
        return BY_ROOT
    if norm not in (None, "forward", "backward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return BY_N if (norm == "forward") == forward else PLAIN


def _points(n: int) -> int:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _one_dim(input: Tensor, dim: int) -> int:
    if not input.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return normalise_dim(dim, input.dim())


def _several(input: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The dimensions to transform, and the lengths that they are to have."""
    s = [s] if isinstance(s, int) else s
    dims = [dim] if isinstance(dim, int) else dim
    if dims is not None:
        dims = [_one_dim(input, one) for one in dims]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dims is not None and len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > input.dim():
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {input.dim()} dimensions."
            )
        dims = list(range(input.dim() - len(s), input.dim())) if dims is None else dims
    dims = list(range(input.dim())) if dims is None else dims
    lengths = [-1] * len(dims) if s is None else s
    return dims, [
        _points(input.size(one) if length == -1 else length)
        for one, length in zip(dims, lengths, strict=True)
    ]


def _resized(x: Any, dims: Sequence[int], lengths: Sequence[int]) -> Any:
    """Cut off at the end, or followed by zeros."""
    for dim, length in zip(dims, lengths, strict=True):
        size = list(x.size())
        if size[dim] < length:
            size[dim] = length - size[dim]
            x = cat((x, x.new_zeros(size)), dim)
        elif size[dim] > length:
            x = x.narrow(dim, 0, length)
    return x


def check_out(out: Tensor | None, input: Tensor, name: str, kernel: str = "") -> None:
    """Refuse what is given as ``out=`` and is of the other kind of numbers, or cannot be recorded.

    Args:
        kernel: what fills it; if not given, it depends on the input.
    """
    if out is None:
        return
    if kernel == "_fft_c2r" and not out.is_floating_point():
        raise RuntimeError(f"{name} expects a floating point output tensor, but got {out.dtype.label}")
    if kernel != "_fft_c2r" and not out.is_complex():
        raise RuntimeError(f"{name} expects a complex output tensor, but got {out.dtype.label}")
    if name in ("ifft", "ihfft") and not input.is_complex():
        made = _promoted(input, both=True).dtype
        if out.dtype is not made:  # where PyTorch conjugates in place
            raise RuntimeError(f"Found dtype {out.dtype.label} but expected {made.label}")
    refuse_recording(kernel or ("_fft_c2c" if input.is_complex() else "_fft_r2c"), input)


# -- one dimension ----------------------------------------------------------------------------------------------------


def _complex(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    at = _one_dim(input, dim)
    length = _points(input.size(at) if n is None else n)
    x = input if n is None else _resized(input, [at], [length])
    return fft_c2c(x, [at], _scale(norm, forward), forward)


def real(
    name: str, input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, half: bool
) -> Any:
    """Real to complex: half of the result, or all of it."""
    if input.is_complex():
        raise RuntimeError(f"{name} expects a real input tensor, but got {input.dtype.label}")
    x = _promoted(input)
    at = _one_dim(x, dim)
    length = _points(x.size(at) if n is None else n)
    x = x if n is None else _resized(x, [at], [length])
    made = fft_r2c(x, [at], _scale(norm, forward), half)
    return made if forward else made.conj()


def mirrored(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    """Transform half of a Hermitian signal to real numbers."""
    x = _promoted(input, both=True)
    at = _one_dim(x, dim)
    length = _points((x.size(at) - 1) * 2 if n is None else n)
    x = x if n is None else _resized(x, [at], [length // 2 + 1])
    scale = _scale(norm, forward)
    return fft_c2r(x.conj() if forward else x, [at], scale, length)


def either(name: str, input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Any:
    """All of the result, of real or complex input."""
    if input.is_complex():
        return _complex(input, n, dim, norm, forward)
    return real(name, input, n, dim, norm, forward, half=False)


# -- several ----------------------------------------------------------------------------------------------------------


def complex_n(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Any:
    """Complex to complex, over several dimensions."""
    dims, lengths = _several(input, s, dim)
    x = _resized(_promoted(input, both=True), dims, lengths)
    scale = _scale(norm, forward)
    return fft_c2c(x, dims, scale, forward)


def _some(dims: list[int], name: str) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def real_n(input: Tensor, s: Any, dim: Any, norm: str | None) -> Any:
    """Real to half of a complex result."""
    if input.is_complex():
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {input.dtype.label}")
    dims, lengths = _several(input, s, dim)
    _some(dims, "rfftn")
    return fft_r2c(_resized(_promoted(input), dims, lengths), dims, _scale(norm, True), True)


def _mirrored_n(name: str, input: Tensor, s: Any, dim: Any) -> tuple[Any, list[int], int]:
    """The input of a transform to real numbers, its dimensions, and how long the last one is to be."""
    dims, lengths = _several(input, s, dim)
    _some(dims, name)
    last = s if isinstance(s, int) else -1 if s is None else s[-1]
    length = _points(2 * (input.size(dims[-1]) - 1) if last == -1 else lengths[-1])
    return _resized(_promoted(input, both=True), dims, [*lengths[:-1], length // 2 + 1]), dims, length


def irfftn_of(input: Tensor, s: Any, dim: Any, norm: str | None) -> Any:
    """Transform half a spectrum, as `real_n` gives it, back to real numbers."""
    x, dims, length = _mirrored_n("irfftn", input, s, dim)
    return fft_c2r(x, dims, _scale(norm, False), length)


def hfftn_of(input: Tensor, s: Any, dim: Any, norm: str | None) -> Any:
    """Transform half of a Hermitian signal to real numbers, forwards."""
    x, dims, length = _mirrored_n("hfftn", input, s, dim)
    scale = _scale(norm, True)
    x = fft_c2c(x, dims[:-1], scale, True) if len(dims) > 1 else x
    return fft_c2r(x.conj(), dims[-1:], scale, length)


def ihfftn_of(input: Tensor, s: Any, dim: Any, norm: str | None) -> Any:
    """The way back: half of the result."""
    dims, lengths = _several(input, s, dim)
    _some(dims, "ihfftn")
    x = _promoted(input)
    scale = _scale(norm, False)
    if x.is_complex():
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {x.dtype.label}")
    x = _resized(x, dims, lengths)
    made = fft_r2c(x, dims[-1:], scale, True).conj()
    return fft_c2c(made, dims[:-1], scale, False) if len(dims) > 1 else made
