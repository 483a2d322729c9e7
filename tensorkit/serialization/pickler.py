"""A pickler that writes PyTorch's names, and mentions storages by keys instead of writing their bytes."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import IO, Any

from tensorkit.dtypes import dtype, uint8
from tensorkit.errors import warn
from tensorkit.memory_format import layout
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.tensor.python_protocols import _attributes, _rebuild
from tensorkit.serialization import rebuild
from tensorkit.serialization.locations import location_tag
from tensorkit.serialization.names import WRITTEN
from tensorkit.storage import TypedStorage, UntypedStorage, legacy_class
from tensorkit.tensor import Tensor


class Storages:
    """The storages that a pickle mentions, by the keys that it knows them by."""

    def __init__(self) -> None:
        self.held: dict[str, UntypedStorage] = {}
        self.dtypes: dict[str, dtype] = {}  # each as it was first mentioned
        self._keys: dict[int, str] = {}
        self._at: dict[int, dtype] = {}

    def mention(self, obj: Any) -> tuple[Any, ...] | None:
        """The persistent id of a storage, which the pickle has instead of its bytes; None for any other object."""
        if not isinstance(obj, TypedStorage | UntypedStorage):
            return None
        if isinstance(obj, TypedStorage):
            kind, named, count = obj.dtype, legacy_class(obj.dtype), obj.size()
            if named is None:
                raise KeyError(f"dtype {kind} is not recognized")
        else:
            kind, named, count = uint8, UntypedStorage, obj.nbytes()
        storage = obj.untyped()
        address = 0 if storage.device.type == "meta" else storage.data_ptr()
        if address and self._at.setdefault(address, kind) is not kind:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        key = self._keys.setdefault(id(storage), str(len(self._keys)))
        self.held[key] = storage
        self.dtypes.setdefault(key, kind)
        return "storage", named, key, location_tag(storage), count


def pickler(module: Any, file: IO[bytes], protocol: int, storages: Any) -> Any:
    """A pickler of a module such as `pickle` that knows tensors and storages, and writes PyTorch's names for them.

    Args:
        storages: its ``mention`` gives what is written for a storage.
    """
    base: Any = getattr(module, "_Pickler", module.Pickler)  # one in Python can be asked to write other names
    in_python = hasattr(base, "save_global")

    class Pickler(base):  # type: ignore[misc]
        def persistent_id(self, obj: Any) -> Any:
            return storages.mention(obj)

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, Tensor):
                return _reduced(obj, protocol)
            if isinstance(obj, layout):
                return rebuild.rebuild_layout, (f"torch.{str(obj).rpartition('.')[2]}",)
            if in_python and callable(obj) and id(obj) in WRITTEN:
                return ""  # a name, which `save_global` knows better
            return NotImplemented

        def save_global(self, obj: Any, name: str | None = None) -> None:
            found = WRITTEN.get(id(obj))
            if found is None:
                super().save_global(obj, name)
                return
            if self.proto >= 4:
                self.save(found[0])
                self.save(found[1])
                self.write(pickle.STACK_GLOBAL)
            else:
                self.write(pickle.GLOBAL + f"{found[0]}\n{found[1]}\n".encode("ascii"))
            self.memoize(obj)

    return Pickler(file, protocol=protocol)


def _reduced(tensor: Tensor, protocol: int) -> tuple[Any, ...]:
    """The function that makes a tensor again, and its arguments, as PyTorch writes them."""
    for hook in (getattr(tensor._autograd, "hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @tensorkit.utils.hooks.unserializable_hook to suppress this warning"
            )
    function, parts, *rest = tensor.__reduce_ex__(protocol)
    kind, state = type(tensor), rest[0] if rest else None
    if Parameter in type(tensor).__mro__ and function is not kind:
        data = tensor.detach()
        data.__class__ = Tensor
        args, state = (data, tensor.requires_grad, _no_hooks()), _attributes(tensor)
        return (
            (rebuild.rebuild_parameter_with_state, (*args, state))
            if state
            else (rebuild.rebuild_parameter, args)
        )
    if function is not _rebuild:  # a subclass has its own way
        return (function, parts, *rest)
    function, args = _parts(tensor, *parts[1:])
    if kind is Tensor and not state:
        return function, args
    return rebuild.rebuild_from_type, (function, kind, args, state)


def _parts(
    tensor: Tensor, held: TypedStorage, offset: int, size: Any, stride: Any, flags: dict[str, bool]
) -> tuple[Any, tuple[Any, ...]]:
    # New tuples, each of them: one that the pickle met before would be written as a reference, as PyTorch's are not.
    sizes, strides, grad = (*size,), (*stride,), flags["requires_grad"]
    if tensor.device.type == "meta":
        return rebuild.rebuild_meta_tensor, (held.dtype, sizes, strides, grad)
    metadata = {name: True for name in ("conj", "neg") if flags[name]}
    extra = (metadata,) if metadata else ()
    args = (offset, sizes, strides, grad, _no_hooks())
    if legacy_class(held.dtype) is None:
        return rebuild.rebuild_tensor_v3, (held.untyped(), *args, held.dtype, *extra)
    return rebuild.rebuild_tensor_v2, (held, *args, *extra)


def _no_hooks() -> OrderedDict[Any, Any]:
    return OrderedDict()
