"""Generated programs that write: ``out=``, operators such as ``**=``, items and in-place methods, across dtypes.

A program is text, one statement a step, about tensors named ``m0``, ``m1`` and so on; the same lines run under
tensorkit and under PyTorch. What is called is drawn from the registry, so a new operation comes in by itself.
"""

from __future__ import annotations

import ast
import functools
import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.registry import Op, registry
from tests.parity.compare import LAYOUTS, Operand
from tests.parity.programs.views import Hand, index, picks

_USUAL = ("float32", "float64", "int64", "int32", "uint8", "bool", "complex64", "float16", "bfloat16", "int8")
DTYPES = tuple(kind.name for kind in dtypes.ALL)
_SIZES = ((2, 3), (3,), (), (2, 2), (4,), (3, 2), (1,), (2, 1, 3), (0, 3), (1, 3))
_LAYOUTS = ("plain", "plain", *LAYOUTS)
#: By the operator, the registered operation that computes it.
OPERATORS = {
    "+=": "add",
    "-=": "sub",
    "*=": "mul",
    "/=": "div",
    "//=": "floor_divide",
    "%=": "remainder",
    "**=": "pow",
    "<<=": "bitwise_left_shift",
    ">>=": "bitwise_right_shift",
    "&=": "bitwise_and",
    "|=": "bitwise_or",
    "^=": "bitwise_xor",
    "@=": "matmul",
}
#: What a view of a member may be; each is a suffix.
_VIEWS = (
    "[0]", "[..., 0]", ".t()", "[..., ::2]", "[1:]", ".unsqueeze(0)", ".expand(2, -1, -1)", ".transpose(0, -1)",
    ".view(-1)", ".detach()", ".conj()", ".real", ".imag", ".squeeze()", ".diagonal()", "[..., None]",
    ".as_strided((2, 2), (1, 1))", ".as_strided((2, 3), (1, 2))", "[()]", "[...]",
)  # fmt: skip
#: What gives a tensor without dimensions, in memory of its own or in the member's.
_SCALARS = (
    ".flatten()[0]", ".sum()", ".sum().flip(())", ".view(())", ".unbind()[0]", ".flatten().unbind()[-1]", ".max()",
    ".flatten()[0].conj()", ".flatten()[:1].view(())", ".reshape(-1)[-1:].squeeze()", ".flatten()[0].clone()",
)  # fmt: skip
KINDS = (
    "a tensor",
    "a view",
    "a scalar",
    "out=",
    "out= of several",
    "t[...] = x",
    "in-place method",
    *OPERATORS,
)


#: The size of what is refused: no tensor has it.
UNKNOWN = (-1,)


@dataclass(frozen=True)
class Step:
    """One line of a program.

    Attributes:
        kind: one of `KINDS`.
        line: the statement.
        defines: the member that it makes, if it does.
        writes: expressions of the tensors that it writes into.
        reads: expressions of what it reads.
        op: the registered operation that computes what is written, if one does.
        sizes: that the results have without ``out=``; `UNKNOWN` where the call is refused without.
    """

    kind: str
    line: str
    defines: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    op: str = ""
    sizes: tuple[tuple[int, ...], ...] = ()


