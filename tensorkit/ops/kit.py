"""What the file of an operation imports: two decorators, and the names that a body and its declaration use.

    @op({"cpu": …, "cuda": …}, derivative=Rule(…))   the body checks, and says by `Plan` what a kernel is to fill;
                                                    or it is made of other operations, and returns their tensors
    @pointwise(…)                                    the body computes one element

A body is a real function with a signature, types and a docstring, which ``??`` shows. What many operations need alike
(new results, devices, ``out=``, meta, half precision, in-place forms, refusals of types) is declared, and written once:
`ops.way` has it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, Protocol, Unpack, cast, overload

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call import as_function
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.op import op as registered
from tensorkit.dispatch.out_and_inplace import as_method, inplace_values
from tensorkit.dispatch.recording import differentiable, signature_of
from tensorkit.dispatch.registry import Fields, Op, register
from tensorkit.dispatch.strict_types import strictly
from tensorkit.dtypes import LIMITED
from tensorkit.dtypes import dtype as DType
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.ops.shared.copy import deliver_into
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.way import Kernels, Lacks, Plan, Result, carried_out
from tensorkit.tensor import Array, Number, Tensor

__all__ = [
    "BUT_FLOATS",
    "BUT_INEXACT",
    "BUT_REAL",
    "FUNCTIONAL",
    "INNER",
    "LIMITED",
    "Array",
    "DType",
    "Dims",
    "Number",
    "Plan",
    "Result",
    "Rule",
    "Tensor",
    "in_place_of",
    "not_differentiable",
    "only_once",
    "op",
    "pointwise",
]

P = ParamSpec("P")


def not_differentiable(name: str, *arguments: str) -> Callable[[dict[str, Any]], bool]:
    """An `applies=` of a rule that refuses a call whose `arguments` require gradients without a formula."""

    def applies(call: dict[str, Any]) -> bool:
        for argument in arguments:
            if isinstance(call[argument], Tensor) and call[argument].requires_grad:
                raise RuntimeError(
                    f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
                    "This input cannot have requires_grad True."
                )
        return True

    return applies


def only_once(name: str, *arguments: str) -> Rule:
    """The rule of a gradient that cannot be differentiated again: `name` is PyTorch's name for it."""

    def refuse(g: Any, c: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    formulas: dict[str, Any] = dict.fromkeys(arguments, refuse)
    return Rule("NotImplemented", **formulas)


FUNCTIONAL = "nn.functional"
"""The namespace of what is a function of ``nn.functional`` alone."""
INNER = "_C._nn"
"""The namespace of what functions of ``nn.functional`` are made of: PyTorch keeps it to itself, and so does the kit."""
BUT_FLOATS = tuple(kind for kind in dtypes.ALL if kind.category != 2)
"""All dtypes but floating point numbers: what a kernel that takes no others has no code for."""
BUT_INEXACT = tuple(kind for kind in dtypes.ALL if kind.category < 2)
"""The dtypes of truth and whole numbers."""
BUT_REAL = (dtypes.bool, *LIMITED, *(kind for kind in dtypes.ALL if kind.is_complex))
"""The dtypes that a kernel of integers and floating point numbers has no code for."""


class _Decorator(Protocol):
    """What `op` returns: a body that plans becomes a function that returns the tensor."""

    @overload
    def __call__(self, body: Callable[P, Plan]) -> Callable[P, Any]: ...

    @overload
    def __call__(self, body: Callable[P, Tensor]) -> Callable[P, Tensor]: ...

    @overload
    def __call__(self, body: Callable[P, Any]) -> Callable[P, Any]: ...


def op(
    kernel: Kernels | None = None,
    *,
    lacks: Lacks = ("", ()),
    derivative: Rule | None = None,
    namespace: str = "",
    methods: tuple[str, ...] = (),
    kind: str = "copy",
    **fields: Unpack[Fields],
) -> _Decorator:
    """Make the decorated function an operation.

    Args:
        kernel: what fills the results that the body plans, by the type of device.
        lacks: PyTorch's name of the kernel, and the dtypes that it has no code for.
        derivative: how gradients pass back; an operation that is made of others needs none.
        namespace: `FUNCTIONAL` or `INNER`, or "" where ``tensorkit`` itself offers it.
        methods: its names as a method of tensors.
        kind: "inplace" where it writes into its first tensor.
        fields: further properties: see `Fields`.
    """

    def decorate(body: Callable[..., Any]) -> Any:
        name = body.__name__

        @functools.wraps(body)
        def run(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            made, out = body(*args, **kwargs), kwargs.get("out")
            if isinstance(made, Plan):
                return carried_out(name, made, kernel or {}, lacks, out)
            if out is not None:
                return deliver_into(made, out, None if kind == "reduce" else made._lay().stride)
            if derivative is not None and kind == "copy" and isinstance(made, Tensor):
                made._counter = None  # writes on the way to a new result do not count
            return made

        # Other operations, which write in place, do as a view with bits asks for.
        handles_conj = kind == "inplace" and kernel is None and derivative is None
        return _registered(
            body, run, kind, derivative, namespace, methods, False, {**fields, "handles_conj": handles_conj}
        )

    return cast(_Decorator, decorate)


def pointwise(
    arrays: Callable[..., Any] | None = None,
    *,
    kernel: str,
    lacks: tuple[DType, ...] = BUT_FLOATS,
    derivative: Rule | None = None,
    namespace: str = "",
    methods: tuple[str, ...] = (),
    in_place: bool | Rule = False,
    exact_out: bool | str = True,
    like_first: str = "",
    check: Callable[..., None] | None = None,
    **fields: Unpack[Fields],
) -> Callable[[Callable[P, Tensor]], Callable[P, Tensor]]:
    """Make an operation from a function of one element.

    Sizes, dtypes and strides follow from the operands: the parameters that are annotated as tensors, which come first.
    The others are numbers. Numba compiles the body for each element of a device.

    Args:
        arrays: the same over whole NumPy arrays, where the body branches: an ``if`` has no meaning for arrays.
        kernel, lacks: PyTorch's name of the kernel, and the dtypes that it has no code for.
        in_place: whether there is a ``name_`` too, which `in_place_of` gives; or its derivative, if it has another.
        exact_out: whether ``out=`` must have the dtype of the result; or the sentence that refuses another.
        like_first: "always" where the result lies as ``empty_like`` of the first operand would.
        check: refuses what the operation cannot do; it is given the operands and numbers in their order.
        derivative, namespace, methods, fields: as for `op`.
    """

    def decorate(body: Callable[P, Tensor]) -> Callable[P, Tensor]:
        named = [name for name in inspect.signature(body).parameters if name != "out"]
        many = sum(body.__annotations__[name].startswith("Tensor") for name in named)
        element = _positional(body, len(named))
        over_arrays = arrays or element
        block = Pointwise(
            body.__name__,
            over_arrays,
            Scalar(body.__name__, whole=element, real=element, complex=element),
            kernel=kernel,
            lacks=lacks,
            exact_out=exact_out,
            like_first=like_first,
            may_share=fields.get("out_overlap") == "allowed",
        )

        @functools.wraps(body)
        def run(*args: Any, **kwargs: Any) -> Tensor:
            __tracebackhide__ = True
            bound = signature_of(body).bind(
                *args, **kwargs
            )  # or a TypeError, which is raised in PyTorch's words
            bound.apply_defaults()
            given = [bound.arguments[name] for name in named]
            for place in range(many, len(given)):
                if isinstance(given[place], Tensor):  # a number may come as a tensor of one element
                    given[place] = given[place].item()
            out, operands, numbers = bound.arguments.get("out"), tuple(given[:many]), tuple(given[many:])
            if check is not None and given[0]._dtype not in lacks:
                check(*given)
            if not numbers:
                return apply(block, operands, out=out)
            return apply(block, operands, out=out, by=_with(over_arrays, numbers), numbers=numbers)

        return _registered(body, run, "pointwise", derivative, namespace, methods, in_place, fields)  # type: ignore[no-any-return]

    return decorate


def _with(function: Callable[..., Any], numbers: tuple[Any, ...]) -> Callable[..., Any]:
    return lambda *arrays: function(*arrays, *numbers)


def _registered(
    body: Callable[..., Any],
    run: Callable[..., Any],
    kind: Any,
    derivative: Rule | None,
    namespace: str,
    methods: tuple[str, ...],
    in_place: bool | Rule,
    fields: Any,
) -> Any:
    """The function that is called; tests and samples find the operation in the registry, if its name is public."""
    name = body.__name__
    run.__signature__ = later(  # type: ignore[attr-defined]
        lambda: inspect.signature(body).replace(return_annotation="Tensor")
    )
    if in_place:
        rule = derivative if isinstance(in_place, bool) else in_place
        changing, plainly = inplace_values(strictly(run, name), rule, name, kind)
        _in_place[name] = made = as_function(f"{name}_", as_method(changing), as_method(plainly))
        made.__name__ = made.__qualname__ = f"{name}_"
        asked = list(inspect.signature(body).parameters.values())[1:]
        numbers = ", 0.5" * sum(
            one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty for one in asked
        )
        made.__doc__ = f"""In-place form of ``{name}``: the result is written into `input`, which it returns.

        >>> t = tk.tensor([0.25, 0.5])
        >>> tk.{name}_(t{numbers}) is t
        True
        """
        if not namespace:
            register(Op(f"{name}_", made, "inplace", functions=(f"{name}_",), **fields))
    if name.startswith("_"):
        return as_function(name, differentiable(run, derivative, name, kind), run)
    made_public: Any = registered(
        kind=kind, derivative=derivative, namespace=namespace, methods=methods, strict=True, **fields
    )
    return made_public(run)


_in_place: dict[str, Callable[..., Tensor]] = {}


def in_place_of(name: str) -> Callable[..., Tensor]:
    """The form ``name_`` of an operation of `nn`, which writes into its first tensor."""
    return _in_place[name]


def _positional(body: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The body as a function of its first parameters, all positional: so Numba compiles it, and NumPy calls it."""
    code = body.__code__.replace(co_argcount=count, co_kwonlyargcount=0)
    usual = tuple(value for name, value in (body.__kwdefaults__ or {}).items() if name != "out")
    return FunctionType(code, body.__globals__, body.__name__, usual)
