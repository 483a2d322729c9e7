"""In which forms PyTorch knows its operations, and its sentence for a call that fits none of them.

Of an operation with several forms PyTorch tries one after the other; only when all have refused does it look for the
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
from tensorkit.tensor import Tensor

__all__ = ["FUNCTIONS", "METHODS", "of_function", "of_method", "refusal", "without_self"]


# -- one parameter ------------------------------------------------------------------------------------------------


def _whole(value: Any) -> bool:
    """Whether a value counts as an integer: a bool does not, a tensor of one integer does."""
    if isinstance(value, (bool, numpy.bool_)):
        return False
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.category == 1
    return hasattr(value, "__index__")


def _real(value: Any) -> bool:
    return isinstance(value, (int, float, numpy.number)) or _one(value)


def _one(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad


def _sequence(value: Any) -> bool:
    """Whether a value counts as dimensions: PyTorch looks at the first of them alone."""
    return isinstance(value, (tuple, list)) and (not value or _whole(value[0]))


_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Number": lambda value: _real(value) or isinstance(value, (complex, numpy.bool_)),
    "int": _whole,
    "float": _real,
    "bool": lambda value: isinstance(value, (bool, numpy.bool_)),
    "str": lambda value: isinstance(value, str),
    "tuple of ints": _sequence,
    "tuple of floats": lambda value: isinstance(value, (tuple, list)),
    "tuple of Tensors": lambda value: (
        isinstance(value, (tuple, list)) and all(isinstance(part, Tensor) for part in value)
    ),
    "tensorkit.dtype": lambda value: isinstance(value, dtype) or value in (float, int, bool, complex),
    "tensorkit.device": lambda value: isinstance(value, (device, str)) or _whole(value),
    "tensorkit.Generator": lambda value: type(value).__name__ == "Generator",
    "tensorkit.Storage": lambda value: type(value).__name__.endswith("Storage"),
}
#: Second names of parameters, most of them NumPy's.
_ALSO = {"input": ("x", "a", "x1"), "other": ("x2",), "dim": ("axis",), "keepdim": ("keepdims",)}


class _Parameter(NamedTuple):
    kind: str
    name: str
    optional: bool
    nothing: bool  # whether None may stand for it
    keyword: bool

    def takes(self, value: Any) -> bool:
        if value is None:
            return self.nothing or self.kind == "tensorkit.Generator"
        if self.kind == "tuple of ints" and self.name == "dim" and _whole(value):
            return True  # a single dimension, where several may stand
        return _ACCEPTS.get(self.kind, lambda value: True)(value)

    def given(self, kwargs: Mapping[str, Any]) -> str | None:
        return next((key for key in (self.name, *_ALSO.get(self.name, ())) if key in kwargs), None)


# -- one form -----------------------------------------------------------------------------------------------------


class _Form:
    def __init__(self, text: str) -> None:
        self.text, self.parameters = text.strip("()") if text != "()" else "", list[_Parameter]()
        keyword = False
        for part in filter(None, self.text.split(", ")):
            if part == "*":
                keyword = True
                continue
            told, _, default = part.partition(" = ")
            kind, _, name = told.rpartition(" ")
            self.parameters.append(_Parameter(kind, name, bool(default), default == "None", keyword))
        self.most = sum(not p.keyword for p in self.parameters)
        self.least = sum(not p.optional for p in self.parameters)

    def counts(self, given: int) -> bool:
        """Whether that many arguments could be for this form."""
        return self.least <= given <= len(self.parameters)

    def wrong(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        """PyTorch's sentence for a call of this form; None when the call fits it."""
        several = self.most == 1 and self.parameters[0].kind == "tuple of ints"
        if len(args) > self.most and not several:
            return self._too_many(name, len(args))
        place, used = 0, set[str]()
        for index, parameter in enumerate(self.parameters):
            key = None
            if place < len(args):
                if parameter.keyword:
                    return self._too_many(name, len(args))
                value = args[place]
            elif (key := parameter.given(kwargs)) is not None:
                value = kwargs[key]
                used.add(key)
            elif parameter.optional:
                continue
            else:
                return self._missing(name, index)
            if not parameter.takes(value):
                if several and place == 0 and key is None and _sequence(list(args)):
                    place = len(args)
                    continue
                if several and place == 0 and len(args) > 1:
                    return self._too_many(name, len(args))
                return _mistyped(name, parameter, value, None if key else place + 1)
            place += key is None
        return self._unknown(name, kwargs, used)

    def _too_many(self, name: str, given: int) -> str:
        counts = f"{self.most}" if self.least == self.most else f"from {self.least} to {self.most}"
        plural = "s" if self.most != 1 or self.least != self.most else ""
        verb = "was" if given == 1 else "were"
        return f"{name}() takes {counts} positional argument{plural} but {given} {verb} given"

    def _missing(self, name: str, index: int) -> str:
        missing = [f'"{p.name}"' for p in self.parameters[index:] if not p.optional]
        plural = "s" if len(missing) == 1 else ""  # as PyTorch has it
        return f"{name}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}"

    def _unknown(self, name: str, kwargs: Mapping[str, Any], used: set[str]) -> str | None:
        names = {parameter.name for parameter in self.parameters}
        for key in kwargs:
            if key not in used:
                if key in names:
                    return f"{name}() got multiple values for argument '{key}'"
                return f"{name}() got an unexpected keyword argument '{key}'"
        return None


