"""Attention: each query is answered by a mean of the values, weighted by how well their keys fit it.

On the CPU it is one operation in graphs, as in PyTorch, where its sizes are the usual ones and nothing is dropped;
elsewhere it is made of products and a softmax.
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.function import Function, FunctionNode
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.node import Node
from tensorkit.autograd.rule import not_implemented
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.full import full, ones, zeros, zeros_like
from tensorkit.ops.kit import FUNCTIONAL, Rule, Tensor, op
from tensorkit.ops.nn.dropout import dropout
from tensorkit.ops.rearranging.repeat_interleave import repeat_interleave
from tensorkit.ops.reduction.softmax import softmax
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.views.view_reshape import unsafe_view

# -- softmax of scores ----------------------------------------------------------------------------------------------


def _shares_back(g: Any, c: Any) -> Any:
    return (g - (g * c.out).sum(-1, keepdim=True)) * c.out


@op(rounded=2, derivative=Rule("SafeSoftmaxBackward0", input=_shares_back))
def _shares(input: Tensor) -> Tensor:
    """`softmax` of each row, but 0 where all of it is -inf: a query that may see no key gets nothing."""
    return _shares_of(input)


def _shares_of(input: Tensor) -> Tensor:
    return softmax(input, -1).masked_fill_(input.eq(-math.inf).all(-1, keepdim=True), 0)


def _added(mask: Tensor, kind: Any) -> Tensor:
    """A mask as numbers to add: 0 where a query may see a key, -inf where not."""
    if mask.dtype is not dtypes.bool:
        return mask
    return zeros_like(mask, dtype=kind).masked_fill_(mask.logical_not(), -math.inf)


def _past(query: Tensor, key: Tensor) -> Tensor:
    """The mask by which no query sees a later key."""
    return ones(query.size(-2), key.size(-2), dtype=dtypes.bool, device=query.device).tril()


# -- made of other operations ---------------------------------------------------------------------------------------


def _composed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float,
) -> Tensor:
    if is_causal:
        if mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        mask = _past(query, key)
    kind = query.dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    root = math.sqrt(abs(scale))
    query = query * math.copysign(root, scale)
    scores = query.matmul(key.transpose(-2, -1) * root)
    if mask is not None:
        scores = scores.add_(_added(mask, query.dtype))
    shares = _shares(scores)
    if dropout_p:
        shares = dropout(shares, dropout_p, True)
    return shares.matmul(value).to(kind)


# -- one operation --------------------------------------------------------------------------------------------------


def _is_one_operation(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, enable_gqa: bool
) -> bool:
    """Whether PyTorch has one operation for it."""
    several = (query, key, value)
    if dropout_p > 0 or query.device.type != "cpu" or not query.dtype.is_floating_point:
        return False
    if any(one.dim() != 4 or one.stride(-1) != 1 or not one.size(-2) for one in several):
        return False
    if len({one.size(-1) for one in several}) > 1 or len({one.size(0) for one in several}) > 1:
        return False
    if key.size(1) != value.size(1) or (query.size(1) != key.size(1) and not enable_gqa):
        return False
    return mask is None or _is_usual(mask, query, key)


def _is_usual(mask: Tensor, query: Tensor, key: Tensor) -> bool:
    lengths = query.size(2), key.size(2)
    fits = all(mask.size(dim) in (1, lengths[dim]) for dim in (-2, -1))
    if mask.requires_grad or not fits or mask.dim() not in (2, 4):
        return False
    return mask.dim() == 2 or all(mask.size(dim) in (1, query.size(dim)) for dim in (0, 1))


class _Attention(Function):
    """Queries, keys, values; a mask or None, whether it is causal, and the scale."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> Tensor:
        mask, is_causal, ctx.scale = rest
        ctx.save_for_backward(query, key, value)
        flat, keys, values = _matrices(query, key, value)
        scores = flat.mul(ctx.scale).bmm(keys.mT)
        if mask is not None or is_causal:
            scores = scores.view(*query.shape[:3], -1)
            if is_causal:
                scores += full(scores.shape[2:], -math.inf, dtype=scores.dtype).triu(1)
            if mask is not None:
                scores += mask
            scores = scores.view(-1, *scores.shape[2:])
        ctx.shares = softmax(scores, -1) if mask is None else _shares_of(scores)
        made: Tensor = unsafe_view(ctx.shares.bmm(values), query.shape)
        if query.is_contiguous() and made.dtype is query.dtype:
            return made
        made = empty_like(query).copy_(made)  # lies as the queries do
        made._counter = None  # a new result was not written to
        return made

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        query, key, value = ctx.saved_tensors
        back = _not_again if state.grad else _back
        return *back(grads[0], query, key, value, ctx.shares, ctx.scale), None, None, None


