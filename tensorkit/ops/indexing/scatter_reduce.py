"""Reducing what is written to one place: `scatter_reduce`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.recording import differentiable
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.ops.indexing.scatter import check_scatter, scattered
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.out_and_inplace import paired, real_alone
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor


def _counts(like: Any, c: Any) -> Any:
    start = like.new_ones(like.size()) if c.include_self else like.new_zeros(like.size())
    counts = start.scatter_add(c.dim, c.index, like.new_ones(c.src_face.size))
    return counts.masked_fill(counts.eq(0), 1)


def _shares(g: Any, c: Any) -> Any:
    """The gradient of a maximum or minimum, divided evenly among the elements that attain it."""
    own = c.input.eq(c.out).to(g.dtype)
    others = c.src.eq(c.out.gather(c.dim, c.index)).to(g.dtype)
    return g / own.scatter_add(c.dim, c.index, others)


def _product_by_input(g: Any, c: Any) -> Any:
    filled = c.input.masked_fill(c.input.eq(0), 1)
    products = filled.scatter_reduce(c.dim, c.index, c.src, "prod", include_self=c.include_self)
    return g * products / filled


_TWICE = (
    "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same position "
    "in self"
)


def _refuse_twice(g: Any, c: Any) -> Any:
    raise RuntimeError(c.said)


def _same(input: Tensor, said: str) -> Tensor:
    return input._view(input._lay())


_once = differentiable(_same, Rule("DelayedError", input=_refuse_twice), "delayed_error", "view")


def _product_by_src(g: Any, c: Any, said: str) -> Any:
    zero = c.src.eq(0)
    zeros = g.new_zeros(g.size()).scatter_add(c.dim, c.index, zero.to(g.dtype)).gather(c.dim, c.index)
    single = zero.logical_and(zeros.eq(1))
    without = c.src.masked_fill(single, 1)
    others = c.input.scatter_reduce(c.dim, c.index, without, "prod", include_self=c.include_self)
    plain = (g * c.out).gather(c.dim, c.index) / c.src.masked_fill(zero, 1)
    chosen = (g * others).gather(c.dim, c.index)
    out = where(single, chosen, plain)
    return _once(out, said) if zeros.gt(1).any().item() else out


def reduced_by_input(g: Any, c: Any) -> Any:
    """The gradient of what was there before: of `input` and `src`, sent to `index` along `dim`, `reduce` gave `out`."""
    if c.reduce == "sum":
        out = g
    elif c.reduce == "mean":
        out = g / _counts(g, c)
    elif c.reduce == "prod":
        out = _product_by_input(g, c)
    else:
        out = c.input.eq(c.out).to(g.dtype) * _shares(g, c)
    return out if c.include_self else out.scatter(c.dim, c.index, 0)


def reduced_by_src(g: Any, c: Any, said: str = _TWICE) -> Any:
    """The gradient of what was sent; `said` refuses to differentiate products of several zeros again."""
    if c.reduce == "sum":
        return g.gather(c.dim, c.index)
    if c.reduce == "mean":
        return g.gather(c.dim, c.index) / _counts(g, c).gather(c.dim, c.index)
    if c.reduce == "prod":
        return _product_by_src(g, c, said)
    held = c.src.eq(c.out.gather(c.dim, c.index)).to(g.dtype)
    return held * _shares(g, c).gather(c.dim, c.index)


_LACK_ORDER = (*LIMITED, dtypes.complex64, dtypes.complex128)


@paired(
    strict=True,
    derivative=Rule(
        "ScatterReduceBackward0",
        applies=real_alone("scatter_reduce"),
        input=reduced_by_input,
        src=reduced_by_src,
    ),
    out_overlap="before resizing",
)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> None:
    """A copy in which each place holds the sum, product, mean, largest or smallest of what `src` sends there.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what the place held before counts too.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size; for an unknown `reduce`.

    >>> tk.zeros(2).scatter_reduce(0, tk.tensor([0, 1, 0]), tk.tensor([1.0, 2.0, 5.0]), "amax")
    tensor([5., 2.])
    """
    if not isinstance(src, Tensor):
        raise TypeError
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        check_scatter(input, normalise_dim(dim, input.dim()), index, src)
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    kernel = "scatter_gather_tensor_cpu"
    if reduce in ("mean", "amax", "amin"):
        kernel += f"_reduce_{reduce}"
    lacks: tuple[dtype, ...] = _LACK_ORDER if reduce in ("amax", "amin") else LIMITED
    if reduce == "mean":
        lacks = (*LIMITED, dtypes.bool)
    scattered(input, dim, index, src, reduce, kernel, include_self, lacks)
