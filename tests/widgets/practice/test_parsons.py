"""`Parsons`: orders, running, diagnosis, messages from a browser, and what is drawn."""

from __future__ import annotations

import contextlib
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit_widgets.practice.catalogue import find_puzzle
from tensorkit_widgets.practice.facts import Slip, Verdict
from tensorkit_widgets.practice.parsons.program import Arranged, BadOrder, Lines
from tensorkit_widgets.practice.parsons.run import run
from tensorkit_widgets.practice.parsons.widget import Parsons
from tests.widgets.practice_helpers import HOSTILE, blank_memory, send, tags

__all__ = ["blank_memory"]  # a fixture

COUNT = """
total = 0
for n in numbers:
    total += n
"""


def counting(**more: Any) -> Parsons:
    return Parsons(
        "Add up the numbers.",
        COUNT,
        result="total",
        check=lambda total: total == 6,
        names={"numbers": [1, 2, 3]},
        strays=[
            "total = n",
            ("for n in range(numbers):", "a size is not a stride", "that is a list, no number."),
        ],
        **more,
    )


def as_sent(puzzle: Parsons, code: str) -> str:
    return " ".join(f"{number}:{indent}" for number, indent in puzzle._lines.find(code))


# ------------------------------------------------------------------ orders


def test_the_lines_have_numbers_and_an_order_is_made_of_them() -> None:
    puzzle = counting()
    assert sorted(puzzle.lines) == [1, 2, 3, 4, 5]
    assert puzzle.order == ()
    assert puzzle.code == ""
    number = {line: n for n, line in puzzle.lines.items()}
    puzzle.order = [number["total = 0"], number["for n in numbers:"], (number["total += n"], 1)]
    assert puzzle.code == COUNT.strip()
    assert puzzle.indents == (0, 0, 1)
    assert puzzle.check()
    assert (puzzle.solved, puzzle.attempts) == (True, 1)


def test_a_program_may_be_given_as_text() -> None:
    puzzle = counting()
    puzzle.code = COUNT
    assert puzzle.check().correct
    with pytest.raises(BadOrder, match="there is no line `import os`"):
        puzzle.code = "import os"
    with pytest.raises(BadOrder, match="not so often"):
        puzzle.code = "total = 0\ntotal = 0"


@pytest.mark.parametrize(
    "order", [[6], [0], [1, 1], ["1"], [True], [(1, 7)], [(1, -1)], [(1, 2, 3)], [None], [1.0]]
)
def test_what_is_no_order_is_refused(order: Any) -> None:
    puzzle = counting()
    with pytest.raises(BadOrder):
        puzzle.order = order
    assert puzzle.order == ()


@pytest.mark.parametrize(
    "text", ["9:0", "1:9", "1", "1:0 1:0", "1:0;2:0", "one", "-1:0", "1:0  2:0", "1:0 " * 99, "١:0"]
)
def test_what_the_browser_should_not_send_is_said_and_changes_nothing(text: str) -> None:
    puzzle = counting()
    send(puzzle, "order", text)
    assert puzzle.order == ()
    assert puzzle.heard == 1


@given(st.text(max_size=60))
def test_no_text_from_a_browser_raises(text: str) -> None:
    lines = Lines.of(find_puzzle("02.column_sums"))
    with contextlib.suppress(BadOrder):
        assert isinstance(lines.read(text), tuple)


def test_a_puzzle_without_indentation_has_none() -> None:
    puzzle = Parsons("03.transpose_in_parts")
    with pytest.raises(BadOrder, match="no line is indented"):
        puzzle.order = [(1, 1)]
    assert 'data-move="left"' not in puzzle.html
    assert 'data-move="left"' in counting().html


def test_rules_look_at_the_order() -> None:
    program = Arranged((("a", 0), ("b:", 0), ("c", 1), ("d", 0)))
    assert program.before("a", "d")
    assert not program.before("d", "a")
    assert not program.before("a", "z")
    assert program.inside("c", "b:")
    assert not program.inside("d", "b:")
    assert not program.inside("b:", "c")
    assert program.uses("a", "d")
    assert not program.uses("a", "z")


# ------------------------------------------------------------------ running


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("for n in numbers:\n    total += n", "stops at `total += n`: NameError"),
        ("for n in numbers:\ntotal += n", "stops at `total += n`: expected an indented block"),
        ("    total = 0", "unexpected indent"),
        ("for n in numbers:\n    total = n", "that is not it."),
        ("for n in numbers:", "stops at `for n in numbers:`: expected an indented block"),
    ],
)
def test_a_wrong_program_says_where_it_stops(code: str, says: str) -> None:
    puzzle = counting()
    puzzle.code = code
    verdict = puzzle.check()
    assert verdict.correct is False
    assert says in verdict.says


