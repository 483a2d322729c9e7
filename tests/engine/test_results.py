"""Whatever the result of an operation is, it is memory: everything that is written to it is there afterwards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, registry
from tensorkit.lab import samples

_NUMBERS = re.compile(r"(?<![\w.-])-?\d+(?![\w.])")


def _results(value: Any) -> Iterator[tk.Tensor]:
    if isinstance(value, tk.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _results(part)


def _calls(op: Op) -> Iterator[tuple[str, str]]:
    """The operation's samples; and on tensors of no dimension with other numbers too, for those have no dimension 1."""
    for sample in op.samples:
        yield _with_operands(sample.call, sample.sizes), sample.call
        for number in ("0", "-1", None) if sample.sizes else ():
            call = sample.call if number is None else _NUMBERS.sub(number, sample.call)
            yield _with_operands(call, dict.fromkeys(sample.sizes, ())), sample.call


def _with_operands(call: str, sizes: Mapping[str, tuple[int, ...]]) -> str:
    made = ", ".join(f"{name}=tk.rand({size}).mul(9).to(kind)" for name, size in sizes.items())
    return f"(lambda {made}: {call})()" if made else call


def _lost(result: tk.Tensor) -> str | None:
    """Which way of writing to a result leaves no trace; None when all of them do."""
    array = result._nd(physical=True)
    if type(array) is not np.ndarray or not array.flags.writeable:
        return f"lies on {type(array)}"
    result = result.detach()
    if not result.numel() or result._lay().has_internal_overlap() != "no":
        return None
    one, two = tk.ones((), dtype=result.dtype), tk.zeros((), dtype=result.dtype)
    ways: dict[str, tuple[Callable[[tk.Tensor], Any], tk.Tensor]] = {
        "fill_": (lambda t: t.fill_(1), one),
        "zero_": (lambda t: t.zero_(), two),
        "[...] =": (lambda t: t.__setitem__(..., 1), one),
        "copy_": (lambda t: t.copy_(two), two),
        "+=": (lambda t: t.__iadd__(one), one),
    }
    if not result.dim():
        ways["[()] ="] = (lambda t: t.__setitem__((), 0), two)
    for name, (write, expected) in ways.items():
        write(result)
        if not bool((result == expected).all()):
            return f"{name} is lost"
    return None


KINDS = (tk.float32, tk.int64, tk.bfloat16)


@pytest.mark.parametrize("mode", ["0", "force"])
def test_every_result_of_every_operation_can_be_written_to(mode: str) -> None:
    """Also one without dimensions, for which NumPy may give a number in the stead of an array."""
    code = "from tests.engine.test_results import lost_writes; print(*lost_writes(), sep='\\n')"
    env = {**os.environ, "TENSORKIT_COMPILED": mode}
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=600)
    assert asked.returncode == 0, asked.stderr
    counted, *lost = asked.stdout.splitlines()
    assert lost == []
    assert int(counted) > 5_000


def lost_writes() -> list[Any]:
    """How many results were written to; and the operations some of whose results cannot be."""
    samples.attach()
    found, counted = {}, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for op in registry.values():
            for call, sample in _calls(op):
                asked = compile(call, sample, "eval")
                for kind in KINDS:
                    try:
                        value = eval(asked, {"tk": tk, "kind": kind})
                    except Exception:
                        continue  # not every number is a dimension, and not every dtype can be computed with
                    for result in _results(value):
                        counted += 1
                        if result.device.type == "cpu" and (told := _lost(result)):
                            found[op.name] = f"{op.name}: {call} of {kind}: {told}"
    return [counted, *found.values()]
