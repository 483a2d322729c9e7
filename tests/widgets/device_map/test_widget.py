"""The picture of the device map: recorded copies and nothing else, true to the engine, gone when it is closed."""

from __future__ import annotations

import linecache
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
from tensorkit import tracing
from tensorkit_widgets import DeviceMap, MemoryMap
from tensorkit_widgets.device_map.model import DevicePage, Moved, transfers_of
from tensorkit_widgets.device_map.recorder import MOST, Recorder, record_of
from tensorkit_widgets.device_map.scene import HIGH, arrows_of, compose_devices
from tensorkit_widgets.drawing.sheet import Sheet, Tile
from tensorkit_widgets.namespace.cell_hook import hook
from tensorkit_widgets.widget import cell_hook


@pytest.fixture(autouse=True)
def devices() -> Iterator[tk.cuda.Emulation]:
    with tk.cuda.emulate(devices=2) as emulation:
        yield emulation


@pytest.fixture
def made() -> Iterator[list[DeviceMap]]:
    out: list[DeviceMap] = []
    yield out
    for one in out:
        one.close()


class Notebook:
    """A namespace with a map of it, and cells that are counted."""

    def __init__(self, made: list[DeviceMap], **names: Any) -> None:
        self.names: dict[str, Any] = {"tk": tk, **names}
        self.map = DeviceMap(self.names)
        self.count = 0
        made.append(self.map)

    def cell(self, code: str) -> DeviceMap:
        self.count += 1
        name, error = f"<cell {self.count}>", None
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        try:
            exec(compile(code, name, "exec"), self.names)
        except Exception as raised:
            error = raised
        finished = SimpleNamespace(
            info=SimpleNamespace(raw_cell=code), execution_count=self.count, error_in_exec=error
        )
        cell_hook._finished.append(finished)
        try:
            return self.map.look()
        finally:
            cell_hook._finished.clear()


@pytest.fixture
def book(made: list[DeviceMap]) -> Notebook:
    return Notebook(made, t=tk.arange(12.0).view(3, 4))


def sheet(shown: DeviceMap) -> Sheet:
    return shown._sheet(shown.at)


def tiles(drawn: Sheet) -> dict[str, Tile]:
    return {tile.key: tile for table in drawn.tables for tile in table.tiles}


def arrows(drawn: Sheet) -> list[str]:
    return [tile.text for key, tile in tiles(drawn).items() if key.startswith("move:")]


def told(shown: DeviceMap) -> str:
    """Everything that is written beside the tiles, sentences that were broken into lines put together again."""
    return " ".join(note.text + note.after for note in sheet(shown).notes)


def crossed(shown: DeviceMap) -> list[tuple[str, int, str, str, int]]:
    return [(m.by, m.nbytes, m.source, m.target, m.times) for m in shown.record.crossing]


# ---- recorded events and nothing else


def page_of(events: list[tracing.Event], shown: DeviceMap) -> DevicePage:
    """The moment that is shown, with a record that is made of these events alone."""
    page = shown._page_at(shown.at)
    assert page is not None
    return replace(page, record=record_of(events))


def test_delete_an_event_and_its_arrow_goes(book: Notebook) -> None:
    t, events = book.names["t"], []
    with tracing.listen(events.append, calls=True):
        g = t.to("cuda")
        t[0].to("cuda:1")
        (g + 1).sum().item()
    copies = [event for event in events if isinstance(event, tracing.CopyEvent)]
    whole = compose_devices(page_of(events, book.map))
    assert sorted(arrows(whole)) == ["16 bytes", "4 bytes", "48 bytes"]
    assert len([w for w in whole.wires if w.head]) == 3
    for gone in copies:
        left = compose_devices(page_of([e for e in events if e is not gone], book.map))
        assert sorted(arrows(left)) == sorted(f"{one.nbytes} bytes" for one in copies if one is not gone), (
            "one arrow less, and the others as they were"
        )
        assert len(left.wires) == len(whole.wires) - 2
    nothing = compose_devices(page_of([], book.map))
    assert (arrows(nothing), nothing.wires) == ([], ())


