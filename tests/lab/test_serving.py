"""`tensorkit lab` as a learner runs it: a real server in its own process, cut off from the network."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import websocket

from tensorkit.lab.server import HOST, free_port
from tests.support.ports import SHIM, first_port

TOKEN = "secret"
PATIENCE = 60.0  # seconds; a test machine may be busy

# Put in front of the server's path: every attempt to reach beyond this machine is refused and written down.
CUT_OFF = """
import os, socket

def guard(name):
    real = getattr(socket.socket, name)

    def guarded(self, address):
        internet = self.family in (socket.AF_INET, socket.AF_INET6)
        if internet and address[0] not in ("127.0.0.1", "::1", "localhost"):
            with open(os.environ["ATTEMPTS"], "a") as log:
                log.write(f"{address}\\n")
            raise OSError(101, "Network is unreachable")
        return real(self, address)

    return guarded

for name in ("connect", "connect_ex"):
    setattr(socket.socket, name, guard(name))
"""

# A second server extension: tells what the operating system says of every open kernel websocket.
PROBE = """
import gc, json, socket
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

class Probe(JupyterHandler):
    def get(self):
        open_ones = [o for o in gc.get_objects() if isinstance(o, KernelWebsocketHandler) and o.ws_connection]
        sockets = [one.ws_connection.stream.socket for one in open_ones]
        self.finish(json.dumps([s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for s in sockets]))

def _jupyter_server_extension_points():
    return [{"module": "probe"}]

def _load_jupyter_server_extension(server):
    server.web_app.add_handlers(".*", [("/probe", Probe)])
