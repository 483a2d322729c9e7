"""NumPy beside tensors: its warnings, its settings, its functions and operators."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorkit as tk
from tests.oracle import require_torch

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
    except TypeError as error:
        return repr(error)
