"""What a session posts for a cell: its outputs as a notebook has them, and that it is done."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page.conftest import Kit

VIEW = "application/vnd.jupyter.widget-view+json"


def outputs(posted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["output"] for one in posted if one["kind"] == "output"]


def run(kit: Kit, source: str, cell: str = "c") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kit.ask(run=[cell, source])
    return found


def test_printed_lines_then_the_last_value_then_done(kit: Kit) -> None:
    posted = run(
        kit, "import tensorkit as tk\nprint('a', end='')\nprint('b')\nprint('c', end='')\ntk.arange(3)", "c1"
    )
    assert outputs(posted) == [
        {"output_type": "stream", "name": "stdout", "text": "ab\n"},
        {"output_type": "stream", "name": "stdout", "text": "c"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "tensor([0, 1, 2])"},
            "metadata": {},
            "execution_count": None,
        },
    ]
    assert {one["cell"] for one in posted} == {"c1"}
    assert posted[-1] == {"kind": "done", "cell": "c1", "ok": True}


@pytest.mark.parametrize(
    "source",
    ["x = 3", "x = 3; x;", "None", "", "# nothing", "%load_ext tensorkit_widgets", "def f():\n    return 1"],
)
def test_what_shows_nothing(kit: Kit, source: str) -> None:
    assert run(kit, source) == [{"kind": "done", "cell": "c", "ok": True}]


def test_names_last_from_cell_to_cell(kit: Kit) -> None:
    run(kit, "n = 4")
    [output] = outputs(run(kit, "m = n + 1\n[m] * 30"))
    assert output["data"]["text/plain"].count("\n") == 29, "long lists are written as in a notebook"


def test_what_goes_to_stderr_and_what_is_displayed(kit: Kit) -> None:
    found = outputs(run(kit, "import sys\nprint('here', file=sys.stderr)\ndisplay(1, 'two')"))
    assert [one.get("name") or one["data"]["text/plain"] for one in found] == ["stderr", "1", "'two'"]


def test_an_error_shows_the_learners_own_lines(kit: Kit) -> None:
    run(kit, "import tensorkit as tk\nt = tk.arange(6)")
    *before, done = run(kit, "print('before')\n\ndef f(x):\n    return x.view(4)\n\nf(t)", "c7")
    assert done == {"kind": "done", "cell": "c7", "ok": False}
    [printed, error] = outputs(before)
    assert printed["text"] == "before\n"
    assert (error["output_type"], error["ename"]) == ("error", "RuntimeError")
    assert error["evalue"] == "shape '[4]' is invalid for input of size 6"
    text = "\n".join(error["traceback"])
    assert "f(t)" in text
    assert "return x.view(4)" in text
    assert "strides" not in text, "none of the engine's own lines"


@pytest.mark.parametrize(
    ("source", "name"),
    [("1 +", "SyntaxError"), ("nothing", "NameError"), ("raise KeyboardInterrupt", "KeyboardInterrupt")],
)
def test_any_error_ends_the_cell_alone(kit: Kit, source: str, name: str) -> None:
    posted = run(kit, source)
    assert outputs(posted)[0]["ename"] == name
    assert outputs(run(kit, "1 + 1"))[0]["data"] == {"text/plain": "2"}


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("tk.linalg.inv(t)", "`tk.linalg`"),
        ("t.cuda()", "`.cuda` of a tensor"),
        ("tk.arange(3, device='cuda')", "`arange` with `device=`"),
        ("import numpy", "NumPy"),
        ("from tensorkit import nn", "`tensorkit.nn`"),
        ("import tensorkit.nn", "`tensorkit.nn`"),
        ("from tensorkit_widgets import MemoryMap\nMemoryMap()", "`MemoryMap`"),
        ("from tensorkit_widgets.puzzles import Restricted\nRestricted('cumsum')", "`Restricted`"),
        ("t.view(tk.float32)", "The plain engine"),
        ("x = 1\n%time x", "`%time`"),
        ("%%explain\nt.t()", "`%%explain`"),
    ],
)
def test_what_the_page_lacks_is_said_in_a_sentence(kit: Kit, source: str, what: str) -> None:
    run(kit, "import tensorkit as tk\nt = tk.arange(6)")
    [error] = outputs(run(kit, source))
    assert error["ename"] == "NeedsJupyter"
    assert what in error["evalue"]
    assert "in Jupyter" in error["evalue"]
    assert error["traceback"] == [error["evalue"]]


def test_the_photo_of_the_lessons(kit: Kit) -> None:
    read = (
        "from matplotlib import image\nfrom matplotlib.cbook import get_sample_data\n"
        'with get_sample_data("grace_hopper.jpg") as file:\n    pixels = image.imread(file, format="jpg")\n'
        "import tensorkit as tk\nphoto = tk.from_numpy(pixels[::8, ::8].copy())\n"
        "print(photo.size(), photo.stride(), photo.dtype, photo.sum().item(), photo[40, 30].tolist())"
    )
    [printed] = outputs(run(kit, read))
    names: dict[str, Any] = {}
    exec(read.rpartition("\n")[0], names)
    photo = names["photo"]
    size, stride, dtype = photo.size(), photo.stride(), photo.dtype
    assert printed["text"] == f"{size} {stride} {dtype} {photo.sum().item()} {photo[40, 30].tolist()}\n"
    cards = outputs(
        run(
            kit,
            "from tensorkit_widgets import Exercise\nex5 = Exercise('02.a_strip_of_its_own')\n"
            "ex5.check(photo[30:40].clone(), base=photo)",
        )
    )
    assert cards[-1]["data"]["text/plain"].startswith("Right"), cards


def test_figures_need_jupyter(kit: Kit) -> None:
    for source in (
        "from matplotlib import pyplot",
        "from matplotlib.cbook import get_sample_data\nget_sample_data('x.png')",
    ):
        [error] = outputs(run(kit, source))
        assert "This needs matplotlib" in error["evalue"]


def test_a_name_that_such_a_cell_would_have_made(kit: Kit) -> None:
    run(kit, "import numpy\nphoto = numpy.zeros(3)")
    [error] = outputs(run(kit, "photo[0]"))
    assert (error["ename"], "`photo` comes from a cell above" in error["evalue"]) == ("NeedsJupyter", True)
    run(kit, "photo = 3")
    assert outputs(run(kit, "photo"))[0]["data"]["text/plain"] == "3", "made in another way, it is there"


@pytest.mark.parametrize("source", ["t.shpae", "tk.arnage(3)", "t.view(2, 3, typo=1)"])
def test_a_slip_is_no_want_of_the_page(kit: Kit, source: str) -> None:
    run(kit, "import tensorkit as tk\nt = tk.arange(6)")
    [error] = outputs(run(kit, source))
    assert error["ename"] in ("AttributeError", "TypeError")


def shown(kit: Kit, source: str = "StrideExplorer(t)", cell: str = "w") -> list[dict[str, Any]]:
    run(
        kit,
        "import tensorkit as tk\nfrom tensorkit_widgets import StrideExplorer, Predict\nt = tk.arange(6.0).view(2, 3)",
    )
    return run(kit, source, cell)


def test_a_widget_is_opened_and_displayed(kit: Kit) -> None:
    opened, view, still, done = shown(kit)
    assert (opened["kind"], opened["script"], done["ok"]) == ("open", "board.js", True)
    assert opened["state"]["frame"]["text"].startswith("t\n")
    assert ".tk-root" in opened["css"]
    assert view["output"]["data"][VIEW]["model_id"] == opened["model"]
    assert still["output"]["metadata"] == {"tensorkit": {"model_id": opened["model"]}}
    assert "<img" in still["output"]["data"]["text/html"]


def test_a_message_is_answered_by_a_state(kit: Kit) -> None:
    model = shown(kit)[0]["model"]
    [answer] = kit.ask(receive=[model, {"kind": "expression", "value": "t.t()", "serial": 3}])
    assert (answer["kind"], answer["model"], answer["state"]["frame"]["serial"]) == ("state", model, 3)
    assert "t.t()" in answer["state"]["frame"]["text"]
    assert kit.ask(receive=[model, '{"kind": "reset"}'])[0]["kind"] == "state", "as JSON too"
    assert kit.ask(receive=["nobody", {"kind": "step"}]) == []


def test_a_picture_looks_again_after_each_cell(kit: Kit) -> None:
    model = shown(kit)[0]["model"]
    state, done = run(kit, "t[0, 0] = 77")
    assert (state["kind"], state["model"], done["kind"]) == ("state", model, "done")
    assert "77." in state["state"]["frame"]["text"]
    assert [one["kind"] for one in run(kit, "x = 1")] == ["done"], "and sends nothing where nothing changed"


def test_what_is_typed_into_one_picture_is_seen_in_the_others(kit: Kit) -> None:
    first = shown(kit)[0]["model"]
    second = run(kit, "StrideExplorer(t.t())", "v")[0]["model"]
    posted = kit.ask(receive=[first, {"kind": "edit", "key": "t:0,1", "value": "55"}])
    assert {one["model"] for one in posted} == {first, second}
    assert all("55." in one["state"]["frame"]["text"] for one in posted)


def test_running_a_cell_again_closes_what_it_had_shown(kit: Kit) -> None:
    first = shown(kit)[0]["model"]
    kinds = [(one["kind"], one.get("model")) for one in run(kit, "StrideExplorer(t)", "w")]
    assert ("close", first) in kinds
    assert kit.ask(receive=[first, {"kind": "step"}]) == []


def test_a_card_is_answered(kit: Kit) -> None:
    opened = shown(kit, 'Predict("02.write_storage")')[0]
    assert opened["script"] == "practice.js"
    posted = kit.ask(receive=[opened["model"], {"do": "nothing of the kind"}])
    assert [one["state"] for one in posted] == [{"heard": 1}]


def test_a_closed_picture_opens_again_when_it_is_displayed(kit: Kit) -> None:
    model = shown(kit, "w = StrideExplorer(t)\nw")[0]["model"]
    assert run(kit, "w.close()")[0] == {"kind": "close", "model": model}
    opened = run(kit, "w")[0]
    assert opened["kind"] == "open"
    assert opened["model"] != model
