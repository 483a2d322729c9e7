"""Images of another size: each element is a sum of a few elements of the input, one dimension at a time."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.ops.kit import BUT_FLOATS, FUNCTIONAL, Array, Rule, Tensor, op
from tensorkit.ops.nn.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from tensorkit.ops.nn.windows import lying
from tensorkit.ops.shared.copy import copied

_LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}
_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"

_CHANNELS_LAST_UP_TO = 128
_BUT_PICTURES = tuple(kind for kind in BUT_FLOATS if kind is not dtypes.uint8)

# Which elements of a dimension, and how much of each: two arrays, a row for each element of the result.
Taps = tuple[Array, Array]


def _step(size: int, made: int, scale: float | None, corners: bool, kind: Any) -> Any:
    """How far the elements of the result lie apart in the input."""
    if corners:
        return kind(size - 1) / kind(made - 1) if made > 1 else kind(0)
    return kind(1.0 / scale) if scale is not None and scale > 0 else kind(size) / kind(made)


def _nearest(size: int, made: int, scale: float | None, exact: bool) -> Taps:
    kind = numpy.float32
    places = numpy.arange(made, dtype=kind) + kind(0.5 if exact else 0)
    found = numpy.floor(places * _step(size, made, scale, False, kind)).astype(numpy.int64)
    return numpy.minimum(found, size - 1)[:, None], numpy.ones((made, 1))


def _linear(size: int, made: int, scale: float | None, corners: bool, kind: Any) -> Taps:
    places = numpy.arange(made, dtype=kind)
    if size != made:
        step = _step(size, made, scale, corners, kind)
        half = kind(0.5)
        places = places * step if corners else numpy.maximum((places + half) * step - half, kind(0))
    first = numpy.minimum(numpy.floor(places).astype(numpy.int64), size - 1)
    share = numpy.clip(places - first.astype(kind), kind(0), kind(1))
    return numpy.stack([first, numpy.minimum(first + 1, size - 1)], 1), numpy.stack([1 - share, share], 1)


def _near(x: Any, a: float) -> Any:
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _far(x: Any, a: float) -> Any:
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _cubic(size: int, made: int, scale: float | None, corners: bool, kind: Any) -> Taps:
    places = numpy.arange(made, dtype=kind)
    step, half = _step(size, made, scale, corners, kind), kind(0.5)
    places = places * step if corners else (places + half) * step - half
    first = numpy.floor(places)
    t, a = numpy.clip(places - first, kind(0), kind(1)), kind(-0.75)
    weights = [_far(t + 1, a), _near(t, a), _near(1 - t, a), _far(2 - t, a)]
    taps = first.astype(numpy.int64)[:, None] + numpy.arange(-1, 3)
    return numpy.clip(taps, 0, size - 1), numpy.stack(weights, 1)


# -- with all that lies under an element of a smaller image ----------------------------------------------------------


def _triangle(x: Any) -> Any:
    return numpy.maximum(1 - abs(x), 0)


def _smooth(x: Any) -> Any:
    x = abs(x)
    return numpy.where(x < 1, _near(x, -0.5), numpy.where(x < 2, _far(x, -0.5), 0))


def _lanczos(x: Any) -> Any:
    return numpy.where(abs(x) < 3, numpy.sinc(x) * numpy.sinc(x / 3), 0)


_FILTERS = {"bilinear": (_triangle, 1), "bicubic": (_smooth, 2), "lanczos": (_lanczos, 3)}


def _filtered(size: int, made: int, scale: float | None, corners: bool, mode: str, kind: Any) -> Taps:
    step = _step(size, made, scale, corners, kind)
    shape, reach = _FILTERS[mode]
    wide = kind(max(step, 1))
    center = (numpy.arange(made, dtype=kind) + kind(0.5)) * step
    support = kind(reach) * wide
    low = numpy.maximum((center - support + kind(0.5)).astype(numpy.int64), 0)
    high = numpy.minimum((center + support + kind(0.5)).astype(numpy.int64), size)
    taps = low[:, None] + numpy.arange(int((high - low).max()))
    weights = shape((taps - center[:, None] + kind(0.5)) / wide).astype(kind)
    weights = numpy.where(taps < high[:, None], weights, 0)
    return numpy.minimum(taps, size - 1), weights / weights.sum(1, keepdims=True)


# -- the sums -------------------------------------------------------------------------------------------------------


def _columns(like: Any, taps: Taps, d: int) -> Any:
    """The places of each tap as a tensor, and its shares, so that they broadcast along dimension `d`."""
    places, weights = taps
    shape = [-1 if axis == d else 1 for axis in range(like.ndim)]
    for k in range(places.shape[1]):
        index = like.new_tensor(places[:, k].tolist(), dtype=dtypes.int64)
        yield index, like.new_tensor(weights[:, k].tolist()).view(shape) if places.shape[1] > 1 else None


def _sums(input: Any, taps: Sequence[Taps], whole: bool) -> Any:
    """Each dimension but the first two in turn, the last one first; `whole` numbers are those of pictures."""
    for d in range(input.ndim - 1, 1, -1):
        parts = [(input.index_select(d, index), share) for index, share in _columns(input, taps[d - 2], d)]
        input = reduce(add, (part if share is None else part * share for part, share in parts))
        if whole:
            input = (input + 0.5).floor().clamp(0, 255)
    return input


def _sums_back(g: Any, c: Any) -> Any:
    for d in range(2, g.ndim):
        made = g.new_zeros([*g.shape[:d], c.input_face.size[d], *g.shape[d + 1 :]])
        for index, share in _columns(g, c.taps[d - 2], d):
            made = made.index_add(d, index, g if share is None else g * share)
        g = made
    return g


@op(namespace=FUNCTIONAL, derivative=Rule(lambda call: f"{call['kind']}Backward0", input=_sums_back))
def _resampled(input: Tensor, kind: str, taps: Any) -> Tensor:
    """The sums that the taps of each dimension say; `kind` is the name of PyTorch's node."""
    whole = input.dtype is dtypes.uint8 and any(places.shape[1] > 1 for places, _ in taps)
    wide = input.to(dtypes.float32) if input.dtype.itemsize == 2 or whole else input
    made = _sums(wide, taps, whole).to(input.dtype)
    stride = lying(input, made.shape)
    return made if made.stride() == stride else copied(made, stride, made.dtype)


