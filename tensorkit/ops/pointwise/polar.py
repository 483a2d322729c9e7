"""Complex numbers from two parts: `complex`, `polar`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.elementwise.output import check_memory, empty_strided, prepare_out, seen_layout
from tensorkit.elementwise.promotion import check_devices
from tensorkit.elementwise.run import run_zip
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.scalars.elementary import COMPLEX, POLAR
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.strides.output import iterator_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Tensor

_PARTS = (dtypes.float16, dtypes.float32, dtypes.float64)


def _complex_target(first: Tensor, second: Tensor, out: Tensor | None) -> Tensor:
    """Where complex numbers of two such parts go.

    Raises:
        RuntimeError: when the parts are not of one floating point dtype.
    """
    own, other = first._dtype, second._dtype
    if own not in _PARTS or other not in _PARTS:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {own.label} and {other.label}"
        )
    if own is not other:
        raise RuntimeError(
            f"Expected object of scalar type {own.label} but got scalar type {other.label} for second argument"
        )
    kind, place = own.to_complex(), check_devices((first, second))
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            f"Expected object of scalar type {kind.label} but got scalar type {out._dtype.label} for argument 'out'"
        )
    if out is not None:
        check_memory(out, (first, second))
    size = broadcast_sizes(first._lay().size, second._lay().size)
    stride = iterator_strides(size, [seen_layout(t, own) for t in (first, second)])
    return (
        empty_strided(size, stride, kind, place)
        if out is None
        else prepare_out(out, size, stride, kind, place)
    )


def _run(scalar: Scalar, target: Tensor, first: Tensor, second: Tensor) -> None:
    if target.numel() and target._device != META:
        kind = first._dtype
        run_zip(scalar.name, scalar, target, (first, second), (kind, kind), kind.to_complex())


@op(
    kind="pointwise",
    methods=(),
    derivative=Rule("ComplexBackward0", real=lambda g, c: g.real, imag=lambda g, c: g.imag),
    out_overlap="before resizing",
)
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts.

    Args:
        real, imag: tensors of float32, or both of float64, of sizes that broadcast together.

    Returns:
        A tensor of complex64 or complex128.

    Raises:
        RuntimeError: when the dtypes differ, or are not among these.

    >>> tk.complex(tk.tensor([1.0, 2.0]), tk.tensor([3.0, -4.0]))
    tensor([1.+3.j, 2.-4.j])
    """
    if not isinstance(real, Tensor) or not isinstance(imag, Tensor):
        raise TypeError
    target = _complex_target(real, imag, out)
    if target._device == CPU:
        array = target._nd()
        array.real[...], array.imag[...] = real._nd(), imag._nd()
    else:
        _run(COMPLEX, target, real, imag)
    if out is not None:
        target._bump()
    return target


def _by_length(g: Any, c: Any) -> Any:
    return (g.conj() * c.out.sgn()).real


def _by_angle(g: Any, c: Any) -> Any:
    return (g.conj() * (c.out * 1j)).real


@op(
    kind="pointwise",
    methods=(),
    rounded=1,
    derivative=Rule("PolarBackward0", abs=_by_length, angle=_by_angle),
    out_overlap="before resizing",
)
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their lengths and angles: ``abs * cos(angle) + abs * sin(angle) * 1j``.

    >>> tk.polar(tk.tensor([1.0, 2.0]), tk.tensor([0.0, 3.141592653589793]))
    tensor([ 1.+0.0000e+00j, -2.-1.7485e-07j])
    """
    if not isinstance(abs, Tensor) or not isinstance(angle, Tensor):
        raise TypeError
    target = _complex_target(abs, angle, out)
    if abs._dtype is dtypes.float16:
        raise missing_kernel("polar_cpu", "Half")
    if target._device == CPU:
        length, turned, array = abs._nd(), angle._nd(), target._nd()
        array.real[...] = kernels.quiet(numpy.multiply, length, kernels.quiet(numpy.cos, turned))
        array.imag[...] = kernels.quiet(numpy.multiply, length, kernels.quiet(numpy.sin, turned))
    else:
        _run(POLAR, target, abs, angle)
    if out is not None:
        target._bump()
    return target
