"""A practice card where nothing answers: as a page of its own, and as a drawing made from its text twin."""

from __future__ import annotations

import re
import textwrap
from html import escape
from itertools import accumulate

from tensorkit_widgets.render.esm import static
from tensorkit_widgets.render.palette import standalone_css

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WIDTH, _LINE, _LEFT, _TOP = 760, 24, 28, 36
_COLUMNS, _CODE_COLUMNS = 88, 76
_GAP = 12  # before a question of a quiz
_GOOD = ("Right", "As you predicted", "Solved")
_TITLES = re.compile(
    r"(Right|Not yet|Not checked|As you predicted|Not what happens|Not so|Skipped|Solved|Shown)\b[^.:]{0,40}[.:]?"
)
_STYLE = """
text{white-space:pre;font:15px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--tk-ink)}
.code{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.head,.title{font-weight:650}.head{fill:var(--tk-focus)}
.title{fill:var(--tk-copy)}.title.good{fill:var(--tk-view)}
.card{fill:var(--tk-panel);stroke:var(--tk-line)}
.bar{fill:var(--tk-focus)}.right .bar{fill:var(--tk-view)}.wrong .bar{fill:var(--tk-copy)}
"""


def card_page(label: str, mood: str, body: str) -> str:
    """The card as a page that needs no kernel and no network; its state is that of now, and nothing in it answers."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(label)}</title>
<style>
{static("practice.css")}
body {{ background: var(--tk-page, #ffffff); margin: 24px auto; max-width: 52em; padding: 0 12px; }}
@media (prefers-color-scheme: dark) {{ body {{ --tk-page: #0f1318; }} }}
</style>
</head>
<body>
<main class="tk-practice tk-alone">
<div class="tk-card" data-state="{escape(mood)}">{body}</div>
</main>
</body>
</html>
"""


def card_svg(text: str, mood: str, theme: str | None = None) -> str:
    """The text twin as a drawn card; the same text gives the same bytes.

    >>> card_svg("Predict first: why?", "open").count("<text")
    1
    """
    lines = [piece for line in text.split("\n") for piece in _wrapped(line)]
    gaps = list(accumulate(_GAP if re.match(r"\d+\. ", line) else 0 for line in lines))
    height = _TOP + _LINE * len(lines) + 8 + gaps[-1]
    drawn = "\n".join(
        _line(line, _TOP + _LINE * row + gap, row == 0)
        for row, (line, gap) in enumerate(zip(lines, gaps, strict=True))
    )
    state = mood if mood in ("right", "wrong") else "open"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tk-scene {state}" width="{_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(_clean(text.split(chr(10))[0]))}">'
        f"<style>{standalone_css(theme)}{_STYLE}</style>"
        f'<rect class="card" x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1}" rx="10"/>'
        f'<rect class="bar" x="0" y="0" width="5" height="{height}" rx="2"/>\n{drawn}\n</svg>\n'
    )


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" ")))
    wide = _CODE_COLUMNS if len(indent) >= 4 else _COLUMNS
    return textwrap.wrap(line, wide, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _line(line: str, y: int, first: bool) -> str:
    bare = line.lstrip(" ")
    x = _LEFT + 9 * (len(line) - len(bare))
    if line.startswith("    "):
        return f'<text class="code" x="{x}" y="{y}">{escape(_clean(bare))}</text>'
    head, colon, rest = bare.partition(":") if first else ("", "", bare)
    if colon and len(head) < 40:
        start = f'<tspan class="head">{escape(_clean(head))}</tspan>'
        return f'<text x="{x}" y="{y}">{start}<tspan dx="10">{escape(_clean(rest.strip()))}</tspan></text>'
    if title := _TITLES.match(bare):
        good = " good" if title[0].startswith(_GOOD) else ""
        start = f'<tspan class="title{good}">{escape(_clean(title[0]))}</tspan>'
        return f'<text x="{x}" y="{y}">{start}{escape(_clean(bare[title.end() :]))}</text>'
    return f'<text x="{x}" y="{y}">{escape(_clean(bare))}</text>'


def _clean(text: str) -> str:
    """Text without what XML forbids: control characters and half characters."""
    return re.sub(r"[^\t\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
