"""The gallery as a page of Voila: no cells, no code, and every widget live."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tensorkit.lab.server import free_port
from tests.lab.test_browser import FLAGS, PATIENCE_MS
from tests.widgets.conftest import CUT_OFF
from tests.widgets.test_gallery_browser import BOARDS, CARDS, GALLERY

pytestmark = pytest.mark.browser

VOILAS_OWN = "/npm/@fortawesome/"
"""Voila's template asks for an icon font that is not in it; cut off, the page is complete without."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Voila on the gallery, in a process of its own."""
    pytest.importorskip("voila", reason="voila is not installed")
    home = tmp_path_factory.mktemp("voila")
    shutil.copy(GALLERY, home / "gallery.ipynb")
    port = free_port(32_000 + os.getpid() % 12_000)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))}
    environment |= {"HOME": str(home), "PYTHONPATH": os.pathsep.join([str(root), str(root / "widgets")])}
    command = [
        sys.executable,
        "-m",
        "voila",
        "gallery.ipynb",
        "--no-browser",
        f"--port={port}",
        "--Voila.ip=127.0.0.1",
    ]
    with (home / "voila.log").open("w") as log:
        one = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)
        try:
            yield _answers(f"http://127.0.0.1:{port}", one, home / "voila.log")
        finally:
            one.send_signal(signal.SIGTERM)
            one.wait(30)


def _answers(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """The address, once somebody answers there."""
    for _ in range(240):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            urllib.request.urlopen(f"{url}/voila/static/nope", timeout=5)
        except urllib.error.HTTPError:
            return url
        except OSError:
            time.sleep(0.25)
    raise AssertionError(log.read_text(encoding="utf-8"))


def test_every_widget_is_live_in_voila(served: str, chromium: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    asked: list[str] = []
    faults: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
        page = browser.new_page(viewport={"width": 1200, "height": 1400}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(served, timeout=3 * PATIENCE_MS)
        for kind in BOARDS.values():
            page.locator(f'[data-tk-widget="{kind}"]').first.wait_for()
        page.locator(".tk-card[data-state]").nth(len(CARDS) - 1).wait_for()
        _works(page)
        browser.close()
    inside = {"127.0.0.1", "localhost"}
    foreign = [
        u for u in asked if urlsplit(u).scheme not in ("data", "blob") and urlsplit(u).hostname not in inside
    ]
    assert [url for url in foreign if VOILAS_OWN not in url] == []
    assert [fault for fault in faults if "tk-" in fault or "tensorkit" in fault] == []


def _works(page: Any) -> None:
    """A step, a number that is typed, and a number that lights up elsewhere."""
    board = page.locator('[data-tk-widget="broadcast-explorer"]').first
    board.locator('[data-role="back"]').click()
    page.locator('[data-tk-widget="broadcast-explorer"][data-step="2"]').wait_for()
    still = page.locator(".tk-still")
    assert not any(still.nth(k).is_visible() for k in range(still.count())), "no picture is shown twice"
    cell = page.locator('[data-tk-widget="stride-explorer"] .tk-grid .tk-cell[data-slot="3"]').first
    cell.scroll_into_view_if_needed()
    cell.hover()
    page.locator('[data-tk-widget="reduction-explorer"] .tk-tile.tk-kin[data-slot="3"]').first.wait_for(
        state="attached"
    )
    cell.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("77")
    page.keyboard.press("Enter")
    page.locator(
        '[data-tk-widget="reduction-explorer"] .tk-tile[data-slot="3"][data-full="77"]'
    ).first.wait_for(state="attached")
