"""Files that are whole: written beside their place, and put there in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path


def is_regular(path: Path) -> bool:
    """Whether a path is a file, or free for one: not a device, pipe, socket or folder, which must not be replaced.

    >>> is_regular(Path(os.devnull))
    False
    """
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


@contextlib.contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to. What was written takes its place at the end of the block, in one step.

    A full disk, an error or an interrupt leaves what was there, and nothing else. A link stays a link.

    Raises:
        OSError: when the block raises it, or `target` exists and is not a regular file; it names `target`.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with beside(target) as path:
    ...     _ = path.write_text("all of it")
    >>> target.read_text(), [path.name for path in target.parent.iterdir()]
    ('all of it', ['a.txt'])
    """
    place = Path(os.path.realpath(target))
    # The ending stays: Matplotlib goes by it.
    waiting = place.with_name(f".{secrets.token_hex(8)}.part{place.suffix}")
    try:
        if not is_regular(place):
            raise OSError(errno.EINVAL, "it is no regular file")
        before = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
        if before is not None and not os.access(place, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        yield waiting
        if before is not None:
            waiting.chmod(before)
        os.replace(waiting, place)
    except OSError as error:
        if error.filename not in (None, str(waiting)):
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        with contextlib.suppress(OSError):
            waiting.unlink()
