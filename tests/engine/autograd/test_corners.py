"""Corners of autograd, put to PyTorch as little programs: what each leaves in ``answer`` must be the same.

Compared are numbers, dtype, size, version, place in the graph, error and warning (`tests.support.same_program`);
strides where a program names them.
"""

from __future__ import annotations

import itertools
import re
import sys
from typing import Any

import pytest

import tensorkit as tk
from tests.support.same_program import differing
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity


def _same(program: str) -> None:
    """Run a program under both libraries, which it knows as ``tk``.

    Raises:
        AssertionError: where they part.
    """

    def run(lib: Any) -> Any:
        names: dict[str, Any] = {"tk": lib, "numpy": __import__("numpy")}
        exec(program, names)
        return names.get("answer")

    assert differing(run, require_torch()) is None


# -- operators that write into their first operand -----------------------------------------------------------------

OPERATORS = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=", "@=")
TARGETS = (
    "tk.full((2,), 3.0, requires_grad=True) * 2",
    "tk.full((2,), 3.0)",
    "tk.full((2,), 3.0, requires_grad=True)",
    "(tk.full((2, 2), 3.0, requires_grad=True) * 2)[0]",
    "tk.full((2, 2), 3.0)[0]",
    "tk.tensor([3, 2])",
    "(tk.ones(2, requires_grad=True) * 2).to(tk.complex64)",
)
OPERANDS = (
    "2",
    "2.5",
    "True",
    "1j",
    "tk.tensor(2.0, requires_grad=True)",
    "tk.tensor([2.0, 0.5], requires_grad=True)",
    "tk.tensor([2.0, 0.5])",
    "tk.tensor([2, 1])",
    "None",
)


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_an_operator_writes_is_recorded(operator: str) -> None:
    for target, operand in itertools.product(TARGETS, OPERANDS):
        begin = f"b, a = {target}, {operand}\nbefore = b\nb {operator} a\n"
        _same(f"{begin}answer = [repr(b), b.dtype.itemsize, b._version, b is before, b._base is None]")
        _same(f"{begin}(abs(b) if b.is_complex() else b).sum().backward()\nanswer = getattr(a, 'grad', None)")


# -- tensors of integers -------------------------------------------------------------------------------------------

INTO_INTEGERS = (
    "c[0] = w.sum()",
    "c[:2] = w",
    "c[...] = w.sum()",
    "c[tk.tensor([0, 1])] = w",
    "c[tk.tensor([True, True, False])] = w",
    "c[tk.tensor([True, True, False])] = w.sum()",
    "c[0] = w[0]",
    "c.copy_(w.sum())",
    "c[:2].copy_(w)",
    "c.fill_(w.sum())",
    "c.masked_fill_(tk.tensor([True, True, False]), w.sum())",
    "c.eq_(w.sum())",
    "c.index_fill_(0, tk.tensor([0, 1]), w.sum())",
    "c.masked_scatter_(tk.tensor([True, True, False]), w)",
    "c.index_put_((tk.tensor([0, 1]),), w)",
    "c.index_copy_(0, tk.tensor([0, 1]), w)",
    "c.index_add_(0, tk.tensor([0, 1]), w)",
    "c.scatter_(0, tk.tensor([0, 1]), w)",
    "c.scatter_add_(0, tk.tensor([0, 1]), w)",
    "c.put_(tk.tensor([0, 1]), w)",
    "c.add_(w.sum())",
    "c.lerp_(w.sum(), 0.5)",
    "tk.add(tk.ones(3), w.sum(), out=c)",
    "tk.eq(tk.ones(3), w.sum(), out=c)",
)
THEN = (
    "c",
    "c._base",
    "c + 1",
    "c.eq(1)",
    "c.clone()",
    "c.sum()",
    "c.view(-1)",
    "c.unbind()",
    "c.sort()",
    "c % 2",
    "c // 2",
    "c.detach()",
    "tk.stack([c, c])",
    "c.argmax()",
    "c.split(1)",
    "c.float()",
)


@pytest.mark.parametrize("kind", ["int64", "int32", "bool", "float32"])
def test_what_is_written_into_integers_is_recorded_where_pytorch_records_it(kind: str) -> None:
    for write, (then, of) in itertools.product(
        INTO_INTEGERS,
        itertools.product(THEN, (f"tk.zeros(3, dtype=tk.{kind})", f"tk.zeros(2, 3, dtype=tk.{kind})[0]")),
    ):
        _same(f"w = tk.full((2,), 2.0, requires_grad=True)\nc = {of}\n{write}\nanswer = {then}")


