"""Calling an operation so that listeners hear of it and gradients are recorded.

The recorder itself is in `autograd`, which says here how it is called.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from typing import Any

from tensorkit import tracing
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor

__all__ = [
    "after_call",
    "PLAIN",
    "arguments_of",
    "call_traced",
    "differentiable",
    "pair_recorder",
    "parameters",
    "recorded",
    "recorded_call",
    "register_recorder",
    "several_recorder",
    "signature_of",
    "single_recorder",
    "takes_self_alone",
    "tracked",
    "wants_grad",
]

# -- tracing ------------------------------------------------------------------------------------------------------


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def after_call(args: tuple[Any, ...], output: Any) -> None:
    """Show the results of the long way to the recorder: some are such that nothing is ever recorded of them."""
    if _after is not None:
        _after(args, output)


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
    after_call(args, output)
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


def tracked(args: Iterable[Any]) -> bool:
    """`wants_grad`, of any of a call's arguments."""
    for value in args:
        kind = value.__class__
        if kind is Tensor:
            if value._autograd is not None:
                return True
            base = value._base
            if base is not None and base._autograd is not None:
                return True
        elif kind not in PLAIN and wants_grad(value):
            return True
    return False


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
def signature_of(body: Callable[..., Any]) -> inspect.Signature:
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
    if takes_self_alone(body):
        record: Callable[..., Any] | None = None

        @functools.wraps(body)
        def alone(input: Any) -> Any:
            __tracebackhide__ = True
            if wants_grad(input):
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
        if not tracked(args):
            if kwargs and tracked(kwargs.values()):
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
                if not wants_grad(operand):
                    return body(*args, **kwargs)
                if (len(args) == 1 and not kwargs) or _is_plain(args, kwargs):
                    if record is None:
                        record = single_recorder(rule, body, name, kind)
                    return record(*args, **kwargs)
                if not kwargs and kind != "view" and len(args) <= most() and _are_plain(args):
                    return record_several()(*args)
        if tracked(args) or tracked(kwargs.values()):
            return recorded(rule, name, body, args, kwargs, kind=kind)
        return body(*args, **kwargs)

    return asking


def _are_plain(args: tuple[Any, ...]) -> bool:
    """Whether all arguments are tensors, or nothing that could change after the call."""
    for value in args:
        kind = value.__class__
        if kind is not Tensor and kind not in PLAIN:
            return False
    return True


PLAIN = frozenset((int, bool, float, type(None), str, dtype))


def _is_plain(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether there is nothing beside the first operand that could be a tensor, or change after the call."""
    for value in args[1:]:
        kind = value.__class__
        if kind not in PLAIN:
            if kind is not tuple:
                return False
            for part in value:
                if part.__class__ is not int:
                    return False
    if not kwargs:
        return True
    return all(
        type(v) in PLAIN or (type(v) is tuple and all(type(n) is int for n in v)) for v in kwargs.values()
    )


def takes_self_alone(body: Callable[..., Any]) -> bool:
    """Whether the tensor is the only parameter (asked of the code: `inspect` is slow, and there are many)."""
    code = body.__code__
    star = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return code.co_argcount == 1 and not code.co_kwonlyargcount and not code.co_flags & star
