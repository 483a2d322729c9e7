"""The exercises of lesson 01, with the solutions and slips that prove their checks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, function_check, seen
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.kinds import Task

LIST = "getsizeof of a list"


BRACKETS = "brackets are dimensions"


TABLE = "text needs a table"


def _floats(*numbers: int) -> list[float]:
    """Floats that are objects of their own: a number written in the source would be one box, used again."""
    return [number / 2 for number in numbers]


def _list_bytes(numbers: list[Any]) -> int:
    return sys.getsizeof(numbers) + sum(_sizes(numbers).values())


def _sizes(things: Iterable[Any]) -> dict[int, int]:
    """The bytes of each object, once, however often it is there."""
    return {id(thing): sys.getsizeof(thing) for thing in things}


def _flat_bytes(row: list[Any]) -> int:
    """A row and its numbers, a number that is there twice counted twice."""
    return sys.getsizeof(row) + sum(map(sys.getsizeof, row))


def _table_bytes(rows: list[list[Any]]) -> int:
    boxes = [number for row in rows for number in row]
    return sys.getsizeof(rows) + sum(_sizes(rows).values()) + sum(_sizes(boxes).values())


def _shared_rows() -> tuple[list[list[float]]]:
    """Three rows of four floats, two floats of which come back in other rows."""
    one, two, three = _floats(1, 3, 5, 7), _floats(9, 11), _floats(13, 15, 17)
    return ([one, [*two, one[0], one[3]], [one[0], *three]],)


def _twin_rows() -> tuple[list[list[float]]]:
    return ([_floats(1, 3), _floats(1, 3)],)


def _one_row() -> tuple[list[list[float]]]:
    row = _floats(1, 3, 5)
    return ([row] * 3,)


def _rows_of(a: list[Any], b: list[Any], c: list[Any]) -> list[Any]:
    return [tensorkit.tensor(a), tensorkit.tensor(b), tensorkit.tensor(c)]


def _joined(a: list[Any], b: list[Any], c: list[Any]) -> Any:
    return tensorkit.cat(_rows_of(a, b, c))


def _stacked(a: list[Any], b: list[Any], c: list[Any]) -> Any:
    return tensorkit.stack(_rows_of(a, b, c))


def _cat(tk: Any, sounds: tuple[list[Any], ...]) -> Any:
    return tk.cat([tk.tensor(sound) for sound in sounds])


def _weight(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


def _pack_case(says: str, *sounds: list[Any]) -> Case:
    """Three sounds for the learner's `pack`, which gives a batch of three rows and its bytes."""
    batch = tensorkit.tensor(list(sounds))
    return Case(says, lambda: sounds, (batch, _weight(batch)), _packed, _not_packed)


def _packed(arguments: tuple[Any, ...], got: Any) -> object:
    """What is compared: the batch, and its weight or where that comes from."""
    if got is not None and not (isinstance(got, (tuple, list)) and len(got) == 2 and is_tensor(got[0])):
        raise Unreadable("it should give two things, the batch and its bytes: `return batch, …`.")
    if got is not None and got[1] == sys.getsizeof(got[0]) != _weight(got[0]):
        return seen((got[0], "sys.getsizeof"))
    return seen(got)


def _not_packed(found: Any) -> str:
    (_, size, _), weight = found
    return f"your batch has the size {size}, and its weight is {weight}. One of the two is not yet right."


def _codes(word: str) -> Any:
    return tensorkit.tensor([ord(c) for c in word])


def _whole_of(arguments: tuple[Any, ...], got: Any) -> object:
    """What a function of text is to give: a tensor."""
    if got is not None and not is_tensor(got):
        raise Unreadable("it should give a tensor; yours gave something else.")
    return seen(got)


def _encode_case(word: str) -> Case:
    def tells(found: Any) -> str:
        return f"it should hold {_codes(word).tolist()}, in one row."

    return Case(f"of the word {word!r}", lambda: (word,), _codes(word), _whole_of, tells)


