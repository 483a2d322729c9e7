"""What goes wrong besides killed workers: a sentence says what is lost, the rest stays usable, nothing hangs."""

from __future__ import annotations

import functools
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Shard, distribute_tensor, full, ones
from tests.distributed.cluster.conftest import until

pytest.importorskip("distributed")
import dask
import distributed
import psutil

from tensorkit.distributed.cluster import engine
from tests.distributed.cluster.aside import aside, workers

LIMIT_S = 120
DEATHS = 2
"""How many workers may die under one task here, so that fewer have to."""


@pytest.fixture(scope="module")
def two(none_left: None) -> Iterator[Any]:
    """A cluster of two workers with little memory."""
    less = {
        "distributed.scheduler.allowed-failures": DEATHS - 1,
        "distributed.deploy.lost-worker-timeout": "1s",
    }
    with dask.config.set(less):
        yield cluster.start(2, memory_limit="300MB")


def kept(ranks: int = 2) -> tuple[Any, tk.Tensor]:
    """A tensor that is to outlive what happens."""
    t = tk.arange(12.0).view(4, 3)
    return distribute_tensor(t, init_device_mesh("cpu", (ranks,)), [Shard(0)]).wait(), t


def usable(sharded: Any, t: tk.Tensor) -> bool:
    return tk.equal(aside(lambda: (sharded + 1).full_tensor()).result(LIMIT_S), t + 1)


def sentence(function: Callable[[], Any]) -> str:
    """Of the error with which a call ends; it is one, and it ends within bounds."""
    with pytest.raises(RuntimeError) as told:
        aside(function).result(LIMIT_S)
    return str(told.value)


def test_a_worker_out_of_memory(two: Any) -> None:
    sharded, t = kept()
    large = ones(100_000_000, device_mesh=init_device_mesh("cpu", (1,)))
    told = f"A task was given up after {DEATHS} workers had died under it, perhaps for want of memory"
    assert sentence(large.full_tensor).startswith(told)
    assert usable(sharded, t)
    huge = ones(10**13, device_mesh=init_device_mesh("cpu", (1,)))
    assert "can't allocate memory: you tried to allocate 40000000000000 bytes" in sentence(huge.full_tensor)
    assert usable(sharded, t)


def test_more_tensors_than_memory(two: Any) -> None:
    """What a worker has no room for, it keeps on the disk."""
    on = init_device_mesh("cpu", (2,))
    # Small pieces: what comes and goes while the disk is read takes little beside them.
    several: list[Any] = [
        full((10_000_000,), float(k), device_mesh=on, placements=[Shard(0)]).wait() for k in range(16)
    ]
    found = aside(lambda: [one[::500_000].full_tensor() for one in several]).result(LIMIT_S)
    assert all(tk.equal(one, tk.full((20,), float(k))) for k, one in enumerate(found))


def test_what_was_given_up_is_tried_again(two: Any) -> None:
    sharded, t = kept()
    slow = two.submit(0, time.sleep, 2)
    waits = aside(lambda: two.wait([slow]))
    for _ in range(DEATHS):
        until(lambda: slow.key in two.client.processing().get(two.holders().get(0), ()))
        address = two.holders()[0]
        workers(two)[0].kill()
        until(functools.partial(lambda old: two.holders().get(0) != old, address))
    assert f"{DEATHS} workers had died" in sentence(lambda: waits.result(LIMIT_S))
    aside(lambda: two.wait([slow])).result(LIMIT_S)
    assert usable(sharded, t)


