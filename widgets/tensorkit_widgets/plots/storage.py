"""`plot_storage`: a tensor as a grid, its storage as a strip, and the strides as arcs between the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.actions import do
from tensorkit_widgets.chain import StepFailed
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
from tensorkit_widgets.plots.style import axes_for
from tensorkit_widgets.scene import Scene
from tensorkit_widgets.session import Session

__all__ = ["plot_storage"]

_WIDTH = 9.6  # inches: a hundredth of a scene's units


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
        figsize: width and height of the new figure in inches; None fits the picture.
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
    scene = _scene(tensor, expression, focus, name)
    cards = len(scene.cards) > 1 if steps is None else steps
    top = 0.0 if cards else _below_cards(scene)
    fitting = (_WIDTH, (scene.height - top) * _WIDTH / scene.width)
    ax, colours = axes_for(ax, fitting if figsize is None else figsize, theme)
    page = Canvas(ax, colours, scene.width, top, scene.height)
    for k, card in enumerate(scene.cards if cards else ()):
        draw_card(page, card, k > 0)
    _draw(page, scene, top)
    return ax


def _scene(tensor: Any, expression: str, focus: Sequence[int] | None, name: str) -> Scene:
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
    return session.scene()


def _below_cards(scene: Scene) -> float:
    """Where the tensor itself begins."""
    heading = next(note for note in scene.notes if note.role == "heading")
    return heading.y - 30.0


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
