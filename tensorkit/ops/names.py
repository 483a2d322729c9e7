"""What tensors are called in error messages and in code of earlier years."""

from __future__ import annotations

from tensorkit.tensor import Tensor

__all__ = [
    "backend_name",
    "type_name",
]


def type_name(input: Tensor) -> str:
    """The legacy name of a tensor's type, such as ``tensorkit.FloatTensor``."""
    place = "" if input._device.type == "cpu" else f"{input._device.type}."
    return f"tensorkit.{place}{input._dtype.label}Tensor"


_OLD_TYPES = ("Half", "Float", "Double", "Byte", "Char", "Short", "Int", "Long")


def backend_name(input: Tensor) -> str:
    """What `expand`'s error calls a tensor: its legacy name, or for dtypes younger than those names another."""
    label = input._dtype.label
    return type_name(input) if label in _OLD_TYPES else f"{input._device.type.upper()}{label}Type"
