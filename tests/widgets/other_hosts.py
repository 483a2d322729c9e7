"""Servers other than ours that show notebooks (Voila, Jupyter Notebook), each in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tensorkit.lab.server import HOST, free_port
from tests.lab.test_serving import lonely_environment
from tests.support.ports import first_port

_PATIENCE = 120.0  # seconds; a test machine may be busy


@contextlib.contextmanager
def hosted(home: Path, root: Path, module: str, *options: str, probe: str) -> Iterator[str]:
    """``python -m module options --port=…`` as on a fresh machine without a network; gives its address.

    A checkout that is not installed is put on the paths by hand: the packages for Python, our templates for Jupyter.
    ``probe`` is a path that answers, be it with an error, without starting a kernel.
    """
    port, log = free_port(first_port()), home / "log"
    environment = lonely_environment(home)
    packages = [environment["PYTHONPATH"], str(root), str(root / "widgets")]
    environment |= {
        "PYTHONPATH": os.pathsep.join(packages),
        "JUPYTER_PATH": str(root / "tensorkit/lab/jupyter"),
    }
    command = [sys.executable, "-m", module, *options, "--no-browser", f"--port={port}"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=output, stderr=output)
    url = f"http://{HOST}:{port}"
    try:
        until = time.monotonic() + _PATIENCE
        while not _answers(f"{url}/{probe}"):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < until, log.read_text(encoding="utf-8")
            time.sleep(0.1)
        yield url
        assert not (home / "attempts").exists(), (home / "attempts").read_text(encoding="utf-8")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
