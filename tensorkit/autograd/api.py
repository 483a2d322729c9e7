"""What people call: ``t.backward()``, ``autograd.grad``, ``requires_grad_``, hooks; all attached to `Tensor` here."""

from __future__ import annotations

import functools
import math
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy

from tensorkit import tracing
from tensorkit.autograd.engine import run_backward, write_out
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph.gradient_edge import GradientEdge
from tensorkit.autograd.history import differentiable, edge_of, grad_fn_of, made_by_none, requires_grad
from tensorkit.autograd.node import OWN, Edge, Face, Meta, Node, RemovableHandle, leaf_face, meta_of
from tensorkit.device import CPU
from tensorkit.dispatch.recording import call_traced
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.tensor import Size, Tensor, attach, fresh

__all__ = ["backward", "grad"]

Places = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]


# -- sending gradients back ---------------------------------------------------------------------------------------


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, Tensor) or value is None else tuple(value)


def _places(value: Any) -> tuple[Any, ...]:
    """Tensors, or edges of the graph in their stead: one, several or none."""
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _inputs(value: Any, name: str) -> tuple[Any, ...]:
    """What gradients are asked for: `_places`, or the values of a dictionary.

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

    >>> import tensorkit as tk
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
            _retain_grad(leaf)
        wanted.append(_wanted(leaf, roots))
    if create_graph:
        _warn_cycle()
    run_backward(roots, grads, retain_graph=keep, create_graph=create_graph, wanted=wanted)


def _wanted(tensor: Any, roots: Sequence[Edge]) -> Edge:
    """Where the gradient of a tensor that was asked for arrives: a place that no graph leads to, if it has none."""
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

    >>> import tensorkit as tk
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
        _require(zeros, True)
    return zeros


def _found(found: Tensor | None, index: int, unused: bool) -> Tensor | None:
    if found is None and not unused:
        raise RuntimeError(
            f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    return found


# -- on tensors ---------------------------------------------------------------------------------------------------


def _require(tensor: Tensor, wanted: bool, kinds: str = "floating point") -> None:
    if not made_by_none(tensor):
        if not wanted:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        return
    if wanted:
        if not differentiable(tensor._dtype):
            raise RuntimeError(f"only Tensors of {kinds} dtype can require gradients")
        if _inference(tensor) and not state.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            )
    if wanted or tensor._autograd is not None:
        meta_of(tensor).leaf = wanted


def _set_requires_grad(self: Tensor, wanted: Any = None) -> None:
    if not isinstance(wanted, bool):  # nor can it be deleted
        raise RuntimeError("requires_grad must be a bool")
    if not made_by_none(self) and wanted:
        raise RuntimeError("you can only change requires_grad flags of leaf variables.")
    _require(self, wanted, "floating point and complex")


def _requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Ask for this leaf's gradient (or no longer); returns the tensor.

    Raises:
        RuntimeError: for integers and bools, and for a tensor that an operation made. TypeError: for what is no bool.
    """
    if not isinstance(requires_grad, bool):
        raise TypeError(
            "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
            f"{type_name(requires_grad)}"
        )
    _require(self, requires_grad)
    return self


def _get_grad(self: Tensor) -> Tensor | None:
    meta = self._autograd
    if meta is not None and meta.grad is not None:
        return meta.grad  # type: ignore[no-any-return]
    if meta is not None and meta.node is not None and not meta.retains:
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't "
            "be populated during autograd.backward(). If you indeed want the .grad field to be populated for a "
            "non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
            "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
            "more information.",
            UserWarning,
            stacklevel=2,
        )
    return None


def _set_grad(self: Tensor, value: Any) -> None:
    if value is None:
        if self._autograd is not None:
            meta_of(self).grad = None
        return
    if not isinstance(value, Tensor):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
        )
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = _wanted_dtype(self)
    if wanted is not None and value._dtype is not wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{_c_name(value._dtype)}' to a tensor with grad_dtype "
            f"'{wanted.label}'. "
            "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
            "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
            "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they "
            "match."
        )
    if value._lay().size != self._lay().size:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._lay().size)}' to a tensor of size "
            f"'{list(self._lay().size)}'. Please ensure that the gradient and the tensor are the same size"
        )
    meta_of(self).grad = value


def _wanted_dtype(tensor: Tensor) -> dtype | None:
    """In which dtype a leaf takes its gradient; None for any."""
    meta: Meta | None = tensor._autograd
    kind = OWN if meta is None or isinstance(meta, Node) else meta.grad_dtype
    return tensor._dtype if isinstance(kind, str) else kind


