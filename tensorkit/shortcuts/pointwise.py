"""Shortcuts of pointwise operations: tensors that lie alike, or one and a number, go straight to the loop.

They buy the rows "`a + b`", "`a + 1.0`", "`a.add_(b)`" and "`-a`" of the benchmarks. All others go by their plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch import recording
from tensorkit.dispatch.recording import tracked
from tensorkit.dispatch.registry import registry
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise, Shortcuts
from tensorkit.elementwise.device_plan import planned_into, planned_new
from tensorkit.elementwise.plan import plain, times_one
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.cpu.strided_2d import APART
from tensorkit.kernels.sizes import LARGE, UFUNC_LOOPS
from tensorkit.ops.pointwise.rounding import nearest
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor

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
    """Where a function of arrays other than a ufunc may be given a number: it keeps the dtype of its first operand."""
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
    """Where a function of arrays other than a ufunc may be called directly: it keeps the dtype of a floating number."""
    if block.like_first == "always":
        return {}
    most = 2 if block.result in ("real", "real float") else 3
    kinds = (kind for kind in dtypes.ALL if 2 <= kind.category <= most and kind not in block.lacks)
    return {
        kind: (
            block.real if kind.category == 2 else block.numpy,
            dtypes.bool if block.result == "bool" else kind,
        )
        for kind in kinds
        if not elementwise.is_half(kind) and not (block.check is not None and kind.is_complex)
    }


def fast_binary(
    block: Pointwise, rule: Any, second: str, numbers: bool
) -> Callable[[Tensor, Any], Tensor | None]:
    same, number = fast_entries(block)
    if block.numpy.__class__ is not numpy.ufunc:
        same = entries_of_arrays(block)
    ndarray, new, many = numpy.ndarray, object.__new__, LARGE
    kinds = PLAIN_NUMBERS if numbers else PLAIN_NUMBERS[:1]
    # Whether the result has its tensor's strides, even those of dimensions of size 1.
    apart = bool(block.like_first)
    if block.alpha:
        same = same | {kind: (times_one[block.numpy], kind) for kind in dtypes.ALL if kind.is_complex}
    loop = APART.get(block.numpy)
    notes: dict[type, Callable[[Tensor, Tensor, Any], None]] = {}

    def across(run: Any, ufunc: Any, x: Any, y: Any, kind: dtype) -> Any:
        """The result of two arrays of different shapes; None where a dimension has a size of 0 or 1."""
        several = x.size * y.size >= UFUNC_LOOPS and x.ndim == y.ndim == 2
        if several and loop is not None and x.dtype.char in loop.signatures:
            (m, n), (p, q) = x.shape, y.shape
            if (m == p or m == 1 or p == 1) and (n == q or n == 1 or q == 1):
                high, wide = m if p == 1 else p, n if q == 1 else q
                if high > 1 and wide > 1 and UFUNC_LOOPS <= high * wide < many:
                    made = numpy.empty((high, wide), kind.numpy)
                    if loop.into(made, x, y):
                        return made
        made = run(ufunc, x, y) if x.size * y.size < many else elementwise.mapped(ufunc, (x, y), kind.numpy)
        # Broadcast, such a dimension may have any stride, and PyTorch's result follows it.
        return made if min(made.shape) > 1 else None

    def fast(a: Tensor, b: Any, run: Any = elementwise.quiet_here) -> Tensor | None:
        """The result when nothing has to be decided; None when `apply` must look."""
        x, array, layout = a._array, None, None
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            taken = type(b) in kinds or isinstance(b, Tensor)
            return planned_new(block, (a, b)) if taken and not tracked((a, b)) else None
        try:
            rows = a._solid or (x.size == 1 and not apart)
            if not rows and (layout := _in_columns(a, x)) is None:
                pass
            elif isinstance(b, Tensor):
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                alike = y is not None and x.shape == y.shape
                if y is None or a._dtype is not b._dtype:
                    pass
                elif (a._solid and b._solid) or (alike and (y.flags.f_contiguous if layout else x.size == 1)):
                    ufunc, kind = same[a._dtype]
                    if not alike:
                        array = across(run, ufunc, x, y, kind)
                    elif x.size < many:
                        array = run(ufunc, x, y)
                    else:
                        array = elementwise.mapped(ufunc, (x, y), kind.numpy)
            elif numbers:
                ufunc, kind, low, high, known = number[a._dtype, type(b)]
                if not (b < low or b > high):
                    if 0 < x.size < many:
                        # Numbers are known by their value, which 0.0 and -0.0 share.
                        value = b if known is None or b == 0 else known.get(b)
                        array = run(ufunc, x, _as_known(known, b, x.dtype) if value is None else value)
                    elif x.size and ufunc.__class__ is numpy.ufunc:
                        array = elementwise.mapped(ufunc, (x, b), kind.numpy)
            if layout is not None and array is not None and not array.flags.f_contiguous:
                array = None
        except KeyError:
            pass  # an unusual pair of dtypes
        except (MemoryError, OverflowError, RuntimeError, ValueError):
            # Another thread is inside; or too many bytes, a number to wrap, sizes that do not fit: the long way.
            return None if run is elementwise.quiet else fast(a, b, elementwise.quiet)
        if array is None:
            if not (type(b) in kinds or isinstance(b, Tensor)) or (found := plain(block, (a, b))) is None:
                return None
            out = found
        else:
            # `fresh`, inlined: the call would take a tenth of the time.
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
        if rule is None or (
            a._autograd is a._base is None and (not isinstance(b, Tensor) or b._autograd is b._base is None)
        ):
            return out  # a question that spares most operands the other one
        if tracked((a, b)):
            note = notes.get(type(b))
            if note is None:  # made when first needed: `autograd` is loaded after this file
                note = notes[type(b)] = recording.pair_recorder(rule, block.name, second, a, b)
            note(out, a, b)
        return out

    return fast


def _in_columns(tensor: Tensor, array: Any) -> Layout | None:
    """The layout of few elements of a matrix that lie column by column: NumPy puts those of a result so, too."""
    own = tensor._layout
    if own is None or own.offset or array.ndim != 2 or not array.flags.f_contiguous or min(array.shape) < 2:
        return None
    return own if array.size < LARGE else None


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


def fast_into(
    block: Pointwise, numbers: bool = True, inplace: bool = False
) -> Callable[[Any, Any, Any], bool]:
    """What writes a result: into the first operand (`inplace`), or into what is given as ``out=``."""
    same, number = ({}, {}) if inplace and block.result != "same" else fast_entries(block)
    number = number if numbers and block.numpy.__class__ is numpy.ufunc else {}
    many = LARGE
    kinds = PLAIN_NUMBERS if numbers else PLAIN_NUMBERS[:1]

    def fast(a: Any, b: Any, out: Any, run: Any = elementwise.quiet_here) -> bool:
        """Whether the result could be written here, into `out`: tensors of any strides, which share no memory."""
        if not inplace and not type(a) is type(out) is Tensor:
            return False
        x, y, z = a._array, b, out._array
        if x is None and inplace and a._device is CPU:
            x = z = a._nd()
        if tracked((a, b) if inplace else (a, b, out)):
            return False
        if x is None or z is None:
            taken = type(b) in kinds or isinstance(b, Tensor)
            return x is z is None and taken and planned_into(block, (a, b), out)
        try:
            if isinstance(b, Tensor):
                y = b._array
                if y is None and b._device is CPU:
                    y = b._nd()
                fits = a._dtype is b._dtype and y is not None and (b is a or not _share(out, b))
                fits = fits and y.ndim <= x.ndim and (x.size < many or x.shape == y.shape)
                ufunc, kind = same[a._dtype]
            else:
                ufunc, kind, low, high, _ = number[a._dtype, type(b)]
                fits = not (b < low or b > high)
            fits = fits and kind is out._dtype and (out._solid or not (out._bits or 0 in z.strides))
            if fits and (inplace or not (x.shape != z.shape or kind.is_complex or _share(out, a))):
                if x.size >= many:
                    elementwise.pointwise(ufunc, (x, y), z)
                elif inplace and x.size == 1:  # NumPy takes three times as long to write one over itself
                    z[...] = run(ufunc, x, y)
                else:
                    run(ufunc, x, y, out=z)
                out._bump()
                return True
        except KeyError:
            pass  # an unusual pair of dtypes
        except (MemoryError, OverflowError, RuntimeError, ValueError):
            # Another thread is inside; or too many bytes, a number to wrap, sizes that do not fit: the long way.
            return run is not elementwise.quiet and fast(a, b, out, elementwise.quiet)
        return type(b) in kinds and plain(block, (a, b), inplace, None, None if inplace else out) is not None

    return fast


def _share(out: Tensor, operand: Tensor) -> bool:
    """Whether two tensors may have elements in common."""
    return operand is out or (out._storage is not None and out._storage is operand._storage)


def fast_unary(block: Pointwise) -> Callable[[Tensor], Tensor | None]:
    same = fast_entries(block)[0] if block.numpy.__class__ is numpy.ufunc else entries_of_arrays(block)
    ndarray, new, many = numpy.ndarray, object.__new__, LARGE
    apart = bool(block.like_first)  # see `fast_binary`

    def fast(a: Tensor, run: Any = elementwise.quiet_here) -> Tensor | None:
        """The result when nothing has to be decided, gradients apart; None when `apply` must look."""
        x = a._array
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            return planned_new(block, (a,))
        layout = None
        if not a._solid and (x.size != 1 or apart):
            layout = _in_columns(a, x)
            if layout is None:
                return plain(block, (a,))
        try:
            ufunc, kind = same[a._dtype]
            array = run(ufunc, x) if x.size < many else elementwise.mapped(ufunc, (x,), kind.numpy)
        except (KeyError, MemoryError):
            return None  # an unusual dtype, or too many bytes
        except RuntimeError:  # another thread is inside
            return None if run is elementwise.quiet else fast(a, elementwise.quiet)
        if layout is not None and (array.__class__ is not ndarray or not array.flags.f_contiguous):
            return plain(block, (a,))
        # `fresh`, inlined: the call would take a tenth of the time.
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


def changing_unary(
    block: Pointwise, new: Callable[[Tensor], Tensor | None]
) -> Callable[[Tensor], Tensor | None]:
    """What writes the result over few elements of a row-major tensor."""
    refusing, many = block.inplace_check is not None, LARGE  # complex numbers are refused

    def changing(input: Tensor) -> Tensor | None:
        array = input._array
        if array is None or not input._solid or array.size >= many or (refusing and input._dtype.is_complex):
            return None
        made = new(input)
        if made is None or made._dtype is not input._dtype:
            return None
        array[...] = made._array
        input._bump()
        return input

    return changing


def turned_binary(block: Pointwise) -> Callable[[Any, Tensor], Tensor | None]:
    """The result of a number and a tensor, by the plan of such operands."""

    def turned(number: Any, tensor: Tensor) -> Tensor | None:
        if type(number) not in PLAIN_NUMBERS or tracked((number, tensor)):
            return None
        return plain(block, (number, tensor))

    return turned


def slots() -> list[Shortcuts]:
    """The slots of all pointwise operations."""
    blocks = [op.extra["block"] for op in registry.values() if "block" in op.extra]
    return [block.shortcuts for block in (*blocks, nearest)]


def fill() -> None:
    """Give the blocks of all pointwise operations their shortcuts."""
    for operation in registry.values():
        if "block" not in operation.extra:
            continue
        block, second = operation.extra["block"], operation.extra["second"]
        shortcuts = block.shortcuts
        if second:
            numbers = operation.extra["numbers"]
            shortcuts.new = fast_binary(block, operation.derivative, second, numbers)
            shortcuts.into = fast_into(block, numbers)
            shortcuts.changing = fast_into(block, numbers, inplace=True)
            shortcuts.turned = turned_binary(block)
        else:
            shortcuts.new = fast_unary(block)
            shortcuts.changing = changing_unary(block, shortcuts.new)
    nearest.shortcuts.new = fast_unary(nearest)
