"""StrideExplorer from Python's side: what it says, what it does with messages, how it lives and dies."""

from __future__ import annotations

import base64
import weakref
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from IPython.core.events import EventManager, available_events

import tensorkit as tk
from tensorkit_widgets import StrideExplorer
from tensorkit_widgets.snapshot.expression import NotAllowed
from tensorkit_widgets.widget import cell_hook
from tests.support.garbage import collect


@pytest.fixture
def t() -> Any:
    return tk.arange(12.0).view(3, 4)


def send(widget: StrideExplorer, kind: str, **more: Any) -> dict[str, Any]:
    """A message as the browser sends it; the facts of the frame that answers it."""
    widget._handle_custom_msg({"kind": kind, "serial": 7, **more}, [])
    assert widget.frame["serial"] == 7
    assert widget.frame["reason"] == ""
    facts: dict[str, Any] = widget.frame["facts"]
    return facts


def test_a_chain_from_python(t: Any) -> None:
    w = StrideExplorer(t, "[1:, ::2].t()")
    assert w.code == "t[1:, ::2].t()"
    assert w.expression == "[1:, ::2].t()"
    assert w.result.tolist() == [[4.0, 8.0], [6.0, 10.0]]
    assert w.result.stride() == (2, 4)
    assert [(s.code, s.kind) for s in w.steps] == [("t", "tensor"), ("[1:, ::2]", "view"), (".t()", "view")]
    assert repr(w) == "StrideExplorer(t[1:, ::2].t())"
    w.expression = ".t().reshape(12)"
    assert (w.steps[-1].kind, w.result.size()) == ("copy", (12,))
    assert "cannot merge" in w.steps[-1].why
    w.close()


def test_wrong_arguments_get_a_sentence(t: Any) -> None:
    with pytest.raises(
        TypeError, match="no option colour, zoom: it takes a tensor, expression, name and focus"
    ):
        StrideExplorer(t, zoom=2, colour="red")
    with pytest.raises(TypeError, match="cannot draw list"):
        StrideExplorer([1, 2])
    with pytest.raises(NotAllowed):
        StrideExplorer(t, "__import__('os')")
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        StrideExplorer(t, ".t().view(12)")
    with pytest.raises(TypeError, match="name"):
        StrideExplorer(t, name="")


def test_every_control_of_the_browser(t: Any) -> None:
    w = StrideExplorer(t)
    assert send(w, "slice", slices=[[1, 3, 1], [0, 4, 2]])["code"] == "t[1:, ::2]"
    assert send(w, "slice", slices=[[1, 2, 1], [0, 4, 2]])["code"] == "t[1:2, ::2]"
    assert send(w, "slice", slices=[[1, 3, 1], [0, 4, 2]])["slices"] == [[1, 3, 1], [0, 4, 2]]
    assert send(w, "swap", dims=[0, 1])["stride"] == [2, 4]
    assert send(w, "step", text=".flatten()")["steps"][-1]["kind"] == "copy"
    assert send(w, "goto", step=1)["code"] == "t[1:, ::2]"
    assert send(w, "undo")["code"] == "t[1:, ::2].t().flatten()"
    assert send(w, "remove", step=1)["code"] == "t.t().flatten()"
    assert send(w, "reset")["code"] == "t"
    assert send(w, "slice", slices=[[0, 3, 1], [0, 4, 1]])["code"] == "t"
    assert send(w, "expression", text="t.unsqueeze(0)")["size"] == [1, 3, 4]
    assert send(w, "permute", order=[1, 2, 0])["code"] == "t.unsqueeze(0).permute(1, 2, 0)"
    assert send(w, "permute", order=[1, 0, 2])["code"].endswith(".transpose(0, 1)")
    w.close()


def test_undo_takes_back_a_slide_as_one(t: Any) -> None:
    w = StrideExplorer(t)
    for stop in (3, 2, 1):
        send(w, "slice", slices=[[0, 3, 1], [0, stop, 1]])
    assert w.code == "t[:, :1]"
    assert send(w, "undo")["code"] == "t"
    assert send(w, "undo")["code"] == "t"
    w.close()


@pytest.mark.parametrize(
    ("size", "stride", "offset", "expected"),
    [
        ([3, 4], [4, 1], 0, ((3, 4), (4, 1), 0)),
        ([99, 4], [4, 1], 0, ((3, 4), (4, 1), 0)),
        ([3, 3], [9, 2], 3, ((1, 3), (9, 2), 3)),
        ([2, 2], [1, 1], 99, ((1, 1), (1, 1), 11)),
        ([5], [0], 7, ((5,), (0,), 7)),
        ([-1], [-1], -1, ((0,), (0,), 0)),
        ([9, 9], [1, 1], 0, ((9, 4), (1, 1), 0)),
        ([], [], 4, ((), (), 4)),
    ],
)
def test_dials_are_clamped_to_the_storage(t: Any, size: Any, stride: Any, offset: int, expected: Any) -> None:
    w = StrideExplorer(t)
    facts = send(w, "dials", size=size, stride=stride, offset=offset)
    got = (tuple(facts["size"]), tuple(facts["stride"]), facts["offset"])
    assert not facts["refusal"]
    assert got == expected
    w.close()


