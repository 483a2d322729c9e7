"""Evenly and normally distributed numbers: `rand`, `randn` and their ``_like`` forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit import dtypes, random
from tensorkit.device import META, DeviceLike
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import calls
from tensorkit.dispatch.signatures import Forms
from tensorkit.elementwise.output import check_writable
from tensorkit.ops.random.draw import Call, draw, empty_like_of, make
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.signature_parts import FACTORY, GENERATOR, MEMORY_FORMAT
from tensorkit.random import Generator
from tensorkit.tensor import Tensor

# -- making and filling -------------------------------------------------------------------------------------


def _uniform(tensor: Tensor, generator: Generator | None, given: bool = False) -> Tensor:
    if tensor._device != META:
        if tensor._dtype.category < 2:
            raise missing_kernel("check_uniform_bounds", tensor._dtype.label)
        if given:
            check_writable(tensor)
    return draw(tensor, generator, random.fill_uniform, given)


def _normal(tensor: Tensor, generator: Generator | None, given: bool = False) -> Tensor:
    if tensor._dtype.category < 2:
        if tensor._device == META:
            raise RuntimeError(f"expected a floating-point or complex dtype, but got dtype={tensor._dtype}")
        if tensor.numel():
            raise missing_kernel("normal_kernel_cpu", tensor._dtype.label)
        if given:
            tensor._bump()
        return tensor
    if given and tensor._device != META:
        check_writable(tensor)
    return draw(tensor, generator, random.fill_normal, given)


# -- the operations -----------------------------------------------------------------------------------------


def _sized(name: str, fill: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``rand`` and ``randn``: a size, as integers or as one sequence, and the options."""

    def create(
        *size: Any,
        generator: Generator | None = None,
        out: Tensor | None = None,
        dtype: Any = None,
        device: DeviceLike = None,
        **keyword: Any,
    ) -> Tensor:
        plain = generator is None and out is None and dtype is None and device is None and not keyword
        ask = calls[name].ask if plain else None  # there was a word about gradients
        if ask is not None and (found := ask(*size)) is not None:
            return found  # type: ignore[no-any-return]
        call = Call(
            name,
            ("tuple of ints size",),
            size,
            generator=generator,
            out=out,
            dtype=dtype,
            device=device,
            **keyword,
        )
        call.check_options(known=("size",))
        several = len(size) > 1 and isinstance(size[0], (tuple, list))
        if several or bool(size) == ("size" in keyword):
            raise call.refused()
        sizes = as_ints(size, name) if size else call.size(keyword["size"], None)
        before = None if out is None else out._lay().size
        made = make(sizes, dtypes.get_default_dtype(), call)
        counted = (
            name == "randn" or generator is not None
        )  # what `rand` does by itself is one write to PyTorch
        if counted and before is not None and made._lay().size != before:
            made._bump()
        fill(made, generator, out is not None)
        return made

    create.__name__ = create.__qualname__ = name
    return create


rand = op(
    kind="create",
    methods=(),
    out_overlap="allowed",
    out_drawn=lambda given: given.get("generator") is not None,
    forms=Forms(
        (
            f"(tuple of ints size, *, {GENERATOR}, Tensor out = None, {FACTORY})",
            f"(tuple of ints size, *, Tensor out = None, {FACTORY})",
        )
    ),
)(_sized("rand", _uniform))
rand.__doc__ = """Numbers drawn evenly from [0, 1).

    Args:
        size: the size, as several integers or one sequence.
        generator: where the numbers come from; the default generator (`manual_seed`) if not given.
        out: a tensor to draw into. dtype: a floating point or complex one; the default dtype if not given.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        NotImplementedError: for integers and bool.

    >>> _ = tk.manual_seed(0)
    >>> tk.rand(2, 2)
    tensor([[0.4963, 0.7682],
            [0.0885, 0.1320]])
    """

randn = op(
    kind="create",
    methods=(),
    out_overlap="allowed",
    out_drawn=lambda given: True,
    forms=Forms(
        (
            f"(tuple of ints size, *, {GENERATOR}, Tensor out = None, {FACTORY})",
            f"(tuple of ints size, *, Tensor out = None, {FACTORY})",
        )
    ),
)(_sized("randn", _normal))
randn.__doc__ = """Normally distributed numbers: mean 0, variance 1 (complex: of both parts together).

    Arguments and errors are those of `rand`.

    >>> _ = tk.manual_seed(0)
    >>> tk.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """


@op(kind="create", methods=())
@takes(
    f"(Tensor input, *, {GENERATOR}, {MEMORY_FORMAT}, {FACTORY})",
    f"(Tensor input, *, tensorkit.memory_format memory_format = None, {FACTORY})",
)
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`rand` in the size, dtype, device and order of dimensions of another tensor.

    The numbers are drawn in the order of the memory: like a transposed tensor, they are transposed too.

    >>> _ = tk.manual_seed(0)
    >>> tk.rand_like(tk.zeros(2, 2).t())
    tensor([[0.4963, 0.0885],
            [0.7682, 0.1320]])
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    return _uniform(empty_like_of("rand_like", input, options | keyword), generator)


@op(kind="create", methods=())
@takes(
    f"(Tensor input, *, {GENERATOR}, {MEMORY_FORMAT}, {FACTORY})",
    f"(Tensor input, *, tensorkit.memory_format memory_format = None, {FACTORY})",
)
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`randn` in the size, dtype, device and order of dimensions of another tensor.

    >>> _ = tk.manual_seed(0)
    >>> tk.randn_like(tk.zeros(2, 2))
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    return _normal(empty_like_of("randn_like", input, options | keyword), generator)
