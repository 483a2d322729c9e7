"""`plot_storage`: a tensor as a grid, its storage as a strip, and the strides as arcs between the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.plots.canvas import Canvas
from tensorkit_widgets.plots.parts import (
    draw_axis,
    draw_card,
    draw_formula,
    draw_header,
    draw_note,
    draw_storage,
    draw_tiles,
)
from tensorkit_widgets.plots.style import axes_for, checked_axes, checked_size, describe_figure
from tensorkit_widgets.snapshot import view_chain
from tensorkit_widgets.snapshot.expression import parse
from tensorkit_widgets.snapshot.view_chain import Link, StepFailed
from tensorkit_widgets.snapshot.window import clamp_focus
from tensorkit_widgets.stride_explorer.model import StrideState, read
from tensorkit_widgets.stride_explorer.scene import StrideSheet, compose
from tensorkit_widgets.stride_explorer.words import element_text

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
    links, state = _chain(tensor, expression, focus, name)
    scene = _scene(links, state, _room(ax, figsize), steps)
    top, bottom = _ends(scene, steps)
    fitting = (scene.width / _UNITS, (bottom - top) / _UNITS)
    ax, colours = axes_for(ax, fitting if figsize is None else figsize, theme)
    page = Canvas(ax, colours, scene.width, top, bottom)
    for k, card in enumerate(scene.cards if top == 0 else ()):
        draw_card(page, card, k > 0)
    _draw(page, scene, top)
    describe_figure(ax, f"the storage of {scene.title}", _words(scene))
    return ax


def _words(scene: StrideSheet) -> str:
    """What the picture shows, for those who do not see it."""
    meta = scene.snapshot.meta
    layout = f"{scene.title}: size {meta.size}, stride {meta.stride}, offset {meta.offset}"
    words = [f"{layout}, in a storage of {meta.slots:,} × {meta.dtype}", meta.fault]
    words += [element_text(scene.formula)] if scene.formula else []
    return ". ".join(word for word in words if word)


def _chain(
    tensor: Any, expression: str, focus: Sequence[int] | None, name: str
) -> tuple[tuple[Link, ...], StrideState]:
    """The steps, and the element that is explained."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"name must be a text such as 't', not {name!r}")
    try:
        links = view_chain.build(tensor, parse(expression or "", name), name)
    except StepFailed as failed:
        raise failed.error from None
    size, index = links[-1].meta.size, None if focus is None else tuple(focus)
    if index is not None and (len(index) != len(size) or clamp_focus(index, size) != index):
        raise IndexError(f"focus {list(index)} is no element of a tensor of size {list(size)}")
    return links, StrideState(focus=clamp_focus(index, size))


def _room(ax: Any, figsize: Any) -> tuple[float, float] | None:
    """The inches that there are; None for a figure that is made to fit."""
    if ax is None:
        return None if figsize is None else checked_size(figsize)
    box, dpi = checked_axes(ax).get_window_extent(), ax.figure.dpi
    return box.width / dpi, box.height / dpi


def _scene(
    links: Sequence[Link], state: StrideState, room: tuple[float, float] | None, steps: bool | None
) -> StrideSheet:
    """The scene, laid out as wide or as narrow as makes it largest in its room."""
    widths = _WIDTHS[:1] if room is None else _WIDTHS
    scenes = [
        compose(links, read(links[-1], state, width, broken=False), state.focus, width=width)
        for width in widths
    ]
    if room is None:
        return scenes[0]

    def scale(scene: StrideSheet) -> float:
        top, bottom = _ends(scene, steps)
        return min(room[0] / scene.width, room[1] / (bottom - top))

    return max(scenes, key=scale)


def _ends(scene: StrideSheet, steps: bool | None) -> tuple[float, float]:
    """Where the picture begins, with the chain of steps or without, and where it ends."""
    top, bottom = 0.0, scene.height
    if not (len(scene.cards) > 1 if steps is None else steps):
        top = next(note.y for note in scene.notes if note.role == "heading") - 24.0
    if not scene.storage.tiles:
        bottom = max(note.y for note in scene.notes) + 18.0
    return top, bottom


def _draw(page: Canvas, scene: StrideSheet, top: float) -> None:
    tensor = scene.tensor
    for note in (*scene.notes, *tensor.notes):
        if note.y > top:
            draw_note(page, note)
    for axis in tensor.axes:
        draw_axis(page, axis)
    for head in tensor.headers:
        draw_header(page, head.x, head.y, head.text, head.dim, head.focus)
    draw_tiles(page, tensor.tiles)
    if scene.formula is not None:
        draw_formula(page, scene.formula)
    draw_storage(page, scene.storage, scene.arcs, scene.pointer)
