"""`Module`: attributes, names, text, state, conversion and copies, as in PyTorch."""

from __future__ import annotations

import pytest

from tests.training.nn.layers import LAYERS
from tests.training.programs import differing

PROGRAMS = {
    "text": """
say(Block(), nn.Module(), nn.Sequential(), str(Linear(1, 2)), Block()._get_name())
class Lines(nn.Module):
    def extra_repr(self):
        return "one\\n\\ntwo"
m = Lines()
say(m)
m.inner = nn.Sequential(Lines(), Linear(1, 1))
m.gone = Linear(1, 1)
m.gone = None
say(m, nn.Sequential(m), m.extra_repr())
""",
    "attributes": """
m = Block()
say(m.first.weight, m.norm.mean, type(m.rest), m.nothing, m.norm.missing, list(m._modules), list(m.norm._buffers))
m.first = Linear(1, 1)
say(m.tied is m.first, [n for n, _ in m.named_parameters()])
m.first.weight = nn.Parameter(torch.zeros(1, 1))
m.first.bias = None
say(m.first.weight, m.first.bias, list(m.first._parameters))
m.norm.mean = torch.ones(3)
m.norm.mean = None
say(m.norm.mean, list(m.norm.state_dict()))
m.norm.mean = nn.Parameter(torch.ones(3))
say(list(m.norm._parameters), list(m.norm._buffers))
m.norm.weight = None
m.norm.new = nn.Buffer(torch.ones(2), persistent=False)
m.norm.other = nn.Buffer(torch.ones(2))
m.norm.scratch = torch.ones(1)
say(sorted(m.norm._non_persistent_buffers_set), list(m.norm.state_dict()))
m.norm.new = nn.Buffer(torch.ones(2))
m.plain = torch.ones(2)
m.plain = nn.Parameter(torch.ones(2))
say("plain" in m.__dict__, list(m._parameters))
del m.plain, m.norm.other, m.rest
fails(lambda: m.plain)
fails(lambda: m.rest)
say(list(m._modules), sorted(m.norm._non_persistent_buffers_set))
fails(lambda: delattr(m, "plain"))
say([n for n in dir(m) if not n.startswith("_") and n not in ("ipu", "mtia", "xpu", "T_destination")])
say(hasattr(m, "first"), hasattr(m, "nobody"), vars(nn.Module())["training"], list(vars(nn.Module())))
""",
    "refused": """
class Early(nn.Module):
    def __init__(self, value):
        self.value = value
fails(lambda: Early(nn.Parameter(torch.ones(1))))
fails(lambda: Early(nn.Identity()))
fails(lambda: Early(nn.Buffer(torch.ones(1))))
m = Linear(1, 1)
m.norm = Norm(1)
fails(lambda: setattr(m, "weight", torch.ones(1)))
fails(lambda: setattr(m, "weight", 3))
fails(lambda: setattr(m, "norm", 3))
fails(lambda: setattr(m, "norm", nn.Identity))
fails(lambda: setattr(m.norm, "mean", 3))
for name, value in ((1, None), ("a.b", None), ("", None), ("forward", None), ("weight", 3), ("norm", m)):
    fails(lambda: m.register_parameter(name, value))
    fails(lambda: m.register_buffer(name, value))
    fails(lambda: m.add_module(name, value))
fails(lambda: m.register_parameter("p", torch.ones(1)))
fails(lambda: m.register_parameter("p", nn.Parameter(torch.ones(1)).data))
fails(lambda: m.register_buffer("b", 3))
fails(lambda: m.add_module("c", 3))
fails(lambda: m.add_module("c", torch.ones(1)))
fails(lambda: m.register_module("inputs", nn.Identity()))
fails(lambda: nn.Module(1))
fails(lambda: nn.Module(a=1))
fails(lambda: nn.Module()(1))
fails(lambda: m(1, 2, 3))
fails(lambda: m.eval(1))
fails(lambda: m.train(1))
fails(lambda: m.state_dict(x=1))
fails(lambda: m.to_empty())
fails(lambda: m.get_extra_state())
fails(lambda: m.set_extra_state(1))
fails(lambda: m.nobody)
fails(lambda: nn.Module.nobody)
""",
    "paths": """
m = Block()
say(m.get_submodule("rest.1.0"), m.get_submodule("") is m, m.get_parameter("rest.0.weight"),
    m.get_buffer("norm.count"))
for get in (m.get_submodule, m.get_parameter, m.get_buffer):
    for path in ("nobody", "rest.nobody", "first.weight", "norm.mean", "rest.9.x", "first.inputs"):
        fails(lambda: get(path))
m.set_submodule("rest.1.0", Linear(1, 1))
m.set_submodule("fresh", nn.Identity())
say(m, list(m._modules))
fails(lambda: m.set_submodule("", nn.Identity()))
fails(lambda: m.set_submodule("rest", 3))
fails(lambda: m.set_submodule("more.x", nn.Identity()))
fails(lambda: m.set_submodule("other", nn.Identity(), strict=True))
fails(lambda: m.set_submodule("first.weight", nn.Identity()))
""",
    "going through": """
m = Block()
say([n for n, _ in m.named_modules()], [n for n, _ in m.named_modules(remove_duplicate=False)])
say([n for n, _ in m.named_modules(prefix="net")], [n for n, _ in m.named_children()], len(list(m.children())))
for duplicates in (True, False):
    say([n for n, _ in m.named_parameters(remove_duplicate=duplicates)])
    say([n for n, _ in m.named_buffers(remove_duplicate=duplicates)])
    say(len(list(m.modules(remove_duplicate=duplicates))))
say([n for n, _ in m.named_parameters("net", recurse=False)], [n for n, _ in m.norm.named_parameters("net", False)])
say(len(list(m.parameters())), len(list(m.parameters(recurse=False))), len(list(m.buffers())),
    m.parameters() is iter(m.parameters()))
seen = []
say(m.apply(lambda module: seen.append(type(module).__name__)) is m, seen)
memo = {m.first}
say([n for n, _ in m.named_modules(memo)])
""",
    "training": """
m = Block()
say(m.train(False) is m, [one.training for one in m.modules()], m.eval().training, m.train().rest.training)
m.requires_grad_(False)
say([p.requires_grad for p in m.parameters()], m.requires_grad_() is m)
y = m(torch.ones(2, 2))
say(y)
y.sum().backward()
say([p.grad for p in m.parameters()])
m.zero_grad(set_to_none=False)
say([p.grad for p in m.parameters()])
m.zero_grad()
say([p.grad for p in m.parameters()], m.first(torch.ones(1, 2), scale=2), m.compile(mode="x") if False else None)
m._is_replica = True
m.zero_grad()
""",
    "state": """
m = Block()
state = m.state_dict()
say(type(state), list(state.items()), state._metadata, list(m.state_dict(prefix="net.")),
    m.state_dict(prefix="net.")._metadata)
say(m.state_dict(keep_vars=True)["first.weight"] is m.first.weight, type(state["first.weight"]),
    state["norm.mean"].requires_grad)
own = {"old": 1}
say(m.norm.state_dict(destination=own) is own, own)
say(list(m.norm.state_dict(OrderedDict(), "a.", True)))
other = Block()
with torch.no_grad():
    for p in other.parameters():
        p.mul_(3)
kept = other.first.weight
say(other.load_state_dict(state), str(other.load_state_dict(state)), other.first.weight is kept, kept)
state["first.weight"].zero_()
say(m.first.weight, other.first.weight)
say(other.load_state_dict(state, assign=True), other.first.weight is kept, other.first.weight,
    type(other.first.weight))
keys = other.load_state_dict({"first.weight": torch.ones(3, 2), "x": 1, "rest.7.y": 2}, strict=False)
say(keys, keys.missing_keys, keys.unexpected_keys, tuple(keys), type(keys).__name__)
""",
    "state that does not fit": """
m = Block()
good = m.state_dict()
for change in ({"x": 1, "first.z": 2, "first.weight.q": 3, "rest.0.a.b": 4}, {"first.weight": torch.ones(2, 2),
    "norm.mean": torch.ones(1)},
               {"first.bias": [1.0]}, {"norm._extra_state": 3}, {"norm.scratch": torch.ones(3)}):
    fails(lambda: m.load_state_dict({**good, **change}))
    fails(lambda: m.load_state_dict({**good, **change}, strict=False))
fails(lambda: m.load_state_dict({k: v for k, v in good.items() if "first" not in k}))
fails(lambda: m.load_state_dict({}))
fails(lambda: m.load_state_dict([1]))
fails(lambda: Linear(1, 1).load_state_dict({"x": 1, "bias": torch.ones(2)}))
scalar = nn.Module()
scalar.a = nn.Parameter(torch.tensor(1.0))
say(scalar.load_state_dict({"a": torch.tensor([5.0])}), scalar.a)
fails(lambda: scalar.load_state_dict({"a": torch.tensor([5.0, 1.0])}))
lazy = nn.Module()
lazy.a = nn.UninitializedParameter()
fails(lambda: scalar.load_state_dict({"a": lazy.a}))
""",
    "extra state": """
class Extra(nn.Module):
    def __init__(self, kept):
        super().__init__()
        self.kept = kept
    def get_extra_state(self):
        return self.kept
    def set_extra_state(self, state):
        self.kept = state
m = nn.Sequential(Extra({"a": 1}), Linear(1, 1))
say(m.state_dict())
n = nn.Sequential(Extra(None), Linear(1, 1))
say(n.load_state_dict(m.state_dict()), n[0].kept)
fails(lambda: n.load_state_dict({k: v for k, v in m.state_dict().items() if "extra" not in k}))
class Old(Norm):
    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        say(prefix, local_metadata, rest[0])
        state_dict[prefix + "count"] = torch.tensor(7)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)
old = nn.Sequential(Old(2))
state = old.state_dict()
del state["0.count"]
say(old.load_state_dict(state), old[0].count, old.load_state_dict(dict(state), assign=True))
""",
    "conversion": """
m = Block()
m(torch.ones(2, 2)).sum().backward()
weight, grad = m.first.weight, m.first.weight.grad
say(m.double() is m, m.first.weight is weight, m.first.weight, weight.grad, weight.grad is grad, m.norm.mean,
    m.norm.count)
say(m.half().norm.mean.dtype, m.bfloat16().first.weight.dtype, m.float().first.weight.grad.dtype,
    m.type(torch.float64).norm.count.dtype)
say(m.to(torch.float32).norm.count, m.to("cpu").first.weight.dtype, m.to(torch.ones(1,
    dtype=torch.float64)).first.weight.dtype)
say(m.to(device="cpu", dtype=torch.float16).norm.mean, m.to(tensor=torch.ones(1)).norm.mean, m.cpu() is m,
    m.to() is m, m.to(None) is m)
fails(lambda: m.to(torch.int64))
fails(lambda: m.to("nowhere"))
fails(lambda: m.to(x=3))
fails(lambda: m.to("cpu", "x"))
fails(lambda: m.to(other=torch.ones(1)))
fails(lambda: m.to(torch.float32, copy=True))
fails(lambda: m.to("cpu", torch.float32, False, True))
n = Linear(1, 1)
w = n.weight
say(n.to(torch.complex64).weight, n.weight is w)
p = nn.Module()
p.image = nn.Parameter(torch.ones(1, 2, 2, 2))
p.flat = nn.Parameter(torch.ones(2, 2))
say(p.to(memory_format=torch.channels_last).image.stride(), p.flat.stride())
""",
    "meta": """
m = Linear(2, 2)
w = m.weight
m(torch.ones(1, 2)).sum().backward()
say(m.to("meta") is m, m.weight is w, m.weight, type(m.weight), m.weight.grad, w)
fails(lambda: m.to("cpu"))
n = m.weight
say(m.to_empty(device="cpu") is m, m.weight is n, m.weight.shape, m.weight.requires_grad)
m.to("meta")
say(m.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(2)}), m.weight.device)
say(m.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(2)}, assign=True), m.weight, m.bias)
outer = nn.Sequential(Linear(1, 1))
outer.own = nn.Parameter(torch.ones(1))
outer.to_empty(device="meta", recurse=False)
say(outer.own.device, outer[0].weight.device)
""",
    "copies": """
m = Block()
m.note = [1]
m.first.weight.requires_grad_(False)
for n in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)), copy.copy(m)):
    say(n, n.first is n.tied, n.first is m.first, n.first.weight is m.first.weight, list(n.state_dict().items()),
        n.note, n.note is m.note)
    say([p.requires_grad for p in n.parameters()], n.training)
n = copy.copy(m)
n.extra = nn.Identity()
say(hasattr(m, "extra"), n._modules is m._modules)
old = nn.Module.__new__(nn.Module)
old.__setstate__({"_parameters": {}, "_buffers": {}, "_modules": {}, "training": True,
    "_forward_hooks": OrderedDict(), "_backward_hooks": OrderedDict()})
old.forward = lambda x: x + 1
say(old(torch.ones(1)), old, old.state_dict())
""",
    "subclasses with habits of their own": """
class Mixed(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
class Both(nn.Module, Mixed):
    call_super_init = True
    def __init__(self, a):
        super().__init__(a=a)
say(dict(Both(3)), Both(3).training)
class Before(nn.Module):
    def register_buffer(self, name, tensor):
        say("mine", name)
        super().register_buffer(name, tensor)
b = Before()
b.register_buffer("x", torch.ones(1))
b.x = torch.zeros(1)
b.y = nn.Buffer(torch.ones(1))
say(list(b.named_buffers()))
fails(lambda: setattr(b, "z", nn.Buffer(torch.ones(1), persistent=False)))
class Asked(nn.Module):
    @property
    def width(self):
        return self.nobody
fails(lambda: Asked().width)
m = nn.Module()
m.forward = lambda x: x * 2
say(m(3))
""",
    "shapes": """
x = torch.arange(24.0).view(2, 3, 4)
say(nn.Identity(54, unused=1), nn.Identity()(x), nn.Flatten()(x), nn.Flatten(0, 1)(x), nn.Flatten(0),
    nn.Unflatten(1, (3, 1))(x))
say(nn.Unflatten(-1, torch.Size([2, 2])), nn.Unflatten(1, [3, 1])(x), nn.Unflatten(2, (2, -1))(x).shape)
for bad in (3, (2.0, 3), (("a", 1),), "ab"):
    fails(lambda: nn.Unflatten(1, bad))
fails(lambda: nn.Flatten()(1))
fails(lambda: nn.Flatten(5)(x))
say(type(nn.Flatten()), nn.Identity.__module__, nn.Unflatten.__module__, torch.typename(nn.Flatten()))
""",
    "factories": """
say(nn.factory_kwargs(None), nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": torch.float32}}))
fails(lambda: nn.factory_kwargs({"a": 1}))
fails(lambda: nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}}))
class Made(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size, device=device))
say(nn.utils.skip_init(Made, 3).weight.shape)
fails(lambda: nn.utils.skip_init(Linear, 1, 1))
fails(lambda: nn.utils.skip_init(dict))
files = torch.nn.modules
say(files.module.Module is nn.Module, files.container.Sequential is nn.Sequential, files.container.ParameterList)
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(LAYERS + PROGRAMS[name]) == []
