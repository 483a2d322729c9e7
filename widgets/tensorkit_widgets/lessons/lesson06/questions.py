"""The questions of lesson 06, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question


def _name(dtype: Any) -> str:
    return f"`{str(dtype).rpartition('.')[2]}`"


_BIG = (1000, 2000, 30000, 60000, 70000, 90000)


def _bits_of_one(tk: Any) -> Any:
    """The sixteen bits of 1.0, one in each slot: sign, exponent, mantissa."""
    return tk.tensor([0, 0, 1, 1, 1, 1, *[0] * 10])


def _slot_of_a_half(tk: Any) -> int:
    """The one of the sixteen places whose bit makes 1.5 of 1.0."""
    bits = tk.tensor([1.0], dtype=tk.float16).view(tk.int16).item()
    half = tk.tensor([1.5], dtype=tk.float16).view(tk.int16).item()
    [slot] = [slot for slot in range(16) if bits ^ half == 1 << (15 - slot)]
    return slot


def _numbers(t: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in t.tolist())


KINDS = (
    Question(
        "mixed_list",
        "Which dtype does `tk.tensor([1, 2.5, True])` have?",
        "`float32`",
        "One dtype for all: the float decides, and a float is `float32` unless you say otherwise.",
        options=("`bool`", "`int64`", "`float32`", "`float64`"),
        slips=(
            Slip("category before width", "It could not hold 2.5.", given="`bool`"),
            Slip("category before width", "It could not hold 2.5.", given="`int64`"),
            Slip("default dtype", "That is what NumPy and Python itself use.", given="`float64`"),
        ),
        proof=lambda tk: _name(tk.tensor([1, 2.5, True]).dtype),
    ),
    Question(
        "same_bits",
        "Are the bits the number? `x = tk.tensor([1.0])` has the bits 0 01111111 000…. What does `x.view(tk.int32)` "
        "show?",
        "A large number",
        "The bits stay as they are, and an integer is read from them by another rule: 127 times 2²³.",
        options=("1", "0", "A large number"),
        slips=(
            Slip(
                "bits are not the value", "That would be `x.to(tk.int32)`, which makes new bits.", given="1"
            ),
            Slip(
                "bits are not the value",
                "Zero would have no bit set, and here seven bits are set.",
                given="0",
            ),
        ),
        proof=lambda tk: "A large number" if tk.tensor([1.0]).view(tk.int32).item() > 10**9 else "1",
    ),
)


FLOATS = (
    Question(
        "one_and_a_half",
        "Here are the sixteen bits of 1.0 as a `float16`: one for the sign, five for the exponent, ten for the "
        "mantissa. Which one bit do you flip to make it 1.5? Press it.",
        6,
        "1.5 is 1 + ½, and the first of the ten mantissa bits counts ½: the sign is in slot 0, the exponent in 1 "
        "to 5.",
        slips=(
            Slip("bits are not the value", "That is the sign: it gives -1.", given=0),
            Slip(
                "bits are not the value",
                "That is the highest bit of the exponent: with it, the exponent is all ones, and the number `inf`.",
                given=1,
            ),
            Slip("bits are not the value", "That is the lowest bit of the exponent: it gives 0.5.", given=5),
            *(
                Slip(
                    "bits are not the value",
                    "That is a bit of the exponent: without it the power is far smaller, and the mantissa still 1.",
                    given=slot,
                )
                for slot in (2, 3, 4)
            ),
            Slip("bits are not the value", "That mantissa bit counts ¼; the first one counts ½.", given=7),
            Slip(
                "bits are not the value",
                "The lowest bit of the mantissa counts 1/1024. The highest comes first.",
                given=15,
            ),
            *(
                Slip(
                    "bits are not the value",
                    "That mantissa bit counts less than ¼: the highest comes first, and counts ½.",
                    given=slot,
                )
                for slot in range(8, 15)
            ),
        ),
        proof=_slot_of_a_half,
        picture=_bits_of_one,
        pick="slot",
    ),
    Question(
        "plus_one",
        "`x = tk.tensor(2048.0, dtype=tk.float16)`. Here are six neighbouring `float16` numbers around it: there "
        "is no other between them. Press the one that `x + 1` gives, or type it.",
        (2048,),
        "2049 is exactly halfway between 2048 and 2050, and then the one whose last bit is 0 is taken.",
        slips=(
            Slip(
                "floats have gaps",
                "There is no such `float16`: 2049 has 12 digits in base two, and a `float16` has 11.",
                given=(2049,),
            ),
            Slip(
                "floats have gaps",
                "2048 is just as near. Halfway between two, the one whose last bit is 0 is taken.",
                given=(2050,),
            ),
            Slip(
                "floats have gaps",
                "A sum never comes out below `x`: 2049 is not nearer to 2047.",
                given=(2047,),
            ),
        ),
        proof=lambda tk: ((tk.tensor(2048.0, dtype=tk.float16) + 1).item(),),
        picture=lambda tk: tk.tensor([2046.0, 2047.0, 2048.0, 2050.0, 2052.0, 2054.0], dtype=tk.float16),
        pick="cells",
    ),
    Question(
        "half_overflow",
        "Here is a `float32` tensor, `big`. Press each number that `big.half()` turns into `inf`.",
        (70000, 90000),
        "The largest exponent that is not all ones is 30 - 15 = 15. So `float16` ends just below 2¹⁶, at 65504.",
        slips=(
            Slip(
                "range is not precision",
                "60000 is below 2¹⁶ = 65536, and an exponent of 15 is still a power.",
                given=(60000, 70000, 90000),
            ),
            Slip(
                "range is not precision",
                "30000 is well inside the range: `float16` ends at 65504.",
                given=_BIG[2:],
            ),
            Slip("range is not precision", "70000 is more than 2¹⁶ = 65536.", given=(90000,)),
            Slip(
                "range is not precision",
                "Ten mantissa bits say how fine the steps are, not how far they reach.",
                given=_BIG[1:],
            ),
        ),
        proof=lambda tk: tuple(n for n in _BIG if tk.tensor(float(n)).half().isinf().item()),
        picture=lambda tk: tk.tensor(_BIG).float(),
        pick="cells",
    ),
)


CASTS = (
    Question(
        "wrap",
        "`p = tk.tensor([200, 100], dtype=tk.uint8)` holds two bytes of an image, each from 0 to 255. What is `p + "
        "100`? (Two numbers.)",
        (44, 200),
        "300 needs nine bits. Eight are kept: 300 - 256 = 44.",
        slips=(
            Slip("integers wrap", "A `uint8` ends at 255.", given=(300, 200)),
            Slip("integers wrap", "It does not stop at the end: it begins again at 0.", given=(255, 200)),
            Slip(
                "integers wrap",
                "That is the wrong way round: the result of 200 + 100 comes first.",
                given=(200, 44),
            ),
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
