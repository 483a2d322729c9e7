"""Scenes and marks: a talk's moments are played in order, left for a "what if?", and come back as they were."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer, GraphView, StrideExplorer
from tensorkit_widgets.widget.script import scenes_of

SCENES = [
    ("start", {"reset": True}),
    ("transposed", {"expression": ".t()"}),
    ("what fails", lambda w: w.attempt(".t().view(12)")),
]


@pytest.fixture
def explorer() -> Any:
    made = StrideExplorer(tk.arange(12.0).view(3, 4))
    made.scenes = SCENES
    yield made
    made.close()


def hear(widget: Any, kind: str, value: Any = None) -> dict[str, Any]:
    """A message from the stage; what the stage shows afterwards."""
    widget._heard(None, {"kind": kind, "value": value}, [])
    script: dict[str, Any] = widget.frame["facts"]["script"]
    return script


def test_scenes_are_played_in_their_order(explorer: Any) -> None:
    assert hear(explorer, "scene", 2)["scene"] == 2
    assert explorer.code == "t.t()", "what was refused stays out, and what came before it is shown"
    assert explorer.scene("transposed").code == "t.t()"
    assert explorer.scene(0).code == "t"


def test_a_what_if_is_left_and_returned_from(explorer: Any) -> None:
    hear(explorer, "scene", 1)
    explorer.expression = "[0]"
    assert hear(explorer, "return")["marked"]
    assert explorer.code == "t.t()"
    explorer.expression = "[1:]"
    hear(explorer, "mark")
    explorer.expression = ""
    hear(explorer, "return")
    assert explorer.code == "t[1:]"


def test_what_was_refused_comes_back_with_its_scene(explorer: Any) -> None:
    """A scene that shows a refusal is that scene again after a "what if?", and after the scene before it."""
    hear(explorer, "scene", 2)
    shown, said = explorer.frame["svg"], explorer.frame["facts"]["complaint"]
    assert "view size is not compatible" in said
    hear(explorer, "expression", ".t().contiguous().view(12)")
    assert explorer.frame["facts"]["complaint"] == ""
    assert explorer.frame["facts"]["script"]["away"]
    assert not hear(explorer, "return")["away"]
    assert (explorer.frame["svg"], explorer.frame["facts"]["complaint"]) == (shown, said)
    assert explorer.frame["facts"]["undo"], "what was tried is still there to be taken back to"
    hear(explorer, "scene", 1)
    assert explorer.frame["facts"]["complaint"] == ""
    hear(explorer, "scene", 2)
    assert (explorer.frame["svg"], explorer.frame["facts"]["complaint"]) == (shown, said)


def test_a_scene_after_a_refusal_has_nothing_refused(explorer: Any) -> None:
    explorer.scenes = [*SCENES, ("paid", {"expression": ".t().contiguous().view(12)"})]
    hear(explorer, "scene", 3)
    hear(explorer, "expression", "[0]")
    assert not hear(explorer, "return")["away"]
    assert explorer.code == "t.t().contiguous().view(12)"


def test_a_refusal_that_no_longer_holds_does_not_come_back(explorer: Any) -> None:
    explorer.attempt(".t().view(12)").checkpoint("refused").reset()
    assert explorer.reset("refused").frame["facts"]["complaint"] != ""
    explorer._tensor.resize_(12)
    explorer.reset("refused")
    assert explorer.code == "t.t().view(12)"
    assert explorer.frame["facts"]["complaint"] == ""


def test_return_goes_to_the_mark_that_was_set_and_a_scene_to_its_beginning(explorer: Any) -> None:
    hear(explorer, "scene", 1)
    explorer.expression = "[0]"
    assert not hear(explorer, "mark")["away"]
    for _ in range(2):  # as often as a presenter likes
        assert hear(explorer, "expression", "[1]")["away"]
        assert hear(explorer, "return")["scene"] == 1
        assert explorer.code == "t[0]"
    assert not hear(explorer, "scene", 1)["away"]
    assert explorer.code == "t.t()"


def test_return_takes_back_what_was_typed_into_cells_and_every_picture_shows_it() -> None:
    t = tk.arange(12.0).view(3, 4)
    stage, other = StrideExplorer(t, ".t()", name="t"), StrideExplorer(t, name="t")

    def typed(key: str, value: str) -> None:
        stage._heard(None, {"kind": "edit", "key": f"t:{key}", "value": value}, [])

    typed("0,1", "40")
    assert not hear(stage, "mark")["away"]
    typed("0,1", "41")
    typed("0,1", "nan")
    assert hear(stage, "expression", ".t()[1:]")["away"]
    typed("2,2", "50")
    assert (t[2, 3].item(), t[1, 0].isnan().item()) == (50, True)
    assert "50" in other.text()
    assert not hear(stage, "return")["away"]
    assert (stage.code, t[2, 3].item(), t[1, 0].item()) == ("t.t()", 11, 40)
    assert "50" not in other.frame["text"], "the other picture was drawn anew"
    assert other.frame["text"] == other.text()
    hear(stage, "undo")  # the other expression
    hear(stage, "undo")
    hear(stage, "undo")
    assert t.tolist() == tk.arange(12.0).view(3, 4).tolist(), (
        "undo goes on with what was typed before the mark"
    )
    assert hear(stage, "return")["away"] is False
    assert t[1, 0].item() == 40, "the mark had that number, so it comes back"
    stage.close()
    other.close()


def test_return_leaves_what_a_cell_has_written_meanwhile() -> None:
    t = tk.arange(6.0).view(2, 3)
    stage = StrideExplorer(t, name="t")
    hear(stage, "mark")
    for key, value in (("0,0", "10"), ("0,1", "20"), ("1,2", "30")):
        stage._heard(None, {"kind": "edit", "key": f"t:{key}", "value": value}, [])
    t[0, 1] = 77.0  # a cell of the notebook, where something was typed
    t[1, 1] = 88.0  # and where nothing was
    stage._heard(None, {"kind": "edit", "key": "t:1,1", "value": "90"}, [])
    assert not hear(stage, "return")["away"]
    assert t.tolist() == [[0, 77, 2], [3, 88, 5]]
    assert "one number in the cells stayed" in stage.frame["facts"]["said"]
    assert not stage.frame["facts"]["undo"], "nothing is left that undo could write"
    stage.close()


def test_a_scene_that_was_played_has_its_numbers_again(explorer: Any) -> None:
    explorer.scene(1)
    explorer._heard(None, {"kind": "edit", "key": "t:1,1", "value": "40"}, [])
    assert explorer.result[1, 1].item() == 40
    explorer.scene(2)
    assert explorer.result[1, 1].item() == 5
    explorer._heard(None, {"kind": "edit", "key": "t:0,0", "value": "41"}, [])
    hear(explorer, "scene", 0)
    assert explorer.result[0, 0].item() == 0


def test_return_and_a_tensor_that_was_resized_or_is_not_its_own(explorer: Any) -> None:
    t = tk.arange(6.0)
    stage = StrideExplorer(t, name="t")
    hear(stage, "mark")
    stage._heard(None, {"kind": "edit", "key": "t:5", "value": "10"}, [])
    t.resize_(2)
    assert not hear(stage, "return")["away"]
    assert t.tolist() == [0, 1]
    stage.close()


def test_looking_around_is_being_away_and_return_ends_it(explorer: Any) -> None:
    hear(explorer, "scene", 0)
    focus = explorer._state.focus
    explorer._heard(None, {"kind": "look", "key": "t:2,3"}, [])
    assert explorer.frame["facts"]["script"]["away"]
    assert not hear(explorer, "return")["away"]
    assert explorer._state.focus == focus


def test_a_scene_lights_an_element(explorer: Any) -> None:
    explorer.scenes = [
        {"name": "turned", "expression": ".t()", "element": [2, 1]},
        {"name": "no", "element": [3, 0]},
    ]
    assert hear(explorer, "scene", 0)["scene"] == 0
    assert (explorer.element, explorer.frame["facts"]["data"]["expression"]) == ((2, 1), ".t()")
    assert "storage[0 + 2·1 + 1·4]" in explorer.frame["text"]
    explorer.expression = ""
    with pytest.raises(IndexError, match=r"t has the size \(3, 4\): no element \[3, 0\]"):
        explorer.element = [3, 0]
    board = BroadcastExplorer(tk.ones(2), tk.ones(2))
    board.scenes = [{"name": "one", "element": [0]}]
    with pytest.raises(TypeError, match="BroadcastExplorer explains no single element"):
        board.scene(0)
    board.close()


def test_how_many_steps_the_stage_is_told(explorer: Any) -> None:
    """A picture without steps has none to tell; one whose steps are counted late has some, nobody knows how many."""
    script = explorer.frame["facts"]["script"]
    assert (script["step"], script["steps"]) == (0, 0)
    w = tk.tensor([1.0, 2.0], requires_grad=True)
    graph = GraphView((w * w).sum())
    assert graph.frame["facts"]["script"]["steps"] is None
    hear(graph, "step")
    assert graph.frame["facts"]["script"]["step"] == 1
    assert graph.frame["facts"]["script"]["steps"] == graph.steps
    graph.close()


def test_a_scene_that_was_played_comes_back_as_it_was(explorer: Any) -> None:
    played = []
    explorer.scenes = [("one", lambda w: played.append(1)), ("two", lambda w: played.append(2))]
    explorer.scene(1).scene(0).scene(1)
    assert played == [1, 2]


def test_checkpoints_of_every_kind_of_picture(explorer: Any) -> None:
    explorer.expression = "[1:]"
    assert explorer.checkpoint("half").reset().code == "t"
    assert explorer.reset("half").code == "t[1:]"
    w = tk.tensor([1.0, 2.0], requires_grad=True)
    graph = GraphView((w * w).sum()).step(2).checkpoint("two")
    assert graph.reset().at == 0
    assert graph.reset("two").at == 2
    for widget in (explorer, graph):
        with pytest.raises(KeyError, match="no checkpoint is called 'x'"):
            widget.reset("x")
    graph.close()


def test_a_board_has_scenes_too() -> None:
    w = BroadcastExplorer(tk.ones(3, 1), tk.ones(4))
    w.scenes = [{"name": "sizes", "step": 1}, {"name": "all", "run": True, "notes": "say why"}]
    assert w.scene("all").at == 3
    told = {"step": 1, "steps": 3, "scenes": ["sizes", "all"], "scene": 0, "marked": True, "away": False}
    assert hear(w, "scene", 0) == {**told, "notes": ["", "say why"]}
    assert w.at == 1
    w.close()


@pytest.mark.parametrize("wrong", ["start", ("a", 1), {"step": 1}, {"name": "a", "code": "import os"}, 3])
def test_a_scene_is_settings_or_a_function(wrong: Any) -> None:
    with pytest.raises(TypeError):
        scenes_of([wrong])


def test_scenes_that_are_not_there(explorer: Any) -> None:
    with pytest.raises(IndexError, match="the scenes are 0 to 2"):
        explorer.scene(3)
    with pytest.raises(KeyError, match="no scene is called"):
        explorer.scene("end")
    before = explorer.frame["revision"]
    for value in (-1, 99, "1", None, True):
        hear(explorer, "scene", value)
    assert explorer.frame["revision"] >= before
    assert explorer.code == "t"


def test_scenes_come_from_the_cell_as_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorkit_widgets.widget import cell_hook

    class Shell:
        def get_parent(self) -> Any:
            return {"header": {}, "metadata": {"tensorkit": {"scenes": [{"name": "end", "run": True}]}}}

    monkeypatch.setattr(cell_hook, "_shell", Shell)
    w = BroadcastExplorer.__new__(BroadcastExplorer)
    assert cell_hook.cell_settings() == {"scenes": [{"name": "end", "run": True}]}
    monkeypatch.setattr(cell_hook, "register", lambda widget: None)
    w.__init__(tk.ones(2), tk.ones(2))  # type: ignore[misc]
    assert [scene.name for scene in w.scenes] == ["end"]
    assert w.scene(0).at == 3
    w.close()
