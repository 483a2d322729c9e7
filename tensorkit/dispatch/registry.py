"""The registry of operations, and how a block in ``ops/`` becomes functions, methods and operators.

An operation is declared once, where it is written:

    @op(aliases=("swapaxes", "swapdims"))
    def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
        ...

`op` writes it into the `registry`, gives `Tensor` the method, and returns the function for the namespace. Errors that
Python raises for a wrong call are put into PyTorch's words afterwards (`explain`), so a right call pays nothing.

Functions that only pass a call on say ``__tracebackhide__``: a traceback in a notebook then shows the learner's line
and the engine's sentence, and leaves out the way between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypedDict, TypeVar

from tensorkit.dispatch.shown import show
from tensorkit.dispatch.signatures import Forms, declare
from tensorkit.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


class Sample(NamedTuple):
    """One call to try an operation with; the test-suite draws dtypes and memory layouts for the operands.

    Attributes:
        call: an expression in ``tk`` (the namespace) and the operands, the same under PyTorch.
        sizes: the size of each tensor operand.
    """

    call: str
    sizes: Mapping[str, tuple[int, ...]]


OutRecording = Literal["refused", "in place", "silent"]
OutOverlap = Literal["after resizing", "before resizing", "allowed"]


class Fields(TypedDict, total=False):
    """The attributes of `Op` that every block may set, however its operation is made."""

    rounded: float
    forms: Forms
    differentiable: bool
    out_error: str | Callable[..., str]
    out_recording: OutRecording
    out_overlap: OutOverlap
    out_drawn: Callable[[Mapping[str, Any]], bool]


@dataclass(slots=True)
class Op:
    """All that is known about one operation.

    Attributes:
        name: PyTorch's name.
        function: what the namespace offers, or None for a method only.
        kind: "view", "pointwise", "reduce", "scan", "create", "copy" or "inplace".
        functions, methods: every public spelling, operators among the methods.
        derivative: how gradients pass back through it; None where there is none.
        scalar: the scalar body that device kernels are compiled from, where there is one.
        rounded: 0 when its values are PyTorch's to the last bit; otherwise how many times the usual tolerance of
            its dtype the tests allow, because its last digits depend on the order of additions or on a library.
        forms: the signatures in which PyTorch knows it, where its errors tell them.
        differentiable: False where PyTorch records it, but has no derivative to check `derivative` with.
        out_error: what PyTorch calls it when it refuses ``out=`` where a gradient is wanted, if not by its name:
            the operation that it comes down to; or what tells that from the tensors of the call.
        out_recording: how an ``out=`` that wants a gradient is treated: "refused"; "in place", where PyTorch writes
            the result in place, and refuses a leaf for that; "silent", where PyTorch keeps no record.
        out_overlap: when PyTorch looks whether elements of ``out=`` share memory, if it does not allow that.
        out_drawn: whether a call is a silent resize of ``out=`` and a method that draws into it.
        samples: calls to try it with, which ``lab.samples`` reads from its text files.
    """

    name: str
    function: Callable[..., Any] | None
    kind: str
    functions: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    derivative: Any = None
    scalar: Any = None
    rounded: float = 0
    forms: Forms | None = None
    differentiable: bool = True
    out_error: str | Callable[..., str] = ""
    out_recording: OutRecording = "refused"
    out_overlap: OutOverlap = "after resizing"
    out_drawn: Callable[[Mapping[str, Any]], bool] = lambda given: False
    extra: dict[str, Any] = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()


registry: dict[str, Op] = {}


def register(record: Op, block: Callable[..., Any] | None = None) -> Op:
    """Write an operation down; its name must be new. It shows the source of `block`, or of the statement that runs."""
    if record.name in registry:
        raise RuntimeError(f"operation {record.name!r} is already registered")
    registry[record.name] = record
    if record.forms is not None:
        declare(record.name, record.forms)
    _tell_source(record)
    show(record.function, [vars(Tensor)[name] for name in record.methods if not name.startswith("__")], block)
    return record


_PAGES = "https://docs.pytorch.org/docs/stable/"


def _tell_source(record: Op) -> None:
    """Let a docstring end with the page of PyTorch's that tells of the operation, unless it names another source."""
    known: Any = record.function or vars(Tensor)[record.methods[0]]
    told = known.__doc__ or ""
    if "Source: " in told or not isinstance(known, FunctionType):
        return
    name = record.functions[0] if record.functions else f"Tensor.{record.methods[0]}"
    if known.__module__.startswith("tensorkit.ops.nn."):
        name = f"nn.functional.{name.rpartition('.')[2]}"
    elif name.endswith("_") and record.functions:
        return  # the function form of a method, which its docstring names
    page = f"special.html#torch.{name}" if name.startswith("special.") else f"generated/torch.{name}.html"
    lines = told.expandtabs().splitlines()[1:]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0) * " "
    for one in (known, *(vars(Tensor)[method] for method in record.methods)):
        if one.__doc__ == told and isinstance(one, FunctionType):
            one.__doc__ = f"{told.rstrip()}\n\n{margin}Source: {_PAGES}{page}\n{margin}"


offered: dict[str, Callable[..., Any]] = {}
F = TypeVar("F", bound=Callable[..., Any])


def offers(function: F) -> F:
    """Put a plain question about tensors, such as ``is_tensor``, into the namespace: it is not an operation."""
    offered[function.__name__] = function
    return function


unlisted: set[str] = set()


def unlists(function: F) -> F:
    """`offers`, for what PyTorch has no longer: code of earlier years finds it, and no list of names shows it."""
    unlisted.add(function.__name__)
    return offers(function)
