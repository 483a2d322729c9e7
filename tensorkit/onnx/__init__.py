"""``onnx``: models in a format that other programs run. Nothing is written in it here.

Source: https://docs.pytorch.org/docs/stable/onnx.html
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["export", "is_in_onnx_export"]


def __dir__() -> list[str]:
    return __all__


def is_in_onnx_export() -> bool:
    """Whether this line runs while a model is exported: never."""
    return False


def export(model: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: no ONNX is written.

    Raises:
        RuntimeError: always, with what to do.

    >>> export(None)
    Traceback (most recent call last):
    RuntimeError: tensorkit writes no ONNX: save the parameters with tensorkit.save(model.state_dict(), ...), and ...
    """
    raise RuntimeError(
        "tensorkit writes no ONNX: save the parameters with tensorkit.save(model.state_dict(), ...), and export the "
        "model with PyTorch, which reads that file"
    )
