"""Layers of convolution, transposed and lazy ones: initial values, results, gradients, state, text, refusals."""

from __future__ import annotations

import pytest

from tests.training.sequences.nearly import differing

PROGRAMS = {
    "convolution": """
torch.manual_seed(1)
cases = [
    (nn.Conv1d(3, 4, 3), (2, 3, 7)), (nn.Conv1d(4, 6, (2,), stride=2, padding=1, dilation=2, groups=2), (4, 8)),
    (nn.Conv1d(3, 4, 5, padding="same", bias=False), (2, 3, 7)),
    (nn.Conv2d(3, 4, 3), (2, 3, 5, 6)), (nn.Conv2d(2, 4, (3, 2), (2, 1), (1, 0), 1, 2, False), (2, 5, 6)),
    (nn.Conv2d(4, 4, 3, padding="same", groups=4), (1, 4, 5, 5)), (nn.Conv2d(2, 2, 2, padding="valid"), (2, 2, 4, 4)),
    (nn.Conv2d(2, 2, 3, padding=1, dtype=torch.float64), (2, 2, 4, 4)),
    (nn.Conv3d(2, 3, (1, 2, 3), padding=(0, 1, 1)), (2, 2, 2, 3, 4)), (nn.Conv3d(2, 2, 2, 2), (2, 4, 4, 4)),
]
for made, size in cases:
    say(made, *made.parameters(), list(made.state_dict()), made.padding, type(made))
    x = torch.rand(size, dtype=made.weight.dtype, requires_grad=True)
    both(made(x), x, made.weight, made.bias)
say(nn.Conv2d(0, 2, 3).bias, nn.Conv2d(1, 6, 5).to(memory_format=torch.channels_last).weight.stride())
torch.manual_seed(2)
made = nn.Conv2d(2, 3, 3).to(memory_format=torch.channels_last)
made.reset_parameters()
say(made.weight, made.bias)
say(nn.Conv2d, nn.modules.conv.Conv2d is nn.Conv2d, isinstance(made, nn.modules.conv._ConvNd))
say(copy.deepcopy(made), pickle.loads(pickle.dumps(made)).weight)
""",
    "padding modes": """
torch.manual_seed(3)
for mode in ("reflect", "replicate", "circular"):
    for made, size in (
        (nn.Conv1d(2, 3, 3, padding=2, padding_mode=mode), (2, 2, 5)),
        (nn.Conv2d(2, 3, (3, 2), padding=(2, 1), padding_mode=mode), (1, 2, 4, 5)),
        (nn.Conv2d(2, 3, 4, padding="same", padding_mode=mode), (1, 2, 4, 5)),
        (nn.Conv3d(1, 2, 2, padding=1, padding_mode=mode), (1, 1, 2, 3, 3)),
    ):
        x = torch.rand(size, requires_grad=True)
        say(made)
        both(made(x), x, made.weight, made.bias)
""",
    "transposed": """
torch.manual_seed(4)
cases = [
    (nn.ConvTranspose1d(3, 4, 3), (2, 3, 5)), (nn.ConvTranspose1d(4, 6, 2, 2, 1, 1, 2), (4, 5)),
    (nn.ConvTranspose2d(3, 2, 4, 2, 1), (2, 3, 3, 4)),
    (nn.ConvTranspose2d(2, 4, (3, 2), (2, 1), (1, 0), (1, 0), 2, False, (1, 2)), (2, 3, 3)),
    (nn.ConvTranspose3d(2, 3, (1, 2, 3), 2), (2, 2, 2, 3, 2)),
]
for made, size in cases:
    say(made, *made.parameters())
    x = torch.rand(size, requires_grad=True)
    both(made(x), x, made.weight, made.bias)
made = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
x = torch.rand(1, 1, 4, 4)
near(made(x, output_size=[8, 7]), made(x, output_size=(1, 1, 7, 8)), made(x, x.new_zeros(1, 1, 8, 8).size()))
fails(lambda: made(x, output_size=[9, 7]))
fails(lambda: made(x, output_size=[8]))
fails(lambda: made(x[0], output_size=[1, 1, 8, 8]))
fails(lambda: nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect"))
""",
    "lazy": """
torch.manual_seed(5)
for lazy, size in (
    (nn.LazyConv1d(4, 3), (2, 3, 5)), (nn.LazyConv2d(4, 3, padding=1, groups=2, bias=False), (2, 4, 4)),
    (nn.LazyConv3d(2, 3, 1, "same"), (1, 2, 2, 3, 3)), (nn.LazyConvTranspose1d(4, 3, 2), (2, 3, 5)),
    (nn.LazyConvTranspose2d(4, 3, 2, 1, 1, 2), (1, 2, 4, 4)), (nn.LazyConvTranspose3d(1, 2), (2, 2, 2, 2)),
    (nn.LazyLinear(3), (2, 4)), (nn.LazyLinear(3, False), (4,)),
):
    say(lazy, lazy.weight, type(lazy), list(lazy.state_dict()), lazy.has_uninitialized_params())
    fails(lambda: sum(p.numel() for p in lazy.parameters()))
    other, empty = copy.deepcopy(lazy), copy.deepcopy(lazy)
    x = torch.rand(size)
    near(lazy(x))
    say(lazy, type(lazy), *lazy.parameters())
    fails(lambda: say(other.load_state_dict(lazy.state_dict()), other))
    near(other(x))
    say(other, type(other))
    fails(lambda: lazy.load_state_dict(empty.state_dict()))
    say(pickle.loads(pickle.dumps(empty)))
fails(lambda: nn.LazyConv2d(2, 3)(torch.ones(2, 2)))
fails(lambda: nn.LazyConv2d(2, 3, groups=2)(torch.ones(1, 3, 4, 4)))
class Mine(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def forward(self, x):
        return x
fails(lambda: Mine()(torch.ones(1)))
""",
    "columns": """
torch.manual_seed(6)
for made, size in (
    (nn.Unfold(2), (2, 3, 3, 4)), (nn.Unfold((2, 1), 2, (1, 0), [1, 2]), (3, 3, 4)),
    (nn.Fold((3, 4), 2), (2, 8, 6)), (nn.Fold(4, (2, 1), 2, (1, 0), (1, 2)), (4, 8)),
):
    x = torch.rand(size, requires_grad=True)
    say(made, type(made), made.state_dict())
    both(made(x), x)
fails(lambda: nn.Fold(4))
fails(lambda: nn.functional.unfold(torch.ones(1, 2, 3, 3)))
""",
    "refusals": """
fails(lambda: nn.Conv2d(3, 4, 3, groups=2))
fails(lambda: nn.Conv2d(4, 3, 3, groups=2))
fails(lambda: nn.Conv2d(4, 4, 3, groups=0))
fails(lambda: nn.Conv2d(4, 4, 3, stride=2, padding="same"))
fails(lambda: nn.Conv2d(4, 4))
fails(lambda: nn.LazyConv2d(4))
fails(lambda: nn.ConvTranspose1d(4))
fails(lambda: nn.Conv2d(3, 4, 3)(torch.ones(2, 1, 5, 5)))
fails(lambda: nn.Conv2d(3, 4, 3)(torch.ones(5, 5)))
fails(lambda: nn.Conv2d(3, 4, 3)(torch.ones(3, 2, 5)))
fails(lambda: nn.Conv2d(3, 4, 3)(torch.ones(2, 3, 5, 5, dtype=torch.float64)))
fails(lambda: nn.Conv2d(3, 4, 3)(torch.ones(2, 3, 5, 5, dtype=torch.int64)))
fails(lambda: nn.Conv2d(3, 4, 3, bias=False)(torch.ones(2, 3, 5, 5, dtype=torch.float64)))
fails(lambda: nn.Conv2d(3, 4, (3, 3, 3))(torch.ones(2, 3, 5, 5)))
fails(lambda: torch.conv2d("image", nn.Conv2d(3, 4, 3).weight))
for more in (dict(padding="full"), dict(padding_mode="mirror")):  # of which PyTorch lists sets, in any order
    try:
        nn.Conv2d(4, 4, 3, **more)
    except ValueError as error:
        say(sorted(str(error).replace("{", " ").replace("}", " ").replace(",", " ").split()))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_layers_of_convolution_are_pytorchs(name: str) -> None:
    assert not differing(PROGRAMS[name])
