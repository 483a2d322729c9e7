"""What recording costs, how fast the walk back is, and how much memory the two take together."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, benchmark, by_turns, codes, on_threads, require_torch, side

CHAIN = 1000
ROUNDS = 9
# The peak of a forward and a backward pass over ten million elements, beyond what the library takes: what it loads
# for the first large tensor (Numba, 70 MB) is not the pass's.
PEAK = """
import sys
library = __import__(sys.argv[1])
def peak():  # of this process alone: getrusage would begin with its parent's
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
def run(n):
    x = library.ones(n, requires_grad=True)
    ((x * x + x) * x).sum().backward()
if library.__name__ == "tensorkit":
    from tensorkit.kernels.jit import compiler
    with compiler.at_once():
        run(200_000)
run(200_000)
before = peak()
run(10_000_000)
print(peak() - before)
"""


def _names(library: Any) -> dict[str, Any]:
    chained = library.ones(1, requires_grad=True)
    for _ in range(CHAIN):
        chained = chained * 1.0001
    return {
        "x": library.ones(1, requires_grad=True),
        "y": library.ones(1),
        "m": library.ones(2, 3, requires_grad=True),
        "few": library.ones(8, requires_grad=True),
        "grad": library.autograd.grad,
        "chained": chained,
    }


def _peak(library: str) -> float:
    """Megabytes."""
    words = [sys.executable, "-c", PEAK, library]
    finished = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    return int(finished.stdout) / 1024


def _added(code: str, plain: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Row:
    """What recording adds to a one-element operation, in the library's own time, against what it adds in PyTorch.

    A difference of two small numbers is noisy: of many rounds, the median of each counts.
    """
    kinds = [(place, expression) for place in (0, 1) for expression in (code, plain)]
    turns = by_turns([side(expression, (ours, theirs)[place]) for place, expression in kinds], 5 * ROUNDS)
    middle = {kind: median(found) for kind, found in zip(kinds, turns, strict=True)}
    added = [middle[place, code] - middle[place, plain] for place in (0, 1)]
    told = f"tensorkit +{added[0] * 1e9:.0f} ns, PyTorch +{added[1] * 1e9:.0f} ns"
    return Row(f"{code}, added by recording", added[0] / added[1], "× PyTorch", told, 1.0)


@benchmark("Gradients")
def gradients() -> Iterator[Row]:
    torch = require_torch()
    ours, theirs = _names(tensorkit), _names(torch)
    with on_threads(torch, 1):
        for code in ("x + y", "x * y", "m.t()", "m.view(6)", "m.sum()"):
            pair = codes(code, code, ours, theirs)
            yield Row(f"{code}, recorded", pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"))
        for code, plain in (("x + y", "y + y"), ("x * y", "y * y")):
            yield _added(code, plain, ours, theirs)
        walk = "chained.backward(retain_graph=True)"
        pair = codes(walk, walk, ours, theirs)
        yield Row(f"backward, {CHAIN} ops", pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"), 1.5)
        for code in ("few.exp().sum().backward()", "grad(few.exp().sum(), few)"):
            pair = codes(code, code, ours, theirs)
            yield Row(f"{code}, 8 elements", pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"))
    if not Path("/proc/self/status").exists():
        return  # only Linux tells
    mine = median(_peak("tensorkit") for _ in range(ROUNDS // 3))
    other = median(_peak("torch") for _ in range(ROUNDS // 3))
    told = f"tensorkit {mine:.0f} MB, PyTorch {other:.0f} MB"
    yield Row("peak memory", mine / other, "× PyTorch", told, 1.1)
