"""The exercises of lesson 13, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.lessons.lesson13.trial_functions import (
    NORMALISED,
    UPDATE,
    added_average,
    cloned_normalised,
    divided_normalised,
    given_normalised,
    half_normalised,
    rebound_average,
    silent_average,
    sliced_normalised,
    spoilt_new,
    swapped_average,
    written_average,
)
from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.kinds import Task
from tensorkit_widgets.practice.markup import quoted

PLUS = "x += y vs x = x + y"


EXPANDED = "in-place on an expanded tensor"


def _six(tk: Any) -> Any:
    return tk.tensor([3.0, -1.0, 4.0, -1.0, 5.0, -9.0])


def _four(tk: Any) -> Any:
    return tk.tensor([8.0, -3.0, 6.0, 10.0])


def _prices(tk: Any) -> Any:
    return tk.tensor([[1.0], [2.0], [3.0], [4.0]]).expand(4, 5)


def _holds(*numbers: float) -> Any:
    """Whether the answer holds these numbers, in reading order."""
    return lambda answer, mine, base: mine is not None and mine.values == numbers


def _given(arguments: tuple[Any, ...], got: Any) -> object:
    """What became of a tensor that a function should write to, and whether it gave that one back."""
    back = "itself" if got is arguments[0] else "nothing" if got is None else "another"
    if back == "another" and not is_tensor(got):
        raise Unreadable(f"it should return the tensor that you were given; yours returned {quoted(got)}.")
    return tuple(arguments[0].tolist()), back


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
            "the tensor that I gave you is as it was: you return a new one. Brackets on the left of `=`, or a "
            "method with an underscore, write into the old one.",
            behaves=(lambda t: t.clamp(min=0), lambda t: t * (t > 0), lambda t: t.relu()),
        ),
        Slip(
            PLUS,
            "the tensor that I gave you is as it was. `t[t < 0]` makes a **copy** of the numbers; a method that you "
            "call on it writes into the copy.",
            behaves=lambda t: t,
        ),
        Slip(PLUS, "nothing was written, and nothing was returned.", behaves=lambda t: None),
        Slip(
            "",
            "that turns the signs round; negative numbers should become 0.",
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
            "you got the sum, but in the first of the parts: `total = parts[0]` is another name for it, and `+=` "
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
            "`out` held nines before, and they are in the sum. Set it to zero first.",
            behaves=_total_kept,
        ),
    ),
)


TASKS = (
    Task(
        "which_write",
        "Which lines write?",
        "`t = tk.ones(3)`. A worked line: `t.sub(1)` has no underscore. It makes a new tensor, which this line does "
        "not keep, and `t` is as it was. So it does not write, and you would leave out its letter.\n\n"
        "Which of these lines write into the storage that `t` reads?\n\n"
        "    a   t.mul(3)\n"
        "    b   t.mul_(3)\n"
        "    c   t[1:] = 0\n"
        "    d   t = t - 4\n"
        "    e   t -= 4\n"
        "    f   t.clone().mul_(3)\n\n"
        "Give the letters.",
        letters_check(
            "BCE",
            {
                "A": Slip(
                    PLUS,
                    "**a** has no underscore: it returns a new tensor, and this line does not keep it.",
                    given="A",
                ),
                "D": Slip(PLUS, "**d** makes a new tensor and moves the name over to it.", given="D"),
                "F": Slip(
                    "a copy is not a view",
                    "**f** does write, but into the clone. `t` is as it was.",
                    given="F",
                ),
                "B": Slip(
                    PLUS, "an underscore at the end always means: in place. **b** is missing.", given="B"
                ),
                "C": Slip(PLUS, "brackets on the left of `=` write. **c** is missing.", given="C"),
                "E": Slip(PLUS, "`-=` is `sub_`. **e** is missing.", given="E"),
            },
        ),
        (
            "A name alone on the left of `=` is moved. Brackets, underscores, `+=`, `-=` and so on write.",
            "Three of the six write into the storage of `t`.",
            "**a** returns a new tensor, **d** moves the name, and **f** writes into the clone.",
        ),
        '"b c e"',
        stage="worked",
        entry="a d",
        right=(lambda tk, t: "b c e", lambda tk, t: "B, C, E", lambda tk, t: "b  c  e."),
        wrong=(
            (lambda tk, t: "b e", PLUS),
            (lambda tk, t: "b c d e", PLUS),
            (lambda tk, t: "a b c e", PLUS),
            (lambda tk, t: "b c e f", "a copy is not a view"),
            (lambda tk, t: "a c", PLUS),
        ),
    ),
    Task(
        "leave_it",
        "Leave the original alone",
        "Make `y`, a tensor with half of each number of `t`. `t` must stay as it is.\n\n"
        "    t = tk.tensor([8., -3., 6., 10.])\n"
        "    y = ...",
        tensor_check(
            size=(4,),
            values=(4.0, -1.5, 3.0, 5.0),
            shares=False,
            slips=(
                Slip(
                    PLUS,
                    "`t` was written to: `y` is only another name for it, or a view of it.",
                    when=_holds(4.0, -1.5, 3.0, 5.0),
                    shares=True,
                ),
                Slip(
                    "`.to()` returns",
                    "`y` is the unchanged `t`: an operation without an underscore returns a new tensor. Keep that "
                    "one.",
                    behaves=lambda t: t,
                ),
                Slip("", "that is twice the numbers.", behaves=lambda t: t * 2),
                Slip("", "`//` divides and then rounds down: half of -3 is -1.5.", behaves=lambda t: t // 2),
            ),
        ),
        (
            "An operation without an underscore makes a new tensor.",
            "`y` should be what that operation returns.",
            "`/` is all you need.",
        ),
        "y = t / 2",
        stage="faded",
        base=_four,
        right=(
            lambda tk, t: t / 2,
            lambda tk, t: t.mul(0.5),
            lambda tk, t: t.clone().div_(2),
            lambda tk, t: tk.div(t, 2, out=tk.empty(4)),
        ),
        wrong=(
            (lambda tk, t: t.div_(2), PLUS),
            (lambda tk, t: t.detach().div_(2), PLUS),
            (lambda tk, t: t[:].mul_(0.5), PLUS),
            (lambda tk, t: (t.div(2), t)[1], "`.to()` returns"),
            (lambda tk, t: t * 2, ""),
            (lambda tk, t: t // 2, ""),
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
            "A mask on the left of `=` chooses what is written (lesson 09).",
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
            (lambda tk, t: lambda t: 3, ""),
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
            "`out` holds old numbers. How can you remove them *in place*?",
            "`zero_` sets it to zero; `+=` adds to it.",
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
    Task(
        "make_it_writable",
        "Make it writable",
        "Four prices are shown in five columns, one for each shop. Make `w` with the same numbers, so that you "
        "could add a surcharge for each shop with `w += tk.arange(5.)`.\n\n"
        "    t = tk.tensor([[1.], [2.], [3.], [4.]]).expand(4, 5)\n"
        "    w = ...",
        tensor_check(
            size=(4, 5),
            stride=(5, 1),
            values=[[float(row)] * 5 for row in (1, 2, 3, 4)],
            shares=False,
            slips=(
                Slip(
                    EXPANDED,
                    "that still reads four slots, each five times.",
                    stride=(1, 0),
                    shares=True,
                ),
                Slip(
                    EXPANDED,
                    "that has four slots. Five shops times four prices need twenty.",
                    size=(4, 1),
                ),
            ),
        ),
        (
            "Look at `t.stride()`. The write is refused because of the 0.",
            "Twenty elements need twenty slots: a copy.",
            "The error message of such a write names a method.",
        ),
        "w = t.contiguous()   # or t + 0",
        base=_prices,
        right=(
            lambda tk, t: t.clone(memory_format=tk.contiguous_format),
            lambda tk, t: t.contiguous(),
            lambda tk, t: t + 0,
            lambda tk, t: tk.tensor([[1.0], [2.0], [3.0], [4.0]]).repeat(1, 5),
        ),
        wrong=(
            (lambda tk, t: t[:], EXPANDED),
            (lambda tk, t: t.detach(), EXPANDED),
            (lambda tk, t: t[:, :1].clone(), EXPANDED),
            (lambda tk, t: tk.arange(5.0).expand(4, 5).clone(), ""),
        ),
    ),
    Task(
        "update",
        "An average that is kept up to date",
        "Three patients have their blood pressure taken every morning. `average` holds a running average for each of "
        "them, and other parts of the program, such as the monitor by the bed, hold that same tensor. Write "
        "`update_(average, new)`: every number of `average` becomes 0.75 times itself plus 0.25 times this morning's "
        "pressure in `new`, **in place**. `new` must stay as it is, because it is saved later. Return `average`.\n\n"
        "    def update_(average, new):\n"
        "        ...",
        UPDATE,
        (
            "Which of your lines write, and into which of the two tensors?",
            "First shrink `average` in place, then add to it a quarter of `new` (a new tensor).",
            "Use `*=` and `+=` on `average`, and only `*` on `new`.",
        ),
        "def update_(average, new):\n    average *= 0.75\n    average += 0.25 * new\n    return average",
        right=(
            lambda tk, t: added_average,
            lambda tk, t: written_average,
            lambda tk, t: lambda average, new: average.lerp_(new, 0.25),
            lambda tk, t: lambda average, new: average.mul_(0.75).add_(new, alpha=0.25),
        ),
        wrong=(
            (lambda tk, t: rebound_average, PLUS),
            (lambda tk, t: spoilt_new, PLUS),
            (lambda tk, t: swapped_average, ""),
            (lambda tk, t: silent_average, ""),
            (lambda tk, t: lambda average, new: average.copy_(new), ""),
            (lambda tk, t: lambda average, new: 1, ""),
        ),
    ),
    Task(
        "normalise",
        "Repair: the photograph that turned black",
        "After `small = normalised(photo)` the result is right, but when you show `photo` again, it is nearly "
        "black. Repair the function, so that it returns the same numbers and leaves its caller's photograph alone.\n\n"
        "    def normalised(photo):\n"
        "        photo /= 255\n"
        "        photo -= photo.mean()\n"
        "        return photo",
        NORMALISED,
        (
            "`photo` inside the function and `photo` outside are two names for one tensor.",
            "As soon as one line has made a new tensor, the others may write into that.",
            "Change the first line: `/=` writes, `/` makes a new tensor.",
        ),
        "def normalised(photo):\n    photo = photo / 255\n    return photo - photo.mean()",
        right=(
            lambda tk, t: cloned_normalised,
            lambda tk, t: divided_normalised,
            lambda tk, t: lambda photo: photo / 255 - photo.mean() / 255,
        ),
        wrong=(
            (lambda tk, t: given_normalised, PLUS),
            (lambda tk, t: half_normalised, PLUS),
            (lambda tk, t: sliced_normalised, PLUS),
            (lambda tk, t: lambda photo: photo / 255, ""),
            (lambda tk, t: lambda photo: photo - photo.mean(), ""),
        ),
    ),
)
