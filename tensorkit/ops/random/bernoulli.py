"""Coins, each with its chance: ``bernoulli``.

Source: https://docs.pytorch.org/docs/stable/generated/torch.bernoulli.html
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import check_writable, empty_strided
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.random.draw import Drawing, draw, drawn, give_size
from tensorkit.ops.random.inplace_distributions import REAL, UNCOUNTED, check_counts, check_generator
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.signature_parts import GENERATOR
from tensorkit.ops.shared.to import host_array
from tensorkit.random import Generator
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor

SEEDED = "generator=tk.Generator().manual_seed(3)"
_TO_ASSERT = (
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


def plain_like(input: Tensor, size: tuple[int, ...] | None = None) -> Tensor:
    """A row-major tensor of a size, or of the input's, with its dtype and device."""
    size = tuple(input._lay().size) if size is None else size
    return empty_strided(size, contiguous_stride(size), input._dtype, input._device)


_BERNOULLI_FORMS = (
    "Tensor input, *, tensorkit.Generator generator = None, Tensor out = None",
    "Tensor input, float p, *, tensorkit.Generator generator = None",
)
_BERNOULLI_IN_PLACE = (
    "Tensor p, *, tensorkit.Generator generator = None",
    "float p = 0.5, *, tensorkit.Generator generator = None",
)


def _flip_coins(input: Tensor, p: Any, generator: Generator | None, given: bool = True) -> Tensor:
    """Fill with ones and zeros; `p` is a number or a tensor."""
    if isinstance(p, Tensor):
        check_writable(input)
        return _flip_each(input, p, generator, given)
    if not 0.0 <= p <= 1.0 and input._device != META:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    check_writable(input)
    check_counts("bernoulli_scalar_cpu_", input, UNCOUNTED)
    return draw(input, generator, Drawing(random.fill_bernoulli, p), given)


def _flip_each(input: Tensor, p: Tensor, generator: Generator | None, given: bool) -> Tensor:
    if input._device == META or p._device == META or not input.numel():
        return draw(input, generator, lambda out, source: None, given)
    check_counts("bernoulli_tensor_cpu_self_", input, UNCOUNTED)
    spread = p.expand(input.size())
    if p._dtype.name not in REAL and input.numel():
        raise missing_kernel("bernoulli_tensor_cpu_p_", p._dtype.label)
    if is_on_device(input):
        units = empty(input._lay().size, dtype=dtypes.float32, device=input._device)
        drawn("as drawn", units, generator, False, (), True)
        copy_into(input, units <= spread)
        if given:
            input._bump()
        return input
    chances = host_array(spread)
    if not all_within(chances, 0.0, 1.0):
        raise RuntimeError(f"Expected p_in >= 0 && p_in <= 1 to be true, but got false.  {_TO_ASSERT}")
    return draw(input, generator, Drawing(random.fill_bernoulli, chances), given)


def all_within(numbers: Array, low: float, high: float) -> bool:
    """Whether all numbers are in a closed interval; nan is not."""
    inside = quiet(numpy.greater_equal, numbers, low) & quiet(numpy.less_equal, numbers, high)
    return bool(inside.all())


def is_float(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad and value._dtype.category < 3
    return isinstance(value, (bool, int, float, numpy.number, numpy.bool_))


def _bernoulli_back(g: Any, c: Any) -> Any:
    if c.name() == "NotImplemented":
        raise RuntimeError("derivative for aten::bernoulli is not implemented")
    return g.new_zeros(g.size())


def _bernoulli_name(arguments: dict[str, Any]) -> str:
    return "NotImplemented" if arguments.get("chance") or "p" in arguments else "BernoulliBackward0"


@op(
    kind="copy",
    derivative=Rule(_bernoulli_name, input=lambda g, c: _bernoulli_back(g, c)),
    out_error="aten::bernoulli",
)
@takes(
    "(Tensor input, *, tensorkit.Generator generator = None, Tensor out = None)",
    "(Tensor input, float p, *, tensorkit.Generator generator = None)",
)
def bernoulli(
    input: Tensor, *chance: Any, generator: Generator | None = None, out: Tensor | None = None, **keyword: Any
) -> Tensor:
    """Ones and zeros: one as often as `input` says, element by element, or as often as a number `p` says.

    Args:
        input: probabilities, of a real floating point dtype; with `p` any tensor, for its size and dtype.
        p: one probability for all. out: a tensor to draw into.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a probability that is not between 0 and 1.

    >>> _ = tk.manual_seed(0)
    >>> tk.bernoulli(tk.tensor([0.0, 0.5, 0.5, 1.0]))
    tensor([0., 0., 1., 1.])
    """
    p = _one_chance(input, chance, keyword, generator, out)
    if out is not None:
        give_size(out, input.size())
        return _flip_coins(out, input, generator)
    return _flip_coins(plain_like(input), input.detach() if p is None else p, generator, given=False)


def _one_chance(
    input: Any, chance: tuple[Any, ...], keyword: dict[str, Any], generator: Any, out: Any
) -> Any:
    """The `p` of a call of ``bernoulli``; None where the tensor holds the probabilities."""
    named = keyword | {
        key: value for key, value in (("generator", generator), ("out", out)) if value is not None
    }
    refused = unmatched("bernoulli", (input, *chance), named, _BERNOULLI_FORMS)
    check_tensor("bernoulli", input)
    given = [*chance, *keyword.values()]
    if len(given) > 1 or set(keyword) - {"p"} or (given and not is_float(given[0])):
        raise refused
    if (given and out is not None) or not isinstance(generator, Generator | None):
        raise refused
    return float(given[0]) if given else None


def check_tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _bernoulli_fill_name(arguments: dict[str, Any]) -> str:
    return "BernoulliBackward1" if isinstance(arguments["p"], Tensor) else "BernoulliBackward2"


@op(
    kind="inplace",
    function=False,
    derivative=Rule(
        _bernoulli_fill_name,
        input=lambda g, c: g.new_zeros(g.size()),
        p=lambda g, c: g.new_zeros(c.p_face.size),
    ),
)
@takes(method=(f"(Tensor p, *, {GENERATOR} = None)", f"(float p = 0.5, *, {GENERATOR} = None)"))
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones and zeros: one as often as `p` says.

    Args:
        p: a number, or a tensor of probabilities that can be broadcast.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a probability that is not between 0 and 1.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(4).bernoulli_(0.5)
    tensor([0., 0., 1., 0.])
    """
    if not isinstance(p, Tensor) and not is_float(p):
        raise unmatched("bernoulli_", (p,), {}, _BERNOULLI_IN_PLACE)
    check_generator("bernoulli_", generator)
    return _flip_coins(input, p if isinstance(p, Tensor) else float(p), generator)
