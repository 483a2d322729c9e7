"""One layer of a transformer: attention, and a network of two linear layers.

Source: https://docs.pytorch.org/docs/stable/nn.html#transformer-layers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.nn.functions.activations import gelu, relu
from tensorkit.nn.functions.attention import as_numbers
from tensorkit.nn.layers.dropout import Dropout
from tensorkit.nn.layers.linear import Linear
from tensorkit.nn.layers.normalisation import LayerNorm
from tensorkit.nn.layers.transformers.attention import MultiheadAttention
from tensorkit.nn.module import Module
from tensorkit.tensor import Tensor

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]


def __dir__() -> list[str]:
    return __all__


def _activation(given: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return relu if given == "relu" else gelu


class TransformerEncoderLayer(Module):
    """Self-attention and a network of two linear layers, each added to its input and normalised.

    Args:
        d_model: the features of input and result.
        nhead: the heads of attention.
        dim_feedforward: the features between the two linear layers.
        dropout: the share that is dropped in training.
        activation: between the two linear layers: "relu", "gelu", or a function.
        layer_norm_eps: see `LayerNorm`.
        batch_first: whether inputs and results are (batch, length, features), or (length, batch, features).
        norm_first: whether it is the input of each part that is normalised, or the sum.
        bias: whether linear layers and norms have biases.
        device, dtype: of the parameters.

    >>> layer = tk.nn.TransformerEncoderLayer(d_model=16, nhead=4, batch_first=True)
    >>> layer(tk.rand(2, 5, 16)).shape
    tensorkit.Size([2, 5, 16])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        where: Any = {"device": device, "dtype": dtype}
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **where
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)
        name = type(self.activation).__name__
        usual = {relu: 1, gelu: 2} if not isinstance(self.activation, Module) else {}
        self.activation_relu_or_gelu = usual.get(self.activation, {"ReLU": 1, "GELU": 2}.get(name, 0))

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(length, batch, features) gives the same; for the masks see `MultiheadAttention.forward`."""
        padding = as_numbers(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src)
        mask = as_numbers(src_mask, "src_mask", None, "", src)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        made: Tensor = self.norm2(x + self._ff_block(x))
        return made

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        masks: Any = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        made: Tensor = self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])
        return made

    def _ff_block(self, x: Tensor) -> Tensor:
        made: Tensor = self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return made


class TransformerDecoderLayer(Module):
    """A `TransformerEncoderLayer` with one part more in the middle: attention to what an encoder made.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps: see `TransformerEncoderLayer`.
        batch_first, norm_first, bias, device, dtype: likewise.

    >>> layer = tk.nn.TransformerDecoderLayer(d_model=16, nhead=4)
    >>> layer(tk.rand(7, 2, 16), tk.rand(5, 2, 16)).shape
    tensorkit.Size([7, 2, 16])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        where: Any = {"device": device, "dtype": dtype}
        super().__init__()
        usual: Any = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **where}
        self.self_attn = MultiheadAttention(d_model, nhead, **usual)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **usual)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(targets, batch, features) and what an encoder made, (sources, batch, features); see the encoder's layer."""
        ours = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        theirs = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *ours)
            x = x + self._mha_block(self.norm2(x), *theirs)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *ours))
        x = self.norm2(x + self._mha_block(x, *theirs))
        made: Tensor = self.norm3(x + self._ff_block(x))
        return made

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        masks: Any = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        made: Tensor = self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])
        return made

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        masks: Any = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        made: Tensor = self.dropout2(self.multihead_attn(x, mem, mem, need_weights=False, **masks)[0])
        return made

    def _ff_block(self, x: Tensor) -> Tensor:
        made: Tensor = self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return made
