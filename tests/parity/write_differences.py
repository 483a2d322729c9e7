"""The list of every deliberate difference from PyTorch, written from the tests that know them.

python -m tests.parity.write_differences        write DIFFERENCES.md again
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

from tests.engine.autograd import test_derivatives
from tests.parity import test_autograd_programs
from tests.parity.differences import DELIBERATE
from tests.parity.programs import writing_differences

LIST = Path(__file__).with_name("DIFFERENCES.md")

#: What no generated case can meet.
ELSEWHERE = ("forward-mode differentiation is refused with a sentence",)

_HEAD = """# Where tensorkit does not do what PyTorch does

Written by `python -m tests.parity.write_differences` from the tests, which
see each of these again and fail when one is gone. Everything else that they compare is the same: value, dtype, size,
stride, offset, aliasing, text, warning and error.
(An error may go on after PyTorch's words to say what to do next: that there is no CUDA device, how to emulate one.)

"""


def _entries(reasons: Iterable[str]) -> str:
    """A numbered list, without the same reason twice."""
    found = dict.fromkeys(reason[0].upper() + reason[1:].rstrip(".") + "." for reason in reasons)
    lines = [
        textwrap.fill(f"{n}. {reason}", 116, subsequent_indent="   ") for n, reason in enumerate(found, 1)
    ]
    return "\n".join(lines) + "\n"


def text() -> str:
    """What the file has to say."""
    meant = [entry.reason for entry in DELIBERATE if not entry.chance]
    meant += [*test_autograd_programs.DELIBERATE.values(), *writing_differences.DELIBERATE]
    meant += [*test_derivatives.DELIBERATE.values(), *ELSEWHERE]
    chance = [entry.reason for entry in DELIBERATE if entry.chance]
    return (
        f"{_HEAD}## On purpose\n\n{_entries(meant)}\n"
        f"## Left to chance by PyTorch itself\n\n"
        f"Its own loops, or the libraries of two machines, disagree here.\n\n{_entries(chance)}"
    )


if __name__ == "__main__":
    LIST.write_text(text(), encoding="utf-8")
