"""``autograd.graph``: what is saved and packed, edges, hooks for several gradients; asked of both libraries."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import tensorkit as tk
from tests.parity.questions import programs
from tests.support.same_program import differing
from tests.torch_oracle import require_torch

PROGRAMS = dict(
    part.split("\n", 1) for part in "\n\n".join(programs("graphs")).removeprefix("# ").split("\n\n# ")
)


def _fails(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as problem:
        return type(problem).__name__, str(problem)


@pytest.mark.parity
@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program_about_graphs_says_what_it_says_in_pytorch(title: str) -> None:
    def told(lib: Any) -> list[Any]:
        said: list[Any] = []
        names = {
            "lib": lib,
            "G": lib.autograd.graph,
            "fails": _fails,
            "out": lambda *found: said.append(found),
        }
        exec(PROGRAMS[title], names)
        return said

    assert differing(told, require_torch()) is None


def test_the_programs_say_something() -> None:
    assert len(PROGRAMS) > 25
    assert all("out(" in program for program in PROGRAMS.values())


def test_a_packed_result_does_not_keep_its_node_alive() -> None:
    x = tk.ones(2, requires_grad=True)
    gc.disable()
    try:
        with tk.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
            node = weakref.ref(tk.exp(x).grad_fn)
        assert node() is None
    finally:
        gc.enable()
