"""`Linear` and `Bilinear`: initial values, results, gradients, text, refusals."""

from __future__ import annotations

import pytest

from tests.training.sequences.nearly import differing

PROGRAMS = {
    "linear": """
F = nn.functional
torch.manual_seed(3)
for made in (nn.Linear(5, 3), nn.Linear(5, 3, bias=False), nn.Linear(5, 2, dtype=torch.float64)):
    say(made, *made.parameters(), made.state_dict(), made.bias)
    for size in ((4, 5), (2, 3, 5), (5,), (0, 5)):
        x = torch.rand(size, dtype=made.weight.dtype, requires_grad=True)
        both(made(x), x, made.weight, made.bias)
say(nn.Linear(0, 2).bias, nn.Linear(2, 0), nn.Linear(3, 4, device="meta").weight)
fails(lambda: nn.Linear(5, 3)(torch.ones(2, 4)))
fails(lambda: nn.Linear(5, 3)(torch.ones(2, 5, dtype=torch.float64)))
fails(lambda: nn.Linear(5, 3)(torch.tensor(1.0)))
fails(lambda: nn.Linear(5, 3)(3))
fails(lambda: nn.Linear(-1, 3))
fails(lambda: F.linear(torch.ones(2, 2)))
say(nn.modules.linear.NonDynamicallyQuantizableLinear(2, 3), nn.Linear, nn.modules.linear.Linear is nn.Linear)
say(copy.deepcopy(nn.Linear(2, 2)), pickle.loads(pickle.dumps(nn.Linear(1, 2))).weight)
""",
    "bilinear": """
torch.manual_seed(4)
for made in (nn.Bilinear(3, 2, 4), nn.Bilinear(3, 2, 4, bias=False)):
    say(made, *made.parameters(), made.bias)
    for size in ((5,), (2, 3), ()):
        one, other = torch.rand(*size, 3, requires_grad=True), torch.rand(*size, 2, requires_grad=True)
        both(made(one, other), one, other, made.weight, made.bias)
fails(lambda: nn.Bilinear(0, 1, 1))
fails(lambda: nn.Bilinear(3, 2, 4)(torch.ones(2, 3), torch.ones(3, 2)))
fails(lambda: nn.Bilinear(3, 2, 4)(torch.ones(2, 2), torch.ones(2, 2)))
fails(lambda: nn.Bilinear(3, 2, 4)(torch.ones(2, 3), torch.ones(2, 2, dtype=torch.float64)))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_layers_of_weights_are_pytorchs(name: str) -> None:
    assert not differing(PROGRAMS[name])
