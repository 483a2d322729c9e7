"""A call that cannot have been meant is refused in PyTorch's words, and changes nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, Sample, registry
from tests.parity.compare import Operand, build, compare, same_error
from tests.parity.questions import disagreement, lines
from tests.parity.wrong_calls import spoilt
from tests.torch_oracle import require_torch

CALLS = (
    # as many arguments as no form takes
    *("tk.narrow(a)", "tk.scatter(a, 0)", "tk.linalg.pinv()", "tk.randint()", "tk.fill(a)", "tk.sqrt()"),
    *("tk.sqrt(a, 3)", "tk.sqrt(a, 3, out=a)", "tk.abs_()", "a.diag(0, 1)", "tk.eye()", "tk.arange()"),
    *("tk.linspace(0, 1)", "tk.movedim(a, 0)", "tk.max(a, a, a)", "tk.clamp(a, 1, 2, 3)"),
    # names that no form knows, and names given twice
    *("a.narrow(0, 0, 1, foo=1)", "tk.abs_(a, foo=1)", "tk.sum(a, foo=1)", "tk.randn(2, foo=1)"),
    *("tk.sum(a, 0, dim=1)", "tk.linalg.cond(a, 2, p=2)"),
    # what is no tensor, no integer, no bool
    *("tk.fill('x', 1)", "tk.narrow([1], 0, 0, 1)", "tk.linalg.matrix_rank(None)", "tk.mm(a, 'x')"),
    *("a.flatten(a)", "a.unbind(True)", "a.narrow(1.5, 0, 1)", "a.sum(True)", "a.unfold(1.5, 1, 1)"),
    *("a.narrow(0, 0, 1.5)", "a.narrow(0, tk.tensor(0.5), 1)", "a.unfold(0, 1.5, 1)", "a.unfold(0, 1, True)"),
    *("a.diagonal(1.5)", "a.diagonal(tk.tensor(1.5))", "tk.cat(a, a)", "tk.triu_indices(4, a)"),
    *("tk.linalg.cholesky(a, upper=a)", "a.argmax(0, keepdim=a)", "tk.full((2,), a)"),
    # what is no sequence of integers
    *("a.amax(['x'])", "a.amax([0, 'x'])", "a.sum([1.5])", "a.permute('x', 1)", "a.permute(1, 'x')"),
    *("tk.zeros('x', 3)", "tk.zeros(['x'])", "tk.zeros(3, 'x')", "tk.rand('x', 2)", "a.expand(1.5, 2)"),
    # what else PyTorch refuses, and what stands where another thing was meant
    *(
        "tk.as_tensor([1], tk.float32)",
        "a.hsplit([1, None])",
        "a.to(tk.float64, 'cpu')",
        "a.argsort(stable=None)",
    ),
    *("tk.addcdiv(a, 3, tensor1=a, tensor2=a, value=2)", "tk.rsub(a, a, alpha=None)", "a.tensor_split(a[0])"),
    *(
        "tk.meshgrid(a * 0.5, indexing='ij')",
        "tk.meshgrid(tk.ones(1, 99), indexing='ij')",
        "tk.split([1], 1)",
    ),
    # None where something else has to be said, if anything is
    *(
        "a.max(None)",
        "tk.min(a, dim=None)",
        "a.min(other=None)",
        "a.std(unbiased=None)",
        "tk.var(a, 0, None)",
    ),
    *("tk.var_mean(a, unbiased=None)", "a.round(decimals=None)", "tk.round(a, decimals=None)"),
    *("tk.round_(a, decimals=None)", "tk.round(a, decimals=None, out=None)"),
    # what PyTorch does not count as Python does, and whose name it gives
    *("a.size(0, 0)", "a.stride(0, 1, 2)", "a.size(foo=1)", "a.stride(0, dim=0)", "a.size(a)", "a.std(0, 1)"),
    *("tk.unique()", "tk.unique(a, 3, 3, 3, 3, 3, 3)", "tk.unique(a, True, True, foo=1)", "a.unique(1, a)"),
    *("tk.unique_consecutive(a, foo=1)", "tk.unique_consecutive(a, 1, 1, 1, 1, 1)", "tk.unique(a, 1, 0, a)"),
    *("a.requires_grad_(1)", "a.register_hook(1, 2)", "a.backward(foo=1)", "tk.unique_consecutive(a, 0, a)"),
    # negative lengths, and numbers of NumPy's
    *("a.new_zeros(-7)", "a.new_zeros((2, -7))", "a.new_ones(2, -7)", "a.new_zeros('x')"),
    *("tk.full((2,), tk.ones(2).numpy())", "a.flatten(tk.ones(2).numpy()[0])"),
    # integers of more than 64 bits
    *("a.flatten(2**70)", "a.sum(2**70)", "a.transpose(0, 2**70)"),
)


#: What has two faults, or nearly none.
BESIDE_LIMITS = (
    # bools come before the missing dimension
    *("tk.cumulative_trapezoid(a[0] > 0, a[0] > 0)", "tk.cumulative_trapezoid(a[0], a[0] > 0, dim=0)"),
    *(
        "tk.cumulative_trapezoid(a, a > 0, dim=5)",
        "tk.trapezoid(a[0] > 0, a[0] > 0)",
        "tk.trapezoid(a, a > 0)",
    ),
    # the range of a histogram has to fit before the kernel is looked for
    *("tk.tensor(2**31 - 1, dtype=tk.int32).histc(3)", "tk.tensor(2**31 - 2, dtype=tk.int32).histc(3)"),
    *(
        "tk.tensor(-128, dtype=tk.int8).histc(3)",
        "a.half().histc(3, 0, 70000)",
        "a.histc(3, 0, 1e300)",
        "tk.tensor(2**63 - 1).histc(1, 0, 2.0**63)",
        "tk.tensor([1, 2]).fill_(2.0**63)",
    ),
    # a number beyond 16 bits: PyTorch refuses it unless it goes through a double
    *(f"a.{kind}().fill_({number})" for kind in ("half", "bfloat16") for number in ("1e39", "1 + 2j")),
    *(f"a[:1].{kind}().fill_({number})" for kind in ("half", "bfloat16") for number in ("1e39", "1 + 2j")),
    *("a.half().fill_(65504.0)", "a.half().fill_(65505)", "a.half().fill_(-float('inf'))"),
    *("tk.full((2,), 70000, dtype=tk.half)", "tk.full((1,), 70000, dtype=tk.half)"),
    *("tk.full_like(a, 70000, dtype=tk.half)", "a.half().masked_fill(a > 99, 70000)"),
    *("a.half().index_fill(0, tk.tensor([0]), 1e30)", "a.half().scatter(0, tk.tensor([0]), 1e30)"),
    "a.bfloat16().index_put((tk.tensor([True, False]),), tk.tensor(1 + 2j))",
    "a.half().index_add(0, tk.tensor([0]), a[:1].half(), alpha=1e30)",
    "tk.addmv(a.half(), tk.ones(2, 2).half(), a.half(), alpha=1e30)",
    # where nothing is added up no kernel is looked for; where all is, one is for 32 bits alone
    *("a[:0].nansum(dtype=tk.complex64)", "a.nansum(dtype=tk.complex64)"),
    *("tk.std(a.half(), 0, out=tk.empty(0))", "tk.var(a[None].bfloat16(), 1, out=tk.empty(0))"),
    *("tk.std(a[None].half(), 0, out=tk.empty(0))", "tk.std(a.half(), 0, out=tk.empty(0).half())"),
    # elements that share a slot come before the missing kernel
    "tk.ldexp_(a[:1].expand(3), tk.ones(3, dtype=tk.uint32))",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", BESIDE_LIMITS)
def test_of_two_faults_the_first_is_named(call: str) -> None:
    difference = compare(require_torch(), call, {"a": Operand((2,), "float32")})
    assert difference is None, difference.text if difference else ""


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_be_meant_is_refused_in_pytorchs_words(call: str) -> None:
    torch = require_torch()
    difference = compare(torch, call, {"a": Operand((2, 2), "float32")})
    assert difference is None, difference.text if difference else ""
    assert _raises(call)


@pytest.mark.parity
@pytest.mark.parametrize("question", [*lines("large_numbers"), *lines("names")])
def test_large_integers_and_other_names_are_told_in_pytorchs_words(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


@pytest.mark.parity
@pytest.mark.usefixtures("both_warn")
@pytest.mark.parametrize("question", lines("nested"))
def test_rows_that_lie_in_themselves_or_lie_about_themselves_end_as_in_pytorch(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


@pytest.mark.parity
@pytest.mark.usefixtures("both_warn")
@pytest.mark.parametrize("question", lines("integers"))
def test_a_tensor_without_dimensions_is_an_integer_where_it_holds_one(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


#: Numbers that are tensors without dimensions, and what earlier forms take.
TAKEN = (
    *(
        "tk.sub(a, a, alpha=tk.tensor(2.0))",
        "tk.addcmul(a, a, a, value=tk.tensor(1.5))",
        "a.histc(2, 1, tk.tensor(3))",
    ),
    *(
        "tk.cdist(a, a, tk.tensor(3.0))",
        "tk.cdist(a, a, True)",
        "tk.dist(a, a, tk.tensor(1))",
        "a.hsplit(sections=2)",
    ),
    "tk.range(tk.tensor(1.5), 4)",
    "a.count_nonzero(0, 1)",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", TAKEN)
def test_what_is_unusual_is_taken_where_pytorch_takes_it(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        difference = compare(require_torch(), call, {"a": Operand((2, 2), "float32")})
    assert difference is None, difference.text if difference else ""


@pytest.mark.parity
def test_an_earlier_form_is_taken_as_pytorch_takes_it() -> None:
    """PyTorch warns of it once in the life of a process, so what it says is for another test."""
    torch = require_torch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (
            lib.addcdiv(lib.eye(2), 2, tensor1=lib.eye(2), tensor2=lib.ones(2)) for lib in (tk, torch)
        )
    assert ours.tolist() == theirs.tolist() == [[3.0, 0.0], [0.0, 3.0]]


@pytest.mark.parity
def test_a_form_that_was_fitted_by_types_does_not_hide_a_value_that_fits_none() -> None:
    torch = require_torch()
    a = {"a": Operand((2, 2), "float32")}
    for call in ("tk.isin(a, a[0, 0])", "tk.narrow(a, 0, tk.tensor(0), 1)", "a.movedim((0, 1), (1, 0))"):
        assert compare(torch, call, a) is None
    for call in (
        *(
            "tk.isin(2, 2)",
            "tk.narrow(a, 0, tk.tensor(0.5), 1)",
            "a.movedim((0, 1), (1, 0.5))",
            "a.movedim((0,), (True,))",
        ),
        *(
            "tk.arange(tk.tensor(3))",
            "tk.arange(tk.ones(2))",
            "a.tril(2**70)",
            "a.tril(tk.tensor(1))",
            "a.tril(a)",
        ),
    ):
        assert compare(torch, call, a) is None, call


def _raises(call: str) -> bool:
    with pytest.raises(Exception):  # noqa: B017 - which, the comparison has asked
        eval(call, {"tk": tk, "a": tk.ones(2, 2)})
    return True


#: Calls that fail after they have begun to look, each on a tensor ``t`` of six numbers.
HALVES = (
    *("t.add_(tk.ones(4))", "t[tk.tensor([0, 9])].add_(1)", "t.index_add_(0, tk.tensor([0, 9]), tk.ones(2))"),
    *("t.index_copy_(0, tk.tensor([0, 9]), tk.ones(2))", "t.index_fill_(0, tk.tensor([0, 9]), 7)"),
    *("t.scatter_(0, tk.tensor([0, 9]), 7.)", "t.scatter_add_(0, tk.tensor([0, 9]), tk.ones(2))"),
    *("t.put_(tk.tensor([0, 9]), tk.ones(2))", "t.index_put_((tk.tensor([0, 9]),), tk.ones(2))"),
    *("t.masked_scatter_(t < 9, tk.ones(2))", "t.masked_fill_(tk.ones(4) > 0, 1)", "t.copy_(tk.ones(4))"),
    *("t.__setitem__([0, 9], 7.)", "t.__setitem__(slice(0, 3), tk.ones(2))", "t.__setitem__(0, 'x')"),
    *(
        "t.fill_('x')",
        "t.clamp_('x')",
        "t.pow_('x')",
        "t.uniform_(3, 2)",
        "t.normal_(0, -1)",
        "t.bernoulli_(tk.tensor([1, 1, 0, 0, 0, float('nan')]))",
        "t.lerp_(t, 'x')",
    ),
    *("t.resize_(-1)", "t.transpose_(0, 3)", "t.unsqueeze_(4)", "t.squeeze_('x')", "t.exponential_(-1)"),
    *(
        "tk.add(t, tk.ones(4), out=t)",
        "tk.cat([t, tk.ones(2, 2)], out=t)",
        "t.addmm_(tk.ones(2), tk.ones(2))",
    ),
)


@pytest.mark.parametrize("call", HALVES)
def test_a_refused_write_changes_nothing(call: str) -> None:
    t = tk.arange(6.0)
    kept: tuple[Any, ...] = (t.clone().tolist(), t.size(), t.stride(), t._version)
    with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)):
        eval(call, {"tk": tk, "t": t})
    assert (t.tolist(), t.size(), t.stride(), t._version) == kept


#: Of all spoilt calls so many are answered otherwise than by PyTorch: by another sentence, or by one of the two alone.
DIFFER = 15
ACCEPTED = 3  # of these: fewer pivots than rows, where PyTorch reads on in memory that is not theirs
#: Of the operations of networks: most of these are Python's own errors, of functions that PyTorch writes in Python, and
#: name its inner ones (``_max_pool2d``, ``'str' object has no attribute 'dim'``).
DIFFER_OF_NETWORKS = 223
ACCEPTED_OF_NETWORKS = 8
_STATEFUL = ("resize_", "set_num", "set_rng", "seed", "random_", "share_memory", "unravel_index")


def _outcome(lib: Any, call: str, sample: Sample) -> BaseException | None:
    try:
        names = {name: build(lib, Operand(size, "float32")) for name, size in sample.sizes.items()}
        eval(call, {"tk": lib, **names})
    except Exception as error:
        return error
    return None


def _right_calls(record: Op) -> Iterator[Sample]:
    """The first four samples of an operation that are calls of it, succeed, and differ in what is given."""
    seen = set[tuple[str, int, int]]()
    for sample in record.samples:
        head = sample.call.partition("(")[0]
        if head.rpartition(".")[2] not in {
            n.rpartition(".")[2] for n in (*record.functions, *record.methods)
        }:
            continue
        shape = (head, sample.call.count(","), sample.call.count("="))
        if shape not in seen and len(seen) < 4 and _outcome(tk, sample.call, sample) is None:
            seen.add(shape)
            yield sample


@pytest.mark.parity
def test_spoilt_calls_are_refused_as_pytorch_refuses_them() -> None:
    torch = require_torch()
    found: dict[str, tuple[BaseException | None, BaseException | None]] = {}
    of_networks = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, record in registry.items():
            for sample in _right_calls(record) if not any(word in name for word in _STATEFUL) else ():
                for call in spoilt(sample.call):
                    if f"{call} {sample.sizes}" not in found:
                        both = _outcome(tk, call, sample), _outcome(torch, call, sample)
                        found[f"{call} {sample.sizes}"] = both
                        module = record.function.__module__ if record.function else ""
                        if name == "binomial" or module.startswith(
                            ("tensorkit.ops.nn.", "tensorkit.ops.fft.")
                        ):
                            of_networks.add(f"{call} {sample.sizes}")
    wrong = {call: both for call, both in found.items() if both != (None, None)}
    differ = [call for call, both in wrong.items() if same_error(*both) is not None]
    accepted = [call for call in differ if wrong[call][0] is None]
    print(f"{len(wrong)} spoilt calls: {len(differ)} differ, of which {len(accepted)} are accepted")
    assert len(wrong) > 10000
    assert len(set(differ) - of_networks) <= DIFFER, set(differ) - of_networks
    assert len(set(accepted) - of_networks) <= ACCEPTED, set(accepted) - of_networks
    assert len(of_networks.intersection(differ)) <= DIFFER_OF_NETWORKS
    assert len(of_networks.intersection(accepted)) <= ACCEPTED_OF_NETWORKS, of_networks.intersection(accepted)


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("overflow"))
def test_a_number_that_a_dtype_cannot_hold_is_refused(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None
