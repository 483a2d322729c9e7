"""All spellings of a pointwise operation from its one block: function, method, operators, in-place and ``out=`` forms.

Each spelling has a fast path: row-major tensors of one dtype, or such a tensor and a number, go straight to the
ufunc. Everything else, and every mistake, takes the long way through ``elementwise.apply``.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU
from tensorkit.dispatch import recording
from tensorkit.dispatch.call import respelled, traced_method
from tensorkit.dispatch.call_errors import explain, unmatched
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.out_and_inplace import out_refused
from tensorkit.dispatch.recording import call_traced, differentiable, recorded_call, wants_grad
from tensorkit.dispatch.registry import Op, Sample, register, registry, sample
from tensorkit.dispatch.signatures import of_function, refusal, type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.iterator import (
    MANY_PLANS,
    NUMBERS,
    Pointwise,
    Settled,
    apply,
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
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise, strided_2d, ufuncs
from tensorkit.kernels.cpu.strided_2d import APART, Plane
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, attach, fresh, fresh_strided

__all__ = ["binary", "fast_unary", "samples_of_one", "unary"]

_Entry = tuple[Any, dtype]
# And the numbers for which the ufunc alone is right, and arrays of those that it was given.
_NumberEntry = tuple[Any, dtype, float, float, dict[Any, Any] | None]


# -- the fast path ------------------------------------------------------------------------------------------------


def _whole_range(kind: dtype) -> tuple[int, int]:
    """The Python integers that need no wrapping around beside a tensor of this dtype."""
    if kind.category > 1:
        return -(2**63), 2**63 - 1
    info = numpy.iinfo(kind.numpy)
    return int(info.min), int(info.max)


def _fast_entries(block: Pointwise) -> tuple[dict[dtype, _Entry], dict[tuple[dtype, type], _NumberEntry]]:
    """Where the ufunc alone gives PyTorch's result: by dtype for tensors, by dtype and type for one with a number."""
    same: dict[dtype, _Entry] = {}
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


def _loops(block: Pointwise) -> dict[dtype, Plane]:
    """For each dtype the loop over matrices whose rows lie apart, where there is one."""
    loop = APART.get(block.numpy)
    return {} if loop is None else {kind: loop for kind in dtypes.ALL if kind.numpy.char in loop.signatures}


def _fast_binary(
    block: Pointwise, rule: Any, second: str, numbers: bool
) -> Callable[[Tensor, Any], Tensor | None]:
    same, number = _fast_entries(block)
    number = number if numbers else {}
    if block.numpy.__class__ is not numpy.ufunc:
        same = _of_arrays(block)
    run, ndarray, new, many = elementwise.quiet_here, numpy.ndarray, object.__new__, elementwise.MANY
    aside = _beside(block, same, number, _PLAIN if numbers else _PLAIN[:1])
    strided = bool(
        block.like_first
    )  # the result has its tensor's strides, even those of dimensions of size 1
    if block.alpha:
        same = same | {kind: (times_one[block.numpy], kind) for kind in dtypes.ALL if kind.is_complex}
    loops = _loops(block)

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

    of_tensors: Callable[[Tensor, Tensor, Any], None] | None = None
    of_number: Callable[[Tensor, Tensor, Any], None] | None = None

    def fast(a: Tensor, b: Any) -> Tensor | None:
        """The result when nothing has to be decided; None when `apply` must look."""
        nonlocal of_tensors, of_number
        x, base = a._array, a._base
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            return None
        if not a._solid and (x.size != 1 or strided):
            return aside(a, b)
        wants = a._autograd is not None or (base is not None and base._autograd is not None)
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                if y is None or a._dtype is not b._dtype:
                    return aside(a, b)
                if not (a._solid and b._solid) and (strided or x.shape != y.shape or x.size != 1):
                    return aside(a, b)
                base = b._base
                wants = wants or b._autograd is not None or (base is not None and base._autograd is not None)
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
        if wants and rule is not None:
            record = of_tensors if type(b) is Tensor else of_number
            if record is None:  # made when first needed: `autograd` is loaded after this file
                record = recording.pair_recorder(rule, second, a, b)
                if type(b) is Tensor:
                    of_tensors = record
                else:
                    of_number = record
            record(out, a, b)
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

