"""The exercises of lesson 05, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import (
    Checker,
    layout_check,
    tensor_check,
)
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


REFUSED = "view after transpose fails"


WHOLE = "a saved slice saves the whole storage"


CONTIGUOUS = "what contiguous means"


def _thousand(tk: Any) -> Any:
    return tk.arange(1000.0)


def _contiguous(size: Any, stride: Any) -> bool:
    """What `is_contiguous` says."""
    return bool((size[1] == 1 or stride[1] == 1) and (size[0] == 1 or stride[0] == size[1]))


def _small(check: Checker) -> Checker:
    """The check of a tensor, and then of its storage: it should hold the tensor's numbers and no more."""

    def judge(answer: Answer) -> Verdict:
        verdict = check(answer)
        kept: Any = answer.value
        if verdict.correct and kept.untyped_storage().nbytes() > kept.numel() * kept.element_size():
            says = "that is a slice of a copy of all thousand numbers: its storage is as large as before. Slice first."
            return Verdict(False, says, WHOLE)
        return verdict

    return Checker(judge, check.slips)


TASKS = (
    Task(
        "strides_of_a_copy",
        "Which size and stride come out?",
        "`t = tk.arange(12.0).view(3, 4)`. Give size, stride and offset of `t.t().contiguous()` as "
        "`((_, _), (_, _), _)`. Work it out before you ask the machine.",
        layout_check(
            size=(4, 3),
            stride=(3, 1),
            offset=0,
            slips=(
                Slip(
                    CONTIGUOUS,
                    "that is `t.t()` itself. After `contiguous()` the numbers lie in reading order.",
                    stride=(1, 4),
                ),
                Slip("transpose moves no data", "`contiguous()` copies; it does not turn back.", size=(3, 4)),
                Slip(
                    "a size is not a stride",
                    "one row down is three slots: a row has three numbers.",
                    stride=(4, 1),
                ),
            ),
        ),
        (
            "What is the size of `t.t()`? A copy keeps it.",
            "Contiguous means: in reading order, one slot after the other.",
            "So one column to the right is 1 slot, and one row down is a whole row of 3.",
        ),
        "((4, 3), (3, 1), 0)",
        stage="reverse",
        entry="(3, 4), (4, 1), 0",
        base=_twelve,
        right=(
            lambda tk, t: ((4, 3), (3, 1), 0),
            lambda tk, t: "(4, 3), (3, 1), 0",
            lambda tk, t: t.t().contiguous(),
        ),
        wrong=(
            (lambda tk, t: ((4, 3), (1, 4), 0), CONTIGUOUS),
            (lambda tk, t: ((3, 4), (4, 1), 0), "transpose moves no data"),
            (lambda tk, t: ((4, 3), (4, 1), 0), "a size is not a stride"),
            (lambda tk, t: ((4, 3), (3, 1), 1), ""),
        ),
    ),
    Task(
        "flat_in_order",
        "In one row, in reading order",
        "`t = tk.arange(12.0).view(3, 4)`. Make the twelve numbers of `t.t()` one row, in the order in which you read "
        "`t.t()`: 0, 4, 8, 1, 5, …\n\n"
        "    flat = ...",
        tensor_check(
            size=(12,),
            values=[0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11],
            shares=False,
            slips=(
                Slip(
                    REFUSED,
                    "that is the order of `t`, and of the storage; `t.t()` is read the other way.",
                    behaves=(lambda t: t.view(-1), lambda t: t.reshape(-1).clone()),
                ),
            ),
        ),
        (
            "No single stride can walk 0, 4, 8, 1: a view is not possible here.",
            "So somebody has to copy. Which call copies only where it must?",
            "`reshape`, or `contiguous()` before `view`.",
        ),
        "flat = t.t().reshape(-1)",
        stage="free",
        base=_twelve,
        right=(
            lambda tk, t: t.t().reshape(-1),
            lambda tk, t: t.t().contiguous().view(-1),
            lambda tk, t: t.t().flatten(),
            lambda tk, t: tk.cat(list(t.t())),
        ),
        wrong=(
            (lambda tk, t: t.view(-1), REFUSED),
            (lambda tk, t: t.reshape(-1).clone(), REFUSED),
            (lambda tk, t: t.t(), ""),
        ),
    ),
    Task(
        "a_small_thumb",
        "Let the large one go",
        "`t` has a thousand numbers, and you want to keep (and to save) its first three, **without** keeping the other "
        "997 alive.\n\n"
        "    t = tk.arange(1000.0)\n"
        "    thumb = ...",
        _small(
            tensor_check(
                size=(3,),
                values=[0, 1, 2],
                shares=False,
                slips=(
                    Slip(
                        WHOLE,
                        "a view: as long as it lives, all thousand numbers live, and a file of it has them all.",
                        behaves=lambda t: t[:3],
                    ),
                    Slip(
                        WHOLE,
                        "that copies all of it; the slice has to come first.",
                        behaves=lambda t: t.clone(),
                    ),
                ),
            )
        ),
        (
            "Whose storage does `t[:3]` use?",
            "You need a copy of three numbers, in a storage of their own.",
            "Take the slice first, then `clone()` it.",
        ),
        "thumb = t[:3].clone()",
        stage="free",
        base=_thousand,
        right=(
            lambda tk, t: t[:3].clone(),
            lambda tk, t: tk.tensor(t[:3].tolist()),
            lambda tk, t: t[[0, 1, 2]],
            lambda tk, t: t.narrow(0, 0, 3) + 0,
        ),
        wrong=(
            (lambda tk, t: t[:3], WHOLE),
            (lambda tk, t: t[:3].contiguous(), WHOLE),
            (lambda tk, t: t.clone(), WHOLE),
            (lambda tk, t: t.clone()[:3], WHOLE),
            (lambda tk, t: t[1:4], "a slice aliases its base"),
            (lambda tk, t: t[1:4].clone(), ""),
        ),
    ),
    Task(
        "may_flatten",
        "May it be flattened?",
        "Write the rule yourself. Of a matrix you are told the size and the stride; does `view(-1)` work? Give me the "
        "function, without calling it:\n\n"
        "    def may_flatten(size, stride):\n"
        "        return ...",
        function_check(
            Case("of a fresh matrix, (3, 4) and (4, 1)", lambda: ((3, 4), (4, 1)), True),
            Case("of its transpose, (4, 3) and (1, 4)", lambda: ((4, 3), (1, 4)), False),
            Case("of every second column, (3, 2) and (4, 2)", lambda: ((3, 2), (4, 2)), True),
            Case("of one row, (1, 4) and (999, 1)", lambda: ((1, 4), (999, 1)), True),
            Case("of one column, (4, 1) and (1, 999)", lambda: ((4, 1), (1, 999)), True),
            Case("of a part of each row, (3, 3) and (4, 1)", lambda: ((3, 3), (4, 1)), False),
            slips=(
                Slip(
                    REFUSED,
                    "yours allows it always. From the end of one row to the start of the next the step may be another "
                    "one: then no single stride says the walk.",
                    behaves=lambda size, stride: True,
                ),
                Slip(
                    CONTIGUOUS,
                    "that asks whether it is contiguous, which is too much to ask: the steps 0, 2, 4, 6, … of every "
                    "second column are all alike, and a view is possible.",
                    behaves=(
                        lambda size, stride: stride[1] == 1 and stride[0] == size[1],
                        lambda size, stride: tuple(stride) == (size[1], 1),
                        _contiguous,
                    ),
                ),
                Slip(
                    CONTIGUOUS,
                    "that asks whether each row lies in one piece. The step from row to row counts as well.",
                    behaves=lambda size, stride: stride[1] == 1,
                ),
                Slip(
                    "strides of size-1 dimensions",
                    "the rule is right, but for a dimension of size 1: nobody ever steps along it, so its stride does "
                    "not matter.",
                    behaves=(
                        lambda size, stride: stride[0] == size[1] * stride[1],
                        lambda size, stride: size[0] == 1 or stride[0] == size[1] * stride[1],
                        lambda size, stride: size[1] == 1 or stride[0] == size[1] * stride[1],
                    ),
                ),
                Slip(
                    "permute vs view",
                    "that asks whether the strides fall from left to right. They also have to fit the sizes: the part "
                    "of each row does not.",
                    behaves=(
                        lambda size, stride: stride[0] >= stride[1],
                        lambda size, stride: stride[0] > stride[1],
                        lambda size, stride: 1 in size or stride[0] > stride[1],
                    ),
                ),
            ),
        ),
        (
            "One step down has to be what walking to the end of a row, and one further, is.",
            "That is `stride[0] == size[1] * stride[1]`.",
            "And where a size is 1, nobody steps: then it always works.",
        ),
        "def may_flatten(size, stride):\n    return 1 in size or stride[0] == size[1] * stride[1]",
        stage="free",
        right=(
            lambda tk, t: lambda size, stride: 1 in size or stride[0] == size[1] * stride[1],
            lambda tk, t: lambda size, stride: _asked(tk, size, stride),
            lambda tk, t: (
                lambda size, stride: size[0] == 1 or size[1] == 1 or stride[0] / size[1] == stride[1]
            ),
        ),
        wrong=(
            (lambda tk, t: lambda size, stride: True, REFUSED),
            (lambda tk, t: lambda size, stride: stride[1] == 1 and stride[0] == size[1], CONTIGUOUS),
            (
                lambda tk, t: lambda size, stride: stride[0] == size[1] * stride[1],
                "strides of size-1 dimensions",
            ),
            (lambda tk, t: lambda size, stride: stride[0] > stride[1], "permute vs view"),
            (lambda tk, t: lambda size, stride: stride[1] == 1, CONTIGUOUS),
            (lambda tk, t: lambda size, stride: size == stride, ""),
        ),
    ),
)


def _asked(tk: Any, size: Any, stride: Any) -> bool:
    """What the engine itself says."""
    try:
        tk.zeros(5000).as_strided(size, stride).view(-1)
    except RuntimeError:
        return False
    return True
