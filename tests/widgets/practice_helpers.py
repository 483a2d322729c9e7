"""What the tests of the practice cards share: a blank memory, the tags of a text, a browser's messages."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.card import Card
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.session_log import MEMORY

HOSTILE = "<script>alert('x')</script> \"quoted\" & `<b>`"


@pytest.fixture(autouse=True)
def blank_memory() -> Iterator[None]:
    """No card has been answered, and no file is kept."""
    before = dict(MEMORY)
    MEMORY.clear()
    session_log.use(ProgressFile(None))
    yield
    MEMORY.clear()
    MEMORY.update(before)
    session_log.use(None)


def tags(html: str) -> list[str]:
    """The names of all tags in the text, in order; raises where they do not close."""

    class Reader(HTMLParser):
        void = frozenset({"input", "img", "br", "rect", "meta"})

        def __init__(self) -> None:
            super().__init__()
            self.seen: list[str] = []
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.seen.append(tag)
            if tag not in self.void:
                self.open.append(tag)

        def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.seen.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader.seen


def send(card: Card, do: object, value: object = "") -> None:
    """A message as the browser sends it."""
    card._handle_custom_msg({"do": do, "value": value}, [])


def restarted() -> None:
    """The kernel starts again: memory is lost, the file is not."""
    MEMORY.clear()
