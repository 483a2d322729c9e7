"""Each misconception that the lessons take on is predicted, drawn, and recognised in an exercise.

A new lesson adds its own here: the name of the misconception, and the cell whose picture dissolves it.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

from tensorkit_widgets import lessons

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"

PICTURES = {
    "view after transpose fails": ("05", 'StrideExplorer(x, ".t()", name="x").attempt(".t().view(-1)")'),
    "second backward fails": ("18", "GraphView(loss)"),
    "squeeze eats the batch dimension": ("04", "StrideExplorer(tk.arange(12.0).view(1, 1, 3, 4)"),
    "`Tensor` vs `tensor`": ("07", "BitView(tk.Tensor([3, 1])"),
    "NumPy shares memory": ("15", "memory = MemoryMap()"),
    "(N,1) against (N) gives (N,N)": ("10", 'BroadcastExplorer(prediction, target, "-"'),
    "a saved slice saves the whole storage": ("05", 'StrideExplorer(thumb, name="thumb")'),
    "`if` on a tensor": ("10", 'BroadcastExplorer(a, a, "=="'),
    "integer mean": ("07", 'BitView(2.5).cast("int64")'),
    "x += y vs x = x + y": ("13", 'MemoryMap({"x": x, "y": y})'),
    "strides of size-1 dimensions": ("03", 'StrideExplorer(row, name="row")'),
    "`.to()` returns": ("07", "%%explain\nx = tk.zeros(2)\nx.to(tk.float64)"),
    "integers wrap": ("06", 'BitView(300).cast("uint8")'),
    "floats have gaps": ("06", "BitView(16777216.0"),
    "a cast drops the fraction": ("07", "t = tk.tensor([-2.7, 300.0, 0.1])\nBitView(t, index=0)"),
    "backward adds": ("18", "GraphView(loss)"),
    "a seed is a position": (
        "08",
        "with GeneratorStream() as stream:\n    tk.manual_seed(0)\n    mine = tk.rand(3)",
    ),
    "randn works in blocks": (
        "08",
        "with GeneratorStream() as stream:\n    tk.manual_seed(0)\n    eight = tk.randn(8)",
    ),
    "permute vs view": ("03", "ImageView(photo.view(64, 75, 3)"),
    "fancy indexing copies": ("09", 'IndexExplorer(t, "t[[0, 1]][0] = 5")'),
    "in-place on an expanded tensor": ("13", 'memory.keep("e")'),
    "`.grad` of a non-leaf": ("18", "GraphView(loss)"),
    "id() as a storage test": ("14", 'memory.keep("v")'),
    "unsqueeze": ("04", "StrideExplorer(tk.arange(12.0).view(1, 1, 3, 4)"),
    "cat vs stack": ("01", "ImageView(tk.cat("),
    "what -1 means in view": ("04", 'StrideExplorer(t, ".view(3, 2)")'),
    "what contiguous means": ("05", "%%explain\nsame = x.contiguous()"),
    "`dim=` in a reduction": ("11", 'ReductionExplorer(t, "sum", dim=1)'),
    "del removes a name": ("14", 'memory.keep("row")'),
    "a loss keeps its graph": ("14", "memory.keep()"),
    "detach vs clone": ("14", 'memory.keep("d")'),
    "a slice aliases its base": ("02", 'StrideExplorer(t, "[1:, ::2]")'),
    "getsizeof of a list": ("01", "BoxedMemory(values)"),
    "operands on one device": ("20", "machine.keep()"),
    "reading is a crossing": ("20", "machine.keep()"),
    "same seed, other device": ("20", "machine.keep()"),
    "thread numbers begin again": ("21", 'print("the threads of add:")\nKernelTracer(add'),
    "more threads than elements": ("21", "@cuda.jit\ndef unguarded"),
    "a block does not go in step": ("21", "@cuda.jit\ndef hurried"),
    "memory moves in sectors": ("21", "@cuda.jit\ndef along_row"),
    "timing a GPU without synchronising": ("22", "with timeline() as line:\n    c = a @ b\n    d = c + 1"),
    "small work is slower on a GPU": (
        "22",
        'small = tk.ones(32, 32, device="cuda")\nwith timeline() as line:',
    ),
    "streams race": ("22", 'print("y, without a wait:")'),
    "non_blocking reads stale bytes": ("22", 'print("the sum, read at once and read after a wait:")'),
    "device errors blame the wrong line": ("22", "line  # what was queued"),
    "element loops": ("12", "%%explain\nfew = tk.arange(4.0)"),
    "`*` is not `@`": ("16", "MatmulExplorer(amounts, prices)"),
    "few singular values carry most": ("16", "kept = (1, 5, 10, 20, 40)"),
    "a window is a view": ("23", "ConvExplorer(x, kernel)"),
    "which rank's data wins": ("24", 'ShardMap(made[3], [Shard(0)], mesh=(4,), name="t")'),
}

each = pytest.mark.parametrize("name", PICTURES)


def _modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(lessons.__path__)]
    found = [name for name in names if re.fullmatch(r"lesson\d\d", name)]
    return [importlib.import_module(f"tensorkit_widgets.lessons.{name}") for name in found]


@each
def test_it_is_predicted(name: str) -> None:
    asked = [question for module in _modules() for question in module.QUESTIONS if not question.recall]
    assert any(slip.misconception == name for question in asked for slip in question.slips)


@each
def test_an_exercise_recognises_it(name: str) -> None:
    tasks = [task for module in _modules() for task in module.TASKS]
    assert any(misconception == name for task in tasks for _, misconception in task.wrong)


@each
def test_a_picture_shows_it(name: str) -> None:
    lesson, code = PICTURES[name]
    (path,) = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    shown = [cell for cell in cells if "".join(cell["source"]).startswith(code)]
    assert shown, f"lesson {lesson} has no cell {code}"
    for cell in shown:
        html = "".join("".join(out.get("data", {}).get("text/html", "")) for out in cell["outputs"])
        assert '<img class="tk-still' in html
