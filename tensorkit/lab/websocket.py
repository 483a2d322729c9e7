"""A Jupyter server extension that sends every message of a kernel at once.

TCP may hold a small packet back until the one before it was acknowledged (Nagle's algorithm). Jupyter leaves
that on for the websocket between browser and kernel, and a widget then needs about 48 ms to answer a slider.
With `TCP_NODELAY` it needs about 10 ms.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

_MARK = "_tensorkit_undelayed"


class _Server(Protocol):
    """The part of Jupyter's `ServerApp` that is used here."""

    log: Any


def undelay(handler: type[Any]) -> type[Any]:
    """Make a websocket handler class switch Nagle's algorithm off as soon as a connection opens.

    Calling it twice does no harm.

    Args:
        handler: a tornado websocket handler class with an async `open`; it is changed in place.

    Returns:
        The same class.

    Examples:
        >>> class Handler:
        ...     async def open(self, kernel_id): return f"open {kernel_id}"
        ...     def set_nodelay(self, value): print("no delay:", value)
        >>> import asyncio
        >>> asyncio.run(undelay(Handler)().open("k1"))
        no delay: True
        'open k1'
    """
    if getattr(handler, _MARK, False):
        return handler
    original_open = handler.open

    def open_undelayed(self: Any, *args: Any, **kwargs: Any) -> Awaitable[Any]:
        self.set_nodelay(True)
        result: Awaitable[Any] = original_open(self, *args, **kwargs)
        return result

    handler.open = open_undelayed
    setattr(handler, _MARK, True)
    return handler


def _load_jupyter_server_extension(server: _Server) -> None:
    """Called by Jupyter when the server starts; Jupyter fixes the name of this function."""
    from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

    undelay(KernelWebsocketHandler)
    server.log.debug("tensorkit: the kernel websocket sends without delay")
