"""The gallery as nbconvert's page: no kernel, no widget state, and every picture is there with its words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.widgets.gallery import BOARDS

GALLERY = Path(__file__).resolve().parents[3] / "notebooks" / "gallery.ipynb"
CELLS: list[dict[str, Any]] = json.loads(GALLERY.read_text(encoding="utf-8"))["cells"]
PICTURES = len(BOARDS)
CARDS = 4


@pytest.fixture(scope="module")
def page() -> str:
    nbconvert = pytest.importorskip("nbconvert")
    body, _ = nbconvert.HTMLExporter().from_filename(str(GALLERY))
    return str(body)


def test_every_picture_is_there_with_its_words(page: str) -> None:
    found = re.findall(r'<img[^>]*src="data:image/svg\+xml;base64,[^"]+"[^>]*>', page)
    assert len(found) == PICTURES
    assert all(re.search(r'alt="[^"]{20,}"', picture) for picture in found)
    assert len(re.findall(r'src="data:image/png;base64', page)) == 4, "the figures of matplotlib"


def test_nothing_waits_for_a_widget(page: str) -> None:
    assert "application/vnd.jupyter.widget" not in page
    assert "could not be drawn" not in page


def test_every_output_has_a_text_twin_without_addresses() -> None:
    shown = [o for c in CELLS for o in c.get("outputs", []) if "text/html" in o.get("data", {})]
    assert len(shown) >= PICTURES + CARDS
    for output in shown:
        words = "".join(output["data"]["text/plain"])
        assert len(words) > 20
        assert not re.search(r"0x[0-9a-f]{6,}", words), words
