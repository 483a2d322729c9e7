"""Every kind of board with everything that is hard: odd numbers, none, ten dimensions, a billion, hostile words."""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tensorkit as tk
import tensorkit_widgets as tkw
from tensorkit.distributed.tensor import Partial, Placement, Replicate, Shard
from tensorkit_widgets.widget.board import Board
from tests.widgets.board_examples import BOARDS

UNSENDABLE = re.compile("[\ud800-\udfff]")
SECONDS = 5.0
"""To open, draw and step: what would copy a billion numbers takes far longer, or all memory."""

NAN, INF = float("nan"), float("inf")
PAYLOADS = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    '"><svg onload=window.hacked=1>',
    "'><style>*{display:none}</style>",
    "]]><!--",
    "&lt;b&gt; &amp;",
    "javascript:alert(1)",
    "{{7*7}} ${7*7} #{7*7}",
    "__import__('os').system('touch hacked')",
    "().__class__.__base__.__subclasses__()",
    "lambda: open('hacked', 'w')",
    "t.__class__; open('hacked','w')",
    "[x for x in open('hacked', 'w')]",
    "eval(\"open('hacked','w')\")",
    "\x00\x1b[31m\x7f",
    "\u202egnp.\u2066exe",
    "\ud800",
    "🤖" * 50,
    "9" * 400,
    "1e999",
    "-" * 300,
    "[" * 3000,
    "../../etc/passwd",
    "%s%n%x",
]


def _traced(x: Any, name: str) -> Board:
    with tkw.trace() as found:
        x.unsqueeze(0) if hasattr(x, "unsqueeze") else tk.zeros(1).add(1)
    return found


def _trained(x: Any, name: str) -> Board:
    """As the parameter of a model (an array cannot be one), as the batch, and as what the net says of it."""
    net = tk.nn.Module()
    if isinstance(x, tk.Tensor):
        net.register_parameter(name.replace(".", "_"), tk.nn.Parameter(x, requires_grad=False))
    made = tkw.TrainingView(net, name=name)
    made.record(1.0, x, x, x)
    return made


def _slid(x: Any, name: str) -> Board:
    """A kernel of one number on it, as an image: NumPy has no convolution."""
    t = tk.from_numpy(x) if isinstance(x, np.ndarray) else x
    image = t if 2 <= t.ndim <= 4 else t.reshape(1, -1)
    return tkw.ConvExplorer(image, tk.ones((1, 1), dtype=image.dtype), names=(name, name))


def _cut(x: Any) -> list[Placement]:
    return [Shard(0) if x.ndim else Partial()]


KINDS: dict[str, Callable[[Any, str], Board]] = {
    "BitView": lambda x, name: tkw.BitView(x, name=name),
    "BroadcastExplorer": lambda x, name: tkw.BroadcastExplorer(x, x[:1] if x.ndim else x, names=(name, name)),
    "ConvExplorer": _slid,
    "DeviceMap": lambda x, name: tkw.DeviceMap({name: x, "also": x}),
    "ImageView": lambda x, name: tkw.ImageView(x, name=name),
    "IndexExplorer": lambda x, name: tkw.IndexExplorer(
        x, "..." if not x.ndim else "[0]" if len(x) else ":", name=name
    ),
    "MatmulExplorer": lambda x, name: tkw.MatmulExplorer(x, x, names=(name, name)),
    "MemoryMap": lambda x, name: tkw.MemoryMap({name: x, "also": x}),
    "ReductionExplorer": lambda x, name: tkw.ReductionExplorer(x, "sum", None, name=name),
    "ShardMap": lambda x, name: tkw.ShardMap(x, _cut(x), mesh=(3,), name=name).to(Replicate()),
    "Trace": _traced,
    "TrainingView": _trained,
    "Explanation": lambda x, name: tkw.explain("x.reshape(1, *x.shape)", {"x": x}),
}
"""One way to show a tensor in each kind of board; BoxedMemory shows lists, below."""


