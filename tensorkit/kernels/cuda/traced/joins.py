"""Where a variable of a kernel may hold numbers of two kinds, and which kind Numba makes of them.

A compiled variable has one type wherever the program's ways meet: after ``if x < 0: x = 0.0`` a float32 `x` is a
float64, whether the branch was taken or not, and ``a[i] if i < n else 0.0`` is a float64 always. Python goes one way
only, so the other ones are looked at here: the syntax tree is followed with a sample for each number, of its kind and
with any value. What is not understood is left as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy

from tensorkit.kernels.cuda.traced.arithmetic import BINARY, UNARY, as_kind, joined_kind, kind_of

Joins = tuple[tuple[int, str, str, str], ...]
"""What has to become what: (number of the node in the tree, where about it, the variable, the kind)."""

_ROUNDS = 12
"""A loop's kinds settle in at most this many rounds, for a kind only ever grows."""


class Array(NamedTuple):
    """What is known of an array: the kind of its numbers, and how many dimensions it has."""

    kind: str
    ndim: int


def sample(kind: str) -> Any:
    """A number of a kind."""
    return as_kind(kind, 1)


Environment = dict[str, Any]


class _Loop(NamedTuple):
    number: int
    left: list[Environment]  # at each `break`
    again: list[Environment]  # at each `continue`


