"""The stride ladder: what each rung shows, and the size, stride and offset that read it, or why none do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from tensorkit_widgets.practice.facts import Slip, slots
from tensorkit_widgets.snapshot.geometry import Ints

Reason = Literal["negative", "uneven", "beyond", "twice"]

REASONS: Mapping[Reason, str] = {
    "negative": "It would take a negative stride.",
    "uneven": "Along one dimension, the steps would not all be equal.",
    "beyond": "It would read past the end of the storage.",
    "twice": "It would read one slot more than once.",
}
"""Why something might be out of reach. The last one never is a reason."""


@dataclass(frozen=True)
class Rung:
    """A target: its numbers in reading order, and the stride and offset that read them.

    Where `reason` is given, no stride and offset do. `why` is said once it is solved; `slips` are readings, as
    `(size, stride, offset)`, with what to say of them.
    """

    title: str
    size: Ints
    stride: Ints = ()
    offset: int = 0
    numbers: Ints = ()
    reason: Reason | None = None
    why: str = ""
    slips: tuple[Slip, ...] = ()

    @property
    def values(self) -> Ints:
        """The numbers of the target, one row of them."""
        return self.numbers or tuple(slots(self.size, self.stride, self.offset))


def _slip(name: str, says: str, size: Ints, stride: Ints, offset: int = 0) -> Slip:
    return Slip(name, says, given=(size, stride, offset))


RUNGS: tuple[Rung, ...] = (
    Rung(
        "A row", (4,), (1,), 8,
        why="Row 2 begins two rows, so eight slots, along.",
        slips=(_slip("offsets count slots", "The offset 2 is slot 2, in row 0.", (4,), (1,), 2),),
    ),
    Rung(
        "A column", (4,), (4,), 1,
        why="From one row to the next it is four slots.",
        slips=(_slip("strides count slots", "A stride of 1 is one slot: the next column.", (4,), (1,), 1),),
    ),
    Rung(
        "The diagonal", (4,), (5,), 0,
        why="One row down is 4 slots, one column to the right is 1 more: 5.",
        slips=(_slip("strides count slots", "Four slots are one row down, in the same column.", (4,), (4,)),),
    ),
    Rung(
        "The other diagonal", (4,), (3,), 3,
        why="One row down is 4 slots forward, one column to the left is 1 back: 3. Nothing negative is left.",
        slips=(_slip("strides count slots", "Stride 5 also goes to the right.", (3,), (5,), 3),),
    ),
    Rung(
        "The other diagonal, upwards", (4,), numbers=(12, 9, 6, 3), reason="negative",
        why="Upwards every step goes 3 slots back, and PyTorch refuses negative strides.",
    ),
    Rung(
        "Every second of every second row", (2, 2), (8, 2), 0,
        why="Two rows down are 8 slots, two columns are 2.",
        slips=(_slip("a step multiplies the stride", "(4, 1) is one row and one column.", (2, 2), (4, 1)),),
    ),
    Rung(
        "Steps that grow", (4,), numbers=(0, 1, 3, 6), reason="uneven",
        why="The steps are 1, 2 and 3, and a dimension has a single stride.",
    ),
    Rung(
        "A row four times", (4, 4), (0, 1), 4,
        why="Stride 0 stays where it is: all four rows read the same four slots. Broadcasting does just this.",
        slips=(_slip("broadcasting copies nothing", "Stride 4 goes on to the next row.", (3, 4), (4, 1), 4),),
    ),
    Rung(
        "The transpose", (4, 4), (1, 4), 0,
        why="The two strides change places.",
        slips=(_slip("transpose moves no data", "That is the tensor itself.", (4, 4), (4, 1)),),
    ),
    Rung(
        "A row backwards", (4,), numbers=(11, 10, 9, 8), reason="negative",
        why="Each step goes one slot back. This is why `t[2, ::-1]` is refused and `flip` has to copy.",
    ),
    Rung(
        "The centre, turned", (2, 2), (1, 4), 5,
        why="The centre begins in slot 5; its strides are those of the transpose.",
        slips=(_slip("transpose moves no data", "That is the centre, not turned.", (2, 2), (4, 1), 5),),
    ),
    Rung(
        "The diagonal, and one more", (5,), numbers=(0, 5, 10, 15, 20), reason="beyond",
        why="The fifth number would be in slot 20, and the last slot is 15.",
    ),
    Rung(
        "Windows of three in each row", (4, 2, 3), (4, 1, 1), 0,
        why="One step to the next window and one step inside a window are both one slot.",
    ),
    Rung(
        "The four patches", (2, 2, 2, 2), (8, 2, 4, 1), 0,
        why="The next patch is 8 slots down or 2 to the right; inside a patch it is 4 and 1, as ever.",
        slips=(
            _slip("permute vs view", "That is `view(2, 2, 2, 2)`.", (2, 2, 2, 2), (8, 4, 2, 1)),
        ),
    ),
    Rung(
        "All nine windows", (3, 3, 2, 2), (4, 1, 4, 1), 0,
        why="A step of the window and a step inside it are the same step. A convolution reads an image like this.",
    ),
    Rung(
        "Every diagonal constant", (4, 4), (1, 1), 0,
        why="Row and column both count one slot, so i + j decides: sixteen elements from seven slots.",
        slips=(_slip("", "(4, 1) reads all sixteen slots.", (4, 4), (4, 1)),),
    ),
)  # fmt: skip
"""From the first to the last. Twelve can be reached; the other four have a reason."""

assert all(len(rung.values) == prod(rung.size) for rung in RUNGS)
