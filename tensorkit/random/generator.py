"""A generator, the default one, and its seed and state.

Source: Matsumoto and Nishimura, "Mersenne Twister" (1998). Which bits make which number was measured on PyTorch 2.13.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, DeviceLike, device, resolve
from tensorkit.errors import NoCudaError
from tensorkit.kernels.sizes import FEW_DRAWS, FEW_LONG_DRAWS
from tensorkit.process import forks
from tensorkit.tensor import Array, Tensor, fresh

_builtin_seed = 67280421310721  # PyTorch's default seed


# A generator's state as bytes: the record that PyTorch keeps (and saves into checkpoints), field by field.
_RECORD = numpy.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),
        ("seeded", "<i4"),
        ("next", "<u8"),
        ("key", "<u8", 624),
        ("normal_x", "<f8"),
        ("spare", "<f8"),
        ("normal_rho", "<f8"),
        ("has_spare", "<i4"),
        ("padding", "<i4"),
        ("float_spare", "<f4"),
        ("has_float_spare", "<i4"),
    ]
)


class Generator:
    """A source of random numbers with its own state.

    Args:
        device: the device whose tensors it fills: ``"cpu"`` (Mersenne Twister) or a CUDA device (Philox).

    Raises:
        RuntimeError: for any other device, and for one that is not there.

    >>> g = tk.Generator().manual_seed(7)
    >>> tk.randint(0, 10, (5,), generator=g)
    tensor([5, 2, 1, 6, 3])
    >>> g.initial_seed(), g.device
    (7, device(type='cpu'))
    """

    __module__ = "tensorkit.random"  # its public name, and that in pickles
    __slots__ = (
        "__weakref__",
        "_bits",
        "_device",
        "_many",
        "_offset",
        "_seed",
        "_spare",
        "_untouched",
        "lock",
    )

    def __repr__(self) -> str:
        return (
            f"<tensorkit._C.Generator object at {id(self):#x}>"  # as PyTorch's, whose generators live in C++
        )

    def __init__(self, device: DeviceLike = None) -> None:
        self._device = _checked_device(device)
        self._offset = 0  # of a CUDA device's generator: how many numbers of 32 bits each thread has drawn
        self._bits: Any = None  # made at the first draw: importing numpy.random takes 10 ms
        self._many: Any = None
        self._spare: float | None = None  # the sine of the last Box–Muller pair, not yet handed out
        self._untouched = True  # seeded, and nothing drawn since
        self._seed = _builtin_seed
        self.lock = forks.rlock()

    @property
    def device(self) -> device:
        """The device whose tensors the generator fills."""
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """The stream of `seed`: an integer from -2**63 to 2**64 - 1; negative ones count down from 2**64.

        Raises:
            RuntimeError: when `seed` is not a Python integer.
            ValueError: when it does not fit.
        """
        if type(seed) is not int:
            if isinstance(seed, numpy.integer):
                raise TypeError("an integer is required")
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        with self.lock:
            self._seed = seed % 2**64
            self._offset = 0
            self._spare = None
            self._untouched = True
            if self._bits is not None:
                self._bits._legacy_seeding(self._seed & 0xFFFFFFFF)
        return self

    def seed(self) -> int:
        """Seed the generator with 64 bits from the operating system; returns them."""
        chosen = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed that this generator was last given."""
        return self._seed

    def get_state(self) -> Any:
        """The whole state as 5056 bytes (a uint8 tensor), laid out as PyTorch lays them out; 16 of a CUDA device."""
        return fresh(numpy.frombuffer(self._bytes(), dtype=numpy.uint8).copy(), dtypes.uint8)

    def set_state(self, new_state: Any) -> Generator:
        """Go on from a state that `get_state` gave.

        Raises:
            TypeError: when it is not a uint8 tensor.
            RuntimeError: when it has another number of bytes or no generator could be in it.
        """
        data: Any = new_state
        if isinstance(new_state, Tensor):
            data = new_state._nd() if new_state.is_cpu else new_state.cpu()._nd()
        if not isinstance(data, numpy.ndarray):
            raise TypeError(f"expected a tensorkit.ByteTensor, but got {type(data).__name__}")
        if data.dtype != numpy.uint8:
            raise TypeError("RNG state must be a tensorkit.ByteTensor")
        if self._device is not CPU:
            self._load_words(data)
            return self
        if data.size != _RECORD.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_RECORD.itemsize} "
                f"but found the input RNG state size to be {data.size}"
            )
        self._load(numpy.frombuffer(data.tobytes(), dtype=_RECORD)[0])
        return self

    def clone_state(self) -> Generator:
        """Another generator in the same state; the two go on apart."""
        return _restore(self._bytes(), str(self._device))

    def __reduce__(self) -> tuple[Callable[..., Generator], tuple[Any, ...]]:
        if self._device is CPU:
            return _restore, (self._bytes(),)
        return _restore, (self._bytes(), str(self._device))

    def get_offset(self) -> int:
        """How many numbers of 32 bits each thread of a CUDA device has drawn since the seed."""
        if self._device is CPU:
            raise RuntimeError("CPU Generator does not use offset")
        return self._offset

    def set_offset(self, offset: int) -> Generator:
        """Advance as if each thread of a CUDA device had drawn this many numbers of 32 bits, a multiple of 4."""
        if self._device is CPU:
            raise RuntimeError("CPU Generator does not use offset")
        if offset % 4:
            raise RuntimeError("offset must be a multiple of 4")
        self._offset = int(offset)
        return self

    def take_steps(self, steps: int) -> tuple[int, int]:
        """The seed and the offset for a draw of a CUDA device, after which the offset is `steps` further."""
        with self.lock:
            before = self._offset
            self._offset += steps
        return self._seed, before

    def _load_words(self, data: Array) -> None:
        if data.size not in (8, 16):
            raise RuntimeError("RNG state is wrong size")
        words = numpy.frombuffer(data.tobytes(), numpy.uint64)
        with self.lock:
            self._seed, self._offset = int(words[0]), int(words[1]) if words.size > 1 else 0

    def _bytes(self) -> bytes:
        if self._device is not CPU:
            return numpy.array([self._seed, self._offset], numpy.uint64).tobytes()
        with self.lock:
            self._ready()
            twister = self._bits.state["state"]
            record = numpy.zeros((), dtype=_RECORD)
            record["seed"], record["seeded"], record["key"] = self._seed, 1, twister["key"]
            position = 0 if self._untouched else int(twister["pos"])
            record["next"], record["left"] = position, 1 if self._untouched else 625 - position
            if self._spare is not None:
                record["spare"], record["has_spare"] = self._spare, 1
        return record.tobytes()

    def _load(self, record: Any) -> None:
        left, position = int(record["left"]), int(record["next"])
        if not (record["seeded"] and 1 <= left <= 624 and position <= 624):
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            self._ready()
            self._seed = int(record["seed"])
            self._untouched = left == 1 and position == 0
            # One word left means that the next draw renews all of them, wherever `next` points.
            key = record["key"].astype(numpy.uint32)
            twister = {"key": key, "pos": 624 if left == 1 else position}
            self._bits.state = {"bit_generator": "MT19937", "state": twister}
            self._spare = float(record["spare"]) if record["has_spare"] else None

    def _ready(self) -> None:
        if self._bits is None:
            self._bits = numpy.random.MT19937()
            self._bits._legacy_seeding(self._seed & 0xFFFFFFFF)
            self._many = numpy.random.Generator(self._bits)

    def one_by_one(self) -> Callable[..., Any]:
        """A function that gives the next draw of 32 bits, or an array of them: for one or two the former is faster."""
        if self._bits is None:
            self._ready()
        self._untouched = False
        return self._bits.random_raw  # type: ignore[no-any-return]

    def words(self, count: int) -> Array:
        """The next `count` draws of 32 bits, uint32."""
        # Two roads to the same stream: the first costs least to start, the second least per draw.
        if count < FEW_DRAWS:
            return self.wide_words(count).astype(numpy.uint32)
        self._ready()
        self._untouched = False
        drawn: Array = self._many.integers(0, 2**32, count, dtype=numpy.uint32)
        return drawn

    def wide_words(self, count: int) -> Array:
        """The next `count` draws of 32 bits as NumPy hands out few of them: uint64."""
        self._ready()
        if count:
            self._untouched = False
        drawn: Array = self._bits.random_raw(count)
        return drawn

    def long_words(self, count: int) -> Array:
        """The next `count` draws of 64 bits, uint64: two draws each, the first in the high half."""
        self._ready()
        if count:
            self._untouched = False
        if count < FEW_LONG_DRAWS:
            halves = self._bits.random_raw(2 * count)
            drawn: Array = halves[0::2] << numpy.uint64(32) | halves[1::2]
        else:
            drawn = self._many.integers(0, 2**64, count, dtype=numpy.uint64)
        return drawn


