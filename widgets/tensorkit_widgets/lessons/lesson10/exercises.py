"""The exercises and the puzzle of lesson 10, with what proves them."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checks import BLANK, Checker, choice_check, tensor_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, read
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task
from tensorkit_widgets.practice.markup import told

__all__ = ["PUZZLES", "TASKS"]

PLUS = "x += y vs x = x + y"
COPY = "a copy is not a view"
ID = "id() as a storage test"
EXPANDED = "in-place on an expanded tensor"
DETACH = "detach vs clone"


def _six(tk: Any) -> Any:
    return tk.tensor([3.0, -1.0, 4.0, -1.0, 5.0, -9.0])


def _without(letter: str) -> Any:
    return lambda answer, mine, base: letter not in str(answer.value).lower()


def _with(letter: str) -> Any:
    return lambda answer, mine, base: letter in str(answer.value).lower()


# ---- functions that are to write


def _judge_clip(answer: Answer) -> Verdict:
    """A function that sets the negative numbers of its argument to 0, in place."""
    if not callable(answer.value):
        return Verdict(None, "give me the function itself: its name, without calling it.")
    given = _six(tensorkit)
    got = answer.value(given)
    if got is Ellipsis:
        return Verdict(None, BLANK)
    wanted = (3.0, 0.0, 4.0, 0.0, 5.0, 0.0)
    if read(given).values != wanted:
        try:
            right = read(got).values == wanted
        except Exception:
            right = False
        if right:
            return Verdict(
                False, "you return the right numbers, in a new tensor. The one I gave you is as it was.", PLUS
            )
        if read(given).values == read(_six(tensorkit)).values:
            return Verdict(
                False, "the tensor that I gave you is as it was: nothing was written into it.", PLUS
            )
        return Verdict(False, f"I gave you {_six(tensorkit).tolist()}, and it holds {given.tolist()} now.")
    if got is not given:
        return Verdict(False, "the numbers are right. Return the tensor itself, as `add_` does.")
    return Verdict(True)


def _judge_total(answer: Answer) -> Verdict:
    """A function that adds up tensors into one that is given."""
    if not callable(answer.value):
        return Verdict(None, "give me the function itself: its name, without calling it.")
    parts = [tensorkit.ones(3), tensorkit.arange(3.0), tensorkit.ones(3)]
    room = tensorkit.full((3,), 9.0)
    try:
        got = answer.value(parts, room)
    except Exception as error:
        return Verdict(False, f"your function stopped with {told(error)}.")
    if got is Ellipsis:
        return Verdict(None, BLANK)
    if read(parts[0]).values != (1.0, 1.0, 1.0):
        return Verdict(False, "the sum came out, but in the first of the parts: that one is lost now.", PLUS)
    if read(room).values == (11.0, 12.0, 13.0):
        return Verdict(
            False, "`out` held nines before, and they are in the sum. What is there has to go first."
        )
    if read(room).values != (2.0, 3.0, 4.0):
        return Verdict(
            False, "`out` does not hold the sum: the name `out` was given to another tensor.", PLUS
        )
    return Verdict(True)


def _clip_slices(t: Any) -> Any:
    t[t < 0] = 0
    return t


def _clip_lost(t: Any) -> Any:
    t[t < 0].zero_()
    return t


def _clip_rebound(t: Any) -> Any:
    t = t * (t > 0)
    return t


def _clip_times(t: Any) -> Any:
    t *= t > 0
    return t


def _clip_nothing(t: Any) -> None:
    t.clamp_(min=0)


def _total_loop(parts: Any, out: Any) -> Any:
    out.zero_()
    for part in parts:
        out += part
    return out


def _total_copy(parts: Any, out: Any) -> Any:
    out.copy_(parts[0])
    for part in parts[1:]:
        out.add_(part)
    return out


def _total_written(parts: Any, out: Any) -> Any:
    out[:] = sum(parts)
    return out


def _total_rebound(parts: Any, out: Any) -> Any:
    out = sum(parts)
    return out


def _total_first(parts: Any, out: Any) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total += part
    out.copy_(total)
    return out


def _total_kept(parts: Any, out: Any) -> Any:
    for part in parts:
        out += part
    return out


# ---- a snapshot


def _judge_snapshot(answer: Answer) -> Verdict:
    mine, base = read(answer.value), read(answer.base)
    if mine.size != base.size or mine.values != base.values:
        return Verdict(False, "the numbers are not those of `t`.")
    if mine.shares(base):
        says = "it still reads the storage of `t`: with the next step of the training it changes, too."
        return Verdict(False, says, DETACH if answer.value is not answer.base else COPY)
    if getattr(answer.value, "requires_grad", False):
        return Verdict(False, "a copy it is, but it still requires grad, and carries a history.", DETACH)
    return Verdict(True)


def _weights(tk: Any) -> Any:
    return tk.tensor([0.5, -1.5, 2.0], requires_grad=True)


TASKS = (
    Task(
        "which_write",
        "Which lines write?",
        "`t = tk.ones(3)`. Which of these lines write into the storage that is there?\n\n"
        "    a   t.add(1)\n"
        "    b   t.add_(1)\n"
        "    c   t[0] = 5\n"
        "    d   t = t * 2\n"
        "    e   t *= 2\n\n"
        "Give the letters.",
        choice_check(
            "b c e",
            slips=(
                Slip(PLUS, "**a** has no underscore: it returns a new tensor, and nobody keeps it.", when=_with("a")),
                Slip(PLUS, "**d** makes a new tensor and moves the name over to it.", when=_with("d")),
                Slip(PLUS, "an underscore at the end always means: in place. **b** is missing.", when=_without("b")),
                Slip(PLUS, "brackets on the left of `=` write. **c** is missing.", when=_without("c")),
                Slip(PLUS, "`*=` is `mul_`. **e** is missing.", when=_without("e")),
            ),
            hint="give letters, such as `a d`.",
        ),
        (
            "A name alone on the left of `=` is moved. Brackets, underscores, and `+=` with its kin write.",
            "Three of the five write.",
            "**a** returns something new, and **d** moves the name. The others write.",
        ),
        '"b c e"',
        stage="worked",
        entry="a d",
        right=(lambda tk, t: "b c e", lambda tk, t: "B, C, E", lambda tk, t: "b  c  e."),
        wrong=(
            (lambda tk, t: "b e", PLUS),
            (lambda tk, t: "b c d e", PLUS),
            (lambda tk, t: "a b c e", PLUS),
            (lambda tk, t: "a c", PLUS),
        ),
    ),
    Task(
        "leave_it",
        "Leave the original alone",
        "Make `y`: the numbers of `t`, each one larger, so that `t` stays as it is.\n\n"
        "    t = tk.tensor([3., -1., 4., -1., 5., -9.])\n"
        "    y = ...",
        tensor_check(
            size=(6,),
            values=(4.0, 0.0, 5.0, 0.0, 6.0, -8.0),
            shares=False,
            slips=(
                Slip(PLUS, "`t` was written to: `y` is only another name, or another view, of it.", shares=True),
            ),
        ),
        (
            "An operation without an underscore makes a new tensor.",
            "`y` should be what that operation returns.",
            "`+` is all you need.",
        ),
        "y = t + 1",
        stage="faded",
        base=_six,
        right=(
            lambda tk, t: t + 1,
            lambda tk, t: t.add(1),
            lambda tk, t: t.clone().add_(1),
            lambda tk, t: tk.add(t, 1, out=tk.empty(6)),
        ),
        wrong=(
            (lambda tk, t: t.add_(1), PLUS),
            (lambda tk, t: t.detach().add_(1), PLUS),
            (lambda tk, t: t[:].add_(1), PLUS),
            (lambda tk, t: t.clone(), ""),
        ),
    ),
    Task(
        "which_share",
        "Who shares?",
        "`a = tk.ones(3)`. Which of these read the storage of `a`?\n\n"
        "    p   a.clone()\n"
        "    q   a[:]\n"
        "    r   a.detach()\n"
        "    s   a + 0\n"
        "    t   a.view(3, 1)\n\n"
        "Give the letters.",
        choice_check(
            "q r t",
            slips=(
                Slip(COPY, "**p**: a clone has a storage of its own.", when=_with("p")),
                Slip("equal is not shared", "**s** holds equal numbers, newly computed.", when=_with("s")),
                Slip(DETACH, "**r** is missing: `detach` drops the history and copies no number.", when=_without("r")),
                Slip(ID, "**q** is missing: a new object, on the old storage.", when=_without("q")),
                Slip(COPY, "**t** is missing: a view reads the same slots in other portions.", when=_without("t")),
            ),
            hint="give letters, such as `p s`.",
        ),
        (
            "All five are new tensor *objects*. Which of them had numbers computed or copied for them?",
            "Ask of each: if I wrote into it, would `a` change?",
            "A clone and a sum have storages of their own; the other three do not.",
        ),
        '"q r t"',
        entry="p s",
        right=(lambda tk, t: "q r t", lambda tk, t: "Q, R, T", lambda tk, t: "q  r  t"),
        wrong=(
            (lambda tk, t: "q t", DETACH),
            (lambda tk, t: "r t", ID),
            (lambda tk, t: "p q r t", COPY),
            (lambda tk, t: "q r s t", "equal is not shared"),
        ),
    ),
    Task(
        "clip",
        "A function with an underscore",
        "Write `clip_(t)`: it sets every negative number of `t` to 0 **in place**, and returns `t`. Give me the "
        "function itself.\n\n"
        "    def clip_(t):\n"
        "        ...",
        Checker(_judge_clip),
        (
            "A mask on the left of `=` chooses what is written: lesson 06.",
            "`t = ...` would only move the name inside your function. Use brackets or an underscore.",
            "Or look for an in-place form of `clamp`.",
        ),
        "def clip_(t):\n    t[t < 0] = 0\n    return t",
        right=(
            lambda tk, t: _clip_slices,
            lambda tk, t: _clip_times,
            lambda tk, t: lambda t: t.clamp_(min=0),
        ),
        wrong=(
            (lambda tk, t: _clip_rebound, PLUS),
            (lambda tk, t: lambda t: t.clamp(min=0), PLUS),
            (lambda tk, t: _clip_lost, PLUS),
            (lambda tk, t: _clip_nothing, ""),
            (lambda tk, t: lambda t: t.zero_(), ""),
        ),
    ),
    Task(
        "make_it_writable",
        "Make it writable",
        "`t` shows three slots in four rows. Make `w`, with the same numbers, such that `w.add_(1)` would work.\n\n"
        "    t = tk.arange(3.0).expand(4, 3)\n"
        "    w = ...",
        tensor_check(
            size=(4, 3),
            stride=(3, 1),
            values=[[0.0, 1.0, 2.0]] * 4,
            shares=False,
            slips=(
                Slip(EXPANDED, "that still reads three slots, each of them four times.", stride=(0, 1), shares=True),
            ),
        ),
        (
            "What is refused is the stride 0. Look at `t.stride()`.",
            "Twelve elements need twelve slots: a copy.",
            "The error names the method.",
        ),
        "w = t.contiguous()   # or t + 0",
        base=lambda tk: tk.arange(3.0).expand(4, 3),
        right=(
            lambda tk, t: t.clone(memory_format=tk.contiguous_format),
            lambda tk, t: t.contiguous(),
            lambda tk, t: t + 0,
            lambda tk, t: tk.arange(3.0).repeat(4, 1),
        ),
        wrong=(
            (lambda tk, t: t[:], EXPANDED),
            (lambda tk, t: t.detach(), EXPANDED),
            (lambda tk, t: tk.arange(3.0).clone(), ""),
        ),
    ),
    Task(
        "sum_into",
        "Add up without new memory",
        "Write `total(parts, out)`: it puts the sum of the tensors in the list `parts` into `out`, a tensor of the "
        "same size that may hold anything before, and leaves the parts alone. Give me the function itself.\n\n"
        "    def total(parts, out):\n"
        "        ...",
        Checker(_judge_total),
        (
            "`out` holds old numbers. How do you get rid of them *in place*?",
            "`zero_` empties it; `+=` adds to it.",
            "Begin with `out.zero_()`, then one `out += part` for each part.",
        ),
        "def total(parts, out):\n    out.zero_()\n    for part in parts:\n        out += part\n    return out",
        right=(lambda tk, t: _total_loop, lambda tk, t: _total_copy, lambda tk, t: _total_written),
        wrong=(
            (lambda tk, t: _total_rebound, PLUS),
            (lambda tk, t: _total_first, PLUS),
            (lambda tk, t: _total_kept, ""),
            (lambda tk, t: lambda parts: parts, ""),
        ),
    ),
    Task(
        "snapshot",
        "The best weights so far",
        "A training writes into its weights `t` at every step. Make `best`, which will still hold **today's** numbers "
        "tomorrow, and has no history.\n\n"
        "    t = tk.tensor([0.5, -1.5, 2.], requires_grad=True)\n"
        "    best = ...",
        Checker(_judge_snapshot),
        (
            "Two things are asked: numbers of its own, and no history.",
            "`detach` does one of them, `clone` the other.",
            "Do both, one after the other.",
        ),
        "best = t.detach().clone()",
        base=_weights,
        right=(
            lambda tk, t: t.detach().clone(),
            lambda tk, t: t.clone().detach(),
            lambda tk, t: tk.tensor(t.tolist()),
        ),
        wrong=(
            (lambda tk, t: t.detach(), DETACH),
            (lambda tk, t: t.clone(), DETACH),
            (lambda tk, t: t, COPY),
            (lambda tk, t: tk.zeros(3), ""),
        ),
    ),
)  # fmt: skip


def _pair(tk: Any) -> dict[str, Any]:
    a, b = tk.tensor([1.0, 2.0, 3.0]), tk.tensor([7.0, 8.0, 9.0])
    return {"a": a, "b": b, "both": (a, b)}


def _judge_exchange(answer: Answer) -> Verdict:
    first, second = (read(one).values for one in answer.value)  # type: ignore[attr-defined]
    if (first, second) == ((7.0, 8.0, 9.0), (1.0, 2.0, 3.0)):
        return Verdict(True)
    if first == second:
        return Verdict(False, f"both hold {list(first)} now: the other numbers were lost on the way.", COPY)
    return Verdict(False, "the two tensors hold what they held: only names have changed places.", PLUS)


_EXCHANGE = "kept = a.clone()\na.copy_(b)\nb.copy_(kept)"

PUZZLES = (
    Puzzle(
        "exchange",
        "Exchange two tensors",
        "Exchange the **numbers** of `a` and `b`, so that whoever holds one of the two sees it. Names that change "
        "places do not count. (`both` is the pair of the two tensors: I look there.)",
        _EXCHANGE,
        "both",
        Checker(_judge_exchange),
        (
            "When `a` has got the numbers of `b`, its own are gone. What has to be done before?",
            "What is put aside has to have a storage of its own.",
            "Put a copy of `a` aside; copy `b` into `a`; copy what was put aside into `b`.",
        ),
        strays=(
            Stray("kept = a", COPY, "that puts nothing aside: `kept` is `a`, and is written to with it."),
            Stray("kept = a.detach()", COPY, "`detach` copies no number: `kept` changes with `a`."),
            Stray("a, b = b, a", PLUS, "that moves two names. The tensors hold what they held."),
            Stray("kept = a + 0"),
            Stray("kept = tk.tensor(a.tolist())"),
        ),
        setup=_pair,
        right=(
            _EXCHANGE,
            _EXCHANGE.replace("a.clone()", "a + 0"),
            _EXCHANGE.replace("a.clone()", "tk.tensor(a.tolist())"),
        ),
        wrong=(
            (_EXCHANGE.replace("a.clone()", "a"), COPY),
            (_EXCHANGE.replace("a.clone()", "a.detach()"), COPY),
            ("a, b = b, a", PLUS),
            ("a.copy_(b)\nkept = a.clone()\nb.copy_(kept)", COPY),
        ),
    ),
)
