"""Where a tensor's storage lives: ``device('cpu')``, ``device('cuda', 1)``, ``device('meta')``.

>>> tk.device("cuda:1")
device(type='cuda', index=1)

Source: parsing and wording follow PyTorch 2.13's ``torch.device``.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

from tensorkit.errors import NoCudaError, Spoken

_KNOWN = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)
_ELSEWHERE = {"xla", "mps", "xpu", "mtia", "hip", "hpu", "ipu", "vulkan"}


class device(metaclass=Spoken):
    """A kind of memory and, for ``cuda``, which of several.

    Args:
        type: ``"cpu"``, ``"cuda"``, ``"cuda:N"`` or ``"meta"``, another `device`, or an accelerator's number.
        index: which device of that type; ``None`` means the current one.

    Raises:
        RuntimeError: for text that names no device.

    >>> str(tk.device("cuda", 0)), tk.device("cpu") == tk.device("cpu"), tk.device("cpu").index
    ('cuda:0', True, None)
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __init__(self, *args: str | int | device, **named: str | int | device | None) -> None:
        type, index = _arguments(args, named)
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise TypeError(
                f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}"
            )
        if isinstance(type, device):
            if index is not None:
                raise TypeError("device(): argument 'type' (position 1) must be str, not tensorkit.device")
            self.type, self.index = type.type, type.index
        elif isinstance(type, int) and not isinstance(type, bool):
            number = _small(type)
            if not _cuda_count():
                raise RuntimeError("Cannot access accelerator device when none is available.")
            self.type, self.index = "cuda", number
        elif isinstance(type, str):
            self.type, self.index = _parse(type, index)
        else:
            raise TypeError(_FORMS.format(type.__class__.__name__))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def _no_order(self, other: object) -> bool:
        raise TypeError("comparison not implemented")

    __lt__ = __le__ = __gt__ = __ge__ = _no_order

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')"
            if self.index is None
            else f"device(type='{self.type}', index={self.index})"
        )

    def __enter__(self) -> device:
        _default.stack.append(_default.chosen)
        _choose(self)
        return self

    def __exit__(self, *problem: object) -> None:
        _choose(_default.stack.pop())

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return device, (self.type,) if self.index is None else (self.type, self.index)


_FORMS = (
    "device() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (tensorkit.device device)\n * (str type, int index = -1)\n"
)


def _arguments(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    """What is given as the type and as the index."""
    given = dict(zip(("type", "index"), args, strict=False)) | named
    if "device" in given and "type" not in given:
        given["type"] = given.pop("device")
    if "type" not in given or len(args) > 2 or not given.keys() <= {"type", "index"}:
        shown = [value.__class__.__name__ for value in args]
        shown += [f"{key}={value.__class__.__name__}" for key, value in named.items()]
        raise TypeError(_FORMS.format(", ".join(shown) + (", " if named and not args else "")))
    return given["type"], given.get("index")


def _small(index: int) -> int:
    if index < 0:
        raise RuntimeError(f"Device index must not be negative\ngot {index}; the first device is 0")
    return index


def _parse(text: str, index: int | None) -> tuple[str, int | None]:
    if text == "":
        raise RuntimeError("Device string must not be empty")
    match = re.fullmatch(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?", text)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, number = match.groups()
    if number is not None and int(number) > 127:
        raise RuntimeError(f"Could not parse device index '{number}' in device string '{text}'")
    if kind not in ("cpu", "cuda", "meta"):
        raise _unknown(kind, text)
    if number is not None and index is not None:
        raise RuntimeError(
            f"type (string) must not include an index because index was passed explicitly: {text}"
        )
    return kind, int(number) if number is not None else None if index is None else _small(index)


def _unknown(kind: str, text: str) -> RuntimeError:
    if kind in _ELSEWHERE:
        return RuntimeError(
            f"tensorkit has no '{kind}' device: it runs on cpu, cuda and meta. (got '{text}')"
        )
    return RuntimeError(f"Expected one of {_KNOWN} device type at start of device string: {kind}")


DeviceLike = device | str | int | None
CPU = device("cpu")
META = device("meta")
_cuda_count: Callable[[], int] = lambda: 0  # noqa: E731 - replaced by the CUDA kernels when they are loaded
_cuda_current: Callable[[], int] = lambda: 0  # noqa: E731


def register_cuda(count: Callable[[], int], current: Callable[[], int]) -> None:
    """The CUDA kernels register how many devices there are and which one is current."""
    global _cuda_count, _cuda_current  # set once, while the package is imported
    _cuda_count, _cuda_current = count, current


class _Default(threading.local):
    chosen: device | None = None

    def __init__(self) -> None:
        self.stack: list[device | None] = []


_default = _Default()


class _Chosen:
    """Whether some thread ever asked for another default device: until then no lookup is needed."""

    once = False


default_chosen = _Chosen()


def _choose(where: device | None) -> None:
    _default.chosen = where
    default_chosen.once = default_chosen.once or where is not None


def set_default_device(device: DeviceLike) -> None:
    """Make new tensors on a device where none is named; ``None`` is the CPU again. It holds for this thread.

    >>> tk.set_default_device("meta")
    >>> tk.ones(2).device
    device(type='meta')
    >>> tk.set_default_device(None)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
    """
    _choose(None if device is None else _as_device(device))


def get_default_device() -> device:
    """The device on which new tensors are made where none is named.

    >>> with tk.device("meta"):
    ...     tk.get_default_device()
    device(type='meta')

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_default_device.html
    """
    chosen = _default.chosen
    if chosen is None:
        return CPU
    return resolve(chosen) if chosen.type == "cuda" else chosen


def _as_device(where: str | int | device) -> device:
    return where if isinstance(where, device) else device(where)


def _named(where: str | int) -> device:
    """The device of a text, or of an accelerator's number, whether or not there is one: the caller looks."""
    return device("cuda", where) if isinstance(where, int) and not isinstance(where, bool) else device(where)


_WAY_OUT = (
    "No GPU was found. To practise without one, call tk.cuda.emulate() first: "
    "it gives devices with their own memory."
)


def resolve(where: DeviceLike) -> device:
    """The device that a `device=` argument means, checked to exist; ``None`` is the default: the CPU, mostly.

    Raises:
        NoCudaError: for ``cuda`` without a GPU and without emulation (an AssertionError, as in PyTorch).
        RuntimeError: for a CUDA index that no device has.
    """
    if where is None:
        where = _default.chosen
        if where is None:
            return CPU
    asked = where if isinstance(where, device) else _named(where)
    if asked.type == "cpu":
        return CPU
    if asked.type == "meta":
        return META
    count = _cuda_count()
    if count == 0 and isinstance(where, int):
        raise RuntimeError(f"Cannot access accelerator device when none is available.\n{_WAY_OUT}")
    if count == 0:
        raise NoCudaError(f"tensorkit not compiled with CUDA enabled\n{_WAY_OUT}")
    index = _cuda_current() if asked.index is None else asked.index
    if index >= count:
        raise RuntimeError(
            f"CUDA error: invalid device ordinal\nasked for cuda:{index}; "
            f"there {'is' if count == 1 else 'are'} {count}: cuda:0 to cuda:{count - 1}"
        )
    return device("cuda", index)
