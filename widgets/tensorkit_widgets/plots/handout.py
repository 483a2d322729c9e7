"""The talk's hand-out: one page with the pictures and the numbers of `webinar.ipynb`, all of them asked of the engine.

    python -m tensorkit_widgets.plots.handout FOLDER     writes webinar_handout.svg and webinar_handout.pdf there

`tensorkit handout` calls it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import Any

import tensorkit as tk
from tensorkit.lab.ending import command
from tensorkit.process.whole_file import beside
from tensorkit_widgets.plots.storage import plot_storage
from tensorkit_widgets.plots.style import MONOSPACED, PLAIN
from tensorkit_widgets.render.palette import LIGHT

NAME = "webinar_handout"
_TITLE = "Where does this number live?"
_PAPER = (8.27, 11.69)  # A4, in inches
_LEFT, _RIGHT, _GAP = 0.06, 0.94, 0.045
_WIDTH = (_RIGHT - _LEFT - _GAP) / 2
_TOPS = (0.893, 0.602, 0.311)
_PICTURE, _LINE = 0.2, 0.0145
_COLUMNS = 60  # characters of a line of words


def draw_handout() -> Any:
    """The page as a figure of matplotlib, A4 upright, in black on white with the widgets' colours.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> figure = draw_handout()
    >>> figure.get_label()
    'Where does this number live?'
    """
    from tensorkit_widgets.plots.figure import KitFigure

    figure = KitFigure(figsize=_PAPER, facecolor=LIGHT["paper"])
    _words(figure, _LEFT, 0.95, _TITLE, size=22, weight="bold")
    _words(
        figure,
        _LEFT,
        0.922,
        "Ask it of any number: in which memory does it lie, and who else reads it there?",
    )
    for number, panel in enumerate((_slot, _slice, _transpose, _jump, _trap, _write)):
        panel(figure, _LEFT + (number % 2) * (_WIDTH + _GAP), _TOPS[number // 2])
    foot = "slot = offset + index[0]·stride[0] + index[1]·stride[1] + …"
    _words(figure, 0.5, 0.02, foot, size=11, weight="bold", align="center", mono=True)
    figure.set_label(_TITLE)
    figure.alt = "Six panels: slot, slice, transpose, the jump of view, broadcasting, and writing in place."
    return figure


def _slot(figure: Any, left: float, top: float) -> None:
    t = tk.arange(12).view(3, 4)
    index = (1, 2)
    slot = t.storage_offset() + sum(i * step for i, step in zip(index, t.stride(), strict=True))
    walk = " + ".join(
        [str(t.storage_offset()), *(f"{i}·{step}" for i, step in zip(index, t.stride(), strict=True))]
    )
    said = f"`t = tk.arange(12).view(3, 4)` has {_layout(t)}. The element {list(index)} lies in slot {walk} = {slot}."
    _panel(figure, left, top, "A tensor reads a row of slots", said)
    plot_storage(t, focus=index, ax=_axes(figure, left, top))


def _slice(figure: Any, left: float, top: float) -> None:
    t = tk.arange(12).view(3, 4)
    u = t[1:, ::2]
    u[0, 0] = 99
    written = f"after u[0, 0] = 99, t[1, 0] is {t[1, 0].item()}"
    said = f"`u = t[1:, ::2]` has {_layout(u)}. No number was copied: {written}."
    _panel(figure, left, top, "A slice is a view: free, and shared", said)
    plot_storage(t, "[1:, ::2]", focus=(0, 1), steps=False, ax=_axes(figure, left, top))


def _transpose(figure: Any, left: float, top: float) -> None:
    x = tk.arange(12).view(3, 4)
    y = x.t()
    same = y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    kept = "the same storage" if same else "another storage"
    said = f"Strides {x.stride()} became {y.stride()}: two integers changed places. x and x.t() read {kept}."
    _panel(figure, left, top, "A transpose moves no number", said)
    plot_storage(x, ".t()", name="x", focus=(2, 1), steps=False, ax=_axes(figure, left, top))


def _jump(figure: Any, left: float, top: float) -> None:
    y = tk.arange(12).view(3, 4).t()
    walk = [number for row in y.tolist() for number in row][:4]  # each number is its own slot
    steps = ", ".join(f"{b - a:+d}".replace("-", "−") for a, b in pairwise(walk))
    try:
        y.view(-1)
        refused = "is a view"
    except RuntimeError:
        refused = "is refused"
    made = y.contiguous()
    said = (
        f"Read y = x.t() in order: {steps} slots. One row has one stride, so `y.view(-1)` {refused}. "
        f"`y.contiguous()` copies, to the stride {made.stride()}; `reshape` copies without saying so."
    )
    _panel(figure, left, top, "Why view refuses after t()", said)
    plot_storage(y, name="y", focus=(1, 0), ax=_axes(figure, left, top))


def _trap(figure: Any, left: float, top: float) -> None:
    prediction, target = tk.tensor([[2.0], [4.0], [6.0], [8.0]]), tk.tensor([2.0, 4.0, 6.0, 8.0])
    error = prediction - target
    wide, mean = prediction.expand(error.size()), (error**2).mean().item()
    sizes = f"{tuple(prediction.size())} minus {tuple(target.size())} is {tuple(error.size())}"
    read = f"the column is read with the stride {wide.stride()}"
    said = f"{sizes}: {read}. Every guess is right; the mean squared error is {mean:g}."
    _panel(figure, left, top, "A column against a row", said)
    plot_storage(wide, name="prediction", focus=(1, 2), ax=_axes(figure, left, top))


def _write(figure: Any, left: float, top: float) -> None:
    _panel(figure, left, top, "x += 1 writes; x = x + 1 moves a name", "")
    x = tk.ones(3)
    y = x
    x += 1
    seen = y.tolist()
    x = x + 1
    goal, w = tk.tensor([3.0, -1.0]), tk.tensor([1.0, 2.0], requires_grad=True)
    before = ((w - goal) ** 2).sum()
    (gradient,) = tk.autograd.grad(before, w)
    assert gradient is not None  # w is in the graph
    with tk.no_grad():
        w -= 0.25 * gradient
    after = ((w - goal) ** 2).sum()
    lines = [
        ("x = tk.ones(3); y = x", ""),
        ("x += 1", f"y is {_numbers(seen)}: one storage"),
        ("x = x + 1", f"x is {_numbers(x.tolist())}, y still {_numbers(y.tolist())}"),
        ("", ""),
        ("loss.backward()", f"w.grad is {_numbers(gradient.tolist())}"),
        ("with tk.no_grad():", "autograd looks away"),
        ("    w -= 0.25 * w.grad", f"loss: {before.item():g}, then {after.item():g}"),
        ("", ""),
        ('t.to("cuda")', "a copy, on another device"),
    ]
    for number, (line, result) in enumerate(lines):
        y_place = top - 0.03 - number * 0.0185
        _words(figure, left, y_place, line, size=8.5, mono=True)
        _words(figure, left + 0.205, y_place, result, size=8.5)


def _layout(t: Any) -> str:
    return f"size {tuple(t.size())}, stride {t.stride()}, offset {t.storage_offset()}"


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:g}".replace("-", "−") for value in values) + ")"


def _axes(figure: Any, left: float, top: float) -> Any:
    """The place of a panel's picture."""
    return figure.add_axes((left, top - 0.014 - _PICTURE, _WIDTH, _PICTURE))


