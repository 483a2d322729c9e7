"""The suite as other processors would run it: `python -m tests.processors [NAME ...] [-- WORDS FOR PYTEST]`.

NumPy, SciPy, PyTorch and Numba ask the processor what it can, and take other loops on another one: sums are added in
another order and the last digits differ. Environment variables make each of them believe that the processor can less.
A test that passes here and not there compares noise. Each setting runs the whole suite but for the browser's tests.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def _without(least: str) -> str:
    """The names of NumPy's loops for processors that can more than ``least``, as far as this one has them."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return " ".join(here[here.index(least) + 1 :] if least in here else here)


def _threads(count: int) -> dict[str, str]:
    return dict.fromkeys(_POOLS, str(count))


SETTINGS: Mapping[str, Mapping[str, str]] = {
    "openblas-haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "openblas-skylakex": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "openblas-zen": {"OPENBLAS_CORETYPE": "Zen"},
    "numpy-without-avx512": {"NPY_DISABLE_CPU_FEATURES": _without("X86_V3")},
    "numpy-baseline": {"NPY_DISABLE_CPU_FEATURES": _without("")},
    "aten-default": {"ATEN_CPU_CAPABILITY": "default"},
    "aten-avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "mkl-compatible": {"MKL_CBWR": "COMPATIBLE"},
    "mkl-avx2": {"MKL_CBWR": "AVX2"},
    "numba-haswell": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""},
    "one-thread": _threads(1),
    "two-threads": _threads(2),
    "busy": {},
}
"""What to set, by name. ``busy`` sets nothing: there another program keeps a core busy all the while."""

MACHINES: Mapping[str, Sequence[str]] = {
    "old": ("numpy-baseline", "aten-default", "mkl-compatible", "one-thread"),
    "haswell": ("openblas-haswell", "numpy-without-avx512", "aten-avx2", "mkl-avx2", "numba-haswell"),
    "xeon": ("openblas-skylakex", "two-threads"),
    "zen": ("openblas-zen", "numpy-without-avx512", "aten-avx2", "busy"),
}
"""Settings that go together, for who has less time: every setting is in one of them."""


def _environment(name: str) -> dict[str, str]:
    return {key: value for part in MACHINES.get(name, (name,)) for key, value in SETTINGS[part].items()}


def _run(name: str, words: Sequence[str], log: Path) -> tuple[int, str]:
    """Run pytest under a setting; its exit status and closing line."""
    busy = "busy" in MACHINES.get(name, (name,))
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if busy else None
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not browser", *words]
    try:
        with log.open("w", encoding="utf-8") as out:
            environment = {**os.environ, **_environment(name)}
            status = subprocess.run(
                command, cwd=_ROOT, env=environment, stdout=out, stderr=out, check=False
            ).returncode
    finally:
        if burner is not None:
            burner.kill()
            burner.wait()
    lines = log.read_text(encoding="utf-8").splitlines()
    closing = [line for line in lines if re.search(r"\d+ (passed|failed|error)", line)]
    return status, closing[-1].strip("= ") if closing else "nothing was run"


def main(words: Sequence[str] | None = None) -> int:
    """Run the suite under each setting that is asked for, by default under all; 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="make processors", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join([*SETTINGS, *MACHINES])}")
    parser.add_argument("--logs", type=Path, default=_ROOT / ".processors", help="where pytest's output goes")
    given = list(sys.argv[1:] if words is None else words)
    cut = given.index("--") if "--" in given else len(given)
    asked, for_pytest = parser.parse_args(given[:cut]), given[cut + 1 :]
    for name in asked.names:
        if name not in SETTINGS and name not in MACHINES:
            parser.error(f"no setting is called {name!r}; there are {', '.join([*SETTINGS, *MACHINES])}")
    asked.logs.mkdir(exist_ok=True)
    failed = False
    for name in asked.names or SETTINGS:
        begun = time.monotonic()
        status, closing = _run(name, for_pytest, asked.logs / f"{name}.log")
        failed |= status != 0
        told = " ".join(f"{key}={value!r}" for key, value in _environment(name).items())
        print(f"{name}: {closing}; {(time.monotonic() - begun) / 60:.1f} min; {told}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
