"""The ``<svg>`` around a picture: its size, its name, and, when it stands alone, its colours and its style."""

from __future__ import annotations

from functools import cache
from html import escape

from tensorkit_widgets.render.esm import static
from tensorkit_widgets.render.marks import attributes, drawable, num, rect
from tensorkit_widgets.render.palette import standalone_css


@cache
def style_of(name: str) -> str:
    """The rules of a style sheet in ``static/``, on one line each, without comments."""
    return "\n".join(line for line in static(name).splitlines() if not line.startswith("/*"))


_STYLES = (
    *(
        "scene.css",
        "sheet.css",
        "board.css",
        "conv.css",
        "graph_scene.css",
        "graph_view.css",
        "shard_map.css",
    ),
    "timeline.css",
)


_INERT = """.tk-scene :is(.tk-pinned-ground,.tk-pinned-edge){fill:none;stroke:none}
.tk-scene :is([data-action="next-step"],[data-action="remove"]){display:none}"""
"""A live picture where nothing can be pressed and nothing scrolls."""


def every_rule() -> str:
    """The colours and the rules that any live picture needs to stand alone, as text inside its ``<style>``."""
    return escape("\n".join([standalone_css(None), *map(style_of, _STYLES), _INERT]), quote=False)


def framed(
    body: str,
    size: tuple[float, float],
    label: str,
    theme: str | None,
    live: bool,
    styles: tuple[str, ...] = (),
    **more: object,
) -> str:
    """A whole picture of its parts.

    Args:
        body: the parts as SVG.
        size: width and height.
        label: what it is called, for those who do not see it.
        theme: ``"light"`` or ``"dark"`` for a fixed look; None follows the reader's preference.
        live: for the browser's live view, which has the style already.
        styles: further style sheets beside ``scene.css``.
        more: attributes of the ``<svg>``.

    Raises:
        ValueError: for another theme.
    """
    if theme not in (None, "light", "dark"):
        raise ValueError(f"theme must be 'light', 'dark' or None, not {theme!r}")
    width, height = size
    opening = attributes(
        xmlns="http://www.w3.org/2000/svg", class_="tk-scene", viewBox=f"0 0 {num(width)} {num(height)}", width=width,
        height=height, role="group" if live else "img", aria_label=label, **more,
    )  # fmt: skip
    if live:
        return drawable(f"<svg{opening}>{body}</svg>")
    rules = "\n".join([standalone_css(theme), *map(style_of, ("scene.css", *styles))])
    paper = rect(0, 0, width, height, "tk-paper", 12.0)
    return drawable(f"<svg{opening}><style>{escape(rules, quote=False)}</style>{paper}{body}</svg>")
