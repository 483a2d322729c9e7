"""The program of lesson 01 that is put in order, with the solutions and slips that prove its check."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Puzzle, Stray

TABLE = "text needs a table"


SENTENCES = ("rain is good for roses", "the roses are red", "no rain")


def _start(tk: Any) -> dict[str, Any]:
    return {"sentences": list(SENTENCES)}


_PADDED = """
vocabulary = sorted({word for sentence in sentences for word in sentence.split()})
longest = max(len(sentence.split()) for sentence in sentences)
rows = []
for sentence in sentences:
    row = [vocabulary.index(word) + 1 for word in sentence.split()]
    row = row + [0] * (longest - len(row))
    rows.append(row)
batch = tk.tensor(rows)
"""


_PAD = "row = row + [0] * (longest - len(row))"


_ROW = "row = [vocabulary.index(word) + 1 for word in sentence.split()]"


PUZZLES = (
    Puzzle(
        "padded_sentences",
        "A batch of sentences",
        "`sentences` holds three sentences of different lengths. Make `batch`: one row for each sentence, one "
        "number for each word. Rows of a tensor are equally long, so fill the short ones with 0 **at the end**. "
        "Number the words of the vocabulary from **1**, so that 0 can mean *no word here*.",
        _PADDED,
        "batch",
        tensor_check(
            size=(3, 5),
            values=((6, 4, 3, 2, 8), (9, 8, 1, 7, 0), (5, 6, 0, 0, 0)),
            slips=(
                Slip(
                    "a tensor is a full grid",
                    "the zeros are in front of the words; they should come after them.",
                    when=lambda answer, mine, base: mine is not None and mine.values[10:11] == (0,),
                ),
                Slip(
                    "counting from zero",
                    "the first word of the vocabulary now has the number 0, and 0 also fills the short rows: the two "
                    "cannot be told apart.",
                    when=lambda answer, mine, base: mine is not None and mine.values[10:12] == (4, 5),
                ),
            ),
        ),
        (
            "The vocabulary and the length of the rows have to be known before the loop.",
            "In the loop, make the numbers of one sentence, then add the missing zeros, then add the row to the "
            "others.",
            "`batch = tk.tensor(rows)` comes last, after the loop, not in it.",
        ),
        strays=(
            Stray("batch = tk.tensor(sentences)", TABLE, "a tensor holds numbers, not words."),
            Stray(
                "row = [0] * (longest - len(row)) + row",
                "a tensor is a full grid",
                "that puts the zeros in front of the words.",
            ),
            Stray(
                "row = [vocabulary.index(word) for word in sentence.split()]",
                "counting from zero",
                "then 0 is a word of the vocabulary as well, and no longer means *no word here*.",
            ),
            Stray("row += [0] * (longest - len(row))"),
            Stray("rows = rows + [row]"),
        ),
        setup=_start,
        right=(
            _PADDED.strip(),
            _PADDED.strip().replace(_PAD, "row += [0] * (longest - len(row))"),
            _PADDED.strip().replace("rows.append(row)", "rows = rows + [row]"),
        ),
        wrong=(
            ("batch = tk.tensor(sentences)", TABLE),
            (
                _PADDED.strip().replace(_PAD, "row = [0] * (longest - len(row)) + row"),
                "a tensor is a full grid",
            ),
            (_PADDED.strip().replace(_ROW, _ROW.replace(" + 1", "")), "counting from zero"),
            (_PADDED.strip().replace(f"    {_PAD}\n", ""), ""),
            (_PADDED.strip().replace("    rows.append(row)\n", ""), ""),
        ),
    ),
)
