"""Copies and conversions: to another dtype, another device, another memory order, Python and NumPy.

Only what is here moves elements from one storage to another; every byte goes through `copy_into`.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tensorkit import dtypes, storage, tracing
from tensorkit import strides as layouts
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import CPU, META, device, resolve
from tensorkit.dispatch import offers, op, recorded_call, register_writer, sample, unmatched, wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise import (
    NUMBERS,
    as_number_array,
    check_castable,
    check_overlap,
    check_writable,
    empty_strided,
    resize_out,
)
from tensorkit.errors import MissingKernelError, warn
from tensorkit.formats import (
    check_format,
    contiguous_format,
    formatted_strides,
    has_format,
    memory_format,
    preserve_format,
    suggested_format,
)
from tensorkit.kernels import cpu as kernels
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.strides import Layout
from tensorkit.tensor import Array, Tensor, attach, fresh

__all__ = [
    "as_dtype",
    "check_number",
    "clone",
    "contiguous",
    "copy_into",
    "cpp_name",
    "deliver",
    "deliver_into",
    "fill",
    "holds",
    "host_array",
    "like_input",
    "is_tensor",
    "legacy_dtype",
    "number_tensor",
    "numel",
    "register_copy",
    "same_place",
    "to_device",
    "to_dtype",
    "warn_complex_to_real",
    "write_number",
]

StridedCopy = Callable[[Tensor, Tensor], None]
_strided_copies: dict[str, StridedCopy] = {}


def register_copy(device_type: str, run: StridedCopy) -> None:
    """Tell the copier how a kind of device copies between two layouts and dtypes in its own memory."""
    _strided_copies[device_type] = run


# -- the copier ---------------------------------------------------------------------------------------------------


def copy_into(dst: Tensor, src: Tensor) -> None:
    """Write the elements of `src`, broadcast and converted, into `dst`, wherever the two live."""
    if not dst.numel() or dst._device == META:
        return
    if src._device == META:
        raise MissingKernelError("Cannot copy out of meta tensor; no data!")
    if dst._device != src._device:
        _copy_across(dst, src)
    elif dst._device == CPU:
        if dst._conjugated:
            kernels.copy(dst._nd(physical=True), numpy.conjugate(src._nd()))
        else:
            kernels.copy(dst._nd(), src._nd())
        if tracing.active:
            tracing.emit(tracing.CopyEvent(dst.nbytes, "cpu", "cpu"))
    else:
        _strided_copies[dst._device.type](dst, src)
        if tracing.active:
            tracing.emit(tracing.CopyEvent(dst.nbytes, str(dst._device), str(dst._device)))


def _copy_across(dst: Tensor, src: Tensor) -> None:
    """From one device's memory to another's: as one block of bytes, laid out before and after if need be."""
    block = _dense(src)
    if dst._dtype is block._dtype and dst._lay().size == block._lay().size and dst.is_contiguous():
        landing = dst
    else:
        landing = empty_strided(block._lay().size, block._lay().stride, block._dtype, dst._device)
    item = block._dtype.itemsize
    storage.copy_bytes(
        landing._store(),
        landing._lay().offset * item,
        block._store(),
        block._lay().offset * item,
        block.nbytes,
    )
    if landing is not dst:
        copy_into(dst, landing)


def _dense(tensor: Tensor) -> Tensor:
    return (
        tensor if tensor.is_contiguous() else _copied(tensor, layouts.contiguous_stride(tensor._lay().size))
    )


def _copied(input: Tensor, stride: tuple[int, ...], kind: dtype | None = None) -> Tensor:
    out = empty_strided(input._lay().size, stride, kind or input._dtype, input._device)
    copy_into(out, input)
    return out


def deliver(values: Any, kind: dtype, out: Tensor | None = None) -> Tensor:
    """An array, converted to `kind`, as a new row-major tensor; or written into `out`, which is returned.

    Raises:
        TypeError, RuntimeError: when `out` is no tensor, or cannot hold this kind of number.
    """
    array = kernels.cast(numpy.asarray(values), kind)
    result = fresh(array if array.flags.c_contiguous else numpy.ascontiguousarray(array), kind)
    return result if out is None else deliver_into(result, out)


def deliver_into(result: Tensor, out: Any) -> Tensor:
    """A finished result written into a tensor given as ``out=``, which is resized (with a warning) if need be."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    check_castable(result._dtype, out._dtype)
    resize_out(out, result._lay().size)
    copy_into(out, result)
    out._bump()
    return out


def _write_back(input: Tensor, result: Tensor) -> Tensor:
    """A result written into the tensor that the in-place form of its operation was called on."""
    check_writable(input)
    if result._lay().size != input._lay().size:
        raise RuntimeError(
            f"output with shape {list(input._lay().size)} doesn't match the broadcast shape "
            f"{list(result._lay().size)}"
        )
    check_castable(result._dtype, input._dtype)
    copy_into(input, result)
    input._bump()
    return input


register_writer(_write_back)


def host_array(input: Tensor) -> Array:
    """The elements as a NumPy array: the memory itself on the CPU, a copy from another device."""
    return input._nd() if input._device == CPU else to_device(input, CPU)._nd()


