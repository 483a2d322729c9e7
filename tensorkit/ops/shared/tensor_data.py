"""New tensors from data: from numbers and nested lists, from arrays of NumPy's, from memory that others hold.

Arguments, defaults, dtypes and sentences are PyTorch 2.13's
(https://docs.pytorch.org/docs/stable/torch.html#creation-ops).
"""

from __future__ import annotations

import array
import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import DeviceLike, default_chosen, resolve
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.promotion import python_number
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import check_range
from tensorkit.ops.shared.int_args import counted
from tensorkit.ops.shared.item import item
from tensorkit.ops.shared.to import as_dtype, to_device, to_dtype
from tensorkit.storage import adopt
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided, on_storage


def is_sequence(value: Any) -> bool:
    """Whether a value counts as a row of others; an array of NumPy's without dimensions does, and has no length."""
    if isinstance(value, (list, tuple, range, bytes, memoryview)):
        return True
    if isinstance(value, (str, dict, set, Tensor)) or numpy.isscalar(value):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


_MOST_DIMS = 64  # NumPy's; PyTorch has 128
_TOO_DEEP = 256


def _size_of(data: Any) -> tuple[int, ...]:
    size = []
    while is_sequence(data):
        size.append(len(data))
        if len(size) > _MOST_DIMS:  # a list that lies in itself has no end of them
            raise ValueError(f"too many dimensions '{type_name(data)}'")
        if len(data) == 0:
            break
        try:
            data = data[0]
        except Exception:  # such as the KeyError of a pandas table whose columns have names
            raise ValueError(f"could not determine the shape of object type '{type_name(data)}'") from None
    if isinstance(data, str):  # in which every first letter is a string again
        raise ValueError("too many dimensions 'str'")
    return tuple(size)


def _leaves(data: Any, size: tuple[int, ...], dim: int, kind: dtype, out: list[Any]) -> None:
    """Append the numbers of nested sequences, row by row, or say what is not one, or where the nesting is uneven."""
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


def _check_byte_order(given: Array) -> None:
    if not given.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )


def dtype_of(data: Any, within: tuple[Any, ...] = ()) -> dtype:
    """The dtype that all numbers of nested sequences together promote to.

    Args:
        within: the sequences that this one lies in.

    Raises:
        TypeError: for a sequence that lies in itself.
    """
    if isinstance(data, Tensor):
        return data._dtype
    if isinstance(data, (numpy.generic, numpy.ndarray)):
        return dtypes.from_numpy_dtype(data.dtype)
    if isinstance(data, _SCALARS):
        return dtypes.of_number(data)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type_name(data)}")
    if len(within) > _TOO_DEEP:
        return dtypes.get_default_dtype()  # whatever lies there, it is refused
    seen, kinds, within = set[type](), list[dtype](), (*within, data)
    # By index, as PyTorch does: a pandas column's own numbers are NumPy's, those that it is walked by are Python's.
    parts = data if isinstance(data, (list, tuple)) else map(data.__getitem__, range(len(data)))
    for part in parts:
        if isinstance(part, _SCALARS):
            if type(part) in seen:
                continue
            seen.add(type(part))
        elif any(part is outer for outer in within):
            raise TypeError("new(): self-referential lists are incompatible")
        kinds.append(dtype_of(part, within))
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


def plain_number(value: Any) -> Any:
    """A number, NumPy's or a tensor's, as Python's.

    Anything else stays as it is, to be refused: so does a tensor that has dimensions, and one that wants a gradient,
    which would be lost.
    """
    if isinstance(value, Tensor):
        return value if value.dim() or (wants_grad(value) and value.requires_grad) else item(value)
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
    check_range(value)
    return value


def _array_of(numbers: list[Any], size: tuple[int, ...], kind: dtype) -> Array:
    if kind.category == 1:
        whole = [checked_number(n, kind) for n in numbers]
        numbers_ = numpy.array(whole, numpy.uint64 if kind is dtypes.uint64 else numpy.int64)
        return kernels.quiet(numbers_.astype, kind.numpy).reshape(size)  # type: ignore[no-any-return]
    wide = numpy.complex128 if kind.is_complex else numpy.bool_ if kind.category == 0 else numpy.float64
    return kernels.cast(numpy.array(numbers, wide), kind).reshape(size)


