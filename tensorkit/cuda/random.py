"""The generators of CUDA devices: their seeds and their states.

>>> with tk.cuda.emulate():
...     tk.cuda.manual_seed(0)
...     tk.rand(4, device="cuda")
tensor([0.3990, 0.5167, 0.0249, 0.9401], device='cuda:0')

Source: https://docs.pytorch.org/docs/stable/cuda.html#random-number-generator
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorkit import random
from tensorkit.device import DeviceLike, device, resolve
from tensorkit.kernels import cuda as kernels
from tensorkit.random import Generator


def _generator(where: DeviceLike = "cuda") -> Generator:
    return random.default_of(resolve(where))


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device. Without any device nothing is done, as in PyTorch.

    Raises:
        ValueError, TypeError: for what `int` does not take.

    >>> manual_seed(0)
    """
    number = int(seed)
    if kernels.is_available():
        _generator().manual_seed(number)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices.

    >>> manual_seed_all(0)
    """
    random.seed_devices(int(seed))


def seed() -> None:
    """Seed the generator of the current device with a number from the operating system."""
    if kernels.is_available():
        _generator().seed()


def seed_all() -> None:
    """Seed the generators of all devices with one number from the operating system."""
    random.seed_devices(Generator().seed())


def initial_seed() -> int:
    """The seed that the current device's generator was last given.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     tk.cuda.manual_seed(7)
    ...     tk.cuda.initial_seed()
    7
    """
    return _generator().initial_seed()


def get_rng_state(device: int | str | device = "cuda") -> Any:
    """The state of a device's generator: 16 bytes, the seed and how far it has come, as a uint8 tensor on the CPU.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     tk.cuda.manual_seed(5)
    ...     tk.cuda.get_rng_state()[:4]
    tensor([5, 0, 0, 0], dtype=tensorkit.uint8)
    """
    return _generator(device).get_state()


def set_rng_state(new_state: Any, device: int | str | device = "cuda") -> None:
    """Let a device's generator go on from a state that `get_rng_state` gave.

    Raises:
        TypeError, RuntimeError: for anything but such a state. NoCudaError: without any device.
    """
    _generator(device).set_state(new_state)


def get_rng_state_all() -> list[Any]:
    """The states of all devices' generators."""
    return [get_rng_state(index) for index in range(kernels.device_count())]


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Let all devices' generators go on from the states that `get_rng_state_all` gave."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
