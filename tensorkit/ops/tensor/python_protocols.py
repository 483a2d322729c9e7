"""What Python and other libraries ask of a tensor: copies, pickles, DLPack, callbacks, shared memory, subclasses.

>>> import copy, pickle, numpy as np, tensorkit as tk
>>> t = tk.arange(4.0)
>>> pickle.loads(pickle.dumps(t[1:]))
tensor([1., 2., 3.])
>>> np.from_dlpack(t)[0] = 9
>>> t
tensor([9., 1., 2., 3.])
>>> a, b = copy.deepcopy([t, t[:2]])
>>> a.data_ptr() == b.data_ptr()
True

Source: the behaviour is PyTorch 2.13's; the exchange of memory is https://dmlc.github.io/dlpack/latest/.
"""

from __future__ import annotations

import copy
import ctypes
import enum
import functools
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import requires_grad
from tensorkit.conj_bit import CONJ, NEG
from tensorkit.device import CPU, META, DeviceLike
from tensorkit.device import device as Device
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import offers, registry
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_pinned
from tensorkit.errors import warn
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.tensor_data import checked_number, register_capsules
from tensorkit.ops.shared.to import to_device
from tensorkit.ops.tensor.device_exchange import CUDA, cuda_array_interface, packed, record_stream, unpacked
from tensorkit.size import Size
from tensorkit.storage import TypedStorage, adopt, legacy_class, read_only_too, typed, warn_typed_storage
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Array, Tensor, attach, on_storage

# -- copies and pickles -------------------------------------------------------------------------------------------

_HIDDEN = {"_bits"}  # what the engine itself keeps beside the slots


def _attributes(input: Tensor) -> dict[str, Any]:
    """What the user has hung on a tensor."""
    return {name: value for name, value in vars(input).items() if name not in _HIDDEN}


def _rebuild(
    kind: type[Tensor], held: TypedStorage, offset: int, size: Size, stride: tuple[int, ...], flags: Any
) -> Tensor:
    """A tensor from what `__reduce_ex__` or another program wrote: `set_` checks that it fits."""
    storage = held.untyped()
    made = on_storage(storage.new(), Layout((0,), (1,), 0), held.dtype)
    made.set_(storage, offset, size, stride)
    if bits := (CONJ if flags.get("conj") else 0) | (NEG if flags.get("neg") else 0):
        made._bits = bits
    if flags.get("requires_grad"):
        made.requires_grad_()
    if kind is not Tensor:
        made.__class__ = kind
    return made


def _reduce(input: Tensor, protocol: Any) -> tuple[Any, ...]:
    lay = input._lay()
    flags = {
        "requires_grad": requires_grad(input),
        "conj": bool(input._bits & CONJ),
        "neg": bool(input._bits & NEG),
    }
    held = typed(input._checked_store(), input._dtype)
    parts = (type(input), held, lay.offset, Size(lay.size), lay.stride, flags)
    return _rebuild, parts, _attributes(input) or None


