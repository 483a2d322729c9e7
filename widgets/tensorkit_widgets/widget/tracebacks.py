"""An error in a notebook shows the learner's own lines and the engine's sentence, as PyTorch's do.

PyTorch's inner workings are compiled, and no traceback names them. Ours are Python: a wrong `view` of one line would
show four functions of the engine between that line and the sentence that helps. They are left out of what is shown;
``%tb`` and ``%debug`` still have the whole way.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

OURS = ("tensorkit", "tensorkit_widgets")


def shorten(shell: Any) -> None:
    """Show errors of the engine this way from now on, unless somebody shows errors in a way of their own."""
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show)


def own_lines(trace: TracebackType | None, names: dict[str, Any]) -> TracebackType | None:
    """A traceback that ends where the learner's code last calls the engine.

    Args:
        trace: the whole way of an error.
        names: the notebook's namespace: what the learner wrote runs in it.

    Returns:
        The frames up to the last call of the engine from the learner's code; all of them where there is none.
    """
    way = []
    while trace is not None:
        way.append(trace)
        trace = trace.tb_next
    own = [k for k, step in enumerate(way) if step.tb_frame.f_globals is names]
    begin = own[-1] + 1 if own else len(way)
    end = next((k for k in range(begin, len(way)) if _ours(way[k])), len(way))
    for step in reversed(way[:end]):
        trace = TracebackType(trace, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return trace


def _ours(step: TracebackType) -> bool:
    return str(step.tb_frame.f_globals.get("__name__", "")).partition(".")[0] in OURS


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """What IPython calls in place of its own display."""
    shell.showtraceback((kind, error, own_lines(trace, shell.user_ns)), tb_offset=tb_offset)
    sys.last_traceback = shell.InteractiveTB.tb = trace  # for %tb and %debug
