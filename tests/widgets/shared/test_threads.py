"""A write from the browser may arrive on another thread while a cell runs; nothing tears, nothing hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorkit as tk
from tensorkit_widgets import BroadcastExplorer, StrideExplorer
from tensorkit_widgets.widget import cell_hook


def together(
    *works: Callable[[], None], seconds: float = 1.0, enough: Callable[[], bool] = lambda: True
) -> list[BaseException]:
    """Run each piece of work over and over on a thread of its own, so long and until it is enough; what went wrong."""
    wrong: list[BaseException] = []
    stop = time.monotonic() + seconds

    def again(work: Callable[[], None]) -> None:
        try:
            while (time.monotonic() < stop or not enough()) and not wrong:
                work()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=again, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 20)
        assert not thread.is_alive(), "a thread hangs"
    return wrong


def say(widget: StrideExplorer, kind: str, **more: Any) -> None:
    widget._handle_custom_msg({"kind": kind, **more}, [])


def test_edits_while_a_cell_runs() -> None:
    t = tk.zeros(3, 4)
    w = StrideExplorer(t)
    counts = [0]

    def edit() -> None:
        counts[0] += 1
        say(w, "edit", key="t:1,1", value=str(counts[0]))

    def cell() -> None:
        t[0].add_(1)
        cell_hook.repaint()

    assert together(edit, cell, enough=lambda: counts[0] > 10) == []
    assert t[1, 1].item() == counts[0] > 10
    assert "refused" not in w.frame["facts"]["said"]
    ElementTree.fromstring(w.frame["svg"])
    w.close()


def test_two_explorers_edit_each_others_storage() -> None:
    t = tk.zeros(4, 4)
    one, other = StrideExplorer(t), StrideExplorer(t.t())
    wrong = together(
        lambda: say(one, "edit", key="t:0,1", value="1"),
        lambda: say(other, "edit", key="t:3,2", value="2"),
        lambda: say(one, "quick", value=".t()"),
        lambda: say(one, "reset"),
        enough=lambda: one.frame["revision"] > 10,  # a busy machine draws ten pictures in more than a second
    )
    assert wrong == []
    assert t[0, 1].item() == 1
    assert t[2, 3].item() == 2
    one.refresh()
    other.refresh()
    assert one.frame["revision"] > 10
    one.close()
    other.close()


@pytest.mark.parametrize("library", ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def test_reading_while_the_storage_is_freed_and_comes_back(library: str) -> None:
    lib = tk if library == "tensorkit" else pytest.importorskip("torch")
    t = lib.arange(12.0).view(3, 4)
    w = StrideExplorer(t, ".t()")
    faults = []

    def look() -> None:
        w.refresh()
        faults.append(w.frame["facts"]["complaint"])

    def free() -> None:
        t.untyped_storage().resize_(0)
        time.sleep(0.002)
        t.untyped_storage().resize_(48)
        time.sleep(0.002)

    def both() -> bool:
        return not all(faults) and any("freed" in fault for fault in faults)

    assert together(look, free, enough=both) == []
    assert both()
    w.refresh()
    assert not w.frame["facts"]["complaint"]
    w.close()


def test_closing_while_messages_arrive() -> None:
    t = tk.arange(6)
    held: list[StrideExplorer] = [StrideExplorer(t)]

    def replace() -> None:
        held[0].close()
        held[0] = StrideExplorer(t)

    assert together(lambda: say(held[0], "quick", value="[1:]"), replace, lambda: say(held[0], "reset")) == []
    held[0].close()


def test_a_board_is_stepped_and_looked_at_while_a_cell_writes() -> None:
    """What a browser asks for arrives on one thread, an observer draws on another, a cell writes on a third."""
    a, b = tk.zeros(3, 1), tk.arange(4.0)
    w = BroadcastExplorer(a, b)
    seen: list[int] = []
    w.observe(lambda change: seen.append(change["new"]["revision"]), "frame")

    def browse() -> None:
        w._heard(None, {"kind": "step" if w.at < 3 else "goto", "value": 0}, [])

    def cell() -> None:
        a.add_(1)
        cell_hook.repaint()

    assert together(browse, cell, lambda: w.refresh()) == []
    w.run()
    assert w.frame["reason"] == ""
    assert seen == sorted(seen), "no earlier picture comes after a later one"
    ElementTree.fromstring(w.frame["svg"])
    assert w.frame["facts"]["step"] == 3
    w.close()
