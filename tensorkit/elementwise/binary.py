"""All spellings of a pointwise operation on two operands, from the function that says what it does.

They are the function and the method, operators, and the forms with ``out=`` and in place. Every call goes through
``elementwise.apply``, unless a shortcut of the block knows its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy

from tensorkit import tracing
from tensorkit.dispatch.call import respelled
from tensorkit.dispatch.call_errors import unbound
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.shortcut import Slot, values
from tensorkit.elementwise.block import NUMBERS, BlockFields, Pointwise, block_of
from tensorkit.elementwise.caller import Caller, finish, within
from tensorkit.tensor import Tensor, attach


def binary(
    numpy: Any,
    scalar: Any = None,
    /,
    *,
    aliases: tuple[str, ...] = (),
    operators: tuple[str, ...] = (),
    derivative: Any = None,
    inplace_derivative: Any = None,
    inplace: bool = True,
    mixed: bool = False,
    namespace: str = "",
    **fields: Unpack[BlockFields],
) -> Callable[[Callable[..., Any]], Callable[..., Tensor]]:
    """Make every spelling of a binary operation from a function of two elements.

    The function's signature says what the operands may be (tensors, or numbers too), what the second is called, and
    whether there is ``alpha=``; its docstring is the operation's. What runs is its equal over arrays, and on devices
    the scalar body.

    Args:
        numpy: the same over arrays. scalar: the same on single elements, which kernels are compiled from.
        operators: the Python operators it serves: ``"__add__"``, reflected ``"__radd__"``, in-place ``"__iadd__"``.
        inplace_derivative: of ``name_``, where it is not `derivative`.
        inplace: whether to derive ``name_``.
        mixed: whether only one of the operands may be a number.
        namespace: ``"special"`` for ``tensorkit.special.name``: a function and nothing else. The operation is then
            called ``special_name``, and the namespace's module imports it by hand.
        fields: of the block, and further ones of the operation: see `Pointwise` and `Op`.
    """

    def decorate(body: Callable[..., Any]) -> Callable[..., Tensor]:
        kinds = body.__annotations__
        first, second = tuple(kinds)[:2]
        numbers = kinds[second] != "Tensor"
        taken = "mixed" if mixed else "tensor" if kinds[first] == "Tensor" else "any"
        own = f"{namespace}_{body.__name__}" if namespace else body.__name__
        block = block_of(own, numpy, scalar, fields, "alpha" in kinds)
        caller = Caller(block, own, second, numbers, inplace=False, rule=derivative, first=taken)
        function, bound = _spelling(block, caller, False), _spelling(block, caller, True)
        function.__wrapped__ = caller.signature  # type: ignore[attr-defined]
        bound.__wrapped__ = caller.method_signature  # type: ignore[attr-defined]
        names = (own, *aliases)
        bound.__name__, bound.__doc__ = own, body.__doc__
        methods = () if namespace else names
        for known in methods:
            attach(known, respelled(bound, own, known, method=True))
        written = inplace_derivative or derivative
        changed = _attach_inplace(block, names, second, written, numbers) if inplace and not namespace else ()
        for operator in operators:
            attach(operator, _operator(block, operator, caller, written))
        functions, spelled = within(namespace, names), (*methods, *changed, *operators)
        finish(block, function, body, functions, spelled, derivative, fields, second, numbers)
        return function

    return decorate


_scaled = values["scaled_sum"] = Slot()
"""The slot of a sum or a difference with ``alpha=``: it is given the block, both operands and the number."""


def _spelling(block: Pointwise, caller: Caller, method: bool) -> Callable[..., Tensor]:
    shortcuts = block.shortcuts

    def call(*args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if len(args) != 2 or len(kwargs) > 1 or tracing.active:
            pass
        elif not kwargs:
            if type(args[0]) is Tensor or (method and isinstance(args[0], Tensor)):
                result = shortcuts.new(args[0], args[1])
                if result is not None:
                    return result
        elif (out := kwargs.get("out")) is not None:
            if not method and shortcuts.into(args[0], args[1], out):
                return out  # type: ignore[no-any-return]
        elif block.alpha and "alpha" in kwargs and (ask := _scaled.ask) is not None:
            scaled: Tensor | None = ask(block, args[0], args[1], kwargs["alpha"])
            if scaled is not None:
                return scaled
        return caller(args, kwargs, method=method)

    return call


def _attach_inplace(
    block: Pointwise, names: tuple[str, ...], second: str, rule: Any, numbers: bool
) -> tuple[str, ...]:
    name = block.name + "_"
    shortcuts = block.shortcuts
    caller = Caller(block, name, second, numbers, inplace=True, rule=rule)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if (
            not kwargs
            and len(args) == 1
            and not tracing.active
            and isinstance(self, Tensor)
            and shortcuts.changing(self, args[0], self)
        ):
            return self
        return caller((self, *args), kwargs, method=True)

    method.__wrapped__ = caller.signature  # type: ignore[attr-defined]
    method.__name__ = name
    method.__doc__ = f"In-place form of ``{block.name}``: the result is written into this tensor."
    changed = tuple(spelling + "_" for spelling in names)
    for spelling in changed:
        attach(spelling, respelled(method, name, spelling, method=True))
    return changed


def _operator(block: Pointwise, name: str, caller: Caller, written: Any) -> Callable[..., Any]:
    """A Python operator: what it does not know it leaves to the other operand (`NotImplemented`)."""
    if name.startswith("__i"):
        return _inplace_operator(block, name, caller.second, written)

    equality, turned, shortcuts = name == "__eq__", block.name in ("add", "mul"), block.shortcuts

    def forward(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if self.__class__ is not Tensor and not isinstance(self, Tensor):
            return _unbound(name, self)
        if not tracing.active:
            result = shortcuts.new(self, other)
            if result is not None:
                return result
        if equality and isinstance(other, numpy.ndarray):
            other = _borrowed(other)
        if not isinstance(other, (Tensor, *NUMBERS)):
            return overridden(block.name, (self, other), {})
        return caller((self, other), {}, method=True)

    def power(self: Tensor, exponent: Any, modulo: Any = None) -> Any:
        __tracebackhide__ = True
        return forward(self, exponent) if modulo is None else NotImplemented

    def reflected(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if (
            self.__class__ is not Tensor
            and not isinstance(self, Tensor)
            and not (name in _OF_NUMBERS and isinstance(self, NUMBERS) and isinstance(other, Tensor))
        ):
            return _unbound(name, self)
        if not tracing.active:
            result = shortcuts.new(self, other) if turned else shortcuts.turned(other, self)
            if result is not None:
                return result
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        if turned:
            return caller((self, other), {}, method=False)
        return caller((other, self), {}, method=False)

    if name == "__pow__":
        power.__wrapped__ = forward  # type: ignore[attr-defined]
        return power
    return reflected if name.startswith("__r") and name != "__rshift__" else forward


#: Operators that PyTorch has in Python: called on anything but a tensor, they defer to the other operand.
_IN_PYTHON = ("__pow__", "__ipow__", "__rsub__", "__floordiv__")
#: And those of them that take a number there, too, as long as the other operand is a tensor.
_OF_NUMBERS = ("__rpow__", "__rmod__", "__rfloordiv__", "__rlshift__", "__rrshift__")


def _unbound(name: str, value: Any) -> Any:
    """What an operator called on a number answers: ``Tensor.__rand__(2, t)``."""
    if name in _IN_PYTHON or name in _OF_NUMBERS:
        return NotImplemented
    raise unbound(name.replace("__itrue", "__i"), value)


def _borrowed(array: Any) -> Any:
    """A NumPy array as a tensor; itself where its elements are nothing that a tensor holds."""
    try:
        return registry["from_numpy"].function(array)  # type: ignore[misc]
    except TypeError:
        return array


def _inplace_operator(block: Pointwise, name: str, second: str, rule: Any) -> Callable[..., Any]:
    shortcuts = block.shortcuts
    caller = Caller(block, block.name + "_", second, True, inplace=True, rule=rule)

    def operator(self: Tensor, other: Any) -> Any:
        __tracebackhide__ = True
        if self.__class__ is not Tensor and not isinstance(self, Tensor):
            return _unbound(name, self)
        if not tracing.active and shortcuts.changing(self, other, self):
            return self
        if not isinstance(other, (Tensor, *NUMBERS)):
            return overridden(caller.name, (self, other), {})
        return caller((self, other), {}, method=True)

    return operator
