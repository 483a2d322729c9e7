"""Attention of several heads: projections in front of and behind `scaled_dot_product_attention`, and its masks.

A mask says True where a query may *not* see a key, or has numbers to add: so all of ``nn`` but that function has it.
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit import dtypes
from tensorkit.errors import warn
from tensorkit.ops.creation.full import zeros, zeros_like
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.nn.attention import scaled_dot_product_attention
from tensorkit.ops.nn.dropout import dropout
from tensorkit.ops.nn.linear import linear
from tensorkit.ops.reduction.softmax import softmax
from tensorkit.tensor import Tensor

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention", "as_numbers"]


# -- masks ----------------------------------------------------------------------------------------------------------


def as_numbers(
    mask: Tensor | None, name: str, other: Tensor | None, other_name: str, target: Tensor
) -> Tensor | None:
    """A mask as numbers to add, of the dtype of `target`: -inf where a query may not see a key.

    Args:
        name: what errors call it. other, other_name: the mask beside it, which should be of the same dtype.
    """
    if mask is None:
        return None
    if mask.dtype is not dtypes.bool and not mask.dtype.is_floating_point:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    if mask.dtype is not dtypes.bool:
        return mask
    return zeros_like(mask, dtype=target.dtype).masked_fill_(mask, -math.inf)


def _check_dims(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None, heads: int
) -> bool:
    """Whether there is a batch; other numbers of dimensions are refused."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    start = f"For {'batched' if dims == 3 else 'unbatched'} ({dims}-D) `query`, expected"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"{start} `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != dims - 1:
        raise AssertionError(
            f"{start} `key_padding_mask` to be `None` or {dims - 1}-D but found {padding.dim()}-D tensor instead"
        )
    if mask is not None:
        if mask.dim() not in (2, 3):
            raise AssertionError(
                f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
            )
        expected = heads, query.shape[0], key.shape[0]
        if dims == 2 and mask.dim() == 3 and mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return dims == 3


def _check_mask(mask: Tensor, heads: int, query: Tensor, key: Tensor) -> Tensor:
    """The mask with a first dimension of 1, or of all heads of the batch."""
    size = query.size(0), key.size(0)
    expected = size if mask.dim() == 2 else (query.size(1) * heads, *size)
    if mask.shape != expected:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _longer(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key, which all may see."""
    return None if mask is None else cat([mask, mask.new_zeros((*mask.shape[:-1], 1))], -1)


def _merged(
    mask: Tensor | None, padding: Tensor | None, heads: int, batch: int, sources: int
) -> Tensor | None:
    """One mask of both: (1 or batch * heads, targets, sources)."""
    if padding is None:
        return mask
    for dim, expected in enumerate((batch, sources)):
        if padding.shape[dim] != expected:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {padding.shape[dim]}"
            )
    wide = padding.view(batch, 1, 1, sources).expand(-1, heads, -1, -1).reshape(batch * heads, 1, sources)
    return wide if mask is None else mask + wide


# -- projections ----------------------------------------------------------------------------------------------------


def _projected(
    query: Tensor, key: Tensor, value: Tensor, weight: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values by one matrix of all three, one above another; products are shared where inputs are."""
    size = query.size(-1)
    if key is value and query is key:
        return tuple(_apart(linear(query, weight, bias), 3, size))
    if key is value:
        first, rest = weight.split([size, size * 2])
        biases = (None, None) if bias is None else bias.split([size, size * 2])
        return linear(query, first, biases[0]), *_apart(linear(key, rest, biases[1]), 2, size)
    return _projected_apart(query, key, value, weight.chunk(3), bias)


def _apart(made: Tensor, count: int, size: int) -> Any:
    several = made.unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return (several[place] for place in range(count))


def _projected_apart(
    query: Tensor, key: Tensor, value: Tensor, weights: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    biases = (None, None, None) if bias is None else bias.chunk(3)
    q, k, v = map(linear, (query, key, value), weights, biases)
    return q, k, v


def _check_sizes(query: Tensor, key: Tensor, value: Tensor, expected: int, heads: int, apart: bool) -> None:
    size = query.size(-1)
    if size != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {size}")
    if size // heads * heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {heads}")
    if apart and key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not apart and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _check_apart(given: tuple[Tensor, Tensor, Tensor], weights: Any, bias: Tensor | None) -> None:
    """Refuse separate weights of other sizes than the inputs need."""
    size = given[0].size(-1)
    biases = () if bias is None else bias.chunk(3)
    names = ("query", "key", "value")
    for name, one, weight in zip(names, given, weights, strict=True):
        if weight.shape != (expected := (size, one.size(-1))):
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {weight.shape}")
    for name, one in zip(names, biases, strict=False):
        if one.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {one.shape}")


def _check_biases(bias_k: Tensor | None, bias_v: Tensor | None, static_k: Any, static_v: Any) -> bool:
    """Whether a learned key and value are added to the others."""
    for one, other, name, missing in ((bias_k, bias_v, "k", "v"), (bias_v, bias_k, "v", "k")):
        if one is not None and other is None:
            raise AssertionError(f"bias_{name} is set but bias_{missing} is None")
    if bias_k is None:
        return False
    for static, name in ((static_k, "key"), (static_v, "value")):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    return True


def _of_heads(given: Tensor, static: Tensor | None, name: str, heads: int, size: int) -> Tensor:
    """(length, batch, heads * size) as (batch * heads, length, size); or what was given like that already."""
    batch = given.size(1)
    if static is None:
        return given.view(given.size(0), batch * heads, size).transpose(0, 1)
    for dim, expected in ((0, batch * heads), (2, size)):
        if static.size(dim) != expected:
            raise AssertionError(
                f"expecting static_{name}.size({dim}) of {expected}, but got {static.size(dim)}"
            )
    return static


# -- all of it ------------------------------------------------------------------------------------------------------


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """What `nn.MultiheadAttention` does, given its parameters.

    Args:
        query, key, value: (targets, batch, features), (sources, batch, features) and the same; or without batch.
        embed_dim_to_check: how many features there must be. num_heads: among which they are divided.
        in_proj_weight, in_proj_bias: (3 * features, features), (3 * features): for queries, keys and values.
        bias_k, bias_v: one more key and value, (1, 1, features). add_zero_attn: whether there is one of zeros too.
        dropout_p, training: the share of the weights that is dropped in training.
        out_proj_weight, out_proj_bias: of the last product.
        key_padding_mask: which keys no query may see: (batch, sources).
        attn_mask: which query may not see which key: (targets, sources) or (batch * heads, targets, sources).
        need_weights: whether the weights are returned; if not, it is faster.
        use_separate_proj_weight: whether the three weights that follow are used, for other numbers of features.
        static_k, static_v: keys and values that were projected before: (batch * heads, sources, features / heads).
        average_attn_weights: whether the weights are the mean of those of the heads.
        is_causal: says that `attn_mask` is the causal one, and need not be looked at.

    Returns:
        (targets, batch, features), and the weights or None: (batch, targets, sources), with heads after the batch
        where they are not averaged.

    Raises:
        AssertionError, RuntimeError: for sizes that do not fit.

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/functional.py
    """
    batched = _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = _with_batch(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    padding, mask, is_causal = _both(key_padding_mask, attn_mask, is_causal, need_weights, query)
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _all_projected((query, key, value), in_proj_weight, separate, in_proj_bias)
    targets, batch, size = query.size(0), query.size(1), query.size(2) // num_heads
    if mask is not None:
        mask = _check_mask(mask, num_heads, query, key)
    if _check_biases(bias_k, bias_v, static_k, static_v):
        k, v = (cat([one, more.repeat(1, batch, 1)]) for one, more in ((k, bias_k), (v, bias_v)))  # type: ignore[union-attr]
        mask, padding = _longer(mask), _longer(padding)
    q = q.view(targets, batch * num_heads, size).transpose(0, 1)
    k = _of_heads(k, static_k, "k", num_heads, size)
    v = _of_heads(v, static_v, "v", num_heads, size)
    if add_zero_attn:
        zero = zeros(batch * num_heads, 1, size, dtype=k.dtype, device=k.device)
        k, v = cat([k, zero], 1), cat([v, zero], 1)
        mask, padding = _longer(mask), _longer(padding)
    mask = _merged(mask, padding, num_heads, batch, k.size(1))
    answer = _with_weights if need_weights else _without_weights
    made, weights = answer(q, k, v, mask, dropout_p if training else 0.0, is_causal, (batch, num_heads))
    made = linear(made, out_proj_weight, out_proj_bias)
    made = made.view(targets, batch, made.size(1))
    if weights is not None and average_attn_weights:
        weights = weights.mean(dim=1)
    if batched:
        return made, weights
    return made.squeeze(1), None if weights is None else weights.squeeze(0)


def _both(
    padding: Tensor | None, mask: Tensor | None, is_causal: bool, need_weights: bool, query: Tensor
) -> tuple[Tensor | None, Tensor | None, bool]:
    """Both masks as numbers, and whether the second need not be looked at, which is left out then."""
    padding = as_numbers(padding, "key_padding_mask", mask, "attn_mask", query)
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and padding is None and not need_weights:
        return None, None, True
    return padding, as_numbers(mask, "attn_mask", None, "", query), is_causal and padding is None


def _all_projected(
    given: tuple[Tensor, Tensor, Tensor], weight: Tensor | None, separate: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values by one weight, or by three that are separate."""
    if separate is None:
        if weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        return _projected(*given, weight, bias)
    for name, one in zip("qkv", separate, strict=True):
        if one is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    _check_apart(given, separate, bias)
    return _projected_apart(*given, separate, bias)


def _with_batch(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All with a batch of one; PyTorch forgets here that they may be the same tensor, and so do we."""
    return query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)


def _without_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, share: float, is_causal: bool, of: tuple[int, int]
) -> tuple[Tensor, None]:
    """The answers alone, (batch * targets, features)."""
    q, k, v = (one.view(*of, *one.shape[1:]) for one in (q, k, v))
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(*of, -1, k.size(2))
    made = scaled_dot_product_attention(q, k, v, mask, share, is_causal).permute(2, 0, 1, 3)
    return made.reshape(made.size(0) * of[0], of[1] * q.size(3)), None


def _with_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, share: float, is_causal: bool, of: tuple[int, int]
) -> tuple[Tensor, Tensor | None]:
    """The answers, (batch * targets, features), and the weights, (batch, heads, targets, sources)."""
    if is_causal and mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")  # PyTorch's own words
    q = q * math.sqrt(1.0 / float(q.size(-1)))
    scores = q.bmm(k.mT) if mask is None else mask.baddbmm(q, k.mT)
    weights = softmax(scores, -1)
    if share > 0:
        weights = dropout(weights, share, True)
    made = weights.bmm(v).transpose(0, 1)
    made = made.reshape(made.size(0) * of[0], of[1] * q.size(2))
    return made, weights.view(*of, *weights.shape[1:])
