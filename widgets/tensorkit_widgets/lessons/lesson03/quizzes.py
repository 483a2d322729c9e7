"""The quizzes and puzzles of lesson 03, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray

__all__ = ["PUZZLES"]


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _start(tk: Any) -> dict[str, Any]:
    return {"t": _twelve(tk)}


PUZZLES = (
    Puzzle(
        "transpose_in_parts",
        "A transpose in three lines",
        "Make `u`, which is what `t.t()` gives: a tensor object of your own on the storage of `t`.",
        """
size = (t.size(1), t.size(0))
stride = (t.stride(1), t.stride(0))
u = t.as_strided(size, stride)
""",
        "u",
        tensor_check(
            size=(4, 3),
            stride=(1, 4),
            shares=True,
            slips=(
                Slip(
                    "permute vs view",
                    "that is what `view(4, 3)` gives: the same order in the storage.",
                    stride=(3, 1),
                    shares=True,
                ),
            ),
        ),
        (
            "A tensor is three things over a storage. Which of the three does a transpose change?",
            "Both the sizes and the strides change places.",
            "`as_strided` comes last, when there is a size and a stride to give it.",
        ),
        strays=(
            Stray(
                "stride = (t.size(0), 1)",
                "strides follow the view",
                "a fresh tensor of that size would have this stride; nothing fresh is made here.",
            ),
            Stray(
                "u = t.view(size)",
                "permute vs view",
                "`view` regroups the numbers; it reorders no dimensions.",
            ),
            Stray("u = t.as_strided(size, stride, t.storage_offset())"),
        ),
        base="t",
        setup=_start,
        right=(
            "size = (t.size(1), t.size(0))\nstride = (t.stride(1), t.stride(0))\nu = t.as_strided(size, stride)",
            "stride = (t.stride(1), t.stride(0))\nsize = (t.size(1), t.size(0))\nu = t.as_strided(size, stride)",
            "size = (t.size(1), t.size(0))\nstride = (t.stride(1), t.stride(0))\n"
            "u = t.as_strided(size, stride, t.storage_offset())",
        ),
        wrong=(
            ("size = (t.size(1), t.size(0))\nu = t.view(size)", "permute vs view"),
            (
                "size = (t.size(1), t.size(0))\nstride = (t.size(0), 1)\nu = t.as_strided(size, stride)",
                "permute vs view",
            ),
            ("u = t.as_strided(size, stride)\nsize = (t.size(1), t.size(0))", ""),
            ("size = (t.size(1), t.size(0))", ""),
        ),
    ),
)
