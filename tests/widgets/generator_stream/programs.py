"""Programs that draw, as a notebook has them, and the streams of them."""

from __future__ import annotations

import tensorkit as tk
from tensorkit_widgets import GeneratorStream

__all__ = ["blocks", "far", "many", "put_back", "the_same_four", "two_generators"]


def the_same_four() -> GeneratorStream:
    """Two calls for two numbers; the seed again; one call for four."""
    with tk.random.fork_rng(), GeneratorStream() as stream:
        tk.manual_seed(0)
        a = tk.rand(2)
        b = tk.rand(2)
        tk.manual_seed(0)
        c = tk.rand(4)
    assert tk.cat((a, b)).equal(c)
    return stream


def blocks() -> GeneratorStream:
    """Normal numbers, in pairs and in blocks; the last call has a few too many."""
    with tk.random.fork_rng(), GeneratorStream() as stream:
        tk.manual_seed(0)
        tk.randn(8)
        tk.randn(8)
        tk.manual_seed(0)
        tk.randn(16)
        tk.randn(17)
        tk.randn(3)
        tk.randn(1)
    return stream


def two_generators() -> GeneratorStream:
    """One of our own beside the default one."""
    with tk.random.fork_rng(), GeneratorStream() as stream:
        tk.manual_seed(0)
        g = tk.Generator().manual_seed(7)
        tk.rand(2, 3, generator=g)
        tk.randperm(4)
        tk.empty(2).bernoulli_(0.5)
        tk.randint(0, 10, (3,), generator=g)
    return stream


def put_back() -> GeneratorStream:
    """Another seed, and a state that was kept."""
    with tk.random.fork_rng(), GeneratorStream() as stream:
        tk.manual_seed(1)
        tk.rand(3)
        state = tk.get_rng_state()
        tk.manual_seed(2)
        tk.rand(1)
        tk.set_rng_state(state)
        tk.rand(2)
    return stream


def many() -> GeneratorStream:
    """More draws, and more steps, than there is room for."""
    with tk.random.fork_rng(), GeneratorStream() as stream:
        for seed in range(3):
            tk.manual_seed(seed)
            tk.rand(1000)
            for _ in range(12):
                tk.randint(0, 10, (5,))
    return stream


def far() -> GeneratorStream:
    """A generator that has drawn more than a walk from its seed looks through."""
    g = tk.Generator().manual_seed(3)
    tk.rand(700_000, generator=g)
    with GeneratorStream() as stream:
        tk.rand(2, generator=g)
        tk.rand(700, generator=g)
    return stream
