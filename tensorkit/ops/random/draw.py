"""What the random operations share: reading the call, making the tensor, drawing into its memory.

The numbers come from `tensorkit.random`. Calls that can be read in several ways (``randint`` with two or three
arguments) are told apart here.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes, random
from tensorkit.conj_bit import resolved
from tensorkit.device import CPU, META, device, resolve
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.errors import MissingKernelError
from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.resize import resize_
from tensorkit.ops.shared.to import as_dtype, host_array
from tensorkit.random import Generator
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Call",
    "DIGITS",
    "Fill",
    "SEEDED",
    "draw",
    "empty_like_of",
    "filled_out",
    "give_size",
    "is_integer",
    "make",
]

Fill = Callable[[Array, Generator], None]
SEEDED = "generator=tk.Generator().manual_seed(3)"
DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


def _state_array(state: Any) -> Any:
    return host_array(state) if isinstance(state, Tensor) else state


random.register_state_tensor(lambda state: fresh(state, dtypes.uint8), _state_array)


# -- what a call means --------------------------------------------------------------------------------------


_OPTIONS = (
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)


class Call:
    """One call of a random operation, kept for the error that says which calls there are."""

    def __init__(self, name: str, forms: Sequence[str], args: tuple[Any, ...], **named: Any) -> None:
        self.name, self.forms, self.args = name, forms, args
        self.named = {key: value for key, value in named.items() if value is not None}

    def refused(self) -> TypeError:
        """PyTorch's list of all forms of the operation."""
        given = [type_name(value) for value in self.args]
        given += [f"{key}={type_name(value)}" for key, value in self.named.items()]
        like = self.name.endswith("empty_like_of")
        extra = "tensorkit.memory_format memory_format = None, " if like else "Tensor out = None, "
        lines = [
            f" * ({form}, *, {generator}{extra}{_OPTIONS})\n"
            for form in self.forms
            for generator in ("tensorkit.Generator generator, ", "")
        ]
        return TypeError(
            f"{self.name}() received an invalid combination of arguments - got ({', '.join(given)}), "
            f"but expected one of:\n{''.join(lines)}"
        )

    def check_options(self, known: Sequence[str] = ()) -> None:
        """Refuse keywords that no form has, and values of the wrong type for those that all have."""
        types: dict[str, tuple[type, ...]] = {
            "generator": (Generator,),
            "out": (Tensor,),
            "dtype": (dtype, type),
            "device": (str, int, device),
        }
        for key, value in self.named.items():
            if key not in known and key != "memory_format" and not isinstance(value, types.get(key, ())):
                raise self.refused()

    def integer(self, value: Any) -> int:
        """An int64, given as an integer or as a tensor that holds one."""
        number = value.__index__()
        if not -(2**63) <= number < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return int(number)

    def size(self, given: Any, position: int | None) -> tuple[int, ...]:
        """A size given as one argument; `position` is None for a keyword."""
        if not isinstance(given, (tuple, list)):
            where = "" if position is None else f" (position {position})"
            raise TypeError(
                f"{self.name}(): argument 'size'{where} must be tuple of ints, not {type_name(given)}"
            )
        return as_ints((given,), self.name, position=position or 1)

    def bind(self, *orders: tuple[str, ...]) -> dict[str, Any]:
        """The arguments by name, for the one order of names that they fill exactly."""
        known = {name for names in orders for name in names}
        keywords = {key: value for key, value in self.named.items() if key in known}
        for names in orders:
            bound = dict(zip(names, self.args, strict=False)) | keywords
            if bound.keys() == set(names) and len(self.args) + len(keywords) == len(names):
                return bound
        raise self.refused()


def is_integer(value: Any) -> bool:
    return not isinstance(value, (bool, float)) and hasattr(value, "__index__")


# -- making and filling -------------------------------------------------------------------------------------


def make(size: tuple[int, ...], default: dtype, options: Call) -> Tensor:
    """The tensor to fill: a new one, or `out` given that size."""
    kind, where, out = (options.named.get(key) for key in ("dtype", "device", "out"))
    if out is None:
        return empty(size, dtype=default if kind is None else kind, device=where)
    return filled_out(out, size, kind, where)


def filled_out(out: Tensor, size: Any, kind: Any, where: Any) -> Tensor:
    """An ``out=`` tensor that is of the dtype and on the device asked for, if any were, in the size of a draw."""
    if kind is not None and as_dtype(kind) is not out._dtype:
        asked, held = as_dtype(kind).label, out._dtype.label
        raise RuntimeError(f"dtype {asked} does not match dtype of out parameter ({held})")
    if where is not None and resolve(where) != out._device:
        raise RuntimeError(
            f"device type {resolve(where).type} does not match "
            f"device type of out parameter ({out._device.type})"
        )
    return give_size(out, size)


def give_size(out: Tensor, size: Any) -> Tensor:
    """An ``out=`` tensor in the size of a draw, without a warning, and without a step of its version."""
    version = out._version
    resize_(out, size)
    if out._counter is not None:
        out._counter[0] = version
    return out


def draw(tensor: Tensor, generator: Generator | None, fill: Fill, given: bool = False) -> Tensor:
    """Draw into the tensor's own memory; `given` for one that somebody knows already: its version goes up."""
    if tensor._device == META:
        if given:
            tensor._bump()
        return tensor
    if tensor._device != CPU:
        raise MissingKernelError(
            f"Could not draw random numbers on the '{tensor._device.type.upper()}' backend: tensorkit draws "
            "them on the CPU.\nDraw there, then move the tensor: tk.rand(2, 3).to('cuda')."
        )
    if tensor.numel():
        plain = resolved(tensor)
        fill(plain._nd(), random.default_generator if generator is None else generator)
        if plain is not tensor:
            copy_into(tensor, plain)
    if given:
        tensor._bump()
    return tensor


# -- the operations -----------------------------------------------------------------------------------------


def empty_like_of(name: str, input: Any, options: dict[str, Any]) -> Tensor:
    """An uninitialised tensor like `input`; `options` are the keywords of the call."""
    call = Call(name, ("Tensor input",), (input,), **options)
    call.check_options()
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return empty_like(input, **{key: value for key, value in call.named.items() if key != "generator"})
