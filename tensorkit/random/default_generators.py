"""Several sets of default generators, of which one is in use: a worker that loads data has its own."""

from __future__ import annotations

from tensorkit.random import generator


class DefaultGenerators:
    """Default generators besides the program's: within a ``with`` block all random numbers come from these.

    Args:
        seed: with which those of all devices begin.

    >>> _ = tk.manual_seed(0)
    >>> with DefaultGenerators(7):
    ...     tk.initial_seed()
    7
    >>> tk.initial_seed()
    0
    """

    def __init__(self, seed: int) -> None:
        self._cpu = generator.Generator().manual_seed(seed)
        self._devices = generator.OfDevices(seed)

    def _exchange(self, *problem: object) -> None:
        """The two swap their places in the streams: it takes less time than reading a state and setting it."""
        one, other = generator.default_generator, self._cpu
        with one.lock:
            for name in ("_bits", "_many", "_offset", "_seed", "_spare", "_untouched"):
                place = getattr(one, name)
                setattr(one, name, getattr(other, name))
                setattr(other, name, place)
            here, there = generator.of_devices, self._devices
            here.seed, there.seed, here.made, there.made = there.seed, here.seed, there.made, here.made

    __enter__ = __exit__ = _exchange
