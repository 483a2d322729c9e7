"""Memory of CUDA devices lent and borrowed: to other libraries (DLPack, CUDA's array interface), to other streams.

Source: https://dmlc.github.io/dlpack/latest/ and
https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html, version 3.
"""

from __future__ import annotations

import ctypes
from itertools import count
from math import prod
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import requires_grad
from tensorkit.device import device
from tensorkit.kernels import cuda as kernels
from tensorkit.storage import lent_storage
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor, on_storage

CUDA = 2  # the number by which DLPack knows CUDA devices
_CODES = {"bool": 6, "bfloat16": 4}  # of dtypes; those of the others follow from their category
_INT, _UINT, _FLOAT, _COMPLEX = 0, 1, 2, 5


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    )


_python = ctypes.PyDLL(
    "python", handle=ctypes.pythonapi._handle
)  # its functions with types of arguments of our own
_python.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)

_lent: dict[int, tuple[Any, ...]] = {}  # what other libraries hold, until they give it back
_numbers = count(1)


def _give_back(address: int) -> None:
    _lent.pop(_Managed.from_address(address).context, None)


def _raw(name: str, restype: Any, *argtypes: Any) -> Any:
    """A function of Python's that takes a capsule about to be freed, which must not be kept."""
    return ctypes.PYFUNCTYPE(restype, *argtypes)((name, _python))


_is_valid = _raw("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer_of = _raw("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


def _unused(capsule: int) -> None:
    """A capsule is freed: if it was never consumed, its content is given back."""
    if _is_valid(capsule, b"dltensor"):
        _give_back(_pointer_of(capsule, b"dltensor"))


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_give_back)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_unused)


def _code(kind: dtypes.dtype) -> int:
    if kind.name in _CODES:
        return _CODES[kind.name]
    if kind.category < 2:
        return _INT if kind.is_signed else _UINT
    return _COMPLEX if kind.is_complex else _FLOAT


def packed(input: Tensor, stream: int | None) -> Any:
    """A CUDA tensor's memory in a capsule by the DLPack protocol.

    Args:
        stream: the consumer's, by its address; None or 1 for the default stream, -1 if it takes care of the order.
    """
    if stream == 0:
        raise BufferError("CUDA stream 0 is ambiguous: say 1 for the default stream")
    held, index = input._checked_store(), input.get_device()
    if stream != -1:
        streams = kernels.streams_of(index)
        consumer = streams.default if stream in (None, 1) else streams.foreign(stream)
        consumer.after(streams.current())
    layout, kind, number = input._lay(), input._dtype, next(_numbers)
    dims = len(layout.size)
    shape, strides = ((ctypes.c_int64 * dims)(*numbers) for numbers in (layout.size, layout.stride))
    inner = _DLTensor(
        input.data_ptr(), CUDA, index, dims, _code(kind), 8 * kind.itemsize, 1, shape, strides, 0
    )
    managed = _Managed(inner, number, ctypes.cast(_DELETER, ctypes.c_void_p).value)
    held._foreign = True  # the memory is shared from now on: it may no longer be moved
    _lent[number] = (managed, shape, strides, input)
    return _python.PyCapsule_New(
        ctypes.addressof(managed), b"dltensor", ctypes.cast(_DESTRUCTOR, ctypes.c_void_p)
    )


class _Borrowed:
    """Memory that another library lends: given back with the last reference."""

    def __init__(self, managed: Any) -> None:
        self._managed = managed

    def __del__(self) -> None:
        deleter = self._managed.deleter
        if deleter:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(ctypes.addressof(self._managed))


def unpacked(capsule: Any, name: bytes) -> Tensor:
    """A tensor on the CUDA memory in another library's capsule; the library gets it back when the tensor goes.

    Raises:
        BufferError: for a type of numbers that no tensor has.
    """
    form = _Versioned if name == b"dltensor_versioned" else _Managed
    managed = form.from_address(_python.PyCapsule_GetPointer(capsule, name))
    inner = managed.tensor
    size = tuple(inner.shape[: inner.ndim])
    stride = tuple(inner.strides[: inner.ndim]) if inner.strides else contiguous_stride(size)
    kind = next(
        (kind for kind in dtypes.ALL if (_code(kind), 8 * kind.itemsize) == (inner.code, inner.bits)), None
    )
    if kind is None or inner.lanes != 1:
        raise BufferError(f"no dtype for DLPack's code {inner.code} of {inner.bits} bits")
    _python.PyCapsule_SetName(capsule, b"used_" + name)
    layout = Layout(size, stride, 0)
    where = device("cuda", inner.device_id)
    address = (inner.data or 0) + inner.byte_offset if prod(size) else 0
    buffer = kernels.lend(address, layout.reach() * kind.itemsize, inner.device_id, _Borrowed(managed))
    return on_storage(lent_storage(buffer, where), layout, kind)


def cuda_array_interface(input: Tensor) -> dict[str, Any]:
    """What other CUDA libraries read a tensor's address, size and strides from.

    Raises:
        AttributeError: for a tensor that is not on a CUDA device.
        RuntimeError: for one that requires grad.

    >>> with tk.cuda.emulate():
    ...     t = tk.zeros(2, 3, device="cuda")
    ...     face = t.__cuda_array_interface__
    ...     face["data"] == (t.data_ptr(), False)
    True
    >>> face["shape"], face["typestr"], face["strides"], face["stream"], face["version"]
    ((2, 3), '<f4', None, 1, 3)
    """
    if not input.is_cuda:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {input.type()} If CUDA data is required use "
            "tensor.cuda() to copy tensor to device memory."
        )
    if requires_grad(input):
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad."
        )
    input._checked_store()
    layout, kind = input._lay(), input._dtype
    strides = None if layout.is_contiguous() else tuple(step * kind.itemsize for step in layout.stride)
    return {
        "typestr": "<V2" if kind is dtypes.bfloat16 else kind.numpy.str,
        "shape": tuple(layout.size),
        "strides": strides,
        "data": (input.data_ptr(), False),
        "stream": kernels.streams_of(input.get_device()).current().handle or 1,
        "version": 3,
    }


def record_stream(self: Tensor, stream: Any) -> None:
    """Another stream uses this tensor too: its memory is reused only when that stream has passed its end.

    Args:
        stream: a ``tk.cuda.Stream``.

    Raises:
        NotImplementedError: for a tensor on the CPU.

    >>> with tk.cuda.emulate():
    ...     t, side = tk.ones(2, device="cuda"), tk.cuda.Stream()
    ...     t.record_stream(side)
    """
    if not self.is_cuda:
        raise NotImplementedError(
            f"Could not run 'aten::record_stream' with arguments from the '{self.device.type.upper()}' backend."
        )
    if not hasattr(stream, "_queue"):
        raise TypeError(f"expected a tensorkit.cuda.Stream, not {type(stream).__name__}")
    self._store()._buffer.record_stream(stream._queue)
