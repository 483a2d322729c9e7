"""The fast paths of pointwise operations: row-major tensors, or one and a number, go straight to the loop."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch import recording
from tensorkit.dispatch.recording import tracked
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.place import MANY_PLANS
from tensorkit.elementwise.plan import (
    Settled,
    as_settled,
    at_once,
    holding,
    lying,
    order_of_many,
    plain,
    plain_alike,
    settled,
    times_one,
)
from tensorkit.kernels.cpu import elementwise, strided_2d, ufuncs
from tensorkit.kernels.cpu.strided_2d import APART, Plane
from tensorkit.tensor import Tensor, fresh, fresh_strided

__all__ = [
    "Entry",
    "UNSEEN",
    "entries_of_arrays",
    "loops_of",
    "settle",
    "PLAIN_NUMBERS",
    "fast_binary",
    "fast_entries",
    "fast_inplace",
    "fast_out",
    "fast_scaled",
]

Entry = tuple[Any, dtype]


# And the numbers for which the ufunc alone is right, and arrays of those that it was given.
_NumberEntry = tuple[Any, dtype, float, float, dict[Any, Any] | None]


def _whole_range(kind: dtype) -> tuple[int, int]:
    """The Python integers that need no wrapping around beside a tensor of this dtype."""
    if kind.category > 1:
        return -(2**63), 2**63 - 1
    info = numpy.iinfo(kind.numpy)
    return int(info.min), int(info.max)


def fast_entries(block: Pointwise) -> tuple[dict[dtype, Entry], dict[tuple[dtype, type], _NumberEntry]]:
    """Where the ufunc alone gives PyTorch's result: by dtype for tensors, by dtype and type for one with a number."""
    same: dict[dtype, Entry] = {}
    number: dict[tuple[dtype, type], _NumberEntry] = {}
    if block.numpy.__class__ is not numpy.ufunc:
        return same, _beside_numbers(block)
    for kind in dtypes.ALL:
        result: dtype = dtypes.bool if block.result == "bool" else kind
        if not _direct(block, kind, result):
            continue
        same[kind] = (block.numpy, result)
        if kind.category >= 1:
            number[kind, int] = (block.numpy, result, *_whole_range(kind), {})
        if kind.category >= 2:
            number[kind, float] = (block.numpy, result, -math.inf, math.inf, {})
    return same, number


def _beside_numbers(block: Pointwise) -> dict[tuple[dtype, type], _NumberEntry]:
    """Where a function of arrays that is no ufunc may be given a number: it keeps the dtype of its first operand."""
    number: dict[tuple[dtype, type], _NumberEntry] = {}
    if (
        block.result != "same"
        or block.like_first
        or getattr(block.numpy, "__code__", _NO_CODE).co_argcount != 2
    ):
        return number
    for kind in dtypes.ALL:
        if kind.category in (0, 3) or kind in block.lacks or elementwise.is_half(kind):
            continue
        run = _with_number(block.numpy, kind.numpy)
        if kind.category == 2:
            number[kind, float] = (run, kind, -math.inf, math.inf, None)
        elif block.check is not None:
            continue  # integers may be refused
        number[kind, int] = (run, kind, *_whole_range(kind), None)
    return number


_NO_CODE = (lambda: None).__code__


def _with_number(function: Callable[..., Any], held: numpy.dtype[Any]) -> Callable[..., Any]:
    """A function of two arrays, of an array and a number."""
    number = held.type

    def run(array: Any, value: Any) -> Any:
        result = function(array, number(value))
        if result.dtype != held:
            raise RuntimeError  # the long way converts it
        return result

    return run


def _direct(block: Pointwise, kind: dtype, result: dtype) -> bool:
    """Whether NumPy's loop for this dtype computes in it and gives what PyTorch gives."""
    if kind in block.lacks or elementwise.is_half(kind) or ("float" in block.result and kind.category < 2):
        return False
    if block.check is not None and (kind.category == 0 or kind.is_complex):
        return False  # what is refused for a dtype is refused for bools or for complex numbers
    if block.alpha and kind.is_complex:
        return False  # see `times_one`
    try:
        loop = block.numpy.resolve_dtypes((kind.numpy,) * block.numpy.nin + (None,))
    except TypeError:
        return False
    return bool(loop[-1] == result.numpy and loop[0] == kind.numpy)


