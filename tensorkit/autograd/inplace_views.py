"""Writing through views: how history is rewritten, and how a view finds its place again.

An in-place write through a view changes its base. The base's history becomes a `CopySlices`: the gradient of the base,
but where the view lies, the gradient that comes back through the write. Every other view of the family then reads its
history again from the base the next time that it is asked (`regrow`), as ``AsStridedBackward0``.

Source: PyTorch 2.13's ``CopySlices`` and ``rebase_history``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.grad_mode import CUSTOM, INFERENCE, ONE_OF_SEVERAL, PLAIN, UNRECORDED
from tensorkit.autograd.history import edge_of, move_hooks, register_regrow, requires_grad, set_history
from tensorkit.autograd.node import Face, Meta, Node, meta_of
from tensorkit.autograd.rule import RuleNode
from tensorkit.autograd.saved import FREED
from tensorkit.conj_bit import CONJ, NEG
from tensorkit.elementwise.output import empty_strided
from tensorkit.memory_format import contiguous_format
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor

_ONE_OF_SEVERAL_VIEWS = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
_AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
_CUSTOM = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)


_as_real: Callable[[Tensor], Any] = lambda tensor: tensor  # noqa: E731 - given by ``ops``
_as_complex: Callable[[Tensor], Any] = lambda tensor: tensor  # noqa: E731


def register_pairs(as_real: Callable[[Tensor], Any], as_complex: Callable[[Tensor], Any]) -> None:
    """``ops`` registers how complex numbers are read as pairs of real ones, and back."""
    global _as_real, _as_complex  # set once, while the package is imported
    _as_real, _as_complex = as_real, as_complex


class _Place:
    """Where a view lies in its base, both counted in the same unit.

    A real view of complex numbers is counted in real numbers, of which its base has pairs; so is a complex view of
    real ones. Beside that a view may stand for the conjugates or the negatives of what is stored (its bits).
    """

    __slots__ = ("base", "base_bits", "pairs", "view", "view_bits")

    def __init__(self, base: Tensor, view: Tensor) -> None:
        self.base, self.view = base._lay(), view._lay()
        self.base_bits, self.view_bits = base._bits, view._bits
        self.pairs = ""
        if base._dtype.is_complex != view._dtype.is_complex:
            self.pairs = "base" if base._dtype.is_complex else "view"
            if self.pairs == "base":
                self.base = in_pairs(self.base)
            else:
                self.view = in_pairs(self.view)

    def of_base(self, grad: Any) -> Any:
        """The gradient of what the base shows, as one of what is stored, in the common unit."""
        grad = _turned(grad, self.base_bits)
        return _as_real(grad.resolve_conj()) if self.pairs == "base" else grad

    def to_base(self, stored: Any) -> Any:
        """The way back from `of_base`."""
        return _turned(_as_complex(stored) if self.pairs == "base" else stored, self.base_bits)

    def of_view(self, grad: Any) -> Any:
        """The same for the view."""
        grad = _turned(grad, self.view_bits)
        return _as_real(grad.resolve_conj()) if self.pairs == "view" else grad

    def to_view(self, stored: Any) -> Any:
        """The way back from `of_view`."""
        return _turned(_as_complex(stored) if self.pairs == "view" else stored, self.view_bits)


def in_pairs(lay: Layout) -> Layout:
    """How complex numbers lie, counted in real ones: a last dimension of two more."""
    return Layout((*lay.size, 2), (*[2 * step for step in lay.stride], 1), 2 * lay.offset)


def _turned(grad: Any, bits: int) -> Any:
    if bits & CONJ:
        grad = grad.conj()
    return grad.neg() if bits & NEG else grad


class CopySlices(Node):
    """The history of a base that was written to through one of its views."""

    __module__ = "builtins"  # as PyTorch's, which are made in C++
    __slots__ = ("fn", "place")
    choosy = True

    def __init__(self, base: Tensor, view: Tensor, fn: RuleNode) -> None:
        self.begin()
        self.place = _Place(base, view)
        self.fn: RuleNode | None = fn
        self.edges = (edge_of(base), *fn.edges[1:])

    def name(self) -> str:
        return "tensorkit::autograd::CopySlices"

    def short_name(self) -> str:
        return self.name()

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        grad: Any = grads[0]
        if grad is None:
            return [None] * len(self.edges)
        if self.fn is None:
            raise RuntimeError(FREED)
        place = self.place
        lay, view = place.base, place.view
        grad = place.of_base(grad)
        whole: Any = empty_strided(lay.size, lay.stride, grad._dtype, grad._device)
        whole.copy_(grad)
        piece = whole.as_strided(view.size, view.stride, view.offset - lay.offset)
        written = piece.clone(memory_format=contiguous_format)
        results = list(self.fn.apply([place.to_view(written)]))
        if results[0] is None:
            piece.zero_()
        else:
            piece.copy_(place.of_view(results[0]))
        return [place.to_base(whole) if self.needs(0) else None, *results[1:]]

    def release(self) -> None:
        self.fn = None


class AsStridedBackward0(Node):
    """The history of a view that was read again from its base."""

    __module__ = "builtins"  # as PyTorch's, which are made in C++
    __slots__ = ("place",)
    choosy = True

    def __init__(self, base: Tensor, view: Tensor) -> None:
        self.begin()
        self.place = _Place(base, view)
        self.edges = (edge_of(base),)

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if grads[0] is None:
            return [None]
        place = self.place
        return [place.to_base(scatter_strided(place.of_view(grads[0]), place.base, place.view))]


# PyTorch makes these views again by their own operation, the others by their layout.
_AGAIN: dict[str, type[AsStridedBackward0]] = {
    name: type(name, (AsStridedBackward0,), {"__slots__": (), "__module__": "builtins"})
    for name in ("ConjBackward0", "NegViewBackward0", "ViewAsComplexBackward0", "ViewAsRealBackward0")
}


def scatter_strided(grad: Any, base: Layout, view: Layout) -> Tensor:
    """The gradient of ``as_strided``: zeros of the base's size, to which each element of the view adds its own.

    Where several elements of the view read one slot, their gradients are added up; where several elements of the base
    do, each gets its share.
    """
    low = min(base.offset, view.offset)
    low -= low % 2  # a pair of real numbers that are read as a complex one starts at an even slot
    slots = max(base.reach(), view.reach()) - low
    row = grad.new_zeros(max(slots, 0))
    _add_at(row, grad, Layout(view.size, view.stride, view.offset - low))
    shifted = Layout(base.size, base.stride, base.offset - low)
    if base.has_internal_overlap() != "no":
        readers = grad.new_zeros(max(slots, 0))
        _add_at(readers, grad.new_ones(base.size), shifted)
        row = row / (readers + readers.eq(0))  # a slot that is never read has nothing to share
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


def refuse_ambiguous(tensor: Tensor, *, indirect: bool = False) -> None:
    """Refuse a write through a view that was not made by a recorded operation alone.

    Args:
        indirect: it was not this view that was written through, but its base or another view.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    origin = tensor._origin
    if origin == PLAIN:
        return
    meta: Meta | None = tensor._autograd
    node = None if meta is None else meta.node
    what = "its base or another view of its base has been" if indirect else "is being"
    if node is None or meta is None or origin in (UNRECORDED, INFERENCE):
        first = "A view was created in" if node is None or meta is None else _view_of_view(node, meta)
        head = (
            f"{first} inference mode and {what} modified inplace in normal mode."
            if origin == INFERENCE
            else f"{first} no_grad mode and {what} modified inplace with grad mode enabled."
        )
    else:
        head = f"Output {meta.output_nr} of {node.short_name()} is a view and {what} modified inplace."
    block = "inference_mode" if origin == INFERENCE else "no_grad"
    why = {ONE_OF_SEVERAL: _ONE_OF_SEVERAL_VIEWS, CUSTOM: _CUSTOM}.get(origin, _AMBIGUOUS.format(block=block))
    raise RuntimeError(f"{head} {why}")


