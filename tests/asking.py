"""Waiting for a page of a busy machine: who waited in vain asks once more whether it has come meanwhile."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["AskedAgain", "asked_again", "patient"]

ONCE_MORE_MS = 2000
"""A page that shows what was waited for answers at once."""


class AskedAgain(UserWarning):
    """A page did not show at once what it should have: pytest's summary has it, also of a test that passed."""


def asked_again(told: str) -> None:
    """Say in the summary that a page was given a second chance, and what it showed."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AskedAgain)
        warnings.warn(told, AskedAgain, stacklevel=2)


def patient() -> None:
    """From now on, Playwright's waits ask anew before they give up.

    On a test server a wait has been seen to end in vain after a minute, and the page to show what was waited for at the
    very next question. Why is not known.
    """
    from playwright.sync_api import Locator, Page

    for kind, name in ((Locator, "wait_for"), (Page, "wait_for_function"), (Page, "wait_for_selector")):
        known = getattr(kind, name)
        if not hasattr(known, "__wrapped__"):
            setattr(kind, name, _asking_once_more(known))


def _asking_once_more(wait: Callable[..., Any]) -> Callable[..., Any]:
    from playwright.sync_api import TimeoutError as Late

    @functools.wraps(wait)
    def waiting(*args: Any, **options: Any) -> Any:
        try:
            return wait(*args, **options)
        except Late as late:
            try:
                found = wait(*args, **{**options, "timeout": ONCE_MORE_MS})
            except Late:
                raise late from None
            asked_again(f"asked once more, the page had it: {late}")
            return found

    return waiting
