"""No answer depends on what other threads do: the same bits while others compute, listen or do not record."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from random import Random
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.jit import compiler
from tests.torch_oracle import fuzz_seconds

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")

WORKERS, PROGRAMS, STEPS = 8, 48, 14


@pytest.fixture(autouse=True)
def hasty_switching() -> Iterator[None]:
    """Python changes threads after every few instructions; and meanwhile no loop is compiled, whose bits are others."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with compiler.paused() if compiler._MODE == "1" else nullcontext():
        yield
    sys.setswitchinterval(before)


def bits(value: Any) -> Any:
    """A result as what can be compared to the last bit."""
    if isinstance(value, tk.Tensor):
        value = value.detach()
        return (
            str(value.dtype),
            tuple(value.shape),
            value.stride(),
            np.array(value.numpy(), order="C").tobytes(),
        )
    return [bits(one) for one in value] if isinstance(value, (tuple, list)) else value


# -- while a thread is in the middle of one of NumPy's calls --------------------------------------------------------

CALLS = """
a+b  a-b  a*b  a/b  a*2.5  1-a  a**2  a**3  a**0.5  a.abs()**b  a@b.mT  a.mT+b.mT  a[:1]+b  a+b[:,:1]  a.add_(b)
a.mul_(3)  a.mT.mul_(3)  a.exp()  a.exp_()  a.sin()  a.tanh()  a.sigmoid()  a.erf()  a.abs().log()  a.abs().sqrt()
a.abs().rsqrt()  a.reciprocal()  a.relu()  a.round()  a.neg()  a.mT.exp()  a[:,::2].exp()  a[:,::2]+b[:,::2]
tk.add(a,b,alpha=0.3)  tk.sub(a,b,alpha=0.7)  tk.lerp(a,b,0.3)  tk.addcmul(a,b,b,value=0.3)  tk.where(a>b,a,b)
a.clamp(-0.5,0.5)  a.atan2(b)  tk.add(a,b,out=b)  tk.exp(a,out=b)  a.fmod(0.3)  a.remainder(b)  a.float()
a.double()  a.int()  a.half()  a[:1,:1].double()  a.sum()  a.sum(0)  a.sum(1)  a.sum(1,keepdim=True)  a.sum((0,1))
a.mean()  a.mean(0)  a.mean(-1)  a[0].sum()  a[0].mean()  a.mT.sum()  a.mT.sum(0)  a.mT.mean(1)  a[:,::2].sum()
a[::2].sum(0)  a.norm()  a[0].norm()  a.norm(dim=0)  a.prod()  a.nansum()  a.cumsum(0)  a.cumsum(1)  a[0].cumsum(0)
a.cumprod(1)  a.mT.cumsum(1)  a.std()  a.std(0)  a.var(1)  tk.var_mean(a,0)  a.amax(1)  a.softmax(0)  a.softmax(1)
a.log_softmax(1)  a.logsumexp(1)  a.logsumexp(0)  a.sort(1)  a.topk(2)  a.median(0)  a.scatter_add(0,i,b)
a[:1,:1].scatter_add(0,i[:1,:1]*0,b[:1,:1])  a.index_add(0,i[0]*0,b[:1].expand(len(i[0]),-1))
"""
SIZES = ((1, 1), (1, 9), (3, 4), (4, 7), (5, 5), (9, 30), (40, 50))


def answers(kind: str) -> dict[tuple[str, tuple[int, int]], Any]:
    """The bits of all calls: of small tensors, of some hundreds and of some thousands of elements."""
    found = {}
    for code in CALLS.split():
        for size in SIZES:
            draw = np.random.default_rng(len(code))
            a, b = (tk.from_numpy(10 * draw.standard_normal(size).astype(kind)) for _ in "ab")
            try:
                answer = bits(eval(code, {"tk": tk, "a": a, "b": b, "i": (a > 0).long() * 0})), bits(b)
            except (RuntimeError, IndexError) as refused:  # sizes that do not fit
                answer = (str(refused),)
            found[code, size] = answer
    return found


@pytest.mark.parametrize("kind", ["f", "d"])
def test_a_short_way_that_is_taken_by_another_thread_is_no_other_way(kind: str) -> None:
    alone = answers(kind)
    inside, leave = threading.Event(), threading.Event()
    other = threading.Thread(
        target=elementwise.quiet_here,
        args=(lambda: inside.set() or leave.wait(),),  # type: ignore[func-returns-value]
    )
    other.start()
    inside.wait()
    try:
        beside = answers(kind)
    finally:
        leave.set()
        other.join()
    assert [call for call in alone if alone[call] != beside[call]] == []


