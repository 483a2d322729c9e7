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
    "distance": """
a, b = torch.tensor([[3.0, 4.0], [0.0, 2.0]], requires_grad=True), torch.tensor([[6.0, 8.0], [5.0, 0.0]])
for layer in (nn.CosineSimilarity(), nn.CosineSimilarity(0, 3.0), nn.PairwiseDistance(), nn.PairwiseDistance(1, 0.5),
              nn.PairwiseDistance(keepdim=True)):
    told(layer, a, b).sum().backward()
    say(torch.round(a.grad * 1000) + 0.0)
say(F.normalize(b), F.normalize(b, 1, (0, 1)), F.normalize(a, dim=-1, eps=3.0), F.normalize(b, out=torch.empty(0)))
fails(lambda: F.normalize(a, out=torch.empty(0)))
fails(lambda: F.cosine_similarity(a, torch.ones(3)))
fails(lambda: F.cosine_similarity(b.long(), b.long()))
say(F.cosine_similarity is torch.cosine_similarity, F.pairwise_distance is torch.pairwise_distance, F.pdist(b),
    nn.CosineSimilarity.__module__)
""",
    "batch norm": """
def rounded(t):
    return t if t is None or not t.is_floating_point() else torch.round(t.detach() * 1000) + 0.0
x2, x3, x4 = batch(4, 2), (batch(2, 2, 3).detach() % 5).requires_grad_(), batch(2, 2, 2, 2)
for layer, x in ((nn.BatchNorm1d(2), x2), (nn.BatchNorm1d(2, 0.5, None), x3), (nn.BatchNorm2d(2, bias=False), x4),
                 (nn.BatchNorm2d(2, affine=False, momentum=0.5), x4),
                 (nn.BatchNorm1d(2, track_running_stats=False), x2),
                 (nn.LazyBatchNorm2d(), x4), (nn.BatchNorm3d(1), batch(2, 1, 2, 1, 2)),
                 (nn.LazyBatchNorm1d(affine=False), x3), (nn.LazyBatchNorm3d(bias=False), batch(2, 1, 2, 1, 2)),
                 (nn.InstanceNorm1d(2), x3), (nn.InstanceNorm2d(2, affine=True, track_running_stats=True), x4),
                 (nn.InstanceNorm3d(1), batch(1, 1, 1, 2)), (nn.LazyInstanceNorm2d(affine=True), x4),
                 (nn.LazyInstanceNorm1d(), x3), (nn.InstanceNorm1d(2, bias=False, affine=True), x3[0].detach()),
                 (nn.GroupNorm(2, 2, bias=False), x4), (nn.GroupNorm(1, 2, affine=False), x3),
                 (nn.GroupNorm(2, 4), x2)):
    say(layer)
    x.grad = None
    if layer.__class__.__name__ == "GroupNorm" and layer.num_channels == 4:
        x = batch(3, 4)
    for mode in (True, True, False):
        y = layer.train(mode)(x)
        say(rounded(y), [rounded(v) for v in layer.state_dict().values()])
        if y.requires_grad:
            say(type(y.grad_fn).__name__)
            (y * y.detach()).sum().backward()
            say([rounded(p.grad) for p in (x, *layer.parameters()) if p.grad is not None])
    say(layer, list(layer.state_dict()), [tuple(p.shape) for p in layer.parameters()])
""",
    "norms refused": """
for action in (lambda: nn.BatchNorm1d(2)(batch(2)), lambda: nn.BatchNorm2d(2)(batch(2, 2)), lambda: nn.GroupNorm(2, 3),
               lambda: nn.BatchNorm3d(2)(batch(2, 2)), lambda: nn.BatchNorm1d(3)(batch(2, 2)),
               lambda: nn.BatchNorm1d(2)(batch(1, 2)), lambda: nn.InstanceNorm1d(2)(batch(2)),
               lambda: nn.InstanceNorm2d(2, affine=True)(batch(3, 2, 2)), lambda: nn.InstanceNorm2d(2)(batch(3, 2, 2)),
               lambda: nn.InstanceNorm1d(2)(batch(2, 2, 1)), lambda: nn.GroupNorm(2, 4)(batch(2, 6, 2)),
               lambda: nn.GroupNorm(2, 2)(batch(1, 2)), lambda: nn.BatchNorm1d(2, eps=0)(batch(3, 2)),
               lambda: F.batch_norm(batch(2, 2), None, None), lambda: F.group_norm(batch(2, 2), 0),
               lambda: nn.BatchNorm1d(2)(batch(2, 2).detach().long()), lambda: nn.BatchNorm1d(2)(batch(2, 2).double()),
               lambda: nn.modules.batchnorm._NormBase(2)._check_input_dim(3)):
    fails(action)
old = nn.BatchNorm1d(2).state_dict()
del old["num_batches_tracked"]
old._metadata.clear()
say(nn.BatchNorm1d(2).load_state_dict(old))
fails(lambda: nn.InstanceNorm1d(2).load_state_dict({"running_mean": torch.ones(2), "running_var": torch.ones(2)}))
layer = nn.LazyBatchNorm1d()
layer.load_state_dict(nn.BatchNorm1d(3).state_dict())
say(layer, layer.weight, nn.LazyBatchNorm2d(), nn.BatchNorm1d.__module__, nn.InstanceNorm1d.__module__)
half = nn.BatchNorm1d(2, dtype=torch.float64, device="cpu")
say(half.running_var, half.weight, half(batch(3, 2).double()).dtype)
g, = torch.autograd.grad(F.batch_norm(w := batch(3, 1), None, None, training=True).pow(3).sum(), w, create_graph=True)
say(torch.round(torch.autograd.grad((g * g).sum(), w)[0] * 100) + 0.0)
""",
    "embedding": """
i = torch.tensor([[0, 2, 2], [3, 1, 2]])
for layer in (nn.Embedding(4, 3), nn.Embedding(4, 2, padding_idx=-2), nn.Embedding(4, 2, 0, scale_grad_by_freq=True),
              nn.Embedding(5, 2, max_norm=1.0, norm_type=1.0), nn.Embedding(4, 1, dtype=torch.float64),
              nn.Embedding.from_pretrained(torch.eye(4)), nn.Embedding.from_pretrained(torch.eye(4), False, 1)):
    say(layer, layer.weight, layer.weight.requires_grad)
    y = layer(i)
    say(y, layer.weight)
    if y.requires_grad:
        (y * torch.arange(6.0).view(2, 3, 1)).sum().backward()
        say(layer.weight.grad)
say(nn.Embedding(4, 2, sparse=True), nn.Embedding.__module__, list(nn.Embedding(2, 2).state_dict()))
for action in (lambda: nn.Embedding(4, 2, 4), lambda: nn.Embedding(4, 2, -5), lambda: nn.Embedding(2, 2)(i),
               lambda: nn.Embedding(4, 2)(i - 1), lambda: nn.Embedding(4, 2)(i.float()),
               lambda: nn.Embedding(4, 2, _weight=torch.eye(3)), lambda: nn.Embedding.from_pretrained(torch.ones(3)),
               lambda: F.embedding(i, torch.ones(4)), lambda: F.embedding(i, torch.ones(4, 1), 5),
               lambda: F.embedding(i.bool(), torch.ones(4, 1)), lambda: F.one_hot(i, 2), lambda: F.one_hot(i.int()),
               lambda: F.one_hot(i, 2.5)):
    fails(action)
w = batch(4, 2)
g, = torch.autograd.grad(F.embedding(i, w, 1).pow(3).sum(), w, create_graph=True)
say(g, torch.autograd.grad(g.sum(), w), F.one_hot(i), F.one_hot(i, num_classes=5))
""",
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
