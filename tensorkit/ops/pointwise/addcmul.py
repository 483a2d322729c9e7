"""Products and quotients added: `addcmul`, `addcdiv`."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.errors import warn
from tensorkit.kernels.cpu import loops, ufuncs
from tensorkit.kernels.jit.rowwise import CompiledFunction
from tensorkit.kernels.scalars.arithmetic import ADD_PRODUCT, ADD_QUOTIENT
from tensorkit.kernels.sizes import TINY, UFUNC_LOOPS
from tensorkit.ops.pointwise.arithmetic import conjugated
from tensorkit.ops.pointwise.held_numbers import BOOL, as_number, number_as_held
from tensorkit.tensor import Array, Tensor


def _add_product(factor: Any, a: Array, b: Array, c: Array) -> Any:
    product: Any = b * c if factor == 1 else factor * b * c
    if a.size <= TINY:  # a new array is made sooner than an old one is written to
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
        if a.size < UFUNC_LOOPS and factor == 1:
            return a + b * c
        run = ufuncs.add_product.of(a)
        return _add_product(factor, a, b, c) if run is None else run(a, b, c, held[a.dtype.char])

    return CompiledFunction(loops.add_product, added, extra=(factor,))


BODIES: dict[str, Any] = {
    "addcmul": _product_adder,
    "addcdiv": lambda factor: functools.partial(_add_quotient, factor),
}


ADDED = {
    name: Pointwise(name, None, scalar, kernel=f"{name}_cpu_out", lacks=(*LIMITED, BOOL))
    for name, scalar in (("addcmul", ADD_PRODUCT), ("addcdiv", ADD_QUOTIENT))
}


def _added(
    name: str, input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any, out: Tensor | None
) -> Tensor:
    if name == "addcdiv":
        _no_whole_division(input, tensor1, tensor2)
    operands = (input, tensor1, tensor2)
    try:
        factor = number_as_held(value, result_dtype(*operands))
    except RuntimeError as refusal:
        if "Promotion" not in str(refusal):
            raise
        factor = 1  # refused again further down, after what PyTorch looks at first
    return apply(ADDED[name], operands, out=out, by=BODIES[name](factor), numbers=(factor,))


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
    """The signature of today: the factor used to come second, and still may."""
    positional, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    tensors = [inspect.Parameter(n, positional, annotation="Tensor") for n in ("input", "tensor1", "tensor2")]
    value = inspect.Parameter("value", named, default=1, annotation="Any")
    out = inspect.Parameter("out", named, default=None, annotation="Tensor | None")
    body.__signature__ = inspect.Signature([*tensors, value, out], return_annotation="Tensor")
    return body


def _sum(name: str, input: Any, tensors: tuple[Any, ...], named: dict[str, Any], value: Any, out: Any) -> Any:
    if isinstance(value, Tensor):
        value = as_number(value)
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


@op(kind="pointwise", inplace=True, rounded=1, out_overlap="before resizing")
@shortened("addcmul")
@takes("(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)", older=True)
@_shown
def addcmul(input: Tensor, *tensors: Any, value: Any = 1, out: Tensor | None = None, **named: Any) -> Tensor:
    """Add a product: ``input + value * tensor1 * tensor2``, element by element.

    Args:
        input, tensor1, tensor2: tensors of sizes that broadcast together.
        value: a factor for the product. out: a tensor to write the result into.

    >>> tk.addcmul(tk.tensor([1.0, 2.0]), tk.tensor([3.0, 4.0]), tk.tensor([10.0, 10.0]), value=0.5)
    tensor([16., 22.])
    """
    return _sum("addcmul", input, tensors, named, value, out)  # type: ignore[no-any-return]


@op(kind="pointwise", inplace=True, rounded=1, out_overlap="before resizing")
@shortened("addcdiv")
@takes("(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)", older=True)
@_shown
def addcdiv(input: Tensor, *tensors: Any, value: Any = 1, out: Tensor | None = None, **named: Any) -> Tensor:
    """Add a quotient: ``input + value * tensor1 / tensor2``, element by element.

    Raises:
        RuntimeError: when both `tensor1` and `tensor2` are integers.

    >>> tk.addcdiv(tk.tensor([1.0, 2.0]), tk.tensor([3.0, 4.0]), tk.tensor([2.0, 8.0]))
    tensor([2.5000, 2.5000])
    """
    return _sum("addcdiv", input, tensors, named, value, out)  # type: ignore[no-any-return]
