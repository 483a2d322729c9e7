"""Pointwise operations: one mechanism from operands to result, for every dtype, layout and device.

The way of ``a + b``: `result_dtype` promotes, the layouts are broadcast (stride 0, no copy), the output gets the strides
PyTorch would give it, the kernel of the device runs over buffers. `binary` and `unary` build all spellings of an
operation from its block: function, method, operators, in-place and ``out=`` forms.

The functions built have a fast path: two tensors of one dtype, dense and of one size, or a tensor and a number, go
straight to the ufunc. Everything else takes `apply`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit import dtypes, trace
from tensorkit import layout as layouts
from tensorkit.device import CPU, device
from tensorkit.dispatch import Op, Sample, call_traced, explain, missing_kernel, register, traced_method
from tensorkit.dtypes import dtype
from tensorkit.errors import DeviceMismatchError, MissingKernelError
from tensorkit.kernels import cpu
from tensorkit.layout import Layout
from tensorkit.storage import allocate
from tensorkit.tensor import Array, Tensor, attach, fresh, on_storage

__all__ = [
    "Pointwise",
    "apply",
    "as_number_array",
    "binary",
    "check_devices",
    "check_overlap",
    "check_writable",
    "empty_strided",
    "prepare_out",
    "register_zip",
    "result_dtype",
    "unary",
]

_NUMBERS = (bool, int, float, complex, numpy.number, numpy.bool_)
_LIMITED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """What an elementwise operation is made of.

    Attributes:
        name: PyTorch's name.
        numpy: the NumPy function over whole arrays.
        scalar: the same on single elements: the CUDA kernels are compiled from it.
        result: "same" (the promoted dtype), "float" (integers become the default float), "bool", or "real"
            (complex numbers give their real type).
        kernel: the name that PyTorch's "not implemented for" error carries.
        lacks: dtypes that PyTorch's kernel does not take.
        check: refuses operands with PyTorch's sentence, before anything is allocated.
        alpha: whether ``alpha=`` multiplies the second operand.
        half: whether 16-bit floats are computed in float32 and rounded once.
    """

    name: str
    numpy: Any
    scalar: Callable[..., Any] | None
    result: str = "same"
    kernel: str = ""
    lacks: tuple[dtype, ...] = _LIMITED
    check: Callable[..., None] | None = None
    alpha: bool = False
    ascending: Callable[[Array, Array], Array] | None = None


# -- dtype, device, size ------------------------------------------------------------------------------------------


def _higher(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """PyTorch's ``combine_categories``: the lower-priority operand matters only when its category is higher."""
    if higher is None:
        return lower
    if higher.is_complex or lower is None:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if higher.category == 0 or lower.category >= 2:
        return dtypes.promote_types(higher, lower)
    return higher


def result_dtype(*operands: Any) -> dtype:
    """The dtype of a result: tensors with dimensions decide, then 0-d tensors, then Python numbers.

    Within its category a number or a 0-d tensor promotes nothing that has dimensions.
    """
    with_dims: dtype | None = None
    zero_dim: dtype | None = None
    number: dtype | None = None
    for operand in operands:
        if not isinstance(operand, Tensor):
            kind = dtypes.of_number(operand.item() if isinstance(operand, numpy.generic) else operand)
            number = kind if number is None else dtypes.promote_types(number, kind)
        elif operand.dim() == 0:
            zero_dim = operand._dtype if zero_dim is None else dtypes.promote_types(zero_dim, operand._dtype)
        else:
            with_dims = (
                operand._dtype if with_dims is None else dtypes.promote_types(with_dims, operand._dtype)
            )
    found = _higher(with_dims, _higher(zero_dim, number))
    assert found is not None
    return found


def check_devices(operands: Iterable[Any]) -> device:
    """The one device of all tensors. A 0-d CPU tensor may join tensors elsewhere, as in PyTorch.

    Raises:
        DeviceMismatchError: when they live on two.
    """
    found: device | None = None
    scalars = False
    for operand in operands:
        if not isinstance(operand, Tensor):
            continue
        here = operand._device
        if here.type == "cpu" and operand.dim() == 0:
            scalars = True
        elif found is None:
            found = here
        elif found != here:
            raise DeviceMismatchError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{found} and {here}!\nMove one of them first: t.to('{found}') returns a copy there."
            )
    return found if found is not None or not scalars else CPU  # type: ignore[return-value]


