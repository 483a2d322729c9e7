"""tensorkit: a real strided tensor engine whose every part can be looked at.

The names, arguments, results and messages are PyTorch's: a lesson that says ``import tensorkit as tk`` can say
``import torch as tk`` instead.

>>> import tensorkit as tk
>>> t = tk.arange(10.0).view(2, 5)
>>> t.t().stride()
(1, 5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit import cuda, errors, return_types, storage, trace
from tensorkit.device import device
from tensorkit.dtypes import (
    bfloat16,
    bool,
    byte,
    can_cast,
    cdouble,
    cfloat,
    char,
    complex64,
    complex128,
    double,
    dtype,
    float,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorkit.ops.convert import CONTIGUOUS as contiguous_format
from tensorkit.ops.convert import PRESERVE as preserve_format
from tensorkit.ops.convert import clone, is_tensor, numel
from tensorkit.ops.create import (
    arange,
    as_tensor,
    empty,
    empty_like,
    empty_strided,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    tensor,
    zeros,
    zeros_like,
)
from tensorkit.ops.pointwise import (
    absolute,
    add,
    div,
    eq,
    equal,
    floor_divide,
    ge,
    gt,
    le,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    remainder,
    sub,
    true_divide,
)
from tensorkit.ops.reduce import max, mean, min, std, sum, var
from tensorkit.ops.view import (
    as_strided,
    broadcast_tensors,
    broadcast_to,
    chunk,
    detach,
    diagonal,
    dsplit,
    flatten,
    hsplit,
    imag,
    movedim,
    narrow,
    permute,
    positive,
    ravel,
    real,
    reshape,
    select,
    split,
    split_with_sizes,
    squeeze,
    t,
    tensor_split,
    transpose,
    unbind,
    unflatten,
    unsqueeze,
    view_as_complex,
    view_as_real,
    vsplit,
)
from tensorkit.printing import set_printoptions
from tensorkit.random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.tensor import Size, Tensor

__version__ = "0.1.0"
abs = absolute
subtract, multiply, divide = sub, mul, div
negative, not_equal = neg, ne
less, less_equal, greater, greater_equal = lt, le, gt, ge
swapaxes = swapdims = transpose
moveaxis = movedim
