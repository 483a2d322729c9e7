"""Linear algebra beyond the samples: residuals, batches in C and in Python, errors, layouts, old spellings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.kernels.cpu import lapack
from tests.parity.compare import Operand, compare
from tests.support.warnings import recorded
from tests.torch_oracle import require_torch

REAL = ("float32", "float64")
KINDS = (*REAL, "complex64", "complex128")
TOLERANCE = {"float32": 2e-4, "float64": 1e-11, "complex64": 2e-4, "complex128": 1e-11}
#: One matrix; a few; enough small ones for the loop in C; none.
BATCHES = ((), (3,), (40,), (2, 20), (0,))


def matrices(kind: str, *size: int, seed: int = 0) -> Any:
    """Random matrices, as a tensor."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(size)
    if kind.startswith("complex"):
        made = made + 1j * rng.standard_normal(size)
    return tk.tensor(made.tolist() if made.size else np.zeros(size), dtype=getattr(tk, kind)).reshape(size)


def positive(kind: str, *size: int) -> Any:
    """Positive-definite matrices."""
    A = matrices(kind, *size)
    return A @ A.mT.conj() + size[-1] * tk.eye(size[-1], dtype=A.dtype)


def near(one: Any, two: Any, kind: str) -> bool:
    """Whether two tensors of one size agree within the tolerance of a dtype."""
    assert one.size() == two.size()
    a, b = one.numpy(), two.numpy()
    return bool(
        np.allclose(a, b, rtol=TOLERANCE[kind], atol=TOLERANCE[kind] * max(1, a.shape[-1] if a.ndim else 1))
    )


def by_columns(A: Any) -> bool:
    """Whether matrices lie column by column, as LAPACK leaves them."""
    return A.mT.is_contiguous()


# -- residuals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("kind", KINDS)
def test_solutions_solve_and_inverses_invert(kind: str, batch: tuple[int, ...]) -> None:
    A, B = matrices(kind, *batch, 5, 5), matrices(kind, *batch, 5, 2, seed=1)
    X = tk.linalg.solve(A, B)
    assert by_columns(X)
    assert near(A @ X, B, kind)
    Y = tk.linalg.solve(A, B.mT, left=False)
    assert near(Y @ A, B.mT, kind)
    inverse = tk.linalg.inv(A)
    assert near(A @ inverse, tk.eye(5, dtype=A.dtype).expand(A.size()), kind)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(5, 5), (6, 3), (3, 6)])
def test_factors_multiply_to_their_matrix(kind: str, batch: tuple[int, ...], size: tuple[int, int]) -> None:
    A = matrices(kind, *batch, *size)
    Q, R = tk.linalg.qr(A)
    assert near(Q @ R, A, kind)
    assert near(
        Q.mT.conj() @ Q, tk.eye(Q.size(-1), dtype=A.dtype).expand((*batch, Q.size(-1), Q.size(-1))), kind
    )
    P, L, U = tk.linalg.lu(A)
    assert near(P @ L @ U, A, kind)
    U, S, Vh = tk.linalg.svd(A, full_matrices=False)
    assert near((U * S.unsqueeze(-2)) @ Vh, A, kind)
    whole, _, _ = tk.linalg.svd(A)
    assert near(
        whole @ whole.mT.conj(), tk.eye(size[0], dtype=A.dtype).expand((*batch, size[0], size[0])), kind
    )
    assert near(A @ tk.linalg.pinv(A) @ A, A, kind)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("kind", KINDS)
def test_spectra_give_their_matrix_back(kind: str, batch: tuple[int, ...]) -> None:
    A = positive(kind, *batch, 4, 4)
    L = tk.linalg.cholesky(A)
    assert near(L @ L.mT.conj(), A, kind)
    assert by_columns(L)
    values, vectors = tk.linalg.eigh(A)
    assert near((vectors * values.unsqueeze(-2)) @ vectors.mT.conj(), A, kind)
    any_square = matrices(kind, *batch, 4, 4, seed=2)
    values, vectors = tk.linalg.eig(any_square)
    assert near(any_square.to(values.dtype) @ vectors, vectors * values.unsqueeze(-2), kind)


@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_leave_residuals_at_right_angles(kind: str, driver: str) -> None:
    A, B = matrices(kind, 2, 6, 3), matrices(kind, 2, 6, 2, seed=1)
    found = tk.linalg.lstsq(A, B, driver=driver)
    rest = A @ found.solution - B
    assert near(A.mT.conj() @ rest, tk.zeros(2, 3, 2, dtype=A.dtype), kind)
    if driver != "gelsy":
        assert near(found.residuals, (rest.abs() ** 2).sum(-2), kind)
    if driver != "gels":
        assert found.rank.tolist() == [3, 3]


