"""What every run of pytest needs, wherever its files lie: nbval runs a lesson's cells as a notebook does, numbered.

nbval asks the kernel to keep no history, and without it no cell has a number of its own. The memory map tells after
which cell it looked; it would tell something else than the committed lesson.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import pytest
from nbval.kernel import RunningKernel

# No progress bars in the cells of notebooks: whether one comes depends on how busy the machine is.
os.environ.setdefault("TTY_INTERACTIVE", "0")

# Its import needs a package that the kit does not bring.
collect_ignore = [] if find_spec("tensorboard") else ["tensorkit/utils/tensorboard.py"]


@pytest.fixture(scope="session", autouse=True)
def _tk(doctest_namespace: dict[str, Any]) -> None:
    """The examples of docstrings know `tensorkit` as ``tk``, as every lesson does, and its plain engine."""
    import tensorkit
    from tensorkit import plain

    doctest_namespace["tk"], doctest_namespace["plain"] = tensorkit, plain


def _execute_cell_input(self: RunningKernel, cell_input: str, allow_stdin: bool | None = None) -> str:
    """Start a cell; returns the id of its message."""
    message: str = self.kc.execute(cell_input, allow_stdin=allow_stdin, stop_on_error=False)
    return message


RunningKernel.execute_cell_input = _execute_cell_input
