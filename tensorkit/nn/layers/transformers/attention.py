"""Attention as a layer: `MultiheadAttention`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.nn import init
from tensorkit.nn.functions.attention import as_numbers, multi_head_attention_forward
from tensorkit.nn.layers.linear import NonDynamicallyQuantizableLinear
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.tensor import Tensor

__all__ = ["MultiheadAttention"]


def __dir__() -> list[str]:
    return __all__


class MultiheadAttention(Module):
    """Several heads of attention side by side, each with a part of the features.

    Args:
        embed_dim: how many features queries and results have.
        num_heads: among which they are divided.
        dropout: the share of the weights that is dropped in training.
        bias: whether the products in front and behind have biases.
        add_bias_kv: whether a key and a value are learned, besides those that are given.
        add_zero_attn: whether there is a key and a value of zeros.
        kdim, vdim: how many features keys and values have, if not as many as queries.
        batch_first: whether inputs and results are (batch, length, features), or (length, batch, features).
        device, dtype: of the parameters.

    Raises:
        ValueError: for numbers that are not positive.
        AssertionError: where the features cannot be divided.

    >>> attention = tk.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = tk.randn(3, 5, 8)
    >>> answers, weights = attention(x, x, x)
    >>> answers.shape, weights.shape
    (tensorkit.Size([3, 5, 8]), tensorkit.Size([3, 5, 5]))
    """

    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def add(name: str, *size: int) -> None:
            self.register_parameter(
                name, Parameter(empty(size, device=device, dtype=dtype)) if size else None
            )

        if self._qkv_same_embed_dim:
            add("in_proj_weight", 3 * embed_dim, embed_dim)
        sizes = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name, features in sizes.items():
            add(name, *(() if self._qkv_same_embed_dim else (embed_dim, features)))
        if not self._qkv_same_embed_dim:
            add("in_proj_weight")
        add("in_proj_bias", *((3 * embed_dim,) if bias else ()))
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        if add_bias_kv:
            add("bias_k", 1, 1, embed_dim)
            add("bias_v", 1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)  # type: ignore[arg-type]
        for one in (self.bias_k, self.bias_v):
            if one is not None:
                init.xavier_normal_(one)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The answers, and the weights if they are needed.

        Args:
            query, key, value: (targets, batch, features), (sources, batch, kdim) and (sources, batch, vdim); the batch
                first with `batch_first`; or without a batch.
            key_padding_mask: True for keys that no query may see, or numbers to add: (batch, sources).
            attn_mask: True where a query may not see a key, or numbers: (targets, sources), or for each head of the
                batch.
            need_weights, average_attn_weights: whether the weights are returned, and whether as the mean of the heads.
            is_causal: says that `attn_mask` is the causal one.
        """
        padding = as_numbers(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query)
        mask = as_numbers(attn_mask, "attn_mask", None, "", query)
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _turned(query, key, value)
        answers, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            need_weights=need_weights,
            attn_mask=mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (answers.transpose(1, 0) if turned else answers), weights


def _turned(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All with the length first; what was one tensor stays one, which saves products."""
    made: dict[int, Tensor] = {}
    for one in (query, key, value):
        made.setdefault(id(one), one.transpose(1, 0))
    return made[id(query)], made[id(key)], made[id(value)]