def warn_complex_to_real(dst: Tensor, src: Tensor) -> None:
    """Warn, as PyTorch does, when elements of `src` lose their imaginary part on the way into `dst`."""
    if src._dtype.is_complex and dst._dtype.category in (1, 2) and dst.numel():
        warn("Casting complex values to real discards the imaginary part")


def _fill_name(arguments: dict[str, Any]) -> str:
    return "FillBackward3" if isinstance(arguments["value"], Tensor) else "FillBackward2"


_FEW = 4096  # elements; of more, nobody notices what the whole way takes


@functools.lru_cache(4096)
def _like(size: tuple[int, ...], stride: tuple[int, ...]) -> tuple[Layout, bool]:
    """The layout of a copy that keeps the order of dimensions, and whether it is row-major."""
    like = Layout(size, layouts.like_strides(Layout(size, stride)))
    return like, like.stride == layouts.contiguous_stride(size)


def like_input(made: Array, input: Tensor) -> Tensor | None:
    """A new array as a tensor with the strides of ``empty_like``, if its elements lie so already."""
    lay = input._lay()
    like, row_major = _like(lay.size, lay.stride)
    if made.strides != tuple([step * made.itemsize for step in like.stride]) or made.base is not None:
        return None
    out = fresh(made, input._dtype)
    if not row_major:
        out._layout, out._solid = like, False
    return out


def _copied_few(input: Tensor, kind: dtype) -> Tensor | None:
    """A copy of few elements in any order, as real numbers of another dtype maybe; None for all others."""
    own = input._dtype
    if input._device is not CPU or own.category > 2 or kind.category > 2:
        return None
    array = input._nd()
    if not 0 < array.size <= _FEW:
        return None
    made = array.copy("K") if own is kind else kernels.cast(array, kind)
    out = like_input(made, input)
    if out is not None:
        out._dtype = kind
    return out


# -- copies -------------------------------------------------------------------------------------------------------


@op(
    samples=(sample("tk.clone(a)", a=(2, 3)), sample("a.clone()", a=())),
    kind="copy",
    derivative=Rule("CloneBackward0", input=lambda g, c: g),
)
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with a storage of its own; its dimensions keep their order in memory.

    Returns:
        A tensor of the same size and dtype. A transposed tensor stays transposed, an expanded one is written out.

    >>> import tensorkit as tk
    >>> t = tk.arange(6).view(2, 3).t()
    >>> t.clone().stride(), t.clone().data_ptr() == t.data_ptr()
    ((1, 3), False)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.clone.html
    """
    if memory_format is None and input._array is not None and input._solid and not tracing.active:
        return fresh(input._array.copy(), input._dtype)
    if (
        memory_format is None
        and not tracing.active
        and (copy := _copied_few(input, input._dtype)) is not None
    ):
        return copy
    check_format("clone", memory_format)
    return _copied(input, formatted_strides(input._lay(), memory_format))


@op(
    samples=(sample("a.contiguous()", a=(2, 3)),),
    kind="copy",
    function=False,
    derivative=Rule(
        "CloneBackward0",
        applies=lambda call: not has_format(call["input"]._lay(), call["memory_format"]),
        input=lambda g, c: g,
    ),
)
def contiguous(input: Tensor, *, memory_format: memory_format = contiguous_format) -> Tensor:
    """The tensor itself if its elements lie in row-major order (or in the format), otherwise a copy in which they do.

    >>> import tensorkit as tk
    >>> t = tk.zeros(2, 3)
    >>> t.contiguous() is t, t.t().contiguous().stride()
    (True, (2, 1))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html
    """
    if memory_format is not contiguous_format:
        return _in_format(input, memory_format)
    if input._array is not None and input._solid:
        return input
    if input.is_contiguous():
        return input
    if input._device is CPU and not input._conjugated:
        array = input._nd()
        if array.size < kernels.MANY and not tracing.active:  # the copier counts its bytes
            return fresh(array.copy(), input._dtype)
    return _copied(input, layouts.contiguous_stride(input._lay().size))


def _attach_contiguous() -> None:
    """The method, which most often has nothing to do, asks first whether it has."""
    whole = Tensor.__dict__["contiguous"]

    @functools.wraps(whole)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if self._array is not None and self._solid and not args and not kwargs and not tracing.active:
            return self
        return whole(self, *args, **kwargs)  # type: ignore[no-any-return]

    type.__setattr__(Tensor, "contiguous", method)


_attach_contiguous()


def _in_format(input: Tensor, wanted: Any) -> Tensor:
    if not isinstance(wanted, memory_format):
        raise TypeError(
            f"contiguous(): argument 'memory_format' must be tensorkit.memory_format, not {type(wanted).__name__}"
        )
    if wanted is preserve_format and not input.is_contiguous():
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    strides = formatted_strides(input._lay(), wanted)
    return input if has_format(input._lay(), wanted) else _copied(input, strides)


@op(
    samples=(sample("a.copy_(b)", a=(2, 3), b=(3,)), sample("a.copy_(b)", a=(2,), b=(3,))),
    kind="inplace",
    function=False,
    derivative=Rule("CopyBackwards", input=lambda g, c: g.new_zeros(g.size()), src=lambda g, c: g),
)
def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write another tensor's elements, broadcast and converted, into this one; from any device.

    Raises:
        RuntimeError: when the sizes do not fit, or two elements of this tensor share a slot.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 2).copy_(tk.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.copy_.html
    """
    if not isinstance(non_blocking, bool):
        raise TypeError  # said in PyTorch's words by whoever called
    if not isinstance(src, Tensor):
        if isinstance(src, NUMBERS):
            src = number_tensor(src)
        else:
            raise TypeError(
                f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}"
            )
    if _copied_at_once(input, src) or same_place(input, src):
        input._bump()
        return input
    check_writable(input)
    check_overlap(input, src)
    own, given = input._lay(), src._lay()
    size = layouts.broadcast_sizes(own.size, given.size)
    if size != own.size:
        raise RuntimeError(
            f"output with shape {list(own.size)} doesn't match the broadcast shape {list(size)}"
        )
    warn_complex_to_real(input, src)
    copy_into(input, src if given.size == own.size else src._view(given.expand(own.size)))
    input._bump()
    return input


