"""A kernel and the functions that it calls, with a kernel's arithmetic: bound to what their names stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from tensorkit.kernels.cuda.compile import bind
from tensorkit.kernels.cuda.traced.calls import facts, result_of
from tensorkit.kernels.cuda.traced.joins import Joins, joins_of
from tensorkit.kernels.cuda.traced.names.numba_names import is_numbas
from tensorkit.kernels.cuda.traced.proxies import wrapped
from tensorkit.kernels.cuda.traced.rewriting import NAMES, rewritten, tree_of

Function = Callable[..., Any]
Bound = tuple[Function, CodeType]


class Typing:
    """The functions of one launch.

    Args:
        exchange: what a kernel finds instead of a global value that is not one of its own functions.
        names: what all functions are handed in place of their globals.

    Attributes:
        used: the names that the functions use.
    """

    def __init__(self, exchange: Function, names: dict[str, Any]) -> None:
        self._exchange = exchange
        self.names = {"__builtins__": NAMES, **names}
        self._functions: dict[FunctionType, Typed] = {}
        self.used: set[str] = set()

    def exchanged(self, value: Any) -> Any:
        """What a kernel finds instead of a global value."""
        function = value if isinstance(value, type) else getattr(value, "py_func", value)
        if not isinstance(function, FunctionType) or (function is value and is_numbas(function)):
            return self._exchange(value)
        if function not in self._functions:
            self._functions[function] = Typed(function, self)
            self._functions[function].bind({})
        return self._functions[function]


class Typed:
    """A function with a kernel's arithmetic: there is one for all kinds of arguments for which it does the same."""

    def __init__(self, function: FunctionType, typing: Typing) -> None:
        self._function, self._typing = function, typing
        self._tree = tree_of(function.__code__)
        self._names: dict[str, Any] = {}
        self._bound: dict[Joins, Bound] = {}
        self._known: dict[str, tuple[Joins, Any]] = {}

    def bind(self, names: dict[str, Any]) -> None:
        """Find out what its names stand for: those in `names`, or else its globals."""
        self._names = names
        self._with(())

    def version(self, given: Sequence[Any]) -> Bound:
        """The function for such arguments, and the code that runs when it is called."""
        return self._with(self._followed(list(map(facts, given)))[0])

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.version(given)[0](*given, **named)

    def result(self, given: list[Any]) -> Any:
        """A sample of what it gives back, for samples of its arguments."""
        return self._followed(given)[1]

    def _with(self, joins: Joins) -> Bound:
        if joins not in self._bound:
            self._typing.used.update(self._function.__code__.co_names)
            source = rewritten(self._function, joins)
            names = {**self._typing.names, **self._names}
            made: Any = bind(source or self._function, names, self._typing.exchanged, lambda value: True)
            self._bound[joins] = (made, made.__code__) if source is not None else wrapped(made)
        return self._bound[joins]

    def _followed(self, given: list[Any]) -> tuple[Joins, Any]:
        """Where its variables become numbers of another kind, and a sample of what it gives back."""
        key = repr(given)
        if self._tree is None:
            return (), None
        if key not in self._known:
            self._known[key] = (), None  # for a function that calls itself
            code, plain = self._function.__code__, self._with(())[0]
            rest = (self._function.__defaults__ or ())[len(given) - code.co_argcount :]
            known = {**NAMES, **plain.__globals__}
            for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
                known[name] = cell.cell_contents
            named = dict(zip(code.co_varnames, [*given, *map(facts, rest)], strict=False))
            self._known[key] = joins_of(self._tree, named, known, _result, frozenset(code.co_varnames))
        return self._known[key]


def _result(function: Any, given: list[Any]) -> Any:
    return function.result(given) if isinstance(function, Typed) else result_of(function, given)
