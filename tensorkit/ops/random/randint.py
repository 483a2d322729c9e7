"""Whole numbers of a range: `randint`, `randint_like`."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.device import META, DeviceLike
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.ops.random.draw import DIGITS, Call, Drawing, draw, empty_like_of, is_integer, make
from tensorkit.ops.shared.signature_parts import FACTORY, GENERATOR, MEMORY_FORMAT
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.random import Generator
from tensorkit.tensor import Tensor

# -- what a call means --------------------------------------------------------------------------------------


def _held(high: Tensor) -> int:
    """The end of a range that a tensor holds."""
    if high.dim() or high._device.type == "cuda":
        raise RuntimeError("high must be a scalar tensor and on CPU")
    value = high.item()
    if isinstance(value, complex) or not math.isfinite(value):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return int(value)


# -- making and filling -------------------------------------------------------------------------------------


def _integers(
    tensor: Tensor, low: int, high: int, generator: Generator | None, given: bool = False
) -> Tensor:
    check_range(low, high)
    if tensor._device != META:
        low, high = random_bounds(low, high, tensor._dtype)
        if given:
            check_writable(tensor)
    return draw(tensor, generator, Drawing(random.fill_integers, low, high), given)


def check_range(low: int, high: int) -> None:
    """Refuse a range without a number in it."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")


def random_bounds(low: int, high: int, kind: dtype) -> tuple[int, int]:
    """The bounds that a dtype can keep, or PyTorch's word on why it cannot."""
    if kind.is_floating_point:
        low, high = _rounded_bounds(low, high, kind)
    if kind.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    c_name = cpp_name(kind)
    least, most = _limits(kind)
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {c_name}")
    for name, value in (("from", low), ("to - 1", high - 1)):
        digits = DIGITS.get(kind, 64)
        if abs(value) > 2**digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {c_name} "
                "can support discrete uniform distribution only within this range. This warning will become "
                "an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=6,
            )
    return low, high


def _limits(kind: dtype) -> tuple[float, float]:
    if kind is dtypes.bool:
        return 0, 1
    if kind.category == 1:
        whole = numpy.iinfo(kind.numpy)
        return int(whole.min), int(whole.max)
    most = {
        dtypes.float16: 65504.0,
        dtypes.bfloat16: 3.3895313892515355e38,
        dtypes.float32: 3.4028234663852886e38,
    }
    return -most.get(kind, 1.7976931348623157e308), most.get(kind, 1.7976931348623157e308)


def _rounded_bounds(low: int, high: int, kind: dtype) -> tuple[int, int]:
    """Bounds drawn in, so that no number between them is rounded out of [low, high)."""

    def through(value: int) -> int:
        # As a processor converts: what does not fit an int64 becomes the least one.
        with numpy.errstate(over="ignore"):
            rounded = float(numpy.float32(value).astype(kind.numpy)) if kind.itemsize < 8 else float(value)
        return int(rounded) if -(2.0**63) <= rounded < 2.0**63 else -(2**63)

    def spacing(value: int) -> int:
        return 1 << max(abs(value).bit_length() - DIGITS[kind], 0)

    first, last = through(low + 1), through(high - 1)
    if first < low:
        low = first + spacing(low + 1)
    if last >= high:
        high = last - spacing(high - 1)
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
            f"but got from={low} >= to={high}"
        )
    return low, high


# -- the operations -----------------------------------------------------------------------------------------


@op(strict=True, kind="create", methods=())
@takes(
    f"(int high, tuple of ints size, *, {GENERATOR}, Tensor out = None, {FACTORY})",
    f"(int high, tuple of ints size, *, Tensor out = None, {FACTORY})",
    f"(int low, int high, tuple of ints size, *, {GENERATOR}, Tensor out = None, {FACTORY})",
    f"(int low, int high, tuple of ints size, *, Tensor out = None, {FACTORY})",
)
def randint(
    *args: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    **keyword: Any,
) -> Tensor:
    """Integers drawn evenly from [low, high): ``randint(low, high, size)`` or ``randint(high, size)``.

    Args:
        low, high: int64 bounds.
        size: the size, one sequence.
        generator: where the numbers come from; the default generator (`manual_seed`) if not given.
        out: a tensor to draw into. dtype: int64 if not given; not complex.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        RuntimeError: when low >= high, or the dtype cannot hold a bound.

    >>> _ = tk.manual_seed(0)
    >>> tk.randint(0, 10, (2, 3))
    tensor([[4, 9, 3],
            [0, 3, 9]])
    """
    forms = ("int high, tuple of ints size", "int low, int high, tuple of ints size")
    call = Call("randint", forms, args, generator=generator, out=out, dtype=dtype, device=device, **keyword)
    call.check_options(known=("low", "high", "size"))
    bound = call.bind(("high", "size"), ("low", "high", "size"))
    low, high, size = bound.get("low", 0), bound["high"], bound["size"]
    if "low" in bound:
        if not (is_integer(low) and is_integer(high) and isinstance(size, (tuple, list))):
            raise call.refused()
    elif not is_integer(high):
        where = " (position 1)" if args else ""
        raise TypeError(f"randint(): argument 'high'{where} must be int, not {type_name(high)}")
    sizes = call.size(size, None if "size" in keyword else len(args))
    first, last = call.integer(low), call.integer(high)
    return _integers(make(sizes, dtypes.int64, call), first, last, generator, out is not None)


@op(kind="create", methods=())
@takes(
    f"(Tensor input, int low, int high, *, {GENERATOR}, {MEMORY_FORMAT}, {FACTORY})",
    f"(Tensor input, int low, int high, *, tensorkit.memory_format memory_format = None, {FACTORY})",
    f"(Tensor input, Tensor high, *, {GENERATOR}, {MEMORY_FORMAT}, {FACTORY})",
    f"(Tensor input, Tensor high, *, tensorkit.memory_format memory_format = None, {FACTORY})",
    f"(Tensor input, int high, *, {GENERATOR}, {MEMORY_FORMAT}, {FACTORY})",
    f"(Tensor input, int high, *, tensorkit.memory_format memory_format = None, {FACTORY})",
)
def randint_like(
    *args: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`randint` in the size, dtype, device and order of dimensions of another tensor.

    ``randint_like(input, high)`` draws from [0, high), ``randint_like(input, low, high)`` from [low, high).

    >>> _ = tk.manual_seed(0)
    >>> tk.randint_like(tk.zeros(3), 10)
    tensor([4., 9., 3.])
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    forms = ("Tensor input, int low, int high", "Tensor input, Tensor high", "Tensor input, int high")
    call = Call("randint_like", forms, args, **options, **keyword)
    call.check_options(known=("input", "low", "high"))
    bound = call.bind(("input", "high"), ("input", "low", "high"))
    input, low, high = bound["input"], bound.get("low", 0), bound["high"]
    if "low" not in bound and isinstance(high, Tensor) and isinstance(input, Tensor):
        high = _held(high)
    if not (isinstance(input, Tensor) and is_integer(low) and is_integer(high)):
        raise call.refused()
    first, last = call.integer(low), call.integer(high)
    return _integers(empty_like_of("randint_like", input, options), first, last, generator)
