"""A program runs with PyTorch and with tensorkit; what comes out is made comparable."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy

import tensorkit
from tests.torch_oracle import require_torch

Program = Callable[[Any], Any]


def plain(thing: Any) -> Any:
    """What a result is made of, without its library: dtype, shape and numbers of tensors, classes of containers."""
    if isinstance(thing, tensorkit.Tensor | require_torch().Tensor):
        return "tensor", str(thing.dtype).partition(".")[2], tuple(thing.shape), thing.tolist()
    if isinstance(thing, numpy.ndarray):
        return "array", str(thing.dtype), thing.tolist()
    if isinstance(thing, Mapping):
        return type(thing).__name__, [(plain(key), plain(value)) for key, value in thing.items()]
    if isinstance(thing, str | bytes | int | float | complex | None):
        return thing
    if isinstance(thing, Collection):
        return type(thing).__name__, [plain(member) for member in thing if member is not thing]
    return type(thing).__name__


def said(text: str) -> str:
    """A sentence without what is particular to a run: PyTorch's name, addresses, the lines of a traceback."""
    text = re.sub(r"\btorch\.", "tensorkit.", text)
    text = re.sub(r" at 0x\w+", "", text)
    return re.sub(r"\nOriginal Traceback.*\n(?=\w)", "\nOriginal Traceback …\n", text, flags=re.DOTALL)


def outcome(lib: Any, program: Program) -> Any:
    """What a program gives or raises, and what it warns of. Both libraries begin with the same random numbers."""
    lib.manual_seed(7)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = plain(program(lib))
        except Exception as error:
            found = type(error).__name__, said(str(error))
    told = [(one.category.__name__, said(str(one.message))) for one in warned]
    return found, told, plain(lib.rand(1))


def assert_same(program: Program) -> None:
    """Both libraries give the same, and draw the same random numbers afterwards."""
    torch = require_torch()
    for name in ("dataset", "sampler", "dataloader", "distributed", "_utils.collate", "_utils.pin_memory"):
        importlib.import_module(f"tensorkit.utils.data.{name}")
    ours, theirs = outcome(tensorkit, program), outcome(torch, program)
    assert ours == theirs, f"{ours}\n{theirs}"
