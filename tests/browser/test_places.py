"""`placed` looks again for what was drawn again in between, and says so when there is never anything."""

from __future__ import annotations

import pytest

from tests.browser.places import placed

BOX = {"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0}


class Part:
    """A part of a page that has no box when it is first measured."""

    def __init__(self, misses: int) -> None:
        self.misses, self.waited = misses, 0

    def wait_for(self) -> None:
        self.waited += 1

    def bounding_box(self) -> dict[str, float] | None:
        return BOX if self.waited > self.misses else None


@pytest.mark.parametrize("misses", [0, 1, 2])
def test_a_part_that_is_drawn_anew_is_measured_again(misses: int) -> None:
    part = Part(misses)
    assert placed(part) == BOX
    assert part.waited == misses + 1


def test_a_part_that_never_has_a_place_is_an_error() -> None:
    with pytest.raises(AssertionError, match="has no place there"):
        placed(Part(1000))
