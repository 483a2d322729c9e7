"""The questions of lesson 04, with what proves them."""

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
        "mixed_list",
        "Which dtype has `tk.tensor([1, 2.5, True])`?",
        "`float32`",
        "One dtype for all: the float decides, and a float is `float32` here.",
        options=("`bool`", "`int64`", "`float32`", "`float64`"),
        slips=(
            Slip("category before width", "It could not hold 2.5.", given="`bool`"),
            Slip("category before width", "It could not hold 2.5.", given="`int64`"),
            Slip("default dtype", "So it is in NumPy and in Python itself.", given="`float64`"),
        ),
        proof=lambda tk: _name(tk.tensor([1, 2.5, True]).dtype),
    ),
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
    Question(
        "same_bits",
        "`x = tk.tensor([1.0])` has the bits 0 01111111 000…. What does `x.view(tk.int32)` show: 1, or something else?",
        "A large number",
        "The bits stay as they are, and an integer is read from them by another rule: 127 times 2²³.",
        options=("1", "0", "A large number"),
        slips=(
            Slip(
                "bits are not the value", "That would be `x.to(tk.int32)`, which makes new bits.", given="1"
            ),
            Slip("bits are not the value", "Zero would have no bit set; here seven are.", given="0"),
        ),
        proof=lambda tk: "A large number" if tk.tensor([1.0]).view(tk.int32).item() > 10**9 else "1",
    ),
)

FLOATS = (
    Question(
        "plus_one",
        "`x = tk.tensor(16777216.0)`, which is 2²⁴. What is `(x + 1).item()`?",
        "`16777216.0`",
        "Up there the neighbours are 2 apart. 16777217 lies in the middle, and the even one is taken.",
        options=("`16777216.0`", "`16777217.0`", "`inf`"),
        slips=(
            Slip(
                "floats have gaps",
                "There is no such `float32`: it has 24 digits in binary.",
                given="`16777217.0`",
            ),
            Slip("range is not precision", "Far from it: `float32` goes to 3.4e38.", given="`inf`"),
        ),
        proof=lambda tk: f"`{(tk.tensor(16777216.0) + 1).item()}`",
    ),
    Question(
        "half_overflow",
        "`float16` and `bfloat16` both have 16 bits. Which of them can hold a number near 70000?",
        "Only `bfloat16`",
        "`bfloat16` has as many exponent bits as `float32`. `float16` ends at 65504, and then comes `inf`.",
        options=("Both", "Only `float16`", "Only `bfloat16`"),
        slips=(
            Slip("range is not precision", "They spend their 16 bits differently.", given="Both"),
            Slip(
                "range is not precision",
                "It has the finer steps, and the shorter reach.",
                given="Only `float16`",
            ),
        ),
        proof=lambda tk: (
            "Only `bfloat16`"
            if tk.tensor(70000.0).half().isinf().item() and tk.tensor(70000.0).bfloat16().isfinite().item()
            else "Both"
        ),
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
    Question(
        "wrap",
        "`p = tk.tensor([200, 100], dtype=tk.uint8)`. What is `p + 100`? (Two numbers.)",
        (44, 200),
        "300 needs nine bits. Eight are kept: 300 - 256 = 44.",
        slips=(
            Slip("integers wrap", "A `uint8` ends at 255.", given=(300, 200)),
            Slip("integers wrap", "It does not stop at the end: it begins anew at 0.", given=(255, 200)),
            Slip("integers wrap", "Nearly: after 255 comes 0, so 300 is 300 - 256.", given=(45, 200)),
        ),
        proof=lambda tk: _numbers(tk.tensor([200, 100], dtype=tk.uint8) + 100),
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

QUESTIONS = (*KINDS, *FLOATS, *CASTS, *TOGETHER)
