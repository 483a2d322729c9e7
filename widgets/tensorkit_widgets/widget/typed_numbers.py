"""The numbers that were typed over a picture's cells: which stand, and how to come back to an earlier moment.

A presenter marks a moment, types numbers into cells, and returns: the tensor then holds what it held. What the
notebook's own cells have written meanwhile is nobody's to take back: an element is restored only while it still is what
was typed.

>>> from tensorkit_widgets.snapshot.adapter import write
>>> t, typed = tk.zeros(3), TypedNumbers()
>>> mark = typed.standing()
>>> for place in range(2):
...     one = typed.add(write(t, (place,), 7), "")
>>> t[1] = 5  # a cell of the notebook
>>> typed.return_to(mark), t.tolist()
(1, [0.0, 5.0, 0.0])
"""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit_widgets.snapshot.adapter import Written

MOST = 1000


@dataclass(slots=True)
class Typed:
    """What was typed over one cell."""

    number: int
    written: Written
    said: str
    """What is said when undo takes it back."""
    stands: bool = True

    def take_back(self) -> None:
        """The element is what it was before, whatever was written there since: this is what undo does."""
        self.written.take_back()
        self.stands = False


class TypedNumbers:
    """Everything that was typed over the cells of one picture, in its order."""

    def __init__(self) -> None:
        self._all: list[Typed] = []
        self._count = 0

    def add(self, written: Written, said: str) -> Typed:
        """One more."""
        self._count += 1
        typed = Typed(self._count, written, said)
        self._all = [*self._all[-MOST:], typed]
        return typed

    def standing(self) -> tuple[int, ...]:
        """Which of them nothing has taken back: a moment, for `return_to`."""
        return tuple(typed.number for typed in self._all if typed.stands)

    def return_to(self, moment: tuple[int, ...]) -> int:
        """Take back what was typed since, and type again what was undone since.

        Returns how many elements were left alone, because something else has been written there.
        """
        left = 0
        for typed in reversed(self._all):
            if typed.stands and typed.number not in moment:
                left += not typed.written.exchange(back=True)
                typed.stands = False
        for typed in self._all:
            if not typed.stands and typed.number in moment:
                left += not typed.written.exchange(back=False)
                typed.stands = True
        return left
