"""Tensors between processes: a header, and the elements' own memory, which is not copied into a pickle.

A worker that imports this module can be sent tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from dask.sizeof import sizeof
from distributed.protocol import dask_deserialize, dask_serialize

from tensorkit import dtypes
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor

Header = dict[str, Any]


@dask_serialize.register(Tensor)
def send(tensor: Tensor) -> tuple[Header, list[memoryview]]:
    """What is sent of a tensor: its size and dtype, and its elements, row-major."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    elements = plain.as_strided((plain.numel(),), (1,))  # of a single one the stride may be any
    header = {"size": tuple(tensor.shape), "dtype": str(tensor.dtype).partition(".")[2]}
    return header, [elements.view(dtypes.uint8).numpy().data]


@dask_deserialize.register(Tensor)
def receive(header: Header, frames: Sequence[Any]) -> Tensor:
    """The tensor that was sent."""
    (frame,) = frames  # dask puts together what it had cut for sending
    dtype, size = getattr(dtypes, header["dtype"]), header["size"]
    memory = numpy.frombuffer(frame, numpy.uint8)
    if not memory.size:
        return empty(size, dtype=dtype)
    if not memory.flags.writeable:
        memory = memory.copy()
    return from_numpy(memory).view(dtype).view(size)


@sizeof.register(Tensor)
def size_of(tensor: Tensor) -> int:
    """In bytes, what is sent of it: workers go by this when they decide what to keep on the disk."""
    return tensor.numel() * tensor.element_size()
