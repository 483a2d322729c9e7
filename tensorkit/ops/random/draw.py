"""What the random operations share: reading the call, making the tensor, drawing into its memory.

The numbers come from `tensorkit.random`. Calls that can be read in several ways (``randint`` with two or three
arguments) are told apart here.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes, random
from tensorkit.conj_bit import resolved
from tensorkit.device import META, device, resolve
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.errors import MissingKernelError
from tensorkit.kernels import cuda
from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.on_device import is_on_device, operand
from tensorkit.ops.shared.resize import resize_
from tensorkit.ops.shared.to import as_dtype
from tensorkit.random import Generator
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Array, Tensor, on_storage

Fill = Callable[[Array, Generator], None]
SEEDED = "generator=tk.Generator().manual_seed(3)"
DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


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


class Drawing:
    """A distribution to draw from: the function that fills an array, and its parameters.

    A CUDA device has its own way to draw; the function says from what.
    """

    __slots__ = ("fill", "parameters")

    def __init__(self, fill: Callable[..., None], *parameters: Any) -> None:
        self.fill, self.parameters = fill, parameters

    def __call__(self, out: Array, generator: Generator) -> None:
        self.fill(out, generator, *self.parameters)


def draw(tensor: Tensor, generator: Generator | None, fill: Fill | Drawing, given: bool = False) -> Tensor:
    """Draw into the tensor's own memory; `given` for one that the caller passed in: its version goes up."""
    if tensor._device != META and tensor.numel():
        if generator is not None and generator.device.type != tensor._device.type:
            raise RuntimeError(
                f"Expected a '{tensor._device.type}' device type for generator but found '{generator.device.type}'"
            )
        plain = resolved(tensor)
        if is_on_device(tensor):
            _draw_on_device(plain, generator, fill if isinstance(fill, Drawing) else Drawing(fill))
        else:
            fill(plain._nd(), random.default_generator if generator is None else generator)
        if plain is not tensor:
            copy_into(tensor, plain)
    if given:
        tensor._bump()
    return tensor


_UNIT = (0.0, 1.0)
_THERE: dict[Any, tuple[str, tuple[Any, ...]]] = {
    random.fill_uniform: ("uniform", _UNIT),
    random.fill_normal: ("normal", _UNIT),
    random.fill_log_normal: ("log_normal", ()),
    random.fill_exponential: ("exponential", (1.0,)),
    random.fill_cauchy: ("cauchy", ()),
    random.fill_geometric: ("geometric", ()),
    random.fill_bernoulli: ("bernoulli", ()),
}


def _draw_on_device(tensor: Tensor, generator: Generator | None, drawing: Drawing) -> None:
    """Draw by a kernel on the tensor's own device: PyTorch's numbers for this seed and this device.

    Raises:
        MissingKernelError: for a distribution that no kernel draws from.
    """
    kind = tensor._dtype
    if drawing.fill in (random.fill_integers, random.fill_full_range):
        _integers_on_device(tensor, generator, *_bounds(kind, drawing))
        return
    if drawing.fill not in _THERE:
        name = drawing.fill.__name__.removeprefix("fill_")
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the 'CUDA' backend.\n"
            "Draw on the CPU, then move the tensor with .to('cuda')."
        )
    how, usual = _THERE[drawing.fill]
    scalars = drawing.parameters or usual
    if kind.is_complex:
        lay = tensor._lay()
        both = Layout((*lay.size, 2), (*(2 * step for step in lay.stride), 1), 2 * lay.offset)
        parts = on_storage(tensor._store(), both, kind.to_real())
        if how == "normal":
            scalars = (scalars[0], scalars[1] / math.sqrt(2.0))
        _draw_on_device(parts, generator, Drawing(drawing.fill, *scalars))
        return
    drawn(how, tensor, generator, kind is dtypes.float64, tuple(float(n) for n in scalars))


def drawn(
    how: str,
    tensor: Tensor,
    generator: Generator | None,
    wide: bool,
    scalars: tuple[Any, ...],
    together: bool = False,
) -> None:
    """Launch the kernel, with the generator's seed and offset, which goes up by what was drawn."""
    source = random.default_of(tensor._device) if generator is None else generator
    units, threads = cuda.processors(tensor._device.index or 0)
    count = tensor.numel()
    steps = 12 if together else cuda.philox.steps_of(count, wide, units, threads)
    seed, offset = source.take_steps(steps)
    target = operand(tensor)
    cuda.philox.draw(how, target, tensor._lay().size, seed, offset, wide, units, threads, scalars, together)


def _integers_on_device(tensor: Tensor, generator: Generator | None, low: int, span: int, wide: bool) -> None:
    """Whole numbers from `low` on, below ``low + span``; a span of 0 stands for all 64 bits."""
    drawn("integers", tensor, generator, wide, (low, span))


def _bounds(kind: dtype, drawing: Drawing) -> tuple[int, int, bool]:
    if drawing.fill is random.fill_integers:
        low, high = drawing.parameters
        span = high - low
        return low, span, span >= _LONG_FROM
    if drawing.parameters:  # all 64 bits, with a sign
        return 0, 0, True
    if kind in (dtypes.int64, dtypes.float64):
        return 0, 2**63 if kind is dtypes.int64 else 2**53 + 1, True
    return 0, random.count_to(kind.numpy), False


_LONG_FROM = 2**28


# -- the operations -----------------------------------------------------------------------------------------


def empty_like_of(name: str, input: Any, options: dict[str, Any]) -> Tensor:
    """An uninitialised tensor like `input`; `options` are the keywords of the call."""
    call = Call(name, ("Tensor input",), (input,), **options)
    call.check_options()
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return empty_like(input, **{key: value for key, value in call.named.items() if key != "generator"})
