"""A batch on several CUDA devices: cut into shares, computed by replicas of a module, and put together again.

Without CUDA `DataParallel` calls its module. PyTorch's replicas run in threads; here one follows the other.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from tensorkit import cuda
from tensorkit.autograd import is_grad_enabled
from tensorkit.cuda.devices import checked_index
from tensorkit.device import device
from tensorkit.nn.module import Module
from tensorkit.ops.joining.cat import cat
from tensorkit.tensor import Tensor


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_asdict") and hasattr(value, "_fields")


def _gpus(devices: Sequence[Any]) -> list[device]:
    return [device("cuda", checked_index(one)) for one in devices]


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Cut the tensors of a value into shares, one for each device; anything but a tensor goes to each.

    Args:
        inputs: a tensor, or tuples, lists and dictionaries of tensors.
        target_gpus: CUDA devices, as numbers or devices.
        dim: along which the tensors are cut.

    Returns:
        A tuple of tensors for a tensor; otherwise a list of values like `inputs`.

    >>> with tk.cuda.emulate(devices=2):
    ...     scatter(tk.arange(4), [0, 1])
    (tensor([0, 1], device='cuda:0'), tensor([2, 3], device='cuda:1'))
    """
    return _scattered(inputs, _gpus(target_gpus), dim)


def _scattered(value: Any, gpus: Sequence[device], dim: int) -> Any:
    def shares(parts: Any) -> Any:
        return zip(*(_scattered(part, gpus, dim) for part in parts), strict=False)

    if isinstance(value, Tensor):
        pieces = value.chunk(len(gpus), dim)
        return tuple(piece.to(gpu) for piece, gpu in zip(pieces, gpus, strict=False))
    if _is_namedtuple(value):
        return [type(value)(*share) for share in shares(value)]
    if isinstance(value, tuple) and value:
        return list(shares(value))
    if isinstance(value, list) and value:
        return [list(share) for share in shares(value)]
    if isinstance(value, dict) and value:
        return [type(value)(share) for share in shares(value.items())]
    return [value for _ in gpus]


def _scatter_arguments(inputs: Any, kwargs: Any, gpus: Sequence[device], dim: int) -> tuple[Any, Any]:
    """The shares of positional and named arguments, as many of one as of the other."""
    positional = list(_scattered(inputs, gpus, dim)) if inputs else []
    named = list(_scattered(kwargs, gpus, dim)) if kwargs else []
    most = max(len(positional), len(named), 1)
    return (tuple(positional + [()] * (most - len(positional))), tuple(named + [{}] * (most - len(named))))


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Put the results of several devices together on one of them, or on the CPU.

    Args:
        outputs: the results, one for each device: tensors, or tuples, lists and dictionaries of tensors.
        target_device: a number of a CUDA device, or a device; ``"cpu"`` is one too.
        dim: along which the tensors are joined.

    Raises:
        ValueError: when the keys of dictionaries differ.
    """
    target = device("cuda", target_device) if isinstance(target_device, int) else device(target_device)
    first = outputs[0]
    if isinstance(first, Tensor):
        moved = [one.to(target) for one in outputs]
        return cat([one.view(1) if not one.dim() else one for one in moved], dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(one) for one in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([one[key] for one in outputs], target, dim)) for key in first)
    parts = [gather(several, target, dim) for several in zip(*outputs, strict=True)]
    return type(first)(*parts) if _is_namedtuple(first) else type(first)(parts)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copies of a module, one on each device, whose gradients flow back to the module's own parameters.

    Args:
        network: the module.
        devices: CUDA devices, as numbers or devices.
        detach: whether gradients are to end at the copies.
    """
    return [_replica(network, gpu, detach, {}) for gpu in _gpus(devices)]


