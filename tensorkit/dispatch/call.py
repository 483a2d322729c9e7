"""What a public function or method does around the body of its operation: tell listeners, take the fast
way, explain mistakes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from tensorkit import tracing
from tensorkit.dispatch.call_errors import (
    MISREAD,
    beyond_range,
    explain,
    from_numpy_names,
    told,
    unbound,
    unmatched,
)
from tensorkit.dispatch.out_and_inplace import into_others, needs_others, out_refused
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.recording import call_traced, signature_of, takes_self_alone, tracked
from tensorkit.dispatch.registry import F, registry
from tensorkit.dispatch.shortcut import Slot
from tensorkit.dispatch.signatures import Forms, of_function, of_method, refusal, without_self
from tensorkit.errors import unallocated, warn
from tensorkit.tensor import Tensor


def traced_method(
    name: str, body: Callable[..., Any], quick: Callable[..., Any] | None = None, slot: Slot | None = None
) -> Callable[..., Any]:
    """`body` as a method of `Tensor`: traced while a listener is there, its wrong calls explained.

    Args:
        quick: what may run instead where no listener is there and no operand wants a gradient.
        slot: where its shortcut is, which is asked first.
    """
    if takes_self_alone(body):
        return _method_alone(name, body)
    bare = body.__dict__.get("__positional__", body)
    plainly, whole = (bare, body) if quick is None else (quick, quick)
    slot = slot or Slot()

    @functools.wraps(body)
    def method(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            if tracing.active:
                return call_traced(name, body, args, kwargs)
            if not kwargs and (ask := slot.ask) is not None:
                out = ask(*args)
                if out is not None:
                    return out
            if not tracked(args):
                if not kwargs:
                    return plainly(*args)
                if "out" not in kwargs and not tracked(kwargs.values()):
                    return whole(*args, **kwargs)
            return body(*args, **kwargs) if kwargs else bare(*args)
        except MISREAD as error:
            answer = overridden(name, args, kwargs, method)
            if answer is not NotImplemented:
                return answer
            if args and not isinstance(args[0], Tensor):
                raise unbound(name, args[0]) from None
            renamed = from_numpy_names(body, kwargs) if kwargs else None
            earlier = _scaled_first(name, body, args, 1)
            if earlier is not None:
                return method(*earlier[0], **earlier[1], **kwargs)
            sentence = None if renamed else told(error, name, body, args, kwargs, method=True)
            if renamed is None and sentence is None:
                refused = beyond_range(error, name, body, args, kwargs)
                if refused is None:
                    raise
                raise refused from None
        if renamed is not None:
            try:
                return method(*args, **renamed)
            except TypeError as error:
                sentence = told(
                    error, name, body, args, kwargs, method=True
                )  # in the names that were written
                if sentence is None:
                    raise
        raise TypeError(sentence)

    return method


def _method_alone(name: str, body: Callable[[Any], Any]) -> Callable[..., Any]:
    """`traced_method` of a body that takes nothing but its tensor."""

    @functools.wraps(body)
    def alone(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if args:
            raise TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")
        if kwargs:
            raise TypeError(f"TensorBase.{name}() takes no keyword arguments")
        if not isinstance(self, Tensor):
            raise unbound(name, self)
        try:
            return call_traced(name, body, (self,), {}) if tracing.active else body(self)
        except MemoryError as error:
            raise unallocated(error) or error from None

    return alone


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


def _scaled_first(
    name: str, body: Callable[..., Any], args: tuple[Any, ...], place: int
) -> tuple[list[Any], dict[str, Any]] | None:
    """A call such as ``addmm(beta, input, alpha, mat1, mat2)`` as it is written today; None for any other call.

    Args:
        place: the position of `beta`: before the tensor, or for a method after it.
    """
    forms: Forms = body.__dict__.get("__forms__", Forms())
    if not forms.scaled or not 4 <= len(args) <= 5:
        return None
    if not isinstance(args[place], (int, float, complex)):
        return None
    tensors, scales = [v for v in args if isinstance(v, Tensor)], {"beta": args[place]}
    if len(args) == 5:
        scales["alpha"] = args[2]
    if len(tensors) != 3 or any(isinstance(v, Tensor) for v in scales.values()):
        return None
    texts = without_self(forms.texts)[:1] if place else forms.texts
    own = ["Tensor input"] if place == 0 else []
    second = ["Number alpha"] if len(args) == 5 else []
    named = texts[0].strip("()").split(", ")[len(own) : len(own) + 2]
    written = ", ".join(["Number beta", *own, *second, *named, *(["*", "Tensor out = None"] if own else [])])
    warn(
        f"This overload of {name} is deprecated:\n\t{name}({written})\n"
        "Consider using one of the following signatures instead:" + "".join(f"\n\t{name}{t}" for t in texts)
    )
    return tensors, scales


def as_function(
    name: str, body: Callable[..., Any], quick: Callable[..., Any], slot: Slot | None = None
) -> Callable[..., Any]:
    slot = slot or Slot()

    @functools.wraps(body)
    def function(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            out = kwargs.get("out")
            refused = None if out is None else out_refused(name, args, out)
            if refused is not None and "out" in signature_of(body).parameters:
                wrong = explain(name, body, args, kwargs)
                raise refused if wrong is None else TypeError(wrong)
            if tracing.active:
                return call_traced(name, body, args, kwargs)
            if not kwargs:
                if (ask := slot.ask) is not None:
                    out = ask(*args)
                    if out is not None:
                        return out
                if not tracked(args):
                    return quick(*args)
            if out is not None and needs_others(name, out) and not registry[name].out_drawn(kwargs):
                return into_others(name, body, args, kwargs)
            return body(*args, **kwargs)
        except MISREAD as error:
            answer = overridden(name, args, kwargs, function)
            if answer is not NotImplemented:
                return answer
            renamed = from_numpy_names(body, kwargs) if kwargs else None
            earlier = _scaled_first(name, body, args, 0)
            if earlier is not None:
                return function(*earlier[0], **earlier[1], **kwargs)
            sentence = None if renamed else told(error, name, body, args, kwargs)
            if renamed is None and sentence is None:
                refused = beyond_range(error, name, body, args, kwargs)
                if refused is None:
                    raise
                raise refused from None
        if renamed is not None:
            try:
                return function(*args, **renamed)
            except TypeError as error:
                sentence = told(error, name, body, args, kwargs)  # in the names that were written
                if sentence is None:
                    raise
        raise TypeError(sentence)

    return function
