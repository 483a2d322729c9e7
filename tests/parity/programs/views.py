"""Generated programs: views of views of one tensor, and writes through any of them, as lines of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any


class Brackets:
    """``key[1:, None]`` is what stands between those brackets."""

    def __getitem__(self, item: Any) -> Any:
        return item


class Hand:
    """Choices read off random bytes: quick to draw, and simple to make simpler (a 0 is the first option)."""

    def __init__(self, data: bytes) -> None:
        self._bytes: Iterator[int] = iter(data)

    def pick(self, options: Sequence[Any]) -> Any:
        number = next(self._bytes, 0)
        if len(options) > 256:  # one byte does not tell them all apart
            number = number * 256 + next(self._bytes, 0)
        return options[number % len(options)]

    def chance(self, percent: int) -> bool:
        return 255 - next(self._bytes, 0) < percent * 256 // 100

    def order(self, items: Sequence[Any]) -> list[Any]:
        left = list(items)
        return [left.pop(next(self._bytes, 0) % len(left)) for _ in items]

    def dim(self, ndim: int, wild: int = 6) -> int:
        """A dimension, counted from either end; now and then one that is not there."""
        if not ndim or self.chance(wild):
            return int(self.pick((0, -1, ndim, -ndim - 1, 7)))
        return int(self.pick(range(-ndim, ndim)))


def _factors(hand: Hand, count: int) -> tuple[int, ...]:
    """A size with `count` elements, or nearly, perhaps with a -1 to be worked out."""
    shape, left = [], count
    while left > 1 and len(shape) < 3:
        divisors = [n for n in range(1, left + 1) if left % n == 0]
        shape.append(hand.pick(divisors))
        left //= shape[-1]
    shape.append(left)
    if hand.chance(25):
        shape[hand.pick(range(len(shape)))] = -1
    if hand.chance(8):
        shape[0] += 1
    if hand.chance(15):
        shape.insert(hand.pick(range(len(shape) + 1)), 1)
    return tuple(shape)


def _one_index(hand: Hand, length: int) -> str:
    kind = hand.pick(("slice", "slice", "int", "step", "None", "all", "..."))
    start = hand.pick(range(-length - 1, length + 2))
    if kind == "int":
        return str(hand.pick(range(-length, length)) if length and not hand.chance(8) else length)
    if kind == "step":
        return f"{start}::{hand.pick((2, 3, 1)) if not hand.chance(4) else -1}"
    if kind == "slice":
        return hand.pick((f"{start}:", f":{start}", f"{start}:{hand.pick(range(-length - 1, length + 2))}"))
    return {"None": "None", "all": ":", "...": "..."}[kind]


def index(hand: Hand, size: Sequence[int]) -> str:
    """What stands between the brackets: integers, slices, ``...`` and ``None`` for some of the dimensions."""
    count = hand.pick(range(1, len(size) + 1)) if size else 1
    parts = [_one_index(hand, n) for n in size[:count]] or [hand.pick(("()", "...", "None", "0"))]
    while parts.count("...") > 1:
        parts.remove("...")
    return ", ".join(parts)


def _one_pick(hand: Hand, length: int, count: int) -> str:
    kind = hand.pick(("list", "tensor", "mask", "slice", "int") if length else ("slice",))
    if kind == "mask":
        return f"tk.tensor({[bool(hand.pick((True, False, True))) for _ in range(length)]})"
    if kind in ("list", "tensor"):
        chosen = [hand.pick(range(-length, length)) for _ in range(count)]
        return str(chosen) if kind == "list" else f"tk.tensor({chosen})"
    if kind == "slice":
        return str(hand.pick((":", "1:", "::2")))
    return str(hand.pick(range(-length, length)))


def picks(hand: Hand, size: Sequence[int]) -> str:
    """What stands between the brackets where elements are picked one by one: lists, masks, tensors of indices."""
    count = hand.pick((2, 1, 3))
    parts = [_one_pick(hand, n, count) for n in size[: hand.pick(range(1, len(size) + 1)) if size else 0]]
    if hand.chance(15):
        parts.insert(hand.pick(range(len(parts) + 1)), "None")
    return ", ".join(parts) + "," if parts and not hand.chance(8) else "True"


def _strided(hand: Hand, t: Any) -> str:
    size = tuple(hand.pick((1, 2, 3)) for _ in range(hand.pick((1, 2, 2, 3))))
    stride = tuple(hand.pick((1, 2, 0, 3, 4)) for _ in size)
    offset = hand.pick((None, 0, 1, 2, 5))
    return f"({size}, {stride}{'' if offset is None else f', {offset}'})"


def _expanded(hand: Hand, t: Any) -> str:
    size = [-1 if hand.chance(20) else hand.pick((2, 3)) if n == 1 else n for n in t.size()]
    size = [*[hand.pick((2, 3, 1)) for _ in range(hand.pick((0, 0, 1)))], *size]
    if size and hand.chance(5):
        size[0] = 5
    return f"({', '.join(map(str, size))})" if size else "(2)"


def _unflattened(hand: Hand, t: Any) -> str:
    dim = hand.dim(t.dim())
    length = t.size()[dim] if -t.dim() <= dim < t.dim() else 1
    return f"({dim}, {_factors(hand, length)})"


def _parts(hand: Hand, t: Any) -> str:
    return f"({hand.pick((1, 2, 3))}, {hand.dim(t.dim())})[{hand.pick((0, 1, -1))}]"


def _dims(hand: Hand, t: Any) -> str:
    return f"({hand.dim(t.dim())}, {hand.dim(t.dim())})"


def _one_dim(hand: Hand, t: Any) -> str:
    return f"({hand.dim(t.dim())})"


def _reordered(hand: Hand, t: Any) -> str:
    return f"({tuple(hand.order(range(t.dim())))})"


def _shaped(hand: Hand, t: Any) -> str:
    return f"({_factors(hand, prod(t.size()))})"


def _window(hand: Hand, t: Any) -> str:
    return f"({hand.dim(t.dim())}, {hand.pick((1, 2, 3))}, {hand.pick((1, 2))})"


def _span(hand: Hand, t: Any) -> str:
    return f"({hand.dim(t.dim())}, {hand.pick((0, 1, -1))}, {hand.pick((1, 2, 0))})"


def _nothing(hand: Hand, t: Any) -> str:
    return "()"


Arguments = Callable[[Hand, Any], str]
VIEWS: dict[str, Arguments] = {
    "transpose": _dims,
    "t": _nothing,
    "permute": _reordered,
    "movedim": _dims,
    "swapaxes": _dims,
    "squeeze": lambda hand, t: _nothing(hand, t) if hand.chance(50) else _one_dim(hand, t),
    "unsqueeze": lambda hand, t: f"({hand.dim(t.dim() + 1)})",
    "view": _shaped,
    "reshape": _shaped,
    "flatten": lambda hand, t: _nothing(hand, t) if hand.chance(40) else _dims(hand, t),
    "unflatten": _unflattened,
    "ravel": _nothing,
    "expand": _expanded,
    "broadcast_to": lambda hand, t: f"(({_expanded(hand, t)[1:-1]},))",
    "narrow": _span,
    "select": lambda hand, t: f"({hand.dim(t.dim())}, {hand.pick((0, 1, -1, 2))})",
    "diagonal": lambda hand, t: f"({hand.pick((0, 1, -1, 2))}, {_dims(hand, t)[1:-1]})",
    "unfold": _window,
    "as_strided": _strided,
    "split": _parts,
    "chunk": _parts,
    "tensor_split": _parts,
    "unbind": lambda hand, t: f"{_one_dim(hand, t)}[{hand.pick((0, -1, 1))}]",
    "detach": _nothing,
    "positive": _nothing,
    "clone": _nothing,
    "contiguous": _nothing,
    "view(dtype)": lambda hand, t: f"(tk.{hand.pick(('int16', 'float32', 'uint8', 'int64', 'bfloat16'))})",
    "real": lambda hand, t: "",
    "imag": lambda hand, t: "",
    "mT": lambda hand, t: "",
    "t_": _nothing,
    "transpose_": _dims,
    "squeeze_": _nothing,
    "unsqueeze_": _one_dim,
}


def view_call(hand: Hand, t: Any) -> tuple[str, str]:
    """The name of a view operation, and a call of it on ``t``; a third of them are square brackets."""
    if hand.chance(30):
        return "[...]", f"t[{index(hand, t.size())}]"
    name = hand.pick(tuple(VIEWS))
    return name, f"t.{name.removesuffix('(dtype)')}{VIEWS[name](hand, t)}"


_NUMBERS = ("0", "1", "-2", "3", "True")


def _assignment(hand: Hand, t: Any) -> str:
    # As a call, because a program is made of expressions: t[1:, None] = 3 is t.__setitem__(key[1:, None], 3).
    return (
        f"t.__setitem__(key[{index(hand, t.size())}], {hand.pick((*_NUMBERS, 'v', 'v', 'v.flatten()[:1]'))})"
    )


def _picked_assignment(hand: Hand, t: Any) -> str:
    value = hand.pick((*_NUMBERS, "v", "v.flatten()[:1].to(t.dtype)", "v.flatten()[0].to(t.dtype)"))
    return f"t.__setitem__(key[{picks(hand, t.size())}], {value})"


def _slice_fill(hand: Hand, t: Any) -> str:
    dim = hand.dim(t.dim())
    length = t.size()[dim] if -t.dim() <= dim < t.dim() else 1
    places = [hand.pick(range(-length, length)) for _ in range(2)] if length else []
    return f"t.index_fill_({dim}, tk.tensor({places}, dtype=tk.int64), {hand.pick(_NUMBERS)})"


def _scattered(hand: Hand, t: Any) -> str:
    dim = hand.dim(t.dim())
    length = t.size()[dim] if -t.dim() <= dim < t.dim() else 1
    shape = tuple(1 for _ in t.size()) if prod(t.size()) else tuple(t.size())
    index = f"tk.full({shape}, {hand.pick(range(length)) if length else 0})"
    return f"t.scatter_({dim}, {index}, {hand.pick(_NUMBERS)})"


def _byte(hand: Hand, t: Any) -> str:
    held = t.untyped_storage().nbytes()
    return f"t.untyped_storage().__setitem__({hand.pick(range(held))}, 1)" if held else "t.zero_()"


WRITES: dict[str, Arguments] = {
    "t[...] = v": _assignment,
    "t[picks] = v": _picked_assignment,
    "index_fill_": _slice_fill,
    "scatter_": _scattered,
    "masked_fill_": lambda hand, t: f"t.masked_fill_(t == t.flatten()[:1], {hand.pick(_NUMBERS)})",
    "fill_": lambda hand, t: f"t.fill_({hand.pick(_NUMBERS)})",
    "zero_": lambda hand, t: "t.zero_()",
    "add_": lambda hand, t: f"t.add_({hand.pick(('1', '2', 'v'))})",
    "sub_": lambda hand, t: f"t.sub_({hand.pick(('1', 'v'))})",
    "mul_": lambda hand, t: f"t.mul_({hand.pick(('2', '3', 'v'))})",
    "copy_": lambda hand, t: "t.copy_(v)",
    "storage()[i] = x": lambda hand, t: f"t.storage().__setitem__({hand.pick((0, 1, 3, -1))}, 1)",
    "untyped_storage()[i] = x": _byte,
}


def write_call(hand: Hand, t: Any) -> tuple[str, str]:
    """The name of a way to write, and an expression that writes into ``t``, perhaps from ``v``."""
    name = hand.pick(tuple(WRITES))
    return name, WRITES[name](hand, t)


def slots_of(tensor: Any) -> list[int]:
    """Where in its storage each element of a tensor of ours lies."""
    return list(tensor._lay().slots())


def overlaps_itself(tensor: Any) -> bool:
    """Whether two elements lie in one place."""
    slots = slots_of(tensor)
    return len(set(slots)) < len(slots)
