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
from tensorkit_widgets.stride_explorer.model import clamped
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


def shows(widget: StrideExplorer, kind: str, **more: Any) -> str:
    """The code that the picture shows after a message."""
    facts = send(widget, kind, **more)
    assert facts["data"]["code"] == widget.code
    return widget.code


def slid(widget: StrideExplorer, role: str, dim: int, value: int) -> str:
    return shows(widget, role, dim=dim, value=value)


def control(facts: dict[str, Any], role: str, dim: int | None = None) -> Any:
    """What a control shows."""
    [found] = [one["value"] for one in facts["controls"] if (one["role"], one["dim"]) == (role, dim)]
    return found


def test_every_control_of_the_browser(t: Any) -> None:
    w = StrideExplorer(t)
    assert slid(w, "slice-start", 0, 1) == "t[1:]"
    assert slid(w, "slice-step", 1, 2) == "t[1:, ::2]"
    assert slid(w, "slice-stop", 0, 2) == "t[1:2, ::2]"
    facts = send(w, "slice-stop", dim=0, value=3)
    rows = [[control(facts, f"slice-{part}", d) for part in ("start", "stop", "step")] for d in (0, 1)]
    assert (rows, w.code) == ([[1, 3, 1], [0, 4, 2]], "t[1:, ::2]")
    assert send(w, "swap", key="0,1")["data"]["stride"] == "2,4"
    assert send(w, "quick", value=".flatten()")["data"]["kind"] == "copy"
    assert shows(w, "chain-step", key="1") == "t[1:, ::2]"
    assert shows(w, "undo") == "t[1:, ::2].t().flatten()"
    assert shows(w, "remove", key="1") == "t.t().flatten()"
    assert shows(w, "reset") == "t"
    assert slid(w, "slice-start", 0, 0) == "t"
    assert send(w, "expression", value="t.unsqueeze(0)")["data"]["size"] == "1,3,4"
    assert shows(w, "permute", value=[1, 2, 0]) == "t.unsqueeze(0).permute(1, 2, 0)"
    assert shows(w, "permute", value=[1, 0, 2]).endswith(".transpose(0, 1)")
    w.close()


def test_a_step_with_numbers_is_put_together(t: Any) -> None:
    w = StrideExplorer(t)
    assert control(send(w, "method", value="narrow"), "method-code") == ".narrow(0, 0, 1)"
    send(w, "argument", name="length", value=2)
    facts = send(w, "argument", name="dim", value=1)
    assert control(facts, "method-code") == ".narrow(1, 0, 2)"
    assert shows(w, "add-step") == "t.narrow(1, 0, 2)"
    codes = {}
    for method in ("select", "unsqueeze", "squeeze", "expand", "transpose", "diagonal", "unfold"):
        codes[method] = control(send(w, "method", value=method), "method-code")
    assert codes == {
        "select": ".select(0, 0)", "unsqueeze": ".unsqueeze(0)", "squeeze": ".squeeze(0)", "expand": ".expand(3, 2)",
        "transpose": ".transpose(0, 1)", "diagonal": ".diagonal(0)", "unfold": ".unfold(0, 2, 1)",
    }  # fmt: skip
    array = StrideExplorer(numpy.arange(12.0).reshape(3, 4))
    own = {
        m: control(send(array, "method", value=m), "method-code")
        for m in ("narrow", "unsqueeze", "transpose")
    }
    assert own == {"narrow": "[0:1]", "unsqueeze": "[None]", "transpose": ".swapaxes(0, 1)"}
    [raw] = [one for one in array.frame["facts"]["controls"] if one["panel"] == "raw"]
    assert "as_strided" in raw["label"]
    w.close()
    array.close()


def test_undo_takes_back_a_slide_as_one(t: Any) -> None:
    w = StrideExplorer(t)
    for stop in (3, 2, 1):
        slid(w, "slice-stop", 1, stop)
    assert w.code == "t[:, :1]"
    assert shows(w, "undo") == "t"
    assert shows(w, "undo") == "t"
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
def test_raw_numbers_are_clamped_to_the_storage(size: Any, stride: Any, offset: int, expected: Any) -> None:
    assert clamped(size, stride, offset, 12) == expected


