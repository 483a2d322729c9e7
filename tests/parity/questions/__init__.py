"""Questions put to both libraries, one a line: expressions in ``tk``, ``np``, ``pd``, ``copy``, ``pickle``, ``math``.

A line that begins with ``#`` is a heading. What tensorkit must say is not written down here: PyTorch says it. But its
builds differ: where there is no GPU, tensorkit says what the CPU build says, and a CUDA build does not know that. Of
these questions, and of no others, ``cpu_build.txt`` has the answers, so that either build may be the oracle.
"""

from __future__ import annotations

import builtins
import copy
import functools
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


@functools.cache
def cpu_build() -> dict[str, str]:
    """What PyTorch's CPU build answers, by question, where its CUDA build answers otherwise without a GPU."""
    answers, answer = {}, ""
    for line in lines("cpu_build"):
        if line.startswith("= "):
            answer = line[2:]
        else:
            answers[line] = answer
    return answers


def told(torch: Any, question: str) -> str:
    """What PyTorch answers, or the class and the first line of its error, as ``cpu_build.txt`` has it."""
    text, error, _ = _asked(torch, question)
    return text if error is None else f"{type(error).__name__}: {str(error).splitlines()[0]}"


def _expected(torch: Any, question: str) -> tuple[str, BaseException | None, list[tuple[str, str]] | None]:
    """What PyTorch's CPU build answers, whichever build is asked; None where only that one knows what it warns of."""
    known = cpu_build().get(question)
    if known is None or not torch.backends.cuda.is_built() or torch.cuda.is_available():
        return _asked(torch, question)
    failed = re.fullmatch(r"(\w+Error): (.*)", known)
    return ("", getattr(builtins, failed[1])(failed[2]), None) if failed else (known, None, None)


def disagreement(torch: Any, tk: Any, question: str) -> str | None:
    """In what the two libraries' answers differ; None where they agree."""
    ours, theirs = _asked(tk, question), _expected(torch, question)
    wrong = same_error(ours[1], theirs[1])
    if wrong is not None:
        return wrong
    same = ours[0] == theirs[0] and theirs[2] in (ours[2], None)
    return None if same else f"{ours} against {theirs}"
