"""Gradients and Jacobians of functions, as functions.

A derivative is itself differentiable: `grad` of `grad` is the second derivative, and what depends on a tensor that
requires a gradient keeps its history.

Source: https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit.autograd import enable_grad, is_grad_enabled
from tensorkit.autograd import grad as autograd_grad
from tensorkit.ops.joining.stack import stack
from tensorkit.tensor import Tensor
from tensorkit.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

Func = Callable[..., Any]
Argnums = int | tuple[int, ...]


class _Tracked:
    """Arguments of a function, those to differentiate by as tensors with a history of their own.

    Args:
        args: all arguments.
        argnums: which of them; None for all.
    """

    def __init__(self, args: tuple[Any, ...], argnums: Argnums | None) -> None:
        self.outside = is_grad_enabled()
        self.own: list[Any] = []
        if argnums is None:
            self.args = tree_map(self._track, args)
            self.chosen: Any = self.args
            return
        numbers = _numbers(argnums, len(args))
        self.args = tuple(
            tree_map(self._track, arg) if number in numbers else arg for number, arg in enumerate(args)
        )
        self.chosen = tuple(self.args[number] for number in numbers)
        if isinstance(argnums, int):
            self.chosen = self.chosen[0]

    def _track(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        tracked: Any = value
        # A view keeps the history of what came from outside, and is its own beginning here.
        tracked = tracked.view_as(tracked) if tracked.requires_grad else tracked.detach().requires_grad_()
        self.own.append(tracked)
        return tracked

    def released(self, tree: Any) -> Any:
        """Results without the history that begins here, unless they have one from outside."""
        return tree_map(self._released, tree)

    def _released(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        result: Any = value
        if result.requires_grad and self.outside and self._reaches_outside(result):
            return result
        return result.detach()

    def _reaches_outside(self, result: Any) -> bool:
        """Whether the history of a result has a leaf that is not of here."""
        waiting, seen = [result.grad_fn], set()
        if result.grad_fn is None:
            return all(result is not one for one in self.own)
        while waiting:
            node = waiting.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            variable = getattr(node, "variable", None)
            if variable is not None and all(variable is not one for one in self.own):
                return True
            waiting += [following for following, _ in node.next_functions]
        return False


def _numbers(argnums: Argnums, count: int) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got {type(argnums)}")
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {numbers}")
    for number in numbers:
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return tuple(number % count for number in numbers)


def _split(output: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """A function's output and its auxiliary output."""
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def _gradients(outputs: list[Any], inputs: list[Any], starts: Any, create_graph: bool = True) -> list[Any]:
    """`autograd.grad`, with zeros for what has no influence."""
    pairs = [(o, s) for o, s in zip(outputs, starts, strict=True) if o.requires_grad]
    if not pairs or not inputs:
        return [one.detach().new_zeros(one.shape) for one in inputs]
    found = autograd_grad(
        [o for o, _ in pairs],
        inputs,
        [s for _, s in pairs],
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
    )
    return [
        one.detach().new_zeros(one.shape) if slope is None else slope
        for one, slope in zip(inputs, found, strict=True)
    ]


