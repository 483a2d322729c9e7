"""The exercises of lesson 03, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import Checker, layout_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, read
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]

COPY = "a copy is not a view"
TURN = "permute vs view"
REFUSED = "view after transpose fails"
BATCH = "squeeze eats the batch dimension"
WHOLE = "a saved slice saves the whole storage"
CONTIGUOUS = "what contiguous means"
MINUS = "what -1 means in view"
REPEATS = "broadcasting copies nothing"


def _sixty(tk: Any) -> Any:
    return tk.arange(60.0).view(3, 4, 5)


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _thousand(tk: Any) -> Any:
    return tk.arange(1000.0)


def _contiguous(size: Any, stride: Any) -> bool:
    """What `is_contiguous` says."""
    return bool((size[1] == 1 or stride[1] == 1) and (size[0] == 1 or stride[0] == size[1]))


def _batch(items: int) -> Case:
    """A batch of so many images, which is to lose its channel and stay what it is."""
    pixels = items * 12

    def looks(arguments: tuple[Any, ...], got: Any) -> object:
        mine = read(got)
        return mine.size, mine.values, mine.shares(read(arguments[0]))

    def tells(found: Any) -> str:
        if found[0] != (items, 3, 4):
            return f"the size should be ({items}, 3, 4); yours is {found[0]}."
        return "the numbers were copied." if not found[2] else "the numbers stand in another order."

    return Case(
        f"of a batch of {items}",
        lambda: (tensorkit.arange(float(pixels)).view(items, 1, 3, 4),),
        ((items, 3, 4), tuple(map(float, range(pixels))), True),
        looks,
        tells,
    )


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
        "left_over",
        "What is left over",
        "Worked: `tk.zeros(4, 6).view(8, -1)` has 24 elements, shared out by 8, so -1 becomes **3**.\n\n"
        "Your turn: what does -1 become in `tk.zeros(4, 6).view(2, -1, 3)`?",
        number_check(
            4,
            slips=(
                Slip(MINUS, "24 shared out by 2 is 12, but the 3 is there as well.", given=12),
                Slip(MINUS, "24 shared out by 3 is 8, but the 2 is there as well.", given=8),
                Slip(MINUS, "-1 never stays: it is worked out from the other sizes.", given=-1),
                Slip(
                    MINUS, "the old sizes do not matter any more, only how many elements there are.", given=6
                ),
            ),
        ),
        (
            "How many elements does `tk.zeros(4, 6)` have?",
            "The sizes of the result multiply to the same number: 2 · ? · 3.",
            "24 / (2·3)",
        ),
        "4 * 6 // (2 * 3)  # 4",
        stage="worked",
        entry="3",
        right=(
            lambda tk, t: 4,
            lambda tk, t: "4",
            lambda tk, t: tk.zeros(4, 6).view(2, -1, 3).size(1),
        ),
        wrong=(
            (lambda tk, t: 12, MINUS),
            (lambda tk, t: -1, MINUS),
            (lambda tk, t: 5, ""),
        ),
    ),
    Task(
        "batch_of_one",
        "A batch of one",
        "A model takes batches of images, size (N, 3, 4, 5). `t` is one image, size (3, 4, 5). Make it a batch of one, "
        "without copying:\n\n"
        "    t = tk.arange(60.0).view(3, 4, 5)\n"
        "    b = t.unsqueeze(___)",
        tensor_check(
            size=(1, 3, 4, 5),
            stride=(60, 20, 5, 1),
            shares=True,
            slips=(
                Slip(
                    "unsqueeze",
                    "the new dimension stands at the end; items are counted first.",
                    size=(3, 4, 5, 1),
                ),
                Slip("unsqueeze", "that is a place for it behind the channels.", size=(3, 1, 4, 5)),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied for it.",
                    behaves=lambda t: t.unsqueeze(0).clone(),
                ),
            ),
        ),
        (
            "Which dimension counts the items of a batch?",
            "`unsqueeze(d)` puts the new dimension at place d; the others move to the right.",
            "It has to stand at place 0.",
        ),
        "b = t.unsqueeze(0)",
        stage="faded",
        base=_sixty,
        right=(
            lambda tk, t: t.unsqueeze(0),
            lambda tk, t: t[None],
            lambda tk, t: t.view(1, 3, 4, 5),
            lambda tk, t: t.unsqueeze(-4),
        ),
        wrong=(
            (lambda tk, t: t.unsqueeze(-1), "unsqueeze"),
            (lambda tk, t: t.unsqueeze(1), "unsqueeze"),
            (lambda tk, t: tk.stack([t]), COPY),
            (lambda tk, t: tk.zeros(1, 3, 4, 5), COPY),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "drop_the_channel",
        "Drop the channel, keep the batch",
        "A batch of grey images has the size (N, 1, 3, 4): items, channels, rows, columns. Write `drop_channel(t)`, "
        "which drops the channel, so that (N, 3, 4) is left: items, rows, columns. No copy, and whatever N is: a batch "
        "may hold a single image.\n\n"
        "    def drop_channel(t):\n"
        "        return t.squeeze(___)",
        function_check(
            _batch(2),
            _batch(1),
            _batch(5),
            slips=(
                Slip(
                    BATCH,
                    "for a batch of two it works, and of a batch of **one** the batch is gone too: `squeeze()` drops "
                    "every dimension of size 1. Say which one you mean.",
                    behaves=lambda t: t.squeeze(),
                ),
                Slip(
                    BATCH,
                    "that drops dimension 0, the items, whenever there is only one. The channel is dimension 1.",
                    behaves=lambda t: t.squeeze(0),
                ),
                Slip(
                    "counting from zero",
                    "nothing is dropped: dimensions 2 and 3 are rows and columns, and their size is not 1. Dimensions "
                    "are counted from 0.",
                    behaves=lambda t: t.squeeze(2),
                ),
                Slip(
                    COPY,
                    "the size is right, but the numbers were copied.",
                    behaves=lambda t: t.squeeze(1).clone(),
                ),
                Slip(
                    "permute vs view",
                    "the size is right, and the numbers stand in another order.",
                    behaves=lambda t: t.squeeze(1).transpose(1, 2).reshape(t.size(0), 3, 4),
                ),
            ),
        ),
        (
            "`squeeze` takes a number: the dimension that is to go, if its size is 1.",
            "Items are dimension 0. Which number has the channel?",
            "t.squeeze(1)",
        ),
        "def drop_channel(t):\n    return t.squeeze(1)",
        stage="faded",
        right=(
            lambda tk, t: lambda t: t.squeeze(1),
            lambda tk, t: lambda t: t[:, 0],
            lambda tk, t: lambda t: t.select(1, 0),
            lambda tk, t: lambda t: t.view(-1, 3, 4),
        ),
        wrong=(
            (lambda tk, t: lambda t: t.squeeze(), BATCH),
            (lambda tk, t: lambda t: t.squeeze(0), BATCH),
            (lambda tk, t: lambda t: t.squeeze(2), "counting from zero"),
            (lambda tk, t: lambda t: t.squeeze(1).clone(), COPY),
            (lambda tk, t: lambda t: t.view(1, 3, 4), ""),
            (lambda tk, t: lambda t: t.squeeze(1)[:1], ""),
        ),
    ),
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
        "which_repeats",
        "Which size and stride draw this?",
        "A storage holds the numbers 0 to 11, each in the slot of its own number. Some tensor on it, for which nothing "
        "was copied, prints as\n\n"
        "    tensor([[3., 4.],\n"
        "            [3., 4.],\n"
        "            [3., 4.]])\n\n"
        "Give its size, stride and offset as `((_, _), (_, _), _)`, or a tensor that is it.",
        layout_check(
            size=(3, 2),
            stride=(0, 1),
            offset=3,
            slips=(
                Slip(
                    REPEATS,
                    "a fresh table of that size has this stride: its second row would be 5 and 6. One row down, you "
                    "want to be in the **same** slot again.",
                    stride=(2, 1),
                ),
                Slip("offsets count slots", "it starts in slot 3.", stride=(0, 1), offset=0),
                Slip(REPEATS, "that repeats the columns; here the rows repeat.", stride=(1, 0)),
                Slip("rows come before columns", "three rows of two numbers.", size=(2, 3)),
            ),
        ),
        (
            "Three rows of two numbers: that is the size. In which slot does it start?",
            "One column to the right leads from slot 3 to slot 4.",
            "One row down leads from slot 3 to slot 3. How many slots is that?",
        ),
        "((3, 2), (0, 1), 3)",
        stage="reverse",
        entry="(3, 2), (2, 1), 0",
        right=(
            lambda tk, t: ((3, 2), (0, 1), 3),
            lambda tk, t: "(3, 2), (0, 1), 3",
            lambda tk, t: tk.arange(12.0)[3:5].expand(3, 2),
            lambda tk, t: tk.arange(12.0).as_strided((3, 2), (0, 1), 3),
        ),
        wrong=(
            (lambda tk, t: ((3, 2), (2, 1), 3), REPEATS),
            (lambda tk, t: ((3, 2), (0, 1), 0), "offsets count slots"),
            (lambda tk, t: ((3, 2), (1, 0), 3), REPEATS),
            (lambda tk, t: tk.arange(12.0)[3:6].expand(2, 3), "rows come before columns"),
            (lambda tk, t: ((3, 2), (0, 1), 4), ""),
        ),
    ),
    Task(
        "channels_last",
        "Channels last",
        "`t` is an image of 3 channels, 4 rows and 5 columns. A plotting library wants (rows, columns, channels). "
        "Make it so, as a view:\n\n"
        "    t = tk.arange(60.0).view(3, 4, 5)\n"
        "    u = ...",
        tensor_check(
            size=(4, 5, 3),
            stride=(5, 1, 20),
            shares=True,
            slips=(
                Slip(
                    TURN,
                    "the size is right, and it is noise: `view` reorders no dimensions, it only re-divides the "
                    "row of numbers. The first pixel now has three red values.",
                    size=(4, 5, 3),
                    stride=(15, 3, 1),
                    shares=True,
                ),
                Slip(
                    TURN,
                    "rows and columns have changed places as well.",
                    behaves=(lambda t: t.permute(2, 1, 0), lambda t: t.transpose(0, 2)),
                ),
                Slip(
                    COPY,
                    "the picture is right, but it was copied.",
                    behaves=lambda t: t.permute(1, 2, 0).contiguous(),
                ),
                Slip(
                    TURN,
                    "the size is right, and the picture is noise, and a copy: `reshape` reorders none either.",
                    behaves=lambda t: t.reshape(4, 5, 3).clone(),
                ),
            ),
        ),
        (
            "Is this another way to cut the row of numbers, or another order of the dimensions?",
            "`permute` names, for each place of the result, the old dimension that comes there.",
            "Rows are dimension 1, columns 2, channels 0.",
        ),
        "u = t.permute(1, 2, 0)",
        stage="free",
        base=_sixty,
        right=(
            lambda tk, t: t.permute(1, 2, 0),
            lambda tk, t: t.transpose(0, 1).transpose(1, 2),
            lambda tk, t: t.movedim(0, -1),
            lambda tk, t: t.as_strided((4, 5, 3), (5, 1, 20)),
        ),
        wrong=(
            (lambda tk, t: t.view(4, 5, 3), TURN),
            (lambda tk, t: t.permute(2, 1, 0), TURN),
            (lambda tk, t: t.permute(1, 2, 0).contiguous(), COPY),
            (lambda tk, t: t.view(4, 5, 3).contiguous().clone(), TURN),
            (lambda tk, t: t.view(5, 4, 3), ""),
            (lambda tk, t: tk.zeros(4, 5, 3), COPY),
            (lambda tk, t: t, ""),
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
