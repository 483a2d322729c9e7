"""`tensorkit export`: what a reader finds on the page before anything plays, and where its Python comes from."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import tarfile
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import cli
from tensorkit.lab.errors import LabError
from tensorkit.lab.export import recordings, runtime, write
from tensorkit.lab.export.page import page_of
from tensorkit.lab.export.recordings import record
from tensorkit_widgets import GraphView
from tests.notebooks.test_reveals import after, cells_of, predictions

bs4 = pytest.importorskip("bs4")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
ALL = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
LESSONS = (
    ALL if os.environ.get("TENSORKIT_WALK") == "all" else ["02_storage_and_strides", "17_images_as_tensors"]
)
MOST_BYTES = 1_500_000
CLOSED = "http://127.0.0.1:9"
"""A port that nothing listens on."""


@functools.cache
def soup_of(lesson: str) -> Any:
    return bs4.BeautifulSoup(page_of(NOTEBOOKS / f"{lesson}.ipynb", assets=""), "html.parser")


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def own(tmp_path: Path, *cells: dict[str, Any]) -> Path:
    """A notebook of one's own."""
    whole = [{"id": f"c{number}", "metadata": {}, **cell} for number, cell in enumerate(cells)]
    path = tmp_path / "mine.ipynb"
    book = {"cells": whole, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def text(source: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": metadata}


def code(source: str, *outputs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": 1, "metadata": metadata,
    }  # fmt: skip


# -- the page as it is read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_has_all_of_the_lesson_and_asks_nobody_for_anything(lesson: str) -> None:
    soup = soup_of(lesson)
    assert len(str(soup).encode()) < MOST_BYTES
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    asked = [part for part in soup.find_all(True) for name in ("src", "srcset", "poster") if part.get(name)]
    asked += soup.find_all("link")
    addresses = [part.get("src") or part.get("href") or part["poster"] for part in asked]
    assert [address[:60] for address in addresses if not address.startswith("data:")] == []
    code_cells = [cell for cell in cells_of(NOTEBOOKS / f"{lesson}.ipynb") if cell["cell_type"] == "code"]
    shown = [words(part.get_text()) for part in soup.select(".lesson-code")]
    assert shown == [words("".join(cell["source"])) for cell in code_cells if "".join(cell["source"]).strip()]
    named = [cell["id"] for cell in code_cells if "".join(cell["source"]).strip()]
    assert [part["id"] for part in soup.select(".lesson-cell")] == named, "a phone opens the page at a cell"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_has_an_outline_and_words_for_every_picture(lesson: str) -> None:
    soup = soup_of(lesson)
    levels = [int(heading.name[1]) for heading in soup.find_all(re.compile(r"^h[1-6]$"))]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert soup.html["lang"] == "en"
    assert soup.title.string.strip() != ""
    assert [str(image)[:80] for image in soup.find_all("img") if not image.get("alt", "").strip()] == []
    stills = soup.select(".lesson-html > img.tk-still")
    assert len(soup.select(".lesson-html + .lesson-twin pre")) == len(stills)


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_answers_a_prediction_is_closed(lesson: str) -> None:
    path, soup = NOTEBOOKS / f"{lesson}.ipynb", soup_of(lesson)
    folds = soup.select("details.lesson-waits")
    assert folds
    assert [str(fold)[:60] for fold in folds if fold.has_attr("open")] == []
    hidden = {id(part) for fold in folds for part in fold.select(".lesson-cell, .lesson-text")}
    waiting = [cell for cell in cells_of(path) if set(after(cell)) & set(predictions(path))]
    assert len(hidden) == len(waiting)
    for fold in folds:
        held = [
            words("".join(cell["source"])) for cell in waiting if " ".join(after(cell)) == fold["data-after"]
        ]
        assert {words(part.get_text()) for part in fold.select(".lesson-code")} <= set(held)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_speakers_notes_stay_in_the_notebook(lesson: str) -> None:
    page = words(str(soup_of(lesson)))
    notes = [
        words(str(part.get("notes", "")))[:60]
        for cell in cells_of(NOTEBOOKS / f"{lesson}.ipynb")
        for part in [
            cell["metadata"].get("tensorkit", {}),
            *cell["metadata"].get("tensorkit", {}).get("scenes", ()),
        ]
    ]
    assert sum(map(bool, notes)) > 5
    assert [note for note in notes if len(note) > 12 and note in page] == []


@pytest.mark.parametrize("scenes", [None, "one", ["one"], [{"name": "one", "step": 1, "notes": "say it"}]])
def test_scenes_go_along_without_the_speakers_notes_however_they_are_written(
    tmp_path: Path, scenes: Any
) -> None:
    page = page_of(own(tmp_path, code("x", tensorkit={"scenes": scenes})), assets="")
    cell = bs4.BeautifulSoup(page, "html.parser").select_one(".lesson-cell")
    meant = isinstance(scenes, list) and isinstance(scenes[0], dict)
    assert json.loads(cell.get("data-scenes", "[]")) == ([{"name": "one", "step": 1}] if meant else [])


def test_a_fold_opens_for_its_own_cards_only_and_says_where_they_are(tmp_path: Path) -> None:
    card = code("Predict('one', answer=1)")
    near, far = (
        text("It is one.", tensorkit={"after": "one"}),
        text("What to keep.", tensorkit={"after": ["one"]}),
    )
    soup = bs4.BeautifulSoup(page_of(own(tmp_path, card, near, text("## Next"), far)), "html.parser")
    summaries = [fold.summary.get_text() for fold in soup.select("details.lesson-waits")]
    assert summaries == [
        "The answer is below. Predict first, or open it here.",
        "What follows gives away the answer to a prediction above. Predict first, or open it here.",
    ]


def test_what_waits_for_a_card_that_is_nowhere_is_shown(tmp_path: Path) -> None:
    soup = bs4.BeautifulSoup(
        page_of(own(tmp_path, text("# A"), text("In sight.", tensorkit={"after": "none"}))), "html.parser"
    )
    assert not soup.select("details")
    assert "In sight." in soup.get_text()


def test_a_notebook_of_ones_own_cannot_bring_scripts_or_live_views(tmp_path: Path) -> None:
    view = {
        "output_type": "display_data", "metadata": {},
        "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "application/javascript": "alert(1)"},
    }  # fmt: skip
    cells = text('# <i>Mine</i> & "yours"'), code("1 < 2", view), {"cell_type": "raw", "source": "raw"}
    page = page_of(own(tmp_path, *cells), assets=None)
    assert "alert" not in page
    assert "raw</" not in page
    assert "script-src" not in page
    assert (
        "1 &lt; 2" in bs4.BeautifulSoup(page, "html.parser").select_one(".lesson-code").decode()
        or "&lt;" in page
    )


def test_links_lead_to_pages_or_nowhere(tmp_path: Path) -> None:
    source = own(
        tmp_path, text("[one](01_a.ipynb#top) and [two](02_b.ipynb) and [web](https://example.org/x.ipynb)")
    )
    soup = bs4.BeautifulSoup(page_of(source, links={"01_a.ipynb": "../01/"}), "html.parser")
    assert [(link["href"], link.get_text()) for link in soup.main.find_all("a")] == [
        ("../01/#top", "one"),
        ("https://example.org/x.ipynb", "web"),
    ]
    assert "one and two and web" in soup.main.get_text()


# -- the command -----------------------------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *line: str) -> tuple[int, str]:
    """What the command says, and its exit status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["tensorkit", "export", *line])
        with pytest.raises(SystemExit) as left:
            cli.main()
    told = capsys.readouterr()
    return int(left.value.code or 0), (told.out + told.err).strip()


def test_a_page_that_is_only_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, told = said(capsys, "2", str(tmp_path), "--no-runtime")
    target = tmp_path / "02_storage_and_strides_page"
    assert (status, told.splitlines()[0]) == (0, str(target / "index.html"))
    assert [path.name for path in target.iterdir()] == ["index.html"]
    page = (target / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<noscript" not in page


@pytest.mark.parametrize(
    ("line", "words_"),
    [
        (["99"], "There is no lesson called '99'"),
        (["2", "--runtime", "nowhere"], "nowhere has no pyodide.js"),
        (["2", "--runtime", "x", "--no-runtime"], "give one of them"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: list[str], words_: str
) -> None:
    status, told = said(capsys, line[0], str(tmp_path), *line[1:])
    assert status == 1
    assert words_ in told
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


# -- the steps of pictures that only the whole engine draws -----------------------------------------------------------


def still(kind: str, count: int = 1) -> list[dict[str, Any]]:
    """Recorded pictures of a widget."""
    html = f'<img class="tk-still" alt="{kind}: x" src="data:image/svg+xml;base64,">'
    data = {"text/html": html, "text/plain": "x"}
    return [{"output_type": "display_data", "metadata": {}, "data": data}] * count


SHOWN = (
    code("import tensorkit as tk\nfrom tensorkit_widgets import *\nx = tk.ones(2, requires_grad=True)"),
    code(""),
    code(
        "display(StrideExplorer(x)); display(GraphView((x * 2).sum()))",
        *still("StrideExplorer"),
        *still("GraphView"),
    ),
    code("1 / 0", tags=["raises-exception"]),
    code("GraphView(x.sum())", *still("GraphView", 2)),  # its file is of another run
)


def test_the_pictures_that_do_not_play_are_kept_step_by_step(tmp_path: Path) -> None:
    source = own(tmp_path, *SHOWN)
    steps = record(source, {"StrideExplorer"})
    assert list(steps) == ["recorded/mine-2-1.html"]
    parts = bs4.BeautifulSoup(steps["recorded/mine-2-1.html"], "html.parser")
    x = tk.ones(2, requires_grad=True)
    graph = GraphView((x * 2).sum())
    widest = max(parts.select("template"), key=lambda one: float(one["data-width"]))["data-width"]
    said = [one["data-said"] for one in parts.select(f'template[data-width="{widest}"]')]
    assert said == [graph.goto(step).frame["facts"]["said"] for step in range(graph.steps + 1)]
    soup = bs4.BeautifulSoup(page_of(source, assets="", recorded=steps), "html.parser")
    marked = soup.select("[data-recorded]")
    assert [one["data-recorded"] for one in marked] == list(steps)
    assert marked[0].img["alt"] == "GraphView: x"


def test_a_lesson_whose_pictures_play_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "_run", None)
    assert record(own(tmp_path, code("1 / 0", *still("StrideExplorer"))), {"StrideExplorer"}) == {}


def test_a_page_is_written_where_a_cell_cannot_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runtime").mkdir()
    for name in runtime.FILES:
        (tmp_path / "runtime" / name).touch()
    own(tmp_path, text("# Mine"), code("x"), code("GraphView(x)", *still("GraphView")))
    status, told = said(capsys, "mine", str(tmp_path), "--runtime", str(tmp_path / "runtime"))
    assert status == 0
    assert "code cell 1 of mine.ipynb could not be run (name 'x' is not defined)" in told
    assert "data-recorded" not in (tmp_path / "mine_page" / "index.html").read_text(encoding="utf-8")


# -- where Python comes from -----------------------------------------------------------------------------------------


def test_the_version_is_the_one_that_the_tests_play() -> None:
    package = json.loads((ROOT / "widgets" / "tests-js" / "package.json").read_text(encoding="utf-8"))
    assert package["devDependencies"]["pyodide"] == runtime.VERSION


def package_of(**changed: bytes) -> bytes:
    """A package as the registry has it, with little in its files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name in runtime.FILES:
            content = changed.get(name, name.encode())
            about = tarfile.TarInfo(f"package/{name}")
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return made.getvalue()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, bytes]]:
    """A registry of one's own: what it gives, by the path that is asked for."""
    given: dict[str, bytes] = {}

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = given.get(self.path)
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(known or b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.delenv("NPM_CONFIG_REGISTRY", raising=False)
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/npm/")
        monkeypatch.setenv("TENSORKIT_CACHE_DIR", str(tmp_path / "caches"))
        yield given
        server.shutdown()


def test_it_is_downloaded_once_and_kept(
    registry: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = package_of()
    registry[f"/npm/pyodide/-/pyodide-{runtime.VERSION}.tgz"] = package
    monkeypatch.setattr(runtime, "_SHA512", base64.b64encode(hashlib.sha512(package).digest()).decode())
    found = runtime.find_runtime()
    assert found == tmp_path / "caches" / f"pyodide-{runtime.VERSION}"
    assert sorted(path.name for path in found.iterdir()) == sorted(runtime.FILES)
    assert (found / "pyodide.js").read_bytes() == b"pyodide.js"
    registry.clear()
    assert runtime.find_runtime() == found


def test_what_has_another_hash_is_not_kept(registry: dict[str, bytes], tmp_path: Path) -> None:
    registry[f"/npm/pyodide/-/pyodide-{runtime.VERSION}.tgz"] = package_of()
    with pytest.raises(LabError, match=r"its hash is another one.*--runtime DIR.*--no-runtime"):
        runtime.find_runtime()
    assert not (tmp_path / "caches").exists()


@pytest.mark.parametrize(
    ("address", "why"), [(CLOSED, "cannot be downloaded"), ("file:///etc", "is no address of a registry")]
)
def test_without_a_network_the_ways_out_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, why: str
) -> None:
    monkeypatch.setenv("TENSORKIT_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("npm_config_registry", raising=False)
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", address)
    with pytest.raises(LabError, match=rf"{why}.*--runtime DIR.*npm pack pyodide@.*--no-runtime"):
        runtime.find_runtime()


def test_a_package_that_is_not_there_is_said(registry: dict[str, bytes]) -> None:
    assert registry == {}
    with pytest.raises(LabError, match=r"cannot be downloaded from .*404"):
        runtime.find_runtime()


def test_one_file_holds_every_file_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.js").write_text("export const a = '</script>';", encoding="utf-8")
    (tmp_path / "code" / "lesson_files.js").write_text("", encoding="utf-8")
    (packed,) = write._packed(tmp_path)
    soup = bs4.BeautifulSoup(packed, "html.parser")
    assert soup.script["data-file"] == "code/a.js"
    assert gzip.decompress(base64.b64decode(soup.script.string)) == b"export const a = '</script>';"
