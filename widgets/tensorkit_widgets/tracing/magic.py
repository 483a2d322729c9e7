"""``%%explain``: run a cell as ever, and show its story.

    %%explain
    y = x.t()
    y.view(-1)

A cell that raises shows its story, too, and then its error as IPython shows it: "Run All" stops there as ever.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from tensorkit_widgets.tracing.explain import Explanation
from tensorkit_widgets.tracing.explain_model import explain_run
from tensorkit_widgets.tracing.source import is_library_file
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.tracebacks import own_lines

USAGE = "%%explain runs the cell under it and tells its story; it takes no words of its own."


def explain_cell(line: str, cell: str) -> None:
    """Run this cell, and show its story: what each call did, view or copy and why, and what an error means."""
    from IPython.display import display

    if line.strip():
        print(USAGE)
    shell = cell_hook._shell()
    story, error = explain_run(cell, shell.user_ns)
    display(Explanation(story))
    if error is not None:
        _shown_as_ever(shell, error)
        raise error


def _shown_as_ever(shell: Any, error: BaseException) -> None:
    """Have IPython show the error with the learner's own frames, as it would have without the magic."""
    trace = error.__traceback__
    while trace is not None and is_library_file(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    kept = error.__traceback__ if trace is None else trace
    try:
        if trace is not None:
            _name_after_cell(shell, trace.tb_frame.f_code.co_filename)
        lines = _told_by(shell, error, own_lines(kept, shell.user_ns))
        error._render_traceback_ = lambda *ignored: lines  # type: ignore[attr-defined]
    except Exception:  # an error that cannot be told so is told with the magic's own frames
        return


def _name_after_cell(shell: Any, file: str) -> None:
    """Let IPython call this code, which has no file, "Cell In[n]", after the cell that runs."""
    known, frame = shell.compile._filename_map, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename not in known:
        frame = frame.f_back
    known[file] = known[frame.f_code.co_filename]


def _told_by(shell: Any, error: BaseException, trace: TracebackType | None) -> list[str]:
    lines: list[str] = shell.InteractiveTB.structured_traceback(type(error), error, trace, tb_offset=0)
    return lines


def register(shell: Any) -> None:
    """Teach a shell ``%%explain``; doing it again changes nothing."""
    shell.register_magic_function(explain_cell, "cell", "explain")


def remove(shell: Any) -> None:
    """Take the magic away."""
    shell.magics_manager.magics["cell"].pop("explain", None)
