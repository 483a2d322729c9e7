"""The exercises of lesson 15, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import numpy

import tensorkit
from tensorkit_widgets.practice.checking.checks import Checker, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Unreadable
from tensorkit_widgets.practice.kinds import Task
from tensorkit_widgets.practice.markup import quoted

__all__ = ["TASKS"]

SHARES = "NumPy shares memory"


COPY = "a copy is not a view"


DTYPE = "default dtype"


_OLD = (0.5, 1.5, 2.5)


def _measured(_tk: Any) -> Any:
    return numpy.array([0.5, 1.5, 2.5])


def _alone(check: Checker) -> Checker:
    """A check that does not look at what the exercise started from: here that is an array."""
    return Checker(lambda answer: check(Answer(answer.value)))


def _own(arguments: tuple[Any, ...], got: Any) -> object:
    """An array, and the same array after the tensor was zeroed."""
    if not isinstance(got, numpy.ndarray):
        raise Unreadable(f"it should return a NumPy array; yours returned {quoted(got)}.")
    before = tuple(got.tolist())
    with tensorkit.no_grad():
        arguments[0].zero_()
    return before, tuple(got.tolist())


def _tell_own(found: Any) -> str:
    before, _after = found
    if before != (1.0, 2.0, 3.0):
        return f"it returned {list(before)}."
    return "I zeroed the tensor afterwards, and your array changed as well."


_NUMBERS = (1.0, 2.0, 3.0)


_OWN = function_check(
    Case(
        "for `tk.tensor([1., 2., 3.])`",
        lambda: (tensorkit.tensor(_NUMBERS),),
        (_NUMBERS, _NUMBERS),
        _own,
        _tell_own,
    ),
    Case(
        "for a tensor that requires grad",
        lambda: (tensorkit.tensor(_NUMBERS, requires_grad=True),),
        (_NUMBERS, _NUMBERS),
        _own,
        _tell_own,
    ),
    slips=(
        Slip(
            SHARES,
            "I zeroed the tensor afterwards, and your array was zeros as well: `numpy()` copies nothing.",
            behaves=(lambda t: t.detach().numpy(), lambda t: t.numpy(), lambda t: numpy.asarray(t.detach())),
        ),
        Slip(
            "detach vs clone",
            "the copy is made. But of a tensor that requires grad there is no array until its history is off: a clone "
            "keeps the history.",
            behaves=lambda t: t.clone().numpy(),
        ),
    ),
)


def _doubled(arguments: tuple[Any, ...], got: Any) -> object:
    return tuple(arguments[0].tolist())


def _double_case(*numbers: float) -> Case:
    def tells(found: Any) -> str:
        return f"the array holds {list(found)} now; it should hold {[2 * n for n in numbers]}."

    def arguments() -> tuple[Any, ...]:
        return (numpy.array(numbers),)

    return Case(f"for `np.array({list(numbers)})`", arguments, tuple(2 * n for n in numbers), _doubled, tells)


_DOUBLE = function_check(
    _double_case(1.0, 2.0, 3.0),
    _double_case(-0.5, 0.0),
    slips=(
        Slip(
            COPY,
            "the array is as it was: what you doubled was a copy, or a new tensor.",
            behaves=lambda a: None,
        ),
        Slip("", "that squares the numbers.", behaves=lambda a: tensorkit.from_numpy(a).pow_(2)),
    ),
)


TASKS = (
    Task(
        "which_share",
        "Who shares with the array?",
        "`a = np.ones(3)`. Which of these read the memory of `a`?\n\n"
        "    p   tk.from_numpy(a)\n"
        "    q   tk.tensor(a)\n"
        "    r   tk.as_tensor(a)\n"
        "    s   tk.from_numpy(a).float()\n"
        "    t   tk.from_numpy(a)[1:]\n\n"
        "Give the letters.",
        letters_check(
            "PRT",
            {
                "Q": Slip(COPY, "**q**: `tensor` always copies.", given="Q"),
                "S": Slip(COPY, "**s**: a cast to another dtype makes new numbers.", given="S"),
                "P": Slip(SHARES, "**p** is missing: `from_numpy` copies nothing.", given="P"),
                "R": Slip(SHARES, "**r** is missing: `as_tensor` copies only if it has to.", given="R"),
                "T": Slip("a slice aliases its base", "**t** is missing: a slice shares, too.", given="T"),
            },
        ),
        (
            "Two of the five have to make, or always make, new numbers.",
            "`float()` changes eight bytes into four; `tensor` copies whatever it is given.",
            "The other three share.",
        ),
        '"p r t"',
        stage="worked",
        entry="q s",
        right=(lambda tk, m: "p r t", lambda tk, m: "P, R, T", lambda tk, m: "p  r  t"),
        wrong=(
            (lambda tk, m: "p t", SHARES),
            (lambda tk, m: "r t", SHARES),
            (lambda tk, m: "p q r t", COPY),
            (lambda tk, m: "p r s t", COPY),
            (lambda tk, m: "p r", "a slice aliases its base"),
        ),
    ),
    Task(
        "for_the_network",
        "For the network",
        "Measurements came from NumPy. Make `x`, a tensor of the same numbers in the dtype that a network has.\n\n"
        "    m = np.array([0.5, 1.5, 2.5])\n"
        "    x = ...",
        _alone(
            tensor_check(
                size=(3,),
                dtype="float32",
                values=(0.5, 1.5, 2.5),
                slips=(
                    Slip(
                        DTYPE,
                        "the numbers are right, in `float64`. A network has `float32`.",
                        dtype="float64",
                    ),
                    Slip("a cast drops the fraction", "a whole number cannot hold 0.5.", dtype="int64"),
                ),
            )
        ),
        (
            "Which dtype do the numbers of `m` have, and which one should they have?",
            "`from_numpy` keeps the dtype. Cast afterwards.",
            "`.float()` is the cast to `float32`.",
        ),
        "x = tk.from_numpy(m).to(tk.float32)",
        stage="faded",
        base=_measured,
        right=(
            lambda tk, m: tk.from_numpy(m).float(),
            lambda tk, m: tk.tensor(m, dtype=tk.float32),
            lambda tk, m: tk.from_numpy(m.astype("float32")),
            lambda tk, m: tk.as_tensor(m, dtype=tk.float32),
        ),
        wrong=(
            (lambda tk, m: tk.from_numpy(m), DTYPE),
            (lambda tk, m: tk.tensor(m), DTYPE),
            (lambda tk, m: tk.from_numpy(m).long(), "a cast drops the fraction"),
            (lambda tk, m: m.astype("float32"), ""),
        ),
    ),
    Task(
        "strides_in_bytes",
        "Strides in bytes",
        "`a = np.zeros((3, 4))`. What is `a.strides`? Answer from your head first.",
        tuple_check(
            32,
            8,
            slips=(
                Slip(
                    "strides count slots",
                    "that is the stride of the tensor. NumPy counts bytes.",
                    given=(4, 1),
                ),
                Slip("bytes per element", "that would be `float32`. What does NumPy take?", given=(16, 4)),
                Slip("a size is not a stride", "that is the size.", given=(3, 4)),
                Slip(
                    "strides follow the view",
                    "one row down is four numbers further, not three.",
                    given=(24, 8),
                ),
            ),
        ),
        (
            "How many numbers further is the next row, and how many the next column?",
            "Four, and one. Now in bytes: what is NumPy's dtype?",
            "`float64` has eight bytes: 4·8 and 1·8.",
        ),
        "(32, 8)",
        entry="(4, 1)",
        right=(
            lambda tk, m: (32, 8),
            lambda tk, m: "32, 8",
            lambda tk, m: tuple(n * 8 for n in tk.zeros(3, 4).stride()),
        ),
        wrong=(
            (lambda tk, m: (4, 1), "strides count slots"),
            (lambda tk, m: (16, 4), "bytes per element"),
            (lambda tk, m: (8, 32), ""),
        ),
    ),
    Task(
        "turn_round",
        "Turn it round",
        "Make `x`, a tensor with the numbers of `m` from the last to the first.\n\n"
        "    m = np.array([0.5, 1.5, 2.5])\n"
        "    x = ...",
        _alone(
            tensor_check(
                size=(3,),
                values=(2.5, 1.5, 0.5),
                slips=(
                    Slip(
                        "permute vs view",
                        "`view` regroups the numbers; it does not reverse them.",
                        size=(3, 1),
                    ),
                    Slip(
                        "",
                        "these are in the old order.",
                        when=lambda a, f, b: f is not None and f.values == _OLD,
                    ),
                ),
            )
        ),
        (
            "A view with a negative stride is refused. A copy of it has an ordinary stride.",
            "Either `m[::-1]` is copied before it becomes a tensor, or the tensor is turned round afterwards.",
            "NumPy's method is called `copy`; the tensor's is `flip`.",
        ),
        "x = tk.from_numpy(m).flip(0)",
        base=_measured,
        right=(
            lambda tk, m: tk.from_numpy(m).flip(0),
            lambda tk, m: tk.from_numpy(m[::-1].copy()),
            lambda tk, m: tk.tensor(m.tolist()[::-1]),
            lambda tk, m: tk.from_numpy(m)[[2, 1, 0]],
        ),
        wrong=(
            (lambda tk, m: tk.from_numpy(m), ""),
            (lambda tk, m: tk.from_numpy(m).view(3, 1), "permute vs view"),
            (lambda tk, m: m[::-1], ""),
            (lambda tk, m: tk.zeros(3), ""),
        ),
    ),
    Task(
        "double",
        "Let the tensor do it",
        "Write `double_(a)`: it doubles the numbers of a NumPy array **in place**, with a tensor operation. Give me "
        "the function itself.\n\n"
        "    def double_(a):\n"
        "        ...",
        _DOUBLE,
        (
            "You need a tensor that stands on the memory of `a`.",
            "`from_numpy` gives you one; `tensor` would not.",
            "Then an operation with an underscore: `mul_`.",
        ),
        "def double_(a):\n    tk.from_numpy(a).mul_(2)",
        right=(
            lambda tk, m: lambda a: tensorkit.from_numpy(a).mul_(2),
            lambda tk, m: lambda a: tensorkit.as_tensor(a).add_(tensorkit.tensor(a)),
            lambda tk, m: lambda a: tensorkit.from_numpy(a).copy_(tensorkit.from_numpy(a) * 2),
        ),
        wrong=(
            (lambda tk, m: lambda a: tensorkit.tensor(a).mul_(2), COPY),
            (lambda tk, m: lambda a: tensorkit.from_numpy(a) * 2, COPY),
            (lambda tk, m: lambda a: tensorkit.from_numpy(a).float().mul_(2), COPY),
            (lambda tk, m: lambda a: tensorkit.from_numpy(a).zero_(), ""),
        ),
    ),
    Task(
        "own_array",
        "An array of its own",
        "Write `own_array(t)`: a NumPy array with the numbers of the tensor `t`, that nothing done to `t` later will "
        "change. It should also work for a `t` that requires grad. Give me the function itself.\n\n"
        "    def own_array(t):\n"
        "        return ...",
        _OWN,
        (
            "`t.numpy()` is right for some tensors, and shares with all of them.",
            "First the history off, then a copy; the order of the two does not matter.",
            "`detach`, `clone`, `numpy`, one after the other.",
        ),
        "def own_array(t):\n    return t.detach().clone().numpy()",
        right=(
            lambda tk, m: lambda t: t.detach().clone().numpy(),
            lambda tk, m: lambda t: t.detach().numpy().copy(),
            lambda tk, m: lambda t: numpy.array(t.tolist()),
        ),
        wrong=(
            (lambda tk, m: lambda t: t.numpy(), SHARES),
            (lambda tk, m: lambda t: t.detach().numpy(), SHARES),
            (lambda tk, m: lambda t: t.clone().numpy(), "detach vs clone"),
            (lambda tk, m: lambda t: numpy.zeros(3), ""),
            (lambda tk, m: lambda t: t.tolist(), ""),
        ),
    ),
)
