"""The calls that are too many to keep are counted: a headline speaks of all of them."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import explain, trace
from tensorkit_widgets.tracing.recorder import record

LOOP = "for _ in range(1000):\n    y = x * 2\n    y.add_(1)\n    y.view(3, 1)\n    z = x.clone()"


@pytest.mark.parametrize("limit", [1, 7, 200, 10_000])
def test_the_sums_are_those_of_all_calls(limit: int) -> None:
    shown = explain(LOOP, {"x": tk.ones(3)}, limit=limit)
    told = "4,000 calls: 1,000 views, 1,000 copies, 1,000 in place, 1,000 made new; "
    told += "12,000 bytes moved; 24,000 bytes newly made."
    for width in (960, 440):
        shown._heard(None, {"kind": "room", "value": width}, [])
        assert told in shown.goto(0).text()
        assert "24,000" in shown.svg()
    assert shown.bytes_moved == 12_000
    assert shown.left_out == max(0, 4000 - limit)
    counted = f"{shown.left_out:,} more are counted; the sums are of all of them."
    assert (counted in shown.text()) is (limit < 4000)
    assert shown.frame["facts"]["data"]["calls"] == "4000"


def test_a_trace_counts_too() -> None:
    x = tk.ones(3)
    with trace(limit=5) as shown:
        for _ in range(50):
            x = x + 1
    assert "50 calls: 50 made new; 0 bytes moved; 600 bytes newly made" in shown.goto(0).text()
    assert repr(shown) == "Trace(50 calls)"


def test_the_call_that_raised_is_one_of_all() -> None:
    shown = explain("for _ in range(50):\n    x = x + 1\nx.view(7)", {"x": tk.ones(3)}, limit=10)
    assert "It raised at step 51 of 51" in shown.goto(0).text()
    assert shown.left_out == 41


def kinds(limit: int, run: Any) -> dict[str, int]:
    x = tk.arange(12.0).view(3, 4)
    with record(limit=limit) as found:
        run(tk.ones(1))  # what fills a short recording
        run(x)
    out: dict[str, int] = dict(found.beyond.kinds)
    for step in found.steps:
        out[step.kind] = out.get(step.kind, 0) + 1
    return {kind: count for kind, count in sorted(out.items()) if count}


def _everything(x: Any) -> None:
    y = x.clone()
    y[0] = 1
    y += 1
    y.mul_(2)
    y.contiguous()
    y.sum().item()
    y.reshape(-1)
    y[y > 1]
    y.requires_grad_(True)
    y.detach()
    (y * 2).sum().backward()
    y.grad.zero_()
    y.double()
    tk.cat([x, x])
    y.size()


def test_what_is_only_counted_is_judged_as_what_is_kept() -> None:
    assert kinds(1, _everything) == kinds(10_000, _everything)
