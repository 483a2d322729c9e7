"""`import tensorkit` against `import numpy`, each in a fresh interpreter, files warm; ours includes NumPy's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.benchmarks.measure import Pair, Row, benchmark, by_turns

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 15
CODE = "from time import perf_counter as now; start = now(); import {module}; print(now() - start)"


def _import(module: str, environment: Mapping[str, str]) -> Callable[[], float]:
    command = [sys.executable, "-c", CODE.format(module=module)]

    def fresh() -> float:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)

    return fresh


@benchmark("Importing")
def importing() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as cache:
        # Compiled once, in the turn that does not count, as after an installation: also where this shell forbids it.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        sides = [_import(module, environment) for module in ("tensorkit", "numpy")]
        pair = Pair(*by_turns(sides, ROUNDS))
    yield Row(
        "import tensorkit", pair.ratio, "× import numpy", pair.told("import tensorkit", "import numpy"), 2.0
    )
