"""The exercises of lesson 06, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import number_check, tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _pair(tk: Any) -> Any:
    """Two rows of an image's bytes."""
    return tk.tensor([[200, 10, 90], [50, 30, 90]], dtype=tk.uint8)


BITS = (
    Task(
        "read_the_bits",
        "Read the bits",
        "A `float16` has 1 sign bit, 5 exponent bits (take 15 from them) and 10 mantissa bits.\n\n"
        "Worked: `0 10000 1000000000`. The sign is +, the exponent 16 - 15 = 1, the mantissa 1 + ½. "
        "So: +1 × 2¹ × 1.5 = **3**.\n\n"
        "Your turn: which number is `0 10001 0100000000`?",
        number_check(
            5,
            slips=(
                Slip(
                    "bits are not the value", "the exponent is 17 - 15 = 2: that doubles once more.", given=3
                ),
                Slip(
                    "bits are not the value",
                    "you left the leading 1 out: the mantissa is 1 + ¼, not ¼.",
                    given=1,
                ),
                Slip(
                    "bits are not the value",
                    "the second mantissa bit counts ¼; the first would be ½.",
                    given=6,
                ),
                Slip("bits are not the value", "that is 2² alone: the mantissa is 1 + ¼.", given=4),
                Slip(
                    "bits are not the value", "take 15 from the exponent's bits: 17 - 15 = 2.", given=163840
                ),
            ),
        ),
        (
            "Cut it into sign, exponent and mantissa. The bits 10001 are 17.",
            "The exponent is 17 - 15 = 2. The mantissa bits after the leading 1 count ½, ¼, ⅛, …",
            "2² × (1 + ¼)",
        ),
        "2**2 * (1 + 0.25)  # 5",
        stage="worked",
        entry="3",
        right=(
            lambda tk, t: 5,
            lambda tk, t: "5",
            lambda tk, t: "5.0",
            lambda tk, t: "2**2 * (1 + 1/4)",
            lambda tk, t: 2**2 * (1 + 1 / 4),
            lambda tk, t: tk.tensor([0b0_10001_0100000000], dtype=tk.int16).view(tk.float16)[0].long(),
        ),
        wrong=(
            (lambda tk, t: 1, "bits are not the value"),
            (lambda tk, t: 6, "bits are not the value"),
            (lambda tk, t: 4, "bits are not the value"),
            (lambda tk, t: "2.5", ""),
            (lambda tk, t: 7, ""),
        ),
    ),
    Task(
        "wrap_by_hand",
        "Wrap by hand",
        "`int8` goes from -128 to 127. What is `tk.tensor(200).to(tk.int8)`? Work it out first: the eight bits of "
        "200 are `11001000`, and in an `int8` the first bit counts -128.",
        number_check(
            -56,
            slips=(
                Slip("integers wrap", "an `int8` ends at 127.", given=200),
                Slip(
                    "integers wrap",
                    "it does not stop at the end: the bits stay, and the first one counts -128.",
                    given=127,
                ),
                Slip("integers wrap", "the first bit counts -128, but the others still count.", given=-128),
                Slip("integers wrap", "the first bit is no mere sign: it counts -128.", given=-72),
                Slip("integers wrap", "take 256 away, not 255.", given=-55),
            ),
        ),
        (
            "Which bits are set? The first, the second, and the fifth.",
            "They count -128, 64 and 8.",
            "-128 + 64 + 8, which is also 200 - 256.",
        ),
        "-128 + 64 + 8  # -56",
        entry="200",
        right=(
            lambda tk, t: -56,
            lambda tk, t: "-56",
            lambda tk, t: 200 - 256,
            lambda tk, t: tk.tensor(200).to(tk.int8),
        ),
        wrong=(
            (lambda tk, t: 127, "integers wrap"),
            (lambda tk, t: -72, "integers wrap"),
            (lambda tk, t: -128, "integers wrap"),
            (lambda tk, t: 56, ""),
        ),
    ),
)


CODE = (
    Task(
        "difference",
        "What changed between two images?",
        "`t` holds two rows of an image's bytes, `uint8`: (200, 10, 90) and (50, 30, 90). Give `t[0]` minus `t[1]` "
        "as it really is, (150, -20, 0), in any dtype that can hold it.\n\n    change = ___",
        tensor_check(
            size=(3,),
            values=(150, -20, 0),
            slips=(
                Slip(
                    "integers wrap",
                    "10 - 30 became 236: below 0, a `uint8` goes on at 255. Cast **before** you subtract.",
                    behaves=(
                        lambda t: t[0] - t[1],
                        lambda t: (t[0] - t[1]).int(),
                        lambda t: (t[0] - t[1]).long(),
                        lambda t: (t[0] - t[1]).float(),
                    ),
                ),
                Slip(
                    "integers wrap",
                    "150 became -106: `int8` ends at 127. Take a wider dtype.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (-106, -20, 0),
                ),
                Slip(
                    "integers wrap",
                    "the sign is lost: the second number is -20.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (150, 20, 0),
                ),
                Slip(
                    "counting from zero",
                    "that is `t[1]` minus `t[0]`: the first row has the number 0.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (-150, 20, 0),
                ),
            ),
        ),
        (
            "Which numbers can a `uint8` hold? And the difference of two of them?",
            "The difference lies between -255 and 255. Cast both rows first, then subtract.",
            "`t.int()` is wide enough: `t.int()[0] - t.int()[1]`",
        ),
        "change = t.int()[0] - t.int()[1]",
        stage="free",
        base=_pair,
        right=(
            lambda tk, t: t.int()[0] - t.int()[1],
            lambda tk, t: t[0].to(tk.int16) - t[1],
            lambda tk, t: t[0].float() - t[1].float(),
        ),
        wrong=(
            (lambda tk, t: t[0] - t[1], "integers wrap"),
            (lambda tk, t: (t[0] - t[1]).int(), "integers wrap"),
            (lambda tk, t: t[0].to(tk.int8) - t[1].to(tk.int8), "integers wrap"),
            (lambda tk, t: t.int()[1] - t.int()[0], "counting from zero"),
            (lambda tk, t: t.int()[0] + t.int()[1], ""),
        ),
    ),
)


TASKS = (
    *BITS,
    *CODE,
)
