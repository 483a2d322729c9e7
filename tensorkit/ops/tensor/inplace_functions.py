"""The functions that write into the tensor they are given: ``exp_(t)`` is ``t.exp_()``, where PyTorch has both."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.call_errors import explain
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.registry import Op, register, registry
from tensorkit.dispatch.shown import show
from tensorkit.dispatch.signatures import Forms, declare, type_name

# The methods that these functions call are attached by these modules.
from tensorkit.ops.complex import conj  # noqa: F401
from tensorkit.ops.indexing import advanced_index  # noqa: F401
from tensorkit.ops.matrix_products import addmv  # noqa: F401
from tensorkit.ops.pointwise import (  # noqa: F401
    arithmetic,
    binary,
    clamp,
    classification,
    exp_log,
    rounding,
    trigonometric,
)
from tensorkit.ops.shared import fill, resize  # noqa: F401
from tensorkit.ops.special import bessel, erf_gamma  # noqa: F401
from tensorkit.ops.views import slicing, view_reshape  # noqa: F401
from tensorkit.tensor import Tensor

_ABSENT: Any = object()


def _shown(input: Tensor) -> Tensor: ...  # type: ignore[empty-body]


def _writing(name: str, *aliases: str) -> Callable[..., Tensor]:
    """The function that does what the method of the same name does; registered under all of its names."""
    method: Callable[..., Tensor] = getattr(Tensor, name)

    def function(input: Tensor = _ABSENT, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not isinstance(input, Tensor):
            if input is _ABSENT:
                raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
            answer = overridden(name, (input, *args), kwargs)
            if answer is not NotImplemented:
                return answer
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
        if args:
            raise TypeError(f"{name}() takes 1 positional argument but {len(args) + 1} were given")
        if kwargs:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return method(input)

    function.__signature__ = later(lambda: inspect.signature(_shown))  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The function form of ``Tensor.{name}``: the result is written into `input`, which it returns.

    >>> t = tk.tensor([0.25, 0.5])
    >>> tk.{name}(t) is t
    True
    """
    register(Op(name, function, "inplace", functions=(name, *aliases), rounded=_rounded(name)))
    return function


def _with_input(signature: inspect.Signature) -> inspect.Signature:
    """A method's signature as its function has it: the tensor is called `input`."""
    first, *rest = signature.parameters.values()
    return signature.replace(parameters=[first.replace(name="input", annotation="Tensor"), *rest])


def _of_several(name: str, *, forms: tuple[str, ...] = ()) -> Callable[..., Tensor]:
    """The function that does what a method of several arguments does; PyTorch knows it in these forms."""
    method: Callable[..., Tensor] = getattr(Tensor, name)

    def function(*args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        first, rest = args, kwargs
        if not args and "input" in kwargs:
            first, rest = (kwargs["input"],), {key: value for key, value in kwargs.items() if key != "input"}
        try:
            if first and isinstance(first[0], Tensor):
                return method(*first, **rest)
            answer = overridden(name, args, kwargs)
            if answer is not NotImplemented:
                return answer  # type: ignore[no-any-return]
        except TypeError:
            sentence = explain(name, function, args, kwargs)
            if sentence is None:
                raise
            raise TypeError(sentence) from None
        raise TypeError(explain(name, function, args, kwargs))

    function.__signature__ = later(lambda: _with_input(inspect.signature(method)))  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The function form of ``Tensor.{name}``: the result is written into `input`, which it returns.

    >>> tk.{name} is not tk.Tensor.{name}
    True
    """
    record = registry.get(name)
    if record is None:
        told = Forms(forms)
        register(Op(name, function, "inplace", functions=(name,), rounded=_rounded(name), forms=told))
    else:
        declare(name, Forms(forms))
        record.function, record.functions = function, (name,)
        show(function, ())
    return function


#: The operation of an in-place form with another name.
_SAME = {"clip_": "clamp"}


def _rounded(name: str) -> float:
    """The tolerance of the operation itself; one that has none may still need it for complex numbers."""
    return max(1.0, registry[_SAME.get(name, name.removesuffix("_"))].rounded)


abs_ = _writing("abs_")
acos_ = _writing("acos_", "arccos_")
acosh_ = _writing("acosh_", "arccosh_")
asin_ = _writing("asin_", "arcsin_")
asinh_ = _writing("asinh_", "arcsinh_")
atan_ = _writing("atan_", "arctan_")
atanh_ = _writing("atanh_", "arctanh_")
ceil_ = _writing("ceil_")
conj_physical_ = _writing("conj_physical_")
cos_ = _writing("cos_")
cosh_ = _writing("cosh_")
deg2rad_ = _writing("deg2rad_")
erf_ = _writing("erf_")
erfc_ = _writing("erfc_")
exp2_ = _writing("exp2_")
exp_ = _writing("exp_")
expm1_ = _writing("expm1_")
floor_ = _writing("floor_")
frac_ = _writing("frac_")
i0_ = _writing("i0_")
log10_ = _writing("log10_")
log1p_ = _writing("log1p_")
log2_ = _writing("log2_")
log_ = _writing("log_")
neg_ = _writing("neg_", "negative_")
rad2deg_ = _writing("rad2deg_")
reciprocal_ = _writing("reciprocal_")
relu_ = _writing("relu_")
rsqrt_ = _writing("rsqrt_")
sigmoid_ = _writing("sigmoid_")
sin_ = _writing("sin_")
sinc_ = _writing("sinc_")
sinh_ = _writing("sinh_")
sqrt_ = _writing("sqrt_")
square_ = _writing("square_")
tan_ = _writing("tan_")
tanh_ = _writing("tanh_")
trunc_ = _writing("trunc_", "fix_")

addmv_ = _of_several(
    "addmv_", forms=("(Tensor input, Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1)",)
)
as_strided_ = _of_several(
    "as_strided_",
    forms=("(Tensor input, tuple of ints size, tuple of ints stride, int storage_offset = None)",),
)
clamp_ = _of_several(
    "clamp_",
    forms=(
        "(Tensor input, Tensor min = None, Tensor max = None)",
        "(Tensor input, Number min = None, Number max = None)",
    ),
)
clamp_max_ = _of_several("clamp_max_", forms=("(Tensor input, Tensor max)", "(Tensor input, Number max)"))
clamp_min_ = _of_several("clamp_min_", forms=("(Tensor input, Tensor min)", "(Tensor input, Number min)"))
logit_ = _of_several("logit_")
nan_to_num_ = _of_several("nan_to_num_")
round_ = _of_several("round_", forms=("(Tensor input)", "(Tensor input, *, int decimals)"))
clip_ = _of_several(
    "clip_",
    forms=(
        "(Tensor input, Tensor min = None, Tensor max = None)",
        "(Tensor input, Number min = None, Number max = None)",
    ),
)
detach_ = _of_several("detach_")
fill_ = _of_several("fill_")
gcd_ = _of_several("gcd_")
index_put_ = _of_several(
    "index_put_", forms=("(Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)",)
)
lcm_ = _of_several("lcm_")
ldexp_ = _of_several("ldexp_")
resize_as_ = _of_several("resize_as_")
xlogy_ = _of_several("xlogy_", forms=("(Tensor input, Tensor other)", "(Tensor input, Number other)"))
zero_ = _of_several("zero_")
