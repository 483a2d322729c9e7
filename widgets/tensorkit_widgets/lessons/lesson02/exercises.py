"""The exercises of lesson 02, with the solutions and slips that prove their checks."""

from __future__ import annotations

import warnings
from typing import Any

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import layout_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Facts, Slip
from tensorkit_widgets.practice.kinds import Task

__all__ = ["TASKS"]


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


def _same_storage(a: Any, b: Any) -> bool:
    return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr())


def _shares_pair(make: str) -> Any:
    """A pair of tensors for the learner's `shares_storage`, of the kind `make`."""
    t = tk.arange(12.0).view(3, 4)
    pairs = {"transpose": t.t(), "slice": t[1:], "clone": t.clone(), "other": t + 1, "itself": t}
    return t, pairs[make]


def _equal(a: Any, b: Any) -> bool:
    return bool(a.size() == b.size() and (a == b).all())


def _equal_in_any_order(a: Any, b: Any) -> bool:
    return sorted(a.reshape(-1).tolist()) == sorted(b.reshape(-1).tolist())


def _same_object_of_storage(a: Any, b: Any) -> bool:
    """`storage()` wraps the storage again at every call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(a.storage() == b.storage())


def _stays(mine: Facts | None, base: Facts | None) -> bool:
    return mine is not None and mine.shares(base)


TASKS = (
    Task(
        "find_the_slot",
        "Find the slot",
        "`t = tk.arange(12.0).view(3, 4)` has the offset 0 and the stride (4, 1).\n\n"
        "Worked: element [1, 2] lies in slot 0 + 1·4 + 2·1 = **6**.\n\n"
        "Your turn: in which slot lies element [2, 1]?",
        number_check(
            9,
            slips=(
                Slip(
                    "strides count slots",
                    "That adds the two indices; each has to be multiplied first.",
                    given=3,
                ),
                Slip("a size is not a stride", "That is 2·3 + 1: one row down is 4 slots, not 3.", given=7),
                Slip("counting from zero", "Rows, columns and slots start at 0: there is no + 1.", given=10),
                Slip("strides count slots", "Those are bytes; slots hold one number each.", given=36),
                Slip("a size is not a stride", "That is element [1, 2]: the row index comes first.", given=6),
            ),
        ),
        (
            "The rule is: slot = offset + i·stride[0] + j·stride[1].",
            "Here i is 2 and j is 1, and one row down is 4 slots.",
            "0 + 2·4 + 1·1",
        ),
        "0 + 2*4 + 1*1  # 9",
        stage="worked",
        entry="6",
        right=(
            lambda tk, t: 9,
            lambda tk, t: "9",
            lambda tk, t: t.storage_offset() + 2 * t.stride(0) + 1 * t.stride(1),
            lambda tk, t: t[2, 1].long(),
        ),
        wrong=(
            (lambda tk, t: 7, "a size is not a stride"),
            (lambda tk, t: 10, "counting from zero"),
            (lambda tk, t: 3, "strides count slots"),
            (lambda tk, t: 8, ""),
        ),
        base=_twelve,
    ),
    Task(
        "slice_by_hand",
        "Slice by hand",
        "`as_strided(size, stride, offset)` lets you write the three parts yourself. Fill the gaps so that "
        "`u` is what `t[1:, 1:3]` gives:\n\n"
        "    t = tk.arange(12.0).view(3, 4)\n"
        "    u = t.as_strided((2, 2), (___, ___), ___)",
        tensor_check(
            size=(2, 2),
            stride=(4, 1),
            offset=5,
            shares=True,
            slips=(
                Slip(
                    "strides follow the view",
                    "(2, 1) is the stride of a **fresh** tensor of size (2, 2). One row down in this storage "
                    "is still 4 slots.",
                    size=(2, 2),
                    stride=(2, 1),
                    shares=True,
                ),
                Slip(
                    "offsets count slots",
                    "skipping one row and one column is an offset of 4 + 1 slots, not of 1 or 2.",
                    when=lambda answer, mine, base: _stays(mine, base) and mine.offset in (1, 2),
                ),
                Slip(
                    "offsets count slots",
                    "the first row is skipped, but the `1:3` also skips the first column.",
                    offset=4,
                    shares=True,
                ),
                Slip(
                    "counting from zero",
                    "slots are counted from 0: `t[1, 1]` is in slot 5.",
                    offset=6,
                    shares=True,
                ),
                Slip(
                    "offsets count slots",
                    "`u` starts at `t[1, 1]`, so its offset is not 0.",
                    offset=0,
                    shares=True,
                ),
            ),
        ),
        (
            "Which slot holds `t[1, 1]`? That is where `u` starts.",
            "Neither slice has a step, so the strides of `t` stay as they are.",
            "The offset is 1·4 + 1·1, and the stride (4, 1).",
        ),
        "u = t.as_strided((2, 2), (4, 1), 5)",
        stage="faded",
        base=_twelve,
        right=(
            lambda tk, t: t.as_strided((2, 2), (4, 1), 5),
            lambda tk, t: t[1:, 1:3],
            lambda tk, t: t.narrow(0, 1, 2).narrow(1, 1, 2),
        ),
        wrong=(
            (lambda tk, t: t.as_strided((2, 2), (2, 1), 5), "strides follow the view"),
            (lambda tk, t: t.as_strided((2, 2), (4, 1), 1), "offsets count slots"),
            (lambda tk, t: t.as_strided((2, 2), (4, 1), 4), "offsets count slots"),
            (lambda tk, t: t[1:, 1:3].clone(), "a copy is not a view"),
            (lambda tk, t: t[1:, :2], "offsets count slots"),
        ),
    ),
    Task(
        "which_strides",
        "Which size and stride draw this?",
        "A storage holds the numbers 0 to 11, each in the slot of its own number. Some tensor on it "
        "prints as\n\n"
        "    tensor([[ 1.,  5.,  9.],\n"
        "            [ 3.,  7., 11.]])\n\n"
        "Give its size, stride and offset as `((_, _), (_, _), _)`, or a tensor that is it.",
        layout_check(
            size=(2, 3),
            stride=(2, 4),
            offset=1,
            slips=(
                Slip(
                    "permute vs view",
                    "the two strides are in each other's place: one row down goes from 1 to 3.",
                    stride=(4, 2),
                ),
                Slip(
                    "offsets count slots",
                    "the first number is 1, and the offset says where it lies.",
                    offset=0,
                ),
                Slip(
                    "a size is not a stride",
                    "the size is right, but (3, 1) is a fresh tensor's stride. Read the steps off the print.",
                    stride=(3, 1),
                ),
                Slip("permute vs view", "the picture has two rows and three columns.", size=(3, 2)),
            ),
        ),
        (
            "Begin with the first number: in which slot does it lie? That is the offset.",
            "Go one row down (1 → 3), then one column to the right (1 → 5). How many slots is each step?",
            "The size is (2, 3), and the steps are 2 and 4.",
        ),
        "((2, 3), (2, 4), 1)   # or: tk.arange(12.0).view(3, 4).t()[1::2]",
        stage="reverse",
        entry="(2, 3), (3, 1), 0",
        base=lambda tk: tk.arange(12.0),
        right=(
            lambda tk, t: ((2, 3), (2, 4), 1),
            lambda tk, t: "(2, 3), (2, 4), 1",
            lambda tk, t: t.view(3, 4).t()[1::2],
            lambda tk, t: t.as_strided((2, 3), (2, 4), 1),
        ),
        wrong=(
            (lambda tk, t: ((2, 3), (4, 2), 1), "permute vs view"),
            (lambda tk, t: ((2, 3), (2, 4), 0), "offsets count slots"),
            (lambda tk, t: ((2, 3), (3, 1), 1), "a size is not a stride"),
            (lambda tk, t: t.view(3, 4)[:, 1::2], "permute vs view"),
            (lambda tk, t: ((2, 3), (2, 5), 1), ""),
        ),
    ),
    Task(
        "same_storage",
        "Do they share a storage?",
        "Write a function that says whether two tensors read the same storage, and give me the function "
        "itself, without calling it:\n\n"
        "    def shares_storage(a, b):\n"
        "        return ...",
        function_check(
            Case("for `t` and `t.t()`", lambda: _shares_pair("transpose"), True),
            Case("for `t` and a copy of it", lambda: _shares_pair("clone"), False),
            Case("for `t` and `t[1:]`", lambda: _shares_pair("slice"), True),
            Case("for `t` and `t + 1`", lambda: _shares_pair("other"), False),
            Case("for `t` and `t` itself", lambda: _shares_pair("itself"), True),
            slips=(
                Slip(
                    "id() as a storage test",
                    "`t` and `t.t()` are two Python objects on one storage, and yours says no. `id()` and `is` ask "
                    "about the objects. What is common is the storage's address.",
                    behaves=lambda a, b: a is b,
                ),
                Slip(
                    "data_ptr() of the tensor",
                    "`t[1:]` starts 4 slots further on, and so does its `data_ptr()`. Ask the **storage**.",
                    behaves=lambda a, b: a.data_ptr() == b.data_ptr(),
                ),
                Slip(
                    "equal is not shared",
                    "yours compares the numbers. A clone holds equal numbers in a storage of its own, and `t.t()` has "
                    "another size on the same one.",
                    behaves=(_equal, _equal_in_any_order, lambda a, b: bool((a == b).all())),
                ),
                Slip(
                    "",
                    "yours says False of every pair, even of `t` and `t` itself. (Do you compare `storage()`? That "
                    "makes a new Python object at every call, and two of those are never equal.)",
                    behaves=lambda a, b: False,
                ),
                Slip(
                    "",
                    "yours says True of every pair, even of two with other numbers.",
                    behaves=lambda a, b: True,
                ),
            ),
        ),
        (
            "Two tensors may be different objects, start at different slots, and still share a storage.",
            "`t.untyped_storage()` gives the storage that a tensor reads.",
            "A storage knows the address of its first byte: `.data_ptr()`.",
        ),
        "def shares_storage(a, b):\n"
        "    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()",
        right=(
            lambda tk, t: lambda a, b: a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(),
            lambda tk, t: _same_storage,
            lambda tk, t: (
                lambda a, b: (
                    a.data_ptr() - a.storage_offset() * a.element_size()
                    == b.data_ptr() - b.storage_offset() * b.element_size()
                )
            ),
        ),
        wrong=(
            (lambda tk, t: lambda a, b: id(a) == id(b), "id() as a storage test"),
            (lambda tk, t: lambda a, b: a is b, "id() as a storage test"),
            (lambda tk, t: lambda a, b: a.data_ptr() == b.data_ptr(), "data_ptr() of the tensor"),
            (
                lambda tk, t: lambda a, b: sorted(a.reshape(-1).tolist()) == sorted(b.reshape(-1).tolist()),
                "equal is not shared",
            ),
            (lambda tk, t: lambda a, b: a.size() == b.size() and bool((a == b).all()), "equal is not shared"),
            (lambda tk, t: _same_object_of_storage, ""),
            (lambda tk, t: lambda a, b: True, ""),
            (lambda tk, t: lambda a, b: "yes", ""),
            (lambda tk, t: lambda a, b: None, ""),
            (lambda tk, t: lambda a: True, ""),
        ),
    ),
    Task(
        "a_row_of_its_own",
        "A row of its own",
        "Make `row`, the second row of `t`, so that `row.fill_(0)` would leave `t` as it is.\n\n"
        "    t = tk.arange(12.0).view(3, 4)\n"
        "    row = ...",
        tensor_check(
            size=(4,),
            values=(4.0, 5.0, 6.0, 7.0),
            shares=False,
            slips=(
                Slip(
                    "a slice aliases its base",
                    "the right numbers, but still in the storage of `t`: zeroing them zeroes a row of `t`.",
                    size=(4,),
                    shares=True,
                    offset=4,
                ),
                Slip(
                    "counting from zero",
                    "that is the third row: the first has the index 0.",
                    behaves=(lambda t: t[2], lambda t: t[2].clone()),
                ),
                Slip(
                    "counting from zero",
                    "that is the first row: the second has the index 1.",
                    behaves=(lambda t: t[0], lambda t: t[0].clone()),
                ),
                Slip(
                    "rows come before columns",
                    "that is the second **column**: the first index counts rows.",
                    behaves=(lambda t: t[:, 1], lambda t: t[:, 1].clone()),
                ),
            ),
        ),
        (
            "`t[1]` shows the right numbers. Whose storage do they lie in?",
            "You need the numbers in a storage of their own: a copy.",
            "`clone()` copies a tensor into a new storage.",
        ),
        "row = t[1].clone()",
        base=_twelve,
        right=(
            lambda tk, t: t[1].clone(),
            lambda tk, t: t.clone()[1],
            lambda tk, t: tk.tensor(t[1].tolist()),
            lambda tk, t: t[1] + 0,
        ),
        wrong=(
            (lambda tk, t: t[1], "a slice aliases its base"),
            (lambda tk, t: t[1].contiguous(), "a slice aliases its base"),
            (lambda tk, t: t[2].clone(), "counting from zero"),
            (lambda tk, t: t[:, 1].clone(), "rows come before columns"),
            (lambda tk, t: t[1:2].clone(), ""),
            (lambda tk, t: tk.zeros(4), ""),
        ),
    ),
    Task(
        "the_diagonal",
        "Walk the diagonal",
        "Make `d`, the diagonal of `m` as a **view**, so that `d.fill_(9.)` would write nines down the "
        "diagonal of `m`. Think of the one row of slots.\n\n"
        "    m = tk.arange(16.0).view(4, 4)\n"
        "    d = ...",
        tensor_check(
            size=(4,),
            stride=(5,),
            shares=True,
            slips=(
                Slip(
                    "strides count slots",
                    "a step of 4 goes straight down, to the next row of the same column.",
                    stride=(4,),
                    shares=True,
                ),
                Slip(
                    "strides count slots",
                    "a step of 3 goes down and to the left.",
                    stride=(3,),
                    shares=True,
                ),
                Slip(
                    "strides count slots", "a step of 1 walks along the first row.", stride=(1,), shares=True
                ),
                Slip(
                    "a copy is not a view",
                    "these numbers are copies: writing nines into them leaves `m` as it was.",
                    behaves=lambda m: m.diagonal().clone(),
                ),
            ),
        ),
        (
            "In which slots do `m[0, 0]`, `m[1, 1]` and `m[2, 2]` lie?",
            "From one to the next it is always the same number of slots: one row down and one column right.",
            "Size (4,), and a stride of 4 + 1.",
        ),
        "d = m.as_strided((4,), (5,))   # or: m.view(-1)[::5], m.diagonal()",
        base=lambda tk: tk.arange(16.0).view(4, 4),
        right=(
            lambda tk, m: m.as_strided((4,), (5,)),
            lambda tk, m: m.view(-1)[::5],
            lambda tk, m: m.diagonal(),
        ),
        wrong=(
            (lambda tk, m: m.as_strided((4,), (4,)), "strides count slots"),
            (lambda tk, m: m[0], "strides count slots"),
            (lambda tk, m: m.as_strided((4,), (3,), 3), "strides count slots"),
            (lambda tk, m: m.diagonal().clone(), "a copy is not a view"),
            (lambda tk, m: tk.tensor([0.0, 5.0, 10.0, 15.0]), "a copy is not a view"),
            (lambda tk, m: m.view(-1)[::6], ""),
            (lambda tk, m: m.clone()[0], "a copy is not a view"),
        ),
    ),
)
