"""What layers do, as functions: PyTorch's ``torch.nn.functional``, commonly imported as ``F``.

>>> import tensorkit as tk
>>> import tensorkit.nn.functional as F
>>> F.relu(tk.tensor([-1.0, 2.0]))
tensor([0., 2.])
"""

from __future__ import annotations

from tensorkit.nn.functions import activations, losses, normalisation
from tensorkit.nn.functions import attention as attentions
from tensorkit.nn.functions import dropout as dropouts
from tensorkit.nn.functions import linear as linears
from tensorkit.nn.functions.activations import *  # noqa: F403
from tensorkit.nn.functions.attention import *  # noqa: F403
from tensorkit.nn.functions.dropout import *  # noqa: F403
from tensorkit.nn.functions.linear import *  # noqa: F403
from tensorkit.nn.functions.losses import *  # noqa: F403
from tensorkit.nn.functions.normalisation import *  # noqa: F403

__all__ = [
    *activations.__all__,
    *attentions.__all__,
    *dropouts.__all__,
    *linears.__all__,
    *losses.__all__,
    *normalisation.__all__,
]


def __dir__() -> list[str]:
    return __all__