def test_bytes_are_those_that_the_copier_told(book: Notebook) -> None:
    lie = tracing.CopyEvent(123_456_789, "cpu", "cuda:0")
    drawn = compose_devices(page_of([lie], book.map))
    assert arrows(drawn) == ["123 MB"]
    twice = compose_devices(page_of([lie, lie], book.map))
    assert arrows(twice) == ["2 × 123 MB"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("g = t.to('cuda')", [("to", 48, "cpu", "cuda:0", 1)]),
        ("g = t.cuda(1)", [("cuda", 48, "cpu", "cuda:1", 1)]),
        ("g = t.t().cuda()", [("cuda", 48, "cpu", "cuda:0", 1)]),
        ("g = t[1].cuda()", [("cuda", 16, "cpu", "cuda:0", 1)]),
        ("g = t.to('cuda', tk.float64)", [("to", 96, "cpu", "cuda:0", 1)]),
        ("g = t.to('cpu')", []),
        ("g = t.to('meta')", []),
        ("b = a.cpu()", [("cpu", 48, "cuda:0", "cpu", 1)]),
        ("b = a.to('cuda')", []),
        ("b = a.to('cuda:1')", [("to", 48, "cuda:0", "cuda:1", 1)]),
        ("a.copy_(t)", [("copy_", 48, "cpu", "cuda:0", 1)]),
        ("t.copy_(a)", [("copy_", 48, "cuda:0", "cpu", 1)]),
        ("far.copy_(a)", [("copy_", 48, "cuda:0", "cuda:1", 1)]),
        ("a[0] = tk.ones(4)", [("__setitem__", 16, "cpu", "cuda:0", 1)]),
        ("a[0] = 5", []),
        ("n = a[0, 0].item()", [("item", 4, "cuda:0", "cpu", 1)]),
        ("n = float(a[0, 0])", [("item", 4, "cuda:0", "cpu", 1)]),
        ("n = bool((a > 3).any())", [("item", 1, "cuda:0", "cpu", 1)]),
        ("n = [float(x) for x in a[0]]", [("item", 4, "cuda:0", "cpu", 4)]),
        ("n = a.tolist()", [("tolist", 48, "cuda:0", "cpu", 1)]),
        ("n = a.cpu().numpy()", [("cpu", 48, "cuda:0", "cpu", 1)]),
        ("n = repr(a)", [("print", 48, "cuda:0", "cpu", 1)]),
        ("n = f'{a[0, 0]:.2f}'", [("print", 4, "cuda:0", "cpu", 1)]),
        ("p = t.pin_memory()", []),
        ("b = t.pin_memory().cuda(non_blocking=True)", [("cuda", 48, "cpu", "cuda:0", 1)]),
        ("p = t.pin_memory()\np.copy_(a, non_blocking=True)", [("copy_", 48, "cuda:0", "cpu", 1)]),
        ("b = tk.tensor([1.0, 2.0], device='cuda')", [("tensor", 8, "cpu", "cuda:0", 1)]),
        ("b = tk.zeros(3, device='cuda')", []),
        ("b = a + 1", []),
        ("b = a @ a.t()", []),
        ("b = a[[0, 2]]", [("__getitem__", 16, "cpu", "cuda:0", 1)]),
    ],
)
def test_every_crossing_is_told_once(
    book: Notebook, code: str, expected: list[tuple[str, int, str, str, int]]
) -> None:
    book.cell("a = t.cuda()\nfar = t.cuda(1)")
    book.cell(code)
    assert crossed(book.map) == expected
    tk.cuda.synchronize()
    assert len(arrows(sheet(book.map))) == len(expected)


def test_copies_of_other_threads_are_told_too(book: Notebook) -> None:
    worker = threading.Thread(target=lambda: book.names["t"].cuda())
    worker.start()
    worker.join()
    book.cell("pass")
    assert crossed(book.map) == [("cuda", 48, "cpu", "cuda:0", 1)]


def test_to_look_is_no_transfer(book: Notebook) -> None:
    """The map, a map of memory beside it, and pictures of them fetch bytes from the device: their own matter."""
    beside = MemoryMap(book.names)
    book.cell("g = t.cuda()")
    beside.look()
    for shown in (book.map, beside):
        shown.text(), shown.svg()
    book.cell("g.add_(1)")
    assert book.map.record.crossing == ()
    assert book.map.record.ran_on("cuda:0").kernels == 1
    beside.close()


def test_more_copies_than_are_told_apart_are_counted(made: list[DeviceMap]) -> None:
    events = [tracing.CopyEvent(k + 1, "cpu", "cuda:0") for k in range(MOST + 7)]
    record = record_of(events)
    assert (len(record.moved), record.left_out) == (MOST, 7)
    assert len(transfers_of(record.moved, 4)) == 1


