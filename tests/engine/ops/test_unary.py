"""Functions of one number: what a comparison of single calls cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import registry
from tests.torch_oracle import fused, require_torch

MODULES = {
    "tensorkit.ops.complex.conj",
    "tensorkit.ops.pointwise.classification",
    "tensorkit.ops.pointwise.exp_log",
    "tensorkit.ops.pointwise.rounding",
    "tensorkit.ops.pointwise.trigonometric",
    "tensorkit.ops.special.erf_gamma",
}
ONE = sorted(
    name
    for name, op in registry.items()
    if op.kind == "pointwise"
    and op.function is not None
    and op.function.__module__ in MODULES
    and any(case.call == f"tk.{name}(a)" for case in op.samples)
)


# -- views that stand for conjugates ------------------------------------------------------------------------------

#: What is done through a view of conjugates, and what is read of it.
WRITES = (
    "v[0] = 5 + 1j",
    "v[tk.tensor([0])] = 7j",
    "v.mul_(2)",
    "v.fill_(1 + 1j)",
    "v.copy_(tk.tensor([1j, 2j]))",
    "v.zero_()",
    "v += 1j",
    "v.sqrt_()",
    "v.conj().mul_(1j)",
    "v[:1].add_(1j)",
    "tk.exp(w, out=v)",
    "tk.add(w, 1, out=v)",
    "v.conj_physical_()",
    "w[0] = 9j",
)
READS = (
    "v.tolist()",
    "v[0].item()",
    "v.real",
    "v.imag",
    "v.contiguous().is_conj()",
    "v.clone().is_conj()",
    "v.detach().is_conj()",
    "v.to(tk.cdouble).is_conj()",
    "v.data_ptr() == w.data_ptr()",
    "v.reshape(2, 1).t()",
    "v.numpy()",
    "v.view(tk.float32)",
    "tk.view_as_real(v)",
    "v.sum()",
    "v * w",
    "v == w",
    "w.reshape(1, 2).mH",
    "w.reshape(1, 2).H.is_conj()",
    "v._version",
)


def _after(lib: Any, work: str, read: str) -> str:
    names: dict[str, Any] = {"tk": lib}
    exec("w = tk.tensor([1 + 2j, 3 - 1j]); v = w.conj()", names)
    try:
        exec(work, names)  # the same text under both libraries
        return repr(eval(read, names))
    except RuntimeError as problem:
        return str(problem)


def _same(ours: str, theirs: str) -> bool:
    return ours.replace("tensorkit", "torch").replace("-0.", " 0.") == theirs.replace("-0.", " 0.")


@pytest.mark.parity
@pytest.mark.parametrize("work", WRITES)
def test_what_is_written_through_a_view_of_conjugates(work: str) -> None:
    ours, theirs = (_after(lib, work, "(w, v, v.is_conj(), w._version)") for lib in (tk, require_torch()))
    assert _same(ours, theirs), f"{ours} against {theirs}"


@pytest.mark.parity
@pytest.mark.parametrize("read", READS)
def test_what_is_read_of_a_view_of_conjugates(read: str) -> None:
    ours, theirs = (_after(lib, "pass", read) for lib in (tk, require_torch()))
    assert _same(ours, theirs), f"{ours} against {theirs}"


@pytest.mark.parity
def test_conjugates_keep_the_strides_that_no_element_needs() -> None:
    views = "w[:0].view(0, 3)[:, ::2], w[:0].expand(2, 0), w[:0].view(3, 0).t(), w[None, ::2][:, :1]"
    read = f"[c.conj_physical().stride() for c in ({views})]"
    assert _after(tk, "pass", read) == _after(require_torch(), "pass", read)


@pytest.mark.parity
@pytest.mark.parametrize(
    "steps",
    [
        "v.mul_(2j); out = y",
        "y.mul_(2j); out = v",
        "v[1:].exp_(); out = y * w",
        "y.add_(v); out = y * v",
    ],
)
def test_gradients_pass_through_writes_to_views_of_conjugates(steps: str) -> None:
    found = []
    for lib in (tk, require_torch()):
        names: dict[str, Any] = {"tk": lib}
        exec("w = tk.tensor([1 + 2j, 3 - 1j], requires_grad=True); y = w * 1; v = y.conj()", names)
        exec(steps, names)
        names["out"].sum().abs().backward()
        found.append(names["w"].grad.tolist())
    assert np.allclose(*found)


# -- without data -------------------------------------------------------------------------------------------------


@pytest.mark.parity
@pytest.mark.parametrize("name", ONE)
def test_a_meta_tensor_gives_size_stride_and_dtype(name: str) -> None:
    torch = require_torch()
    for kind in ("float32", "int64"):
        faces: list[Any] = []
        for lib in (tk, torch):
            operand = lib.empty(3, 2, dtype=getattr(lib, kind), device="meta").t()
            try:
                out = getattr(lib, name)(operand)
            except RuntimeError:
                faces.append(None)
            else:
                faces.append((str(out.dtype).split(".")[1], tuple(out.size()), out.stride(), out.is_meta))
        assert faces[0] == faces[1], kind


# -- exact answers ------------------------------------------------------------------------------------------------


@pytest.mark.parity
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("log10", [1, 10, 100, 1000, 1e6, 1e-3, 1e10]),
        ("log2", [1, 2, 8, 1024, 0.5, 2.0**-20]),
        ("exp2", [0, 1, 3, 10, -1, -20]),
        ("sqrt", [0, 1, 4, 25, 144, 1e6, 0.25]),
        ("tanh", [0, 20, -20]),
        ("erf", [0, 6, -6]),
        ("sigmoid", [0, 40, -200]),
    ],
)
def test_round_numbers_have_round_answers(name: str, given: list[float]) -> None:
    torch = require_torch()
    for kind in ("float32", "float64"):
        ours = getattr(tk, name)(tk.tensor(given, dtype=getattr(tk, kind)))
        theirs = getattr(torch, name)(torch.tensor(given, dtype=getattr(torch, kind)))
        assert ours.tolist() == theirs.tolist(), (name, kind)


def test_no_warning_of_numpy_gets_out() -> None:
    odd = tk.tensor([0.0, -1.0, float("inf"), float("nan"), 1e38])
    assert len(ONE) > 40
    for name in ONE:
        if name != "bitwise_not":
            getattr(tk, name)(odd)  # warnings are errors here
            getattr(tk, name)(odd.to(tk.float64))


def test_aliases_do_the_same_under_their_own_names() -> None:
    t = tk.tensor([0.5, -0.25])
    assert tk.fix(t).tolist() == tk.trunc(t).tolist()
    assert tk.arcsin(t).tolist() == tk.asin(t).tolist()
    assert (tk.Tensor.arccosh_.__name__, tk.Tensor.acosh_.__name__) == ("arccosh_", "acosh_")
    with pytest.raises(
        TypeError, match=r"^arcsin\(\): argument 'input' \(position 1\) must be Tensor, not int$"
    ):
        tk.arcsin(3)


@pytest.mark.parity
@pytest.mark.parametrize(
    "call", ["x.exp()", "x.cosh()", "(x / 10).tanh()", "x.log2()", "x.log10()", "x ** 2.5", "2 ** x"]
)
def test_few_numbers_of_single_precision_are_pytorchs_to_the_last_digit(call: str) -> None:
    # NumPy's loops for single precision have the same bits for 60 to 80 numbers of a hundred.
    torch = require_torch()
    drawn = (np.random.default_rng(0).random((100, 300)) * 19.5 + 0.5).astype(np.float32)
    same = []
    for some in drawn:
        ours, theirs = (eval(call, {"x": library.from_numpy(some)}) for library in (tk, torch))
        same.append(np.mean(ours.numpy() == theirs.numpy()))
    assert np.mean(same) > (0.92 if fused() else 0.85)


@pytest.mark.parity
def test_a_large_power_of_e_is_printed_as_pytorch_prints_it() -> None:
    torch = require_torch()
    assert repr(tk.exp(tk.tensor([12.0]))) == repr(torch.exp(torch.tensor([12.0]))) == "tensor([162754.7969])"


def test_what_is_written_in_place_or_out_has_the_same_digits() -> None:
    for size in (1, 100, 600, 200_000):
        x = tk.linspace(0.5, 20, size)
        expected = x.exp()
        out = tk.empty(size)
        assert tk.equal(tk.exp(x, out=out), expected)
        assert tk.equal(x.clone().exp_(), expected)


def _apart(values: tk.Tensor, width: int) -> tk.Tensor:
    """These values in the first column of a matrix."""
    column = tk.zeros(len(values), width, dtype=values.dtype)[:, 0]
    return column.copy_(values)


def _called(function: Any, *operands: tk.Tensor, **more: Any) -> Any:
    """The result; None where the operation does not take such operands."""
    try:
        return function(*operands, **more)
    except (RuntimeError, TypeError, ValueError, IndexError):
        return None


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int64", "int32", "int16", "uint8", "complex64"]
)
@pytest.mark.parametrize("count", [3, 40])
def test_a_column_is_read_and_written_as_a_row(dtype: str, count: int) -> None:
    # NumPy 2.4's numpy.negative is wrong where elements are 16 or 64 bytes apart.
    row = (tk.arange(count) % 7 + 1).to(getattr(tk, dtype))
    compared = 0
    for name, op in registry.items():
        if op.kind != "pointwise" or op.function is None:
            continue
        for operands in ((row,), (row, row.flip(0))):
            expected = _called(op.function, *operands)
            if not isinstance(expected, tk.Tensor) or expected.size() != row.size():
                continue
            for width in (2, 3, 4, 8, 16):
                for way in ("read", "out", "out, a row", "out, from a row", "in place", "into itself"):
                    columns = [_apart(operand, width) for operand in operands]
                    function = getattr(tk.Tensor, f"{name}_", None) if way == "in place" else op.function
                    outs = {
                        "out": _apart(tk.zeros_like(expected), width),
                        "out, a row": tk.empty_like(expected),
                        "out, from a row": _apart(tk.zeros_like(expected), width),
                        "into itself": columns[0],
                    }
                    more = {"out": outs[way]} if way in outs else {}
                    result = _called(function, *(operands if way == "out, from a row" else columns), **more)
                    if result is not None and result.dtype is expected.dtype:
                        compared += 1
                        same = tk.allclose(result, expected, equal_nan=True, rtol=1e-2)
                        assert same, (name, len(operands), width, way, result, expected)
    assert compared > 1000


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_many_negatives_are_written_into_a_column(dtype: str) -> None:
    for width in (4, 8):
        table = tk.ones(200_000, width, dtype=getattr(tk, dtype)).cumsum(0).to(getattr(tk, dtype))
        expected = 0 - table[:, 0]
        assert tk.equal(table[:, 0].neg_(), expected)
        assert tk.equal(tk.neg(expected, out=table[:, 1]), 0 - expected)
