"""The exercises of lesson 15, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import numpy

import tensorkit
from tensorkit_widgets.lessons.lesson15.trial_functions import (
    COLUMNS,
    OWN,
    SMOOTHED,
    smoothed_given,
    smoothed_in_a_copy,
    smoothed_in_a_new_array,
)
from tensorkit_widgets.practice.checking.checks import Checker, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.facts import Answer, Slip
from tensorkit_widgets.practice.kinds import Task

SHARES = "NumPy shares memory"


COPY = "a copy is not a view"


DTYPE = "default dtype"


SAME = "`.to()` may give the same tensor"


def _ages(_tk: Any) -> Any:
    return numpy.array([39, 47, 45])


def _alone(check: Checker) -> Checker:
    """A check that does not look at what the exercise started from: here that is an array."""
    return Checker(lambda answer: check(Answer(answer.value)))


TASKS = (
    Task(
        "which_share",
        "Who shares with the array?",
        "`a = np.ones(3, dtype=np.float32)`. Worked example: `tk.from_numpy(a + 0)` shares the memory of the "
        "array that it is given. But that is a new array, `a + 0`, and not `a`, so you would leave this line "
        "out.\n"
        "\n"
        "Which of these read the memory of `a`?\n"
        "\n"
        "    p   tk.from_numpy(a).float()\n"
        "    q   tk.tensor(a)\n"
        "    r   tk.as_tensor(a, dtype=tk.float32)\n"
        "    s   tk.from_numpy(a).double()\n"
        "    t   tk.from_numpy(a[1:])\n"
        "    u   tk.from_numpy(a) * 1\n"
        "\n"
        "Give the letters.",
        letters_check(
            "PRT",
            {
                "Q": Slip(COPY, "**q**: `tensor` always copies.", given="Q"),
                "S": Slip(COPY, "**s**: a cast to another dtype makes new numbers.", given="S"),
                "U": Slip("equal is not shared", "**u**: a product is newly computed.", given="U"),
                "P": Slip(
                    SAME,
                    "**p** is missing: the array is `float32` already, so `float()` makes nothing.",
                    given="P",
                ),
                "R": Slip(
                    SHARES,
                    "**r** is missing: `as_tensor` copies only if it has to; the dtype fits.",
                    given="R",
                ),
                "T": Slip("a slice aliases its base", "**t** is missing: a slice shares, too.", given="T"),
            },
        ),
        (
            "Look at the dtype of `a`: it is not the usual one.",
            "Which of the lines always make new numbers, and which do so only here?",
            "A cast to the dtype that a tensor already has makes nothing new. Three of the six share.",
        ),
        '"p r t"',
        stage="worked",
        entry="q s",
        right=(lambda tk, m: "p r t", lambda tk, m: "P, R, T", lambda tk, m: "p  r  t"),
        wrong=(
            (lambda tk, m: "p t", SHARES),
            (lambda tk, m: "r t", SAME),
            (lambda tk, m: "p q r t", COPY),
            (lambda tk, m: "p r s t", COPY),
            (lambda tk, m: "p r t u", "equal is not shared"),
            (lambda tk, m: "p r", "a slice aliases its base"),
        ),
    ),
    Task(
        "for_the_network",
        "For the network",
        "Ages came from NumPy, as whole numbers. Make `x`, a tensor of the same numbers in the dtype that a "
        "network uses.\n"
        "\n"
        "    m = np.array([39, 47, 45])\n"
        "    x = ...",
        _alone(
            tensor_check(
                size=(3,),
                dtype="float32",
                values=(39.0, 47.0, 45.0),
                slips=(
                    Slip(
                        DTYPE,
                        "the numbers are right, but still integers, as in the array. A network computes with "
                        "`float32`.",
                        dtype="int64",
                    ),
                    Slip(
                        DTYPE,
                        "the numbers are right, in `float64`. A network computes with `float32`.",
                        dtype="float64",
                    ),
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
        base=_ages,
        right=(
            lambda tk, m: tk.from_numpy(m).float(),
            lambda tk, m: tk.tensor(m, dtype=tk.float32),
            lambda tk, m: tk.from_numpy(m.astype("float32")),
            lambda tk, m: tk.as_tensor(m, dtype=tk.float32),
        ),
        wrong=(
            (lambda tk, m: tk.from_numpy(m), DTYPE),
            (lambda tk, m: tk.tensor(m), DTYPE),
            (lambda tk, m: tk.from_numpy(m / 1), DTYPE),
            (lambda tk, m: tk.from_numpy(m).float().mean(), ""),
            (lambda tk, m: m.astype("float32"), ""),
        ),
    ),
    Task(
        "strides_in_bytes",
        "Strides in bytes",
        "`a = np.zeros((3, 4), dtype=np.int16)`. What is `a[::2].T.strides`? Work it out before you run it.",
        tuple_check(
            2,
            16,
            slips=(
                Slip(
                    "strides count slots",
                    "that is the stride of the tensor. NumPy counts bytes.",
                    given=(1, 8),
                ),
                Slip("bytes per element", "an int16 has two bytes.", given=(8, 64)),
                Slip("bytes per element", "an int16 has two bytes.", given=(4, 32)),
                Slip("transpose moves no data", "`.T` swaps the two strides.", given=(16, 2)),
                Slip("a step multiplies the stride", "`::2` goes two rows at a time.", given=(2, 8)),
                Slip("a size is not a stride", "that is the size.", given=(4, 2)),
            ),
        ),
        (
            "First in numbers: what are the steps of `a`, then of `a[::2]`, then of its transpose?",
            "(4, 1), then (8, 1), then swapped. Now in bytes: how many bytes does an int16 have?",
            "Two bytes: 1·2 and 8·2.",
        ),
        "(2, 16)",
        entry="(4, 1)",
        right=(
            lambda tk, m: (2, 16),
            lambda tk, m: "2, 16",
            lambda tk, m: tuple(n * 2 for n in tk.zeros(3, 4)[::2].t().stride()),
        ),
        wrong=(
            (lambda tk, m: (1, 8), "strides count slots"),
            (lambda tk, m: (8, 64), "bytes per element"),
            (lambda tk, m: (16, 2), "transpose moves no data"),
            (lambda tk, m: (2, 8), "a step multiplies the stride"),
            (lambda tk, m: (3, 8), ""),
        ),
    ),
    Task(
        "own_array",
        "An array of its own",
        "Write `own_array(t)`. It returns a NumPy array with the numbers of the tensor `t`, and the array "
        "keeps them, whatever happens to `t` later. It should also work for a `t` that requires grad. Give "
        "me the function itself.\n"
        "\n"
        "    def own_array(t):\n"
        "        return ...",
        OWN,
        (
            "`t.numpy()` fails for some tensors, and shares memory with all the others.",
            "Leave the history behind, and make a copy. The order of the two does not matter.",
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
    Task(
        "columns",
        "From the file to the fit",
        "`np.loadtxt` reads thirty patients, an age and a pressure in each row: a table of size (30, 2). "
        "Write `columns(table)` for any number of patients: a `float32` tensor with the ages in row 0 and "
        "the pressures in row 1. Each row is one piece of memory, and the tensor has numbers of its own, "
        "even if the table is `float32` already. Give me the function itself.\n"
        "\n"
        "    def columns(table):\n"
        "        return ...",
        COLUMNS,
        (
            "Three jobs: the dtype, the order, and numbers of your own.",
            "`tk.tensor` always copies, and takes a `dtype`. A transpose changes the order of reading only.",
            "What puts the numbers in that order in memory is `contiguous()`.",
        ),
        "def columns(table):\n    return tk.tensor(table, dtype=tk.float32).t().contiguous()",
        right=(
            lambda tk, m: lambda table: tensorkit.tensor(table, dtype=tensorkit.float32).t().contiguous(),
            lambda tk, m: lambda table: tensorkit.from_numpy(table.T.copy()).float(),
            lambda tk, m: (
                lambda table: tensorkit.stack(
                    [tensorkit.from_numpy(table[:, 0]), tensorkit.from_numpy(table[:, 1])]
                ).float()
            ),
        ),
        wrong=(
            (lambda tk, m: lambda table: tensorkit.from_numpy(table).float().t(), SHARES),
            (
                lambda tk, m: lambda table: tensorkit.from_numpy(table.T).clone().float(),
                "what contiguous means",
            ),
            (lambda tk, m: lambda table: tensorkit.from_numpy(table).float().view(2, -1), "permute vs view"),
            (lambda tk, m: lambda table: tensorkit.from_numpy(table.T.copy()), DTYPE),
            (lambda tk, m: lambda table: tensorkit.tensor(table, dtype=tensorkit.float32), ""),
        ),
    ),
    Task(
        "smoothed",
        "Repair: the plot that changed the weights",
        "To plot the weights of a network, `smoothed(w)` gives an array in which each number is the mean of "
        "itself and its two neighbours. The curve looks right; but since you began to plot it after every "
        "training step, the network has been learning worse. Repair the function.\n"
        "\n"
        "    def smoothed(w):\n"
        "        a = w.detach().numpy()\n"
        "        a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3\n"
        "        return a",
        SMOOTHED,
        (
            "Whose memory does `a` read?",
            "`a` needs numbers of its own before anything is written to it.",
            "Add `.copy()` after `.numpy()`, or `.clone()` before it.",
        ),
        "def smoothed(w):\n"
        "    a = w.detach().clone().numpy()\n"
        "    a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3\n"
        "    return a",
        right=(
            lambda tk, m: smoothed_in_a_copy,
            lambda tk, m: smoothed_in_a_new_array,
            lambda tk, m: lambda w: smoothed_given(w.detach().clone()),
        ),
        wrong=(
            (lambda tk, m: smoothed_given, SHARES),
            (lambda tk, m: lambda w: w.clone().numpy(), "detach vs clone"),
            (lambda tk, m: lambda w: w.detach().numpy().copy(), ""),
        ),
    ),
)
