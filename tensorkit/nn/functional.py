"""What layers do, as functions: PyTorch's ``torch.nn.functional``, commonly imported as ``F``.

>>> import tensorkit as tk
>>> import tensorkit.nn.functional as F
>>> F.relu(tk.tensor([-1.0, 2.0]))
tensor([0., 2.])
"""

from __future__ import annotations

from tensorkit.nn.functions import activations, grid_sampling, losses, padding, pooling, resizing
from tensorkit.nn.functions.activations import *  # noqa: F403
from tensorkit.nn.functions.grid_sampling import *  # noqa: F403
from tensorkit.nn.functions.losses import *  # noqa: F403
from tensorkit.nn.functions.padding import *  # noqa: F403
from tensorkit.nn.functions.pooling import *  # noqa: F403
from tensorkit.nn.functions.resizing import *  # noqa: F403

__all__ = [
    *activations.__all__,
    *grid_sampling.__all__,
    *losses.__all__,
    *padding.__all__,
    *pooling.__all__,
    *resizing.__all__,
]


def __dir__() -> list[str]:
    return __all__