def test_a_nanny_that_dies_with_its_worker(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody begins them again for a while: a sentence. Then the cluster does."""
    sharded, t = kept()
    with monkeypatch.context() as context:
        context.setattr(two, "patience", 1)
        context.setattr(two._owned, "scale", lambda size: None)
        workers(two, nanny=True)[1].kill()
        until(lambda: 1 not in two.holders())
        assert sentence((sharded + 1).full_tensor).startswith("For 1 seconds rank 1 of 2 has had no worker")
    assert usable(sharded, t)


def test_a_worker_that_pauses(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sharded, t = kept()
    real = two._workers
    with monkeypatch.context() as context:
        context.setattr(two, "patience", 0)
        context.setattr(two, "_workers", lambda: {k: {**v, "status": "paused"} for k, v in real().items()})
        slow = two.submit(1, time.sleep, 2)
        assert "has had a worker that has stopped computing since its memory is full" in sentence(
            lambda: two.wait([slow])
        )
    assert usable(sharded, t)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal reaches a thread there")
def test_an_interrupt_ends_the_wait_and_leaves_the_tensor(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sharded, t = kept()
    slow = two.submit(0, time.sleep, 3)
    late = sharded + 1
    main, real = threading.main_thread().ident, vars(engine)["wait"]
    assert main is not None

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()
        return real(*args, **kwargs)

    with monkeypatch.context() as context:
        context.setattr(engine, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            late.wait()
    assert slow.status == "pending"  # the wait ended, and not what it waited for
    assert tk.equal(aside(late.full_tensor).result(LIMIT_S), t + 1)


@pytest.mark.parametrize("what", ["tensorkit", "distributed", "Python"])
def test_versions_that_differ(two: Any, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    other = {**engine.versions(), what: "0.0.1"}
    monkeypatch.setattr(engine, "versions", lambda: other)
    told = sentence(lambda: engine._join(two.client))
    assert re.match(rf"The worker tcp://\S+ has {what} \S+, and this program 0.0.1: they cannot share", told)
    engine.give_ranks(two.client, {7: two.holders()[0]})
    assert 7 not in two.holders()


def test_a_worker_without_tensorkit() -> None:
    def run(function: Any) -> Any:
        raise ModuleNotFoundError("No module named 'tensorkit'")

    client: Any = SimpleNamespace(run=run, scheduler=SimpleNamespace(address="tcp://10.0.0.1:8786"))
    assert "has no tensorkit" in sentence(lambda: engine._join(client))


def test_the_program_s_own_dask_computes_where_it_did(two: Any) -> None:
    with pytest.raises(ValueError, match="No clients found"):
        distributed.default_client()


def test_what_cannot_be_started() -> None:
    with pytest.raises(ValueError, match="A cluster has at least 1 worker, and 0 were wanted"):
        cluster.start(0)
    with pytest.raises(ValueError, match="memory_limit='10MB' is less than a worker needs"):
        cluster.start(1, memory_limit="10MB")


def test_started_twice_and_ended_twice(two: Any) -> None:
    sharded, _ = kept()
    below = workers(two, nanny=True).values()
    cluster.start(1)
    assert not any(one.is_running() and one.status() != "zombie" for one in below)
    assert sentence((sharded + 1).full_tensor).startswith(
        "The cluster of this mesh is closed, and its tensors"
    )
    assert sentence(sharded.full_tensor).startswith("The cluster of this mesh is closed")
    sharded, t = kept(1)
    on = sharded.device_mesh
    cluster.shutdown()
    cluster.shutdown()
    assert sentence(sharded.full_tensor).startswith("The cluster of this mesh is closed")
    assert sentence(lambda: distribute_tensor(t, on)).startswith("The cluster of this mesh is closed")
    assert "closed" in repr(on.cluster)
    assert usable(*kept(1))  # a new mesh begins a cluster of its own


def test_a_scheduler_that_goes_away(none_left: None) -> None:
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        now: Any = cluster.current(1)
        sharded, t = kept(1)
        later = sharded + 1
        now.client.loop.add_callback(now._owned.scheduler.close)
        until(lambda: now.client.status != "running")
        told = "is gone, and what was computed there is lost. Start a cluster again"
        for ask in (
            sharded.full_tensor,
            later.full_tensor,
            later.wait,
            lambda: distribute_tensor(t, sharded.device_mesh),
        ):
            assert told in sentence(ask)
        cluster.shutdown()
    assert sentence(sharded.full_tensor).startswith("The cluster of this mesh is closed")


PROGRAM = """
import os, signal, sys, time
import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.tensor import Shard, distribute_tensor, init_device_mesh
t = tk.arange(6.0)
sharded = distribute_tensor(t, init_device_mesh("cpu", (1,)), [Shard(0)]).wait()
client = cluster.current(1).client
pids = [*client.run(os.getpid).values()]
print(*pids, *client.run(os.getpid, nanny=True).values(), flush=True)
"""
FORKS = """
try:
    os.killpg(0, signal.SIGINT)  # Ctrl-C, or a notebook's button: it reaches all of the program's processes
    time.sleep(30)
except KeyboardInterrupt:
    print("interrupted", flush=True)
child = os.fork()
if not child:
    try:
        sharded.full_tensor()
    except RuntimeError as error:
        print(error, flush=True)
    del sharded
    sys.exit(5)
same = pids == [*client.run(os.getpid).values()]
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), same, (sharded + 1).full_tensor().tolist(), flush=True)
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.skipif(sys.platform == "win32", reason="no fork, no SIGKILL")
@pytest.mark.parametrize("end", [FORKS, KILLED], ids=["forks, and exits", "is killed"])
def test_a_program_that_ends_without_shutdown(end: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + end)
    command = [sys.executable, "-W", "ignore", str(program)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as running:
        try:
            out, err = running.communicate(timeout=LIMIT_S)
        finally:
            running.kill()
    pids, *rest = out.splitlines()
    until(lambda: not any(psutil.pid_exists(int(pid)) for pid in pids.split()))
    if end == KILLED:
        assert (running.returncode, rest) == (-signal.SIGKILL, [])
    else:
        interrupted, told, result = rest
        assert interrupted == "interrupted"
        assert running.returncode == 0
        assert told.startswith("The cluster of this mesh is closed")
        assert result == "5 True [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"
        assert not err
