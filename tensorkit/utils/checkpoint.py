"""Checkpoints: the backward pass computes again what the forward pass did not keep. It takes time, and saves memory.

PyTorch's policies for single operations (``SelectiveCheckpointContext``) and ``GraphExecGroup`` are not here.

>>> x = tk.ones(2, requires_grad=True)
>>> y = checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False)
>>> y.sum().backward()
>>> x.grad
tensor([-2.4783, -2.4783])

Source: names, behaviour and sentences follow https://docs.pytorch.org/docs/stable/checkpoint.html.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorkit.autograd import backward, enable_grad, is_grad_enabled, no_grad
from tensorkit.autograd.engine import current_walk
from tensorkit.autograd.function import Function
from tensorkit.tensor import Tensor
from tensorkit.utils.recomputation import CHECKS, CheckpointError, RandomState, SavedAgain

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]


def __dir__() -> list[str]:
    return __all__


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors of a tuple cut off from the graph, each requiring a gradient if it did before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        one.detach().requires_grad_(one.requires_grad) if isinstance(one, Tensor) else one for one in inputs
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn when none of the inputs requires a gradient."""
    if not any(one.requires_grad for one in inputs if isinstance(one, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def noop_context_fn() -> tuple[
    contextlib.AbstractContextManager[None], contextlib.AbstractContextManager[None]
]:
    """Two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


# -- reentrant: the second computation is a graph of its own --------------------------------------------------------


class CheckpointFunction(Function):
    """An operation that records nothing of what it computes; its backward pass computes it again, recorded."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        """Compute without a graph, and keep the arguments."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random = RandomState(preserve_rng_state, args)
        ctx.inputs = [None if isinstance(one, Tensor) else one for one in args]
        ctx.places = [place for place, one in enumerate(args) if isinstance(one, Tensor)]
        ctx.save_for_backward(*(args[place] for place in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Compute again, and go back through that graph."""
        walk = current_walk()
        if walk is not None and walk.wanted:
            raise RuntimeError(
                "When use_reentrant=True, tensorkit.utils.checkpoint is incompatible"
                " with .grad() or passing an `inputs` parameter to .backward()."
                " To resolve this error, you can either set use_reentrant=False,"
                " or call .backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        detached = detach_variable(tuple(inputs))
        with ctx.random.again(), enable_grad():
            outputs = ctx.run_function(*detached)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        chosen = [place for place, out in enumerate(outputs) if isinstance(out, Tensor) and out.requires_grad]
        if not chosen:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([outputs[place] for place in chosen], [args[place] for place in chosen])
        return None, None, *(one.grad if isinstance(one, Tensor) else None for one in detached)


# -- not reentrant: the graph is recorded, without the tensors that it would keep ------------------------------------

_early_stop: list[bool] = []  # what the blocks of `set_checkpoint_early_stop` say, the innermost last


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Say for all checkpoints of a block whether their second computation ends as soon as it has all tensors.

    Source: https://docs.pytorch.org/docs/stable/checkpoint.html#torch.utils.checkpoint.set_checkpoint_early_stop
    """
    _early_stop.append(enable)
    try:
        yield
    finally:
        _early_stop.pop()


def _without_reentrant(
    function: Any, args: Any, kwargs: Any, preserve: bool, context_fn: Any, check: str, early_stop: bool
) -> Any:
    if check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {check}")
    first, second = context_fn()
    random = RandomState(preserve, args)
    if not is_grad_enabled():
        return function(*args, **kwargs)

    def compute_again(*args: Any) -> None:
        with random.again(), second:
            function(*args, **kwargs)

    early_stop = _early_stop[-1] if _early_stop else early_stop
    with (hooks := SavedAgain(compute_again, args, early_stop, CHECKS[check])), first:
        result = function(*args, **kwargs)
    hooks.completed = True
    return result


# -- what people call ---------------------------------------------------------------------------------------------


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function whose intermediate results are not kept: the backward pass calls it a second time for them.

    Args:
        function: called with `args`; without `use_reentrant` with `kwargs` too. It must do the same both times.
        use_reentrant: whether the second call is a backward pass of its own, within the other one: the first call then
            records nothing, an argument must require a gradient, and only ``backward()`` without `inputs` works.
        context_fn: gives two contexts, for the first and for the second call.
        determinism_check: ``"default"`` compares shapes, dtypes and devices of the tensors, ``"none"`` nothing.
        debug: accepted; no operations are listed.
        early_stop: whether the second call ends as soon as it has computed all that is needed.
        kwargs: also ``preserve_rng_state``, True where it is not given: whether random numbers come again.

    Raises:
        ValueError: for what only one of the two ways can do.
        CheckpointError: in the backward pass, when the second call saved other tensors.

    >>> x = tk.tensor([1.0, 2.0], requires_grad=True)
    >>> checkpoint(tk.exp, x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([2.7183, 7.3891])

    Source: https://docs.pytorch.org/docs/stable/checkpoint.html#torch.utils.checkpoint.checkpoint
    """
    if use_reentrant is None:
        warnings.warn(
            "tensorkit.utils.checkpoint: the use_reentrant parameter should be "
            "passed explicitly. Starting in PyTorch 2.9, calling checkpoint "
            "without use_reentrant will raise an exception. use_reentrant=False is "
            "recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        if debug and context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        return _without_reentrant(function, args, kwargs, preserve, context_fn, determinism_check, early_stop)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other, in segments that are checkpoints; the last one keeps its results.

    Args:
        functions: a list of them, or an ``nn.Sequential``.
        segments: how many.
        input: what the first function is called with.
        use_reentrant: as for `checkpoint`.
        kwargs: only ``preserve_rng_state``.

    Raises:
        ValueError: for other keywords.

    >>> x = tk.ones(1, requires_grad=True)
    >>> checkpoint_sequential([tk.exp, tk.sin, tk.cos], 2, x, use_reentrant=False)
    tensor([0.9168], grad_fn=<CosBackward0>)

    Source: https://docs.pytorch.org/docs/stable/checkpoint.html#torch.utils.checkpoint.checkpoint_sequential
    """
    if use_reentrant is None:
        warnings.warn(
            "tensorkit.utils.checkpoint.checkpoint_sequential: the use_reentrant "
            "parameter should be passed explicitly. "
            "In version 2.9 we will raise an exception if use_reentrant "
            "is not passed. use_reentrant=False is "
            "recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if hasattr(functions, "children"):  # a module
        functions = list(functions.children())

    def run(chosen: list[Any]) -> Callable[[Any], Any]:
        def forward(input: Any) -> Any:
            for function in chosen:
                input = function(input)
            return input

        return forward

    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        segment = run(functions[start : start + size])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(functions[last:])(input)
