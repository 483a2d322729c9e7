"""`DeviceMesh` beside PyTorch's, on a process group that only pretends: shapes, parts, texts and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.tensor import Replicate, Shard, distribute_tensor
from tests.distributed.inline import Inline
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

MESHES: tuple[tuple[tuple[int, ...], tuple[str, ...] | None], ...] = (
    ((4,), None), ((2,), ("x",)), ((1,), ("x",)), ((2, 2), None), ((2, 2), ("dp", "tp")), ((4, 1), ("a", "b")),
    ((2, 1, 2), ("a", "b", "c")),
)  # fmt: skip


@pytest.fixture(scope="module")
def theirs() -> Iterator[Callable[..., Any]]:
    torch: Any = require_torch()
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", rank=0, world_size=4, store=FakeStore())
    yield init_device_mesh
    torch.distributed.destroy_process_group()


def ours(device: str, shape: tuple[int, ...], **named: Any) -> tk.distributed.DeviceMesh:
    cluster: Any = Inline(4)
    return tk.distributed.DeviceMesh(device, shape, cluster=cluster, **named)


def told(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


def facts(one: Any) -> Any:
    if isinstance(one, tuple):
        return one
    whole = (
        repr(one),
        one.mesh.tolist(),
        str(one.mesh.dtype).partition(".")[2],
        one.ndim,
        tuple(one.shape),
        one.size(),
    )
    return *whole, one.mesh_dim_names, [one.size(dim) for dim in range(one.ndim)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("shape", "names"), MESHES, ids=str)
def test_meshes_and_their_parts(theirs: Any, shape: tuple[int, ...], names: Any) -> None:
    named = {"mesh_dim_names": names}
    own, other = ours("cpu", shape, **named), theirs("cpu", shape, **named)
    assert facts(own) == facts(other)
    for part in (
        *(names or ("a",)),
        tuple((names or ("a", "b"))[:2]),
        "none of them",
        tuple((names or ())[1:]),
    ):
        if part:
            assert facts(told(lambda part=part: own[part])) == facts(told(lambda part=part: other[part])), (
                part
            )
    if len(names or ()) > 2:
        first = tuple(names[:2])
        assert facts(own[first][names[0]]) == facts(other[first][names[0]])
        assert facts(own[first][names[1]]) == facts(other[first][names[1]])
    for part in names or ():
        assert (own[part] == own[part], own[part] == own) == (
            other[part] == other[part],
            other[part] == other,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("shape", "names"), [((2, 2), ("a", "a")), ((4,), ("a", "b")), ((8,), None)], ids=str
)
def test_meshes_that_are_refused(theirs: Any, shape: tuple[int, ...], names: Any) -> None:
    own, other = (told(lambda make=make: make("cpu", shape, mesh_dim_names=names)) for make in (ours, theirs))
    assert own == other


def test_tensors_on_a_part_of_a_mesh() -> None:
    """Each part computes on its own ranks."""
    on = ours("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    t = tk.rand(5, 3)
    for part, ranks in (("dp", [0, 2]), ("tp", [0, 1])):
        d = distribute_tensor(t, on[part], [Shard(0)])
        assert [one.rank for one in d._futures()] == ranks
        assert tk.allclose((d @ distribute_tensor(t.t(), on[part], [Replicate()])).full_tensor(), t @ t.t())
    with pytest.raises(RuntimeError, match="of two meshes"):
        d + distribute_tensor(t, on["dp"], [Shard(0)])
