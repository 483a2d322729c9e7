"""`tensorkit handout`: a lesson on paper, and what the audience's copy must not tell."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit import cli
from tensorkit.lab import handout
from tensorkit_widgets import Predict
from tensorkit_widgets.practice.catalogue import find_question, find_task

bs4 = pytest.importorskip("bs4")

Cell = dict[str, Any]
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
ALL = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
LESSONS = ALL if os.environ.get("TENSORKIT_WALK") == "all" else ["02_storage_and_strides", "webinar"]
LEAST = 12
"""How long a line of an answer is that is not elsewhere by accident."""
BY_HAND = "For a PDF, open it in a browser and print it (Ctrl+P, Save as PDF)."


@pytest.fixture(autouse=True)
def no_browser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTML alone, but where the PDF is what is asked: printing takes seconds."""
    if "browser" not in request.keywords:
        monkeypatch.setattr(handout, "_BROWSERS", ())


def page_of(lesson: str, folder: Path, *, audience: bool) -> str:
    """What a reader reads on the page of a lesson, the words of its pictures too."""
    html = Path(handout.write_pages(lesson, folder, audience=audience)[0]).read_text(encoding="utf-8")
    soup = bs4.BeautifulSoup(html, "html.parser")
    main = soup.find("main")
    alts = [image.get("alt", "") for image in main.find_all("img")]
    return words(" ".join([str(soup.title.string), main.get_text(), *alts]))


def words(text: str) -> str:
    """Text as a page and its source have it alike: without emphasis, and without blanks, which a page sets again."""
    return unicodedata.normalize("NFKC", re.sub(r"[*`\s]", "", text))  # the printer joins f and i


def joined(text: Any) -> str:
    return "".join(text) if isinstance(text, list) else str(text)


def lines(cell: Cell, *, twins: bool = False) -> Iterator[str]:
    """What a cell says, line by line: its source, what it printed, its pictures' words, and with `twins` their text."""
    texts = [joined(cell["source"])]
    for output in cell.get("outputs", ()):
        html, twin = (joined(output.get("data", {}).get(kind, "")) for kind in ("text/html", "text/plain"))
        texts += [
            joined(output.get("text", "")),
            *re.findall(r'alt="([^"]*)"', html),
            *([twin] * (twins or not html)),
        ]
    yield from (
        line
        for text in texts
        for line in map(words, re.sub(r"^\s*[-#>|]+", "", text, flags=re.M).splitlines())
        if len(line) >= LEAST
    )


def only_answers_say(cells: list[Cell]) -> list[str]:
    """The lines that only answers have: the cells that wait for a prediction, and what is folded away."""
    fold = re.compile(r"<details>.*?</summary>(.*?)</details>", re.S)
    told: list[str] = []
    elsewhere: list[str] = []
    for cell in cells:
        about, source = cell["metadata"].get("tensorkit", {}), joined(cell["source"])
        folded = fold.findall(source) if cell["cell_type"] == "markdown" else []
        told += [line for part in folded for line in lines({"source": part})]
        if not about.get("after") and not about.get("answers"):
            elsewhere += lines({**cell, "source": fold.sub("", source)}, twins=True)
        elif not folded:
            told += lines(cell)
    rest = " ".join(elsewhere)
    return [line for line in told if line not in rest]


