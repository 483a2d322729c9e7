"""The errors of a wrong call, in PyTorch's words: which argument is missing, superfluous or of another type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy

from tensorkit.device import device
from tensorkit.dispatch.recording import arguments_of, signature_of
from tensorkit.dispatch.registry import F
from tensorkit.dispatch.signatures import (
    METHODS,
    Forms,
    Inner,
    as_listed,
    is_one_number,
    is_whole,
    of_function,
    of_method,
    of_python,
    refusal,
    too_few,
    too_many,
    type_name,
    unrecognised,
)
from tensorkit.dtypes import dtype
from tensorkit.errors import MissingKernelError, unallocated
from tensorkit.number_range import no_number
from tensorkit.tensor import Tensor

EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
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


def from_numpy_names(body: Callable[..., Any], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """A call's keywords in PyTorch's names, where some came in NumPy's; None where none did."""
    known = signature_of(body).parameters
    meant = {key: _NUMPY_NAMES[key] for key in kwargs if key in _NUMPY_NAMES and key not in known}
    if not meant or any(name not in known or name in kwargs for name in meant.values()):
        return None
    return {meant.get(key, key): value for key, value in kwargs.items()}


def takes(*texts: str, **more: Any) -> Callable[[F], F]:
    """Say in which forms PyTorch knows an operation, so that a wrong call is refused in its words.

    Args:
        texts, more: see `Forms`.
    """

    def note(body: F) -> F:
        body.__dict__["__forms__"] = Forms(texts, **more)
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
    texts = (of_method if method else of_function)(name)
    alone = method and (len(signature_of(body).parameters) == 1 if texts is None else texts == ("()",))
    if alone and kwargs:  # PyTorch has words of its own for methods that take nothing
        return f"TensorBase.{name}() takes no keyword arguments"
    if alone and len(args) > 1:
        return f"TensorBase.{name}() takes no arguments ({len(args) - 1} given)"
    if texts is not None:
        given = args[1:] if method else args
        if (sentence := refusal(name, texts, given, kwargs, unmatched)) is not None:
            return sentence
        if not any(_no_integer(value) for value in (*given, *kwargs.values())):
            return None
    kwargs = from_numpy_names(body, kwargs) or kwargs
    signature = signature_of(body)
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
        return too_few(name, missing)
    rest = args[len(positional) :]
    written = len(rest) > 1 and any(p.kind is p.VAR_POSITIONAL and p.name in _SIZES for p in parameters)
    if written and not acceptable(rest[0], (int,), "int"):  # only integers may be written one by one
        return f"{name}() takes 1 positional argument but {len(rest)} were given"
    wrong = _mistyped(name, asked, args, kwargs, method)
    if wrong is not None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return wrong
    filled = {p.name for p in positional[: len(args)]}
    listed = next(
        (p.name for p in parameters if p.kind is p.VAR_POSITIONAL and p.name in _LONG_LISTS), "args"
    )
    if listed != "args" and kwargs and not rest:
        label = _list_name(listed, parameters)
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
    return refusal(name, METHODS.get(name) or of_function(name) or (), args, kwargs, unmatched)


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
        accepted, label = EXPECTED.get(str(parameter.annotation), ((), ""))
        value, position = given.get(parameter.name, (None, 0))
        if parameter.name not in given or not accepted or acceptable(value, accepted, label):
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


def acceptable(value: Any, accepted: tuple[type, ...], label: str) -> bool:
    if label in ("Number", "float") and isinstance(value, Tensor):
        return is_one_number(value)
    if label in ("int", "tuple of ints", "tensorkit.device") and isinstance(value, bool):
        return False
    return (label in ("int", "tuple of ints") and is_whole(value)) or isinstance(value, accepted)


def _no_integer(value: Any) -> str | None:
    """The position of the first item that is not an integer, in PyTorch's words."""
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
    named = ", ".join(f"{key}={type_name(kwargs[key])}" for key in as_listed(kwargs))
    if named:
        shown = f"{shown}, {named}" if shown else f"{named}, "
    known = list(forms)
    if len(known) == 1 and (strange := unrecognised(known[0], kwargs)):
        return TypeError(
            f"{name}() received an invalid combination of arguments - got unrecognized keyword arguments: "
            + ", ".join(strange)
        )
    # PyTorch names a single form in the same line.
    listed = f"({known[0]})" if len(known) == 1 else "one of:\n" + "".join(f" * ({form})\n" for form in known)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({shown}), but expected {listed}"
    )


