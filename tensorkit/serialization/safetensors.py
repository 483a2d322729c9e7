"""Files of the safetensors format: named tensors and nothing else, so that loading one cannot run anything.

>>> from tensorkit.serialization import safetensors
>>> data = safetensors.save({"weight": tk.arange(3.0), "bias": tk.tensor(1, dtype=tk.bfloat16)})
>>> safetensors.load(data)["weight"]
tensor([0., 1., 2.])

The names, arguments and errors are those of ``safetensors.torch``; the package `safetensors` reads and checks the
header. A file is mapped into memory: of a large one, what is used is read.

Source: https://huggingface.co/docs/safetensors/api/torch
"""

from __future__ import annotations

import contextlib
import importlib
import json
import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.process.whole_file import beside
from tensorkit.serialization.shared_tensors import redundant, sharing
from tensorkit.storage import adopt
from tensorkit.strides import layout as layouts
from tensorkit.tensor import Tensor, on_storage

#: The dtypes of the format that the engine has, by the format's names.
DTYPES: dict[str, dtype] = {
    "F64": dtypes.float64,
    "F32": dtypes.float32,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "I64": dtypes.int64,
    "I32": dtypes.int32,
    "I16": dtypes.int16,
    "I8": dtypes.int8,
    "U64": dtypes.uint64,
    "U32": dtypes.uint32,
    "U16": dtypes.uint16,
    "U8": dtypes.uint8,
    "BOOL": dtypes.bool,
    "C64": dtypes.complex64,
}


def _package(name: str = "safetensors") -> Any:
    """The package, or a module of it, loaded when a file is written or read."""
    return importlib.import_module(name)


# -- writing ------------------------------------------------------------------------------------------------------


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Named tensors as the bytes of a file.

    Args:
        tensors: contiguous tensors, of which no two share memory.
        metadata: further text to be kept with them.

    Raises:
        ValueError: for anything but a dictionary of contiguous tensors.
        RuntimeError: when tensors share memory.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    return bytes(_package("safetensors.numpy").save(_arrays(tensors), metadata))


def save_file(
    tensors: dict[str, Tensor], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None
) -> None:
    """Write named tensors to a file; one that was there is replaced when all is written. See `save`.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    arrays = _arrays(tensors)
    with beside(Path(filename)) as waiting:
        _package("safetensors.numpy").save_file(arrays, str(waiting), metadata)


def _arrays(tensors: dict[str, Tensor]) -> dict[str, numpy.ndarray[Any, Any]]:
    """The arrays of what may be saved."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, tensorkit.Tensor] but received {type(tensors)}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(
                f"Key `{name}` is invalid, expected tensorkit.Tensor but received {type(tensor)}"
            )
    failing = [names for names in sharing(tensors) if len(names) > 1]
    if failing:
        raise RuntimeError(
            f"""
            Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: {failing}.
            A potential way to correctly save your model is to use `save_model`.
            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors
            """  # noqa: E501 - the package's own words
        )
    return {name: _array(name, tensor) for name, tensor in tensors.items()}


def _array(name: str, tensor: Tensor) -> numpy.ndarray[Any, Any]:
    if not tensor.is_contiguous():
        raise ValueError(
            f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you are "
            "trying to save tensors which are reference of each other in which case it's recommended to save only the "
            "full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to pack it before "
            "saving."
        )
    if tensor.dtype not in DTYPES.values():
        raise KeyError(tensor.dtype)
    return tensor.detach().cpu().resolve_conj().resolve_neg()._nd()


# -- reading ------------------------------------------------------------------------------------------------------


def load(data: bytes) -> dict[str, Tensor]:
    """The named tensors in the bytes of a file.

    Raises:
        safetensors.SafetensorError: when they are damaged.
        NotImplementedError: for a dtype that tensorkit does not have.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    found = {}
    for name, parts in _package().deserialize(data):
        content = numpy.frombuffer(bytearray(parts["data"]), numpy.uint8)
        found[name] = _tensor(name, content, parts["dtype"], parts["shape"])
    return found


def load_file(
    filename: str | os.PathLike[str], device: str | int = "cpu", *, backend: str = "mmap"
) -> dict[str, Tensor]:
    """The named tensors of a file.

    Args:
        device: where the tensors go.
        backend: ``"mmap"`` maps the file into memory; ``"pread"`` reads it.

    Raises:
        safetensors.SafetensorError: when the file is damaged.
        NotImplementedError: for a dtype that tensorkit does not have.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    with safe_open(filename, "pt", device, backend=backend) as file:
        return file.get_tensors()


def _tensor(name: str, content: numpy.ndarray[Any, Any], kind: str, size: Iterable[int]) -> Tensor:
    if kind not in DTYPES:
        raise NotImplementedError(f"tensorkit has no dtype for `{name}`, which is {kind}")
    item, layout = DTYPES[kind].itemsize, layouts.contiguous(tuple(size))
    if content.size != layout.reach() * item:
        raise _package().SafetensorError(f"`{name}` does not have as many bytes as its size asks for")
    place = content.__array_interface__["data"][0]
    storage = adopt(content if place % item == 0 else content.copy(), foreign=True)
    return on_storage(storage, layout, DTYPES[kind])


def _place(asked: str | int | device) -> device:
    with contextlib.suppress(RuntimeError):
        place = device("cuda", asked) if isinstance(asked, int) else device(asked)
        if place.type != "meta":
            return place
    raise _package().SafetensorError(f"device {asked} is invalid")


def _bytes(path: str | os.PathLike[str], *, mapped: bool) -> numpy.ndarray[Any, Any]:
    """The bytes of a file: in memory that reads them when they are used, or read."""
    with open(path, "rb") as file:
        if not mapped:
            return numpy.frombuffer(bytearray(file.read()), numpy.uint8)
        return numpy.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), numpy.uint8)


