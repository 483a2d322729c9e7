"""Conversions: to another dtype, to another device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, device, resolve
from tensorkit.dispatch.call_errors import takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name as kind_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_pinned, empty_strided
from tensorkit.memory_format import (
    check_format,
    formatted_strides,
    memory_format,
    preserve_format,
    suggested_format,
)
from tensorkit.ops.shared.copy import clone, copied, copy_into, warn_complex_to_real
from tensorkit.ops.shared.type_names import legacy_dtype, type_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.tensor import Array, Tensor


def host_array(input: Tensor) -> Array:
    """The elements as a NumPy array: the memory itself on the CPU, a copy from another device."""
    return input._nd() if input._device == CPU else to_device(input, CPU)._nd()


@shortened("to_dtype")
def to_dtype(
    input: Tensor, kind: dtype, *, copy: bool = False, wanted: memory_format | None = None
) -> Tensor:
    """The elements as another dtype, maybe in another format: the tensor itself when it is so already."""
    if input._dtype is kind and not copy and (wanted is None or _speaks_of(input, wanted)):
        return input

    def body() -> Tensor:
        out = empty_strided(input._lay().size, formatted_strides(input._lay(), wanted), kind, input._device)
        warn_complex_to_real(out, input)
        copy_into(out, input)
        return out

    return _copying(input, body) if kind.category >= 2 else body()


def _speaks_of(input: Tensor, wanted: memory_format) -> bool:
    """Whether a tensor need not be copied into a format: PyTorch looks only at whether channels come last."""
    return wanted is preserve_format or suggested_format(input._lay()) is wanted


def _to_copy_back(g: Any, c: Any) -> Any:
    """The real part of the gradient, for a real input that became complex; PyTorch does not warn here."""
    face = c.input_face
    part = g.real if g._dtype.is_complex and not face.dtype.is_complex else g
    return part.to(face.device, face.dtype)


_TO_COPY = Rule("ToCopyBackward0", input=_to_copy_back)


def _copying(input: Tensor, body: Callable[[], Tensor]) -> Tensor:
    if not wants_grad(input):
        return body()
    return recorded_call(_TO_COPY, "_to_copy", {"input": input}, body, "copy")  # type: ignore[no-any-return]


def to_device(input: Tensor, where: device, *, copy: bool = False, non_blocking: bool = False) -> Tensor:
    """A copy on another device: the tensor itself when it lives there already.

    Args:
        non_blocking: whether to come back before bytes have moved between a device and pinned memory; what comes to
            the CPU comes into pinned memory then.
    """
    if input._device == where and not copy:
        return input
    return _copying(input, lambda: _moved(input, where, non_blocking))


def _moved(input: Tensor, where: device, non_blocking: bool) -> Tensor:
    lay = input._lay()
    stride = like_strides(lay)
    if input._device != where and not lay.is_contiguous():
        dense = stride == lay.stride and lay.is_non_overlapping_and_dense() and not input._bits
        source = input if dense else copied(input, stride)
        return _move_block(source, where, non_blocking)
    make = empty_pinned if _to_pinned(input, where, non_blocking) else empty_strided
    out = make(lay.size, stride, input._dtype, where)
    copy_into(out, input, non_blocking=non_blocking)
    return out


def _to_pinned(input: Tensor, where: device, non_blocking: bool) -> bool:
    return non_blocking and input.is_cuda and where == CPU


def _move_block(source: Tensor, where: device, non_blocking: bool) -> Tensor:
    """A dense block in whatever order of dimensions goes over byte by byte and keeps that order."""
    lay = source._lay()
    make = empty_pinned if _to_pinned(source, where, non_blocking) else empty_strided
    out = make(lay.size, lay.stride, source._dtype, where)
    if lay.numel:
        flat = source._view(Layout((lay.numel,), (1,), lay.offset))
        copy_into(out._view(Layout((lay.numel,), (1,), 0)), flat, non_blocking=non_blocking)
    return out


def _wanted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[device | None, dtype | None, bool, bool]:
    """What a call of `to` asks for: a device, a dtype, whether always to copy, whether to wait for nothing."""
    where, kind = kwargs.get("device"), kwargs.get("dtype")
    for place, arg in enumerate(args):
        if isinstance(arg, Tensor) and place == 0:
            where, kind = arg._device, arg._dtype
        elif isinstance(arg, (dtypes.dtype, type)) and kind is None:
            kind = arg
        elif isinstance(arg, (str, device, int)) and not isinstance(arg, bool) and place == 0:
            where = arg
        elif not isinstance(arg, bool) and arg is not None:
            raise unmatched("to", args, kwargs, _TO_FORMS)
    flags = [arg for arg in args if isinstance(arg, bool)]
    copy = kwargs.get("copy", flags[1] if len(flags) > 1 else False)
    hurry = kwargs.get("non_blocking", flags[0] if flags else False)
    wanted = None if where is None else resolve(where)
    return wanted, None if kind is None else as_dtype(kind), bool(copy), bool(hurry)


def parse_to(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[device | None, dtype | None, bool, memory_format | None]:
    """What a call of ``nn.Module.to`` asks for: a device, a dtype, whether to wait for nothing, a memory format.

    Raises:
        TypeError: for other arguments. RuntimeError: for ``copy=True``.
    """
    if not set(kwargs) <= {"device", "dtype", "non_blocking", "copy", "memory_format", "tensor"}:
        raise unmatched("to", args, kwargs, _TO_FORMS)
    if "tensor" in kwargs:
        args = (kwargs["tensor"], *args)
    where, kind, copy, non_blocking = _wanted(args, kwargs)
    if copy:
        raise RuntimeError(".to() does not accept copy argument")
    return where, kind, non_blocking, _format(kwargs.get("memory_format"), kwargs)


def _format(given: Any, kwargs: dict[str, Any]) -> memory_format | None:
    if given is not None and not isinstance(given, memory_format):
        raise unmatched("to", (), kwargs, _TO_FORMS)
    return given


_TO_FORMS = (
    "tensorkit.device device = None, tensorkit.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
    "tensorkit.memory_format memory_format = None",
    "tensorkit.dtype dtype, bool non_blocking = False, bool copy = False, *, "
    "tensorkit.memory_format memory_format = None",
    "Tensor tensor, bool non_blocking = False, bool copy = False, *, tensorkit.memory_format memory_format = None",
)
_PYTHON_TYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool, complex: dtypes.complex128}


def as_dtype(kind: Any, name: str = "to") -> dtype:
    """A dtype given as such or as a Python type.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(kind, dtypes.dtype):
        return kind
    found = _PYTHON_TYPES.get(kind) if isinstance(kind, type) else None
    if found is None:
        raise TypeError(f"{name}(): argument 'dtype' must be tensorkit.dtype, not {kind_name(kind)}")
    return found


