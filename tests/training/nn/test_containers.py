"""Containers: what they hold, in what order, and how they print."""

from __future__ import annotations

import pytest

from tests.training.nn.layers import LAYERS
from tests.training.programs import differing

PROGRAMS = {
    "sequential": """
s = nn.Sequential(Linear(1, 2), nn.Identity(), nn.Flatten())
say(s, len(s), s[0], s[-1], s[1:], s[::2], list(s), s(torch.ones(1, 1)), [n for n in dir(s) if n.isdigit()])
named = nn.Sequential(OrderedDict([("a", Linear(1, 1)), ("b", nn.Identity())]))
say(named, named.a is named[0], named[1:], named[-1])
named[0] = nn.Flatten()
say(named)
say(s.append(nn.Identity()) is s, s.insert(1, nn.Flatten(0)) is s, s.insert(-1, nn.Flatten(1)),
    s.extend([nn.Identity()]), s.extend(named))
say(s.pop(0), s.pop(-1), s.pop(slice(0, 2)), s, s._modules if False else list(s._modules))
del s[0]
del s[1:]
say(s, named + s, named * 2, 2 * named)
named += s
say(named)
t = nn.Sequential(nn.Identity(), nn.Flatten())
t *= 3
say(t, t[0] is t[2])
t[0] = Linear(1, 1)
say(t[2], type(named + s))
del named[0]
say(named, named._modules)
""",
    "sequential refused": """
s = nn.Sequential(nn.Identity())
for place in (1, -2, "a", 1.0):
    fails(lambda: s[place])
    fails(lambda: s.__setitem__(place, nn.Identity()))
    fails(lambda: s.__delitem__(place))
    fails(lambda: s.pop(place))
fails(lambda: s.insert(5, nn.Identity()))
fails(lambda: s.insert(0, 3))
fails(lambda: s.append(3))
fails(lambda: nn.Sequential(3))
fails(lambda: nn.Sequential([nn.Identity()]))
fails(lambda: s + 3)
fails(lambda: s.__iadd__([nn.Identity()]))
fails(lambda: s * 2.0)
fails(lambda: s * 0)
fails(lambda: s.__imul__(-1))
fails(lambda: s.__imul__("a"))
fails(lambda: s(1, 2))
say(nn.Sequential()(3))
""",
    "module list": """
l = nn.ModuleList([Linear(1, 1), Linear(1, 1), Linear(1, 1), nn.Identity(), Linear(1, 2),
    nn.Sequential(nn.Identity()), nn.Sequential(nn.Identity())])
say(l, len(l), l[0], l[-1], l[1:3], l[::-1], nn.ModuleList(), nn.ModuleList([nn.Identity()]),
    nn.Sequential(nn.ModuleList([nn.ModuleList([Linear(1, 1)] * 3)] * 2)))
l[1] = nn.Flatten()
say(l.append(nn.Identity()) is l, l.extend([nn.Flatten()]) is l, l.insert(1, nn.Identity()), l.pop(0),
    l.pop(slice(0, 3)), l)
del l[0], l[-2:]
say(l, list(l.state_dict()), l + [nn.Identity()], type(l + l))
l += (nn.Identity(),)
say(l, [n for n in dir(l) if n.isdigit()], nn.Identity() in l, l[3] in l)
for place in (9, -9, "a"):
    fails(lambda: l[place])
    fails(lambda: l.__setitem__(place, nn.Identity()))
    fails(lambda: l.__delitem__(place))
fails(lambda: l.extend(3))
fails(lambda: nn.ModuleList(3))
fails(lambda: nn.ModuleList([3]))
fails(lambda: l(1))
fails(lambda: l.append("a"))
class Mine(nn.ModuleList):
    pass
say(Mine([nn.Identity()])[:1], nn.ModuleList(x for x in (nn.Identity(), None)))
""",
    "module dict": """
d = nn.ModuleDict({"b": Linear(1, 1), "a": nn.Identity()})
say(d, len(d), list(d), d["a"], "a" in d, "c" in d, d.keys(), list(d.items()), list(d.values()), nn.ModuleDict())
d["c"] = nn.Flatten()
d.update([["x", nn.Identity()], ("a", nn.Flatten(0))])
d.update(nn.ModuleDict({"y": nn.Identity()}))
d.update(OrderedDict(z=nn.Identity()))
say(d, d.pop("x"), list(d), d.a)
del d["y"]
say(list(d), list(d.state_dict()))
fails(lambda: d["nobody"])
fails(lambda: d.pop("nobody"))
fails(lambda: d.update(3))
fails(lambda: d.update([3]))
fails(lambda: d.update([(1, 2, 3)]))
fails(lambda: nn.ModuleDict({"a.b": nn.Identity()}))
fails(lambda: nn.ModuleDict({"keys": nn.Identity()}))
fails(lambda: nn.ModuleDict({"a": 3}))
fails(lambda: d(1))
d.clear()
say(d)
""",
    "parameter list": """
p = nn.ParameterList([torch.zeros(2, 3), nn.Parameter(torch.ones(1)), 5, "a", torch.tensor(1.0),
    nn.Parameter(torch.ones(2, dtype=torch.float64))])
say(p, len(p), p[0], p[-1], type(p[4]), p[1:3], list(p)[2:4], nn.ParameterList(), [n for n,
    _ in p.named_parameters()])
p[0] = torch.ones(2)
p[2] = None
say(p.append(torch.ones(1)) is p, p.extend([1, torch.ones(1)]) is p, p, list(p.state_dict()), nn.Sequential(p))
p += [nn.Parameter(torch.ones(1))]
say(len(p), [n for n in dir(p) if n.isdigit()])
for place in (99, -99, "a"):
    fails(lambda: p[place])
    fails(lambda: p.__setitem__(place, 1))
fails(lambda: p.extend(3))
fails(lambda: p.extend(torch.ones(2)))
fails(lambda: nn.ParameterList(torch.ones(2)))
fails(lambda: p(1))
fails(lambda: nn.ParameterList([torch.ones(1, dtype=torch.int64)]))
""",
    "parameter dict": """
d = nn.ParameterDict({"b": torch.zeros(2, 3), "a": nn.Parameter(torch.ones(1)), "n": 5})
say(d, len(d), list(d), d["a"], d.a, "a" in d, "c" in d, d.keys(), list(d.items()), list(d.values()),
    list(reversed(d)), nn.ParameterDict())
say(d.setdefault("a", 3), d.setdefault("s", torch.ones(1)), d.setdefault("t"), d.get("a"), d.get("nobody"),
    d.get("nobody", 7))
d.update([["x", torch.ones(1)], ("a", torch.zeros(2))])
d.update(OrderedDict(z=1, y=2))
d.update(nn.ParameterDict({"w": 3}))
say(d, d.copy(), type(d.copy()), d.copy()["a"] is d["a"], d.fromkeys(["p", "q"], 4), d.popitem(), d.pop("x"), list(d))
say(d | nn.ParameterDict({"m": 1}), nn.ParameterDict({"m": 1}) | d, list(d.state_dict()))
d |= nn.ParameterDict({"k": torch.ones(1)})
say(list(d.named_parameters()))
del d["k"]
fails(lambda: d["nobody"])
fails(lambda: d[3])
fails(lambda: d.pop("nobody"))
fails(lambda: nn.ParameterDict({3: torch.ones(1)}))
fails(lambda: d.update(3))
fails(lambda: d.update([3]))
fails(lambda: d.update([(1, 2, 3)]))
fails(lambda: d.__delitem__("nobody"))
fails(lambda: d(1))
d.clear()
say(d)
fails(lambda: nn.ParameterDict().popitem())
""",
    "container": """
c = nn.Container(a=nn.Identity(), b=nn.Flatten())
say(c)
""",
    "copies": """
for m in (nn.Sequential(Linear(1, 1), nn.Identity()), nn.ModuleList([Linear(1, 1)]), nn.ModuleDict({"a": Linear(1,
    1)}),
          nn.ParameterList([torch.ones(1), 3]), nn.ParameterDict({"a": torch.ones(1), "b": 2})):
    for n in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        say(n, list(n.state_dict().items()), type(n))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(LAYERS + PROGRAMS[name]) == []
