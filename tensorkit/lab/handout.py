"""A lesson to hand out: its saved notebook as a page that can be printed, with the answers or with lines to write on.

| in the notebook | on the page | for the audience |
|---|---|---|
| a cell ``after`` a prediction or with ``"answers": true`` in its metadata, a fold | open | lines to write on |
| a question or an exercise of the kit | as the stage asks it, not answered | the same, and lines |
| a question of your own | as it was saved | the same, and lines; left out when it was answered |
| the cell that checks an exercise | lines to write on | the same |
| notes, comments, ``progress()`` | left out | left out |

Nothing is run. nbconvert makes the page, with the template in `jupyter/nbconvert`; a browser that is here prints it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from tensorkit.process.whole_file import beside

from .errors import LabError, refused
from .files import notebook_cells, read_notebook, title_of
from .lessons import lesson_source
from .present import find_talk
from .server import require_lab

Cell = dict[str, Any]

_TEMPLATES = Path(__file__).resolve().parent / "jupyter" / "nbconvert" / "templates"
_BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)  # fmt: skip
_HEADLESS = ("--headless", "--no-first-run", "--no-pdf-header-footer", "--virtual-time-budget=10000")
_PATIENCE_S = 90

_CARD = re.compile(r"\b(?:Predict|Quiz|Exercise|Parsons|Restricted|Ladder)\(")
_NAMED = re.compile(rf'{_CARD.pattern}(?:"[\w.]+"|\d+)')
_ANSWERED = re.compile(r"tk-(?:verdict|earlier|hints|given)\b|>A solution<")
_KEPT = re.compile(rf"^(\w+) = {_CARD.pattern}", re.M)
_OWN_RECORD = re.compile(r"\s*(?:progress|review|sitting)\([^()]*\)\s*")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_FOLD = re.compile(r"<details[^>]*>\s*(?:<summary>(.*?)</summary>)?(.*?)</details>", re.S)
_STILL = '<div class="tk-still"'
_LIVE = "application/vnd.jupyter.widget-view+json"
_LINES = '<div class="tk-lines" role="note" aria-label="Room to write"><i></i><i></i><i></i></div>'


def write_pages(lesson: str, folder: Path, *, audience: bool) -> list[str]:
    """Write a lesson as HTML into `folder`, and as PDF where a browser can print it.

    Args:
        lesson: a lesson by its name or number, or a notebook in `folder`.
        folder: the learner's folder; a lesson that is not in it is the kit's own.
        audience: leave the answers out.

    Returns:
        A report: the files that were written, and what is missing.

    Raises:
        LabError: when there is no such lesson, it cannot be read, or the folder cannot be written.
    """
    require_lab(["nbconvert"])
    notebook = find_talk(lesson, folder)
    source = notebook if notebook.is_file() else lesson_source() / notebook.name
    read_notebook(source)  # a damaged file is reported in a sentence
    cells, said = on_paper(notebook_cells(source), _questions(), audience=audience)
    target = folder / f"{notebook.stem}_handout{'_audience' if audience else ''}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with beside(target) as path:
            path.write_text(_html(cells, source), encoding="utf-8")
    except OSError as error:
        raise LabError(refused(error, target)) from error
    return [str(target), _print(target), *said]


def on_paper(
    cells: Iterable[Cell], questions: Mapping[str, list[Cell]], *, audience: bool
) -> tuple[list[Cell], list[str]]:
    """The cells of the page, and a sentence for each kind of thing that is missing on it.

    Args:
        cells: the notebook's.
        questions: what the kit's questions show before they are answered, by the call that asks them.
        audience: leave the answers out.

    Examples:
        >>> asked = {"cell_type": "code", "source": "Predict('5?', answer=5)", "metadata": {}, "outputs": []}
        >>> answer = {"cell_type": "markdown", "source": "Five.", "metadata": {"tensorkit": {"after": "5?"}}}
        >>> [cell["source"] for cell in on_paper([asked, answer], {}, audience=False)[0]]
        ["Predict('5?', answer=5)", 'Five.']
        >>> "Five" in str(on_paper([asked, answer], {}, audience=True))
        False
    """
    cells = list(cells)
    names = {name for cell in cells for name in _KEPT.findall(cell["source"])}
    check = re.compile(rf"\b(?:{'|'.join(names) or '(?!)'})\.check\(")
    shown = [one for cell in cells for one in _shown(cell, questions, check, audience)]
    page = [
        cell
        for before, cell in pairwise([{"source": ""}, *shown])
        if cell["source"] != _LINES or before["source"] != _LINES  # once for all cells of an answer
    ]
    said = []
    if not_run := sum(cell.get("execution_count", 0) is None and not cell["outputs"] for cell in page):
        which = "1 cell was" if not_run == 1 else f"{not_run} cells were"
        said.append(
            f"{which} not run when the notebook was saved; run all cells and save it to have their outputs here."
        )
        page.insert(0, _markdown(f'<p class="tk-missing">{said[0]}</p>'))
    if left_out := sum("left_out" in cell["metadata"] for cell in shown):
        which = "1 question of your own was" if left_out == 1 else f"{left_out} questions of your own were"
        said.append(
            f"{which} left out, saved with an answer or never run; ask again (Ask me again) and save."
        )
    return page, said


def _shown(
    cell: Cell, questions: Mapping[str, list[Cell]], check: re.Pattern[str], audience: bool
) -> Iterator[Cell]:
    """What the page shows for a cell."""
    text, settings = cell["source"], cell["metadata"].get("tensorkit")
    if cell["cell_type"] == "markdown":
        text = _unfolded(_COMMENT.sub("", text), audience)
    if not text.strip() or cell["cell_type"] == "raw" or _OWN_RECORD.fullmatch(text):
        return
    if audience and isinstance(settings, dict) and (settings.get("after") or settings.get("answers")):
        yield _markdown()
    elif cell["cell_type"] == "markdown":
        yield {**cell, "source": text, "metadata": {}}  # with what is attached to it
    elif check.search(text):
        yield _markdown()
    else:
        outputs = list(_stills(cell["outputs"]))
        if not _CARD.search(text) and not any(map(_is_card, outputs)):
            yield {**cell, "outputs": outputs, "metadata": {}}
            return
        known = [output for call in _NAMED.findall(text) for output in questions.get(call, ())]
        if not known and audience and (not outputs or _ANSWERED.search(str(outputs))):
            yield _markdown(left_out=True)
            return
        # The question is there to be read, and its call may hold the answer.
        hidden = {"transient": {"remove_source": True}} if known or outputs else {}
        yield {**cell, "outputs": known or outputs, "metadata": hidden}
        if audience:
            yield _markdown()


def _markdown(text: str = _LINES, **marks: bool) -> Cell:
    return {"cell_type": "markdown", "source": text, "metadata": dict(marks)}


def _unfolded(markdown: str, audience: bool) -> str:
    """Text without folds, which do not open on paper; for the audience, without what was folded away."""

    def opened(fold: re.Match[str]) -> str:
        title = "" if fold[1] in (None, "Show") else f"**{fold[1]}**"
        return f"\n\n{_LINES}\n\n" if audience else f"\n\n{title}\n\n{fold[2]}\n\n"

    return _FOLD.sub(opened, markdown).strip()


def _stills(outputs: Iterable[Cell]) -> Iterator[Cell]:
    """Outputs without what is alive only in a notebook: a picture of the kit follows as one that can be printed."""
    for output in outputs:
        data = {kind: value for kind, value in output.get("data", {}).items() if kind != _LIVE}
        if "data" not in output:
            yield output
        elif data:
            yield {**output, "data": data}


def _is_card(output: Cell) -> bool:
    return str(output.get("data", {}).get("text/html", "")).startswith(_STILL)


def _questions() -> dict[str, list[Cell]]:
    """What the kit's questions look like unanswered, with the options in the order of the stage."""
    found: dict[str, list[Cell]] = {}
    for path in sorted(lesson_source().glob("*.ipynb")):
        for cell in notebook_cells(path):
            stills = [output for output in cell.get("outputs", ()) if _is_card(output)]
            for call in _NAMED.findall(cell["source"]) if stills else ():
                found.setdefault(call, stills)
    return found


