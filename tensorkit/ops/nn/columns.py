"""What is under the windows of an image, as columns, and back: what `unfold` and `fold` of nn come down to."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorkit.conj_bit import resolved
from tensorkit.dispatch.call_errors import takes
from tensorkit.dtypes import bool as truth
from tensorkit.dtypes import int64
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu.nn import windows as on_cpu
from tensorkit.kernels.windows import Ints, Window
from tensorkit.ops.kit import BUT_INEXACT, INNER, LIMITED, Array, Dims, Plan, Result, Rule, Tensor, op
from tensorkit.ops.nn.convolution import sides
from tensorkit.ops.shared.on_device import operand

_LACKS = (*(kind for kind in BUT_INEXACT if kind is not truth), *LIMITED)


def _pair(given: Dims, name: str) -> Ints:
    pair = (given, given) if isinstance(given, int) else tuple(given)
    if len(pair) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
    return pair


def _window(kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Window:
    """The window, if there is one with these numbers."""
    least = {"kernel size": (kernel, "kernel", 1), "stride": (stride, "stride", 1)}
    least |= {"dilation": (dilation, "dilation", 1), "padding": (padding, "pad", 0)}
    for name, (values, short, smallest) in least.items():
        if min(values) < smallest:
            wanted = "greater than zero" if smallest else "non-negative"
            raise RuntimeError(f"{name} should be {wanted}, but got {sides(short, values)}")
    return Window(stride, padding, dilation)


def _in_words(**values: Ints) -> str:
    return ", ".join(f"{name}=({one}, {other})" for name, (one, other) in values.items())


# -- columns of an image --------------------------------------------------------------------------------------------


def _unfold_there(out: Tensor, image: Tensor, kernel: Ints, places: Ints, window: Window) -> None:
    out = out if out.ndim == 3 else out.unsqueeze(0)
    sizes = tuple(out.shape), tuple(image.shape)
    cuda.windows.unfold(operand(out), operand(resolved(image)), *sizes, kernel, places, window)


def _is_image(input: Tensor) -> bool:
    """Whether it is one image with elements, or a batch of such; PyTorch asks for two sizes before it counts them."""
    if not (input.size(1) and input.size(2)):
        return False
    return bool(input.size(0)) if input.ndim == 3 else input.ndim == 4 and input.size(3) != 0


def _folded(g: Any, c: Any) -> Any:
    return col2im(g, c.input_face.size[-2:], c.kernel_size, c.dilation, c.padding, c.stride)


@op(
    {"cpu": on_cpu.unfold, "cuda": _unfold_there},
    lacks=("im2col_out_cpu", _LACKS),
    namespace=INNER,
    derivative=Rule("Im2ColBackward0", input=_folded),
)
@takes(
    "(Tensor input, tuple of ints kernel_size, tuple of ints dilation, tuple of ints padding, tuple of ints stride)"
)
def im2col(input: Tensor, kernel_size: Dims, dilation: Dims, padding: Dims, stride: Dims) -> Plan:
    """The elements under each place of a window as a column: (n, channels, h, w) gives (n, channels * kernel, places).

    Args:
        kernel_size: of the window. dilation: how far its elements are apart.
        padding: how many zeros are around the image. stride: how far the window moves on.

    Raises:
        RuntimeError: for a window that does not fit.

    >>> tk.nn.functional.unfold(tk.arange(9.0).view(1, 1, 3, 3), kernel_size=2)
    tensor([[[0., 1., 3., 4.],
             [1., 2., 4., 5.],
             [3., 4., 6., 7.],
             [4., 5., 7., 8.]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.unfold.html
    """
    named = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    kernel, apart, before, steps = (_pair(given, name) for name, given in named.items())
    window = _window(kernel, apart, before, steps)
    shape = tuple(input.shape)
    if not _is_image(input):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(shape)}"
        )
    places = window.places(shape[-2:], kernel)
    if min(places) < 1:
        told = _in_words(kernel_size=kernel, dilation=apart, padding=before)
        raise RuntimeError(
            f"Given input with spatial size {shape[-2:]}, {told}, calculated shape of the array of sliding blocks as "
            f"{places}, but its components must be at least one."
        )
    size = (*shape[:-3], shape[-3] * prod(kernel), prod(places))
    batch = input if len(shape) == 4 else input.unsqueeze(0)
    settings = {"kernel": kernel, "places": places, "window": window}
    return Plan((Result(size, input.dtype),), (batch,), settings, wide=False)


# -- an image of columns --------------------------------------------------------------------------------------------


def _fold(out: Array, columns: Array, kernel: Ints, places: Ints, window: Window) -> None:
    images = out.reshape(-1, *out.shape[-3:])
    on_cpu.fold(images, columns.reshape(*images.shape[:2], *kernel, *places), window)


def _fold_there(out: Tensor, columns: Tensor, kernel: Ints, places: Ints, window: Window) -> None:
    if out.dtype is truth:  # an element is true where one of those that are added is
        counts = out.new_empty(out.shape, dtype=int64)
        _fold_there(counts, columns.to(int64), kernel, places, window)
        out.copy_(counts)
        return
    out = out if out.ndim == 4 else out.unsqueeze(0)
    columns = columns if columns.ndim == 3 else columns.unsqueeze(0)
    sizes = tuple(out.shape), tuple(columns.shape)
    cuda.windows.fold(operand(out), operand(resolved(columns)), *sizes, kernel, places, window)


def _unfolded(g: Any, c: Any) -> Any:
    return im2col(g, c.kernel_size, c.dilation, c.padding, c.stride)


@op(
    {"cpu": _fold, "cuda": _fold_there},
    lacks=("col2im_out_cpu", _LACKS),
    namespace=INNER,
    rounded=4,
    derivative=Rule("Col2ImBackward0", input=_unfolded),
)
@takes(
    "(Tensor input, tuple of ints output_size, tuple of ints kernel_size, tuple of ints dilation, "
    "tuple of ints padding, tuple of ints stride)"
)
def col2im(
    input: Tensor, output_size: Dims, kernel_size: Dims, dilation: Dims, padding: Dims, stride: Dims
) -> Plan:
    """Columns, added to an image under windows: (n, channels * kernel, places) gives (n, channels, h, w).

    Args:
        output_size: of the image: (h, w).
        kernel_size, dilation, padding, stride: of the window, as `im2col` has them.

    Raises:
        RuntimeError: for columns that do not fit the windows of such an image.

    >>> tk.nn.functional.fold(tk.ones(1, 4, 4), output_size=(3, 3), kernel_size=2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fold.html
    """
    named = {"output_size": output_size, "kernel_size": kernel_size, "dilation": dilation}
    named |= {"padding": padding, "stride": stride}
    made, kernel, apart, before, steps = (_pair(given, name) for name, given in named.items())
    window = _window(kernel, apart, before, steps)
    shape = tuple(input.shape)
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    dim = len(shape) - 2
    if shape[dim] % prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[dim]} and kernel_size={kernel}."
        )
    places = window.places(made, kernel)
    if shape[-1] != prod(places):
        told = _in_words(output_size=made, kernel_size=kernel, dilation=apart, padding=before, stride=steps)
        raise RuntimeError(
            f"Given {told}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{places[0]} * {places[1]} = {prod(places)}, but got input.size(2)={shape[-1]}."
        )
    size = (*shape[:-2], shape[dim] // prod(kernel), *made)
    settings = {"kernel": kernel, "places": places, "window": window}
    return Plan((Result(size, input.dtype),), (input,), settings)
