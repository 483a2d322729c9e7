"""Answers over a restart: the file, its place, damage, several kernels, forgetting, and what `progress()` tells."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit.lab.normalise import execute
from tensorkit_widgets import Exercise, Parsons, Predict, Quiz, forget, progress
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.facts import MISCONCEPTIONS
from tensorkit_widgets.practice.progress_file import ProgressFile, place
from tensorkit_widgets.practice.progress_report import main, misconceptions
from tests.widgets.practice_helpers import HOSTILE, blank_memory, restarted, tags

__all__ = ["blank_memory"]  # a fixture


@pytest.fixture
def file(blank_memory: None, tmp_path: Path) -> Path:
    path = tmp_path / ".tensorkit" / "progress.json"
    session_log.use(ProgressFile(path))
    return path


def answer_everything() -> None:
    Predict("02.write_storage").answer = "Nothing: `t` keeps its own numbers"
    Predict("02.slice_stride").answer = (4, 2)
    t = tk.arange(12.0).view(3, 4)
    exercise = Exercise("03.transpose_by_hand")
    exercise.check(t.view(4, 3), base=t)
    exercise.hint()
    quiz = Quiz("02.layouts")
    quiz.answers = [["`t.t()`", "`t[1:]`"], 8, None, "t[:, 2]"]
    puzzle = Parsons("02.column_sums")
    puzzle.code = "def column_sums(storage, size, stride):\n    sums = []\n    return sums"
    puzzle.check()


def cards() -> list[Any]:
    return [
        Predict("02.write_storage"),
        Predict("02.slice_stride"),
        Exercise("03.transpose_by_hand"),
        Quiz("02.layouts"),
        Parsons("02.column_sums"),
    ]


# ------------------------------------------------------------------ over a restart


@pytest.mark.usefixtures("file")
def test_everything_is_there_after_a_restart() -> None:
    answer_everything()
    before = [(card.html, card.text()) for card in cards()]
    restarted()
    after = cards()
    assert [(card.html, card.text()) for card in after] == before
    assert after[1].answer == (4, 2)
    assert after[2].attempts == 1
    ticked, *others = after[3].answers
    assert set(ticked) == {"`t.t()`", "`t[1:]`"}  # in this learner's order
    assert others == [8, None, "t[:, 2]"]
    assert after[4].indents == (0, 1, 1)


def test_nothing_is_written_before_something_was_answered(file: Path) -> None:
    cards()
    progress()
    assert not file.exists()


def test_the_file_can_be_read_by_a_human(file: Path) -> None:
    answer_everything()
    text = file.read_text(encoding="utf-8")
    whole = json.loads(text)
    assert "on this machine only" in whole["about"]
    assert whole["cards"]["predict 02.write_storage"]["answer"] == "Nothing: `t` keeps its own numbers"
    assert whole["cards"]["predict 02.slice_stride"]["history"][0]["said"] == "`(4, 2)`"
    assert max(map(len, text.splitlines())) < 400
    assert sorted(path.name for path in file.parent.iterdir()) == ["progress.json", "progress.lock"]


def test_asking_again_is_kept_too(file: Path) -> None:
    answer_everything()
    Predict("02.slice_stride").again()
    restarted()
    assert Predict("02.slice_stride").answer is None


@pytest.mark.usefixtures("file")
def test_a_question_of_ones_own_is_known_by_its_text() -> None:
    question = "Why? " * 200
    Predict(question, answer="because").answer = "because"
    restarted()
    assert Predict(question, answer="because").answer == "because"


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("text", [HOSTILE, "\ud800 half", "\x00\x1b[31m", "‮ back", '"}]'])
def test_odd_text_comes_back_as_it_was(text: str) -> None:
    Predict("What?", answer="x").answer = text
    said = Predict("What?", answer="x").answer
    restarted()
    again = Predict("What?", answer="x")
    assert again.answer == said
    assert "script" not in tags(again.html)


@pytest.mark.usefixtures("file")
def test_two_cards_of_one_question_agree() -> None:
    one, other = Predict("02.slice_stride"), Predict("02.slice_stride")
    one.answer = (4, 2)
    assert other.html == one.html
    other.again()
    assert one.answer is None
    assert one.html == other.html


# ------------------------------------------------------------------ damage


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"cards": 3}', '{"cards": {', "\x00\x01", "[" * 100_000]
)
def test_a_damaged_file_is_set_aside_and_said(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content)
    with pytest.warns(UserWarning, match=r"was damaged\. It is now progress\.damaged-1\.json"):
        card = Predict("02.slice_stride")
    assert file.with_name("progress.damaged-1.json").read_text() == content
    card.answer = (4, 2)
    restarted()
    assert Predict("02.slice_stride").answer == (4, 2)
    assert "was damaged" in progress()


def test_several_damaged_files_are_all_kept(file: Path) -> None:
    file.parent.mkdir()
    for number in (1, 2, 3):
        file.write_bytes(b"\xff\xfe" * number)
        with pytest.warns(UserWarning, match=f"damaged-{number}"):
            session_log.file().read()
    assert len(list(file.parent.glob("*damaged*"))) == 3


def test_a_file_of_another_version_is_left_as_it_is(file: Path) -> None:
    file.parent.mkdir()
    content = '{"version": 99, "cards": {"predict 02.slice_stride": {"answer": [4, 2]}}}'
    file.write_text(content)
    card = Predict("02.slice_stride")
    card.answer = (4, 1)
    assert card.answer == (4, 1)
    assert file.read_text() == content
    assert "another version" in progress()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
FIELDS = ["answer", "skipped", "attempts", "solved", "hints", "solution", "verdict", "history", "knows", "said",
          "verdicts", "right", "shown", "placed", "note", "changed"]  # fmt: skip
KEYS = ["predict 02.write_storage", "predict 02.slice_stride", "exercise 03.transpose_by_hand",
        "quiz 02.layouts", "parsons 02.column_sums"]  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8)))
def test_whatever_was_written_into_the_file_by_hand_upsets_nothing(found: dict[str, Any]) -> None:
    class Edited(ProgressFile):
        def read(self) -> dict[str, Any]:
            return found

    session_log.use(Edited(None))
    restarted()
    for card in cards():
        assert card.html
        assert "script" not in tags(card.html)
        card.again()
    progress()
    session_log.use(ProgressFile(None))


def test_a_state_that_no_longer_fits_its_question_is_dropped(file: Path) -> None:
    record = {"said": [1, 2], "verdicts": [None, None], "right": [None, None], "shown": [False, False]}
    ProgressFile(file).write({"quiz 02.layouts": record, "predict 02.write_storage": {"answer": "no option"}})
    assert Quiz("02.layouts").answers == [None] * 4
    assert not Predict("02.write_storage").revealed


# ------------------------------------------------------------------ several kernels


def test_two_kernels_add_to_one_file(file: Path) -> None:
    code = """
