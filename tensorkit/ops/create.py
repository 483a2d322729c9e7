"""New tensors: from data, from numbers, from NumPy, like another tensor.

Arguments, defaults, dtypes and sentences are PyTorch 2.13's
(https://docs.pytorch.org/docs/stable/torch.html#creation-ops).
"""

from __future__ import annotations

import array
import functools
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit import strides as layouts
from tensorkit.device import CPU, DeviceLike, default_chosen, resolve
from tensorkit.dispatch import missing_kernel, op, sample
from tensorkit.dtypes import dtype
from tensorkit.elementwise import NUMBERS, python_number
from tensorkit.elementwise import empty_strided as _allocate
from tensorkit.errors import warn
from tensorkit.formats import check_format, formatted_strides, preserve_format
from tensorkit.forms import type_name
from tensorkit.kernels import cpu as kernels
from tensorkit.ops.convert import as_dtype, to_device, to_dtype
from tensorkit.ops.copies import copy_into
from tensorkit.ops.dims import as_ints
from tensorkit.ops.export import item
from tensorkit.ops.fill import write_number
from tensorkit.ops.names import cpp_name
from tensorkit.ops.resize import resize_
from tensorkit.sizes import contiguous_stride
from tensorkit.storage import adopt
from tensorkit.strides import Layout
from tensorkit.tensor import Array, Tensor, attach, fresh, on_storage

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "checked_number",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "quick_size",
    "scalar_tensor",
    "tensor",
    "zeros",
    "zeros_like",
]

_LIMITED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
_PLAIN = {bool: dtypes.bool, int: dtypes.int64}


# -- from data ----------------------------------------------------------------------------------------------------


def _is_sequence(value: Any) -> bool:
    """Whether a value counts as a row of others; an array of NumPy's without dimensions does, and has no length."""
    if isinstance(value, (list, tuple, range, bytes, memoryview)):
        return True
    if isinstance(value, (str, dict, set, Tensor)) or numpy.isscalar(value):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _size_of(data: Any) -> tuple[int, ...]:
    size = []
    while _is_sequence(data):
        size.append(len(data))
        if len(data) == 0:
            break
        data = data[0]
    if isinstance(data, str):  # in which every first letter is a string again
        raise ValueError("too many dimensions 'str'")
    return tuple(size)


def _leaves(data: Any, size: tuple[int, ...], dim: int, kind: dtype, out: list[Any]) -> None:
    """Append the numbers of nested sequences, row by row, or say which is none, or where the nesting is uneven."""
    if dim == len(size):
        out.append(_number_of(data, kind))
        return
    try:
        rows = data if isinstance(data, (list, tuple)) else list(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    if len(rows) != size[dim]:
        raise ValueError(f"expected sequence of length {size[dim]} at dim {dim} (got {len(rows)})")
    if dim == len(size) - 1 and kind is not dtypes.uint64 and _REAL.issuperset(map(type, rows)):
        out.extend(rows)
        return
    for row in rows:
        _leaves(row, size, dim + 1, kind, out)


_REAL = frozenset((bool, int, float))
_SCALARS = (bool, int, float, complex, numpy.generic)


def _dtype_of(data: Any) -> dtype:
    """The dtype that all numbers of nested sequences together promote to."""
    if isinstance(data, Tensor):
        return data._dtype
    if isinstance(data, (numpy.generic, numpy.ndarray)):
        return dtypes.from_numpy_dtype(data.dtype)
    if isinstance(data, _SCALARS):
        return dtypes.of_number(data)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not _is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    seen, kinds = set[type](), list[dtype]()
    for part in data:
        if not isinstance(part, _SCALARS) or type(part) not in seen:
            kinds.append(_dtype_of(part))
            seen.add(type(part))
    return functools.reduce(dtypes.promote_types, kinds) if kinds else dtypes.get_default_dtype()


def _number_of(leaf: Any, kind: dtype) -> Any:
    """What a leaf of nested sequences is as a number, refused by whatever Python asks of it for this dtype."""
    if kind is dtypes.uint64:
        if not isinstance(leaf, int):
            raise TypeError("an integer is required")
        return leaf
    if kind.category < 2:
        if isinstance(leaf, float):
            return leaf
        if kind.category == 0 and isinstance(leaf, (complex, numpy.bool_)):
            return bool(leaf)
        return operator.index(leaf)
    real = not isinstance(leaf, str) and (hasattr(leaf, "__float__") or hasattr(leaf, "__index__"))
    if not real and not (kind.is_complex and hasattr(leaf, "__complex__")):
        raise TypeError(f"must be real number, not {type_name(leaf)}")
    return complex(leaf) if kind.is_complex else float(leaf)


def _plain(value: Any) -> Any:
    """A number, NumPy's or a tensor's, as Python's."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return item(value)
    return python_number(value) if isinstance(value, numpy.generic) else value


def checked_number(value: Any, kind: dtype) -> Any:
    """A number as it will be stored, or PyTorch's word on why it cannot be."""
    if kind is dtypes.uint64:
        return _checked_unsigned(value)
    if isinstance(value, complex) and not kind.is_complex:
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if kind.category == 1:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        info = numpy.iinfo(kind.numpy)
        low = info.min if kind.is_signed or isinstance(value, float) else -info.max
        if not low <= value <= info.max:  # nor if it is not a number
            raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
        value = int(value)
    return value


def _checked_unsigned(value: Any) -> int:
    """A whole number for uint64, which alone holds more than Python's 64-bit conversion."""
    if not isinstance(value, int):
        raise TypeError("an integer is required")
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= 2**64:
        raise OverflowError("int too big to convert")
    return value


def _array_of(numbers: list[Any], size: tuple[int, ...], kind: dtype) -> Array:
    if kind.category == 1:
        whole = [checked_number(n, kind) for n in numbers]
        numbers_ = numpy.array(whole, numpy.uint64 if kind is dtypes.uint64 else numpy.int64)
        return kernels.quiet(numbers_.astype, kind.numpy).reshape(size)  # type: ignore[no-any-return]
    wide = numpy.complex128 if kind.is_complex else numpy.bool_ if kind.category == 0 else numpy.float64
    return kernels.cast(numpy.array(numbers, wide), kind).reshape(size)


def _from_array(data: Array, kind: dtype | None) -> Array:
    own = dtypes.from_numpy_dtype(data.dtype)
    if any(step < 0 for step in data.strides):
        raise ValueError(_NEGATIVE)
    source = data if data.dtype == own.numpy else data.astype(own.numpy)
    if own.is_complex and kind is not None and 0 < kind.category < 3:
        warn("Casting complex values to real discards the imaginary part")
    out = numpy.empty(data.shape, (kind or own).numpy)
    kernels.copy(out, source)
    return out


_NEGATIVE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)


