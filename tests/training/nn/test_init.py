"""Initialisation: the numbers that PyTorch draws from the same seed, and its words for what it refuses."""

from __future__ import annotations

import numpy
import pytest

import tensorkit
from tests.torch_oracle import require_torch
from tests.training.programs import differing

SIZES = ((3,), (3, 5), (17, 4), (8, 2, 3, 3), (40, 30))
DRAWN = {
    "uniform": "init.uniform_(t), init.uniform_(t, -2.0, 3.0), init.uniform_(t, generator=g)",
    "normal": "init.normal_(t), init.normal_(t, 1.0, 0.02), init.normal_(t, generator=g)",
    "trunc_normal": "init.trunc_normal_(t), init.trunc_normal_(t, std=0.02), init.trunc_normal_(t, generator=g)",
    "trunc_normal of wide bounds": "init.trunc_normal_(t, 0.5, 1.5, -1.0, 2.0), init.trunc_normal_(t, 0, 1, -9, 9)",
    "trunc_normal by thinning": "init.trunc_normal_(t, 0, 1, 0.1, 0.5), init.trunc_normal_(t, 3, 1, 1, 2, generator=g)",
}
SCALED = {
    "xavier_uniform": "init.xavier_uniform_(t), init.xavier_uniform_(t, 2.0), init.xavier_uniform_(t, generator=g)",
    "xavier_normal": "init.xavier_normal_(t), init.xavier_normal_(t, 0.5), init.xavier_normal_(t, generator=g)",
    "kaiming_uniform": "init.kaiming_uniform_(t), init.kaiming_uniform_(t, 5**0.5, 'FAN_OUT', generator=g)",
    "kaiming_normal": "init.kaiming_normal_(t), init.kaiming_normal_(t, mode='fan_out', nonlinearity='relu')",
    "constants": "init.zeros_(t), init.ones_(t), init.constant_(t, 0.3)",
}
DRAW = """
for size in {sizes}:
    for dtype in {dtypes}:
        torch.manual_seed(3)
        g = torch.Generator().manual_seed(4)
        t = nn.Parameter(torch.zeros(size, dtype=dtype))
        for made in ({calls},):
            say(made is t, made.detach().clone())
        say(t.requires_grad, t.grad_fn, t._version, torch.rand(3))
"""
FLOATS = "(torch.float32, torch.float64)"
ALL = "(torch.float32, torch.float64, torch.float16, torch.bfloat16)"


@pytest.mark.parity
@pytest.mark.parametrize("name", DRAWN | SCALED)
def test_seeded_draws_are_pytorchs(name: str) -> None:
    sizes = SIZES if name in DRAWN else SIZES[1:]
    calls = (DRAWN | SCALED)[name]
    assert differing(DRAW.format(sizes=sizes, dtypes=ALL, calls=calls)) == []


