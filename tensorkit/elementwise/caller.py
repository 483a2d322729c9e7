"""What reads the arguments of a pointwise operation's function and method, and refuses what does not fit."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.dispatch.call_errors import explain, unbound, unmatched
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.out_and_inplace import out_refused
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.recording import call_traced, recorded_call, tracked
from tensorkit.dispatch.registry import Fields, Op, register
from tensorkit.dispatch.signatures import of_function, type_name
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.errors import warn
from tensorkit.tensor import Tensor, fresh

#: The forms that are listed for what takes a number before a tensor, but then no ``out=``.
_NO_NUMBER_FORMS = (
    ("Tensor input, Tensor other", ", *, Tensor out = None"),
    ("Number self, Tensor other", ""),
    ("Tensor input, Number other", ", *, Tensor out = None"),
)


class Caller:
    """One spelling's way into `apply`: a wrong call gets PyTorch's sentence, a listener gets its event."""

    def __init__(
        self,
        block: Pointwise,
        name: str,
        second: str,
        numbers: bool,
        inplace: bool,
        rule: Any = None,
        first: str = "any",
    ) -> None:
        self.block, self.name, self.second, self.rule = block, name, second, rule
        self.accepted: tuple[type, ...] = (Tensor, *NUMBERS) if numbers else (Tensor,)
        self.inplace = inplace
        self.first = first
        self.signature = _signature(block, second, numbers, bare=inplace)
        self.method_signature = _signature(block, second, numbers, bare=True)

    def run(self, input: Any, other: Any, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
        __tracebackhide__ = True
        scale = alpha if self.block.alpha else None
        if out is not None and (refused := out_refused(self.name, (input, other), out)) is not None:
            raise refused

        def body() -> Tensor:
            __tracebackhide__ = True
            return apply(self.block, (input, other), alpha=scale, out=out, inplace=self.inplace)

        if tracked((input, other)):
            arguments = {"input": input, self.second: other, "alpha": alpha, "out": out}
            return self._recorded(arguments, body)
        return body()

    def _recorded(self, arguments: dict[str, Any], body: Callable[[], Tensor]) -> Tensor:
        __tracebackhide__ = True
        return recorded_call(  # type: ignore[no-any-return]
            self.rule, self.name, arguments, body, "inplace" if self.inplace else "pointwise"
        )

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool) -> Tensor:
        __tracebackhide__ = True
        try:
            return self._called(args, kwargs, method)
        except TypeError:
            answer = overridden(self.name, args, kwargs)
            if answer is NotImplemented:
                raise
            return answer  # type: ignore[no-any-return]

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> Tensor:
        __tracebackhide__ = True
        if method and args and not isinstance(args[0], Tensor):
            raise unbound(self.name, args[0])
        # A right call of the usual form is not looked at twice: to explain a wrong one takes time.
        if len(args) != 2 or (kwargs and not self._usual(kwargs, method)):
            args, kwargs = self._todays(args, kwargs, method)
            shown = self.method_signature if method else self.signature
            sentence = explain(self.name, shown, args, kwargs, method=method)
            if sentence is not None:
                raise self._unmatched(args[method:], kwargs) if self._listed() else TypeError(sentence)
        given = dict(zip(("input", self.second), args, strict=False)) | kwargs
        input, other = given.pop("input"), given.pop(self.second)
        self._check(input, other, args[method:], kwargs, method)
        if not isinstance(input, Tensor) and not isinstance(other, Tensor):
            input = fresh(numpy.array(input), dtypes.of_number(input))
        if tracing.active:
            return call_traced(self.name, self.run, (input, other), given)  # type: ignore[no-any-return]
        return self.run(input, other, **given)

    def _usual(self, kwargs: dict[str, Any], method: bool) -> bool:
        """Whether the only keywords are ``out=`` and ``alpha=``, where they are allowed and of the right types."""
        for key, value in kwargs.items():
            if key == "out":
                if method or self.inplace or not isinstance(value, Tensor):
                    return False
            elif key != "alpha" or not self.block.alpha or not isinstance(value, NUMBERS):
                return False
        return True

    def _todays(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call as it is written today: `alpha` used to come second, and NumPy has other names for the operands."""
        if (
            self.block.alpha
            and len(args) == 3
            and isinstance(args[1], NUMBERS)
            and isinstance(args[2], (Tensor, *NUMBERS))
        ):
            first, last = ("", "") if method else ("Tensor input, ", ", Tensor out = None")
            warn(
                f"This overload of {self.name} is deprecated:\n"
                f"\t{self.name}({first}Number alpha, Tensor other{last and ', *' + last})\n"
                "Consider using one of the following signatures instead:\n"
                f"\t{self.name}({first}Tensor other, *, Number alpha = 1{last})"
            )
            return (args[0], args[2]), {"alpha": args[1], **kwargs}
        meant = {"x1": "input", "x2": self.second, "x": "input", "a": "input"}
        return args, {meant.get(key, key): value for key, value in kwargs.items()}

    def _check(self, input: Any, other: Any, args: tuple[Any, ...], kwargs: Any, method: bool) -> None:
        first = isinstance(input, Tensor) or (
            isinstance(input, NUMBERS)
            and (self.first == "any" or (self.first == "mixed" and isinstance(other, Tensor)))
        )
        if first and isinstance(other, self.accepted):
            if kwargs and not self.block.number_out and not isinstance(input, Tensor) and "out" in kwargs:
                forms = map("".join, _NO_NUMBER_FORMS)
                raise unmatched(self.name, args, kwargs, forms)
            return
        if self.block.overloaded:
            raise self._unmatched(args, kwargs)
        label, value, position = self.second, other, 1 if method else 2
        if not first:
            label, value, position = "input", input, 1
        where = f" (position {position})" if label not in kwargs else ""
        raise TypeError(f"{self.name}(): argument '{label}'{where} must be Tensor, not {type_name(value)}")

    def _listed(self) -> bool:
        """Whether PyTorch lists the overloads for tensors and numbers, and the block sets no exception."""
        return self.block.overloaded and of_function(self.name) is None

    def _unmatched(self, args: tuple[Any, ...], kwargs: Any) -> TypeError:
        return unmatched(
            self.name, args, kwargs, (f"Tensor input, {kind} {self.second}" for kind in ("Tensor", "Number"))
        )


