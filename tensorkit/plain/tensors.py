"""A tensor in its plainest form: a list of numbers, and a layout that says which of them are its elements.

The engine keeps numbers in NumPy's arrays and looks for the fastest loop over them. Here they are in a Python list, and
every operation is a loop that you can read in one sitting. Sizes, strides, offsets and values are the engine's; the
tests run both on the same calls.

A view is another `Tensor` on the same list:

>>> t = plain.arange(6).view(2, 3)
>>> t.t().stride(), t.t().numbers is t.numbers
((1, 3), True)
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tensorkit.size import Size
from tensorkit.strides.layout import Layout, contiguous

F = TypeVar("F", bound=Callable[..., Any])


class Dtype(NamedTuple):
    """How a number is held: its name, its category (0 truth, 1 integers, 2 floats), its bytes, its name in PyTorch's
    sentences, and a code.

    The code is that of Python's `struct` for floating point numbers; for integers, whether there is a sign.
    """

    name: str
    category: int
    itemsize: int
    label: str
    code: str = ""

    def __repr__(self) -> str:
        return f"tensorkit.{self.name}"

    @property
    def is_floating_point(self) -> bool:
        return self.category == 2

    def held(self, value: Any) -> Any:
        """A number as this dtype holds it: integers wrap around, floating point numbers are rounded.

        >>> plain.int8.held(200), plain.float32.held(0.1), plain.bool.held(2)
        (-56, 0.10000000149011612, True)
        """
        if self.category == 0:
            return value != 0
        if self.category == 1:
            count = 1 << 8 * self.itemsize
            lowest = -count // 2 if self.code == "signed" else 0
            return (int(value) - lowest) % count + lowest
        try:
            return struct.unpack(self.code, struct.pack(self.code, value))[0]
        except OverflowError:  # larger than any of its numbers
            return float("inf") if value > 0 else float("-inf")


boolean = Dtype("bool", 0, 1, "Bool")
uint8 = Dtype("uint8", 1, 1, "Byte")
int8 = Dtype("int8", 1, 1, "Char", "signed")
int16 = Dtype("int16", 1, 2, "Short", "signed")
int32 = Dtype("int32", 1, 4, "Int", "signed")
int64 = Dtype("int64", 1, 8, "Long", "signed")
float16 = Dtype("float16", 2, 2, "Half", "e")
float32 = Dtype("float32", 2, 4, "Float", "f")
float64 = Dtype("float64", 2, 8, "Double", "d")
DTYPES = (boolean, uint8, int8, int16, int32, int64, float16, float32, float64)
OF_NUMBER = {bool: boolean, int: int64, float: float32}
"""The dtypes of Python's numbers."""


NO_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor."
)


class Tensor:
    """Elements on a list of numbers.

    Attributes:
        numbers: the list, which all views of it share.
        layout: the size, the strides and the offset of this tensor on it.
        dtype: how each number is held.
        requires_grad, grad: whether a gradient is wanted, and the gradient once `backward` ran.
        node: how it was made, where some input wants a gradient; see `plain.backward`.
        keeps_grad: whether `backward` writes the ``grad`` of this tensor too, which is not a leaf.
    """

    def __init__(self, numbers: list[Any], layout: Layout, dtype: Dtype) -> None:
        self.numbers, self.layout, self.dtype = numbers, layout, dtype
        self.wanted = False
        self.kept: Tensor | None = None
        self.node: Any = None
        self.keeps_grad = False

    @property
    def requires_grad(self) -> bool:
        return self.wanted

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if wanted and not self.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self.wanted = wanted

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        if self.node is not None and self.wanted and not self.keeps_grad:
            warnings.warn(NO_LEAF, stacklevel=2)
        return self.kept

    @grad.setter
    def grad(self, gradient: Tensor | None) -> None:
        self.kept = gradient

    @property
    def is_leaf(self) -> bool:
        return self.node is None

    @property
    def grad_fn(self) -> Any:
        return self.node

    def retain_grad(self) -> None:
        self.keeps_grad = True

    @property
    def shape(self) -> Any:
        return Size(self.layout.size)

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim: int | None = None) -> Any:
        return self.layout.stride if dim is None else self.layout.stride[dim]

    def storage_offset(self) -> int:
        return self.layout.offset

    def dim(self) -> int:
        return self.layout.ndim

    def numel(self) -> int:
        return self.layout.numel

    def is_contiguous(self) -> bool:
        return self.layout.is_contiguous()

    def values(self, size: Sequence[int] | None = None) -> Iterator[Any]:
        """The elements, the last index running fastest; with a `size`, as broadcasting repeats them."""
        for slot in (self.layout if size is None else self.layout.expand(size)).slots():
            yield self.numbers[slot]

    def write(self, numbers: Iterable[Any]) -> Tensor:
        """Put a number into every slot of this tensor, in the same order, as its dtype holds it."""
        if self.layout.has_internal_overlap() == "yes":
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                "location. Please clone() the tensor before performing the operation."
            )
        for slot, number in zip(self.layout.slots(), [self.dtype.held(n) for n in numbers], strict=True):
            self.numbers[slot] = number
        return self

    def add_at(self, slots: Iterable[int], numbers: Iterable[Any]) -> Tensor:
        """Add each number to what is in its slot; a slot that comes twice gets both."""
        for slot, number in zip(slots, numbers, strict=True):
            self.numbers[slot] = self.dtype.held(self.numbers[slot] + number)
        return self

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return next(self.values())

    def tolist(self) -> Any:
        if not self.dim():
            return self.item()
        return [
            Tensor(self.numbers, self.layout.select(0, i), self.dtype).tolist() for i in range(self.size(0))
        ]

    def detach(self) -> Tensor:
        """The same elements without a history."""
        return Tensor(self.numbers, self.layout, self.dtype)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __len__(self) -> int:
        if not self.dim():
            raise TypeError("len() of a 0-d tensor")
        return self.layout.size[0]

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    __hash__ = object.__hash__

    if TYPE_CHECKING:  # the other files offer their functions as methods

        def __getattr__(self, name: str) -> Any: ...

        __add__: Any
        __sub__: Any
        __mul__: Any
        __truediv__: Any
        __matmul__: Any
        __getitem__: Any


