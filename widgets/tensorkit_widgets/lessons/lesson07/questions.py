"""The questions of lesson 07, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question


def _name(dtype: Any) -> str:
    return f"`{str(dtype).rpartition('.')[2]}`"


_QUARTERS = (-1.75, -0.75, -0.25, 0.5, 0.75, 1.25)
_ANY = (-3.0, -0.5, 0.0, 0.25, 1.0, 2.0)


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
        "`x = tk.zeros(2)`, and then a line with nothing but `x.to(tk.float64)`. Which dtype does `x` have now?",
        "`float32`",
        "`to` makes another tensor, and this line gives it no name.",
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
        "Here is a float tensor, `t`. Press each number that becomes 0 in `t.int()`.",
        (-0.75, -0.25, 0.5, 0.75),
        "What is after the point is dropped: -1.75 becomes -1, 1.25 becomes 1, and everything between -1 and 1 "
        "becomes 0.",
        slips=(
            Slip(
                "a cast drops the fraction",
                "That would be rounding; a cast does not round.",
                given=(-0.25, 0.5),
            ),
            Slip(
                "a cast drops the fraction", "That would be rounding; a cast does not round.", given=(-0.25,)
            ),
            Slip("a cast drops the fraction", "That is `floor`: always down.", given=(0.5, 0.75)),
            Slip("a cast drops the fraction", "That is `ceil`: always up.", given=(-0.75, -0.25)),
            Slip(
                "a cast drops the fraction",
                "1.25 keeps its 1, and -1.75 its -1.",
                given=(-1.75, -0.75, -0.25, 0.5, 0.75, 1.25),
            ),
        ),
        proof=lambda tk: tuple(n for n in _QUARTERS if tk.tensor(n).int() == 0),
        picture=lambda tk: tk.tensor(_QUARTERS),
        pick="cells",
    ),
    Question(
        "to_bool",
        "Another float tensor, `t`. Press each number that becomes True in `t.bool()`.",
        (-3, -0.5, 0.25, 1, 2),
        "There is one rule: everything but 0 is True.",
        slips=(
            Slip("everything but 0 is True", "Nothing is dropped on the way to `bool`.", given=(-3, 1, 2)),
            Slip(
                "everything but 0 is True", "Nothing is dropped, and the sign does not matter.", given=(1, 2)
            ),
            Slip("everything but 0 is True", "The sign does not matter: -3 is not 0.", given=(0.25, 1, 2)),
            Slip("everything but 0 is True", "2 is not 0 either, so it becomes True.", given=(1,)),
            Slip("everything but 0 is True", "0 is the one number that is False.", given=_ANY),
        ),
        proof=lambda tk: tuple(n for n in _ANY if tk.tensor(n).bool().item()),
        picture=lambda tk: tk.tensor(_ANY),
        pick="cells",
    ),
)


TOGETHER = (
    Question(
        "promotion",
        "An `int64` tensor plus a `float16` tensor: which dtype does the sum have?",
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
                "The dtype of the float tensor wins. An `int64` tensor and a Python float would give `float32`.",
                given="`float32`",
            ),
            Slip(
                "category before width",
                "That is what NumPy gives, to lose as little as possible.",
                given="`float64`",
            ),
            Slip("category before width", "That is what PyTorch did in its first years.", given="An error"),
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
                "That is true of `t + 0.5`; but in place the dtype of `t` cannot change.",
                given="`t` becomes `[1.5, 2.5]`",
            ),
            Slip(
                "a cast drops the fraction",
                "A cast would do that, but this line has none.",
                given="`t` stays `[1, 2]`: the half is dropped",
            ),
        ),
        proof=_in_place,
    ),
    Question(
        "integer_mean",
        "What do you get from `tk.tensor([3, 1, 2]).mean()`?",
        "An error",
        "A mean is rarely a whole number, and PyTorch will not choose a float dtype for you.",
        options=("`2`", "`2.`", "An error"),
        slips=(
            Slip(
                "integer mean",
                "Most means do not fit into an integer, so PyTorch does not give one.",
                given="`2`",
            ),
            Slip(
                "integer mean",
                "That is what NumPy does. Here you have to say which float you want.",
                given="`2.`",
            ),
        ),
        proof=lambda tk: "An error" if _refuses(lambda: tk.tensor([3, 1, 2]).mean()) else "`2.`",
    ),
    Question(
        "capital",
        "`tk.tensor(3)` is one number, 3. How many elements does `tk.Tensor(3)` have?",
        3,
        "`Tensor` is the class, and `Tensor(3)` makes a fresh tensor of *size* 3.",
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
