"""What other libraries read of a tensor on a GPU: its address, sizes and strides, without a copy.

Source: https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.kernels.cuda.memory import EmulatedBuffer
from tensorkit.tensor import Tensor

__all__ = ["cuda_interface"]


def cuda_interface(tensor: Tensor) -> dict[str, Any]:
    """``__cuda_array_interface__``, version 2, as PyTorch gives it.

    Raises:
        AttributeError: on the CPU, and on an emulated device, whose memory no GPU can reach.
        RuntimeError: for a tensor that requires grad.
    """
    if not tensor.is_cuda:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {tensor.type()} If CUDA data is required use "
            "tensor.cuda() to copy tensor to device memory."
        )
    if isinstance(tensor._store()._buffer, EmulatedBuffer):
        raise AttributeError(
            f"Can't get __cuda_array_interface__ of a tensor on the emulated device {tensor.device}: no GPU can reach "
            "its memory. Use tensor.cpu() to copy it."
        )
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. "
            "If gradients aren't required, use var.detach() to get Variable that doesn't require grad."
        )
    layout, item = tensor._lay(), tensor._dtype.itemsize
    strides = None if tensor.is_contiguous() else tuple(step * item for step in layout.stride)
    address = tensor.data_ptr() if tensor.numel() else 0
    return {
        "typestr": tensor._dtype.numpy.str, "shape": tuple(layout.size), "strides": strides,
        "data": (address, False), "version": 2,
    }  # fmt: skip
