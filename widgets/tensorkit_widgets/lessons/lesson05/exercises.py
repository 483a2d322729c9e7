"""The exercises of lesson 05, with the solutions and slips that prove their checks."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import layout_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, Unreadable, read
from tensorkit_widgets.practice.kinds import Task

REFUSED = "view after transpose fails"


WHOLE = "a saved slice saves the whole storage"


CONTIGUOUS = "what contiguous means"


COPIES = "reshape may copy"


COPY = "a copy is not a view"


def _layers(tk: Any) -> Any:
    return tk.arange(24.0).view(2, 3, 4)


def _contiguous(size: Any, stride: Any) -> bool:
    """What `is_contiguous` says."""
    return bool((size[1] == 1 or stride[1] == 1) and (size[0] == 1 or stride[0] == size[1]))


def _table(rows: int, columns: int) -> Case:
    """A table whose rows' first two numbers are to be kept, and no more."""

    def looks(_: tuple[Any, ...], got: Any) -> object:
        if not isinstance(got, (list, tuple)):
            raise Unreadable("it should give a list of tensors; yours gave something else.")
        return tuple((read(piece).values, piece.untyped_storage().nbytes()) for piece in got)

    def tells(found: Any) -> str:
        if len(found) != rows:
            return f"the list should have {rows} tensors; yours has {len(found)}."
        place, (values, count) = next((n, one) for n, one in enumerate(found) if one != wanted[n])
        if values != wanted[place][0]:
            return (
                f"the tensor of row {place} should hold {list(wanted[place][0])}; yours holds {list(values)}."
            )
        return f"the storage of the tensor of row {place} has {count} bytes; two numbers take 8."

    wanted = tuple(((float(row * columns), float(row * columns + 1)), 8) for row in range(rows))
    return Case(
        f"of a table of {rows} rows of {columns}",
        lambda: (tensorkit.arange(float(rows * columns)).view(rows, columns),),
        wanted,
        looks,
        tells,
    )


def _windows(says: str, first: int, step: int, count: int, n: int) -> Case:
    """A row of so many numbers, somewhere in a storage, and the length of its windows."""
    size = (count - n + 1, n)
    values = tuple(float(first + step * (i + j)) for i in range(size[0]) for j in range(n))

    def looks(arguments: tuple[Any, ...], got: Any) -> object:
        mine = read(got)
        return mine.size, mine.values, mine.shares(read(arguments[0]))

    def tells(found: Any) -> str:
        if found[0] != size:
            return f"the size should be {size}; yours is {found[0]}."
        if found[1] != values:
            place = next(
                at for at, pair in enumerate(zip(found[1], values, strict=True)) if pair[0] != pair[1]
            )
            i, j = divmod(place, n)
            return f"element {[i, j]} should be {values[place]}; yours is {found[1][place]}."
        return "the numbers are right, but they were copied."

    return Case(
        says,
        lambda: (tensorkit.arange(60.0).as_strided((count,), (step,), first), n),
        (size, values, True),
        looks,
        tells,
    )


def _cleared(says: str, make: Any) -> Case:
    """A matrix whose first element is to become 0, and no other."""
    before = read(make()).values

    def tells(found: Any) -> str:
        if found == before:
            return "nothing in it has changed."
        return f"its numbers should be {[0.0, *before[1:]]}; they are {list(found)}."

    return Case(
        says, lambda: (make(),), (0.0, *before[1:]), lambda arguments, _: read(arguments[0]).values, tells
    )


def _in_windows(row: Any, n: int) -> Any:
    return row.as_strided((row.size(0) - n + 1, n), (row.stride(0), row.stride(0)))


