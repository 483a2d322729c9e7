"""Copying lessons: the learner's work is never lost, whatever happens around it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tensorkit.lab.errors import LabError
from tensorkit.lab.lessons import Delivery, deliver, find, lesson_source, reset, state_folder
from tensorkit.lab.present import find_talk


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Three lessons, a picture in a folder, and things that no learner should get."""
    folder = tmp_path / "kit"
    (folder / "figures").mkdir(parents=True)
    (folder / ".ipynb_checkpoints").mkdir()
    for name in ("00_setup_check", "02_storage", "02_storage_more"):
        (folder / f"{name}.ipynb").write_text(f"lesson {name}")
    (folder / "figures" / "a.png").write_bytes(b"picture")
    (folder / ".ipynb_checkpoints" / "00_setup_check.ipynb").write_text("checkpoint")
    (folder / "ERRATA.md").write_text("for teachers")
    (folder / "README.md").write_text("for teachers, too")
    (folder / "screenshots").mkdir()
    (folder / "screenshots" / "readme.png").write_bytes(b"for the README")
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return tmp_path / "a new" / "folder"


def everything(folder: Path) -> dict[str, bytes]:
    """Each visible file of a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".tensorkit" not in path.parts
    }


def test_a_new_folder_gets_every_file_and_nothing_else(source: Path, mine: Path) -> None:
    done = deliver(mine, source)
    names = ["00_setup_check.ipynb", "02_storage.ipynb", "02_storage_more.ipynb", "figures/a.png"]
    assert done == Delivery(copied=names)
    assert done.summary() == "4 files copied."
    assert everything(mine) == {name: (source / name).read_bytes() for name in names}


def test_a_second_run_changes_nothing_and_says_nothing(source: Path, mine: Path) -> None:
    deliver(mine, source)
    before = {path: path.stat().st_mtime_ns for path in mine.rglob("*.ipynb")}
    done = deliver(mine, source)
    assert done == Delivery()
    assert done.summary() == ""
    assert {path: path.stat().st_mtime_ns for path in mine.rglob("*.ipynb")} == before


def test_changed_work_is_kept_even_when_the_lesson_is_newer(source: Path, mine: Path) -> None:
    deliver(mine, source)
    (mine / "02_storage.ipynb").write_text("my work")
    assert deliver(mine, source) == Delivery(kept=["02_storage.ipynb"])
    (source / "02_storage.ipynb").write_text("a newer lesson")
    done = deliver(mine, source)
    assert done == Delivery(kept=["02_storage.ipynb"], outdated=["02_storage.ipynb"])
    assert (mine / "02_storage.ipynb").read_text() == "my work"
    assert "--reset 02_storage.ipynb brings it" in done.summary()


def test_an_untouched_lesson_is_brought_up_to_date(source: Path, mine: Path) -> None:
    deliver(mine, source)
    (source / "02_storage.ipynb").write_text("a newer lesson")
    done = deliver(mine, source)
    assert done == Delivery(updated=["02_storage.ipynb"])
    assert "brought up to date: 02_storage.ipynb" in done.summary()
    assert (mine / "02_storage.ipynb").read_text() == "a newer lesson"
    assert deliver(mine, source) == Delivery()


def test_a_lesson_that_was_only_opened_counts_as_untouched(source: Path, mine: Path) -> None:
    """JupyterLab saves the kernel's version into a notebook that the learner merely looked at."""
    lesson = {"cells": [{"source": ["1 + 1"], "outputs": []}], "metadata": {}}
    (source / "02_storage.ipynb").write_text(json.dumps(lesson))
    deliver(mine, source)
    opened = lesson | {"metadata": {"language_info": {"version": "3.12.1"}}}
    (mine / "02_storage.ipynb").write_text(json.dumps(opened, indent=2))
    (source / "02_storage.ipynb").write_text(json.dumps({"cells": [], "metadata": {}}))
    assert deliver(mine, source) == Delivery(updated=["02_storage.ipynb"])

    ran = {"cells": [{"source": ["1 + 1"], "outputs": ["2"]}], "metadata": {}}
    (mine / "02_storage.ipynb").write_text(json.dumps(ran))
    assert deliver(mine, source).kept == ["02_storage.ipynb"]


