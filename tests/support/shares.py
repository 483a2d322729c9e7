"""Which tests CI runs today: of the longest families a share a day, by turns, of everything else all.

`make test` on a user's machine runs them all, and so does CI with ``TENSORKIT_SHARES=all``. Tests that are named on the
command line are always run. A share is chosen by the day, so that each test has its turn every second or third day, and
every process of one run chooses alike.
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The first process says which day it is to those that it starts: they may start after midnight.
TODAY = date.fromisoformat(os.environ.setdefault("TENSORKIT_DAY", date.today().isoformat()))
"""The day of this run."""

#: Of these files a third of the tests a day.
THIRDS = {
    "tests/cuda/families/test_every_gradient.py",
    "tests/cuda/families/test_every_operation.py",
    "tests/cuda/launching/test_compile.py",
    "tests/distributed/cluster/test_kills.py",
    "tests/engine/autograd/test_derivatives.py",
    "tests/engine/kernels/test_medium_sizes.py",
    "tests/engine/kernels/test_strided_2d.py",
    "tests/parity/test_samples.py",
    "tests/widgets/practice/test_checkers_not_fooled.py",
    "tests/widgets/practice/test_lessons.py",
    "tests/widgets/shared/test_boards.py",
    "tests/widgets/shared/test_truth_graph.py",
}
#: What has a browser and runs each day: a talk from its first minute to its last.
EACH_DAY = {"tests/lab/test_one_key.py"}


def today(items: list[pytest.Item], day: date = TODAY) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests whose turn it is, and those that are left for another day.

    Of the files with a browser every second one has its turn, whole: a file has one page for its tests.
    """
    number = day.toordinal()
    seen: dict[str, int] = {}
    browsers = sorted({_file(item) for item in items if item.get_closest_marker("browser")} - EACH_DAY)
    turns = {file: place for place, file in enumerate(browsers)}
    now, later = [], []
    for item in items:
        file = _file(item)
        if file in turns:
            is_now = (turns[file] + number) % 2 == 0
        elif file in THIRDS:
            seen[file] = seen.get(file, -1) + 1
            is_now = not _parametrized(item) or (seen[file] + number) % 3 == 0
        else:
            is_now = True
        (now if is_now else later).append(item)
    return now, later


def _file(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT).as_posix() if item.path.is_relative_to(ROOT) else str(item.path)


def _parametrized(item: pytest.Item) -> bool:
    """Whether it is one of many: what looks at the others together runs each day."""
    return "[" in item.name
