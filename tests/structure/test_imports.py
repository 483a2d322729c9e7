"""Imports run one way: a file of the engine imports only from its own folder, or from folders below it."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.structure.source import Module, modules, nodes, of

# From the bottom of the engine to its top, by folder: a file imports from its own layer or from earlier ones.
LAYERS: list[set[str]] = [
    {"errors", "process", "version"},
    {"dtypes"},
    {"conj_bit"},
    {"finfo", "number_range"},
    {"device"},
    {"tracing"},
    {"size", "strides"},
    {"plain"},
    {"memory_format"},
    {"storage"},
    {"kernels"},
    {"kernels.jit", "kernels.scalars"},
    {"kernels.cpu", "kernels.cuda"},
    {"tensor"},
    {"random"},
    {"dispatch"},
    {"return_types"},
    {"elementwise"},
    {"autograd", "backends"},
    {"ops.shared"},
    {"ops.way"},
    {"ops.kit"},
    {"ops.creation", "ops.joining", "ops.pointwise"},
    {"ops.complex", "ops.random", "ops.reduction", "ops.views"},
    {"ops.matrix_products"},
    {"ops.indexing", "ops.linalg", "ops.rearranging", "ops.sorting", "ops.special"},
    {"ops.fft", "ops.nn"},
    {"ops.tensor"},
    {"ops"},
    {"shortcuts"},
    {"printing"},
    # The public namespaces; they do not import one another in a circle either.
    {
        "accelerator",
        "amp",
        "autograd.profiler",
        "compiler",
        "cuda",
        "distributed",
        "distributions",
        "fft",
        "func",
        "fx",
        "hub",
        "jit",
        "linalg",
        "multiprocessing",
        "nn",
        "onnx",
        "optim",
        "profiler",
        "serialization",
        "special",
        "testing",
        "utils",
        "vision",
    },
    {"__init__"},
    {"torch"},
    {"lab"},
    {"cli"},
]

# Layers that stand side by side: one is never imported by the other.
APART = ("kernels", "ops")

# The same for the widgets: one folder a widget, over what all of them are built on.
WIDGET_LAYERS: list[set[str]] = [
    {"snapshot"},
    {"diagnosis"},
    {"drawing"},
    {"render"},
    {"widget"},
    {"namespace"},
    {
        "bits",
        "boxed",
        "broadcast",
        "conv",
        "device_map",
        "generator_stream",
        "graph",
        "image",
        "indexing",
        "kernel_tracer",
        "matmul",
        "memory",
        "practice",
        "reduction",
        "shard_map",
        "stride_explorer",
        "timeline",
        "tracing",
        "training",
    },
    {"lessons", "page", "plots", "puzzles"},
    {"__init__", "__main__"},
    {"site"},
]

# Imported when first needed, so that `import tensorkit` stays fast and the lessons' tools stay optional.
MAY_BE_LATE = {
    "tensorkit": {
        *(
            "numba",
            "llvmlite",
            "scipy",
            "matplotlib",
            "tensorkit_widgets",
            "cuda",
            "cupy",
            "cupyx",
            "safetensors",
        )
    },
    "tensorkit.process": {"sysconfig"},
    "tensorkit.utils": {"PIL"},
    "tensorkit.version": {"importlib", "packaging"},
    "tensorkit.lab": {
        "jupyter_client",
        "jupyter_core",
        "jupyter_server",
        "jupyterlab",
        "nbclient",
        "nbconvert",
        "nbformat",
        "segno",
        "tornado",
        "zmq",
    },
    # NumPy has come before any array of its does: a page that plays in a browser has none.
    "tensorkit_widgets": {"numba", "scipy", "matplotlib", "sidecar", "IPython", "numpy", "ml_dtypes"},
    "tensorkit_widgets.plots": {"tensorkit_widgets"},  # its figure is a class of matplotlib's
}

HEAVY = (
    "numba",
    "scipy",
    "matplotlib",
    "ipywidgets",
    "anywidget",
    "torch",
    "typer",
    "jupyterlab",
    "tensorkit_widgets",
)


# What may be loaded of CUDA before a device is asked for: the front, and how a tensor is told to a kernel.
OF_CUDA = ["tensorkit.kernels.cuda", "tensorkit.kernels.cuda.plan"]


def folder(name: str) -> str:
    """The entry of `LAYERS` that a module of the engine belongs to."""
    parts = name.split(".")[1:]
    for known in (".".join(parts[:2]), parts[0] if parts else "__init__"):
        if any(known in members for members in LAYERS):
            return known
    raise AssertionError(f"{name} has no place among the layers; give it one in {__file__}")


def layer(name: str) -> int:
    """The height of a module of the engine."""
    return next(height for height, members in enumerate(LAYERS) if folder(name) in members)


def runs_back(module: str, imported: str) -> bool:
    """Whether an import goes up, or from one family of kernels or operations to another of the same height."""
    if layer(imported) != layer(module):
        return layer(imported) > layer(module)
    return folder(imported) != folder(module) and module.split(".")[1] in APART


def engine() -> list[Module]:
    return of("tensorkit")


def test_every_file_has_a_layer() -> None:
    assert {layer(module.name) for module in engine()} <= set(range(len(LAYERS)))


def test_no_arrow_runs_back_up() -> None:
    back = [
        f"{module.path.name}:{found.line} imports {found.module}"
        for module in engine()
        for found in module.imports()
        if found.module.split(".")[0] == "tensorkit" and runs_back(module.name, found.module)
    ]
    assert back == []


def widgets_layer(name: str) -> tuple[int, str]:
    """The height of a module of the widgets, and its folder."""
    own = name.split(".")[1] if "." in name else "__init__"
    for height, members in enumerate(WIDGET_LAYERS):
        if own in members:
            return height, own
    raise AssertionError(f"{name} has no place among the layers; give its folder one in {__file__}")


def test_the_widgets_import_downwards_and_leave_their_neighbours_alone() -> None:
    back = []
    for module in of("tensorkit_widgets"):
        height, own = widgets_layer(module.name)
        for found in module.imports():
            if found.module.split(".")[0] != "tensorkit_widgets":
                continue
            below, other = widgets_layer(found.module)
            if below > height or (below == height and other != own):
                back.append(f"{module.name}:{found.line} imports {found.module}")
    assert back == []


@pytest.mark.parametrize("package", ["tensorkit", "tensorkit_widgets"])
def test_no_circle(package: str) -> None:
    # A package's own `__init__` stands for its front; importing a submodule does not use the names in it.
    graph = {
        module.name: {found.module for found in module.imports() if found.module in modules()} - {module.name}
        for module in of(package)
    }
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_a_circle_and_an_arrow_upwards_would_be_seen() -> None:
    assert layer("tensorkit.tensor") > layer("tensorkit.strides.layout")
    assert layer("tensorkit") > layer("tensorkit.ops.views.view_reshape")
    with pytest.raises(AssertionError, match="no place among the layers"):
        layer("tensorkit.somewhere")
    with pytest.raises(graphlib.CycleError):
        tuple(graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())


def test_the_engine_never_imports_the_widgets() -> None:
    assert [
        module.name
        for module in engine()
        for found in module.imports()
        if found.module.split(".")[0] == "tensorkit_widgets"
    ] == []


def test_nothing_imports_pytorch() -> None:
    assert [
        f"{module.path}:{found.line}"
        for module in modules().values()
        for found in module.imports()
        if found.module.split(".")[0] == "torch"
    ] == []


def test_what_is_imported_late_is_on_the_list() -> None:
    late = []
    for module in modules().values():
        parts = module.name.split(".")
        allowed = MAY_BE_LATE.get(".".join(parts[:2]), set()) | MAY_BE_LATE[parts[0]]
        late += [
            f"{module.path.name}:{found.line} imports {found.module}"
            for found in module.imports()
            if found.deferred and found.module.split(".")[0] not in allowed
        ]
    assert late == []


def _printed(code: str) -> str:
    """What a program prints in a fresh interpreter, because this one has long loaded everything."""
    command = [sys.executable, "-c", code]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert finished.stderr == ""
    return finished.stdout.strip()


def test_importing_the_engine_loads_nothing_heavy() -> None:
    code = f"import sys, tensorkit; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert _printed(code) == "[]"


def test_a_program_that_stays_on_the_cpu_loads_nothing_of_cuda() -> None:
    code = (
        "import sys, tensorkit as tk; tk.manual_seed(0); t = tk.rand(2, 3, requires_grad=True)\n"
        "(t.sort().values @ t.t()).softmax(0)[tk.tensor([0])].sum().backward(); repr(t), repr(t.grad), dir(tk)\n"
        "print(sorted(name for name in sys.modules if name.startswith('tensorkit') and 'cuda' in name.split('.')))"
    )
    assert _printed(code) == repr(OF_CUDA)


def test_devices_are_there_when_they_are_first_asked_for() -> None:
    code = (
        "import tensorkit as tk; from tensorkit.kernels import cuda\n"
        "print(tk.accelerator.is_available(), {'accelerator', 'cuda'} <= set(dir(tk)), hasattr(cuda, 'nothing'))\n"
        "with tk.cuda.emulate(): print(tk.ones(2, device='cuda') + 1)"
    )
    assert _printed(code) == "False True False\ntensor([2., 2.], device='cuda:0')"


def test_annotations_are_text() -> None:
    """Python 3.14 computes an annotation when it is asked for: what reads annotations here reads what stands there."""
    annotated = (ast.FunctionDef, ast.ClassDef)
    without = [
        name
        for name, module in modules().items()
        if any(isinstance(node, annotated) for node in nodes(module.tree))
        and "__future__" not in {one.module for one in module.imports()}
    ]
    assert without == []


# -- state: what a program of one thread changes in a module, and what a higher module tells a lower one -------------

MOST_GLOBALS = 25
MOST_LATE = 11


def globals_of(module: Module) -> list[int]:
    """The lines with a ``global`` statement."""
    return [node.lineno for node in nodes(module.tree) if isinstance(node, ast.Global)]


def late_registrations(module: Module) -> list[int]:
    """The lines, run at import, where a module tells another one what to call: ``register_…(...)``."""
    own = {node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    calls = [node.value for node in module.tree.body if isinstance(node, ast.Expr)]
    named = [(call.lineno, _last(call.func)) for call in calls if isinstance(call, ast.Call)]
    return [line for line, name in named if name.startswith("register_") and name not in own]


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def writes_elsewhere(module: Module) -> list[int]:
    """The lines that set an attribute of another module, or of a class of its; a front says where a class is found."""
    elsewhere = {
        alias.asname or alias.name
        for node in nodes(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.lstrip("_")[:1].isupper() or f"{node.module}.{alias.name}" in modules()
    }
    changed = [
        node.value
        for node in nodes(module.tree)
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and node.attr != "__module__"
    ]
    changed += [
        node.args[0]
        for node in nodes(module.tree)
        if isinstance(node, ast.Call) and _last(node.func).strip("_") in ("setattr", "delattr")
    ]
    return [
        place.lineno
        for place in changed
        if (whole := ast.unparse(place)) in elsewhere
        or (whole.partition(".")[0] in elsewhere and _last(place)[0].isupper())
    ]


def _without_reason(module: Module, lines: list[int]) -> list[str]:
    """Those of the lines that have no comment, neither beside them nor above them and others of them."""
    text = (module.path.read_text(encoding="utf-8") if module.given is None else module.given).splitlines()
    first = {line: next(above for above in range(line, 0, -1) if above - 1 not in lines) for line in lines}
    return [
        f"{module.name}:{line}"
        for line in lines
        if "  # " not in text[line - 1] and not text[first[line] - 2].lstrip().startswith("#")
    ]


@pytest.mark.parametrize(("found", "most"), [(globals_of, MOST_GLOBALS), (late_registrations, MOST_LATE)])
def test_state_of_a_module_has_its_reason_beside_it(found: Callable[[Module], list[int]], most: int) -> None:
    lines = {module: found(module) for module in engine()}
    assert [one for module, there in lines.items() for one in _without_reason(module, there)] == []
    assert sum(map(len, lines.values())) <= most


def test_no_module_writes_into_another_one() -> None:
    assert [f"{module.name}:{line}" for module in engine() for line in writes_elsewhere(module)] == []


def test_state_would_be_seen() -> None:
    text = """
