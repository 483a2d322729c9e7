"""No file is read or written in the encoding of somebody's computer: each call that could says which one it means."""

from __future__ import annotations

import ast

import pytest

from tests.structure.source import modules, nodes

# What opens a file, and the mode that it has if none is given.
_OPEN = {"open": "r", "fdopen": "r", "NamedTemporaryFile": "w+b", "TemporaryFile": "w+b"}
# What reads or writes text, and how many arguments it has before its encoding.
_TEXT = {"read_text": 0, "write_text": 1, "TextIOWrapper": 1}
_PROCESS = {"run", "Popen", "check_output"}


def unsaid(tree: ast.AST) -> list[int]:
    """The lines of calls that read or write text and do not say in which encoding."""
    calls = (node for node in nodes(tree) if isinstance(node, ast.Call))
    return [
        node.lineno
        for node in calls
        if _is_text(node) and not any(k.arg == "encoding" for k in node.keywords)
    ]


def _is_text(node: ast.Call) -> bool:
    owner, name = "", getattr(node.func, "id", "")
    if isinstance(node.func, ast.Attribute):
        owner, name = ast.unparse(node.func.value), node.func.attr
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if name in _TEXT:
        return len(node.args) <= _TEXT[name]
    if name in _PROCESS:
        return "text" in given or "universal_newlines" in given
    if name not in _OPEN or owner in (
        "self",
        "super()",
        "self.comm",
        "Image",
        "tarfile",
    ):  # a picture opens too, and so does a comm, and an archive holds bytes
        return False
    modes = [part for part in (*node.args, given.get("mode")) if isinstance(part, ast.Constant)]
    mode = next((str(part.value) for part in modes if str(part.value).strip("rwxabt+") == ""), _OPEN[name])
    return "b" not in mode


def test_every_file_of_text_has_an_encoding() -> None:
    found = [f"{module.path}:{line}" for module in modules().values() for line in unsaid(module.tree)]
    assert found == []


@pytest.mark.parametrize(
    "call",
    [
        "open(path)",
        "path.open('w')",
        "os.fdopen(handle, mode='w')",
        "path.read_text()",
        "Path('a').write_text(words)",
        "NamedTemporaryFile('w')",
        "subprocess.run(words, text=True)",
    ],
)
def test_a_call_in_the_computers_encoding_is_seen(call: str) -> None:
    assert unsaid(ast.parse(call)) == [1]
    said = call.removesuffix(")") + ("" if call.endswith("()") else ", ") + "encoding='utf-8')"
    assert unsaid(ast.parse(said)) == []


@pytest.mark.parametrize(
    "call", ["open(path, 'rb')", "path.open('xb')", "TemporaryFile(dir=place)", "self.open()", "run(words)"]
)
def test_bytes_have_no_encoding(call: str) -> None:
    assert unsaid(ast.parse(call)) == []