# -- what is not recorded, or only in part -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call", ["logical_and_(a)", "logical_or_(a)", "logical_xor_(a)", "logical_not_()", "float_power_(a)"]
)
def test_what_pytorch_writes_without_a_look_at_gradients(call: str) -> None:
    for target, operand in itertools.product(
        (
            "tk.ones(2, requires_grad=True)",
            "tk.ones(2, requires_grad=True)[:1]",
            "tk.ones(2, requires_grad=True) * 2",
        ),
        ("tk.zeros(2)", "tk.zeros(2, requires_grad=True)", "tk.zeros(3)"),
    ):
        _same(f"b, a = {target}, {operand}\nanswer = [b.{call}, b, b._base]")
    _same(
        f"a, b = tk.zeros(2, dtype=tk.float64), tk.ones(2, dtype=tk.float64, requires_grad=True)\nb.{call}\nanswer = b"
    )


@pytest.mark.parametrize("wants", ["", ".requires_grad_()", ".requires_grad_() * 1"])
@pytest.mark.parametrize("dim", range(-4, 4))
def test_a_wrong_dimension_is_refused_recorded_or_not(dim: int, wants: str) -> None:
    for size, call in itertools.product(
        ((2,), (2, 3), (0,)),
        (
            "tk.cat([v, v], {})",
            "tk.concat((v,), {})",
            "tk.cat([v, v], dim={})",
            "tk.stack([v, v], {})",
            "v.split(1, {})",
        ),
    ):
        _same(f"v = tk.ones{(*size,)}{wants}\nanswer = {call.format(dim)}")


@pytest.mark.parametrize("index", ["[0]", "[2]", "[-1]", "[0, 9]", "[]"])
@pytest.mark.parametrize(
    "target",
    ["tk.zeros(3)[:0]", "tk.zeros(2, 0)", "tk.zeros(0, 2)", "tk.zeros(4)[:2]", "tk.zeros(4, 4)[:, :2]"],
)
def test_index_fill_refuses_an_index_beyond_the_end(target: str, index: str) -> None:
    for dim, value in itertools.product(
        (0, -1), ("1.0", "tk.tensor(1.0)", "tk.tensor(1.0, requires_grad=True)")
    ):
        _same(
            f"c, i = {target}, tk.tensor({index}, dtype=tk.int64)\n"
            f"answer = [c.index_fill_({dim}, i, {value}), c._base]"
        )


# -- formulas ------------------------------------------------------------------------------------------------------

ONES = (
    "tk.tensor(float('nan'))",
    "tk.tensor(float('inf'), dtype=tk.float64)",
    "tk.tensor([float('nan')])",
    "tk.tensor(2.0, dtype=tk.bfloat16)",
    "tk.tensor(complex('nan'))",
    "tk.tensor([1 + 2j])",
    "tk.empty(0)",
    "tk.empty(0, 3)",
    "tk.tensor([[1.0], [2.0]])",
    "tk.tensor([[1.0, float('nan')]])",
)
SPREADS = (
    "",
    ", 0",
    ", ()",
    ", (0,)",
    ", correction=0",
    ", correction=2",
    ", 0, keepdim=True, correction=0",
    ", None, True, True",
)


@pytest.mark.parametrize("name", ["std", "var", "std_mean", "var_mean"])
def test_the_spread_of_one_element_or_none(name: str) -> None:
    for one, rest in itertools.product(ONES, SPREADS):
        _same(f"answer = tk.{name}({one}{rest})")
        _same(
            f"x = {one}.requires_grad_()\ny = tk.{name}(x{rest})\ny = y[0] if isinstance(y, tuple) else y\n"
            f"y.sum().backward()\nanswer = x.grad"
        )


BASES = ("-tk.ones(2, dtype=tk.float64)", "tk.tensor([-2.0, 0.0, 3.0])", "tk.tensor([0j, 1 + 1j])")
POWERS = (
    "1j",
    "2 + 0.5j",
    "0j",
    "-1.5",
    "tk.tensor(1j)",
    "tk.tensor([2 + 1j], dtype=tk.complex128)",
    "tk.tensor([0.5])",
)