def test_a_finalizer_computes_in_the_middle_of_a_call() -> None:
    found = []

    class Dear:
        def __del__(self) -> None:
            found.append((tk.arange(7.0) / 0).tolist()[1:])
            found.append(tk.arange(7.0).sum().item())

    def work() -> None:
        me = Dear()
        me.me = me  # type: ignore[attr-defined]
        del me
        gc.collect()

    for run in elementwise.quiet, elementwise.quiet_here:
        run(elementwise.quiet, work)
    assert found == [[np.inf] * 6, 21.0] * 2
    with pytest.raises(RuntimeError, match="its own"):
        elementwise.quiet(_refuse)


def _refuse() -> None:
    raise RuntimeError("its own")


# -- programs -------------------------------------------------------------------------------------------------------

STATEMENTS = {
    "pointwise": [
        "{n} = {a} + {b}", "{n} = {a} * {b} - 0.5", "{n} = {a} / {b}", "{n} = {a}.tanh()", "{n} = ({a} * 0.1).exp()",
        "{n} = tk.where({a} > {b}, {a}, {b})", "{n} = {a}.sigmoid() * {b}.mT", "{n} = tk.lerp({a}, {b}, 0.3)",
        "{n} = {a}.abs().sqrt() + 2", "{n} = {a}.double().sin().to({b}.dtype)", "{n} = {a}.half().to({b}.dtype)",
    ],
    "reductions": [
        "{n} = {a} - {a}.sum()", "{n} = {a} - {a}.mean(0)", "{n} = {a} / {a}.norm()", "{n} = {a}.softmax(1)",
        "{n} = {a} - {a}.sum(1, keepdim=True)", "{n} = {a}.cumsum(0)", "{n} = {a} / ({a}.std() + 1)",
        "{n} = {a} + {a}.mT.mean(0)", "{n} = {a}.log_softmax(0)", "{n} = {a}[:, ::2].sum() + {b}",
        "{n} = {a}.prod() + {b}",
        "{n} = {a}[0].sum() * {b}", "{n} = {a} - {a}.amax(1, keepdim=True)", "{n} = {a}.var(0) + {b}",
    ],
    "views": [
        "{n} = {a}.mT", "{n} = {a}.flip(0)[:, :]", "{n} = {a}[:1].expand({a}.size())",
        "{n} = {a}.reshape(-1).view({a}.size())",
        "{n} = {a}.diagonal() + {b}", "{n} = {a}.unsqueeze(0).squeeze(0)", "{n} = tk.cat([{a}[:1], {b}[1:]])",
    ],
    "in place": [
        "{n} = {a}.detach().clone().add_({b})", "{n} = {a}.detach().clone(); {n}[0].mul_(0.5)",
        "{n} = {a}.clone(); {n} *= {b}",
        "{n} = {a}.detach().clone(); {n}.mT.exp_()", "{n} = {a}.detach().clone(); {n}[1:] = {b}[:1]",
        "{n} = tk.empty_like({b}.detach()); tk.mul({a}.detach(), {b}.detach(), out={n})",
    ],
    "autograd": [
        "{n} = {a}.detach().clone().requires_grad_(); ({n} * {b}).sum().backward(); {n} = {n}.grad",
        "{n} = {a}.detach().clone().requires_grad_(); ({n}.tanh() @ {b}).mean().backward(); {n} = {n}.grad",
        "x = {a}.detach().clone().requires_grad_(); ({n},) = tk.autograd.grad((x.softmax(1) * {b}.detach()).norm(), x)",
        "{n} = {a}.detach().clone().requires_grad_(); {n}.cumsum(1).std().backward(); {n} = {n}.grad + {b}",
    ],
    "random": [
        "g = tk.Generator().manual_seed({s}); {n} = {a} + tk.randn({a}.size(), generator=g)",
        "g = tk.Generator().manual_seed({s}); {n} = {a} * tk.rand({a}.size(), generator=g)",
        "g = tk.Generator().manual_seed({s}); {n} = {a}[tk.randperm(len({a}), generator=g)]",
        "g = tk.Generator().manual_seed({s}); {n} = tk.bernoulli({a}.sigmoid(), generator=g).to({b}.dtype) + {b}",
    ],
    "indexing": [
        "{n} = {a}[tk.arange(len({a})).flip(0)]", "{n} = {a}.gather(1, {b}.argsort(1))",
        "{n} = {a}.masked_fill({b} > 0, 0.25)",
        "{n} = {a}.index_add(0, tk.zeros(len({b}), dtype=tk.int64), {b})",
        "{n} = {a}.scatter_add(0, {b}.argsort(0), {b})",
        "{n} = {a}[{a} > 0].sum() + {b}", "{n} = {a}.take_along_dim({b}.argsort(0), 0)",
    ],
    "sort": [
        "{n} = {a}.sort(1).values", "{n} = {a}.sort(0, descending=True)[0]", "{n} = {a}.median(1).values + {b}",
        "{n} = {a}.topk(1)[0] * {b}", "{n} = {a}.kthvalue(1, dim=0).values - {b}",
    ],
    "matmul": [
        "{n} = {a} @ {b}", "{n} = {a} @ {b}.mT", "{n} = tk.einsum('ij,kj->ik', {a}, {b})",
        "{n} = tk.outer({a}[0], {b}[:, 0])",
        "{n} = tk.addmm({a}, {a}, {b})", "{n} = ({a} @ {b}[0]) + {b}",
    ],
}  # fmt: skip


