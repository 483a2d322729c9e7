"""What follows from the registry and is written down all the same, so that editors and readers find it.

Methods and operators are attached to `Tensor` from `ops/`, so an editor that reads `tensor.py` alone would not know
them: `tensorkit/tensor.pyi` says what the finished class has. And `tensorkit/__init__.py` imports every operation by
its name, between two marks. An operation is thus written in one place, its block, and these two follow:

    python -m tensorkit.lab.stubs            write both again
    python -m tensorkit.lab.stubs --check    exit 1 when one is not fresh
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorkit.dispatch.registry import offered, registry, unlisted
from tensorkit.lab.ending import command
from tensorkit.process.whole_file import beside
from tensorkit.tensor import Tensor

# `tensorkit.tensor` is the function that makes a tensor; the module of that name is imported by its name.
_MODULE = importlib.import_module("tensorkit.tensor")
STUB = Path(str(_MODULE.__file__)).with_suffix(".pyi")

NAMESPACE = STUB.with_name("__init__.py")
_BEGIN = "# -- other spellings of operations, written by `make stubs` --\n"
_END = "# -- the end of what `make stubs` writes --\n"

_HEADER = '''"""`Tensor` with all that `ops/` attaches to it, for editors and type checkers.

Written by `make stubs`; a test keeps it fresh. To learn how it works, read `tensor.py` and `ops/` instead.
"""
'''

_BUILTINS = {
    "bool",
    "bytes",
    "complex",
    "dict",
    "float",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
    "type",
}

# What Python itself asks of these methods; the rest of the operators give tensors.
_RETURNS = {
    "__array__": "Any",
    "__array_wrap__": "Any",
    "__bool__": "bool",
    "__complex__": "complex",
    "__contains__": "bool",
    "__delitem__": "None",
    "__float__": "float",
    "__format__": "str",
    "__index__": "int",
    "__int__": "int",
    "__iter__": "Iterator[Tensor]",
    "__len__": "int",
    "__reduce_ex__": "tuple[Any, ...]",
    "__repr__": "str",
    "__setitem__": "None",
}
_FROM_OBJECT = {"__eq__", "__ne__"}
_UNSTUBBED = {
    "__dict__",
    "__doc__",
    "__module__",
    "__weakref__",
    "__slots__",
    "__firstlineno__",
    "__annotations__",
}


_OWN = {"Array", "Number"}  # what `tensor.py` itself calls by these names


@dataclass
class _Scope:
    """Names that the stub's annotations use, and the imports that bring them.

    A method called `int` would hide the type `int` from the annotations of the class, so whatever has the
    name of a member is imported under another name.
    """

    members: set[str]
    imports: set[str] = field(default_factory=set)
    origins: dict[str, str] = field(default_factory=dict)

    def annotation(self, text: str, module: ModuleType) -> str:
        """An annotation of `module` as the stub has to write it."""
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = self._name(node.id, module)
        return ast.unparse(tree)

    def _name(self, name: str, module: ModuleType) -> str:
        if name in ("Tensor", "None", "Any", "Iterator"):
            return name
        hidden = name in self.members
        if name in _BUILTINS:
            if hidden:
                self.imports.add("import builtins")
            return f"builtins.{name}" if hidden else name
        origin, original = _origin(name, module)
        # Two modules may give one name to different things; the second one goes by its module's name too.
        first = self.origins.setdefault(name, origin) if original else origin
        if original and (first != origin or (name in _OWN and origin != "tensorkit.tensor")):
            hidden, alias = True, f"{name}_{origin.rpartition('.')[2]}"
        else:
            alias = f"{name}_{'type' if original else 'module'}" if hidden else name
        rename = f" as {alias}" if hidden else ""
        if original is None:
            self.imports.add(
                f"import {origin}{rename}" if hidden or origin == name else f"import {origin} as {name}"
            )
        elif origin != "tensorkit.tensor":
            self.imports.add(f"from {origin} import {original}" + (rename or _renamed(original, name)))
        return name if origin == "tensorkit.tensor" else alias


def _renamed(original: str, name: str) -> str:
    return "" if original == name else f" as {name}"


def _origin(name: str, module: ModuleType) -> tuple[str, str | None]:
    """Where a module has a name from: (module, name there), or (module, None) for a module itself.

    A type that the block does not write (`dispatch.shown` does) may be none of its module's names.
    """
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return str(node.module), alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return alias.name, None
    return module.__name__ if hasattr(module, name) else _HOMES.get(name, module.__name__), name


_HOMES = {
    "Number": "tensorkit.tensor",
    "dtype": "tensorkit.dtypes",
    "layout": "tensorkit.memory_format",
    "memory_format": "tensorkit.memory_format",
}


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def tensor_stub() -> str:
    """The text of `tensor.pyi`, formatted by ruff.

    Raises:
        subprocess.CalledProcessError: when ruff refuses it.

    Examples:
        >>> "def transpose(self, dim0: " in tensor_stub()
        True
    """
    scope = _Scope({name for name in vars(Tensor) if not name.startswith("__")})
    body = "\n".join(_module_body(scope))
    imports = "\n".join(
        sorted({"from typing import Any", "from collections.abc import Iterator"} | scope.imports)
    )
    return _formatted(f"{_HEADER}\n{imports}\n\n{body}\n")


def _module_body(scope: _Scope) -> Iterator[str]:
    module = _MODULE
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and _is_alias(node):
            yield f"{ast.unparse(node.targets[0])} = {scope.annotation(ast.unparse(node.value), module)}"
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield _own(node, scope, module)
        elif isinstance(node, ast.ClassDef):
            yield f"class {node.name}{_bases(node, scope, module)}:"
            members = [
                *_class_body(node, scope, module),
                *(_attached(scope) if node.name == "Tensor" else []),
            ]
            yield "\n".join(_indented(members))


def _is_alias(node: ast.Assign) -> bool:
    """`Array = numpy.ndarray[Any, Any]`, not a lock or `__all__`."""
    name = node.targets[0]
    kind = isinstance(node.value, (ast.Subscript, ast.BinOp))
    return isinstance(name, ast.Name) and not name.id.startswith("_") and kind


def _bases(node: ast.ClassDef, scope: _Scope, module: ModuleType) -> str:
    return (
        f"({', '.join(scope.annotation(ast.unparse(base), module) for base in node.bases)})"
        if node.bases
        else ""
    )


def _class_body(node: ast.ClassDef, scope: _Scope, module: ModuleType) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield _own(part, scope, module)
        elif isinstance(part, ast.AnnAssign):
            annotation = scope.annotation(ast.unparse(part.annotation), module)
            yield f"{ast.unparse(part.target)}: {annotation}"
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Name):
            yield ast.unparse(part)


def _own(node: ast.FunctionDef, scope: _Scope, module: ModuleType) -> str:
    """A function or method that `tensor.py` itself writes, without its body."""
    made = ast.FunctionDef(**{name: getattr(node, name) for name in node._fields if hasattr(node, name)})
    made.body = [ast.Expr(ast.Constant(...))]
    if node.args.vararg is not None and node.args.vararg.arg == "more":  # which is there to be refused
        made.args = ast.arguments(**{**vars(node.args), "vararg": None})
    doc = _summary(ast.get_docstring(node))
    made.decorator_list = [
        d for d in node.decorator_list if ast.unparse(d) in _KEPT_DECORATORS or "setter" in ast.unparse(d)
    ]
    text = ast.unparse(_Renamer(scope, module).visit(ast.parse(ast.unparse(ast.fix_missing_locations(made)))))
    return text.replace("    ...", f'    """{doc}"""') if doc else text


_KEPT_DECORATORS = {"property", "staticmethod", "classmethod"}


class _Renamer(ast.NodeTransformer):
    """Puts every annotation of a function through the scope."""

    def __init__(self, scope: _Scope, module: ModuleType) -> None:
        self.scope, self.module = scope, module

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if node is None:
            return None
        return ast.parse(self.scope.annotation(ast.unparse(node), self.module), mode="eval").body

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = self._annotation(node.annotation)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node.args)
        node.returns = self._annotation(node.returns)
        return node


def _attached(scope: _Scope) -> Iterator[str]:
    """Everything that the finished class has beyond what `tensor.py` writes, by name."""
    [own] = [n for n in _tree(_MODULE).body if isinstance(n, ast.ClassDef) and n.name == "Tensor"]
    written = {part.name for part in own.body if isinstance(part, ast.FunctionDef)}
    for part in own.body:
        targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
        written |= {target.id for target in targets if isinstance(target, ast.Name)}
    for name, member in sorted(vars(Tensor).items()):
        if name in written or name in _UNSTUBBED or name in unlisted:
            continue
        if isinstance(member, property):
            yield from _property(name, member, scope)
        elif callable(member):
            yield _method(name, member, scope)


def _property(name: str, member: property, scope: _Scope) -> Iterator[str]:
    getter = inspect.unwrap(_function(member.fget))
    kind = _annotation(inspect.signature(getter).return_annotation, getter, scope)
    kind = "Tensor" if kind == "Any" else kind
    doc = _summary(inspect.getdoc(member) or inspect.getdoc(getter))
    body = f'"""{doc}"""' if doc else "..."
    yield f"@property\ndef {name}(self) -> {kind}:\n    {body}"
    if member.fset is not None:
        yield f"@{name}.setter\ndef {name}(self, value: Any) -> None: ..."


def _method(name: str, member: Any, scope: _Scope) -> str:
    target = _declared(name, _function(member))
    parameters = list(inspect.signature(target).parameters.values())
    if parameters and parameters[0].kind in (_POSITIONAL_ONLY, _POSITIONAL):
        parameters = parameters[1:]
    parameters = [parameter for parameter in parameters if parameter.name != "out"]
    inner = ", ".join(_parameters(parameters, target, scope))
    own = {"__new__": "cls"}.get(name, "self")
    head = f"def {name}({', '.join(filter(None, [own, inner]))}) -> {_result(name, target, scope)}:"
    ignored = "  # type: ignore[override]" if name in _FROM_OBJECT else ""
    doc = "" if name.startswith("__") else _summary(inspect.getdoc(member) or inspect.getdoc(target))
    body = f'"""{doc}"""' if doc else "..."
    return f"{head}{ignored}\n    {body}"


_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _result(name: str, target: Callable[..., Any], scope: _Scope) -> str:
    """The return type; an operator whose function does not say gives a tensor."""
    if name in _RETURNS:
        return scope.annotation(_RETURNS[name], _MODULE)
    found = _annotation(inspect.signature(target).return_annotation, target, scope)
    return "Tensor" if found == "Any" and name.startswith("__") else found


def _function(member: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(member, "__func__", member)
    return found


def _declared(name: str, member: Callable[..., Any]) -> Callable[..., Any]:
    """The function whose signature was meant: a fast method takes `*args`, its record says more."""
    kinds = [parameter.kind for parameter in inspect.signature(member).parameters.values()]
    if kinds[-2:] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        for record in registry.values():
            if name in record.methods and record.function is not None:
                return record.function
    return member


def _parameters(
    parameters: Sequence[inspect.Parameter], owner: Callable[..., Any], scope: _Scope
) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        annotation = _annotation(parameter.annotation, owner, scope)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            starred = True
            yield f"*{parameter.name}: {annotation}"
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield f"**{parameter.name}: {annotation}"
        else:
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
                starred = True
                yield "*"
            yield f"{parameter.name}: {annotation}" + _default(parameter.default)


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    return f" = {value!r}" if isinstance(value, (bool, int, float, str, tuple, type(None))) else " = ..."


def _annotation(value: Any, owner: Callable[..., Any], scope: _Scope) -> str:
    if value is inspect.Parameter.empty:
        return "Any"
    text = value if isinstance(value, str) else getattr(value, "__name__", "Any")
    inner: Any = inspect.unwrap(owner)
    named = inner.__globals__ if hasattr(inner, "__globals__") else {}
    return scope.annotation(text, importlib.import_module(named.get("__name__", owner.__module__)))


def _summary(doc: str | None) -> str:
    """The first line of a docstring, where an editor shows it."""
    return (doc or "").strip().partition("\n")[0].replace("\\", "\\\\").replace('"""', "'''").rstrip('"')


