"""Operations of three operands: products and quotients added, mixtures, bounds; and complex numbers from two parts."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import differentiable, wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.output import check_memory, empty_strided, prepare_out, seen_layout
from tensorkit.elementwise.plan import at_once, few_elements, holding, order_of_many, plain, plain_alike
from tensorkit.elementwise.promotion import check_devices, result_dtype
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import loops, strided_2d, tiny, ufuncs
from tensorkit.kernels.jit.rowwise import Swift
from tensorkit.number_range import check_number
from tensorkit.ops.pointwise.arithmetic import conjugated
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.output import iterator_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

__all__ = ["addcdiv", "addcmul", "clamp", "clamp_max", "clamp_min", "complex", "lerp", "polar"]

_BOOL: dtype = dtypes.bool
_COMPLEX = (dtypes.complex64, dtypes.complex128)
_WHOLE = tuple(kind for kind in dtypes.ALL if kind.category < 2)


def _number(value: Any, kind: dtype) -> Any:
    """A number as the dtype holds it; beside 16-bit numbers in float32.

    Raises:
        RuntimeError: when the dtype cannot hold it.
    """
    one = empty_strided((), (), dtypes.float32 if kernels.is_half(kind) else kind, CPU)
    write_number(one, value)
    return one._nd()[()]


# -- the fast path ------------------------------------------------------------------------------------------------

_SINGLE, _DOUBLE = _FAST = (dtypes.float32, dtypes.float64)
_SMALL = 1024  # elements
_SHORT = 8  # elements, which Python bounds sooner than NumPy begins to
_LARGEST = 2.0**63  # up to here a number is held by every dtype that is asked for, and an integer by 64 bits


_PLAIN = (float, int)


def _is_plain(number: Any) -> bool:
    return number.__class__ in _PLAIN and -_LARGEST <= number <= _LARGEST


def _fast(
    block: Pointwise, body: Any, tensors: tuple[Tensor, ...], numbers: tuple[Any, ...], out: Any = None
) -> Tensor | None:
    """The result of a function of arrays where nothing has to be decided; None where `apply` must look.

    That is for row-major tensors of one size and floating point dtype without a history, or other few elements, and
    numbers that they hold.
    """
    if out is None and body.__class__ is Swift and body.held is not None:
        found = at_once(body.held, tensors)
        if found is not None:
            return found
    kind = tensors[0]._dtype
    if kind is not _SINGLE and kind is not _DOUBLE:
        return None
    for number in numbers:
        # `_is_plain`, written out: the calls would be a tenth of the whole.
        if number is not None and not (number.__class__ in _PLAIN and -_LARGEST <= number <= _LARGEST):
            return None
    arrays: list[Any] = []
    shape: Any = None
    solid = True
    for tensor in tensors:
        if tensor._dtype is not kind or wants_grad(tensor):
            return None
        array = tensor._array
        if array is None or (not tensor._solid and array.size != 1):
            solid = False
        elif shape is None:
            shape = array.shape
        elif array.shape != shape:
            solid = False
        arrays.append(array)
    run = body.function if body.__class__ is Swift else body  # for the loop they are too few
    if not solid:
        if out is None and (order := order_of_many(arrays)):
            made = numpy.empty(arrays[0].shape, kind.numpy, order)
            kernels.pointwise(body, tuple(arrays), made)
            return fresh(made, kind) if order == "C" else fresh_strided(made, kind)
        if out is None:
            return plain_alike(block, tensors, arrays, run)
        return plain(block, tensors, True, run) if out is IN_PLACE else None
    if out is not None:
        quickly = out is IN_PLACE and arrays[0].size < kernels.MANY
        return _fast_inplace(run, tensors, arrays) if quickly else None
    if arrays[0].size >= kernels.MANY:
        return fresh(kernels.mapped(body, tuple(arrays), kind.numpy), kind)
    try:
        result = kernels.quiet_here(run, *arrays)
    except RuntimeError:
        return None  # another thread is inside
    return fresh(result if result.__class__ is numpy.ndarray else numpy.asarray(result, kind.numpy), kind)


def _fast_inplace(body: Any, tensors: tuple[Tensor, ...], arrays: list[Any]) -> Tensor | None:
    """The same, written into the first of the tensors, with which none of the others may share its memory."""
    first = tensors[0]
    storage = first._storage
    if storage is not None:
        for tensor in tensors:
            if tensor is not first and tensor._storage is storage:
                return None
    arrays[0][...] = kernels.quiet(body, *arrays)
    first._bump()
    return first


def _clip(low: Any, high: Any, a: Array) -> Any:
    if a.size <= _SHORT and a.dtype.char in "fd" and type(low) is type(high) is float and low <= high:
        return tiny.clip(a, low, high)
    # Of two equal numbers NumPy gives the second: -0 is within a bound of 0, and stays.
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


def _clipping(low: Any, high: Any) -> Any:
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
    if all(n is None or _is_plain(n) for n in (low, high)):
        # NumPy takes longer to make an array of a number than to compare with it.
        held = {kind: tuple(n if n is None else numpy.array(n, kind) for n in (low, high)) for kind in "fd"}
        both = {kind: tuple(numpy.array(n, kind) for n in bounds) for kind in "fd"}

    def clipped(a: Array, *_: Any) -> Any:
        run = ufuncs.clip.of(a) if both else None
        if run is not None:
            least, most = both[a.dtype.char]
            return run(a, least, most)
        small, large = (low, high) if a.size <= _SHORT else held.get(a.dtype.char, (low, high))
        return _clip(small, large, a)

    if held:
        clipped.held = holding(  # type: ignore[attr-defined]
            _CLIPPED, ufuncs.clip, both, strided_2d.clip, *bounds
        )
    if any(n != n for n in bounds):  # a bound that is nan makes everything nan: NumPy's functions do
        return functools.partial(_clip, low, high)
    return Swift(loops.clip, clipped, extra=bounds)


_BOUNDS = (float, int, type(None))
_ORDERED = (int, float, numpy.number, numpy.bool_)
_CLIPPED = Pointwise("clamp", None, None, kernel="clamp_scalar_cpu", lacks=(*LIMITED, _BOOL), exact_out=True)


# -- products and quotients added ---------------------------------------------------------------------------------


def _add_product(factor: Any, a: Array, b: Array, c: Array) -> Any:
    product: Any = b * c if factor == 1 else factor * b * c
    if a.size <= _SMALL:  # a new array is made sooner than an old one is written to
        return a + product
    if product.__class__ is numpy.ndarray and (
        product.shape == a.shape or product.shape == numpy.broadcast_shapes(a.shape, product.shape)
    ):
        return numpy.add(a, product, out=product)
    return a + product


def _add_quotient(factor: Any, a: Array, b: Array, c: Array) -> Any:
    quotient = (b if factor == 1 else factor * b) / c
    return a + quotient


def _no_whole_division(input: Tensor, tensor1: Tensor, tensor2: Tensor) -> None:
    if tensor1._dtype.category < 2 and tensor2._dtype.category < 2:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )


def _product_adder(factor: Any) -> Any:
    if not isinstance(factor, (int, float, numpy.floating)):
        return functools.partial(_add_product, factor)
    held = {kind: numpy.array(factor, kind) for kind in "fd"}

    def added(a: Array, b: Array, c: Array, _: Any = None) -> Any:
        if a.size < ufuncs.SOME and factor == 1:
            return a + b * c
        run = ufuncs.add_product.of(a)
        return _add_product(factor, a, b, c) if run is None else run(a, b, c, held[a.dtype.char])

    numbers = {kind: (number,) for kind, number in held.items()}
    added.held = holding(  # type: ignore[attr-defined]
        _ADDED["addcmul"], ufuncs.add_product, numbers, strided_2d.add_product, float(factor)
    )
    return Swift(loops.add_product, added, extra=(factor,))


_BODIES: dict[str, Any] = {
    "addcmul": _product_adder,
    "addcdiv": lambda factor: functools.partial(_add_quotient, factor),
}


@functools.lru_cache(512, typed=True)
def _adding(name: str, factor: Any) -> Any:
    """The function over arrays for a number of Python's that float32 holds; None for any other."""
    return _BODIES[name](factor) if _is_plain(factor) else None


