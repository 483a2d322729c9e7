"""`autocast`: the region in which some operations are computed in 16 bits; `casting` says which.

Source: https://docs.pytorch.org/docs/stable/amp.html#autocasting
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from tensorkit import cuda, tracing
from tensorkit.amp.casting import in_each
from tensorkit.device import device
from tensorkit.dispatch.autocasting import DTYPES, state
from tensorkit.dtypes import bfloat16, dtype, float16
from tensorkit.errors import warn

F = TypeVar("F", bound=Callable[..., Any])


def _kind(device_type: str) -> str:
    kind = device(device_type).type  # refuses anything but a device, in PyTorch's words
    if kind not in DTYPES:
        raise RuntimeError("unsupported scalarType")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` takes this kind of device.

    >>> is_autocast_available("cpu"), is_autocast_available("meta")
    (True, False)
    """
    return device(device_type).type in DTYPES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether this line runs in an enabled region of `autocast`."""
    return state.enabled[_kind(device_type)]


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Set what `is_autocast_enabled` says."""
    kind = _kind(device_type)
    if state.enabled[kind] != enabled:
        tracing.hold(1 if enabled else -1)  # what is to be cast has to take the long way
    state.enabled[kind] = enabled


def get_autocast_dtype(device_type: str) -> dtype:
    """The dtype that `autocast` uses.

    >>> get_autocast_dtype("cpu"), get_autocast_dtype("cuda")
    (tensorkit.bfloat16, tensorkit.float16)
    """
    return state.dtypes[_kind(device_type)]


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Set what `get_autocast_dtype` says."""
    state.dtypes[_kind(device_type)] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether casts of weights are kept within a region."""
    return state.cached


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set what `is_autocast_cache_enabled` says."""
    state.cached = enabled


def clear_autocast_cache() -> None:
    """Forget the casts of weights, as at the end of the outermost region."""
    state.kept.clear()


class autocast:
    """A region, as a context manager or decorator, in which products and convolutions are computed in 16 bits.

    Losses, and other operations that need more digits, are computed in float32; all others in the dtype of what they
    are given. Weights stay float32, and so do their gradients.

    Args:
        device_type: ``"cpu"`` or ``"cuda"``; for the latter it is disabled, with a warning, where there is no CUDA.
        dtype: float16 or bfloat16; by default float16 for CUDA and bfloat16 for the CPU.
        enabled: whether the region is one.
        cache_enabled: whether a weight is cast once only, until the outermost region ends.

    Raises:
        ValueError: when `device_type` is not a string. RuntimeError: when it is not such a device.

    >>> weight = tk.ones(2, 2, requires_grad=True)
    >>> with autocast("cpu"):
    ...     product = weight @ tk.ones(2, 2)
    >>> product.sum().backward()
    >>> product.dtype, weight.grad.dtype
    (tensorkit.bfloat16, tensorkit.float32)

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.autocast
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._possible()

    def _possible(self) -> bool:
        """Whether the region can be enabled; a warning says why not."""
        if self.device == "cuda":
            if cuda.is_available():
                return True
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            return False
        if self.fast_dtype in (bfloat16, float16):
            return True
        name = self.device.upper()
        warn(
            f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
            f"{name} Autocast only supports dtypes of {bfloat16}, {float16} currently."
        )
        return False

    def __enter__(self) -> autocast:
        self.prev_cache_enabled = is_autocast_cache_enabled()
        self.prev = is_autocast_enabled(self.device)
        self.prev_fastdtype = get_autocast_dtype(self.device)
        set_autocast_enabled(self.device, self._enabled)
        set_autocast_dtype(self.device, self.fast_dtype)
        set_autocast_cache_enabled(self._cache_enabled)
        state.depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        state.depth -= 1
        if not state.depth:
            clear_autocast_cache()
        set_autocast_enabled(self.device, self.prev)
        set_autocast_dtype(self.device, self.prev_fastdtype)
        set_autocast_cache_enabled(self.prev_cache_enabled)

    def __call__(self, func: F) -> F:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with tensorkit.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @wraps(func)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return inside  # type: ignore[return-value]


# -- for classes of `autograd.Function` ---------------------------------------------------------------------------


def _cast(value: Any, device_type: str, to: dtype) -> Any:
    return in_each(value, device_type, lambda tensor: tensor.to(to))


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtype | None = None) -> Any:
    """A decorator for ``forward`` of an `autograd.Function`.

    Args:
        fwd: the method; without it, a decorator is given back.
        device_type: ``"cpu"`` or ``"cuda"``.
        cast_inputs: in an enabled region, floating tensors are cast to this dtype, and the region is left meanwhile.

    Raises:
        ValueError: when `device_type` is not a string.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.custom_fwd
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype = get_autocast_dtype(device_type)
        enabled = is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A decorator for ``backward`` of an `autograd.Function`: it runs in the region that ``forward`` ran in.

    Raises:
        ValueError: when `device_type` is not a string.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.custom_bwd
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd
