"""The registry of operations, and how a block in ``ops/`` becomes functions, methods and operators.

An operation is declared once, where it is written:

    @op(samples=(sample("tk.transpose(a, 0, 1)", a=(2, 3)),), aliases=("swapaxes", "swapdims"))
    def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
        ...

`op` writes it into the `registry`, gives `Tensor` the method, and returns the function for the namespace. Errors that
Python raises for a wrong call are put into PyTorch's words afterwards (`explain`), so a right call pays nothing.

Functions that only pass a call on say ``__tracebackhide__``: a traceback in a notebook then shows the learner's line
and the engine's sentence, and leaves out the way between.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, cast, overload

import numpy

from tensorkit import tracing
from tensorkit.conj_bit import resolved
from tensorkit.device import device
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.signatures import (
    METHODS,
    Inner,
    of_function,
    of_method,
    of_python,
    refusal,
    told_by_types,
    too_many,
    type_name,
    unrecognised,
    without_self,
)
from tensorkit.dtypes import dtype
from tensorkit.errors import SHARED_SLOTS, MissingKernelError, unallocated, warn
from tensorkit.number_range import no_number
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, attach

__all__ = [
    "Forms",
    "IN_PLACE",
    "Op",
    "Sample",
    "arguments_of",
    "by_layout",
    "call_traced",
    "differentiable",
    "explain",
    "missing_kernel",
    "offered",
    "offers",
    "op",
    "out_refused",
    "pair_recorder",
    "recorded",
    "recorded_call",
    "parameters",
    "register",
    "register_out_check",
    "register_recorder",
    "register_writer",
    "registry",
    "respelled",
    "sample",
    "several_recorder",
    "single_recorder",
    "takes",
    "traced_method",
    "unmatched",
    "view_method",
    "wants_grad",
]

P = ParamSpec("P")
R = TypeVar("R")


class Sample(NamedTuple):
    """One call to try an operation with; the test-suite draws dtypes and memory layouts for the operands.

    Attributes:
        call: an expression in ``tk`` (the namespace) and the operands, the same under PyTorch.
        sizes: the size of each tensor operand.
    """

    call: str
    sizes: Mapping[str, tuple[int, ...]]


def sample(call: str, /, **sizes: tuple[int, ...]) -> Sample:
    """A `Sample`: ``sample("tk.add(a, b, alpha=2)", a=(2, 3), b=(3,))``."""
    return Sample(call, sizes)


@dataclass(slots=True)
class Op:
    """All that is known about one operation.

    Attributes:
        name: PyTorch's name.
        function: what the namespace offers, or None for a method only.
        samples: calls that the tests draw their cases from.
        kind: "view", "pointwise", "reduce", "scan", "create", "copy" or "inplace".
        functions, methods: every public spelling, operators among the methods.
        derivative: how gradients pass back through it; None where there is none.
        scalar: the scalar body that device kernels are compiled from, where there is one.
        rounded: 0 when its values are PyTorch's to the last bit; otherwise how many times the usual tolerance of
            its dtype the tests allow, because its last digits depend on the order of additions or on a library.
    """

    name: str
    function: Callable[..., Any] | None
    samples: tuple[Sample, ...]
    kind: str
    functions: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    derivative: Any = None
    scalar: Callable[..., Any] | None = None
    rounded: float = 0
    extra: dict[str, Any] = field(default_factory=dict)


registry: dict[str, Op] = {}


def register(record: Op) -> Op:
    """Write an operation down; its name must be new."""
    if record.name in registry:
        raise RuntimeError(f"operation {record.name!r} is already registered")
    registry[record.name] = record
    return record


offered: dict[str, Callable[..., Any]] = {}
F = TypeVar("F", bound=Callable[..., Any])


def offers(function: F) -> F:
    """Put a plain question about tensors, such as ``is_tensor``, into the namespace: it is no operation."""
    offered[function.__name__] = function
    return function


# -- tracing ------------------------------------------------------------------------------------------------------


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def call_traced(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operation and tell the listeners; operations that it calls itself report one level deeper."""
    __tracebackhide__ = True
    depth = _depth.value
    _depth.value = depth + 1
    try:
        if tracing.calls:
            tracing.emit(tracing.CallEvent(name, args, kwargs, depth))
        output = body(*args, **kwargs)
    except BaseException as error:
        if tracing.calls:
            tracing.emit(tracing.FailEvent(name, error, depth))
        raise
    finally:
        _depth.value = depth
    if _after is not None:
        _after(args, output)
    if tracing.active:
        tracing.emit(tracing.OpEvent(name, args, dict(kwargs), output, depth))
    return output


# -- gradients ----------------------------------------------------------------------------------------------------

Recorder = Callable[..., Any]
_record: Recorder | None = None
_pair_recorder: Recorder | None = None
_single_recorder: Callable[[Any, Callable[..., Any], bool], Callable[..., Any] | None] | None = None
_several_recorder: Callable[..., Callable[..., Any] | None] | None = None
_after: Callable[[tuple[Any, ...], Any], None] | None = None
_record_inplace: Recorder | None = None


def register_recorder(
    outofplace: Recorder,
    inplace: Recorder,
    pair: Recorder,
    single: Callable[[Any, Callable[..., Any], bool], Callable[..., Any] | None],
    several: Callable[..., Callable[..., Any] | None],
    after: Callable[[tuple[Any, ...], Any], None],
) -> None:
    """Told by ``autograd`` how an operation is recorded, and what looks at the results of the long way."""
    global _record, _record_inplace, _pair_recorder, _single_recorder, _several_recorder, _after
    _record, _record_inplace, _pair_recorder = outofplace, inplace, pair
    _single_recorder, _several_recorder, _after = single, several, after


def pair_recorder(rule: Any, second: str, a: Tensor, b: Any) -> Callable[[Tensor, Tensor, Any], None]:
    """What notes the short way how an operation of two operands like these, which has just run, is differentiated."""
    if _pair_recorder is None:
        return lambda out, a, b: None
    return _pair_recorder(rule, second, a, b)  # type: ignore[no-any-return]


def wants_grad(tensor: Any) -> bool:
    """Whether autograd may have to look at this operand (a cheap question; the recorder asks the exact one)."""
    if not isinstance(tensor, Tensor):
        return False
    if tensor._autograd is not None:
        return True
    base = tensor._base
    return base is not None and base._autograd is not None


