"""Pooling with windows of one size: the largest of each, or the average of each."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.recording import wants_grad
from tensorkit.kernels.spans import sliding
from tensorkit.ops.kit import BUT_FLOATS, BUT_REAL, FUNCTIONAL, Dims, Tensor, op
from tensorkit.ops.nn.windows import averages, largest, lying
from tensorkit.ops.shared.int_args import as_ints

Sizes = tuple[int, ...]
_BUT_AVERAGED = tuple(kind for kind in BUT_FLOATS if kind is not dtypes.int64)
_TOO_SMALL = "Given input size: ({}). Calculated output size: ({}). Output size is too small"


# -- what all of them check -----------------------------------------------------------------------------------------


def lacking(name: str, input: Tensor, missing: Any) -> None:
    """Refuse a dtype that PyTorch's kernel called `name` has no code for."""
    if input.dtype in missing and input.device.type != "meta":
        raise missing_kernel(name, input.dtype.label)


def _several(name: str, argument: str, position: int, given: Any, dims: int, words: str) -> Sizes:
    """One number for each dimension, of a single one or of as many as there are dimensions."""
    found = as_ints((given,), name, argument, position)
    if len(found) not in (1, dims):
        many = {2: "two", 3: "three"}[dims]
        raise RuntimeError(f"{name}: {argument} must {words} a single int, or a tuple of {many} ints")
    return found * dims if len(found) == 1 else found


