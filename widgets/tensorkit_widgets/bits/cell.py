"""Where the number of a `BitView` lives: a Python number, or one element of a live tensor."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

from tensorkit_widgets.bits.formats import FORMATS, Format, Number, bits_of, value_of
from tensorkit_widgets.bits.scene import Asked
from tensorkit_widgets.snapshot.adapter import PLAIN, Link, Meta, describe, library_of, link_of, quietly
from tensorkit_widgets.snapshot.arrays import as_tensor, is_array
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.widget.let_go import remembered


class NumberCell:
    """A Python number: a float counts as float64, an integer as int64."""

    index: Ints = ()
    size: Ints = ()
    note = ""

    def __init__(self, value: Number) -> None:
        kind = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float64"
        if kind == "int64" and not FORMATS[kind].low <= value <= FORMATS[kind].high:
            raise ValueError(
                f"{_short(value)} has more than 64 bits: no dtype holds it exactly; write it as a float"
            )
        self.format = FORMATS[kind]
        self._bits = bits_of(value, self.format)
        finite = kind != "float64" or value - value == 0
        # What somebody wrote is a decimal number: Python prints the shortest one that leads to this float.
        self.asked = (
            Asked(repr(value), Fraction(repr(value)) if kind == "float64" else Fraction(value))
            if finite
            else None
        )

    def remembered(self) -> Callable[[], NumberCell]:
        """It holds no tensor."""
        return lambda: self

    def at(self, _index: Ints) -> NumberCell:
        """Itself: there is only one number."""
        return self

    def read(self) -> int:
        """Its bits."""
        return self._bits

    def write(self, _bits: int) -> None:
        """Nowhere: a Python number has no storage of its own."""

    def fault(self) -> str:
        """Why it cannot be read: never."""
        return ""

    def place(self) -> tuple[Link | None, int | None]:
        """Storage and slot: none."""
        return None, None

    def called(self, value: str) -> str:
        """Its name in a title."""
        return value


class ElementCell:
    """One element of a live tensor, read and written through its own library, bit by bit."""

    asked: ClassVar[Asked | None] = None
    note = "the tensor’s own dtype"

    def __init__(self, tensor: Any, index: Ints) -> None:
        self.tensor, self.index = tensor, index
        meta = describe(tensor)
        if meta.dtype not in FORMATS:
            hint = "; look at .real or .imag" if "complex" in meta.dtype else ""
            raise TypeError(f"BitView shows one number, and {meta.dtype} is something else{hint}")
        self.format: Format = FORMATS[meta.dtype]
        self.size = meta.size

    def remembered(self) -> Callable[[], ElementCell]:
        """What finds the cell again without holding its tensor."""
        find, index = remembered(self.tensor), self.index
        return lambda: ElementCell(find(), index)

    def at(self, index: Ints) -> ElementCell:
        """Another element of the same tensor."""
        return self if index == self.index else ElementCell(self.tensor, index)

    def fault(self) -> str:
        """Why it cannot be read, or an empty text."""
        meta = describe(self.tensor)
        if meta.fault:
            return meta.fault
        if meta.dtype != self.format.name:
            return f"the tensor’s dtype was {self.format.name} and is {meta.dtype} now"
        if len(meta.size) != len(self.index) or any(
            i >= n for i, n in zip(self.index, meta.size, strict=True)
        ):
            return (
                f"the tensor has the size {size_text(meta.size)} now: there is no element {list(self.index)}"
            )
        return ""

    def read(self) -> int:
        """Its bits at this moment."""
        mask = (1 << self.format.width) - 1
        if library_of(self.tensor) == PLAIN:
            return bits_of(self.tensor[self.index].item(), self.format)
        if is_array(self.tensor):
            held = as_tensor(self.tensor[self.index])
            return int(held.astype(held.dtype.newbyteorder("=")).view(self.format.carrier).item()) & mask
        with quietly(library_of(self.tensor)):
            held = self.tensor.detach()[self.index].resolve_neg().cpu()
            return int(held.view(self._carrier()).item()) & mask

    def write(self, bits: int) -> None:
        """Put these bits there; what the library refuses is raised."""
        if library_of(self.tensor) == PLAIN:
            self.tensor.detach()[self.index] = value_of(bits, self.format)
            return
        if is_array(self.tensor):
            import numpy

            self.tensor[self.index] = numpy.asarray([bits], self.format.carrier).view(self.format.numpy)[0]
            return
        signed = (
            bits - (1 << self.format.width)
            if self.format.width > 8 and bits >> (self.format.width - 1)
            else bits
        )
        with quietly(library_of(self.tensor)):
            self.tensor.detach().view(self._carrier())[self.index] = signed

    def _carrier(self) -> Any:
        name = "uint8" if self.format.width == 8 else f"int{self.format.width}"
        return getattr(sys.modules[library_of(self.tensor)], name)

    def place(self) -> tuple[Link | None, int | None]:
        """Storage and slot, which link it with other pictures."""
        meta: Meta = describe(self.tensor)
        return link_of(meta), slot_of(self.index, meta.stride, meta.offset)

    def called(self, value: str) -> str:
        """Its name in a title."""
        return f"element {list(self.index)}, {value}" if self.index else f"the element, {value}"


Cell = NumberCell | ElementCell


def cell_of(x: Any, index: Any) -> Cell:
    """The cell of a Python number or of a tensor's element."""
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        x = int(x) if isinstance(x, int) else float(x)
    elif type(x).__module__ == "numpy" and type(x).__name__ in ("bool", "bool_"):
        x = bool(x)
    else:
        x = as_tensor(x)
    if isinstance(x, (bool, int, float)):
        if index is not None:
            raise TypeError("a Python number has no index: give a tensor to look at one of its elements")
        return NumberCell(x)
    if isinstance(x, complex):
        raise TypeError("a complex number is two floats: give its .real or its .imag")
    meta = describe(x)
    if 0 in meta.size:
        raise ValueError(
            f"this tensor has the size {size_text(meta.size)}: no elements, and so no bits to look at"
        )
    return ElementCell(x, _index(index, meta.size))


def _index(index: Any, size: Ints) -> Ints:
    if index is None:
        return (0,) * len(size)
    given = index if isinstance(index, (tuple, list)) else (index,)
    try:
        found = tuple(operator.index(i) for i in given)
    except TypeError:
        raise TypeError(f"index must be whole numbers, one for each dimension, not {index!r}") from None
    if len(found) != len(size):
        raise IndexError(f"the tensor has {len(size)} dimensions, and the index has {len(found)} numbers")
    for i, n in zip(found, size, strict=True):
        if not -n <= i < n:
            raise IndexError(f"index {i} is outside of a dimension of size {n}")
    return tuple(i + n if i < 0 else i for i, n in zip(found, size, strict=True))


def _short(value: Number) -> str:
    text = (
        str(value)
        if abs(value) < 10**30
        else f"{'-' * (value < 0)}a number of {abs(int(value)).bit_length()} bits"
    )
    return text
