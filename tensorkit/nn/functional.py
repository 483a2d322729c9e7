"""What layers do, as functions: PyTorch's ``torch.nn.functional``, commonly imported as ``F``.

>>> import tensorkit as tk
>>> import tensorkit.nn.functional as F
>>> F.relu(tk.tensor([-1.0, 2.0]))
tensor([0., 2.])
"""

from __future__ import annotations

from tensorkit.nn.functions import (
    activations,
    attention,
    conv,
    distance,
    distribution_losses,
    losses,
    margin_losses,
    normalisation,
    padding,
    pooling,
    sparse,
)
from tensorkit.nn.functions import dropout as _dropout
from tensorkit.nn.functions import linear as _linear
from tensorkit.nn.functions import softmax as _softmax
from tensorkit.nn.functions.activations import *  # noqa: F403
from tensorkit.nn.functions.attention import *  # noqa: F403
from tensorkit.nn.functions.conv import *  # noqa: F403
from tensorkit.nn.functions.distance import *  # noqa: F403
from tensorkit.nn.functions.distribution_losses import *  # noqa: F403
from tensorkit.nn.functions.dropout import *  # noqa: F403
from tensorkit.nn.functions.linear import *  # noqa: F403
from tensorkit.nn.functions import activations, grid_sampling, losses, padding, pooling, resizing
from tensorkit.nn.functions.activations import *  # noqa: F403
from tensorkit.nn.functions.grid_sampling import *  # noqa: F403
from tensorkit.nn.functions.losses import *  # noqa: F403
from tensorkit.nn.functions.margin_losses import *  # noqa: F403
from tensorkit.nn.functions.normalisation import *  # noqa: F403
from tensorkit.nn.functions.padding import *  # noqa: F403
from tensorkit.nn.functions.pooling import *  # noqa: F403
from tensorkit.nn.functions.softmax import *  # noqa: F403
from tensorkit.nn.functions.sparse import *  # noqa: F403

__all__ = [
    *activations.__all__,
    *attention.__all__,
    *conv.__all__,
    *distance.__all__,
    *distribution_losses.__all__,
    *_dropout.__all__,
    *_linear.__all__,
from tensorkit.nn.functions.resizing import *  # noqa: F403

__all__ = [
    *activations.__all__,
    *grid_sampling.__all__,
    *losses.__all__,
    *margin_losses.__all__,
    *normalisation.__all__,
    *padding.__all__,
    *pooling.__all__,
    *_softmax.__all__,
    *sparse.__all__,
    *resizing.__all__,
]


def __dir__() -> list[str]:
    return __all__
