"""The exercises of lesson 01, with the solutions and slips that prove their checks."""

from __future__ import annotations

import sys
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.checks import choice_check, number_check, tensor_check, tuple_check
from tensorkit_widgets.practice.checking.functions import Case, function_check, seen
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.kinds import Puzzle, Stray, Task

__all__ = ["PUZZLES", "TASKS"]

LIST = "getsizeof of a list"


BRACKETS = "brackets are dimensions"


TABLE = "text needs a table"


def _floats(*numbers: int) -> list[float]:
    """Floats that are objects of their own: a number written in the source would be one box, used again."""
    return [number / 2 for number in numbers]


def _list_bytes(numbers: list[Any]) -> int:
    boxes = {id(number): sys.getsizeof(number) for number in numbers}
    return sys.getsizeof(numbers) + sum(boxes.values())


def _shared() -> list[float]:
    (half,) = _floats(1)
    return [half] * 4


_THREE, _FOUR, _TWINS = _floats(1, 3, 5), _shared(), [*_floats(1), *_floats(1)]


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
        "brackets hold 3 things, each of them holds 2: the size is **(3, 2)**.\n\n"
        "Your turn: which size has `tk.tensor([[[1, 2, 3], [4, 5, 6]]])`?",
        tuple_check(
            1,
            2,
            3,
            slips=(
                Slip(BRACKETS, "Count the opening brackets: there are three.", given=(2, 3)),
                Slip(BRACKETS, "The outermost brackets come first.", given=(3, 2, 1)),
                Slip(BRACKETS, "That is how many numbers there are.", given=(6,)),
                Slip(BRACKETS, "The outermost brackets hold one thing only.", given=(2, 2, 3)),
                Slip("rows come before columns", "Two rows of three numbers.", given=(1, 3, 2)),
            ),
        ),
        (
            "How many brackets open at the left end? So many dimensions there are.",
            "The outermost brackets hold one thing. What does that one hold?",
            "One table, of two rows, of three numbers.",
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
        "which_data",
        "Backwards: what could this be?",
        "Four tensors have the sizes\n\n"
        "    1: (44100,)    2: (28, 28)    3: (480, 640, 3)    4: (64, 480, 640, 3)\n\n"
        "and these are, in another order,\n\n"
        "    a: a colour photo     b: a second of sound\n"
        "    c: a batch of photos  d: a grey picture of a digit\n\n"
        "Which is which? Give four letters, for the sizes 1 to 4.",
        choice_check(
            "b d a c",
            slips=(
                Slip(
                    "channels are a dimension",
                    "the last 3 is the colours; the 64 in front counts photos.",
                    given="b d c a",
                ),
                Slip(
                    "channels are a dimension",
                    "a grey picture has one number for each pixel.",
                    given="b a d c",
                ),
                Slip(BRACKETS, "a sound is one number after the other: one dimension.", given="d b a c"),
            ),
            hint="give four letters, such as `a b c d`; begin with the number of dimensions of each.",
        ),
        (
            "How many dimensions has each? A sound needs one: time.",
            "Two dimensions make a grey picture, three a colour one.",
            "The four letters begin with b and end with c.",
        ),
        "b d a c",
        stage="reverse",
        entry="a b c d",
        right=(lambda tk, t: "b d a c", lambda tk, t: "B, D, A, C", lambda tk, t: "b  d  a  c"),
        wrong=(
            (lambda tk, t: "b d c a", "channels are a dimension"),
            (lambda tk, t: "d b a c", BRACKETS),
            (lambda tk, t: "a b c d", ""),
        ),
    ),
    Task(
        "weigh_four",
        "Weigh four floats",
        "On this machine an empty list takes 56 bytes, each place in it 8 more, and a float 24. How many bytes do a "
        "list of **four different floats** and those floats take together?",
        number_check(
            184,
            slips=(
                Slip(LIST, "That is the list alone, what `sys.getsizeof` says.", given=88),
                Slip(LIST, "Those are the floats without their pointers and the list.", given=96),
                Slip(LIST, "The list itself is there as well: 56 bytes.", given=152),
                Slip(LIST, "The four pointers are missing, 8 bytes each.", given=128),
                Slip("bytes per element", "That is a tensor of them.", given=16),
            ),
        ),
        (
            "There are two parts: the list with its places, and what the places point at.",
            "The list: 56 + 4·8. The boxes: 4·24.",
            "88 + 96",
        ),
        "56 + 4*8 + 4*24  # 184",
        entry="100",
        right=(
            lambda tk, t: 184,
            lambda tk, t: "184",
            lambda tk, t: _list_bytes(_floats(1, 3, 5, 7)),
        ),
        wrong=(
            (lambda tk, t: sys.getsizeof(_floats(1, 3, 5, 7)[:]), LIST),
            (lambda tk, t: 152, LIST),
            (lambda tk, t: tk.zeros(4).untyped_storage().nbytes(), "bytes per element"),
            (lambda tk, t: 185, ""),
        ),
    ),
    Task(
        "batch_of_two",
        "A batch of two sounds",
        "`t` holds four samples of a sound, size (4,); `-t` is the same sound upside down. Make one batch of the two, "
        "size **(2, 4)**:\n\n"
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
                    "cat vs stack",
                    "the two sounds were added up; the batch holds both.",
                    behaves=lambda t: t - t,
                ),
                Slip(
                    "cat vs stack",
                    "that is one of the two; the batch holds both.",
                    behaves=(lambda t: t, lambda t: -t),
                ),
            ),
        ),
        (
            "A new dimension is wanted, in front of the one that is there.",
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
            (lambda tk, t: t + -t, "cat vs stack"),
            (lambda tk, t: t, "cat vs stack"),
            (lambda tk, t: tk.zeros(4, 2), ""),
            (lambda tk, t: tk.stack([t, t]), ""),
        ),
    ),
    Task(
        "encode",
        "Text to numbers",
        "Write `encode(text)`, which gives a tensor with one number for each character of a text: the one that "
        "Python's `ord` knows.\n\n"
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
                    "that table begins with a = 0; asked is `ord`, for which a is 97.",
                    behaves=lambda text: _codes(text) - ord("a"),
                ),
                Slip(
                    TABLE,
                    "that table begins with a = 1; asked is `ord`, for which a is 97.",
                    behaves=lambda text: _codes(text) - ord("a") + 1,
                ),
                Slip(
                    TABLE,
                    "those are the bytes of the text in UTF-8: right for plain English letters, but é has two of "
                    "them. `ord` gives one number for each character.",
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
        "weigh_a_list",
        "Weigh any list",
        "Write `weigh(numbers)`: how many bytes do a list of numbers and its numbers take together? A number that "
        "stands in several places is one box: count it **once**. (`id(x)` tells one object from another.)\n\n"
        "    def weigh(numbers):\n"
        "        return ___",
        function_check(
            Case("of a list of three different floats", lambda: (list(_THREE),), _list_bytes(list(_THREE))),
            Case(
                "of a list that has the same float in four places",
                lambda: (list(_FOUR),),
                _list_bytes(list(_FOUR)),
            ),
            Case("of two boxes that hold equal numbers", lambda: (list(_TWINS),), _list_bytes(list(_TWINS))),
            Case("of an empty list", lambda: ([],), sys.getsizeof([])),
            slips=(
                Slip(
                    LIST,
                    "that is the list alone: a row of pointers. What they point at comes on top.",
                    behaves=sys.getsizeof,
                ),
                Slip(
                    LIST,
                    "those are the boxes alone. The list itself, with its pointers, takes room too.",
                    behaves=(
                        lambda numbers: sum(map(sys.getsizeof, numbers)),
                        lambda numbers: sum({id(x): sys.getsizeof(x) for x in numbers}.values()),
                    ),
                ),
                Slip(
                    "bytes per element",
                    "that is what a tensor of them would take.",
                    behaves=(lambda numbers: 4 * len(numbers), lambda numbers: 8 * len(numbers)),
                ),
                Slip(
                    LIST,
                    "four pointers to one box: the box was counted four times. Here `id` is the right question, since "
                    "the boxes are Python objects.",
                    behaves=lambda numbers: sys.getsizeof(numbers) + sum(map(sys.getsizeof, numbers)),
                ),
                Slip(
                    "equal is not shared",
                    "numbers that are equal need not be one box: tell the boxes apart by `id`.",
                    behaves=lambda numbers: sys.getsizeof(numbers) + sum(map(sys.getsizeof, set(numbers))),
                ),
            ),
        ),
        (
            "`sys.getsizeof(numbers)` is the list with its pointers. What is missing?",
            "Collect the boxes so that each is there once: a dictionary with `id(x)` as its key does that.",
            "`boxes = {id(x): sys.getsizeof(x) for x in numbers}`; then add the sum of `boxes.values()`.",
        ),
        "def weigh(numbers):\n"
        "    import sys\n"
        "    boxes = {id(x): sys.getsizeof(x) for x in numbers}\n"
        "    return sys.getsizeof(numbers) + sum(boxes.values())",
        stage="free",
        right=(
            lambda tk, t: _list_bytes,
            lambda tk, t: (
                lambda numbers: (
                    sys.getsizeof(numbers)
                    + sum(
                        sys.getsizeof(x) for x in dict(zip(map(id, numbers), numbers, strict=True)).values()
                    )
                )
            ),
            lambda tk, t: (
                lambda numbers: sys.getsizeof(numbers) + len({id(x) for x in numbers}) * sys.getsizeof(0.5)
            ),
        ),
        wrong=(
            (lambda tk, t: sys.getsizeof, LIST),
            (lambda tk, t: lambda numbers: sum(map(sys.getsizeof, numbers)), LIST),
            (
                lambda tk, t: lambda numbers: sys.getsizeof(numbers) + sum(map(sys.getsizeof, numbers)),
                LIST,
            ),
            (
                lambda tk, t: lambda numbers: sys.getsizeof(numbers) + sum(map(sys.getsizeof, set(numbers))),
                "equal is not shared",
            ),
            (lambda tk, t: lambda numbers: 4 * len(numbers), "bytes per element"),
            (lambda tk, t: lambda numbers: 100, ""),
            (lambda tk, t: lambda numbers: None, ""),
        ),
    ),
)


