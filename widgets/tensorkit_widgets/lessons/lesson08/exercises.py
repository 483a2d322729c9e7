"""The exercises of lesson 08, with the solutions and slips that prove their checks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import (
    Checker,
    choice_check,
    number_check,
    plain_check,
    tensor_check,
)  # fmt: skip
from tensorkit_widgets.practice.checking.functions import Case, function_check, seen
from tensorkit_widgets.practice.checking.typed import number_in
from tensorkit_widgets.practice.facts import Answer, Slip, Unreadable, Verdict, is_tensor, read
from tensorkit_widgets.practice.kinds import Task

POSITION = "a seed is a position"
BLOCKS = "randn works in blocks"
DISTURBS = "a seed disturbs others"
TWO_ORDERS = "two draws are two orders"
FENCE = "a ruler has one mark more"


# ---- what a learner's function does to the generator that all share


def _libraries() -> list[Any]:
    """tensorkit, and PyTorch where a learner uses it."""
    return [sys.modules[name] for name in ("tensorkit", "torch") if name in sys.modules]


def _states() -> list[Any]:
    return [library.get_rng_state() for library in _libraries()]


def _put_back(states: list[Any]) -> None:
    for library, state in zip(_libraries(), states, strict=True):
        library.set_rng_state(state)


def _undisturbed(check: Checker) -> Checker:
    """The same check: whatever the learner's code seeds and draws, the notebook's own stream goes on as before."""

    def judge(answer: Answer) -> Verdict:
        before = _states()
        try:
            return check.judge(answer)
        finally:
            _put_back(before)

    return Checker(judge, check.slips)


def _drawn_before(count: int) -> None:
    """A stream of which some numbers were read already."""
    for library in _libraries():
        library.manual_seed(11)
        library.rand(count)


_BEFORE: list[list[Any]] = [[]]


def _called_after(count: int, *arguments: object) -> Callable[[], tuple[object, ...]]:
    def make() -> tuple[object, ...]:
        _drawn_before(count)
        _BEFORE[0] = _states()
        return arguments

    return make


def _moved() -> bool:
    pairs = zip(_BEFORE[0], _states(), strict=True)
    return any(not before.equal(now) for before, now in pairs)


def _noise_of(n: int, seed: int) -> Any:
    return tk.rand(n, generator=tk.Generator().manual_seed(seed))


def _told_of_noise(found: Any) -> str:
    if found[0] is None:
        return "your function returned nothing. Is a `return` missing?"
    if found[1]:
        return "the caller's stream has moved: its next number is another one than without your call."
    return "these are not the `n` numbers of this seed, in one row."


def _noise_case(says: str, drawn: int, n: int, seed: int) -> Case:
    return Case(
        says, _called_after(drawn, n, seed), (_noise_of(n, seed), False), lambda _, got: (seen(got), _moved()),
        _told_of_noise,
    )  # fmt: skip


def _seeded(n: int, seed: int) -> Any:
    tk.manual_seed(seed)
    return tk.rand(n)


def _seeded_back(n: int, seed: int) -> Any:
    made = _seeded(n, seed)
    tk.manual_seed(11)
    return made


def _forked(tk: Any) -> Callable[[int, int], Any]:
    def noise(n: int, seed: int) -> Any:
        with tk.random.fork_rng():
            tk.manual_seed(seed)
            return tk.rand(n)

    return noise


def _kept(tk: Any) -> Callable[[int, int], Any]:
    def noise(n: int, seed: int) -> Any:
        state = tk.get_rng_state()
        tk.manual_seed(seed)
        made = tk.rand(n)
        tk.set_rng_state(state)
        return made

    return noise


NOISE = _undisturbed(
    function_check(
        _noise_case("called first", 0, 3, 5),
        _noise_case("called after other draws", 4, 3, 5),
        _noise_case("called with another seed", 1, 20, 6),
        slips=(
            Slip(
                DISTURBS,
                "the numbers are right, but `manual_seed` sets back the generator that all of the notebook reads. "
                "The caller's next numbers have changed. Make a `Generator` of your own.",
                behaves=_seeded,
            ),
            Slip(
                POSITION,
                "these are the next numbers of the shared stream, so they depend on what was drawn before. The "
                "`seed` was not used: make a generator of your own, and hand it to the call as `generator=`.",
                behaves=lambda n, seed: tk.rand(n),
            ),
            Slip(
                POSITION,
                "you made a generator of your own, but without the seed: it gives the same numbers for every `seed`.",
                behaves=(
                    lambda n, seed: tk.rand(n, generator=tk.Generator()),
                    lambda n, seed: tk.rand(n, generator=tk.Generator().manual_seed(0)),
                ),
            ),
            Slip(
                "",
                "those are normal numbers; `rand` gives numbers from 0 to 1.",
                behaves=lambda n, seed: tk.randn(n, generator=tk.Generator().manual_seed(seed)),
            ),
        ),
    )
)


# ---- two sets without a row in common


def _rows(value: Any) -> list[int]:
    rows = read(value).values if is_tensor(value) else value
    if not isinstance(rows, (list, tuple, range)) or not all(type(row) is int for row in rows):
        raise Unreadable("each set should be a tensor of row numbers, whole ones.")
    return list(rows)


def _parts(arguments: tuple[Any, ...], got: Any) -> object:
    """The lengths; whether each row is in one of the two, and none twice in one; whether the order is another one."""
    n, cut = arguments
    if got is None:
        raise Unreadable("your function returned nothing. Is a `return` missing?")
    if not isinstance(got, (list, tuple)) or len(got) != 2:
        raise Unreadable("return two sets, one after the other: `return train, test`.")
    train, test = map(_rows, got)
    return (
        len(train),
        len(test),
        sorted(train + test) == list(range(n)),
        _once(train) and _once(test),
        sorted(train) != list(range(cut)),
    )


def _once(rows: list[int]) -> bool:
    return len(set(rows)) == len(rows)


def _told(found: Any) -> str:
    if found[2]:
        return f"the first set has {found[0]} rows and the second {found[1]}, and they should be in random order."
    return "some rows are in both sets, or in neither."


def _split_case(says: str, n: int, cut: int) -> Case:
    return Case(says, _called_after(2, n, cut), (cut, n - cut, True, True, True), _parts, _told)


def _one_order(tk: Any) -> Callable[[int, int], Any]:
    def split(n: int, cut: int) -> Any:
        order = tk.randperm(n)
        return order[:cut], order[cut:]

    return split


def _sorted_noise(tk: Any) -> Callable[[int, int], Any]:
    def split(n: int, cut: int) -> Any:
        order = tk.rand(n).argsort()
        return order[:cut].tolist(), order[cut:].tolist()

    return split


def _split_sizes(tk: Any) -> Callable[[int, int], Any]:
    return lambda n, cut: tk.randperm(n).split((cut, n - cut))


SPLIT = _undisturbed(
    function_check(
        _split_case("of 40 rows, 30 for training", 40, 30),
        _split_case("of 100 rows, 50 for training", 100, 50),
        slips=(
            Slip(
                TWO_ORDERS,
                "each `randperm` is a new draw, so the two sets come from two different orders: rows of the training "
                "set are in the test set too. Draw one order, and cut it.",
                behaves=(
                    lambda n, cut: (tk.randperm(n)[:cut], tk.randperm(n)[cut:]),
                    lambda n, cut: (tk.randperm(n)[:cut], tk.randperm(n)[: n - cut]),
                    lambda n, cut: (tk.randperm(cut), tk.randperm(n - cut)),
                ),
            ),
            Slip(
                "",
                "no row is in both sets, but the first set has just the first `cut` rows of the table. If the table is "
                "sorted by age, the test set has the oldest people.",
                behaves=lambda n, cut: (tk.arange(cut), tk.arange(cut, n)),
            ),
            Slip(
                "",
                "that is the other way round: the first set should have `cut` rows.",
                behaves=lambda n, cut: tuple(reversed(tk.randperm(n).split((cut, n - cut)))),
            ),
            Slip(
                "",
                "`randint` may draw a row twice. Each row should be in one of the two sets.",
                behaves=(
                    lambda n, cut: (tk.randint(0, n, (cut,)), tk.randint(0, n, (n - cut,))),
                    lambda n, cut: tk.randint(0, n, (n,)).split((cut, n - cut)),
                ),
            ),
        ),
    )
)


# ---- Darwin's maize


def _maize(tk: Any) -> Any:
    return tk.tensor(
        [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0]
    )


def _count(tk: Any, once: Callable[[], Any], seed: int | None = 0) -> int:
    with tk.random.fork_rng():
        if seed is not None:
            tk.manual_seed(seed)
        return sum(bool(once()) for _ in range(1000))


def _flips(tk: Any, t: Any) -> Any:
    return (t * (tk.empty(15).bernoulli_(0.5) * 2 - 1)).sum()


def _seed_first(tk: Any, t: Any) -> Any:
    tk.manual_seed(0)
    return _flips(tk, t) >= 314


def _judge_count(value: object) -> Verdict:
    if is_tensor(value) and read(value).size == ():
        value = read(value).values[0]
    count = number_in(value)
    if count is None:
        return Verdict(None, "give one whole number: how many of the 1,000 sums were 314 or more.")
    if 10 <= count <= 40:
        return Verdict(True)
    if count in (0, 1000):
        return Verdict(
            False,
            "a thousand times the same result: is the seed set inside the loop, or do the signs stay as they are? "
            "Set it once, before the loop; and a sum does not change when its numbers change places.",
            POSITION,
        )
    if 40 < count <= 80:
        return Verdict(False, "that is about twice as many: sums of -314 and less were counted too.", "")
    return Verdict(False, "that is too far off for chance. Are the signs + and -, each in half of the cases?")


TASKS = (
    Task(
        "marks",
        "A ruler",
        "Worked: seven numbers from -3 to 3, evenly spaced. Six steps lead from one end to the other, so each is 1: "
        "`tk.linspace(-3, 3, 7)`, or `tk.arange(-3, 4)`.\n\n"
        "Your turn: `tk.linspace(0, 2, n)` should have steps of 0.25. Which `n`?",
        number_check(
            9,
            slips=(
                Slip(FENCE, "That is the number of steps. A ruler has one mark more.", given=8),
                Slip(FENCE, "Between 10 marks there are 9 steps.", given=10),
                Slip(FENCE, "0.25 goes into *one* four times, and the ruler is two long.", given=5),
                Slip(FENCE, "0.25 goes into *one* four times, and the ruler is two long.", given=4),
                Slip(FENCE, "That is the worked example.", given=7),
            ),
        ),
        (
            "How many steps of 0.25 lead from 0 to 2?",
            "`linspace` counts numbers, both ends included, and not steps.",
            "Eight steps, and one number more.",
        ),
        "9",
        stage="worked",
        entry="7",
        right=(
            lambda tk, t: 9,
            lambda tk, t: "9",
            lambda tk, t: tk.linspace(0, 2, 9).numel(),
            lambda tk, t: len(tk.arange(0, 2.25, 0.25)),
        ),
        wrong=(
            (lambda tk, t: 8, FENCE),
            (lambda tk, t: 10, FENCE),
            (lambda tk, t: 5, FENCE),
            (lambda tk, t: 0.25, ""),
            (lambda tk, t: -9, ""),
        ),
    ),
    Task(
        "chessboard",
        "A chessboard of bytes",
        "Make a chessboard: size (8, 8), dtype `uint8`, zeros and ones in turn, with a 0 in the first corner. "
        "The squares are numbered from 0 in reading order; each row begins with the other number than the row above "
        "it.\n\n"
        "    n = tk.arange(___)\n"
        "    board = ((n + n // 8) % 2 == ___).view(8, 8).to(___)",
        tensor_check(
            size=(8, 8),
            dtype="uint8",
            values=[[(row + column) % 2 for column in range(8)] for row in range(8)],
            slips=(
                Slip(
                    "",
                    "that is the board with a 1 in the first corner.",
                    behaves=lambda t: ((t + t // 8) % 2 == 0).view(8, 8).byte(),
                ),
                Slip(
                    "",
                    "those are stripes: each row begins like the one above it.",
                    behaves=(
                        lambda t: (t % 2).view(8, 8).byte(),
                        lambda t: (t % 2).view(8, 8),
                        lambda t: (t % 2 == 1).view(8, 8),
                    ),
                ),
                Slip(
                    "`.to()` returns",
                    "the right pattern, but a comparison gives `bool`. Cast it, and keep what the cast returns.",
                    behaves=lambda t: ((t + t // 8) % 2 == 1).view(8, 8),
                ),
                Slip(
                    "`.to()` returns",
                    "the right pattern in another dtype. Cast it to bytes, and keep what the cast returns.",
                    behaves=(
                        lambda t: ((t + t // 8) % 2).view(8, 8),
                        lambda t: ((t + t // 8) % 2).view(8, 8).int(),
                        lambda t: ((t + t // 8) % 2).view(8, 8).float(),
                    ),
                ),
            ),
        ),
        (
            "How many squares does the board have? `arange` of that number counts them.",
            "The ones are where row plus column is odd: remainder 1.",
            "64, 1 and `tk.uint8`.",
        ),
        "n = tk.arange(64)\nboard = ((n + n // 8) % 2 == 1).view(8, 8).to(tk.uint8)",
        stage="faded",
        base=lambda tk: tk.arange(64),
        right=(
            lambda tk, t: ((t + t // 8) % 2 == 1).view(8, 8).to(tk.uint8),
            lambda tk, t: ((t // 8 + t) % 2).to(tk.uint8).reshape(8, 8),
            lambda tk, t: tk.tensor([[(i + j) % 2 for j in range(8)] for i in range(8)], dtype=tk.uint8),
            lambda tk, t: tk.stack([tk.arange(9).narrow(0, i % 2, 8) % 2 for i in range(8)]).byte(),
        ),
        wrong=(
            (lambda tk, t: ((t + t // 8) % 2 == 0).view(8, 8).to(tk.uint8), ""),
            (lambda tk, t: (t % 2).view(8, 8).to(tk.uint8), ""),
            (lambda tk, t: ((t + t // 8) % 2 == 1).view(8, 8), "`.to()` returns"),
            (lambda tk, t: ((t + t // 8) % 2).view(8, 8), "`.to()` returns"),
            (lambda tk, t: t, ""),
        ),
    ),
    Task(
        "noise",
        "Noise that disturbs nothing",
        "Write `noise(n, seed)`: it returns `n` numbers, as `rand` does. The same `seed` always gives the same "
        "numbers, whatever was drawn before. And the caller must not notice: the next `tk.rand(1)` of the notebook "
        "must be what it would have been without the call.\n\n"
        "    def noise(n, seed):\n"
        "        ...",
        NOISE,
        (
            "`manual_seed` sets back the one generator that the whole notebook reads.",
            "`tk.Generator()` makes another one, with a row of its own. It has a method `manual_seed`.",
            "Hand it to the call: `tk.rand(n, generator=g)`.",
        ),
        "def noise(n, seed):\n    return tk.rand(n, generator=tk.Generator().manual_seed(seed))",
        stage="free",
        right=(
            lambda tk, t: lambda n, seed: tk.rand(n, generator=tk.Generator().manual_seed(seed)),
            lambda tk, t: lambda n, seed: tk.empty(n).uniform_(generator=tk.Generator().manual_seed(seed)),
            lambda tk, t: _forked(tk),
            lambda tk, t: _kept(tk),
        ),
        wrong=(
            (lambda tk, t: lambda n, seed: (tk.manual_seed(seed), tk.rand(n))[1], DISTURBS),
            (lambda tk, t: lambda n, seed: tk.rand(n), POSITION),
            (lambda tk, t: lambda n, seed: tk.rand(n, generator=tk.Generator()), POSITION),
            (
                lambda tk, t: lambda n, seed: tk.randn(n, generator=tk.Generator().manual_seed(seed)),
                "",
            ),
            (lambda tk, t: _seeded_back, ""),
            (lambda tk, t: lambda n, seed: tk.zeros(n), ""),
        ),
    ),
    Task(
        "which_calls",
        "Backwards: which two calls?",
        "Two calls took their draws from one stream, first one and then the other:\n\n"
        "    draw      0   1   2   3   4   5   6   7   8   9   10\n"
        "    first   [     8 draws → 4 numbers      ]\n"
        "    second                                  [  3 → 4   ]\n\n"
        "Which two of these were they? Give their letters, in order.\n\n"
        "    a  tk.rand(8)      b  tk.randn(4)      c  tk.randn(8)\n"
        "    d  tk.rand(3)      e  tk.randperm(4)",
        choice_check(
            "b e",
            slips=(
                Slip(
                    BLOCKS, "`rand` takes one draw for each number: 8 draws would be 8 numbers.", given="a e"
                ),
                Slip(
                    BLOCKS, "`rand` takes one draw for each number: 8 draws would be 8 numbers.", given="a d"
                ),
                Slip(BLOCKS, "`randn(8)` makes 8 numbers, and takes 16 draws for them.", given="c e"),
                Slip(BLOCKS, "`randn(8)` makes 8 numbers, and takes 16 draws for them.", given="c d"),
                Slip("", "`rand(3)` would make 3 numbers from its 3 draws.", given="b d"),
                Slip("", "the right two, in the other order: the call with 8 draws came first.", given="e b"),
            ),
            hint="give two letters in order, such as a d: which call makes 4 numbers of 8 draws, and which 4 of 3?",
        ),
        (
            "Which call makes 4 numbers out of 8 draws?",
            "Fewer than 16 normal numbers come in pairs, with four draws for each pair.",
            "The second call needs one draw fewer than it gives numbers: the last of the four is simply the one "
            "that is left.",
        ),
        "b e",
        stage="reverse",
        entry="a d",
        right=(lambda tk, t: "b e", lambda tk, t: "B, E", lambda tk, t: " b  e."),
        wrong=(
            (lambda tk, t: "a e", BLOCKS),
            (lambda tk, t: "c e", BLOCKS),
            (lambda tk, t: "b d", ""),
            (lambda tk, t: "e b", ""),
            (lambda tk, t: "d c", ""),
        ),
    ),
    Task(
        "maize",
        "Darwin's maize",
        "In 1876 Darwin published the heights of 15 pairs of maize plants: one plant of each pair came from a crossed "
        "flower, the other from a self-fertilised one. `t` has the differences, in eighths of an inch; they add up to "
        "314. Could that be chance? If it were, each difference might as well have had the other sign.\n\n"
        "Set the seed to 0. Then, 1,000 times, give each of the 15 differences a random sign (+ or -, each in half of "
        "the cases) and add them up. How many of the 1,000 sums are **314 or more**?",
        plain_check(_judge_count),
        (
            "`tk.empty(15).bernoulli_(0.5)` is fifteen zeros and ones. How do they become -1 and +1?",
            "Twice the zeros and ones, less one: `signs = tk.empty(15).bernoulli_(0.5) * 2 - 1`.",
            "Set the seed once, before the loop, and count `(t * signs).sum() >= 314`.",
        ),
        "tk.manual_seed(0)\n"
        "count = 0\n"
        "for _ in range(1000):\n"
        "    count += ((t * (tk.empty(15).bernoulli_(0.5) * 2 - 1)).sum() >= 314).item()\n"
        "count",
        stage="free",
        base=_maize,
        right=(
            lambda tk, t: _count(tk, lambda: _flips(tk, t) >= 314),
            lambda tk, t: _count(tk, lambda: (t * (tk.randint(0, 2, (15,)) * 2 - 1)).sum() >= 314),
            lambda tk, t: _count(tk, lambda: (t * tk.randn(15).sign()).sum() >= 314),
            lambda tk, t: tk.tensor(21),
        ),
        wrong=(
            (lambda tk, t: _count(tk, lambda: _seed_first(tk, t)), POSITION),
            (lambda tk, t: _count(tk, lambda: t.index_select(0, tk.randperm(15)).sum() >= 314), POSITION),
            (lambda tk, t: _count(tk, lambda: _flips(tk, t).abs() >= 314), ""),
            (lambda tk, t: _count(tk, lambda: _flips(tk, t) >= 0), ""),
            (lambda tk, t: -3, ""),
        ),
    ),
    Task(
        "split",
        "Repair: training rows and test rows",
        "A model is trained on some rows of a table and tested on the others. `split(n, cut)` should put the `n` row "
        "numbers in random order, and give the first `cut` of them and the rest. The test went suspiciously well. What "
        "is wrong? Repair it.\n\n"
        "    def split(n, cut):\n"
        "        return tk.randperm(n)[:cut], tk.randperm(n)[cut:]",
        SPLIT,
        (
            "Print both for `n = 6` and `cut = 4`. Is every row in one of the two sets?",
            "`randperm` is called twice. Does the second call give the same order?",
            "Draw once, keep the order in a name, and cut that.",
        ),
        "def split(n, cut):\n    order = tk.randperm(n)\n    return order[:cut], order[cut:]",
        stage="free",
        right=(
            lambda tk, t: _one_order(tk),
            lambda tk, t: _split_sizes(tk),
            lambda tk, t: _sorted_noise(tk),
        ),
        wrong=(
            (lambda tk, t: lambda n, cut: (tk.randperm(n)[:cut], tk.randperm(n)[cut:]), TWO_ORDERS),
            (lambda tk, t: lambda n, cut: (tk.arange(cut), tk.arange(cut, n)), ""),
            (lambda tk, t: lambda n, cut: (tk.randint(0, n, (cut,)), tk.randint(0, n, (n - cut,))), ""),
            (lambda tk, t: lambda n, cut: (tk.randperm(cut), tk.randperm(n - cut)), TWO_ORDERS),
            (lambda tk, t: lambda n, cut: (tk.randperm(cut), tk.randperm(n - cut) + cut), ""),
        ),
    ),
)
