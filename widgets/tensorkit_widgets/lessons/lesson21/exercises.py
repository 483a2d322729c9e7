"""The exercises of lesson 21, with the kernels that prove their checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy import float32

import tensorkit
from tensorkit_widgets.lessons.lesson21 import trial_kernels as k
from tensorkit_widgets.practice.checking.checks import tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.kernels import Launch, kernel_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

ROUNDED = "blocks are rounded up"
AGAIN = "thread numbers begin again"
GUARD = "more threads than elements"
ALONG = "x runs along a row"
STEP = "a block does not go in step"
ALL = "all threads reach a barrier"
UPDATE = "an update is two steps"
SECTORS = "memory moves in sectors"


def _kernel(kernel: Any) -> Any:
    """An answer that is this kernel, whatever the library."""
    return lambda tk, t: kernel


def _counts(*corner: int) -> list[int]:
    pixels, _ = k.photograph(*corner)
    return [int(n) for n in numpy.bincount(pixels.reshape(-1) // 16, minlength=16)]


def _turned(blocks: int) -> Any:
    return numpy.arange(blocks * k.BLOCK, dtype=float32).reshape(blocks, -1)[:, ::-1].reshape(-1)


def _row_of(blocks: int) -> tuple[Any, Any]:
    x = numpy.arange(blocks * k.BLOCK, dtype=float32)
    return x, numpy.zeros_like(x)


def _wasteful(tk: Any, t: Any) -> str:
    """The letters of the lines for which a warp moves more than four sectors, found by tracing them."""
    slots = {"A": lambda i: 160 + i, "B": lambda i: 32 * i + 5, "C": lambda i: 2 * i, "D": lambda i: 31 - i}

    def sectors(slot: Callable[[int], int]) -> int:
        places = numpy.array([slot(i) for i in range(32)])
        trace = tensorkit.cuda.trace(
            k.walk, 1, 32, numpy.ones(1024, float32), places, numpy.ones(32, float32)
        )
        return next(moved.sectors for moved in trace.traffic if moved.array == "x")

    return " ".join(letter for letter, slot in slots.items() if sectors(slot) > 4)


TASKS = (
    Task(
        "how_many_blocks",
        "How many blocks?",
        "This kernel is known as **saxpy**: a times x, plus y.\n\n"
        "    def saxpy(a, x, y):\n"
        "        i = cuda.grid(1)\n"
        "        if i < y.size:\n"
        "            y[i] += a * x[i]\n\n"
        "Worked: for 100 numbers in blocks of 32 threads, three blocks are 96 threads, too few. Four blocks are 128; "
        "28 of those threads have nothing to do. So: **(4, 28)**.\n\n"
        "Your turn: 1,000 numbers in blocks of 128. How many blocks, and how many threads have nothing to do?",
        tuple_check(
            8,
            24,
            slips=(
                Slip(
                    ROUNDED,
                    "7 blocks are 896 threads, and the last 104 numbers get no thread. You need a whole "
                    "block for them.",
                    given=(7, 104),
                ),
                Slip(ROUNDED, "7 blocks are 896 threads: too few for 1,000 numbers.", given=(7, 0)),
                Slip(ROUNDED, "8 blocks are 8 · 128 threads, more than 1,000.", given=(8, 0)),
                Slip(
                    ROUNDED,
                    "1,024 is the number of all threads. How many of them have nothing to do?",
                    given=(8, 1024),
                ),
            ),
        ),
        (
            "How many threads do 7 blocks have, and how many do 8 have?",
            "1000 / 128 is 7.8: round up.",
            "8 · 128 = 1024 threads, for 1000 numbers.",
        ),
        "(8, 24)",
        stage="worked",
        entry="(4, 28)",
        right=(
            lambda tk, t: (8, 24),
            lambda tk, t: "8, 24",
            lambda tk, t: (-(-1000 // 128), -(-1000 // 128) * 128 - 1000),
        ),
        wrong=(
            (lambda tk, t: (7, 104), ROUNDED),
            (lambda tk, t: (7, 0), ROUNDED),
            (lambda tk, t: (8, 1024), ROUNDED),
            (lambda tk, t: (9, 152), ""),
        ),
    ),
    Task(
        "add_tables",
        "Rows and columns",
        "`a`, `b` and `out` are tables of the same size. Blocks of 4 × 4 threads cover them: a thread with a "
        "larger `x` is further to the **right**, and one with a larger `y` is further **down**. Fill the "
        "gaps, so that every thread adds one pair.\n"
        "\n"
        "    def add_tables(a, b, out):\n"
        "        x, y = cuda.grid(2)\n"
        "        if ___:\n"
        "            out[___] = a[___] + b[___]",
        kernel_check(
            Launch(
                "For 3 rows and 10 columns, with 3 × 1 blocks of 4 × 4",
                (3, 1),
                (4, 4),
                lambda: k.table(3, 10),
                k.table(3, 10)[0] * 11,
            ),
            Launch(
                "For 6 rows and 2 columns, with 1 × 2 blocks of 4 × 4",
                (1, 2),
                (4, 4),
                lambda: k.table(6, 2),
                k.table(6, 2)[0] * 11,
            ),
            slips=(
                Slip(
                    ALONG,
                    "`x` and `y` have changed places. The row comes first between the brackets, and it is `y` that "
                    "grows downwards: with 10 columns, the last six of them have no thread to add them up.",
                    behaves=k.add_swapped,
                ),
                Slip(
                    ALONG,
                    "the element is right, but the guard compares `x` with the number of rows. `shape[0]` counts rows, "
                    "and `y` is the row.",
                    behaves=k.crossed,
                ),
            ),
        ),
        (
            "`out.shape` is (rows, columns). Which of `x` and `y` counts rows?",
            "`y` counts rows: the element is `[y, x]`.",
            "The guard needs both: `y < out.shape[0] and x < out.shape[1]`.",
        ),
        "def add_tables(a, b, out):\n"
        "    x, y = cuda.grid(2)\n"
        "    if y < out.shape[0] and x < out.shape[1]:\n"
        "        out[y, x] = a[y, x] + b[y, x]",
        stage="faded",
        right=(_kernel(k.add_tables), _kernel(k.add_by_parts), _kernel(k.add_by_loop)),
        wrong=(
            (_kernel(k.add_swapped), ALONG),
            (_kernel(k.crossed), ALONG),
            (_kernel(k.add_unguarded), GUARD),
            (_kernel(k.add_one_guard), GUARD),
        ),
    ),
    Task(
        "rises",
        "From one to the next",
        "`x` holds a temperature for each hour, and `out` has one slot fewer. Write a kernel that puts the "
        "rise from hour `i` to the next hour into `out[i]`. It may be launched with more threads than there "
        "are slots.\n"
        "\n"
        "    def rises(x, out):\n"
        "        ...",
        kernel_check(
            Launch(
                "For 11 hours, with 3 blocks of 4 threads",
                3,
                4,
                lambda: k.row(4, 5, 7, 6, 6, 9, 3, 1, 0, 2, 8),
                [1, 2, -1, 0, 3, -6, -2, -1, 2, 6],
            ),
            Launch("For 3 hours, with 1 block of 8 threads", 1, 8, lambda: k.row(1, 10, 5), [9, -5]),
            Launch(
                "For 8 hours, with 3 blocks of 3 threads",
                3,
                3,
                lambda: k.row(2, 2, 5, 1, 1, 7, 7, 6),
                [0, 3, -4, 0, 6, 0, -1],
            ),
            slips=(
                Slip(
                    AGAIN,
                    "only the first block's slots are right, and every block writes them. `cuda.threadIdx.x` "
                    "begins again at 0 in each block; `cuda.grid(1)` keeps counting.",
                    behaves=(k.first_block_only, k.first_block_unguarded),
                ),
                Slip(
                    AGAIN,
                    "several threads write each slot. Only one thread should write a slot: which number does "
                    "a thread have in the whole grid?",
                    behaves=(k.every_thread_does_all, k.whole_blocks),
                ),
                Slip(
                    "", "that is by how much it **fell**: the later one comes first.", behaves=k.upside_down
                ),
                Slip(
                    "counting from zero",
                    "that compares each hour with the one before, and hour 0 has none before it: `x[-1]` is "
                    "the last one. `out[0]` is the rise from hour 0 to hour 1.",
                    behaves=(k.looked_back, k.looked_back_from_one),
                ),
            ),
        ),
        (
            "One thread for each slot of `out`. Which slot is this thread's?",
            "`i = cuda.grid(1)`; then it needs `x[i + 1]` and `x[i]`.",
            "Which `i` are too large? Those that `out` does not have: `if i < out.size`.",
        ),
        "def rises(x, out):\n    hour = cuda.grid(1)\n"
        "    if hour < out.size:\n        out[hour] = x[hour + 1] - x[hour]",
        right=(_kernel(k.rises), _kernel(k.rises_early_return), _kernel(k.rises_by_stride)),
        wrong=(
            (_kernel(k.rises_unguarded), GUARD),
            (_kernel(k.rises_too_far), GUARD),
            (_kernel(k.first_block_only), AGAIN),
            (_kernel(k.first_block_unguarded), AGAIN),
            (_kernel(k.every_thread_does_all), AGAIN),
            (_kernel(k.whole_blocks), AGAIN),
            (_kernel(k.looked_back), "counting from zero"),
            (_kernel(k.looked_back_from_one), "counting from zero"),
            (_kernel(k.blocks_of_four), ""),
            (_kernel(k.added), ""),
            (_kernel(k.upside_down), ""),
        ),
    ),
    Task(
        "which_walk",
        "Which lines waste traffic?",
        "A warp of 32 threads, `i` from 0 to 31. `a` is a contiguous 32 × 32 matrix of `float32`, `x` is a "
        "long row of `float32`, and both begin where a sector begins. In each line every thread reads one "
        "number.\n"
        "\n"
        "    A   a[5, i]\n"
        "    B   a[i, 5]\n"
        "    C   x[2 * i]\n"
        "    D   x[31 - i]\n"
        "\n"
        "For which lines are **more than four** sectors moved? Give their letters.",
        letters_check(
            "BC",
            {
                "A": Slip(
                    SECTORS, "about A: row 5 is one piece of 128 bytes, like any other row.", given="A"
                ),
                "B": Slip(
                    SECTORS,
                    "about B: down a column, each number is in a row, and a sector, of its own.",
                    given="B",
                ),
                "C": Slip(
                    SECTORS,
                    "about C: every other number is skipped, but it is moved all the same.",
                    given="C",
                ),
                "D": Slip(
                    SECTORS,
                    "about D: the same 32 neighbours, the last one first. It makes no difference which "
                    "thread reads which of them.",
                    given="D",
                ),
            },
        ),
        (
            "Which slots does the warp read in each line? Are they neighbours?",
            "Four sectors are 32 neighbours. In C the slots are 0, 2, 4, … 62.",
            "B touches 32 rows; C reaches over 63 slots, eight sectors. A and D are 32 neighbours each.",
        ),
        '"B C"  # down a column, and every other number',
        stage="free",
        entry="A D",
        right=(lambda tk, t: "B C", lambda tk, t: ["c", "b"], _wasteful),
        wrong=(
            (lambda tk, t: "B", SECTORS),
            (lambda tk, t: "B C D", SECTORS),
            (lambda tk, t: "A B C", SECTORS),
            (lambda tk, t: "A D", SECTORS),
        ),
    ),
    Task(
        "histogram",
        "How bright is the photograph?",
        "A photograph in grey is a table of bytes, 0 for black and 255 for white. Count its pixels by "
        "brightness, in sixteen steps: `counts[0]` is for those from 0 to 15, `counts[1]` for those from 16 "
        "to 31, and so on. There is one thread for each pixel: `x` counts to the right, `y` down. `counts` "
        "begins with zeros.\n"
        "\n"
        "    def histogram(photo, counts):\n"
        "        ...",
        kernel_check(
            Launch(
                "For a corner of 5 × 9 pixels",
                (3, 2),
                (4, 4),
                lambda: k.photograph(5, 9),
                lambda: _counts(5, 9),
            ),
            Launch(
                "For the photograph of lesson 01, every thirty-second pixel",
                (4, 5),
                (4, 4),
                k.photograph,
                _counts,
            ),
            slips=(
                Slip(
                    UPDATE,
                    "pixels were lost. `counts[s] += 1` reads, adds and writes, and other threads with "
                    "pixels of the same brightness can come in between. `cuda.atomic.add(counts, s, 1)` does "
                    "it in one step.",
                    behaves=k.histogram_lost,
                ),
                Slip(
                    ALONG,
                    "`x` and `y` have changed places: the row comes first, and `y` is the row.",
                    behaves=k.histogram_swapped,
                ),
                Slip(
                    "",
                    "`% 16` gives the remainder. Divide to find the step that a brightness belongs to: `// "
                    "16`.",
                    behaves=k.histogram_remainder,
                ),
            ),
        ),
        (
            "The pixel of a thread is `photo[y, x]`. Which slot of `counts` is it counted in?",
            "`photo[y, x] // 16`. Many threads may want the same slot at once: what does that need?",
            "`cuda.atomic.add(counts, photo[y, x] // 16, 1)`, behind a guard for both `x` and `y`.",
        ),
        "def histogram(photo, counts):\n"
        "    column, row = cuda.grid(2)\n"
        "    if row < photo.shape[0] and column < photo.shape[1]:\n"
        "        cuda.atomic.add(counts, photo[row, column] // 16, 1)",
        right=(
            _kernel(k.histogram),
            _kernel(k.histogram_by_product),
            _kernel(k.histogram_by_shift),
            _kernel(k.histogram_by_rows),
            _kernel(k.histogram_returned),
            _kernel(k.histogram_shared),
        ),
        wrong=(
            (_kernel(k.histogram_lost), UPDATE),
            (_kernel(k.histogram_unguarded), GUARD),
            (_kernel(k.histogram_swapped), ALONG),
            (_kernel(k.histogram_remainder), ""),
        ),
    ),
    Task(
        "turn",
        "Repair it",
        "This kernel should turn each block of 64 numbers round, so that the last one comes first. It is "
        "launched with 64 threads in a block, and one block for every 64 numbers. Sometimes its result is "
        "wrong. Repair it.\n"
        "\n"
        "    def turn(x, out):\n"
        "        part = cuda.shared.array(64, float32)\n"
        "        t = cuda.threadIdx.x\n"
        "        part[t] = x[cuda.grid(1)]\n"
        "        out[cuda.grid(1)] = part[63 - t]",
        kernel_check(
            Launch("For one block of 64", 1, k.BLOCK, lambda: _row_of(1), _turned(1)),
            Launch("For two blocks of 64", 2, k.BLOCK, lambda: _row_of(2), _turned(2)),
            slips=(
                Slip(
                    STEP,
                    "a thread reads `part[63 - t]` although the thread that writes it may not have done so "
                    "yet. All threads have to wait between the write and the read.",
                    behaves=(k.turn_broken, k.turn_late),
                ),
                Slip(
                    ALL,
                    "half of the block waits at a barrier that the other half never reaches. A barrier is "
                    "for all threads of the block: it must not be in an `if` that some of them skip.",
                    behaves=k.turn_half,
                ),
                Slip(
                    AGAIN,
                    "every block turns the **first** 64 numbers round. `t` begins again in each block; for "
                    "`x` and `out` you need the number in the whole grid, `cuda.grid(1)`.",
                    behaves=k.turn_twice,
                ),
                Slip(
                    "",
                    "that turns the whole row round. Each block of 64 should stay where it is.",
                    behaves=k.last_of_all,
                ),
            ),
        ),
        (
            "Trace it: `print(tk.cuda.trace(turn, 1, 64, x, out))`, with `x` and `out` of 64 numbers. What was found?",
            "Thread 0 reads what thread 63 writes. Has thread 63 written it by then?",
            "`cuda.syncthreads()`, between the line that writes `part` and the line that reads it.",
        ),
        "def turn(x, out):\n"
        "    part = cuda.shared.array(64, float32)\n"
        "    t = cuda.threadIdx.x\n"
        "    part[t] = x[cuda.grid(1)]\n"
        "    cuda.syncthreads()\n"
        "    out[cuda.grid(1)] = part[63 - t]",
        right=(_kernel(k.turn), _kernel(k.turn_behind), _kernel(k.turn_directly)),
        wrong=(
            (_kernel(k.turn_broken), STEP),
            (_kernel(k.turn_late), STEP),
            (_kernel(k.turn_half), ALL),
            (_kernel(k.turn_twice), AGAIN),
            (_kernel(k.last_of_all), ""),
        ),
    ),
)
