"""What lesson 22 asks from memory of earlier lessons, with what proves it."""

from __future__ import annotations

from typing import Any

import numpy

import tensorkit
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

BEHIND = "Thread 40 of block 1 reaches behind the end"
AGAIN = "Thread 3 of block 1 writes slot 3"
IDLE = "Threads 36 to 63 of block 1 do nothing"
IN_STEP = "Slot 20 is always written before slot 50"
SECTORS = "It reads 100 sectors, one for each number"

OTHERS, EQUAL = "Four other numbers, on the device", "Your four numbers, on the device"
REFUSED, FETCHED = "An error: `scale` is on the CPU", "Four other numbers, on the CPU"

cuda: Any = None
"""Whatever runs the kernel hands it its `cuda`; here the name only has to exist."""


def _halve(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i] / 2


def _launched(_: Any) -> str:
    """The true sentence. (Without a barrier no thread waits for another one.)"""
    x = numpy.ones(100, numpy.float32)
    trace = tensorkit.cuda.trace(_halve, 2, 64, x, x.copy())
    read = next(moved.sectors for moved in trace.traffic if moved.kind == "read")
    slots = {(a.block, a.thread): a.slot for a in trace.accesses if a.kind == "write"}
    strayed = {(found.block[0], thread) for found in trace.out_of_bounds for thread in found.others}
    waits = any(step.kind == "barrier" for step in trace.steps)
    true = {
        BEHIND: (1, 40) in strayed,
        AGAIN: slots[1, 3] == 3,
        IDLE: not strayed,
        IN_STEP: waits,
        SECTORS: read == 100,
    }
    (sentence,) = (sentence for sentence, holds in true.items() if holds)
    return sentence


def _on_two_machines(tk: Any) -> str:
    def seen(device: str) -> Any:
        tk.manual_seed(2)
        w, scale = tk.rand(4, device=device), tk.tensor([0.5, 2.0, 0.5, 2.0])
        scale.to(device)
        return w * scale

    yours = seen("cpu")
    try:
        hers = seen("cuda")
    except RuntimeError:
        return REFUSED
    if hers.is_cuda:
        return EQUAL if hers.tolist() == yours.tolist() else OTHERS
    return FETCHED


def _fetches(tk: Any) -> int:
    """One for `cpu()`, and none for reading an array of the CPU's own memory, which `a` is."""
    here = tk.ones(50, device="cuda").cpu()
    a = here.numpy()
    here.mul_(4)
    return 1 if sum(a) == 200 else 1 + len(a)


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "launched",
                "`x` and `out` hold 100 numbers of dtype `float32`. This kernel is launched with 2 blocks of 64 "
                "threads:\n"
                "\n"
                "    i = cuda.grid(1)\n"
                "    out[i] = x[i] / 2\n"
                "\n"
                "Which sentence is true?",
                BEHIND,
                "Its `i` is 64 + 40 = 104, and no `if` holds it back. (Lesson 21)",
                options=(BEHIND, AGAIN, IDLE, IN_STEP, SECTORS),
                slips=(
                    Slip(
                        "thread numbers begin again",
                        "Its number in the block is 3. In the grid it is 64 + 3, so it writes slot 67.",
                        given=AGAIN,
                    ),
                    Slip(
                        "more threads than elements",
                        "Every thread runs the whole kernel. Only an `if` would keep it from writing.",
                        given=IDLE,
                    ),
                    Slip(
                        "a block does not go in step",
                        "They are in one block, but not in one warp: nothing says which is first.",
                        given=IN_STEP,
                    ),
                    Slip(
                        "memory moves in sectors",
                        "Neighbours share them: 400 bytes are 13 sectors of 32 bytes.",
                        given=SECTORS,
                    ),
                ),
                proof=_launched,
            ),
            Question(
                "two_machines",
                "A script seeds, and runs `w = tk.rand(4, device=device)`, `scale = tk.tensor([0.5, 2.0, 0.5, 2.0])`, "
                "`scale.to(device)` and `print(w * scale)`. For you `device` is `'cpu'`, and four numbers appear. What "
                "does a colleague see, with `'cuda'`?",
                REFUSED,
                "`.to()` returns another tensor, and the script drops it. So `scale` is where it was, and `w` is on "
                "the device. (Lessons 07 and 20)",
                options=(REFUSED, OTHERS, EQUAL, FETCHED),
                slips=(
                    Slip(
                        "`.to()` returns",
                        "She would, after `scale = scale.to(device)`. Here what `.to()` returned is lost.",
                        given=OTHERS,
                    ),
                    Slip(
                        "same seed, other device",
                        "Her device makes other numbers from the seed. And `scale` has not moved there.",
                        given=EQUAL,
                    ),
                    Slip(
                        "operands on one device",
                        "Nothing brings `w` to the CPU: that would be a copy which the script does not mention.",
                        given=FETCHED,
                    ),
                ),
                proof=_on_two_machines,
                devices=1,
            ),
            Question(
                "fetches",
                "`x` has 50 numbers on the device. You run `a = x.cpu().numpy()`, and then "
                "`for v in a: total += v`. How many times does something cross from the device to the CPU?",
                1,
                "`cpu()` brings all the numbers over at once. `numpy()` shares what is there, and so the loop only "
                "reads the CPU's memory. (Lessons 15 and 20)",
                slips=(
                    Slip("reading is a crossing", "That would be a loop over `x` with `item()`.", given=50),
                    Slip(
                        "reading is a crossing",
                        "After the first crossing the numbers are on the CPU, and the loop reads them there.",
                        given=51,
                    ),
                    Slip("NumPy shares memory", "`numpy()` copies nothing, and fetches nothing.", given=2),
                ),
                proof=_fetches,
                devices=1,
            ),
        ),
        recall=True,
    ),
)
