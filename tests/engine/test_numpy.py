"""NumPy beside tensors: its warnings, its settings, its functions and operators."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch

LOUD = {"divide": "raise", "over": "raise", "under": "raise", "invalid": "raise"}


def test_dividing_by_zero_is_no_news_to_a_tensor() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (tk.ones(2) / tk.zeros(2)).tolist() == [float("inf")] * 2
        assert (tk.full((2,), 3e38) * 10).tolist() == [float("inf")] * 2
        assert tk.tensor([float("nan")]).to(tk.int64).numel() == 1
        assert str(tk.zeros(0).mean()) == "tensor(nan)"
        tk.zeros(2).pow(-1)
        tk.tensor([70000.0]).half()


def test_the_users_own_settings_hold_before_and_after() -> None:
    with np.errstate(divide="raise", over="raise", under="raise", invalid="raise"):
        tk.ones(2) / tk.zeros(2)
        tk.zeros(2) / 0
        tk.tensor([float("inf")]).sub(float("inf"))
        tk.tensor([1e-300], dtype=tk.float64).to(tk.float32)
        assert np.geterr() == LOUD
        with pytest.raises(FloatingPointError):
            np.ones(2) / np.zeros(2)


def test_an_array_is_made_of_a_tensor_without_copying() -> None:
    t = tk.zeros(3)
    assert np.shares_memory(np.asarray(t), t.numpy())
    assert not np.shares_memory(np.array(t, copy=True), t.numpy())
    assert np.asarray(t, dtype="i4").dtype == np.int32
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(t, dtype="i4", copy=False)


@pytest.mark.parity
@pytest.mark.parametrize(
    "call",
    [
        "np.sin(tk.zeros(2))",
        "np.add(tk.ones(2), 1)",
        "np.ones(2) + tk.ones(2)",
        "tk.ones(2) + np.ones(2)",
        "tk.ones(2) * np.float32(2)",
        "np.float32(2) * tk.ones(2)",
        "np.float64(2) * tk.ones(2)",
        "np.ones(2) * tk.tensor(2)",
        "np.asarray(tk.ones(2)).dtype",
        "np.array(tk.ones(2), copy=True).tolist()",
        "tk.from_numpy(np.zeros((2, 3)).T).stride()",
        "tk.from_numpy(np.zeros((4, 3))[1::2]).stride()",
        "tk.from_numpy(np.array(3.0)).size()",
        "tk.from_numpy(np.broadcast_to(np.zeros(3), (2, 3)).copy()).stride()",
        "tk.from_numpy(np.frombuffer(bytearray(16), 'f4')[1:]).storage_offset()",
        "tk.from_numpy(np.zeros(8, 'u1')[1:5].view('i2')).tolist()",
        "tk.zeros(3)[np.int64(1)]",
        "tk.zeros(3)[np.array(1)]",
        "tk.tensor([np.float32(1)]).dtype",
        "tk.tensor(np.ones(2)).dtype",
    ],
)
def test_arrays_and_tensors_meet_as_in_pytorch(call: str) -> None:
    torch = require_torch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (said(call, lib) for lib in (tk, torch))
    assert ours.replace("tensorkit.", "torch.") == theirs


def said(call: str, lib: object) -> str:
    """The text of a value, or of the error with its class."""
    try:
        return repr(eval(call, {"tk": lib, "np": np}))
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        return repr(error)


#: What may stand among the numbers of a list.
LEAVES = (
    *("np.array(2.5)", "np.array(2)", "np.array(True)", "np.array(2j)", "np.array([2])", "np.array([True])"),
    *("np.array([2, 3])", "np.array(2, np.uint8)", "np.array('a')", "np.float32(2)", "np.float64(2.5)"),
    *(
        "np.bool_(True)",
        "np.int8(3)",
        "np.uint64(2**63)",
        "np.complex64(2j)",
        "np.complex128(2j)",
        "np.str_('a')",
    ),
    *(
        "tk.tensor(2.5)",
        "tk.tensor(2)",
        "tk.tensor(True)",
        "tk.tensor(2j)",
        "tk.tensor([2])",
        "tk.tensor([2, 3])",
    ),
    *("None", "'a'", "b'a'", "[2.5]", "[]", "{}", "2**70", "2j", "range(1)", "memoryview(b'a')", "object()"),
)
LISTS = ("{}", "[{}]", "[3, {}]", "[{}, 3]", "[{0}, {0}]", "[[3], [{}]]", "[[{}]]", "[[], [{}]]", "[[3], {}]")
KINDS = ("int64", "uint8", "bool", "float32", "complex64", "uint64", "float16")


@pytest.mark.parity
@pytest.mark.parametrize("leaf", LEAVES)
def test_lists_are_read_as_pytorch_reads_them(leaf: str) -> None:
    """What they hold decides on the size and the dtype; what is no number is refused as Python refuses it."""
    torch = require_torch()
    for numbers in LISTS:
        for kind in ("", *(f", dtype=tk.{kind}" for kind in KINDS)):
            call = f"tk.tensor({numbers.format(leaf)}{kind})"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, theirs = (said(call, lib) for lib in (tk, torch))
            assert ours.replace("tensorkit.", "torch.") == theirs, call


@pytest.mark.parity
@pytest.mark.parametrize(
    "call",
    [
        *(
            f"tk.full((2,), np.{number})"
            for number in ("bool_(True)", "complex64(2)", "complex128(2)", "int8(2)")
        ),
        *(f"tk.ones(2).long() + np.{number}" for number in ("bool_(True)", "complex64(2)", "complex128(2)")),
        *("tk.arange(np.bool_(True))", "tk.linspace(0, np.complex64(3), 3)", "tk.full((), np.array(2))"),
        *("tk.result_type(tk.ones(2).bool(), np.bool_(True))", "tk.result_type(1, np.int32(1))"),
        *("tk.scalar_tensor(np.complex64(2 + 3j))", "tk.ones(2).sum(np.float32(1))"),
    ],
)
def test_numbers_of_numpy_are_pythons_or_floats(call: str) -> None:
    torch = require_torch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (said(call, lib) for lib in (tk, torch))
    assert ours.replace("tensorkit.", "torch.") == theirs
