"""The picture of a docstring's example: the first small result of the function that it explains, drawn by a widget."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import tensorkit
from tensorkit.dispatch.registry import registry
from tensorkit.tensor import Tensor
from tensorkit.tracing import OpEvent, record
from tensorkit_widgets.broadcast.widget import BroadcastExplorer
from tensorkit_widgets.matmul.widget import MatmulExplorer
from tensorkit_widgets.reduction.model import OPS
from tensorkit_widgets.reduction.widget import ReductionExplorer
from tensorkit_widgets.site.slim import slim
from tensorkit_widgets.stride_explorer.widget import StrideExplorer
from tensorkit_widgets.widget.board import Board

FOLDER = "_pictures"
MOST = 24
"""Elements of a storage that are drawn: a larger one would be cut."""
_WIDTH = 480.0
"""Of a picture, in pixels: a phone shows it at four fifths of that."""


def pictured(name: str, value: Any, sources: Path) -> list[str]:
    """The lines that show the picture of an entry's example; none where there is nothing small to draw.

    The picture itself is written as SVG into a folder of the sources.
    """
    board = next(_boards(name.removeprefix("tensorkit."), inspect.getdoc(value) or ""), None)
    if board is None:
        return []
    alt, words = write(board, sources / FOLDER / f"{name}.svg")
    return [
        "",
        f".. image:: /{FOLDER}/{name}.svg",
        "   :class: tk-picture",
        f"   :alt: {alt}",
        "",
        ".. raw:: html",
        "",
        '   <details class="tk-words"><summary>The picture in words</summary>',
        '   <pre tabindex="0" role="group" aria-label="the picture in words">',
        *(f"   {line}" for line in escape(words).splitlines()),
        "   </pre></details>",
        "",
    ]


def write(board: Board, place: Path) -> tuple[str, str]:
    """Write a picture as SVG, laid out for a column of text and a phone: a sentence for it, and its words."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(slim(board.svg(width=_WIDTH)), encoding="utf-8")
    alt, words = " ".join(board.alt().split()), board.text()
    board.close()
    return alt, words


def _boards(name: str, doc: str) -> Iterator[Board]:
    """What draws the calls of an operation in an example, if anything does."""
    operation = _operations().get(name, "")
    draw = _DRAWN.get(_chapter(operation)) if operation else None
    if draw is None or operation.startswith(
        "empty"
    ):  # what the memory held before is another picture each time
        return
    for event in _calls(doc):
        if event.name in (operation, name.rpartition(".")[2]):
            yield from filter(None, [draw(event)])


@cache
def _operations() -> dict[str, str]:
    """The operation behind each function and method."""
    return {
        spelled: record.name
        for record in tuple(registry.values())
        for spelled in (*record.functions, *(f"Tensor.{method}" for method in record.methods))
    }


def _chapter(operation: str) -> str:
    found = registry[operation]
    return (found.function or vars(Tensor)[found.methods[0]]).__module__.split(".")[2]


def _calls(doc: str) -> Iterator[OpEvent]:
    """The calls that the example of a docstring makes; `make test` runs the same examples."""
    example = doctest.DocTestParser().get_doctest(doc, {"tk": tensorkit}, "example", None, 0)
    with record() as events:
        doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None)
    return (event for event in events if isinstance(event, OpEvent) and event.depth == 0)


def _small(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and 1 <= value.dim() <= 3
        and 2 <= value.untyped_storage().nbytes() // value.element_size() <= MOST
    )


def _layout(event: OpEvent) -> Board | None:
    results = event.output if isinstance(event.output, tuple | list) else (event.output,)
    return next((StrideExplorer(result, name=event.name) for result in results if _small(result)), None)


def _stretched(event: OpEvent) -> Board | None:
    pair = [value for value in event.args[:2] if _small(value)]
    if event.name not in _SIGNS or len(pair) < 2 or pair[0].size() == pair[1].size():
        return None
    return BroadcastExplorer(pair[0], pair[1], op=_SIGNS[event.name])


_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}


def _reduced(event: OpEvent) -> Board | None:
    t, *rest = event.args
    dim = event.kwargs.get("dim", rest[0] if rest else None)
    if event.name not in OPS or not _small(t):
        return None
    return ReductionExplorer(t, event.name, dim, bool(event.kwargs.get("keepdim", False)))


def _product(event: OpEvent) -> Board | None:
    pair = event.args[:2]
    if event.name not in ("matmul", "mm", "mv", "bmm", "dot") or not all(map(_small, pair)):
        return None
    return MatmulExplorer(*pair)


_DRAWN: dict[str, Callable[[OpEvent], Board | None]] = {
    **dict.fromkeys(("creation", "views", "indexing", "joining", "rearranging", "complex"), _layout),
    "pointwise": _stretched,
    "reduction": _reduced,
    "matrix_products": _product,
}