import sys
from tensorkit_widgets import Predict
from tensorkit_widgets.practice.session_log import file
assert file().path is not None
for number in range(20):
    Predict(f"{sys.argv[1]} {number}", answer=1).answer = number
"""
    surroundings = {**os.environ, "TENSORKIT_PROGRESS": str(file)}
    kernels = [
        subprocess.Popen([sys.executable, "-c", code, name], env=surroundings)
        for name in ("one", "two", "three")
    ]
    assert [kernel.wait(120) for kernel in kernels] == [0, 0, 0]
    records = ProgressFile(file).read()
    assert len(records) == 60
    assert records["predict two 7"]["answer"] == 7


def test_threads_write_at_once(file: Path) -> None:
    def write(name: int) -> None:
        mine = ProgressFile(file)
        for number in range(10):
            assert mine.write({f"{name} {number}": {"answer": number}})

    threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ProgressFile(file).read()) == 60


def test_a_line_that_moves_does_not_wait_for_the_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_log, "LATER_S", 60.0)
    puzzle = Parsons("02.column_sums")
    for last in range(2, 12):
        puzzle.order = [1, last]
    assert not file.exists()
    restarted()
    session_log.flush()  # as at the end of a kernel
    assert ProgressFile(file).read()["parsons 02.column_sums"]["placed"] == [[1, 0], [11, 0]]
    assert Parsons("02.column_sums").order == (1, 11)


def test_the_last_move_is_written_soon(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for timer in session_log._timers:
        timer.cancel()
        timer.join()
    monkeypatch.setattr(session_log, "LATER_S", 0.01)
    Parsons("02.column_sums").order = [3]
    until = time.monotonic() + 30
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.01)
    restarted()
    assert Parsons("02.column_sums").order == (3,)


def test_the_history_of_one_question_in_two_kernels_is_joined(file: Path) -> None:
    def event(at: str) -> dict[str, Any]:
        return {"at": at, "said": at, "correct": False, "misconception": ""}

    ProgressFile(file).write({"k": {"answer": 1, "history": [event("1"), event("3")]}})
    ProgressFile(file).write({"k": {"answer": 2, "history": [event("2"), event("3")]}})
    record = ProgressFile(file).read()["k"]
    assert record["answer"] == 2
    assert [one["at"] for one in record["history"]] == ["1", "2", "3"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_crash_while_writing_leaves_the_old_file_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    answer_everything()
    before = file.read_bytes()

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    Predict("02.slice_stride").answer = (9, 9)
    assert file.read_bytes() == before
    assert Predict("02.slice_stride").answer == (9, 9), "the session goes on"
    assert "no space left on device" in progress()
    assert not list(file.parent.glob("*.part"))


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, where a folder is wanted")
    session_log.use(ProgressFile(tmp_path / "taken" / "progress.json"))
    answer_everything()
    assert Exercise("03.transpose_by_hand").attempts == 1
    assert "answers last for this session" in progress()


def a_session() -> str:
    """Questions are answered and forgotten: what `progress` tells between."""
    answer_everything()
    assert Predict("02.slice_stride").answer == (4, 2), "the session goes on"
    return progress() + forget()


@pytest.mark.parametrize("place", ["pipe", "~nosuchuser/answers.json", "1"])
def test_what_is_no_place_for_answers_is_left_alone_and_nothing_fails(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TENSORKIT_PROGRESS=/dev/null, as an administrator, renamed the device, and a pipe was waited for."""
    os.mkfifo(pipe := tmp_path / "pipe")
    monkeypatch.setenv("TENSORKIT_PROGRESS", str(pipe) if place == "pipe" else place)
    if place == "1":
        monkeypatch.setattr(Path, "cwd", Path("no such folder").resolve(strict=False).readlink)
    session_log.use(None)
    with pytest.warns(UserWarning, match="it is no regular file|is no place for answers") as said:
        told = a_session()
    assert "session" in told
    assert len(said) == 1
    assert [(path.name, path.is_fifo()) for path in tmp_path.iterdir()] == [("pipe", True)]


