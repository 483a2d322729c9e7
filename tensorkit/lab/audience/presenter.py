"""What the presenter's page tells the audience, and learns of it (a Jupyter server extension).

Without `tensorkit present --audience` there is nothing here: the two addresses are not served.
"""

from __future__ import annotations

import json
from typing import Any

from .relay import Relay, current

MOST_BYTES = 4 * 1024 * 1024
"""A picture that takes more is not passed on."""


def _handler(relay: Relay) -> type[Any]:
    from jupyter_server.base.handlers import APIHandler
    from tornado import web

    class Audience(APIHandler):
        """The audience of this talk: its address and its answers, for those who have Jupyter's token."""

        @web.authenticated
        def get(self) -> None:
            self.finish(json.dumps({"address": relay.address, "qr": relay.qr_image(), **relay.counts}))

        @web.authenticated
        def put(self) -> None:
            if len(self.request.body) > MOST_BYTES:
                raise web.HTTPError(
                    413, f"A picture may take {MOST_BYTES // 2**20} MiB; this one takes more."
                )
            told = self.get_json_body()
            if not isinstance(told, dict):
                raise web.HTTPError(400, "The audience is told a JSON object.")
            if not relay.tell(told):
                raise web.HTTPError(503, "The audience's server has ended; start the talk again.")
            self.set_status(204)
            self.finish()

    return Audience


def _load_jupyter_server_extension(server: Any) -> None:
    """Called by Jupyter when the server starts; Jupyter fixes the name of this function."""
    relay = current()
    if relay is not None:
        base = server.web_app.settings["base_url"].rstrip("/")
        server.web_app.add_handlers(".*$", [(base + "/tensorkit/api/audience", _handler(relay))])
