"""Shortcuts only save time: every operation gives the same without them, and each is taken by some call."""

from __future__ import annotations

import os
import subprocess
import sys

import tensorkit as tk
from tensorkit import shortcuts
from tensorkit.dispatch.registry import Op, Sample, registry
from tests.parity.compare import Operand, Outcome, run, same_value

#: An operand each: what shortcuts know, and what they have to leave to the operation.
DRAWN = tuple(
    (dtype, layout)
    for dtype in ("float32", "int64", "complex64")
    for layout in ("plain", "transposed", "offset")
)
UNINITIALIZED = ("empty", "resize", "set_")


def _outcome(call: str, operands: dict[str, Operand]) -> Outcome:
    tk.manual_seed(0)
    return run(tk, call, operands)


def _differing(sample: Sample, dtype: str, layout: str) -> str | None:
    operands = {
        name: Operand(size, dtype, layout, seed) for seed, (name, size) in enumerate(sample.sizes.items())
    }
    usual = _outcome(sample.call, operands)
    with shortcuts.without():
        plain = _outcome(sample.call, operands)
    if usual.error is not None or plain.error is not None:
        same = type(usual.error) is type(plain.error) and str(usual.error) == str(plain.error)
        return None if same else f"{usual.error!r} against {plain.error!r}"
    if usual.warned != plain.warned:
        return f"{usual.warned} against {plain.warned}"
    return same_value(usual.value, plain.value, tolerance=0, text=False)


def _tried(op: Op) -> list[Sample]:
    return [] if any(word in op.name for word in UNINITIALIZED) else list(op.samples)


def test_every_sample_gives_the_same_without_shortcuts() -> None:
    wrong, count = [], 0
    for op in registry.values():
        for sample in _tried(op):
            for dtype, layout in DRAWN if sample.sizes else DRAWN[:1]:
                count += 1
                if (found := _differing(sample, dtype, layout)) is not None:
                    wrong.append(f"{sample.call} of {dtype}, {layout}: {found}")
    print(f"{count} calls with and without shortcuts")
    assert count > 30_000
    assert wrong == []


_ASKED = """
import tensorkit as tk
from tensorkit.dispatch.registry import registry
from tensorkit.elementwise.block import unknown
blocks = [op.extra["block"] for op in registry.values() if "block" in op.extra]
print(len(blocks), sum(block.shortcuts.new is unknown for block in blocks))
t = tk.arange(6.0).view(2, 3)
print((t.t() + 1).tolist(), (2 - t).stride(), t.neg_().exp().sum().item() > 0)
"""


def _asked(setting: str) -> list[str]:
    environment = {**os.environ, "TENSORKIT_SHORTCUTS": setting}
    done = subprocess.run(
        [sys.executable, "-c", _ASKED], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_the_environment_leaves_them_out() -> None:
    filled, empty = _asked("1"), _asked("0")
    blocks, unknown = filled[0].split()
    assert int(blocks) > 80
    assert int(unknown) == 0
    assert empty[0].split() == [blocks, blocks]
    assert filled[1:] == empty[1:]
