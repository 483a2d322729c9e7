"""Programs that are run twice, once with PyTorch under the name ``torch`` and once with tensorkit, and say the same.

A program is Python's source. It calls ``say`` with what is to be compared: values are compared by their text, tensors
besides by their bits. Exceptions are compared by class and words where the program says ``fails(lambda: …)``, and all
warnings are.
"""

from __future__ import annotations

import collections
import copy
import pickle
import re
import sys
import types
import warnings
from typing import Any

import tensorkit
from tests.torch_oracle import require_torch

__all__ = ["differing", "run"]

_TORCH = re.compile(r"(?<![\w.])torch\.")
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def _told(text: str) -> str:
    """A text without what must differ: the package's name in qualified names, addresses, the paths of C++."""
    text = text.split("\nException raised from")[0]
    return _ADDRESS.sub("0x", _TORCH.sub("tensorkit.", text))


def _class(value: Any) -> str:
    """The class of an error that PyTorch's code would catch."""
    return next(kind.__name__ for kind in type(value).__mro__ if kind.__module__ == "builtins")


def run(torch: Any, program: str) -> list[Any]:
    """What a program says, with PyTorch or tensorkit under the name ``torch``."""
    said: list[Any] = []

    def say(*values: Any) -> None:
        for value in values:
            said.append(_told(value if isinstance(value, str) else repr(value)))
            if isinstance(value, torch.Tensor) and value.device.type == "cpu" and type(value) is torch.Tensor:
                plain = value.detach()
                plain = plain.float() if plain.dtype is torch.bfloat16 else plain
                said.append(plain.resolve_conj().numpy().tobytes())

    def fails(action: Any) -> None:
        try:
            said.append(("no error", _told(repr(action()))))
        except Exception as error:
            words = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
            said.append((_class(error), _told(words)))

    # Pickles find the program's classes by the name of a module.
    module = types.ModuleType("program")
    names = {"torch": torch, "nn": torch.nn, "init": torch.nn.init, "say": say, "fails": fails}
    module.__dict__.update(names, pickle=pickle, copy=copy, OrderedDict=collections.OrderedDict)
    sys.modules["program"] = module
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(program, "program", "exec"), module.__dict__)
    finally:
        del sys.modules["program"]
    own = [one for one in caught if "Triggered internally" not in str(one.message)]
    return [*said, *((one.category.__name__, _told(str(one.message))) for one in own)]


def differing(program: str) -> list[tuple[Any, Any]]:
    """Where the two runs of a program say something else; the count of what they say is compared too."""
    theirs, ours = run(require_torch(), program), run(tensorkit, program)
    width = max(len(theirs), len(ours))
    theirs, ours = (said + ["nothing more"] * (width - len(said)) for said in (theirs, ours))
    assert width, "the program says nothing"
    return [(one, other) for one, other in zip(theirs, ours, strict=True) if one != other]
