"""A kernel whose source is not known, as `exec` makes it: all that it meets is wrapped, and has a kernel's arithmetic.

Slower than `rewriting`, and with the same results: numbers, arrays and functions are each held by a `_Proxy`, whose
operators are those of `arithmetic`.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any

from tensorkit.kernels.cuda.traced.arithmetic import BINARY, COMPARE, UNARY
from tensorkit.kernels.cuda.traced.rewriting import NAMES


class _Proxy:
    """Anything that a kernel holds, with the operators of a kernel."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held

    def __getattr__(self, name: str) -> Any:
        return _proxy(getattr(self.held, name))

    def __call__(self, *given: Any, **more: Any) -> Any:
        named = {name: _plain(one) for name, one in more.items()}
        return _proxy(self.held(*map(_plain, given), **named))

    def __getitem__(self, index: Any) -> Any:
        return _proxy(self.held[_plain(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.held[_plain(index)] = _plain(value)

    def __iter__(self) -> Iterator[Any]:
        return map(_proxy, self.held)

    def __contains__(self, value: Any) -> bool:
        return _plain(value) in self.held

    def __bool__(self) -> bool:
        return bool(self.held)

    def __index__(self) -> int:
        index: int = self.held.__index__()
        return index

    def __hash__(self) -> int:
        return hash(self.held)

    def __str__(self) -> str:
        return str(self.held)

    __repr__ = __str__


def _equip() -> None:
    """Give `_Proxy` its operators."""

    def binary(work: Callable[..., Any]) -> tuple[Any, Any]:
        return (
            lambda self, other: _proxy(work(_plain(self), _plain(other))),
            lambda self, other: _proxy(work(_plain(other), _plain(self))),
        )

    for work in BINARY.values():
        name = work.__name__.strip("_")
        forward, backward = binary(work)
        setattr(_Proxy, f"__{name}__", forward)
        setattr(_Proxy, f"__r{name}__", backward)
    for work in COMPARE.values():
        setattr(_Proxy, f"__{work.__name__}__", binary(work)[0])
    for name, change in zip(("neg", "pos", "invert"), UNARY.values(), strict=True):
        setattr(_Proxy, f"__{name}__", lambda self, change=change: _proxy(change(_plain(self))))


_equip()


def _proxy(value: Any) -> Any:
    """A value as the kernel holds it."""
    return value if value is None or isinstance(value, (_Proxy, str, slice)) else _Proxy(value)


def _plain(value: Any) -> Any:
    """A value without its proxy."""
    if isinstance(value, _Proxy):
        return _plain(value.held)
    if type(value) is tuple:
        return tuple(map(_plain, value))
    return slice(*map(_plain, (value.start, value.stop, value.step))) if isinstance(value, slice) else value


@cache
def _names() -> dict[str, Any]:
    return {name: _proxy(value) for name, value in NAMES.items()}


def wrapped(function: FunctionType) -> tuple[Callable[..., Any], CodeType]:
    """A function with a kernel's arithmetic, and the code that runs when it is called."""
    scope = {name: _proxy(value) for name, value in function.__globals__.items() if name != "__name__"}
    scope["__builtins__"] = _names()
    cells = tuple(CellType(_proxy(cell.cell_contents)) for cell in function.__closure__ or ())
    code = _with_proxies(function.__code__)
    copy = FunctionType(code, scope, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__

    def call(*given: Any, **more: Any) -> Any:
        return _plain(copy(*map(_proxy, given), **{name: _proxy(one) for name, one in more.items()}))

    return call, code


# Opcodes that load something other than a number, or a constant, which is wrapped where it is.
_LOADS = (
    *(
        "ASSERTION_ERROR",
        "ATTR",
        "BUILD_CLASS",
        "CLASSDEREF",
        "CLOSURE",
        "COMMON_CONSTANT",
        "CONST",
        "DEREF",
        "FAST",
    ),
    *("FROM_DICT_OR_", "GLOBAL", "LOCALS", "METHOD", "NAME", "SPECIAL", "SUPER_ATTR"),
)


def _with_proxies(code: CodeType) -> CodeType:
    """The code with its numbers wrapped.

    Raises:
        RuntimeError: where a number would not be: there are too many, or a later Python loads them in another way.
    """
    constants = [_constant(value) for value in code.co_consts]
    steps = bytearray(code.co_code)
    for step in dis.get_instructions(code):
        kind = step.opname.removeprefix("LOAD_")
        if kind == step.opname or kind.startswith(_LOADS):
            continue
        place = len(constants)
        if kind != "SMALL_INT" or place > 0xFF:  # an instruction has one byte for it
            raise RuntimeError(
                f"{code.co_name} has numbers in its text that cannot be typed without its source: "
                "write the kernel in a file or in a notebook's cell"
            )
        # Python 3.14 keeps small numbers in the instructions
        steps[step.offset : step.offset + 2] = dis.opmap["LOAD_CONST"], place
        constants.append(_Proxy(step.argval))
    return code.replace(co_consts=tuple(constants), co_code=bytes(steps))


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _with_proxies(value)
    if type(value) in (int, float, complex, bool):
        return _Proxy(NAMES["constant "](value))
    numbers = type(value) is tuple and all(type(one) in (int, float, complex, bool) for one in value)
    return _Proxy(value) if numbers and value else value
