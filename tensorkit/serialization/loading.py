"""`load`: what `save` or PyTorch wrote, by default without trusting the file."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

from tensorkit.device import device
from tensorkit.errors import warn
from tensorkit.serialization import legacy, safetensors
from tensorkit.serialization.archive import ArchiveReader, is_archive
from tensorkit.serialization.locations import MapLocation, restorer
from tensorkit.serialization.names import CONSTANTS, FUNCTIONS, counterpart, missing_here
from tensorkit.serialization.options import UNSAFE, trusted_names
from tensorkit.serialization.storages import ArchivedStorages, file_mapping
from tensorkit.serialization.unpickle import DAMAGED, Unpickler


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Load an object that `save`, or PyTorch's ``torch.save``, wrote to a file.

    By default nothing that the file names is imported or called but what makes tensors, storages and Python's own
    containers again, and what `add_safe_globals` was given; anything else, and anything damaged, is an error, and
    nothing is loaded. With ``weights_only=False`` **the file may run any code**: do it with files that you trust alone.
    PyTorch's names mean tensorkit's then. A path that ends in ``.safetensors`` is read as such a file.

    Args:
        f: the path of a file, or an open file that is seekable.
        map_location: where storages go: a device, a dictionary from the locations in the file to others, or a function
            of a storage and its location, which gives a storage, or None. They go where they were saved from otherwise.
        pickle_module: what unpickles the object, with ``weights_only=False`` alone.
        weights_only: whether to trust nothing: True, unless there is a `pickle_module`.
        mmap: whether to map the file into memory, which reads what is used; for paths alone.
        pickle_load_args: for `pickle_module`; ``encoding`` says how text of Python 2 is read.

    Raises:
        pickle.UnpicklingError: when the file names what is not admitted.
        RuntimeError: when the file is damaged, or a device is missing.

    >>> import io, tensorkit as tk
    >>> file = io.BytesIO()
    >>> tk.save({"weight": tk.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> tk.load(file, map_location="meta")
    {'weight': tensor(..., device='meta', size=(2,))}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html
    """
    weights_only = _only_weights(weights_only, pickle_module, pickle_load_args)
    if isinstance(f, str | os.PathLike) and os.fspath(f).endswith(".safetensors"):
        return safetensors.load_file(f, device=_one_device(map_location))
    read = _reader(weights_only, pickle_module or pickle, {"encoding": "utf-8", **pickle_load_args})
    with _opened(f) as file:
        if is_archive(file):
            return _archived(f, file, read, map_location, weights_only=weights_only, mapped=bool(mmap))
        if mmap:
            name = f"{f}, " if isinstance(f, str) else ""
            raise RuntimeError(
                "mmap can only be used with files saved with "
                f"`tensorkit.save({name}_use_new_zipfile_serialization=True), "
                "please tensorkit.save your checkpoint with this option in order to use mmap."
            )
        return legacy.read(file, read, restorer(map_location), weights_only)


load.__module__ = "tensorkit.serialization"


# -- the arguments -------------------------------------------------------------------------------------------


def _asked_by_environment(name: str) -> bool:
    return os.getenv(name, "0").lower() in ("1", "y", "yes", "true")


def _only_weights(asked: bool | None, pickle_module: Any, pickle_load_args: dict[str, Any]) -> bool:
    """Whether to trust nothing of the file."""
    chosen = pickle_module is None if asked is None else bool(asked)
    always = _asked_by_environment("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    never = _asked_by_environment("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    if always and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if never and asked is None:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `tensorkit.load`, forcing weights_only=False."
        )
    chosen = always or (chosen and not (never and asked is None))
    if chosen and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if chosen and pickle_load_args:
        warn("pickle_load_args only works if `weights_only=False`.")
    return chosen


def _one_device(map_location: MapLocation) -> str:
    """The device for a file that remembers none."""
    if map_location is None:
        return "cpu"
    if isinstance(map_location, str | device):
        return str(map_location)
    kind = "dict" if isinstance(map_location, dict) else "callable"
    raise RuntimeError(
        f"Loading safetensors file with {kind} map_location is not supported. Use a device string or tensorkit.device "
        "instead."
    )


