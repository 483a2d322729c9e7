"""What lies under the windows of an image as columns, and back: what ``nn.functional.unfold`` and ``fold`` come down to."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorkit.conj_bit import resolved
from tensorkit.dispatch.call_errors import takes
from tensorkit.dtypes import bool as truth
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu import windows as on_cpu
from tensorkit.kernels.windows import Ints, Window
from tensorkit.ops.kit import BUT_INEXACT, FUNCTIONAL, LIMITED, Dims, Plan, Result, Rule, Tensor, op
from tensorkit.ops.nn.convolution import two_sides
from tensorkit.ops.shared.on_device import operand

__all__ = ["col2im", "im2col"]

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
            raise RuntimeError(f"{name} should be {wanted}, but got {two_sides(short, values)}")
    return Window(stride, padding, dilation)


def _in_words(**values: Ints) -> str:
    return ", ".join(f"{name}=({one}, {other})" for name, (one, other) in values.items())


# -- columns of an image --------------------------------------------------------------------------------------------


def _unfold_there(out: Tensor, image: Tensor, kernel: Ints, places: Ints, window: Window) -> None:
    sizes = tuple(out.shape), tuple(image.shape)
    cuda.windows.unfold(operand(out), operand(resolved(image)), *sizes, kernel, places, window)


def _folded(g: Any, c: Any) -> Any:
    return col2im(g, c.input_face.size[-2:], c.kernel_size, c.dilation, c.padding, c.stride)


@op(
    {"cpu": on_cpu.unfold, "cuda": _unfold_there},
    lacks=("im2col_out_cpu", _LACKS),
    namespace=FUNCTIONAL,
    derivative=Rule("Im2ColBackward0", input=_folded),
)
@takes(
    "(Tensor input, tuple of ints kernel_size, tuple of ints dilation, tuple of ints padding, tuple of ints stride)"
)
def im2col(input: Tensor, kernel_size: Dims, dilation: Dims, padding: Dims, stride: Dims) -> Any:
    """The elements under each place of a window as a column: (n, channels, h, w) gives (n, channels * kernel, places).

    Args:
        kernel_size: of the window. dilation: how far its elements are apart.
        padding: how many zeros are around the image. stride: how far the window moves on.

    Raises:
        RuntimeError: for a window that does not fit.

    >>> import tensorkit as tk
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
    if len(shape) not in (3, 4) or 0 in shape[len(shape) - 3 :]:
        input.size(2)  # of fewer dimensions PyTorch asks for the third before it looks
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
    made = Result((1, *size)[-3:], input.dtype)
    return Plan((made,), (batch,), {"kernel": kernel, "places": places, "window": window}, wide=False)


# -- an image of columns --------------------------------------------------------------------------------------------
