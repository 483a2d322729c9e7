"""Shortcuts only save time: every operation gives the same without them, and each is taken by some call."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import shortcuts
from tensorkit.device import default_chosen
from tensorkit.dispatch.registry import Op, Sample, registry
from tensorkit.dispatch.shortcut import Shortcut, declared
from tensorkit.kernels.jit import compiler
from tests.parity.compare import Operand, Outcome, run, same_value

#: An operand each: what shortcuts know, and what they have to leave to the operation.
DRAWN = tuple(
    (dtype, layout)
    for dtype in ("float32", "int64", "complex64")
    for layout in ("plain", "transposed", "offset")
)
UNINITIALIZED = ("empty", "resize", "set_")
#: Calls for what the samples leave out: draws from the default generator, numbers of which no two are equal, and slots
#: that are no operation's.
PLAIN = {
    "rand": "tk.rand(3)",
    "randn": "tk.randn(3)",
    "randperm": "tk.randperm(3)",
    "sort": "tk.arange(3.0).sort()",
    "argsort": "tk.arange(3.0).argsort()",
    "topk": "tk.arange(3.0).topk(1)",
    "searchsorted": "tk.searchsorted(tk.arange(3), tk.arange(3), right=True)",
    "bucketize": "tk.bucketize(tk.arange(3), tk.arange(3), right=True)",
    "isin": "tk.isin(tk.arange(3), tk.arange(3))",
    "gather": "tk.ones(3).requires_grad_().gather(0, tk.tensor([2, 0]))",
    "masked_fill": "tk.ones(3).masked_fill(tk.ones(3) > 0, 2.0)",
    "getitem": "tk.arange(3)[tk.tensor([0, 2])]",
    "setitem": "tk.zeros(3).__setitem__(0, 1.0)",
    "scaled_sum": "tk.add(tk.ones(3), tk.ones(3), alpha=2)",
    "arange": "tk.arange(3)",
    "eye": "tk.eye(3)",
    "empty": "tk.empty(3)",
    "zeros": "tk.zeros(3)",
    "ones": "tk.ones(3)",
    "full": "tk.full((3,), 2.0)",
    "tensor": "tk.tensor([1.0, 2.0])",
    "__matmul__": "tk.eye(2) @ tk.eye(2)",
    "copy_": "tk.zeros(2).copy_(tk.ones(2))",
    "zeros_like": "tk.zeros_like(tk.ones(2))",
    "ones_like": "tk.ones_like(tk.ones(2))",
    "to_dtype": "tk.ones(2).to(tk.float64)",
    "Tensor.flip": "tk.ones(2).flip(0)",
    "flipped": "tk.ones(2, 2).flip(0, 1)",
    "all": "tk.ones(3, dtype=tk.bool).all()",
    "any": "tk.ones(3, dtype=tk.bool).any()",
    "count_nonzero": "tk.ones(3, dtype=tk.bool).count_nonzero()",
}


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


@pytest.mark.parametrize("one", declared, ids=[f"{one.name}{' values' * one.of_values}" for one in declared])
def test_each_is_taken_by_some_sample(one: Shortcut, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []

    def ask(*args: Any, **kwargs: Any) -> Any:
        answers.append(one.ask(*args, **kwargs))
        return answers[-1]

    assert one.slot().ask is one.ask
    monkeypatch.setattr(default_chosen, "once", False)  # another test may have chosen a default device
    monkeypatch.setattr(one.slot(), "ask", ask)
    known = registry[one.name].samples if one.name in registry else ()
    plain = [Sample(PLAIN[one.name], {})] if one.name in PLAIN else []
    for sample in (*known, *plain):
        operands = {name: Operand(size, "float32", "plain", 0) for name, size in sample.sizes.items()}
        with compiler.at_once():  # some answer by a compiled loop alone
            _outcome(sample.call, operands)
    assert any(answer is not None for answer in answers)


def test_without_leaves_every_slot_empty() -> None:
    with shortcuts.without():
        assert [one.name for one in declared if one.slot().ask is not None] == []
    assert [one.name for one in declared if one.slot().ask is not one.ask] == []


_ASKED = """
import tensorkit as tk
from tensorkit.dispatch.shortcut import declared
from tensorkit.dispatch.registry import registry
from tensorkit.elementwise.block import unknown
blocks = [op.extra["block"] for op in registry.values() if "block" in op.extra]
print(len(blocks), sum(block.shortcuts.new is unknown for block in blocks))
print(sum(one.slot().ask is one.ask for one in declared), len(declared))
t = tk.arange(6.0).view(2, 3)
_ = tk.manual_seed(0)
made = [tk.rand(3), tk.randn(2, 2), tk.randn(20), tk.randperm(1), tk.randperm(5), tk.cat((t, t)), tk.cat((t, t), 1)]
made += [tk.cat((tk.zeros(2), tk.zeros(0))), t.nonzero(), tk.ones(1).nonzero(), tk.zeros(3).nonzero(), tk.rand(2)]
print([(m.tolist(), m.dtype, m.stride()) for m in made])
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
    assert filled[1].split() == [str(len(declared))] * 2
    assert empty[1].split()[0] == "0"
    assert filled[2:] == empty[2:]
