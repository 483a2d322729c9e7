"""An operation of one's own: `Function`, with a forward pass and the derivative that belongs to it.

>>> class Cube(tk.autograd.Function):
...     @staticmethod
...     def forward(ctx, x):
...         ctx.save_for_backward(x)
...         return x * x * x
...
...     @staticmethod
...     def backward(ctx, grad_output):
...         (x,) = ctx.saved_tensors
...         return grad_output * 3 * x * x
>>> x = tk.tensor([1.0, 2.0], requires_grad=True)
>>> y = Cube.apply(x)
>>> y
tensor([1., 8.], grad_fn=<CubeBackward>)
>>> y.sum().backward()
>>> x.grad
tensor([ 3., 12.])

Source: behaviour is PyTorch 2.13's (https://docs.pytorch.org/docs/stable/autograd.html#function).
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tensorkit.autograd import anomaly_mode, saved_tensors_hooks
from tensorkit.autograd.grad_mode import CUSTOM, ONE_OF_SEVERAL, no_grad, state
from tensorkit.autograd.history import differentiable, edge_of, requires_grad, set_history
from tensorkit.autograd.inplace_views import rebase
from tensorkit.autograd.node import Face, Node
from tensorkit.autograd.record import check_inplace
from tensorkit.autograd.saved import Saved, SavedResult
from tensorkit.elementwise.output import empty_strided
from tensorkit.errors import warn
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

__all__ = ["Error", "Function", "FunctionCtx", "FunctionNode", "InplaceFunction", "once_differentiable"]


def __dir__() -> list[str]:
    return __all__


# What a ctx answers for its node: in PyTorch the two are one object.
_OF_THE_NODE = frozenset({"metadata", "name", "next_functions", "register_hook", "register_prehook"})


class FunctionCtx:
    """What `forward` hands on to `backward`: saved tensors, marks, and any attribute that you set.

    Attributes:
        needs_input_grad: for each argument of `forward`, whether its gradient is needed.
    """

    needs_input_grad: tuple[bool, ...]

    def __init__(self, node: Node) -> None:
        self._node = weakref.ref(node)
        self._saved: tuple[Saved | None, ...] = ()
        self._to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which reads them as ``ctx.saved_tensors``; None keeps its place.

        Inputs and outputs should only be kept in this way: an in-place write to one of them is then noticed, and
        nothing keeps the graph alive in a circle. A second call replaces the first.
        """
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs `forward` wrote to, in place; each of them must be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no derivative; `backward` still gets a gradient for each: zeros."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for an unused output."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept.

        Raises:
            RuntimeError: when the graph was freed, or when a kept tensor was written to since.
        """
        node = self._node()
        return tuple(None if kept is None or node is None else kept.unpack(node) for kept in self._saved)

    def __getattr__(self, name: str) -> Any:
        node = self.__dict__["_node"]() if name in _OF_THE_NODE else None
        if node is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(node, name)


class FunctionNode(Node):
    """A call of a `Function` in the graph. Attributes that it does not have are read from its ctx."""

    __slots__ = ("are_tensors", "ctx", "function")

    def __init__(self, function: type[Function], args: Sequence[Any]) -> None:
        self.begin()
        self.function = function
        self.are_tensors = tuple(isinstance(arg, Tensor) for arg in args)
        self.ctx: FunctionCtx = function._ctx_class(self)
        self.ctx.needs_input_grad = tuple(isinstance(arg, Tensor) and requires_grad(arg) for arg in args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "ctx":
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{self.name()} object at {id(self):#x}>"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        if self.ctx._materialize:
            grads = [_zeros(face) if g is None else g for g, face in zip(grads, self.faces, strict=True)]
        results = self.function._derivative()(self.ctx, *grads)
        return self._checked(results if isinstance(results, tuple) else (results,))

    def _checked(self, results: tuple[Any, ...]) -> list[Tensor | None]:
        """One gradient for each tensor argument; what stands for the others must be None.

        Raises:
            RuntimeError: for another number of gradients, or for a result that is not a gradient.
        """
        count = len(self.are_tensors)
        if len(results) < count or any(extra is not None for extra in results[count:]):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got "
                f"{len(results)})"
            )
        checked: list[Tensor | None] = []
        for place, (result, is_tensor) in enumerate(zip(results, self.are_tensors, strict=False), 1):
            if not is_tensor:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {place}, but the "
                        "corresponding forward input was not a Variable"
                    )
            elif result is None or isinstance(result, Tensor):
                checked.append(result)
            else:
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
        return checked

    def release(self) -> None:
        for kept in self.ctx._saved:
            if kept is not None:
                kept.free()


def _zeros(face: Face | None) -> Any:
    if face is None:  # this output is not a tensor
        return None
    made: Any = empty_strided(face.size, contiguous_stride(face.size), face.dtype, face.device)
    return made.zero_()


class _DirtyNode(Node):
    """A `FunctionNode` that wrote to a view: the tensor that it wrote to first, as `CopySlices` expects."""

    __slots__ = ("call", "order")

    def __init__(self, call: FunctionNode, first: int) -> None:
        self.begin()
        self.call = call
        self.order = (first, *(i for i in range(len(call.edges)) if i != first))
        self.edges = tuple(call.edges[i] for i in self.order)

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        results = self.call.apply(grads)
        return [results[i] for i in self.order]

    def release(self) -> None:
        self.call.release()


# -- what people write --------------------------------------------------------------------------------------------


class Function:
    """The base of operations with a derivative of your own: write `forward` and `backward`, call ``apply``.

    ``forward(ctx, *args)`` computes; nothing in it is recorded. ``backward(ctx, *grads)`` gets one gradient for each
    output and returns one for each argument, None for those without. With ``setup_context(ctx, inputs, output)``,
    `forward` takes no ctx. See the example at the head of this module.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.Function.html
    """

    generate_vmap_rule: ClassVar[bool] = False
    _node_class: ClassVar[type[FunctionNode]] = FunctionNode
    _ctx_class: ClassVar[type[FunctionCtx]] = FunctionCtx

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name, here = f"{cls.__name__}Backward", {"__module__": __name__}
        cls._node_class = type(name, (FunctionNode,), {"__slots__": (), **here})
        cls._ctx_class = type(name, (FunctionCtx,), dict(here))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result: ``forward(ctx, *args)``; to be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keep what `backward` needs, apart from `forward`, which then takes no ctx; may be overridden."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """From the gradients of the outputs to those of the arguments; to be overridden (or `vjp`, its other name)."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @classmethod
    def _derivative(cls) -> Callable[..., Any]:
        own, other = cls.backward is not Function.backward, cls.vjp is not Function.vjp
        if own and other:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp if other else cls.backward

    @classmethod
    def _bound(
        cls, args: tuple[Any, ...], kwargs: dict[str, Any], apart: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments in the order in which `forward` names them: that of the gradients."""
        try:
            bound = inspect.signature(cls.forward).bind(*args if apart else (None, *args), **kwargs)
        except TypeError as wrong:
            if apart:
                raise
            if "missing" in str(wrong):
                return args, kwargs  # Python says it best, when `forward` is called
            raise TypeError(f"forward() {wrong}") from None
        if apart:
            bound.apply_defaults()
        return bound.args if apart else bound.args[1:], bound.kwargs

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and note it in the graph, if an argument requires grad.

        Returns:
            What `forward` returned, its tensors with this call as their ``grad_fn``.

        Raises:
            RuntimeError: when a leaf that requires grad was written to, or a tensor marked dirty was not returned.
        """
        apart = cls.setup_context is not Function.setup_context
        if apart or kwargs:
            args, kwargs = cls._bound(args, kwargs, apart)
        inputs = (*args, *kwargs.values())
        node = cls._node_class(cls, inputs)
        recording = state.grad and any(node.ctx.needs_input_grad)
        if recording:
            node.edges = tuple(edge_of(arg) for arg in inputs if isinstance(arg, Tensor))
        with no_grad():
            output = cls.forward(*args, **kwargs) if apart else cls.forward(node.ctx, *args, **kwargs)
            if apart:
                cls.setup_context(node.ctx, inputs, output)
        return _Results(node, inputs, recording).of(output)


class InplaceFunction(Function):
    """A `Function` of earlier years, which can be asked whether it writes in place; use `Function`.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.function.InplaceFunction
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


# -- from what forward returned to the graph ----------------------------------------------------------------------


def _is_among(tensor: Any, others: Sequence[Any]) -> bool:
    return any(tensor is other for other in others)


class _Results:
    """Gives the tensors that `forward` returned their place in the graph."""

    def __init__(self, node: FunctionNode, inputs: tuple[Any, ...], recording: bool) -> None:
        self.node, self.ctx, self.recording = node, node.ctx, recording
        self.inputs = [arg for arg in inputs if isinstance(arg, Tensor)]

    def of(self, output: Any) -> Any:
        several = isinstance(output, tuple)
        parts: tuple[Any, ...] = output if several else (output,)
        if several or isinstance(output, Tensor):
            self._check_marks(parts)
            parts = self._placed(parts)
        self._save()
        return parts if several else parts[0]

    def _check_marks(self, parts: tuple[Any, ...]) -> None:
        for mark, given in (
            ("mark_dirty can only accept variables, but argument", self.ctx._dirty),
            ("mark_non_differentiable only accepts variable arguments, but got", self.ctx._constant),
        ):
            for i, value in enumerate(given):
                if not isinstance(value, Tensor):
                    raise RuntimeError(f"{mark} {i} is of type {type(value).__name__}")
        for tensor in self.ctx._dirty:
            tensor._bump()
            if not _is_among(tensor, parts):
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                    "that are modified inplace must all be outputs of the Function."
                )

    def _placed(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        node = self.node
        node.faces = [Face(part) if isinstance(part, Tensor) else None for part in parts]
        placed: list[Any] = []
        for nr, part in enumerate(parts):
            placed.append(self._place(part, nr) if isinstance(part, Tensor) else part)
        if self.recording:
            anomaly_mode.remember(node)
            self._guard_views(placed)
        return tuple(placed)

    def _place(self, part: Any, nr: int) -> Any:
        given, dirty = _is_among(part, self.inputs), _is_among(part, self.ctx._dirty)
        if not (self.recording and differentiable(part._dtype)) or _is_among(part, self.ctx._constant):
            return _apart(part, given=given, dirty=dirty)
        if dirty:
            self._place_dirty(part, nr, given)
            return part
        if given:  # returned as it came: another tensor on the same memory carries the place in the graph
            part = part._view(part._lay())
        set_history(part, self.node, nr)
        return part

    def _place_dirty(self, part: Any, nr: int, given: bool) -> None:
        meta = part._autograd
        if requires_grad(part) and (meta is None or meta.node is None):
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        check_inplace(part)
        if not given:
            warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty()."
            )
        if part._base is None:
            set_history(part, self.node, nr)
            return
        if len(self.node.faces) > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should either "
                "make sure the input is not a view (using .clone() for example) or make your Function only return one "
                "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single "
                "Tensor and a second one that does the other operations)."
            )
        first = next(i for i, tensor in enumerate(self.inputs) if tensor is part)
        part._born = -1  # whatever was read of its history until now is from before this call
        turned: Any = _DirtyNode(self.node, first)
        rebase(part, turned)

    def _guard_views(self, placed: list[Any]) -> None:
        """An in-place write to a view that `forward` returned would pass `backward` by: it is refused later."""
        ours = [part for part in placed if isinstance(part, Tensor) and part.grad_fn is self.node]
        for part in ours:
            if part._base is not None:
                part._origin = CUSTOM if len(ours) == 1 else ONE_OF_SEVERAL

    def _save(self) -> None:
        ctx, node = self.ctx, self.node
        if self.recording:
            for i, tensor in enumerate(ctx._to_save):
                if tensor is not None and not isinstance(tensor, Tensor):
                    raise TypeError(
                        f"save_for_backward can only save variables, but argument {i} is of type "
                        f"{type(tensor).__name__}"
                    )
            ctx._saved = tuple(_saved(node, tensor) for tensor in ctx._to_save)
        ctx._to_save = ctx._dirty = ctx._constant = ()


def _saved(node: FunctionNode, tensor: Any) -> Saved | None:
    if tensor is None:
        return None
    meta = tensor._autograd
    own = meta is not None and meta.node is node
    packed = saved_tensors_hooks.packed(tensor, own=own)
    if packed is not None:
        return packed
    return SavedResult(tensor, meta.output_nr) if own else Saved(tensor)


def _apart(part: Any, *, given: bool, dirty: bool) -> Any:
    """A result without a place in the graph; one that has another place already is given back cut from it."""
    if requires_grad(part):
        if given or dirty:
            return part.detach()
        if part._base is None:
            return part.detach_()
        part._origin = CUSTOM  # a view of what wants a gradient goes on wanting it
        return part
    return part._view(part._lay()) if given and not dirty else part


# -- derivatives that have none -----------------------------------------------------------------------------------


class Error(Node):
    """The node of a gradient that cannot be differentiated again."""

    __module__ = "builtins"  # as PyTorch's, which are made in C++
    __slots__ = ()

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a `backward` that cannot itself be differentiated: trying to is then an error, not a wrong number.

    >>> class Double(tk.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @tk.autograd.function.once_differentiable
    ...     def backward(ctx, grad_output):
    ...         return grad_output * 2
    >>> x = tk.ones(1, requires_grad=True)
    >>> (g,) = tk.autograd.grad(Double.apply(x), x, tk.ones(1, requires_grad=True), create_graph=True)
    >>> g.sum().backward()
    Traceback (most recent call last):
    RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable
    """

    @functools.wraps(fn)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = fn(ctx, *grads)
        if not state.grad or not any(isinstance(g, Tensor) and requires_grad(g) for g in grads):
            return results
        several = isinstance(results, tuple)
        refusing = _refusing(results if several else (results,))
        return refusing if several else refusing[0]

    return once


def _refusing(results: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same gradients, with a place in the graph that raises."""
    node = Error()
    node.begin()
    made: list[Any] = [r.detach() if isinstance(r, Tensor) else r for r in results]
    waiting = [m.detach().requires_grad_() for m in made if isinstance(m, Tensor)]
    node.edges = tuple(edge_of(leaf) for leaf in waiting)
    for nr, tensor in enumerate(made):
        if isinstance(tensor, Tensor):
            set_history(tensor, node, nr)
    return tuple(made)
