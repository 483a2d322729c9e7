"""What the operations that write at named places share: one body makes the copying and the in-place form."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import requires_grad
from tensorkit.device import CPU
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import OutOverlap, registry
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import (
    check_overlap,
    check_writable,
    empty_strided,
    refuse_shared,
    resize_out,
)
from tensorkit.elementwise.promotion import one_device
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.to import to_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

INTEGERS = (dtypes.int64, dtypes.int32)


# -- one body, three forms ----------------------------------------------------------------------------------------


def result_in(
    out: Any, kind: dtype, size: tuple[int, ...], sources: Iterable[Any], complaint: str = ""
) -> Tensor:
    """A tensor given as ``out=``, checked and resized; its dtype must be the result's.

    Raises:
        TypeError, RuntimeError: when it is not a tensor, has another dtype, or shares memory with an operand.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not kind:
        raise RuntimeError(
            complaint
            or f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )
    resize_out(out, size)
    check_writable(out)
    for source in sources:
        if isinstance(source, Tensor):
            refuse_shared(out, source)
    return out


def written(made: Tensor, out: Tensor | None) -> Tensor:
    """A result, or what was given as ``out=`` and has its size, with the result written into it."""
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


def copy_of(input: Tensor, row_major: bool) -> Tensor:
    """A copy in row-major order, or in that of the tensor's own dimensions."""
    lay = input._lay()
    stride = contiguous_stride(lay.size) if row_major else like_strides(lay)
    out = empty_strided(lay.size, stride, input._dtype, input._device)
    copy_into(out, input)
    return out


def paired(
    *,
    derivative: Any,
    row_major: bool = True,
    out: bool = True,
    copy: Callable[..., Tensor] | None = None,
    strict: bool = False,
    out_overlap: OutOverlap = "after resizing",
    rounded: float = 0,
) -> Callable[[Callable[..., None]], Callable[..., Tensor]]:
    """Make ``name``, which writes into a copy, and ``name_``, which writes into its tensor, of one body.

    The decorated function writes into its first argument, and checks all of them before.

    Args:
        row_major: whether the copy is, whatever the tensor's strides.
        out: whether the function takes ``out=``.
        copy: makes the copy from all arguments, where it is not a plain one.
        strict: whether to look at the types of the arguments first.
        rounded, out_overlap: as for `op`.
    """

    def register_both(body: Callable[..., None]) -> Callable[..., Tensor]:
        name = body.__name__
        make = copy or (lambda input, *args, **kwargs: copy_of(input, row_major))

        @functools.wraps(body)
        def changing(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            body(input, *args, **kwargs)
            input._bump()
            return input

        @shortened(name)
        @functools.wraps(body)
        def copying(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            made = make(input, *args, **kwargs)
            body(made, *args, **kwargs)
            return made

        @functools.wraps(body)
        def delivering(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Tensor:
            if out is None:
                return copying(input, *args, **kwargs)
            given = (*args, *kwargs.values())
            made = copying(input, *args, **kwargs)
            result_in(out, input._dtype, made._lay().size, given)
            check_overlap(out, input)  # which is copied there before: it may be the very same elements
            copy_into(out, made)
            out._bump()
            return out  # type: ignore[no-any-return]

        rest = (body.__doc__ or "").partition("\n\n")[2]
        changing.__dict__.pop("__forms__", None)  # they are the copying form's
        changing.__name__ = f"{name}_"
        changing.__doc__ = f"In-place form of ``{name}``: this tensor itself is written to.\n\n{rest}"
        own: dict[str, Any] = {"derivative": derivative, "strict": strict, "rounded": rounded}
        op(kind="inplace", function=False, name=f"{name}_", **own)(changing)
        form = with_out(delivering, body) if out else copying
        return op(kind="copy", name=name, out_overlap=out_overlap, **own)(form)

    return register_both


def with_out(
    function: Callable[..., Tensor], body: Callable[..., Any], taking: str = "Tensor | None"
) -> Callable[..., Tensor]:
    """The function with the signature of the body plus ``out=``, which is one tensor or what else it takes."""
    extra = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=taking)

    def shown() -> inspect.Signature:
        signature = inspect.signature(body)
        return signature.replace(parameters=[*signature.parameters.values(), extra])

    function.__signature__ = later(shown)  # type: ignore[attr-defined]
    function.__kwdefaults__ = {"out": None}
    return function


def real_alone(name: str, *, always: bool = False) -> Callable[[dict[str, Any]], bool]:
    """PyTorch has these operations' derivatives for real numbers alone; a call that is wrong besides fails for that.

    Args:
        always: whether the result is complex whatever the tensor is.
    """

    def applies(call: dict[str, Any]) -> bool:
        wanted = any(isinstance(value, Tensor) and requires_grad(value) for value in call.values())
        if (always or call["input"]._dtype.is_complex) and state.grad and wanted:
            plain = {k: v.detach() if isinstance(v, Tensor) else v for k, v in call.items() if v is not None}
            function = registry[name].function
            assert function is not None
            function(**plain)
            raise RuntimeError(
                f"{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


def host_of(input: Tensor) -> Tensor:
    """The tensor itself on the CPU, a copy from elsewhere, which `bring_back` brings back."""
    return input if input._device == CPU else to_device(input, CPU)


def bring_back(input: Tensor, host: Tensor) -> None:
    if host is not input:
        copy_into(input, host)


def delivered(array: Array, input: Tensor) -> Tensor:
    return to_device(fresh(numpy.ascontiguousarray(array).reshape(array.shape), input._dtype), input._device)


def check_memory(input: Tensor, *sources: Any) -> None:
    one_device(input, *sources)
    check_writable(input)
    for source in sources:
        if isinstance(source, Tensor):
            refuse_shared(input, source)


def element(value: Any, kind: dtype) -> Array:
    """A number as an element of a dtype, which must be able to hold it."""
    one = empty_strided((), (), kind, CPU)
    write_number(one, value, narrow=True)
    return one._nd()


def as_vector(array: Array) -> Array:
    """A 0-d array as a vector over the same memory."""
    return numpy.lib.stride_tricks.as_strided(array, (1,), (array.dtype.itemsize,))
