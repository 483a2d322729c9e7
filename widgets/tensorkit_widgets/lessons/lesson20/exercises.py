"""The exercises of lesson 20, with what proves them."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.lessons.lesson20 import trial_functions as f
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.checking.on_devices import on_devices
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.kinds import Task

RETURNS = "`.to()` returns"
SAME = "`.to()` may give the same tensor"
PLACE = "operands on one device"
TRIP = "reading is a crossing"
SEED = "same seed, other device"
STARTS = "tensors start on the CPU"
ONCE = "a device is named once"
ZERO_D = "a 0-d tensor is a tensor"


def _placed(_: tuple[Any, ...], got: Any) -> object:
    """Where a result lies, and its numbers."""
    if not is_tensor(got):
        raise Unreadable("it should give a tensor.")
    return str(got.device), tuple(round(number, 3) for number in got.reshape(-1).tolist())


# -- a constant beside its tensor


def _counted(device: str, where: str, *numbers: float) -> Case:
    right = tuple(round(k * number, 3) for k, number in enumerate(numbers))

    def tells(found: Any) -> str:
        place, got = found[0]
        if place != where:
            return f"the result is on `{place}`; it should stay on `{where}`, with `t`."
        if got != right:
            return f"of {_begin(numbers)} times 0, 1, 2, … it gives {_begin(got)}; {_begin(right)} is right."
        return f"the numbers are right, but they were not computed on `{where}`."

    watched = f.Watched(lambda: tensorkit.tensor(numbers), device, sent=True)
    return watched.case(f"with `t` on `{where}`", (where, right), _placed, tells)


def _begin(numbers: tuple[float, ...]) -> str:
    """The first numbers of a row."""
    return f"[{', '.join(map(str, numbers[:3]))}{', …' * (len(numbers) > 3)}]"


_COUNTED = function_check(
    _counted("cpu", "cpu", 5.0, 6.0, 7.0),
    _counted("cuda", "cuda:0", *(4.0 + n % 5 for n in range(200))),
    _counted("cuda:1", "cuda:1", *(9.0 - n % 7 for n in range(333))),
    slips=(
        Slip(
            STARTS,
            "on the CPU it works. On a device the two factors are in different memories: `tk.arange` makes "
            "its numbers on the CPU, unless you give it a device.",
            behaves=f.counted_here,
        ),
        Slip(
            ONCE,
            '`"cuda"` is right only where `t` happens to be there. `t` can tell you its device.',
            behaves=f.counted_on_cuda,
        ),
        Slip(
            TRIP,
            "the numbers are right, but all of them had to cross to the CPU to be computed. Make the small tensor "
            "where the large one is.",
            behaves=(f.counted_on_cpu, f.counted_and_sent_back),
        ),
    ),
)

# -- the same noise everywhere


def _noise(n: int, seed: int, device: str, where: str, numbers: tuple[float, ...]) -> Case:
    def tells(found: Any) -> str:
        if found[0] != where:
            return f"the result is on `{found[0]}`; it should be on `{where}`."
        return f"it gives {list(found[1])}; on the CPU this seed gives {list(numbers)}."

    def arguments() -> tuple[object, ...]:
        return n, seed, device

    return Case(f"`noise({n}, {seed}, {device!r})`", arguments, (where, numbers), _placed, tells)


_NOISE = function_check(
    _noise(3, 5, "cpu", "cpu", (0.830, 0.126, 0.907)),
    _noise(3, 5, "cuda", "cuda:0", (0.830, 0.126, 0.907)),
    _noise(2, 11, "cuda:1", "cuda:1", (0.149, 0.487)),
    slips=(
        Slip(
            SEED,
            "you draw on the device, with the device's generator: that gives other numbers than on the CPU, "
            "even with the same seed. Draw on the CPU, which every machine has, and send the numbers to the "
            "device.",
            behaves=f.noise_drawn_there,
        ),
        Slip(
            RETURNS,
            "the numbers are right, but still on the CPU. Return what `.to(device)` returns.",
            behaves=(f.noise_not_kept, f.noise_on_cpu),
        ),
    ),
)

# -- a line through a table


def _table(slope: float, offset: float) -> Any:
    ages = tensorkit.arange(300.0) % 60 + 20
    return tensorkit.stack([ages, slope * ages + offset], dim=1)


def _two_numbers(_: tuple[Any, ...], got: Any) -> object:
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise Unreadable("it should give two numbers, the slope and the offset.")
    kind = "tensors" if any(map(is_tensor, got)) else "numbers"
    return kind, tuple(round(float(number), 1) for number in got)


def _line(slope: float, offset: float, device: str) -> Case:
    def tells(found: Any) -> str:
        kind, numbers = found[0]
        if numbers != (slope, offset):
            return f"for a table on the line y = {slope} x + {offset} it gives {numbers[0]} and {numbers[1]}."
        if kind == "tensors":
            return "the numbers are right, but they are tensors. Give Python numbers."
        return f"the numbers are right, but they were not computed on `{device}`."

    watched = f.Watched(lambda: _table(slope, offset), device)
    return watched.case(f"on `{device}`", ("numbers", (slope, offset)), _two_numbers, tells)


_LINE = function_check(
    _line(2.0, 90.0, "cpu"),
    _line(2.0, 90.0, "cuda"),
    _line(-1.5, 240.0, "cuda:1"),
    slips=(
        Slip(
            RETURNS,
            "the numbers are right, but the device had nothing to do: the table was copied to it, and the "
            "copy was not kept.",
            behaves=f.line_not_kept,
        ),
        Slip(
            STARTS,
            "the numbers are right, but all of it happened on the CPU. Where is `device` used?",
            behaves=f.line_on_cpu,
        ),
        Slip(
            PLACE,
            "on the CPU it works. On a device `lstsq` finds the table on the device and `x` on the CPU: "
            "`tk.ones` makes its numbers on the CPU, unless you give it a device.",
            behaves=f.line_half_there,
        ),
        Slip(
            ZERO_D,
            "the numbers are right, but they are tensors on the device. `item()` or `tolist()` turns them "
            "into Python numbers.",
            behaves=f.line_as_tensors,
        ),
    ),
)

# -- repair it


def _pressures(numbers: int, step: float) -> Any:
    return tensorkit.arange(float(numbers)) % 7 * step + 90


def _standardised(device: str, where: str, numbers: int, step: float) -> Case:
    """So many numbers; with a `step` of 0 all are equal, and their spread is 0."""
    right = _rounded(f.standard_there(_pressures(numbers, step), "cpu"))

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not is_tensor(got):
            raise Unreadable("it should give a tensor.")
        return str(got.device), _rounded(got), tensorkit.equal(given[0], _pressures(numbers, step))

    def tells(found: Any) -> str:
        place, got, left_alone = found[0]
        if place != where:
            return f"the result is on `{place}`; it should be on `{where}`."
        if got != right:
            return f"the numbers should stay {_begin(right)}; yours are {_begin(got)}."
        if not left_alone:
            return "the tensor that I gave you has changed."
        return f"the numbers are right, but they were not computed on `{where}`."

    watched = f.Watched(lambda: _pressures(numbers, step), device)
    says = f"with `device` {device!r}" + ("" if step else " and equal numbers")
    return watched.case(says, (where, right, True), looks, tells)


def _rounded(t: Any) -> tuple[float, ...]:
    return tuple(round(number, 2) for number in t.reshape(-1).tolist())


_REPAIRED = function_check(
    _standardised("cpu", "cpu", 150, 5.0),
    _standardised("cuda", "cuda:0", 200, 3.0),
    _standardised("cuda:1", "cuda:1", 150, 0.0),
    slips=(
        Slip(
            RETURNS,
            "the result is still on the CPU, whatever `device` says: `t.to(device)` on a line of its own makes a copy "
            "that is not kept.",
            behaves=f.standard_untouched,
        ),
        Slip(
            PLACE,
            "half of it is done: now one of the two tensors is on the device, and the other is not. Print "
            "both devices after the second line: `t.device` and `least.device`.",
            behaves=(f.standard_constant_here, f.standard_not_kept),
        ),
        Slip(
            SAME,
            "on a device it works. On the CPU `t.to(device)` is `t` itself, and your function writes into the "
            "caller's own tensor.",
            behaves=f.standard_in_place,
        ),
        Slip(
            ONCE,
            "`cuda()` always means the current device, whatever `device` is.",
            behaves=f.standard_on_cuda,
        ),
        Slip(
            TRIP,
            "the result is where it should be, but it was computed on the CPU and sent to the device at the "
            "end. Send `t` first, then compute.",
            behaves=f.standard_sent_late,
        ),
    ),
)

TASKS = (
    Task(
        "which_cross",
        "Which lines cross?",
        '`g = tk.tensor([1.0, 2.0, 3.0]).to("cuda")`. Which of the lines make numbers cross between the '
        "memories?\n"
        "\n"
        "Worked: `g.tolist()` does. It makes Python numbers, and those live on the CPU. `g + 1` does not: it "
        "is computed on the device, where `g` is, and its result stays there.\n"
        "\n"
        "    a   g.sum()\n"
        "    b   g.max().item()\n"
        "    c   g[2:]\n"
        '    d   tk.zeros(3, device="cuda")\n'
        "    e   if g[0] > 1: ...\n"
        "\n"
        "Give the letters.",
        letters_check(
            "BE",
            {
                "A": Slip(TRIP, "**a**: the sum is a tensor on the device, too, and nothing reads it.", given="A"),
                "B": Slip(TRIP, "**b** is missing: `item()` makes a Python number.", given="B"),
                "C": Slip(
                    "a slice aliases its base", "**c** is a view of the same storage on the device.", given="C"
                ),
                "D": Slip(STARTS, "**d** gives the device, so the zeros are made on it.", given="D"),
                "E": Slip(TRIP, "**e** is missing: `if` needs a yes or no, and Python decides on the CPU.", given="E"),
            },
        ),
        (
            "Ask of each line: does anything on the CPU have to know a *number* afterwards?",
            "A view and a sum stay on the device of their tensor.",
            "Two of the five cross: one makes a Python number, and one makes Python decide.",
        ),
        '"b e"',
        stage="worked",
        entry="a d",
        right=(lambda tk, t: f.crossing(), lambda tk, t: "B, E", lambda tk, t: "e b"),
        wrong=(
            (lambda tk, t: "b", TRIP),
            (lambda tk, t: "a b e", TRIP),
            (lambda tk, t: "b c e", "a slice aliases its base"),
            (lambda tk, t: "b d e", STARTS),
        ),
        devices=1,
    ),
    Task(
        "counted",
        "A small tensor beside a large one",
        "`counted(t)` multiplies the first number of `t` by 0, the second by 1, the third by 2, and so on. "
        "It should work on any device, and leave the result on the device of `t`. Fill the gap, and give me "
        "the function itself.\n"
        "\n"
        "    def counted(t):\n"
        "        places = tk.arange(len(t), device=___)\n"
        "        return t * places",
        on_devices(_COUNTED, 2),
        (
            "The device must not be written into the function. Where can you read it off?",
            "Every tensor has an attribute that holds its device.",
            "`t.device` is what fits into the gap.",
        ),
        "def counted(t):\n    return t * tk.arange(len(t), device=t.device)",
        stage="faded",
        right=(lambda tk, t: f.counted_there, lambda tk, t: f.counted_by_new, lambda tk, t: f.counted_by_sums),
        wrong=(
            (lambda tk, t: f.counted_here, STARTS),
            (lambda tk, t: f.counted_on_cuda, ONCE),
            (lambda tk, t: f.counted_on_cpu, TRIP),
            (lambda tk, t: f.counted_and_sent_back, TRIP),
            (lambda tk, t: lambda t: tensorkit.tensor([0.0, 6.0, 14.0], device=t.device), ""),
            (lambda tk, t: lambda t: t * 2, ""),
        ),
        devices=2,
    ),
    Task(
        "noise",
        "The same noise everywhere",
        "A colleague without a GPU should get your random numbers, to the last digit. Write `noise(n, seed, device)`: "
        "it gives `n` numbers as `tk.rand` draws them, on `device`, and one seed gives the same numbers on **every** "
        "device. Give me the function itself.\n\n"
        "    def noise(n, seed, device):\n"
        "        ...",
        on_devices(_NOISE, 2),
        (
            "What do all machines have in common, those with a GPU and those without?",
            "Seed and draw on the CPU. Use the device after that.",
            "`tk.manual_seed(seed)`, then draw without `device=`, then send the result to `device` and "
            "return it.",
        ),
        "def noise(n, seed, device):\n    tk.manual_seed(seed)\n    return tk.rand(n).to(device)",
        right=(
            lambda tk, t: f.noise_moved,
            lambda tk, t: f.noise_by_generator,
            lambda tk, t: lambda n, seed, device: f.noise_on_cpu(n, seed, device).to(device),
        ),
        wrong=(
            (lambda tk, t: f.noise_drawn_there, SEED),
            (lambda tk, t: f.noise_not_kept, RETURNS),
            (lambda tk, t: f.noise_on_cpu, RETURNS),
            (lambda tk, t: f.noise_new, ""),
        ),
        devices=2,
    ),
    Task(
        "blood_pressure",
        "Blood pressure and age, on any device",
        "`table` has two columns, the age and the blood pressure of each person, and is on the CPU. This "
        "function fits a line to them on the CPU:\n"
        "\n"
        "    def line_of(table):\n"
        "        x = tk.ones(len(table), 2)\n"
        "        x[:, 0] = table[:, 0]\n"
        "        y = table[:, 1:]\n"
        "        a, b = tk.linalg.lstsq(x, y).solution[:, 0]\n"
        "        return a.item(), b.item()\n"
        "\n"
        "Write `line_of(table, device)`, which computes the same on `device`, and gives the slope and the "
        "offset as two Python numbers. Give me the function itself.",
        on_devices(_LINE, 2),
        (
            "Which two tensors have to be on the device before `lstsq` is called?",
            "Send the table to the device once, and keep it. Make the ones on the device.",
            "`table = table.to(device)`, and `device=device` in `tk.ones`.",
        ),
        "def line_of(table, device):\n"
        "    table = table.to(device)\n"
        "    x = tk.stack([table[:, 0], tk.ones(len(table), device=device)], dim=1)\n"
        "    a, b = tk.linalg.lstsq(x, table[:, 1:]).solution[:, 0].tolist()\n"
        "    return a, b",
        right=(lambda tk, t: f.line_there, lambda tk, t: f.line_in_double, lambda tk, t: f.line_by_means),
        wrong=(
            (lambda tk, t: f.line_not_kept, RETURNS),
            (lambda tk, t: f.line_on_cpu, STARTS),
            (lambda tk, t: f.line_half_there, PLACE),
            (lambda tk, t: f.line_as_tensors, ZERO_D),
            (lambda tk, t: lambda table, device: (0.0, 0.0), ""),
        ),
        devices=2,
    ),
    Task(
        "repair",
        "Repair it",
        "On the CPU this function has worked for years. It should compute on `device`, return the result on "
        "`device`, and leave `t` as it was. With a GPU it does not. Two lines are to blame. Repair it, and "
        "give me the function itself.\n"
        "\n"
        "    def standardised(t, device):\n"
        "        t.to(device)\n"
        "        least = tk.tensor([1e-6])\n"
        "        return (t - t.mean()) / tk.maximum(t.std(), least)",
        on_devices(_REPAIRED, 2),
        (
            "Go through it line by line. Which device is each tensor on?",
            "What does the first line return, and is it kept? Where is `least` made?",
            "`t = t.to(device)`, and `device=device` for `least`.",
        ),
        "def standardised(t, device):\n"
        "    there = t.to(device)\n"
        "    least = tk.tensor([1e-6], device=device)\n"
        "    return (there - there.mean()) / tk.maximum(there.std(), least)",
        right=(
            lambda tk, t: f.standard_there,
            lambda tk, t: f.standard_by_like,
            lambda tk, t: f.standard_by_number,
        ),
        wrong=(
            (lambda tk, t: f.standard_untouched, RETURNS),
            (lambda tk, t: f.standard_not_kept, PLACE),
            (lambda tk, t: f.standard_constant_here, PLACE),
            (lambda tk, t: f.standard_in_place, SAME),
            (lambda tk, t: f.standard_on_cuda, ONCE),
            (lambda tk, t: f.standard_sent_late, TRIP),
            (lambda tk, t: f.standard_unguarded, ""),
            (lambda tk, t: f.standard_at_its_ends, ""),
            (lambda tk, t: lambda t, device: t.to(device) * 1, ""),
        ),
        devices=2,
    ),
)  # fmt: skip