# -- what the registry offers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A sample as it can be written with ``out=``, or as an in-place method.

    Attributes:
        text: the call, without its closing bracket.
        names: the operands, of which the first is written to by a method.
    """

    op: Op
    text: str
    sizes: Mapping[str, tuple[int, ...]] = field(hash=False)


def _taking_out() -> list[Call]:
    calls = []
    for op in _in_order():
        if op.function is not None and "out" in inspect.signature(op.function).parameters:
            texts = {(_as_function(op, sample.call), tuple(sample.sizes.items())) for sample in op.samples}
            calls += [Call(op, text, dict(sizes)) for text, sizes in sorted(texts) if text]
    return calls


def _as_function(op: Op, call: str) -> str:
    """``tk.name(a, ...`` of a sample that is a call of this very operation, as a function or as a method."""
    try:
        node = ast.parse(call, mode="eval").body
    except SyntaxError:
        return ""
    if not isinstance(node, ast.Call) or any(k.arg in ("out", None) for k in node.keywords):
        return ""
    name = ast.unparse(node.func)
    if name.startswith("tk.") and name[3:] in op.functions:
        return ast.unparse(node)[:-1]
    if (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in op.methods
        and node.func.attr in op.functions
    ):
        node.args.insert(0, node.func.value)
        node.func = ast.parse(f"tk.{node.func.attr}", mode="eval").body
        return ast.unparse(node)[:-1]
    return ""


def _in_place() -> list[Call]:
    calls = []
    for op in _in_order():
        texts = {(_as_method(op, sample.call), tuple(sample.sizes.items())) for sample in op.samples}
        calls += [Call(op, text, dict(sizes)) for text, sizes in sorted(texts) if text]
    return calls


def _as_method(op: Op, call: str) -> str:
    """``a.name_(...`` of a sample."""
    try:
        node = ast.parse(call, mode="eval").body
    except SyntaxError:
        return ""
    if not isinstance(node, ast.Call) or any(k.arg in ("out", None) for k in node.keywords):
        return ""
    name = ast.unparse(node.func)
    own = name.rpartition(".")[2]
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "a" and own.endswith("_"):
        return "" if own.endswith("__") else ast.unparse(node)[:-1]
    if f"{own}_" not in op.methods or not node.args:
        return ""
    if name != f"a.{own}":
        if not name.startswith("tk.") or ast.unparse(node.args[0]) != "a":
            return ""
        node.args.pop(0)
    node.func = ast.parse(f"a.{own}_", mode="eval").body
    return ast.unparse(node)[:-1]


def _in_order() -> list[Op]:
    return sorted((op for op in registry.values() if op.samples), key=lambda op: op.name)


@functools.cache
def _calls(kind: str) -> tuple[tuple[Call, ...], ...]:
    """The calls of a kind, those of one operation together, so that each is drawn as often as any other."""
    groups: dict[str, list[Call]] = {}
    for call in _taking_out() if kind == "out=" else _in_place():
        groups.setdefault(call.op.name, []).append(call)
    return tuple(tuple(group) for group in groups.values())


# -- drawing ------------------------------------------------------------------------------------------------------


def built(name: str, operand: Operand) -> Step:
    """The line that makes a tensor in memory of its own."""
    return Step(
        "a tensor",
        f"{name} = build(tk, Operand({operand.size}, {operand.dtype!r}, {operand.layout!r}, {operand.seed}))",
        name,
    )


@dataclass
class Draw:
    """The tensors that a step may speak of, and the steps that it takes."""

    hand: Hand
    torch: Any
    names: dict[str, Any]  # of PyTorch's side
    members: list[str]
    dtype: str  # that most tensors of the program have
    steps: list[Step] = field(default_factory=list)
    made: dict[str, tuple[int, ...]] = field(default_factory=dict)  # by these steps, which have not run

    def size(self, name: str) -> tuple[int, ...]:
        return self.made[name] if name in self.made else tuple(self.names[name].size())

    def every(self) -> list[str]:
        return [*self.made, *reversed(self.members)]

    def any(self) -> str:
        return str(self.hand.pick(self.every()))

    def kind(self) -> str:
        if self.hand.chance(65):
            return self.dtype
        return str(self.hand.pick(_USUAL if self.hand.chance(80) else DTYPES))

    def new(self, size: Sequence[int], dtype: str = "") -> str:
        """A tensor of its own, lying in memory in some way."""
        name = f"m{len(self.members) + len(self.made)}"
        seed, layout = self.hand.pick(range(50)), self.hand.pick(_LAYOUTS)
        self.steps.append(built(name, Operand(tuple(size), dtype or self.kind(), layout, seed)))
        self.made[name] = tuple(size)
        return name

    def operand(self, size: Sequence[int]) -> str:
        """A member of this size, or now and then of another; or a new one."""
        fitting = [name for name in self.every() if self.size(name) == tuple(size)]
        if fitting and self.hand.chance(60):
            return str(self.hand.pick(fitting))
        return self.new(size) if not self.members or not self.hand.chance(10) else self.any()


def first_steps(hand: Hand) -> tuple[str, list[Step]]:
    """The dtype of most tensors of a program, and the line that makes the first."""
    dtype = hand.pick(_USUAL if hand.chance(85) else DTYPES)
    operand = Operand(hand.pick(_SIZES), dtype, hand.pick(_LAYOUTS), hand.pick(range(50)))
    return dtype, [built("m0", operand)]


_NUMBERS = ("2", "1", "3", "-1", "0.5", "True", "0", "1j", "1.5", "-2", "2.5", "300", "-0.0", "False")


def _scalar(d: Draw) -> str:
    """An expression without dimensions."""
    if d.hand.chance(40):
        return f"tk.tensor({d.hand.pick(_NUMBERS)})"
    return f"{d.any()}{d.hand.pick(_SCALARS)}"


def _view(d: Draw) -> None:
    name = f"m{len(d.members) + len(d.made)}"
    if d.hand.chance(40):
        d.steps.append(Step("a scalar", f"{name} = {d.any()}{d.hand.pick(_SCALARS)}", name))
    elif d.hand.chance(15) and not d.dtype.startswith(("bool", "uint")):
        d.steps.append(Step("a view", f"{name} = tk._neg_view({d.any()}.to(tk.{d.dtype}))", name))
    else:
        d.steps.append(Step("a view", f"{name} = {d.any()}{d.hand.pick(_VIEWS)}", name))


def _target(d: Draw) -> str:
    """What is written to: a member, or a view that nobody holds."""
    name = d.any()
    return f"{name}{d.hand.pick(_VIEWS)}" if d.hand.chance(10) else name


def _operator(d: Draw) -> None:
    sign = d.hand.pick(tuple(OPERATORS))
    name = d.any()
    size = d.size(name)
    how = d.hand.pick(("number", "tensor", "0-d", "tensor"))
    if how == "number":
        other = str(d.hand.pick(_NUMBERS))
    elif how == "0-d":
        other = _scalar(d)
    elif sign == "@=" and size:
        other = d.operand((size[-1], size[-1]))
    else:
        other = d.operand(size[d.hand.pick((0, 0, 1)) :])
    d.steps.append(Step(sign, f"{name} {sign} {other}", "", (name,), (other,), OPERATORS[sign]))


def _item(d: Draw) -> None:
    name = d.any()
    size = d.size(name)
    key = d.hand.pick(("()", "...", ":", "", "", ""))
    if not key:
        key = index(d.hand, size) if d.hand.chance(50) else picks(d.hand, size)
    value = d.hand.pick((*_NUMBERS, "", "", "", "", "", "", "", "scalar", "scalar", "scalar", "scalar"))
    if value == "scalar":
        value = _scalar(d)
    elif not value:
        value = f"{d.any()}{d.hand.pick(('', '', '.flatten()[:1]', '[..., :1]'))}"
    d.steps.append(Step("t[...] = x", f"{name}[{key}] = {value}", "", (name,), (value,)))


def _operands(d: Draw, call: Call) -> tuple[str, tuple[str, ...]]:
    """The text of a call with members in the place of the sample's operands, and those members."""
    names = {name: d.operand(size) for name, size in call.sizes.items()}
    return _renamed(call.text, tuple(names.items())), tuple(names.values())


@functools.lru_cache(4096)
def _renamed(text: str, names: tuple[tuple[str, str], ...]) -> str:
    known = dict(names)

    class Renaming(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(known.get(node.id, node.id), node.ctx)

    # A lambda's own parameters may be named as the operands are: those samples keep their names.
    if "lambda" in text:
        return text
    return ast.unparse(Renaming().visit(ast.parse(f"{text})", mode="eval")))[:-1]


def _ending(text: str, more: str) -> str:
    return f"{text}{'' if text.endswith('(') else ', '}{more})"


def _method(d: Draw) -> None:
    call = d.hand.pick(d.hand.pick(_calls("in place")))
    text, operands = _operands(d, call)
    line = f"{text})"
    target = line.partition(".")[0]
    others = tuple(name for name in operands if name != target)
    more = (target,) if operands.count(target) > 1 else ()
    d.steps.append(Step("in-place method", line, "", (target,), others + more, call.op.name))


def _out(d: Draw) -> None:
    call = d.hand.pick(d.hand.pick(_calls("out=")))
    text, operands = _operands(d, call)
    results = _results(d, f"{text})")
    outs = tuple(_out_for(d, size, kind, operands) for size, kind in results or [((2, 3), d.dtype)])
    several = len(outs) > 1 or d.hand.chance(1)
    given = f"({', '.join(outs)},)" if several else outs[0]
    kind = "out= of several" if len(outs) > 1 else "out="
    sizes = tuple(size for size, _ in results) or (UNKNOWN,)
    d.steps.append(Step(kind, _ending(text, f"out={given}"), "", outs, operands, call.op.name, sizes))


def _results(d: Draw, line: str) -> list[tuple[tuple[int, ...], str]]:
    """The sizes and dtypes of what PyTorch gives without ``out=``."""
    names = dict(d.names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for step in d.steps:
                exec(step.line, names)
            value = eval(line, names)
        except Exception:
            return []
    parts = value if isinstance(value, (tuple, list)) else (value,)
    found = [(tuple(t.size()), str(t.dtype)[6:]) for t in parts if isinstance(t, d.torch.Tensor)]
    return found[:4] or [((), d.dtype)]


def _out_for(d: Draw, size: tuple[int, ...], dtype: str, operands: tuple[str, ...]) -> str:
    """A tensor to write a result of this size and dtype into: mostly one that fits."""
    how = d.hand.pick(("new", "new", "new", "a member", "a member", "an operand", "a view", "the size of it"))
    if how == "an operand" and operands:
        return str(d.hand.pick(operands))
    if how == "a member":
        return d.operand(size)
    if how == "a view":
        name = d.any()
        shaped = f".flatten()[:{prod(size)}].view({size})"
        return f"{name}{d.hand.pick((*_VIEWS, shaped, shaped, shaped, '.view(())', '.flatten()[0]'))}"
    if how == "new" and d.hand.chance(40):
        wrong = [(0,), (), (*size, 2), size[::-1], (prod(size) + 1,), size[1:], (1,) * len(size)]
        size = d.hand.pick(wrong)
    return d.new(size, dtype if d.hand.chance(60) else "")


_CHOICES = ((45, _out), (22, _operator), (13, _item), (14, _method), (10, _view))
_TABLE = tuple(choice for weight, choice in _CHOICES for _ in range(weight))


def next_step(
    hand: Hand, torch: Any, names: dict[str, Any], members: list[str], dtype: str, *, full: bool
) -> list[Step]:
    """The next lines of a program: one that writes, after those that make what it speaks of.

    Args:
        names: what the lines may speak of on PyTorch's side.
        members: the tensors so far; the newest last.
        dtype: of most of them.
        full: whether the program has views enough.
    """
    draw = Draw(hand, torch, names, members, dtype)
    choice = hand.pick(_TABLE)
    (_operator if full and choice is _view else choice)(draw)
    return draw.steps
