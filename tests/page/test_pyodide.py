"""The kit in Pyodide, the Python that a page runs: here in Node, which has the same WebAssembly as a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.page import plays
from tests.page.conftest import Kit
from tests.support.node_packages import FOLDER, install

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pyodide(bundle: Path) -> Iterator[Kit]:
    """Pyodide with the kit."""
    install()
    node = shutil.which("node")
    assert node is not None
    made = Kit([node, str(FOLDER / "kit.mjs"), str(bundle), str(ROOT)])
    yield made
    made.close()


def test_it_is_a_browsers_python(pyodide: Kit) -> None:
    _, done = pyodide.ask(run=["a", "import sys\nsys.platform, sys.maxsize"])
    assert done["ok"]
    posted = pyodide.ask(
        run=[
            "b",
            "import tensorkit as tk\nfrom tensorkit_widgets import StrideExplorer\nt = tk.arange(6.0).view(2, 3)\nt",
        ]
    )
    assert posted[0]["output"]["data"]["text/plain"] == "tensor([[0., 1., 2.],\n        [3., 4., 5.]])"
    assert not {"numpy", "ipywidgets", "IPython"} & set(pyodide.ask(modules=None))


def test_a_picture_plays(pyodide: Kit) -> None:
    pyodide.ask(
        run=[
            "a",
            "import tensorkit as tk\nfrom tensorkit_widgets import StrideExplorer\nt = tk.arange(6.0).view(2, 3)",
        ]
    )
    model = pyodide.ask(run=["b", "StrideExplorer(t)"])[0]["model"]
    [state] = pyodide.ask(receive=[model, {"kind": "expression", "value": "t.t()[1:]"}])
    assert "t.t()[1:]" in state["state"]["frame"]["text"]
    changed, _ = pyodide.ask(run=["c", "t[0, 1] = 9"])
    assert (changed["model"], "9." in changed["state"]["frame"]["text"]) == (model, True)


@pytest.mark.parametrize("name", plays.PLAYS)
def test_it_says_what_a_notebook_says(pyodide: Kit, name: str) -> None:
    assert pyodide.ask(call=[plays.__file__, "told", name]) == plays.told(name)
