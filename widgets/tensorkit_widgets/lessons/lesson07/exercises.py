"""The exercises of lesson 07, with the solutions and slips that prove their checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import choice_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, read
from tensorkit_widgets.practice.kinds import Task


def _prices(tk: Any) -> Any:
    return tk.tensor([19.99, 0.29, 4.35], dtype=tk.float64)


def _scores(*ages: int) -> Any:
    exact = tensorkit.tensor(ages).double()
    return (exact - exact.mean()) / exact.std()


def _bytes(one: list[int], other: list[int]) -> Callable[[], tuple[object, ...]]:
    """Two rows of bytes, made fresh for every call."""
    return lambda: tuple(tensorkit.tensor(row, dtype=tensorkit.uint8) for row in (one, other))


def _row(_given: tuple[Any, ...], made: Any) -> object:
    facts = read(made)
    return facts.dtype, facts.size, facts.values


def _not_the_row(seen: Any) -> str:
    dtype, size, values = seen
    wanted = "" if dtype == "int32" else " It should be `int32`."
    return f"yours is a tensor of `{dtype}` and of size {size}, and it holds {list(values)}.{wanted}"


BITS = (
    Task(
        "which_dtype",
        "Which dtype comes out?",
        "`a` is an `int32` tensor, `b` a `bool` tensor, `c` a `float16` tensor, all of size (3,).\n\n"
        "Worked: `b + 1 + c`. First comes `b + 1`, a `bool` tensor and a Python integer. Integer is the higher "
        "category, so you get the default integer, `int64`. Then `int64` meets `float16`. Float is higher, so the "
        "result is **float16**.\n\n"
        "Your turn: which dtype does `a * 0.5 + b + c` have? Give its name, such as `int32`.",
        choice_check(
            "float32",
            slips=(
                Slip(
                    "category before width",
                    "`a * 0.5` comes first: an integer tensor with a Python float is `float32`, wider than `c`.",
                    given="float16",
                ),
                Slip("category before width", "a float takes part, and floats beat integers.", given="int32"),
                Slip("category before width", "a float takes part, and floats beat integers.", given="int64"),
                Slip(
                    "default dtype",
                    "a Python number never widens; it only turns the integers into floats.",
                    given="float64",
                ),
                Slip("category before width", "`bool` is the lowest of all.", given="bool"),
            ),
            hint="give the name of one dtype, such as `int32`, and go step by step: `a * 0.5` comes first.",
        ),
        (
            "Go step by step, from the left: `a * 0.5` first.",
            "An integer tensor and a Python float: the default float dtype.",
            "`float32`; then `bool` changes nothing, and `float16` is narrower.",
        ),
        "'float32'",
        stage="worked",
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
            (lambda tk, t: "int64", "category before width"),
            (lambda tk, t: "int16", ""),
        ),
    ),
)


CODE = (
    Task(
        "one_number",
        "One whole number",
        "Make a tensor of no dimensions that holds the number 7, as an `int64`.\n\n    seven = tk.___",
        tensor_check(
            size=(),
            dtype="int64",
            values=7,
            slips=(
                Slip(
                    "`Tensor` vs `tensor`",
                    "that has the *size* 7: seven numbers, not one. `Tensor(7)` takes the 7 as a size.",
                    size=(7,),
                ),
                Slip(
                    "`Tensor` vs `tensor`",
                    "`Tensor([7])` makes `float32` of everything, and the brackets give it a dimension.",
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
            "`tk.tensor(7)`",
        ),
        "seven = tk.tensor(7)",
        stage="faded",
        right=(
            lambda tk, t: tk.tensor(7),
            lambda tk, t: tk.tensor([7])[0],
            lambda tk, t: tk.full((), 7),
            lambda tk, t: tk.Tensor([7]).long().squeeze(),
        ),
        wrong=(
            (lambda tk, t: tk.Tensor(7), "`Tensor` vs `tensor`"),
            (lambda tk, t: tk.Tensor([7]), "`Tensor` vs `tensor`"),
            (lambda tk, t: tk.tensor(7.0), "default dtype"),
            (lambda tk, t: tk.tensor([7]), "brackets are dimensions"),
            (lambda tk, t: tk.tensor(4), ""),
        ),
    ),
    Task(
        "to_cents",
        "From euros to cents",
        "`t = tk.tensor([19.99, 0.29, 4.35], dtype=tk.float64)` holds prices in euros. Give them in cents, 1999, 29 "
        "and "
        "435, as an `int64` tensor.\n\n"
        "    cents = ___",
        tensor_check(
            size=(3,),
            dtype="int64",
            values=(1999, 29, 435),
            slips=(
                Slip(
                    "a cast drops the fraction",
                    "each of them is a cent short: 19.99 × 100 is 1998.9999999999998, and the cast dropped the "
                    "fraction.",
                    behaves=(
                        lambda t: (t * 100).long(),
                        lambda t: (t * 100).int(),
                        lambda t: (t * 100).floor().long(),
                        lambda t: (t * 100).floor(),
                    ),
                ),
                Slip(
                    "a cast drops the fraction",
                    "the cast came first, and dropped all the cents.",
                    behaves=(lambda t: t.long() * 100, lambda t: t.int() * 100),
                ),
                Slip(
                    "a cast drops the fraction",
                    "these are whole euros: multiply first, then round.",
                    behaves=(lambda t: t.round().long() * 100, lambda t: t.round() * 100),
                ),
                Slip(
                    "`.to()` returns",
                    "the numbers are right, but they are still floats. A cast leaves the tensor as it was and "
                    "returns another: keep that one.",
                    behaves=lambda t: (t * 100).round(),
                ),
                Slip(
                    "`.to()` returns",
                    "that is `t` as it was. An operation leaves the tensor alone and returns another: keep that one.",
                    behaves=lambda t: t,
                ),
            ),
        ),
        (
            "Print `(t * 100).tolist()`. What would a cast make of these?",
            "Three things, in the right order: multiply, find the nearest whole number, change the dtype.",
            "`(t * 100).round()` is whole; then cast it.",
        ),
        "cents = (t * 100).round().long()",
        stage="free",
        base=_prices,
        right=(
            lambda tk, t: (t * 100).round().long(),
            lambda tk, t: tk.round(t * 100).to(tk.int64),
            lambda tk, t: (t * 100 + 0.5).long(),
        ),
        wrong=(
            (lambda tk, t: (t * 100).long(), "a cast drops the fraction"),
            (lambda tk, t: t.long() * 100, "a cast drops the fraction"),
            (lambda tk, t: t.round().long() * 100, "a cast drops the fraction"),
            (lambda tk, t: (t * 100).round(), "`.to()` returns"),
            (lambda tk, t: ((t * 100).long(), t)[1], "`.to()` returns"),
            (lambda tk, t: (t * 10).round().long(), ""),
            (lambda tk, t: (t * 100).round().int(), ""),
        ),
    ),
    Task(
        "the_bits_themselves",
        "The bits themselves",
        "`t = tk.tensor([0.5, -4.0])`. Give the `int32` tensor that reads **the same bits**, without copying "
        "them.\n\n"
        "    bits = ___",
        tensor_check(
            size=(2,),
            dtype="int32",
            values=(0x3F000000, -0x3F800000),
            shares=True,
            slips=(
                Slip(
                    "bits are not the value",
                    "that is the same *number* in another dtype: 0.5 would be 0, and the bits of the float are not.",
                    behaves=(lambda t: t.int(), lambda t: t.long()),
                ),
                Slip(
                    "a copy is not a view",
                    "the bits are right, but they are copies: a write would not reach `t`.",
                    when=lambda answer, mine, base: (
                        mine is not None and mine.values == (0x3F000000, -0x3F800000)
                    ),
                    shares=False,
                ),
                Slip(
                    "bits are not the value",
                    "that is `t` itself. Read its bits as `int32`, which has as many of them.",
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
        base=lambda tk: tk.tensor([0.5, -4.0]),
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
    Task(
        "standard_scores",
        "How unusual is an age?",
        "`ages` holds the ages of thirty patients in whole years, `int64`. A *standard score* says how unusual each "
        "one is: "
        "its distance from the mean, divided by `std()`. Write it for any row of integers.\n\n"
        "    def standard_scores(ages):\n"
        "        return ...",
        function_check(
            Case(
                "of the ages 20, 30 and 41",
                lambda: (tensorkit.tensor([20, 30, 41]),),
                _scores(20, 30, 41),
            ),
            Case("of the ages 1, 2, 3 and 4", lambda: (tensorkit.tensor([1, 2, 3, 4]),), _scores(1, 2, 3, 4)),
            slips=(
                Slip(
                    "integer mean",
                    "your mean is a whole number: the fraction was dropped, and every score is a little off. Make "
                    "floats first, then take the mean.",
                    behaves=(
                        lambda ages: (ages - ages.sum() // ages.numel()) / ages.float().std(),
                        lambda ages: (ages - ages.float().mean().long()) / ages.float().std(),
                    ),
                ),
                Slip(
                    "a cast drops the fraction",
                    "a score is not a whole number: leave the result in floats.",
                    behaves=(
                        lambda ages: ((ages - ages.float().mean()) / ages.float().std()).long(),
                        lambda ages: ((ages - ages.float().mean()) / ages.float().std()).int(),
                    ),
                ),
                Slip(
                    "a cast drops the fraction",
                    "`//` gives whole numbers: divide with `/`.",
                    behaves=lambda ages: (ages - ages.float().mean()) // ages.float().std(),
                ),
                Slip(
                    "`.to()` returns",
                    "integers have neither a mean nor a `std`. A cast on a line of its own changes nothing: keep "
                    "what `float()` returns.",
                    behaves=lambda ages: (ages.float(), (ages - ages.mean()) / ages.std())[1],
                ),
            ),
        ),
        (
            "What do `ages.mean()` and `ages.std()` give?",
            "Turn the ages into floats once, at the beginning, and calculate with those.",
            "With `x = ages.float()`, the distance from the mean is `x - x.mean()`.",
        ),
        "def standard_scores(ages):\n    x = ages.float()\n    return (x - x.mean()) / x.std()",
        right=(
            lambda tk, t: lambda ages: (ages.float() - ages.float().mean()) / ages.float().std(),
            lambda tk, t: lambda ages: (ages - ages.double().mean()) / ages.double().std(),
            lambda tk, t: lambda ages: (ages - ages.sum() / ages.numel()) / ages.float().var() ** 0.5,
        ),
        wrong=(
            (
                lambda tk, t: lambda ages: (ages - ages.sum() // ages.numel()) / ages.float().std(),
                "integer mean",
            ),
            (lambda tk, t: lambda ages: (ages - ages.mean()) / ages.std(), "`.to()` returns"),
            (
                lambda tk, t: lambda ages: ((ages - ages.float().mean()) / ages.float().std()).int(),
                "a cast drops the fraction",
            ),
            (lambda tk, t: lambda ages: ages.float() - ages.float().mean(), ""),
            (lambda tk, t: lambda ages: ages.float(), ""),
        ),
    ),
    Task(
        "halfway",
        "Repair it: halfway between two photographs",
        "`halfway(a, b)` should give the number halfway between the two bytes in each place, rounded down, as an "
        "`int32` "
        "tensor. For the bytes 220 and 120 it gives 42. Repair it.\n\n"
        "    def halfway(a, b):\n"
        "        a.int()\n"
        "        b.int()\n"
        "        return (a + b) // 2",
        function_check(
            Case(
                "of 220, 10 and 120, 20",
                _bytes([220, 10], [120, 20]),
                ("int32", (2,), (170, 15)),
                _row,
                _not_the_row,
            ),
            Case(
                "of 255, 7 and 255, 10",
                _bytes([255, 7], [255, 10]),
                ("int32", (2,), (255, 8)),
                _row,
                _not_the_row,
            ),
            slips=(
                Slip(
                    "`.to()` returns",
                    "the sum is still one of bytes, and it wraps: 340 - 256 = 84. `a.int()` on a line of its own "
                    "changes nothing; it returns another tensor. Keep that one.",
                    behaves=lambda a, b: (a + b) // 2,
                ),
                Slip(
                    "integers wrap",
                    "the cast comes too late: the sum of the bytes had wrapped already.",
                    behaves=(lambda a, b: (a + b).int() // 2, lambda a, b: ((a + b) // 2).int()),
                ),
                Slip(
                    "category before width",
                    "`/` gives floats: for whole numbers there is `//`.",
                    behaves=lambda a, b: (a.int() + b.int()) / 2,
                ),
            ),
        ),
        (
            "What does `a.int()` change? Print `a.dtype` before and after that line.",
            "`int()` gives another tensor. Where do you keep it?",
            "Either `a = a.int()`, or `a.int()` in the sum itself. One of the two is enough: the sum promotes.",
        ),
        "def halfway(a, b):\n    return (a.int() + b.int()) // 2",
        right=(
            lambda tk, t: lambda a, b: (a.int() + b.int()) // 2,
            lambda tk, t: lambda a, b: (a.int() + b) // 2,
            lambda tk, t: lambda a, b: ((a.float() + b.float()) / 2).to(tensorkit.int32),
        ),
        wrong=(
            (lambda tk, t: lambda a, b: (a.int(), b.int(), (a + b) // 2)[2], "`.to()` returns"),
            (lambda tk, t: lambda a, b: (a + b).int() // 2, "integers wrap"),
            (lambda tk, t: lambda a, b: (a.int() + b.int()) / 2, "category before width"),
            (lambda tk, t: lambda a, b: a.int() // 2 + b.int() // 2, ""),
            (lambda tk, t: lambda a, b: a.int() + b.int(), ""),
        ),
    ),
)


TASKS = (
    *BITS,
    *CODE,
)
