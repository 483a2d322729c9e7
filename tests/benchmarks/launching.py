"""What a CUDA operation costs the host: on a stub driver that does nothing, and on an emulated device.

The driver is that of the tests (``tests/cuda/stub_driver``): no kernel runs, so what is left is our own time. It is
the time that the thread takes on a processor, which a busy machine does not add to.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Row, Skip, benchmark

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "tests" / "cuda" / "stub_driver" / "libcuda.c"
LAUNCH, OPERATION = 3.0, 6.0  # what a launch and a whole operation should cost, in µs

CODE = """
import json, time
import tensorkit as tk
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda import Operand
from tensorkit.kernels.cuda.half import identity
a, out = tk.ones(4, device="cuda"), tk.empty(4, device="cuda")
tk.backends.cuda.preferred_blas_library("tensorkit")
square = tk.ones(4, 4, device="cuda")
event, memory = tk.cuda.Event(), cuda.memory_for(a._store()._buffer)
here, there = (Operand(t._store()._buffer, tk.float32, (1,)) for t in (out, a))
def cost(work, calls=1000, rounds=9):
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time_ns()
        for _ in range(calls):
            work()
        best = min(best, (time.thread_time_ns() - start) / calls / 1000)
    return best
print(json.dumps({
    "a + a": cost(lambda: a + a),
    "tk.add(a, a, out=b)": cost(lambda: tk.add(a, a, out=out)),
    "square @ square by the kit's own kernel": cost(lambda: square @ square, 200),
    "a launch, from operands on": cost(lambda: cuda.launch_zip(identity, here, (there,), (4,), compute=tk.float32)),
    "tk.empty(4, device='cuda')": cost(lambda: tk.empty(4, device="cuda")),
    "an allocation": cost(lambda: memory.allocate(16, 0)),
    "event.record()": cost(event.record),
    "tk.cuda.current_stream()": cost(tk.cuda.current_stream),
}))
"""


def _measured(environment: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    costs: dict[str, float] = json.loads(done.stdout)
    return costs


@benchmark("The host's part of a CUDA operation")
def launching() -> Iterator[Row]:
    compiler = shutil.which("cc")
    if compiler is None:
        raise Skip("no C compiler (cc) to build the stub driver with")
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", f"{folder}/libcuda.so.1", str(DRIVER)]
        subprocess.run(command, check=True, capture_output=True)
        stub = _measured({"TENSORKIT_CUDA": "", "LD_LIBRARY_PATH": folder})
    emulated = _measured({"TENSORKIT_CUDA": "emulated"})
    aims = {"a + a": OPERATION, "tk.add(a, a, out=b)": OPERATION, "a launch, from operands on": LAUNCH}
    for name, cost in stub.items():
        aim = f"aim {aims[name]:g} µs, " if name in aims else ""
        yield Row(name, cost, "µs", f"{aim}emulated {emulated[name]:.1f} µs with the work itself")