TASKS = (
    Task(
        "size_of_brackets",
        "Read the size off the brackets",
        "Worked: `tk.tensor([[1, 2], [3, 4], [5, 6]])` has two levels of brackets, so two dimensions. The outer "
        "brackets hold 3 things, and each of those holds 2, so the size is **(3, 2)**.\n\n"
        "Your turn: what is the size of `tk.tensor([[[1, 2, 3], [4, 5, 6]]])`?",
        tuple_check(
            1,
            2,
            3,
            slips=(
                Slip(BRACKETS, "Count the opening brackets: there are three.", given=(2, 3)),
                Slip(BRACKETS, "The outermost brackets come first.", given=(3, 2, 1)),
                Slip(BRACKETS, "That is how many numbers there are.", given=(6,)),
                Slip(BRACKETS, "The outermost brackets hold one thing only.", given=(2, 2, 3)),
                Slip(
                    "rows come before columns",
                    "There are two rows of three numbers, so the 2 comes first.",
                    given=(1, 3, 2),
                ),
            ),
        ),
        (
            "How many brackets open at the left end? There are that many dimensions.",
            "The outermost brackets hold one thing. What does that one hold?",
            "There is one table. It has two rows of three numbers.",
        ),
        "(1, 2, 3)",
        stage="worked",
        entry="(3, 2)",
        right=(
            lambda tk, t: (1, 2, 3),
            lambda tk, t: "(1, 2, 3)",
            lambda tk, t: tk.tensor([[[1, 2, 3], [4, 5, 6]]]).size(),
        ),
        wrong=(
            (lambda tk, t: (2, 3), BRACKETS),
            (lambda tk, t: (3, 2, 1), BRACKETS),
            (lambda tk, t: (1, 3, 2), "rows come before columns"),
            (lambda tk, t: (6, 1), ""),
        ),
    ),
    Task(
        "batch_of_two",
        "A batch of two sounds",
        "`t` holds four samples of a sound, size (4,); `-t` is the same sound upside down. Make one batch of the "
        "two, size **(2, 4)**:\n\n"
        "    batch = ___",
        tensor_check(
            size=(2, 4),
            values=[[0.0, 0.5, 1.0, 0.5], [0.0, -0.5, -1.0, -0.5]],
            slips=(
                Slip(
                    "cat vs stack",
                    "that is one sound, twice as long: the second was put behind the first.",
                    behaves=lambda t: (t * t.new_tensor([[1.0], [-1.0]])).view(8),
                ),
                Slip(
                    "the batch comes first",
                    "that has the two sounds in its columns; dimension 0 should count the sounds.",
                    behaves=lambda t: t.unsqueeze(1) * t.new_tensor([1.0, -1.0]),
                ),
                Slip(
                    "",
                    "the two sounds were added up; the batch should hold both.",
                    behaves=lambda t: t - t,
                ),
                Slip(
                    "",
                    "that is one of the two; the batch should hold both.",
                    behaves=(lambda t: t, lambda t: -t),
                ),
            ),
        ),
        (
            "You need a new dimension, in front of the one that `t` has.",
            "`stack` makes a new dimension; `cat` lengthens one that is there.",
            "`tk.stack([t, -t])`",
        ),
        "batch = tk.stack([t, -t])",
        stage="faded",
        base=lambda tk: tk.tensor([0.0, 0.5, 1.0, 0.5]),
        right=(
            lambda tk, t: tk.stack([t, -t]),
            lambda tk, t: tk.tensor([t.tolist(), (-t).tolist()]),
            lambda tk, t: tk.cat([t, -t]).view(2, 4),
            lambda tk, t: tk.stack((t, -t), dim=1).t(),
        ),
        wrong=(
            (lambda tk, t: tk.cat([t, -t]), "cat vs stack"),
            (lambda tk, t: tk.stack([t, -t], dim=1), "the batch comes first"),
            (lambda tk, t: t + -t, ""),
            (lambda tk, t: t, ""),
            (lambda tk, t: tk.zeros(4, 2), ""),
            (lambda tk, t: tk.stack([t, t]), ""),
        ),
    ),
    Task(
        "encode",
        "Text to numbers",
        "Write `encode(text)`, which gives a tensor with one number for each character of a text: the one that "
        "Python's `ord` gives.\n\n"
        "    def encode(text):\n"
        "        return ___",
        function_check(
            _encode_case("tensor"),
            _encode_case("Ab"),
            _encode_case("é!"),
            slips=(
                Slip(
                    TABLE,
                    "a text has several characters; each needs a number of its own.",
                    behaves=(
                        lambda text: tensorkit.tensor([ord(text[0])]),
                        lambda text: tensorkit.tensor(ord(text[0])),
                        lambda text: tensorkit.tensor(sum(map(ord, text))),
                        lambda text: tensorkit.tensor([sum(map(ord, text))]),
                        lambda text: tensorkit.tensor([len(text)]),
                        lambda text: tensorkit.tensor(len(text)),
                    ),
                ),
                Slip(
                    TABLE,
                    "your table begins with a = 0. Use the table of `ord`, in which a is 97.",
                    behaves=lambda text: _codes(text) - ord("a"),
                ),
                Slip(
                    TABLE,
                    "your table begins with a = 1. Use the table of `ord`, in which a is 97.",
                    behaves=lambda text: _codes(text) - ord("a") + 1,
                ),
                Slip(
                    TABLE,
                    "those are the bytes of the text in UTF-8: they are right for plain English letters, but é "
                    "takes two bytes. `ord` gives one number for each character.",
                    behaves=lambda text: tensorkit.tensor(list(text.encode())),
                ),
            ),
        ),
        (
            "`ord` takes one character and gives its number. You need it for each character of the text.",
            "Make a Python list of the numbers first; `tk.tensor` makes a tensor of a list.",
            "The list is `[ord(c) for c in text]`.",
        ),
        "def encode(text):\n    return tk.tensor([ord(c) for c in text])",
        stage="free",
        right=(
            lambda tk, t: lambda text: tk.tensor([ord(c) for c in text]),
            lambda tk, t: lambda text: tk.tensor(list(map(ord, text))),
            lambda tk, t: lambda text: tk.stack([tk.tensor(ord(c)) for c in text]),
        ),
        wrong=(
            (lambda tk, t: lambda text: tk.tensor(text), TABLE),
            (lambda tk, t: lambda text: tk.tensor(list(text)), TABLE),
            (lambda tk, t: lambda text: tk.tensor([ord(text[0])]), TABLE),
            (lambda tk, t: lambda text: tk.tensor([ord(c) - 97 for c in text]), TABLE),
            (lambda tk, t: lambda text: tk.tensor(list(text.encode())), TABLE),
            (lambda tk, t: lambda text: [ord(c) for c in text], ""),
            (lambda tk, t: lambda text: tk.zeros(len(text)), ""),
            (lambda tk, t: lambda text: tk.tensor([0]), ""),
        ),
    ),
    Task(
        "weigh_a_table",
        "Weigh a table of rows",
        "A Python table is a list of rows, and each row is a list of floats. Write `weigh(rows)`: how many bytes "
        "do the table, its rows and its numbers take together? An object that is in several places is kept once, so "
        "count it **once**. (`id(x)` tells one object from another.)\n\n"
        "    def weigh(rows):\n"
        "        return ___",
        function_check(
            Case(
                "of three rows of four floats, two of them shared",
                _shared_rows,
                _table_bytes(*_shared_rows()),
            ),
            Case(
                "of two rows with equal numbers in boxes of their own",
                _twin_rows,
                _table_bytes(*_twin_rows()),
            ),
            Case("of one row that is in the table three times", _one_row, _table_bytes(*_one_row())),
            Case("of an empty table", lambda: ([],), sys.getsizeof([])),
            slips=(
                Slip(
                    LIST,
                    "that is the table alone, a row of pointers. Add the rows that they lead to.",
                    behaves=sys.getsizeof,
                ),
                Slip(
                    LIST,
                    "those are the lists with their pointers. Add the floats that the pointers lead to.",
                    behaves=(
                        lambda rows: sys.getsizeof(rows) + sum(map(sys.getsizeof, rows)),
                        lambda rows: sys.getsizeof(rows) + sum(_sizes(rows).values()),
                    ),
                ),
                Slip(
                    LIST,
                    "that is one of the three layers: add up the table, its rows and their numbers.",
                    behaves=(
                        lambda rows: sum(map(sys.getsizeof, rows)),
                        lambda rows: sum(_sizes(rows).values()),
                        lambda rows: sum(sys.getsizeof(x) for row in rows for x in row),
                        lambda rows: sum(_sizes(x for row in rows for x in row).values()),
                    ),
                ),
                Slip(
                    LIST,
                    "you counted the rows and their numbers. Add the table itself, a list of pointers to the rows.",
                    behaves=(
                        lambda rows: sum(map(_flat_bytes, rows)),
                        lambda rows: _table_bytes(rows) - sys.getsizeof(rows),
                    ),
                ),
                Slip(
                    "bytes per element",
                    "that is what a tensor of these numbers would take.",
                    behaves=(
                        lambda rows: 4 * sum(map(len, rows)),
                        lambda rows: 8 * sum(map(len, rows)),
                    ),
                ),
                Slip(
                    LIST,
                    "an object that is in several places was counted several times. Collect the objects by their "
                    "`id`, those of **all** rows in one dictionary.",
                    behaves=(
                        lambda rows: sys.getsizeof(rows) + sum(map(_flat_bytes, rows)),
                        lambda rows: sys.getsizeof(rows) + sum(map(_list_bytes, rows)),
                        lambda rows: (
                            sys.getsizeof(rows) + sum({id(row): _flat_bytes(row) for row in rows}.values())
                        ),
                        lambda rows: (
                            sys.getsizeof(rows) + sum({id(row): _list_bytes(row) for row in rows}.values())
                        ),
                        lambda rows: (
                            sys.getsizeof(rows)
                            + sum(map(sys.getsizeof, rows))
                            + sum(_sizes(x for row in rows for x in row).values())
                        ),
                    ),
                ),
                Slip(
                    "equal is not shared",
                    "numbers that are equal need not be one box: tell the boxes apart by `id`.",
                    behaves=lambda rows: (
                        sys.getsizeof(rows)
                        + sum(_sizes(rows).values())
                        + sum(map(sys.getsizeof, {x for row in rows for x in row}))
                    ),
                ),
            ),
        ),
        (
            "There are three layers: the table, its rows, and the numbers in the rows. `sys.getsizeof` weighs one "
            "object of any of them.",
            "Collect the rows in a dictionary with `id(row)` as its key, so that each is there once; then the "
            "numbers in the same way.",
            "`boxes = {id(x): sys.getsizeof(x) for row in rows for x in row}`, and the same for the rows; add both "
            "sums to `sys.getsizeof(rows)`.",
        ),
        "def weigh(rows):\n"
        "    import sys\n"
        "    lists = {id(row): sys.getsizeof(row) for row in rows}\n"
        "    boxes = {id(x): sys.getsizeof(x) for row in rows for x in row}\n"
        "    return sys.getsizeof(rows) + sum(lists.values()) + sum(boxes.values())",
        stage="free",
        right=(
            lambda tk, t: _table_bytes,
            lambda tk, t: lambda rows: sum(_sizes([rows, *rows, *(x for row in rows for x in row)]).values()),
            lambda tk, t: (
                lambda rows: (
                    sys.getsizeof(rows)
                    + sum(_sizes(rows).values())
                    + len({id(x) for row in rows for x in row}) * sys.getsizeof(0.5)
                )
            ),
        ),
        wrong=(
            (lambda tk, t: sys.getsizeof, LIST),
            (lambda tk, t: lambda rows: sys.getsizeof(rows) + sum(sys.getsizeof(row) for row in rows), LIST),
            (lambda tk, t: lambda rows: sum(_flat_bytes(row) for row in rows), LIST),
            (lambda tk, t: lambda rows: sum(sys.getsizeof(row) for row in rows), LIST),
            (lambda tk, t: lambda rows: sum(24 for row in rows for _ in row), LIST),
            (
                lambda tk, t: (
                    lambda rows: (
                        sys.getsizeof(rows) + sum({id(row): _flat_bytes(row) for row in rows}.values())
                    )
                ),
                LIST,
            ),
            (lambda tk, t: lambda rows: sys.getsizeof(rows) + sum(_flat_bytes(row) for row in rows), LIST),
            (lambda tk, t: lambda rows: 4 * sum(len(row) for row in rows), "bytes per element"),
            (
                lambda tk, t: (
                    lambda rows: (
                        sys.getsizeof(rows)
                        + sum(_sizes(rows).values())
                        + len({x for row in rows for x in row}) * sys.getsizeof(0.5)
                    )
                ),
                "equal is not shared",
            ),
            (lambda tk, t: lambda rows: 100, ""),
            (lambda tk, t: lambda rows: None, ""),
        ),
    ),
    Task(
        "mend_the_batch",
        "Repair: a batch and its weight",
        "`pack` is given three sounds, as lists of equal length. It should give **one batch** of them, one sound "
        "in each row, and the **bytes** that the numbers of the batch take. It does neither. Repair the last two "
        "lines.\n\n"
        "    def pack(a, b, c):\n"
        "        a, b, c = tk.tensor(a), tk.tensor(b), tk.tensor(c)\n"
        "        batch = tk.cat([a, b, c])\n"
        "        return batch, sys.getsizeof(batch)",
        function_check(
            _pack_case("of three sounds of two samples", [0.0, 0.5], [0.25, -0.5], [1.0, 0.0]),
            _pack_case("of three sounds of five", [0.0] * 5, [0.5] * 5, [1.0, 0.5, 0.0, -0.5, -1.0]),
            _pack_case("of three sounds of whole numbers", [1, 2, 3], [4, 5, 6], [7, 8, 9]),
            slips=(
                Slip(
                    "cat vs stack",
                    "nothing is repaired yet: `cat` puts the sounds one behind the other, and `sys.getsizeof` weighs "
                    "the small Python object in front of the numbers.",
                    behaves=lambda a, b, c: (_joined(a, b, c), sys.getsizeof(_joined(a, b, c))),
                ),
                Slip(
                    "cat vs stack",
                    "the weight is right now. But that is one sound, three times as long: `cat` put them one "
                    "behind the other.",
                    behaves=lambda a, b, c: (_joined(a, b, c), _weight(_joined(a, b, c))),
                ),
                Slip(
                    LIST,
                    "the batch is right now. `sys.getsizeof` weighs the small Python object in front of the "
                    "numbers, and gives the same for three numbers as for three million.",
                    behaves=lambda a, b, c: (_stacked(a, b, c), sys.getsizeof(_stacked(a, b, c))),
                ),
                Slip(
                    "bytes per element",
                    "that weight is right for `float32` only: a number of another dtype has another size.",
                    behaves=lambda a, b, c: (_stacked(a, b, c), 4 * _stacked(a, b, c).numel()),
                ),
                Slip(
                    "bytes per element",
                    "that is the number of numbers, not of bytes.",
                    behaves=lambda a, b, c: (_stacked(a, b, c), _stacked(a, b, c).numel()),
                ),
                Slip(
                    "the batch comes first",
                    "that has the sounds in its columns; dimension 0 should count the sounds.",
                    behaves=lambda a, b, c: (_stacked(a, b, c).t(), _weight(_stacked(a, b, c))),
                ),
            ),
        ),
        (
            "What size should the batch of three sounds of five samples have? What size does `cat` give?",
            "A new dimension comes from `stack`. And the bytes of a tensor are not those of the Python object.",
            "A tensor has `nbytes`; `numel()` times `element_size()` is the same.",
        ),
        "def pack(a, b, c):\n    batch = tk.stack([tk.tensor(a), tk.tensor(b), tk.tensor(c)])\n"
        "    return batch, batch.nbytes",
        stage="free",
        right=(
            lambda tk, t: (
                lambda a, b, c: (
                    tk.stack([tk.tensor(a), tk.tensor(b), tk.tensor(c)]),
                    tk.tensor([a, b, c]).nbytes,
                )
            ),
            lambda tk, t: (
                lambda *sounds: (
                    tk.cat([tk.tensor(sound) for sound in sounds]).view(3, -1),
                    3 * len(sounds[0]) * tk.tensor(sounds[0]).element_size(),
                )
            ),
            lambda tk, t: (
                lambda a, b, c: [
                    tk.tensor([a, b, c]),
                    tk.tensor([a, b, c]).untyped_storage().nbytes(),
                ]
            ),
        ),
        wrong=(
            (lambda tk, t: lambda *s: ((x := _cat(tk, s)), sys.getsizeof(x)), "cat vs stack"),
            (lambda tk, t: lambda *s: ((x := _cat(tk, s)), x.nbytes), "cat vs stack"),
            (lambda tk, t: lambda *s: ((x := tk.tensor(s)), sys.getsizeof(x)), LIST),
            (lambda tk, t: lambda *s: ((x := tk.tensor(s)), 4 * x.numel()), "bytes per element"),
            (lambda tk, t: lambda *s: ((x := tk.tensor(s)), x.numel()), "bytes per element"),
            (lambda tk, t: lambda *s: ((x := tk.tensor(s)).t(), x.nbytes), "the batch comes first"),
            (lambda tk, t: lambda *s: tk.tensor(s), ""),
            (lambda tk, t: lambda *s: (tk.tensor(s), 12), ""),
            (lambda tk, t: lambda *s: None, ""),
        ),
    ),
)
