"""Right calls made wrong, one argument at a time: what both libraries say of them is compared by `test_wrong_calls`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

#: By the kind of an argument, what is written in its place: values of other types, too large or out of range.
_INSTEAD = {
    "tensor": ("'abc'", "None", "[1, 2]", "tk.ones(5, 7)", "tk.ones(2, 1, 3, 3)", "3", "2.5", "tk.zeros(0)"),
    "int": ("'abc'", "1.5", "tk.ones(2, 3)", "tk.tensor(1.5)", "7", "-7", "None", "[1, 'a']", "True"),
    "float": ("'abc'", "tk.ones(2, 3)", "None", "[1]"),
    "bool": ("'abc'", "2.5", "tk.ones(2)", "None"),
    "str": ("3", "'abc'", "None"),
    "sequence": ("'abc'", "3", "None", "['a']", "[1.5]", "[7]", "[0, 0]", "()", "[None]"),
    "dtype": ("'abc'", "3", "float"),
    "other": ("'abc'", "3", "object"),
}


def spoilt(call: str) -> Iterator[str]:
    """The wrong calls made of a right one; none of a call that is written in another way than ``f(x, y=z)``."""
    node = ast.parse(call, mode="eval").body
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return
    name = ast.unparse(node.func)
    args = [ast.unparse(argument) for argument in node.args]
    named = [(k.arg, ast.unparse(k.value)) for k in node.keywords if k.arg]

    def made(args: list[str], named: list[tuple[str, str]]) -> str:
        return f"{name}({', '.join([*args, *(f'{key}={value}' for key, value in named)])})"

    if not name.endswith("__"):  # how many an operator's method is given is the language's
        yield f"{name}()"
        yield made([*args, "3"], named)
        yield made([*args, *["3"] * 6], named)
        yield made(args, [*named, ("foo", "1")])
        yield made(args[:-1], named)
    for place, argument in enumerate(node.args):
        for wrong in _INSTEAD[_kind(argument)]:
            yield made([*args[:place], wrong, *args[place + 1 :]], named)
    for place, keyword in enumerate(k for k in node.keywords if k.arg):
        for wrong in _INSTEAD[_kind(keyword.value)]:
            yield made(args, [*named[:place], (str(keyword.arg), wrong), *named[place + 1 :]])


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return "tensor"
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        name = type(node.value).__name__
        return name if name in ("int", "float", "bool", "str") else "other"
    if isinstance(node, (ast.Tuple, ast.List)):
        return "sequence"
    text = ast.unparse(node)
    if text.startswith(("tk.tensor(", "tk.ones(")):
        return "tensor"
    return "dtype" if text.startswith("tk.") and "(" not in text else "other"