def program(seed: int) -> list[str]:
    """A program as lines: two square matrices, and steps of all kinds on what there is so far."""
    draw = Random(seed)
    size, kind = draw.choice((2, 3, 4, 5, 6, 8, 20, 64, 400 if seed % 16 == 0 else 7)), draw.choice("fffd")
    lines = [
        f"draw = np.random.default_rng({seed})",
        f"a, b = (tk.from_numpy(draw.standard_normal(({size}, {size})).astype({kind!r})) for _ in 'ab')",
    ]
    names = ["a", "b"]
    for step in range(STEPS):
        one, two, new = draw.choice(names), draw.choice(names), f"t{step}"
        sort = draw.choice(list(STATEMENTS))
        chosen = draw.choice(STATEMENTS[sort])
        lines.append(chosen.format(a=one, b=two, n=new, s=draw.randrange(2**32)) + f"  # {sort}")
        names.append(new)
    return lines


def run(lines: list[str]) -> list[Any]:
    """The bits of every tensor that a program makes; and what it was refused."""
    names: dict[str, Any] = {"tk": tk, "np": np}
    said = []
    for line in lines:
        try:
            exec(line, names)
        except Exception as error:
            said.append(f"{line}: {error}")
            break
    return [*said, *(bits(value) for value in names.values() if isinstance(value, tk.Tensor))]


def together(seeds: range) -> list[int]:
    """The programs that give other bits on one of eight threads than on one alone."""
    programs = [program(seed) for seed in seeds]
    alone = [run(lines) for lines in programs]
    assert alone == [run(lines) for lines in programs]
    start, wrong = threading.Barrier(WORKERS), []
    around: list[Callable[[], Any]] = [
        nullcontext,
        tk.tracing.record,
        tk.no_grad,
        lambda: np.errstate(all="raise"),
    ]

    def work(number: int) -> None:
        start.wait()
        for place in range(len(programs)):
            at = (place + number * len(programs) // WORKERS) % len(programs)
            with (
                around[place % 2 and number % len(around)]()
                if "grad" not in str(programs[at])
                else nullcontext()
            ):
                if run(programs[at]) != alone[at]:
                    wrong.append(seeds[at])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return wrong


def test_programs_give_on_eight_threads_what_they_give_on_one() -> None:
    assert together(range(PROGRAMS)) == []


@pytest.mark.fuzz
def test_as_many_programs_as_there_is_time_for() -> None:
    if not fuzz_seconds():
        pytest.skip("only with TENSORKIT_FUZZ_SECONDS, which `make fuzz` sets")
    end, first = time.monotonic() + fuzz_seconds(), PROGRAMS
    while time.monotonic() < end:
        assert together(range(first, first + PROGRAMS)) == []
        first += PROGRAMS


def test_all_kinds_of_statements_are_drawn_and_run() -> None:
    drawn = {line.partition("  # ")[2] for seed in range(PROGRAMS) for line in program(seed)[2:]}
    assert drawn == set(STATEMENTS)
    refused = [said for seed in range(PROGRAMS) if isinstance(said := run(program(seed))[0], str)]
    assert refused == []
