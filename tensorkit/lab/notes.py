"""The speaker's notes of a lesson, served beside JupyterLab on a page of their own.

Notes, scenes and the minutes of each section are written where the lesson is written: see `tensorkit.lab.cues`.

The page follows the notebook's current cell and the scene on the stage: JupyterLab tells it through a
``BroadcastChannel``, which joins the windows of one browser and nothing else. In another browser the page is there
to leaf through.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .cues import cues, sections

__all__ = ["PAGE", "notes_url"]

PAGE = Path(__file__).resolve().parent / "talk"
"""The page's files, and what JupyterLab gets for a talk."""
_FILES = {"notes.css": "text/css", "notes.js": "text/javascript", "talk_clock.js": "text/javascript"}


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
            try:
                model = await self.contents_manager.get(path, type="notebook", content=True)
            except web.HTTPError:
                raise
            except Exception as error:  # whatever a damaged file leads to in there
                raise web.HTTPError(400, f"{path} is no notebook that can be read") from error
            found = cues(model["content"])
            talk = {
                "cues": [asdict(cue) for cue in found],
                "sections": [asdict(one) for one in sections(found)],
            }
            self.finish(json.dumps({"lesson": path, **talk}))

    return [
        (r"/tensorkit/notes", Notes),
        (r"/tensorkit/(notes\.css|notes\.js|talk_clock\.js)", Notes),
        (r"/tensorkit/api/talk", Talk),
    ]


def _load_jupyter_server_extension(server: Any) -> None:
    """Called by Jupyter when the server starts; Jupyter fixes the name of this function."""
    base = server.web_app.settings["base_url"].rstrip("/")
    server.web_app.add_handlers(".*$", [(base + path, handler) for path, handler in _handlers()])
