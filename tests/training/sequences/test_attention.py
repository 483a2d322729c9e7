"""Attention and transformers: initial values, results, gradients, masks, text, refusals."""

from __future__ import annotations

import pytest

from tests.training.sequences.nearly import differing

PROGRAMS = {
    "attention function": """
S = nn.functional.scaled_dot_product_attention
torch.manual_seed(1)
def rand(*size):
    return torch.rand(size, requires_grad=True)
def one(*args, q=(2, 2, 5, 4), k=(2, 2, 3, 4), v=None, **more):
    q, k, v = rand(*q), rand(*k), rand(*(v or k))
    both(S(q, k, v, *args, **more), q, k, v)
one()
one(is_causal=True)
one(scale=2.0)
one(scale=-2.0)
one(torch.tensor([[True, False, True]] * 4 + [[False] * 3]))
one(torch.rand(5, 3), scale=0.5)
one(torch.rand(2, 1, 5, 3), is_causal=True)
one(torch.rand(1, 3) > 0.3)
one(q=(2, 4, 5, 4), enable_gqa=True)
one(q=(2, 4, 5, 4), enable_gqa=True, is_causal=True)
one(torch.rand(2, 5, 3))
one(torch.rand(2, 2, 5, 3, requires_grad=True))
one(v=(2, 2, 3, 6))
one(dropout_p=0.5)
one(dropout_p=0.3, is_causal=True)
one(dropout_p=1.0)
one(q=(2, 4, 5, 4), enable_gqa=True, dropout_p=0.1)
one(q=(2, 5, 4), k=(2, 3, 4), is_causal=True)
one(q=(5, 4), k=(3, 4))
one(torch.tensor([[True, True, True]] * 4 + [[False] * 3]), q=(5, 4), k=(3, 4))
one(q=(1, 2, 2, 5, 4), k=(1, 2, 2, 3, 4))
one(k=(2, 1, 3, 4))
one(k=(1, 2, 3, 4))
one(q=(2, 2, 0, 4))
one(k=(2, 2, 0, 4))
q, k, v = (torch.rand(2, n, 2, 4, requires_grad=True) for n in (5, 3, 3))
both(S(*(x.transpose(1, 2) for x in (q, k, v))), q, k, v)
near(S(*(x.double().transpose(1, 2) for x in (q, k, v))))
say(*(S(*(x.to(kind).transpose(1, 2) for x in (q, k, v))).dtype for kind in (torch.half, torch.bfloat16)))
q, k, v = rand(2, 2, 5, 4), rand(2, 2, 3, 4), rand(2, 2, 3, 4)
m = torch.ones(5, 3)
g, = torch.autograd.grad(S(q, k, v).sum(), q, create_graph=True)
say(repr(g.grad_fn).split()[0], repr(S(q, k, v).grad_fn).split()[0])
fails(lambda: torch.autograd.grad(g.sum(), q))
fails(lambda: S(q, rand(2, 2, 3, 5), v))
fails(lambda: S(q, rand(3, 2, 3, 4), v))
fails(lambda: S(rand(4), rand(4), rand(4)))
fails(lambda: S(q, k, v, torch.ones(4, 3)))
fails(lambda: S(q, k, v, torch.ones(3)))
fails(lambda: S(q, k, v, torch.ones(())))
fails(lambda: S(q, k, v, m.long()))
fails(lambda: S(q, k, v, m.double()))
fails(lambda: S(q[0], k[0], v[0], m, is_causal=True))
fails(lambda: S(q.double(), k, v))
fails(lambda: S(q, k, v, dropout_p=-1))
fails(lambda: S(q, k, v, dropout_p=2))
fails(lambda: S(3, k, v))
fails(lambda: S(q, k))
fails(lambda: S(q.long(), k.long(), v.long()))
fails(lambda: S(rand(2, 3, 5, 4), k, v, enable_gqa=True))
""",
    "heads": """
torch.manual_seed(2)
def one(m, query=(5, 2, 8), key=None, value=None, **more):
    begin(m)
    q = torch.rand(query, requires_grad=True)
    k = q if key is None else torch.rand(key, requires_grad=True)
    v = k if value is None else torch.rand(value, requires_grad=True)
    both(m(q, k, v, **more), q, k, v, *m.parameters())
M = nn.MultiheadAttention
one(M(8, 2))
one(M(8, 2, batch_first=True), (2, 5, 8), (2, 3, 8), need_weights=False)
one(M(8, 4, bias=False), (5, 2, 8), (3, 2, 8), (3, 2, 8), average_attn_weights=False)
one(M(8, 2, kdim=6, vdim=4), (5, 2, 8), (3, 2, 6), (3, 2, 4))
one(M(8, 2, dropout=0.4))
one(M(8, 2, dropout=0.4), need_weights=False)
one(M(8, 2, add_bias_kv=True, add_zero_attn=True), attn_mask=torch.rand(5, 5) > 0.7)
one(M(8, 2, add_zero_attn=True), key_padding_mask=torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))
one(M(8, 2), (5, 8))
one(M(8, 2), (5, 8), (3, 8), attn_mask=torch.rand(2, 5, 3), average_attn_weights=False)
causal = nn.Transformer.generate_square_subsequent_mask(5)
say(causal, nn.Transformer.generate_square_subsequent_mask(2, dtype=torch.float64))
one(M(8, 2), attn_mask=causal, is_causal=True)
one(M(8, 2), attn_mask=causal, is_causal=True, need_weights=False)
one(M(8, 2), attn_mask=causal, key_padding_mask=torch.tensor([[False] * 5] * 2), need_weights=False)
one(M(8, 2), attn_mask=torch.rand(4, 5, 5), need_weights=False)
m = M(8, 2)
say(m, M.__module__, list(m.state_dict()), m.head_dim, m.bias_k, m.q_proj_weight)
m.eval()
x = torch.rand(3, 1, 8)
with torch.no_grad():
    near(*m(x, x, x), m(x, x, x, need_weights=False)[0])
near(*copy.deepcopy(m)(x, x, x))
b = torch.ones(3, 3, dtype=torch.bool)
fails(lambda: m(x, x, x, attn_mask=b[:2]))
fails(lambda: m(x, x, x, attn_mask=b.expand(3, 3, 3)))
fails(lambda: m(x, x, x, attn_mask=b[0]))
fails(lambda: m(x, x, x, attn_mask=b.long()))
fails(lambda: m(x, x, x, key_padding_mask=b))
fails(lambda: m(x, x, x, key_padding_mask=b[:1, :2]))
fails(lambda: m(x, x, x, key_padding_mask=b[0]))
fails(lambda: m(x, x, x, is_causal=True))
fails(lambda: m(x[0, 0], x, x))
fails(lambda: m(x, x[0], x))
fails(lambda: m(x[:, 0], x[:, 0], x))
fails(lambda: m(x[:, 0], x[:, 0], x[:, 0], attn_mask=b.expand(3, 3, 3)))
fails(lambda: m(x, x[:2], x))
fails(lambda: m(x[..., :4], x[..., :4], x[..., :4]))
fails(lambda: M(8, 2, kdim=6)(x, x, x))
fails(lambda: M(8, 2, kdim=6)(x, x[..., :6], x[:2]))
fails(lambda: M(8, 3))
fails(lambda: M(0, 1))
fails(lambda: M(8, -1))
near(m(x, x, x, attn_mask=torch.zeros(3, 3), key_padding_mask=torch.zeros(1, 3, dtype=torch.bool))[0])
empty = x[:, :0]
say(*(tuple(m(empty, empty, empty, need_weights=needed)[0].shape) for needed in (True, False)))
say(M(8, 2, device="meta").in_proj_weight.shape)
""",
    "transformer": """
import warnings
warnings.simplefilter("ignore", UserWarning)
torch.manual_seed(3)
E, D = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
F = nn.functional
torch.set_default_dtype(torch.float64)  # small gradients are what is left of large ones
for more in ({}, {"dropout": 0, "norm_first": True, "batch_first": True}, {"activation": "gelu", "bias": False},
             {"activation": F.gelu, "layer_norm_eps": 1e-3}, {"activation": torch.tanh}):
    x, y = torch.rand(3, 3, 4, requires_grad=True), torch.rand(3, 3, 4, requires_grad=True)
    m = E(4, 2, 6, **more)
    begin(m)
    say(m.activation_relu_or_gelu)
    both(m(x), x, *m.parameters())
    near(m(x, torch.rand(3, 3) > 0.8), m(x[0]), m(x, src_key_padding_mask=torch.tensor([[False, False, True]] * 3)))
    m = D(4, 2, 6, **more)
    begin(m)
    x.grad = None
    both(m(x, y), x, y, *m.parameters())
    near(m(x, y, nn.Transformer.generate_square_subsequent_mask(3), tgt_is_causal=True))
torch.set_default_dtype(torch.float32)
m = nn.Transformer(4, 2, 2, 1, 6, batch_first=True)
begin(m)
x, y = torch.rand(2, 3, 4, requires_grad=True), torch.rand(2, 5, 4, requires_grad=True)
both(m(x, y), x, y, *m.parameters())
causal = m.generate_square_subsequent_mask(5)
padded = torch.tensor([[False, False, True], [False, False, False]])
near(m(x, y, tgt_mask=causal), m(x, y, src_key_padding_mask=padded, memory_key_padding_mask=padded))
fails(lambda: m(x, y[:1]))
fails(lambda: m(x[..., :2], y))
fails(lambda: nn.Transformer(4, 2, activation="a"))
m.eval()
for grads in (True, False):
    with torch.set_grad_enabled(grads):
        for p in (padded, padded.flip(1), padded.float() * -1e9):
            a = m.encoder(x.detach(), src_key_padding_mask=p)
            say(tuple(a.shape))
            near(a.detach())
        near(m(x.detach(), y.detach(), tgt_mask=causal, tgt_is_causal=True).detach().contiguous())
say(list(m.state_dict())[:4], nn.Transformer(4, 2, 1, 1, 6, custom_encoder=nn.Identity()).encoder)
""",
    "warnings": """
E, N = nn.TransformerEncoderLayer, nn.TransformerEncoder
for layer in (E(4, 2, 6), E(4, 2, 6, batch_first=True), E(4, 1, 6, batch_first=True),
              E(4, 2, 6, 0, torch.tanh, 0.1, True), E(4, 2, 6, batch_first=True, norm_first=True),
              E(4, 2, 6, batch_first=True, bias=False), nn.Identity()):
    n = N(layer, 1, enable_nested_tensor=True)
    say(n.use_nested_tensor, n.enable_nested_tensor, n.mask_check,
        N(layer, 1, enable_nested_tensor=False).use_nested_tensor)
n = N(E(4, 2, 6, batch_first=True), 1, nn.LayerNorm(4))
say(n)
x = torch.rand(2, 3, 4)
say(n(x, torch.zeros(3, 3), torch.zeros(2, 3, dtype=torch.bool)).shape)
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_attention_is_pytorchs(name: str) -> None:
    assert not differing(PROGRAMS[name])