def of_the_kit(lesson: str) -> tuple[list[Cell], str]:
    cells = json.loads((NOTEBOOKS / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
    return cells, "\n".join(joined(cell["source"]) for cell in cells)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_audience_reads_no_answer_and_the_speaker_reads_all(lesson: str, tmp_path: Path) -> None:
    cells, source = of_the_kit(lesson)
    answers = only_answers_say(cells)
    theirs, mine = (page_of(lesson, tmp_path, audience=audience) for audience in (True, False))
    assert [line for line in answers if line in theirs] == []
    seen = [line for line in answers if line in mine]
    assert len(seen) >= 0.8 * len(answers), set(answers) - set(seen)  # the rest has links, tables, bullets
    for asked in map(find_question, re.findall(r'^(?:\w+ = )?Predict\("(\d\d\.\w+)"\)', source, re.M)):
        assert words(asked.ask.split(". ")[0]) in theirs
        assert not asked.why or words(asked.why) not in theirs
    for name in re.findall(r'\bExercise\("(\d\d\.\w+)"\)', source):
        hints = [words(hint) for hint in find_task(name).hints if words(hint) not in words(source)]
        assert not [hint for hint in hints if len(hint) >= LEAST and hint in theirs + mine]
    spoken = [joined(cell["metadata"].get("tensorkit", {}).get("notes", "")) for cell in cells]
    assert not [line for text in spoken for line in lines({"source": text}) if line in theirs + mine]


def cell(source: str, *outputs: Cell, after: str = "", run: int | None = 1) -> Cell:
    about = {"tensorkit": {"after": after, "notes": "say it slowly"}} if after else {}
    return {
        "cell_type": "code", "source": source, "metadata": about, "execution_count": run, "outputs": list(outputs)
    }  # fmt: skip


def text(source: str, **about: Any) -> Cell:
    return {"cell_type": "markdown", "source": source, "metadata": {"tensorkit": about}}


def shown(card: Predict) -> list[Cell]:
    """A card as JupyterLab saves it: the live view, and the still."""
    still = {"text/html": card.static_html(), "text/plain": card.text()}
    live = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}
    return [{"output_type": "display_data", "data": data, "metadata": {}} for data in (live, still)]


def write(folder: Path, *cells: Cell) -> None:
    book = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (folder / "mine.ipynb").write_text(json.dumps(book), encoding="utf-8")


OWN = {"options": ("red", "green"), "answer": "green", "order": "given", "why": "Leaves are."}


def test_a_talk_of_ones_own(tmp_path: Path) -> None:
    """Its own questions, answered ones too; a question of the kit that its speaker has answered; what no page shows."""
    answered, kits = Predict("What colour were leaves?", **OWN), Predict("02.alias")  # type: ignore[arg-type]
    for card in (answered, kits):
        card.skip()
    try:
        write(
            tmp_path,
            text("# My *talk*\n<!-- notes: wave -->\nHello. ![](there.png)"),
            cell('Predict("What colour is a leaf?", answer="green")', *shown(Predict("What colour is a leaf?", **OWN))),  # type: ignore[arg-type]
            cell("print('leaf')", {"output_type": "stream", "name": "stdout", "text": "it is green\n"}, after="x"),
            text("So it is green.", after="x"),
            cell('Predict("What colour were leaves?", answer="green")', *shown(answered)),
            cell('q = Predict("02.alias")\nq', *shown(kits)),
            cell('ex = Exercise("02.find_the_slot")'),
            cell("found = 9  # my solution\nex.check(found)"),
            cell("spelling.check(t)"),
            text("Is it? <details><summary>Why</summary>\n\nChlorophyll.\n\n</details>"),
            text("In short: green.", answers=True),
            cell("progress()", {"output_type": "stream", "name": "stdout", "text": "12 of 40"}),
        )  # fmt: skip
    finally:
        for card in (answered, kits):
            card.again()
    (tmp_path / "there.png").write_bytes(b"\x89PNG")
    theirs, mine = (page_of("mine", tmp_path, audience=audience) for audience in (True, False))
    either = (
        "What colour is a leaf? A red B green",
        "u[0, 0] = 99.0. What happens to t? A",
        "spelling.check(t)",
    )
    neither = "wave", "slowly", "my solution", "12 of 40", "answer="
    one = "it is green", "Chlorophyll", "Leaves are", "In short", "print("
    for page in (theirs, mine):
        assert page.startswith(words("My talk My talk Hello."))
        assert [wanted for wanted in either if words(wanted) not in page] == []
        assert [kept for kept in neither if words(kept) in page] == []
    assert [answer for answer in one if words(answer) in theirs] == []
    assert [answer for answer in one if words(answer) not in mine] == []
    assert [page.count("Skipped") for page in (theirs, mine)] == [0, 1], (
        "the question of the kit has no answer on either"
    )
    [said] = handout.write_pages("mine", tmp_path, audience=True)[2:]
    assert said.startswith(
        "1 question of your own was left out, saved with an answer or never run; ask again"
    )
    html = (tmp_path / "mine_handout_audience.html").read_text(encoding="utf-8")
    assert "wave" not in html
    assert 'src="data:image/png;base64,' in html, "the picture beside it is in it"
    assert not re.search(r'<script|(?:src|href)="http|url\(["\']?http', html), (
        "it asks the network for nothing"
    )
    lined = [len(one.find_all("i")) for one in bs4.BeautifulSoup(html, "html.parser").select(".tk-lines")]
    assert lined == [3] * 5, (
        "after each question, once for all cells of its answer; in the fold and the summary"
    )


def test_what_was_never_run_says_so_and_keeps_its_answer(tmp_path: Path) -> None:
    write(tmp_path, cell("1 + 1", run=None), cell('Predict("Two?", answer=2)', run=None), text("$e = mc^2$"))
    page = page_of("mine.ipynb", tmp_path, audience=True)
    assert page.startswith(words("mine 1 cell was not run when the notebook was saved; run all cells"))
    assert words("1 + 1") in page
    assert "Two?" not in page
    assert words("2 cells were not run") in page_of("mine", tmp_path, audience=False)
    assert "MathJax" in (tmp_path / "mine_handout.html").read_text(encoding="utf-8"), "for its formula"


def said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *given: str
) -> tuple[object, list[str]]:
    monkeypatch.setattr("sys.argv", ["tensorkit", "handout", *given])
    with pytest.raises(SystemExit) as left:
        cli.main()
    told = capsys.readouterr()
    return left.value.code, (told.out + told.err).splitlines()