_PLAIN = (Tensor, float, int, bool)


def _beside(
    block: Pointwise,
    same: dict[dtype, _Entry],
    number: dict[tuple[dtype, type], _NumberEntry],
    kinds: tuple[type, ...],
) -> Callable[[Tensor, Any], Tensor | None]:
    """What the fast path of a block is not for, but a short one may be: other strides, two dtypes."""
    ways: dict[Any, Any] = {}  # `Settled`, or None
    run, function, loops = elementwise.quiet_here, block.numpy, _loops(block)
    apart = getattr(function, "apart", None)  # finds the loop that does the same beside a number

    def with_number(a: Tensor, b: Any) -> Tensor | None:
        """The same of a tensor and a number."""
        x, own, entry = a._array, a._layout, number.get((a._dtype, type(b)))
        if x is None or own is None or entry is None or b < entry[2] or b > entry[3]:
            return None
        key = (a._dtype, own.size, own.stride, type(b))
        way = ways.get(key, _UNSEEN)
        if way is _UNSEEN:
            way = _settle(ways, key, block, (a, b), same)
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
        # `wants_grad`, written out: the calls would be a tenth of the whole.
        base = a._base
        if a._autograd is not None or (base is not None and base._autograd is not None):
            return None
        if type(b) is Tensor:
            base = b._base
            if b._autograd is not None or (base is not None and base._autograd is not None):
                return None
        elif type(b) not in kinds:
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
        way = ways.get(key, _UNSEEN)
        if way is _UNSEEN:
            way = _settle(ways, key, block, (a, b), same)
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


def _settle(
    ways: dict[Any, Any],
    key: Any,
    block: Pointwise,
    operands: tuple[Any, ...],
    same: dict[dtype, _Entry],
) -> Settled | None:
    """How the block is run on operands like these, kept for the next: on those that the function alone is right for."""
    if len(ways) >= MANY_PLANS:
        ways.clear()
    way = ways[key] = settled(block, operands) if operands[0]._dtype in same else None
    return way


_UNSEEN: Any = object()


def _fast_inplace(block: Pointwise, numbers: bool = True) -> Callable[[Tensor, Any], bool]:
    same, number = (
        _fast_entries(block) if block.result == "same" and block.numpy.__class__ is numpy.ufunc else ({}, {})
    )
    number = number if numbers else {}
    run, many = elementwise.quiet_here, elementwise.MANY
    kinds = _PLAIN if numbers else _PLAIN[:1]
    ways: dict[Any, Any] = {}  # `Settled`, or None
    loops = _loops(block)

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
        way = ways.get(key, _UNSEEN)
        if way is _UNSEEN:
            way = _settle(ways, key, block, (a, b), same)
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
            base = b._base
            if b._autograd is not None or (base is not None and base._autograd is not None):
                return False
            if alike(a, b):
                return True
        elif type(b) not in kinds:
            return False
        return plain(block, (a, b), True) is not None

    def fast(a: Tensor, b: Any) -> bool:
        """Whether the write was plain enough to be done here."""
        x, base = a._array, a._base
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None or a._autograd is not None:
            return False
        if base is not None and base._autograd is not None:
            return False
        if not a._solid and (x.size != 1 or a._bits):
            return aside(a, b)
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                base = b._base
                if b._autograd is not None or (base is not None and base._autograd is not None):
                    return False
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


def _fast_out(block: Pointwise) -> Callable[[Tensor, Tensor, Any], bool]:
    same = _fast_entries(block)[0] if block.numpy.__class__ is numpy.ufunc else {}
    run, loops = elementwise.quiet_here, _loops(block)

    def fast(a: Tensor, b: Any, out: Any) -> bool:
        """Whether ``out=`` was plain enough to be written here: three tensors that share no memory."""
        if type(a) is not Tensor or type(b) is not Tensor or type(out) is not Tensor:
            return False
        if wants_grad(a) or wants_grad(b) or wants_grad(out):
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