_LARGEST = float(numpy.finfo(numpy.float32).max)


def entries_of_arrays(block: Pointwise) -> dict[dtype, Entry]:
    """Where a function of arrays that is no ufunc may be called at once: it keeps the dtype of a floating number."""
    if block.like_first == "always":
        return {}
    most = 2 if block.result in ("real", "real float") else 3
    kinds = (kind for kind in dtypes.ALL if 2 <= kind.category <= most and kind not in block.lacks)
    real = getattr(block.numpy, "real", block.numpy)  # what does the same of floating point numbers
    return {
        kind: (real if kind.category == 2 else block.numpy, dtypes.bool if block.result == "bool" else kind)
        for kind in kinds
        if not elementwise.is_half(kind) and not (block.check is not None and kind.is_complex)
    }


def loops_of(block: Pointwise) -> dict[dtype, Plane]:
    """For each dtype the loop over matrices whose rows lie apart, where there is one."""
    loop = APART.get(block.numpy)
    return {} if loop is None else {kind: loop for kind in dtypes.ALL if kind.numpy.char in loop.signatures}


def fast_binary(
    block: Pointwise, rule: Any, second: str, numbers: bool
) -> Callable[[Tensor, Any], Tensor | None]:
    same, number = fast_entries(block)
    number = number if numbers else {}
    if block.numpy.__class__ is not numpy.ufunc:
        same = entries_of_arrays(block)
    run, ndarray, new, many = elementwise.quiet_here, numpy.ndarray, object.__new__, elementwise.MANY
    kinds = PLAIN_NUMBERS if numbers else PLAIN_NUMBERS[:1]
    aside = _beside(block, same, number, kinds)
    strided = bool(
        block.like_first
    )  # the result has its tensor's strides, even those of dimensions of size 1
    if block.alpha:
        same = same | {kind: (times_one[block.numpy], kind) for kind in dtypes.ALL if kind.is_complex}
    loops = loops_of(block)

    def across(ufunc: Any, x: Any, y: Any, loop: Plane | None, kind: dtype) -> Any:
        """The result of two arrays of different shapes; None where a dimension has a size of 0 or 1."""
        if loop is not None and x.ndim == y.ndim == 2:
            (m, n), (p, q) = x.shape, y.shape
            if (m == p or m == 1 or p == 1) and (n == q or n == 1 or q == 1):
                high, wide = m if p == 1 else p, n if q == 1 else q
                if high > 1 and wide > 1 and ufuncs.SOME <= high * wide < many:
                    made = numpy.empty((high, wide), kind.numpy)
                    if loop.into(made, x, y):
                        return made
        made = run(ufunc, x, y) if x.size * y.size < many else elementwise.mapped(ufunc, (x, y), kind.numpy)
        return None if min(made.shape) < 2 else made

    notes: dict[type, Callable[[Tensor, Tensor, Any], None]] = {}

    def fast(a: Tensor, b: Any) -> Tensor | None:
        """The result when nothing has to be decided; None when `apply` must look."""
        if tracked((a, b)):
            out = quick(a, b)
            if out is not None and rule is not None:
                kind = b.__class__
                note = notes.get(kind)
                if note is None:  # made when first needed: `autograd` is loaded after this file
                    note = notes[kind] = recording.pair_recorder(rule, block.name, second, a, b)
                note(out, a, b)
            return out
        return quick(a, b)

    def quick(a: Tensor, b: Any) -> Tensor | None:
        """The same, gradients apart."""
        x = a._array
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            return None
        if not a._solid and (x.size != 1 or strided):
            return aside(a, b)
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                if y is None or a._dtype is not b._dtype:
                    return aside(a, b)
                if not (a._solid and b._solid) and (strided or x.shape != y.shape or x.size != 1):
                    return aside(a, b)
                ufunc, kind = same[a._dtype]
                if x.shape != y.shape:
                    if x.size * y.size >= ufuncs.SOME:
                        array = across(ufunc, x, y, loops.get(a._dtype), kind)
                    else:
                        array = run(ufunc, x, y)
                        array = None if min(array.shape) < 2 else array
                    # Broadcast, a dimension of size 0 or 1 may have any stride, and PyTorch's result follows it.
                    if array is None:
                        return aside(a, b)
                elif x.size < many:
                    array = run(ufunc, x, y)
                else:
                    array = elementwise.mapped(ufunc, (x, y), kind.numpy)
            else:
                ufunc, kind, low, high, known = number[a._dtype, type(b)]
                if b < low or b > high:
                    return None
                if 0 < x.size < many:
                    # Numbers are known by their value, which 0.0 and -0.0 share.
                    value = b if known is None or b == 0 else known.get(b)
                    array = run(ufunc, x, _as_known(known, b, x.dtype) if value is None else value)
                elif x.size and ufunc.__class__ is numpy.ufunc:
                    array = elementwise.mapped(ufunc, (x, b), kind.numpy)
                else:
                    return None  # of no elements PyTorch chooses the strides as if the number were a tensor
        except KeyError:  # an unusual pair of dtypes
            return aside(a, b)
        except (OverflowError, RuntimeError, ValueError):
            return None  # a number to wrap, another thread inside, sizes that do not fit: the long way
        # `fresh`, written out: the call would be a tenth of the whole.
        out = new(Tensor)
        out._array = array if type(array) is ndarray else numpy.asarray(array)
        out._solid = True
        out._layout = None
        out._storage = None
        out._dtype = kind
        out._device = CPU
        out._counter = None
        out._base = None
        out._autograd = None
        return out

    return fast


