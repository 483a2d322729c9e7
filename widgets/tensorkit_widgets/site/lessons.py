"""The lessons of the site: exported pages in one folder, which share their scripts and their Python."""

from __future__ import annotations

import importlib
from pathlib import Path

from tensorkit.lab.export.recordings import record
from tensorkit.lab.export.runtime import find_runtime
from tensorkit.lab.export.write import write_assets, write_page, write_recordings
from tensorkit.lab.lessons import lesson_source
from tensorkit_widgets.page.widgets_front import PLAYS
from tensorkit_widgets.site.slim import pictures_apart

FOLDER = "lessons"
_ELSEWHERE = {"index.ipynb": "../course.html", "gallery.ipynb": "../gallery.html"}


def names() -> list[str]:
    """The notebooks that are pages of this kind: the lessons, the puzzles, and the talk for its audience.

    >>> names()[2], names()[-1]
    ('02_storage_and_strides', 'webinar')
    """
    lessons = sorted(path.stem for path in lesson_source().glob("[0-9]*.ipynb"))
    return [*lessons, "puzzles", "webinar"]


def write_lessons(folder: Path, *, runtime: Path | None = None, plays: bool = True) -> None:
    """Write a page for each lesson into a folder.

    Args:
        folder: where they are written.
        runtime: a folder with Pyodide's files; by default the user's cache, or a download.
        plays: with Python, so that the pages play, and the steps of the pictures that do not (the lessons are run for
            them); else they are read.

    Raises:
        LabError: when there is no Pyodide, or a lesson cannot be run.
    """
    folder.mkdir()
    if plays:
        write_assets(
            folder, find_runtime(runtime), lambda name: importlib.import_module(f"tensorkit_widgets.{name}")
        )
    links = {f"{name}.ipynb": f"{name}.html" for name in names()} | _ELSEWHERE
    for name in names():
        source = lesson_source() / f"{name}.ipynb"
        steps = record(source, PLAYS) if plays else {}
        write_recordings(folder, steps)
        page = write_page(source, assets="" if plays else None, links=links, recorded=steps)
        page = pictures_apart(page, folder / "pictures").replace("<main>", f"<main>\n{_way(name)}", 1)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")


def _way(name: str) -> str:
    """The links from a lesson to the course, and to the lessons before and after it."""
    lessons = [one for one in names() if one[:2].isdigit()]
    place = lessons.index(name) if name in lessons else len(lessons)
    before = [(f"{one}.html", f"← {one[:2]}") for one in lessons[max(place - 1, 0) : place]]
    after = [(f"{one}.html", f"{one[:2]} →") for one in lessons[place + 1 : place + 2]]
    links = [
        f'<a href="{address}">{words}</a>'
        for address, words in [*before, ("../course.html", "The course"), *after]
    ]
    return f'<nav aria-label="the course"><p>{" · ".join(links)}</p></nav>\n'
