"""Each prediction says which cells answer it: out of sight in JupyterLab until it is made, folded in other hosts.

A cell that answers has the card's name in its metadata, `{"tensorkit": {"after": "04.minus_one"}}`; where two cards
stand one below the other, both names. Its text stands in a `<details>` that is closed at first. The list of what to
keep, at a lesson's end, waits for all of the lesson's predictions; nothing else tells an answer: no heading, no aim at
the beginning, no picture further up or down.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tensorkit_widgets.practice.catalogue import find_question

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
CARD = re.compile(r'\bPredict\("(\d\d\.[a-z][a-z0-9_]*)"')
OPENING, CLOSING = "<details>\n<summary>Show</summary>\n\n", "\n\n</details>"
HEADING = re.compile(r"(?m)^#{1,6} ")
KEEP = "## What to keep"
CARDS = re.compile(r"\b(?:Predict|Quiz|Exercise|Parsons)\(|^ex\d$", re.MULTILINE)

TELLS = (
    ("00.first_device", "lives on the `cpu`"),
    ("01.row_first", "Dimension 0 counts the rows"),
    ("01.photo_pixel", "One pixel is three numbers"),
    ("01.batch_size", "`stack` put the three into a *new* dimension"),
    ("01.tensor_bytes", "4 bytes each instead of 32"),
    ("02.next_row", "one row down is **5** slots"),
    ("02.slice_stride", "that **stride** is 2"),
    ("02.alias", "**A slice aliases its base**"),
    ("03.transpose_stride", "swaps the strides"),
    ("03.transpose_cost", "moves no data"),
    ("03.size_one", "means nothing"),
    ("04.squeeze_batch", "eats the batch dimension"),
    ("04.chunk", "rounds the length of a piece"),
    ("03.photo_view", "11 pixels too far along"),
    ("03.pixel", "Nine small grey portraits"),
    ("05.which_view", "Splitting a dimension always works"),
    ("05.reshape_write", "the copy was thrown away"),
    ("05.windows", "neighbouring rows overlap"),
    ("05.saved_slice", "A saved slice saves the whole storage"),
    ("06.one_and_a_half", "highest bit of the mantissa adds ½"),
    ("06.plus_one", "larger the number, the wider the gap"),
    ("06.half_overflow", "ends at 65504"),
    ("06.wrap", 'BitView(300).cast("uint8")'),
    ("07.to_returns", "does not change the tensor that you call it on"),
    ("07.truncate", "always towards 0"),
    ("07.to_bool", "everything but 0 is True"),
    ("07.integer_mean", "Integers have no mean"),
    ("09.view_or_copy", "fetched one by one into a new storage"),
    ("08.arange_end", "3.0000000000000004"),
    ("08.logspace_ends", "The ends are **exponents**"),
    ("08.like_stride", "copies the layout too"),
    ("08.two_calls", "A generator is **a row too**"),
    ("08.shape", "knows nothing of shapes"),
    ("08.colleague", "reads the same row"),
    ("08.halves", "in blocks of 16"),
    ("09.lost", "writes into a copy"),
    ("10.ghosts", "its stride becomes 0"),
    ("10.fits", "non-singleton dimension 2"),
    ("10.column_row", "(N, 1) against (N,)"),
    ("11.sum_dim1", "struck the 4 out"),
    ("11.centre", "leaves a 1 where the dimension was"),
    ("11.square", "An error is the lucky case"),
    ("11.max_dim", "the place of each"),
    ("11.count", "sum of a mask counts"),
    ("12.lists", "**leave the tensor first**"),
    ("12.ones", "numbers are 2 apart"),
    ("12.ends", "difference of two running sums"),
    ("12.pairs", "make each call large enough"),
    ("13.plus", "a name alone is moved"),
    ("13.function", "an argument is one more name"),
    ("13.out", "`out` is resized"),
    ("13.expanded", "has no single meaning"),
    ("14.id_of_a_view", "There are two objects"),
    ("14.detached", "shares the numbers and drops"),
    ("14.after_del", "kept or freed as a whole"),
    ("14.out_cache", "keeps every value that it shows"),
    ("14.losses", "the history keeps the tensors"),
    ("15.zeroed", "two objects of two libraries"),
    ("15.float_copies", "ends the sharing"),
    ("15.tensor_copies", "copies, always"),
    ("15.backwards", "no negative strides"),
    ("18.rebuilt", "What is recorded is the run that happened"),
    ("18.winners", "Only what reaches the loss gets a gradient"),
    ("18.accumulate", "it never overwrites"),
    ("18.second_backward", "lets go of each saved tensor"),
    ("18.middle_grad", "Only leaves keep their gradient"),
    ("16.row_meets", "meets a column of the right one"),
    ("16.batch", "sizes that fit by accident"),
    ("16.residual", "Do not compute an inverse in order to solve"),
    ("16.tilt", "What tilts a line is a long lever"),
    ("16.carry", "a seventh of the numbers"),
    ("16.turned", "a number whose square is"),
    ("17.back", "three reds of neighbouring pixels"),
    ("17.first_green", "1,024·c + 32·y + x"),
    ("17.saved", "a slice is saved with its whole storage"),
    ("17.two_transposes", "the bytes are still the planes of the file"),
    ("17.range", "a division only scales"),
    ("17.mirrored", "mirrored along its diagonal"),
    ("19.detached_factor", "does not switch autograd off"),
    ("19.through_a_view", "to wherever it shows"),
    ("19.leaf_write", "which is **no leaf**"),
    ("19.forgotten_zero", "a loss that will not stay down"),
    ("19.saved_changed", "Saved means remembered, not copied"),
    ("19.hook", "before it was passed on"),
    ("21.threads", "six of the seven networks were **slower**"),
    ("21.writer", "`blockIdx.x * blockDim.x + threadIdx.x`"),
    ("21.guard", "A GPU does neither"),
    ("21.first_round", "8 numbers in 3 rounds"),
    ("21.hurry", "That is a **race**"),
    ("21.sectors", "Eight times the traffic"),
    ("21.tiles", "a quarter of the reads is left"),
    ("22.stopwatch", "it times the call and not the work"),
    ("22.which_wait", "What Python has to *see*, it has to wait for"),
    ("22.small_steps", "One step of that loop took 4.5 µs"),
    ("22.race", "they race, and who wins"),
    ("22.early_read", "**stale bytes**"),
    ("22.told_late", "which is innocent"),
    ("23.row_for_column", "the mean pressure, for everyone"),
    ("23.unemptied", "like a ball in a bowl"),
    ("23.window", "81 numbers are read from"),
    ("23.spot", "even slope it answers 0"),
    ("23.inputs", "864 for each picture"),
    ("23.total", "all hundred batches"),
    ("23.moved", "A module moves in place"),
    ("24.five_rows", "one row, and **none**"),
    ("24.winner", "the other three have made is thrown away"),
    ("24.sum_of_columns", "the *sum* of all four parts"),
    ("24.which_product", "exactly those that meet"),
    ("24.stay", "Only the diagonal stays"),
    ("24.tiny", "costs **milliseconds**, however little"),
    ("24.killed", "Nothing was copied beforehand"),
)
"""Words that tell a card's answer, as they stand in its lesson: all of them wait for it."""

