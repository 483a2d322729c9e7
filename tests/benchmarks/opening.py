"""Opening StrideExplorer on a large storage against a small one: only the visible window may be read and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, Skip, benchmark, codes

ROUNDS = 25
# What Python does until the first picture is ready to be sent; closed again, or the widgets would pile up.
CODE = "StrideExplorer(t).close()"
SHAPES = (("one row", (10_000_000,), (100,)), ("a matrix", (2_500, 4_000), (10, 10)))


@benchmark("Opening StrideExplorer on 10,000,000 elements")
def opening() -> Iterator[Row]:
    try:
        from tensorkit_widgets.stride_explorer.widget import StrideExplorer
    except ImportError as error:
        raise Skip(f"the widgets cannot be imported: {error}") from error
    for name, large, small in SHAPES:
        many, few = _tensor(large), _tensor(small)
        assert len(StrideExplorer(many).svg()) > 1000
        pair = codes(
            CODE,
            CODE,
            {"StrideExplorer": StrideExplorer, "t": many},
            {"StrideExplorer": StrideExplorer, "t": few},
            ROUNDS,
        )
        yield Row(name, pair.ratio, "× 100 elements", pair.told("10,000,000 elements", "100"), 1.5)


def _tensor(size: tuple[int, ...]) -> Any:
    count = 1
    for length in size:
        count *= length
    return tensorkit.arange(count).view(size)