def _as_known(known: Any, number: Any, held: numpy.dtype[Any]) -> Any:
    """A number as an array, for the next time too: NumPy takes longer to make one than to compute with it."""
    if number != number or abs(number) > _LARGEST or (number.__class__ is int and abs(number) > _WHOLE):
        return number
    if len(known) >= _KNOWN:
        known.clear()
    made = known[number] = numpy.array(number, held)
    return made


_KNOWN = 64
_WHOLE = 1 << 24  # integers that floating point numbers hold
PLAIN_NUMBERS = (Tensor, float, int, bool)


def _beside(
    block: Pointwise,
    same: dict[dtype, Entry],
    number: dict[tuple[dtype, type], _NumberEntry],
    kinds: tuple[type, ...],
) -> Callable[[Tensor, Any], Tensor | None]:
    """What the fast path of a block is not for, but a short one may be: other strides, two dtypes."""
    ways: dict[Any, Any] = {}  # `Settled`, or None
    run, function, loops = elementwise.quiet_here, block.numpy, loops_of(block)
    apart = getattr(function, "apart", None)  # finds the loop that does the same beside a number

    def with_number(a: Tensor, b: Any) -> Tensor | None:
        """The same of a tensor and a number."""
        x, own, entry = a._array, a._layout, number.get((a._dtype, type(b)))
        if x is None or own is None or entry is None or b < entry[2] or b > entry[3]:
            return None
        key = (a._dtype, own.size, own.stride, type(b))
        way = ways.get(key, UNSEEN)
        if way is UNSEEN:
            way = settle(ways, key, block, (a, b), same)
        if way is None:
            return None
        loop = apart(b) if way.plane and apart is not None else None
        if loop is not None and a._dtype.numpy.char in loop.signatures:
            out = lying(loop, way, (x,))
            if out is not None:
                return out
        try:
            return as_settled(run(entry[0], x.copy("K") if way.packed else x, b), way)
        except (OverflowError, RuntimeError):
            return None  # a number to wrap, or another thread inside

    def aside(a: Tensor, b: Any) -> Tensor | None:
        if b.__class__ is not Tensor and type(b) not in kinds:
            return None
        x, own = a._array, a._layout
        if b.__class__ is not Tensor:
            out = with_number(a, b)
            return plain(block, (a, b)) if out is None else out
        if x is None or own is None or a._dtype is not b._dtype:
            return plain(block, (a, b))
        y, other = b._array, b._layout
        if y is None or other is None or own.stride != other.stride or own.size != other.size:
            return plain(block, (a, b))
        key = (a._dtype, own.size, own.stride)
        way = ways.get(key, UNSEEN)
        if way is UNSEEN:
            way = settle(ways, key, block, (a, b), same)
        if way is None:
            return plain(block, (a, b))
        if way.plane and a._dtype in loops:
            out = lying(loops[a._dtype], way, (x, y))
            if out is not None:
                return out
        try:
            made = run(function, x.copy("K"), y.copy("K")) if way.packed else run(function, x, y)
        except RuntimeError:
            return None  # another thread is inside
        out = as_settled(made, way)
        return plain(block, (a, b)) if out is None else out

    return aside


