"""The exercises of lesson 24, with the solutions and slips that prove their checks."""

from __future__ import annotations

from tensorkit.distributed.tensor import Partial, Placement, Replicate, Shard
from tensorkit_widgets.lessons.lesson24.counting import Counting
from tensorkit_widgets.lessons.lesson24.trial_functions import (
    all_at_home,
    biased,
    from_each_row,
    function_check,
    in_the_loop,
    largest_there,
    mean_of_parts,
    once_before,
    statistics_there,
    total_only,
)
from tensorkit_widgets.practice.checking.checks import Checker, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.practice.kinds import Task
from tensorkit_widgets.practice.markup import quoted, told

EMPTY = "a shard may be empty"
WINS = "which rank's data wins"
LAYOUT = "one layout fits both"
BYTES = "count the bytes first"
HOME = "leave it where it is"
DIM = "`dim=` in a reduction"


# -- three placements


def _three(value: object) -> tuple[Placement, Placement, Placement] | None:
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        return None
    several = [one[0] if isinstance(one, (list, tuple)) and len(one) == 1 else one for one in value]
    first, second, third = several
    if isinstance(first, Placement) and isinstance(second, Placement) and isinstance(third, Placement):
        return first, second, third
    return None


def _asked_for(value: object) -> Verdict:
    return Verdict(
        None, f"{quoted(value)} is not three placements, such as `(Shard(0), Replicate(), Shard(1))`."
    )


def _layer(answer: Answer) -> Verdict:
    """`x @ w + b` with all of x cut into rows: nothing is sent, and the result is cut as x is."""
    placed = _three(answer.value)
    if placed is None:
        return _asked_for(answer.value)
    ranks = Counting(4)
    x_placed, w_placed, b_placed = placed
    if x_placed != Shard(0):
        return Verdict(False, "the examples are cut into rows: `x` is `Shard(0)`.")
    try:
        x, w, b = ranks.place((8, 4), x_placed), ranks.place((4, 4), w_placed), ranks.place((4,), b_placed)
        (x @ w + b).wait()
    except Exception as error:
        return Verdict(False, f"with these, `x @ w + b` stops with {told(error)}.")
    if ranks.bytes_sent:
        where = "`w`" if w_placed != Replicate() else "`b`"
        return Verdict(
            False,
            f"{ranks.bytes_sent} bytes are sent: each rank has all of its own examples, and needs all of {where} for "
            "them.",
            LAYOUT,
        )
    return Verdict(True)


def _two_layers(answer: Answer) -> Verdict:
    """Both weights are cut, and nothing is sent before the end."""
    placed = _three(answer.value)
    if placed is None:
        return _asked_for(answer.value)
    if not all(isinstance(one, Shard) for one in placed[1:]):
        return Verdict(False, "`w1` and `w2` are too large for one rank: each has to be cut.")
    ranks = Counting(4)
    try:
        x, w1, w2 = (
            ranks.place(size, one) for size, one in zip(((4, 8), (8, 8), (8, 4)), placed, strict=True)
        )
        h = (x @ w1).relu().wait()
        first = ranks.bytes_sent
        y = (h @ w2).wait()
        second = ranks.bytes_sent - first
    except Exception as error:
        return Verdict(False, f"with these, the two layers stop with {told(error)}.")
    if first:
        return Verdict(
            False,
            f"{first} bytes are sent for `relu(x @ w1)` already. Which numbers of `x` and `w1` meet, and does a rank "
            "have both?",
            LAYOUT,
        )
    if second:
        return Verdict(
            False,
            f"nothing is sent for the first layer, but {second} bytes for the second. After the first one `h` is "
            f"{h.placements[0]}. Along what does `h @ w2` sum?",
            LAYOUT,
        )
    if y.placements != (Partial(),):
        return Verdict(False, f"`y` is {y.placements[0]}, and should be in parts to be added up: `Partial`.")
    return Verdict(True)


_IMPORT = "from tensorkit.distributed.tensor import Replicate, Shard\n"