# ---- what a learner must understand


def test_to_copies_and_the_original_stays(book: Notebook) -> None:
    book.cell("g = t.to('cuda')")
    assert "48 bytes from cpu to cuda:0 by .to(): t stays where it is, and g is a copy." in told(book.map)
    found = tiles(sheet(book.map))
    texts = {tile.text: tile for tile in found.values()}
    move = found["move:0"]
    names = {key: tile.text for key, tile in found.items()}
    assert {names[key] for key in move.kin} == {"t", "g"}, "pointing at the arrow lights both"
    assert texts["t"].x < move.x < texts["g"].x
    assert ".to()" in told(book.map)
    assert "simulated: 10 µs" in told(book.map)
    [leaves, reaches] = sheet(book.map).wires
    assert leaves.points[0][0] < leaves.points[1][0] < reaches.points[0][0] < reaches.points[1][0]
    assert (leaves.head, reaches.head) == (False, True)


def test_to_moves_nothing_in_place(book: Notebook) -> None:
    book.cell("t.to('cuda')")
    assert tk.cuda.memory_allocated() == 0
    assert "t stays where it is" in told(book.map)
    assert [tile.text for tile in tiles(sheet(book.map)).values() if tile.key.startswith("t")] == ["t"]


def test_work_runs_where_the_data_is(book: Notebook) -> None:
    book.cell("g = t.cuda()")
    book.cell("h = g + 1")
    assert "1 kernel ran on cuda:0, where the tensors are." in told(book.map)
    assert "1 kernel ran here" in told(book.map)
    assert "nothing was carried" in told(book.map)
    book.cell("h = g @ g.t()")
    assert "1 library call ran here" in told(book.map)


def test_a_loop_of_items_is_one_arrow_of_many_copies(book: Notebook) -> None:
    book.cell("g = t.cuda()")
    book.cell("total = 0\nfor x in g.view(-1):\n    total += x.item()\ndel x")
    assert arrows(sheet(book.map)) == ["12 × 4 bytes"]
    [arrow] = transfers_of(book.map.record.moved, 4)
    assert (arrow.count, arrow.nbytes, arrow.code) == (12, 48, "total += x.item()")
    assert "simulated: 120 µs" in told(book.map)
    assert "12 copies of 4 bytes each from cuda:0 to cpu by .item()" in book.map.text()


def test_views_on_a_device_share_their_storage(book: Notebook) -> None:
    book.cell("g = t.cuda()\nrow = g[1]\nlow = row[:2]")
    assert "view of g, float32 (4,)" in told(book.map)
    found = tiles(sheet(book.map))
    g = next(tile for tile in found.values() if tile.text == "g")
    assert {found[key].text for key in g.kin} == {"row", "low"}
    assert "3 tensors, 48 bytes" in told(book.map)
    book.cell("del g")
    assert "view of" not in told(book.map).replace("view of row", "")


def test_a_name_that_is_bound_again_frees_the_old_memory(book: Notebook) -> None:
    book.cell("g = t.cuda()")
    allocated = tk.cuda.memory_allocated()
    book.cell("g = g[0].clone()")
    assert "freed: 48 bytes, g stood here" in told(book.map)
    assert tk.cuda.memory_allocated() == allocated
    assert [frame.kind for frame in sheet(book.map).frames].count("hole") == 1
    assert "1 copy inside, 16 bytes" in told(book.map)


def test_two_devices_have_two_memories(book: Notebook) -> None:
    book.cell("g = t.cuda()\nfar = g.to('cuda:1')")
    shown = sheet(book.map)
    assert {"CPU", "cuda:0", "cuda:1"} <= {note.text for note in shown.notes}
    for index in (0, 1):
        assert f"allocated {tk.cuda.memory_allocated(index):,} bytes" in told(book.map)
    between = next(tile for key, tile in tiles(shown).items() if key == "move:1")
    ends = [point for wire in shown.wires if between.key in wire.ends for point in wire.points]
    assert all(x >= between.x + between.width for x, _ in ends), (
        "it leaves the right side and comes back to it"
    )


