"""The one error that a learner may see at the command line: a sentence that says what to do."""

from __future__ import annotations

import sys

__all__ = ["LabError", "installing"]


class LabError(Exception):
    """Something outside the kit is in the way; the text is one sentence with the way out in it.

    Examples:
        >>> str(LabError("Port 80 is taken; choose another with --port."))
        'Port 80 is taken; choose another with --port.'
    """


def installing() -> str:
    """How to install the kit again, with all that its lessons need: the README's command, for the Python that runs.

    The kit is installed from its own folder; with that Python it is the right environment, activated or not.

    Examples:
        >>> print(installing())  # doctest: +ELLIPSIS
        In the kit's folder, run: ... -m pip install -e ".[lab,test]"
    """
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f'In the kit\'s folder, run: {python} -m pip install -e ".[lab,test]"'
