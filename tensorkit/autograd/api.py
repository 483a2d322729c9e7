"""What people call: ``t.backward()``, ``autograd.grad``, ``requires_grad_``, hooks; all attached to `Tensor` here."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import tracing
from tensorkit.autograd.engine import run_backward
from tensorkit.autograd.graph import (
    Edge,
    Node,
    RemovableHandle,
    differentiable,
    edge_of,
    grad_fn_of,
    made_by_none,
    meta_of,
    requires_grad,
)
from tensorkit.autograd.mode import state
from tensorkit.dispatch import call_traced
from tensorkit.dtypes import dtype
from tensorkit.forms import type_name
from tensorkit.tensor import Size, Tensor, attach

__all__ = ["backward", "grad"]

Tensors = Tensor | Sequence[Tensor]


# -- sending gradients back ---------------------------------------------------------------------------------------


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, Tensor) or value is None else tuple(value)


def _given(grad_outputs: Any, count: int) -> tuple[Any, ...]:
    if grad_outputs is None:
        return (None,) * count
    given = _as_tuple(grad_outputs)
    if len(given) < count:
        raise RuntimeError(f"got {count} tensors and {len(given)} gradients")
    return given[:count]  # more of them than there are tensors are left out, as PyTorch does


def _first_gradient(out: Any, given: Any, number: int) -> Tensor:
    """The gradient that a walk starts with: the one given, or 1 for a single number.

    Raises:
        RuntimeError: when none was given for more than one number, or the one given has another size.
    """
    if given is None:
        if not requires_grad(out):
            return out  # type: ignore[no-any-return]  # refused in a moment, by its place in the graph
        if out.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not out._dtype.is_floating_point:
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {out._dtype}"
            )
        return out.detach().new_ones(out.size())  # type: ignore[no-any-return]
    if not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    if given._lay().size != out._lay().size:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {Size(given._lay().size)} and "
            f"output[{number}] has a shape of {Size(out._lay().size)}."
        )
    if given._dtype.is_complex != out._dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{number}] has a dtype of {given._dtype} and output[{number}] has a dtype of {out._dtype}."
        )
    return given


def _roots(outputs: Sequence[Tensor]) -> list[Edge]:
    edges = []
    for number, out in enumerate(outputs):
        edge = edge_of(out)
        if edge is None:
            raise RuntimeError(
                f"element {number} of tensors does not require grad and does not have a grad_fn"
            )
        edges.append(edge)
    return edges


def backward(
    tensors: Tensors,
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
        inputs: add to these tensors' ``.grad`` only.

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
    outputs = _as_tuple(tensors)
    given = _given(grad_tensors, len(outputs))
    if inputs is not None and not _as_tuple(inputs):
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = [_first_gradient(out, g, i) for i, (out, g) in enumerate(zip(outputs, given, strict=True))]
    roots = _roots(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    wanted = []
    for leaf in _as_tuple(inputs) if inputs is not None else ():
        _retain_grad(leaf)
        wanted.append(_wanted(leaf))
    if create_graph:
        _warn_cycle()
    run_backward(roots, grads, retain_graph=keep, create_graph=create_graph, wanted=wanted)


def _wanted(tensor: Tensor) -> Edge:
    """Where the gradient of a tensor that was asked for arrives: a place that no graph leads to, if it has none."""
    if not requires_grad(tensor):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
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


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; no ``.grad`` changes.

    Args:
        grad_outputs: the gradient to start with for each output.
        allow_unused: give None, rather than an error, for an input that the outputs do not depend on.
        materialize_grads: give zeros for it.

    >>> import tensorkit as tk
    >>> x = tk.tensor(3.0, requires_grad=True)
    >>> tk.autograd.grad(x * x, x)
    (tensor(6.),)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
    """
    __tracebackhide__ = True
    outs, ins = _as_tuple(outputs), _as_tuple(inputs)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    unused = materialize_grads if allow_unused is None else allow_unused
    if not ins:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        raise RuntimeError(
            "is_grads_batched needs vmap, which tensorkit does not have: call grad once for each row"
        )
    given = _given(grad_outputs, len(outs))
    grads = [_first_gradient(out, g, i) for i, (out, g) in enumerate(zip(outs, given, strict=True))]
    roots = _roots(outs)
    wanted = []
    for tensor in ins:
        wanted.append(_wanted(tensor))
    keep = create_graph if retain_graph is None else retain_graph
    found = run_backward(
        roots, grads, retain_graph=keep, create_graph=create_graph, wanted=wanted, accumulate=False
    )
    pairs = zip(found, ins, strict=True)
    return tuple([_found(g, tensor, i, unused, materialize_grads) for i, (g, tensor) in enumerate(pairs)])


def _found(found: Tensor | None, tensor: Any, index: int, unused: bool, materialize: bool) -> Tensor | None:
    if found is None and not unused:
        raise RuntimeError(
            f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    if found is None and materialize:
        return tensor.detach().new_zeros(tensor.size())  # type: ignore[no-any-return]
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


def _set_requires_grad(self: Tensor, wanted: bool) -> None:
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
    if value._dtype is not self._dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{_c_name(value._dtype)}' to a tensor with grad_dtype "
            f"'{self._dtype.label}'. "
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


def _c_name(kind: dtype) -> str:
    return {"float32": "float", "float64": "double"}.get(kind.name, kind.name)


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
    attach("requires_grad", property(requires_grad, _set_requires_grad))
    attach("requires_grad_", _requires_grad_)
    attach("is_leaf", property(lambda self: grad_fn_of(self) is None))
    attach("grad", property(_get_grad, _set_grad, lambda self: _set_grad(self, None)))
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
