"""Tensors that a `Module` keeps: parameters, which are trained, and buffers, which are not.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

from tensorkit import printing
from tensorkit.autograd.history import differentiable
from tensorkit.device import DeviceLike
from tensorkit.dispatch.registry import registry
from tensorkit.dtypes import dtype
from tensorkit.memory_format import preserve_format
from tensorkit.ops.creation.empty import empty
from tensorkit.tensor import Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


def __dir__() -> list[str]:
    return __all__


def _leaf(cls: type[Any], data: Tensor, requires_grad: bool) -> Any:
    """A tensor of class `cls` on the memory of `data`: a leaf, however `data` was computed."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
            f"{type(requires_grad).__name__}"
        )
    made = Tensor.detach(data)
    if requires_grad and not differentiable(made.dtype):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    made.__class__ = cls
    Tensor.requires_grad_(made, requires_grad)
    return made


# -- parameters -----------------------------------------------------------------------------------------------------


class _Marking(type):
    """Tensors of other subclasses are of the class too, if it has marked them: with a true attribute named `_mark`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        mark = vars(cls).get("_mark")  # a class made from it has none of its own
        marked = mark is not None and isinstance(instance, Tensor) and getattr(instance, mark, False)
        return super().__instancecheck__(instance) or bool(marked)


class Parameter(Tensor, metaclass=_Marking):
    """A tensor that is trained: assigned to an attribute of a `Module`, it is one of the module's parameters.

    Args:
        data: its numbers, a tensor of any size; the memory is shared. By default it is empty.
        requires_grad: whether gradients are computed for it, also where it is made inside ``no_grad()``.

    What is computed from a parameter is a plain `Tensor`.

    >>> w = tk.nn.Parameter(tk.ones(2))
    >>> w
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    >>> w * 2
    tensor([2., 2.], grad_fn=<MulBackward0>)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    """

    _mark = "_is_param"
    _is_param = True  # which `printing` asks for
    _plain_results = True  # see `Tensor.__init_subclass__`

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = empty(0)
        if type(data) in (Tensor, Parameter):
            return _leaf(cls, data, requires_grad)
        made: Any = data.detach()
        made.requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(made).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        vars(made)["_is_param"] = True
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(memory_format=preserve_format), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: str | None = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + printing.tensor_text(self, tensor_contents=tensor_contents)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = (self.data, self.requires_grad, OrderedDict())  # hooks are not kept
        state = vars(self)
        return (
            (_rebuild_parameter_with_state, (*parts, dict(state))) if state else (_rebuild_parameter, parts)
        )


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Any:
    made = Parameter(data, requires_grad)
    vars(made).update(state)
    return made


# -- buffers --------------------------------------------------------------------------------------------------------


class Buffer(Tensor, metaclass=_Marking):
    """A tensor that belongs to a `Module` and is not trained, such as a running mean.

    Args:
        data: its numbers, a tensor of any size; the memory is shared. By default it is empty.
        persistent: whether it is part of the module's `state_dict`.

    >>> module = tk.nn.Module()
    >>> module.mean = tk.nn.Buffer(tk.zeros(2))
    >>> dict(module.named_buffers())
    {'mean': tensor([0., 0.])}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html
    """

    _mark = "_is_buffer"
    _plain_results = True

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        made: Any = data.detach().requires_grad_(data.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


# -- of a size that is not known yet --------------------------------------------------------------------------------


def _without_size(cls: type[Any], requires_grad: bool, device: Any, kind: Any) -> Any:
    """A tensor that has neither memory nor a size: who asks it for them is refused."""
    made = _leaf(cls, empty(0, device=device, dtype=kind), requires_grad)
    made._array = made._layout = made._storage = None
    return made


def _refused(method: str) -> Callable[..., Any]:
    def refuse(self: UninitializedTensorMixin, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(f"<method '{method}' of 'tensorkit._C.TensorBase' objects>")

    return refuse


def _on_data(method: str) -> Callable[..., Any]:
    """The method on the empty tensor that is there so far; what changes nothing returns the parameter itself."""

    def call(self: UninitializedTensorMixin, *args: Any, **kwargs: Any) -> Any:
        data = self.data
        made = getattr(data, method)(*args, **kwargs)
        return self if made is data else self._like(made)

    return call


class UninitializedTensorMixin:
    """What `UninitializedParameter` and `UninitializedBuffer` share: a dtype and a device, and no size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html
    """

    __slots__ = ()
    cls_to_become: type[Tensor]
    requires_grad: bool
    persistent: bool

    def materialize(
        self: Any, shape: Any, device: DeviceLike = None, dtype: dtype | type[Any] | None = None
    ) -> None:
        """Become a tensor of a size, uninitialised.

        Args:
            shape: the size.
            device, dtype: other ones than those of now.

        >>> w = tk.nn.UninitializedParameter()
        >>> w.materialize((2, 3))
        >>> type(w), w.shape
        (<class 'tensorkit.nn.parameter.Parameter'>, tensorkit.Size([2, 3]))
        """
        made = empty(shape, device=device or self._device, dtype=dtype or self._dtype)
        self.__class__ = self.cls_to_become
        for name in ("_array", "_layout", "_storage", "_solid", "_dtype", "_device"):
            if hasattr(made, name):
                setattr(self, name, getattr(made, name))

    def _refuse(self, what: str = "<built-in function>") -> NoReturn:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {what}. This error happens when you are using a "
            "`LazyModule` or explicitly manipulating "
            f"`tensorkit.nn.parameter.{type(self).__name__}` objects. When using LazyModules Call `forward` with a "
            "dummy batch to initialize the parameters before calling torch functions"
        )

    _lay: Any = _refuse  # an operation looks here for the size, and in the next two for the elements
    _store: Any = _refuse

    def _nd(self, *, physical: bool = False) -> NoReturn:
        self._refuse()

    def _like(self, made: Tensor) -> Any:
        return made

    @property
    def data(self: Any) -> Tensor:
        """An empty tensor of the dtype and the device."""
        return empty(0, dtype=self._dtype, device=self._device)

    @data.setter
    def data(self: Any, given: Tensor) -> None:
        self._dtype, self._device = given.dtype, given.device

    @property
    def shape(self) -> NoReturn:
        """Refused: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def size(self, *args: Any) -> Any:
        """The size of an empty tensor."""
        return self.data.size(*args)

    def copy_(self, src: Tensor, non_blocking: bool = False) -> Any:
        """Copy nothing: there are no elements."""
        self.data.copy_(src, non_blocking)
        return self

    def share_memory_(self) -> NoReturn:
        """Refused: there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return type(self), (self.requires_grad,)


_ALLOWED = {"__hash__", "is_complex", "is_floating_point", "get_device"}
_CONVERSIONS = ("half", "float", "double", "char", "short", "int", "long", "cuda", "cpu", "to")


def _refuse_the_rest() -> None:
    """Every other method of a tensor, operators too, is refused by its name."""
    for name in _CONVERSIONS:
        setattr(UninitializedTensorMixin, name, _on_data(name))
    shown = {name: name for name, member in vars(Tensor).items() if callable(member) and name[0] != "_"}
    for record in registry.values():
        shown |= {name: record.name if name[0] == "_" else name for name in record.methods}
    for name in shown.keys() - _ALLOWED - set(vars(UninitializedTensorMixin)):
        if not isinstance(vars(Tensor).get(name), property):
            setattr(UninitializedTensorMixin, name, _refused(shown[name]))


_refuse_the_rest()


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose size is known later, when `materialize` is called: what lazy modules begin with.

    Args:
        requires_grad: whether gradients are to be computed for it.
        device, dtype: those of the parameter that it becomes.

    Raises:
        ValueError: whenever it is used in an operation.

    >>> tk.nn.UninitializedParameter(dtype=tk.float64)
    <UninitializedParameter>

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html
    """

    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: DeviceLike = None, dtype: dtype | type[Any] | None = None
    ) -> Any:
        return _without_size(cls, requires_grad, device, dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self._device, self._dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose size is known later, when `materialize` is called.

    Args:
        requires_grad: whether gradients are to be computed for it.
        device, dtype: those of the tensor that it becomes.
        persistent: whether it is part of its module's `state_dict`.

    Raises:
        ValueError: whenever it is used in an operation.

    >>> tk.nn.UninitializedBuffer()
    <UninitializedBuffer>

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedBuffer.html
    """

    _plain_results = True
    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: DeviceLike = None,
        dtype: dtype | type[Any] | None = None,
        persistent: bool = True,
    ) -> Any:
        made = _without_size(cls, requires_grad, device, dtype)
        made.persistent, made._is_buffer = persistent, True
        return made

    def _like(self, made: Tensor) -> Any:
        return UninitializedBuffer(self.requires_grad, made.device, made.dtype, self.persistent)


def is_lazy(param: Any) -> bool:
    """Whether a tensor is an `UninitializedParameter` or an `UninitializedBuffer`.

    >>> tk.nn.parameter.is_lazy(tk.nn.UninitializedParameter())
    True

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/parameter.py
    """
    return isinstance(param, UninitializedTensorMixin)
