"""Random numbers on a device: PyTorch's own, the same for the same seed, each device with a generator of its own."""

from __future__ import annotations

import importlib.util
import math
import pickle
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.errors import AcceleratorError
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, philox, using
from tensorkit.kernels.cuda.philox import counts
from tensorkit.random import generator
from tests.cuda.families.linked import link

pytestmark = pytest.mark.usefixtures("memory")


def test_the_numbers_are_those_that_pytorch_draws_on_a_gpu() -> None:
    """As published with PyTorch's documentation and in its forum, for a seed of 0."""
    tk.manual_seed(0)
    assert repr(tk.rand(4, device="cuda")) == "tensor([0.3990, 0.5167, 0.0249, 0.9401], device='cuda:0')"
    tk.manual_seed(0)
    assert repr(tk.randn(4, device="cuda")) == "tensor([-0.9247, -0.4253, -2.6438,  0.1452], device='cuda:0')"


def test_a_seed_begins_the_stream_anew_on_every_device() -> None:
    tk.manual_seed(5)
    first = tk.rand(3, device="cuda"), tk.rand(3, device="cuda"), tk.rand(3, device="cuda:1")
    tk.manual_seed(5)
    again = tk.rand(3, device="cuda"), tk.rand(3, device="cuda"), tk.rand(3, device="cuda:1")
    assert [t.tolist() for t in first] == [t.tolist() for t in again]
    assert first[0].tolist() != first[1].tolist()
    assert first[0].tolist() == first[2].tolist()


@pytest.mark.parametrize("runner", [EmulatedRunner(3, 4), EmulatedRunner(5, 7), TracedRunner(3, 4)])
def test_any_grid_of_threads_draws_the_same(runner: Any) -> None:
    tk.manual_seed(1)
    expected = tk.randn(50, device="cuda").tolist()
    tk.manual_seed(1)
    with using(runner):
        assert tk.randn(50, device="cuda").tolist() == pytest.approx(expected, rel=1e-5)


def test_many_numbers_follow_the_number_of_multiprocessors() -> None:
    """Beyond one grid of threads each draws again, four numbers from each 128 bits: 40 × 1024 threads here."""
    tk.manual_seed(0)
    many = tk.rand(100_000, device="cuda")
    tk.manual_seed(0)
    few = tk.rand(40 * 1024, device="cuda")
    assert tk.equal(many[: 40 * 1024], few)
    generator = tk.Generator("cuda").manual_seed(0)
    tk.rand(100_000, device="cuda", generator=generator)
    assert generator.get_offset() == 4
    tk.rand(200_000, device="cuda", generator=generator)
    assert generator.get_offset() == 4 + philox.steps_of(200_000, False, 40, 1024) == 12


def test_states_are_kept_and_go_on() -> None:
    tk.cuda.manual_seed(9)
    state = tk.cuda.get_rng_state()
    assert (state.dtype, state.numel(), state.device.type) == (tk.uint8, 16, "cpu")
    drawn = tk.rand(3, device="cuda").tolist()
    tk.cuda.set_rng_state(state)
    assert tk.rand(3, device="cuda").tolist() == drawn
    generator = tk.Generator("cuda:1").manual_seed(4)
    copy = pickle.loads(pickle.dumps(generator))
    assert copy.device == tk.device("cuda:1")
    assert (
        tk.rand(2, device="cuda:1", generator=copy).tolist()
        == tk.rand(2, device="cuda:1", generator=generator).tolist()
    )


def test_what_is_drawn_in_a_fork_leaves_no_trace() -> None:
    tk.manual_seed(2)
    expected = tk.rand(2, device="cuda").tolist()
    tk.manual_seed(2)
    with tk.random.fork_rng():
        tk.rand(7, device="cuda")
    assert tk.rand(2, device="cuda").tolist() == expected


def test_a_seed_of_a_fork_is_not_that_of_a_device_that_draws_later(monkeypatch: pytest.MonkeyPatch) -> None:
    tk.manual_seed(2)
    expected = tk.rand(2, device="cuda").tolist()
    for device_drew_in_it in (False, True):
        monkeypatch.setattr(generator.of_devices, "made", {})
        with tk.random.fork_rng():
            tk.manual_seed(5)
            if device_drew_in_it:
                tk.rand(2, device="cuda")
        assert tk.rand(2, device="cuda").tolist() == expected


