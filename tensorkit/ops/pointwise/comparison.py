"""Comparing element by element: `eq`, `lt` and their kin, `maximum`, `minimum`; and `equal` of whole tensors.

Source: https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.promotion import check_devices
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.kernels.scalars import questions
from tensorkit.kernels.sizes import TINY
from tensorkit.ops.pointwise.arithmetic import COMPLEX, by_number
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.scalar_arithmetic import over
from tensorkit.ops.shared.to import to_dtype
from tensorkit.tensor import Tensor


def _no_complex(name: str) -> Any:
    def check(*operands: Any) -> None:
        if any(isinstance(o, Tensor) and o._dtype.is_complex for o in operands):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def _shared(g: Any, a: Any, b: Any, loses: Any) -> Any:
    """Nothing of the gradient to the loser; half to each of two equals; of nan nobody knows, so both get all."""
    return where(a.eq(b), over(g, 2), g).masked_fill_(loses, 0)


maximum = binary(
    Pointwise(
        "maximum",
        numpy.maximum,
        scalars.MAXIMUM,
        kernel="maximum_cpu",
        check=_no_complex("maximum"),
    ),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "MaximumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.lt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.lt(c.input)),
    ),
    doc="""The larger of two tensors, element by element; nan wins.

    >>> tk.maximum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([3, 5])
    """,
)

minimum = binary(
    Pointwise(
        "minimum",
        numpy.minimum,
        scalars.MINIMUM,
        kernel="minimum_cpu",
        check=_no_complex("minimum"),
    ),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "MinimumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.gt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.gt(c.input)),
    ),
    doc="""The smaller of two tensors, element by element; nan wins.

    >>> tk.minimum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([1, 2])
    """,
)


# -- comparison ---------------------------------------------------------------------------------------------------


def _comparison(name: str, ufunc: Any, body: Any, *, ordered: bool) -> Pointwise:
    lacks = (*LIMITED, *COMPLEX) if ordered else ()
    return Pointwise(name, ufunc, body, result="bool", kernel=f"{name}_cpu", lacks=lacks, overloaded=True)


def _constant(name: str) -> Rule:
    """Of a comparison written into a tensor of floats: zeros and ones, that do not change with the operands."""
    return Rule(
        by_number(f"{name.capitalize()}Backward", 1, 0),
        input=lambda g, c: g.new_zeros(g.size()),
        other=lambda g, c: g.new_zeros(g.size()),
    )


_COMPARED = """{sentence}, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.tensor([1, 2, 3]) {symbol} 2
    tensor([{answer}])
    """

eq = binary(
    _comparison("eq", numpy.equal, questions.EQUAL, ordered=False),
    out_recording="silent",
    inplace_derivative=_constant("eq"),
    first="tensor",
    operators=("__eq__",),
    doc=_COMPARED.format(
        sentence="Whether the two are equal", symbol="==", answer="False,  True, False", name="eq"
    ),
)

ne = binary(
    _comparison("ne", numpy.not_equal, questions.NOT_EQUAL, ordered=False),
    out_recording="silent",
    inplace_derivative=_constant("ne"),
    first="tensor",
    aliases=("not_equal",),
    operators=("__ne__",),
    doc=_COMPARED.format(
        sentence="Whether the two differ", symbol="!=", answer=" True, False,  True", name="ne"
    ),
)

lt = binary(
    _comparison("lt", numpy.less, questions.LESS, ordered=True),
    out_recording="silent",
    inplace_derivative=_constant("lt"),
    first="tensor",
    aliases=("less",),
    operators=("__lt__",),
    doc=_COMPARED.format(
        sentence="Whether the first is smaller", symbol="<", answer=" True, False, False", name="lt"
    ),
)

le = binary(
    _comparison("le", numpy.less_equal, questions.LESS_EQUAL, ordered=True),
    out_recording="silent",
    inplace_derivative=_constant("le"),
    first="tensor",
    aliases=("less_equal",),
    operators=("__le__",),
    doc=_COMPARED.format(
        sentence="Whether the first is at most the second",
        symbol="<=",
        answer=" True,  True, False",
        name="le",
    ),
)

gt = binary(
    _comparison("gt", numpy.greater, questions.GREATER, ordered=True),
    out_recording="silent",
    inplace_derivative=_constant("gt"),
    first="tensor",
    aliases=("greater",),
    operators=("__gt__",),
    doc=_COMPARED.format(
        sentence="Whether the first is larger", symbol=">", answer="False, False,  True", name="gt"
    ),
)

ge = binary(
    _comparison("ge", numpy.greater_equal, questions.GREATER_EQUAL, ordered=True),
    out_recording="silent",
    inplace_derivative=_constant("ge"),
    first="tensor",
    aliases=("greater_equal",),
    operators=("__ge__",),
    doc=_COMPARED.format(
        sentence="Whether the first is at least the second",
        symbol=">=",
        answer="False,  True,  True",
        name="ge",
    ),
)


@op(
    kind="reduce",
)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and equal elements.

    >>> m = tk.tensor([[3, 1, 2], [4, 1, 7]])
    >>> tk.equal(m.t(), m.transpose(0, 1))
    True
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"equal(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type_name(other)}")
    x, y = input._array, other._array
    if x is not None and y is not None and input._dtype is other._dtype and x.size <= TINY:
        return x.shape == y.shape and bool(x.tolist() == y.tolist())
    check_devices((input, other))
    if input._lay().size != other._lay().size:
        return False
    kind = dtypes.promote_types(input._dtype, other._dtype)
    a, b = to_dtype(input, kind), to_dtype(other, kind)
    if is_on_device(a):
        return bool((a == b).all())
    return bool(numpy.array_equal(a._nd(), b._nd()))