# ------------------------------------------------------------------ where it is, and where it is not


def test_the_file_lies_beside_the_notebook(tmp_path: Path) -> None:
    session = {"JPY_SESSION_NAME": str(tmp_path / "mine" / "02.ipynb")}
    (tmp_path / "mine").mkdir()
    assert place(session, True) == tmp_path / "mine" / ".tensorkit" / "progress.json"
    assert place({}, True) == Path.cwd() / ".tensorkit" / "progress.json"
    assert place({"JPY_SESSION_NAME": "/no/such/folder/x.ipynb"}, True) == place({}, True)


def test_all_notebooks_of_a_delivered_folder_share_one_file(tmp_path: Path) -> None:
    deep = tmp_path / "lessons" / "extra" / "more"
    deep.mkdir(parents=True)
    (tmp_path / "lessons" / ".tensorkit").mkdir()
    (tmp_path / "lessons" / ".tensorkit" / "delivered.json").write_text("{}")
    session = {"JPY_SESSION_NAME": str(deep / "x.ipynb")}
    assert place(session, True) == tmp_path / "lessons" / ".tensorkit" / "progress.json"


@pytest.mark.parametrize(
    ("surroundings", "notebook"),
    [
        ({"TENSORKIT_PROGRESS": "0"}, True),
        ({"TENSORKIT_PROGRESS": "off"}, True),
        ({"CI": "true"}, True),
        ({"PYTEST_VERSION": "8.3"}, True),
        ({}, False),
    ],
)
def test_in_tests_scripts_and_on_wish_nothing_is_kept(surroundings: dict[str, str], notebook: bool) -> None:
    assert place(surroundings, notebook) is None


def test_a_wish_wins() -> None:
    assert place({"TENSORKIT_PROGRESS": "1", "CI": "true"}, False) == place({}, True)
    assert place({"TENSORKIT_PROGRESS": "/tmp/mine.json", "CI": "true"}, False) == Path("/tmp/mine.json")


