"""Views: another layout on the same list of numbers. All the arithmetic is `Layout`'s; nothing is copied.

>>> t = plain.arange(6).view(2, 3)
>>> t.transpose(0, 1).stride(), t[:, 1:].storage_offset()
((1, 3), 1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.plain.backward import note
from tensorkit.plain.tensors import Dtype, Tensor, full, made, offered, size_of
from tensorkit.strides import split as cuts
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import infer_size

Look = Callable[[Layout], Layout]


def view_of(name: str, input: Tensor, look: Look) -> Tensor:
    """Another look at the same numbers. Its gradient is written where the view reads; everywhere else it is 0."""
    out = Tensor(input.numbers, look(input.layout), input.dtype)

    def formula(g: Tensor) -> tuple[Tensor]:
        back = full(input.shape, 0, dtype=input.dtype)
        return (back.add_at(look(back.layout).slots(), g.values()),)

    return note(name, out, (input,), formula)


def _offer(name: str, *others: str, function: bool = True, sizes: bool = False) -> None:
    """Offer a method of `Layout` for tensors; `sizes` are given as numbers, or as one sequence."""

    def look(input: Tensor, *given: Any, **named: Any) -> Tensor:
        if given and isinstance(given[0], (Dtype, type)):
            raise NotImplementedError("The plain engine cannot view the same bytes as another dtype.")
        if sizes and not named:
            given = (size_of(given),)
        return view_of(name, input, lambda layout: getattr(layout, name)(*given, **named))

    def change(input: Tensor, *given: Any, **named: Any) -> Tensor:
        input.layout = look(input.detach(), *given, **named).layout
        return input

    look.__name__ = name
    offered(name, *others, function=function)(look)
    if name in ("t", "transpose", "squeeze", "unsqueeze"):
        offered(f"{name}_", function=False)(change)


for _name in ("t", "squeeze", "unsqueeze", "select", "narrow", "diagonal", "unflatten"):
    _offer(_name)
_offer("transpose", "swapaxes", "swapdims")
_offer("movedim", "moveaxis")
_offer("permute", sizes=True)
_offer("view", function=False, sizes=True)
_offer("expand", function=False, sizes=True)
_offer("unfold", function=False)


def _offer_property(name: str) -> None:
    def look(input: Tensor) -> Tensor:
        return view_of("permute", input, lambda layout: getattr(layout, name))

    offered(name, function=False)(property(look))  # type: ignore[type-var]


_offer_property("T")
_offer_property("mT")


@offered("broadcast_to")
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    return view_of("expand", input, lambda layout: layout.expand(tuple(size)))


@offered("as_strided")
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Any layout at all on the same numbers, as long as it stays within them."""
    size_in_bytes = len(input.numbers) * input.dtype.itemsize
    layout = input.layout.as_strided(
        tuple(size), tuple(stride), storage_offset, size_in_bytes, input.dtype.itemsize
    )

    def formula(g: Tensor) -> tuple[Tensor]:
        if input.layout.has_internal_overlap() != "no":
            raise NotImplementedError(
                "The plain engine has no gradient for as_strided of an expanded tensor."
            )
        back = Tensor([0.0] * len(input.numbers), input.layout, input.dtype)
        return (back.add_at(layout.slots(), g.values()),)

    return note("as_strided", Tensor(input.numbers, layout, input.dtype), (input,), formula)


def _offer_pieces(name: str) -> None:
    cut = getattr(cuts, name)

    def pieces(input: Tensor, *given: Any, **named: Any) -> tuple[Tensor, ...]:
        count = len(cut(input.layout, *given, **named))
        return tuple(
            view_of(name, input, lambda layout, i=i: cut(layout, *given, **named)[i])  # type: ignore[misc]
            for i in range(count)
        )

    offered(name)(pieces)


for _name in ("unbind", "split", "chunk", "tensor_split", "hsplit", "vsplit", "dsplit"):
    _offer_pieces(_name)


# -- copies, where strides alone cannot say it -------------------------------------------------------------------------


def copy(input: Tensor, layout: Layout) -> Tensor:
    return note("clone", made(input.values(), input.dtype, layout), (input,), lambda g: (g,))


@offered("clone")
def clone(input: Tensor) -> Tensor:
    """A copy with numbers of its own; its dimensions keep their order in memory."""
    return copy(input, Layout(input.shape, like_strides(input.layout)))


@offered("contiguous", function=False)
def row_major(input: Tensor) -> Tensor:
    """The tensor itself if its elements are row by row; otherwise a copy that is."""
    return input if input.is_contiguous() else copy(input, contiguous(input.shape))


@offered("reshape")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """A view if strides can say it, otherwise a view of a copy.

    >>> t = plain.arange(6).view(2, 3)
    >>> t.reshape(6).numbers is t.numbers, t.t().reshape(6).numbers is t.numbers
    (True, False)
    """
    size = infer_size(size_of(shape), input.numel())
    source = input if input.layout.reshape(size) is not None else row_major(input)
    return view_of("view", source, lambda layout: layout.view(size))


@offered("flatten", "ravel")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    return reshape(input, input.layout.flattened_size(start_dim, end_dim))
