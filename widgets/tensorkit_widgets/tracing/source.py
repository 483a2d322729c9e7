"""The learner's own line: where it is, how it is written, and what the learner calls the tensors in it.

A step of a trace is told in the learner's words. The call stack leads from the engine out to the first frame that is
neither the engine, these widgets, nor an installed library; Python's position table says which piece of that frame's
line is running, to the column.

>>> size = (2, 3)
>>> place, names = learner_place([size, "no name"])
>>> place.code, names
('learner_place([size, "no name"])', ['size', ''])
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

LONGEST = 60
"""Characters of code that stand for an operand; more would fill a picture."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of the learner's code: its file, line and column (counted from 1), the piece, the whole line."""

    file: str
    line: int
    column: int
    code: str
    source: str


NOWHERE = Place("", 0, 0, "", "")


def _library_roots() -> tuple[str, ...]:
    """The folders of the libraries; code that was imported through a link names the link, not what it leads to."""
    engine = sys.modules.get("tensorkit")
    widgets = str(Path(__file__).parent)  # beside it lies the package's own `__init__`
    files = [Path(file) for file in (widgets, engine and engine.__file__) if file]
    roots = {str(path.parent) for file in files for path in (file, file.resolve())}
    paths = sysconfig.get_paths()
    roots |= {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(root + os.sep for root in roots)


_ROOTS = _library_roots()


@lru_cache(maxsize=4096)
def is_library_file(file: str) -> bool:
    """Whether a file belongs to the engine, to these widgets, to Python or to an installed package.

    >>> is_library_file(ast.__file__), is_library_file("<stdin>")
    (True, False)
    """
    return file.startswith((*_ROOTS, "<frozen ", "<__array_function__"))


def learner_frame(start: FrameType | None = None) -> FrameType | None:
    """The innermost frame that the learner wrote, or None."""
    frame = start or sys._getframe(1)
    found: FrameType | None = frame
    while found is not None and is_library_file(found.f_code.co_filename):
        found = found.f_back
    return found


def learner_place(values: Sequence[Any] = ()) -> tuple[Place, list[str]]:
    """Where the learner's code stands now, and what it calls each of some values; empty where it has no name."""
    frame = learner_frame(sys._getframe(1))
    if frame is None:
        return NOWHERE, [""] * len(values)
    place = place_in(frame.f_code, frame.f_lasti)
    held = frame.f_locals
    names = [name_in((held, frame.f_globals), value, place.code) for value in values]
    if held is not frame.f_globals and type(held) is dict and sys.getrefcount(held) <= _OURS_ALONE:
        # Before Python 3.13 a frame keeps this copy of its variables, and with it every tensor in them.
        held.clear()
    return place, names


_OURS_ALONE = 3
"""References to such a copy that nobody else looks at: the frame's, the variable's, the count's own."""


def innermost_place(error: BaseException) -> Place:
    """The innermost piece of the learner's code that was running when an error was raised."""
    found, trace = NOWHERE, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_library_file(code.co_filename):
            found = place_in(code, trace.tb_lasti)
        trace = trace.tb_next
    return found


def place_in(code: CodeType, instruction: int) -> Place:
    """The piece of source that an instruction of a code object was made from."""
    positions = next(islice(code.co_positions(), max(instruction, 0) // 2, None), (None,) * 4)
    line, last, column, end = positions
    if line is None:
        return Place(code.co_filename, 0, 0, "", "")
    source = linecache.getline(code.co_filename, line)
    if last is None or column is None or end is None or not source:
        return Place(code.co_filename, line, 1, source.strip(), source.strip())
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(line, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][column:]
    piece = b"".join(lines).decode(errors="replace")
    return Place(code.co_filename, line, column + 1, " ".join(piece.split()), source.strip())


def name_in(scopes: Sequence[Mapping[str, Any]], value: Any, hint: str = "") -> str:
    """What a value is called in the first scope that knows it; names that `hint` mentions come first."""
    for scope in scopes:
        names = [name for name, held in list(scope.items()) if held is value and not name.startswith("_")]
        if names:
            return next((name for name in names if name in hint), names[0])
    return ""


def shortened(text: str, most: int = LONGEST) -> str:
    """A piece of code on one line, cut where it is too long.

    >>> shortened("tk.tensor([[1, 2],\\n           [3, 4]])"), shortened("a + b + c", 5)
    ('tk.tensor([[1, 2], [3, 4]])', 'a + …')
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


@lru_cache(maxsize=1024)
def _tree(code: str) -> ast.expr | ast.stmt | None:
    try:
        body = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if len(body) != 1:
        return None
    return body[0].value if isinstance(body[0], ast.Expr) else body[0]


def last_link(code: str) -> str:
    """Only the last call of a chain, with dots for what was said before.

    >>> last_link("x.t().view(-1)"), last_link("x.t()[1:]"), last_link("x.t().view(-1) + 1"), last_link("tk.ones(2)")
    ('….view(-1)', '…[1:]', '… + 1', 'tk.ones(2)')
    """
    node = _tree(code)
    if not isinstance(node, ast.expr):
        return shortened(code)
    pieces = [(part.col_offset, part.end_col_offset or 0) for part in _operands(node) if _is_long(part)]
    raw = code.strip().encode()
    for start, end in sorted(pieces, reverse=True):
        if node.lineno == 1 == node.end_lineno:
            raw = raw[:start] + "…".encode() + raw[end:]
    return shortened(raw.decode())


def _is_long(node: ast.expr) -> bool:
    return isinstance(node, ast.Call | ast.Subscript | ast.BinOp)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of an expression that are computed before it: receiver, operands, arguments."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from (arg.value if isinstance(arg, ast.Starred) else arg for arg in node.args)
        yield from (keyword.value for keyword in node.keywords)
    elif isinstance(node, ast.Subscript | ast.Attribute):
        yield node.value
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)


@lru_cache(maxsize=1024)
def operand_texts(code: str) -> tuple[str, ...]:
    """The operands of one expression as they are written, sequences taken apart, plain numbers left out.

    >>> operand_texts("x.t() + y"), operand_texts("tk.cat([a, b[0]], 1)"), operand_texts("t[0] = s.neg()")
    (('x.t()', 'y'), ('tk', 'a', 'b[0]'), ('t', 's.neg()'))
    """
    node = _tree(code)
    parts: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.AugAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        parts = [target.value if isinstance(target, ast.Subscript | ast.Attribute) else target, node.value]
    elif isinstance(node, ast.expr):
        parts = list(_operands(node))
    flat = [
        item for part in parts for item in (part.elts if isinstance(part, ast.List | ast.Tuple) else [part])
    ]
    return tuple(shortened(ast.unparse(part)) for part in flat if not isinstance(part, ast.Constant))
