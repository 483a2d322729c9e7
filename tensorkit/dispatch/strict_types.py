"""Arguments whose types are looked at before the body runs, for a body that would take what PyTorch refuses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.call_errors import EXPECTED, LIMIT, acceptable, unmatched
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.signatures import refusal, told_by_types
from tensorkit.tensor import Tensor


def strictly(body: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A body that is only run with arguments of the types which its forms or its annotations promise."""
    forms = body.__dict__.get("__forms__")
    texts = forms.texts if forms else ()
    ranged = _are_ranged(texts)
    look = _by_forms(name, texts) if texts else _by_annotations(body)
    usual: set[Any] = set()  # types of arguments that are taken, whatever the values

    @functools.wraps(body)
    def strict(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        # The type of one argument alone is looked up in half the time.
        kinds: Any = type(args[0]) if len(args) == 1 else tuple(map(type, args))
        if kwargs:
            kinds = kinds, tuple(kwargs), tuple(map(type, kwargs.values()))
        if kinds not in usual:
            look(usual, kinds, args, kwargs)
        elif ranged:
            for value in (*args, *kwargs.values()) if kwargs else args:
                if _is_long(value):
                    look(usual, kinds, args, kwargs)
        return body(*args, **kwargs)

    return strict


def _are_ranged(texts: tuple[str, ...]) -> bool:
    """Whether integers of more than 64 bits are refused here: not where one may be a number, or anything."""
    return not any(kind in text for text in texts for kind in ("Number", "float", "object"))


def _is_long(value: Any) -> bool:
    """Whether it is an integer of more than 64 bits, or a sequence with one in it."""
    if value.__class__ is int:
        return not -LIMIT <= value < LIMIT
    return (value.__class__ is tuple or value.__class__ is list) and any(map(_is_long, value))


def _by_forms(name: str, texts: tuple[str, ...]) -> Callable[..., None]:
    ranged = _are_ranged(texts)

    def look(usual: set[Any], kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if ranged and any(map(_is_long, (*args, *kwargs.values()))):
            raise OverflowError  # likewise
        # A sequence is known by the types in it too.
        within = [frozenset(map(type, v)) for v in (*args, *kwargs.values()) if isinstance(v, (tuple, list))]
        finer = (kinds, tuple(within)) if within else kinds
        if finer in usual:
            return
        shown = {key: value for key, value in kwargs.items() if value is not IN_PLACE}
        if refusal(name, texts, args, shown, unmatched) is not None:
            raise TypeError  # the caller says it in PyTorch's words
        if told_by_types(name, texts, args, shown):
            usual.add(finer)

    return look


def _by_annotations(body: Callable[..., Any]) -> Callable[..., None]:
    checks: dict[str, Callable[[Any], bool]] = {}

    def look(usual: set[Any], kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not checks:
            checks.update(_checks(body))
        by_types = [check(value) for check, value in zip(checks.values(), args, strict=False)]
        by_types += [checks[key](value) for key, value in kwargs.items() if key in checks]
        if all(by_types):
            usual.add(kinds)

    return look


def _checks(body: Callable[..., Any]) -> dict[str, Callable[[Any], bool]]:
    """By the name of each parameter, what refuses a value of a type that it does not take."""
    named = inspect.signature(body).parameters.values()
    return {p.name: _check_of(str(p.annotation), p.default) for p in named}


def _check_of(annotation: str, default: Any) -> Callable[[Any], bool]:
    accepted, label = EXPECTED.get(annotation, ((object,), ""))

    def check(value: Any) -> bool:
        """Whether the type alone says that the value is taken."""
        if value is not default and value is not IN_PLACE and not acceptable(value, accepted, label):
            raise TypeError  # the caller says it in PyTorch's words
        if label in ("int", "tuple of ints") and _is_long(value):
            raise OverflowError
        return label in ("", "Tensor") or not isinstance(value, Tensor)

    return check
