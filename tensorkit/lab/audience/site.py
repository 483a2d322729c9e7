"""The server that the phones in a room see. What comes from outside is hostile.

| what is asked | what is checked first |
|---|---|
| any connection | this address and all together have not too many; the headers come within 10 seconds |
| any request | the ``Host`` is this address, the room's code is right, this client has not asked too often |
| the page, its script and style, the state, a picture | it is in memory; nothing is read from the disk for it |
| a file of the exported lesson | it was in its folder when the talk began |
| an answer (``POST``, at most 1 kB) | ``Origin`` is this page, JSON of one shape, the question is open |

No cookie is set and no line is logged. A client that takes too long to read what it is sent is disconnected. The
page may load nothing from elsewhere, and runs no script but its own (its content security policy says so); a picture
is an image, in which nothing runs.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

from tornado import netutil, web
from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError

from .limits import MOST_TRANSFERS, Limits
from .room import Refused, Room

MOST_BODY = 1024
"""An answer takes about a hundred bytes."""
HEADER_SECONDS, BODY_SECONDS = 10, 5
SEND_SECONDS = 20
_PLAY_SECONDS = 300  # Python for the browser is 13 MB
_PAGE = Path(__file__).resolve().parent / "page"
_FILES = {
    "": ("room.html", "text/html"),
    "room.js": ("room.js", "text/javascript"),
    "room.css": ("room.css", "text/css"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
# What `tensorkit export` writes into its pages, and that no page frames them.
_PLAY_POLICY = (
    "default-src 'none'; img-src data: 'self'; media-src data: 'self'; style-src 'unsafe-inline'; "
    "script-src 'self' blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PHONE = re.compile(r"[0-9a-f]{32}")


class _Guarded(web.RequestHandler):
    """A request that has passed the checks that all pass."""

    SUPPORTED_METHODS = ("GET", "POST")
    policy = _POLICY

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.set_header("Content-Security-Policy", self.policy)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Cache-Control", "no-store")

    @property
    def site(self) -> Site:
        site: Site = self.settings["site"]
        return site

    @property
    def limits(self) -> Limits:
        return self.site.limits

    def prepare(self) -> None:
        address = self.request.remote_ip or ""
        right = hmac.compare_digest(self.path_kwargs.pop("code", "").encode(), self.site.code.encode())
        if not self.limits.asks(address) or not (right or self.limits.guesses(address)):
            self._refuse(429, "Too many requests; wait a moment.")
        if self.request.host != self.site.host:
            self._refuse(421, "This address is not served here.")
        if not right:
            raise web.HTTPError(404)
        if self.limits.transfers >= MOST_TRANSFERS:
            self._refuse(503, "The room is busy; try again in a moment.")

    def _refuse(self, status: int, why: str) -> None:
        self.set_header("Connection", "close")
        raise web.HTTPError(status, reason=why)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """The status and its reason, which is ours: nothing of the request is sent back."""
        self.set_header("Content-Type", "text/plain; charset=UTF-8")
        if status_code in (429, 503):
            self.set_header("Retry-After", "3")
        self.finish(self._reason)

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        """A mistake of ours is shown to the presenter, without a word of who has met it."""
        if not isinstance(value, web.HTTPError):
            traceback.print_exception(kind, value, trace, file=sys.stderr)

    def let_go(self) -> None:
        """End the connection, whatever is on its way."""
        connection: Any = self.request.connection
        connection.stream.close()

    async def send(self, data: bytes, kind: str) -> None:
        """Answer; a client that has not taken it in time is let go."""
        self.set_header("Content-Type", f"{kind}; charset=UTF-8")
        self.limits.transfers += 1
        try:
            await asyncio.wait_for(self.finish(data), SEND_SECONDS)
        except (TimeoutError, StreamClosedError):
            self.let_go()
        finally:
            self.limits.transfers -= 1


class _Nothing(_Guarded):
    """Every other address."""

    def prepare(self) -> None:
        self.path_kwargs = {}
        super().prepare()


class _Typed(_Guarded):
    """The address as it is typed, without its last stroke."""

    def get(self) -> None:
        self.redirect(f"/{self.site.code}/")


class _Page(_Guarded):
    """The page, its script and its style."""

    async def get(self, name: str) -> None:
        data, kind = self.site.files[name]
        await self.send(data, kind)


class _State(_Guarded):
    """What is shown now; nothing where the phone has that already."""

    async def get(self, seen: str = "") -> None:
        if seen == str(self.site.room.revision):
            self.set_status(204)
            self.finish()
            return
        await self.send(self.site.room.state(), "application/json")


class _Picture(_Guarded):
    """A picture, or its words. Neither ever changes: what is drawn again has another number."""

    policy = _PICTURE_POLICY

    async def get(self, number: str, kind: str) -> None:
        scene = self.site.room.scene(int(number))
        if scene is None or (kind == "svg" and not scene.svg):
            raise web.HTTPError(404)
        self.set_header("Cache-Control", "private, max-age=86400, immutable")
        if kind == "svg":
            await self.send(scene.svg.encode("utf-8", "replace"), "image/svg+xml")
        else:
            place = {"cell": scene.cell, "scene": scene.scene, "step": scene.step}
            told = {"said": scene.said, "text": scene.text, **place}
            await self.send(json.dumps(told).encode(), "application/json")


class _Answer(_Guarded):
    """One answer of one phone."""

    def post(self) -> None:
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip()
        if self.request.headers.get("Origin") != f"http://{self.site.host}":
            self._refuse(403, "An answer is given on the page of the room.")
        if kind != "application/json":
            raise web.HTTPError(415, reason="An answer is JSON.")
        address = self.request.remote_ip or ""
        if not self.limits.answers(address):
            self._refuse(429, "Too many answers; wait a moment.")
        try:
            self.site.room.answer(*_read(self.request.body), address)
        except Refused as refusal:
            raise web.HTTPError(refusal.status, reason=str(refusal)) from None
        self.set_status(204)
        self.finish()


def _read(body: bytes) -> tuple[str, int, int]:
    """The phone, the question and the option of an answer.

    >>> _read(b'{"phone": "00112233445566778899aabbccddeeff", "question": 3, "option": 1}')
    ('00112233445566778899aabbccddeeff', 3, 1)

    Raises:
        Refused: for anything else.
    """
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict) and told.keys() == {"phone", "question", "option"}:
        phone, question, option = told["phone"], told["question"], told["option"]
        if isinstance(phone, str) and _PHONE.fullmatch(phone) and type(question) is type(option) is int:
            return phone, question, option
    raise Refused(400, "An answer names a phone, a question and an option.")


class _Play(_Guarded, web.StaticFileHandler):
    """A file of the exported lesson."""

    policy = _PLAY_POLICY

    def prepare(self) -> None:
        super().prepare()
        if self.path_kwargs["path"] not in self.site.exported:
            raise web.HTTPError(404)
        self.limits.transfers += 1
        self._due = asyncio.get_running_loop().call_later(_PLAY_SECONDS, self.let_go)

    def on_finish(self) -> None:
        if hasattr(self, "_due"):
            self._due.cancel()
            self.limits.transfers -= 1

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "private, max-age=3600")


class _Server(HTTPServer):
    """An HTTP server that takes no more connections than it may."""

    limits: Limits

    def handle_stream(self, stream: Any, address: Any) -> None:
        if self.limits.connects(address[0]):
            super().handle_stream(stream, address)
        else:
            stream.close()

    def on_close(self, server_conn: Any) -> None:
        self.limits.leaves(server_conn.context.address[0])
        super().on_close(server_conn)


class Site:
    """What is served, at one address and under one code.

    Args:
        room: the pictures, the questions and the answers.
        code: the part of the address that a stranger does not know.
        exported: the folder of the exported lesson, if there is one.
    """

    def __init__(self, room: Room, code: str, exported: Path | None = None) -> None:
        self.room = room
        self.code = code
        self.host = ""
        self.limits = Limits()
        self.files = {name: ((_PAGE / file).read_bytes(), kind) for name, (file, kind) in _FILES.items()}
        self.exported = _listed(exported)
        there = r"/(?P<code>[^/]{1,64})/"
        handlers: list[Any] = [
            (r"/(?P<code>[^/]{1,64})", _Typed),
            (there + r"(?P<name>|room\.js|room\.css)", _Page),
            (there + r"state(?:/(?P<seen>[0-9]{1,12}))?", _State),
            (there + r"scene/(?P<number>[0-9]{1,12})\.(?P<kind>svg|json)", _Picture),
            (there + "answer", _Answer),
        ]
        if exported is not None:
            options = {"path": str(exported), "default_filename": None}
            handlers.append((there + r"play/(?P<path>[^\\]{1,200})", _Play, options))
        self._app = web.Application(
            handlers, default_handler_class=_Nothing, log_function=lambda _: None, site=self
        )

    def listen(self, sockets: list[socket.socket]) -> HTTPServer:
        """Serve at sockets that are bound."""
        host, port = sockets[0].getsockname()[:2]
        self.host = f"{host}:{port}"
        logging.getLogger("tornado").addHandler(logging.NullHandler())
        logging.getLogger(
            "tornado"
        ).propagate = False  # a malformed request would be a line with an address in it
        server = _Server(
            self._app, max_body_size=MOST_BODY, max_header_size=8192, idle_connection_timeout=HEADER_SECONDS,
            body_timeout=BODY_SECONDS, max_buffer_size=64 * 1024,
        )  # fmt: skip
        server.limits = self.limits
        server.add_sockets(sockets)
        return server


def bound(host: str, ports: range) -> list[socket.socket]:
    """Sockets at the first free port of an address.

    Raises:
        OSError: when none is free, or the address is not this computer's.
    """
    for port in ports:
        try:
            return netutil.bind_sockets(port, host, family=socket.AF_INET)
        except OSError:
            if port == ports[-1]:
                raise
    raise ValueError("no ports were named")


def _listed(folder: Path | None) -> frozenset[str]:
    """The files that are in a folder, and not only linked there."""
    if folder is None:
        return frozenset()
    files = (
        path
        for path in folder.rglob("*")
        if path.is_file() and path.resolve().is_relative_to(folder.resolve())
    )
    return frozenset(path.relative_to(folder).as_posix() for path in files)
