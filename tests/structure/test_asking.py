"""What `tests.asking` is for: a browser that does not answer one question may answer the next."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asking import ONCE_MORE_MS, AskedAgain, _asking_once_more
from tests.lab.test_browser import FLAGS

pytestmark = pytest.mark.browser


def _wait(answers: list[bool], asked: list[Any]) -> Any:
    """A wait that is in vain wherever its next answer is False."""
    from playwright.sync_api import TimeoutError as Late

    @_asking_once_more
    def wait(timeout: float | None = None) -> str:
        asked.append(timeout)
        if not answers.pop(0):
            raise Late(f"waited {timeout} in vain")
        return "there"

    return wait


def test_who_waited_in_vain_asks_once_more() -> None:
    asked: list[Any] = []
    with pytest.warns(AskedAgain, match="the page had it: waited None in vain"):
        assert _wait([False, True], asked)() == "there"
    assert asked == [None, ONCE_MORE_MS]


def test_what_does_not_come_is_told_as_it_was() -> None:
    from playwright.sync_api import TimeoutError as Late

    asked: list[Any] = []
    with pytest.raises(Late, match="waited 500 in vain"):
        _wait([False, False], asked)(timeout=500)
    assert asked == [500, ONCE_MORE_MS]


def test_what_is_there_is_asked_for_once() -> None:
    asked: list[Any] = []
    assert _wait([True], asked)(timeout=500) == "there"
    assert asked == [500]


@pytest.mark.parametrize(
    "wait",
    [
        lambda page: page.locator("p").wait_for(timeout=200),
        lambda page: page.wait_for_selector("p", timeout=200),
        lambda page: page.wait_for_function("() => document.querySelector('p')", timeout=200),
    ],
)
def test_the_waits_of_a_page_do(chromium: str, wait: Any) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.evaluate("() => void setTimeout(() => { document.body.innerHTML = '<p>late</p>'; }, 900)")
        with pytest.warns(AskedAgain, match="the page had it"):
            wait(page)
        browser.close()