TASKS = (
    Task(
        "strides_of_a_copy",
        "Size and stride of a copy",
        "Worked: `tk.arange(12.0).view(3, 4).t()` has the size (4, 3) and the stride (1, 4). `contiguous()` copies "
        "it: the size stays, and the copy has the stride **(3, 1)** and the offset **0**.\n\n"
        "Your turn: `t = tk.arange(20.0).view(4, 5)`. Give size, stride and offset of `t[1:, 2:4].contiguous()` as "
        "`((_, _), (_, _), _)`. Work it out before you ask the machine.",
        layout_check(
            size=(3, 2),
            stride=(2, 1),
            offset=0,
            slips=(
                Slip(
                    CONTIGUOUS,
                    "that is the stride of `t`, and of the slice itself. After `contiguous()` the numbers are in "
                    "reading order, without a gap.",
                    stride=(5, 1),
                ),
                Slip(
                    "offsets count slots",
                    "the slice begins in slot 7. A copy has a storage of its own, and begins where that begins.",
                    offset=7,
                ),
                Slip("rows come before columns", "it has three rows of two numbers.", size=(2, 3)),
                Slip(
                    "a size is not a stride",
                    "one row down is two slots: a row of the copy has two numbers.",
                    stride=(3, 1),
                ),
            ),
        ),
        (
            "What is the size of `t[1:, 2:4]`? A copy keeps it.",
            "Contiguous means: in reading order, one slot after the other, from the first slot of its own storage.",
            "So one column to the right is 1 slot, and one row down is a whole row of 2.",
        ),
        "((3, 2), (2, 1), 0)",
        stage="worked",
        entry="(3, 4), (4, 1), 0",
        right=(
            lambda tk, t: ((3, 2), (2, 1), 0),
            lambda tk, t: "(3, 2), (2, 1), 0",
            lambda tk, t: tk.arange(20.0).view(4, 5)[1:, 2:4].contiguous(),
        ),
        wrong=(
            (lambda tk, t: ((3, 2), (5, 1), 0), CONTIGUOUS),
            (lambda tk, t: ((3, 2), (5, 1), 7), CONTIGUOUS),
            (lambda tk, t: ((3, 2), (2, 1), 7), "offsets count slots"),
            (lambda tk, t: ((2, 3), (3, 1), 0), "rows come before columns"),
            (lambda tk, t: ((3, 2), (3, 1), 0), "a size is not a stride"),
            (lambda tk, t: ((3, 2), (2, 1), 1), ""),
        ),
    ),
    Task(
        "flat_in_order",
        "In one row, in reading order",
        "`t = tk.arange(24.0).view(2, 3, 4)`. Put the 24 numbers of `t.permute(2, 0, 1)` into one row, in the "
        "reading order of that tensor: 0, 4, 8, 12, 16, 20, 1, 5, …\n\n"
        "    flat = ...",
        tensor_check(
            size=(24,),
            values=[first + 4 * step for first in range(4) for step in range(6)],
            shares=False,
            slips=(
                Slip(
                    REFUSED,
                    "that is the order of `t`, and of the storage; the permuted tensor is read in another order.",
                    behaves=(lambda t: t.view(-1), lambda t: t.reshape(-1).clone()),
                ),
                Slip(
                    "permute vs view",
                    "those are the numbers of `t.permute(1, 2, 0)`: the dimension that was last should come first.",
                    behaves=lambda t: t.permute(1, 2, 0).reshape(-1),
                ),
            ),
        ),
        (
            "From slot 20 back to slot 1: no single stride can walk that, so a view is not possible.",
            "Something has to copy. Which call copies only where it must?",
            "`reshape`, or `contiguous()` before `view`.",
        ),
        "flat = t.permute(2, 0, 1).reshape(-1)",
        stage="free",
        base=_layers,
        right=(
            lambda tk, t: t.permute(2, 0, 1).reshape(-1),
            lambda tk, t: t.permute(2, 0, 1).contiguous().view(-1),
            lambda tk, t: t.permute(2, 0, 1).flatten(),
            lambda tk, t: t.view(6, 4).t().reshape(24),
        ),
        wrong=(
            (lambda tk, t: t.view(-1), REFUSED),
            (lambda tk, t: t.reshape(-1).clone(), REFUSED),
            (lambda tk, t: t.permute(1, 2, 0).reshape(-1), "permute vs view"),
            (lambda tk, t: t.permute(2, 0, 1), ""),
        ),
    ),
    Task(
        "may_flatten",
        "May it be flattened?",
        "Write the rule yourself: given the size and the stride of a matrix, does `view(-1)` work? Give the "
        "function, without calling it.\n\n"
        "    def may_flatten(size, stride):\n"
        "        return ...",
        function_check(
            Case("of a fresh matrix, (3, 4) and (4, 1)", lambda: ((3, 4), (4, 1)), True),
            Case("of its transpose, (4, 3) and (1, 4)", lambda: ((4, 3), (1, 4)), False),
            Case("of every second column, (3, 2) and (4, 2)", lambda: ((3, 2), (4, 2)), True),
            Case("of one row, (1, 4) and (999, 1)", lambda: ((1, 4), (999, 1)), True),
            Case("of one column, (4, 1) and (1, 999)", lambda: ((4, 1), (1, 999)), True),
            Case("of a part of each row, (3, 3) and (4, 1)", lambda: ((3, 3), (4, 1)), False),
            slips=(
                Slip(
                    REFUSED,
                    "yours always allows it. The step from the end of one row to the start of the next may differ "
                    "from the others, and then no single stride fits the walk.",
                    behaves=lambda size, stride: True,
                ),
                Slip(
                    CONTIGUOUS,
                    "that asks whether it is contiguous, which is more than a view needs: the steps 0, 2, 4, 6, … "
                    "of every second column are all alike, and a view is possible.",
                    behaves=(
                        lambda size, stride: stride[1] == 1 and stride[0] == size[1],
                        lambda size, stride: tuple(stride) == (size[1], 1),
                        _contiguous,
                    ),
                ),
                Slip(
                    CONTIGUOUS,
                    "that asks whether each row is in one piece. The step from row to row counts as well.",
                    behaves=lambda size, stride: stride[1] == 1,
                ),
                Slip(
                    "strides of size-1 dimensions",
                    "the rule is right, except for a dimension of size 1: no walk steps along it, so its stride "
                    "does not matter.",
                    behaves=(
                        lambda size, stride: stride[0] == size[1] * stride[1],
                        lambda size, stride: size[0] == 1 or stride[0] == size[1] * stride[1],
                        lambda size, stride: size[1] == 1 or stride[0] == size[1] * stride[1],
                    ),
                ),
                Slip(
                    "permute vs view",
                    "that asks whether the strides fall from left to right. They also have to fit the sizes, and "
                    "those of a part of each row do not.",
                    behaves=(
                        lambda size, stride: stride[0] >= stride[1],
                        lambda size, stride: stride[0] > stride[1],
                        lambda size, stride: 1 in size or stride[0] > stride[1],
                    ),
                ),
            ),
        ),
        (
            "One step down must be as long as a walk to the end of a row and one step further.",
            "That is `stride[0] == size[1] * stride[1]`.",
            "Along a dimension of size 1 there is no step at all, so then it always works.",
        ),
        "def may_flatten(size, stride):\n    return 1 in size or stride[0] == size[1] * stride[1]",
        stage="free",
        right=(
            lambda tk, t: lambda size, stride: 1 in size or stride[0] == size[1] * stride[1],
            lambda tk, t: lambda size, stride: _asked(tk, size, stride),
            lambda tk, t: (
                lambda size, stride: size[0] == 1 or size[1] == 1 or stride[0] / size[1] == stride[1]
            ),
        ),
        wrong=(
            (lambda tk, t: lambda size, stride: True, REFUSED),
            (lambda tk, t: lambda size, stride: stride[1] == 1 and stride[0] == size[1], CONTIGUOUS),
            (
                lambda tk, t: lambda size, stride: stride[0] == size[1] * stride[1],
                "strides of size-1 dimensions",
            ),
            (lambda tk, t: lambda size, stride: stride[0] > stride[1], "permute vs view"),
            (lambda tk, t: lambda size, stride: stride[1] == 1, CONTIGUOUS),
            (lambda tk, t: lambda size, stride: size == stride, ""),
        ),
    ),
    Task(
        "small_thumbs",
        "Let the large one go",
        "A list of slices, pickled, is worse than one slice: the whole storage is written again for **every** "
        "slice. Write `beginnings(table)`, which gives a list with the first two numbers of each row of a matrix, "
        "one tensor of two numbers for each row, and each of them with a storage of just two numbers.",
        function_check(
            _table(3, 50),
            _table(5, 100),
            slips=(
                Slip(
                    WHOLE,
                    "these are views: each of them keeps the whole table, and saves it. (`contiguous()` does not "
                    "help: a piece of a row is contiguous already.)",
                    behaves=lambda table: [row[:2] for row in table],
                ),
                Slip(
                    WHOLE,
                    "each of them is a slice of a copy, and its storage holds the whole row. Take the slice first.",
                    behaves=lambda table: [row.clone()[:2] for row in table],
                ),
                Slip(
                    WHOLE,
                    "the large table is gone, but all the pieces share one new storage, so each keeps the "
                    "beginnings of all rows.",
                    behaves=lambda table: list(table[:, :2].clone()),
                ),
            ),
        ),
        (
            "Whose storage does `row[:2]` read?",
            "Each tensor needs a copy of two numbers. What do you copy, and when?",
            "Go through the rows with `for row in table`; take the slice first, then `clone()` it.",
        ),
        "def beginnings(table):\n    return [row[:2].clone() for row in table]",
        stage="free",
        right=(
            lambda tk, t: lambda table: [row[:2].clone() for row in table],
            lambda tk, t: lambda table: [row[[0, 1]] for row in table],
            lambda tk, t: lambda table: tuple(piece.clone() for piece in table.narrow(1, 0, 2).unbind()),
            lambda tk, t: lambda table: [row[:2] + 0 for row in table],
        ),
        wrong=(
            (lambda tk, t: lambda table: [row[:2] for row in table], WHOLE),
            (lambda tk, t: lambda table: [row[:2].contiguous() for row in table], WHOLE),
            (lambda tk, t: lambda table: [row.clone()[:2] for row in table], WHOLE),
            (lambda tk, t: lambda table: list(table[:, :2].clone()), WHOLE),
            (lambda tk, t: lambda table: table[:, :2].clone(), ""),
            (lambda tk, t: lambda table: [row[1:3].clone() for row in table], ""),
        ),
    ),
    Task(
        "windows_of_seven",
        "Does the instrument drift?",
        "`pressures` holds the blood pressures of 30 patients, in the order of the file. If the instrument had "
        "drifted meanwhile, a single patient would not show it; the mean of any seven in a row might. Write "
        "`windows_of(row, n)`: all windows of `n` neighbouring numbers of a row, one window in each row of the "
        "result. The first begins with the first number, and each of the others one number later than the one "
        "before. Nothing may be copied. (Look at the stride of the row before you choose the strides of the "
        "windows: `pressures` is a column of a table.)",
        function_check(
            _windows("of the second column of a table, windows of 7", 1, 2, 30, 7),
            _windows("of ten numbers, windows of 3", 0, 1, 10, 3),
            _windows("of a row that begins in slot 4, windows of 2", 4, 1, 8, 2),
            slips=(
                Slip(
                    "strides count slots",
                    "the strides are those of a row whose numbers are side by side. In a column of a table the next "
                    "number is `row.stride(0)` slots away.",
                    behaves=lambda row, n: row.as_strided((row.size(0) - n + 1, n), (1, 1)),
                ),
                Slip(
                    "offsets count slots",
                    "your windows begin in slot 0 of the storage. The row may begin further on: leave the offset "
                    "out, or give the row's own.",
                    behaves=lambda row, n: row.as_strided(
                        (row.size(0) - n + 1, n), (row.stride(0), row.stride(0)), 0
                    ),
                ),
                Slip(
                    "counting from zero",
                    "the last window is missing. With 4 numbers there are two windows of 3: 4 - 3 + 1.",
                    behaves=lambda row, n: row.as_strided(
                        (row.size(0) - n, n), (row.stride(0), row.stride(0))
                    ),
                ),
                Slip(
                    "a size is not a stride",
                    "your windows do not overlap: each begins where the one before has ended. It should begin one "
                    "number later.",
                    behaves=lambda row, n: row.as_strided(
                        (row.size(0) // n, n), (n * row.stride(0), row.stride(0))
                    ),
                ),
                Slip(
                    COPY,
                    "the numbers are right, but they were copied.",
                    behaves=lambda row, n: _in_windows(row, n).clone(),
                ),
            ),
        ),
        (
            "How many windows of 3 are there in a row of 4 numbers? And of `n` in `row.size(0)`?",
            "One number to the right, in a window, is `row.stride(0)` slots. And how many slots is one window down?",
            "row.as_strided((row.size(0) - n + 1, n), (row.stride(0), row.stride(0)))",
        ),
        "def windows_of(row, n):\n"
        "    step = row.stride(0)\n"
        "    return row.as_strided((row.size(0) - n + 1, n), (step, step))",
        stage="free",
        right=(
            lambda tk, t: _in_windows,
            lambda tk, t: lambda row, n: row.unfold(0, n, 1),
            lambda tk, t: (
                lambda row, n: row.as_strided((len(row) - n + 1, n), row.stride() * 2, row.storage_offset())
            ),
        ),
        wrong=(
            (
                lambda tk, t: lambda row, n: row.as_strided((row.size(0) - n + 1, n), (1, 1)),
                "strides count slots",
            ),
            (
                lambda tk, t: (
                    lambda row, n: row.as_strided((row.size(0) - n + 1, n), (row.stride(0), row.stride(0)), 0)
                ),
                "offsets count slots",
            ),
            (lambda tk, t: lambda row, n: row.unfold(0, n, 1)[:-1], "counting from zero"),
            (lambda tk, t: lambda row, n: row.unfold(0, n, n), "a size is not a stride"),
            (lambda tk, t: lambda row, n: row.unfold(0, n, 1).clone(), COPY),
            (lambda tk, t: lambda row, n: row.unfold(0, n, 1).flip(0), ""),
        ),
    ),
    Task(
        "lost_write",
        "Repair it",
        "This function should write 0 into the first element of a matrix. For some matrices it works. For others "
        "nothing happens, and there is no error. Repair it, and give the function itself.\n\n"
        "    def clear_first(t):\n"
        "        t.reshape(-1)[0] = 0",
        function_check(
            _cleared("of a fresh matrix", lambda: tensorkit.arange(1.0, 7.0).view(2, 3)),
            _cleared("of a transposed matrix", lambda: tensorkit.arange(1.0, 7.0).view(2, 3).t()),
            _cleared("of two columns of four", lambda: tensorkit.arange(1.0, 13.0).view(3, 4)[:, 1:3]),
            slips=(
                Slip(
                    COPIES,
                    "where the matrix can be walked with one stride it works. Where it cannot, `reshape` makes a "
                    "copy: the 0 is written there, and the copy is thrown away.",
                    behaves=lambda t: t.reshape(-1)[:1].fill_(0),
                ),
                Slip(
                    REFUSED,
                    "now it raises an error when it cannot, which is better. But the first element of a matrix can "
                    "be reached without turning it into a row.",
                    behaves=lambda t: t.view(-1)[:1].fill_(0),
                ),
                Slip(
                    COPY,
                    "the 0 goes into a copy, and the matrix stays as it was.",
                    behaves=lambda t: t.clone(),
                ),
                Slip(
                    "an index takes its dimension away",
                    "that is the whole first row. An element of a matrix has two indices.",
                    behaves=lambda t: t[0].fill_(0),
                ),
            ),
        ),
        (
            "Run it on `tk.ones(2, 3)` and on `tk.ones(3, 2).t()`, and look at both afterwards.",
            "`reshape` is only a view where it can be. Which way of naming the first element is always a view?",
            "An element of a matrix is `t[i, j]`.",
        ),
        "def clear_first(t):\n    t[0, 0] = 0",
        stage="free",
        right=(
            lambda tk, t: lambda t: t[0, 0].fill_(0),
            lambda tk, t: lambda t: t.__setitem__((0, 0), 0),
            lambda tk, t: lambda t: t[:1, :1].zero_(),
            lambda tk, t: lambda t: t.narrow(0, 0, 1).narrow(1, 0, 1).fill_(0),
        ),
        wrong=(
            (lambda tk, t: lambda t: t.reshape(-1)[:1].fill_(0), COPIES),
            (lambda tk, t: lambda t: t.contiguous()[0, 0].fill_(0), COPIES),
            (lambda tk, t: lambda t: t.view(-1)[:1].fill_(0), REFUSED),
            (lambda tk, t: lambda t: t.clone()[0, 0].fill_(0), COPY),
            (lambda tk, t: lambda t: t[0].fill_(0), "an index takes its dimension away"),
            (lambda tk, t: lambda t: t.fill_(0), ""),
        ),
    ),
)


def _asked(tk: Any, size: Any, stride: Any) -> bool:
    """What the engine itself says."""
    try:
        tk.zeros(5000).as_strided(size, stride).view(-1)
    except RuntimeError:
        return False
    return True
