"""Functions that learners may write in the exercises of lesson 15, right and wrong, and the checks that call them."""

from __future__ import annotations

from typing import Any

import numpy

import tensorkit
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.markup import quoted

SHARES = "NumPy shares memory"


# ------------------------------------------------------------------ an array of its own


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
    if before not in (_NUMBERS, _OTHERS):
        return f"it returned {list(before)}."
    return "I zeroed the tensor afterwards, and your array changed as well."


_NUMBERS, _OTHERS = (1.0, 2.0, 3.0), (-4.0, 0.5)


OWN = function_check(
    Case(
        "for `tk.tensor([1., 2., 3.])`",
        lambda: (tensorkit.tensor(_NUMBERS),),
        (_NUMBERS, _NUMBERS),
        _own,
        _tell_own,
    ),
    Case(
        "for a tensor that requires grad, `[-4., 0.5]`",
        lambda: (tensorkit.tensor(_OTHERS, requires_grad=True),),
        (_OTHERS, _OTHERS),
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
            "the copy is made. But a tensor that requires grad gives no array, and a clone of it still requires grad.",
            behaves=lambda t: t.clone().numpy(),
        ),
    ),
)


# ------------------------------------------------------------------ columns of a file


def _file(says: str, dtype: str, *rows: tuple[float, float]) -> Case:
    """A table as NumPy reads it from a file."""
    wanted = tuple(row[0] for row in rows) + tuple(row[1] for row in rows)

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not is_tensor(got):
            raise Unreadable(f"it should return a tensor; yours returned {quoted(got)}.")
        size, kind, numbers = (
            tuple(got.size()),
            str(got.dtype).rpartition(".")[2],
            tuple(got.reshape(-1).tolist()),
        )
        contiguous = bool(got.is_contiguous())
        given[0].fill(-1.0)
        return size, kind, numbers, contiguous, tuple(got.reshape(-1).tolist()) == numbers

    def tells(found: Any) -> str:
        size, kind, numbers, contiguous, own = found
        if size != (2, len(rows)):
            return f"the size is {size}; it should be {(2, len(rows))}."
        if numbers != wanted:
            return f"row 0 should be the ages, {list(wanted[: len(rows)])}; yours is {list(numbers[: len(rows)])}."
        if kind != "float32":
            return f"the dtype is {kind}; it should be float32."
        if not own:
            return "I wrote into the table afterwards, and your tensor changed as well."
        return "" if contiguous else "its rows are not contiguous: a view of it may be refused."

    return Case(
        says,
        lambda: (numpy.array(rows, dtype=dtype),),
        ((2, len(rows)), "float32", wanted, True, True),
        looks,
        tells,
    )


COLUMNS = function_check(
    _file("for a table of float64", "float64", (39.0, 144.0), (47.0, 220.0), (45.0, 138.0)),
    _file("for a table of float32", "float32", (65.0, 162.0), (46.0, 142.0), (67.0, 170.0), (42.0, 124.0)),
    slips=(
        Slip(
            "what contiguous means",
            "the numbers are right. But a transpose only swaps the strides, and the cast keeps that order: the ages "
            "are not side by side in memory.",
            behaves=(
                lambda table: tensorkit.from_numpy(table).t().to(tensorkit.float32, copy=True),
                lambda table: tensorkit.from_numpy(table.T).clone().float(),
            ),
        ),
        Slip(
            SHARES,
            "with a `float32` table `float()` makes nothing new: I wrote into the table afterwards, and your tensor "
            "changed. (Its rows are not contiguous, either.)",
            behaves=lambda table: tensorkit.from_numpy(table).float().t(),
        ),
        Slip(
            "permute vs view",
            "`view` and `reshape` regroup the numbers: ages and pressures are mixed in each row. You want a transpose.",
            behaves=(
                lambda table: tensorkit.tensor(table, dtype=tensorkit.float32).view(2, -1),
                lambda table: tensorkit.from_numpy(table).float().view(2, -1),
            ),
        ),
        Slip(
            "default dtype",
            "only the dtype is wrong: NumPy read float64, and nothing has cast it.",
            behaves=(
                lambda table: tensorkit.from_numpy(table.T.copy()),
                lambda table: tensorkit.tensor(table).t().contiguous(),
            ),
        ),
    ),
)


# ------------------------------------------------------------------ a curve that is smoothed


def _curve(*numbers: float) -> Case:
    smooth = tuple(sum(numbers[n - 1 : n + 2]) / 3 for n in range(1, len(numbers) - 1))
    wanted = (numbers[0], *smooth, numbers[-1])

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not isinstance(got, numpy.ndarray):
            raise Unreadable(f"it should return a NumPy array; yours returned {quoted(got)}.")
        return tuple(got.tolist()), tuple(given[0].tolist())

    def tells(found: Any) -> str:
        got, weights = found
        if weights != numbers:
            return f"the weights hold {[round(n, 3) for n in weights]} now; they were {list(numbers)}."
        return f"it returned {[round(n, 3) for n in got]}; it should be {[round(n, 3) for n in wanted]}."

    return Case(
        f"for weights {list(numbers)}",
        lambda: (tensorkit.tensor(numbers, requires_grad=True),),
        (wanted, numbers),
        looks,
        tells,
    )


def smoothed_given(w: Any) -> Any:
    a = w.detach().numpy()
    a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    return a


def smoothed_in_a_copy(w: Any) -> Any:
    a = w.detach().numpy().copy()
    a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    return a


def smoothed_in_a_new_array(w: Any) -> Any:
    a = w.detach().numpy()
    return numpy.concatenate([a[:1], (a[:-2] + a[1:-1] + a[2:]) / 3, a[-1:]])


SMOOTHED = function_check(
    _curve(0.0, 3.0, 0.0, 6.0),
    _curve(1.0, 2.0, 6.0, 1.0, 8.0),
    slips=(
        Slip(
            SHARES,
            "the curve is right, but the weights are smoothed as well: the array reads their memory, and so does every "
            "slice of it.",
            behaves=smoothed_given,
        ),
    ),
)
