"""The way to a GPU without one: what the host tells a driver, call by call, through cuda.core.

The driver is a stub (``stub_driver/libcuda.c``): its device memory is the host's, its kernels do nothing, and it
writes down what it is told.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "stub_driver" / "libcuda.c"
Log = list[str]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the stub, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        assert not os.environ.get("CI"), "CI has a C compiler"
        pytest.skip("no C compiler (cc) to build the stub driver with")
    folder = tmp_path_factory.mktemp("driver")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(folder / "libcuda.so.1"), str(SOURCE)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


def told(driver: Path, tmp_path: Path, code: str, **environment: str) -> tuple[list[str], Log]:
    """What a program prints, and what the driver was told while it ran; ``mark(word)`` in it marks the log."""
    log = tmp_path / "calls.txt"
    path = os.pathsep.join(filter(None, (str(driver), os.environ.get("LD_LIBRARY_PATH"))))
    preamble = f"""
import tensorkit as tk
def mark(word):
    with open({str(log)!r}, "a") as file:
        print("--", word, file=file)
"""
    surroundings = {key: value for key, value in os.environ.items() if key != "TENSORKIT_CUDA"}
    done = subprocess.run(
        [sys.executable, "-c", preamble + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=surroundings | {"LD_LIBRARY_PATH": path, "STUB_DRIVER_LOG": str(log)} | environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines(), log.read_text().splitlines() if log.exists() else []


def part(log: Log, word: str) -> Log:
    """The calls from one mark to the next."""
    rest = log[log.index(f"-- {word}") + 1 :]
    return rest[: next((k for k, line in enumerate(rest) if line.startswith("--")), len(rest))]


def calls(log: Log) -> list[str]:
    return [line.split()[0] for line in log]


def test_allocate_copy_launch_event_synchronize(driver: Path, tmp_path: Path) -> None:
    code = """
mark("copy")
a = tk.arange(6.0).cuda()
mark("launch")
b = a + 1
mark("again")
c = b + 1
mark("event")
event = tk.cuda.Event(enable_timing=True)
event.record()
event.synchronize()
mark("synchronize")
tk.cuda.synchronize()
mark("back")
c.cpu()
mark("end")
print(tk.cuda.memory_allocated(), tk.cuda.memory_reserved())
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == ["1536 2097152"]
    assert part(log, "copy") == [
        "cuMemAlloc 2097152",  # a whole segment, once
        "cuStreamSynchronize 0x1",
        "cuMemcpyHtoD 24 stream 0",
        "cuStreamSynchronize 0x1",  # pageable memory: the program waits
    ]
    loaded, named, launched = part(log, "launch")
    assert loaded == "cuLibraryLoadData ELF"
    assert named.startswith("cuLibraryGetKernel add")
    assert launched == "cuLaunchKernel grid 1 block 256 stream 0x1 count 6"
    assert part(log, "again") == [launched]  # nothing but the launch
    assert calls(part(log, "event")) == ["cuEventCreate", "cuEventRecord", "cuEventSynchronize"]
    assert part(log, "synchronize") == ["cuCtxSynchronize device 0"]
    assert calls(part(log, "back")) == ["cuMemcpyDtoH", "cuStreamSynchronize"]


def test_work_goes_to_the_current_stream_and_waits_where_it_is_told_to(driver: Path, tmp_path: Path) -> None:
    code = """
a = tk.zeros(1000).cuda()
side = tk.cuda.Stream(priority=-1)
mark("order")
side.wait_stream(tk.cuda.current_stream())
with tk.cuda.stream(side):
    a.add_(1)
tk.cuda.current_stream().wait_stream(side)
mark("end")
print(side, side.query(), tk.cuda.get_stream_from_external(side.cuda_stream).cuda_stream == side.cuda_stream)
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == ["<tensorkit.cuda.Stream device=cuda:0 cuda_stream=0x5010> True True"]
    assert "cuStreamCreate 0x5010 priority -1" in log
    order = [line for line in part(log, "order") if not line.startswith("cuLibrary")]
    assert calls(order) == [
        "cuEventCreate",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuLaunchKernel",
        "cuEventCreate",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ]
    first, second = order[0].split()[1], order[4].split()[1]
    assert order[1:4] == [
        f"cuEventRecord {first} stream 0x1",
        f"cuStreamWaitEvent 0x5010 event {first}",
        "cuLaunchKernel grid 4 block 256 stream 0x5010 count 1000",
    ]
    assert order[5:] == [f"cuEventRecord {second} stream 0x5010", f"cuStreamWaitEvent 0x1 event {second}"]


def test_pinned_transfers_do_not_wait(driver: Path, tmp_path: Path) -> None:
    code = """
