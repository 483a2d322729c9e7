"""The exercises of lesson 06, with the solutions and slips that prove their checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import choice_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, read
from tensorkit_widgets.practice.kinds import Task


def _pair(tk: Any) -> Any:
    """Two rows of an image's bytes."""
    return tk.tensor([[230, 25, 90], [60, 45, 90]], dtype=tk.uint8)


def _bytes(rows: list[list[int]]) -> Callable[[], tuple[object, ...]]:
    """A small image, made fresh for every call."""
    return lambda: (tensorkit.tensor(rows, dtype=tensorkit.uint8),)


def _picture(given: tuple[Any, ...], made: Any) -> object:
    """What is looked at after the call: the dtype and the bytes of the new image, and whether the old one is "
    "whole."""
    facts = read(made)
    return facts.dtype, facts.size, facts.values, given[0].sum().item()


def _not_the_picture(seen: Any) -> str:
    dtype, size, values, _ = seen
    return f"yours is of dtype `{dtype}` and size {size}, and it holds {list(values)}."


def _coins(*coins: float, price: float) -> Callable[[], tuple[object, ...]]:
    return lambda: (tensorkit.tensor(coins, dtype=tensorkit.float64), price)


BITS = (
    Task(
        "read_the_bits",
        "Read the bits",
        "A `float16` has 1 sign bit, 5 exponent bits (subtract 15 from their number) and 10 mantissa bits.\n\n"
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
                    "bits are not the value",
                    "subtract 15 from the exponent's bits: 17 - 15 = 2.",
                    given=163840,
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
        "fill_the_exponent",
        "Fill in the exponent",
        "Now the other way round: write 20 as a `float16`. It is +1.25 × 2⁴, so the sign bit is 0, and only the "
        "mantissa bit that counts ¼ is set. Which five bits are missing?\n\n"
        "    0 _____ 0100000000",
        choice_check(
            "10011",
            slips=(
                Slip(
                    "bits are not the value",
                    "that is 4 itself: the bits hold 15 more than that.",
                    given="00100",
                ),
                Slip(
                    "bits are not the value",
                    "add 15 here; you subtract it when you read the bits.",
                    given="01011",
                ),
                Slip(
                    "bits are not the value",
                    "15 + 4 is 19; these bits are 20, the number itself.",
                    given="10100",
                ),
                Slip("bits are not the value", "these bits are 18: that gives 10.", given="10010"),
                Slip(
                    "bits are not the value",
                    "that is back to front: the highest bit comes first.",
                    given="11001",
                ),
                Slip(
                    "bits are not the value",
                    "that is the right number. Now write it in base two.",
                    given="19",
                ),
            ),
            hint="five bits, such as 01111.",
        ),
        (
            "Which power of two is in front of 1.25, and what is added to it in the bits of a `float16`?",
            "4 + 15 = 19. In base two that is 16 + 2 + 1.",
            "The bits that count 16, 2 and 1 are set, those that count 8 and 4 are not.",
        ),
        "'10011'  # 16 + 2 + 1 = 19 = 4 + 15",
        stage="faded",
        entry="01111",
        right=(
            lambda tk, t: "10011",
            lambda tk, t: " 1 0011 ",
            lambda tk, t: f"{4 + 15:05b}",
            lambda tk, t: f"{tk.tensor([20.0], dtype=tk.half).view(tk.int16).item():016b}"[1:6],
        ),
        wrong=(
            (lambda tk, t: "00100", "bits are not the value"),
            (lambda tk, t: "01011", "bits are not the value"),
            (lambda tk, t: "10100", "bits are not the value"),
            (lambda tk, t: "11001", "bits are not the value"),
            (lambda tk, t: "19", "bits are not the value"),
            (lambda tk, t: "11111", ""),
        ),
    ),
    Task(
        "wrap_by_hand",
        "Wrap by hand",
        "`int8` goes from -128 to 127. What is `tk.tensor(155).to(tk.int8)`? Work it out first: the eight bits of "
        "155 are `10011011`, and in an `int8` the first bit counts -128.",
        number_check(
            -101,
            slips=(
                Slip("integers wrap", "an `int8` ends at 127.", given=155),
                Slip(
                    "integers wrap",
                    "it does not stop at the end: the bits stay, and the first one counts -128.",
                    given=127,
                ),
                Slip("integers wrap", "the first bit counts -128, but the others still count.", given=-128),
                Slip("integers wrap", "the first bit is not a mere sign: it counts -128.", given=-27),
                Slip("integers wrap", "the first bit counts as well, and it counts -128.", given=27),
                Slip(
                    "integers wrap",
                    "the right number without its sign: the first bit counts **minus** 128.",
                    given=101,
                ),
                Slip("integers wrap", "subtract 256, not 255.", given=-100),
            ),
        ),
        (
            "Which bits are set? The first, the fourth, the fifth and the last two.",
            "They count -128, 16, 8, 2 and 1.",
            "-128 + 16 + 8 + 2 + 1, which is also 155 - 256.",
        ),
        "-128 + 16 + 8 + 2 + 1  # -101",
        entry="155",
        right=(
            lambda tk, t: -101,
            lambda tk, t: "-101",
            lambda tk, t: 155 - 256,
            lambda tk, t: tk.tensor(155).to(tk.int8),
        ),
        wrong=(
            (lambda tk, t: 127, "integers wrap"),
            (lambda tk, t: -27, "integers wrap"),
            (lambda tk, t: 101, "integers wrap"),
            (lambda tk, t: -128, "integers wrap"),
            (lambda tk, t: 56, ""),
        ),
    ),
)


