"""Random draws whose parameters are tensors: ``bernoulli``, ``multinomial``, ``poisson`` and ``normal``.

Which draw follows from a tensor has no derivative that would be a number: PyTorch's is zero, and so is ours.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META, DeviceLike
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import check_writable, empty_strided, resize_out
from tensorkit.elementwise.promotion import check_castable, result_dtype
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.random.draw import draw, filled_out, give_size
from tensorkit.ops.random.inplace_distributions import (
    REAL,
    UNCOUNTED,
    check_counts,
    check_generator,
    check_std,
    fill_normal,
)
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.signature_parts import FACTORY, GENERATOR
from tensorkit.ops.shared.to import host_array
from tensorkit.random import Generator
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor

__all__ = ["bernoulli", "multinomial", "normal", "poisson"]

_SEEDED = "generator=tk.Generator().manual_seed(3)"
_TO_ASSERT = (
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


def _plain(input: Tensor, size: tuple[int, ...] | None = None) -> Tensor:
    """A row-major tensor of a size, or of the input's, with its dtype and device."""
    size = tuple(input._lay().size) if size is None else size
    return empty_strided(size, contiguous_stride(size), input._dtype, input._device)


# -- chances ------------------------------------------------------------------------------------------------------


_BERNOULLI_FORMS = (
    "Tensor input, *, tensorkit.Generator generator = None, Tensor out = None",
    "Tensor input, float p, *, tensorkit.Generator generator = None",
)
_BERNOULLI_IN_PLACE = (
    "Tensor p, *, tensorkit.Generator generator = None",
    "float p = 0.5, *, tensorkit.Generator generator = None",
)


def _flip_coins(input: Tensor, p: Any, generator: Generator | None, given: bool = True) -> Tensor:
    """Fill with ones and zeros; `p` is a number or a tensor."""
    if isinstance(p, Tensor):
        check_writable(input)
        return _flip_each(input, p, generator, given)
    if not 0.0 <= p <= 1.0 and input._device == CPU:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    check_writable(input)
    check_counts("bernoulli_scalar_cpu_", input, UNCOUNTED)
    return draw(input, generator, lambda out, source: random.fill_bernoulli(out, source, p), given)


def _flip_each(input: Tensor, p: Tensor, generator: Generator | None, given: bool) -> Tensor:
    if input._device == META or p._device == META or not input.numel():
        return draw(input, generator, lambda out, source: None, given)
    check_counts("bernoulli_tensor_cpu_self_", input, UNCOUNTED)
    spread = p.expand(input.size())
    if p._dtype.name not in REAL and input.numel():
        raise missing_kernel("bernoulli_tensor_cpu_p_", p._dtype.label)
    chances = host_array(spread)
    if not _all_within(chances, 0.0, 1.0):
        raise RuntimeError(f"Expected p_in >= 0 && p_in <= 1 to be true, but got false.  {_TO_ASSERT}")
    return draw(input, generator, lambda out, source: random.fill_bernoulli(out, source, chances), given)


def _all_within(numbers: Array, low: float, high: float) -> bool:
    """Whether all numbers are in a closed interval; what is no number is not."""
    inside = quiet(numpy.greater_equal, numbers, low) & quiet(numpy.less_equal, numbers, high)
    return bool(inside.all())


