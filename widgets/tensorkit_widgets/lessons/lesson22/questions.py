"""The predictions of lesson 22, with what proves them: on the kit's emulated devices, whose streams can be held."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.lessons.lesson22.programs import LATE, WAITS, lettered, told_at
from tensorkit_widgets.practice.checking.checks_streams import counted
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

ALWAYS_8 = "8: the lines run in their order"
ALWAYS_1 = "1: the idle stream is always first"
EITHER = "1 or 8: nothing says which is first"


def _stopwatch(_: Any) -> str:
    with tk.cuda.emulate() as devices, devices.late():
        a = tk.ones(3, 3, device="cuda")
        tk.cuda.synchronize()
        a @ a
        back_first = not tk.cuda.current_stream().query()
        tk.cuda.synchronize()
    return "The line with `synchronize()`" if back_first else "The line with `@`"


def _waiting(_: Any) -> tuple[int, ...]:
    with tk.cuda.emulate():
        its: dict[str, Any] = {"x": tk.arange(5.0, device="cuda")}
        waits = [counted(lambda act=act: act(its))[1] > 0 for _, act in WAITS]  # type: ignore[misc]
    return tuple(number for number, waited in enumerate(waits, start=1) if waited)


def _raced(_: Any) -> str:
    """Each of the two streams is held once, so that the other one is first."""
    found = set()
    with tk.cuda.emulate() as devices:
        side, current = tk.cuda.Stream(), tk.cuda.current_stream()
        for late in (side, current):
            x = tk.zeros(3, device="cuda")
            tk.cuda.synchronize()
            with devices.hold(late):
                with tk.cuda.stream(side):
                    x.fill_(7)
                y = x + 1
            found.add(y.tolist()[0])
            tk.cuda.synchronize()
    return EITHER if found == {1.0, 8.0} else str(found)


def _early(_: Any) -> int:
    with tk.cuda.emulate() as devices:
        x, here = tk.full((3,), 5.0, device="cuda"), tk.zeros(3, pin_memory=True)
        with devices.hold():
            here.copy_(x, non_blocking=True)
            return int(here.sum().item())


QUESTIONS = (
    Question(
        "stopwatch",
        "`a` and `b` are matrices of 1,000 × 1,000 on the device, which has nothing else to do. We start a stopwatch, "
        "run `c = a @ b`, and read it; then we run `tk.cuda.synchronize()`, and read it again. Which of the two parts "
        "takes longer?",
        "The line with `synchronize()`",
        "`a @ b` only hands the work over and returns. The product is computed while the program runs its "
        "next lines, so the first line that has to wait takes all the time.",
        options=("The line with `@`", "The line with `synchronize()`"),
        slips=(
            Slip(
                "timing a GPU without synchronising",
                "On the CPU that would be right. Here the call is over long before the product is.",
                given="The line with `@`",
            ),
        ),
        proof=_stopwatch,
    ),
    Question(
        "which_wait",
        '`x = tk.arange(5.0, device="cuda")`. Which of these six lines make the program wait for the device? Press '
        "their numbers.\n\n" + lettered(WAITS, "123456"),
        (4, 5, 6),
        "4 and 6 show numbers, which have to be computed first. 5 needs to know how many are `True`, because "
        "the program keeps the size of `z`. 1 and 3 only hand work to the device, and the program knows the "
        "shape in 2.",
        slips=(
            Slip(
                "`.item()` waits for the device",
                "One more wait is well hidden: the **size** of `y[y > 4]` depends on the numbers.",
                given=(4, 6),
            ),
            Slip("`.item()` waits for the device", "Printing a tensor shows its numbers, too.", given=(4,)),
            Slip(
                "a call only queues",
                "Line 2 shows a shape, which the program keeps itself.",
                given=(2, 4, 6),
            ),
            Slip(
                "a call only queues",
                "Line 2 shows a shape, which the program keeps itself.",
                given=(2, 4, 5, 6),
            ),
            Slip(
                "a call only queues",
                "`y.sum()` in line 3 is a tensor on the device. Nothing reads it yet.",
                given=(3, 4, 5, 6),
            ),
            Slip(
                "a call only queues",
                "If every line waited, the CPU and the device could never work side by side.",
                given=(1, 2, 3, 4, 5, 6),
            ),
        ),
        proof=_waiting,
        picture=lambda tk: tk.arange(1, 7),
        pick="cells",
    ),
    Question(
        "small_steps",
        "A webinar timed a loop over a million numbers, `for i in range(len(t)): sum += t[i]`. On the laptop's CPU it "
        "took 1.37 s. How long did it take with `t` on the laptop's GPU?",
        "4.54 s",
        "Each of the million steps gives the device work of its own, and that takes about 4.5 µs, whatever "
        "there is to add. The addition itself takes next to nothing.",
        options=("4.54 s", "1.36 s", "0.05 ms"),
        slips=(
            Slip(
                "small work is slower on a GPU",
                "Each step has to be given to the device, and that takes longer than an addition on the CPU.",
                given="1.36 s",
            ),
            Slip(
                "small work is slower on a GPU",
                "That is what one `t.sum()` took on the GPU, for the whole million at once. The loop adds "
                "one number at a time.",
                given="0.05 ms",
            ),
        ),
    ),
    Question(
        "race",
        "The stream `side` is still busy with earlier work, and the current stream has nothing to do.\n"
        "\n"
        '    x = tk.zeros(3, device="cuda")\n'
        "    with tk.cuda.stream(side):\n"
        "        x.fill_(7)\n"
        "    y = x + 1\n"
        "\n"
        "What may `y[0]` hold in the end?",
        EITHER,
        "`x.fill_(7)` is in one queue, `x + 1` in another, and nothing makes one wait for the other. The idle stream "
        "is likely to be first, and that is all you can say.",
        options=(ALWAYS_8, ALWAYS_1, EITHER),
        slips=(
            Slip(
                "streams race",
                "That would be the order of the lines. Each stream keeps its own order, and only its own.",
                given=ALWAYS_8,
            ),
            Slip(
                "streams race",
                "Likely, since that stream is idle. But nothing promises it: a program that relies on it is wrong.",
                given=ALWAYS_1,
            ),
        ),
        proof=_raced,
    ),
    Question(
        "early_read",
        "`x`, on the device, holds 5, 5, 5. `here = tk.zeros(3, pin_memory=True)` is on the CPU. The device "
        "is still busy with earlier work.\n"
        "\n"
        "    here.copy_(x, non_blocking=True)\n"
        "    print(here.sum().item())\n"
        "\n"
        "What is printed?",
        0,
        "The copy is in the queue, behind the earlier work. `here` is a tensor on the CPU, so nothing makes the "
        "program wait before it reads it.",
        slips=(
            Slip(
                "non_blocking reads stale bytes",
                "That needs a wait between the two lines. `.item()` of a tensor **on the CPU** waits for nothing.",
                given=15,
            ),
        ),
        proof=_early,
    ),
    Question(
        "told_late",
        "Index 99 does not exist. At which line does the error surface here? Press its number.\n\n"
        + lettered(LATE, "123456"),
        (6,),
        "The lookup fails on the device, while the program runs on. Line 4 is only queued, line 5 needs a "
        "shape. Line 6 has to wait for the numbers, so the error surfaces there. (A GPU may report it at any "
        "call in between.)",
        slips=(
            Slip(
                "device errors blame the wrong line",
                "That is where the mistake shows on the CPU. Here line 3 only gives work to the device, and "
                "returns.",
                given=(3,),
            ),
            Slip(
                "device errors blame the wrong line",
                "Line 4 hands over more work, and needs no result.",
                given=(4,),
            ),
            Slip("device errors blame the wrong line", "A shape is known without the device.", given=(5,)),
            Slip(
                "device errors blame the wrong line",
                "A tensor may hold a 99. It is wrong only as an index of `x`.",
                given=(2,),
            ),
        ),
        proof=lambda _: (told_at(LATE),),
        picture=lambda tk: tk.arange(1, 7),
        pick="cells",
    ),
)