def _mapped(folder: Path) -> Any:
    """A file of 4 GB with nothing in it, as an array: most of it is never read."""
    return np.memmap(folder / "large", dtype=np.float32, mode="w+", shape=(1_000_000_000,))


HARD: dict[str, Callable[[Path], Any]] = {
    "special": lambda _: tk.tensor([[NAN, INF, -INF], [-0.0, 5e-324, 1.8e308]], dtype=tk.float64),
    "one": lambda _: tk.tensor(7),
    "empty": lambda _: tk.empty(0),
    "empty_rows": lambda _: tk.empty(3, 0, 2),
    "no_rows": lambda _: np.empty((0, 4)),
    "ten": lambda _: tk.arange(1024.0).view(*[2] * 10),
    "complex": lambda _: tk.tensor([[1 + 2j, complex(NAN, INF)]]),
    "bool": lambda _: tk.tensor([[True, False], [False, True]]),
    "bfloat16": lambda _: tk.tensor([[1.5, NAN]], dtype=tk.bfloat16),
    "billion": lambda _: tk.zeros(1).expand(1_000_000_000),
    "billion_square": lambda _: tk.zeros(1).as_strided((31_623, 31_623), (0, 0)),
    "billion_mapped": _mapped,
    "backwards": lambda _: np.arange(12.0).reshape(3, 4)[::-1, ::-1],
}


@pytest.fixture(autouse=True)
def nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A payload that was run would leave a file."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not (tmp_path / "hacked").exists()