def as_number_array(value: Any, kind: dtype) -> Array:
    """A Python number as a 0-d array; integers wrap around as in C.

    Raises:
        OverflowError: for an integer that 64 bits cannot hold.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if not -(2**63) <= value < 2**64:
            raise OverflowError("int too big to convert")
        whole = value - 2**64 if value >= 2**63 else value
        return cpu.cast(numpy.array(whole, numpy.int64), kind)
    return cpu.cast(numpy.array(value), kind)


# -- the output ---------------------------------------------------------------------------------------------------


def empty_strided(size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device) -> Tensor:
    """An uninitialised tensor with a storage that just fits the size and strides."""
    layout = Layout(size, stride, 0)
    if where.type == "cpu" and stride == layouts.contiguous_stride(size):
        return fresh(numpy.empty(size, kind.numpy), kind)
    return on_storage(allocate(layout.reach() * kind.itemsize, where), layout, kind)


def check_writable(out: Tensor) -> None:
    """Refuse to write where two elements share a slot: the order of writing would decide the result."""
    if out._lay().has_internal_overlap() == "yes":
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def _range(tensor: Tensor) -> tuple[int, int]:
    """The bytes of its storage that a tensor may touch, first and one past the last."""
    lay, item = tensor._lay(), tensor._dtype.itemsize
    return lay.offset * item, lay.reach() * item


def check_overlap(out: Tensor, source: Tensor) -> None:
    """Refuse an input that shares some, but not all, of the output's slots."""
    if out is source or out._storage is None or out._storage is not source._storage:
        return
    a, b = out._lay(), source._lay()
    if not a.numel or not b.numel:
        return
    # PyTorch compares only what it can compare cheaply: dense blocks of memory.
    if not a.is_non_overlapping_and_dense() or not b.is_non_overlapping_and_dense():
        return
    first, last = _range(out), _range(source)
    if first == last and a.stride == b.stride:
        return
    if first[0] < last[1] and last[0] < first[1]:
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def resize_out(out: Tensor, size: tuple[int, ...]) -> None:
    """Give an ``out=`` tensor the size of the result, with PyTorch's warning when it had elements to lose."""
    lay = out._lay()
    if lay.size == size:
        return
    if lay.numel:
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(lay.size)}, which does not match the required output shape {list(size)}. This behavior is "
            "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
            "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
            "t.resize_(0).",
            UserWarning,
            stacklevel=5,
        )
    target = Layout(size, layouts.contiguous_stride(size), lay.offset)
    storage = out._store()
    needed = target.reach() * out._dtype.itemsize
    if needed > storage.nbytes():
        storage.resize_(needed)
    out._adopt_geometry(storage, target)


