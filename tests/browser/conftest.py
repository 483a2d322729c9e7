"""One browser and one page for all tests of a lesson; the whole journey is watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.lab.test_browser import FLAGS, PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.lab.test_serving import Served

# Whatever a page asks for beyond this machine cannot even be looked up.
CUT_OFF = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
ANSWER_MS = 15_000


@dataclass
class Watch:
    """What a page asked for, and what went wrong on it."""

    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self.hear)

    def hear(self, message: Any) -> None:
        if message.type == "error":
            self.wrong.append(f"{message.text} ({message.location.get('url', '')})")


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="module")
def page(lab_server: Served, chromium: str, watch: Watch) -> Iterator[Page]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=ANSWER_MS)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=[*FLAGS, CUT_OFF])
        context = browser.new_context(viewport={"width": 1400, "height": 1400})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab_server.url)
        one = context.new_page()
        one.set_default_timeout(ANSWER_MS)
        one.set_default_navigation_timeout(PATIENCE_MS)
        watch.follow(one)
        yield one
        browser.close()
