"""Questions put to both libraries, one a line: expressions in ``tk``, ``np``, ``pd``, ``copy``, ``pickle``, ``math``.

A line that begins with ``#`` is a heading. What tensorkit must say is not written down here: PyTorch says it.
"""

from __future__ import annotations

import copy
import io
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.parity.compare import same_error
from tests.support.warnings import recorded

__all__ = ["disagreement", "lines", "programs"]

#: PyTorch adds where in its own source a warning was given.
_PLACE = re.compile(r" \(Triggered internally at .*\)")


def lines(name: str) -> list[str]:
    """The questions of one file."""
    text = Path(__file__).with_name(name + ".txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def programs(name: str) -> list[str]:
    """The programs of one file: several lines each, a blank line between two."""
    return Path(__file__).with_name(name + ".txt").read_text(encoding="utf-8").split("\n\n")


def _asked(lib: Any, question: str) -> tuple[str, BaseException | None, list[tuple[str, str]]]:
    """The text of the answer, or the error; and what was warned of, but for what NumPy says of PyTorch."""
    names = {"tk": lib, "np": np, "pd": pd, "copy": copy, "pickle": pickle, "math": math, "io": io}
    with recorded() as caught:
        try:
            text, error = repr(eval(question, names)), None
        except Exception as problem:
            text, error = "", problem
    said = [
        (one.category.__name__, _PLACE.sub("", str(one.message)))
        for one in caught
        if "__array" not in str(one.message) and "TypedStorage is deprecated" not in str(one.message)
    ]
    return _plain(text), error, [(kind, _plain(message)) for kind, message in said]


def _plain(text: str) -> str:
    return text.replace("tensorkit", "torch")


def disagreement(torch: Any, tk: Any, question: str) -> str | None:
    """In what the two libraries' answers differ; None where they agree."""
    ours, theirs = _asked(tk, question), _asked(torch, question)
    wrong = same_error(ours[1], theirs[1])
    if wrong is not None:
        return wrong
    return None if (ours[0], ours[2]) == (theirs[0], theirs[2]) else f"{ours} against {theirs}"
