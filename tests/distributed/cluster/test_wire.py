"""Tensors travel as a header and their own memory, bit for bit, whatever their dtype and strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes

pytest.importorskip("distributed")
from dask.sizeof import sizeof
from distributed.protocol import deserialize, serialize
from distributed.protocol.serialize import merge_and_deserialize, serialize_and_split

from tensorkit.distributed.cluster import wire

DTYPES = sorted(
    {str(one).partition(".")[2] for one in vars(dtypes).values() if isinstance(one, dtypes.dtype)}
)
VIEWS: dict[str, Callable[[Any], Any]] = {
    "all": lambda t: t,
    "0-d": lambda t: t[1, 2],
    "one": lambda t: t[1:2, 2:3].t(),
    "row": lambda t: t[:, 2],
    "empty": lambda t: t[:, :0],
    "transposed": lambda t: t.t(),
    "every second": lambda t: t[::2, 1::2],
    "expanded": lambda t: t[:1].expand(3, 6),
}


def bits(tensor: Any) -> list[int]:
    plain = tk.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1))
    return plain.view(tk.uint8).tolist()  # type: ignore[no-any-return]


def made(dtype: str) -> Any:
    """4 × 6 elements of all kinds of bits."""
    of = getattr(tk, dtype)
    words = numpy.random.default_rng(0).integers(
        0, 2 if dtype == "bool" else 256, 24 * of.itemsize, numpy.uint8
    )
    return tk.from_numpy(words).view(of).view(4, 6)


def sent(tensor: Any) -> Any:
    """There and back, by dask."""
    assert wire  # what it registers is tried here
    header, frames = serialize(tensor, serializers=["dask"], on_error="raise")
    assert sum(memoryview(one).nbytes for one in frames) == tensor.numel() * tensor.element_size()
    return deserialize(header, [bytes(one) for one in frames])


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_dtype_and_view(dtype: str) -> None:
    tensor = made(dtype)
    for view in VIEWS.values():
        found, expected = sent(view(tensor)), view(tensor)
        assert (found.shape, found.dtype, bits(found)) == (expected.shape, expected.dtype, bits(expected))
        assert found.is_contiguous()


def test_views_that_are_conjugated_or_negative() -> None:
    tensor = made("complex64")
    for view in (tensor.conj(), tensor.conj().imag, tensor.t().conj()):
        found = sent(view)
        assert bits(found) == bits(view)
        assert (found.is_conj(), found.is_neg()) == (False, False)


def test_frames_that_were_cut() -> None:
    tensor = made("float32")
    header, frames = serialize_and_split(tensor, serializers=["dask"], size=7)
    assert len(frames) > 10
    memory = memoryview(bytearray(b"".join(bytes(one) for one in frames)))
    pieces, begin = [], 0
    for one in frames:
        pieces.append(memory[begin : begin + memoryview(one).nbytes])
        begin += memoryview(one).nbytes
    assert bits(merge_and_deserialize(header, pieces)) == bits(tensor)


def test_what_came_can_be_written_to() -> None:
    tensor = made("float32")
    header, frames = serialize(tensor, serializers=["dask"])
    for come in (bytes, bytearray):
        found = deserialize(header, [come(one) for one in frames])
        found.zero_()
        assert not found.any()


def test_gradients_stay_here() -> None:
    weight = tk.ones(3, requires_grad=True)
    found = sent(weight)
    assert (found.requires_grad, found.tolist()) == (False, [1, 1, 1])


def test_workers_are_told_how_large_a_tensor_is() -> None:
    assert sizeof(tk.zeros(1000, dtype=tk.float64)) == 8000
    assert sizeof(tk.zeros(1000)[::2]) == 2000
