"""A saved page: every step's picture with hover and keyboard, in one file that needs no kernel and no network."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from tensorkit_widgets.esm import link, static
from tensorkit_widgets.render import render_svg, render_text
from tensorkit_widgets.render.graph import render_graph, render_graph_text
from tensorkit_widgets.render.palette import live_css
from tensorkit_widgets.render.sheet import render_sheet, render_sheet_text
from tensorkit_widgets.scene import Scene
from tensorkit_widgets.scene.graph import GraphScene
from tensorkit_widgets.scene.sheet import Sheet

__all__ = ["HALF", "board_page", "graph_page", "numbered", "page"]

HALF = 600.0
"""Between the narrowest layout and the widest a page holds this one: which is shown, it chooses by its own width."""

_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"


def page(layouts: Mapping[float, Sequence[Scene]]) -> str:
    """One HTML text for the scenes of a chain at each width, the last of them shown first."""
    last = layouts[max(layouts)][-1]
    templates = "\n".join(
        _template(width, k, scene) for width, scenes in layouts.items() for k, scene in enumerate(scenes)
    )
    return _document("StrideExplorer", last.code, templates, render_text(last), "page.js", [])


def board_page(layouts: Mapping[float, Sequence[Sheet]], first: int) -> str:
    """One HTML text for the steps of a board at each width, step ``first`` shown first."""
    templates = "\n".join(
        f'<template data-width="{width:g}" data-step="{k}" data-status="{escape(sheet.status)}" '
        f'data-said="{escape(sheet.said)}">{render_sheet(sheet, live=True)}</template>'
        for width, sheets in layouts.items()
        for k, sheet in enumerate(sheets)
    )
    shown = layouts[max(layouts)][first]
    styles = ["sheet.css", "board.css"]
    text = render_sheet_text(shown)
    return _document(shown.name, shown.title, templates, text, "board_page.js", styles, first)


def graph_page(layouts: Mapping[float, Sequence[GraphScene]], first: int) -> str:
    """One HTML text for the steps of a rehearsed backward pass at each width, step ``first`` shown first."""
    templates = "\n".join(
        f'<template data-width="{width:g}" data-step="{scene.step}" data-status="{scene.status}" '
        f'data-said="{escape(scene.said)}">{render_graph(scene, live=True)}</template>'
        for width, scenes in layouts.items()
        for scene in scenes
    )
    shown = layouts[max(layouts)][first]
    styles = ["graph_scene.css", "graph_view.css"]
    text = render_graph_text(shown)
    return _document("GraphView", shown.graph.title, templates, text, "graph_page.js", styles, first)


def numbered(pictures: str) -> str:
    """The storages of pictures numbered from 1, as they come: what links them with others' hangs on an address."""
    known: dict[str, int] = {}
    return re.sub(
        r'(?<=data-storage=")\d+', lambda found: str(known.setdefault(found[0], len(known) + 1)), pictures
    )


def _document(
    widget: str,
    name: str,
    templates: str,
    text: str,
    script: str,
    styles: list[str],
    first: int | None = None,
) -> str:
    """The page around the pictures."""
    style = "\n".join([live_css(), *map(static, ["scene.css", "stride_explorer.css", *styles])])
    title = escape(f"{widget}: {name}")
    kind = re.sub(r"(?<!^)(?=[A-Z])", "-", widget).lower() + "-page"
    start = "" if first is None else f' data-first="{first}"'
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>
{style}
body {{ margin: 24px auto; max-width: 1120px; padding: 0 12px; }}
@media (max-width: 520px) {{ body {{ margin: 0; padding: 0; }} main.tk-root {{ border: 0; border-radius: 0; }} }}
h1 {{ font-size: 1.125rem; margin: 4px 2px 10px; }}
</style>
</head>
<body>
<main class="tk-root" data-tk-widget="{kind}"{start}>
<h1>{title}</h1>
<div class="tk-line" role="group" aria-label="steps"></div>
<div class="tk-picture" data-role="picture"></div>
<p class="tk-said" role="status" aria-live="polite"></p>
<details><summary>the same as text</summary>
<pre tabindex="0" role="group" aria-label="the picture as text">{escape(text)}</pre></details>
</main>
{numbered(templates)}
<script type="module">
{link(script)}
</script>
</body>
</html>
"""


def _template(width: float, number: int, scene: Scene) -> str:
    meta = scene.snapshot.meta
    size, stride = (",".join(map(str, v)) for v in (meta.size, meta.stride))
    code = escape(scene.cards[number].code if number < len(scene.cards) else scene.code)
    return (
        f'<template data-width="{width:g}" data-step="{number}" data-code="{code}" data-size="{size}" '
        f'data-stride="{stride}">{render_svg(scene, live=True)}</template>'
    )
