"""The one error that a learner may see at the command line: a sentence that says what to do."""

from __future__ import annotations

__all__ = ["LabError"]


class LabError(Exception):
    """Something outside the kit is in the way; the text is one sentence with the way out in it.

    Examples:
        >>> str(LabError("Port 80 is taken; choose another with --port."))
        'Port 80 is taken; choose another with --port.'
    """
