"""The default of an argument for which None means something: such as a dimension that was not given at all."""

from __future__ import annotations

from typing import Any

#: What was not said, which is another form of a call than saying None: no dimension, no flag.
UNSAID: Any = type("UNSAID", (), {"__repr__": lambda self: "..."})()
