"""The page of a lesson: text, highlighted code and recorded outputs, to be read without Python and without a server.

| in the notebook | on the page |
|---|---|
| a cell ``after`` a prediction, by its metadata | behind a fold, until the prediction is made or the fold is opened |
| the speaker's notes, comments, raw cells | left out |
| a picture of the kit | as it was recorded, with its text behind a fold; where it was run for the page, all its steps |
| a link to another notebook | a link to its page where that is there, else its words |

nbconvert makes it, with the template `tensorkit-page` in `jupyter/nbconvert`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tensorkit.lab.files import notebook_cells, title_of

Cell = dict[str, Any]

_TEMPLATES = Path(__file__).resolve().parents[1] / "jupyter" / "nbconvert" / "templates"
_STYLE = _TEMPLATES / "tensorkit-page" / "page.css"

_READ = (
    "default-src 'none'; img-src data: 'self'; media-src data: 'self'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_PLAY = "; script-src 'self' blob: 'wasm-unsafe-eval'{inline}; worker-src blob:; connect-src 'self' blob:"

_PREDICTION = re.compile(r"\bPredict\(\s*([\"'])(.+?)\1")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_FOLD = re.compile(r"<details>\s*<summary>Show</summary>(.*?)</details>", re.S)
_INVITED = re.compile(r'<p class="tk-play"[^>]*>.*?</p>', re.S)
_LINK = re.compile(r'<a href="([^"#:]+\.ipynb)(#[^"]*)?"[^>]*>(.*?)</a>', re.S)
_STILL = re.compile(r'\s*<(?:img|div) class="tk-still"')
_EMPTY_HEAD = re.compile(r"<th\b[^>]*></th>")
_ALIVE = {"application/vnd.jupyter.widget-view+json", "application/javascript"}


def page_of(
    source: Path,
    *,
    assets: str | None = None,
    inline: str = "",
    links: Mapping[str, str] | None = None,
    recorded: Iterable[str] = (),
) -> str:
    """A notebook as HTML.

    Args:
        source: the notebook.
        assets: where the files lie that let the page play, as its address sees them; None for a page that is read.
        inline: what the policy allows of scripts within the page.
        links: the addresses of the pages of other notebooks, by their names.
        recorded: the files with the steps of pictures, as `recorded_name` names them.

    Examples:
        >>> import json, tempfile
        >>> path = Path(tempfile.mkdtemp()) / "mine.ipynb"
        >>> cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Two rows"}
        >>> _ = path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        >>> "<h1" in page_of(path), "<script" in page_of(path)
        (True, False)
    """
    import nbformat
    from nbconvert import HTMLExporter

    cells = list(_grouped(_shown(notebook_cells(source), _Steps(source.stem, frozenset(recorded)))))
    about = {
        "title": title_of(cells) or source.stem,
        "lesson": source.stem,
        "language_info": {"name": "python"},
        "assets": assets,
        "policy": _READ if assets is None else _READ + _PLAY.format(inline=inline and f" {inline}"),
        "style": _STYLE.read_text(encoding="utf-8"),
    }
    exporter = HTMLExporter(
        template_name="tensorkit-page", extra_template_basedirs=[str(_TEMPLATES)],
        exclude_input_prompt=True, exclude_output_prompt=True, exclude_anchor_links=True, embed_images=True,
    )  # fmt: skip
    book = nbformat.from_dict({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 4})
    body, _ = exporter.from_notebook_node(book, {"metadata": {"path": str(source.parent)}})
    return _LINK.sub(lambda link: _linked(link, links or {}), _EMPTY_HEAD.sub("<td></td>", body))


def _linked(link: re.Match[str], links: Mapping[str, str]) -> str:
    """A link to another notebook's page; its words alone where there is none."""
    name, place, words = link[1], link[2] or "", link[3]
    return f'<a href="{links[name]}{place}">{words}</a>' if name in links else words


def recorded_name(lesson: str, cell: int, picture: int) -> str:
    """The file that has the steps of a picture.

    Args:
        lesson: the notebook's name.
        cell: the number of the code cell, from 1.
        picture: which of the cell's pictures it is, from 0.
    """
    return f"recorded/{lesson}-{cell}-{picture}.html"


