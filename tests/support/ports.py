"""Ports that no two processes of a test run choose at the same time.

Jupyter takes whatever port the system says is free, lets go of it, and tells the kernel to open it a second later. On a
machine where several processes do so, now and then another one has opened it by then: the kernel ends, or it talks to
a stranger and is silent for a minute (2 of 342 kernels started by 4 processes at once). Jupyter then starts it again on
the same port, five times, and JupyterLab says "Kernel is dead". So each process here gets its free ports from a stretch
of its own, below those that the system gives to connections.
"""

from __future__ import annotations

import inspect
import os


def keep_apart() -> None:
    """From now on this process, asked for any free port, takes the next of its own stretch.

    It imports what it needs: its source is run in other processes too.
    """
    import os
    import socket

    first, stretches, length = 10_000, 100, 100
    real, turn = socket.socket.bind, [0]

    def bind(self: socket.socket, address: tuple[str, int]) -> None:
        wanted = self.family == socket.AF_INET and self.type == socket.SOCK_STREAM and address[1] == 0
        own = os.getpid() % stretches * length
        for count in range(stretches * length if wanted else 0):
            turn[0] += 1
            # Who has twenty kernels at once and needs more ports goes on into the next stretches, never to the system.
            port = first + (own + turn[0] % length + count // length * length) % (stretches * length)
            try:
                return real(self, (address[0], port))
            except OSError:
                continue
        return real(self, address)

    socket.socket.bind = bind  # type: ignore[assignment, method-assign]


SHIM = f"from __future__ import annotations\n{inspect.getsource(keep_apart)}\nkeep_apart()\n"
"""The same for the ``sitecustomize`` of a process that a test starts, and of its kernels."""


def first_port() -> int:
    """Where this process begins to look for a port of a server that it starts."""
    return 20_000 + os.getpid() * 10 % 12_000
