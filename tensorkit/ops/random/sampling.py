"""Random draws whose parameters are tensors: ``multinomial``, ``poisson`` and ``normal``.

Which draw follows from a tensor has no derivative that would be a number: PyTorch's is zero, and so is ours.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.device import CPU, META, DeviceLike
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import check_writable, empty_strided, resize_out
from tensorkit.elementwise.promotion import check_castable, result_dtype
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.random.bernoulli import all_within, check_tensor, is_float, plain_like
from tensorkit.ops.random.draw import Drawing, draw, filled_out, give_size
from tensorkit.ops.random.inplace_distributions import (
    REAL,
    UNCOUNTED,
    check_generator,
    check_std,
    fill_normal,
)
from tensorkit.ops.shared.copy import copied, copy_into
from tensorkit.ops.shared.on_device import is_on_device, operand
from tensorkit.ops.shared.signature_parts import FACTORY, GENERATOR
from tensorkit.ops.shared.to import host_array
from tensorkit.random import Generator
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor

# -- choices ------------------------------------------------------------------------------------------------------


_MOST_CATEGORIES = 2**24


def _check_choice(input: Tensor, count: int, replacement: bool, out: Tensor | None) -> None:
    """Refuse what cannot be chosen from, in PyTorch's order."""
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out._dtype.label}")
    if input.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if input._dtype.name not in REAL:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input._dtype.label}"
        )
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > input.size(-1):
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if input.size(-1) > _MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")


def _check_weights(weights: Array) -> None:
    if not (all_within(weights, 0.0, numpy.inf) and bool(numpy.isfinite(weights).all())):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool(numpy.all(weights.sum(axis=-1, dtype=numpy.float64) > 0)):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _without_replacement(input: Tensor, count: int, generator: Generator) -> Tensor:
    """The largest of weight / exponential number: the heavier a category, the sooner it comes."""
    if not input.size(-1):
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if is_on_device(input):
        _check_weights_there(input)
    else:
        _check_weights(host_array(input))
    keys = empty_like(input)
    draw(keys, generator, random.fill_exponential)
    keys = input / keys
    chosen: Tensor = keys.argmax(-1, keepdim=True) if count == 1 else keys.topk(count)[1]
    return chosen


