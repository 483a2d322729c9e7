"""A hundred thousand elements and more, which are cut into pieces: PyTorch's numbers, strides, dtypes and refusals."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import require_torch

ROWS, COLUMNS = 410, 325  # beyond the size from which on they are cut

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "row-major": lambda t: t[:ROWS, :COLUMNS].contiguous(),
    "column-major": lambda t: t[:COLUMNS, :ROWS].contiguous().t(),
    "sliced": lambda t: t[: 2 * ROWS : 2, 1 : COLUMNS + 1],
    "reversed columns": lambda t: t[:ROWS, : 2 * COLUMNS : 2],
    "one column": lambda t: t[:ROWS, 3:4],
    "one row": lambda t: t[5:6, :COLUMNS],
    "a row": lambda t: t[5, :COLUMNS],
    "expanded": lambda t: t[:ROWS, :1].expand(ROWS, COLUMNS),
    "a number": lambda t: t[2, 3],
}
WHOLE = ("row-major", "column-major", "sliced", "reversed columns")
CODES = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "tk.maximum(a, b)",
    "a < b",
    "tk.add(a, b, alpha=2)",
    "tk.add(a, a.flip(0).t().contiguous().t(), alpha=0.5) if a.is_floating_point() else a.abs()",
    "tk.sub(a, a, alpha=0)",
    "tk.sub(-a, a, alpha=2.5) if a.is_floating_point() else a.abs()",
    "tk.lerp(a, a.abs(), 0.3) if a.is_floating_point() else a.abs()",
    "tk.addcmul(a, a, a.abs(), value=2) if not a.is_complex() else a.abs()",
    "a.lerp_(a.abs(), 0.3) if a.is_floating_point() else a.abs()",
    "tk.atan2(a, b)",
    "a + 2",
    "2.5 - a",
    "-a",
    "a.abs()",
    "a.sqrt()",
    "a.sign()",
    "a.relu()",
    "a.clamp(-5, 5) if not a.is_complex() else a.abs()",
    "a.clamp(float('nan'), 5.0) if a.is_floating_point() else a.abs()",
    "a.add_(b)",
    "a.mul_(3)",
    "a.sub_(a)",
    "a.lt_(b)",
    "a.neg_()",
    "tk.add(a, b, out=o)",
    "tk.mul(a, 2, out=o)",
    "tk.lt(a, b, out=o)",
    "tk.sub(a, b, out=a)",
    "tk.sqrt(a, out=o)",
    "a[a != a.flip(0)]",
    "a.masked_select(b != b.abs()) if b.shape == a.shape else a.masked_select(b == b)",
    "a.masked_fill(b != b.abs(), 2)",
    "a.masked_fill_(a != a.abs(), 2)",
    "(a != a.abs()).nonzero()",
    "a.sub_(a.abs()).nonzero()",
    "a.contiguous()",
    "a.to(tk.int16).contiguous()",
    "(a != 0).contiguous()",
    "o.copy_(a)",
    "tk.cat((a, o, a))",
    "tk.cat((a, o), 1)",
    "tk.cat((a, o), out=tk.empty(0, dtype=a.dtype))",
    "a.flip(0)",
    "a.flip(1)",
    "a.flip(0, 1)",
    "a.reshape(-1).flip(0)",
    "(a != 0).flip(1)",
    "a.cumsum(0)",
    "a.cumsum(1)",
    "(a * 0.1).cumprod(0)",
    "(a * 0.1).cumprod(1)",
    "(a + 1000).var()",
    "(a + 1000).std(1)",
    "(a + 1000).var(0, keepdim=True)",
    "(a + 1000).std((0, 1), correction=0)",
    "(a / (a == a[0, 0])).var()",
    "(a / (a == a[0, 0])).std(1)",
    "a.abs().sum(0)",
    "a.abs().sum(1)",
    "a.abs().mean(0)",
    "a.softmax(1)",
    "a.log_softmax(1)",
    "tk.searchsorted(b.reshape(-1).sort()[0], a.contiguous())",
    "a.abs().to(tk.int64).reshape(-1).bincount()",
    "a.abs().to(tk.int64).reshape(-1)[::3].bincount(minlength=100)",
)
# For these every layout meets every other.
THOROUGH = ("a + b", "a.add_(b)", "tk.sub(a, b, out=a)")
# Rounded otherwise in the last place, by NumPy or by PyTorch, wherever the elements lie.
ROUNDED = ("lerp", "addc", "atan2", "sum", "mean", "sqrt", "alpha", "cum", "softmax", "var", "std")


@functools.cache
def _memory(kind: str) -> tuple[Any, ...]:
    draw = np.random.default_rng(7)
    made = [draw.standard_normal((2 * ROWS, 2 * COLUMNS)) * 10 for _ in range(4)]
    return tuple((one + 1j * made[3] if kind == "complex64" else one).astype(kind) for one in made[:3])


def _operands(library: Any, kind: str, layouts: tuple[str, str, str]) -> dict[str, Any]:
    found = {"tk": library}
    for name, layout, numbers in zip("abo", layouts, _memory(kind), strict=True):
        found[name.upper()] = library.from_numpy(numbers.copy())
        found[name] = LAYOUTS[layout](found[name.upper()])
    return found


def _answer(library: Any, code: str, kind: str, layouts: tuple[str, str, str]) -> Any:
    """All that is to be compared: what was made, what is known about it, and what became of the operands' memory."""
    names = _operands(library, kind, layouts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = eval(code, names)
        except Exception as error:
            return [], [next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")]
    told = [str(made.dtype).split(".")[-1], tuple(made.size()), made.stride(), made.storage_offset()]
    told += [any(made is names[name] for name in "abo"), *(names[name]._version for name in "abo")]
    return [made.numpy(), *(names[name].numpy() for name in "ABO")], told


@pytest.mark.parity
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "complex64"])
@pytest.mark.parametrize("code", CODES)
def test_pieces_are_put_together_as_pytorch_puts_the_whole(code: str, kind: str) -> None:
    torch = require_torch()
    pairs = [*itertools.product(WHOLE, LAYOUTS)]
    if kind != "float32" or code not in THOROUGH:
        pairs = [(WHOLE[number % len(WHOLE)], one) for number, one in enumerate(LAYOUTS)]
    if "b" not in code:
        pairs = [(one, "a row") for one in LAYOUTS]
    loose = any(word in code for word in ROUNDED) or kind == "complex64"
    close = {"rtol": 4e-6, "atol": 1e-5} if loose else {"rtol": 0, "atol": 0}
    for number, (a, b) in enumerate(pairs):
        layouts = a, b, WHOLE[number % len(WHOLE)]
        with compiler.at_once():
            ours, told = _answer(tensorkit, code, kind, layouts)
        theirs, expected = _answer(torch, code, kind, layouts)
        assert told == expected, f"{code}, {kind}, {layouts}"
        for one, two in zip(ours, theirs, strict=True):
            assert one.dtype == two.dtype
            if one.shape != two.shape or one.tobytes() != two.tobytes():
                np.testing.assert_allclose(
                    one, two, **close, equal_nan=True, err_msg=f"{code}, {kind}, {layouts}"
                )