def _quick_tensor(data: Any) -> Tensor | None:
    """A tensor of a plain number, or of a row of numbers of one plain type; None for anything else."""
    kind = type(data)
    if kind is list or kind is tuple:
        if not data:
            return None
        kind = type(data[0])
        for number in data:
            if type(number) is not kind:
                return None
    if kind is float:
        chosen = dtypes.get_default_dtype()
        if chosen is dtypes.bfloat16 or chosen is dtypes.float16:
            return None
        return fresh(kernels.quiet(numpy.array, data, chosen.numpy), chosen)
    if kind is bool:
        return fresh(numpy.array(data, numpy.bool_), dtypes.bool)
    if kind is int:
        try:
            return fresh(numpy.array(data, numpy.int64), dtypes.int64)
        except OverflowError:
            return None
    return None


@op(
    samples=(
        sample("tk.tensor([[1, 2], [3, 4]])"),
        sample("tk.tensor([1, 2.5, True])"),
        sample("tk.tensor(7)"),
        sample("tk.tensor([[]])"),
        sample("tk.tensor([1, 2], dtype=tk.float16)"),
        sample("tk.tensor([[1, 2], [3]])"),
        sample("tk.tensor(['a'])"),
        sample("tk.tensor([1, [2]])"),
        sample("tk.tensor([300], dtype=tk.uint8)"),
    ),
    kind="create",
    methods=(),
)
def tensor(data: Any, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """A tensor with a copy of the data: nested sequences of numbers, a number, a NumPy array.

    Python floats become the default dtype (float32), integers int64, bools bool, complex numbers complex64; NumPy
    arrays keep their dtype.

    Raises:
        ValueError: when rows differ in length. TypeError, RuntimeError: for what is no number.

    >>> import tensorkit as tk
    >>> tk.tensor([[3, 1, 2], [4, 1, 7]])
    tensor([[3, 1, 2],
            [4, 1, 7]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    """
    if dtype is None and device is None and not default_chosen.once:
        quick = _quick_tensor(data)
        if quick is not None:
            return quick
    kind = None if dtype is None else as_dtype(dtype, "tensor")
    where = resolve(device)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than tensorkit.tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
        here = data._device if device is None else where
        return to_device(to_dtype(data.detach(), kind or data._dtype, copy=True), here)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if isinstance(data, numpy.ndarray):
        copied = _from_array(data, kind)
        return to_device(fresh(copied, kind or dtypes.from_numpy_dtype(copied.dtype)), where)
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], numpy.ndarray) and data[0].ndim:
        warn(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to "
            "a single numpy.ndarray with numpy.array() before converting to a tensor."
        )
    size = _size_of(data)
    kind = kind or _dtype_of(data)
    numbers: list[Any] = []
    if 0 not in size:
        _leaves(data, size, 0, kind, numbers)
    return to_device(fresh(_array_of(numbers, size, kind), kind), where)


