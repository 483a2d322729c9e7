"""The small markup of questions and verdicts, and how an unknown value is shown: safe, short, one line."""

from __future__ import annotations

import html
import re

LONGEST_TEXT = 500
"""Characters of a typed answer that are read; nothing that a lesson asks for comes near it."""


def escape(text: str) -> str:
    """`text` as HTML text.

    >>> escape("<b>")
    '&lt;b&gt;'
    """
    return html.escape(text, quote=True)


_CODE = r"`[^`\n]+`"
_BOLD = rf"\*\*(?:{_CODE}|[^*`\n])+\*\*"
_EMPHASIS = rf"(?<![\w*])\*(?![\s*])(?:{_CODE}|[^*`\n])+(?<!\s)\*(?![\w*])"
"""A star is a mark where a word begins and where one ends; in `2 * 3 * 4` and in `2*3*4` it is a star."""
_MARKS = re.compile(f"({_CODE}|{_BOLD}|{_EMPHASIS})")


def _inline(text: str) -> str:
    parts = _MARKS.split(text)
    return "".join(_marked(part) if k % 2 else escape(part) for k, part in enumerate(parts))


def _marked(part: str) -> str:
    if part[0] == "`":
        return f"<code>{escape(part[1:-1])}</code>"
    if part.startswith("**"):
        return f"<strong>{_inline(part[2:-2])}</strong>"
    return f"<em>{_inline(part[1:-1])}</em>"


def code_block(code: str) -> str:
    """Lines of code as HTML. A ``pre`` alone has the face of the text around it in an exported notebook.

    >>> code_block("a < b")
    '<pre><code>a &lt; b</code></pre>'
    """
    return f"<pre><code>{escape(code)}</code></pre>"


def markup(text: str) -> str:
    """Paragraphs, `code`, **bold**, *emphasis* and indented code blocks as HTML; all else is escaped.

    >>> markup("What is `t.size()`?")
    '<p>What is <code>t.size()</code>?</p>'
    >>> markup("The *first* of 2 * 3 * 4, **not `a * b`**")
    '<p>The <em>first</em> of 2 * 3 * 4, <strong>not <code>a * b</code></strong></p>'
    >>> markup("Look:" + chr(10) * 2 + "    t[1:]")
    '<p>Look:</p><pre><code>t[1:]</code></pre>'
    """
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if all(line.startswith("    ") for line in lines):
            out.append(code_block("\n".join(line[4:] for line in lines)))
        else:
            out.append(f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>")
    return "".join(out)


def plain(text: str) -> str:
    """The same text without its marks, for the text twin.

    >>> from tensorkit_widgets.practice.markup import plain
    >>> plain("What is **the** *first* `size`?")
    'What is the first size?'
    """
    return "\n".join(
        line if line.startswith("    ") else _MARKS.sub(_unmarked, line)
        for line in text.strip("\n").split("\n")
    )


def _unmarked(mark: re.Match[str]) -> str:
    part = mark[0]
    if part[0] == "`":
        return part[1:-1]
    return _MARKS.sub(_unmarked, part[2:-2] if part.startswith("**") else part[1:-1])


def shown(value: object, longest: int = 60) -> str:
    """`repr(value)` on one line, cut to `longest` characters; never raises, whatever the value is.

    >>> shown([1, 2, 3]), shown("x" * 99, 9)
    ('[1, 2, 3]', "'xxxxxxx…")
    """
    if type(value) in (str, bytes):
        value = value[: longest * 2]  # type: ignore[index]
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no more than 4,300 digits
        text = f"a number of {value.bit_length()} bits" if type(value) is int else f"a {type(value).__name__}"
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= longest else text[: longest - 1] + "…"


def quoted(value: object, longest: int = 40) -> str:
    """What somebody gave, as code in a sentence: what they typed as they typed it, else `repr`; cut if it is long.

    >>> quoted("(3, 4)*9**9**9"), quoted("x" * 99, 9), quoted([1, 2])
    ('`(3, 4)*9**9**9`', '`xxxxxxxx…`', '`[1, 2]`')
    """
    text = " ".join(value[: longest * 4].split()) if type(value) is str else shown(value, longest)
    text = text.replace("`", "'") or "''"
    return f"`{text}`" if len(text) <= longest else f"`{text[: longest - 1]}…`"


def told(error: BaseException) -> str:
    """An error as `Class: first line`, cut short; safe for an error whose own text raises.

    >>> told(ValueError("no"))
    'ValueError: no'
    """
    try:
        text = (str(error).strip().splitlines() or [""])[0]
    except Exception:
        text = ""
    kinds = [kind for kind in type(error).__mro__ if kind.__module__ != "builtins" or kind.__name__[0] != "_"]
    name = kinds[
        0
    ].__name__  # what Python keeps to itself, as `_IncompleteInputError`, is shown as what it is
    return (f"{name}: {text[:200]}" if text else name).rstrip(".")