def test_the_loop_in_c_does_what_the_loop_in_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    A, B, P = matrices("float64", 30, 4, 4), matrices("float64", 30, 4, 2), positive("float64", 30, 4, 4)
    fast = tk.linalg.solve(A, B), tk.linalg.inv(A), tk.linalg.cholesky(P)
    monkeypatch.setattr(lapack, "FEW_MATRICES", 10**9)
    slow = tk.linalg.solve(A, B), tk.linalg.inv(A), tk.linalg.cholesky(P)
    for one, two in zip(fast, slow, strict=True):
        assert one.stride() == two.stride()
        assert near(one, two, "float64")


# -- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 40])
def test_the_matrix_of_a_batch_that_is_singular_is_named(count: int) -> None:
    A = tk.eye(3).expand((count, 3, 3)).clone()
    A[1] = 0
    with pytest.raises(
        tk.linalg.LinAlgError, match=r"^linalg.inv: \(Batch element 1\): The diagonal element 1 is"
    ):
        tk.linalg.inv(A)
    with pytest.raises(
        tk.linalg.LinAlgError, match=r"^tensorkit.linalg.solve: \(Batch element 1\): The solver failed"
    ):
        tk.linalg.solve(A, tk.ones(3, 1))
    with pytest.raises(
        tk.linalg.LinAlgError, match=r"\(Batch element 1\): .* \(the leading minor of order 1 is not"
    ):
        tk.linalg.cholesky(A)
    A[1, 0, 0] = float("nan")
    with pytest.raises(
        tk.linalg.LinAlgError, match=r"^linalg.svd: \(Batch element 1\): .* non-finite values\.$"
    ):
        tk.linalg.svd(A)


def test_the_error_is_a_runtime_error_of_the_namespace() -> None:
    assert issubclass(tk.linalg.LinAlgError, RuntimeError)
    assert (tk.linalg.LinAlgError.__module__, tk.linalg.LinAlgError.__qualname__) == (
        "tensorkit.linalg",
        "LinAlgError",
    )


def test_what_is_not_finite_is_refused_or_lost_but_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    A = tk.eye(3)
    A[0, 1] = float("inf")
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        tk.linalg.eig(A)
    assert tk.linalg.eigh(A.mT).eigenvalues.isnan().all()
    assert tk.linalg.lstsq(A, A).solution.isnan().any()
    assert tk.linalg.svd(A).S.isnan().all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parity
def test_every_name_of_pytorchs_namespace_is_there() -> None:
    torch = require_torch()
    theirs = {name for name in dir(torch.linalg) if not name.startswith("_")} - {"common_notes"}
    assert theirs - set(tk.linalg.__all__) == set()


# -- meta tensors, strides ----------------------------------------------------------------------------------------

CALLS = (
    "tk.linalg.inv(a)",
    "tk.linalg.inv_ex(a)",
    "tk.linalg.solve(a, a[..., :2])",
    "tk.linalg.solve(a, a[..., 0])",
    "tk.linalg.solve_triangular(a, a[..., :1], upper=True)",
    "tk.linalg.cholesky_ex(a)",
    "tk.linalg.lu(a)",
    "tk.linalg.lu_factor_ex(a)",
    "tk.linalg.qr(a)",
    "tk.linalg.qr(a[..., :2], 'complete')",
    "tk.linalg.svd(a[..., :2])",
    "tk.linalg.svd(a[..., :2], False)",
    "tk.linalg.svdvals(a)",
    "tk.linalg.eigh(a)",
    "tk.linalg.eigvalsh(a)",
    "tk.linalg.eig(a)",
    "tk.linalg.det(a)",
    "tk.linalg.slogdet(a)",
    "tk.geqrf(a)",
    "tk.cholesky_solve(a, a)",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("size", [(3, 3), (2, 3, 3)])
def test_a_meta_tensor_gives_what_a_result_would_be_like(call: str, size: tuple[int, ...]) -> None:
    def shown(a: Any) -> list[tuple[Any, ...]]:
        found = eval(call, {"tk": tk, "a": a})
        return [(t.size(), t.stride(), t.dtype) for t in (found if isinstance(found, tuple) else (found,))]

    assert shown(tk.empty(*size, device="meta")) == shown(matrices("float32", *size))


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_results_lie_as_pytorchs_do(call: str, kind: str) -> None:
    torch = require_torch()
    A = matrices(kind, 2, 3, 3)
    for array in (A, A.mT, matrices(kind, 2, 6, 6)[:, ::2, ::2]):
        theirs = eval(call, {"tk": torch, "a": torch.from_numpy(array.numpy())})
        ours = eval(call, {"tk": tk, "a": array})
        pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
        for one, two in pairs:
            assert (tuple(one.size()), one.stride()) == (tuple(two.size()), two.stride())
            assert str(one.dtype).split(".")[1] == str(two.dtype).split(".")[1]


# -- old spellings ------------------------------------------------------------------------------------------------


def test_the_lesson_of_2018_fits_its_line() -> None:
    """``alpha, _ = torch.gels(y, x)``, then the first rows of alpha are the line."""
    data = tk.tensor([[20.0, 115.0], [40.0, 130.0], [60.0, 145.0], [80.0, 160.0]])
    x, y = tk.empty(4, 2), tk.empty(4, 1)
    x[:, 0] = data[:, 0]
    x[:, 1] = 1
    y[:, 0] = data[:, 1]
    with pytest.warns(FutureWarning, match=r"linalg\.lstsq"):
        alpha, _ = tk.gels(y, x)
    assert alpha.size() == (4, 1)
    a, b = alpha[0, 0].item(), alpha[1, 0].item()
    assert (a, b) == pytest.approx((0.75, 100.0), rel=1e-4)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("tk.gels(tk.ones(3, 1), tk.ones(2, 2))", "A has 2 rows and B has 3 rows"),
        ("tk.lstsq(tk.ones(2, 2, 1), tk.ones(2, 2, 2))", r"a matrix \(m, k\)"),
        ("tk.gels(tk.ones(2, 1), tk.eye(2, dtype=tk.float64))", "one dtype"),
        ("tk.gels(tk.ones(2, 1, dtype=tk.int64), tk.eye(2, dtype=tk.int64))", "Got Long"),
        (
            "tk.gels(tk.ones(2, 1, requires_grad=True), tk.eye(2))",
            "the derivative for 'gels' is not implemented",
        ),
        ("tk.eig(tk.eye(2, requires_grad=True))", "the derivative for 'eig' is not implemented"),
        ("tk.gels(tk.ones(2, 1), tk.eye(2, device='meta'))", "META"),
        ("tk.gels(tk.ones(2, 1), tk.tensor([[1.0, 0.0], [0.0, 0.0]]))", "full rank"),
    ],
)
def test_an_old_spelling_refuses_what_it_cannot_do(call: str, told: str) -> None:
    with pytest.warns(FutureWarning), pytest.raises((RuntimeError, NotImplementedError), match=told):
        eval(call, {"tk": tk})