def check_1d(name: str, input: Tensor, **given: Any) -> list[int]:
    """The one number of each argument of a pooling of one dimension; `input` has one or two dimensions more."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {name})"
        )
    found = []
    for position, (argument, value) in enumerate(given.items(), 2):
        numbers = as_ints((value,), name, argument, position)
        if len(numbers) != 1:
            raise RuntimeError(f"{name}() argument '{argument}' should contain one int (got {len(numbers)})")
        found.append(numbers[0])
    return found


def _output_size(size: int, kernel: int, padding: int, stride: int, dilation: int, ceil_mode: bool) -> int:
    if not stride:
        raise RuntimeError("stride should not be zero")
    if padding < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
    if padding > int(((kernel - 1) * dilation + 1) / 2):
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={kernel} "
            f"and dilation={dilation}"
        )
    room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)
    count = room // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def _named(letters: str, numbers: Sizes, prefix: str, between: str = ": ", comma: str = " ") -> str:
    return comma.join(f"{prefix}{letter}{between}{n}" for letter, n in zip(letters, numbers, strict=True))


def _check_positive(dims: int, **given: Sizes) -> None:
    letters = "THW"[-dims:]
    for (argument, numbers), prefix in zip(given.items(), ("k", "d", "dilation"), strict=False):
        if min(numbers) <= 0:
            told = _named(letters, numbers, prefix)
            raise RuntimeError(f"{argument} should be greater than zero, but got {told}")


def _check_input(name: str, input: Tensor, dims: int) -> None:
    size = list(input.shape)
    if dims == 3:
        for n in size[input.ndim - 4 :]:
            if not n:
                own = f"{name}_with_indices_out_cpu_template" if name == "max_pool3d" else name
                raise RuntimeError(
                    f"{own}(): Expected input's non-batch dimensions to have positive length, but input has a shape "
                    f"of {size} and non-batch dimension {n} has length zero!"
                )
    elif 0 in size[input.ndim - 3 :]:
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{size}"
        )


def _planned(
    name: str,
    input: Tensor,
    dims: int,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil: bool,
) -> tuple[Any, Sizes]:
    """The windows and how many there are, in each dimension, of what is checked as PyTorch does."""
    inner = tuple(input.shape[input.ndim - dims :])
    each = list(zip(inner, kernel, padding, stride, dilation, strict=True))
    size = tuple(_output_size(*one, ceil) for one in each)
    _check_positive(dims, **{"kernel size": kernel, "stride": stride, "dilation": dilation})
    _check_input(name, input, dims)
    if name == "avg_pool3d" and any(n < k for n, k in zip(inner, kernel, strict=True)):
        raise RuntimeError(
            f"input image ({_named('THW', inner, '')}) smaller than kernel size ({_named('THW', kernel, 'k')})"
        )
    if any(k // 2 < p for k, p in zip(kernel, padding, strict=True)):
        raise RuntimeError(_too_padded(dims, kernel, padding))
    if min(size) < 1:
        planes = input.shape[input.ndim - dims - 1]
        told = ("x".join(map(str, (planes, *one))) for one in (inner, size))
        raise RuntimeError(_TOO_SMALL.format(*told))
    spans = tuple(sliding(k, s, p, d) for _, k, p, s, d in each)
    return spans, size


def _too_padded(dims: int, kernel: Sizes, padding: Sizes) -> str:
    told = "pad should be smaller than or equal to half of kernel size, but got "
    if dims == 2:
        return f"{told}padW = {padding[1]}, padH = {padding[0]}, kW = {kernel[1]}, kH = {kernel[0]}"
    order = [kernel[n] for n in (0, 2, 1)], [padding[n] for n in (0, 2, 1)]
    return f"{told}{_named('TWH', tuple(order[0]), 'k')} {_named('TWH', tuple(order[1]), 'pad')}"


# -- the largest ----------------------------------------------------------------------------------------------------


def _largest_of_windows(
    input: Tensor,
    dims: int,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Any:
    """The values and places of `max_pool2d` or `max_pool3d`."""
    name = f"max_pool{dims}d"
    kernel = _several(name, "kernel_size", 2, kernel_size, dims, "either be")
    own = stride if isinstance(stride, int) or stride else kernel
    steps = _several(name, "stride", 3, own, dims, "either be omitted,")
    pads = _several(name, "padding", 4, padding, dims, "either be")
    gaps = _several(name, "dilation", 5, dilation, dims, "be either")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    spans, size = _planned(name, input, dims, kernel, steps, pads, gaps, ceil_mode)
    lacking(name, input, BUT_REAL)
    made = (*input.shape[: input.ndim - dims], *size)
    return largest(input, f"MaxPool{dims}DWithIndices", spans, size, lying(input, made))


def _single(argument: str, given: Any, optional: bool) -> int:
    found = (given,) if isinstance(given, int) else tuple(given)
    if len(found) != 1:
        words = "None, an int, list of ints, or" if optional else "an int, list of ints or"
        raise RuntimeError(
            f"max_pool1d() {argument} must be {words} tuple of ints of size 1 but got size {len(found)}"
        )
    return found[0]


def _check_max_pool1d(
    input: Tensor, kernel_size: Dims, stride: Any, padding: Dims, dilation: Dims, ceil_mode: bool
) -> tuple[int, int, int, int]:
    if input.ndim not in (2, 3) or 0 in input.shape[input.ndim - 2 :]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    kernel = _single("kernel_size", kernel_size, False)
    step = _single("stride", stride, True) if isinstance(stride, int) or stride else kernel
    pad, gap = _single("padding", padding, False), _single("dilation", dilation, False)
    for argument, n in (("kernel_size", kernel), ("stride", step)):
        if n <= 0:
            raise RuntimeError(f"max_pool1d() {argument} must be greater than zero, but got {n}")
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and "
            f"kernel_size={kernel}"
        )
    if gap <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {gap}")
    count = _output_size(input.shape[-1], kernel, pad, step, gap, ceil_mode)
    if count <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {count}")
    return kernel, step, pad, gap


@op()
def max_pool1d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest of each window of the last dimension: (n, channels, length) gives fewer of them.

    Args:
        kernel_size: how many elements a window has. stride: from one to the next; by default as many.
        padding: how far the windows begin before the input, and end after it.
        dilation: the step from one element of a window to the next.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.max_pool1d(tk.tensor([[1.0, 3.0, 2.0, 0.0, 5.0]]), 2)
    tensor([[3., 2.]])
    """
    kernel, step, pad, gap = _check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
    if not wants_grad(input):
        lacking("max_pool1d_impl", input, BUT_FLOATS)
        size = (_output_size(input.shape[-1], kernel, pad, step, gap, ceil_mode),)
        made = largest(input, "", (sliding(kernel, step, pad, gap),), size, None)[0]
        if input.ndim == 2:
            made._bump()  # PyTorch takes a dimension away again, in place
        return made
    rows = input.unsqueeze(-2)
    return _largest_of_windows(rows, 2, (1, kernel), (1, step), (0, pad), (1, gap), ceil_mode)[0].squeeze(-2)


@op()
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Any:
    """`max_pool1d`, and where in its row each of the largest is: two tensors.

    >>> tk.max_pool1d_with_indices(tk.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    own = stride if isinstance(stride, int) or stride else kernel_size
    given = {"kernel_size": kernel_size, "stride": own, "padding": padding, "dilation": dilation}
    kernel, step, pad, gap = check_1d("max_pool1d", input, **given)
    rows = input.unsqueeze(-2)
    found = _largest_of_windows(rows, 2, (1, kernel), (1, step), (0, pad), (1, gap), ceil_mode)
    return tuple(one.squeeze(-2) for one in found)


@op()
def max_pool2d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest of each window of an image: (n, channels, h, w) gives a smaller h and w.

    Args:
        kernel_size, stride, padding, dilation: as for `max_pool1d`; one number, or one for each dimension.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.max_pool2d(tk.tensor([[[1, 2, 0, 4], [5, 3, 1, 1]]]), 2)
    tensor([[[5, 4]]])
    """
    return _largest_of_windows(input, 2, kernel_size, stride, padding, dilation, ceil_mode)[0]


