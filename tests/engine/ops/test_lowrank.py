"""Singular values by chance: the same seed gives what PyTorch gives, and gradients go back through every step."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

CALLS = (
    "tk.svd_lowrank(a)",
    "tk.svd_lowrank(a, 3)",
    "tk.svd_lowrank(a, q=3, niter=0)",
    "tk.svd_lowrank(a, q=2, niter=4)",
    "tk.svd_lowrank(a, 3, M=a[:1] / 2 if a.dim() == 2 else a[0] / 2)",
    "tk.svd_lowrank(a, 3, 1, tk.ones_like(a))",
    "tk.pca_lowrank(a)",
    "tk.pca_lowrank(a, 3)",
    "tk.pca_lowrank(a, 2, False)",
    "tk.pca_lowrank(a, q=2, niter=0)",
    "tk.pca_lowrank(a, 0)",
)
SIZES = ((5, 4), (4, 5), (9, 7), (2, 5, 4), (2, 3, 4, 6))
KINDS = ("float32", "float64", "complex64", "complex128")


def numbers(size: tuple[int, ...], kind: str) -> Any:
    rng = numpy.random.default_rng(len(size) + size[-1])
    drawn = rng.standard_normal((*size, 2))
    return (drawn @ [1, 1j] if "complex" in kind else drawn[..., 0]).astype(kind)


def told(lib: Any, call: str, array: Any) -> tuple[Any, ...]:
    lib.manual_seed(7)
    parts = eval(call, {"tk": lib, "a": lib.from_numpy(array.copy())})
    assert type(parts) is tuple
    return tuple(parts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", CALLS)
def test_the_same_seed_gives_the_same_parts(call: str, kind: str) -> None:
    few = 2e-4 if kind in ("float32", "complex64") else 1e-11
    for size in SIZES:
        array = numbers(size, kind)
        ours, theirs = told(tensorkit, call, array), told(require_torch(), call, array)
        for one, other in zip(ours, theirs, strict=True):
            assert str(one.dtype).replace("tensorkit", "torch") == str(other.dtype)
            assert (tuple(one.size()), one.stride()) == (tuple(other.size()), other.stride())
        (U, S, V), (X, Y, Z) = ([part.resolve_conj().numpy() for part in parts] for parts in (ours, theirs))
        numpy.testing.assert_allclose(S, Y, few, few)
        # LAPACK's versions agree about a pair of columns but for a sign, or for a turn in the complex plane; and not
        # at all about those of a singular value that is 0 but for rounding.
        some = (Y > 0.01)[..., None, :]
        turn = (U.conj() * X).sum(-2, keepdims=True) * some
        numpy.testing.assert_allclose(numpy.abs(turn), some.astype(S.dtype), few, few)
        for one, other in ((U * turn, X * some), (V * turn, Z * some)):
            numpy.testing.assert_allclose(one, other, few, few)


def gradients(lib: Any, call: str, array: Any) -> list[Any]:
    """First and second derivatives of a number made of all parts."""
    lib.manual_seed(7)
    a = lib.from_numpy(array.copy()).requires_grad_()
    U, S, V = eval(call, {"tk": lib, "a": a})
    weight = lib.arange(1, S.size(-1) + 1, dtype=S.dtype)
    value = (U.abs().pow(3) * weight).sum() + (S * weight).sum() + (V.abs().pow(3) * weight).sum()
    (first,) = lib.autograd.grad(value, a, create_graph=True)
    (second,) = lib.autograd.grad(first.abs().pow(2).sum(), a)
    return [first.detach().resolve_conj().numpy(), second.resolve_conj().numpy()]


# Centred points have one singular value of 0 where there are as many of them as dimensions: there no gradient is.
@pytest.mark.parametrize("call", [call for call in CALLS[:-1] if call != "tk.pca_lowrank(a)"])
def test_gradients_go_back_through_every_step(call: str) -> None:
    for size in ((5, 4), (4, 6)):
        array = numbers(size, "float64")
        for ours, theirs in zip(
            gradients(tensorkit, call, array), gradients(require_torch(), call, array), strict=True
        ):
            scale = max(1.0, float(numpy.abs(theirs).max()))
            numpy.testing.assert_allclose(ours / scale, theirs / scale, 1e-8, 1e-8)


def test_without_data_there_are_sizes() -> None:
    for lib in (tensorkit, require_torch()):
        parts = lib.svd_lowrank(lib.ones(2, 5, 4, device="meta"), 3)
        assert [tuple(part.size()) for part in parts] == [(2, 5, 3), (2, 3), (2, 4, 3)]
        assert all(part.is_meta for part in parts)
