"""A kernel's function, rewritten so that its operators are those of `arithmetic`: ``a + b`` becomes a call.

The lines stay what they are, so that a trace names them. What is rewritten is the source, and only where it is the
source of just this code; of a function without one, as `exec` makes it, `proxies` sees to the operators.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import textwrap
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.arithmetic import BINARY, COMPARE, FUNCTIONS, UNARY, as_kind
from tensorkit.kernels.cuda.traced.joins import Joins

LARGEST_INT64 = 2**63 - 1


def rewritten(function: FunctionType, joins: Joins = ()) -> FunctionType | None:
    """A copy of a function with the arithmetic of a kernel; None where its source is not known.

    Args:
        joins: where its variables become numbers of another kind, as `joins_of` has found it.
    """
    code = _rewritten(function.__code__, joins)
    if code is None:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure: tuple[CellType, ...] = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


@lru_cache(maxsize=512)
def tree_of(code: CodeType) -> ast.FunctionDef | None:
    """The syntax tree of a function, each node with its `number`; None unless it is the tree of just this code."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    kernel = tree.body[0]
    if not isinstance(kernel, ast.FunctionDef):
        return None
    ast.increment_lineno(tree, first - 1)
    _strip(kernel)
    for number, node in enumerate(ast.walk(kernel)):
        node.number = number  # type: ignore[attr-defined]
    return kernel if _same(_compiled(kernel, code), code) else None


@lru_cache(maxsize=512)
def _rewritten(code: CodeType, joins: Joins) -> CodeType | None:
    tree = tree_of(code)
    return None if tree is None else _compiled(_Arithmetic(joins).visit(deepcopy(tree)), code)


def _strip(kernel: ast.FunctionDef) -> None:
    """Leave what makes a function's code: its parameters and its body."""
    kernel.decorator_list, kernel.returns = [], None
    given = kernel.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if one is not None:
            one.annotation = None
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [one and ast.Constant(None) for one in given.kw_defaults]


def _compiled(kernel: ast.FunctionDef, like: CodeType) -> CodeType:
    """The code of a function that closes over the names that `like` closes over."""
    own = "" if kernel.name in like.co_freevars else f"global {kernel.name}"
    around = ast.parse(f"def around({', '.join(like.co_freevars)}):\n {own}\n pass")
    outer = around.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body[-1] = kernel
    compiled = compile(ast.fix_missing_locations(around), like.co_filename, "exec", dont_inherit=True)
    return _inner(_inner(compiled))


def _inner(code: CodeType) -> CodeType:
    return next(const for const in code.co_consts if isinstance(const, CodeType))


def _same(code: CodeType, other: CodeType) -> bool:
    """Whether two pieces of code are the same except for their lines: a file may have changed since it was imported."""
    return list(_said(code)) == list(_said(other))


def _said(code: CodeType) -> Iterator[tuple[str, str]]:
    """A code's instructions, whether Python knew that a name is a module's or not: it calls those in another way."""
    for step in dis.get_instructions(code):
        if isinstance(step.argval, CodeType):
            yield from _said(step.argval)
        elif step.opname != "PUSH_NULL":
            jumps = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs
            yield step.opname.replace("LOAD_METHOD", "LOAD_ATTR"), "" if jumps else repr(step.argval)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _name(of: ast.AST) -> str:
    return f"{type(of).__name__} "


def _number(node: ast.AST) -> int:
    number: int = getattr(node, "number", -1)
    return number


