"""How a widget is displayed: its live view, and what stands in its place without a kernel, as an output of its own.

The live view hides the second output while it is alive (``static/static_fallback.js``). A file has the second one
alone: its metadata name the model, so that the view comes back where the notebook is opened again on the same kernel
(``static/saved_notebook.js``).
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.host import display


def display_live(widget: Any, still: Mapping[str, str], invitation: str) -> None:
    """Display a widget in the running cell, in the place of those that earlier runs of the cell had made.

    Args:
        widget: an anywidget whose comm is open.
        still: what is seen without a kernel, by its MIME type.
        invitation: the line under it that says what running the cell is good for.
    """
    cell_hook.replace_in_cell(widget)
    bundle = widget._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
    # The view alone: its words are in the second output, so a saved notebook shows them once.
    display({k: v for k, v in data.items() if k != "text/plain"}, metadata)
    shown = dict(still)
    if "text/html" in shown:
        shown["text/html"] += f'<p class="tk-play" style="margin: 2px 4px">▷ {escape(invitation)}</p>'
    display(shown, {"tensorkit": {"model_id": widget.model_id}})