@pytest.mark.parametrize(
    "call", ["tk.pow(b, e)", "tk.float_power(b, e)", "tk.pow(e, b)", "tk.float_power(e, b)", "e**b"]
)
def test_the_gradients_of_a_complex_power(call: str) -> None:
    for base, power in itertools.product(BASES, POWERS):
        _same(
            f"b, e = ({base}).requires_grad_(), {power}\nif isinstance(e, tk.Tensor): e.requires_grad_()\n"
            f"y = {call}\n(y.real.sum() + 2 * y.imag.sum() if y.is_complex() else y.sum()).backward()\n"
            "answer = [(t.grad, t.grad.stride()) for t in (b, e) if isinstance(t, tk.Tensor)] + [y]"
        )


@pytest.mark.parametrize(
    "made",
    ["x.sum()", "x.t().sum()", "tk.cat([x, y]).sum()", "x.real.sum()", "tk.stack([x, y[:1]], 1).sum()"],
)
@pytest.mark.parametrize("size", [(1,), (2,), (1, 1), ()])
def test_how_a_gradient_of_one_element_lies(size: tuple[int, ...], made: str) -> None:
    _same(
        f"x, y = tk.ones({size}, requires_grad=True), tk.ones({size or (1,)})\n{made}.backward()\n"
        "answer = [x.grad, x.grad.stride()]"
    )


@pytest.mark.parametrize(
    "made",
    [
        "x * z",
        "x - z",
        "z / x",
        "tk.addcmul(x, z, z)",
        "tk.outer(x, z)",
        "tk.cat([x, z])",
    ],
)
def test_a_real_gradient_is_the_real_part_before_it_is_added_up(made: str) -> None:
    _same(
        f"x, z = tk.ones(1, requires_grad=True), tk.tensor([1j, 2.0])\n({made}).sum().real.backward()\n"
        "answer = [x.grad, x.grad.stride()]"
    )


# -- blocks that do not record -------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["b[:1]", "b[0]", "b.unbind()[0]", "b.split(1)", "F.apply(b)"])
@pytest.mark.parametrize("block", ["tk.no_grad()", "tk.inference_mode()", "tk.enable_grad()"])
def test_a_view_that_cannot_tell_its_history_is_printed(view: str, block: str) -> None:
    own = _FUNCTION.format("x[:]")
    for base in ("tk.ones(2)", "tk.ones(2, requires_grad=True) * 2"):
        _same(
            f"{own}b = {base}\nwith {block}: v = {view}\n"
            "b.add_(tk.ones(2, requires_grad=True))\nanswer = [repr(v), f'{v}']"
        )


_FUNCTION = (
    "class F(tk.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return {}\n"
    "    @staticmethod\n    def backward(ctx, *grads): return grads[0]\n"
)


@pytest.mark.parametrize(
    "program",
    [
        "with tk.set_grad_enabled(False): tk.ones(2)[0]",
        "tk.set_grad_enabled(False)\ntk.set_grad_enabled(False)\ntk.set_grad_enabled(True)",
        "@tk.set_grad_enabled(False)\ndef f(): return tk.ones(2)[0]\nf()",
        "with tk.no_grad():\n    with tk.enable_grad(): tk.set_grad_enabled(False)",
        "with tk.no_grad(): tk.set_grad_enabled(True)",
        "with tk.inference_mode():\n    with tk.inference_mode(False): pass",
        "x = tk.ones(2, requires_grad=True)\ny = x * 2\n"
        "def hook(g):\n    with tk.no_grad(): tk.ones(2)[0]\n    with tk.enable_grad(): tk.ones(2)[0]\n"
        "y.register_hook(hook)\ny.sum().backward()",
    ],
)
def test_views_are_looked_at_only_while_something_is_not_recorded(program: str) -> None:
    markers = sys.modules["tensorkit.tensor"]._markers
    before = len(markers)
    exec(program, {"tk": tk})
    assert (len(markers), tk.is_grad_enabled()) == (before, True)


@pytest.mark.parametrize("block", ["tk.no_grad()", "tk.inference_mode()", "tk.enable_grad()"])
@pytest.mark.parametrize(
    "what",
    [
        "w.numpy()",
        "numpy.asarray(w)",
        "numpy.asarray(w, dtype='f8')",
    ],
)
def test_an_array_of_a_leaf_where_nothing_is_recorded(what: str, block: str) -> None:
    for leaf in ("tk.ones(2, requires_grad=True)", "tk.ones(2, requires_grad=True) * 2"):
        _same(f"w = {leaf}\nwith {block}: a = {what}\nanswer = [str(a), str(getattr(a, 'dtype', 0))]")


