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
from tensorkit.dispatch.autocasting import cast_for
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor

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
        if depth == 0:
            args, kwargs = cast_for(name, args, kwargs)
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
_recorder: Callable[..., Callable[..., Any]] | None = None
_pair_recorder: Callable[..., Callable[[Tensor, Tensor, Any], None]] | None = None
_after: Callable[[tuple[Any, ...], Any], None] | None = None
_record_inplace: Recorder | None = None
_outs: Callable[[str, tuple[Any, ...], Any], Exception | None] | None = None


def register_recorder(
    outofplace: Recorder,
    inplace: Recorder,
    recorder: Callable[..., Callable[..., Any]],
    pair: Callable[..., Callable[[Tensor, Tensor, Any], None]],
    after: Callable[[tuple[Any, ...], Any], None],
    outs: Callable[[str, tuple[Any, ...], Any], Exception | None],
) -> None:
    """``autograd``, which is built on this module, registers how an operation is recorded.

    Args:
        after: looks at the results of the long way.
        outs: refuses tensors given as ``out=``.
    """
    global _record, _record_inplace, _recorder, _pair_recorder, _after, _outs  # read in every call that is recorded
    _record, _record_inplace, _recorder, _pair_recorder = outofplace, inplace, recorder, pair
    _after, _outs = after, outs


def check_outs(name: str, args: tuple[Any, ...], out: Any) -> Exception | None:
    """What autograd has against tensors given as ``out=``; None where it has nothing."""
    return None if _outs is None else _outs(name, args, out)


def pair_recorder(
    rule: Any, name: str, second: str, a: Tensor, b: Any
) -> Callable[[Tensor, Tensor, Any], None]:
    """What notes the fast path how an operation of two operands like these, which has just run, is differentiated."""
    if _pair_recorder is None:
        return lambda out, a, b: None
    return _pair_recorder(rule, name, second, a, b)


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


def recorder(
    rule: Any, body: Callable[..., Any], name: str, kind: str = "copy", **known: Any
) -> Callable[..., Any]:
    """What runs and records an operation that does not write in place: the short way of `recorded`.

    Args:
        known: what the body does not tell, see `autograd.record.recorder`.
    """
    return body if _recorder is None else _recorder(rule, body, name, kind == "view", **known)


def differentiable(body: Callable[..., Any], rule: Any, name: str, kind: str) -> Callable[..., Any]:
    """`body`, which asks its operands whether they want gradients before it runs."""
    if rule is None and kind != "inplace":
        return body

    record: Callable[..., Any] | None = None  # made when first needed: `autograd` is loaded after this file
    if takes_self_alone(body) and kind != "inplace":

        @functools.wraps(body)
        def alone(input: Any) -> Any:
            __tracebackhide__ = True
            if not wants_grad(input):
                return body(input)
            nonlocal record
            if record is None:
                record = recorder(rule, body, name, kind)
            return record(input)

        return alone

    @functools.wraps(body)
    def asking(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not tracked(args) and not (kwargs and tracked(kwargs.values())):
            return body(*args, **kwargs)
        if kind == "inplace" or not (
            args and _are_plain(args) and (not kwargs or _are_plain(kwargs.values(), tensors=False))
        ):
            return recorded(rule, name, body, args, kwargs, kind=kind)
        nonlocal record
        if record is None:
            record = recorder(rule, body, name, kind)
        return record(*args, **kwargs)

    return asking


PLAIN: frozenset[type] = frozenset((int, bool, float, type(None), str, dtype))


def _are_plain(values: Iterable[Any], tensors: bool = True) -> bool:
    """Whether all arguments are tensors, or nothing that could change after the call: numbers, names, sizes."""
    for value in values:
        kind = value.__class__
        if kind in PLAIN or (tensors and isinstance(value, Tensor)):
            continue
        if kind is not tuple or not all(part.__class__ is int for part in value):
            return False
    return True


def takes_self_alone(body: Callable[..., Any]) -> bool:
    """Whether the tensor is the only parameter (asked of the code: `inspect` is slow, and there are many)."""
    code = body.__code__
    star = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return code.co_argcount == 1 and not code.co_kwonlyargcount and not code.co_flags & star