def _mistyped(name: str, parameter: _Parameter, value: Any, position: int | None) -> str:
    where = f"argument '{parameter.name}'" + (f" (position {position})" if position else "")
    begun = isinstance(value, (tuple, list)) and value
    if parameter.kind == "tuple of ints" and begun and position:
        found = f"but found element of type {type(value[0]).__name__} at pos 0"
    else:
        found = f"not {type(value).__name__}"
    return f"{name}(): {where} must be {parameter.kind}, {found}"


#: Operations of which PyTorch still takes an older form that it no longer shows.
_OLD_FORMS = frozenset(("add", "sub", "addmm", "addmv", "addr", "addbmm", "baddbmm", "addcmul", "addcdiv"))


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
    if any(form.wrong(name, args, kwargs) is None for form in forms):
        return None
    likely = [form for form in forms if form.counts(len(args) + len(kwargs))]
    if len(forms) == 1 and name.removesuffix("_") not in _OLD_FORMS:
        likely = forms
    if len(likely) == 1:
        return likely[0].wrong(name, args, kwargs)
    return str(unmatched(name, args, kwargs, (form.text for form in forms)))


def of_function(name: str) -> tuple[str, ...] | None:
    """The forms of a function, where there are several."""
    return FUNCTIONS.get(name)


def of_method(name: str) -> tuple[str, ...] | None:
    """The forms of a method: by default the function's, without the tensor itself and without ``out=``."""
    if name in METHODS:
        return METHODS[name]
    texts = FUNCTIONS.get(name) or FUNCTIONS.get(name.removesuffix("_"))
    return None if texts is None else tuple(without_self(texts))


def without_self(texts: Iterable[str]) -> list[str]:
    """The forms of a method from those of the function."""
    shown = []
    for text in texts:
        _, *rest = text.strip("()").split(", ")
        rest = [part for part in rest if not part.endswith(" out = None")]
        shown.append("(" + ", ".join(rest[:-1] if rest[-1:] == ["*"] else rest) + ")")
    return list(dict.fromkeys(shown))


# -- the table ----------------------------------------------------------------------------------------------------

