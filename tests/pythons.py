"""The kit on every Python of this machine: `python -m tests.pythons [VERSION ...] [--another] [--lowest]`.

Each Python gets an environment of its own in ``.pythons/``, and runs a chosen part of the suite there: the smoke test,
the engine without PyTorch, one file of each chapter, the kernels as the CPU plays them, widgets and lessons, the server
of the lessons, and `tensorkit check`. It takes a few minutes each.

``--another`` takes the newest Python but the one that runs this, as CI does. ``--lowest`` takes the oldest Python, and
the lowest version of each package that pyproject.toml allows.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_OLDEST = 11
_NEWEST = 20  # nobody knows how many there will be; a name that does not exist costs nothing

SELECTION = (
    "tests/test_smoke.py",
    *(
        f"tests/engine/test_{name}.py"
        for name in (
            "bad_input",
            "call_errors",
            "dtypes",
            "layout",
            "numpy",
            "printing",
            "protocols",
            "python_conversions",
            "results",
            "storage",
            "tracing",
            "utils_benchmark",
        )
    ),
    *(f"tests/engine/{name}" for name in ("interrupts", "memory", "threads")),
    *(f"tests/engine/autograd/test_{name}.py" for name in ("autograd", "function", "graph")),
    *(
        f"tests/engine/ops/test_{name}.py"
        for name in (
            "binary_ops",
            "conj_and_neg_bit",
            "indexing",
            "joining_and_creation",
            "linalg",
            "matmul",
            "random",
            "reductions",
            "sorting",
            "special",
            "unary",
        )
    ),
    "tests/engine/kernels/test_sum_compiled.py",
    *(f"tests/cuda/test_{name}.py" for name in ("devices", "kernel_findings", "traced")),
    "tests/widgets/kernel_tracer/test_widget.py",
    "tests/widgets/practice/test_parsons.py",
    "tests/widgets/practice/test_predict.py",
    "tests/widgets/shared/test_boards.py",
    "tests/widgets/stride_explorer",
    "tests/widgets/tracing/test_explain.py",
    "tests/widgets/tracing/test_recorder.py",
    "tests/lab/test_cli.py",
    "tests/lab/test_serving.py",
    "notebooks/00_setup_check.ipynb",
    "notebooks/02_storage_and_strides.ipynb",
    "notebooks/21_kernels.ipynb",
)
"""What is run: a part of everything that may depend on Python or on a package's version."""


def _candidates() -> Iterator[Path]:
    for minor in range(_OLDEST, _NEWEST + 1):
        for folder in os.get_exec_path():
            yield Path(folder, f"python3.{minor}")
    yield from map(Path, filter(None, (shutil.which("python3"), sys.executable)))
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser()
    yield from sorted((pyenv / "versions").glob("3.*/bin/python"))


def found() -> Mapping[tuple[int, int], Path]:
    """Each Python from 3.11 on that there is, by its version: the first on the path, else the newest of pyenv's."""
    ask = "import sys, venv, ensurepip; print(*sys.version_info[:2], sys._base_executable)"
    pythons: dict[tuple[int, int], Path] = {}
    for candidate in dict.fromkeys(_candidates()):
        if not candidate.is_file():
            continue
        told = subprocess.run([candidate, "-c", ask], capture_output=True, text=True, check=False)
        answer = re.fullmatch(r"(\d+) (\d+) (.+)\n", told.stdout)
        if answer:
            version = int(answer[1]), int(answer[2])
            if version >= (3, _OLDEST):
                pythons.setdefault(version, Path(answer[3]))
    return dict(sorted(pythons.items()))


def lowest() -> list[str]:
    """The lowest version of each package that pyproject.toml allows, for the parts that a learner and a tester need."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["lab"], *extras["test"], *extras["site"]]
    own = f"{project['name']}["  # an extra that is part of another one
    return [re.sub(r"^([\w-]+)>=([\w.]+).*", r"\1==\2", one) for one in asked if not one.startswith(own)]


def _environment(python: Path, folder: Path, exact: Sequence[str]) -> Path:
    """The Python of a virtual environment with the kit in it, which is made unless it is there and up to date."""
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made_for = (_ROOT / "pyproject.toml").read_text(encoding="utf-8") + str(python)
    stamp = folder / "made_for"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == made_for:
        return inside
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in exact), encoding="utf-8")
    pip = [inside, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-compile"]
    subprocess.run([*pip, "-c", constraints, "-e", f"{_ROOT}[lab,test]"], check=True)
    stamp.write_text(made_for, encoding="utf-8")
    return inside


def _run(python: Path, words: Sequence[str]) -> tuple[bool, str]:
    """Run the selection, then `tensorkit check`; whether all is well, and pytest's closing line."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment.pop("CI", None)  # the oracle is not installed there, and need not be
    spread = ["--numprocesses=2", "--dist=loadfile"]
    command = [python, "-m", "pytest", "-q", "-m", "not browser and not parity", *spread, *words, *SELECTION]
    tests = subprocess.run(
        command,
        cwd=_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    report = subprocess.run(
        [python, "-m", "tensorkit.cli", "check"], env=environment, capture_output=True, text=True, check=False
    )
    if tests.returncode:
        print(tests.stdout)
    if report.returncode:
        print(report.stdout, report.stderr)
    closing = re.findall(r".*\d+ (?:passed|failed|error).*", tests.stdout)
    return not tests.returncode and not report.returncode, closing[-1].strip(
        "= "
    ) if closing else "nothing was run"


def main(words: Sequence[str] | None = None) -> int:
    """Run the selection on the Pythons that are asked for, by default on all; 1 if it failed on one."""
    parser = argparse.ArgumentParser(prog="make pythons", description=__doc__.partition("\n\n")[0])
    parser.add_argument("versions", nargs="*", help="such as 3.12")
    parser.add_argument("--another", action="store_true", help="the newest one but the one that runs this")
    parser.add_argument(
        "--lowest", action="store_true", help="the oldest one, with the lowest versions of packages"
    )
    given = list(sys.argv[1:] if words is None else words)
    cut = given.index("--") if "--" in given else len(given)
    asked, for_pytest = parser.parse_args(given[:cut]), given[cut + 1 :]
    pythons = {f"{major}.{minor}": path for (major, minor), path in found().items()}
    chosen = asked.versions or list(pythons)
    if asked.another:
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        chosen = [name for name in chosen if name != here][-1:]
    elif asked.lowest:
        chosen = chosen[:1]
    print("found:", ", ".join(f"Python {name} ({path})" for name, path in pythons.items()))
    missing = [f"3.{minor}" for minor in range(_OLDEST, max(v[1] for v in found()) + 1)]
    missing = [name for name in dict.fromkeys([*missing, *asked.versions]) if name not in pythons]
    print("not found:", ", ".join(missing) or "none that is older than the newest")
    failed = bool([name for name in asked.versions if name not in pythons])
    for name in chosen:
        if name not in pythons:
            continue
        begun = time.monotonic()
        folder = _ROOT / ".pythons" / f"{name}{'-lowest' * asked.lowest}"
        inside = _environment(pythons[name], folder, lowest() if asked.lowest else ())
        made = time.monotonic()
        well, closing = _run(inside, for_pytest)
        failed |= not well
        took = f"environment {made - begun:.0f} s, tests {time.monotonic() - made:.0f} s"
        print(f"Python {name}{' with the lowest versions' * asked.lowest}: {closing}; {took}", flush=True)
    if not chosen:
        print("there is no other Python here: nothing was run")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
