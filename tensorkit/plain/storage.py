"""What is behind a tensor, as a learner may hold it: the numbers in one row, and where they are in memory.

>>> t = plain.arange(6.0).view(2, 3)
>>> storage = t.t().storage()
>>> len(storage), storage[4], t[1].data_ptr() - t.data_ptr()
(6, 4.0, 12)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.plain.tensors import Dtype, Tensor, offered
from tensorkit.plain.view import as_strided


class Storage:
    """The list of numbers that a tensor and all its views share."""

    def __init__(self, numbers: list[Any], dtype: Dtype) -> None:
        self.numbers, self.dtype = numbers, dtype

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, slot: int) -> Any:
        return self.numbers[slot]

    def __setitem__(self, slot: int, number: Any) -> None:
        self.numbers[slot] = self.dtype.held(number)

    def tolist(self) -> list[Any]:
        return list(self.numbers)

    def nbytes(self) -> int:
        return len(self.numbers) * self.dtype.itemsize

    def data_ptr(self) -> int:
        """An address: the same for all tensors on this list, and for no other list that lives."""
        return id(self.numbers)

    def __repr__(self) -> str:
        rows = "".join(f" {number}\n" for number in self.numbers)
        name = f"tensorkit.storage.TypedStorage(dtype={self.dtype}, device=cpu)"
        return f"{rows}[{name} of size {len(self)}]"


@offered("storage", "untyped_storage", function=False)
def storage(input: Tensor) -> Storage:
    return Storage(input.numbers, input.dtype)


@offered("data_ptr", function=False)
def data_ptr(input: Tensor) -> int:
    """The address of the first element: that of the storage, and the bytes before the element."""
    return storage(input).data_ptr() + input.storage_offset() * input.element_size()


@offered("element_size", function=False)
def element_size(input: Tensor) -> int:
    return input.dtype.itemsize


@offered("set_", function=False)
def set_(
    input: Tensor, source: Any, storage_offset: int = 0, size: Sequence[int] = (), stride: Sequence[int] = ()
) -> Tensor:
    """Let a tensor read another storage, with a size and strides of one's own."""
    numbers = source.numbers
    whole = Tensor(numbers, type(input.layout)((len(numbers),), (1,)), source.dtype)
    seen = as_strided(whole, size or (len(numbers),), stride or (1,), storage_offset)
    input.numbers, input.layout, input.dtype = seen.numbers, seen.layout, seen.dtype
    return input