FUNCTIONS: dict[str, Any] = {}
"""What ``plain`` offers by name."""


def offered(*names: str, function: bool = True, method: bool = True) -> Callable[[F], F]:
    """Offer the decorated function under its names: as functions of ``plain``, and as methods of `Tensor`."""

    def offer(body: F) -> F:
        for name in names:
            if function and not name.startswith("__"):
                FUNCTIONS[name] = body
            if method:
                setattr(Tensor, name, body)
        return body

    return offer


# -- new tensors -------------------------------------------------------------------------------------------------------


def made(numbers: Iterable[Any], dtype: Dtype, layout: Layout) -> Tensor:
    """A new tensor of some numbers, the last index running fastest, in a list of its own."""
    return Tensor([dtype.held(0)] * layout.numel, layout, dtype).write(numbers)


def size_of(given: tuple[Any, ...]) -> tuple[int, ...]:
    """A size that was given as numbers, or as one sequence of them."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def _numbers_in(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The size of nested lists, and all their numbers."""
    if isinstance(data, Tensor):
        return data.shape, list(data.values())
    if not isinstance(data, (list, tuple)):
        return (), [data]
    parts = [_numbers_in(part) for part in data]
    for size, _ in parts:
        if size != parts[0][0]:
            raise ValueError(f"expected rows of one size, but got {list(parts[0][0])} and {list(size)}")
    return (len(data), *(parts[0][0] if parts else ())), [
        number for _, numbers in parts for number in numbers
    ]


@offered("tensor", method=False)
def tensor(data: Any, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of nested lists of numbers.

    >>> plain.tensor([[1, 2, 3], [4, 5, 6]]).stride()
    (3, 1)
    """
    size, numbers = _numbers_in(data)
    found = max(
        (OF_NUMBER[type(number)] for number in numbers), key=lambda kind: kind.category, default=float32
    )
    if isinstance(data, Tensor):
        found = data.dtype
    out = made(numbers, dtype or found, contiguous(size))
    out.requires_grad = requires_grad
    return out


@offered("new_tensor", function=False)
def new_tensor(like: Tensor, data: Any) -> Tensor:
    """A tensor of nested lists of numbers, of the same dtype as another."""
    return tensor(data, dtype=like.dtype)


@offered("full", method=False)
def full(
    size: Sequence[int], fill_value: Any, *, dtype: Dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """One number everywhere."""
    layout = contiguous(tuple(size))
    out = made([fill_value] * layout.numel, dtype or OF_NUMBER[type(fill_value)], layout)
    out.requires_grad = requires_grad
    return out


def _filled(name: str, number: int) -> None:
    def fill(*size: Any, dtype: Dtype = float32, requires_grad: bool = False) -> Tensor:
        return full(size_of(size), number, dtype=dtype, requires_grad=requires_grad)

    def fill_like(input: Tensor, *, dtype: Dtype | None = None) -> Tensor:
        return full(input.shape, number, dtype=dtype or input.dtype)

    offered(name, method=False)(fill)
    offered(f"{name}_like", method=False)(fill_like)


for _name, _number in (("zeros", 0), ("ones", 1), ("empty", 0)):
    _filled(_name, _number)


@offered("arange", method=False)
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None) -> Tensor:
    """The numbers from `start` (or 0) up to `end`, without it.

    >>> plain.arange(3).tolist(), plain.arange(1.0, 2.0, 0.5).tolist()
    ([0, 1, 2], [1.0, 1.5])
    """
    if end is None:
        start, end = 0, start
    count = max(0, -int((start - end) // step))
    kind = OF_NUMBER[type(start + end + step)]
    return made([start + i * step for i in range(count)], dtype or kind, contiguous((count,)))


def into(out: Tensor | None, found: Tensor) -> Tensor:
    """A result, written into ``out=`` where that is given.

    >>> t = plain.zeros(2)
    >>> plain.add(t, 1, out=t) is t, t.tolist()
    (True, [1.0, 1.0])
    """
    if out is None:
        return found
    if found.dtype.category > out.dtype.category:
        raise RuntimeError(
            f"result type {found.dtype.label} can't be cast to the desired output type {out.dtype.label}"
        )
    if out.shape != found.shape:
        if out.numel():
            raise NotImplementedError(
                f"The plain engine cannot change the size of out= from {list(out.shape)} to {list(found.shape)}: "
                "give a tensor of the size of the result, or an empty one."
            )
        out.numbers, out.layout = [0] * found.numel(), found.layout
    return out.write(list(found.values()))
