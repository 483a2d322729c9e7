"""The file that a page gets: what is in it, and that its fronts name what the packages name."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

import tensorkit_widgets
from tensorkit.lab.browser.bundle import write_bundle
from tensorkit_widgets import plots, puzzles
from tensorkit_widgets.page import plots_front, puzzles_front, widgets_front

MOST = 1_400_000
"""Bytes: what a page waits for beside Pyodide's own twelve megabytes. Nearly half of it is the photo of the lessons."""


def test_it_is_small_and_has_no_library_but_traitlets_and_a_front_for_the_photo(bundle: Path) -> None:
    assert bundle.stat().st_size < MOST
    with ZipFile(bundle) as kit:
        assert {name.partition("/")[0] for name in kit.namelist()} == {
            "matplotlib",
            "tensorkit",
            "tensorkit_widgets",
            "traitlets",
        }


def test_it_is_the_same_file_every_time(bundle: Path, tmp_path: Path) -> None:
    one, other = (write_bundle(tmp_path / f"{k}.zip", ["02"]).read_bytes() for k in range(2))
    assert one == other
    assert len(one) < bundle.stat().st_size, "and other lessons are left out"


def test_a_lesson_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"no lessons/lesson99.*two digits"):
        write_bundle(tmp_path / "kit.zip", ["99"])
    assert list(tmp_path.iterdir()) == []


def test_the_fronts_have_every_public_name() -> None:
    hooks = {"load_ipython_extension", "unload_ipython_extension"}
    assert {*widgets_front.PLAYS, *widgets_front.ELSEWHERE} == set(tensorkit_widgets.__all__) - hooks
    assert {*puzzles_front.PLAYS, *puzzles_front.ELSEWHERE} == set(puzzles.__all__)
    assert set(plots_front.ELSEWHERE) == set(plots.__all__)


@pytest.mark.parametrize("name", widgets_front.PLAYS)
def test_what_plays_is_what_the_package_has(name: str) -> None:
    assert getattr(widgets_front, name) is getattr(tensorkit_widgets, name)


def test_a_slip_is_no_name() -> None:
    with pytest.raises(AttributeError, match="StrideExplore'"):
        _ = widgets_front.StrideExplore
