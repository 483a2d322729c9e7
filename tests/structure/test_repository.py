"""What lies at the top, and that the files which say the same thing say the same thing."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import tensorkit
from tests.torch_oracle import SHARES

TOP = {
    ".ci",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "TEACHING.md",
    "conftest.py",
    "environment.yml",
    "notebooks",
    "pyproject.toml",
    "tensorkit",
    "tests",
    "widgets",
}
TARGETS = {"lab", "test", "check", "bench", "fuzz", "lessons", "site"}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """The table `[project]` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def makefile(root: Path) -> str:
    return (root / "Makefile").read_text(encoding="utf-8")


def test_nothing_else_lies_at_the_top(root: Path) -> None:
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-c", f"safe.directory={root}", "ls-files"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[0] for line in listed.splitlines()} - TOP == set()


def test_conda_installs_what_pip_installs(root: Path, project: dict[str, Any]) -> None:
    environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))
    conda = {item for item in environment["dependencies"] if isinstance(item, str)} - {"pip"}
    wanted = [*project["dependencies"], *project["optional-dependencies"]["lab"]]
    assert conda == {*wanted, f"python{project['requires-python']}"}
    assert {"pip": ["--editable=."]} in environment["dependencies"]


def test_the_extras_are_those_of_the_design(project: dict[str, Any]) -> None:
    extras = {
        name: {re.split(r"[\[<>=; ]", item)[0] for item in items}
        for name, items in project["optional-dependencies"].items()
    }
    assert extras["lab"] == {"jupyterlab", "sidecar", "voila", "distributed", "segno"}
    assert extras["parity"] == {"torch"}
    assert extras["test"] == {
        "pytest",
        "pytest-xdist",
        "pytest-rerunfailures",
        "nbval",
        "hypothesis",
        "playwright",
        "axe-playwright-python",
        "notebook",
        "pandas",
        "pypdf",
        "ruff",
        "mypy",
        "tensorkit",
    }
    assert extras["site"] == {"sphinx", "furo", "myst-parser"}
    assert extras["distributed"] == {"distributed", "dask-jobqueue"}
    assert extras["gpu12"] == {"tensorkit", "cupy-cuda12x"}
    assert extras["gpu13"] == {"tensorkit", "cupy-cuda13x"}
    assert set(extras) == {
        "lab",
        "test",
        "site",
        "parity",
        "cuda12",
        "cuda13",
        "gpu12",
        "gpu13",
        "distributed",
    }


def test_the_packages_are_typed(root: Path) -> None:
    assert (root / "tensorkit" / "py.typed").is_file()
    assert (root / "widgets" / "tensorkit_widgets" / "py.typed").is_file()


def test_the_readme_names_the_two_commands_and_the_ways_without_make(readme: str) -> None:
    for command in (
        "make lab ",
        "make test ",
        'make lab ARGS="--no-browser --port 8899"',
        'pip install -e ".[lab,test]"',
        r".venv\Scripts\tensorkit lab",
        r".venv\Scripts\python -m pytest",
        "conda env create -f environment.yml",
    ):
        assert command in readme


def test_every_target_is_made_and_explained(readme: str, makefile: str) -> None:
    for target in TARGETS:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        assert f"make {target}" in makefile.partition("help:")[2].partition("$(PY):")[0], target
        assert f"make {target}" in readme, target


def test_the_makefile_needs_neither_node_nor_uv(makefile: str) -> None:
    assert not re.search(r"\b(uv|npm|node|npx)\b", makefile)
    assert "-m venv" in makefile


@pytest.mark.parametrize("name", ["README.md", "TEACHING.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(root: Path, name: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    assert [target for target in targets if not (root / target).exists()] == []


def test_the_readmes_example_is_true(readme: str) -> None:
    # The second block begins workers: `tests/distributed/cluster/test_operations.py` has it.
    block = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    names: dict[str, Any] = {}
    checked = 0
    for line in block.splitlines():
        code, _, comment = line.partition("  # ")
        if not comment:
            exec(code, names)
            continue
        shown = repr(eval(code, names))
        assert shown == re.split(r": a view", comment)[0], code
        checked += 1
    assert checked == 2


def test_there_is_one_version(root: Path, project: dict[str, Any]) -> None:
    assert tensorkit.__version__ == project["version"]
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{project['version']}]" in text
    assert "## [Unreleased]" in text


def test_the_time_of_a_fuzz_is_divided_among_all_that_take_it(root: Path) -> None:
    assert abs(sum(SHARES.values()) - 1) < 1e-9  # `make fuzz` takes as long as it was told
    calls = [
        node
        for path in sorted((root / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("exhaust", "run_programs")
    ]
    named = [
        value.value
        for call in calls
        for value in (*call.args[1:], *(k.value for k in call.keywords if k.arg == "share"))
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    ]
    assert sorted(named) == sorted(SHARES)
