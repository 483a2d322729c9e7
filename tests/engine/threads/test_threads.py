"""Threads: a widget draws on one while a cell computes on another, and a large tensor takes several."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import tensorkit as tk
from tensorkit.kernels.jit import compiler, threads
from tensorkit.kernels.jit.spin_wait import Signal, watch
from tensorkit.kernels.jit.threads import spread

WORKERS = 8


@pytest.fixture(autouse=True)
def hasty_switching() -> Iterator[None]:
    """Python changes threads after every few instructions, so that a race has a thousand chances."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], Any]) -> list[Any]:
    """What the workers return when all start at the same moment."""
    barrier = threading.Barrier(WORKERS)

    def start(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(start, range(WORKERS)))


def test_a_fresh_result_gets_one_storage_however_many_ask() -> None:
    for _ in range(200):
        t = tk.ones(3) + 1
        storages = together(lambda number, t=t: t.untyped_storage())
        assert len({id(storage) for storage in storages}) == 1


def test_views_made_at_once_are_of_one_family() -> None:
    for _ in range(100):
        t = tk.ones(4) + 1
        views = together(lambda number, t=t: t[number % 4 :])
        views[0].zero_()
        assert {view._version for view in views} == {1}
        assert t.tolist() == [0, 0, 0, 0]


def test_sums_computed_at_once_do_not_disturb_each_other() -> None:
    def work(number: int) -> float:
        total = tk.zeros(1000)
        for step in range(200):
            total = total + tk.full((1000,), float(number)) / (step % 2)  # half of them divide by zero
            total = tk.full((1000,), float(number)) * step
        return float(total.sum())

    assert together(work) == [number * 199 * 1000.0 for number in range(WORKERS)]


def test_numpys_settings_of_each_thread_stay_its_own() -> None:
    def work(number: int) -> tuple[Any, Any]:
        with np.errstate(divide="raise" if number % 2 else "ignore"):
            before = np.geterr()
            tk.ones(3) / tk.zeros(3)
            return before, np.geterr()

    assert all(before == after for before, after in together(work))


# -- how many threads ---------------------------------------------------------------------------------------------

SAID: list[tuple[Any, ...]] = [
    (),
    (0,),
    (-1,),
    (2.5,),
    (True,),
    ("x",),
    (None,),
    (2**31,),
    (2**63,),
    (2, 2),
    (np.float64(3),),
    (np.bool_(True),),
]


@pytest.mark.parity
@pytest.mark.parametrize(
    "name", ["set_num_threads", "get_num_threads", "set_num_interop_threads", "get_num_interop_threads"]
)
def test_a_wrong_number_of_threads_is_refused_in_pytorchs_words(name: str) -> None:
    torch = pytest.importorskip("torch")

    def answer(library: Any, args: tuple[Any, ...], kwargs: dict[str, int]) -> str:
        try:
            getattr(library, name)(*args, **kwargs)
        except Exception as error:
            return f"{type(error).__name__}: {error}".replace("torch.", "tensorkit.")
        return "no error"

    for args in SAID if name.startswith("set") else [(1,), (1, 2)]:
        assert answer(tk, args, {}) == answer(torch, args, {})
    assert answer(tk, (), {"n": 1}) == answer(torch, (), {"n": 1})


@pytest.mark.parity
def test_every_thread_has_its_own_number_as_in_pytorch() -> None:
    code = """
import threading, {library} as tk
said = []
def say(n): tk.set_num_threads(n); said.append(tk.get_num_threads())
def ask(): said.append(tk.get_num_threads())
def elsewhere(work, *args):
    thread = threading.Thread(target=work, args=args); thread.start(); thread.join()
tk.set_num_threads(3); elsewhere(ask); elsewhere(say, 5); ask(); elsewhere(ask); say(2); elsewhere(say, 7); ask()
tk.set_num_interop_threads(4); said.append(tk.get_num_interop_threads())
try: tk.set_num_interop_threads(4)
except RuntimeError as error: said.append(str(error))
print(said)
"""
    ours, theirs = (_in_a_process(code.format(library=library)) for library in ("tensorkit", "torch"))
    assert ours == theirs


