"""The steps of a lesson's pictures that only the whole engine draws: the lesson is run, and each picture is kept.

Done in a kernel of its own, as JupyterLab runs the notebook. What is kept is a part of a page, which needs no Python.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from pathlib import Path
from typing import Any

from tensorkit.lab.errors import LabError
from tensorkit.lab.files import notebook_cells
from tensorkit.lab.kernel import started
from tensorkit.lab.scene_rehearsal import as_in_jupyterlab

from .page import recorded_name

Recordings = dict[str, str]
"""The steps of pictures as HTML, by the names of their files."""

STILL = re.compile(r'<img class="tk-still" alt="(\w+)')
"""A recorded picture of a widget, and its class."""

_PATIENCE_S = 300
_ASKED = """\
from tensorkit_widgets.widget.recordings import recordings as _asked
print(_asked({cell!r}, {playing!r}))
del _asked
"""


def record(source: Path, playing: Container[str]) -> Recordings:
    """Run a notebook and keep the pictures that do not play on a page; nothing is run where all of them do.

    Args:
        source: the notebook.
        playing: the classes whose pictures play.

    Raises:
        LabError: when a cell fails that is not meant to, or the kernel ends.
    """
    cells = [cell for cell in notebook_cells(source) if cell["cell_type"] == "code"]
    shown = {kind for cell in cells for kind in stills(cell)}
    needed = {kind for kind in shown if kind not in playing}
    return _run(source, shown - needed) if needed else {}


def stills(cell: dict[str, Any]) -> list[str]:
    """The classes of the widgets whose pictures were recorded as a cell's outputs."""
    html = ("".join(output.get("data", {}).get("text/html", "")) for output in cell["outputs"])
    return [found[1] for text in html for found in STILL.finditer(text)]


def _run(source: Path, playing: set[str]) -> Recordings:
    import nbclient
    import nbformat
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    book = nbformat.read(str(source), as_version=4)
    client = nbclient.NotebookClient(
        book, timeout=_PATIENCE_S, kernel_name="python3", resources={"metadata": {"path": str(source.parent)}}
    )
    kept: Recordings = {}
    code = [cell for cell in book.cells if cell.cell_type == "code" and cell.source.strip()]
    number = 1
    try:
        with started(client, source.name):
            for number, cell in enumerate(code, 1):
                cell["id"] = f"cell-{number}"  # an old notebook has none
                as_in_jupyterlab(client, cell)
                pictures = len(stills(cell))
                client.execute_cell(cell, number)
                if not pictures:
                    continue
                asked = nbformat.v4.new_code_cell(_ASKED.format(cell=cell["id"], playing=playing))
                client.execute_cell(asked, number, store_history=False)
                found = json.loads("".join(output["text"] for output in asked.outputs))
                if len(found) != pictures:
                    continue  # the file was changed since it was executed: its pictures are others
                names = (recorded_name(source.stem, number, which) for which in range(pictures))
                kept |= {name: steps for name, steps in zip(names, found, strict=True) if steps}
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        why = getattr(error, "evalue", "") or str(error).splitlines()[0]
        raise LabError(f"code cell {number} of {source.name} could not be run ({why})") from error
    return kept