def _from_array(data: Array, kind: dtype | None) -> Tensor:
    """A copy of an array of NumPy's, whose dimensions lie in memory in the same order, without gaps or overlap."""
    own = dtypes.from_numpy_dtype(data.dtype)
    _check_steps(data)
    source = data if data.dtype == own.numpy else data.astype(own.numpy)
    if own.is_complex and kind is not None and 0 < kind.category < 3:
        warn("Casting complex values to real discards the imaginary part")
    kind, size = kind or own, data.shape
    stride = tuple([step // data.itemsize for step in data.strides])
    if stride != contiguous_stride(size):
        stride = like_strides(Layout(size, stride))
    if stride == contiguous_stride(size):
        out = numpy.empty(size, kind.numpy)
        kernels.copy(out, source)
        return fresh(out, kind)
    steps = [step * kind.itemsize for step in stride]
    out = numpy.ndarray(size, kind.numpy, numpy.empty(data.size, kind.numpy), strides=steps)
    kernels.copy(out, source)
    return fresh_strided(out, kind)


def _check_steps(data: Array) -> None:
    if any(step < 0 for step in data.strides):
        raise ValueError(_NEGATIVE)
    if any(step % data.itemsize for step in data.strides):
        raise ValueError(_UNEVEN)


_UNEVEN = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
    "memory."
)
_NEGATIVE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)


@op(kind="create", methods=())
@shortened("tensor")
def tensor(data: Any, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """A tensor with a copy of the data: nested sequences of numbers, a number, a NumPy array.

    Python floats become the default dtype (float32), integers int64, bools bool, complex numbers complex64; NumPy
    arrays keep their dtype.

    Raises:
        ValueError: when rows differ in length. TypeError, RuntimeError: for anything but numbers.

    >>> tk.tensor([[3, 1, 2], [4, 1, 7]])
    tensor([[3, 1, 2],
            [4, 1, 7]])
    """
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
        _check_byte_order(data)
        return to_device(_from_array(data, kind), where)
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], numpy.ndarray) and data[0].ndim:
        warn(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to "
            "a single numpy.ndarray with numpy.array() before converting to a tensor."
        )
    size = _size_of(data)
    kind = kind or dtype_of(data)
    numbers: list[Any] = []
    if 0 not in size:
        _leaves(data, size, 0, kind, numbers)
    return to_device(fresh(_array_of(numbers, size, kind), kind), where)


@op(kind="create", methods=(), grad_flag=False)
def as_tensor(data: Any, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """`data` as a tensor, without a copy if it is a tensor or a NumPy array that fits already.

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


@op(kind="create", methods=(), grad_flag=False)
def from_numpy(ndarray: Array) -> Tensor:
    """A tensor on the memory of a NumPy array: writing to one changes the other.

    Raises:
        TypeError: for anything but an array, or elements that a tensor cannot hold. ValueError: for negative strides.

    >>> import numpy as np, tensorkit as tk
    >>> a = np.zeros(2)
    >>> tk.from_numpy(a)[0] = 5
    >>> a
    array([5., 0.])
    """
    if not isinstance(ndarray, numpy.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    _check_byte_order(ndarray)
    kind = dtypes.from_numpy_dtype(ndarray.dtype)
    _check_steps(ndarray)
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


@op(strict=True, kind="create", methods=())
@takes(
    "(object buffer, *, tensorkit.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False)"
)
def frombuffer(buffer: Any, *, dtype: Any = None, count: int = -1, offset: int = 0) -> Tensor:
    """A vector on the memory of an object that lends it, such as a bytearray: nothing is copied.

    Args:
        dtype: what the bytes mean. count: how many elements; by default all that there are. offset: bytes to skip.

    Raises:
        ValueError: when there are not enough bytes, or too many.

    >>> tk.frombuffer(bytearray(b"abc"), dtype=tk.uint8)
    tensor([97, 98, 99], dtype=tensorkit.uint8)
    """
    if dtype is None:
        raise TypeError('frombuffer() missing 1 required positional arguments: "dtype"')
    kind = as_dtype(dtype, "frombuffer")
    try:
        memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    return _from_buffer(buffer, kind, counted(count), counted(offset))


_capsule_of: Callable[[Any], Tensor | None] = lambda obj: None  # noqa: E731 - given by ``python_protocols``


def register_capsules(taken: Callable[[Any], Tensor | None]) -> None:
    """``python_protocols`` registers how the memory in a DLPack capsule is taken."""
    global _capsule_of  # set once, while the package is imported
    _capsule_of = taken


def _aliased(obj: Any, kind: dtype | None) -> Tensor | None:
    """The object's own memory as a tensor; None if it lends none."""
    if isinstance(obj, Tensor):
        return obj
    if (handed := _capsule_of(obj)) is not None:
        return handed
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


@op(strict=True, kind="create", methods=(), grad_flag=False)
@takes(
    "(object obj, *, tensorkit.dtype dtype = None, tensorkit.device device = None, bool copy = None, "
    "bool requires_grad? = False)"
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
