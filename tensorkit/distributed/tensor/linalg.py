"""Factorisations and solutions of matrices that many workers have; PyTorch's DTensor has none of them.

A tall matrix is factored by tall-skinny QR: each rank factors its own rows, the first rank the triangles that come of
it, which are small. A square system is solved on one rank alone, which must have the memory for all of it.

Source: https://arxiv.org/abs/0808.2664, Demmel, Grigori, Hoemmen and Langou: Communication-optimal parallel and
sequential QR and LU factorizations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import return_types
from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import creation, tasks
from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.distributed.tensor.redistribute import carried_out, gathered, scattered
from tensorkit.distributed.tensor.strategy import told_by_meta
from tensorkit.dtypes import dtype, int64
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.linalg.checks import check_tensor, epsilon
from tensorkit.ops.linalg.lstsq import check_lstsq
from tensorkit.ops.linalg.lstsq import lstsq as lstsq_here
from tensorkit.ops.linalg.qr import linalg_qr
from tensorkit.tensor import Tensor


def qr(A: DTensor, mode: str = "reduced") -> Any:
    """A tall matrix as ``Q @ R``, by tall-skinny QR, with the signs that one machine gives.

    Each rank but the first sends n² numbers and receives n² for its rows of Q and n² for R; mode "r" spares those
    for Q. The matrix itself is sent only where it is not cut by rows.

    Args:
        A: ``(m, n)``, of floats or complex numbers of 32 or 64 bits a part, with n rows or more on the first rank.
        mode: "reduced", or "r" for R alone; Q is empty then.

    Returns:
        A named pair ``(Q, R)``: Q ``(m, n)`` is cut by rows over all ranks, R ``(n, n)`` is whole on each.

    Raises:
        RuntimeError: for what `tensorkit.linalg.qr` refuses, and for a matrix with too few rows.
        NotImplementedError: for batches, and for mode "complete".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.qr.html
    """
    told_by_meta("linalg_qr", (A, mode), {})
    if mode == "complete":
        raise NotImplementedError(
            f"linalg.qr: a sharded matrix is factored in the modes 'reduced' and 'r', and in mode 'complete' Q would "
            f"have {A.shape[-2]} columns."
        )
    rows = _by_rows("linalg.qr", A)
    mesh, n, layout = A.device_mesh, A.shape[1], rows._layout
    submit = mesh.cluster.submit
    # The first n rows are not factored: what is done with them then decides the signs as on one machine.
    kept = [n if rank == 0 else 0 for rank in layout.ranks]
    own = [submit(rank, _factored, part, kept[rank], mode) for rank, part in enumerate(rows._futures())]
    whole = submit(0, _stacked, mode, *(submit(rank, _of, pair, 1) for rank, pair in enumerate(own)))
    R = _from_first(submit(0, _of, whole, 1), mesh, (n, n), A.dtype)
    if mode == "r":
        return return_types.linalg_qr((creation.empty(0, dtype=A.dtype, device_mesh=mesh), R))
    Q, above, parts = submit(0, _of, whole, 0), 0, []
    for rank in layout.ranks:
        height = min(layout.local_size(rank)[0], kept[rank] + n)
        block = submit(0, tasks.cut, Q, ((above, above + height), (0, n)))
        parts.append(submit(rank, _multiplied_back, own[rank], block, kept[rank]))
        above += height
    return return_types.linalg_qr((DTensor(mesh, rows.placements, rows.shape, rows.dtype, parts), R))


def lstsq(input: DTensor, b: DTensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The ``X`` that comes nearest to ``A @ X = B`` for a tall ``A``, by tall-skinny QR of both, side by side.

    Each rank but the first sends (n + k)² numbers at the most, and receives the n k of the solution. The first solves
    what is left as one machine would, by the same method. It is waited for.

    Args:
        input: ``A``, ``(m, n)``, of floats or complex numbers of 32 or 64 bits a part, with n rows or more on the first
            rank. b: ``B``, ``(m, k)`` or ``(m,)``, of the same dtype.
        rcond: what counts as zero beside the largest singular value.
        driver: LAPACK's method: "gelsy" (the default), "gels" for full rank, "gelsd", "gelss".

    Returns:
        A named tuple ``(solution, residuals, rank, singular_values)``, each whole on each rank; what the method does
        not give is empty.

    Raises:
        RuntimeError: for what `tensorkit.linalg.lstsq` refuses, and for a matrix with too few rows.
        NotImplementedError: for batches.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.lstsq.html
    """
    metas = [one.meta if isinstance(one, DTensor) else one for one in (input, b)]
    check_tensor("linalg_lstsq", "b", 2, metas[1])
    vector, mesh = check_lstsq(metas[0], metas[1], rcond, driver), input.device_mesh
    A, B = _by_rows("linalg.lstsq", input), b._placed([Shard(0)] * mesh.ndim)
    cutoff = epsilon(input.dtype) * max(input.shape) if rcond is None else rcond
    submit, n, real = mesh.cluster.submit, input.shape[1], input.dtype.to_real()
    both = zip(A._futures(), B._futures(), strict=True)
    triangles = [submit(rank, _triangle, *parts) for rank, parts in enumerate(both)]
    found = submit(0, _nearest, n, vector, cutoff, driver, *triangles)
    (sizes,) = mesh.cluster.results([submit(0, _sizes, found)])
    return return_types.linalg_lstsq(
        _from_first(submit(0, _of, found, number), mesh, size, kind)
        for number, (size, kind) in enumerate(zip(sizes, (input.dtype, real, int64, real), strict=True))
    )


