"""Sequences of several lengths, packed step by step: what recurrent layers take.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorkit import dtypes
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.tensor import Tensor

_MODULE = "tensorkit.nn.utils.rnn"  # where PyTorch has them, and pickles look


class PackedSequence_(NamedTuple):
    """The four tensors of a `PackedSequence`."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """Sequences as recurrent layers want them: the first elements of all, the second elements of those that have one …

    Made by `pack_padded_sequence` and `pack_sequence`, not by hand.

    Attributes:
        data: the elements, step by step.
        batch_sizes: how many sequences have an element at each step; int64, on the CPU.
        sorted_indices, unsorted_indices: how the sequences were sorted by length, and the way back; or None.

    >>> tk.nn.utils.rnn.pack_sequence([tk.tensor([1, 2, 3]), tk.tensor([4])]).data
    tensor([1, 4, 2, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                "nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data: Tensor, change: Any) -> PackedSequence:
        indices = (None if one is None else change(one) for one in self[2:])
        return type(self)(data, self.batch_sizes, *indices)

    def pin_memory(self) -> PackedSequence:
        """With data and indices in memory from which a device copies faster."""
        return self._with(self.data.pin_memory(), lambda one: one.pin_memory())

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With data of another dtype or on another device: itself, where nothing changes. See `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda one: one.to(data.device))

    def _onto(self, kind: str, args: Any, kwargs: Any) -> PackedSequence:
        like = tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        return self.to(*args, **(kwargs if like.device.type == kind else {**kwargs, "device": kind}))

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """On a CUDA device."""
        return self._onto("cuda", args, kwargs)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """On the CPU."""
        return self._onto("cpu", args, kwargs)

    def double(self) -> PackedSequence:
        """In float64."""
        return self.to(dtype=dtypes.float64)

    def float(self) -> PackedSequence:
        """In float32."""
        return self.to(dtype=dtypes.float32)

    def half(self) -> PackedSequence:
        """In float16."""
        return self.to(dtype=dtypes.float16)

    def long(self) -> PackedSequence:
        """In int64."""
        return self.to(dtype=dtypes.int64)

    def int(self) -> PackedSequence:
        """In int32."""
        return self.to(dtype=dtypes.int32)

    def short(self) -> PackedSequence:
        """In int16."""
        return self.to(dtype=dtypes.int16)

    def char(self) -> PackedSequence:
        """In int8."""
        return self.to(dtype=dtypes.int8)

    def byte(self) -> PackedSequence:
        """In uint8."""
        return self.to(dtype=dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether the data is in pinned memory."""
        return self.data.is_pinned()


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes an order: (n) gives (n); None gives None.

    >>> tk.nn.utils.rnn.invert_permutation(tk.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    output = empty_like(permutation)
    return output.scatter_(0, permutation, arange(0, permutation.numel(), device=permutation.device))


for _one in (PackedSequence_, PackedSequence, invert_permutation):
    _one.__module__ = _MODULE
