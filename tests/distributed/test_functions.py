"""Functions of tensorkit on sharded tensors: each gives what it gives on one machine, or refuses by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, rand
from tests.distributed.inline import mesh
from tests.distributed.test_values import same

SPACES = {"": tk, "linalg.": tk.linalg, "special.": tk.special, "nn.functional.": tk.nn.functional}
SKIPPED = (
    "set_",
    "seed",
    "manual_seed",
    "save",
    "load",
    "compile",
    "vmap",
    "is_storage",
    "is_tensor",
    "matrix_rank",
    "empty",
)
"""They take anything, change the settings of the tests, or give numbers that happen to be there."""


def functions() -> dict[str, Callable[..., Any]]:
    found = {}
    for place, space in SPACES.items():
        for name in getattr(space, "__all__", dir(space)):
            one = getattr(space, name)
            if callable(one) and not isinstance(one, type) and not name.startswith(("_", *SKIPPED)):
                found[place + name] = one
    return found


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return error


def judged(expected: Any, found: Any) -> str:
    """'' where all is well."""
    if isinstance(found, NotImplementedError):
        return "" if "sharding strategy" in str(found) or "in place" in str(found) else str(found)
    if isinstance(expected, tk.Tensor) and isinstance(found, DTensor):
        same(found, expected)
        return ""
    if isinstance(expected, tk.Tensor):
        return f"{type(found).__name__}: {found}"
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [1, 2, 3], ids="{} arguments".format)
def test_every_function(count: int) -> None:
    t = tk.rand(4, 4)
    wrong, computed = {}, set()
    for name, function in functions().items():
        d = distribute_tensor(t, mesh(2), [Shard(0)])
        for rest in {1: [()], 2: [(d,), (0,)], 3: [(0, 1), (d, d)]}[count]:
            plain = [t.clone() if one is d else one for one in (d, *rest)]
            expected, found = attempt(function, *plain), attempt(function, d, *rest)
            told = judged(expected, found)
            if told:
                wrong[name] = told
            elif isinstance(expected, tk.Tensor) and isinstance(found, DTensor):
                computed.add(name)
    assert wrong == {"from_dlpack": wrong["from_dlpack"]} if count == 1 else not wrong, wrong
    assert len(computed) > {1: 130, 2: 100, 3: 20}[count], computed


@pytest.mark.filterwarnings("ignore")
def test_a_tensor_of_one_machine_beside_a_sharded_one() -> None:
    d = distribute_tensor(tk.rand(4, 4), mesh(2), [Shard(0)])
    for function in (tk.add, tk.matmul, tk.where, tk.equal, tk.allclose, tk.clamp, tk.linalg.solve):
        with pytest.raises(RuntimeError, match=r"got mixed tensorkit\.Tensor and DTensor"):
            function(tk.rand(4, 4), d)
    same(tk.tensor(2.0) * d, 2 * d.full_tensor())  # without dimensions it is a number
    with pytest.raises(RuntimeError, match=r"aten\.sub got mixed"):
        tk.rand(4, 4) - d


def test_operators_with_a_number_before_them() -> None:
    t = tk.rand(4, 4) + 0.5
    d = distribute_tensor(t, mesh(2), [Shard(1)])
    for operation in (
        lambda one: 2**one, lambda one: 7 % one, lambda one: 7 // one, lambda one: 1 / one, lambda one: 1 - one,
        lambda one: 3 + one, lambda one: (one > 1) & (one < 2), lambda one: ~(one > 1), lambda one: -one, abs,
    ):  # fmt: skip
        same(operation(d), operation(t))


def test_largest_and_where() -> None:
    t = tk.rand(4, 6)
    for placed in (Shard(0), Shard(1), Replicate()):
        d = distribute_tensor(t, mesh(2), [placed])
        for dim in (0, 1):
            for found, expected in zip(d.max(dim), t.max(dim), strict=True):
                same(found, expected)
            for found, expected in zip(
                tk.min(d, dim, keepdim=True), tk.min(t, dim, keepdim=True), strict=True
            ):
                same(found, expected)
        same(tk.where(d > 0.5, d, 0.0), tk.where(t > 0.5, t, 0.0))
        same(d.where(d > 0.5, d * 2), t.where(t > 0.5, t * 2))
        same(tk.cat([d, d * 2], 1), tk.cat([t, t * 2], 1))
        same(tk.stack([d, d * 2], -1), tk.stack([t, t * 2], -1))
        same((d > 0.9).any(0), (t > 0.9).any(0))
        same((d > 0.9).all(), (t > 0.9).all())
    with pytest.raises(NotImplementedError, match=r"aten\.where"):
        tk.where(d)


def test_what_is_refused() -> None:
    on = mesh(2)
    d = distribute_tensor(tk.rand(4, 4), on, [Shard(0)])
    with pytest.raises(NotImplementedError, match=r"never changed in place.*t = t\.add"):
        d.add_(1)
    with pytest.raises(RuntimeError, match=r"unsupported placements P\(sum\) on device mesh dimension 0"):
        distribute_tensor(tk.ones(4), on, (d.sum() * 1).placements)
    with pytest.raises(RuntimeError, match="redistributing to Partial is for internal use only"):
        d.redistribute(placements=d.sum().placements)
    with pytest.raises(
        IndexError, match=r"Dimension out of range \(expected to be in range of \[-1, 0\], but got 1\)"
    ):
        distribute_tensor(tk.ones(4), on, [Shard(1)])
    with pytest.raises(ValueError, match="must have the same length"):
        distribute_tensor(tk.ones(4), on, [Shard(0), Shard(0)])
    with pytest.raises(TypeError, match="'rows' is none"):
        distribute_tensor(tk.ones(4), on, ["rows"])  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="No device mesh is currently active!"):
        rand(4)
    with pytest.raises(RuntimeError, match="\"check_uniform_bounds\" not implemented for 'Long'"):
        rand(4, dtype=tk.int64, device_mesh=on)


@pytest.mark.parametrize(
    "dtype", [tk.float16, tk.bfloat16, tk.float32, tk.float64, tk.complex64, tk.complex128], ids=str
)
def test_random_numbers_are_spread_as_they_should_be(dtype: tk.dtype) -> None:
    made = rand(100_000, dtype=dtype, device_mesh=mesh(4), placements=[Shard(0)]).full_tensor()
    parts = tk.view_as_real(made).flatten() if dtype.is_complex else made
    assert parts.min() >= 0
    assert parts.max() < 1
    assert abs(parts.double().mean().item() - 0.5) < 0.01
    normal = tk.distributed.tensor.randn(100_000, dtype=dtype, device_mesh=mesh(4)).full_tensor()
    assert abs(normal.to(tk.complex128).abs().square().mean().item() - 1) < 0.03