def _html(cells: list[Cell], source: Path) -> str:
    import nbformat
    from nbconvert import HTMLExporter

    texts = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    about = {
        "title": title_of(cells) or source.stem,
        "language_info": {"name": "python"},
        "formulas": any("$" in text for text in texts),
    }
    # Before minor version 5 cells have no ids: the same notebook gives the same page.
    plain = [{key: value for key, value in cell.items() if key != "id"} for cell in cells]
    book = {"cells": plain, "metadata": about, "nbformat": 4, "nbformat_minor": 4}
    exporter = HTMLExporter(
        template_name="tensorkit-handout", extra_template_basedirs=[str(_TEMPLATES)], theme="light",
        exclude_input_prompt=True, exclude_output_prompt=True, exclude_anchor_links=True, embed_images=True,
    )  # fmt: skip
    body, _ = exporter.from_notebook_node(
        nbformat.from_dict(book), {"metadata": {"path": str(source.parent)}}
    )
    return str(body)


def _print(page: Path) -> str:
    """Print a page to PDF with a Chromium, Chrome or Edge, if there is one; gives its name, or the other way."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is not None:
        # As root, in a container, Chromium does not start with its sandbox.
        root = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        pdf = page.with_suffix(".pdf")
        with (
            contextlib.suppress(OSError, subprocess.SubprocessError),  # one that does not print
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        ):
            with beside(pdf) as path:
                places = [f"--user-data-dir={profile}", f"--print-to-pdf={path.resolve()}"]
                line = [browser, *_HEADLESS, *root, *places, page.resolve().as_uri()]
                subprocess.run(line, capture_output=True, check=True, timeout=_PATIENCE_S)
            return str(pdf)
    return "For a PDF, open it in a browser and print it (Ctrl+P, Save as PDF)."
