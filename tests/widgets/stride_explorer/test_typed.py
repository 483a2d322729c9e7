"""Numbers typed over the cells of a StrideExplorer: where they go, what is refused, what undo takes back."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import StrideExplorer


@pytest.fixture
def t() -> Any:
    return tk.arange(12.0).view(3, 4)


def send(widget: StrideExplorer, kind: str, **more: Any) -> dict[str, Any]:
    """A message as the browser sends it; the facts of the frame that answers it."""
    widget._heard(None, {"kind": kind, "serial": 7, **more}, [])
    facts: dict[str, Any] = widget.frame["facts"]
    return facts


def test_an_edit_of_a_copy_stays_in_the_copy(t: Any) -> None:
    w = StrideExplorer(t, ".t().contiguous()")
    send(w, "edit", key="t:0,1", value="99")
    assert w.result[0, 1].item() == 99
    assert t.max().item() == 11
    assert send(w, "look", key="t:0,1")["said"] == ""
    assert w.result[0, 1].item() == 99
    w.close()


def test_an_edit_says_what_the_dtype_keeps() -> None:
    t = tk.arange(3)
    w = StrideExplorer(t)
    facts = send(w, "edit", key="t:0", value="3.75")
    assert t.tolist() == [3, 1, 2]
    assert facts["said"].endswith("int64 keeps it as 3")
    facts = send(w, "edit", key="t:0", value="three")
    assert facts["wrong"] == {"key": "t:0", "value": "three", "words": "`three` is not a number"}
    assert (facts["complaint"], facts["said"], facts["status"]) == ("", "", "ok"), (
        "the cell says it, nothing else"
    )
    assert send(w, "edit", key="t:0", value="1e999")["wrong"]["words"]
    assert t.tolist() == [3, 1, 2]
    assert send(w, "look", key="t:1")["wrong"] is None
    w.close()


def test_undo_takes_a_typed_number_back_and_the_other_pictures_follow(t: Any) -> None:
    w, other = StrideExplorer(t, ".t()"), StrideExplorer(t)
    send(w, "edit", key="t:2,1", value="42.5")
    send(w, "expression", value="[0]")
    facts = send(w, "edit", key="t:1", value="nan")
    assert facts["undo"]
    assert send(w, "undo")["said"] == "undone: [1] is what it was before nan was typed"
    assert t[1, 0].item() == 4
    assert send(w, "undo")["data"]["expression"] == ".t()"
    assert "42.5" in other.frame["svg"]
    send(w, "undo")
    assert (t[1, 2].item(), w.frame["facts"]["undo"]) == (6, False)
    assert "42.5" not in other.frame["svg"]
    send(w, "edit", key="t:0,0", value="7")
    w.undo()
    assert t[0, 0].item() == 0
    assert "7.0" not in other.text()
    w.close()
    other.close()


def test_a_slider_after_a_typed_number_is_a_change_of_its_own(t: Any) -> None:
    w = StrideExplorer(t, "[0:3]")
    send(w, "slice-start", dim=0, value=1)
    send(w, "edit", key="t:0,0", value="42")
    send(w, "slice-start", dim=0, value=2)
    assert w.expression == "[2:]"
    send(w, "undo")
    assert (w.expression, t[1, 0].item()) == ("[1:]", 42)
    send(w, "undo")
    assert (w.expression, t[1, 0].item()) == ("[1:]", 4)
    w.close()