def test_a_file_that_was_there_before_the_first_run_is_the_learners(source: Path, mine: Path) -> None:
    mine.mkdir(parents=True)
    (mine / "02_storage.ipynb").write_text("my own notebook of that name")
    done = deliver(mine, source)
    assert done.kept == ["02_storage.ipynb"]
    assert (mine / "02_storage.ipynb").read_text() == "my own notebook of that name"


@pytest.mark.parametrize("record", ["", "{", "[]", "null", '{"02_storage.ipynb": 3}', "[" * 100_000])
def test_a_damaged_record_never_costs_work(source: Path, mine: Path, record: str) -> None:
    deliver(mine, source)
    (mine / "02_storage.ipynb").write_text("my work")
    (state_folder(mine) / "delivered.json").write_text(record)
    (source / "02_storage.ipynb").write_text("a newer lesson")
    deliver(mine, source)
    assert (mine / "02_storage.ipynb").read_text() == "my work"
    assert "00_setup_check.ipynb" in json.loads((state_folder(mine) / "delivered.json").read_text())


def test_a_deleted_lesson_comes_back(source: Path, mine: Path) -> None:
    deliver(mine, source)
    (mine / "02_storage.ipynb").unlink()
    assert deliver(mine, source).copied == ["02_storage.ipynb"]


def test_a_link_of_the_learners_is_left_alone(source: Path, mine: Path, tmp_path: Path) -> None:
    mine.mkdir(parents=True)
    (mine / "02_storage.ipynb").symlink_to(tmp_path / "nowhere")
    assert deliver(mine, source).kept == ["02_storage.ipynb"]
    assert (mine / "02_storage.ipynb").is_symlink()
    assert not (tmp_path / "nowhere").exists()


def test_the_kits_own_folder_is_served_as_it_is(source: Path) -> None:
    before = everything(source)
    assert deliver(source, source) == Delivery()
    assert everything(source) == before
    assert not state_folder(source).exists()


def test_reset_restores_and_keeps_every_earlier_version(source: Path, mine: Path) -> None:
    deliver(mine, source)
    for number, text in enumerate(["first try", "second try"], start=1):
        (mine / "02_storage.ipynb").write_text(text)
        restored, kept = reset("02_storage", mine, source)
        assert restored.read_text() == "lesson 02_storage"
        assert kept is not None
        assert (kept.name, kept.read_text()) == (f"02_storage.mine-{number}.ipynb", text)
    assert deliver(mine, source) == Delivery()


def test_reset_of_an_unchanged_or_missing_lesson_makes_no_second_file(source: Path, mine: Path) -> None:
    deliver(mine, source)
    assert reset("0", mine, source) == reset("00", mine, source) == (mine / "00_setup_check.ipynb", None)
    (mine / "00_setup_check.ipynb").unlink()
    assert reset("00_setup_check.ipynb", mine, source)[1] is None
    assert (mine / "00_setup_check.ipynb").read_text() == "lesson 00_setup_check"
    assert not list(mine.glob("*mine*"))


@pytest.mark.parametrize("name", ["nothing", "", "02", "../02_storage.ipynb/..", "."])
def test_reset_names_the_choices_when_the_name_is_not_one_lesson(source: Path, mine: Path, name: str) -> None:
    with pytest.raises(LabError, match=r"choose one of: 00_setup_check\.ipynb, 02_storage\.ipynb"):
        reset(name, mine, source)


def test_a_damaged_notebook_is_kept_beside_the_restored_one(source: Path, mine: Path) -> None:
    deliver(mine, source)
    for number, text in enumerate(["{", "[" * 100_000, ""], start=1):
        (mine / "02_storage.ipynb").write_text(text)
        _, kept = reset("02_storage", mine, source)
        assert kept == mine / f"02_storage.mine-{number}.ipynb"
        assert (kept.read_text(), (mine / "02_storage.ipynb").read_text()) == (text, "lesson 02_storage")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_what_is_no_file_is_left_alone_and_never_waited_for(source: Path, mine: Path) -> None:
    mine.mkdir(parents=True)
    os.mkfifo(mine / "02_storage.ipynb")
    (mine / "00_setup_check.ipynb").mkdir()
    assert deliver(mine, source).kept == ["00_setup_check.ipynb", "02_storage.ipynb"]
    for name in ("02_storage", "00"):
        with pytest.raises(LabError, match=r"is (a folder|no file); move it away, or name another\."):
            reset(name, mine, source)
    (mine / "02_storage.ipynb").unlink()
    (state_folder(mine) / "delivered.json").unlink()
    os.mkfifo(state_folder(mine) / "delivered.json")
    with pytest.raises(LabError, match=r"delivered\.json is no file; move it away"):
        reset("02_storage", mine, source)