def _matrices(query: Tensor, *others: Tensor) -> list[Tensor]:
    """A matrix for each head of each example, in 32 bits at least; some heads of queries may share one of keys."""
    half = query.dtype in (dtypes.float16, dtypes.bfloat16)
    made = []
    for one in (query, *others):
        each = one.float() if half else one
        if one.size(1) != query.size(1):
            each = repeat_interleave(each, query.size(1) // one.size(1), 1)
        made.append(each.reshape(-1, *each.shape[2:]))
    return made


def _back(g: Tensor, query: Tensor, key: Tensor, value: Tensor, shares: Tensor, scale: float) -> Any:
    flat, keys, values, slope = _matrices(query, key, value, g)
    to_values = shares.mT.bmm(slope)
    to_scores = slope.bmm(values.mT)
    to_scores -= (to_scores * shares).sum(-1, keepdim=True)
    to_scores *= shares
    to_queries, to_keys = to_scores.bmm(keys).mul_(scale), to_scores.mT.bmm(flat).mul_(scale)
    return tuple(
        _gathered(made, one) for made, one in ((to_queries, query), (to_keys, key), (to_values, value))
    )


def _gathered(made: Tensor, like: Tensor) -> Tensor:
    """The gradient of heads that were shared is a sum."""
    batch, heads, length, size = like.shape
    made = made.view(batch, heads, -1, length, size)
    return (made.squeeze(2) if made.size(2) == 1 else made.sum(2)).to(like.dtype)


@op(
    kind="reduce",
    derivative=not_implemented(
        "_scaled_dot_product_flash_attention_for_cpu_backward", "g", "query", "key", "value"
    ),
)
def _not_again(g: Tensor, query: Tensor, key: Tensor, value: Tensor, shares: Tensor, scale: float) -> Any:
    """`_back`, which PyTorch cannot differentiate."""
    return _back(g, query, key, value, shares, scale)


# The node has the name that PyTorch's has, which is written in C++.
_Attention._node_class = type(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    (FunctionNode,),
    {"__slots__": (), "__module__": "builtins", "__repr__": Node.__repr__},
)


# -- both -----------------------------------------------------------------------------------------------------------


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    several = {"query": query, "key": key, "value": value}
    if len({one.dtype for one in several.values()}) > 1:
        q, k, v = (cpp_name(one.dtype) for one in several.values())
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {q} key.dtype: {k} and "
            f"value.dtype: {v} instead."
        )
    if min(one.dim() for one in several.values()) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.dim()} "
            f"key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if mask is not None and mask.dtype not in (dtypes.bool, dtypes.float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cpp_name(mask.dtype)} and  query.dtype: {cpp_name(query.dtype)} instead."
        )


@op(namespace=FUNCTIONAL, rounded=8)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """``softmax(query @ key.T * scale + mask) @ value``: (..., targets, size), (..., sources, size) and the same.

    Args:
        query: what asks, key: what is compared with it, value: what the answer is made of; mostly 4-d tensors, of
            batch, heads, length and size.
        attn_mask: False where a query may not see a key; or numbers that are added. (targets, sources), or more.
        dropout_p: the share of the weights that is dropped: always, if it is not 0.
        is_causal: whether a query only sees keys that are not later.
        scale: ``1 / sqrt(size)``, if it is left out.
        enable_gqa: whether several heads of queries may share one of keys and values.

    Raises:
        RuntimeError: for sizes or dtypes that do not fit.

    >>> x = tk.eye(2).view(1, 1, 2, 2)
    >>> tk.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    tensor([[[[1.0000, 0.0000],
              [0.3302, 0.6698]]]])
    """
    _check(query, key, value, attn_mask)
    if attn_mask is not None:
        attn_mask = _added(attn_mask, query.dtype)
    if query.numel() * key.numel() * value.numel() == 0:
        nothing = (query.sum() + key.sum() + value.sum()) * 0
        return zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype, device=query.device) + nothing
    if enable_gqa and (query.size(-3) % key.size(-3) or query.size(-3) % value.size(-3)):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1))
    if _is_one_operation(query, key, value, attn_mask, dropout_p, enable_gqa):
        if dropout_p:
            raise RuntimeError(
                "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
            )
        made: Tensor = _Attention.apply(query, key, value, attn_mask, is_causal, scale)
        return made
    if enable_gqa:
        key, value = (repeat_interleave(one, query.size(-3) // one.size(-3), -3) for one in (key, value))
    return _composed(query, key, value, attn_mask, dropout_p, is_causal, scale)