def _check_weights_there(weights: Any) -> None:
    if not bool((weights.isfinite() & (weights >= 0)).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool((weights.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _with_replacement_there(input: Any, count: int, generator: Generator | None) -> Tensor:
    rows = input if input.dim() == 2 else input.unsqueeze(0)
    _check_weights_there(rows)
    bounds = rows.to(dtypes.float64 if input._dtype is dtypes.float64 else dtypes.float32).cumsum(-1)
    bounds = bounds / bounds[:, -1:]
    bounds[:, -1] = 1
    units: Any = bounds.new_empty((rows.size(0), count))
    draw(units, generator, random.fill_uniform)
    chosen = (units.unsqueeze(-1) > bounds.unsqueeze(-2)).sum(-1)
    return chosen if input.dim() == 2 else chosen[0].clone()  # type: ignore[no-any-return]


def _with_replacement(input: Tensor, count: int, generator: Generator) -> Tensor:
    """For each draw the category in whose part of [0, 1] a uniform number falls."""
    if is_on_device(input):
        return _with_replacement_there(input, count, generator)
    rows = numpy.atleast_2d(host_array(input))
    _check_rows(rows)
    kind = numpy.float64 if input._dtype is dtypes.float64 else numpy.float32
    bounds = numpy.add.accumulate(rows.astype(kind), axis=-1, dtype=kind)
    bounds /= bounds[:, -1:].copy()
    bounds[:, -1] = 1
    units = random.uniform_numbers(len(rows) * count, generator).reshape(len(rows), count)
    chosen = empty_strided((len(rows), count), (count, 1), dtypes.int64, CPU)
    for row, (ends, numbers) in enumerate(zip(bounds.astype(numpy.float64), units, strict=True)):
        chosen._nd()[row] = numpy.searchsorted(ends, numbers)
    return chosen if input.dim() == 2 else chosen[0].clone()


def _check_rows(rows: Array) -> None:
    """Refuse rows with a negative, infinite or nan weight; the first one is named."""
    negative = ~quiet(numpy.greater_equal, rows, 0)  # and nan
    wrong = numpy.flatnonzero(negative | ~numpy.isfinite(rows))
    if wrong.size:
        kind = "< 0" if negative.reshape(-1)[wrong[0]] else "= infinity or NaN"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {kind})")
    if not bool(numpy.all(rows.any(axis=-1))):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


@op(strict=True, kind="copy", out_recording="silent")
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices of categories, each drawn as often as its weight says.

    Args:
        input: weights that need not sum to 1: (categories,) or (rows, categories), each row for itself.
        num_samples: how many to draw. replacement: whether one category can be drawn several times.
        generator: where the numbers come from; the default generator if not given.
        out: an int64 tensor to write into.

    Returns:
        int64, of size (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: for weights that are negative, not finite or all zero, and for more draws than categories.

    >>> _ = tk.manual_seed(0)
    >>> tk.multinomial(tk.tensor([0.0, 10.0, 3.0, 0.0]), 4, replacement=True)
    tensor([2, 1, 1, 2])
    """
    check_generator("multinomial", generator)
    count = int(num_samples.__index__())
    rows = tuple(input._lay().size)[:-1]
    if input._device == META:
        size = (*rows, count)
        if count < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {count}: {list(size)}")
        return empty_strided(size, contiguous_stride(size), dtypes.int64, META)
    _check_choice(input, count, replacement, out)
    if out is not None:
        check_writable(out)
    source = random.default_of(input._device) if generator is None else generator
    if not input.numel() and input.size(-1):
        size = (*rows, count)
        chosen = empty_strided(size, contiguous_stride(size), dtypes.int64, CPU)
    elif replacement and count > 1:
        chosen = _with_replacement(input.detach(), count, source)
    else:
        chosen = _without_replacement(input.detach(), count, source)
    if out is None:
        return chosen
    copy_into(give_size(out, chosen.size()), chosen)
    out._bump()
    return out


# -- draws whose parameters are tensors ---------------------------------------------------------------------------


@op(kind="copy", methods=(), derivative=Rule("PoissonBackward0", input=lambda g, c: g.new_zeros(g.size())))
@takes("(Tensor input, tensorkit.Generator generator = None)")
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers of events that happen independently, `input` of them on average.

    Args:
        input: rates, not negative, of a real floating point dtype. Draws agree with PyTorch's for rates below 1e9; on
            CUDA devices they are of the same distribution, and other numbers than PyTorch's.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a negative rate. NotImplementedError: for dtypes that are not real floating point.

    >>> _ = tk.manual_seed(0)
    >>> tk.poisson(tk.tensor([0.5, 5.0, 50.0]))
    tensor([ 2.,  6., 49.])
    """
    check_tensor("poisson", input)
    if generator is not None:
        check_generator("poisson", generator, 2)
    made = plain_like(input)
    if input._device == META:
        return made
    if input._dtype.name not in REAL:
        raise missing_kernel("poisson_cpu", input._dtype.label)
    if is_on_device(input):
        return _counts_on_device(made, generator, input)
    rates = host_array(input.detach())
    if not all_within(rates, 0.0, numpy.inf):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return draw(made, generator, Drawing(random.fill_poisson, rates))


def _counts_on_device(made: Tensor, generator: Generator | None, input: Tensor) -> Tensor:
    """Draw by the kit's kernel, as float64; a wrong rate is reported when the device is synchronised."""
    if generator is not None and generator.device.type != made._device.type:
        raise RuntimeError(
            f"Expected a '{made._device.type}' device type for generator but found '{generator.device.type}'"
        )
    size = made._lay().size
    stride = contiguous_stride(size)
    rates = copied(resolved(input.detach()), stride, dtypes.float64)
    counts = empty_strided(size, stride, dtypes.float64, made._device)
    source = random.default_of(made._device) if generator is None else generator
    seed, offset = source.take_steps(cuda.philox.STEPS)
    out, given = (operand(tensor)._replace(stride=(1,)) for tensor in (counts, rates))
    cuda.philox.draw_counts(out, given, counts.numel(), seed, offset)
    copy_into(made, counts)
    return made


_NORMAL_FORMS = (
    "Tensor mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None",
    "Tensor mean, float std = 1, *, tensorkit.Generator generator = None, Tensor out = None",
    "float mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None",
    "float mean, float std, tuple of ints size, *, tensorkit.Generator generator = None, Tensor out = None, "
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory = False, bool requires_grad = False",
)


def _check_call(arguments: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse a call that fits none of the four forms."""
    mean, std, size = (arguments[name] for name in ("mean", "std", "size"))
    given = {key: value for key, value in options.items() if value is not None}
    sized = set(given) <= {"generator", "out", "dtype", "device"}
    if size is not None:
        good = is_float(mean) and is_float(std) and isinstance(size, (tuple, list)) and sized
    else:
        std = 1 if std is None and isinstance(mean, Tensor) else std
        tensors = isinstance(mean, Tensor), isinstance(std, Tensor)
        good = any(tensors) and all(
            is_tensor or is_float(value) for is_tensor, value in zip(tensors, (mean, std), strict=True)
        )
        good = good and set(given) <= {"generator", "out"}
    if not good or not isinstance(options["generator"], Generator | None):
        written = [value for value in arguments.values() if value is not None]
        if is_float(mean) and std is None and size is None and not given:
            kind = type_name(mean)
            raise TypeError(f"normal(): argument 'mean' (position 1) must be Tensor, not {kind}")
        raise unmatched("normal", written, given, _NORMAL_FORMS)


def _spread(mean: Any, std: Any, out: Tensor | None) -> Tensor:
    """The tensor to draw into, for parameters of which one or both are tensors."""
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if std.numel() and std._device != META and not std.detach().min() >= 0:
            raise RuntimeError("normal expects all elements of std >= 0.0")
    first = mean if isinstance(mean, Tensor) else std
    size = tuple(first._lay().size)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        size = tuple(broadcast_sizes(size, std._lay().size))
    if out is None:
        return plain_like(first, size)
    # Beside a number as std PyTorch broadcasts with what the output held before.
    resize_out(out, size if isinstance(std, Tensor) else tuple(broadcast_sizes(size, out._lay().size)))
    return out


def _normal_name(arguments: dict[str, Any]) -> str:
    by_mean, by_std = (isinstance(arguments[name], Tensor) for name in ("mean", "std"))
    mean, std = arguments["mean"], arguments["std"]
    fits = not std.is_complex() if by_std else std is None or (isinstance(std, (int, float)) and not std < 0)
    if fits and by_mean and mean.is_complex():
        raise RuntimeError(
            "normal does not support automatic differentiation for outputs with complex dtype."
        )
    return f"NormalBackward{by_mean + 2 * by_std}"


@op(
    kind="copy",
    methods=(),
    grad_flag=True,
    rounded=1,  # sums and products of complex numbers
    derivative=Rule(
        _normal_name,
        mean=lambda g, c: g.new_zeros(c.mean_face.size),
        std=lambda g, c: g.new_zeros(c.std_face.size),
    ),
)
@takes(
    "(Tensor mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None)",
    "(Tensor mean, float std = 1, *, tensorkit.Generator generator = None, Tensor out = None)",
    "(float mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None)",
    f"(float mean, float std, tuple of ints size, *, {GENERATOR} = None, Tensor out = None, {FACTORY})",
)
def normal(
    mean: Any = None,
    std: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """Normally distributed numbers, each with its own mean, its own standard deviation, or both; or `size` of them.

    Args:
        mean, std: a number or a tensor each; two tensors are broadcast, and the result has the dtype of `mean`.
        size: the size of the result; only with two numbers, and so are `dtype` and `device`.
        generator: where the numbers come from; the default generator if not given.
        out: a tensor to write into.

    Raises:
        RuntimeError: for a negative std. NotImplementedError: for integers and bool.

    >>> _ = tk.manual_seed(0)
    >>> tk.normal(tk.tensor([0.0, 10.0, 20.0]), 0.5)
    tensor([ 0.7705,  9.8533, 18.9106])
    >>> tk.normal(0, 1, (2,))
    tensor([ 0.5684, -1.0845])
    """
    options = {"generator": generator, "out": out, "dtype": dtype, "device": device}
    _check_call({"mean": mean, "std": std, "size": size}, options)
    version = 0 if out is None else out._version
    try:
        made = _drawn(mean, std, size, generator, out, dtype, device)
    except Exception:
        if out is not None:
            _counted(out, version)
        raise
    return _counted(made, version + (out is not None))


def _drawn(
    mean: Any, std: Any, size: Any, generator: Any, out: Tensor | None, dtype: Any, device: Any
) -> Tensor:
    """The numbers, by as many writes as it takes."""
    if size is not None:
        made = (
            empty(size, dtype=dtype, device=device) if out is None else filled_out(out, size, dtype, device)
        )
        return fill_normal(made, generator, float(mean), float(std))
    constant = 1.0 if isinstance(std, Tensor) else float(1 if std is None else std)
    check_std(mean if isinstance(mean, Tensor) else std, constant)
    made = _spread(mean, std, out)
    if isinstance(mean, Tensor) and made._dtype.category == 2:  # said before anything is drawn or written
        check_castable(result_dtype(made, mean), made._dtype)
    made = fill_normal(made, generator, 0.0, constant)
    if isinstance(std, Tensor):
        made.mul_(std.detach())
    if isinstance(mean, Tensor):
        made.add_(mean.detach())
    elif made._dtype.category >= 2:
        made.add_(float(mean))
    else:  # integers get as far as this only where there are none
        _check_sum(made)
    return made


def _check_sum(made: Tensor) -> None:
    if made._dtype.name in UNCOUNTED:
        raise missing_kernel("add_stub", made._dtype.label)


def _counted(made: Tensor, version: int) -> Tensor:
    """The tensor with one version, however many writes there were; that of a refused call was there before."""
    if made._counter is not None:
        made._counter[0] = version
    return made
