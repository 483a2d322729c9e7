"""``hub``: models that are published with their code, which is written for PyTorch's own parts: it is not fetched.

>>> load("pytorch/vision", "resnet18")
Traceback (most recent call last):
RuntimeError: tensorkit fetches no code from a hub: ...

Source: https://docs.pytorch.org/docs/stable/hub.html
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["get_dir", "list", "load", "load_state_dict_from_url", "set_dir"]

_dir: str | None = None


def __dir__() -> Any:
    return __all__


def get_dir() -> str:
    """The folder for what is fetched: ``$TORCH_HOME/hub``, else ``~/.cache/torch/hub``, or what `set_dir` said."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return _dir or os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str | Path) -> None:
    """Set what `get_dir` gives."""
    global _dir  # a setting of the process, as in PyTorch
    _dir = os.path.expanduser(d)


def load(repo_or_dir: str, model: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: no code is fetched.

    Raises:
        RuntimeError: always, with what to do.
    """
    raise RuntimeError(
        f"tensorkit fetches no code from a hub: write the model {model!r} as a class of tensorkit.nn.Module (copy it "
        f"from {repo_or_dir}), and read its parameters from a file with tensorkit.load"
    )


def list(github: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: no code is fetched.

    Raises:
        RuntimeError: always, with what to do.
    """
    raise RuntimeError(
        f"tensorkit fetches no code from a hub: look at https://github.com/{github} for its models"
    )


def load_state_dict_from_url(url: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: nothing is fetched.

    Raises:
        RuntimeError: always, with what to do.
    """
    raise RuntimeError(
        f"tensorkit fetches no models: download {url} yourself, and read the file with tensorkit.load"
    )