_ADDED = {
    name: Pointwise(name, None, None, kernel=f"{name}_cpu_out", lacks=(*LIMITED, _BOOL)) for name in _BODIES
}


def _added(
    name: str, input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any, out: Tensor | None
) -> Tensor:
    if name == "addcdiv":
        _no_whole_division(input, tensor1, tensor2)
    operands = (input, tensor1, tensor2)
    try:
        factor = _number(value, result_dtype(*operands))
    except RuntimeError as refusal:
        if "Promotion" not in str(refusal):
            raise
        factor = 1  # refused again further down, after what PyTorch looks at first
    return apply(_ADDED[name], operands, out=out, by=_BODIES[name](factor))


def _adder(name: str, rule: Rule) -> tuple[Any, Any]:
    """The recorded operation, and its form that writes into the first operand."""

    def added(input: Any, tensor1: Any, tensor2: Any, value: Any, out: Tensor | None = None) -> Tensor:
        return _added(name, input, tensor1, tensor2, value, out)

    def written(input: Any, tensor1: Any, tensor2: Any, value: Any) -> Tensor:
        return _added(name, input, tensor1, tensor2, value, IN_PLACE)

    return differentiable(added, rule, name, "pointwise"), differentiable(
        written, rule, name + "_", "inplace"
    )


