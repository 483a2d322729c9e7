"""What changes all tensors of a module at once: to another device, to another dtype, into shared memory.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import no_grad
from tensorkit.device import DeviceLike
from tensorkit.errors import warn
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.shared.to import parse_to
from tensorkit.tensor import Tensor

Change = Callable[[Tensor], Tensor]


class Conversion:
    """The part of `Module` that moves and converts its parameters and buffers."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[[], Iterator[Any]]

    def _apply(self, fn: Change, recurse: bool = True) -> Self:
        """Replace each parameter, its gradient and each buffer by the result of a function.

        A parameter stays the same object wherever its new elements have memory.
        """
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is not None:
                self._parameters[name] = _changed(param, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move all parameters and buffers to a device, and convert those of floating point to a dtype.

        Args:
            args, kwargs: a device, a dtype, both, or a tensor to be like; ``non_blocking``; ``memory_format`` for
                tensors of 4 or 5 dimensions.

        Raises:
            TypeError: for a dtype that is neither floating point nor complex.

        >>> module = tk.nn.Module()
        >>> module.weight = tk.nn.Parameter(tk.ones(2))
        >>> module.to(tk.float64).weight.dtype
        tensorkit.float64
        """
        where, kind, non_blocking, wanted = parse_to(args, kwargs)
        if kind is not None:
            if not (kind.is_floating_point or kind.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={kind}"
                )
            if kind.is_complex:
                warn(
                    "Complex modules are a new feature under active development whose design may change, and some "
                    "modules might not work as expected when using complex tensors as parameters or buffers. Please "
                    "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a "
                    "complex module does not work as expected."
                )

        def convert(tensor: Tensor) -> Tensor:
            own = kind if tensor.is_floating_point() or tensor.is_complex() else None
            more = {} if wanted is None or tensor.dim() not in (4, 5) else {"memory_format": wanted}
            try:
                return tensor.to(where, own, non_blocking, **more)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use tensorkit.nn.Module.to_empty() instead of tensorkit.nn.Module.to() when "
                    "moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def to_empty(self, *, device: DeviceLike, recurse: bool = True) -> Self:
        """Give all parameters and buffers uninitialised memory on a device."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse=recurse)

    def cuda(self, device: Any = None) -> Self:
        """Move all parameters and buffers to a CUDA device."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype, those of integers too."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Convert all parameters and buffers of floating point to float32."""
        return self._apply(_to_dtype(dtypes.float32))

    def double(self) -> Self:
        """Convert all parameters and buffers of floating point to float64."""
        return self._apply(_to_dtype(dtypes.float64))

    def half(self) -> Self:
        """Convert all parameters and buffers of floating point to float16."""
        return self._apply(_to_dtype(dtypes.float16))

    def bfloat16(self) -> Self:
        """Convert all parameters and buffers of floating point to bfloat16."""
        return self._apply(_to_dtype(dtypes.bfloat16))

    def share_memory(self) -> Self:
        """Move all parameters and buffers to memory that processes forked from now on share."""
        return self._apply(lambda tensor: tensor.share_memory_())


def _to_dtype(kind: dtypes.dtype) -> Change:
    return lambda tensor: tensor.to(kind) if tensor.is_floating_point() else tensor


def _changed(param: Any, fn: Change) -> Any:
    """A parameter after `fn`, and its gradient too."""
    with no_grad():
        made = fn(param)
    grad = param.grad
    if made.is_meta == param.is_meta:
        param.data = made
        out = param
    else:
        out = Parameter(made, param.requires_grad)
    if grad is not None:
        with no_grad():
            made = fn(grad)
        if made.is_meta == grad.is_meta:
            out.grad.data = made
        else:
            out.grad = made.requires_grad_(grad.requires_grad)
    return out
