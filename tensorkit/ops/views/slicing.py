"""Parts of a tensor, as views: rows, ranges, diagonals, windows, and any layout on its storage."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import tracing
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.inplace_views import scatter_strided
from tensorkit.device import META
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import call_traced, differentiable
from tensorkit.dispatch.view_call import by_layout
from tensorkit.elementwise.output import empty_strided, resize_silently
from tensorkit.ops.shared.copy import copy_into, deliver_into
from tensorkit.ops.shared.int_args import counted, listed_ints
from tensorkit.strides import basic_index
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Tensor


def _row_major(input: Tensor) -> Tensor:
    """A copy whose elements lie in row-major order."""
    size = input._lay().size
    out = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    copy_into(out, input)
    return out


# -- the way back: a view's gradient among zeros ------------------------------------------------------------------


def _way_back(name: str, formula: Callable[[Any, Any], Any]) -> Callable[[Callable[..., Tensor]], Any]:
    """An operation of its own, as in PyTorch, that puts the gradient of a view where the view lay.

    Args:
        name: of its node. formula: its derivative, which is the view again.
    """

    def made(body: Callable[..., Tensor]) -> Callable[..., Any]:
        recorded = differentiable(body, Rule(name, grad_output=formula), body.__name__, "copy")

        @functools.wraps(body)
        def way_back(*args: Any) -> Any:
            return call_traced(body.__name__, recorded, args, {}) if tracing.active else recorded(*args)

        return way_back

    return made


def _among_zeros(grad: Any, lay: Layout, part: Layout) -> Tensor:
    """Zeros that lie as `lay` says, with the gradient where `part` does."""
    zeros: Tensor = grad.new_zeros(lay.size)
    copy_into(zeros._view(part), grad)
    zeros._counter = None  # PyTorch does not count this write to the new zeros
    return zeros


@_way_back("SliceBackwardBackward0", lambda g, c: slice_along(g, c.dim, c.start, c.end, c.step))
def slice_backward(
    grad_output: Tensor, input_sizes: tuple[int, ...], dim: int, start: Any, end: Any, step: Any
) -> Tensor:
    """The gradient of a tensor of which a slice along a dimension was taken."""
    lay = layouts.contiguous(input_sizes)
    return _among_zeros(grad_output, lay, _cut(lay, dim, start, end, step))


@_way_back("SelectBackwardBackward0", lambda g, c: g.select(c.dim, c.index))
def _select_backward(grad_output: Tensor, input_sizes: tuple[int, ...], dim: int, index: int) -> Tensor:
    lay = layouts.contiguous(input_sizes)
    return _among_zeros(grad_output, lay, lay.select(dim, index))


@_way_back("DiagonalBackwardBackward0", lambda g, c: g.diagonal(c.offset, c.dim1, c.dim2))
def diagonal_backward(
    grad_output: Tensor, input_sizes: tuple[int, ...], offset: int, dim1: int, dim2: int
) -> Tensor:
    lay = layouts.contiguous(input_sizes)
    return _among_zeros(grad_output, lay, lay.diagonal(offset, dim1, dim2))


@_way_back("UnfoldBackwardBackward0", lambda g, c: g.unfold(c.dim, c.size, c.step))
def _unfold_backward(
    grad_output: Tensor, input_sizes: tuple[int, ...], dim: int, size: int, step: int
) -> Tensor:
    zeros: Any = grad_output.new_zeros(input_sizes)
    windows = zeros._lay().unfold(dim, size, step)
    dim += len(input_sizes) * (dim < 0)
    # Whichever are fewer, in the order in which PyTorch adds: from the first window on.
    if windows.size and size > windows.size[dim]:
        for k in range(windows.size[dim]):
            zeros._view(windows.select(dim, k)).add_(grad_output.select(dim, k))
    else:
        for i in reversed(range(size)):
            zeros._view(windows.select(-1, i)).add_(grad_output.select(-1, i))
    zeros._counter = None  # as in `_among_zeros`
    return zeros  # type: ignore[no-any-return]


def _strided(g: Any, face: Any, size: Any, stride: Any, offset: int | None) -> Tensor:
    base = Layout(face.size, face.stride, face.offset)
    return scatter_strided(
        g, base, Layout(tuple(size), tuple(stride), face.offset if offset is None else offset)
    )


# -- views --------------------------------------------------------------------------------------------------------


def _cut(lay: Layout, dim: int, start: Any, end: Any, step: Any) -> Layout:
    cut = basic_index.index(lay, (slice(None),) * dim + (slice(start, end, step),))
    assert cut is not None
    return cut


def _slice(input: Tensor, dim: int, start: Any, end: Any, step: Any) -> Tensor:
    return input._view(_cut(input._lay(), dim, start, end, step))


#: One dimension cut as a Python slice cuts; `dim` counts from the front.
slice_along: Any = differentiable(
    _slice,
    Rule(
        "SliceBackward0",
        input=lambda g, c: slice_backward(g, c.input_face.size, c.dim, c.start, c.end, c.step),
    ),
    "slice",
    "view",
)


def _unnarrowed(g: Any, c: Any) -> Tensor:
    size, start = c.input_face.size, _start(c.start)
    dim = normalise_dim(c.dim, len(size))
    start += size[dim] * (start < 0)
    return slice_backward(g, size, dim, start, start + c.length, 1)  # type: ignore[no-any-return]


def _can_narrow(arguments: dict[str, Any]) -> bool:
    """PyTorch refuses what cannot be cut before it asks for histories: this is a slice to it."""
    arguments["input"]._lay().narrow(arguments["dim"], _start(arguments["start"]), arguments["length"])
    return True


def _start(start: Any) -> int:
    """Where a narrower tensor begins: a number, or a tensor that holds one."""
    if isinstance(start, Tensor) and (start.dim() or start._dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return int(start.__index__())


@op(strict=True, derivative=Rule("SliceBackward0", applies=_can_narrow, input=lambda g, c: _unnarrowed(g, c)))
@takes("(Tensor input, int dim, Tensor start, int length)", "(Tensor input, int dim, int start, int length)")
@by_layout
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """Keep `length` positions of one dimension from `start` on.

    >>> tk.arange(10).narrow(0, 2, 3)
    tensor([2, 3, 4])
    """
    return input._view(input._lay().narrow(dim, _start(start), length))


@op(strict=True, kind="copy", derivative=Rule("NarrowCopyBackward0", input=lambda g, c: _unnarrowed(g, c)))
def narrow_copy(input: Tensor, dim: int, start: int, length: int, *, out: Tensor | None = None) -> Tensor:
    """`narrow`, as a copy.

    >>> tk.narrow_copy(tk.arange(10), 0, 2, 3)
    tensor([2, 3, 4])
    """
    first, lay = start.__index__(), input._lay()
    if out is not None and out._dtype is not input._dtype:
        raise RuntimeError(
            "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 and input._device != META:  # PyTorch looks at the length last, but on no data at all
        lay.narrow(dim, first, 0)
        n = lay.size[dim]
        raise RuntimeError(
            f"start ({first + n if first < 0 else first}) + length ({length}) exceeds dimension size ({n})."
        )
    part = input._view(lay.narrow(dim, first, length))
    if out is None:
        return _row_major(part)
    resize_silently(out, part._lay().size)
    return deliver_into(_row_major(part), out)


@op(
    strict=True,
    derivative=Rule(
        "SelectBackward0", input=lambda g, c: _select_backward(g, c.input_face.size, c.dim, c.index)
    ),
)
@by_layout
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Fix one index: the dimension goes, the storage offset moves.

    >>> tk.arange(6).view(2, 3).select(1, 2)
    tensor([2, 5])
    """
    return input._view(input._lay().select(dim, index.__index__()))


