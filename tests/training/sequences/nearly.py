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


def _numbers(text: Any) -> Any:
    """The numbers that a line of `near` says; None of any other line."""
    if not isinstance(text, str) or text[:1] != "~":
        return None
    return numpy.array(ast.literal_eval(text[1:].replace("nan", "None").replace("inf", "1e999")), dtype=float)


def _close(one: Any, other: Any, largest: float) -> bool:
    theirs, ours = _numbers(one), _numbers(other)
    if theirs is None or ours is None:
        return bool(one == other)
    # A small gradient may be what is left of large ones: it is right to their rounding, in the order of the processor.
    room = 1e-6 * max(2.0, largest)
    return theirs.shape == ours.shape and numpy.allclose(theirs, ours, 1e-5, room, equal_nan=True)


def _largest(said: list[Any]) -> float:
    found = [numbers for text in said if (numbers := _numbers(text)) is not None and numbers.size]
    sizes = [float(numpy.abs(one[numpy.isfinite(one)]).max(initial=0)) for one in found]
    return max(sizes, default=0.0)


def differing(program: str) -> list[tuple[Any, Any]]:
    """Where the runs with PyTorch and tensorkit say something else."""
    theirs, ours = run(require_torch(), _NEAR + program), run(tensorkit, _NEAR + program)
    width = max(len(theirs), len(ours))
    theirs, ours = (said + ["nothing more"] * (width - len(said)) for said in (theirs, ours))
    assert width, "the program says nothing"
    largest = _largest(theirs)
    return [(one, other) for one, other in zip(theirs, ours, strict=True) if not _close(one, other, largest)]