_ADDERS = {
    "addcmul": _adder(
        "addcmul",
        Rule(
            "AddcmulBackward0",
            input=lambda g, c: g,
            tensor1=lambda g, c: g * conjugated(c.tensor2 * c.value),
            tensor2=lambda g, c: g * conjugated(c.tensor1 * c.value),
        ),
    ),
    "addcdiv": _adder(
        "addcdiv",
        Rule(
            "AddcdivBackward0",
            input=lambda g, c: g,
            tensor1=lambda g, c: g * conjugated(c.value / c.tensor2),
            tensor2=lambda g, c: -g * conjugated(c.value * c.tensor1 / (c.tensor2 * c.tensor2)),
        ),
    ),
}


def _shown(body: Any) -> Any:
    """The signature of today: the factor used to stand second, and still may."""
    positional, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    tensors = [inspect.Parameter(n, positional, annotation="Tensor") for n in ("input", "tensor1", "tensor2")]
    value = inspect.Parameter("value", named, default=1, annotation="Any")
    out = inspect.Parameter("out", named, default=None, annotation="Tensor | None")
    body.__signature__ = inspect.Signature([*tensors, value, out], return_annotation="Tensor")
    return body


def _sum(name: str, input: Any, tensors: tuple[Any, ...], named: dict[str, Any], value: Any, out: Any) -> Any:
    if isinstance(value, Tensor):
        value = _plain(value)
    if len(tensors) == 2 and not named and isinstance(value, (int, float)):
        # Numbers are remembered by their value, which 0 and -0 share.
        run = _adding(name, value) if value else _adding.__wrapped__(name, value)
        if run is not None and tensors[0].__class__ is tensors[1].__class__ is input.__class__ is Tensor:
            quick = _fast(_ADDED[name], run, (input, *tensors), (), out)
            if quick is not None:
                return quick
    if len(tensors) + len(named) == 3 and tensors and isinstance(tensors[0], NUMBERS) and value == 1:
        value, *rest = tensors
        tensors = tuple(rest)
        spelled, first, last = (
            (f"{name}_", "", "") if out is IN_PLACE else (name, "Tensor input, ", ", *, Tensor out = None")
        )
        warn(
            f"This overload of {spelled} is deprecated:\n"
            f"\t{spelled}({first}Number value, Tensor tensor1, Tensor tensor2{last})\n"
            "Consider using one of the following signatures instead:\n"
            f"\t{spelled}({first}Tensor tensor1, Tensor tensor2, *, Number value = 1{last.removeprefix(', *')})"
        )
    operands = dict(zip(("tensor1", "tensor2"), tensors, strict=False)) | named
    if len(tensors) + len(named) != 2 or sorted(operands) != ["tensor1", "tensor2"]:
        raise TypeError
    if not isinstance(value, NUMBERS):
        raise TypeError(f"{name}(): argument 'value' must be Number, not {type(value).__name__}")
    if not all(isinstance(operand, Tensor) for operand in (input, *operands.values())):
        raise TypeError
    recorded, written = _ADDERS[name]
    if out is IN_PLACE:
        return written(input, **operands, value=value)
    return (
        recorded(input, **operands, value=value)
        if out is None
        else recorded(input, **operands, value=value, out=out)
    )


