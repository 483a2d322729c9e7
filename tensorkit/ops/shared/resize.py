"""The same tensor with other memory: resized, or pointed at another storage."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from tensorkit import storage
from tensorkit.autograd.function import Function
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.autograd.record import refuse_inference_write
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import resize_out
from tensorkit.errors import warn
from tensorkit.memory_format import (
    check_format,
    contiguous_format,
    formatted_strides,
    has_format,
    preserve_format,
    suggested_format,
)
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.shared.uninitialized import chosen, whole_filled
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import INT64_MAX, checked_size, contiguous_stride, overflowed
from tensorkit.tensor import Tensor, attach


@op(kind="resize", function=False)
def resize_(input: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Give the tensor another size, row-major, on the same storage, which grows if it is too small.

    New elements are uninitialised; nothing is lost when it shrinks.

    >>> tk.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    size = as_ints(sizes, "resize_")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow\nA size cannot be negative.")
    refuse_inference_write(input)
    if wants_grad(input) and requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad")
    return _resized(input, size, memory_format, "resize_")


def _resized(input: Tensor, size: tuple[int, ...], wanted: Any, name: str) -> Tensor:
    check_format(name, wanted)
    if wanted is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    stride = formatted_strides(layouts.contiguous(checked_size(size)), wanted or contiguous_format)
    if size == input._lay().size and (wanted is None or has_format(input._lay(), wanted)):
        return input
    target = Layout(size, stride, input._lay().offset)
    needed = target.reach() * input._dtype.itemsize
    if needed > INT64_MAX:
        raise overflowed(size)
    held = input._store()
    before = held.nbytes()
    if needed > before:
        held.resize_(needed)
        if chosen.enabled:
            whole_filled(input, before // input._dtype.itemsize)
    input._adopt_geometry(held, target)
    input._bump()
    return input


@op(kind="resize", function=False)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give the tensor the size of another: `resize_` to ``the_template.size()``.

    >>> tk.arange(6).resize_as_(tk.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.resize_as_.html
    """
    check_format("resize_as_", memory_format)
    if not isinstance(the_template, Tensor):
        raise TypeError
    refuse_inference_write(input)
    if wants_grad(input) and requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format is preserve_format:
        memory_format = suggested_format(the_template._lay())
    size = the_template._lay().size
    if input._bits and size != input._lay().size:  # as where PyTorch writes a result into a view with bits
        plain = _resized(input.clone(), size, memory_format, "resize_as_")
        resize_out(input, size)
        copy_into(input, plain)
        input._bump()
        return input
    return _resized(input, size, memory_format, "resize_as_")


# -- what PyTorch warns of ---------------------------------------------------------------------------------------


class Resize(Function):
    """Another size for as many elements: a view of the same memory where that lies in order, otherwise a copy."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[Any, ...]) -> Tensor:
        """The tensor in its new size."""
        ctx.sizes, ctx.input_size = sizes, tensor.size()
        many = functools.reduce(operator.mul, sizes, 1)
        if many != tensor.numel():
            raise RuntimeError(
                f"requested resize to {_times(sizes)} ({many} elements in total), but the given tensor has a size of "
                f"{_times(tensor.size())} ({tensor.numel()} elements). autograd's resize can only change the shape of "
                "a given tensor, while preserving the number of elements. "
            )
        return tensor.detach().contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """The gradient in the old size."""
        return grad.contiguous().view(ctx.input_size), None


def _times(sizes: tuple[Any, ...]) -> str:
    return "x".join(map(str, sizes))


def _resize(self: Tensor, *sizes: Any) -> Tensor:
    """`reshape` as it was once spelled; PyTorch warns of it.

    Raises:
        RuntimeError: for another number of elements.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tk.arange(6).resize(3, 2).size()
    tensorkit.Size([3, 2])
    """
    warn("non-inplace resize is deprecated")
    return Resize.apply(self, sizes)  # type: ignore[no-any-return]


def _resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """`reshape_as` as it was once spelled; PyTorch warns of it.

    Raises:
        RuntimeError: for another number of elements.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tk.arange(6).resize_as(tk.zeros(3, 2)).size()
    tensorkit.Size([3, 2])
    """
    warn("non-inplace resize_as is deprecated")
    return Resize.apply(self, tensor.size())  # type: ignore[no-any-return]


attach("resize", _resize)
attach("resize_as", _resize_as)

# -- another storage ----------------------------------------------------------------------------------------------


def _source_storage(source: Any) -> UntypedStorage:
    if isinstance(source, TypedStorage):
        return source.untyped()
    if isinstance(source, UntypedStorage):
        return source
    raise TypeError(f"set_(): argument 'source' (position 1) must be Tensor, not {type_name(source)}")


@op(kind="resize", function=False, strict=True)
@takes(
    method=(
        "()",
        "(tensorkit.Storage source)",
        "(tensorkit.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
        "(Tensor source)",
        "(Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
    )
)
def set_(
    input: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Point this tensor at another storage, with a size, strides and an offset of its own.

    Raises:
        RuntimeError: when they would reach outside the storage.

    >>> tk.zeros(1).set_(tk.arange(6.).untyped_storage(), 1, (2,), (2,))
    tensor([1., 3.])
    """
    if wants_grad(input) or wants_grad(source):
        arguments = {"input": input, "source": source}
        again = functools.partial(_set_to, input, source, storage_offset, size, stride)
        return recorded_call(_NO_WAY_BACK, "set_", arguments, again, "inplace")  # type: ignore[no-any-return]
    return _set_to(input, source, storage_offset, size, stride)


def _no_way_back(g: Any, c: Any) -> Any:
    raise RuntimeError("derivative for set_ is not implemented")


_NO_WAY_BACK = Rule("NotImplemented", input=_no_way_back, source=_no_way_back)
_NO_WAY_BACK.geometry = True


def _check_devices(input: Tensor, source: Tensor | UntypedStorage) -> None:
    if source.device != input._device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{input._device}" to a storage on different device '
            f'"{source.device}".  This is no longer allowed; the devices must match.'
        )


def _set_to(input: Tensor, source: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    if source is None:
        input._adopt_geometry(storage.allocate(0, input._device), Layout((0,), (1,), 0), apart=True)
        input._bump()
        return input
    if isinstance(source, Tensor):
        if source._dtype is not input._dtype:
            raise RuntimeError(
                f"Could not set tensor of type {cpp_name(source._dtype)} to a tensor of type {cpp_name(input._dtype)}"
            )
        _check_devices(input, source)
        input._adopt_geometry(source._store(), source._lay(), apart=True)
        input._bump()
        return input
    held = _source_storage(source)
    if isinstance(source, TypedStorage) and source.dtype is not input._dtype:
        raise RuntimeError(
            f"Expected a Storage of type {cpp_name(input._dtype)} or an "
            f"UntypedStorage, but got type {source.dtype.label} for argument 1 'storage'"
        )
    if size is None:
        count = held.nbytes() // input._dtype.itemsize
        size, stride = (count,), (1,)
    size = (size,) if isinstance(size, int) else tuple(map(operator.index, size))
    stride = contiguous_stride(size) if stride is None else tuple(map(operator.index, stride))
    storage_offset = operator.index(storage_offset)
    if not storage_offset >= 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    checked_size(size)
    if min(stride, default=0) < 0:
        raise overflowed(size, stride)
    target = Layout((), (), 0).as_strided(size, stride, storage_offset, held.nbytes(), input._dtype.itemsize)
    _check_devices(input, held)
    input._adopt_geometry(held, target, apart=True)
    input._bump()
    return input