@pytest.mark.parity
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("bad", [-1, -(2**62), 700, 2**40])
@pytest.mark.parametrize(
    "code",
    ["gather(0, i)", "gather(1, i)", "scatter_add_(1, i, b)", "scatter_add_(0, i, b)", "scatter_(1, i, b)"],
)
def test_one_place_out_of_bounds_is_refused_before_anything_is_written(
    code: str, bad: int, turned: bool
) -> None:
    torch, told = require_torch(), []
    for tk in (tensorkit, torch):
        a, b = tk.zeros(700, 700), tk.ones(700, 700)
        i = tk.arange(490_000).view(700, 700) % 700
        i[697, 691] = bad
        i = i.t() if turned else i
        with compiler.at_once(), pytest.raises(RuntimeError) as refused:
            eval(f"a.{code}", {"a": a, "b": b, "i": i})
        told.append(str(refused.value).splitlines()[0])
        assert tk is torch or not a.any()
    assert told[0] == told[1]


@pytest.mark.parity
@pytest.mark.parametrize("turned", [0, 1, -1])
@pytest.mark.parametrize("size", [(900, 700), (2500, 900), (40, 300, 60)])
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "int16"])
def test_extremes_of_many_are_pytorchs(kind: str, size: tuple[int, ...], turned: int) -> None:
    torch = require_torch()
    numbers = np.random.default_rng(3).integers(-3000, 3000, size).astype(kind)  # some occur more than once
    if kind.startswith("f"):
        numbers[tuple(n // 2 for n in size)] = np.nan
        numbers[tuple(n // 3 for n in size)] = -np.nan
    ours, theirs = (tk.from_numpy(numbers).transpose(0, turned) for tk in (tensorkit, torch))
    for name in ("amax", "amin", "argmax", "argmin", "max", "min"):
        for dim in range(len(size)):
            one, two = (getattr(t, name)(dim, keepdim=dim == 1) for t in (ours, theirs))
            for a, b in [(one, two)] if name[0] == "a" else zip(one, two, strict=True):
                assert a.stride() == b.stride(), (name, dim)
                np.testing.assert_array_equal(a.numpy(), b.numpy(), f"{name} {dim}", strict=True)
