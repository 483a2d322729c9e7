"""Watch each call of a piece of code without changing what it does: hooks are woven between its operands.

`x.t().view(-1) + 1` becomes, in effect, `end(3, ready(3, end(2, ready(2, end(1, ready(1, x).t())).view(…))) + …)`.
Every hook gives back the value that it was handed, and every call, operator and index is still made by the learner's
own frame: scopes, order, short circuits, frames and tracebacks stay what they were. Bodies of functions, lambdas,
classes and generator expressions are left alone, for they may run long after the watching has ended.

>>> woven = weave("total = x.t().view(-1).sum() if ok else None", "<example>")
>>> [site.op for site in woven.sites]
['if', 'sum', 'view', 't']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.tracing.source import Place, shortened

KEY = "⟨steps⟩"
"""The name of the hooks in the learner's namespace while the code runs: no identifier, so it can hide none."""

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor",
    ast.USub: "neg", ast.UAdd: "positive", ast.Invert: "bitwise_not", ast.Not: "not", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.In: "in", ast.NotIn: "in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code where something is called.

    Attributes:
        kind: ``"call"``, ``"method"``, ``"operator"``, ``"index"``, ``"attribute"``, ``"store"``, ``"augment"`` or
            ``"test"``.
        op: the name of what is called.
        labels: how each part is written; a list of its own for each element where the part is written as a list.
        order: the parts in the order in which they are shown: what is written to comes first.
    """

    number: int
    parent: int
    kind: str
    op: str
    place: Place
    labels: tuple[tuple[str, ...], ...]
    order: tuple[int, ...] = ()


@dataclass
class Woven:
    """Code with its hooks, and the places that they stand at."""

    tree: ast.Module
    sites: list[Site] = field(default_factory=list)

    def ancestors(self, number: int) -> Iterator[int]:
        """The sites around a site, itself first."""
        while number >= 0:
            yield number
            number = self.sites[number].parent


def weave(source: str, file: str) -> Woven:
    """The code with a hook at every operand.

    Raises:
        SyntaxError: when it is no Python.
    """
    tree = ast.parse(source, file)
    weaver = _Weaver(source, file)
    woven = Woven(weaver.visit(tree), weaver.sites)
    if woven.tree.body and isinstance(woven.tree.body[-1], ast.Expr):
        last = woven.tree.body[-1]
        last.value = _at(_hook("shown", last.value), last)
    ast.fix_missing_locations(woven.tree)
    return woven


def _hook(name: str, *args: ast.expr | int) -> ast.Call:
    given = [ast.Constant(arg) if isinstance(arg, int) else arg for arg in args]
    function = ast.Attribute(ast.Name(KEY, ast.Load()), name, ast.Load())
    return ast.Call(function, given, [])


def _at(node: Any, origin: ast.AST) -> Any:
    """A new node, and what is new in it, at the place of the old one."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.expr | ast.stmt) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, origin)
    return node