def test_a_line_that_does_not_belong_is_named() -> None:
    puzzle = counting()
    puzzle.code = "total = 0\nfor n in range(numbers):\n    total += n"
    assert puzzle.check() == Verdict(
        False, "`for n in range(numbers):`: that is a list, no number.", "a size is not a stride"
    )


def test_a_rule_on_the_order_speaks_first() -> None:
    rule = Slip(
        "counting from zero", "begin before you count.",
        when=lambda answer, mine, base: answer.value.inside("total = 0", "for n in numbers:"),
    )  # fmt: skip
    puzzle = counting(slips=[rule])
    puzzle.code = "for n in numbers:\n    total = 0\n    total += n"
    assert puzzle.check().misconception == "counting from zero"
    puzzle.code = COUNT
    assert puzzle.check()


def test_what_a_program_does_counts_and_not_how_it_looks() -> None:
    """Neither a rule nor a line that does not belong makes a program wrong that works."""
    rule = Slip("counting from zero", "that looks odd.", when=lambda answer, mine, base: True)
    puzzle = Parsons(
        "Make 3.",
        "a = 1\nb = a + 2",
        result="b",
        check=lambda b: b == 3,
        slips=[rule],
        strays=[("b = 3", "permute vs view", "that is no sum.")],
    )
    puzzle.code = "b = 3"
    assert puzzle.check() == Verdict(True)
    puzzle.code = "a = 1"
    assert puzzle.check().misconception == "counting from zero"


def test_an_empty_program_is_no_attempt() -> None:
    puzzle = counting()
    assert puzzle.check().correct is None
    assert puzzle.attempts == 0


def test_a_program_that_never_makes_the_result_is_told_so() -> None:
    puzzle = Parsons("Make b.", "a = 1\nb = a", result="b", check=lambda b: True)
    puzzle.code = "a = 1"
    assert puzzle.check().says == "your program runs, but never makes `b`."


def test_each_run_starts_from_the_same() -> None:
    """A program that writes into what it was given does not spoil the next run."""
    for _ in range(2):
        puzzle = Parsons("03.transpose_in_parts")
        puzzle.code = find_puzzle("03.transpose_in_parts").program
        assert puzzle.check()


def test_the_notebook_keeps_its_names_its_numbers_and_its_output(capsys: pytest.CaptureFixture[str]) -> None:
    tk.manual_seed(3)
    before, tracing = tk.get_rng_state().tolist(), sys.gettrace()
    ran = run("x = tk.rand(3)\nprint('hello', 3, sep='-')\ntk.set_grad_enabled(False)", tk, {})
    assert ran.error == ""
    assert ran.printed == "hello-3\n"
    assert capsys.readouterr().out == ""
    assert tk.get_rng_state().tolist() == before
    assert tk.is_grad_enabled()
    assert sys.gettrace() is tracing
    assert "x" not in globals()


@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    x = 1",
        "def f():\n    return f()\nf()",
        "raise SystemExit",
        "1 / 0",
        "x = [0] * 10**14",
        "x =",
    ],
)
def test_nothing_that_a_program_does_gets_out(code: str) -> None:
    ran = run(code, tk, {})
    assert ran.error


def test_an_endless_program_is_stopped_soon() -> None:
    puzzle = Parsons("Wait.", "x = 1\nwhile x:\n    x = 1", result="x", check=lambda x: True)
    puzzle.code = "x = 1\nwhile x:\n    x = 1"
    assert "it runs for ever" in puzzle.check().says


def test_an_interrupt_is_the_learners() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("f()", tk, {"f": interrupt})


