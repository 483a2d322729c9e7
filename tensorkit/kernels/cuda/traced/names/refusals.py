"""What Numba does not compile for a GPU, found in a kernel's source before it runs: a sentence with the line.

Functions that a kernel calls are read as well. Nothing is refused of a function whose source is not known,
such as one made by `exec`.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import textwrap
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy

from tensorkit.kernels.cuda.traced.names.numba_names import Unplayed, is_numbas
from tensorkit.kernels.cuda.traced.whole_arrays import UFUNCS

SHARED_BYTES = 48 * 1024
"""How much shared memory a block may have."""

RETURNS_NOTHING = "a kernel returns nothing; write into an array"
_ARRAYS = "an array or a tuple can hold the numbers"
_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.ListComp: f"a list; {_ARRAYS}",
    ast.List: f"a list; {_ARRAYS}",
    ast.Dict: f"a dictionary; {_ARRAYS}",
    ast.DictComp: f"a dictionary; {_ARRAYS}",
    ast.Set: f"a set; {_ARRAYS}",
    ast.SetComp: f"a set; {_ARRAYS}",
    ast.GeneratorExp: "a generator; write a loop",
    ast.Yield: "a generator; write into an array",
    ast.YieldFrom: "a generator; write into an array",
    ast.AsyncFunctionDef: "an async function; a kernel is a plain one",
    ast.Await: "await; a kernel has nothing to wait for but cuda.syncthreads()",
    ast.ClassDef: "a class; define it outside, and hand over its numbers",
    ast.FormattedValue: "an f-string that formats a value; print(…) takes numbers and texts side by side",
    ast.Try: "try; test with `if` before you compute",
    ast.TryStar: "try; test with `if` before you compute",
    ast.With: "with; there is nothing to enter in a kernel",
    ast.AsyncWith: "with; there is nothing to enter in a kernel",
    ast.AsyncFor: "async for; write a plain loop",
    ast.Import: "import; do it outside the kernel",
    ast.ImportFrom: "import; do it outside the kernel",
    ast.Delete: "del; a variable goes by itself",
    ast.NamedExpr: "an assignment in an expression (:=); write it on a line of its own",
}

_BUILTINS = frozenset({
    "abs", "bool", "complex", "divmod", "enumerate", "float", "hasattr", "int", "isinstance", "iter", "len", "max",
    "min", "next", "ord", "pow", "print", "range", "round", "slice", "sum", "tuple", "type", "zip",
})  # fmt: skip
"""The functions of Python's that Numba compiles for a GPU."""

_NO_MATH = frozenset({
    "cbrt", "comb", "dist", "factorial", "fma", "fmax", "fmin", "fsum", "gcd", "isclose", "isnormal", "isqrt",
    "issubnormal", "lcm", "perm", "prod", "signbit", "sumprod", "ulp",
})  # fmt: skip
"""The functions of ``math`` that Numba does not compile."""

_FOLDED = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
"""The operators between integers that Python computes when it compiles."""

_UNKNOWN: Any = object()
_OURS = __name__.partition(".names.")[0]


def refuse(kernel: FunctionType, cuda: Any) -> int:
    """Read a kernel, and what it calls: the bytes of shared memory that it asks for by constant sizes.

    Args:
        kernel: the function.
        cuda: what stands for ``numba.cuda`` in it.

    Raises:
        TypeError: for what Numba does not compile.
        NameError: for a name that nothing is known of.
        AttributeError: for a name of Numba's that is not played.
    """
    seen: dict[CodeType, int] = {}
    _read(kernel, cuda, seen, kernel=True)
    return sum(seen.values())


def _read(function: FunctionType, cuda: Any, seen: dict[CodeType, int], kernel: bool) -> None:
    if function.__code__ in seen:
        return
    seen[function.__code__] = 0
    tree = _source(function.__code__)
    if tree is None:
        return
    reader = _Reader(function, tree, cuda, kernel)
    if isinstance(tree, ast.AsyncFunctionDef):
        reader.visit(tree)
    for part in tree.body if isinstance(tree.body, list) else [tree.body]:
        reader.visit(part)
    seen[function.__code__] = reader.shared
    for called in reader.called:
        _read(called, cuda, seen, kernel=False)


