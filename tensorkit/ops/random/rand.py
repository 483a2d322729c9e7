"""Tensors of random numbers: ``rand``, ``randn``, ``randint``, ``randperm`` and their ``_like`` forms.

Each makes the tensor, checks what PyTorch checks, in PyTorch's order, and hands its memory to a fill of
`tensorkit.random`, where the numbers come from. The calls that can be read in several ways (``randint`` with
two or three arguments) are told apart here.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.conj_bit import resolved
from tensorkit.device import CPU, META, DeviceLike, default_chosen, device, resolve
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.errors import MissingKernelError
from tensorkit.ops.creation.factories import empty, empty_like, quick_size
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.resize import resize_
from tensorkit.ops.shared.to import as_dtype, host_array
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.random import Generator
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "check_range",
    "draw",
    "filled_out",
    "give_size",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random_bounds",
    "randperm",
]

Fill = Callable[[Array, Generator], None]
_SEEDED = "generator=tk.Generator().manual_seed(3)"
_DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}


def _state_array(state: Any) -> Any:
    return host_array(state) if isinstance(state, Tensor) else state


random.register_state_tensor(lambda state: fresh(state, dtypes.uint8), _state_array)


# -- what a call means --------------------------------------------------------------------------------------

_OPTIONS = (
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)


class _Call:
    """One call of a random operation, kept for the error that says which calls there are."""

    def __init__(self, name: str, forms: Sequence[str], args: tuple[Any, ...], **named: Any) -> None:
        self.name, self.forms, self.args = name, forms, args
        self.named = {key: value for key, value in named.items() if value is not None}

    def refused(self) -> TypeError:
        """PyTorch's list of all forms of the operation."""
        given = [type_name(value) for value in self.args]
        given += [f"{key}={type_name(value)}" for key, value in self.named.items()]
        like = self.name.endswith("_like")
        extra = "tensorkit.memory_format memory_format = None, " if like else "Tensor out = None, "
        lines = [
            f" * ({form}, *, {generator}{extra}{_OPTIONS})\n"
            for form in self.forms
            for generator in ("tensorkit.Generator generator, ", "")
        ]
        return TypeError(
            f"{self.name}() received an invalid combination of arguments - got ({', '.join(given)}), "
            f"but expected one of:\n{''.join(lines)}"
        )

    def check_options(self, known: Sequence[str] = ()) -> None:
        """Refuse keywords that no form has, and values of the wrong type for those that all have."""
        types: dict[str, tuple[type, ...]] = {
            "generator": (Generator,),
            "out": (Tensor,),
            "dtype": (dtype, type),
            "device": (str, int, device),
        }
        for key, value in self.named.items():
            if key not in known and key != "memory_format" and not isinstance(value, types.get(key, ())):
                raise self.refused()

    def integer(self, value: Any) -> int:
        """An int64, given as an integer or as a tensor that holds one."""
        number = value.__index__()
        if not -(2**63) <= number < 2**63:
            raise ValueError("Overflow when unpacking long long")
        return int(number)

    def size(self, given: Any, position: int | None) -> tuple[int, ...]:
        """A size given as one argument; `position` is None for a keyword."""
        if not isinstance(given, (tuple, list)):
            where = "" if position is None else f" (position {position})"
            raise TypeError(
                f"{self.name}(): argument 'size'{where} must be tuple of ints, not {type_name(given)}"
            )
        return as_ints((given,), self.name, position=position or 1)

    def bind(self, *orders: tuple[str, ...]) -> dict[str, Any]:
        """The arguments by name, for the one order of names that they fill exactly."""
        known = {name for names in orders for name in names}
        keywords = {key: value for key, value in self.named.items() if key in known}
        for names in orders:
            bound = dict(zip(names, self.args, strict=False)) | keywords
            if bound.keys() == set(names) and len(self.args) + len(keywords) == len(names):
                return bound
        raise self.refused()


def _held(high: Tensor) -> int:
    """The end of a range that a tensor holds."""
    if high.dim() or high._device.type == "cuda":
        raise RuntimeError("high must be a scalar tensor and on CPU")
    value = high.item()
    if isinstance(value, complex) or not math.isfinite(value):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return int(value)


def _is_integer(value: Any) -> bool:
    return not isinstance(value, (bool, float)) and hasattr(value, "__index__")


# -- making and filling -------------------------------------------------------------------------------------


def _make(size: tuple[int, ...], default: dtype, options: _Call) -> Tensor:
    """The tensor to fill: a new one, or `out` given that size."""
    kind, where, out = (options.named.get(key) for key in ("dtype", "device", "out"))
    if out is None:
        return empty(size, dtype=default if kind is None else kind, device=where)
    return filled_out(out, size, kind, where)


