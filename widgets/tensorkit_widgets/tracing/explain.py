"""`explain`: the story of a line, call by call: view or copy and why, and what its error means.

    explain("x.t().view(-1)")

``%%explain`` does the same for a cell: see `tensorkit_widgets.tracing.magic`.

>>> w = explain("x.t().view(-1)", {"x": tk.arange(6).view(2, 3)})
>>> w.failed.failure.diagnosis.name, w.offers[0]
('view-strides', 'x.t().reshape(-1)')
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

from tensorkit_widgets.tracing.explain_model import Story, explain_run
from tensorkit_widgets.tracing.recorder import MOST_STEPS
from tensorkit_widgets.tracing.widget import Trace
from tensorkit_widgets.widget import cell_hook


class Explanation(Trace):
    """The story of a piece of code as pictures, as `explain` gives it: the code, then every call.

    One that raised opens at the call that did.
    """

    kind = "explain"
    name: ClassVar[str] = "explain"

    @property
    def story(self) -> Story:
        """What the pictures are drawn from."""
        assert isinstance(self._source, Story)
        return self._source


def explain(
    what: str | Callable[[], Any], namespace: dict[str, Any] | None = None, *, limit: int = MOST_STEPS
) -> Explanation:
    """Run a line, a cell or a function without arguments once, and show its story; an error is part of the story.

    Args:
        what: code to run, or a function to call. Of a function only the engine's operations are told.
        namespace: where the code runs and leaves its names; without one, the notebook's, else the caller's.
        limit: the most calls that are kept.

    Raises:
        SyntaxError: when the code is no Python: nothing has run then.
        TypeError: for something that is neither code nor a function.
    """
    if not isinstance(what, str) and not callable(what):
        raise TypeError(
            f"explain takes code as text, or a function without arguments, not {type(what).__name__}"
        )
    if namespace is None and isinstance(what, str):
        shell = cell_hook._shell()
        namespace = sys._getframe(1).f_globals if shell is None else shell.user_ns
    return Explanation(explain_run(what, namespace, limit=limit)[0])
