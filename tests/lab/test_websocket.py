"""The extension really switches Nagle's algorithm off, on a real socket."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import tornado.httpserver
import tornado.testing
import tornado.web
import tornado.websocket

import tensorkit.lab
from tensorkit.lab.websocket import undelay


def nodelay_after_open(undelayed: bool) -> bool:
    """Open a websocket to a tornado server in this process and read TCP_NODELAY of the server's end."""
    seen: list[int] = []

    class Handler(tornado.websocket.WebSocketHandler):
        async def open(self, *args: str, **kwargs: str) -> None:
            assert self.ws_connection is not None
            stream: Any = self.ws_connection.stream  # type: ignore[attr-defined]
            seen.append(stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    if undelayed:
        assert undelay(Handler) is Handler

    async def visit() -> None:
        listener, port = tornado.testing.bind_unused_port()
        server = tornado.httpserver.HTTPServer(tornado.web.Application([("/", Handler)]))
        server.add_socket(listener)
        connection = await tornado.websocket.websocket_connect(f"ws://127.0.0.1:{port}/")
        while not seen:
            await asyncio.sleep(0)
        connection.close()
        server.stop()
        await server.close_all_connections()

    asyncio.run(visit())
    return bool(seen[0])


def test_tornado_alone_delays_and_the_extension_does_not() -> None:
    assert not nodelay_after_open(undelayed=False)
    assert nodelay_after_open(undelayed=True)


def test_undelay_twice_wraps_once() -> None:
    class Handler:
        async def open(self) -> None: ...

    once = undelay(Handler).open
    assert undelay(Handler).open is once


def test_jupyter_finds_the_extension() -> None:
    points = tensorkit.lab._jupyter_server_extension_points()
    assert {"module": "tensorkit.lab.websocket"} in points