def _checked_device(where: DeviceLike) -> device:
    if not isinstance(where, str | int | device | None):
        given = type(where).__name__
        raise TypeError(f"Generator(): argument 'device' (position 1) must be tensorkit.device, not {given}")
    kind = CPU if where is None else device(where)
    if kind.type == "cuda":
        try:
            return resolve(kind)
        except NoCudaError as error:
            raise RuntimeError(
                "Cannot get CUDA generator without ATen_cuda library.\n" + str(error).partition("\n")[2]
            ) from None
    if kind.type != "cpu":
        raise RuntimeError(f"{kind.type.upper()} device type not an accelerator.")
    return CPU


def _restore(state: bytes, where: str = "cpu") -> Generator:
    made = Generator(where)
    if where == "cpu":
        made._load(numpy.frombuffer(state, dtype=_RECORD)[0])
    else:
        made._load_words(numpy.frombuffer(state, numpy.uint8))
    return made


_restore.__module__ = "tensorkit.random"  # so pickles have it


default_generator = Generator()


class OfDevices:
    """The default generators of CUDA devices that have drawn or were asked, and the seed of those that will be made."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.made: dict[int, Generator] = {}


of_devices = OfDevices(_builtin_seed)


def default_of(where: device) -> Generator:
    """The default generator of a device."""
    if where.type != "cuda":
        return default_generator
    index = where.index or 0
    if index not in of_devices.made:
        of_devices.made[index] = Generator(where).manual_seed(of_devices.seed)
    return of_devices.made[index]


def seed_devices(seed: int) -> None:
    """Seed the default generators of all CUDA devices, including those not used yet."""
    of_devices.seed = seed % 2**64
    for generator in of_devices.made.values():
        generator.manual_seed(seed)


def manual_seed(seed: Any) -> Generator:
    """Seed the default generators of all devices; returns the CPU's. Anything that `int()` takes will do.

    >>> _ = tk.manual_seed(0)
    >>> tk.rand(2)
    tensor([0.4963, 0.7682])
    """
    generator = default_generator.manual_seed(int(seed))
    seed_devices(int(seed))
    return generator


def seed() -> int:
    """Seed the default generator with 64 bits from the operating system; returns them."""
    chosen = default_generator.seed()
    seed_devices(chosen)
    return chosen


def initial_seed() -> int:
    """The seed that the default generator was last given."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator: 5056 bytes, a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Let the default generator go on from a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Random numbers drawn inside the ``with`` block leave no trace: the default generator goes back."""
    if not enabled:
        yield
        return
    state, chosen = default_generator._bytes(), of_devices.seed
    there = {index: (generator._seed, generator._offset) for index, generator in of_devices.made.items()}
    try:
        yield
    finally:
        default_generator._load(numpy.frombuffer(state, dtype=_RECORD)[0])
        of_devices.seed = chosen
        for index, generator in of_devices.made.items():  # some may have been made in the block
            generator._seed, generator._offset = there.get(index, (chosen, 0))
