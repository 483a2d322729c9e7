"""The questions of lesson 24, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit.distributed.tensor import Partial, Placement, Shard
from tensorkit.distributed.tensor.layout import Layout
from tensorkit.distributed.tensor.redistribute import transfers
from tensorkit_widgets.lessons.lesson24.counting import Counting
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

EMPTY = "a shard may be empty"
WINS = "which rank's data wins"
PARTS = "a sum may be in parts"
LAYOUT = "one layout fits both"
BYTES = "count the bytes first"
PRICE = "a task has a price"
AGAIN = "a lost part is made again"
DIM = "`dim=` in a reduction"
WHOLE_STORAGE = "a saved slice saves the whole storage"
RACE = "streams race"

SMALL_FILE, LARGE_FILE, NO_FILE = "About 400 bytes", "About 4 MB", "It cannot be saved: it is a view"
OLD, NEW, EITHER = "Always the old numbers", "Always the new numbers", "Some of each, or all of either kind"

RANK_0, OWNER, LAST, NONE = (
    "0: what rank 0 made",
    "3: what rank 3 made, which now holds that row",
    "6: all four are added up",
    "It is an error: the four are different",
)
ALL_SUMS, OWN_SUMS, SOME_SUMS, NO_SUMS = (
    "All three sums, complete",
    "Three sums, each of its own two rows only",
    "One or none of the three sums, complete",
    "Nothing: only rank 0 has the result",
)
FIRST, SECOND, BOTH, NEITHER = "`A @ B`", "`B @ A`", "Both of them", "None of them"
SAME, TEN, THOUSAND, QUARTER = (
    "About as long",
    "About ten times as long",
    "Several hundred times as long, or more",
    "About a quarter, as four share the work",
)
LOST, COPIED, AGAIN_MADE, HOLE = (
    "An error: the part of rank 2 is lost",
    "The right sums: another rank had a copy of that part",
    "The right sums: a new worker makes that part again",
    "The sums of the three parts that are left",
)


def _file(tk: Any) -> str:
    column = tk.zeros(1000, 1000)[:100, 0]
    return LARGE_FILE if column.untyped_storage().nbytes() == 4_000_000 else SMALL_FILE


def _sum_size(tk: Any) -> tuple[int, ...]:
    return tuple(tk.zeros(4, 7, 2).sum(dim=1).size())


def _five_rows(tk: Any) -> tuple[int, ...]:
    (first, last), _ = Layout((5, 3), (4,), (Shard(0),)).box(1)
    return tuple(range(3 * first, 3 * last))


def _sum_of_columns(tk: Any) -> str:
    made = Counting(4).place((8, 3), Shard(0)).sum(0)
    return OWN_SUMS if made.placements == (Partial(),) else ALL_SUMS


def _sent(left: Placement, right: Placement) -> int:
    """Bytes that a product of 8 by 8 needs: before it, as its placement afterwards is free."""
    ranks = Counting(4)
    (ranks.place((8, 8), left) @ ranks.place((8, 8), right)).wait()
    return ranks.bytes_sent


def _which_product(tk: Any) -> str:
    free = [_sent(Shard(0), Shard(1)) == 0, _sent(Shard(1), Shard(0)) == 0]
    return {(True, False): FIRST, (False, True): SECOND, (True, True): BOTH}.get((free[0], free[1]), NEITHER)


def _staying(tk: Any) -> tuple[int, ...]:
    [step] = transfers(Layout((4, 4), (4,), (Shard(0),)), [Shard(1)])
    return tuple(4 * a + b for (a, _), (b, _) in (one.box for one in step.moves if one.source == one.target))


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "saved",
                "`t` has the size (1000, 1000) and holds float32 numbers. How large is the file after "
                '`tk.save(t[:100, 0], "some.pt")`?',
                LARGE_FILE,
                "A slice is saved with the whole storage that it reads. `t[:100, 0].clone()` would take 400 bytes. "
                "(Lesson 05)",
                options=(SMALL_FILE, LARGE_FILE, NO_FILE),
                slips=(
                    Slip(
                        WHOLE_STORAGE,
                        "It reads a hundred numbers, but its storage has a million, and that is what is saved.",
                        given=SMALL_FILE,
                    ),
                    Slip(
                        WHOLE_STORAGE, "Views are saved, and with them all of their storage.", given=NO_FILE
                    ),
                ),
                proof=_file,
            ),
            Question(
                "dim",
                "`t` has the size (4, 7, 2). Which size does `t.sum(dim=1)` have?",
                (4, 2),
                "`dim=1` names the dimension that disappears: the 7. (Lesson 11)",
                slips=(
                    Slip(DIM, "The dimension that is named goes; the others stay.", given=(7,)),
                    Slip(DIM, "Counting begins at 0: dimension 1 is the one of size 7.", given=(7, 2)),
                    Slip("keepdim leaves a 1", "That is what `keepdim=True` would leave.", given=(4, 1, 2)),
                ),
                proof=_sum_size,
            ),
            Question(
                "race",
                "One stream writes new numbers into `x`. Another stream copies `x`, and neither waits for the other. "
                "What is in the copy?",
                EITHER,
                "Without an event between them, two streams run side by side in any order. (Lesson 22)",
                options=(OLD, NEW, EITHER),
                slips=(
                    Slip(RACE, "The copy might begin first, but nothing says so.", given=OLD),
                    Slip(
                        RACE,
                        "The write was *queued* first, but in a queue of its own. The other does not wait for it.",
                        given=NEW,
                    ),
                ),
                proof=lambda tk: EITHER,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "five_rows",
        "A tensor of five rows and three columns is placed `[Shard(0)]` on **four** ranks. Here are its elements. "
        "Press all that **rank 1** holds.",
        (6, 7, 8, 9, 10, 11),
        "A dimension is cut as `chunk` cuts it: 5 divided by 4, rounded up, is two rows for each, for as long as there "
        "are any. Ranks 0 and 1 have two, rank 2 has one, and rank 3 has none.",
        slips=(
            Slip(
                EMPTY,
                "That would leave the second row of it to the last rank. Each rank gets two rows until there are no "
                "more.",
                given=(3, 4, 5),
            ),
            Slip(
                EMPTY,
                "Rank 0 does have two rows. But so does rank 1: the shorter part comes at the end.",
                given=(6, 7, 8),
            ),
            Slip(
                "counting from zero",
                "Those are the rows of rank 0: ranks are counted from 0 too.",
                given=(0, 1, 2, 3, 4, 5),
            ),
            Slip(
                "rows come before columns",
                "`Shard(0)` cuts dimension 0, the rows. You have chosen a column.",
                given=(1, 4, 7, 10, 13),
            ),
        ),
        proof=_five_rows,
        picture=lambda tk: tk.arange(15).view(5, 3),
        pick="cells",
    ),
    Question(
        "winner",
        "A program for **PyTorch** runs four times at once, once on each rank. Each makes a tensor `t` of eight rows: "
        "on rank 0 all numbers are 0, on rank 1 they are 1, and so on. Then each calls "
        "`distribute_tensor(t, mesh, [Shard(0)])`. What is in the last row of the sharded tensor?",
        RANK_0,
        "`distribute_tensor` sends each rank its part of what rank **0** has. What the others have made is not "
        "looked at.",
        options=(RANK_0, OWNER, LAST, NONE),
        slips=(
            Slip(
                WINS,
                "Rank 3 does hold the last row. But its numbers came from rank 0, so that all parts belong to one and "
                "the same tensor.",
                given=OWNER,
            ),
            Slip(WINS, "Adding up is what `Partial` means. Nothing is added here.", given=LAST),
            Slip(WINS, "Nothing compares them: that would cost as much as sending.", given=NONE),
        ),
        proof=lambda tk: RANK_0,
    ),
    Question(
        "sum_of_columns",
        "`a` has eight rows and three columns, and is placed `[Shard(0)]` on four ranks. `s = a.sum(0)` adds up each "
        "column. What does rank 1 hold of `s`?",
        OWN_SUMS,
        "Each rank adds up what it has, and sends nothing. So each has a *part* of all three sums. The placement is "
        "called `Partial(sum)`.",
        options=(ALL_SUMS, OWN_SUMS, SOME_SUMS, NO_SUMS),
        slips=(
            Slip(
                PARTS,
                "For that it would need the rows of the other ranks, or their sums. Nothing has been sent yet.",
                given=ALL_SUMS,
            ),
            Slip(
                PARTS,
                "To complete even one of the sums, the parts of all four ranks have to come together. Nothing has been "
                "sent yet.",
                given=SOME_SUMS,
            ),
            Slip(PARTS, "Each rank computes with its own rows, and keeps what comes out.", given=NO_SUMS),
        ),
        proof=_sum_of_columns,
    ),
    Question(
        "which_product",
        "`A` is cut into rows, `[Shard(0)]`, and `B` into columns, `[Shard(1)]`. Both are square. For which product "
        "can each rank multiply what it has, without receiving anything first?",
        SECOND,
        "In `B @ A` rank 1 has some columns of `B` and the rows of `A` with the same numbers: those are the ones that "
        "meet. What it computes is a part of every number of the result.",
        options=(FIRST, SECOND, BOTH, NEITHER),
        slips=(
            Slip(
                LAYOUT,
                "It looks natural, as a row meets a column. But *every* row meets *every* column, and rank 1 has only "
                "its own columns of `B`.",
                given=FIRST,
            ),
            Slip(LAYOUT, "For one of them, each rank needs all of `B`.", given=BOTH),
            Slip(
                LAYOUT,
                "Look at what is summed over: the columns of the left matrix meet the rows of the right one.",
                given=NEITHER,
            ),
        ),
        proof=_which_product,
    ),
    Question(
        "stay",
        "Four ranks, and a tensor that is cut into rows. Now it is to be cut into columns: "
        "`redistribute(placements=[Shard(1)])`. Here it is in sixteen blocks. At first rank 0 holds the top row of "
        "blocks, at the end the left column. Press all the blocks that **stay** where they are.",
        (0, 5, 10, 15),
        "Rank r keeps what is in *its* row and also in *its* column. Four blocks of sixteen stay; the other twelve are "
        "sent, three quarters of the tensor.",
        slips=(
            Slip(
                BYTES,
                "Rank 0 also has to give away: of its row it keeps only what is in its column.",
                given=(0, 1, 2, 3),
            ),
            Slip(
                BYTES,
                "Rank 0 has only its top row at first. What is below in that column comes to it from others.",
                given=(0, 4, 8, 12),
            ),
            Slip(BYTES, "And ranks 1, 2 and 3? Each keeps something as well.", given=(0,)),
        ),
        proof=_staying,
        picture=lambda tk: tk.arange(16).view(4, 4),
        pick="cells",
    ),
    Question(
        "tiny",
        "`x` has eight numbers, and `x + 1` takes a few microseconds here. How long does it take with `x` cut over "
        "four ranks, until all have finished?",
        THOUSAND,
        "The program tells a scheduler, the scheduler tells four workers, and all four report back. That takes "
        "milliseconds, whether there are two numbers to add or two million.",
        options=(QUARTER, SAME, TEN, THOUSAND),
        order="given",
        slips=(
            Slip(
                PRICE,
                "The addition takes no longer, but four processes have to be told and to answer.",
                given=SAME,
            ),
            Slip(
                PRICE,
                "A call of a kernel (lesson 22) costs microseconds. A task for another process costs milliseconds.",
                given=TEN,
            ),
            Slip(PRICE, "Less to add for each, and far more to arrange.", given=QUARTER),
        ),
    ),
    Question(
        "killed",
        "The process of rank 2 is killed from outside, in the middle of everything, as the system does when memory "
        "runs out. What does `a.sum(0).full_tensor()` give after that?",
        AGAIN_MADE,
        "The scheduler remembers which task made each part. A new worker takes the place of the old one, and repeats "
        "the tasks whose results are gone.",
        options=(LOST, COPIED, HOLE, AGAIN_MADE),
        slips=(
            Slip(
                AGAIN,
                "The numbers are gone, but what *made* them is known, and can be done again.",
                given=LOST,
            ),
            Slip(
                AGAIN,
                "With `[Shard(0)]` each row is on one rank only. Copies of everything would take twice the memory.",
                given=COPIED,
            ),
            Slip(AGAIN, "A wrong number without an error would be the worst of all.", given=HOLE),
        ),
    ),
)
