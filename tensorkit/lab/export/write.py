"""`tensorkit export`: a lesson as one folder, or as one file, that any browser shows and plays.

| in the folder | |
|---|---|
| `index.html` | the page: all that is read |
| `code/` | the scripts of the page and of the kit's pictures |
| `python/` | Python in WebAssembly, and `kit.zip`: the kit's own Python; compressed, for few servers do that |
| `recorded/` | the steps of the pictures that only the whole engine draws; compressed |

Nothing of `python/` and `recorded/` is fetched before a picture, a card or a cell is touched. In one file all of it is
there, packed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

from tensorkit.lab.browser.bundle import write_bundle
from tensorkit.lab.errors import LabError, refused
from tensorkit.lab.files import read_notebook
from tensorkit.lab.lessons import lesson_source
from tensorkit.lab.present import find_talk
from tensorkit.lab.server import require_lab
from tensorkit.process.whole_file import beside

from .page import page_of
from .recordings import Recordings, record
from .runtime import FILES, find_runtime

_FIRST = "lesson_files.js"
"""The script that a page begins with: it finds the others."""

_BUNDLE = "kit.zip"


def export_lesson(
    lesson: str,
    folder: Path,
    of_widgets: Callable[[str], ModuleType],
    *,
    runtime: Path | None = None,
    plays: bool = True,
    one_file: bool = False,
) -> str:
    """Write a lesson as a page into `folder`.

    Args:
        lesson: a lesson by its name or number, or a notebook in `folder`.
        folder: the learner's folder; a lesson that is not in it is the kit's own.
        of_widgets: gives a module of the widgets by its name.
        runtime: a folder that has Pyodide's files; by default the user's cache, or a download.
        plays: with Python, so that the page plays; else it is read.
        one_file: everything in one file, in place of a folder.

    Returns:
        What was written, and how it is opened, in a sentence.

    Raises:
        LabError: when there is no such lesson, no Pyodide, or the folder cannot be written.
    """
    require_lab(["nbconvert"])
    notebook = find_talk(lesson, folder)
    source = notebook if notebook.is_file() else lesson_source() / notebook.name
    read_notebook(source)  # a damaged file is reported in a sentence
    python = find_runtime(runtime) if plays else None
    steps, missed = _recorded(source, of_widgets) if plays else ({}, "")
    target = folder / f"{notebook.stem}_page"
    try:
        if one_file:
            target = target.with_suffix(".html")
            _write(target, _whole(source, python, of_widgets, steps))
        else:
            if python is not None:
                write_assets(target, python, of_widgets)
                write_recordings(target, steps)
            _write(target / "index.html", write_page(source, assets="" if plays else None, recorded=steps))
    except OSError as error:
        raise LabError(refused(error, target)) from error
    return _said(target, plays=plays) + missed


def _recorded(source: Path, of_widgets: Callable[[str], ModuleType]) -> tuple[Recordings, str]:
    """The steps of the lesson's pictures, and what is said where it could not be run."""
    try:
        return record(source, of_widgets("page.widgets_front").PLAYS), ""
    except LabError as error:
        return {}, f"\nThe pictures that only the whole engine draws have no steps there: {error}."


def write_page(
    source: Path,
    *,
    assets: str | None,
    links: Mapping[str, str] | None = None,
    recorded: Iterable[str] = (),
) -> str:
    """The HTML of a page that has its files beside it.

    Args:
        source: the notebook.
        assets: the address of the folder with `code` and `python`, "" beside the page or ending with "/"; None without.
        links: the addresses of other notebooks' pages, by the notebooks' names.
        recorded: the names of the files with the steps of pictures.
    """
    page = page_of(source, assets=assets, links=links, recorded=recorded)
    return (
        page
        if assets is None
        else _with(page, f'<script type="module" src="{assets}code/{_FIRST}"></script>\n')
    )


def write_assets(target: Path, python: Path, of_widgets: Callable[[str], ModuleType]) -> None:
    """Write what pages need to play into a folder: its `code` and its `python`, which several pages may share.

    Args:
        target: the folder.
        python: a folder with Pyodide's files.
        of_widgets: gives a module of the widgets by its name.
    """
    (target / "code").mkdir(parents=True, exist_ok=True)
    (target / "python").mkdir(exist_ok=True)
    for script in _scripts(of_widgets):
        shutil.copyfile(script, target / "code" / script.name)
    (target / "code" / "recorded.css").write_text(of_widgets("widget.saved_page").styles(), encoding="utf-8")
    widgets: Path = of_widgets("render.esm").STATIC.parent
    numbers = [path.name[-2:] for path in sorted(widgets.glob("lessons/lesson??"))]
    kit = write_bundle(target / "python" / _BUNDLE, numbers)
    for path in (kit, *(python / name for name in FILES)):
        compressed = gzip.compress(path.read_bytes(), mtime=0)
        (target / "python" / f"{path.name}.gz").write_bytes(compressed)
    kit.unlink()


def write_recordings(target: Path, steps: Recordings) -> None:
    """Write the steps of pictures, as `record` gives them, into a folder that has what pages need to play."""
    for name, text in steps.items():
        place = target / f"{name}.gz"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(gzip.compress(text.encode(), mtime=0))


def _scripts(of_widgets: Callable[[str], ModuleType]) -> Iterable[Path]:
    static: Path = of_widgets("render.esm").STATIC
    return sorted(static.glob("*.js"))


def _whole(
    source: Path, python: Path | None, of_widgets: Callable[[str], ModuleType], steps: Recordings
) -> str:
    """A page in one file: what the folder has beside it is packed at its end, where it does not hold up the reading."""
    if python is None:
        return page_of(source)
    first = next(script for script in _scripts(of_widgets) if script.name == _FIRST).read_text(
        encoding="utf-8"
    )
    allowed = base64.b64encode(hashlib.sha256(first.encode()).digest()).decode()
    page = page_of(source, assets="", inline=f"'sha256-{allowed}'", recorded=steps)
    with tempfile.TemporaryDirectory() as made:
        write_assets(Path(made), python, of_widgets)
        write_recordings(Path(made), steps)
        return _with(page, "".join(_packed(Path(made))) + f'<script type="module">{first}</script>\n')


def _packed(folder: Path) -> Iterator[str]:
    """Each file of a folder as a script that no browser runs: compressed, and written as text."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _FIRST:
            data = path.read_bytes()
            text = base64.b64encode(data if path.suffix == ".gz" else gzip.compress(data, mtime=0)).decode()
            name = path.relative_to(folder).as_posix().removesuffix(".gz")
            yield f'<script type="application/gzip" data-file="{name}">{text}</script>\n'


def _with(page: str, scripts: str) -> str:
    before, end, after = page.rpartition("</body>")
    return f"{before}{scripts}{end}{after}"


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with beside(target) as path:
        path.write_text(text, encoding="utf-8")


def _said(target: Path, *, plays: bool) -> str:
    if target.suffix == ".html":
        return f"{target}\nOpen it in a browser."
    if not plays:
        return f"{target / 'index.html'}\nOpen it in a browser. Without Python it is read; its pictures do not play."
    return (
        f"{target}\nPut the folder on any web server; here: python -m http.server --directory {target}\n"
        "(A page that is opened as a file may not load its Python: --one-file writes one that does.)"
    )