def test_dials_are_clamped_to_the_storage(t: Any) -> None:
    w = StrideExplorer(t)

    def dial(role: str, value: int | None = None, dim: int | None = None) -> tuple[str, str, str]:
        facts = send(w, role, value=value, dim=dim)
        assert not facts["complaint"]
        return facts["data"]["size"], facts["data"]["stride"], facts["data"]["offset"]

    assert dial("dial-size", 99, 0) == ("3,4", "4,1", "0")
    assert w.frame["facts"]["said"].startswith("clamped to the storage: ")
    assert dial("dial-offset", 3) == ("3,1", "4,1", "3")
    assert dial("dial-stride", -5, 1) == ("3,1", "4,0", "3")
    assert not w.frame["facts"]["said"].startswith("clamped to the storage: .as_strided((3, 1), (4, 1)")
    assert dial("dial-more") == ("1,3,1", "0,4,0", "3")
    assert dial("dial-less") == ("3,1", "4,0", "3")
    assert shows(w, "undo") == "t", "one slide"
    w.close()


def test_a_refused_view_says_why_and_offers_what_works(t: Any) -> None:
    w = StrideExplorer(t)
    facts = send(w, "expression", value=".t().view(12)")
    assert w.code == "t.t()"
    assert facts["complaint"].startswith(
        ".view(12) was refused: view size is not compatible with input tensor's size and stride"
    )
    assert (facts["status"], facts["data"]["conflicts"]) == ("refused", "0-1")
    offers = [".t().contiguous().view(12)", ".t().reshape(12)"]
    assert facts["offers"] == [[code, f"t{code}"] for code in offers]
    assert control(facts, "expression") == ".t().view(12)"
    assert "tk-is-seam" in w.frame["svg"]
    for offer in offers:
        done = send(w, "offer", value=offer)
        assert done["data"]["size"] == "12"
        assert (done["status"], done["complaint"], done["offers"]) == ("ok", "", [])
    w.close()


def test_undo_takes_a_refused_step_away_first(t: Any) -> None:
    w = StrideExplorer(t, ".t()")
    assert send(w, "view", value=".view(12)")["status"] == "refused"
    facts = send(w, "undo")
    assert (facts["status"], facts["said"]) == ("ok", "undone: the refused step is gone")
    assert w.code == "t.t()"
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
    facts = send(w, "expression", value=expression)
    assert facts["complaint"]
    assert facts["status"] in ("refused", "not-allowed")
    assert facts["said"]
    assert shows(w, "expression", value=".t()") == "t.t()"
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
    facts = send(w, "expression", value=text)
    assert facts["complaint"].startswith("not allowed here: ")
    assert w.code == "t[1:]"
    assert shows(w, "quick", value=".t()") == "t[1:].t()"
    w.close()


@pytest.mark.parametrize(
    "message",
    [
        None, 3, [], {}, {"kind": None}, {"kind": "nothing"}, {"kind": []}, {"kind": "chain-step", "key": "x"},
        {"kind": "chain-step", "key": "99"}, {"kind": "chain-step"}, {"kind": "remove", "key": "-1"},
        {"kind": "swap", "key": "0"}, {"kind": "swap", "key": "0,99"}, {"kind": "swap", "key": [0, {}]},
        {"kind": "permute", "value": [0, 0]}, {"kind": "slice-start"}, {"kind": "slice-start", "dim": 9, "value": 1},
        {"kind": "slice-stop", "dim": "a", "value": None}, {"kind": "dial-size", "dim": 9, "value": 1},
        {"kind": "dial-offset", "value": 2**70}, {"kind": "dial-less", "value": {}},
        {"kind": "look", "key": "t:9,9"}, {"kind": "look", "key": "s:-5"}, {"kind": "look", "key": 4},
        {"kind": "pan", "dim": 7, "value": 1}, {"kind": "edit", "key": "t:0", "value": "1"},
        {"kind": "edit", "key": "t:0,0"}, {"kind": "edit", "key": None, "value": "1"},
        {"kind": "slice-step", "dim": 1, "value": -1}, {"kind": "method", "value": []},
        {"kind": "argument", "name": 3, "value": "x"},
    ],
)  # fmt: skip
def test_odd_messages_are_harmless(t: Any, message: Any) -> None:
    w = StrideExplorer(t)
    before = t.tolist()
    w._handle_custom_msg(message, [])
    assert t.tolist() == before
    assert w.frame["svg"]
    assert send(w, "expression", value="[0]")["data"]["size"] == "4"
    w.close()


