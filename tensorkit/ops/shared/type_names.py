"""What dtypes and tensors are called in error messages and in code of earlier years."""

from __future__ import annotations

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor


def type_name(input: Tensor) -> str:
    """The legacy name of a tensor's type, such as ``tensorkit.FloatTensor``."""
    place = "" if input._device.type == "cpu" else f"{input._device.type}."
    return f"tensorkit.{place}{input._dtype.label}Tensor"


_OLD_TYPES = ("Half", "Float", "Double", "Byte", "Char", "Short", "Int", "Long")


def backend_name(input: Tensor) -> str:
    """What `expand`'s error calls a tensor: its legacy name, or for dtypes younger than those names another."""
    label = input._dtype.label
    return type_name(input) if label in _OLD_TYPES else f"{input._device.type.upper()}{label}Type"


_LEGACY = {f"{kind.label}Tensor": kind for kind in dtypes.ALL}


def legacy_dtype(name: str) -> tuple[dtype, str]:
    """The dtype and the device's type that a legacy name stands for: of ``'torch.LongTensor'`` int64 and ``'cpu'``.

    Both packages' names are known: ``'torch.…'`` is what old code says, ``'tensorkit.…'`` what `Tensor.type` answers.

    Raises:
        ValueError: for any other text.
    """
    package, _, rest = name.partition(".")
    place, _, last = rest.rpartition(".")
    if package not in ("torch", "tensorkit") or place not in ("", "cuda"):
        raise ValueError(f"invalid type: '{name}'")
    if last == "Tensor":
        return dtypes.get_default_dtype(), place or "cpu"
    if last not in _LEGACY:
        raise ValueError(f"invalid type: '{name}'")
    return _LEGACY[last], place or "cpu"


_CPP_NAMES = {
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "uint8": "unsigned char",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "complex32": "c10::complex<c10::Half>",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def cpp_name(kind: dtype) -> str:
    """What PyTorch calls the elements of a dtype in some of its errors: their type in C++."""
    if kind.name.startswith("float8"):
        return f"c10::{kind.label}"
    return _CPP_NAMES.get(kind.name, kind.name)
