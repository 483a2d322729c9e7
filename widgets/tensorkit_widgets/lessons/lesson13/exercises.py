"""The exercises of lesson 13, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import Checker, tensor_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict, read
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

__all__ = ["PUZZLES", "TASKS"]

PLUS = "x += y vs x = x + y"


COPY = "a copy is not a view"


EXPANDED = "in-place on an expanded tensor"


def _six(tk: Any) -> Any:
    return tk.tensor([3.0, -1.0, 4.0, -1.0, 5.0, -9.0])


def _holds(*numbers: float) -> Any:
    """Whether the answer holds these numbers, in reading order."""
    return lambda answer, mine, base: mine is not None and mine.values == numbers


def _given(arguments: tuple[Any, ...], got: Any) -> object:
    """What became of a tensor that a function should write to, and whether it gave that one back."""
    return tuple(arguments[0].tolist()), "itself" if got is arguments[
        0
    ] else "nothing" if got is None else "another"


def _tell_clip(found: Any) -> str:
    numbers, returned = found
    if returned == "itself" or numbers != (3.0, 0.0, 4.0, 0.0, 5.0, 0.0):
        return f"the tensor holds {list(numbers)} now."
    return "the numbers are right. Return the tensor itself, as `add_` does."


_CLIP = function_check(
    Case(
        "of `tk.tensor([3., -1., 4., -1., 5., -9.])`",
        lambda: (_six(tensorkit),),
        ((3.0, 0.0, 4.0, 0.0, 5.0, 0.0), "itself"),
        _given,
        _tell_clip,
    ),
    Case(
        "of `tk.tensor([2., 0.])`",
        lambda: (tensorkit.tensor([2.0, 0.0]),),
        ((2.0, 0.0), "itself"),
        _given,
        _tell_clip,
    ),
    slips=(
        Slip(
            PLUS,
            "the tensor that I gave you is as it was: what you return is a new one. Brackets on the left of `=`, or a "
            "method with an underscore, write into the old.",
            behaves=(lambda t: t.clamp(min=0), lambda t: t * (t > 0), lambda t: t.relu()),
        ),
        Slip(
            PLUS,
            "the tensor that I gave you is as it was. `t[t < 0]` takes the numbers out as a **copy**; a method on that "
            "writes into the copy.",
            behaves=lambda t: t,
        ),
        Slip(PLUS, "nothing was written, and nothing was returned.", behaves=lambda t: None),
        Slip(
            "",
            "that turns the signs round; negative numbers are to become 0.",
            behaves=lambda t: t.abs_(),
        ),
    ),
)


def _room(out: Any) -> Case:
    """Three parts to add up into this."""

    def arguments() -> tuple[Any, ...]:
        return [tensorkit.ones(3), tensorkit.arange(3.0), tensorkit.ones(3)], out.clone()

    def looks(given: tuple[Any, ...], got: Any) -> object:
        parts, room = given
        return tuple(room.tolist()), tuple(tuple(part.tolist()) for part in parts)

    def tells(found: Any) -> str:
        if found[1] != ((1.0,) * 3, (0.0, 1.0, 2.0), (1.0,) * 3):
            return "one of the parts was written to."
        return f"`out` holds {list(found[0])}; the sum is [2.0, 3.0, 4.0]."

    wanted = ((2.0, 3.0, 4.0), ((1.0,) * 3, (0.0, 1.0, 2.0), (1.0,) * 3))
    return Case(f"with an `out` of {out.tolist()}", arguments, wanted, looks, tells)


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


def _clip_by_if(t: Any) -> Any:
    if t < 0:
        t.zero_()
    return t


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


def _total_into_first(parts: Any, out: Any) -> Any:
    for part in parts[1:]:
        parts[0].add_(part)
    return parts[0]


_TOTAL = function_check(
    _room(tensorkit.full((3,), 9.0)),
    _room(tensorkit.zeros(3)),
    slips=(
        Slip(
            PLUS,
            "the sum came out, but in the first of the parts: `total = parts[0]` is another name for it, and `+=` "
            "writes into it. That part is lost now.",
            behaves=(_total_first, _total_into_first),
        ),
        Slip(
            PLUS,
            "`out` is as it was: `out = …` only gives the name `out` to another tensor.",
            behaves=(_total_rebound, lambda parts, out: out + sum(parts)),
        ),
        Slip(
            "",
            "`out` held nines before, and they are in the sum. What is there has to go first.",
            behaves=_total_kept,
        ),
    ),
)


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
        letters_check(
            "BCE",
            {
                "A": Slip(
                    PLUS, "**a** has no underscore: it returns a new tensor, and nobody keeps it.", given="A"
                ),
                "D": Slip(PLUS, "**d** makes a new tensor and moves the name over to it.", given="D"),
                "B": Slip(
                    PLUS, "an underscore at the end always means: in place. **b** is missing.", given="B"
                ),
                "C": Slip(PLUS, "brackets on the left of `=` write. **c** is missing.", given="C"),
                "E": Slip(PLUS, "`*=` is `mul_`. **e** is missing.", given="E"),
            },
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
        "Make `y`: the numbers of `t`, each increased by 1, so that `t` stays as it is.\n\n"
        "    t = tk.tensor([3., -1., 4., -1., 5., -9.])\n"
        "    y = ...",
        tensor_check(
            size=(6,),
            values=(4.0, 0.0, 5.0, 0.0, 6.0, -8.0),
            shares=False,
            slips=(
                Slip(
                    PLUS,
                    "`t` was written to: `y` is only another name, or another view, of it.",
                    when=_holds(4.0, 0.0, 5.0, 0.0, 6.0, -8.0),
                    shares=True,
                ),
                Slip(
                    "`.to()` returns",
                    "`y` is `t`, as it was: an operation without an underscore returns a new tensor. Keep that one.",
                    behaves=lambda t: t,
                ),
                Slip(
                    "",
                    "that is twice the numbers; each is to be one more than it was.",
                    behaves=lambda t: t * 2,
                ),
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
            (lambda tk, t: (t.add(1), t)[1], "`.to()` returns"),
            (lambda tk, t: t * 2, ""),
            (lambda tk, t: t.clone(), ""),
        ),
    ),
    Task(
        "clip",
        "A function with an underscore",
        "Write `clip_(t)`: it sets every negative number of `t` to 0 **in place**, and returns `t`. Give me the "
        "function itself.\n\n"
        "    def clip_(t):\n"
        "        ...",
        _CLIP,
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
            (lambda tk, t: _clip_by_if, "`if` on a tensor"),
            (lambda tk, t: _clip_nothing, ""),
            (lambda tk, t: lambda t: t.neg_(), ""),
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
                Slip(
                    EXPANDED,
                    "that still reads three slots, each of them four times.",
                    stride=(0, 1),
                    shares=True,
                ),
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
        _TOTAL,
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
            (lambda tk, t: _total_into_first, PLUS),
            (lambda tk, t: _total_kept, ""),
            (lambda tk, t: lambda parts, out: out.zero_(), ""),
            (lambda tk, t: lambda parts: parts, ""),
        ),
    ),
)


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
