"""Programs of mixed draws under one seed: every number and the final state of the generator are PyTorch's."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import tensorkit
from tests.torch_oracle import exhaust, fused, require_torch

pytestmark = pytest.mark.parity

FLOATS = ("float16", "bfloat16", "float32", "float64")
COUNTED = ("uint8", "int8", "int16", "int32", "int64", *FLOATS)
SIZES = ((), (0,), (1,), (5,), (15,), (16,), (17,), (3, 6), (33,), (2, 3, 7), (300,))
FILLS = (
    "normal_(0.3, 1.7)",
    "normal_()",
    "uniform_(-1.5, 2.25)",
    "uniform_()",
    "exponential_(2.5)",
    "log_normal_(0.25, 0.75)",
    "cauchy_(0.5, 2.2)",
    "geometric_(0.3)",
    "random_()",
    "random_(100)",
    "random_(3, 90)",
    "bernoulli_(0.3)",
)
DRAWS = (
    "tk.bernoulli(weights)",
    "tk.bernoulli(weights, 0.4)",
    "tk.poisson(weights * 30)",
    "tk.normal(weights, weights + 1)",
    "tk.normal(weights, 2.5)",
    "tk.normal(1.5, weights)",
    "tk.normal(1.5, 2.5, (20,))",
    "tk.multinomial(weights.flatten() + 0.01, 1)",
    "tk.multinomial(weights.flatten() + 0.01, 7, replacement=True)",
    "tk.rand(7)",
    "tk.randn(33)",
    "tk.randint(-2**40, 2**40, (3,))",
    "tk.randperm(9)",
    "tk.rand_like(weights.t() if weights.dim() == 2 else weights)",
)


def step(rng: random.Random) -> tuple[str, str]:
    """One line of a program, and what it does."""
    size = rng.choice(SIZES)
    if rng.random() < 0.5:
        call = rng.choice(FILLS)
        whole = call.startswith(("geometric", "random", "bernoulli"))
        kind = rng.choice(COUNTED if whole else FLOATS)
        gaps = ", 2" if size and rng.random() < 0.2 else ""
        cut = f"[{', '.join(['::2'] * len(size))}]" if gaps else ""
        turned = ".mT" if len(size) == 2 and rng.random() < 0.5 else ""
        return f"tk.zeros({size}, dtype=tk.{kind}){cut}{turned}.{call}", call.partition("(")[0]
    call = rng.choice(DRAWS)
    size = size if size and 0 not in size else (4,)
    count = 1
    for length in size:
        count *= length
    kind = rng.choice(FLOATS)
    weights = f"((tk.arange({count}) * 37 % 101).to(tk.{kind}) / 101).reshape({size})"
    return call.replace("weights", weights), call.partition("(")[0]


def test_programs_of_mixed_draws(torch: Any) -> None:
    rng = random.Random(0)
    seen: Counter[str] = Counter()

    def programs() -> None:
        for _ in range(25):
            seed = rng.randrange(-(2**40), 2**40)
            for library in (tensorkit, torch):
                library.manual_seed(seed)
            for _ in range(20):
                line, what = step(rng)
                ours, theirs = (eval(line, {"tk": library}) for library in (tensorkit, torch))
                assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1], line
                assert ours.stride() == theirs.stride(), line
                if fused() or not theirs.is_floating_point():
                    assert ours.tolist() == theirs.tolist(), (seed, line)
                else:
                    coarse = 2e-2 if theirs.itemsize == 2 else 1e-5
                    expected = pytest.approx(theirs.flatten().tolist(), rel=coarse, abs=coarse, nan_ok=True)
                    assert ours.flatten().tolist() == expected, (seed, line)
                seen[what] += 1
            assert tensorkit.get_rng_state().tolist() == torch.get_rng_state().tolist()

    exhaust(programs, "distributions")
    assert len(seen) >= 16


@pytest.fixture(scope="module")
def torch() -> Any:
    return require_torch()


def test_a_large_permutation_is_the_same_by_every_road(torch: Any) -> None:
    from tensorkit.kernels.cpu.random import sampling

    for count in (2, 3, 50, 30_000):
        ours, theirs = tensorkit.Generator().manual_seed(5), torch.Generator().manual_seed(5)
        for _ in range(3):  # while the compiler works, and perhaps after
            drawn = tensorkit.randperm(count, generator=ours)
            assert drawn.tolist() == torch.randperm(count, generator=theirs).tolist()
    other = tensorkit.randint(0, 10**6, (999,)).numpy() % (1000 - tensorkit.arange(999).numpy())
    other += tensorkit.arange(999).numpy()
    assert sampling._all_swaps(other, 1000).tolist() == sampling.permutation(other, 1000).tolist()


def test_nothing_outside_a_fork_is_moved() -> None:
    tensorkit.manual_seed(3)
    with tensorkit.random.fork_rng():
        inside = tensorkit.rand(3).tolist()
    assert tensorkit.rand(3).tolist() == inside


@pytest.mark.parametrize("call", [call for call in FILLS if "random_(" not in call])
def test_what_was_drawn_does_not_depend_on_what_was_there(torch: Any, call: str) -> None:
    found = []
    for library in (tensorkit, torch):
        x = library.ones(3, requires_grad=True)
        y = eval(f"y.{call}", {"y": x * 2})
        y.sum().backward()
        found.append((y.grad_fn.name(), x.grad.tolist()))
    assert found[0] == found[1]