def test_an_operation_over_a_border_is_refused(book: Notebook) -> None:
    book.cell("g = t.cuda()\nfar = t.cuda(1)")
    book.cell("far + g")
    assert book.map.record.crossing == ()
    assert "add() was refused: far is on cuda:1 and g is on cuda:0. Nothing is carried unasked." in told(
        book.map
    )
    shown = sheet(book.map)
    refused = tiles(shown)["refused:0"]
    assert "bad" in refused.kinds
    assert {tiles(shown)[key].text for key in refused.kin} == {"far", "g"}
    assert shown.status == "wrong"
    assert not [wire for wire in shown.wires if wire.head]
    book.cell("t + g")
    assert "t is on cpu and g is on cuda:0" in told(book.map)
    book.cell("g + 1")
    assert "refused" not in told(book.map)


def test_pinned_memory_is_marked_and_meta_has_none(book: Notebook) -> None:
    book.cell("p = t.pin_memory()\nm = tk.empty(2, 3, device='meta')")
    assert "pinned, 48 bytes" in told(book.map)
    assert "1 tensor: sizes without memory" in told(book.map)
    assert "no memory" in told(book.map)
    assert "2 tensors, 96 bytes" in told(book.map)


def test_a_failed_cell_is_followed_too(book: Notebook) -> None:
    book.cell("g = t.cuda()\n1 / 0")
    assert book.map._facts()["error"] == "ZeroDivisionError"
    assert arrows(sheet(book.map)) == ["48 bytes"]


def test_without_a_device_it_says_how_to_get_one(made: list[DeviceMap], devices: tk.cuda.Emulation) -> None:
    devices.__exit__(None, None, None)
    book = Notebook(made, t=tk.ones(3))
    assert "There is no CUDA device. tk.cuda.emulate() gives devices" in told(book.map)
    book.cell("tk.cuda.emulate(devices=1)\ng = t.cuda()")
    assert "There is no CUDA device" not in told(book.map)
    assert arrows(sheet(book.map)) == ["12 bytes"]


def test_what_a_gpu_measured_is_said_to_be_measured(book: Notebook) -> None:
    page = page_of([], book.map)
    record = replace(page.record, moved=(Moved(48, "cpu", "cuda:0", "to", times=2, seconds=0.0000345),))
    facts = tuple(replace(one, emulated=False, name="a GPU") for one in page.devices)
    drawn = compose_devices(replace(page, record=record, devices=facts))
    words = " ".join(note.text for note in drawn.notes)
    assert "measured: 34.5 µs" in words
    assert "simulated" not in words


class Mark:
    """A moment of a GPU's clock, in milliseconds; reached or not."""

    def __init__(self, at: float, reached: bool = True) -> None:
        self.at, self.reached = at, reached

    def done(self) -> bool:
        return self.reached

    def since(self, start: Mark) -> float:
        return self.at - start.at


def test_marks_of_a_gpus_clock_are_added_up() -> None:
    def queued(begun: Mark | None, ended: Mark | None, nbytes: int = 4) -> Any:
        place = {"source": "cuda:0", "target": "cpu", "nbytes": nbytes}
        return SimpleNamespace(kind="copy", begun=begun, ended=ended, **place)

    def seconds(*marks: tuple[Mark | None, Mark | None]) -> list[float | None]:
        copy = tracing.CopyEvent(4, "cuda:0", "cpu")
        return [
            one.seconds
            for one in record_of([event for pair in marks for event in (queued(*pair), copy)]).moved
        ]

    assert seconds((Mark(1.0), Mark(1.5)), (Mark(3.0), Mark(3.25))) == [0.00075]
    assert seconds((Mark(1.0), Mark(1.5)), (None, None)) == [None], (
        "of one nobody knows: nothing is said of both"
    )
    assert seconds((Mark(1.0), Mark(1.5, reached=False))) == [None]
    another = [queued(Mark(1.0), Mark(1.5), nbytes=5), tracing.CopyEvent(4, "cuda:0", "cpu")]
    assert record_of(another).moved[0].seconds is None, "those are the marks of another copy"
    late = Mark(1.5, reached=False)
    recorder = Recorder()
    for event in (queued(Mark(1.0), late), tracing.CopyEvent(4, "cuda:0", "cpu")):
        recorder.hear(event)
    late.reached = True
    assert [one.seconds for one in recorder.take().moved] == [0.0005], (
        "the copy was done by the time of the look"
    )


