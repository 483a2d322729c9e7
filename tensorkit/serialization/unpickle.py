"""A pickle read without imports: what it names is looked up in a table, and nothing else is ever called.

A pickle is a program for a small machine with a stack: most of its instructions push numbers, text and containers, and
a few of them call functions. Python's own reader imports those functions by their names, so that a file can run
whatever its author liked. `Unpickler` knows only the names of a table, calls nothing else, and admits only
the instructions that it needs.

>>> import collections, io, pickle
>>> pickled = pickle.dumps({"a": [1, 2.5], "b": collections.Counter("xyx")}, protocol=2)
>>> Unpickler(io.BytesIO(pickled), PLAIN).load()
{'a': [1, 2.5], 'b': Counter({'x': 2, 'y': 1})}
>>> Unpickler(io.BytesIO(pickle.dumps(print, protocol=2)), PLAIN).load()
Traceback (most recent call last):
    ...
_pickle.UnpicklingError: Unsupported global: GLOBAL print was not an allowed global by default. ...

Source: the instructions are those of Python's ``pickletools``; which are admitted, and the sentences, are PyTorch's.
"""

from __future__ import annotations

import _compat_pickle
import codecs
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from pickle import UnpicklingError
from typing import Any, ClassVar, cast

from tensorkit.errors import warn

#: Python's own functions and classes that a file may name.
PLAIN: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": codecs.encode,
    "builtins.bytearray": bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
}
NEVER = ("sys", "os", "posix", "nt")  # modules of which nothing is admitted, whatever the user trusts
LONGEST_KEY = 1000
DAMAGED = "the pickle is damaged"

#: The instructions that are Python's unchanged; those below are ours.
_AS_THEY_ARE = """
MARK STOP NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 BINFLOAT
BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8
EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST EMPTY_DICT EMPTY_SET
BINGET LONG_BINGET BINPUT LONG_BINPUT MEMOIZE FRAME GLOBAL STACK_GLOBAL
"""


def current_name(module: str, name: str) -> tuple[str, str]:
    """What Python 3 calls something that a pickle of Python 2 names."""
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


# -- what may be a key, and Python's functions with arguments that do no harm -------------------------------------


def _key(key: Any) -> Any:
    """A key of a dictionary or member of a set, unless a hash table could be made to take for ever with it.

    Tuples inside tuples can share parts, so that a short file makes one of 2 to the 50 parts, each of them hashed; and
    integers beyond 61 bits can be chosen so that all have the same hash.
    """
    waiting, left = [key], LONGEST_KEY
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
            left -= len(part)
        if left < 0 or (isinstance(part, int) and abs(part) >= 2**61 - 1):
            raise ValueError("a key of a dictionary is too long")
    return key


def _keys(values: Iterable[Any]) -> list[Any]:
    return [_key(value) for value in values]


def _encode(text: str, encoding: str = "utf-8") -> bytes:
    """How bytes are pickled where there was no instruction for them."""
    if encoding not in ("latin1", "latin-1"):
        raise ValueError("bytes are encoded as latin1")
    return text.encode("latin1")


def _bytearray(content: str | bytes = b"", encoding: str = "latin-1") -> bytearray:
    """Made of what it holds: a number would ask for so much memory."""
    return bytearray(_encode(content, encoding) if isinstance(content, str) else bytes(memoryview(content)))


def _ordered(pairs: Iterable[Any] = ()) -> OrderedDict[Any, Any]:
    items = pairs.items() if isinstance(pairs, dict) else pairs
    return OrderedDict((_key(key), value) for key, value in items)


def _counter(counts: Any = ()) -> Counter[Any]:
    return Counter(counts if isinstance(counts, dict) else _keys(counts))


_CAREFUL: dict[Any, Callable[..., Any]] = {
    codecs.encode: _encode,
    bytearray: _bytearray,
    OrderedDict: _ordered,
    Counter: _counter,
    set: lambda members=(): set(_keys(members)),
}


# -- the machine --------------------------------------------------------------------------------------------------


class _Instructions(dict[int, Any]):
    """By the first byte of each; one that is not admitted is an error."""

    def __missing__(self, code: int) -> Any:
        raise UnpicklingError(f"Unsupported operand {code}")


