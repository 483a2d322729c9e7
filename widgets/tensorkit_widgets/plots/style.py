"""Axes to draw on: the kit's colours and dashes, and figures that say what they show."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.render.marks import drawable
from tensorkit_widgets.render.palette import DARK, DASHES, DIMENSIONS, LIGHT

MONOSPACED = ["DejaVu Sans Mono", "monospace"]
PLAIN = ["DejaVu Sans", "sans-serif"]


def axes_for(ax: Any, figsize: tuple[float, float], theme: str | None) -> tuple[Any, dict[str, str]]:
    """The axes that were given, or those of a new figure of that size; and the colours to draw with."""
    from matplotlib import pyplot

    from tensorkit_widgets.plots.figure import KitFigure

    if theme not in (None, "light", "dark"):
        raise ValueError(f"theme must be 'light', 'dark' or None, not {theme!r}")
    if ax is None:
        colours = DARK if theme == "dark" else LIGHT
        ground = colours["paper"]
        figure = pyplot.figure(FigureClass=KitFigure, figsize=checked_size(figsize), facecolor=ground)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        return ax, colours
    return checked_axes(ax), colours_for(ax, theme)


def describe_figure(ax: Any, title: str, words: str) -> None:
    """Say in the figure that a plot has made what it shows: a title, and a sentence for those who do not see it.

    A figure of the user's own stays as it is.
    """
    from tensorkit_widgets.plots.figure import KitFigure

    if isinstance(ax.figure, KitFigure) and len(ax.figure.axes) == 1:
        ax.figure.set_label(drawable(title))
        ax.figure.alt = drawable(words)


def checked_axes(ax: Any) -> Any:
    """The axes, if they are axes."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be the Axes of a figure, not {type(ax).__name__}")
    return ax


def checked_size(figsize: Any) -> tuple[float, float]:
    """Width and height in inches, if they are."""
    try:
        width, height = (float(side) for side in figsize)
    except (TypeError, ValueError):
        raise TypeError(f"figsize must be (width, height) in inches, not {figsize!r}") from None
    if not (0 < width < 200 and 0 < height < 200):
        raise ValueError(f"figsize must be (width, height) between 0 and 200 inches, not {figsize!r}")
    return round(width, 2), round(height, 2)  # whole pixels: no seam at the edge


def colours_for(ax: Any, theme: str | None) -> dict[str, str]:
    """The palette of a theme; without one, that which can be read on the ground of the axes' figure."""
    from matplotlib.colors import to_rgb

    if theme is None:
        red, green, blue = to_rgb(ax.figure.get_facecolor())
        theme = "dark" if 0.21 * red + 0.72 * green + 0.07 * blue < 0.4 else "light"
    return DARK if theme == "dark" else LIGHT


def dim_colour(dim: int, colours: dict[str, str]) -> str:
    """The colour of a dimension, or of the series with this number."""
    return colours[f"dim{dim % DIMENSIONS}"]


def dash_of(dim: int, scale: float = 1.0) -> Any:
    """Its dash, as matplotlib writes one: solid for dimension 0. ``scale`` is points per unit over the line's width."""
    pattern = DASHES[dim % DIMENSIONS]
    if pattern == "none":
        return "solid"
    return (0, tuple(float(part) * scale for part in pattern.split()))


def shade(ax: Any, colours: dict[str, str]) -> None:
    """Ticks, frame and labels of a chart in the palette's colours, with only the lines that are needed."""
    ax.set_facecolor(colours["paper"])
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(colours["control"])
    ax.tick_params(which="both", colors=colours["ink"], labelsize=11)
    for label in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label.set_color(colours["ink"])
    ax.grid(True, color=colours["line"], linewidth=0.8)
    ax.set_axisbelow(True)