lessons = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def cells_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def after(cell: dict[str, Any]) -> list[str]:
    """The cards that a cell waits for."""
    given = cell["metadata"].get("tensorkit", {}).get("after", [])
    return [given] if isinstance(given, str) else given


def card_of(cell: dict[str, Any]) -> str:
    found = CARD.search(source(cell)) if cell["cell_type"] == "code" else None
    return found[1] if found else ""


def plain(text: str) -> str:
    """Words without their emphasis and their line breaks."""
    return " ".join(text.replace("*", "").replace("`", "").split()).lower()


def in_words(answer: object) -> list[str]:
    """How an answer would stand in a text; nothing for one that any text may have, such as a number or "An error"."""
    if isinstance(answer, tuple):
        return [str(answer)]
    return [answer] if isinstance(answer, str) and len(answer.split()) >= 4 else []


def gave(cell: dict[str, Any]) -> str:
    """What a cell's outputs say, in text; nothing of a card's, whose question may speak of an earlier answer."""
    if CARDS.search(source(cell)):
        return ""
    outputs = cell.get("outputs", ())
    return "\n".join("".join(out.get("text") or out.get("data", {}).get("text/plain", "")) for out in outputs)


def keep(cells: list[dict[str, Any]]) -> int:
    """Where the lesson's last heading is."""
    return next(number for number, cell in enumerate(cells) if source(cell).startswith(KEEP))


def predictions(path: Path) -> list[str]:
    """The cards of a lesson that something below answers; what is asked from memory answers itself."""
    return [card for cell in cells_of(path) if (card := card_of(cell)) and not find_question(card).recall]


@lessons
def test_every_prediction_reveals_the_cells_that_follow_it(path: Path) -> None:
    cells = cells_of(path)
    places = {card_of(cell): number for number, cell in enumerate(cells) if card_of(cell)}
    wanted = predictions(path)
    assert wanted, "a lesson without a prediction?"
    for name in wanted:
        below = [number for number, cell in enumerate(cells) if name in after(cell)]
        first = places[name] + 1
        while card_of(cells[first]):
            first += 1
        assert below, f"{name} reveals nothing"
        assert below[0] == first, f"{name} reveals {below}, and not what follows it"
        at_once = [number for at, number in enumerate(below) if number == first + at]
        assert any(cells[number]["cell_type"] == "code" for number in at_once), (
            f"{name} shows nothing that runs"
        )


