"""The talk's hand-out is one page, says what the engine says, and is the same bytes every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensorkit_widgets.plots import handout
from tensorkit_widgets.plots.figure import KitFigure

SAID = (
    "Where does this number live?",
    "The element [1, 2] lies in slot 0 + 1·4 + 2·1 = 6.",
    "has size (2, 2), stride (4, 2), offset 4.",
    "after u[0, 0] = 99, t[1, 0] is 99.",
    "Strides (4, 1) became (1, 4)",
    "read the same storage",
    "+4, +4, −7 slots",
    "so y.view(-1) is refused",
    "to the stride (3, 1)",
    "(4, 1) minus (4,) is (4, 4)",
    "with the stride (1, 0)",
    "the mean squared error is 10.",
    "y is (2, 2, 2): one storage",
    "x is (3, 3, 3), y still (2, 2, 2)",
    "w.grad is (−4, 6)",
    "loss: 13, then 3.25",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("out") / "handout"
    command = [sys.executable, "-W", "error", "-m", "tensorkit.cli", "handout", "webinar", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [Path(line).name for line in done.stdout.split()] == ["webinar_handout.svg", "webinar_handout.pdf"]
    return place


@pytest.mark.parametrize("words", SAID)
def test_it_says_what_the_engine_says(folder: Path, words: str) -> None:
    pypdf = pytest.importorskip("pypdf")
    [page] = pypdf.PdfReader(folder / "webinar_handout.pdf").pages
    assert words in " ".join(page.extract_text().split())


def test_it_is_one_upright_page_of_a4(folder: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    [page] = pypdf.PdfReader(folder / "webinar_handout.pdf").pages
    assert [round(float(side) * 25.4 / 72) for side in page.mediabox[2:]] == [210, 297]


def test_nothing_lies_outside_of_the_page_or_over_another_line() -> None:
    figure = handout.draw_handout()
    figure.canvas.draw()
    width, height = figure.bbox.width, figure.bbox.height
    boxes = [text.get_window_extent() for text in figure.texts]
    pictures = [axes.get_window_extent() for axes in figure.axes]
    assert len(pictures) == 5
    for box in [*boxes, *pictures]:
        assert box.x0 >= 0.03 * width
        assert box.x1 <= 0.99 * width
        assert box.y0 >= 0.01 * height
    for number, box in enumerate(boxes):
        later = [*boxes[number + 1 :], *pictures]
        assert not any(box.overlaps(other) for other in later), figure.texts[number].get_text()


def test_it_is_the_same_every_time(folder: Path, tmp_path: Path) -> None:
    assert handout.main([str(tmp_path)]) == 0
    for kind in ("svg", "pdf"):
        again = tmp_path / f"webinar_handout.{kind}"
        assert again.read_bytes() == (folder / again.name).read_bytes()


def test_what_is_in_the_way_is_one_line_and_a_full_disk_costs_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for place in ("file", "file/in"):
        assert handout.main([str(tmp_path / place)]) == 1
        assert capsys.readouterr().err == f"{tmp_path / 'file'} is a file, not a folder; name another.\n"
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "webinar_handout.svg"
    mine.write_text("the old one")

    def full(_: object, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(KitFigure, "savefig", full)
    assert handout.main(["."]) == 1
    said = "Cannot write to webinar_handout.svg (no space left on device); make room on the disk, and run it again.\n"
    assert capsys.readouterr().err == said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", mine.name]
    assert mine.read_text() == "the old one"


def test_it_says_what_it_is(folder: Path) -> None:
    svg = (folder / "webinar_handout.svg").read_text(encoding="utf-8")
    assert "<dc:title>Where does this number live?</dc:title>" in svg
    assert "Six panels: slot, slice, transpose" in svg


def test_the_words_of_the_talk_and_of_its_handout_agree(root: Path) -> None:
    talk = (root / "notebooks" / "webinar.ipynb").read_text(encoding="utf-8")
    assert "+4, +4, −7" in talk
    assert "`tensorkit handout`" in talk
