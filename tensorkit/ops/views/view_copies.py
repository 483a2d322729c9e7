"""Views as copies: ``transpose_copy`` and its kin, made of the blocks of the views themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.rule import not_implemented
from tensorkit.conj_bit import resolved
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import Fields, registry
from tensorkit.dispatch.signatures import Forms
from tensorkit.elementwise.output import check_writable, resize_out
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.out_and_inplace import copy_of, real_alone, result_in, with_out
from tensorkit.ops.views.slicing import slice_backward
from tensorkit.ops.views.split import unsplit
from tensorkit.ops.views.view_reshape import alias
from tensorkit.strides import basic_index
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor


def _body(name: str) -> Callable[..., Any]:
    """What a view's block itself does, without the ways that lead to it."""
    body = registry[name].function or Tensor.__dict__[name]
    while hasattr(body, "__wrapped__"):
        body = body.__wrapped__
    return body


#: PyTorch has no derivative of these where the result is complex.
_REAL = {
    "select": real_alone("select_copy"),
    "slice": real_alone("slice_copy"),
    "view_as_complex": real_alone("view_as_complex_copy", always=True),
}


#: What PyTorch's sentences call those that fill several tensors given as ``out=``.
_FILLING = {
    "split": "split_copy_Tensor_out()",
    "split_with_sizes": "split_with_sizes_copy_out",
    "unbind": "unbind_copy_int_out",
}


def _named(view: str, rule: Rule) -> Rule:
    """The view's derivative, in a node with PyTorch's name."""

    def name(arguments: dict[str, Any]) -> str:
        return f"{rule.name if isinstance(rule.name, str) else rule.name(arguments)}_copy"

    formulas: dict[str, Any] = dict(rule.formulas)
    return Rule(name, applies=_REAL.get(view, rule.applies), **formulas)


def _make_room(out: Any, part: Tensor) -> None:
    """Resize one of several outputs, which counts as a write, before its dtype is looked at."""
    size = part._lay().size
    if isinstance(out, Tensor) and out._lay().size != size:
        resize_out(out, size)
        out._bump()
    result_in(out, part._dtype, size, ())


def _check_room(view: str, outs: Sequence[Any], parts: Sequence[Tensor]) -> None:
    """Refuse an output that cannot take its part before anything is written into the others."""
    for out, part in zip(outs, parts, strict=True):
        size = part._lay().size
        if view == "split":
            try:
                part.expand(out.size())
                check_writable(out)
            except RuntimeError:
                out.copy_(part)  # refuses in PyTorch's words
        elif not isinstance(out, Tensor) or out._dtype is not part._dtype:
            result_in(out, part._dtype, size, ())  # refuses before it resizes
        elif out._lay().size == size:
            check_writable(out)


def _apart(function: Callable[..., Any], body: Callable[..., Any], several: bool) -> Callable[..., Any]:
    """The copy with ``out=``: what a learner asks to see of it is its own block, not that of the view."""
    made = with_out(function, body, "Sequence[Tensor] | None" if several else "Tensor | None")
    del made.__dict__["__wrapped__"]
    return made