CODE = (
    Task(
        "difference",
        "What changed between two images?",
        "`t` holds two rows of an image's bytes, `uint8`: (230, 25, 90) and (60, 45, 90). Give `t[0]` minus `t[1]` "
        "as it really is, (170, -20, 0), in any dtype that can hold it.\n\n    change = ___",
        tensor_check(
            size=(3,),
            values=(170, -20, 0),
            slips=(
                Slip(
                    "integers wrap",
                    "25 - 45 became 236: below 0, a `uint8` continues at 255. Cast **before** you subtract.",
                    behaves=(
                        lambda t: t[0] - t[1],
                        lambda t: (t[0] - t[1]).int(),
                        lambda t: (t[0] - t[1]).long(),
                        lambda t: (t[0] - t[1]).float(),
                    ),
                ),
                Slip(
                    "integers wrap",
                    "170 became -86: `int8` ends at 127. Take a wider dtype.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (-86, -20, 0),
                ),
                Slip(
                    "integers wrap",
                    "the sign is lost: the second number is -20.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (170, 20, 0),
                ),
                Slip(
                    "counting from zero",
                    "that is `t[1]` minus `t[0]`: the first row has the number 0.",
                    when=lambda answer, mine, base: mine is not None and mine.values == (-170, 20, 0),
                ),
            ),
        ),
        (
            "Which numbers can a `uint8` hold? Can it hold the difference of two of them?",
            "The difference is between -255 and 255. Cast both rows first, then subtract.",
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
    Task(
        "brighter",
        "A photograph in the sun",
        "Adding 90 to every byte of a photograph should make it brighter. The picture below shows what happens: "
        "the bright places have turned dark. Write `brighter(photo)` so that it is right, for any `uint8` tensor: "
        "90 is added to every byte, whatever would be more than 255 becomes 255, and the result is `uint8` again. "
        "(`clamp(max=255)` cuts at 255.)\n\n"
        "    def brighter(photo):\n"
        "        return ...",
        function_check(
            Case(
                "of the bytes 0, 120, 180 and 255",
                _bytes([[0, 120], [180, 255]]),
                ("uint8", (2, 2), (90, 210, 255, 255), 555),
                _picture,
                _not_the_picture,
            ),
            Case(
                "of one row, 10, 165 and 166",
                _bytes([[10, 165, 166]]),
                ("uint8", (1, 3), (100, 255, 255), 341),
                _picture,
                _not_the_picture,
            ),
            slips=(
                Slip(
                    "integers wrap",
                    "the brightest places turned dark: 180 + 90 is 270, and a byte keeps 270 - 256 = 14.",
                    behaves=(
                        lambda photo: photo + 90,
                        lambda photo: (photo.int() + 90).byte(),
                        lambda photo: photo.add_(90),
                    ),
                ),
                Slip(
                    "integers wrap",
                    "the cut came too late: a byte is never more than 255, and 180 + 90 had become 14 already. Make "
                    "room before you add.",
                    behaves=(
                        lambda photo: (photo + 90).clamp(max=255).int(),
                        lambda photo: (photo + 90).float().clamp(max=255),
                        lambda photo: (photo + 90).int(),
                    ),
                ),
                Slip(
                    "integers wrap",
                    "the numbers exceed 255: there is room for them now, but they still have to be cut.",
                    behaves=(
                        lambda photo: photo.int() + 90,
                        lambda photo: photo.long() + 90,
                        lambda photo: photo.float() + 90,
                    ),
                ),
                Slip(
                    "",
                    "the numbers are right. Now make bytes of them again: the result should be `uint8`.",
                    behaves=(
                        lambda photo: (photo.int() + 90).clamp(max=255),
                        lambda photo: (photo.long() + 90).clamp(max=255),
                        lambda photo: (photo.float() + 90).clamp(max=255),
                    ),
                ),
                Slip(
                    "a slice aliases its base",
                    "the bytes are right, but the photo that you were given has changed as well.",
                    behaves=lambda photo: photo.copy_((photo.int() + 90).clamp(max=255)),
                ),
            ),
        ),
        (
            "A byte has no room for 270. What kind of number has room for it?",
            "Cast to something wider, then add, then cut at 255, and last make bytes again.",
            "`photo.int() + 90` has the room; `.clamp(max=255)` and then `.byte()` do the rest.",
        ),
        "def brighter(photo):\n    return (photo.int() + 90).clamp(max=255).byte()",
        right=(
            lambda tk, t: lambda photo: (photo.int() + 90).clamp(max=255).byte(),
            lambda tk, t: lambda photo: photo.clamp(max=165) + 90,
            lambda tk, t: lambda photo: (photo.float() + 90).clamp(0, 255).to(photo.dtype),
        ),
        wrong=(
            (lambda tk, t: lambda photo: photo + 90, "integers wrap"),
            (lambda tk, t: lambda photo: (photo + 90).clamp(max=255), "integers wrap"),
            (lambda tk, t: lambda photo: photo.int() + 90, "integers wrap"),
            (lambda tk, t: lambda photo: (photo.int() + 90).clamp(max=255), ""),
            (
                lambda tk, t: lambda photo: photo.copy_((photo.int() + 90).clamp(max=255)),
                "a slice aliases its base",
            ),
            (lambda tk, t: lambda photo: photo, ""),
        ),
    ),
    Task(
        "exactly",
        "Repair the till",
        "`exactly(coins, price)` should say whether the coins, a `float64` tensor, add up to the price. For three "
        "coins of 0.1 and a price of 0.3 it gives False. Repair it. (A cent too much or too little is not "
        "exact.)\n\n"
        "    def exactly(coins, price):\n"
        "        return coins.sum() == price",
        function_check(
            Case("of three coins of 0.1, for 0.3", _coins(0.1, 0.1, 0.1, price=0.3), True),
            Case("of two coins of 0.1, for 0.3", _coins(0.1, 0.1, price=0.3), False),
            Case("of ten coins of 0.1, for 1", _coins(*[0.1] * 10, price=1.0), True),
            Case("of 100 and 0.01, for 100", _coins(100.0, 0.01, price=100.0), False),
            Case("of 0.5 and 0.25, for 0.75", _coins(0.5, 0.25, price=0.75), True),
            slips=(
                Slip(
                    "floats have gaps",
                    "three times 0.1 is 0.30000000000000004: a tenth is rounded, and so is each sum. Two floats that "
                    "should be equal are **close**.",
                    behaves=lambda coins, price: coins.sum() == price,
                ),
                Slip(
                    "floats have gaps",
                    "another dtype has gaps in other places: in `float32` ten times 0.1 is 1.0000001192092896.",
                    behaves=lambda coins, price: coins.float().sum() == price,
                ),
                Slip(
                    "floats have gaps",
                    "that is too generous: 100.01 is a cent more than 100. Close means much closer than a cent.",
                    behaves=(
                        lambda coins, price: coins.sum().round() == round(price),
                        lambda coins, price: abs(coins.sum() - price) < 1,
                        lambda coins, price: int(coins.sum()) == int(price),
                    ),
                ),
                Slip(
                    "floats have gaps",
                    "that is *at least*: 100.01 is more than 100, and not exact.",
                    behaves=lambda coins, price: coins.sum() > price - 1e-6,
                ),
            ),
        ),
        (
            "Print `coins.sum().item()` for three coins of 0.1. How far is it from 0.3?",
            "Floats are rounded, so check that two of them are close, and not that they are equal.",
            "`tk.isclose` takes two tensors; `abs(a - b) < 1e-6` does it as well.",
        ),
        "def exactly(coins, price):\n    return abs(coins.sum() - price) < 1e-6",
        right=(
            lambda tk, t: lambda coins, price: abs(coins.sum() - price) < 1e-6,
            lambda tk, t: lambda coins, price: tensorkit.isclose(coins.sum(), coins.new_tensor(price)),
            lambda tk, t: lambda coins, price: round(coins.sum().item(), 4) == round(price, 4),
            lambda tk, t: lambda coins, price: (coins * 100).round().sum() == round(price * 100),
        ),
        wrong=(
            (lambda tk, t: lambda coins, price: coins.sum() == price, "floats have gaps"),
            (lambda tk, t: lambda coins, price: coins.sum().item() == price, "floats have gaps"),
            (lambda tk, t: lambda coins, price: coins.float().sum() == price, "floats have gaps"),
            (lambda tk, t: lambda coins, price: abs(coins.sum() - price) < 0.5, "floats have gaps"),
            (lambda tk, t: lambda coins, price: coins.sum() - price >= -0.001, "floats have gaps"),
            (lambda tk, t: lambda coins, price: False, ""),
        ),
    ),
)


TASKS = (
    *BITS,
    *CODE,
)