def looked_at(made: Board) -> None:
    """Drawn, in words, stepped to the end and back, and shown without a reason why not."""
    for at in dict.fromkeys((0, 1, made.steps // 2, made.steps)):
        made.goto(at)
        assert made.frame["reason"] == ""
        ElementTree.fromstring(made.svg())
    assert made.text()
    assert made.alt()
    json.dumps(made.frame).encode()
    assert not UNSENDABLE.search(str(made.frame))


def opened(make: Callable[[], Board]) -> Board | None:
    """The board, or None when it was refused with a sentence (and not by a slip)."""
    try:
        return make()
    except (TypeError, ValueError, IndexError, OverflowError, SyntaxError) as error:
        refusal = str(error)
    assert " " in refusal
    return None


def test_every_kind_is_here() -> None:
    kinds = {type(made).__name__ for made in (make() for make in BOARDS.values())}
    without = {"GeneratorStream", "KernelTracer", "Timeline"}  # these draw no tensor
    assert kinds == {*KINDS, *without, "BoxedMemory"}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("what", list(HARD))
def test_hard_tensors(kind: str, what: str, tmp_path: Path) -> None:
    """Each is drawn at once, or refused with a sentence."""
    x = HARD[what](tmp_path)
    began = time.monotonic()
    made = opened(lambda: KINDS[kind](x, "t"))
    if made is None:
        return
    try:
        looked_at(made)
        made._still()
    finally:
        made.close()
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize(
    "values",
    [[], [[]], [NAN, INF, -0.0], [[[[[[[[[[1.5]]]]]]]]]], [0.5] * 1_000_000, [None, "<b>", {}], [10**400]],
    ids=["empty", "empty_rows", "special", "ten", "many", "no_numbers", "huge"],
)  # fmt: skip
def test_hard_lists(values: list[Any]) -> None:
    began = time.monotonic()
    made = opened(lambda: tkw.BoxedMemory(values))
    if made is None:
        return
    looked_at(made)
    made.close()
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("kind", [*KINDS, "BoxedMemory"])
@pytest.mark.parametrize("name", PAYLOADS)
def test_hostile_names_stay_text(kind: str, name: str, tmp_path: Path) -> None:
    assert Markup(all_of(kind, name, tmp_path)).live == live_with_a_plain_name(kind)


@functools.cache
def live_with_a_plain_name(kind: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return Markup(all_of(kind, "x", Path(folder))).live


def all_of(kind: str, name: str, folder: Path) -> str:
    """The picture alone, in a page, as an output, and live."""
    x = tk.arange(6.0).view(2, 3)
    made = tkw.BoxedMemory([1.5, 2.5], name=name) if kind == "BoxedMemory" else KINDS[kind](x, name)
    try:
        looked_at(made)
        page = made.save(folder / "x.html").read_text(encoding="utf-8")
        return "".join([made.svg(), page, made._still()["text/html"], made.frame["svg"]])
    finally:
        made.close()


class Markup(HTMLParser):
    """What a browser would act on: elements that load or run, and attributes that are code."""

    def __init__(self, drawn: str) -> None:
        super().__init__()
        self.live: list[str] = []
        self.feed(drawn)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "style", "iframe", "foreignobject", "a"):
            self.live.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("href", "src") and "javascript:" in (value or "")):
                self.live.append(name)


def inert(drawn: str, plain: str) -> None:
    """Nothing of a payload has become markup: there is what is there with a plain word in its place."""
    assert Markup(drawn).live == Markup(plain).live


SOME = [PAYLOADS[0], PAYLOADS[8], PAYLOADS[9], PAYLOADS[14], PAYLOADS[16], PAYLOADS[18], PAYLOADS[21]]
ONE_OF_EACH = {re.sub("_.*", "", name): name for name in reversed(BOARDS)}


@pytest.mark.parametrize("name", ONE_OF_EACH.values())
def test_payloads_through_every_control_and_tile(name: str) -> None:
    """Whatever comes back from a browser is read by a grammar, and said in words when it is refused."""
    made = BOARDS[name]()
    try:
        sheet = made._sheet(made.at)
        tiles = [tile for table in sheet.tables for tile in table.tiles]
        kinds = [
            *(control.role for control in made._controls()),
            *(tile.action for tile in tiles if tile.action),
        ]
        keys = dict.fromkeys([tile.key for tile in tiles if tile.action][:1])
        for payload in SOME:
            for kind in dict.fromkeys([*kinds, "edit", "scene", "reset", "goto"]):
                for key in (payload, *keys):
                    made._heard(None, {"kind": kind, "key": key, "value": payload}, [])
                    assert made.frame["svg"], (kind, key, payload, made.frame["reason"])
            ElementTree.fromstring(made.frame["svg"])
            inert(made.frame["svg"], "")
            assert len(json.dumps(made.frame).encode()) < 3_000_000
            assert not UNSENDABLE.search(str(made.frame))
    finally:
        made.close()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_as_code_from_python(payload: str) -> None:
    """What the learner types into an expression is Python's, but the picture's grammar is smaller."""
    made = tkw.IndexExplorer(tk.arange(6.0).view(2, 3))
    made._heard(None, {"kind": "index", "value": payload}, [])
    looked_at(made)
    made.close()
    refused = opened(lambda: tkw.IndexExplorer(tk.arange(6.0).view(2, 3), payload))
    if refused is not None:
        assert refused.run().frame["facts"]["status"] == "refused"
        refused.close()


WIDGETS = sorted(
    name
    for name in tkw.__all__
    if isinstance(getattr(tkw, name), type) and hasattr(getattr(tkw, name), "close")
)


@pytest.fixture(scope="module")
def only_new_garbage() -> None:
    """What a test collects was made since: what is there already stays to the end, as what was collected does."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("only_new_garbage")
@pytest.mark.parametrize("name", WIDGETS)
def test_what_a_widget_refuses_is_one_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And none that Python prints afterwards, when what was begun is thrown away."""
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    for given in ((), (1,), ("x",), (tk.arange(3),), (tk.arange(3), tk.arange(3))):
        with pytest.raises(TypeError):
            getattr(tkw, name)(*given, nonsense=1)
        for wrong in (1, "x", object()):
            with contextlib.suppress(Exception):
                getattr(tkw, name)(wrong)
        gc.collect()
    assert [str(one.exc_value) for one in ignored] == []