def _get_grad_dtype(self: Tensor) -> dtype | None:
    if grad_fn_of(self) is not None:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return _wanted_dtype(self)


def _set_grad_dtype(self: Tensor, kind: Any) -> None:
    if not isinstance(kind, dtype) and kind is not None:
        raise RuntimeError(f"grad_dtype must be a tensorkit.dtype or None, but got {type(kind).__name__}")
    held = _get_grad(self)  # which warns of a tensor that is no leaf
    if grad_fn_of(self) is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if held is not None and kind is not None and held._dtype is not kind:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{kind.label}' because there is already a gradient with dtype "
            f"'{_c_name(held._dtype)}'. Please clear the gradient (.grad = None) before changing grad_dtype, or "
            "ensure the new grad_dtype matches the existing gradient's dtype."
        )
    meta = meta_of(self)
    meta.grad_dtype = kind
    node = None if meta.accumulator is None else meta.accumulator()
    if node is not None:
        node.faces = [leaf_face(self, kind)]


def _c_name(kind: dtype) -> str:
    return _C_NAMES.get(kind.name, kind.name)


_C_NAMES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def _retain_grad(self: Tensor) -> None:
    """Collect the gradient of a tensor that is no leaf, too."""
    if not requires_grad(self):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if made_by_none(self) or self._autograd.retains:
        return
    node, _ = _node_hooks(self)
    meta = meta_of(self)
    meta.retains = True
    mine = weakref.ref(self)  # the node must not keep the tensor that keeps the node

    def collect(grad: Any) -> None:
        tensor = mine()
        if tensor is not None:
            held = tensor._autograd.grad
            tensor._autograd.grad = held + grad if held is not None else _own_copy(grad)

    if node.retains is None:
        node.retains = {}
    node.retains[meta.output_nr] = collect


def _own_copy(grad: Any) -> Any:
    return grad.clone() if grad.is_contiguous() else grad.contiguous()


def _node_hooks(tensor: Tensor) -> tuple[Node, list[Any]]:
    """The tables of hooks that a node keeps for one of its outputs."""
    node = grad_fn_of(tensor)
    assert node is not None
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    return node, node.tensor_hooks.setdefault(tensor._autograd.output_nr, [])


def _register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call ``hook(grad)`` with each gradient on its way to this tensor; it may return another.

    Raises:
        RuntimeError: for a tensor that does not require grad.
    """
    if not requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    meta = meta_of(self)
    if meta.hooks is None:
        meta.hooks = OrderedDict()
        if grad_fn_of(self) is not None:
            _node_hooks(self)[-1].append(meta.hooks)
    return RemovableHandle(meta.hooks, hook)


def _register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(tensor)`` after the gradient of this leaf was added up."""
    if not requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if grad_fn_of(self) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    meta = meta_of(self)
    if meta.after is None:
        meta.after = OrderedDict()
    return RemovableHandle(meta.after, hook)


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


def _detach_(self: Tensor) -> Tensor:
    """Cut this tensor out of the graph: from now on it is a leaf that requires no grad."""
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    if self._autograd is not None:
        meta = meta_of(self)
        meta.node, meta.output_nr, meta.leaf = None, 0, False
    return self


def _inference(self: Tensor) -> bool:
    """Whether the tensor was made in `inference_mode`: it can never be recorded."""
    meta = self._autograd if self._base is None else self._base._autograd
    return meta is not None and meta.inference


def _attach_all() -> None:
    attach("requires_grad", property(requires_grad, _set_requires_grad, _set_requires_grad))
    attach("requires_grad_", _requires_grad_)
    attach("is_leaf", property(lambda self: grad_fn_of(self) is None))
    attach("grad", property(_get_grad, _set_grad, lambda self: _set_grad(self, None)))
    attach("grad_dtype", property(_get_grad_dtype, _set_grad_dtype))
    attach("grad_fn", property(grad_fn_of))
    attach("output_nr", property(lambda self: 0 if self._autograd is None else self._autograd.output_nr))
    attach("retain_grad", _retain_grad)
    attach("retains_grad", property(lambda self: bool(self._autograd is not None and self._autograd.retains)))
    attach("register_hook", _register_hook)
    attach("register_post_accumulate_grad_hook", _register_post_accumulate_grad_hook)
    attach("backward", _backward)
    attach("detach_", _detach_)
    attach("is_inference", _inference)


_attach_all()