def test_pinned_memory_is_quicker_and_the_model_is_stated(book: Notebook) -> None:
    book.cell("t = tk.zeros(6_000_000)\np = t.pin_memory()")
    book.cell("a = t.cuda()\nb = p.cuda(non_blocking=True)\nc = a.cuda(1)")
    assert [one.pace for one in book.map.record.crossing] == ["pageable", "pinned", "peer"]
    for milliseconds in ("2.01", "0.97", "0.49"):
        time = f"{milliseconds} ms" if milliseconds[0] != "0" else f"{float(milliseconds) * 1000:g} µs"
        assert f"simulated: {time}" in told(book.map)
    assert (
        "simulated: 10 µs a copy, and its bytes at 12 GB/s (pageable), 25 GB/s (pinned) and 50 GB/s "
        "(device to device)"
    ) in book.map.text()


# ---- many, long, and on one screen


def busy(made: list[DeviceMap], devices: int = 2) -> DeviceMap:
    tk.cuda.emulate(devices=devices)
    book = Notebook(made, **{f"t{k}": tk.zeros(k + 1) for k in range(30)})
    book.cell("\n".join(f"g{k} = t{k}.cuda({k % devices})" for k in range(30)))
    return book.cell(
        "\n".join(f"t{k} = g{k}.cpu()" for k in range(30))
        + "\na = g0 * 2\na_very_long_name_of_a_tensor = g0[:1]\n"
        "for name in [name for name in globals() if name.startswith('g')]: globals().pop(name)"
    )


def overlapping(drawn: Sheet) -> list[tuple[str, str]]:
    """Words in the middle, between the memories, that are written over one another."""
    words = [note for note in drawn.notes if note.anchor == "middle" and len(note.text) > 1]
    return [
        (one.text, other.text)
        for k, one in enumerate(words)
        for other in words[k + 1 :]
        if one.x == other.x and abs(one.y - other.y) < 13
    ]


@pytest.mark.parametrize("devices_there", [1, 2, 8])
@pytest.mark.parametrize("width", DeviceMap.widths)
def test_nothing_runs_off_the_page_or_over_another(
    made: list[DeviceMap], width: float, devices_there: int
) -> None:
    shown = busy(made, devices_there)
    shown._heard(None, {"kind": "room", "value": width}, [])
    for at in range(shown.steps + 1):
        drawn = shown._sheet(at)
        assert drawn.width == width
        if width >= 760:
            assert drawn.height <= HIGH + 40
        found = list(tiles(drawn).values())
        for k, one in enumerate(found):
            assert one.x >= 0
            assert one.x + one.width <= width
            assert one.y + one.height <= drawn.height
            for other in found[k + 1 :]:
                apart = (
                    one.x + one.width <= other.x + 0.1 or other.x + other.width <= one.x + 0.1
                    or one.y + one.height <= other.y + 0.1 or other.y + other.height <= one.y + 0.1
                )  # fmt: skip
                assert apart, (one.key, other.key)
        for frame in drawn.frames:
            assert frame.x + frame.width <= width
            assert frame.y + frame.height <= drawn.height
        for note in drawn.notes:
            assert note.y <= drawn.height, note.text
            half = len(note.text) * 3.2
            assert note.anchor != "middle" or half <= note.x <= width - half, note.text
        assert not overlapping(drawn)
    ElementTree.fromstring(shown.svg())


def test_many_storages_are_folded_and_those_of_the_step_stay(made: list[DeviceMap]) -> None:
    shown = busy(made)
    assert "more storages" in told(shown)
    assert len(arrows(sheet(shown))) <= 4
    assert sum(one.count for one in arrows_of(shown.goto(1)._pages[1])) == 30
    assert arrows(sheet(shown)) == ["15 copies, 900 bytes", "15 copies, 960 bytes"]
    assert shown._facts()["copies"] == "30"


@pytest.mark.parametrize("width", [760.0, 960.0])
def test_rows_with_their_lines_of_code_stand_clear_of_one_another(book: Notebook, width: float) -> None:
    book.cell("p = t.pin_memory()")
    book.cell("g = p.cuda()\nh = t.cuda()\nfar = g.to('cuda:1')")
    book.map._heard(None, {"kind": "room", "value": width}, [])
    assert len(arrows(sheet(book.map))) == 3
    assert told(book.map).count("far = g.to('cuda:1')") == 1, "at the top alone"
    assert "h = t.cuda()" in told(book.map)
    assert not overlapping(sheet(book.map))


def test_eight_devices(made: list[DeviceMap]) -> None:
    tk.cuda.emulate(devices=8)
    book = Notebook(made, t=tk.ones(3))
    book.cell("g = t.cuda(6)")
    titles = [note.text for note in sheet(book.map).notes if note.role == "title"]
    assert "cuda:6" in titles
    assert "nothing there" in told(book.map)


