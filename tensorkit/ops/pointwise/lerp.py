"""Mixtures: `lerp`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.kernels.cpu import loops
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.scalars.arithmetic import LERP
from tensorkit.ops.pointwise.arithmetic import conjugated
from tensorkit.ops.pointwise.held_numbers import WHOLE, number_as_held
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.tensor import Array, Tensor


def _lerp(a: Array, b: Array, weight: Any) -> Any:
    """From the nearer end: then 0 gives the one end and 1 the other to the last bit."""
    gap = b - a
    near = numpy.abs(weight) < 0.5
    if not isinstance(weight, numpy.ndarray) or not weight.ndim:
        return a + weight * gap if near else b - gap * (1 - weight)
    return numpy.where(near, a + weight * gap, b - gap * (1 - weight))


def _mixing(weight: Any) -> Any:
    """`_lerp` with a number as the weight."""
    if numpy.iscomplexobj(weight) or numpy.ndim(weight):
        return lambda a, b: _lerp(a, b, weight)
    return CompiledFunction(loops.mix, lambda a, b, _: _lerp(a, b, weight), extra=(float(weight),))


MIXED = Pointwise("lerp", None, LERP, kernel="lerp_kernel_scalar", lacks=WHOLE)


def _check_mixed(input: Tensor, **others: Tensor) -> None:
    for name, other in others.items():
        if other._dtype is not input._dtype:
            raise RuntimeError(
                f"expected dtype {cpp_name(input._dtype)} for `{name}` but got dtype {cpp_name(other._dtype)}"
            )


def _lerp_weight(g: Any, c: Any) -> Any:
    return g * conjugated(c.end - c.input)


@op(
    kind="pointwise",
    inplace=True,
    rounded=1,
    derivative=Rule(
        lambda call: f"LerpBackward{int(isinstance(call['weight'], Tensor))}",
        input=lambda g, c: g * conjugated(1 - c.weight),
        end=lambda g, c: g * conjugated(c.weight),
        weight=_lerp_weight,
    ),
    out_overlap="before resizing",
)
@shortened("lerp")
@takes(
    "(Tensor input, Tensor end, Tensor weight, *, Tensor out = None)",
    "(Tensor input, Tensor end, Number weight, *, Tensor out = None)",
)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """Mix two tensors: ``input + weight * (end - input)``, a straight line from one to the other.

    Args:
        weight: 0 gives `input`, 1 gives `end`: a number, or a tensor of the same dtype.

    Raises:
        RuntimeError: when the dtypes differ. NotImplementedError: for integers.

    >>> tk.lerp(tk.tensor([0.0, 10.0]), tk.tensor([4.0, 20.0]), 0.25)
    tensor([ 1.0000, 12.5000])
    """
    if not isinstance(input, Tensor) or not isinstance(end, Tensor):
        raise TypeError
    if not isinstance(weight, Tensor):
        if not isinstance(weight, NUMBERS):
            raise TypeError
        _check_mixed(input, end=end)
        factor = number_as_held(weight, input._dtype) if input._dtype.category >= 2 else 0
        return apply(MIXED, (input, end), out=out, by=_mixing(factor), numbers=(factor,))
    _check_mixed(input, end=end) if not weight.dim() else _check_mixed(input, end=end, weight=weight)
    exact = bool(weight.dim())
    block = Pointwise("lerp", _lerp, LERP, kernel="lerp_kernel_tensor", lacks=WHOLE, exact_out=exact)
    return apply(block, (input, end, weight), out=out)
