"""In which forms PyTorch knows its operations, and its sentence for a call that fits none of them.

PyTorch tries the forms of an operation one after the other; only when all have refused does it look for the
sentence: where the number of arguments leaves one form, what is wrong with that one, else the list of all. So does
`refusal`, which runs after a call has failed: a right call never comes here.

Source: the sentences are those of PyTorch 2.13.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy

from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.errors import type_name
from tensorkit.memory_format import layout, memory_format
from tensorkit.tensor import Tensor

__all__ = [
    "FUNCTIONS",
    "METHODS",
    "Forms",
    "Inner",
    "as_listed",
    "declare",
    "is_one_number",
    "is_whole",
    "of_function",
    "of_method",
    "of_python",
    "refusal",
    "told_by_types",
    "too_few",
    "too_many",
    "type_name",
    "unrecognised",
    "without_self",
]


# -- one parameter ------------------------------------------------------------------------------------------------


def is_whole(value: Any) -> bool:
    """Whether a value counts as an integer: a bool does not, a tensor of one integer does."""
    if isinstance(value, (bool, numpy.bool_)):
        return False
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.category == 1
    if isinstance(value, numpy.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iu"
    return hasattr(type(value), "__index__")


def _plain(value: Any) -> bool:
    return isinstance(value, (int, float, numpy.number))


def _real(value: Any) -> bool:
    return _plain(value) or is_one_number(value)


def is_one_number(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad


def _sequence(value: Any) -> bool:
    """Whether a value counts as dimensions: PyTorch looks at the first of them alone."""
    return isinstance(value, (tuple, list)) and (not value or is_whole(value[0]))


_PLAIN = (float, int, bool, complex)  # Python's types that stand for dtypes
_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Number": lambda value: _real(value) or isinstance(value, (complex, numpy.bool_)),
    "int": is_whole,
    "float": _real,
    "bool": lambda value: isinstance(value, (bool, numpy.bool_)),
    "str": lambda value: isinstance(value, str),
    "tuple of ints": _sequence,
    "tuple of floats": lambda value: isinstance(value, (tuple, list)) and all(map(_plain, value[:1])),
    "tuple of Scalars": lambda value: isinstance(value, (tuple, list)) and all(map(_plain, value)),
    "tuple of Tensors": lambda value: isinstance(value, (tuple, list)),
    "tensorkit.dtype": lambda value: isinstance(value, dtype) or any(value is kind for kind in _PLAIN),
    "tensorkit.layout": lambda value: isinstance(value, layout),
    "tensorkit.memory_format": lambda value: isinstance(value, memory_format),
    "tensorkit.device": lambda value: isinstance(value, (device, str)) or is_whole(value),
    "tensorkit.Generator": lambda value: type(value).__name__ == "Generator",
    "tensorkit.Storage": lambda value: type(value).__name__.endswith("Storage"),
}
#: Second names of parameters, most of them NumPy's.
_ALSO = {"input": ("x", "a", "x1"), "other": ("x2",), "dim": ("axis",), "keepdim": ("keepdims",)}


#: By a form's first parameter: which others may be None, although PyTorch's text does not say so.
_NOTHING = {"input": ("rounding_mode",), "other": ("rounding_mode",), "from": ("to",)}


class _Parameter(NamedTuple):
    kind: str
    name: str
    optional: bool
    nothing: bool  # whether None may stand for it
    keyword: bool
    single: bool  # whether a lone integer may stand for a sequence of them

    def takes(self, value: Any) -> bool:
        if value is None:
            return self.nothing or self.kind in ("tensorkit.Generator", "object")
        if self.single and is_whole(value):
            return True
        return _ACCEPTS.get(self.kind, lambda value: True)(value)

    def given(self, kwargs: Mapping[str, Any]) -> str | None:
        return next((key for key in (self.name, *_ALSO.get(self.name, ())) if key in kwargs), None)


# -- one form -----------------------------------------------------------------------------------------------------


class _Form:
    def __init__(self, text: str) -> None:
        text = text.strip("()") if text != "()" else ""
        self.text, self.parameters = text.replace("?", ""), list[_Parameter]()
        keyword = False
        for part in filter(None, text.split(", ")):
            if part == "*":
                keyword = True
                continue
            told, _, default = part.partition(" = ")
            kind, _, spelled = told.rpartition(" ")
            name = spelled.removesuffix("?")  # of what may be None without PyTorch's text saying so
            single = kind == "tuple of ints" and (
                (name == "dim" and not default.startswith("{")) or default.isdigit()
            )
            first = self.parameters[0].name if self.parameters else ""
            nothing = default == "None" or name != spelled or name in _NOTHING.get(first, ())
            self.parameters.append(_Parameter(kind, name, bool(default), nothing, keyword, single))
        self.most = sum(not p.keyword for p in self.parameters)
        self.least = sum(not p.optional for p in self.parameters)

    def counts(self, given: int) -> bool:
        """Whether that many arguments could be for this form."""
        return self.least <= given <= len(self.parameters)

    def wrong(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        """PyTorch's sentence for a call of this form; None when the call fits it."""
        first = self.parameters[0] if self.most == 1 else None
        several = first is not None and first.kind == "tuple of ints" and not first.optional
        if len(args) > self.most and not several:
            return too_many(name, self.least, self.most, len(args))
        place, used = 0, set[str]()
        for index, parameter in enumerate(self.parameters):
            key = None
            if place < len(args):
                if parameter.keyword:
                    return too_many(name, self.least, self.most, len(args))
                value = args[place]
            elif (key := parameter.given(kwargs)) is not None:
                value = kwargs[key]
                used.add(key)
            elif parameter.optional:
                continue
            else:
                return too_few(name, [p.name for p in self.parameters[index:] if not p.optional])
            if several and place == 0 and key is None and len(args) > 1 and is_whole(value):
                place = len(args)  # the integers one by one
                continue
            if not (parameter.takes(value) or (parameter.kind == "Tensor" and _stands(name, value))):
                if several and place == 0 and key is None and _sequence(list(args)):
                    place = len(args)
                    continue
                if several and place == 0 and len(args) > 1:
                    return too_many(name, self.least, self.most, len(args))
                return _mistyped(name, parameter, value, None if key else place + 1)
            if parameter.kind == "tuple of Tensors" and (odd := _no_tensor(value, index)):
                return odd
            place += key is None
        return (
            too_many(name, self.least, self.most, len(args))
            if place < len(args)
            else self._unknown(name, kwargs, used)
        )

    def unpacked(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        """PyTorch's sentence for a sequence of integers in which an item is not one: it looks there last."""
        for index, parameter in enumerate(self.parameters):
            if parameter.kind == "tuple of ints":
                key = parameter.given(kwargs)
                value = args[index] if index < len(args) else kwargs[key] if key else ()
                if self.most == 1 and len(args) > 1 and not isinstance(value, (tuple, list)):
                    value = args
                for place, part in enumerate(value if isinstance(value, (tuple, list)) else ()):
                    if not isinstance(part, bool) and not is_whole(part):
                        return (
                            f"{name}(): argument '{parameter.name}' failed to unpack the object at pos {place + 1} "
                            f'with error "type must be tuple of ints,but got {type_name(part)}"'
                        )
        return None

    def by_types(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether every call with arguments of the same types fits, where this one does."""
        named = [(p.kind, kwargs[key]) for p in self.parameters if (key := p.given(kwargs)) is not None]
        kinds = [p.kind for p in self.parameters] + ["int"] * (len(args) - len(self.parameters))
        return all(_by_type(kind, value) for kind, value in (*zip(kinds, args, strict=False), *named))

    def _unknown(self, name: str, kwargs: Mapping[str, Any], used: set[str]) -> str | None:
        if used.issuperset(kwargs):
            return None
        names = {parameter.name for parameter in self.parameters}
        for key in kwargs:  # among which PyTorch does not know even those in NumPy's names that it used
            if key not in names:
                return f"{name}() got an unexpected keyword argument '{key}'"
            if key not in used:
                return f"{name}() got multiple values for argument '{key}'"
        return None


def too_few(name: str, missing: list[str]) -> str:
    """PyTorch's sentence for a call without some arguments that it must have."""
    plural = "s" if len(missing) == 1 else ""  # as PyTorch has it
    names = ", ".join(f'"{one}"' for one in missing)
    return f"{name}() missing {len(missing)} required positional argument{plural}: {names}"


def too_many(name: str, least: int, most: int, given: int) -> str:
    """PyTorch's sentence for too many positional arguments; `least` counts those that only a keyword can give too."""
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    plural, verb = "" if most == 1 else "s", "was" if given == 1 else "were"
    return f"{name}() takes {most} positional argument{plural} but {given} {verb} given"


_MIX, _WORD = 0xC6A4A7935BD1E995, 2**64 - 1


def _bucket(name: str) -> int:
    """In which of its 13 buckets C++'s ``unordered_map`` keeps a name: by MurmurHash64A, as libstdc++ has it."""
    text = name.encode()
    state = 0xC70F6907 ^ (len(text) * _MIX & _WORD)
    for start in range(0, len(text), 8):
        piece = text[start : start + 8]
        data = int.from_bytes(piece, "little")
        if len(piece) == 8:
            data = data * _MIX & _WORD
            data = (data ^ data >> 47) * _MIX & _WORD
        state = (state ^ data) * _MIX & _WORD
    state = (state ^ state >> 47) * _MIX & _WORD
    return (state ^ state >> 47) % 13


def as_listed(names: Iterable[str]) -> list[str]:
    """A call's keywords in the order in which PyTorch lists them: that of a hash table in C++, mostly backwards."""
    listed: list[str] = []
    for name in names:
        kin = (place for place, other in enumerate(listed) if _bucket(other) == _bucket(name))
        listed.insert(next(kin, 0), name)
    return listed


def unrecognised(form: str, kwargs: Mapping[str, Any]) -> list[str]:
    """The keywords that PyTorch does not find in the only form of an operation, in its order.

    It looks at the last parameters alone, as many as there are keywords, and takes a default value for a name.
    """
    parts = form.strip("()").split(", ")
    last = parts[max(0, len(parts) - len(kwargs)) :]
    known = {part.rpartition(" ")[2] for part in last}
    return [key for key in as_listed(kwargs) if key not in known]


def _mistyped(name: str, parameter: _Parameter, value: Any, position: int | None) -> str:
    where = f"argument '{parameter.name}'" + (f" (position {position})" if position else "")
    begun = isinstance(value, (tuple, list)) and value
    if parameter.kind == "tuple of ints" and begun and position:
        found = f"but found element of type {type_name(value[0])} at pos 0"
    else:
        found = f"not {type_name(value)}"
    return f"{name}(): {where} must be {parameter.kind}, {found}"


def _stands(name: str, value: Any) -> bool:
    """Whether a number may stand for a tensor."""
    return (
        name.removesuffix("_") in _take_numbers
        and not isinstance(value, Tensor)
        and _ACCEPTS["Number"](value)
    )


_ODD = "expected Tensor as element"


def _by_type(kind: str, value: Any) -> bool:
    """Whether a parameter of a kind takes a value for its type, of a sequence for the types in it."""
    if isinstance(value, (tuple, list)):
        within = set(map(type, value))
        return len(within) < 2 and (
            kind == "tuple of Tensors" or not any(issubclass(w, Tensor) for w in within)
        )
    return kind == "Tensor" if isinstance(value, Tensor) else not isinstance(value, type)


def _no_tensor(value: Any, index: int) -> str | None:
    """PyTorch's sentence for a list in which something is not a tensor, whatever other forms exist."""
    odd = next((p for p, part in enumerate(value or ()) if not isinstance(part, Tensor)), None)
    return None if odd is None else f"{_ODD} {odd} in argument {index}, but got {type_name(value[odd])}"


@functools.cache
def _parsed(text: str) -> _Form:
    return _Form(text)


# -- all forms ----------------------------------------------------------------------------------------------------


def refusal(
    name: str,
    texts: Iterable[str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    unmatched: Callable[[str, Iterable[Any], Mapping[str, Any], Iterable[str]], TypeError],
) -> str | None:
    """Why a call fits none of an operation's forms, in PyTorch's words; None when it fits one.

    Args:
        texts: the forms, such as ``"(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)"``.
        args: what the caller wrote: of a method without its tensor.
        unmatched: makes the sentence that lists all forms.
    """
    forms = [_parsed(text) for text in texts]
    for form in forms:
        wrong = form.wrong(name, args, kwargs)
        if wrong is None:
            return form.unpacked(name, args, kwargs)
        if wrong.startswith(_ODD):
            return wrong
    likely = [form for form in forms if form.counts(len(args) + len(kwargs))]
    if len(forms) == 1 and name.removesuffix("_") not in _with_older:
        likely = forms
    if len(likely) == 1:
        return likely[0].wrong(name, args, kwargs)
    return str(unmatched(name, args, kwargs, (form.text for form in forms)))


def told_by_types(name: str, texts: Iterable[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call fits one of an operation's forms by the types of its arguments alone.

    Then so does every other call with arguments of the same types, sequences being known by the types in them.
    """
    forms = [_parsed(text) for text in texts]
    return any(form.wrong(name, args, kwargs) is None and form.by_types(args, kwargs) for form in forms)


# -- what the blocks say -------------------------------------------------------------------------------------------

#: A call that one of PyTorch's Python functions makes in its turn: the operation's name, and what it is given.
Inner = tuple[str, tuple[Any, ...], dict[str, Any]]
Python = Callable[..., Inner | None]
#: The forms of functions, and those of methods that are not the function's, by the names in PyTorch's sentences.
FUNCTIONS: dict[str, tuple[str, ...]] = {}
METHODS: dict[str, tuple[str, ...]] = {}
_python: dict[str, Python] = {}
_take_numbers: set[str] = set()
_with_older: set[str] = set()


class Forms(NamedTuple):
    """The signatures in which PyTorch knows an operation, in its own words: its errors tell them.

    Args:
        texts: of the function, such as ``"(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)"``.
        method: of the method, where they are not the function's without the tensor itself and without ``out=``.
        names, methods: of the function and of the method by further names.
        numbers: whether it takes a number where its text has a tensor.
        older: whether PyTorch still takes an older form that it no longer shows.
        scaled: whether in that form `beta` and `alpha` stood before the tensors that they scale, until 2020.
        python, python_method: what stands for a function or method that PyTorch has in Python: it takes the same
            arguments, and gives the call that the function makes, or nothing. Python refuses what it cannot be called
            with, in the operation's name.
    """

    texts: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = {}
    methods: Mapping[str, tuple[str, ...]] = {}
    numbers: bool = False
    older: bool = False
    scaled: bool = False
    python: Python | None = None
    python_method: Python | None = None


def declare(name: str, forms: Forms) -> None:
    """Note the signatures of an operation, under the names that PyTorch's sentences give it."""
    FUNCTIONS.update({name: forms.texts} if forms.texts else {}, **forms.names)
    METHODS.update({name: forms.method} if forms.method else {}, **forms.methods)
    if forms.numbers:
        _take_numbers.update(own.removesuffix("_") for own in (name, *forms.names))
    if forms.older:
        _with_older.add(name.removesuffix("_"))
    for own, python in ((name, forms.python), (f"Tensor.{name}", forms.python_method)):
        if python is not None:
            python.__qualname__ = own  # which Python's errors say
            _python[own] = python


def of_function(name: str) -> tuple[str, ...] | None:
    """The forms of a function, where a block tells them."""
    return FUNCTIONS.get(name)


def of_method(name: str) -> tuple[str, ...] | None:
    """The forms of a method: by default the function's, without the tensor itself and without ``out=``."""
    known = name.removesuffix("_")
    if texts := METHODS.get(name) or METHODS.get(known):
        return texts
    texts = FUNCTIONS.get(name) or FUNCTIONS.get(known)
    return None if texts is None else tuple(without_self(texts))


def of_python(name: str, method: bool) -> Python | None:
    """What stands for an operation that PyTorch has in Python."""
    return _python.get(f"Tensor.{name}" if method else name)


def without_self(texts: Iterable[str]) -> list[str]:
    """The forms of a method from those of the function."""
    shown = []
    for text in texts:
        _, *rest = text.strip("()").split(", ")
        rest = [part for part in rest if not part.endswith(" out = None")]
        shown.append("(" + ", ".join(rest[:-1] if rest[-1:] == ["*"] else rest) + ")")
    return list(dict.fromkeys(shown))
