"""Extremes over several dimensions: `amax`, `amin`, `aminmax`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import minmax_compiled, tiny
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    axis_of_small,
    check_dims,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    reduced_size,
    small,
)
from tensorkit.ops.reduction.min_max import (
    QUICK_DTYPES,
    empty_needs_dim,
    extreme_of,
    of_all,
    pair_into,
    share,
)
from tensorkit.ops.reduction.sum_mean import of_one
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.tensor import Tensor, fresh

# -- how gradients pass back --------------------------------------------------------------------------------------


def _aminmax_back(g: Any, c: Any) -> Any:
    low, high = g
    parts = [] if low is None else [share(low, c.out, c.input, c.dim, c.keepdim)]
    parts += [] if high is None else [share(high, c.indices, c.input, c.dim, c.keepdim)]
    return parts[0] + parts[1] if len(parts) == 2 else parts[0]


# -- amax and amin: over several dimensions -----------------------------------------------------------------------


def _check_empty(name: str, dim: Any, size: tuple[int, ...]) -> None:
    """Refuse to choose from no elements; where there is nothing to choose for, all is well."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        raise RuntimeError(empty_needs_dim(name))
    for one in dim if isinstance(dim, (tuple, list)) else (dim,):
        if size[one_axis(one, len(size))] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {int(one)} to have non-zero size.")


def _refuse_complex(name: str) -> Callable[[dict[str, Any]], bool]:
    """Complex numbers have no largest: where there are none at all, it is the derivative that is refused."""

    def applies(call: dict[str, Any]) -> bool:
        input = call["input"]
        if isinstance(input, Tensor) and input._dtype.is_complex and not input.numel():
            _check_empty(name, call["dim"], input._lay().size)
            if state.grad and requires_grad(input):
                raise RuntimeError(
                    f"{name} does not support automatic differentiation for outputs with complex dtype."
                )
        return True

    return applies


def _amax(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Tensor:
    check_flag(keepdim)
    kind, size = input._dtype, input._lay().size
    if out is not None and not isinstance(out, Tensor):
        raise TypeError
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {kind.label} for input's dtype and "
            f"{out._dtype.label} for out's dtype."
        )
    check_dims(dim)
    if not input.numel():
        _check_empty(name, dim, size)
    axes = axes_of(dim, len(size))
    if input.numel() and (kind in LIMITED or kind.is_complex):
        raise missing_kernel("max_values_cpu" if name == "amax" else "min_values_cpu", kind.label)
    if input._device == META:
        return like_meta(reduced_size(size, axes, keepdim), kind)
    if is_on_device(input):
        return on_device.reduced(name[1:], input, axes, keepdim, kind, out)
    return deliver(extreme_of(name == "amax", host(input, name), axes, keepdim, kind), kind, out)


def _amax_op(name: str, sentence: str, answer: str) -> Callable[..., Tensor]:
    """`amax` and `amin`."""
    largest = name == "amax"
    ufunc = numpy.maximum if largest else numpy.minimum

    def quickly(input: Tensor, dim: Any) -> Tensor | None:
        if dim.__class__ is not int:
            whole = brief(input) if dim.__class__ is tuple and not dim else None
            return None if whole is None else of_all(largest, whole, input._dtype)
        if (array := small(input)) is not None:
            axis = axis_of_small(array, dim)
            values = None if axis is None else tiny.extreme_along(largest, array, axis)[0]
            # Of two zeros NumPy knows which.
            if values is not None and 0.0 not in values.reshape(-1).tolist():
                return fresh(values, input._dtype)
        whole = brief(input, QUICK_DTYPES)
        axis = None if whole is None else axis_of_small(whole, dim)
        if whole is None or axis is None:
            return None
        only = of_all(largest, whole, input._dtype) if whole.ndim == 1 else None
        if only is not None:
            return only
        values = minmax_compiled.along(largest, whole, axis)
        if values is None:
            # NumPy keeps the order in which dimensions lie.
            values = numpy.asarray(kernels.quiet(ufunc.reduce, whole, axis), order="C")
        return fresh(values, input._dtype)

    def at_once(input: Any = None, dim: Any = (), *more: Any) -> Tensor | None:
        if more or input.__class__ is not Tensor or wants_grad(input):
            return None
        return quickly(input, dim)

    def extreme(
        input: Tensor, dim: Dims | None = (), keepdim: bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        one = input._array
        if out is None and one is not None and one.size == 1 and input._dtype in QUICK_DTYPES:
            found = of_one(one.item(), one, input._dtype, dim, keepdim)
            if found is not None:
                return found
        if out is None and keepdim is False and (quick := quickly(input, dim)) is not None:
            return quick
        return _amax(name, input, dim, keepdim, out)

    extreme.__name__ = name
    extreme.__doc__ = f"""The {sentence} of all elements, or of those along the dimensions named.

    Equal elements share the gradient evenly, where `{name[1:]}` along a dimension gives all of it to one.

    Args:
        dim: one dimension or several; none means all. keepdim: keep a reduced dimension with size 1.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([[1, 5], [3, 2]]).{name}(1)
    {answer}
    """
    rule = Rule(
        f"{name.capitalize()}Backward0",
        applies=_refuse_complex(name),
        input=lambda g, c: share(g, c.out, c.input, c.dim, c.keepdim),
    )
    made = op(kind="reduce", name=name, derivative=rule, first=at_once, out_overlap="allowed")
    return made(extreme)


amax = _amax_op("amax", "largest", "tensor([5, 3])")
amin = _amax_op("amin", "smallest", "tensor([1, 2])")


@op(kind="reduce", derivative=Rule("AminmaxBackward0", input=_aminmax_back))
@takes("(Tensor input, *, int dim = None, bool keepdim = False, tuple of Tensors out = None)")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Any = None) -> Any:
    """The smallest and the largest element, of all or along one dimension, as a named pair ``(min, max)``.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> low, high = tk.tensor([[1, 5], [3, 2]]).aminmax(dim=0)
    >>> low, high
    (tensor([1, 2]), tensor([3, 5]))
    """
    check_flag(keepdim)
    kind, size = input._dtype, input._lay().size
    axes = axes_of(dim if dim is None else one_axis(dim, len(size)), len(size))
    if dim is not None and any(size[axis] == 0 for axis in axes):
        raise IndexError(f"aminmax: Expected reduction dim {axes[0]} to have non-zero size.")
    if dim is None and not input.numel():
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    for part in out if isinstance(out, (tuple, list)) else ():
        exact_out(kind, part)
    scalar_along = dim is not None and not size
    if kind.is_complex and scalar_along:
        raise RuntimeError(f"aminmax not implemented for {kind.label}")
    if (kind in LIMITED and not scalar_along) or kind.is_complex:
        raise missing_kernel("aminmax_cpu", kind.label)
    if input._device == META:
        shrunk = reduced_size(size, axes, keepdim)
        return pair_into("aminmax", out, (like_meta(shrunk, kind), like_meta(shrunk, kind)))
    if is_on_device(input):
        low, high = (on_device.reduced(how, input, axes, keepdim, kind) for how in ("min", "max"))
    else:
        array = host(input, "aminmax")
        low, high = (deliver(extreme_of(up, array, axes, keepdim, kind), kind) for up in (False, True))
    return pair_into("aminmax", out, (low, high), read=None if dim is None else input)
