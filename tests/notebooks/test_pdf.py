"""On paper: nbconvert's PDFs hold every widget's picture (through Chromium) or its words (through LaTeX)."""

from __future__ import annotations

import base64
import functools
import io
import json
import re
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.browser.desk import CUT_OFF
from tests.lab.test_browser import FLAGS
from tests.support.playwright_driver import leave

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [ROOT / "notebooks" / f"{name}.ipynb" for name in ("03_transpose_and_permute", "gallery")]
STILL = re.compile(r'<img class="tk-still[^>]*src="data:image/svg\+xml;base64,([^"]+)"')
SHORT = 6
"""Shorter lines (``dim 0``, ``40``) stand in the text of a notebook too."""


def _plain(text: str) -> str:
    """Without spaces, and with letters in place of the ligatures that a font has for them."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def _code(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def _widgets(path: Path) -> list[dict[str, str]]:
    """The outputs that are a widget's picture or card."""
    data = [output.get("data", {}) for cell in _code(path) for output in cell["outputs"]]
    joined = [{kind: "".join(text) for kind, text in one.items()} for one in data]
    return [one for one in joined if "tk-still" in one.get("text/html", "")]


def _lines(picture: str) -> set[str]:
    """The lines of text that an SVG draws."""
    parts = ElementTree.fromstring(base64.b64decode(picture)).iter()
    texts = (part.text for part in parts if part.tag.endswith(("}text", "}tspan")))
    return {_plain(text) for text in texts if text and len(_plain(text)) > SHORT}


@pytest.mark.browser
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_is_drawn_in_the_pdf_that_chromium_prints(
    path: Path, chromium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off from the network; the words of the pictures are words in the PDF too, whole."""
    leave()  # nbconvert has an event loop of its own
    nbconvert = pytest.importorskip("nbconvert")
    pypdf = pytest.importorskip("pypdf")
    browsers = pytest.importorskip("playwright.async_api").BrowserType
    launch = functools.partialmethod(browsers.launch, executable_path=chromium)
    monkeypatch.setattr(browsers, "launch", launch)
    exporter = nbconvert.WebPDFExporter(disable_sandbox=True, browser_args=[*FLAGS, CUT_OFF])
    typed = _plain("".join("".join(cell["source"]) for cell in _code(path)))
    pictures = [_lines(found) for one in _widgets(path) for found in STILL.findall(one["text/html"])]
    assert len(pictures) >= 5
    assert all(any(line not in typed for line in lines) for lines in pictures)

    # Chromium prints when the network has been idle for a while: on a busy machine before the last picture is there.
    for _ in range(3):
        printed, _ = exporter.from_filename(str(path))
        pages = pypdf.PdfReader(io.BytesIO(printed)).pages
        words = _plain("".join(page.extract_text() for page in pages))
        missing = [line for lines in pictures for line in lines if line not in words]
        if not missing:
            break
    assert missing == []
    assert "Errordisplayingwidget" not in words


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_widget_is_its_words_in_latex(path: Path) -> None:
    """LaTeX knows no HTML: it gets the text twin. The cells of prose are left out: they need pandoc."""
    nbconvert = pytest.importorskip("nbconvert")
    nbformat = pytest.importorskip("nbformat")
    filters = pytest.importorskip("nbconvert.filters")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    source, _ = nbconvert.LatexExporter().from_notebook_node(notebook)
    widgets = _widgets(path)
    assert len(widgets) >= 16
    for one in widgets:
        lines = filters.wrap_text(one["text/plain"], 80).split("\n")
        assert [line for line in lines if filters.escape_latex(line) not in source] == []
    assert "could not be drawn" not in source
