"""A list of samples becomes a batch: tensors are stacked, and containers of them are looked into.

Source: names, behaviour and sentences follow https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from tensorkit.dtypes import float64
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.shared.tensor_data import as_tensor, tensor
from tensorkit.tensor import Tensor
from tensorkit.utils.data._utils.containers import mapping_like, sequence_like
from tensorkit.utils.data._utils.worker import get_worker_info

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_numpy_array_fn",
    "collate_numpy_scalar_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_err_msg_format",
    "default_collate_fn_map",
    "default_convert",
    "np_str_obj_array_pattern",
]

CollateMap = dict[type | tuple[type, ...], Callable[..., Any]]

np_str_obj_array_pattern = re.compile(r"[SaUO]")  # in the name of a dtype of NumPy: text or objects
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def __dir__() -> list[str]:
    return __all__


def default_convert(data: Any) -> Any:
    """Make tensors of NumPy's arrays and numbers, in containers too, and leave all else as it is.

    So a `DataLoader` treats a sample where it makes no batches (``batch_size=None``).

    Args:
        data: a sample. Tuples become lists; other sequences and mappings keep their class where they can.

    >>> import numpy
    >>> default_convert({"x": numpy.array([0, 1]), "y": 2, "z": (numpy.float32(0.5), "text")})
    {'x': tensor([0, 1]), 'y': 2, 'z': [tensor(0.5000), 'text']}

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_convert
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if isinstance(data, numpy.ndarray) and np_str_obj_array_pattern.search(data.dtype.str):
            return data
        return as_tensor(data)
    if isinstance(data, Mapping):
        return mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        converted = [default_convert(member) for member in data]
        return kind(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return sequence_like(data, [default_convert(member) for member in data])
    return data


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Make a batch of samples, with a function for each class of them.

    Args:
        batch: a list of samples; the first one decides their kind.
        collate_fn_map: for a class, or a tuple of classes, the function that makes a batch of its objects, called as
            ``function(batch, collate_fn_map=collate_fn_map)``. The class itself is looked for first, then the first
            one in the map that the sample is an instance of. Other mappings and sequences are looked into.

    Raises:
        TypeError: when no function was found.
        RuntimeError: for sequences of different lengths.

    >>> collate(["ab", "c"], collate_fn_map={str: lambda batch, *, collate_fn_map: "".join(batch)})
    'abc'

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    """
    first = batch[0]
    kind = type(first)
    if (function := _function_for(first, collate_fn_map or {})) is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: [sample[key] for sample in batch] for key in first}
        return mapping_like(
            first, {key: collate(column, collate_fn_map=collate_fn_map) for key, column in columns.items()}
        )
    if not isinstance(first, Sequence):
        raise TypeError(default_collate_err_msg_format.format(kind))
    named = isinstance(first, tuple) and hasattr(first, "_fields")
    if not named and any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    members = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=False)]
    if isinstance(first, tuple):
        return kind(*members) if named else members
    return sequence_like(first, members)


def _function_for(sample: Any, known: CollateMap) -> Callable[..., Any] | None:
    if type(sample) in known:
        return known[type(sample)]
    return next((function for kind, function in known.items() if isinstance(sample, kind)), None)


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Stack tensors of one shape. A worker's batch is in shared memory, as PyTorch's is."""
    if get_worker_info() is None:
        return stack(batch, 0)
    first, size = batch[0], batch[0].shape
    if all(one.dtype is first.dtype and one.shape == size and not one.requires_grad for one in batch):
        return stack(batch, 0).share_memory_()
    # PyTorch stacks into memory that cannot grow, change its dtype or be part of a graph: so does this.
    memory = empty(sum(one.numel() for one in batch), dtype=first.dtype, device=first.device).share_memory_()
    return stack(batch, 0, out=memory.resize_(len(batch), *size))


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Make tensors of NumPy's arrays, and a batch of these."""
    if np_str_obj_array_pattern.search(batch[0].dtype.str):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Make one tensor of NumPy's numbers."""
    return as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Make a float64 tensor of Python's floats."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Make a tensor of Python's integers or bools."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Leave texts as they are."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    numpy.ndarray: collate_numpy_array_fn,
    (numpy.bool_, numpy.number, numpy.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Make a batch of samples: tensors get one more dimension in front, numbers become a tensor.

    Args:
        batch: a list of samples. Tensors, NumPy's arrays and all numbers become tensors; texts stay texts; tuples
            become lists; other sequences and mappings keep their class where they can. To teach it another class,
            add a function to `default_collate_fn_map`.

    Raises:
        TypeError: for samples of another kind.
        RuntimeError: for tensors of different shapes, and sequences of different lengths.

    >>> default_collate([0, 1, 2])
    tensor([0, 1, 2])
    >>> default_collate([(0.5, "a"), (1.5, "b")])
    [tensor([0.5000, 1.5000], dtype=tensorkit.float64), ('a', 'b')]
    >>> default_collate([{"x": 1}, {"x": 2}])
    {'x': tensor([1, 2])}

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
