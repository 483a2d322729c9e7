"""The speaker's notes of a lesson, served beside JupyterLab on a page of their own.

Notes, scenes and the minutes of each section are written where the lesson is written: see `tensorkit.lab.cues`.

The page follows the notebook's current cell and the scene on the stage: JupyterLab tells it through a
``BroadcastChannel``, which joins the windows of one browser and nothing else; by it the page also moves the lesson on.
In another browser the page is there to leaf through.

The server keeps where the talk has come to, and its clock, as long as it runs: a page that is loaded again, another tab
and another computer come back to the same place.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .cues import cues, sections

PAGE = Path(__file__).resolve().parent / "talk"
"""The page's files, and what JupyterLab gets for a talk."""
PLACE_BYTES = 256 * 1024
"""As much is kept of the place of one talk."""
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

    places: dict[str, dict[str, Any]] = {}

    class Notes(JupyterHandler):
        """The page, for those who have the token."""

        @web.authenticated
        def get(self, name: str | None = None) -> None:
            chosen = name or "notes.html"
            self.set_header("Content-Type", f"{_FILES.get(chosen, 'text/html')}; charset=UTF-8")
            self.set_header("Cache-Control", "no-store")
            self.set_header("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
            _ = self.xsrf_token  # to read it sets the cookie that the page's own requests need
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

    class Place(APIHandler):
        """Where the talk of one lesson has come to, as its windows tell it, key by key."""

        @web.authenticated
        def get(self) -> None:
            self.finish(json.dumps(places.get(self.get_query_argument("lesson"), {})))

        @web.authenticated
        def put(self) -> None:
            lesson = self.get_query_argument("lesson")
            try:
                told = json.loads(self.request.body)
            except (ValueError, RecursionError):
                told = None
            if not isinstance(told, dict):
                raise web.HTTPError(400, "The place of a talk is told as a JSON object.")
            merged = places.get(lesson, {}) | told
            text = json.dumps({key: value for key, value in merged.items() if value is not None})
            if len(text) > PLACE_BYTES:
                raise web.HTTPError(
                    413, f"The place of a talk may take {PLACE_BYTES // 1024} KiB; this one would take more."
                )
            places[lesson] = json.loads(text)
            self.finish(text)

    return [
        (r"/tensorkit/notes", Notes),
        (r"/tensorkit/(notes\.css|notes\.js|talk_clock\.js)", Notes),
        (r"/tensorkit/api/talk", Talk),
        (r"/tensorkit/api/place", Place),
    ]


def _load_jupyter_server_extension(server: Any) -> None:
    """Called by Jupyter when the server starts; Jupyter fixes the name of this function."""
    base = server.web_app.settings["base_url"].rstrip("/")
    server.web_app.add_handlers(".*$", [(base + path, handler) for path, handler in _handlers()])
