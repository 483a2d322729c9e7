"""The questions and the quiz of lesson 21, with what proves them: the lesson's own kernels, traced."""

from __future__ import annotations

from typing import Any

import numpy
from numpy import float32

import tensorkit
from tensorkit.kernels.cuda.traced import KernelTrace
from tensorkit_widgets.lessons.lesson21 import shown
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

LONGER = "Longer than with 16"
STRAYS = "They reach for slots behind the end of the arrays"
SLOW_88, SLOW_600 = "It takes far longer, and gives 88", "It takes far longer, and gives 600"
QUICK_88 = "It takes about as long, and gives 88"
FAILS, ZERO, OTHER = "An error: `y` is on the CPU", "0, on the device", "Another number, on the device"
SPOILT = "The sum comes out wrong, or right by luck"


def _floats(*size: int) -> Any:
    return numpy.ones(size, float32)


def _traced(kernel: Any, grid: Any, block: Any, *arguments: Any) -> KernelTrace:
    return tensorkit.cuda.trace(kernel, grid, block, *arguments)


def _writer(tk: Any) -> int:
    trace = _traced(shown.add, 3, 4, _floats(10), _floats(10), _floats(10))
    return next(a.slot for a in trace.accesses if (a.kind, a.block, a.thread) == ("write", 2, 1))


def _guard(tk: Any) -> str:
    trace = _traced(shown.unguarded, 3, 4, _floats(10), _floats(10), _floats(10))
    return STRAYS if trace.out_of_bounds else "Nothing: a thread without an element does not run"


def _first_round(tk: Any) -> tuple[int, ...]:
    trace = _traced(shown.block_sum, 1, 8, numpy.arange(1, 9, dtype=float32), _floats(1))
    first, second, *_ = [n for n, step in enumerate(trace.steps) if step.kind == "barrier"]
    written = {
        a.slot
        for a in trace.accesses
        if a.array == "totals" and a.kind == "write" and first < a.step < second
    }
    return tuple(slot + 1 for slot in sorted(written))


def _hurry(tk: Any) -> str:
    trace = _traced(shown.hurried, 1, 64, _floats(64), _floats(1))
    return SPOILT if trace.races else "The same sum, and sooner"


def _sectors(tk: Any) -> int:
    trace = _traced(shown.down_column, 1, 32, _floats(32, 32), _floats(32))
    return next(moved.sectors for moved in trace.traffic if moved.kind == "read")


def _tiled_reads(tk: Any) -> int:
    trace = _traced(shown.multiply_tiles, (2, 2), (4, 4), _floats(8, 8), _floats(8, 8), _floats(8, 8))
    return sum(a.kind == "read" and a.array in ("a", "b") for a in trace.accesses)


def _dark(tk: Any) -> str:
    t = tk.full((200,), 3, dtype=tk.uint8)
    total, calls = t[0], 0
    for pixel in t[1:]:
        total, calls = total + pixel, calls + 1
    return f"It takes {'far longer' if calls > 100 else 'about as long'}, and gives {total.item()}"


def _difference(tk: Any) -> str:
    tk.manual_seed(5)
    x = tk.rand(3, device="cuda")
    tk.manual_seed(5)
    y = tk.rand(3)
    try:
        found = x.max() - y.max()
    except RuntimeError:
        return FAILS
    return OTHER if found.is_cuda and found.item() else ZERO


