"""PyTorch's own documentation: every example of a docstring, typed in both, prints the same."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorkit
from tensorkit.dispatch.registry import registry
from tests.parity.compare import same_error
from tests.parity.differences import factorises
from tests.parity.test_tutorials import told

pytestmark = pytest.mark.parity

PLACES = ("", "Tensor", "Size", "Generator", "UntypedStorage", "special", "linalg", "random", "testing")
PLACES += ("autograd", "autograd.functional", "autograd.Function", "autograd.graph", "autograd.function")
PLACES += ("autograd.function.FunctionCtx", "autograd.grad_mode", "utils.dlpack", "utils.benchmark")
"""Where PyTorch's docstrings are looked for, below ``torch``."""
ELSEWHERE = re.compile(r"cuda|compile|jit|vmap|distributed|xpu|mps|\bnn\b|sparse|quant|\bfft\b")
"""What an example is about that needs a device that is not here, or a part of PyTorch that is not the engine's."""

#: What an example asks of memory that nobody wrote, of a file that is not there or of a name that the engine has not.
LEFT_OUT = {
    "empty": "memory that nobody wrote",
    "empty_strided": "memory that nobody wrote",
    "Generator.seed": "the operating system's randomness",
    "vmap": "the name of a function, with its address",
    "set_default_dtype": "complex32, which is among the deliberate differences",
}
_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]\d+)?")


def _documented(torch: Any) -> Iterator[tuple[str, str]]:
    """The names below ``torch`` that tensorkit has too, each with its docstring, those with examples."""
    seen = set()
    for place in PLACES:
        theirs, ours = torch, tensorkit
        for part in filter(None, place.split(".")):
            theirs, ours = getattr(theirs, part), getattr(ours, part, None)
        for name in ["", *sorted(dir(theirs))]:
            if ours is None or name.startswith("_") or (name and not hasattr(ours, name)):
                continue
            thing = getattr(theirs, name) if name else theirs
            text = None if inspect.ismodule(thing) else getattr(thing, "__doc__", None)
            if isinstance(text, str) and ">>> " in text and text not in seen:
                seen.add(text)
                yield ".".join(filter(None, (place, name))), inspect.cleandoc(text)


def _program(text: str) -> str:
    """The statements of a docstring's examples, those about other parts of PyTorch taken out."""
    examples = doctest.DocTestParser().get_examples(re.sub(r">>>(?=[^ \n>])", ">>> ", text))
    lines = [re.sub(r"^(import|from) torch.*", "pass", one.source, flags=re.M) for one in examples]
    good = []
    for line in lines:
        try:
            compile(line, "<docstring>", "exec")
        except SyntaxError:
            continue
        if not ELSEWHERE.search(line):
            good.append(line)
    return "".join(good)


def _rounded(name: str) -> bool:
    """Whether the last digits of an example are those of the machine's LAPACK."""
    op = name.removeprefix("Tensor.").replace("linalg.", "linalg_")
    return op in registry and factorises(op)


def _words(text: str) -> str:
    """A text without its numbers, and without the room that they take: 1e-17 is printed wider than 0."""
    return re.sub(r"\s+", "", _NUMBER.sub("#", text))


def _far(ours: str, theirs: str) -> bool:
    """Two texts with other words, or with numbers that are not each other's neighbours."""
    if _words(ours) != _words(theirs):
        return True
    pairs = zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=True)
    return not all(math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-3) for a, b in pairs)


def _wrong(torch: Any, name: str, text: str) -> list[str]:
    """The statements of a docstring that do not print the same, after the same seed."""
    source = "import math\nimport numpy as np\ntorch.manual_seed(0)\n" + _program(text)
    # Whatever an example switches off is on again afterwards.
    with tensorkit.enable_grad(), torch.enable_grad():
        pairs = list(zip(told(tensorkit, source), told(torch, source), strict=True))
    wrong = []
    for (line, ours, error), (_, theirs, refused) in pairs:
        if "AttributeError" in repr(error) and refused is None:
            wrong.append(f"{name}: {line}\n  {error!r}")
        elif (differs := same_error(error, refused)) or (
            ours != theirs and (not _rounded(name) or _far(ours, theirs))
        ):
            wrong.append(f"{name}: {line}\n  {differs or ours}\n  {theirs}")
    return wrong


@pytest.fixture(autouse=True)
def as_they_were(torch: Any) -> Iterator[None]:
    """What the examples set is set back: other tests follow in this process."""
    yield
    for lib in (tensorkit, torch):
        lib.set_default_dtype(lib.float32)
        lib.use_deterministic_algorithms(False)


def test_every_example_of_pytorchs_docstrings_prints_what_it_prints_there(
    torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    importlib.import_module("torch.utils.benchmark")
    importlib.import_module("torch.utils.dlpack")
    wrong, count = [], 0
    for name, text in _documented(torch):
        if name not in LEFT_OUT:
            count += 1
            wrong += _wrong(torch, name, text)
    assert not wrong, "\n".join(wrong)
    assert count > 400, "most of what has examples is looked at"
