"""How a picture or a card is saved: whole or not at all, and what is said when it cannot be."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tensorkit.process.whole_file import beside
from tensorkit_widgets.render.marks import drawable


@contextlib.contextmanager
def saved(target: Path) -> Iterator[Path]:
    """A path to write to, whose content is `target`'s in the end.

    Raises:
        OSError: in a sentence, when it cannot be written: what was there is as it was.
    """
    try:
        with beside(target) as waiting:
            yield waiting
    except OSError as error:
        words = f"nothing was saved, and what was there is as it was ({error.strerror or error})"
        raise OSError(error.errno, words, str(target)) from None


def save_as(path: str | Path, writers: Mapping[str, Callable[[], str]]) -> Path:
    """Write a text to a file, by the writer of its ending.

    Raises:
        ValueError: when the name has another ending.
        OSError: when it cannot be written.
    """
    target = Path(path)
    if target.suffix not in writers:
        raise ValueError(f"cannot save {target.name}: the name must end in .svg, .txt or .html")
    text = drawable(writers[target.suffix]())
    with saved(target) as waiting:
        waiting.write_text(text, encoding="utf-8")
    return target
