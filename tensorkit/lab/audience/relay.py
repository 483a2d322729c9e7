"""The presenter's end of the pipe to the audience's server; and at which address the room finds it."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorkit.lab.errors import LabError
from tensorkit.process import forks

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
_PORTS = range(8900, 9000)
_PATIENCE = 20  # seconds


class Relay:
    """A running server for an audience: what it hears, and what it counts."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process = process
        self._writing = forks.lock()
        self.address = address
        self.counts: dict[str, Any] = {"questions": []}
        """What it has counted last."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.counts = json.loads(line)

    def tell(self, message: dict[str, Any]) -> bool:
        """Pass on what is on the stage, or asked.

        Returns:
            Whether there is still a server that hears it.
        """
        assert self._process.stdin is not None
        with self._writing:
            try:
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                return False
        return True

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def qr(self) -> str:
        """The address as a QR code for a terminal."""
        import segno

        out = io.StringIO()
        segno.make(self.address, micro=False).terminal(out=out, border=2, compact=True)
        return out.getvalue()

    def qr_image(self) -> str:
        """The address as a QR code for a page: the address of an image."""
        import segno

        uri: str = segno.make(self.address, micro=False).svg_data_uri(border=4, dark="#000", light="#fff")
        return uri


_open: list[Relay] = []


def current() -> Relay | None:
    """The audience of this talk, if it has one."""
    return _open[-1] if _open else None


@contextlib.contextmanager
def audience(
    lesson: str, *, address: str | None = None, css: str = "", exported: Path | None = None
) -> Iterator[Relay]:
    """A server for the audience, as long as the block runs.

    Args:
        lesson: what the talk is called.
        address: this computer's address in the room's network, and a port where one is needed: "192.168.1.20:8900".
        css: the colours and the style of a picture.
        exported: the folder of the exported lesson, if there is one.

    Raises:
        LabError: when there is no such address here, or nothing can listen there.
    """
    host, ports = place(address)
    code = "".join(secrets.choice(_LETTERS) for _ in range(6))
    process = _started()
    told = {
        "lesson": lesson, "host": host, "ports": [ports.start, ports.stop], "code": code, "css": css,
        "exported": None if exported is None else str(exported),
    }  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
    answer = json.loads(process.stdout.readline() or "{}")
    if "ready" not in answer:
        process.kill()
        process.communicate()
        why = answer.get("error", "it ended at once")
        where = f"{host}:{ports.start}" if len(ports) == 1 else host
        raise LabError(
            f"Nothing can listen for the audience at {where} ({why}); "
            "name this computer's address in the room's network: --audience-address 192.168.1.20:8900"
        )
    relay = Relay(process, f"http://{answer['ready']}/{code}/")
    _open.append(relay)
    try:
        yield relay
    finally:
        _open.remove(relay)
        relay.close()


def _started() -> subprocess.Popen[str]:
    """The process, which inherits nothing of Jupyter's: no token, no folder of its settings, no file that is open."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "JPY", "IPYTHON"))
    }
    # -P: a file in the presenter's folder is not taken for a module.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tensorkit.lab.audience"], env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, encoding="utf-8",
    )  # fmt: skip


def place(address: str | None) -> tuple[str, range]:
    """The address to listen at, and the ports to try.

    Examples:
        >>> place("192.168.1.20:8900"), place("192.168.1.20")
        (('192.168.1.20', range(8900, 8901)), ('192.168.1.20', range(8900, 9000)))
        >>> place("0.0.0.0")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        tensorkit.lab.errors.LabError: '0.0.0.0' is not an address of this computer in a network; name one such as ...

    Raises:
        LabError: for what is not one address of version 4, and when none is given and there is no network.
    """
    if address is None:
        return _in_network(), _PORTS
    host, colon, port = address.partition(":")
    try:
        known = ipaddress.IPv4Address(host)
        number = int(port) if colon else _PORTS.start
        if (
            known.is_unspecified
            or known.is_multicast
            or not 1 <= number <= 65535
            or (colon and not port.isascii())
        ):
            raise ValueError
    except ValueError:
        raise LabError(
            f"{address!r} is not an address of this computer in a network; "
            "name one such as 192.168.1.20 or 192.168.1.20:8900."
        ) from None
    return str(known), range(number, number + 1) if colon else _PORTS


def is_public(address: str) -> bool:
    """Whether more than a local network can reach an address, if no firewall is between.

    >>> is_public("http://192.168.1.20:8900/abc/"), is_public("http://8.8.8.8:8900/abc/")
    (False, True)
    """
    return ipaddress.IPv4Address(address.split("/")[2].partition(":")[0]).is_global


def _in_network() -> str:
    """This computer's address in its network. No packet is sent for it: the system is asked which way one would go."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # an address for documentation, which no computer has
            found: str = probe.getsockname()[0]
        except OSError:
            found = "127.0.0.1"
    if ipaddress.IPv4Address(found).is_loopback:
        raise LabError(
            "This computer is in no network, so no phone can reach it. Join the room's network, "
            "or name the address there: --audience-address 192.168.1.20"
        )
    return found