@lru_cache(maxsize=256)
def _source(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """The syntax tree of a function; None where its source is not known, or not that function's alone."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    ast.increment_lineno(tree, first - 1)
    if code.co_name == "<lambda>":
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        return lambdas[0] if len(lambdas) == 1 else None
    found = tree.body[0]
    right = isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)) and found.name == code.co_name
    return found if right else None  # type: ignore[return-value]


class _Reader(ast.NodeVisitor):
    """Goes through one function. `shared` are the bytes of shared memory, `called` the functions that it calls."""

    def __init__(self, function: FunctionType, tree: Any, cuda: Any, kernel: bool) -> None:
        self._function, self._cuda, self._kernel = function, cuda, kernel
        self._parameters = {one.arg for one in ast.walk(tree.args) if isinstance(one, ast.arg)}
        self._set: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(tree):
            self._note_names(node)
        self._depth, self._lists = 0, set[ast.AST]()
        self.shared, self.called = 0, list[FunctionType]()

    def _note_names(self, node: ast.AST) -> None:
        """What gets a value here, and which: only ``name = expression`` says it."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._set.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self._set.setdefault(node.name, []).append(None)
        elif isinstance(node, ast.arg):
            self._set.setdefault(node.arg, []).append(None)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name):
                    self._set.setdefault(name.id, []).append(None)
        elif isinstance(node, (ast.Name, ast.MatchAs, ast.MatchStar)) and _is_stored(node):
            self._set.setdefault(getattr(node, "id", None) or node.name or "", [])  # type: ignore[union-attr]

    # ---- refusing

    def _refuse(self, node: ast.AST, why: str, kind: type[Exception] = TypeError) -> NoReturn:
        line = getattr(node, "lineno", self._function.__code__.co_firstlineno)
        raise kind(
            f"line {line} of {self._function.__name__}, {ast.unparse(node).splitlines()[0]}: {why}"
        ) from None

    def visit(self, node: ast.AST) -> None:
        what = _CONSTRUCTS.get(type(node))
        stored = isinstance(node, ast.List) and isinstance(node.ctx, ast.Store)
        if what is not None and node not in self._lists and not stored:
            self._refuse(node, f"Numba compiles no {what.removeprefix('a ').removeprefix('an ')}")
        super().visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._lists.add(node.iter) if isinstance(node.iter, ast.List) else None
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for sign, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(sign, (ast.In, ast.NotIn)) and isinstance(right, ast.List):
                self._lists.add(right)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        if any(name in self._set for name in node.names):
            self._refuse(node, "Numba lets no kernel set a global variable; write into an array")

    def visit_Starred(self, node: ast.Starred) -> None:
        if isinstance(node.ctx, ast.Store):
            self._refuse(node, "Numba compiles no starred target; name each of them")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._depth += 1
        for part in node.body:
            self.visit(part)
        self._depth -= 1

    def visit_Return(self, node: ast.Return) -> None:
        given = node.value
        nothing = given is None or (isinstance(given, ast.Constant) and given.value is None)
        if self._kernel and not self._depth and not nothing and not isinstance(given, ast.Call):
            self._refuse(node, RETURNS_NOTHING)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if (
            isinstance(node.op, ast.Mod)
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
        ):
            self._refuse(node, "Numba formats no text; print(…) takes numbers and texts side by side")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store) and isinstance(self._value(node.value), numpy.ndarray):
            self._refuse(
                node, "Numba takes a global array as a constant: hand it over as an argument to write there"
            )
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = self._value(node.func)
        if isinstance(node.func, ast.Subscript) and hasattr(self._value(node.func.value), "py_func"):
            self._refuse(node, "a kernel cannot launch another one: launch both from the program")
        if called is print and node.keywords:
            self._refuse(node, "print(…) takes no keywords in a kernel")
        if called in (self._cuda.shared.array, self._cuda.local.array):
            self._array(node, called == self._cuda.shared.array)
        elif called in (self._cuda.grid, self._cuda.gridsize) and node.args:
            dimensions = self._constant(node.args[0], node)
            if dimensions is not _UNKNOWN and dimensions not in (1, 2, 3):
                self._refuse(node, "a grid has 1, 2 or 3 dimensions")
        self.generic_visit(node)

    # ---- sizes that have to be constants

    def _array(self, node: ast.Call, shared: bool) -> None:
        given = dict(zip(("shape", "dtype"), node.args, strict=False)) | {
            k.arg or "": k.value for k in node.keywords
        }
        if "shape" not in given or "dtype" not in given:
            self._refuse(node, "an array in a kernel needs a shape and a dtype")
        shape, kind = self._constant(given["shape"], node), self._value(given["dtype"])
        if shape is _UNKNOWN or not shared:
            return
        sizes = shape if isinstance(shape, tuple) else (shape,)
        try:
            item = numpy.dtype(kind if isinstance(kind, type) else getattr(kind, "name", kind)).itemsize
        except TypeError:
            return
        if _UNKNOWN not in sizes:
            self.shared += item * int(numpy.prod(sizes, dtype=object))
        if self.shared > SHARED_BYTES:
            self._refuse(
                node, f"{self.shared:,} bytes of shared memory; a block has {SHARED_BYTES:,}", RuntimeError
            )

    def _constant(self, node: ast.expr, call: ast.Call, folded: bool = False) -> Any:
        """A size, or a tuple of them, known when the kernel is compiled; `_UNKNOWN` where only Numba can tell."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Tuple) and not folded:
            return tuple(self._constant(one, call) for one in node.elts)
        if isinstance(node, ast.BinOp) and type(node.op) in _FOLDED:
            left, right = (self._constant(one, call, folded=True) for one in (node.left, node.right))
            return _FOLDED[type(node.op)](left, right)
        if isinstance(node, ast.Subscript):
            owner, at = self._value(node.value), node.slice
            if isinstance(owner, tuple) and isinstance(at, ast.Constant):
                return owner[at.value]  # type: ignore[index]
        if isinstance(node, ast.Attribute) and not folded:
            value = self._value(node)
            if node.attr == "ndim" or (
                type(value) is int and isinstance(self._value(node.value), ModuleType)
            ):
                return value
        if isinstance(node, ast.Name) and not folded:
            return self._constant_name(node, call)
        return self._not_constant(call)

    def _constant_name(self, node: ast.Name, call: ast.Call) -> Any:
        name = node.id
        if name in self._set:
            before = self._set[name]
            if name in self._parameters and not self._kernel and len(before) == 1:
                return _UNKNOWN  # a device function may be called with a constant
            if len(before) == 1 and before[0] is not None:
                return self._constant(before[0], call)
            return self._not_constant(call)
        value = self._value(node)
        if (
            value is _UNKNOWN
            or type(value) is int
            or (isinstance(value, tuple) and all(type(n) is int for n in value))
        ):
            return value
        return self._not_constant(call)

    def _not_constant(self, call: ast.Call) -> NoReturn:
        self._refuse(
            call,
            "Numba needs a constant here, a number or a global variable that holds one: work it out outside of the "
            "kernel (in shared memory, 0 stands for what the launch says)",
        )

    # ---- names

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._allow(node, self._value(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        value = self._value(node)
        if value is _UNKNOWN:
            self.generic_visit(node)
        else:
            self._allow(node, value)

    def _value(self, node: ast.expr) -> Any:
        """What a name of the kernel's surroundings stands for, or an attribute of a module; else `_UNKNOWN`."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return _UNKNOWN if node.id in self._set else self._cuda.exchange(self._found(node))
        if not isinstance(node, ast.Attribute):
            return _UNKNOWN
        owner = self._value(node.value)
        if isinstance(owner, ModuleType) or type(owner).__module__.startswith(_OURS):
            try:
                return self._cuda.exchange(getattr(owner, node.attr))
            except AttributeError as error:
                self._refuse(node, str(error), AttributeError)
        return _UNKNOWN

    def _found(self, node: ast.Name) -> Any:
        function, name = self._function, node.id
        if name in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return _UNKNOWN
        if name in function.__globals__:
            return function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        self._refuse(node, f"name {name!r} is not defined", NameError)

    def _allow(self, node: ast.expr, value: Any) -> None:
        """Whether Numba takes what is found outside of the kernel."""
        if isinstance(value, Unplayed):
            self._refuse(node, str(value), AttributeError)
        function = getattr(value, "py_func", None)
        if isinstance(function, FunctionType):
            self.called += [] if is_numbas(function) else [function]
        elif isinstance(value, FunctionType) and not _is_ours(value):
            self._refuse(node, "Numba calls no plain function: decorate it with @cuda.jit(device=True)")
        elif (why := _why_not(value)) is not None:
            self._refuse(node, why)