def solve(A: DTensor, B: DTensor, *, left: bool = True) -> DTensor:
    """Solve a system of linear equations. All of both sides goes to the first rank, which solves it alone.

    It is not faster than one machine, and needs the memory of one that has ``A``, its factors and ``B``. It is waited
    for.

    Args:
        A: ``(n, n)``, of floats or complex numbers of 32 or 64 bits a part. B: ``(n, k)`` or ``(n,)``.
        left: solve ``X @ A = B`` if False.

    Returns:
        The solution, placed as ``B`` was; where that was `Partial`, whole on each rank.

    Raises:
        tensorkit.linalg.LinAlgError: when the matrix is singular.
        RuntimeError: for what `tensorkit.linalg.solve` refuses.
        NotImplementedError: for batches.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.solve.html
    """
    made = told_by_meta("linalg_solve", (A, B), {"left": left})
    for one in (A, B):
        _no_batch("linalg.solve", one)
    mesh = A.device_mesh
    step = tasks.Step("linalg_solve", (tasks.Given(0), tasks.Given(1)), {"left": left})
    found = mesh.cluster.submit(0, tasks.compute, [step], _on_first(A), _on_first(B))
    placed = [Replicate() if isinstance(one, Partial) else one for one in B.placements]
    return _from_first(found, mesh, made.shape, made.dtype, placed).wait()


# -- where they are computed --------------------------------------------------------------------------------------


def _no_batch(name: str, one: DTensor) -> None:
    if one.ndim > 2:
        raise NotImplementedError(
            f"{name}: a sharded matrix has 2 dimensions, and this tensor has {one.ndim}: batches are not offered. "
            "full_tensor() brings it here."
        )


def _by_rows(name: str, A: DTensor) -> DTensor:
    """A matrix cut by rows over all ranks, if it is tall enough that its triangles are smaller than itself."""
    _no_batch(name, A)
    (m, n), ranks = A.shape, A.device_mesh.size()
    if -(-m // ranks) < n:
        raise RuntimeError(
            f"{name}: a sharded matrix is factored by tall-skinny QR, which needs as many rows on a rank as there are "
            f"columns: {n} columns on {ranks} ranks need {ranks * (n - 1) + 1} rows, and there are {m}. Take fewer "
            "ranks, or full_tensor(), which brings it here."
        )
    return A._placed([Shard(0)] * A.device_mesh.ndim)


def _on_first(tensor: DTensor) -> Any:
    """All of a tensor on the first rank."""
    held = tensor._added()
    return carried_out(held.device_mesh.cluster, held._futures(), gathered(held._layout), held.dtype)[0]


def _from_first(
    part: Any, mesh: DeviceMesh, size: Sequence[int], of: dtype, placements: Sequence[Placement] = ()
) -> DTensor:
    """What the first rank has as a sharded tensor; by default it is whole on each rank."""
    made = DTensor(mesh, placements or [Replicate()] * mesh.ndim, size, of, None)
    made._parts = carried_out(mesh.cluster, [part], scattered(made._layout), of)
    return made


# -- what workers do ----------------------------------------------------------------------------------------------


def _of(several: Sequence[Tensor], number: int) -> Tensor:
    """One of several tensors that a task made: it travels without the others."""
    return several[number]


def _sizes(several: Sequence[Tensor]) -> list[tuple[int, ...]]:
    return [tuple(one.shape) for one in several]


def _factored(part: Tensor, kept: int, mode: str) -> tuple[Tensor, Tensor]:
    """Q of a rank's rows, and what is sent: the first rows as they are, and the triangle of the others."""
    Q, R = linalg_qr(part[kept:], mode)
    return Q, cat((part[:kept], R))


def _stacked(mode: str, *parts: Tensor) -> tuple[Tensor, Tensor]:
    """The factors of what all ranks sent."""
    Q, R = linalg_qr(cat(parts), mode)
    return Q, R


def _multiplied_back(pair: tuple[Tensor, Tensor], block: Tensor, kept: int) -> Tensor:
    """The rows of Q that a rank has: what `_factored` made of them, times their rows of the second factorisation."""
    return cat((block[:kept], pair[0] @ block[kept:]))


def _triangle(A: Tensor, B: Tensor) -> Tensor:
    """The fewest rows with the same sums of squares as the rows of both sides."""
    return linalg_qr(cat((A, B.unsqueeze(1) if B.dim() == 1 else B), 1), "r")[1]  # type: ignore[no-any-return]


def _nearest(
    n: int, vector: bool, rcond: float, driver: str | None, *triangles: Tensor
) -> tuple[Tensor, ...]:
    both = cat(triangles)
    return tuple(lstsq_here(both[:, :n], both[:, n] if vector else both[:, n:], rcond, driver=driver))
