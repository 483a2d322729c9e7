"""The questions of lesson 15, with what proves them."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question, QuizSheet

__all__ = ["QUESTIONS", "QUIZZES"]

SHARES = "NumPy shares memory"


PLUS = "x += y vs x = x + y"


COPY = "a copy is not a view"


DTYPE = "default dtype"


def _name(dtype: Any) -> str:
    return f"`{str(dtype).rpartition('.')[2]}`"


def _plus(tk: Any) -> tuple[int, ...]:
    x = tk.zeros(2)
    y = x
    x = x + 1
    x += 1
    return tuple(int(n) for n in y.tolist())


def _detach(tk: Any) -> str:
    w = tk.ones(2, requires_grad=True)
    w.detach()[0] = 7.0
    return "`w[0]` is 7" if w[0].item() == 7.0 else "`w[0]` is still 1"


def _zeroed(tk: Any) -> str:
    t = tk.ones(2, 3)
    t_np = t.numpy()
    t.zero_()
    return "Zeros, like `t`" if not t_np.any() else "The ones from before"


def _from_array(tk: Any) -> str:
    return _name(tk.from_numpy(numpy.ones((2, 3))).dtype)


def _float(tk: Any) -> int:
    a = numpy.zeros(3)
    t = tk.from_numpy(a).float()
    a[0] = 5
    return int(t[0].item())


def _tensor(tk: Any) -> str:
    a = numpy.zeros(3)
    first, second = tk.tensor(a), tk.as_tensor(a)
    a[0] = 5
    return f"{int(first[0].item())} and {int(second[0].item())}"


def _rebound(tk: Any) -> tuple[int, ...]:
    a = numpy.zeros(3)
    t = tk.from_numpy(a)
    a = a + 1
    return tuple(int(n) for n in t.tolist())


def _backwards(tk: Any) -> str:
    try:
        tk.from_numpy(numpy.arange(5.0)[::-1])
    except ValueError:
        return "An error"
    return "The numbers backwards"


def _grad(tk: Any) -> str:
    try:
        tk.ones(2, requires_grad=True).numpy()
    except RuntimeError:
        return "An error"
    return "An array of two ones"


QUIZZES = (
    QuizSheet(
        "retrieval",
        "Three questions from earlier lessons",
        (
            Question(
                "plus",
                "`x = tk.zeros(2)` and `y = x`. Then `x = x + 1`, and after it `x += 1`. Which two numbers has `y`?",
                (0, 0),
                "`x = x + 1` moved the name to a new tensor. What `+=` then wrote, it wrote there. (Lesson 10)",
                slips=(
                    Slip(PLUS, "`y` was left behind by the first of the two.", given=(2, 2)),
                    Slip(PLUS, "By then `x` was another tensor.", given=(1, 1)),
                ),
                proof=_plus,
            ),
            Question(
                "default",
                "Which dtype has `tk.rand(2, 3)`, when nobody asked for one?",
                "`float32`",
                "Four bytes a number: enough for most, and fast. (Lesson 04)",
                options=("`float16`", "`float32`", "`float64`"),
                slips=(
                    Slip(
                        DTYPE,
                        "That is NumPy's choice, and the beginning of today's trouble.",
                        given="`float64`",
                    ),
                    Slip(DTYPE, "Only when you ask for it.", given="`float16`"),
                ),
                proof=lambda tk: _name(tk.rand(2, 3).dtype),
            ),
            Question(
                "detach",
                "`w = tk.ones(2, requires_grad=True)`, then `w.detach()[0] = 7.0`. And `w`?",
                "`w[0]` is 7",
                "`detach` drops the history and shares the numbers. (Lesson 10)",
                options=("`w[0]` is still 1", "`w[0]` is 7"),
                slips=(
                    Slip("detach vs clone", "A clone would have left it alone.", given="`w[0]` is still 1"),
                ),
                proof=_detach,
            ),
        ),
        recall=True,
    ),
)


QUESTIONS = (
    Question(
        "zeroed",
        "`t_np = t.numpy()`, then `t.zero_()`. What does `t_np` hold?",
        "Zeros, like `t`",
        "`numpy()` copies nothing. Tensor and array are two objects over one storage.",
        options=("The numbers from before", "Zeros, like `t`", "An error: `t` has changed"),
        slips=(
            Slip(SHARES, "It would, had `numpy()` made a copy.", given="The numbers from before"),
            Slip(
                SHARES,
                "Nobody watches; the array just reads the same bytes.",
                given="An error: `t` has changed",
            ),
        ),
        proof=_zeroed,
    ),
    Question(
        "from_array",
        "And the other way: which dtype has `tk.from_numpy(np.ones((2, 3)))`?",
        "`float64`",
        "Nothing is converted, for the bytes stay where they are; and NumPy's floats have eight of them.",
        options=("`float32`", "`float64`"),
        slips=(
            Slip(DTYPE, "That is what tensorkit chooses when *it* makes the numbers.", given="`float32`"),
        ),
        proof=_from_array,
    ),
    Question(
        "float_copies",
        "`a = np.zeros(3)`, then `t = tk.from_numpy(a).float()`, then `a[0] = 5`. What is `t[0]`?",
        0,
        "`float()` had to make new numbers, of four bytes each. From there on the two go their own ways.",
        slips=(Slip(SHARES, "`from_numpy` shares; but the cast after it makes a copy.", given=5),),
        proof=_float,
    ),
    Question(
        "tensor_copies",
        "`a = np.zeros(3)`, then `tk.tensor(a)` and `tk.as_tensor(a)`, then `a[0] = 5`. What do the two show first?",
        "0 and 5",
        "`tensor` always copies. `as_tensor` copies only if it has to, as `from_numpy` would share.",
        order="given",
        options=("0 and 0", "0 and 5", "5 and 0", "5 and 5"),
        slips=(
            Slip(SHARES, "`as_tensor` takes the memory that is there.", given="0 and 0"),
            Slip(COPY, "`tensor` always makes a copy.", given="5 and 5"),
            Slip(COPY, "The other way round.", given="5 and 0"),
        ),
        proof=_tensor,
    ),
    Question(
        "rebound",
        "`a = np.zeros(3)` and `t = tk.from_numpy(a)`. Now `a = a + 1`. Which three numbers does `t` hold?",
        (0, 0, 0),
        "Arrays are like tensors in this: `a = a + 1` makes a new one and moves the name. `t` stays on the old bytes.",
        slips=(Slip(PLUS, "That would be so after `a += 1`.", given=(1, 1, 1)),),
        proof=_rebound,
    ),
    Question(
        "backwards",
        "In NumPy `a[::-1]` is a view that runs backwards. What does `tk.from_numpy(a[::-1])` give?",
        "An error",
        "Its stride is negative, and tensors have no negative strides. Make a copy, or use `flip`.",
        options=("The numbers backwards", "The numbers forwards", "An error"),
        slips=(
            Slip("strides count slots", "It would need a stride of -1.", given="The numbers backwards"),
            Slip("strides count slots", "It is not ignored, it is refused.", given="The numbers forwards"),
        ),
        proof=_backwards,
    ),
    Question(
        "grad",
        "What does `tk.ones(2, requires_grad=True).numpy()` give?",
        "An error",
        "A write to the array would be a write that autograd knows nothing of. Take off the history first.",
        options=("An array of two ones", "An array that requires grad", "An error"),
        slips=(
            Slip("detach vs clone", "Not before you detach it.", given="An array of two ones"),
            Slip("detach vs clone", "NumPy knows nothing of gradients.", given="An array that requires grad"),
        ),
        proof=_grad,
    ),
)