@contextlib.contextmanager
def _opened(f: Any) -> Iterator[IO[bytes]]:
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            yield file
        return
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if "seek" in str(error) or "tell" in str(error):
            raise type(error)(
                f"{error}. You can only tensorkit.load from a file that is seekable. Please pre-load the data into a "
                "buffer like io.BytesIO and try to load from it instead."
            ) from None
        raise
    yield f


# -- the pickle ---------------------------------------------------------------------------------------------------


class _Weights(Unpickler):
    """Also knows what PyTorch's files may name and tensorkit does not have."""

    def find_class(self, module: str, name: str) -> Any:
        """What a name means: an entry of the table."""
        reason = missing_here(f"{module}.{name}")
        if reason is not None:
            raise NotImplementedError(reason)
        return super().find_class(module, name)


def _reader(weights_only: bool, module: Any, args: dict[str, Any]) -> legacy.Loader:
    """What reads a pickle, given what persistent ids mean."""
    if not weights_only:
        return lambda file, storage: _trusting(module, storage)(file, **args).load()

    def read(file: IO[bytes], storage: Callable[[Any], Any] | None) -> Any:
        try:
            made = _Weights(file, FUNCTIONS, CONSTANTS, trusted=trusted_names(), storage=storage, **args)
            return made.load()
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(_refusal(str(error))) from None

    return read


def _trusting(module: Any, storage: Callable[[Any], Any] | None) -> Any:
    """An unpickler that imports what a file names; PyTorch's names are tensorkit's."""

    class Trusting(module.Unpickler):  # type: ignore[misc]
        def find_class(self, place: str, name: str) -> Any:
            return (
                counterpart(place, name)
                if place.split(".")[0] == "torch"
                else super().find_class(place, name)
            )

        def persistent_load(self, pid: Any) -> Any:
            if storage is None:
                raise pickle.UnpicklingError("unsupported persistent id encountered")
            return storage(pid)

    return Trusting


def _refusal(message: str) -> str:
    """Why weights alone cannot be loaded, and what to do."""
    if message.startswith(DAMAGED):
        return message
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        text = (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. "
            f"\n\t(1) {UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` please check "
            f"the recommended steps in the following error message.\n\tWeightsUnpickler error: {message}"
        )
    elif re.search(r"whose module (\S+) is blocked", message):
        text = f"Weights only load failed. {UNSAFE}\n\n\n{message}"
    else:
        text = (
            f"Weights only load failed. {UNSAFE}\nPlease file an issue with the following so that we can make "
            f"`weights_only=True` compatible with your use case: WeightsUnpickler error: \n\n{message}"
        )
    return (
        f"{text}\n\nCheck the documentation of tensorkit.load to learn more about types accepted by default with "
        "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )


# -- archives -----------------------------------------------------------------------------------------------------


def _archived(
    f: Any,
    file: IO[bytes],
    read: legacy.Loader,
    map_location: MapLocation,
    *,
    weights_only: bool,
    mapped: bool,
) -> Any:
    archive = ArchiveReader(file)
    if "constants.pkl" in archive:
        _refuse_script(weights_only)
    if mapped and not isinstance(f, str | os.PathLike):
        raise ValueError("f must be a file path in order to use the mmap argument")
    storages = ArchivedStorages(archive, map_location, file_mapping(f) if mapped else None)
    return read(io.BytesIO(archive.read("data.pkl")), storages.find)


def _refuse_script(weights_only: bool) -> None:
    warn(
        "'tensorkit.load' received a zip file that looks like a TorchScript archive dispatching to "
        "'tensorkit.jit.load' (call 'tensorkit.jit.load' directly to silence this warning)"
    )
    if weights_only:
        raise RuntimeError(
            f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``tensorkit.load``. {UNSAFE}"
        )
    raise NotImplementedError("tensorkit has no TorchScript: it does not run what such an archive holds")
