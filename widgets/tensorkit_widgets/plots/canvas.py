"""A page in the units of a scene, drawn on with matplotlib: y runs down, text has the size that the scene gives it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.plots.style import MONOSPACED, PLAIN, dash_of
from tensorkit_widgets.render.marks import drawable

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_HEIGHT = 72.0  # points in an inch


class Canvas:
    """The part of a page from ``top`` to ``bottom``, ``width`` wide, on some axes."""

    def __init__(self, ax: Any, colours: dict[str, str], width: float, top: float, bottom: float) -> None:
        self.ax, self.colours, self._order = ax, colours, 1.0
        ax.set_xlim(0, width)
        ax.set_ylim(bottom, top)
        ax.set_aspect("equal", adjustable="box")
        ax.axis("off")
        ax.apply_aspect()
        box = ax.get_window_extent()
        # Points for one unit of the page, as large as the axes are now.
        self.unit = min(box.width / width, box.height / (bottom - top)) * _HEIGHT / ax.figure.dpi

    def _next(self) -> float:
        """What is drawn later lies above."""
        self._order += 0.001
        return self._order

    def _stroke(self, width: float, dash: Any) -> dict[str, Any]:
        if isinstance(dash, int):
            dash = dash_of(dash, 1 / width)
        elif isinstance(dash, tuple):
            dash = (0, tuple(part / width for part in dash))
        return {"linewidth": width * self.unit, "linestyle": dash or "solid", "zorder": self._next()}

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = "none", edge: str = "none",
        line: float = 1.2, dash: Any = None, radius: float = 0.0, gid: str | None = None,
    ) -> Any:  # fmt: skip
        """A rectangle; colours are names of the palette, a dash is a dimension's number or (on, off)."""
        from matplotlib.patches import FancyBboxPatch, Rectangle

        look = {
            "facecolor": self.colour(fill),
            "edgecolor": self.colour(edge),
            "gid": gid,
            **self._stroke(line, dash),
        }
        if radius:
            style = f"round,pad=0,rounding_size={radius}"
            return self.ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, **look))
        return self.ax.add_patch(Rectangle((x, y), width, height, **look))

    def path(
        self, marks: str, edge: str = "none", *, fill: str = "none", line: float = 1.8, dash: Any = None,
        alpha: float = 1.0, gid: str | None = None,
    ) -> Any:  # fmt: skip
        """The curve ``M x y C …`` that the SVG has, or lines ``M x y L x y L …``."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        numbers = [float(found) for found in _NUMBER.findall(marks)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        rest = Path.CURVE4 if "C" in marks else Path.LINETO
        codes = [Path.MOVETO, *([rest] * (len(points) - 1))]
        if marks.endswith("z"):
            points, codes = [*points, points[0]], [*codes, Path.CLOSEPOLY]
        look = {"facecolor": self.colour(fill), "edgecolor": self.colour(edge), "alpha": alpha, "gid": gid}
        return self.ax.add_patch(PathPatch(Path(points, codes), **look, **self._stroke(line, dash)))

    def polygon(self, points: Sequence[tuple[float, float]], fill: str, alpha: float = 1.0) -> Any:
        """A filled shape."""
        marks = "M" + "L".join(f"{x:.4f} {y:.4f}" for x, y in points) + "z"
        return self.path(marks, fill=fill, line=0.1, alpha=alpha)

    def text(
        self, x: float, y: float, words: str, *, size: float = 13.0, ink: str = "ink", bold: bool = False,
        mono: bool = False, anchor: str = "left", turn: float = 0.0, ground: str = "", gid: str | None = None,
    ) -> Any:  # fmt: skip
        """A line of words whose baseline is at y; with a ``ground``, drawn over a rim of that colour."""
        from matplotlib.patheffects import Normal, Stroke

        made = self.ax.text(
            x, y, drawable(words), fontsize=size * self.unit, color=self.colour(ink),
            fontweight="bold" if bold else "normal",
            family=MONOSPACED if mono else PLAIN, ha=anchor, va="baseline", rotation=turn,
            rotation_mode="anchor", zorder=self._next(), gid=gid, parse_math=False,
        )  # fmt: skip
        if ground:
            rim = Stroke(linewidth=4 * self.unit, foreground=self.colour(ground))
            made.set_path_effects([rim, Normal()])
        return made

    def spans(self, x: float, y: float, parts: Sequence[tuple[str, str, bool]], size: float) -> None:
        """Monospaced words of several colours, one after the other: (words, colour, bold)."""
        for words, ink, bold in parts:
            self.text(x, y, words, size=size, ink=ink, bold=bold, mono=True)
            x += len(words) * MONO * size

    def wide(self, words: str, size: float, bold: bool = False) -> float:
        """How wide words are in the plain face."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextPath

        if not words.strip():
            return 0.0
        face = FontProperties(family=PLAIN, weight="bold" if bold else "normal")
        plain = drawable(words).replace("$", "S")
        return float(TextPath((0, 0), plain, size=size, prop=face).get_extents().width)

    def colour(self, name: str) -> str:
        """A name of the palette as a colour; ``none`` stays."""
        return self.colours.get(name, name)
