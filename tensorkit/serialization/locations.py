"""On which device the storages of a file are made again: the location that the file names, or another.

>>> tk.serialization.location_tag(tk.ones(2).untyped_storage())
'cpu'

Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tensorkit.device import CPU, META, device
from tensorkit.kernels import cuda
from tensorkit.storage import TypedStorage, UntypedStorage

Tagger = Callable[[Any], str | None]
Deserializer = Callable[[Any, str], Any]
MapLocation = Callable[[UntypedStorage, str], Any] | device | str | dict[str, str] | None
_packages: list[tuple[int, Tagger, Deserializer]] = []


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Say how storages of a further kind of device are saved and loaded.

    Args:
        priority: those with lower numbers are asked first: the CPU has 10, CUDA devices 20, the meta device 22.
        tagger: gives the location of a storage as text, or None for one that it does not know.
        deserializer: takes a storage on the CPU and a location, and gives the storage there, or None.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: UntypedStorage | TypedStorage) -> str:
    """The text by which a file remembers where a storage was.

    Raises:
        RuntimeError: for anything but a storage of a known device.
    """
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {_name(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """A storage that was read, moved from the CPU to the location that its file names.

    Raises:
        RuntimeError: when there is no such device.
    """
    for _, _, deserializer in _packages:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of {_name(storage)} (tagged with {location})"
    )


def _name(storage: Any) -> str:
    return f"{type(storage).__module__}.{type(storage).__qualname__}"


def validate_cuda_device(location: str) -> int:
    """The number of the CUDA device that a location names.

    Raises:
        RuntimeError: when there is no such device.

    >>> with tk.cuda.emulate(devices=2):
    ...     tk.serialization.validate_cuda_device("cuda:1")
    1
    """
    if not cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but tensorkit.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use tensorkit.load with map_location=tensorkit.device('cpu') to map "
            "your storages to the CPU."
        )
    asked, count = device(location).index, cuda.device_count()
    index: int = cuda.current_device() if asked is None else asked
    if index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but tensorkit.cuda.device_count() is {count}. "
            "Please use tensorkit.load with map_location to map your storages to an existing device."
        )
    return index


def _to_cuda(storage: Any, location: str) -> Any:
    if re.match(r"cuda(:|[0-9]+|$)", location):
        return storage.to(device=device("cuda", validate_cuda_device(location)))
    return None


def _to_meta(storage: Any, location: str) -> Any:
    return UntypedStorage(storage.nbytes(), device=META) if location == "meta" else None


register_package(
    10, lambda s: "cpu" if s.device == CPU else None, lambda s, location: s if location == "cpu" else None
)
register_package(20, lambda s: str(s.device) if s.device.type == "cuda" else None, _to_cuda)
register_package(22, lambda s: "meta" if s.device == META else None, _to_meta)


def restorer(map_location: MapLocation) -> Callable[[UntypedStorage, str], Any]:
    """What moves each storage to its place, as `load` was asked."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        places = map_location
        return lambda storage, location: default_restore_location(storage, places.get(location, location))
    if isinstance(map_location, str | device):
        where = str(map_location)
        return lambda storage, _: default_restore_location(storage, where)
    chosen = map_location

    def choose(storage: UntypedStorage, location: str) -> Any:
        result = chosen(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return choose