def filled_out(out: Tensor, size: Any, kind: Any, where: Any) -> Tensor:
    """An ``out=`` tensor that is of the dtype and on the device asked for, if any were, in the size of a draw."""
    if kind is not None and as_dtype(kind) is not out._dtype:
        asked, held = as_dtype(kind).label, out._dtype.label
        raise RuntimeError(f"dtype {asked} does not match dtype of out parameter ({held})")
    if where is not None and resolve(where) != out._device:
        raise RuntimeError(
            f"device type {resolve(where).type} does not match "
            f"device type of out parameter ({out._device.type})"
        )
    return give_size(out, size)


def give_size(out: Tensor, size: Any) -> Tensor:
    """An ``out=`` tensor in the size of a draw, without a warning, and without a step of its version."""
    version = out._version
    resize_(out, size)
    if out._counter is not None:
        out._counter[0] = version
    return out


def draw(tensor: Tensor, generator: Generator | None, fill: Fill, given: bool = False) -> Tensor:
    """Draw into the tensor's own memory; `given` for one that somebody knows already: its version goes up."""
    if tensor._device == META:
        if given:
            tensor._bump()
        return tensor
    if tensor._device != CPU:
        raise MissingKernelError(
            f"Could not draw random numbers on the '{tensor._device.type.upper()}' backend: tensorkit draws "
            "them on the CPU.\nDraw there, then move the tensor: tk.rand(2, 3).to('cuda')."
        )
    if tensor.numel():
        plain = resolved(tensor)
        fill(plain._nd(), random.default_generator if generator is None else generator)
        if plain is not tensor:
            copy_into(tensor, plain)
    if given:
        tensor._bump()
    return tensor


def _uniform(tensor: Tensor, generator: Generator | None, given: bool = False) -> Tensor:
    if tensor._device == CPU:
        if tensor._dtype.category < 2:
            raise missing_kernel("check_uniform_bounds", tensor._dtype.label)
        if given:
            check_writable(tensor)
    return draw(tensor, generator, random.fill_uniform, given)


def _normal(tensor: Tensor, generator: Generator | None, given: bool = False) -> Tensor:
    if tensor._dtype.category < 2:
        if tensor._device == META:
            raise RuntimeError(f"expected a floating-point or complex dtype, but got dtype={tensor._dtype}")
        if tensor.numel():
            raise missing_kernel("normal_kernel_cpu", tensor._dtype.label)
        if given:
            tensor._bump()
        return tensor
    if given and tensor._device == CPU:
        check_writable(tensor)
    return draw(tensor, generator, random.fill_normal, given)


def _integers(
    tensor: Tensor, low: int, high: int, generator: Generator | None, given: bool = False
) -> Tensor:
    check_range(low, high)
    if tensor._device == CPU:
        low, high = random_bounds(low, high, tensor._dtype)
        if given:
            check_writable(tensor)
    return draw(tensor, generator, lambda out, source: random.fill_integers(out, source, low, high), given)


def check_range(low: int, high: int) -> None:
    """Refuse a range without a number in it."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")


def random_bounds(low: int, high: int, kind: dtype) -> tuple[int, int]:
    """The bounds that a dtype can keep, or PyTorch's word on why it cannot."""
    if kind.is_floating_point:
        low, high = _rounded_bounds(low, high, kind)
    if kind.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    c_name = cpp_name(kind)
    least, most = _limits(kind)
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {c_name}")
    for name, value in (("from", low), ("to - 1", high - 1)):
        digits = _DIGITS.get(kind, 64)
        if abs(value) > 2**digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {c_name} "
                "can support discrete uniform distribution only within this range. This warning will become "
                "an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=6,
            )
    return low, high


def _limits(kind: dtype) -> tuple[float, float]:
    if kind is dtypes.bool:
        return 0, 1
    if kind.category == 1:
        whole = numpy.iinfo(kind.numpy)
        return int(whole.min), int(whole.max)
    most = {
        dtypes.float16: 65504.0,
        dtypes.bfloat16: 3.3895313892515355e38,
        dtypes.float32: 3.4028234663852886e38,
    }
    return -most.get(kind, 1.7976931348623157e308), most.get(kind, 1.7976931348623157e308)


