"""Pictures and cards on the plain engine, in a Python without NumPy, say what they say in a notebook on the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page import plays
from tests.page.conftest import Kit
from tests.widgets import playing_examples
from tests.widgets.board_examples import GOLDEN

HEAVY = {"numpy", "ml_dtypes", "scipy", "matplotlib", "anywidget", "ipywidgets", "IPython", "torch", "numba"}


@pytest.fixture(scope="module")
def shared(folder: Path) -> Kit:
    made = Kit(folder)
    yield made
    made.close()


@pytest.mark.parametrize("name", playing_examples.PLAYING)
def test_a_board_has_its_golden_text(shared: Kit, name: str) -> None:
    source = Path(playing_examples.__file__)
    found = shared.ask(call=[str(source), "texts_by_name", name])
    assert found == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", plays.PLAYS)
def test_messages_have_the_same_answers(shared: Kit, name: str) -> None:
    found = shared.ask(call=[plays.__file__, "told", name])
    wanted = plays.told(name)
    for k, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert one == other, f"after {plays.PLAYS[name][1][k - 1] if k else 'nothing'}"


def test_nothing_of_numpy_is_imported(shared: Kit) -> None:
    for name in plays.PLAYS:
        shared.ask(call=[plays.__file__, "told", name])
    assert HEAVY & {module.partition(".")[0] for module in shared.ask(modules=None)} == set()