def _sum_samples(name: str) -> tuple[Any, ...]:
    three: dict[str, tuple[int, ...]] = {"a": (2, 3), "b": (2, 3), "c": (2, 3)}
    return (
        sample(f"tk.{name}(a, b, c)", **three),
        sample(f"tk.{name}(a, b, c, value=2)", a=(2, 1), b=(3,), c=()),
        sample(f"tk.{name}(a, b, c, value=0.5)", **three),
        sample(f"tk.{name}(a, tensor1=b, tensor2=b, value=2)", a=(2, 3), b=(2, 3)),
        sample(f"a.{name}(b, b)", a=(3,), b=(2, 3)),
        sample(f"a.{name}_(b, c, value=2)", **three),
        sample(f"tk.{name}(a, 2, b, c)", **three),
        sample(f"a.{name}_(2, b, c)", **three),
        sample(f"tk.{name}(a, b, c, out=tk.empty(0))", **three),
        sample(f"tk.{name}(a, b, b)", a=(2,), b=(3,)),
        sample(f"tk.{name}(a, a, 2)", a=(2,)),
        sample(f"tk.{name}(a, a, a, value='x')", a=(2,)),
    )


_PRODUCT = _adding("addcmul", 1).held


def _addcmul_at_once(input: Any = None, tensor1: Any = None, tensor2: Any = None, *more: Any) -> Any:
    if more or not input.__class__ is tensor1.__class__ is tensor2.__class__ is Tensor:
        return None
    return at_once(_PRODUCT, (input, tensor1, tensor2))


@op(samples=_sum_samples("addcmul"), kind="pointwise", inplace=True, rounded=1, first=_addcmul_at_once)
@_shown
def addcmul(input: Tensor, *tensors: Any, value: Any = 1, out: Tensor | None = None, **named: Any) -> Tensor:
    """Add a product: ``input + value * tensor1 * tensor2``, element by element.

    Args:
        input, tensor1, tensor2: tensors of sizes that broadcast together.
        value: a factor for the product. out: a tensor to write the result into.

    >>> import tensorkit as tk
    >>> tk.addcmul(tk.tensor([1.0, 2.0]), tk.tensor([3.0, 4.0]), tk.tensor([10.0, 10.0]), value=0.5)
    tensor([16., 22.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addcmul.html
    """
    return _sum("addcmul", input, tensors, named, value, out)  # type: ignore[no-any-return]


@op(samples=_sum_samples("addcdiv"), kind="pointwise", inplace=True, rounded=1)
@_shown
def addcdiv(input: Tensor, *tensors: Any, value: Any = 1, out: Tensor | None = None, **named: Any) -> Tensor:
    """Add a quotient: ``input + value * tensor1 / tensor2``, element by element.

    Raises:
        RuntimeError: when both `tensor1` and `tensor2` are integers.

    >>> import tensorkit as tk
    >>> tk.addcdiv(tk.tensor([1.0, 2.0]), tk.tensor([3.0, 4.0]), tk.tensor([2.0, 8.0]))
    tensor([2.5000, 2.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addcdiv.html
    """
    return _sum("addcdiv", input, tensors, named, value, out)  # type: ignore[no-any-return]


# -- mixtures -----------------------------------------------------------------------------------------------------


def _lerp(a: Array, b: Array, weight: Any) -> Any:
    """From the nearer end: then 0 gives the one end and 1 the other to the last bit."""
    gap = b - a
    near = numpy.abs(weight) < 0.5
    if not isinstance(weight, numpy.ndarray) or not weight.ndim:
        return a + weight * gap if near else b - gap * (1 - weight)
    return numpy.where(near, a + weight * gap, b - gap * (1 - weight))


def _mixing(weight: Any) -> Any:
    """`_lerp` with a number as the weight."""
    if numpy.iscomplexobj(weight) or numpy.ndim(weight):
        return lambda a, b: _lerp(a, b, weight)
    return Swift(loops.mix, lambda a, b, _: _lerp(a, b, weight), extra=(float(weight),))