def _rounded_bounds(low: int, high: int, kind: dtype) -> tuple[int, int]:
    """Bounds drawn in, so that no number between them is rounded out of [low, high)."""

    def through(value: int) -> int:
        # As a processor converts: what does not fit an int64 becomes the least one.
        with numpy.errstate(over="ignore"):
            rounded = float(numpy.float32(value).astype(kind.numpy)) if kind.itemsize < 8 else float(value)
        return int(rounded) if -(2.0**63) <= rounded < 2.0**63 else -(2**63)

    def spacing(value: int) -> int:
        return 1 << max(abs(value).bit_length() - _DIGITS[kind], 0)

    first, last = through(low + 1), through(high - 1)
    if first < low:
        low = first + spacing(low + 1)
    if last >= high:
        high = last - spacing(high - 1)
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
            f"but got from={low} >= to={high}"
        )
    return low, high


# -- the operations -----------------------------------------------------------------------------------------


_Few = Callable[[int, numpy.dtype[Any], Generator], Array]


def _few(size: tuple[Any, ...], draw_few: _Few, fill_some: Fill) -> Tensor | None:
    """A few numbers from the default generator, where nothing else was asked for; None where there is more to it."""
    kind = dtypes.get_default_dtype()
    if kind is not dtypes.float32 and kind is not dtypes.float64:
        return None
    if len(size) == 1 and size[0].__class__ is int:
        count, sizes = size[0], None
    else:
        sizes = quick_size(size)
        if sizes is None:
            return None
        count = math.prod(sizes)
    if not 0 < count <= _SOME:
        return None
    if count <= _FEW:
        row = draw_few(count, kind.numpy, _generator)
    else:
        row = numpy.empty(count, kind.numpy)
        fill_some(row, _generator)
    return fresh(row if sizes is None else row.reshape(sizes), kind)


_SOME = 4096  # numbers; of more, nobody notices what the whole way takes
_FEW, _generator = random.FEW, random.default_generator


def _at_once(draw_few: _Few, fill_some: Fill) -> Callable[..., Tensor | None]:
    """``rand`` and ``randn`` of a size alone."""
    return lambda *size: None if default_chosen.once else _few(size, draw_few, fill_some)


def _sized(
    name: str, fill: Callable[..., Tensor], at_once: Callable[..., Tensor | None]
) -> Callable[..., Tensor]:
    """``rand`` and ``randn``: a size, as integers or as one sequence, and the options."""

    def create(
        *size: Any,
        generator: Generator | None = None,
        out: Tensor | None = None,
        dtype: Any = None,
        device: DeviceLike = None,
        **keyword: Any,
    ) -> Tensor:
        plain = generator is None and out is None and dtype is None and device is None and not keyword
        if plain and (quick := at_once(*size)) is not None:  # there was a word about gradients
            return quick
        call = _Call(
            name,
            ("tuple of ints size",),
            size,
            generator=generator,
            out=out,
            dtype=dtype,
            device=device,
            **keyword,
        )
        call.check_options(known=("size",))
        several = len(size) > 1 and isinstance(size[0], (tuple, list))
        if several or bool(size) == ("size" in keyword):
            raise call.refused()
        sizes = as_ints(size, name) if size else call.size(keyword["size"], None)
        before = None if out is None else out._lay().size
        made = _make(sizes, dtypes.get_default_dtype(), call)
        counted = (
            name == "randn" or generator is not None
        )  # what `rand` does by itself is one write to PyTorch
        if counted and before is not None and made._lay().size != before:
            made._bump()
        fill(made, generator, out is not None)
        return made

    create.__name__ = create.__qualname__ = name
    return create


_rand_at_once = _at_once(random.few_uniform, random.fill_some_uniform)
rand = op(
    samples=(
        sample(f"tk.rand(2, 3, {_SEEDED})"),
        sample(f"tk.rand((20,), dtype=tk.float64, {_SEEDED})"),
        sample(f"tk.rand(3, dtype=tk.complex64, {_SEEDED})"),
        sample("tk.rand(2, dtype=tk.int64)"),
        sample("tk.rand(2, -1)"),
        sample("tk.rand()"),
    ),
    kind="create",
    methods=(),
    first=_rand_at_once,
)(_sized("rand", _uniform, _rand_at_once))
rand.__doc__ = """Numbers drawn evenly from [0, 1).

    Args:
        size: the size, as several integers or one sequence.
        generator: where the numbers come from; the default generator (`manual_seed`) if not given.
        out: a tensor to draw into. dtype: a floating point or complex one; the default dtype if not given.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        NotImplementedError: for integers and bool.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.rand(2, 2)
    tensor([[0.4963, 0.7682],
            [0.0885, 0.1320]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.rand.html
    """