def test_reset_never_writes_into_the_kits_own_folder(source: Path) -> None:
    with pytest.raises(LabError, match=r"git restore 02_storage\.ipynb"):
        reset("02_storage", source, source)


def test_a_file_in_place_of_the_folder_is_told(source: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for folder in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(LabError, match="is a file, not a folder; give another: tensorkit lab FOLDER"):
            deliver(folder, source)


def test_what_is_in_the_way_in_the_folder_is_named_itself(source: Path, mine: Path) -> None:
    mine.mkdir(parents=True)
    (mine / "figures").write_text("my file")
    with pytest.raises(LabError, match=r"figures is a file, not a folder; give another"):
        deliver(mine, source)


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + ".ipynb"])
def test_names_that_are_too_long_are_told(source: Path, mine: Path, name: str) -> None:
    for act in (reset, lambda name, _: find_talk(name, mine), lambda name, _: find(name, source)):
        with pytest.raises(LabError, match="There is no lesson called 'aaa"):
            act(name, mine)
    for act in (lambda: deliver(mine / name, source), lambda: reset("00", mine / name, source)):
        with pytest.raises(LabError, match=r"(?i)cannot write to .*name too long.*; give another"):
            act()


def test_a_folder_that_refuses_is_told(source: Path, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(LabError, match=r"Cannot write to .*folder \(permission denied\); give another"):
        deliver(mine, source)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told(source: Path, mine: Path) -> None:
    mine.mkdir(parents=True)
    mine.chmod(0o500)
    with pytest.raises(LabError, match="permission denied"):
        deliver(mine, source)


def test_a_disk_that_fills_up_leaves_no_half_lesson(
    source: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half-written lesson would count as the learner's work on the next run, and never be repaired."""
    real_open = Path.open

    def open_on_a_full_disk(self: Path, mode: str = "r", *args: object, **kwargs: object) -> object:
        file = real_open(self, mode, *args, **kwargs)  # type: ignore[call-overload]
        if mode == "xb" and self.name == "02_storage.ipynb":
            file.close()
            raise OSError(28, "No space left on device", str(self))
        return file

    monkeypatch.setattr(Path, "open", open_on_a_full_disk)
    with pytest.raises(LabError, match="no space left on device"):
        deliver(mine, source)
    monkeypatch.undo()
    assert not (mine / "02_storage.ipynb").exists()
    assert "02_storage.ipynb" in deliver(mine, source).copied


@pytest.mark.parametrize("when", ["open", "write_bytes"])
def test_an_interrupt_leaves_no_half_lesson(
    source: Path, mine: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    act = getattr(Path, when)

    def interrupted(self: Path, *given: Any, **named: Any) -> object:
        done = act(self, *given, **named)
        if (self.name, *given) == ("02_storage.ipynb", "xb") or given == (b"lesson 02_storage",):
            raise KeyboardInterrupt
        return done

    deliver(mine, source)
    (mine / "00_setup_check.ipynb").write_text("my work")
    (mine / "02_storage.ipynb").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(Path, when, interrupted)
        with pytest.raises(KeyboardInterrupt):
            deliver(mine, source)
    assert not [path for path in mine.iterdir() if "02_storage." in path.name or ".part" in path.name]
    assert deliver(mine, source).copied == ["02_storage.ipynb"]
    assert (mine / "00_setup_check.ipynb").read_text() == "my work"


def test_the_lessons_of_this_checkout_are_found(root: Path) -> None:
    assert lesson_source() == root / "notebooks"