def _fast_scaled(block: Pointwise, a: Any, b: Any, alpha: Any) -> Tensor | None:
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
    if wants_grad(a) or wants_grad(b):
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


_LARGEST = float(numpy.finfo(numpy.float32).max)


def _of_arrays(block: Pointwise) -> dict[dtype, _Entry]:
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


def fast_unary(block: Pointwise) -> Callable[[Tensor], Tensor | None]:
    same = _fast_entries(block)[0] if block.numpy.__class__ is numpy.ufunc else _of_arrays(block)
    run, ndarray, new, many = elementwise.quiet_here, numpy.ndarray, object.__new__, elementwise.MANY
    strided = bool(block.like_first)  # see `_fast_binary`
    ways: dict[Any, Any] = {}  # `Settled`, or None
    #: Of layouts that fill a block of memory, as transposed ones do: the function, and where its result lies.
    dense: dict[Any, tuple[Any, dtype, Layout, tuple[int, ...]]] = {}
    loops = _loops(block)

    def aside(a: Tensor, x: Any) -> Tensor | None:
        """The same of an array that is not row-major."""
        own = a._layout
        if own is None:
            return plain(block, (a,))
        key = (a._dtype, own.size, own.stride)
        way = ways.get(key, _UNSEEN)
        if way is _UNSEEN:
            way = _settle(ways, key, block, (a,), same)
        if way is None:
            return plain(block, (a,))
        if way.plane and a._dtype in loops:
            out = lying(loops[a._dtype], way, (x,))
            if out is not None:
                return out
        try:
            made = run(block.numpy, x.copy("K") if way.packed else x)
        except RuntimeError:
            return None  # another thread is inside
        out = as_settled(made, way)
        if out is None:
            return plain(block, (a,))
        if not way.packed and not way.row_major and x.size < many:
            if len(dense) >= MANY_PLANS:
                dense.clear()
            dense[key] = (same[a._dtype][0], way.kind, way.layout, way.steps)
        return out

    def fast(a: Tensor) -> Tensor | None:
        """The result when nothing has to be decided, gradients apart; None when `apply` must look."""
        x = a._array
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            return None
        layout: Layout | None = None
        try:
            if a._solid or (x.size == 1 and not strided):
                ufunc, kind = same[a._dtype]
                array = run(ufunc, x) if x.size < many else elementwise.mapped(ufunc, (x,), kind.numpy)
            else:
                own = a._layout
                found = None if own is None else dense.get((a._dtype, own.size, own.stride))
                if found is None:
                    return aside(a, x)
                ufunc, kind, layout, steps = found
                array = run(ufunc, x)
                if array.__class__ is not ndarray or array.strides != steps or array.base is not None:
                    return aside(a, x)
        except (KeyError, RuntimeError):
            return None  # an unusual dtype, or another thread inside
        # `fresh`, written out: the call would be a tenth of the whole.
        out = new(Tensor)
        out._array = array if type(array) is ndarray else numpy.asarray(array)
        out._solid = layout is None
        out._layout = layout
        out._storage = None
        out._dtype = kind
        out._device = CPU
        out._counter = None
        out._base = None
        out._autograd = None
        return out

    return fast


def _quick_method(
    name: str, fast: Callable[[Tensor], Tensor | None], body: Callable[[Tensor], Tensor]
) -> Callable[..., Tensor]:
    """`traced_method` of an operation of one tensor, and before it the way that needs no other call."""
    long = traced_method(name, body)

    @functools.wraps(long)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not args and not kwargs and not tracing.active and self._autograd is None:
            base = self._base
            if base is None or base._autograd is None:
                out = fast(self)
                if out is not None:
                    return out
        return long(self, *args, **kwargs)  # type: ignore[no-any-return]

    return method


