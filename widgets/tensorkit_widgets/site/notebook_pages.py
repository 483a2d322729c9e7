"""The pages that are read from the notebooks: the course, lesson by lesson, and the gallery, picture by picture."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import nbformat

from tensorkit.lab.lessons import lesson_source
from tensorkit_widgets.site.lessons import FOLDER as LESSONS
from tensorkit_widgets.site.pictures import FOLDER
from tensorkit_widgets.site.slim import slim

_ROW = re.compile(
    r"^\| \[(?P<title>.+?)\]\((?P<file>.+?)\.ipynb\) \| (?P<course>\d+) \| (?P<practice>\d+) \|$", re.M
)
_PICTURE = re.compile(r'<img class="tk-still" alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]+)"')


_GALLERY = """Every widget of the kit on real data, with how to call it and how to work it.
In a notebook they are live; here you see what they draw."""


def _cells(name: str) -> list[Any]:
    return list(nbformat.read(lesson_source() / f"{name}.ipynb", as_version=4).cells)


def course() -> str:
    """The lessons in order, each with what it says of itself, as Markdown; the links are HTML, as the lessons are.

    >>> "## 03 · Transpose and permute" in course()
    True
    """
    table = next(cell.source for cell in _cells("index") if _ROW.search(cell.source))
    lessons = "\n".join(map(_lesson, _ROW.finditer(table)))
    return f"""# The course

{len(_ROW.findall(table))} lessons, each built on those before it. You predict what a line gives before you run it,
watch the storage of a live tensor answer, and put what you saw to use in exercises that know the usual mistakes.

{lessons}
## Afterwards: the puzzles

Four sittings in which you set a tensor's strides yourself.

<a href="{LESSONS}/puzzles.html">Open the puzzles</a>

## The talk

A talk of 45 minutes across the lessons, as its audience has it: without the speaker's notes,
to read again and to play with.

<a href="{LESSONS}/webinar.html">Open the talk</a>
"""


def _lesson(row: re.Match[str]) -> str:
    first = _cells(row["file"])[0].source
    about = first.split("\n\n")[1]
    questions = "\n".join(re.findall(r"^(?:- .*|  .*)$", first, re.M))
    return f"""## {row["title"]}

{about}

{questions}

{row["course"]} minutes to its practice, {row["practice"]} minutes of practice.

<a href="{LESSONS}/{row["file"]}.html">Open lesson {row["title"][:2]}</a>
"""


def gallery(sources: Path) -> str:
    """Every widget with how it is called and worked, the code of its picture, and the picture, as Markdown.

    The pictures are those of the executed notebook; they are written into a folder of the sources.
    """
    about, *cells = _cells("gallery")
    pages = [f"{about.source.partition(chr(10))[0]}\n\n{_GALLERY}\n"]
    heading = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            heading = _below_one_title(cell.source) if re.search(r"^#+ ", cell.source, re.M) else heading
            continue
        for found, words in _pictures(cell):
            pages.append(
                f"{heading}\n\n```python\n{cell.source}\n```\n\n{_shown(found, words, len(pages), sources)}"
            )
            heading = ""
    return "\n".join(pages)


def _below_one_title(text: str) -> str:
    """A cell without the heading that groups the widgets: the page has one title."""
    return re.sub(r"^# .*\n+", "", text, flags=re.M)


def _pictures(cell: Any) -> Iterator[tuple[re.Match[str], str]]:
    for output in cell.outputs:
        data = output.get("data", {})
        found = _PICTURE.search(data.get("text/html", ""))
        if found:
            yield found, data["text/plain"]


def _shown(found: re.Match[str], words: str, number: int, sources: Path) -> str:
    place = sources / FOLDER / f"gallery-{number}.svg"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(slim(base64.b64decode(found[2]).decode()), encoding="utf-8")
    alt = " ".join(unescape(found[1]).split())
    return f""":::{{container}} tk-wide
```{{image}} /{FOLDER}/{place.name}
:alt: {alt}
```
:::

<details class="tk-words"><summary>The picture in words</summary>
<pre tabindex="0" role="group" aria-label="the picture in words">
{escape(words)}
</pre></details>
"""
