"""`plot_storage`: a tensor as a grid, its storage as a strip, and the strides as arcs between the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.plots.canvas import Canvas
from tensorkit_widgets.plots.parts import (
    draw_axis,
    draw_card,
    draw_cells,
    draw_formula,
    draw_header,
    draw_note,
    draw_strip,
)
from tensorkit_widgets.plots.style import axes_for, checked_axes, checked_size, describe_figure
from tensorkit_widgets.snapshot.view_chain import StepFailed
from tensorkit_widgets.stride_explorer.actions import do
from tensorkit_widgets.stride_explorer.render_text import element_text
from tensorkit_widgets.stride_explorer.scene import Scene, compose
from tensorkit_widgets.stride_explorer.session import Session

__all__ = ["plot_storage"]

_UNITS = 100.0  # of a scene to an inch, so that its words have the size of a paper's
_WIDTHS = (960.0, 800.0, 640.0, 500.0, 400.0)


def plot_storage(
    tensor: Any, expression: str = "", *, focus: Sequence[int] | None = None, name: str = "t",
    steps: bool | None = None, ax: Any = None, figsize: tuple[float, float] | None = None, theme: str | None = None,
) -> Any:  # fmt: skip
    """A tensor and the storage that it reads, as `StrideExplorer` draws them.

    Slots that the tensor cannot reach are grey, those that it reads more than once carry a badge; the arcs walk from
    the offset to one element, dimension 0 solid blue and dimension 1 dashed vermillion. However large the storage is,
    only what is drawn is read.

    Args:
        tensor: of tensorkit, NumPy or PyTorch, with any number of dimensions.
        expression: steps from it to the view that is drawn, such as ``"[1:, ::2].t()"``.
        focus: the index of the element that is explained.
        name: what the tensor is called.
        steps: whether the chain of steps is drawn; None draws it when there is one.
        ax: the axes to draw on; a new figure without.
        figsize: width and height of the new figure in inches; None fits the picture. A narrow one is laid out again.
        theme: ``"light"``, ``"dark"``, or None for what the ground of `ax` asks for.

    Returns:
        The `matplotlib.axes.Axes`. Its parts have names: ``cell:1,0``, ``slot:4``, ``arc:0``, ``axis:1``, ``badge:3``.

    Raises:
        TypeError: for something that cannot be drawn.
        IndexError: for a `focus` that is no element.
        NotAllowed: for an expression outside of the grammar; the library's own error for a step that it refuses.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy
    >>> ax = plot_storage(numpy.arange(6.0).reshape(2, 3).T, focus=(2, 1))
    >>> next(t.get_text() for t in ax.texts if t.get_gid() == "found")
    'storage[5] = 5.'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    session = _session(tensor, expression, focus, name)
    scene = _scene(session, _room(ax, figsize), steps)
    top, bottom = _ends(scene, steps)
    fitting = (scene.width / _UNITS, (bottom - top) / _UNITS)
    ax, colours = axes_for(ax, fitting if figsize is None else figsize, theme)
    page = Canvas(ax, colours, scene.width, top, bottom)
    for k, card in enumerate(scene.cards if top == 0 else ()):
        draw_card(page, card, k > 0)
    _draw(page, scene, top)
    describe_figure(ax, f"the storage of {scene.code}", _words(scene))
    return ax


def _words(scene: Scene) -> str:
    """What the picture shows, for those who do not see it."""
    meta = scene.snapshot.meta
    layout = f"{scene.code}: size {meta.size}, stride {meta.stride}, offset {meta.offset}"
    words = [f"{layout}, in a storage of {meta.slots:,} × {meta.dtype}", meta.fault, element_text(scene)]
    return ". ".join(word for word in words if word)


def _session(tensor: Any, expression: str, focus: Sequence[int] | None, name: str) -> Session:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name must be a text such as 't', not {name!r}")
    session = Session(tensor, name)
    try:
        session.set(expression or "")
    except StepFailed as failed:
        raise failed.error from None
    if focus is not None:
        index, size = tuple(focus), session.meta.size
        if len(index) != len(size) or not all(0 <= i < n for i, n in zip(index, size, strict=False)):
            raise IndexError(f"focus {list(index)} is no element of a tensor of size {list(size)}")
        do(session, {"kind": "look", "focus": list(index)})
    return session


def _room(ax: Any, figsize: Any) -> tuple[float, float] | None:
    """The inches that there are; None for a figure that is made to fit."""
    if ax is None:
        return None if figsize is None else checked_size(figsize)
    box, dpi = checked_axes(ax).get_window_extent(), ax.figure.dpi
    return box.width / dpi, box.height / dpi


def _scene(session: Session, room: tuple[float, float] | None, steps: bool | None) -> Scene:
    """The scene, laid out as wide or as narrow as makes it largest in its room."""
    links, focus = session.links, session.focus
    if room is None:
        return compose(links, session.snapshot(), focus)
    scenes = [compose(links, session.snapshot(width), focus, width=width) for width in _WIDTHS]

    def scale(scene: Scene) -> float:
        top, bottom = _ends(scene, steps)
        return min(room[0] / scene.width, room[1] / (bottom - top))

    return max(scenes, key=scale)


def _ends(scene: Scene, steps: bool | None) -> tuple[float, float]:
    """Where the picture begins, with the chain of steps or without, and where it ends."""
    top, bottom = 0.0, scene.height
    if not (len(scene.cards) > 1 if steps is None else steps):
        top = next(note.y for note in scene.notes if note.role == "heading") - 30.0
    if not scene.strip.cells:
        bottom = max(note.y for note in scene.notes) + 18.0
    return top, bottom


def _draw(page: Canvas, scene: Scene, top: float) -> None:
    grid = scene.grid
    for note in (*scene.notes, *grid.notes):
        if note.y > top:
            draw_note(page, note)
    for axis in grid.axes:
        draw_axis(page, axis)
    for facet in grid.facets:
        for head in facet.headers:
            draw_header(page, head.x, head.y, head.text, head.dim, head.focus)
        draw_cells(page, (cell for row in facet.rows for cell in row))
    if scene.formula is not None:
        draw_formula(page, scene.formula, scene.snapshot.meta.size)
    draw_strip(page, scene.strip)
