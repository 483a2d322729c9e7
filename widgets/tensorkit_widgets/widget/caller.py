"""What the learner calls a value: its name where a widget is made, so that code in a picture can be pasted there.

>>> from tensorkit_widgets.widget.caller import called
>>> weights = [1.0, 2.0]
>>> called(weights, "t"), called([1.0, 2.0], "t")
('weights', 't')
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

LONGEST = 24
OWN = str(Path(__file__).parents[1])


def called(value: Any, otherwise: str, given: str | None = None) -> str:
    """The name of a value where a widget is made, ``otherwise`` for one without a name; or the one that is given.

    Names that begin with an underscore are the notebook's own.
    """
    if given is not None:
        return str(given)
    frame = _learners(sys._getframe(1))
    if frame is None:
        return otherwise
    return _in(frame.f_locals, value) or _in(frame.f_globals, value) or otherwise


def _learners(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that is none of the widgets' own."""
    while frame is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return frame


def _in(names: Mapping[str, Any], value: Any) -> str:
    """The first name that stands for this very object."""
    for name, held in list(names.items()):
        if held is value and isinstance(name, str) and name.isidentifier() and name[0] != "_":
            return name if len(name) <= LONGEST else ""
    return ""
