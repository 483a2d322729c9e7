"""What people call: ``t.backward()`` and ``autograd.grad``."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy

from tensorkit import tracing
from tensorkit.autograd.engine import run_backward, write_out
from tensorkit.autograd.graph.gradient_edge import GradientEdge
from tensorkit.autograd.history import edge_of, requires_grad
from tensorkit.autograd.node import Edge, Face, Meta, Node
from tensorkit.autograd.tensor_methods import require, retain_grad
from tensorkit.device import CPU
from tensorkit.dispatch.recording import call_traced
from tensorkit.dispatch.registry import registry
from tensorkit.size import Size
from tensorkit.tensor import Tensor, attach, fresh

Places = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]


# -- sending gradients back ---------------------------------------------------------------------------------------


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, Tensor) or value is None else tuple(value)


def _places(value: Any) -> tuple[Any, ...]:
    """Tensors, or edges of the graph in their stead: one, several or none."""
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _inputs(value: Any, name: str) -> tuple[Any, ...]:
    """The tensors whose gradients are requested: `_places`, or the values of a dictionary.

    Raises:
        TypeError: for a mapping of another class. RuntimeError: for none.
    """
    if isinstance(value, Mapping):
        if type(value) is not dict:
            raise TypeError(
                f"`inputs` argument to `{name}()` must be a dict, not {type(value).__name__}. Other Mapping types are "
                "not supported."
            )
        value = value.values()
    found = _places(value)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return found


def _given(grad_outputs: Any, count: int) -> tuple[Any, ...]:
    if grad_outputs is None:
        return (None,) * count
    given = _as_tuple(grad_outputs)
    if len(given) < count:
        raise RuntimeError(f"got {count} tensors and {len(given)} gradients")
    return given[:count]  # more of them than there are tensors are left out, as PyTorch does


def _first_gradient(out: Any, given: Any, number: int, rows: bool = False) -> Tensor:
    """The gradient that a walk starts with: the one given, or 1 for a single number.

    Args:
        rows: whether what is given are several such gradients, in rows.

    Raises:
        RuntimeError: when none was given for more than one number, or the one given has another size.
    """
    face = _face(out)
    if given is None:
        if isinstance(out, Tensor) and not requires_grad(out):
            return out  # refused in a moment, by its place in the graph
        if math.prod(face.size) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not face.dtype.is_floating_point:
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {face.dtype}"
            )
        kind = face.dtype.numpy
        if kind.kind == "f" and face.device is CPU and not tracing.active:
            return fresh(_one(kind).copy() if not face.size else numpy.ones(face.size, kind), face.dtype)
        ones: Any = registry["ones"].function
        return ones(face.size, dtype=face.dtype, device=face.device)  # type: ignore[no-any-return]
    if not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    if rows:
        _check_row(face, given[0], number, isinstance(out, GradientEdge))
    elif given._lay().size != face.size:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {Size(given._lay().size)} and "
            f"output[{number}] has a shape of {Size(face.size)}."
        )
    if given._dtype.is_complex != face.dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{number}] has a dtype of {given._dtype} and output[{number}] has a dtype of {face.dtype}."
        )
    return given


@functools.cache
def _one(kind: Any) -> Any:
    """A single 1, to be copied: that takes a fifth of the time of making one."""
    return numpy.ones((), kind)


def _face(out: Any) -> Face:
    """Size, dtype and device of a tensor, or of the value that an edge stands for."""
    if isinstance(out, GradientEdge):
        face = out.node.faces[out.output_nr]
        assert face is not None
        return face
    if not isinstance(out, Tensor):
        raise AssertionError("Expected output to be a tensorkit.Tensor")
    return Face(out)


def _check_row(face: Face, row: Tensor, number: int, of_edge: bool) -> None:
    if row._lay().size != face.size:
        if of_edge:
            raise RuntimeError("Batched grads are not supported with GradientEdge")
        # PyTorch takes the first dimension away a second time before it tells the shape.
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{number}] has a shape of {Size(row._lay().size[1:])} and "
            f"output[{number}] has a shape of {Size(face.size)}. If you only want some tensors in `grad_output` "
            "to be considered batched, consider using vmap."
        )


def _rows(outs: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """For each row of the gradients given, the gradients that its walk starts with.

    Raises:
        ValueError: where none is given, and where they have different numbers of rows.
    """
    grads: list[Any] = []
    for number, (out, one) in enumerate(zip(outs, given, strict=True)):
        none = one is None and isinstance(out, Tensor) and not requires_grad(out)
        grads.append(None if none else _first_gradient(out, one, number, rows=one is not None))
    where = "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for"
    for one in grads:
        if one is None:
            raise ValueError(
                f"{where} an input but the input is of type <class 'NoneType'>. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not one._lay().size:
            raise ValueError(
                f"{where} some input, but that input is a Tensor of dimensionality 0 so expected in_dim to satisfy "
                "0 <= in_dim < 0."
            )
    counts = [one._lay().size[0] for one in grads]
    if any(count != counts[0] for count in counts):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{counts} for the mapped dimension"
        )
    return [[one[row] for one in grads] for row in range(counts[0])]


def _below(walks: Sequence[Sequence[Tensor | None]]) -> list[Tensor | None]:
    """What walks for one row each have found for every input, one below the other."""
    stack: Any = registry["stack"].function
    return [None if column[0] is None else stack(column) for column in zip(*walks, strict=True)]


def _roots(outputs: Sequence[Any]) -> list[Edge]:
    edges = []
    for number, out in enumerate(outputs):
        edge = (out.node, out.output_nr) if isinstance(out, GradientEdge) else edge_of(out)
        if edge is None:
            raise RuntimeError(
                f"element {number} of tensors does not require grad and does not have a grad_fn"
            )
        edges.append(edge)
    return edges


def backward(
    tensors: Places,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Compute the gradients of `tensors` and add them to the ``.grad`` of the leaves.

    Args:
        grad_tensors: the gradient to start with for each tensor; may be left out for single numbers.
        retain_graph: keep what the graph saved, for another walk; by default only if `create_graph`.
        create_graph: record the walk itself, for derivatives of derivatives.
        grad_variables: an old name of `grad_tensors`, with a warning.
        inputs: add to these tensors' ``.grad`` only; in a dictionary they may have names.

    Raises:
        RuntimeError: when a tensor does not require grad, needs a gradient to start with, or was walked already.

    >>> x = tk.ones(2, requires_grad=True)
    >>> tk.autograd.backward((x * 3).sum())
    >>> x.grad
    tensor([3., 3.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
    """
    __tracebackhide__ = True
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    leaves = () if inputs is None else _inputs(inputs, "backward")
    outputs = _places(tensors)
    given = _given(grad_tensors, len(outputs))
    grads = [_first_gradient(out, g, i) for i, (out, g) in enumerate(zip(outputs, given, strict=True))]
    roots = _roots(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    wanted = []
    for leaf in leaves:
        if isinstance(leaf, Tensor):
            retain_grad(leaf)
        wanted.append(_wanted(leaf, roots))
    if create_graph:
        _warn_cycle()
    run_backward(roots, grads, retain_graph=keep, create_graph=create_graph, wanted=wanted)


def _wanted(tensor: Any, roots: Sequence[Edge]) -> Edge:
    """The node and input where a tensor's gradient arrives; for a tensor without, a place that no graph leads to."""
    if isinstance(tensor, GradientEdge):
        return tensor.node, tensor.output_nr
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if not requires_grad(tensor):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    meta = tensor._autograd
    if type(meta) is Meta and meta.eras is not None:
        write_out(roots)  # who accumulates for a leaf of another size may be known to the graph alone
    edge = edge_of(tensor)
    if edge is None:
        nowhere = Node()
        nowhere.begin()
        edge = nowhere, 0
    return edge


def _warn_cycle() -> None:
    warnings.warn(
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
        "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
        "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
        "the cycle and avoid the leak.",
        UserWarning,
        stacklevel=4,
    )


@overload
def grad(
    outputs: Places,
    inputs: dict[str, Tensor],
    grad_outputs: Any = ...,
    retain_graph: bool | None = ...,
    create_graph: bool = ...,
    only_inputs: bool = ...,
    allow_unused: bool | None = ...,
    is_grads_batched: bool = ...,
    materialize_grads: bool = ...,
) -> dict[str, Tensor | None]: ...


@overload
def grad(
    outputs: Places,
    inputs: Places,
    grad_outputs: Any = ...,
    retain_graph: bool | None = ...,
    create_graph: bool = ...,
    only_inputs: bool = ...,
    allow_unused: bool | None = ...,
    is_grads_batched: bool = ...,
    materialize_grads: bool = ...,
) -> tuple[Tensor | None, ...]: ...


def grad(
    outputs: Places,
    inputs: Places | dict[str, Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...] | dict[str, Tensor | None]:
    """The gradients of `outputs` with respect to `inputs`; no ``.grad`` changes.

    Args:
        inputs: tensors, or edges of the graph; in a dictionary they have names, and so have their gradients.
        grad_outputs: the gradient to start with for each output.
        is_grads_batched: whether that is several gradients, in rows: each input then has a gradient for every row.
        allow_unused: give None, rather than an error, for an input that the outputs do not depend on.
        materialize_grads: give zeros for it.

    >>> x = tk.tensor(3.0, requires_grad=True)
    >>> tk.autograd.grad(x * x, x)
    (tensor(6.),)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """
    __tracebackhide__ = True
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    unused = materialize_grads if allow_unused is None else allow_unused
    outs, ins = _places(outputs), _inputs(inputs, "grad")
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use tensorkit.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    given = _given(grad_outputs, len(outs))
    if is_grads_batched:
        starts: list[Any] = _rows(outs, given)
    else:
        starts = [[_first_gradient(out, g, i) for i, (out, g) in enumerate(zip(outs, given, strict=True))]]
    roots = _roots(outs)
    wanted = []
    for tensor in ins:
        wanted.append(_wanted(tensor, roots))
    keep = create_graph if retain_graph is None else retain_graph
    walks = [
        run_backward(
            roots,
            start,
            retain_graph=keep or number < len(starts),
            create_graph=create_graph,
            wanted=wanted,
            accumulate=False,
        )
        for number, start in enumerate(starts, 1)
    ]
    gradients = _below(walks) if is_grads_batched else walks[0]
    found = [_found(g, i, unused) for i, g in enumerate(gradients)]
    if materialize_grads:
        if any(g is None and isinstance(t, GradientEdge) for g, t in zip(found, ins, strict=True)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        found = [_zeros(t, create_graph) if g is None else g for g, t in zip(found, ins, strict=True)]
    return dict(zip(inputs, found, strict=True)) if isinstance(inputs, dict) else tuple(found)


def _zeros(tensor: Any, recorded: bool) -> Tensor:
    """The gradient of what nothing depends on; PyTorch makes it a leaf where the walk is recorded."""
    zeros: Tensor = tensor.detach().new_zeros(tensor.size())
    if recorded:
        require(zeros, True)
    return zeros


def _found(found: Tensor | None, index: int, unused: bool) -> Tensor | None:
    if found is None and not unused:
        raise RuntimeError(
            f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    return found


# -- on tensors ---------------------------------------------------------------------------------------------------


def _backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Compute the gradients of this tensor and add them to the ``.grad`` of the leaves; see `autograd.backward`."""
    __tracebackhide__ = True
    if tracing.active:
        call_traced("backward", backward, (self, gradient, retain_graph, create_graph), {"inputs": inputs})
    else:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


attach("backward", _backward)
