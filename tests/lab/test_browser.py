"""What a learner meets when the page opens: the lesson, and nothing that pops up or calls out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.lab.test_serving import TOKEN, Served, running
from tests.support.playwright_driver import driver

pytestmark = pytest.mark.browser

FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 60_000

READY = """() => {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return panel?.sessionContext?.session?.kernel?.status === "idle";
}"""
SUBSHELLS = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.commsOverSubshells"
WAITED_FOR_NEWS = "() => window.jupyterapp.restored.then(() => true)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    with running(home, root, "LabApp.expose_app_in_browser=True") as one:
        yield one


def test_the_first_page_is_the_index_without_news_and_without_a_call_outside(
    served: Served, chromium: str
) -> None:
    asked: list[str] = []
    faults: list[str] = []
    browser = driver().chromium.launch(executable_path=chromium, args=FLAGS)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{served.url}/?token={TOKEN}")
    page.wait_for_function(READY)
    page.evaluate(WAITED_FOR_NEWS)
    title = page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    subshells = page.evaluate(SUBSHELLS)
    popups = page.locator(".Toastify__toast, .jp-Dialog").count()
    browser.close()
    assert title == "index.ipynb"
    assert subshells == "disabled"
    assert popups == 0
    assert faults == []
    outside = [url for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")]
    assert {urlsplit(url).hostname for url in outside} == {"127.0.0.1"}
    assert not [url for url in asked if "/lab/api/news" in url or "/lab/api/update" in url]
    assert not served.attempts.exists()
