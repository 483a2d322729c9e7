"""The geometry of windows that move over images, whatever computes them: convolution, unfolding.

A window is as large as a kernel. Along each spatial dimension it begins `padding` before the image, moves on by
`stride`, and its elements are `dilation` apart.
"""

from __future__ import annotations

from typing import NamedTuple

Ints = tuple[int, ...]


class Window(NamedTuple):
    """How windows move, along each spatial dimension; and into how many groups the channels fall."""

    stride: Ints
    padding: Ints
    dilation: Ints
    groups: int = 1

    def extent(self, kernel: Ints) -> Ints:
        """How far a window reaches: ``Window((1,), (0,), (2,)).extent((3,))`` is 5 elements."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, kernel, strict=True))

    def places(self, image: Ints, kernel: Ints) -> Ints:
        """In how many places the window fits into an image.

        >>> Window((2,), (1,), (1,)).places((5,), (3,))
        (3,)
        """
        parts = zip(image, self.extent(kernel), self.stride, self.padding, strict=True)
        return tuple((i + 2 * p - e) // s + 1 for i, e, s, p in parts)

    def image(self, places: Ints, kernel: Ints, more: Ints) -> Ints:
        """The smallest image with this many places, and `more` elements.

        >>> Window((2,), (1,), (1,)).image((3,), (3,), (0,))
        (5,)
        """
        parts = zip(places, self.extent(kernel), self.stride, self.padding, more, strict=True)
        return tuple((n - 1) * s + e - 2 * p + m for n, e, s, p, m in parts)

    def reach(self, places: Ints, kernel: Ints) -> Ints:
        """Where the last window ends, counted from where the first begins."""
        parts = zip(places, self.extent(kernel), self.stride, strict=True)
        return tuple((n - 1) * s + e for n, e, s in parts)

    def as_3d(self) -> Window:
        """The same in three spatial dimensions, of which the first ones are of length 1."""
        missing = 3 - len(self.stride)
        return Window(
            (1,) * missing + self.stride,
            (0,) * missing + self.padding,
            (1,) * missing + self.dilation,
            self.groups,
        )