@op(
    samples=(sample("tk.as_tensor([1, 2])"), sample("tk.as_tensor(a, dtype=tk.float64)", a=(2,))),
    kind="create",
    methods=(),
    grad_flag=False,
)
def as_tensor(data: Any, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """`data` as a tensor, without a copy if it is a tensor or a NumPy array that fits already.

    >>> import tensorkit as tk
    >>> t = tk.ones(2)
    >>> tk.as_tensor(t) is t
    True
    """
    if isinstance(data, Tensor):
        kept = data if dtype is None else to_dtype(data, as_dtype(dtype, "as_tensor"))
        return kept if device is None else to_device(kept, resolve(device))
    if isinstance(data, numpy.ndarray):
        made = from_numpy(data)
        made = made if dtype is None else to_dtype(made, as_dtype(dtype, "as_tensor"))
        return to_device(made, resolve(device))
    return tensor(data, dtype=None if dtype is None else as_dtype(dtype, "as_tensor"), device=device)


@op(
    samples=(
        sample("tk.from_numpy(a.numpy()).stride()", a=(2, 3)),
        sample("tk.from_numpy(a.contiguous().numpy())", a=(2, 3)),
        sample("tk.from_numpy(a)", a=(2,)),
        sample("tk.from_numpy([1])"),
    ),
    kind="create",
    methods=(),
    grad_flag=False,
)
def from_numpy(ndarray: Array) -> Tensor:
    """A tensor on the memory of a NumPy array: writing to one changes the other.

    Raises:
        TypeError: for what is no array, or holds what a tensor cannot. ValueError: for negative strides.

    >>> import numpy as np, tensorkit as tk
    >>> a = np.zeros(2)
    >>> tk.from_numpy(a)[0] = 5
    >>> a
    array([5., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
    """
    if not isinstance(ndarray, numpy.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    kind = dtypes.from_numpy_dtype(ndarray.dtype)
    if any(step < 0 for step in ndarray.strides):
        raise ValueError(_NEGATIVE)
    if any(step % ndarray.itemsize for step in ndarray.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory."
        )
    if not ndarray.flags.writeable:
        warnings.warn(_READ_ONLY, UserWarning, stacklevel=3)
    stride = tuple([step // ndarray.itemsize for step in ndarray.strides])
    return on_storage(adopt(ndarray, foreign=True), Layout(ndarray.shape, stride, 0), kind)


_READ_ONLY = (
    "The given NumPy array is not writable, and tensorkit does not support non-writable tensors. Writing to this "
    "tensor will raise. You may want to copy the array to protect its data or make it writable before converting it "
    "to a tensor."
)


_READ_ONLY_BUFFER = (
    "The given buffer is not writable, and tensorkit does not support non-writable tensors. Writing to this tensor "
    "will raise. You may want to copy the buffer to protect its data or make it writable before converting it to a "
    "tensor."
)


def _from_buffer(buffer: Any, kind: dtype, count: int, offset: int) -> Tensor:
    view = memoryview(buffer)
    length, item = view.nbytes, kind.itemsize
    if length <= 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count <= 0 and (length - offset) % item:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element "
            f"size ({item})"
        )
    number = (length - offset) // item if count < 0 else count
    if offset + number * item > length:
        raise ValueError(
            f"requested buffer length ({number} * {item} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    if view.readonly:
        warn(_READ_ONLY_BUFFER)
    lent = numpy.frombuffer(buffer, kind.numpy, number, offset)
    return on_storage(adopt(lent, foreign=True), Layout((number,), (1,), 0), kind)


@op(
    strict=True,
    samples=(
        sample("tk.frombuffer(bytearray(b'abcdefgh'), dtype=tk.int32)"),
        sample("tk.frombuffer(bytearray(b'abcdefgh'), dtype=tk.int16, count=2, offset=1)"),
        sample("tk.frombuffer(bytearray(b'abcdefgh'), dtype=tk.int16, offset=1)"),
        sample("tk.frombuffer(bytearray(b'abcdefgh'), dtype=tk.int32, count=3)"),
        sample("tk.frombuffer(bytearray(b'abcdefgh'), dtype=tk.int32, offset=8)"),
        sample("tk.frombuffer(bytearray(b''), dtype=tk.uint8)"),
        sample("tk.frombuffer([1], dtype=tk.uint8)"),
    ),
    kind="create",
    methods=(),
)
def frombuffer(buffer: Any, *, dtype: Any = None, count: int = -1, offset: int = 0) -> Tensor:
    """A vector on the memory of an object that lends it, such as a bytearray: nothing is copied.

    Args:
        dtype: what the bytes mean. count: how many elements; by default all that there are. offset: bytes to skip.

    Raises:
        ValueError: when there are not enough bytes, or too many.

    >>> import tensorkit as tk
    >>> tk.frombuffer(bytearray(b"abc"), dtype=tk.uint8)
    tensor([97, 98, 99], dtype=tensorkit.uint8)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.frombuffer.html
    """
    if dtype is None:
        raise TypeError('frombuffer() missing 1 required positional arguments: "dtype"')
    kind = as_dtype(dtype, "frombuffer")
    try:
        memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    return _from_buffer(buffer, kind, count, offset)


def _aliased(obj: Any, kind: dtype | None) -> Tensor | None:
    """The object's own memory as a tensor; None if it lends none."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, numpy.ndarray):
        return from_numpy(obj) if obj.ndim else None  # without dimensions it is a number
    if (
        not isinstance(obj, numpy.ndarray)
        and hasattr(obj, "__dlpack__")
        and hasattr(obj, "__dlpack_device__")
        and not isinstance(obj, numpy.generic)
    ):
        return from_numpy(numpy.from_dlpack(obj))
    if isinstance(obj, (bytes, bytearray, memoryview, array.array)):
        chosen = kind or dtypes.get_default_dtype()
        if not memoryview(obj).nbytes:
            return fresh(numpy.empty(0, chosen.numpy), chosen)
        return _from_buffer(obj, chosen, -1, 0)
    return None


def _check_alias(shared: Tensor, kind: dtype | None, where: Any) -> None:
    if where is not None and where != shared._device:
        raise ValueError(f"can't alias tensor from device '{shared._device}' to '{where}'.")
    if kind is not None and kind is not shared._dtype:
        raise ValueError(f"can't alias tensor with dtype '{shared._dtype.label}' into dtype '{kind.label}'.")


@op(
    strict=True,
    samples=(
        sample("tk.asarray([1, 2.5])"),
        sample("tk.asarray(a)", a=(2, 3)),
        sample("tk.asarray(a, copy=True)", a=(2, 3)),
        sample("tk.asarray(a, dtype=tk.float64)", a=(2,)),
        sample("tk.asarray(a, dtype=tk.float64, copy=False)", a=(2,)),
        sample("tk.asarray(a.contiguous().numpy())", a=(2, 3)),
        sample("tk.asarray([1], copy=False)"),
        sample("tk.asarray(bytearray(b'abcd'), dtype=tk.int16)"),
        sample("tk.asarray('a')"),
    ),
    kind="create",
    methods=(),
    grad_flag=False,
)
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: DeviceLike = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """An object as a tensor: a tensor, an array, something that lends its memory, numbers; copied only if it must be.

    Args:
        copy: True always copies; False raises where a copy would be needed.

    Raises:
        ValueError: when a copy is needed and was forbidden.

    >>> import numpy as np, tensorkit as tk
    >>> a = np.zeros(2)
    >>> tk.asarray(a)[0] = 5
    >>> a
    array([5., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.asarray.html
    """
    kind = None if dtype is None else as_dtype(dtype, "asarray")
    where = resolve(device) if device is not None or default_chosen.once else None
    made: Any = _aliased(obj, kind)
    if made is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        made = tensor(obj, dtype=kind, device=where)
    elif copy is False:
        _check_alias(made, kind, where)
    else:
        again = to_dtype(made, kind or made._dtype)
        again = again if where is None else to_device(again, where)
        made = again.clone() if copy and again is made else again
    return _asked_grad(made, isinstance(obj, Tensor), requires_grad)


def _asked_grad(made: Any, given: bool, requires_grad: bool | None) -> Tensor:
    wants = bool(made.requires_grad)
    if requires_grad is None:
        if given and wants and made.is_leaf:
            warn(
                "tensorkit.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. "
                "Pass requires_grad=False explicitly to get the old behavior and silence this warning."
            )
        return made  # type: ignore[no-any-return]
    if requires_grad and made._dtype.category < 2:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if wants and not requires_grad:
        return made.detach()  # type: ignore[no-any-return]
    return made if wants == requires_grad else made.requires_grad_()  # type: ignore[no-any-return]


# -- filled with one number ---------------------------------------------------------------------------------------


def _size(size: tuple[Any, ...], name: str, keyword: Any = None) -> tuple[int, ...]:
    if keyword is not None:
        size = (keyword,)
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return as_ints(size, name)


def _check_size(size: tuple[int, ...], name: str) -> None:
    if any(n < 0 for n in size):
        if name == "zeros":
            raise RuntimeError(f"{name}: Dimension size must be non-negative.")
        low = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {low}: {list(size)}")


def _new(size: tuple[int, ...], kind: Any, where: DeviceLike, out: Tensor | None, name: str) -> Tensor:
    """An uninitialised row-major tensor, or `out` given that size (silently, as PyTorch's factories do)."""
    if out is not None:
        _check_out(out, kind, where, name)
        written = out._version
        resize_(out, size)
        if out._version != written:  # the whole call counts as one write, noted when the numbers are there
            out._counter[0] = written  # type: ignore[index]
        return out
    chosen = dtypes.get_default_dtype() if kind is None else as_dtype(kind, name)
    here = CPU if where is None and not default_chosen.once else resolve(where)
    if math.prod(size) * chosen.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")
    if here is CPU:
        return fresh(_memory(size, chosen), chosen)
    return _allocate(size, contiguous_stride(size), chosen, here)


def _check_out(out: Any, kind: Any, where: DeviceLike, name: str) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    asked = None if kind is None else as_dtype(kind, name)
    if asked is not None and asked is not out._dtype:
        raise RuntimeError(f"dtype {asked.label} does not match dtype of out parameter ({out._dtype.label})")
    if where is not None and resolve(where).type != out._device.type:
        raise RuntimeError(
            f"device type {resolve(where).type} does not match device type of out parameter ({out._device.type})"
        )


def _memory(size: tuple[int, ...], kind: dtype) -> Array:
    try:
        return numpy.empty(size, kind.numpy)
    except (MemoryError, ValueError):
        asked = math.prod(size) * kind.itemsize
        raise RuntimeError(
            f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {asked} bytes. "
            "Error code 12 (Cannot allocate memory)"
        ) from None


@op(
    samples=(sample("tk.empty(2, 3).size()"), sample("tk.empty((0, 3)).stride()"), sample("tk.empty(-1)")),
    kind="create",
    methods=(),
)
def empty(
    *size: Any,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """A tensor whose elements are whatever the memory held before.

    >>> import tensorkit as tk
    >>> tk.empty(2, 3).size()
    tensorkit.Size([2, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty.html
    """
    if out is None and device is None and memory_format is None and not keyword and not default_chosen.once:
        quick = _quickly(size, dtype, None)
        if quick is not None:
            return quick
    sizes = _size(size, "empty", _named_size(keyword, "empty"))
    _check_size(sizes, "empty")
    if memory_format is not None:
        return _empty_in_format(sizes, dtype, device, out, memory_format)
    return _new(sizes, dtype, device, out, "empty")


def _empty_in_format(size: tuple[int, ...], kind: Any, where: DeviceLike, out: Any, wanted: Any) -> Tensor:
    check_format("empty", wanted)
    if out is not None:
        raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
    if wanted is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    strides = formatted_strides(layouts.contiguous(size), wanted)
    chosen = dtypes.get_default_dtype() if kind is None else as_dtype(kind, "empty")
    return _allocate(size, strides, chosen, resolve(where))


def _named_size(keyword: dict[str, Any], name: str) -> Any:
    """The size, where it was given by name."""
    for key in keyword:
        if key != "size":
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return keyword.get("size")


def quick_size(size: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The size where it is plainly given, as most are; None where it has to be looked at."""
    sizes = size[0] if len(size) == 1 and size[0].__class__ is tuple else size
    for length in sizes:
        if length.__class__ is not int or length < 0:
            return None
    return sizes if size else None


_SMALL = 2**20


def _quickly(size: tuple[Any, ...], kind: Any, value: int | None) -> Tensor | None:
    """A small CPU tensor of a plain size, filled: what nearly every call of `zeros` and `ones` asks for."""
    sizes = quick_size(size)
    if sizes is None:
        return None
    if kind is None:
        kind = dtypes.get_default_dtype()
    elif type(kind) is not dtypes.dtype:
        return None
    if math.prod(sizes) > _SMALL:
        return None
    if value == 0:
        return fresh(numpy.zeros(sizes, kind.numpy), kind)
    made = numpy.empty(sizes, kind.numpy)
    if value is not None:
        made.fill(value)
    return fresh(made, kind)


def _filled(name: str, value: int) -> Callable[..., Tensor]:
    def create(
        *size: Any, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None, **keyword: Any
    ) -> Tensor:
        if out is None and device is None and not keyword and not default_chosen.once:
            quick = _quickly(size, dtype, value)
            if quick is not None:
                return quick
        sizes = _size(size, name, _named_size(keyword, name))
        _check_size(sizes, name)
        made = _new(sizes, dtype, device, out, name)
        write_number(made, value)
        if out is not None:
            out._bump()
        return made

    create.__name__ = name
    text = f"{float(value)}".removesuffix("0")
    create.__doc__ = f"""A tensor filled with {value}.

    Args:
        size: the size, as several integers or one sequence.
        out: a tensor to write into. dtype: the default dtype if not given. device: the CPU if not given.

    >>> import tensorkit as tk
    >>> tk.{name}(2)
    tensor([{text}, {text}])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    return create


zeros = op(
    samples=(sample("tk.zeros(2, 3)"), sample("tk.zeros((2, 0), dtype=tk.int8)"), sample("tk.zeros(2, -1)")),
    kind="create",
    methods=(),
)(_filled("zeros", 0))
ones = op(
    samples=(sample("tk.ones(2, 3)"), sample("tk.ones([2], dtype=tk.bool)"), sample("tk.ones('a')")),
    kind="create",
    methods=(),
)(_filled("ones", 1))


@op(
    samples=(
        sample("tk.full((2, 3), 7)"),
        sample("tk.full((2,), True)"),
        sample("tk.full((2,), 2.5, dtype=tk.int64)"),
        sample("tk.full(2, 3)"),
    ),
    kind="create",
    methods=(),
)
def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """A tensor filled with one number, of the number's own dtype unless told otherwise.

    >>> import tensorkit as tk
    >>> tk.full((2, 2), 3.5)
    tensor([[3.5000, 3.5000],
            [3.5000, 3.5000]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.full.html
    """
    if out is None and dtype is None and device is None and not default_chosen.once:
        chosen = _PLAIN.get(type(fill_value)) or (
            dtypes.get_default_dtype() if type(fill_value) is float else None
        )
        quick = None if chosen is None or type(size) is not tuple else _quickly((size,), chosen, 0)
        if quick is not None and (chosen is not dtypes.int64 or -(2**63) <= fill_value < 2**63):
            write_number(quick, fill_value)
            return quick
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}"
        )
    sizes = as_ints((size,), "full")
    _check_size(sizes, "full")
    if not isinstance(fill_value, (Tensor, *NUMBERS)) or (
        isinstance(fill_value, Tensor) and fill_value.dim()
    ):
        raise TypeError(
            f"full(): argument 'fill_value' (position 2) must be Number, not {type_name(fill_value)}"
        )
    value = _plain(fill_value)
    own = fill_value._dtype if isinstance(fill_value, Tensor) else dtypes.of_number(value)
    chosen = dtype if dtype is not None or out is not None else own
    made = _new(sizes, chosen, device, out, "full")
    write_number(made, value, narrow=made.numel() != 1)
    if out is not None:
        out._bump()
    return made


@op(samples=(sample("tk.scalar_tensor(2)"),), kind="create", methods=())
def scalar_tensor(s: Any, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """A 0-d tensor of the default dtype.

    >>> import tensorkit as tk
    >>> tk.scalar_tensor(2)
    tensor(2.)
    """
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "scalar_tensor")
    if not isinstance(s, (Tensor, *NUMBERS)) or (isinstance(s, Tensor) and s.dim()):
        raise TypeError(f"scalar_tensor(): argument 's' (position 1) must be Number, not {type_name(s)}")
    return full((), s, dtype=kind, device=device)


@op(
    samples=(
        sample("tk.empty_strided((2, 2), (1, 2)).stride()"),
        sample("tk.empty_strided((2, 3), (0, 1)).untyped_storage().nbytes()"),
    ),
    kind="create",
    methods=(),
)
def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor with strides of your own, on a storage that just holds it.

    >>> import tensorkit as tk
    >>> tk.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    for place, (label, given) in enumerate((("size", size), ("stride", stride))):
        if not isinstance(given, (tuple, list)):
            raise TypeError(
                f"empty_strided(): argument '{label}' (position {place + 1}) must be tuple of ints, "
                f"not {type(given).__name__}"
            )
    sizes = as_ints((size,), "empty_strided")
    strides = as_ints((stride,), "empty_strided", "stride", 2)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(strides)})"
        )
    _check_size(sizes, "empty_strided")
    if any(step < 0 for step in strides):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(sizes)} and strides={list(strides)}"
        )
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "empty_strided")
    return _allocate(sizes, strides, kind, resolve(device))


@op(
    samples=(
        sample("tk.empty_permuted((2, 3, 4), (0, 2, 1)).stride()"),
        sample("tk.empty_permuted((2, 3), (1, 0), dtype=tk.int8).dtype"),
        sample("tk.empty_permuted((2, 3), (0, 0))"),
        sample("tk.empty_permuted((2, 3), (0,))"),
        sample("tk.empty_permuted((2, 3), (0, 2))"),
        sample("tk.empty_permuted((2, -3), (0, 1))"),
    ),
    kind="create",
    methods=(),
)
def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor whose dimensions lie in memory in an order of your own, the slowest first.

    >>> import tensorkit as tk
    >>> tk.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty_permuted.html
    """
    for place, (label, given) in enumerate((("size", size), ("physical_layout", physical_layout))):
        if not isinstance(given, (tuple, list)):
            raise TypeError(
                f"empty_permuted(): argument '{label}' (position {place + 1}) must be tuple of ints, "
                f"not {type(given).__name__}"
            )
    if len(physical_layout) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    seen: list[int] = []
    for dim in physical_layout:
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index "
                f"{len(seen)}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.append(dim)
    ordered = [size[dim] for dim in seen]
    _check_size(tuple(ordered), "empty_permuted")
    steps = contiguous_stride(ordered)
    stride = tuple([steps[seen.index(dim)] for dim in range(len(size))])
    return empty_strided(tuple(size), stride, dtype=dtype, device=device)


@op(
    strict=True,
    samples=(
        sample("tk.eye(3)"),
        sample("tk.eye(2, 3, dtype=tk.int32)"),
        sample("tk.eye(0)"),
        sample("tk.eye(-1)"),
    ),
    kind="create",
    methods=(),
)
def eye(
    n: int, m: int | None = None, *, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere.

    >>> import tensorkit as tk
    >>> tk.eye(2)
    tensor([[1., 0.],
            [0., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.eye.html
    """
    if type(n) is int and (m is None or type(m) is int) and out is None and device is None:
        quick = _quick_eye(n, n if m is None else m, dtype)
        if quick is not None:
            return quick
    for label, count in (("n", n), ("m", n if m is None else m)):
        if isinstance(count, float) or not hasattr(count, "__index__"):
            raise TypeError(f"eye(): argument '{label}' (position 1) must be int, not {type(count).__name__}")
        if count < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {count}")
    rows = int(n.__index__())
    made = _new((rows, rows if m is None else int(m.__index__())), dtype, device, out, "eye")
    if made._dtype in _LIMITED:
        raise missing_kernel("eye", made._dtype.label)
    write_number(made, 0)
    if made.numel():
        write_number(made._view(made._lay().diagonal()), 1)
    if out is not None:
        out._bump()
    return made


def _quick_eye(rows: int, columns: int, asked: Any) -> Tensor | None:
    """A small CPU tensor; None where there is more to look at."""
    kind = dtypes.get_default_dtype() if asked is None else asked
    if type(kind) is not dtypes.dtype or kind in _LIMITED or default_chosen.once:
        return None
    if rows < 0 or columns < 0 or rows * columns > _SMALL:
        return None
    made = numpy.zeros((rows, columns), kind.numpy)
    made.reshape(-1)[: columns * columns : columns + 1] = 1
    return fresh(made, kind)


# -- ranges -------------------------------------------------------------------------------------------------------


def _number(value: Any, name: str, argument: str, position: int) -> Any:
    value = _plain(value)
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not {type_name(value)}"
        )
    return value