PATIENCE = 600.0
"""Seconds: what compiles gives way to everybody else, and on a busy machine has waited for minutes."""


def _in_a_process(code: str, **environment: str) -> str:
    words = [sys.executable, "-c", code]
    environment = {"PATIENCE": str(PATIENCE - 60), **environment}
    finished = subprocess.run(
        words, capture_output=True, text=True, check=True, timeout=PATIENCE, env={**os.environ, **environment}
    )
    return finished.stdout.strip()


def test_no_thread_is_started_before_there_is_work_for_it() -> None:
    code = """
import threading, tensorkit as tk
tk.set_num_threads(4)
(tk.ones(1000) + 1).sum(); print(threading.active_count())
tk.ones(1_000_000) + 1; print(threading.active_count())
"""
    assert _in_a_process(code, TENSORKIT_COMPILED="0").split() == ["1", "4"]


# -- pieces -------------------------------------------------------------------------------------------------------


@pytest.fixture
def four_threads() -> Iterator[None]:
    before = tk.get_num_threads()
    tk.set_num_threads(4)
    yield
    tk.set_num_threads(before)


@pytest.mark.usefixtures("four_threads")
@pytest.mark.parametrize(
    ("count", "grain", "most"), [(0, 1, 0), (1, 1, 0), (7, 2, 0), (1000, 10, 0), (1000, 10, 3)]
)
def test_pieces_make_up_the_whole(count: int, grain: int, most: int) -> None:
    seen = np.zeros(count, int)

    def body(first: int, last: int) -> None:
        seen[first:last] += 1
        assert not most or last - first <= most

    spread(body, count, grain, most)
    assert (seen == 1).all()


def test_a_signal_arrives_once_it_is_sent_and_python_is_free_meanwhile() -> None:
    signal = Signal()
    with compiler.at_once():
        assert not signal.wait(signal.count, 1e-3, 0.0)
        before = signal.count
        sending = threading.Thread(target=signal.send)
        sending.start()  # it needs Python's lock, which a thread that watches must not hold
        assert signal.wait(before, 20.0, 1e-5)
        sending.join()
        start = time.perf_counter()
        assert signal.wait(before, 20.0, 0.0)  # what was sent before arrives at once
        assert time.perf_counter() - start < 10


def test_without_the_compiled_loop_nobody_stays_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "ready", None)
    monkeypatch.setattr(watch, "asked", True)
    signal = Signal()
    assert not signal.wait(signal.count - 1, 20.0, 0.0)


@pytest.mark.usefixtures("four_threads")
@pytest.mark.parametrize("pause", [0.0, 1e-4, 2e-3])
def test_helpers_awake_or_asleep_take_their_share(pause: float) -> None:
    with compiler.at_once():
        for _ in range(100):
            seen = np.zeros(1000, int)
            spread(lambda i, j, seen=seen: seen[i:j].__iadd__(1), 1000, 10)  # type: ignore[misc]
            assert (seen == 1).all()
            time.sleep(pause)


@pytest.mark.usefixtures("four_threads")
def test_nobody_holds_what_a_job_was_about_once_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads._Pool, "_live", lambda self: None)  # helpers that never come to take theirs
    monkeypatch.setattr(threads, "_pool", threads._Pool())
    kept = np.zeros(1000)
    here = weakref.ref(kept)
    spread(lambda i, j, kept=kept: kept[i:j].__iadd__(1), 1000, 1)  # type: ignore[misc]
    assert (kept == 1).all()
    del kept
    assert here() is None