def _is_float(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad and value._dtype.category < 3
    return isinstance(value, (bool, int, float, numpy.number, numpy.bool_))


def _bernoulli_back(g: Any, c: Any) -> Any:
    if c.name() == "NotImplemented":
        raise RuntimeError("derivative for aten::bernoulli is not implemented")
    return g.new_zeros(g.size())


def _bernoulli_name(arguments: dict[str, Any]) -> str:
    return "NotImplemented" if arguments.get("chance") or "p" in arguments else "BernoulliBackward0"


@op(
    samples=(
        sample(f"tk.bernoulli(a.clamp(0, 1), {_SEEDED})", a=(2, 3)),
        sample(f"tk.bernoulli(a, 0.5, {_SEEDED})", a=(4, 5)),
        sample(f"a.bernoulli(p=0.25, {_SEEDED})", a=(2, 3)),
        sample(f"tk.bernoulli(tk.rand(2, 3, {_SEEDED}), out=a.float().detach(), {_SEEDED})", a=(2, 3)),
        sample(f"tk.rand(2, 3, {_SEEDED}).t().bernoulli({_SEEDED})"),
        sample("tk.bernoulli(a * 0)", a=(2,)),
        sample("tk.bernoulli(a, 2)", a=(2,)),
        sample("tk.bernoulli(a, 'x')", a=(2,)),
        sample("tk.bernoulli(a, q=1)", a=(2,)),
        sample("tk.bernoulli(3)"),
    ),
    kind="copy",
    derivative=Rule(_bernoulli_name, input=lambda g, c: _bernoulli_back(g, c)),
    out_error="aten::bernoulli",
)
@takes(
    "(Tensor input, *, tensorkit.Generator generator = None, Tensor out = None)",
    "(Tensor input, float p, *, tensorkit.Generator generator = None)",
)
def bernoulli(
    input: Tensor,
    *chance: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    **keyword: Any,
) -> Tensor:
    """Ones and zeros: one as often as `input` says, element by element, or as often as a number `p` says.

    Args:
        input: probabilities, of a real floating point dtype; with `p` any tensor, for its size and dtype.
        p: one probability for all. out: a tensor to draw into.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a probability that is not between 0 and 1.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.bernoulli(tk.tensor([0.0, 0.5, 0.5, 1.0]))
    tensor([0., 0., 1., 1.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.bernoulli.html
    """
    p = _one_chance(input, chance, keyword, generator, out)
    if out is not None:
        give_size(out, input.size())
        return _flip_coins(out, input, generator)
    return _flip_coins(_plain(input), input.detach() if p is None else p, generator, given=False)


def _one_chance(
    input: Any, chance: tuple[Any, ...], keyword: dict[str, Any], generator: Any, out: Any
) -> Any:
    """The `p` of a call of ``bernoulli``; None where the tensor holds the probabilities."""
    named = keyword | {
        key: value for key, value in (("generator", generator), ("out", out)) if value is not None
    }
    refused = unmatched("bernoulli", (input, *chance), named, _BERNOULLI_FORMS)
    _check_tensor("bernoulli", input)
    given = [*chance, *keyword.values()]
    if len(given) > 1 or set(keyword) - {"p"} or (given and not _is_float(given[0])):
        raise refused
    if (given and out is not None) or not isinstance(generator, Generator | None):
        raise refused
    return float(given[0]) if given else None


def _check_tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _bernoulli_fill_name(arguments: dict[str, Any]) -> str:
    return "BernoulliBackward1" if isinstance(arguments["p"], Tensor) else "BernoulliBackward2"


@op(
    samples=(
        sample(f"a.bernoulli_({_SEEDED})", a=(2, 3)),
        sample(f"a.bernoulli_(0.2, {_SEEDED})", a=(5, 7)),
        sample(f"a.bernoulli_(b.clamp(0, 1), {_SEEDED})", a=(2, 3), b=(3,)),
        sample(f"a.bernoulli_(tk.tensor(0.7, dtype=tk.float64), {_SEEDED})", a=(2, 3)),
        sample(f"a.bernoulli_(b, {_SEEDED})", a=(3,), b=(2,)),
        sample("a.bernoulli_(p=1)", a=(3,)),
        sample("a.bernoulli_(-1)", a=(3,)),
        sample("a.bernoulli_('x')", a=(3,)),
    ),
    kind="inplace",
    function=False,
    derivative=Rule(
        _bernoulli_fill_name,
        input=lambda g, c: g.new_zeros(g.size()),
        p=lambda g, c: g.new_zeros(c.p_face.size),
    ),
)
@takes(method=(f"(Tensor p, *, {GENERATOR} = None)", f"(float p = 0.5, *, {GENERATOR} = None)"))
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones and zeros: one as often as `p` says.

    Args:
        p: a number, or a tensor of probabilities that can be broadcast.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a probability that is not between 0 and 1.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(4).bernoulli_(0.5)
    tensor([0., 0., 1., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.bernoulli_.html
    """
    if not isinstance(p, Tensor) and not _is_float(p):
        raise unmatched("bernoulli_", (p,), {}, _BERNOULLI_IN_PLACE)
    check_generator("bernoulli_", generator)
    return _flip_coins(input, p if isinstance(p, Tensor) else float(p), generator)


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
    if not (_all_within(weights, 0.0, numpy.inf) and bool(numpy.isfinite(weights).all())):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool(numpy.all(weights.sum(axis=-1, dtype=numpy.float64) > 0)):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _without_replacement(input: Tensor, count: int, generator: Generator) -> Tensor:
    """The largest of weight / exponential number: the heavier a category, the sooner it comes."""
    if not input.size(-1):
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    _check_weights(host_array(input))
    keys = empty_like(input)
    random.fill_exponential(keys._nd(), generator)
    keys = input / keys
    chosen: Tensor = keys.argmax(-1, keepdim=True) if count == 1 else keys.topk(count)[1]
    return chosen


def _with_replacement(input: Tensor, count: int, generator: Generator) -> Tensor:
    """For each draw the category in whose part of [0, 1] a uniform number falls."""
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
    """Refuse weights that are none: the first of them says why."""
    negative = ~quiet(numpy.greater_equal, rows, 0)  # and what is no number
    wrong = numpy.flatnonzero(negative | ~numpy.isfinite(rows))
    if wrong.size:
        kind = "< 0" if negative.reshape(-1)[wrong[0]] else "= infinity or NaN"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {kind})")
    if not bool(numpy.all(rows.any(axis=-1))):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


@op(
    strict=True,
    samples=(
        sample(f"tk.multinomial(a.abs() + 1, 2, {_SEEDED})", a=(5,)),
        sample(f"tk.multinomial(a.abs(), 1, {_SEEDED})", a=(3, 4)),
        sample(f"a.abs().multinomial(4, {_SEEDED})", a=(3, 4)),
        sample(f"tk.multinomial(a.abs() + 1, 9, True, {_SEEDED})", a=(4, 5)),
        sample(f"tk.multinomial(a.abs() + 1, num_samples=9, replacement=True, {_SEEDED})", a=(7,)),
        sample(f"tk.multinomial(tk.ones(3), 2, out=a, {_SEEDED})", a=(2,)),
        sample(f"tk.multinomial(a, 1, {_SEEDED})", a=(3,)),
        sample(f"tk.multinomial(a, 2, replacement=True, {_SEEDED})", a=(3,)),
        sample("tk.multinomial(a, 4)", a=(2, 3)),
        sample("tk.multinomial(a, 0)", a=(3,)),
        sample("tk.multinomial(a, 1)", a=(2, 2, 2)),
        sample("tk.multinomial(a * 0, 2, True)", a=(3,)),
        sample("tk.multinomial(a, 2.5)", a=(3,)),
        sample("tk.multinomial(a)", a=(3,)),
    ),
    kind="copy",
    out_recording="silent",
)
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

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.multinomial(tk.tensor([0.0, 10.0, 3.0, 0.0]), 4, replacement=True)
    tensor([2, 1, 1, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.multinomial.html
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
    source = random.default_generator if generator is None else generator
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


@op(
    samples=(
        sample(f"tk.poisson(a.abs(), {_SEEDED})", a=(2, 3)),
        sample(f"tk.poisson(a.abs() * 10, {_SEEDED})", a=(5, 7)),
        sample(f"tk.poisson(a * 0, {_SEEDED})", a=(3,)),
        sample(f"tk.poisson(a, {_SEEDED})", a=(3,)),
        sample("tk.poisson(3)"),
        sample("tk.poisson(a, 3)", a=(3,)),
    ),
    kind="copy",
    methods=(),
    derivative=Rule("PoissonBackward0", input=lambda g, c: g.new_zeros(g.size())),
)
@takes("(Tensor input, tensorkit.Generator generator = None)")
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers of events that happen independently, `input` of them on average.

    Args:
        input: rates, not negative, of a real floating point dtype. Draws agree with PyTorch's for rates below 1e9.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a negative rate. NotImplementedError: for dtypes that are not real floating point.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.poisson(tk.tensor([0.5, 5.0, 50.0]))
    tensor([ 2.,  6., 49.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.poisson.html
    """
    _check_tensor("poisson", input)
    if generator is not None:
        check_generator("poisson", generator, 2)
    made = _plain(input)
    if input._device == META:
        return made
    if input._dtype.name not in REAL:
        raise missing_kernel("poisson_cpu", input._dtype.label)
    rates = host_array(input.detach())
    if not _all_within(rates, 0.0, numpy.inf):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return draw(made, generator, lambda out, source: random.fill_poisson(out, source, rates))


_NORMAL_FORMS = (
    "Tensor mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None",
    "Tensor mean, float std = 1, *, tensorkit.Generator generator = None, Tensor out = None",
    "float mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None",
    "float mean, float std, tuple of ints size, *, tensorkit.Generator generator = None, Tensor out = None, "
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory = False, bool requires_grad = False",
)


def _check_call(arguments: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse a call that is none of the four forms."""
    mean, std, size = (arguments[name] for name in ("mean", "std", "size"))
    given = {key: value for key, value in options.items() if value is not None}
    sized = set(given) <= {"generator", "out", "dtype", "device"}
    if size is not None:
        good = _is_float(mean) and _is_float(std) and isinstance(size, (tuple, list)) and sized
    else:
        std = 1 if std is None and isinstance(mean, Tensor) else std
        tensors = isinstance(mean, Tensor), isinstance(std, Tensor)
        good = any(tensors) and all(
            is_tensor or _is_float(value) for is_tensor, value in zip(tensors, (mean, std), strict=True)
        )
        good = good and set(given) <= {"generator", "out"}
    if not good or not isinstance(options["generator"], Generator | None):
        written = [value for value in arguments.values() if value is not None]
        if _is_float(mean) and std is None and size is None and not given:
            kind = type_name(mean)
            raise TypeError(f"normal(): argument 'mean' (position 1) must be Tensor, not {kind}")
        raise unmatched("normal", written, given, _NORMAL_FORMS)


def _spread(mean: Any, std: Any, out: Tensor | None) -> Tensor:
    """The tensor to draw into, for parameters of which one or both are tensors."""
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if std.numel() and std._device == CPU and not std.detach().min() >= 0:
            raise RuntimeError("normal expects all elements of std >= 0.0")
    first = mean if isinstance(mean, Tensor) else std
    size = tuple(first._lay().size)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        size = tuple(broadcast_sizes(size, std._lay().size))
    if out is None:
        return _plain(first, size)
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
    samples=(
        sample(f"tk.normal(a, b.abs(), {_SEEDED})", a=(2, 3), b=(3,)),
        sample(f"tk.normal(a, 2, {_SEEDED})", a=(5, 7)),
        sample(f"tk.normal(a, {_SEEDED})", a=(2, 3)),
        sample(f"tk.normal(1.5, a.abs(), {_SEEDED})", a=(4, 5)),
        sample(f"tk.normal(1, 2, (3, 6), {_SEEDED})"),
        sample(f"tk.normal(1, 2, size=(3,), dtype=tk.float64, {_SEEDED})"),
        sample(f"tk.normal(1, 2, [3], requires_grad=True, {_SEEDED})"),
        sample(f"tk.normal(b, a.abs(), out=a, {_SEEDED})", a=(4,), b=(4,)),
        sample(f"tk.normal(a, b, {_SEEDED})", a=(2, 3), b=(2,)),
        sample("tk.normal(a, -1)", a=(2,)),
        sample("tk.normal(1, -1, (2,))"),
        sample(f"tk.normal(1, a, {_SEEDED})", a=(2,)),
        sample("tk.normal(2.0)"),
        sample("tk.normal(2.0, 3.0)"),
        sample("tk.normal(a, 'x')", a=(2,)),
        sample("tk.normal(1, 1, (2,), dtype=tk.int64)"),
    ),
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

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.normal(tk.tensor([0.0, 10.0, 20.0]), 0.5)
    tensor([ 0.7705,  9.8533, 18.9106])
    >>> tk.normal(0, 1, (2,))
    tensor([ 0.5684, -1.0845])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.normal.html
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
