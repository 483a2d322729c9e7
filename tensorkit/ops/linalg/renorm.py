"""Slices of a tensor made no longer than allowed."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.op import op
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction.norm import norm_back, vector_norm
from tensorkit.ops.shared.copy import deliver_into
from tensorkit.ops.shared.scalar_arithmetic import plus, times
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Number, Tensor

_LEAST = 1e-7  # PyTorch's guard against division by zero


def _others(dim: int, ndim: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(ndim) if axis != dim % ndim)


def _shortened_back(g: Any, c: Any) -> Any:
    """A slice that was too long passes back only the change of direction, scaled as the slice was."""
    x, axes, wide = c.input, _others(c.dim, c.input.dim()), g.dtype
    norm = vector_norm(x, c.p, axes, True)
    along = (x.conj() * g).real if wide.is_complex else x * g
    turned = norm_back(along.sum(axes, True), x, float(c.p), norm, axes, True)
    scale = plus(norm, _LEAST).reciprocal()
    return where(norm > c.maxnorm, times(scale, float(c.maxnorm)) * (g - scale * turned), g).to(wide)


def _check(input: Tensor, p: Any, maxnorm: Any) -> None:
    for name, value in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(value, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {float(maxnorm):g}")
    if input.dim() < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.dim()} dimensions")


def _bare(input: Tensor) -> Tensor:
    """An empty tensor's like in row-major order: `contiguous` takes any strides for that, where nothing is read."""
    size = input._lay().size
    return empty_strided(size, contiguous_stride(size), input._dtype, input._device)


@op(
    strict=True,
    kind="reduce",
    inplace=True,
    derivative=Rule("RenormBackward0", input=_shortened_back),
    rounded=4,
)
def renorm(input: Tensor, p: Number, dim: int, maxnorm: Number, *, out: Tensor | None = None) -> Tensor:
    """Every slice along `dim` scaled down so that its p-norm is at most `maxnorm`; shorter ones stay.

    Raises:
        RuntimeError: for fewer than two dimensions, integers, ``p <= 0`` or a negative `maxnorm`.

    >>> tk.renorm(tk.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    _check(input, p, maxnorm)
    order: Any = p
    most: Any = maxnorm
    dim = normalise_dim(dim, input.dim())
    kind = input._dtype
    if input._device == META:
        return _bare(input)
    half = kind in (dtypes.float16, dtypes.bfloat16)
    plain: Any = input.detach().contiguous() if input.numel() else _bare(input)
    norm: Any = vector_norm(
        plain, float(order), _others(dim, input.dim()), True, dtypes.float32 if half else None
    )
    factor: Any = where(norm > most, float(most) / (norm + _LEAST), 1.0)
    lay = plain._lay()
    plain = plain._view(
        Layout(lay.size, contiguous_stride(lay.size), lay.offset)
    )  # of dimensions of length 1 too
    result: Tensor = plain * factor.to(kind if half else factor.dtype)
    if out is None:
        return result
    if isinstance(out, Tensor) and out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )
    return deliver_into(result, out)