def _signature(block: Pointwise, second: str, numbers: bool, *, bare: bool) -> Callable[..., Any]:
    """A function with the operation's parameters, for `inspect` and for the errors of a wrong call."""

    def shown() -> None: ...

    def make() -> inspect.Signature:
        types = {second: Parameter.empty if numbers else "Tensor"}
        operands = [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=types.get(name, Parameter.empty))
            for name in ("input", second)
        ]
        alpha = [Parameter("alpha", Parameter.KEYWORD_ONLY, default=1)] if block.alpha else []
        annotation = Parameter.empty if block.alpha else "Tensor | None"
        out = Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        return inspect.Signature([*operands, *alpha, *([] if bare else [out])])

    shown.__signature__ = later(make)  # type: ignore[attr-defined]
    return shown


def within(namespace: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The spellings of a function after ``tensorkit.``, from names that begin with that of the namespace."""
    return tuple(f"{namespace}.{name.removeprefix(namespace + '_')}" if namespace else name for name in names)


def finish(
    block: Pointwise,
    function: Callable[..., Tensor],
    body: Callable[..., Any],
    functions: tuple[str, ...],
    methods: tuple[str, ...],
    derivative: Any,
    fields: Fields,
    second: str = "",
    numbers: bool = True,
) -> None:
    """Name the function after its block, in the module of the function that was decorated, and register it.

    Args:
        body: what was decorated.
        second: the keyword of the second operand; "" where there is one operand. numbers: whether it may be a number.
    """
    function.__name__ = function.__qualname__ = block.name
    function.__doc__, function.__module__ = body.__doc__, body.__module__
    register(
        Op(
            block.name,
            function,
            "pointwise",
            functions=functions,
            methods=methods,
            derivative=derivative,
            scalar=block.scalar,
            extra={"block": block, "second": second, "numbers": numbers},
            **fields,
        ),
        None if "<locals>" in body.__qualname__ else body,
    )
