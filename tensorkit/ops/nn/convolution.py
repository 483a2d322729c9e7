"""Convolution: a small weight moves over an image, and in each place the products are added up.

One way serves one, two and three spatial dimensions, and three linear maps serve one another as derivatives:

    convolve   image, weight -> result       the result of a layer
    spread     result, weight -> image       a transposed convolution; the gradient of an image
    weigh      image, result -> weight       the gradient of a weight

An image is (n, channels, *size), a weight (out, channels / groups, *kernel).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu.nn import windows as on_cpu
from tensorkit.kernels.windows import Ints, Window
from tensorkit.memory_format import channels_last, contiguous_format, formatted_strides, suggested_format
from tensorkit.ops.kit import BUT_REAL, Plan, Result, Rule, Tensor, op
from tensorkit.ops.shared.on_device import operand
from tensorkit.ops.shared.type_names import backend_name
from tensorkit.ops.way import Kernels
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride

# -- the kernels of a device ----------------------------------------------------------------------------------------


def _convolve_there(out: Tensor, image: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> None:
    _there(cuda.windows.convolve, (out, image, weight), bias, window)


def _spread_there(out: Tensor, image: Tensor, weight: Tensor, bias: Tensor | None, window: Window) -> None:
    _there(cuda.windows.spread, (out, image, weight), bias, window)


def _there(launch: Any, tensors: tuple[Tensor, ...], bias: Tensor | None, window: Window) -> None:
    sizes = tuple(one._lay().size for one in tensors)
    added = None if bias is None else operand(resolved(bias))
    launch(*(operand(resolved(one)) for one in tensors), added, sizes, window)


def _weigh_there(out: Tensor, image: Tensor, result: Tensor, window: Window) -> None:
    tensors = (out, image, result)
    sizes = tuple(one._lay().size for one in tensors)
    cuda.windows.weigh(*(operand(resolved(one)) for one in tensors), sizes, window)


_CONVOLVE: Kernels = {"cpu": on_cpu.convolve, "cuda": _convolve_there}
_SPREAD: Kernels = {"cpu": on_cpu.spread, "cuda": _spread_there}

# -- the three maps -------------------------------------------------------------------------------------------------


def _to_input(g: Any, c: Any) -> Any:
    return _applied(g, c.weight, None, tuple(c.input_face.size[2:]), c.window, not c.transposed, True)


def _to_weight(g: Any, c: Any) -> Any:
    image, result = (g, c.input) if c.transposed else (c.input, g)
    return _weighed(image, result, tuple(c.weight_face.size), c.window)


def _to_bias(g: Any, c: Any) -> Any:
    if not g.shape[1]:
        return g.new_zeros(c.bias_face.size)
    return g.flatten(2).sum(2).sum(0)  # twice as fast as all at once


@op(
    derivative=Rule(
        lambda call: "ConvolutionBackwardBackward0" if call["again"] else "ConvolutionBackward0",
        input=_to_input,
        weight=_to_weight,
        bias=_to_bias,
    )
)
def _applied(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    size: Ints,
    window: Window,
    transposed: bool,
    again: bool,
) -> Plan | Tensor:
    """A convolution whose arguments are right, with as many places, or as large an image, as `size` says."""
    out = weight.shape[1] * window.groups if transposed else weight.shape[0] if input.shape[1] else 0
    full = (input.shape[0], out, *size)
    kernel = _SPREAD if transposed else _CONVOLVE
    stride = formatted_strides(Layout(full, contiguous_stride(full)), _format(input, weight))
    settings = {"window": window}
    if 0 in input.shape[:2]:
        return _of_nothing(input, weight, bias, full)
    bias = None if bias is None else bias.to(input.dtype)
    return Plan((Result(full, input.dtype, stride),), (input, weight, bias), settings, kernel)


def _of_nothing(input: Tensor, weight: Tensor, bias: Tensor | None, size: Ints) -> Tensor:
    """A result without elements, where there are no images or no channels: as PyTorch makes it."""
    flat = weight.reshape(-1)
    made = (input * flat.select(0, 0) if input.shape[1] else input.reshape(-1) * flat).view(size).clone()
    return (
        made if bias is None or not input.shape[1] else made.add_(bias.reshape(-1, *(1,) * (input.ndim - 2)))
    )


def _format(input: Tensor, weight: Tensor) -> Any:
    """The result lies as an image with its channels side by side where an operand does."""
    layouts = [one._lay() for one in (input, weight) if one.ndim == 4]
    return channels_last if channels_last in map(suggested_format, layouts) else contiguous_format


@op(
    {"cpu": on_cpu.weigh, "cuda": _weigh_there},
    derivative=Rule(
        "ConvolutionBackwardBackward0",
        image=lambda g, c: _applied(c.result, g, None, tuple(c.image_face.size[2:]), c.window, True, True),
        result=lambda g, c: _applied(c.image, g, None, tuple(c.result_face.size[2:]), c.window, False, True),
    ),
)
def _weighed(image: Tensor, result: Tensor, size: Ints, window: Window) -> Plan:
    """The gradient of a weight of this size."""
    return Plan((Result(size, image.dtype),), (image, result), {"window": window})


# -- what is refused ------------------------------------------------------------------------------------------------


def _expanded(given: Sequence[int], name: str, rank: int) -> Ints:
    """One integer for each spatial dimension."""
    if len(given) == 1:
        return (given[0],) * rank
    if len(given) != rank:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {rank} values to match the convolution "
            f"dimensions, but got {name}={list(given)}"
        )
    return tuple(given)


def _check_sizes(
    input: Tensor, weight: Tensor, bias: Tensor | None, window: Window, transposed: bool
) -> None:
    groups, wide, shape = window.groups, list(weight.shape), list(input.shape)
    if len(wide) != len(shape):
        raise RuntimeError(
            f"Expected {len(wide)}-dimensional input for {len(wide)}-dimensional weight {wide}, but got "
            f"{len(shape)}-dimensional input of size {shape} instead"
        )
    if wide[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{wide} instead"
        )
    if wide[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{wide}] instead"
        )
    given = "transposed=1" if transposed else f"groups={groups}"
    channels = wide[0] if transposed else wide[1] * groups
    if shape[1] != channels:
        raise RuntimeError(
            f"Given {given}, weight of size {wide}, expected input{shape} to have {channels} channels, but got "
            f"{shape[1]} channels instead"
        )
    out = wide[1] * groups if transposed else wide[0]
    if bias is not None and tuple(bias.shape) != (out,):
        given = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {given}weight of size {wide}, expected bias to be 1-dimensional with {out} elements, but got bias "
            f"of size {list(bias.shape)} instead"
        )


def _check_fit(input: Tensor, weight: Tensor, window: Window) -> None:
    """The image must be as large as the window."""
    around = [i + 2 * p for i, p in zip(input.shape[2:], window.padding, strict=True)]
    extent = window.extent(weight.shape[2:])
    if any(e > i for e, i in zip(extent, around, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_by(around)}). Kernel size: ({_by(extent)}). "
            "Kernel size can't be greater than actual input size"
        )


def _by(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _check_kernel(input: Tensor, weight: Tensor, window: Window, more: Ints, size: Ints) -> tuple[str, bool]:
    """What PyTorch's kernels of a convolution refuse themselves; they see one spatial dimension as two.

    Returns:
        The kernel's name, and whether int64 is the only dtype of whole numbers that it has code for.
    """
    missing = (1,) * (4 - weight.ndim)
    kernel, dilation = missing + tuple(weight.shape[2:]), missing + window.dilation
    spread = any(d != 1 for d in dilation)
    if 0 in dilation:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if 0 in kernel:
        told = ": {} x {} x {} (TxHxW)".format(*kernel) if len(kernel) == 3 else f" {sides('kernel', kernel)}"
        told = f" {list(kernel)}" if spread else told
        raise RuntimeError(f"kernel size should be greater than zero, but got{told}")
    code = "slow_conv_dilated<>" if spread else "slow_conv2d_cpu" if len(kernel) == 2 else "compute_columns3d"
    return code, spread


def _check_transposed(
    input: Tensor, weight: Tensor, window: Window, more: Ints, size: Ints
) -> tuple[str, bool]:
    """The same of a transposed one."""
    rank, missing = max(2, weight.ndim - 2), 4 - weight.ndim
    kernel, dilation, stride = (
        (1,) * missing + tuple(one) for one in (weight.shape[2:], window.dilation, window.stride)
    )
    more = (0,) * missing + more
    if 0 in dilation:
        raise RuntimeError(
            f"dilation should be greater than zero, but got {sides('dilation', dilation, ', ')}"
        )
    if rank == 3 and not weight.numel():
        raise RuntimeError(
            "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor "
            f"expected for weight, but got: {list(weight.shape)}"
        )
    if 0 in kernel:
        raise RuntimeError(f"kernel size should be greater than zero, but got {sides('kernel', kernel)}")
    if any(m >= s and m >= d for m, s, d in zip(more, stride, dilation, strict=True)):
        told = (sides("output_padding", more), sides("stride", stride), sides("dilation", dilation))
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got {' '.join(told)}"
        )
    if not weight.numel():
        shape = [*weight.shape[:2], *kernel]
        raise RuntimeError(f"non-empty 2D or 4D weight tensor expected, but got: {shape}")
    if min(size) < 1:
        given, made = ((1,) * missing + tuple(one) for one in (input.shape[2:], size))
        raise RuntimeError(
            f"Given input size per channel: ({_by(given)}). Calculated output size per channel: ({_by(made)}). "
            "Output size is too small"
        )
    return f"slow_conv_transpose{rank}d_out_cpu", True


def sides(name: str, values: Sequence[int], between: str = " ") -> str:
    """A number for each spatial dimension, in words: ``"stride_height: 1 stride_width: 2"``."""
    known = ("depth", "height", "width")[-len(values) :]
    return between.join(f"{name}_{side}: {value}" for side, value in zip(known, values, strict=True))


_MKL_AT_LEAST = 20480
_WITHOUT_LONG_SUMS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)


def _check_dtypes(code: str, longs: bool, input: Tensor, others: Sequence[Tensor], mkldnn: bool) -> None:
    """Whether there is code for the dtype, and the weight (and the bias, where PyTorch's library looks) have it."""
    if mkldnn:
        for name, other in zip(("weight", "bias"), others, strict=False):
            if other.dtype is not input.dtype:
                raise RuntimeError(
                    f"Input type ({backend_name(input)}) and {name} type ({backend_name(other)}) should be the same or "
                    f"input should be a MKLDNN tensor and {name} is a dense tensor"
                )
    if input.dtype in BUT_REAL or (longs and input.dtype in _WITHOUT_LONG_SUMS):
        raise missing_kernel(code, input.dtype.label)
    if (weight := others[0]).dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.label} but found {weight.dtype.label}")