def _place(
    values: Array, kind: dtype, asked: Any, where: DeviceLike, out: Tensor | None, name: str
) -> Tensor:
    """Computed values as a tensor of a dtype, on a device, or in `out`."""
    made = fresh(numpy.ascontiguousarray(kernels.cast(values, kind)), kind)
    if out is None:
        return to_device(made, resolve(where))
    target = _new(made._lay().size, asked, where, out, name)
    copy_into(target, made)
    target._bump()
    return target


def _range_length(start: Any, end: Any, step: Any) -> int:
    if not all(math.isfinite(v) for v in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if all(isinstance(v, int) for v in (start, end, step)):
        return int(-((start - end) // step) if step > 0 else -((end - start) // -step))
    length: int = math.ceil((end - start) / step)
    return length


def _plainly_whole(start: Any, end: Any, step: Any) -> bool:
    """Whether a range is one of ordinary integers, that goes up, for the CPU."""
    return (
        type(end) is int
        and type(start) is int
        and type(step) is int
        and step > 0
        and start <= end
        and start > -(2**62)
        and end < start + _SMALL
        and end < 2**62
        and not default_chosen.once
    )


@op(
    strict=True,
    samples=(
        sample("tk.arange(5)"),
        sample("tk.arange(2, 10, 4)"),
        sample("tk.arange(0, 1, 0.1)"),
        sample("tk.arange(5, 1, -2.0)"),
        sample("tk.arange(3, dtype=tk.float16)"),
        sample("tk.arange(1, 1)"),
        sample("tk.arange(0, 3, -1)"),
        sample("tk.arange(1, 2, 0)"),
        sample("tk.arange('a')"),
    ),
    kind="create",
    methods=(),
)
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """The numbers from `start` (0) up to, not including, `end`, `step` (1) apart.

    Returns:
        A 1-D tensor of ceil((end - start) / step) elements: int64 if all three are integers, else the default dtype.

    Raises:
        RuntimeError: for a step of 0, or one that leads away from `end`.

    >>> import tensorkit as tk
    >>> tk.arange(2, 10, 4)
    tensor([2, 6])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.arange.html
    """
    if end is None:
        start, end = 0, start
    elif start is None:
        start = 0
    if out is None and dtype is None and device is None and _plainly_whole(start, end, step):
        return fresh(numpy.arange(start, end, step, dtype=numpy.int64), dtypes.int64)
    if end is None:
        raise TypeError(
            "arange() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (Number end, *, Tensor out = None, tensorkit.dtype dtype = None, tensorkit.device device = None)\n"
            " * (Number start, Number end, Number step = 1, *, Tensor out = None, tensorkit.dtype dtype = None, "
            "tensorkit.device device = None)\n"
        )
    start, end, step = (
        _number(start, "arange", "start", 1),
        _number(end, "arange", "end", 1),
        _number(step, "arange", "step", 3),
    )
    start, end, step = (int(v) if isinstance(v, bool) else v for v in (start, end, step))
    kind = (
        as_dtype(dtype, "arange")
        if dtype is not None
        else out._dtype
        if out is not None
        else _range_dtype(start, end, step)
    )
    if kind in _LIMITED or kind.is_complex or kind.category == 0:
        raise missing_kernel("arange_cpu", kind.label)
    for value in (start, end, step):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
    for value in (start, end, step):
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
    if kind is dtypes.int64 and all(math.isfinite(v) for v in (start, end, step)):
        start, end, step = int(start), int(end), int(step)
    length = _range_length(start, end, step)
    if length * kind.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{length}]")
    if kind.category == 1:
        start, step = int(start), int(step)
    if isinstance(out, Tensor) and out.numel() not in (0, length):
        _warn_length(out, length)
    if kind.category == 1:
        values = numpy.arange(length, dtype=numpy.int64) * step + start
    else:
        values = kernels.quiet(_counted, float(start), float(step), length, kind)
    return _place(values, kind, dtype, device, out, "arange")


def _warn_length(out: Tensor, length: int) -> None:
    warnings.warn(
        f"The number of elements in the out tensor of shape {list(out._lay().size)} is {out.numel()} which does not "
        f"match the computed number of elements {length}. Note that this may occur as a result of rounding error. "
        f"The out tensor will be resized to a tensor of shape ({length},).",
        UserWarning,
        stacklevel=4,
    )


def _range_dtype(*values: Any) -> dtype:
    return dtypes.int64 if all(isinstance(v, int) for v in values) else dtypes.get_default_dtype()


def _steps(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any, int]:
    if steps is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "steps"')
    if isinstance(steps, (bool, float)) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' (position 3) must be int, not {type(steps).__name__}")
    count = int(steps.__index__())
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    for label, given in (("start", start), ("end", end)):
        if isinstance(given, Tensor) and given.dim():
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {label} with {given.dim()} "
                "dimension(s)."
            )
    return _number(start, name, "start", 1), _number(end, name, "end", 2), count


def _even_steps(start: Any, end: Any, count: int, kind: dtype) -> Array:
    """`count` numbers from start to end: the first half counted from the start, the second back from the end."""
    work: Any = (
        numpy.float32 if kind.category < 2 or kind in (dtypes.float16, dtypes.bfloat16) else kind.numpy
    )
    if kind.category == 1 or kind.category == 0:
        start, end = int(start), int(end)
    first, last = numpy.array(start, work), numpy.array(end, work)
    if kind in (dtypes.float16, dtypes.bfloat16):
        first, last = first.astype(kind.numpy).astype(work), last.astype(kind.numpy).astype(work)
    if count == 1:
        return first.reshape(1)
    each = ((last - first) / numpy.array(count - 1, work)).astype(work)
    if kind in (dtypes.float16, dtypes.bfloat16):
        each = each.astype(kind.numpy).astype(work)
    index = numpy.arange(count, dtype=work)
    half = count // 2
    if kind in (dtypes.float32, dtypes.float64):
        fused = _fused_single if kind is dtypes.float32 else _fused
        return numpy.concatenate(
            [fused(each, index[:half], first), fused(-each, count - 1 - index[half:], last)]
        )
    return numpy.concatenate([first + each * index[:half], last - each * (count - 1 - index[half:])])


def _few_steps(start: float, end: float, count: int) -> Array:
    """`_even_steps` of a few numbers in float32, one by one: float64 has room for the products."""
    first, last = numpy.float32(start), numpy.float32(end)
    if count < 2:
        return numpy.array([first] * count, numpy.float32)
    near, far, step = float(first), float(last), float((last - first) / numpy.float32(count - 1))
    half = count // 2
    numbers = [step * i + near for i in range(half)]
    numbers += [-step * i + far for i in range(count - 1 - half, -1, -1)]
    return numpy.array(numbers, numpy.float32)


_PLAIN_ENDS = (int, float)


def _fused_single(each: Any, index: Array, start: Any) -> Array:
    """``each * index + start`` in float32, rounded once: float64 has room for the product."""
    wide: Array = numpy.multiply(index, each, dtype=numpy.float64)
    wide += start
    return wide.astype(numpy.float32)


def _fused(each: Any, index: Array, start: Any) -> Array:
    """``each * index + start`` in float64, rounded once, as a processor's fused instruction does it.

    The rounding errors of the product (by Dekker's splitting) and of the sum (by Knuth's) are put back at the end.
    """
    product = each * index
    total = product + start
    high = _upper(each)
    upper = _upper(index)
    low, lower = each - high, index - upper
    lost = ((high * upper - product) + high * lower + low * upper) + low * lower
    part = total - product
    lost = lost + ((product - (total - part)) + (start - part))
    exact: Array = numpy.where(numpy.isfinite(lost), total + lost, total)  # numbers near the end of the range
    return exact


def _upper(value: Any) -> Any:
    """The upper half of a number's digits."""
    wide = value * 134217729.0
    return wide - (wide - value)


_FEW = 16  # numbers, which Python counts sooner than NumPy begins to
#: Up to here PyTorch counts in one thread; beyond, what is rounded how depends on the number of its threads.
_ONE_THREAD = 32768


def _counted(start: float, step: float, length: int, kind: dtype) -> Array:
    """Numbers one step apart, rounded as PyTorch's vectors of 32 bytes round them.

    It computes the first number of each vector, rounds it, and counts on from there; the last numbers, which do not
    fill two vectors, are computed one by one.
    """
    index = numpy.arange(length, dtype=numpy.float64)
    if length > _ONE_THREAD or kind not in (dtypes.float32, dtypes.float64):
        return index * step + start
    lanes = 32 // kind.itemsize
    full = length - length % (2 * lanes)
    values = _fused(step, index, start).astype(kind.numpy)
    if full:
        heads = values[:full:lanes].astype(numpy.float64)
        values[:full] = _fused(step, index[:lanes], heads[:, None]).astype(kind.numpy).reshape(-1)
    return values


def _linear_dtype(start: Any, end: Any, dtype_: Any, out: Tensor | None, name: str) -> dtype:
    default = dtypes.get_default_dtype()
    if dtype_ is not None:
        kind = as_dtype(dtype_, name)
        if not kind.is_complex and (isinstance(start, complex) or isinstance(end, complex)):
            raise RuntimeError(
                f"tensorkit.{name}(): inferred dtype {cpp_name(default.to_complex())} can't be safely cast to passed "
                f"dtype {kind.label}"
            )
        return kind
    if out is not None:
        return out._dtype
    return default.to_complex() if isinstance(start, complex) or isinstance(end, complex) else default


@op(
    samples=(
        sample("tk.linspace(2, 10, 4)"),
        sample("tk.linspace(0, 10, 4, dtype=tk.int32)"),
        sample("tk.linspace(0, 1, 1)"),
        sample("tk.linspace(3, 1, 0)"),
        sample("tk.linspace(0, 1, -1)"),
    ),
    kind="create",
    methods=(),
)
def linspace(
    start: Any,
    end: Any,
    steps: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly apart.

    >>> import tensorkit as tk
    >>> tk.linspace(2, 10, 4)
    tensor([ 2.0000,  4.6667,  7.3333, 10.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linspace.html
    """
    if out is None and dtype is None and device is None and type(steps) is int and 0 <= steps <= _FEW:
        plain = type(start) in _PLAIN_ENDS and type(end) in _PLAIN_ENDS and not default_chosen.once
        if plain and dtypes.get_default_dtype() is dtypes.float32:
            return fresh(kernels.quiet(_few_steps, start, end, steps), dtypes.float32)
    start, end, count = _steps("linspace", start, end, steps)
    kind = _linear_dtype(start, end, dtype, out, "linspace")
    if kind in _LIMITED or kind.category == 0:
        raise missing_kernel("linspace_cpu", kind.label)
    values = kernels.quiet(_even_steps, start, end, count, kind) if count else numpy.empty(0)
    return _place(values, kind, dtype, device, out, "linspace")


@op(
    strict=True,
    samples=(
        sample("tk.logspace(2, 10, 4)"),
        sample("tk.logspace(0, 3, 4, base=2.0)"),
        sample("tk.logspace(1, 2, 1)"),
    ),
    kind="create",
    rounded=1,
    methods=(),
)
def logspace(
    start: Any,
    end: Any,
    steps: int | None = None,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """`base` to the power of `steps` numbers from `start` to `end`, both included, evenly apart.

    >>> import tensorkit as tk
    >>> tk.logspace(0, 3, 4)
    tensor([   1.,   10.,  100., 1000.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logspace.html
    """
    start, end, count = _steps("logspace", start, end, steps)
    kind = _linear_dtype(start, end, dtype, out, "logspace")
    if kind in _LIMITED or kind.category == 0:
        raise missing_kernel("logspace_cpu", kind.label)
    powers = kernels.quiet(_even_steps, start, end, count, kind) if count else numpy.empty(0)
    values = kernels.quiet(numpy.power, numpy.array(base, powers.dtype), powers)
    return _place(values, kind, dtype, device, out, "logspace")


# -- like another tensor ------------------------------------------------------------------------------------------


def _quickly_like(input: Tensor, kind: Any, where: Any, memory_format: Any, value: int) -> Tensor | None:
    """A small row-major CPU tensor like another such, filled; None where that is not plainly asked for."""
    if where is not None or memory_format is not None or type(input) is not Tensor:
        return None
    if kind is None:
        kind = input._dtype
    elif type(kind) is not dtypes.dtype:
        return None
    if input._array is None or not input._solid or input._array.size > _SMALL:
        return None
    if value == 0:
        return fresh(numpy.zeros(input._array.shape, kind.numpy), kind)
    made = numpy.empty(input._array.shape, kind.numpy)
    made.fill(value)
    return fresh(made, kind)


def _like(input: Tensor, kind: Any, where: DeviceLike, memory_format: Any, name: str) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    check_format(name, memory_format)
    lay = input._lay()
    stride = formatted_strides(lay, memory_format)
    chosen = input._dtype if kind is None else as_dtype(kind, name)
    return _allocate(lay.size, stride, chosen, input._device if where is None else resolve(where))


@op(samples=(sample("tk.empty_like(a).stride()", a=(2, 3)),), kind="create", methods=())
def empty_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the size, dtype, device and order of dimensions of another.

    >>> import tensorkit as tk
    >>> tk.empty_like(tk.zeros(2, 3).t()).stride()
    (1, 3)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty_like.html
    """
    return _like(input, dtype, device, memory_format, "empty_like")


@op(
    samples=(sample("tk.zeros_like(a)", a=(2, 3)), sample("tk.zeros_like(a, dtype=tk.int64)", a=(2, 3))),
    kind="create",
    methods=(),
)
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Zeros, of the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.zeros_like(tk.tensor([1, 2]))
    tensor([0, 0])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 0)
    if quick is not None:
        return quick
    out = _like(input, dtype, device, memory_format, "zeros_like")
    write_number(out, 0)
    return out


@op(
    samples=(sample("tk.ones_like(a)", a=(2, 3)), sample("tk.ones_like(a, dtype=tk.bool)", a=(2, 3))),
    kind="create",
    methods=(),
)
def ones_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Ones, of the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.ones_like(tk.zeros(2))
    tensor([1., 1.])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 1)
    if quick is not None:
        return quick
    out = _like(input, dtype, device, memory_format, "ones_like")
    write_number(out, 1)
    return out


@op(strict=True, samples=(sample("tk.full_like(a, 7)", a=(2, 3)),), kind="create", methods=())
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """One number, in the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.full_like(tk.zeros(2), 7)
    tensor([7., 7.])
    """
    out = _like(input, dtype, device, memory_format, "full_like")
    write_number(out, _plain(fill_value), narrow=out.numel() != 1)
    return out


def _new_form(create: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``t.new_zeros(2)`` and its kin: the dtype and device of `t` unless told otherwise."""

    def method(
        self: Tensor, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any
    ) -> Tensor:
        kind = self._dtype if dtype is None else dtype
        where = device
        if device is None and (self._device is not CPU or default_chosen.once):
            where = self._device
        if "memory_format" in kwargs:
            raise TypeError(f"new_{name}() got an unexpected keyword argument 'memory_format'")
        known: Exception
        try:
            return create(*args, dtype=kind, device=where, **kwargs)
        except TypeError as wrong:
            sentence = str(wrong)
            if not sentence.startswith(f"{name}()"):
                raise
            known = TypeError(f"new_{sentence}")
        except (
            RuntimeError
        ) as wrong:  # `zeros` has words of its own for a negative length, `new_zeros` has not
            if name != "zeros":
                raise
            known = wrong
        if isinstance(known, RuntimeError):
            _check_size(_size(args, f"new_{name}", kwargs.get("size")), f"new_{name}")
        raise known

    name = create.__name__
    method.__name__ = f"new_{create.__name__}"
    method.__doc__ = f"``{create.__name__}`` with this tensor's dtype and device unless told otherwise."
    return method


def _attach_new_forms() -> None:
    for create in (empty, empty_strided, zeros, ones, full, tensor):
        attach(f"new_{create.__name__}", _new_form(create))


_attach_new_forms()