"""


@dataclass
class Served:
    """A running server and what a test may look at."""

    url: str
    folder: Path
    home: Path
    attempts: Path
    log: Path
    command: list[str]
    root: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, for the first time or again at the same address; it answers when this returns."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, cwd=self.root, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("api/status")
                return
            except (urllib.error.URLError, ConnectionError):
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < until, self.log.read_text()
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop it as Ctrl-C does; its kernels end with it."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=30)
            self.process = None

    def ask(self, path: str, data: dict[str, Any] | None = None, method: str | None = None) -> Any:
        """The JSON answer to a request, ``None`` where there is nothing to say."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=None if data is None else json.dumps(data).encode(),
            headers={"Authorization": f"token {TOKEN}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or "null")

    def end_kernels(self, but: Sequence[str] = ()) -> None:
        """Shut down every notebook's kernel, as *Shut Down All* does, but those of some files."""
        for session in self.ask("api/sessions"):
            if session["path"] in but:
                continue
            self.ask(f"api/sessions/{session['id']}", method="DELETE")


def lonely_environment(home: Path) -> dict[str, str]:
    """An environment with a home of its own and no network, so that a test meets a fresh machine."""
    shims = home / "shims"
    shims.mkdir(parents=True)
    (shims / "sitecustomize.py").write_text(SHIM + CUT_OFF)
    (shims / "probe.py").write_text(PROBE)
    extension = home / "etc" / "jupyter_server_config.d"
    extension.mkdir(parents=True)
    (extension / "probe.json").write_text('{"ServerApp": {"jpserver_extensions": {"probe": true}}}')
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    return kept | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "PYTHONPATH": os.pathsep.join([str(shims), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "JUPYTER_CONFIG_PATH": str(home / "etc"),
        "ATTEMPTS": str(home / "attempts"),
    }


_running: list[Served] = []


def logs() -> list[tuple[str, str]]:
    """What each running server has said last: a kernel that did not start says why there, not on the page."""
    return [(f"the server at {one.url}", one.log.read_text()[-4000:]) for one in _running if one.log.exists()]


@contextlib.contextmanager
def running(
    home: Path, root: Path, *settings: str, words: Sequence[str] = ("lab",), options: Sequence[str] = ()
) -> Iterator[Served]:
    """`tensorkit lab` (or other words) in its own process, until the block ends."""
    environment = lonely_environment(home)
    folder, port = home / "my lessons", free_port(first_port())
    command = [sys.executable, "-m", "tensorkit.cli", *words, str(folder), *options]
    command += ["--no-browser", "--port", str(port)]
    for setting in (f"IdentityProvider.token={TOKEN}", *settings):
        command += ["--set", setting]
    url = f"http://{HOST}:{port}"
    served = Served(url, folder, home, home / "attempts", home / "log", command, root, environment)
    _running.append(served)
    try:
        served.start()
        yield served
    finally:
        served.stop()
        _running.remove(served)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("home"), root) as one:
        yield one


def test_the_lessons_are_served(served: Served, root: Path) -> None:
    there = {item["name"] for item in served.ask("api/contents")["content"]}
    assert {path.name for path in (root / "notebooks").glob("*.ipynb")} <= there
    assert (served.folder / ".tensorkit" / "delivered.json").is_file()


def test_the_speakers_notes_of_every_lesson_load(served: Served) -> None:
    """With minutes or without, with notes or without: the page gets every cell of it."""
    for path in sorted(served.folder.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        given = [cell["metadata"].get("tensorkit", {}).get("minutes") for cell in cells]
        talk = served.ask(f"tensorkit/api/talk?lesson={path.name}")
        assert [cue["kind"] for cue in talk["cues"]] == [cell["cell_type"] for cell in cells], path.name
        assert [part["minutes"] for part in talk["sections"]] == [one for one in given if one], path.name


CODE = {"cell_type": "code", "id": "a", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"metadata": {"kernelspec": 3}}, 200),
        ({"metadata": {"kernelspec": {"name": "nosuch"}}}, 200),
        ({"cells": [CODE | {"source": 3}]}, 200),
        ({"cells": [CODE | {"metadata": {"tensorkit": 3, "tags": 3}}]}, 200),
        ({"cells": [CODE | {"source": "\ud800"}]}, 400),
        ({"cells": [CODE | {"metadata": 3}]}, 400),
        ({"cells": [3]}, 400),
        ({"cells": 3}, 400),
        ({"metadata": 3}, 400),
        ({"nbformat": "x"}, 400),
    ],
)
def test_a_damaged_notebook_is_no_fault_of_the_server(
    served: Served, changes: dict[str, Any], answer: int
) -> None:
    book = {"cells": [CODE], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (served.folder / "damaged.txt").write_text(json.dumps(book | changes))
    (served.folder / "damaged.txt").rename(served.folder / "damaged.ipynb")
    try:
        served.ask("tensorkit/api/talk?lesson=damaged.ipynb")
        got = 200
    except urllib.error.HTTPError as error:
        got = error.code
    (served.folder / "damaged.ipynb").unlink()
    assert got == answer


def test_a_stranger_without_the_token_is_refused(served: Served) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{served.url}/api/contents", timeout=30)


@pytest.mark.parametrize(
    ("plugin", "wanted"),
    [
        ("kernels-settings", {"commsOverSubshells": "disabled"}),
        ("notification", {"fetchNews": "false", "checkForUpdates": False}),
    ],
)
def test_jupyterlab_gets_our_defaults(served: Served, plugin: str, wanted: dict[str, Any]) -> None:
    setting = served.ask(f"lab/api/settings/@jupyterlab/apputils-extension:{plugin}")
    properties = setting["schema"]["properties"]
    assert {name: properties[name]["default"] for name in wanted} == wanted
    assert setting["raw"].strip() in ("", "{}")  # a default, not a change to the learner's own settings


def test_the_kernel_websocket_is_not_delayed(served: Served) -> None:
    kernel = served.ask("api/kernels", {"name": "python3"})["id"]
    address = f"{served.url.replace('http', 'ws')}/api/kernels/{kernel}/channels?token={TOKEN}"
    connection = websocket.create_connection(address, timeout=PATIENCE)
    try:
        until = time.monotonic() + PATIENCE
        while not (nodelay := served.ask("probe")):
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        connection.close()
    assert all(nodelay)


def test_a_newcomer_reads_where_to_go_and_no_warnings(served: Served) -> None:
    first, second, *rest = served.log.read_text().splitlines()
    assert first.endswith("copied.")
    assert second == f"Serving {served.folder} on {served.url}/lab (stop with Ctrl-C)"
    assert [line for line in rest if "warning" in line.lower()] == []


def test_nothing_reached_beyond_this_machine(served: Served) -> None:
    with urllib.request.urlopen(f"{served.url}/lab?token={TOKEN}", timeout=30) as page:
        assert b"jupyter-config-data" in page.read()
    assert not served.attempts.exists(), served.attempts.read_text()


def test_the_learners_own_jupyter_is_untouched(served: Served) -> None:
    left = [path.relative_to(served.home).as_posix() for path in served.home.rglob("*") if path.is_file()]
    settings = [path for path in left if path.endswith(("-settings", "overrides.json", "page_config.json"))]
    assert settings == []
    assert not (served.home / ".jupyter" / "lab" / "workspaces").exists()
