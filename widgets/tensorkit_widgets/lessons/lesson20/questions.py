"""The questions and the quiz of lesson 20, with what proves them."""

from __future__ import annotations

import contextlib
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

RETURNS = "`.to()` returns"
SAME = "`.to()` may give the same tensor"
COPY = "a copy is not a view"
PLACE = "operands on one device"
TRIP = "reading is a crossing"
SEED = "same seed, other device"
NUMPY = "NumPy shares memory"
GRAPH = "a loss keeps its graph"
ADDS, AGAIN, LEAF = "backward adds", "second backward fails", "`.grad` of a non-leaf"
POSITION, BLOCKS = "a seed is a position", "randn works in blocks"

ONE_INPUT, NO_GRAPH = "Those of one input, and 500 graphs", "Those of one input, and no graph"
ALL_INPUTS = "Those of 500 inputs, and 500 graphs"
RAND, BOTH_SAME, REPEATED = (
    "With `rand` only",
    "With `rand` and with `randn`",
    "With neither: twelve come twice",
)

STAYS = "On the CPU, as before"
WENT = "On the device: it moved"
BOTH = "In both memories at once"

OTHERS = "Four others, the same on every run"
EQUAL = "The same four as on the CPU"
NEVER = "Four others, new on every run"


def _to_alone(tk: Any) -> str:
    t1 = tk.tensor([1.0, 2.0, 3.0])
    t1.to("cuda")
    return STAYS if str(t1.device) == "cpu" else WENT


def _copy_over(tk: Any) -> tuple[int, ...]:
    t1 = tk.tensor([1.0, 2.0, 3.0])
    t1_gpu = t1.to("cuda")
    t1[0] = 9.0
    return tuple(map(int, t1_gpu.tolist()))


def _already_there(tk: Any) -> tuple[int, ...]:
    t = tk.arange(4.0)
    u = t.to("cpu")
    u[1:3] = 7.0
    return tuple(n for n in range(4) if t[n].item() == 7.0) or (-1,)


def _mixed(tk: Any) -> str:
    t1 = tk.tensor([1.0, 2.0, 3.0])
    try:
        found = t1 + t1.to("cuda")
    except RuntimeError:
        return "An error"
    return "The sum, on the CPU" if str(found.device) == "cpu" else "The sum, on the device"


def _crossings(tk: Any) -> int:
    """How often `item()` is called: each one brings one number over."""
    w, trips = tk.arange(100.0, device="cuda"), 0
    for i in range(100):
        w[i].item()
        trips += 1
    return trips


def _seed(tk: Any) -> str:
    def drawn(device: str) -> list[float]:
        tk.manual_seed(0)
        return [round(number, 4) for number in tk.rand(4, device=device).tolist()]

    once, again = drawn("cuda"), drawn("cuda")
    if once == drawn("cpu"):
        return EQUAL
    return OTHERS if once == again else NEVER


def _two_lists(tk: Any) -> str:
    """What the two lists of the loop hold after five rounds."""
    w, x = tk.ones(3, requires_grad=True), tk.zeros(3)
    inputs, losses = [], []
    for number in range(5):
        x.fill_(number)
        inputs.append(x.numpy())
        losses.append(((w * x) ** 2).sum())
    if len({tuple(array.tolist()) for array in inputs}) > 1:
        return ALL_INPUTS
    return ONE_INPUT if all(loss.grad_fn is not None for loss in losses) else NO_GRAPH


def _two_losses(tk: Any) -> int:
    w = tk.tensor(6.0, requires_grad=True)
    h = w * w
    for loss in (h + 1, h * 2):
        with contextlib.suppress(RuntimeError):
            loss.backward()
    return int(w.grad.item())


def _in_two_calls(tk: Any) -> str:
    """With which of the two do calls of 12 and 12 give the numbers of one call of 24?"""

    def same(draw: Any) -> bool:
        tk.manual_seed(3)
        whole = draw(24)
        tk.manual_seed(3)
        return bool(tk.equal(whole, tk.cat([draw(12), draw(12)])))

    return {(True, False): RAND, (True, True): BOTH_SAME}.get((same(tk.rand), same(tk.randn)), REPEATED)


MOVING = (
    Question(
        "to_alone",
        '`t1 = tk.tensor([1.0, 2.0, 3.0])` is on the CPU. Then the line `t1.to("cuda")` runs. Where is `t1` '
        "now?",
        STAYS,
        "`.to()` made a second tensor on the device, and no name kept it. `t1` was only read.",
        options=(WENT, STAYS, BOTH),
        slips=(
            Slip(RETURNS, "No name has moved: what `.to()` returned was dropped.", given=WENT),
            Slip(
                RETURNS,
                "For a moment there were two tensors, but `t1` was always the one on the CPU.",
                given=BOTH,
            ),
        ),
        proof=_to_alone,
        devices=1,
    ),
    Question(
        "copy_over",
        '`t1 = tk.tensor([1.0, 2.0, 3.0])`, then `t1_gpu = t1.to("cuda")`, then `t1[0] = 9.0`. Press the '
        "three numbers that `t1_gpu` holds.",
        (1, 2, 3),
        "There are two storages in two memories. What you write into one never reaches the other.",
        slips=(
            Slip(
                COPY,
                "For that, both would have to read one storage. But they are in two memories.",
                given=(2, 3, 9),
            ),
        ),
        proof=_copy_over,
        picture=lambda tk: tk.tensor([1.0, 2.0, 3.0, 9.0]),
        pick="cells",
        devices=1,
    ),
    Question(
        "already_there",
        '`t = tk.arange(4.0)`, then `u = t.to("cpu")`, then `u[1:3] = 7.0`. Press each number of `t` that is '
        "overwritten, or press -1 if no number is.",
        (1, 2),
        "`t` was on the CPU already, so there was nothing to copy: `u` is `t`.",
        slips=(
            Slip(
                SAME, "That would be right if `.to()` had made a copy, but it had no reason to.", given=(-1,)
            ),
            Slip("counting from zero", "The slice `1:3` ends before 3.", given=(1, 2, 3)),
        ),
        proof=_already_there,
        picture=lambda tk: tk.tensor([0.0, 1.0, 2.0, 3.0, -1.0]),
        pick="cells",
    ),
)

