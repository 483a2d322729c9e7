"""PyTorch's names in a file, and what is meant by them here: for writing and for reading.

>>> CONSTANTS["torch.float32"], WRITTEN[id(CONSTANTS["torch.float32"])]
(tensorkit.float32, ('torch', 'float32'))

Source: the names are those that PyTorch 2.13 writes, and admits when it loads weights only.
"""

from __future__ import annotations

import sys
from typing import Any

from tensorkit import dtypes
from tensorkit.device import device
from tensorkit.nn.parameter import Parameter
from tensorkit.serialization import rebuild
from tensorkit.serialization.rebuild import StorageType
from tensorkit.serialization.unpickle import PLAIN
from tensorkit.size import Size
from tensorkit.storage import TypedStorage, UntypedStorage, legacy_class
from tensorkit.tensor import Tensor

#: What a file may name and have called.
FUNCTIONS: dict[str, Any] = PLAIN | {
    "torch.Size": Size,
    "torch.device": device,
    "torch.serialization._get_layout": rebuild.rebuild_layout,
    "torch._tensor._rebuild_from_type_v2": rebuild.rebuild_from_type,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild.rebuild_meta_tensor,
    "torch._utils._rebuild_parameter": rebuild.rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild.rebuild_parameter_with_state,
    "torch._utils._rebuild_tensor": rebuild.rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuild.rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": rebuild.rebuild_tensor_v3,
}
_STORAGES = {f"torch.{kind.label}Storage": kind for kind in dtypes.ALL if legacy_class(kind) is not None}
_CLASSES: dict[str, Any] = {
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.storage.TypedStorage": TypedStorage,
    "torch.storage.UntypedStorage": UntypedStorage,
    **{f"torch.{kind.name}": kind for kind in dtypes.ALL},
}
#: What a file may name.
CONSTANTS: dict[str, Any] = _CLASSES | {name: StorageType(kind) for name, kind in _STORAGES.items()}

_OURS = FUNCTIONS | _CLASSES | {name: legacy_class(kind) for name, kind in _STORAGES.items()}
#: What a file calls our own, by their identity.
WRITTEN: dict[int, tuple[str, str]] = {
    id(value): (sys.intern(name.rpartition(".")[0]), sys.intern(name.rpartition(".")[2]))
    for name, value in _OURS.items()
    if name.startswith("torch.")
}

#: What PyTorch admits and the engine does not have.
_ABSENT = {
    *(f"torch.{kind}Storage" for kind in ("QInt8", "QInt32", "QUInt8", "QUInt4x2", "QUInt2x4")),
    *(f"torch.float8_{kind}" for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")),
    *(
        f"torch.{kind}"
        for kind in ("complex32", "float4_e2m1fn_x2", "bits8", "bits16", "bits1x8", "bits2x4", "bits4x2")
    ),
    *(f"torch.{kind}" for kind in ("qint8", "qint32", "quint8", "quint4x2", "quint2x4")),
    *(f"torch.{sign}int{width}" for sign in ("", "u") for width in range(1, 8)),
    *(
        f"torch.per_{kind}"
        for kind in ("tensor_affine", "channel_affine", "tensor_symmetric", "channel_symmetric")
    ),
    "torch.per_channel_affine_float_qparams",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_wrapper_subclass",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
}


def missing_here(full: str) -> str | None:
    """Why something that PyTorch's files may name cannot be loaded; None for all else."""
    return f"the file needs {full}, which tensorkit does not have" if full in _ABSENT else None


def counterpart(module: str, name: str) -> Any:
    """What one of PyTorch's names means where anything may be named: the same name in tensorkit's namespaces.

    ``torch.nn.modules.linear.Linear`` is looked for in the namespace that goes furthest along its name: in ``nn``.

    Raises:
        AttributeError: when it is not there.
    """
    full = f"{module}.{name}"
    if full in FUNCTIONS or full in CONSTANTS:
        return FUNCTIONS.get(full) or CONSTANTS[full]
    places = [sys.modules["tensorkit"]]
    for part in module.split(".")[1:]:
        if not hasattr(places[-1], part):
            break
        places.append(getattr(places[-1], part))
    for place in reversed(places):
        if hasattr(place, name.partition(".")[0]):
            found: Any = place
            for part in name.split("."):
                found = getattr(found, part)
            return found
    raise AttributeError(f"the file needs {full}, which tensorkit does not have")