def _deepcopy(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy with a storage of its own; tensors of one storage that are copied together share the copy too."""
    if not input.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    found = memo.get(id(input))
    if found is not None:
        return found  # type: ignore[no-any-return]
    if input._bits:
        made: Tensor = input.detach().clone()
    else:
        made = on_storage(copy.deepcopy(input._checked_store(), memo), input._lay(), input._dtype)
    memo[id(input)] = made  # before what it holds is copied, which may be this very tensor
    if requires_grad(input):
        made.requires_grad_()
        if input.grad is not None:
            made.grad = _deepcopy(input.grad, memo)
    vars(made).update(copy.deepcopy(_attributes(input), memo))
    if type(input) is not Tensor:
        made.__class__ = type(input)
    return made


# -- Python callbacks ---------------------------------------------------------------------------------------------


def _refuse_grad(name: str, *tensors: Tensor) -> None:
    if any(wants_grad(tensor) and requires_grad(tensor) for tensor in tensors):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


def _reader(kind: dtype) -> Callable[[Any], Any]:
    """How a number that a callback returned is read."""
    if kind.is_complex:
        return lambda value: complex(value) if hasattr(value, "__complex__") else _real(value)
    if kind.category == 1:
        return lambda value: checked_number(value if kind is dtypes.uint64 else _whole(value), kind)
    return _real if kind.is_floating_point else _truth


def _real(value: Any) -> float:
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def _whole(value: Any) -> int:
    if not hasattr(value, "__int__") and not hasattr(value, "__index__"):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    return int(value)


def _truth(value: Any) -> bool:
    return bool(_whole(value))


def _call_each(input: Tensor, others: list[Tensor], function: Callable[..., Any]) -> Tensor:
    """Put what the function makes of the numbers at each place into that place, one after another."""
    if not callable(function) and input.numel():
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    if input._device == META:
        return input
    target, read = input._nd(physical=True).flat, _reader(input._dtype)
    flats = [
        other._nd(physical=True).flat for other in (input, *others)
    ]  # PyTorch's bits are not asked either
    for place in range(input.numel()):
        # Only the writing is silent: what the function's own numbers warn of is the caller's.
        quiet(target.__setitem__, place, read(function(*(_number(flat[place]) for flat in flats))))
    return input


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, numpy.generic) else float(value)


def _one_argument(*args: Any, **kwargs: Any) -> None:
    """Python's words for a method that takes one."""
    if kwargs:
        raise TypeError("TensorBase.apply_() takes no keyword arguments")
    if len(args) != 2:
        raise TypeError(f"TensorBase.apply_() takes exactly one argument ({len(args) - 1} given)")


@op(kind="resize", function=False)
@takes(python_method=_one_argument)
def apply_(input: Tensor, callable: Any, /) -> Tensor:
    """Apply a Python function to each element, in place. Slow: whole-tensor operations are faster.

    >>> tk.arange(3).apply_(lambda x: x * x)
    tensor([0, 1, 4])
    """
    _refuse_grad("apply_", input)
    return _call_each(input, [], callable)


def _type_text(input: Tensor) -> str:
    """What these two call a tensor's type: those without a legacy class have another name."""
    kind = input._dtype
    known = kind.category in (1, 2) and kind not in (
        dtypes.bfloat16,
        dtypes.uint16,
        dtypes.uint32,
        dtypes.uint64,
    )
    return str(input.type()) if known else f"CPU{kind.label}Type"


def _matching(name: str, input: Tensor, others: dict[str, tuple[Tensor, str]]) -> list[Tensor]:
    for label, (other, place) in others.items():
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}(): argument '{label}' {place} must be Tensor, not {type_name(other)}")
    _refuse_grad(name, input, *(other for other, _ in others.values()))
    word = "argument " if len(others) > 1 else ""
    for label, (other, _) in others.items():
        if other._dtype is not input._dtype or other._device != input._device:
            raise TypeError(
                f"{name}: expected {_type_text(input)} for {word}'{label}' (got {_type_text(other)})"
            )
    return [other.expand(input._lay().size) for other, _ in others.values()]


@op(kind="resize", function=False)
def map_(input: Tensor, other: Tensor, callable: Any) -> Tensor:
    """Apply a Python function to each element and the one of another tensor at its place, in place.

    >>> tk.arange(3).map_(tk.tensor(10), lambda x, y: x + y)
    tensor([10, 11, 12])
    """
    return _call_each(input, _matching("map_", input, {"other": (other, "(position 1)")}), callable)


@op(kind="resize", function=False)
def map2_(input: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """`map_` with two other tensors.

    >>> tk.arange(2).map2_(tk.tensor(10), tk.tensor(100), lambda a, b, c: a + b + c)
    tensor([110, 111])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.map_.html
    """
    others = {"x": (x, "(position 1)"), "y": (y, "(position 2)")}
    return _call_each(input, _matching("map2_", input, others), callable)


# -- DLPack -------------------------------------------------------------------------------------------------------


class DLDeviceType(enum.IntEnum):
    """The numbers by which DLPack knows kinds of memory."""

    kDLCPU = 1
    kDLCUDA = 2


# DLPack's codes of dtypes; NumPy has no bfloat16 and takes it for whole numbers
_FLOAT, _BFLOAT, _UINT = 2, 4, 1
_NAMES = (b"dltensor_versioned", b"dltensor")
_CODE_AT = {b"dltensor": 20, b"dltensor_versioned": 52}  # the offset of the code in the C structure
_KIND_AT = {b"dltensor": 8, b"dltensor_versioned": 40}  # and where the kind of memory
_CONSUMED = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
    "have already constructed a tensor from it once."
)
_capsule = ctypes.pythonapi
_capsule.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_capsule.PyCapsule_IsValid.restype = ctypes.c_int
_capsule.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_capsule.PyCapsule_GetPointer.restype = ctypes.c_void_p


def _name_of(capsule: Any) -> bytes | None:
    """The name of an unused DLPack capsule; None for anything else."""
    if type(capsule).__name__ != "PyCapsule":
        return None
    return next((name for name in _NAMES if _capsule.PyCapsule_IsValid(capsule, name)), None)


def _code(capsule: Any) -> Any:
    """The byte in a capsule that says what kind of numbers it holds: it can be read and written."""
    name = _name_of(capsule)
    if name is None:
        raise RuntimeError(_CONSUMED)
    start = _capsule.PyCapsule_GetPointer(capsule, name)
    return ctypes.c_uint8.from_address(start + _CODE_AT[name])