# -- the call -------------------------------------------------------------------------------------------------------


def _wanted(input: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """The size, or a factor for each dimension; the other is None."""
    dims, inner = input.ndim - 2, list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given, word = (size, "output size of") if size is not None else (scale_factor, "scale_factor of shape")
    if not isinstance(given, (tuple, list)):
        given = [given] * dims
    elif len(given) != dims:
        first, short = ("output", "o") if size is not None else ("scale_factor", "s")
        named = "output size" if size is not None else "scale_factor"
        raise ValueError(
            f"Input and {first} must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {inner} and {word} {given}. Please provide input tensor in (N, C, d1, d2, ...,dK) format "
            f"and {named} in ({short}1, {short}2, ...,{short}K) format."
        )
    if size is not None and not all(hasattr(n, "__index__") and not isinstance(n, bool) for n in given):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types {[type(n) for n in given]}"
        )
    return (given, None) if size is not None else (None, given)


def _check_mode(input: Tensor, mode: str, antialias: bool) -> None:
    if antialias and not (mode in _FILTERS and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if input.ndim in _LINEAR and mode in ("nearest", "nearest-exact", "area", _LINEAR[input.ndim]):
        return
    if input.ndim == 4 and (mode == "bicubic" or (mode == "lanczos" and antialias)):
        return
    if input.ndim == 4 and mode == "lanczos":
        raise ValueError("lanczos mode requires antialias=True")
    needed = next((ndim for ndim, name in _LINEAR.items() if name == mode), None)
    if input.ndim in _LINEAR and needed is not None:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {_MODES} "
        f"(got {mode})"
    )