def _indented(parts: Sequence[str]) -> Iterator[str]:
    for part in parts or ["..."]:
        yield "\n".join(f"    {line}" for line in part.splitlines())


def _formatted(text: str, path: Path = STUB) -> str:
    rules = "I,F401,UP" if path == STUB else "I"
    for words in (["check", "--fix", "--quiet", "--select", rules], ["format", "--quiet"]):
        finished = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            cwd=path.parent,
        )
        text = finished.stdout
    return text


# -- the namespace ------------------------------------------------------------------------------------------------


def namespace_text() -> str:
    """The text of ``tensorkit/__init__.py``: as it is, with the operations that the registry has.

    Examples:
        >>> "transpose," in namespace_text()
        True
    """
    text = NAMESPACE.read_text(encoding="utf-8")
    front, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    kept = _WHOLE_IMPORT.sub("", front)
    imports, aliases = _operations()
    lines = [
        f"from {module} import {', '.join(map(_imported, names))}"
        for module, names in imports.items()
        if names
    ]
    docstring, mark, others = kept.partition("from __future__ import annotations\n")
    spelled = "".join(f"{alias} = {_alias(alias, *meant)}\n" for alias, meant in sorted(aliases.items()))
    public = _bound(others) | {name for names in imports.values() for name in names} | set(aliases)
    listed = "".join(f'    "{name}",\n' for name in sorted(public - unlisted))
    head = after.partition("__all__ = [")[0]
    imported = "\n".join(lines)
    return _formatted(
        f"{docstring}{mark}\n{imported}\n{others}{_BEGIN}{spelled}{_END}{head}__all__ = [\n{listed}]\n",
        NAMESPACE,
    )