def _panel(figure: Any, left: float, top: float, title: str, said: str) -> None:
    """A panel's title, and the words below its picture."""
    _words(figure, left, top, title, size=12, weight="bold")
    for number, line in enumerate(wrap(said.replace("`", ""), _COLUMNS)):
        _words(figure, left, top - 0.034 - _PICTURE - number * _LINE, line, size=8.5)


def _words(
    figure: Any, x: float, y: float, text: str, *, size: float = 10, weight: str = "normal", align: str = "left",
    mono: bool = False,
) -> None:  # fmt: skip
    family = MONOSPACED if mono else PLAIN
    figure.text(
        x, y, text, size=size, weight=weight, ha=align, va="baseline", family=family, color=LIGHT["ink"]
    )


@command
def main(argv: Sequence[str] | None = None) -> int:
    """The command of this module: the page as SVG and as PDF in a folder; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tensorkit_widgets.plots.handout", description="Write the hand-out."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path("."), help="where the page is written")
    write_handout(parser.parse_args(argv).folder)
    return 0


def write_handout(folder: Path) -> None:
    """Write the page as SVG and as PDF into a folder, and print where."""
    folder.mkdir(parents=True, exist_ok=True)
    figure = draw_handout()
    for kind in ("svg", "pdf"):
        target = folder / f"{NAME}.{kind}"
        with beside(target) as path:
            figure.savefig(path)
        print(target)


if __name__ == "__main__":
    raise SystemExit(main())
