"""Parameters as one vector, and back.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tensorkit.ops.joining.cat import cat
from tensorkit.ops.tensor.queries import typename
from tensorkit.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def __dir__() -> list[str]:
    return __all__


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All numbers of several parameters, one after another.

    Args:
        parameters: tensors of any sizes on one device.

    Raises:
        TypeError: for parameters on different devices.

    >>> parameters_to_vector([tk.ones(2), tk.zeros(1, 2)])
    tensor([1., 1., 0., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html
    """
    return cat([param.view(-1) for param in _on_one_device(parameters)])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters have the numbers of a vector, one after another; from now on they are views of it.

    Args:
        vec: a vector of as many elements as the parameters have together.
        parameters: tensors of any sizes on one device.

    Raises:
        TypeError: for anything but a vector, or parameters on different devices.

    >>> w = tk.zeros(2, 1)
    >>> vector_to_parameters(tk.tensor([1.0, 2.0]), [w])
    >>> w
    tensor([[1.],
            [2.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.vector_to_parameters.html
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected tensorkit.Tensor, but got: {typename(vec)}")
    start = 0
    for param in _on_one_device(parameters):
        stop = start + param.numel()
        param.data = vec[start:stop].view_as(param).data
        start = stop


def _on_one_device(parameters: Iterable[Any]) -> Iterator[Any]:
    device = None
    for param in parameters:
        place = param.get_device()
        if device is not None and place != device:
            raise TypeError("Found two parameters on different devices, this is currently not supported.")
        device = place
        yield param
