"""What the samples cannot say of reductions and scans: large ones, their digits, named results, arguments' forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.kernels.cpu import loops
from tests.parity.compare import Operand, compare
from tests.torch_oracle import require_torch, sentence

#: Long and short rows, few and many; what is not a multiple of a block.
SIZES = (
    (1, 5000),
    (5000, 1),
    (3, 4099),
    (4099, 3),
    (130, 67),
    (9001, 2),
    (127, 1031),
    (50, 10, 20),
    (20, 10, 50),
)
DIMS: tuple[Any, ...] = (None, 0, -1, (0, -1))


def _numbers(size: tuple[int, ...], kind: str) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(size)).normal(1, 2, size).astype(kind)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("turned", [False, True])
def test_large_sums_are_exact_to_the_last_digits(size: tuple[int, ...], kind: str, turned: bool) -> None:
    array = _numbers(size, kind)
    t = tk.from_numpy(array)
    if turned:
        array, t = array.T, t.permute(*reversed(range(t.dim())))
    scale = 3e-7 if kind == "float32" else 1e-15
    for dim in DIMS:
        axes = dim if dim is not None else tuple(range(array.ndim))
        sizes = np.abs(array).astype(np.longdouble).sum(axis=axes)
        for keep in (False, True):
            exact = array.astype(np.longdouble).sum(axis=axes, keepdims=keep)
            found = t.sum(dim, keep)
            assert found.size() == exact.shape
            assert found.is_contiguous()
            assert np.all(np.abs(found.numpy() - exact) <= scale * sizes.reshape(exact.shape))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_large_spreads_and_norms_are_exact_enough(size: tuple[int, ...]) -> None:
    array = _numbers(size, "float32")
    t, wide = tk.from_numpy(array), array.astype(np.float64)
    for dim in DIMS:
        with np.errstate(all="ignore"), pytest.MonkeyPatch.context():
            many = math.prod(array.shape if dim is None else [array.shape[d] for d in np.atleast_1d(dim)])
            if many > 1:
                np.testing.assert_allclose(t.var(dim).numpy(), wide.var(axis=dim, ddof=1), rtol=5e-6)
        length = np.sqrt(np.square(wide).sum(axis=dim))
        np.testing.assert_allclose(t.norm(dim=dim).numpy(), length, rtol=2e-6)


def test_a_spread_far_from_zero_keeps_its_digits() -> None:
    array = (1000 + np.random.default_rng(0).random((100, 100))).astype(np.float32)
    found = tk.from_numpy(array).var().item()
    assert found == pytest.approx(array.astype(np.float64).var(ddof=1), rel=1e-5)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "nansum", "prod", "norm", "var", "softmax", "cumsum", "logsumexp"]
)
def test_large_ones_meet_nan_and_infinity(name: str) -> None:
    torch = require_torch()
    for value in (math.nan, math.inf, -math.inf):
        array = _numbers((64, 300), "float32")
        array[7, 9] = value
        arguments = (1,) if name in ("softmax", "cumsum", "logsumexp", "prod", "sum", "mean") else ()
        ours = getattr(tk.from_numpy(array), name)(*arguments).numpy()
        theirs = getattr(torch.from_numpy(array), name)(*arguments).numpy()
        np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "call", ["a.cumsum(0)", "a.cumprod(0)", "a.cumsum(1)", "a.softmax(2)", "a.softmax(0)", "a.prod(2)"]
)
def test_broad_and_long_ones_agree_with_pytorch(call: str) -> None:
    torch = require_torch()
    array = _numbers((6, 40, 700), "float32")
    if "prod" in call:
        array = (1 + array / 100).astype("float32")  # their product stays within reach
    ours = eval(call, {"a": tk.from_numpy(array)}).numpy()
    theirs = eval(call, {"a": torch.from_numpy(array)}).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


CALLS = (
    "tk.aminmax(a, dim=0)",
    "tk.aminmax(a, dim=0, out=(tk.empty(0), tk.empty(0)))",
    "tk.cummax(a, 1)",
    "tk.cummin(a, 1, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))",
    "tk.max(a, 0)",
    "tk.std_mean(a, 0)",
    "tk.logsumexp(a, 0, out=tk.empty(0, dtype=tk.float64))",
    "tk.softmax(a, 1, dtype=tk.float64, out=tk.empty(0, dtype=tk.float64))",
    "tk.sum(x=a, axis=0, keepdims=True)",
    "tk.amax(a, axis=(0, 1))",
    "a.cov(correction=5)",
    "a.corrcoef()",
    "a.norm(2, 0, True, tk.float64)",
    "a.norm(tk.tensor(3.0))",
    "tk.trapz(a, dx=True)",
)
WRONG = (
    "tk.sum()",
    "tk.sum(3)",
    "tk.sum(a, foo=1)",
    "tk.sum(a, 1, 'x')",
    "a.sum((0, 'x'))",
    "a.sum(True)",
    "tk.prod(a, 0, foo=1)",
    "a.prod(dim='x')",
    "a.prod(0, keepdim=1)",
    "tk.prod(a, None)",
    "a.prod((0, 1), keepdim=1)",
    "tk.amax()",
    "tk.amax(3)",
    "a.amax([0, 1.5])",
    "a.amax(0, True, 3)",
    "a.amax(a)",
    "tk.argmax([1])",
    "a.argmax((0, 1))",
    "tk.all(3)",
    "tk.all(a, (0, 1.5))",
    "tk.count_nonzero(a, keepdim=True)",
    "tk.std_mean(3)",
    "tk.var(a, 0, 'x')",
    "tk.var(a, 0, True, True, True)",
    "a.max(0, 1)",
    "tk.max(a, a, True)",
    "tk.max(a, 0, out=3)",
    "a.cumsum(0, 0)",
    "a.cumsum(0, dtype=3)",
    "a.cumsum_()",
    "tk.cummax(a, 0, out=(tk.empty(0), tk.empty(0, dtype=tk.int32)))",
    "a.softmax(0, 3)",
    "tk.softmax(a, 0, dtype=tk.float64, out=tk.empty(0))",
    "tk.trapezoid(3)",
    "tk.trapezoid(a, dx='x')",
    "tk.trapezoid(a, dx=1j)",
    "tk.trapezoid(a, x=a, dx=2)",
    "tk.trapezoid(a[0, 0])",
    "tk.diff(a, prepend=3)",
    "tk.cov(a, fweights=tk.tensor([1, 2]))",
    "tk.cov(a, aweights=tk.tensor([1.0, 2, -3]))",
    "tk.cov(a, fweights=tk.tensor([0, 0, 0]))",
    "tk.norm(a, 2, 1.5)",
    "tk.norm(a, 1 + 1j)",
    "tk.norm(a, dtype=tk.int32)",
    "tk.norm(a, dtype=tk.float16)",
    "tk.norm(tk.zeros(0, 3), float('inf'))",
    "tk.dist(a)",
    "tk.logsumexp(a, ())",
    "tk.aminmax(a, 0)",
)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:cov")
@pytest.mark.parametrize("call", CALLS)
def test_results_print_as_pytorchs(call: str) -> None:
    torch = require_torch()
    ours, theirs = (eval(call, {"tk": lib, "a": lib.arange(6.0).view(2, 3)}) for lib in (tk, torch))
    assert repr(ours) == repr(theirs).replace("torch.", "tensorkit.")


@pytest.mark.parity
@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_are_refused_in_pytorchs_words(call: str) -> None:
    said = []
    for lib in (tk, require_torch()):
        with pytest.raises((TypeError, RuntimeError, IndexError)) as caught:
            eval(call, {"tk": lib, "a": lib.arange(6.0).view(2, 3)})
        said.append((caught.type.__name__, sentence(caught.value).split("\n")[0]))
    assert said[0] == said[1]


@pytest.mark.parity
@pytest.mark.parametrize("again", [False, True])
def test_a_running_product_with_zeros_has_pytorchs_derivative(again: bool) -> None:
    """By the short way, and by the one that can be differentiated again."""
    found = []
    for lib in (tk, require_torch()):
        rows = [[2.0, 0, 3, 0, 5], [0.0, 1, 2, 3, 4], [1.0, 2, 3, 4, 0], [1.0, 2, 3, 4, 5]]
        t = lib.tensor(rows, dtype=lib.float64, requires_grad=True)
        weights = lib.arange(20, dtype=lib.float64).view(4, 5) - 7
        found.append(lib.autograd.grad(t.cumprod(1), t, weights, create_graph=again)[0].tolist())
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


def test_a_product_with_one_zero_gives_that_zero_the_product_of_the_others() -> None:
    t = tk.tensor([2.0, 0, 5], requires_grad=True)
    t.prod().backward()
    assert t.grad.tolist() == [0, 10, 0]


def test_without_data_there_is_a_size_and_a_dtype() -> None:
    t = tk.empty(2, 3, device="meta")
    for result, size in (
        (t.sum(0), (3,)),
        (t.amax((0, 1)), ()),
        (t.argmax(1, True), (2, 1)),
        (t.cumsum(0), (2, 3)),
    ):
        assert result.size() == size
        assert result.device.type == "meta"
    assert t.cummax(0).indices.dtype is tk.int64
    assert t.softmax(1).size() == (2, 3)
    assert t.logsumexp(1).size() == (2,)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(1, 700), (3, 4, 100), (40, 25)])
def test_products_of_long_rows_by_the_compiled_loop(kind: Any, size: tuple[int, ...]) -> None:
    loops.row_products.compile()
    numbers = np.random.default_rng(3).uniform(0.95, 1.05, size).astype(kind)
    numbers[..., ::7] *= -1
    t, wide = tk.from_numpy(numbers), numbers.astype(np.float64)
    for found, wanted in (
        (t.prod(), wide.prod()),
        (t.prod(-1), wide.prod(-1)),
        (t.prod(-1, keepdim=True), wide.prod(-1, keepdims=True)),
    ):
        assert found.size() == wanted.shape
        assert np.allclose(found.numpy(), wanted.astype(kind), rtol=1e-4)


@pytest.mark.parity
@pytest.mark.parametrize(
    "call",
    [
        "tk.linalg.vector_norm(a * 1e30)",
        "tk.linalg.vector_norm(a * 1e-30, 3)",
        "tk.linalg.vector_norm(a[:, 0] * 1e30j, -2.5)",
        "tk.linalg.vector_norm(a * 0, -3)",
        "tk.linalg.vector_norm(a, 0)",
        "tk.norm(a.expand(2, 1) * 1e30, 3, dim=1, keepdim=True)",
        "tk.norm(a.expand(2, 1) * 1e30, 3)",
        "tk.dist(a, a * 1e30, 3)",
        "tk.renorm(a * 1e30, 3, 0, 1.0)",
    ],
)
def test_the_norm_of_one_number_is_its_size(call: str) -> None:
    found = compare(require_torch(), call, {"a": Operand((1, 1), "float32", seed=1)}, tolerance=1)
    assert found is None, found.text if found else ""


_PARTS = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e30, -1e-40, 65504.0, 0.1, 2.5, -7.0)


def _same_part(ours: float, theirs: float) -> bool:
    if math.isfinite(ours) and math.isfinite(theirs):
        return abs(ours - theirs) <= 1e-5 * max(1, abs(theirs))
    return ours == theirs or (math.isnan(ours) and math.isnan(theirs))


@pytest.mark.parity
@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_running_logarithms_of_complex_numbers_keep_the_parts_that_pytorch_keeps(kind: str) -> None:
    """Of equal real parts the later number gives the imaginary one; nothing so far is -inf, without a direction."""
    torch = require_torch()
    numbers = [complex(a, b) for a in _PARTS for b in _PARTS]
    pairs = [[a, b] for a in numbers for b in numbers]
    ours, theirs = (
        lib.tensor(pairs, dtype=getattr(lib, kind)).logcumsumexp(1).view(-1).tolist() for lib in (tk, torch)
    )
    wrong = [
        place
        for place, (x, y) in enumerate(zip(ours, theirs, strict=True))
        if not (_same_part(x.real, y.real) and _same_part(x.imag, y.imag))
    ]
    assert wrong == []
