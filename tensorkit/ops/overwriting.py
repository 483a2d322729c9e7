"""The functions that write into the tensor they are given: ``exp_(t)`` is ``t.exp_()``, where PyTorch has both."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch import Op, register, registry, sample

# The methods that these functions call are attached by these modules.
from tensorkit.ops import angles, conjugates, pointwise, rounding, special, unary, values  # noqa: F401
from tensorkit.tensor import Tensor

__all__ = [
    "abs_",
    "acos_",
    "acosh_",
    "asin_",
    "asinh_",
    "atan_",
    "atanh_",
    "ceil_",
    "conj_physical_",
    "cos_",
    "cosh_",
    "deg2rad_",
    "erf_",
    "erfc_",
    "exp2_",
    "exp_",
    "expm1_",
    "floor_",
    "frac_",
    "i0_",
    "log10_",
    "log1p_",
    "log2_",
    "log_",
    "logit_",
    "nan_to_num_",
    "neg_",
    "rad2deg_",
    "reciprocal_",
    "relu_",
    "round_",
    "rsqrt_",
    "sigmoid_",
    "sin_",
    "sinc_",
    "sinh_",
    "sqrt_",
    "square_",
    "tan_",
    "tanh_",
    "trunc_",
]


_ABSENT: Any = object()


def _shown(input: Tensor, *args: Any, **kwargs: Any) -> Tensor: ...  # type: ignore[empty-body]


def _writing(name: str, *aliases: str) -> Callable[..., Tensor]:
    """The function that does what the method of the same name does; registered under all of its names."""
    method: Callable[..., Tensor] = getattr(Tensor, name)

    def function(input: Tensor = _ABSENT, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not isinstance(input, Tensor):
            if input is _ABSENT:
                raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
            raise TypeError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        if args and name not in _WITH_ARGUMENTS:
            raise TypeError(f"{name}() takes 1 positional argument but {len(args) + 1} were given")
        if kwargs and name not in _WITH_ARGUMENTS:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return method(input, *args, **kwargs)

    function.__signature__ = inspect.signature(_shown)  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The function form of ``Tensor.{name}``: the result is written into `input`, which it returns.

    >>> import tensorkit as tk
    >>> t = tk.tensor([0.25, 0.5])
    >>> tk.{name}(t) is t
    True
    """
    calls = [f"tk.{spelling}(a)" for spelling in (name, *aliases)]
    samples = (sample(f"tk.{name}(2)"), *(sample(call, a=(2, 3)) for call in calls))
    register(Op(name, function, samples, "inplace", functions=(name, *aliases), rounded=_rounded(name)))
    return function


_WITH_ARGUMENTS = ("logit_", "nan_to_num_")


def _rounded(name: str) -> float:
    """The tolerance of the operation itself; one that has none may still need it for complex numbers."""
    return max(1.0, registry[name.removesuffix("_")].rounded)


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
logit_ = _writing("logit_")
nan_to_num_ = _writing("nan_to_num_")
neg_ = _writing("neg_", "negative_")
rad2deg_ = _writing("rad2deg_")
reciprocal_ = _writing("reciprocal_")
relu_ = _writing("relu_")
round_ = _writing("round_")
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