@lessons
def test_what_to_keep_waits_for_every_prediction(path: Path) -> None:
    """The list says what the predictions found; those of the sections that go further are not in it."""
    cells = cells_of(path)
    found, further = [], False
    for cell in cells:
        if cell["cell_type"] == "markdown" and re.search(r"(?m)^## ", source(cell)):
            further = "## Going further" in source(cell)
        name = card_of(cell)
        if name and not find_question(name).recall and not further:
            found.append(name)
    heading, *lists, way_on = cells[keep(cells) :]
    assert source(heading) == KEEP, "the list stands in a cell of its own"
    assert "\n- " not in "\n" + source(way_on)
    assert not after(way_on)
    assert [after(cell) for cell in lists] == [found], "what to keep is told before it was predicted"


@lessons
def test_nothing_else_on_the_page_tells_an_answer(path: Path) -> None:
    cells = cells_of(path)
    for name in predictions(path):
        asked = find_question(name)
        told = [re.compile(rf"(?<![\w(\[]){re.escape(plain(look))}") for look in in_words(asked.answer)]
        for number, cell in enumerate(cells):
            if after(cell) or card_of(cell):
                continue
            for look in told:
                assert not look.search(plain(gave(cell))), f"{name}: cell {number} gives {asked.answer}"
                assert cell["cell_type"] == "code" or not look.search(plain(source(cell))), (
                    f"{name}: cell {number} says {asked.answer}"
                )


@pytest.mark.parametrize(("name", "words"), TELLS, ids=[name for name, _ in TELLS])
def test_words_that_tell_an_answer_wait_for_it(name: str, words: str) -> None:
    path = next(path for path in LESSONS if path.stem[:2] == name[:2])
    telling = [cell for cell in cells_of(path) if plain(words) in plain(source(cell)) + plain(gave(cell))]
    assert telling, "the lesson does not say so any more: what does it say?"
    for cell in telling:
        assert name in after(cell), source(cell)


@lessons
def test_nothing_waits_for_a_card_that_is_not_there(path: Path) -> None:
    asked = set(predictions(path))
    assert {name for cell in cells_of(path) for name in after(cell)} == asked


@lessons
def test_what_answers_is_one_part_of_the_page(path: Path) -> None:
    """No heading and no card is out of sight: the table of contents and the way on stay whole."""
    for cell in cells_of(path):
        if after(cell):
            assert not card_of(cell)
            assert cell["cell_type"] == "code" or not HEADING.search(
                re.sub(r"(?s)```.*?```", "", source(cell))
            )


@lessons
def test_the_text_that_answers_is_closed_at_first_on_any_page(path: Path) -> None:
    """And nothing else is: a text that is always closed would be found by nobody."""
    for cell in cells_of(path):
        if cell["cell_type"] == "markdown":
            text = source(cell)
            wrapped = text.startswith(OPENING) and text.endswith(CLOSING)
            assert wrapped is bool(after(cell)), text
            assert text.count("<details") == wrapped


TEMPLATES = Path(__file__).resolve().parents[2] / "tensorkit" / "lab" / "jupyter" / "nbconvert" / "templates"


@cache
def our_own_exporter() -> Any:
    nbconvert = pytest.importorskip("nbconvert")
    return nbconvert.HTMLExporter(template_name="tensorkit", extra_template_basedirs=[str(TEMPLATES)])


@lessons
def test_our_own_export_closes_what_the_cells_gave_too(path: Path) -> None:
    """`jupyter nbconvert --to html --template tensorkit`."""
    page, _ = our_own_exporter().from_filename(str(path))
    answers = [cell for cell in cells_of(path) if after(cell) and cell.get("outputs")]
    assert page.count('<details class="tk-answer"><summary>Show what this cell gave</summary>') == len(
        answers
    )
    outside = re.sub(r"(?s)<details.*?</details>", "", page)
    open_ones = printed(cell for cell in cells_of(path) if not after(cell))
    for text in printed(answers) - open_ones:
        assert f"<pre>{html.escape(text, quote=False)}\n</pre>" not in outside


def printed(cells: Iterable[dict[str, Any]]) -> set[str]:
    """What cells printed, in texts that are long enough to be found."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    texts = {"".join(output["text"]).strip() for output in outputs if output["output_type"] == "stream"}
    return {text for text in texts if len(text) > 40}
