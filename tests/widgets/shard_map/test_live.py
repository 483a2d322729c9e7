"""ShardMap on real workers: one is killed while it is shown, and its part is computed again."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.tensor import Shard, distribute_tensor, init_device_mesh
from tensorkit_widgets import ShardMap

pytest.importorskip("distributed")
PATIENCE_S = 120.0


@pytest.fixture
def workers() -> Iterator[Any]:
    """Two of them, with their process ids; none is left afterwards."""
    begun = cluster.start(2)
    pids: list[int] = list(begun.client.run(os.getpid).values())
    try:
        yield begun, pids
    finally:
        cluster.shutdown()
        until(lambda: not any(map(alive, pids)))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)  # between two looks


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_a_killed_worker_is_seen_its_part_is_computed_again_and_a_closed_cluster_is_said(
    workers: Any,
) -> None:
    begun, pids = workers
    full = tk.arange(3500.0).view(70, 50)
    w = ShardMap(distribute_tensor(full, init_device_mesh("cpu", (2,)), [Shard(0)]), name="t")
    predicted = w.to(Shard(1)).predicted
    assert predicted == full.numel() * 4 // 2
    w.move()
    assert w._facts()["placed"] == "[Shard(1)]"
    until(lambda: w.look()._workers.how == ("alive", "alive"))
    before = begun.holders()[1]
    os.kill(begun.client.run(os.getpid, workers=[before])[before], signal.SIGKILL)
    seen = set()

    def successor() -> bool:
        seen.add(w.look()._workers.how[1])
        return "new" in seen

    until(successor)
    assert seen & {"gone", "computing"}, "it was seen that something is missing"
    assert f"rank 1: worker {begun.holders()[1].partition('://')[2]}, a new one" in w.text()
    assert w.tensor is not None
    assert tk.equal(w.tensor.full_tensor(), full)
    pids += begun.client.run(os.getpid).values()
    begun.close()
    assert "The cluster is closed" in w.look().text()
    w._heard(None, {"kind": "place", "name": "0", "value": "Shard(0)"}, [])
    w._heard(None, {"kind": "move"}, [])
    assert "closed" in w._shown()["complaint"]
    assert w.frame["svg"]
