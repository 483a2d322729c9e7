"""The one renderer: a scene as SVG and as text."""

from tensorkit_widgets.render.svg import render_svg
from tensorkit_widgets.render.text import element_text, render_text

__all__ = ["element_text", "render_svg", "render_text"]