def _fetched(tk: Any) -> int:
    rows = tk.sin(tk.arange(1.0, 4.0)[:, None] * tk.linspace(0, 3, 60))
    shares = tk.cos(tk.arange(1.0, 4.0) * tk.linspace(0, 3, 80)[:, None])
    s = tk.linalg.svdvals((shares @ rows).to("cuda"))
    fetched = 1
    while s[fetched - 1] > 0.01:
        fetched += 1
    return fetched


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "dark",
                "`t` holds 200 pixels of dtype `uint8`, each of them 3. You run `total = t[0]`, and then "
                "`for pixel in t[1:]: total = total + pixel`. How does that compare with `t.sum()`?",
                SLOW_88,
                "The loop makes 199 calls instead of one. And `uint8` begins again at 0 after 255: 600 becomes 88, "
                "while `sum` counts in `int64`. (Lessons 06 and 12)",
                options=(SLOW_88, SLOW_600, QUICK_88),
                slips=(
                    Slip(
                        "integers wrap",
                        "The sum of two `uint8` pixels is `uint8` again, and that ends at 255.",
                        given=SLOW_600,
                    ),
                    Slip(
                        "element loops",
                        "The additions are the same, but the loop makes a call from Python for each of them.",
                        given=QUICK_88,
                    ),
                ),
                proof=_dark,
            ),
            Question(
                "difference",
                "`tk.manual_seed(5)`, then `x = tk.rand(3, device='cuda')`. Then `tk.manual_seed(5)` again, and "
                "`y = tk.rand(3)`. What does `x.max() - y.max()` give?",
                OTHER,
                "From one seed the two generators make different numbers. And `y.max()` has no dimensions, so its one "
                "number may come from the CPU. (Lesson 20)",
                options=(OTHER, ZERO, FAILS),
                slips=(
                    Slip(
                        "same seed, other device",
                        "The seed is the same, but the CPU and the device make other numbers from it.",
                        given=ZERO,
                    ),
                    Slip(
                        "operands on one device",
                        "`x - y` is that error. A tensor without dimensions, such as `y.max()`, may stay there.",
                        given=FAILS,
                    ),
                ),
                proof=_difference,
                devices=1,
            ),
            Question(
                "fetched",
                "`t` is a table of 80 × 60 numbers on the device. Each row is a mix of the same three rows, which are "
                "quite different. You run `s = tk.linalg.svdvals(t)`, `k = 0`, and then `while s[k] > 0.01: k += 1`. "
                "How many times does the loop fetch something from the device?",
                4,
                "Three patterns make the whole table, so only three singular values are large. `while` fetches an "
                "answer for each of them, and for the one that ends the loop. (Lessons 16 and 20)",
                slips=(
                    Slip(
                        "few singular values carry most",
                        "There are 60. But after the third they are nothing but rounding errors.",
                        given=60,
                    ),
                    Slip(
                        "reading is a crossing",
                        "The answer that ends the loop has to be fetched as well.",
                        given=3,
                    ),
                    Slip(
                        "reading is a crossing",
                        "Each test fetches its own answer: nothing is kept for the next one.",
                        given=1,
                    ),
                    Slip(
                        "reading is a crossing",
                        "`while` runs on the CPU, and there it needs a yes or no.",
                        given=0,
                    ),
                ),
                proof=_fetched,
                devices=1,
            ),
        ),
        recall=True,
    ),
)

