"""The exercises of lesson 22, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.lessons.lesson22 import plays
from tensorkit_widgets.lessons.lesson22 import trial_functions as tried
from tensorkit_widgets.lessons.lesson22.programs import TABLE, lettered, told_at
from tensorkit_widgets.practice.checking.checks import number_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.checks_streams import Case, device_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Task

TIMING = "timing a GPU without synchronising"
SMALL = "small work is slower on a GPU"
RACE = "streams race"
WHO = "a stream waits, or the program does"
STALE = "non_blocking reads stale bytes"
BLAME = "device errors blame the wrong line"

_STRIPS = ([[0, 55], [100, 255]], [[1, 2, 3]], [[200]])
_NEGATIVES = ((255, 200, 155, 0), (254, 253, 252), (55,))


def _counts(count: int) -> Case:
    squares = float(sum(3 * (k + 1) ** 2 for k in range(count)))
    return Case(
        f"of {count} batch{'' if count == 1 else 'es'}",
        lambda: (count,),
        (squares, 1),
        tells=plays.waits_tells,
    )


def _told_lines(_tk: Any, _t: Any) -> str:
    """Runs the program of the exercise, on devices that do not block and on devices that do."""
    return " ".join("ABCDEF"[told_at(TABLE, blocking=blocking) - 1] for blocking in (False, True))


TASKS = (
    Task(
        "small_or_large",
        "One large piece, or many small ones",
        "Worked: giving the device a piece of work takes the program 5 µs, however small the piece is. The "
        "device is fast: a sum over 10 million numbers takes it 1,000 µs, one over a thousand numbers 1 µs. "
        "The large sum is finished after 5 + 1,000 = **1005** µs.\n"
        "\n"
        "Your turn: a loop gives it 400 of the small sums, one after the other, and waits once, at the end. "
        "After how many µs is the last one finished? (The device works on one while the program gives the "
        "next.)",
        number_check(
            2001,
            slips=(
                Slip(
                    SMALL,
                    "that is the device's work alone. What about handing it over, 400 times?",
                    given=400,
                ),
                Slip(SMALL, "the program gives the work 400 times, and each time takes 5 µs.", given=405),
                Slip(
                    "a call only queues",
                    "that would be right if the program waited for each sum. It hands over the next one "
                    "meanwhile.",
                    given=2400,
                ),
                Slip(
                    "a call only queues",
                    "at that moment the last sum has only just been handed over. It has to be computed, too.",
                    given=2000,
                ),
            ),
        ),
        (
            "The device is done with each sum long before the next one is given to it.",
            "So the program sets the pace: 400 times 5 µs. And then?",
            "After the last one is handed over, the device needs its 1 µs.",
        ),
        "400 * 5 + 1  # 2001",
        stage="worked",
        entry="1005",
        right=(lambda tk, t: 2001, lambda tk, t: "2,001", lambda tk, t: 400 * 5 + 1.0),
        wrong=(
            (lambda tk, t: 400, SMALL),
            (lambda tk, t: 2400, "a call only queues"),
            (lambda tk, t: 2000, "a call only queues"),
            (lambda tk, t: 1005, ""),
        ),
    ),
    Task(
        "milliseconds",
        "Milliseconds by events",
        "`work` is a function that gives the device something to do. Write a function that returns how many "
        "milliseconds the device takes for it. Fill the four gaps (with other lines, if you like).\n"
        "\n"
        "    def milliseconds(work):\n"
        "        start = tk.cuda.Event(enable_timing=True)\n"
        "        end = tk.cuda.Event(enable_timing=True)\n"
        "        ___\n"
        "        work()\n"
        "        ___\n"
        "        ___\n"
        "        return ___",
        device_check(
            plays.timed,
            Case(
                "on a device that takes its time",
                lambda: (),
                (True, True, True, True),
                tells=plays.timed_tells,
            ),
            slips=(
                Slip(
                    TIMING,
                    "nothing waits for the device: your function answers while the work is still in the queue, so what "
                    "it has timed is the call.",
                    behaves=(tried.by_stopwatch_alone, tried.by_stopwatch_too_late),
                ),
                Slip(
                    TIMING,
                    "the time does not begin where the work begins. Put an event on the stream right before "
                    "`work()`, or let the device finish its earlier work first.",
                    behaves=(tried.by_stopwatch_too_early, tried.by_events_behind),
                ),
            ),
        ),
        (
            "`event.record()` puts an event on the stream. You need one before the work and one after it.",
            "Before you ask for the time, the device must have reached `end`: `end.synchronize()`.",
            "`start.record()`, `work()`, `end.record()`, `end.synchronize()`, and then `start.elapsed_time(end)`.",
        ),
        "def milliseconds(work):\n"
        "    before, after = (tk.cuda.Event(enable_timing=True) for _ in range(2))\n"
        "    before.record()\n"
        "    work()\n"
        "    after.record()\n"
        "    after.synchronize()\n"
        "    return before.elapsed_time(after)",
        stage="faded",
        right=(
            lambda tk, t: tried.by_events,
            lambda tk, t: tried.by_events_after_a_first_call,
            lambda tk, t: tried.by_events_and_the_whole_device,
            lambda tk, t: tried.by_stopwatch,
        ),
        wrong=(
            (lambda tk, t: tried.by_stopwatch_alone, TIMING),
            (lambda tk, t: tried.by_events_without_waiting, TIMING),
            (lambda tk, t: tried.by_stopwatch_too_early, TIMING),
            (lambda tk, t: tried.by_events_behind, TIMING),
            (lambda tk, t: lambda work: work(), ""),
            (lambda tk, t: lambda work: None, ""),
            (lambda tk, t: lambda work: str(tried.by_events(work)), ""),
            (lambda tk, t: lambda work: tried.by_events(work) / 1000, ""),
            (lambda tk, t: lambda work: tried.by_events(work) * 1000, ""),
            (lambda tk, t: lambda work: -tried.by_events(work), ""),
            (lambda tk, t: lambda work: tried.by_events(work) * 0, ""),
        ),
    ),
    Task(
        "on_the_side",
        "On the side",
        "`x` has been written on the current stream, or soon will be. Compute `x * 3` on the stream `side`, "
        "and return it to code that uses it on the **current** stream. The streams have to wait for each "
        "other; the program must not.\n"
        "\n"
        "    def tripled(x, side):\n"
        "        here = tk.cuda.current_stream()\n"
        "        side.wait_stream(___)\n"
        "        with tk.cuda.stream(side):\n"
        "            y = x * 3\n"
        "        ___\n"
        "        return y",
        device_check(
            plays.beside,
            Case(
                "with a busy stream",
                lambda: (),
                (False, True, True, True),
                tells=plays.beside_tells,
            ),
            slips=(
                Slip(
                    RACE,
                    "no stream waits for the other. `side` computes with an `x` that is not written yet, and the "
                    "result is read before it is there.",
                    behaves=tried.side_without_waits,
                ),
                Slip(
                    RACE,
                    "`side` does not wait for the stream that writes `x`: it computes with the old numbers.",
                    behaves=(tried.side_without_the_first, tried.side_waits_for_itself),
                ),
                Slip(
                    RACE,
                    "one wait is missing: the current stream does not wait for `side`, and would read `y` "
                    "before it is made.",
                    behaves=tried.side_without_the_second,
                ),
                Slip(
                    WHO,
                    "`synchronize` holds up the whole program. `wait_stream` and `wait_event` let the queues "
                    "wait, and return at once.",
                    behaves=(tried.side_with_a_halt, tried.side_halted_behind),
                ),
            ),
        ),
        (
            "You need two waits: one before the work on `side`, and one after it.",
            "After `a.wait_stream(b)`, all new work on `a` waits for all the work that `b` has been given so "
            "far.",
            "`side.wait_stream(here)` before the block, `here.wait_stream(side)` after it.",
        ),
        "def tripled(x, side):\n"
        "    current = tk.cuda.current_stream()\n"
        "    side.wait_stream(current)\n"
        "    with tk.cuda.stream(side):\n"
        "        threefold = x * 3\n"
        "    current.wait_stream(side)\n"
        "    return threefold",
        stage="faded",
        right=(
            lambda tk, t: tried.side_by_streams,
            lambda tk, t: tried.side_by_events,
            lambda tk, t: tried.side_by_an_event_alone,
        ),
        wrong=(
            (lambda tk, t: tried.side_without_waits, RACE),
            (lambda tk, t: tried.side_without_the_first, RACE),
            (lambda tk, t: tried.side_without_the_second, RACE),
            (lambda tk, t: tried.side_waits_for_itself, RACE),
            (lambda tk, t: tried.side_with_a_halt, WHO),
            (lambda tk, t: tried.side_not_used, ""),
            (lambda tk, t: lambda x, side: None, ""),
        ),
    ),
    Task(
        "energy",
        "Wait once",
        "`batches` is a list of tensors on the device. This function adds up the squares of all their numbers, and "
        "makes the program wait once for **each** batch. Write it so that the program waits **once**, however long the "
        "list is.\n\n"
        "    def energy(batches):\n"
        "        total = 0.0\n"
        "        for batch in batches:\n"
        "            total += (batch * batch).sum().item()\n"
        "        return total",
        device_check(
            plays.waits_of,
            _counts(1),
            _counts(3),
            _counts(8),
            slips=(
                Slip(
                    "`.item()` waits for the device",
                    "the program still waits in every round. Keep the sum on the device, and take the number out of it "
                    "when the loop is over.",
                    behaves=(tried.energy_by_item, tried.energy_at_home),
                ),
            ),
        ),
        (
            "Which of the calls in the loop needs a number on the CPU?",
            "A sum can stay on the device: the total may be a tensor, too.",
            "Add up `(batch * batch).sum()` without `.item()`, and call `.item()` on the total, after the "
            "loop.",
        ),
        "def energy(batches):\n"
        "    total = 0.0\n"
        "    for batch in batches:\n"
        "        total = total + (batch * batch).sum()\n"
        "    return total.item()",
        right=(
            lambda tk, t: tried.energy_on_the_device,
            lambda tk, t: tried.energy_of_a_stack,
            lambda tk, t: tried.energy_from_zero,
            lambda tk, t: tried.energy_of_a_list,
        ),
        wrong=(
            (lambda tk, t: tried.energy_by_item, "`.item()` waits for the device"),
            (lambda tk, t: tried.energy_at_home, "`.item()` waits for the device"),
            (lambda tk, t: tried.energy_left_there, ""),
            (lambda tk, t: tried.energy_twice, ""),
            (lambda tk, t: tried.energy_of_the_last, ""),
            (lambda tk, t: lambda batches: None, ""),
        ),
    ),
    Task(
        "told_where",
        "Which line reports it?",
        "The table has ten rows, so 10 is not one of its indices.\n"
        "\n" + lettered(TABLE, "ABCDEF") + "\n\n"
        "Which line reports the error when you run the program as it is, and which one with `CUDA_LAUNCH_BLOCKING=1`? "
        "Give two letters, in this order.",
        letters_check(
            "FC",
            {
                "C": Slip(
                    BLAME,
                    "which line reports it when each call waits for its own work? Think of C.",
                    given="",
                ),
                "F": Slip(
                    BLAME,
                    "without blocking, which line is the first that needs a number? Think of F.",
                    given="",
                ),
                "E": Slip(BLAME, "E gives the device more work, and waits for nothing.", given=""),
                "D": Slip(BLAME, "a shape is known without the device: D waits for nothing.", given=""),
                "B": Slip(
                    BLAME, "a tensor may hold a 10. It is wrong only as an index of `table`.", given=""
                ),
                "A": Slip(BLAME, "line A only makes ten zeros.", given=""),
            },
            ordered="the right two letters, in the wrong order: first the program as it is, then with blocking.",
        ),
        (
            "With blocking every call waits for its own work, so the line with the mistake reports it.",
            "Without it, find the first line that needs a number from the device.",
            "The lookup is C; the first number is needed in F.",
        ),
        '"F C"  # as it is; with blocking',
        entry="A B",
        right=(lambda tk, t: "F C", lambda tk, t: ["f", "c"], _told_lines),
        wrong=(
            (lambda tk, t: "C", BLAME),
            (lambda tk, t: "C F", ""),
            (lambda tk, t: "C E", BLAME),
            (lambda tk, t: "D C", BLAME),
            (lambda tk, t: "F B", BLAME),
        ),
    ),
    Task(
        "negatives",
        "A photograph in strips",
        "A photograph comes in `strips`, `uint8` tensors in pinned memory. Copy each to the device on the "
        "stream `copying`, and make its negative (255 minus each number) on the stream `working`, so that "
        "the next strip is on its way while this one is worked on. Return a list of the negatives, on the "
        "device, in order. The program must not wait.\n"
        "\n"
        "    def negatives(strips, copying, working):\n"
        "        ...\n"
        "        return ...",
        device_check(
            plays.in_turn,
            Case(
                "of three strips",
                lambda: (_STRIPS,),
                (False, True, True, True, _NEGATIVES),
                tells=plays.in_turn_tells,
            ),
            slips=(
                Slip(
                    RACE,
                    "`working` does not wait for `copying`: it makes negatives of bytes that have not arrived.",
                    behaves=tried.negatives_that_race,
                ),
                Slip(
                    WHO,
                    "the program waits for a copy. A copy that is only queued needs `non_blocking=True`; and it is "
                    "`working` that has to wait for it, by an event or `wait_stream`.",
                    behaves=(tried.negatives_that_wait, tried.negatives_that_halt),
                ),
                Slip(
                    WHO,
                    "`working` was given nothing to do: on one stream, each strip waits for the negative before it.",
                    behaves=(tried.negatives_on_one_stream, tried.negatives_at_home),
                ),
            ),
        ),
        (
            "In the loop: a block on `copying`, a wait, a block on `working`.",
            '`strip.to("cuda", non_blocking=True)` only queues the copy. `working.wait_stream(copying)` comes between '
            "the two blocks.",
            "`working` reads memory that was made on `copying`, so `there.record_stream(working)` keeps that "
            "memory from being used again too soon.",
        ),
        "def negatives(strips, copying, working):\n"
        "    made = []\n"
        "    for strip in strips:\n"
        "        with tk.cuda.stream(copying):\n"
        "            there = strip.to('cuda', non_blocking=True)\n"
        "        working.wait_stream(copying)\n"
        "        with tk.cuda.stream(working):\n"
        "            made.append(255 - there)\n"
        "        there.record_stream(working)\n"
        "    return made",
        right=(
            lambda tk, t: tried.negatives_by_streams,
            lambda tk, t: tried.negatives_by_events,
            lambda tk, t: tried.negatives_in_two_loops,
        ),
        wrong=(
            (lambda tk, t: tried.negatives_that_race, RACE),
            (lambda tk, t: tried.negatives_that_wait, WHO),
            (lambda tk, t: tried.negatives_that_halt, WHO),
            (lambda tk, t: tried.negatives_on_one_stream, WHO),
            (lambda tk, t: lambda strips, copying, working: [], ""),
            (
                lambda tk, t: (
                    lambda strips, copying, working: tried.negatives_by_events(strips, working, copying)
                ),
                "",
            ),
            (
                lambda tk, t: (
                    lambda strips, copying, working: tried.negatives_by_events(strips[:1], copying, working)
                ),
                "",
            ),
        ),
    ),
    Task(
        "repair",
        "Repair it",
        "This function fetches the numbers of `x` to the CPU. They are nearly always right, but now and then "
        "they are old ones. Repair it.\n"
        "\n"
        "    def fetched(x):\n"
        "        here = tk.empty(x.shape, dtype=x.dtype, pin_memory=True)\n"
        "        here.copy_(x, non_blocking=True)\n"
        "        return here.tolist()",
        device_check(
            plays.fetching,
            Case("from a device that takes its time", lambda: (), True, tells=plays.fetched_tells),
            slips=(
                Slip(
                    STALE,
                    "the list is made while the copy is still in the queue. `tolist()` of a tensor on the "
                    "CPU waits for nothing. The program has to wait for the copy, so the wait has to come "
                    "after the copy.",
                    behaves=(tried.fetched_too_early, tried.fetched_after_a_wait_before),
                ),
            ),
        ),
        (
            "`here` is on the CPU: nothing in the last line waits for the device.",
            "Wait between the copy and the reading. For what, and with which call?",
            "`tk.cuda.current_stream().synchronize()` before the last line; or an event that is recorded "
            "after the copy.",
        ),
        "def fetched(x):\n"
        "    home = tk.empty(x.shape, dtype=x.dtype, pin_memory=True)\n"
        "    home.copy_(x, non_blocking=True)\n"
        "    tk.cuda.current_stream().synchronize()\n"
        "    return home.tolist()",
        right=(
            lambda tk, t: tried.fetched_after_the_stream,
            lambda tk, t: tried.fetched_after_an_event,
            lambda tk, t: tried.fetched_blocking,
        ),
        wrong=(
            (lambda tk, t: tried.fetched_too_early, STALE),
            (lambda tk, t: tried.fetched_after_a_wait_before, STALE),
            (lambda tk, t: tried.fetched_after_a_stream_waited, STALE),
            (lambda tk, t: tried.fetched_as_a_tensor, ""),
            (lambda tk, t: lambda x: None, ""),
        ),
    ),
)