def _is_stored(node: Any) -> bool:
    return not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store)


def _is_ours(function: FunctionType) -> bool:
    return (function.__module__ or "").startswith(_OURS)


def _why_not(value: Any) -> str | None:
    """Why Numba does not take a value that a kernel finds by a name; None if it does."""
    if isinstance(value, (list, dict, set)):
        return f"Numba takes no {type(value).__name__} from outside: hand over an array or a tuple"
    if isinstance(value, numpy.ufunc):
        known = value.__name__ in UFUNCS
        return (
            None
            if known
            else f"Numba compiles no numpy.{value.__name__} for a GPU; see math, or write it out"
        )
    if (
        callable(value)
        and not isinstance(value, type)
        and (getattr(value, "__module__", "") or "").startswith("numpy")
    ):
        return "the emulated device does not know this function of NumPy: write a loop, or see math"
    if hasattr(type(value), "__cuda_array_interface__"):
        return f"Numba takes no {type(value).__name__} from outside: hand it over as an argument"
    if isinstance(value, BuiltinFunctionType) or (isinstance(value, type) and value.__module__ == "builtins"):
        return _why_no_builtin(value)
    if isinstance(value, type) and not issubclass(value, (numpy.generic, tuple)):
        home = value.__module__.partition(".")[0]
        return None if home in ("numba", "tensorkit") else f"Numba takes no class: {value.__name__} is one"
    return None


def _why_no_builtin(value: Any) -> str | None:
    name, home = value.__name__, value.__module__ or ""
    if home == "builtins":
        fine = name in _BUILTINS or (isinstance(value, type) and issubclass(value, BaseException))
    else:
        fine = home in ("_operator", "cmath") or (home == "math" and name not in _NO_MATH)
    where = "" if home in ("", "builtins") else f"{home.lstrip('_')}."
    return None if fine else f"Numba compiles no {where}{name}() for a GPU"
