"""Spellings of earlier years that still work: ``Tensor(2, 3)``, ``FloatTensor([1, 2])``, ``t.new(3)``, ``range``.

Code of 2018 makes its tensors with classes. Each names a dtype; what is called is one function, `_legacy`, which sees
from the argument what is meant: integers are a size, a sequence is data, a tensor is shared.

>>> tk.LongTensor([1, 2]), tk.FloatTensor(2, 3).size()
(tensor([1, 2]), tensorkit.Size([2, 3]))
>>> isinstance(tk.ones(2), tk.FloatTensor)
True

Source: the forms, the errors and the warnings are PyTorch 2.13's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit import storage as storages
from tensorkit.device import CPU, DeviceLike, device, get_default_device, resolve, set_default_device
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import offers
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.errors import warn
from tensorkit.memory_format import strided
from tensorkit.ops.creation.ranges import place_in
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.ops.shared.tensor_data import is_sequence, plain_number, tensor
from tensorkit.ops.shared.to import as_dtype, to_device
from tensorkit.ops.shared.type_names import cpp_name, legacy_dtype
from tensorkit.ops.shared.uninitialized import chosen, whole_filled
from tensorkit.ops.views.view_reshape import alias
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import INT64_MAX, check_bytes, contiguous_stride
from tensorkit.tensor import Tensor, attach, on_storage

# -- the constructor ----------------------------------------------------------------------------------------------

_FORMS = (
    "*, tensorkit.device device = None",
    "tensorkit.Storage storage",
    "Tensor other",
    "tuple of ints size, *, tensorkit.device device = None",
    "object data, *, tensorkit.device device = None",
)


def _legacy(
    kind: dtype, home: device, args: tuple[Any, ...], kwargs: dict[str, Any], *, any_dtype: bool = False
) -> Tensor:
    """What every old constructor does: see which of its forms is meant.

    Args:
        any_dtype: a tensor given is taken as it is, whatever its dtype: ``Tensor(t)``.
    """
    options = dict(kwargs)
    where = options.pop("device", None)
    named = [options.pop(name) for name in ("size", "data", "other", "storage") if name in options]
    if options or len(named) + bool(args) > 1:
        raise unmatched("new", args, kwargs, _FORMS)
    if where is not None and device(where).type != home.type:
        raise RuntimeError(
            f"legacy constructor expects device type: {home.type} but device type: {device(where).type} was passed"
        )
    given = (named[0],) if named else args
    if "size" in kwargs:
        given = tuple(named[0])
    if len(given) != 1:
        return _of_size(given or (0,), kind, home)
    return _of_one(given[0], kind, home, any_dtype)


def _of_one(given: Any, kind: dtype, home: device, any_dtype: bool) -> Tensor:
    if isinstance(given, Tensor):
        if not any_dtype and (given._dtype is not kind or given._device != home):
            raise TypeError(f"expected {_options(kind, home)} (got {_options(given._dtype, given._device)})")
        return alias(given)
    if isinstance(given, (TypedStorage, UntypedStorage)):
        return _of_storage(given, kind)
    if not isinstance(given, (bool, numpy.ndarray)) or (isinstance(given, numpy.ndarray) and not given.ndim):
        try:
            length = operator.index(given)
        except TypeError:
            pass
        else:
            return _of_size((length,), kind, home)
    if type(given).__name__ == "Size":
        return _of_size(tuple(given), kind, home)
    if isinstance(given, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(given)}'")
    if not is_sequence(given) and not isinstance(given, numpy.ndarray):
        raise TypeError(f"new(): data must be a sequence (got {type_name(given)})")
    return tensor(given, dtype=kind, device=home)


def _of_size(size: tuple[Any, ...], kind: dtype, home: device) -> Tensor:
    lengths = []
    for place, length in enumerate(size):
        try:
            lengths.append(operator.index(length))
            wrong = "" if abs(lengths[-1]) <= INT64_MAX else "Overflow when unpacking long long\n"
        except TypeError:
            wrong = f"type must be tuple of ints,but got {type_name(length)}"
        if wrong:
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {place + 1} with error \"{wrong}\""
            )
    for length in lengths:
        if length < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {length}: {lengths}")
    sizes = tuple(lengths)
    made = empty_strided(sizes, contiguous_stride(sizes), kind, home)
    return whole_filled(made) if chosen.enabled else made


def _of_storage(given: TypedStorage | UntypedStorage, kind: dtype) -> Tensor:
    if isinstance(given, TypedStorage) and given.dtype is not kind:
        raise RuntimeError(
            f"Expected a Storage of type {kind.label} or an UntypedStorage, but got type {given.dtype.label} for "
            "argument 1 'storage'"
        )
    held = given.untyped()
    return on_storage(held, Layout((held.nbytes() // kind.itemsize,), (1,), 0), kind)


def _options(kind: dtype, where: device) -> str:
    return (
        f"TensorOptions(dtype={cpp_name(kind)}, device={where}, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def _construct(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    """``Tensor(2, 3)`` is uninitialised, ``Tensor([1, 2])`` holds data: of the default dtype."""
    made = _legacy(dtypes.get_default_dtype(), CPU, args, kwargs, any_dtype=True)
    if cls is not Tensor:
        made.__class__ = cls
    return made


def _new(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """A tensor of this one's dtype and device: ``t.new(2, 3)`` uninitialised, ``t.new([1, 2])`` with data.

    Today's spellings are `new_empty` and `new_tensor`.

    >>> tk.zeros(2, dtype=tk.int64).new([1, 2])
    tensor([1, 2])
    """
    return _legacy(input._dtype, input._device, args, kwargs)


# -- the classes --------------------------------------------------------------------------------------------------


class tensortype(type):
    """The type of `FloatTensor` and its kin: classes that make tensors of one dtype, and recognise them.

    Attributes:
        dtype: the dtype of the tensors. is_cuda: whether they live on a CUDA device.
    """

    dtype: dtype
    is_cuda: bool
    is_sparse = False
    layout = strided

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        _check_available(cls)
        return _legacy(cls.dtype, resolve("cuda") if cls.is_cuda else CPU, args, kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance._dtype is cls.dtype
            and instance._device.type == ("cuda" if cls.is_cuda else "cpu")
        )


def _check_available(cls: tensortype) -> None:
    if cls.is_cuda and not _has_cuda():
        raise TypeError(
            f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with CUDA enabled.\n"
            "To practise without a GPU, call tk.cuda.emulate() first."
        )


def _has_cuda() -> bool:
    """Whether there is a CUDA device, real or emulated."""
    try:
        resolve("cuda")
    except AssertionError:
        return False
    return True


def _class(kind: dtype, place: str = "tensorkit") -> tensortype:
    body = {
        "__doc__": f"Tensors of ``tensorkit.{kind.name}``, as code of earlier years makes them.",
        "__module__": place,
        "dtype": kind,
        "is_cuda": place.endswith("cuda"),
    }
    made: tensortype = type.__call__(tensortype, f"{kind.label}Tensor", (), body)
    return made if made.is_cuda else offers(made)


tensortype.__module__ = "tensorkit"
FloatTensor = _class(dtypes.float32)
DoubleTensor = _class(dtypes.float64)
HalfTensor = _class(dtypes.float16)
BFloat16Tensor = _class(dtypes.bfloat16)
ByteTensor = _class(dtypes.uint8)
CharTensor = _class(dtypes.int8)
ShortTensor = _class(dtypes.int16)
IntTensor = _class(dtypes.int32)
LongTensor = _class(dtypes.int64)
BoolTensor = _class(dtypes.bool)

_TYPED = (
    FloatTensor,
    DoubleTensor,
    HalfTensor,
    BFloat16Tensor,
    ByteTensor,
    CharTensor,
    ShortTensor,
    IntTensor,
    LongTensor,
    BoolTensor,
)


def on_cuda() -> list[tensortype]:
    """The same classes for CUDA devices, in the order of their names: what ``tensorkit.cuda`` offers."""
    return [_class(cls.dtype, "tensorkit.cuda") for cls in sorted(_TYPED, key=lambda cls: cls.__name__)]


@offers
def set_default_tensor_type(t: Any) -> None:
    """Let new tensors have the dtype and device of one of these classes, given as such or by name.

    Today's spellings are `set_default_dtype` and `set_default_device`.

    Raises:
        TypeError: when the class is not one of floating point numbers, or there is no CUDA device for it.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
    """
    kind, on_gpu = (t.dtype, t.is_cuda) if isinstance(t, tensortype) else (None, False)
    if isinstance(t, str):
        kind, place = legacy_dtype(t)
        on_gpu = place == "cuda"
    warn(
        "tensorkit.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
        "tensorkit.set_default_dtype() and tensorkit.set_default_device() as alternatives."
    )
    if kind is None:
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if on_gpu and not _has_cuda():
        raise TypeError(
            f"type tensorkit.cuda.{kind.label}Tensor not available. Torch not compiled with CUDA enabled."
        )
    dtypes.set_default_dtype(kind)
    if on_gpu or get_default_device().type == "cuda":
        set_default_device("cuda" if on_gpu else None)


# -- range and fill -----------------------------------------------------------------------------------------------

_RANGES = (dtypes.float16, dtypes.bfloat16, *dtypes.ALL[2:5], *dtypes.ALL[8:12])
_OLD_RANGE = (
    "tensorkit.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use tensorkit.arange, which produces values in [start, end)."
)


@op(kind="create", methods=())
@takes(f"(Number start, Number end, Number step = 1, *, Tensor out = None, {FACTORY.replace('?', '')})")
def range(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """The numbers from `start` to `end`, which is one of them, `step` apart. Use `arange` instead.

    Returns:
        A 1-D tensor of floor((end - start) / step) + 1 elements of the default dtype.

    Raises:
        RuntimeError: for a step of 0, or one that leads away from `end`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.range(1, 4)
    tensor([1., 2., 3., 4.])
    """
    start, end, step = map(plain_number, (start, end, step))
    _check_range_arguments(start, end, step)
    warn(_OLD_RANGE)
    if out is None:
        kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "range")
    else:
        kind = out._dtype
    length = _range_length(start, end, step)
    if kind not in _RANGES:
        raise missing_kernel("range_cpu", kind.label)
    check_bytes((length,), kind.itemsize)
    where = resolve(device)
    if where.type == "meta":
        return empty_strided((length,), (1,), kind, where)
    values = numpy.arange(length, dtype=numpy.int64 if kind.category == 1 else numpy.float64)
    if kind.category == 1:
        start, step = int(start), int(step)
    made = deliver(values * step + start, kind)
    return to_device(made, where) if out is None else place_in(out, made, dtype, device, "range")


def _check_range_arguments(start: Any, end: Any, step: Any) -> None:
    if start is None:
        raise TypeError('range() missing 2 required positional argument: "start", "end"')
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    for place, (name, value) in enumerate((("start", start), ("end", end), ("step", step))):
        if not isinstance(value, (int, float, complex)):
            raise TypeError(
                f"range(): argument '{name}' (position {place + 1}) must be Number, not {type_name(value)}"
            )


def _range_length(start: Any, end: Any, step: Any) -> int:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return int((end - start) / step + 1)


def _read(values: Sequence[Any], kind: dtype) -> UntypedStorage:
    """Numbers as a storage of one dtype, by the rules of `tensor`."""
    return tensor(values, dtype=kind, device=CPU)._store()


# Late: a storage reads Python's numbers as `tensor` does, which is built on it.
storages.register_reader(_read)
attach("__new__", _construct)
attach("new", _new)
