"""One call on tensors of one to ten elements, over all kinds of operation: the price of a call."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, benchmark, codes, on_threads, require_torch

MOST = 3.0  # times PyTorch's time, for any one of them
MEAN = 1.0  # for the geometric mean of all

#: By kind; `a`, `b` and `p` have one element, `t` and `u` two rows of three, `x` wants a gradient.
CODES: dict[str, tuple[str, ...]] = {
    "pointwise": (
        "a + b",
        "a - b",
        "a * b",
        "a / b",
        "a + 1.0",
        "2.0 * a",
        "1.0 - a",
        "1.0 / a",
        "a ** 2",
        "a.pow(b)",
        "-a",
        "a.exp()",
        "p.log()",
        "p.sqrt()",
        "a.tanh()",
        "a.sigmoid()",
        "a.relu()",
        "a.abs()",
        "a.round()",
        "a.floor()",
        "a.nan_to_num()",
        "p.logit(0.1)",
        "a.clamp(0.0, 1.0)",
        "a.clamp_(0.0, 1.0)",
        "a.lerp(b, 0.5)",
        "a.lerp_(b, 0.5)",
        "a.isnan()",
        "a.angle()",
        "a.maximum(b)",
        "a.addcmul(a, b)",
        "w(a > 0, a, b)",
        "a.masked_fill(m, 0.0)",
        "isin(a, b)",
        "a < b",
        "a == 1.0",
        "m & m",
        "i // 2",
        "i % 2",
        "i + 1",
        "i + a",
    ),
    "operands that are not row-major": (
        "t.t() + t.t()",
        "t.t() + 1.0",
        "t.t().exp()",
        "t[:, 1] * u[:, 1]",
        "t + r",
    ),
    "written in place": (
        "a.add_(b)",
        "a.mul_(1.0)",
        "a.copy_(b)",
        "a.fill_(1.0)",
        "a.zero_()",
        "a.abs_()",
        "v.add_(1.0)",
    ),
    "views": (
        "t.t()",
        "t.view(6)",
        "t.view(3, -1)",
        "t.reshape(6)",
        "t.reshape(3, 2)",
        "t.flatten()",
        "t.transpose(0, 1)",
        "t.permute(1, 0)",
        "r.expand(2, 3)",
        "t.unsqueeze(0)",
        "r.squeeze()",
        "r.squeeze(0)",
        "t.narrow(1, 0, 2)",
        "t.select(0, 1)",
        "t.split(1)",
        "t.chunk(2)",
        "t.unbind()",
        "t.detach()",
    ),
    "square brackets": (
        "t[0]",
        "t[0, 1]",
        "t[:, 1]",
        "t[0:1]",
        "t[None]",
        "t[..., 1:]",
        "t[tm]",
        "t[ti]",
        "t[[0, 1]]",
        "t[0] = 1",
        "t[0, 1] = 1.0",
        "t[0] = r",
        "t[tm] = 1.0",
    ),
    "reductions": (
        "t.sum()",
        "t.sum(0)",
        "t.sum(1, keepdim=True)",
        "t.mean()",
        "t.mean(1)",
        "t.max()",
        "t.max(1)",
        "t.min()",
        "t.amax(1)",
        "t.argmax()",
        "t.argmax(1)",
        "t.prod()",
        "t.std()",
        "t.var(0)",
        "t.norm()",
        "tm.any()",
        "tm.all()",
        "t.logsumexp(1)",
        "t.softmax(1)",
        "t.log_softmax(1)",
        "t.cumsum(0)",
    ),
    "order and places": (
        "t.sort()",
        "t.argsort(1)",
        "t.topk(2)",
        "t.gather(0, ti2)",
        "t.index_select(0, ti)",
        "t.nonzero()",
        "t.unique()",
        "t.tril()",
        "t.diagonal()",
    ),
    "joined": ("cat((t, u))", "stack((t, u))"),
    "products": ("t @ u.t()", "mm(t, s)", "matmul(t, s)", "t.mv(q)", "q.dot(q)", "einsum('ij,jk', t, s)"),
    "made": (
        "zeros(3)",
        "ones(2, 3)",
        "full((2, 3), 1.5)",
        "arange(3)",
        "linspace(0, 1, 3)",
        "tensor(1.0)",
        "tensor([1.0, 2.0])",
        "zeros_like(t)",
        "empty(3)",
        "rand(3)",
        "randn(3)",
        "eye(3)",
    ),
    "copied and read": (
        "t.clone()",
        "t.contiguous()",
        "t.t().contiguous()",
        "t.to(f64)",
        "t.to(f32)",
        "t.double()",
        "t.int()",
        "a.item()",
        "float(a)",
        "bool(m)",
        "t.tolist()",
        "t.numpy()",
        "t.size()",
        "t.shape",
        "len(t)",
        "equal(t, u)",
    ),
    "recorded": (
        "x + y",
        "x * 2.0",
        "x.exp()",
        "x.sum()",
        "x.mean()",
        "z[0]",
        "z.t()",
        "z.view(6)",
        "z.reshape(6)",
        "z.clone()",
        "z.detach()",
        "z.softmax(1)",
        "z @ z.t()",
        "z.relu()",
        "cat((z, z))",
    ),
}


def _names(library: Any) -> dict[str, Any]:
    """The tensors and functions that the codes speak of."""
    t = library.arange(6.0).view(2, 3).clone()
    functions = (
        "arange cat einsum empty equal eye full isin linspace matmul mm ones rand randn stack tensor zeros"
    )
    return {
        **{name: getattr(library, name) for name in functions.split()},
        "zeros_like": library.zeros_like,
        "w": library.where,
        "f32": library.float32,
        "f64": library.float64,
        "a": library.tensor([1.0]),
        "b": library.tensor([2.0]),
        "p": library.tensor([0.5]),
        "m": library.tensor([True]),
        "i": library.tensor([3]),
        "t": t,
        "u": t.clone() + 1.0,
        "v": library.arange(6.0).view(2, 3)[:, 1],
        "r": library.arange(3.0).view(1, 3),
        "s": library.arange(6.0).view(3, 2),
        "q": library.arange(3.0),
        "tm": library.tensor([[True, False, True], [False, True, True]]),
        "ti": library.tensor([1, 0]),
        "ti2": library.tensor([[0, 1, 0]]),
        "x": library.tensor([1.0], requires_grad=True),
        "y": library.tensor([2.0], requires_grad=True),
        "z": library.arange(6.0).view(2, 3).clone().requires_grad_(),
    }


@benchmark("One call on one to ten elements")
def tiny() -> Iterator[Row]:
    torch = require_torch()
    ratios = []
    with on_threads(torch, 1):
        for kind, code in ((kind, code) for kind, its_codes in CODES.items() for code in its_codes):
            pair = codes(code, code, _names(tensorkit), _names(torch))
            ratios.append(pair.ratio)
            yield Row(code, pair.ratio, "× PyTorch", f"{pair.told('tensorkit', 'PyTorch')} ({kind})", MOST)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    yield Row("geometric mean", mean, "× PyTorch", f"of {len(ratios)} calls", MEAN)
