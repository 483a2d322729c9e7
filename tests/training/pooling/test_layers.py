"""Layers of padding, pooling and resizing, as in PyTorch: text, values, sizes, state, refusals."""

from __future__ import annotations

import pytest

from tests.training.programs import differing

PROGRAMS = {
    "padding": """
x = torch.arange(1.0, 61.0).reshape(1, 2, 2, 3, 5)
for kind in ("Constant", "Zero", "Reflection", "Replication", "Circular"):
    for dims in (1, 2, 3):
        layer = getattr(nn, f"{kind}Pad{dims}d")
        more = (2.5,) if kind == "Constant" else ()
        inner = x[(0,) * (3 - dims)]
        for size in (1, (1, 0) * dims, [1, -1] + [0, 1] * (dims - 1)):
            m = layer(size, *more)
            say(m, m.padding, layer.__module__, m(inner), m(inner[0]))
            say(m.state_dict(), m.training, isinstance(m, nn.ConstantPad2d))
        fails(lambda: layer(*(1,) * (3 + (kind == "Constant"))))
        fails(lambda: layer(1, *more)(x[0, 0, 0, 0]))
        fails(lambda: layer((1, 1, 1), *more)(inner))
say(nn.ConstantPad1d(1, 3), nn.ConstantPad2d(padding=(1, 2, 3, 4), value=-1.5), nn.ZeroPad2d((1, 2)))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_say_what_pytorchs_do(name: str) -> None:
    assert differing(PROGRAMS[name]) == []