def test_a_refused_view_says_why_and_offers_what_works(t: Any) -> None:
    w = StrideExplorer(t)
    facts = send(w, "expression", text=".t().view(12)")
    assert facts["code"] == "t.t()"
    assert facts["refusal"]["message"].startswith(
        "view size is not compatible with input tensor's size and stride"
    )
    assert facts["refusal"]["pairs"] == [[0, 1]]
    assert facts["refusal"]["offers"] == [".t().contiguous().view(12)", ".t().reshape(12)"]
    assert facts["typed"] == ".t().view(12)"
    assert "tk-hatched" in w.frame["svg"]
    for offer in facts["refusal"]["offers"]:
        done = send(w, "expression", text=offer)
        assert done["size"] == [12]
        assert not done["refusal"]
    w.close()


@pytest.mark.parametrize(
    "expression",
    [
        "[5]",
        ".view(5)",
        ".transpose(0, 7)",
        ".as_strided((9,), (9,), 9)",
        ".permute(0, 0)",
        ".squeeze(9)",
        ".t",
    ],
)
def test_the_engines_own_words_for_what_it_refuses(t: Any, expression: str) -> None:
    w = StrideExplorer(t)
    facts = send(w, "expression", text=expression)
    assert facts["refusal"] or facts["complaint"]
    assert facts["said"]
    assert send(w, "expression", text=".t()")["code"] == "t.t()"
    w.close()


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "[" * 1_000_000,
        "<script>alert(1)</script>",
        "\ud800",
        "\x00",
        3,
        None,
        ["a"],
    ],
)
def test_hostile_text_changes_nothing(t: Any, text: Any) -> None:
    w = StrideExplorer(t, "[1:]")
    facts = send(w, "expression", text=text)
    assert facts["complaint"].startswith("not allowed here: ")
    assert facts["code"] == "t[1:]"
    assert send(w, "step", text=".t()")["code"] == "t[1:].t()"
    w.close()


@pytest.mark.parametrize(
    "message",
    [
        None, 3, [], {}, {"kind": None}, {"kind": "nothing"}, {"kind": []}, {"kind": "goto", "step": "1"},
        {"kind": "goto", "step": 99}, {"kind": "remove", "step": -1}, {"kind": "swap", "dims": [0]},
        {"kind": "swap", "dims": [0, 99]}, {"kind": "permute", "order": [0, 0]}, {"kind": "slice", "slices": [[]]},
        {"kind": "slice", "slices": [["a", None, {}], 3]},
        {"kind": "dials", "size": [1] * 99, "stride": [], "offset": 0},
        {"kind": "dials", "size": [2**70], "stride": [1], "offset": 0}, {"kind": "look", "focus": [9, 9]},
        {"kind": "look", "slot": -5}, {"kind": "edit", "index": [0], "text": "1"}, {"kind": "edit", "index": [0, 0]},
        {"kind": "slice", "slices": [[-9, 99, 0], [0, 4, -1]]},
    ],
)  # fmt: skip
def test_odd_messages_are_harmless(t: Any, message: Any) -> None:
    w = StrideExplorer(t)
    before = t.tolist()
    w._handle_custom_msg(message, [])
    assert t.tolist() == before
    assert w.frame["svg"]
    assert send(w, "expression", text="[0]")["size"] == [4]
    w.close()


def test_an_edit_shows_in_every_explorer_of_that_storage(t: Any) -> None:
    one, other = StrideExplorer(t, ".t()"), StrideExplorer(t[1:], name="rows")
    array = StrideExplorer(t.numpy(), name="a")
    apart = StrideExplorer(t.clone(), name="c")
    frames = [w.frame["revision"] for w in (other, array, apart)]
    facts = send(one, "edit", index=[2, 1], text="42.5")
    assert "written through" in facts["said"]
    assert t[1, 2].item() == 42.5
    assert "42.5" in other.text()
    assert "42.5" in other.frame["svg"]
    assert "42.5" in array.frame["svg"]
    assert [w.frame["revision"] for w in (other, array, apart)] == [frames[0] + 1, frames[1] + 1, frames[2]]
    for w in (one, other, array, apart):
        w.close()


def test_an_edit_of_a_copy_stays_in_the_copy(t: Any) -> None:
    w = StrideExplorer(t, ".t().contiguous()")
    send(w, "edit", index=[0, 1], text="99")
    assert w.result[0, 1].item() == 99
    assert t.max().item() == 11
    assert send(w, "look", focus=[0, 1])["said"] == ""
    assert w.result[0, 1].item() == 99
    w.close()


