"""What switches recording on and off, under PyTorch's name of the module, ``autograd.grad_mode``.

Source: names follow PyTorch 2.13's ``torch.autograd.grad_mode``.
"""

from __future__ import annotations

from tensorkit.autograd.mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
