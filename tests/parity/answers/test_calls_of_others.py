"""Calls seldom written by hand: by NumPy's functions, unbound, with sizes beyond all memory; and their words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorkit
from tests.torch_oracle import sentence

pytestmark = pytest.mark.parity

HUGE = 2**40


def _answer(lib: Any, code: str) -> tuple[str, str]:
    names = {"lib": lib, "np": np, "t": lib.tensor([3, 5]), "f": lib.arange(6.0).view(2, 3), "H": HUGE}
    try:
        found = eval(code, names)
    except Exception as error:
        kind = next(
            k for k in (TypeError, NotImplementedError, RuntimeError, Exception) if isinstance(error, k)
        )
        return kind.__name__, sentence(error).split("\n")[0]
    shown = (tuple(found.shape), found.stride()) if hasattr(found, "stride") and not found.numel() else found
    return "", repr(shown).replace("torch", "tensorkit")


NUMPY = [
    *(f"np.{name}(f)" for name in ("sum", "mean", "max", "min", "std", "var", "prod", "argmax", "ptp")),
    *(f"np.{name}(f, axis=0)" for name in ("sum", "mean", "max", "std", "var", "prod", "cumsum")),
    "np.sum(f, axis=0, keepdims=True)",
    "np.mean(f, keepdims=True)",
    "np.sum(f, dtype=np.float64)",
    "np.mean(f, out=np.zeros(3))",
    "np.sum(f, initial=0)",
    "np.mean(lib.tensor(3))",
    "lib.std(f, dtype='', ddof='', axis='', keepdims='')",
    "lib.roll(f, where='', out='', initial='', dtype='')",
]
# What PyTorch has in C++ refuses what is no tensor, what it has in Python leaves it to the other operand.
UNBOUND = [
    f"lib.Tensor.__{name}__({values})"
    for name in (
        *(
            "and",
            "rand",
            "iand",
            "or",
            "ror",
            "xor",
            "rxor",
            "ilshift",
            "lshift",
            "rlshift",
            "rshift",
            "rrshift",
        ),
        *(
            "add",
            "radd",
            "iadd",
            "sub",
            "rsub",
            "mul",
            "rmul",
            "truediv",
            "itruediv",
            "mod",
            "rmod",
            "pow",
            "rpow",
        ),
    )
    for values in ("2, t", "2, 3", "np.ones(2), t", "t, 2")
]
METHODS = [f"lib.Tensor.{name}(2)" for name in ("add", "sub", "sum", "exp", "neg", "mul", "clone", "add_")]
METHODS += ["lib.Tensor.add(2, t)", "lib.Tensor.add_('x', t)"]
EMPTY = [
    *(f"lib.{name}(H, 0, H)" for name in ("zeros", "ones", "empty", "rand", "randn")),
    "lib.full((H, 0, H), 1.0)",
    "lib.empty(2**33, 0, 2**33)",
    "lib.zeros(2**63 - 1, 0)",
    "lib.zeros(2**63, 0)",
    "lib.zeros(0, 2**63)",
    "lib.empty(H, H, 0)",
    "lib.empty(0, H, H)",
    "lib.empty(2**31, 2**31, 2, 0)",
    "lib.empty(H, H)",
    "lib.zeros_like(lib.empty(H, 0, H))",
    "lib.zeros(H, 0, H, out=lib.empty(0))",
    "t.new_zeros(H, 0, H)",
    "lib.zeros(H, 0, H).numel()",
    "lib.zeros(H, 0, H).transpose(0, 1)",
    *(
        f"lib.empty(2).resize_([{size}])"
        for size in ("0, 4, 2**61", "4, 0, 2**61", "0, 2**62, 4", "2**31, 2**32, 0")
    ),
    "lib.zeros(0).view(0, 4, 2**61)",
    "lib.zeros(0).reshape(H, 0, H)",
]
NODES = [
    f"type({made}.grad_fn)"
    for made in (
        "f.requires_grad_().sum()",
        "(f.requires_grad_() * 2)",
        "f.requires_grad_().clone().mul_(2)[0]",
    )
]
NODES += ["type(f.requires_grad_().sum().grad_fn.next_functions[0][0])", "type(t.grad_fn)"]
NODES += ["lib.autograd.graph.Node", "hasattr(lib, 'byte')", "hasattr(lib, 'char')", "f.byte()", "f.char()"]


@pytest.mark.filterwarnings("ignore:__array_wrap__")
@pytest.mark.parametrize("code", [*NUMPY, *UNBOUND, *METHODS, *EMPTY, *NODES])
def test_the_answer_is_pytorchs(torch: Any, code: str) -> None:
    ours, theirs = _answer(tensorkit, code), _answer(torch, code)
    assert ours == theirs
