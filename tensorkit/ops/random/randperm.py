"""Numbers in random order: `randperm`."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.device import META, DeviceLike
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.random.draw import DIGITS, Call, draw, drawn, is_integer, make
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.ops.shared.to import as_dtype
from tensorkit.random import Generator
from tensorkit.tensor import Tensor


@op(kind="create", methods=(), out_overlap="allowed")
@takes(
    f"(int n, *, tensorkit.Generator generator, Tensor out = None, {FACTORY})",
    f"(int n, *, Tensor out = None, {FACTORY})",
)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    **keyword: Any,
) -> Tensor:
    """The integers 0 … n - 1 in random order.

    Args:
        n: how many.
        generator: where the order comes from; the default generator (`manual_seed`) if not given.
        out: a tensor to write into. dtype: int64 if not given; one that can count to n - 1.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        RuntimeError: for a negative n, or when the dtype cannot count that far.

    >>> _ = tk.manual_seed(0)
    >>> tk.randperm(4)
    tensor([0, 1, 3, 2])
    """
    call = Call(
        "randperm", ("int n",), (n,), generator=generator, out=out, dtype=dtype, device=device, **keyword
    )
    call.check_options()
    if not is_integer(n):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_name(n)}")
    if (
        out is not None
        and out._device != META
        and n >= 0
        and (dtype is None or as_dtype(dtype) is out._dtype)
    ):
        _check_counts(out._dtype, call.integer(n))  # before it is resized
    made = make((call.integer(n),), dtypes.int64, call)
    if made._device != META:
        _check_counts(made._dtype, made.numel())
    if is_on_device(made):
        return _permuted_on_device(made, generator, out is not None)
    return draw(made, generator, random.fill_permutation, out is not None)


def _permuted_on_device(made: Tensor, generator: Generator | None, given: bool) -> Tensor:
    """The order of as many random keys, of as many bits that two are seldom equal: PyTorch's rule for the bits."""
    count = made.numel()
    if count:
        likely = math.log(0.9) * 12
        bits = min(64, math.ceil(math.log2(count - (6 * count * count + 1) / likely)))
        keys: Any = empty((count,), dtype=dtypes.int64, device=made._device)
        drawn("integers", keys, generator, bits > 32, (0, 2**31 if bits <= 32 else 2**63))
        copy_into(made, (keys & (2**bits - 1)).argsort(stable=True))
    if given:
        made._bump()
    return made


def _check_counts(kind: dtype, count: int) -> None:
    """Refuse a dtype that cannot hold every number up to count - 1."""
    if kind.is_complex or kind is dtypes.bool or kind in LIMITED:
        raise missing_kernel("randperm", kind.label)
    if kind.category == 1 and count - 1 > numpy.iinfo(kind.numpy).max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")
    most = {dtypes.float16: "2049", dtypes.float32: "2^24+1", dtypes.float64: "2^53+1"}
    if kind in most and count > 2 ** DIGITS[kind] + 1:
        raise RuntimeError(f"n cannot be greater than {most[kind]} for {kind.label} type.")
