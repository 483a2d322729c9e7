"""Choosing between two tensors by a mask: `where`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.where.html
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.elementwise.output import check_memory, empty_strided, prepare_out, stride_of
from tensorkit.elementwise.promotion import check_devices, result_dtype
from tensorkit.elementwise.run import run_zip
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.scalars.questions import WHERE
from tensorkit.kernels.sizes import LARGE
from tensorkit.ops.pointwise.arithmetic import BOOL
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor, attach, fresh

_ABSENT: Any = type("_ABSENT", (), {"__repr__": lambda self: "..."})()
_WHERE_FUNCTION = ("Tensor condition", "Tensor condition, Tensor input, Tensor other, *, Tensor out = None")
_WHERE_METHOD = ("Tensor condition, Tensor other", "Tensor condition, Number other")


def _refuse_where(given: tuple[Any, ...], forms: tuple[str, ...]) -> None:
    raise unmatched("where", [value for value in given if value is not _ABSENT], {}, forms)


def _check_mask(condition: Tensor) -> None:
    if condition._dtype is dtypes.uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
    elif condition._dtype is not BOOL:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition._dtype.label}"
        )


def _choice(value: Any, kind: dtype) -> Array:
    """An operand's elements in the dtype of the result."""
    if isinstance(value, Tensor):
        return kernels.cast(host_array(value), kind)
    one = empty_strided((), (), kind, CPU)
    write_number(one, value)
    return one._nd()


def _pick(mask: Array, first: Array, second: Array, out: Array) -> None:
    """Write `first` where the mask says so, `second` elsewhere, into an array that none of them lies in."""
    if out.size >= LARGE and out.itemsize <= 8:
        kernels.choose(mask.astype(bool, copy=False), first, second, out)
        return
    numpy.copyto(out, second)
    numpy.copyto(out, first, where=mask.astype(bool, copy=False))


#: What decides where a choice lies.
CHOICE = Pointwise("where", numpy.where, None, result="chosen", lacks=())


def _where_target(operands: tuple[Any, ...], kind: dtype, out: Tensor | None) -> Tensor:
    place = check_devices(operands)
    size = broadcast_sizes(*(o._lay().size for o in operands if isinstance(o, Tensor)))
    stride = stride_of(CHOICE, operands, size, kind, None)
    if out is None:
        return empty_strided(size, stride, kind, place)
    if out._dtype is not kind:
        raise RuntimeError(f"Expected out type to be {kind.label} but got {out._dtype.label}")
    check_memory(out, operands)
    return prepare_out(out, size, stride, kind, place)


@shortened("where")
def _where_body(condition: Tensor, input: Any, other: Any, out: Tensor | None = None) -> Tensor:
    kind = result_dtype(input, other)
    _check_mask(condition)
    target = _where_target((condition, input, other), kind, out)
    if target._device == META:
        if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
            raise MissingKernelError("Cannot copy out of meta tensor; no data!")
        return target
    if target._device.type == "cuda":
        pair = [
            value if isinstance(value, Tensor) else _choice(value, kind).item() for value in (input, other)
        ]
        if target.numel():
            run_zip("where", WHERE, target, (condition, *pair), (BOOL, kind, kind), kind)
        if out is not None:
            target._bump()
        return target
    mask, first, second = host_array(condition), _choice(input, kind), _choice(other, kind)
    if target._device == CPU and out is None:
        _pick(mask, first, second, target._nd())
    else:
        chosen = fresh(numpy.ascontiguousarray(numpy.where(mask, first, second)), kind)
        copy_into(target, to_device(chosen, target._device))
    if out is not None:
        target._bump()
    return target


def _where_input(g: Any, c: Any) -> Any:
    return where(c.condition, g, 0)


def _where_other(g: Any, c: Any) -> Any:
    return where(c.condition, 0, g)


_where_recorded = differentiable(
    _where_body,
    Rule("WhereBackward0", numbers_count=True, input=_where_input, other=_where_other),
    "where",
    "pointwise",
)


@op(kind="pointwise", methods=(), out_overlap="before resizing")
@takes(
    "(Tensor condition)",
    "(Tensor condition, Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor condition, Number self, Tensor other)",
    "(Tensor condition, Tensor input, Number other)",
    "(Tensor condition, Number self, Number other)",
    method=("(Tensor condition, Tensor other)", "(Tensor condition, Number other)"),
)
def where(
    condition: Any = _ABSENT, input: Any = _ABSENT, other: Any = _ABSENT, *, out: Tensor | None = None
) -> Any:
    """`input` where the condition holds, `other` elsewhere: unlike a product it lets no nan or inf through.

    Args:
        condition: a bool tensor.
        input, other: tensors of sizes that broadcast with it, or numbers; without them, the indices of the elements
            that are not zero are returned, one tensor for each dimension.
        out: a tensor to write the result into.

    Returns:
        A tensor of the broadcast size and the dtype that `input` and `other` promote to.

    Raises:
        RuntimeError: when the condition is not of bool, or the sizes do not broadcast.

    >>> t = tk.tensor([-1.5, 0.5, 2.0])
    >>> tk.where(t > 0, t, 0)
    tensor([0.0000, 0.5000, 2.0000])
    """
    if not isinstance(condition, Tensor):
        _refuse_where((condition, input, other), _WHERE_FUNCTION)
    if input is _ABSENT and other is _ABSENT:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, (Tensor, *NUMBERS)) or not isinstance(other, (Tensor, *NUMBERS)):
        _refuse_where((condition, input, other), _WHERE_FUNCTION)
    if out is None:
        return _where_recorded(condition, input, other)
    for value, label, place in ((input, "input", 2), (other, "other", 3)):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"where(): argument '{label}' (position {place}) must be Tensor, not {type_name(value)}"
            )
    if not isinstance(out, Tensor):
        raise TypeError(f"where(): argument 'out' must be Tensor, not {type_name(out)}")
    return _where_recorded(condition, input, other, out=out)


def _where_method(input: Tensor, condition: Any = _ABSENT, other: Any = _ABSENT) -> Tensor:
    """This tensor's elements where the condition holds, those of `other` elsewhere; see ``tensorkit.where``."""
    if not isinstance(condition, Tensor) or not isinstance(other, (Tensor, *NUMBERS)):
        _refuse_where((condition, other), _WHERE_METHOD)
    return _where_recorded(condition, input, other)  # type: ignore[no-any-return]


attach("where", traced_method("where", _where_method))
