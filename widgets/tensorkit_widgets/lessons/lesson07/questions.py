"""The questions of lesson 07, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]


def _name(dtype: Any) -> str:
    return f"`{str(dtype).rpartition('.')[2]}`"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.tolist())


def _refuses(act: Any) -> bool:
    try:
        act()
    except RuntimeError:
        return True
    return False


def _to_returns(tk: Any) -> str:
    x = tk.zeros(2)
    x.to(tk.float64)
    return _name(x.dtype)


def _in_place(tk: Any) -> str:
    def write() -> None:
        t = tk.tensor([1, 2])
        t += 0.5

    return "An error" if _refuses(write) else ""


KINDS = (
    Question(
        "to_returns",
        "`x = tk.zeros(2)`, and then a line with nothing but `x.to(tk.float64)`. Which dtype has `x` now?",
        "`float32`",
        "`to` makes another tensor, and nobody kept it.",
        options=("`float32`", "`float64`"),
        slips=(
            Slip("`.to()` returns", "That is the dtype of the tensor that it returned.", given="`float64`"),
        ),
        proof=_to_returns,
    ),
)


CASTS = (
    Question(
        "truncate",
        "What is `tk.tensor([-2.7, -0.5, 2.7]).int()`? (Three numbers.)",
        (-2, 0, 2),
        "What stands after the point is dropped: all three come nearer to 0.",
        slips=(
            Slip("a cast drops the fraction", "So they would be rounded; a cast does not.", given=(-3, 0, 3)),
            Slip(
                "a cast drops the fraction", "So they would be rounded; a cast does not.", given=(-3, -1, 3)
            ),
            Slip("a cast drops the fraction", "That is `floor`: always down.", given=(-3, -1, 2)),
        ),
        proof=lambda tk: _numbers(tk.tensor([-2.7, -0.5, 2.7]).int()),
    ),
)


TOGETHER = (
    Question(
        "promotion",
        "An `int64` tensor plus a `float16` tensor: which dtype has the sum?",
        "`float16`",
        "A float beats every integer, however many bits the integer has.",
        order="last",
        options=("`int64`", "`float16`", "`float32`", "`float64`", "An error"),
        slips=(
            Slip(
                "category before width",
                "The category decides first, and only then the width.",
                given="`int64`",
            ),
            Slip(
                "category before width",
                "Here the float wins; `float32` would come only from a Python float.",
                given="`float32`",
            ),
            Slip(
                "category before width", "So it is in NumPy, which wants to lose nothing.", given="`float64`"
            ),
            Slip("category before width", "So it was in the first years of PyTorch.", given="An error"),
        ),
        proof=lambda tk: _name((tk.ones(2, dtype=tk.int64) + tk.ones(2, dtype=tk.float16)).dtype),
    ),
    Question(
        "in_place",
        "`t = tk.tensor([1, 2])`, then `t += 0.5`. What happens?",
        "An error",
        "The sum is a float, and it has to go into the memory of an `int64`. That is refused, not cut.",
        options=("`t` becomes `[1.5, 2.5]`", "`t` stays `[1, 2]`: the half is dropped", "An error"),
        slips=(
            Slip(
                "category before width",
                "For `t + 0.5` that is so; but in place the dtype of `t` cannot change.",
                given="`t` becomes `[1.5, 2.5]`",
            ),
            Slip(
                "a cast drops the fraction",
                "A cast that you ask for would do that. Nobody asked.",
                given="`t` stays `[1, 2]`: the half is dropped",
            ),
        ),
        proof=_in_place,
    ),
    Question(
        "integer_mean",
        "`tk.tensor([3, 1, 2]).mean()`: what comes out?",
        "An error",
        "A mean is seldom a whole number, and PyTorch will not choose a float dtype for you.",
        options=("`2`", "`2.`", "An error"),
        slips=(
            Slip(
                "integer mean", "The mean of integers is not defined: it would have to be cut.", given="`2`"
            ),
            Slip(
                "integer mean", "So NumPy does it. Here you have to say that you want a float.", given="`2.`"
            ),
        ),
        proof=lambda tk: "An error" if _refuses(lambda: tk.tensor([3, 1, 2]).mean()) else "`2.`",
    ),
    Question(
        "capital",
        "`tk.tensor(3)` is one number, 3. How many elements has `tk.Tensor(3)`?",
        3,
        "`Tensor` is the class, and `Tensor(3)` asks for a fresh tensor of *size* 3.",
        slips=(
            Slip("`Tensor` vs `tensor`", "That is `tensor(3)`.", given=1),
            Slip("`Tensor` vs `tensor`", "`Tensor()` without a number has none.", given=0),
        ),
        proof=lambda tk: tk.Tensor(3).numel(),
    ),
)


QUESTIONS = (
    *KINDS,
    *CASTS,
    *TOGETHER,
)