COMPUTING = (
    Question(
        "mixed",
        "`t1` is on the CPU and `t1_gpu` is on the device; both have the size (3,). What does `t1 + t1_gpu` "
        "give?",
        "An error",
        "You have to say where the sum should be computed, and whether a copy over the cable is worth it.",
        options=("The sum, on the device", "The sum, on the CPU", "An error"),
        slips=(
            Slip(
                PLACE,
                "That would take a copy of `t1`, and you did not ask for one.",
                given="The sum, on the device",
            ),
            Slip(
                PLACE,
                "That would take a copy of `t1_gpu`, and you did not ask for one.",
                given="The sum, on the CPU",
            ),
        ),
        proof=_mixed,
        devices=1,
    ),
    Question(
        "crossings",
        '`w = tk.arange(100.0, device="cuda")`. A loop runs over all 100 indices `i` and adds `w[i].item()` '
        "to a Python number. How many times do numbers cross from the device to the CPU?",
        100,
        "Every `item()` fetches one number, and nothing is kept for the next.",
        slips=(
            Slip(
                TRIP,
                "Nothing fetches the rest of `w` on the first call and keeps it: each call fetches again.",
                given=1,
            ),
            Slip(TRIP, "A Python number is in the CPU's memory, so each number has to get there.", given=0),
            Slip(
                "bytes per element",
                "That many bytes cross, four with each number. How many trips are they?",
                given=400,
            ),
        ),
        proof=_crossings,
        devices=1,
    ),
    Question(
        "seed",
        "`tk.manual_seed(0)` and `tk.rand(4)` run on the CPU. Then come `tk.manual_seed(0)` again and "
        '`tk.rand(4, device="cuda")`. Which numbers does the device draw?',
        OTHERS,
        "The device has a generator of its own, which uses another method. The seed makes each generator "
        "repeat itself.",
        options=(EQUAL, OTHERS, NEVER),
        slips=(
            Slip(
                SEED,
                "The seed is the same, but the two devices make their numbers from it by two methods.",
                given=EQUAL,
            ),
            Slip(SEED, "`manual_seed` seeds the devices as well: each of them repeats itself.", given=NEVER),
        ),
        proof=_seed,
        devices=1,
    ),
)

QUESTIONS = (*MOVING, *COMPUTING)

QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "two_lists",
                "`w` requires grad. In each of 500 rounds, new numbers are written into `x` in place. Then come "
                "`inputs.append(x.numpy())` and `losses.append(((w * x) ** 2).sum())`. Which numbers and which graphs "
                "do the two lists keep in memory?",
                ONE_INPUT,
                "All 500 arrays read the storage of `x`, so they show the last input. Each loss keeps the graph of "
                "its own round. (Lessons 14 and 15)",
                options=(ONE_INPUT, ALL_INPUTS, NO_GRAPH),
                slips=(
                    Slip(NUMPY, "`numpy()` copies nothing: each array uses the memory of `x`.", given=ALL_INPUTS),
                    Slip(
                        GRAPH,
                        "Each loss requires grad, because `w` does. So it leads to its whole history.",
                        given=NO_GRAPH,
                    ),
                ),
                proof=_two_lists,
            ),
            Question(
                "two_losses",
                "`w = tk.tensor(6.0, requires_grad=True)` and `h = w * w`. Then `(h + 1).backward()`, and in the next "
                "cell `(h * 2).backward()`. What does `w.grad` hold when both cells have run?",
                12,
                "The first walk leaves 12 there. The second is an error: both go over `w * w`, and the first has freed "
                "what that step had saved. (Lesson 18)",
                slips=(
                    Slip(
                        AGAIN,
                        "The losses are two, but `w * w` was computed once, so the second walk fails.",
                        given=36,
                    ),
                    Slip(
                        ADDS,
                        "A second gradient never replaces the first: it would be added. And here the walk fails.",
                        given=24,
                    ),
                    Slip(LEAF, "That arrives at `h`, which is no leaf. It is passed on to `w`.", given=1),
                    Slip(LEAF, "1 and 2 arrive at `h`, which is no leaf, and so it keeps neither.", given=3),
                ),
                proof=_two_losses,
            ),
            Question(
                "in_two_calls",
                "After a seed you draw 24 numbers in one call. After the same seed you draw 12, and then 12 more. When "
                "are these the same 24 numbers?",
                RAND,
                "A seed sets a position, and each call of `rand` reads on from there. `randn` mixes its draws in "
                "blocks of 16, but fewer than 16 in pairs. (Lesson 08)",
                options=(RAND, BOTH_SAME, REPEATED),
                slips=(
                    Slip(
                        BLOCKS,
                        "A call of 24 makes normal numbers by blocks, a call of 12 by pairs: these differ.",
                        given=BOTH_SAME,
                    ),
                    Slip(
                        POSITION,
                        "The second call does not begin again at the seed: it reads on where the first ended.",
                        given=REPEATED,
                    ),
                ),
                proof=_in_two_calls,
            ),
        ),
        recall=True,
    ),
)  # fmt: skip
