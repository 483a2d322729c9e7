"""The calls that operations are tried with: a text file for each chapter, a line for each call.

    elu  |  tk.nn.functional.elu(a, 0.5)  |  a=(2, 3)

The name of the operation, an expression in ``tk`` that is the same under PyTorch, and the size of each of its tensors.
They are put into the registry here: the tests draw dtypes and layouts of memory for the operands.
"""

from __future__ import annotations

import ast
from pathlib import Path

import tensorkit.fft  # which registers its operations
import tensorkit.nn.functional  # noqa: F401  # which registers the operations that networks alone use
from tensorkit.dispatch.registry import Sample, registry, sample

__all__ = ["OPERATIONS", "attach"]

HERE = Path(__file__).parent
OPERATIONS: set[str] = set()
"""The operations whose samples are here: what networks are made of, Fourier transforms."""


def _read(line: str) -> tuple[str, Sample]:
    name, call, sizes = (part.strip() for part in line.split("|"))
    given = ast.parse(f"f({sizes})", mode="eval").body
    assert isinstance(given, ast.Call)
    return name, sample(call, **{str(one.arg): ast.literal_eval(one.value) for one in given.keywords})


def attach() -> None:
    """Give each operation its samples."""
    for path in sorted(HERE.rglob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                name, found = _read(line)
                OPERATIONS.add(name)
                if found not in registry[name].samples:
                    registry[name].samples += (found,)