class _Weaver(ast.NodeTransformer):
    def __init__(self, source: str, file: str) -> None:
        self.source, self.file = source, file
        self.lines = source.splitlines()
        self.sites: list[Site] = []
        self.around: list[int] = [-1]
        self.text: ast.JoinedStr | None = None  # the formatted text that is being visited

    # -- sites and their parts -------------------------------------------------------------------------------------

    def _place(self, node: ast.AST) -> Place:
        where = self.text or node
        line = getattr(where, "lineno", 0)
        whole = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return Place(self.file, line, getattr(where, "col_offset", 0) + 1, self._written(node), whole)

    def _written(self, node: ast.AST) -> str:
        """A node as the learner wrote it; Python 3.11 does not know where the parts of a formatted text stand."""
        code = ast.unparse(node) if self.text else ast.get_source_segment(self.source, node) or ""
        return " ".join(code.split())

    def _label(self, node: ast.expr) -> tuple[str, ...]:
        inner = node.value if isinstance(node, ast.Starred) else node
        parts = inner.elts if isinstance(inner, ast.List | ast.Tuple) and inner.elts else [inner]
        return tuple(shortened(self._written(part)) for part in parts)

    def _site(
        self, node: ast.AST, kind: str, op: str, parts: Sequence[ast.expr], order: tuple[int, ...] = ()
    ) -> int:
        number = len(self.sites)
        labels = tuple(self._label(part) for part in parts)
        self.sites.append(Site(number, self.around[-1], kind, op, self._place(node), labels, order))
        return number

    def _parts(self, site: int, parts: Sequence[ast.expr]) -> list[Any]:
        """The parts, visited and hooked in the order in which Python computes them; the last opens the call."""
        self.around.append(site)
        woven = []
        for index, part in enumerate(parts):
            name = "ready" if index == len(parts) - 1 else "part"
            inner = part.value if isinstance(part, ast.Starred) else part
            hooked = _at(_hook(name, site, index, self.visit(inner)), inner)
            woven.append(
                _at(ast.Starred(hooked, ast.Load()), part) if isinstance(part, ast.Starred) else hooked
            )
        self.around.pop()
        return woven

    def _end(self, site: int, node: ast.expr) -> ast.Call:
        call: ast.Call = _at(_hook("end", site, node), node)
        return call

    # -- expressions -----------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> Any:
        method = isinstance(node.func, ast.Attribute)
        first = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "call")
        parts = [first, *node.args, *(keyword.value for keyword in node.keywords)]
        site = self._site(node, "method" if method else "call", name, parts)
        woven = self._parts(site, parts)
        if isinstance(node.func, ast.Attribute):
            node.func.value = woven[0]
        else:
            node.func = woven[0]
        node.args = woven[1 : 1 + len(node.args)]
        for keyword, value in zip(node.keywords, woven[1 + len(node.args) :], strict=True):
            keyword.value = value
        return self._end(site, node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        site = self._site(node, "attribute", node.attr, [node.value])
        (node.value,) = self._parts(site, [node.value])
        return self._end(site, node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        site = self._site(node, "index", "[]", [node.value, *_index_parts(node.slice)])
        self._index(site, node)
        return self._end(site, node)

    def _index(self, site: int, node: ast.Subscript, before: Sequence[ast.expr] = ()) -> list[Any]:
        """Hook the parts of ``value[index]``; slices stay as they are written, what they compute is visited."""
        inner = _index_parts(node.slice)
        woven = self._parts(site, [*before, node.value, *inner])
        node.value = woven[len(before)]
        replaced = dict(zip(map(id, inner), woven[len(before) + 1 :], strict=True))
        self.around.append(site)
        if isinstance(node.slice, ast.Tuple):
            elements = node.slice.elts
            node.slice.elts = [replaced.get(id(e)) or self.generic_visit(e) for e in elements]  # type: ignore[misc]
        else:
            node.slice = replaced.get(id(node.slice)) or self.generic_visit(node.slice)  # type: ignore[assignment]
        self.around.pop()
        return woven[: len(before)]

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        site = self._site(node, "operator", _OPERATORS[type(node.op)], [node.left, node.right])
        node.left, node.right = self._parts(site, [node.left, node.right])
        return self._end(site, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.operand, ast.Constant):
            return node
        site = self._site(node, "operator", _OPERATORS[type(node.op)], [node.operand])
        (node.operand,) = self._parts(site, [node.operand])
        return self._end(site, node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) != 1 or isinstance(node.ops[0], ast.Is | ast.IsNot):
            return self.generic_visit(node)
        parts = [node.left, node.comparators[0]]
        site = self._site(node, "operator", _OPERATORS[type(node.ops[0])], parts)
        node.left, node.comparators[0] = self._parts(site, parts)
        return self._end(site, node)

    def _test(self, node: ast.expr, op: str) -> Any:
        """What Python is going to ask for one yes or no."""
        site = self._site(node, "test", op, [node])
        self.around.append(site)
        inner = self.visit(node)
        self.around.pop()
        return _at(_hook("test", site, inner), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        op = "and" if isinstance(node.op, ast.And) else "or"
        last = self.visit(node.values[-1])
        node.values = [*(self._test(value, op) for value in node.values[:-1]), last]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self._test(node.test, "if")
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        node.iter = self.visit(node.iter)
        node.ifs = [self._test(test, "if") for test in node.ifs]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        outer, self.text = self.text, self.text or node
        self.generic_visit(node)
        self.text = outer
        return node

    # -- what may run later, or is no expression -------------------------------------------------------------------

    def _left_alone(self, node: ast.AST) -> Any:
        return node

    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _left_alone
    visit_GeneratorExp = visit_arguments = _left_alone

    def visit_match_case(self, node: ast.match_case) -> Any:
        if node.guard is not None:
            node.guard = self._test(node.guard, "if")
        node.body = self._body(node.body)
        return node

    def _body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in body:
            woven = self.visit(statement)
            out.extend(woven if isinstance(woven, list) else [woven])
        return out

    # -- statements ------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> Any:
        node.test = self._test(node.test, "if")
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> Any:
        node.test = self._test(node.test, "while")
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test = self._test(node.test, "assert")
        if node.msg is not None:
            node.msg = self.visit(node.msg)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        if len(node.targets) != 1 or not isinstance(target, ast.Subscript | ast.Attribute):
            return self.generic_visit(node)
        # Python computes the value first, then what it is stored in.
        if isinstance(target, ast.Subscript):
            site = self._site(
                node, "store", "[]=", [node.value, target.value, *_index_parts(target.slice)], (1, 0)
            )
            (node.value,) = self._index(site, target, [node.value])
        else:
            site = self._site(node, "store", f"{target.attr}=", [node.value, target.value], (1, 0))
            node.value, target.value = self._parts(site, [node.value, target.value])
        return [node, self._done(site, node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target, op = node.target, _OPERATORS[type(node.op)] + "_"
        if isinstance(target, ast.Name):
            now = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            site = self._site(node, "augment", op, [now, node.value])
            first, node.value = self._parts(site, [now, node.value])
            again = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            return [_at(ast.Expr(first), target), node, self._done(site, node, again)]
        if isinstance(target, ast.Subscript):
            site = self._site(node, "augment", op, [target.value, *_index_parts(target.slice), node.value])
            self._augmented_item(site, node, target)
        else:
            site = self._site(node, "augment", op, [target.value, node.value])
            target.value, node.value = self._parts(site, [target.value, node.value])
        return [node, self._done(site, node)]

    def _augmented_item(self, site: int, node: ast.AugAssign, target: ast.Subscript) -> None:
        inner = _index_parts(target.slice)
        woven = self._parts(site, [target.value, *inner, node.value])
        target.value, node.value = woven[0], woven[-1]
        replaced = dict(zip(map(id, inner), woven[1:-1], strict=True))
        if isinstance(target.slice, ast.Tuple):
            target.slice.elts = [replaced.get(id(e), e) for e in target.slice.elts]
        else:
            target.slice = replaced.get(id(target.slice), target.slice)

    def _done(self, site: int, node: ast.stmt, *value: ast.expr) -> ast.Expr:
        statement: ast.Expr = _at(ast.Expr(_hook("done", site, *value)), node)
        return statement

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        if node.type is not None:
            node.type = self.visit(node.type)
        node.body = [_at(ast.Expr(_hook("caught")), node.body[0]), *self._body(node.body)]
        return node

    def visit_Try(self, node: Any) -> Any:
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        node.handlers = [self.visit(handler) for handler in node.handlers]
        if node.finalbody:
            first = node.finalbody[0]
            node.finalbody = [_at(ast.Expr(_hook("caught")), first), *self._body(node.finalbody)]
        return node

    visit_TryStar = visit_Try


def _index_parts(index: ast.expr) -> list[ast.expr]:
    """The parts of an index that are values of their own: no slices, no stars, no plain constants."""
    elements = index.elts if isinstance(index, ast.Tuple) else [index]
    return [e for e in elements if not isinstance(e, ast.Slice | ast.Starred | ast.Constant | ast.UnaryOp)]
