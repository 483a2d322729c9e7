"""The process of the audience's server: it reads its standard input, and ends when that ends.

The first line says what to serve, each further one what is on the stage or asked (`tensorkit.lab.audience.room`).
A line of its standard output says how often each option was chosen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from tensorkit.lab.ending import command

from .room import Room
from .site import Site, bound

_TELL_SECONDS = 0.25


def _say(told: dict[str, Any]) -> None:
    print(json.dumps(told), flush=True)


async def _serve(told: dict[str, Any]) -> None:
    room = Room(told["lesson"], play=told["exported"] is not None, css=told["css"])
    exported = None if told["exported"] is None else Path(told["exported"])
    site = Site(room, told["code"], exported)
    try:
        sockets = bound(told["host"], range(*told["ports"]))
    except OSError as error:
        _say({"error": (error.strerror or str(error)).lower()})
        return
    server = site.listen(sockets)
    _say({"ready": site.host})
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def read() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(room.hear, json.loads(line))
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    said: dict[str, Any] = {}
    while not ended.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), _TELL_SECONDS)
        if said != (now := room.counts()):
            said = now
            _say(said)
    server.stop()
    await server.close_all_connections()


@command
def main() -> int:
    """Serve until the standard input ends; the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the presenter's: the pipe ends with the talk
    with contextlib.suppress(BrokenPipeError):
        asyncio.run(_serve(json.loads(sys.stdin.buffer.readline())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
