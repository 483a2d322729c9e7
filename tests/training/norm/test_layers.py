"""Layers of normalisation, dropout, embedding and similarity do what PyTorch's do."""

from __future__ import annotations

import pytest

from tests.training.programs import differing

START = """
F = nn.functional
torch.manual_seed(1)
def batch(*size):
    return torch.arange(1.0, 1 + torch.zeros(size).numel()).reshape(size).requires_grad_()
def told(layer, *inputs):
    torch.manual_seed(7)
    y = layer(*inputs)
    say(layer, str(y.detach()), y.dtype, type(y.grad_fn).__name__)
    say([(n, tuple(p.shape)) for n, p in layer.named_parameters()])
    return y
"""
#: Sums are added in another order than PyTorch adds them: these are chosen so that every order gives the same.
PROGRAMS = {
    "layer norm": """
for layer, size in ((nn.LayerNorm(4), (2, 4)), (nn.LayerNorm((2, 4), eps=0.1), (1, 2, 4)),
                    (nn.LayerNorm(4, elementwise_affine=False), (4,)), (nn.LayerNorm([4], bias=False), (3, 4)),
                    (nn.RMSNorm(4), (2, 4)), (nn.RMSNorm((2, 2), 0.25, False), (2, 2))):
    x = (torch.arange(1.0, 1 + torch.zeros(size).numel()).reshape(size) % 4).requires_grad_()
    y = told(layer, x)
    say(layer.state_dict(), torch.round(y.detach(), decimals=4))
    (y * y.detach()).sum().backward()
    say([None if one is None else torch.round(one.grad * 1000) for one in (x, *layer.parameters())])
say(nn.LayerNorm(3, dtype=torch.float64, device="cpu").weight, nn.LayerNorm.__module__, nn.RMSNorm(2).eps)
fails(lambda: nn.LayerNorm(3)(torch.ones(2)))
fails(lambda: nn.RMSNorm(3)(torch.ones(2)))
fails(lambda: nn.LayerNorm(3.5))
fails(lambda: nn.LayerNorm(3)(torch.ones(2, 3, dtype=torch.int64)))
fails(lambda: nn.LayerNorm(3)(torch.ones(2, 3, dtype=torch.float64)))
x, b = batch(2, 2), batch(2)
F.layer_norm(x, (2,), bias=b).square().sum().backward()
say(b.grad)
""",
    "dropout": """
x = batch(3, 4)
for layer in (nn.Dropout(), nn.Dropout(0.2), nn.Dropout(1), nn.AlphaDropout(0.25), nn.Dropout1d(0.4),
              nn.FeatureAlphaDropout(0.5)):
    told(layer, x).sum().backward()
    say(x.grad, layer.eval()(x) is x, layer.state_dict())
say(nn.Dropout(0.5, inplace=True)(torch.ones(9)), nn.Dropout1d(0.5, True)(torch.ones(3, 4)))
for cls, size in (("Dropout2d", (2, 3, 2, 2)), ("Dropout2d", (2, 3, 2)), ("Dropout2d", (2, 3)),
                  ("Dropout3d", (2, 3, 1, 2, 2)), ("Dropout3d", (3, 1, 2, 2)), ("Dropout3d", (3, 2)),
                  ("Dropout1d", (2, 3, 2))):
    told(getattr(nn, cls)(0.4), batch(*size))
fails(lambda: nn.Dropout(2))
fails(lambda: nn.Dropout(-0.5))
fails(lambda: nn.Dropout1d()(batch(2)))
fails(lambda: nn.Dropout2d()(batch(2)))
fails(lambda: F.dropout(batch(2), inplace=True))
fails(lambda: F.alpha_dropout(batch(2), 3))
say(nn.Dropout.__module__, nn.Dropout2d(p=0.3, inplace=True))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(START + PROGRAMS[name]) == []
