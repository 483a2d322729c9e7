"""Tutorials of several years, statement by statement: what a reader types gives what PyTorch gives."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorkit
from tests.parity.compare import plain_text, same_error
from tests.torch_oracle import fused

pytestmark = pytest.mark.parity

_ADDRESS = re.compile(r"0x[0-9a-f]+")
PROGRAMS = sorted((Path(__file__).parent / "tutorials").glob("*.txt"))


def told(lib: Any, source: str) -> Iterator[tuple[str, str, BaseException | None]]:
    """Of each statement: its text, what it printed and gave, and how it failed."""
    importlib.import_module(f"{lib.__name__}.utils.benchmark")
    names: dict[str, Any] = {"torch": lib, "__name__": "__tutorial__"}
    for node in ast.parse(source).body:
        line = ast.unparse(node)
        printed, error, value = io.StringIO(), None, None
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if isinstance(node, ast.Expr):
                    value = eval(line, names)
                else:
                    exec(compile(line, "<tutorial>", "exec"), names)
            except Exception as problem:
                error = problem
        shown = "" if value is None else repr(value)
        yield line, _ADDRESS.sub("0x", plain_text(printed.getvalue() + shown)), error


#: Statements that show the last digit of a loop over vectors, by what they begin with: the sign of a zero that is
#: multiplied with infinity, and how long a number on the edge of the Mandelbrot set stays small.
OF_VECTORS = {"complex_powers": ("(z.log2(), ",), "programs": ("n\n", "for row in n:")}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_tutorial_prints_what_pytorch_prints(torch: Any, program: Path) -> None:
    source = program.read_text(encoding="utf-8")
    pairs = zip(told(tensorkit, source), told(torch, source), strict=True)
    wrong = []
    for (line, ours, error), (_, theirs, refused) in pairs:
        differs = same_error(error, refused)
        noise = not fused() and f"{line}\n".startswith(OF_VECTORS.get(program.stem, ()))
        if differs or (ours != theirs and not noise):
            wrong.append(f"{line}\n  {differs or ours}\n  {theirs}")
    assert not wrong, "\n".join(wrong)


def test_there_are_tutorials_and_a_wrong_line_would_be_seen(torch: Any) -> None:
    assert len(PROGRAMS) >= 3
    ours, theirs = (list(told(lib, "torch.ones(2)\ntorch.nothing")) for lib in (tensorkit, torch))
    assert ours[0][:2] == theirs[0][:2] == ("torch.ones(2)", "tensor([1., 1.])")
    assert isinstance(ours[1][2], AttributeError)


#: Names that PyTorch no longer has: what they give, by those that it has.
GONE = {
    "torch.gels(y, x)[0][:2]": "torch.linalg.lstsq(x, y).solution",
    "torch.eig(a)[0]": "torch.view_as_real(torch.linalg.eigvals(a))",
    "torch.symeig(s, eigenvectors=True)[0]": "torch.linalg.eigvalsh(s)",
    "torch.solve(b, a)[0]": "torch.linalg.solve(a, b)",
    "torch.lstsq(y, x)[0][:2]": "torch.linalg.lstsq(x, y).solution",
}


@pytest.mark.parametrize("old", GONE)
def test_what_is_gone_from_pytorch_still_answers_and_names_its_successor(torch: Any, old: str) -> None:
    names = "x = torch.tensor([[1., 1.], [2., 1.], [3., 1.]]); y = torch.tensor([[1.], [2.], [4.]]);"
    names += "a = torch.tensor([[2., 1.], [0., 3.]]); b = torch.tensor([[1.], [2.]]);"
    names += "s = torch.tensor([[2., 1.], [1., 3.]])"
    ours, theirs = {"torch": tensorkit}, {"torch": torch}
    exec(names, ours)
    exec(names, theirs)
    with pytest.warns(FutureWarning, match=r"linalg"):
        found = eval(old, ours)
    expected = eval(GONE[old], theirs)
    assert torch.allclose(torch.tensor(found.tolist()), expected, atol=1e-5)
