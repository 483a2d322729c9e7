"""Transformers: layers of attention, one upon another: an encoder, a decoder, and both.

Source: https://docs.pytorch.org/docs/stable/nn.html#transformer-layers
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.errors import warn
from tensorkit.nn import init
from tensorkit.nn.containers import ModuleList
from tensorkit.nn.functions.activations import relu
from tensorkit.nn.functions.attention import as_numbers
from tensorkit.nn.layers.normalisation import LayerNorm
from tensorkit.nn.layers.transformers.transformer_layers import (
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)
from tensorkit.nn.module import Module
from tensorkit.ops.creation.full import full
from tensorkit.tensor import Tensor

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]


def __dir__() -> list[str]:
    return __all__


def _causal(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    return full((size, size), -math.inf, dtype=dtype, device=device).triu(diagonal=1)


def _is_causal(mask: Tensor | None, said: bool | None, input: Tensor, batch_first: bool) -> bool:
    """Whether a mask is the causal one: as is said, or by a look at it."""
    if said is not None or mask is None:
        return said is True
    length = input.size(1 if batch_first and input.dim() != 2 else 0)
    expected = _causal(length, mask.device, mask.dtype)
    return mask.size() == expected.size() and bool((mask == expected).all())


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Several layers, one upon another: copies of the one that is given.

    Args:
        encoder_layer: a `TransformerEncoderLayer`; the layers begin with its parameters, all the same.
        num_layers: how many.
        norm: what comes behind the last.
        enable_nested_tensor: whether padded positions may be left out; the result has zeros there.
        mask_check: whether it is looked first if the padding is at the end.

    >>> layer = tk.nn.TransformerEncoderLayer(d_model=16, nhead=4, batch_first=True)
    >>> tk.nn.TransformerEncoder(layer, num_layers=2)(tk.rand(2, 5, 16)).shape
    tensorkit.Size([2, 5, 16])
    """

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        why_not = _why_not_shorter(encoder_layer) if enable_nested_tensor else ""
        if why_not:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why_not}")
        self.use_nested_tensor = enable_nested_tensor and not why_not
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """(length, batch, features) gives the same; whether `mask` is causal is looked up where it is not said."""
        padding = as_numbers(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src)
        mask = as_numbers(mask, "mask", None, "", src)
        causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and self._leaves_out(src, mask, padding):
            output = output.masked_fill(padding.bool().unsqueeze(-1), 0)
        return output if self.norm is None else self.norm(output)

    def _leaves_out(self, src: Tensor, mask: Tensor | None, padding: Tensor) -> bool:
        """Whether PyTorch computes nothing at padded positions: the result is 0 there."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or mask is not None:
            return False
        kept = padding.logical_not()
        if self.mask_check and not bool(kept.eq(kept.int().cummin(1).values).all()):
            return False
        return not (state.grad and any(one.requires_grad for one in (src, *first.parameters())))


def _why_not_shorter(layer: Any) -> str:
    """Why padded positions cannot be left out."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention, name = layer.self_attn, "encoder_layer.self_attn"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not attention.batch_first:
        return f"{name}.batch_first was not True(use batch_first for better inference performance)"
    if not attention._qkv_same_embed_dim:
        return f"{name}._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return f"{name} was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return f"{name}.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerDecoder(Module):
    """Several layers, one upon another, which all read what an encoder made.

    Args:
        decoder_layer: a `TransformerDecoderLayer`; the layers are copies of it.
        num_layers: how many.
        norm: what comes behind the last.

    >>> layer = tk.nn.TransformerDecoderLayer(d_model=16, nhead=4)
    >>> tk.nn.TransformerDecoder(layer, num_layers=2)(tk.rand(7, 2, 16), tk.rand(5, 2, 16)).shape
    tensorkit.Size([7, 2, 16])
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(targets, batch, features) and (sources, batch, features) give (targets, batch, features)."""
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps: see `TransformerEncoderLayer`.
        batch_first, norm_first, bias, device, dtype: likewise.
        num_encoder_layers, num_decoder_layers: how many layers each has.
        custom_encoder, custom_decoder: others in their place.

    >>> model = tk.nn.Transformer(16, 4, num_encoder_layers=2, num_decoder_layers=2, batch_first=True)
    >>> model(tk.rand(2, 5, 16), tk.rand(2, 7, 16)).shape
    tensorkit.Size([2, 7, 16])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where: Any = {"bias": bias, "device": device, "dtype": dtype}
        shape: Any = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
        )
        if custom_encoder is None:
            first = TransformerEncoderLayer(*shape, **where)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **where)
            custom_encoder = TransformerEncoder(first, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            second = TransformerDecoderLayer(*shape, **where)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **where)
            custom_decoder = TransformerDecoder(second, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """(sources, batch, features) and (targets, batch, features) give (targets, batch, features).

        Raises:
            RuntimeError: for another batch or other features.
        """
        dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(dim) != tgt.size(dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        made: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return made

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask: -inf where a query would see a later key, 0 elsewhere."""
        return _causal(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for one in self.parameters():
            if one.dim() > 1:
                init.xavier_uniform_(one)
