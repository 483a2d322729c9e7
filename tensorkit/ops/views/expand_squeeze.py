"""Dimensions of size 1 dropped, added and repeated, as views; sizes made equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.autograd.engine import sum_to_size as _added_up
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.signatures import type_name
from tensorkit.dispatch.view_call import by_layout, view_method
from tensorkit.ops.shared.int_args import Dims, as_ints, counted, listed_ints
from tensorkit.ops.shared.type_names import backend_name
from tensorkit.ops.views.view_reshape import new_layout
from tensorkit.strides.sizes import broadcast_sizes, normalise_dim
from tensorkit.tensor import Tensor, attach


def _squeeze_name(arguments: dict[str, Any]) -> str:
    dim = arguments["dim"]
    return f"SqueezeBackward{0 if dim is None else 2 if isinstance(dim, (tuple, list)) else 1}"


def _unsqueezed(g: Any, c: Any) -> Any:
    """The gradient with the dimensions of size 1 that were dropped."""
    size = c.input_face.size
    dim = counted(c.dim)
    named = range(len(size)) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    for axis in sorted(normalise_dim(d, len(size)) for d in named):
        if size and size[axis] == 1:
            g = g.unsqueeze(axis)
    return g


# The walk itself adds up what was repeated.
_EXPANDED = Rule("ExpandBackward0", input=lambda g, c: g)


@op(methods=(), derivative=Rule(_squeeze_name, input=_unsqueezed))
@takes("(Tensor input)", "(Tensor input, int dim)", "(Tensor input, tuple of ints dim)")
@by_layout
def squeeze(input: Tensor, dim: Dims | None = None) -> Tensor:
    """Drop dimensions of size 1: all of them, or those named (a named one of another size stays).

    >>> tk.squeeze(tk.zeros(1, 3, 1), 0).size()
    tensorkit.Size([3, 1])
    """
    return input._view(input._lay().squeeze(counted(dim)))


def _squeezed(dims: tuple[Any, ...]) -> Any:
    """The dimensions given to `squeeze`: None, one, or several."""
    if not dims:
        return None
    one = len(dims) == 1 and isinstance(dims[0], int)
    return dims[0] if one else as_ints(dims, "squeeze", "dim")


def _method_squeeze(input: Tensor, *places: Any, dim: Any = None) -> Tensor:
    """Drop dimensions of size 1: all of them, or those named."""
    dims = _squeezed(places if dim is None else (dim,))
    if not wants_grad(input):
        return input._view(input._lay().squeeze(dims))
    return squeeze(input) if dims is None else squeeze(input, dims)


@op(inplace=True, derivative=Rule("UnsqueezeBackward0", input=lambda g, c: g.squeeze(c.dim)))
@by_layout
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Put a dimension of size 1 at place `dim`.

    >>> tk.zeros(2, 3).unsqueeze(1).size()
    tensorkit.Size([2, 1, 3])
    """
    return input._view(input._lay().unsqueeze(dim))


@op(function=False, derivative=_EXPANDED)
@takes(method=("(tuple of ints size, *, bool implicit = False)",))
@by_layout
def expand(input: Tensor, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Repeat dimensions of size 1 without copying: their stride becomes 0. -1 keeps a dimension as it is.

    >>> tk.zeros(3, 1).expand(-1, 4).stride()
    (1, 0)
    """
    if not sizes and size is None:
        raise TypeError('expand() missing 1 required positional arguments: "size"')
    lay, wanted = input._lay(), as_ints(sizes if size is None else (size,), "expand")
    # Only the error for too few sizes says what kind of tensor it was.
    name = backend_name(input) if len(wanted) < len(lay.size) else ""
    return input._view(lay.expand(wanted, name))


@op(function=False, derivative=_EXPANDED)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand` to the size of another tensor.

    >>> tk.zeros(3, 1).expand_as(tk.zeros(3, 4)).size()
    tensorkit.Size([3, 4])
    """
    return input._view(input._lay().expand(other._lay().size, backend_name(input)))


@op(derivative=_EXPANDED, methods=())
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand` as a function: repeat dimensions of size 1 without copying.

    >>> tk.broadcast_to(tk.arange(3), (2, 3)).stride()
    (0, 1)
    """
    return input._view(input._lay().expand(listed_ints(size, "broadcast_to", "size", 2), backend_name(input)))


def _method_broadcast_to(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """`expand`: repeat dimensions of size 1 without copying."""
    return broadcast_to(input, as_ints(sizes if size is None else (size,), "broadcast_to"))


@op(methods=())
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of all tensors with one common size.

    >>> [t.stride() for t in tk.broadcast_tensors(tk.zeros(3, 1), tk.zeros(4))]
    [(1, 0), (0, 1)]
    """
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(tensor)}")
    size = broadcast_sizes(*[tensor._lay().size for tensor in tensors])
    return tuple(
        [t if t._lay().size == size else broadcast_to(t, size) for t in tensors]  # PyTorch's very objects
    )


def _squeeze_inplace(input: Tensor, *places: Any, dim: Any = None) -> Tensor:
    """In-place form of ``squeeze``: this tensor itself gets the new layout."""
    return _squeeze_to(input, _squeezed(places if dim is None else (dim,)))


def _squeeze_to(input: Tensor, dim: Any) -> Tensor:
    def body() -> Tensor:
        return new_layout(input, input._lay().squeeze(dim))

    if not wants_grad(input):
        return body()
    rule = registry["squeeze"].derivative.inplace()
    return recorded_call(rule, "squeeze_", {"input": input, "dim": dim}, body, "inplace")  # type: ignore[no-any-return]


attach("broadcast_to", view_method("broadcast_to", _method_broadcast_to, _method_broadcast_to))
attach("squeeze", view_method("squeeze", _method_squeeze, _method_squeeze))
attach("squeeze_", traced_method("squeeze_", _squeeze_inplace))


# -- what expanding is undone by ----------------------------------------------------------------------------------


@op(kind="copy", function=False, rounded=2)
@takes("(Tensor input, tuple of ints size)")
def sum_to_size(input: Tensor, *size: Any, **named: Any) -> Tensor:
    """Add up what `expand` to this tensor's size would repeat of a tensor of size `size`: its gradient's way back.

    Returns:
        A tensor of that size; this tensor itself where it has it.

    Raises:
        RuntimeError: when a tensor of that size cannot be expanded to this one's.

    >>> tk.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    sequence = isinstance(named.get("size"), (tuple, list))
    if bool(size) == bool(named) or (named and not (sequence and len(named) == 1)):
        raise TypeError  # the caller says it in PyTorch's words
    wanted = as_ints((named["size"],) if named else size, "sum_to_size", "size")
    have = input._lay().size
    extra = len(have) - len(wanted)
    if extra < 0 or any(n not in (1, have[i + extra]) for i, n in enumerate(wanted)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(have)}}}.")
    if not wanted:
        return input.sum()
    return input if wanted == have else _added_up(input, wanted)