def prepare_out(
    out: Any, size: tuple[int, ...], kind: dtype, where: device, sources: Iterable[Any]
) -> Tensor:
    """Check an ``out=`` tensor and give it the size of the result.

    Raises:
        TypeError: when it is no tensor.
        RuntimeError: when the result's dtype cannot be cast to its dtype, it is on another device, or its memory
            overlaps itself or an input.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    _check_castable(kind, out._dtype)
    if out._device != where:
        raise DeviceMismatchError(
            f"Expected all tensors to be on the same device, but found at least two devices, {where} and "
            f"{out._device}!"
        )
    resize_out(out, size)
    check_writable(out)
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(out, source)
    return out


def _check_castable(kind: dtype, target: dtype) -> None:
    if not dtypes.can_cast(kind, target):
        raise RuntimeError(
            f"result type {kind.label} can't be cast to the desired output type {target.label}"
        )


# -- kernels of other devices -------------------------------------------------------------------------------------

Zip = Callable[[Callable[..., Any], Tensor, tuple[Any, ...], dtype], None]
_zips: dict[str, Zip] = {"meta": lambda body, out, inputs, compute: None}


def register_zip(device_type: str, run: Zip) -> None:
    """Tell the pointwise mechanism how a kind of device runs a scalar body over operands."""
    _zips[device_type] = run


def _run(block: Pointwise, out: Tensor, operands: tuple[Any, ...], compute: dtype, alpha: Any) -> None:
    where = out._device
    if where.type == "cpu":
        arrays = tuple(o._nd() if isinstance(o, Tensor) else as_number_array(o, compute) for o in operands)
        if cpu.is_half(compute):
            arrays = tuple(_half_operand(o, a) for o, a in zip(operands, arrays, strict=True))
        if alpha is not None:
            scale = as_number_array(alpha, dtypes.float32 if cpu.is_half(compute) else compute)
            arrays = (arrays[0], cpu.quiet(numpy.multiply, cpu.cast(arrays[1], _wide(compute)), scale))
        cpu.zip_into(block.numpy, arrays, out._nd(), compute)
        return
    run = _zips.get(where.type)
    if run is None or block.scalar is None:
        raise MissingKernelError(
            f"Could not run 'aten::{block.name}' with arguments from the '{where.type.upper()}' backend."
        )
    numbers = operands if alpha is None else (*operands, alpha)
    run(_with_alpha(block) if alpha is not None else block.scalar, out, numbers, compute)


def _wide(compute: dtype) -> dtype:
    return dtypes.float32 if cpu.is_half(compute) else compute


def _half_operand(operand: Any, array: Array) -> Array:
    """A number keeps its float32 precision beside 16-bit tensors: it is never rounded to 16 bits first."""
    return array if isinstance(operand, Tensor) else as_number_array(operand, dtypes.float32)


_alpha_bodies: dict[str, Callable[..., Any]] = {}


def _with_alpha(block: Pointwise) -> Callable[..., Any]:
    body = _alpha_bodies.get(block.name)
    if body is None:
        inner = block.scalar
        assert inner is not None
        body = _add_scaled if block.name == "add" else _sub_scaled
        _alpha_bodies[block.name] = body
    return body


def _add_scaled(a: Any, b: Any, alpha: Any) -> Any:
    return a + b * alpha


def _sub_scaled(a: Any, b: Any, alpha: Any) -> Any:
    return a - b * alpha


# -- the whole way ------------------------------------------------------------------------------------------------


def _dtypes_of(block: Pointwise, operands: tuple[Any, ...]) -> tuple[dtype, dtype]:
    """The dtype to compute in and the dtype of the result."""
    compute = result_dtype(*operands)
    if block.result == "float" and compute.category < 2:
        compute = dtypes.get_default_dtype()
    if compute in block.lacks:
        raise missing_kernel(block.kernel or f"{block.name}_cpu", compute.label)
    if block.result == "bool":
        return compute, dtypes.bool  # type: ignore[return-value]
    return compute, compute.to_real() if block.result == "real" else compute


def _check_alpha(alpha: Any, kind: dtype) -> None:
    if isinstance(alpha, bool) and kind.category != 0:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind.category < 2:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not kind.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def apply(
    block: Pointwise,
    operands: tuple[Any, ...],
    *,
    alpha: Any = None,
    out: Tensor | None = None,
    inplace: bool = False,
) -> Tensor:
    """Run a pointwise operation on tensors and numbers, into a new tensor, `out`, or (`inplace`) the first operand.

    Raises:
        RuntimeError, TypeError, NotImplementedError: with PyTorch's sentences, before anything is written.
    """
    where = check_devices(operands)
    if block.check is not None:
        block.check(*operands)
    sizes = [o._lay().size for o in operands if isinstance(o, Tensor)]
    size = layouts.broadcast_sizes(*sizes)
    compute, kind = _dtypes_of(block, operands)
    if alpha is not None:
        _check_alpha(alpha, compute)
        alpha = None if alpha == 1 and not isinstance(alpha, bool) else alpha
    if inplace:
        target = operands[0]
        _prepare_inplace(target, size, kind, operands)
    elif out is not None:
        target = prepare_out(out, size, kind, where, operands)
    else:
        shapes = [o._lay() for o in operands if isinstance(o, Tensor)]
        target = empty_strided(size, layouts.iterator_strides(size, shapes), kind, where)
    if target.numel():
        _run(block, target, operands, compute, alpha)
    if inplace or out is not None:
        target._bump()
    return target


def _prepare_inplace(target: Tensor, size: tuple[int, ...], kind: dtype, operands: tuple[Any, ...]) -> None:
    own = target._lay().size
    if own != size:
        raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {list(size)}")
    _check_castable(kind, target._dtype)
    check_writable(target)
    for source in operands[1:]:
        if isinstance(source, Tensor):
            check_overlap(target, source)


# -- building the spellings ---------------------------------------------------------------------------------------

_Entry = tuple[Any, dtype]


def _fast_entries(block: Pointwise) -> tuple[dict[dtype, _Entry], dict[tuple[dtype, type], _Entry]]:
    """Where the ufunc alone gives PyTorch's result: by dtype for two tensors, by dtype and type for a number."""
    same: dict[dtype, _Entry] = {}
    number: dict[tuple[dtype, type], _Entry] = {}
    if block.numpy.__class__ is not numpy.ufunc:
        return same, number
    for kind in dtypes.ALL:
        if kind in block.lacks or cpu.is_half(kind) or (block.result == "float" and kind.category < 2):
            continue
        if block.check is not None and kind.category == 0:
            continue
        result: dtype = dtypes.bool if block.result == "bool" else kind  # type: ignore[assignment]
        try:
            loop = block.numpy.resolve_dtypes((kind.numpy, kind.numpy, None))
        except TypeError:
            continue
        if loop[-1] != result.numpy or loop[0] != kind.numpy:
            continue
        same[kind] = (block.numpy, result)
        if kind.category >= 1:
            number[kind, int] = (block.numpy, result)
        if kind.category >= 2:
            number[kind, float] = (block.numpy, result)
    return same, number