@op(
    strict=True,
    derivative=Rule(
        "DiagonalBackward0",
        input=lambda g, c: diagonal_backward(g, c.input_face.size, c.offset, c.dim1, c.dim2),
    ),
)
@by_layout
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements whose indices in two dimensions run together, as a new last dimension.

    >>> tk.arange(9).view(3, 3).diagonal()
    tensor([0, 4, 8])
    """
    return input._view(input._lay().diagonal(offset, dim1, dim2))


@op(
    strict=True,
    function=False,
    derivative=Rule(
        "UnfoldBackward0",
        input=lambda g, c: _unfold_backward(g, c.input_face.size, c.dimension, c.size, c.step),
    ),
)
@by_layout
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` positions along a dimension, `step` apart, as a new last dimension; they may overlap.

    >>> tk.arange(5).unfold(0, 3, 1).stride()
    (1, 1)
    """
    return input._view(input._lay().unfold(dimension, size, step))


@op(
    strict=True,
    inplace=True,
    derivative=Rule(
        "AsStridedBackward0", input=lambda g, c: _strided(g, c.input_face, c.size, c.stride, c.storage_offset)
    ),
)
@takes("(Tensor input, tuple of ints size, tuple of ints stride, int storage_offset = None)")
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Read the storage with a size, strides and an offset of your own; all must lie inside it.

    Raises:
        RuntimeError: when a slot outside the storage would be read.

    >>> tk.arange(6).as_strided((2, 2), (1, 3), 1)
    tensor([[1, 4],
            [2, 5]])
    """
    sizes = listed_ints(size, "as_strided", "size", 1)
    strides = listed_ints(stride, "as_strided", "stride", 2)
    return input._view(
        input._lay().as_strided(
            sizes, strides, counted(storage_offset), input._store().nbytes(), input._dtype.itemsize
        )
    )
