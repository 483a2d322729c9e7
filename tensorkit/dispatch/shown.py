"""What `help`, `inspect` and a notebook's ``??`` show of an operation: its block, and its parameters with their types.

Functions and methods are wrapped several times, and Python alone would show the inside of the outermost wrapper. All of
it is worked out when it is first read: there are many operations.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

from tensorkit.dispatch.lazy_signature import later


def show(
    function: Callable[..., Any] | None, methods: Iterable[Any], written: Callable[..., Any] | None = None
) -> None:
    """Let an operation that is registered now show its block, and its parameters with types.

    Args:
        function: what the namespace offers, if it does.
        methods: of `Tensor`; anything but a function among them, such as a property, is left as it is.
        written: the function whose source they show, where it is known.
    """
    members: list[tuple[Callable[..., Any], bool]]
    members = [(method, True) for method in methods if method.__class__ is FunctionType]
    if function is not None:
        members.append((function, False))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    block: Any = written
    if block is None and frame and members and not _is_written_in(frame, members[-1][0]):
        block = _Block(frame)
    for member, of_tensor in members:
        own = member.__dict__
        known, inner = own.get("__signature__"), own.get("__wrapped__")
        if known is None and inner is None:
            continue
        if block is not None:
            own["__wrapped__"] = block
        own["__signature__"] = _later(known, inner, of_tensor)


# -- the block ----------------------------------------------------------------------------------------------------


def _is_written_in(frame: FrameType, function: Any) -> bool:
    """Whether the innermost body is a function of the module itself: then Python finds the block there."""
    while (inner := function.__dict__.get("__wrapped__")) is not None:
        function = inner
    code = function.__code__
    return code.co_filename == frame.f_code.co_filename and "<locals>" not in code.co_qualname


class _Block(ModuleType):
    """The statement that a module executes now, as a module of its own: `inspect` takes its file whole.

    That file is not there, so the text is asked of the loader.
    """

    def __init__(self, frame: FrameType) -> None:
        super().__init__(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        self.__file__ = self.__name__
        self.__loader__: Any = self
        self.__globals__ = frame.f_globals  # as a function's: where its types have their names

    @staticmethod
    def get_source(place: str) -> str:
        path, _, line = place.rpartition(":")
        text = Path(path).read_text(encoding="utf-8")
        [node] = [n for n in ast.parse(text).body if n.lineno <= int(line) <= (n.end_lineno or n.lineno)]
        return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno]) + "\n"

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """What has this is a kind of function to ``doctest``, which would leave out the examples of what it wraps."""
        return self


# -- the signature ------------------------------------------------------------------------------------------------


class _Annotation(str):
    """A type as it is written: `inspect` prints it without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


#: The types of parameters whose blocks say nothing of them, or ``Any``, since they are looked at by hand.
_TYPES = {
    "alpha": "Number",
    "beta": "Number",
    "condition": "Tensor",
    "dtype": "dtype",
    "end": "Number",
    "exponent": "Tensor | Number",
    "fill_value": "Number",
    "input": "Tensor",
    "layout": "layout",
    "max": "Tensor | Number",
    "memory_format": "memory_format",
    "min": "Tensor | Number",
    "other": "Tensor | Number",
    "out": "Tensor",
    "start": "Number",
    "step": "Number",
    "value": "Tensor | Number",
    "values": "Tensor",
}


def _later(known: Any, inner: Any, of_tensor: bool) -> Any:
    return later(lambda: _shown(inspect.signature(inner) if known is None else known, of_tensor))


def _shown(signature: inspect.Signature, of_tensor: bool) -> inspect.Signature:
    parameters = [_typed(p) for p in signature.parameters.values()]
    if of_tensor:
        parameters = [p for p in parameters if p.name != "out"]
        parameters[0] = parameters[0].replace(name="self", annotation=inspect.Parameter.empty)
    returned = signature.return_annotation
    if returned in (inspect.Signature.empty, "None"):  # what writes into a tensor gives it back
        returned = "Tensor"
    return inspect.Signature(parameters, return_annotation=_Annotation(returned))


def _typed(parameter: inspect.Parameter) -> inspect.Parameter:
    said = parameter.annotation
    if said is inspect.Parameter.empty or (
        said == "Any" and parameter.name != "out"
    ):  # which may be several tensors
        said = _TYPES.get(parameter.name, "Any")
        if parameter.default is None and said != "Any":
            said += " | None"
    return parameter.replace(annotation=_Annotation(said))
