"""Hooks of modules: when they are called, with what, and what they may change."""

from __future__ import annotations

import pytest

from tests.training.nn.layers import LAYERS
from tests.training.programs import differing

PROGRAMS = {
    "forward": """
m = Linear(2, 2)
x = torch.ones(1, 2)
def pre(module, args):
    say("pre", module, args)
def changes(module, args):
    return args[0] * 2
def pair(module, args, kwargs):
    say("pair", args, kwargs)
    return (args[0] + 1,), {"scale": 3}
def after(module, args, output):
    say("after", args, output)
def named(module, args, kwargs, output):
    say("named", kwargs)
    return output + 1
handles = [m.register_forward_pre_hook(pre), m.register_forward_pre_hook(changes), m.register_forward_pre_hook(pair,
    with_kwargs=True),
           m.register_forward_hook(after), m.register_forward_hook(named, with_kwargs=True)]
say(m(x, scale=2), m(x))
first = m.register_forward_pre_hook(lambda module, args: say("first"), prepend=True)
last = m.register_forward_hook(lambda module, args, output: say("ahead"), prepend=True)
m(x)
for handle in handles:
    handle.remove()
    handle.remove()
say(len(m._forward_pre_hooks), len(m._forward_hooks), len(m._forward_hooks_with_kwargs),
    len(m._forward_pre_hooks_with_kwargs))
with first, last:
    m(x)
say(m(x), len(m._forward_hooks))
m.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
fails(lambda: m(x))
say(copy.deepcopy(m)._forward_pre_hooks.keys() == m._forward_pre_hooks.keys())
""",
    "always called": """
class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no")
m = Fails()
m.register_forward_hook(lambda module, args, output: say("never"))
m.register_forward_hook(lambda module, args, output: say("always", args, output), always_call=True)
m.register_forward_hook(lambda module, args, kwargs, output: say("named", kwargs), always_call=True, with_kwargs=True)
def bad(*args):
    raise TypeError("of the hook")
m.register_forward_hook(bad, always_call=True)
g = torch.nn.modules.module.register_module_forward_hook(lambda module, args, output: say("everywhere"),
    always_call=True)
h = torch.nn.modules.module.register_module_forward_hook(bad, always_call=True)
fails(lambda: m(1))
h.remove()
good = nn.Identity()
good.register_forward_hook(lambda module, args, output: say("once"), always_call=True)
good.register_forward_hook(bad)
fails(lambda: good(1))
g.remove()
""",
    "of all modules": """
hooks = torch.nn.modules.module
m = nn.Sequential(Linear(1, 1), nn.Identity())
with hooks.register_module_forward_pre_hook(lambda module, args: say("before", module)), \\
     hooks.register_module_forward_hook(lambda module, args, output: say("after", module, output)), \\
     hooks.register_module_forward_hook(lambda module, args, kwargs, output: say(kwargs), with_kwargs=True):
    m[0].register_forward_hook(lambda module, args, output: output * 0)
    say(m(torch.ones(1, 1)))
say(m(torch.ones(1, 1)))
with hooks.register_module_parameter_registration_hook(lambda module, name, value: say(name,
    type(module).__name__)), \\
     hooks.register_module_module_registration_hook(lambda module, name,
         value: say(name) or (nn.Flatten() if name == "b" else None)), \\
     hooks.register_module_buffer_registration_hook(lambda module, name,
         value: value + 1 if name == "mean" else None):
    n = Block()
    n.b = nn.Identity()
    n.add_module("c", nn.Identity())
say(n, n.norm.mean)
x = torch.ones(1, 1, requires_grad=True)
with hooks.register_module_full_backward_pre_hook(lambda module, grads: say("back", type(module).__name__, grads)), \\
     hooks.register_module_full_backward_hook(lambda module, into, out: say("went", type(module).__name__, into,
         out)):
    fails(lambda: hooks.register_module_backward_hook(print))
    m(x).sum().backward()
say(x.grad)
""",
    "full backward": """
m = Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
m.register_full_backward_pre_hook(lambda module, out: say("pre", out))
m.register_full_backward_hook(lambda module, into, out: say("full", module, into, out))
y = m(x)
y.sum().backward()
say(x.grad, m.weight.grad, type(y.grad_fn).__name__)
m.register_full_backward_pre_hook(lambda module, out: (out[0] * 2,))
m.register_full_backward_hook(lambda module, into, out: (into[0] * 10,))
m.register_full_backward_hook(lambda module, into, out: say("last", into), prepend=True)
x.grad = None
m.zero_grad()
m(x).sum().backward()
say(x.grad, m.weight.grad)
fails(lambda: m.register_backward_hook(print))
with torch.no_grad():
    say(m(x))
""",
    "several tensors": """
class Two(nn.Module):
    def forward(self, a, b, c=None, *, d=None):
        return a * b, a + 1 if d is None else d, "text"
m = Two()
m.register_full_backward_hook(lambda module, into, out: say(into, out))
m.register_full_backward_pre_hook(lambda module, out: say("pre", out))
a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
p, q, r = m(a, b)
p.sum().backward()
say(a.grad, b.grad, r)
p, q, r = m(a, b, 5, d=a * 2)
(p + q).sum().backward()
say(a.grad)
point = __import__("collections").namedtuple("point", "x y")
class Named(nn.Module):
    def forward(self, a):
        return point(a * 2, 3)
n = Named()
n.register_full_backward_hook(lambda module, into, out: say(into, out))
made = n(a)
say(type(made).__name__, made.y)
made.x.sum().backward()
""",
    "backward refused": """
m = Linear(1, 1)
x = torch.ones(1, 1, requires_grad=True)
h = m.register_full_backward_hook(lambda module, into, out: (None, None))
fails(lambda: m(x).sum().backward())
h.remove()
h = m.register_full_backward_pre_hook(lambda module, out: ())
fails(lambda: m(x).sum().backward())
h.remove()
h = m.register_full_backward_hook(lambda module, into, out: say(into, out))
m(torch.ones(1, 1)).sum().backward()
h.remove()
h = m.register_full_backward_hook(lambda module, into, out: into if into == (None,) else None)
m(torch.ones(1, 1)).sum().backward()
h.remove()
h = m.register_full_backward_hook(lambda module, into, out: out)
fails(lambda: m(torch.ones(1, 1)).sum().backward())
class Listed(nn.Module):
    def forward(self, x):
        return [x * 2]
n = Listed()
n.register_full_backward_hook(lambda module, into, out: say("heard", into, out))
fails(lambda: n(x)[0].sum().backward())
""",
    "views": """
m = nn.Identity()
m.register_full_backward_hook(lambda module, into, out: None)
x = torch.ones(2, requires_grad=True) * 1
y = m(x)
say(y._is_view(), y.grad_fn)
fails(lambda: y.add_(1))
""",
    "backward of the older form": """
m = Linear(1, 1, bias=False)
x = torch.ones(1, 1, requires_grad=True)
m.register_backward_hook(lambda module, into, out: say(module, into, out))
m(x).sum().backward()
fails(lambda: m.register_full_backward_hook(print))
class Simple(nn.Module):
    def forward(self, x):
        return x * 2
class Dicted(nn.Module):
    def forward(self, x, flag=True):
        return {"a": 1, "b": x * 2}
class Pair(nn.Module):
    def forward(self, x):
        return x * 2, x + 1
class Nested(nn.Module):
    def forward(self, x):
        return [x * 2]
for kind in (Simple, Dicted, Pair, Nested):
    n = kind()
    n.register_backward_hook(lambda module, into, out: say(type(module).__name__, into, out))
    y = n(x * 1)
    (y["b"] if kind is Dicted else y[0]).sum().backward()
n = Simple()
n.register_backward_hook(print)
say(n(torch.ones(1)))
d = Dicted()
d.register_backward_hook(lambda *args: None)
d(x, True)
""",
    "of the state": """
m = nn.Sequential(Linear(1, 1), nn.Sequential(Norm(1)))
m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: say("pre", type(module).__name__, prefix, keep_vars))
def post(module, state, prefix, metadata):
    say("post", prefix, metadata)
    state["added"] = torch.ones(1)
m[0].register_state_dict_post_hook(post)
m._register_state_dict_hook(lambda module, state, prefix, metadata: {k: v for k,
    v in state.items() if "norm" not in k})
state = m.state_dict()
say(list(state))
fails(lambda: m._register_state_dict_hook(post))
def before(module, state, prefix, metadata, strict, missing, unexpected, errors):
    say("load", type(module).__name__, prefix, metadata, strict, missing, unexpected, errors, len(state))
    state.pop("added", None)
m.register_load_state_dict_pre_hook(before)
m[0].register_load_state_dict_pre_hook(before)
m[0]._register_load_state_dict_pre_hook(lambda state, prefix, *rest: say("plain", prefix))
m[1].register_load_state_dict_post_hook(lambda module, keys: say(keys))
say(m.load_state_dict(state))
n = nn.Sequential(Linear(1, 1))
n.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
say(n.load_state_dict({}))
n.register_load_state_dict_post_hook(lambda module, keys: keys)
fails(lambda: n.load_state_dict({}))
bad = Linear(1, 1)
bad.register_state_dict_post_hook(lambda module, state, prefix, metadata: state)
fails(lambda: bad.state_dict())
""",
    "handles": """
from weakref import ref
m = Linear(1, 1)
handle = m.register_forward_hook(lambda module, args, output: None)
say(type(handle), isinstance(handle, torch.utils.hooks.RemovableHandle))
say(handle.id in m._forward_hooks, handle.__enter__() is handle)
table, more = OrderedDict(), OrderedDict()
own = torch.utils.hooks.RemovableHandle(table, extra_dict=[more])
table[own.id] = more[own.id] = 1
tables, others, again = pickle.loads(pickle.dumps((table, more, own)))
again.remove()
say(again.id == own.id, dict(tables), dict(others), len(table), len(more))
own.remove()
say(dict(table), dict(more))
del m
handle.remove()
x = torch.ones(1, requires_grad=True)
say(isinstance(x.register_hook(print), torch.utils.hooks.RemovableHandle))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(LAYERS + PROGRAMS[name]) == []
