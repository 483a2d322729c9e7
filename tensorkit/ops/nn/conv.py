"""Convolution in one, two and three spatial dimensions, of one image or of a batch: `convolution` does the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.dispatch.call_errors import takes
from tensorkit.errors import warn
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.kit import Dims, Tensor, op
from tensorkit.ops.nn.convolution import convolution
from tensorkit.ops.shared.type_names import backend_name, cpp_name

# -- of one image or a batch, of real and complex numbers -----------------------------------------------------------


def _of(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Dims,
    padding: Dims | str,
    dilation: Dims,
    groups: int,
    rank: int,
) -> Tensor:
    """`convolution` of an image, or of a batch of them."""
    if bias is not None and bias.dtype is not input.dtype and not isinstance(padding, str):
        raise RuntimeError(
            f"Input type ({cpp_name(input.dtype)}) and bias type ({cpp_name(bias.dtype)}) should be the same"
        )
    batch = _batched(input, rank, f"conv{rank}d")
    steps, apart = _listed(stride, rank), _listed(dilation, rank)

    def real(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if padding == "same":
            return _same(input, weight, bias, steps, apart, groups)
        if isinstance(padding, str) and padding != "valid":
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        before = (0,) * rank if isinstance(padding, str) else _listed(padding, rank)
        return convolution(input, weight, bias, steps, before, apart, False, (0,) * rank, groups)

    made = _complex(real, batch, weight, bias)
    return made if batch is input else made.squeeze(0)


def _listed(given: Any, rank: int) -> tuple[int, ...]:
    """One number stands for all dimensions; a sequence is taken as it is."""
    return tuple(given) if isinstance(given, (tuple, list)) else (int(given),) * rank


def _batched(input: Tensor, rank: int, name: str) -> Tensor:
    if input.ndim == rank + 2:
        return input
    if input.ndim != rank + 1:
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input.unsqueeze(0)


def _complex(
    real: Callable[[Tensor, Tensor, Tensor | None], Tensor],
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
) -> Tensor:
    """A convolution of complex numbers, by three of real ones; of real numbers as it is."""
    if not input.is_complex():
        return real(input, weight, bias)
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given.dtype is not input.dtype:
            raise RuntimeError(
                f"Input type ({backend_name(input)}) and {name} type ({backend_name(given)}) should be the same"
            )
    one, other = (None, None) if bias is None else (bias.real, bias.imag)
    first = real(input.real, weight.real, one)
    second = real(input.imag, weight.imag, None)
    both = None if one is None or other is None else one + other
    third = real(input.real + input.imag, weight.real + weight.imag, both)
    return first - second + 1j * (third - first - second)


def _same(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Tensor:
    """A result as large as the image; where the frame of zeros is uneven, it is wider at the end."""
    rank = weight.ndim - 2
    if rank <= 0:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weight.ndim != input.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but "
            f"got {input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    for name, given in (("stride", stride), ("dilation", dilation)):
        if len(given) not in (1, rank):
            raise RuntimeError(f"{name} cannot broadcast to {rank} dimensions")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    apart = dilation * rank if len(dilation) == 1 else dilation
    total = [d * (k - 1) for d, k in zip(apart, weight.shape[2:], strict=True)]
    before = [int(t / 2) for t in total]
    more = [t - 2 * b for t, b in zip(total, before, strict=True)]
    if any(more):
        warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created"
        )
        input = _wider(input, more)
    before = [b + min(m, 0) for b, m in zip(before, more, strict=True)]
    return convolution(input, weight, bias, (1,) * rank, before, tuple(apart), False, (0,) * rank, groups)


def _wider(input: Tensor, more: Sequence[int]) -> Tensor:
    """The image with zeros after its end, or, for a kernel without elements, less at its begin."""
    for dim, count in enumerate(more, 2):
        if count > 0:
            zeros = input.new_zeros([count if d == dim else n for d, n in enumerate(input.shape)])
            input = cat((input, zeros), dim)
        elif count:
            input = input.narrow(dim, -count, input.shape[dim] + count)
    return input


# -- what is offered ------------------------------------------------------------------------------------------------


def _form(text: str, padding: str) -> str:
    return f"({text}, tuple of ints stride = 1, {padding}, tuple of ints dilation = 1, int groups = 1)"


_GIVEN = "Tensor input, Tensor weight, Tensor bias = None"
_FORMS = (_form(_GIVEN, "tuple of ints padding = 0"), _form(_GIVEN, 'str padding = "valid"'))
_FORM_TRANSPOSED = (
    f"({_GIVEN}, tuple of ints stride = 1, tuple of ints padding = 0, tuple of ints output_padding = 0, "
    "int groups = 1, tuple of ints dilation = 1)"
)


@op(rounded=8)
@takes(*_FORMS)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims | str = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """In each place of an image, the sum of products with a small weight: (n, c, length) gives (n, out, ...).

    Args:
        input: a batch of images, or one: (channels, length).
        weight: (out, channels / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far the weight moves on. padding: how many zeros are around the image; or "valid" for none, or
            "same" for as many as make the result as large as the image.
        dilation: how far the elements under the weight are apart.
        groups: into how many groups the channels are divided; each sees only its own channels of the image.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv1d(tk.arange(5.0).view(1, 1, 5), tk.ones(1, 1, 3))
    tensor([[[3., 6., 9.]]])
    """
    return _of(input, weight, bias, stride, padding, dilation, groups, 1)


@op(rounded=8)
@takes(*_FORMS)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims | str = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """In each place of an image, the sum of products with a small weight: (n, c, h, w) gives (n, out, ...).

    Args:
        input: a batch of images, or one: (channels, height, width).
        weight: (out, channels / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far the weight moves on. padding: how many zeros are around the image; or "valid" for none, or
            "same" for as many as make the result as large as the image.
        dilation: how far the elements under the weight are apart.
        groups: into how many groups the channels are divided; each sees only its own channels of the image.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv2d(tk.ones(1, 1, 3, 3), tk.ones(1, 1, 2, 2), stride=2, padding=1)
    tensor([[[[1., 2.],
              [2., 4.]]]])
    """
    return _of(input, weight, bias, stride, padding, dilation, groups, 2)


@op(rounded=8)
@takes(*_FORMS)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims | str = 0,
    dilation: Dims = 1,
    groups: int = 1,
) -> Tensor:
    """In each place of an image, the sum of products with a small weight: (n, c, d, h, w) gives (n, out, ...).

    Args:
        input: a batch of images, or one: (channels, depth, height, width).
        weight: (out, channels / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far the weight moves on. padding: how many zeros are around the image; or "valid" for none, or
            "same" for as many as make the result as large as the image.
        dilation: how far the elements under the weight are apart.
        groups: into how many groups the channels are divided; each sees only its own channels of the image.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv3d(tk.ones(1, 2, 4, 4, 4), tk.ones(3, 2, 2, 2, 2)).shape
    tensorkit.Size([1, 3, 3, 3, 3])
    """
    return _of(input, weight, bias, stride, padding, dilation, groups, 3)


def _opposite_of(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    moves: tuple[Dims, Dims, Dims, Dims],
    groups: int,
    rank: int,
) -> Tensor:
    """A transposed `convolution`; `moves` are its stride, padding, output padding and dilation."""
    batch = _batched(input, rank, f"conv_transpose{rank}d")
    stride, padding, more, dilation = (_listed(one, rank) for one in moves)

    def real(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return convolution(input, weight, bias, stride, padding, dilation, True, more, groups)

    made = _complex(real, batch, weight, bias)
    return made if batch is input else made.squeeze(0)


@op(rounded=8)
@takes(_FORM_TRANSPOSED)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims = 0,
    output_padding: Dims = 0,
    groups: int = 1,
    dilation: Dims = 1,
) -> Tensor:
    """Each element adds its multiple of a small weight to a larger image: (n, c, length) gives (n, out, ...).

    It makes of sizes what `conv1d` with the same arguments takes, and is how its gradient goes back.

    Args:
        input: a batch of images, or one: (channels, length).
        weight: (channels, out / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far apart elements put their weights. padding: how much is cut off around the result.
        output_padding: by how much the result is larger at its end, of several sizes that come to the same.
        groups, dilation: as for `conv1d`.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv_transpose1d(tk.tensor([[[1.0, 2.0]]]), tk.ones(1, 1, 3), stride=2)
    tensor([[[1., 1., 3., 2., 2.]]])
    """
    return _opposite_of(input, weight, bias, (stride, padding, output_padding, dilation), groups, 1)


@op(rounded=8)
@takes(_FORM_TRANSPOSED)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims = 0,
    output_padding: Dims = 0,
    groups: int = 1,
    dilation: Dims = 1,
) -> Tensor:
    """Each element adds its multiple of a small weight to a larger image: (n, c, h, w) gives (n, out, ...).

    It makes of sizes what `conv2d` with the same arguments takes, and is how its gradient goes back.

    Args:
        input: a batch of images, or one: (channels, height, width).
        weight: (channels, out / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far apart elements put their weights. padding: how much is cut off around the result.
        output_padding: by how much the result is larger at its end, of several sizes that come to the same.
        groups, dilation: as for `conv2d`.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv_transpose2d(tk.tensor([[[[1.0, 2.0]]]]), tk.ones(1, 1, 2, 2))
    tensor([[[[1., 3., 2.],
              [1., 3., 2.]]]])
    """
    return _opposite_of(input, weight, bias, (stride, padding, output_padding, dilation), groups, 2)


@op(rounded=8)
@takes(_FORM_TRANSPOSED)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Dims = 1,
    padding: Dims = 0,
    output_padding: Dims = 0,
    groups: int = 1,
    dilation: Dims = 1,
) -> Tensor:
    """Each element adds its multiple of a small weight to a larger image: (n, c, d, h, w) gives (n, out, ...).

    It makes of sizes what `conv3d` with the same arguments takes, and is how its gradient goes back.

    Args:
        input: a batch of images, or one: (channels, depth, height, width).
        weight: (channels, out / groups, *kernel). bias: (out), is added to each channel of the result.
        stride: how far apart elements put their weights. padding: how much is cut off around the result.
        output_padding: by how much the result is larger at its end, of several sizes that come to the same.
        groups, dilation: as for `conv3d`.

    Raises:
        RuntimeError: for sizes that do not fit, and for a weight of another dtype.

    >>> tk.conv_transpose3d(tk.ones(1, 2, 4, 4, 4), tk.ones(2, 3, 2, 2, 2), stride=2).shape
    tensorkit.Size([1, 3, 8, 8, 8])
    """
    return _opposite_of(input, weight, bias, (stride, padding, output_padding, dilation), groups, 3)