# -- the long way in ----------------------------------------------------------------------------------------------


#: What takes a number before a tensor, but then no ``out=``; and the forms that they are listed with.
_NO_NUMBER_OUT = frozenset((
    "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "remainder",
))  # fmt: skip
_NO_NUMBER_FORMS = (
    ("Tensor input, Tensor other", ", *, Tensor out = None"),
    ("Number self, Tensor other", ""),
    ("Tensor input, Number other", ", *, Tensor out = None"),
)


class _Caller:
    """One spelling's way into `apply`: a wrong call gets PyTorch's sentence, a listener gets its event."""

    def __init__(
        self,
        block: Pointwise,
        name: str,
        second: str,
        numbers: bool,
        inplace: bool,
        rule: Any = None,
        first: str = "any",
    ) -> None:
        self.block, self.name, self.second, self.rule = block, name, second, rule
        self.accepted: tuple[type, ...] = (Tensor, *NUMBERS) if numbers else (Tensor,)
        self.inplace = inplace
        self.first = first
        self.signature = _signature(block, second, bare=inplace)
        self.method_signature = _signature(block, second, bare=True)

    def run(self, input: Any, other: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
        __tracebackhide__ = True
        scale = alpha if self.block.alpha else None
        if out is not None and (refused := out_refused(self.name, (input, other), out)) is not None:
            raise refused

        def body() -> Tensor:
            __tracebackhide__ = True
            return apply(self.block, (input, other), alpha=scale, out=out, inplace=self.inplace)

        if wants_grad(input) or wants_grad(other):
            arguments = {"input": input, self.second: other, "alpha": alpha, "out": out}
            return self._recorded(arguments, body)
        return body()

    def _recorded(self, arguments: dict[str, Any], body: Callable[[], Tensor]) -> Tensor:
        __tracebackhide__ = True
        return recorded_call(  # type: ignore[no-any-return]
            self.rule, self.name, arguments, body, "inplace" if self.inplace else "pointwise"
        )

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool) -> Tensor:
        __tracebackhide__ = True
        # A right call of the usual form is not looked at twice: to explain a wrong one takes time.
        if len(args) != 2 or (kwargs and not self._usual(kwargs, method)):
            args, kwargs = self._todays(args, kwargs, method)
            shown = self.method_signature if method else self.signature
            sentence = explain(self.name, shown, args, kwargs, method=method)
            if sentence is not None:
                raise self._unmatched(args[method:], kwargs) if self._listed() else TypeError(sentence)
        given = dict(zip(("input", self.second), args, strict=False)) | kwargs
        input, other = given.pop("input"), given.pop(self.second)
        self._check(input, other, args[method:], kwargs, method)
        if not isinstance(input, Tensor) and not isinstance(other, Tensor):
            input = fresh(numpy.array(input), dtypes.of_number(input))
        if tracing.active:
            return call_traced(self.name, self.run, (input, other), given)  # type: ignore[no-any-return]
        return self.run(input, other, **given)

    def _usual(self, kwargs: dict[str, Any], method: bool) -> bool:
        """Whether there are only ``out=`` and ``alpha=`` where they may stand, of the types that they must have."""
        for key, value in kwargs.items():
            if key == "out":
                if method or self.inplace or not isinstance(value, Tensor):
                    return False
            elif key != "alpha" or not self.block.alpha or not isinstance(value, NUMBERS):
                return False
        return True

    def _todays(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call as it is written today: `alpha` used to stand second, and NumPy calls the operands otherwise."""
        if (
            self.block.alpha
            and len(args) == 3
            and isinstance(args[1], NUMBERS)
            and isinstance(args[2], (Tensor, *NUMBERS))
        ):
            first, last = ("", "") if method else ("Tensor input, ", ", Tensor out = None")
            warn(
                f"This overload of {self.name} is deprecated:\n"
                f"\t{self.name}({first}Number alpha, Tensor other{last and ', *' + last})\n"
                "Consider using one of the following signatures instead:\n"
                f"\t{self.name}({first}Tensor other, *, Number alpha = 1{last})"
            )
            return (args[0], args[2]), {"alpha": args[1], **kwargs}
        meant = {"x1": "input", "x2": self.second, "x": "input", "a": "input"}
        return args, {meant.get(key, key): value for key, value in kwargs.items()}

    def _check(self, input: Any, other: Any, args: tuple[Any, ...], kwargs: Any, method: bool) -> None:
        first = isinstance(input, Tensor) or (
            isinstance(input, NUMBERS)
            and (self.first == "any" or (self.first == "mixed" and isinstance(other, Tensor)))
        )
        if first and isinstance(other, self.accepted):
            if kwargs and self.name in _NO_NUMBER_OUT and not isinstance(input, Tensor) and "out" in kwargs:
                forms = map("".join, _NO_NUMBER_FORMS)
                raise unmatched(self.name, args, kwargs, forms)
            return
        if self.block.overloaded:
            raise self._unmatched(args, kwargs)
        label, value, position = self.second, other, 1 if method else 2
        if not first:
            label, value, position = "input", input, 1
        where = f" (position {position})" if label not in kwargs else ""
        raise TypeError(f"{self.name}(): argument '{label}'{where} must be Tensor, not {type_name(value)}")

    def _listed(self) -> bool:
        """Whether PyTorch lists the forms of tensors and numbers, and nobody has said what else it does."""
        return self.block.overloaded and of_function(self.name) is None

    def _unmatched(self, args: tuple[Any, ...], kwargs: Any) -> TypeError:
        return unmatched(
            self.name, args, kwargs, (f"Tensor input, {kind} {self.second}" for kind in ("Tensor", "Number"))
        )


_BARE: dict[str, Callable[..., Any]] = {
    "other": lambda input, other: None,
    "exponent": lambda input, exponent: None,
    "values": lambda input, values: None,
}
_WITH_OUT: dict[str, Callable[..., Any]] = {
    "other": lambda input, other, *, out=None: None,
    "exponent": lambda input, exponent, *, out=None: None,
    "values": lambda input, values, *, out=None: None,
}


for _taking in _WITH_OUT.values():
    _taking.__annotations__["out"] = "Tensor | None"


def _signature(block: Pointwise, second: str, *, bare: bool) -> Callable[..., Any]:
    """A function with the operation's parameters, for `inspect` and for the errors of a wrong call."""
    if block.alpha:
        if bare:
            return lambda input, other, *, alpha=1: None
        return lambda input, other, *, alpha=1, out=None: None
    return (_BARE if bare else _WITH_OUT)[second]


# -- two operands -------------------------------------------------------------------------------------------------


def binary(
    block: Pointwise,
    *,
    doc: str,
    samples: Iterable[Sample],
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Any = None,
    rounded: float = 0,
    inplace_derivative: Any = None,
    inplace: bool = True,
    second: str = "other",
    numbers: bool = True,
    first: str = "any",
    method: bool = True,
    namespace: str = "",
) -> Callable[..., Tensor]:
    """Build every spelling of a two-operand operation and register it; returns the function.

    Args:
        operators: the Python operators it serves: ``"__add__"``, reflected ``"__radd__"``, in-place ``"__iadd__"``.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        inplace: whether to derive ``name_``.
        second: the keyword of the second operand: ``"other"``, ``"exponent"`` or ``"values"``.
        numbers: whether the second operand may be a number.
        first: ``"tensor"`` when the first operand must be one, ``"mixed"`` when it may be a number beside a tensor,
            ``"any"`` when both may be numbers.
        method: whether tensors have it as a method.
        namespace: ``"special"`` for ``tensorkit.special.name``: a function and nothing else. The block is then called
            ``special_name``, and the namespace's module imports it by hand.
    """
    method, inplace = method and not namespace, inplace and not namespace
    fast, into, caller = (
        _fast_binary(block, derivative, second, numbers),
        _fast_out(block),
        _Caller(block, block.name, second, numbers, inplace=False, rule=derivative, first=first),
    )

    def function(*args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not kwargs and len(args) == 2 and type(args[0]) is Tensor and not tracing.active:
            result = fast(args[0], args[1])
            if result is not None:
                return result
        elif len(kwargs) == 1 and len(args) == 2 and not tracing.active:
            out = kwargs.get("out")
            if out is not None:
                if into(args[0], args[1], out):
                    return out  # type: ignore[no-any-return]
            elif "alpha" in kwargs:
                result = _fast_scaled(block, args[0], args[1], kwargs["alpha"])
                if result is not None:
                    return result
        return caller(args, kwargs, method=False)

    def bound(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not kwargs and len(args) == 1 and not tracing.active:
            result = fast(self, args[0])
            if result is not None:
                return result
        elif len(kwargs) == 1 and len(args) == 1 and "alpha" in kwargs and not tracing.active:
            result = _fast_scaled(block, self, args[0], kwargs["alpha"])
            if result is not None:
                return result
        return caller((self, *args), kwargs, method=True)

    function.__wrapped__ = caller.signature  # type: ignore[attr-defined]
    bound.__wrapped__ = caller.method_signature  # type: ignore[attr-defined]
    names = (block.name, *aliases)
    bound.__name__, bound.__doc__ = block.name, doc
    methods = names if method else ()
    for spelling in methods:
        attach(spelling, respelled(bound, block.name, spelling, method=True))
    written = inplace_derivative or derivative
    changed = _attach_inplace(block, names, second, written, numbers) if inplace else ()
    for operator in operators:
        attach(operator, _operator(block, operator, fast, caller, written))
    functions = _within(namespace, names)
    _finish(block, function, samples, doc, functions, (*methods, *changed, *operators), derivative, rounded)
    return function


def _within(namespace: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The spellings of a function after ``tensorkit.``, from names that begin with that of the namespace."""
    return tuple(f"{namespace}.{name.removeprefix(namespace + '_')}" if namespace else name for name in names)


def _attach_inplace(
    block: Pointwise, names: tuple[str, ...], second: str, rule: Any, numbers: bool
) -> tuple[str, ...]:
    name = block.name + "_"
    fast = _fast_inplace(block, numbers)
    caller = _Caller(block, name, second, numbers, inplace=True, rule=rule)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not kwargs and len(args) == 1 and not tracing.active and fast(self, args[0]):
            return self
        return caller((self, *args), kwargs, method=True)

    method.__wrapped__ = caller.signature  # type: ignore[attr-defined]
    method.__name__ = name
    method.__doc__ = f"In-place form of ``{block.name}``: the result is written into this tensor."
    changed = tuple(spelling + "_" for spelling in names)
    for spelling in changed:
        attach(spelling, respelled(method, name, spelling, method=True))
    return changed


def _operator(
    block: Pointwise, name: str, fast: Callable[[Tensor, Any], Tensor | None], caller: _Caller, written: Any
) -> Callable[..., Any]:
    """A Python operator: what it does not know it leaves to the other operand (`NotImplemented`)."""
    if name.startswith("__i"):
        return _inplace_operator(block, caller.second, written)

    equality, turned = name == "__eq__", block.name in ("add", "mul")

    def forward(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if not tracing.active:
            result = fast(self, other)
            if result is not None:
                return result
        if equality and isinstance(other, numpy.ndarray):
            other = _borrowed(other)
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        return caller((self, other), {}, method=True)

    def power(self: Tensor, exponent: Any, modulo: Any = None) -> Any:
        __tracebackhide__ = True
        return forward(self, exponent) if modulo is None else NotImplemented

    def reflected(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if not tracing.active and type(other) in _PLAIN:
            if turned:
                result = fast(self, other)
            else:
                recorded = wants_grad(self) or (type(other) is Tensor and wants_grad(other))
                result = None if recorded else plain(block, (other, self))
            if result is not None:
                return result
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        if turned:
            return caller((self, other), {}, method=False)
        return caller((other, self), {}, method=False)

    if name == "__pow__":
        power.__wrapped__ = forward  # type: ignore[attr-defined]
        return power
    return reflected if name.startswith("__r") and name != "__rshift__" else forward


def _borrowed(array: Any) -> Any:
    """A NumPy array as a tensor; itself where its elements are nothing that a tensor holds."""
    try:
        return registry["from_numpy"].function(array)  # type: ignore[misc]
    except TypeError:
        return array


def _inplace_operator(block: Pointwise, second: str, rule: Any) -> Callable[..., Any]:
    fast, caller = (
        _fast_inplace(block),
        _Caller(block, block.name + "_", second, True, inplace=True, rule=rule),
    )

    def operator(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if not tracing.active and fast(self, other):
            return self
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        return caller((self, other), {}, method=True)

    return operator


# -- one operand --------------------------------------------------------------------------------------------------


def samples_of_one(
    name: str, *more: str, inplace: bool = True, out: bool = True, special: str = ""
) -> tuple[Sample, ...]:
    """The calls that every operation of one tensor is tried with, and `more` of its own on a tensor ``a``.

    Args:
        special: what it is called in ``tensorkit.special`` besides.
    """
    calls = [f"tk.{name}(a)", f"a.{name}()", f"a.{name}(1)"]
    if special:
        calls += [f"tk.special.{special}(a)", f"tk.special.{special}(a, 1)"]
    elif "." in name:  # a function of a namespace, which tensors do not have
        calls, inplace = [f"tk.{name}(a)", f"tk.{name}(a, 1)"], False
    if inplace:
        calls.append(f"a.{name}_()")
    if out:  # of the functions of a namespace, PyTorch rounds 16-bit numbers more than once, which float32 would show
        kinds = ("a.dtype", "tk.int64") if "." in name else ("tk.float32", "tk.complex64")
        calls += [f"tk.{name}(a, out=tk.empty(0, dtype={kind}))" for kind in kinds]
    return (sample(f"tk.{name}(2)"), *(sample(call, a=(2, 3)) for call in (*calls, *more)))


def unary(
    block: Pointwise,
    *,
    doc: str,
    samples: Iterable[Sample],
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Any = None,
    inplace_derivative: Any = None,
    rounded: float = 0,
    inplace: bool = True,
    out: bool = True,
    out_check: Callable[[Tensor, Tensor], None] | None = None,
    namespace: str = "",
) -> Callable[..., Tensor]:
    """Build every spelling of a one-operand operation and register it; returns the function.

    Args:
        operators: the Python operators it serves, such as ``"__neg__"``.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        inplace: whether to derive ``name_``.
        out: whether the function takes ``out=``.
        out_check: refuses such a tensor with PyTorch's sentence; it is given the operand too.
        namespace: ``"special"`` for ``tensorkit.special.name``: a function and nothing else. The block is then called
            ``special_name``, and the namespace's module imports it by hand.
    """
    name, fast, rewritten = block.name, fast_unary(block), inplace_derivative or derivative

    def plain(input: Tensor) -> Tensor:
        __tracebackhide__ = True
        result = fast(input)
        return apply(block, (input,)) if result is None else result

    alone = differentiable(plain, derivative, name, "pointwise")

    def written(input: Tensor, *, out: Tensor) -> Tensor:
        __tracebackhide__ = True

        def body() -> Tensor:
            if out_check is not None:
                out_check(input, out)
            return apply(block, (input,), out=out)

        return recorded_call(  # type: ignore[no-any-return]
            derivative, name, {"input": input, "out": out}, body, "pointwise"
        )

    ufuncs = _fast_entries(block)[0]
    if block.inplace_check is not None:  # it refuses complex numbers
        ufuncs = {kind: entry for kind, entry in ufuncs.items() if not kind.is_complex}
    run, many = elementwise.quiet_here, elementwise.MANY

    def changing(input: Tensor) -> Tensor:
        array = input._array
        if array is not None and input._solid and input._autograd is None and input._base is None:
            found = ufuncs.get(input._dtype)
            if found is not None and found[1] is input._dtype and array.size < many:
                try:
                    array[...] = run(found[0], array)
                except RuntimeError:
                    pass  # another thread is inside: the long way
                else:
                    input._bump()
                    return input
        if wants_grad(input):
            return recorded_call(  # type: ignore[no-any-return]
                rewritten, name, {"input": input}, lambda: apply(block, (input,), inplace=True), "inplace"
            )
        return apply(block, (input,), inplace=True)

    alone.__name__, alone.__doc__ = name, doc
    changing.__name__ = name + "_"
    changing.__doc__ = f"In-place form of ``{name}``: the result is written into this tensor."
    names = (name, *aliases)
    methods = () if namespace else names
    changed = tuple(n + "_" for n in methods) if inplace else ()
    for spelling in methods:
        attach(spelling, respelled(_quick_method(name, fast, alone), name, spelling, method=True))
    for operator in operators:
        attach(operator, _quick_method(name, fast, alone))
    for spelling in changed:
        attach(spelling, respelled(traced_method(name + "_", changing), name + "_", spelling, method=True))
    function = _function_of_one(name, alone, written if out else None)
    functions = _within(namespace, names)
    _finish(block, function, samples, doc, functions, (*methods, *changed, *operators), derivative, rounded)
    return function


_ABSENT: Any = object()


def _shown(input: Tensor) -> Tensor: ...  # type: ignore[empty-body]
def _shown_with_out(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...  # type: ignore[empty-body]


def _function_of_one(
    name: str, alone: Callable[[Tensor], Tensor], written: Callable[..., Tensor] | None
) -> Callable[..., Tensor]:
    form = "(Tensor input)" if written is None else "(Tensor input, *, Tensor out = None)"

    def unusual(args: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
        """A call with keywords, or a wrong one; NumPy's names for the tensor are taken as PyTorch takes them."""
        __tracebackhide__ = True
        out = named.get("out")
        # A right call is not looked at twice: to explain a wrong one takes time.
        usual = len(args) == len(named) == 1 and isinstance(args[0], Tensor) and isinstance(out, Tensor)
        if not usual or written is None:
            if (sentence := refusal(name, (form,), args, named, unmatched)) is not None:
                raise TypeError(sentence)
            named.pop("out", None)
        input = args[0] if args else named.popitem()[1]
        if out is None or written is None:
            return call_traced(name, alone, (input,), {}) if tracing.active else alone(input)
        return (
            call_traced(name, written, (input,), {"out": out}) if tracing.active else written(input, out=out)
        )

    def function(input: Tensor = _ABSENT, /, *more: Any, **named: Any) -> Tensor:
        __tracebackhide__ = True
        if more or named or not isinstance(input, Tensor):
            return unusual((() if input is _ABSENT else (input,)) + more, named)
        return call_traced(name, alone, (input,), {}) if tracing.active else alone(input)

    shown = _shown if written is None else _shown_with_out
    function.__signature__ = later(lambda: inspect.signature(shown))  # type: ignore[attr-defined]
    return function


def _finish(
    block: Pointwise,
    function: Callable[..., Tensor],
    samples: Iterable[Sample],
    doc: str,
    functions: tuple[str, ...],
    methods: tuple[str, ...],
    derivative: Any,
    rounded: float,
) -> None:
    """Name the function after its block, in the module that wrote the block, and register it."""
    function.__name__ = function.__qualname__ = block.name
    function.__doc__ = doc
    function.__module__ = sys._getframe(2).f_globals["__name__"]
    register(
        Op(
            block.name,
            function,
            tuple(samples),
            "pointwise",
            functions=functions,
            methods=methods,
            derivative=derivative,
            scalar=block.scalar,
            rounded=rounded,
            extra={"block": block},
        )
    )