class _Inference:
    """Follows a function's tree.

    Args:
        known: what its global names stand for.
        call: the sample of what a call gives back, of the function and its arguments' samples; None if unknown.
        local: the names of its own variables.
    """

    def __init__(
        self, known: Mapping[str, Any], call: Callable[[Any, list[Any]], Any], local: frozenset[str]
    ) -> None:
        self._known, self._call, self._local = known, call, local
        self._loops: list[_Loop] = []
        self._found: dict[tuple[int, str], dict[str, str]] = {}
        self.returned: list[Any] = []

    def joins(self) -> Joins:
        """What was found."""
        return tuple(
            (*place, name, kind)
            for place, kinds in sorted(self._found.items())
            for name, kind in sorted(kinds.items())
        )

    # ---- statements: the environment behind them, None where it is unreachable

    def block(self, statements: list[ast.stmt], env: Environment | None) -> Environment | None:
        for statement in statements:
            if env is None:
                return None
            follow = getattr(self, f"_{type(statement).__name__.lower()}", None)
            env = follow(statement, env) if follow is not None else self._unknown(statement, env)
        return env

    def _unknown(self, node: ast.AST, env: Environment) -> Environment:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                env[inner.id] = None
        return env

    def _expr(self, node: ast.Expr, env: Environment) -> Environment:
        self.value(node.value, env)
        return env

    def _pass(self, node: ast.Pass, env: Environment) -> Environment:
        return env

    def _assign(self, node: ast.Assign, env: Environment) -> Environment:
        value = self.value(node.value, env)
        for target in node.targets:
            self._bind(target, value, env)
        return env

    def _annassign(self, node: ast.AnnAssign, env: Environment) -> Environment:
        if node.value is not None:
            self._bind(node.target, self.value(node.value, env), env)
        return env

    def _augassign(self, node: ast.AugAssign, env: Environment) -> Environment:
        value = self.value(node.value, env)
        if isinstance(node.target, ast.Name):
            env[node.target.id] = _worked(BINARY.get(type(node.op).__name__), env.get(node.target.id), value)
        return env

    def _bind(self, target: ast.expr, value: Any, env: Environment) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = (
                value
                if isinstance(value, tuple) and len(value) == len(target.elts)
                else [None] * len(target.elts)
            )
            for one, part in zip(target.elts, parts, strict=True):
                self._bind(one, part, env)

    def _if(self, node: ast.If, env: Environment) -> Environment | None:
        self.value(node.test, env)
        ways = [self.block(node.body, dict(env)), self.block(node.orelse, dict(env))]
        return self._join(node, "after", [way for way in ways if way is not None])

    def _return(self, node: ast.Return, env: Environment) -> None:
        self.returned.append(None if node.value is None else self.value(node.value, env))

    def _raise(self, node: ast.Raise, env: Environment) -> None:
        return None

    def _break(self, node: ast.Break, env: Environment) -> None:
        if self._loops:
            self._loops[-1].left.append(env)

    def _continue(self, node: ast.Continue, env: Environment) -> None:
        if self._loops:
            self._loops[-1].again.append(env)

    def _while(self, node: ast.While, env: Environment) -> Environment | None:
        return self._loop(node, env, lambda now: self.value(node.test, now))

    def _for(self, node: ast.For, env: Environment) -> Environment | None:
        given = self.value(node.iter, env)
        item = sample(given.kind) if isinstance(given, Array) and given.ndim == 1 else None
        if isinstance(given, range):
            item = 1
        return self._loop(node, env, lambda now: self._bind(node.target, item, now))

    def _loop(
        self, node: ast.While | ast.For, env: Environment, begin: Callable[[Environment], Any]
    ) -> Environment | None:
        head: Environment = dict(env)
        for _ in range(_ROUNDS):
            loop = _Loop(node.number, [], [])  # type: ignore[union-attr]
            self._loops.append(loop)
            inside = dict(head)
            begin(inside)
            last = self.block(node.body, inside)
            self._loops.pop()
            ends = [*loop.again, *([last] if last is not None else [])]
            grown = self._join(node, "again", [env, *ends], only=set(env)) or {}
            if {n: _shape(v) for n, v in grown.items()} == {n: _shape(v) for n, v in head.items()}:
                break
            head = grown
        behind = self.block(node.orelse, dict(head))
        return self._join(node, "after", [*loop.left, *([behind] if behind is not None else [])])

    def _join(
        self, node: Any, where: str, ways: list[Environment], only: set[str] | None = None
    ) -> Environment | None:
        """Where ways meet: what each variable is there."""
        if not ways:
            return None
        joined: Environment = {}
        kinds: dict[str, str] = {}
        for name in dict.fromkeys(name for way in ways for name in way):
            values = [way[name] for way in ways if name in way]
            joined[name] = _joined(values)
            kind = kind_of(joined[name])
            everywhere = len(values) == len(ways) and (only is None or name in only)
            if kind and everywhere and any(kind_of(value) != kind for value in values):
                kinds[name] = kind
        self._found[node.number, where] = kinds
        return joined

    # ---- expressions: a sample, None where it is unknown

    def value(self, node: ast.expr, env: Environment) -> Any:
        follow = getattr(self, f"_value_of_{type(node).__name__.lower()}", None)
        try:
            return follow(node, env) if follow is not None else self._unfollowed(node, env)
        except Exception:  # what the kernel will raise as well, where it comes there
            return None

    def _unfollowed(self, node: ast.expr, env: Environment) -> None:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr):
                self.value(inner, env)

    def _value_of_constant(self, node: ast.Constant, env: Environment) -> Any:
        return numpy.uint64(1) if type(node.value) is int and node.value >= 2**63 else node.value

    def _value_of_name(self, node: ast.Name, env: Environment) -> Any:
        return env.get(node.id) if node.id in self._local else self._known.get(node.id)

    def _value_of_tuple(self, node: ast.Tuple, env: Environment) -> Any:
        return tuple(self.value(one, env) for one in node.elts)

    def _value_of_binop(self, node: ast.BinOp, env: Environment) -> Any:
        return _worked(
            BINARY.get(type(node.op).__name__), self.value(node.left, env), self.value(node.right, env)
        )

    def _value_of_unaryop(self, node: ast.UnaryOp, env: Environment) -> Any:
        value = self.value(node.operand, env)
        return True if isinstance(node.op, ast.Not) else _worked(UNARY[type(node.op).__name__], value)

    def _value_of_compare(self, node: ast.Compare, env: Environment) -> Any:
        for one in (node.left, *node.comparators):
            self.value(one, env)
        return True

    def _value_of_namedexpr(self, node: ast.NamedExpr, env: Environment) -> Any:
        value = self.value(node.value, env)
        self._bind(node.target, value, env)
        return value

    def _value_of_ifexp(self, node: ast.IfExp, env: Environment) -> Any:
        self.value(node.test, env)
        return self._either(node, [self.value(node.body, env), self.value(node.orelse, env)])

    def _value_of_boolop(self, node: ast.BoolOp, env: Environment) -> Any:
        return self._either(node, [self.value(one, env) for one in node.values])

    def _either(self, node: Any, values: list[Any]) -> Any:
        joined = _joined(values)
        kind = kind_of(joined)
        differs = kind and any(kind_of(value) != kind for value in values)
        self._found[node.number, "value"] = {"": kind} if differs else {}
        return joined

    def _value_of_attribute(self, node: ast.Attribute, env: Environment) -> Any:
        value = self.value(node.value, env)
        if isinstance(value, Array):
            sizes = (1,) * value.ndim
            of_array = {"shape": sizes, "strides": sizes, "ndim": 1, "size": 1, "T": value, "dtype": value}
            return of_array.get(node.attr)
        return None if value is None else getattr(value, node.attr)

    def _value_of_subscript(self, node: ast.Subscript, env: Environment) -> Any:
        value, index = self.value(node.value, env), node.slice
        if isinstance(value, Array):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            for part in parts:
                self.value(part, env)
            whole = sum(not isinstance(part, ast.Slice) for part in parts)
            at = self.value(index, env)
            whole += len(at) - 1 if isinstance(at, tuple) and not isinstance(index, ast.Tuple) else 0
            return sample(value.kind) if whole == value.ndim else Array(value.kind, value.ndim - whole)
        if isinstance(value, tuple):
            at = self.value(index, env)
            return value[at] if isinstance(index, ast.Constant) else _joined(list(value))
        return None

    def _value_of_call(self, node: ast.Call, env: Environment) -> Any:
        given = [self.value(one, env) for one in node.args]
        named = {one.arg: self.value(one.value, env) for one in node.keywords}
        function = self.value(node.func, env)
        if function is None or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        return self._call(function, [*given, *named.values()])


