"""What `progress()` says: titles, tables, whole words."""

from __future__ import annotations

import re
from pathlib import Path

from tensorkit_widgets import Predict, progress
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.facts import MISCONCEPTIONS
from tensorkit_widgets.practice.progress_report import misconceptions
from tests.widgets.practice.test_progress import answer_everything, file, tables
from tests.widgets.practice_helpers import blank_memory, restarted, tags

__all__ = ["blank_memory", "file"]  # fixtures


def test_progress_says_titles_where_the_lessons_have_them() -> None:
    answer_everything()
    Predict("06.wrap").answer = (300, 200)
    Predict("What is\n  **this**? " * 9, answer="x").answer = "x"
    session_log.MEMORY["exercise 88.gone"] = {"attempts": 2, "solved": True}
    lines = progress().split("\n")
    heads = [line.strip("*") for line in lines if line.startswith("**")]
    assert heads == [
        "Your progress",
        "02 · Storage and strides",
        "03 · Transpose and permute",
        "06 · dtypes and bits",
        "Lesson 88",
        "Reviews, and questions of your own",
        "Misconceptions met",
    ]
    titles = [
        line[4:56].rstrip()
        for line in lines[: lines.index("**Misconceptions met**")]
        if line[:4] == "    " and line[4] not in " 0(" and not line.endswith(" at once)")
    ]
    assert titles[2:] == [
        "What storage, offset and stride are for", "The sums of the columns", "Transpose by hand",
        "p = tk.tensor([200, 100], dtype=tk.uint8) holds two", "88.gone",
        "What is this? What is this? What is this? What is",
    ]  # fmt: skip
    assert max(map(len, MISCONCEPTIONS)) <= 38, "the names stand in a column of their own"
    assert not any(
        name in progress() for name in ("transpose_by_hand", "slice_stride", "column_sums", "06.wrap")
    )


def test_no_word_is_broken_in_text_and_table() -> None:
    question = (
        "How would a very long question about contiguous tensors look in a report of the progress? " * 4
    )
    Predict(question, answer="x").answer = "y"
    Predict("02.slice_stride").answer = (4, 1)
    said = progress()
    whole = set(question.split())
    begin = said.index("How would")
    words = said[begin : said.index("\n\n", begin)].replace("not as predicted", "").split()
    assert set(words) <= whole | {"…"}
    assert len(words) > 20
    assert "look in a report of the progress?" in said._repr_html_()
    assert "…" in said, "a very long one ends before a word"


def test_progress_is_a_table_on_a_page() -> None:
    answer_everything()
    page = tables(progress()._repr_html_().replace("\u00a0", " "))
    seen = tags(page)
    assert seen.count("table") == seen.count("caption") == 2
    empty_headings = 2  # of the column of marks in each table
    assert seen.count("td") == 3 * 5 + 4 * len(misconceptions(session_log.everything())) + empty_headings
    for words in (
        "02 · Storage and strides",
        "Exercise: Transpose by hand",
        "open, 1 attempt",
        "1 of 4 right",
    ):
        assert words in page
    assert not re.search(r"#[0-9a-f]{3,6}\b|rgb\(", page), "its colours are those of the page, light or dark"
    assert "<script" not in page
    session_log.MEMORY.clear()
    assert progress()._repr_html_() == "<p>No card has been answered yet.</p>"


def test_progress_tells_of_every_kind_of_card(file: Path) -> None:
    answer_everything()
    said = progress()
    assert "not as predicted" in said
    assert "as predicted\n" in said
    assert "open, 1 attempt" in said
    assert "1 of 4 right" in said
    assert f"Kept in `{file}`, on this machine only" in said
    assert "script" not in tags(tables(said._repr_html_()))
    restarted()
    assert progress() == said
