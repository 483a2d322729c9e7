"""The questions of lesson 23, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

NN = "(N,1) against (N) gives (N,N)"
ADDS = "backward adds"
SQUEEZE = "squeeze eats the batch dimension"
DETACH = "detach vs clone"
WINDOW = "a window is a view"
COMPARES = "a kernel compares neighbours"
STAYS = "the batch stays"
KEEPS = "a loss keeps its graph"
MOVES = "modules move in place"

NEWEST, TENTH, REFUSED = "The newest weights", "The weights of step 10", "`w -= …` is an error from then on"

RIGHT_LINE = "The right one, and it only takes more steps"
FLAT = "A flat one, at the mean pressure"
NO_LINE = "None: sizes (30, 1) and (30,) do not fit"
STEEP = "One that is thirty times too steep"

SOONER = "About 280 again, and sooner, since the steps are longer"
SWINGS = "It swings: now a few hundred, now thousands"
ENDLESS = "`nan`: the steps get longer and longer"

ON_DEVICE = "On the device"
WHERE_IT_WAS = "Where they were: `to` gives back the moved net, and it was thrown away"
HALF = "On the device; but `net` has to be made again before it can train"

PRESSURES = (144, 220, 138, 145, 162, 142, 170, 124, 158, 154, 162, 150, 140, 110, 128, 130, 135, 114, 116, 124, 136,
             142, 120, 120, 160, 158, 144, 130, 125, 175)  # fmt: skip
AGES = (39, 47, 45, 47, 65, 46, 67, 42, 67, 56, 64, 56, 59, 34, 42, 48, 45, 17, 20, 19, 36, 50, 39, 21, 44, 53, 63, 29,
        25, 69)  # fmt: skip


def _learnt(tk: Any, *, column: bool = True, empty: bool = True) -> tuple[float, list[float]]:
    """The slope that one neuron learns in 200 steps, and its losses."""
    age, y = tk.tensor(AGES, dtype=tk.float32), tk.tensor(PRESSURES, dtype=tk.float32)
    x = ((age - age.mean()) / age.std())[:, None]
    y = y[:, None] if column else y
    w, b = tk.zeros(1, requires_grad=True), tk.zeros(1, requires_grad=True)
    losses = []
    for _ in range(200):
        loss = ((x * w + b - y) ** 2).mean()
        loss.backward()
        with tk.no_grad():
            for parameter in (w, b):
                parameter -= 0.1 * parameter.grad
                if empty:
                    parameter.grad = None
        losses.append(loss.item())
    return w.item() / age.std().item(), losses


def _row_for_column(tk: Any) -> str:
    slope, _ = _learnt(tk, column=False)
    return FLAT if abs(slope) < 0.001 else RIGHT_LINE


def _unemptied(tk: Any) -> str:
    _, losses = _learnt(tk, empty=False)
    late = losses[100:]
    return SWINGS if min(late) < 1000 and max(late) > 10_000 else SOONER


def _ramp(tk: Any) -> Any:
    x = tk.arange(25.0).view(5, 5)
    x[2, 2] += 10
    return x


def _windows(x: Any) -> Any:
    return x.as_strided((3, 3, 3, 3), (5, 1, 5, 1))


def _window(tk: Any) -> tuple[int, ...]:
    return tuple(int(place) for place in _windows(tk.arange(25).view(5, 5))[1, 2].flatten().tolist())


def _answers(tk: Any) -> tuple[int, ...]:
    kernel = tk.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])
    found = (_windows(_ramp(tk)) * kernel).sum((2, 3)).flatten()
    return tuple(found.nonzero()[:, 0].tolist())


def _inputs(tk: Any) -> int:
    out = tk.nn.Conv2d(3, 6, 3)(tk.zeros(16, 3, 10, 20))
    return int(out.reshape(16, -1).size(1))


def _kept(tk: Any) -> int:
    net, total = tk.nn.Linear(2, 1), tk.zeros(())
    for _ in range(100):
        total = total + ((net(tk.ones(4, 2)) - 1) ** 2).mean()
    node, count = total.grad_fn, 0
    while node is not None:
        node, count = node.next_functions[0][0], count + 1
    return count


def _moved(tk: Any) -> str:
    net = tk.nn.Linear(2, 1)
    net.to("meta")
    return ON_DEVICE if net.weight.device.type == "meta" else WHERE_IT_WAS


def _dimensions_left(tk: Any) -> int:
    scores = tk.zeros(1, 1)
    return int(scores.squeeze().dim())


def _walked_twice(tk: Any) -> int:
    w = tk.tensor(3.0, requires_grad=True)
    for _ in range(2):
        (w * w).backward()
    return int(w.grad.item())


def _best(tk: Any) -> str:
    w = tk.tensor([1.0], requires_grad=True)
    best = w.detach()
    with tk.no_grad():
        w -= 0.5
    return NEWEST if best.item() == 0.5 else TENTH


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "night",
                "A net gives one score for each picture, `scores` of size (N, 1), and `scores.squeeze()` makes (N,) of "
                "it. All day N is 32. At night the last batch has a single picture. How many dimensions does "
                "`scores.squeeze()` have then?",
                0,
                "From (1, 1) both dimensions go, the batch too. `squeeze(1)` says which one is meant. (Lesson 04)",
                slips=(
                    Slip(
                        SQUEEZE,
                        "The batch has the size 1 as well, and `squeeze()` takes every 1 away.",
                        given=1,
                    ),
                    Slip(SQUEEZE, "Every dimension of size 1 goes, and here both are 1.", given=2),
                ),
                proof=_dimensions_left,
            ),
            Question(
                "twice",
                "`w = tk.tensor(3.0, requires_grad=True)`, and then twice the line `(w * w).backward()`. What is "
                "`w.grad` now?",
                12,
                "Each walk finds 6, and adds it to what is there. (Lesson 18)",
                slips=(
                    Slip(ADDS, "The second walk adds to what the first one left.", given=6),
                    Slip("a value is not a gradient", "9 is the value of `w * w`.", given=9),
                    Slip("a value is not a gradient", "That is twice the *value*.", given=18),
                ),
                proof=_walked_twice,
            ),
            Question(
                "best",
                "In step 10 a program keeps the weights that were best so far: `best = w.detach()`. Then it goes on "
                "with `w -= 0.1 * w.grad` under `no_grad`, in each step. What does `best` hold in the end?",
                NEWEST,
                "`detach` shares the numbers, and `-=` writes into them. `w.detach().clone()` would have kept those of "
                "step 10. (Lesson 14)",
                options=(NEWEST, TENTH, REFUSED),
                slips=(
                    Slip(DETACH, "It reads the storage of `w`, and every step writes there.", given=TENTH),
                    Slip(
                        DETACH,
                        "Under `no_grad` you may write into `w`. What `detach` gave sees it.",
                        given=REFUSED,
                    ),
                ),
                proof=_best,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "row_for_column",
        "One detail changes: the pressures come as a row, size (30,), while the guesses are a column, (30, 1). There "
        "are 200 steps, as before. Which line does the neuron learn?",
        FLAT,
        "Every guess is compared with all thirty pressures, so every patient gets the same target: the mean.",
        options=(RIGHT_LINE, FLAT, STEEP, NO_LINE),
        slips=(
            Slip(
                NN,
                "That is a different loss, with a different minimum: more steps only get closer to that one.",
                given=RIGHT_LINE,
            ),
            Slip(NN, "Those two sizes do fit: the difference has the size (30, 30).", given=NO_LINE),
            Slip(
                NN,
                "There are thirty times as many differences, but `mean` divides by their number.",
                given=STEEP,
            ),
        ),
        proof=_row_for_column,
    ),
    Question(
        "unemptied",
        "Now the sizes are right again, but the line that empties `.grad` is missing. What is the loss like after 200 "
        "steps?",
        SWINGS,
        "Every step goes along the sum of *all* gradients so far. Like a ball in a bowl without friction, the line "
        "rolls through the minimum and up on the other side.",
        options=(SOONER, SWINGS, ENDLESS),
        slips=(
            Slip(
                ADDS,
                "Longer steps do get there sooner, and then do not stop: what was added up still pushes.",
                given=SOONER,
            ),
            Slip(
                ADDS,
                "Past the minimum the new gradients point back, and the sum gets smaller again.",
                given=ENDLESS,
            ),
        ),
        proof=_unemptied,
    ),
    Question(
        "window",
        "`windows = x.as_strided((3, 3, 3, 3), (5, 1, 5, 1))`. Here are the places of `x` in its storage, from 0 to "
        "24. Press all that the window `windows[1, 2]` reads.",
        (7, 8, 9, 12, 13, 14, 17, 18, 19),
        "It **begins** in row 1 and column 2, at slot 1 · 5 + 2 · 1 = 7. The last two dimensions go on from there: "
        "three rows down, three columns across.",
        slips=(
            Slip(
                WINDOW,
                "`[1, 2]` is where the window *begins*, in its upper left corner; you have put its middle there.",
                given=(1, 2, 3, 6, 7, 8, 11, 12, 13),
            ),
            Slip(WINDOW, "That is where it begins. A window has nine numbers.", given=(7,)),
            Slip(
                WINDOW,
                "That is `windows[2, 1]`: the first index counts rows.",
                given=(11, 12, 13, 16, 17, 18, 21, 22, 23),
            ),
            Slip(
                WINDOW,
                "Nine slots in one go would be a single row. After three numbers, the window goes on one row down.",
                given=(7, 8, 9, 10, 11, 12, 13, 14, 15),
            ),
        ),
        proof=_window,
        picture=lambda tk: tk.arange(25).view(5, 5),
        pick="cells",
    ),
    Question(
        "spot",
        "Each window is multiplied by `kernel` (four neighbours, minus 4 times the middle) and summed. `x` rises "
        "evenly, but for its middle, `x[2, 2]`, which is 10 too high. Here are the nine results by their places, 0 to "
        "8. Press those that are **not** 0.",
        (1, 3, 4, 5, 7),
        "On an even slope the four neighbours add up to 4 times the middle, so the answer is 0. Only windows that have "
        "the odd pixel under a number other than 0 answer something else.",
        slips=(
            Slip(
                COMPARES,
                "`x` is not the same everywhere, but it rises evenly, and this kernel answers 0 to that.",
                given=(0, 1, 2, 3, 4, 5, 6, 7, 8),
            ),
            Slip(
                COMPARES,
                "The odd pixel is also a *neighbour* of four other middles.",
                given=(4,),
            ),
            Slip(
                COMPARES,
                "In the corners of the kernel there are zeros: a pixel under them does not count.",
                given=(0, 2, 4, 6, 8),
            ),
            Slip(COMPARES, "And where the odd pixel is in the middle itself?", given=(1, 3, 5, 7)),
        ),
        proof=_answers,
        picture=lambda tk: tk.arange(9).view(3, 3),
        pick="cells",
    ),
    Question(
        "inputs",
        "A batch of 16 pictures goes through a convolution with 6 kernels, and has the size (16, 6, 8, 18) then. A "
        "`Linear` layer should give each picture its scores. How many inputs does that layer need?",
        864,
        "Each picture has 6 · 8 · 18 numbers. The 16 pictures are not mixed: `reshape(16, -1)` keeps them apart.",
        slips=(
            Slip(
                STAYS,
                "That is all sixteen pictures in one row. Each picture should get scores of its own, so the batch "
                "stays.",
                given=13_824,
            ),
            Slip(
                STAYS,
                "One for each kernel? The layer has to see what each of them found, everywhere.",
                given=6,
            ),
            Slip(
                "what -1 means in view",
                "`Linear` does work on the last dimension. But then each *row* of each result gets its own scores.",
                given=18,
            ),
            Slip(STAYS, "That is what one kernel gave for a picture, and there are six.", given=144),
            Slip(
                STAYS,
                "16 is how many pictures there are: the layer needs as many inputs as *one* of them has numbers.",
                given=16,
            ),
        ),
        proof=_inputs,
    ),
    Question(
        "total",
        "A test of the net over 100 batches: `total = tk.zeros(())`, and for each batch `total = total + loss`, "
        "without `backward` and without a list. After the loop, how many of the 100 losses are still in memory with "
        "their graphs?",
        100,
        "`total` is a result of the last addition, which leads to the one before it, and so on to the first batch.",
        slips=(
            Slip(
                KEEPS,
                "The last `total` was computed from the one before, and its graph leads there.",
                given=1,
            ),
            Slip(
                KEEPS,
                "Names let go of them, but `total` was computed with recording on, and remembers all of it.",
                given=0,
            ),
            Slip(KEEPS, "The last addition leads to two things. Where does the older one lead?", given=2),
        ),
        proof=_kept,
    ),
    Question(
        "moved",
        "`net.to(device)`, in a line of its own: its result is not kept. Where are the weights of `net` now?",
        ON_DEVICE,
        "A module moves its own parameters. It is the tensors whose `to` returns another one.",
        options=(ON_DEVICE, WHERE_IT_WAS, HALF),
        slips=(
            Slip(
                MOVES,
                "That is true of a tensor (lessons 07 and 20). A module changes itself, and gives back `net`.",
                given=WHERE_IT_WAS,
            ),
            Slip(MOVES, "It is the same net, and it can train where it is.", given=HALF),
        ),
        proof=_moved,
    ),
)
