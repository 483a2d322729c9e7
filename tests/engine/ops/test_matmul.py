"""Products: exact for integers of any size, without copies of what BLAS can read, and as PyTorch's graphs show them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.ops.matrix_products import product
from tests.parity.compare import Operand, compare
from tests.parity.questions import disagreement, lines
from tests.torch_oracle import require_torch

#: More numbers than are multiplied one by one: the way through float64 and, for large ones, through pieces of bits.
WIDE = 40


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("share", [1, 2, 7])
def test_integers_are_multiplied_exactly_and_wrap_around(dtype: str, share: int) -> None:
    info = np.iinfo(dtype)
    rng = np.random.default_rng(share)
    a, b = (rng.integers(info.min // share, info.max // share, (WIDE, WIDE)).astype(dtype) for _ in range(2))
    a[0, 0] = info.min
    exact = (a.astype(object) @ b.astype(object)) % 2 ** (8 * a.itemsize)
    found = (tk.tensor(a) @ tk.tensor(b)).numpy()
    assert (found.astype(object) % 2 ** (8 * a.itemsize) == exact).all()


def test_batches_of_integers_are_exact_too() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-(2**62), 2**62, (3, 20, 20)) for _ in range(2))
    with np.errstate(over="ignore"):
        expected = np.einsum("bij,bjk->bik", a, b)
    assert (tk.bmm(tk.tensor(a), tk.tensor(b)).numpy() == expected).all()


def test_what_blas_can_read_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.zeros((6, 8), np.float32)
    for readable in (
        array,
        array.T,
        array[1:, 2:],
        array[:, :3].T,
        array[None].repeat(2, 0).transpose(0, 2, 1),
    ):
        assert product._for_blas(readable) is readable
    for other in (array[:, ::2], array[::-1], np.broadcast_to(array[0], (6, 8))):
        copied = product._for_blas(other)
        assert copied is not other
        assert (copied == other).all()


LARGE: dict[str, dict[str, tuple[int, ...]]] = {
    "a @ b": {"a": (60, 70), "b": (70, 50)},
    "a.t() @ b": {"a": (70, 60), "b": (70, 50)},
    "tk.bmm(a, b)": {"a": (5, 30, 40), "b": (5, 40, 20)},
    "a @ b[0]": {"a": (6, 30, 40), "b": (2, 40, 20)},
    "tk.addmm(a, b, b.t(), beta=2)": {"a": (40, 40), "b": (40, 70)},
    "tk.addbmm(a, b, b.mT)": {"a": (40, 40), "b": (5, 40, 30)},
    "tk.einsum('bij,bkj->ibk', a, b)": {"a": (5, 30, 40), "b": (5, 20, 40)},
    "tk.cdist(a, b)": {"a": (40, 9), "b": (30, 9)},
    "tk.cdist(a, b, compute_mode='donot_use_mm_for_euclid_dist')": {"a": (2, 40, 9), "b": (30, 9)},
}


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64", "int8"])
@pytest.mark.parametrize("call", LARGE)
def test_large_products_are_pytorchs(call: str, dtype: str) -> None:
    operands = {name: Operand(size, dtype, seed=3) for name, size in LARGE[call].items()}
    found = compare(require_torch(), call, operands, tolerance=20)
    assert found is None, found and found.text[:300]


def _chain(node: Any) -> str:
    if node is None:
        return "None"
    inner = ", ".join(_chain(before) for before, _ in node.next_functions)
    return node.name().split("::")[-1] + (f"({inner})" if inner else "")


GRAPHS = (
    ("a @ b", (3,), (3,)),
    ("a @ b", (2, 3), (3,)),
    ("a @ b", (3,), (3, 2)),
    ("a @ b", (2, 2, 3), (3,)),
    ("a @ b", (2, 2, 3), (3, 2)),
    ("a @ b", (2, 3), (2, 3, 2)),
    ("a @ b", (3,), (2, 3, 2)),
    ("a @ b", (2, 2, 3), (2, 3, 2)),
    ("a @ b", (2, 2, 3), (1, 3, 2)),
    ("a @ b", (2, 1, 2, 3), (4, 3, 2)),
    ("a.mT @ b", (2, 3, 2), (3, 2)),
    ("tk.inner(a, b)", (2, 3), (3,)),
    ("tk.inner(a, b)", (3,), (3,)),
    ("tk.inner(a[::2], b)", (4,), (2,)),
    ("tk.outer(a, b)", (3,), (2,)),
    ("tk.kron(a, b)", (2, 3), (2,)),
    ("tk.einsum('ij,jk->ik', a, b)", (2, 3), (3, 4)),
    ("tk.einsum('ij,jk->ki', a, b)", (2, 3), (3, 4)),
    ("tk.einsum('i,j->', a, b)", (2,), (3,)),
    ("tk.tensordot(a, b, 2)", (2, 3), (2, 3)),
    ("tk.linalg.multi_dot([a, b, a, b])", (2, 3), (3, 2)),
    ("tk.linalg.matrix_power(a @ b, 5)", (2, 3), (3, 2)),
    ("tk.linalg.vecdot(a, b)", (2, 3), (3,)),
    ("tk.cdist(a, b)", (30, 3), (2, 3)),
)


@pytest.mark.parity
@pytest.mark.parametrize("wants", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize(("call", "first", "second"), GRAPHS)
def test_the_graph_is_pytorchs(
    call: str, first: tuple[int, ...], second: tuple[int, ...], wants: tuple[bool, bool]
) -> None:
    chains = []
    for lib in (tk, require_torch()):
        a, b = lib.ones(first).requires_grad_(wants[0]), lib.ones(second).requires_grad_(wants[1])
        chains.append(_chain(eval(call, {"tk": lib, "a": a, "b": b}).grad_fn))
    assert chains[0] == chains[1]


def test_an_operator_leaves_to_others_what_it_does_not_know() -> None:
    class Other:
        def __rmatmul__(self, left: Any) -> str:
            return "other"

    assert tk.ones(2) @ Other() == "other"
    with pytest.raises(TypeError, match="unsupported operand"):
        tk.ones(2) @ 2


def test_meta_tensors_have_a_size_and_no_data() -> None:
    a, b = tk.ones(2, 3, device="meta"), tk.ones(3, 4, device="meta")
    for made in (a @ b, tk.mm(a, b), tk.einsum("ij,jk", a, b), tk.addmm(a[0, 0], a, b), tk.cdist(a, b.t())):
        assert made.is_meta
        assert made.size() == (2, 4)


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("outs"))
def test_what_is_written_into_is_taken_or_refused_as_pytorch_does(question: str) -> None:
    assert disagreement(require_torch(), tk, question) is None


@pytest.mark.parametrize(
    "call",
    ["mm(x, b, out=x)", "mm(b, x, out=x)", "bmm(x[None], b[None], out=x[None])", "matmul(x, b, out=x.t())"],
)
def test_an_operand_is_read_before_the_product_is_written_over_it(call: str) -> None:
    """PyTorch's BLAS reads what it has already written over: zeros mostly, or what its build makes of it."""
    b = tk.arange(16.0).view(4, 4)
    x = b + 3
    wanted = tk.mm(b, x) if "b, x" in call else tk.mm(x, b)
    got = eval("tk." + call, {"tk": tk, "x": x, "b": b})
    assert got.view(4, 4).equal(wanted) if got.dim() == 3 else got.equal(wanted)
