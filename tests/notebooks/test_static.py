"""Without a kernel: nbconvert's page of every notebook shows each widget's picture, with its words beside it."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks.test_reveals import after, cells_of, lessons

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


class Pictures(HTMLParser):
    """The widgets' pictures of a page, and what else it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.alts: list[str] = []
        self.sources: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "img" and "tk-still" in (given.get("class") or ""):
            self.alts.append(given.get("alt") or "")
            self.sources.append((given.get("src") or "")[:26])


@cache
def exporter() -> Any:
    return pytest.importorskip("nbconvert").HTMLExporter()


@cache
def page_of(path: Path) -> str:
    """What `jupyter nbconvert --to html` writes."""
    page, _ = exporter().from_filename(str(path))
    return str(page)


def committed(path: Path) -> int:
    """How many pictures the notebook itself holds."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [out for cell in cells for out in cell.get("outputs", ())]
    return sum(
        "".join(out.get("data", {}).get("text/html", "")).count('<img class="tk-still') for out in outputs
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nbconverts_page_shows_every_picture(path: Path) -> None:
    page = page_of(path)
    found = Pictures(page)
    assert len(found.alts) == committed(path)
    assert all(found.alts), "each has its words"
    assert set(found.sources) <= {"data:image/svg+xml;base64,"}
    assert "could not be drawn" not in page
    assert "Error displaying widget" not in page


@lessons
def test_an_exported_page_has_each_answer_behind_a_closed_show(path: Path) -> None:
    page = page_of(path)
    texts = [cell for cell in cells_of(path) if cell["cell_type"] == "markdown" and after(cell)]
    assert len(re.findall(r"<details>\s*<summary>Show</summary>", page)) == len(texts)
    asides = len(re.findall(r"<details[^>]*>\s*<summary[^>]*>What is simulated\?", page, re.IGNORECASE))
    assert page.count("</details>") == len(texts) + asides
    assert "<details open" not in page