@pytest.mark.parametrize(
    "call",
    [
        "gels(b, a",
        "lstsq(b, a",
        "eig(a",
        "eig(a, True",
        "symeig(a",
        "symeig(a, True",
        "solve(b, a",
        "gesv(b, a",
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_old_spelling_writes_into_the_pair_it_is_given(call: str) -> None:
    names = {"tk": tk, "a": tk.tensor([[3.0, 1.0], [1.0, 2.0]]), "b": tk.tensor([[1.0], [2.0]])}
    expected = eval(f"tk.{call})", names)
    out = (tk.empty(0), tk.empty(0))
    found = eval(f"tk.{call}, out=out)", names | {"out": out})
    assert found[0] is out[0]
    assert found[1] is out[1]
    assert [part.tolist() for part in out] == [part.tolist() for part in expected]


@pytest.mark.parametrize(
    ("call", "now"),
    [
        ("tk.gels(b, a)", "linalg.lstsq"),
        ("tk.lstsq(b, a)", "linalg.lstsq"),
        ("tk.eig(a)", "linalg.eig"),
        ("a.eig(eigenvectors=True)", "linalg.eig"),
        ("tk.symeig(a)", "linalg.eigh"),
        ("a.symeig(eigenvectors=True)", "linalg.eigh"),
        ("tk.solve(b, a)", "linalg.solve"),
        ("b.gesv(a)", "linalg.solve"),
        ("tk.trtrs(b, a)", "linalg.solve_triangular"),
        ("tk.potrf(a)", "linalg.cholesky"),
        ("tk.potri(a)", "cholesky_inverse"),
        ("tk.potrs(b, a)", "cholesky_solve"),
        ("tk.matrix_rank(a)", "linalg.matrix_rank"),
    ],
)
def test_an_old_spelling_works_and_names_the_new_one(call: str, now: str) -> None:
    a, b = tk.tensor([[4.0, 1.0], [1.0, 3.0]]), tk.tensor([[1.0], [2.0]])
    with recorded() as caught:
        eval(call, {"tk": tk, "a": a, "b": b})
    told = [w for w in caught if w.category is FutureWarning]
    assert len(told) == 1
    assert now in str(told[0].message)
    assert told[0].filename == "<string>"


def test_old_results_are_what_they_were() -> None:
    a, b = tk.tensor([[4.0, 1.0], [1.0, 3.0]]), tk.tensor([[1.0], [2.0]])
    turn = tk.tensor([[0.0, -1.0], [1.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert near(a @ tk.solve(b, a)[0], b, "float32")
        assert near(a @ tk.gesv(b, a)[0], b, "float32")
        assert tk.eig(turn)[0].tolist() == [[0.0, 1.0], [0.0, -1.0]]
        values, vectors = tk.eig(turn, eigenvectors=True)
        first = tk.complex(vectors[:, 0].contiguous(), vectors[:, 1].contiguous())
        assert near(turn.to(tk.complex64) @ first, 1j * first, "complex64")
        values, vectors = tk.symeig(a, eigenvectors=True)
        assert near((vectors * values) @ vectors.t(), a, "float32")
        assert tk.symeig(a)[1].numel() == 0
        upper = tk.potrf(a)
        assert near(upper.t() @ upper, a, "float32")
        assert near(tk.potri(upper) @ a, tk.eye(2), "float32")
        assert near(a @ tk.potrs(b, upper), b, "float32")


EYE = {"a": Operand((3, 3), "float32", seed=3), "b": Operand((3, 2), "float32")}
LDL = "tk.linalg.ldl_solve(a, tk.tensor({}), b)"
LU = "tk.linalg.lu_solve(a, tk.tensor({}, dtype=tk.int32), b)"


@pytest.mark.usefixtures("every_warning")
@pytest.mark.parity
@pytest.mark.parametrize(
    "call",
    [
        *(LU.format(pivots) for pivots in ("[9, 2, 3]", "[1, 2, 4]", "[0, 2, 3]", "[1, -1, 3]", "[9, 0, 3]")),
        "tk.linalg.lu_solve(a, tk.tensor([4, 2, 3], dtype=tk.int32), b.mT, left=False)",
        "tk.lu_solve(b, a, tk.tensor([4, 2, 3], dtype=tk.int32))",
        "tk.linalg.lu_solve(a.half(), tk.tensor([4, 2, 3], dtype=tk.int32), b.half())",
        "tk.linalg.lu_solve(a, tk.tensor([4, 2, 3], dtype=tk.int32), b[:, :0])",
        *(LDL.format(pivots) for pivots in ("[9, 2, 3]", "[1, 2, -4]", "[0, 2, 3]", "[1, 2, 2**32 + 3]")),
        *(LDL.format(pivots) for pivots in ("[1, 2, 3.0]", "[9, 0, 3]", "[1, 2, 3], dtype=tk.uint16")),
        *(LDL.format(pivots) for pivots in ("[1, 2, -2**31], dtype=tk.int32", "[1, 2, 3], dtype=tk.uint8")),
        *(LDL.format(pivots) for pivots in ("[-2, -2, 3]", "[1, -3, -3]", "[-2, -3, 3]")),
        "tk.linalg.ldl_solve(a[:0, :0], tk.tensor([], dtype=tk.int64), b[:0])",
    ],
)
def test_pivots_that_are_no_rows_never_reach_lapack(call: str) -> None:
    difference = compare(require_torch(), call, EYE, tolerance=500)
    assert difference is None, difference.text if difference else ""


@pytest.mark.parametrize("pivots", [[1, 2, -1], [-1, 2, 3], [1, -2, 3], [-1, -1, -2]])
def test_half_a_block_of_two_never_reaches_lapack(pivots: list[int]) -> None:
    # PyTorch hands it to LAPACK, and its process ends there.
    with pytest.raises(RuntimeError, match=r"must be negative in pairs.*Pass the pivots as ldl_factor"):
        tk.linalg.ldl_solve(tk.eye(3), tk.tensor(pivots), tk.ones(3, 2))


@pytest.mark.parity
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize(
    ("matrix", "right"),
    [
        *(((2, 3, 2), size) for size in ((3, 1), (2, 3), (1, 3, 1), (3, 3, 1), (2, 3, 1), (3,))),
        *(((1, 3, 2), size) for size in ((3, 1), (3, 2), (2, 3, 1), (1, 3), (2, 3), (3, 3))),
        *(((2, 1, 3, 2), size) for size in ((2, 3, 1), (1, 3, 1), (3, 3, 1), (2, 2, 3, 1), (2, 1, 3))),
        *(((2, 2, 3, 2), size) for size in ((2, 3, 1), (1, 3, 1), (5, 3, 1), (2, 2, 3), (1, 1, 3, 1))),
        *(((5, 3, 2), (3, 1)), ((3, 2), (2, 3)), ((1, 1, 1, 3, 2), (2, 1, 3, 1))),
    ],
)
def test_batches_of_right_hand_sides_are_taken_or_refused_as_in_pytorch(
    matrix: tuple[int, ...], right: tuple[int, ...], driver: str
) -> None:
    """Ranks and singular values are those of the matrices, once each; what has a dimension less is lifted."""
    call = f"tuple(tk.linalg.lstsq(a + 9 * tk.eye(3, 2), b, driver='{driver}'))"
    operands = {"a": Operand(matrix, "float32"), "b": Operand(right, "float32")}
    difference = compare(require_torch(), call, operands, tolerance=2000)
    assert difference is None, difference.text
