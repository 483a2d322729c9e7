"""Named pictures that the tests of scenes, of text twins and of the browser code share.

`python -m tests.widgets.scene_examples` writes the golden texts and the fixtures of the JavaScript tests again;
look at the difference before committing it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy

import tensorkit as tk
from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.render.sheet import render_sheet

GOLDEN = Path(__file__).parent / "golden"
FIXTURES = Path(__file__).resolve().parents[2] / "widgets" / "tests-js" / "fixtures"


def _counted(*size: int) -> Any:
    return tk.arange(float(tk.empty(size).numel())).view(*size)


PICTURES: dict[str, tuple[Callable[[], Any], str]] = {
    "base": (lambda: _counted(3, 4), ""),
    "transposed_slice": (lambda: _counted(3, 4), "[1:, ::2].t()"),
    "refused_view": (lambda: _counted(3, 4), ".t().view(12)"),
    "stacked": (lambda: tk.arange(24).view(2, 3, 4), ""),
    "expanded": (lambda: _counted(3, 4), "[0].expand(3, 4)"),
    "overlapping": (lambda: _counted(6), ".unfold(0, 3, 1)"),
    "size_one": (lambda: _counted(1, 6), ""),
    "scalar": (lambda: tk.tensor(5), ""),
    "empty": (lambda: tk.empty(0, 3), ""),
    "copied": (lambda: _counted(3, 4), ".t().contiguous()"),
    "backwards": (lambda: numpy.arange(12.0).reshape(3, 4), "[::-1].T"),
    "window": (lambda: tk.arange(1_000_000).view(1000, 1000), ".t()[:, 7:]"),
    "five_dimensions": (lambda: tk.arange(360).view(2, 3, 3, 4, 5), ".permute(0, 2, 1, 4, 3)"),
    "long": (lambda: tk.arange(40), ""),
    "booleans": (lambda: tk.tensor([[True, False], [False, True]]), ""),
}

LIVE = (
    "transposed_slice", "refused_view", "stacked", "expanded", "overlapping", "size_one", "scalar", "backwards", "long",
    "booleans", "window", "transposed_slice_narrow", "stacked_narrow", "backwards_narrow",
)  # fmt: skip
"""The pictures that the JavaScript tests get, some as they are on a page of 400 pixels."""

FRAMES = ("transposed_slice", "refused_view")
"""Those of which they get all that Python sends: controls, facts and words."""


def told(made: StrideExplorer, kind: str, **more: Any) -> StrideExplorer:
    """An explorer after a message of the browser."""
    made._heard(made, {"kind": kind, **more}, None)
    return made


def explorer(name: str) -> StrideExplorer:
    """The explorer of a named picture, after its expression."""
    make, expression = PICTURES[name.removesuffix("_narrow")]
    made = StrideExplorer(make(), name="t").attempt(expression)
    return told(made, "room", value=400) if name.endswith("_narrow") else made


def focused(made: StrideExplorer, focus: list[int]) -> str:
    """The live SVG with another element in focus."""
    told(made, "look", key="t:" + ",".join(map(str, focus)))
    return render_sheet(made._compose(), live=True)


def seen(svg: str) -> dict[str, Any]:
    """What a focus changes in a picture, as plain data; `stride_scene.test.js` reads the browser's picture so too."""
    parts = list(ElementTree.fromstring(svg).iter())

    def having(word: str) -> list[ElementTree.Element]:
        return [part for part in parts if word in part.get("class", "").split()]

    def words(part: ElementTree.Element) -> str:
        return "".join(part.itertext())

    def named(part: ElementTree.Element) -> list[str | None]:
        return [part.get("data-key"), part.get("class")]

    arcs = having("tk-arcs")[0]
    return {
        "tiles": [named(part) for part in having("tk-tile")],
        "headers": [[words(part), part.get("class")] for part in having("tk-header")],
        "selected": [part.get("aria-label") for part in parts if part.get("aria-selected") == "true"],
        "halos": [[part.get(side) for side in ("x", "y", "width", "height")] for part in having("tk-halo")],
        "formula": "".join(map(words, having("tk-formula"))),
        "arcs": [[*(part.get(name) for name in ("class", "d", "x", "y")), words(part)] for part in arcs],
    }


def fixture(name: str) -> dict[str, Any]:
    """A picture as the browser gets it, and what Python draws for other elements of the same window."""
    made = explorer(name)
    sheet = made._compose()
    indices = [tile.index or () for tile in sheet.tensor.tiles]
    chosen = [] if name in ("long", "refused_view") else [indices[0], indices[len(indices) // 3], indices[-1]]
    slots = {tile.slot for tile in sheet.storage.tiles}
    others = []
    for index in chosen:
        other = explorer(name)
        drawn = unlinked(focused(other, list(index)))
        if {tile.slot for tile in other._compose().storage.tiles} == slots:
            others.append({"focus": list(index), "look": seen(drawn)})
    frame = {**made.frame, "svg": unlinked(made.frame["svg"])} if name in FRAMES else None
    return {"name": name, "svg": unlinked(render_sheet(sheet, live=True)), "others": others, "frame": frame}


def unlinked(svg: str) -> str:
    """Without the number of the storage, which hangs on an address."""
    return re.sub(r'data-storage="\d+"', 'data-storage="1"', svg)


def fixtures() -> str:
    """All fixtures as one JSON text."""
    return json.dumps([fixture(name) for name in LIVE], separators=(",", ":"), ensure_ascii=False) + "\n"


def write() -> None:
    """Write goldens and fixtures."""
    GOLDEN.mkdir(exist_ok=True)
    FIXTURES.mkdir(exist_ok=True)
    for name in PICTURES:
        (GOLDEN / f"{name}.txt").write_text(explorer(name).text() + "\n", encoding="utf-8")
    (GOLDEN / "transposed_slice.svg").write_text(explorer("transposed_slice").svg(), encoding="utf-8")
    (FIXTURES / "scenes.json").write_text(fixtures(), encoding="utf-8")


if __name__ == "__main__":
    write()