def _copied_at_once(target: Tensor, source: Tensor) -> bool:
    """Copy between row-major tensors of few elements, of one size and dtype, in different memory; False for others."""
    x, y = target._array, source._array
    if x is None or y is None or not target._solid or target._dtype is not source._dtype:
        return False
    if tracing.active or x.size >= kernels.MANY or x.shape != y.shape or target is source:
        return False
    if target._storage is not None and target._storage is source._storage:
        return False
    x[...] = y
    return True


def same_place(one: Tensor, two: Tensor) -> bool:
    """Whether two tensors are the same numbers in the same memory: then there is nothing to copy."""
    if one is two:
        return True
    return (
        one._storage is not None
        and one._storage is two._storage
        and one._dtype is two._dtype
        and one._lay() == two._lay()
    )


def number_tensor(value: Any) -> Tensor:
    """A Python number as a 0-d CPU tensor of the dtype that it has by itself."""
    kind = dtypes.of_number(value)
    out = empty_strided((), (), kind, CPU)
    out._nd()[...] = as_number_array(value, kind)
    return out


_C_NAMES = {
    "complex64": "c10::complex<float>",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
}


_FLOAT32_MAX = float(numpy.finfo(numpy.float32).max)
_MOST = {dtypes.float32: _FLOAT32_MAX, dtypes.complex64: _FLOAT32_MAX}
_MOST_OF_HALVES = {dtypes.float16: 65504.0, dtypes.bfloat16: 2.0**128 - 2.0**120}
_HALVES = {dtypes.float16: "c10::Half", dtypes.bfloat16: "c10::BFloat16"}


def _fits(value: Any, kind: dtype, narrow: bool) -> bool:
    """Whether PyTorch converts a number to a dtype without calling it an overflow."""
    most = _MOST.get(kind) or (_MOST_OF_HALVES.get(kind) if narrow else None)
    if most is not None:
        parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
        if any(most < abs(part) < math.inf for part in parts):
            return False
    if isinstance(value, complex):
        return kind.is_complex or kind.category == 0 or value.imag == 0
    if kind.category != 1:
        return True
    info = numpy.iinfo(kind.numpy)
    if isinstance(value, float):
        return info.min <= value <= float(info.max)  # as doubles; False for what is not a number
    # An unsigned type takes the negative numbers whose magnitude it can hold: C wraps them around.
    low = -info.max - 1 if not kind.is_signed else info.min
    return bool(low <= int(value) <= info.max)


def check_number(value: Any, kind: dtype, *, narrow: bool = False) -> None:
    """Refuse a number that a dtype cannot hold, in PyTorch's words.

    Args:
        narrow: whether PyTorch makes it a number of 16 bits at once, and not of a double that may become infinite.
    """
    if not _fits(value, kind, narrow):
        label = _C_NAMES.get(kind.name) or (_HALVES.get(kind) if narrow else None)
        label = label or ("float" if kind is dtypes.float32 else "double")
        raise RuntimeError(f"value cannot be converted to type {label} without overflow")


#: Between which bounds a number of Python's is held by a dtype without a question.
_HELD: dict[tuple[type, dtype], tuple[float, float]] = {
    (float, dtypes.float32): (-_FLOAT32_MAX, _FLOAT32_MAX),
    (float, dtypes.float64): (-math.inf, math.inf),
    **{
        (int, kind): (-127, 127)
        for kind in (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8)
    },
}


def holds(kind: dtype, value: Any) -> bool:
    """Whether a value is a number of Python's that a dtype holds without a question."""
    bounds = _HELD.get((value.__class__, kind))
    return bounds is not None and bounds[0] <= value <= bounds[1]