def test_an_edit_says_what_the_dtype_keeps() -> None:
    t = tk.arange(3)
    w = StrideExplorer(t)
    facts = send(w, "edit", index=[0], text="3.75")
    assert t.tolist() == [3, 1, 2]
    assert facts["said"].endswith("int64 keeps it as 3")
    assert send(w, "edit", index=[0], text="three")["complaint"].startswith("not allowed here")
    assert send(w, "edit", index=[0], text="1e999")["complaint"]
    assert t.tolist()[1:] == [1, 2]
    w.close()


def test_windows_follow_the_focus() -> None:
    t = tk.arange(1_000_000).view(1000, 1000)
    w = StrideExplorer(t)
    assert 'data-index="999,999"' not in w.frame["svg"]
    send(w, "look", focus=[999, 999])
    assert 'data-index="999,999"' in w.frame["svg"]
    assert 'data-slot="999999"' in w.frame["svg"]
    send(w, "look", slot=500_000)
    assert 'class="tk-slot" data-slot="500000"' in w.frame["svg"]
    assert len(w.frame["svg"]) < 80_000
    w.close()


def test_numpy_arrays_keep_numpys_own_methods() -> None:
    a = numpy.arange(12.0).reshape(3, 4)
    w = StrideExplorer(a, name="a")
    assert send(w, "swap", dims=[0, 1])["code"] == "a.T"
    assert send(w, "expression", text="[1, 1]")["code"] == "a[1, 1, ...]"
    assert "NumPy writes" in send(w, "expression", text=".permute(1, 0)")["complaint"]
    assert send(w, "expression", text="[::-1]")["stride"] == [-4, 1]
    send(w, "edit", index=[0, 0], text="-1")
    assert a[2, 0] == -1
    w.close()


def test_a_tensor_resized_under_a_live_widget(t: Any) -> None:
    base = tk.arange(12.0)
    w = StrideExplorer(base, "[2:]")
    base.resize_(6)
    assert w.refresh()
    facts = w.frame["facts"]
    assert facts["said"] == "t was resized: size (12,) in 48 bytes before, size (6,) in 48 bytes now"
    assert facts["size"] == [4]
    base.untyped_storage().resize_(0)
    assert w.refresh()
    assert "freed" in w.frame["facts"]["fault"]
    assert "freed" in w.frame["svg"]
    assert "freed" in w.text()
    assert "freed" in send(w, "expression", text="[1:].contiguous()")["fault"]
    base.untyped_storage().resize_(48)
    assert w.refresh()
    assert not w.frame["facts"]["fault"]
    w.close()


