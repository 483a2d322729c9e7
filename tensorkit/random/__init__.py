"""Random numbers: generators, and the fills that turn their bits into numbers.

A generator is MT19937, seeded by Knuth's classic initialisation with the low 32 bits of the seed. One draw
gives 32 bits; everything else is a formula over draws, and the formulas are PyTorch's, so the same seed gives
the same tensor:

>>> import numpy
>>> from tensorkit import random
>>> row = numpy.empty(3, dtype=numpy.float32)
>>> random.fill_uniform(row, random.Generator().manual_seed(0))
>>> row
array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)

`random.generator` has the generators, `random.fills` the formulas, which know NumPy arrays only. What is drawn goes
into an array in the order of its memory: a transposed array gets the numbers in the order of its base, as in PyTorch.
The operations are in `ops.random`.

Source: Matsumoto and Nishimura, "Mersenne Twister" (1998); Box and Muller, "A note on the generation of
random normal deviates" (1958). Which bits make which number was measured on PyTorch 2.13.
"""

from __future__ import annotations

from tensorkit.random.fills import (
    count_to,
    few_normal,
    few_uniform,
    fill_bernoulli,
    fill_cauchy,
    fill_exponential,
    fill_full_range,
    fill_geometric,
    fill_integers,
    fill_log_normal,
    fill_normal,
    fill_permutation,
    fill_poisson,
    fill_some_normal,
    fill_some_uniform,
    fill_uniform,
    uniform_numbers,
)
from tensorkit.random.generator import (
    Generator,
    _restore,  # pickles know it
    default_generator,
    default_of,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    seed_devices,
    set_rng_state,
)

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def __dir__() -> list[str]:
    return __all__
