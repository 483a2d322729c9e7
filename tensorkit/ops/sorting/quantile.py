"""Quantiles: values between which given shares of the elements lie.

They are made of other operations, as PyTorch's are, so gradients pass back through those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import requires_grad
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import resize_out
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.sorting.sort import sorted_values
from tensorkit.ops.sorting.values_and_indices import axis_of, check_flags
from tensorkit.tensor import Tensor

_MODES = ("linear", "lower", "higher", "midpoint", "nearest")
_MOST_ELEMENTS = 2**24


def _shares(input: Tensor, q: Any) -> Tensor:
    """The shares asked for, as a tensor.

    Raises:
        RuntimeError: for one outside [0, 1], of another dtype, or with several dimensions.
    """
    if isinstance(q, Tensor):
        return q
    if not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    return deliver(numpy.array(float(q)), input._dtype).to(input._device)


def _check(input: Tensor, q: Tensor, out: Tensor | None) -> None:
    if q.dim() > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._dtype is not dtypes.float32 and input._dtype is not dtypes.float64:
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._dtype is not input._dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if q._device != input._device:
        raise RuntimeError("quantile() q tensor must be on the same device as the input tensor")
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError("quantile() out tensor must be same dtype as the input tensor")


def _in_rows(input: Tensor, axis: int | None) -> Tensor:
    """Sorted along the last dimension, where the elements of one quantile now lie."""
    if axis is None:
        input = input.flatten()
    elif axis != input.dim() - 1:
        input = input.unsqueeze(-1).transpose(axis, -1)
    recorded = wants_grad(input) and requires_grad(input)
    return input.sort()[0] if recorded or input._device != CPU else sorted_values(input)


def _ranks(rows: Any, q: Any, ignore: bool) -> Any:
    """Where, between the places of a row, the quantiles are; the last place if it is nan, which is nan then."""
    if ignore:
        ranks = q * (rows.isnan().logical_not().sum(-1, True) - 1)
        return ranks.masked_fill(ranks < 0, 0)
    last = rows.size(-1) - 1
    ranks, lost = q * last, rows.isnan().any(-1, True)
    size = numpy.broadcast_shapes(ranks.size(), lost.size())
    return ranks.expand(size).masked_fill(lost.expand(size), last)


def _between(rows: Any, ranks: Any, interpolation: str) -> Any:
    rounding: dict[str, Callable[[Any], Any]] = {
        "lower": lambda r: r.floor(),
        "higher": lambda r: r.ceil(),
        "nearest": lambda r: r.round(),
    }
    if interpolation in rounding:
        return rows.gather(-1, rounding[interpolation](ranks).long())
    places = ranks.long()
    below = rows.gather(-1, places)
    weights = ranks - places if interpolation == "linear" else ranks.detach().clone().fill_(0.5)
    return below.lerp_(rows.gather(-1, ranks.ceil().long()), weights)


def _quantile(
    input: Tensor, q: Any, dim: Any, keepdim: bool, interpolation: str, ignore: bool, out: Tensor | None
) -> Tensor:
    if not isinstance(input, Tensor) or not isinstance(q, (Tensor, *NUMBERS)) or isinstance(q, complex):
        raise TypeError
    check_flags(keepdim)
    if not isinstance(interpolation, str) or not (out is None or isinstance(out, Tensor)):
        raise TypeError
    shares = _shares(input, q)
    if interpolation not in _MODES:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if not input.numel():
        raise RuntimeError("quantile() input tensor must be non-empty")
    _check(input, shares, out)
    axis = None if dim is None else axis_of(dim, input.dim())
    if input._device == CPU and not bool(shares.detach().ge(0).logical_and(shares.detach().le(1)).all()):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    size = list(input.size())
    if axis is not None and size:
        size[axis : axis + 1] = [1] if keepdim else []
    elif axis is None:
        size = [1] * len(size) if keepdim else []
    rows = _in_rows(input, axis)
    if rows.size(-1) > _MOST_ELEMENTS:
        raise RuntimeError("quantile() input tensor is too large")
    rows = rows.view(*size, rows.size(-1))
    found: Tensor = _between(rows, _ranks(rows, shares, ignore), interpolation)
    if not shares.dim():
        found = found.squeeze_(-1)
    else:
        found = found.unsqueeze_(0).transpose_(0, -1).squeeze_(-1)
    if out is None:
        return found
    resize_out(out, found._lay().size)
    out.copy_(found)
    return out


_FORMS = [
    f'(Tensor input, {kind} q, int dim = None, bool keepdim = False, *, str interpolation = "linear", '
    "Tensor out = None)"
    for kind in ("Tensor", "float")
]


@op(kind="reduce", rounded=1, out_recording="in place")
@takes(*_FORMS)
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The values below which given shares of the elements lie; nan where an element is nan.

    Args:
        input: of float32 or float64, not empty.
        q: a number from 0 to 1, or a 0-d or 1-d tensor of such numbers, of the input's dtype.
        dim: the dimension along which to look; none means all elements.
        keepdim: keep the reduced dimension with size 1.
        interpolation: what to do between two elements: ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or
            ``"nearest"``.

    Returns:
        A tensor; for a 1-d `q`, with a first dimension of its size.

    Raises:
        RuntimeError: for other dtypes, shares outside [0, 1], or more than 2**24 elements.

    >>> tk.tensor([1.0, 2.0, 4.0, 8.0]).quantile(0.5)
    tensor(3.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, False, out)


@op(kind="reduce", rounded=1, out_recording="in place")
@takes(*_FORMS)
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The values below which given shares of the elements lie, nan left out.

    Arguments and results are those of `quantile`.

    >>> tk.tensor([1.0, 2.0, float("nan"), 4.0]).nanquantile(0.5)
    tensor(2.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, True, out)
