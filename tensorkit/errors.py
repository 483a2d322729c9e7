"""The exceptions of tensorkit.

Each is a subclass of the class that PyTorch raises in the same place, so code written for PyTorch catches it
unchanged; the message starts with PyTorch's own sentence. A subclass exists only where a reader needs more
than the sentence: the widgets draw the dimensions that a `ViewError` names.

    Exception
    ├── RuntimeError
    │   ├── ViewError            a size that the strides cannot express without a copy
    │   ├── LinAlgError          a matrix cannot be factorised or inverted
    │   ├── DeviceMismatchError  the operands of one operation live on different devices
    │   ├── OutOfMemoryError     a device has no room for the bytes asked for
    │   ├── AcceleratorError     a kernel failed on its device before this call
    │   └── NotImplementedError
    │       └── MissingKernelError   this device or dtype has no kernel for the operation
    ├── IndexError, TypeError, ValueError      raised plain, with PyTorch's wording
    └── AssertionError
        └── NoCudaError          `device='cuda'` without a GPU and without emulation

Source: the classes and sentences are those of PyTorch 2.13, CPU build.
"""

from __future__ import annotations

import functools
import math
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

__all__ = [
    "AcceleratorError",
    "DeviceMismatchError",
    "LinAlgError",
    "MissingKernelError",
    "NoCudaError",
    "OutOfMemoryError",
    "SHARED_SLOTS",
    "Spoken",
    "ViewError",
    "no_room",
    "two_devices",
    "type_name",
    "unallocated",
    "warn",
    "within_memory",
]


F = TypeVar("F", bound=Callable[..., Any])


def __dir__() -> list[str]:
    return __all__


#: Why something cannot be written to.
SHARED_SLOTS = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
_HERE = os.path.dirname(__file__) + os.sep


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn in the name of the line that called tensorkit, however deep inside it the reason was found."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


class ViewError(RuntimeError):
    """No choice of strides can express a requested view.

    Attributes:
        size: the size of the tensor that was viewed.
        stride: its stride, in elements.
        requested: the requested size.
        conflicts: pairs of neighbouring dimensions ``(d, d + 1)`` that would have to merge and cannot.
    """

    def __init__(
        self,
        message: str,
        size: tuple[int, ...] = (),
        stride: tuple[int, ...] = (),
        requested: tuple[int, ...] = (),
        conflicts: tuple[tuple[int, int], ...] = (),
    ) -> None:
        super().__init__(message)
        self.size = size
        self.stride = stride
        self.requested = requested
        self.conflicts = conflicts


class DeviceMismatchError(RuntimeError):
    """The operands of one operation live on different devices."""


def two_devices(common: object, other: object) -> DeviceMismatchError:
    """The error for operands on two devices. The CPU is named last: an operation runs where its other operands are."""
    common, other = sorted((common, other), key=lambda place: str(place) == "cpu")
    return DeviceMismatchError(
        f"Expected all tensors to be on the same device, but found at least two devices, {common} and {other}!\n"
        f"Move one of them first: t.to('{common}') returns a copy there."
    )


class LinAlgError(RuntimeError):
    """A matrix cannot be factorised, inverted or solved with: singular, not positive-definite, not finite."""


# The place where PyTorch documents it, and where a traceback should send a reader.
LinAlgError.__module__ = "tensorkit.linalg"


class OutOfMemoryError(RuntimeError):
    """A device has no room for the requested bytes."""


class AcceleratorError(RuntimeError):
    """A kernel failed on its device: told at the first call that waits for it, and at every call from then on."""


class MissingKernelError(NotImplementedError):
    """No kernel is registered for this operation on this device or dtype."""


class NoCudaError(AssertionError):
    """``device='cuda'`` was requested without a GPU and without emulation."""


def no_room(nbytes: int) -> RuntimeError:
    """The error for bytes that the computer's own memory has no room for."""
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        f"allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)"
    )


def _too_many_dims(most: str, count: str) -> ValueError:
    """The error for more dimensions than NumPy's arrays have, one of which holds a tensor's elements."""
    return ValueError(
        f"number of dimensions must be within [0, {most}]\n"
        f"Here a NumPy array holds the elements of a tensor, and it cannot have {count} dimensions: leave out some of "
        "length 1. PyTorch has this limit in `numpy()` alone."
    )


#: NumPy's error for an array that no computer has room for.
_TOO_MANY = re.compile(r"maximum supported dimension for an ndarray is (?:currently )?(\d+), found (\d+)")
_TOO_BIG = ("array is too big;", "Maximum allowed dimension exceeded")


def unallocated(error: Exception) -> RuntimeError | ValueError | None:
    """What PyTorch raises where NumPy raised this because it has no such array; None for other errors."""
    shape = getattr(error, "shape", None)
    if isinstance(error, MemoryError):
        dtype = getattr(error, "dtype", None)
        if dtype is None:  # of memory that does not belong to an array
            return RuntimeError(f"std::bad_alloc\n{str(error) or 'The computer has no room for it.'}")
        return no_room(math.prod(shape or ()) * dtype.itemsize)
    if isinstance(error, ValueError) and (found := _TOO_MANY.fullmatch(str(error))):
        return _too_many_dims(*found.groups())
    if isinstance(error, ValueError) and str(error).startswith(_TOO_BIG):
        return RuntimeError(f"Storage size calculation overflowed\n{error}")
    return None


def within_memory(function: F) -> F:
    """The same function; where NumPy finds no room in it, that is said in PyTorch's words."""

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except MemoryError as error:
            raise unallocated(error) or error from None

    return cast(F, told)


class Spoken(type):
    """The type of classes that Python's own sentences name with the package before them, as they name PyTorch's.

    >>> tk.zeros(2).shape(0)
    Traceback (most recent call last):
    TypeError: 'tensorkit.Size' object is not callable
    >>> tk.Size.__name__
    'Size'
    """

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, object]) -> None:
        super().__init__(name, bases, members)
        package = str(members["__module__"]).partition(".")[0]
        if package == __package__:
            type.__dict__["__name__"].__set__(cls, f"{package}.{name}")

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__.rpartition(".")[2]


def type_name(value: object) -> str:
    """The type of a value as PyTorch's sentences have it: NumPy's and its own with the package before it.

    >>> import numpy, tensorkit as tk
    >>> type_name(numpy.ones(2)), type_name(tk.float32), type_name(tk.ones(2)), type_name("x")
    ('numpy.ndarray', 'tensorkit.dtype', 'Tensor', 'str')
    """
    kind = type(value)
    module, name = getattr(kind, "__module__", ""), kind.__name__
    package = module.partition(".")[0]
    if module.startswith(f"{__package__}.nn."):
        return name  # PyTorch has these classes in Python, which knows no package there
    if package == __package__ and name == "Generator":
        return f"{package}._C.Generator"  # where PyTorch's sentence has it
    return (
        f"{package}.{name}" if package == "numpy" or (package == __package__ and name != "Tensor") else name
    )