@op(kind="copy", function=False)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor as another dtype and on another device: itself if nothing changes, otherwise a copy.

    Args:
        args, kwargs: a dtype, a device, both, or a tensor to be like; ``copy=True`` always copies.
            ``non_blocking=True`` comes back before bytes have moved between a device and pinned memory: they are
            there after the next ``tk.cuda.synchronize()``.

    >>> t = tk.ones(2)
    >>> t.to(tk.int64), t.to("cpu") is t
    (tensor([1, 1]), True)
    """
    if not kwargs and len(args) == 1 and args[0].__class__ is dtypes.dtype:
        return to_dtype(input, args[0])
    known = {"device", "dtype", "non_blocking", "copy", "memory_format", "other"}
    for key in kwargs:
        if key not in known:
            raise unmatched("to", args, kwargs, _TO_FORMS)
    if "other" in kwargs:
        args = (kwargs["other"], *args)
    where, kind, copy, non_blocking = _wanted(args, kwargs)
    wanted = kwargs.get("memory_format")
    out = input
    if kind is not None or wanted is not None:
        out = to_dtype(
            out, kind or input._dtype, copy=copy and wanted is not None, wanted=_format(wanted, kwargs)
        )
    if where is not None:
        out = to_device(out, where, non_blocking=non_blocking)
    return clone(out) if copy and out is input else out


@op(kind="copy", function=False)
def cpu(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself if it is on the CPU, otherwise a copy there.

    >>> t = tk.ones(2)
    >>> t.cpu() is t
    True
    """
    check_format("cpu", memory_format)
    return to_device(to_dtype(input, input._dtype, wanted=memory_format), CPU)


@op(kind="copy", function=False, strict=True)
@takes(
    "(Tensor input, tensorkit.device device = None, bool non_blocking = False, *, "
    "tensorkit.memory_format memory_format = None)"
)
def cuda(
    input: Tensor, device: Any = None, non_blocking: bool = False, *, memory_format: Any = None
) -> Tensor:
    """The tensor itself if it is on that CUDA device, otherwise a copy there.

    >>> with tk.cuda.emulate():
    ...     tk.ones(2).cuda()
    tensor([1., 1.], device='cuda:0')
    """
    if device is not None and not _names_cuda(device):
        raise RuntimeError("Invalid device, must be cuda device")
    return to_device(input, resolve("cuda" if device is None else device), non_blocking=non_blocking)


def _names_cuda(where: Any) -> bool:
    return hasattr(where, "__index__") or device(where).type == "cuda"


@op(kind="copy", function=False, name="type")
def type_(input: Tensor, dtype: dtype | str | type | None = None, non_blocking: bool = False) -> Any:
    """The legacy name of the tensor's type; or, given a dtype or such a name, the tensor converted to it.

    >>> tk.ones(2).type(), tk.ones(2).type(tk.int32).dtype
    ('tensorkit.FloatTensor', tensorkit.int32)
    """
    if dtype is None:
        return type_name(input)
    if isinstance(dtype, dtypes.dtype):
        return to_dtype(input, dtype)
    if isinstance(dtype, type):  # one of the classes of earlier years
        package = f"{dtype.__module__}." if dtype.__module__.startswith(("tensorkit", "numpy")) else ""
        dtype = f"{package}{dtype.__name__}"
    if not isinstance(dtype, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    kind, place = legacy_dtype(dtype)
    return to_device(to_dtype(input, kind), resolve(place), non_blocking=non_blocking)


@op(kind="copy", function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype and device of another.

    >>> tk.ones(2).type_as(tk.tensor(1))
    tensor([1, 1])
    """
    return to_device(to_dtype(input, other._dtype), other._device)


def _cast_method(name: str, kind: dtype) -> Callable[..., Tensor]:
    def cast(input: Tensor, *, memory_format: Any = None) -> Tensor:
        if memory_format is not None:
            check_format(name, memory_format)
        return to_dtype(input, kind, wanted=memory_format)

    cast.__name__ = name
    cast.__doc__ = f"""The tensor as ``tensorkit.{kind.name}``: itself if it is, otherwise a copy.

    >>> tk.ones(2).{name}().dtype
    tensorkit.{kind.name}
    """
    return cast


CASTS: dict[str, dtype] = {
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "bool": dtypes.bool,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}
for _name, _kind in CASTS.items():
    op(kind="copy", function=False, name=_name)(_cast_method(_name, _kind))
