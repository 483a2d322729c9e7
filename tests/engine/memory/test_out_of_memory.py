"""More memory than there is: PyTorch's RuntimeError with its sentence, never NumPy's MemoryError.

Sizes here are beyond what a processor can address: nothing is ever allocated, whatever the machine has.
"""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, Sample, registry
from tests.parity.compare import Operand, build, compare
from tests.torch_oracle import require_torch

NO_ROOM = "DefaultCPUAllocator: can't allocate memory"
OPS = sorted((op for op in registry.values() if op.samples), key=lambda op: op.name)
#: Elements of a row, and of a side of a square.
HUGE, WIDE = 2**50, 2**25
ROW = f"tk.ones(1).expand({HUGE})"
SQUARE = f"tk.ones(1, 1).expand({WIDE}, {WIDE})"
CALLS = (
    f"{ROW} + 1",
    f"1 - {ROW}",
    f"{ROW} + {ROW}",
    f"{ROW} ** 2",
    f"-{ROW}",
    f"{ROW} < 1",
    f"{ROW} == tk.ones(1)",
    f"tk.exp({ROW})",
    f"{ROW}.sigmoid()",
    f"tk.add({ROW}, 1, alpha=2)",
    f"tk.add({ROW}, 1, out=tk.empty(0))",
    f"tk.ones(1).add_({ROW})",
    f"~tk.ones(1, dtype=tk.bool).expand({HUGE})",
    f"tk.ones(1, dtype=tk.half).expand({HUGE}) * 2",
    f"{SQUARE}[tk.ones(1, dtype=tk.bool).expand({WIDE})]",
    f"{ROW}[True]",
    f"tk.ones(1, 1).expand(4, {HUGE})[[0, 1]]",
    f"tk.zeros(1).__setitem__(slice(None), {ROW})",
    f"{ROW}.clone()",
    f"tk.ones(2, 1).expand(2, {HUGE}).flatten()",
    f"{ROW}.double()",
    f"tk.cat([{ROW}, {ROW}])",
    f"tk.ones(1, 1).expand({HUGE}, 1).amax(1)",
    f"{ROW}.cumsum(0)",
    f"tk.ones(1).expand({WIDE}).outer(tk.ones(1).expand({WIDE}))",
    f"tk.ones(1, 1).expand({2**23}, 1) @ tk.ones(1, 1).expand(1, {2**24})",
    f"tk.mm(tk.ones(1, 1).expand({2**23}, 1), tk.ones(1, 1).expand(1, {2**24}))",
    f"tk.ones({HUGE})",
    f"tk.arange({HUGE})",
    f"tk.randn({HUGE})",
    f"tk.full_like({ROW}, 1)",
    f"tk.ones(1).repeat({HUGE})",
    f"tk.Tensor({HUGE})",
    f"tk.ones(1).resize_({HUGE})",
    f"tk.UntypedStorage({HUGE})",
    f"tk.ones(1, requires_grad=True).expand({HUGE}) * 2",
    f"tk.ones(1, requires_grad=True).expand({HUGE}).exp()",
    f"tk.ones(1, requires_grad=True).expand({WIDE}, {WIDE}).select(0, 0).sum().backward()",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_too_much_memory_is_refused_in_pytorchs_words(call: str) -> None:
    found = compare(require_torch(), call, {})
    assert found is None, found.text


def test_every_pointwise_operation_says_so_in_every_spelling() -> None:
    said: Counter[str] = Counter()
    for op in OPS:
        for sample in op.samples if op.kind == "pointwise" else ():
            for kind in (tk.float32, tk.int64):
                given = {name: tk.ones((), dtype=kind).expand(HUGE) for name in sample.sizes}
                said[type(_error(sample.call, given)).__name__] += 1
    assert said["MemoryError"] == said["_ArrayMemoryError"] == 0
    assert said["RuntimeError"] > 1500


def _error(call: str, given: dict[str, Any]) -> Exception | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(call, {"tk": tk, **given})
    except Exception as error:
        return error
    return None


# -- wherever NumPy finds no room -------------------------------------------------------------------------------------

MAKERS = (
    "empty",
    "zeros",
    "ones",
    "full",
    "empty_like",
    "zeros_like",
    "full_like",
    "ascontiguousarray",
    "copyto",
)


@pytest.fixture
def full() -> Iterator[Any]:
    """A switch: while it is on, NumPy finds no room for any array that this thread asks for by name."""
    real = {name: getattr(np, name) for name in MAKERS}
    on, here = False, threading.current_thread()

    def asked(name: str) -> Any:
        def make(*args: Any, **kwargs: Any) -> Any:
            if on and threading.current_thread() is here:
                raise np._core._exceptions._ArrayMemoryError((2**25, 2**25), np.dtype("f4"))
            return real[name](*args, **kwargs)

        return make

    def switch(now: bool) -> None:
        nonlocal on
        on = now

    with pytest.MonkeyPatch.context() as patch:
        for name in MAKERS:
            patch.setattr(np, name, asked(name))
        yield switch


def _usual(sample: Sample, grad: bool) -> tuple[dict[str, Any], Any] | None:
    """Operands for a call that gives a result, and the result; None for one that does not."""
    given = {name: build(tk, Operand(size, "float32")) for name, size in sample.sizes.items()}
    if grad:
        given = {name: tensor.requires_grad_() for name, tensor in given.items()}
    try:
        result = eval(sample.call, {"tk": tk, **given})
    except Exception:
        return None
    if grad and not (isinstance(result, tk.Tensor) and result.grad_fn is not None):
        return None
    return given, result


def _without_room(op: Op, switch: Any, grad: bool) -> Iterator[tuple[str, Exception]]:
    for sample in op.samples:
        found = _usual(sample, grad)
        if found is None:
            continue
        given, result = found
        gradient = tk.ones_like(result).detach() if grad else None
        switch(True)
        try:
            result.backward(gradient) if grad else eval(sample.call, {"tk": tk, **given})
        except Exception as error:
            yield sample.call, error
        finally:
            switch(False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("grad", [False, True], ids=["forward", "backward"])
def test_no_operation_lets_a_memory_error_through(full: Any, grad: bool) -> None:
    failed = [one for op in OPS for one in _without_room(op, full, grad)]
    assert [(call, error) for call, error in failed if isinstance(error, MemoryError)] == []
    assert sum(NO_ROOM in str(error) for _, error in failed) > 400


def test_what_a_users_own_function_runs_into_stays_as_it_is() -> None:
    def hook(grad: tk.Tensor) -> None:
        raise MemoryError("mine")

    x = tk.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(hook)
    with pytest.raises(MemoryError, match="mine"):
        y.sum().backward()
