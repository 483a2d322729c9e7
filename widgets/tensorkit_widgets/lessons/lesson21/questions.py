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

__all__ = ["QUESTIONS", "QUIZZES"]

LONGER = "Longer than with 16"
STRAYS = "They reach for slots behind the end of the arrays"
CALLS = "Into a million calls from Python, one for each element"
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


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "down",
                "`a` is contiguous and has the size (32, 32). `a[0, 0]` is in slot 0. In which slot is `a[1, "
                "0]`?",
                32,
                "One row down is 32 slots further: the stride is (32, 1). (Lesson 02)",
                slips=(
                    Slip(
                        "strides follow the view",
                        "Slot 1 holds `a[0, 1]`, the neighbour to the right.",
                        given=1,
                    ),
                    Slip("strides count slots", "That is the distance in bytes.", given=128),
                ),
                proof=lambda tk: int(tk.zeros(32, 32).stride(0)),
            ),
            Question(
                "loop",
                "Adding up a million numbers by `for v in t: total += v` takes far longer than `t.sum()`. Where does "
                "the time go?",
                CALLS,
                "The additions are the same. The calls are what takes the time, and the loop makes one for "
                "each element. (Lesson 12)",
                options=(
                    CALLS,
                    "Into the additions: `sum` does fewer of them",
                    "Into copying `t` once for each turn",
                ),
                slips=(
                    Slip(
                        "element loops",
                        "Both do a million additions.",
                        given="Into the additions: `sum` does fewer of them",
                    ),
                    Slip(
                        "element loops",
                        "Nothing is copied: each `v` is a view.",
                        given="Into copying `t` once for each turn",
                    ),
                ),
                proof=lambda tk: CALLS if sum(1 for _ in tk.ones(1000)) == 1000 else "Into the additions",
            ),
            Question(
                "wrap",
                "Two pixels of dtype `uint8` hold 200 and 100. What is their sum, as `uint8`?",
                44,
                "300 does not fit into eight bits, so the count begins again at 0 after 255: 300 - 256. "
                "(Lesson 06)",
                slips=(
                    Slip("integers wrap", "300 needs nine bits; `uint8` has eight.", given=300),
                    Slip("integers wrap", "It does not stop at the largest number.", given=255),
                ),
                proof=lambda tk: int(
                    (tk.tensor([200], dtype=tk.uint8) + tk.tensor([100], dtype=tk.uint8)).item()
                ),
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