def _check_sizes(input: Tensor, size: Sequence[int], mode: str, antialias: bool) -> None:
    inner, letters = input.shape[2:], "DHW"[5 - input.ndim :]
    if min((*inner, *size)) <= 0:
        given, made = (
            ", ".join(f"{letter}: {n}" for letter, n in zip(letters, one, strict=True))
            for one in (inner, size)
        )
        joined = "and output" if input.ndim == 3 else "output"
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) {joined} ({made})"
        )
    if not input.shape[1]:
        raise RuntimeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    lacks = BUT_FLOATS if input.ndim != 4 and "linear" in mode else _BUT_PICTURES
    if input.dtype in ((*lacks, dtypes.float16, dtypes.bfloat16) if antialias else lacks):
        raise missing_kernel(_kernel(input, size, mode, antialias), input.dtype.label)


def _kernel(input: Tensor, size: Sequence[int], mode: str, antialias: bool) -> str:
    """PyTorch's name of what does it: by vectors, for a small result of two dimensions."""
    dims = input.ndim - 2
    if antialias:
        return "compute_index_ranges_weights"
    if dims == 2 and mode not in ("bicubic", "lanczos") and sum(size) <= _CHANNELS_LAST_UP_TO:
        return f"upsample_{mode.replace('-exact', '')}2d_channels_last"
    return f"compute_indices_weights_{'nearest' if 'nearest' in mode else 'linear' if 'linear' in mode else 'cubic'}"


def _node(input: Tensor, mode: str, antialias: bool) -> str:
    word = mode.title().replace("-", "")
    return f"Upsample{word}{input.ndim - 2}D{'Aa' if antialias else ''}"


def _taps(size: int, made: int, scale: Any, mode: str, corners: bool, antialias: bool, kind: Any) -> Taps:
    if antialias:
        return _filtered(size, made, scale, corners, mode, kind)
    if mode.startswith("nearest"):
        return _nearest(size, made, scale, mode != "nearest")
    return (_cubic if mode == "bicubic" else _linear)(size, made, scale, corners, kind)


@op(namespace=FUNCTIONAL, rounded=8)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images of another size: (n, channels, w), (n, channels, h, w) or (n, channels, d, h, w).

    Args:
        size: of the result; one number, or one for each dimension. scale_factor: or what the size is multiplied by.
        mode: "nearest" or "nearest-exact" for the nearest element; "linear", "bilinear" or "trilinear" by the number of
            dimensions, "bicubic" or "lanczos" for what lies between elements; "area" for averages.
        align_corners: whether the elements at the corners stay where they are, and not the corners of the image.
        recompute_scale_factor: whether the factor that counts is that of the rounded sizes.
        antialias: whether all that lies under an element of a smaller image counts, and not what is near its middle.

    >>> tk.nn.functional.interpolate(tk.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    made, factors = _wanted(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    inner = input.shape[2:]
    if made is None:
        made = [int(n * factor) for n, factor in zip(inner, factors, strict=True)]
    if recompute_scale_factor or mode == "area" or factors is None:
        factors = [None] * len(inner)
    _check_mode(input, mode, antialias)
    if mode == "area":
        pool = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[input.ndim - 3]
        return pool(input, tuple(made))
    made = [int(n) for n in made]
    _check_sizes(input, made, mode, antialias)
    kind = numpy.float64 if input.dtype is dtypes.float64 else numpy.float32
    taps = [
        _taps(n, m, factor, mode, bool(align_corners), antialias, kind)
        for n, m, factor in zip(inner, made, factors, strict=True)
    ]
    return _resampled(input, _node(input, mode, antialias), taps)
