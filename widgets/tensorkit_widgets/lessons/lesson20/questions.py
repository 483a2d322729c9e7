"""The questions and the quiz of lesson 20, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

RETURNS = "`.to()` returns"
SAME = "`.to()` may give the same tensor"
COPY = "a copy is not a view"
PLACE = "operands on one device"
TRIP = "reading is a crossing"
SEED = "same seed, other device"
NUMPY = "NumPy shares memory"
CONTIGUOUS = "what contiguous means"
SAVED = "a saved slice saves the whole storage"

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


def _through_numpy(tk: Any) -> int:
    t = tk.zeros(3)
    t.numpy()[1] = 5
    return int(t[1].item())


def _contiguous(tk: Any) -> str:
    x = tk.zeros(2, 3)
    return "`x` itself: nothing is copied" if x.contiguous() is x else "A copy of `x`, in its own storage"


def _kept(tk: Any) -> int:
    row = tk.zeros(1000, 1000)[0]
    return int(row.untyped_storage().nbytes())


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
                "through_numpy",
                "`t = tk.zeros(3)`, then `t.numpy()[1] = 5`. What is `t[1]`?",
                5,
                "The array and the tensor read the same bytes. (Lesson 15)",
                slips=(Slip(NUMPY, "`numpy()` copies nothing: the array uses the tensor's memory.", given=0),),
                proof=_through_numpy,
            ),
            Question(
                "contiguous",
                "`x = tk.zeros(2, 3)` is contiguous already. What does `x.contiguous()` give?",
                "`x` itself: nothing is copied",
                "It has nothing to put in order, so it returns `x` itself. (Lesson 05)",
                options=("`x` itself: nothing is copied", "A copy of `x`, in its own storage"),
                slips=(
                    Slip(
                        CONTIGUOUS,
                        "It copies only if the numbers are not in order yet.",
                        given="A copy of `x`, in its own storage",
                    ),
                ),
                proof=_contiguous,
            ),
            Question(
                "kept",
                "`row = tk.zeros(1000, 1000)[0]` shows a thousand numbers, of 4 bytes each. How many bytes does it "
                "keep alive?",
                4_000_000,
                "A slice keeps the whole storage that it reads. (Lesson 05)",
                slips=(
                    Slip(SAVED, "That is what `row` shows, but its storage holds a million numbers.", given=4000),
                    Slip("bytes per element", "That many numbers, at 4 bytes each.", given=1_000_000),
                ),
                proof=_kept,
            ),
        ),
        recall=True,
    ),
)  # fmt: skip
