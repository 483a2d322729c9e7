"""What is done with the parameters of a module and their gradients.

Source: https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from tensorkit.nn.factories import skip_init
from tensorkit.nn.utils import rnn
from tensorkit.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from tensorkit.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "skip_init",
    "vector_to_parameters",
]


def __dir__() -> list[str]:
    return __all__
