"""All spellings of a pointwise operation on one tensor, from the function that says what it does."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, Unpack

from tensorkit import tracing
from tensorkit.dispatch.call import respelled, traced_method
from tensorkit.dispatch.call_errors import unmatched
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.recording import call_traced, differentiable, recorded_call, wants_grad
from tensorkit.dispatch.signatures import refusal
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import BlockFields, Pointwise, block_of
from tensorkit.elementwise.caller import finish, within
from tensorkit.tensor import Tensor, attach


def unary(
    numpy: Any,
    scalar: Any = None,
    /,
    *,
    name: str = "",
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Any = None,
    inplace_derivative: Any = None,
    inplace: bool = True,
    out_check: Callable[[Tensor, Tensor], None] | None = None,
    namespace: str = "",
    **fields: Unpack[BlockFields],
) -> Callable[[Callable[..., Any]], Callable[..., Tensor]]:
    """Make every spelling of a unary operation from a function of one element.

    The function's signature says whether there is ``out=``, its docstring is the operation's. What runs is its equal
    over arrays, and on devices the scalar body.

    Args:
        numpy: the same over arrays. scalar: the same on single elements, which kernels are compiled from.
        name: PyTorch's, if it is not the function's.
        operators: the Python operators it serves, such as ``"__neg__"``.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        inplace: whether to derive ``name_``.
        out_check: refuses a tensor given as ``out=`` with PyTorch's sentence; it is given the operand too.
        namespace: ``"special"`` for ``tensorkit.special.name``: a function and nothing else. The operation is then
            called ``special_name``, and the namespace's module imports it by hand.
        fields: of the block, and further ones of the operation: see `Pointwise` and `Op`.
    """

    def decorate(body: Callable[..., Any]) -> Callable[..., Tensor]:
        own = name or (f"{namespace}_{body.__name__}" if namespace else body.__name__)
        block = block_of(own, numpy, scalar, fields)
        methods = () if namespace else (block.name, *aliases)
        takes_out = "out" in body.__annotations__
        made = _spellings(
            block, body.__doc__, takes_out, derivative, inplace_derivative or derivative, out_check
        )
        for spelling in methods:
            attach(spelling, respelled(made.method, block.name, spelling, method=True))
        for operator in operators:
            attach(operator, made.method)
        changed = tuple(spelling + "_" for spelling in methods) if inplace else ()
        for spelling in changed:
            attach(spelling, respelled(made.inplace, block.name + "_", spelling, method=True))
        functions = within(namespace, (block.name, *aliases))
        finish(block, made.function, body, functions, (*methods, *changed, *operators), derivative, fields)
        return made.function

    return decorate


class _Spellings(NamedTuple):
    function: Callable[..., Tensor]
    method: Callable[..., Tensor]
    inplace: Callable[..., Tensor]


def _spellings(
    block: Pointwise, doc: str | None, takes_out: bool, rule: Any, inplace_rule: Any, out_check: Any
) -> _Spellings:
    name, shortcuts = block.name, block.shortcuts

    def plain(input: Tensor) -> Tensor:
        __tracebackhide__ = True
        result = shortcuts.new(input)
        return apply(block, (input,)) if result is None else result

    def written(input: Tensor, *, out: Tensor) -> Tensor:
        __tracebackhide__ = True

        def body() -> Tensor:
            if out_check is not None:
                out_check(input, out)
            return apply(block, (input,), out=out)

        return recorded_call(rule, name, {"input": input, "out": out}, body, "pointwise")  # type: ignore[no-any-return]

    alone, changing = differentiable(plain, rule, name, "pointwise"), _inplace(block, inplace_rule)
    alone.__name__, alone.__doc__ = name, doc
    changing.__name__ = name + "_"
    changing.__doc__ = f"In-place form of ``{name}``: the result is written into this tensor."
    return _Spellings(
        _function_of_one(name, alone, written if takes_out else None),
        _method(block, alone),
        traced_method(name + "_", changing),
    )


def _method(block: Pointwise, body: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """`traced_method` of an operation of one tensor, and before it the shortcut that needs no other call."""
    shortcuts, long = block.shortcuts, traced_method(block.name, body)

    @functools.wraps(long)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        plain = not args and not kwargs and not tracing.active and isinstance(self, Tensor)
        if plain and not wants_grad(self):
            out = shortcuts.new(self)
            if out is not None:
                return out
        return long(self, *args, **kwargs)  # type: ignore[no-any-return]

    return method


def _inplace(block: Pointwise, rule: Any) -> Callable[[Tensor], Tensor]:
    shortcuts = block.shortcuts

    def changing(input: Tensor) -> Tensor:
        if wants_grad(input):
            return recorded_call(  # type: ignore[no-any-return]
                rule, block.name, {"input": input}, lambda: apply(block, (input,), inplace=True), "inplace"
            )
        result: Tensor | None = shortcuts.changing(input)
        return apply(block, (input,), inplace=True) if result is None else result

    return changing


_ABSENT: Any = object()


def _shown(input: Tensor) -> Tensor: ...  # type: ignore[empty-body]


def _shown_with_out(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...  # type: ignore[empty-body]


def _function_of_one(
    name: str, alone: Callable[[Tensor], Tensor], written: Callable[..., Tensor] | None
) -> Callable[..., Tensor]:
    form = "(Tensor input)" if written is None else "(Tensor input, *, Tensor out = None)"

    def unusual(args: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
        """A call with keywords, or a wrong one; NumPy's names for the tensor are taken as PyTorch takes them."""
        __tracebackhide__ = True
        out = named.get("out")
        # A right call is not looked at twice: to explain a wrong one takes time.
        usual = len(args) == len(named) == 1 and isinstance(args[0], Tensor) and isinstance(out, Tensor)
        if not usual or written is None:
            if (sentence := refusal(name, (form,), args, named, unmatched)) is not None:
                answer = overridden(name, args, named)
                if answer is not NotImplemented:
                    return answer  # type: ignore[no-any-return]
                raise TypeError(sentence)
            named.pop("out", None)
        input = args[0] if args else named.popitem()[1]
        if out is None or written is None:
            return call_traced(name, alone, (input,), {}) if tracing.active else alone(input)
        return (
            call_traced(name, written, (input,), {"out": out}) if tracing.active else written(input, out=out)
        )

    def function(input: Tensor = _ABSENT, /, *more: Any, **named: Any) -> Tensor:
        __tracebackhide__ = True
        if more or named or not isinstance(input, Tensor):
            return unusual((() if input is _ABSENT else (input,)) + more, named)
        return call_traced(name, alone, (input,), {}) if tracing.active else alone(input)

    shown = _shown if written is None else _shown_with_out
    function.__signature__ = later(lambda: inspect.signature(shown))  # type: ignore[attr-defined]
    return function