TASKS = (
    Task(
        "owner",
        "Whose row is it?",
        "In PyTorch every rank makes a tensor `t` of its own; on rank r all its numbers are r. Then each calls "
        "`distribute_tensor(t, mesh, [Shard(0)])`.\n"
        "\n"
        "Worked: 50 rows on 4 ranks. 50 divided by 4, rounded up, is 13, so rank 0 has rows 0 to 12, and row 11 is on "
        "rank 0. Its numbers are 0: they come from rank 0.\n"
        "\n"
        "Your turn: 41 rows on 6 ranks. Which rank holds row 30, and which number is in that row? Give both.",
        tuple_check(
            4,
            0,
            slips=(
                Slip(
                    WINS,
                    "rank 4 does hold the row. But its number comes from the rank whose tensor was sent out.",
                    given=(4, 4),
                ),
                Slip(
                    EMPTY,
                    "41 / 6 is rounded *up*: each rank gets 7 rows until there are no more.",
                    given=(5, 0),
                ),
                Slip(
                    EMPTY,
                    "41 / 6 is rounded *up*: each rank gets 7 rows until there are no more. And whose numbers are "
                    "they?",
                    given=(5, 5),
                ),
                Slip("counting from zero", "ranks are counted from 0.", given=(3, 0)),
            ),
        ),
        (
            "How many rows does the first rank get? 41 divided by 6, rounded up.",
            "Seven: rows 0 to 6 are on rank 0, rows 7 to 13 on rank 1, and so on.",
            "30 is in 28 to 34. And only what rank 0 made is sent.",
        ),
        "(4, 0)",
        stage="worked",
        entry="(0, 0)",
        right=(lambda tk, t: (4, 0), lambda tk, t: "4, 0", lambda tk, t: [4, 0]),
        wrong=(
            (lambda tk, t: (4, 4), WINS),
            (lambda tk, t: (5, 0), EMPTY),
            (lambda tk, t: (5, 5), EMPTY),
            (lambda tk, t: 4, ""),
        ),
    ),
    Task(
        "layer",
        "One layer, many examples",
        "A linear layer, `x @ w + b`. `x` has a row for each of very many examples, and is cut into rows. Place the "
        "weights `w` and the bias `b` so that **nothing** is sent. Fill the gaps.\n"
        "\n"
        "    Shard(0), ___, ___  # of x, w and b",
        Checker(_layer),
        (
            "Rank 1 has some examples, each with all of its numbers. Which weights do they need?",
            "All of them. And the same is true of rank 2.",
            "A tensor that every rank needs whole is `Replicate()`.",
        ),
        _IMPORT + "(Shard(0), Replicate(), Replicate())",
        stage="faded",
        right=(
            lambda tk, t: (Shard(0), Replicate(), Replicate()),
            lambda tk, t: [Shard(0), Replicate(), Replicate()],
            lambda tk, t: ([Shard(0)], [Replicate()], [Replicate()]),
        ),
        wrong=(
            (lambda tk, t: (Shard(0), Shard(0), Replicate()), LAYOUT),
            (lambda tk, t: (Shard(0), Shard(1), Replicate()), LAYOUT),
            (lambda tk, t: (Shard(0), Replicate(), Shard(0)), LAYOUT),
            (lambda tk, t: (Replicate(), Replicate(), Replicate()), ""),
        ),
    ),
    Task(
        "two_layers",
        "Two layers, one message round",
        "`y = (x @ w1).relu() @ w2`. Now it is the weights that are large: `w1` and `w2` both have to be **cut**. "
        "Place `x`, `w1` and `w2` so that nothing is sent until `y` is there, in parts. Then a single "
        "`y.redistribute(placements=[Replicate()])` completes it. Give the three placements.",
        Checker(_two_layers),
        (
            "`relu` needs complete numbers. So the first product must not leave parts to be added up.",
            "Cut `w1` into columns: then each rank has complete columns of `h = (x @ w1).relu()`, if it has all of "
            "`x`.",
            "`h` is cut into columns, and they meet the *rows* of `w2`.",
        ),
        _IMPORT + "(Replicate(), Shard(1), Shard(0))",
        right=(
            lambda tk, t: (Replicate(), Shard(1), Shard(0)),
            lambda tk, t: [Replicate(), Shard(1), Shard(0)],
            lambda tk, t: ([Replicate()], [Shard(1)], [Shard(0)]),
        ),
        wrong=(
            (lambda tk, t: (Replicate(), Shard(1), Shard(1)), LAYOUT),
            (lambda tk, t: (Replicate(), Shard(0), Shard(1)), LAYOUT),
            (lambda tk, t: (Shard(1), Shard(0), Shard(0)), LAYOUT),
            (lambda tk, t: (Shard(0), Replicate(), Replicate()), ""),
        ),
    ),
    Task(
        "statistics",
        "Ten million rows, a few numbers",
        "Write a function of a sharded tensor `t`, cut into rows, which returns the mean and the standard deviation of "
        "each column: a pair. It should work for ten million rows, so do not bring them home. I shall try it on small "
        "ones, and count the bytes.",
        function_check(
            statistics_there,
            "the numbers are right, but you brought {brought:,} bytes home, and the whole tensor has {all:,}.",
            HOME,
            (
                Slip(
                    HOME,
                    "the numbers are right, but `full_tensor()` brought all rows home. Let the ranks reduce: `t` has "
                    "those methods too.",
                    behaves=all_at_home,
                ),
                Slip(
                    EMPTY,
                    "you averaged what each rank has. But the last rank may have fewer rows, and a spread is not an "
                    "average of spreads. And all parts came home for it.",
                    behaves=mean_of_parts,
                ),
                Slip(
                    DIM,
                    "that is one number for all columns. Which dimension should disappear?",
                    behaves=total_only,
                ),
                Slip("std divides by n - 1", "almost: `std` divides by n - 1.", behaves=biased),
            ),
        ),
        (
            "A sharded tensor has the same reductions as any other.",
            "The rows, dimension 0, should disappear.",
            "`t.mean(0)`, and the same with `std`. Both stay on the ranks.",
        ),
        "def statistics(t):\n    return t.mean(0), t.std(0)",
        right=(
            lambda tk, t: statistics_there,
            lambda tk, t: lambda t: [t.mean(dim=0).full_tensor(), t.std(dim=0).full_tensor()],
            lambda tk, t: lambda t: (t.sum(0) / len(t), t.var(0).sqrt()),
        ),
        wrong=(
            (lambda tk, t: all_at_home, HOME),
            (lambda tk, t: mean_of_parts, EMPTY),
            (lambda tk, t: total_only, DIM),
            (lambda tk, t: lambda t: t.mean(0), ""),
            (lambda tk, t: lambda t: None, ""),
        ),
    ),
    Task(
        "largest",
        "Home, again and again",
        "This function finds the largest sum of a row. It is right, and far too slow. Repair it: only a few bytes "
        "should come home.\n"
        "\n"
        "    def largest(t):\n"
        '        best = float("-inf")\n'
        "        for row in range(len(t)):\n"
        "            best = max(best, t.full_tensor()[row].sum().item())\n"
        "        return best",
        function_check(
            largest_there,
            "right, but {brought:,} bytes came home, and the whole tensor has {all:,}.",
            HOME,
            (
                Slip(
                    HOME,
                    "`full_tensor()` in the loop brings *everything* home for every row. Let the ranks add up their "
                    "rows, and find the largest.",
                    behaves=in_the_loop,
                ),
                Slip(
                    HOME,
                    "once is better than for every row. But all rows still come home, and they need not: the ranks can "
                    "add them up.",
                    behaves=once_before,
                ),
                Slip(
                    DIM,
                    "that adds up columns. To add up each row, dimension 1 disappears.",
                    behaves=from_each_row,
                ),
            ),
        ),
        (
            "What is computed for each row? Can all rows do it at once?",
            "`t.sum(1)` has a number for each row, and stays where the rows are.",
            "The largest of those is one number: that may come home.",
        ),
        "def largest(t):\n    return t.sum(1).max().item()",
        right=(
            lambda tk, t: largest_there,
            lambda tk, t: lambda t: t.sum(dim=1).amax(),
            lambda tk, t: lambda t: t.sum(1).max().full_tensor(),
        ),
        wrong=(
            (lambda tk, t: in_the_loop, HOME),
            (lambda tk, t: once_before, HOME),
            (lambda tk, t: from_each_row, DIM),
            (lambda tk, t: lambda t: max(t.sum(1).full_tensor().tolist()), HOME),
        ),
    ),
    Task(
        "which_moves",
        "Three bills, three moves",
        "A tensor of 8 MB, on four ranks. Three redistributions sent these amounts from rank to rank:\n"
        "\n"
        "    24 MB    6 MB    0 MB\n"
        "\n"
        "Which were they? Give three letters, in the order of the amounts.\n"
        "\n"
        "    a   from Shard(0) to Shard(1)\n"
        "    b   from Replicate() to Shard(1)\n"
        "    c   from Shard(1) to Replicate()",
        letters_check(
            "CAB",
            {
                "A": Slip(BYTES, "for `a`, count what stays: of each rank's 2 MB a quarter.", given=""),
                "B": Slip(BYTES, "for `b`, what does a rank lack that has everything?", given=""),
                "C": Slip(BYTES, "for `c`, each rank lacks 6 of 8 MB, and there are four.", given=""),
            },
            ordered="the three are right, but not in the order of the amounts.",
        ),
        (
            "Ask of each rank: what does it lack?",
            "For `c`: each rank has 2 MB of 8. For `b`: each has all of it.",
            "For `a`: each is to have 2 MB, and a quarter of these it has already.",
        ),
        "c a b",
        stage="reverse",
        entry="a b c",
        right=(lambda tk, t: "c a b", lambda tk, t: "cab", lambda tk, t: "C, A, B"),
        wrong=((lambda tk, t: "a c b", ""), (lambda tk, t: "a b c", ""), (lambda tk, t: "c a", BYTES)),
    ),
)