_randn_at_once = _at_once(random.few_normal, random.fill_some_normal)
randn = op(
    samples=(
        sample(f"tk.randn(2, 3, {_SEEDED})"),
        sample(f"tk.randn(5, 5, {_SEEDED})"),
        sample(f"tk.randn(33, dtype=tk.float64, {_SEEDED})"),
        sample(f"tk.randn([17], dtype=tk.bfloat16, {_SEEDED})"),
        sample(f"tk.randn(9, dtype=tk.complex64, {_SEEDED})"),
        sample("tk.randn(2, dtype=tk.bool)"),
        sample("tk.randn(2, 'a')"),
    ),
    kind="create",
    methods=(),
    first=_randn_at_once,
)(_sized("randn", _normal, _randn_at_once))
randn.__doc__ = """Normally distributed numbers: mean 0, variance 1 (complex: of both parts together).

    Arguments and errors are those of `rand`.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randn.html
    """


@op(
    strict=True,
    samples=(
        sample(f"tk.randint(10, (2, 3), {_SEEDED})"),
        sample(f"tk.randint(-5, 5, (4,), {_SEEDED})"),
        sample(f"tk.randint(-2**40, 2**40, (4,), {_SEEDED})"),
        sample(f"tk.randint(low=3, high=9, size=(2,), dtype=tk.float16, {_SEEDED})"),
        sample("tk.randint(5, 5, (2,))"),
        sample("tk.randint(0, 300, (2,), dtype=tk.uint8)"),
        sample("tk.randint(5, 3)"),
        sample("tk.randint(5)"),
    ),
    kind="create",
    methods=(),
)
def randint(
    *args: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    **keyword: Any,
) -> Tensor:
    """Integers drawn evenly from [low, high): ``randint(low, high, size)`` or ``randint(high, size)``.

    Args:
        low, high: int64 bounds.
        size: the size, one sequence.
        generator: where the numbers come from; the default generator (`manual_seed`) if not given.
        out: a tensor to draw into. dtype: int64 if not given; not complex.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        RuntimeError: when low >= high, or the dtype cannot hold a bound.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.randint(0, 10, (2, 3))
    tensor([[4, 9, 3],
            [0, 3, 9]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randint.html
    """
    forms = ("int high, tuple of ints size", "int low, int high, tuple of ints size")
    call = _Call("randint", forms, args, generator=generator, out=out, dtype=dtype, device=device, **keyword)
    call.check_options(known=("low", "high", "size"))
    bound = call.bind(("high", "size"), ("low", "high", "size"))
    low, high, size = bound.get("low", 0), bound["high"], bound["size"]
    if "low" in bound:
        if not (_is_integer(low) and _is_integer(high) and isinstance(size, (tuple, list))):
            raise call.refused()
    elif not _is_integer(high):
        where = " (position 1)" if args else ""
        raise TypeError(f"randint(): argument 'high'{where} must be int, not {type_name(high)}")
    sizes = call.size(size, None if "size" in keyword else len(args))
    first, last = call.integer(low), call.integer(high)
    return _integers(_make(sizes, dtypes.int64, call), first, last, generator, out is not None)


def _permutation_at_once(n: Any = None, *more: Any) -> Tensor | None:
    if more or n.__class__ is not int or not 0 < n <= _SOME or default_chosen.once:
        return None
    if n == 1:  # there is nothing to draw
        return fresh(numpy.zeros(1, numpy.int64), dtypes.int64)
    order = numpy.empty(n, numpy.int64)
    random.fill_permutation(order, _generator)
    return fresh(order, dtypes.int64)


@op(
    samples=(
        sample(f"tk.randperm(6, {_SEEDED})"),
        sample(f"tk.randperm(5, dtype=tk.float64, {_SEEDED})"),
        sample("tk.randperm(0)"),
        sample("tk.randperm(-1)"),
        sample("tk.randperm(2.5)"),
        sample("tk.randperm(300, dtype=tk.uint8)"),
    ),
    kind="create",
    methods=(),
    first=_permutation_at_once,
)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    **keyword: Any,
) -> Tensor:
    """The integers 0 … n - 1 in random order.

    Args:
        n: how many.
        generator: where the order comes from; the default generator (`manual_seed`) if not given.
        out: a tensor to write into. dtype: int64 if not given; one that can count to n - 1.
        device: the CPU, or ``"meta"`` for a tensor without data.

    Raises:
        RuntimeError: for a negative n, or when the dtype cannot count that far.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.randperm(4)
    tensor([0, 1, 3, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randperm.html
    """
    call = _Call(
        "randperm", ("int n",), (n,), generator=generator, out=out, dtype=dtype, device=device, **keyword
    )
    call.check_options()
    if not _is_integer(n):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_name(n)}")
    if out is not None and out._device == CPU and n >= 0 and (dtype is None or as_dtype(dtype) is out._dtype):
        _check_counts(out._dtype, call.integer(n))  # before it is resized
    made = _make((call.integer(n),), dtypes.int64, call)
    if made._device == CPU:
        _check_counts(made._dtype, made.numel())
    return draw(made, generator, random.fill_permutation, out is not None)


