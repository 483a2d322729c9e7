"""A Sphinx extension: what a docstring of ours says, as Sphinx reads it, with the picture of its example."""

from __future__ import annotations

import inspect
import re
from typing import Any

from tensorkit_widgets.site.names import first_with, known
from tensorkit_widgets.site.pictures import pictured

_LITERAL = re.compile(r"(``.+?``|:[\w:]+:`.+?`|(?<![`\w])`[^`\n]+`(?!`))")
_ADDRESS = re.compile(r"<?https?://\S+?>?(?=[.,;:)]*(?:\s|$))")
_NAME = re.compile(r"`([\w.]+)`")


def restructured(text: str) -> str:
    """A docstring in the markup of Sphinx: its single backticks are a link to one of our names, or code.

    Examples in it are left as they are. Stars and closing underscores are meant as they are written.

    >>> restructured("See `matmul` and `beta`, ``a * b``, 2*3 and zero_.")
    'See :py:obj:`~tensorkit.matmul` and ``beta``, ``a * b``, 2\\\\*3 and zero\\\\_.'
    """
    return "\n\n".join(part if ">>>" in part else _prose(part) for part in re.split(r"\n[ ]*\n", text))


def _prose(text: str) -> str:
    parts = _LITERAL.split(text)
    told = (
        _literal(part) if place % 2 else _ADDRESS.sub(_link, part) if "://" in part else _plain(part)
        for place, part in enumerate(parts)
    )
    return re.sub(r"(?<=`)\0(?=\w)", r"\\ ", "\0".join(told)).replace("\0", "")  # a plural's s, and the like


def _literal(part: str) -> str:
    name = _NAME.fullmatch(part)
    if name is None:
        return part if part.startswith((":", "``")) else f"`{part}`"
    full = known().get(name[1])
    return f":py:obj:`~{full}`" if full else f"``{name[1]}``"


def _plain(part: str) -> str:
    return re.sub(r"(?<!\\)\*|(?<![\\\s])_(?!\w)|(?<!\\)\|", r"\\\g<0>", part)


def _link(found: re.Match[str]) -> str:
    address = found[0].strip("<>")
    words = re.sub(r"^https?://|\.html$", "", address)
    return f"`{words} <{address}>`__"


def _described(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Write what an entry says: all of it, with its picture, in one place, and its first sentence in others."""
    first = first_with().get(inspect.getdoc(value) or "", name)
    # What a docstring says is returned is a sentence: napoleon takes the words before its colon for a type.
    text = re.sub(r"(?m)^:returns: \*(.+)\* -- ", r":returns: \1: ", "\n".join(lines))
    shown: list[str] = []
    if first == name:
        shown = pictured(name, value, app.srcdir)
    elif lines:
        text = f"{_first_paragraph(text)}\n\nSee :py:obj:`{first.removeprefix('tensorkit.')} <{first}>`."
    text, source, end = text.partition("\nSource: ")
    lines[:] = [*restructured(text).split("\n"), *shown, "", *restructured(source + end).split("\n")]


def _first_paragraph(text: str) -> str:
    return text.strip().split("\n\n", 1)[0]


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls: our markup is read after napoleon has read the sections of a docstring."""
    app.connect("autodoc-process-docstring", _described, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