from tensorkit import device, printing
from tensorkit.device import register_cuda
from tensorkit.tensor import Tensor

def change():
    global one
    global two  # why
    printing._options, Tensor.one = 1, 2
    Tensor.__module__ = "tensorkit"

register_cuda(1, 2)
# Why.
device.register_cuda(1, 2)
setattr(Tensor, "one", 1)
type.__setattr__(device.Device, "one", 1)
"""
    module = Module("tensorkit.somewhere", Path("somewhere.py"), text)
    assert globals_of(module) == [7, 8]
    assert late_registrations(module) == [12, 14]
    assert writes_elsewhere(module) == [9, 9, 15, 16]
    assert _without_reason(module, [7, 8, 12, 14]) == ["tensorkit.somewhere:7", "tensorkit.somewhere:12"]


# -- what an import of the engine leaves alone: the state of the process is its program's --------------------------

_COLLECTOR = """
import gc
calls = []
for name in ("enable", "disable", "freeze", "unfreeze", "collect", "set_threshold", "set_debug"):
    setattr(gc, name, lambda *args, name=name: calls.append(name))
state = lambda: (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(), list(gc.callbacks))
before = state()
import tensorkit
assert state() == before, (before, state())
print(calls)
"""


def test_importing_the_engine_leaves_the_garbage_collector_alone() -> None:
    command = [sys.executable, "-c", _COLLECTOR]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert finished.stderr == ""
    assert finished.stdout.strip() == "[]"
