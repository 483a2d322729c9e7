"""One ES module out of several files: what a widget's browser side is made of, without a bundler.

A widget's module arrives in the browser as one text, so ``import "./sibling.js"`` has nowhere to look.  Each such
import is rewritten to a ``data:`` URL that holds the sibling (linked in the same way).  A browser keeps one instance
of a module for each URL, so widgets that import the same file share it, and what it remembers.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"

_IMPORT = re.compile(
    r"""(?P<head>^\s*(?:import|export)\b[^"';]*?(?:\bfrom\s*)?)(?P<quote>["'])(?P<path>\./[\w./-]+\.js)(?P=quote)""",
    re.M,
)


class ImportCycle(ValueError):
    """Two modules import each other: neither can be written out first."""


@cache
def static(name: str) -> str:
    """The text of a file in ``static/``."""
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def link(name: str, folder: Path = STATIC) -> str:
    """The text of an ES module with its relative imports replaced by ``data:`` URLs.

    Raises:
        ImportCycle: when the files import each other in a circle.
        FileNotFoundError: when an import names no file.

    >>> "data:text/javascript;base64," in link("board.js")
    True
    """
    return _linked((folder / name).resolve(), ())


def _linked(path: Path, above: tuple[Path, ...]) -> str:
    if path in above:
        names = " → ".join(p.name for p in (*above[above.index(path) :], path))
        raise ImportCycle(f"these modules import each other: {names}")

    def url(found: re.Match[str]) -> str:
        sibling = _linked((path.parent / found["path"]).resolve(), (*above, path))
        data = base64.b64encode(sibling.encode("utf-8")).decode("ascii")
        return f'{found["head"]}"data:text/javascript;base64,{data}"'

    return _IMPORT.sub(url, path.read_text(encoding="utf-8"))
