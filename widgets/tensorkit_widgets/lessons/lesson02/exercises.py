"""The exercises of lesson 02, with the solutions and slips that prove their checks."""

from __future__ import annotations

import warnings
from typing import Any

import tensorkit as tk
from tensorkit_widgets.lessons.photo import photo
from tensorkit_widgets.practice.checking.checks import layout_check, number_check, tensor_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Facts, Slip, is_tensor
from tensorkit_widgets.practice.kinds import Task


def _twelve(tk: Any) -> Any:
    return tk.arange(12.0).view(3, 4)


_SIX = tk.arange(6.0)


def _bytes(tensor: Any) -> int:
    """The bytes of the whole storage that a tensor reads."""
    return int(tensor.untyped_storage().nbytes())


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
        "Worked: element [1, 2] is in slot 0 + 1·4 + 2·1 = **6**.\n\n"
        "Your turn: which slot holds element [2, 1]?",
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
                Slip(
                    "rows come before columns", "That is element [1, 2]: the row index comes first.", given=6
                ),
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
        "`as_strided(size, stride, offset)` lets you write the three things yourself. Fill the gaps so that "
        "`u` is what `t[1:3, 2:5]` gives:\n\n"
        "    t = tk.arange(24.0).view(4, 6)\n"
        "    u = t.as_strided((2, 3), (___, ___), ___)",
        tensor_check(
            size=(2, 3),
            stride=(6, 1),
            offset=8,
            shares=True,
            slips=(
                Slip(
                    "strides follow the view",
                    "(3, 1) is the stride of a **fresh** tensor of size (2, 3). One row down in this storage "
                    "is still 6 slots.",
                    size=(2, 3),
                    stride=(3, 1),
                    shares=True,
                ),
                Slip(
                    "rows come before columns",
                    "the two strides are the wrong way round: the step down comes first.",
                    size=(2, 3),
                    stride=(1, 6),
                    shares=True,
                ),
                Slip(
                    "offsets count slots",
                    "if you skip one row and two columns, you skip 6 + 2 slots, not 1, 2 or 3.",
                    when=lambda answer, mine, base: _stays(mine, base) and mine.offset in (1, 2, 3),
                ),
                Slip(
                    "offsets count slots",
                    "the first row is skipped, but the `2:5` also skips two columns.",
                    offset=6,
                    shares=True,
                ),
                Slip(
                    "counting from zero",
                    "slots are counted from 0: `t[1, 2]` is in slot 8.",
                    offset=9,
                    shares=True,
                ),
                Slip(
                    "counting from zero",
                    "columns are counted from 0, so `2:5` skips two of them, and not one.",
                    offset=7,
                    shares=True,
                ),
                Slip(
                    "offsets count slots",
                    "`u` starts at `t[1, 2]`, so its offset is not 0.",
                    offset=0,
                    shares=True,
                ),
            ),
        ),
        (
            "Which slot holds `t[1, 2]`? That is where `u` starts.",
            "Neither slice has a step, so the strides of `t` stay as they are.",
            "The offset is 1·6 + 2·1, and the stride (6, 1).",
        ),
        "u = t.as_strided((2, 3), (6, 1), 8)",
        stage="faded",
        base=lambda tk: tk.arange(24.0).view(4, 6),
        right=(
            lambda tk, t: t.as_strided((2, 3), (6, 1), 8),
            lambda tk, t: t[1:3, 2:5],
            lambda tk, t: t.narrow(0, 1, 2).narrow(1, 2, 3),
        ),
        wrong=(
            (lambda tk, t: t.as_strided((2, 3), (3, 1), 8), "strides follow the view"),
            (lambda tk, t: t.as_strided((2, 3), (1, 6), 8), "rows come before columns"),
            (lambda tk, t: t.as_strided((2, 3), (6, 1), 1), "offsets count slots"),
            (lambda tk, t: t.as_strided((2, 3), (6, 1), 6), "offsets count slots"),
            (lambda tk, t: t.as_strided((2, 3), (6, 1), 9), "counting from zero"),
            (lambda tk, t: t[1:3, 1:4], "counting from zero"),
            (lambda tk, t: t[1:3, 2:5].clone(), "a copy is not a view"),
            (lambda tk, t: t[:2, :3], "offsets count slots"),
            (lambda tk, t: t[1:3, 2:4], ""),
        ),
    ),
    Task(
        "which_strides",
        "Which size and stride print this?",
        "A storage holds the numbers 0 to 11, each in the slot of its own number. A tensor on it prints as\n\n"
        "    tensor([[ 1.,  5.,  9.],\n"
        "            [ 3.,  7., 11.]])\n\n"
        "Give its size, stride and offset as `((_, _), (_, _), _)`, or give such a tensor.",
        layout_check(
            size=(2, 3),
            stride=(2, 4),
            offset=1,
            slips=(
                Slip(
                    "a copy is not a view",
                    "that prints the same, but it has a storage of its own. Read the storage of twelve slots.",
                    when=lambda answer, mine, base: (
                        is_tensor(answer.value) and answer.value.tolist() == [[1, 5, 9], [3, 7, 11]]
                    ),
                ),
                Slip("strides count slots", "those are bytes, four to a slot.", stride=(8, 16)),
                Slip(
                    "permute vs view",
                    "the two strides are the wrong way round: one row down leads from 1 to 3.",
                    stride=(4, 2),
                ),
                Slip(
                    "offsets count slots",
                    "the first number is 1, and the offset is the slot that holds it.",
                    offset=0,
                ),
                Slip(
                    "a size is not a stride",
                    "the size is right, but (3, 1) is a fresh tensor's stride. Read the steps off the print.",
                    stride=(3, 1),
                ),
                Slip("permute vs view", "the print shows two rows and three columns.", size=(3, 2)),
            ),
        ),
        (
            "Begin with the first number: which slot is it in? That is the offset.",
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
            (lambda tk, t: tk.tensor([[1.0, 5.0, 9.0], [3.0, 7.0, 11.0]]), "a copy is not a view"),
            (lambda tk, t: ((2, 3), (8, 16), 4), "strides count slots"),
            (lambda tk, t: ((2, 3), (2, 5), 1), ""),
        ),
    ),
    Task(
        "same_storage",
        "Do they share a storage?",
        "Write a function that tells whether two tensors read the same storage. Give the function itself, without "
        "calling it:\n\n"
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
                    "`t` and `t.t()` are two Python objects on one storage, but your function gives False. `id()` "
                    "and `is` ask about the objects. What they have in common is the storage's address.",
                    behaves=lambda a, b: a is b,
                ),
                Slip(
                    "data_ptr() of the tensor",
                    "`t[1:]` starts 4 slots further on, and so does its `data_ptr()`. Ask the **storage**.",
                    behaves=lambda a, b: a.data_ptr() == b.data_ptr(),
                ),
                Slip(
                    "equal is not shared",
                    "yours compares the numbers. A clone holds equal numbers in a storage of its own, and `t.t()` "
                    "has another size on the same one.",
                    behaves=(_equal, _equal_in_any_order, lambda a, b: bool((a == b).all())),
                ),
                Slip(
                    "",
                    "yours gives False for every pair, even for `t` and `t` itself. (Do you compare `storage()`? "
                    "That makes a new Python object at every call, and two of those are never equal.)",
                    behaves=lambda a, b: False,
                ),
                Slip(
                    "",
                    "yours gives True for every pair, even for two with different numbers.",
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
        "a_strip_of_its_own",
        "A strip of its own",
        "`photo` has 75 rows and 64 columns of pixels. You would like to paint over her eyes, rows 30 to 39, on a "
        "strip beside the photo and not in it. Make `strip`, those ten rows, so that `strip.fill_(255)` would leave "
        "the photo as it is.\n\n"
        "    strip = ...",
        tensor_check(
            size=(10, 64, 3),
            values=lambda base: base.values[30 * 192 : 40 * 192],
            shares=False,
            slips=(
                Slip(
                    "a slice aliases its base",
                    "those are the right rows, but they are still in the storage of the photo: if you paint them "
                    "white, you paint the photo.",
                    size=(10, 64, 3),
                    offset=30 * 192,
                    shares=True,
                ),
                Slip(
                    "counting from zero",
                    "the end of a slice is not in it: `30:39` stops after row 38.",
                    behaves=(lambda t: t[30:39], lambda t: t[30:39].clone()),
                ),
                Slip(
                    "counting from zero",
                    "rows are counted from 0, so row 30 has the index 30.",
                    behaves=(
                        lambda t: t[29:39],
                        lambda t: t[29:39].clone(),
                        lambda t: t[31:41],
                        lambda t: t[31:41].clone(),
                    ),
                ),
                Slip(
                    "rows come before columns",
                    "those are ten **columns** of the photo: the first index counts rows.",
                    behaves=(lambda t: t[:, 30:40], lambda t: t[:, 30:40].clone()),
                ),
                Slip(
                    "",
                    "the strip has its own storage, but it is white already: leave the painting to `fill_`.",
                    behaves=lambda t: t[30:40].clone().fill_(255),
                ),
            ),
        ),
        (
            "Which rows does `photo[a:b]` take? And whose storage holds their numbers?",
            "You need the numbers in a storage of their own: a copy.",
            "`clone()` copies a tensor into a new storage.",
        ),
        "strip = photo[30:40].clone()",
        base=photo,
        right=(
            lambda tk, t: t[30:40].clone(),
            lambda tk, t: t.clone()[30:40],
            lambda tk, t: tk.stack([t[row] for row in range(30, 40)]),
            lambda tk, t: t.narrow(0, 30, 10) + 0,
        ),
        wrong=(
            (lambda tk, t: t[30:40], "a slice aliases its base"),
            (lambda tk, t: t[30:40].contiguous(), "a slice aliases its base"),
            (lambda tk, t: t[30:39].clone(), "counting from zero"),
            (lambda tk, t: t[29:39].clone(), "counting from zero"),
            (lambda tk, t: t[:, 30:40].clone(), "rows come before columns"),
            (lambda tk, t: t[30:40].clone().fill_(255), ""),
            (lambda tk, t: t[30].clone(), ""),
            (lambda tk, t: tk.zeros(10, 64, 3), ""),
        ),
    ),
    Task(
        "weigh_the_storages",
        "Repair: how much do they hold?",
        "`memory` is given a list of tensors. It should add up the bytes of the storages that they read, and count "
        "a storage that several of them read only **once**. For `t = tk.zeros(1000)` and `[t, t[:10], t.view(10, "
        "100)]`, the result should be 4000. This function gives 12000. Repair it.\n\n"
        "    def memory(tensors):\n"
        "        sizes = {id(t): t.untyped_storage().nbytes() for t in tensors}\n"
        "        return sum(sizes.values())",
        function_check(
            Case("of a tensor, a slice and a view of it", lambda: ([_SIX, _SIX[2:], _SIX.view(2, 3)],), 24),
            Case("of a tensor and a clone", lambda: ([_SIX, _SIX.clone()],), 48),
            Case("of the same tensor twice", lambda: ([_SIX, _SIX],), 24),
            Case("of the two halves of a tensor", lambda: ([_SIX[:3], _SIX[3:]],), 24),
            Case("of an empty list", lambda: ([],), 0),
            slips=(
                Slip(
                    "id() as a storage test",
                    "`id` tells Python objects apart: `t` and `t[2:]` are two objects on one storage, which is "
                    "counted twice.",
                    behaves=lambda tensors: sum({id(t): _bytes(t) for t in tensors}.values()),
                ),
                Slip(
                    "data_ptr() of the tensor",
                    "`t[2:]` starts two slots further on, and so does its `data_ptr()`. Ask the **storage** for its "
                    "address.",
                    behaves=lambda tensors: sum({t.data_ptr(): _bytes(t) for t in tensors}.values()),
                ),
                Slip(
                    "a slice aliases its base",
                    "a storage that several tensors read was counted several times.",
                    behaves=lambda tensors: sum(map(_bytes, tensors)),
                ),
                Slip(
                    "a slice aliases its base",
                    "that adds up the numbers that the tensors show. They have none of their own: ask their "
                    "storages.",
                    behaves=(
                        lambda tensors: sum(t.nbytes for t in tensors),
                        lambda tensors: sum({id(t): t.nbytes for t in tensors}.values()),
                    ),
                ),
                Slip(
                    "equal is not shared",
                    "you took storages of the same length for one storage. A clone is as long as its source, and "
                    "has a storage of its own.",
                    behaves=lambda tensors: sum({_bytes(t) for t in tensors}),
                ),
            ),
        ),
        (
            "In lesson 01, `id` was right for the boxes of a list, because those are Python objects. Is a storage "
            "the same thing as the tensor object that reads it?",
            "What is the same for `t` and `t[2:]`, and different for a clone?",
            "The address of the storage: `t.untyped_storage().data_ptr()`.",
        ),
        "def memory(tensors):\n"
        "    sizes = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}\n"
        "    return sum(sizes.values())",
        right=(
            lambda tk, t: (
                lambda tensors: sum({t.untyped_storage().data_ptr(): _bytes(t) for t in tensors}.values())
            ),
            lambda tk, t: (
                lambda tensors: sum(
                    size for _, size in {(t.untyped_storage().data_ptr(), _bytes(t)) for t in tensors}
                )
            ),
            lambda tk, t: (
                lambda tensors: sum(
                    _bytes(t)
                    for number, t in enumerate(tensors)
                    if not any(_same_storage(t, earlier) for earlier in tensors[:number])
                )
            ),
        ),
        wrong=(
            (
                lambda tk, t: lambda tensors: sum({id(t): _bytes(t) for t in tensors}.values()),
                "id() as a storage test",
            ),
            (
                lambda tk, t: lambda tensors: sum({t.data_ptr(): _bytes(t) for t in tensors}.values()),
                "data_ptr() of the tensor",
            ),
            (lambda tk, t: lambda tensors: sum(_bytes(t) for t in tensors), "a slice aliases its base"),
            (
                lambda tk, t: lambda tensors: sum(t.numel() * t.element_size() for t in tensors),
                "a slice aliases its base",
            ),
            (lambda tk, t: lambda tensors: sum({_bytes(t) for t in tensors}), "equal is not shared"),
            (lambda tk, t: lambda tensors: 24, ""),
            (lambda tk, t: lambda tensors: None, ""),
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
            "Which slots hold `m[0, 0]`, `m[1, 1]` and `m[2, 2]`?",
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