# ---- options, moments, life


def test_options(made: list[DeviceMap]) -> None:
    with pytest.raises(TypeError, match="namespace must be a mapping"):
        DeviceMap([tk.zeros(1)])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option colour"):
        DeviceMap({}, colour="red")
    assert not tracing.active, "what was refused does not listen"


def test_back_to_earlier_moments(book: Notebook) -> None:
    book.cell("g = t.cuda()")
    book.cell("g = g.to('cuda:1')")
    assert (book.map.at, book.map.steps) == (2, 2)
    assert book.map.goto(1)._facts()["copies"] == "1"
    assert "cuda:0" in book.map.record.crossing[0].target
    assert book.map.goto(0).record.crossing == ()
    book.cell("pass")
    assert book.map.at == 3


def test_a_quiet_look_between_cells_is_no_moment(book: Notebook) -> None:
    book.map.look().look()
    assert book.map.steps == 0
    book.names["t"].cuda()
    book.map.look()
    assert (book.map.steps, crossed(book.map)) == (1, [("cuda", 48, "cpu", "cuda:0", 1)])
    assert "between two cells" in told(book.map)


def test_numpy_arrays_and_hostile_names(made: list[DeviceMap]) -> None:
    book = Notebook(made, a=numpy.zeros(3), **{"<b>&": tk.ones(2), "long" * 40: tk.ones(2)})
    book.cell("g = tk.from_numpy(a).cuda()")
    assert "NumPy" in told(book.map)
    ElementTree.fromstring(book.map.svg())
    assert "<b>" not in book.map.svg()


def test_nothing_of_a_tensor_is_kept(book: Notebook) -> None:
    import weakref

    from tests.support.garbage import collect

    book.cell("g = t.cuda()\nn = g[0, 0].item()\ntry:\n    g + t\nexcept RuntimeError: pass")
    held = weakref.ref(book.names["g"].untyped_storage())
    book.names.pop("g")
    collect()
    assert held() is None
    assert tk.cuda.memory_allocated() == 0


@pytest.mark.parametrize("width", [960.0, 760.0])
def test_what_there_is_no_room_for_is_counted_and_the_newest_is_always_said(
    book: Notebook, width: float
) -> None:
    book.cell("here = tk.ones(4)\ng = here.cuda()\nn = [x.item() for x in g]\nlast = g.cpu()")
    book.map._width = width
    words = [note.text for note in sheet(book.map).notes]
    [newest] = [text for text in words if text.startswith("last: new, 16 bytes.")]
    assert newest.endswith(" more things.")
    left_out = int(newest.split()[-3])
    shown = sum(text in ("⇄", "+") for text in words)
    assert left_out + shown == 6, "three kinds of copies, three new tensors"


def test_it_follows_a_notebook_and_stops_when_it_is_closed(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_cell("from tensorkit_widgets import DeviceMap\nm = DeviceMap()", store_history=True)
    shown: DeviceMap = shell.user_ns["m"]
    shell.run_cell("t = tk.arange(6.0)\ng = t.cuda()\nfor x in g: x.item()", store_history=True)
    assert shown._facts()["copies"] == "7"
    assert [one.code for one in shown.record.crossing] == ["g = t.cuda()", "for x in g: x.item()"]
    shell.run_cell("g", store_history=True)
    assert crossed(shown) == [("print", 24, "cuda:0", "cpu", 1)]
    assert shown.record.crossing[0].code == "", "what the notebook shows by itself has no line"
    shown.close()
    assert not hook.on
    assert not tracing.active
    shell.run_cell("t.cuda()", store_history=True)
    assert not cell_hook._alive
    shown._reopen()
    assert tracing.active
    shell.run_cell("h = t.cuda()", store_history=True)
    assert crossed(shown) == [("cuda", 24, "cpu", "cuda:0", 1)]
    shown.close()
    capsys.readouterr()


def test_what_cannot_be_told_never_breaks_a_cell(book: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr("tensorkit_widgets.device_map.recorder.place", broken)
    book.cell("g = t.cuda()")
    assert book.names["g"].device.type == "cuda"
    monkeypatch.undo()
    book.cell("h = g.cpu()")
    assert crossed(book.map) == [("cpu", 48, "cuda:0", "cpu", 1)]
