"""`__torch_function__`: an object that is no tensor answers the functions of tensors, in tensorkit as in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch

CALLS = (
    "tk.abs(o)", "tk.abs_(o)", "tk.add(o, 1)", "tk.add(t, o)", "t + o", "tk.add(1, o)", "tk.sum(o, 0)",
    "tk.sum(input=o)",
    "tk.matmul(t, o)", "tk.cat([t, o])", "tk.stack((o, o))", "tk.transpose(o, 0, 1)", "tk.numel(o)", "tk.fill_(o, 0)",
    "tk.result_type(o, 1)", "tk.linalg.solve(o, o)", "tk.linalg.qr(o)",
    "tk.nn.functional.gelu(o)", "tk.mul(o, 2, out=t)",
    "tk.zeros_like(o)", "tk.max(o, 0)", "tk.special.xlogy(o, 2)", "tk.is_complex(o)", "t.add(o)", "t.sub_(o)",
)  # fmt: skip


class Foreign:
    """It answers with the name of the function, and what it was given."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return "answered", func.__name__, types == (cls,), len(args), sorted(kwargs or {})


class Silent:
    """It answers nothing."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_it_is_asked(call: str) -> None:
    torch: Any = require_torch()
    found, expected = (eval(call, {"tk": one, "t": one.ones(2, 2), "o": Foreign()}) for one in (tk, torch))
    # Names of a function may have the namespace before them, and methods may be told with their tensor.
    assert (found[0], found[2], found[4]) == (expected[0], expected[2], expected[4])


@pytest.mark.parity
def test_nobody_answers() -> None:
    torch: Any = require_torch()
    for one in (tk, torch):
        with pytest.raises(TypeError, match=r"Multiple dispatch failed for '\w+\.abs'"):
            one.abs(Silent())