@pytest.mark.usefixtures("four_threads")
def test_what_a_piece_raises_is_raised() -> None:
    def body(first: int, last: int) -> None:
        if first <= 50 < last:
            raise ZeroDivisionError("in a piece")

    for _ in range(50):
        with pytest.raises(ZeroDivisionError, match="in a piece"):
            spread(body, 100, 1)


@pytest.mark.usefixtures("four_threads")
def test_pieces_of_pieces_and_of_several_threads() -> None:
    def work(number: int) -> int:
        tk.set_num_threads(4)
        counts = np.zeros(40, int)

        def inner(first: int, last: int) -> None:
            counts[first:last] += 1

        def outer(first: int, last: int) -> None:
            spread(lambda i, j: inner(first + i, first + j), last - first, 1)

        for _ in range(50):
            spread(outer, 40, 1)
        return int(counts.min() + counts.max())

    assert together(work) == [100] * WORKERS


@pytest.mark.usefixtures("four_threads")
def test_large_tensors_from_several_threads_and_without_warnings() -> None:
    def work(number: int) -> tuple[float, float]:
        t = tk.arange(300_000.0) * number
        lost = t / 0
        return float(t[-1]), float(lost[-1])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert together(work)[1:] == [(299_999.0 * n, np.inf) for n in range(1, WORKERS)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_fork_has_helpers_of_its_own() -> None:
    code = """
import os, threading, tensorkit as tk
tk.set_num_threads(4)
t = tk.ones(1_000_000)
(t + t).sum()
child = os.fork()
if not child:
    right = float((t + t).sum()) == 2_000_000 and threading.active_count() == 4
    os._exit(0 if right else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert _in_a_process(code, TENSORKIT_COMPILED="0") == "0"


# -- the same by pieces as in one -----------------------------------------------------------------------------------

CALLS = [
    "a + b",
    "a - b.t()",
    "c * d",
    "a.t() / b.t()",
    "a + 1.5",
    "a.t().mul_(2)",
    "tk.add(a, b, alpha=0.5)",
    "tk.sub(a, b.t(), alpha=3)",
    "tk.where(a > 0, a, b.t())",
    "tk.where(a > 0, a, 2.5)",
    "tk.where(c > 0, d, a)",
    "(a * 9).long() + 1",
    "a.half() + b.half()",
    "a.double() * b",
    "a.relu()",
    "a.clamp(-0.5, 0.25)",
    "a[:, 1:].sign()",
    "a.t().abs().rsqrt()",
    "a.erf()",
    "a.double().erf()",
    "(a * 50).sigmoid()",
    "(a / 0).nan_to_num(1.5)",
    "tk.lerp(a, b, 0.25)",
    "tk.lerp(a, b.t(), 0.75)",
    "tk.addcmul(a, b, b.t(), value=2)",
    "a.floor()",
    "a.round()",
    "a ** 2",
    "a.softmax(1)",
    "a.log_softmax(-1)",
    "a.cumsum(1)",
    "a.cumsum(0)",
    "a.abs().cumprod(1)",
    "a.sum(0)",
    "a.sum(1)",
    "a.norm()",
    "a.gather(1, i)",
    "a.gather(0, i)",
    "a.gather(1, i[:, :500])",
    "a.scatter_add(1, i, b)",
    "a.scatter_add(0, i, b.t())",
    "a.index_add(0, i[0], b)",
    "a.view(-1)[1:].add_(a.view(-1)[:-1].clone())",
]

SAME = """
import os, sys, numpy, tensorkit as tk
from tensorkit.kernels.jit import compiler
tk.set_num_threads(int(sys.argv[2]))
draw = numpy.random.default_rng(0)
a, b = (draw.standard_normal((600, 600)).astype("f") for _ in range(2))
i = draw.integers(0, 600, (600, 600))
def fresh():
    of = tk.from_numpy
    return {"tk": tk, "a": of(a.copy()), "b": of(b.copy()), "i": of(i), "c": of(a[:, :1].copy()), "d": of(b[:1].copy())}
answers = lambda: {str(k): eval(code, fresh()) for k, code in enumerate(eval(sys.argv[3]))}
with compiler.at_once():
    found = answers()
numpy.savez(sys.argv[1], **{k: t.float().numpy() if t.dtype is tk.float16 else t.numpy() for k, t in found.items()})
"""


def test_compiled_or_not_on_one_thread_or_several_the_answer_is_the_same(tmp_path: Path) -> None:
    def answers(name: str, compiled: str, threads: str) -> Any:
        place = tmp_path / f"{name}.npz"
        words = [sys.executable, "-c", SAME, str(place), threads, repr(CALLS)]
        subprocess.run(words, check=True, timeout=300, env={**os.environ, "TENSORKIT_COMPILED": compiled})
        return np.load(place)

    plain = answers("plain", "0", "1")
    for name, mode, count in (("threads", "0", "4"), ("compiled", "1", "1"), ("both", "force", "4")):
        other = answers(name, mode, count)
        for number, code in enumerate(CALLS):
            one, two = plain[str(number)], other[str(number)]
            assert one.dtype == two.dtype
            size = np.nanmax(np.abs(one)).astype(float)  # sums of numbers of both signs lose digits
            np.testing.assert_allclose(
                two, one, rtol=2e-6, atol=1e-6 * size, equal_nan=True, err_msg=f"{code}, {name}"
            )


def test_nobody_waits_for_the_compiler(tmp_path: Path) -> None:
    code = """
import time, tensorkit as tk
t = tk.ones(1000, 1000)
taken = []
for _ in range(5):
    start = time.perf_counter(); t.softmax(1); taken.append(time.perf_counter() - start)
print(max(taken))
import os; os._exit(0)  # the compiler is not waited for at the end either
"""
    plain = float(_in_a_process(code, TENSORKIT_COMPILED="0"))
    cold = float(_in_a_process(code, TENSORKIT_COMPILED="1", NUMBA_CACHE_DIR=str(tmp_path)))
    assert cold < 0.3 + 4 * plain


def test_a_folder_that_cannot_be_written_to_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    code = """
import tensorkit
from tensorkit.kernels.cpu.loops import sign
sign.compile()
print(bool(sign.ready))
"""
    assert _in_a_process(code, NUMBA_CACHE_DIR=str(tmp_path / "file")) == "True"


ELSEWHERE = """
import os, sys, threading, time, warnings
import scipy.linalg  # it changes the filters for a moment, when it is imported
import tensorkit as tk
from tensorkit.kernels.cpu import loops
from tensorkit.kernels.jit import compiler

entered, enter = [], warnings.catch_warnings.__enter__
def noted(self):
    entered.append(threading.current_thread().name)
    return enter(self)
warnings.catch_warnings.__enter__ = noted
compiler._REST = 0.1
t = tk.ones(1000, 1000)
expected = t.sign().sum()
end = time.monotonic() + float(os.environ["PATIENCE"])
while loops.sign.ready is None and time.monotonic() < end:
    time.sleep(0.05)
here = compiler._compiler.worker
while here._process is not None and time.monotonic() < end:
    time.sleep(0.05)
child = os.fork() if hasattr(os, "fork") else 0
right = loops.sign.ready is not None and bool(t.sign().sum() == expected) and here._process is None
if child:
    right = right and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
elif hasattr(os, "fork"):
    os._exit(not right)
print(right, len(entered))
"""


def test_loops_are_compiled_elsewhere_and_the_filters_of_warnings_are_left_alone(tmp_path: Path) -> None:
    assert _in_a_process(ELSEWHERE, TENSORKIT_COMPILED="1", NUMBA_CACHE_DIR=str(tmp_path)) == "True 0"
    kept = sorted(tmp_path.rglob("*.nbc"))
    written = [path.stat().st_mtime_ns for path in kept]
    assert kept
    assert _in_a_process(ELSEWHERE, TENSORKIT_COMPILED="1", NUMBA_CACHE_DIR=str(tmp_path)) == "True 0"
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*.nbc"))] == written


def test_what_compiles_ends_with_the_program(tmp_path: Path) -> None:
    code = """
import os, time, tensorkit as tk
from tensorkit.kernels.cpu import loops
from tensorkit.kernels.jit import compiler
tk.ones(1000, 1000).sign()
end = time.monotonic() + float(os.environ["PATIENCE"])
while compiler._compiler.worker._process is None and time.monotonic() < end:
    time.sleep(0.01)
print(compiler._compiler.worker._process.pid)
"""
    pid = int(
        _in_a_process(code, TENSORKIT_COMPILED="1", NUMBA_CACHE_DIR=str(tmp_path), PYTHONWARNINGS="error")
    )
    end = time.monotonic() + PATIENCE
    while _lives(pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    """Whether a process is at work: one that has ended may still be listed until its parent asks."""
    try:
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_nothing_is_compiled_elsewhere_where_no_folder_may_be_written_to(tmp_path: Path) -> None:
    if not hasattr(numba.core.config, "CACHE_LOCATOR_CLASSES"):
        pytest.skip(f"Numba {numba.__version__} cannot be told where to look for its cache")
    (tmp_path / "file").write_text("no folder")
    code = """
import time, tensorkit as tk
from tensorkit.kernels.cpu import loops
from tensorkit.kernels.jit import compiler
t = tk.ones(1000, 1000)
t.sign()
while not compiler._compiler._wanted.empty():
    time.sleep(0.05)
time.sleep(0.5)
print(loops.sign.storable(), loops.sign.ready, compiler._compiler.worker._process, bool((t.sign() == 1).all()))
"""
    # The administrator may write into the package's own folder: Numba is told to look at no other than this one.
    only = {
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
        "NUMBA_CACHE_DIR": str(tmp_path / "file"),
    }
    found = _in_a_process(code, TENSORKIT_COMPILED="1", **only)
    assert found == "False None None True"


# -- memory -------------------------------------------------------------------------------------------------------


def _peak(work: Callable[[], Any]) -> float:
    """How much memory a call takes at most, its result included, in tensors of a million float32 numbers."""
    with compiler.at_once():  # NumPy, which answers meanwhile, may take a temporary more
        work()
    tracemalloc.start()
    kept = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak / 4e6


MEMORY: list[tuple[str, float]] = [
    ("a + b", 1),
    ("a + 1", 1),
    ("tk.add(a, b, alpha=2)", 1),
    ("a.exp()", 1),
    ("a.sigmoid()", 1),
    ("a.erf()", 1),
    ("a.round()", 1),
    ("a.remainder(0.3)", 1),
    ("a.t() * b", 1),
    ("tk.lerp(a, b, 0.3)", 1),
    ("a.clone()", 1),
    ("a.softmax(1)", 2),
    ("a.cumsum(0)", 2),
    ("a.add_(b)", 0),
    ("a.mul_(2)", 0),
    ("a.exp_()", 0),
    ("a.sigmoid_()", 0),
    ("a.remainder_(0.3)", 0),
    ("a.clamp_(0, 1)", 0),
    ("a.copy_(b.t())", 0),
    ("tk.add(a, b, out=o)", 0),
    ("tk.exp(a, out=o)", 0),
    ("tk.sigmoid(a, out=o)", 0),
]


@pytest.mark.parametrize(("code", "tensors"), MEMORY)
def test_an_operation_takes_no_more_memory_than_promised(code: str, tensors: float) -> None:
    names = {"tk": tk, "a": tk.rand(1000, 1000), "b": tk.rand(1000, 1000), "o": tk.zeros(1000, 1000)}
    assert _peak(lambda: eval(code, names)) <= tensors + 0.3