def _is_constant(node: ast.expr) -> bool:
    """Whether Python computes an expression when it compiles it: what it finds then is what Numba sees."""
    if isinstance(node, ast.BinOp):
        by_zero = isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) and not getattr(
            node.right, "value", 1
        )
        return _is_constant(node.left) and _is_constant(node.right) and not by_zero
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert)) and _is_constant(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def _constant(value: Any) -> Any:
    """A literal number in a kernel: one that an int64 cannot hold is a uint64."""
    return numpy.uint64(value) if type(value) is int and value > LARGEST_INT64 else value


class _Arithmetic(ast.NodeTransformer):
    """Replaces operators by calls. Every new node keeps the old one's line."""

    def __init__(self, joins: Joins) -> None:
        self._kept = 0
        self._joins: dict[tuple[int, str], list[tuple[str, str]]] = {}
        for number, where, name, kind in joins:
            self._joins.setdefault((number, where), []).append((name, kind))
        self._loops: list[ast.AST] = []

    def visit(self, node: ast.AST) -> Any:
        made = super().visit(node)
        for new in made if isinstance(made, list) else [made]:
            for inner in ast.walk(new) if new is not node and new is not None else ():
                if not hasattr(inner, "lineno"):
                    ast.copy_location(inner, node)
        return made

    # ---- where ways meet

    def _meet(self, node: ast.AST, where: str) -> list[ast.stmt]:
        """The statements that give variables the kind that they have where ways meet."""
        return [
            ast.Assign(
                [ast.Name(name, ast.Store())],
                _call("joined ", ast.Constant(kind), ast.Name(name, ast.Load())),
            )
            for name, kind in self._joins.get((_number(node), where), ())
        ]

    def _either(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        kinds = self._joins.get((_number(node), "value"))
        return _call("joined ", ast.Constant(kinds[0][1]), node) if kinds else node

    visit_IfExp = visit_BoolOp = _either

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *self._meet(node, "after")]

    def _loop(self, node: ast.For | ast.While) -> list[ast.stmt]:
        self._loops.append(node)
        self.generic_visit(node)
        self._loops.pop()
        node.body += self._meet(node, "again")
        return [*self._meet(node, "again"), node, *self._meet(node, "after")]

    visit_For = visit_While = _loop

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return [*self._meet(self._loops[-1], "again"), node]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        self.generic_visit(node)
        kinds = self._joins.get((0, "return"))
        if kinds and node.value is not None:
            node.value = _call("joined ", ast.Constant(kinds[0][1]), node.value)
        return node

    # ---- operators

    def _keep(self, value: ast.expr) -> tuple[ast.expr, ast.expr]:
        """An expression that is used twice: where it is computed, and where it is used again."""
        if isinstance(value, (ast.Constant, ast.Name)):
            return value, value
        self._kept += 1
        name = f"kept {self._kept}"
        return ast.NamedExpr(ast.Name(name, ast.Store()), value), ast.Name(name, ast.Load())

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return (
            _call("constant ", ast.Constant(node.value))
            if type(node.value) is int and node.value > LARGEST_INT64
            else node
        )

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if _is_constant(node):
            return _call("constant ", node)
        self.generic_visit(node)
        return _call(_name(node.op), node.left, node.right) if _name(node.op) in NAMES else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if _is_constant(node):
            return node
        self.generic_visit(node)
        return _call(_name(node.op), node.operand) if _name(node.op) in NAMES else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if not all(_name(op) in NAMES for op in node.ops):
            return node
        parts: list[ast.expr] = []
        left = node.left
        for place, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            first, again = (right, right) if place == len(node.ops) - 1 else self._keep(right)
            parts.append(_call(_name(op), left, first))
            left = again
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        target = node.target
        if _name(node.op) not in NAMES or isinstance(target, ast.Attribute):
            return node
        if any(isinstance(inner, ast.Slice) for inner in ast.walk(target)):
            return node
        if isinstance(target, ast.Name):
            old: ast.expr = ast.Name(target.id, ast.Load())
            new: ast.expr = target
        else:
            array, same_array = self._keep(target.value)
            index, same_index = self._keep(target.slice)
            old = ast.Subscript(array, index, ast.Load())
            new = ast.Subscript(same_array, same_index, ast.Store())
        return ast.Assign([new], _call(_name(node.op), old, node.value))


NAMES: dict[str, Any] = {
    **vars(builtins),
    **FUNCTIONS,
    **{f"{name} ": work for table in (BINARY, COMPARE, UNARY) for name, work in table.items()},
    "constant ": _constant,
    "joined ": as_kind,
}
"""What a kernel finds where its globals say nothing; the names of operators end with a blank."""