def settle(
    ways: dict[Any, Any],
    key: Any,
    block: Pointwise,
    operands: tuple[Any, ...],
    same: dict[dtype, Entry],
) -> Settled | None:
    """How the block is run on operands like these, kept for the next: on those that the function alone is right for."""
    if len(ways) >= MANY_PLANS:
        ways.clear()
    way = ways[key] = settled(block, operands) if operands[0]._dtype in same else None
    return way


UNSEEN: Any = object()


def fast_inplace(block: Pointwise, numbers: bool = True) -> Callable[[Tensor, Any], bool]:
    same, number = (
        fast_entries(block) if block.result == "same" and block.numpy.__class__ is numpy.ufunc else ({}, {})
    )
    number = number if numbers else {}
    run, many = elementwise.quiet_here, elementwise.MANY
    kinds = PLAIN_NUMBERS if numbers else PLAIN_NUMBERS[:1]
    ways: dict[Any, Any] = {}  # `Settled`, or None
    loops = loops_of(block)

    def alike(a: Tensor, b: Any) -> bool:
        """Whether it was done, for tensors of one dtype and layout that have no memory in common."""
        x, own, y, other = a._array, a._layout, b._array, b._layout
        if x is None or own is None or y is None or other is None or a._dtype is not b._dtype:
            return False
        if own.stride != other.stride or own.size != other.size:
            return False
        if a._storage is not None and a._storage is b._storage:
            return False
        key = (a._dtype, own.size, own.stride)
        way = ways.get(key, UNSEEN)
        if way is UNSEEN:
            way = settle(ways, key, block, (a, b), same)
        if way is None or 0 in own.stride or way.kind is not a._dtype:
            return False
        loop = loops.get(a._dtype) if way.plane else None
        try:
            if not way.packed:
                run(block.numpy, x, y, x)
            elif loop is None or not loop.into(x, x, y):
                x[...] = run(block.numpy, x.copy("K"), y.copy("K"))
        except RuntimeError:
            return False
        a._bump()
        return True

    def aside(a: Tensor, b: Any) -> bool:
        if b.__class__ is Tensor:
            if alike(a, b):
                return True
        elif type(b) not in kinds:
            return False
        return plain(block, (a, b), True) is not None

    def fast(a: Tensor, b: Any) -> bool:
        """Whether the write was plain enough to be done here."""
        x = a._array
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None or tracked((a, b)):
            return False
        if not a._solid and (x.size != 1 or a._bits):
            return aside(a, b)
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                if y is None or a._dtype is not b._dtype or x.shape != y.shape:
                    return aside(a, b)
                if not b._solid and y.size != 1:
                    return aside(a, b)
                if a is not b and a._storage is not None and a._storage is b._storage:
                    return False
                if x.size == 1:  # NumPy takes three times as long to write one element over itself
                    x[...] = run(same[a._dtype][0], x, y)
                elif x.size < many:
                    run(same[a._dtype][0], x, y, x)
                else:
                    elementwise.pointwise(same[a._dtype][0], (x, y), x)
            else:
                ufunc, _, low, high, _ = number[a._dtype, type(b)]
                if b < low or b > high:
                    return False
                if x.size < many:
                    run(ufunc, x, b, x)
                else:
                    elementwise.pointwise(ufunc, (x, b), x)
        except KeyError:
            return aside(a, b)
        except (OverflowError, RuntimeError):
            return False
        a._bump()
        return True

    return fast


