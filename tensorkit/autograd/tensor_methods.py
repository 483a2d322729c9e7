"""What a `Tensor` has of autograd: ``requires_grad``, ``grad``, hooks, ``detach_()``; attached here."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.history import differentiable, grad_fn_of, made_by_none, requires_grad
from tensorkit.autograd.node import OWN, Meta, Node, RemovableHandle, hang, leaf_face, meta_of
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor, attach


def require(tensor: Tensor, wanted: bool, kinds: str = "floating point") -> None:
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
    require(self, wanted, "floating point and complex")


def _requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Ask for this leaf's gradient (or no longer); returns the tensor.

    Raises:
        RuntimeError: for integers and bools, and for a tensor that is not a leaf.
        TypeError: for anything but a bool.
    """
    if not isinstance(requires_grad, bool):
        raise TypeError(
            "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
            f"{type_name(requires_grad)}"
        )
    require(self, requires_grad)
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
    """The dtype of a leaf's gradient; None for any."""
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
    held = _get_grad(self)  # which warns of a tensor that is not a leaf
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


def retain_grad(self: Tensor) -> None:
    """Collect the gradient of a tensor that is not a leaf, too."""
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
    return hang(meta.hooks, hook)


def _register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(tensor)`` after the gradient of this leaf was added up."""
    if not requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if grad_fn_of(self) is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    meta = meta_of(self)
    if meta.after is None:
        meta.after = OrderedDict()
    return hang(meta.after, hook)


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
    attach("retain_grad", retain_grad)
    attach("retains_grad", property(lambda self: bool(self._autograd is not None and self._autograd.retains)))
    attach("register_hook", _register_hook)
    attach("register_post_accumulate_grad_hook", _register_post_accumulate_grad_hook)
    attach("detach_", _detach_)
    attach("is_inference", _inference)


_attach_all()