QUESTIONS = (
    Question(
        "threads",
        "With one CPU thread this mini-batch took 4.336 seconds, with four 1.543, with sixteen 1.090. How long did "
        "it take with 32?",
        LONGER,
        "It took 1.214 seconds. Threads are not cores: when there are more threads than cores they take "
        "turns, and all of them share one path to memory.",
        options=("About half as long as with 16", "A little less than with 16", LONGER),
        slips=(
            Slip(
                "more threads, not more speed",
                "Even from one thread to sixteen it became only four times as fast.",
                given="About half as long as with 16",
            ),
            Slip(
                "more threads, not more speed",
                "The gain has been shrinking, and here it turns into a loss.",
                given="A little less than with 16",
            ),
        ),
    ),
    Question(
        "writer",
        "`add` runs with 3 blocks of 4 threads. Which slot of `out` does **thread 1 of block 2** write? Press it, or "
        "type its number.",
        9,
        "Blocks 0 and 1 have the first eight slots, so block 2 begins at 2 · 4 = 8, and its thread 1 has the next one.",
        slips=(
            Slip("thread numbers begin again", "Thread 1 of **block 0** writes slot 1.", given=1),
            Slip("thread numbers begin again", "A block counts as four threads here, not as one.", given=3),
            Slip("counting from zero", "That is thread 1 of block 1: the first block is block 0.", given=5),
            Slip(
                "thread numbers begin again",
                "That counts three threads for each block, but 3 is the number of blocks. A block has four threads.",
                given=7,
            ),
            Slip("counting from zero", "That is thread 0, the first of its block.", given=8),
        ),
        proof=_writer,
        picture=lambda tk: tk.arange(10),
        pick="slot",
    ),
    Question(
        "guard",
        "Suppose that the `if` is missing. There are 12 threads and 10 numbers: what do threads 2 and 3 of "
        "block 2 do?",
        STRAYS,
        "Every thread runs the whole kernel, and nothing in it says where the arrays end.",
        options=(
            "Nothing: a thread without an element does not run",
            "They do the first two elements again",
            STRAYS,
        ),
        slips=(
            Slip(
                "more threads than elements",
                "A launch only sets the number of threads. It does not know how many elements there are.",
                given="Nothing: a thread without an element does not run",
            ),
            Slip(
                "more threads than elements",
                "Their `i` is 10 and 11: it does not begin again at 0.",
                given="They do the first two elements again",
            ),
        ),
        proof=_guard,
    ),
    Question(
        "first_round",
        "One block of 8 threads has put 1, 2, 3, 4, 5, 6, 7, 8 into `totals`. Now comes the first round, the one with "
        "`step` 1. Press each total that changes in it.",
        (1, 3, 5, 7),
        "Only threads whose number is a multiple of 2 · step = 2 have work: 0, 2, 4 and 6. Each adds its "
        "neighbour's total to its own.",
        slips=(
            Slip(
                "counting from zero",
                "The first thread is thread 0, and its total is the first one.",
                given=(2, 4, 6, 8),
            ),
            Slip(
                "a tree adds in rounds",
                "Only every second thread has work in this round.",
                given=(1, 2, 3, 4, 5, 6, 7, 8),
            ),
            Slip(
                "a tree adds in rounds",
                "Those are the ones of the second round, with `step` 2.",
                given=(1, 5),
            ),
            Slip(
                "a tree adds in rounds",
                "That is where the sum ends up. Before that, several threads add at the same time.",
                given=(1,),
            ),
        ),
        proof=_first_round,
        picture=lambda tk: tk.arange(1, 9),
        pick="cells",
    ),
    Question(
        "hurry",
        "A block of 64 threads adds up 64 numbers in the same way, but both barriers are left out. What do you get?",
        SPOILT,
        "A thread may read its neighbour's total before the neighbour has written it.",
        options=("The same sum, and sooner", "The launch is refused", SPOILT),
        slips=(
            Slip(
                "a block does not go in step",
                "At most 32 threads run in step, and not even that is promised. The others of the block may "
                "be ahead or behind.",
                given="The same sum, and sooner",
            ),
            Slip(
                "a block does not go in step",
                "Nothing checks whether a kernel waits where it should.",
                given="The launch is refused",
            ),
        ),
        proof=_hurry,
    ),
    Question(
        "sectors",
        "Thread i of a warp reads `a[i, 0]`: 32 numbers, 128 bytes, down the first column. How many sectors of 32 "
        "bytes have to be moved?",
        32,
        "Rows are 32 · 4 = 128 bytes apart, so no two of these numbers are in one sector.",
        slips=(
            Slip("memory moves in sectors", "Four would be enough for 32 neighbours, as in a row.", given=4),
            Slip("memory moves in sectors", "A column is not one piece of memory; a row is.", given=1),
            Slip("memory moves in sectors", "That is how many bytes the threads need.", given=128),
        ),
        proof=_sectors,
    ),
    Question(
        "tiles",
        "For matrices of 8 × 8, `multiply` reads 1,024 numbers from global memory. How many does `multiply_tiles` "
        "read, with tiles of 4 × 4?",
        256,
        "Each number that is fetched into shared memory is used by four threads, so a quarter of the reads "
        "is left.",
        slips=(
            Slip(
                "a tile is read once",
                "There are as many products as before, but most factors come from shared memory.",
                given=1024,
            ),
            Slip(
                "a tile is read once",
                "That would be each number once. But two blocks need each number, and each block reads it "
                "for itself.",
                given=128,
            ),
            Slip(
                "a tile is read once",
                "A tile has 16 numbers, but each of them saves three reads, not fifteen.",
                given=64,
            ),
        ),
        proof=_tiled_reads,
    ),
)
