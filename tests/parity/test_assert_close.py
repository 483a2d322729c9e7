"""`testing.assert_close` passes and fails as PyTorch's does, with the same words."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy
import pytest

import tensorkit
from tests.parity.compare import plain_text

pytestmark = pytest.mark.parity

KINDS = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int64",
    "uint8",
    "int32",
    "bool",
    "complex64",
    "complex128",
)
CALLS = """close(o(3), o(3)) | close(T(1.0), T(2.0)) | close(1.0, 2.0) | close(1, 2)
close(1, 2, rtol=0.1, atol=0.1) | close(1, 1.0) | close(True, False) | close(1j, 2j)
close('a', 'b') | close(None, None) | close(None, 1) | close(o(3), 1) | close(o(3), [1, 1, 1])
close([1, 2], [1, 3]) | close([1, 2], [1, 2, 3]) | close((1, 2), [1, 2]) | close({'a': 1}, {'a': 2})
close({'a': 1, 'c': 1}, {'b': 2}) | close({'a': [o(2)]}, {'a': [o(2) * 2]}) | close(o(3), o(2))
close(o(3), o(3).double()) | close(o(3) * 2, o(3).double(), check_dtype=False)
close(o(3), o(3).long(), check_dtype=False) | close(o(3, 2), o(2, 3).t(), check_stride=True)
close(o(3), o(3, device='meta')) | close(o(3, device='meta'), o(3, device='meta'))
close(o(3), o(3), rtol=1) | close(o(3), o(3), atol=1) | close(o(3) * nan, o(3) * nan)
close(o(3) * nan, o(3) * nan, equal_nan=True) | close(nan, nan) | close(nan, nan, equal_nan=True)
close(inf, 1.0) | close(inf, inf) | close(-inf, inf) | close(1.0, inf)
close(T([inf, 1]), T([-inf, 1])) | close(T([0.0, 1]), T([1.0, 0])) | close(T([1.0, 1]), T([0.0, 1]))
close(0.0, 1.0) | close(1.0, 0.0) | close(o(3), o(3) * 2, msg='hello')
close([1, o(3)], [1, o(3) * 2], msg=lambda m: f'<{m}>') | close(o(3), o(4), msg='m')
close(o(3), 1, msg='m') | close(np.ones(3), np.ones(3) * 2) | close(np.float32(1), np.float32(2))
close(np.int32(1), 2) | close(np.ones(3), o(3)) | close(o(0), o(0)) | close(o(0), o(0, 2))
close(3, o(1)) | close(1, nan) | close([[1, 2], [3, [4, {'k': 5}]]], [[1, 2], [3, [4, {'k': 6}]]])
close(T([2**62]), T([2**62 + 1])) | close({1: 2}, {1: 3})
close(T([1.5]), T([2.5]), rtol=0.0, atol=0.0) | close(1.5, 2.5, rtol=0.0, atol=0.0)
close(range(3), range(3)) | close(o(2, 2, 2), o(2, 2, 2) * 3) | close([o(1), 'a'], [o(1) * 2, 'a'])
close(T(1), T(2)) | close(T(True), T(False)) | close(T(1j), T(2j))
close(o(3).requires_grad_(), o(3) * 2) | close(T([True, False]), T([True, True]))
close(T(inf), T(1.0)) | close({'b': 1, 'a': 2}, {'b': 3, 'a': 4})
close({2: 1, 'a': 2}, {2: 3, 'a': 2}) | close(T(1.0), T(0.0))"""


def outcome(library: Any, call: str) -> tuple[str, str]:
    names = {
        "close": library.testing.assert_close,
        "T": library.tensor,
        "o": library.ones,
        "np": numpy,
        "nan": float("nan"),
        "inf": float("inf"),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(call, names)
    except Exception as error:
        return type(error).__name__, plain_text(str(error)).replace(
            "'tensorkit.tensor.Tensor'", "'torch.Tensor'"
        )
    return "", ""


def test_a_call_passes_or_fails_in_the_same_words(torch: Any) -> None:
    calls = [call.strip() for line in CALLS.split("\n") for call in line.split(" | ")]
    differing = {call: (outcome(tensorkit, call), outcome(torch, call)) for call in calls}
    assert {call: both for call, both in differing.items() if both[0] != both[1]} == {}
    assert sum(ours != ("", "") for ours, _ in differing.values()) > 50


def test_generated_tensors_are_close_or_not_in_the_same_words(torch: Any) -> None:
    rng = random.Random(0)
    failed = 0
    for _ in range(400):
        kind = rng.choice(KINDS)
        size = rng.choice([(), (1,), (5,), (2, 3), (2, 1, 4), (0,), (40,)])
        count = int(numpy.prod(size))
        values = [rng.choice([0, 1, 2, 3, 7, 100]) for _ in range(count)]
        off = rng.choice([0, 1, 1e-7, 1e-5, 1e-3, 0.02])
        others = [value + off * rng.choice([0, 0, 1, 2]) for value in values]
        tolerances = rng.choice(["", "", "rtol=1e-3, atol=1e-3", "rtol=0, atol=0", "rtol=0.5, atol=0"])
        call = (
            f"close(T({values}).to(kind).reshape({size}), T({others}).to(kind).reshape({size}), {tolerances})"
        )
        both = [
            outcome(library, call.replace("kind", f"o(1).{method(kind)}().dtype"))
            for library in (tensorkit, torch)
        ]
        assert both[0] == both[1], (kind, call)
        failed += both[0] != ("", "")
    assert 50 < failed < 350


def method(kind: str) -> str:
    """The method that makes a tensor of a dtype."""
    short = {"float16": "half", "float32": "float", "float64": "double", "int64": "long", "int32": "int"}
    return short.get(kind) or {"uint8": "byte", "complex64": "cfloat", "complex128": "cdouble"}.get(
        kind, kind
    )
