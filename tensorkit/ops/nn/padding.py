"""More elements at the ends of dimensions: a constant, or what is there mirrored, repeated, from the other end."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.memory_format import suggested_format
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.kit import FUNCTIONAL, LIMITED, Number, Rule, Tensor, op
from tensorkit.ops.shared.int_args import listed_ints

# `pad` has pairs: how much is added before and after the last dimension, then the one before it, and so on.


def _pairs(pad: Sequence[int], ndim: int) -> list[tuple[int, int, int]]:
    """Each padded dimension, the first of them first, with what is added before and after it."""
    first = ndim - len(pad) // 2
    return [(d, pad[2 * (ndim - d) - 2], pad[2 * (ndim - d) - 1]) for d in range(first, ndim)]


def _cropped(input: Tensor, pad: Sequence[int]) -> Tensor:
    """What negative padding leaves, as a view."""
    for d, before, after in _pairs(pad, input.ndim):
        if before < 0:
            input = input.narrow(d, -before, input.shape[d] + before)
        if after < 0:
            input = input.narrow(d, 0, input.shape[d] + after)
    return input


def _inside(made: Tensor, pad: Sequence[int]) -> Tensor:
    """The part of a padded tensor that the input fills, as a view."""
    return _cropped(made, [-max(n, 0) for n in pad])


def _padded_size(input: Tensor, pad: Sequence[int]) -> list[int]:
    size = list(input.shape)
    for d, before, after in _pairs(pad, input.ndim):
        size[d] += before + after
    return size


@op(derivative=Rule("ConstantPadNdBackward0", input=lambda g, c: constant_pad_nd(g, [-n for n in c.pad], 0)))
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Number = 0) -> Tensor:
    """A number before and after the elements of some dimensions: of 1-d (n), ``(before + n + after)``.

    Args:
        pad: pairs (before, after), of the last dimension first; negative ones cut off.
        value: what is added.

    >>> tk.constant_pad_nd(tk.tensor([1.0, 2.0]), (1, 2), 9)
    tensor([9., 1., 2., 9., 9.])
    """
    pad = listed_ints(pad, "constant_pad_nd", "pad", 2)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {input.ndim}dimensions."
        )
    kept = _cropped(input, pad)
    if all(n <= 0 for n in pad):
        return kept.clone()
    size = _padded_size(input, pad)
    for d, before, after in _pairs(pad, input.ndim):
        if size[d] < 0:
            raise RuntimeError(
                f"The input size {input.shape[d]}, plus negative padding {before} and {after} resulted in a negative "
                f"output size, which is invalid. Check dimension {d} of your input."
            )
    made = _new(input, size).fill_(value)
    _inside(made, pad).copy_(kept)
    return made


def _new(input: Tensor, size: Sequence[int]) -> Tensor:
    """Memory for a result, in the order of dimensions that the input speaks of."""
    form = suggested_format(input._lay())
    return empty(*size, dtype=input.dtype, device=input.device, memory_format=form)


# -- what is near the end -------------------------------------------------------------------------------------------


def _places(input: Tensor, d: int, before: int, after: int, mirrored: bool) -> Tensor:
    """Which element of the input each of the result comes from, along one dimension."""
    last = input.shape[d] - 1
    places: Any = arange(-before, last + 1 + after, device=input.device)
    return last - (last - places.abs()).abs() if mirrored else places.clamp(0, last)


def _named(word: str) -> Any:
    return lambda call: f"{word}Pad{len(call['pad']) // 2}DBackward0"


def _edge_back(g: Any, c: Any) -> Any:
    """Each element collects the gradients of all the places where it was put."""
    for d, before, after in _pairs(c.pad, g.ndim):
        if before or after:
            made = g.new_zeros([*g.shape[:d], c.input_face.size[d], *g.shape[d + 1 :]])
            g = made.index_add(d, _places(made, d, before, after, c.mirrored), g)
    return g


def _check_edges(input: Tensor, pad: Sequence[int], mirrored: bool) -> None:
    dims, size = len(pad) // 2, list(input.shape)
    if 0 in (size[1:] if input.ndim == dims + 2 else size):
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {size}"
        )
    pairs = _pairs(pad, input.ndim)
    for number, (d, before, after) in enumerate(reversed(pairs) if mirrored else ()):
        if max(before, after) >= size[d]:
            raise RuntimeError(
                f"Argument #{4 + 2 * number}: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({before}, {after}) at dimension {d} of input {size}"
            )
    made = [size[d] + before + after for d, before, after in pairs]
    if max(made) < 1:
        names = "DHW"[-dims:]
        given = (" " if dims == 3 else ", ").join(
            f"{n}: {size[d]}" for n, (d, _, _) in zip(names, pairs, strict=True)
        )
        given = given.replace(" W:", ", W:") if dims == 3 else given
        told = " ".join(f"{name}: {n}" for name, n in zip(names, made, strict=True))
        raise RuntimeError(f"input ({given}) is too small. Calculated output {told}")
    if input.dtype.category == 0 or input.dtype in LIMITED:
        word = "reflection" if mirrored else "replication"
        raise missing_kernel(f"{word}_pad{dims}d", input.dtype.label)


def _edge(input: Tensor, pad: Sequence[int], mirrored: bool) -> Tensor:
    _check_edges(input, pad, mirrored)
    made = input
    for d, before, after in _pairs(pad, input.ndim):
        if before or after:
            made = made.index_select(d, _places(input, d, before, after, mirrored))
    made = made.clone() if made is input else made
    form = suggested_format(input._lay())
    return made.contiguous(memory_format=form) if len(pad) > 2 else made.contiguous()


@op(rounded=2, namespace=FUNCTIONAL, derivative=Rule(_named("Reflection"), input=_edge_back))
def _reflected(input: Tensor, pad: Sequence[int], mirrored: bool = True) -> Tensor:
    """What is near the ends, as a mirror there shows it."""
    return _edge(input, pad, mirrored)


@op(rounded=2, namespace=FUNCTIONAL, derivative=Rule(_named("Replication"), input=_edge_back))
def _replicated(input: Tensor, pad: Sequence[int], mirrored: bool = False) -> Tensor:
    """The elements at the ends, again and again."""
    return _edge(input, pad, mirrored)


def _circular(input: Tensor, pad: Sequence[int]) -> Tensor:
    """What is at the other end, as if dimensions were rings."""
    size, pairs = _padded_size(input, pad), _pairs(pad, input.ndim)
    for d, before, after in pairs:
        if max(before, after) > input.shape[d]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size[d] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    made = empty(*size, dtype=input.dtype, device=input.device)
    _inside(made, pad).copy_(_cropped(input, pad))
    for d, before, after in pairs:
        left, right = max(before, 0), max(after, 0)
        if left:
            made.narrow(d, 0, left).copy_(made.narrow(d, size[d] - left - right, left))
        if right:
            made.narrow(d, size[d] - right, right).copy_(made.narrow(d, left, right))
    return made


_WAYS: dict[str, Any] = {
    "constant": constant_pad_nd,
    "reflect": _reflected,
    "replicate": _replicated,
    "circular": _circular,
}


@op(namespace=FUNCTIONAL, rounded=2)
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Elements before and after those of the last dimensions: (..., n) gives (..., before + n + after).

    Args:
        pad: pairs (before, after), of the last dimension first; negative ones cut off.
        mode: "constant" (of any number of dimensions); or of the last one, two or three "reflect" (mirrored at the
            ends), "replicate" (what is at the end) or "circular" (what is at the other end).
        value: the constant.

    >>> tk.nn.functional.pad(tk.tensor([[1, 2, 3]]), (2, 1), mode="reflect")
    tensor([[3, 2, 1, 2, 3, 2]])
    """
    way = _WAYS.get(mode)
    pad = listed_ints(pad, "pad", "pad", 2)
    if way is None:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return constant_pad_nd(input, pad, 0.0 if value is None else value)
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(pad) not in (2, 4, 6) or input.ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(_SUPPORTED.format(len(pad), input.ndim))
    return way(input, pad)


_SUPPORTED = (
    "Padding size {} is not supported for {}D input tensor.\n"
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)
