"""The exercises of lesson 09, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Facts, Slip
from tensorkit_widgets.practice.kinds import Task

AWAY = "an index takes its dimension away"


COPIES = "fancy indexing copies"


PAIRS = "two lists are pairs"


ZERO = "counting from zero"


TRUTH = "`if` on a tensor"


def _fifteen(tk: Any) -> Any:
    return tk.arange(15.0).view(3, 5)


def _thirty(tk: Any) -> Any:
    return tk.arange(30.0).view(5, 6)


def _debts(tk: Any) -> Any:
    return tk.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def _values(mine: Facts | None) -> tuple[float, ...]:
    return () if mine is None else tuple(float(v) for v in mine.values)


def _is(*numbers: float) -> Any:
    """Whether the answer holds these numbers, in reading order."""
    return lambda answer, mine, base: _values(mine) == tuple(map(float, numbers))


def _wrote(t: Any, act: Any) -> Any:
    act()
    return t


def _patients() -> Any:
    """Ages and pressures with both limits among them, and patients who pass one of the two only."""
    rows = [[61, 162], [47, 220], [50, 171], [69, 175], [72, 150], [38, 114], [59, 140], [53, 158]]
    return tk.tensor(rows).float()


def _watched(t: Any, mask: Any) -> Any:
    return t[mask], tk.arange(len(t))[mask]


def _watch_by_loop(t: Any) -> Any:
    ids = [i for i, (age, pressure) in enumerate(t.tolist()) if age > 50 and pressure > 150]
    return t[ids], tk.tensor(ids)


def _watch_by_nonzero(t: Any) -> Any:
    ids = ((t[:, 0] > 50) & (t[:, 1] > 150)).nonzero().squeeze(1)
    return t[ids], ids


def _sound(*numbers: float) -> Any:
    return lambda: (tk.tensor(numbers),)


def _heard(arguments: tuple[Any, ...], got: Any) -> object:
    """What the caller's own tensor holds after the call, and what came back."""
    return tuple(arguments[0].tolist()), tuple(got.tolist()) if hasattr(got, "tolist") else got


def _heard_tells(seen: Any) -> str:
    return f"afterwards the caller's tensor holds {seen[0]}, and your function returned {seen[1]}."


def _clipped(sound: Any, *, top: bool = True, bottom: bool = True) -> Any:
    if top:
        sound[sound > 1] = 1.0
    if bottom:
        sound[sound < -1] = -1.0
    return sound


def _clip_case(says: str, numbers: tuple[float, ...], becomes: tuple[float, ...]) -> Case:
    return Case(says, _sound(*numbers), (becomes, becomes), looks=_heard, tells=_heard_tells)