class _Steps(NamedTuple):
    """Which pictures of a lesson have their steps beside the page."""

    lesson: str
    files: frozenset[str]

    def of(self, cell: int, picture: int) -> str:
        """The file with the steps of a picture; empty when there is none."""
        name = recorded_name(self.lesson, cell, picture)
        return name if name in self.files else ""


def _shown(cells: Iterable[Cell], steps: _Steps) -> Iterator[Cell]:
    """The cells that the page has, each with what the template reads of it in its metadata."""
    number = 0
    for cell in cells:
        kind, text = cell["cell_type"], cell["source"]
        settings = cell["metadata"].get("tensorkit")
        waits = settings.get("after", ()) if isinstance(settings, dict) else ()
        about: dict[str, Any] = {"after": [waits] if isinstance(waits, str) else list(waits)}
        if kind == "markdown":
            text = _FOLD.sub(r"\1", _COMMENT.sub("", text)) if about["after"] else _COMMENT.sub("", text)
        if not text.strip() or kind == "raw":
            continue
        shown = {"cell_type": kind, "source": text, "metadata": about}
        if kind == "markdown":
            yield {**shown, "attachments": cell.get("attachments", {})}
            continue
        number += 1
        fails = "raises-exception" in cell["metadata"].get("tags", ())
        about |= {"name": cell.get("id", f"cell-{number}"), "number": number, "fails": fails}
        about["scenes"] = _scenes(settings)
        outputs = list(map(_recorded, cell["outputs"]))
        pictures = [output for output in outputs if output.get("metadata", {}).get("twin")]
        for which, output in enumerate(pictures):
            output["metadata"]["recorded"] = steps.of(number, which)
        yield {**shown, "outputs": outputs, "execution_count": None}


def _scenes(settings: Any) -> str:
    """The scenes of a cell's picture as JSON, without what only the speaker sees; empty when it has none."""
    given = settings.get("scenes") if isinstance(settings, dict) else None
    told = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    scenes = [{name: value for name, value in one.items() if name != "notes"} for one in told]
    return json.dumps(scenes) if scenes else ""


def _recorded(output: Cell) -> Cell:
    """An output without what lives only in a notebook, told how it is to be shown."""
    if "data" not in output:
        return output
    data = {kind: value for kind, value in output["data"].items() if kind not in _ALIVE}
    html = str(data.get("text/html", ""))
    if html:
        data["text/html"] = _INVITED.sub("", html)
    # A card is text already; a picture has its words for those who do not see it.
    twin = bool(_STILL.match(html)) and html.lstrip().startswith("<img") and "text/plain" in data
    return {**output, "data": data, "metadata": {"twin": twin, "alt": "the figure that the code above draws"}}


def _grouped(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Cells one after another that wait for the same predictions share a fold."""
    asked: set[str] = set()
    last: Cell | None = None
    asks = False  # whether the cell above the fold is the card that it waits for
    for cell in cells:
        waits = [name for name in cell["metadata"].pop("after") if name in asked]
        about = cell["metadata"]
        about["waits"] = " ".join(waits)
        if last is not None and last["metadata"]["waits"] != about["waits"]:
            last["metadata"]["closes"] = bool(last["metadata"]["waits"])
        if waits and (last is None or last["metadata"]["waits"] != about["waits"]):
            about["opens"], about["words"] = about["waits"], _words(len(waits), near=asks)
        names = (
            {found[2] for found in _PREDICTION.finditer(cell["source"])}
            if cell["cell_type"] == "code"
            else set()
        )
        asks = asks if waits else bool(names)
        asked |= names
        if last is not None:
            yield last
        last = cell
    if last is not None:
        last["metadata"]["closes"] = bool(last["metadata"]["waits"])
        yield last


def _words(count: int, *, near: bool) -> str:
    if near:
        return "The answer is below. Predict first, or open it here."
    what = "the answer to a prediction" if count == 1 else f"the answers to {count} predictions"
    return f"What follows gives away {what} above. Predict first, or open it here."
