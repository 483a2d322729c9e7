"""A saved page: every step's picture with hover and keyboard, in one file that needs no kernel and no network."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tensorkit_widgets.render.esm import STATIC, link, static
from tensorkit_widgets.render.palette import live_css

HALF = 600.0
"""Between the narrowest layout and the widest a page holds this one: which is shown, it chooses by its own width."""

_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True)
class PageKind:
    """What the pages of one kind of widget share: its name, its class, what its scene does, and its own styles."""

    widget: str
    kind: str
    scene: str = "board"
    styles: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageStep:
    """One step of a page: its picture, and what the script reads of it (``data-*`` attributes, in this order)."""

    svg: str
    data: Mapping[str, str]


@dataclass(frozen=True)
class Steps:
    """The steps of a picture, as they are kept in a file.

    Attributes
    ----------
    layouts
        the steps at each width in pixels, as many at each
    text
        the picture shown first, in words
    first
        which step is shown first; the last one without it
    """

    kind: PageKind
    title: str
    layouts: Mapping[float, Sequence[PageStep]]
    text: str
    first: int | None = None


def page(steps: Steps) -> str:
    """A file that shows the steps in any browser."""
    title = escape(f"{steps.kind.widget}: {steps.title}")
    words = f"""<details><summary>the same as text</summary>
<pre tabindex="0" role="group" aria-label="the picture as text">{escape(steps.text)}</pre></details>
"""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>
{_style(steps.kind)}
body {{ margin: 24px auto; max-width: 1120px; padding: 0 12px; }}
@media (max-width: 520px) {{ body {{ margin: 0; padding: 0; }} main.tk-root {{ border: 0; border-radius: 0; }} }}
h1 {{ font-size: 1.125rem; margin: 4px 2px 10px; }}
</style>
</head>
<body>
<main {_attributes(steps)}>
<h1>{title}</h1>
{_PARTS}{words}</main>
{_templates(steps)}
<script type="module">
{link("page.js")}
</script>
</body>
</html>
"""


def part(steps: Steps) -> str:
    """The steps as a part of a page that has the `styles`: ``static/recorded.js`` shows them there."""
    title = escape(f"{steps.kind.widget}: {steps.title}")
    return f"""<div role="group" aria-label="{title}" {_attributes(steps)}>
{_PARTS}</div>
{_templates(steps)}
"""


def numbered(picture: str) -> str:
    """The storages of a picture numbered from 1, as they come: what links them with others' hangs on an address.

    Each picture by itself: a copy that is made for one is gone when the next is drawn, and its memory may serve again.
    """
    known: dict[str, int] = {}
    return re.sub(
        r'(?<=data-storage=")\d+', lambda found: str(known.setdefault(found[0], len(known) + 1)), picture
    )


def styles() -> str:
    """What the parts of every kind of widget look like."""
    return "\n".join([live_css(), *(static(path.name) for path in sorted(STATIC.glob("*.css")))])


_PARTS = """<div class="tk-line" role="group" aria-label="steps"></div>
<div class="tk-picture" data-role="picture"></div>
<p class="tk-said" role="status" aria-live="polite"></p>
"""


def _style(kind: PageKind) -> str:
    return "\n".join([live_css(), *map(static, ["scene.css", "view.css", *kind.styles])])


def _attributes(steps: Steps) -> str:
    """What the script and the style sheets read of the element around the picture."""
    kind = steps.kind
    name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.widget).lower() + "-page"
    start = "" if steps.first is None else f' data-first="{steps.first}"'
    return f'class="tk-root tk-board tk-{kind.kind}" data-tk-widget="{name}" data-scene="{kind.scene}"{start}'


def _templates(steps: Steps) -> str:
    return "\n".join(_template(width, step) for width, kept in steps.layouts.items() for step in kept)


def _template(width: float, step: PageStep) -> str:
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in step.data.items())
    return f'<template data-width="{width:g}"{data}>{numbered(step.svg)}</template>'