_FORMAT = "tensorkit.memory_format memory_format = None"
_DRAWN = "tensorkit.Generator generator"
_MAYBE = f"{_DRAWN} = None"
_REDUCED = "bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None"
_MAKING = (
    "tensorkit.dtype dtype = None, tensorkit.layout layout = None, tensorkit.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)

#: The forms of functions, by the name that PyTorch's sentence gives them.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "addcdiv": ("(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)",),
    "addcmul": ("(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)",),
    "addmv_": ("(Tensor input, Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1)",),
    "arange": (
        f"(Number end, *, Tensor out = None, {_MAKING})",
        f"(Number start, Number end, *, {_MAKING})",
        f"(Number start, Number end, Number step = 1, *, Tensor out = None, {_MAKING})",
    ),
    "bernoulli": (
        "(Tensor input, *, tensorkit.Generator generator = None, Tensor out = None)",
        "(Tensor input, float p, *, tensorkit.Generator generator = None)",
    ),
    "bmm": (
        "(Tensor input, Tensor mat2, *, Tensor out = None)",
        "(Tensor input, Tensor mat2, tensorkit.dtype out_dtype, *, Tensor out = None)",
    ),
    "clamp_": (
        "(Tensor input, Tensor min = None, Tensor max = None)",
        "(Tensor input, Number min = None, Number max = None)",
    ),
    "clamp_max_": (
        "(Tensor input, Tensor max)",
        "(Tensor input, Number max)",
    ),
    "clamp_min_": (
        "(Tensor input, Tensor min)",
        "(Tensor input, Number min)",
    ),
    "clip_": (
        "(Tensor input, Tensor min = None, Tensor max = None)",
        "(Tensor input, Number min = None, Number max = None)",
    ),
    "div": (
        "(Tensor input, Tensor other, *, Tensor out = None)",
        "(Tensor input, Tensor other, *, str rounding_mode, Tensor out = None)",
        "(Tensor input, Number other, *, str rounding_mode)",
    ),
    "dsplit": (
        "(Tensor input, int sections)",
        "(Tensor input, tuple of ints indices)",
    ),
    "eye": (
        f"(int n, *, Tensor out = None, {_MAKING})",
        f"(int n, int m, *, Tensor out = None, {_MAKING})",
    ),
    "fill": (
        "(Tensor input, Tensor value)",
        "(Tensor input, Number value)",
    ),
    "fill_": (
        "(Tensor input, Tensor value)",
        "(Tensor input, Number value)",
    ),
    "hsplit": (
        "(Tensor input, int sections)",
        "(Tensor input, tuple of ints indices)",
    ),
    "index_fill": (
        "(Tensor input, int dim, Tensor index, Tensor value)",
        "(Tensor input, int dim, Tensor index, Number value)",
    ),
    "linalg_cond": (
        "(Tensor input, Number p = None, *, Tensor out = None)",
        "(Tensor input, str p, *, Tensor out = None)",
    ),
    "linalg_matrix_norm": (
        f"(Tensor input, Number ord, tuple of ints dim = {{-2,-1}}, {_REDUCED})",
        f'(Tensor input, str ord = "fro", tuple of ints dim = {{-2,-1}}, {_REDUCED})',
    ),
    "linalg_matrix_rank": (
        "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
        "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
        "(Tensor input, Tensor tol, bool hermitian = False, *, Tensor out = None)",
        "(Tensor input, float tol, bool hermitian = False, *, Tensor out = None)",
    ),
    "linalg_norm": (
        f"(Tensor input, Number ord = None, tuple of ints dim = None, {_REDUCED})",
        f"(Tensor input, str ord, tuple of ints dim = None, {_REDUCED})",
    ),
    "linalg_pinv": (
        "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
        "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
        "(Tensor input, Tensor rcond, bool hermitian = False, *, Tensor out = None)",
        "(Tensor input, float rcond, bool hermitian = False, *, Tensor out = None)",
    ),
    "linspace": (
        f"(Tensor start, Tensor end, int steps, *, Tensor out = None, {_MAKING})",
        f"(Number start, Tensor end, int steps, *, Tensor out = None, {_MAKING})",
        f"(Tensor start, Number end, int steps, *, Tensor out = None, {_MAKING})",
        f"(Number start, Number end, int steps, *, Tensor out = None, {_MAKING})",
    ),
    "logspace": (
        f"(Tensor start, Tensor end, int steps, float base = 10.0, *, Tensor out = None, {_MAKING})",
        f"(Number start, Tensor end, int steps, float base = 10.0, *, Tensor out = None, {_MAKING})",
        f"(Tensor start, Number end, int steps, float base = 10.0, *, Tensor out = None, {_MAKING})",
        f"(Number start, Number end, int steps, float base = 10.0, *, Tensor out = None, {_MAKING})",
    ),
    "masked_fill": (
        "(Tensor input, Tensor mask, Tensor value)",
        "(Tensor input, Tensor mask, Number value)",
    ),
    "median": (
        "(Tensor input)",
        "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
    ),
    "mm": (
        "(Tensor input, Tensor mat2, *, Tensor out = None)",
        "(Tensor input, Tensor mat2, tensorkit.dtype out_dtype, *, Tensor out = None)",
    ),
    "movedim": (
        "(Tensor input, int source, int destination)",
        "(Tensor input, tuple of ints source, tuple of ints destination)",
    ),
    "nanmedian": (
        "(Tensor input)",
        "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
    ),
    "narrow": (
        "(Tensor input, int dim, Tensor start, int length)",
        "(Tensor input, int dim, int start, int length)",
    ),
    "normal": (
        "(Tensor mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None)",
        "(Tensor mean, float std = 1, *, tensorkit.Generator generator = None, Tensor out = None)",
        "(float mean, Tensor std, *, tensorkit.Generator generator = None, Tensor out = None)",
        f"(float mean, float std, tuple of ints size, *, {_MAYBE}, Tensor out = None, {_MAKING})",
    ),
    "rand": (
        f"(tuple of ints size, *, tensorkit.Generator generator, Tensor out = None, {_MAKING})",
        f"(tuple of ints size, *, Tensor out = None, {_MAKING})",
    ),
    "rand_like": (
        f"(Tensor input, *, {_DRAWN}, {_FORMAT}, {_MAKING})",
        f"(Tensor input, *, tensorkit.memory_format memory_format = None, {_MAKING})",
    ),
    "randint": (
        f"(int high, tuple of ints size, *, {_DRAWN}, Tensor out = None, {_MAKING})",
        f"(int high, tuple of ints size, *, Tensor out = None, {_MAKING})",
        f"(int low, int high, tuple of ints size, *, {_DRAWN}, Tensor out = None, {_MAKING})",
        f"(int low, int high, tuple of ints size, *, Tensor out = None, {_MAKING})",
    ),
    "randint_like": (
        f"(Tensor input, int low, int high, *, {_DRAWN}, {_FORMAT}, {_MAKING})",
        f"(Tensor input, int low, int high, *, tensorkit.memory_format memory_format = None, {_MAKING})",
        f"(Tensor input, Tensor high, *, {_DRAWN}, {_FORMAT}, {_MAKING})",
        f"(Tensor input, Tensor high, *, tensorkit.memory_format memory_format = None, {_MAKING})",
        f"(Tensor input, int high, *, {_DRAWN}, {_FORMAT}, {_MAKING})",
        f"(Tensor input, int high, *, tensorkit.memory_format memory_format = None, {_MAKING})",
    ),
    "randn": (
        f"(tuple of ints size, *, tensorkit.Generator generator, Tensor out = None, {_MAKING})",
        f"(tuple of ints size, *, Tensor out = None, {_MAKING})",
    ),
    "randn_like": (
        f"(Tensor input, *, {_DRAWN}, {_FORMAT}, {_MAKING})",
        f"(Tensor input, *, tensorkit.memory_format memory_format = None, {_MAKING})",
    ),
    "randperm": (
        f"(int n, *, tensorkit.Generator generator, Tensor out = None, {_MAKING})",
        f"(int n, *, Tensor out = None, {_MAKING})",
    ),
    "round": (
        "(Tensor input, *, Tensor out = None)",
        "(Tensor input, *, int decimals, Tensor out = None)",
    ),
    "round_": (
        "(Tensor input)",
        "(Tensor input, *, int decimals)",
    ),
    "scatter": (
        "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
        "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)",
        "(Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)",
        "(Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)",
    ),
    "squeeze": (
        "(Tensor input)",
        "(Tensor input, int dim)",
        "(Tensor input, tuple of ints dim)",
    ),
    "tensor_split": (
        "(Tensor input, tuple of ints indices, int dim = 0)",
        "(Tensor input, Tensor tensor_indices_or_sections, int dim = 0)",
        "(Tensor input, int sections, int dim = 0)",
    ),
    "vsplit": (
        "(Tensor input, int sections)",
        "(Tensor input, tuple of ints indices)",
    ),
    "xlogy_": (
        "(Tensor input, Tensor other)",
        "(Tensor input, Number other)",
    ),
}

