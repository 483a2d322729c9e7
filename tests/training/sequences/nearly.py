"""Programs as in `tests.training.programs`, which say ``near(tensor)`` too: its last digits may differ."""

from __future__ import annotations

import ast
from typing import Any

import numpy

import tensorkit
from tests.torch_oracle import require_torch
from tests.training.programs import run

_NEAR = """
def near(*values):
    for value in values:
        node = value.grad_fn.name().split("::")[-1] if value.grad_fn is not None else ""
        say(f"{tuple(value.shape)} {value.stride()} {value.dtype} {node}")
        say("~" + repr(value.detach().double().flatten().tolist()))

def both(result, *tensors):
    results = [one for one in (result if isinstance(result, (tuple, list)) else [result]) if one is not None]
    near(*results)
    def ramp(one):
        return torch.linspace(-1, 1, one.numel(), dtype=one.dtype).reshape(one.shape)
    sum((one * (one + ramp(one))).sum() for one in results).backward()
    near(*(one.grad for one in tensors if one is not None and one.grad is not None))

def shapes(model):
    say(repr(model), str([(name, tuple(one.shape)) for name, one in model.named_parameters()]))

def begin(model):
    shapes(model)
    near(*model.parameters())
"""


def _close(one: Any, other: Any) -> bool:
    if not (isinstance(one, str) and isinstance(other, str) and one[:1] == other[:1] == "~"):
        return bool(one == other)
    numbers = [
        ast.literal_eval(text[1:].replace("nan", "None").replace("inf", "1e999")) for text in (one, other)
    ]
    theirs, ours = (numpy.array(each, dtype=float) for each in numbers)
    return theirs.shape == ours.shape and numpy.allclose(theirs, ours, 1e-5, 2e-6, equal_nan=True)


def differing(program: str) -> list[tuple[Any, Any]]:
    """Where the runs with PyTorch and tensorkit say something else."""
    theirs, ours = run(require_torch(), _NEAR + program), run(tensorkit, _NEAR + program)
    width = max(len(theirs), len(ours))
    theirs, ours = (said + ["nothing more"] * (width - len(said)) for said in (theirs, ours))
    assert width, "the program says nothing"
    return [(one, other) for one, other in zip(theirs, ours, strict=True) if not _close(one, other)]
