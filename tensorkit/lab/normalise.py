"""Executed lessons as files that can be compared: the same lesson gives the same bytes.

Running a notebook leaves traces of the run: the state of every widget, execution counts that jump, versions,
paths of this machine in a traceback. None of it teaches. `normalise` takes it out and keeps what a reader
without a kernel needs: the text and the picture of every output.

    python -m tensorkit.lab.normalise --execute notebooks/*.ipynb     run again, normalise, write
    python -m tensorkit.lab.normalise notebooks/*.ipynb               normalise, write
    python -m tensorkit.lab.normalise --check notebooks/*.ipynb       say what is not normal; write nothing
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tensorkit.process.whole_file import beside

from .ending import command
from .errors import LabError
from .files import read_notebook
from .kernel import started

Notebook = dict[str, Any]

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_CELL_METADATA_KEPT = {"tags", "jupyter", "slideshow", "tensorkit"}
_KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# Voila's own page fetches an icon font from the network; ours, which is installed with us, does not.
_VOILA = {"template": "tensorkit"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_CELL_NUMBER = re.compile(r"(In ?)\[\d+\]")
_HERE = [str(place) for place in (Path(__file__).resolve().parents[2], sys.prefix, sys.base_prefix)]
_PLACES = [
    "/home/",
    "/Users/",
    "/root/",
    "/tmp/",
    "C:\\Users",
    *(place for place in _HERE if place.count("/") > 1),
]
_LOCAL_PATH = re.compile(rf"(?:{'|'.join(map(re.escape, _PLACES))})[^\s\"']*")


def normalise(notebook: Notebook) -> Notebook:
    """A copy of a notebook without the traces of the run that made its outputs.

    Widget state and widget views go, the picture (`text/html`) and the text stay; execution counts become
    1, 2, 3 ... (a cell that never ran keeps none, so that a test can see it); volatile metadata goes, and the page
    that Voila is to make is named; the ids of the cells follow from their text; tracebacks keep the learner's own
    cell and the message.

    Args:
        notebook: a notebook of format 4, as parsed from its JSON.

    Returns:
        A new notebook; the argument is not changed.

    Examples:
        >>> cell = {"cell_type": "code", "id": "x", "source": "1 + 1", "metadata": {"scrolled": True},
        ...         "execution_count": 7, "outputs": []}
        >>> done = normalise({"cells": [cell], "metadata": {"widgets": {}}})
        >>> done["cells"][0]["execution_count"], done["cells"][0]["metadata"], "widgets" in done["metadata"]
        (1, {}, False)
    """
    done = copy.deepcopy(notebook)
    done["metadata"] = {
        "kernelspec": dict(_KERNELSPEC),
        "language_info": {"name": "python"},
        "voila": dict(_VOILA),
    }
    done["nbformat"], done["nbformat_minor"] = 4, 5
    count, taken = 0, set[str]()
    for cell in done["cells"]:
        cell["id"] = _identity(_text(cell["source"]), taken)
        kept = {key: value for key, value in cell["metadata"].items() if key in _CELL_METADATA_KEPT and value}
        cell["metadata"] = kept
        if cell["cell_type"] == "code":
            if cell.get("execution_count") is not None:
                count += 1
                cell["execution_count"] = count
            cell["outputs"] = _outputs(cell.get("outputs", []), cell.get("execution_count"))
        elif not cell.get("attachments"):
            cell.pop("attachments", None)
    return done


def normalised_text(notebook: Notebook) -> str:
    """The bytes that a normalised lesson has on disk, as text.

    Examples:
        >>> normalised_text({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).splitlines()[1]
        ' "cells": [],'
    """
    done = normalise(notebook)
    for cell in done["cells"]:
        cell["source"] = _lines(cell["source"])
        for output in cell.get("outputs", []):
            _split_lines(output)
    return json.dumps(done, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def faults(text: str) -> list[str]:
    """What keeps a lesson's file from being executed and normalised, in sentences; empty when all is well.

    Examples:
        >>> faults('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
        ['it is not normalised: run `make lessons`']
    """
    notebook = json.loads(text)
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        if not _text(cell["source"]).strip():
            found.append(f"cell {number} is empty")
        elif cell.get("execution_count") is None:
            found.append(f"cell {number} was never executed")
        found += _output_faults(number, cell)
    if text != normalised_text(notebook):
        found.append("it is not normalised: run `make lessons`")
    return found


def execute(notebook: Notebook, folder: Path, *, timeout: int = 300, kernel: Any = None) -> Notebook:
    """Run every cell of a notebook, in a fresh kernel or a given one.

    Args:
        notebook: a notebook, as parsed from its JSON.
        folder: the folder in which the kernel works.
        timeout: seconds allowed to each cell.
        kernel: the manager of a kernel that is taken, begun if need be, and left running.

    Returns:
        A new notebook with the outputs of this run.

    Raises:
        nbclient.exceptions.CellExecutionError: when a cell without the tag `raises-exception` fails.
    """
    import nbclient
    import nbformat

    node = nbformat.v4.reads(json.dumps(notebook))
    client = nbclient.NotebookClient(
        node,
        kernel,
        timeout=timeout,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    with started(client, "the lesson"):
        for number, cell in enumerate(node.cells):
            client.execute_cell(cell, number)
    done: Notebook = json.loads(nbformat.v4.writes(node))
    return done


def _outputs(outputs: Iterable[Notebook], count: int | None) -> list[Notebook]:
    done: list[Notebook] = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            # How a stream is cut into pieces depends on timing.
            if done and done[-1]["output_type"] == "stream" and done[-1]["name"] == output["name"]:
                done[-1]["text"] += _text(output["text"])
                continue
            output["text"] = _text(output["text"])
        elif kind == "error":
            output["traceback"] = _traceback(output["traceback"], count)
        else:
            output["data"].pop(_WIDGET_VIEW, None)
            output["metadata"] = {k: v for k, v in output.get("metadata", {}).items() if k in output["data"]}
            if kind == "execute_result":
                output["execution_count"] = count
            if not output["data"]:
                continue
        done.append(output)
    return done


# A frame of a file, or IPython's word on frames that it left out.
_ENGINE_FRAMES = ("File ", "[... skipping hidden")


def _traceback(frames: Sequence[str], count: int | None) -> list[str]:
    """The frames of the learner's own cells, and the message; others name paths of this machine."""
    kept = [frame for frame in frames if not _ANSI.sub("", frame).strip().startswith(_ENGINE_FRAMES)]
    number = "" if count is None else str(count)
    return [_CELL_NUMBER.sub(rf"\1[{number}]", frame) for frame in kept]


def _output_faults(number: int, cell: Notebook) -> list[str]:
    found = []
    may_fail = "raises-exception" in cell["metadata"].get("tags", [])
    for output in cell.get("outputs", []):
        if output["output_type"] == "error" and not may_fail:
            found.append(f"cell {number} failed with {output['ename']}")
        for text in _texts(output):
            if path := _LOCAL_PATH.search(text):
                found.append(f"cell {number} prints a path of the machine it ran on: {path[0]}")
    return found


def _texts(output: Notebook) -> list[str]:
    if output["output_type"] == "stream":
        return [_text(output["text"])]
    if output["output_type"] == "error":
        return [output["evalue"], *output["traceback"]]
    return [_text(value) for kind, value in output["data"].items() if kind.startswith("text/")]


def _identity(source: str, taken: set[str]) -> str:
    """A cell id that depends on the cell's text alone, and stays when other cells come or go."""
    repeat = 0
    while True:
        digest = hashlib.sha256(f"{source}\0{repeat}".encode()).hexdigest()[:8]
        if digest not in taken:
            taken.add(digest)
            return digest
        repeat += 1


def _text(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else str(value)


def _lines(value: Any) -> list[str]:
    return _text(value).splitlines(keepends=True)


def _split_lines(output: Notebook) -> None:
    if output["output_type"] == "stream":
        output["text"] = _lines(output["text"])
    for kind, value in output.get("data", {}).items():
        if isinstance(value, (str, list)) and (kind.startswith("text/") or kind == "image/svg+xml"):
            output["data"][kind] = _lines(value)


@command
def main(argv: Sequence[str] | None = None) -> int:
    """The command of this module; returns its exit code.

    Examples:
        >>> main([])
        0
    """
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m tensorkit.lab.normalise", description=about)
    parser.add_argument("notebooks", nargs="*", type=Path)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--execute", action="store_true", help="run the notebooks first")
    choice.add_argument("--check", action="store_true", help="write nothing; exit 1 when there are faults")
    options = parser.parse_args(argv)
    worked = [_one(path, options.execute, options.check) for path in options.notebooks]
    return 0 if all(worked) else 1


def _executed(path: Path, notebook: Notebook) -> Notebook:
    """`execute` for the command: a lesson that fails is a matter of one line."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    try:
        return execute(notebook, path.resolve().parent)
    except CellExecutionError as error:
        why = f"{error.ename}: {error.evalue}".partition("\n")[0]
    except CellTimeoutError:
        why = "a cell ran for too long"
    except DeadKernelError:
        why = "the kernel died"
    raise LabError(f"{path} is left as it was, for a cell of it failed ({why}); mend that cell, or tag it.")


def _one(path: Path, run: bool, check: bool) -> bool:
    notebook = read_notebook(path)
    if notebook["nbformat"] != 4:
        raise LabError(f"{path} is of an old format of notebooks; open it in JupyterLab and save it.")
    if check:
        text = path.read_text(encoding="utf-8")
    else:
        if run:
            notebook = _executed(path, notebook)
        text = normalised_text(notebook)
        with beside(path) as written:
            written.write_text(text, encoding="utf-8")
    found = faults(text)
    for fault in found:
        print(f"{path}: {fault}", file=sys.stderr)
    return not found


if __name__ == "__main__":
    sys.exit(main())
