"""The one error that a learner may see at the command line: a sentence that says what to do."""

from __future__ import annotations

import errno
import sys
from pathlib import Path


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


_WAYS_OUT = {
    errno.EACCES: "name a place that is yours",
    errno.EPERM: "name a place that is yours",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "make room on the disk, and run it again",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOENT: "name a place that is there",
}


def refused(error: OSError, place: Path | None = None, way_out: str = "", *, doing: str = "write to") -> str:
    """What the system refuses, in a sentence with a way out.

    Args:
        error: what was raised.
        place: the file or folder that it was about, where the error names none.
        way_out: what to do; by default it follows from the error.
        doing: what could not be done with the file.

    Examples:
        >>> refused(PermissionError(errno.EACCES, "Permission denied", "/a"))
        'Cannot write to /a (permission denied); name a place that is yours.'
        >>> refused(OSError(errno.ENOSPC, "No space left on device"))
        'What there is to say cannot be written (no space left on device); what was to be done may be done already.'
    """
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    named = place if error.filename is None else Path(error.filename)
    if named is None:
        return f"What there is to say cannot be written ({reason}); what was to be done may be done already."
    way_out = way_out or f"{_WAYS_OUT.get(error.errno or 0, 'name another')}."
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        above = next((path for path in reversed([named, *named.parents]) if path.is_file()), named)
        return f"{above} is a file, not a folder; {way_out}"
    return f"Cannot {doing} {named} ({reason}); {way_out}"
