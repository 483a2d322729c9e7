"""The wheel holds both packages, the lessons, and all that works without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def names(root: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files in a freshly built wheel."""
    if os.environ.get("CI") != "true":
        pytest.skip("building a wheel fetches the build tool; done with CI=true")
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(root),
    ]
    subprocess.run(command, check=True, timeout=300)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        return set(content.namelist())


def test_every_source_and_asset_is_in_it(root: Path, names: set[str]) -> None:
    missing = []
    for folder, place in (
        (root / "tensorkit", "tensorkit"),
        (root / "widgets/tensorkit_widgets", "tensorkit_widgets"),
    ):
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                missing += [
                    name for name in [f"{place}/{path.relative_to(folder).as_posix()}"] if name not in names
                ]
    assert missing == []


def test_the_lessons_are_in_it(root: Path, names: set[str]) -> None:
    lessons = {path.name for path in (root / "notebooks").glob("*.ipynb")}
    assert lessons
    assert {f"tensorkit/lab/lessons/{name}" for name in lessons} <= names


def test_jupyter_and_voila_find_our_parts_and_nothing_else_comes_along(names: set[str]) -> None:
    for part in (
        "etc/jupyter/jupyter_server_config.d/tensorkit.json",
        "share/jupyter/voila/templates/tensorkit/index.html.j2",
        "share/jupyter/nbconvert/templates/tensorkit/index.html.j2",
        "share/jupyter/labextensions/tensorkit-reveal/package.json",
        "share/jupyter/labextensions/tensorkit-reveal/static/cursor.js",
        "share/jupyter/labextensions/tensorkit-reveal/static/old_views.js",
        "share/jupyter/labextensions/tensorkit-reveal/static/remoteEntry.js",
    ):
        assert any(name.endswith(f"data/{part}") for name in names)
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.startswith("tensorkit-")} == {"tensorkit", "tensorkit_widgets"}