class safe_open:
    """A file whose tensors are read on demand.

    Args:
        filename: its path.
        framework: ``"pt"``, as for PyTorch.
        device: where the tensors go.
        backend: ``"mmap"`` maps the file into memory; ``"pread"`` reads it.

    Raises:
        safetensors.SafetensorError: when the file is damaged.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.safetensors")
    >>> save_file({"weight": tk.arange(6.0).view(2, 3)}, path, metadata={"epoch": "3"})
    >>> with safe_open(path, framework="pt") as file:
    ...     file.keys(), file.metadata(), file.get_slice("weight")[:, 1]
    (['weight'], {'epoch': '3'}, tensor([1., 4.]))

    Source: https://huggingface.co/docs/safetensors/api/torch
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        framework: str,
        device: str | int | device = "cpu",
        *,
        backend: str = "mmap",
    ) -> None:
        package = _package()
        if framework not in ("pt", "torch", "pytorch"):
            raise package.SafetensorError(f"framework {framework} is invalid")
        if backend not in ("mmap", "pread"):
            raise package.SafetensorError(
                f'backend "{backend}" is invalid (expected one of: "mmap", "pread")'
            )
        self._device = _place(device)
        package.safe_open(filename, framework="np")  # which checks that all fits together
        self._content: numpy.ndarray[Any, Any] | None = _bytes(filename, mapped=backend == "mmap")
        self._start = 8 + int.from_bytes(self._content[:8].tobytes(), "little")
        self._header: dict[str, Any] = json.loads(self._content[8 : self._start].tobytes())
        self._metadata: dict[str, str] | None = self._header.pop("__metadata__", None)

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *problem: object) -> None:
        self._content = None  # tensors that were read keep it

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return sorted(self._header)

    def offset_keys(self) -> list[str]:
        """The names of the tensors, in their order in the file."""
        return sorted(self._header, key=lambda name: self._header[name]["data_offsets"])

    def metadata(self) -> dict[str, str] | None:
        """The text that is kept with them."""
        return self._metadata

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of a name."""
        return self._view(name).to(self._device)

    def get_tensors(self) -> dict[str, Tensor]:
        """All tensors, by their names."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def get_slice(self, name: str) -> _Slice:
        """A tensor of which a part is read: index it."""
        return _Slice(self._view(name), self._header[name]["dtype"], self._device)

    def _view(self, name: str) -> Tensor:
        error = _package().SafetensorError
        if self._content is None:
            raise error("File is closed")
        if name not in self._header:
            raise error(f"File does not contain tensor {name}")
        parts = self._header[name]
        start, stop = (self._start + offset for offset in parts["data_offsets"])
        return _tensor(name, self._content[start:stop], parts["dtype"], parts["shape"])


class _Slice:
    """A tensor in a file, of which a part is read when it is indexed."""

    def __init__(self, view: Tensor, kind: str, place: device) -> None:
        self._tensor, self._kind, self._device = view, kind, place

    def get_shape(self) -> list[int]:
        """The size of the tensor."""
        return list(self._tensor.shape)

    def get_dtype(self) -> str:
        """The format's name of its dtype, such as ``"F32"``."""
        return self._kind

    def __getitem__(self, index: Any) -> Tensor:
        return self._tensor[index].to(self._device)


# -- models, whose parameters may share memory --------------------------------------------------------------------


def save_model(
    model: Any, filename: str, metadata: dict[str, str] | None = None, force_contiguous: bool = True
) -> None:
    """Write the state of a model to a file: of tensors that share memory one, and the names of the others.

    Args:
        model: what has ``state_dict()``.
        metadata: further text to be kept with it.
        force_contiguous: whether tensors that are not contiguous are copied, instead of being an error.

    Raises:
        RuntimeError: when of tensors that share memory none is all of it.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    state = model.state_dict()
    notes = dict(metadata or {})
    for kept, others in redundant(state).items():
        for name in others:
            notes.setdefault(name, kept)
            del state[name]
    if force_contiguous:
        state = {name: tensor.contiguous() for name, tensor in state.items()}
    try:
        save_file(dict(state), filename, metadata=notes or metadata)
    except ValueError as error:
        text = " Or use save_model(..., force_contiguous=True), read the docs for potential caveats."
        raise ValueError(f"{error}{text}") from None


def load_model(
    model: Any,
    filename: str | os.PathLike[str],
    strict: bool = True,
    device: str | int = "cpu",
    *,
    backend: str = "mmap",
) -> tuple[list[str], list[str]]:
    """Load the state of a model that `save_model` wrote; gives the names that are missing, and those not expected.

    Args:
        model: what has ``state_dict()`` and ``load_state_dict()``.
        strict: whether such names are an error.

    Raises:
        RuntimeError: when `strict`, for such names.

    Source: https://huggingface.co/docs/safetensors/api/torch
    """
    state = load_file(filename, device=device, backend=backend)
    shared = redundant(model.state_dict(), preferred=state)
    found_missing, found_unexpected = model.load_state_dict(state, strict=False)
    missing, unexpected = set(found_missing), list(found_unexpected)
    for name in (name for others in shared.values() for name in others):
        if name in missing:
            missing.remove(name)
        else:
            unexpected.append(name)
    if strict and (missing or unexpected):
        error = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for what, names in (("Missing", missing), ("Unexpected", unexpected)):
            if names:
                shown = ", ".join(f'"{name}"' for name in sorted(names))
                error += f"\n    {what} key(s) in state_dict: {shown}"
        raise RuntimeError(error)
    return sorted(missing), unexpected