def unbound(name: str, value: Any) -> TypeError:
    """PyTorch's error for a method that is called on something other than a tensor: ``Tensor.add(2, t)``."""
    return TypeError(
        f"descriptor '{name}' for 'tensorkit._C.TensorBase' objects doesn't apply to a "
        f"'{type_name(value)}' object"
    )


def missing_kernel(kernel: str, label: str) -> MissingKernelError:
    """PyTorch's error for a dtype that an operation does not take."""
    return MissingKernelError(f"\"{kernel}\" not implemented for '{label}'")


# -- what a body ran into ----------------------------------------------------------------------------------------

#: What a body runs into when it meets an argument of the wrong type: PyTorch looks at the types before anything else,
#: so whatever went wrong, a call that does not fit is refused for that.
MISREAD = (TypeError, AttributeError, OverflowError, RuntimeError, ValueError, IndexError, MemoryError)

_OF_TYPES = (
    " must be ",
    "expected Tensor as element",
    "invalid combination of arguments",
    "failed to unpack",
)


def told(
    error: Exception, name: str, body: Any, args: Any, kwargs: Any, *, method: bool = False
) -> str | None:
    """`explain`, of a call that failed with an error: one that a body raised itself is not about how many arguments
    there were, for then it would not have begun."""
    sentence = explain(name, body, args, kwargs, method=method)
    if sentence is None or isinstance(error, (TypeError, AttributeError, OverflowError)):
        return sentence
    return sentence if any(sign in sentence for sign in _OF_TYPES) else None


_TOO_LONG_FOR_INT64 = "Overflow when unpacking long long"
_OF_NUMBERS = ("value cannot be converted", "result type ")


def beyond_range(
    error: Exception, name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    """PyTorch's refusal of an integer of more than 64 bits, which it gives before it looks at anything but types; or
    of more bytes than there is room for.

    Args:
        error: what the body made of it; None is returned where that may stay.
    """
    parameters = signature_of(body).parameters
    for key, value in arguments_of(body, args, kwargs).items():
        if key not in parameters:
            continue
        kind = str(parameters[key].annotation)
        listed = parameters[key].kind is inspect.Parameter.VAR_POSITIONAL and key in _LONG_LISTS
        if listed or (isinstance(value, (tuple, list)) and kind.startswith(("Dims", "Sequence[int]"))):
            parts = value[0] if listed and len(value) == 1 and isinstance(value[0], (tuple, list)) else value
            place = next((i for i, part in enumerate(parts, 1) if _is_long(part)), 0)
            label = _list_name(key, parameters.values())
            if place and (key == "args" or (listed and label == "dim" and parts is value)):
                return ValueError(_TOO_LONG_FOR_INT64)
            if place:
                return TypeError(
                    f"{name}(): argument '{label}' failed to unpack the object at "
                    f'pos {place} with error "{_TOO_LONG_FOR_INT64}\nan integer of more than 64 bits"'
                )
        elif _is_long(value):
            if kind.startswith(("int", "Dims", "Sequence[int]")):
                return ValueError(_TOO_LONG_FOR_INT64)
            if isinstance(error, (OverflowError, MissingKernelError)) or str(error).startswith(_OF_NUMBERS):
                return no_number(value)
    return unallocated(error)


#: What PyTorch calls a list of integers where we have another name for it.
_LONG_LISTS = (*_SIZES, "places", "counts", "args")
_LISTS = {"sizes": "size", "places": "dims", "counts": "dims"}


def _list_name(own: str, parameters: Iterable[inspect.Parameter]) -> str:
    """What PyTorch calls a list of integers: as the keyword that may stand for it, if there is one."""
    keyword = (p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in ("dim", *_SIZES))
    return next(keyword, _LISTS.get(own, own))


def _is_long(value: Any) -> bool:
    return value.__class__ is int and not -LIMIT <= value < LIMIT


LIMIT = 2**63
