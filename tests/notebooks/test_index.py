"""The index page lists every lesson, with the minutes that the lesson itself states.

After a change of these, `python -m tests.notebooks.test_index` writes the table again.
"""

from __future__ import annotations

import json
import re

from tests.notebooks.test_minutes import LESSONS, SAYS, cells_of

INDEX = LESSONS[0].with_name("index.ipynb")


def table() -> str:
    """The table, from the lessons themselves."""
    rows = ["| lesson | minutes to its practice | minutes of practice |", "|---|---|---|"]
    for path in LESSONS:
        first = cells_of(path)[0]["source"]
        title = first.partition("\n")[0].removeprefix("# ")
        says = SAYS.search(first)
        rows.append(f"| [{title}]({path.name}) | {says[1] if says else '–'} | {says[2] if says else '–'} |")
    return "\n".join(rows)


def test_the_index_lists_the_lessons_and_their_minutes() -> None:
    found = [re.findall(r"^\|.*\|$", cell["source"], re.MULTILINE) for cell in cells_of(INDEX)]
    assert "\n".join(next(filter(None, found))) == table()


def test_its_links_lead_to_notebooks_that_are_there() -> None:
    words = "\n".join(cell["source"] for cell in cells_of(INDEX))
    links = re.findall(r"\]\(([^)]+)\)", words)
    assert links
    assert [link for link in links if not INDEX.with_name(link).is_file()] == []


if __name__ == "__main__":
    page = json.loads(INDEX.read_text(encoding="utf-8"))
    for cell in page["cells"]:
        text = re.sub(r"(^\|.*\|\n)+", table() + "\n", "".join(cell["source"]), flags=re.MULTILINE)
        cell["source"] = text.splitlines(keepends=True)
    INDEX.write_text(json.dumps(page, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