def _copied(
    view: str,
    *,
    example: str,
    body: Callable[..., Any] | None = None,
    rule: Rule | None = None,
    **fields: Unpack[Fields],
) -> Callable[..., Any]:
    """The block of ``<view>_copy``: of one view or of several.

    Args:
        example: two lines for the docstring.
        body, rule: what makes the view, and how gradients pass back, where the view's own block does not say.
        fields: further properties: see `Op`.
    """
    if body is None:
        body = _body(view)
    if rule is None:
        rule = _named(view, registry[view].derivative)

    @functools.wraps(body)
    def copying(*args: Any, **kwargs: Any) -> Any:
        if args:
            args = (resolved(args[0]), *args[1:])  # what refuses a view with bits takes a copy of it
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
        result_in(out, made._dtype, made._lay().size, ())  # what is read has been copied by now
        copy_into(out, made)
        out._bump()
        return out

    @functools.wraps(body)
    def filling(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        made = copying(*args, **kwargs)
        if out is None:
            return made
        if len(out) != len(made):
            raise RuntimeError(
                f"{_FILLING[view]} expected an out= argument of size {len(made)}, got size {len(out)}"
            )
        _check_room(view, out, made)
        for target, part in zip(out, made, strict=True):
            if view != "split":
                _make_room(target, part)
            target.copy_(part)
        return None

    several = "tuple" in str(body.__annotations__["return"])
    whole = _apart(filling if several else delivering, body, several)
    shown, given = example.split("\n")
    whole.__doc__ = f"""`{view}`, as a copy{" of each part" if several else ""} in row-major order.

    >>> {shown}
    {given}
    """
    whole.__dict__["__forms__"] = fields.get("forms", Forms())  # not the view's own
    return op(kind="copy", name=f"{view}_copy", methods=(), derivative=rule, strict=True, **fields)(whole)


# -- views that brackets make, or methods alone ---------------------------------------------------------------------


def _alias(input: Tensor) -> Tensor:
    return alias(input)


def _detach(input: Tensor) -> Tensor:
    return alias(input)


def _expand(input: Tensor, size: Sequence[int], *, implicit: bool = False) -> Tensor:
    return input.expand(size)


def _slice(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    lay = input._lay()
    if not lay.size:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = normalise_dim(dim, len(lay.size))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    cut = basic_index.index(lay, (slice(None),) * axis + (slice(start, end, step),))
    assert cut is not None
    return input._view(cut)


def _unsliced(g: Any, c: Any) -> Any:
    size = c.input_face.size
    return slice_backward(g, size, normalise_dim(c.dim, len(size)), c.start, c.end, c.step)


def _is_size(call: dict[str, Any]) -> bool:
    """Whether a `view_copy` keeps the dtype: reading the bytes as another dtype has no derivative."""
    return call["dtype"] is None and not isinstance(call["size"], (dtypes.dtype, type))


def _split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    return input.split(split_size, dim)


def _view(input: Tensor, size: Any = None, *, dtype: dtypes.dtype | None = None) -> Tensor:
    if (size is None) == (dtype is None):
        raise TypeError  # the caller says it in PyTorch's words
    if dtype is not None or isinstance(size, (dtypes.dtype, type)):
        return input.view(dtype or size)
    return input.reshape(size)  # PyTorch copies what no view can express


alias_copy = _copied(
    "alias",
    example="tk.alias_copy(tk.zeros(3, 2).t()).stride()\n(3, 1)",
    body=_alias,
    rule=Rule("AliasBackward0_copy", input=lambda g, c: g),
    out_error="aten::alias_copy",
)
as_strided_copy = _copied(
    "as_strided",
    example="tk.as_strided_copy(tk.arange(6), (2, 2), (1, 3)).stride()\n(2, 1)",
    forms=Forms(
        (
            "(Tensor input, tuple of ints size, tuple of ints stride, int storage_offset = None, *, Tensor out = None)",
        )
    ),
    out_error="aten::as_strided_copy",
)
detach_copy = _copied(
    "detach",
    example="tk.detach_copy(tk.zeros(3, 2).t()).stride()\n(3, 1)",
    body=_detach,
    rule=not_implemented("detach_copy", "input"),
    differentiable=False,
)
diagonal_copy = _copied(
    "diagonal", example="tk.diagonal_copy(tk.eye(2)).stride()\n(1,)", out_error="aten::diagonal_copy"
)
expand_copy = _copied(
    "expand",
    example="tk.expand_copy(tk.zeros(3), (2, 3)).stride()\n(3, 1)",
    body=_expand,
    forms=Forms(("(Tensor input, tuple of ints size, *, bool implicit = False, Tensor out = None)",)),
    out_error="aten::expand_copy",
)
permute_copy = _copied(
    "permute",
    example="tk.permute_copy(tk.zeros(2, 3), (1, 0)).stride()\n(2, 1)",
    out_error="aten::permute_copy",
)
select_copy = _copied("select", example="tk.select_copy(tk.eye(2), 1, 0).stride()\n(1,)")
slice_copy = _copied(
    "slice",
    example="tk.slice_copy(tk.eye(2), 1, 0, 1).stride()\n(1, 1)",
    body=_slice,
    rule=_named("slice", Rule("SliceBackward0", input=_unsliced)),
)
split_copy = _copied(
    "split",
    example="[part.stride() for part in tk.split_copy(tk.eye(2), 1, 1)]\n[(1, 1), (1, 1)]",
    body=_split,
    rule=Rule("SplitBackward0_copy", input=lambda gs, c: unsplit(gs, c.input_face.size, c)),
    forms=Forms(("(Tensor input, int split_size, int dim = 0, *, tuple of Tensors out = None)",)),
    out_overlap="allowed",
)
split_with_sizes_copy = _copied(
    "split_with_sizes",
    example="[part.stride() for part in tk.split_with_sizes_copy(tk.eye(2), (1, 1), 1)]\n[(1, 1), (1, 1)]",
    forms=Forms(("(Tensor input, tuple of ints split_sizes, int dim = 0, *, tuple of Tensors out = None)",)),
    out_overlap="allowed",
    out_recording="silent",
)
squeeze_copy = _copied(
    "squeeze",
    example="tk.squeeze_copy(tk.zeros(1, 3)).size()\ntensorkit.Size([3])",
    forms=Forms(
        (
            "(Tensor input, *, Tensor out = None)",
            "(Tensor input, int dim, *, Tensor out = None)",
            "(Tensor input, tuple of ints dim, *, Tensor out = None)",
        )
    ),
    out_error="aten::squeeze_copy",
)
t_copy = _copied("t", example="tk.t_copy(tk.zeros(2, 3)).stride()\n(2, 1)", out_error="aten::t_copy")
transpose_copy = _copied(
    "transpose",
    example="tk.transpose_copy(tk.zeros(2, 3), 0, 1).stride()\n(2, 1)",
    out_error="aten::transpose_copy",
)
unbind_copy = _copied(
    "unbind",
    example="[part.stride() for part in tk.unbind_copy(tk.eye(2), 1)]\n[(1,), (1,)]",
    forms=Forms(("(Tensor input, int dim = 0, *, tuple of Tensors out = None)",)),
    out_overlap="allowed",
)
unfold_copy = _copied(
    "unfold", example="tk.unfold_copy(tk.arange(4), 0, 3, 1).stride()\n(3, 1)", out_error="aten::unfold_copy"
)
unsqueeze_copy = _copied(
    "unsqueeze",
    example="tk.unsqueeze_copy(tk.zeros(3), 0).size()\ntensorkit.Size([1, 3])",
    out_error="aten::unsqueeze_copy",
)
view_as_complex_copy = _copied(
    "view_as_complex",
    example="tk.view_as_complex_copy(tk.eye(2))\ntensor([1.+0.j, 0.+1.j])",
    differentiable=False,
)
view_as_real_copy = _copied("view_as_real", example="tk.view_as_real_copy(tk.tensor([1j])).stride()\n(2, 1)")
view_copy = _copied(
    "view",
    example="tk.view_copy(tk.arange(4), (2, 2)).stride()\n(2, 1)",
    body=_view,
    rule=Rule("ViewBackward0_copy", applies=_is_size, input=lambda g, c: g.reshape(c.input_face.size)),
    forms=Forms(
        (
            "(Tensor input, tensorkit.dtype dtype, *, Tensor out = None)",
            "(Tensor input, tuple of ints size, *, Tensor out = None)",
        )
    ),
    out_error="aten::view_copy",
)
