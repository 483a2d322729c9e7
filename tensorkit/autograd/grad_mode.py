"""Whether operations are recorded: `no_grad`, `enable_grad`, `inference_mode`, one switch for each thread.

>>> x = tk.ones(2, requires_grad=True)
>>> with tk.no_grad():
...     print((x * 2).requires_grad)
False

Source: https://docs.pytorch.org/docs/stable/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from tensorkit import tracing
from tensorkit.dispatch.signatures import type_name
from tensorkit.tensor import pop_marker, push_marker

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def __dir__() -> list[str]:
    return __all__


F = TypeVar("F", bound=Callable[..., Any])

#: How a view came to be: a later write through it is recorded only if it was made by a recorded operation alone.
PLAIN, UNRECORDED, INFERENCE, ONE_OF_SEVERAL, CUSTOM = range(5)


_Setting = tuple[bool, bool, bool]


class _State(threading.local):
    """This thread's switches. A new thread starts with recording on."""

    grad = True
    inference = False
    noting = False  # whether new views are shown to `_note_origin` for this thread's sake
    threads = True

    def now(self) -> _Setting:
        """What `_switch` sets back."""
        return self.grad, self.inference, self.noting


state = _State()


def _note_origin(view: Any) -> None:
    """A view is made while some thread does not record: is it this one?"""
    if not state.grad:
        view._origin = INFERENCE if state.inference else UNRECORDED


def _switch(grad: bool, inference: bool, noting: bool) -> None:
    """Set this thread's switches, and begin or end to note how its views come to be."""
    state.grad, state.inference = grad, inference
    if noting is not state.noting:
        state.noting = noting
        if noting:
            push_marker(_note_origin)
        else:
            pop_marker()


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded."""
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`."""
    return state.inference


class _Switch:
    """A setting of the switches, for a block or, as a decorator, for each call of a function."""

    grad = True

    def __init__(self) -> None:
        self._before: list[_Setting] = []

    def __enter__(self) -> None:
        self._before.append(state.now())
        _switch(self.grad, state.inference, not self.grad)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        _switch(*self._before.pop())

    def clone(self) -> _Switch:
        """A switch of the same setting, so that a decorated function may call itself."""
        return type(self)()

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def switched(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return switched  # type: ignore[return-value]

    def _around_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A generator runs in pieces: each piece gets the setting, the code between them does not."""

        @functools.wraps(function)
        def switched(*args: Any, **kwargs: Any) -> Any:
            pieces = function(*args, **kwargs)
            resume: Callable[[], Any] = functools.partial(next, pieces)
            while True:
                with self.clone():
                    try:
                        piece = resume()
                    except StopIteration as end:
                        return end.value
                try:
                    resume = functools.partial(pieces.send, (yield piece))
                except GeneratorExit:
                    with self.clone():
                        pieces.close()
                    raise
                except BaseException as thrown:
                    resume = functools.partial(pieces.throw, thrown)

        return switched


def _bare(cls: type[_Switch], function: Any) -> Any:
    """``@no_grad`` without brackets decorates too."""
    return cls()(function) if callable(function) else None


class no_grad(_Switch):
    """Do not record: a block, or ``@no_grad()`` on a function.

    >>> @tk.no_grad()
    ... def double(x):
    ...     return x * 2
    >>> double(tk.ones(2, requires_grad=True)).requires_grad
    False
    """

    grad = False

    def __new__(cls, orig_func: Any = None) -> Any:
        return _bare(cls, orig_func) or super().__new__(cls)

    def __init__(self, orig_func: Any = None) -> None:
        super().__init__()


class enable_grad(_Switch):
    """Record again, inside a block that does not.

    >>> x = tk.ones(2, requires_grad=True)
    >>> with tk.no_grad(), tk.enable_grad():
    ...     print((x * 2).requires_grad)
    True
    """

    grad = True

    def __new__(cls, orig_func: Any = None) -> Any:
        return _bare(cls, orig_func) or super().__new__(cls)

    def __init__(self, orig_func: Any = None) -> None:
        super().__init__()


class set_grad_enabled(_Switch):
    """Switch recording on or off, at once; as a context manager, until the end of the block.

    >>> with tk.set_grad_enabled(False):
    ...     print(tk.is_grad_enabled())
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not " + type_name(mode)
            )
        self.grad = mode
        self._outer = state.now()
        _switch(mode, state.inference, not mode)

    def __enter__(self) -> None:
        self._before.append(self._outer)
        _switch(self.grad, state.inference, not self.grad)

    def __call__(self, function: F) -> F:
        _switch(*self._outer)  # it decorates: nothing changes until the function is called
        return super().__call__(function)

    def clone(self) -> _Switch:
        return set_grad_enabled(self.grad)

    def __repr__(self) -> str:
        return f"tensorkit.autograd.grad_mode.set_grad_enabled(mode={self.grad})"


class inference_mode(_Switch):
    """Do not record, and make tensors that never can be: for code that only ever looks forward.

    >>> with tk.inference_mode():
    ...     y = tk.ones(2) * 2
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode = mode if isinstance(mode, bool) else True

    def __enter__(self) -> None:
        self._before.append(state.now())
        grad = not self.mode and state.grad
        _switch(grad, self.mode, not grad)
        tracing.hold(1)  # what is made in here has to be marked: no operation may take the short way

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        tracing.hold(-1)
        super().__exit__(kind, error, where)

    def clone(self) -> _Switch:
        return inference_mode(self.mode)


class set_multithreading_enabled(_Switch):
    """Whether the backward pass may use threads of its own; as a context manager, until the end of the block.

    Here it always runs on the thread that asked for it: the setting is kept, and nothing depends on it.

    >>> with tk.autograd.set_multithreading_enabled(False) as nothing:
    ...     tk.autograd.set_multithreading_enabled(True).prev
    False

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.grad_mode.set_multithreading_enabled
    """

    __module__ = "tensorkit.autograd.grad_mode"  # where PyTorch has it

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                "set_multithreading_enabled(): argument 'enabled' (position 1) must be bool, not "
                + type_name(mode)
            )
        self.prev, state.threads, self.mode = state.threads, mode, mode

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        state.threads = self.prev

    def clone(self) -> _Switch:
        """A switch of the same setting."""
        return set_multithreading_enabled(self.mode)