def _fast_binary(block: Pointwise) -> Callable[[Tensor, Any], Tensor | None]:
    same, number = _fast_entries(block)
    run, ndarray, new = cpu.quiet_here, numpy.ndarray, object.__new__

    def fast(a: Tensor, b: Any) -> Tensor | None:
        """The result when nothing has to be decided; None when `apply` must look."""
        x = a._array
        if x is None or not a._solid or a._autograd is not None:
            return None
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None or not b._solid or a._dtype is not b._dtype or b._autograd is not None:
                    return None
                ufunc, kind = same[a._dtype]
                if x.shape != y.shape:
                    return None
                array = run(ufunc, x, y)
            else:
                ufunc, kind = number[a._dtype, type(b)]
                array = run(ufunc, x, b)
        except (KeyError, OverflowError, RuntimeError):
            return None  # an unusual pair of dtypes, a number to wrap, or another thread inside: the long way
        out = new(Tensor)
        out._array = array if type(array) is ndarray else numpy.asarray(array)
        out._solid = True
        out._layout = None
        out._storage = None
        out._dtype = kind
        out._device = CPU
        out._counter = None
        out._base = None
        out._autograd = None
        return out

    return fast


def _fast_inplace(block: Pointwise) -> Callable[[Tensor, Any], bool]:
    same, number = _fast_entries(block)
    if block.result != "same":
        same, number = {}, {}
    run = cpu.quiet_here

    def fast(a: Tensor, b: Any) -> bool:
        x = a._array
        if x is None or not a._solid or a._autograd is not None:
            return False
        try:
            if type(b) is Tensor:
                y = b._array
                if y is None or not b._solid or a._dtype is not b._dtype or x.shape != y.shape:
                    return False
                if a is not b and a._storage is not None and a._storage is b._storage:
                    return False
                run(same[a._dtype][0], x, y, x)
            else:
                run(number[a._dtype, type(b)][0], x, b, x)
        except (KeyError, OverflowError, RuntimeError):
            return False
        counter = a._counter
        if counter is None:
            a._counter = [1]
        else:
            counter[0] += 1
        return True

    return fast


