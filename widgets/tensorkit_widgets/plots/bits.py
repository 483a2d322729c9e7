"""`plot_bits`: the bits of a number in each dtype: sign, exponent, mantissa, and what they say."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.bits.casts import story
from tensorkit_widgets.bits.cell import cell_of
from tensorkit_widgets.bits.controls import dtype_names
from tensorkit_widgets.bits.formats import FORMATS, cast
from tensorkit_widgets.bits.scene import BitRow, rows_down
from tensorkit_widgets.drawing.sheet import PAGE
from tensorkit_widgets.plots.canvas import Canvas
from tensorkit_widgets.plots.parts import draw_note, draw_tile, draw_wire
from tensorkit_widgets.plots.style import axes_for, describe_figure

_WIDTH = 9.6


def plot_bits(
    x: Any, dtypes: Any = None, *, index: Any = None, ax: Any = None, figsize: tuple[float, float] | None = None,
    theme: str | None = None,
) -> Any:  # fmt: skip
    """The bits of a number, a row for each dtype, as `BitView` draws them: what a cast rounds is said at the right.

    Args:
        x: a Python number, or a tensor of tensorkit, NumPy or PyTorch.
        dtypes: which dtypes have a row, such as ``("float32", "bfloat16")`` or ``tk.int8``; the number's own and the
            usual smaller ones without.
        index: which element of a tensor; the first one without.
        ax: the axes to draw on; a new figure without.
        figsize: width and height of the new figure in inches; None fits the picture.
        theme: ``"light"``, ``"dark"``, or None for what the ground of `ax` asks for.

    Returns:
        The `matplotlib.axes.Axes`; the bit that counts 2⁰ in a row of int8 is called ``bit:int8:0``.

    Raises:
        TypeError: for something without bits to show.
        ValueError: for a dtype that there is none of, or a tensor without elements.
        IndexError: for an index outside of the tensor.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = plot_bits(-2, ("int8", "float16"))
    >>> bits = sorted((a for a in ax.patches if str(a.get_gid()).startswith("bit:int8")), key=lambda a: a.get_x())
    >>> len(bits), bits[0].get_gid()
    (8, 'bit:int8:7')
    >>> matplotlib.pyplot.close(ax.figure)
    """
    rows = _rows(x, dtypes, index)
    tables, notes, wires, bottom = rows_down(rows, 16)
    height = bottom + 4
    ax, colours = axes_for(ax, (_WIDTH, height * _WIDTH / PAGE) if figsize is None else figsize, theme)
    page = Canvas(ax, colours, PAGE, 0.0, height)
    for note in notes:
        draw_note(page, note)
    for wire in wires:
        draw_wire(page, wire)
    for table in tables:
        for tile in table.tiles:
            draw_tile(page, tile)
    describe_figure(
        ax, f"bits as {', '.join(row.format.name for row in rows)}", ". ".join(t.label for t in tables)
    )
    return ax


def _rows(x: Any, dtypes: Any, index: Any) -> list[BitRow]:
    cell = cell_of(x, index)
    if fault := cell.fault():
        raise ValueError(fault)
    own, bits = cell.format, cell.read()
    names = dtype_names(dtypes) if dtypes is not None else _usual(own.kind, own.name)
    out = []
    for name in names:
        format = FORMATS[name]
        note = "" if name == own.name else f"from {own.name}: {story(bits, own, format).verdict}"
        out.append(BitRow(format, cast(bits, own.name, name), note))
    return out


def _usual(kind: str, own: str) -> tuple[str, ...]:
    more = {"float": ("float32", "float16", "bfloat16"), "bool": ("uint8",)}.get(
        kind, ("int32", "int8", "uint8")
    )
    return tuple(dict.fromkeys((own, *more)))