def _dlpack_device(input: Tensor) -> tuple[DLDeviceType, int]:
    """In which kind of memory the elements lie, in DLPack's words."""
    if input._device == CPU:
        return DLDeviceType.kDLCPU, 0
    if input.is_cuda:
        return DLDeviceType.kDLCUDA, input._device.index or 0
    raise ValueError(f"Unknown device type {input._device.type} for Dlpack")


def _dlpack(
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The tensor's memory for another library, without a copy: a capsule by the DLPack protocol.

    Raises:
        BufferError: for a tensor that requires grad, stands for conjugates, or has no memory to share.
    """
    if stream is not None and not isinstance(stream, int):
        raise TypeError("stream must be ``int`` or ``none``")
    if wants_grad(self) and requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self._bits & CONJ:
        raise BufferError("Can't export tensors with the conjugate bit set")
    if self.is_cuda:
        if dl_device is not None and tuple(dl_device) != (CUDA, self.get_device()):
            raise BufferError("Cannot export a tensor to another device: move it with t.to(device) first.")
        return packed(self.clone() if copy else self, stream)
    if self._device != CPU:
        raise BufferError(f"Cannot pack tensors on {self._device}")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError("Cannot export a tensor to another device: move it with t.to(device) first.")
    array = _visible(self.clone() if copy else self)
    old = max_version is None or max_version[0] < 1
    capsule = array.__dlpack__() if old else array.__dlpack__(max_version=max_version)
    if self._dtype is dtypes.bfloat16:
        _code(capsule).value = _BFLOAT
    return capsule


def _visible(input: Tensor) -> Array:
    """The elements as an array of a type that NumPy hands on."""
    array = input._nd(physical=True)  # like PyTorch, which does not ask for the negative bit here
    input._store()._foreign = True  # the memory is shared from now on: it may no longer be moved
    array = array.view(numpy.uint16) if input._dtype is dtypes.bfloat16 else array
    return array if array.flags.writeable else read_only_too(array)


class _Handed:
    """A capsule as an object with the protocol that NumPy asks for."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


@offers
def from_dlpack(ext_tensor: Any, *, device: DeviceLike = None, copy: bool | None = None) -> Tensor:
    """A tensor on another library's memory: an object with ``__dlpack__``, or a capsule. Nothing is copied.

    Args:
        device: where the tensor should live, if not where the memory is.
        copy: True for a tensor with memory of its own.

    Raises:
        RuntimeError: for anything but a DLPack capsule, and for one that was used before.
        BufferError: for what cannot be handed over.
        ValueError: for negative strides.

    >>> import numpy as np, tensorkit as tk
    >>> a = np.zeros(2)
    >>> tk.from_dlpack(a)[0] = 5
    >>> a
    array([5., 0.])

    Source: https://docs.pytorch.org/docs/stable/dlpack.html
    """
    if device is not None and Device(device).type == "meta":
        raise BufferError("Cannot pack tensors on meta")
    capsule = ext_tensor
    if hasattr(ext_tensor, "__dlpack__") and hasattr(ext_tensor, "__dlpack_device__"):
        capsule = _capsule_of(ext_tensor)
    if _name_of(capsule) is None:
        raise RuntimeError(_CONSUMED)
    made = _taken(capsule)
    made = made.clone() if copy else made
    return made if device is None else to_device(made, Device(device))


def _capsule_of(lender: Any) -> Any:
    kind, index = lender.__dlpack_device__()
    named: dict[str, Any] = {}
    if kind == DLDeviceType.kDLCUDA:
        named["stream"] = cuda.streams_of(index).current().handle or 1
    elif kind != DLDeviceType.kDLCPU:
        raise BufferError("Cannot share the memory of another device: copy it to the CPU first.")
    try:
        return lender.__dlpack__(max_version=(1, 0), **named)
    except TypeError:  # written before the protocol had versions
        return lender.__dlpack__(**named)


# Late: `asarray` takes a capsule as `from_dlpack` does, which is built on it.
register_capsules(lambda obj: None if _name_of(obj) is None else _taken(obj))


def _taken(capsule: Any) -> Tensor:
    code = _code(capsule)
    name = _name_of(capsule)
    assert name is not None
    if ctypes.c_int32.from_address(ctypes.addressof(code) - _CODE_AT[name] + _KIND_AT[name]).value == CUDA:
        return unpacked(capsule, name)
    narrow = code.value == _BFLOAT
    if narrow:
        code.value = _UINT
    array = numpy.from_dlpack(_Handed(capsule))
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "tensors with negative strides are not supported: copy the array with array.copy() first"
        )
    array = array if array.flags.writeable else read_only_too(array)
    kind = dtypes.bfloat16 if narrow else dtypes.from_numpy_dtype(array.dtype)
    stride = tuple([step // array.itemsize for step in array.strides])
    return on_storage(adopt(array, foreign=True), Layout(array.shape, stride, 0), kind)


# -- memory of several processes, memory for an accelerator -------------------------------------------------------


def _is_shared(self: Tensor) -> bool:
    """Whether processes that are forked from now on see the same memory."""
    return self._store().is_shared()


def _share_memory_(self: Tensor) -> Tensor:
    """Move the storage to memory that processes forked from now on share.

    >>> tk.ones(2).share_memory_().is_shared()
    True
    """
    self._store().share_memory_()
    return self


def _warn_device(name: str, device: Any) -> None:
    if device is not None:
        warn(
            f"The argument 'device' of Tensor.{name}() is deprecated. Please do not pass this argument.",
            DeprecationWarning,
        )


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in memory that is locked for transfers to a device; the tensor itself if it lies there.

    Raises:
        RuntimeError: for a tensor on a device, and when there is no device to transfer to.

    >>> with tk.cuda.emulate():
    ...     t = tk.ones(2).pin_memory()
    ...     t.is_pinned(), t.to("cuda", non_blocking=True)
    (True, tensor([1., 1.], device='cuda:0'))
    """
    _warn_device("pin_memory", device)
    if self._device != CPU:
        place = self._device.type.capitalize() if self._device == META else self._device.type.upper()
        raise RuntimeError(
            f"cannot pin '{place}{self._dtype.label}Type' only dense CPU tensors can be pinned"
        )
    return self if self._store().is_pinned() else _pinned(self)


def _pinned(input: Tensor) -> Tensor:
    lay = input._lay()
    out = empty_pinned(lay.size, lay.stride, input._dtype, CPU)
    copy_into(out, input)
    return out


def _is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the memory is locked for transfers to a device."""
    _warn_device("is_pinned", device)
    return self._device == CPU and self._store().is_pinned()


def _storage_type(self: Tensor) -> Any:
    """The class of earlier years that this tensor's `storage` is recognised by: such as ``FloatStorage``."""
    warn_typed_storage()
    return legacy_class(self._dtype)


def _reversed(self: Tensor) -> Tensor:
    """``reversed(t)``: the first dimension in the other order."""
    return self.flip(0) if self.dim() else self


# -- subclasses ---------------------------------------------------------------------------------------------------

_AS_THEY_ARE = frozenset(("__new__", "__init__", "numpy", "tolist", "item"))


def _of_class(kind: type[Tensor], method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose tensors are of the subclass that it was called on."""

    def dressed(value: Any) -> Any:
        if type(value) is Tensor:
            value.__class__ = kind
        elif isinstance(value, tuple) and any(type(part) is Tensor for part in value):
            for part in value:
                dressed(part)
        return value

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return dressed(method(*args, **kwargs))

    return call


def _init_subclass(cls: type[Any], /, **kwargs: Any) -> None:
    """A class made from `Tensor`: what its methods and operators return is of that class too, as in PyTorch."""
    if getattr(cls, "_plain_results", False):  # of parameters plain tensors are made
        return
    for name in ("T", "mT", "H", "mH", "real", "imag", "data"):
        shown = Tensor.__dict__[name]
        if name not in cls.__dict__:
            setattr(cls, name, property(_of_class(cls, shown.fget), shown.fset, shown.fdel))
    for record in registry.values():
        for name in record.methods:
            if name not in cls.__dict__ and name in Tensor.__dict__ and name not in _AS_THEY_ARE:
                setattr(cls, name, _of_class(cls, Tensor.__dict__[name]))


def _under_array(self: Tensor, other: Any) -> Any:
    """``array / tensor``: the one reflected operator with an array that PyTorch has."""
    result = _divided(self, other)
    if result is NotImplemented and isinstance(other, numpy.ndarray):
        return self.reciprocal() * other
    return result


_divided = Tensor.__rtruediv__


def _attach_protocols() -> None:
    _dlpack.__qualname__ = "Tensor.__dlpack__"
    attach("__rtruediv__", _under_array)
    attach("__reduce_ex__", _reduce)
    attach("__deepcopy__", _deepcopy)
    attach("__dlpack__", _dlpack)
    attach("__dlpack_device__", _dlpack_device)
    attach("__reversed__", _reversed)
    attach("__cuda_array_interface__", property(cuda_array_interface))
    attach("__init_subclass__", classmethod(_init_subclass))
    attach("is_shared", _is_shared)
    attach("share_memory_", _share_memory_)
    attach("is_pinned", _is_pinned)
    attach("pin_memory", _pin_memory)
    attach("storage_type", _storage_type)
    attach("record_stream", record_stream)


_attach_protocols()
