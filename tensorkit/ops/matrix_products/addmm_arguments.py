"""What the products that are added to something share: beta and alpha, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, META
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_overlap, empty_strided
from tensorkit.elementwise.promotion import as_number_array, check_castable, result_dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import check_number
from tensorkit.ops.matrix_products.on_device import multiplied_there, scaled_there
from tensorkit.ops.matrix_products.product import prepare, wide_product
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh


def forms(first: str, second: str) -> str:
    return f"(Tensor input, Tensor {first}, Tensor {second}, *, Number beta = 1, Number alpha = 1, Tensor out = None)"


def forms_with_dtype(first: str, second: str) -> tuple[str, str]:
    """PyTorch knows these with a result in another dtype too, which its CPU kernels do not have."""
    wide = forms(first, second).replace(", *, ", ", torch.dtype out_dtype, *, ")
    return forms(first, second), wide.replace("torch.", "tensorkit.")


# -- the arithmetic -----------------------------------------------------------------------------------------------


def check_factors(beta: Any, alpha: Any) -> None:
    for value in (beta, alpha):
        if not isinstance(value, NUMBERS) and not isinstance(plain_number(value), NUMBERS):
            raise TypeError("beta and alpha are numbers")  # the caller says it in PyTorch's words


def as_factors(beta: Any, alpha: Any, kind: dtype, *, half: bool = False) -> tuple[Any, Any]:
    """`beta` and `alpha` as elements of the dtype that is computed in; `half` if PyTorch takes them for 16 bits."""
    found = []
    for value in (beta, alpha):
        plain = value.item() if isinstance(value, (Tensor, numpy.generic)) else value
        check_number(plain, kind if half else wide_dtype(kind), narrow=half)
        found.append(as_number_array(plain, wide_dtype(kind))[()])
    return found[0], found[1]


def wide_dtype(kind: dtype) -> dtype:
    return dtypes.float32 if kernels.is_half(kind) else kind


def combined(base: Array, beta: Any, product: Array, alpha: Any, kind: dtype) -> Array:
    """``beta × base + alpha × product``: `product` is new, as wide as is computed in, and may be written to."""
    if alpha != 1:
        kernels.quiet(numpy.multiply, product, alpha, out=product)
    if beta != 0:
        term = kernels.cast(base, wide_dtype(kind))
        if beta != 1:
            term = kernels.quiet(numpy.multiply, term, beta)
        kernels.quiet(numpy.add, product, term, out=product)
    return kernels.cast(product, kind)


def only_scaled(
    input: Tensor, beta: Any, size: tuple[int, ...], kind: dtype, *, always: bool = False
) -> Tensor:
    """What is left where there is nothing to multiply: ``beta × input``, promoted and then refused, as in PyTorch.

    Args:
        always: whether it is refused even if there is no element.
    """
    if not beta or not (always or input.numel()):
        if is_on_device(input):
            return scaled_there(input, 0, size)
        return fresh(numpy.zeros(size, kind.numpy), kind)
    check_castable(result_dtype(empty_strided((0,), (1,), kind, CPU), beta), kind)
    if is_on_device(input):
        return scaled_there(input, as_factors(beta, 1, kind)[0], size)
    scaled = kernels.quiet(
        numpy.multiply, kernels.cast(input._nd(), wide_dtype(kind)), as_factors(beta, 1, kind)[0]
    )
    return fresh(numpy.ascontiguousarray(kernels.cast(scaled, kind)), kind)


# -- where the result goes ----------------------------------------------------------------------------------------


def target_of(input: Tensor, out: Any, size: tuple[int, ...], kind: dtype) -> Tensor | None:
    """The tensor to write into, if the call named one: checked, and of the result's size."""
    if out is IN_PLACE:
        if input._dtype is not kind:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {cpp_name(input._dtype)} and output tensor dtype "
                f"{cpp_name(kind)} should match"
            )
        if input._lay().size != size:
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(input._lay().size)} and output tensor size {list(size)} "
                "should match"
            )
        return input
    if out is not None:
        prepare(out, size, kind)
    return out  # type: ignore[no-any-return]


def deliver(
    input: Tensor, target: Tensor | None, size: tuple[int, ...], body: Callable[[Tensor], Tensor]
) -> Tensor:
    """What `body` makes of the broadcast `input`, as a new tensor or in `target`; nothing is computed on meta."""
    base, where = input.expand(size) if input._lay().size != size else input, input._device
    if where == META:
        made = empty_strided(size, contiguous_stride(size), input._dtype, META)
    else:
        made = body(base)
    if target is None:
        return made
    copy_into(target, made)
    target._bump()
    return target


def check_base(target: Tensor | None, base: Tensor, beta: Any) -> None:
    """PyTorch copies what is added to into the target first, unless it is not read at all."""
    if target is not None and beta != 0:
        check_overlap(target, base)


def scaled_gradient(g: Any, factor: Any) -> Any:
    if isinstance(factor, Tensor):
        factor = factor.item()
    if factor == 1:
        return g
    return times(g, factor.conjugate() if isinstance(factor, complex) else factor)


# -- matrix times matrix ------------------------------------------------------------------------------------------


def product_added(base: Tensor, a: Tensor, b: Tensor, beta: Any, alpha: Any, kind: dtype) -> Tensor:
    """`multiplied` of tensors; on a CUDA device by a kernel of the kit's own, which adds to what it has multiplied."""
    if not is_on_device(a):
        return fresh(multiplied(base._nd(), a._nd(), b._nd(), beta, alpha, kind), kind)
    if alpha == 0:
        return scaled_there(base, beta, base._lay().size)
    return multiplied_there(a, b, base if beta != 0 else None, alpha, beta)


def multiplied(base: Array, a: Array, b: Array, beta: Any, alpha: Any, kind: dtype) -> Array:
    """`combined` of a product, which is not computed at all where `alpha` is 0."""
    if alpha == 0:
        product = numpy.zeros(base.shape, wide_dtype(kind).numpy)
        if beta and kind in (dtypes.float32, dtypes.float64):
            product = -product  # what nothing is added to keeps its -0.0
            alpha = 1
    else:
        product = wide_product(a, b, kind)
    return combined(base, beta, product, alpha, kind)
