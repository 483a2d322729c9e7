"""Functions that a learner of lesson 17 may write, right and wrong, and the cases that they are tried on."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.functions import Case, seen
from tensorkit_widgets.practice.facts import Facts, read

# -- frames of a film


def two_frames(tk: Any) -> Any:
    return tk.arange(120).view(2, 4, 5, 3)


def channels_in_front(base: Facts | None) -> list[Any]:
    """The numbers of the frames, channels first, in reading order."""
    assert base is not None
    frames, rows, columns, channels = base.size
    return [
        base.values[((frame * rows + row) * columns + column) * channels + channel]
        for frame in range(frames)
        for channel in range(channels)
        for row in range(rows)
        for column in range(columns)
    ]


# -- red and blue


def pictures(count: int, rows: int, columns: int) -> Any:
    return tk.arange(count * 3 * rows * columns).view(count, 3, rows, columns)


def swap_right(batch: Any) -> None:
    batch[:, [0, 2]] = batch[:, [2, 0]]


def swap_by_names(batch: Any) -> None:
    batch[:, 0], batch[:, 2] = batch[:, 2], batch[:, 0]


def swap_by_turns(batch: Any) -> None:
    batch[:, 0] = batch[:, 2]
    batch[:, 2] = batch[:, 0]


def swap_lost(batch: Any) -> Any:
    return batch[:, [2, 1, 0]]


def swap_pictures(batch: Any) -> None:
    batch[[0, 2]] = batch[[2, 0]]


def swap_with_a_clone(batch: Any) -> None:
    red = batch[:, 0].clone()
    batch[:, 0] = batch[:, 2]
    batch[:, 2] = red


def _after(arguments: tuple[Any, ...], got: Any) -> object:
    """The batch after the call."""
    return seen(arguments[0])


def swap_case(count: int, rows: int, columns: int) -> Case:
    """A batch of small pictures, and what it is when red and blue have changed places."""
    after = pictures(count, rows, columns)
    swap_right(after)

    def tells(found: Any) -> str:
        same = found == seen(pictures(count, rows, columns))
        return f"after the call the batch is {'as it was' if same else 'not what it should be'}."

    return Case(
        f"a batch of {count} pictures of {rows} by {columns} pixels",
        lambda: (pictures(count, rows, columns),),
        after,
        _after,
        tells,
    )


# -- every second picture


def mirror_odd(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(3)


def mirror_even(batch: Any) -> None:
    batch[::2] = batch[::2].flip(3)


def mirror_all(batch: Any) -> None:
    batch.copy_(batch.flip(3))


def mirror_rows(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(2)


def mirror_both(batch: Any) -> None:
    batch[1::2] = batch[1::2].flip(2, 3)


def mirror_diagonal(batch: Any) -> None:
    batch[1::2] = batch[1::2].transpose(2, 3)


def mirror_lost(batch: Any) -> Any:
    return batch[1::2].flip(3)


def mirror_one_by_one(batch: Any) -> None:
    for k in range(1, batch.size(0), 2):
        batch[k].copy_(batch[k].flip(-1))


def mirror_by_index(batch: Any) -> None:
    last = batch.size(3) - 1
    batch[1::2] = batch[1::2][..., [last - column for column in range(last + 1)]]


def mirror_case(count: int, side: int) -> Case:
    """A batch of small pictures, and what it is when those of odd number are mirrored."""
    after = pictures(count, side, side)
    mirror_odd(after)

    def tells(found: Any) -> str:
        same = found == seen(pictures(count, side, side))
        return f"after the call the batch is {'as it was' if same else 'not what it should be'}."

    return Case(f"a batch of {count} pictures", lambda: (pictures(count, side, side),), after, _after, tells)


# -- back to bytes

_MEAN, _STD = (0.43, 0.33, 0.3), (0.35, 0.28, 0.25)


def per_channel(numbers: Any) -> Any:
    return numbers.view(3, 1, 1)


def undone(z: Any, mean: Any, std: Any) -> Any:
    return (z * per_channel(std) + per_channel(mean)) * 255


def shown_right(z: Any, mean: Any, std: Any) -> Any:
    return undone(z, mean, std).round().clamp(0, 255).byte()


def bytes_case(says: str, levels: list[float], count: int, side: int) -> Case:
    """A batch whose pixels are near these levels, of 0 to 255."""
    many = count * 3 * side * side
    pixels = tk.tensor([levels[k % len(levels)] for k in range(many)]).view(count, 3, side, side)
    mean, std = tk.tensor(_MEAN), tk.tensor(_STD)

    def arguments() -> tuple[Any, ...]:
        return (pixels / 255 - per_channel(mean)) / per_channel(std), mean.clone(), std.clone()

    def looks(_: tuple[Any, ...], got: Any) -> object:
        return read(got).dtype, seen(got)

    def tells(found: Any) -> str:
        dtype, numbers = found
        if dtype != "uint8":
            return f"it should give bytes, uint8; yours gave {dtype}."
        size = numbers[1] if isinstance(numbers, tuple) else ()
        if size != (count, 3, side, side):
            return f"the size should stay {(count, 3, side, side)}; yours is {size}."
        pairs = zip(numbers[2], wanted[1][2], strict=True)
        place, (mine, byte) = next((k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1])
        return f"number {place}, in reading order, should be {byte}; yours is {mine}."

    right = shown_right(*arguments())
    wanted: Any = (read(right).dtype, seen(right))
    return Case(says, arguments, wanted, looks, tells)


# -- the mean of each channel


def red_records(tk: Any) -> Any:
    """Four records of the lesson's format, rather red ones."""
    spots = tk.arange(4 * 3072).view(4, 3, 1024)
    level = tk.tensor([150, 90, 40]).view(3, 1)
    pixels = (level + spots * 7 % 61).view(4, 3072)
    labels = tk.tensor([[7], [0], [9], [3]])
    return tk.cat([labels, pixels], dim=1).byte()


def channel_means(t: Any) -> Any:
    return t[:, 1:].view(-1, 3, 32, 32).double().mean((0, 2, 3))
