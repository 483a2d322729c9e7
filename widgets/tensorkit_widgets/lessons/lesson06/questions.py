"""The questions of lesson 06, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]


def _name(dtype: Any) -> str:
    return f"`{str(dtype).rpartition('.')[2]}`"


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.tolist())


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


QUESTIONS = (
    *KINDS,
    *FLOATS,
    *CASTS,
)