def _replica(module: Module, gpu: device, detach: bool, made: dict[int, Module]) -> Module:
    if id(module) in made:
        return made[id(module)]
    copy = made[id(module)] = module.__new__(type(module))
    copy.__dict__ = module.__dict__.copy()
    copy._parameters, copy._buffers, copy._modules = {}, module._buffers.copy(), module._modules.copy()
    copy.__dict__["_is_replica"] = True
    for name, child in module._modules.items():
        if child is not None:
            copy._modules[name] = _replica(child, gpu, detach, made)
    for name, param in module._parameters.items():
        if param is None:
            copy._parameters[name] = None
        else:  # no leaf any longer, so no parameter: an attribute
            copy.__dict__[name] = param.detach().to(gpu) if detach else param.view_as(param).to(gpu)
    for name, buffer in module._buffers.items():
        copy._buffers[name] = None if buffer is None else buffer.to(gpu)
    return copy


def parallel_apply(
    modules: Sequence[Any], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> list[Any]:
    """Call each module with its own inputs.

    Args:
        modules: as many as `inputs`.
        inputs: for each module a tuple of arguments, or its only one.
        kwargs_tup: for each module its named arguments.
        devices: for each module its device.

    Raises:
        AssertionError: when they are not equally many.
    """
    for name, several in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if several is not None and len(several) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(several)}"
            )
    named = kwargs_tup or [{}] * len(modules)
    given = [one if isinstance(one, (list, tuple)) else (one,) for one in inputs]
    return [module(*one, **kwargs) for module, one, kwargs in zip(modules, given, named, strict=True)]


class DataParallel(Module):
    """A module that computes each batch on several CUDA devices; without any, as it is.

    Args:
        module: what is computed; its state is saved under names that begin with ``module.``.
        device_ids: CUDA devices, as numbers or devices; by default all. The module must be on the first of them.
        output_device: where the result is put together; by default on the first of them.
        dim: along which inputs are cut and results joined.

    Shape: what the module takes, and gives.

    >>> DataParallel(tk.nn.Identity())(tk.ones(2))
    tensor([1., 1.])
    >>> DataParallel(tk.nn.Identity())
    DataParallel(
      (module): Identity()
    )

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []
        if not cuda.is_available():
            return
        chosen = range(cuda.device_count()) if device_ids is None else device_ids
        self.dim = dim
        self.device_ids = [checked_index(one) for one in chosen]
        self.output_device = checked_index(chosen[0] if output_device is None else output_device)
        self.src_device_obj = device("cuda", self.device_ids[0])
        if len(self.device_ids) == 1:
            self.module.to(self.src_device_obj)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The result of all replicas together.

        Raises:
            RuntimeError: when the module is not on the first device.
        """
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        return _parallel(
            self.module, inputs, kwargs, _gpus(self.device_ids), device("cuda", self.output_device), self.dim
        )


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Compute one batch on several CUDA devices, as a `DataParallel` of the module does.

    Raises:
        RuntimeError: without CUDA, and when the module is not on the first device.
    """
    if not cuda.is_available():
        raise RuntimeError("device type could not be determined")
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    chosen = range(cuda.device_count()) if device_ids is None else device_ids
    target = device("cuda", checked_index(chosen[0] if output_device is None else output_device))
    return _parallel(module, given, module_kwargs or {}, _gpus(chosen), target, dim)


def _parallel(module: Module, inputs: Any, kwargs: Any, gpus: list[device], target: device, dim: int) -> Any:
    for one in chain(module.parameters(), module.buffers()):
        if one.device != gpus[0]:
            raise RuntimeError(
                "module must have its parameters and buffers "
                f"on device {gpus[0]} (device_ids[0]) but found one of them on device: {one.device}"
            )
    positional, named = _scatter_arguments(inputs, kwargs, gpus, dim)
    if len(gpus) == 1:
        return module(*positional[0], **named[0])
    replicas = replicate(module, gpus[: len(positional)], detach=not is_grad_enabled())
    return gather(parallel_apply(replicas, positional, named), target, dim)
