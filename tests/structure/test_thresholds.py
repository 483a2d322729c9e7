"""Which numbers of elements are few or many, `kernels/sizes.py` says: no other file compares a size with its own.

A threshold is an integer of at least 8, written out or as a constant, that a size is compared with by ``<``, ``<=``,
``>`` or ``>=``. A size is what `SIZES` names, or the `len` or `prod` of something. A number from 2**28 on is no
threshold but a limit of a number's type.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator

import pytest

from tests.structure.source import Module, modules, nodes, of

HOME = "tensorkit.kernels.sizes"
SIZES = {
    "columns",
    "count",
    "counts",
    "length",
    "many",
    "nbytes",
    "numel",
    "rows",
    "shape",
    "size",
    "steps",
    "width",
}
MEASURES = {"len", "max", "min", "prod", "sum"}
LEAST, LIMIT = 8, 2**28

#: Names that say too little, whatever they hold.
VAGUE = {"BRIEF", "FEW", "LARGE", "LONG", "MANY", "MOST", "SEVERAL", "SHORT", "SMALL", "SOME", "TINY", "WIDE"}

PYTORCH = "PyTorch does otherwise from there on, and so the result is another"
CACHE = "how many things are kept, of any size"
COMPILED = "compiled into a loop, whose machine code is kept until its file changes"
ROOM = "what a server takes from those who are in the room, and keeps of them"
#: Thresholds elsewhere, ``module:what is written there``, and why.
ELSEWHERE = {
    "cli:60": "characters of a line",
    "shortcuts.pointwise:_KNOWN": CACHE,
    "elementwise.run:_AT_ONCE": PYTORCH,
    "kernels.cuda.indexing.launch:MOST_DIMS": "the dimensions that a kernel walks",
    "kernels.cpu.parallel:softmax_compiled.SIDE_BY_SIDE": COMPILED,
    "kernels.cpu.softmax_compiled:SIDE_BY_SIDE": COMPILED,
    "kernels.cpu.sorting.sort_compiled:_COMPARED": COMPILED,
    "lab.audience.limits:_MOST_ADDRESSES": ROOM,
    "lab.audience.presenter:MOST_BYTES": ROOM,
    "lab.audience.room:MOST_OPTIONS": ROOM,
    "lab.audience.room:MOST_PHONES": ROOM,
    "lab.audience.room:MOST_PICTURE_BYTES": ROOM,
    "lab.audience.room:MOST_QUESTIONS": ROOM,
    "lab.notes:PLACE_BYTES": "bytes that a server keeps of a talk",
    "ops.creation.ranges:_ONE_THREAD": PYTORCH,
    "ops.indexing.index_plan:_TOO_MANY_MEMBERS": PYTORCH,
    "ops.linalg.cdist:_BY_PRODUCTS": PYTORCH,
    "kernels.cpu.sums.sum_in_order:_LANES": PYTORCH,
    "ops.nn.convolution:_MKL_AT_LEAST": PYTORCH,
    "ops.nn.resizing:_CHANNELS_LAST_UP_TO": PYTORCH,
    "ops.random.sampling:_MOST_CATEGORIES": "PyTorch refuses more",
    "ops.rearranging.combinations:_MOST_DIMS": "NumPy's dimensions",
    "ops.reduction.arguments:sum_in_order.MOST_ON_ONE_THREAD": PYTORCH,
    "ops.reduction.prod:_MULTIPLIED_AT_ONCE": PYTORCH,
    "ops.shared.tensor_data:_MOST_DIMS": "NumPy's dimensions",
    "ops.shared.tensor_data:_TOO_DEEP": "lists within lists: Python's stack",
    "ops.sorting.quantile:_MOST_ELEMENTS": "PyTorch refuses more",
    "ops.sorting.sort:_BY_DIGITS_FROM": PYTORCH,
    "ops.sorting.topk:_ONE_OF": PYTORCH,
    "ops.special.igamma_zeta:9": "terms of a series",
    "kernels.cuda.traced.notes:MOST_ACCESSES": "notes that memory holds",
    "ops.tensor.cuda_kernels:MOST_THREADS": "the threads of a block on every GPU",
    "strides.view_cache:_KEPT": CACHE,
}


def number(node: ast.expr) -> int | None:
    """The value of an integer that is written out, `1 << 16` and the like included."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    steps = {
        ast.LShift: operator.lshift,
        ast.Pow: operator.pow,
        ast.Mult: operator.mul,
        ast.Sub: operator.sub,
    }
    if isinstance(node, ast.BinOp) and type(node.op) in steps:
        left, right = number(node.left), number(node.right)
        return None if left is None or right is None else int(steps[type(node.op)](left, right))
    if isinstance(node, ast.IfExp):
        return max(filter(None, (number(node.body), number(node.orelse))), default=None)
    return None


def constants(module: Module) -> dict[str, int]:
    """The integers that a module names in capitals."""
    found = {}
    for node in module.tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        pairs: list[tuple[ast.expr, ast.expr]] = [(target, node.value) for target in targets]
        if isinstance(targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(targets[0].elts, node.value.elts, strict=True))
        for target, value in pairs:
            held = number(value)
            if isinstance(target, ast.Name) and target.id.isupper() and held is not None:
                found[target.id] = held
    return found


