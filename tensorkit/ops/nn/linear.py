"""What a layer of weights does: `linear` with a matrix of them, `bilinear` with one matrix for each result."""

from __future__ import annotations

from typing import Any

from tensorkit.ops.kit import FUNCTIONAL, Rule, Tensor, op
from tensorkit.ops.shared.type_names import cpp_name


def _one_row(bias: Tensor) -> bool:
    """Whether a bias lies as one row of numbers: it may have other dimensions, of length 1."""
    if not bias.is_contiguous():
        return False
    return bias.dim() == 1 or sum(size != 1 for size in bias._lay().size) == 1


@op(namespace=FUNCTIONAL, rounded=4)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``: (..., inputs), (outputs, inputs) and (outputs) give (..., outputs).

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.nn.functional.linear(tk.tensor([1.0, 2.0]), tk.tensor([[1.0, 1.0], [0.0, 3.0]]), tk.tensor([0.5, 0.0]))
    tensor([3.5000, 6.0000])
    """
    dims = input.dim(), weight.dim()
    if not all(dims):
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {dims[0]}D and {dims[1]}D"
        )
    if bias is None:
        return input.matmul(weight.t())
    if dims[0] == 2:
        return bias.addmm(input, weight.t())
    if input.is_contiguous() and _one_row(bias):
        *batch, inputs = input._lay().size
        rows = 1
        for length in batch:
            rows *= length
        made: Tensor = bias.addmm(input.reshape(rows, inputs), weight.t())
        return made.view(*batch, made.size(1))
    return input.matmul(weight.t()).add_(bias)


# -- two inputs -----------------------------------------------------------------------------------------------------


def _first_back(g: Any, c: Any) -> Any:
    return c.weight.matmul(c.input2.t()).permute(2, 1, 0).bmm(g.unsqueeze(2)).squeeze(2)


def _second_back(g: Any, c: Any) -> Any:
    return c.input1.matmul(c.weight).permute(1, 2, 0).bmm(g.unsqueeze(2)).squeeze(2)


def _weight_back(g: Any, c: Any) -> Any:
    return g.t().unsqueeze(2).mul(c.input1).mT.matmul(c.input2)


def _real(call: dict[str, Any]) -> bool:
    if call["input1"]._dtype.is_complex:
        raise RuntimeError(
            "_trilinear does not support automatic differentiation for outputs with complex dtype."
        )
    return True


@op(
    rounded=4,
    derivative=Rule(
        "TrilinearBackward0", applies=_real, input1=_first_back, weight=_weight_back, input2=_second_back
    ),
)
def _trilinear(input1: Tensor, weight: Tensor, input2: Tensor) -> Tensor:
    """The sums of ``input1[n, i] * weight[o, i, j] * input2[n, j]`` over i and j: (n, o)."""
    return input1.matmul(weight).transpose(0, 1).bmm(input2.unsqueeze(2)).squeeze(2)


def _check_bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    given = {"input1": input1, "input2": input2, "weight": weight}
    if bias is not None:
        given["bias"] = bias
    if any(one._dtype is not input1._dtype for one in given.values()):
        kinds = ", ".join(f"{name}: {cpp_name(one._dtype)}" for name, one in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {kinds}")
    if input1.dim() != input2.dim():
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}"
        )
    sizes = input1._lay().size, input2._lay().size
    for dim, (one, other) in enumerate(zip(sizes[0][:-1], sizes[1][:-1], strict=True)):
        if one != other:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {other}"
            )
    for place, name in ((1, "input1"), (2, "input2")):
        expected, found = weight.size(place), given[name].size(-1)
        if found != expected:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {found} but expected {expected}"
            )
    if bias is not None and bias.size(0) != weight.size(0):
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.size(0)} but expected {weight.size(0)}"
        )


@op(rounded=4)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[o] @ input2 + bias[o]`` for each result o: (..., first) and (..., second) give (..., outputs).

    Args:
        weight: a matrix for each result: (outputs, first, second).
        bias: what is added: (outputs).

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.nn.functional.bilinear(tk.tensor([1.0, 2.0]), tk.tensor([3.0]), tk.tensor([[[1.0], [10.0]]]))
    tensor([63.])
    """
    _check_bilinear(input1, input2, weight, bias)
    batch = input1._lay().size[:-1]
    first, second = (one.reshape(-1, one.size(-1)) for one in (input1, input2))
    made: Tensor = _trilinear(first, weight, second).reshape(*batch, weight.size(0))
    return made if bias is None else made + bias