def test_a_failed_draw_falls_back_to_text(t: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    w = StrideExplorer(t, ".t()")

    def broken(*_args: Any, **_options: Any) -> str:
        raise ZeroDivisionError("no ink")

    monkeypatch.setattr("tensorkit_widgets.stride_explorer.widget.render_svg", broken)
    w._handle_custom_msg({"kind": "step", "text": "[0]", "serial": 1}, [])
    assert w.frame["svg"] == ""
    assert w.frame["reason"] == "the picture could not be drawn: no ink"
    assert "t.t()[0]" in w.frame["text"]
    monkeypatch.undo()
    assert send(w, "undo")["code"] == "t.t()"
    assert w.frame["svg"]
    w.close()


# ---- display


class Tags(HTMLParser):
    """The tags of a text, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def displayed(widget: StrideExplorer, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_options: shown.append(data))
    widget._ipython_display_()
    return shown


def test_two_outputs_the_view_and_the_picture(t: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    w = StrideExplorer(t, ".t()", name="<b>")
    view, picture = displayed(w, monkeypatch)
    assert view["application/vnd.jupyter.widget-view+json"]["model_id"] == w.model_id
    assert set(view) == {"application/vnd.jupyter.widget-view+json"}
    assert set(picture) == {"text/html", "text/plain"}
    assert picture["text/plain"] == w.text()
    [(tag, attributes)] = Tags(picture["text/html"]).seen
    assert tag == "img"
    assert attributes["class"] == "tk-still"
    assert "element [1, 1] lives at storage[0 + 1·1 + 1·4] = storage[5] = 5." in (attributes["alt"] or "")
    kind, _, data = (attributes["src"] or "").partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == w.svg()
    w.close()


def test_the_same_state_displays_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = StrideExplorer(tk.arange(4)), StrideExplorer(tk.arange(4))
    assert displayed(one, monkeypatch)[1] == displayed(other, monkeypatch)[1]
    one.close()
    other.close()


def test_saved_files(t: Any, tmp_path: Path) -> None:
    w = StrideExplorer(t, "[1:].t()", name="<i>")
    assert w.save(tmp_path / "x.svg").read_text(encoding="utf-8") == w.svg()
    assert w.save(str(tmp_path / "x.txt")).read_text(encoding="utf-8") == w.text() + "\n"
    page = w.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("<template ") == 3 * 3, "every step, for three widths"
    assert "<i>" not in page
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    with pytest.raises(ValueError, match="must end in"):
        w.save(tmp_path / "x.png")
    w.close()


# ---- life


class Shell:
    """An IPython shell as far as the hooks go: events, and the message that is being answered."""

    def __init__(self) -> None:
        self.events = EventManager(self, available_events)
        self.cell, self.run = "cell", 0

    def get_parent(self) -> dict[str, Any]:
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.run)}}

    def ran(self) -> None:
        """A cell has run."""
        self.events.trigger("post_run_cell", SimpleNamespace())


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    for widget in list(cell_hook._alive):
        widget.close()
    cell_hook._hooked.clear()
    made = Shell()
    monkeypatch.setattr(cell_hook, "_shell", lambda: made)
    monkeypatch.setattr("IPython.display.display", lambda *_args, **_options: None)
    return made


def test_what_a_cell_writes_shows_after_it(t: Any, shell: Shell) -> None:
    w = StrideExplorer(t)
    revision = w.frame["revision"]
    shell.ran()
    assert w.frame["revision"] == revision
    t[0, 0] = 77
    shell.ran()
    assert w.frame["revision"] == revision + 1
    assert "77." in w.frame["svg"]
    w.close()


def test_nan_is_no_change(shell: Shell) -> None:
    w = StrideExplorer(tk.tensor([float("nan"), 1.0]))
    revision = w.frame["revision"]
    shell.ran()
    assert w.frame["revision"] == revision
    w.close()


def test_one_hook_for_all_and_none_after_the_last(t: Any, shell: Shell) -> None:
    hooks = shell.events.callbacks["post_run_cell"]
    widgets = [StrideExplorer(t) for _ in range(5)]
    assert len(hooks) == 1
    for w in widgets:
        w.close()
        w.close()
    assert hooks == []
    again = StrideExplorer(t)
    assert len(hooks) == 1
    again.close()


def test_a_closed_widget_is_deaf(t: Any) -> None:
    w = StrideExplorer(t)
    w.close()
    revision = w.frame["revision"]
    w._heard(w, {"kind": "edit", "index": [0, 0], "text": "9"}, None)
    assert t[0, 0].item() == 0
    assert not w.refresh()
    assert w.frame["revision"] == revision
    assert w.code == "t"


def test_running_a_cell_again_closes_what_it_had_made(t: Any, shell: Shell) -> None:
    first = StrideExplorer(t)
    first._ipython_display_()
    twin = StrideExplorer(t)
    assert not first._closed
    shell.run = 1
    second = StrideExplorer(t)
    second._ipython_display_()
    assert first._closed
    assert twin._closed
    shell.cell, shell.run = "other", 2
    third = StrideExplorer(t)
    second._ipython_display_()
    assert not third._closed
    shell.cell, shell.run = "cell", 3
    fourth = StrideExplorer(t)
    fourth._ipython_display_()
    assert not second._closed, "another cell shows it"
    for w in (second, third, fourth):
        w.close()


def test_a_closed_widget_opens_again_when_it_is_displayed(t: Any, shell: Shell) -> None:
    w = StrideExplorer(t)
    w.close()
    t[0, 0] = 55
    w._ipython_display_()
    assert w.comm is not None
    assert "55." in w.frame["svg"]
    assert send(w, "step", text=".t()")["code"] == "t.t()"
    shell.ran()
    w.close()


def test_ten_thousand_cell_runs_leak_nothing(shell: Shell) -> None:
    t = tk.arange(4)
    seen: weakref.WeakSet[StrideExplorer] = weakref.WeakSet()
    w = StrideExplorer(t)
    for _ in range(10_000):
        shell.ran()
    for shell.run in range(1, 200):
        w = StrideExplorer(t)
        if shell.run % 2:
            w._ipython_display_()
        seen.add(w)
        shell.ran()
    collect()
    assert len(seen) <= 2
    assert len(cell_hook._alive) <= 2
    assert len(cell_hook.cells) <= 2
    assert len(shell.events.callbacks["post_run_cell"]) == 1
    w.close()


def test_a_widget_that_cannot_look_never_breaks_the_cell(
    t: Any, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = StrideExplorer(t)

    def broken(*_args: Any, **_options: Any) -> Any:
        raise RuntimeError("gone")

    monkeypatch.setattr("tensorkit_widgets.stride_explorer.session.describe", broken)
    cell_hook.repaint()
    assert w.frame["reason"] == "the picture could not be drawn: gone"
    monkeypatch.undo()
    cell_hook.repaint()
    assert w.frame["reason"] == ""
    w.close()