def origins(module: Module) -> dict[str, tuple[str, str]]:
    """Of each name that a module imports, the module and the name there; of a module, an empty one."""
    found = {}
    for node in nodes(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                place = (inner, "") if inner in modules() else (node.module, alias.name)
                found[alias.asname or alias.name] = place
    return found


def is_size(node: ast.expr) -> bool:
    """Whether an expression says how many there are of something."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, (ast.Name, ast.Attribute)):
            name = inner.func.id if isinstance(inner.func, ast.Name) else inner.func.attr
            if name in MEASURES:
                return True
        if isinstance(inner, ast.Name) and inner.id in SIZES:
            return True
        if isinstance(inner, ast.Attribute) and inner.attr in SIZES:
            return True
    return False


def held(module: Module, name: str, seen: int = 0) -> tuple[str, int] | None:
    """The module that gives a constant its number, and the number; None where it is none."""
    own = constants(module)
    if name in own:
        return module.name, own[name]
    place, there = origins(module).get(name, ("", ""))
    return held(modules()[place], there, seen + 1) if there and place in modules() and seen < 9 else None


def thresholds(module: Module, node: ast.expr) -> Iterator[str]:
    """What is written in an expression that is a threshold of this module's, or of another that is not `HOME`."""
    value = number(node)
    if value is not None:
        if LEAST <= value < LIMIT:
            yield ast.unparse(node)
        return
    for inner in ast.walk(node):
        found = None
        if isinstance(inner, ast.Name) and inner.id.isupper():
            found = held(module, inner.id)
        elif isinstance(inner, ast.Attribute) and inner.attr.isupper() and isinstance(inner.value, ast.Name):
            place, name = origins(module).get(inner.value.id, ("", ""))
            found = held(modules()[place], inner.attr) if place in modules() and not name else None
        if found is not None and found[0] != HOME and found[1] < LIMIT:
            yield ast.unparse(inner)


def comparisons(module: Module) -> Iterator[tuple[int, str]]:
    """The thresholds that sizes are compared with in a module, and their lines."""
    for node in nodes(module.tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for left, step, right in zip(sides, node.ops, sides[1:], strict=False):
            if not isinstance(step, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                continue
            for one, other in ((left, right), (right, left)):
                if is_size(one):
                    yield from ((node.lineno, found) for found in thresholds(module, other))


def named(module: Module, found: str) -> str:
    return f"{module.name.removeprefix('tensorkit.')}:{found}"


def test_sizes_are_compared_with_what_sizes_py_says() -> None:
    there = [
        f"{module.path.name}:{line} compares a size with {found}: give it a name in kernels/sizes.py"
        for module in of("tensorkit")
        for line, found in comparisons(module)
        if named(module, found) not in ELSEWHERE
    ]
    assert there == []


def test_every_exception_is_there_and_has_a_reason() -> None:
    found = {named(module, found) for module in of("tensorkit") for _, found in comparisons(module)}
    assert {name for name, reason in ELSEWHERE.items() if not reason} == set()
    assert set(ELSEWHERE) - found == set()


def test_names_say_what_they_hold() -> None:
    assert [
        f"{module.name}: {target.id}"
        for module in of("tensorkit")
        if module.name != HOME
        for node in module.tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in ast.walk(node)
        if isinstance(target, ast.Name)
        and isinstance(target.ctx, ast.Store)
        and target.id.strip("_") in VAGUE
    ] == []


def test_every_size_says_what_was_measured_and_is_used() -> None:
    module = modules()[HOME]
    told = {
        name: text
        for text, name in re.findall(
            r"((?:^#:.*\n)+)^([A-Z_]+) = ", module.path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    own = constants(module)
    assert [name for name in own if not re.search(r"\d|decides", told.get(name, ""))] == []
    read = {
        inner.id
        for other in of("tensorkit")
        if other.name != HOME
        for inner in nodes(other.tree)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }
    assert set(own) - read == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("if a.size < 64: pass", ["64"]),
        ("if 1 << 16 <= x.numel(): pass", ["1 << 16"]),
        ("_FEW = 16\nif 0 < len(row) <= 4 * _FEW: pass", ["_FEW"]),
        ("from tensorkit.ops.linalg.cdist import _BLOCK\nif count > _BLOCK: pass", ["_BLOCK"]),
        ("from tensorkit.ops.linalg import cdist\nif math.prod(size) > cdist._BLOCK: pass", ["cdist._BLOCK"]),
        ("_FEW = 1 if FORCED else 99\nif rows.shape[1] >= _FEW: pass", ["_FEW"]),
        ("from tensorkit.kernels.sizes import SMALL\nif a.size < SMALL: pass", []),
        ("if a.size < 4 or a.size == 100 or a.itemsize > 8 or count < 2**31: pass", []),
        ("from tensorkit.strides.sizes import INT64_MAX\nif nbytes > INT64_MAX: pass", []),
    ],
)
def test_a_threshold_would_be_seen(source: str, found: list[str]) -> None:
    module = Module("tensorkit.invented", modules()[HOME].path, source)
    assert [name for _, name in comparisons(module)] == found
