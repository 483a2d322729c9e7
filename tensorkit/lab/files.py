"""It checks that what is read is a file, and a notebook; if not, a sentence says what it is."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import LabError, refused

_TITLE = re.compile(r"^#\s+(.*?)\s*$", re.M)


def require_file(path: Path) -> None:
    """Check that a path, if anything is there, is a file: a folder cannot be read, and a pipe would be waited for.

    Raises:
        LabError: in one sentence.

    Examples:
        >>> require_file(Path(os.devnull))  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        tensorkit.lab.errors.LabError: /dev/null is no file; move it away, or name another.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        what = "a folder" if os.path.isdir(path) else "no file"
        raise LabError(f"{path} is {what}; move it away, or name another.")


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook as its JSON is, of any version that Jupyter knows.

    Raises:
        LabError: when it cannot be read, or is not a notebook: one sentence that says where it is damaged.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.ipynb"
        >>> _ = path.write_text('{"cells": [], "metadata": 3, "nbformat": 4, "nbformat_minor": 5}')
        >>> try: read_notebook(path)
        ... except LabError as error: print(str(error).replace(str(path), "It"))
        It is no notebook that can be read (metadata: 3 is not of type 'object'); mend it, or take an earlier version.
    """
    import nbformat

    require_file(path)
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ids of cells that are missing are given
            nbformat.validate(found, relax_add_props=True)
    except OSError as error:
        raise LabError(refused(error, path, doing="read")) from error
    except Exception as error:  # whatever a damaged file leads to in there
        raise LabError(
            f"{path} is no notebook that can be read ({_reason(error)}); mend it, or take an earlier version."
        ) from error
    return found


def notebook_cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook of any version, in the form of today's."""
    import nbformat

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ids of cells that are missing are given
        book = nbformat.convert(nbformat.reader.reads(path.read_text(encoding="utf-8")), 4)
    cells: list[dict[str, Any]] = book["cells"]
    return cells


def title_of(cells: Iterable[Mapping[str, Any]]) -> str:
    """The first heading of a notebook, without its marks; "" where it has none.

    Examples:
        >>> title_of([{"cell_type": "markdown", "source": "# Two *rows* of `t`"}])
        'Two rows of t'
    """
    texts = (cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    return next((re.sub(r"[*`]", "", found[1]) for found in map(_TITLE.search, texts) if found), "")


def _reason(error: Exception) -> str:
    """Where it is damaged, in a line."""
    from nbformat import ValidationError

    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, ValueError):  # no JSON, or no UTF-8
        return str(error)
    if not isinstance(error, ValidationError):  # so damaged that it could not be looked at
        return "it has not the form of a notebook"
    place = ".".join(map(str, getattr(error, "absolute_path", ())))
    return f"{place}: {error.message}" if place else str(error).partition("\n")[0]