def test_an_edit_shows_in_every_explorer_of_that_storage(t: Any) -> None:
    one, other = StrideExplorer(t, ".t()"), StrideExplorer(t[1:], name="rows")
    array = StrideExplorer(t.numpy(), name="a")
    apart = StrideExplorer(t.clone(), name="c")
    frames = [w.frame["revision"] for w in (other, array, apart)]
    facts = send(one, "edit", key="t:2,1", value="42.5")
    assert "written through" in facts["said"]
    assert t[1, 2].item() == 42.5
    assert "42.5" in other.text()
    assert "42.5" in other.frame["svg"]
    assert "42.5" in array.frame["svg"]
    assert [w.frame["revision"] for w in (other, array, apart)] == [frames[0] + 1, frames[1] + 1, frames[2]]
    for w in (one, other, array, apart):
        w.close()


def test_windows_follow_the_focus() -> None:
    t = tk.arange(1_000_000).view(1000, 1000)
    w = StrideExplorer(t)
    assert 'data-key="t:999,999"' not in w.frame["svg"]
    send(w, "look", key="t:999,999")
    assert 'data-key="t:999,999"' in w.frame["svg"]
    assert 'data-key="s:999999"' in w.frame["svg"]
    send(w, "look", key="s:500000")
    assert 'data-key="s:500000"' in w.frame["svg"]
    facts = send(w, "strip-window", value=700_000)
    assert 'data-key="s:700000"' in w.frame["svg"]
    assert control(facts, "strip-window") == 700_000
    facts = send(w, "pan", dim=1, value=3)
    assert (control(facts, "pan", 0), control(facts, "pan", 1)) == (999, 3)
    assert 'data-key="t:999,3"' in w.frame["svg"]
    assert len(w.frame["svg"]) < 80_000
    w.close()


def test_numpy_arrays_keep_numpys_own_methods() -> None:
    a = numpy.arange(12.0).reshape(3, 4)
    w = StrideExplorer(a, name="a")
    assert shows(w, "swap", key="0,1") == "a.T"
    assert shows(w, "expression", value="[1, 1]") == "a[1, 1, ...]"
    assert "NumPy writes" in send(w, "expression", value=".permute(1, 0)")["complaint"]
    assert send(w, "expression", value="[::-1]")["data"]["stride"] == "-4,1"
    send(w, "edit", key="t:0,0", value="-1")
    assert a[2, 0] == -1
    w.close()


def test_a_tensor_resized_under_a_live_widget(t: Any) -> None:
    base = tk.arange(12.0)
    w = StrideExplorer(base, "[2:]")
    base.resize_(6)
    assert w.refresh()
    facts = w.frame["facts"]
    assert facts["said"] == "base was resized: size (12,) in 48 bytes before, size (6,) in 48 bytes now"
    assert facts["data"]["size"] == "4"
    base.untyped_storage().resize_(0)
    assert w.refresh()
    assert (w.frame["facts"]["status"], "freed" in w.frame["facts"]["complaint"]) == ("fault", True)
    assert "freed" in w.frame["svg"]
    assert "freed" in w.text()
    assert "freed" in send(w, "expression", value="[1:].contiguous()")["complaint"]
    base.untyped_storage().resize_(48)
    assert w.refresh()
    assert (w.frame["facts"]["status"], w.frame["facts"]["complaint"]) == ("ok", "")
    w.close()


def test_a_failed_draw_falls_back_to_text(t: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    w = StrideExplorer(t, ".t()")

    def broken(*_args: Any, **_options: Any) -> str:
        raise ZeroDivisionError("no ink")

    monkeypatch.setattr(StrideExplorer, "_svg_of", staticmethod(broken))
    w._handle_custom_msg({"kind": "quick", "value": "[0]", "serial": 1}, [])
    assert w.frame["svg"] == ""
    assert w.frame["reason"] == "the picture could not be drawn: no ink"
    assert "t.t()[0]" in w.frame["text"]
    monkeypatch.undo()
    assert shows(w, "undo") == "t.t()"
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
    (tag, attributes), (line, style) = Tags(picture["text/html"]).seen
    assert (line, style["class"]) == ("p", "tk-play")
    assert "Run this cell to play with the picture." in picture["text/html"]
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
    w._heard(w, {"kind": "edit", "key": "t:0,0", "value": "9"}, None)
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
    assert shows(w, "quick", value=".t()") == "t.t()"
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

    monkeypatch.setattr("tensorkit_widgets.snapshot.view_chain.describe", broken)
    cell_hook.repaint()
    assert w.frame["reason"] == "the picture could not be drawn: gone"
    monkeypatch.undo()
    cell_hook.repaint()
    assert w.frame["reason"] == ""
    w.close()