#: The forms of methods that are not those of the function without its first tensor and without ``out=``.
METHODS: dict[str, tuple[str, ...]] = {
    "addmm": ("(Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)",),
    "addmm_": ("(Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)",),
    "baddbmm": ("(Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1)",),
    "baddbmm_": ("(Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1)",),
    "bernoulli_": (
        "(Tensor p, *, tensorkit.Generator generator = None)",
        "(float p = 0.5, *, tensorkit.Generator generator = None)",
    ),
    "clip": (
        "(Tensor min = None, Tensor max = None)",
        "(Number min = None, Number max = None)",
    ),
    "clip_": (
        "(Tensor min = None, Tensor max = None)",
        "(Number min = None, Number max = None)",
    ),
    "copy_": ("(Tensor other, bool non_blocking = False)",),
    "moveaxis": (
        "(int source, int destination)",
        "(tuple of ints source, tuple of ints destination)",
    ),
    "nonzero": (
        "()",
        "(*, bool as_tuple)",
    ),
    "random_": (
        "(*, tensorkit.Generator generator = None)",
        "(int from, int to, *, tensorkit.Generator generator = None)",
        "(int to, *, tensorkit.Generator generator = None)",
    ),
    "set_": (
        "()",
        "(tensorkit.Storage source)",
        "(tensorkit.Storage source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
        "(Tensor source)",
        "(Tensor source, int storage_offset, tuple of ints size, tuple of ints stride = None)",
    ),
    "view": (
        "(tensorkit.dtype dtype)",
        "(tuple of ints size)",
    ),
}