# What an earlier run wrote; an import under another name (``as``) was written by hand.
_WHOLE_IMPORT = re.compile(
    r"^from tensorkit\.(?:ops\.[\w.]+|backends\.(?:anomaly_switch|matmul_precision)) import "
    r"(?:\([^)]*\)|(?:(?! as ).)*)\n|^import tensorkit\.ops\.[\w.]+\n",
    re.M,
)


def _bound(text: str) -> set[str]:
    """The public names that a piece of a module imports or assigns."""
    names: set[str] = set()
    body = ast.parse(text).body
    late = [node for block in body if isinstance(block, ast.If) for node in block.body]  # `if TYPE_CHECKING`
    for node in (*body, *late):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_") or name == "__version__"}


def _imported(name: str) -> str:
    """A name in an import; one that no list has says so, as type checkers read it."""
    return f"{name} as {name}" if name in unlisted else name


def _alias(name: str, function: str, known: str) -> str:
    """A function under a further name, which its errors use; `known` is its own name in errors."""
    return function if name == known else f'_respelled({function}, "{known}", "{name}")'


def _operations() -> tuple[dict[str, list[str]], dict[str, tuple[str, str]]]:
    """The functions that each module offers, and of each further spelling the function and its operation."""
    folders = pkgutil.walk_packages([str(NAMESPACE.parent / "ops")], "tensorkit.ops.")
    modules = [found.name for found in folders if not found.ispkg]
    modules += sorted({f.__module__ for f in offered.values() if "." in f.__module__} - set(modules))
    imports: dict[str, list[str]] = {name: [] for name in modules}
    aliases: dict[str, tuple[str, str]] = {}
    loaded = {name: importlib.import_module(name) for name in modules}
    for record in registry.values():
        plain = [name for name in record.functions if "." not in name]
        if record.function is None or not plain:
            continue
        home = _home(record.function, loaded)
        held = [name for name, value in vars(loaded[home]).items() if value is record.function]
        name = next((n for n in plain if n in held), held[0])
        imports[home].append(name)
        aliases |= {other: (name, record.name) for other in plain if other != name}
    for name, function in offered.items():
        imports[_home(function, loaded)].append(name)
    return {module: sorted(names) for module, names in imports.items()}, aliases


def _home(function: Callable[..., Any], loaded: dict[str, ModuleType]) -> str:
    """The module of ``ops`` that wrote an operation."""
    own = function.__module__
    if own in loaded and any(value is function for value in vars(loaded[own]).values()):
        return own
    return next(name for name, module in loaded.items() if any(v is function for v in vars(module).values()))


@command
def main(argv: Sequence[str] | None = None) -> int:
    """The command of this module; returns its exit code."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m tensorkit.lab.stubs", description=about)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is not fresh")
    asked = parser.parse_args(argv)
    # The first loads the files that nothing imports yet: what they register is in the second.
    texts = {NAMESPACE: namespace_text(), STUB: tensor_stub()}
    stale = [p for p, text in texts.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    if asked.check:
        for path in stale:
            print(f"{path.name} is not fresh: run `make stubs`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        with beside(path) as written:
            written.write_text(texts[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
