"""Extremes over several dimensions: `amax`, `amin`, `aminmax`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_dims,
    check_flag,
    exact_out,
    host,
    like_meta,
    one_axis,
    reduced_size,
)
from tensorkit.ops.reduction.min_max import (
    empty_needs_dim,
    extreme_of,
    pair_into,
    share,
)
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.tensor import Tensor

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
    on_cpu = partial(extreme_of, name == "amax")
    return on_device.reduce(name, input, axes, keepdim, kind, out, on_cpu, name[1:])


def _shared(g: Any, c: Any) -> Any:
    return share(g, c.out, c.input, c.dim, c.keepdim)


@op(
    kind="reduce",
    derivative=Rule("AmaxBackward0", applies=_refuse_complex("amax"), input=_shared),
    out_overlap="allowed",
)
@shortened("amax")
def amax(input: Tensor, dim: Dims | None = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest of all elements, or of those along the dimensions named.

    Equal elements share the gradient evenly, where `max` along a dimension gives all of it to one.

    Args:
        dim: one dimension or several; none means all. keepdim: keep a reduced dimension with size 1.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([[1, 5], [3, 2]]).amax(1)
    tensor([5, 3])
    """
    return _amax("amax", input, dim, keepdim, out)


@op(
    kind="reduce",
    derivative=Rule("AminBackward0", applies=_refuse_complex("amin"), input=_shared),
    out_overlap="allowed",
)
@shortened("amin")
def amin(input: Tensor, dim: Dims | None = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest of all elements, or of those along the dimensions named.

    Equal elements share the gradient evenly, where `min` along a dimension gives all of it to one.

    Args:
        dim, keepdim: as in `amax`.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> tk.tensor([[1, 5], [3, 2]]).amin(1)
    tensor([1, 2])
    """
    return _amax("amin", input, dim, keepdim, out)


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
