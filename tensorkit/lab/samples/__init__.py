"""The calls that operations are tried with: a text file for each module of `tensorkit.ops`, a line for each call.

    add | tk.add(a, b, alpha=2) | a=(2, 3), b=(2, 3)

A line has the operation's name, an expression in ``tk`` that means the same in PyTorch, and the size of each tensor in
it. The tests draw dtypes and layouts of memory for these tensors; ``lab.cubins`` compiles the kernels that they need.
"""

from __future__ import annotations

import ast
from pathlib import Path

import tensorkit.fft  # which registers its operations
import tensorkit.nn.functional  # noqa: F401  # which registers the operations that networks alone use
from tensorkit.dispatch.registry import Sample, registry

HERE = Path(__file__).parent


def read(line: str) -> tuple[str, Sample]:
    """The operation's name and the sample that one line holds; the call itself may contain ``|``.

    >>> from tensorkit.lab.samples import read
    >>> read("bitwise_or | a | b | a=(2, 3), b=(3,)")
    ('bitwise_or', Sample(call='a | b', sizes={'a': (2, 3), 'b': (3,)}))
    """
    name, _, rest = line.partition(" | ")
    call, _, sizes = rest.rpartition(" |")
    given = ast.parse(f"f({sizes})", mode="eval").body
    assert isinstance(given, ast.Call)
    return name.strip(), Sample(
        call.strip(), {str(one.arg): ast.literal_eval(one.value) for one in given.keywords}
    )


def attach() -> None:
    """Give each operation in the registry its samples; once is enough."""
    for path in sorted(HERE.rglob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                name, found = read(line)
                if found not in registry[name].samples:
                    registry[name].samples += (found,)
