"""Generated programs of autograd: leaves, views, writes, hooks and walks back, each step one Python statement.

A program is text, so the same lines run under tensorkit and under PyTorch. `Step` says what kind of step a line is and
which names it defines; `next_step` draws the next one from what the tensors of the program are by now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tests.parity.programs.views import VIEWS, Hand, index, overlaps_itself, picks

#: Views that keep the dtype; `tensor_split` and its kin are chains of slices in the graph.
_PLAIN_VIEWS = (
    "view",
    "t",
    "transpose",
    "[...]",
    "select",
    "narrow",
    "expand",
    "squeeze",
    "unsqueeze",
    "permute",
    "reshape",
    "diagonal",
    "as_strided",
    "detach",
    "unfold",
    "flatten",
    "movedim",
    "mT",
    "[...]",
)
_SEVERAL = ("unbind", "split", "chunk")
_UNARY = ("neg", "abs", "clone", "contiguous", "to", "sum", "mean", "max", "pow", "rsub", "reciprocal")
_BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "pow")
_INPLACE = (
    "mul_",
    "add_",
    "sub_",
    "div_",
    "copy_",
    "fill_",
    "zero_",
    "neg_",
    "abs_",
    "pow_",
    "+=",
    "*=",
    "-=",
    "/=",
    "**=",
    "%=",  # //= has no derivative: what is recorded of it is for tests/engine/autograd/test_corners.py
)
_OUT = ("add", "mul", "neg", "abs")
_GEOMETRY = ("t_", "unsqueeze_", "squeeze_", "transpose_")
_FLAGS = ("requires_grad_", "requires_grad =", "detach_", "grad = None", "grad.zero_", "del")
_HOOKS = ("hook", "hook that returns", "retain_grad", "hook after accumulation", "hook on a node")
_DATA = (".data", ".data written")
_BACK = ("backward", "autograd.grad", "second derivative")

KINDS = tuple(
    dict.fromkeys(
        (
            "leaf",
            *_PLAIN_VIEWS,
            *_SEVERAL,
            *(f"{name}()" for name in _UNARY),
            *(f"{name}(t)" for name in _BINARY),
            *_INPLACE,
            *(f"{name}(out=)" for name in _OUT),
            *_GEOMETRY,
            "t[...] = number",
            "t[...] = tensor",
            "t[picks]",
            "t[picks] = number",
            "t[picks] = tensor",
            *_FLAGS,
            *_HOOKS,
            *_DATA,
            *_BACK,
        )
    )
)


@dataclass(frozen=True)
class Step:
    """One line of a program: its kind, the statement, the names that it defines, the names that it deletes."""

    kind: str
    line: str
    defines: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()


# -- values -------------------------------------------------------------------------------------------------------

_VALUES = (1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 1.5, 0.25, 0.0)


def _nested(hand: Hand, size: Sequence[int]) -> Any:
    if not size:
        return hand.pick(_VALUES)
    return [_nested(hand, size[1:]) for _ in range(size[0])]


def _constant(hand: Hand, size: Sequence[int], dtype: str, more: str = "") -> str:
    return f"tk.tensor({_nested(hand, size)}, dtype=tk.{dtype}{more})"


def _leaf(hand: Hand, name: str, wants: int) -> Step:
    size = hand.pick(((2, 3), (3,), (2, 2), (1, 3), (), (2, 1, 2), (1,)))
    dtype = hand.pick(("float64", "float64", "float64", "float32"))
    more = ", requires_grad=True" if hand.chance(wants) else ""
    return Step("leaf", f"{name} = {_constant(hand, size, dtype, more)}", (name,))


def first_step(hand: Hand) -> Step:
    """A leaf, which in most programs wants its gradient."""
    return _leaf(hand, "a", 85)


# -- drawing ------------------------------------------------------------------------------------------------------


class _Draw:
    """The tensors that a step may speak of, and the names that are free."""

    def __init__(self, hand: Hand, tensors: Mapping[str, Any], fresh: Sequence[str]) -> None:
        self.hand, self.tensors, self.fresh = hand, tensors, fresh

    def any(self) -> str:
        """A name; later ones are the first options, so that chains grow."""
        return str(self.hand.pick(list(reversed(self.tensors))))

    def target(self) -> str:
        """A tensor to write to: mostly one whose write is allowed."""
        name = self.any()
        for _ in range(3):
            if not _is_fixed(self.tensors[name]):
                break
            name = self.any()
        return name

    def partner(self, name: str) -> str:
        """Another operand, if possible one that broadcasts with this one."""
        size = self.tensors[name].size()
        fitting = [n for n, t in self.tensors.items() if _broadcast(t.size(), size)]
        return str(self.hand.pick(fitting)) if fitting and not self.hand.chance(6) else self.any()

    def source(self, size: Sequence[int], dtype: str) -> str:
        """Something to write: a tensor that expands to the size, or a constant."""
        fitting = [n for n, t in self.tensors.items() if _expands(t.size(), size)]
        if fitting and not self.hand.chance(20):
            return str(self.hand.pick(fitting))
        return _constant(self.hand, size, dtype)

    def wanting(self) -> str:
        """Mostly a tensor that requires grad."""
        names = [n for n, t in self.tensors.items() if t.requires_grad]
        return str(self.hand.pick(names[::-1])) if names and not self.hand.chance(6) else self.any()


def _is_fixed(t: Any) -> bool:
    """Whether a write is refused: a leaf that requires grad, or a view of one."""
    owner = t if t._base is None else t._base
    return bool(t.requires_grad and owner.is_leaf)


def _broadcast(one: Sequence[int], two: Sequence[int]) -> bool:
    pairs = zip(reversed(one), reversed(two), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)


def _expands(one: Sequence[int], size: Sequence[int]) -> bool:
    if len(one) > len(size):
        return False
    return all(m in (1, n) for m, n in zip(reversed(one), reversed(size), strict=False))


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).split(".")[1]


# -- kinds of steps -----------------------------------------------------------------------------------------------


def _view(d: _Draw) -> Step:
    kind, name, out = d.hand.pick(_PLAIN_VIEWS), d.any(), d.fresh[0]
    t = d.tensors[name]
    if kind == "[...]":
        return Step(kind, f"{out} = {name}[{index(d.hand, t.size())}]", (out,))
    return Step(kind, f"{out} = {name}.{kind}{VIEWS[kind](d.hand, t)}", (out,))


def _several(d: _Draw) -> Step:
    kind, name = d.hand.pick(_SEVERAL), d.any()
    t = d.tensors[name]
    dim = d.hand.dim(t.dim(), 3)
    size = t.size()[dim] if -t.dim() <= dim < t.dim() else 1
    first = {"split": max(size // 2, 1) if d.hand.chance(60) else [1, size - 1], "chunk": 2}.get(kind)
    arguments = dim if first is None else f"{first}, {dim}"
    one, two = d.fresh[:2]
    return Step(kind, f"{one}, *_, {two} = {name}.{kind}({arguments})", (one, two))


def _unary(d: _Draw) -> Step:
    kind, name, out = d.hand.pick(_UNARY), d.any(), d.fresh[0]
    if kind in ("pow", "reciprocal") and 1 in d.tensors[name].size():
        kind = "rsub"  # with a number PyTorch gives these other strides where there is no step to take
    dim = d.hand.dim(d.tensors[name].dim(), 3)
    keep = ", True" if d.hand.chance(40) else ""
    forms = {
        "to": f"{name}.to(tk.{d.hand.pick(('float32', 'float64'))})",
        "sum": d.hand.pick((f"{name}.sum()", f"{name}.sum({dim}{keep})")),
        "mean": d.hand.pick((f"{name}.mean()", f"{name}.mean({dim}{keep})")),
        "max": d.hand.pick((f"{name}.max()", f"{name}.max({dim}{keep})[0]")),
        "pow": f"{name} ** {d.hand.pick((2, 3, 1, 0))}",
        "rsub": f"{d.hand.pick((1, 2.5))} - {name}",
        "reciprocal": f"2 / {name}",
    }
    return Step(f"{kind}()", f"{out} = {forms.get(kind, f'{name}.{kind}()')}", (out,))


def _binary(d: _Draw) -> Step:
    kind, name, out = d.hand.pick(_BINARY), d.any(), d.fresh[0]
    other = d.partner(name)
    if kind in ("add", "sub", "mul", "div") and d.hand.chance(25):
        other = str(d.hand.pick((2, 0.5, -1)))
    more = ", alpha=2" if kind in ("add", "sub") and d.hand.chance(15) else ""
    return Step(f"{kind}(t)", f"{out} = {name}.{kind}({other}{more})", (out,))


def _inplace(d: _Draw) -> Step:
    kind, name = d.hand.pick(_INPLACE), d.target()
    t = d.tensors[name]
    source = d.source(t.size(), _dtype(t)) if d.hand.chance(60) else str(d.hand.pick((2, 0.5, -1)))
    if kind.endswith("="):
        return Step(kind, f"{name} {kind} {source}")
    zeroes = [n for n, other in d.tensors.items() if not other.dim()]
    arguments = {
        "copy_": d.source(t.size(), _dtype(t)),
        "fill_": d.hand.pick((*zeroes, 3)),
        "zero_": "",
        "neg_": "",
        "abs_": "",
        "pow_": d.hand.pick((2, 3)),
    }
    return Step(kind, f"{name}.{kind}({arguments.get(kind, source)})")


def _out(d: _Draw) -> Step:
    """Into a tensor of the result's size, mostly while nothing is recorded: otherwise nobody may want a gradient.

    It is the operand itself, and no element of it lies on another, or it lies elsewhere: what is read after it has
    been written is chance.
    """
    kind, name = d.hand.pick(_OUT), d.any()
    t = d.tensors[name]
    apart = [
        n
        for n, other in d.tensors.items()
        if other.size() == t.size()
        and (other.untyped_storage() is not t.untyped_storage() or (n == name and not overlaps_itself(t)))
    ]
    if not apart:
        return _inplace(d)
    out = d.hand.pick(apart)
    other = f", {_constant(d.hand, t.size(), _dtype(t))}" if kind in ("add", "mul") else ""
    line = f"tk.{kind}({name}{other}, out={out})"
    if d.hand.chance(60):
        line = f"with tk.no_grad():\n    {line}"
    return Step(f"{kind}(out=)", line)


def _geometry(d: _Draw) -> Step:
    kind, name = d.hand.pick(_GEOMETRY), d.target()
    return Step(kind, f"{name}.{kind}{VIEWS[kind](d.hand, d.tensors[name])}")


def _assignment(d: _Draw) -> Step:
    name = d.target()
    t = d.tensors[name]
    place = index(d.hand, t.size())
    if d.hand.chance(35):
        return Step("t[...] = number", f"{name}[{place}] = {d.hand.pick((2, 0.5, -1))}")
    return Step("t[...] = tensor", f"{name}[{place}] = {d.partner(name)}")


def _picked(d: _Draw) -> Step:
    name = d.any() if d.hand.chance(50) else d.target()
    t = d.tensors[name]
    place = picks(d.hand, t.size())
    if d.hand.chance(45):
        return Step("t[picks]", f"{d.fresh[0]} = {name}[{place}]", (d.fresh[0],))
    if d.hand.chance(50):
        return Step("t[picks] = number", f"{name}[{place}] = {d.hand.pick((2, 0.5, -1))}")
    return Step("t[picks] = tensor", f"{name}[{place}] = {d.partner(name)}")


def _flag(d: _Draw) -> Step:
    kind, name = d.hand.pick(_FLAGS), d.any()
    if kind == "del":
        return (
            Step(kind, f"del {name}", deletes=(name,))
            if len(d.tensors) > 3
            else _leaf(d.hand, d.fresh[0], 60)
        )
    wanted = d.hand.pick((True, True, False))
    lines = {
        "requires_grad_": f"{name}.requires_grad_({wanted})",
        "requires_grad =": f"{name}.requires_grad = {wanted}",
        "detach_": f"{name}.detach_()",
        "grad = None": f"{name}.grad = None",
        "grad.zero_": f"if {name}.grad is not None: {name}.grad.zero_()",
    }
    return Step(kind, lines[kind])


def _ends_pytorch(t: Any) -> bool:
    """Whether a hook on it, and now and then a gradient for it alone, ends the PyTorch process or confuses it.

    That is a view made before its base was asked for its gradient.
    """
    try:
        return bool(t._is_view() and t.requires_grad and t.grad_fn is None)
    except RuntimeError:
        return False


def _hook(d: _Draw) -> Step:
    kind, name = d.hand.pick(_HOOKS), d.wanting()
    if _ends_pytorch(d.tensors[name]):
        kind = "hook on a node"
    tag = f"'{d.fresh[0]}'"
    lines = {
        # PyTorch dies of a hook on a view that was written to, unless its history was asked for first.
        "hook": f"{name}.grad_fn; {name}.register_hook(lambda g: told({tag}, g))",
        "hook that returns": f"{name}.grad_fn; {name}.register_hook(lambda g: told({tag}, g) or g * 2)",
        "retain_grad": f"{name}.retain_grad()",
        "hook after accumulation": (
            f"{name}.register_post_accumulate_grad_hook(lambda t: told({tag}, t.grad))"
        ),
        "hook on a node": (
            f"if {name}.grad_fn: {name}.grad_fn.register_hook(lambda new, old: told({tag}, *new, *old))"
        ),
    }
    return Step(kind, lines[kind])


def _data(d: _Draw) -> Step:
    kind, name = d.hand.pick(_DATA), d.any()
    if kind == ".data":
        return Step(kind, f"{d.fresh[0]} = {name}.data", (d.fresh[0],))
    return Step(kind, f"{name}.data.{d.hand.pick(('mul_(2)', 'add_(1)', 'zero_()'))}")


def _walk(d: _Draw) -> Step:
    kind, name = d.hand.pick(("backward", "backward", "autograd.grad", "second derivative")), d.wanting()
    t, hand = d.tensors[name], d.hand
    options = []
    if (prod(t.size()) != 1 and not hand.chance(4)) or hand.chance(30):
        size = (*t.size(), 2) if hand.chance(3) else t.size()
        kinds = (_dtype(t),) * 8 + ("float32", "float64")
        options.append(_constant(hand, size, hand.pick(kinds)))
    if hand.chance(50):
        options.append(f"retain_graph={not hand.chance(10)}")
    if kind == "second derivative":
        one, two = d.wanting(), d.wanting()
        first = f"tk.autograd.grad({', '.join([name, one, *options])}, create_graph=True)[0]"
        # Times the tensor itself, so that the first derivative of what is linear can be derived too.
        product = f"({first} * {one}).sum()"
        return Step(kind, f"told('second', *tk.autograd.grad({product}, [{one}, {two}], allow_unused=True))")
    if kind == "backward" and hand.chance(12):
        options.append("create_graph=True")
    if kind == "backward":
        if hand.chance(20):
            options.append(f"inputs=[{_several_names(d)}]")
        return Step(kind, f"{name}.backward({', '.join(options)})")
    if hand.chance(60):
        options.append("allow_unused=True")
    wanted = _several_names(d)
    line = f"tk.autograd.grad({', '.join([name, f'[{wanted}]', *options])})"
    if hand.chance(50):
        return Step(kind, f"{d.fresh[0]} = {line}[0].contiguous().clone()", (d.fresh[0],))
    return Step(kind, f"told('grad', *{line})")


def _several_names(d: _Draw) -> str:
    names = [d.wanting() for _ in range(d.hand.pick((1, 1, 2)))]
    known = [name for name in names if not _ends_pytorch(d.tensors[name])]
    return ", ".join(known or [next(iter(d.tensors))])


_CHOICES: tuple[tuple[int, Callable[[_Draw], Step]], ...] = (
    (22, _view),
    (16, _inplace),
    (13, _binary),
    (11, _walk),
    (10, _unary),
    (7, _assignment),
    (6, _picked),
    (5, _out),
    (6, _several),
    (6, _hook),
    (5, _flag),
    (3, _geometry),
    (2, _data),
)
_TABLE = tuple(choice for weight, choice in _CHOICES for _ in range(weight))


def next_step(hand: Hand, tensors: Mapping[str, Any], fresh: Sequence[str], *, full: bool) -> Step:
    """The next line of a program.

    Args:
        tensors: our tensors so far by name; the newest last.
        fresh: names that are free.
        full: whether the program has tensors enough, and should rather use them.
    """
    draw = _Draw(hand, tensors, fresh)
    step = _leaf(hand, fresh[0], 60) if hand.chance(6) else hand.pick(_TABLE)(draw)
    if full and step.defines:
        step = hand.pick((_walk, _inplace, _assignment, _flag, _hook))(draw)
    if step.kind not in ("del", "leaf") and not step.line.startswith("with") and hand.chance(9):
        body = step.line
        return Step(step.kind, f"with tk.no_grad():\n    {body}", step.defines, step.deletes)
    return step
