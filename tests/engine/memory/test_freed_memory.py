"""No call reads or writes memory that was freed: a storage that became smaller is asked whether it reaches so far."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import tensorkit as tk
from tests.parity.compare import compare
from tests.torch_oracle import require_torch

OUT_OF_BOUNDS = "are out of bounds for storage of size 0"


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_every_operation_refuses_a_tensor_whose_storage_was_freed(where: str) -> None:
    """In a process of its own, which a read or write of freed memory would end."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.memory.freed_memory", where],
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = done.stdout.splitlines()
    assert done.returncode == 0, f"it died of {said[-1:]}: {done.returncode}\n{done.stderr[-2000:]}"
    assert len(said) > 800
    assert [line for line in said if line.startswith("!")] == []


def freed(tensor: tk.Tensor) -> None:
    tensor.detach().untyped_storage().resize_(0)


def leaf() -> tk.Tensor:
    return tk.ones(5000, requires_grad=True)


def a_saved_operand() -> None:
    x = leaf()
    y = (x * x).sum()
    freed(x)
    y.backward()


def a_saved_matrix() -> None:
    x, w = tk.ones(50, 50, requires_grad=True), tk.ones(50, 5)
    y = (x @ w).sum()
    freed(w)
    y.backward()


def saved_indices() -> None:
    x, places = leaf(), tk.zeros(5, dtype=tk.int64)
    y = x[places].sum()
    freed(places)
    y.backward()


def a_saved_mask() -> None:
    x = leaf()
    mask = x > 0
    y = x[mask].sum()
    freed(mask)
    y.backward()


def a_saved_operand_on_a_device() -> None:
    with tk.cuda.emulate(devices=1):
        x = tk.ones(5000, device="cuda", requires_grad=True)
        y = (x * x).sum()
        freed(x)
        y.backward()


def the_gradient_that_it_begins_with() -> None:
    gradient = tk.ones(5000)
    freed(gradient)
    (leaf() * 2).backward(gradient)


def the_gradient_that_is_added_to() -> None:
    x = leaf()
    x.sum().backward()
    assert x.grad is not None
    freed(x.grad)
    x.sum().backward()
    x.grad.sum()


@pytest.mark.parametrize(
    "program",
    [
        a_saved_operand,
        a_saved_matrix,
        saved_indices,
        a_saved_mask,
        a_saved_operand_on_a_device,
        the_gradient_that_it_begins_with,
        the_gradient_that_is_added_to,
    ],
    ids=lambda program: program.__name__,
)
def test_backward_refuses_what_was_freed(program: Callable[[], None]) -> None:
    with pytest.raises(RuntimeError, match=OUT_OF_BOUNDS):
        program()


def test_what_no_longer_fits_is_refused_and_what_does_is_read() -> None:
    for where in ("cpu", "cuda"):
        with tk.cuda.emulate(devices=1):
            t = tk.arange(1000.0, device=where)
            first, second = t[:2], t[2:].add(0) + t[2:]
            t.untyped_storage().resize_(8)
            assert (first + 1).tolist() == [1, 2]
            assert second[0].item() == 4
            with pytest.raises(
                RuntimeError, match="requiring a storage size of 4000 are out of bounds for storage of size 8"
            ):
                t.add_(1)


def test_a_freed_storage_that_grows_again_is_used_again() -> None:
    for where in ("cpu", "cuda"):
        with tk.cuda.emulate(devices=1):
            t = tk.arange(1000.0, device=where)
            t.untyped_storage().resize_(0)
            t.untyped_storage().resize_(4000)
            assert (t.fill_(3) + t).sum().item() == 6000
            t.untyped_storage().resize_(0)
            assert t.resize_(2).fill_(1).tolist() == [1, 1]


def test_a_refused_bridge_to_numpy_leaves_the_storage_resizable() -> None:
    t = tk.arange(10.0)
    freed(t)
    for bridge in (t.numpy, t.__dlpack__, lambda: np.asarray(t)):
        with pytest.raises(RuntimeError, match=OUT_OF_BOUNDS):
            bridge()
    assert t.untyped_storage().resize_(40).nbytes() == 40


def test_part_of_a_storage_keeps_the_memory_that_the_storage_gave_up() -> None:
    t = tk.arange(1000, dtype=tk.uint8)
    part = t.untyped_storage()[:4]
    t.untyped_storage().resize_(0)
    assert part.tolist() == [0, 1, 2, 3]


def test_a_copy_reaches_no_further_than_its_storage() -> None:
    """A pickle made before, of a storage that was cut by hand, is refused when it is read."""
    rebuild, (kind, held, *rest), _ = tk.arange(10.0).__reduce_ex__(2)
    held.untyped().resize_(8)
    with pytest.raises(RuntimeError, match="are out of bounds for storage of size 8"):
        rebuild(kind, pickle.loads(pickle.dumps(held)), *rest)


@pytest.mark.parity
@pytest.mark.parametrize(
    "call",
    [
        "tk.empty(0).set_(tk.empty(2, device='meta'))",
        "tk.empty(0).set_(tk.empty(2, device='meta').untyped_storage())",
        "tk.empty(0).set_(tk.empty(2, device='meta').untyped_storage(), 0, (2,))",
        "tk.empty(0, device='meta').set_(tk.empty(2))",
    ],
)
def test_a_tensor_is_set_to_memory_of_its_own_device_alone(call: str) -> None:
    found = compare(require_torch(), call, {})
    assert found is None, found.text