@pytest.mark.parametrize(
    ("call", "mean", "spread"),
    [
        ("tk.rand(20000, device='cuda')", 0.5, 0.289),
        ("tk.randn(20000, device='cuda', dtype=tk.float64)", 0, 1),
        ("tk.randn(20000, device='cuda', dtype=tk.float16).float()", 0, 1),
        ("tk.empty(20000, device='cuda').exponential_(2)", 0.5, 0.5),
        ("tk.empty(20000, device='cuda').log_normal_(0, 0.5)", 1.133, 0.604),
        ("tk.empty(20000, device='cuda').geometric_(0.5)", 2, 1.414),
        ("tk.empty(20000, device='cuda').bernoulli_(0.25)", 0.25, 0.433),
        ("tk.bernoulli(tk.full((20000,), 0.25, device='cuda'))", 0.25, 0.433),
        ("tk.randint(3, 9, (20000,), device='cuda').float()", 5.5, 1.708),
        ("tk.randint(0, 2**40, (20000,), device='cuda').double() / 2**40", 0.5, 0.289),
        ("tk.randperm(20000, device='cuda').float() / 20000", 0.5, 0.289),
        ("tk.multinomial(tk.tensor([1.0, 3], device='cuda'), 20000, True).float()", 0.75, 0.433),
        ("tk.randn(20000, device='cuda', dtype=tk.complex64).real", 0, 0.707),
    ],
)
def test_numbers_are_spread_as_they_should_be(call: str, mean: float, spread: float) -> None:
    tk.manual_seed(11)
    t = eval(call, {"tk": tk})
    assert t.device.type == "cuda"
    assert t.mean().item() == pytest.approx(mean, abs=0.03)
    assert t.std().item() == pytest.approx(spread, abs=0.04)


def test_a_permutation_has_every_number_once() -> None:
    assert tk.randperm(1000, device="cuda").sort()[0].tolist() == [*range(1000)]


def test_a_generator_draws_for_its_own_kind_of_device() -> None:
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        tk.rand(2, device="cuda", generator=tk.Generator())
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"):
        tk.rand(2, generator=tk.Generator("cuda"))


def test_what_has_no_kernel_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="Could not run 'aten::special_airy_ai'"):
        tk.special.airy_ai(tk.ones(2, device="cuda"))


@pytest.mark.parametrize("rate", [0.3, 4.0, 9.9, 10.0, 70.0, 5000.0])
def test_counts_of_events_are_distributed_as_poisson_says(rate: float) -> None:
    tk.manual_seed(2)
    many = tk.poisson(tk.full((200, 100), rate, dtype=tk.float64, device="cuda")).cpu()
    mean, spread = many.mean().item(), many.var().item()
    assert mean == pytest.approx(rate, abs=5 * (rate / 20000) ** 0.5)
    assert spread == pytest.approx(rate, rel=0.1)
    none = (many == 0).double().mean().item()
    assert none == pytest.approx(math.exp(-rate), abs=0.02)
    assert bool((many == many.floor()).all())


@pytest.mark.parametrize("runner", [EmulatedRunner(3, 4), TracedRunner(3, 4)], ids=["threads", "traced"])
def test_counts_do_not_depend_on_the_grid(runner: Any) -> None:
    rates = tk.tensor([[0.0, 0.5, 3.0], [12.0, 800.0, 2e18]], device="cuda").t()
    tk.manual_seed(4)
    expected = tk.poisson(rates)
    tk.manual_seed(4)
    with using(runner):
        drawn = tk.poisson(rates)
    assert drawn.tolist() == expected.tolist()
    assert drawn[0, 0] == 0
    assert drawn.tolist() != tk.poisson(rates).tolist()  # the generator has gone on


def test_a_negative_rate_is_told_where_the_device_is_waited_for() -> None:
    tk.poisson(tk.tensor([1.0, -1.0], device="cuda"))
    with pytest.raises(AcceleratorError, match=r"device-side assert triggered\ninvalid Poisson rate"):
        tk.cuda.synchronize()


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba_cuda", "cuda")),
    reason="numba-cuda is not installed: pip install 'tensorkit[cuda13]'",
)
@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)])
def test_counts_become_machine_code_for_a_gpu(capability: tuple[int, int]) -> None:
    assert link(counts._KERNEL, capability).spilled == 0
