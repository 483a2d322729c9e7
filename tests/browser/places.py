"""Where something lies on a page."""

from __future__ import annotations

from typing import Any

_TRIES = 50


def placed(part: Any) -> dict[str, float]:
    """The box of a part of the page, in pixels.

    A picture may be drawn again between the moment when its part is found and that when it is measured: a part that is
    gone has no box, and is looked for again.

    Raises:
        AssertionError: if it never had one.
    """
    for _ in range(_TRIES):
        part.wait_for()
        box: dict[str, float] | None = part.bounding_box()
        if box is not None:
            return box
    raise AssertionError(f"{part} is on the page, and has no place there")
