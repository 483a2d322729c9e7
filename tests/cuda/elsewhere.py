"""A library whose new tensors are on a device, though nobody chose it as the default.

The samples of operations make tensors of their own, as `out` or as an index: `tk.empty(0)`. What an operation makes
inside it has to come to the device by itself, so nothing is told to it.
"""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit.dispatch.registry import registry


class Elsewhere:
    """tensorkit, but for what creates: ``Elsewhere("cuda:1").zeros(2)`` is on the second device."""

    def __init__(self, device: str) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        value = getattr(tk, name)
        op = registry.get(name)
        if op is None or op.kind != "create":
            return value

        def created(*args: Any, **kwargs: Any) -> Any:
            with tk.device(self._device):
                return value(*args, **kwargs)

        return created