def _check_operand(name: str, value: Any, position: int, label: str, accepted: tuple[type, ...]) -> None:
    if not isinstance(value, accepted):
        raise TypeError(
            f"{name}(): argument '{label}' (position {position}) must be Tensor, not {type(value).__name__}"
        )


_SYMBOLS = {
    "__add__": "+",
    "__sub__": "-",
    "__mul__": "*",
    "__truediv__": "/",
    "__floordiv__": "//",
    "__mod__": "%",
    "__pow__": "**",
}


def _finish(
    block: Pointwise,
    function: Callable[..., Tensor],
    samples: Iterable[Sample],
    doc: str,
    spellings: tuple[tuple[str, ...], tuple[str, ...]],
    derivative: Callable[..., Any] | None,
) -> None:
    function.__name__ = function.__qualname__ = block.name
    function.__doc__ = doc
    caller = inspect.stack()[2].frame.f_globals["__name__"]
    function.__module__ = caller
    register(
        Op(
            block.name,
            function,
            tuple(samples),
            "pointwise",
            functions=spellings[0],
            methods=spellings[1],
            derivative=derivative,
            scalar=block.scalar,
            extra={"block": block},
        )
    )


def binary(
    block: Pointwise,
    *,
    doc: str,
    samples: Iterable[Sample],
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Callable[..., Any] | None = None,
    inplace: bool = True,
    second: str = "other",
    numbers: bool = True,
) -> Callable[..., Tensor]:
    """Build every spelling of a two-operand operation and register it; returns the function.

    Args:
        second: the keyword of the second operand: ``"other"`` or ``"exponent"``.
        numbers: whether the second operand may be a number.
        operators: the Python operators it serves: ``"__add__"``, reflected ``"__radd__"``, in-place ``"__iadd__"``.
    """
    fast, name = _fast_binary(block), block.name

    accepted = (Tensor, *_NUMBERS) if numbers else (Tensor,)

    def general(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
        _check_operand(name, other, 2, second, accepted)
        return apply(block, (input, other), alpha=alpha if block.alpha else None, out=out)

    def no_alpha(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
        return general(input, other, out=out)

    def to_exponent(input: Tensor, exponent: Any, *, out: Tensor | None = None) -> Tensor:
        return general(input, exponent, out=out)

    def with_alpha(input: Tensor, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
        return general(input, other, alpha=alpha, out=out)

    signature = with_alpha if block.alpha else to_exponent if second == "exponent" else no_alpha

    def function(*args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and len(args) == 2 and type(args[0]) is Tensor and not trace.active:
            result = fast(*args)
            if result is not None:
                return result
        return _checked(name, signature, args, kwargs, method=False)

    def method(*args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and len(args) == 2 and not trace.active:
            result = fast(*args)
            if result is not None:
                return result
        return _checked(name, signature, args, kwargs, method=True)

    function.__signature__ = inspect.signature(signature)  # type: ignore[attr-defined]
    method.__doc__ = doc
    names = (name, *aliases)
    for spelling in names:
        attach(spelling, method)
    changed = _attach_inplace(block, names, doc) if inplace else ()
    _attach_operators(block, operators, fast, signature)
    _finish(block, function, samples, doc, (names, (*names, *changed, *operators)), derivative)
    return function


def _checked(
    name: str, body: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool
) -> Tensor:
    """The long way in: a wrong call gets PyTorch's sentence, a listener gets its event."""
    sentence = explain(name, body, args, kwargs)
    if sentence is not None:
        sentence = sentence.replace("(position 2)", "(position 1)") if method else sentence
        raise TypeError(sentence)
    if method and len(args) == 2:
        _check_operand(name, args[1], 1, "other", (Tensor, *_NUMBERS))
    if not isinstance(args[0] if args else kwargs["input"], (Tensor, *_NUMBERS)):
        culprit = args[0] if args else kwargs["input"]
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(culprit).__name__}"
        )
    operands = [*args, *kwargs.values()]
    if not any(isinstance(o, Tensor) for o in operands[:2]):
        args = (fresh(numpy.array(args[0]), dtypes.of_number(args[0])), *args[1:])
    return call_traced(name, body, args, kwargs) if trace.active else body(*args, **kwargs)


def _attach_inplace(block: Pointwise, names: tuple[str, ...], doc: str) -> tuple[str, ...]:
    fast, name = _fast_inplace(block), block.name + "_"

    def general(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return apply(block, (input, other), alpha=alpha if block.alpha else None, inplace=True)

    def plain(input: Tensor, other: Any) -> Tensor:
        return apply(block, (input, other), inplace=True)

    signature = general if block.alpha else plain

    def method(*args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and len(args) == 2 and not trace.active and fast(*args):
            return args[0]  # type: ignore[no-any-return]
        return _checked(name, signature, args, kwargs, method=True)

    method.__name__ = name
    method.__doc__ = f"In-place form of ``{block.name}``: the result is written into this tensor."
    for spelling in names:
        attach(spelling + "_", method)
    return tuple(spelling + "_" for spelling in names)


def _attach_operators(
    block: Pointwise,
    operators: tuple[str, ...],
    fast: Callable[[Tensor, Any], Tensor | None],
    signature: Callable[..., Tensor],
) -> None:
    for operator in operators:
        if operator.startswith("__i"):
            attach(operator, _inplace_operator(block))
        elif operator.startswith("__r"):
            attach(operator, _reflected_operator(block, signature))
        else:
            attach(operator, _operator(block, fast, signature))


def _operator(
    block: Pointwise, fast: Callable[[Tensor, Any], Tensor | None], signature: Callable[..., Tensor]
) -> Callable[..., Any]:
    name = block.name

    def operator(self: Tensor, other: Any) -> Any:
        if not trace.active:
            result = fast(self, other)
            if result is not None:
                return result
        if not isinstance(other, (Tensor, *_NUMBERS)):
            return NotImplemented
        return call_traced(name, signature, (self, other), {}) if trace.active else signature(self, other)

    return operator


def _reflected_operator(block: Pointwise, signature: Callable[..., Tensor]) -> Callable[..., Any]:
    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, *_NUMBERS)):
            return NotImplemented
        if trace.active:
            return call_traced(block.name, signature, (other, self), {})
        return signature(other, self)

    return operator


def _inplace_operator(block: Pointwise) -> Callable[..., Any]:
    fast = _fast_inplace(block)

    def body(self: Tensor, other: Any) -> Tensor:
        return apply(block, (self, other), inplace=True)

    def operator(self: Tensor, other: Any) -> Any:
        if not trace.active and fast(self, other):
            return self
        if not isinstance(other, (Tensor, *_NUMBERS)):
            return NotImplemented
        return call_traced(block.name + "_", body, (self, other), {}) if trace.active else body(self, other)

    return operator


def unary(
    block: Pointwise,
    *,
    doc: str,
    samples: Iterable[Sample],
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Callable[..., Any] | None = None,
) -> Callable[..., Tensor]:
    """Build every spelling of a one-operand operation and register it; returns the function."""
    name = block.name

    def body(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        return apply(block, (input,), out=out)

    def alone(input: Tensor) -> Tensor:
        return apply(block, (input,))

    def inplace(input: Tensor) -> Tensor:
        return apply(block, (input,), inplace=True)

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if not isinstance(input, Tensor):
            raise TypeError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        kwargs = {} if out is None else {"out": out}
        return call_traced(name, body, (input,), kwargs) if trace.active else body(input, out=out)

    names = (name, *aliases)
    for spelling in names:
        attach(spelling, traced_method(name, alone))
        attach(spelling + "_", traced_method(name + "_", inplace))
    for operator in operators:
        attach(operator, traced_method(name, alone))
    methods = (*names, *(n + "_" for n in names), *operators)
    _finish(block, function, samples, doc, (names, methods), derivative)
    return function