def _start(tk: Any) -> dict[str, Any]:
    return {"words": ["tensor", "is", "box"]}


_PADDED = """
longest = max(len(word) for word in words)
rows = []
for word in words:
    row = [ord(c) for c in word]
    row = row + [0] * (longest - len(word))
    rows.append(row)
batch = tk.tensor(rows)
"""


_PAD = "row = row + [0] * (longest - len(word))"


PUZZLES = (
    Puzzle(
        "padded_words",
        "A batch of words",
        "`words` is `['tensor', 'is', 'box']`. Make `batch`, a tensor with one row for each word and one number "
        "(`ord`) for each character. Rows of a tensor are equally long: fill the short ones with zeros **at the end**.",
        _PADDED,
        "batch",
        tensor_check(
            size=(3, 6),
            values=((116, 101, 110, 115, 111, 114), (105, 115, 0, 0, 0, 0), (98, 111, 120, 0, 0, 0)),
            slips=(
                Slip(
                    "a tensor is a full grid",
                    "the zeros stand in front of the letters; they should come after them.",
                    when=lambda answer, mine, base: mine is not None and mine.values[6:7] == (0,),
                ),
            ),
        ),
        (
            "How long do the rows have to be? Find that out before the loop.",
            "In the loop: the numbers of one word, then the zeros that are missing, then the row goes to the others.",
            "`batch = tk.tensor(rows)` comes last, after the loop, not in it.",
        ),
        strays=(
            Stray("batch = tk.tensor(words)", TABLE, "a tensor holds numbers, not words."),
            Stray(
                "row = [0] * (longest - len(word)) + row",
                "a tensor is a full grid",
                "that puts the zeros in front of the letters.",
            ),
            Stray("row += [0] * (longest - len(word))"),
            Stray("rows = rows + [row]"),
        ),
        setup=_start,
        right=(
            _PADDED.strip(),
            _PADDED.strip().replace(_PAD, "row += [0] * (longest - len(word))"),
            _PADDED.strip().replace("rows.append(row)", "rows = rows + [row]"),
        ),
        wrong=(
            ("batch = tk.tensor(words)", TABLE),
            (
                _PADDED.strip().replace(_PAD, "row = [0] * (longest - len(word)) + row"),
                "a tensor is a full grid",
            ),
            (_PADDED.strip().replace(f"    {_PAD}\n", ""), ""),
            (_PADDED.strip().replace("    rows.append(row)\n", ""), ""),
        ),
    ),
)
