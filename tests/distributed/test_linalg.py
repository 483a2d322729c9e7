"""Factorisations of matrices over many workers: the numbers are one machine's, and little is sent."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from tests.distributed.inline import mesh

PLACED = (Replicate(), Shard(0), Shard(1))
MESHES = ((1,), (3,), (4,), (2, 2))
DTYPES = (tk.float32, tk.float64, tk.complex64, tk.complex128)
SIZES = (
    (9, 2),
    (3, 1),
    (5, 2),
    (8, 0),
    (0, 0),
    (40, 5),
)  # on 4 ranks some have fewer rows than columns, or none


def near(found: Any, expected: tk.Tensor, multiple: float = 100) -> None:
    """As far apart as rounding takes numbers of this dtype: so many times its epsilon, of the largest of them."""
    made = found.full_tensor() if isinstance(found, DTensor) else found
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    if made.numel():
        bound = multiple * tk.finfo(made.dtype).eps * max(expected.abs().max().item(), 1)
        assert (made - expected).abs().max().item() <= bound


def is_factored(A: tk.Tensor, Q: tk.Tensor, R: tk.Tensor) -> None:
    """Orthonormal columns and a triangle, whose product is the matrix."""
    near(Q.mH @ Q, tk.eye(Q.shape[1], dtype=Q.dtype))
    near(Q @ R, A)
    assert tk.equal(R, R.triu())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", MESHES, ids=str)
def test_qr_is_that_of_one_machine_with_its_signs(shape: tuple[int, ...], dtype: Any) -> None:
    tk.manual_seed(0)
    on = mesh(*shape)
    for size in SIZES:
        A = tk.randn(*size, dtype=dtype)
        expected = tk.linalg.qr(A)
        for placed in product(PLACED, repeat=len(shape)):
            sharded = distribute_tensor(A, on, placed)
            found = tk.linalg.qr(sharded)
            assert type(found) is type(expected)
            assert found.Q.placements == (Shard(0),) * len(shape)
            assert found.R.placements == (Replicate(),) * len(shape)
            near(found.Q, expected.Q)
            near(found.R, expected.R)
            is_factored(A, found.Q.full_tensor(), found.R.full_tensor())
            alone = tk.linalg.qr(sharded, mode="r")
            assert alone.Q.shape == (0,)
            near(alone.R, expected.R)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_qr_of_matrices_that_are_nearly_or_quite_dependent(dtype: Any) -> None:
    row, column = tk.arange(40.0).unsqueeze(1), tk.arange(6.0)
    hilbert = (1 / (row + column + 1)).to(dtype)
    twins = tk.randn(40, 1, dtype=dtype).expand(40, 4)
    for A in (hilbert, twins, tk.zeros(40, 4, dtype=dtype), hilbert * tk.logspace(0, -20, 6, dtype=dtype)):
        found = tk.linalg.qr(distribute_tensor(A, mesh(4), [Shard(0)]))
        is_factored(A, found.Q.full_tensor(), found.R.full_tensor())
    if dtype in (tk.float64, tk.complex128):
        R, expected = found.R.full_tensor(), tk.linalg.qr(A).R
        assert tk.allclose(R.diagonal().abs(), expected.diagonal().abs(), rtol=1e-6, atol=0)
        assert tk.equal(R.diagonal().real.sign(), expected.diagonal().real.sign())


@pytest.mark.parametrize(("mode", "back"), [("r", 1), ("reduced", 2)])
def test_qr_sends_small_squares_and_not_the_matrix(mode: str, back: int) -> None:
    n, on = 3, mesh(4)
    cluster: Any = on.cluster
    sharded = distribute_tensor(tk.randn(1000, n), on, [Shard(0)])
    cluster.sent.clear()
    for one in tk.linalg.qr(sharded, mode):
        one.wait()
    square = n * n * 4
    expected = [(rank, 0, square) for rank in (1, 2, 3)] + [(0, rank, square) for rank in (1, 2, 3)] * back
    assert sorted(cluster.sent) == sorted(expected)


@pytest.mark.parametrize("driver", [None, "gels", "gelsd", "gelss"])
@pytest.mark.parametrize("dtype", [tk.float32, tk.complex128], ids=str)
def test_lstsq_is_that_of_one_machine(dtype: Any, driver: str | None) -> None:
    tk.manual_seed(0)
    for shape, (m, n) in product(((4,), (2, 2)), ((9, 2), (3, 1), (40, 5))):
        on, dims = mesh(*shape), len(shape)
        A, b = tk.randn(m, n, dtype=dtype), tk.randn(m, 3, dtype=dtype)
        for B, (one, other) in product((b, b[:, 0], b[:, :0]), pairwise((*PLACED[:2], PLACED[0]))):
            expected = tk.linalg.lstsq(A, B, driver=driver)
            sharded = distribute_tensor(A, on, [one] * dims), distribute_tensor(B, on, [other] * dims)
            found = tk.linalg.lstsq(*sharded, driver=driver)
            assert type(found) is type(expected)
            assert tk.equal(found.rank.full_tensor(), expected.rank)
            for part in ("solution", "residuals", "singular_values"):
                near(getattr(found, part), getattr(expected, part))


@pytest.mark.parametrize("driver", [None, "gelsd", "gelss"])
def test_lstsq_of_matrices_that_are_nearly_or_quite_dependent(driver: str | None) -> None:
    tk.manual_seed(0)
    on = mesh(4)
    A, b = tk.randn(40, 3, dtype=tk.float64), tk.randn(40, dtype=tk.float64)
    twins = tk.cat((A, A[:, :1]), 1)
    nearly = tk.cat((A, A[:, :1] + 1e-6 * A[:, 1:2] * b.unsqueeze(1)), 1)
    for one, rcond, rank in ((twins, None, 3), (nearly, None, 4), (nearly, 1e-3, 3)):
        sizes = tk.linalg.svdvals(one)
        expected = tk.linalg.lstsq(one, b, rcond, driver=driver)
        sharded = (distribute_tensor(t, on, [Shard(0)]) for t in (one, b))
        found = tk.linalg.lstsq(*sharded, rcond, driver=driver)
        assert found.rank.item() == expected.rank.item() == rank
        condition = (sizes[0] / sizes[rank - 1]).item()
        near(found.solution, expected.solution, 100 * condition)
        near(found.residuals, expected.residuals, 100 * condition)


def test_a_column_of_zeros_is_refused_where_the_method_wants_full_rank() -> None:
    A = tk.randn(20, 3)
    A[:, 1] = 0
    sharded = distribute_tensor(A, mesh(4), [Shard(0)])
    for one in (A, sharded):
        with pytest.raises(tk.linalg.LinAlgError, match=r"does not have full rank \(error code: 2\)"):
            tk.linalg.lstsq(one, one, driver="gels")


def test_lstsq_sends_small_squares_and_not_the_matrix() -> None:
    on = mesh(4)
    cluster: Any = on.cluster
    pair = [distribute_tensor(tk.randn(1000, n), on, [Shard(0)]) for n in (3, 2)]
    cluster.sent.clear()
    tk.linalg.lstsq(*pair)
    up = [bytes for source, target, bytes in cluster.sent if target == 0]
    assert up == [(3 + 2) ** 2 * 4] * 3
    down = [bytes for source, target, bytes in cluster.sent if source == 0]
    assert sum(down) == 3 * (3 * 2 * 4 + 8)  # the solution, and the rank


@pytest.mark.parametrize("dtype", [tk.float64, tk.complex64], ids=str)
def test_solve_is_placed_as_the_right_side_was(dtype: Any) -> None:
    tk.manual_seed(0)
    A = tk.randn(7, 7, dtype=dtype)
    for shape in ((1,), (3,), (2, 2)):
        on = mesh(*shape)
        for one, other in product(PLACED, product(PLACED, repeat=len(shape))):
            sharded = distribute_tensor(A, on, [one] * len(shape))
            for B, left in ((A[:, :3], True), (A[:3], False), (A[0], True)):
                if B.dim() > 1 or Shard(1) not in other:
                    X = tk.linalg.solve(sharded, distribute_tensor(B, on, other), left=left)
                    assert X.placements == other
                    near(X, tk.linalg.solve(A, B, left=left), 1000)


def test_solve_adds_up_parts_and_gathers_on_one_rank() -> None:
    on = mesh(4)
    cluster: Any = on.cluster
    A, b = tk.randn(8, 8) + 8 * tk.eye(8), tk.randn(8, 4)
    summed = distribute_tensor(tk.stack([b] * 4), on, [Shard(0)]).sum(0)
    assert summed.placements[0].is_partial()
    sharded = distribute_tensor(A, on, [Shard(0)])
    near(X := tk.linalg.solve(sharded, summed), tk.linalg.solve(A, 4 * b))
    assert X.placements == (Replicate(),)
    cluster.sent.clear()
    tk.linalg.solve(sharded, distribute_tensor(b, on, [Shard(0)]))
    assert sum(n for *_, n in cluster.sent) == 3 * 2 * 4 * (8 + 4 + 4)  # three ranks' rows of A, B and X
    with pytest.raises(tk.linalg.LinAlgError, match="the input matrix is singular"):
        tk.linalg.solve(distribute_tensor(tk.zeros(8, 8), on, [Shard(0)]), sharded)


def test_what_cannot_be_factored_is_refused() -> None:
    on = mesh(4)

    def over(*size: int, dtype: Any = tk.float32) -> DTensor:
        return distribute_tensor(tk.ones(size, dtype=dtype), on, [Shard(0)])

    few = "3 columns on 4 ranks need 9 rows, and there are 8"
    for name, others in (("qr", ()), ("lstsq", (over(8, 1),))):
        with pytest.raises(RuntimeError, match=few):
            getattr(tk.linalg, name)(over(8, 3), *others)
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor"):
        tk.linalg.qr(over(9, 3, dtype=tk.int64))
    with pytest.raises(RuntimeError, match="not implemented for 'Half'"):
        tk.linalg.qr(over(9, 3, dtype=tk.float16))
    with pytest.raises(RuntimeError, match="unrecognized mode 'full'"):
        tk.linalg.qr(over(9, 3), "full")
    with pytest.raises(NotImplementedError, match="in mode 'complete' Q would have 9 columns"):
        tk.linalg.qr(over(9, 3), "complete")
    with pytest.raises(RuntimeError, match="to have the same dtype"):
        tk.linalg.lstsq(over(9, 3), over(9, 3, dtype=tk.float64))
    with pytest.raises(RuntimeError, match="must be batches of square matrices"):
        tk.linalg.solve(over(9, 3), over(9, 3))
    with pytest.raises(RuntimeError, match="other must have at least 1 dimension"):
        tk.linalg.lstsq(over(9, 3), tk.tensor(1.0))
    with pytest.raises(TypeError, match=r"'b' \(position 2\) must be Tensor, not int"):
        tk.linalg.lstsq(over(9, 3), 1)
    batch = over(4, 9, 9)
    for name, args in (("qr", (batch,)), ("lstsq", (batch, batch)), ("solve", (batch, batch))):
        with pytest.raises(
            NotImplementedError, match=rf"linalg.{name}: .* this tensor has 3: batches are not offered"
        ):
            getattr(tk.linalg, name)(*args)


def test_on_workers() -> None:
    tk.manual_seed(0)
    A, b = tk.randn(50, 4, dtype=tk.float64), tk.randn(50, dtype=tk.float64)
    cluster.start(2)
    try:
        on = init_device_mesh("cpu", (2,))
        sharded, right = (distribute_tensor(t, on, [Shard(0)]) for t in (A, b))
        for found, expected in zip(tk.linalg.qr(sharded), tk.linalg.qr(A), strict=True):
            near(found, expected)
        near(tk.linalg.lstsq(sharded, right).solution, tk.linalg.lstsq(A, b).solution)
        square = sharded.t() @ sharded
        near(tk.linalg.solve(square, square), tk.eye(4, dtype=tk.float64))
        with pytest.raises(tk.linalg.LinAlgError, match="the input matrix is singular"):
            tk.linalg.solve(square * 0, square)
        near(square, A.t() @ A)  # an error leaves the tensors as they are
    finally:
        cluster.shutdown()
