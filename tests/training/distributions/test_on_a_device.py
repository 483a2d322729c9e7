"""Samples on a device: drawn there, of the right distribution, with gradients; and densities as on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import cuda

D = tk.distributions
COUNT = 3000
CASES: dict[str, Any] = {
    "gamma": lambda t: D.Gamma(t(2.5), t(0.5)),
    "gamma below 1": lambda t: D.Gamma(t(0.4), t(1.0)),
    "beta": lambda t: D.Beta(t(2.0), t(3.0)),
    "binomial": lambda t: D.Binomial(t(30.0), t(0.3)),
    "binomial of few": lambda t: D.Binomial(t(3.0), t(0.7)),
    "normal": lambda t: D.Normal(t(2.0), t(3.0)),
    "categorical": lambda t: D.Bernoulli(D.Categorical(t([0.25, 0.75])).probs[1]),
}


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with cuda.emulate():
        yield


@pytest.mark.parametrize("name", CASES)
def test_samples_have_the_mean_and_the_variance(name: str) -> None:
    tk.manual_seed(5)
    own = CASES[name](lambda value: tk.tensor(value, device="cuda"))
    drawn = own.sample((COUNT,))
    assert drawn.device.type == "cuda"
    mean, variance = own.mean.item(), own.variance.item()
    assert abs(drawn.mean().item() - mean) < 5 * (variance / COUNT) ** 0.5
    assert abs(drawn.var().item() / variance - 1) < 0.25


@pytest.mark.parametrize("name", CASES)
def test_densities_are_those_of_the_cpu(name: str) -> None:
    there, here = (
        CASES[name](lambda value, where=where: tk.tensor(value, device=where)) for where in ("cuda", "cpu")
    )
    value = here.sample((5,))
    assert there.log_prob(value.to("cuda")).cpu().allclose(here.log_prob(value), rtol=1e-4, atol=1e-5)


def test_gradients_go_back_through_samples() -> None:
    shape = tk.tensor([0.5, 3.0, 20.0], device="cuda", requires_grad=True)
    D.Gamma(shape, 1.0).rsample((50,)).mean().backward()
    assert shape.grad is not None
    assert shape.grad.isfinite().all()
    assert (shape.grad > 0).all()  # larger shapes give larger numbers
