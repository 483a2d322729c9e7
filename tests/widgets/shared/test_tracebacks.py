"""An error in a notebook ends at the learner's own line; the whole way is kept for those who ask for it."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit_widgets as tkw
from tensorkit_widgets.tracing import magic
from tensorkit_widgets.widget import tracebacks


@pytest.fixture
def said(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the shell shows of errors."""
    shown: list[str] = []
    monkeypatch.setattr(
        shell, "_showtraceback", lambda _kind, _error, lines: shown.append("\n".join(lines)), raising=False
    )
    shell.user_ns["tkw"] = tkw
    tracebacks.shorten(shell)
    yield shown
    for name in ("last_traceback", "last_value", "last_type", "last_exc"):
        if hasattr(sys, name):
            monkeypatch.delattr(sys, name)


def files(shown: str) -> list[str]:
    """The files that a shown traceback names; a cell is none."""
    return re.findall(r"File .*?([\w.]+\.py)", re.sub(r"\x1b\[[\d;]*m", "", shown))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("tk.ones(2, 3).view(-1, -1)", "only one dimension can be inferred"),
        ("tk.ones(2, 3).t().view(-1)", "view size is not compatible"),
        ("tk.ones(2, 3) @ tk.ones(2, 3)", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("tk.tensor([[1, 2], [3]])", "expected sequence of length 2 at dim 1 (got 1)"),
        ("tkw.StrideExplorer(tk.ones(2), '.view(3)')", "shape '[3]' is invalid for input of size 2"),
        ("sorted([1, 2], key=lambda n: tk.ones(n).view(5))", "shape '[5]' is invalid"),
    ],
)
def test_only_the_learners_lines_are_shown(
    shell: InteractiveShell, said: list[str], code: str, sentence: str
) -> None:
    outcome = shell.run_cell(code)
    [shown] = said
    assert files(shown) == []
    assert sentence in shown
    assert sentence in str(outcome.error_in_exec)


@pytest.mark.parametrize(
    "code",
    ["x = tk.ones(2, 3).t()\nx.view(-1)", "def flat(y):\n    return y.view(-1)\nflat(tk.ones(2, 3).t())"],
)
def test_a_cell_that_is_explained_shows_no_more_than_a_plain_one(
    shell: InteractiveShell, said: list[str], code: str
) -> None:
    magic.register(shell)
    shell.run_cell(f"%%explain\n{code}")
    [shown] = said
    assert files(shown) == []
    assert "view size is not compatible" in shown
    assert code.splitlines()[-1] in re.sub(r"\x1b\[[\d;]*m", "", shown)


def test_the_whole_way_is_kept(shell: InteractiveShell, said: list[str]) -> None:
    shell.run_cell("tk.ones(2, 3).view(-1, -1)")
    assert "sizes.py" in {
        path.filename.rpartition("/")[2] for path in traceback.extract_tb(sys.last_traceback)
    }
    shell.run_cell("%tb")
    assert "sizes.py" in files(said[1])


def test_what_is_no_error_of_ours_is_shown_whole(shell: InteractiveShell, said: list[str]) -> None:
    shell.run_cell("import json; json.loads('{')")
    assert "decoder.py" in files(said[0])


def test_another_way_of_showing_errors_is_left_alone(shell: InteractiveShell) -> None:
    told: list[str] = []
    shell.set_custom_exc(
        (Exception,), lambda _shell, _kind, error, _trace, tb_offset=None: told.append(str(error))
    )
    tracebacks.shorten(shell)
    shell.run_cell("1 / 0")
    assert told == ["division by zero"]