def write_number(input: Tensor, value: Any, *, narrow: bool = False) -> None:
    """Write one number into every element.

    Args:
        narrow: as in `check_number`.

    Raises:
        RuntimeError: when the dtype cannot hold it.
    """
    if holds(input._dtype, value) and input._device is CPU:
        array = input._nd() if input._array is None else input._array
        if not input._conjugated:
            array.fill(value)
            return
    value = value.item() if isinstance(value, numpy.generic) else value
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError(
            "int too big to convert" if value > 0 else "can't convert negative int to unsigned"
        )
    if isinstance(value, int) and value >= 2**63 and input._dtype.category >= 2:
        value = float(value)
    check_number(value, input._dtype, narrow=narrow)
    if input._device == CPU:
        if input.numel():
            number = as_number_array(value, input._dtype)[()]
            stored = number.conjugate() if input._conjugated else number
            kernels.quiet(input._nd(physical=True).fill, stored)
        return
    one = empty_strided((), (), input._dtype, CPU)
    one._nd()[...] = as_number_array(value, input._dtype)
    copy_into(input, to_device(one, input._device)._view(Layout(input._lay().size, (0,) * input.dim(), 0)))


@op(
    samples=(
        sample("a.fill_(2)", a=(2, 3)),
        sample("a.fill_(b)", a=(2, 3), b=()),
        sample("a.fill_(b)", a=(2,), b=(2,)),
    ),
    kind="inplace",
    function=False,
    derivative=Rule(_fill_name, input=lambda g, c: g.new_zeros(g.size()), value=lambda g, c: g.sum()),
)
def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to a number, or to the one element of a 0-d tensor.

    Raises:
        RuntimeError: when the dtype cannot hold the number, or the tensor has dimensions.

    >>> import tensorkit as tk
    >>> tk.zeros(3).fill_(7)
    tensor([7., 7., 7.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.fill_.html
    """
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions."
            )
        check_writable(input)
        warn_complex_to_real(input, value)
        one = to_device(value, input._device)
        copy_into(input, one._view(Layout(input._lay().size, (0,) * input.dim(), one._lay().offset)))
        input._bump()
        return input
    if value.__class__ is not float and not isinstance(value, NUMBERS):
        raise TypeError(
            f"fill_() received an invalid combination of arguments - got ({type(value).__name__}), but expected one "
            "of:\n * (Tensor value)\n * (Number value)\n"
        )
    write_number(input, value, narrow=input.numel() != 1)
    input._bump()
    return input


@op(
    samples=(
        sample("tk.fill(a, 2)", a=(2, 3)),
        sample("tk.fill(a, b)", a=(2, 3), b=()),
        sample("tk.fill(a, b)", a=(2,), b=(2,)),
        sample("tk.fill(input=a, value=1.5)", a=(2,)),
        sample("tk.fill(a, 1j)", a=(2,)),
        sample("tk.fill(a, 'a')", a=(2,)),
    ),
    kind="copy",
    methods=(),
    derivative=Rule(
        lambda call: f"FillBackward{int(isinstance(call['value'], Tensor))}",
        input=lambda g, c: g.new_zeros(g.size()),
        value=lambda g, c: g.sum(),
    ),
)
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of the size and dtype of another, with one number everywhere.

    Raises:
        RuntimeError: when the dtype cannot hold the number, or `value` is a tensor with dimensions.

    >>> import tensorkit as tk
    >>> tk.fill(tk.zeros(2), 7)
    tensor([7., 7.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fill.html
    """
    if not isinstance(value, (Tensor, *NUMBERS)):
        raise unmatched(
            "fill", (input, value), {}, ("Tensor input, Tensor value", "Tensor input, Number value")
        )
    lay = input._lay()
    if not isinstance(value, Tensor):
        check_number(value, input._dtype, narrow=input.numel() != 1)
    out = empty_strided(lay.size, layouts.like_strides(lay), input._dtype, input._device)
    fill_(out, value.detach() if isinstance(value, Tensor) else value)
    out._counter = None  # nobody has seen it yet: its writing does not count
    return out


@op(
    samples=(sample("a.zero_()", a=(2, 3)),),
    kind="inplace",
    function=False,
    derivative=Rule("ZeroBackward0", input=lambda g, c: g.new_zeros(g.size())),
)
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero.

    >>> import tensorkit as tk
    >>> tk.ones(2).zero_()
    tensor([0., 0.])
    """
    array = input._array
    if array is None:
        write_number(input, 0)
    else:
        array.fill(0)
    input._bump()
    return input


# -- another dtype, another device --------------------------------------------------------------------------------


def to_dtype(
    input: Tensor, kind: dtype, *, copy: bool = False, wanted: memory_format | None = None
) -> Tensor:
    """The elements as another dtype, maybe in another format: the tensor itself when it is so already."""
    if input._dtype is kind and not copy and (wanted is None or _speaks_of(input, wanted)):
        return input
    array: Any = input._array
    few = array is not None and input._solid and wanted is None and array.size < kernels.MANY
    if (
        few
        and input._dtype.category < 3
        and kind.category < 3
        and not wants_grad(input)
        and not tracing.active
    ):
        return fresh(kernels.cast(array, kind) if input._dtype is not kind else array.copy(), kind)

    if wanted is None and not tracing.active and not wants_grad(input):
        quick = _copied_few(input, kind)
        if quick is not None:
            return quick

    def body() -> Tensor:
        out = empty_strided(input._lay().size, formatted_strides(input._lay(), wanted), kind, input._device)
        warn_complex_to_real(out, input)
        copy_into(out, input)
        return out

    return _copying(input, body)


def _speaks_of(input: Tensor, wanted: memory_format) -> bool:
    """Whether a tensor need not be copied into a format: PyTorch looks only at whether channels come last."""
    return wanted is preserve_format or suggested_format(input._lay()) is wanted


_TO_COPY = Rule("ToCopyBackward0", input=lambda g, c: g.to(c.input_face.device, c.input_face.dtype))


def _copying(input: Tensor, body: Callable[[], Tensor]) -> Tensor:
    if not wants_grad(input):
        return body()
    return recorded_call(_TO_COPY, "_to_copy", {"input": input}, body, "copy")  # type: ignore[no-any-return]


def to_device(input: Tensor, where: device, *, copy: bool = False) -> Tensor:
    """A copy on another device: the tensor itself when it lives there already."""
    if input._device == where and not copy:
        return input
    return _copying(input, lambda: _moved(input, where))


def _moved(input: Tensor, where: device) -> Tensor:
    lay = input._lay()
    stride = layouts.like_strides(lay)
    if input._device != where and not lay.is_contiguous():
        source = (
            input if stride == lay.stride and lay.is_non_overlapping_and_dense() else _copied(input, stride)
        )
        return _move_block(source, where)
    out = empty_strided(lay.size, stride, input._dtype, where)
    copy_into(out, input)
    return out


def _move_block(source: Tensor, where: device) -> Tensor:
    """A dense block in whatever order of dimensions goes over byte by byte and keeps that order."""
    lay = source._lay()
    out = empty_strided(lay.size, lay.stride, source._dtype, where)
    if lay.numel:
        flat = source._view(Layout((lay.numel,), (1,), lay.offset))
        copy_into(out._view(Layout((lay.numel,), (1,), 0)), flat)
    return out


def _wanted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[device | None, dtype | None, bool]:
    """What a call of `to` asks for: a device, a dtype, whether always to copy."""
    where, kind = kwargs.get("device"), kwargs.get("dtype")
    for place, arg in enumerate(args):
        if isinstance(arg, Tensor) and place == 0:
            where, kind = arg._device, arg._dtype
        elif isinstance(arg, (dtypes.dtype, type)) and kind is None:
            kind = arg
        elif isinstance(arg, (str, device, int)) and not isinstance(arg, bool) and place == 0:
            where = arg
        elif not isinstance(arg, bool) and arg is not None:
            raise unmatched("to", args, kwargs, _TO_FORMS)
    flags = [arg for arg in args if isinstance(arg, bool)]
    copy = kwargs.get("copy", flags[1] if len(flags) > 1 else False)
    return (None if where is None else resolve(where)), None if kind is None else as_dtype(kind), bool(copy)


def _format(given: Any, kwargs: dict[str, Any]) -> memory_format | None:
    if given is not None and not isinstance(given, memory_format):
        raise unmatched("to", (), kwargs, _TO_FORMS)
    return given


_TO_FORMS = (
    "tensorkit.device device = None, tensorkit.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
    "tensorkit.memory_format memory_format = None",
    "tensorkit.dtype dtype, bool non_blocking = False, bool copy = False, *, "
    "tensorkit.memory_format memory_format = None",
    "Tensor tensor, bool non_blocking = False, bool copy = False, *, tensorkit.memory_format memory_format = None",
)
_PYTHON_TYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool, complex: dtypes.complex128}


def as_dtype(kind: Any, name: str = "to") -> dtype:
    """A dtype given as such or as a Python type.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(kind, dtypes.dtype):
        return kind
    found = _PYTHON_TYPES.get(kind) if isinstance(kind, type) else None
    if found is None:
        raise TypeError(f"{name}(): argument 'dtype' must be tensorkit.dtype, not {type(kind).__name__}")
    return found


@op(
    samples=(
        sample("a.to(tk.float64)", a=(2, 3)),
        sample("a.to(tk.uint8)", a=(2, 3)),
        sample("a.to(b)", a=(2,), b=()),
    ),
    kind="copy",
    function=False,
)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor as another dtype and on another device: itself if nothing changes, otherwise a copy.

    Args:
        args, kwargs: a dtype, a device, both, or a tensor to be like; ``copy=True`` always copies.

    >>> import tensorkit as tk
    >>> t = tk.ones(2)
    >>> t.to(tk.int64), t.to("cpu") is t
    (tensor([1, 1]), True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """
    if not kwargs and len(args) == 1 and args[0].__class__ is dtypes.dtype:
        return to_dtype(input, args[0])
    known = {"device", "dtype", "non_blocking", "copy", "memory_format", "other"}
    for key in kwargs:
        if key not in known:
            raise unmatched("to", args, kwargs, _TO_FORMS)
    if "other" in kwargs:
        args = (kwargs["other"], *args)
    where, kind, copy = _wanted(args, kwargs)
    wanted = kwargs.get("memory_format")
    out = input
    if kind is not None or wanted is not None:
        out = to_dtype(
            out, kind or input._dtype, copy=copy and wanted is not None, wanted=_format(wanted, kwargs)
        )
    if where is not None:
        out = to_device(out, where)
    return clone(out) if copy and out is input else out


@op(samples=(sample("a.cpu()", a=(2, 3)),), kind="copy", function=False)
def cpu(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself if it is on the CPU, otherwise a copy there.

    >>> import tensorkit as tk
    >>> t = tk.ones(2)
    >>> t.cpu() is t
    True
    """
    check_format("cpu", memory_format)
    return to_device(to_dtype(input, input._dtype, wanted=memory_format), CPU)


@op(samples=(sample("a.cuda(0, 1, 2)", a=(2,)),), kind="copy", function=False)
def cuda(
    input: Tensor, device: Any = None, non_blocking: bool = False, *, memory_format: Any = None
) -> Tensor:
    """The tensor itself if it is on that CUDA device, otherwise a copy there.

    >>> import tensorkit as tk
    >>> with tk.cuda.emulate():
    ...     tk.ones(2).cuda()
    tensor([1., 1.], device='cuda:0')
    """
    return to_device(input, resolve("cuda" if device is None else device))


_LEGACY = {f"{kind.label}Tensor": kind for kind in dtypes.ALL}


def legacy_dtype(name: str) -> tuple[dtype, str]:
    """The dtype and the device's type that a legacy name stands for: of ``'torch.LongTensor'`` int64 and ``'cpu'``.

    Both packages' names are known: ``'torch.…'`` is what old code says, ``'tensorkit.…'`` what `Tensor.type` answers.

    Raises:
        ValueError: for any other text.
    """
    package, _, rest = name.partition(".")
    place, _, last = rest.rpartition(".")
    if package not in ("torch", "tensorkit") or place not in ("", "cuda"):
        raise ValueError(f"invalid type: '{name}'")
    if last == "Tensor":
        return dtypes.get_default_dtype(), place or "cpu"
    if last not in _LEGACY:
        raise ValueError(f"invalid type: '{name}'")
    return _LEGACY[last], place or "cpu"


@op(
    samples=(sample("a.type()", a=(2,)), sample("a.type(tk.int32)", a=(2,))),
    kind="copy",
    function=False,
    name="type",
)
def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The legacy name of the tensor's type; or, given a dtype or such a name, the tensor converted to it.

    >>> import tensorkit as tk
    >>> tk.ones(2).type(), tk.ones(2).type(tk.int32).dtype
    ('tensorkit.FloatTensor', tensorkit.int32)
    """
    if dtype is None:
        place = "" if input._device.type == "cpu" else f"{input._device.type}."
        return f"tensorkit.{place}{input._dtype.label}Tensor"
    if isinstance(dtype, dtypes.dtype):
        return to_dtype(input, dtype)
    if isinstance(dtype, type):  # one of the classes of earlier years
        package = f"{dtype.__module__}." if dtype.__module__.startswith("tensorkit") else ""
        dtype = f"{package}{dtype.__name__}"
    if not isinstance(dtype, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    kind, place = legacy_dtype(dtype)
    return to_device(to_dtype(input, kind), resolve(place))


@op(samples=(sample("a.type_as(b)", a=(2,), b=(3,)),), kind="copy", function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype and device of another.

    >>> import tensorkit as tk
    >>> tk.ones(2).type_as(tk.tensor(1))
    tensor([1, 1])
    """
    return to_device(to_dtype(input, other._dtype), other._device)


def _cast_method(name: str, kind: dtype) -> Callable[..., Tensor]:
    def cast(input: Tensor, *, memory_format: Any = None) -> Tensor:
        if memory_format is not None:
            check_format(name, memory_format)
        return to_dtype(input, kind, wanted=memory_format)

    cast.__name__ = name
    cast.__doc__ = f"""The tensor as ``tensorkit.{kind.name}``: itself if it is, otherwise a copy.

    >>> import tensorkit as tk
    >>> tk.ones(2).{name}().dtype
    tensorkit.{kind.name}
    """
    return cast


CASTS: dict[str, dtype] = {
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "bool": dtypes.bool,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}
for _name, _kind in CASTS.items():
    op(samples=(sample(f"a.{_name}()", a=(2, 3)),), kind="copy", function=False, name=_name)(
        _cast_method(_name, _kind)
    )


# -- the same tensor, other memory --------------------------------------------------------------------------------


@op(
    samples=(sample("a.resize_(2)", a=(4,)), sample("a.clone().resize_(5, 5).size()", a=(4,))),
    kind="resize",
    function=False,
)
def resize_(input: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Give the tensor another size, row-major, on the same storage, which grows if it is too small.

    New elements are uninitialised; nothing is lost when it shrinks.

    >>> import tensorkit as tk
    >>> tk.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.resize_.html
    """
    size = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else tuple(sizes)
    for position, length in enumerate(size):
        if not hasattr(length, "__index__"):
            raise TypeError(
                f"resize_(): argument 'size' (position {position + 1}) must be tuple of ints, "
                f"not {type(length).__name__}"
            )
        if length < 0:
            raise RuntimeError("numel: integer multiplication overflow\nA size cannot be negative.")
    if wants_grad(input) and requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad")
    return _resized(input, size, memory_format, "resize_")


def _resized(input: Tensor, size: tuple[int, ...], wanted: Any, name: str) -> Tensor:
    check_format(name, wanted)
    if wanted is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    stride = formatted_strides(layouts.contiguous(size), wanted or contiguous_format)
    if size == input._lay().size and (wanted is None or has_format(input._lay(), wanted)):
        return input
    target = Layout(size, stride, input._lay().offset)
    needed = target.reach() * input._dtype.itemsize
    held = input._store()
    if needed > held.nbytes():
        held.resize_(needed)
    input._adopt_geometry(held, target)
    input._bump()
    return input


@op(
    samples=(
        sample("a.resize_as_(b).size()", a=(4,), b=(2, 1)),
        sample("a.resize_as_(b.t()).stride()", a=(6,), b=(2, 3)),
        sample("a.resize_as_(b, memory_format=tk.preserve_format).stride()", a=(24,), b=(1, 2, 3, 4)),
        sample("a.resize_as_(3)", a=(4,)),
        sample("a.resize_as_()", a=(4,)),
    ),
    kind="resize",
    function=False,
)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give the tensor the size of another: `resize_` to ``the_template.size()``.

    >>> import tensorkit as tk
    >>> tk.arange(6).resize_as_(tk.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.resize_as_.html
    """
    check_format("resize_as_", memory_format)
    if not isinstance(the_template, Tensor):
        raise TypeError
    if wants_grad(input) and requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format is preserve_format:
        memory_format = suggested_format(the_template._lay())
    return _resized(input, the_template._lay().size, memory_format, "resize_as_")


_CPP_NAMES = {
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "uint8": "unsigned char",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def cpp_name(kind: dtype) -> str:
    """What PyTorch calls the elements of a dtype in some of its errors: their type in C++."""
    return _CPP_NAMES.get(kind.name, kind.name)


def _source_storage(source: Any) -> UntypedStorage:
    if isinstance(source, TypedStorage):
        return source.untyped()
    if isinstance(source, UntypedStorage):
        return source
    raise TypeError(f"set_(): argument 'source' (position 1) must be Tensor, not {type(source).__name__}")


@op(samples=(sample("a.set_(b).stride()", a=(4,), b=(2, 3)),), kind="resize", function=False)
def set_(
    input: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Point this tensor at another storage, with a size, strides and an offset of its own.

    Raises:
        RuntimeError: when they would reach outside the storage.

    >>> import tensorkit as tk
    >>> tk.zeros(1).set_(tk.arange(6.).untyped_storage(), 1, (2,), (2,))
    tensor([1., 3.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.set_.html
    """
    if wants_grad(input) or wants_grad(source):
        arguments = {"input": input, "source": source}
        again = functools.partial(_set_to, input, source, storage_offset, size, stride)
        return recorded_call(_NO_WAY_BACK, "set_", arguments, again, "inplace")  # type: ignore[no-any-return]
    return _set_to(input, source, storage_offset, size, stride)


def _no_way_back(g: Any, c: Any) -> Any:
    raise RuntimeError("derivative for set_ is not implemented")


_NO_WAY_BACK = Rule("NotImplemented", input=_no_way_back, source=_no_way_back)
_NO_WAY_BACK.geometry = True


def _set_to(input: Tensor, source: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    if source is None:
        input._adopt_geometry(storage.allocate(0, input._device), Layout((0,), (1,), 0))
        input._bump()
        return input
    if isinstance(source, Tensor):
        if source._dtype is not input._dtype:
            raise RuntimeError(
                f"Could not set tensor of type {cpp_name(source._dtype)} to a tensor of type {cpp_name(input._dtype)}"
            )
        input._adopt_geometry(source._store(), source._lay())
        input._bump()
        return input
    held = _source_storage(source)
    if isinstance(source, TypedStorage) and source.dtype is not input._dtype:
        raise RuntimeError(
            f"Expected a Storage of type {cpp_name(input._dtype)} or an "
            f"UntypedStorage, but got type {source.dtype.label} for argument 1 'storage'"
        )
    if size is None:
        count = held.nbytes() // input._dtype.itemsize
        size, stride = (count,), (1,)
    size = (size,) if isinstance(size, int) else tuple(size)
    stride = layouts.contiguous_stride(size) if stride is None else tuple(stride)
    if not storage_offset >= 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    target = Layout((), (), 0).as_strided(size, stride, storage_offset, held.nbytes(), input._dtype.itemsize)
    input._adopt_geometry(held, target)
    input._bump()
    return input


# -- to Python and NumPy ------------------------------------------------------------------------------------------


@op(
    samples=(sample("a.item()", a=()), sample("a.item()", a=(1, 1)), sample("a.item()", a=(2,))),
    kind="copy",
    function=False,
)
def item(input: Tensor) -> Any:
    """The one element as a Python number.

    Raises:
        RuntimeError: when there is not exactly one.

    >>> import tensorkit as tk
    >>> tk.tensor([[2.5]]).item()
    2.5
    """
    array = input._array
    if array is not None and array.size == 1 and input._dtype is not dtypes.bfloat16:
        return array.item()
    if input.numel() != 1:
        raise RuntimeError(f"a Tensor with {input.numel()} elements cannot be converted to Scalar")
    if input._device == META:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    return _python(host_array(input)).item()


def _python(array: Array) -> Array:
    """An array whose elements NumPy can turn into Python numbers: bfloat16 goes by way of float32."""
    return array.astype(numpy.float32) if array.dtype == dtypes.bfloat16.numpy else array


_AS_NUMPYS = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bool))


@op(samples=(sample("a.tolist()", a=(2, 3)), sample("a.tolist()", a=())), kind="copy", function=False)
def tolist(input: Tensor) -> Any:
    """The elements as nested lists of Python numbers; a 0-d tensor gives the number itself.

    >>> import tensorkit as tk
    >>> tk.arange(4).view(2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    array = input._array
    if array is not None and input._dtype in _AS_NUMPYS:
        return array.tolist()
    return _python(host_array(input)).tolist()


@op(samples=(sample("a.numpy()", a=(2, 3)),), kind="copy", function=False, name="numpy")
def numpy_(input: Tensor, *, force: bool = False) -> Array:
    """A NumPy array on the same memory: writing to one changes the other.

    Args:
        force: copy from another device if need be, rather than refuse.

    Raises:
        TypeError: for a tensor on another device, and for bfloat16, which NumPy does not have.

    >>> import tensorkit as tk
    >>> t = tk.zeros(2)
    >>> t.numpy()[0] = 5
    >>> t
    tensor([5., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """
    if input._device != CPU:
        if not force:
            raise TypeError(
                f"can't convert {input._device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                "host memory first."
            )
        input = to_device(input, CPU)
    if wants_grad(input) and requires_grad(input) and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if input._dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    if input._conjugated:
        if not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
            )
        return input._nd()
    input._store()._foreign = True  # the array looks at this very memory: it may no longer be moved
    array = input._nd().view()
    if not array.size:  # NumPy itself would say so of an empty array, and PyTorch does
        array = numpy.ndarray(array.shape, array.dtype, array, 0, (0,) * array.ndim)
    return array


def _array(input: Tensor, dtype: Any = None, copy: bool | None = None) -> Array:
    array = numpy_(input)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


def _wrap_array(input: Tensor, array: Array, context: Any = None, return_scalar: bool = False) -> Tensor:
    if array.dtype == numpy.bool_:
        array = array.astype(numpy.uint8)  # PyTorch's habit, from the years before it had bool
    from_array = numpy.ascontiguousarray(array).reshape(array.shape)
    out = empty_strided(
        from_array.shape,
        layouts.contiguous_stride(from_array.shape),
        dtypes.from_numpy_dtype(array.dtype),
        CPU,
    )
    out._nd()[...] = from_array
    return out


def _float(input: Tensor) -> float:
    array: Any = input._array
    alone = array is not None and array.size == 1 and input._autograd is None and input._base is None
    if alone and (input._dtype is dtypes.float32 or input._dtype is dtypes.float64):
        return array.item()  # type: ignore[no-any-return]
    return float(_real_part(_single(input), "double"))


def _single(input: Tensor) -> Any:
    if input.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if wants_grad(input) and requires_grad(input):
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
            UserWarning,
            stacklevel=3,
        )
    return item(input)


def _bool(input: Tensor) -> bool:
    array = input._array
    if array is not None and array.size == 1 and input._dtype is dtypes.bool:
        return array.item()  # type: ignore[no-any-return]
    count = input.numel()
    if count != 1:
        many = "no values" if count == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(item(input))


def _real_part(value: Any, kind: str) -> Any:
    """A number without its imaginary part, which must be 0."""
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return value.real
    return value


def _contains(input: Tensor, element: Any) -> bool:
    if not isinstance(element, (Tensor, *NUMBERS)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool(host_array(input == element).any())


def _index(input: Tensor) -> int:
    if input.numel() != 1 or input._dtype.category > 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(input))


def _iterate(input: Tensor) -> Iterator[Tensor]:
    if not input.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(input.unbind(0))


@offers
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    >>> import tensorkit as tk
    >>> tk.is_tensor(tk.ones(1)), tk.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


@offers
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> import tensorkit as tk
    >>> tk.numel(tk.zeros(2, 3))
    6
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"numel(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input.numel()


def _attach_protocols() -> None:
    attach("__array__", _array)
    attach("__array_wrap__", _wrap_array)
    attach("__bool__", _bool)
    attach("__int__", lambda self: int(_real_part(_single(self), "int64_t")))
    attach("__float__", _float)
    attach("__complex__", lambda self: complex(_single(self)))
    attach("__index__", _index)
    attach("__iter__", _iterate)
    attach("__contains__", _contains)


_attach_protocols()