@functools.lru_cache(256, typed=True)
def _mix(weight: Any, kind: dtype) -> Any:
    """`_lerp` with a plain number, for numbers of one dtype."""
    held = kind.numpy.type(weight)
    near = bool(abs(held) < 0.5)
    # NumPy takes longer to make an array of a number than to multiply.
    share = numpy.array(held if near else 1 - held, kind.numpy)
    whole = numpy.array(held)

    def mixed(a: Array, b: Array, _: Any = None) -> Any:
        run = ufuncs.mix.of(a)
        if run is not None:
            return run(a, b, whole)
        gap: Any = b - a
        if a.size <= _SMALL:  # a new array is made sooner than an old one is written to
            return a + gap * share if near else b - gap * share
        gap *= share
        return numpy.add(a, gap, out=gap) if near else numpy.subtract(b, gap, out=gap)

    mixed.held = holding(  # type: ignore[attr-defined]
        _MIXED, ufuncs.mix, {kind.numpy.char: (whole,)}, strided_2d.mix, share.item(), not near
    )
    return Swift(loops.mix, mixed, extra=(weight,))


_MIXED = Pointwise("lerp", None, None, kernel="lerp_kernel_scalar", lacks=_WHOLE)


def _check_mixed(input: Tensor, **others: Tensor) -> None:
    for name, other in others.items():
        if other._dtype is not input._dtype:
            raise RuntimeError(
                f"expected dtype {cpp_name(input._dtype)} for `{name}` but got dtype {cpp_name(other._dtype)}"
            )


def _lerp_weight(g: Any, c: Any) -> Any:
    return g * conjugated(c.end - c.input)


def _lerp_at_once(input: Any = None, end: Any = None, weight: Any = None, *more: Any) -> Any:
    if more or input.__class__ is not Tensor or end.__class__ is not Tensor:
        return None
    if not (weight.__class__ in _PLAIN and -_LARGEST <= weight <= _LARGEST and weight):
        return None  # numbers are remembered by their value, which 0 and -0 share
    return at_once(_mix(weight, input._dtype).held, (input, end)) if input._dtype in _FAST else None


@op(
    samples=(
        sample("tk.lerp(a, b, 0.25)", a=(2, 3), b=(2, 3)),
        sample("tk.lerp(a, b, 2)", a=(2, 1), b=(3,)),
        sample("tk.lerp(a, b, c)", a=(2, 3), b=(2, 3), c=(2, 3)),
        sample("tk.lerp(a, b, c)", a=(2, 3), b=(3,), c=()),
        sample("a.lerp(b, b)", a=(2, 3), b=(3,)),
        sample("a.lerp_(b, 0.75)", a=(2, 3), b=(2, 3)),
        sample("a.lerp_(end=b, weight=b)", a=(2, 3), b=(2, 3)),
        sample("tk.lerp(a, b, 0.5, out=tk.empty(0))", a=(2, 3), b=(2, 3)),
        sample("tk.lerp(a, b, b, out=tk.empty(0))", a=(2, 3), b=(2, 3)),
        sample("tk.lerp(a, b, 0.5)", a=(2,), b=(3,)),
        sample("tk.lerp(a, 2, 0.5)", a=(2,)),
        sample("tk.lerp(a, a, 'x')", a=(2,)),
        sample("tk.lerp(a, a, 1j)", a=(2,)),
    ),
    kind="pointwise",
    inplace=True,
    rounded=1,
    derivative=Rule(
        lambda call: f"LerpBackward{int(isinstance(call['weight'], Tensor))}",
        input=lambda g, c: g * conjugated(1 - c.weight),
        end=lambda g, c: g * conjugated(c.weight),
        weight=_lerp_weight,
    ),
    first=_lerp_at_once,
)
@takes(
    "(Tensor input, Tensor end, Tensor weight, *, Tensor out = None)",
    "(Tensor input, Tensor end, Number weight, *, Tensor out = None)",
)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """Mix two tensors: ``input + weight * (end - input)``, a straight line from one to the other.

    Args:
        weight: 0 gives `input`, 1 gives `end`: a number, or a tensor of the same dtype.

    Raises:
        RuntimeError: when the dtypes differ. NotImplementedError: for integers.

    >>> import tensorkit as tk
    >>> tk.lerp(tk.tensor([0.0, 10.0]), tk.tensor([4.0, 20.0]), 0.25)
    tensor([ 1.0000, 12.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.lerp.html
    """
    if not isinstance(input, Tensor) or not isinstance(end, Tensor):
        raise TypeError
    if not isinstance(weight, Tensor):
        if not isinstance(weight, NUMBERS):
            raise TypeError
        if _is_plain(weight) and input._dtype in _FAST and (out is None or out is IN_PLACE):
            mix = _mix if weight else _mix.__wrapped__  # they are remembered by value, which 0 and -0 share
            quick = _fast(_MIXED, mix(weight, input._dtype), (input, end), (), out)
            if quick is not None:
                return quick
        _check_mixed(input, end=end)
        factor = _number(weight, input._dtype) if input._dtype.category >= 2 else 0
        return apply(_MIXED, (input, end), out=out, by=_mixing(factor))
    _check_mixed(input, end=end) if not weight.dim() else _check_mixed(input, end=end, weight=weight)
    exact = bool(weight.dim())
    block = Pointwise("lerp", _lerp, None, kernel="lerp_kernel_tensor", lacks=_WHOLE, exact_out=exact)
    return apply(block, (input, end, weight), out=out)


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
    low: Any = None if min is None else _number(min, kind)
    high: Any = None if max is None else _number(max, kind)
    place = "clamp_scalar" if len(numbers) == 2 else "clamp_max_scalar" if min is None else "clamp_min_scalar"

    body = _clipping(low, high)
    block = Pointwise("clamp", body, None, kernel=f"{place}_cpu", lacks=(*LIMITED, _BOOL), exact_out=True)
    return _converted(block, input, kind, out)