def grad_and_value(func: Func, argnums: Argnums = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient of another, and its value.

    Args:
        func: gives one number, as a tensor without dimensions.
        argnums: by which arguments: a number, or a tuple of numbers.
        has_aux: whether `func` gives a pair, of which the second part is not differentiated.

    Returns:
        A function that gives ``(gradient, value)``, or ``(gradient, (value, aux))``.

    Raises:
        RuntimeError: when the function gives something else. ValueError: when an argument is not a tensor.

    >>> grad_and_value(lambda x: (x * x).sum())(tk.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.grad_and_value.html
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        tracked = _Tracked(args, argnums)
        with enable_grad():
            output, aux = _split(func(*tracked.args, **kwargs), has_aux, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.dim() != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            inputs, spec = tree_flatten(tracked.chosen)
            slopes = tree_unflatten(_gradients([output], inputs, [None]), spec)
        value = tracked.released(output)
        return tracked.released(slopes), (value, tracked.released(aux)) if has_aux else value

    return wrapper


def grad(func: Func, argnums: Argnums = 0, has_aux: bool = False) -> Func:
    """A function that gives the gradient of another.

    Args:
        func: gives one number, as a tensor without dimensions.
        argnums: by which arguments: a number, or a tuple of numbers.
        has_aux: whether `func` gives a pair, of which the second part is not differentiated.

    Returns:
        A function that gives the gradient, or ``(gradient, aux)``.

    Raises:
        RuntimeError: when the function gives something else. ValueError: when an argument is not a tensor.

    >>> grad(grad(lambda x: x**3))(tk.tensor(2.0))
    tensor(12.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.grad.html
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        slopes, value = both(*args, **kwargs)
        return (slopes, value[1]) if has_aux else slopes

    return wrapper


def _outputs(output: Any, name: str) -> tuple[list[Any], Any]:
    leaves, spec = tree_flatten(output)
    for one in leaves:
        if not isinstance(one, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(one)}"
            )
    if not leaves:
        raise RuntimeError(f"{name}: expected f to return at least one tensor")
    return leaves, spec


def _pullback(func: Func, args: tuple[Any, ...], argnums: Argnums | None, has_aux: bool) -> Any:
    """What `vjp` gives, with the arguments that are differentiated by."""
    tracked = _Tracked(args, argnums)
    with enable_grad():
        output, aux = _split(func(*tracked.args), has_aux, "vjp(f, *primals)")
    outputs, output_spec = _outputs(output, "vjp(f, *primals)")
    for one in outputs:
        if not (one.is_floating_point() or one.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{one.dtype}"
            )
    inputs, spec = tree_flatten(tracked.chosen)

    def pulled(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        starts, start_spec = tree_flatten(cotangents)
        if start_spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {start_spec}, primal output: {output_spec}"
            )
        graph = is_grad_enabled() if create_graph is None else create_graph
        with enable_grad():
            found = _gradients(outputs, inputs, starts, create_graph=graph)
        return tracked.released(tree_unflatten(found, spec))

    return tracked.released(output), pulled, tracked.released(aux)


def vjp(func: Func, *primals: Any, has_aux: bool = False) -> Any:
    """A function's value, and a function that multiplies a vector with its Jacobian.

    Args:
        func: gives tensors.
        primals: its arguments.
        has_aux: whether `func` gives a pair, of which the second part is not differentiated.

    Returns:
        ``(value, vjp_fn)``, or ``(value, vjp_fn, aux)``; ``vjp_fn`` gives a tuple with a part for each argument.

    Raises:
        RuntimeError: when the function gives something else. ValueError: when an argument is not a tensor.

    >>> value, vjp_fn = vjp(lambda x: x * x, tk.tensor([1.0, 2.0]))
    >>> vjp_fn(tk.tensor([1.0, 10.0]))
    (tensor([ 2., 40.]),)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.vjp.html
    """
    value, pulled, aux = _pullback(func, primals, None, has_aux)
    return (value, pulled, aux) if has_aux else (value, pulled)


def jvp(func: Func, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """A function's value, and how it changes in a direction; by differentiating the backward pass.

    Args:
        func: gives tensors.
        primals: a tuple of its arguments. tangents: a tuple of the direction, of the same form.
        strict: without effect: what does not depend on an argument gives zeros.
        has_aux: whether `func` gives a pair, of which the second part is not differentiated.

    Returns:
        ``(value, change)``, or ``(value, change, aux)``.

    Raises:
        RuntimeError: when arguments and direction differ in form.

    >>> jvp(lambda x: x * x, (tk.tensor([1.0, 2.0]),), (tk.tensor([1.0, 0.0]),))
    (tensor([1., 4.]), tensor([2., 0.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jvp.html
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    _, spec = tree_flatten(primals)
    directions, direction_spec = tree_flatten(tangents)
    if spec != direction_spec:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, "
            f"if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and "
            f"tangents with structure {direction_spec}"
        )
    value, push, aux = _pushforward(func, primals, has_aux)
    return (value, push(directions), aux) if has_aux else (value, push(directions))


def _pushforward(func: Func, primals: tuple[Any, ...], has_aux: bool) -> Any:
    """A function's value, a function of a direction's leaves, and the auxiliary output of `func`."""
    tracked = _Tracked(primals, None)
    with enable_grad():
        output, aux = _split(func(*tracked.args), has_aux, "jvp(f, primals, tangents)")
        outputs, output_spec = _outputs(output, "jvp(f, primals, tangents)")
        # The backward pass is linear in what it starts with: its derivative by that is the Jacobian.
        starts = [one.detach().new_zeros(one.shape).requires_grad_() for one in outputs]
        back = _gradients(outputs, tree_leaves(tracked.chosen), starts)
    tracked.own += starts

    def push(directions: list[Any]) -> Any:
        with enable_grad():
            change = _gradients(back, starts, directions)
        return tracked.released(tree_unflatten(change, output_spec))

    return tracked.released(output), push, tracked.released(aux)


def linearize(func: Func, *primals: Any) -> tuple[Any, Func]:
    """A function's value, and a function that gives how it changes in a direction.

    >>> value, change = linearize(lambda x: x * x, tk.tensor(3.0))
    >>> change(tk.tensor(1.0))
    tensor(6.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.linearize.html
    """
    value, push, _ = _pushforward(func, primals, False)
    return value, lambda *tangents: push(tree_leaves(tangents))


def jacrev(func: Func, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None) -> Func:
    """A function that gives the Jacobian of another: the derivative of each number by each number.

    Args:
        func: gives tensors.
        argnums: by which arguments: a number, or a tuple of numbers.
        has_aux: whether `func` gives a pair, of which the second part is not differentiated.
        chunk_size: how many rows PyTorch computes at once; without effect, one follows the other here.

    Returns:
        A function that gives a tensor whose size is the output's followed by the argument's.

    Raises:
        RuntimeError: for complex numbers. ValueError: when an argument is not a tensor.

    >>> jacrev(lambda x: x * x)(tk.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _check_real("jacrev", args, "inputs")
        output, pulled, aux = _pullback(func, args, argnums, has_aux)
        outputs, spec = tree_flatten(output)
        _check_real("jacrev", outputs, "outputs")
        zeros = [one.detach().new_zeros(one.shape) for one in outputs]
        matrix = tree_unflatten([_rows(pulled, zeros, number, spec) for number in range(len(outputs))], spec)
        return (matrix, aux) if has_aux else matrix

    return wrapper


def _rows(pulled: Func, zeros: list[Any], number: int, spec: Any) -> Any:
    """The derivatives of all numbers of one output, by each argument."""
    out = zeros[number]
    rows = []
    for place in range(out.numel()):
        starts = list(zeros)
        starts[number] = out.clone().reshape(-1)
        starts[number][place] = 1
        starts[number] = starts[number].view(out.shape)
        rows.append(tree_flatten(pulled(tree_unflatten(starts, spec), create_graph=True)))
    if not rows:
        raise RuntimeError("stack expects a non-empty TensorList")
    columns = zip(*(leaves for leaves, _ in rows), strict=True)
    made: list[Any] = [stack(list(column)) for column in columns]
    return tree_unflatten([one.reshape(*out.shape, *one.shape[1:]) for one in made], rows[0][1])


def _check_real(name: str, tree: Any, what: str) -> None:
    for number, one in enumerate(tree_leaves(tree)):
        if isinstance(one, Tensor) and one.dtype.is_complex:
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )


def jacfwd(
    func: Func,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Func:
    """What `jacrev` gives, which PyTorch computes forward here: the same numbers.

    Args:
        func, argnums, has_aux, chunk_size: as for `jacrev`.
        randomness: without effect: the function is called once.

    >>> jacfwd(lambda x: x.sum() * x)(tk.tensor([1.0, 2.0]))
    tensor([[4., 1.],
            [2., 5.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.jacfwd.html
    """
    return jacrev(func, argnums, has_aux=has_aux, chunk_size=chunk_size)


def hessian(func: Func, argnums: Argnums = 0) -> Func:
    """A function that gives the second derivatives of another.

    >>> hessian(lambda x: x[0] * x[0] * x[1])(tk.tensor([2.0, 3.0]))
    tensor([[6., 4.],
            [4., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.func.hessian.html
    """
    return jacfwd(jacrev(func, argnums), argnums)