@pytest.mark.parametrize(
    "call",
    [
        "tk.ones(2,{})",
        "tk.tensor([1.0],{})",
        "tk.empty(2,{})",
        "tk.ones_like(tk.ones(2),{})",
        "tk.eye(2,{})",
        "tk.rand(2,{})",
    ],
)
def test_what_is_made_in_inference_mode_stays_so(call: str) -> None:
    made = call.format("requires_grad=True")
    _same(f"with tk.inference_mode(): x = {made}\nanswer = [x.is_inference(), x.requires_grad, x.is_leaf]")
    _same(f"with tk.inference_mode(): x = {made}\nanswer = x._version")


@pytest.mark.parametrize("block", ["tk.no_grad()", "tk.enable_grad()"])
@pytest.mark.parametrize("returned", ["x[:]", "x.view(2, 1), x", "x", "x.detach()", "x * 2"])
def test_a_function_that_returns_a_view(returned: str, block: str) -> None:
    own = _FUNCTION.format(returned)
    for base in ("tk.ones(2)", "tk.ones(2, requires_grad=True)", "tk.ones(2, requires_grad=True) * 1"):
        _same(f"{own}x = {base}\nwith {block}: r = F.apply(x)\nanswer = [r, r is x]")


# -- leaves that got another size since they were recorded ----------------------------------------------------------

#: PyTorch gives this warning once in a process.
_QUIETLY = "import warnings; warnings.filterwarnings('ignore', 'grad and param do not obey')\n"
_SIZES = ["()", "(1,)", "(2,)", "(3,)", "(2, 3)", "(0,)"]
_LOSSES = ["x.sum()", "(x * 3).sum()", "x.sum() + (x * 3).sum()"]


@pytest.mark.parametrize("after", _SIZES)
@pytest.mark.parametrize("before", _SIZES)
def test_a_leaf_of_another_size_than_was_recorded(before: str, after: str) -> None:
    for loss, held in itertools.product(_LOSSES, ("", "x.grad = tk.full({}, 10.0); ".format)):
        have = held and held(before)
        _same(
            f"{_QUIETLY}x = tk.ones({before}, requires_grad=True); {have}y = {loss}; x.data = tk.ones({after})\n"
            "y.backward(); answer = x.grad"
        )


_CHANGES = [
    "x.data = x.data.double()",
    "x.data = tk.ones(5).double()",
    "x.data = tk.ones(4, 2, 3)",
    "x.data = tk.ones(1, 3).expand(2, 3)",
    "x.data = tk.ones(3, 2).t()",
    "x.set_(tk.ones(5))",
    "x.set_()",
    "x.t_()",
    "x.unsqueeze_(0)",
    "x.resize_(3, 2)",
    "x.as_strided_((3, 2), (1, 3))",
    "tk.add(tk.ones(6), 1, out=x)",
]
_WALKS = [
    "y.backward(); answer = x.grad, x.grad.stride()",
    "y.backward(retain_graph=True); y.backward(); answer = x.grad",
    "answer = tk.autograd.grad(y, x)",
    "del y; answer = None; y = x.sum(); y.backward(); answer = x.grad, x.grad.stride()",
    "x.grad = x.data * 2; y.backward(); answer = x.grad",
    "x.register_hook(lambda g: g * 2); y.backward(); answer = x.grad",
    "seen = []; x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad * 1)); y.backward(); answer = seen",
]


@pytest.mark.parametrize("change", _CHANGES)
def test_a_leaf_that_was_changed_otherwise_since_it_was_recorded(change: str) -> None:
    for loss, walk in itertools.product(_LOSSES, _WALKS):
        begin = f"{_QUIETLY}x = tk.ones(2, 3, requires_grad=True); y = {loss}\n"
        for seen in ("", "answer = y.grad_fn.next_functions[0][0]\n"):
            _same(f"{begin}{seen}with tk.no_grad(): {change}\n{walk}")


# -- tensors of inference mode, used outside ------------------------------------------------------------------------

