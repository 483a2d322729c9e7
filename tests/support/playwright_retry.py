"""A page that others than we show wrongly now and then (JupyterLab's widget manager, Voila) is loaded again, and it is
told."""

from __future__ import annotations

import warnings


class AskedAgain(UserWarning):
    """A page did not show at once what it should have: pytest's summary has it, also of a test that passed."""


def asked_again(told: str) -> None:
    """Say in the summary that a page was given a second chance, and what it showed."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AskedAgain)
        warnings.warn(told, AskedAgain, stacklevel=2)