def _converted(block: Pointwise, input: Tensor, kind: dtype, out: Tensor | None) -> Tensor:
    """A one-operand operation that computes in a dtype which a number, not the tensor, may have decided."""
    if input._dtype is kind:
        return apply(block, (input,), out=out)
    zero = {1: 0, 2: 0.0, 3: 0j}[kind.category]  # a number that makes the tensor's dtype this one
    shell = dataclasses.replace(block, numpy=lambda a, zero: block.numpy(a), numbers_apart=True)
    return apply(shell, (input, zero), out=out)


def _between(input: Tensor, min: Any, max: Any, out: Tensor | None) -> Tensor:
    """The tensor between two tensors; either may be None."""
    if input._dtype.is_complex:
        raise MissingKernelError(_ABOUT_COMPLEX)
    if max is None:
        return _extreme("maximum", numpy.maximum, input, min, out)
    if min is None:
        return _extreme("minimum", numpy.minimum, input, max, out)
    block = Pointwise("clamp", numpy.clip, None, lacks=(*LIMITED, *_COMPLEX, _BOOL))
    return apply(block, (input, min, max), out=out)


def _extreme(name: str, ufunc: Any, input: Tensor, bound: Tensor, out: Tensor | None) -> Tensor:
    return apply(Pointwise(name, ufunc, None, lacks=(*LIMITED, *_COMPLEX)), (input, bound), out=out)


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


def _plain(bound: Any) -> Any:
    """A tensor without dimensions counts as its number, beside a number."""
    return bound.item() if isinstance(bound, Tensor) and not bound.dim() and not wants_grad(bound) else bound


def _all_are(kinds: tuple[type, ...], *bounds: Any) -> bool:
    return all(bound is None or isinstance(bound, kinds) for bound in bounds)


def _clamp_at_once(input: Any = None, min: Any = None, max: Any = None, *more: Any) -> Any:
    if more or input.__class__ is not Tensor or min.__class__ not in _BOUNDS or max.__class__ not in _BOUNDS:
        return None
    held = None if min is max is None else getattr(_clipping(min, max), "held", None)
    return None if held is None else at_once(held, (input,))


