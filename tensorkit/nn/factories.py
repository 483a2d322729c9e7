"""Arguments of modules that are passed on to the functions that make their parameters: ``device``, ``dtype``.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html
"""

from __future__ import annotations

import inspect
from typing import Any

from tensorkit.nn.module import Module


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """What of a module's arguments is for `empty` and its kin.

    Args:
        kwargs: may have a ``device``, a ``dtype`` and a ``memory_format``, and more of them in ``factory_kwargs``.

    Raises:
        TypeError: for others, and for what is given twice.

    >>> factory_kwargs({"device": "cpu"})
    {'device': 'cpu'}

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/__init__.py
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    known = simple | {"factory_kwargs"}
    if not kwargs.keys() <= known:
        raise TypeError(f"unexpected kwargs {kwargs.keys() - known}")
    made = dict(kwargs.get("factory_kwargs", {}))
    for name in simple & kwargs.keys():
        if name in made:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        made[name] = kwargs[name]
    return made


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a module whose parameters are not initialised, to fill them otherwise.

    Args:
        module_cls: its class, which takes a ``device``.
        args, kwargs: what the class is called with.

    Raises:
        RuntimeError: for a class that takes none, or is not a module class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
