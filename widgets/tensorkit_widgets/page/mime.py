"""A value as a notebook shows it: its MIME bundle.

>>> bundle([1, 2])[0], bundle(int)[0]
({'text/plain': '[1, 2]'}, {'text/plain': 'int'})
"""

from __future__ import annotations

import pprint
from typing import Any

_WAYS = {
    "text/html": "_repr_html_", "text/markdown": "_repr_markdown_", "text/latex": "_repr_latex_",
    "image/svg+xml": "_repr_svg_",
}  # fmt: skip

WIDTH = 79
"""Characters in a line of a list or a dict."""


def bundle(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and metadata."""
    data: dict[str, Any] = {"text/plain": text(value)}
    metadata: dict[str, Any] = {}
    if isinstance(value, type):
        return data, metadata
    for kind, way in _WAYS.items():
        if hasattr(value, way) and (found := getattr(value, way)()) is not None:
            data[kind] = found
    if hasattr(value, "_repr_mimebundle_"):
        found = value._repr_mimebundle_()
        more, about = found if isinstance(found, tuple) else (found or {}, {})
        return {**data, **more}, {**metadata, **about}
    return data, metadata


def text(value: Any) -> str:
    """A value as text: what is long over several lines, a class by its name."""
    if isinstance(value, type):
        home = "" if value.__module__ == "builtins" else f"{value.__module__}."
        return home + value.__qualname__
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return pprint.pformat(value, width=WIDTH, sort_dicts=False)
    return repr(value)