p = tk.ones(3).pin_memory()
mark("there")
a = p.to("cuda", non_blocking=True)
mark("back")
b = a.to("cpu", non_blocking=True)
mark("end")
tk.cuda.synchronize()
print(b.tolist(), b.is_pinned())
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == ["[1.0, 1.0, 1.0] True"]
    assert "cuMemHostAlloc 12" in log
    assert calls(part(log, "there"))[2:] == ["cuMemcpyHtoD", "cuEventCreate", "cuEventRecord"]
    assert calls(part(log, "back")) == ["cuMemHostAlloc", "cuMemcpyDtoH", "cuEventCreate", "cuEventRecord"]
    assert calls(log).count("cuMemFreeHost") == 2


def test_memory_is_cached_and_given_back(driver: Path, tmp_path: Path) -> None:
    code = """
a = tk.empty(1000, device="cuda")
address = a.data_ptr()
mark("reuse")
del a
a = tk.empty(1000, device="cuda")
print(a.data_ptr() == address, tk.cuda.mem_get_info()[0] == 2**33 - 2 * 2**20)
mark("return")
del a
tk.cuda.empty_cache()
mark("stream")
side = tk.cuda.Stream()
b = tk.empty(1000, device="cuda")
b.record_stream(side)
del b
mark("full")
try:
    tk.empty(2**34, dtype=tk.uint8, device="cuda")
except tk.cuda.OutOfMemoryError as error:
    print(str(error).partition(". GPU")[0])
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == ["True True", "CUDA out of memory. Tried to allocate 16.00 GiB"]
    assert part(log, "reuse") == []
    assert calls(part(log, "return")) == ["cuMemFree"]
    assert calls(part(log, "stream"))[-2:] == ["cuEventCreate", "cuEventRecord"]


def test_two_devices(driver: Path, tmp_path: Path) -> None:
    code = """
a = tk.ones(4).cuda(0)
mark("across")
b = a.to("cuda:1")
mark("end")
tk.cuda.synchronize(1)
print(b.device, tk.cuda.device_count(), tk.cuda.can_device_access_peer(0, 1), tk.cuda.get_device_name(1))
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == ["cuda:1 2 True stub GPU"]
    across = calls(part(log, "across"))
    assert across.index("cuStreamWaitEvent") < across.index("cuMemcpy") < len(across) - 1
    assert across[-1] == "cuStreamWaitEvent"
    assert "cuCtxSynchronize device 1" in log


def test_library_calls_work_in_the_buffers_on_the_current_stream(driver: Path, tmp_path: Path) -> None:
    """CuPy's double (``cupy_double``) on the stub's memory, which is the host's."""
    code = f"""
import sys
sys.path.insert(0, {str(SOURCE.parents[3])!r})
from tests.cuda.stub_driver import cupy_double
cupy_double.install()
a = tk.tensor([[4.0, 2.0], [2.0, 3.0]]).cuda()
b = tk.arange(12.0).view(3, 4).cuda().t()[1:3, ::2]
side = tk.cuda.Stream()
held = tk.cuda.memory_allocated()
mark("calls")
with tk.cuda.stream(side):
    product, ordered = a @ b, b.sort(0, True)
factor = tk.linalg.cholesky(a)
values, counts = a.unique(return_counts=True)
mark("end")
tk.cuda.synchronize()
print(product.tolist(), ordered.indices.tolist(), factor.tolist())
print(values.tolist(), counts.tolist(), tk.cuda.memory_allocated() - held)
print(sorted(set(cupy_double.Stream.entered)) == [0, side.cuda_stream])
try:
    tk.linalg.inv(tk.zeros(2, 2).cuda())
except tk.linalg.LinAlgError as error:
    print(str(error).partition(",")[0])
"""
    printed, log = told(driver, tmp_path, code)
    assert printed[:3] == [
        "[[8.0, 56.0], [8.0, 48.0]] [[1, 1], [0, 0]] [[2.0, 0.0], [1.0, 1.4142135381698608]]",
        "[2.0, 3.0, 4.0] [2, 1, 1] 3072",
        "True",
    ]
    assert printed[3] == "linalg.inv: The diagonal element 1 is zero"
    assert not [line for line in part(log, "calls") if "Memcpy" in line]  # nothing goes by way of the host


def test_a_gpu_without_cupy_says_what_to_install(driver: Path, tmp_path: Path) -> None:
    code = """
import sys
sys.modules["cupy"] = None
a = tk.ones(2, 2).cuda()
try:
    tk.linalg.cholesky(a)
except NotImplementedError as error:
    print(error)
"""
    printed, _ = told(driver, tmp_path, code)
    assert "aten::linalg_cholesky" in printed[0]
    assert "CuPy is not installed. Install cupy-cuda12x (cupy-cuda13x for CUDA 13)" in printed[0]


