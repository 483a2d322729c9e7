"""Joining, shuffling, building, creating: what the samples of the operations cannot say."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tests.support.same_program import differing
from tests.torch_oracle import require_torch

# -- one call under both libraries --------------------------------------------------------------------------------


def _done(lib: Any, call: str) -> Any:
    """What a call gives, in words that both libraries share."""
    names = {"tk": lib, "np": np, "g": lib.ones(2, 3, requires_grad=True), "v": lib.arange(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(call, names)
        except Exception as problem:
            first = str(problem).split("\n")[0].replace("torch.", "tensorkit.")
            return [kind.__name__ for kind in type(problem).__mro__], first
    return _shown(value)


def _shown(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_shown(part) for part in value]
    if not hasattr(value, "untyped_storage"):
        return str(value).replace("torch.", "tensorkit.")
    node = value.grad_fn and value.grad_fn.name()
    numbers = None if value.is_meta else value.tolist()
    facts = (
        str(value.dtype).split(".")[1],
        tuple(value.shape),
        value.stride(),
        value._is_view(),
        value._version,
    )
    return (*facts, value.requires_grad, node, str(value.device), numbers)


def _assert_same(call: str) -> None:
    ours, theirs = _done(tk, call), _done(require_torch(), call)
    if isinstance(theirs, tuple) and isinstance(theirs[0], list):
        assert isinstance(ours, tuple)
        assert theirs[0][0] in ours[0], call
        assert ours[1] == theirs[1], call
    else:
        assert ours == theirs, call


_KEYWORDS = (
    "tk.cat([v, v], axis=0)",
    "tk.stack(tensors=[v, v], dim=1)",
    "tk.ones(2, 3).swapaxes(axis0=0, axis1=1)",
    "tk.split(v, split_size_or_sections=2)",
    "v.tensor_split(sections=2)",
    "v.tensor_split(indices=(1, 2))",
    "v.view(size=(3, 1))",
    "v.reshape(shape=(3, 1))",
    "g.permute(dims=(1, 0))",
    "g.expand(size=(2, 2, 3))",
    "g.broadcast_to(size=(2, 2, 3))",
    "tk.ones(1, 3, 1).squeeze(dim=(0, 2))",
    "v.repeat(repeats=(2,))",
    "v.tile(dims=(2,))",
    "v.flip(dims=(0,))",
    "tk.zeros(size=(2,), dtype=tk.int8, layout=tk.strided, device='cpu', pin_memory=False, requires_grad=False)",
    "tk.arange(end=3)",
    "tk.full(size=(2,), fill_value=True)",
    "v.new_full(size=(2,), fill_value=7.5)",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", _KEYWORDS)
def test_arguments_have_pytorchs_names(call: str) -> None:
    _assert_same(call)


_RECORDED = (
    "tk.cat([g, tk.zeros(0, requires_grad=True)])",
    "tk.cat([g, g.long()])",
    "tk.hstack([g.sum(), g[0]])",
    "tk.block_diag(g, v)",
    "tk.diag(g)",
    "tk.diag(g[0])",
    "tk.cartesian_prod(g[0], g[1])",
    "tk.repeat_interleave(g, 2)",
    "g.rot90()",
    "tk.meshgrid(g[0], g[1], indexing='xy')",
    "g.narrow_copy(0, 1, 1)",
    "g.unsafe_split(1)",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", _RECORDED)
def test_the_graph_has_pytorchs_nodes(call: str) -> None:
    _assert_same(call)


_LONG = (
    "tk.tril(tk.arange(80 * 70.0).view(80, 70), 3)",
    "tk.triu(tk.arange(80 * 70).view(80, 70), -90)",
    "tk.triu(tk.arange(80 * 70).view(80, 70).t(), 40)",
    "tk.zeros(2**20 + 1)[-1]",
    "tk.arange(2**20 + 1)[-1]",
    "tk.tensor([2.0**200, -(2.0**200)])",
    "tk.tensor([1, 2**63])",
    "tk.full((2,), 2**63)",
    "tk.full((2,), 1e300)",
    "tk.cat([tk.ones(2, 3, 4, 5).permute(0, 3, 1, 2)] * 2).stride()",
    "tk.cat([tk.ones(2, 3).t(), tk.ones(2, 3).t()], 1)",
    "tk.arange(-0.5, 3, dtype=tk.int32)",
    "tk.arange(0, 5, 2.5, dtype=tk.int32)",
    "tk.arange(float('nan'))",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", _LONG)
def test_the_quick_way_and_the_long_way_agree_with_pytorch(call: str) -> None:
    _assert_same(call)


# -- memory -------------------------------------------------------------------------------------------------------


def test_a_result_does_not_share_memory_with_what_it_was_joined_of() -> None:
    a = tk.ones(3)
    for made in (
        tk.cat([a]),
        tk.stack([a]),
        a.repeat(1),
        a.tile(1),
        a.roll(0),
        a.flip(()),
        tk.diag(tk.ones(2, 2)),
    ):
        made.fill_(7)
    assert a.tolist() == [1, 1, 1]


def test_a_buffer_is_shared_and_a_read_only_one_is_protected() -> None:
    buffer = bytearray(b"abcd")
    tk.frombuffer(buffer, dtype=tk.uint8)[0] = 120
    assert buffer == bytearray(b"xbcd")
    with pytest.warns(UserWarning, match="not writable"):
        frozen = tk.frombuffer(b"abcd", dtype=tk.uint8)
    with pytest.raises((RuntimeError, ValueError)):
        frozen[0] = 1
    assert frozen.tolist() == [97, 98, 99, 100]


def test_the_pieces_of_an_unsafe_split_share_memory() -> None:
    whole = tk.zeros(4)
    first, second = whole.unsafe_chunk(2)
    second.fill_(1)
    assert whole.tolist() == [0, 0, 1, 1]
    assert not first._is_view()


def test_a_result_is_not_written_into_a_tensor_that_wants_gradients() -> None:
    out = tk.zeros(6, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"cat\(\): functions with out="):
        tk.cat([tk.ones(3), tk.ones(3)], out=out)
    assert out.tolist() == [0] * 6


# -- where new tensors live ---------------------------------------------------------------------------------------


def test_a_with_block_chooses_the_device_of_new_tensors() -> None:
    a = tk.ones(2)
    with tk.device("meta"):
        made = (
            tk.ones(2),
            tk.tensor([1]),
            tk.arange(3),
            tk.full((2,), 1),
            tk.eye(2),
            tk.empty(1),
            tk.tril_indices(2, 2),
        )
        assert all(t.is_meta for t in made)
        assert tk.get_default_device() == tk.device("meta")
        assert not tk.ones(1, device="cpu").is_meta
        assert not a.new_zeros(1).is_meta
        assert not tk.zeros_like(a).is_meta
        with tk.device("cpu"):
            assert not tk.zeros(1).is_meta
        assert tk.zeros(1).is_meta
    assert not tk.ones(1).is_meta


def test_the_default_device_stays_until_it_is_changed() -> None:
    tk.set_default_device("meta")
    try:
        assert tk.zeros(2).is_meta
        assert tk.get_default_device() == tk.device("meta")
    finally:
        tk.set_default_device(None)
    assert tk.get_default_device() == tk.device("cpu")
    assert not tk.zeros(2).is_meta


@pytest.mark.parity
@pytest.mark.parametrize(
    "first",
    [
        "ar(2, 4, 3).permute(0, 2, 1)",
        "ar(4, 3, 2).permute(2, 1, 0)",
        "ar(1, 3, 4).expand(2, 3, 4)",
        "ar(2, 4, 5, 3).permute(0, 3, 1, 2)",
        "ar(2, 4, 5, 1).permute(0, 3, 1, 2)",
        "ar(2, 2, 4, 5, 3).permute(0, 4, 1, 2, 3)",
        "ar(2, 1, 1, 3).permute(0, 3, 1, 2)",
        "ar(3, 1, 1).transpose(0, 1)",
        "ar(2, 6)[:, ::2]",
        "ar(0, 3).t()",
    ],
)
def test_how_tensors_that_do_not_lie_row_by_row_are_joined(first: str) -> None:
    """Strides and numbers, of two alike and of one beside a row-major one, with ``out=`` and without."""
    calls = [f"{name}([a, b], {dim})" for name in ("stack", "cat") for dim in range(-6, 6)]
    calls += [f"{name}([a, b])" for name in ("hstack", "vstack", "dstack", "column_stack")] + [
        "block_diag(a, b)"
    ]
    calls += [call[:-1] + ", out=tk.empty(0))" for call in calls if "block" not in call]
    calls += ["stack([a])", "stack([a, b, a], 1)", "stack([a, b.double()])", "cat([a, b.double()], -1)"]
    for call, second in itertools.product(calls, ("a * 1", "a.contiguous()")):

        def join(lib: Any, call: str = call, second: str = second) -> Any:
            names = {"tk": lib, "ar": lambda *size: lib.arange(float(math.prod(size))).view(size)}
            names["a"] = eval(first, names)
            names["b"] = eval(second, names)
            joined = eval(f"tk.{call}", names)
            return joined, joined.stride()

        assert differing(join, require_torch()) is None, call
