"""Views as copies: ``transpose_copy`` and its kin, made of the blocks of the views themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch import op, registry, sample
from tensorkit.ops.copies import copy_into
from tensorkit.ops.writing import copy_of, real_alone, result_in, with_out
from tensorkit.tensor import Tensor

__all__ = [
    "as_strided_copy",
    "diagonal_copy",
    "permute_copy",
    "select_copy",
    "split_with_sizes_copy",
    "squeeze_copy",
    "t_copy",
    "transpose_copy",
    "unbind_copy",
    "unfold_copy",
    "unsqueeze_copy",
    "view_as_complex_copy",
    "view_as_real_copy",
]


def _body(name: str) -> Callable[..., Any]:
    """What a view's block itself does, without the ways that lead to it."""
    body = registry[name].function or Tensor.__dict__[name]
    while hasattr(body, "__wrapped__"):
        body = body.__wrapped__
    return body


#: PyTorch has no derivative of these where the result is complex.
_REAL = {
    "select": real_alone("select_copy"),
    "view_as_complex": real_alone("view_as_complex_copy", always=True),
}


def _named(view: str, rule: Rule) -> Rule:
    """The view's derivative, in a node with PyTorch's name."""

    def name(arguments: dict[str, Any]) -> str:
        return f"{rule.name if isinstance(rule.name, str) else rule.name(arguments)}_copy"

    formulas: dict[str, Any] = dict(rule.formulas)
    return Rule(name, applies=_REAL.get(view), **formulas)


def _copied(view: str, *calls: str, size: tuple[int, ...] = (2, 3), example: str) -> Callable[..., Any]:
    """The block of ``<view>_copy``: of one view or of several.

    Args:
        calls: the arguments of its samples.
        size: of the samples' operand.
        example: two lines for the docstring.
    """
    record, body = registry[view], _body(view)

    @functools.wraps(body)
    def copying(*args: Any, **kwargs: Any) -> Any:
        try:
            made = body(*args, **kwargs)
        except TypeError as wrong:
            raise TypeError(str(wrong).replace(f"{view}()", f"{view}_copy()", 1)) from None
        if isinstance(made, tuple):
            return tuple(copy_of(part, True) for part in made)
        return copy_of(made, True)

    @functools.wraps(body)
    def delivering(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        made = copying(*args, **kwargs)
        if out is None:
            return made
        result_in(out, made._dtype, made._lay().size, args)
        copy_into(out, made)
        out._bump()
        return out

    several = "tuple" in str(body.__annotations__["return"])
    whole = copying if several else with_out(delivering, body)
    shown, given = example.split("\n")
    whole.__doc__ = f"""`{view}`, as a copy{" of each part" if several else ""} in row-major order.

    >>> import tensorkit as tk
    >>> {shown}
    {given}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{view}_copy.html
    """
    samples = []
    for call in calls:
        operand = "a.detach()" if "out=" in call else "a"
        samples.append(sample(f"tk.{view}_copy({operand}{', ' * bool(call)}{call})", a=size))
    assert record.derivative is not None
    return op(
        samples=samples,
        kind="copy",
        name=f"{view}_copy",
        methods=(),
        derivative=_named(view, record.derivative),
        strict=True,
    )(whole)


as_strided_copy = _copied(
    "as_strided",
    "(2, 2), (1, 2)",
    "(2,), (3,), 1",
    "(2,), (9,)",
    example="tk.as_strided_copy(tk.arange(6), (2, 2), (1, 3)).stride()\n(2, 1)",
)
diagonal_copy = _copied(
    "diagonal", "", "1", "0, 1, 0", "0, 0, 0", example="tk.diagonal_copy(tk.eye(2)).stride()\n(1,)"
)
permute_copy = _copied(
    "permute",
    "(1, 0)",
    "(0, 0)",
    "1",
    "(1, 0), out=tk.empty(0, dtype=a.dtype)",
    example="tk.permute_copy(tk.zeros(2, 3), (1, 0)).stride()\n(2, 1)",
)
select_copy = _copied(
    "select", "0, 1", "-1, 0", "0, 5", example="tk.select_copy(tk.eye(2), 1, 0).stride()\n(1,)"
)
split_with_sizes_copy = _copied(
    "split_with_sizes",
    "(1, 1)",
    "[1, 2], 1",
    "(1,)",
    example="[part.stride() for part in tk.split_with_sizes_copy(tk.eye(2), (1, 1), 1)]\n[(1, 1), (1, 1)]",
)
squeeze_copy = _copied(
    "squeeze",
    "",
    "0",
    "(0, 1)",
    "5",
    size=(1, 3),
    example="tk.squeeze_copy(tk.zeros(1, 3)).size()\ntensorkit.Size([3])",
)
t_copy = _copied(
    "t", "", "out=tk.empty(0, dtype=a.dtype)", example="tk.t_copy(tk.zeros(2, 3)).stride()\n(2, 1)"
)
transpose_copy = _copied(
    "transpose",
    "0, 1",
    "-1, 0",
    "0, 2",
    "0",
    "0, 1, out=tk.empty(0, dtype=a.dtype)",
    example="tk.transpose_copy(tk.zeros(2, 3), 0, 1).stride()\n(2, 1)",
)
unbind_copy = _copied(
    "unbind",
    "",
    "1",
    "-1",
    "2",
    example="[part.stride() for part in tk.unbind_copy(tk.eye(2), 1)]\n[(1,), (1,)]",
)
unfold_copy = _copied(
    "unfold",
    "1, 2, 1",
    "0, 2, 1",
    "1, 4, 1",
    example="tk.unfold_copy(tk.arange(4), 0, 3, 1).stride()\n(3, 1)",
)
unsqueeze_copy = _copied(
    "unsqueeze", "0", "-1", "4", example="tk.unsqueeze_copy(tk.zeros(3), 0).size()\ntensorkit.Size([1, 3])"
)
view_as_complex_copy = _copied(
    "view_as_complex", "", size=(3, 2), example="tk.view_as_complex_copy(tk.eye(2))\ntensor([1.+0.j, 0.+1.j])"
)
view_as_real_copy = _copied(
    "view_as_real", "", example="tk.view_as_real_copy(tk.tensor([1j])).stride()\n(2, 1)"
)
