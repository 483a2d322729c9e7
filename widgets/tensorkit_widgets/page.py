"""A saved page: every step's picture with hover and keyboard, in one file that needs no kernel and no network."""

from __future__ import annotations

from html import escape

from tensorkit_widgets.esm import link, static
from tensorkit_widgets.render import render_svg, render_text
from tensorkit_widgets.render.palette import live_css
from tensorkit_widgets.scene import Scene

__all__ = ["page"]

_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'"


def page(scenes: list[Scene]) -> str:
    """One HTML text for the scenes of a chain, the last of them shown first."""
    last = scenes[-1]
    style = "\n".join([live_css(), static("scene.css"), static("stride_explorer.css")])
    templates = "\n".join(_template(k, scene) for k, scene in enumerate(scenes))
    title = escape(f"StrideExplorer: {last.code}")
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
h1 {{ font-size: 1.125rem; margin: 4px 2px 10px; }}
</style>
</head>
<body>
<main class="tk-root" data-tk-widget="stride-explorer-page">
<h1>{title}</h1>
<div class="tk-line" role="group" aria-label="steps"></div>
<div class="tk-picture" data-role="picture"></div>
<p class="tk-said" role="status" aria-live="polite"></p>
<details><summary>the same as text</summary>
<pre tabindex="0" role="group" aria-label="the picture as text">{escape(render_text(last))}</pre></details>
</main>
{templates}
<script type="module">
{link("page.js")}
</script>
</body>
</html>
"""


def _template(number: int, scene: Scene) -> str:
    meta = scene.snapshot.meta
    size, stride = (",".join(map(str, v)) for v in (meta.size, meta.stride))
    code = escape(scene.cards[number].code if number < len(scene.cards) else scene.code)
    return (
        f'<template data-step="{number}" data-code="{code}" data-size="{size}" data-stride="{stride}">'
        f"{render_svg(scene, live=True)}</template>"
    )