def test_the_command_says_what_it_wrote_or_what_is_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = tmp_path / "new", tmp_path / "file"
    page = folder / "02_storage_and_strides_handout.html"
    assert said(capsys, monkeypatch, "02", str(folder)) == (0, [str(page), BY_HAND])
    first = page.read_bytes()
    monkeypatch.setattr(handout, "_BROWSERS", ("false",))  # a browser that does not print
    assert said(capsys, monkeypatch, "2", str(folder)) == (0, [str(page), BY_HAND])
    assert [path.name for path in folder.iterdir()] == [page.name], (
        "no lesson was copied, no half of a PDF is left"
    )
    assert page.read_bytes() == first, "the same bytes every time"
    (folder / "mine.ipynb").write_text("{}")
    file.write_text("")
    for given, sentence in (
        ((str(folder),), f"There is no lesson called {str(folder)!r}; choose one of: "),
        (("mine", str(folder)), f"{folder / 'mine.ipynb'} is no notebook that can be read ("),
        (("02", str(file)), f"{file} is a file, not a folder; "),
    ):
        code, [line] = said(capsys, monkeypatch, *given)
        assert code == 1
        assert line.startswith(sentence)


@pytest.mark.browser
def test_it_is_printed_on_a4_with_its_pictures(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    paper = Path(handout.write_pages("webinar", tmp_path, audience=True)[1])
    assert paper.name == "webinar_handout_audience.pdf"
    pages = pypdf.PdfReader(paper).pages
    assert 5 <= len(pages) <= 12
    assert {tuple(round(float(side) * 25.4 / 72) for side in page.mediabox[2:]) for page in pages} == {
        (210, 297)
    }
    printed = [words(page.extract_text()) for page in pages]
    asked = next(page for page in printed if words("What size is prediction - target?") in page)
    assert words("A column against a row") in asked, "a question is on the page of its heading"
    assert any(words("element [1, 1] lives at") in page for page in printed), "the words in a picture"
    assert [page for number, page in enumerate(printed, 1) if not page.startswith(str(number))] == []
