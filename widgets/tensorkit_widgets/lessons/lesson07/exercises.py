"""The exercises of lesson 07, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import choice_check, tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _scores(tk: Any) -> Any:
    return tk.tensor([3, 1, 2, 4])


def _halves(tk: Any) -> Any:
    return tk.tensor([-1.7, 0.2, 2.6])


BITS = (
    Task(
        "which_dtype",
        "Which dtype comes out?",
        "`a` is an `int32` tensor, `b` a `bool` tensor, `c` a `float16` tensor, all of size (3,). Which dtype has "
        "`a * 0.5 + b + c`?\n\nGive its name, such as `int32`.",
        choice_check(
            "float32",
            slips=(
                Slip(
                    "category before width",
                    "`a * 0.5` comes first: an integer tensor with a Python float is `float32`, wider than `c`.",
                    given="float16",
                ),
                Slip("category before width", "a float takes part, and floats beat integers.", given="int32"),
                Slip(
                    "default dtype",
                    "a Python number never widens; it only asks for a float.",
                    given="float64",
                ),
                Slip("category before width", "`bool` is the lowest of all.", given="bool"),
            ),
            hint="one name of the table, such as `int32`.",
        ),
        (
            "Go step by step, from the left: `a * 0.5` first.",
            "An integer tensor and a Python float: the default float dtype.",
            "`float32`; then `bool` changes nothing, and `float16` is narrower.",
        ),
        "'float32'",
        entry="int32",
        right=(
            lambda tk, t: "float32",
            lambda tk, t: " Float32. ",
            lambda tk, t: "tk.float32",
            lambda tk, t: "torch.float",
            lambda tk, t: tk.float32,
            lambda tk, t: str(
                (tk.ones(3, dtype=tk.int32) * 0.5 + tk.ones(3, dtype=tk.half)).dtype
            ).rpartition(".")[2],
        ),
        wrong=(
            (lambda tk, t: "float16", "category before width"),
            (lambda tk, t: "half", "category before width"),
            (lambda tk, t: tk.half, "category before width"),
            (lambda tk, t: "float64", "default dtype"),
            (lambda tk, t: "int32", "category before width"),
            (lambda tk, t: "int16", ""),
        ),
    ),
)


CODE = (
    Task(
        "one_number",
        "One whole number",
        "Make a tensor of no dimensions that holds the number 3, as an `int64`.\n\n    three = ___",
        tensor_check(
            size=(),
            dtype="int64",
            values=3,
            slips=(
                Slip(
                    "`Tensor` vs `tensor`",
                    "`Tensor(3)` is a fresh tensor of *size* 3: three numbers that nobody has written yet.",
                    size=(3,),
                ),
                Slip(
                    "`Tensor` vs `tensor`",
                    "`Tensor([3])` makes `float32` of everything, and the brackets give it a dimension.",
                    size=(1,),
                    dtype="float32",
                ),
                Slip(
                    "brackets are dimensions",
                    "the brackets give it a dimension, of size 1. Without brackets it has none.",
                    size=(1,),
                ),
                Slip("default dtype", "the point makes it a float.", dtype="float32"),
            ),
        ),
        (
            "There are two spellings, with a small and with a capital t. Which of them takes *data*?",
            "`tk.tensor(…)` keeps what you give it: an integer without brackets has no dimensions.",
            "`tk.tensor(3)`",
        ),
        "three = tk.tensor(3)",
        stage="faded",
        right=(
            lambda tk, t: tk.tensor(3),
            lambda tk, t: tk.tensor([3])[0],
            lambda tk, t: tk.full((), 3),
            lambda tk, t: tk.Tensor([3]).long().squeeze(),
        ),
        wrong=(
            (lambda tk, t: tk.Tensor(3), "`Tensor` vs `tensor`"),
            (lambda tk, t: tk.Tensor([3]), "`Tensor` vs `tensor`"),
            (lambda tk, t: tk.tensor(3.0), "default dtype"),
            (lambda tk, t: tk.tensor([3]), "brackets are dimensions"),
            (lambda tk, t: tk.tensor(4), ""),
        ),
    ),
    Task(
        "mean_of_scores",
        "The mean of whole numbers",
        "`t = tk.tensor([3, 1, 2, 4])` holds four scores. Give their mean, as a `float32` tensor of no dimensions.\n\n"
        "    mean = ___",
        tensor_check(
            size=(),
            dtype="float32",
            values=2.5,
            slips=(
                Slip(
                    "integer mean",
                    "an integer cannot hold 2.5, so the half was dropped. Make floats of the scores first.",
                    behaves=(
                        lambda t: t.sum() // t.numel(),
                        lambda t: (t.sum() / t.numel()).long(),
                        lambda t: (t.sum() / t.numel()).int(),
                    ),
                ),
                Slip(
                    "integer mean",
                    "the mean was cut before it became a float. Make floats first, and divide then.",
                    behaves=(
                        lambda t: (t.sum() // t.numel()).float(),
                        lambda t: (t.sum() // t.numel()).double(),
                    ),
                ),
                Slip(
                    "default dtype",
                    "right but for the dtype: `float64` was not asked for.",
                    behaves=lambda t: t.double().mean(),
                ),
            ),
        ),
        (
            "`t.mean()` is refused: the message says which dtypes it takes.",
            "Either make floats of the scores first, or say `dtype=` in `mean`.",
            "`t.float().mean()`",
        ),
        "mean = t.float().mean()",
        stage="free",
        base=_scores,
        right=(
            lambda tk, t: t.float().mean(),
            lambda tk, t: t.mean(dtype=tk.float32),
            lambda tk, t: t.sum() / t.numel(),
        ),
        wrong=(
            (lambda tk, t: t.sum() // 4, "integer mean"),
            (lambda tk, t: (t.sum() // 4).float(), "integer mean"),
            (lambda tk, t: t.double().mean(), "default dtype"),
            (lambda tk, t: t.sum(), ""),
            (lambda tk, t: t.max().double(), ""),
            (lambda tk, t: t.float(), ""),
        ),
    ),
    Task(
        "round_to_whole",
        "Round, do not cut",
        "`t = tk.tensor([-1.7, 0.2, 2.6])`. Give the nearest whole numbers, -2, 0 and 3, as an `int64` tensor.\n\n"
        "    whole = ___",
        tensor_check(
            size=(3,),
            dtype="int64",
            values=(-2, 0, 3),
            slips=(
                Slip(
                    "a cast drops the fraction",
                    "these are cut, not rounded: -1.7 became -1, and 2.6 became 2.",
                    behaves=(lambda t: t.long(), lambda t: t.int(), lambda t: t.trunc()),
                ),
                Slip(
                    "a cast drops the fraction",
                    "that is `floor`, always down: 2.6 should become 3.",
                    behaves=(lambda t: t.floor(), lambda t: t.floor().long()),
                ),
                Slip(
                    "a cast drops the fraction",
                    "that is `ceil`, always up: -1.7 should become -2.",
                    behaves=(lambda t: t.ceil(), lambda t: t.ceil().long()),
                ),
                Slip(
                    "`.to()` returns",
                    "the numbers are right, but they are floats still. A cast leaves the tensor as it was and returns "
                    "another: keep that one.",
                    behaves=lambda t: t.round(),
                ),
                Slip(
                    "`.to()` returns",
                    "that is `t` as it was. An operation leaves the tensor alone and returns another: keep that one.",
                    behaves=lambda t: t,
                ),
            ),
        ),
        (
            "Two things are to be done: round, and change the dtype. In which order?",
            "`round()` gives floats that are whole.",
            "`t.round().long()`",
        ),
        "whole = t.round().long()",
        stage="free",
        base=_halves,
        right=(
            lambda tk, t: t.round().long(),
            lambda tk, t: tk.round(t).to(tk.int64),
            lambda tk, t: (t + 0.5).floor().long(),
        ),
        wrong=(
            (lambda tk, t: t.long(), "a cast drops the fraction"),
            (lambda tk, t: t.floor().long(), "a cast drops the fraction"),
            (lambda tk, t: t.ceil().long(), "a cast drops the fraction"),
            (lambda tk, t: t.round(), "`.to()` returns"),
            (lambda tk, t: (t.long(), t)[1], "`.to()` returns"),
            (lambda tk, t: tk.zeros(3), ""),
            (lambda tk, t: t.round().int(), ""),
        ),
    ),
    Task(
        "the_bits_themselves",
        "The bits themselves",
        "`t = tk.tensor([1.0, -2.0])`. Give the `int32` tensor that reads **the same bits**, without copying them.\n\n"
        "    bits = ___",
        tensor_check(
            size=(2,),
            dtype="int32",
            values=(0x3F800000, -(1 << 30)),
            shares=True,
            slips=(
                Slip(
                    "bits are not the value",
                    "that is the same *number* in another dtype: an integer 1 has other bits than a float 1.",
                    behaves=(lambda t: t.int(), lambda t: t.long()),
                ),
                Slip(
                    "a copy is not a view",
                    "the bits are right, but they are copies: a write would not reach `t`.",
                    when=lambda answer, mine, base: (
                        mine is not None and mine.values == (0x3F800000, -(1 << 30))
                    ),
                    shares=False,
                ),
                Slip(
                    "bits are not the value",
                    "that is `t` itself. Read its bits as `int32`: integers of as many bits.",
                    behaves=lambda t: t,
                ),
            ),
        ),
        (
            "`to` makes new bits for the same number. What leaves the bits alone?",
            "Something that shares the storage: a view.",
            "`t.view(tk.int32)`",
        ),
        "bits = t.view(tk.int32)",
        stage="free",
        base=lambda tk: tk.tensor([1.0, -2.0]),
        right=(
            lambda tk, t: t.view(tk.int32),
            lambda tk, t: t.view(dtype=tk.int),
            lambda tk, t: t.view(tk.int16).view(tk.int32),
        ),
        wrong=(
            (lambda tk, t: t.int(), "bits are not the value"),
            (lambda tk, t: t.view(tk.int32).clone(), "a copy is not a view"),
            (lambda tk, t: t, "bits are not the value"),
            (lambda tk, t: t.view(tk.int16), ""),
        ),
    ),
)


TASKS = (
    *BITS,
    *CODE,
)