@op()
def max_pool3d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest of each window of a volume: (n, channels, d, h, w) gives a smaller d, h and w.

    Args:
        kernel_size, stride, padding, dilation: as for `max_pool1d`; one number, or one for each dimension.
        ceil_mode: whether a last window counts that is not whole.

    >>> tk.max_pool3d(tk.arange(8).view(1, 2, 2, 2), 2)
    tensor([[[[7]]]])
    """
    return _largest_of_windows(input, 3, kernel_size, stride, padding, dilation, ceil_mode)[0]


@op(namespace=FUNCTIONAL)
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Any:
    """`max_pool2d`, and where in its image each of the largest is: two tensors.

    >>> tk.nn.functional.max_pool2d_with_indices(tk.tensor([[[1, 2, 0, 4], [5, 3, 1, 1]]]), 2)
    (tensor([[[5, 4]]]), tensor([[[4, 3]]]))
    """
    return _largest_of_windows(input, 2, kernel_size, stride, padding, dilation, ceil_mode)


@op(namespace=FUNCTIONAL)
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
) -> Any:
    """`max_pool3d`, and where in its volume each of the largest is: two tensors.

    >>> tk.nn.functional.max_pool3d_with_indices(tk.arange(8).view(1, 2, 2, 2), 2)
    (tensor([[[[7]]]]), tensor([[[[7]]]]))
    """
    return _largest_of_windows(input, 3, kernel_size, stride, padding, dilation, ceil_mode)


# -- the average ----------------------------------------------------------------------------------------------------


def _averaged(
    input: Tensor,
    dims: int,
    kernel_size: Dims,
    stride: Dims | None,
    padding: Dims,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    name, either = f"avg_pool{dims}d", "either be" if dims == 2 else "be"
    kernel = _several(name, "kernel_size", 2, kernel_size, dims, either)
    own = stride if isinstance(stride, int) or stride else kernel
    steps = _several(name, "stride", 3, own, dims, f"{either} omitted,")
    pads = _several(name, "padding", 4, padding, dims, either)
    if dims == 3 and input.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if input.ndim not in (dims + 1, dims + 2):
        input.size(-3)  # too few are refused here, in these words
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    spans, size = _planned(name, input, dims, kernel, steps, pads, (1,) * dims, ceil_mode)
    if dims == 2:
        lacking("avg_pool2d", input, _BUT_AVERAGED)
    else:
        lacking("avg_pool3d_out_frame", input, (*_BUT_AVERAGED, dtypes.float16, dtypes.bfloat16))
    counts: Any = divisor_override
    if counts is None:
        inner = input.shape[input.ndim - dims :]
        counts = [
            _counts(span, count, n, pad if count_include_pad else 0, count_include_pad)
            for span, count, n, pad in zip(spans, size, inner, pads, strict=True)
        ]
    return averages(input, f"AvgPool{dims}D", spans, size, counts)


def _counts(span: Any, count: int, size: int, pad: int, padded: bool) -> list[int]:
    """How many elements of each window count."""
    bounds = [span.bounds(o) for o in range(count)]
    return [min(end, size + pad) - (start if padded else max(start, 0)) for start, end in bounds]


@op()
def avg_pool1d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims = (),
    padding: Dims = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The average of each window of the last dimension: (n, channels, length) gives fewer of them.

    Args:
        kernel_size: how many elements a window has. stride: from one to the next; by default as many.
        padding: how far the windows begin before the input, and end after it; there are zeros.
        ceil_mode: whether a last window counts that is not whole.
        count_include_pad: whether the zeros of the padding count.

    >>> tk.avg_pool1d(tk.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    own = stride if isinstance(stride, int) or stride else kernel_size
    given = {"kernel_size": kernel_size, "stride": own, "padding": padding}
    kernel, step, pad = check_1d("avg_pool1d", input, **given)
    made = avg_pool2d(input.unsqueeze(-2), (1, kernel), (1, step), (0, pad), ceil_mode, count_include_pad)
    return made.squeeze(-2)


@op(namespace=FUNCTIONAL)
def avg_pool2d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The average of each window of an image: (n, channels, h, w) gives a smaller h and w.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `avg_pool1d`; one number, or one for each
            dimension.
        divisor_override: what the sums are divided by, if not by how many elements there are.

    >>> tk.nn.functional.avg_pool2d(tk.tensor([[[1.0, 2.0, 0.0, 4.0], [5.0, 4.0, 1.0, 1.0]]]), 2)
    tensor([[[3.0000, 1.5000]]])
    """
    return _averaged(input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op(namespace=FUNCTIONAL)
def avg_pool3d(
    input: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: Dims = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The average of each window of a volume: (n, channels, d, h, w) gives a smaller d, h and w.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: as for `avg_pool2d`.

    >>> tk.nn.functional.avg_pool3d(tk.arange(8.0).view(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
    """
    return _averaged(input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