PROGRAMS = {
    "eye and dirac": """
say(init.eye_(torch.empty(3, 5)), init.eye_(torch.empty(4, 2, dtype=torch.float64)),
    init.eye_(nn.Parameter(torch.empty(2, 2))))
for size, groups in (((4, 3, 3), 1), ((4, 2, 4), 2), ((6, 2, 3, 4), 3), ((2, 2, 3, 3, 3), 1), ((3, 5, 1), 3)):
    say(init.dirac_(torch.empty(size), groups), init.dirac_(nn.Parameter(torch.empty(size))).requires_grad)
""",
    "sparse": """
torch.manual_seed(1)
say(init.sparse_(torch.empty(10, 4), 0.25), init.sparse_(torch.empty(3, 2, dtype=torch.float64), 0.9, std=2.0))
say(init.sparse_(torch.empty(5, 5), 0.5, generator=torch.Generator().manual_seed(2)), torch.rand(2))
""",
    "gains": """
for name in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "sigmoid",
             "tanh", "relu", "leaky_relu", "selu"):
    say(init.calculate_gain(name), init.calculate_gain(name, 0.3), init.calculate_gain(name, 2))
fails(lambda: init.calculate_gain("gelu"))
fails(lambda: init.calculate_gain("leaky_relu", True))
fails(lambda: init.calculate_gain("leaky_relu", "a"))
for size in ((2, 3), (4, 3, 5), (2, 1, 3, 3), (0, 4)):
    say(init._calculate_fan_in_and_fan_out(torch.empty(size)))
    fails(lambda: init._calculate_correct_fan(torch.empty(size), "fan_x"))
fails(lambda: init._calculate_fan_in_and_fan_out(torch.empty(3)))
""",
    "refused": """
one, two, six = torch.empty(3), torch.empty(2, 2), torch.empty(1, 1, 1, 1, 1, 1)
for name in ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "eye_",
    "dirac_"):
    fails(lambda: getattr(init, name)(one))
fails(lambda: init.sparse_(one, 0.5))
fails(lambda: init.dirac_(two))
fails(lambda: init.dirac_(six))
fails(lambda: init.dirac_(torch.empty(3, 2, 2), 2))
fails(lambda: init.eye_(torch.empty(2, 2, 2)))
fails(lambda: init.kaiming_uniform_(two, mode="fan_x"))
fails(lambda: init.kaiming_normal_(two, nonlinearity="nothing"))
say(init.kaiming_uniform_(torch.empty(0, 3)), init.kaiming_normal_(torch.empty(3, 0)),
    init.orthogonal_(torch.empty(0, 3)))
torch.manual_seed(0)
say(init.trunc_normal_(torch.empty(20), 5.0, 1.0, -2.0, 2.0))
""",
    "meta": """
m = torch.empty(2, 3, device="meta")
for made in (init.trunc_normal_(m), init.orthogonal_(m), init.sparse_(m, 0.5), init.dirac_(torch.empty(2, 2, 2,
    device="meta"))):
    say(made)
""",
    "names of earlier years": """
torch.manual_seed(5)
t = torch.empty(4, 4)
say(init.uniform(t, 0, 2), init.normal(t), init.constant(t, 2), init.eye(t), init.dirac(torch.empty(2, 2, 2)),
    init.xavier_uniform(t))
say(init.xavier_normal(t), init.kaiming_uniform(t, a=1), init.kaiming_normal(t), init.sparse(t, 0.5),
    init.uniform.__name__)
init.orthogonal(t)
""",
    "views": """
torch.manual_seed(6)
t = torch.zeros(4, 6)
say(init.trunc_normal_(t.t()[1:5]), init.xavier_uniform_(t[:, ::2]), init.constant_(t[1], 9.0),
    init.trunc_normal_(t[::2], 0, 1, 0.1, 0.4), t)
t = torch.zeros(3, 8, 5, 5)
init.kaiming_normal_(t.contiguous(memory_format=torch.channels_last))
say(torch.rand(1))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(PROGRAMS[name]) == []


@pytest.mark.parity
@pytest.mark.parametrize("size", [(3, 3), (2, 5), (5, 2), (4, 3, 2), (30, 40)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_orthogonal_matrices_are_pytorchs_but_for_the_last_digits_of_lapack(
    size: tuple[int, ...], dtype: str
) -> None:
    made = []
    for torch in (require_torch(), tensorkit):
        torch.manual_seed(7)
        weight = torch.nn.Parameter(torch.empty(size, dtype=getattr(torch, dtype)))
        assert torch.nn.init.orthogonal_(weight, gain=2.0) is weight
        made.append(weight.detach().numpy())
        other = torch.nn.init.orthogonal_(torch.empty(3, 3), generator=torch.Generator().manual_seed(1))
        made.append(other.numpy())
        made.append(torch.rand(2).numpy())
    for theirs, ours in zip(made[:3], made[3:], strict=True):
        numpy.testing.assert_allclose(ours, theirs, atol=1e-5 if theirs.dtype == numpy.float32 else 1e-12)
