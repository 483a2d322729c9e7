"""Widgets and what is done to them, told as texts: the same lines run on the engine here, and in the kit of a page.

Nothing is imported but the two packages, so that a Python that has nothing else runs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit as tk
import tensorkit_widgets as tkw
from tensorkit_widgets.puzzles import Ladder


def said(kind: str, value: Any = None, **more: Any) -> dict[str, Any]:
    """What a board's script sends."""
    return {"kind": kind, "value": value, **more}


def done(do: str, value: str = "") -> dict[str, Any]:
    """What a card's script sends."""
    return {"do": do, "value": value}


def _matrix() -> Any:
    return tk.arange(12.0).view(3, 4)


PLAYS: dict[str, tuple[Callable[[], Any], list[dict[str, Any]]]] = {
    "strides": (
        lambda: tkw.StrideExplorer(_matrix(), name="t"),
        [
            said("expression", "t[1:, ::2].t()"),
            said("edit", "7.25", key="t:0,1"),
            said("undo"),
            said("step"),
            said("expression", "t.t().view(12)"),
            said("offer", ".t().reshape(12)"),
            said("expression", "t.expand(2, 3, 4).unfold(2, 2, 1)"),
            said("expression", "t.as_strided((2, 2), (1, 5), 3)"),
            said("expression", "open('x')"),
            said("edit", "no number", key="t:0,1"),
            said("look", key="t:1,1"),
            said("reset"),
        ],
    ),
    "strides_of_a_view": (lambda: tkw.StrideExplorer(_matrix()[:, 1:3].t(), ".contiguous()"), []),
    "strides_of_integers": (
        lambda: tkw.StrideExplorer(tk.arange(6).view(2, 3), name="n"),
        [
            said("edit", "300", key="t:0,0"),
            said("edit", "2.5", key="t:0,1"),
            said("expression", "n.flatten()[::2]"),
        ],
    ),
    "strides_empty": (lambda: tkw.StrideExplorer(tk.zeros(2, 0)), [said("expression", "t.t()")]),
    "strides_of_one": (lambda: tkw.StrideExplorer(tk.tensor(3.5)), [said("expression", "t.view(1, 1)")]),
    "index": (
        lambda: tkw.IndexExplorer(_matrix(), "1:, ::2"),
        [
            said("index", "t[t > 5]"),
            said("index", "t[[0, 2], 1:]"),
            said("index", "t[None, -1]"),
            said("index", "t[1] += 10"),
            said("index", "t[[True, False, True]]"),
            said("index", "t[9]"),
            said("pick", key="t:1,1"),
            said("undo"),
        ],
    ),
    "broadcast": (
        lambda: tkw.BroadcastExplorer(tk.arange(3).view(3, 1), tk.ones(2, 1, 4)),
        [said("step"), said("sign", "=="), said("run"), said("sign", "/"), said("back")],
    ),
    "reduction": (
        lambda: tkw.ReductionExplorer(_matrix(), "sum", 0),
        [
            *(
                said("op", op)
                for op in ("mean", "max", "argmax", "std", "any", "prod", "min", "norm", "median")
            ),
            said("keepdim", True),
            said("step"),
            said("edit", "100", key="t:0,1"),
            said("undo"),
            said("op", "sum"),
            said("all", True),
        ],
    ),
    "matmul": (
        lambda: tkw.MatmulExplorer(tk.arange(6.0).view(2, 3), tk.ones(3)),
        [said("run"), said("tiled", True), said("step"), said("side", 1)],
    ),
    "bits": (
        lambda: tkw.BitView(tk.tensor([1.5, -0.1]), index=1),
        [
            said("flip", key="float32:31"),
            said("value", "3e38"),
            said("cast", "int8"),
            said("step"),
            said("run"),
            said("undo"),
            said("cast", ""),
            said("show-int32", True),
            said("value", "nan"),
        ],
    ),
    "predict": (
        lambda: tkw.Predict("02.write_storage"),
        [done("entry", "3"), done("choose", "A"), done("answer", "A"), done("reveal"), done("again")],
    ),
    "quiz": (lambda: tkw.Quiz("02.layouts"), [done("again")]),
    "parsons": (lambda: tkw.Parsons("02.column_sums"), [done("check"), done("again")]),
    "exercise": (
        lambda: tkw.Exercise("02.which_strides"),
        [done("check", "(4, 1)"), done("hint"), done("give-up"), done("again")],
    ),
    "ladder": (
        lambda: Ladder(5, record=False),
        [done("claim", "twice"), done("claim", "negative"), done("again")],
    ),
}


def told(name: str) -> list[str]:
    """What a widget says at first, and after each message."""
    make, messages = PLAYS[name]
    widget = make()
    texts = [widget.text()]
    for message in messages:
        widget._heard(widget, message, None)
        texts.append("\n".join([widget.text(), *_beside(widget)]))
    widget.close()
    return texts


def _beside(widget: Any) -> list[str]:
    """What is said beside the picture or on the card, with what can be done."""
    if not hasattr(widget, "frame"):
        return [str(widget.announced), str(widget.html)]
    facts = widget.frame["facts"]
    return [str(facts[name]) for name in ("said", "complaint", "offers", "wrong", "controls", "data")]