_MADE = (
    "n = tk.ones(2, 2); g = tk.ones(2, 2, requires_grad=True)\n"
    "with tk.inference_mode():\n"
    "    i = tk.ones(2, 2); w = tk.ones(2, 2, requires_grad=True); v = w[0:1]; d = n.detach()\n"
)


@pytest.mark.parametrize(
    "what",
    [
        "w * w",
        "(w * w).sum()",
        "w * 2",
        "w ** 2",
        "w + i",
        "w.exp()",
        "w.sin()",
        "w.sum()",
        "w.relu()",
        "w.softmax(0)",
        "w.cumsum(0)",
        "w @ w",
        "w @ i",
        "w @ g",
        "w * n",
        "w * g",
        "w + g",
        "i * g",
        "i + g",
        "tk.cat([w, w])",
        "tk.cat([w, g])",
        "tk.lerp(w, i, 0.5)",
        "tk.where(n > 0, w, w)",
        "v * v",
        "v * 2",
        "v.sum()",
        "d * g",
        "d * 2",
    ],
)
def test_what_is_recorded_of_tensors_of_inference_mode(what: str) -> None:
    _same(f"{_MADE}r = {what}\nanswer = [r.requires_grad, r.is_leaf, r.is_inference()]")


@pytest.mark.parametrize(
    "what",
    [
        "w.clone().requires_grad",
        "w.double().requires_grad",
        "v.requires_grad",
        "d.is_inference()",
        "d._version",
    ],
)
def test_what_tensors_of_inference_mode_say(what: str) -> None:
    _same(f"{_MADE}answer = {what}")


def test_tensors_of_inference_mode_are_not_resized_outside() -> None:
    for one in "iv":
        _same(f"{_MADE}{one}.resize_(3)")


# -- numbers that are tensors ---------------------------------------------------------------------------------------


