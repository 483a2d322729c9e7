"""Products on a CUDA device by kernels of the kit's own: see ``kernels.cuda.products``."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.scalars.arithmetic import MULTIPLY
from tensorkit.ops.shared.on_device import zip_elements
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor


def _matrices(tensor: Tensor, missing: tuple[int, ...]) -> Operand:
    """A vector, a matrix or a batch as a batch of matrices: with steps of 0 for the dimensions that it lacks.

    Args:
        missing: which of batch, rows and columns.
    """
    layout = tensor._lay()
    given = iter(layout.stride)
    stride = tuple(0 if d in missing else next(given) for d in range(3))
    return Operand(tensor._checked_store()._buffer, tensor._dtype, stride, layout.offset)


def multiplied_there(
    a: Tensor, b: Tensor, base: Tensor | None = None, alpha: Any = 1, beta: Any = 1
) -> Tensor:
    """``alpha * (a @ b)``, or ``+ beta * base``, of vectors, matrices or batches that fit; row-major.

    Args:
        base: of the size of the result.
    """
    kind = b._dtype
    flat_a, flat_b = a.dim() == 1, b.dim() == 1
    batch, rows, columns = a.dim() == 3, not flat_a, not flat_b
    sizes = cuda.products.Sizes(
        a._lay().size[0] if batch else 1,
        a._lay().size[-2] if rows else 1,
        b._lay().size[-1] if columns else 1,
        a._lay().size[-1],
    )
    kept = tuple(n for n, there in zip(sizes[:3], (batch, rows, columns), strict=True) if there)
    made = empty_strided(kept, contiguous_stride(kept), kind, a._device)
    if base is None and not sizes.inner:
        return made.zero_()
    if prod(kept):
        no_batch = () if batch else (0,)
        lost = (*no_batch, *(() if rows else (1,)), *(() if columns else (2,)))
        cuda.products.multiply(
            _matrices(made, lost),
            _matrices(resolved(a), (*no_batch, 1) if flat_a else no_batch),
            _matrices(resolved(b), (*no_batch, 2) if flat_b else no_batch),
            sizes,
            None if base is None else _matrices(resolved(base), lost),
            alpha,
            beta,
        )
    return made


def scaled_there(base: Tensor, factor: Any, size: tuple[int, ...]) -> Tensor:
    """``factor * base``, row-major; zeros where the factor is 0, whatever `base` holds."""
    made = empty_strided(size, contiguous_stride(size), base._dtype, base._device)
    if not factor:
        return made.zero_()
    kind = base._dtype
    wide = dtypes.float32 if kernels.is_half(kind) else kind
    zip_elements(MULTIPLY, made, (base, factor.item()), (wide, wide), kind)
    return made