def _by_mkldnn(input: Tensor, weight: Tensor, window: Window) -> bool:
    """Whether PyTorch would ask its library MKL-DNN, which has other sentences: it leaves small images to itself."""
    if input.dtype is not dtypes.float32 or input.device.type != "cpu":
        return input.dtype is dtypes.bfloat16
    kernel = tuple(weight.shape[2:])
    return window.groups > 1 or input.shape[0] > 1 or min(kernel[-2:]) > 3 or input.numel() > _MKL_AT_LEAST


# -- what is offered ------------------------------------------------------------------------------------------------


_FORM = (
    "(Tensor input, Tensor weight, Tensor bias?, tuple of ints stride, tuple of ints padding, tuple of ints dilation, "
    "bool transposed, tuple of ints output_padding, int groups)"
)


@op(rounded=8)
@takes(_FORM)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """What `conv2d`, `conv_transpose2d` and their kin come down to: (n, channels, ...) gives (n, out, ...).

    Args:
        weight: (out, channels / groups, *kernel); of a transposed convolution (channels, out / groups, *kernel).
        bias: (out), or None.
        stride, padding, dilation, output_padding: one number for each spatial dimension, or one for all.

    Raises:
        RuntimeError: for sizes that do not fit.

    >>> image, weight = tk.arange(5.0).view(1, 1, 5), tk.ones(1, 1, 3)
    >>> tk.convolution(image, weight, None, (1,), (0,), (1,), False, (0,), 1)
    tensor([[[3., 6., 9.]]])

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/Convolution.cpp
    """
    rank = weight.ndim - 2
    if rank <= 0:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    steps = _expanded(stride, "stride", rank)
    before = _expanded(padding, "padding", rank)
    apart = _expanded(dilation, "dilation", rank)
    more = _expanded(output_padding, "output_padding", rank)
    _check_signs(steps, before, apart, more)
    window = Window(steps, before, apart, groups)
    _check_sizes(input, weight, bias, window, transposed)
    kernel = tuple(weight.shape[2:])
    if transposed:
        size = window.image(tuple(input.shape[2:]), kernel, more)
    else:
        _check_fit(input, weight, window)
        size = window.places(tuple(input.shape[2:]), kernel)
    _check_backend(input, weight, bias, window, transposed, more, size)
    made: Tensor = _applied(input, weight, bias, size, window, transposed, False)
    return made


def _check_signs(stride: Ints, padding: Ints, dilation: Ints, output_padding: Ints) -> None:
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(p < 0 for p in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d < 0 for d in dilation):
        raise RuntimeError("dilation should be greater than zero")


def _check_backend(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    window: Window,
    transposed: bool,
    more: Ints,
    size: Ints,
) -> None:
    """What is refused where there is something to compute."""
    if 0 in input.shape[:2]:
        return
    if not input.numel():
        shape = [*input.shape[:2], *(1,) * (4 - input.ndim), *input.shape[2:]]
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}"
        )
    if weight.ndim > 5:
        raise RuntimeError("unsupported ConvNd parameters")
    check = _check_transposed if transposed else _check_kernel
    code, longs = check(input, weight, window, more, size)
    if input.device.type != "meta":
        others = (weight,) if bias is None else (weight, bias)
        _check_dtypes(code, longs, input, others, _by_mkldnn(input, weight, window))
