"""Parameters and buffers: what they are, how they print, what operations on them return."""

from __future__ import annotations

import pytest

from tests.training.programs import differing

PROGRAMS = {
    "text": """
p = nn.Parameter(torch.tensor([[1.0, 2.5], [3.0, 4.0]]))
say(p, str(p), nn.Parameter(torch.ones(2), requires_grad=False), nn.Parameter(), nn.Parameter(torch.tensor(2.5)))
say(f"{p}", nn.Parameter(torch.arange(2000.0)), [p], {"p": p}, nn.Parameter(torch.ones(2, dtype=torch.complex64)))
fails(lambda: f"{nn.Parameter(torch.tensor(2.5)):.1f}")
say(type(p), nn.Parameter.__module__, torch.typename(p), isinstance(p, torch.Tensor), torch.is_tensor(p))
""",
    "results are plain tensors": """
p = nn.Parameter(torch.ones(2, 2))
for made in (p + 1, 1 - p, p @ p, p.t(), p.view(4), p[0], p.detach(), p.data, p.clone(), p.sum(), torch.add(p, p),
             p.sort().values, p.T, p.real, torch.cat([p, p]), p.expand(3, 2, 2)):
    say(type(made), made)
say(p.to(torch.float32) is p, p.contiguous() is p, p.requires_grad_() is p, type(p.double()), type(p.unbind()[0]))
""",
    "refused": """
fails(lambda: nn.Parameter(torch.ones(2, dtype=torch.int64)))
fails(lambda: nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False))
fails(lambda: nn.Parameter(3))
fails(lambda: nn.Parameter([1.0]))
fails(lambda: nn.Parameter(torch.ones(2), 1))
fails(lambda: nn.Parameter(torch.ones(2), requires_grad=None))
fails(lambda: nn.Buffer(3))
p = nn.Parameter(torch.ones(2))
fails(lambda: p.add_(1))
fails(lambda: p.mul_(2))
""",
    "a leaf on shared memory": """
x = torch.ones(2)
p = nn.Parameter(x)
x.add_(1)
say(p, p._version, p.is_leaf, p._is_view(), p.data_ptr() == x.data_ptr(), p.grad_fn, p.grad)
y = torch.ones(2, requires_grad=True) * 3
q = nn.Parameter(y)
say(q.is_leaf, q.requires_grad, q.grad_fn)
(q * y).sum().backward()
say(q.grad)
with torch.no_grad():
    r = nn.Parameter(torch.ones(2))
    r.sub_(0.5)
    say(r, r.requires_grad)
q.data = torch.zeros(3)
say(q, q.shape)
q.data.fill_(4)
say(q, q.is_leaf, nn.Parameter(nn.Parameter(torch.ones(1)), False))
""",
    "copies": """
p = nn.Parameter(torch.ones(2), requires_grad=False)
p.note = 3
p.grad = torch.zeros(2)
for q in (copy.deepcopy(p), copy.copy(p), pickle.loads(pickle.dumps(p))):
    say(q, q.__dict__, q.grad, type(q), q.data_ptr() == p.data_ptr(), q.requires_grad)
a, b = copy.deepcopy([p, p])
say(a is b)
""",
    "subclasses": """
class Named(nn.Parameter):
    pass
class Other(torch.Tensor):
    pass
n = Named(torch.ones(2))
say(n, type(n), type(n + 1), isinstance(n, nn.Parameter))
o = nn.Parameter(Other([1.0, 2.0]))
say(o, type(o), isinstance(o, nn.Parameter), isinstance(Other([1.0]), nn.Parameter), isinstance(o, Named))
fails(lambda: nn.Parameter(n))
""",
    "buffers": """
b = nn.Buffer(torch.ones(2))
say(b, type(b), b.persistent, isinstance(b, nn.Buffer), isinstance(torch.ones(2), nn.Buffer), nn.Buffer())
say(nn.Buffer(torch.ones(2), persistent=False).persistent, nn.Buffer(torch.ones(2, requires_grad=True)))
""",
    "uninitialised": """
from copy import deepcopy
u = nn.UninitializedParameter()
say(u, u.size(), u.dtype, u.device, u.requires_grad, u.data, u.grad, u.is_leaf, u.is_floating_point())
say(torch.nn.parameter.is_lazy(u), torch.nn.parameter.is_lazy(nn.Parameter()), isinstance(u, nn.Parameter))
fails(lambda: u.shape)
fails(lambda: u.share_memory_())
for name in ("dim", "numel", "stride", "detach", "clone", "item", "normal_", "zero_", "element_size"):
    fails(getattr(u, name))
fails(lambda: u.add(1))
fails(lambda: u + 1)
fails(lambda: u @ u)
fails(lambda: u % 2)
fails(lambda: u < 2)
say(u.to(torch.float32) is u, u.float() is u, u.cpu() is u)
u.data = u.data.double()
say(u, u.dtype, deepcopy(u).dtype, pickle.loads(pickle.dumps(u)))
u.materialize((2, 3))
say(type(u), u.shape, u.dtype, u.requires_grad, u.is_leaf)
with torch.no_grad():
    say(u.fill_(2))
(u * 2).sum().backward()
say(u.grad)
v = nn.UninitializedParameter(requires_grad=False, dtype=torch.float64)
v.materialize((2,), dtype=torch.float32)
say(v.dtype, v.requires_grad)
b = nn.UninitializedBuffer()
say(b, type(b.double()), b.double().dtype, isinstance(b, nn.Buffer))
b.materialize(3)
say(type(b), b.shape, b.persistent)
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(PROGRAMS[name]) == []