def fast_out(block: Pointwise) -> Callable[[Tensor, Tensor, Any], bool]:
    same = fast_entries(block)[0] if block.numpy.__class__ is numpy.ufunc else {}
    run, loops = elementwise.quiet_here, loops_of(block)

    def fast(a: Tensor, b: Any, out: Any) -> bool:
        """Whether ``out=`` was plain enough to be written here: three tensors that share no memory."""
        if type(a) is not Tensor or type(b) is not Tensor or type(out) is not Tensor:
            return False
        if tracked((a, b, out)):
            return False
        x, y, z = a._array, b._array, out._array
        if (
            x is None
            or y is None
            or z is None
            or x.size >= elementwise.MANY
            or not x.shape == y.shape == z.shape
        ):
            return plain(block, (a, b), out=out) is not None
        if a._dtype is not b._dtype or not x.size or (not out._solid and 0 in z.strides):
            return False
        if out._storage is not None and (out._storage is a._storage or out._storage is b._storage):
            return False
        try:
            ufunc, kind = same[a._dtype]
            if kind is not out._dtype or kind.is_complex:
                return False
            loop = None if a._solid or x.ndim != 2 else loops.get(a._dtype)
            if not (a._solid or b._solid) and x.flags.f_contiguous and y.flags.f_contiguous:
                z[...] = run(ufunc, x, y)  # it takes no time, and NumPy turns it sooner than the operands
            elif loop is None or not loop.into(z, x, y):
                run(ufunc, x, y, out=z)
        except (KeyError, RuntimeError):
            return False
        out._bump()
        return True

    return fast


_SCALED = (dtypes.float32, dtypes.float64)


def fast_scaled(block: Pointwise, a: Any, b: Any, alpha: Any) -> Tensor | None:
    """``alpha=`` where two tensors of one floating point dtype are few elements; None where `apply` must look."""
    if not block.alpha or (alpha.__class__ is not float and alpha.__class__ is not int):
        return None
    if a.__class__ is not Tensor or b.__class__ is not Tensor or a._dtype is not b._dtype:
        return None
    if a._dtype not in _SCALED or not -_WHOLE <= alpha <= _WHOLE:
        return None
    # What is subtracted is added with the number's other sign, which 0 has if it is no integer.
    signed = float(alpha if block.numpy is numpy.add else -alpha)
    # Numbers are remembered by their value, which 0 and -0 share.
    scaled = _scaling(block, signed) if signed else _scaling.__wrapped__(block, signed)
    found = at_once(scaled.held, (a, b))
    if found is not None:
        return found
    if tracked((a, b)):
        return None
    first, second = a._array, b._array
    if first is None or second is None or first.shape != second.shape:
        return plain(block, (a, b), by=scaled)
    if first.size >= elementwise.MANY:
        order = "C" if a._solid and b._solid else order_of_many([first, second])
        result = numpy.empty(first.shape, first.dtype, order) if order else None
        if result is None or not elementwise.add_scaled((first, second), signed, result, a._dtype):
            return None
        return fresh(result, a._dtype) if order == "C" else fresh_strided(result, a._dtype)
    if not (a._solid and b._solid) and first.size != 1:
        return plain_alike(block, (a, b), [first, second], scaled)
    if not first.size:
        return None
    try:
        made = elementwise.quiet_here(scaled, first, second)
    except RuntimeError:
        return None  # another thread is inside
    return fresh(made if made.__class__ is numpy.ndarray else numpy.asarray(made), a._dtype)


@functools.lru_cache(256)
def _scaling(block: Pointwise, factor: float) -> Any:
    """The sum with a second array that is multiplied by a number, of single or double precision.

    Args:
        factor: the number; of `numpy.subtract` it has the other sign.
    """
    ufunc: Any = block.numpy
    # NumPy takes longer to make an array of a number than to multiply.
    signed = {kind: numpy.array(factor, kind) for kind in "fd"}
    held = signed if ufunc is numpy.add else {kind: numpy.array(-factor, kind) for kind in "fd"}

    def scaled(x: Any, y: Any) -> Any:
        run = ufuncs.add_scaled.of(x)
        kind = x.dtype.char
        return ufunc(x, y * held[kind]) if run is None else run(x, y, signed[kind])

    numbers = {kind: (number,) for kind, number in signed.items()}
    scaled.held = holding(  # type: ignore[attr-defined]
        block, ufuncs.add_scaled, numbers, strided_2d.add_scaled, factor
    )
    return scaled