def _view_of_view(node: Node, meta: Meta) -> str:
    return f"Output {meta.output_nr} of {node.short_name()} is a view of a view which was created in"


def rebase(target: Tensor, node: RuleNode) -> None:
    """Write the history of an in-place operation into the tensor that it wrote to, and into its base."""
    base = target._base
    if base is None:
        set_history(target, node, 0)
        return
    node.faces = [Face(target)]
    slices = CopySlices(base, target, node)
    set_history(base, slices, 0)
    regrow(target)


def regrow(tensor: Tensor) -> None:
    """If a view's family was written to since its history was noted, read the history again from the base.

    Raises:
        RuntimeError: when the history of the view cannot be found.
    """
    base = tensor._base
    meta: Meta | None = tensor._autograd
    if base is None or ((meta is None or meta.node is None) and not requires_grad(base)):
        return
    if base._autograd is not None and base._autograd.inference:
        return  # nothing is ever recorded of it
    version = tensor._version
    if tensor._born == version:
        return
    refuse_ambiguous(tensor, indirect=True)
    meta = meta_of(tensor)
    old = meta.node
    made_by = AsStridedBackward0 if old is None else _AGAIN.get(old.name(), AsStridedBackward0)
    meta.node = node = made_by(base, tensor)
    node.faces = [Face(tensor)]
    if old is not None or meta.hooks is not None:
        move_hooks(meta, old, node)
    tensor._born = version


# Late: `history` asks for a view's node, whose edges `history` gives.
register_regrow(regrow)