#: Calls with a number, `n`, where one of Python's is expected. A gradient would be lost in silence there.
NUMBERS = """
x.nan_to_num_(n); x.nan_to_num(nan=n); tk.nan_to_num(x, 0.0, n)
x.logit_(n); x.logit(eps=n); tk.special.logit(x, n)
x.norm(n); x.norm(p=n); tk.norm(x, n); tk.norm(x, p=n, dim=0); tk.norm(m, n, 1)
tk.linalg.norm(x, n); tk.linalg.norm(m, n, 1); tk.linalg.norm(m, ord=n, dim=0)
tk.linalg.vector_norm(x, n); tk.linalg.vector_norm(x, ord=n, dim=0); tk.linalg.matrix_norm(m.detach(), n)
x.dist(y, n); tk.dist(x, y, p=n); tk.cdist(m, m, n); tk.cdist(m, m, p=n); tk.pdist(m, n)
m.pinverse(n); tk.pinverse(m, rcond=n)
m.renorm(n, 0, 1.0); m.renorm(2.0, 0, n); m.renorm_(2.0, 0, n)
tk.isclose(x, y, n); tk.isclose(x, y, atol=n); tk.allclose(x, y, rtol=n); x.allclose(y, atol=n)
tk.full((2,), n); tk.full((2,), fill_value=n); tk.full((), n); tk.full((2,), n, requires_grad=True)
tk.full((2,), n, dtype=tk.int64); tk.full((2,), n, out=tk.zeros(2)); tk.full_like(x, n)
x.new_full((2,), n); x.new_full((2,), fill_value=n); tk.scalar_tensor(n); tk.scalar_tensor(s=n)
tk.range(n, 3); tk.range(0, n); tk.range(0, 2, n); tk.arange(n, 3); tk.arange(0, n); tk.arange(0, 2, n)
tk.linspace(n, 2, 3); tk.linspace(0, n, 3); tk.logspace(0, 1, 3, n)
tk.histc(x, 3, n, 2); tk.histc(x, 3, 0, n); tk.histc(x, bins=3, min=0, max=n); x.histc(3, 0, n)
x.std(correction=n); tk.std(x, correction=n); tk.std(m, 0, correction=n); tk.std(m, dim=0, correction=n)
x.var(correction=n); tk.var(x, correction=n); tk.var(m, 1, correction=n); tk.var_mean(x, correction=n)
m.index_add(0, i, m, alpha=n); tk.index_add(m, 0, i, m, alpha=n); m.index_add_(0, i, m, alpha=n)
tk.add(x, y, alpha=n); x.sub(y, alpha=n); x.add_(y, alpha=n); tk.rsub(x, y, alpha=n)
tk.addmm(m, m, m, alpha=n); tk.addmm(m, m, m, beta=n); m.addmm(m, m, beta=n, alpha=n); m.addmm_(b[0], b[0], beta=n)
tk.addmv(x, m, x, alpha=n); x.addmv(m, x, beta=n); tk.addr(m, x, y, alpha=n); m.addr(x, y, beta=n)
tk.addbmm(m, b, b, alpha=n); m.addbmm(b, b, beta=n); tk.baddbmm(b, b, b, alpha=n); b.baddbmm(b, b, beta=n)
tk.addcmul(x, x, y, value=n); x.addcdiv(x, y, value=n)
m.fill_diagonal_(n); m.fill_diagonal_(n, wrap=False); m.fill_diagonal_(fill_value=n)
tk.gradient(x, spacing=n); tk.gradient(x, spacing=[n]); tk.gradient(x, spacing=(n,)); tk.gradient(m, spacing=[n, n])
tk.gradient(m, spacing=[n, 1.0]); tk.gradient(m, spacing=[1.0, n])
x.clamp(min=n); x.clamp(0.1, n); x.clamp_min(n)
y.uniform_(n, 2.0); y.normal_(0, n); y.exponential_(n); y.cauchy_(0, n); y.log_normal_(n); y.geometric_(n)
tk.cumulative_trapezoid(x, dx=n); tk.trapezoid(x, dx=n); tk.trapz(x, dx=n)
x.scatter(0, i, n); x.scatter(0, i, value=n); x.scatter(0, i, value=n, reduce="add"); x.scatter_(0, i, value=n)
tk.hamming_window(4, True, n); tk.kaiser_window(4, beta=n)
tk.linalg.cond(m.detach(), n); tk.linalg.cond(m.detach(), p=n)
tk.histogram(y, 3, range=(n, 2.0)); tk.histogram(y, 3, range=(0.0, n)); y.histogram(3, range=[0.0, n])
tk.histogramdd(m.detach(), [2, 2], range=[0.0, n, 0.0, 1.0])
x.fill_(n); x.masked_fill(x > 0.5, n); x.index_fill(0, i, n); tk.where(x > 0.5, n, 1.0); x.lerp(y, n)
tk.autograd.grad(x.__rsub__(n).sum(), n); x.__rpow__(n); x.__rmod__(n); tk.autograd.grad(x.__rfloordiv__(n).sum(), n)
x.__radd__(n); x.__rmul__(n); x.__rtruediv__(n)
int(n); float(n); x.split(n); y.resize_(n)
"""
_SCALARS = (
    "tk.tensor(0.25, requires_grad=True)",
    "tk.tensor([0.25, 2.0], requires_grad=True)[0]",
    "tk.tensor(2.0, requires_grad=True)",
    "tk.tensor(0.25)",
    "tk.tensor(2)",
    "tk.tensor([0.25])",
)
_AMONG = """
x = tk.tensor([0.5, 0.75], requires_grad={0}) * 1; y = tk.tensor([0.25, 1.5]); i = tk.tensor([0, 1])
m = tk.tensor([[1.0, 0.5], [0.25, 2.0]], requires_grad={0}) * 1; b = tk.tensor([[[1.0, 0.5], [0.25, 2.0]]])
tk.manual_seed(3)
"""


@pytest.mark.parametrize("call", [part.strip() for part in re.split(r"[;\n]", NUMBERS) if part.strip()])
def test_a_number_that_wants_a_gradient_is_refused_or_recorded(call: str, every_warning: None) -> None:
    for n, wanted in itertools.product(_SCALARS, (False, True)):
        known = f"w = n = {n}\n{_AMONG.format(wanted)}"
        _same(f"{known}with tk.no_grad(): answer = {call}")
        _same(f"{known}answer = {call}")
        # What is recorded gives the gradient that PyTorch gives.
        _same(
            f"{known}answer = {call}\nif getattr(answer, 'requires_grad', False) and n.is_leaf:\n"
            "    answer.sum().backward()\n    answer = n.grad"
        )


@pytest.mark.parametrize("dim", [0, -1, 1])
def test_nothing_is_taken_along_a_dimension_of_a_number(dim: int) -> None:
    _same(f"answer = tk.take_along_dim(tk.tensor(2.0), tk.tensor(0), {dim})")
