"""Whole matrices of derivatives, and their products with a vector.

>>> from tensorkit.autograd.functional import hessian, jacobian
>>> x = tk.tensor([1.0, 2.0])
>>> jacobian(lambda x: x * x, x)
tensor([[2., 0.],
        [0., 4.]])
>>> hessian(lambda x: (x * x * x).sum(), x)
tensor([[ 6.,  0.],
        [ 0., 12.]])

Every function takes a function of tensors and the point: a tensor or a tuple of them. What comes back is nested in the
same way. With ``create_graph`` it can be differentiated again; with ``strict`` an input that has no influence is an
error, not a zero.

Source: behaviour and sentences are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.api import grad
from tensorkit.autograd.function import Function
from tensorkit.autograd.grad_mode import enable_grad
from tensorkit.autograd.history import requires_grad
from tensorkit.elementwise.output import empty_strided
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def __dir__() -> list[str]:
    return __all__


Func = Callable[..., Any]
Tensors = tuple[Any, ...]
_RESULTS = "outputs of the user-provided function"


# -- in and out ---------------------------------------------------------------------------------------------------


def _as_tensors(values: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Whether a tuple was given, and the tensors as a tuple."""
    several = isinstance(values, tuple)
    tensors = values if several else (values,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(tensor)}."
            )
    return several, tensors


def _prepared(tensors: Tensors, create_graph: bool, wanted: bool) -> Tensors:
    """Tensors of our own: differentiating by them does not touch what the function may hold of the given ones."""
    return tuple(
        t.view_as(t) if create_graph and requires_grad(t) else t.detach().requires_grad_(wanted)
        for t in tensors
    )


def _finished(results: Any, create_graph: bool) -> Any:
    """Nested results, detached unless `create_graph` is set."""
    if create_graph:
        return results
    return tuple(_finished(r, False) if isinstance(r, tuple) else r.detach() for r in results)


def _unwrapped(results: Any, several: bool) -> Any:
    return results if several else results[0]


def _evaluated(func: Func, inputs: Tensors, name: str, strict: bool) -> tuple[bool, Tensors]:
    several, outputs = _as_tensors(func(*inputs), _RESULTS, name)
    if strict:
        _check_outputs(outputs)
    return several, outputs


def _scalar(func: Func, inputs: Tensors, name: str, strict: bool) -> Any:
    """The one number that a function gives.

    Raises:
        RuntimeError: when it gives more than one.
    """
    several, outputs = _evaluated(func, inputs, name, strict)
    if several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return outputs[0]


def _vector(v: Any, like: Tensors, several: bool, create_graph: bool, name: str, single: str) -> Any:
    """The vector of a product, of the sizes that it is multiplied with; None for one number.

    Raises:
        RuntimeError: for other sizes, or for no vector where one is needed (`single` says when not).
    """
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {single}.")
        return None
    vectors = _prepared(_as_tensors(v, "v", name)[1], create_graph, wanted=False)
    if len(vectors) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.size() != other.size():
            raise RuntimeError(
                f"{f'Entry {i} in ' if several else ''}v has invalid size: should be {other.size()} but got "
                f"{vector.size()}."
            )
    return vectors


_OF_INPUTS = "input to the user-provided function is a single Tensor with a single element"
_OF_RESULT = "user-provided function returns a single Tensor with a single element"


# -- strict -------------------------------------------------------------------------------------------------------


def _check_outputs(outputs: Tensors) -> None:
    for i, out in enumerate(outputs):
        if not requires_grad(out):
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )


def _check_dependent(grads: Sequence[Any], sentence: str) -> None:
    for i, one in enumerate(grads):
        if one is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode."
            )
        if not requires_grad(one):
            raise RuntimeError(sentence.format(i=i))