def test_threads_may_run_programs_at_once() -> None:
    puzzle = counting()
    puzzle.code = COUNT
    threads = [threading.Thread(target=lambda: [puzzle.check() for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (puzzle.solved, puzzle.attempts) == (True, 1)


# ------------------------------------------------------------------ messages and drawing


def test_the_browser_sends_numbers_and_python_has_the_program() -> None:
    puzzle = counting()
    send(puzzle, "order", as_sent(puzzle, COUNT))
    assert puzzle.code == COUNT.strip()
    assert f'data-order="{as_sent(puzzle, COUNT)}"' in puzzle.html
    send(puzzle, "check")
    assert puzzle.solved
    assert puzzle.announced == "Right. "
    send(puzzle, "again")
    assert puzzle.order == ()


def test_a_new_order_takes_the_verdict_away() -> None:
    puzzle = counting()
    puzzle.code = "total = 0"
    puzzle.check()
    assert "tk-verdict" in puzzle.html
    puzzle.code = COUNT
    assert "tk-verdict" not in puzzle.html


@pytest.mark.parametrize("do", ["code", "lines", "__class__", "order ", "ORDER", "run"])
def test_messages_that_are_none_of_ours_change_nothing(do: str) -> None:
    puzzle = counting()
    before = puzzle.html
    send(puzzle, do, "1:0")
    send(puzzle, "order", 3)
    assert puzzle.html == before


def test_hints_and_a_solution_come_when_asked_for() -> None:
    puzzle = Parsons("02.column_sums")
    assert "def column_sums(storage, size, stride):\n" not in puzzle.html
    send(puzzle, "hint")
    assert "Hint 1:" in puzzle.text()
    send(puzzle, "solution")
    assert "A solution:\n    def column_sums(storage, size, stride):\n        sums = []" in puzzle.text()
    assert "no hints" in counting().hint()


def test_everything_is_escaped(tmp_path: Path) -> None:
    line = "x = '<script>alert(1)</script><b>'"
    puzzle = Parsons(HOSTILE, f"{line}\ny = x", result="y", check=lambda y: HOSTILE, strays=["z = '<i>'"])
    puzzle.code = f"{line}\ny = x\nz = '<i>'"
    puzzle.check()
    for page in (
        puzzle.html,
        puzzle.static_html(),
        puzzle.svg(),
        puzzle.save(tmp_path / "p.html").read_text(),
    ):
        assert not {"script", "b", "i"} & set(tags(page))
        assert "&lt;script&gt;" in page


def test_the_board_follows_the_listbox_pattern() -> None:
    puzzle = counting()
    puzzle.code = "total = 0"
    html = puzzle.html
    assert html.count('role="listbox"') == 1
    assert html.count('role="option"') == html.count("aria-selected=") == 5
    assert html.count('role="group" aria-label="Your program"') == 1
    assert not {"button", "input"} & set(tags(puzzle.static_html()))


def test_the_order_of_the_offer_is_always_the_same_and_never_right() -> None:
    for puzzle in (counting(), Parsons("02.column_sums"), Parsons("03.transpose_in_parts")):
        lines = [line for line in puzzle.lines.values() if line in puzzle._puzzle.program]
        assert lines != [line.strip() for line in puzzle._puzzle.program.strip().split("\n")]
    assert counting().lines == counting().lines
    assert (counting().html, counting().text()) == (counting().html, counting().text())


def test_saved_as_page_picture_and_text(tmp_path: Path) -> None:
    puzzle = counting()
    puzzle.code = COUNT
    assert puzzle.save(tmp_path / "p.txt").read_text() == puzzle.text() + "\n"
    assert "Your program:\n    total = 0\n    for n in numbers:\n        total += n\n" in puzzle.text()
    assert "<script" not in puzzle.save(tmp_path / "p.html").read_text()
    assert "Add up the numbers." in puzzle.save(tmp_path / "p.svg").read_text()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Parsons("Q", "a = 1"),
        lambda: Parsons("Q", "a = 1", result="a"),
        lambda: Parsons("Q", "if a:\n  b = 1", result="a", check=bool),
        lambda: Parsons("Q", "\n".join(f"a{i} = 1" for i in range(41)), result="a", check=bool),
    ],
)
def test_a_puzzle_that_cannot_be_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        wrong()


def test_a_name_alone_finds_the_puzzle_of_a_lesson() -> None:
    assert Parsons("column_sums").name == "02.column_sums"


def test_lines_are_code_wherever_the_static_card_is_shown() -> None:
    puzzle = counting()
    puzzle.code = COUNT
    still = puzzle.static_html()
    assert still.count("<pre><code>") == still.count("<pre>") == 2, (
        "a pre alone is no code in an exported notebook"
    )
    puzzle.close()


def test_an_error_that_comes_from_a_misconception_is_told_so() -> None:
    puzzle = Parsons(
        "Make `y`.",
        "m = t > 1\ny = t if m else -t",
        result="y",
        check=lambda y: False,
        names={"t": tk.arange(3.0)},
    )
    puzzle.code = "m = t > 1\ny = t if m else -t"
    verdict = puzzle.check()
    assert verdict.misconception == "`if` on a tensor"
    assert verdict.says.startswith("your program stops at `y = t if m else -t`: it stopped with RuntimeError")
