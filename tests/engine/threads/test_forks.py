"""The child of a fork finds no lock taken and no thread awaited that stayed behind in its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.cuda import emulate
from tensorkit.process import forks

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    # What Python 3.12 and later say of every fork beside other threads.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

PATIENCE = 60.0  # seconds: what hangs, hangs for ever

# `logging` is imported before any thread works: Python registers its lock with forks, even in the middle of one.
WORK = """
import faulthandler, logging, os, sys, threading, time, warnings
import tensorkit as tk
from tensorkit.kernels.jit import compiler

warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
sys.setswitchinterval(1e-5)
stop = threading.Event()

def busy(number):
    t, generator = tk.arange(12.0).reshape(3, 4), tk.Generator()
    while not stop.is_set():
        fresh = t + number
        fresh.untyped_storage(), fresh[1:]
        with tk.tracing.record() as events:
            (fresh @ t.mT).softmax(1)
        tk.randn(5, generator=generator), tk.rand(3)
        (fresh.requires_grad_() * 2).sum().backward()
        big + number

def ten(t):
    x = t.clone().requires_grad_()
    (x.exp() @ t.mT).sum().backward()
    with tk.tracing.record() as events:
        tk.cat([t, t[:1]]).sort(1)
    made = [x.grad.sum(), t.softmax(1).norm(), (t + 1).untyped_storage().nbytes(), (big + 1).sum(), t.cumsum(0)[-1, -1],
            tk.randn(3, generator=tk.Generator().manual_seed(1)).sum(), t[t > 1].mean(), len(events) > 0]
    tk.rand(2), tk.manual_seed(0)
    return [float(one) for one in made]

tk.set_num_threads(2)
big = tk.ones(200_000)
t = tk.arange(12.0).reshape(3, 4) / 7
expected = ten(t)
workers = [threading.Thread(target=busy, args=(number,), daemon=True) for number in range(4)]
for worker in workers:
    worker.start()
for turn in range(20):
    time.sleep(0.003 * (turn % 3))
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(PATIENCE / 2, exit=True)
        os._exit(0 if ten(t) == expected else 3)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        print("child", turn, "ended with", code)
stop.set()
print("done")
"""


def test_a_child_forked_while_threads_work_does_ten_operations_and_ends() -> None:
    code = WORK.replace("PATIENCE", str(PATIENCE))
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (finished.stdout, finished.stderr) == ("done\n", "")


def in_a_child(look: Callable[[], Any]) -> str:
    """What a function says in the child of a fork; what it raises, likewise."""
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = str(look())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(tell, said.encode())
        os._exit(0)
    os.close(tell)
    try:
        with os.fdopen(told) as said_there:
            ended = threading.Timer(PATIENCE, os.kill, (child, 9))
            ended.start()
            return said_there.read()
    finally:
        ended.cancel()
        os.waitpid(child, 0)


@pytest.mark.parametrize("make", [forks.lock, forks.rlock, forks.condition])
def test_a_lock_that_another_thread_holds_is_free_in_the_child(make: Callable[[], Any]) -> None:
    lock, held, leave = make(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            leave.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        assert in_a_child(lambda: lock.acquire(blocking=False)) == "True"
        assert not lock.acquire(blocking=False)
    finally:
        leave.set()
        holder.join()


@pytest.mark.parametrize("make", [forks.rlock, forks.condition])
def test_what_the_thread_that_forks_holds_it_lets_go_of_itself(make: Callable[[], Any]) -> None:
    lock = make()
    with lock:
        assert in_a_child(lambda: lock.release()) == "None"


def test_who_listens_to_a_thread_that_stayed_behind_keeps_nobody_on_the_long_way() -> None:
    begun, leave = threading.Event(), threading.Event()

    def listen() -> None:
        with tracing.record():
            begun.set()
            leave.wait()

    other = threading.Thread(target=listen)
    other.start()
    begun.wait()
    try:
        assert in_a_child(lambda: tracing.active) == "False"
        with tracing.record() as events:
            assert in_a_child(lambda: (tk.ones(2) + 1, tracing.active, len(events) > 0)[1:]) == "(True, True)"
    finally:
        leave.set()
        other.join()


FORKED = (
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
    "'spawn' start method"
)


@pytest.mark.parametrize(
    "code",
    [
        "tk.ones(2, device='cuda')",
        "t + 1",
        "t.tolist()",
        "waiting.cpu()",
        "waiting.item()",
        "event.synchronize()",
        "stream.synchronize()",
        "tk.cuda.synchronize()",
    ],
)
def test_emulated_devices_are_refused_in_the_child_as_pytorch_refuses_gpus(code: str) -> None:
    with emulate() as emulation:
        t, event, stream = tk.ones(3, device="cuda"), tk.cuda.Event(), tk.cuda.Stream()
        there = tk.ones(1, device="cuda")
        with emulation.late():
            with tk.cuda.stream(stream):
                waiting = there + 1
                event.record()
            names = {"tk": tk, "t": t, "event": event, "stream": stream, "waiting": waiting}
            assert in_a_child(lambda: eval(code, names)) == FORKED
        tk.cuda.synchronize()
        assert waiting.item() == 2
        assert in_a_child(lambda: emulate() and (tk.ones(2, device="cuda") + 1).tolist()) == "[2.0, 2.0]"
