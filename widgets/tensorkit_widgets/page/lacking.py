"""What a page's small engine lacks: a sentence in the place of an error that would puzzle.

>>> try:
...     import numpy.nothing
... except ImportError as error:
...     lacking(error)
'This needs NumPy, which a page in a browser does not have. Open the lesson in Jupyter (tensorkit lab) to run it.'
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.resources import files
from typing import Any

ELSEWHERE = "Open the lesson in Jupyter (tensorkit lab) to run it."
_LIBRARIES = {
    "numpy": "NumPy", "ml_dtypes": "NumPy", "torch": "PyTorch", "scipy": "SciPy", "matplotlib": "matplotlib",
    "IPython": "IPython",
}  # fmt: skip

_KEYWORDS = frozenset(
    {
        "copy", "correction", "descending", "device", "dim", "dtype", "generator", "keepdim", "largest", "layout",
        "memory_format", "non_blocking", "out", "pin_memory", "requires_grad", "sorted", "stable", "unbiased",
    }
)  # fmt: skip
"""What functions of the whole engine take by name; another word is a slip."""


class NeedsJupyter(RuntimeError):
    """What is asked for is not here. Its text names that thing."""


class Elsewhere:
    """What a lesson imports among others and a page does not have: only the cell that uses it has to do without."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        raise NeedsJupyter(f"`{self._name}`")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self()


def lacking(error: BaseException) -> str:
    """What is missing and where it is, for an error that comes of the small engine; empty for the learner's own.

    A name that the whole engine has not either is the learner's own slip.
    """
    if isinstance(error, NotImplementedError) and str(error).startswith("The plain engine"):
        return f"{error} {ELSEWHERE}"
    what = _missing(error)
    if not what:
        return ""
    if what in _LIBRARIES.values():
        return f"This needs {what}, which a page in a browser does not have. {ELSEWHERE}"
    return f"{what} needs the whole engine; this page has a small one. {ELSEWHERE}"


def _missing(error: BaseException) -> str:
    if isinstance(error, NeedsJupyter):
        return str(error)
    if isinstance(error, ImportError):
        return _import(error)
    if isinstance(error, AttributeError):
        return _attribute(error.obj, str(error.name))
    if isinstance(error, TypeError):
        found = re.search(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'", str(error))
        known = found and found[1] in _whole() and found[2] in _KEYWORDS
        return f"`{found[1]}` with `{found[2]}=`" if found and known else ""
    return ""


def _import(error: ImportError) -> str:
    module = str(error.name or "")
    library = _LIBRARIES.get(module.partition(".")[0], "")
    if library or module.partition(".")[0] != "tensorkit":
        return library
    found = re.search(r"cannot import name '(\w+)'", str(error))
    return f"`{module}.{found[1]}`" if found else f"`{module}`"


def _attribute(owner: Any, name: str) -> str:
    engine = _engine()
    if name not in _whole():
        return ""
    if owner in (engine, engine.plain):
        return f"`tk.{name}`"
    return f"`.{name}` of a tensor" if isinstance(owner, engine.Tensor) else ""


@cache
def _whole() -> frozenset[str]:
    """The names of the whole engine and of its tensors, which the bundle has beside the small one."""
    names = files("tensorkit").joinpath("whole_names.txt")
    return frozenset(names.read_text(encoding="utf-8").split() if names.is_file() else ())


def _engine() -> Any:
    return sys.modules["tensorkit"]