@pytest.mark.parametrize(
    ("bad", "call"),
    [
        ("cuCtxSynchronize", "tk.cuda.synchronize()"),
        ("cuStreamSynchronize", "tk.cuda.current_stream().synchronize()"),
        ("cuMemcpyDtoH", "a.cpu()"),
    ],
)
def test_a_failure_is_told_in_pytorchs_words(driver: Path, tmp_path: Path, bad: str, call: str) -> None:
    code = f"""
import os
a = tk.ones(4).cuda()
os.putenv("STUB_DRIVER_FAIL", {bad!r})
try:
    {call}
except tk.cuda.AcceleratorError as error:
    print(str(error).splitlines()[0])
os.putenv("STUB_DRIVER_FAIL", "")
"""
    printed, _ = told(driver, tmp_path, code)
    assert printed == ["CUDA error: device-side assert triggered"]


def test_what_is_heard_of_the_queues_is_timed_by_the_devices_own_clock(driver: Path, tmp_path: Path) -> None:
    code = """
p = tk.ones(3).pin_memory()
side = tk.cuda.Stream()
a = p.cuda()
a + 1
mark("unheard")
b = a + 1
with tk.tracing.record() as events:
    mark("kernel")
    b = a + 1
    mark("copy")
    c = p.to("cuda", non_blocking=True)
    mark("record")
    event = side.record_event()
    mark("wait")
    event.wait()
    mark("back")
    b.cpu()
    mark("synchronize")
    tk.cuda.synchronize()
    mark("end")
for e in events:
    if isinstance(e, tk.tracing.QueueEvent):
        timed = [what for what in ("begun", "ended") if getattr(e, what) is not None]
        print(e.kind, e.stream, e.nbytes, e.waits, e.pinned, *timed)
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == [
        "kernel 0 24 False False begun ended",
        "copy 0 12 False True begun ended",
        "record 1 0 False False begun",
        "wait 0 0 False False begun ended",
        "copy 0 12 True False begun ended",
        "synchronize None 0 True False",
    ]
    assert calls(part(log, "unheard")) == ["cuLaunchKernel"]  # no cost where nobody listens
    clock = ["cuEventCreate", "cuEventRecord"]
    assert calls(part(log, "kernel")) == [*clock, "cuLaunchKernel", *clock]
    assert calls(part(log, "copy"))[:5] == [*clock, "cuMemcpyHtoD", *clock]
    assert calls(part(log, "record")) == [*clock, *clock]  # the learner's own, and one that has the time
    assert calls(part(log, "wait")) == [*clock, "cuStreamWaitEvent", *clock]
    assert calls(part(log, "back")) == [*clock, "cuMemcpyDtoH", *clock, "cuStreamSynchronize"]
    assert part(log, "synchronize") == ["cuCtxSynchronize device 0"]
    flags = {line.split()[1]: line.split()[-1] for line in log if line.startswith("cuEventCreate")}
    events = [line.split()[1] for line in part(log, "kernel") if line.startswith("cuEventRecord")]
    assert [flags[event] for event in events] == ["0", "0"]  # 2 would be without a time
    streams = {
        line.split()[-1] for line in part(log, "kernel") if line.startswith(("cuEventRecord", "cuLaunch"))
    }
    assert streams == {"0x1", "3"}  # of the launch, the last word is the count


def test_a_timeline_reads_the_clock_when_the_devices_are_done(driver: Path, tmp_path: Path) -> None:
    code = """
from tensorkit_widgets import timeline
a = tk.ones(3).cuda()
a + 1
with timeline() as line:
    b = a + 1
    b.cpu()
    mark("end")
print(line.source, [(s.kind, s.lane) for s in line.spans])
print({round(s.length, 3) for s in line.spans if s.lane != "CPU"})
"""
    printed, log = told(driver, tmp_path, code)
    assert printed == [
        "measured [('call', 'CPU'), ('kernel', 'cuda:0 stream 0'), ('held', 'CPU'), ('copy', 'cuda:0 stream 0')]",
        "{0.0}",  # the stub's clock says 1.5 ms between any two events
    ]
    assert calls(part(log, "end"))[:3] == ["cuCtxSynchronize", "cuEventCreate", "cuEventRecord"]
    assert "cuEventSynchronize" in calls(part(log, "end"))


def test_a_timeline_of_a_device_that_failed_draws_nothing_of_it_as_done(driver: Path, tmp_path: Path) -> None:
    code = """
from tensorkit_widgets import timeline
a = tk.ones(3).cuda()
try:
    with timeline() as line:
        b = a + 1
        tk.cuda.synchronize()
except tk.cuda.AcceleratorError as error:
    print(str(error).splitlines()[0])
print(line.source, [(s.kind, s.name) for s in line.spans])
"""
    printed, _ = told(driver, tmp_path, code, STUB_DRIVER_FAIL="cuCtxSynchronize")
    assert printed == [
        "CUDA error: device-side assert triggered",
        "measured [('call', 'add'), ('error', 'synchronize')]",
    ]
