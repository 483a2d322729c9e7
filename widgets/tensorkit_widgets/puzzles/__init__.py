"""The puzzles: a ladder of layouts, sums by strides, functions under a rule, and a `Layout` of one's own.

>>> from tensorkit_widgets.puzzles import Ladder
>>> rung = Ladder(3, record=False)
>>> rung.turn((4,), (5,), 0).solved
True
"""

from __future__ import annotations

from tensorkit_widgets.puzzles.compare import compare
from tensorkit_widgets.puzzles.ladder import Ladder
from tensorkit_widgets.puzzles.restricted import Restricted
from tensorkit_widgets.puzzles.sitting import sitting

__all__ = ["Ladder", "Restricted", "compare", "sitting"]
