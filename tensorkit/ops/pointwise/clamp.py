"""Bounds: `clamp`, `clamp_min`, `clamp_max`."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import loops, tiny, ufuncs
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.kernels.sizes import IN_PYTHON
from tensorkit.number_range import check_number
from tensorkit.ops.pointwise.held_numbers import BOOL, COMPLEX, as_number, is_plain, number_as_held
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.tensor import Array, Tensor

# -- the fast path ------------------------------------------------------------------------------------------------


def _clip(low: Any, high: Any, a: Array) -> Any:
    if a.size <= IN_PYTHON and a.dtype.char in "fd" and type(low) is type(high) is float and low <= high:
        return tiny.clip(a, low, high)
    # NumPy gives the second of two equal numbers: -0 is within a bound of 0, and stays.
    if low is None:
        return numpy.minimum(high, a)
    result = numpy.maximum(low, a)
    if high is None:
        return result
    return (
        numpy.minimum(high, result, out=result)
        if type(result) is numpy.ndarray
        else numpy.minimum(high, result)
    )


def clipping(low: Any, high: Any) -> Any:
    """The function over arrays for two numbers, or None. It is remembered by their values, which 0 and -0 share."""
    if low and high:
        return _clipped(low, high)
    signs = [math.copysign(1.0, bound) if isinstance(bound, _ORDERED) else None for bound in (low, high)]
    return _clipped(low, high, *signs)


@functools.lru_cache(256, typed=True)
def _clipped(low: Any, high: Any, *signs: float | None) -> Any:
    bounds = (-numpy.inf if low is None else low, numpy.inf if high is None else high)
    held: dict[str, Any] = {}
    both: dict[str, Any] = {}  # for the ufunc, which takes no None
    if all(n is None or is_plain(n) for n in (low, high)):
        # NumPy takes longer to make an array of a number than to compare with it.
        held = {kind: tuple(n if n is None else numpy.array(n, kind) for n in (low, high)) for kind in "fd"}
        both = {kind: tuple(numpy.array(n, kind) for n in bounds) for kind in "fd"}

    def clipped(a: Array, *_: Any) -> Any:
        run = ufuncs.clip.of(a) if both else None
        if run is not None:
            least, most = both[a.dtype.char]
            return run(a, least, most)
        small, large = (low, high) if a.size <= IN_PYTHON else held.get(a.dtype.char, (low, high))
        return _clip(small, large, a)

    if any(n != n for n in bounds):  # a bound that is nan makes everything nan: NumPy's functions do
        return functools.partial(_clip, low, high)
    return CompiledFunction(loops.clip, clipped, extra=bounds)


_ORDERED = (int, float, numpy.number, numpy.bool_)
CLAMPED = Pointwise("clamp", None, None, kernel="clamp_scalar_cpu", lacks=(*LIMITED, BOOL), exact_out=True)


# -- bounds -------------------------------------------------------------------------------------------------------


_ABOUT_COMPLEX = "clamp is not supported for complex types"
_CLAMP_FORMS = (
    "(Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)",
    "(Tensor input, Number min = None, Number max = None, *, Tensor out = None)",
)


def _bounded(input: Tensor, min: Any, max: Any, out: Tensor | None) -> Tensor:
    """The tensor between two numbers; either may be None."""
    numbers = [bound for bound in (min, max) if bound is not None]
    kind = result_dtype(input, *numbers)
    if kind.is_complex:
        raise MissingKernelError(_ABOUT_COMPLEX)
    if out is IN_PLACE and not dtypes.can_cast(kind, input._dtype):
        raise RuntimeError(
            f"result type {kind.label} can't be cast to the desired output type {cpp_name(input._dtype)}"
        )
    for bound in numbers:
        check_number(bound, kind, narrow=True)
    low: Any = None if min is None else number_as_held(min, kind)
    high: Any = None if max is None else number_as_held(max, kind)
    place = "clamp_scalar" if len(numbers) == 2 else "clamp_max_scalar" if min is None else "clamp_min_scalar"

    body = clipping(low, high)
    scalar = scalars.CLAMP if len(numbers) == 2 else scalars.CLAMP_MAX if min is None else scalars.CLAMP_MIN
    block = Pointwise(
        "clamp",
        body,
        scalar,
        kernel=f"{place}_cpu",
        lacks=(*LIMITED, BOOL),
        exact_out=True,
        numbers=tuple(bound for bound in (low, high) if bound is not None),
    )
    return _converted(block, input, kind, out)


def _converted(block: Pointwise, input: Tensor, kind: dtype, out: Tensor | None) -> Tensor:
    """A one-operand operation that computes in a dtype which a number, not the tensor, may have decided."""
    if input._dtype is kind:
        return apply(block, (input,), out=out)
    zero = {1: 0, 2: 0.0, 3: 0j}[kind.category]  # a number that makes the tensor's dtype this one
    shell = dataclasses.replace(
        block,
        numpy=lambda a, zero: block.numpy(a),
        scalar=scalars.CONVERTED.get(block.scalar),
        numbers_apart=True,
    )
    return apply(shell, (input, zero), out=out)


def _between(input: Tensor, min: Any, max: Any, out: Tensor | None) -> Tensor:
    """The tensor between two tensors; either may be None."""
    if input._dtype.is_complex:
        raise MissingKernelError(_ABOUT_COMPLEX)
    if max is None:
        return _extreme("maximum", numpy.maximum, input, min, out)
    if min is None:
        return _extreme("minimum", numpy.minimum, input, max, out)
    block = Pointwise("clamp", numpy.clip, scalars.CLAMP_BETWEEN, lacks=(*LIMITED, *COMPLEX, BOOL))
    return apply(block, (input, min, max), out=out)


def _extreme(name: str, ufunc: Any, input: Tensor, bound: Tensor, out: Tensor | None) -> Tensor:
    scalar = scalars.MAXIMUM if name == "maximum" else scalars.MINIMUM
    return apply(Pointwise(name, ufunc, scalar, lacks=(*LIMITED, *COMPLEX)), (input, bound), out=out)


def _within(g: Any, c: Any) -> Any:
    """The gradient passes where the value did."""
    if c.min is not None:
        g = where(c.input.ge(c.min), g, 0)
    return g if c.max is None else where(c.input.le(c.max), g, 0)


def _to_min(g: Any, c: Any) -> Any:
    below = where(c.input.lt(c.min), g, 0)
    return below if c.max is None else where(c.min.lt(c.max), below, 0)


def _to_max(g: Any, c: Any) -> Any:
    above = where(c.input.gt(c.max), g, 0)
    return above if c.min is None else where(c.max.lt(c.min), g, above)


_BY_NUMBERS = Rule("ClampBackward1", input=_within)
_BY_TENSORS = Rule("ClampBackward0", numbers_count=True, input=_within, min=_to_min, max=_to_max)


def _recorded(body: Any, rule: Rule, name: str) -> tuple[Any, Any]:
    """The recorded operation, and its form that writes into the first operand."""

    def written(input: Tensor, min: Any, max: Any) -> Tensor:
        return body(input, min, max, IN_PLACE)  # type: ignore[no-any-return]

    return differentiable(body, rule, name, "pointwise"), differentiable(written, rule, name + "_", "inplace")


_CLAMPS = {False: _recorded(_bounded, _BY_NUMBERS, "clamp"), True: _recorded(_between, _BY_TENSORS, "clamp")}


def _called(forms: tuple[Any, Any], input: Tensor, bounds: tuple[Any, ...], out: Tensor | None) -> Tensor:
    recorded, written = forms
    return written(input, *bounds) if out is IN_PLACE else recorded(input, *bounds, out)  # type: ignore[no-any-return]


def _all_are(kinds: tuple[type, ...], *bounds: Any) -> bool:
    return all(bound is None or isinstance(bound, kinds) for bound in bounds)


@op(kind="pointwise", aliases=("clip",), inplace=True, out_overlap="before resizing")
@shortened("clamp")
@takes(
    *_CLAMP_FORMS,
    methods={"clip": ("(Tensor min = None, Tensor max = None)", "(Number min = None, Number max = None)")},
)
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Every element, or the bound that it is beyond.

    Args:
        min, max: the bounds: two numbers, or two tensors; one of them may be left out. Where `min` is above `max`,
            the result is `max`.

    Raises:
        RuntimeError: when there is no bound, or the dtype cannot hold it.

    >>> tk.clamp(tk.tensor([-1.5, 0.5, 2.5]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if not isinstance(input, Tensor):
        raise TypeError
    if min is None and max is None:
        raise RuntimeError("tensorkit.clamp: At least one of 'min' or 'max' must not be None")
    if _all_are((Tensor,), min, max):
        return _called(_CLAMPS[True], input, (min, max), out)
    min, max = (as_number(bound) for bound in (min, max))
    if not _all_are(NUMBERS, min, max):
        raise TypeError
    if input._dtype.category == 2 and not _all_are(_ORDERED, min, max):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return _called(_CLAMPS[False], input, (min, max), out)


def _one_sided(name: str, low: bool) -> dict[bool, tuple[Any, Any]]:
    """`clamp_min` or `clamp_max`: by a number (False) and by a tensor (True)."""
    ufunc, kernel = (numpy.maximum, "maximum") if low else (numpy.minimum, "minimum")

    def by_number(input: Tensor, min: Any, max: Any, out: Tensor | None = None) -> Tensor:
        return _bounded(input, min, max, out)

    def by_tensor(input: Tensor, min: Any, max: Any, out: Tensor | None = None) -> Tensor:
        return _extreme(kernel, ufunc, input, min if low else max, out)

    stem = f"Clamp{'Min' if low else 'Max'}Backward"
    bound: dict[str, Any] = {"min": _to_min} if low else {"max": _to_max}
    return {
        False: _recorded(by_number, Rule(stem + "0", input=_within), name),
        True: _recorded(by_tensor, Rule(stem + "1", input=_within, **bound), name),
    }


_MIN, _MAX = _one_sided("clamp_min", low=True), _one_sided("clamp_max", low=False)


@op(kind="pointwise", inplace=True, out_overlap="before resizing")
@shortened("clamp_min")
@takes("(Tensor input, Tensor min, *, Tensor out = None)", "(Tensor input, Number min, *, Tensor out = None)")
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """Every element, or `min` where it is below.

    >>> tk.clamp_min(tk.tensor([-1, 0, 2]), 0)
    tensor([0, 0, 2])
    """
    if not isinstance(input, Tensor) or not isinstance(min, (Tensor, *NUMBERS)):
        raise TypeError
    return _called(_MIN[isinstance(min, Tensor)], input, (min, None), out)


@op(kind="pointwise", inplace=True, out_overlap="before resizing")
@shortened("clamp_max")
@takes("(Tensor input, Tensor max, *, Tensor out = None)", "(Tensor input, Number max, *, Tensor out = None)")
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """Every element, or `max` where it is above.

    >>> tk.clamp_max(tk.tensor([-1, 0, 2]), 0)
    tensor([-1,  0,  0])
    """
    if not isinstance(input, Tensor) or not isinstance(max, (Tensor, *NUMBERS)):
        raise TypeError
    return _called(_MAX[isinstance(max, Tensor)], input, (None, max), out)
