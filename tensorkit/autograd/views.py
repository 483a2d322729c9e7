"""Writing through views: how history is rewritten, and how a view finds its place again.

An in-place write through a view changes its base. The base's history becomes a `CopySlices`: the gradient of the base,
but where the view lies, the gradient that comes back through the write. Every other view of the family then reads its
history anew from the base the next time that it is asked (`regrow`), as ``AsStridedBackward0``.

Source: PyTorch 2.13's ``CopySlices`` and ``rebase_history``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.autograd.graph import (
    Face,
    Meta,
    Node,
    RuleNode,
    edge_of,
    meta_of,
    register_regrow,
    requires_grad,
    set_history,
)
from tensorkit.elementwise import empty_strided
from tensorkit.layout import Layout
from tensorkit.tensor import Tensor

__all__ = ["AsStridedBackward0", "CopySlices", "rebase", "regrow", "scatter_strided"]


class CopySlices(Node):
    """The history of a base that was written to through one of its views."""

    __slots__ = ("base", "fn", "view")

    def __init__(self, base: Tensor, view: Layout, fn: RuleNode) -> None:
        super().__init__()
        self.base = base._lay()
        self.view = view
        self.fn = fn
        self.edges = (edge_of(base), *fn.edges[1:])

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        grad: Any = grads[0]
        if grad is None:
            return [None] * len(self.edges)
        lay = self.base
        whole: Any = empty_strided(lay.size, lay.stride, grad._dtype, grad._device)
        whole.copy_(grad)
        piece = whole.as_strided(self.view.size, self.view.stride, self.view.offset - lay.offset)
        results = list(self.fn.apply([piece.clone()]))
        if results[0] is None:
            piece.zero_()
        else:
            piece.copy_(results[0])
        return [whole if self.needs(0) else None, *results[1:]]

    def release(self) -> None:
        self.fn.release()


class AsStridedBackward0(Node):
    """The history of a view that was read anew from its base."""

    __slots__ = ("base", "view")

    def __init__(self, base: Tensor, view: Layout) -> None:
        super().__init__()
        self.base = base._lay()
        self.view = view
        self.edges = (edge_of(base),)

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        grad: Any = grads[0]
        return [None if grad is None else scatter_strided(grad, self.base, self.view)]


def scatter_strided(grad: Any, base: Layout, view: Layout) -> Tensor:
    """The gradient of ``as_strided``: zeros of the base's size, to which each element of the view adds its own.

    Where several elements of the view read one slot, their gradients are added up; where several elements of the base
    do, each gets its share.
    """
    low = min(base.offset, view.offset)
    slots = max(base.reach(), view.reach()) - low
    row = grad.new_zeros(max(slots, 0))
    _add_at(row, grad, Layout(view.size, view.stride, view.offset - low))
    shifted = Layout(base.size, base.stride, base.offset - low)
    if base.has_internal_overlap() != "no":
        readers = grad.new_zeros(max(slots, 0))
        _add_at(readers, grad.new_ones(base.size), shifted)
        row = row / readers
    return row.as_strided(shifted.size, shifted.stride, shifted.offset)  # type: ignore[no-any-return]


def _add_at(row: Any, values: Any, view: Layout) -> None:
    """Add values into the slots that a layout reads, one dimension's overlap after the other."""
    if view.has_internal_overlap() == "no":
        row.as_strided(view.size, view.stride, view.offset).add_(values)
        return
    # Walk the outermost dimension that overlaps; what remains inside is a smaller layout.
    dim = max(range(len(view.size)), key=lambda d: (view.size[d] > 1, -view.stride[d]))
    for i in range(view.size[dim]):
        _add_at(row, values.select(dim, i), view.select(dim, i))


def rebase(target: Tensor, node: RuleNode) -> None:
    """Write the history of an in-place operation into the tensor that it wrote to, and into its base."""
    base = target._base
    if base is None:
        set_history(target, node, 0)
        return
    node.faces = [Face(target)]
    slices = CopySlices(base, target._lay(), node)
    set_history(base, slices, 0)
    regrow(target)


def regrow(tensor: Tensor) -> None:
    """If a view's family was written to since its history was noted, read the history anew from the base."""
    base = tensor._base
    if base is None or not requires_grad(base):
        return
    meta: Meta | None = tensor._autograd
    version = tensor._version
    born = tensor._born if meta is None else meta.born
    if born == version or (meta is not None and meta.leaf):
        return
    meta = meta_of(tensor)
    node = AsStridedBackward0(base, tensor._lay())
    node.faces = [Face(tensor)]
    meta.node, meta.output_nr, meta.born = node, 0, version


register_regrow(regrow)
