"""Powers beyond `pow`: `ldexp`, `float_power`."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dtypes import dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.output import check_writable, empty_strided, resize_out
from tensorkit.kernels.scalars.elementary import LDEXP
from tensorkit.ops.pointwise.arithmetic import conjugated, mul
from tensorkit.ops.pointwise.power import pow as raised
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.ops.shared.to import to_dtype
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor


def _ldexp(a: Array, b: Array) -> Array:
    return numpy.ldexp(a, numpy.clip(b, -9999, 9999).astype(numpy.int32))


_LDEXP = Pointwise("ldexp", _ldexp, LDEXP, lacks=())
_STEPS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def _scaled(input: Any, other: Any, out: Any) -> Tensor:
    """The product with a power of two, which is rounded by itself: what is left where one step will not do."""
    if out is IN_PLACE:
        if input._dtype.category < 2:
            raise RuntimeError(f"ldexp can't be cast to the desired output type {input._dtype.label}")
        return input.mul_(_power(input, other))  # type: ignore[no-any-return]
    return mul(input, _power(input, other), out=out)


def _power(input: Any, other: Any) -> Tensor:
    """Two to the power of a tensor, of a number for float32 and else of a tensor: their memory differs."""
    kind = input._dtype if input._dtype.category >= 2 else dtypes.get_default_dtype()
    base = 2.0 if input._dtype is dtypes.float32 else deliver(2.0, kind)
    return raised(base, other)


@op(
    kind="pointwise",
    inplace=True,
    rounded=1,
    derivative=Rule(
        "LdexpBackward0",
        input=lambda g, c: g * conjugated(2**c.other),
        other=lambda g, c: times(g * conjugated(c.out), math.log(2)),
    ),
    out_overlap="before resizing",
)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2**other``; of floating point numbers and integers exactly, whatever lies between.

    >>> tk.ldexp(tk.tensor([1.0, 3.0]), tk.tensor([4, -1]))
    tensor([16.0000,  1.5000])
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise TypeError
    if input._dtype.category != 2 or other._dtype.category >= 2:
        return _scaled(input, other, out)
    if other._dtype not in _STEPS:
        if out is IN_PLACE:
            check_writable(input)
        size = broadcast_sizes(input._lay().size, other._lay().size)
        resize_out(empty_strided(input._lay().size, input._lay().stride, input._dtype, META), size)
        raise missing_kernel("ldexp_cpu_exp", other._dtype.label)
    if out is None:
        lay = input._lay()
        out = empty_strided(lay.size, like_strides(lay), input._dtype, input._device)
        result = apply(_LDEXP, (input, to_dtype(other, dtypes.int32)), out=out)
        result._counter = None
        return result
    return apply(_LDEXP, (input, to_dtype(other, dtypes.int32)), out=out)


def _wide(*operands: Any) -> dtype:
    """The dtype that `float_power` computes in."""
    kinds = [o._dtype.is_complex if isinstance(o, Tensor) else isinstance(o, complex) for o in operands]
    return dtypes.complex128 if any(kinds) else dtypes.float64


@op(
    kind="pointwise",
    inplace=True,
    inplace_derivative=Rule("composed"),
    rounded=1,
    out_error="pow",
    out_overlap="before resizing",
)
@takes(
    "(Tensor input, Tensor exponent, *, Tensor out = None)",
    "(Number self, Tensor exponent, *, Tensor out = None)",
    "(Tensor input, Number exponent, *, Tensor out = None)",
)
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power, element by element, in double precision whatever the operands are.

    Returns:
        A tensor of float64, or of complex128 where an operand is complex.

    Raises:
        RuntimeError: when `out`, or the tensor that is written to, is of another dtype.

    >>> tk.float_power(tk.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=tensorkit.float64)
    """
    if not any(isinstance(o, Tensor) for o in (input, exponent)):
        raise TypeError
    if not all(isinstance(o, (Tensor, *NUMBERS)) for o in (input, exponent)):
        raise TypeError
    kind = _wide(input, exponent)
    written, given = (
        (input, "base given to float_power_") if out is IN_PLACE else (out, "output given to float_power")
    )
    if isinstance(written, Tensor) and written._dtype is not kind:
        raise RuntimeError(
            f"the {given} has dtype {written._dtype.label} but the operation's result requires dtype {kind.label}"
        )
    base, power = (o.to(kind) if isinstance(o, Tensor) else o for o in (input, exponent))
    if out is IN_PLACE:
        return base.pow_(power)
    return raised(base, power, out=out)