def test_the_lessons_are_executed_without_anybodys_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENSORKIT_PROGRESS", "1")
    source = "from tensorkit_widgets.practice.session_log import file; print(file().path)"
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
    done = execute({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, tmp_path)
    assert "".join(done["cells"][0]["outputs"][0]["text"]) == "None\n"
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ telling


@pytest.mark.usefixtures("file")
def test_a_misconception_is_met_and_dissolved() -> None:
    card = Predict("02.slice_stride")
    card.answer = (4, 1)
    [met] = misconceptions(session_log.everything())
    assert (met.name, met.times, met.dissolved) == ("a step multiplies the stride", 1, False)
    assert "still open: 02 · t is tk.arange(12.0).view(3, 4)" in progress()
    card.again()
    card.answer = (8, 2)
    card.again()
    card.answer = (4, 2)
    [met] = misconceptions(session_log.everything())
    assert (met.times, met.dissolved) == (2, True)
    assert "met twice, dissolved" in progress()
    assert MISCONCEPTIONS["a step multiplies the stride"] in progress()
    assert "not as predicted at first, right since" in progress()
    restarted()
    assert "met twice, dissolved" in progress(), "over a restart too"


def test_another_question_may_dissolve_it_and_a_relapse_opens_it() -> None:
    Predict("02.slice_stride").answer = (4, 1)
    quiz = Quiz("02.layouts")
    quiz.answer(3, (8, 1))
    assert all(met.dissolved for met in misconceptions(session_log.everything()))
    quiz.answer(3, (4, 1))
    assert not any(met.dissolved for met in misconceptions(session_log.everything()))


@pytest.mark.usefixtures("file")
def test_a_prediction_shows_what_was_said_before() -> None:
    card = Predict("02.slice_stride")
    card.answer = (4, 1)
    assert "You said (4, 1). " in card.text()
    assert "It is (4, 2). " in card.text()
    assert "(a step multiplies the stride)" in card.text()
    restarted()
    card = Predict("02.slice_stride")
    card.again()
    assert "Before" not in card.text(), "not before it is answered"
    card.answer = (4, 2)
    wanted = "Before, you had said: (4, 1). Behind it: a step multiplies the stride."
    assert card.text().endswith(wanted)
    assert "Before, you had said: <code>(4, 1)</code>" in card.html


def tables(page: str) -> str:
    """The page without its picture of the course."""
    return re.sub(r"<p><svg.*?</svg></p>", "", page)


def test_without_a_file_progress_tells_of_this_session() -> None:
    assert progress() == "No card has been answered yet."
    Exercise("02.find_the_slot")
    said = f"**02 · Storage and strides**\n\n    {'Find the slot':<52}  open, 0 attempts"
    assert progress() == said


def test_a_card_that_only_shows_how_it_works_leaves_no_trace(file: Path) -> None:
    t = tk.arange(12.0).view(3, 4)
    shown = Exercise("03.transpose_by_hand", record=False)
    assert not shown.check(t.view(4, 3), base=t)
    assert "1 attempt so far" in shown.text()
    assert progress() == "No card has been answered yet."
    assert not file.exists()
    mine = Exercise("03.transpose_by_hand")
    assert mine.attempts == 0
    assert mine.check(t.t(), base=t)
    assert not shown.solved
    assert "solved in 1 attempt" in progress()


def test_running_the_gallery_answers_no_card(root: Path) -> None:
    cells = json.loads((root / "notebooks" / "gallery.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert re.findall(r"^(?!#).*\.check\(|\.answer = |\.answers = ", code, re.MULTILINE)
    made = re.findall(r"^exercise = (Exercise\(.*)", code, re.MULTILINE)
    assert [line for line in made if "record=False" not in line] == []
    assert "predicted.answer" not in code
    assert "quiz.answer" not in code
    assert "puzzle.check" not in code


# ------------------------------------------------------------------ forgetting


def test_forgetting_deletes_the_file_and_asks_the_cards_anew(file: Path) -> None:
    answer_everything()
    card = Predict("02.slice_stride")
    said = forget()
    assert not file.exists()
    assert str(file) in said
    assert card.answer is None
    assert 'data-state="open"' in card.html
    assert "1 attempt" not in progress()
    assert "as predicted" not in progress()
    assert "Kept in" not in progress()
    card.answer = (4, 1)
    assert card.answer == (4, 1)
    restarted()
    assert Predict("02.slice_stride").answer == (4, 1)
    assert forget() == f"1 card forgotten, and {file} is deleted."
    assert forget() == "There was nothing to forget."


def test_one_question_or_one_lesson_may_be_forgotten(file: Path) -> None:
    answer_everything()
    Predict("18.accumulate").answer = 3
    assert "1 card forgotten" in forget("02.slice_stride")
    assert len(ProgressFile(file).read()) == 5
    assert "3 cards forgotten" in forget("02")
    assert "1 card forgotten" in forget("03")
    assert list(ProgressFile(file).read()) == ["predict 18.accumulate"]


def test_progress_may_reset(file: Path) -> None:
    answer_everything()
    assert "forgotten" in progress(reset=True)
    assert not file.exists()


def test_the_command_tells_and_forgets(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer_everything()
    restarted()
    assert main([str(file.parent.parent)]) == 0
    assert "Transpose by hand" in capsys.readouterr().out
    assert main([str(file.parent.parent), "--forget"]) == 0
    assert "is deleted" in capsys.readouterr().out
    assert not file.exists()


def test_a_file_in_place_of_the_folder_is_one_line(tmp_path: Path, capsys: Any) -> None:
    (file := tmp_path / "file").write_text("")
    for words in ([str(file)], [str(file), "--forget"]):
        assert main(words) == 1
        assert capsys.readouterr() == ("", f"{file} is a file, not a folder; name another.\n")
    assert main(["--froget"]) == 2
    assert "unrecognized arguments: --froget" in capsys.readouterr().err


def test_the_command_line_has_it(file: Path, root: Path) -> None:
    answer_everything()
    words = [sys.executable, "-m", "tensorkit.cli", "progress", file.parent.parent]
    done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False, timeout=120)
    assert done.stderr == ""
    assert "Misconceptions met" in done.stdout
