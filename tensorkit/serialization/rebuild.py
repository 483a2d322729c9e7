"""What makes tensors again from the parts that a file holds: PyTorch's functions of ``torch._utils``, by their names.

A file gives them whatever arguments it likes. The engine's `set_` looks whether a tensor fits into its storage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.device import META
from tensorkit.dtypes import dtype as Dtype
from tensorkit.memory_format import layout, strided
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty_strided
from tensorkit.ops.tensor.python_protocols import _rebuild
from tensorkit.size import Size
from tensorkit.storage import TypedStorage, UntypedStorage, typed
from tensorkit.tensor import Tensor


class StorageType:
    """What a file calls a class such as ``torch.FloatStorage``: the dtype that the bytes of a storage are read as."""

    def __init__(self, dtype: Dtype) -> None:
        self.dtype = dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


def rebuild_tensor(storage: TypedStorage, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor of a storage's dtype."""
    return _made(storage, storage_offset, size, stride, False, None)


def rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """A tensor of a storage's dtype; `metadata` says whether it stands for conjugates or negatives."""
    return _made(storage, storage_offset, size, stride, requires_grad, metadata)


def rebuild_tensor_v3(
    storage: TypedStorage | UntypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Dtype,
    metadata: Any = None,
) -> Tensor:
    """A tensor of a dtype that no class of storages is named after, such as uint16."""
    if not isinstance(dtype, Dtype):
        raise TypeError(f"a tensor has a dtype, not {type(dtype).__name__}")
    held = typed(_untyped(storage), dtype)
    return _made(held, storage_offset, size, stride, requires_grad, metadata)


def _untyped(storage: Any) -> UntypedStorage:
    if not isinstance(storage, TypedStorage | UntypedStorage):
        raise TypeError(f"a tensor needs a storage, not {type(storage).__name__}")
    return storage.untyped()


def _made(held: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, metadata: Any) -> Tensor:
    _untyped(held)
    if type(offset) is not int or any(type(n) is not int for n in (*size, *stride)):
        raise TypeError("the size, strides and offset of a tensor are integers")
    flags = {name: (metadata or {}).get(name) is True for name in ("conj", "neg")}
    if flags["conj"] and not held.dtype.is_complex:
        raise TypeError(f"a tensor of {held.dtype} has no conjugate")
    flags["requires_grad"] = requires_grad is True
    return _rebuild(Tensor, held, offset, Size(size), tuple(stride), flags)


def rebuild_meta_tensor(dtype: Dtype, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """A tensor without data."""
    return empty_strided(size, stride, dtype=dtype, device=META, requires_grad=requires_grad is True)


def rebuild_layout(name: str) -> layout:
    """The layout of that name: there is one."""
    if name != "torch.strided":
        raise NotImplementedError("tensorkit has no sparse tensors: every layout is tensorkit.strided")
    return strided


# -- subclasses, attributes and parameters ------------------------------------------------------------------------

_MAKERS: tuple[Callable[..., Tensor], ...] = (
    rebuild_tensor,
    rebuild_tensor_v2,
    rebuild_tensor_v3,
    rebuild_meta_tensor,
)


def rebuild_from_type(function: Callable[..., Tensor], kind: type[Tensor], args: Any, state: Any) -> Tensor:
    """A tensor of a subclass, or with attributes of its own."""
    if not any(function is maker for maker in (*_MAKERS, rebuild_parameter, rebuild_parameter_with_state)):
        raise TypeError("what makes a tensor again is one of PyTorch's functions for it")
    if not (isinstance(kind, type) and issubclass(kind, Tensor)):
        raise TypeError(f"{kind if isinstance(kind, type) else type(kind)} is no class of tensors")
    made = function(*args)
    if type(made) is not kind:
        made.__class__ = kind
    if hasattr(kind, "__setstate__"):
        kind.__setstate__(made, state)
        return made
    return _with_state(made, state)


def _with_state(made: Tensor, state: Any) -> Tensor:
    """Hang attributes on a tensor; what the engine itself keeps there, or calls, cannot be written by a file."""
    if isinstance(state, tuple):
        raise TypeError("tensors of tensorkit have no slots beside their attributes")
    for name, value in (state or {}).items():
        if name.startswith("_") and hasattr(Tensor, name):
            raise TypeError(f"{name} of a tensor is the engine's own")
        vars(made)[name] = value
    return made


def rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Tensor:
    """A parameter."""
    if not isinstance(data, Tensor):
        raise TypeError(f"a parameter is made of a tensor, not of {type(data).__name__}")
    made: Tensor = Parameter(data, requires_grad is True)
    return made


def rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Tensor:
    """A parameter with attributes of its own."""
    return _with_state(rebuild_parameter(data, requires_grad, backward_hooks), state)