def _check_counts(kind: dtype, count: int) -> None:
    """Refuse a dtype that cannot hold every number up to count - 1."""
    if kind.is_complex or kind is dtypes.bool or kind in LIMITED:
        raise missing_kernel("randperm", kind.label)
    if kind.category == 1 and count - 1 > numpy.iinfo(kind.numpy).max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")
    most = {dtypes.float16: "2049", dtypes.float32: "2^24+1", dtypes.float64: "2^53+1"}
    if kind in most and count > 2 ** _DIGITS[kind] + 1:
        raise RuntimeError(f"n cannot be greater than {most[kind]} for {kind.label} type.")


def _like(name: str, input: Any, options: dict[str, Any]) -> Tensor:
    """An uninitialised tensor like `input`; `options` are the keywords of the call."""
    call = _Call(name, ("Tensor input",), (input,), **options)
    call.check_options()
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return empty_like(input, **{key: value for key, value in call.named.items() if key != "generator"})


@op(
    samples=(
        sample(f"tk.rand_like(a, dtype=tk.float32, {_SEEDED})", a=(2, 3)),
        sample(f"tk.rand_like(a.t(), dtype=tk.float64, {_SEEDED})", a=(2, 3)),
        sample("tk.rand_like(3)"),
    ),
    kind="create",
    methods=(),
)
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`rand` in the size, dtype, device and order of dimensions of another tensor.

    The numbers are drawn in the order of the memory: like a transposed tensor, they are transposed too.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.rand_like(tk.zeros(2, 2).t())
    tensor([[0.4963, 0.0885],
            [0.7682, 0.1320]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.rand_like.html
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    return _uniform(_like("rand_like", input, options | keyword), generator)


@op(
    samples=(
        sample(f"tk.randn_like(a, dtype=tk.float32, {_SEEDED})", a=(2, 3)),
        sample(f"tk.randn_like(a.t(), dtype=tk.float32, {_SEEDED})", a=(4, 6)),
    ),
    kind="create",
    methods=(),
)
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`randn` in the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.randn_like(tk.zeros(2, 2))
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randn_like.html
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    return _normal(_like("randn_like", input, options | keyword), generator)


@op(
    samples=(
        sample(f"tk.randint_like(a, 2, {_SEEDED})", a=(2, 3)),
        sample(f"tk.randint_like(a, 1, 9, dtype=tk.int16, {_SEEDED})", a=(2, 3)),
        sample(f"tk.randint_like(a, tk.tensor(3.5), {_SEEDED})", a=(2, 3)),
        sample("tk.randint_like(a, tk.tensor([3]))", a=(2, 3)),
        sample("tk.randint_like(a, 9, 1)", a=(2,)),
    ),
    kind="create",
    methods=(),
)
def randint_like(
    *args: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """`randint` in the size, dtype, device and order of dimensions of another tensor.

    ``randint_like(input, high)`` draws from [0, high), ``randint_like(input, low, high)`` from [low, high).

    >>> import tensorkit as tk
    >>> _ = tk.manual_seed(0)
    >>> tk.randint_like(tk.zeros(3), 10)
    tensor([4., 9., 3.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randint_like.html
    """
    options = {"generator": generator, "dtype": dtype, "device": device, "memory_format": memory_format}
    forms = ("Tensor input, int low, int high", "Tensor input, Tensor high", "Tensor input, int high")
    call = _Call("randint_like", forms, args, **options, **keyword)
    call.check_options(known=("input", "low", "high"))
    bound = call.bind(("input", "high"), ("input", "low", "high"))
    input, low, high = bound["input"], bound.get("low", 0), bound["high"]
    if "low" not in bound and isinstance(high, Tensor) and isinstance(input, Tensor):
        high = _held(high)
    if not (isinstance(input, Tensor) and _is_integer(low) and _is_integer(high)):
        raise call.refused()
    first, last = call.integer(low), call.integer(high)
    return _integers(_like("randint_like", input, options), first, last, generator)