@op(
    samples=(
        sample("tk.clamp(a, 1, 2)", a=(2, 3)),
        sample("tk.clamp(a, min=1.5)", a=(2, 3)),
        sample("tk.clip(a, max=2)", a=(2, 3)),
        sample("tk.clamp(a, -1, 2.5)", a=()),
        sample("tk.clamp(a, b, c)", a=(2, 3), b=(2, 3), c=(3,)),
        sample("tk.clamp(a, min=b)", a=(2, 3), b=(3,)),
        sample("tk.clamp(a, max=b)", a=(2, 1), b=(3,)),
        sample("a.clamp_(0, 3)", a=(2, 3)),
        sample("a.clip_(max=b)", a=(2, 3), b=(3,)),
        sample("a.clamp_(1.5)", a=(2, 3)),
        sample("a.clamp(b, max=c)", a=(2, 3), b=(2, 3), c=()),
        sample("tk.clamp(a, 5, 1)", a=(2, 3)),
        sample("tk.clamp(a, float('nan'), 1)", a=(3,)),
        sample("tk.clamp(a, 1, out=tk.empty(0))", a=(2, 3)),
        sample("tk.clamp(a)", a=(2,)),
        sample("tk.clamp(a, 1j)", a=(2,)),
        sample("tk.clamp(a, 300)", a=(2,)),
        sample("tk.clamp(a, a, 2)", a=(2,)),
        sample("tk.clamp(a, 'x')", a=(2,)),
    ),
    kind="pointwise",
    aliases=("clip",),
    inplace=True,
    first=_clamp_at_once,
)
@takes(*_CLAMP_FORMS)
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Every element, or the bound that it is beyond.

    Args:
        min, max: the bounds: two numbers, or two tensors; one of them may be left out. Where `min` is above `max`,
            the result is `max`.

    Raises:
        RuntimeError: when there is no bound, or the dtype cannot hold it.

    >>> import tensorkit as tk
    >>> tk.clamp(tk.tensor([-1.5, 0.5, 2.5]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """
    if not isinstance(input, Tensor):
        raise TypeError
    if min.__class__ in _BOUNDS and max.__class__ in _BOUNDS and (min is not None or max is not None):
        few_bounds = out is None and min is not None and max is not None and min <= max
        if few_bounds and input._base is None and not wants_grad(input):
            array = few_elements(input, _SHORT)
            if array is not None:
                return fresh(kernels.quiet(tiny.clip, array, min, max), input._dtype)
        result = _fast(_CLIPPED, _clipping(min, max), (input,), (min, max), out)
        if result is not None:
            return result
    if min is None and max is None:
        raise RuntimeError("tensorkit.clamp: At least one of 'min' or 'max' must not be None")
    if _all_are((Tensor,), min, max):
        return _called(_CLAMPS[True], input, (min, max), out)
    min, max = (_plain(bound) for bound in (min, max))
    if not _all_are(NUMBERS, min, max):
        raise TypeError
    if (result := _fast(_CLIPPED, _clipping(min, max), (input,), (min, max), out)) is not None:
        return result
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


def _side_samples(name: str, word: str) -> tuple[Any, ...]:
    return (
        sample(f"tk.{name}(a, 1)", a=(2, 3)),
        sample(f"tk.{name}(a, 1.5)", a=(2, 3)),
        sample(f"tk.{name}(a, b)", a=(2, 1), b=(3,)),
        sample(f"a.{name}({word}=b)", a=(2, 3), b=(3,)),
        sample(f"a.{name}_(2)", a=(2, 3)),
        sample(f"a.{name}_(b)", a=(2, 3), b=(2, 3)),
        sample(f"tk.{name}(a, b, out=tk.empty(0))", a=(2, 3), b=(3,)),
        sample(f"tk.{name}(a, None)", a=(2,)),
        sample(f"tk.{name}(a, 'x')", a=(2,)),
        sample(f"tk.{name}(a, b)", a=(2,), b=(3,)),
    )


@op(samples=_side_samples("clamp_min", "min"), kind="pointwise", inplace=True)
@takes("(Tensor input, Tensor min, *, Tensor out = None)", "(Tensor input, Number min, *, Tensor out = None)")
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """Every element, or `min` where it is below.

    >>> import tensorkit as tk
    >>> tk.clamp_min(tk.tensor([-1, 0, 2]), 0)
    tensor([0, 0, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """
    if not isinstance(input, Tensor) or not isinstance(min, (Tensor, *NUMBERS)):
        raise TypeError
    if min.__class__ in _BOUNDS:
        bounds = (min, None)
        if (result := _fast(_CLIPPED, _clipping(*bounds), (input,), bounds, out)) is not None:
            return result
    return _called(_MIN[isinstance(min, Tensor)], input, (min, None), out)


@op(samples=_side_samples("clamp_max", "max"), kind="pointwise", inplace=True)
@takes("(Tensor input, Tensor max, *, Tensor out = None)", "(Tensor input, Number max, *, Tensor out = None)")
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """Every element, or `max` where it is above.

    >>> import tensorkit as tk
    >>> tk.clamp_max(tk.tensor([-1, 0, 2]), 0)
    tensor([-1,  0,  0])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
    """
    if not isinstance(input, Tensor) or not isinstance(max, (Tensor, *NUMBERS)):
        raise TypeError
    if max.__class__ in _BOUNDS:
        bounds = (None, max)
        if (result := _fast(_CLIPPED, _clipping(*bounds), (input,), bounds, out)) is not None:
            return result
    return _called(_MAX[isinstance(max, Tensor)], input, (None, max), out)


# -- complex numbers from two parts -------------------------------------------------------------------------------

_PARTS = (dtypes.float16, dtypes.float32, dtypes.float64)


def _complex_target(first: Tensor, second: Tensor, out: Tensor | None) -> Tensor:
    """Where complex numbers of two such parts go.

    Raises:
        RuntimeError: when the parts are not of one floating point dtype.
    """
    own, other = first._dtype, second._dtype
    if own not in _PARTS or other not in _PARTS:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {own.label} and {other.label}"
        )
    if own is not other:
        raise RuntimeError(
            f"Expected object of scalar type {own.label} but got scalar type {other.label} for second argument"
        )
    kind, place = own.to_complex(), check_devices((first, second))
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            f"Expected object of scalar type {kind.label} but got scalar type {out._dtype.label} for argument 'out'"
        )
    if out is not None:
        check_memory(out, (first, second))
    size = broadcast_sizes(first._lay().size, second._lay().size)
    stride = iterator_strides(size, [seen_layout(t, own) for t in (first, second)])
    return (
        empty_strided(size, stride, kind, place)
        if out is None
        else prepare_out(out, size, stride, kind, place)
    )


def _pair_samples(name: str) -> tuple[Any, ...]:
    return (
        sample(f"tk.{name}(a, b)", a=(2, 3), b=(2, 3)),
        sample(f"tk.{name}(a, b)", a=(2, 1), b=(3,)),
        sample(f"tk.{name}(a, b)", a=(), b=(3,)),
        sample(f"tk.{name}(a, b)", a=(2,), b=(3,)),
        sample(f"tk.{name}(a, b, out=tk.empty(0, dtype=tk.complex64))", a=(2, 3), b=(2, 3)),
        sample(f"tk.{name}(a, 2)", a=(2,)),
        sample(f"tk.{name}(2, a)", a=(2,)),
    )


@op(
    samples=_pair_samples("complex"),
    kind="pointwise",
    methods=(),
    derivative=Rule("ComplexBackward0", real=lambda g, c: g.real, imag=lambda g, c: g.imag),
)
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts.

    Args:
        real, imag: tensors of float32, or both of float64, of sizes that broadcast together.

    Returns:
        A tensor of complex64 or complex128.

    Raises:
        RuntimeError: when the dtypes differ, or are none of these.

    >>> import tensorkit as tk
    >>> tk.complex(tk.tensor([1.0, 2.0]), tk.tensor([3.0, -4.0]))
    tensor([1.+3.j, 2.-4.j])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.complex.html
    """
    if not isinstance(real, Tensor) or not isinstance(imag, Tensor):
        raise TypeError
    target = _complex_target(real, imag, out)
    if target._device == CPU:
        array = target._nd()
        array.real[...], array.imag[...] = real._nd(), imag._nd()
    if out is not None:
        target._bump()
    return target


def _by_length(g: Any, c: Any) -> Any:
    return (g.conj() * c.out.sgn()).real


def _by_angle(g: Any, c: Any) -> Any:
    return (g.conj() * (c.out * 1j)).real


@op(
    samples=_pair_samples("polar"),
    kind="pointwise",
    methods=(),
    rounded=1,
    derivative=Rule("PolarBackward0", abs=_by_length, angle=_by_angle),
)
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their lengths and angles: ``abs * cos(angle) + abs * sin(angle) * 1j``.

    >>> import tensorkit as tk
    >>> tk.polar(tk.tensor([1.0, 2.0]), tk.tensor([0.0, 3.141592653589793]))
    tensor([ 1.+0.0000e+00j, -2.-1.7485e-07j])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.polar.html
    """
    if not isinstance(abs, Tensor) or not isinstance(angle, Tensor):
        raise TypeError
    target = _complex_target(abs, angle, out)
    if abs._dtype is dtypes.float16:
        raise missing_kernel("polar_cpu", "Half")
    if target._device == CPU:
        length, turned, array = abs._nd(), angle._nd(), target._nd()
        array.real[...] = kernels.quiet(numpy.multiply, length, kernels.quiet(numpy.cos, turned))
        array.imag[...] = kernels.quiet(numpy.multiply, length, kernels.quiet(numpy.sin, turned))
    if out is not None:
        target._bump()
    return target