def arguments_of(body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """A call's arguments by the name of the parameter, defaults included."""
    names, rest, defaults = _parameters(body)
    given = defaults | dict(zip(names, args, strict=False))
    if rest is not None:
        given[rest] = args[len(names) :]
    return given | kwargs if kwargs else given


def parameters(body: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that positional arguments fill."""
    return _parameters(body)[0]


@functools.cache
def _signature(body: Callable[..., Any]) -> inspect.Signature:
    """`inspect.signature`, once: a call that is refused asks up to four times, and a lesson's may be refused often."""
    return inspect.signature(body)


@functools.cache
def _parameters(body: Callable[..., Any]) -> tuple[tuple[str, ...], str | None, dict[str, Any]]:
    """The positional parameters, the name of ``*args`` if there is one, and all parameters with their defaults."""
    parameters = inspect.signature(body).parameters.values()
    names = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    # In the order of the signature, so that the first argument stays the first of the dictionary.
    defaults = {p.name: None if p.default is p.empty else p.default for p in parameters}
    return names, rest, defaults


def recorded(
    rule: Any,
    name: str,
    body: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    kind: str,
) -> Any:
    """Run an operation through the recorder: some operand may want a gradient."""
    __tracebackhide__ = True
    arguments = arguments_of(body, args, kwargs)
    return recorded_call(rule, name, arguments, lambda: body(*args, **kwargs), kind)


def recorded_call(rule: Any, name: str, arguments: dict[str, Any], body: Callable[[], Any], kind: str) -> Any:
    """`recorded`, for callers that know their arguments by name."""
    __tracebackhide__ = True
    if _record is None or _record_inplace is None:
        return body()
    if kind == "inplace":
        return _record_inplace(rule, arguments, body)
    return _record(rule, name, arguments, body, is_view=kind == "view")


def single_recorder(rule: Any, body: Callable[..., Any], name: str, kind: str) -> Callable[..., Any]:
    """What runs and records an operation whose first operand alone wants a gradient: the short way of `recorded`."""
    made = (
        _single_recorder(rule, body, kind == "view")
        if _single_recorder is not None and kind != "inplace"
        else None
    )
    if made is None:
        return lambda *args, **kwargs: recorded(rule, name, body, args, kwargs, kind=kind)
    return made


def several_recorder(rule: Any, body: Callable[..., Any], name: str, **named: Any) -> Callable[..., Any]:
    """What runs and records an operation of several operands, all given by position: the short way of `recorded`.

    Args:
        named: where the body does not tell, ``names`` of its parameters, and ``arguments_of`` a call.
    """
    made = None if _several_recorder is None else _several_recorder(rule, body, name, **named)
    if made is None:
        return lambda *args: recorded(rule, name, body, args, {}, kind="copy")
    return made


def differentiable(body: Callable[..., Any], rule: Any, name: str, kind: str) -> Callable[..., Any]:
    """`body`, which asks its operands whether they want gradients before it runs."""
    if rule is None and kind != "inplace":
        return body
    if _takes_self_alone(body):
        record: Callable[..., Any] | None = None

        @functools.wraps(body)
        def alone(input: Any) -> Any:
            __tracebackhide__ = True
            if input._autograd is not None or (input._base is not None and input._base._autograd is not None):
                nonlocal record
                if record is None:  # made when first needed: `autograd` is loaded after this file
                    record = single_recorder(rule, body, name, kind)
                return record(input)
            return body(input)

        return alone

    if kind != "inplace" and len(rule.formulas) == 1:
        return _asking_first(body, rule, name, kind)
    noted = kind not in ("inplace", "view")
    record_several: Callable[..., Any] | None = None
    most = 0  # positional arguments that it takes

    @functools.wraps(body)
    def asking(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        for operand in args:
            what = operand.__class__
            if what is Tensor:
                if operand._autograd is not None:
                    break
                base = operand._base
                if base is not None and base._autograd is not None:
                    break
            elif what not in _PLAIN and isinstance(operand, Tensor):
                break  # of a subclass: the long way asks it
        else:
            if kwargs and any(map(wants_grad, kwargs.values())):
                return recorded(rule, name, body, args, kwargs, kind=kind)
            return body(*args, **kwargs)
        if kwargs or not noted or not _are_plain(args):
            return recorded(rule, name, body, args, kwargs, kind=kind)
        nonlocal record_several, most
        if record_several is None:
            record_several = several_recorder(rule, body, name)
            names, rest, _ = _parameters(body)
            most = len(names) if rest is None else -1
        if len(args) > most:
            return recorded(rule, name, body, args, kwargs, kind=kind)
        return record_several(*args)

    return asking


def _asking_first(body: Callable[..., Any], rule: Any, name: str, kind: str) -> Callable[..., Any]:
    """`differentiable` for an operation of which only the first operand can want a gradient: most of them."""

    record: Callable[..., Any] | None = None

    @functools.cache
    def record_several() -> Callable[..., Any]:
        """Beside a tensor of indices, or another that has no derivative."""
        return several_recorder(rule, body, name)

    @functools.cache
    def most() -> int:
        """How many positional arguments it takes."""
        names, rest, _ = _parameters(body)
        return len(names) if rest is None else -1

    @functools.wraps(body)
    def asking(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        nonlocal record
        if args:
            operand = args[0]
            if type(operand) is Tensor:
                if operand._autograd is None:
                    base = operand._base
                    if base is None or base._autograd is None:
                        return body(*args, **kwargs)
                if (len(args) == 1 and not kwargs) or _is_plain(args, kwargs):
                    if record is None:
                        record = single_recorder(rule, body, name, kind)
                    return record(*args, **kwargs)
                if not kwargs and kind != "view" and len(args) <= most() and _are_plain(args):
                    return record_several()(*args)
        if any(map(wants_grad, args)) or any(map(wants_grad, kwargs.values())):
            return recorded(rule, name, body, args, kwargs, kind=kind)
        return body(*args, **kwargs)

    return asking


def _are_plain(args: tuple[Any, ...]) -> bool:
    """Whether all arguments are tensors, or nothing that could change after the call."""
    for value in args:
        kind = value.__class__
        if kind is not Tensor and kind not in _PLAIN:
            return False
    return True


_PLAIN = frozenset((int, bool, float, type(None), str, dtype))


def _is_plain(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether there is nothing beside the first operand that could be a tensor, or change after the call."""
    for value in args[1:]:
        kind = value.__class__
        if kind not in _PLAIN:
            if kind is not tuple:
                return False
            for part in value:
                if part.__class__ is not int:
                    return False
    if not kwargs:
        return True
    return all(
        type(v) in _PLAIN or (type(v) is tuple and all(type(n) is int for n in v)) for v in kwargs.values()
    )


# -- errors of a wrong call, in PyTorch's words -------------------------------------------------------------------

_EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int, numpy.integer), "int"),
    "int | None": ((int, numpy.integer, type(None)), "int"),
    "Dims": ((int, numpy.integer, tuple, list), "tuple of ints"),
    "Dims | None": ((int, numpy.integer, tuple, list, type(None)), "tuple of ints"),
    "bool": ((bool,), "bool"),
    "float": ((int, float, numpy.number, Tensor), "float"),
    "float | None": ((int, float, numpy.number, Tensor, type(None)), "float"),
    "Number": ((bool, int, float, complex, numpy.number, numpy.bool_, Tensor), "Number"),
    "Sequence[int]": ((tuple, list), "tuple of ints"),
    "Sequence[int] | None": ((tuple, list, type(None)), "tuple of ints"),
    "str": ((str,), "str"),
    "str | None": ((str, type(None)), "str"),
    "DeviceLike": ((str, device, int, type(None)), "tensorkit.device"),
    "Tensor": ((Tensor,), "Tensor"),
    "Sequence[Tensor]": ((tuple, list), "tuple of Tensors"),
    "Tensor | None": ((Tensor, type(None)), "Tensor"),
    "dtype | None": ((dtype, type(None)), "tensorkit.dtype"),
}

#: Parameters that may be written as several arguments.
_SIZES = ("size", "sizes", "shape", "dims", "repeats")

#: Second names of parameters, most of them NumPy's, which PyTorch takes too.
_NUMPY_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
    "axis0": "dim0",
    "axis1": "dim1",
    "split_size_or_sections": "split_size",
    "indices": "indices_or_sections",
    "sections": "indices_or_sections",
}


def _from_numpy_names(body: Callable[..., Any], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """A call's keywords in PyTorch's names, where some came in NumPy's; None where none did."""
    known = _signature(body).parameters
    meant = {key: _NUMPY_NAMES[key] for key in kwargs if key in _NUMPY_NAMES and key not in known}
    if not meant or any(name not in known or name in kwargs for name in meant.values()):
        return None
    return {meant.get(key, key): value for key, value in kwargs.items()}


class Forms(NamedTuple):
    """The ways to call an operation of which PyTorch knows several, in its own words; `self` is the first parameter.

    Args:
        texts: such as ``"(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)"``.
    """

    texts: tuple[str, ...]

    def of(self, method: bool) -> list[str]:
        """The forms of the function, or those of the method: without the tensor itself, and without ``out=``."""
        if not method:
            return list(self.texts)
        return without_self(self.texts)


def takes(*texts: str) -> Callable[[F], F]:
    """Say in which forms PyTorch knows an operation, so that a wrong call is refused in its words."""

    def note(body: F) -> F:
        body.__dict__["__forms__"] = Forms(texts)
        return body

    return note


def explain(
    name: str,
    body: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    method: bool = False,
) -> str | None:
    """Why a call cannot have been meant, in PyTorch's words; None when its arguments fit the signature.

    Args:
        method: whether the first argument is `self`, which PyTorch does not count.
    """
    if (python := of_python(name, method)) is not None:
        return _told_by_python(python, args, kwargs)
    noted = getattr(body, "__forms__", None)
    texts: Iterable[str] | None
    if noted is not None and not (method and name in METHODS):
        texts = noted.of(method)
    else:
        texts = (of_method if method else of_function)(name)
    alone = method and (len(_signature(body).parameters) == 1 if texts is None else tuple(texts) == ("()",))
    if alone and kwargs:  # PyTorch has words of its own for methods that take nothing
        return f"TensorBase.{name}() takes no keyword arguments"
    if alone and len(args) > 1:
        return f"TensorBase.{name}() takes no arguments ({len(args) - 1} given)"
    if method and name == "apply_" and kwargs:
        return f"TensorBase.{name}() takes no keyword arguments"
    if method and name == "apply_" and len(args) != 2:
        return f"TensorBase.{name}() takes exactly one argument ({len(args) - 1} given)"
    if texts is not None:
        given = args[1:] if method else args
        if (sentence := refusal(name, texts, given, kwargs, unmatched)) is not None:
            return sentence
        if not any(_no_integer(value) for value in (*given, *kwargs.values())):
            return None
    kwargs = _from_numpy_names(body, kwargs) or kwargs
    signature = _signature(body)
    parameters = list(signature.parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(positional) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return _too_many(name, parameters[method:], len(args) - method)
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    asked = [*positional, *keywords]
    missing = [
        p.name
        for place, p in enumerate(asked)
        if p.default is p.empty and p.name not in kwargs and not place < min(len(args), len(positional))
    ]
    if missing:
        first = next(place for place, p in enumerate(asked) if p.name == missing[0])
        if (wrong := _mistyped(name, asked[:first], args, kwargs, method)) is not None:
            return wrong
        # All that follow are named, whether they were given or not.
        missing = [p.name for p in asked[first:] if p.default is p.empty]
        names = ", ".join(f'"{m}"' for m in missing)
        plural = "s" if len(missing) == 1 else ""  # as PyTorch has it
        return f"{name}() missing {len(missing)} required positional argument{plural}: {names}"
    rest = args[len(positional) :]
    written = len(rest) > 1 and any(p.kind is p.VAR_POSITIONAL and p.name in _SIZES for p in parameters)
    if written and not _acceptable(rest[0], (int,), "int"):  # only integers may be written one by one
        return f"{name}() takes 1 positional argument but {len(rest)} were given"
    wrong = _mistyped(name, asked, args, kwargs, method)
    if wrong is not None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return wrong
    filled = {p.name for p in positional[: len(args)]}
    listed = next(
        (p.name for p in parameters if p.kind is p.VAR_POSITIONAL and p.name in _LONG_LISTS), "args"
    )
    if listed != "args" and kwargs and not rest:
        label = _LISTS.get(name) or _LISTS.get(listed, listed)
        return f'{name}() missing 1 required positional arguments: "{label}"'
    for key in kwargs:  # PyTorch asks this last
        if key not in signature.parameters:
            return f"{name}() got an unexpected keyword argument '{key}'"
        if key in filled:
            return f"{name}() got multiple values for argument '{key}'"
    return None


def _told_by_python(
    function: Callable[..., Inner | None], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    """`explain` for what PyTorch has in Python: first Python looks at the call, then the operation that it leads to."""
    try:
        inner = function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    if inner is None:
        return None
    name, args, kwargs = inner
    texts = METHODS[name] if name in METHODS else of_function(name)
    return refusal(name.removeprefix("Tensor."), texts or (), args, kwargs, unmatched)


def _too_many(name: str, taken: list[inspect.Parameter], given: int) -> str:
    least = sum(p.default is p.empty for p in taken)
    return too_many(name, least, sum(p.kind is not p.KEYWORD_ONLY for p in taken), given)


def _mistyped(
    name: str,
    parameters: list[inspect.Parameter],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    method: bool,
) -> str | None:
    ordered = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    given = {key: (value, 0) for key, value in kwargs.items()}
    given |= {
        p.name: (value, i + 1 - method) for i, (p, value) in enumerate(zip(ordered, args, strict=False))
    }
    for parameter in parameters:
        accepted, label = _EXPECTED.get(str(parameter.annotation), ((), ""))
        value, position = given.get(parameter.name, (None, 0))
        if parameter.name not in given or not accepted or _acceptable(value, accepted, label):
            if label == "tuple of ints" and (wrong := _no_integer(value)) is not None:
                if wrong.startswith("pos 1 "):  # PyTorch looks at the first alone before it takes them all
                    kind = type_name(value[0])
                    found = (
                        f"but found element of type {kind} at pos 0"
                        if position
                        else f"not {type_name(value)}"
                    )
                    where = f"argument '{parameter.name}'" + (f" (position {position})" if position else "")
                    return f"{name}(): {where} must be tuple of ints, {found}"
                return f"{name}(): argument '{parameter.name}' failed to unpack the object at {wrong}"
            continue
        where = f"argument '{parameter.name}'" + (f" (position {position})" if position else "")
        return f"{name}(): {where} must be {label}, not {type_name(value)}"
    return None


def _acceptable(value: Any, accepted: tuple[type, ...], label: str) -> bool:
    if label in ("Number", "float") and isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad
    if label in ("int", "tuple of ints", "tensorkit.device") and isinstance(value, bool):
        return False
    if label in ("int", "tuple of ints"):
        if isinstance(value, Tensor):
            return value.numel() == 1 and value.dtype.category == 1
        if isinstance(value, numpy.ndarray):
            return value.ndim == 0 and value.dtype.kind in "iu"
        if hasattr(type(value), "__index__"):
            return True
    return isinstance(value, accepted)


def _no_integer(value: Any) -> str | None:
    """Where in a sequence of dimensions something is that is none, in PyTorch's words."""
    for place, part in enumerate(value if isinstance(value, (tuple, list)) else ()):
        if not hasattr(type(part), "__index__"):
            kind = type_name(part)
            return f'pos {place + 1} with error "type must be tuple of ints,but got {kind}"'
    return None


def unmatched(name: str, args: Iterable[Any], kwargs: Mapping[str, Any], forms: Iterable[str]) -> TypeError:
    """PyTorch's error for a call that fits none of an operation's forms.

    Args:
        args: the positional arguments that the caller wrote: without `self` for a method.
        forms: the parameters of each form, as text.
    """
    shown = ", ".join(type_name(value) for value in args)
    named = ", ".join(f"{key}={type_name(value)}" for key, value in reversed(list(kwargs.items())))
    if named:
        shown = f"{shown}, {named}" if shown else f"{named}, "
    known = list(forms)
    if len(known) == 1 and (strange := unrecognised(known[0], kwargs)):
        return TypeError(
            f"{name}() received an invalid combination of arguments - got unrecognized keyword arguments: "
            + ", ".join(strange)
        )
    # Of one form PyTorch says what it is, in the same line.
    listed = f"({known[0]})" if len(known) == 1 else "one of:\n" + "".join(f" * ({form})\n" for form in known)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({shown}), but expected {listed}"
    )


def missing_kernel(kernel: str, label: str) -> MissingKernelError:
    """PyTorch's error for a dtype that an operation does not take."""
    return MissingKernelError(f"\"{kernel}\" not implemented for '{label}'")


# -- wrapping -----------------------------------------------------------------------------------------------------

#: What a body runs into when it meets an argument of the wrong type: PyTorch looks at the types before anything else,
#: so whatever went wrong, a call that does not fit is told that it does not.
_MISREAD = (TypeError, AttributeError, OverflowError, RuntimeError, ValueError, IndexError, MemoryError)
_OF_TYPES = (
    " must be ",
    "expected Tensor as element",
    "invalid combination of arguments",
    "failed to unpack",
)


def _told(
    error: Exception, name: str, body: Any, args: Any, kwargs: Any, *, method: bool = False
) -> str | None:
    """`explain`, of a call that failed with an error: one that a body raised itself is not about how many arguments
    there were, for then it would not have begun."""
    sentence = explain(name, body, args, kwargs, method=method)
    if sentence is None or isinstance(error, (TypeError, AttributeError, OverflowError)):
        return sentence
    return sentence if any(sign in sentence for sign in _OF_TYPES) else None


_LONG = "Overflow when unpacking long long"
_OF_NUMBERS = ("value cannot be converted", "result type ")


def _beyond(
    error: Exception, name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    """PyTorch's refusal of an integer of more than 64 bits, which it gives before it looks at anything but types; or
    of more bytes than there is room for.

    Args:
        error: what the body made of it; None is returned where that may stay.
    """
    parameters = _signature(body).parameters
    for key, value in arguments_of(body, args, kwargs).items():
        if key not in parameters:
            continue
        kind = str(parameters[key].annotation)
        listed = parameters[key].kind is inspect.Parameter.VAR_POSITIONAL and key in _LONG_LISTS
        if listed or (isinstance(value, (tuple, list)) and kind.startswith(("Dims", "Sequence[int]"))):
            parts = value[0] if listed and len(value) == 1 and isinstance(value[0], (tuple, list)) else value
            place = next((i for i, part in enumerate(parts, 1) if _is_long(part)), 0)
            if place and (key == "args" or (name == "squeeze" and parts is value)):
                return ValueError(_LONG)
            if place:
                return TypeError(
                    f"{name}(): argument '{_LISTS.get(name) or _LISTS.get(key, key)}' failed to unpack the object at "
                    f'pos {place} with error "{_LONG}\nan integer of more than 64 bits"'
                )
        elif _is_long(value):
            if kind.startswith(("int", "Dims", "Sequence[int]")):
                return ValueError(_LONG)
            if isinstance(error, (OverflowError, MissingKernelError)) or str(error).startswith(_OF_NUMBERS):
                return no_number(value)
    return unallocated(error)


#: What PyTorch calls a list of integers where we have another name for it: by operation, or by our name.
_LONG_LISTS = (*_SIZES, "places", "counts", "args")
_LISTS = {"reshape": "shape", "squeeze": "dim", "sizes": "size", "places": "dims", "counts": "dims"}


def _is_long(value: Any) -> bool:
    return value.__class__ is int and not -_LIMIT <= value < _LIMIT


def _takes_self_alone(body: Callable[..., Any]) -> bool:
    """Whether the tensor is the only parameter (asked of the code: `inspect` is slow, and there are many)."""
    code = body.__code__
    star = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return code.co_argcount == 1 and not code.co_kwonlyargcount and not code.co_flags & star


def traced_method(
    name: str,
    body: Callable[..., Any],
    quick: Callable[..., Any] | None = None,
    first: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """`body` as a method of `Tensor`: traced when somebody listens, its wrong calls explained.

    Args:
        quick: what may run instead where nobody listens and no operand wants a gradient.
        first: see `op`.
    """
    if _takes_self_alone(body):

        @functools.wraps(body)
        def alone(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if args:
                raise TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")
            if kwargs:
                raise TypeError(f"TensorBase.{name}() takes no keyword arguments")
            return call_traced(name, body, (self,), {}) if tracing.active else body(self)

        return alone

    bare = body.__dict__.get("__positional__", body)
    plainly, whole = (bare, body) if quick is None else (quick, quick)

    @functools.wraps(body)
    def method(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            if tracing.active:
                return call_traced(name, body, args, kwargs)
            if first is not None and not kwargs:
                out = first(*args)
                if out is not None:
                    return out
            for value in args:
                # `wants_grad`, written out: the call would be a tenth of the whole.
                what = value.__class__
                if what is Tensor:
                    if value._autograd is not None:
                        break
                    base = value._base
                    if base is not None and base._autograd is not None:
                        break
                elif what not in _PLAIN and isinstance(value, Tensor):
                    break  # of a subclass: the long way asks it
            else:
                if not kwargs:
                    return plainly(*args)
                if "out" not in kwargs and not any(map(wants_grad, kwargs.values())):
                    return whole(*args, **kwargs)
            return body(*args, **kwargs) if kwargs else bare(*args)
        except _MISREAD as error:
            renamed = _from_numpy_names(body, kwargs) if kwargs else None
            earlier = _scaled_first(name, body, args, 1) if name in _SCALED else None
            if earlier is not None:
                return method(*earlier[0], **earlier[1], **kwargs)
            sentence = None if renamed else _told(error, name, body, args, kwargs, method=True)
            if renamed is None and sentence is None:
                refused = _beyond(error, name, body, args, kwargs)
                if refused is None:
                    raise
                raise refused from None
        if renamed is not None:
            try:
                return method(*args, **renamed)
            except TypeError as error:
                sentence = _told(
                    error, name, body, args, kwargs, method=True
                )  # in the names that were written
                if sentence is None:
                    raise
        raise TypeError(sentence)

    return method


# -- views --------------------------------------------------------------------------------------------------------


def by_layout(body: F) -> F:
    """Say of a view's body that its result is told by its tensor's layout and the integers given, by nothing else."""
    body.__dict__["__by_layout__"] = True
    return body


def _layout_of_view(input: Tensor, out: Any) -> Layout | None:
    """The layout of a result that differs in nothing else from its tensor; None for any other."""
    if type(out) is not Tensor or out is input or out._storage is not input._storage:
        return None
    plain = out._autograd is None and out._base is (input if input._base is None else input._base)
    return out._layout if plain else None


def _remembering(body: Callable[..., Any]) -> Callable[..., Any]:
    """The body of a view that is told `by_layout`: what it made of a layout for some integers, it makes again."""

    @functools.wraps(body)
    def remembering(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if kwargs or type(input) is not Tensor:
            return body(input, *args, **kwargs)
        for value in args:
            if value.__class__ is not int and not _are_integers(value):
                return body(input, *args)
        layout = input._layout
        if layout is None:
            layout = input._lay()
        if layout.made is None:  # no other layout knows it, and maybe nobody will ask it again
            return body(input, *args)
        key = (body, args)
        found = layout.made.get(key)
        if found is not None:
            return input._view(found)
        out = body(input, *args)
        found = _layout_of_view(input, out)
        if found is not None:
            layout.keep(key, found)
        return out

    return remembering


def _are_integers(value: Any) -> bool:
    return value.__class__ is tuple and all(part.__class__ is int for part in value)


def view_method(name: str, body: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """`traced_method` of a view that is told `by_layout`.

    Args:
        plain: what runs where no gradient is wanted.
    """
    quick = _remembering(plain)
    long = traced_method(name, body, quick)

    @functools.wraps(body)
    def method(self: Any = None, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if self.__class__ is not Tensor or kwargs or tracing.active:
            return long(self, *args, **kwargs)
        base = self._base
        if self._autograd is not None or (base is not None and base._autograd is not None):
            try:
                return body(self, *args)
            except _MISREAD:
                pass
            return long(self, *args)  # which says why
        # The short way of `_remembering`, written out.
        layout = self._layout
        if layout is not None:
            made = layout.made
            if made is not None:
                for value in args:
                    if value.__class__ is not int and not _are_integers(value):
                        break
                else:
                    found = made.get((plain, args))
                    if found is not None:
                        return self._view(found)
        return long(self, *args)

    return method


def respelled(function: F, known: str, name: str, *, method: bool = False) -> F:
    """The same operation under another of its names, which a wrong call is then told.

    Args:
        known: what the operation itself calls itself in its sentences.
        method: whether the first argument is `self`, which PyTorch does not count.
    """
    if name == known:
        return function

    @functools.wraps(function)
    def spelled(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Some names have forms of their own: more of them, or other names of the arguments.
            texts = (of_method if method else of_function)(name)
            given = args[1:] if method else args
            if texts and (refused := refusal(name, texts, given, kwargs, unmatched)) is not None:
                raise TypeError(refused) from None
            told = str(error)
            sentence = told.replace(f"{known}()", f"{name}()", 1)
            if sentence == told or not told.removeprefix("TensorBase.").startswith(f"{known}()"):
                raise
            raise TypeError(sentence) from None

    spelled.__name__ = name
    return cast(F, spelled)


#: Operations of which `beta` and `alpha` stood before the tensors that they scale, until 2020.
_SCALED = frozenset(n + end for n in ("addmm", "addmv", "addr", "addbmm", "baddbmm") for end in ("", "_"))


def _scaled_first(
    name: str, body: Callable[..., Any], args: tuple[Any, ...], place: int
) -> tuple[list[Any], dict[str, Any]] | None:
    """A call such as ``addmm(beta, input, alpha, mat1, mat2)`` as it is written today; None where it is none.

    Args:
        place: where `beta` stands: before the tensor, or for a method after it.
    """
    if not 4 <= len(args) <= 5 or not isinstance(args[place], (int, float, complex)):
        return None
    tensors, scales = [v for v in args if isinstance(v, Tensor)], {"beta": args[place]}
    if len(args) == 5:
        scales["alpha"] = args[2]
    if len(tensors) != 3 or any(isinstance(v, Tensor) for v in scales.values()):
        return None
    texts = body.__dict__["__forms__"].of(place == 1)[: 1 if place else None]
    own = ["Tensor input"] if place == 0 else []
    second = ["Number alpha"] if len(args) == 5 else []
    named = texts[0].strip("()").split(", ")[len(own) : len(own) + 2]
    written = ", ".join(["Number beta", *own, *second, *named, *(["*", "Tensor out = None"] if own else [])])
    warn(
        f"This overload of {name} is deprecated:\n\t{name}({written})\n"
        "Consider using one of the following signatures instead:" + "".join(f"\n\t{name}{t}" for t in texts)
    )
    return tensors, scales


def _function(
    name: str, body: Callable[..., Any], quick: Callable[..., Any], first: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    @functools.wraps(body)
    def function(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            out = kwargs.get("out")
            refused = None if out is None else out_refused(name, args, out)
            if refused is not None and "out" in _signature(body).parameters:
                wrong = explain(name, body, args, kwargs)
                raise refused if wrong is None else TypeError(wrong)
            if tracing.active:
                return call_traced(name, body, args, kwargs)
            if not kwargs:
                if first is not None:
                    out = first(*args)
                    if out is not None:
                        return out
                for value in args:
                    what = value.__class__
                    if what is Tensor:
                        if value._autograd is not None:
                            break
                        base = value._base
                        if base is not None and base._autograd is not None:
                            break
                    elif what not in _PLAIN and isinstance(value, Tensor):
                        break  # of a subclass: the long way asks it
                else:
                    return quick(*args)
            if out is not None and _needs_others(name, out) and not _resizes_first(name, kwargs):
                return _into_others(name, body, args, kwargs)
            return body(*args, **kwargs)
        except _MISREAD as error:
            renamed = _from_numpy_names(body, kwargs) if kwargs else None
            earlier = _scaled_first(name, body, args, 0) if name in _SCALED else None
            if earlier is not None:
                return function(*earlier[0], **earlier[1], **kwargs)
            sentence = None if renamed else _told(error, name, body, args, kwargs)
            if renamed is None and sentence is None:
                refused = _beyond(error, name, body, args, kwargs)
                if refused is None:
                    raise
                raise refused from None
        if renamed is not None:
            try:
                return function(*args, **renamed)
            except TypeError as error:
                sentence = _told(error, name, body, args, kwargs)  # in the names that were written
                if sentence is None:
                    raise
        raise TypeError(sentence)

    return function


def _check_memory(name: str, layout: Any, pin_memory: Any, where: Any) -> None:
    """Refuse what ``layout=`` and ``pin_memory=`` cannot be: there are strided tensors, in ordinary memory."""
    if layout is not None and type(layout).__name__ != "layout":
        raise TypeError(f"{name}(): argument 'layout' must be tensorkit.layout, not {type(layout).__name__}")
    if pin_memory is not None and not isinstance(pin_memory, bool):
        raise TypeError(f"{name}(): argument 'pin_memory' must be bool, not {type(pin_memory).__name__}")
    if pin_memory and (where is None or device(where).type != "meta"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system."
        )


def _may_require_grad(body: Callable[P, R]) -> Callable[P, R]:
    """A factory that also takes ``requires_grad=``, as PyTorch's do."""

    @functools.wraps(body)
    def create(
        *args: Any, requires_grad: bool = False, layout: Any = None, pin_memory: Any = None, **kwargs: Any
    ) -> Any:
        __tracebackhide__ = True
        if layout is not None or pin_memory is not None:
            _check_memory(body.__name__, layout, pin_memory, kwargs.get("device"))
        made: Any = body(*args, **kwargs)
        if requires_grad:
            if requires_grad is not True:
                raise TypeError("requires_grad must be bool")  # said in PyTorch's words by whoever called
            if made.dtype.category < 2:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            if _after is not None:
                _after((*args, *kwargs.values()), made)
            made.requires_grad_()
        return made

    create.__signature__ = later(lambda: _with_flags(inspect.signature(body)))  # type: ignore[attr-defined]
    return cast(Callable[P, R], create)


def _with_flags(signature: inspect.Signature) -> inspect.Signature:
    flags = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, default, kind in (
            ("layout", None, "Any"),
            ("pin_memory", False, "bool"),
            ("requires_grad", False, "bool"),
        )
    ]
    given = list(signature.parameters.values())
    last = given[-1:] if given and given[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    return signature.replace(parameters=[*given[: len(given) - len(last)], *flags, *last])


def _as_method(body: Callable[..., Any]) -> Callable[..., Any]:
    """The method form of a function: ``out=`` is the function's alone, as in PyTorch."""
    innermost = body
    while hasattr(
        innermost, "__wrapped__"
    ):  # `inspect.unwrap` takes a tenth of the time of importing the engine
        innermost = innermost.__wrapped__
    if "out" not in (innermost.__kwdefaults__ or {}):
        return body

    @functools.wraps(body)
    def method(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if "out" in kwargs:
            raise TypeError  # said in PyTorch's words by whoever wraps this
        return body(*args, **kwargs)

    method.__dict__["__positional__"] = body  # what runs where there are no keywords

    method.__signature__ = later(lambda: _without_out(inspect.signature(body)))  # type: ignore[attr-defined]
    return method


def _without_out(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "out"])


#: Given as ``out=`` to the body of a pointwise operation: write the result into the first operand.
IN_PLACE: Any = type("IN_PLACE", (), {"__repr__": lambda self: "IN_PLACE"})()
_write_back: Callable[[Tensor, Tensor], Tensor] | None = None
_deliver: Callable[[Tensor, Tensor, Any], Any] = lambda out, result, stride: out  # noqa: E731 - given by ``ops``


def register_writer(
    write_back: Callable[[Tensor, Tensor], Tensor], deliver: Callable[[Tensor, Tensor, Any], Any]
) -> None:
    """Told by ``ops`` how a result is written into the tensor that an in-place form was called on, or into ``out``."""
    global _write_back, _deliver
    _write_back, _deliver = write_back, deliver


OutCheck = Callable[[str, tuple[Any, ...], Any], "Exception | None"]
_check_outs: OutCheck = lambda name, args, out: None  # noqa: E731 - given by ``autograd``


def register_out_check(check: OutCheck) -> None:
    """Told by ``autograd`` what it has against tensors given as ``out=``."""
    global _check_outs
    _check_outs = check


def out_refused(name: str, args: tuple[Any, ...], out: Any) -> Exception | None:
    """Why the results of a function cannot be written into what was given as ``out=``; None when they can."""
    return _check_outs(name, args, out)


#: What writes as a view with bits asks for, or writes nothing.
_AWARE_OF_BITS = {"__setitem__", "as_strided_", "copy_", "detach_", "fill_", "zero_"}


def _through_bits(body: Callable[..., Any]) -> Callable[..., Any]:
    """A body that writes into its tensor: by way of a copy where that stands for conjugates or negatives."""

    @functools.wraps(body)
    def written(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not getattr(self, "_bits", 0):
            return body(self, *args, **kwargs)
        plain = self.clone()
        result = body(plain, *args, **kwargs)
        self.copy_(plain)
        return self if result is plain else result

    return written


def _is_shared(out: Any) -> bool:
    """Whether some elements of a tensor share a slot, for all that its strides tell."""
    if not isinstance(out, Tensor) or (out._array is not None and out._solid):
        return False
    return out._lay().has_internal_overlap() == "yes"


#: What PyTorch writes into shared slots all the same.
_CAREFREE = frozenset((
    "all", "amax", "amin", "any", "argmax", "argmin", "bmm", "cummax", "cummin", "empty", "eye", "frobenius_norm",
    "full", "histc", "linalg_matrix_rank", "linalg_vecdot", "linalg_vector_norm", "mv", "nanmean", "nansum", "norm",
    "ones", "prod", "rand", "randn", "randperm", "split_copy", "split_with_sizes_copy", "std", "sum", "tril", "triu",
    "unbind_copy", "var", "zeros",
))  # fmt: skip
#: What looks at the memory before it resizes an output, though its result has another size.
_LOOKS_FIRST = frozenset((
    "addcdiv", "addcmul", "addr", "clamp", "clamp_max", "clamp_min", "complex", "conj_physical", "deg2rad", "diff",
    "div", "float_power", "frexp", "ger", "index_select", "ldexp", "lerp", "logit", "masked_select", "max", "min",
    "nan_to_num", "nonzero", "outer", "polar", "polygamma", "rad2deg", "round", "scatter", "scatter_add",
    "scatter_reduce", "special_airy_ai",
    "special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_laguerre_polynomial_l",
    "special_legendre_polynomial_p", "special_round", "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1", "special_spherical_bessel_j0", "square", "take", "where",
    *(f"special_{old}chebyshev_polynomial_{kind}" for old in ("", "shifted_") for kind in "tuvw"),
))  # fmt: skip


def _needs_others(name: str, out: Any) -> bool:
    """Whether a result would be written into a view that stands for conjugates or negatives, or into shared slots."""
    given = out if isinstance(out, (tuple, list)) else (out,)
    return any(getattr(one, "_bits", 0) or (name not in _CAREFREE and _is_shared(one)) for one in given)


def _resizes_first(name: str, kwargs: Mapping[str, Any]) -> bool:
    """Whether PyTorch composes an operation of a silent resize and of a method that draws into what was given."""
    return name == "randn" or (name == "rand" and kwargs.get("generator") is not None)


def _into_others(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operation that writes its results into others than these, and write those into these.

    Raises:
        RuntimeError: when one whose elements share slots has the result's size already.
    """
    __tracebackhide__ = True
    given = kwargs["out"]
    alone = isinstance(given, Tensor)
    outs = (given,) if alone else tuple(given)
    shared = any(map(_is_shared, outs))
    if shared and name in _LOOKS_FIRST:
        raise RuntimeError(SHARED_SLOTS)
    # With one that may have to be refused, nothing is written into the others before that is known.
    plain = tuple(one.detach().clone() if shared else resolved(one) for one in outs)
    counts = [one._version for one in outs]
    try:
        result = body(*args, **{**kwargs, "out": plain[0] if alone else plain})
    except Exception:
        for one, count in zip(outs, counts, strict=True):
            if one._counter is not None:  # of a way around PyTorch counts only what has succeeded
                one._counter[0] = count
        raise
    pairs = [(one, other) for one, other in zip(outs, plain, strict=True) if one is not other]
    if any(_is_shared(one) and one._lay().size == other._lay().size for one, other in pairs):
        raise RuntimeError(SHARED_SLOTS)
    for one, other in pairs:
        if shared and one._lay().size != other._lay().size:  # of which the warning has been given
            one._adopt_geometry(one._store(), Layout((0,), (1,), one._lay().offset))
        _deliver(one, other, other._lay().stride if shared else None)
        if kwargs.get("requires_grad"):
            one.requires_grad_()
    if alone or result is None:
        return given if result is plain[0] else result
    own = {id(other): one for one, other in zip(outs, plain, strict=True)}
    return type(result)(own.get(id(part), part) for part in result)


_LIMIT = 2**63


def _strictly(body: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A body that is only run with arguments of the types which its forms or its annotations promise."""
    noted = getattr(body, "__forms__", None)
    texts = of_function(name) if noted is None else noted.texts
    return _by_annotations(body) if texts is None else _by_forms(body, name, tuple(texts))


def _by_forms(body: Callable[..., Any], name: str, texts: tuple[str, ...]) -> Callable[..., Any]:
    usual: set[Any] = set()  # types of arguments that some form takes, whatever the values

    def look(kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        # A sequence is known by the types in it too.
        within = [frozenset(map(type, v)) for v in (*args, *kwargs.values()) if isinstance(v, (tuple, list))]
        finer = (kinds, tuple(within)) if within else kinds
        if finer in usual:
            return
        shown = {key: value for key, value in kwargs.items() if value is not IN_PLACE}
        if refusal(name, texts, args, shown, unmatched) is not None:
            raise TypeError  # said in PyTorch's words by whoever called
        if told_by_types(name, texts, args, shown):
            usual.add(finer)

    @functools.wraps(body)
    def strict(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        # Of one argument its type alone, which is looked up in half the time.
        kinds: Any = type(args[0]) if len(args) == 1 else tuple(map(type, args))
        if not kwargs:
            if kinds not in usual:
                look(kinds, args, kwargs)
            return body(*args)
        kinds = kinds, tuple(kwargs), tuple(map(type, kwargs.values()))
        if kinds not in usual:
            look(kinds, args, kwargs)
        return body(*args, **kwargs)

    return strict


def _by_annotations(body: Callable[..., Any]) -> Callable[..., Any]:
    checks: dict[str, Callable[[Any], bool]] = {}
    usual: set[Any] = set()  # types of arguments that are taken, whatever the values

    def look(kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not checks:
            checks.update(_checks(body))
        by_types = [check(value) for check, value in zip(checks.values(), args, strict=False)]
        by_types += [checks[key](value) for key, value in kwargs.items() if key in checks]
        if all(by_types):
            usual.add(kinds)

    @functools.wraps(body)
    def strict(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        kinds: Any = tuple(map(type, args))
        if kwargs:
            kinds = kinds, tuple(kwargs), tuple(map(type, kwargs.values()))
        if kinds not in usual:
            look(kinds, args, kwargs)
        else:
            for value in (*args, *kwargs.values()) if kwargs else args:
                if value.__class__ is int and not -_LIMIT <= value < _LIMIT:
                    look(kinds, args, kwargs)
        return body(*args, **kwargs)

    return strict


def _checks(body: Callable[..., Any]) -> dict[str, Callable[[Any], bool]]:
    """By the name of each parameter, what refuses a value of a type that it does not take."""
    named = inspect.signature(body).parameters.values()
    return {p.name: _check_of(str(p.annotation), p.default) for p in named}


def _check_of(annotation: str, default: Any) -> Callable[[Any], bool]:
    accepted, label = _EXPECTED.get(annotation, ((object,), ""))

    def check(value: Any) -> bool:
        """Whether the type alone says that the value is taken."""
        if value is not default and value is not IN_PLACE and not _acceptable(value, accepted, label):
            raise TypeError  # said in PyTorch's words by whoever called
        if label == "int" and type(value) is int and not -_LIMIT <= value < _LIMIT:
            raise OverflowError
        return label in ("", "Tensor") or not isinstance(value, Tensor)

    return check


def _inplace_values(
    body: Callable[..., Any], rule: Any, name: str, kind: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The form ``name_``, which writes its result into its tensor; and what of it runs where no gradient is wanted."""

    @functools.wraps(body)
    def inplace(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if kind in ("pointwise", "scan"):
            return cast(Tensor, body(self, *args, out=IN_PLACE, **kwargs))
        assert _write_back is not None
        return _write_back(self, body(self, *args, **kwargs))

    asking = differentiable(inplace, rule, name + "_", "inplace")
    asking.__doc__ = f"In-place form of ``{name}``: the result is written into this tensor."
    return asking, inplace


def _inplace_view(body: Callable[..., Any], rule: Any) -> Callable[..., Any]:
    """The form of a view operation that changes the tensor's own layout, such as ``t_``."""

    @functools.wraps(body)
    def inplace(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        layout = body(self, *args, **kwargs)._lay()
        self._adopt_geometry(self._store(), layout)
        self._bump()
        return self

    asking = differentiable(inplace, rule, body.__name__ + "_", "inplace")
    asking.__doc__ = f"In-place form of ``{body.__name__}``: this tensor itself gets the new layout."
    return asking


@overload
def op(  # what creates takes ``requires_grad=`` besides
    *,
    samples: Iterable[Sample],
    kind: Literal["create"],
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    methods: tuple[str, ...] | None = None,
    inplace: bool = False,
    derivative: Any = None,
    inplace_derivative: Any = None,
    grad_flag: bool | None = None,
    rounded: float = 0,
    namespace: str = "",
    strict: bool = False,
    first: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., R]], Callable[..., R]]: ...


@overload
def op(
    *,
    samples: Iterable[Sample],
    kind: Literal["view", "copy", "inplace", "pointwise", "reduce", "resize", "scan"] = "view",
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    methods: tuple[str, ...] | None = None,
    inplace: bool = False,
    derivative: Any = None,
    inplace_derivative: Any = None,
    grad_flag: bool | None = None,
    rounded: float = 0,
    namespace: str = "",
    strict: bool = False,
    first: Callable[..., Any] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def op(
    *,
    samples: Iterable[Sample],
    kind: str = "view",
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    methods: tuple[str, ...] | None = None,
    inplace: bool = False,
    derivative: Any = None,
    inplace_derivative: Any = None,
    grad_flag: bool | None = None,
    rounded: float = 0,
    namespace: str = "",
    strict: bool = False,
    first: Callable[..., Any] | None = None,
) -> Any:
    """Register the decorated function as an operation.

    Args:
        samples: calls for the tests.
        kind: what family it belongs to.
        name: PyTorch's name; the function's own name if not given.
        aliases: further spellings, as functions and as methods.
        function: whether the namespace offers it.
        methods: the method spellings, if they differ from the name and its aliases; ``()`` for none.
        inplace: whether to derive ``name_``: of a view the form that changes this tensor's own layout, of anything
            else the form that writes into this tensor. The body of a pointwise operation or a scan is then called with
            ``out=IN_PLACE``, which `elementwise.apply` understands; other results are copied into the tensor.
        derivative: how gradients pass back through it.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        grad_flag: whether it takes ``requires_grad=``; by default, if it creates tensors.
        rounded: by how many times the usual tolerance its values may differ from PyTorch's; 0 for none.
        namespace: ``"linalg"`` for ``tensorkit.linalg.name``; it is registered as ``linalg_name``, has no methods
            unless they are named, and the namespace's module imports it by hand.
        first: what is tried before all else where nobody listens and there are no keywords: it takes whatever it is
            given, and returns None where it does not know the result at once, or an operand may want a gradient.
        strict: whether to look at the types of the arguments first, for a body that would take what PyTorch refuses:
            ``3`` for a bool, ``True`` for an integer.
    """

    def register_as(body: Callable[P, R]) -> Callable[P, R]:
        short = name or body.__name__
        own = f"{namespace}_{short}" if namespace else short
        bare: Callable[..., Any] | None = None
        if kind == "create" if grad_flag is None else grad_flag:
            bare, body = _strictly(body, own) if strict else body, _may_require_grad(body)
        if kind == "inplace" and own not in _AWARE_OF_BITS:
            body = _through_bits(body)
        if strict:
            body = _strictly(body, own)
        told = "__by_layout__" in body.__dict__
        # A body without a derivative of its own is made of operations, which have to be recorded.
        noted = _remembering(body) if told and derivative is not None else body
        plain, body = body, differentiable(noted, derivative, own, kind)
        spelled = (short, *aliases)
        given = (() if namespace else spelled) if methods is None else methods
        # Without keywords nothing asks for a gradient.
        public = _function(own, body, plain if bare is None else bare, first)
        for spelling in given:
            if told:
                method = view_method(own, _as_method(body), plain)
            else:
                method = traced_method(own, _as_method(body), plain, first)
            attach(spelling, respelled(method, own, spelling if spelling in aliases else own, method=True))
        if inplace:
            if kind == "view":
                changing = _inplace_view(plain, None if derivative is None else derivative.inplace())
                writing = None
            else:
                changing, writing = _inplace_values(plain, inplace_derivative or derivative, own, kind)
            for spelling in given:
                method = traced_method(own + "_", _as_method(changing), writing)
                attach(
                    spelling + "_",
                    respelled(
                        method, own + "_", (spelling if spelling in aliases else own) + "_", method=True
                    ),
                )
        register(
            Op(
                own,
                public if function else None,
                tuple(samples),
                kind,
                functions=tuple(f"{namespace}.{n}" if namespace else n for n in spelled) if function else (),
                methods=(*given, *(f"{m}_" for m in given if inplace)),
                derivative=derivative,
                rounded=rounded,
            )
        )
        return cast(Callable[P, R], public)

    return register_as