class Unpickler(pickle._Unpickler):
    """Reads a pickle that may name what is in a table.

    Args:
        file: the pickle.
        functions: what may be named and called, by its full name. A file chooses the arguments: they must bear all.
        constants: what may be named and is never called.
        trusted: what the user answers for: it may be called, and classes are instantiated and get their state.
        storage: gives the storage that a persistent id means.
        encoding: of the text that Python 2 pickled; ``"bytes"`` leaves it as it is.

    Raises:
        pickle.UnpicklingError: when the pickle names something else, uses another instruction or is damaged.
        EOFError: when it ends too early.
    """

    stack: list[Any]
    append: Callable[[Any], None]
    read: Callable[[int], bytes]
    pop_mark: Callable[[], list[Any]]
    proto: int
    dispatch: ClassVar[dict[int, Any]] = _Instructions()

    def __init__(
        self,
        file: Any,
        functions: Mapping[str, Any],
        constants: Mapping[str, Any] | None = None,
        *,
        trusted: Mapping[str, Any] | None = None,
        storage: Callable[[Any], Any] | None = None,
        encoding: str = "utf-8",
    ) -> None:
        super().__init__(file, encoding=encoding)
        self._trusted = trusted or {}
        self._table = {**self._trusted, **(constants or {}), **functions}
        self._callable = {id(value) for value in functions.values()}
        self._users = {id(value) for value in self._trusted.values()}
        self._storage = storage
        self._outside = False  # while code of the user runs, whose errors are the user's

    def load(self) -> Any:
        """The object that was pickled."""
        try:
            return super().load()
        except UnpicklingError:
            raise
        except Exception as error:
            if self._outside or isinstance(error, RuntimeError | Warning):  # which say what is wrong
                raise
            if isinstance(error, EOFError):
                raise EOFError("Ran out of input: the file ends before the pickle does") from None
            raise UnpicklingError(f"{DAMAGED}: {type(error).__name__}: {error}") from error

    def find_class(self, module: str, name: str) -> Any:
        """What a name means: an entry of the table."""
        if self.proto < 3:
            module, name = current_name(module, name)
        full = f"{module}.{name}"
        if module in NEVER:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked."
            )
        if full in self._table:
            return self._table[full]
        shown = full.removeprefix("builtins.")
        raise UnpicklingError(
            f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use "
            f"`tensorkit.serialization.add_safe_globals([{shown}])` or the "
            f"`tensorkit.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust "
            "this class/function."
        )

    def _of_user(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call what the user answers for."""
        self._outside = True
        result = function(*args)
        self._outside = False
        return result

    def _protocol(self) -> None:
        self.proto = self.read(1)[0]
        if self.proto != 2:
            warn(
                f"Detected pickle protocol {self.proto} in the checkpoint, which was not the default pickle protocol "
                "used by `tensorkit.load` (2). The weights_only Unpickler might not support all instructions "
                "implemented by this protocol, please file an issue for adding support if you encounter this."
            )

    def _persistent(self) -> None:
        pid = self.stack.pop()
        if type(pid) is not tuple and type(pid) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and pid[0] not in ("storage", b"storage"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        if self._storage is None:
            raise UnpicklingError("unsupported persistent id encountered")
        self.append(self._of_user(self._storage, pid))

    def _reduce(self) -> None:
        args = self.stack.pop()
        function = self.stack[-1]
        if id(function) in self._users:
            self.stack[-1] = self._of_user(function, *args)
        elif id(function) in self._callable:
            self.stack[-1] = _CAREFUL.get(function, function)(*args)
        else:
            # Only a function's text is short: that of nested tuples can be longer than any memory.
            shown = function if callable(function) else type(function)
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {shown}")

    def _new_object(self) -> None:
        args = self.stack.pop()
        self._create(self.stack.pop(), args, {})

    def _new_object_named(self) -> None:
        named, args = self.stack.pop(), self.stack.pop()
        self._create(self.stack.pop(), args, named)

    def _create(self, kind: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if id(kind) not in self._users:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
                f"{kind if isinstance(kind, type) else type(kind)}"
            )
        self.append(self._of_user(lambda: kind.__new__(kind, *args, **named)))

    def _build(self) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if type(made) is OrderedDict:
            made.__dict__.update(state)
        elif id(type(made)) in self._users:
            self._of_user(_set_state, made, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{type(made)}"
            )

    def _appended(self, items: list[Any], verb: str) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        target.extend(items)

    def _added(self) -> None:
        items, target = self.pop_mark(), self.stack[-1]
        if type(target) is not set:
            raise UnpicklingError(f"Can only add to sets, but got {type(target)}")
        target.update(_keys(items))

    def _items_set(self, items: list[Any], instruction: str) -> None:
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                f"Can only {instruction} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[_key(key)] = value

    def _set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._items_set([key, value], "SETITEM")


def _set_state(made: Any, state: Any) -> None:
    """Give an object its state, as Python does."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    vars(made).update(attributes or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)


def _admit() -> None:
    """Fill the table of instructions."""
    pythons = cast("dict[int, Any]", pickle._Unpickler.dispatch)
    codes = [getattr(pickle, name)[0] for name in _AS_THEY_ARE.split()]
    own = {
        pickle.PROTO: Unpickler._protocol,
        pickle.BINPERSID: Unpickler._persistent,
        pickle.REDUCE: Unpickler._reduce,
        pickle.NEWOBJ: Unpickler._new_object,
        pickle.NEWOBJ_EX: Unpickler._new_object_named,
        pickle.BUILD: Unpickler._build,
        pickle.APPEND: lambda self: self._appended([self.stack.pop()], "append to"),
        pickle.APPENDS: lambda self: self._appended(self.pop_mark(), "extend"),
        pickle.ADDITEMS: Unpickler._added,
        pickle.SETITEM: Unpickler._set_item,
        pickle.SETITEMS: lambda self: self._items_set(self.pop_mark(), "SETITEMS"),
    }
    Unpickler.dispatch.update({code: pythons[code] for code in codes})
    Unpickler.dispatch.update({code[0]: function for code, function in own.items()})


_admit()