def _shape(value: Any) -> Any:
    return kind_of(value) or (value if isinstance(value, Array) else None)


def _worked(work: Callable[..., Any] | None, *values: Any) -> Any:
    if work is None or not all(map(kind_of, values)):
        return None
    with numpy.errstate(all="ignore"):
        return sample(kind_of(work(*values)))


def _joined(values: list[Any]) -> Any:
    """What a variable is that is one of these."""
    kinds = [kind_of(value) for value in values]
    if all(kinds):
        return values[0] if len(set(kinds)) == 1 else sample(joined_kind(*kinds))
    first = values[0]
    if all(isinstance(value, tuple) and len(value) == len(first) for value in values):
        return tuple(_joined(list(parts)) for parts in zip(*values, strict=True))
    return (
        first
        if all(value is first or (isinstance(value, Array) and value == first) for value in values)
        else None
    )


def joins_of(
    tree: ast.FunctionDef, given: Environment, known: Mapping[str, Any], call: Callable[[Any, list[Any]], Any],
    local: frozenset[str],
) -> tuple[Joins, Any]:  # fmt: skip
    """What has to become what in a function, and a sample of what it gives back."""
    follower = _Inference(known, call, local)
    if follower.block(tree.body, dict(given)) is not None:
        follower.returned.append(None)
    joined = _joined(follower.returned or [None])  # what always raises gives nothing back
    kind = kind_of(joined)
    joins = follower.joins()
    if kind and any(kind_of(one) != kind for one in follower.returned):
        joins = (*joins, (0, "return", "", kind))
    return joins, joined
