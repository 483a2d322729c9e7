"""The processes of a test run take their free ports from stretches of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from tests.support.ports import SHIM

TAKE = """
import os, socket
ports = []
for _ in range(5):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        ports.append(one.getsockname()[1])
print(os.getpid(), *ports)
"""


HOLD = """
import os, socket
held = [socket.socket() for _ in range(130)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(os.getpid(), *(one.getsockname()[1] for one in held))
"""


def stretch(pid: int) -> range:
    first = 10_000 + pid % 100 * 100
    return range(first, first + 100)


def test_this_process_does() -> None:
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        ports = {each.getsockname()[1] for each in (one, other)}
    assert len(ports) == 2
    assert ports <= set(stretch(os.getpid()))


def test_a_process_that_a_test_starts_does_and_takes_none_twice() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SHIM + TAKE], capture_output=True, text=True, check=True, timeout=60
    )
    pid, *ports = map(int, said.stdout.split())
    assert len(set(ports)) == 5, "each was let go of before the next was asked for"
    assert set(ports) <= set(stretch(pid))


def test_who_needs_more_goes_on_below_the_ports_that_the_system_gives() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SHIM + HOLD], capture_output=True, text=True, check=True, timeout=60
    )
    pid, *ports = map(int, said.stdout.split())
    assert len(set(ports)) == 130
    assert len(set(stretch(pid)) & set(ports)) >= 90, "its own come first"
    assert min(ports) >= 10_000
    assert max(ports) < 20_000, "a connection may be given any port above"


def test_a_port_that_is_asked_for_by_number_is_given() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    with socket.socket() as again:
        again.bind(("127.0.0.1", port))
        assert again.getsockname()[1] == port