TASKS = (
    Task(
        "size_of",
        "What size is left?",
        "`t = tk.ones(5, 3, 4)`.\n\n"
        "Worked: in `t[1:3, 0]` the slice keeps dimension 0, with size 2; the whole number 0 takes dimension 1 "
        "away; dimension 2 is not named and stays. The size is **(2, 4)**.\n\n"
        "Your turn: what size is `t[2, :, 1:]`?",
        tuple_check(
            3,
            3,
            slips=(
                Slip(
                    AWAY, "The 2 is a whole number, not a slice: it takes dimension 0 away.", given=(1, 3, 3)
                ),
                Slip(AWAY, "The 2 says which one, not how many.", given=(2, 3, 3)),
                Slip(AWAY, "The 2 takes dimension 0, the 5, away.", given=(5, 3, 3)),
                Slip(AWAY, "The colon keeps dimension 1: only the number takes one away.", given=(3,)),
                Slip(ZERO, "`1:` leaves out number 0 only: 1, 2 and 3 are left.", given=(3, 2)),
                Slip(ZERO, "`1:` leaves out number 0.", given=(3, 4)),
                Slip(ZERO, "`1:` starts at number 1 and goes on to the end.", given=(3, 1)),
            ),
        ),
        (
            "Go through the three dimensions one by one: number, slice, slice.",
            "Dimension 0 disappears, dimension 1 stays as it is.",
            "Dimension 2 has size 4, and `1:` leaves out the first element, so 3 are left.",
        ),
        "(3, 3)",
        stage="worked",
        entry="(2, 4)",
        right=(lambda tk, t: (3, 3), lambda tk, t: "3, 3", lambda tk, t: tk.ones(5, 3, 4)[2, :, 1:].size()),
        wrong=(
            (lambda tk, t: (1, 3, 3), AWAY),
            (lambda tk, t: (2, 3, 3), AWAY),
            (lambda tk, t: (3,), AWAY),
            (lambda tk, t: (3, 4), ZERO),
            (lambda tk, t: (4, 4), ""),
        ),
    ),
    Task(
        "last_two",
        "The last two of each row",
        "`t = tk.arange(15.0).view(3, 5)`. Fill the gap so that `u` holds the last two numbers of each row, as a "
        "**view**, however long the rows are:\n\n"
        "    u = t[:, ___]",
        tensor_check(
            size=(3, 2),
            stride=(5, 1),
            offset=3,
            shares=True,
            slips=(
                Slip(
                    COPIES,
                    "the numbers are right, but they are a copy, as a list makes it. A slice can choose the same ones.",
                    behaves=(lambda t: t[:, [3, 4]], lambda t: t[:, [-2, -1]]),
                ),
                Slip(
                    AWAY,
                    "a whole number takes one element from each row, and takes the dimension away.",
                    behaves=(lambda t: t[:, -2], lambda t: t[:, -1], lambda t: t[:, 2]),
                ),
                Slip(
                    ZERO,
                    "the end of a slice is left out: `-2:-1` stops before the last one.",
                    behaves=lambda t: t[:, -2:-1],
                ),
                Slip(ZERO, "that is the last one alone; you need two.", behaves=lambda t: t[:, -1:]),
                Slip(ZERO, "those are the first two.", behaves=lambda t: t[:, :2]),
                Slip(
                    ZERO,
                    "those are the last three: the first column is number 0.",
                    behaves=lambda t: t[:, 2:],
                ),
                Slip(
                    ZERO,
                    "those are the first three: `:-2` leaves out the last two.",
                    behaves=lambda t: t[:, :-2],
                ),
                Slip(
                    "rows come before columns",
                    "those are the last two **rows**: the first entry is for rows.",
                    behaves=lambda t: t[-2:],
                ),
            ),
        ),
        (
            "Negative numbers count from the end: the last one is -1, the one before is -2.",
            "A slice without an end goes to the end.",
            "`-2:`",
        ),
        "u = t[:, -2:]",
        stage="faded",
        base=_fifteen,
        right=(
            lambda tk, t: t[:, -2:],
            lambda tk, t: t[..., 3:5],
            lambda tk, t: t.narrow(1, 3, 2),
        ),
        wrong=(
            (lambda tk, t: t[:, [3, 4]], COPIES),
            (lambda tk, t: t[:, -2], AWAY),
            (lambda tk, t: t[:, -2:-1], ZERO),
            (lambda tk, t: t[:, -1:], ZERO),
            (lambda tk, t: t[:, 2:], ZERO),
            (lambda tk, t: t[-2:], "rows come before columns"),
            (lambda tk, t: t[:, 1:3], ""),
        ),
    ),
    Task(
        "corners",
        "The four corners",
        "`t = tk.arange(30.0).view(5, 6)`. Take its four corners, the numbers where the first and the last row meet "
        "the first and the last column, as a table of size (2, 2).",
        tensor_check(
            size=(2, 2),
            values=[[0.0, 5.0], [24.0, 29.0]],
            slips=(
                Slip(
                    PAIRS,
                    "two lists walk together: that is the pair `t[0, 0]` and `t[-1, -1]`. You need all four meetings.",
                    behaves=lambda t: t[[0, -1], [0, -1]],
                ),
                Slip(
                    ZERO,
                    "those are the first two rows and columns; a range cannot jump to the last one without a step.",
                    behaves=lambda t: t[:2, :2],
                ),
                Slip(
                    ZERO,
                    "an end is left out, so the last row and the last column are missing.",
                    behaves=lambda t: t[0:-1:3, 0:-1:4],
                ),
                Slip(
                    "rows come before columns",
                    "those are the right four, but rows and columns have changed places.",
                    behaves=lambda t: t[::4, ::5].t(),
                ),
            ),
        ),
        (
            "Two lists side by side would choose pairs. Do it in two steps: rows first, then columns.",
            "`t[[0, -1]]` holds the two rows. From that, take all rows and two columns.",
            "`t[[0, -1]][:, [0, -1]]`. Rows 0 and 4 are evenly spaced, so a range with a step can do it as well.",
        ),
        "c = t[[0, -1]][:, [0, -1]]",
        stage="free",
        base=_thirty,
        right=(
            lambda tk, t: t[[0, -1]][:, [0, -1]],
            lambda tk, t: t[::4, ::5],
            lambda tk, t: t[tk.tensor([[0], [4]]), tk.tensor([0, 5])],
        ),
        wrong=(
            (lambda tk, t: t[[0, 4], [0, 5]], PAIRS),
            (lambda tk, t: t[:2, :2], ZERO),
            (lambda tk, t: t[::4, ::5].t(), "rows come before columns"),
            (lambda tk, t: t[::4], ""),
        ),
    ),
    Task(
        "no_negatives",
        "Turn the sign",
        "In `t` a minus sign was typed by mistake here and there. Make every negative number positive, **in `t` "
        "itself**, and return `t`. Do not use a loop.",
        tensor_check(
            size=(2, 3),
            values=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            shares=True,
            slips=(
                Slip(
                    COPIES,
                    "the right numbers, in a new tensor. `t` itself has not changed.",
                    behaves=(lambda t: t.abs(), lambda t: -t.clamp(max=0) + t.clamp(min=0)),
                ),
                Slip(
                    COPIES,
                    "nothing has changed. `t[t < 0] = …` writes into `t`; `t[t < 0].abs_()` writes into a copy, "
                    "which is then thrown away.",
                    when=_is(1, -2, 3, -4, 5, -6),
                ),
                Slip(
                    "",
                    "that has turned every sign: the positive numbers are negative now.",
                    when=_is(-1, 2, -3, 4, -5, 6),
                ),
                Slip("", "the numbers are lost: they should be 2, 4 and 6.", when=_is(1, 0, 3, 0, 5, 0)),
            ),
        ),
        (
            "`t < 0` is a mask: True where a number is negative.",
            "A mask may be used on both sides of `=`: to read the numbers, and to say where they are written.",
            "`t[t < 0] = -t[t < 0]`",
        ),
        "t[t < 0] = -t[t < 0]\nt",
        stage="free",
        base=_debts,
        right=(
            lambda tk, t: _wrote(t, lambda: t.__setitem__(t < 0, -t[t < 0])),
            lambda tk, t: t.abs_(),
            lambda tk, t: t.copy_(tk.where(t < 0, -t, t)),
        ),
        wrong=(
            (lambda tk, t: _wrote(t, lambda: t[t < 0].abs_()), COPIES),
            (lambda tk, t: t.abs(), COPIES),
            (lambda tk, t: t.neg_(), ""),
            (lambda tk, t: _wrote(t, lambda: t.__setitem__(t < 0, 0.0)), ""),
            (lambda tk, t: t[t < 0], ""),
        ),
    ),
    Task(
        "watch_list",
        "A real table: patients to call in",
        "`table` has one row for each of thirty patients: their age and their systolic blood pressure. Write "
        "`watch_list(table)`, which returns two tensors: the **rows** of all patients who are older than 50 and have "
        "a pressure above 150, and their **ids**. A patient's id is the number of the row, counted from 0. Do not "
        "use a loop.\n\n"
        "    def watch_list(table):\n"
        "        return rows, ids",
        function_check(
            Case(
                "of eight patients",
                lambda: (_patients(),),
                (tk.tensor([[61.0, 162.0], [69.0, 175.0], [53.0, 158.0]]), tk.tensor([0, 3, 7])),
            ),
            Case(
                "of two patients, one on the list",
                lambda: (tk.tensor([[30.0, 180.0], [80.0, 151.0]]),),
                (tk.tensor([[80.0, 151.0]]), tk.tensor([1])),
            ),
            slips=(
                Slip(
                    "",
                    "a patient of 50 is not older than 50, and a pressure of 150 is not above 150: use `>`.",
                    behaves=lambda t: _watched(t, (t[:, 0] >= 50) & (t[:, 1] >= 150)),
                ),
                Slip(
                    "",
                    "both must hold, age **and** pressure: `&`.",
                    behaves=lambda t: _watched(t, (t[:, 0] > 50) | (t[:, 1] > 150)),
                ),
                Slip(
                    "rows come before columns",
                    "age is column 0 and pressure column 1: `table[:, 0]`, not `table[0]`.",
                    behaves=(
                        lambda t: _watched(t, (t[:, 1] > 50) & (t[:, 0] > 150)),
                        lambda t: _watched(t, (t[0] > 50) & (t[1] > 150)),
                    ),
                ),
                Slip(
                    "True counts as 1",
                    "the second one is the mask. The ids are the row numbers where it is True.",
                    behaves=lambda t: (
                        t[(t[:, 0] > 50) & (t[:, 1] > 150)],
                        (t[:, 0] > 50) & (t[:, 1] > 150),
                    ),
                ),
                Slip(
                    "",
                    "the two results have changed places: the rows come first, then the ids.",
                    behaves=lambda t: _watch_by_nonzero(t)[::-1],
                ),
                Slip(
                    "",
                    "the rows are right; their ids are missing.",
                    behaves=lambda t: t[(t[:, 0] > 50) & (t[:, 1] > 150)],
                ),
                Slip(
                    "",
                    "the rows are right, and so are the ids; but they should be a tensor, not a list.",
                    behaves=lambda t: (_watch_by_nonzero(t)[0], _watch_by_nonzero(t)[1].tolist()),
                ),
                Slip(
                    ZERO,
                    "the first patient has the id 0.",
                    behaves=lambda t: (t[(t[:, 0] > 50) & (t[:, 1] > 150)], _watch_by_nonzero(t)[1] + 1),
                ),
                Slip(
                    AWAY,
                    "the ids should be one row of numbers; `nonzero` gives a column, which `squeeze(1)` makes "
                    "a row.",
                    behaves=lambda t: (_watch_by_nonzero(t)[0], _watch_by_nonzero(t)[1].unsqueeze(1)),
                ),
            ),
        ),
        (
            "Make one mask for the patients: a comparison for the ages, `table[:, 0]`, and one for the pressures.",
            "Join them with `&`, each in round brackets. A mask over dimension 0 chooses whole rows.",
            "The ids: `tk.arange(len(table))[mask]`, or `mask.nonzero()`, which gives them in a column.",
        ),
        "def watch_list(table):\n"
        "    mask = (table[:, 0] > 50) & (table[:, 1] > 150)\n"
        "    return table[mask], mask.nonzero().squeeze(1)",
        stage="free",
        right=(
            lambda tk, t: lambda table: _watched(table, (table[:, 0] > 50) & (table[:, 1] > 150)),
            lambda tk, t: _watch_by_nonzero,
            lambda tk, t: _watch_by_loop,
        ),
        wrong=(
            (lambda tk, t: lambda t: _watched(t, (t[:, 0] >= 50) & (t[:, 1] >= 150)), ""),
            (lambda tk, t: lambda t: _watched(t, (t[:, 0] > 50) and (t[:, 1] > 150)), TRUTH),
            (
                lambda tk, t: lambda t: (t[(t[:, 0] > 50) & (t[:, 1] > 150)], t[:, 0] > 50),
                "",
            ),
            (
                lambda tk, t: lambda t: _watched(t, (t[:, 1] > 50) & (t[:, 0] > 150)),
                "rows come before columns",
            ),
            (lambda tk, t: lambda t: (t[:3], [0, 1, 2]), ""),
        ),
    ),
    Task(
        "clip",
        "Repair: it clips nothing",
        "A loudspeaker takes samples from -1 to 1. `clip` should set every sample beyond these limits to -1 or 1, "
        "in the caller's tensor, and return that tensor. It runs without an error, but the sound stays as it was. "
        "Repair it:\n\n"
        "    def clip(sound):\n"
        "        sound[sound > 1][:] = 1.0\n"
        "        sound[sound < -1].fill_(-1.0)\n"
        "        return sound",
        function_check(
            _clip_case("of a sound with two loud samples", (0.5, 2.0, -3.0, -0.25), (0.5, 1.0, -1.0, -0.25)),
            _clip_case("of a quiet sound", (0.0, 0.5), (0.0, 0.5)),
            _clip_case("of a sound that is loud throughout", (4.0, 4.0, -8.0), (1.0, 1.0, -1.0)),
            slips=(
                Slip(
                    COPIES,
                    "the sound is as loud as before. A mask between brackets makes a copy; what follows the brackets, "
                    "`[:]` or `.fill_`, is done to that copy.",
                    behaves=lambda sound: sound,
                ),
                Slip(
                    COPIES,
                    "what you return is clipped, but it is a new tensor: the caller's own sound is as loud as "
                    "before.",
                    behaves=lambda sound: sound.clamp(-1, 1),
                ),
                Slip(
                    COPIES,
                    "the first line is repaired. The second still writes into a copy.",
                    behaves=lambda sound: _clipped(sound, bottom=False),
                ),
                Slip(
                    COPIES,
                    "the second line is repaired. The first still writes into a copy.",
                    behaves=lambda sound: _clipped(sound, top=False),
                ),
                Slip(
                    "",
                    "that makes loud samples silent; they should be -1 or 1.",
                    behaves=lambda sound: sound.masked_fill_(sound.abs() > 1, 0.0),
                ),
            ),
        ),
        (
            "Each line does two things: first the brackets, then something else. What do the brackets make?",
            "`sound[mask] = …` writes into `sound`, if nothing comes between the brackets and `=`.",
            "`sound[sound > 1] = 1.0`, and the other line in the same way.",
        ),
        "def clip(sound):\n    sound[sound > 1] = 1.0\n    sound[sound < -1] = -1.0\n    return sound",
        stage="free",
        right=(
            lambda tk, t: _clipped,
            lambda tk, t: lambda sound: sound.clamp_(-1, 1),
            lambda tk, t: lambda sound: sound.masked_fill_(sound > 1, 1.0).masked_fill_(sound < -1, -1.0),
        ),
        wrong=(
            (lambda tk, t: lambda sound: _wrote(sound, lambda: sound[sound > 1].fill_(1.0)), COPIES),
            (lambda tk, t: lambda sound: sound.clamp(-1, 1), COPIES),
            (lambda tk, t: lambda sound: _clipped(sound, bottom=False), COPIES),
            (lambda tk, t: lambda sound: _wrote(sound, lambda: sound.fill_(1.0)), ""),
            (lambda tk, t: lambda sound: None, ""),
        ),
    ),
)