_LINEAR = (
    "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
_CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
_CONSTANT_HESSIAN = (
    "The hessian of the user-provided function with respect to input {i} is independent of the input. This is not "
    "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs."
)
_UNUSED = {
    "output": "The output of the user-provided function is independent of input {i}. This is not allowed in strict "
    "mode.",
    "vector": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "jacobian": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
    "mode.",
    "hessian": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is "
    "not allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}


def _filled(grads: Sequence[Any], like: Tensors, strict: bool, create_graph: bool, of: str) -> Tensors:
    """Zeros for the gradients that are not there; in strict mode an error, also for one that is constant."""
    what = "jacobian" if of in ("output", "vector") else "hessian"
    for i, one in enumerate(grads if strict else ()):
        if one is None:
            raise RuntimeError(_UNUSED[of].format(i=i))
        if create_graph and not requires_grad(one):
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
    return tuple(_zeros_like(other) if one is None else one for one, other in zip(grads, like, strict=True))


def _zeros_like(tensor: Any) -> Any:
    return tensor.detach().new_zeros(tensor.size())


def _gradients(outputs: Sequence[Any], inputs: Tensors, starts: Any, **how: Any) -> Sequence[Any]:
    """`autograd.grad` that leaves out the outputs which depend on nothing."""
    begun = (None,) * len(outputs) if starts is None else starts
    pairs = [(o, g) for o, g in zip(outputs, begun, strict=True) if o is not None and requires_grad(o)]
    if not pairs:
        return (None,) * len(inputs)
    return grad([o for o, _ in pairs], inputs, [g for _, g in pairs], allow_unused=True, **how)


# -- products with a vector ---------------------------------------------------------------------------------------


def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """A vector times the Jacobian: what the backward pass computes.

    Args:
        v: of the size of the output; may be left out when that is one number.

    Returns:
        The pair ``(func(inputs), v @ J)``.

    >>> tk.autograd.functional.vjp(lambda x: x * x, tk.tensor([1.0, 2.0]), tk.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.vjp.html
    """
    with enable_grad():
        several_in, given = _as_tensors(inputs, "inputs", "vjp")
        points = _prepared(given, create_graph, wanted=True)
        several, outputs = _evaluated(func, points, "vjp", strict)
        vectors = _vector(v, outputs, several, create_graph, "vjp", _OF_RESULT)
    found = _gradients(outputs, points, vectors, create_graph=create_graph)
    product = _filled(found, points, strict, create_graph, "output")
    return (
        _unwrapped(_finished(outputs, create_graph), several),
        _unwrapped(_finished(product, create_graph), several_in),
    )


def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Jacobian times a vector: how the output changes in a direction; by differentiating the backward pass.

    Args:
        v: the direction, of the size of the inputs; may be left out for one number.

    Returns:
        The pair ``(func(inputs), J @ v)``.

    >>> tk.autograd.functional.jvp(lambda x: x.sum() * x, tk.tensor([1.0, 2.0]), tk.tensor([1.0, 0.0]))
    (tensor([3., 6.]), tensor([4., 2.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.jvp.html
    """
    with enable_grad():
        several_in, given = _as_tensors(inputs, "inputs", "jvp")
        points = _prepared(given, create_graph, wanted=True)
        vectors = _vector(v, points, several_in, create_graph, "jvp", _OF_INPUTS)
        several, outputs = _evaluated(func, points, "jvp", strict)
        # The backward pass is linear in what it starts with, so any start will do.
        starts = tuple(_zeros_like(out).requires_grad_() for out in outputs)
        back = _gradients(outputs, points, starts, create_graph=True)
        if strict:
            _check_dependent(back, _LINEAR)
    found = _gradients(back, starts, vectors, create_graph=create_graph)
    product = _filled(found, outputs, strict, create_graph, "vector")
    return (
        _unwrapped(_finished(outputs, create_graph), several),
        _unwrapped(_finished(product, create_graph), several),
    )


def vhp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """A vector times the Hessian of a function that gives one number.

    Returns:
        The pair ``(func(inputs), v @ H)``.

    >>> tk.autograd.functional.vhp(lambda x: (x * x * x).sum(), tk.tensor([1.0, 2.0]), tk.ones(2))
    (tensor(9.), tensor([ 6., 12.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.vhp.html
    """
    with enable_grad():
        several, points, vectors, out, slope = _slope(func, inputs, v, create_graph, strict, "vhp")
        if strict:
            _check_dependent(slope, _CONSTANT_JACOBIAN)
    found = _gradients(slope, points, vectors, create_graph=create_graph)
    product = _filled(found, points, strict, create_graph, "jacobian")
    return _finished((out,), create_graph)[0], _unwrapped(_finished(product, create_graph), several)


def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Hessian of a function that gives one number, times a vector. `vhp` gives the same numbers in less time.

    Returns:
        The pair ``(func(inputs), H @ v)``.

    >>> tk.autograd.functional.hvp(lambda x: (x * x * x).sum(), tk.tensor([1.0, 2.0]), tk.ones(2))
    (tensor(9.), tensor([ 6., 12.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.hvp.html
    """
    with enable_grad():
        several, points, vectors, out, slope = _slope(func, inputs, v, create_graph, strict, "hvp")
        if strict:
            _check_dependent(slope, _CONSTANT_JACOBIAN)
        starts = tuple(_zeros_like(point).requires_grad_() for point in points)
        back = _gradients(slope, points, starts, create_graph=True)
        if strict:
            _check_dependent(back, _CONSTANT_HESSIAN)
    found = _gradients(back, starts, vectors, create_graph=create_graph)
    product = _filled(found, points, strict, create_graph, "hessian")
    return _finished((out,), create_graph)[0], _unwrapped(_finished(product, create_graph), several)


def _slope(func: Func, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str) -> tuple[Any, ...]:
    """What `vhp` and `hvp` begin with: the gradient of the one number, itself differentiable."""
    several, given = _as_tensors(inputs, "inputs", name)
    points = _prepared(given, create_graph, wanted=True)
    vectors = _vector(v, points, several, create_graph, name, _OF_INPUTS)
    out = _scalar(func, points, name, strict)
    return several, points, vectors, out, _gradients((out,), points, None, create_graph=True)


# -- whole matrices -----------------------------------------------------------------------------------------------


class _Stack(Function):
    """Tensors of one size as the rows of a new one."""

    @staticmethod
    def forward(ctx: Any, *rows: Any) -> Any:
        size = (len(rows), *rows[0]._lay().size)
        out: Any = empty_strided(size, contiguous_stride(size), rows[0]._dtype, rows[0]._device)
        for place, row in zip(out.unbind(), rows, strict=True):
            place.copy_(row)
        return out

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.unbind()


def _rows(out: Any, i: int, points: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The derivatives of one output by each input: a row for each number of the output."""
    rows: list[list[Any]] = [[] for _ in points]
    flat = out.reshape(-1)
    for j in range(out.numel()):
        found = _gradients((flat[j],), points, None, retain_graph=True, create_graph=create_graph)
        for k, (one, point) in enumerate(zip(found, points, strict=True)):
            if strict and one is None:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {k}. This is not allowed in "
                    "strict mode."
                )
            if strict and create_graph and not requires_grad(one):
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                    "strict mode when create_graph=True."
                )
            rows[k].append(_zeros_like(point) if one is None else one)
    if not out.numel():
        raise RuntimeError("stack expects a non-empty TensorList")
    return tuple(
        _Stack.apply(*several).view((*out.size(), *point.size()))
        for several, point in zip(rows, points, strict=True)
    )


def jacobian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All first derivatives: of every number that comes out by every number that goes in.

    Args:
        vectorize: accepted as in PyTorch, where it asks for another way to the same numbers.
        strategy: only ``"reverse-mode"`` is there.

    Returns:
        For one input and one output a tensor whose size is the output's followed by the input's; for tuples, nested
        tuples: first by output, then by input.

    Raises:
        TypeError: when something is not a tensor. RuntimeError: in strict mode, for an input without influence.

    >>> tk.autograd.functional.jacobian(lambda x, y: x * y, (tk.tensor([1.0, 2.0]), tk.tensor(3.0)))
    (tensor([[3., 0.],
            [0., 3.]]), tensor([1., 2.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.jacobian.html
    """
    _check_strategy(strategy, strict and vectorize)
    with enable_grad():
        several_in, given = _as_tensors(inputs, "inputs", "jacobian")
        points = _prepared(given, create_graph, wanted=True)
        several, outputs = _evaluated(func, points, "jacobian", strict)
        matrix = tuple(_rows(out, i, points, create_graph, strict) for i, out in enumerate(outputs))
    matrix = _finished(matrix, create_graph)
    return _unwrapped(tuple(_unwrapped(row, several_in) for row in matrix), several)


def _check_strategy(strategy: str, both: bool) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode":
        raise NotImplementedError(
            'strategy="forward-mode" is not there: take "reverse-mode", the numbers are the same'
        )
    if both:
        raise RuntimeError(
            "tensorkit.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )


def hessian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of a function that gives one number.

    Returns:
        For one input a tensor whose size is the input's twice; for a tuple, a tuple of tuples of such.

    Raises:
        RuntimeError: when the function gives more than one number; in strict mode, for an input without influence.

    >>> tk.autograd.functional.hessian(lambda x: x[0] * x[0] * x[1], tk.tensor([2.0, 3.0]))
    tensor([[6., 4.],
            [4., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.functional.hessian.html
    """
    several, _ = _as_tensors(inputs, "inputs", "hessian")

    def number(*points: Any) -> Any:
        return _scalar(func, points, "hessian", strict).squeeze()

    def slopes(*points: Any) -> Any:
        found = jacobian(number, points, create_graph=True)
        if strict:
            _check_dependent(found, _CONSTANT_JACOBIAN)
        return found

    matrix = jacobian(
        slopes,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return matrix if several else matrix[0]
