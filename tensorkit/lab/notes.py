"""The speaker's notes of a lesson, served beside JupyterLab on a page of their own.

Notes are written where the lesson is written: in a cell's metadata ``{"tensorkit": {"notes": "…"}}``, in the
``notes`` of the scenes there, or in a comment ``<!-- notes: … -->`` of a Markdown cell, which nobody sees in the room.

The page follows the notebook's current cell and the scene on the stage: JupyterLab tells it through a
``BroadcastChannel``, which joins the windows of one browser and nothing else. In another browser the page is there
to leaf through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["PAGE", "Cue", "cues", "notes_url"]

PAGE = Path(__file__).resolve().parent / "talk"
"""The page's files, and what JupyterLab gets for a talk."""
_FILES = {"notes.css": "text/css", "notes.js": "text/javascript"}
_COMMENT = re.compile(r"<!--\s*notes:\s*(.*?)\s*-->", re.S | re.I)
_HIDDEN = re.compile(r"<!--.*?-->", re.S)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
_LONGEST = 100


@dataclass(frozen=True)
class Cue:
    """What a speaker needs of one cell: where it is, how it begins, what to say, and its scenes (name, notes)."""

    cell: int
    id: str
    kind: str
    heading: str
    first: str
    notes: str
    scenes: tuple[tuple[str, str], ...] = ()


def cues(notebook: Mapping[str, Any]) -> list[Cue]:
    """The cue of every cell of a notebook (as its JSON is).

    Examples:
        >>> markdown = {"cell_type": "markdown", "source": "# Strides\\n<!-- notes: wave -->", "metadata": {}}
        >>> code = {"cell_type": "code", "source": "x.t()", "metadata": {"tensorkit": {"notes": "ask first"}}}
        >>> [(cue.heading, cue.first, cue.notes) for cue in cues({"cells": [markdown, code]})]
        [('Strides', 'Strides', 'wave'), ('Strides', 'x.t()', 'ask first')]
    """
    heading, found = "", []
    for number, cell in enumerate(notebook.get("cells", ())):
        source = _joined(cell.get("source", ""))
        kind = str(cell.get("cell_type", ""))
        settings = cell.get("metadata", {}).get("tensorkit")
        settings = settings if isinstance(settings, dict) else {}
        notes = [_joined(settings.get("notes", ""))]
        if kind == "markdown":
            notes += _COMMENT.findall(source)
            source = _HIDDEN.sub("", source)
            titles = _HEADING.findall(source)
            heading = _plain(titles[-1]) if titles else heading
        said = "\n\n".join(filter(None, notes))
        found.append(
            Cue(
                number,
                str(cell.get("id", "")),
                kind,
                heading,
                _first(source),
                said,
                _scenes(settings.get("scenes")),
            )
        )
    return found


def _joined(text: Any) -> str:
    """Notebooks write text as one string or as a list of lines."""
    if isinstance(text, list):
        return "".join(part if isinstance(part, str) else "" for part in text)
    return text if isinstance(text, str) else ""


def _first(source: str) -> str:
    line = next((line for line in source.splitlines() if line.strip()), "")
    return (
        _plain(line.strip().lstrip("# "))[:_LONGEST]
        if line.lstrip().startswith("#")
        else line.strip()[:_LONGEST]
    )


def _plain(markdown: str) -> str:
    return re.sub(r"[*`]", "", markdown)


def _scenes(given: Any) -> tuple[tuple[str, str], ...]:
    given = given if isinstance(given, list) else []
    named = [one for one in given if isinstance(one, dict) and isinstance(one.get("name"), str)]
    return tuple((one["name"], _joined(one.get("notes", ""))) for one in named)


def notes_url(server: str, lesson: str, token: str) -> str:
    """The address of the page for one lesson.

    Examples:
        >>> notes_url("http://127.0.0.1:8888", "my talk.ipynb", "abc")
        'http://127.0.0.1:8888/tensorkit/notes?lesson=my%20talk.ipynb&token=abc'
    """
    return f"{server}/tensorkit/notes?lesson={quote(lesson)}&token={quote(token)}"


def _handlers() -> list[tuple[str, type[Any]]]:
    from jupyter_server.base.handlers import APIHandler, JupyterHandler
    from tornado import web

    class Notes(JupyterHandler):
        """The page, for those who have the token."""

        @web.authenticated
        def get(self, name: str | None = None) -> None:
            chosen = name or "notes.html"
            self.set_header("Content-Type", f"{_FILES.get(chosen, 'text/html')}; charset=UTF-8")
            self.set_header("Cache-Control", "no-store")
            self.set_header("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            self.finish((PAGE / chosen).read_text(encoding="utf-8"))

    class Talk(APIHandler):
        """The cues of one lesson, read again each time: what the speaker edits is there at once."""

        @web.authenticated
        async def get(self) -> None:
            path = self.get_query_argument("lesson", "")
            model = await self.contents_manager.get(path, type="notebook", content=True)
            found = [asdict(cue) for cue in cues(model["content"])]
            self.finish(json.dumps({"lesson": path, "cues": found}))

    return [
        (r"/tensorkit/notes", Notes),
        (r"/tensorkit/(notes\.(?:css|js))", Notes),
        (r"/tensorkit/api/talk", Talk),
    ]


def _load_jupyter_server_extension(server: Any) -> None:
    """Called by Jupyter when the server starts; Jupyter fixes the name of this function."""
    base = server.web_app.settings["base_url"].rstrip("/")
    server.web_app.add_handlers(".*$", [(base + path, handler) for path, handler in _handlers()])
