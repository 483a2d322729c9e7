"""Sequences of several lengths in one tensor: padded to the longest, or packed step by step.

Source: https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.nn.utils.packed_sequence import PackedSequence, invert_permutation
from tensorkit.ops.creation.full import full
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.kit import Rule, op
from tensorkit.ops.shared.tensor_data import as_tensor, tensor
from tensorkit.ops.sorting.sort import sort
from tensorkit.tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


def __dir__() -> list[str]:
    return __all__


# -- packing --------------------------------------------------------------------------------------------------------


def _packed_back(g: Any, c: Any) -> Any:
    size = c.input_face.size
    steps, batch = (size[1], size[0]) if c.batch_first else size[:2]
    rows = g.new_zeros((steps * batch, *size[2:])).index_copy(0, c.rows, g).view(steps, batch, *size[2:])
    return rows.transpose(0, 1) if c.batch_first else rows


@op(derivative=Rule("PackPaddedSequenceBackward0", input=_packed_back))
def _packed(input: Tensor, rows: Tensor, batch_first: bool) -> Tensor:
    """The `rows` of a padded batch, counted step by step."""
    steps = input.transpose(0, 1) if batch_first else input
    return steps.reshape(steps.size(0) * steps.size(1), *steps.shape[2:]).index_select(0, rows)


def _batch_sizes(input: Tensor, lengths: Tensor, batch_first: bool) -> list[int]:
    """How many sequences go on at each step."""
    if lengths.dim() != 1:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.dim()}D {lengths.device.type} Long tensor"
        )
    batch = input.size(0 if batch_first else 1)
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.numel() != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.numel()} (batch_size={batch})"
        )
    numbers = lengths.tolist()
    if numbers[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if sorted(numbers, reverse=True) != numbers:
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    return [sum(length > step for length in numbers) for step in range(numbers[0])]


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch of sequences.

    Args:
        input: (longest, batch, ...), or (batch, longest, ...) with `batch_first`.
        lengths: of the sequences; on the CPU.
        enforce_sorted: whether the longest must come first. If not, they are sorted here.

    Raises:
        RuntimeError: for lengths that are not sorted, not positive, or not as many as there are sequences.

    >>> pack_padded_sequence(tk.tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], batch_first=True).batch_sizes
    tensor([2, 1, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    """
    counts: Any = (
        lengths.to(dtype=dtypes.int64)
        if isinstance(lengths, Tensor)
        else as_tensor(lengths, dtype=dtypes.int64)
    )
    order = None
    if not enforce_sorted:
        counts, order = sort(counts, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    if not isinstance(input, Tensor):
        raise TypeError(
            f"_pack_padded_sequence(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    sizes = _batch_sizes(input, counts, batch_first)
    steps, batch = input.size(1 if batch_first else 0), input.size(0 if batch_first else 1)
    rows = [step * batch + place for step, size in enumerate(sizes[:steps]) for place in range(size)]
    data = _packed(input, tensor(rows, device=input.device), batch_first)
    return PackedSequence(data, tensor(sizes), order, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The way back from `pack_padded_sequence`: the padded batch, and the lengths.

    Args:
        sequence: the packed one.
        batch_first: whether the result is (batch, longest, ...).
        padding_value: what fills up the shorter sequences.
        total_length: to which all are padded, if not to the longest.

    Raises:
        ValueError: for a `total_length` that is too short.

    >>> packed = pack_sequence([tk.tensor([1, 2, 3]), tk.tensor([4])])
    >>> pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 0, 0]]), tensor([3, 1]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_packed_sequence.html
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    if isinstance(padding_value, str):
        raise TypeError(
            "_pad_packed_sequence(): argument 'padding_value' (position 4) must be Number, not str"
        )
    padded, lengths = _padded(sequence, longest, padding_value)
    if batch_first:
        padded = padded.transpose(0, 1)
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def _padded(sequence: PackedSequence, longest: int, value: float) -> tuple[Tensor, Tensor]:
    """(longest, batch, ...) and the lengths; steps with as many sequences are copied at once."""
    data, batch_sizes = sequence.data, sequence.batch_sizes
    if batch_sizes.dtype is not dtypes.int64:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{batch_sizes.dim()}D {batch_sizes.device.type} {batch_sizes.dtype.label} tensor"
        )
    sizes, rest = batch_sizes.tolist(), data.shape[1:]
    padded = full((longest, sizes[0], *rest), value, dtype=data.dtype, device=data.device)
    first, row = 0, 0
    for step in range(1, len(sizes) + 1):
        size = sizes[first]
        if step == len(sizes) or sizes[step] != size:
            rows = data[row : row + size * (step - first)].view(step - first, size, *rest)
            padded[first:step, :size].copy_(rows)
            first, row = step, row + size * (step - first)
    return padded, tensor([sum(size > place for size in sizes) for place in range(sizes[0])])


# -- padding --------------------------------------------------------------------------------------------------------


def _check_padding(
    sequences: Any, batch_first: Any, padding_value: Any, padding_side: Any
) -> tuple[Tensor, ...]:
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    several = tuple(sequences)
    for place, name, value, kinds in (
        (2, "batch_first", batch_first, (bool,)),
        (3, "padding_value", padding_value, (int, float)),
        (4, "padding_side", padding_side, (str,)),
    ):
        if not isinstance(value, kinds):
            raise TypeError(
                f"pad_sequence(): argument '{name}' (position {place}) must be {kinds[-1].__name__}, not "
                f"{type(value).__name__}"
            )
    for position, one in enumerate(several):
        if not isinstance(one, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {type(one).__name__}"
            )
    if not several:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not several[0].dim():
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    return several


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Put sequences of several lengths into one tensor, the shorter ones padded.

    Args:
        sequences: (length, ...) each.
        batch_first: whether the result is (sequences, longest, ...), or (longest, sequences, ...).
        padding_value: what fills the gaps.
        padding_side: "right" for gaps after the sequence, "left" for gaps before it.

    Raises:
        RuntimeError: for no sequence, and for another side.

    >>> pad_sequence([tk.tensor([1, 2, 3]), tk.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html
    """
    several = _check_padding(sequences, batch_first, padding_value, padding_side)
    longest, first = max(one.size(0) for one in several), several[0]
    size = (len(several), longest) if batch_first else (longest, len(several))
    padded = full((*size, *first.shape[1:]), padding_value, dtype=first.dtype, device=first.device)
    for place, one in enumerate(several):
        length = one.size(0)
        begin = longest - length if padding_side == "left" else 0
        row = padded.select(0 if batch_first else 1, place)
        row.narrow(0, begin, length).copy_(one)
    return padded


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The way back from `pad_sequence`: the sequences without what fills the gaps.

    >>> unpad_sequence(tk.tensor([[1, 2, 3], [4, 0, 0]]), tk.tensor([3, 1]), batch_first=True)
    [tensor([1, 2, 3]), tensor([4])]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpad_sequence.html
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # as PyTorch: the tensor that was given is turned
    places = arange(padded_sequences.shape[1], device=lengths.device)
    return [one[places < length] for one, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of several lengths, the longest first: `pad_sequence`, then `pack_padded_sequence`.

    >>> pack_sequence([tk.tensor([1, 2]), tk.tensor([3])]).batch_sizes
    tensor([2, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_sequence.html
    """
    lengths = as_tensor([one.size(0) for one in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that `pack_sequence` packed.

    >>> unpack_sequence(pack_sequence([tk.tensor([1, 2]), tk.tensor([3])]))
    [tensor([1, 2]), tensor([3])]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpack_sequence.html
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
